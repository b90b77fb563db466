//! Texture instructions: where they read, and what the rows of a matrix add up to.
//!
//! What the registers hold comes in as arguments, and what is written goes out as one; reading and writing registers is
//! not done here.
//!
//! The dimension of a texture is in the program from 2.0 on, by declaration. Before, and where a declaration is missing,
//! it is whatever the application bound: the state value `texture-kind-N`, a position in [`Dim::ALL`], says so. If
//! nobody sets it, a stage that is read at a vector (texm3x3tex, texm3x3spec, texm3x3vspec) is a cube, and any other one
//! has two dimensions.

use super::super::table::Opcode;
use super::Pipeline;
use super::tail::{self, repeat_lane};
use crate::lift::pick;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::shader::numbered;
use vecasm_ir::ir::{
    Arg, Dim, Lod, Op, Output, OutputId, OutputKind, Pure, Slope, State, StateId, Tail, Texture, TextureId,
    Type,
};
use vecasm_ir::operand::WriteMask;

/// How a texture read finds its level of detail.
#[derive(Clone, Copy)]
pub(super) enum Detail {
    /// By the quad.
    Implicit,
    /// By the quad, plus a number.
    Bias(Arg),
    /// A number.
    Level(Arg),
    /// By the slopes of the coordinates along x and y.
    Slopes(Arg, Arg),
}

/// What an instruction of the models before 1.4 takes.
#[derive(Clone, Copy)]
pub(super) struct TextureOperands {
    /// The number of its destination, which is that of its stage.
    pub(super) stage: u16,
    /// The four texture coordinates of the stage.
    pub(super) at: Arg,
    /// The four lanes of the source.
    pub(super) source: Arg,
    /// Those of the constant of texm3x3spec.
    pub(super) eye: Arg,
}

/// What an instruction of the models before 1.4 gives.
pub(super) enum Outcome {
    /// Four lanes for its destination.
    Color(Arg),
    /// The depth of the pixel.
    Depth(Arg),
    /// Something that a later one needs.
    Nothing,
}

/// An instruction that needs rows of a matrix that are not there.
#[derive(Debug)]
pub(super) struct MissingRow;

/// The textures of a shader, and the rows of the matrix at work.
#[derive(Default)]
pub(super) struct Textures {
    /// The kind that a declaration gives a sampler.
    declared: Vec<(u16, u8)>,
    ids: Vec<(u16, TextureId)>,
    /// The dot products of the rows so far, and the fourth coordinates of their stages.
    rows: Vec<(Arg, Arg)>,
}

impl Textures {
    /// A declaration of a sampler.
    pub(super) fn declare(&mut self, sampler: u16, kind: u8) {
        match self.declared.iter_mut().find(|(number, _)| *number == sampler) {
            Some((_, of)) => *of = kind,
            None => self.declared.push((sampler, kind)),
        }
    }

    /// A dimension that is open cannot be read with slopes, so such a texture has two dimensions unless it is declared.
    pub(super) fn read_with_slopes(&mut self, sampler: u16) {
        if !self.declared.iter().any(|(number, kind)| *number == sampler && (1..=4).contains(kind)) {
            self.declare(sampler, 2);
        }
    }

    /// The kind that a sampler is declared as; 0 if it is not.
    pub(super) fn kind(&self, sampler: u16) -> u8 {
        let declared = self.declared.iter().find(|(number, _)| *number == sampler);
        declared.map_or(0, |(_, kind)| *kind)
    }

