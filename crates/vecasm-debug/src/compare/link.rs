//! Bindings: what of a translated program is what of its source.
//!
//! A translation has other registers than its source, constants where that has literals, and constants for states of the
//! pipeline that its instruction set lacks. A [`Link`] says which is which. `Link::read` and `Link::write` (features `exec` and `files`) have one form:
//!
//! ```json
//! {
//!   "schema": 1,
//!   "source": {"isa": "d3d9", "stage": "vertex"},
//!   "target": {"isa": "agal", "stage": "vertex"},
//!   "promise": "operations",
//!   "inputs": {"va0": "v0"},
//!   "outputs": {"op": "oPos", "v0": "oT0"},
//!   "constants": {"vc5": "c5"},
//!   "literals": {"vc127": [0.0, 1.0, 2.0, 0.5]},
//!   "states": {"vc12": "fog-color"},
//!   "samplers": {"fs0": "s0"},
//!   "sampler_states": {"fs0": {"wrap": "repeat", "filter": "linear"}},
//!   "defaults": {"vc5": [1.0, 1.0, 1.0, 1.0]},
//!   "lift": ["numerics=ieee"],
//!   "fixed": {"fog-mode": "0x00000003"}
//! }
//! ```

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
#[cfg(all(feature = "exec", feature = "files"))]
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::ir::{SamplerState, Shader, Stage};

/// The number of the form.
pub const SCHEMA: u32 = 1;

/// Names of the target, and what each is in the source; a name stands once on each side.
pub type Names = Vec<(String, String)>;

pub use vecasm_ir::ir::Promise;

/// One of the two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkEnd {
    /// Its instruction set, as [`Shader::isa`] has it.
    pub isa: Option<String>,
    /// Its stage.
    pub stage: Option<Stage>,
}

/// Which input, output, constant, state and sampler of a translated program is which of its source.
///
/// The names are those of the tables of a [`Shader`], elements of constants are `c5`. A list that is there is complete:
/// what it lacks has no partner. What a list that is `None` would say is left to whoever reads the binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The program that was translated.
    pub source: LinkEnd,
    /// The program that it became.
    pub target: LinkEnd,
    /// What the translation keeps.
    pub promise: Option<Promise>,
    /// Inputs.
    pub inputs: Option<Names>,
    /// Outputs.
    pub outputs: Option<Names>,
    /// Elements of constants.
    pub constants: Option<Names>,
    /// Constants of the target that stand for literals of the source, with the bits of their lanes.
    pub literals: Vec<(String, [u32; 4])>,
    /// States of the source, each with the constant or the state of the target that holds it. A constant of floats holds a
    /// whole number as that number.
    pub states: Option<Names>,
    /// Textures with their samplers.
    pub samplers: Option<Names>,
    /// The states that the host gives to samplers of the target, since the source says them in the program. They are as in run files.
    pub sampler_states: Vec<(String, SamplerState)>,
    /// What constants of the target hold unless the host sets them, since the source brings those values: bits of their lanes.
    pub defaults: Vec<(String, [u32; 4])>,
    /// How the source was lifted where its instruction set leaves its meaning open: options and their values, `numerics=ieee`. `None` if
    /// that is not said.
    pub lift: Option<Vec<String>>,
    /// The values at which states of the source were fixed: bits of their lanes.
    pub fixed: Vec<(String, [u32; 4])>,
}

/// A list of names and its key.
pub(super) struct Section {
    pub(super) key: &'static str,
    pub(super) list: fn(&Link) -> &Option<Names>,
    #[cfg(all(feature = "exec", feature = "files"))]
    list_mut: fn(&mut Link) -> &mut Option<Names>,
    /// Whether names of the target are constants.
    constants: bool,
}

