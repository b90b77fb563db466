//! The built-in textures, and colours as scene files write them.

use super::json::Node;
use crate::RenderError;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::Dim;
use vecasm_ir::math;

/// Mixes the bits of a number, so that neighbouring ones give unrelated results.
pub(super) fn hash(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A colour: `"#rgb"`, `"#rrggbb"`, `"#rrggbbaa"`, `"rrggbb"`, or three or four numbers.
pub(super) fn color(node: Node<'_, '_>) -> Result<[f32; 4], RenderError> {
    if node.is_list() {
        let items = node.items()?;
        if !(3..=4).contains(&items.len()) {
            return Err(node.error("a colour has three or four numbers"));
        }
        let mut out = [0.0, 0.0, 0.0, 1.0];
        for (out, item) in out.iter_mut().zip(items) {
            *out = item.number()?;
        }
        return Ok(out);
    }
    let text = node.text()?;
    let digits = text.strip_prefix('#').unwrap_or(text);
    parse_hex(digits)
        .ok_or_else(|| node.error(format!("\"{text}\" is not a colour; expected #rgb, #rrggbb or #rrggbbaa")))
}

fn parse_hex(digits: &str) -> Option<[f32; 4]> {
    let mut nibbles = [15u32; 8];
    let doubled = digits.len() == 3;
    if !doubled && digits.len() != 6 && digits.len() != 8 {
        return None;
    }
    for (i, digit) in digits.chars().enumerate() {
        let value = digit.to_digit(16)?;
        if doubled {
            nibbles[i * 2] = value;
            nibbles[i * 2 + 1] = value;
        } else {
            nibbles[i] = value;
        }
    }
    let mut out = [0.0; 4];
    for (out, pair) in out.iter_mut().zip(nibbles.chunks(2)) {
        *out = (pair[0] * 16 + pair[1]) as f32 / 255.0;
    }
    Some(out)
}

/// A texel as Stage3D's bitmaps have it: `aarrggbb`.
pub(super) fn argb(node: Node<'_, '_>) -> Result<[u8; 4], RenderError> {
    let text = node.text()?;
    let valid = text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match u32::from_str_radix(text, 16) {
        Ok(value) if valid => {
            let [a, r, g, b] = value.to_be_bytes();
            Ok([r, g, b, a])
        }
        _ => Err(node.error(format!("\"{text}\" is not a texel; expected aarrggbb"))),
    }
}

/// What a pattern draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Solid,
    Checker,
    Gradient,
    Ramp,
    Stripes,
    Dots,
    Rings,
    Bricks,
    Grid,
    Noise,
    Bumps,
    Disc,
    Star,
    Sky,
    Uv,
    Volume,
}

const KINDS: &[Kind] = &[
    Kind::Solid,
    Kind::Checker,
    Kind::Gradient,
    Kind::Ramp,
    Kind::Stripes,
    Kind::Dots,
    Kind::Rings,
    Kind::Bricks,
    Kind::Grid,
    Kind::Noise,
    Kind::Bumps,
    Kind::Disc,
    Kind::Star,
    Kind::Sky,
    Kind::Uv,
    Kind::Volume,
];

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Checker => "checker",
            Self::Gradient => "gradient",
            Self::Ramp => "ramp",
            Self::Stripes => "stripes",
            Self::Dots => "dots",
            Self::Rings => "rings",
            Self::Bricks => "bricks",
            Self::Grid => "grid",
            Self::Noise => "noise",
            Self::Bumps => "bumps",
            Self::Disc => "disc",
            Self::Star => "star",
            Self::Sky => "sky",
            Self::Uv => "uv",
            Self::Volume => "volume",
        }
    }

    /// Colours if the scene gives none.
    const fn colors(self) -> &'static [[f32; 4]] {
        match self {
            Self::Bricks => &[[0.62, 0.26, 0.18, 1.0], [0.80, 0.77, 0.70, 1.0]],
            Self::Grid => &[[0.10, 0.13, 0.20, 1.0], [0.45, 0.75, 0.95, 1.0]],
            Self::Sky => &[
                [0.12, 0.30, 0.68, 1.0],
                [0.85, 0.90, 0.95, 1.0],
                [0.32, 0.27, 0.22, 1.0],
                [1.0, 0.95, 0.8, 1.0],
            ],
            Self::Disc | Self::Star => &[[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0]],
            Self::Dots | Self::Rings | Self::Stripes => &[[0.95, 0.92, 0.85, 1.0], [0.15, 0.30, 0.50, 1.0]],
            _ => &[[1.0, 1.0, 1.0, 1.0], [0.15, 0.17, 0.22, 1.0]],
        }
    }

    /// Repetitions if the scene gives none.
    const fn scale(self) -> u32 {
        match self {
            Self::Dots | Self::Noise | Self::Bumps | Self::Star => 5,
            _ => 8,
        }
    }
}

