//! Scenes for programs that have none: a mesh, attributes, matrices, constants, textures and the missing stage, by what the
//! programs say about themselves, by what they do, and by trial.
//!
//! | file | holds |
//! |---|---|
//! | `names` | what constants are by their names |
//! | `uses` | what a shader does with constants and inputs |
//! | `inputs` | attributes, varyings and textures |
//! | `between` | programs of tessellation and geometry, and what they take |
//! | `matrices` | which constants are which matrices |
//! | `trial` | small pictures that tell whether a guess shows something |

mod between;
mod inputs;
mod matrices;
pub(crate) mod names;
mod trial;
mod uses;

use crate::Failure;
use crate::drawing::Files;
use crate::lifting::{LiftArgs, Purpose};
use crate::load::Loaded;
use names::{Beside, Named};
use serde_json::{Map, Value, json};
use uses::Uses;
use vecasm::ir::{InputKind, OutputKind, Shader, Stage};
use vecasm::isa::Isa;

/// What is asked for; all the rest is guessed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) mesh: Option<Value>,
    /// What attribute 0, 1, … are.
    pub(crate) attributes: Vec<String>,
    /// By register or name.
    pub(crate) constants: Vec<(String, Value)>,
    /// By register or name.
    pub(crate) textures: Vec<(String, Value)>,
}

/// A program to be drawn.
#[derive(Debug)]
pub(crate) struct Part {
    /// The name that the scene gives it.
    pub(crate) name: String,
    pub(crate) isa: Isa,
    loaded: Loaded,
    pub(crate) shader: Shader,
    pub(crate) names: Vec<Named>,
    uses: Uses,
    /// What its preshader reads.
    beside: Vec<Beside>,
    /// The inputs that the program itself reads, without the pipeline around it.
    own: Vec<String>,
    /// One of two programs: notes say whose register it is.
    paired: bool,
}

impl Part {
    /// A program lifted for pictures.
    pub(crate) fn new(loaded: Loaded, shader: Shader, lifting: &LiftArgs) -> Self {
        // Without the pipeline around it, what the program itself does is easier to see.
        let bare = loaded.program.lift(&lifting.options(Purpose::Run));
        let mut uses = uses::of(bare.as_ref().unwrap_or(&shader));
        uses.forget(&shader.symbols.computed);
        let inputs = &bare.as_ref().unwrap_or(&shader).inputs;
        let own = inputs.iter().map(|input| input.name.clone()).collect();
        let name = loaded.input.file_name("shader").to_string_lossy().into_owned();
        let isa = loaded.program.isa();
        let names = names::of(&loaded.program);
        let beside = names::beside(&loaded.program, &shader.symbols);
        Self { name, isa, names, uses, beside, own, paired: false, loaded, shader }
    }

    /// What the program calls registers of a scene: `c96` for `vc96`, `fragment s1` for `fs1` if there are two programs,
    /// `CONST[4..6]` for `fc4-6`. AGAL has the names of scenes.
    fn called(&self, bank: char, first: u32, last: u32) -> String {
        let range = |between: &str| {
            if first == last { first.to_string() } else { format!("{first}{between}{last}") }
        };
        let name = match (self.isa, bank) {
            (Isa::Agal, _) => return format!("{}{bank}{}", letters(self.shader.stage), range("-")),
            (Isa::Tgsi, 'c') => format!("CONST[{}]", range("..")),
            (Isa::Tgsi, 's') => format!("SAMP[{}]", range("..")),
            _ => format!("{bank}{}", range("-")),
        };
        if self.paired { format!("{} {name}", self.shader.stage.name()) } else { name }
    }

    /// The same for the name of a register in scenes.
    fn key_called(&self, key: &str) -> String {
        let own = key.strip_prefix(letters(self.shader.stage));
        let bank = own.and_then(|own| own.chars().next());
        let number = own.and_then(|own| own.get(1..)?.parse().ok());
        match (bank, number) {
            (Some(bank), Some(number)) => self.called(bank, number, number),
            _ => key.into(),
        }
    }

