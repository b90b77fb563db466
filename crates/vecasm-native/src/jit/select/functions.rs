//! Elementary functions of f32: what `vecasm::math` computes, the same operations in the same order.

use super::Select;
use crate::jit::mir::Src;
use vecasm::exec::code::Calc;

impl Select<'_> {
    /// A function, if there are instructions for it.
    pub(super) fn function(&mut self, calc: &Calc, rows: [u32; 4], args: [Src; 3]) -> Option<Src> {
        let _ = (calc, rows, args);
        None
    }
}