/// Texels of a built-in texture.
pub(super) struct Pattern {
    kind: Kind,
    pub(super) width: u32,
    pub(super) height: u32,
    colors: Vec<[f32; 4]>,
    scale: u32,
    seed: u32,
    /// 2D, but for what is a cube or a volume by itself, and 1D where the scene asks for it.
    pub(super) dim: Dim,
}

/// Largest side of a volume.
const MAX_VOLUME: u32 = 128;
/// Largest side of a pattern.
const MAX_SIDE: u32 = 2048;

impl Pattern {
    /// The pattern of a name, with all defaults.
    pub(super) fn named(node: Node<'_, '_>) -> Result<Self, RenderError> {
        let kind = node.word(KINDS, Kind::name)?;
        let side = match kind {
            Kind::Solid => 1,
            Kind::Ramp => 64,
            Kind::Volume => 32,
            _ => 256,
        };
        let height = if kind == Kind::Ramp { 1 } else { side };
        let dim = match kind {
            Kind::Sky => Dim::Cube,
            Kind::Volume => Dim::D3,
            _ => Dim::D2,
        };
        let colors = kind.colors().to_vec();
        Ok(Self { kind, width: side, height, colors, scale: kind.scale(), seed: 1, dim })
    }

    /// Reads `{"pattern": …}`.
    pub(super) fn read(node: Node<'_, '_>) -> Result<Self, RenderError> {
        node.only(&["pattern", "size", "colors", "scale", "seed", "dim", "mips"])?;
        let mut pattern = Self::named(node.need("pattern")?)?;
        if let Some(n) = node.get("size") {
            let (width, height) = size(n, MAX_SIDE)?;
            (pattern.width, pattern.height) = (width, height);
        }
        if pattern.is_cube() && pattern.width != pattern.height {
            return Err(node.error("the faces of a cube texture are square"));
        }
        if pattern.dim == Dim::D3 && (pattern.width != pattern.height || pattern.width > MAX_VOLUME) {
            return Err(
                node.error(format!("a volume is a cube of at most {MAX_VOLUME} texels along each side"))
            );
        }
        if let Some(n) = node.get("dim") {
            let dim = n.word(&[Dim::D1, Dim::D2], Dim::name)?;
            if pattern.dim != Dim::D2 {
                return Err(n.error("this pattern has a dimension of its own"));
            }
            if dim == Dim::D1 {
                pattern.height = 1;
            }
            pattern.dim = dim;
        }
        if let Some(n) = node.get("colors") {
            let mut colors = Vec::new();
            for item in n.items()? {
                colors.push(color(item)?);
            }
            if colors.is_empty() || colors.len() > 64 {
                return Err(n.error("expected 1 to 64 colours"));
            }
            pattern.colors = colors;
        }
        if let Some(n) = node.get("scale") {
            pattern.scale = n.integer(1, 256)? as u32;
        }
        if let Some(n) = node.get("seed") {
            pattern.seed = n.count(u32::MAX)?;
        }
        Ok(pattern)
    }

    /// Whether the texels are the six faces of a cube.
    pub(super) fn is_cube(&self) -> bool {
        self.kind == Kind::Sky
    }

    /// Faces of a cube, or slices of a volume; else 1.
    pub(super) fn slices(&self) -> u32 {
        match self.dim {
            Dim::Cube => 6,
            Dim::D3 => self.width,
            _ => 1,
        }
    }

