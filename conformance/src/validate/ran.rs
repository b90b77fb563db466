//! Running what a compiler of Direct3D 9 makes of our HLSL: its byte code goes through this project's reader of Direct3D 9
//! and the interpreter, beside the shader that was written.
//!
//! Inputs are matched by semantics, constants by registers, as the bindings tell them. Both sides see the same random
//! numbers and textures.
//!
//! # When results are equal
//!
//! The byte code has no division and no `pow`, and a compiler is free to reassociate. So a lane may differ by [`ERROR`] of the
//! larger number, or of 1. An invocation is open, and not compared, if a register of the original held an infinity or NaN,
//! which shader model 3.0 has not, or if it comes out differently by more than that when the original takes one of the
//! [liberties](LIBERTIES) that GPUs have: then its result hangs on the last bits of something. A program all of whose invocations are open is not compared,
//! and neither is one with coarse slopes: which ones `ddx` gives is open.

use std::collections::HashMap;

use vecasm::emit::hlsl::{BindingKind, Output};
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine as _, Outputs};
use vecasm::ir::random::Rng;
use vecasm::ir::{
    DeclUsage, Dim, Filter, InputKind, Op, OutOfRange, OutputKind, ParamArray, SamplerState, Scalar, Shader,
    Slope, System, Wrap,
};
use vecasm::isa::d3d9::bytes::decode;
use vecasm::isa::d3d9::lift::{Options, lift};
use vecasm::isa::d3d9::rules;
use vecasm::opt::{Liberty, gpu};

/// Invocations of each program: quads.
const COUNT: usize = 32;
/// How much of a lane may differ.
const ERROR: f32 = 1.0 / 1024.0;
/// Why a shader is not compared that the interpreter does not run.
const REFUSED: &str = "the interpreter refuses it";
/// The rule of Direct3D 9 against which a program needs too many registers.
const TOO_MANY: &str = "D3D9-destination-number";
/// The rule that vkd3d-shader 2.1 breaks: an instruction reads two constants. What differs then may be its mistake.
const PORT: &str = "D3D9-port";
/// What is tried with the original.
const LIBERTIES: &[Liberty] =
    &[Liberty::Contraction, Liberty::Nan, Liberty::Zero, Liberty::Above, Liberty::Below];

