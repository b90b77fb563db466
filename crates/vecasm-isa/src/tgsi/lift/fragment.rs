//! What only fragment programs have: derivatives, interpolation anew, ends of fragments, the framebuffer; and questions to
//! the subgroup, which is four invocations here unless a run says otherwise.

use super::options::Fault;
use super::registers::INPUT;
use super::scan::{Instruction, Place};
use super::{Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{EMPTY, Kit, Lanes, all_lanes, pick_swizzled};
use crate::tgsi::names::{File, Semantic};
use crate::tgsi::program::Operand;
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Arg, Home, InputKind, Op, Pure, Scalar, Site, Slope, Stage, Type, Vote};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    let mask = i.to.first().map_or(WriteMask::NONE, |to| to.mask);
    match i.op {
        Opcode::Ddx | Opcode::Ddy | Opcode::DdxFine | Opcode::DdyFine => {
            lifter.only_in_fragments(i)?;
            let value = lifter.read(i, 0, mask, Taken::F32)?;
            let op = match i.op {
                Opcode::Ddx => Op::Ddx(Slope::Coarse),
                Opcode::Ddy => Op::Ddy(Slope::Coarse),
                Opcode::DdxFine => Op::Ddx(Slope::Fine),
                _ => Op::Ddy(Slope::Fine),
            };
            let slope = lifter.b.op(op, &[value]);
            lifter.write(i, slope)?;
        }
        Opcode::InterpCentroid | Opcode::InterpSample | Opcode::InterpOffset => {
            lifter.only_in_fragments(i)?;
            let value = lifter.interpolated(i, mask)?;
            lifter.write(i, value)?;
        }
        Opcode::Kill | Opcode::Demote => {
            lifter.only_in_fragments(i)?;
            let yes = lifter.constant_bool(true);
            lifter.effect(Op::Demote, &[yes]);
        }
        Opcode::KillIf => {
            lifter.only_in_fragments(i)?;
            let value = lifter.read(i, 0, WriteMask::ALL, Taken::F32)?;
            let zero = lifter.b.splat(0.0, value.lanes);
            let below = lifter.b.pure(Pure::Lt, &[value, zero]);
            let any = lifter.b.pure(Pure::Any, &[below]);
            lifter.effect(Op::Demote, &[any]);
        }
        Opcode::ReadHelper => {
            lifter.only_in_fragments(i)?;
            let helper = lifter.b.op(Op::IsHelper, &[]);
            let word = lifter.all_bits(helper);
            lifter.write_same(i, word)?;
        }
        Opcode::Fbfetch => {
            lifter.only_in_fragments(i)?;
            let target = lifter.target(i)?;
            let color = lifter.b.op(Op::Framebuffer { target }, &[]);
            let swizzle = i.from.first().map_or(Swizzle::IDENTITY, |from| from.swizzle);
            let lanes = mask.lanes().map(|lane| (color.value, swizzle.get(lane)));
            let color = lifter.b.gather(lanes);
            lifter.write(i, color)?;
        }
        Opcode::VoteAny | Opcode::VoteAll | Opcode::VoteEq => {
            let value = lifter.read(i, 0, mask, Taken::U32)?;
            let mut answers = Vec::with_capacity(4);
            for lane in 0..value.lanes {
                let one = Arg { swizzle: Swizzle::splat(value.swizzle.get(lane.into())), lanes: 1, ..value };
                let (vote, asked) = match i.op {
                    Opcode::VoteEq => (Vote::Equal, one),
                    op => {
                        let zero = lifter.b.uint(0);
                        let set = lifter.b.pure(Pure::Ne, &[one, zero]);
                        (if op == Opcode::VoteAny { Vote::Any } else { Vote::All }, set)
                    }
                };
                let answer = lifter.b.op(Op::Vote(vote), &[asked]);
                answers.push(lifter.all_bits(answer));
            }
            let answers =
                if answers.is_empty() { return Ok(true) } else { lifter.b.op(Op::Compose, &answers) };
            lifter.write(i, answers)?;
        }
        Opcode::Ballot => {
            let value = lifter.scalar(i, 0, Taken::U32)?;
            let zero = lifter.b.uint(0);
            let set = lifter.b.pure(Pure::Ne, &[value, zero]);
            let votes = lifter.b.op(Op::Ballot, &[set]);
            let parts = [(votes.value, 0), (votes.value, 1), (zero.value, 0), (zero.value, 0)];
            let lanes = mask.lanes().filter_map(|lane| parts.get(lane).copied());
            let votes = lifter.b.gather(lanes);
            lifter.write(i, votes)?;
        }
        Opcode::ReadFirst => {
            let value = lifter.read(i, 0, mask, Taken::Bits)?;
            let value = lifter.b.op(Op::ReadFirst, &[value]);
            lifter.write(i, value)?;
        }
        Opcode::ReadInvoc => {
            let value = lifter.read(i, 0, mask, Taken::Bits)?;
            let number = lifter.scalar(i, 1, Taken::U32)?;
            let value = lifter.b.op(Op::ReadInvocation, &[value, number]);
            lifter.write(i, value)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

impl Lifter<'_> {
    fn only_in_fragments(&self, i: &Instruction<'_>) -> Result<()> {
        if self.b.shader.stage == Stage::Fragment {
            return Ok(());
        }
        let name = i.op.row().name;
        Err(Refusal::new(NO_MEANING, format!("{name} outside a fragment program")))
    }

    /// An input at another point of the pixel, a lane for each lane of the mask.
    fn interpolated(&mut self, i: &Instruction<'_>, mask: WriteMask) -> Result<Arg> {
        let mut operand = Self::source(i, 0)?;
        if self.options.compat.has(Fault::InterpolatedSwizzle) {
            // It interpolates the components as they are.
            operand = Operand { swizzle: Swizzle::IDENTITY, absolute: false, negate: false, ..operand };
        }
        let (place, read) = (self.scan.place(&operand)?, operand.swizzle.read_mask(mask));
        if let Place::Input(n) = place {
            let Some(lanes) = self.interpolated_input(i, n)? else {
                return self.read(i, 0, mask, Taken::F32);
            };
            let index = self.scan.inputs.get(n).map_or(0, |declared| declared.index);
            self.kit.steps.note_read(Cell::Register(Home { file: INPUT, index }), read, &lanes);
            let value = self.gather(Scalar::F32, pick_swizzled(&lanes, operand.swizzle, mask));
            return Ok(self.modified(&operand, value, Taken::F32));
        }
        let Place::ElementAt { array, .. } = place else {
            let name = i.op.row().name;
            return Err(Refusal::new(NO_MEANING, format!("{name} of a register that is not an input")));
        };
        // One of several: each is interpolated, and the one that is meant chosen.
        let Some(array) = self.scan.arrays.get(array).copied().filter(|array| array.file == File::In) else {
            return Err(Refusal::new(NO_MEANING, "only inputs can be interpolated"));
        };
        let index = self.index(operand.indirect)?;
        let offset = self.b.int(operand.index.into());
        let index = self.b.pure(Pure::Add, &[index, offset]);
        let mut result = self.b.splat(0.0, mask.count() as u8);
        for n in 0..self.scan.inputs.len() {
            let Some(number) = self.scan.inputs.get(n).map(|declared| declared.index) else { break };
            if !(array.first..=array.last).contains(&number) {
                continue;
            }
            let lanes = match self.interpolated_input(i, n)? {
                Some(lanes) => lanes,
                None => self.input(n)?,
            };
            let value = self.gather(Scalar::F32, pick_swizzled(&lanes, operand.swizzle, mask));
            let number = self.b.int(number.into());
            let meant = self.b.pure(Pure::Eq, &[index, number]);
            result = self.b.pure(Pure::Select, &[meant, value, result]);
        }
        Ok(self.modified(&operand, result, Taken::F32))
    }

    /// The four lanes of an input at the point that an instruction says; nothing if it is the same everywhere.
    fn interpolated_input(&mut self, i: &Instruction<'_>, n: usize) -> Result<Option<Lanes>> {
        let Some(input) = self.inputs.get(n).copied().flatten() else {
            return Err(Refusal::new(NO_MEANING, "no such input"));
        };
        let declared = self.b.shader.inputs.get(input.index());
        let varies = declared.is_some_and(|input| {
            matches!(input.kind, InputKind::Varying { .. }) && input.ty.scalar == Scalar::F32
        });
        if !varies {
            return Ok(None);
        }
        let at = |this: &mut Self, site: Site, args: &[Arg]| {
            this.b.op(Op::Interpolate { input, site }, args).value
        };
        Ok(Some(match i.op {
            Opcode::InterpSample => {
                let number = self.scalar(i, 1, Taken::I32)?;
                all_lanes(at(self, Site::Sample, &[number]))
            }
            Opcode::InterpOffset => {
                let xy = WriteMask::from_bits(3);
                let by = self.read(i, 1, xy, Taken::F32)?;
                let given = i.from.get(1).is_some_and(|from| matches!(from.file, File::Imm | File::Const));
                if self.options.compat.has(Fault::InterpolationOffset) && !given {
                    // It takes the offset of each component from the invocation with that number.
                    let mut lanes = EMPTY;
                    for (lane, to) in lanes.iter_mut().enumerate() {
                        let number = self.b.uint(lane as u32);
                        let by = self.b.op(Op::ReadInvocation, &[by, number]);
                        *to = Some((at(self, Site::Offset, &[by]), lane as u8));
                    }
                    lanes
                } else {
                    all_lanes(at(self, Site::Offset, &[by]))
                }
            }
            _ => all_lanes(at(self, Site::Centroid, &[])),
        }))
    }

    fn constant_bool(&mut self, value: bool) -> Arg {
        Arg::all_lanes(self.b.push_entry(Op::Const([value.into(), 0, 0, 0]), Type::BOOL), 1)
    }

    /// All bits of a word where something holds, else none.
    fn all_bits(&mut self, holds: Arg) -> Arg {
        let (all, none) = (self.b.uint(u32::MAX), self.b.uint(0));
        self.b.pure(Pure::Select, &[holds, all, none])
    }

    /// The render target whose colour an FBFETCH asks for.
    fn target(&self, i: &Instruction<'_>) -> Result<u8> {
        let place = i.from.first().and_then(|from| self.scan.place(from).ok());
        let Some(Place::Output(output)) = place else {
            return Err(Refusal::new(NO_MEANING, "FBFETCH of a register that is not an output"));
        };
        let semantic = self.scan.outputs.get(output).and_then(|output| output.semantic);
        let color = semantic.filter(|semantic| semantic.name == Semantic::Color);
        let target = color.and_then(|color| u8::try_from(color.index).ok());
        target.ok_or_else(|| Refusal::new(NO_MEANING, "FBFETCH of an output that is not a colour"))
    }
}
