//! Instructions by stage, registers, indices, masks and modifiers.
//!
//! Sources: Mesa's manual; `tgsi_exec` of Mesa 22.3.6, recorded and read: what it skips, its limits, what it does with
//! modifiers and masks of 64-bit values.

use super::findings::At;
use super::findings::{FileName, Findings, Register, declarations, instructions, rules};
use super::uses::{Declared, indices};
use crate::table::{Shape, Stages};
use crate::tgsi::names::{File, Semantic};
use crate::tgsi::program::{Instruction, Op, Operand, Processor, Program};
use crate::tgsi::reads;
use crate::tgsi::table::{Opcode, Row, Type};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

rules! {
    pub(super) const RULES; const;

    OPCODE "TGSI-no-opcode" Error Documented
        "no instruction %1",
        "The dialect of the program has no instruction with that number; it may be another dialect.";
    STAGE "TGSI-stage" Error Documented
        "%1 is not an instruction of %2 programs",
        "KILL, derivatives, INTERP, FBFETCH and DEMOTE are for fragments, EMIT and ENDPRIM for geometry, BARRIER for compute and tessellation control.";
    SKIPPED "TGSI-skipped" Note Recorded
        "tgsi_exec has no %1",
        "Mesa's interpreter skips the instruction, so its destination keeps its value; a debug build stops. Drivers and this library do what the manual says.";
    READABLE "TGSI-not-readable" Error Documented
        "%1 is not a value",
        "Samplers, views, images, buffers and memory are not values: the instructions that access them have operands of their own for them.";
    WRITABLE "TGSI-not-writable" Error Documented
        "%2 cannot write %1",
        "Instructions write OUT, TEMP, ADDR and NULL; STORE writes buffers, memory and images.";
    KIND "TGSI-operand-file" Error Documented
        "%1 where %2 expects a %3",
        "Texture instructions take a SAMP, those with views an SVIEW, accesses to memory a BUFFER, IMAGE, MEMORY or HWATOMIC; a handle may be in a TEMP, IN, CONST or IMM.";
    PAIR "TGSI-pair-mask" Error Recorded
        "%1 writes half of a 64-bit value: .%2",
        "64-bit values are in the pairs xy and zw. tgsi_exec writes both words of a pair if one is in the mask.";
    NARROW "TGSI-pair-result" Warning Recorded
        "%1 writes one component for each 64-bit value, not .%2",
        "The result of a comparison goes to one component of each pair: x or y, z or w; that of a conversion to the first two components of the mask. The others keep their values.";
    WIDE_MODIFIER "TGSI-wide-modifier" Warning Recorded
        "%1 has no effect on a 64-bit source",
        "tgsi_exec ignores - and |x| on 64-bit values. Use DNEG, DABS, I64NEG or I64ABS.";
    INTEGER_ABSOLUTE "TGSI-integer-absolute" Warning Recorded
        "|x| of an integer",
        "tgsi_exec clears the top bit, which is not the absolute value. Use IABS.";
    INTEGER_NEGATE "TGSI-integer-negate" Warning Recorded
        "- of the integer that %1 converts",
        "tgsi_exec flips the top bit, which is not the negation. Use INEG.";
    INTEGER_SATURATE "TGSI-integer-saturate" Warning Recorded
        "_SAT on an integer result",
        "tgsi_exec clamps the word to 0..1 as if it were a float.";
    UNDECLARED "TGSI-undeclared" Error Documented
        "%1[%2] is not declared",
        "Every register must be declared, including those that supply an index or a texel offset. tgsi_sanity ignores indices of destinations, first indices, and offsets.";
    INDEX_FILE "TGSI-index-file" Warning Peer
        "an index from %1",
        "tgsi_exec takes every index from ADDR, whatever register file the program names.";
    INDEX_DESTINATION "TGSI-index-destination" Note Recorded
        "a destination with an index",
        "tgsi_exec uses the index of the first of four invocations for all of them. Other engines use the index of each.";
    INDEX_ARRAY "TGSI-index-array" Note Believed
        "an index into %1 without an array number",
        "Without the number of a declared ARRAY, drivers treat the index as one into the whole file, and keep all of it in memory.";
    ARRAY "TGSI-array" Error Documented
        "%1 has no array %2",
        "The number in parentheses after an index is that of an ARRAY in a declaration of the same file.";
    INTERPOLATED "TGSI-interpolated" Error Documented
        "%1 interpolates inputs, not %2",
        "INTERP_CENTROID, INTERP_SAMPLE and INTERP_OFFSET read an input at another position in the pixel.";
    OUTPUT_MASK "TGSI-output-mask" Warning Documented
        "%1.%2 is written, but only %1.%3 is used",
        "The depth is the z of the output POSITION, the stencil value the y of STENCIL.";
    ATOMIC_MASK "TGSI-atomic-mask" Warning Recorded
        "%1 writes .%2: without x it does nothing",
        "tgsi_exec changes memory only if x is written, and then writes the old value to every component.";
}

