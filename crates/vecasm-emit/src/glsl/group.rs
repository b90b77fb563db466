//! Questions to the subgroup and the clock, and what else the fragment stage asks: helpers, varyings at another point, levels.

use super::language::Glsl;
use super::rules;
use crate::common::Prec;
use crate::text::helpers::Helper;
use crate::text::{Body, Language as _, Shape};
use alloc::format;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Inst, Op, Scalar, Site, Stage, Type, Vote};

impl<'a> Body<'a, '_, Glsl> {
    /// Writes an operation that GLSL has a function of its own for. Tells whether it did.
    pub(super) fn own(&mut self, inst: &'a Inst, args: &[Arg]) -> bool {
        let version = self.lang.0;
        match inst.op {
            Op::Vote(_) | Op::Ballot | Op::ReadFirst | Op::ReadInvocation => {
                let Some(arg) = args.first().copied() else { return false };
                self.ask_subgroup(inst.op, arg, args);
            }
            Op::IsHelper if version.since(450, 310) => self.out.push_str("gl_HelperInvocation"),
            Op::TextureLod { .. } if version.since(150, u16::MAX) => {
                let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return true };
                let Some(coord) = args.first().copied() else { return false };
                // As the extension has it, and as the language does.
                let lod = if version.since(400, 0) { "textureQueryLod(" } else { "textureQueryLOD(" };
                self.out.push_str(lod);
                self.texture_name(id);
                self.out.push_str(", ");
                let lanes = texture.dim.place_lanes();
                self.arg(Arg { lanes, ..coord }, Shape::Exact, Prec::Lowest);
                self.out.push(')');
            }
            Op::Interpolate { input, site } if version.since(400, 310) => {
                let outside = self.outside;
                let Some(text) = outside.inputs.get(input.index()) else { return false };
                self.out.push_str(match site {
                    Site::Center | Site::Offset => "interpolateAtOffset(",
                    Site::Centroid => "interpolateAtCentroid(",
                    Site::Sample => "interpolateAtSample(",
                });
                self.out.push_str(&text.name);
                match (site, args.first()) {
                    (Site::Center, _) => self.out.push_str(", vec2(0.0)"),
                    (Site::Sample, Some(number)) => {
                        self.out.push_str(", ");
                        self.arg(*number, Shape::Loose, Prec::Lowest);
                    }
                    // Windows of OpenGL have y upwards.
                    (Site::Offset, Some(offset)) => {
                        self.out.push_str(", ");
                        self.arg(*offset, Shape::Exact, Prec::Unary);
                        self.out.push_str(" * vec2(1.0, -1.0)");
                    }
                    _ => {}
                }
                self.out.push(')');
                self.out.push_str(text.after);
            }
            _ => return false,
        }
        true
    }

    fn ask_subgroup(&mut self, op: Op, arg: Arg, args: &[Arg]) {
        let version = self.lang.0;
        let fragment = self.shader.stage == Stage::Fragment;
        let votes = matches!(op, Op::Vote(Vote::Any | Vote::All) | Op::Ballot);
        // Helpers must not count.
        if !version.since(430, 310) || (fragment && votes && !version.since(450, 310)) {
            return self
                .refuse(rules::SUBGROUP, format!("GLSL {version} has no equivalent of `{}`", op_name(op)));
        }
        let ty = Type::new(self.scalar_of(arg), arg.lanes);
        match op {
            Op::Vote(Vote::Equal) => {
                self.out.push_str("subgroupAllEqual(");
                // Bits are compared, not numbers.
                match ty.scalar {
                    Scalar::F32 => {
                        self.out.push_str("floatBitsToUint(");
                        self.arg(arg, Shape::Exact, Prec::Lowest);
                        self.out.push(')');
                    }
                    Scalar::F64 => self.helper(Helper::BitsOfF64, &[arg], arg.lanes),
                    _ => self.arg(arg, Shape::Exact, Prec::Lowest),
                }
                self.out.push(')');
            }
            Op::Vote(vote) => {
                let all = vote == Vote::All;
                self.out.push_str(if all { "subgroupAll(" } else { "subgroupAny(" });
                self.voted(arg, all);
                self.out.push(')');
            }
            Op::Ballot => {
                self.out.push_str("subgroupBallot(");
                self.voted(arg, false);
                self.out.push_str(").xy");
            }
            Op::ReadFirst => self.call("subgroupBroadcastFirst", &[arg], arg.lanes),
            _ => {
                let name = Glsl::type_name(ty);
                // Everybody has to take part, also who asks for one that is not there.
                self.helpers.more(format!(
                    "
{name} read_invocation({name} value, uint number) {{
    bool inside = number < gl_SubgroupSize;
    {name} there = subgroupShuffle(value, inside ? number : 0u);
    return inside ? there : {name}({});
}}
",
                    if ty.scalar == Scalar::Bool { "false" } else { "0" }
                ));
                self.out.push_str("read_invocation(");
                self.arg(arg, Shape::Exact, Prec::Lowest);
                if let Some(number) = args.get(1) {
                    self.out.push_str(", ");
                    self.arg(*number, Shape::Loose, Prec::Lowest);
                }
                self.out.push(')');
            }
        }
    }

    /// A vote, where that of helpers is what does not change the result.
    fn voted(&mut self, vote: Arg, all: bool) {
        if self.shader.stage != Stage::Fragment {
            return self.arg(vote, Shape::Loose, Prec::Lowest);
        }
        self.arg(vote, Shape::Loose, Prec::Relation);
        self.out.push_str(if all { " || gl_HelperInvocation" } else { " && !gl_HelperInvocation" });
    }

    /// Writes the question to the clock.
    pub(super) fn clock(&mut self, inst: &'a Inst) {
        let version = self.lang.0;
        if !version.since(450, u16::MAX) {
            return self
                .refuse(rules::OP, format!("GLSL {version} has no equivalent of `{}`", op_name(inst.op)));
        }
        let Some(value) = inst.result else { return };
        if self.plan.values.get(value.index()).is_none_or(|value| value.uses == 0) {
            return;
        }
        self.line();
        self.name(value);
        let ty = self.ty(value);
        self.declare(ty, true);
        self.push_name(value);
        self.out.push_str(" = clock2x32ARB();\n");
    }
}
