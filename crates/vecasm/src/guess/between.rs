//! Programs of tessellation and geometry: what they are drawn with. A stage of our own gives the vertices, and behind a
//! control program another one places the points.

use super::trial::{self, Trials};
use super::{Options, Part, inputs, matrices, set, set_key};
use crate::exec::json;
use crate::exec::json::{Json, Object};
use crate::ir::{InputKind, Op, Primitive, Shader, Stage};
use crate::math::double::{cos, sin};
use crate::math::wide::{floor, sqrt};
use crate::render::partner::Feed;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Most runs of registers that are tried as a matrix.
const MOST: usize = 4;
/// What other constants are meanwhile.
const SOME: f64 = 0.3;

/// Its key in scenes.
const fn key(stage: Stage) -> &'static str {
    match stage {
        Stage::TessControl => "tess_control",
        Stage::TessEval => "tess_eval",
        _ => "geometry",
    }
}

/// The program, what its vertices make, and levels for patches.
pub(super) fn insert(part: &Part, wish: &Options, scene: &mut Object, notes: &mut Vec<String>) {
    let setup = &part.shader.setup;
    scene.insert(key(part.shader.stage), json!(&part.name));
    let primitive = match part.shader.stage {
        Stage::Geometry => setup.primitive_in,
        _ => Primitive::Patches,
    };
    scene.insert("primitive", json!(primitive.name()));
    let mut each = 3;
    if primitive == Primitive::Patches {
        each = patch_vertices(&part.shader);
        scene.insert("patch_vertices", json!(each));
        notes.push(format!("patches have {each} {}", if each == 1 { "vertex" } else { "vertices" }));
    }
    if part.shader.stage == Stage::TessEval {
        // Isolines: how many, and in how many parts each.
        let outer = if setup.primitive_in == Primitive::Lines { json!([6, 24]) } else { json!(6) };
        notes.push(format!("tessellation levels are {outer} outside and 6 inside"));
        scene.insert("levels", json!({ "outer": outer, "inner": 6 }));
    }
    if wish.mesh.is_none() {
        let (mesh, what) = mesh(primitive, each, setup.primitive_in == Primitive::Lines);
        notes.push(format!("the mesh is {what}"));
        scene.insert("mesh", mesh);
    }
    if primitive == Primitive::Points {
        scene.insert("point_size", json!(4));
    }
}

/// How many vertices a patch has: what the program says, or as many as it names, or what such patches have.
fn patch_vertices(shader: &Shader) -> u32 {
    if shader.setup.vertices_in != 0 {
        return shader.setup.vertices_in;
    }
    let mut numbers = vec![None; shader.values.len()];
    let mut most = 0;
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::Const([bits, ..]) => {
            if let Some(slot) = inst.result.and_then(|value| numbers.get_mut(value.index())) {
                *slot = Some(bits);
            }
        }
        Op::InputOf { .. } => {
            let vertex = shader.args(inst.args).first();
            let vertex = vertex.and_then(|arg| numbers.get(arg.value.index()).copied().flatten());
            most = most.max(vertex.filter(|n| *n < 32).map_or(0, |n| n + 1));
        }
        _ => {}
    });
    let usual = match (shader.stage, shader.setup.primitive_in) {
        (Stage::TessControl, _) => shader.setup.invocations,
        (_, Primitive::Quads) => 4,
        (_, Primitive::Lines) => 2,
        _ => 3,
    };
    most.max(usual).clamp(1, 32)
}

/// A mesh whose vertices make such primitives, and what it is in words.
fn mesh(primitive: Primitive, each: u32, lines: bool) -> (Json, &'static str) {
    match primitive {
        Primitive::Points => (json!({ "sphere": { "segments": [24, 12] } }), "the vertices of a sphere"),
        Primitive::Lines | Primitive::LineStrip | Primitive::LinesAdjacency => {
            let with_neighbours = primitive == Primitive::LinesAdjacency;
            (rings(with_neighbours), "circles around a sphere")
        }
        Primitive::TrianglesAdjacency => (icosahedron(), "an icosahedron"),
        Primitive::Patches if each == 3 && !lines => {
            (json!({ "sphere": { "segments": [10, 6] } }), "a sphere")
        }
        Primitive::Patches => (patches(each, lines), "a few patches"),
        _ => (json!({ "torus": { "segments": [40, 20] } }), "a torus"),
    }
}