/// Registers of a file in `tgsi_exec`.
pub(super) const fn limit(file: File) -> Option<u32> {
    match file {
        File::Temp => Some(4096),
        File::Addr => Some(3),
        _ => None,
    }
}

struct Context {
    declared: Declared,
    /// Declared arrays.
    arrays: BTreeSet<(File, u16)>,
    /// What the outputs of a fragment program are.
    outputs: BTreeMap<i16, Semantic>,
    /// Files of which a finding was made that is made once.
    said: BTreeSet<File>,
}

/// What is wrong with instructions by themselves.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    let mut context = Context {
        declared: Declared::of(program),
        arrays: program.declarations().filter_map(|d| d.array.map(|array| (d.file, array))).collect(),
        outputs: BTreeMap::new(),
        said: BTreeSet::new(),
    };
    if program.processor == Processor::Fragment {
        for (_, d) in declarations(program).filter(|(_, d)| d.file == File::Out && d.first == d.last) {
            if let (Some(semantic), Ok(index)) = (d.semantic, i16::try_from(d.first)) {
                context.outputs.insert(index, semantic.name);
            }
        }
    }
    for (at, instruction) in instructions(program) {
        let Op::Known(op) = instruction.op else {
            if let Op::Unknown(code) = instruction.op {
                f.at(OPCODE, at, &[&code]);
            }
            continue;
        };
        let row = op.row();
        stage(program, row, at, f);
        if row.is_skipped_by_exec() {
            f.at(SKIPPED, at, &[&row.name]);
        }
        results(program, instruction, op, at, &context, f);
        sources(program, instruction, op, at, f);
        let lists =
            [program.destinations(instruction), program.sources(instruction), program.offsets(instruction)];
        for (n, operand) in lists.iter().enumerate().flat_map(|(n, list)| list.iter().map(move |o| (n, o))) {
            register(operand, at, n, &mut context, f);
        }
    }
}

fn stage(program: &Program, row: &Row, at: At, f: &mut Findings<'_>) {
    let Some(stage) = program.processor.stage() else { return };
    if row.stages != Stages::Any && !row.stages.list().contains(&stage) {
        f.at(STAGE, at, &[&row.name, &program.processor.name().unwrap_or("")]);
    }
}

/// Whether a register of the file may hold the handle of a resource.
const fn holds_handles(file: File) -> bool {
    matches!(file, File::Temp | File::In | File::Const | File::Imm | File::TempX | File::ImmX | File::Sv)
}

fn results(
    program: &Program,
    instruction: &Instruction,
    op: Opcode,
    at: At,
    context: &Context,
    f: &mut Findings<'_>,
) {
    let row = op.row();
    if instruction.saturate != 0 && matches!(row.result, Type::I32 | Type::U32 | Type::I64 | Type::U64) {
        f.at(INTEGER_SATURATE, at, &[]);
    }
    for (n, (operand, shape)) in program.destinations(instruction).iter().zip(row.shape).enumerate() {
        let mask = operand.mask.bits();
        match shape {
            Shape::Store => {
                let fits = matches!(operand.file, File::Buffer | File::Memory | File::Image | File::Res);
                if !fits && !holds_handles(operand.file) {
                    f.at(KIND, at, &[&Register(operand), &row.name, &"buffer or image"]);
                }
                continue;
            }
            _ => {
                let fits = matches!(
                    operand.file,
                    File::Out
                        | File::Temp
                        | File::Addr
                        | File::Null
                        | File::Pred
                        | File::TempX
                        | File::Unknown(_)
                );
                if !fits {
                    f.at(WRITABLE, at, &[&Register(operand), &row.name]);
                }
            }
        }
        let halves = |pair: u8| mask & pair != 0 && mask & pair != pair;
        if row.result.is_wide() && n == 0 && (halves(3) || halves(12)) {
            f.at(PAIR, at, &[&row.name, &operand.mask.letters()]);
        }
        // All of them are what a text says that says nothing.
        let too_many = reads::written(op, 0, operand.mask) != operand.mask;
        if too_many && operand.mask != WriteMask::ALL {
            f.at(NARROW, at, &[&row.name, &operand.mask.letters()]);
        }
        if row.is_atomic() && mask & 1 == 0 && operand.file != File::Null {
            f.at(ATOMIC_MASK, at, &[&row.name, &operand.mask.letters()]);
        }
        if operand.file == File::Out && operand.indirect.is_none() {
            let wanted = match context.outputs.get(&operand.index) {
                Some(Semantic::Position) => 4,
                Some(Semantic::Stencil) => 2,
                _ => 0,
            };
            if wanted != 0 && mask != wanted && mask != 0 {
                let letters = WriteMask::from_bits(wanted).letters();
                f.at(OUTPUT_MASK, at, &[&Register(operand), &operand.mask.letters(), &letters]);
            }
        }
    }
}

