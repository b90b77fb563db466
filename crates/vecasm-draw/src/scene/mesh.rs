//! The built-in shapes. Triangles run clockwise seen from outside, so that they are front faces.

use super::MAX_ATTRIBUTES;
use super::json::Node;
use super::matrix::{cross, normalized, sub};
use crate::RenderError;
use crate::draw::VertexBuffer;
use crate::state::VertexFormat;
use alloc::format;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use vecasm_ir::math;

/// Most steps along one side of a shape.
const MAX_STEPS: u32 = 512;
/// Most particles of a mesh.
const MAX_PARTICLES: u32 = 20_000;

/// A corner of a shape.
#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
    tangent: [f32; 3],
    /// A colour that tells faces, or places, apart; for particles four random numbers.
    color: [f32; 4],
}

/// Vertices and triangles.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    pub(super) buffer: VertexBuffer,
    /// Location, offset and format of each attribute.
    pub(super) attributes: Vec<(u32, usize, VertexFormat)>,
    pub(super) indices: Vec<u32>,
}

#[derive(Default)]
struct Shape {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
}

impl Shape {
    /// Adds a patch of `columns` × `rows` cells; `f` gives the vertex at (u, v) in 0..=1, where u runs to the right
    /// and v down when the patch is seen from outside.
    fn patch(&mut self, columns: u32, rows: u32, f: impl Fn(f32, f32) -> Vertex) {
        let base = self.vertices.len() as u32;
        for row in 0..=rows {
            for column in 0..=columns {
                self.vertices.push(f(column as f32 / columns as f32, row as f32 / rows as f32));
            }
        }
        let at = |column: u32, row: u32| base + row * (columns + 1) + column;
        for row in 0..rows {
            for column in 0..columns {
                let (a, b) = (at(column, row), at(column + 1, row));
                let (c, d) = (at(column, row + 1), at(column + 1, row + 1));
                self.indices.extend([a, b, c, c, b, d]);
            }
        }
    }
}

/// An attribute of a built-in shape.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Position,
    Normal,
    Uv,
    Tangent,
    Binormal,
    Color,
    /// The same in every vertex.
    Constant([f32; 4]),
}

/// What a mesh has if nobody says what is wanted.
const USUAL: &[Part] = &[Part::Position, Part::Normal, Part::Uv, Part::Tangent, Part::Color];
const PARTS: &[Part] = &[Part::Position, Part::Normal, Part::Uv, Part::Tangent, Part::Binormal, Part::Color];

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::Uv => "uv",
            Self::Tangent => "tangent",
            Self::Binormal => "binormal",
            Self::Color => "color",
            Self::Constant(_) => "",
        }
    }

    fn format(self) -> VertexFormat {
        match self {
            Self::Uv => VertexFormat::Float2,
            Self::Color | Self::Constant(_) => VertexFormat::Float4,
            _ => VertexFormat::Float3,
        }
    }
}

/// Reads a `mesh`. `attributes` are those wanted of a built-in shape; own vertices have a layout instead.
pub(super) fn read(node: Node<'_, '_>, attributes: Option<Node<'_, '_>>) -> Result<Mesh, RenderError> {
    if node.get("vertices").is_some() {
        return own(node);
    }
    let shape = shape(node)?;
    let parts = parts(attributes)?;
    let mut attributes = Vec::new();
    let mut stride = 0;
    for (location, part) in &parts {
        attributes.push((*location, stride, part.format()));
        stride += part.format().words();
    }
    let mut words = Vec::with_capacity(shape.vertices.len() * stride);
    for vertex in &shape.vertices {
        let binormal = cross(vertex.normal, vertex.tangent);
        for (_, part) in &parts {
            let values: &[f32] = match part {
                Part::Position => &vertex.position,
                Part::Normal => &vertex.normal,
                Part::Uv => &vertex.uv,
                Part::Tangent => &vertex.tangent,
                Part::Binormal => &binormal,
                Part::Color => &vertex.color,
                Part::Constant(values) => values,
            };
            words.extend(values.iter().map(|v| v.to_bits()));
        }
    }
    Ok(Mesh { buffer: VertexBuffer { stride, words }, attributes, indices: shape.indices })
}

