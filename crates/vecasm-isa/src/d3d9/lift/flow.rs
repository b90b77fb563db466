//! Conditionals, loops and subroutines. What branches write becomes results of the conditional, what a loop writes goes
//! round as its parameters, and a subroutine is written out where it is called.

use super::operands::Instruction;
use super::registers::{COUNTER, Read, scalar_of};
use super::scan::{Code, Written};
use super::{FLOW, LIMIT, Lifter, Refusal, Result};
use crate::d3d9::program::Source;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::lift::{Kit, Lanes, pick_masked};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Block, If, Label, Loop, Node, Pure, Region, Scalar, Type, Value};
use vecasm_ir::operand::WriteMask;

/// Blocks that may be open, calls included. Each is up to two regions of the shader, loops three.
const MAX_BLOCKS: usize = 64;

/// What is open.
pub(super) enum Frame {
    /// A conditional.
    If {
        cond: Arg,
        before: Vec<Lanes>,
        /// The branch that is over: what it is, what registers hold at its end, and whether the end is not reached.
        then: Option<(Region, Vec<Lanes>, bool)>,
    },
    /// A loop.
    Loop {
        label: Label,
        written: Written,
        params: Vec<Value>,
        init: Vec<Arg>,
        before: Vec<Lanes>,
        /// The rounds that are left.
        left: Arg,
        /// How the counter aL changes, if the loop has one.
        step: Option<Arg>,
    },
    /// The main program or a subroutine.
    Routine {
        /// The block that early returns leave.
        label: Option<Label>,
        written: Written,
        before: Vec<Lanes>,
        /// Where to go on; `None` in the main program.
        back: Option<usize>,
        /// Whether it stands in a conditional of its own.
        conditional: bool,
    },
    /// Something that is not run.
    Skipped,
}

/// The registers that are written and their lanes.
fn each(written: &Written) -> impl Iterator<Item = (usize, WriteMask)> + '_ {
    let masks = written.masks.iter().enumerate();
    masks.map(|(slot, mask)| (slot, WriteMask::from_bits(*mask))).filter(|(_, mask)| *mask != WriteMask::NONE)
}