fn sources(program: &Program, instruction: &Instruction, op: Opcode, at: At, f: &mut Findings<'_>) {
    let row = op.row();
    let interpolates = matches!(op, Opcode::InterpCentroid | Opcode::InterpSample | Opcode::InterpOffset);
    for (n, (operand, shape)) in program.sources(instruction).iter().zip(row.source_shapes()).enumerate() {
        let handle = holds_handles(operand.file);
        let (fits, what) = match shape {
            Shape::Sampler => (handle || operand.file == File::Samp, "sampler"),
            Shape::View => (matches!(operand.file, File::Sview | File::Res), "view"),
            Shape::Resource => {
                let memory = matches!(operand.file, File::Buffer | File::Memory | File::Image | File::Res);
                (
                    memory || handle || matches!(operand.file, File::ConstBuf | File::HwAtomic),
                    "buffer or image",
                )
            }
            _ => {
                let reads = !matches!(
                    operand.file,
                    File::Samp | File::Sview | File::Image | File::Buffer | File::Memory | File::HwAtomic
                );
                if !reads && !matches!(op, Opcode::Membar | Opcode::Mfence | Opcode::Lfence | Opcode::Sfence)
                {
                    f.at(READABLE, at, &[&Register(operand)]);
                }
                value(operand, row, n, at, f);
                if interpolates && n == 0 && operand.file != File::In {
                    f.at(INTERPOLATED, at, &[&row.name, &Register(operand)]);
                }
                continue;
            }
        };
        if !fits && !matches!(operand.file, File::Unknown(_)) {
            f.at(KIND, at, &[&Register(operand), &row.name, &what]);
        }
    }
}

/// The modifiers of a source that is a value.
fn value(operand: &Operand, row: &Row, n: usize, at: At, f: &mut Findings<'_>) {
    if !operand.negate && !operand.absolute {
        return;
    }
    match row.source(n) {
        ty if ty.is_wide() => {
            let sign = if operand.absolute { "|x|" } else { "-" };
            f.at(WIDE_MODIFIER, at, &[&sign]);
        }
        Type::I32 | Type::U32 => {
            if operand.absolute {
                f.at(INTEGER_ABSOLUTE, at, &[]);
            } else if row.result == Type::F64 {
                f.at(INTEGER_NEGATE, at, &[&row.name]);
            }
        }
        _ => {}
    }
}

/// A register and its indices; `list` is 0 of destinations, 1 of sources, 2 of offsets.
fn register(operand: &Operand, at: At, list: usize, context: &mut Context, f: &mut Findings<'_>) {
    // What tgsi_sanity looks at is said by it.
    let seen = if list == 1 { operand.indirect } else { None };
    if list == 2 && operand.indirect.is_none() && !context.declared.has(operand.file, operand.index) {
        f.at(UNDECLARED, at, &[&FileName(operand.file), &operand.index]);
    }
    let others: Vec<_> = indices(operand).collect();
    for indirect in others {
        let is_first = operand.indirect.as_ref().is_some_and(|own| core::ptr::eq(own, indirect));
        let said = is_first && seen.is_some();
        if !said && !context.declared.has(indirect.file, indirect.index) {
            f.at(UNDECLARED, at, &[&FileName(indirect.file), &indirect.index]);
        }
        if indirect.file != File::Addr {
            f.at(INDEX_FILE, at, &[&FileName(indirect.file)]);
        }
        if !is_first {
            continue;
        }
        if list == 0 && operand.file == File::Temp {
            f.at(INDEX_DESTINATION, at, &[]);
        }
        if indirect.array != 0 {
            if !context.arrays.contains(&(operand.file, indirect.array)) {
                f.at(ARRAY, at, &[&FileName(operand.file), &indirect.array]);
            }
        } else if matches!(operand.file, File::Temp | File::In | File::Out)
            && context.said.insert(operand.file)
        {
            f.at(INDEX_ARRAY, at, &[&FileName(operand.file)]);
        }
    }
}