/// Which parts of a built-in shape become which attributes: a list of them, or an object by register.
fn parts(attributes: Option<Node<'_, '_>>) -> Result<Vec<(u32, Part)>, RenderError> {
    let Some(node) = attributes else { return Ok((0..).zip(USUAL.iter().copied()).collect()) };
    let mut parts = Vec::new();
    if !node.is_object() {
        for item in node.items()? {
            parts.push((parts.len() as u32, item.word(PARTS, Part::name)?));
        }
        return Ok(parts);
    }
    for (key, value) in node.entries()? {
        let location = attribute(key, &value)?;
        if parts.iter().any(|(taken, _)| *taken == location) {
            return Err(value.error(format!("attribute {location} is given twice")));
        }
        let part = if value.is_list() {
            let mut lanes = [0.0, 0.0, 0.0, 1.0];
            if value.items()?.len() > 4 {
                return Err(value.error("an attribute has at most four numbers"));
            }
            for (lane, number) in lanes.iter_mut().zip(value.items()?) {
                *lane = number.number()?;
            }
            Part::Constant(lanes)
        } else {
            value.word(PARTS, Part::name)?
        };
        parts.push((location, part));
    }
    if parts.is_empty() {
        return Err(node.error("no attribute is given"));
    }
    Ok(parts)
}

/// The location of an attribute register: `v3`, `va3`.
fn attribute(key: &str, node: &Node<'_, '_>) -> Result<u32, RenderError> {
    let digits = key.strip_prefix("va").or_else(|| key.strip_prefix('v')).unwrap_or("");
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    match digits.parse() {
        Ok(location) if location < MAX_ATTRIBUTES && canonical => Ok(location),
        _ => {
            Err(node.error(format!("\"{key}\" is not an attribute; expected v0 to v{}", MAX_ATTRIBUTES - 1)))
        }
    }
}

/// A mesh with own vertices.
fn own(node: Node<'_, '_>) -> Result<Mesh, RenderError> {
    node.only(&["vertices", "layout", "indices"])?;
    let layout = layout(node.need("layout")?)?;
    let stride = layout.iter().map(|f| f.words()).sum();
    let mut words = Vec::new();
    let vertices = node.need("vertices")?;
    for row in vertices.items()? {
        row_words(row, &layout, &mut words)?;
    }
    let buffer = VertexBuffer { stride, words };
    let mut indices = Vec::new();
    match node.get("indices") {
        Some(list) => {
            for item in list.items()? {
                indices.push(item.count(u32::MAX)?);
            }
        }
        None => indices.extend(0..buffer.len() as u32),
    }
    let mut offset = 0;
    let mut attributes = Vec::new();
    for format in layout {
        attributes.push((attributes.len() as u32, offset, format));
        offset += format.words();
    }
    Ok(Mesh { buffer, attributes, indices })
}

/// Reads a list of vertex formats.
pub(super) fn layout(node: Node<'_, '_>) -> Result<Vec<VertexFormat>, RenderError> {
    let mut formats = Vec::new();
    for item in node.items()? {
        formats.push(item.word(VertexFormat::ALL, VertexFormat::name)?);
    }
    if formats.is_empty() || formats.len() > 16 {
        return Err(node.error("expected 1 to 16 vertex formats"));
    }
    Ok(formats)
}

/// Reads the values of one vertex: a number for each lane, 0–255 for bytes.
pub(super) fn row_words(
    row: Node<'_, '_>,
    layout: &[VertexFormat],
    words: &mut Vec<u32>,
) -> Result<(), RenderError> {
    let wanted: usize = layout.iter().map(|f| if *f == VertexFormat::Bytes4 { 4 } else { f.words() }).sum();
    let mut values = row.items()?;
    if values.len() != wanted {
        return Err(row.error(format!("expected {wanted} values, found {}", values.len())));
    }
    for format in layout {
        if *format == VertexFormat::Bytes4 {
            let mut bytes = [0u8; 4];
            for (byte, value) in bytes.iter_mut().zip(&mut values) {
                *byte = value.count(255)? as u8;
            }
            words.push(u32::from_le_bytes(bytes));
        } else {
            for value in values.by_ref().take(format.words()) {
                words.push(value.number()?.to_bits());
            }
        }
    }
    Ok(())
}

