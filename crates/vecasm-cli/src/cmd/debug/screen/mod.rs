//! The debugger on a terminal: panes over a [`Session`], which all that is shown comes from.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | what the keys do |
//! | `layout` | where the panes stand |
//! | `panes` | what stands in them |
//! | `paint` | colours, and numbers as text |
//! | `nearby` | the pixels around the one that is looked at |

mod keys;
mod layout;
mod nearby;
mod paint;
mod panes;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use nearby::Nearby;
use paint::Paint;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Stdout, stdout};
use std::panic;
use vecasm::debug::session::Session;
use vecasm::debug::session::view::{Ancestry, CellView, View};
use vecasm::ir::steps::Cell;

/// A part of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pane {
    Source,
    Registers,
    Given,
    Outputs,
    Textures,
    Watches,
    Ancestry,
    Lanes,
    Pixel,
}

impl Pane {
    /// All, in the order in which the tabulator goes through them.
    const ALL: [Self; 9] = [
        Self::Source,
        Self::Registers,
        Self::Given,
        Self::Outputs,
        Self::Textures,
        Self::Watches,
        Self::Ancestry,
        Self::Lanes,
        Self::Pixel,
    ];

    /// Whether it has values, with a cursor on one of their lanes.
    const fn has_values(self) -> bool {
        matches!(self, Self::Registers | Self::Given | Self::Outputs)
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Registers => "registers",
            Self::Given => "inputs and constants",
            Self::Outputs => "outputs",
            Self::Textures => "textures",
            Self::Watches => "watches",
            Self::Ancestry => "ancestry",
            Self::Lanes => "invocations",
            Self::Pixel => "pixel",
        }
    }
}

/// What is being typed.
#[derive(Clone, Debug)]
struct Prompt {
    kind: PromptKind,
    text: String,
}

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptKind {
    Line,
    Watch,
    Condition,
}

/// The state of the screen.
struct Screen {
    session: Session,
    view: View,
    /// What is debugged.
    title: String,
    nearby: Option<Nearby>,
    paint: Paint,
    focus: Pane,
    /// The panes below the source where there is no room for all: one with values, one with anything else.
    below: [Pane; 2],
    /// The line with the cursor.
    line: u32,
    /// First line of the source on the screen.
    top: usize,
    /// For each pane, the row with the cursor.
    rows: [usize; Pane::ALL.len()],
    /// The lane with the cursor.
    lane: usize,
    /// The lane whose ancestry is shown.
    followed: Option<(Cell, usize)>,
    ancestry: Option<Ancestry>,
    /// The lines that the chosen invocation comes through.
    ran: BTreeSet<u32>,
    /// Whether numbers are shown as bits.
    bits: bool,
    prompt: Option<Prompt>,
    message: String,
    help: bool,
    quit: bool,
}

impl Screen {
    fn new(session: Session, about: SubjectInfo, paint: Paint) -> Self {
        let SubjectInfo { title, nearby } = about;
        let view = session.view();
        let mut out = Self {
            line: session.line().or(session.lines().first().copied()).unwrap_or(1),
            session,
            view,
            title,
            nearby,
            paint,
            focus: Pane::Source,
            below: [Pane::Registers, Pane::Ancestry],
            top: 0,
            rows: [0; Pane::ALL.len()],
            lane: 0,
            followed: None,
            ancestry: None,
            ran: BTreeSet::new(),
            bits: false,
            prompt: None,
            message: "? shows the keys".into(),
            help: false,
            quit: false,
        };
        let right = [Pane::Pixel, Pane::Lanes, Pane::Ancestry].into_iter().find(|pane| out.has(*pane));
        out.below[1] = right.unwrap_or(Pane::Ancestry);
        out.note_lines();
        out
    }

    /// Finds the lines that the chosen invocation comes through.
    fn note_lines(&mut self) {
        let invocation = self.session.invocation();
        let moments = self.session.recording().moments().filter(|m| m.is_live(invocation));
        self.ran = moments.filter_map(|m| self.session.listing().line(m.step())).collect();
    }

    /// Looks again, after something has changed.
    fn refresh(&mut self) {
        self.view = self.session.view();
        self.ancestry = self.followed.map(|(cell, lane)| self.session.ancestry(cell, lane));
    }

    /// Makes sure that a pane is on the screen.
    fn show(&mut self, pane: Pane) {
        if pane != Pane::Source {
            self.below[usize::from(!pane.has_values())] = pane;
        }
    }

    /// Whether a pane has anything to show.
    fn has(&self, pane: Pane) -> bool {
        match pane {
            Pane::Textures => !self.view.textures.is_empty(),
            Pane::Pixel => self.nearby.is_some(),
            Pane::Lanes => self.view.group.len() > 1,
            _ => true,
        }
    }

    /// The cells of a pane, one a row; `None` where a row is none.
    fn cells(&self, pane: Pane) -> Vec<Option<CellView>> {
        let mut out = Vec::new();
        match pane {
            Pane::Registers => {
                for file in &self.view.registers {
                    out.extend(file.cells.iter().cloned().map(Some));
                }
            }
            Pane::Given => {
                for cells in [&self.view.inputs, &self.view.constants, &self.view.states] {
                    if !out.is_empty() && !cells.is_empty() {
                        out.push(None);
                    }
                    out.extend(cells.iter().cloned().map(Some));
                }
            }
            Pane::Outputs => out.extend(self.view.outputs.iter().cloned().map(Some)),
            _ => {}
        }
        out
    }

    /// The cell and lane under the cursor, if the pane with the cursor has any.
    fn selected(&self) -> Option<(CellView, usize)> {
        let row = self.rows[self.focus as usize];
        let cell = self.cells(self.focus).into_iter().nth(row)??;
        Some((cell, self.lane))
    }
}

/// The terminal, which is given back as it was.
struct Guard {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Guard {
    fn new() -> Outcome<Self> {
        enable_raw_mode()?;
        let guard = execute!(stdout(), EnterAlternateScreen, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match guard {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error.into())
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back. Nobody is left to tell if that fails.
fn restore() {
    let _ = execute!(stdout(), LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

/// What a session is about: what the screen shows besides it.
#[derive(Clone, Debug)]
pub(crate) struct SubjectInfo {
    title: String,
    nearby: Option<Nearby>,
}

impl SubjectInfo {
    /// Of a case.
    pub(crate) fn of(case: &Case) -> Self {
        let mut title = case.loaded.input.name.to_string();
        if let Some(picked) = &case.picked {
            title = format!("{title} · {}", picked.title());
        }
        Self { title, nearby: case.picked.as_ref().and_then(|picked| Nearby::of(picked)) }
    }
}

/// Lets the user walk through a session until they leave it.
pub(crate) fn run(session: Session, about: SubjectInfo, ctx: &Ctx) -> Outcome {
    if !stdout().is_terminal() {
        return Err(Failure::usage(
            "standard output is not a terminal; use --json or --dap for programs, `run --trace` for files",
        ));
    }
    let mut screen = Screen::new(session, about, Paint { on: ctx.color_out });
    // What a panic says has to be legible.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore();
        hook(info);
    }));
    let mut guard = Guard::new()?;
    while !screen.quit {
        guard.terminal.draw(|frame| screen.draw(frame))?;
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => screen.key(key),
            _ => {}
        }
    }
    Ok(())
}
