//! From tokens to the IR: registers are renamed component by component, the types of what they hold are found, and calls
//! are written out.
//!
//! Lifting needs no validation first. What has no meaning (an instruction that no interpreter knows, a register that is
//! not declared, a conditional without end) is refused.
//!
//! | file | holds |
//! |---|---|
//! | this one | the run over the program |
//! | `options` | what lifting leaves open |
//! | `scan` | what has to be known first: declarations, the registers that are used, arrays |
//! | `types` | which registers hold floats, and which integers |
//! | `operands` | sources with their modifiers, results |
//! | `registers` | what registers hold |
//! | `interface` | inputs, outputs, system values |
//! | `machine` | flow control as `tgsi_exec` does it |
//! | `flow` | conditionals, loops, selections, subroutines |
//! | `written` | where blocks end, and what they write |
//! | `arithmetic` | 32-bit instructions |
//! | `channels`, `pack`, `wide`, `legacy` | others: see there |
//! | `convert`, `lane` | numbers to integers; small pieces of expressions |
//! | `texture`, `fragment` | textures, and what only fragments have |
//! | `vertices` | geometry and tessellation |
//! | `memory` | buffers, images, what a workgroup shares; barriers |

mod arithmetic;
mod channels;
mod convert;
mod flow;
mod fragment;
mod interface;
pub use interface::system;
mod lane;
mod legacy;
mod machine;
mod memory;
mod operands;
mod options;
mod pack;
mod registers;
mod scan;
mod texture;
mod types;
mod vertices;
mod wide;
mod written;

pub use crate::Depth;
pub use memory::image_formats;
pub use options::*;

use super::names::File;
use super::program::{Program, Token};
use crate::lift::{ControlFlow, Kit, Lane, Lanes, Refusal, Result, Store};
use crate::table::{Flow, Lift};
use alloc::format;
use alloc::vec::Vec;
use scan::{Instruction, Scan};
use texture::Textures;
use types::Webs;
use vecasm_ir::diag::{Diagnostic, Place as Where, rules};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    self, Arg, Arith, FileRole, InputId, ParamId, Pure, RegisterFile, Scalar, Shader, Value,
};
use vecasm_ir::operand::WriteMask;

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    NO_MEANING "TGSI-no-meaning" "%1"
        "A program without a defined meaning cannot be run or translated.";
    LIMIT "TGSI-lift-limit" "%1"
        "Limits keep time and memory bounded on any input: 65536 instructions after calls are inlined, 64 nested calls, 64 nested blocks, no recursion, 256 inputs, outputs and buffers.";
}

/// What a refusal is about.
#[derive(Clone, Copy)]
enum Site {
    Program,
    /// An instruction, by its number.
    Instruction(u32),
    /// The declaration of a register.
    Declaration(File, u16),
}

/// Register files, as [`Home`](ir::Home) counts them. A number goes into the brackets. Those of vertices stand behind the
/// others, from [`vertices::OF_VERTEX`] on.
const FILES: &[&str] = &["TEMP[]", "ADDR[]", "IN[]", "SV[]", "IMM[]", "PRED[]"];

/// The state of one lifting.
struct Lifter<'a> {
    options: &'a Options,
    b: Builder,
    kit: Store,
    scan: Scan<'a>,
    webs: Webs,
    /// What flow control is made of under [`Compat::TgsiExec`].
    machine: machine::Machine,
    subroutines: Vec<flow::Subroutine>,
    written: written::Written,
    /// The inputs of the shader, for those of the program.
    inputs: Vec<Option<InputId>>,
    /// What inputs and system values hold, once they are read.
    input_lanes: Vec<Option<Lanes>>,
    system_lanes: Vec<Option<Lanes>>,
    outputs: Vec<interface::OutputCells>,
    params: Vec<Option<ParamId>>,
    /// Constants that were read: buffer and number.
    constants: Vec<((u16, u32), Value)>,
    /// Immediates that were read, as what.
    immediates: Vec<((usize, Scalar), Value)>,
    arrays: Vec<Option<ir::LocalId>>,
    textures: Textures,
    memory: memory::Tables,
    /// Values that are the number of the invocation.
    invocation: Vec<Value>,
    /// Where a geometry program notes whether its primitive is open.
    is_open: Option<ir::LocalId>,
}

