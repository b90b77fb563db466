//! What is done to results as they leave.

use super::super::table;
use super::{Clamp, FogCarry, Lifter, Space};
use crate::lift::{Kit, Lanes, all_lanes, broadcast, pick_masked};
use vecasm_ir::ir::{Arg, Arith, Op, Pure, Scalar, Tail, Value};
use vecasm_ir::operand::WriteMask;

/// A lane of a value.
type Known = (Value, u8);

/// Width and height of the surface that is drawn to, in pixels.
const SURFACE: &str = "surface";
/// The depth at the far plane.
const CLIP_MAX: &str = "clip-max";

impl Lifter<'_> {
    /// What follows the last slot; `false` if an unscaled position is asked for and there is none.
    pub(super) fn tail(&mut self) -> bool {
        if self.state {
            return true;
        }
        let fog = table::FOG as usize;
        if self.options.switches.fog_carry == FogCarry::Program && self.outputs[fog].is_none() {
            let output = self.output(table::FOG);
            self.b.shader.outputs[output.index()].carried = true;
            self.b.shader.serial = true;
        }
        match self.options.space {
            _ if self.outputs[0].is_none() => {}
            Space::Clip => self.clip_space(),
            Space::Unscaled => {
                let Some(lanes) = self.unscaled() else { return false };
                let output = self.output(0);
                self.store(output, WriteMask::ALL, &lanes);
            }
            Space::Screen => {}
        }
        true
    }

    /// The position before the viewport was applied to it.
    fn unscaled(&mut self) -> Option<Lanes> {
        let position = self.temporary(table::POSITION_SHADOW)?;
        let w = self.origin(position[3]?);
        let mut out = [None, None, None, position[3]];
        for (n, out) in out.iter_mut().enumerate().take(3) {
            let is_constant = |of: Known, which: usize| {
                let index = table::VIEWPORT_CONSTANTS.get(which).copied();
                let value = self.b.definition(of.0).map(|inst| inst.op);
                usize::from(of.1) == n
                    && matches!(value, Some(Op::Param { index: at, .. }) if Some(at) == index)
            };
            // Two operands, one of which is told by what it is.
            let pick = |of: Known, op: Pure, is: &dyn Fn(Known) -> bool| {
                let [a, b] = self.operands(of, op)?;
                if is(b) {
                    Some(a)
                } else if is(a) {
                    Some(b)
                } else {
                    None
                }
            };
            let is_inverse = |of: Known| self.operand(of, Pure::Rcc) == Some(w);
            let divided = pick(position[n]?, Pure::Add, &|of| is_constant(of, 1))?;
            let scaled = pick(divided, Pure::Mul, &is_inverse)?;
            *out = Some(pick(scaled, Pure::Mul, &|of| is_constant(of, 0))?);
        }
        Some(out)
    }

    /// The lane of a value that a lane was put together of.
    fn origin(&self, of: Known) -> Known {
        let mut of = of;
        while let Some(inst) = self.b.definition(of.0).filter(|inst| inst.op == Op::Compose) {
            let mut lane = usize::from(of.1);
            let found = self.b.shader.args(inst.args).iter().find_map(|arg| {
                let here = lane < usize::from(arg.lanes);
                let at = (arg.value, arg.swizzle.get(lane & 3));
                lane = lane.saturating_sub(usize::from(arg.lanes));
                here.then_some(at)
            });
            match found {
                Some(found) => of = found,
                None => break,
            }
        }
        of
    }

    /// The operand of an operation on one.
    fn operand(&self, of: Known, op: Pure) -> Option<Known> {
        self.operands(of, op).map(|[only]| only)
    }

    /// The lanes that a lane was computed of, if by that operation.
    fn operands<const N: usize>(&self, of: Known, op: Pure) -> Option<[Known; N]> {
        let (value, lane) = self.origin(of);
        let inst = self.b.definition(value).filter(|inst| inst.op == Op::Pure(op))?;
        let args: &[Arg; N] = self.b.shader.args(inst.args).try_into().ok()?;
        Some(args.map(|arg| {
            let lane = if arg.lanes == 1 { 0 } else { usize::from(lane) };
            self.origin((arg.value, arg.swizzle.get(lane)))
        }))
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
