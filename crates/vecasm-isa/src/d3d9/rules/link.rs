//! A vertex and a pixel program that are used together.
//!
//! Source: Microsoft's page on shader model 3 ("Match Semantics"), and the page vs-registers-output for what earlier models
//! have instead of semantics. Direct3D looks at a pair when something is drawn, not when programs are created.

use super::code::Code;
use super::findings::{Findings, rules};
use super::options::{Options, Profile};
use super::validate;
use crate::any::PairFindings;
use crate::d3d9::program::{Program, Stage, Version};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::d3d9::text::version_name;
use crate::d3d9::usages::{self, USAGES};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::operand::LANES;

rules! {
    pub(in crate::d3d9) const RULES; const;

    STAGES "D3D9-link-stages" Error Documented
        "%1 is not a %2 shader",
        "A pair is a vertex shader and a pixel shader.";
    MODELS "D3D9-link-models" Error Documented
        "%1 and %2 cannot be used together",
        "vs_3_0 and ps_3_0 can only be used with each other; vs_3_sw may feed any pixel shader. Page shader-model-3.";
    FVF "D3D9-link-fvf" Error Documented
        "a pixel shader before 3.0 cannot read the output %1",
        "The outputs of vs_3_sw for an earlier pixel shader are those of a flexible vertex format: position, point size, fog, two colours, eight texture coordinates. Page shader-model-3.";
    MISSING "D3D9-link-missing" Error Documented
        "%1 is an input of the pixel shader but not an output of the vertex shader",
        "Every input of ps_3_0 is an output of the vertex shader. Page shader-model-3.";
    COMPONENTS "D3D9-link-components" Error Documented
        "the pixel shader reads %1.%2, the vertex shader outputs .%3",
        "An input of ps_3_0 may only have components that the output has. Page shader-model-3.";
    PACKING "D3D9-link-packing" Error Documented
        "%1 and %2 share a register only in the %3 shader",
        "Usages that share a register in one shader must share one in the other. Page shader-model-3.";
    COLOUR "D3D9-link-colour" Warning Documented
        "%1 shares a register with a colour",
        "A register with a colour is flat-shaded where colours are; other usages in it are then undefined. Page shader-model-3.";
    UNWRITTEN "D3D9-link-unwritten" Warning Documented
        "the pixel shader reads %1.%2, but the vertex shader does not write it",
        "Before 3.0 v0 and v1 are oD0 and oD1, t0 to t7 are oT0 to oT7; up to ps_1_3 a texture instruction reads the coordinates of its stage. Page vs-registers-output and those of the instructions. Fog does not depend on the pair: oFog is used if fog is on.";
}

/// Every finding about two programs that are used together: those of each, and of what goes from one to the other.
///
/// Only Direct3D itself links: for the profiles of other implementations there are no findings about the two together.
pub fn check_pair(vertex: &Program, pixel: &Program, options: &Options) -> PairFindings {
    PairFindings {
        vertex: validate(vertex, options),
        fragment: validate(pixel, options),
        linkage: link(vertex, pixel, options),
    }
}

/// The findings about two programs together, without those of each.
pub fn link(vertex: &Program, pixel: &Program, options: &Options) -> Vec<Diagnostic> {
    let mut f = Findings::new(pixel.version());
    if matches!(options.profile, Profile::D3d9 | Profile::D3d8) {
        pair(vertex, pixel, &mut f);
    }
    f.finish()
}

fn pair(vertex: &Program, pixel: &Program, f: &mut Findings) {
    let mut fits = true;
    for (program, stage, word) in [(vertex, Stage::Vertex, "vertex"), (pixel, Stage::Pixel, "pixel")] {
        if program.version().known_stage() != Some(stage) {
            f.at_program(STAGES, &[&name(program.version()), &word]);
            fits = false;
        }
    }
    if !fits {
        return;
    }
    let (v, p) = (vertex.version(), pixel.version());
    let (from, to) = (Code::new(vertex), Code::new(pixel));
    match (v.major() >= 3, p.major() >= 3) {
        (true, true) => semantics(&declared(&from, RegType::Output), &declared(&to, RegType::Input), f),
        (false, false) => registers(&from, &to, f),
        (true, false) if v.minor() == 0xff => {
            for output in declared(&from, RegType::Output).iter().filter(|output| !output.is_fvf()) {
                f.at_program(FVF, &[&output.name()]);
            }
        }
        _ => f.at_program(MODELS, &[&name(v), &name(p)]),
    }
}

/// The name of a model, or its token if it is none.
fn name(version: Version) -> String {
    match version.known_stage() {
        Some(_) => version_name(version),
        None => format!("0x{:08x}", version.0),
    }
}

/// A declared input or output.
#[derive(Clone, Copy, Debug)]
struct Declared {
    usage: u8,
    index: u8,
    number: u16,
    mask: u8,
}

impl Declared {
    fn same(self, other: Self) -> bool {
        (self.usage, self.index) == (other.usage, other.index)
    }

    fn word(self) -> &'static str {
        usages::name(self.usage).unwrap_or("usage")
    }

    fn name(self) -> String {
        format!("{}{}", self.word(), self.index)
    }

    /// Whether a flexible vertex format has it.
    fn is_fvf(self) -> bool {
        USAGES.get(usize::from(self.usage)).is_some_and(|row| self.index < row.fvf)
    }
}

