//! Questions to the subgroup, which Direct3D calls a wave: from model 6.0 on.

use super::Model;
use super::language::Hlsl;
use crate::common::Prec;
use crate::text::{Body, Language as _, Shape};
use alloc::format;
use vecasm_ir::ir::{Arg, Op, Scalar, System, Type, Vote};

/// The function for a system value of the wave.
pub(super) fn system(system: System, model: Model) -> Option<&'static str> {
    match system {
        System::SubgroupSize if model.since(Model::SM6_0) => Some("WaveGetLaneCount()"),
        System::SubgroupIndex if model.since(Model::SM6_0) => Some("WaveGetLaneIndex()"),
        _ => None,
    }
}

impl Body<'_, '_, Hlsl> {
    /// Writes a question to the wave. Helpers are inactive there. Tells whether it was one.
    pub(super) fn ask_wave(&mut self, op: Op, args: &[Arg]) -> bool {
        let Some(arg) = args.first().copied() else { return false };
        if !op.needs_subgroup() || !self.lang.0.since(Model::SM6_0) {
            return false;
        }
        let ty = Type::new(self.scalar_of(arg), arg.lanes);
        match op {
            Op::Vote(Vote::Any) => self.call("WaveActiveAnyTrue", &[arg], 1),
            Op::Vote(Vote::All) => self.call("WaveActiveAllTrue", &[arg], 1),
            Op::Vote(Vote::Equal) => {
                self.out.push_str("all(WaveActiveAllEqual(");
                // Bits are compared, not numbers.
                let float = ty.scalar == Scalar::F32;
                self.out.push_str(if float { "asuint(" } else { "" });
                self.arg(arg, Shape::Exact, Prec::Lowest);
                self.out.push_str(if float { ")))" } else { "))" });
            }
            Op::Ballot => {
                self.call("WaveActiveBallot", &[arg], 1);
                self.out.push_str(".xy");
            }
            Op::ReadFirst => self.call("WaveReadLaneFirst", &[arg], arg.lanes),
            Op::ReadInvocation => {
                let name = Hlsl::type_name(ty);
                let zero = match ty.scalar {
                    Scalar::Bool => "false",
                    Scalar::F32 => "0.0",
                    _ => "0",
                };
                let zeros = [zero; 4][..usize::from(ty.lanes.clamp(1, 4))].join(", ");
                // Everybody has to take part, also who asks for one that is not there.
                self.helpers.more(format!(
                    "
{name} read_invocation({name} value, uint number) {{
    bool inside = number < WaveGetLaneCount();
    {name} there = WaveReadLaneAt(value, inside ? number : 0u);
    if (inside) {{
        return there;
    }}
    return {name}({zeros});
}}
"
                ));
                self.out.push_str("read_invocation(");
                self.arg(arg, Shape::Exact, Prec::Lowest);
                if let Some(number) = args.get(1) {
                    self.out.push_str(", ");
                    self.arg(*number, Shape::Loose, Prec::Lowest);
                }
                self.out.push(')');
            }
            _ => return false,
        }
        true
    }
}