/// What came of a run.
pub(super) enum Ran {
    /// It gave what the interpreter gives.
    Equal,
    /// It cannot be compared, and why.
    Not(&'static str),
    Differs(String),
}

/// The semantic of an input or output, in capitals and with its number.
fn semantic(of_source: &str, kind: Kind) -> Option<String> {
    let numbered = |text: &str| {
        let text = text.to_ascii_uppercase();
        if text.ends_with(|c: char| c.is_ascii_digit()) { text } else { text + "0" }
    };
    Some(match kind {
        Kind::Place(_) if DeclUsage::of_semantic(of_source).is_some() => numbered(of_source),
        Kind::Place(location) => format!("TEXCOORD{location}"),
        Kind::Position => "POSITION0".into(),
        Kind::Size => "PSIZE0".into(),
        Kind::Color(target) => format!("COLOR{target}"),
        Kind::Depth => "DEPTH0".into(),
        Kind::System(System::FragCoord) => "VPOS0".into(),
        Kind::System(System::FrontFacing) => "VFACE0".into(),
        Kind::System(_) => return None,
    })
}

/// What is matched.
enum Kind {
    Place(u32),
    Position,
    Size,
    Color(u32),
    Depth,
    System(System),
}

fn of_input(kind: InputKind) -> Option<Kind> {
    match kind {
        InputKind::Attribute { location } | InputKind::Varying { location } => Some(Kind::Place(location)),
        InputKind::System(system) => Some(Kind::System(system)),
        InputKind::PatchVarying { .. } => None,
    }
}

fn of_output(kind: OutputKind) -> Option<Kind> {
    match kind {
        OutputKind::Varying { location } => Some(Kind::Place(location)),
        OutputKind::Position => Some(Kind::Position),
        OutputKind::PointSize => Some(Kind::Size),
        OutputKind::Color { target } => Some(Kind::Color(target)),
        OutputKind::Depth => Some(Kind::Depth),
        _ => None,
    }
}

/// Runs both.
pub(super) fn compare(shader: &Shader, output: &Output, code: &[u8]) -> Ran {
    let program = match decode(code) {
        Ok(program) => program,
        Err(why) => return Ran::Differs(format!("the byte code is none: {why}")),
    };
    let findings = rules::validate(&program, &rules::Options::default());
    if let Some(finding) = findings.iter().find(|finding| finding.id == TOO_MANY) {
        return Ran::Differs(format!("there are too few registers: {finding}"));
    }
    let made = match lift(&program, &Options::default()) {
        Ok(made) => made,
        Err(why) => return Ran::Differs(format!("the byte code is refused: {why}")),
    };
    let (textures, made_textures) = (textures(shader, shader), textures(&made, shader));
    if is_open(shader) {
        return Ran::Not("it has coarse slopes or reads outside of what there is");
    }
    let mut first = batch(shader);
    let Some(mut second) = translated(shader, &first, output, &made) else {
        return Ran::Not("its inputs or outputs are not matched by semantics");
    };
    first.textures = bound(&textures);
    second.textures = bound(&made_textures);
    let mut open = [false; COUNT];
    let expected = Interp.run_watched(shader, &first, &mut |event| {
        for (values, _) in
            event.values.iter().zip(event.scalars).filter(|(_, scalar)| **scalar == Scalar::F32)
        {
            for (n, value) in values.iter().enumerate().filter(|(n, _)| event.absent.get(*n) == Some(&None)) {
                open[event.first + n] |= value.iter().any(|lane| !f32::from_bits(*lane).is_finite());
            }
        }
    });
    let Ok(expected) = expected else { return Ran::Not(REFUSED) };
    let got = match Interp.run(&made, &second) {
        Ok(got) => got,
        Err(why) => return Ran::Differs(format!("the byte code does not run: {why}")),
    };
    if expected.exhausted.contains(&true) {
        return Ran::Not("it runs out of fuel");
    }
    for liberty in LIBERTIES {
        let Some(other) = gpu(shader, *liberty, None) else { continue };
        let Ok(other) = Interp.run(&other, &first) else { return Ran::Not(REFUSED) };
        for (n, open) in open.iter_mut().enumerate() {
            *open |= expected.killed.get(n) != other.killed.get(n)
                || (0..shader.outputs.len()).any(|i| {
                    let (want, got) = (expected.cells[i][n], other.cells[i][n]);
                    (0..4).any(|lane| !is_close(got[lane], want[lane]))
                });
        }
    }
    for n in (0..COUNT).filter(|n| !open[*n]) {
        if let Err(why) = same(shader, (&expected, n), &made, &got) {
            if findings.iter().any(|finding| finding.id == PORT) {
                return Ran::Not("it differs where vkd3d-shader breaks a rule");
            }
            return Ran::Differs(format!("invocation {n}: {why}"));
        }
    }
    if open.iter().all(|open| *open) { Ran::Not("all its invocations are open") } else { Ran::Equal }
}

/// Whether an invocation has the results of the byte code.
fn same(
    shader: &Shader,
    (expected, n): (&Outputs, usize),
    made: &Shader,
    got: &Outputs,
) -> Result<(), String> {
    let killed = [expected, got].map(|run| run.killed.get(n) == Some(&true));
    if killed[0] != killed[1] {
        return Err(format!("discarded {}, not {}", killed[1], killed[0]));
    }
    if killed[0] {
        return Ok(());
    }
    for (output, cells) in shader.outputs.iter().zip(&expected.cells) {
        let Some(name) = of_output(output.kind).and_then(|kind| semantic(&output.semantic, kind)) else {
            continue;
        };
        let want = cells[n];
        let lanes = if matches!(name.as_str(), "DEPTH0" | "PSIZE0") { 1 } else { 4 };
        let there = made.outputs.iter().position(|other| {
            of_output(other.kind).and_then(|kind| semantic(&other.semantic, kind)).as_ref() == Some(&name)
        });
        let got = there.map_or(output.init, |there| got.cells[there][n]);
        for lane in 0..lanes {
            // What is no number there is open.
            if f32::from_bits(want[lane]).is_finite() && !is_close(got[lane], want[lane]) {
                let (got, want) = (f32::from_bits(got[lane]), f32::from_bits(want[lane]));
                return Err(format!("{} lane {lane} is {got:?}, not {want:?}", output.name));
            }
        }
    }
    Ok(())
}

/// Whether two lanes are near each other.
fn is_close(got: u32, want: u32) -> bool {
    let (got, want) = (f32::from_bits(got), f32::from_bits(want));
    let scale = want.abs().max(got.abs()).max(1.0);
    got.to_bits() == want.to_bits() || (got - want).abs() <= scale * ERROR
}

/// Textures as they are bound.
fn bound(textures: &[Texture]) -> Vec<Option<BoundTexture<'_>>> {
    let sampler = SamplerState::PLAIN.with_wrap(Wrap::Repeat).with_filter(Filter::Linear);
    textures.iter().map(|texture| Some(BoundTexture { texture, sampler })).collect()
}

