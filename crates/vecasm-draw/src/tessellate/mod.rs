//! The fixed-function tessellator: from levels to the points of a patch and how they hang together.
//!
//! Rules are those of OpenGL 4.6 (section 11.2.2), which Direct3D 11 shares where it has a counterpart (section 11 of its
//! functional specification). What those leave open, and what is chosen here:
//!
//! * **Where the two shorter segments of a fractional spacing lie**: at the two ends. A side of `n` segments for a level
//!   `f` has its points at ½ + (2i − n) / 2f, so that the long ones measure 1/f and the short ones (f − n + 2) / 2f. Equal
//!   spacing is the same with f = n.
//! * **Rounding**: coordinates are whole multiples of 2^-24, so that 1 − u is exact, a side has the same points from
//!   either end, and u + v + w of a triangle is exactly 1. On sides they are the nearest multiples, computed with integers.
//! * **What an inner level of 1 beside others becomes**: 1 + 2^-16, rounded up by the spacing (`2` for equal, three segments,
//!   two of them tiny, for fractional odd).
//! * **How rings hang together**: a ring between two chains of points goes along both and always takes the segment whose
//!   middle comes first; of two with the same middle the outer one in the first half of the side, the inner one in the
//!   second, so that the triangles of a side mirror each other. Quads inside are cut from (u, v) to (u, v) of the next column
//!   and row in the first half of the columns, else the other way.
//! * **Order**: points go round from the outside, counter-clockwise from the corner w = 1 of a triangle (along v = 0, w = 0,
//!   u = 0) and from (0, 0) of a quad (v = 0, u = 1, v = 1, u = 0), the inside of a quad row by row; isolines line by line.
//!   Triangles come ring by ring in the same order. A triangle begins anywhere: flat shading takes its first vertex.
//! * **Inner levels that are no number** count as the least that the spacing allows. They discard nothing.
//!
//! Counter-clockwise is meant in the plane of u and v.

use alloc::vec::Vec;
use vecasm_ir::ir::{Primitive, Setup, Spacing};

/// The highest level.
pub const MAX_LEVEL: u32 = 64;

/// A coordinate 1: coordinates are multiples of 2^-24.
const ONE: u32 = 1 << 24;
/// Levels are multiples of 2^-23: every f32 from 1 to 64 is one.
const LEVEL_ONE: u64 = 1 << 23;
/// What is added to an inner level of 1 that must not be 1: 2^-16.
const EPSILON: u64 = 1 << 7;

/// What is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A triangle in barycentric coordinates. Outer levels: the sides u = 0, v = 0 and w = 0.
    Triangles,
    /// The unit square. Outer levels: the sides u = 0, v = 0, u = 1 and v = 1; inner ones: along u, along v.
    Quads,
    /// Lines of constant v over the unit square. Outer levels: the number of lines (always of equal spacing), the number
    /// of segments of each.
    Isolines,
}

/// What the tessellator is told besides levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tessellator {
    /// What is divided.
    pub domain: Domain,
    /// How sides are divided.
    pub spacing: Spacing,
    /// Whether triangles go round clockwise in the plane of u and v.
    pub clockwise: bool,
    /// Whether only points are made.
    pub points: bool,
}

/// How the points of a patch hang together, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connectivity {
    /// Each point once.
    Points,
    /// Segments of lines, in order along each line.
    Lines(Vec<[u32; 2]>),
    /// Triangles.
    Triangles(Vec<[u32; 3]>),
}

/// A divided patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Tessellated {
    /// u, v and w of each point; w is 1 − u − v for triangles and 0 else.
    pub points: Vec<[f32; 3]>,
    /// How they hang together.
    pub connectivity: Connectivity,
}

impl Tessellator {
    /// What a tessellation evaluation shader asks for.
    pub const fn of(setup: &Setup) -> Self {
        let domain = match setup.primitive_in {
            Primitive::Quads => Domain::Quads,
            Primitive::Lines => Domain::Isolines,
            _ => Domain::Triangles,
        };
        Self { domain, spacing: setup.spacing, clockwise: setup.clockwise, points: setup.points }
    }

