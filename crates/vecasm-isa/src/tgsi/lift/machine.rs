//! The masks of `tgsi_exec`, for [`Compat::TgsiExec`](super::Compat): flow control as that interpreter does it.
//!
//! It runs four invocations at a time, and every instruction for all of them; an instruction writes where each of several
//! masks allows it. So here nothing branches but loops: a register that is written keeps its content where a mask forbids
//! it, effects stand in conditionals of their own, and a loop ends when no invocation of the four is left in it. What
//! an invocation sees of the others follows from that: a destination with a computed index takes that of the first of the
//! four, whether or not it runs, and a BRK that is reached in a SWITCH stops all of them.
//!
//! Labels are those that the structure asks for. What the interpreter does with other ones (it jumps to them) is not
//! done here, and BRK of a loop around a subroutine that is called in it lasts until the subroutine returns, as there.

use super::scan::Instruction;
use super::{Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{ControlFlow, Kit, Lanes, Part, pick_masked};
use crate::table::Flow;
use crate::tgsi::table::{Opcode, Type as Of};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Label, Loop, Node, Op, Pure, Scalar, System, Type, Value};
use vecasm_ir::operand::WriteMask;

/// Where it holds, something happens: one bool lane; `None` is everywhere.
type Mask = Option<Arg>;

/// The masks, all of which must hold.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    cond: Mask,
    in_loop: Mask,
    in_round: Mask,
    in_switch: Mask,
    in_routine: Mask,
    /// Whether BRK is about a switch.
    breaks_switch: bool,
}

impl Masks {
    fn list(&self) -> [Mask; 5] {
        [self.cond, self.in_loop, self.in_round, self.in_switch, self.in_routine]
    }
}

/// What is open.
#[derive(Debug)]
enum Frame {
    If(Mask),
    Loop { before: Masks, label: Label, written: Vec<Part>, params: Vec<Value>, init: Vec<Arg> },
    Switch { before: Masks, selector: Arg, matched: Arg },
    Routine { before: Masks, back: usize },
}

/// The state of the machine.
#[derive(Debug, Default)]
pub(super) struct Machine {
    masks: Masks,
    frames: Vec<Frame>,
    /// All masks together, while none of them changes.
    exec: Option<Arg>,
    /// The number of the first of the four in the subgroup.
    first: Option<Arg>,
}

fn refuse<T>(what: &str) -> Result<T> {
    Err(Refusal::new(NO_MEANING, what))
}

