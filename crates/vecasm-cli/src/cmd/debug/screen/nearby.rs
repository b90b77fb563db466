//! The pixels around the one that is looked at, two in a place of the terminal.

use super::paint::Paint;
use crate::picking::PixelReport;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

/// A picture and a pixel of it.
#[derive(Clone, Debug)]
pub(super) struct Nearby {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgba8: Vec<u8>,
    pub(super) at: (u32, u32),
}

impl Nearby {
    /// Of a picked pixel of the picture.
    pub(super) fn of(picked: &PixelReport) -> Option<Self> {
        let (width, height) = (picked.picture.width, picked.picture.height);
        let rgba8 = picked.picture.rgba8.clone();
        picked.of_picture().then_some(Self { width, height, rgba8, at: picked.pixel })
    }

    /// The colour of a pixel so far to the right and down.
    fn color(&self, dx: i64, dy: i64) -> Option<[u8; 3]> {
        let x = u32::try_from(i64::from(self.at.0) + dx).ok().filter(|x| *x < self.width)?;
        let y = u32::try_from(i64::from(self.at.1) + dy).ok().filter(|y| *y < self.height)?;
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.rgba8.get(at..at + 3)?.try_into().ok()
    }

    /// The colour of the pixel itself, as text.
    pub(super) fn hex(&self) -> String {
        let [r, g, b] = self.color(0, 0).unwrap_or_default();
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Lines of so many columns and rows, with the pixel in the middle, framed.
    pub(super) fn lines(&self, columns: u16, rows: u16, paint: Paint) -> Vec<Line<'static>> {
        let (columns, rows) = (i64::from(columns), i64::from(rows));
        if !paint.on {
            return self.shades(columns, rows);
        }
        // A place holds two squares, one above the other; a pixel has `zoom` squares a side.
        let zoom: i64 = if columns >= 36 && rows >= 14 { 4 } else { 2 };
        let (left, top) = ((columns - zoom) / 2, (rows * 2 - zoom) / 2);
        let contrast = {
            let [r, g, b] = self.color(0, 0).unwrap_or_default();
            let light = 2 * u32::from(r) + 5 * u32::from(g) + u32::from(b);
            if light > 8 * 127 { [0, 0, 0] } else { [255, 255, 255] }
        };
        let square = |x: i64, y: i64| {
            let (x, y) = (x - left, y - top);
            let ring = |a: i64, b: i64| (a == -1 || a == zoom) && (-1..=zoom).contains(&b);
            if ring(x, y) || ring(y, x) {
                return Some(contrast);
            }
            self.color(x.div_euclid(zoom), y.div_euclid(zoom))
        };
        let rgb = |[r, g, b]: [u8; 3]| Color::Rgb(r, g, b);
        let place = |x: i64, y: i64| match (square(x, 2 * y), square(x, 2 * y + 1)) {
            (Some(above), Some(below)) => Span::styled("▀", Style::new().fg(rgb(above)).bg(rgb(below))),
            (Some(above), None) => Span::styled("▀", Style::new().fg(rgb(above))),
            (None, Some(below)) => Span::styled("▄", Style::new().fg(rgb(below))),
            (None, None) => Span::raw(" "),
        };
        (0..rows).map(|y| (0..columns).map(|x| place(x, y)).collect::<Vec<_>>().into()).collect()
    }

    /// The same without colours: a letter and a blank a pixel, from dark to light, and brackets around the one.
    fn shades(&self, columns: i64, rows: i64) -> Vec<Line<'static>> {
        const RAMP: &[u8] = b".:-=+*#%@";
        let half = (columns / 2 / 2, rows / 2);
        let mut out = Vec::new();
        for y in 0..rows {
            let mut line = String::new();
            for x in 0..columns / 2 {
                let (dx, dy) = (x - half.0, y - half.1);
                let shade = self.color(dx, dy).map_or(' ', |[r, g, b]| {
                    let light = (2 * usize::from(r) + 5 * usize::from(g) + usize::from(b)) / 8;
                    char::from(RAMP[light * (RAMP.len() - 1) / 255])
                });
                let before = match (dx, dy) {
                    (0, 0) => '[',
                    (1, 0) => ']',
                    _ => ' ',
                };
                line.push(before);
                line.push(shade);
            }
            out.push(line.into());
        }
        out
    }
}
