//! Temporaries that are read before anything is written to them, and vertices that lack outputs.
//!
//! Sources: Mesa's manual; `tgsi_exec` of Mesa 22.3.6, which clears temporaries once and keeps them between invocations,
//! and moves on to other outputs with each vertex.

use super::findings::{At, Findings, Register, instructions, rules};
use super::uses::indices;
use crate::table::{Flow, Shape};
use crate::tgsi::names::{File, PropertyName};
use crate::tgsi::program::{Declaration, Instruction, Op, Operand, Processor, Program};
use crate::tgsi::reads;
use crate::tgsi::signature::Texels;
use crate::tgsi::table::{Mode, Opcode, Row};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use vecasm_ir::operand::{LANES, WriteMask};

rules! {
    pub(super) const RULES; const;

    UNSET "TGSI-unset" Warning Recorded
        "%1.%2 is read before it is written",
        "The initial value of a temporary is undefined: in tgsi_exec it holds what the previous invocation left.";
    EMIT_DROPS "TGSI-emit-drops" Warning Recorded
        "OUT[%1] is not written for this vertex",
        "Outputs are undefined after EMIT. Write every output for every vertex.";
    EMIT_LIMIT "TGSI-emit-limit" Warning Documented
        "%1 vertices are already emitted",
        "EMIT does nothing once the invocation has emitted GS_MAX_OUTPUT_VERTICES vertices, as with max_vertices of OpenGL; tgsi_exec restarts the count after ENDPRIM.";
}

/// Where something is not written at all.
const NEVER: u32 = u32::MAX;

/// The components of a source that an instruction reads, if the table tells.
fn read(row: &Row, op: Opcode, shape: Shape, written: WriteMask, operand: &Operand) -> Option<WriteMask> {
    let needed = match (shape, row.mode) {
        (Shape::Scalar, _) => WriteMask::X,
        (Shape::Src, Mode::PerComponent) if !row.is_wide() => written,
        (Shape::Src, _) if matches!(op, Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4) => {
            reads::lanes(op, 0, written, Texels::default())
        }
        _ => return None,
    };
    Some(operand.swizzle.read_mask(needed))
}

struct Writes {
    /// The first instruction that writes each component of a temporary.
    first: BTreeMap<i16, [u32; 4]>,
    /// Whether something is written by an index.
    indexed: bool,
}

impl Writes {
    fn at(&self, index: i16) -> [u32; 4] {
        self.first.get(&index).copied().unwrap_or([NEVER; 4])
    }
}

/// Reads of temporaries that nothing was written to.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    let mut writes = Writes { first: BTreeMap::new(), indexed: false };
    // The outermost loops, and what is in a subroutine, which may be called from anywhere.
    let mut loops: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut depth, mut start, mut subroutine, mut jumps) = (0u32, 0, false, false);
    let mut inside: BTreeSet<u32> = BTreeSet::new();
    for (at, instruction) in instructions(program) {
        let Some(number) = at.number else { continue };
        match instruction.row().map(|row| row.flow) {
            Some(Flow::Loop) => {
                if depth == 0 {
                    start = number;
                }
                depth += 1;
            }
            Some(Flow::EndLoop) => {
                if depth == 1 {
                    loops.insert(start, number);
                }
                depth = depth.saturating_sub(1);
            }
            Some(Flow::Label) => subroutine = true,
            Some(Flow::EndLabel) => subroutine = false,
            Some(Flow::Branch) => jumps = true,
            _ => {}
        }
        if subroutine {
            inside.insert(number);
        }
        for operand in program.destinations(instruction).iter().filter(|o| o.file == File::Temp) {
            if operand.indirect.is_some() {
                writes.indexed = true;
                continue;
            }
            let first = writes.first.entry(operand.index).or_insert([NEVER; 4]);
            for lane in operand.mask.lanes() {
                let when = if subroutine { 0 } else { number };
                if let Some(slot) = first.get_mut(lane) {
                    // A subroutine may run before everything.
                    *slot = if subroutine { 0 } else { (*slot).min(when) };
                }
            }
        }
    }
    // An index or a jump may lead anywhere.
    if !writes.indexed && !jumps && depth == 0 {
        let mut said = BTreeSet::new();
        for (at, instruction) in instructions(program) {
            if let (Op::Known(op), Some(number)) = (instruction.op, at.number) {
                if !inside.contains(&number) {
                    reads(program, instruction, op, (at, number), &writes, &loops, &mut said, f);
                }
            }
        }
    }
    if program.processor == Processor::Geometry {
        vertices(program, f);
    }
}