    /// Registers in few words: `c0, c4-7`.
    fn ranges(&self, bank: char, numbers: impl IntoIterator<Item = u32>) -> String {
        let mut out: Vec<(u32, u32)> = Vec::new();
        for number in numbers {
            match out.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => out.push((number, number)),
            }
        }
        let words: Vec<String> = out.iter().map(|(first, last)| self.called(bank, *first, *last)).collect();
        words.join(", ")
    }
}

/// What names of registers of a stage begin with in scenes.
const fn letters(stage: Stage) -> &'static str {
    match stage {
        Stage::TessControl => "tc",
        Stage::TessEval => "te",
        Stage::Geometry => "g",
        Stage::Fragment => "f",
        _ => "v",
    }
}

/// The programs of a picture: a vertex program, a fragment program, or both; or one of the stages between.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) vertex: Option<Part>,
    pub(crate) fragment: Option<Part>,
    pub(crate) between: Option<Part>,
}

impl Parts {
    /// Each with what names of its registers begin with in a scene.
    fn each(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let all = self.vertex.iter().chain(&self.between).chain(&self.fragment);
        all.map(|part| (letters(part.shader.stage), part))
    }

    /// Hands the shaders to who draws.
    pub(crate) fn give(&self, files: &mut Files) {
        for (_, part) in self.each() {
            files.give(&part.name, Some(part.loaded.clone()), part.shader.clone());
        }
    }
}

/// A scene, and what in it is a guess.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    pub(crate) scene: Value,
    /// One line each.
    pub(crate) notes: Vec<String>,
}

/// What constants are filled with that nothing is known of: the first is taken where none shows more.
const FILLS: [[f64; 4]; 5] = [
    [0.9, 0.7, 0.5, 1.0],
    [0.5, 0.5, 0.5, 0.5],
    [1.0, 1.0, 1.0, 1.0],
    [0.0, 0.5, 1.0, 2.0],
    [0.0, 0.0, 0.0, 0.0],
];

/// Makes a scene. The shaders must have been [given](Parts::give) to `files`.
pub(crate) fn scene(parts: &Parts, wish: &Wish, files: &mut Files) -> Result<Guess, Failure> {
    let mut notes = Vec::new();
    let (width, height) = wish.size.unwrap_or((480, 360));
    let mut scene = json!({
        "size": [width, height],
        "background": "#14161c",
        "camera": { "eye": [1.1, 1.0, 2.2] },
        "model": [{ "rotateY": 20, "speed": 60 }],
    });
    let asked = asked(parts, wish)?;
    let Some(object) = scene.as_object_mut() else { return Ok(Guess { scene, notes }) };
    if let Some(part) = &parts.between {
        between::insert(part, wish, object, &mut notes);
    }
    if let Some(part) = &parts.vertex {
        object.insert("vertex".into(), json!(part.name));
        let attributes = if wish.attributes.is_empty() {
            inputs::attributes(part, &mut notes)
        } else {
            json!(wish.attributes)
        };
        object.insert("attributes".into(), attributes);
    }
    if let Some(part) = &parts.fragment {
        object.insert("fragment".into(), json!(part.name));
        if parts.vertex.is_none() {
            inputs::varyings(part, object, &mut notes);
        }
    }
    let mut textures = asked.textures;
    for (letter, part) in parts.each() {
        inputs::textures(letter, part, &mut textures, object, &mut notes);
        inputs::states(part, object);
    }
    object.insert("textures".into(), Value::Object(textures));

    let mut known = named_constants(parts, &asked.constants, &mut notes);
    let lone_fragment = parts.vertex.is_none() && parts.between.is_none();
    match &wish.mesh {
        Some(mesh) => {
            object.insert("mesh".into(), mesh.clone());
        }
        None if lone_fragment => {
            let flat = object.get("varyings").and_then(Value::as_object);
            let flat =
                flat.is_none_or(|given| given.values().all(|v| v == "uv" || v == "color" || v.is_array()));
            let mesh = if flat { "quad" } else { "sphere" };
            notes.push(format!("the mesh is a {mesh}"));
            object.insert("mesh".into(), json!(mesh));
        }
        None => {}
    }
    if lone_fragment && object.get("mesh") == Some(&json!("quad")) {
        // All of the view, whatever the matrices.
        object.insert("camera".into(), json!({ "orthographic": 2 }));
        let aspect = width as f32 / height.max(1) as f32;
        object.insert("model".into(), json!([{ "scale": [aspect, 1, 1] }]));
    }
    set(&mut scene, "constants", known.clone());
    if let Some(part) = &parts.vertex {
        if parts.fragment.is_none() {
            set_key(&mut scene, "show", json!("shape"));
        }
        matrices::place(part, wish, &asked.constants, &mut known, &mut scene, files, &mut notes);
        if parts.fragment.is_none() {
            let seen = trial::draw(&scene, files).map_or(0.0, |picture| trial::coverage(&picture));
            if seen < VISIBLE && wish.mesh.is_none() {
                spread(part, &mut scene, &mut notes);
            }
            show(part, &mut scene, files, &mut notes);
        }
    }
    if let Some(part) = &parts.between {
        between::place(part, &mut known, &mut scene, files, &mut notes);
        show(part, &mut scene, files, &mut notes);
    }
    fill(parts, &known, &mut scene, files, &mut notes);
    Ok(Guess { scene, notes })
}