fn shape(node: Node<'_, '_>) -> Result<Shape, RenderError> {
    if !node.is_object() {
        return named(node.text()?, node, None);
    }
    let mut entries = node.entries()?;
    match (entries.next(), entries.next()) {
        (Some((name, options)), None) => named(name, node, Some(options)),
        _ => Err(node.error("expected one shape, for example {\"torus\": {\"tube\": 0.3}}")),
    }
}

/// The options of a shape.
struct Options<'j, 'p>(Option<Node<'j, 'p>>);

impl Options<'_, '_> {
    fn only(&self, known: &[&str]) -> Result<(), RenderError> {
        self.0.map_or(Ok(()), |n| n.only(known))
    }

    fn number(&self, key: &str, default: f32) -> Result<f32, RenderError> {
        self.0.as_ref().and_then(|n| n.get(key)).map_or(Ok(default), |n| n.number())
    }

    fn count(&self, key: &str, default: u32, most: u32) -> Result<u32, RenderError> {
        let Some(node) = self.0.as_ref().and_then(|n| n.get(key)) else { return Ok(default) };
        Ok(node.integer(1, i64::from(most))? as u32)
    }

    /// Two numbers of steps.
    fn steps(&self, default: [u32; 2]) -> Result<[u32; 2], RenderError> {
        let Some(node) = self.0.as_ref().and_then(|n| n.get("segments")) else { return Ok(default) };
        if node.is_number() {
            return Ok([node.integer(1, i64::from(MAX_STEPS))? as u32; 2]);
        }
        let mut out = default;
        let items = node.items()?;
        if items.len() != 2 {
            return Err(node.error("expected one or two numbers of segments"));
        }
        for (out, item) in out.iter_mut().zip(items) {
            *out = item.integer(1, i64::from(MAX_STEPS))? as u32;
        }
        Ok(out)
    }
}