    /// Divides a patch. Levels that the domain has no use for do not count.
    ///
    /// `None` if the patch is discarded: an outer level is 0, less, or no number.
    pub fn divide(&self, outer: [f32; 4], inner: [f32; 2]) -> Option<Tessellated> {
        let used = match self.domain {
            Domain::Triangles => 3,
            Domain::Quads => 4,
            Domain::Isolines => 2,
        };
        // Not "≤ 0": what is no number is neither.
        if !outer.iter().take(used).all(|level| *level > 0.0) {
            return None;
        }
        let mut net = Net { points: Vec::new(), triangles: Vec::new() };
        let lines = match self.domain {
            Domain::Triangles => {
                net.triangle(self.spacing, [outer[0], outer[1], outer[2]], inner[0]);
                None
            }
            Domain::Quads => {
                net.quad(self.spacing, outer, inner);
                None
            }
            Domain::Isolines => Some(net.isolines(self.spacing, outer)),
        };
        let connectivity = match lines {
            _ if self.points => Connectivity::Points,
            Some(lines) => Connectivity::Lines(lines),
            None => {
                if self.clockwise {
                    net.triangles.iter_mut().for_each(|[_, b, c]| core::mem::swap(b, c));
                }
                Connectivity::Triangles(net.triangles)
            }
        };
        // Exact: at most 24 bits.
        let number = |n: u32| n as f32 / ONE as f32;
        let points = net.points.iter().map(|point| point.map(number)).collect();
        Some(Tessellated { points, connectivity })
    }
}

/// A clamped level and the number of segments it gives.
#[derive(Clone, Copy)]
struct Level {
    /// In units of 2^-23.
    value: u64,
    segments: u32,
}

impl Level {
    fn new(spacing: Spacing, level: f32) -> Self {
        let (least, most) = match spacing {
            Spacing::Equal => (1, MAX_LEVEL),
            Spacing::FractionalEven => (2, MAX_LEVEL),
            Spacing::FractionalOdd => (1, MAX_LEVEL - 1),
        };
        // What is no number is the least one.
        let clamped = if level >= most as f32 {
            most as f32
        } else if level > least as f32 {
            level
        } else {
            least as f32
        };
        Self::rounded(spacing, (f64::from(clamped) * LEVEL_ONE as f64) as u64)
    }

    /// The least number of segments of the spacing that is not below the level.
    fn rounded(spacing: Spacing, value: u64) -> Self {
        let up = value.div_ceil(LEVEL_ONE) as u32;
        match spacing {
            Spacing::Equal => Self { value: u64::from(up) * LEVEL_ONE, segments: up },
            Spacing::FractionalEven => Self { value, segments: up + up % 2 },
            Spacing::FractionalOdd => Self { value, segments: up | 1 },
        }
    }

    /// What an inner level of 1 counts as where others are higher.
    fn above_one(self, spacing: Spacing) -> Self {
        if self.segments > 1 { self } else { Self::rounded(spacing, LEVEL_ONE + EPSILON) }
    }

    /// The points of a side from end to end, in units of 2^-24.
    fn side(self) -> Vec<u32> {
        let n = self.segments;
        let at = |i: u32| {
            // ½ − (n − 2i) / 2f, to nearest; computed for the first half only, so that the second mirrors it exactly.
            let back = u64::from(n - 2 * i) * LEVEL_ONE;
            let (over, under) = ((self.value.saturating_sub(back)) * u64::from(ONE), 2 * self.value);
            ((over + self.value) / under) as u32
        };
        let place = |i: u32| match i {
            0 => 0,
            _ if i == n => ONE,
            _ if 2 * i <= n => at(i),
            _ => ONE - at(n - i),
        };
        (0..=n).map(place).collect()
    }
}

/// A chain of points along a side: their numbers, and where they lie along it.
#[derive(Clone, Debug, Default)]
struct Chain(Vec<(u32, u32)>);

