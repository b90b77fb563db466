//! Conditionals, loops and routines. What branches write becomes results of the conditional, what a loop writes goes round as
//! its parameters, and a subroutine is written out where it is called, in a block that returns leave.

use super::registers::Changes;
use super::switch::Selection;
use super::{Kit, Lanes, Refusal, Result, pick_masked, repeat_first, spread};
use crate::table;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt::Display;
use core::mem::take;
use vecasm_ir::diag::Rule;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::calls::Calls;
use vecasm_ir::ir::{Arg, Block, Home, If, Label, Loop, Node, Region, Scalar, Type, Value};
use vecasm_ir::operand::WriteMask;

/// Blocks that may be open, calls included. Each is up to three regions of the shader.
pub(crate) const MAX_BLOCKS: usize = 64;

/// Lanes of a register, of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) slot: usize,
    pub(crate) mask: WriteMask,
    pub(crate) scalar: Scalar,
}

/// A branch that is over.
pub(crate) struct Branch {
    pub(super) region: Region,
    pub(super) changes: Changes,
    /// Its end is not reached.
    pub(super) dead: bool,
}

/// What is open.
pub(crate) enum Frame {
    /// A conditional.
    If { cond: Arg, mark: usize, then: Option<Branch> },
    /// A loop.
    Loop { label: Label, written: Vec<Part>, params: Vec<Value>, init: Vec<Arg>, mark: usize },
    /// A selection.
    Switch(Box<Selection>),
    /// The main program or a subroutine.
    Routine {
        /// The block that early returns leave.
        label: Option<Label>,
        written: Vec<Part>,
        mark: usize,
        /// Where to go on; `None` in the main program.
        back: Option<usize>,
        /// Whether it stands in a conditional of its own.
        conditional: bool,
    },
    /// Something that is not run.
    Skipped,
}

/// What is open, and whether control comes here.
#[derive(Default)]
pub(crate) struct Flow {
    pub(super) frames: Vec<Frame>,
    /// Nothing is run here: an exit stands before.
    pub(crate) dead: bool,
    /// The calls that are open.
    pub(crate) calls: Calls,
}

impl Flow {
    /// The innermost block.
    pub(crate) fn innermost(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Number of open blocks.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Whether no block is open but the main program or a subroutine.
    pub(crate) fn in_routine(&self) -> bool {
        matches!(self.frames.last(), None | Some(Frame::Routine { .. }))
    }
}

/// What leaves blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The end of the innermost loop or selection.
    Break,
    /// The next round of the innermost loop.
    Continue,
    /// The end of the subroutine or program.
    Return,
}

/// What is wrong with how blocks nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowError {
    /// A second branch without a first one.
    Else,
    /// A third branch.
    SecondElse,
    /// The end of a conditional that is not open.
    EndIf,
    /// The end of a loop that is not open.
    EndLoop,
    /// An exit of what is not open.
    Exit(Exit),
    /// A block is open at the end of the program.
    Open,
    /// A block is open at the end of a subroutine.
    OpenInRoutine,
}

/// Structured control flow.
pub(crate) trait ControlFlow: Kit {
    /// The rule about limits.
    const LIMIT: &'static Rule;
    /// Values that a shader may have where a block opens. Without calls, what is merged behind blocks inside one another is
    /// what they are made of.
    const MAX_VALUES: usize = usize::MAX;
    /// Whether values are numbered in the first branch of a conditional before those in the second.
    const THEN_FIRST: bool = false;

    /// Why blocks cannot nest like this.
    fn refuse_flow(error: FlowError) -> Refusal;

    /// The register of a slot.
    fn home_of(&self, slot: usize) -> Home;

    /// The type of a lane of a register.
    fn scalar_of(&self, slot: usize, lane: usize) -> Scalar;

    /// The shader that is built.
    fn builder(&mut self) -> &mut Builder {
        self.split().0
    }