fn named(name: &str, node: Node<'_, '_>, options: Option<Node<'_, '_>>) -> Result<Shape, RenderError> {
    let options = Options(options);
    let mut shape = Shape::default();
    match name {
        "fullscreen" | "quad" => {
            options.only(&["segments"])?;
            let [columns, rows] = options.steps([1, 1])?;
            shape.patch(columns, rows, |u, v| flat([2.0 * u - 1.0, 1.0 - 2.0 * v, 0.0], [u, v]));
        }
        "triangle" => {
            options.only(&[])?;
            // Its corners lie on a circle, the first one above.
            for corner in [0.0f32, -1.0, -2.0] {
                let [c, s] = turn(0.25 + corner / 3.0);
                let uv = [0.5 + c / 2.0, 0.5 - s / 2.0];
                let mut color = [0.0, 0.0, 0.0, 1.0];
                color[(-corner) as usize] = 1.0;
                shape.vertices.push(Vertex { color, ..flat([c, s, 0.0], uv) });
            }
            shape.indices.extend([0, 1, 2]);
        }
        "grid" => {
            options.only(&["segments", "size"])?;
            let size = options.number("size", 2.0)?;
            let [columns, rows] = options.steps([16, 16])?;
            shape.patch(columns, rows, |u, v| Vertex {
                position: [(u - 0.5) * size, 0.0, (v - 0.5) * size],
                normal: [0.0, 1.0, 0.0],
                uv: [u, v],
                tangent: [1.0, 0.0, 0.0],
                color: [u, v, 1.0 - u, 1.0],
            });
        }
        "cube" => {
            options.only(&["size"])?;
            cube(&mut shape, options.number("size", 1.0)? / 2.0);
        }
        "sphere" => {
            options.only(&["segments", "radius"])?;
            let radius = options.number("radius", 1.0)?;
            let [columns, rows] = options.steps([48, 24])?;
            shape.patch(columns, rows, |u, v| sphere(radius, u, v));
        }
        "torus" => {
            options.only(&["segments", "radius", "tube"])?;
            let (radius, tube) = (options.number("radius", 0.7)?, options.number("tube", 0.3)?);
            let [columns, rows] = options.steps([64, 32])?;
            let ring = |u: f32| [radius * turn(u)[0], 0.0, -radius * turn(u)[1]];
            shape.patch(columns, rows, |u, v| tube_vertex(&ring, tube, u, v));
        }
        "knot" => {
            options.only(&["segments", "radius", "tube", "p", "q"])?;
            let (radius, tube) = (options.number("radius", 0.6)?, options.number("tube", 0.18)?);
            let (p, q) = (options.count("p", 2, 32)? as f32, options.count("q", 3, 32)? as f32);
            let [columns, rows] = options.steps([192, 24])?;
            let path = |u: f32| {
                let (around, wave) = (turn(p * u), turn(q * u));
                let r = radius * (1.0 + 0.5 * wave[0]);
                [r * around[0], radius * 0.5 * wave[1], -r * around[1]]
            };
            shape.patch(columns, rows, |u, v| tube_vertex(&path, tube, u, v));
        }
        "cylinder" => {
            options.only(&["segments", "radius", "height", "taper"])?;
            let (radius, height) = (options.number("radius", 0.5)?, options.number("height", 2.0)?);
            let taper = options.number("taper", 1.0)?;
            let [columns, rows] = options.steps([48, 16])?;
            shape.patch(columns, rows, |u, v| {
                let [c, s] = turn(u);
                let r = radius * (taper + (1.0 - taper) * v);
                let slope = radius * (1.0 - taper) / height;
                Vertex {
                    position: [r * c, (0.5 - v) * height, -r * s],
                    normal: normalized([c, slope, -s]),
                    uv: [u, v],
                    tangent: [-s, 0.0, -c],
                    color: [v, 1.0 - v, u, 1.0],
                }
            });
        }
        "particles" => {
            options.only(&["count", "seed"])?;
            let count = options.count("count", 100, MAX_PARTICLES)?;
            let seed = options.count("seed", 1, u32::MAX)?;
            particles(&mut shape, count, seed);
        }
        _ => {
            return Err(node.error(format!(
                "no shape \"{name}\"; known: quad, fullscreen, triangle, grid, cube, sphere, torus, knot, cylinder, particles, or {{\"vertices\": …}}"
            )));
        }
    }
    Ok(shape)
}

/// Cosine and sine of a part of a full turn.
fn turn(part: f32) -> [f32; 2] {
    let angle = (part - math::floor(part)) * TAU;
    [math::cos(angle), math::sin(angle)]
}

fn flat(position: [f32; 3], uv: [f32; 2]) -> Vertex {
    Vertex {
        position,
        normal: [0.0, 0.0, 1.0],
        uv,
        tangent: [1.0, 0.0, 0.0],
        color: [uv[0], uv[1], 1.0 - uv[0], 1.0],
    }
}

fn sphere(radius: f32, u: f32, v: f32) -> Vertex {
    let [c, s] = turn(u);
    let [height, ring] = turn(v / 2.0);
    // The poles are exact, so that all their vertices coincide.
    let ring = if v <= 0.0 || v >= 1.0 { 0.0 } else { ring };
    let normal = [ring * c, height, -ring * s];
    Vertex {
        position: normal.map(|x| x * radius),
        normal,
        uv: [u, v],
        tangent: [-s, 0.0, -c],
        color: [normal[0] * 0.5 + 0.5, normal[1] * 0.5 + 0.5, normal[2] * 0.5 + 0.5, 1.0],
    }
}