/// Lifts a program.
///
/// Buffers of constants are arrays of parameters `CONST`, or `CONST[2]` where a program gives their number. Inputs and
/// outputs have the names of registers, `IN[0]` and `OUT[1]`, and their [semantics](ir::Input::semantic) are words with
/// their index, `GENERIC[3]`.
///
/// # Errors
///
/// One diagnostic at the first instruction that has no meaning: see [`RULES`].
pub fn lift(program: &Program, options: &Options) -> core::result::Result<Shader, Diagnostic> {
    let at = |refusal: Refusal, site: Site| {
        let place = match site {
            // Instructions count from 1 here, and where they stand in a binary is for those who have one.
            Site::Instruction(number) => Where::Binary { offset: 0, token: Some(number.saturating_add(1)) },
            Site::Declaration(file, number) => declaration(program, file, number).unwrap_or(Where::Whole),
            Site::Program => Where::Whole,
        };
        refusal.finding().at(place)
    };
    let stage = match program.processor.stage() {
        Some(stage) => stage,
        _ => {
            return Err(at(
                Refusal::new(NO_MEANING, "programs of this stage cannot be run yet"),
                Site::Program,
            ));
        }
    };
    let whole = |refusal| at(refusal, Site::Program);
    let setup = vertices::setup(program, stage, options.compat).map_err(whole)?;
    let scan = Scan::new(program)
        .map_err(|(refusal, number)| at(refusal, number.map_or(Site::Program, Site::Instruction)))?;
    let webs = Webs::new(&scan);
    let mut b = Builder::new(stage, "tgsi", FILES, scan.code.len().min(8192) * 3);
    let zero_wins = match options.switches.zero_wins {
        ZeroWins::Program => scan.zero_wins && !options.compat.has(Fault::IeeeMath),
        ZeroWins::Always => true,
        ZeroWins::Never => false,
    };
    b.arith = if zero_wins { Arith::ZERO_WINS } else { Arith::IEEE };
    b.shader.setup = setup;
    if stage.has_vertices() {
        b.shader.files.extend(vertices::files());
    }
    b.shader.setup.early_tests = stage == ir::Stage::Fragment && scan.early_tests;
    b.shader.registers = register_files(stage, scan.immediates.len());
    memory::setup(&scan, options, &mut b).map_err(whole)?;
    let textures = Textures::new(&scan, &mut b);
    let memory = memory::Tables::new(&scan, options, &mut b).map_err(whole)?;
    let mut lifter = Lifter {
        options,
        b,
        kit: Store::new(options.depth, scan.slots.len()),
        webs,
        machine: machine::Machine::default(),
        subroutines: Vec::new(),
        written: written::Written::default(),
        inputs: alloc::vec![None; scan.inputs.len()],
        input_lanes: alloc::vec![None; scan.inputs.len()],
        system_lanes: alloc::vec![None; scan.systems.len()],
        outputs: Vec::with_capacity(scan.outputs.len()),
        params: alloc::vec![None; scan.buffers.len()],
        constants: Vec::new(),
        immediates: Vec::new(),
        arrays: alloc::vec![None; scan.arrays.len()],
        textures,
        memory,
        scan,
        invocation: Vec::new(),
        is_open: None,
    };
    match lifter.run() {
        Ok(()) => {
            let mut shader = lifter.b.finish();
            let declared = lifter.scan.inputs.iter().chain(&lifter.scan.systems);
            shader.symbols.inputs =
                declared.map(interface::semantic_name).filter(|name| !name.is_empty()).collect();
            alike_where_indexed(&mut shader);
            Ok(shader)
        }
        Err((refusal, site)) => Err(at(refusal, site)),
    }
}

/// Where a register is declared.
fn declaration(program: &Program, file: File, number: u16) -> Option<Where> {
    let declares = |token: &Token| match token {
        Token::Declaration(d) => d.file == file && (d.first..=d.last).contains(&number),
        _ => false,
    };
    let token = program.tokens.iter().position(declares)?;
    Some(Where::Binary { offset: *program.token_offsets().get(token)?, token: None })
}

/// The register files that no instruction fills.
fn register_files(stage: ir::Stage, immediates: usize) -> Vec<RegisterFile> {
    let file = |name: &'static str, role, count| RegisterFile { name: name.into(), role, count: Some(count) };
    let mut out = Vec::with_capacity(5);
    out.push(file("CONST[]", FileRole::Param, registers::CONSTANTS));
    if stage != ir::Stage::Compute {
        out.push(file("IN[]", FileRole::Input, scan::INTERFACE as u32));
    }
    out.push(file("SV[]", FileRole::Input, scan::INTERFACE as u32));
    if immediates > 0 {
        out.push(file("IMM[]", FileRole::Immediate, immediates as u32));
    }
    out.push(file("SAMP[]", FileRole::Texture, registers::SAMPLERS));
    out
}

/// Buffers that a computed number chooses between are alike: if one is written, all of its kind may be.
fn alike_where_indexed(shader: &mut Shader) {
    let mut indexed = false;
    shader.body.for_each_inst(&mut |inst| {
        let parts = inst.op.parts();
        indexed |=
            matches!((parts.place, parts.pick()), (Some(ir::op::Place::Memory(_)), ir::Pick::Index { .. }));
    });
    if indexed {
        let written: Vec<_> = shader.buffers.iter().filter(|b| b.write).map(|b| b.kind).collect();
        for buffer in &mut shader.buffers {
            buffer.write |= written.contains(&buffer.kind);
        }
    }
}

