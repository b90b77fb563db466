//! Conditionals, loops, selections and subroutines of programs, which the kit under all lifts builds.

use super::registers::{ADDRESS, TEMPORARY};
use super::scan::Instruction;
use super::{LIMIT, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{ControlFlow, Exit, FlowError, Frame, Kit, Section, SelectionError, Selections};
use crate::table::Flow;
use crate::tgsi::names::File;
use crate::tgsi::program::Operand;
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::diag::Rule;
use vecasm_ir::ir::{Arg, Home, Pure, Scalar};

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

impl ControlFlow for Lifter<'_> {
    const LIMIT: &'static Rule = LIMIT;
    const MAX_VALUES: usize = 1 << 20;

    fn refuse_flow(error: FlowError) -> Refusal {
        let what = match error {
            FlowError::Else | FlowError::SecondElse => "ELSE outside a conditional",
            FlowError::EndIf => "ENDIF outside a conditional",
            FlowError::EndLoop => "ENDLOOP outside a loop",
            FlowError::Exit(Exit::Break) => "BRK outside a loop or switch",
            FlowError::Exit(Exit::Continue) => "CONT outside a loop",
            FlowError::Exit(Exit::Return) => "RET outside a program or subroutine",
            FlowError::Open => "a block is still open at the end of the program",
            FlowError::OpenInRoutine => "a block is still open where a subroutine ends",
        };
        Refusal::new(NO_MEANING, what)
    }

    fn home_of(&self, slot: usize) -> Home {
        let (file, index) = self.scan.slots.get(slot).copied().unwrap_or((File::Temp, 0));
        Home { file: if file == File::Addr { ADDRESS } else { TEMPORARY }, index }
    }

    fn scalar_of(&self, slot: usize, lane: usize) -> Scalar {
        self.webs.of_slot(slot, lane)
    }
}

impl Selections for Lifter<'_> {
    fn refuse_selection(error: SelectionError) -> Refusal {
        let what = match error {
            SelectionError::Case => "CASE or DEFAULT outside a switch",
            SelectionError::Fall => "control falls through into a case that cannot be separated",
            SelectionError::EndSwitch => "ENDSWITCH outside a switch",
        };
        Refusal::new(NO_MEANING, what)
    }
}

impl Lifter<'_> {
    /// Finds the subroutines; whether the main program has a return inside a block.
    pub(super) fn find_subroutines(&mut self) -> bool {
        let (subroutines, early) = subroutines(&self.scan.code);
        self.subroutines = subroutines;
        self.find_written();
        early
    }

    /// An instruction of flow control; gives the number of the next one.
    pub(super) fn flow(&mut self, pc: usize, i: &Instruction<'_>) -> Result<Option<usize>> {
        let next = Some(pc + 1);
        let flow = i.op.row().flow;
        if self.skips(flow)? {
            return Ok(next);
        }
        match flow {
            Flow::If => {
                let cond = self.condition(i)?;
                self.open_if(cond)?;
            }
            Flow::Else => self.open_else()?,
            Flow::EndIf => self.close_if()?,
            Flow::Loop => {
                let written = self.written_in(pc)?;
                self.open_loop(written, &[])?;
            }
            Flow::EndLoop => self.close_loop(|_| Vec::new())?,
            Flow::Break => {
                if i.op == Opcode::Breakc {
                    let cond = self.condition(i)?;
                    self.open_if(cond)?;
                    self.exit(Exit::Break)?;
                    self.close_if()?;
                } else {
                    self.exit(Exit::Break)?;
                }
            }
            Flow::Continue => self.exit(Exit::Continue)?,
            Flow::Switch => self.select(pc, i)?,
            Flow::Case | Flow::Default => self.open_section(pc)?,
            Flow::EndSwitch => self.close_switch()?,
            Flow::Call => {
                let conditional = i.op == Opcode::Callnz;
                if conditional {
                    let cond = self.condition(i)?;
                    self.open_if(cond)?;
                }
                return self.call(pc, i, conditional).map(Some);
            }
            Flow::Return | Flow::EndLabel => return self.return_from(pc, flow == Flow::EndLabel),
            Flow::End => {
                return match self.kit.flow.innermost() {
                    None | Some(Frame::Routine { back: None, .. }) => Ok(None),
                    _ => Err(Self::refuse_flow(FlowError::Open)),
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

    /// Whether x is not zero: as bits for UIF, as a float for the others.
    pub(super) fn condition(&mut self, i: &Instruction<'_>) -> Result<Arg> {
        let ty = if i.op == Opcode::Uif { Taken::U32 } else { Taken::F32 };
        let x = self.scalar(i, 0, ty)?;
        let zero = if i.op == Opcode::Uif { self.word(0, 1) } else { self.b.splat(0.0, 1) };
        let cond = self.b.pure(Pure::Ne, &[x, zero]);
        self.mark();
        Ok(cond)
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

    /// Opens the selection that an instruction begins.
    fn select(&mut self, pc: usize, i: &Instruction<'_>) -> Result<()> {
        let of = self.scalar(i, 0, Taken::U32)?;
        let written = self.written_in(pc)?;
        // The sections of this one, and whether control may fall from one into the next.
        let mut sections: Vec<Section> = Vec::new();
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
                    let is_default = i.op == Opcode::Default;
                    fixed &= number.is_some() || is_default;
                    sections.push(Section { start: n, number, is_default });
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
        let mut numbers: Vec<u32> = sections.iter().filter_map(|section| section.number).collect();
        let cases = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        let defaults = sections.iter().filter(|section| section.is_default).count();
        let by_section = falls || !fixed || numbers.len() < cases || defaults > 1;
        let selector = if by_section { self.chosen_section(of, &sections)? } else { of };
        self.mark();
        self.open_switch(selector, by_section, sections, written)
    }

    /// The number of the section that is chosen: the first case that is equal, else the default, else behind all.
    fn chosen_section(&mut self, of: Arg, sections: &[Section]) -> Result<Arg> {
        let default = sections.iter().position(|section| section.is_default);
        let mut chosen = self.b.uint(default.unwrap_or(sections.len()) as u32);
        for (n, section) in sections.iter().enumerate().rev().filter(|(_, section)| !section.is_default) {
            let Some(i) = self.scan.code.get(section.start).copied() else { continue };
            let case = self.scalar(&i, 0, Taken::U32)?;
            let here = self.b.pure(Pure::Eq, &[of, case]);
            let number = self.b.uint(n as u32);
            chosen = self.b.pure(Pure::Select, &[here, number, chosen]);
        }
        Ok(chosen)
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
        self.open_call(n as u32, format_args!("the subroutine at {}", subroutine.start))?;
        Ok(subroutine)
    }

    /// Begins a subroutine; gives the number of its first instruction.
    fn call(&mut self, pc: usize, i: &Instruction<'_>, conditional: bool) -> Result<usize> {
        let Subroutine { start, early } = self.entered(i)?;
        let written = if early { self.written_in(start)? } else { Vec::new() };
        self.open_routine(early, written, Some(pc + 1), conditional)?;
        Ok(start + 1)
    }
}
