//! Scenes for programs that have none: a mesh, attributes, matrices, constants, textures and the missing stage, by what the
//! programs say about themselves, by what they do, and by trial.
//!
//! [`scene()`] makes one of programs. [`Parts`] are for those who have lifted the programs themselves, have a
//! [host](crate::render::scene::Host) of their own, or another engine. The same programs and options give the same scene.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::exec::lanes::Lanes;
//! use vecasm::guess::{self, Options};
//! use vecasm::render::{draw::Budget, scene::Scene};
//! use vecasm::scenes::Memory;
//! use vecasm::{NoHost, OpenOptions, open};
//!
//! let text = b"tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
//! let program = open(text, &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//! let options = Options::default().with_size(64, 48).with_constant("fc0", "[1, 0.5, 0, 1]");
//!
//! let mut host = Memory::default();
//! let guess = guess::scene(&[program], &options, &mut host)?;
//! for note in &guess.notes {
//!     println!("{note}"); // varyings are v0 uv …
//! }
//! let scene = Scene::read(guess.scene.as_bytes(), &mut host, None)?;
//! let picture = scene.render(&Lanes::default(), Budget::default())?;
//! assert_eq!(picture.rgba8.len(), 64 * 48 * 4);
//! # // Blue is multiplied by 0 wherever the quad is, which is everywhere; red is not.
//! # assert!(picture.rgba8.chunks_exact(4).all(|pixel| pixel[2] == 0));
//! # assert!(picture.rgba8.chunks_exact(4).any(|pixel| pixel[0] > 100));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
mod names;
mod trial;
mod uses;

use crate::exec::json::{Json, Object};
use crate::exec::{Engine, json, lanes::Lanes};
use crate::ir::{InputKind, OutputKind, Shader, Stage};
use crate::isa::any::LiftOptions;
use crate::program::Program;
use crate::render::scene::Host;
use crate::scenes::{Memory, Programs};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use names::{NamedRegisters, PreshaderConstant};
use trial::Trials;
use uses::Uses;

/// What is asked for; all the rest is guessed. Values are those of [scenes](crate::render::scene): JSON, or a word without quotation
/// marks. Registers have the names of scenes or of the program.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    size: Option<(u32, u32)>,
    mesh: Option<Json>,
    attributes: Vec<String>,
    constants: Vec<(String, Json)>,
    textures: Vec<(String, Json)>,
    defaults: Vec<DefaultValue>,
    samplers: Vec<Sampler>,
    states: Vec<(String, Json)>,
    keys: Vec<(String, Json)>,
    /// Whether constants and textures may be of other programs.
    is_shared: bool,
}

/// What a constant is where nobody sets it, as something other than the program says.
#[derive(Clone, Debug)]
struct DefaultValue {
    name: String,
    /// As the registers of the program have it.
    registers: Vec<[f32; 4]>,
    /// As rows of a matrix.
    rows: Vec<Vec<f32>>,
}

/// What a sampler of that name sets.
#[derive(Clone, Debug)]
struct Sampler {
    name: String,
    /// The name of its texture.
    texture: Option<String>,
    /// As a scene has it.
    keys: Object,
}

impl Options {
    /// With a picture of so many pixels, in place of 480 by 360.
    #[must_use]
    pub fn with_size(self, width: u32, height: u32) -> Self {
        Self { size: Some((width, height)), ..self }
    }

    /// With a mesh: `torus`, `{"quad": {"segments": 8}}`.
    #[must_use]
    pub fn with_mesh(self, mesh: &str) -> Self {
        Self { mesh: Some(value(mesh)), ..self }
    }

    /// With what attribute 0, 1, … are: `position`, `normal`.
    #[must_use]
    pub fn with_attributes(self, attributes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { attributes: attributes.into_iter().map(Into::into).collect(), ..self }
    }

    /// With a constant, by its register or its name: `time`, `[1, 0.5, 0, 1]`.
    #[must_use]
    pub fn with_constant(mut self, name: impl Into<String>, constant: &str) -> Self {
        self.constants.push((name.into(), value(constant)));
        self
    }

