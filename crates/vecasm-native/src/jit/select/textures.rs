//! Reads of textures, which Rust does for a whole block.

use super::{Mask, Select};
use crate::jit::call::Computation;
use crate::jit::mir::{Call, MachineOp, NONE, Src};
use vecasm_exec::code::Inst;

impl Select<'_> {
    /// An operation on a texture.
    pub(super) fn read_texture(&mut self, inst: &Inst) {
        let mut lanes = [0; 5];
        let mut args = Vec::new();
        for (to, arg) in lanes.iter_mut().zip(&inst.args) {
            *to = arg.lanes.min(4);
            args.extend(arg.rows.iter().take(usize::from(*to)).map(|&row| self.exact(row)));
        }
        let mask = match self.visible_mask() {
            Mask::Some(v) => Src::V(v),
            _ => Src::None,
        };
        let number = self.out.program.calls.len() as u32;
        self.out.program.calls.push(Call { what: Computation::Texture(inst.op, lanes), args });
        self.push(MachineOp::Ask, NONE, [Src::None, Src::None, mask], number);
        let mut answers = [Src::None; 4];
        for (at, answer) in (0..).zip(answers.iter_mut()).take(inst.out.rows().len()) {
            *answer = self.op(MachineOp::Answer, [Src::None; 3], at);
        }
        self.define(inst, answers);
    }
}
