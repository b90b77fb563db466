//! Compiled effects of Direct3D 9 (fx_2_0): parameters, techniques, passes, states, and the programs that they use.
//!
//! An effect is a header, a pool of names, types and values, and tables that point into the pool; the blobs of the objects
//! (programs, strings, expressions) follow as a list. Nothing points at them by offset, so that one may grow or shrink
//! without a change anywhere else.
//!
//! What the fields mean is public knowledge from two open readers, Wine's d3dx9 and MojoShader; the layout of the pool and of
//! the tables was checked against real files, of which it explains every byte. The meaning of the two words of XNA's wrapper
//! and of the bit `0x100` in the index of sampler states is not known.

mod read;
mod states;

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched, word_of};
use crate::cursor::Result;
use crate::{Address, Budget, Container, Limits, rules};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_isa::d3d9::ctab::{CLASSES, KINDS};

pub use states::state_name;

/// An effect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// The words of XNA's wrapper behind its size, if it has one. Their meaning is not known.
    pub wrapper: Option<Vec<u32>>,
    /// Where the effect itself begins, behind the wrapper.
    pub start: usize,
    /// The size of the pool in bytes.
    pub pool_bytes: usize,
    /// The third number of the tables: passes, objects that are programs, and samplers together, in every file seen.
    pub third: u32,
    /// The number of objects, the unused object 0 included.
    pub object_count: u32,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The techniques.
    pub techniques: Vec<Technique>,
    /// The blobs of objects: first those that parameters own, then those of states.
    pub objects: Vec<Object>,
    /// Those that parameters own, by the number that these have for them.
    owned: BTreeMap<u32, usize>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its type, which has its name and its semantic.
    pub ty: Type,
    /// Its default.
    pub value: Value,
    /// 1 shared, 2 literal, 4 annotation.
    pub flags: u32,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// An annotation of a parameter, a technique or a pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Annotation {
    /// Its type and name.
    pub ty: Type,
    /// Its value.
    pub value: Value,
}

/// A technique.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Technique {
    /// Its name; `None` is another thing than an empty one.
    pub name: Option<String>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its passes.
    pub passes: Vec<Pass>,
}

/// A pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// Its name; `None` is another thing than an empty one.
    pub name: Option<String>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// What it sets.
    pub states: Vec<State>,
}

/// A state that a pass or a sampler sets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Which: see [`state_name`].
    pub op: u32,
    /// The number of a light, a texture stage, a register or a sampler; states of samplers have the bit `0x100`.
    pub index: u32,
    /// The type of the value.
    pub ty: Type,
    /// The value, unless an object says it.
    pub value: Value,
    /// The object that says it: a number of [`Effect::objects`].
    pub object: Option<usize>,
}

impl State {
    /// What it is called: `VertexShader`, `CULLMODE`.
    pub fn name(&self) -> Option<&'static str> {
        state_name(self.op)
    }

    /// The number of a light, a stage or a register: the index without the bit of samplers, whose meaning is not known.
    pub const fn number(&self) -> u32 {
        self.index & !0x100
    }
}

/// A type, with the name of what has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Type {
    /// The name; `None` is another thing than an empty one.
    pub name: Option<String>,
    /// The semantic.
    pub semantic: Option<String>,
    /// What its components are.
    pub base: Base,
    /// How they are arranged.
    pub class: Class,
    /// The number of elements of an array; 0 for what is no array.
    pub elements: u32,
    /// Rows of a matrix; 1 for scalars and vectors, 0 for others.
    pub rows: u32,
    /// Columns of a matrix, components of a vector; 1 for scalars, 0 for others.
    pub columns: u32,
    /// Members of a structure.
    pub members: Vec<Type>,
}