/// Points and triangles so far; triangles run counter-clockwise.
struct Net {
    points: Vec<[u32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Net {
    /// Adds the points of a ring from its sides, of which each leaves out its end, and gives the chains of its sides.
    /// `places` are where the points lie along each side, the end included.
    fn ring(&mut self, sides: &[Vec<([u32; 3], u32)>]) -> Vec<Chain> {
        let first = self.points.len() as u32;
        let mut chains = Vec::new();
        for (number, side) in sides.iter().enumerate() {
            let mut chain = Vec::with_capacity(side.len());
            for (i, (point, place)) in side.iter().enumerate() {
                let next = self.points.len() as u32;
                if i + 1 < side.len() {
                    self.points.push(*point);
                    chain.push((next, *place));
                } else {
                    chain.push((if number + 1 == sides.len() { first } else { next }, *place));
                }
            }
            chains.push(Chain(chain));
        }
        chains
    }

    /// Fills the strip between a chain and one to the left of it.
    fn stitch(&mut self, outer: &Chain, inner: &Chain) {
        let (outer, inner) = (&outer.0, &inner.0);
        let (mut a, mut b) = (0, 0);
        loop {
            let (here, there) = (outer.get(a), inner.get(b));
            let (Some(&here), Some(&there)) = (here, there) else { return };
            let (ahead, above) = (outer.get(a + 1).copied(), inner.get(b + 1).copied());
            let take_outer = match (ahead, above) {
                (None, None) => return,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(ahead), Some(above)) => {
                    let (middle, other) = (here.1 + ahead.1, there.1 + above.1);
                    middle < other || (middle == other && middle <= ONE)
                }
            };
            match (take_outer, ahead, above) {
                (true, Some(ahead), _) => {
                    self.triangles.push([here.0, ahead.0, there.0]);
                    a += 1;
                }
                (_, _, Some(above)) => {
                    self.triangles.push([here.0, above.0, there.0]);
                    b += 1;
                }
                _ => return,
            }
        }
    }

    fn triangle(&mut self, spacing: Spacing, outer: [f32; 3], inner: f32) {
        let levels = outer.map(|level| Level::new(spacing, level));
        let mut inner = Level::new(spacing, inner);
        if inner.segments > 1 || levels.iter().any(|level| level.segments > 1) {
            inner = inner.above_one(spacing);
        }
        // The sides in the order in which they are gone along, and the point on each by how far from its start.
        let sides: [(u32, Level); 3] = [(0, levels[1]), (1, levels[2]), (2, levels[0])];
        let outermost = sides.map(|(turn, level)| {
            let on = |place: u32| (turned([ONE - place, place, 0], turn), place);
            level.side().into_iter().map(on).collect::<Vec<_>>()
        });
        let mut chains = self.ring(&outermost);
        if inner.segments == 1 {
            self.triangles.push([0, 1, 2]);
            return;
        }
        let places = inner.side();
        let n = places.len() - 1;
        for k in 1..=n / 2 {
            let (start, end) = (k, n - k);
            let Some(&from) = places.get(start) else { return };
            if start == end {
                // The centre; 2^24 is no multiple of 3.
                let third = ONE / 3;
                let centre = self.points.len() as u32;
                self.points.push([third, third, ONE - 2 * third]);
                for chain in &chains {
                    self.stitch(chain, &Chain([(centre, from)].into()));
                }
                return;
            }
            // Where perpendiculars from the two sides of a corner meet: two thirds of the way in. Even, so that a middle exists.
            let depth = (from + 1) / 3 * 2;
            let on = |place: u32| {
                let near = |place: u32| depth + (place - from);
                let point = if 2 * place < ONE {
                    [ONE - depth - near(place), near(place), depth]
                } else if 2 * place == ONE {
                    [(ONE - depth) / 2, (ONE - depth) / 2, depth]
                } else {
                    [near(ONE - place), ONE - depth - near(ONE - place), depth]
                };
                (point, place)
            };
            let part = places.get(start..=end).unwrap_or(&[]);
            let ring = [0, 1, 2].map(|turn| {
                let point = |place: &u32| {
                    let (point, place) = on(*place);
                    (turned(point, turn), place)
                };
                part.iter().map(point).collect::<Vec<_>>()
            });
            let next = self.ring(&ring);
            for (chain, next) in chains.iter().zip(&next) {
                self.stitch(chain, next);
            }
            chains = next;
            if start + 1 == end {
                if let [a, b, c] = chains.as_slice() {
                    let corner = |chain: &Chain| chain.0.first().map_or(0, |point| point.0);
                    self.triangles.push([corner(a), corner(b), corner(c)]);
                }
                return;
            }
        }
    }

    fn quad(&mut self, spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) {
        let levels = outer.map(|level| Level::new(spacing, level));
        let mut inner = inner.map(|level| Level::new(spacing, level));
        let divided = levels.iter().chain(&inner).any(|level| level.segments > 1);
        if divided {
            inner = inner.map(|level| level.above_one(spacing));
        }
        /// Where a point of a side is.
        type On = fn(u32) -> [u32; 3];
        let sides: [(Level, On); 4] = [
            (levels[1], |place| [place, 0, 0]),
            (levels[2], |place| [ONE, place, 0]),
            (levels[3], |place| [ONE - place, ONE, 0]),
            (levels[0], |place| [0, ONE - place, 0]),
        ];
        let outermost = sides
            .map(|(level, on)| level.side().into_iter().map(|place| (on(place), place)).collect::<Vec<_>>());
        let chains = self.ring(&outermost);
        if !divided {
            self.triangles.extend([[0, 1, 2], [0, 2, 3]]);
            return;
        }
        let (columns, rows) = (inner[0].side(), inner[1].side());
        let inside = |places: &[u32]| places.get(1..places.len() - 1).unwrap_or(&[]).to_vec();
        let (columns, rows) = (inside(&columns), inside(&rows));
        let first = self.points.len() as u32;
        let width = columns.len() as u32;
        for v in &rows {
            self.points.extend(columns.iter().map(|u| [*u, *v, 0]));
        }
        let at = |column: usize, row: usize| first + row as u32 * width + column as u32;
        let (right, top) = (columns.len() - 1, rows.len() - 1);
        let count = |places: &[u32]| 0..places.len();
        let along: [Chain; 4] = [
            Chain(count(&columns).map(|i| (at(i, 0), columns[i])).collect()),
            Chain(count(&rows).map(|j| (at(right, j), rows[j])).collect()),
            Chain(count(&columns).rev().map(|i| (at(i, top), ONE - columns[i])).collect()),
            Chain(count(&rows).rev().map(|j| (at(0, j), ONE - rows[j])).collect()),
        ];
        for (chain, next) in chains.iter().zip(&along) {
            self.stitch(chain, next);
        }
        for j in 0..top {
            for i in 0..right {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let cut = if columns[i] + columns[i + 1] <= ONE {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, b, d], [b, c, d]]
                };
                self.triangles.extend(cut);
            }
        }
    }

    fn isolines(&mut self, spacing: Spacing, outer: [f32; 4]) -> Vec<[u32; 2]> {
        let rows = Level::new(Spacing::Equal, outer[0]).side();
        let places = Level::new(spacing, outer[1]).side();
        let mut lines = Vec::new();
        // No line at v = 1: that is the first one of the patch beside.
        for v in rows.iter().take(rows.len() - 1) {
            for (i, u) in places.iter().enumerate() {
                let number = self.points.len() as u32;
                if i > 0 {
                    lines.push([number - 1, number]);
                }
                self.points.push([*u, *v, 0]);
            }
        }
        lines
    }
}

/// A place beside the first side of a triangle (w, u, v along it: how far from its end, from its start, from itself) in u, v,
/// w beside side `turn`.
fn turned([back, along, depth]: [u32; 3], turn: u32) -> [u32; 3] {
    match turn {
        0 => [along, depth, back],
        1 => [back, along, depth],
        _ => [depth, back, along],
    }
}
