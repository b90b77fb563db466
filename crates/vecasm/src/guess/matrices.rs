//! Which constants of a vertex program are which matrices: by the products it makes, and by drawing them small beside
//! what the same mesh looks like with our own vertex stage.

use super::trial::{self, Trials};
use super::uses::Matrix;
use super::{Options, Part, brief, set, set_key};
use crate::exec::json;
use crate::exec::json::{Json, Object};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A candidate that is as good as it gets.
const CERTAIN: f32 = 0.92;
/// A candidate below this shows something else.
const LIKELY: f32 = 0.7;
/// Most candidates that are drawn.
const MOST: usize = 40;
/// XDK programs multiply by c-38 and add c-37 to get from clip space to pixels: registers 58 and 59.
const XDK_VIEWPORT: u32 = 58;

/// A matrix by name, in the way that a program reads it.
pub(super) fn laid_out(matrix: &Matrix, name: &str) -> Json {
    match (matrix.columns, name) {
        // The transpose of three rows does not exist; without a projection the model will do.
        (true, "normal") => json!({ "transpose": "model" }),
        (true, "normalView") => json!({ "transpose": "modelView" }),
        (true, name) => json!({ "transpose": name }),
        (false, name) => json!(name),
    }
}

fn identity() -> Json {
    json!({ "transform": [] })
}

/// The values of all matrices if those that make the position are, from the first to the last, these.
fn assigned(part: &Part, chain: &[usize], values: &[&str], known: &Object) -> Object {
    let mut out = Object::new();
    for (at, matrix) in part.uses.matrices.iter().enumerate() {
        let key = format!("vc{}", matrix.first);
        if known.contains_key(&key) {
            continue;
        }
        let value = match chain.iter().position(|link| *link == at) {
            Some(place) => values.get(place).map_or_else(identity, |name| laid_out(matrix, name)),
            None if matrix.lanes == 3 => laid_out(matrix, "normal"),
            None if matrix.attribute == Some(0) && !matrix.position => laid_out(matrix, "model"),
            None => identity(),
        };
        out.insert(key, value);
    }
    out
}

/// Sets matrices and the mesh so that something is seen.
pub(super) fn place(
    part: &Part,
    wish: &Options,
    asked: &Object,
    known: &mut Object,
    scene: &mut Json,
    trials: &mut Trials<'_>,
    notes: &mut Vec<String>,
) {
    let named = known.clone();
    // Matrices that make the position, from the first one to the last.
    let matrices = &part.uses.matrices;
    let mut chain: Vec<usize> =
        (0..matrices.len()).filter(|at| matrices[*at].position && matrices[*at].lanes == 4).collect();
    chain.sort_by_key(|at| (matrices[*at].behind.len(), matrices[*at].first));
    let screen = part.isa == "nv2a";
    let mut candidates: Vec<Object> = Vec::new();
    let clips: &[&str] =
        if screen { &["modelViewProjection", "modelViewProjectionScreen"] } else { &["modelViewProjection"] };
    let whole: &[&str] = match chain.len() {
        0 => &[],
        1 => &["modelViewProjection"],
        2 => &["model", "viewProjection"],
        _ => &["model", "view", "projection"],
    };
    candidates.push(assigned(part, &chain, whole, &named));
    for clip in clips {
        for link in &chain {
            candidates.push(assigned(part, &[*link], &[clip], &named));
        }
    }
    if chain.is_empty() && !part.uses.position.is_empty() {
        // No product in a form that is known: any four registers in a row, as rows or as columns.
        let at: Vec<u32> = part.uses.position.iter().copied().collect();
        for first in at.iter().filter(|first| (1..4).all(|k| at.contains(&(**first + k)))) {
            for clip in clips {
                let key = format!("vc{first}");
                let mut rows = assigned(part, &[], &[], &named);
                rows.insert(key.clone(), json!(clip));
                candidates.push(rows);
                let mut columns = assigned(part, &[], &[], &named);
                columns.insert(key, json!({ "transpose": clip }));
                candidates.push(columns);
            }
        }
    }
    let viewport = [XDK_VIEWPORT, XDK_VIEWPORT + 1].iter().all(|index| part.uses.position.contains(index));
    if screen && viewport && !named.contains_key(&format!("vc{XDK_VIEWPORT}")) {
        for candidate in &mut candidates {
            candidate.insert(format!("vc{XDK_VIEWPORT}"), json!("viewport"));
        }
    }
    candidates.dedup();
    candidates.truncate(MOST);

    let mesh = wish.mesh.clone().unwrap_or_else(|| json!("torus"));
    let mut trial = scene.clone();
    set_key(&mut trial, "mesh", mesh.clone());
    let reference = {
        let mut name = String::from("flat");
        while trials.programs.has(&name) {
            name.push('_');
        }
        let mut own = json!({ "mesh": &mesh, "fragment": &name });
        for key in ["camera", "model"] {
            if let Some(value) = scene.get(key) {
                set_key(&mut own, key, value.clone());
            }
        }
        trials.programs.add(name, None, flat());
        trial::draw(&own, trials)
    };
    let mut best: Option<(f32, Object)> = None;
    if let Some(reference) = &reference {
        for candidate in &candidates {
            let mut values = named.clone();
            values.extend(candidate.clone());
            set(&mut trial, "constants", filled(part, values));
            let Some(picture) = trial::draw(&trial, trials) else { continue };
            let score = trial::likeness(reference, &picture);
            if best.as_ref().is_none_or(|(most, _)| score > *most + 0.02) {
                best = Some((score, candidate.clone()));
            }
            if score >= CERTAIN {
                break;
            }
        }
    }
    let found = best.filter(|(score, _)| *score >= LIKELY || wish.mesh.is_some());
    if let Some((_, candidate)) = found {
        if wish.mesh.is_none() {
            notes.push("the mesh is a torus".into());
        }
        set_key(scene, "mesh", mesh);
        for (key, value) in candidate.iter() {
            notes.push(format!("{} is {}", part.key_called(key), brief(value)));
        }
        known.extend(candidate);
    } else {
        flat_place(part, asked, known, scene, trials, notes);
    }
    set(scene, "constants", known.clone());
}