fn set(scene: &mut Value, key: &str, value: Map<String, Value>) {
    set_key(scene, key, Value::Object(value));
}

fn set_key(scene: &mut Value, key: &str, value: Value) {
    if let Some(object) = scene.as_object_mut() {
        object.insert(key.into(), value);
    }
}

/// What was asked for, by register.
struct Asked {
    constants: Map<String, Value>,
    textures: Map<String, Value>,
}

/// Finds the registers of names.
fn asked(parts: &Parts, wish: &Wish) -> Result<Asked, Failure> {
    let mut constants = Map::new();
    for (name, value) in &wish.constants {
        constants.insert(register(parts, name, false)?, value.clone());
    }
    let mut textures = Map::new();
    for (name, value) in &wish.textures {
        textures.insert(register(parts, name, true)?, texture(value));
    }
    Ok(Asked { constants, textures })
}

/// A texture of a flag: a name with a dot is a file.
fn texture(value: &Value) -> Value {
    match value.as_str() {
        Some(name) if name.contains('.') => json!({ "image": name }),
        _ => value.clone(),
    }
}

/// The register of a scene that a register of the program, or a name in it, is.
fn register(parts: &Parts, name: &str, texture: bool) -> Result<String, Failure> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[stem.len()..];
    let lone = parts.each().next().map_or("v", |(letters, _)| letters);
    if !number.is_empty() {
        let own = |bank: char| {
            stem.strip_suffix(bank).is_some_and(|stage| ["v", "f"].contains(&stage) || stage == lone)
        };
        match stem {
            _ if !texture && "cib".chars().any(own) => return Ok(name.into()),
            _ if texture && own('s') => return Ok(name.into()),
            "c" | "i" | "b" if !texture => return Ok(format!("{lone}{stem}{number}")),
            "s" | "t" if texture => {
                let letter = if parts.fragment.is_some() { "f" } else { lone };
                // A lone vertex program is drawn with a texture behind it.
                let own = parts.each().any(|(of, part)| of == letter && !part.shader.textures.is_empty());
                let letter = if own { letter } else { "f" };
                return Ok(format!("{letter}s{number}"));
            }
            _ => {}
        }
    }
    // A name that a preshader has is given to both, in the way of its table.
    if !texture && parts.each().any(|(_, part)| part.beside.iter().any(|beside| beside.name == name)) {
        return Ok(name.into());
    }
    let wanted = |named: &&Named| (named.bank == 's') == texture;
    for (letter, part) in parts.each() {
        let exact = part.names.iter().filter(wanted).find(|named| named.name == name);
        let loose = || part.names.iter().filter(wanted).find(|named| named.name.eq_ignore_ascii_case(name));
        if let Some(named) = exact.or_else(loose) {
            return Ok(format!("{letter}{}{}", named.bank, named.first));
        }
    }
    let known: Vec<&str> = parts
        .each()
        .flat_map(|(_, part)| part.names.iter().filter(wanted).map(|named| named.name.as_str()))
        .collect();
    let what = if texture { "texture" } else { "constant" };
    let hint = if known.is_empty() {
        "the programs have no names for it; give a register".to_string()
    } else {
        format!("the programs name {}", known.join(", "))
    };
    Err(Failure::usage(format!("no {what} \"{name}\"; {hint}")))
}

