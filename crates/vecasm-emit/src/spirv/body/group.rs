//! Questions to the subgroup, and the clock.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{builtin, capability, op, scope, storage};
use super::Body;
use alloc::format;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Op, Scalar, Stage, Type, Vote};

impl<'a> Body<'a> {
    /// Whether subgroups can be asked; refuses if not.
    pub(super) fn has_subgroups(&mut self, what: &str) -> bool {
        let there = self.m.since(3);
        if there {
            self.m.capability(capability::GROUP_NON_UNIFORM);
        } else {
            let environment = self.options.environment.name();
            self.refuse(rules::SUBGROUP, format!("{environment} has no subgroups: {what}"));
        }
        there
    }

    pub(super) fn ask_subgroup(&mut self, what: Op, args: &[Arg]) -> Id {
        let Some(arg) = args.first().copied() else { return 0 };
        if !self.has_subgroups(op_name(what)) {
            return 0;
        }
        let (bool, uint) = (self.m.ty(Type::BOOL), self.m.ty(Type::U32));
        let subgroup = self.m.uint(scope::SUBGROUP);
        let of = Type::new(self.scalar_of(arg), arg.lanes);
        let ty = self.m.ty(of);
        match what {
            Op::Vote(Vote::Equal) => {
                self.m.capability(capability::GROUP_NON_UNIFORM_VOTE);
                let id = self.arg(arg);
                // Bits are compared, not numbers.
                let bits = match of.scalar {
                    Scalar::F32 => Some(Scalar::U32),
                    Scalar::F64 => Some(Scalar::U64),
                    _ => None,
                };
                let id = match bits {
                    Some(scalar) => {
                        let ty = self.ty(scalar, of.lanes);
                        self.op(op::BITCAST, ty, &[id])
                    }
                    None => id,
                };
                self.op(op::GROUP_NON_UNIFORM_ALL_EQUAL, bool, &[subgroup, id])
            }
            Op::Vote(vote) => {
                self.m.capability(capability::GROUP_NON_UNIFORM_VOTE);
                let id = self.arg(arg);
                let all = vote == Vote::All;
                let id = self.voted(id, all);
                let code = if all { op::GROUP_NON_UNIFORM_ALL } else { op::GROUP_NON_UNIFORM_ANY };
                self.op(code, bool, &[subgroup, id])
            }
            Op::Ballot => {
                self.m.capability(capability::GROUP_NON_UNIFORM_BALLOT);
                let id = self.arg(arg);
                let id = self.voted(id, false);
                let (two, four) = (self.ty(Scalar::U32, 2), self.ty(Scalar::U32, 4));
                let all = self.op(op::GROUP_NON_UNIFORM_BALLOT, four, &[subgroup, id]);
                self.op(op::VECTOR_SHUFFLE, two, &[all, all, 0, 1])
            }
            Op::ReadFirst => {
                self.m.capability(capability::GROUP_NON_UNIFORM_BALLOT);
                let id = self.arg(arg);
                self.op(op::GROUP_NON_UNIFORM_BROADCAST_FIRST, ty, &[subgroup, id])
            }
            _ => {
                self.m.capability(capability::GROUP_NON_UNIFORM_SHUFFLE);
                let Some(number) = args.get(1).copied() else { return 0 };
                let id = self.arg(arg);
                let number = self.lane(number, 0);
                let size = self.builtin(builtin::SUBGROUP_SIZE, Type::U32, storage::INPUT);
                let size = self.load(uint, size);
                let inside = self.op(op::U_LESS_THAN, bool, &[number, size]);
                let none = self.m.uint(0);
                let near = self.op(op::SELECT, uint, &[inside, number, none]);
                let there = self.op(op::GROUP_NON_UNIFORM_SHUFFLE, ty, &[subgroup, id, near]);
                let zero = self.m.splat(of, 0);
                self.select(of, inside, there, zero)
            }
        }
    }

    /// A vote, as helpers must not count: theirs is what does not change the result.
    fn voted(&mut self, vote: Id, all: bool) -> Id {
        if self.shader.stage != Stage::Fragment {
            return vote;
        }
        let bool = self.m.ty(Type::BOOL);
        let helper = self.is_helper();
        if all {
            return self.op(op::LOGICAL_OR, bool, &[vote, helper]);
        }
        let counts = self.op(op::LOGICAL_NOT, bool, &[helper]);
        self.op(op::LOGICAL_AND, bool, &[vote, counts])
    }

    /// A counter that grows.
    pub(super) fn clock(&mut self) -> Id {
        self.m.capability(capability::SHADER_CLOCK);
        self.m.extension("SPV_KHR_shader_clock", None);
        let ty = self.ty(Scalar::U32, 2);
        let subgroup = self.m.uint(scope::SUBGROUP);
        self.op(op::READ_CLOCK, ty, &[subgroup])
    }
}
