//! Animation: one picture after the other, as an animated PNG.

use super::{Args, Subject};
use crate::io::{self, Payload, Sink};
use crate::pictures::png;
use crate::report::{self, Ctx};
use crate::{Failure, Outcome};

/// Most bytes of all pictures together.
const MOST: u64 = 1 << 30;

/// Draws `count` pictures from the time of the flags on, else that of a repro file, else 0.
pub(super) fn run(args: &Args, subject: &mut Subject, count: u32, ctx: &Ctx) -> Outcome {
    let bar = report::bar(u64::from(count), "pictures");
    let mut frames = Vec::new();
    for n in 0..count {
        let time = args.picture.time.or(subject.time).unwrap_or(0.0) + n as f32 / f32::from(args.fps);
        let picture = subject.draw(Some(time), ctx)?;
        if picture.rgba8.len() as u64 * u64::from(count) > MOST {
            return Err(Failure::usage("the frames of the animation exceed 1 GiB"));
        }
        frames.push(picture);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let bytes = png::animate(&frames, args.fps).map_err(|error| Failure::usage(error.to_string()))?;
    Sink::new(&args.output).write(io::with_ending(&subject.stem, "apng"), &Payload::Binary(bytes))
}