/// Declarations of one file; the first of each usage.
fn declared(code: &Code<'_>, file: RegType) -> Vec<Declared> {
    let mut out: Vec<Declared> = Vec::new();
    for i in code.instructions().filter(|i| i.is(Opcode::Dcl)) {
        let (Some(write), Some(usage)) = (i.write, i.usage) else { continue };
        let Some(register) = write.register.filter(|register| register.ty == file) else { continue };
        let row = Declared {
            usage: usage.usage(),
            index: usage.index(),
            number: register.number,
            mask: write.mask().bits(),
        };
        // There are 32 codes of usages with 16 indices each, so that this ends soon.
        if !out.iter().any(|other| other.same(row)) {
            out.push(row);
        }
    }
    out
}

/// Models 3.0: usages.
fn semantics(outputs: &[Declared], inputs: &[Declared], f: &mut Findings) {
    let output_of = |input: Declared| outputs.iter().copied().find(|output| output.same(input));
    let mut pairs = Vec::new();
    for input in inputs {
        let Some(output) = output_of(*input) else {
            f.at_program(MISSING, &[&input.name()]);
            continue;
        };
        if input.mask & !output.mask != 0 {
            f.at_program(COMPONENTS, &[&input.name(), &letters(input.mask), &letters(output.mask)]);
        }
        pairs.push((output, *input));
    }
    for (n, (output, input)) in pairs.iter().enumerate() {
        for (other_output, other_input) in pairs.iter().skip(n + 1) {
            let in_vertex = output.number == other_output.number;
            if in_vertex != (input.number == other_input.number) {
                let which = if in_vertex { "vertex" } else { "pixel" };
                f.at_program(PACKING, &[&input.name(), &other_input.name(), &which]);
            }
        }
    }
    for output in outputs.iter().filter(|output| output.word() != "color") {
        if outputs.iter().any(|other| other.number == output.number && other.word() == "color") {
            f.at_program(COLOUR, &[&output.name()]);
        }
    }
}

/// Registers of models before 3.0: two colours, eight coordinates.
#[derive(Default)]
struct Lanes {
    colours: [u8; 2],
    coordinates: [u8; 8],
}

impl Lanes {
    fn add(&mut self, colour: bool, number: u16, lanes: u8) {
        let file: &mut [u8] = if colour { &mut self.colours } else { &mut self.coordinates };
        if let Some(slot) = file.get_mut(usize::from(number)) {
            *slot |= lanes;
        }
    }
}

/// Which coordinates a texture instruction reads up to ps_1_3: how many stages before its own, and which components.
///
/// One component stands for as many as the texture has dimensions, which nothing says here. Pages of the instructions.
const fn stage_lanes(op: Opcode) -> &'static [(u16, u8)] {
    use Opcode as O;
    match op {
        O::Tex | O::Texcoord | O::Texkill => &[(0, 1)],
        O::Texbem | O::Texbeml => &[(0, 3)],
        O::Texm3x2pad | O::Texm3x2tex | O::Texm3x2depth | O::Texm3x3pad | O::Texm3x3tex => &[(0, 7)],
        O::Texm3x3spec | O::Texm3x3 | O::Texdp3 | O::Texdp3tex => &[(0, 7)],
        // The eye is in the fourth components.
        O::Texm3x3vspec => &[(0, 15), (1, 15), (2, 15)],
        _ => &[],
    }
}

/// Models before 3.0: registers.
fn registers(from: &Code<'_>, to: &Code<'_>, f: &mut Findings) {
    let mut written = Lanes::default();
    for i in from.instructions() {
        let Some((register, mask)) = i.write.and_then(|write| Some((write.register?, i.written()))) else {
            continue;
        };
        if matches!(register.ty, RegType::AttrOut | RegType::Output) {
            written.add(register.ty == RegType::AttrOut, register.number, mask.bits());
        }
    }
    let mut read = Lanes::default();
    let early = to.version.number() < 0x0104;
    for i in to.instructions() {
        for operand in i.reads() {
            let Some(register) = operand.register else { continue };
            match register.ty {
                RegType::Input => read.add(true, register.number, operand.lanes.bits()),
                // Up to ps_1_3 these are results of texture instructions.
                RegType::AddrOrTexture if !early => read.add(false, register.number, operand.lanes.bits()),
                _ => {}
            }
        }
        let stage = i.write.and_then(|write| write.register);
        let stage = stage.or(i.reads().first().and_then(|operand| operand.register));
        let stage = stage.filter(|register| early && register.ty == RegType::AddrOrTexture);
        if let (Some(op), Some(register)) = (i.op, stage) {
            for (back, lanes) in stage_lanes(op) {
                if let Some(number) = register.number.checked_sub(*back) {
                    read.add(false, number, *lanes);
                }
            }
        }
    }
    let colours = ('v', &read.colours[..], &written.colours[..]);
    let coordinates = ('t', &read.coordinates[..], &written.coordinates[..]);
    for (letter, read, written) in [colours, coordinates] {
        for (number, (read, written)) in read.iter().zip(written).enumerate() {
            let missing = read & !written;
            if missing != 0 {
                f.at_program(UNWRITTEN, &[&format_args!("{letter}{number}"), &letters(missing)]);
            }
        }
    }
}

/// The letters of some components.
pub(super) fn letters(mask: u8) -> String {
    LANES.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0).map(|(_, letter)| *letter).collect()
}