/// Whether the IR leaves open what comes out.
fn is_open(shader: &Shader) -> bool {
    let mut open = false;
    shader.body.for_each_inst(&mut |inst| {
        open |= inst.op.outside() == Some(OutOfRange::Undefined);
        // The byte code has fine ones.
        open |= matches!(inst.op, Op::Ddx(Slope::Coarse) | Op::Ddy(Slope::Coarse));
    });
    open
}

/// Random values that are tame.
fn batch(shader: &Shader) -> Batch<'static> {
    let mut rng = Rng::new(shader.values.len() as u64);
    let mut word = |scalar: Scalar| match scalar {
        Scalar::F32 => ((rng.below(4001) as f32 - 1600.0) / 512.0).to_bits(),
        Scalar::Bool => rng.bits() & 1,
        _ => (rng.below(12) as u32).wrapping_sub(3),
    };
    let mut inputs: Vec<Vec<[u32; 4]>> = Vec::new();
    for input in &shader.inputs {
        let mut column: Vec<[u32; 4]> = (0..COUNT).map(|_| [(); 4].map(|()| word(input.ty.scalar))).collect();
        if input.kind == InputKind::System(System::FragCoord) {
            // The centres of pixels, in quads; VPOS has no more than the place.
            for (n, place) in column.iter_mut().enumerate() {
                let (x, y) = (n / 4 * 2 + n % 2, n / 2 % 2);
                *place = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0].map(f32::to_bits);
            }
        }
        inputs.push(column);
    }
    // Inputs of one location are one.
    for i in 0..shader.inputs.len() {
        if let Some(j) = (0..i).find(|j| shader.inputs[*j].kind == shader.inputs[i].kind) {
            inputs[i] = inputs[j].clone();
        }
    }
    let params =
        shader.params.iter().map(|p| (0..p.size).map(|_| [(); 4].map(|()| word(p.scalar))).collect());
    let params = params.collect();
    let states = shader.states.iter().map(|s| Some([(); 4].map(|()| word(s.ty.scalar)))).collect();
    Batch { count: COUNT, inputs, params, states, fuel: Some(10_000), ..Batch::default() }
}

