//! From tokens to the IR: registers are renamed lane by lane, calls are written out, and the numerics of the hardware are
//! chosen.
//!
//! Lifting needs no validation first. What has no meaning at all (a word that is no instruction, a register outside its
//! file, a conditional without end) is refused; everything else is given the meaning that documentation, Windows and
//! peers give it, and where those differ, a [switch](Switches) chooses.
//!
//! | file | holds |
//! |---|---|
//! | this one | the run over the program |
//! | `options` | what lifting leaves open |
//! | `scan` | what has to be known first: declarations, definitions, labels, what loops write |
//! | `operands` | the parameters of an instruction: sources with their modifiers, results with theirs |
//! | `registers` | what registers hold: temporaries, inputs, outputs, constants |
//! | `arithmetic` | the instructions that compute |
//! | `flow` | conditionals, loops, subroutines |
//! | `texture` | where textures are read |
//! | `sampling` | texture instructions, from their parameters |
//! | [`tail`] | state outside the shaders, and what is done to results as they leave |
//! | [`link`] | which location a varying has |

mod arithmetic;
mod flow;
pub mod link;
mod operands;
mod options;
mod registers;
mod sampling;
mod scan;
pub mod tail;
mod texture;

pub use crate::Depth;
pub use options::*;
pub use tail::Pipeline;

use super::program::{Program, Stage, Version};
use super::registers::RegType;
use super::table::Opcode;
use crate::lift::{ControlFlow, Kit, Lanes, Refusal, Result, Store};
use crate::table::{Lift, Shape};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use operands::{Instruction, Pending};
use scan::Scan;
use vecasm_ir::diag::{Diagnostic, Place as Where, rules};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{self, Arith, DeclUsage, FileRole, ParamId, RegisterFile, Scalar, Shader, Value};
use vecasm_ir::operand::WriteMask;

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    VERSION "D3D9-lift-version" "%1"
        "The meaning of an instruction depends on the model, and shaders have no such model.";
    INSTRUCTION "D3D9-lift-instruction" "%1"
        "The word begins no instruction, no model of the stage has the instruction, or the parameters match none of its forms.";
    REGISTER "D3D9-lift-register" "%1"
        "No model of the stage has the register here, or it cannot be read or written in this way.";
    FLOW "D3D9-lift-flow" "%1"
        "Control flow must nest, labels must exist, and break must be inside a loop.";
    TEXTURE "D3D9-lift-texture" "%1"
        "The texture instruction needs matrix rows that no instruction before it gives.";
    LIMIT "D3D9-lift-limit" "%1"
        "These limits bound time and memory: 65536 instructions after inlining calls, calls and blocks nested 64 deep, no recursion.";
}

/// Register files, as [`Home`](ir::Home) counts them.
const VERTEX_FILES: &[&str] = &["r", "c", "v", "t", "a0", "p0", "aL", "i", "b", "o"];
const PIXEL_FILES: &[&str] = &["r", "c", "v", "t", "a0", "p0", "aL", "i", "b", "oC"];

/// The parameter arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Constants {
    Float,
    Int,
    Bool,
}

impl Constants {
    /// The type of their lanes.
    const fn scalar(self) -> Scalar {
        match self {
            Self::Float => Scalar::F32,
            Self::Int => Scalar::I32,
            Self::Bool => Scalar::Bool,
        }
    }
}

/// The state of one lifting.
struct Lifter<'a> {
    options: &'a Options,
    version: Version,
    b: Builder,
    kit: Store,
    scan: Scan<'a>,
    /// Of the loops that are open.
    counters: Vec<flow::Counter>,
    inputs: Vec<(registers::InputKey, Lanes)>,
    /// Constants of each kind that were read, by their numbers.
    constants: [Vec<(u16, Value)>; 3],
    params: [Option<ParamId>; 3],
    outputs: Vec<registers::OutputCell>,
    textures: texture::Textures,
    /// Whether the present instruction is part of a pair.
    paired: bool,
    /// What the halves of a pair write.
    pending: Vec<Pending>,
    /// The lanes, before the swizzle, that are taken of a source that is read whole.
    taken: WriteMask,
}