macro_rules! sections {
    ($($name:ident $field:ident $constants:literal;)*) => {
        $(pub(super) const $name: &Section = &Section {
            key: stringify!($field),
            list: |link| &link.$field,
            #[cfg(all(feature = "exec", feature = "files"))]
            list_mut: |link| &mut link.$field,
            constants: $constants,
        };)*
    };
}

sections! {
    INPUTS inputs false;
    OUTPUTS outputs false;
    CONSTANTS constants true;
    STATES states true;
    SAMPLERS samplers false;
}

/// The key of the literals.
pub(super) const LITERALS: &str = "literals";
/// The key of the states of samplers.
const SAMPLER_STATES: &str = "sampler_states";
/// The key of the constants that the source brings.
const DEFAULTS: &str = "defaults";
/// The key of the options of lifting.
const LIFT: &str = "lift";
/// The key of the states that were fixed.
const FIXED: &str = "fixed";
/// The keys in their order; those of lists have their [`Section`].
const KEYS: [(&str, Option<&Section>); 14] = [
    ("schema", None),
    ("source", None),
    ("target", None),
    ("promise", None),
    (INPUTS.key, Some(INPUTS)),
    (OUTPUTS.key, Some(OUTPUTS)),
    (CONSTANTS.key, Some(CONSTANTS)),
    (LITERALS, None),
    (STATES.key, Some(STATES)),
    (SAMPLERS.key, Some(SAMPLERS)),
    (SAMPLER_STATES, None),
    (DEFAULTS, None),
    (LIFT, None),
    (FIXED, None),
];

/// What is wrong with a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// Where: `inputs.va0`; empty for the binding as a whole.
    pub path: String,
    /// What.
    pub message: String,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl core::error::Error for LinkError {}

impl LinkError {
    /// About a key.
    pub(super) fn at(key: &str, message: impl Into<String>) -> Self {
        Self { path: key.into(), message: message.into() }
    }

    /// About a name under a key.
    pub(super) fn under(key: &str, name: &str, message: impl Into<String>) -> Self {
        Self { path: format!("{key}.{name}"), message: message.into() }
    }
}

impl Link {
    /// Fails if a name stands twice where it may stand once: of the target under one key, or under two of `constants`,
    /// `literals` and `states`; of the source under one key.
    ///
    /// # Errors
    ///
    /// The first name that does.
    pub fn check(&self) -> Result<(), LinkError> {
        let mut held: BTreeMap<&str, &str> = BTreeMap::new();
        for (key, section) in KEYS {
            let mut here: BTreeMap<&str, &str> = BTreeMap::new();
            let mut from: BTreeMap<&str, &str> = BTreeMap::new();
            let names = section.and_then(|section| (section.list)(self).as_ref());
            for (left, right) in names.into_iter().flatten() {
                if here.insert(left, right).is_some() {
                    return Err(LinkError::under(key, left, "the name is given twice"));
                }
                if let Some(first) = from.insert(right, left) {
                    let message = format!("{right} of the source is {first} already");
                    return Err(LinkError::under(key, left, message));
                }
            }
            let literals = self.literals.iter().map(|(name, _)| name.as_str());
            let constants: Vec<&str> = match section {
                Some(section) if section.constants => here.keys().copied().collect(),
                _ if key == LITERALS => literals.collect(),
                _ => Vec::new(),
            };
            for name in constants {
                if let Some(other) = held.insert(name, key) {
                    let message = format!("the name is given twice: under {other}, too");
                    return Err(LinkError::under(key, name, message));
                }
            }
        }
        Ok(())
    }

