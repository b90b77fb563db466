//! From three clip-space positions to covered samples, by the rules of Direct3D.
//!
//! Clipping is done in homogeneous coordinates against 0 ≤ z ≤ w and a guard band around the target; what is left
//! is snapped to 1/256 pixel, so that edges are exact integers and two triangles that share an edge never cover a
//! sample twice nor leave one out (top-left rule). Interpolation refers to the triangle before clipping.
//!
//! Points are squares and lines rectangles by the same rule, as OpenGL has them with several samples a pixel; a line of
//! width 1 without antialiasing covers the pixels whose diamonds it leaves, as both OpenGL and Direct3D say.

use super::state::{Rect, Viewport};
use super::target::pattern;
use alloc::collections::BTreeMap;
use vecasm_ir::math;

/// Pixels along the side of the blocks that are tested as a whole.
const BLOCK: i32 = 8;
/// Steps of a pixel that vertices are snapped to.
const SUBPIXEL: i64 = 256;
/// Farthest a clipped vertex may lie from the origin of the viewport, in pixels.
const GUARD: f64 = 32768.0;
/// Smallest w that is not clipped away: positive, so that the division is defined.
const W_MIN: f64 = f32::MIN_POSITIVE as f64;
/// Widest line and largest point, in pixels.
const MAX_SIZE: f32 = 8192.0;

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

/// A clipped triangle on the screen, a line or a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// For each vertex of the original triangle (or line, or point): its weight over w. Their sum is 1/w.
    pub(super) weights: [Plane; 3],
    /// z/w.
    pub(super) depth: Plane,
    /// Whether it runs clockwise on the screen; lines and points do.
    pub(super) front: bool,
    /// The place in a point, 0..=1, y down.
    pub(super) place: [Plane; 2],
    /// A sample inside all of them is covered; a triangle has one that everything is inside of.
    edges: [Edge; 4],
    /// A line that covers the pixels whose diamonds it leaves, and no others.
    diamonds: Option<[(i64, i64); 2]>,
    /// Pixels that may be touched.
    pub(super) bounds: Bounds,
}

impl Triangle {
    /// The number of pixels that may be touched.
    pub(super) fn pixels(&self) -> u64 {
        let Bounds { left, top, right, bottom } = self.bounds;
        (right - left) as u64 * (bottom - top) as u64
    }

    /// The number of blocks that are looked at.
    pub(super) fn blocks(&self) -> u64 {
        let Bounds { left, top, right, bottom } = self.bounds;
        if let Some([a, b]) = self.diamonds {
            let wide = (b.0 - a.0).abs() >= (b.1 - a.1).abs();
            let length = if wide { right - left } else { bottom - top };
            return length as u64 / BLOCK as u64 + 1;
        }
        let blocks = |start: i32, end: i32| (end - (start & !(BLOCK - 1)) + BLOCK - 1) as u64 / BLOCK as u64;
        blocks(left, right) * blocks(top, bottom)
    }
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
    /// Vertex `number` of a primitive.
    fn new(position: [f32; 4], number: usize) -> Self {
        let mut weights = [0.0; 3];
        weights[number] = 1.0;
        Self { position: position.map(f64::from), weights }
    }

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

/// What clip space is put on.
#[derive(Clone, Copy)]
pub(super) struct Screen {
    /// The left top corner, in pixels.
    origin: (f64, f64),
    /// Half the width and the height, in pixels.
    half: (f64, f64),
    /// The depth that z/w = 0 becomes, and what z/w = 1 has more.
    depth: (f64, f64),
}

impl Screen {
    /// A viewport of at least one pixel.
    pub(super) fn new(viewport: &Viewport) -> Self {
        let Rect { x, y, width, height } = viewport.rect;
        let [near, far] = viewport.depth.map(f64::from);
        Self {
            origin: (f64::from(x), f64::from(y)),
            half: (f64::from(width.max(1)) / 2.0, f64::from(height.max(1)) / 2.0),
            depth: (near, far - near),
        }
    }