    /// The texture of a sampler; `open` is what it is if nobody says.
    fn id(&mut self, b: &mut Builder, sampler: u16, open: Dim) -> TextureId {
        if let Some((_, id)) = self.ids.iter().find(|(number, _)| *number == sampler) {
            return *id;
        }
        let declared = self.declared.iter().find(|(number, _)| *number == sampler);
        let known = declared.and_then(|(_, kind)| match kind {
            1 => Some(Dim::D1),
            2 => Some(Dim::D2),
            3 => Some(Dim::Cube),
            4 => Some(Dim::D3),
            _ => None,
        });
        let name = numbered("s", sampler.into());
        let mut texture = Texture::new(name, u32::from(sampler), known.unwrap_or(open));
        if known.is_none() {
            let number = Dim::ALL.iter().position(|dim| *dim == open).unwrap_or(1);
            let name = numbered("texture-kind-", sampler.into());
            let default = [number as u32, 0, 0, 0];
            texture.dim_by = Some(StateId(b.shader.states.len() as u32));
            b.shader.states.push(State { name, ty: Type::U32, default });
        }
        let id = TextureId(b.shader.textures.len() as u32);
        b.shader.textures.push(texture);
        self.ids.push((sampler, id));
        id
    }

    /// The texel at a place, of which the lanes that the dimension needs are taken; three lanes or more are given.
    pub(super) fn sample(&mut self, b: &mut Builder, sampler: u16, place: Arg, how: Detail) -> Arg {
        self.sample_open(b, sampler, place, how, Dim::D2)
    }

    fn sample_open(&mut self, b: &mut Builder, sampler: u16, place: Arg, how: Detail, open: Dim) -> Arg {
        let id = self.id(b, sampler, open);
        let texture = b.shader.textures.get(id.index());
        let lanes = texture.map_or(2, Texture::coord_lanes);
        let slopes = texture.map_or(2, |texture| texture.dim.place_lanes());
        let first = |arg: Arg, lanes: u8| Arg { lanes, ..arg };
        let place = first(place, lanes);
        match how {
            Detail::Implicit => b.op(Op::sample(id, Lod::Implicit { bias_eighths: 0 }), &[place]),
            Detail::Bias(by) => b.op(Op::sample(id, Lod::Bias), &[place, by]),
            Detail::Level(at) => b.op(Op::sample(id, Lod::Level), &[place, at]),
            Detail::Slopes(x, y) => {
                b.op(Op::sample(id, Lod::Gradient), &[place, first(x, slopes), first(y, slopes)])
            }
        }
    }