    /// The texels, four numbers each, face after face and row after row.
    pub(super) fn texels(&self) -> Vec<[f32; 4]> {
        let faces = self.slices();
        let mut out = Vec::with_capacity((self.width * self.height * faces) as usize);
        for face in 0..faces {
            for y in 0..self.height {
                for x in 0..self.width {
                    let u = (x as f32 + 0.5) / self.width as f32;
                    let v = (y as f32 + 0.5) / self.height as f32;
                    out.push(match self.dim {
                        Dim::Cube => self.sky(direction(face, u, v)),
                        Dim::D3 => self.volume(u, v, (face as f32 + 0.5) / faces as f32),
                        _ => self.texel(u, v),
                    });
                }
            }
        }
        out
    }

    fn color(&self, index: usize) -> [f32; 4] {
        // There is at least one colour.
        self.colors.get(index).or(self.colors.last()).copied().unwrap_or([0.0; 4])
    }

    /// The colours as a band, from the first at 0 to the last at 1.
    fn band(&self, at: f32) -> [f32; 4] {
        let last = self.colors.len().saturating_sub(1);
        let at = clamp(at) * last as f32;
        let low = math::floor(at);
        mix(self.color(low as usize), self.color(low as usize + 1), at - low)
    }

    fn texel(&self, u: f32, v: f32) -> [f32; 4] {
        let scale = self.scale as f32;
        // Place in its cell, and which cell.
        let (cu, cv) = (math::floor(u * scale), math::floor(v * scale));
        let (fu, fv) = (u * scale - cu, v * scale - cv);
        let odd = (cu + cv) as u32 % 2 == 1;
        let from_middle = math::sqrt((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5)) * 2.0;
        match self.kind {
            Kind::Solid => self.color(0),
            Kind::Checker => self.color(usize::from(odd)),
            Kind::Gradient => self.band(v),
            Kind::Ramp => self.color((u * self.colors.len() as f32) as usize),
            Kind::Stripes => self.color(cu as usize % self.colors.len().max(1)),
            Kind::Dots => {
                let d = math::sqrt((fu - 0.5) * (fu - 0.5) + (fv - 0.5) * (fv - 0.5));
                mix(self.color(1), self.color(0), smooth(0.28, 0.34, d))
            }
            Kind::Rings => self.band(0.5 + 0.5 * math::sin(from_middle * scale * core::f32::consts::PI)),
            Kind::Bricks => {
                let rows = cv;
                let shifted = u * scale / 2.0 + if rows as u32 % 2 == 1 { 0.5 } else { 0.0 };
                let brick = math::floor(shifted);
                let (bu, edge) = ((shifted - brick) * 2.0, 0.06);
                let near = |x: f32, end: f32| smooth(edge, edge * 1.8, x.min(end - x));
                let inside = near(bu, 2.0) * near(fv, 1.0);
                let tone = self.lattice(brick as i32, rows as i32, self.scale / 2 + 1, 7) * 0.35 + 0.75;
                let grain = 0.85 + 0.3 * self.fractal(u, v, self.scale * 4);
                let stone = self.color(0);
                let shade = tone * grain;
                let stone = [stone[0] * shade, stone[1] * shade, stone[2] * shade, stone[3]];
                mix(self.color(1), stone, inside)
            }
            Kind::Grid => {
                let line = fu.min(1.0 - fu).min(fv.min(1.0 - fv));
                mix(self.color(1), self.color(0), smooth(0.03, 0.06, line))
            }
            Kind::Noise => self.band(self.fractal(u, v, self.scale)),
            Kind::Bumps => {
                let step = 1.0 / self.width.max(1) as f32;
                let height = |u: f32, v: f32| self.fractal(u, v, self.scale);
                let dx = (height(u + step, v) - height(u - step, v)) * 3.0 / (step * 2.0 * scale);
                let dy = (height(u, v + step) - height(u, v - step)) * 3.0 / (step * 2.0 * scale);
                let length = math::sqrt(dx * dx + dy * dy + 1.0);
                [0.5 - dx / length * 0.5, 0.5 - dy / length * 0.5, 0.5 + 0.5 / length, height(u, v)]
            }
            Kind::Disc => mix(self.color(0), self.color(1), smooth(0.0, 1.0, from_middle)),
            Kind::Star => {
                let angle = angle(u - 0.5, v - 0.5);
                let wave = 0.62 + 0.3 * math::cos(angle * scale);
                mix(self.color(0), self.color(1), smooth(wave - 0.04, wave + 0.04, from_middle))
            }
            Kind::Uv => {
                // u is red and v is green; squares and a line around each tell them apart.
                let shade = if odd { 1.0 } else { 0.72 };
                let line = fu.min(1.0 - fu).min(fv.min(1.0 - fv));
                let inside = [(0.15 + 0.85 * u) * shade, (0.15 + 0.85 * v) * shade, 0.35 * shade, 1.0];
                mix([1.0, 1.0, 1.0, 1.0], inside, smooth(0.02, 0.05, line))
            }
            Kind::Sky | Kind::Volume => self.color(0),
        }
    }

