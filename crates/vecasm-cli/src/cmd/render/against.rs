//! Comparing a picture with a reference: a score, and a picture of the difference.

use super::{Args, Format, Subject};
use crate::io::Sink;
use crate::pictures::{Canvas, LINE, Rgb, files, palette};
use crate::report::Ctx;
use crate::{Failure, Outcome, io};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::str::FromStr;
use vecasm::render::Picture;

/// A score and how bad it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    score: Score,
    limit: f64,
}

/// A number that says how far two pictures are apart. Red, green and blue count, alpha does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Score {
    /// The largest difference of a channel, of 255.
    Max,
    /// The mean difference of a channel, of 255.
    Mean,
    /// The share of pixels that differ at all.
    Pixels,
    /// Peak signal-to-noise ratio in decibels: 10 log10 (255² / mean square of the differences).
    Psnr,
    /// Structural similarity (Wang and others, 2004) of the lightness.
    Ssim,
}

impl Score {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Max, "max"),
        (Self::Mean, "mean"),
        (Self::Pixels, "pixels"),
        (Self::Psnr, "psnr"),
        (Self::Ssim, "ssim"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(score, _)| *score == self).map_or("", |(_, name)| name)
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, limit) = text.split_once('=').ok_or("expected SCORE=LIMIT")?;
        let score = Score::ALL.iter().find(|(_, known)| *known == name).map(|(score, _)| *score);
        let score = score.ok_or_else(|| {
            let names: Vec<&str> = Score::ALL.iter().map(|(_, name)| *name).collect();
            format!("expected one of {}", names.join(", "))
        })?;
        let limit: f64 = limit.parse().map_err(|_| format!("{limit} is not a number"))?;
        if limit.is_nan() {
            return Err("expected a number".into());
        }
        Ok(Self { score, limit })
    }
}

impl Threshold {
    /// Whether a score is bad enough to fail.
    fn fails(self, scores: &Scores) -> bool {
        let value = scores.value(self.score);
        match self.score {
            Score::Max | Score::Mean | Score::Pixels => value > self.limit,
            Score::Psnr | Score::Ssim => value < self.limit,
        }
    }
}

/// How far two pictures are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scores {
    max: u8,
    mean: f64,
    /// Of all.
    pixels: f64,
    /// How many.
    differing: usize,
    /// Where the largest difference is.
    worst: (u32, u32),
    /// Infinite if there is no difference.
    psnr: f64,
    ssim: f64,
}

impl Scores {
    fn value(&self, score: Score) -> f64 {
        match score {
            Score::Max => f64::from(self.max),
            Score::Mean => self.mean,
            Score::Pixels => self.pixels,
            Score::Psnr => self.psnr,
            Score::Ssim => self.ssim,
        }
    }
}

/// Compares two pictures of one size.
fn compare(a: &Picture, b: &Picture) -> Scores {
    let (mut max, mut sum, mut squares, mut differing, mut worst) = (0u8, 0u64, 0u64, 0usize, (0, 0));
    for (i, (a_, b_)) in a.rgba8.chunks_exact(4).zip(b.rgba8.chunks_exact(4)).enumerate() {
        let here = difference(a_, b_);
        differing += usize::from(here > 0);
        if here > max {
            (max, worst) = (here, (i as u32 % a.width.max(1), i as u32 / a.width.max(1)));
        }
        for (x, y) in a_.iter().zip(b_).take(3) {
            let d = u64::from(x.abs_diff(*y));
            sum += d;
            squares += d * d;
        }
    }
    let pixels = (a.rgba8.len() / 4).max(1) as f64;
    let square = squares as f64 / (pixels * 3.0);
    Scores {
        max,
        mean: sum as f64 / (pixels * 3.0),
        pixels: differing as f64 / pixels,
        differing,
        worst,
        psnr: if squares == 0 { f64::INFINITY } else { 10.0 * (255.0 * 255.0 / square).log10() },
        ssim: ssim(a, b),
    }
}

/// The largest difference of red, green and blue.
fn difference(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).take(3).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// The side of the windows of [`ssim`].
const WINDOW: u32 = 8;

