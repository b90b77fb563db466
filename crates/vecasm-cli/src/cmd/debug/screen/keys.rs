//! What the keys do.

use super::{Pane, Prompt, PromptKind, Screen};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use vecasm::debug::session::{Reason, Stop};

/// The keys, as the help lists them; docs/debugging.md has the same list.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("s  →", "step forward: an instruction, or half of a paired one"),
    ("b  ←", "step back"),
    ("n  N", "to the next line, to the previous line"),
    ("c  C", "run to a breakpoint or the end, back to one or the start"),
    ("g", "run to a line; Enter runs to the line of the cursor"),
    ("Home  End", "to the start, to the end"),
    ("B", "set or remove a breakpoint in the line of the cursor"),
    ("/", "stop where a condition holds: nan, oC0.x < 0, writes r1"),
    ("w  x", "watch an expression; remove the selected watch"),
    ("1-4", "choose the invocation of the quad"),
    ("a", "what made the selected component; again to leave"),
    ("Tab", "to the next pane, with Shift to the previous one"),
    ("↑ ↓ ← →", "move the cursor in a pane; in the source ← → step"),
    ("v", "numbers or bits"),
    ("?  q", "these keys; leave"),
];

impl Screen {
    /// Does what a key says.
    pub(super) fn key(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.quit = true;
            return;
        }
        if self.help {
            self.help = false;
            return;
        }
        if let Some(prompt) = self.prompt.take() {
            self.type_on(prompt, key.code);
            return;
        }
        self.message.clear();
        let in_source = self.focus == Pane::Source;
        match key.code {
            KeyCode::Char('q') => self.quit = true,
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('s') => self.moved(|s| s.session.step()),
            KeyCode::Char('b') => self.moved(|s| s.session.step_back()),
            KeyCode::Right if in_source => self.moved(|s| s.session.step()),
            KeyCode::Left if in_source => self.moved(|s| s.session.step_back()),
            KeyCode::Char('n') => self.moved(|s| s.session.next_line()),
            KeyCode::Char('N') => self.moved(|s| s.session.previous_line()),
            KeyCode::Char('c') => self.moved(|s| s.session.resume()),
            KeyCode::Char('C') => self.moved(|s| s.session.reverse()),
            KeyCode::Home => self.moved(|s| s.session.start()),
            KeyCode::End => self.moved(|s| s.session.end()),
            KeyCode::Enter if in_source => {
                let line = self.line;
                self.moved(|s| s.session.run_to_line(line));
            }
            KeyCode::Char('g') => self.ask(PromptKind::Line),
            KeyCode::Char('w') => self.ask(PromptKind::Watch),
            KeyCode::Char('/') => self.ask(PromptKind::Condition),
            KeyCode::Char('B') => self.toggle_breakpoint(),
            KeyCode::Char('x') => self.remove(),
            KeyCode::Char('a') => self.follow(),
            KeyCode::Char('v') => self.bits = !self.bits,
            KeyCode::Esc => {
                self.followed = None;
                self.refresh();
            }
            KeyCode::Char(digit @ '1'..='9') => self.choose(digit as usize - '1' as usize),
            KeyCode::Tab => self.next_pane(false),
            KeyCode::BackTab => self.next_pane(true),
            KeyCode::Up => self.move_row(-1),
            KeyCode::Down => self.move_row(1),
            KeyCode::PageUp => self.move_row(-10),
            KeyCode::PageDown => self.move_row(10),
            KeyCode::Left => self.lane = self.lane.saturating_sub(1),
            KeyCode::Right => self.lane = (self.lane + 1).min(3),
            _ => {}
        }
    }

    /// Moves the session and says where it stopped.
    fn moved(&mut self, go: impl FnOnce(&mut Self) -> Stop) {
        let stop = go(self);
        self.refresh();
        if let Some(line) = self.session.line() {
            self.line = line;
        }
        self.message = match stop.reason {
            Reason::Breakpoint => {
                let numbers: Vec<String> = stop.breakpoints.iter().map(ToString::to_string).collect();
                format!("breakpoint {}", numbers.join(", "))
            }
            Reason::Start => "the start of the run".into(),
            Reason::End if self.view.cut => "the end of the recording; the run was longer".into(),
            Reason::End if self.view.killed => "the end of the run: the fragment is discarded".into(),
            Reason::End => "the end of the run".into(),
            Reason::Step | Reason::Line => String::new(),
        };
    }

    fn ask(&mut self, kind: PromptKind) {
        self.prompt = Some(Prompt { kind, text: String::new() });
    }

    /// A key while something is asked.
    fn type_on(&mut self, mut prompt: Prompt, code: KeyCode) {
        match code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.answer(&prompt),
            KeyCode::Backspace => {
                prompt.text.pop();
            }
            KeyCode::Char(c) if prompt.text.len() < 256 => prompt.text.push(c),
            _ => {}
        }
        self.prompt = Some(prompt);
    }

    fn answer(&mut self, prompt: &Prompt) {
        let text = prompt.text.trim();
        if text.is_empty() {
            return;
        }
        self.message = match prompt.kind {
            PromptKind::Line => match text.parse() {
                Ok(line) => return self.moved(|s| s.session.run_to_line(line)),
                Err(_) => format!("{text} is not a line"),
            },
            PromptKind::Watch => match self.session.watch(text) {
                Ok(watch) => {
                    let said = format!("watch {}", watch.id);
                    self.show(Pane::Watches);
                    said
                }
                Err(error) => error.to_string(),
            },
            PromptKind::Condition => match self.session.break_if(text) {
                Ok(point) => {
                    let said =
                        format!("breakpoint {}: c goes on to where {} holds", point.id, point.condition);
                    self.show(Pane::Watches);
                    said
                }
                Err(error) => error.to_string(),
            },
        };
        self.refresh();
    }

    fn toggle_breakpoint(&mut self) {
        let at = self.session.breakpoints().iter().find(|b| b.line == Some(self.line)).map(|b| b.id);
        if let Some(id) = at {
            self.session.remove(id);
            self.message = format!("breakpoint {id} removed");
            return;
        }
        self.message = match self.session.break_at(self.line, None) {
            Ok(point) => {
                format!("breakpoint {} in line {}", point.id, point.line.unwrap_or_default())
            }
            Err(error) => error.to_string(),
        };
    }

    /// Removes the selected watch; outside of the watches the last breakpoint on a condition.
    fn remove(&mut self) {
        let id = if self.focus == Pane::Watches {
            self.session.watches().get(self.rows[Pane::Watches as usize]).map(|watch| watch.id)
        } else {
            self.session.breakpoints().iter().rev().find(|point| point.line.is_none()).map(|point| point.id)
        };
        if let Some(id) = id {
            self.session.remove(id);
            self.message = format!("number {id} removed");
            self.refresh();
        }
    }

    /// Shows what made the selected component, or stops doing so.
    fn follow(&mut self) {
        let wanted = self.selected().map(|(cell, lane)| (cell.cell, lane));
        if wanted.is_none() && self.followed.is_none() {
            self.message = "choose a component first: Tab to the registers, then the arrows".into();
        }
        self.followed = if wanted == self.followed { None } else { wanted };
        if self.followed.is_some() {
            self.show(Pane::Ancestry);
        }
        self.refresh();
    }

    fn choose(&mut self, invocation: usize) {
        if !self.session.select(invocation) {
            self.message = format!("there are {} invocations", self.view.group.len());
            return;
        }
        self.note_lines();
        self.refresh();
    }

    fn next_pane(&mut self, back: bool) {
        let there: Vec<Pane> = Pane::ALL.into_iter().filter(|pane| self.has(*pane)).collect();
        let at = there.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let next = if back { at + there.len() - 1 } else { at + 1 };
        self.focus = there[next % there.len()];
        self.show(self.focus);
    }

    fn move_row(&mut self, by: isize) {
        if self.focus == Pane::Source {
            let last = self.session.listing().lines().len().max(1);
            self.line = (self.line as usize).saturating_add_signed(by).clamp(1, last) as u32;
            return;
        }
        let count = match self.focus {
            Pane::Watches => self.view.watches.len(),
            Pane::Ancestry => self.ancestry.as_ref().map_or(0, |a| a.steps.len() + a.roots.len()),
            pane => self.cells(pane).len(),
        };
        let row = &mut self.rows[self.focus as usize];
        *row = row.saturating_add_signed(by).min(count.saturating_sub(1));
    }
}