/// What constants are by their names and their own defaults; what was asked for is among it.
fn named_constants(parts: &Parts, asked: &Map<String, Value>, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut out = Map::new();
    for (letter, part) in parts.each() {
        // What the program brings is no guess; one with a name has all its registers together.
        let named = |element: u32| {
            let mut own = part.names.iter().filter(|named| named.bank == 'c' && named.default.is_some());
            own.any(|named| element.checked_sub(named.first).is_some_and(|n| n < named.count))
        };
        for (element, bits) in part.shader.symbols.defaults_of("c").filter(|(element, _)| !named(*element)) {
            let key = format!("{letter}c{element}");
            let value = bits.map(f32::from_bits);
            if !asked.contains_key(&key) && value.iter().all(|number| number.is_finite()) {
                out.insert(key, json!([value]));
            }
        }
        for named in part.names.iter().filter(|named| named.bank == 'c') {
            let key = format!("{letter}c{}", named.first);
            if asked.contains_key(&key) {
                continue;
            }
            let value = match (&named.default, names::constant(&named.name, named.count)) {
                (Some(default), _) => {
                    // As the decimals they were written with.
                    let number = |value: &f32| value.to_string().parse().unwrap_or(f64::from(*value));
                    let rows: Vec<Vec<f64>> =
                        default.chunks(4).map(|row| row.iter().map(number).collect()).collect();
                    Some(json!(rows))
                }
                (None, Some(value)) => {
                    let matrix = part.uses.matrices.iter().find(|m| m.first == named.first);
                    Some(match matrix {
                        Some(matrix) if value.is_string() && named.count >= 3 => {
                            matrices::laid_out(matrix, value.as_str().unwrap_or_default())
                        }
                        // A matrix that is cut off must not run over what stands behind it.
                        _ => value,
                    })
                }
                (None, None) => None,
            };
            if let Some(value) = value {
                if named.default.is_none() {
                    let register = part.key_called(&key);
                    notes.push(format!("{} ({register}) is {}, by its name", named.name, brief(&value)));
                }
                out.insert(key, value);
            }
        }
        let computed = &part.shader.symbols.computed;
        let numbers = computed.iter().filter(|(array, _)| array == "c").map(|(_, number)| *number);
        let called = part.ranges('c', numbers);
        if !called.is_empty() {
            notes.push(format!("the preshader computes {called}"));
        }
        for beside in part.beside.iter().filter(|beside| !beside.is_brought) {
            if out.contains_key(&beside.name) || asked.contains_key(&beside.name) {
                continue;
            }
            let (value, by_name) = beside.value(&json!(FILLS[0]));
            let why = if by_name { ", by its name" } else { "" };
            notes.push(format!("{} (of the preshader) is {}{why}", beside.name, brief(&value)));
            out.insert(beside.name.clone(), value);
        }
        for (bank, used, value) in
            [('i', &part.uses.ints, json!([4, 0, 1, 0])), ('b', &part.uses.bools, json!(1))]
        {
            for index in used {
                let key = format!("{letter}{bank}{index}");
                if !asked.contains_key(&key) {
                    notes.push(format!("{} is {}", part.called(bank, *index, *index), brief(&value)));
                    out.insert(key, value.clone());
                }
            }
        }
    }
    out.extend(asked.clone());
    out
}