    /// With what a constant is where nobody sets it, by its name: the registers that it fills, and the rows of it. It counts more than what
    /// the program itself says. Programs that do not have it pass it over.
    #[must_use]
    pub fn with_default(
        mut self,
        name: impl Into<String>,
        registers: Vec<[f32; 4]>,
        rows: Vec<Vec<f32>>,
    ) -> Self {
        self.defaults.push(DefaultValue { name: name.into(), registers, rows });
        self
    }

    /// With what a sampler sets, by its name: the keys of a scene, `{"wrap": "clamp"}`, and the name of its texture, which tells what to
    /// show. Programs that do not have it pass it over.
    #[must_use]
    pub fn with_sampler(mut self, name: impl Into<String>, texture: Option<&str>, keys: &str) -> Self {
        let keys = value(keys).as_object().cloned().unwrap_or_default();
        self.samplers.push(Sampler { name: name.into(), texture: texture.map(Into::into), keys });
        self
    }

    /// With a state value of the programs: `fog-mode`. Programs that do not have it pass it over.
    #[must_use]
    pub fn with_state(mut self, name: impl Into<String>, state: &str) -> Self {
        self.states.push((name.into(), value(state)));
        self
    }

    /// With a key of the draw: `blend`, `cull`.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>, keyed: &str) -> Self {
        self.keys.push((key.into(), value(keyed)));
        self
    }

    /// The same for one of several draws: constants and textures that the programs of this one do not have are passed over, and named
    /// in [`Guess::unused`].
    #[must_use]
    pub fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }

    /// What a constant or sampler of a program is by default.
    fn default_of(&self, named: &NamedRegisters) -> Option<&DefaultValue> {
        self.defaults.iter().find(|default| default.name == named.name)
    }

    /// What the sampler of a register sets: one by its name, or an element of an array, `samplers[1]`.
    fn sampler_of(&self, names: &[NamedRegisters], slot: u32) -> Option<&Sampler> {
        let has = |named: &&NamedRegisters| {
            named.bank == 's' && slot.checked_sub(named.first).is_some_and(|n| n < named.count)
        };
        let named = names.iter().find(has)?;
        let element = format!("{}[{}]", named.name, slot - named.first);
        self.samplers.iter().find(|sampler| sampler.name == named.name || sampler.name == element)
    }

    /// With a texture, by its register or its name: a pattern, or an image, whose name has a dot.
    #[must_use]
    pub fn with_texture(mut self, name: impl Into<String>, texture: &str) -> Self {
        self.textures.push((name.into(), value(texture)));
        self
    }
}

/// A value of an option.
fn value(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|_| text.into())
}

/// Why there is no scene: these programs draw nothing, cannot be drawn together or cannot be lifted, or an option names something
/// they do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoScene(String);

impl fmt::Display for NoScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for NoScene {}

/// A program to be drawn.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name that the scene has for it.
    name: String,
    /// The name of its instruction set, of which builds may lack some.
    isa: &'static str,
    program: Program,
    shader: Shader,
    names: Vec<NamedRegisters>,
    uses: Uses,
    /// What its preshader reads.
    beside: Vec<PreshaderConstant>,
    /// The inputs that the program itself reads, without the pipeline around it.
    own: Vec<String>,
    /// One of two programs: notes say whose register it is.
    paired: bool,
}

impl Part {
    /// A program, by the name that the scene is to use for it. `shader` is what it lifts to
    /// [for pictures](LiftOptions::for_pictures); `bare`, if it can be had, what it lifts to without the pipeline around it, which
    /// shows more clearly what the program itself does.
    pub fn new(name: impl Into<String>, program: Program, shader: Shader, bare: Option<&Shader>) -> Self {
        let bare = bare.unwrap_or(&shader);
        let mut uses = uses::of(bare);
        uses.forget(&shader.symbols.computed);
        let own = bare.inputs.iter().map(|input| input.name.clone()).collect();
        let isa = program.isa().name();
        let names = names::find_named(&program);
        let beside = names::find_preshader_constants(&program, &shader.symbols);
        Self { name: name.into(), isa, names, uses, beside, own, paired: false, program, shader }
    }