    /// What is open.
    fn blocks(&mut self) -> &mut Flow {
        &mut self.split().1.flow
    }

    // Limits.

    /// Counts an instruction that a call brings.
    fn spend(&mut self) -> Result<()> {
        let (b, kit) = self.split();
        kit.flow.calls.spend(b.size()).map_err(|why| Refusal::new(Self::LIMIT, format!("{why}")))
    }

    /// Opens a call of a subroutine, which has a number and a name for messages.
    fn open_call(&mut self, subroutine: u32, name: impl Display) -> Result<()> {
        let (b, kit) = self.split();
        let entered = kit.flow.calls.enter(subroutine, b.size());
        entered.map_err(|why| Refusal::new(Self::LIMIT, format!("{name}: {why}")))
    }

    /// Whether one more block may be opened where `open` are.
    fn check_room(&mut self, open: usize) -> Result<()> {
        if open >= MAX_BLOCKS {
            let what = format!("blocks are nested more than {MAX_BLOCKS} deep");
            return Err(Refusal::new(Self::LIMIT, what));
        }
        let most = Self::MAX_VALUES;
        if self.builder().shader.values.len() > most {
            return Err(Refusal::new(Self::LIMIT, format!("the program has more than {most} values")));
        }
        Ok(())
    }

    fn push_frame(&mut self, frame: Frame) -> Result<()> {
        let open = self.blocks().depth();
        self.check_room(open)?;
        let (_, kit) = self.split();
        kit.flow.frames.push(frame);
        kit.registers.journals = true;
        Ok(())
    }

    fn pop_frame(&mut self) -> Option<Frame> {
        let (_, kit) = self.split();
        let frame = kit.flow.frames.pop();
        kit.registers.journals = !kit.flow.frames.is_empty();
        frame
    }

    // What registers hold in front of, in and behind blocks.

    /// Adds lanes of a register to a list as parts of one type each.
    fn add_parts(&self, slot: usize, mask: WriteMask, out: &mut Vec<Part>) {
        let mut left = mask.bits();
        while let Some(first) = WriteMask::from_bits(left).lanes().next() {
            let scalar = self.scalar_of(slot, first);
            let alike =
                WriteMask::from_bits(left).lanes().filter(|&lane| self.scalar_of(slot, lane) == scalar);
            let mask = alike.fold(0, |bits, lane| bits | 1 << lane);
            out.push(Part { slot, mask: WriteMask::from_bits(mask), scalar });
            left &= !mask;
        }
    }

