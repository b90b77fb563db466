//! What attributes, varyings, textures and state values are.

use super::names;
use super::{Options, Part};
use crate::exec::json;
use crate::exec::json::{Json, Object};
use crate::ir::{DeclUsage, Dim, InputKind, Output, OutputKind};
use crate::render::partner::Feed;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The attributes of the NV2A by number, as the hardware's fixed functions name them.
const NV2A: [&str; 16] = [
    "position",
    "blendweight",
    "normal",
    "color",
    "color1",
    "fog",
    "psize",
    "color",
    "color1",
    "texcoord0",
    "texcoord1",
    "texcoord2",
    "texcoord3",
    "position",
    "normal",
    "texcoord0",
];
/// What a register of Direct3D 8 means, whose shaders declare nothing.
fn d3d8(location: u32) -> Option<String> {
    #[cfg(feature = "d3d9")]
    {
        use crate::isa::d3d9::{lift::link, usages::D3D8_INPUTS};
        let (usage, index) = D3D8_INPUTS.get(location as usize)?;
        Some(link::semantic(*usage, *index))
    }
    #[cfg(not(feature = "d3d9"))]
    {
        let _ = location;
        None
    }
}

/// What an attribute of that meaning is on our meshes.
fn by_meaning(meaning: &str) -> Json {
    let number = meaning.trim_start_matches(|c: char| !c.is_ascii_digit());
    match DeclUsage::of_semantic(meaning) {
        Some(DeclUsage::Position) => json!("position"),
        Some(DeclUsage::Normal) => json!("normal"),
        Some(DeclUsage::Tangent) => json!("tangent"),
        Some(DeclUsage::Binormal) => json!("binormal"),
        Some(DeclUsage::TexCoord) => json!("uv"),
        Some(DeclUsage::Color) if number.is_empty() || number == "0" => json!("color"),
        Some(DeclUsage::Color) => json!([0.1, 0.1, 0.1, 1]),
        Some(DeclUsage::BlendWeight) => json!([1, 0, 0, 0]),
        Some(DeclUsage::BlendIndices) => json!([0, 0, 0, 0]),
        Some(DeclUsage::PointSize) => json!([4, 0, 0, 0]),
        Some(DeclUsage::Fog) => json!([1, 1, 1, 1]),
        _ => json!("uv"),
    }
}

/// The attributes of a vertex program, by register.
pub(super) fn attributes(part: &Part, notes: &mut Vec<String>) -> Json {
    let mut out = Object::new();
    // What programs without meanings read behind the position, in the usual order.
    let mut directions = ["normal", "tangent", "binormal"].into_iter();
    let mut colors = ["color"].into_iter();
    let legacy = part.isa == "d3d9" && part.shader.inputs.iter().all(|input| input.semantic.is_empty());
    let order = part.uses.matrices.iter().find(|m| m.position && m.behind.is_empty() && m.lanes == 4);
    let place = order.and_then(|m| m.attribute);
    let mut told = Vec::new();
    for (at, input) in part.shader.inputs.iter().enumerate() {
        let InputKind::Attribute { location } = input.kind else { continue };
        let used = part.uses.inputs.get(at).cloned().unwrap_or_default();
        let meaning = match part.isa {
            "nv2a" => NV2A.get(location as usize).map(|meaning| String::from(*meaning)),
            "d3d9" if legacy => d3d8(location),
            _ => None,
        };
        let value = if Some(location) == place {
            json!("position")
        } else if !input.semantic.is_empty() {
            by_meaning(&input.semantic.to_ascii_lowercase())
        } else if used.index {
            json!([0, 0, 0, 0])
        } else if let Some(meaning) = meaning {
            by_meaning(&meaning)
        } else if location == 0 && place.is_none() {
            json!("position")
        } else if used.direction {
            json!(directions.next().unwrap_or("normal"))
        } else if used.lanes & 0b1100 == 0 {
            json!("uv")
        } else if used.lanes & 0b1000 == 0 {
            json!(directions.next().unwrap_or("normal"))
        } else {
            json!(colors.next().unwrap_or("uv"))
        };
        if part.own.contains(&input.name) {
            told.push(format!("{} {}", input.name, super::brief(&value)));
        }
        out.insert(format!("v{location}"), value);
    }
    if out.is_empty() {
        // An object without attributes is none; the program reads nothing.
        return json!(["position"]);
    }
    if !told.is_empty() {
        notes.push(format!("attributes are {}", told.join(", ")));
    }
    out.into()
}

/// What our own vertex stage gives a lone fragment program.
pub(super) fn varyings(part: &Part, scene: &mut Object, notes: &mut Vec<String>) {
    let out = feeds(part, None);
    if out.is_empty() {
        return;
    }
    note_feeds(part, &out, notes);
    scene.insert("varyings", out);
}

/// Notes what varyings are given, of those that the program itself reads.
pub(super) fn note_feeds(part: &Part, feeds: &Object, notes: &mut Vec<String>) {
    let own = feeds.iter().filter(|(key, _)| part.own.iter().any(|own| own == key));
    let words: Vec<String> = own.map(|(key, value)| format!("{key} {}", super::brief(value))).collect();
    if !words.is_empty() {
        notes.push(format!("varyings are {}", words.join(", ")));
    }
}

