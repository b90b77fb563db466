//! Conditionals, loops, selections and subroutines. What branches write becomes results of the conditional, what a loop
//! writes goes round as its parameters, and a subroutine is written out where it is called.
//!
//! A selection is a block with a switch in it. Its sections are taken together as long as control falls from one into the
//! next; what runs if a later one is entered runs in conditionals on the number of the section that was chosen.

use super::scan::Instruction;
use super::{LIMIT, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{EMPTY, Kit, Lanes, pick_masked};
use crate::table::Flow;
use crate::tgsi::names::File;
use crate::tgsi::program::Operand;
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Block, Home, If, Label, Loop, Node, Pure, Region, Scalar, Switch, Type, Value};
use vecasm_ir::operand::WriteMask;

/// Blocks that may be open, calls included. Each is up to three regions of the shader.
pub(super) const MAX_BLOCKS: usize = 64;
/// Values a shader may have. Without calls, what is merged behind blocks inside one another is what they are made of.
pub(super) const MAX_VALUES: usize = 1 << 20;

/// Components of a register that is renamed, of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    slot: usize,
    pub(super) mask: WriteMask,
    pub(super) scalar: Scalar,
}

/// What registers hold at the end of a branch, where it is not what they held in front.
type Changed = Vec<(usize, Lanes)>;

/// A branch that is over.
pub(super) struct Branch {
    region: Region,
    changed: Changed,
    /// Its end is not reached.
    dead: bool,
}

/// A selection that is open.
pub(super) struct Selection {
    label: Label,
    written: Vec<Part>,
    /// Where the journal was in front of it.
    mark: usize,
    /// What the switch is on: the number that is selected by, or that of the section.
    selector: Arg,
    by_section: bool,
    /// For each section, where it begins and its number, if it is a case.
    sections: Vec<(usize, Option<u32>)>,
    /// The section at work.
    at: usize,
    /// The sections that are entered where the present group is: from this one on.
    first: usize,
    /// Where the journal was in front of the section.
    section_mark: usize,
    cases: Vec<(Vec<u32>, Region)>,
    default: Option<Region>,
}

/// What is open.
pub(super) enum Frame {
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

/// A subroutine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subroutine {
    /// The instruction that begins it.
    pub(super) start: usize,
    /// Whether a return stands inside a block.
    early: bool,
}