    /// What the program calls registers of a scene: `c96` for `vc96`, `fragment s1` for `fs1` if there are two programs,
    /// `CONST[4..6]` for `fc4-6`. AGAL has the names of scenes.
    fn called(&self, bank: char, first: u32, last: u32) -> String {
        let range = |between: &str| {
            if first == last { first.to_string() } else { format!("{first}{between}{last}") }
        };
        let name = match (self.isa, bank) {
            ("agal", _) => return format!("{}{bank}{}", letters(self.shader.stage), range("-")),
            ("tgsi", 'c') => format!("CONST[{}]", range("..")),
            ("tgsi", 's') => format!("SAMP[{}]", range("..")),
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
#[derive(Clone, Debug, Default)]
pub struct Parts {
    vertex: Option<Part>,
    fragment: Option<Part>,
    between: Option<Part>,
}

impl Parts {
    /// Programs that are drawn together, in any order. Two of the same name get new names, which begin with their stages.
    ///
    /// # Errors
    ///
    /// There is no program, or there are two of a stage, stages that only a scene can bring together, or a compute program.
    pub fn new(programs: impl IntoIterator<Item = Part>) -> Result<Self, NoScene> {
        let mut parts = Self::default();
        for part in programs {
            let slot = match part.shader.stage {
                Stage::Vertex => &mut parts.vertex,
                Stage::Fragment => &mut parts.fragment,
                Stage::TessControl | Stage::TessEval | Stage::Geometry => &mut parts.between,
                Stage::Compute => {
                    return Err(NoScene("a compute program draws nothing; see vecasm run".into()));
                }
            };
            if slot.is_some() {
                return Err(NoScene("a pair is a vertex program and a fragment program".into()));
            }
            *slot = Some(part);
        }
        parts.require_any()?;
        if parts.between.is_some() && (parts.vertex.is_some() || parts.fragment.is_some()) {
            return Err(NoScene(
                "a program of tessellation or geometry is drawn alone, or in a scene (docs/scene-format.md)"
                    .into(),
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

    /// Refuses to go on without a program.
    fn require_any(&self) -> Result<(), NoScene> {
        self.iter().next().map(|_| ()).ok_or_else(|| NoScene("there is no program".into()))
    }

    /// Each, with the letters that its registers begin with in a scene.
    fn iter(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let all = self.vertex.iter().chain(&self.between).chain(&self.fragment);
        all.map(|part| (letters(part.shader.stage), part))
    }

    /// Gives a host the programs, by their names in the scene.
    pub fn add_to(&self, programs: &mut Programs) {
        for (_, part) in self.iter() {
            programs.add(&part.name, Some(part.program.clone()), part.shader.clone());
        }
    }

    /// The names of the programs in the scene, with their stages.
    pub fn names(&self) -> impl Iterator<Item = (Stage, &str)> {
        self.iter().map(|(_, part)| (part.shader.stage, part.name.as_str()))
    }

    /// Makes a scene. `host` gives the images that options name; `engine` draws trials, which are small.
    ///
    /// # Errors
    ///
    /// There is no program (in [`Parts::default`]), or an option names a register that the programs do not have.
    pub fn scene(
        &self,
        options: &Options,
        host: &mut dyn Host,
        engine: &dyn Engine,
    ) -> Result<Guess, NoScene> {
        self.require_any()?;
        let mut programs = Programs::default();
        self.add_to(&mut programs);
        let (scene, notes, unused) = make_scene(self, options, &mut Trials { host, programs, engine })?;
        Ok(Guess { scene: scene.to_string(), notes, unused })
    }
}

/// A scene, and what was guessed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The scene, as its file. Programs have the names of their parts.
    pub scene: String,
    /// What was guessed, one line each, for people.
    pub notes: Vec<String>,
    /// Constants and textures that were asked for and that the programs do not have, if they may be
    /// [of others](Options::shared).
    pub unused: Vec<String>,
}

impl Guess {
    /// One scene that makes the draws of several, in their order, with the size, the background and the camera of the first; `None`
    /// if there is none. What is unused is so in all of them. Where a draw says nothing of the depth test, it passes where the depths are equal, so that the later ones
    /// are drawn over the earlier ones.
    pub fn over_each_other(guesses: Vec<Self>) -> Option<Self> {
        const SHARED: [&str; 3] = ["size", "background", "camera"];
        if guesses.len() < 2 {
            return guesses.into_iter().next();
        }
        let (mut scene, mut notes, mut draws) = (Object::new(), Vec::new(), Vec::new());
        let mut unused = guesses.first().map(|guess| guess.unused.clone()).unwrap_or_default();
        for guess in guesses {
            unused.retain(|name| guess.unused.contains(name));
            let Ok(Json::Object(draw)) = Json::parse(guess.scene.as_bytes()) else { return None };
            let (shared, mut draw): (Object, Object) = draw
                .iter()
                .map(|(key, value)| (key, value.clone()))
                .partition(|(key, _)| SHARED.contains(key));
            if scene.is_empty() {
                scene = shared;
            }
            if !draw.contains_key("depth") {
                draw.insert("depth", json!("lessEqual"));
            }
            draws.push(Json::from(draw));
            for note in guess.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        scene.insert("draws", Json::List(draws));
        Some(Self { scene: Json::from(scene).to_string(), notes, unused })
    }
}

/// Guesses a scene for programs that are drawn together: see the [module](self). The host gives the images that options name, says
/// [how programs are lifted](Memory::with_lift), and gets the programs.
///
/// # Errors
///
/// A program cannot be lifted, or see [`Parts::new`] and [`Parts::scene`].
pub fn scene(programs: &[Program], options: &Options, host: &mut Memory) -> Result<Guess, NoScene> {
    let lifted = programs.iter().map(|program| {
        let lift = |options: &LiftOptions| program.lift(options);
        let shader = lift(host.lift()).map_err(|finding| NoScene(program.renderer().short(&finding)))?;
        let bare = lift(&LiftOptions::default()).ok();
        let name = program.source().name.rsplit(['/', '\\']).next().filter(|name| !name.is_empty());
        Ok(Part::new(name.unwrap_or("shader"), program.clone(), shader, bare.as_ref()))
    });
    let parts = Parts::new(lifted.collect::<Result<Vec<_>, _>>()?)?;
    let guess = parts.scene(options, host, &Lanes::default())?;
    parts.add_to(host.programs());
    Ok(guess)
}

/// What constants are filled with that nothing is known of: the first is taken where none shows more.
const FILLS: [[f64; 4]; 5] = [
    [0.9, 0.7, 0.5, 1.0],
    [0.5, 0.5, 0.5, 0.5],
    [1.0, 1.0, 1.0, 1.0],
    [0.0, 0.5, 1.0, 2.0],
    [0.0, 0.0, 0.0, 0.0],
];

/// Makes a scene, and says what in it is a guess.
fn make_scene(
    parts: &Parts,
    wish: &Options,
    trials: &mut Trials<'_>,
) -> Result<(Json, Vec<String>, Vec<String>), NoScene> {
    let mut notes = Vec::new();
    let (width, height) = wish.size.unwrap_or((480, 360));
    let mut scene = json!({
        "size": [width, height],
        "background": "#14161c",
        "camera": { "eye": [1.1, 1.0, 2.2] },
        "model": [{ "rotateY": 20, "speed": 60 }],
    });
    let asked = find_requested(parts, wish)?;
    let Some(object) = scene.as_object_mut() else { return Ok((scene, notes, asked.unused)) };
    if let Some(part) = &parts.between {
        between::insert(part, wish, object, &mut notes);
    }
    if let Some(part) = &parts.vertex {
        object.insert("vertex", json!(&part.name));
        let attributes = if wish.attributes.is_empty() {
            inputs::attributes(part, &mut notes)
        } else {
            json!(&wish.attributes)
        };
        object.insert("attributes", attributes);
    }
    if let Some(part) = &parts.fragment {
        object.insert("fragment", json!(&part.name));
        if parts.vertex.is_none() {
            inputs::varyings(part, object, &mut notes);
        }
    }
    let mut textures = asked.textures;
    for (letter, part) in parts.iter() {
        inputs::textures(letter, part, wish, &mut textures, object, &mut notes);
        inputs::states(part, object);
    }
    object.insert("textures", Json::from(textures));
    let has =
        |name: &str| parts.iter().any(|(_, part)| part.shader.states.iter().any(|state| state.name == name));
    for (name, value) in wish.states.iter().filter(|(name, _)| has(name)) {
        if let Some(states) = object.object("states") {
            states.insert(name, value.clone());
        }
    }
    for (key, value) in &wish.keys {
        object.insert(key, value.clone());
    }

    let mut known = named_constants(parts, wish, &asked.constants, &mut notes);
    let lone_fragment = parts.vertex.is_none() && parts.between.is_none();
    match &wish.mesh {
        Some(mesh) => {
            object.insert("mesh", mesh.clone());
        }
        None if lone_fragment => {
            let flat = object.get("varyings").and_then(Json::as_object);
            let flat = flat.is_none_or(|given| {
                given.values().all(|v| *v == "uv" || *v == "color" || v.as_list().is_some())
            });
            let mesh = if flat { "quad" } else { "sphere" };
            notes.push(format!("the mesh is a {mesh}"));
            object.insert("mesh", json!(mesh));
        }
        None => {}
    }
    if lone_fragment && object.get("mesh") == Some(&json!("quad")) {
        // All of the view, whatever the matrices.
        object.insert("camera", json!({ "orthographic": 2 }));
        let aspect = width as f32 / height.max(1) as f32;
        object.insert("model", json!([{ "scale": [aspect, 1, 1] }]));
    }
    set(&mut scene, "constants", known.clone());
    if let Some(part) = &parts.vertex {
        if parts.fragment.is_none() {
            set_key(&mut scene, "show", json!("shape"));
        }
        matrices::place(part, wish, &asked.constants, &mut known, &mut scene, trials, &mut notes);
        if parts.fragment.is_none() {
            let seen = trial::draw(&scene, trials).map_or(0.0, |picture| trial::coverage(&picture));
            if seen < VISIBLE && wish.mesh.is_none() {
                spread(part, &mut scene, &mut notes);
            }
            show(part, &mut scene, trials, &mut notes);
        }
    }
    if let Some(part) = &parts.between {
        between::place(part, &mut known, &mut scene, trials, &mut notes);
        show(part, &mut scene, trials, &mut notes);
    }
    fill(parts, &known, &mut scene, trials, &mut notes);
    Ok((scene, notes, asked.unused))
}

fn set(scene: &mut Json, key: &str, value: Object) {
    set_key(scene, key, value.into());
}

fn set_key(scene: &mut Json, key: &str, value: Json) {
    if let Some(object) = scene.as_object_mut() {
        object.insert(key, value);
    }
}

/// What was asked for, by register.
struct RequestedValues {
    constants: Object,
    textures: Object,
    /// Names that the programs do not have.
    unused: Vec<String>,
}

/// Finds the registers of names.
fn find_requested(parts: &Parts, wish: &Options) -> Result<RequestedValues, NoScene> {
    let mut asked = RequestedValues { constants: Object::new(), textures: Object::new(), unused: Vec::new() };
    for (name, value) in &wish.constants {
        match register(parts, name, false) {
            Ok(register) => asked.constants.insert(register, value.clone()),
            Err(_) if wish.is_shared => asked.unused.push(name.clone()),
            Err(why) => return Err(why),
        }
    }
    for (name, value) in &wish.textures {
        match register(parts, name, true) {
            Ok(register) => asked.textures.insert(register, texture(value)),
            Err(_) if wish.is_shared => asked.unused.push(name.clone()),
            Err(why) => return Err(why),
        }
    }
    Ok(asked)
}

/// A texture of a flag: a name with a dot is a file.
fn texture(value: &Json) -> Json {
    match value.as_str() {
        Some(name) if name.contains('.') => json!({ "image": name }),
        _ => value.clone(),
    }
}

/// The register of a scene that a register of the program, or a name in it, is.
fn register(parts: &Parts, name: &str, texture: bool) -> Result<String, NoScene> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[stem.len()..];
    let lone = parts.iter().next().map_or("v", |(letters, _)| letters);
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
                let own = parts.iter().any(|(of, part)| of == letter && !part.shader.textures.is_empty());
                let letter = if own { letter } else { "f" };
                return Ok(format!("{letter}s{number}"));
            }
            _ => {}
        }
    }
    // A name that a preshader has is given to both, in the way of its table.
    if !texture && parts.iter().any(|(_, part)| part.beside.iter().any(|beside| beside.name == name)) {
        return Ok(name.into());
    }
    let wanted = |named: &&NamedRegisters| (named.bank == 's') == texture;
    for (letter, part) in parts.iter() {
        let exact = part.names.iter().filter(wanted).find(|named| named.name == name);
        let loose = || part.names.iter().filter(wanted).find(|named| named.name.eq_ignore_ascii_case(name));
        if let Some(named) = exact.or_else(loose) {
            return Ok(format!("{letter}{}{}", named.bank, named.first));
        }
    }
    let known: Vec<&str> = parts
        .iter()
        .flat_map(|(_, part)| part.names.iter().filter(wanted).map(|named| named.name.as_str()))
        .collect();
    let what = if texture { "texture" } else { "constant" };
    let hint = if known.is_empty() {
        "the programs have no names for it; give a register".to_string()
    } else {
        format!("the programs name {}", known.join(", "))
    };
    Err(NoScene(format!("no {what} \"{name}\"; {hint}")))
}

/// What constants are by their names and their own defaults; what was asked for is among it.
fn named_constants(parts: &Parts, wish: &Options, asked: &Object, notes: &mut Vec<String>) -> Object {
    let mut out = Object::new();
    // As the decimals they were written with.
    let number = |value: &f32| value.to_string().parse().unwrap_or(f64::from(*value));
    let decimals = |row: &[f32]| -> Vec<f64> { row.iter().map(number).collect() };
    for (letter, part) in parts.iter() {
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
            if let Some(default) = wish.default_of(named) {
                let registers = default.registers.iter().take(named.count as usize);
                let rows: Vec<Vec<f64>> = registers.map(|row| decimals(row)).collect();
                out.insert(key, json!(rows));
                continue;
            }
            let value = match (&named.default, names::constant(&named.name, named.count)) {
                (Some(default), _) => {
                    let rows: Vec<Vec<f64>> = default.chunks(4).map(decimals).collect();
                    Some(json!(rows))
                }
                (None, Some(value)) => {
                    let matrix = part.uses.matrices.iter().find(|m| m.first == named.first);
                    Some(match matrix {
                        Some(matrix) if value.as_str().is_some() && named.count >= 3 => {
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
        for beside in &part.beside {
            if out.contains_key(&beside.name) || asked.contains_key(&beside.name) {
                continue;
            }
            if let Some(default) = wish.defaults.iter().find(|default| default.name == beside.name) {
                let rows: Vec<Vec<f64>> = default.rows.iter().map(|row| decimals(row)).collect();
                out.insert(beside.name.clone(), json!(rows));
                continue;
            }
            if beside.is_brought {
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
                let own = part.names.iter().find(|named| {
                    named.bank == bank && index.checked_sub(named.first).is_some_and(|n| n < named.count)
                });
                let default = own
                    .and_then(|named| wish.default_of(named)?.registers.get((index - named.first) as usize));
                if let Some(register) = default.filter(|_| !asked.contains_key(&key)) {
                    out.insert(key, if bank == 'b' { json!(register[0]) } else { json!(decimals(register)) });
                } else if !asked.contains_key(&key) {
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
fn brief(value: &Json) -> String {
    match value {
        Json::Text(word) => word.clone(),
        Json::Object(object) => match object.iter().next() {
            Some(("transpose", inner)) => format!("{} by columns", brief(inner)),
            Some(("transform", _)) => "the identity".into(),
            Some((_, inner)) => brief(inner),
            None => String::new(),
        },
        other => other.to_string(),
    }
}

/// A vertex program that covers less of the view is shown over a plane.
const VISIBLE: f32 = 0.02;

/// Lets another attribute than those of the program place the vertices, on a square over the view.
fn spread(part: &Part, scene: &mut Json, notes: &mut Vec<String>) {
    let reads = |location: u32| {
        let kind = InputKind::Attribute { location };
        part.shader.inputs.iter().any(|input| input.kind == kind)
    };
    let Some(free) = (0..16).rev().find(|location| !reads(*location)) else { return };
    let Some(object) = scene.as_object_mut() else { return };
    let mut attributes = object.get("attributes").and_then(Json::as_object).cloned().unwrap_or_default();
    attributes.insert(format!("v{free}"), json!("position"));
    object.insert("attributes", attributes);
    object.insert("mesh", json!({ "quad": { "segments": 48 } }));
    object.insert("spread", json!(free));
    notes.push("hardly anything would be visible, so its results are spread over a plane".into());
}

/// How a lone vertex program is shown: with the fixed functions behind it, or one of its outputs, whatever shows more.
fn show(part: &Part, scene: &mut Json, trials: &mut Trials<'_>, notes: &mut Vec<String>) {
    let mut best: Option<(f32, Option<Json>, String)> = None;
    let mut consider = |show: Option<Json>, weight: f32, what: String, scene: &Json| {
        let mut trial = scene.clone();
        if let Some(object) = trial.as_object_mut() {
            match &show {
                Some(value) => object.insert("show", value.clone()),
                None => _ = object.remove("show"),
            };
        }
        let Some(picture) = trial::draw(&trial, trials) else { return };
        let score = trial::interest(&picture) * weight;
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, show, what));
        }
    };
    let textured = scene.get("textures").and_then(|t| t.get("fs0")).is_some();
    if !textured {
        if let Some(textures) = scene.get_mut("textures").and_then(Json::as_object_mut) {
            textures.insert("fs0", json!({ "pattern": "uv" }));
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
        consider(Some(Json::from(Object::from_iter([(&output.name, view)]))), 1.0, what, scene);
    }
    consider(Some(json!("shape")), 0.7, "its shape is shown".into(), scene);
    if let Some((_, value, what)) = best {
        notes.push(what);
        let object = scene.as_object_mut();
        match (value, object) {
            (Some(value), Some(object)) => {
                object.insert("show", value);
            }
            (None, Some(object)) => {
                object.remove("show");
            }
            _ => {}
        }
    }
    let shown = scene.get("show").is_some();
    if shown && !textured {
        if let Some(textures) = scene.get_mut("textures").and_then(Json::as_object_mut) {
            textures.remove("fs0");
        }
    }
}

/// Fills the constants that nothing is known of.
fn fill(parts: &Parts, known: &Object, scene: &mut Json, trials: &mut Trials<'_>, notes: &mut Vec<String>) {
    let mut open: Vec<String> = Vec::new();
    let mut called: Vec<String> = Vec::new();
    for (letter, part) in parts.iter() {
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
    let mut best: Option<(f32, Object, [f64; 4])> = None;
    for fill in FILLS {
        let mut constants: Object = open.iter().map(|key| (key.clone(), json!(fill))).collect();
        // What is known counts more.
        constants.extend(known.clone());
        let mut trial = scene.clone();
        set(&mut trial, "constants", constants.clone());
        let score = trial::draw(&trial, trials).map_or(-1.0, |picture| trial::interest(&picture));
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
fn taken(known: &Object, letter: &str, part: &Part) -> Vec<u32> {
    let mut out = Vec::new();
    for (key, value) in known.iter() {
        let number = key.strip_prefix(letter).and_then(|rest| rest.strip_prefix('c'));
        let Some(first) = number.and_then(|n| n.parse::<u32>().ok()) else { continue };
        let own = part.names.iter().find(|named| named.bank == 'c' && named.first == first);
        let count = own.map_or(1, |named| named.count).max(registers(value));
        out.extend(first..first.saturating_add(count.min(1024)));
    }
    out
}

/// How many registers a value fills.
fn registers(value: &Json) -> u32 {
    match value {
        Json::Text(word) => match word.as_str() {
            "eye" | "light" | "time" | "size" => 1,
            "viewport" => 2,
            "normal" | "normalView" => 3,
            word if word.starts_with('#') => 1,
            _ => 4,
        },
        Json::Object(_) => 4,
        Json::List(items) if !items.iter().all(Json::is_number) => items.iter().map(registers).sum(),
        _ => 1,
    }
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
