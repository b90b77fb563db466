//! Heat maps: what each pixel took, as a picture with a legend.

use super::{Args, Format, Subject};
use crate::io::Sink;
use crate::pictures::{Canvas, LINE, Rgb, palette, text_width};
use crate::report::Ctx;
use crate::{Failure, Outcome, io};
use serde_json::{Value, json};
use vecasm::render::Picture;
use vecasm::render::draw::Budget;
use vecasm::render::heat::{Heat, Measure, measure};

const PAPER: Rgb = [18, 20, 26];
const INK: Rgb = [225, 228, 235];
const FAINT: Rgb = [140, 146, 158];
/// Space around what stands in the legend.
const GAP: u32 = 8;
/// Height of the strip below the picture.
const STRIP: u32 = 46;

/// What the classes of [`Measure::Nan`] are, and their colours.
const CLASSES: [(&str, Rgb); 4] = [
    ("infinity created", [86, 132, 214]),
    ("NaN created", [186, 112, 214]),
    ("infinity in an output", [240, 168, 48]),
    ("NaN in an output", [236, 64, 64]),
];

/// Measures a scene and draws the map.
pub(super) fn run(args: &Args, subject: &mut Subject, what: Measure, ctx: &Ctx) -> Outcome {
    let scene = subject.scene(args.picture.time, ctx)?;
    let heat = measure(&scene, what, Budget::default())
        .map_err(|error| Failure::usage(format!("{}: {error}", subject.name)))?;
    let summary = summary(&heat, what);
    let sink = Sink::new(&args.output);
    if args.output.output.is_some() || args.format == Format::Text && !ctx.json() {
        super::write(
            &sink,
            io::with_ending(&subject.stem, &format!("{}.png", what.name())),
            &picture(&heat, what),
        )?;
    }
    match args.format {
        Format::Text if !ctx.json() => {
            io::note(&format!("{}: {}", subject.name, words(&summary, what)));
            Ok(())
        }
        _ => io::print(&format!("{summary}\n")),
    }
}

/// The figures of a map. `mean` is over all pixels, `mean_drawn` over those that are not 0.
fn summary(heat: &Heat, what: Measure) -> Value {
    let (width, height) = (heat.picture.width, heat.picture.height);
    let sum: u64 = heat.values.iter().map(|value| u64::from(*value)).sum();
    let drawn = heat.values.iter().filter(|value| **value > 0).count();
    let least = heat.values.iter().copied().filter(|value| *value > 0).min().unwrap_or(0);
    let most = heat.values.iter().copied().max().unwrap_or(0);
    let at = heat.values.iter().position(|value| *value == most && most > 0);
    let place = at.map(|at| json!([at % width.max(1) as usize, at / width.max(1) as usize]));
    let mut out = json!({
        "measure": what.name(),
        "width": width,
        "height": height,
        "pixels": heat.values.len(),
        "drawn": drawn,
        "min": least,
        "max": most,
        "max_at": place,
        "total": sum,
        "mean": sum as f64 / heat.values.len().max(1) as f64,
        "mean_drawn": sum as f64 / drawn.max(1) as f64,
    });
    if what == Measure::Nan {
        let count = |class: u32| heat.values.iter().filter(|value| **value == class).count();
        out = json!({
            "measure": what.name(),
            "width": width,
            "height": height,
            "pixels": heat.values.len(),
            "infinity_born": count(1),
            "nan_born": count(2),
            "infinity_put_out": count(3),
            "nan_put_out": count(4),
            "max_at": place,
        });
    }
    out
}

fn words(summary: &Value, what: Measure) -> String {
    if what == Measure::Nan {
        return format!(
            "of {} pixels {} with an infinity created, {} with a NaN created, {} with an infinity in an output, {} with a NaN in an output",
            summary["pixels"],
            summary["infinity_born"],
            summary["nan_born"],
            summary["infinity_put_out"],
            summary["nan_put_out"]
        );
    }
    format!(
        "{} per pixel: from {} to {}, {:.2} on average where there are any ({} of {} pixels)",
        what.name(),
        summary["min"],
        summary["max"],
        summary["mean_drawn"].as_f64().unwrap_or(0.0),
        summary["drawn"],
        summary["pixels"]
    )
}