    /// Which of two shaders is the source: 0 or 1. Where the binding does not say, the first one.
    ///
    /// # Errors
    ///
    /// The shaders are of other instruction sets or of another stage than the binding says.
    pub fn source_of(&self, shaders: [&Shader; 2]) -> Result<usize, LinkError> {
        let fits = |end: &LinkEnd, shader: &Shader| end.isa.as_ref().is_none_or(|isa| *isa == shader.isa);
        let turned = [0, 1]
            .into_iter()
            .find(|&side| fits(&self.source, shaders[side]) && fits(&self.target, shaders[1 - side]));
        let Some(source) = turned else {
            let names = |end: &LinkEnd| end.isa.clone().unwrap_or_else(|| "any".into());
            return Err(LinkError::at(
                "",
                format!(
                    "the binding is from {} to {}, but the programs are {} and {}",
                    names(&self.source),
                    names(&self.target),
                    shaders[0].isa,
                    shaders[1].isa
                ),
            ));
        };
        for (key, end, side) in [("source", &self.source, source), ("target", &self.target, 1 - source)] {
            if let Some(stage) = end.stage.filter(|stage| *stage != shaders[side].stage) {
                let message =
                    format!("the program is a {} shader, no {}", shaders[side].stage.name(), stage.name());
                return Err(LinkError::under(key, "stage", message));
            }
        }
        Ok(source)
    }
}

#[cfg(all(feature = "exec", feature = "files"))]
mod files {
    use super::*;
    use vecasm_exec::json::lanes::{bits, lanes};
    use vecasm_exec::json::{self, Json, Object, PlacedError};
    use vecasm_exec::runfile;
    use vecasm_ir::ir::Scalar;

    type Node<'j, 'p> = json::Node<'j, 'p, LinkError>;

    impl PlacedError for LinkError {
        const ROOT: &'static str = "";

        fn placed(path: String, message: String) -> Self {
            Self { path, message }
        }
    }

    impl Link {
        /// Reads a binding. Numbers of literals are as in run files: `"inf"`, `"nan"` and bits such as `"0x7fc00000"` are
        /// texts; one number stands for all four lanes.
        ///
        /// # Errors
        ///
        /// The first thing that is wrong, with its place: no JSON, a key that there is not, a value of another kind, a
        /// name that is given twice.
        pub fn read(text: &str) -> Result<Self, LinkError> {
            let json =
                Json::parse_unique(text.as_bytes(), "the name").map_err(|error| LinkError::at("", error))?;
            let root = Node::root(&json);
            root.only(&KEYS.map(|(key, _)| key))?;
            let schema = root.need("schema")?;
            if schema.count(u32::MAX)? != SCHEMA {
                return Err(schema.error(format!("only {SCHEMA} is known")));
            }
            let mut link = Self::default();
            for (key, section) in KEYS {
                let Some(node) = root.get(key) else { continue };
                match (key, section) {
                    (_, Some(section)) => *(section.list_mut)(&mut link) = Some(names(&node)?),
                    ("source", _) => link.source = end(&node)?,
                    ("target", _) => link.target = end(&node)?,
                    ("promise", _) => link.promise = Some(node.word(Promise::ALL, Promise::name)?),
                    (LITERALS, _) => link.literals = literals(&node)?,
                    (DEFAULTS, _) => link.defaults = literals(&node)?,
                    (FIXED, _) => link.fixed = literals(&node)?,
                    (SAMPLER_STATES, _) => link.sampler_states = sampler_states(&node)?,
                    (LIFT, _) => {
                        let words = node.items()?.map(|item| item.text().map(String::from));
                        link.lift = Some(words.collect::<Result<_, _>>()?);
                    }
                    _ => {}
                }
            }
            link.check()?;
            Ok(link)
        }