/// A program that puts no mesh where ours would: a square over the view, and the constants of its position so that it
/// covers most.
fn flat_place(
    part: &Part,
    asked: &Object,
    known: &mut Object,
    scene: &mut Json,
    trials: &mut Trials<'_>,
    notes: &mut Vec<String>,
) {
    notes.push("the mesh is a quad".into());
    set_key(scene, "mesh", json!({ "quad": { "segments": 12 } }));
    let at: Vec<u32> = part.uses.position.iter().copied().collect();
    let matrices: Object =
        assigned(part, &[], &[], known).into_iter().filter(|(key, _)| !known.contains_key(key)).collect();
    let mut best: Option<(f32, Object)> = None;
    // Names were no help: scales and offsets in turn, from the first to the last.
    for pattern in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.5, 0.5], [0.5, 0.0]] {
        for keep in [true, false] {
            let mut own = Object::new();
            let mut nth = 0;
            for index in &at {
                let inside = |m: &Matrix| (m.first..m.first + m.rows).contains(index);
                if part.uses.matrices.iter().any(inside) && keep {
                    continue;
                }
                own.insert(format!("vc{index}"), json!(pattern[nth % 2]));
                nth += 1;
            }
            if keep {
                own.extend(matrices.clone());
            }
            own.extend(asked.clone());
            let mut trial = scene.clone();
            let mut values = known.clone();
            values.extend(own.clone());
            set(&mut trial, "constants", filled(part, values));
            let Some(picture) = trial::draw(&trial, trials) else { continue };
            let score = trial::coverage(&picture);
            if best.as_ref().is_none_or(|(most, _)| score > *most + 0.02) {
                best = Some((score, own));
            }
        }
    }
    if let Some((_, own)) = best {
        if !own.is_empty() {
            // In the order of numbers, which is not that of names.
            let numbers = own.keys().filter_map(|key| key.strip_prefix("vc")?.parse().ok());
            let numbers: BTreeSet<u32> = numbers.collect();
            let named = own.keys().filter(|key| !key.starts_with("vc")).map(String::from);
            let called: Vec<String> = [part.ranges('c', numbers)]
                .into_iter()
                .filter(|text| !text.is_empty())
                .chain(named)
                .collect();
            notes.push(format!("{} are set so that most of the view is covered", called.join(", ")));
        }
        known.extend(own);
    }
}

/// The values, and one half in every other constant that is read.
fn filled(part: &Part, values: Object) -> Object {
    let taken = super::taken(&values, "v", part);
    let free = part.uses.floats.iter().filter(|index| !taken.contains(index));
    let mut out: Object = free.map(|index| (format!("vc{index}"), json!(0.5))).collect();
    out.extend(values);
    out
}

/// A fragment program that is one colour.
fn flat() -> crate::ir::Shader {
    crate::render::partner::fragment(0, crate::render::partner::View::Color)
}
