//! From three clip-space positions to covered samples, by the rules of Direct3D.
//!
//! Clipping is done in homogeneous coordinates against 0 ≤ z ≤ w and a guard band around the target; what is left
//! is snapped to 1/256 pixel, so that edges are exact integers and two triangles that share an edge never cover a
//! sample twice nor leave one out (top-left rule). Interpolation refers to the triangle before clipping.

use super::target::pattern;

/// Pixels along the side of the blocks that are tested as a whole.
const BLOCK: i32 = 8;
/// Steps of a pixel that vertices are snapped to.
const SUBPIXEL: i64 = 256;
/// Farthest a clipped vertex may lie from the origin of the target, in pixels.
const GUARD: f64 = 32768.0;
/// Smallest w that is not clipped away: positive, so that the division is defined.
const W_MIN: f64 = f32::MIN_POSITIVE as f64;

/// Where pixels may be written: left, top, right, bottom; the last two are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// A value that changes linearly over the screen: at the pixel (0, 0), and its steps to the right and down.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane {
    base: f64,
    dx: f64,
    dy: f64,
}

impl Plane {
    /// The value at a place in pixels.
    pub(super) fn at(&self, x: f64, y: f64) -> f64 {
        self.base + self.dx * x + self.dy * y
    }
}

/// A clipped triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// For each vertex of the original triangle: its weight over w. Their sum is 1/w.
    pub(super) weights: [Plane; 3],
    /// z/w.
    pub(super) depth: Plane,
    /// Whether it runs clockwise on the screen.
    pub(super) front: bool,
    edges: [Edge; 3],
    /// Pixels that may be touched.
    bounds: Bounds,
}

/// `base + dx·x + dy·y ≥ 0` where a sample at (x, y), in subpixel steps, is inside.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    base: i64,
    dx: i64,
    dy: i64,
}

#[derive(Clone, Copy)]
struct Corner {
    position: [f64; 4],
    weights: [f64; 3],
}

impl Corner {
    fn between(a: &Self, b: &Self, t: f64) -> Self {
        let mix = |x: f64, y: f64| x + (y - x) * t;
        let mut out = *a;
        for i in 0..4 {
            out.position[i] = mix(a.position[i], b.position[i]);
        }
        for i in 0..3 {
            out.weights[i] = mix(a.weights[i], b.weights[i]);
        }
        out
    }
}

/// What is kept of clip space: `sign · p[axis] ≤ scale · w + constant`.
#[derive(Clone, Copy)]
struct ClipPlane {
    axis: usize,
    sign: f64,
    scale: f64,
    constant: f64,
}

impl ClipPlane {
    /// How far inside a position is; negative outside.
    fn distance(&self, p: &[f64; 4]) -> f64 {
        self.scale * p[3] + self.constant - self.sign * p[self.axis]
    }

    /// Where an edge from `a` to `b` crosses the plane.
    fn crossing(&self, a: &Corner, b: &Corner) -> Corner {
        let (da, db) = (self.distance(&a.position), self.distance(&b.position));
        let mut corner = Corner::between(a, b, da / (da - db));
        // Of huge coordinates nothing exact is left after the interpolation; this one is known.
        corner.position[self.axis] = self.sign * (self.scale * corner.position[3] + self.constant);
        corner
    }
}

/// A triangle has 3 corners and each of the 7 planes adds at most one.
const MAX_CORNERS: usize = 10;

/// A convex polygon of few corners.
struct Polygon {
    corners: [Corner; MAX_CORNERS],
    len: usize,
}

