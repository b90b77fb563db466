//! Colours, and numbers as text that fits a column.

use ratatui::style::{Color, Modifier, Style};
use vecasm::ir::Scalar;

/// Whether there are colours. Without them everything is still told apart, by marks and weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) on: bool,
}

impl Paint {
    pub(super) fn fg(self, color: Color) -> Style {
        if self.on { Style::new().fg(color) } else { Style::new() }
    }

    /// What stands in the background.
    pub(super) fn faint(self) -> Style {
        if self.on { Style::new().fg(Color::DarkGray) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// The borders of a pane.
    pub(super) fn border(self, focused: bool) -> Style {
        if focused { self.fg(Color::Cyan).add_modifier(Modifier::BOLD) } else { self.faint() }
    }

    /// The line that comes next.
    pub(super) fn current(self) -> Style {
        if self.on {
            Style::new().fg(Color::Black).bg(Color::Yellow)
        } else {
            Style::new().add_modifier(Modifier::REVERSED)
        }
    }

    /// How a lane is shown.
    pub(super) fn value(self, kind: Kind, changed: bool) -> Style {
        let style = match kind {
            Kind::Unknown => self.faint(),
            Kind::Nan => self.fg(Color::Magenta).add_modifier(Modifier::BOLD),
            Kind::Infinite => self.fg(Color::Red).add_modifier(Modifier::BOLD),
            Kind::Denormal => self.fg(Color::Yellow),
            Kind::Ordinary if changed => self.fg(Color::Green),
            Kind::Ordinary => Style::new(),
        };
        if changed { style.add_modifier(Modifier::BOLD) } else { style }
    }
}

/// What kind of number a lane holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nobody wrote it, or it is not known.
    Unknown,
    Nan,
    Infinite,
    Denormal,
    Ordinary,
}

impl Kind {
    pub(super) fn of(bits: Option<u32>, scalar: Scalar) -> Self {
        let Some(bits) = bits else { return Self::Unknown };
        let value = f32::from_bits(bits);
        match scalar {
            Scalar::F32 if value.is_nan() => Self::Nan,
            Scalar::F32 if value.is_infinite() => Self::Infinite,
            Scalar::F32 if value.is_subnormal() => Self::Denormal,
            _ => Self::Ordinary,
        }
    }
}

/// The most that a number takes.
pub(super) const NUMBER: usize = 9;

/// A lane in at most [`NUMBER`] columns; `-` where it is not known.
pub(super) fn number(bits: Option<u32>, scalar: Scalar, as_bits: bool) -> String {
    let Some(bits) = bits else { return "-".into() };
    if as_bits {
        return format!("{bits:08x}");
    }
    match scalar {
        Scalar::F32 => float(f32::from_bits(bits)),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::Bool => (bits != 0).to_string(),
        _ => bits.to_string(),
    }
}

/// A float in at most nine columns: six digits behind the first, as far as they fit.
fn float(value: f32) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    let shortest = value.to_string();
    if shortest.len() < NUMBER {
        return shortest;
    }
    let size = value.abs();
    if (1e-3..1e6).contains(&size) {
        let whole = format!("{}", size.trunc()).len();
        return format!("{value:.*}", 6usize.saturating_sub(whole));
    }
    format!("{value:.2e}")
}

/// All that is known of a lane.
pub(super) fn exactly(bits: Option<u32>, scalar: Scalar) -> String {
    match (bits, scalar) {
        (None, _) => "never written".into(),
        (Some(bits), Scalar::F32) => {
            let value = f32::from_bits(bits);
            let kind = if value.is_subnormal() { ", denormal" } else { "" };
            format!("{value} = 0x{bits:08x}{kind}")
        }
        (Some(bits), _) => format!("{} = 0x{bits:08x}", number(Some(bits), scalar, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_column() {
        let f = |value: f32| number(Some(value.to_bits()), Scalar::F32, false);
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.5, "0.5"),
            (-0.125, "-0.125"),
            (0.364_705_9, "0.36471"),
            (-1234.5678, "-1234.57"),
            (123_456.79, "123457"),
            (16_777_216.0, "16777216"),
            (-1.5e30, "-1.50e30"),
            (1.234_567e-30, "1.23e-30"),
            (f32::NAN, "NaN"),
            (f32::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(f(value), text);
        }
        for bits in (0..u32::MAX).step_by(65_521) {
            let text = number(Some(bits), Scalar::F32, false);
            assert!(text.len() <= NUMBER, "{bits:08x} {text}");
        }
        assert_eq!(number(Some(u32::MAX), Scalar::I32, false), "-1");
        assert_eq!(number(None, Scalar::F32, true), "-");
        assert_eq!(number(Some(1.0f32.to_bits()), Scalar::F32, true), "3f800000");
    }
}