/// A value in few words.
fn brief(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Object(object) => match object.iter().next() {
            Some((key, inner)) if key == "transpose" => format!("{} by columns", brief(inner)),
            Some((key, _)) if key == "transform" => "the identity".into(),
            Some((_, inner)) => brief(inner),
            None => String::new(),
        },
        other => other.to_string(),
    }
}

/// A vertex program that covers less of the view is shown over a plane.
const VISIBLE: f32 = 0.02;

/// Lets another attribute than those of the program place the vertices, on a square over the view.
fn spread(part: &Part, scene: &mut Value, notes: &mut Vec<String>) {
    let reads = |location: u32| {
        let kind = InputKind::Attribute { location };
        part.shader.inputs.iter().any(|input| input.kind == kind)
    };
    let Some(free) = (0..16).rev().find(|location| !reads(*location)) else { return };
    let Some(object) = scene.as_object_mut() else { return };
    let mut attributes = object.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default();
    attributes.insert(format!("v{free}"), json!("position"));
    object.insert("attributes".into(), Value::Object(attributes));
    object.insert("mesh".into(), json!({ "quad": { "segments": 48 } }));
    object.insert("spread".into(), json!(free));
    notes.push("hardly anything would be visible, so its results are spread over a plane".into());
}

/// How a lone vertex program is shown: with the fixed functions behind it, or one of its outputs, whatever shows more.
fn show(part: &Part, scene: &mut Value, files: &mut Files, notes: &mut Vec<String>) {
    let mut best: Option<(f32, Option<Value>, String)> = None;
    let mut consider = |show: Option<Value>, weight: f32, what: String, scene: &Value| {
        let mut trial = scene.clone();
        if let Some(object) = trial.as_object_mut() {
            match &show {
                Some(value) => object.insert("show".into(), value.clone()),
                None => object.remove("show"),
            };
        }
        let Some(picture) = trial::draw(&trial, files) else { return };
        let score = trial::interest(&picture) * weight;
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, show, what));
        }
    };
    let textured = scene.get("textures").and_then(|t| t.get("fs0")).is_some();
    if !textured {
        if let Some(textures) = scene.get_mut("textures").and_then(Value::as_object_mut) {
            textures.insert("fs0".into(), json!({ "pattern": "uv" }));
        }
    }
    consider(None, 2.0, "the fixed functions of its runtime follow".into(), scene);
    let spread = scene.get("spread").is_some();
    for output in &part.shader.outputs {
        let placed = output.kind == OutputKind::Position;
        let seen = matches!(output.kind, OutputKind::Varying { .. }) || placed && spread;
        if !seen {
            continue;
        }
        let view = if placed { "direction" } else { inputs::view(part, output) };
        let what = format!("{} is shown as {view}", output.name);
        consider(Some(json!({ output.name.as_str(): view })), 1.0, what, scene);
    }
    consider(Some(json!("shape")), 0.7, "its shape is shown".into(), scene);
    if let Some((_, value, what)) = best {
        notes.push(what);
        let object = scene.as_object_mut();
        match (value, object) {
            (Some(value), Some(object)) => {
                object.insert("show".into(), value);
            }
            (None, Some(object)) => {
                object.remove("show");
            }
            _ => {}
        }
    }
    let shown = scene.get("show").is_some();
    if shown && !textured {
        if let Some(textures) = scene.get_mut("textures").and_then(Value::as_object_mut) {
            textures.remove("fs0");
        }
    }
}