macro_rules! numbered {
    ($(#[$doc:meta])+ $T:ident $what:literal $names:path { $( $(#[doc = $d:literal])+ $V:ident, )* }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum $T { $( $(#[doc = $d])+ $V, )* }

        impl $T {
            /// Every one, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The one of that number.
            pub fn from_number(number: u32) -> Option<Self> {
                Self::ALL.get(number as usize).copied()
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                $names[self as usize]
            }
        }

        vecasm_ir::spelled!($T, $what);

        // What constants of programs call it, too, and no more.
        const _: () = assert!($T::ALL.len() == $names.len());
    };
}

numbered! {
    /// How the components of a type are arranged.
    Class "class of a type" CLASSES {
        /// One component.
        Scalar,
        /// Several in a row.
        Vector,
        /// A matrix, stored row by row.
        MatrixRows,
        /// A matrix, stored column by column.
        MatrixColumns,
        /// An object.
        Object,
        /// Members.
        Struct,
    }
}

numbered! {
    /// What the components of a type are.
    Base "base type" KINDS {
        /// Nothing.
        Void,
        /// 0 or 1, as a word.
        Bool,
        /// A signed integer.
        Int,
        /// A float.
        Float,
        /// A text.
        String,
        /// A texture of any dimension.
        Texture,
        /// A texture of one dimension.
        Texture1d,
        /// A texture of two dimensions.
        Texture2d,
        /// A texture of three dimensions.
        Texture3d,
        /// A cube.
        TextureCube,
        /// A sampler of any dimension.
        Sampler,
        /// A sampler of one dimension.
        Sampler1d,
        /// A sampler of two dimensions.
        Sampler2d,
        /// A sampler of three dimensions.
        Sampler3d,
        /// A sampler of cubes.
        SamplerCube,
        /// A pixel shader.
        PixelShader,
        /// A vertex shader.
        VertexShader,
        /// A piece of a pixel shader.
        PixelFragment,
        /// A piece of a vertex shader.
        VertexFragment,
        /// Not supported.
        Unsupported,
    }
}

impl Type {
    /// The numbers of a value of the type, row by row and element by element.
    pub fn numbers(&self, value: &Value) -> Vec<f64> {
        let mut out = Vec::new();
        self.collect(value, &mut out);
        out
    }

    fn collect(&self, value: &Value, out: &mut Vec<f64>) {
        for element in value {
            match element {
                Element::Words(words) => out.extend(words.iter().map(|&word| self.base.number(word))),
                Element::Members(members) => {
                    for (ty, value) in self.members.iter().zip(members) {
                        ty.collect(value, out);
                    }
                }
                _ => {}
            }
        }
    }
}

impl Base {
    /// The word that a number is; `None` if it is no value of the type.
    pub fn word(self, number: f64) -> Option<u32> {
        let is_whole = number % 1.0 == 0.0;
        match self {
            Self::Float => Some(number as f32).filter(|float| float.is_finite()).map(f32::to_bits),
            Self::Bool => (number == 0.0 || number == 1.0).then_some(number as u32),
            Self::Int => (is_whole && (-2_147_483_648.0..=2_147_483_647.0).contains(&number))
                .then_some(number as i32 as u32),
            _ => (is_whole && (0.0..=4_294_967_295.0).contains(&number)).then_some(number as u32),
        }
    }

    /// The number that a word is.
    pub fn number(self, word: u32) -> f64 {
        match self {
            Self::Float => f64::from(f32::from_bits(word)),
            Self::Int => f64::from(word as i32),
            _ => f64::from(word),
        }
    }

    /// Whether it is a number: bool, int or float.
    pub const fn is_numeric(self) -> bool {
        matches!(self, Self::Bool | Self::Int | Self::Float)
    }

    /// Whether it is a sampler.
    pub const fn is_sampler(self) -> bool {
        matches!(
            self,
            Self::Sampler | Self::Sampler1d | Self::Sampler2d | Self::Sampler3d | Self::SamplerCube
        )
    }

    /// Whether it is a program.
    pub const fn is_program(self) -> bool {
        matches!(self, Self::PixelShader | Self::VertexShader)
    }
}

/// A value: one for each element, and one if the type is no array.
pub type Value = Vec<Element>;

/// One element of a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Element {
    /// Components, as words.
    Words(Vec<u32>),
    /// The values of the members of a structure.
    Members(Vec<Value>),
    /// The number of an object: a string, a texture, a program.
    Object(u32),
    /// What a sampler sets.
    Sampler(Vec<State>),
}

/// Who has the blob of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// The object of that number, which a parameter or an annotation has.
    Small(u32),
    /// A state of a pass.
    Pass {
        /// The technique.
        technique: u32,
        /// The pass in it.
        pass: u32,
        /// The state in that.
        state: u32,
    },
    /// A state of a sampler.
    Sampler {
        /// The parameter.
        parameter: u32,
        /// The element of an array of samplers; `0xFFFFFFFF` stands for the only one, too.
        element: u32,
        /// The state in that.
        state: u32,
    },
}

