//! What stands in the panes.

use super::paint::{Kind, NUMBER, exactly, number};
use super::{Pane, Screen};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::collections::BTreeSet;
use vecasm::debug::condition::Evaluation;
use vecasm::debug::session::view::{AccessView, CellView, Origin, Place};
use vecasm::ir::Scalar;
use vecasm::ir::steps::Cell;

/// Where a lane that nobody wrote comes from.
const UNWRITTEN: &str = Origin::Unwritten.name();

/// A pane's lines, and which of them has the cursor.
pub(super) struct Content {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) cursor: Option<usize>,
}

impl From<Vec<Line<'static>>> for Content {
    fn from(lines: Vec<Line<'static>>) -> Self {
        Self { lines, cursor: None }
    }
}

impl Screen {
    /// The lines of a pane that is so wide and high inside.
    pub(super) fn content(&self, pane: Pane, width: u16, height: u16) -> Content {
        match pane {
            Pane::Source => self.source(width),
            Pane::Registers | Pane::Given | Pane::Outputs => self.cell_lines(pane),
            Pane::Textures => self.textures().into(),
            Pane::Watches => self.watches(),
            Pane::Ancestry => self.ancestry_lines(),
            Pane::Lanes => self.lanes().into(),
            Pane::Pixel => {
                let nearby = self.nearby.as_ref();
                nearby.map_or_else(Vec::new, |n| n.lines(width, height, self.paint)).into()
            }
        }
    }

    /// What stands in the frame of a pane.
    pub(super) fn title(&self, pane: Pane) -> String {
        match pane {
            Pane::Ancestry => match &self.ancestry {
                Some(ancestry) => format!("what made {}", ancestry.name),
                None => "ancestry".into(),
            },
            Pane::Pixel => {
                let nearby = self.nearby.as_ref();
                nearby.map_or_else(String::new, |n| format!("pixel {},{} {}", n.at.0, n.at.1, n.hex()))
            }
            Pane::Lanes if self.session.shader().stage == vecasm::ir::Stage::Fragment => "quad".into(),
            _ => pane.title().into(),
        }
    }

    /// What stands at the foot of the pane with the cursor.
    pub(super) fn foot(&self, pane: Pane) -> Option<String> {
        let (cell, lane) = (pane == self.focus).then(|| self.selected()).flatten()?;
        let letter = ["x", "y", "z", "w"][lane & 3];
        let unwritten = pane == Pane::Registers && self.is_unwritten(cell.cell, lane & 3);
        let note = if unwritten && cell.bits[lane & 3].is_some() { ", never written" } else { "" };
        Some(format!("{}.{letter} {}{note}", cell.name, exactly(cell.bits[lane & 3], cell.scalar)))
    }

    fn source(&self, width: u16) -> Content {
        let listing = self.session.listing();
        let current = self.session.line();
        let part = self.view.next.as_ref().filter(|next| !next.part_name.is_empty());
        let made: BTreeSet<u32> =
            self.ancestry.iter().flat_map(|a| &a.steps).filter_map(|(p, _)| p.line).collect();
        let steps: BTreeSet<u32> = self.session.lines().iter().copied().collect();
        let digits = listing.lines().len().max(1).to_string().len().max(2);
        let mut lines = Vec::new();
        for (n, text) in listing.lines().iter().enumerate() {
            let line = n as u32 + 1;
            let point = self.session.breakpoints().iter().find(|point| point.line == Some(line));
            let dot = match point {
                Some(point) if point.enabled => Span::styled("●", self.paint.fg(Color::Red)),
                Some(_) => Span::raw("○"),
                None => Span::raw(" "),
            };
            let is_current = current == Some(line);
            let here = line == self.line && self.focus == Pane::Source;
            let mark = match (is_current, made.contains(&line)) {
                (true, _) => Span::styled("▶", self.paint.fg(Color::Yellow)),
                (false, true) => Span::styled("◆", self.paint.fg(Color::Blue)),
                _ if here => Span::raw("›"),
                _ => Span::raw(" "),
            };
            let number = Span::styled(format!("{line:>digits$} "), self.paint.faint());
            let text = text.replace('\t', "    ");
            let does = steps.contains(&line);
            let mut style = match () {
                () if made.contains(&line) => self.paint.fg(Color::Blue).add_modifier(Modifier::BOLD),
                () if does && self.ran.contains(&line) => Style::new(),
                () => self.paint.faint(),
            };
            if here {
                style = style.add_modifier(Modifier::UNDERLINED);
            }
            let mut spans = vec![dot, mark, number];
            match part.filter(|_| is_current) {
                Some(next) => self.halves(&mut spans, &text, next),
                None if is_current => spans.push(Span::styled(text, self.paint.current())),
                None => spans.push(Span::styled(text, style)),
            }
            clip(&mut spans, usize::from(width));
            lines.push(Line::from(spans));
        }
        Content { lines, cursor: Some(self.line.saturating_sub(1) as usize) }
    }