/// Fills the constants that nothing is known of.
fn fill(
    parts: &Parts,
    known: &Map<String, Value>,
    scene: &mut Value,
    files: &mut Files,
    notes: &mut Vec<String>,
) {
    let mut open: Vec<String> = Vec::new();
    let mut called: Vec<String> = Vec::new();
    for (letter, part) in parts.each() {
        let taken = taken(known, letter, part);
        let free: Vec<u32> =
            part.uses.floats.iter().copied().filter(|index| !taken.contains(index)).collect();
        if !free.is_empty() {
            called.push(part.ranges('c', free.iter().copied()));
            open.extend(free.iter().map(|index| format!("{letter}c{index}")));
        }
    }
    if open.is_empty() {
        return set(scene, "constants", known.clone());
    }
    let mut best: Option<(f32, Map<String, Value>, [f64; 4])> = None;
    for fill in FILLS {
        let mut constants: Map<String, Value> = open.iter().map(|key| (key.clone(), json!(fill))).collect();
        // What is known counts more.
        constants.extend(known.clone());
        let mut trial = scene.clone();
        set(&mut trial, "constants", constants.clone());
        let score = trial::draw(&trial, files).map_or(-1.0, |picture| trial::interest(&picture));
        // A little more is no reason to leave the order.
        if best.as_ref().is_none_or(|(most, ..)| score > *most * 1.1 + 0.01) {
            best = Some((score, constants, fill));
        }
    }
    if let Some((_, constants, fill)) = best {
        notes.push(format!(
            "{} {} {}",
            called.join(", "),
            if open.len() == 1 { "is" } else { "are" },
            json!(fill)
        ));
        set(scene, "constants", constants);
    }
}

/// The registers of a stage that known values fill.
fn taken(known: &Map<String, Value>, letter: &str, part: &Part) -> Vec<u32> {
    let mut out = Vec::new();
    for (key, value) in known {
        let number = key.strip_prefix(letter).and_then(|rest| rest.strip_prefix('c'));
        let Some(first) = number.and_then(|n| n.parse::<u32>().ok()) else { continue };
        let own = part.names.iter().find(|named| named.bank == 'c' && named.first == first);
        let count = own.map_or(1, |named| named.count).max(registers(value));
        out.extend(first..first.saturating_add(count.min(1024)));
    }
    out
}

/// How many registers a value fills.
fn registers(value: &Value) -> u32 {
    match value {
        Value::String(word) => match word.as_str() {
            "eye" | "light" | "time" | "size" => 1,
            "viewport" => 2,
            "normal" | "normalView" => 3,
            word if word.starts_with('#') => 1,
            _ => 4,
        },
        Value::Object(_) => 4,
        Value::Array(items) if !items.iter().all(Value::is_number) => items.iter().map(registers).sum(),
        _ => 1,
    }
}

/// Reads programs into the parts of a picture.
pub(crate) fn parts(programs: Vec<(Loaded, Shader)>, lifting: &LiftArgs) -> Result<Parts, Failure> {
    let mut parts = Parts::default();
    for (loaded, shader) in programs {
        let slot = match shader.stage {
            Stage::Vertex => &mut parts.vertex,
            Stage::Fragment => &mut parts.fragment,
            Stage::TessControl | Stage::TessEval | Stage::Geometry => &mut parts.between,
            Stage::Compute => {
                return Err(Failure::usage("a compute program draws nothing; see vecasm run"));
            }
        };
        if slot.is_some() {
            return Err(Failure::usage("a pair is a vertex program and a fragment program"));
        }
        *slot = Some(Part::new(loaded, shader, lifting));
    }
    if parts.between.is_some() && (parts.vertex.is_some() || parts.fragment.is_some()) {
        return Err(Failure::usage(
            "a program of tessellation or geometry is drawn alone, or in a scene (docs/scene-format.md)",
        ));
    }
    // Two programs of the same name are two.
    if let (Some(vertex), Some(fragment)) = (&mut parts.vertex, &mut parts.fragment) {
        if vertex.name == fragment.name {
            vertex.name = format!("vertex/{}", vertex.name);
            fragment.name = format!("fragment/{}", fragment.name);
        }
        vertex.paired = true;
        fragment.paired = true;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fill_registers() {
        assert_eq!(registers(&json!("modelViewProjection")), 4);
        assert_eq!(registers(&json!([1, 2, 3, 4])), 1);
        assert_eq!(registers(&json!([[1], "eye", "normal"])), 5);
        assert_eq!(registers(&json!(0.5)), 1);
    }
}