#[allow(clippy::too_many_arguments, reason = "what the pass knows")]
fn reads(
    program: &Program,
    instruction: &Instruction,
    op: Opcode,
    (at, number): (At, u32),
    writes: &Writes,
    loops: &BTreeMap<u32, u32>,
    said: &mut BTreeSet<(i16, u8)>,
    f: &mut Findings<'_>,
) {
    // What is written later in a loop may be from the round before.
    let round = loops.range(..=number).next_back().filter(|(_, end)| number <= **end);
    let is_unset = |when: u32| match round {
        Some((_, end)) => when > *end,
        None => when >= number,
    };
    let row = op.row();
    let written = program.destinations(instruction).first().map_or(WriteMask::ALL, |o| o.mask);
    for (operand, shape) in program.sources(instruction).iter().zip(row.source_shapes()) {
        if operand.file != File::Temp || indices(operand).next().is_some() {
            continue;
        }
        let first = writes.at(operand.index);
        let unset = |lane: &usize| first.get(*lane).is_some_and(|when| is_unset(*when));
        let lacking = match read(row, op, *shape, written, operand) {
            Some(mask) => mask.lanes().filter(unset).fold(0, |bits, lane| bits | 1 << lane),
            // Which components an instruction reads depends on much: it is wrong if there is none.
            None => {
                let mask = operand.swizzle.read_mask(WriteMask::ALL);
                if mask.lanes().all(|lane| unset(&lane)) { mask.bits() } else { 0 }
            }
        };
        if lacking != 0 && said.insert((operand.index, lacking)) {
            let letters: String = WriteMask::from_bits(lacking).lanes().map(|l| LANES[l]).collect();
            f.at(UNSET, at, &[&Register(operand), &letters]);
        }
    }
}

/// Vertices of which an output is not written, where control goes straight on from one to the next, and those that are
/// too many.
fn vertices(program: &Program, f: &mut Findings<'_>) {
    let most = program.property(PropertyName::GsMaxOutputVertices);
    // The outputs of the vertex in front, those of this one; nothing is known behind a jump.
    let mut before: Option<BTreeSet<i16>> = None;
    let mut now: BTreeSet<i16> = BTreeSet::new();
    let mut count = Some(0u32);
    // An output belongs to the vertices of its stream.
    let streams = |d: &Declaration| d.semantic.is_some_and(|s| s.streams != [0; 4]);
    let one_stream = !program.declarations().any(streams);
    for (at, instruction) in instructions(program) {
        let Op::Known(op) = instruction.op else { continue };
        match op {
            Opcode::Emit => {
                let known = before.as_ref().filter(|_| one_stream);
                if let Some(missing) = known.and_then(|before| before.difference(&now).next()) {
                    f.at(EMIT_DROPS, at, &[missing]);
                }
                before = Some(core::mem::take(&mut now));
                if let (Some(n), Some(most)) = (count, most) {
                    if n >= most {
                        f.at(EMIT_LIMIT, at, &[&n]);
                    }
                }
                count = count.map(|n| n.saturating_add(1));
            }
            _ if op.row().flow != Flow::Straight => (before, count) = (None, None),
            _ => {}
        }
        for operand in program.destinations(instruction).iter().filter(|o| o.file == File::Out) {
            if operand.indirect.is_some() {
                before = None;
            } else {
                now.insert(operand.index);
            }
        }
    }
}
