//! Where the panes stand: all at once where there is room, else the source above, the registers and one more below.

use super::keys::KEYS;
use super::{Pane, PromptKind, Screen};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

/// From this size on everything stands on the screen.
const WIDE: (u16, u16) = (110, 32);
/// Below this width the two panes below the source take turns.
const NARROW: u16 = 66;

impl Screen {
    /// Draws everything.
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let [head, body, foot] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
        self.head(frame, head);
        if area.width >= WIDE.0 && area.height >= WIDE.1 {
            self.wide(frame, body);
        } else {
            self.small(frame, body);
        }
        self.foot_line(frame, foot);
        if self.help {
            self.help(frame, area);
        }
    }

    fn head(&self, frame: &mut Frame<'_>, area: Rect) {
        let view = &self.view;
        let step = format!(" step {} of {} ", view.time, view.end);
        let what = match (&view.next, view.group.len()) {
            (None, _) => "the run is over".into(),
            (Some(next), _) => {
                let line = next.line.map_or_else(|| "not in the text".into(), |line| format!("line {line}"));
                let unit =
                    if next.part_name.is_empty() { String::new() } else { format!(" {}", next.part_name) };
                format!("next {line}{unit}")
            }
        };
        let width = usize::from(area.width);
        let room = width.saturating_sub(step.chars().count());
        let whole = format!(" vecasm debug  {}  {what}", self.title);
        let title = if whole.chars().count() <= room { whole } else { format!(" {}  {what}", self.title) };
        let title: String = title.chars().take(room).collect();
        let pad = room.saturating_sub(title.chars().count());
        let style = if self.paint.on {
            Style::new().fg(Color::White).bg(Color::DarkGray).add_modifier(Modifier::BOLD)
        } else {
            Style::new().add_modifier(Modifier::REVERSED)
        };
        frame.render_widget(Line::from(format!("{title}{}{step}", " ".repeat(pad))).style(style), area);
    }

    fn foot_line(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Some(prompt) = &self.prompt {
            let asked = match prompt.kind {
                PromptKind::Line => "run to line",
                PromptKind::Watch => "watch",
                PromptKind::Condition => "stop where",
            };
            let spans = vec![
                Span::styled(format!(" {asked}: "), self.paint.fg(Color::Yellow)),
                Span::raw(prompt.text.clone()),
                Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED)),
            ];
            frame.render_widget(Line::from(spans), area);
            return;
        }
        let masked = self.view.masked.as_ref().map(|m| format!("does not take part here: {}", m.text));
        let said = if self.message.is_empty() { masked.unwrap_or_default() } else { self.message.clone() };
        let keys = "s step  b back  c C run  Tab pane  a ancestry  ? keys  q leave ";
        let room = usize::from(area.width).saturating_sub(said.chars().count() + 2);
        let keys = if keys.len() <= room { keys } else { "? keys " };
        let gap = room.saturating_sub(keys.len());
        let spans = vec![
            Span::styled(format!(" {said} "), self.paint.fg(Color::Yellow)),
            Span::raw(" ".repeat(gap)),
            Span::styled(keys, self.paint.faint()),
        ];
        frame.render_widget(Line::from(spans), area);
    }

    /// Source above; below the panes that were chosen last, one with values and another one.
    fn small(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let source = (area.height * 9 / 20).max(5);
        let [top, bottom] = Layout::vertical([Constraint::Length(source), Constraint::Fill(1)]).areas(area);
        self.pane(frame, Pane::Source, top);
        let [values, other] = self.below;
        if area.width < NARROW {
            let with_values = self.focus == Pane::Source || self.focus.has_values();
            self.pane(frame, if with_values { values } else { other }, bottom);
            return;
        }
        if matches!(self.focus, Pane::Textures | Pane::Watches | Pane::Ancestry) {
            self.pane(frame, self.focus, bottom);
            return;
        }
        // A name, four numbers, and the frame.
        let left = area.width.div_ceil(2).clamp(50, 64).min(area.width - 16);
        let [left, right] = Layout::horizontal([Constraint::Length(left), Constraint::Fill(1)]).areas(bottom);
        self.pane(frame, other, right);
        let rows = |pane: Pane| self.cells(pane).len().max(1) as u16 + 2;
        // Outputs stand below the registers where they fit.
        if values != Pane::Given && rows(Pane::Outputs) + rows(Pane::Registers).min(8) <= left.height {
            let low = Constraint::Length(rows(Pane::Outputs));
            let [left, low] = Layout::vertical([Constraint::Fill(1), low]).areas(left);
            self.pane(frame, Pane::Registers, left);
            self.pane(frame, Pane::Outputs, low);
            return;
        }
        self.pane(frame, values, left);
    }

    /// Everything at once: what the program says at the left, what it holds at the right.
    fn wide(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let right = (area.width * 9 / 20).max(50);
        let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(right)]).areas(area);
        let rows = |pane: Pane| self.content(pane, 40, 10).lines.len() as u16 + 2;
        let mut texts = vec![(Pane::Source, 0)];
        if self.has(Pane::Lanes) {
            texts.push((Pane::Lanes, rows(Pane::Lanes).min(6)));
        }
        texts.push((Pane::Ancestry, rows(Pane::Ancestry).clamp(4, (left.height / 3).max(4))));
        texts.push((Pane::Watches, rows(Pane::Watches).min(8)));
        let mut values = vec![(Pane::Registers, rows(Pane::Registers)), (Pane::Outputs, rows(Pane::Outputs))];
        values.push((Pane::Given, rows(Pane::Given)));
        if self.has(Pane::Textures) {
            values.push((Pane::Textures, (self.view.textures.len() as u16 * 2 + 2).min(10)));
        }
        if self.has(Pane::Pixel) {
            values.push((Pane::Pixel, 0));
        }
        let heights = texts.iter().map(|(pane, height)| match pane {
            Pane::Source => Constraint::Fill(1),
            _ => Constraint::Length(*height),
        });
        let areas = Layout::vertical(heights).split(left);
        for ((pane, _), area) in texts.iter().zip(areas.iter()) {
            self.pane(frame, *pane, *area);
        }
        share(&mut values, right.height);
        let areas =
            Layout::vertical(values.iter().map(|(_, height)| Constraint::Length(*height))).split(right);
        for ((pane, _), area) in values.iter().zip(areas.iter()) {
            self.pane(frame, *pane, *area);
        }
    }

    /// One pane in its frame.
    fn pane(&mut self, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
        if area.height < 2 || area.width < 4 {
            return;
        }
        let focused = pane == self.focus;
        let mut block = Block::bordered()
            .border_type(if focused { BorderType::Thick } else { BorderType::Rounded })
            .border_style(self.paint.border(focused))
            .title(format!(" {} ", self.title(pane)));
        if let Some(foot) = self.foot(pane) {
            block = block.title_bottom(format!(" {foot} "));
        }
        let inner = block.inner(area);
        frame.render_widget(block, area);
        let content = self.content(pane, inner.width, inner.height);
        let (height, count) = (usize::from(inner.height), content.lines.len());
        let last = count.saturating_sub(height);
        let first = match (pane, content.cursor) {
            (Pane::Source, Some(cursor)) => {
                // Some lines around the cursor stay in sight.
                let margin = (height / 4).min(3);
                self.top = self.top.min(cursor.saturating_sub(margin));
                self.top = self.top.max((cursor + margin + 1).saturating_sub(height)).min(last);
                self.top
            }
            (_, Some(cursor)) => (cursor + 1).saturating_sub(height),
            // What the last step wrote is to be seen.
            _ => self.written(pane).map_or(0, |row| (row + 1).saturating_sub(height)).min(last),
        };
        let lines: Vec<Line<'static>> = content.lines.into_iter().skip(first).take(height).collect();
        frame.render_widget(Paragraph::new(lines), inner);
        if first > 0 {
            let at = Rect { x: area.right() - 2, y: area.y, width: 1, height: 1 };
            frame.render_widget("▲", at);
        }
        if first + height < count {
            let at = Rect { x: area.right() - 2, y: area.bottom() - 1, width: 1, height: 1 };
            frame.render_widget("▼", at);
        }
    }

    /// The last row of a pane that the last step wrote.
    fn written(&self, pane: Pane) -> Option<usize> {
        let none = vecasm::isa::operand::WriteMask::NONE;
        self.cells(pane).iter().rposition(|cell| cell.as_ref().is_some_and(|cell| cell.written != none))
    }

    fn help(&self, frame: &mut Frame<'_>, area: Rect) {
        let width = 76.min(area.width);
        let height = (KEYS.len() as u16 + 2).min(area.height);
        let at = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        frame.render_widget(Clear, at);
        let line = |(keys, what): &(&'static str, &'static str)| {
            Line::from(vec![
                Span::styled(format!(" {keys:<10}"), self.paint.fg(Color::Cyan).add_modifier(Modifier::BOLD)),
                Span::raw(*what),
            ])
        };
        let block = Block::bordered().border_style(self.paint.border(true)).title(" keys ");
        frame.render_widget(Paragraph::new(KEYS.iter().map(line).collect::<Vec<_>>()).block(block), at);
    }
}

/// Gives panes their heights: what they want where there is room, less from the largest where not, and what is left to the
/// last one. The last one, a picture or whatever stands there, gets a third at most before the others have enough.
fn share(panes: &mut [(Pane, u16)], height: u16) {
    const LEAST: u16 = 3;
    let pixel = panes.iter().any(|(pane, _)| *pane == Pane::Pixel);
    if let Some((Pane::Pixel, wanted)) = panes.last_mut() {
        *wanted = (height / 3).clamp(7, 18);
    }
    let sum = |panes: &[(Pane, u16)]| panes.iter().map(|(_, h)| u32::from(*h)).sum::<u32>();
    while sum(panes) > u32::from(height) {
        match panes.iter_mut().max_by_key(|(_, h)| *h) {
            Some((_, largest)) if *largest > LEAST => *largest -= 1,
            _ => return,
        }
    }
    let left = (u32::from(height) - sum(panes)) as u16;
    let takes = if pixel { panes.len() - 1 } else { 0 };
    if let Some((_, h)) = panes.get_mut(takes) {
        *h += left;
    }
}