        /// Writes a binding that [`read`](Self::read) gives back.
        pub fn write(&self) -> String {
            let mut out = String::from("{");
            for (key, section) in KEYS {
                let value = match (key, section) {
                    (_, Some(section)) => (section.list)(self).as_ref().map(|names| {
                        names.iter().map(|(left, right)| (left.as_str(), right.as_str())).collect::<Object>()
                    }),
                    ("source", _) => members_of(&self.source),
                    ("target", _) => members_of(&self.target),
                    _ => None,
                };
                let text = match key {
                    "schema" => Some(SCHEMA.to_string()),
                    "promise" => self.promise.map(|promise| Json::from(promise.name()).to_string()),
                    LITERALS => values(&self.literals),
                    DEFAULTS => values(&self.defaults),
                    FIXED => values(&self.fixed),
                    SAMPLER_STATES => {
                        let one = |(name, state): &(String, SamplerState)| {
                            format!("{}:{}", Json::from(name.as_str()), runfile::write_sampler(state))
                        };
                        listed(self.sampler_states.iter().map(one).collect())
                    }
                    LIFT => self.lift.as_ref().map(|words| {
                        words.iter().map(|word| Json::from(word.as_str())).collect::<Json>().to_string()
                    }),
                    _ => value.map(|members| Json::from(members).to_string()),
                };
                let Some(text) = text else { continue };
                out.push_str(if out.len() > 1 { ",\n  " } else { "\n  " });
                out.push_str(&format!("\"{key}\": {text}"));
            }
            out.push_str("\n}\n");
            out
        }
    }

    fn values(list: &[(String, [u32; 4])]) -> Option<String> {
        // What is no ordinary float may be a whole number: its bits say that best.
        let is_word = |bits: &u32| *bits != 0 && f32::from_bits(*bits).is_subnormal();
        let one = |(name, value): &(String, [u32; 4])| {
            let value = if value.iter().any(is_word) {
                format!("[{}]", value.map(|bits| format!("\"0x{bits:08x}\"")).join(", "))
            } else {
                lanes(value, Scalar::F32)
            };
            format!("{}:{value}", Json::from(name.as_str()))
        };
        listed(list.iter().map(one).collect())
    }

    /// The members of an object; nothing if there are none.
    fn listed(members: Vec<String>) -> Option<String> {
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    fn sampler_states(node: &Node<'_, '_>) -> Result<Vec<(String, SamplerState)>, LinkError> {
        let one = |(name, node): (&str, Node<'_, '_>)| {
            let state = runfile::read_sampler(node.json());
            let state = state.map_err(|error| node.error(error.to_string()))?;
            Ok((name.into(), state))
        };
        node.entries()?.map(one).collect()
    }

    fn names(node: &Node<'_, '_>) -> Result<Names, LinkError> {
        node.entries()?.map(|(left, right)| Ok((left.into(), right.text()?.into()))).collect()
    }

    /// The keys of an end.
    const END: [&str; 2] = ["isa", "stage"];

    fn end(node: &Node<'_, '_>) -> Result<LinkEnd, LinkError> {
        node.only(&END)?;
        let [isa, stage] = END.map(|key| node.get(key));
        Ok(LinkEnd {
            isa: isa.map(|isa| isa.text().map(String::from)).transpose()?,
            stage: stage.map(|stage| stage.word(&Stage::ALL, Stage::name)).transpose()?,
        })
    }

    fn members_of(end: &LinkEnd) -> Option<Object> {
        let [isa, stage] = END;
        let mut out = Object::new();
        if let Some(name) = &end.isa {
            out.insert(isa, name.as_str());
        }
        if let Some(of) = end.stage {
            out.insert(stage, of.name());
        }
        (!out.is_empty()).then_some(out)
    }

    fn literals(node: &Node<'_, '_>) -> Result<Vec<(String, [u32; 4])>, LinkError> {
        let one = |node: &Node<'_, '_>| {
            if !node.is_list() {
                return Ok([bits(node, Scalar::F32)?; 4]);
            }
            let items = node.items()?;
            if items.len() != 4 {
                return Err(node.error(format!("expected 4 numbers, found {}", items.len())));
            }
            let mut out = [0; 4];
            for (to, item) in out.iter_mut().zip(items) {
                *to = bits(&item, Scalar::F32)?;
            }
            Ok(out)
        };
        node.entries()?.map(|(name, value)| Ok((name.into(), one(&value)?))).collect()
    }
}