impl Lifter<'_> {
    fn both(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => Some(self.b.pure(Pure::And, &[a, b])),
            (a, b) => a.or(b),
        }
    }

    /// A mask as a value.
    fn bool_of(&mut self, mask: Mask) -> Arg {
        match mask {
            Some(mask) => mask,
            None => Arg::all_lanes(self.b.push_entry(Op::Const([1, 0, 0, 0]), Type::BOOL), 1),
        }
    }

    /// Where `mask` holds and `not` does not.
    fn without(&mut self, mask: Mask, not: Mask) -> Mask {
        let not = self.bool_of(not);
        let rest = self.b.pure(Pure::Not, &[not]);
        self.both(mask, Some(rest))
    }

    /// Where instructions write.
    pub(super) fn exec(&mut self) -> Mask {
        if let Some(exec) = self.machine.exec {
            return Some(exec);
        }
        let mut exec = None;
        for mask in self.machine.masks.list() {
            exec = self.both(exec, mask);
        }
        self.machine.exec = exec;
        exec
    }

    fn masks(&mut self, change: impl FnOnce(&mut Masks)) {
        change(&mut self.machine.masks);
        self.machine.exec = None;
    }

    /// The number of the first of the four invocations in the subgroup.
    fn first_of_four(&mut self) -> Arg {
        if let Some(first) = self.machine.first {
            return first;
        }
        let number = self.number_of(System::SubgroupIndex, "lane");
        let whole = self.b.uint(!3);
        let first = self.b.entry_op(Op::Pure(Pure::And), &[number, whole]);
        self.machine.first = Some(first);
        first
    }

    /// What the first of the four has.
    pub(super) fn of_first(&mut self, value: Arg) -> Arg {
        if self.b.shader.stage.has_vertices() {
            // Such programs are run for one invocation at a time.
            return value;
        }
        let first = self.first_of_four();
        self.b.op(Op::ReadInvocation, &[value, first])
    }

    /// Whether something holds for any of the four, running or not.
    fn any_of_four(&mut self, mask: Arg) -> Arg {
        if self.b.shader.stage.has_vertices() {
            return mask;
        }
        let word = self.b.pure(Pure::ToU32, &[mask]);
        let mut number = self.first_of_four();
        let one = self.b.uint(1);
        let mut any = self.b.op(Op::ReadInvocation, &[word, number]);
        for _ in 1..4 {
            number = self.b.pure(Pure::Add, &[number, one]);
            let other = self.b.op(Op::ReadInvocation, &[word, number]);
            any = self.b.pure(Pure::Or, &[any, other]);
        }
        let zero = self.b.uint(0);
        self.b.pure(Pure::Ne, &[any, zero])
    }

    /// What components of a register hold behind an instruction that writes them: where masks forbid it, what they did.
    pub(super) fn kept_lanes(&mut self, slot: usize, mask: WriteMask, new: &Lanes) -> Lanes {
        let mut out = *new;
        let Some(exec) = self.exec() else { return out };
        let before = self.kit.registers.get(slot);
        let mut parts = Vec::with_capacity(1);
        self.add_parts(slot, mask, &mut parts);
        for part in parts {
            let [new, before] =
                [new, &before].map(|lanes| self.gather(part.scalar, pick_masked(lanes, part.mask)));
            let kept = self.b.pure(Pure::Select, &[exec, new, before]);
            for (n, lane) in part.mask.lanes().enumerate() {
                if let Some(to) = out.get_mut(lane) {
                    *to = Some((kept.value, n as u8));
                }
            }
        }
        out
    }

    /// An instruction of flow control; gives the number of the next one, or `None` at the end of the program.
    pub(super) fn machine_step(&mut self, pc: usize, i: &Instruction<'_>) -> Result<Option<usize>> {
        let next = Some(pc + 1);
        match i.op.row().flow {
            Flow::Straight => {}
            Flow::End => {
                return match self.machine.frames.last() {
                    None => Ok(None),
                    Some(Frame::Routine { .. }) => refuse("END is inside a subroutine"),
                    Some(_) => refuse("a block is still open at the end of the program"),
                };
            }
            Flow::If => {
                let holds = self.condition(i)?;
                let before = self.machine.masks.cond;
                self.push_frame(Frame::If(before))?;
                let cond = self.both(before, Some(holds));
                self.masks(|masks| masks.cond = cond);
            }
            Flow::Else => {
                let Some(Frame::If(before)) = self.machine.frames.last() else {
                    return refuse("ELSE outside a conditional");
                };
                let (before, now) = (*before, self.machine.masks.cond);
                let cond = self.without(before, now);
                self.masks(|masks| masks.cond = cond);
            }
            Flow::EndIf => match self.machine.frames.pop() {
                Some(Frame::If(before)) => self.masks(|masks| masks.cond = before),
                _ => return refuse("ENDIF outside a conditional"),
            },
            Flow::Loop => self.open_round(pc)?,
            Flow::EndLoop => self.close_round()?,
            Flow::Break if i.op == Opcode::Brk => self.stop()?,
            Flow::Continue => {
                let exec = self.exec();
                let in_round = self.without(self.machine.masks.in_round, exec);
                self.masks(|masks| masks.in_round = in_round);
            }
            Flow::Switch => {
                let selector = self.scalar(i, 0, Of::U32)?;
                self.mark();
                let none = Arg::all_lanes(self.b.push_entry(Op::Const([0; 4]), Type::BOOL), 1);
                let before = self.machine.masks;
                self.push_frame(Frame::Switch { before, selector, matched: none })?;
                self.masks(|masks| {
                    masks.in_switch = Some(none);
                    masks.breaks_switch = true;
                });
            }
            Flow::Case | Flow::Default => self.case(i)?,
            Flow::EndSwitch => match self.machine.frames.pop() {
                Some(Frame::Switch { before, .. }) => self.masks(|masks| {
                    masks.in_switch = before.in_switch;
                    masks.breaks_switch = before.breaks_switch;
                }),
                _ => return refuse("ENDSWITCH outside a switch"),
            },
            Flow::Call if i.op == Opcode::Cal => return self.enter(pc, i).map(Some),
            Flow::Return => {
                let exec = self.exec();
                let in_routine = self.without(self.machine.masks.in_routine, exec);
                self.masks(|masks| masks.in_routine = in_routine);
            }
            Flow::Label => return self.program_ends(),
            Flow::EndLabel => {
                let Some(Frame::Routine { before, back }) = self.machine.frames.pop() else {
                    return refuse("ENDSUB outside a called subroutine");
                };
                self.kit.flow.calls.leave();
                self.masks(|masks| *masks = before);
                return Ok(Some(back));
            }
            _ => {
                let what = format!("tgsi_exec has no {}", i.op.row().name);
                return Err(Refusal::new(NO_MEANING, what));
            }
        }
        Ok(next)
    }

    fn program_ends(&self) -> Result<Option<usize>> {
        match self.machine.frames.is_empty() {
            true => Ok(None),
            false => refuse("a block is still open where a subroutine begins"),
        }
    }

    fn push_frame(&mut self, frame: Frame) -> Result<()> {
        self.check_room(self.machine.frames.len())?;
        self.machine.frames.push(frame);
        Ok(())
    }

    /// BRK.
    fn stop(&mut self) -> Result<()> {
        if !self.machine.masks.breaks_switch {
            let inside = self.machine.frames.iter().any(|frame| matches!(frame, Frame::Loop { .. }));
            if !inside {
                return refuse("BRK outside a loop or switch");
            }
            let exec = self.exec();
            let in_loop = self.without(self.machine.masks.in_loop, exec);
            self.masks(|masks| masks.in_loop = in_loop);
            return Ok(());
        }
        // A conditional that nobody enters is jumped over. Whether those who enter are in a case does not matter.
        let stopped = self.machine.masks.cond.map(|cond| self.any_of_four(cond));
        let in_switch = self.without(self.machine.masks.in_switch, stopped);
        self.masks(|masks| masks.in_switch = in_switch);
        Ok(())
    }

    /// CASE and DEFAULT. DEFAULT is for those that no case in front of it was for.
    fn case(&mut self, i: &Instruction<'_>) -> Result<()> {
        let Some(Frame::Switch { before, selector, matched }) = self.machine.frames.last() else {
            return refuse("a case outside a switch");
        };
        let (outer, selector, matched) = (before.in_switch, *selector, *matched);
        let meant = if i.op == Opcode::Default {
            self.b.pure(Pure::Not, &[matched])
        } else {
            let x = self.scalar(i, 0, Of::U32)?;
            self.mark();
            let meant = self.b.pure(Pure::Eq, &[selector, x]);
            let now = self.b.pure(Pure::Or, &[matched, meant]);
            if let Some(Frame::Switch { matched, .. }) = self.machine.frames.last_mut() {
                *matched = now;
            }
            meant
        };
        let added = self.both(Some(meant), outer);
        let (added, present) = (self.bool_of(added), self.bool_of(self.machine.masks.in_switch));
        let in_switch = self.b.pure(Pure::Or, &[present, added]);
        self.masks(|masks| masks.in_switch = Some(in_switch));
        Ok(())
    }

    /// New values for what a loop writes, and for as many masks.
    fn renew(&mut self, written: &[Part], masks: usize) -> Vec<Value> {
        let mut out = self.renew_parts(written);
        for _ in 0..masks {
            out.push(self.b.value(Type::new(Scalar::Bool, 1), None));
        }
        out
    }

    /// The last values of a list as masks.
    fn last_masks<const N: usize>(values: &[Value]) -> [Mask; N] {
        let start = values.len().saturating_sub(N);
        core::array::from_fn(|n| values.get(start + n).map(|value| Arg::all_lanes(*value, 1)))
    }

    fn open_round(&mut self, pc: usize) -> Result<()> {
        let before = self.machine.masks;
        let written = self.written_in(pc)?;
        let mut init = self.present_parts(&written);
        for mask in [before.in_loop, before.in_routine] {
            init.push(self.bool_of(mask));
        }
        let params = self.renew(&written, 2);
        let [in_loop, in_routine] = Self::last_masks(&params);
        let label = self.b.label();
        self.b.open();
        self.push_frame(Frame::Loop { before, label, written, params, init })?;
        self.masks(|masks| {
            masks.in_loop = in_loop;
            masks.in_routine = in_routine;
            masks.breaks_switch = false;
        });
        Ok(())
    }

    fn close_round(&mut self) -> Result<()> {
        let Some(Frame::Loop { before, label, written, params, init }) = self.machine.frames.pop() else {
            return refuse("ENDLOOP outside a loop");
        };
        self.masks(|masks| masks.in_round = before.in_round);
        let exec = self.exec();
        let exec = self.bool_of(exec);
        let any = self.any_of_four(exec);
        let none = self.b.pure(Pure::Not, &[any]);
        let mut values = self.present_parts(&written);
        let in_routine = self.bool_of(self.machine.masks.in_routine);
        values.push(in_routine);
        self.b.open();
        let given = self.b.list(&values);
        self.b.node(Node::Leave { label, values: given });
        self.b.close_where(none);
        values.pop();
        values.push(self.bool_of(self.machine.masks.in_loop));
        values.push(in_routine);
        let body = self.b.close(&values);
        let init = self.b.list(&init);
        let results = self.renew(&written, 1);
        let [in_routine] = Self::last_masks(&results);
        self.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
        self.masks(|masks| *masks = Masks { in_routine, cond: masks.cond, ..before });
        Ok(())
    }

    fn enter(&mut self, pc: usize, i: &Instruction<'_>) -> Result<usize> {
        let before = self.machine.masks;
        self.push_frame(Frame::Routine { before, back: pc + 1 })?;
        let start = self.enter_call(i)?;
        let exec = self.exec();
        self.masks(|masks| masks.in_routine = exec);
        Ok(start + 1)
    }

    /// What stands behind the last instruction.
    pub(super) fn machine_end(&self) -> Result<()> {
        match self.machine.frames.is_empty() {
            true => Ok(()),
            false => refuse("a block is still open at the end of the program"),
        }
    }
}