    /// A cube of colours with clouds in it, which are alpha too.
    fn volume(&self, u: f32, v: f32, w: f32) -> [f32; 4] {
        // Clouds along two planes that cross: they repeat after 1 in all directions.
        let cloud = 0.5 * (self.fractal(u + w, v, self.scale) + self.fractal(v + w, u, self.scale));
        let shade = 0.5 + cloud;
        [u * shade, v * shade, w * shade, clamp(cloud)]
    }

    /// The sky in a direction: colours are zenith, horizon, ground and sun.
    fn sky(&self, d: [f32; 3]) -> [f32; 4] {
        let height = d[1];
        let above = clamp(height);
        let sky = mix(self.color(1), self.color(0), math::sqrt(above));
        let ground = mix(self.color(1), self.color(2), smooth(0.0, 0.25, -height));
        let mut out = mix(ground, sky, smooth(-0.01, 0.01, height));
        if height > 0.0 {
            let (u, v) = (d[0] / (height + 0.25) * 0.12, d[2] / (height + 0.25) * 0.12);
            let cloud =
                smooth(0.5, 0.75, self.fractal(u + 0.5, v + 0.5, self.scale)) * smooth(0.0, 0.25, height);
            out = mix(out, [1.0, 1.0, 1.0, 1.0], cloud * 0.85);
        }
        let sun = super::matrix::normalized([0.5, 0.6, 0.6]);
        let near = super::matrix::dot(d, sun);
        let glow = smooth(0.90, 1.0, near) * 0.5 + smooth(0.985, 0.99, near);
        mix(out, self.color(3), clamp(glow))
    }

    /// A number in 0..1 for a lattice point that repeats after `period` points.
    fn lattice(&self, x: i32, y: i32, period: u32, layer: u32) -> f32 {
        let period = period.max(1) as i32;
        let (x, y) = (x.rem_euclid(period) as u32, y.rem_euclid(period) as u32);
        let seed = hash(self.seed ^ layer.wrapping_mul(0x9e37_79b9));
        (hash(hash(x ^ seed).wrapping_add(y)) >> 8) as f32 / (1u32 << 24) as f32
    }

    /// Five octaves of value noise that repeat after 1 in both directions; mostly in 0..1.
    fn fractal(&self, u: f32, v: f32, scale: u32) -> f32 {
        let (mut sum, mut weight, mut period) = (0.0, 0.5, scale);
        for layer in 0..5 {
            let (x, y) = (u * period as f32, v * period as f32);
            let (cx, cy) = (math::floor(x), math::floor(y));
            let (fx, fy) = (x - cx, y - cy);
            let (sx, sy) = (fx * fx * (3.0 - 2.0 * fx), fy * fy * (3.0 - 2.0 * fy));
            let at = |dx: i32, dy: i32| self.lattice(cx as i32 + dx, cy as i32 + dy, period, layer);
            let top = at(0, 0) + (at(1, 0) - at(0, 0)) * sx;
            let bottom = at(0, 1) + (at(1, 1) - at(0, 1)) * sx;
            sum += (top + (bottom - top) * sy) * weight;
            weight *= 0.5;
            period = period.saturating_mul(2);
        }
        // The weights sum to 31/32.
        sum * (32.0 / 31.0)
    }
}

/// The direction of a place on a face of a cube: faces +X, −X, +Y, −Y, +Z, −Z as Direct3D lays them out.
fn direction(face: u32, u: f32, v: f32) -> [f32; 3] {
    let (s, t) = (u * 2.0 - 1.0, v * 2.0 - 1.0);
    super::matrix::normalized(match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    })
}