/// The map with its legend below.
fn picture(heat: &Heat, what: Measure) -> Picture {
    let (width, height) = (heat.picture.width, heat.picture.height);
    let most = heat.values.iter().copied().max().unwrap_or(0);
    let mut canvas = Canvas::new(width.max(200), height + STRIP, PAPER);
    for (i, (value, pixel)) in heat.values.iter().zip(heat.picture.rgba8.chunks_exact(4)).enumerate() {
        let color = if what == Measure::Nan {
            match CLASSES.get((*value as usize).wrapping_sub(1)) {
                Some((_, color)) => *color,
                // What is sound is dim and grey.
                None => {
                    let light = pixel.iter().take(3).map(|c| u32::from(*c)).sum::<u32>() / 3;
                    [(light / 3) as u8; 3]
                }
            }
        } else if *value == 0 {
            [8, 8, 12]
        } else {
            palette::heat(*value as f32 / most.max(1) as f32)
        };
        canvas.set(i as u32 % width.max(1), i as u32 / width.max(1), color);
    }
    let top = height + GAP;
    if what == Measure::Nan {
        let mut left = GAP;
        let mut row = top;
        for (class, (name, color)) in (1..).zip(CLASSES) {
            let count = heat.values.iter().filter(|value| **value == class).count();
            let label = format!("{name}: {count}");
            let space = 12 + text_width(&label, 1) + 2 * GAP;
            if left > GAP && left + space > width.max(200) {
                left = GAP;
                row += LINE + 4;
            }
            canvas.fill(left, row, 8, 6, color);
            canvas.text(left + 12, row, &label, 1, INK);
            left += space;
        }
        return canvas.finish();
    }
    let long = width.max(200) - 2 * GAP;
    for x in 0..long {
        canvas.fill(GAP + x, top, 1, 10, palette::heat((x as f32 + 0.5) / long as f32));
    }
    for (x, value) in ticks(most) {
        let at = GAP + (x * (long - 1) as f32) as u32;
        let label = value.to_string();
        let half = text_width(&label, 1) / 2;
        canvas.fill(at, top + 10, 1, 3, INK);
        let left =
            at.saturating_sub(half).clamp(1, (GAP * 2 + long).saturating_sub(text_width(&label, 1) + 1));
        canvas.text(left, top + 15, &label, 1, INK);
    }
    canvas.text(GAP, top + 26, &format!("{} per pixel", what.name()), 1, FAINT);
    canvas.finish()
}

/// Places along the scale from 0 to 1 with their numbers: round ones, and the largest.
fn ticks(most: u32) -> Vec<(f32, u32)> {
    let most = most.max(1);
    let mut step = 1u32;
    for next in [1, 2, 5].into_iter().cycle().enumerate().map(|(i, m)| m * 10u32.saturating_pow(i as u32 / 3))
    {
        step = next;
        if most / next <= 6 {
            break;
        }
    }
    let place = |value: u32| (value as f32 / most as f32, value);
    let mut out: Vec<(f32, u32)> = (0..most).step_by(step as usize).map(place).collect();
    // One that stands too near to the end gives way to it.
    out.retain(|(at, _)| *at < 0.93);
    out.push(place(most));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_few_round_numbers() {
        assert_eq!(ticks(1).iter().map(|t| t.1).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(ticks(5).iter().map(|t| t.1).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(ticks(48).iter().map(|t| t.1).collect::<Vec<_>>(), [0, 10, 20, 30, 40, 48]);
        assert!(ticks(u32::MAX).len() <= 9);
    }
}