/// A vertex as the stage of our own reads it: position, normal, uv, tangent, colour.
fn vertex(at: [f64; 3], normal: [f64; 3], uv: [f64; 2]) -> Json {
    let round = |x: f64| (floor(x.abs() * 1e4 + 0.5) / 1e4).copysign(x);
    let mut out: Vec<f64> = at.iter().chain(&normal).chain(&uv).map(|x| round(*x)).collect();
    out.extend([1.0, 0.0, 0.0]);
    out.extend([uv[0], 1.0 - uv[1], 0.5 + 0.5 * normal[2].abs()].map(round));
    out.push(1.0);
    json!(out)
}

fn own(vertices: &[Json], indices: &[u32]) -> Json {
    let layout = ["float3", "float3", "float2", "float3", "float4"];
    json!({ "layout": layout, "vertices": vertices.to_vec(), "indices": indices.to_vec() })
}

/// Circles of lines, each with its neighbours or not.
fn rings(with_neighbours: bool) -> Json {
    const ROUND: u32 = 24;
    const CIRCLES: u32 = 7;
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for circle in 0..CIRCLES {
        let up = f64::from(circle + 1) / f64::from(CIRCLES + 1);
        let (radius, y) = (sin(up * core::f64::consts::PI), cos(up * core::f64::consts::PI));
        for n in 0..ROUND {
            let turn = f64::from(n) / f64::from(ROUND);
            let angle = turn * core::f64::consts::TAU;
            let (sin, cos) = (sin(angle), cos(angle));
            let at = [radius * cos, y, radius * sin];
            vertices.push(vertex(at, at, [turn, up]));
            let of = |n: u32| circle * ROUND + n % ROUND;
            if with_neighbours {
                indices.extend([of(n + ROUND - 1), of(n), of(n + 1), of(n + 2)]);
            } else {
                indices.extend([of(n), of(n + 1)]);
            }
        }
    }
    own(&vertices, &indices)
}

/// Triangles with the vertices that lie across their sides.
fn icosahedron() -> Json {
    let golden = (1.0 + sqrt(5.0)) / 2.0;
    let length = sqrt(1.0 + golden * golden);
    let mut places = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        for turn in 0..3 {
            let mut at = [0.0; 3];
            at[(turn + 1) % 3] = a / length;
            at[(turn + 2) % 3] = b / length;
            places.push(at);
        }
    }
    let apart = |a: usize, b: usize, i: usize| places[a][i] - places[b][i];
    let distance = |a: usize, b: usize| (0..3).map(|i| apart(a, b, i) * apart(a, b, i)).sum::<f64>();
    // Neighbours are as far apart as the nearest two are.
    let side = 4.0 / (length * length) + 1e-9;
    let near = |a: usize, b: usize| a != b && distance(a, b) < side;
    let mut faces: Vec<[usize; 3]> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let [p, q, r] = [places[a], places[b], places[c]];
                    let volume = p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0])
                        + p[2] * (q[0] * r[1] - q[1] * r[0]);
                    // Clockwise seen from outside.
                    faces.push(if volume > 0.0 { [a, c, b] } else { [a, b, c] });
                }
            }
        }
    }
    let across = |face: &[usize; 3], a: usize, b: usize| {
        let other = faces.iter().filter(|of| of.contains(&a) && of.contains(&b) && *of != face);
        other.flatten().copied().find(|v| *v != a && *v != b).unwrap_or(a)
    };
    let mut indices = Vec::new();
    for face in &faces {
        let [a, b, c] = *face;
        let six = [a, across(face, a, b), b, across(face, b, c), c, across(face, c, a)];
        indices.extend(six.map(|v| v as u32));
    }
    let vertices: Vec<Json> =
        places.iter().map(|at| vertex(*at, *at, [0.5 + at[0] / 2.0, 0.5 - at[1] / 2.0])).collect();
    own(&vertices, &indices)
}

/// Patches of so many vertices: curves one above the other; or a grid, if the number is a square; or a triangle first, and the
/// others around.
fn patches(each: u32, lines: bool) -> Json {
    let hill = |x: f64, y: f64| 0.35 * (1.0 - x * x - y * y);
    let side = (2..=5u32).find(|side| side * side == each);
    let mut vertices = Vec::new();
    let mut put = |x: f64, y: f64| {
        let uv = [0.5 + x / 2.0, 0.5 - y / 2.0];
        let tilt = sqrt(1.0 + 0.49 * (x * x + y * y));
        vertices.push(vertex([x, y, hill(x, y)], [0.7 * x / tilt, 0.7 * y / tilt, 1.0 / tilt], uv));
    };
    match side {
        _ if lines => {
            for curve in 0..5 {
                let y = f64::from(curve) * 0.4 - 0.8;
                for n in 0..each {
                    let along = f64::from(n) / f64::from(each.max(2) - 1);
                    put(along * 2.0 - 1.0, y + if n % 2 == 0 { 0.0 } else { 0.3 });
                }
            }
        }
        Some(side) => {
            for n in 0..each {
                let at = |n: u32| f64::from(n) / f64::from(side - 1) * 2.0 - 1.0;
                put(at(n % side), -at(n / side));
            }
        }
        None => {
            for n in 0..each {
                // A third of the way on for each of the first three.
                let third =
                    f64::from(n % 3) + if n < 3 { 0.0 } else { f64::from(n / 3) * 3.0 / f64::from(each) };
                let angle = third / 3.0 * core::f64::consts::TAU;
                let (sin, cos) = (sin(angle), cos(angle));
                put(sin, cos);
            }
        }
    }
    let indices: Vec<u32> = (0..vertices.len() as u32).collect();
    own(&vertices, &indices)
}

