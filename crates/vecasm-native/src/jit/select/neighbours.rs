//! What invocations see of those in their quad.
//!
//! Of the invocations of a block, one and its neighbour at the right are in different 128 bits, one and that below side by side in
//! them with 8 lanes, in different ones with 16: see [`Isa::invocation`].

use super::{Mask, Select, Value};
use crate::jit::isa::Isa;
use crate::jit::mir::{Kind, MachineOp, Mode, Program, Src};
use vecasm_exec::code::Inst;
use vecasm_ir::ir::Slope;

/// How the lanes of some invocations of each quad go to all of it: of a choice of 128 bits, and of one inside each.
#[derive(Clone, Copy)]
struct Shuffle {
    parts: u32,
    within: Option<u32>,
}

/// A number of two bits for each of four places.
const fn four(places: [u32; 4]) -> u32 {
    places[0] | places[1] << 2 | places[2] << 4 | places[3] << 6
}

impl Shuffle {
    /// The invocation of its quad that each of the four invocations sees: left-top, right-top, left-bottom, right-bottom.
    const fn of(isa: Isa, seen: [u32; 4]) -> Self {
        match isa {
            // The four 128 bits have one invocation of each of four quads.
            Isa::Avx512 => Self { parts: four(seen), within: None },
            // The low 128 bits have the left ones of two quads, the upper one beside the lower one. All of a half see one half:
            // see `slope`.
            Isa::Avx2 => {
                let (left, right) = (seen[0] & 1, seen[1] & 1);
                let (top, bottom) = (seen[0] >> 1, seen[2] >> 1);
                let within = four([top, bottom, 2 + top, 2 + bottom]);
                Self { parts: left | right << 4, within: Some(within) }
            }
        }
    }
}

impl Select<'_> {
    /// What each invocation sees of its quad, as [`Shuffle::of`] says.
    fn shuffled(&mut self, value: Src, seen: [u32; 4]) -> Src {
        let Shuffle { parts, within } = Shuffle::of(self.isa, seen);
        let moved = self.op(MachineOp::Parts, [value, value, Src::None], parts);
        match within {
            Some(within) => self.shift(MachineOp::Within, moved, within),
            None => moved,
        }
    }

    /// A derivative; zero where there are no quads.
    pub(super) fn slope(&mut self, inst: &Inst, slope: Slope, down: bool) {
        let Some(arg) = inst.args.first() else { return };
        if !self.quads {
            return self.define(inst, [Src::C(Program::ZERO); 4]);
        }
        self.enter(if inst.arith.flush { Mode::Flush } else { Mode::Keep });
        let (from, to) = match (slope, down) {
            (Slope::Fine, false) => ([0, 0, 2, 2], [1, 1, 3, 3]),
            (Slope::Fine, true) => ([0, 1, 0, 1], [2, 3, 2, 3]),
            (Slope::Coarse, false) => ([2; 4], [3; 4]),
            (Slope::Coarse, true) => ([0; 4], [2; 4]),
        };
        for (lane, &row) in inst.out.rows().iter().enumerate() {
            let value = self.value(arg.rows[lane & 3]);
            let result = if let Src::C(_) = value {
                // Alike everywhere; infinities and NaN give NaN.
                self.two(MachineOp::Sub, value, value)
            } else {
                let (from, to) = (self.shuffled(value, from), self.shuffled(value, to));
                self.two(MachineOp::Sub, to, from)
            };
            self.values[row as usize] = Value::Word(result);
        }
    }

    /// Those whose values somebody can see: who takes part, and, through derivatives, the others of their quads.
    pub(super) fn visible_mask(&mut self) -> Mask {
        if let Some(seen) = self.seen {
            return seen;
        }
        let seen = self.groups(self.active);
        self.seen = Some(seen);
        seen
    }

    /// All invocations whose quad has one in the mask; where no invocation sees another one, those of the mask.
    fn groups(&mut self, mask: Mask) -> Mask {
        let (Mask::Some(v), true) = (mask, self.quads) else { return mask };
        if self.isa == Isa::Avx2 {
            let sides = self.mask_op(MachineOp::Parts, [Src::V(v), Src::V(v), Src::None], 1);
            let both = self.or(mask, sides);
            let Mask::Some(v) = both else { return both };
            let rows = self.mask_op(MachineOp::Within, [Src::V(v), Src::None, Src::None], four([1, 0, 3, 2]));
            return self.or(both, rows);
        }
        let mut all = mask;
        for by in [8, 4] {
            let Mask::Some(v) = all else { return all };
            let lower = self.mask_op(MachineOp::MaskLower, [Src::V(v), Src::None, Src::None], by);
            let higher = self.mask_op(MachineOp::MaskHigher, [Src::V(v), Src::None, Src::None], by);
            let moved = self.or(lower, higher);
            all = self.or(all, moved);
        }
        all
    }

    /// Those of a way that get what it yields: who reaches its end, and, active or not, all that took it in their quads.
    pub(super) fn yielding(&mut self, way: Mask, reached: Mask) -> Mask {
        if !self.quads {
            return reached;
        }
        let all = self.groups(reached);
        self.and(way, all)
    }

    /// An empty mask that can be written.
    pub(super) fn empty(&mut self) -> u32 {
        let v = self.virtual_register(Kind::Mask);
        self.push(MachineOp::MaskNone, v, [Src::None; 3], 0);
        v
    }
}
