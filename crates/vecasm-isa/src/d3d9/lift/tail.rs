//! What Direct3D does around the stages: state outside the shaders, as state values.
//!
//! A shader has no say in fog, the alpha test, user clip planes, the point of a pixel that its centre is, and points.
//! [`Pipeline`] chooses which of them are built into a lifted shader; none of them, if nobody asks, and then nothing of
//! it is in the shader. What is built reads [state values](vecasm_ir::ir::State), whose defaults are those of a new device,
//! so that a part that is built and not set changes nothing.
//! `specialize` takes out again what a target does not need.

use super::super::program::Version;
use super::Options;
use super::link::{CLIP_LOCATION, FOG_LOCATION, POINT_SIZE_LOCATION, location};
use crate::lift::pick;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Arith, DeclUsage, Input, InputKind, Op, Output, OutputId, OutputKind, Pure, Scalar, State, StateId,
    System, Tail, Type,
};
use vecasm_ir::operand::WriteMask;

macro_rules! parts {
    ($($(#[doc = $doc:literal])+ $field:ident $name:literal;)*) => {
        /// Which parts of the pipeline around the stages are built into them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct Pipeline { $($(#[doc = $doc])+ pub $field: bool,)* }

        impl Pipeline {
            /// All parts.
            pub const ALL: Self = Self { $($field: true),* };

            /// The name of each part, and what it is.
            pub const PARTS: &'static [(&'static str, &'static str)] =
                &[$(($name, concat!($($doc),+).trim_ascii())),*];

            /// Adds the part of that name; `false` if there is none.
            pub fn add(&mut self, name: &str) -> bool {
                match name {
                    $($name => self.$field = true,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

parts! {
    /// Fog behind pixel shaders before 3.0: `fog-mode` (0 none, 1 exp, 2 exp2, 3 linear, all by depth; 4 the factor oFog of the vertex shader), `fog-color`, `fog-range` (start and end, 0 and 1), `fog-density` (1), `fog-depth` (0 the depth z, 1 the depth w of the eye).
    fog "fog";
    /// The alpha test: `alpha-func` (1 never, 2 less, 3 equal, 4 less or equal, 5 greater, 6 not equal, 7 greater or equal, 8 always, which is the default) compares alpha of target 0 with `alpha-ref` (0).
    alpha_test "alpha-test";
    /// User clip planes in clip space, `clip-plane-0` to `clip-plane-5`, of which the bits of `clip-plane-enable` (0) choose some: the vertex shader hands on the distances, the pixel shader drops what is outside. Both have to be built with it.
    clip_planes "clip-planes";
    /// Pixel centres at whole coordinates: the position is moved right and down by half a pixel of `surface` (width and height of the viewport, 640 and 480).
    half_pixel "half-pixel";
    /// Points: their size is `point-size` (1) if the vertex shader does not say, and clamped to `point-size-range` (1 and 64); `point-sprite` (0) not zero gives pixel shaders the place in the point for all texture coordinates.
    points "points";
    /// Texture coordinates of ps_1_1 to ps_1_3 are divided by their third or fourth component where `projected-N` of the stage is 3 or 4 (0).
    projected "projected";
}

/// Log2 of e.
const LOG2_E: f32 = core::f32::consts::LOG2_E;

/// One lane of an argument, `count` times.
pub(super) fn repeat_lane(arg: Arg, lane: u8, count: u8) -> Arg {
    Arg { lanes: count, ..pick(arg, &[lane; 4]) }
}

/// A state value, made when it is first asked for.
fn setting(b: &mut Builder, name: &str, ty: Type, default: [u32; 4]) -> Arg {
    let id = match b.shader.state(name) {
        Some(id) => id,
        None => {
            let id = StateId(b.shader.states.len() as u32);
            b.shader.states.push(State { name: name.into(), ty, default });
            id
        }
    };
    Arg::all_lanes(b.push_entry(Op::State(id), ty), ty.lanes)
}

/// A state value of f32 lanes.
pub(super) fn number(b: &mut Builder, name: &str, values: &[f32]) -> Arg {
    let mut default = [0; 4];
    for (to, from) in default.iter_mut().zip(values) {
        *to = from.to_bits();
    }
    setting(b, name, Type::new(Scalar::F32, values.len().min(4) as u8), default)
}

/// A state value that is a whole number.
pub(super) fn code(b: &mut Builder, name: &str, default: u32) -> Arg {
    setting(b, name, Type::U32, [default, 0, 0, 0])
}

/// What an output holds.
fn load(b: &mut Builder, output: OutputId) -> Arg {
    if let Some(lanes) = b.stored(output).filter(|lanes| *lanes != [None; 4]) {
        let init = b.shader.outputs.get(output.index()).map_or([0; 4], |output| output.init);
        let first = lanes.contains(&None).then(|| b.push_entry(Op::Const(init), Type::F32X4));
        let places = lanes.into_iter().zip(0..).map(|(lane, n)| lane.or(first.map(|first| (first, n))));
        return b.gather(places.flatten());
    }
    Arg::all_lanes(b.push(Op::LoadOutput(output), &[], Type::F32X4), 4)
}

fn store(b: &mut Builder, output: OutputId, mask: WriteMask, value: Arg) {
    b.effect(Op::StoreOutput { output, mask }, &[value]);
}

/// An input, made when it is first asked for.
fn input(b: &mut Builder, name: &str, kind: InputKind, ty: Type) -> Arg {
    let id = b.find_input(kind).unwrap_or_else(|| b.add_input(Input::new(name, kind, ty)));
    b.input(id)
}

/// What the pipeline gives a pixel shader.
fn system(b: &mut Builder, name: &str, system: System) -> Arg {
    input(b, name, InputKind::System(system), system.ty())
}

/// Texture coordinates as a pixel shader gets them: in a point sprite the place in the point.
pub(super) fn coordinates(b: &mut Builder, given: Arg) -> Arg {
    let sprite = code(b, "point-sprite", 0);
    let none = b.uint(0);
    let is_sprite = b.entry_op(Op::Pure(Pure::Ne), &[sprite, none]);
    let place = system(b, "vPoint", System::PointCoord);
    let (zero, one) = (b.splat(0.0, 1), b.splat(1.0, 1));
    let place = b.entry_op(Op::Compose, &[place, zero, one]);
    b.in_tail(Tail::Points, |b| b.entry_op(Op::Pure(Pure::Select), &[is_sprite, place, given]))
}

/// The pixel, in whole numbers: x, y, and zeros, which are not defined.
pub(super) fn pixel(b: &mut Builder) -> Arg {
    let place = system(b, "vPos", System::FragCoord);
    let arith = core::mem::replace(&mut b.arith, Arith::IEEE);
    let half = b.splat(0.5, 2);
    let place = b.entry_op(Op::Pure(Pure::Sub), &[pick(place, &[0, 1]), half]);
    b.arith = arith;
    let zero = b.splat(0.0, 2);
    b.entry_op(Op::Compose, &[place, zero])
}

/// 1 on the front of a triangle, which goes round clockwise, -1 on its back.
pub(super) fn face(b: &mut Builder) -> Arg {
    let front = system(b, "vFace", System::FrontFacing);
    let (one, minus) = (b.splat(1.0, 1), b.splat(-1.0, 1));
    b.entry_op(Op::Pure(Pure::Select), &[front, one, minus])
}

/// What follows the last instruction of a vertex shader.
///
/// Colours and the fog factor of models before 3.0 are clamped to 0..=1, unless the caller wants them [as they
/// are](super::Options::unclamped).
pub(super) fn vertex(b: &mut Builder, version: Version, options: &Options) {
    let arith = core::mem::replace(&mut b.arith, Arith::IEEE);
    let pipeline = options.pipeline;
    if version.major() < 3 && !options.unclamped {
        let colors = [location(DeclUsage::Color.code(), 0), location(DeclUsage::Color.code(), 1)];
        let colors = colors.map(|at| (at, WriteMask::ALL, Tail::ClampColors));
        for (location, mask, tail) in colors.into_iter().chain([(FOG_LOCATION, WriteMask::X, Tail::ClampFog)])
        {
            let Some(output) = b.find_output(OutputKind::Varying { location }) else { continue };
            b.in_tail(tail, |b| {
                let value = load(b, output);
                let value = Arg { lanes: mask.count() as u8, ..value };
                let value = b.pure(Pure::Saturate, &[value]);
                store(b, output, mask, value);
            });
        }
    }
    if let Some(position) = b.find_output(OutputKind::Position) {
        if pipeline.clip_planes {
            b.tail = Some(Tail::ClipPlanes);
            let place = load(b, position);
            for (n, count) in [(0, 4u8), (1, 2)] {
                let mut distances = Vec::with_capacity(4);
                for lane in 0..u32::from(count) {
                    let plane = number(b, &format!("clip-plane-{}", n * 4 + lane), &[0.0; 4]);
                    let distance = b.pure(Pure::Dot, &[place, plane]);
                    let enabled = clips(b, 1 << (n * 4 + lane));
                    let zero = b.splat(0.0, 1);
                    distances.push(b.pure(Pure::Select, &[enabled, distance, zero]));
                }
                let distances = b.op(Op::Compose, &distances);
                let kind = OutputKind::Varying { location: CLIP_LOCATION + n };
                let output = b.add_output(Output::new(format!("clip{n}"), kind));
                store(b, output, WriteMask::first(count), distances);
            }
        }
        if pipeline.half_pixel {
            b.tail = Some(Tail::HalfPixel);
            let place = load(b, position);
            let surface = number(b, "surface", &[640.0, 480.0]);
            let w = b.pure(Pure::Div, &[repeat_lane(place, 3, 2), surface]);
            let x = b.pure(Pure::Add, &[pick(place, &[0]), pick(w, &[0])]);
            let y = b.pure(Pure::Sub, &[pick(place, &[1]), pick(w, &[1])]);
            let moved = b.op(Op::Compose, &[x, y]);
            store(b, position, WriteMask::from_bits(3), moved);
        }
    }
    if pipeline.points {
        b.tail = Some(Tail::Points);
        let size = match b.find_output(OutputKind::Varying { location: POINT_SIZE_LOCATION }) {
            Some(output) => {
                if let Some(cell) = b.shader.outputs.get_mut(output.index()) {
                    cell.kind = OutputKind::PointSize;
                }
                let size = load(b, output);
                (output, pick(size, &[0]))
            }
            None => {
                let size = number(b, "point-size", &[1.0]);
                (b.add_output(Output::new("oPts", OutputKind::PointSize)), size)
            }
        };
        let range = number(b, "point-size-range", &[1.0, 64.0]);
        let clamped = b.pure(Pure::Max, &[size.1, pick(range, &[0])]);
        let clamped = b.pure(Pure::Min, &[clamped, pick(range, &[1])]);
        store(b, size.0, WriteMask::X, clamped);
    }
    b.tail = None;
    b.arith = arith;
}

/// What follows the last instruction of a pixel shader.
pub(super) fn fragment(b: &mut Builder, version: Version, pipeline: Pipeline) {
    let arith = core::mem::replace(&mut b.arith, Arith::IEEE);
    let color = b.find_output(OutputKind::Color { target: 0 });
    if pipeline.clip_planes {
        b.tail = Some(Tail::ClipPlanes);
        for (n, lanes) in [(0, 4), (1, 2)] {
            let kind = InputKind::Varying { location: CLIP_LOCATION + n };
            let distances = input(b, &format!("clip{n}"), kind, Type::new(Scalar::F32, lanes));
            let enabled = clips(b, if n == 0 { 0x0f } else { 0x30 });
            when(b, enabled, |b| {
                let zero = b.splat(0.0, lanes);
                let outside = b.pure(Pure::Lt, &[distances, zero]);
                let outside = b.pure(Pure::Any, &[outside]);
                b.effect(Op::Demote, &[outside]);
            });
        }
    }
    if let (Some(color), true) = (color, pipeline.alpha_test) {
        b.tail = Some(Tail::AlphaTest);
        alpha_test(b, color);
    }
    if let (Some(color), true) = (color, pipeline.fog && version.major() < 3) {
        fog(b, color);
    }
    b.tail = None;
    b.arith = arith;
}

/// Whether one of some clip planes is on.
fn clips(b: &mut Builder, planes: u32) -> Arg {
    let enabled = code(b, "clip-plane-enable", 0);
    let (planes, none) = (b.uint(planes), b.uint(0));
    let enabled = b.pure(Pure::And, &[enabled, planes]);
    b.pure(Pure::Ne, &[enabled, none])
}

/// Drops the pixel if the comparison of its alpha with the reference fails. The numbers of the comparisons are, less
/// one, a bit for each of less, equal and greater.
fn alpha_test(b: &mut Builder, color: OutputId) {
    let function = code(b, "alpha-func", 8);
    let always = b.uint(8);
    let asks = b.pure(Pure::Ne, &[function, always]);
    when(b, asks, |b| {
        let alpha = load(b, color);
        let alpha = b.pure(Pure::Saturate, &[pick(alpha, &[3])]);
        let reference = number(b, "alpha-ref", &[0.0]);
        let less = b.pure(Pure::Lt, &[alpha, reference]);
        let equal = b.pure(Pure::Eq, &[alpha, reference]);
        let [one, two, four, zero] = [1, 2, 4, 0].map(|n| b.uint(n));
        let outcome = b.pure(Pure::Select, &[equal, two, four]);
        let outcome = b.pure(Pure::Select, &[less, one, outcome]);
        let wanted = b.pure(Pure::Sub, &[function, one]);
        let held = b.pure(Pure::And, &[outcome, wanted]);
        let fails = b.pure(Pure::Eq, &[held, zero]);
        b.effect(Op::Demote, &[fails]);
    });
}

/// Does something only where a condition holds. Where the condition is known, nothing is left of it.
fn when(b: &mut Builder, cond: Arg, then: impl FnOnce(&mut Builder)) {
    b.open();
    then(b);
    b.close_where(cond);
}

/// Mixes red, green and blue with the colour of the fog.
pub(in crate::d3d9) fn fog(b: &mut Builder, color: OutputId) {
    b.in_tail(Tail::Fog, |b| {
        let mode = code(b, "fog-mode", 0);
        let none = b.uint(0);
        let on = b.pure(Pure::Ne, &[mode, none]);
        when(b, on, |b| fog_of(b, color, mode));
    });
}

/// The fog of a mode that is not none.
fn fog_of(b: &mut Builder, color: OutputId, mode: Arg) {
    let tint = number(b, "fog-color", &[0.0; 4]);
    let range = number(b, "fog-range", &[0.0, 1.0]);
    let density = number(b, "fog-density", &[1.0]);
    let source = code(b, "fog-depth", 0);
    let place = system(b, "vPos", System::FragCoord);
    let one = b.splat(1.0, 1);
    let eye = b.pure(Pure::Div, &[one, pick(place, &[3])]);
    let none = b.uint(0);
    let by_eye = b.pure(Pure::Ne, &[source, none]);
    let depth = b.pure(Pure::Select, &[by_eye, eye, pick(place, &[2])]);
    // e to the power of -x is 2 to the power of -x · log2 e.
    let thick = b.pure(Pure::Mul, &[depth, density]);
    let square = b.pure(Pure::Mul, &[thick, thick]);
    let [is_exp, is_exp2, is_linear] = [1, 2, 3].map(|n| {
        let n = b.uint(n);
        b.pure(Pure::Eq, &[mode, n])
    });
    let power = b.pure(Pure::Select, &[is_exp2, square, thick]);
    let scale = b.splat(-LOG2_E, 1);
    let power = b.pure(Pure::Mul, &[power, scale]);
    let by_power = b.pure(Pure::Exp2, &[power]);
    let left = b.pure(Pure::Sub, &[pick(range, &[1]), depth]);
    let whole = b.pure(Pure::Sub, &[pick(range, &[1]), pick(range, &[0])]);
    let by_line = b.pure(Pure::Div, &[left, whole]);
    let kind = InputKind::Varying { location: FOG_LOCATION };
    let factor = input(b, "oFog", kind, Type::F32X4);
    let factor = b.pure(Pure::Select, &[is_linear, by_line, pick(factor, &[0])]);
    let exponential = b.pure(Pure::Or, &[is_exp, is_exp2]);
    let factor = b.pure(Pure::Select, &[exponential, by_power, factor]);
    let factor = b.pure(Pure::Saturate, &[factor]);
    let before = load(b, color);
    let rgb = pick(before, &[0, 1, 2]);
    let tint = pick(tint, &[0, 1, 2]);
    let difference = b.pure(Pure::Sub, &[rgb, tint]);
    let part = b.pure(Pure::Mul, &[difference, repeat_lane(factor, 0, 3)]);
    let mixed = b.pure(Pure::Add, &[tint, part]);
    store(b, color, WriteMask::XYZ, mixed);
}