/// Lifts a program.
///
/// Constants are arrays of parameters `c`, `i` and `b` (of a boolean one lane x counts). What the program defines
/// overrides them. Inputs and outputs have the names of registers; where several usages share a register, its components
/// stand behind: `v1.zw`. Their [semantics](ir::Input::semantic) are usages with their index, those of models before 3.0
/// as fixed functions have them: see [`link`].
///
/// # Errors
///
/// One diagnostic at the first instruction that has no meaning: see [`RULES`].
pub fn lift(program: &Program, options: &Options) -> core::result::Result<Shader, Diagnostic> {
    let at = |refusal: Refusal, instruction: Option<(u32, u32)>| {
        let place = match instruction {
            Some((word, number)) => {
                Where::Binary { offset: word.saturating_mul(4), token: Some(number.saturating_add(1)) }
            }
            None => Where::Whole,
        };
        refusal.finding().at(place)
    };
    let version = program.version();
    let known = version.known_stage().is_some() && (1..=3).contains(&version.major());
    if !known {
        let what = format!("{:08x} is not a version of a shader", version.0);
        return Err(at(Refusal::new(VERSION, what), None));
    }
    let scan = Scan::new(program).map_err(|(refusal, place)| at(refusal, Some(place)))?;
    let (stage, files) = match version.stage() {
        Stage::Vertex => (ir::Stage::Vertex, VERTEX_FILES),
        Stage::Pixel => (ir::Stage::Fragment, PIXEL_FILES),
    };
    let mut b = Builder::new(stage, "d3d9", files, scan.code.len().min(8192) * 3);
    let rule = match options.numerics {
        Numerics::D3d9 => Arith::ZERO_WINS,
        Numerics::Ieee => Arith::IEEE,
    };
    b.arith = Arith { flush: options.switches.denormals == Denormals::Flush, ..rule };
    b.shader.registers = register_files(version, options);
    let mut textures = texture::Textures::default();
    for &(sampler, kind) in &scan.samplers {
        textures.declare(sampler, kind);
    }

    let mut lifter = Lifter {
        options,
        version,
        b,
        kit: Store::new(options.depth, registers::REGISTERS),
        scan,
        counters: Vec::new(),
        inputs: Vec::new(),
        constants: Default::default(),
        params: [None; 3],
        outputs: Vec::new(),
        textures,
        paired: false,
        pending: Vec::new(),
        taken: WriteMask::ALL,
    };
    let done = lifter.run();
    let Lifter { b, scan, .. } = lifter;
    match done {
        Ok(()) => {
            let mut shader = b.finish();
            shader.symbols.inputs = scan.declared.iter().filter_map(|one| meaning(version, one)).collect();
            Ok(shader)
        }
        Err((refusal, pc)) => {
            let code = scan.code.get(pc).or(scan.code.last());
            Err(at(refusal, code.map(|code| (code.word, code.number))))
        }
    }
}

/// The meaning of an input that is declared.
fn meaning(version: Version, declared: &scan::Declared) -> Option<String> {
    let old = version.stage() == Stage::Pixel && version.major() < 3;
    let (usage, index) = match declared.ty {
        RegType::Input if old => (DeclUsage::Color.code(), declared.number as u8),
        RegType::AddrOrTexture if old => (DeclUsage::TexCoord.code(), declared.number as u8),
        RegType::Input => (declared.usage.usage(), declared.usage.index()),
        _ => return None,
    };
    Some(link::semantic(usage, index))
}

/// The register files that are filled from outside.
fn register_files(version: Version, options: &Options) -> Vec<RegisterFile> {
    let file = |name: &'static str, role, count| RegisterFile { name: name.into(), role, count: Some(count) };
    let mut out = Vec::with_capacity(6);
    out.push(file("c", FileRole::Param, registers::float_constants(version, options)));
    if version.major() >= 2 {
        let count = registers::other_constants(version);
        out.push(file("i", FileRole::Param, count));
        out.push(file("b", FileRole::Param, count));
    }
    out.push(file("v", FileRole::Input, registers::INPUTS));
    if version.stage() == Stage::Pixel && version.major() < 3 {
        out.push(file("t", FileRole::Input, registers::COORDINATES));
    }
    if version.stage() == Stage::Pixel || version.major() >= 3 {
        out.push(file("s", FileRole::Texture, registers::SAMPLERS));
    }
    out
}