impl Polygon {
    fn push(&mut self, corner: Corner) {
        if let Some(slot) = self.corners.get_mut(self.len) {
            *slot = corner;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[Corner] {
        self.corners.get(..self.len).unwrap_or(&[])
    }

    /// Keeps what is inside a plane.
    fn clip(&mut self, plane: &ClipPlane) {
        let old = self.corners;
        let count = self.len;
        self.len = 0;
        for i in 0..count {
            let (a, b) = (&old[i], &old[if i + 1 == count { 0 } else { i + 1 }]);
            let inside = plane.distance(&a.position) >= 0.0;
            if inside {
                self.push(*a);
            }
            if inside != (plane.distance(&b.position) >= 0.0) {
                self.push(plane.crossing(a, b));
            }
        }
    }
}

/// Clips and projects a triangle and calls `f` for each triangle that is left, in order.
///
/// A triangle with a NaN or an infinite coordinate is not drawn.
pub(super) fn project(
    positions: [[f32; 4]; 3],
    width: u32,
    height: u32,
    bounds: Bounds,
    mut f: impl FnMut(&Triangle),
) {
    if positions.iter().flatten().any(|c| !c.is_finite()) {
        return;
    }
    let corner = |i: usize| {
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        Corner { position: positions[i].map(f64::from), weights }
    };
    let (a, b, c) = (corner(0), corner(1), corner(2));
    let mut polygon = Polygon { corners: [a; MAX_CORNERS], len: 0 };
    polygon.push(a);
    polygon.push(b);
    polygon.push(c);
    let half = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    // |x/w| up to this lies less than GUARD pixels away.
    let guard = (GUARD / half.0 - 1.0, GUARD / half.1 - 1.0);
    let plane = |axis, sign, scale, constant| ClipPlane { axis, sign, scale, constant };
    let planes = [
        plane(3, -1.0, 0.0, -W_MIN),
        plane(2, -1.0, 0.0, 0.0),
        plane(2, 1.0, 1.0, 0.0),
        plane(0, 1.0, guard.0, 0.0),
        plane(0, -1.0, guard.0, 0.0),
        plane(1, 1.0, guard.1, 0.0),
        plane(1, -1.0, guard.1, 0.0),
    ];
    for plane in &planes {
        let inside = polygon.as_slice().iter().filter(|c| plane.distance(&c.position) >= 0.0).count();
        if inside == 0 {
            return;
        }
        if inside < polygon.len {
            polygon.clip(plane);
        }
    }
    let mut screen = [Projected::default(); MAX_CORNERS];
    for (out, corner) in screen.iter_mut().zip(polygon.as_slice()) {
        let [x, y, z, w] = corner.position;
        let w = if w > W_MIN { w } else { W_MIN };
        *out = Projected {
            x: snap((x / w + 1.0) * half.0),
            y: snap((1.0 - y / w) * half.1),
            z: z / w,
            weights: corner.weights.map(|b| b / w),
        };
    }
    for i in 2..polygon.len {
        if let Some(triangle) = setup([&screen[0], &screen[i - 1], &screen[i]], bounds) {
            f(&triangle);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Projected {
    x: i64,
    y: i64,
    z: f64,
    weights: [f64; 3],
}

/// A screen coordinate in subpixel steps, rounded to nearest, inside the guard band whatever comes in.
fn snap(pixels: f64) -> i64 {
    let limit = GUARD * 2.0;
    let clamped = if pixels > limit {
        limit
    } else if pixels > -limit {
        pixels
    } else {
        -limit
    };
    let scaled = clamped * SUBPIXEL as f64 + 0.5;
    let truncated = scaled as i64;
    if scaled < truncated as f64 { truncated - 1 } else { truncated }
}

fn setup(corners: [&Projected; 3], bounds: Bounds) -> Option<Triangle> {
    let [a, b, c] = corners;
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area == 0 {
        return None;
    }
    // y runs down, so a positive area is clockwise. The corners are put in that order.
    let front = area > 0;
    let (b, c, area) = if front { (b, c, area) } else { (c, b, -area) };
    let range = |f: fn(&Projected) -> i64| {
        let (p, q, r) = (f(a), f(b), f(c));
        let low = p.min(q).min(r).div_euclid(SUBPIXEL);
        let high = p.max(q).max(r).div_euclid(SUBPIXEL) + 1;
        (low as i32, high as i32)
    };
    let ((left, right), (top, bottom)) = (range(|p| p.x), range(|p| p.y));
    let bounds = Bounds {
        left: left.max(bounds.left),
        top: top.max(bounds.top),
        right: right.min(bounds.right),
        bottom: bottom.min(bounds.bottom),
    };
    if bounds.left >= bounds.right || bounds.top >= bounds.bottom {
        return None;
    }
    // The edge opposite to a corner, its value divided by the area, is the weight of that corner.
    let raw = [edge(b, c), edge(c, a), edge(a, b)];
    let scale = 1.0 / area as f64;
    let step = SUBPIXEL as f64 * scale;
    let weights =
        raw.map(|e| Plane { base: e.base as f64 * scale, dx: e.dx as f64 * step, dy: e.dy as f64 * step });
    let mix = |values: [f64; 3]| {
        let sum = |f: fn(&Plane) -> f64| {
            f(&weights[0]) * values[0] + f(&weights[1]) * values[1] + f(&weights[2]) * values[2]
        };
        Plane { base: sum(|p| p.base), dx: sum(|p| p.dx), dy: sum(|p| p.dy) }
    };
    let original = |i: usize| mix([a.weights[i], b.weights[i], c.weights[i]]);
    Some(Triangle {
        weights: [original(0), original(1), original(2)],
        depth: mix([a.z, b.z, c.z]),
        front,
        edges: raw.map(biased),
        bounds,
    })
}

/// Twice the area of the triangle of an edge and a place: positive to the right of the edge on the screen.
fn edge(from: &Projected, to: &Projected) -> Edge {
    let (ex, ey) = (to.x - from.x, to.y - from.y);
    Edge { base: ey * from.x - ex * from.y, dx: -ey, dy: ex }
}

/// An edge whose value 0 counts as inside only for top and left edges.
fn biased(edge: Edge) -> Edge {
    // Going clockwise, a left edge runs up (its dx is positive) and a top edge runs to the right.
    let top_left = edge.dx > 0 || (edge.dx == 0 && edge.dy > 0);
    Edge { base: edge.base - i64::from(!top_left), ..edge }
}

impl Edge {
    fn at(&self, x: i64, y: i64) -> i64 {
        self.base + self.dx * x + self.dy * y
    }
}

/// Calls `f` with the left-top pixel of every quad that has covered samples, and the bits of the samples of its
/// four pixels (left-top, right-top, left-bottom, right-bottom). Returns the number of blocks looked at.
pub(super) fn cover(triangle: &Triangle, samples: u32, mut f: impl FnMut(u32, u32, [u16; 4])) -> u64 {
    let pattern = pattern(samples);
    let bounds = triangle.bounds;
    let all: u16 = ((1u32 << pattern.len()) - 1) as u16;
    let sub = SUBPIXEL as i32;
    let mut blocks = 0;
    // For each edge and sample, what the sample adds to the value at the left-top corner of its pixel.
    let mut offsets = [[0i64; 16]; 3];
    for (edge, offsets) in triangle.edges.iter().zip(&mut offsets) {
        for (offset, &(x, y)) in offsets.iter_mut().zip(pattern) {
            let place = |c: i8| i64::from(sub / 2 + i32::from(c) * (sub / 16));
            *offset = edge.dx * place(x) + edge.dy * place(y);
        }
    }
    let (first_x, first_y) = (bounds.left & !(BLOCK - 1), bounds.top & !(BLOCK - 1));
    let mut y = first_y;
    while y < bounds.bottom {
        let mut x = first_x;
        while x < bounds.right {
            blocks += 1;
            let (mut outside, mut inside) = (false, true);
            let span = i64::from(BLOCK) * SUBPIXEL;
            for edge in &triangle.edges {
                let here = edge.at(i64::from(x) * SUBPIXEL, i64::from(y) * SUBPIXEL);
                let (sx, sy) = (edge.dx * span, edge.dy * span);
                outside |= here + sx.max(0) + sy.max(0) < 0;
                inside &= here + sx.min(0) + sy.min(0) >= 0;
            }
            let whole = x >= bounds.left
                && y >= bounds.top
                && x + BLOCK <= bounds.right
                && y + BLOCK <= bounds.bottom;
            if !outside {
                for qy in (y..y + BLOCK).step_by(2) {
                    for qx in (x..x + BLOCK).step_by(2) {
                        let masks = if inside && whole {
                            [all; 4]
                        } else {
                            quad(triangle, &offsets, pattern.len(), qx, qy)
                        };
                        if masks != [0; 4] {
                            f(qx as u32, qy as u32, masks);
                        }
                    }
                }
            }
            x += BLOCK;
        }
        y += BLOCK;
    }
    blocks
}

fn quad(triangle: &Triangle, offsets: &[[i64; 16]; 3], samples: usize, qx: i32, qy: i32) -> [u16; 4] {
    let bounds = &triangle.bounds;
    let mut masks = [0u16; 4];
    for (i, mask) in masks.iter_mut().enumerate() {
        let (x, y) = (qx + (i & 1) as i32, qy + (i >> 1) as i32);
        if x < bounds.left || x >= bounds.right || y < bounds.top || y >= bounds.bottom {
            continue;
        }
        let (px, py) = (i64::from(x) * SUBPIXEL, i64::from(y) * SUBPIXEL);
        let corner =
            [triangle.edges[0].at(px, py), triangle.edges[1].at(px, py), triangle.edges[2].at(px, py)];
        let at = |edge: usize, sample: usize| corner[edge] + offsets[edge][sample];
        let inside = |sample: &usize| at(0, *sample) >= 0 && at(1, *sample) >= 0 && at(2, *sample) >= 0;
        *mask = (0..samples.min(16)).filter(inside).fold(0, |mask, sample| mask | 1 << sample);
    }
    masks
}
