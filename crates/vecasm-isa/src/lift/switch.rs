//! Selections: a block with a switch in it. Its sections are taken together as long as control falls from one into the next;
//! what runs if a later one is entered runs in conditionals on the number of the section that was chosen.

use super::flow::{Branch, ControlFlow, Exit, Frame, Part};
use super::{Refusal, Result};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::{replace, take};
use vecasm_ir::ir::{Arg, Label, Node, Pure, Region, Switch};

/// A section of a selection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// The instruction that begins it.
    pub(crate) start: usize,
    /// The number that chooses it, if the program says it.
    pub(crate) number: Option<u32>,
    /// Whether it is for those that no number chooses.
    pub(crate) is_default: bool,
}

/// A selection that is open.
pub(crate) struct Selection {
    pub(super) label: Label,
    pub(super) written: Vec<Part>,
    /// Where the journal was in front of it.
    mark: usize,
    /// What the switch is on: the number that is selected by, or that of the section.
    selector: Arg,
    by_section: bool,
    /// In the order of the program.
    sections: Vec<Section>,
    /// The section at work; `None` in front of the first one.
    at: Option<usize>,
    /// The sections that are entered where the present group is: from this one on.
    first: usize,
    /// Where the journal was in front of the section.
    section_mark: usize,
    cases: Vec<(Vec<u32>, Region)>,
    default: Option<Region>,
}

/// What is wrong with a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectionError {
    /// A section of a selection that is not open.
    Case,
    /// Control falls into a section where the program alone knows which numbers choose it.
    Fall,
    /// The end of a selection that is not open.
    EndSwitch,
}

/// Selections.
pub(crate) trait Selections: ControlFlow {
    /// Why there cannot be such a selection.
    fn refuse_selection(error: SelectionError) -> Refusal;

    /// Opens a selection, of which it is known what it writes. `by_section` is where the selector is the number of the section
    /// and not one that chooses it; then control may fall from one section into the next.
    fn open_switch(
        &mut self,
        selector: Arg,
        by_section: bool,
        sections: Vec<Section>,
        written: Vec<Part>,
    ) -> Result<()> {
        let (b, kit) = self.split();
        let (label, mark) = (b.label(), kit.registers.mark());
        self.push_frame(Frame::Switch(Box::new(Selection {
            label,
            written,
            mark,
            selector,
            by_section,
            sections,
            at: None,
            first: 0,
            section_mark: mark,
            cases: Vec::new(),
            default: None,
        })))?;
        let (b, kit) = self.split();
        b.open();
        // What stands in front of the first section is never run.
        kit.flow.dead = true;
        Ok(())
    }

    /// Begins the section that an instruction begins.
    fn open_section(&mut self, start: usize) -> Result<()> {
        let refusal = || Self::refuse_selection(SelectionError::Case);
        let frame = self.blocks().frames.last_mut().ok_or_else(refusal)?;
        let Frame::Switch(mut selection) = replace(frame, Frame::Skipped) else { return Err(refusal()) };
        let at = selection.sections.binary_search_by_key(&start, |section| section.start);
        let at = at.map_err(|_| refusal())?;
        match selection.at {
            Some(last) if !self.blocks().dead => self.fall(&mut selection, last)?,
            last => {
                if let Some(last) = last {
                    self.close_section(&mut selection);
                    self.close_group(&mut selection, last);
                }
                selection.first = at;
                self.builder().open();
                self.builder().open();
            }
        }
        selection.at = Some(at);
        let (_, kit) = self.split();
        selection.section_mark = kit.registers.mark();
        kit.flow.dead = false;
        if let Some(frame) = kit.flow.frames.last_mut() {
            *frame = Frame::Switch(selection);
        }
        Ok(())
    }

    /// Goes from a section into the next: what was in the first one runs only where it was entered.
    fn fall(&mut self, selection: &mut Selection, from: usize) -> Result<()> {
        let (b, kit) = self.split();
        let region = b.close(&[]);
        if region.nodes.is_empty() && kit.registers.mark() == selection.section_mark {
            b.open();
            return Ok(());
        }
        if !selection.by_section {
            return Err(Self::refuse_selection(SelectionError::Fall));
        }
        let changes = kit.registers.roll_back(selection.section_mark);
        let next = b.uint(from as u32 + 1);
        let cond = b.pure(Pure::Lt, &[selection.selector, next]);
        // The other branch is empty.
        b.open();
        let other = Branch { region: b.close(&[]), changes: Vec::new(), dead: false };
        self.join(cond, Branch { region, changes, dead: false }, other);
        self.builder().open();
        Ok(())
    }

    /// Ends the last section of a group: it is run wherever the group is.
    fn close_section(&mut self, selection: &mut Selection) {
        let b = self.builder();
        let region = b.close(&[]);
        for node in region.nodes {
            b.node(node);
        }
        if !self.blocks().dead {
            let written = take(&mut selection.written);
            self.leave(Exit::Break, selection.label, &written);
            selection.written = written;
        }
    }

    /// Ends sections that control falls through, up to one of them.
    fn close_group(&mut self, selection: &mut Selection, last: usize) {
        let (b, kit) = self.split();
        let region = b.close(&[]);
        kit.registers.roll_back(selection.mark);
        let group = selection.sections.get(selection.first..=last).unwrap_or(&[]);
        if selection.by_section {
            let numbers = (selection.first..=last).map(|n| n as u32).collect();
            selection.cases.push((numbers, region));
        } else if group.iter().any(|section| section.is_default) {
            selection.default = Some(region);
        } else {
            let numbers = group.iter().filter_map(|section| section.number).collect();
            selection.cases.push((numbers, region));
        }
    }

    /// Closes a selection.
    fn close_switch(&mut self) -> Result<()> {
        let Some(Frame::Switch(mut selection)) = self.pop_frame() else {
            return Err(Self::refuse_selection(SelectionError::EndSwitch));
        };
        if let Some(last) = selection.at {
            self.close_section(&mut selection);
            self.close_group(&mut selection, last);
        }
        let Selection { label, written, mark, selector, cases, default, .. } = *selection;
        if !cases.is_empty() || default.is_some() {
            let default = default.unwrap_or_default();
            let node = Switch { selector, cases, default, results: Vec::new() };
            self.builder().node(Node::Switch(Box::new(node)));
        }
        // Here is who chose nothing.
        self.close_block(label, &written, mark);
        Ok(())
    }
}