impl Kit for Lifter<'_> {
    fn split(&mut self) -> (&mut Builder, &mut Store) {
        (&mut self.b, &mut self.kit)
    }
}

impl Lifter<'_> {
    /// Runs the program, subroutines where they are called. An error comes with the place of the instruction.
    fn run(&mut self) -> core::result::Result<(), (Refusal, usize)> {
        let early = self.scan.sections.first().is_some_and(|main| main.early);
        self.open_main(early).map_err(|refusal| (refusal, 0))?;
        // Before any of them is read in another way.
        for pc in 0..self.scan.code.len() {
            let slopes = self.scan.code.get(pc).copied().filter(|code| code.op == Opcode::Texldd);
            let sampler = slopes.and_then(|code| self.decode(code).ok()?.source(1).ok());
            if let Some(sampler) =
                sampler.filter(|operand| operand.source.reg_type() == Some(RegType::Sampler))
            {
                self.textures.read_with_slopes(sampler.source.number());
            }
        }
        let mut pc = 0;
        while let Some(code) = self.scan.code.get(pc).copied() {
            self.b.step = code.number;
            let next = self.step(pc, code).map_err(|refusal| (refusal, pc))?;
            self.spend().map_err(|refusal| (refusal, pc))?;
            match next {
                Some(next) => pc = next,
                None => break,
            }
        }
        self.b.step = self.scan.code.get(pc).or(self.scan.code.last()).map_or(0, |code| code.number);
        self.close_main().map_err(|refusal| (refusal, pc))?;
        self.results();
        Ok(())
    }

    /// Runs an instruction; gives the place of the next one, or `None` at the end of the program.
    fn step(&mut self, pc: usize, code: scan::Code) -> Result<Option<usize>> {
        if code.op.row().flow != crate::table::Flow::Straight {
            return self.flow(pc, code);
        }
        if self.kit.flow.dead {
            return Ok(Some(pc + 1));
        }
        let instruction = self.decode(code)?;
        let next_paired =
            self.scan.code.get(pc + 1).is_some_and(|next| next.coissued && self.version.major() < 2);
        self.paired = next_paired || (code.coissued && self.version.major() < 2);
        self.straight(&instruction)?;
        if !next_paired {
            self.paired = false;
            self.write_pending();
        }
        self.mark();
        Ok(Some(pc + 1))
    }

    /// An instruction that is no flow control.
    fn straight(&mut self, i: &Instruction) -> Result<()> {
        use vecasm_ir::ir::Pure;
        let mask = i.mask();
        let arithmetic = i.op.row().unit == super::table::Unit::Arithmetic;
        if arithmetic && mask == WriteMask::NONE && i.form.shape.first() == Some(&Shape::Dst) {
            return Ok(());
        }
        match i.op.row().lift {
            Lift::PerComponent(Pure::Min | Pure::Max)
                if self.options.switches.min_max_nan == MinMaxNan::Second =>
            {
                self.second_of_nan(i)
            }
            Lift::Replicate(Pure::Rcp, _) => {
                let a = self.scalar(i, 0)?;
                let result = self.b.pure(Pure::Rcp, &[a]);
                let result = self.pole(result);
                self.write_same(i, result)
            }
            Lift::PerComponent(_) | Lift::Set(_) | Lift::Replicate(..) => {
                let read = |this: &mut Self, n, needed| this.read(i, n, needed);
                let Some(value) = self.compute(&i.op.row().lift, mask, read)? else { return Ok(()) };
                self.write(i, mask, value)
            }
            Lift::Custom(()) => match i.op {
                Opcode::Nop | Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb | Opcode::Phase => {
                    Ok(())
                }
                op if op.row().unit == super::table::Unit::Texture => self.texture_instruction(i),
                _ => self.arithmetic(i),
            },
            Lift::Reserved => {
                Err(Refusal::new(INSTRUCTION, format!("{} has no meaning in any model", i.form.name)))
            }
        }
    }
}