/// A size: one number for both sides, or two.
pub(super) fn size(node: Node<'_, '_>, most: u32) -> Result<(u32, u32), RenderError> {
    let side = |n: Node<'_, '_>| Ok(n.integer(1, i64::from(most))? as u32);
    if node.is_number() {
        let side = side(node)?;
        return Ok((side, side));
    }
    let mut items = node.items()?;
    match (items.next(), items.next(), items.next()) {
        (Some(width), Some(height), None) => Ok((side(width)?, side(height)?)),
        _ => Err(node.error("expected one or two numbers: width and height")),
    }
}

fn clamp(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let mut out = a;
    for (out, b) in out.iter_mut().zip(b) {
        *out += (b - *out) * t;
    }
    out
}

/// 0 up to `low`, 1 from `high` on, smooth between.
fn smooth(low: f32, high: f32, x: f32) -> f32 {
    let t = clamp((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

/// The angle of a direction in radians, −π..π. A polynomial of a few terms: good to 1/1000, enough for a star.
fn angle(x: f32, y: f32) -> f32 {
    let (ax, ay) = (if x < 0.0 { -x } else { x }, if y < 0.0 { -y } else { y });
    let (low, high) = if ax < ay { (ax, ay) } else { (ay, ax) };
    let t = if high > 0.0 { low / high } else { 0.0 };
    let s = t * t;
    let mut a = ((-0.046_496 * s + 0.159_314) * s - 0.327_622) * s * t + t;
    if ay > ax {
        a = core::f32::consts::FRAC_PI_2 - a;
    }
    if x < 0.0 {
        a = core::f32::consts::PI - a;
    }
    if y < 0.0 { -a } else { a }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    fn read(text: &str) -> Result<Pattern, RenderError> {
        let json = json::read(text.as_bytes()).unwrap();
        Pattern::read(Node::root(&json))
    }

    #[test]
    fn colours_are_read() {
        for (text, wanted) in [
            ("\"#f00\"", [255.0, 0.0, 0.0, 255.0]),
            ("\"102030\"", [16.0, 32.0, 48.0, 255.0]),
            ("\"#10203040\"", [16.0, 32.0, 48.0, 64.0]),
        ] {
            let json = json::read(text.as_bytes()).unwrap();
            assert_eq!(color(Node::root(&json)).unwrap(), wanted.map(|c: f32| c / 255.0));
        }
        let json = json::read(b"\"#12\"").unwrap();
        assert!(color(Node::root(&json)).is_err());
    }

    #[test]
    fn a_checker_alternates() {
        let p =
            read(r##"{"pattern": "checker", "size": 4, "scale": 2, "colors": ["#fff", "#000"]}"##).unwrap();
        let row: Vec<f32> = p.texels().iter().take(4).map(|t| t[0]).collect();
        assert_eq!(row, [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(p.texels()[8][0], 0.0);
    }

    #[test]
    fn noise_repeats() {
        let p = read(r#"{"pattern": "noise"}"#).unwrap();
        // 3/8 and 5/8 are exact, so that the same lattice points are met one period on.
        assert_eq!(p.fractal(0.375, 0.625, 4), p.fractal(1.375, -0.375, 4));
    }

    #[test]
    fn every_pattern_gives_colours() {
        for kind in KINDS {
            let p = read(&format!("{{\"pattern\": \"{}\", \"size\": 16}}", kind.name())).unwrap();
            let texels = p.texels();
            // Six faces of a cube, sixteen slices of a volume.
            let slices = match kind {
                Kind::Volume => 16,
                _ if p.is_cube() => 6,
                _ => 1,
            };
            assert_eq!(texels.len(), slices * 256, "{}", kind.name());
            assert!(texels.iter().flatten().all(|c| c.is_finite()));
        }
    }

    #[test]
    fn angles_are_close_enough() {
        use core::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        for (x, y, wanted) in
            [(1.0, 0.0, 0.0), (1.0, 1.0, FRAC_PI_4), (0.0, 1.0, FRAC_PI_2), (-1.0, -1.0, FRAC_PI_4 - PI)]
        {
            assert!((angle(x, y) - wanted).abs() < 2e-3);
        }
    }
}