/// A vertex of a tube around a closed path; v turns around the tube.
fn tube_vertex(path: &impl Fn(f32) -> [f32; 3], tube: f32, u: f32, v: f32) -> Vertex {
    // The end is the beginning.
    let at = if u >= 1.0 { 0.0 } else { u };
    const STEP: f32 = 1.0 / 1024.0;
    let center = path(at);
    let along = normalized(sub(path(at + STEP), path(at - STEP)));
    let side = normalized(cross([0.0, 1.0, 0.0], along));
    let up = cross(along, side);
    let [c, s] = turn(if v >= 1.0 { 0.0 } else { v });
    let mut normal = [0.0; 3];
    let mut position = [0.0; 3];
    for i in 0..3 {
        normal[i] = c * up[i] - s * side[i];
        position[i] = center[i] + tube * normal[i];
    }
    let color = [normal[0] * 0.5 + 0.5, normal[1] * 0.5 + 0.5, normal[2] * 0.5 + 0.5, 1.0];
    Vertex { position, normal, uv: [u, v], tangent: along, color }
}

fn cube(shape: &mut Shape, half: f32) {
    // Normal, direction of u, colour of each face.
    let faces: [([f32; 3], [f32; 3], [f32; 3]); 6] = [
        ([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.90, 0.30, 0.25]),
        ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.25, 0.75, 0.80]),
        ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.45, 0.80, 0.35]),
        ([0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.75, 0.40, 0.80]),
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.30, 0.45, 0.90]),
        ([0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.95, 0.75, 0.30]),
    ];
    for (normal, right, color) in faces {
        let up = cross(normal, right);
        shape.patch(1, 1, |u, v| {
            let mut position = [0.0; 3];
            for (i, p) in position.iter_mut().enumerate() {
                *p = half * (normal[i] + (2.0 * u - 1.0) * right[i] + (1.0 - 2.0 * v) * up[i]);
            }
            Vertex {
                position,
                normal,
                uv: [u, v],
                tangent: right,
                color: [color[0], color[1], color[2], 1.0],
            }
        });
    }
}

/// Small squares: `position` is the same at all four corners, `uv` tells the corner, `color` holds four random
/// numbers in 0..1 that the corners share.
fn particles(shape: &mut Shape, count: u32, seed: u32) {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9);
        (super::pattern::hash(state) >> 8) as f32 / (1u32 << 24) as f32
    };
    for _ in 0..count {
        let position = [random() * 2.0 - 1.0, random() * 2.0 - 1.0, random() * 2.0 - 1.0];
        let color = [random(), random(), random(), random()];
        shape.patch(1, 1, |u, v| Vertex {
            position,
            normal: [0.0, 0.0, 1.0],
            uv: [u, v],
            tangent: [1.0, 0.0, 0.0],
            color,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::read;
    use super::super::matrix::dot;
    use super::*;

    /// Every triangle of a closed shape runs clockwise seen from outside: its normal by the right-hand rule points
    /// the other way than the vertex normals.
    #[test]
    fn shapes_are_clockwise_from_outside() {
        for name in ["quad", "triangle", "grid", "cube", "sphere", "torus", "knot", "cylinder"] {
            let text = alloc::format!("\"{name}\"");
            let json = read(text.as_bytes()).unwrap();
            let shape = shape(Node::root(&json)).unwrap();
            assert!(!shape.indices.is_empty());
            for triangle in shape.indices.chunks(3) {
                let v = [0, 1, 2].map(|i| shape.vertices[triangle[i] as usize]);
                let face = cross(sub(v[1].position, v[0].position), sub(v[2].position, v[0].position));
                let normal = [0, 1, 2].map(|i| v[0].normal[i] + v[1].normal[i] + v[2].normal[i]);
                // The triangles at the poles of a sphere have no area.
                assert!(dot(face, normal) <= 1e-9, "{name}");
            }
        }
    }

    #[test]
    fn normals_have_length_one_and_stand_on_tangents() {
        for name in ["cube", "sphere", "torus", "knot", "cylinder"] {
            let text = alloc::format!("\"{name}\"");
            let json = read(text.as_bytes()).unwrap();
            for v in shape(Node::root(&json)).unwrap().vertices {
                assert!((dot(v.normal, v.normal) - 1.0).abs() < 1e-4, "{name}");
                assert!(dot(v.normal, v.tangent).abs() < 1e-4, "{name}");
            }
        }
    }

    #[test]
    fn absurd_segments_are_refused() {
        let json = read(br#"{"sphere": {"segments": 100000}}"#).unwrap();
        assert!(shape(Node::root(&json)).is_err());
    }
}