/// The subroutines of a program in order, and whether its main part has a return inside a block.
pub(super) fn subroutines(code: &[Instruction<'_>]) -> (Vec<Subroutine>, bool) {
    let (mut all, mut main) = (Vec::new(), false);
    let mut open: Option<Subroutine> = None;
    let (mut depth, mut ended) = (0_u32, false);
    for (at, i) in code.iter().enumerate() {
        match i.op.row().flow {
            Flow::If | Flow::Loop | Flow::Switch => depth += 1,
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => depth = depth.saturating_sub(1),
            Flow::Return if depth > 0 => match &mut open {
                Some(subroutine) => subroutine.early = true,
                None => main |= !ended,
            },
            Flow::Label => {
                depth = 0;
                all.extend(open.take());
                open = Some(Subroutine { start: at, early: false });
            }
            Flow::EndLabel => {
                depth = 0;
                all.extend(open.take());
            }
            Flow::End if open.is_none() => {
                depth = 0;
                ended = true;
            }
            _ => {}
        }
    }
    all.extend(open);
    (all, main)
}

impl Lifter<'_> {
    /// Finds the subroutines; whether the main program has a return inside a block.
    pub(super) fn find_subroutines(&mut self) -> bool {
        let (subroutines, early) = subroutines(&self.scan.code);
        self.subroutines = subroutines;
        self.find_written();
        early
    }

    /// What stands before the first instruction.
    pub(super) fn begin(&mut self) {
        let early = self.find_subroutines();
        if early {
            let label = self.b.label();
            self.b.open();
            // Nothing is read behind the program but outputs, which are cells.
            let (written, mark) = (Vec::new(), 0);
            self.frames.push(Frame::Routine {
                label: Some(label),
                written,
                mark,
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
            Some(_) => {
                return Err(Refusal::new(NO_MEANING, "a block is still open at the end of the program"));
            }
        }
        Ok(())
    }

    /// An instruction of flow control; gives the number of the next one.
    pub(super) fn flow(&mut self, pc: usize, i: &Instruction<'_>) -> Result<Option<usize>> {
        let next = Some(pc + 1);
        let flow = i.op.row().flow;
        let skipped = matches!(self.frames.last(), Some(Frame::Skipped));
        match flow {
            Flow::If | Flow::Loop | Flow::Switch if self.dead => {
                self.push(Frame::Skipped)?;
                return Ok(next);
            }
            Flow::Else | Flow::Case | Flow::Default if skipped => return Ok(next),
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch if skipped => {
                self.frames.pop();
                return Ok(next);
            }
            Flow::Break | Flow::Continue | Flow::Call | Flow::Branch if self.dead => return Ok(next),
            Flow::Return if self.dead && !matches!(self.frames.last(), Some(Frame::Routine { .. })) => {
                return Ok(next);
            }
            _ => {}
        }
        match flow {
            Flow::If => {
                let cond = self.condition(i)?;
                self.open_if(cond)?;
            }
            Flow::Else => self.otherwise()?,
            Flow::EndIf => self.close_if()?,
            Flow::Loop => self.open_loop(pc)?,
            Flow::EndLoop => self.close_loop()?,
            Flow::Break => {
                if i.op == Opcode::Breakc {
                    let cond = self.condition(i)?;
                    self.open_if(cond)?;
                    self.leave_innermost()?;
                    self.close_if()?;
                } else {
                    self.leave_innermost()?;
                }
            }
            Flow::Continue => self.again()?,
            Flow::Switch => self.open_switch(pc, i)?,
            Flow::Case | Flow::Default => self.section(pc)?,
            Flow::EndSwitch => self.close_switch()?,
            Flow::Call => {
                let conditional = i.op == Opcode::Callnz;
                if conditional {
                    let cond = self.condition(i)?;
                    self.open_if(cond)?;
                }
                return self.call(pc, i, conditional).map(Some);
            }
            Flow::Return | Flow::EndLabel => return self.ret(pc, flow == Flow::EndLabel),
            Flow::End => {
                return match self.frames.last() {
                    None | Some(Frame::Routine { back: None, .. }) => Ok(None),
                    _ => Err(Refusal::new(NO_MEANING, "a block is still open at the end of the program")),
                };
            }
            Flow::Label => {
                return Err(Refusal::new(
                    NO_MEANING,
                    "a subroutine begins inside a block or another subroutine",
                ));
            }
            Flow::Branch => {
                let what = "a jump has no structured equivalent; write it with IF and loops";
                return Err(Refusal::new(NO_MEANING, what));
            }
            Flow::Straight => {}
        }
        Ok(next)
    }

    fn push(&mut self, frame: Frame) -> Result<()> {
        if self.frames.len() >= MAX_BLOCKS {
            let what = format!("blocks are nested more than {MAX_BLOCKS} deep");
            return Err(Refusal::new(LIMIT, what));
        }
        if self.b.shader.values.len() > MAX_VALUES {
            return Err(Refusal::new(LIMIT, format!("the program has more than {MAX_VALUES} values")));
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Whether x is not zero: as bits for UIF, as a float for the others.
    pub(super) fn condition(&mut self, i: &Instruction<'_>) -> Result<Arg> {
        let ty = if i.op == Opcode::Uif { Taken::U32 } else { Taken::F32 };
        let x = self.scalar(i, 0, ty)?;
        let zero = if i.op == Opcode::Uif { self.word(0, 1) } else { self.b.splat(0.0, 1) };
        let cond = self.b.pure(Pure::Ne, &[x, zero]);
        self.mark();
        Ok(cond)
    }

    // What registers hold in front of, in and behind blocks.

    /// Notes what a register held before it was written.
    pub(super) fn journal(&mut self, slot: usize, before: Lanes) {
        if !self.frames.is_empty() {
            self.journal.push((slot, before));
        }
    }

    /// Gives what registers hold where it is not what they held at a mark, and makes them hold that again.
    fn roll_back(&mut self, mark: usize) -> Changed {
        let entries = self.journal.split_off(mark.min(self.journal.len()));
        let mut slots: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
        slots.sort_unstable();
        slots.dedup();
        let held = |slot: usize| self.state.get(slot).copied().unwrap_or(EMPTY);
        let changed = slots.into_iter().map(|slot| (slot, held(slot))).collect();
        for (slot, before) in entries.into_iter().rev() {
            if let Some(lanes) = self.state.get_mut(slot) {
                *lanes = before;
            }
        }
        changed
    }

    /// Components of a slot as parts of one type each.
    pub(super) fn parts_of(&self, slot: usize, mask: WriteMask, out: &mut Vec<Part>) {
        let mut left = mask.bits();
        while let Some(first) = WriteMask::from_bits(left).lanes().next() {
            let scalar = self.webs.of_slot(slot, first);
            let alike =
                WriteMask::from_bits(left).lanes().filter(|&lane| self.webs.of_slot(slot, lane) == scalar);
            let mask = alike.fold(0, |bits, lane| bits | 1 << lane);
            out.push(Part { slot, mask: WriteMask::from_bits(mask), scalar });
            left &= !mask;
        }
    }

    /// Components of a slot as parts of one type each.
    pub(super) fn parts_in(&self, slot: usize, mask: WriteMask) -> Vec<Part> {
        let mut out = Vec::with_capacity(1);
        self.parts_of(slot, mask, &mut out);
        out
    }

    /// An argument for each part, as it is at a place.
    fn lanes_in(&mut self, parts: &[Part], held: impl Fn(&Self, usize) -> Lanes) -> Vec<Arg> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let lanes = held(self, part.slot);
            out.push(self.gather(part.scalar, pick_masked(&lanes, part.mask)));
        }
        out
    }

    /// The present lanes of parts.
    pub(super) fn present(&mut self, parts: &[Part]) -> Vec<Arg> {
        self.lanes_in(parts, |this, slot| this.state.get(slot).copied().unwrap_or(EMPTY))
    }

    /// New values for parts, which the registers hold from now on.
    pub(super) fn fresh(&mut self, parts: &[Part]) -> Vec<Value> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let home: Home = self.home_of(part.slot);
            let value = self.b.value(Type::new(part.scalar, part.mask.count() as u8), Some(home));
            let before = self.state.get(part.slot).copied().unwrap_or(EMPTY);
            self.journal(part.slot, before);
            if let Some(lanes) = self.state.get_mut(part.slot) {
                for (n, lane) in part.mask.lanes().enumerate() {
                    if let Some(to) = lanes.get_mut(lane) {
                        *to = Some((value, n as u8));
                    }
                }
            }
            out.push(value);
        }
        out
    }

    /// Closes a region with what it yields, unless it ends in an exit.
    fn close_region(&mut self, yields: impl FnOnce(&mut Self) -> Vec<Arg>) -> Region {
        let yields = if self.b.at_exit() { Vec::new() } else { yields(self) };
        self.b.close(&yields)
    }

    // Conditionals.

    fn open_if(&mut self, cond: Arg) -> Result<()> {
        let mark = self.journal.len();
        self.push(Frame::If { cond, mark, then: None })?;
        self.b.open();
        Ok(())
    }

    fn otherwise(&mut self) -> Result<()> {
        let Some(&Frame::If { mark, then: None, .. }) = self.frames.last() else {
            return Err(Refusal::new(NO_MEANING, "ELSE outside a conditional"));
        };
        let region = self.b.close(&[]);
        let changed = self.roll_back(mark);
        let dead = core::mem::take(&mut self.dead);
        if let Some(Frame::If { then, .. }) = self.frames.last_mut() {
            *then = Some(Branch { region, changed, dead });
        }
        self.b.open();
        Ok(())
    }

    fn close_if(&mut self) -> Result<()> {
        if matches!(self.frames.last(), Some(Frame::If { then: None, .. })) {
            // Without a second branch, nothing is in it.
            self.otherwise()?;
        }
        let Some(Frame::If { cond, mark, then: Some(then) }) = self.frames.pop() else {
            return Err(Refusal::new(NO_MEANING, "ENDIF outside a conditional"));
        };
        let otherwise = Branch { region: self.b.close(&[]), changed: self.roll_back(mark), dead: self.dead };
        self.dead = then.dead && otherwise.dead;
        self.join(cond, then, otherwise);
        Ok(())
    }

    /// Puts two branches together; registers hold what they held in front of them.
    fn join(&mut self, cond: Arg, then: Branch, otherwise: Branch) {
        let nothing = Vec::new();
        let a = if then.dead { &nothing } else { &then.changed };
        let b = if otherwise.dead { &nothing } else { &otherwise.changed };
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
                let before = self.state.get(slot).copied().unwrap_or(EMPTY);
                let take = |list: &Changed, at: &mut usize| match list.get(*at) {
                    Some((of, lanes)) if *of == slot => {
                        *at += 1;
                        *lanes
                    }
                    _ => before,
                };
                let (x, y) = (take(a, &mut n), take(b, &mut m));
                let bits =
                    (0..4).filter(|&lane| x.get(lane) != y.get(lane)).fold(0, |bits, lane| bits | 1 << lane);
                self.parts_of(slot, WriteMask::from_bits(bits), &mut differ);
                if y != before {
                    alike.push((slot, y));
                }
            }
        }
        let held = |changed: &Changed| {
            let changed = changed.clone();
            move |this: &Self, slot: usize| match changed.binary_search_by_key(&slot, |entry| entry.0) {
                Ok(at) => changed.get(at).map_or(EMPTY, |entry| entry.1),
                Err(_) => this.state.get(slot).copied().unwrap_or(EMPTY),
            }
        };
        let (of_a, of_b) = (held(a), held(b));
        self.b.reopen(otherwise.region);
        let other = self.close_region(|this| this.lanes_in(&differ, of_b));
        self.b.reopen(then.region);
        let region = self.close_region(|this| this.lanes_in(&differ, of_a));
        // What both changed alike stays; the rest is new.
        for (slot, lanes) in alike {
            let before = self.state.get(slot).copied().unwrap_or(EMPTY);
            self.journal(slot, before);
            if let Some(to) = self.state.get_mut(slot) {
                *to = lanes;
            }
        }
        let results = self.fresh(&differ);
        self.b.node(Node::If(Box::new(If { cond, then: region, otherwise: other, results })));
    }

    // Loops.

    fn open_loop(&mut self, pc: usize) -> Result<()> {
        let written = self.written_in(pc)?;
        let init = self.present(&written);
        let mark = self.journal.len();
        let label = self.b.label();
        self.push(Frame::Loop { label, written, params: Vec::new(), init, mark })?;
        let Some(Frame::Loop { written, .. }) = self.frames.last() else { return Ok(()) };
        let parts = written.clone();
        let fresh = self.fresh(&parts);
        if let Some(Frame::Loop { params, .. }) = self.frames.last_mut() {
            *params = fresh;
        }
        self.b.open();
        Ok(())
    }

    fn close_loop(&mut self) -> Result<()> {
        let Some(Frame::Loop { label, written, params, init, mark }) = self.frames.pop() else {
            return Err(Refusal::new(NO_MEANING, "ENDLOOP outside a loop"));
        };
        let body = self.close_region(|this| this.present(&written));
        self.roll_back(mark);
        let init = self.b.list(&init);
        let results = self.fresh(&written);
        self.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
        self.dead = false;
        Ok(())
    }

    fn leave(&mut self, label: Label, written: &[Part]) {
        let values = self.present(written);
        let values = self.b.list(&values);
        self.b.node(Node::Leave { label, values });
        self.dead = true;
    }

    /// Leaves the innermost loop or selection.
    fn leave_innermost(&mut self) -> Result<()> {
        for frame in self.frames.iter().rev() {
            let (label, written) = match frame {
                Frame::Loop { label, written, .. } => (*label, written.clone()),
                Frame::Switch(selection) => (selection.label, selection.written.clone()),
                Frame::Routine { .. } => break,
                Frame::If { .. } | Frame::Skipped => continue,
            };
            self.leave(label, &written);
            return Ok(());
        }
        Err(Refusal::new(NO_MEANING, "BRK outside a loop or switch"))
    }

    /// Starts the next round of the innermost loop.
    fn again(&mut self) -> Result<()> {
        for frame in self.frames.iter().rev() {
            let (label, written) = match frame {
                Frame::Loop { label, written, .. } => (*label, written.clone()),
                Frame::Routine { .. } => break,
                Frame::If { .. } | Frame::Switch(_) | Frame::Skipped => continue,
            };
            let values = self.present(&written);
            let values = self.b.list(&values);
            self.b.node(Node::Again { label, values });
            self.dead = true;
            return Ok(());
        }
        Err(Refusal::new(NO_MEANING, "CONT outside a loop"))
    }

    // Selections.

    /// The word of a case that is an immediate.
    fn fixed_case(&self, operand: &Operand) -> Option<u32> {
        if operand.file != File::Imm || operand.negate || operand.absolute || operand.indirect.is_some() {
            return None;
        }
        let (_, words) = self.scan.immediates.get(usize::try_from(operand.index).ok()?)?;
        words.get(usize::from(operand.swizzle.get(0))).copied()
    }

    fn open_switch(&mut self, pc: usize, i: &Instruction<'_>) -> Result<()> {
        let of = self.scalar(i, 0, Taken::U32)?;
        let written = self.written_in(pc)?;
        // The sections of this one, and whether control may fall from one into the next.
        let mut sections: Vec<(usize, Option<u32>)> = Vec::new();
        let (mut depth, mut falls, mut fixed) = (0_u32, false, true);
        let mut exits = true;
        let mut empty = true;
        let (mut n, end) = (pc, self.written.end(pc).unwrap_or(pc));
        while n + 1 < end {
            n += 1;
            let Some(i) = self.scan.code.get(n) else { break };
            match i.op.row().flow {
                Flow::Loop | Flow::Switch => {
                    // What stands in there belongs to others.
                    n = self.written.end(n).unwrap_or(n);
                }
                Flow::If => depth += 1,
                Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => depth = depth.saturating_sub(1),
                Flow::Case | Flow::Default if depth == 0 => {
                    falls |= !exits && !empty;
                    let number = i.from.first().and_then(|operand| self.fixed_case(operand));
                    fixed &= number.is_some() || i.op == Opcode::Default;
                    sections.push((n, number));
                    (exits, empty) = (false, true);
                    continue;
                }
                _ => {}
            }
            empty = false;
            exits = depth == 0
                && matches!(i.op.row().flow, Flow::Break | Flow::Continue | Flow::Return)
                && i.op != Opcode::Breakc;
        }
        let mut numbers: Vec<u32> = sections.iter().filter_map(|section| section.1).collect();
        let cases = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        let defaults = sections.iter().filter(|section| self.is_default(section.0)).count();
        let by_section = falls || !fixed || numbers.len() < cases || defaults > 1;
        let selector = if by_section { self.chosen_section(of, &sections)? } else { of };
        self.mark();
        let label = self.b.label();
        let mark = self.journal.len();
        self.push(Frame::Switch(Box::new(Selection {
            label,
            written,
            mark,
            selector,
            by_section,
            sections,
            at: usize::MAX,
            first: 0,
            section_mark: mark,
            cases: Vec::new(),
            default: None,
        })))?;
        self.b.open();
        // What stands in front of the first section is never run.
        self.dead = true;
        Ok(())
    }

    fn is_default(&self, pc: usize) -> bool {
        self.scan.code.get(pc).is_some_and(|i| i.op == Opcode::Default)
    }

    /// The number of the section that is chosen: the first case that is equal, else the default, else behind all.
    fn chosen_section(&mut self, of: Arg, sections: &[(usize, Option<u32>)]) -> Result<Arg> {
        let default = sections.iter().position(|section| self.is_default(section.0));
        let mut chosen = self.b.uint(default.unwrap_or(sections.len()) as u32);
        for (n, &(pc, _)) in sections.iter().enumerate().rev() {
            let Some(i) = self.scan.code.get(pc).copied().filter(|i| i.op != Opcode::Default) else {
                continue;
            };
            let case = self.scalar(&i, 0, Taken::U32)?;
            let here = self.b.pure(Pure::Eq, &[of, case]);
            let number = self.b.uint(n as u32);
            chosen = self.b.pure(Pure::Select, &[here, number, chosen]);
        }
        Ok(chosen)
    }

    /// Begins a section.
    fn section(&mut self, pc: usize) -> Result<()> {
        let refusal = || Refusal::new(NO_MEANING, "CASE or DEFAULT outside a switch");
        let frame = self.frames.last_mut().ok_or_else(refusal)?;
        let Frame::Switch(mut selection) = core::mem::replace(frame, Frame::Skipped) else {
            return Err(refusal());
        };
        let at = selection.sections.binary_search_by_key(&pc, |section| section.0).map_err(|_| refusal())?;
        if selection.at == usize::MAX {
            selection.first = at;
            self.b.open();
            self.b.open();
        } else if self.dead {
            self.close_section(&mut selection);
            self.close_group(&mut selection);
            selection.first = at;
            self.b.open();
            self.b.open();
        } else {
            self.fall(&mut selection)?;
        }
        selection.at = at;
        selection.section_mark = self.journal.len();
        self.dead = false;
        if let Some(frame) = self.frames.last_mut() {
            *frame = Frame::Switch(selection);
        }
        Ok(())
    }

    /// Goes from one section into the next: what was in the first one runs only where it was entered.
    fn fall(&mut self, selection: &mut Selection) -> Result<()> {
        let region = self.b.close(&[]);
        if region.nodes.is_empty() && self.journal.len() == selection.section_mark {
            self.b.open();
            return Ok(());
        }
        if !selection.by_section {
            return Err(Refusal::new(
                NO_MEANING,
                "control falls through into a case that cannot be separated",
            ));
        }
        let changed = self.roll_back(selection.section_mark);
        let next = self.b.uint(selection.at as u32 + 1);
        let cond = self.b.pure(Pure::Lt, &[selection.selector, next]);
        // The other branch is empty.
        self.b.open();
        let other = Branch { region: self.b.close(&[]), changed: Vec::new(), dead: false };
        self.join(cond, Branch { region, changed, dead: false }, other);
        self.b.open();
        Ok(())
    }

    /// Ends the last section of a group: it is run wherever the group is.
    fn close_section(&mut self, selection: &mut Selection) {
        let region = self.b.close(&[]);
        for node in region.nodes {
            self.b.node(node);
        }
        if !self.dead {
            let written = core::mem::take(&mut selection.written);
            self.leave(selection.label, &written);
            selection.written = written;
        }
    }

    /// Ends sections that control falls through.
    fn close_group(&mut self, selection: &mut Selection) {
        let region = self.b.close(&[]);
        self.roll_back(selection.mark);
        let range = selection.first..=selection.at;
        let default = range
            .clone()
            .any(|n| selection.sections.get(n).is_some_and(|section| self.is_default(section.0)));
        if default && !selection.by_section {
            selection.default = Some(region);
            return;
        }
        let numbers = range.filter_map(|n| {
            if selection.by_section { Some(n as u32) } else { selection.sections.get(n).and_then(|s| s.1) }
        });
        let numbers = numbers.collect();
        selection.cases.push((numbers, region));
    }

    fn close_switch(&mut self) -> Result<()> {
        let Some(Frame::Switch(mut selection)) = self.frames.pop() else {
            return Err(Refusal::new(NO_MEANING, "ENDSWITCH outside a switch"));
        };
        if selection.at != usize::MAX {
            self.close_section(&mut selection);
            self.close_group(&mut selection);
        }
        let Selection { label, written, mark, selector, cases, default, .. } = *selection;
        if !cases.is_empty() || default.is_some() {
            let default = default.unwrap_or_default();
            self.b.node(Node::Switch(Box::new(Switch { selector, cases, default, results: Vec::new() })));
        }
        // Here is who chose nothing.
        let values = self.present(&written);
        let body = self.b.close(&values);
        self.roll_back(mark);
        let results = self.fresh(&written);
        self.b.node(Node::Block(Box::new(Block { label, body, results })));
        self.dead = false;
        Ok(())
    }

    // Subroutines.

    /// The subroutine that a call means. Labels are those of the text, which is all that says it; where it has only one,
    /// that one is meant.
    pub(super) fn subroutine_of(&self, i: &Instruction<'_>) -> Option<usize> {
        let label = i.token.label.unwrap_or(0) as usize;
        let exact = self.subroutines.binary_search_by_key(&label, |subroutine| subroutine.start);
        exact.ok().or_else(|| (self.subroutines.len() == 1).then_some(0))
    }

    /// Begins a subroutine for those who do flow control otherwise; gives where it begins.
    pub(super) fn enter_call(&mut self, i: &Instruction<'_>) -> Result<usize> {
        self.entered(i).map(|subroutine| subroutine.start)
    }

    /// Opens the call that an instruction is.
    fn entered(&mut self, i: &Instruction<'_>) -> Result<Subroutine> {
        let found = self.subroutine_of(i).and_then(|n| Some((n, *self.subroutines.get(n)?)));
        let Some((n, subroutine)) = found else {
            let label = i.token.label.unwrap_or(0);
            return Err(Refusal::new(NO_MEANING, format!("no subroutine begins at {label}")));
        };
        self.calls
            .enter(n as u32, self.b.size())
            .map_err(|why| Refusal::new(LIMIT, format!("the subroutine at {}: {why}", subroutine.start)))?;
        Ok(subroutine)
    }

    /// Begins a subroutine; gives the number of its first instruction.
    fn call(&mut self, pc: usize, i: &Instruction<'_>, conditional: bool) -> Result<usize> {
        let Subroutine { start, early } = self.entered(i)?;
        let label = early.then(|| self.b.label());
        let written = if early { self.written_in(start)? } else { Vec::new() };
        let mark = self.journal.len();
        self.push(Frame::Routine { label, written, mark, back: Some(pc + 1), conditional })?;
        if early {
            self.b.open();
        }
        Ok(start + 1)
    }

    /// Ends a subroutine or the main program, or leaves it early; gives the number of the next instruction.
    fn ret(&mut self, pc: usize, at_end: bool) -> Result<Option<usize>> {
        match self.frames.last() {
            None => return Ok(None),
            Some(Frame::Routine { back: None, .. }) => return Ok(None),
            Some(Frame::Routine { .. }) => {}
            Some(_) if at_end => {
                return Err(Refusal::new(NO_MEANING, "a block is still open where a subroutine ends"));
            }
            Some(_) => {
                let routine = self.frames.iter().rev().find_map(|frame| match frame {
                    Frame::Routine { label, written, .. } => Some((*label, written.clone())),
                    _ => None,
                });
                let Some((Some(label), written)) = routine else {
                    return Err(Refusal::new(NO_MEANING, "RET outside a program or subroutine"));
                };
                self.leave(label, &written);
                return Ok(Some(pc + 1));
            }
        }
        let Some(Frame::Routine { label, written, mark, back: Some(back), conditional }) = self.frames.pop()
        else {
            return Ok(None);
        };
        self.calls.leave();
        if let Some(label) = label {
            let body = self.close_region(|this| this.present(&written));
            self.roll_back(mark);
            let results = self.fresh(&written);
            self.b.node(Node::Block(Box::new(Block { label, body, results })));
            self.dead = false;
        }
        if conditional {
            self.close_if()?;
        }
        Ok(Some(back))
    }
}