impl Kit for Lifter<'_> {
    fn split(&mut self) -> (&mut Builder, &mut Store) {
        (&mut self.b, &mut self.kit)
    }

    /// One argument out of one to four lanes, as a type; those that are nowhere are zeros.
    fn gather(&mut self, scalar: Scalar, lanes: impl Iterator<Item = Lane>) -> Arg {
        let (mut places, n) = self.kit.places(&mut self.b, scalar, lanes);
        let places = places.get_mut(..n).unwrap_or(&mut []);
        let of = |this: &Self, place: &(Value, u8)| this.b.shader.value(place.0).ty.scalar;
        let first = places.first().map_or(scalar, |place| of(self, place));
        if places.iter().all(|place| of(self, place) == first) {
            let arg = self.b.gather(places.iter().copied());
            return self.cast(arg, scalar);
        }
        // Values of several types: each as what is wanted, first.
        for place in &mut *places {
            let part = self.cast(Arg::lane(place.0, place.1), scalar);
            *place = (part.value, part.swizzle.get(0));
        }
        self.b.gather(places.iter().copied())
    }

    /// Where instructions write, under [`Fault::Masks`].
    fn effect(&mut self, op: ir::Op, args: &[Arg]) {
        let Some(exec) = self.exec() else { return self.b.effect(op, args) };
        self.b.open();
        self.b.effect(op, args);
        self.b.close_where(exec);
    }
}

impl Lifter<'_> {
    /// Runs the program, subroutines where they are called. An error comes with what it is about.
    fn run(&mut self) -> core::result::Result<(), (Refusal, Site)> {
        self.interface()?;
        let early = self.find_subroutines();
        if !self.options.compat.has(Fault::Masks) {
            self.open_main(early).map_err(|refusal| (refusal, Site::Program))?;
        }
        let mut pc = 0;
        while let Some(i) = self.scan.code.get(pc).copied() {
            self.b.step = pc as u32;
            let next = self.spend().and_then(|()| self.step(pc, &i));
            match next.map_err(|refusal| (refusal, Site::Instruction(pc as u32)))? {
                Some(next) => pc = next,
                None => break,
            }
        }
        self.geometry_end();
        self.close_main().and_then(|()| self.machine_end()).map_err(|refusal| (refusal, Site::Program))
    }

    /// Runs an instruction; gives the number of the next one, or `None` at the end of the program.
    fn step(&mut self, pc: usize, i: &Instruction<'_>) -> Result<Option<usize>> {
        if i.op.row().flow != Flow::Straight {
            self.complete(i, i.op.row().source_shapes().len())?;
            let masks = self.options.compat.has(Fault::Masks);
            return if masks { self.machine_step(pc, i) } else { self.flow(pc, i) };
        }
        if self.options.compat.has(Fault::Skipped) && i.op.row().is_skipped_by_exec() {
            return Ok(Some(pc + 1));
        }
        if self.kit.flow.dead {
            return Ok(Some(pc + 1));
        }
        let arith = self.b.arith;
        self.b.arith.precise |= i.token.precise;
        let done = self.straight(i);
        self.b.arith = arith;
        done?;
        self.mark();
        Ok(Some(pc + 1))
    }

    /// Whether an instruction has its operands.
    fn complete(&self, i: &Instruction<'_>, sources: usize) -> Result<()> {
        if i.token.predicate.is_some() {
            return Err(Refusal::new(
                NO_MEANING,
                "no instruction sets predicates, so nothing can depend on them",
            ));
        }
        let row = i.op.row();
        if i.to.len() < row.destinations() || i.from.len() < sources {
            return Err(Refusal::new(NO_MEANING, format!("{} lacks an operand", row.name)));
        }
        Ok(())
    }

    /// An instruction that is no flow control.
    fn straight(&mut self, i: &Instruction<'_>) -> Result<()> {
        let row = i.op.row();
        self.complete(i, row.sources_in(self.scan.program.dialect))?;
        let signature = types::signature(&self.scan, i);
        let mask = i.to.first().map_or(WriteMask::NONE, |to| to.mask);
        let is_wide = signature.result.is_wide() || signature.source(0).is_wide();
        // On pairs of components, such an operation is not one by lane.
        if !(is_wide && matches!(row.lift, Lift::PerComponent(_))) {
            let read = |this: &mut Self, n, needed| this.read(i, n, needed, signature.source(n));
            if let Some(value) = self.compute(&row.lift, mask, read)? {
                return self.write(i, value);
            }
        }
        let known = self.arithmetic(i, &signature)?
            || texture::instruction(self, i)?
            || memory::instruction(self, i)?
            || fragment::instruction(self, i)?
            || vertices::instruction(self, i)?
            || channels::instruction(self, i)?
            || pack::instruction(self, i)?
            || wide::instruction(self, i)?
            || legacy::instruction(self, i)?;
        if known {
            return Ok(());
        }
        Err(Refusal::new(NO_MEANING, format!("{} cannot be lifted yet", row.name)))
    }

    /// The bits of an argument as f32, i32 or u32.
    fn cast(&mut self, arg: Arg, scalar: Scalar) -> Arg {
        if self.b.shader.value(arg.value).ty.scalar == scalar {
            return arg;
        }
        let pure = match scalar {
            Scalar::I32 => Pure::AsI32,
            Scalar::U32 => Pure::AsU32,
            _ => Pure::AsF32,
        };
        let result = self.b.pure(pure, &[arg]);
        if self.invocation.contains(&arg.value) {
            self.invocation.push(result.value);
        }
        result
    }
}