    /// A line of two halves with the one that comes next marked.
    fn halves(&self, spans: &mut Vec<Span<'static>>, text: &str, next: &Place) {
        let unit = Span::styled(format!(" {} ", next.part_name), self.unit(&next.part_name));
        // The sign that joins the halves stands between blanks; offsets of registers have none.
        let joint =
            text.find(" + ").map(|at| at + 1).or_else(|| text.trim_start().starts_with('+').then_some(0));
        match joint {
            Some(0) | None => spans.push(Span::styled(text.to_string(), self.paint.current())),
            Some(at) => {
                let (first, second) = text.split_at(at);
                let (a, b) = match next.part {
                    0 => (self.paint.current(), Style::new()),
                    _ => (Style::new(), self.paint.current()),
                };
                spans.push(Span::styled(first.to_string(), a));
                spans.push(Span::styled(second.to_string(), b));
            }
        }
        spans.push(Span::raw(" "));
        spans.push(unit);
    }

    /// The colours of a unit of a processor that has two.
    fn unit(&self, name: &str) -> Style {
        let color = if name == "ILU" { Color::Magenta } else { Color::Blue };
        self.paint.fg(color).add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    fn cell_lines(&self, pane: Pane) -> Content {
        let cells = self.cells(pane);
        let name = |cell: &CellView| match cell.alias.as_str() {
            "" => cell.name.clone(),
            alias => format!("{alias} {}", cell.name),
        };
        let widest = cells.iter().flatten().map(|cell| name(cell).chars().count()).max().unwrap_or(0).min(18);
        let row = self.rows[pane as usize];
        let focused = pane == self.focus;
        let mut lines = Vec::new();
        for (n, cell) in cells.iter().enumerate() {
            let Some(cell) = cell else {
                lines.push(Line::default());
                continue;
            };
            let name = name(cell);
            let short: String = name.chars().take(widest).collect();
            let touched = cell.written != vecasm::isa::operand::WriteMask::NONE;
            let style =
                if touched { Style::new().add_modifier(Modifier::BOLD) } else { self.paint.fg(Color::Cyan) };
            let mut spans = vec![Span::styled(format!("{short:<widest$}"), style)];
            for lane in 0..4 {
                let used = cell.lanes.has(lane) || cell.written.has(lane);
                let changed = cell.changed.has(lane);
                let unwritten = used && pane == Pane::Registers && self.is_unwritten(cell.cell, lane);
                let text = match (used, cell.written.has(lane)) {
                    (false, _) => String::new(),
                    // Marks are legible without colours: a star for what the last step wrote.
                    (true, true) => format!("*{}", number(cell.bits[lane], cell.scalar, self.bits)),
                    _ if unwritten && cell.bits[lane].is_some() => {
                        format!("{}?", number(cell.bits[lane], cell.scalar, self.bits))
                    }
                    (true, false) => number(cell.bits[lane], cell.scalar, self.bits),
                };
                let kind = if unwritten { Kind::Unknown } else { Kind::of(cell.bits[lane], cell.scalar) };
                let mut style = self.paint.value(kind, changed);
                if focused && n == row && lane == self.lane {
                    style = style.add_modifier(Modifier::REVERSED);
                }
                spans.push(Span::raw(" "));
                spans.push(Span::styled(format!("{text:>NUMBER$}"), style));
            }
            if let Some(color) = self.swatch(cell) {
                spans.push(Span::raw(" "));
                spans.push(color);
            }
            lines.push(Line::from(spans));
        }
        if lines.is_empty() {
            lines.push(Span::styled("none", self.paint.faint()).into());
        }
        Content { lines, cursor: focused.then_some(row) }
    }

    /// Whether nobody has written a lane of a register so far.
    fn is_unwritten(&self, cell: Cell, lane: usize) -> bool {
        self.is_unwritten_at(self.session.time(), cell, lane)
    }

    fn is_unwritten_at(&self, time: usize, cell: Cell, lane: usize) -> bool {
        let (recording, invocation) = (self.session.recording(), self.session.invocation());
        recording.writer_of(time, cell, lane, invocation).is_none() && recording.left_by(cell, lane).is_none()
    }

    /// Whether a cell is one of the registers, which are not filled from outside.
    fn is_register(&self, cell: Cell) -> bool {
        self.view.registers.iter().flat_map(|file| &file.cells).any(|view| view.cell == cell)
    }

    /// The colour that a fragment gives, as a colour.
    fn swatch(&self, cell: &CellView) -> Option<Span<'static>> {
        let Cell::Output(id) = cell.cell else { return None };
        let output = self.session.shader().outputs.get(id.index())?;
        let is_color = matches!(output.kind, vecasm::ir::OutputKind::Color { .. });
        (self.paint.on && is_color && cell.scalar == Scalar::F32)
            .then(|| swatch(cell.bits.map(|b| b.unwrap_or(0))))
    }