/// An effect with another default of a parameter, which is of numbers. Where the old one is that of something else as well, the new one comes
/// behind all values; else everything stays in its place.
///
/// # Errors
///
/// [`ADDRESS`](rules::ADDRESS) if there is no such parameter; [`VALUE`](rules::VALUE) if it has no numbers, another count of them, or
/// integers where these are none; as reading.
pub fn with_default(file: &[u8], name: &str, numbers: &[f64], limits: Limits) -> Result<Vec<u8>> {
    let budget = Budget::new(limits);
    let (effect, _) = read::effect(file, &budget)?;
    let Some(n) = effect.parameters.iter().position(|p| p.ty.name.as_deref() == Some(name)) else {
        let names = effect.parameters.iter().filter_map(|parameter| parameter.ty.name.as_deref());
        let error = rules::ADDRESS.finding(format!("there is no parameter {name}"));
        return Err(match vecasm_ir::diag::near::nearest(name, names) {
            Some(near) => error.with_help(format!("did you mean {near}?")),
            None => error.with_help("`vecasm info FILE` lists the parameters"),
        });
    };
    let parameter = &effect.parameters[n];
    let refuse = |why: String| Err(rules::VALUE.finding(format!("the default of {name}: {why}")));
    if !parameter.value.iter().all(|element| matches!(element, Element::Words(_))) {
        return refuse("it is no number, vector or matrix".into());
    }
    let count = parameter.ty.numbers(&parameter.value).len();
    if numbers.len() != count {
        return refuse(format!("it has {count} numbers, not {}", numbers.len()));
    }
    let mut new = Vec::with_capacity(4 * count);
    for number in numbers {
        let Some(word) = parameter.ty.base.word(*number) else {
            return refuse(format!("{number} is no value of the type"));
        };
        new.extend_from_slice(&word.to_le_bytes());
    }
    let Some((place, is_shared)) = read::value_place(file, n, &budget)? else { return Ok(file.to_vec()) };
    let mut patches = Vec::new();
    if !is_shared {
        patches.push(Patch { range: place.range, bytes: new });
    } else {
        let end = effect.start + 8 + effect.pool_bytes;
        let padding = effect.pool_bytes.wrapping_neg() % 4;
        let size = word_of(effect.pool_bytes + padding + new.len(), "the pool")?;
        patches.push(Patch::word(effect.start + 4, size));
        patches.push(Patch::word(place.word, word_of(effect.pool_bytes + padding, "the pool")?));
        patches.push(Patch { range: end..end, bytes: [&[0; 3][..padding], &new].concat() });
    }
    Ok(patched(file, patches))
}

/// A blob.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Object {
    /// Who has it.
    pub owner: Owner,
    /// How the state uses it: 0 itself, 1 by the name of a parameter, 2 as a choice out of an array.
    pub usage: u32,
    /// Where its bytes are in the file. The word before them is their number.
    pub range: Range<usize>,
}

impl Object {
    /// The place of the bytes that fill it up to a multiple of four.
    fn padding(&self, file: usize) -> Range<usize> {
        let end = self.range.end;
        end..(end + self.range.len().wrapping_neg() % 4).min(file)
    }
}

impl Effect {
    /// The blob of the object of that number; the first one, if several have it.
    pub fn object(&self, id: u32) -> Option<&Object> {
        self.objects.get(*self.owned.get(&id)?)
    }

    /// The parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.ty.name.as_deref() == Some(name))
    }

    /// The text of a string object in the bytes of the file, without the NUL at its end.
    pub fn text<'f>(&self, file: &'f [u8], id: u32) -> Option<&'f str> {
        let bytes = file.get(self.object(id)?.range.clone())?;
        core::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes)).ok()
    }
}

/// The numbers of vertex and pixel shaders among the states.
const SHADERS: [(u32, &str); 2] = [(0x92, "vs"), (0x93, "ps")];

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let (effect, findings) = read::effect(bytes, budget)?;
    let entries = entries(&effect, bytes);
    Ok(Parsed::new(entries, Detail::Fx2(Box::new(effect)), findings))
}