/// What varyings of a program are given, by the names of inputs; `place` is one that makes the position, and what it is given.
pub(super) fn feeds(part: &Part, place: Option<(usize, Feed)>) -> Object {
    let mut out = Object::new();
    let mut directions = ["normal", "view", "light", "half", "tangent"].into_iter();
    for (at, input) in part.shader.inputs.iter().enumerate() {
        if !matches!(input.kind, InputKind::Varying { .. }) {
            continue;
        }
        if let Some((_, feed)) = place.filter(|(place, _)| *place == at) {
            out.insert(input.name.clone(), json!(feed.name()));
            continue;
        }
        let used = part.uses.inputs.get(at).cloned().unwrap_or_default();
        let meaning = Feed::of(input);
        let texcoord = meaning == Feed::Uv;
        let feed = if !texcoord {
            meaning
        } else if used.samples.contains(&Dim::Cube) && !used.samples.contains(&Dim::D2) {
            if used.lanes & 0b100 != 0 { Feed::Reflection } else { Feed::Uv }
        } else if used.samples.contains(&Dim::D3) {
            Feed::Position
        } else if !used.samples.is_empty() || used.lanes & 0b1100 == 0 {
            Feed::Uv
        } else if used.direction {
            let name = directions.next().unwrap_or("normal");
            Feed::ALL.iter().copied().find(|feed| feed.name() == name).unwrap_or(Feed::Normal)
        } else if used.lanes & 0b1000 != 0 && input.semantic.is_empty() {
            Feed::Color
        } else {
            Feed::Uv
        };
        let value = match feed {
            Feed::Value(lanes) => json!(lanes),
            feed => json!(feed.name()),
        };
        out.insert(input.name.clone(), value);
    }
    out
}

/// Textures that are different from one another.
const PATTERNS: [&str; 8] = ["uv", "noise", "dots", "bricks", "rings", "grid", "stripes", "checker"];

/// The textures that a program reads, and their samplers.
pub(super) fn textures(
    letter: &str,
    part: &Part,
    wish: &Options,
    textures: &mut Object,
    scene: &mut Object,
    notes: &mut Vec<String>,
) {
    let mut nth = 0;
    let mut read: Vec<_> = part.shader.textures.iter().collect();
    read.sort_by_key(|texture| texture.slot);
    for texture in read {
        let key = format!("{letter}s{}", texture.slot);
        let set = wish.sampler_of(&part.names, texture.slot);
        if texture.sampler.is_none() {
            if let Some(samplers) = scene.object("samplers") {
                let usual = json!({ "wrap": "repeat", "filter": "linear", "mip": "miplinear" });
                let mut keys = usual.as_object().cloned().unwrap_or_default();
                keys.extend(set.map(|set| set.keys.clone()).unwrap_or_default());
                samplers.insert(key.clone(), keys);
            }
        }
        if textures.contains_key(&key) {
            continue;
        }
        let named = part.names.iter().find(|named| named.bank == 's' && named.first == texture.slot);
        let pattern = match texture.dim {
            Dim::Cube => "sky",
            Dim::D3 => "volume",
            Dim::D1 => "ramp",
            _ => {
                let texture = set.and_then(|set| names::pattern(set.texture.as_ref()?));
                let by_name = texture.or_else(|| named.and_then(|named| names::pattern(&named.name)));
                by_name.unwrap_or_else(|| {
                    nth += 1;
                    PATTERNS[(nth - 1) % PATTERNS.len()]
                })
            }
        };
        let mut value = json!({ "pattern": pattern });
        if texture.dim == Dim::D1 {
            value = json!({ "pattern": "ramp", "dim": "1d", "colors": ["#223", "#46c", "#4b8", "#ec5", "#e64", "#fff"] });
        }
        let register = part.called('s', texture.slot, texture.slot);
        let own = named.filter(|named| named.name != register);
        let called = own.map_or_else(|| register.clone(), |named| format!("{} ({register})", named.name));
        notes.push(format!("{called} is the pattern {pattern}"));
        textures.insert(key, value);
    }
}

/// State values without which a program shows nothing of what it does.
pub(super) fn states(part: &Part, scene: &mut Object) {
    for state in &part.shader.states {
        let value = if state.name.starts_with("bump-matrix-") {
            json!([0.15, 0, 0, 0.15])
        } else if state.name.starts_with("bump-luminance-") {
            json!([0.5, 0.5])
        } else {
            continue;
        };
        if let Some(states) = scene.object("states") {
            states.insert(state.name.clone(), value);
        }
    }
}

/// How an output of a lone vertex program is shown.
pub(super) fn view(part: &Part, output: &Output) -> &'static str {
    let word = output.semantic.to_ascii_lowercase();
    let OutputKind::Varying { .. } = output.kind else { return "color" };
    match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "color" | "fog" => "color",
        "texcoord" => "uv",
        "" if part.isa == "nv2a" => {
            if output.name.starts_with("oT") {
                "uv"
            } else {
                "color"
            }
        }
        "" => "color",
        _ => "direction",
    }
}
