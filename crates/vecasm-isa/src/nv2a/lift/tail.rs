//! What is done to results as they leave.

use super::super::table;
use super::{Clamp, FogCarry, Lifter, Space};
use crate::lift::{Kit, Lanes, all_lanes, broadcast, pick_masked};
use vecasm_ir::ir::{Arg, Arith, Op, Pure, Scalar, Tail};
use vecasm_ir::operand::WriteMask;

/// Width and height of the surface that is drawn to, in pixels.
const SURFACE: &str = "surface";
/// The depth at the far plane.
const CLIP_MAX: &str = "clip-max";

impl Lifter<'_> {
    /// What follows the last slot.
    pub(super) fn tail(&mut self) {
        if self.state {
            return;
        }
        let fog = table::FOG as usize;
        if self.options.switches.fog_carry == FogCarry::Program && self.outputs[fog].is_none() {
            let output = self.output(table::FOG);
            self.b.shader.outputs[output.index()].carried = true;
            self.b.shader.serial = true;
        }
        if self.options.space == Space::Clip && self.outputs[0].is_some() {
            self.clip_space();
        }
    }

    /// A colour as it leaves.
    pub(super) fn clamped(&mut self, number: u32, mask: WriteMask, result: &Lanes) -> Lanes {
        let clamps = match self.options.clamp {
            Clamp::Off => false,
            Clamp::Diffuse => table::DIFFUSE.contains(&number),
            Clamp::All => table::DIFFUSE.contains(&number) || table::SPECULAR.contains(&number),
        };
        if !clamps {
            return *result;
        }
        let colour = self.gather(Scalar::F32, pick_masked(result, mask));
        let colour = self.b.in_tail(Tail::ClampColors, |b| b.pure(Pure::Saturate, &[colour]));
        let mut out = *result;
        for (n, to) in mask.lanes().enumerate() {
            out[to] = Some((colour.value, colour.swizzle.get(n)));
        }
        out
    }

    /// Takes back what the program did for the rasterizer: see [`lift`](super::lift()).
    fn clip_space(&mut self) {
        let Some(position) = self.temporary(table::POSITION_SHADOW) else { return };
        let output = self.output(0);
        let arith = core::mem::replace(&mut self.b.arith, Arith::IEEE);
        self.b.tail = Some(Tail::Viewport);
        let w = self.gather(Scalar::F32, [position[3]].into_iter());
        let w = self.clamped_w(w);
        let surface = self.b.state(SURFACE, &[640.0, 480.0]);
        let far = self.b.state(CLIP_MAX, &[16_777_215.0]);
        let mut xy = self.gather(Scalar::F32, [position[0], position[1]].into_iter());
        if self.options.subpixel {
            let (fine, coarse) = (self.b.splat(16.0, 2), self.b.splat(0.0625, 2));
            xy = self.b.pure(Pure::Mul, &[xy, fine]);
            xy = self.b.pure(Pure::Trunc, &[xy]);
            xy = self.b.pure(Pure::Mul, &[xy, coarse]);
        }
        let two = self.b.splat(2.0, 2);
        let doubled = self.b.pure(Pure::Mul, &[xy, two]);
        let centred = self.b.pure(Pure::Sub, &[doubled, surface]);
        let xy = self.b.pure(Pure::Div, &[centred, surface]);
        // The surface counts rows downward.
        let y = self.b.pure(Pure::Neg, &[Arg::lane(xy.value, 1)]);
        let z = self.gather(Scalar::F32, [position[2]].into_iter());
        let z = self.b.pure(Pure::Div, &[z, far]);
        let xyz = self.b.op(Op::Compose, &[Arg::lane(xy.value, 0), y, z]);
        let xyz = self.b.pure(Pure::Mul, &[xyz, broadcast(w, 3)]);
        let all = self.b.op(Op::Compose, &[xyz, w]);
        self.b.arith = arith;
        self.store(output, WriteMask::ALL, &all_lanes(all.value));
        self.b.tail = None;
    }

    /// A number with its magnitude clamped as RCC clamps its result, the sign kept.
    fn clamped_w(&mut self, w: Arg) -> Arg {
        let (least, most) = (self.b.splat(pow2(-64), 1), self.b.splat(pow2(64), 1));
        let magnitude = self.b.pure(Pure::Abs, &[w]);
        let magnitude = self.b.pure(Pure::Max, &[magnitude, least]);
        let magnitude = self.b.pure(Pure::Min, &[magnitude, most]);
        let bits = self.b.pure(Pure::AsI32, &[w]);
        let zero = self.b.int(0);
        let negative = self.b.pure(Pure::Lt, &[bits, zero]);
        let opposite = self.b.pure(Pure::Neg, &[magnitude]);
        self.b.pure(Pure::Select, &[negative, opposite, magnitude])
    }
}

/// A power of two in the range of normal numbers.
const fn pow2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}