    /// An instruction of ps_1_0 to ps_1_3.
    pub(super) fn stage(
        &mut self,
        b: &mut Builder,
        op: Opcode,
        taken: TextureOperands,
        pipeline: Pipeline,
    ) -> Result<Outcome, MissingRow> {
        let TextureOperands { stage, at, source, eye } = taken;
        let row = |b: &mut Builder| b.pure(Pure::Dot, &[pick(at, &[0, 1, 2]), pick(source, &[0, 1, 2])]);
        let texel = match op {
            Opcode::Tex => {
                let at = projected(b, stage, at, pipeline);
                self.sample(b, stage, at, Detail::Implicit)
            }
            Opcode::Texcoord => {
                let place = b.pure(Pure::Saturate, &[pick(at, &[0, 1, 2])]);
                let one = b.splat(1.0, 1);
                b.op(Op::Compose, &[place, one])
            }
            Opcode::Texbem | Opcode::Texbeml => {
                let at = projected(b, stage, at, pipeline);
                let moved = bump(b, stage, pick(at, &[0, 1]), source);
                let place = b.op(Op::Compose, &[moved, pick(at, &[2])]);
                let texel = self.sample(b, stage, place, Detail::Implicit);
                if op == Opcode::Texbem { texel } else { luminous(b, stage, texel, source) }
            }
            Opcode::Texreg2ar => self.sample(b, stage, pick(source, &[3, 0, 0]), Detail::Implicit),
            Opcode::Texreg2gb => self.sample(b, stage, pick(source, &[1, 2, 2]), Detail::Implicit),
            Opcode::Texreg2rgb => self.sample(b, stage, pick(source, &[0, 1, 2]), Detail::Implicit),
            Opcode::Texdp3 => {
                let dot = row(b);
                repeat_lane(dot, 0, 4)
            }
            Opcode::Texdp3tex => {
                let dot = row(b);
                let zero = b.splat(0.0, 2);
                let place = b.op(Op::Compose, &[dot, zero]);
                self.sample(b, stage, place, Detail::Implicit)
            }
            Opcode::Texm3x2pad | Opcode::Texm3x3pad => {
                let dot = row(b);
                // More than two rows lead nowhere.
                self.rows.truncate(1);
                self.rows.push((dot, pick(at, &[3])));
                return Ok(Outcome::Nothing);
            }
            Opcode::Texm3x2tex | Opcode::Texm3x2depth => {
                let Some((first, _)) = self.rows.pop() else { return Err(MissingRow) };
                self.rows.clear();
                let second = row(b);
                if op == Opcode::Texm3x2depth {
                    return Ok(Outcome::Depth(quotient(b, first, second)));
                }
                let zero = b.splat(0.0, 1);
                let place = b.op(Op::Compose, &[first, second, zero]);
                self.sample(b, stage, place, Detail::Implicit)
            }
            Opcode::Texm3x3 | Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec => {
                let (Some((second, q1)), Some((first, q0))) = (self.rows.pop(), self.rows.pop()) else {
                    return Err(MissingRow);
                };
                let third = row(b);
                let vector = b.op(Op::Compose, &[first, second, third]);
                let place = match op {
                    Opcode::Texm3x3 => {
                        let one = b.splat(1.0, 1);
                        return Ok(Outcome::Color(b.op(Op::Compose, &[vector, one])));
                    }
                    Opcode::Texm3x3tex => vector,
                    Opcode::Texm3x3spec => reflection(b, vector, pick(eye, &[0, 1, 2])),
                    _ => {
                        let eye = b.op(Op::Compose, &[q0, q1, pick(at, &[3])]);
                        reflection(b, vector, eye)
                    }
                };
                self.sample_open(b, stage, place, Detail::Implicit, Dim::Cube)
            }
            _ => return Ok(Outcome::Nothing),
        };
        Ok(Outcome::Color(texel))
    }
}

/// Coordinates of a stage, divided as its state asks.
fn projected(b: &mut Builder, stage: u16, at: Arg, pipeline: Pipeline) -> Arg {
    if !pipeline.projected {
        return at;
    }
    let by = tail::code(b, &format!("projected-{stage}"), 0);
    let [third, fourth] = [3, 4].map(|n| {
        let n = b.uint(n);
        b.pure(Pure::Eq, &[by, n])
    });
    let one = b.splat(1.0, 1);
    let divisor = b.pure(Pure::Select, &[fourth, pick(at, &[3]), one]);
    let divisor = b.pure(Pure::Select, &[third, pick(at, &[2]), divisor]);
    b.in_tail(Tail::Projected, |b| b.pure(Pure::Div, &[at, repeat_lane(divisor, 0, 4)]))
}

/// Two lanes moved by the bump matrix of a stage times the first two lanes of `by`.
pub(super) fn bump(b: &mut Builder, stage: u16, at: Arg, by: Arg) -> Arg {
    // m00, m01, m10, m11: what red gives to u and v, then green.
    let matrix = tail::number(b, &format!("bump-matrix-{stage}"), &[0.0; 4]);
    let red = b.pure(Pure::Mul, &[pick(matrix, &[0, 1]), repeat_lane(by, 0, 2)]);
    let moved = b.pure(Pure::Add, &[pick(at, &[0, 1]), red]);
    let green = b.pure(Pure::Mul, &[pick(matrix, &[2, 3]), repeat_lane(by, 1, 2)]);
    b.pure(Pure::Add, &[moved, green])
}

/// A texel times the luminance of a stage, which follows from the third lane of `by`.
fn luminous(b: &mut Builder, stage: u16, texel: Arg, by: Arg) -> Arg {
    // Scale and offset.
    let line = tail::number(b, &format!("bump-luminance-{stage}"), &[0.0; 2]);
    let luminance = b.pure(Pure::Mul, &[pick(by, &[2]), pick(line, &[0])]);
    let luminance = b.pure(Pure::Add, &[luminance, pick(line, &[1])]);
    let luminance = b.pure(Pure::Saturate, &[luminance]);
    b.pure(Pure::Mul, &[texel, repeat_lane(luminance, 0, 4)])
}