impl Lifter<'_> {
    /// What stands before the first instruction.
    pub(super) fn begin(&mut self) {
        let Some(main) = self.scan.sections.first() else { return };
        if main.early {
            let label = self.b.label();
            self.b.open();
            self.frames.push(Frame::Routine {
                label: Some(label),
                // Nothing is read behind the program but outputs, which are cells.
                written: Written { masks: [0; super::registers::REGISTERS] },
                before: Vec::new(),
                back: None,
                conditional: false,
            });
        }
    }

    /// What stands behind the last one.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.frames.pop() {
            None => {}
            Some(Frame::Routine { label: Some(label), back: None, .. }) => {
                let body = self.b.close(&[]);
                self.b.node(Node::Block(Box::new(Block { label, body, results: Vec::new() })));
            }
            Some(_) => return Err(Refusal::new(FLOW, "a block is still open at the end of the program")),
        }
        self.dead = false;
        self.results();
        Ok(())
    }

    /// An instruction of flow control; gives the place of the next one.
    pub(super) fn flow(&mut self, pc: usize, code: Code) -> Result<Option<usize>> {
        let next = Some(pc + 1);
        if self.dead {
            match code.op {
                Opcode::If | Opcode::Ifc | Opcode::Loop | Opcode::Rep => {
                    self.push(Frame::Skipped)?;
                    return Ok(next);
                }
                Opcode::Else if matches!(self.frames.last(), Some(Frame::Skipped)) => return Ok(next),
                Opcode::Endif | Opcode::Endloop | Opcode::Endrep
                    if matches!(self.frames.last(), Some(Frame::Skipped)) =>
                {
                    self.frames.pop();
                    return Ok(next);
                }
                Opcode::Else | Opcode::Endif | Opcode::Endloop | Opcode::Endrep => {}
                Opcode::Ret | Opcode::Label
                    if matches!(self.frames.last(), None | Some(Frame::Routine { .. })) => {}
                _ => return Ok(next),
            }
        }
        let i = self.decode(code)?;
        match i.op {
            Opcode::If => {
                let cond = self.condition(i.source(0)?.source)?;
                self.open_if(cond)?;
            }
            Opcode::Ifc => {
                let cond = self.compared(&i)?;
                self.open_if(cond)?;
            }
            Opcode::Else => self.otherwise()?,
            Opcode::Endif => self.close_if()?,
            Opcode::Loop | Opcode::Rep => self.open_loop(pc, &i)?,
            Opcode::Endloop | Opcode::Endrep => self.close_loop(i.op == Opcode::Endloop)?,
            Opcode::Break => self.leave_loop()?,
            Opcode::Breakc => {
                let cond = self.compared(&i)?;
                self.leave_loop_if(cond)?;
            }
            Opcode::Breakp => {
                let cond = self.condition(i.source(0)?.source)?;
                self.leave_loop_if(cond)?;
            }
            Opcode::Call => return self.call(pc, &i, false).map(Some),
            Opcode::Callnz => {
                let cond = self.condition(i.source(1)?.source)?;
                self.open_if(cond)?;
                return self.call(pc, &i, true).map(Some);
            }
            // A label ends what stands before it.
            Opcode::Ret | Opcode::Label => return self.ret(pc, i.op == Opcode::Label),
            _ => {}
        }
        Ok(next)
    }

    fn push(&mut self, frame: Frame) -> Result<()> {
        if self.frames.len() >= MAX_BLOCKS {
            return Err(Refusal::new(LIMIT, format!("blocks are nested more than {MAX_BLOCKS} deep")));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn compared(&mut self, i: &Instruction) -> Result<Arg> {
        let (a, b) = (self.scalar(i, 0)?, self.scalar(i, 1)?);
        self.comparison(i, a, b)
    }

    fn open_if(&mut self, cond: Arg) -> Result<()> {
        self.mark();
        self.push(Frame::If { cond, before: self.state.clone(), then: None })?;
        self.b.open();
        Ok(())
    }

    fn otherwise(&mut self) -> Result<()> {
        let refusal = || Refusal::new(FLOW, "there is no open conditional");
        let Some(Frame::If { before, then: then @ None, .. }) = self.frames.last_mut() else {
            return Err(refusal());
        };
        let region = self.b.close(&[]);
        let state = core::mem::replace(&mut self.state, before.clone());
        *then = Some((region, state, core::mem::take(&mut self.dead)));
        self.b.open();
        Ok(())
    }

    fn close_if(&mut self) -> Result<()> {
        let Some(Frame::If { cond, before, then }) = self.frames.pop() else {
            return Err(Refusal::new(FLOW, "there is no conditional to close"));
        };
        // The branch that is over, or, without `else`, nothing behind this one.
        let (then, a, a_dead) = match then {
            Some(then) => then,
            None => {
                let region = self.b.close(&[]);
                let state = core::mem::replace(&mut self.state, before.clone());
                let dead = core::mem::take(&mut self.dead);
                self.b.open();
                (region, state, dead)
            }
        };
        let b_dead = self.dead;
        let a = if a_dead { before.clone() } else { a };
        let b = if b_dead { before } else { core::mem::take(&mut self.state) };
        // What the branches disagree on is what the conditional gives.
        let mut differ: Vec<(usize, WriteMask)> = Vec::new();
        if !(a_dead && b_dead) {
            for (slot, (x, y)) in a.iter().zip(&b).enumerate() {
                let lanes = (0..4).filter(|&lane| x[lane] != y[lane]);
                let mask = WriteMask::from_bits(lanes.fold(0, |bits, lane| bits | 1 << lane));
                if mask != WriteMask::NONE {
                    differ.push((slot, mask));
                }
            }
        }
        let otherwise = self.close_region(|this| this.lanes_in(&b, &differ));
        self.b.reopen(then);
        let then = self.close_region(|this| this.lanes_in(&a, &differ));
        self.state = b;
        let results = self.fresh(&differ);
        self.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
        self.dead = a_dead && b_dead;
        Ok(())
    }

    /// Closes a region with what it yields, unless it ends in an exit.
    fn close_region(&mut self, yields: impl FnOnce(&mut Self) -> Vec<Arg>) -> Region {
        let yields = if self.b.at_exit() { Vec::new() } else { yields(self) };
        self.b.close(&yields)
    }

    /// An argument for each register of a list, of its lanes.
    fn lanes_in(&mut self, state: &[Lanes], list: &[(usize, WriteMask)]) -> Vec<Arg> {
        let mut out = Vec::with_capacity(list.len());
        for &(slot, mask) in list {
            let lanes = state.get(slot).copied().unwrap_or_default();
            out.push(self.gather(scalar_of(slot), pick_masked(&lanes, mask)));
        }
        out
    }

    /// New values for the lanes of a list, which the registers hold from now on.
    fn fresh(&mut self, list: &[(usize, WriteMask)]) -> Vec<Value> {
        let mut out = Vec::with_capacity(list.len());
        for &(slot, mask) in list {
            let ty = Type::new(scalar_of(slot), mask.count() as u8);
            let value = self.b.value(ty, Some(super::registers::home_of(slot)));
            if let Some(lanes) = self.state.get_mut(slot) {
                for (n, lane) in mask.lanes().enumerate() {
                    lanes[lane] = Some((value, n as u8));
                }
            }
            out.push(value);
        }
        out
    }

    /// The present lanes of what a loop or subroutine writes.
    fn present_lanes(&mut self, written: &Written) -> Vec<Arg> {
        let list: Vec<(usize, WriteMask)> = each(written).collect();
        let state = core::mem::take(&mut self.state);
        let args = self.lanes_in(&state, &list);
        self.state = state;
        args
    }

    fn open_loop(&mut self, pc: usize, i: &Instruction) -> Result<()> {
        let counts = i.op == Opcode::Loop;
        let integer = i.source(usize::from(counts))?.source;
        let lanes = self.integers(integer)?;
        let lane = |this: &mut Self, n: usize| this.gather(Scalar::I32, lanes.into_iter().skip(n).take(1));
        let count = lane(self, 0);
        let (start, step) = if counts {
            let (start, step) = (lane(self, 1), lane(self, 2));
            (Some(start), Some(step))
        } else {
            (None, None)
        };
        self.mark();
        let written = match self.scan.loop_at(pc) {
            Some(cycle) => cycle.written,
            None => return Err(Refusal::new(FLOW, "there is no such loop")),
        };
        let before = self.state.clone();
        let mut init = Vec::with_capacity(8);
        init.push(count);
        init.extend(start);
        init.extend(self.present_lanes(&written));
        let label = self.b.label();
        let mut params = Vec::with_capacity(init.len());
        let left = self.b.value(Type::I32, None);
        params.push(left);
        if counts {
            let counter = self.b.value(Type::I32, Some(super::registers::home_of(COUNTER)));
            params.push(counter);
            if let Some(lanes) = self.state.get_mut(COUNTER) {
                *lanes = [Some((counter, 0)); 4];
            }
        }
        let list: Vec<(usize, WriteMask)> = each(&written).collect();
        params.extend(self.fresh(&list));
        let left = Arg::lane(left, 0);
        self.push(Frame::Loop { label, written, params, init, before, left, step })?;
        self.b.open();
        // No rounds are left.
        let one = self.b.int(1);
        let over = self.b.pure(Pure::Lt, &[left, one]);
        self.leave_if(over, label, &written);
        Ok(())
    }

    /// Leaves a block or loop if a condition holds.
    fn leave_if(&mut self, cond: Arg, label: Label, written: &Written) {
        self.b.open();
        self.leave(label, written);
        let then = self.b.close(&[]);
        self.b.node(Node::If(Box::new(If { cond, then, otherwise: Region::default(), results: Vec::new() })));
    }

    fn leave(&mut self, label: Label, written: &Written) {
        let values = self.present_lanes(written);
        let values = self.b.list(&values);
        self.b.node(Node::Leave { label, values });
    }

    fn close_loop(&mut self, counts: bool) -> Result<()> {
        let Some(Frame::Loop { label, written, params, init, before, left, step }) = self.frames.pop() else {
            return Err(Refusal::new(FLOW, "there is no loop to close"));
        };
        if counts != step.is_some() {
            return Err(Refusal::new(FLOW, "endloop closes loop, and endrep closes rep"));
        }
        let body = self.close_region(|this| {
            let one = this.b.int(1);
            let mut yields = Vec::with_capacity(params.len());
            yields.push(this.b.pure(Pure::Sub, &[left, one]));
            if let Some(step) = step {
                let Read { lanes, .. } = this.renamed(COUNTER);
                let counter = this.gather(Scalar::I32, lanes.into_iter().take(1));
                yields.push(this.b.pure(Pure::Add, &[counter, step]));
            }
            yields.extend(this.present_lanes(&written));
            yields
        });
        let init = self.b.list(&init);
        self.state = before;
        let list: Vec<(usize, WriteMask)> = each(&written).collect();
        let results = self.fresh(&list);
        self.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
        self.dead = false;
        Ok(())
    }

    /// The innermost loop of the subroutine at work.
    fn innermost_loop(&self) -> Result<(Label, Written)> {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Loop { label, written, .. } => return Ok((*label, *written)),
                Frame::Routine { .. } => break,
                Frame::If { .. } | Frame::Skipped => {}
            }
        }
        Err(Refusal::new(FLOW, "there is no loop to leave"))
    }

    fn leave_loop(&mut self) -> Result<()> {
        let (label, written) = self.innermost_loop()?;
        self.leave(label, &written);
        self.dead = true;
        Ok(())
    }

    fn leave_loop_if(&mut self, cond: Arg) -> Result<()> {
        let (label, written) = self.innermost_loop()?;
        self.mark();
        self.leave_if(cond, label, &written);
        Ok(())
    }

    /// Begins a subroutine; gives the place of its first instruction.
    fn call(&mut self, pc: usize, i: &Instruction, conditional: bool) -> Result<usize> {
        let Source(word) = i.source(0)?.source;
        let source = Source(word);
        let number = source.number();
        let at = self.scan.subroutine(number).filter(|_| source.reg_type() == Some(RegType::Label));
        let Some(section) = at.and_then(|at| self.scan.sections.get(at)) else {
            return Err(Refusal::new(FLOW, format!("there is no label l{number}")));
        };
        let (start, early, written) = (section.start, section.early, section.written);
        self.calls
            .enter(number.into(), self.b.size())
            .map_err(|why| Refusal::new(LIMIT, format!("l{number}: {why}")))?;
        let label = early.then(|| self.b.label());
        self.push(Frame::Routine {
            label,
            written,
            before: if early { self.state.clone() } else { Vec::new() },
            back: Some(pc + 1),
            conditional,
        })?;
        if early {
            self.b.open();
        }
        Ok(start)
    }

    /// Ends a subroutine or the main program, or leaves it early; gives the place of the next instruction.
    fn ret(&mut self, pc: usize, at_label: bool) -> Result<Option<usize>> {
        match self.frames.last() {
            None => return Ok(None),
            Some(Frame::Routine { back: None, .. }) => return Ok(None),
            Some(Frame::Routine { .. }) => {}
            Some(_) if at_label => {
                return Err(Refusal::new(FLOW, "a block is still open where a subroutine begins"));
            }
            Some(_) => {
                let routine = self.frames.iter().rev().find_map(|frame| match frame {
                    Frame::Routine { label, written, .. } => Some((*label, *written)),
                    _ => None,
                });
                let Some((Some(label), written)) = routine else {
                    return Err(Refusal::new(FLOW, "there is nothing to return from"));
                };
                self.leave(label, &written);
                self.dead = true;
                return Ok(Some(pc + 1));
            }
        }
        let Some(Frame::Routine { label, written, before, back: Some(back), conditional }) =
            self.frames.pop()
        else {
            return Ok(None);
        };
        self.calls.leave();
        if let Some(label) = label {
            let body = self.close_region(|this| this.present_lanes(&written));
            self.state = before;
            let list: Vec<(usize, WriteMask)> = each(&written).collect();
            let results = self.fresh(&list);
            self.b.node(Node::Block(Box::new(Block { label, body, results })));
            self.dead = false;
        }
        if conditional {
            self.close_if()?;
        }
        Ok(Some(back))
    }
}