/// Says what the inputs are given and which constants are matrices, so that something is seen: places in the world for programs
/// that have a matrix for their position, in clip space for others.
pub(super) fn place(
    part: &Part,
    known: &mut Object,
    scene: &mut Json,
    trials: &mut Trials<'_>,
    notes: &mut Vec<String>,
) {
    let varying = |at: &usize| {
        part.shader.inputs.get(*at).is_some_and(|input| matches!(input.kind, InputKind::Varying { .. }))
    };
    let is_position = |at: &usize| {
        part.shader.inputs.get(*at).is_some_and(|input| input.semantic.eq_ignore_ascii_case("position"))
    };
    let all = || (0..part.shader.inputs.len()).filter(varying);
    let made_of = part.uses.places.iter().map(|at| *at as usize).find(varying);
    let place = all().find(is_position).or(made_of).or_else(|| all().next());
    let letters = super::letters(part.shader.stage);
    let mut matrices_ = Object::new();
    for matrix in part.uses.matrices.iter().filter(|m| m.position && m.lanes == 4) {
        let key = format!("{letters}c{}", matrix.first);
        if !known.contains_key(&key) {
            // The first one goes on to clip space, others leave what they get.
            let first = matrices_.is_empty();
            let value =
                if first { matrices::laid_out(matrix, "viewProjection") } else { json!({ "transform": [] }) };
            matrices_.insert(key, value);
        }
    }
    let named = part.uses.position.iter().any(|index| known.contains_key(&format!("{letters}c{index}")));
    let clip = (Feed::Clip, Object::new());
    let mut candidates = Vec::new();
    if !matrices_.is_empty() || named {
        candidates.push((Feed::Position, matrices_.clone()));
    } else {
        // No product in a form that is known: any four registers in a row, as rows or as columns.
        let of = &part.uses.position;
        for first in of.iter().filter(|first| (1..4).all(|k| of.contains(&(**first + k)))).take(MOST) {
            for value in [json!("viewProjection"), json!({ "transpose": "viewProjection" })] {
                let matrix = [(format!("{letters}c{first}"), value)].into_iter().collect();
                candidates.push((Feed::Position, matrix));
            }
        }
    }
    candidates.extend([clip, (Feed::Position, Object::new())]);
    set_key(scene, "show", json!("shape"));
    // How much is seen, what inputs are given, and matrices.
    type Tried = (f32, Object, Object);
    let mut best: Option<Tried> = None;
    for (feed, constants) in candidates {
        let feeds = inputs::feeds(part, place.map(|at| (at, feed)));
        let mut trial = scene.clone();
        // What nothing is known of is something; what is known counts more.
        let others = part.uses.floats.iter().map(|index| (format!("{letters}c{index}"), json!(SOME)));
        let set_by = |key: &String| {
            super::taken(&constants, letters, part).iter().any(|n| *key == format!("{letters}c{n}"))
        };
        let mut values: Object = others.filter(|(key, _)| !set_by(key)).collect();
        values.extend(known.clone());
        values.extend(constants.clone());
        set(&mut trial, "constants", values);
        set(&mut trial, "varyings", feeds.clone());
        let seen = trial::draw(&trial, trials).map_or(-1.0, |picture| trial::coverage(&picture));
        if best.as_ref().is_none_or(|(most, ..)| seen > *most) {
            best = Some((seen, feeds, constants));
        }
        if seen >= super::VISIBLE {
            break;
        }
    }
    let Some((_, feeds, constants)) = best else { return };
    if !feeds.is_empty() {
        inputs::note_feeds(part, &feeds, notes);
        set(scene, "varyings", feeds);
    }
    for (key, value) in constants.iter() {
        notes.push(format!("{} is {}", part.key_called(key), super::brief(value)));
    }
    known.extend(constants);
    set(scene, "constants", known.clone());
}