/// 2 (N·E) / (N·N) · N - E.
fn reflection(b: &mut Builder, normal: Arg, eye: Arg) -> Arg {
    let ne = b.pure(Pure::Dot, &[normal, eye]);
    let nn = b.pure(Pure::Dot, &[normal, normal]);
    let two = b.splat(2.0, 1);
    let ne = b.pure(Pure::Mul, &[ne, two]);
    let scale = b.pure(Pure::Div, &[ne, nn]);
    let along = b.pure(Pure::Mul, &[normal, repeat_lane(scale, 0, 3)]);
    b.pure(Pure::Sub, &[along, eye])
}

/// `above / below` as a depth: clamped to 0..=1, and 1 if `below` is zero.
fn quotient(b: &mut Builder, above: Arg, below: Arg) -> Arg {
    let (zero, one) = (b.splat(0.0, 1), b.splat(1.0, 1));
    let depth = b.pure(Pure::Div, &[above, below]);
    let depth = b.pure(Pure::Saturate, &[depth]);
    let none = b.pure(Pure::Eq, &[below, zero]);
    b.pure(Pure::Select, &[none, one, depth])
}

/// The depth that texdepth gives for the first two lanes of r5: r / g, where g counts as 1 at most.
pub(super) fn depth(b: &mut Builder, register: Arg) -> Arg {
    let one = b.splat(1.0, 1);
    let below = b.pure(Pure::Min, &[pick(register, &[1]), one]);
    quotient(b, pick(register, &[0]), below)
}

/// The cell of the depth.
pub(super) fn depth_cell(b: &mut Builder) -> OutputId {
    let kind = OutputKind::Depth;
    b.find_output(kind).unwrap_or_else(|| b.add_output(Output::new("oDepth", kind)))
}

/// Writes the depth.
pub(super) fn write_depth(b: &mut Builder, depth: Arg) {
    let output = depth_cell(b);
    b.effect(Op::StoreOutput { output, mask: WriteMask::X }, &[depth]);
}

/// The four lanes of `_dz` and `_dw` of ps_1_4: x and y divided by `lane`, 1 where that is zero.
pub(super) fn divided(b: &mut Builder, source: Arg, lane: u8) -> Arg {
    let by = pick(source, &[lane, lane]);
    let (zero, one) = (b.splat(0.0, 2), b.splat(1.0, 2));
    let xy = b.pure(Pure::Div, &[pick(source, &[0, 1]), by]);
    let none = b.pure(Pure::Eq, &[by, zero]);
    let xy = b.pure(Pure::Select, &[none, one, xy]);
    b.op(Op::Compose, &[xy, pick(source, &[2, 3])])
}

/// The coordinates of texldp: divided by the fourth.
pub(super) fn by_fourth(b: &mut Builder, at: Arg) -> Arg {
    b.pure(Pure::Div, &[pick(at, &[0, 1, 2]), repeat_lane(at, 3, 3)])
}

/// Drops the pixel if a lane is below zero.
pub(super) fn kill(b: &mut Builder, lanes: Arg, guard: Option<Arg>) {
    let zero = b.splat(0.0, lanes.lanes);
    let mut below = b.pure(Pure::Lt, &[lanes, zero]);
    if let Some(guard) = guard {
        below = b.pure(Pure::And, &[below, guard]);
    }
    let any = if lanes.lanes == 1 { below } else { b.pure(Pure::Any, &[below]) };
    b.effect(Op::Demote, &[any]);
}

/// How lanes change along x, or along y, downwards.
pub(super) fn slope(b: &mut Builder, lanes: Arg, down: bool) -> Arg {
    let op = if down { Op::Ddy(Slope::Fine) } else { Op::Ddx(Slope::Fine) };
    b.op(op, &[lanes])
}