    /// What is kept of clip space.
    fn planes(self) -> [ClipPlane; 7] {
        // |x/w| up to this lies less than GUARD pixels away from the left top corner.
        let guard = (GUARD / self.half.0 - 1.0, GUARD / self.half.1 - 1.0);
        let plane = |axis, sign, scale, constant| ClipPlane { axis, sign, scale, constant };
        [
            plane(3, -1.0, 0.0, -W_MIN),
            plane(2, -1.0, 0.0, 0.0),
            plane(2, 1.0, 1.0, 0.0),
            plane(0, 1.0, guard.0, 0.0),
            plane(0, -1.0, guard.0, 0.0),
            plane(1, 1.0, guard.1, 0.0),
            plane(1, -1.0, guard.1, 0.0),
        ]
    }

    fn place(self, corner: &Corner) -> Projected {
        let [x, y, z, w] = corner.position;
        let w = if w > W_MIN { w } else { W_MIN };
        Projected {
            x: snap((x / w + 1.0) * self.half.0 + self.origin.0),
            y: snap((1.0 - y / w) * self.half.1 + self.origin.1),
            z: z / w * self.depth.1 + self.depth.0,
            weights: corner.weights.map(|b| b / w),
        }
    }
}

/// Clips and projects a triangle and calls `f` for each triangle that is left, in order.
///
/// A triangle with a NaN or an infinite coordinate is not drawn.
pub(super) fn project(
    positions: [[f32; 4]; 3],
    screen: Screen,
    bounds: Bounds,
    mut f: impl FnMut(&Triangle),
) {
    if positions.iter().flatten().any(|c| !c.is_finite()) {
        return;
    }
    let corner = |i: usize| Corner::new(positions[i], i);
    let (a, b, c) = (corner(0), corner(1), corner(2));
    let mut polygon = Polygon { corners: [a; MAX_CORNERS], len: 0 };
    polygon.push(a);
    polygon.push(b);
    polygon.push(c);
    for plane in &screen.planes() {
        let inside = polygon.as_slice().iter().filter(|c| plane.distance(&c.position) >= 0.0).count();
        if inside == 0 {
            return;
        }
        if inside < polygon.len {
            polygon.clip(plane);
        }
    }
    let mut corners = [Projected::default(); MAX_CORNERS];
    for (out, corner) in corners.iter_mut().zip(polygon.as_slice()) {
        *out = screen.place(corner);
    }
    for i in 2..polygon.len {
        if let Some(triangle) = setup([&corners[0], &corners[i - 1], &corners[i]], bounds) {
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
        place: [Plane::default(); 2],
        edges: [biased(raw[0]), biased(raw[1]), biased(raw[2]), Edge::default()],
        diamonds: None,
        bounds,
    })
}

/// Clips and projects a line, and gives what is left of it. `width` is in pixels; see the head of the file.
pub(super) fn line(
    positions: [[f32; 4]; 2],
    pixels: f32,
    screen: Screen,
    samples: u32,
    bounds: Bounds,
) -> Option<Triangle> {
    if positions.iter().flatten().any(|c| !c.is_finite()) {
        return None;
    }
    let (mut a, mut b) = (Corner::new(positions[0], 0), Corner::new(positions[1], 1));
    for plane in &screen.planes() {
        let inside = [&a, &b].map(|corner| plane.distance(&corner.position) >= 0.0);
        match inside {
            [true, true] => {}
            [true, false] => b = plane.crossing(&a, &b),
            [false, true] => a = plane.crossing(&a, &b),
            [false, false] => return None,
        }
    }
    let (a, b) = (screen.place(&a), screen.place(&b));
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let square = dx * dx + dy * dy;
    if square == 0 {
        return None;
    }
    // Along the line from 0 to 1, and linear across it.
    let sub = SUBPIXEL as f64;
    let scale = 1.0 / square as f64;
    let along = Plane {
        base: -((a.x * dx + a.y * dy) as f64) * scale,
        dx: dx as f64 * sub * scale,
        dy: dy as f64 * sub * scale,
    };
    let mix = |from: f64, to: f64| {
        let by = to - from;
        Plane { base: from + along.base * by, dx: along.dx * by, dy: along.dy * by }
    };
    // Half the width times the length: what a place may be off, as the area that it spans with the line.
    let off = f64::from(size(pixels)?) / 2.0 * sub * math::wide::sqrt(square as f64);
    let reach = (size(pixels)? as i64 + 2) * SUBPIXEL;
    let off = (off + 0.5) as i64;
    let side = Edge { base: dy * a.x - dx * a.y, dx: -dy, dy: dx };
    let back = Edge { base: -side.base, dx: -side.dx, dy: -side.dy };
    let start = Edge { base: -(a.x * dx + a.y * dy), dx, dy };
    let end = Edge { base: b.x * dx + b.y * dy, dx: -dx, dy: -dy };
    let edges = [Edge { base: side.base + off, ..side }, Edge { base: back.base + off, ..back }, start, end];
    let thin = samples == 1 && pixels == 1.0;
    Some(Triangle {
        weights: core::array::from_fn(|i| mix(a.weights[i], b.weights[i])),
        depth: mix(a.z, b.z),
        front: true,
        place: [Plane::default(); 2],
        edges: edges.map(biased),
        diamonds: thin.then_some([(a.x, a.y), (b.x, b.y)]),
        bounds: touched([(a.x, a.y), (b.x, b.y)], reach, bounds)?,
    })
}

/// Projects a point that lies inside of clip space, as a square of so many pixels a side.
pub(super) fn point(position: [f32; 4], pixels: f32, screen: Screen, bounds: Bounds) -> Option<Triangle> {
    if position.iter().any(|c| !c.is_finite()) {
        return None;
    }
    let corner = Corner::new(position, 0);
    if screen.planes().iter().any(|plane| plane.distance(&corner.position) < 0.0) {
        return None;
    }
    let at = screen.place(&corner);
    let side = f64::from(size(pixels)?);
    let half = (side / 2.0 * SUBPIXEL as f64 + 0.5) as i64;
    if half == 0 {
        return None;
    }
    let flat = |value: f64| Plane { base: value, dx: 0.0, dy: 0.0 };
    let (left, top) = (at.x - half, at.y - half);
    let from = |start: i64| -(start as f64) / SUBPIXEL as f64 / side;
    let edges = [
        Edge { base: -left, dx: 1, dy: 0 },
        Edge { base: at.x + half, dx: -1, dy: 0 },
        Edge { base: -top, dx: 0, dy: 1 },
        Edge { base: at.y + half, dx: 0, dy: -1 },
    ];
    Some(Triangle {
        weights: at.weights.map(flat),
        depth: flat(at.z),
        front: true,
        place: [
            Plane { base: from(left), dx: 1.0 / side, dy: 0.0 },
            Plane { base: from(top), dx: 0.0, dy: 1.0 / side },
        ],
        edges: edges.map(biased),
        diamonds: None,
        bounds: touched([(at.x, at.y); 2], half, bounds)?,
    })
}

/// A width of a line or side of a point that can be drawn: not more than [`MAX_SIZE`]; none if it is not above 0.
fn size(pixels: f32) -> Option<f32> {
    if pixels > 0.0 { Some(if pixels < MAX_SIZE { pixels } else { MAX_SIZE }) } else { None }
}

/// The pixels within reach of two places, both in subpixel steps.
fn touched([a, b]: [(i64, i64); 2], reach: i64, bounds: Bounds) -> Option<Bounds> {
    let low = |p: i64, q: i64| ((p.min(q) - reach).div_euclid(SUBPIXEL)) as i32;
    let high = |p: i64, q: i64| ((p.max(q) + reach).div_euclid(SUBPIXEL) + 1) as i32;
    let all = Bounds {
        left: low(a.0, b.0).max(bounds.left),
        top: low(a.1, b.1).max(bounds.top),
        right: high(a.0, b.0).min(bounds.right),
        bottom: high(a.1, b.1).min(bounds.bottom),
    };
    (all.left < all.right && all.top < all.bottom).then_some(all)
}

/// Whether a line from `a` to `b` leaves the diamond of the pixel (x, y): it meets the open diamond around the centre, and
/// does not end in it. The ends are moved left and up by a step of 2^-10 and 2^-20 subpixels, as OpenGL asks for (ε and
/// ε²), so that none lies on a border.
fn leaves_diamond([a, b]: [(i64, i64); 2], x: i32, y: i32) -> bool {
    const FINE: i64 = 1 << 20;
    let from_centre = |p: (i64, i64)| {
        let centre = |c: i32| i64::from(c) * SUBPIXEL + SUBPIXEL / 2;
        ((p.0 - centre(x)) * FINE - (1 << 10), (p.1 - centre(y)) * FINE - 1)
    };
    let (a, b) = (from_centre(a), from_centre(b));
    // The part of the line inside of all four sides, as fractions of its length.
    let (mut low, mut high) = ((0i128, 1i128), (1i128, 1i128));
    let mut ends_inside = true;
    for (sx, sy) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let room = |p: (i64, i64)| i128::from(SUBPIXEL / 2 * FINE - sx * p.0 - sy * p.1);
        let (start, end) = (room(a), room(b));
        ends_inside &= end > 0;
        match (start > 0, end > 0) {
            (true, true) => {}
            (false, false) => return false,
            (false, true) => {
                let cut = (-start, end - start);
                if cut.0 * low.1 > low.0 * cut.1 {
                    low = cut;
                }
            }
            (true, false) => {
                let cut = (start, start - end);
                if cut.0 * high.1 < high.0 * cut.1 {
                    high = cut;
                }
            }
        }
    }
    !ends_inside && low.0 * high.1 < high.0 * low.1
}