    fn textures(&self) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for texture in &self.view.textures {
            let info = &texture.info;
            let size = match info.size {
                Some([w, h, 1]) => format!("{w}×{h}"),
                Some([w, h, d]) => format!("{w}×{h}×{d}"),
                None => "nothing bound".into(),
            };
            let levels = if info.levels > 1 { format!(", {} levels", info.levels) } else { String::new() };
            let name = Span::styled(format!("{:<4}", info.name), self.paint.fg(Color::Cyan));
            lines.push(Line::from(vec![name, Span::raw(format!(" {} {size}{levels}", info.dim.name()))]));
            for (place, texel) in &texture.reads {
                let axes = usize::from(info.dim.axes()).clamp(1, 3);
                let at: Vec<String> =
                    place.iter().take(axes).map(|b| number(Some(*b), Scalar::F32, self.bits)).collect();
                let of = texel.map(|b| number(Some(b), Scalar::F32, self.bits));
                let mut spans = vec![Span::raw(format!("  at {} ", at.join(" ")))];
                if self.paint.on {
                    spans.extend([swatch(*texel), Span::raw(" ")]);
                }
                spans.push(Span::styled(of.join(" "), self.paint.value(Kind::Ordinary, true)));
                lines.push(Line::from(spans));
            }
        }
        lines
    }

    fn watches(&self) -> Content {
        let row = self.rows[Pane::Watches as usize];
        let focused = self.focus == Pane::Watches;
        let mut lines = Vec::new();
        for (n, watch) in self.view.watches.iter().enumerate() {
            let mut name = self.paint.fg(Color::Cyan);
            if focused && n == row {
                name = name.add_modifier(Modifier::REVERSED);
            }
            let mut spans = vec![Span::styled(watch.text.clone(), name), Span::raw(" = ")];
            match &watch.value {
                Evaluation::Truth(holds) => {
                    spans.push(Span::raw(if *holds { "holds" } else { "does not hold" }));
                }
                Evaluation::Lanes(lanes, scalar) => {
                    for bits in lanes {
                        let style = self.paint.value(Kind::of(*bits, *scalar), false);
                        spans.push(Span::styled(number(*bits, *scalar, self.bits), style));
                        spans.push(Span::raw(" "));
                    }
                }
            }
            lines.push(Line::from(spans));
        }
        for point in self.session.breakpoints().iter().filter(|point| point.line.is_none()) {
            let text = format!("● {} stop where {}", point.id, point.condition);
            lines.push(Span::styled(text, self.paint.fg(Color::Red)).into());
        }
        if lines.is_empty() {
            lines.push(
                Span::styled("w watches an expression, / stops where one holds", self.paint.faint()).into(),
            );
        }
        Content { lines, cursor: focused.then_some(row) }
    }

    fn ancestry_lines(&self) -> Content {
        let Some(ancestry) = &self.ancestry else {
            let hint = "Tab to a component, then a shows what made it";
            return vec![Line::from(Span::styled(hint, self.paint.faint()))].into();
        };
        let mut lines = Vec::new();
        for (place, writes) in ancestry.steps.iter().rev() {
            let line = place.line.map_or_else(|| format!("#{}", place.source), |line| line.to_string());
            let mut spans = vec![Span::styled(format!("{line:>3} "), self.paint.fg(Color::Blue))];
            if !place.part_name.is_empty() {
                spans.push(Span::styled(place.part_name.clone(), self.unit(&place.part_name)));
                spans.push(Span::raw(" "));
            }
            for write in writes {
                self.access(&mut spans, write);
            }
            spans.push(Span::styled(format!(" {}", place.instruction), self.paint.faint()));
            lines.push(Line::from(spans));
        }
        let mut roots: Vec<(&str, AccessView)> =
            ancestry.roots.iter().map(|(origin, root)| (origin.name(), root.clone())).collect();
        // Of a register that nobody wrote only the number is left in the computation.
        for (place, _) in &ancestry.steps {
            for read in self.session.accesses(place.moment).0 {
                let unwritten = |lane: usize| self.is_unwritten_at(place.moment, read.cell, lane);
                let known = roots.iter().any(|(_, root)| root.cell == read.cell);
                if self.is_register(read.cell) && read.lanes.lanes().all(unwritten) && !known {
                    roots.push((UNWRITTEN, read));
                }
            }
        }
        for (origin, root) in &roots {
            let mut spans = vec![Span::styled("  ← ", self.paint.faint())];
            self.access(&mut spans, root);
            let origin = if *origin == UNWRITTEN { "never written" } else { origin };
            spans.push(Span::styled(format!(" {origin}"), self.paint.faint()));
            lines.push(Line::from(spans));
        }
        if ancestry.cut {
            lines.push("… and more".into());
        }
        let row = self.rows[Pane::Ancestry as usize];
        Content { lines, cursor: (self.focus == Pane::Ancestry).then_some(row) }
    }

    /// `r0.xy 1 2`
    fn access(&self, spans: &mut Vec<Span<'static>>, access: &AccessView) {
        spans.push(Span::styled(
            format!("{}.{}", access.name, access.lanes.letters()),
            self.paint.fg(Color::Cyan),
        ));
        for bits in &access.bits {
            let style = self.paint.value(Kind::of(Some(*bits), access.scalar), false);
            spans.push(Span::raw(" "));
            spans.push(Span::styled(number(Some(*bits), access.scalar, self.bits), style));
        }
    }

    fn lanes(&self) -> Vec<Line<'static>> {
        let place = self.view.next.as_ref().or(self.view.last.as_ref());
        let killed = &self.session.recording().outputs().killed;
        let mut lines = Vec::new();
        for (n, invocation) in self.view.group.iter().enumerate() {
            let chosen = n == self.session.invocation();
            let masked = place.and_then(|place| place.masked.iter().find(|m| m.invocation == *invocation));
            let mut spans = vec![Span::raw(if chosen { "▸" } else { " " }), Span::raw(format!("{} ", n + 1))];
            match masked {
                Some(masked) => {
                    spans.push(Span::styled(format!("away: {}", masked.text), self.paint.fg(Color::Yellow)));
                }
                None => spans.push(Span::styled("takes part", self.paint.fg(Color::Green))),
            }
            if killed.get(n).copied().unwrap_or_default() {
                spans.push(Span::styled("  is discarded", self.paint.fg(Color::Red)));
            }
            lines.push(Line::from(spans));
        }
        lines
    }
}

/// A place in a colour whose lanes are bits of f32.
fn swatch(bits: [u32; 4]) -> Span<'static> {
    let byte = |b: u32| (f32::from_bits(b).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    Span::styled("██", Style::new().fg(Color::Rgb(byte(bits[0]), byte(bits[1]), byte(bits[2]))))
}

/// Shortens a line to a width, and shows that.
fn clip(spans: &mut Vec<Span<'static>>, width: usize) {
    let whole: usize = spans.iter().map(Span::width).sum();
    if whole <= width || width == 0 {
        return;
    }
    let mut left = width - 1;
    let mut keep = Vec::new();
    for span in spans.drain(..) {
        if left == 0 {
            break;
        }
        let text: String = span.content.chars().take(left).collect();
        left -= text.chars().count().min(left);
        keep.push(Span::styled(text, span.style));
    }
    keep.push(Span::raw("…"));
    *spans = keep;
}