/// What was given, as the byte code takes it; `None` if something cannot be given so.
fn translated(shader: &Shader, given: &Batch<'_>, output: &Output, made: &Shader) -> Option<Batch<'static>> {
    let mut by_name = HashMap::new();
    for (input, column) in shader.inputs.iter().zip(&given.inputs) {
        let column = column.iter().map(|value| {
            let mut value = *value;
            if input.kind == InputKind::System(System::FrontFacing) {
                value[0] = u32::from(value[0] != 0);
            }
            value
        });
        by_name.insert(semantic(&input.semantic, of_input(input.kind)?)?, column.collect::<Vec<[u32; 4]>>());
    }
    let mut inputs = Vec::new();
    for input in &made.inputs {
        let name = semantic(&input.semantic, of_input(input.kind)?)?;
        inputs.push(by_name.get(&name)?.clone());
    }
    // Everything that the host gives, as floats in c registers.
    let mut registers: HashMap<u32, [u32; 4]> = HashMap::new();
    let float = |scalar: Scalar, bits: u32| match scalar {
        Scalar::I32 => (bits as i32 as f32).to_bits(),
        Scalar::Bool | Scalar::U32 => (bits as f32).to_bits(),
        _ => bits,
    };
    let identifier = |name: &str| -> String { name.chars().filter(char::is_ascii_alphanumeric).collect() };
    for binding in &output.bindings {
        match binding.kind {
            BindingKind::Constants { elements, scalar, .. } => {
                // One with a name of its own is a part of its array.
                let of = |name: &str, p: &ParamArray| {
                    let rest = name.strip_prefix(p.name.as_str());
                    rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
                };
                let part = output.constants.iter().find(|constant| constant.binding == binding.name);
                let (at, first) = match part {
                    Some(part) if part.name == binding.name => {
                        (shader.params.iter().position(|p| of(&part.register, p))?, part.first)
                    }
                    _ => {
                        let same = |p: &ParamArray| identifier(&p.name) == identifier(&binding.name);
                        (shader.params.iter().position(same)?, 0)
                    }
                };
                let values = given.params[at].iter().skip(first as usize);
                for (n, value) in values.take(elements as usize).enumerate() {
                    registers.insert(binding.place.number + n as u32, value.map(|bits| float(scalar, bits)));
                }
            }
            BindingKind::State { number, .. } => {
                let scalar = shader.states.get(number as usize)?.ty.scalar;
                let value = given.states.get(number as usize).copied().flatten()?;
                registers.insert(binding.place.number, value.map(|bits| float(scalar, bits)));
            }
            BindingKind::Sampler { .. } => {}
            _ => return None,
        }
    }
    let params = made.params.iter().map(|p| {
        (0..p.size)
            .map(|n| {
                if p.scalar == Scalar::F32 { registers.get(&n).copied() } else { None }.unwrap_or_default()
            })
            .collect()
    });
    let params = params.collect();
    Some(Batch { count: COUNT, inputs, params, fuel: Some(100_000), ..Batch::default() })
}

/// By texture of a shader: one for its slot. The byte code has no lines, so a line there is what `first` has.
fn textures(shader: &Shader, first: &Shader) -> Vec<Texture> {
    let one = |slot: u32, dim: Dim| {
        let line = first.textures.iter().any(|t| t.sampler_slot == slot && t.dim == Dim::D1);
        texture(slot, dim, if line { 1 } else { 4 })
    };
    shader.textures.iter().filter_map(|texture| one(texture.sampler_slot, texture.dim)).collect()
}

/// A texture with numbers of its slot and of places.
fn texture(slot: u32, dim: Dim, rows: u32) -> Option<Texture> {
    let rows = if dim == Dim::D1 { 1 } else { rows };
    let slices = match dim {
        Dim::Cube => 6,
        Dim::D3 => 4,
        _ => 1,
    };
    let mut texels = Vec::new();
    for slice in 0..slices {
        for (y, x) in (0..rows).flat_map(|y| (0..4).map(move |x| (y, x))) {
            let at = (slot * 7 + slice * 5 + y * 3 + x) as f32;
            texels.push([0.0, 0.3, 0.6, 0.9].map(|lane: f32| ((at * 0.37 + lane).fract()).to_bits()));
        }
    }
    let depth = if dim == Dim::D3 { 4 } else { 1 };
    let extent = Extent { depth, ..Extent::new(4, rows) };
    Texture::new(dim, Scalar::F32, extent, vec![texels]).ok()
}
