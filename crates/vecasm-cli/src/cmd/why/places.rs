//! Where the vertices of a draw are, if that is why nothing of it is seen.

use vecasm::exec::Outputs;
use vecasm::ir::{OutputKind, Shader, Stage};
use vecasm::isa::Isa;

/// Fewer vertices make nothing that could be seen.
const FEWEST: usize = 3;
/// Pixels from the corner within which positions are rather those of clip space.
const CLIP_LIKE: f32 = 2.0;

/// Where vertices are; those with NaN or an infinity, which have findings of their own, are left out.
#[derive(Default)]
pub(super) struct Places {
    /// The name of the position.
    name: String,
    count: usize,
    /// How many have a w of 0, and how many one that is not above it.
    zero: usize,
    behind: usize,
    /// How many are outside of each plane: x and y below −w, above w; z below 0, above w.
    outside: [[usize; 2]; 3],
    /// From where to where w is, and the others divided by a w above 0.
    w: Range,
    divided: [Range; 3],
}

#[derive(Clone, Copy)]
struct Range {
    low: f32,
    high: f32,
}

impl Default for Range {
    fn default() -> Self {
        Self { low: f32::INFINITY, high: f32::NEG_INFINITY }
    }
}

impl Range {
    fn add(&mut self, value: f32) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn map(self, with: impl Fn(f32) -> f32) -> Self {
        let (a, b) = (with(self.low), with(self.high));
        Self { low: a.min(b), high: a.max(b) }
    }

    /// In words, to a thousandth.
    fn words(self) -> String {
        let short = |value: f32| (f64::from(value) * 1000.0).round() / 1000.0;
        let (low, high) = (short(self.low), short(self.high));
        if low == high { format!("{low}") } else { format!("from {low} to {high}") }
    }
}

impl Places {
    /// Adds what a vertex program gave.
    pub(super) fn add(&mut self, shader: &Shader, outputs: &Outputs) {
        if shader.stage != Stage::Vertex {
            return;
        }
        let position = shader.outputs.iter().zip(&outputs.cells);
        let position = position.into_iter().find(|(output, _)| output.kind == OutputKind::Position);
        let Some((output, cells)) = position else { return };
        self.name.clone_from(&output.name);
        for lanes in cells.iter().map(|lanes| lanes.map(f32::from_bits)) {
            if lanes.iter().any(|lane| !lane.is_finite()) {
                continue;
            }
            let w = lanes[3];
            self.count += 1;
            // The NV2A makes 2^-64 of it, which hides nothing: positions are in pixels already.
            self.zero += usize::from(w == 0.0);
            self.behind += usize::from(w <= 0.0);
            self.w.add(w);
            for (axis, lane) in lanes.into_iter().take(3).enumerate() {
                let low = if axis == 2 { 0.0 } else { -w };
                self.outside[axis][0] += usize::from(lane < low);
                self.outside[axis][1] += usize::from(lane > w);
                if w > 0.0 {
                    self.divided[axis].add(lane / w);
                }
            }
        }
    }

    /// Why nothing of them is seen in a view of that size, in words, if all of them are where nothing is.
    pub(super) fn unseen(&self, isa: Isa, (width, height): (u32, u32)) -> Option<String> {
        let (name, count) = (&self.name, self.count);
        if count < FEWEST {
            return None;
        }
        if self.zero == count {
            let what = "and positions are divided by their w";
            return Some(format!("all {count} vertices have w = 0 in {name}, {what}"));
        }
        if self.behind == count {
            let w = self.w.words();
            return Some(format!(
                "none of {count} vertices is in front of the eye: w of {name} is {w}, not above 0"
            ));
        }
        // The hardware of the Xbox is given pixels, y down.
        let pixels = isa == Isa::Nv2a;
        let x = self.divided[0].map(|x| (x + 1.0) / 2.0 * width as f32);
        let y = self.divided[1].map(|y| (1.0 - y) / 2.0 * height as f32);
        let near = |range: Range| range.low >= -CLIP_LIKE && range.high <= CLIP_LIKE;
        if pixels && self.behind == 0 && near(x) && near(y) {
            return Some(format!(
                "all {count} vertices are in one corner: x of {name} is {} and y {}, as in clip space, but the NV2A takes pixels, of \
                 which the view has {width} by {height}; programs multiply by the viewport in c58 and add c59",
                x.words(),
                y.words()
            ));
        }
        let words = [["left of", "right of"], ["below", "above"], ["nearer than", "beyond"]];
        for (axis, (sides, words)) in self.outside.iter().zip(words).enumerate() {
            let Some(side) = sides.iter().position(|outside| *outside == count) else { continue };
            let lane = ['x', 'y', 'z'][axis];
            let (of, range, view) = match (pixels, axis) {
                (true, 0) => ("", x, format!("0 to {width} pixels")),
                (true, 1) => ("", y, format!("0 to {height} pixels, downwards")),
                // Depths have other scales there; what counts is on which side they are.
                (_, 2) => ("/w", self.divided[2], "0 to 1".into()),
                _ => ("/w", self.divided[axis], "-1 to 1".into()),
            };
            let scaled = if pixels && axis == 2 { " of what the depth buffer holds" } else { "" };
            return Some(format!(
                "all {count} vertices are {} the view: {lane}{of} of {name} is {}{scaled}, and the view goes from {view}",
                words[side],
                range.words()
            ));
        }
        None
    }
}