    /// An argument for each part, of what registers hold where they have changed so.
    fn gather_parts(&mut self, parts: &[Part], changes: &[(usize, Lanes)]) -> Vec<Arg> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let changed = changes.binary_search_by_key(&part.slot, |change| change.0).ok();
            let lanes = match changed.and_then(|at| changes.get(at)) {
                Some((_, lanes)) => *lanes,
                None => self.split().1.registers.get(part.slot),
            };
            out.push(self.gather(part.scalar, pick_masked(&lanes, part.mask)));
        }
        out
    }

    /// An argument for each part, of what registers hold.
    fn present_parts(&mut self, parts: &[Part]) -> Vec<Arg> {
        self.gather_parts(parts, &[])
    }

    /// New values for parts, which the registers hold from now on.
    fn renew_parts(&mut self, parts: &[Part]) -> Vec<Value> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let home = self.home_of(part.slot);
            let (b, kit) = self.split();
            let lanes = part.mask.count() as u8;
            let value = b.value(Type::new(part.scalar, lanes), Some(home));
            kit.registers.write(part.slot, part.mask, &spread(Arg::all_lanes(value, lanes), part.mask));
            out.push(value);
        }
        out
    }

    /// Closes a region with what it yields, unless it ends in an exit.
    fn close_region(&mut self, yields: impl FnOnce(&mut Self) -> Vec<Arg>) -> Region {
        let yields = if self.builder().at_exit() { Vec::new() } else { yields(self) };
        self.builder().close(&yields)
    }

    /// Ends a block whose registers go on as results. Behind it, control comes here.
    fn close_block(&mut self, label: Label, written: &[Part], mark: usize) {
        let body = self.close_region(|this| this.present_parts(written));
        self.split().1.registers.roll_back(mark);
        let results = self.renew_parts(written);
        self.builder().node(Node::Block(Box::new(Block { label, body, results })));
        self.blocks().dead = false;
    }

    // Conditionals.

    /// Opens a conditional.
    fn open_if(&mut self, cond: Arg) -> Result<()> {
        let mark = self.split().1.registers.mark();
        self.push_frame(Frame::If { cond, mark, then: None })?;
        self.builder().open();
        Ok(())
    }

    /// The branch at work, which is over; registers hold what they held in front of it.
    fn close_branch(&mut self, mark: usize) -> Branch {
        let (b, kit) = self.split();
        let (region, changes) = (b.close(&[]), kit.registers.roll_back(mark));
        Branch { region, changes, dead: take(&mut kit.flow.dead) }
    }

    /// Goes on with the second branch.
    fn open_else(&mut self) -> Result<()> {
        let mark = match self.blocks().innermost() {
            Some(&Frame::If { mark, then: None, .. }) => mark,
            Some(Frame::If { .. }) => return Err(Self::refuse_flow(FlowError::SecondElse)),
            _ => return Err(Self::refuse_flow(FlowError::Else)),
        };
        let branch = self.close_branch(mark);
        if let Some(Frame::If { then, .. }) = self.blocks().frames.last_mut() {
            *then = Some(branch);
        }
        self.builder().open();
        Ok(())
    }

    /// Closes a conditional.
    fn close_if(&mut self) -> Result<()> {
        if matches!(self.blocks().innermost(), Some(Frame::If { then: None, .. })) {
            // Without a second branch, nothing is in it.
            self.open_else()?;
        }
        let Some(Frame::If { cond, mark, then: Some(then) }) = self.pop_frame() else {
            return Err(Self::refuse_flow(FlowError::EndIf));
        };
        let otherwise = self.close_branch(mark);
        self.blocks().dead = then.dead && otherwise.dead;
        self.join(cond, then, otherwise);
        Ok(())
    }

    /// Puts two branches together; registers hold what they held in front of them.
    fn join(&mut self, cond: Arg, then: Branch, otherwise: Branch) {
        let nothing = Vec::new();
        let a = if then.dead { &nothing } else { &then.changes };
        let b = if otherwise.dead { &nothing } else { &otherwise.changes };
        // What the branches disagree on is what the conditional gives.
        let (mut differ, mut alike) = (Vec::new(), Vec::new());
        if !(then.dead && otherwise.dead) {
            let (mut n, mut m) = (0, 0);
            loop {
                let slot = match (a.get(n), b.get(m)) {
                    (Some(x), Some(y)) => x.0.min(y.0),
                    (Some(x), None) => x.0,
                    (None, Some(y)) => y.0,
                    (None, None) => break,
                };
                let before = self.split().1.registers.get(slot);
                let take = |list: &Changes, at: &mut usize| match list.get(*at) {
                    Some((of, lanes)) if *of == slot => {
                        *at += 1;
                        *lanes
                    }
                    _ => before,
                };
                let (x, y) = (take(a, &mut n), take(b, &mut m));
                let bits =
                    (0..4).filter(|&lane| x.get(lane) != y.get(lane)).fold(0, |bits, lane| bits | 1 << lane);
                self.add_parts(slot, WriteMask::from_bits(bits), &mut differ);
                if y != before {
                    alike.push((slot, y));
                }
            }
        }
        let close = |this: &mut Self, region: Region, changes: &Changes| {
            this.builder().reopen(region);
            this.close_region(|this| this.gather_parts(&differ, changes))
        };
        let (first, second);
        if Self::THEN_FIRST {
            first = close(self, then.region, a);
            second = close(self, otherwise.region, b);
        } else {
            second = close(self, otherwise.region, b);
            first = close(self, then.region, a);
        }
        // What both changed alike stays; the rest is new.
        for (slot, lanes) in alike {
            self.split().1.registers.set(slot, lanes);
        }
        let results = self.renew_parts(&differ);
        self.builder().node(Node::If(Box::new(If { cond, then: first, otherwise: second, results })));
    }

    // Loops.

    /// Opens a loop, of which it is known what it writes. `carried` goes round in front of that: the value that each begins
    /// with, and the register that holds it in the loop, if one does. Gives the present value of each.
    fn open_loop(&mut self, written: Vec<Part>, carried: &[(Arg, Option<usize>)]) -> Result<Vec<Value>> {
        let mut init: Vec<Arg> = carried.iter().map(|carried| carried.0).collect();
        init.extend(self.present_parts(&written));
        let (b, kit) = self.split();
        let (label, mark) = (b.label(), kit.registers.mark());
        self.push_frame(Frame::Loop { label, written: Vec::new(), params: Vec::new(), init, mark })?;
        let mut rounds = Vec::with_capacity(carried.len() + written.len());
        for &(arg, slot) in carried {
            let home = slot.map(|slot| self.home_of(slot));
            let (b, kit) = self.split();
            let value = b.value(b.shader.arg_type(arg), home);
            if let Some(slot) = slot {
                kit.registers.set(slot, repeat_first(Arg::lane(value, 0)));
            }
            rounds.push(value);
        }
        let now = rounds.clone();
        rounds.extend(self.renew_parts(&written));
        let (b, kit) = self.split();
        if let Some(Frame::Loop { params, written: of, .. }) = kit.flow.frames.last_mut() {
            (*params, *of) = (rounds, written);
        }
        b.open();
        Ok(now)
    }

    /// Closes a loop; what it carries is made for the next round.
    fn close_loop(&mut self, carried: impl FnOnce(&mut Self) -> Vec<Arg>) -> Result<()> {
        let Some(Frame::Loop { label, written, params, init, mark }) = self.pop_frame() else {
            return Err(Self::refuse_flow(FlowError::EndLoop));
        };
        let body = self.close_region(|this| {
            let mut yields = carried(this);
            yields.extend(this.present_parts(&written));
            yields
        });
        let (b, kit) = self.split();
        kit.registers.roll_back(mark);
        let init = b.list(&init);
        let results = self.renew_parts(&written);
        self.builder().node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
        self.blocks().dead = false;
        Ok(())
    }

    /// What an exit leaves, and what it hands on.
    fn find_exit(&mut self, exit: Exit) -> Result<(Label, Vec<Part>)> {
        for frame in self.blocks().frames.iter().rev() {
            match (frame, exit) {
                (Frame::Loop { label, written, .. }, Exit::Break | Exit::Continue)
                | (Frame::Routine { label: Some(label), written, .. }, Exit::Return) => {
                    return Ok((*label, written.clone()));
                }
                (Frame::Switch(selection), Exit::Break) => {
                    return Ok((selection.label, selection.written.clone()));
                }
                (Frame::Routine { .. }, _) => break,
                _ => {}
            }
        }
        Err(Self::refuse_flow(FlowError::Exit(exit)))
    }

    /// Leaves a block, or starts its next round, with what it has written.
    fn leave(&mut self, exit: Exit, label: Label, written: &[Part]) {
        let values = self.present_parts(written);
        let (b, kit) = self.split();
        let values = b.list(&values);
        b.node(match exit {
            Exit::Continue => Node::Again { label, values },
            Exit::Break | Exit::Return => Node::Leave { label, values },
        });
        kit.flow.dead = true;
    }

    /// Leaves what an exit is about, or starts the next round.
    fn exit(&mut self, exit: Exit) -> Result<()> {
        let (label, written) = self.find_exit(exit)?;
        self.leave(exit, label, &written);
        Ok(())
    }

    /// Leaves the innermost loop where a condition holds.
    fn break_if(&mut self, cond: Arg) -> Result<()> {
        self.builder().open();
        self.exit(Exit::Break)?;
        let (b, kit) = self.split();
        kit.flow.dead = false;
        b.close_where(cond);
        Ok(())
    }

    // Routines.

    /// Opens the main program, or a subroutine behind which control goes on at `back`; `early` are those with returns inside
    /// blocks, of which it has to be known what they write.
    fn open_routine(
        &mut self,
        early: bool,
        written: Vec<Part>,
        back: Option<usize>,
        conditional: bool,
    ) -> Result<()> {
        let (b, kit) = self.split();
        let (label, mark) = (early.then(|| b.label()), kit.registers.mark());
        self.push_frame(Frame::Routine { label, written, mark, back, conditional })?;
        if early {
            self.builder().open();
        }
        Ok(())
    }

    /// Opens the main program if it has returns inside blocks. Nothing is read behind it but outputs, which are cells.
    fn open_main(&mut self, early: bool) -> Result<()> {
        if early { self.open_routine(true, Vec::new(), None, false) } else { Ok(()) }
    }

    /// Closes the main program, in which no block may be open.
    fn close_main(&mut self) -> Result<()> {
        match self.pop_frame() {
            None => {}
            Some(Frame::Routine { label: Some(label), back: None, .. }) => {
                let b = self.builder();
                let body = b.close(&[]);
                b.node(Node::Block(Box::new(Block { label, body, results: Vec::new() })));
            }
            Some(_) => return Err(Self::refuse_flow(FlowError::Open)),
        }
        self.blocks().dead = false;
        Ok(())
    }

    /// Ends a subroutine or the main program, or leaves it early; gives the place of the next instruction. `at_end` is where
    /// nothing but the end can be meant.
    fn return_from(&mut self, pc: usize, at_end: bool) -> Result<Option<usize>> {
        match self.blocks().innermost() {
            None | Some(Frame::Routine { back: None, .. }) => return Ok(None),
            Some(Frame::Routine { .. }) => {}
            Some(_) if at_end => return Err(Self::refuse_flow(FlowError::OpenInRoutine)),
            Some(_) => return self.exit(Exit::Return).map(|()| Some(pc + 1)),
        }
        let Some(Frame::Routine { label, written, mark, back, conditional }) = self.pop_frame() else {
            return Ok(None);
        };
        let (_, kit) = self.split();
        kit.flow.calls.leave();
        match label {
            Some(label) => self.close_block(label, &written, mark),
            None if kit.flow.frames.is_empty() => kit.registers.forget(),
            None => {}
        }
        if conditional {
            self.close_if()?;
        }
        Ok(back)
    }

    // What is not run.

    /// Whether an instruction of control flow is not run, because an exit stands before. Blocks that it opens or closes are
    /// seen to.
    fn skips(&mut self, flow: table::Flow) -> Result<bool> {
        use table::Flow;
        let blocks = self.blocks();
        if !blocks.dead {
            return Ok(false);
        }
        let skipped = matches!(blocks.innermost(), Some(Frame::Skipped));
        Ok(match flow {
            Flow::If | Flow::Loop | Flow::Switch => {
                self.push_frame(Frame::Skipped)?;
                true
            }
            Flow::Else | Flow::Case | Flow::Default => skipped,
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => {
                if skipped {
                    self.pop_frame();
                }
                skipped
            }
            Flow::Break | Flow::Continue | Flow::Call | Flow::Branch => true,
            Flow::Return => !blocks.in_routine(),
            Flow::Straight | Flow::Label | Flow::EndLabel | Flow::End => false,
        })
    }
}