/// The mean of (2 µa µb + c1)(2 σab + c2) / ((µa² + µb² + c1)(σa² + σb² + c2)) over windows of 8 × 8 pixels, every fourth in
/// both directions, with c1 = (0.01 · 255)² and c2 = (0.03 · 255)², of the lightness 0.299 r + 0.587 g + 0.114 b.
fn ssim(a: &Picture, b: &Picture) -> f64 {
    let light = |picture: &Picture, x: u32, y: u32| {
        let at = (y as usize * picture.width as usize + x as usize) * 4;
        let lane = |n: usize| f64::from(picture.rgba8.get(at + n).copied().unwrap_or(0));
        0.299 * lane(0) + 0.587 * lane(1) + 0.114 * lane(2)
    };
    let (c1, c2) = ((0.01f64 * 255.0).powi(2), (0.03f64 * 255.0).powi(2));
    let places = |side: u32| (0..side.saturating_sub(WINDOW - 1).max(1)).step_by(WINDOW as usize / 2);
    let (mut total, mut windows) = (0.0, 0.0);
    for top in places(a.height) {
        for left in places(a.width) {
            let (mut n, mut sa, mut sb, mut saa, mut sbb, mut sab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            for y in top..(top + WINDOW).min(a.height) {
                for x in left..(left + WINDOW).min(a.width) {
                    let (p, q) = (light(a, x, y), light(b, x, y));
                    n += 1.0;
                    sa += p;
                    sb += q;
                    saa += p * p;
                    sbb += q * q;
                    sab += p * q;
                }
            }
            let (ma, mb) = (sa / n, sb / n);
            let (va, vb, vab) = (saa / n - ma * ma, sbb / n - mb * mb, sab / n - ma * mb);
            total += (2.0 * ma * mb + c1) * (2.0 * vab + c2)
                / ((ma * ma + mb * mb + c1) * (va.max(0.0) + vb.max(0.0) + c2));
            windows += 1.0;
        }
    }
    if windows == 0.0 { 1.0 } else { total / windows }
}

/// Compares what `subject` draws with a reference.
pub(super) fn run(args: &Args, subject: &mut Subject, reference: &Path, ctx: &Ctx) -> Outcome {
    let ours = subject.draw(args.picture.time, ctx)?;
    let input = io::read(reference)?;
    let name = input.name.clone();
    let theirs = match files::image(input.bytes()) {
        Ok(picture) => picture,
        Err(error) if input.bytes().starts_with(b"\x89PNG") || input.bytes().starts_with(b"\xff\xd8") => {
            return Err(Failure::usage(format!("{name}: {error}")));
        }
        Err(_) => args
            .picture
            .subject(vec![input], &args.reading, &args.lifting, ctx)?
            .draw(args.picture.time, ctx)?,
    };
    if (ours.width, ours.height) != (theirs.width, theirs.height) {
        ctx.complain(&format!(
            "{} is {} x {} pixels, {name} is {} x {}",
            subject.name, ours.width, ours.height, theirs.width, theirs.height
        ));
        return Err(Failure::Shader);
    }
    let scores = compare(&ours, &theirs);
    let usual = [Threshold { score: Score::Max, limit: 0.0 }];
    let thresholds = if args.threshold.is_empty() { &usual[..] } else { &args.threshold };
    let failed: Vec<&Threshold> = thresholds.iter().filter(|t| t.fails(&scores)).collect();
    if args.output.output.is_some() {
        let picture = picture(&ours, &theirs, &scores);
        super::write(&Sink::new(&args.output), io::with_ending(&subject.stem, "difference.png"), &picture)?;
    }
    match args.format {
        Format::Text if !ctx.json() => {
            let mut text = if scores.differing == 0 {
                vecasm::diag::printable(&format!("{} and {name} are the same\n", subject.name)).into_owned()
            } else {
                format!(
                    "{} pixels of {} differ ({:.3} %), by at most {} of 255 at {},{} and {:.4} on average; PSNR {:.2} dB, SSIM {:.5}\n",
                    scores.differing,
                    ours.rgba8.len() / 4,
                    scores.pixels * 100.0,
                    scores.max,
                    scores.worst.0,
                    scores.worst.1,
                    scores.mean,
                    scores.psnr,
                    scores.ssim
                )
            };
            for threshold in &failed {
                let value = scores.value(threshold.score);
                text += &format!(
                    "failed: {} is {value:.5}, the limit is {}\n",
                    threshold.score.name(),
                    threshold.limit
                );
            }
            io::print(&text)?;
        }
        _ => {
            let limits: Map<String, Value> =
                thresholds.iter().map(|t| (t.score.name().into(), json!(t.limit))).collect();
            let report = json!({
                "picture": subject.name.raw(),
                "reference": name.raw(),
                "same": scores.differing == 0,
                "passed": failed.is_empty(),
                "max": scores.max,
                "mean": scores.mean,
                "pixels": scores.pixels,
                "differing": scores.differing,
                "worst": [scores.worst.0, scores.worst.1],
                // There is no infinity in JSON: the pictures are the same.
                "psnr": if scores.psnr.is_finite() { json!(scores.psnr) } else { Value::Null },
                "ssim": scores.ssim,
                "threshold": limits,
            });
            io::print(&format!("{report}\n"))?;
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Shader) }
}

const PAPER: Rgb = [18, 20, 26];
const INK: Rgb = [225, 228, 235];

/// The picture, the reference and the difference beside one another, each with a title.
fn picture(ours: &Picture, theirs: &Picture, scores: &Scores) -> Picture {
    let (width, height, gap) = (ours.width, ours.height, 4);
    let mut canvas = Canvas::new(width * 3 + gap * 2, height + LINE + 4, PAPER);
    let top = LINE + 4;
    let titles = [
        "picture".to_string(),
        "reference".to_string(),
        format!("difference x{}, max {}", amplified(scores.max), scores.max),
    ];
    for (panel, title) in (0..).zip(&titles) {
        canvas.text(panel * (width + gap) + 2, 3, title, 1, INK);
    }
    canvas.put(0, top, ours);
    canvas.put(width + gap, top, theirs);
    let scale = f32::from(amplified(scores.max)) / 255.0;
    for (i, (a, b)) in ours.rgba8.chunks_exact(4).zip(theirs.rgba8.chunks_exact(4)).enumerate() {
        let here = difference(a, b);
        let color = if here == 0 { [8, 8, 12] } else { palette::heat(f32::from(here) * scale) };
        canvas.set(2 * (width + gap) + i as u32 % width.max(1), top + i as u32 / width.max(1), color);
    }
    canvas.finish()
}

/// How much a difference is multiplied with, so that the largest is bright.
fn amplified(max: u8) -> u8 {
    255u8.checked_div(max).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gray(width: u32, height: u32, value: impl Fn(u32, u32) -> u8) -> Picture {
        let rgba8 = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgba8 = rgba8.flat_map(|(x, y)| [value(x, y), value(x, y), value(x, y), 255]).collect();
        Picture { width, height, rgba8 }
    }

    /// By hand: one of 64 pixels differs by 16 in all channels. Mean 16/64; mean square 256/64 = 4, PSNR
    /// 10 log10(65025/4). For SSIM µ is 100 and 100.25, variances 0 and 256/64 - 1/16, covariance 0.
    #[test]
    fn scores_are_their_formulas() {
        let (a, b) = (gray(8, 8, |_, _| 100), gray(8, 8, |x, y| if (x, y) == (3, 5) { 116 } else { 100 }));
        let scores = compare(&a, &b);
        assert_eq!((scores.max, scores.differing, scores.worst), (16, 1, (3, 5)));
        assert!((scores.mean - 0.25).abs() < 1e-12);
        assert!((scores.psnr - 10.0 * (65025.0f64 / 4.0).log10()).abs() < 1e-9);
        let (c1, c2) = (6.5025, 58.5225);
        let expected = (2.0 * 100.0 * 100.25 + c1) * c2 / ((10000.0 + 10050.0625 + c1) * (4.0 - 0.0625 + c2));
        assert!((scores.ssim - expected).abs() < 1e-6, "{}", scores.ssim);
        let same = compare(&a, &a);
        assert_eq!((same.max, same.psnr, same.pixels), (0, f64::INFINITY, 0.0));
        assert!((same.ssim - 1.0).abs() < 1e-12);
    }

    #[test]
    fn limits_are_for_what_is_worse() {
        let (a, b) = (gray(8, 8, |_, _| 100), gray(8, 8, |_, _| 103));
        let scores = compare(&a, &b);
        for (text, fails) in [
            ("max=3", false),
            ("max=2", true),
            ("psnr=30", false),
            ("psnr=60", true),
            ("ssim=0.9", false),
            ("pixels=0.5", true),
        ] {
            assert_eq!(text.parse::<Threshold>().unwrap().fails(&scores), fails, "{text}");
        }
        assert!("max".parse::<Threshold>().is_err() && "foo=1".parse::<Threshold>().is_err());
        assert!("max=nan".parse::<Threshold>().is_err());
    }
}