/// The pixels of a thin line, as [`cover`] gives them.
fn cover_diamonds(ends: [(i64, i64); 2], bounds: Bounds, mut f: impl FnMut(u32, u32, [u16; 4])) {
    let [a, b] = ends;
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let wide = dx.abs() >= dy.abs();
    // Along the longer axis one step is a pixel; there the line crosses at most two pixels of the other, and touches their
    // neighbours.
    let (first, last) = if wide { (bounds.left, bounds.right) } else { (bounds.top, bounds.bottom) };
    let mut quads: BTreeMap<(u32, u32), [u16; 4]> = BTreeMap::new();
    for major in first..last {
        let middle = i64::from(major) * SUBPIXEL + SUBPIXEL / 2;
        let (start, minor, step, whole) = if wide { (a.0, a.1, dy, dx) } else { (a.1, a.0, dx, dy) };
        let at = minor + ((i128::from(middle - start) * i128::from(step)) / i128::from(whole)) as i64;
        let near = at.div_euclid(SUBPIXEL) as i32;
        for minor in near - 1..=near + 1 {
            let (x, y) = if wide { (major, minor) } else { (minor, major) };
            let inside = (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y);
            if inside && leaves_diamond(ends, x, y) {
                let (x, y) = (x as u32, y as u32);
                quads.entry((y & !1, x & !1)).or_default()[((y & 1) * 2 + (x & 1)) as usize] = 1;
            }
        }
    }
    for ((y, x), masks) in quads {
        f(x, y, masks);
    }
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

/// Calls `f` with the left-top pixel of every quad that has covered samples in the rows from `top` to above `bottom`, which
/// are whole quads, and the bits of the samples of its four pixels (left-top, right-top, left-bottom, right-bottom).
pub(super) fn cover(
    triangle: &Triangle,
    (top, bottom): (i32, i32),
    samples: u32,
    mut f: impl FnMut(u32, u32, [u16; 4]),
) {
    let all = triangle.bounds;
    let bounds = Bounds { top: all.top.max(top), bottom: all.bottom.min(bottom), ..all };
    if bounds.top >= bounds.bottom {
        return;
    }
    if let Some(ends) = triangle.diamonds {
        return cover_diamonds(ends, bounds, f);
    }
    let pattern = pattern(samples);
    let all: u16 = ((1u32 << pattern.len()) - 1) as u16;
    let sub = SUBPIXEL as i32;
    // For each edge and sample, what the sample adds to the value at the left-top corner of its pixel.
    let mut offsets = [[0i64; 16]; 4];
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
                            quad(triangle, bounds, &offsets, pattern.len(), qx, qy)
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
}

fn quad(
    triangle: &Triangle,
    bounds: Bounds,
    offsets: &[[i64; 16]; 4],
    samples: usize,
    qx: i32,
    qy: i32,
) -> [u16; 4] {
    let mut masks = [0u16; 4];
    for (i, mask) in masks.iter_mut().enumerate() {
        let (x, y) = (qx + (i & 1) as i32, qy + (i >> 1) as i32);
        if x < bounds.left || x >= bounds.right || y < bounds.top || y >= bounds.bottom {
            continue;
        }
        let (px, py) = (i64::from(x) * SUBPIXEL, i64::from(y) * SUBPIXEL);
        let corner = triangle.edges.map(|edge| edge.at(px, py));
        let at = |edge: usize, sample: usize| corner[edge] + offsets[edge][sample];
        let inside = |sample: &usize| (0..4).all(|edge| at(edge, *sample) >= 0);
        *mask = (0..samples.min(16)).filter(inside).fold(0, |mask, sample| mask | 1 << sample);
    }
    masks
}
