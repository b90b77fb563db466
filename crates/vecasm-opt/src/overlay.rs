//! The elements of parameter arrays that the program itself says, for targets whose arrays are filled from outside.

use super::rewrite::Rewrite;
use super::walk::Walk;
use vecasm_ir::ir::{Arg, Inst, Op, OutOfRange, ParamArray, Pure, Scalar, Shader, Type};

/// Has loads [choose](Pure::Select) the [elements that the program says](ParamArray::fixed), so that arrays have none any more;
/// `None` if they have none.
#[must_use]
pub fn overlay(shader: &Shader) -> Option<Shader> {
    if shader.params.iter().all(|array| array.fixed.is_empty()) {
        return None;
    }
    let mut pass = Overlay { rw: Rewrite::new(shader) };
    pass.rw.b.shader.params.iter_mut().for_each(|array| array.fixed.clear());
    pass.nodes(&shader.body);
    Some(pass.rw.b.finish())
}

struct Overlay<'a> {
    rw: Rewrite<'a>,
}

impl<'a> Walk<'a> for Overlay<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let from = self.rw.from;
        let array = inst.op.place().and_then(|place| match place {
            vecasm_ir::ir::op::Place::Param(id) => from.params.get(id.index()),
            _ => None,
        });
        let (Some(array), Some(result)) = (array, inst.result) else { return self.copy_inst(inst, inst.op) };
        self.rw.b.follow(inst);
        let ty = Type::new(array.scalar, 4);
        match (inst.op, from.args(inst.args)) {
            (Op::Param { index, .. }, _) => match array.fixed_at(index) {
                Some(bits) => {
                    let said = self.rw.constant(bits, ty);
                    self.rw.put_arg(result, said);
                }
                None => self.copy_inst(inst, inst.op),
            },
            (Op::ParamAt { offset, rule, .. }, &[index]) if !array.fixed.is_empty() => {
                let index = self.rw.arg(index);
                let mut value = Arg::all_lanes(self.rw.b.push(inst.op, &[index], ty), 4);
                for (element, bits) in &array.fixed {
                    if let Some(test) = self.meets(array, index, (*element, offset), rule) {
                        let said = self.rw.constant(*bits, ty);
                        value = self.rw.b.pure(Pure::Select, &[test, said, value]);
                    }
                }
                self.rw.keep_home(result, value.value);
                self.rw.put_arg(result, value);
            }
            _ => self.copy_inst(inst, inst.op),
        }
    }
}

impl Overlay<'_> {
    /// Whether an index plus an offset means an element. `None` if none does.
    fn meets(
        &mut self,
        array: &ParamArray,
        index: Arg,
        (element, offset): (u32, i32),
        rule: OutOfRange,
    ) -> Option<Arg> {
        let at = i64::from(element) - i64::from(offset);
        let clamps = rule == OutOfRange::Clamp;
        // What lies outside means the first or the last one.
        let (test, bound) = match element {
            0 if clamps && array.size == 1 => (Pure::Eq, None),
            0 if clamps => (Pure::Lt, Some(at + 1)),
            last if clamps && last + 1 == array.size => (Pure::Ge, Some(at)),
            _ => (Pure::Eq, Some(at)),
        };
        let Some(bound) = bound else {
            return Some(self.rw.constant([1, 0, 0, 0], Type::BOOL));
        };
        match i32::try_from(bound) {
            Ok(bound) => {
                let bound = self.rw.constant([bound as u32, 0, 0, 0], Type::new(Scalar::I32, 1));
                Some(self.rw.b.pure(test, &[index, bound]))
            }
            // No i32 is there, or each is.
            Err(_) if (test == Pure::Lt) == (bound > 0) && test != Pure::Eq => {
                Some(self.rw.constant([1, 0, 0, 0], Type::BOOL))
            }
            Err(_) => None,
        }
    }
}
