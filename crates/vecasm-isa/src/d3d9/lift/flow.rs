//! Conditionals, loops and subroutines of programs, which the kit under all lifts builds.

use super::operands::Instruction;
use super::registers::{self, COUNTER, Read};
use super::scan::{Code, Written};
use super::{FLOW, LIMIT, Lifter, Refusal, Result};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::lift::{ControlFlow, Exit, FlowError, Frame, Kit, Part, get_lane};
use alloc::format;
use alloc::vec::Vec;
use core::iter::once;
use vecasm_ir::diag::Rule;
use vecasm_ir::ir::{Arg, Home, Pure, Scalar};
use vecasm_ir::operand::WriteMask;

/// How a loop that is open counts.
#[derive(Clone, Copy)]
pub(super) struct Counter {
    /// The rounds that are left.
    left: Arg,
    /// How the counter aL changes, if the loop has one.
    step: Option<Arg>,
}

/// The registers that are written and their lanes.
fn parts_of(written: &Written) -> Vec<Part> {
    let masks = written.masks.iter().map(|mask| WriteMask::from_bits(*mask)).enumerate();
    let written = masks.filter(|(_, mask)| *mask != WriteMask::NONE);
    written.map(|(slot, mask)| Part { slot, mask, scalar: registers::scalar_of(slot) }).collect()
}

impl ControlFlow for Lifter<'_> {
    const LIMIT: &'static Rule = LIMIT;

    fn refuse_flow(error: FlowError) -> Refusal {
        let what = match error {
            FlowError::Else | FlowError::SecondElse => "there is no open conditional",
            FlowError::EndIf => "there is no conditional to close",
            FlowError::EndLoop => "there is no loop to close",
            FlowError::Exit(Exit::Break | Exit::Continue) => "there is no loop to leave",
            FlowError::Exit(Exit::Return) => "there is nothing to return from",
            FlowError::Open => "a block is still open at the end of the program",
            FlowError::OpenInRoutine => "a block is still open where a subroutine begins",
        };
        Refusal::new(FLOW, what)
    }

    fn home_of(&self, slot: usize) -> Home {
        registers::home_of(slot)
    }

    fn scalar_of(&self, slot: usize, _: usize) -> Scalar {
        registers::scalar_of(slot)
    }
}

impl Lifter<'_> {
    /// An instruction of flow control; gives the place of the next one.
    pub(super) fn flow(&mut self, pc: usize, code: Code) -> Result<Option<usize>> {
        let next = Some(pc + 1);
        // A label in a block that is not run is not seen.
        let hidden = self.kit.flow.dead && !self.kit.flow.in_routine() && code.op == Opcode::Label;
        if hidden || self.skips(code.op.row().flow)? {
            return Ok(next);
        }
        let i = self.decode(code)?;
        match i.op {
            Opcode::If | Opcode::Ifc => {
                let cond = self.test(&i)?;
                self.open_if(cond)?;
            }
            Opcode::Else => self.open_else()?,
            Opcode::Endif => self.close_if()?,
            Opcode::Loop | Opcode::Rep => self.open_rounds(pc, &i)?,
            Opcode::Endloop | Opcode::Endrep => self.close_rounds(i.op == Opcode::Endloop)?,
            Opcode::Break => self.exit(Exit::Break)?,
            Opcode::Breakc | Opcode::Breakp => {
                let cond = self.test(&i)?;
                self.break_if(cond)?;
            }
            Opcode::Call => return self.call(pc, &i, false).map(Some),
            Opcode::Callnz => {
                let cond = self.test(&i)?;
                self.open_if(cond)?;
                return self.call(pc, &i, true).map(Some);
            }
            // A label ends what stands before it.
            Opcode::Ret | Opcode::Label => return self.return_from(pc, i.op == Opcode::Label),
            _ => {}
        }
        Ok(next)
    }

    /// The condition of an instruction, whose step ends with it.
    fn test(&mut self, i: &Instruction) -> Result<Arg> {
        let cond = match i.op {
            Opcode::Ifc | Opcode::Breakc => {
                let (a, b) = (self.scalar(i, 0)?, self.scalar(i, 1)?);
                self.comparison(i, a, b)?
            }
            Opcode::Callnz => self.condition(i.source(1)?.source)?,
            _ => self.condition(i.source(0)?.source)?,
        };
        self.mark();
        Ok(cond)
    }

    /// Opens a loop of a number of rounds.
    fn open_rounds(&mut self, pc: usize, i: &Instruction) -> Result<()> {
        let counts = i.op == Opcode::Loop;
        let lanes = self.integers(i.source(usize::from(counts))?.source)?;
        let lane = |this: &mut Self, n: usize| this.gather(Scalar::I32, once(get_lane(&lanes, n)));
        let rounds = (lane(self, 0), None);
        let counter = counts.then(|| (lane(self, 1), Some(COUNTER)));
        let step = counts.then(|| lane(self, 2));
        self.mark();
        let Some(cycle) = self.scan.loop_at(pc) else {
            return Err(Refusal::new(FLOW, "there is no such loop"));
        };
        let written = parts_of(&cycle.written);
        let carried: Vec<_> = once(rounds).chain(counter).collect();
        let Some(&left) = self.open_loop(written, &carried)?.first() else { return Ok(()) };
        let left = Arg::lane(left, 0);
        self.counters.push(Counter { left, step });
        // No rounds are left.
        let one = self.b.int(1);
        let over = self.b.pure(Pure::Lt, &[left, one]);
        self.break_if(over)
    }

    /// Closes a loop of a number of rounds.
    fn close_rounds(&mut self, counts: bool) -> Result<()> {
        let open = matches!(self.kit.flow.innermost(), Some(Frame::Loop { .. }));
        let Some(Counter { left, step }) = self.counters.pop().filter(|_| open) else {
            return Err(Self::refuse_flow(FlowError::EndLoop));
        };
        if counts != step.is_some() {
            return Err(Refusal::new(FLOW, "endloop closes loop, and endrep closes rep"));
        }
        self.close_loop(|this| {
            let one = this.b.int(1);
            let mut next = alloc::vec![this.b.pure(Pure::Sub, &[left, one])];
            if let Some(step) = step {
                let Read { lanes, .. } = this.renamed(COUNTER);
                let counter = this.gather(Scalar::I32, once(lanes[0]));
                next.push(this.b.pure(Pure::Add, &[counter, step]));
            }
            next
        })
    }

    /// Begins a subroutine; gives the place of its first instruction.
    fn call(&mut self, pc: usize, i: &Instruction, conditional: bool) -> Result<usize> {
        let source = i.source(0)?.source;
        let number = source.number();
        let at = self.scan.subroutine(number).filter(|_| source.reg_type() == Some(RegType::Label));
        let Some(section) = at.and_then(|at| self.scan.sections.get(at)) else {
            return Err(Refusal::new(FLOW, format!("there is no label l{number}")));
        };
        let (start, early) = (section.start, section.early);
        let written = if early { parts_of(&section.written) } else { Vec::new() };
        self.open_call(number.into(), format_args!("l{number}"))?;
        self.open_routine(early, written, Some(pc + 1), conditional)?;
        Ok(start)
    }
}