/// The entries: programs of parameters, then what passes set, then what samplers set.
fn entries(effect: &Effect, bytes: &[u8]) -> Vec<Entry> {
    let mut out = Vec::new();
    for (n, parameter) in effect.parameters.iter().enumerate() {
        if !parameter.ty.base.is_program() {
            continue;
        }
        for (element, value) in parameter.value.iter().enumerate() {
            let Element::Object(id) = value else { continue };
            let Some(object) = effect.object(*id).filter(|object| !object.range.is_empty()) else { continue };
            let index = if parameter.ty.elements > 0 { format!("[{element}]") } else { String::new() };
            let alias = parameter.ty.name.as_deref().map(|name| format!("{}{index}", Address::encode(name)));
            let blob = bytes.get(object.range.clone()).unwrap_or_default();
            let part = Part::File(object.range.clone());
            out.push(Entry::of_tokens(format!("param{n}{index}"), part, blob).with_alias(alias));
        }
    }
    for (t, technique) in effect.techniques.iter().enumerate() {
        for (p, pass) in technique.passes.iter().enumerate() {
            let name = |name: &Option<String>, other: String| {
                name.as_deref().map_or(other, |name| Address::encode(name).into_owned())
            };
            let names = format!(
                "{}/{}",
                name(&technique.name, format!("technique{t}")),
                name(&pass.name, format!("pass{p}"))
            );
            for (s, state) in pass.states.iter().enumerate() {
                let step = match SHADERS.iter().find(|(op, _)| *op == state.op) {
                    Some((_, step)) => (*step).to_string(),
                    None => format!("state{s}"),
                };
                let address = format!("technique{t}/pass{p}/{step}");
                out.extend(entry_of(effect, state, address, Some(format!("{names}/{step}")), bytes));
            }
        }
    }
    for (n, parameter) in effect.parameters.iter().enumerate() {
        for (element, value) in parameter.value.iter().enumerate() {
            let Element::Sampler(states) = value else { continue };
            let index = if parameter.ty.elements > 0 { format!("[{element}]") } else { String::new() };
            for (s, state) in states.iter().enumerate() {
                let name = parameter.ty.name.as_deref();
                let alias = name.map(|name| format!("{}{index}/state{s}", Address::encode(name)));
                let address = format!("param{n}{index}/state{s}");
                // What names the texture is shown with the sampler.
                let entry = entry_of(effect, state, address, alias, bytes);
                out.extend(entry.filter(|entry| entry.kind != Kind::Reference));
            }
        }
    }
    out
}

/// The entry of what a state is set to, if an object says it.
fn entry_of(
    effect: &Effect,
    state: &State,
    address: String,
    alias: Option<String>,
    bytes: &[u8],
) -> Option<Entry> {
    let object = effect.objects.get(state.object?).filter(|object| !object.range.is_empty())?;
    let part = Part::File(object.range.clone());
    let entry = match (object.usage, state.ty.base.is_program()) {
        (0, true) => Entry::of_tokens(address, part, bytes.get(object.range.clone()).unwrap_or_default()),
        (0, false) => Entry::new(address, Kind::Expression, part),
        (1, _) => Entry::new(address, Kind::Reference, part),
        _ => Entry::new(address, Kind::Selector, part),
    };
    Some(entry.with_alias(alias))
}

/// The name of the parameter in the blob of a reference.
pub fn reference(blob: &[u8]) -> Option<&str> {
    core::str::from_utf8(blob.split(|&byte| byte == 0).next()?).ok()
}

/// The name and the place of the expression in the blob of a choice out of an array.
pub fn selector(blob: &[u8]) -> Option<(&str, usize)> {
    let len = u32::from_le_bytes(blob.get(..4)?.try_into().ok()?) as usize;
    let name = blob.get(4..4usize.checked_add(len)?)?;
    let name = core::str::from_utf8(name.split(|&byte| byte == 0).next()?).ok()?;
    Some((name, 4 + len.next_multiple_of(4)))
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Fx2(effect) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut patches = Vec::new();
    for (&n, bytes) in edits {
        let range = container.entries()[n].part.range();
        let Some(object) = effect.objects.iter().find(|object| object.range == *range) else { continue };
        patches.push(Patch::word(range.start - 4, word_of(bytes.len(), "an object")?));
        let mut new = bytes.to_vec();
        new.resize(new.len().next_multiple_of(4), 0);
        patches.push(Patch { range: range.start..object.padding(file.len()).end, bytes: new });
    }
    Ok(Edited { bytes: patched(file, patches), findings: Vec::new() })
}
