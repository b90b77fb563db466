//! What is in a container, as data: the entries and, of effects, parameters with their defaults, techniques, passes and states.
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use vecasm::contents::Contents;
//!
//! // A package of one entry: 100, a count, the bytes that follow, a name of 256 bytes, a size.
//! let mut package = Vec::new();
//! package.extend([100u32, 1, 260].iter().flat_map(|word| word.to_le_bytes()));
//! package.extend(b"EMPTY.vso".iter().copied().chain([0; 247]));
//! package.extend([0; 4]);
//! let contents = Contents::of("games.sdp", &package)?;
//! assert_eq!((contents.format, contents.entries[0].address.as_str()), ("sdp", "EMPTY.vso"));
//! # }
//! # Ok::<(), vecasm::diag::Diagnostic>(())
//! ```

mod facts;
mod others;

use crate::container::fx2::{self, Element};
use crate::container::{Address, Budget, Container, Detail, Kind, Limits};
use crate::diag::Diagnostic;
use crate::isa::d3d9::preshader;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
#[cfg(feature = "serde")]
use serde::Serialize;

/// What is in a container.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Contents {
    /// The version of this form: 1.
    pub schema: u32,
    /// The name of the file, with the address if it is in another one.
    pub file: String,
    /// The [format](crate::container::Format): `fx2`.
    pub format: &'static str,
    /// What that is: `a compiled effect of Direct3D 9 (fx_2_0)`.
    pub title: &'static str,
    /// How many bytes it has.
    pub bytes: usize,
    /// What its header says, in words.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub facts: Vec<Fact>,
    /// The parameters of an effect.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub parameters: Vec<Parameter>,
    /// The techniques of an effect.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub techniques: Vec<Technique>,
    /// What is in it.
    pub entries: Vec<Entry>,
    /// Warnings about it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub warnings: Vec<Warning>,
}

/// A fact of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// What it is.
    pub value: String,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Warning {
    /// Its id: `CONTAINER-checksum`.
    pub id: &'static str,
    /// What it says.
    pub message: String,
}

/// One thing in a container.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Entry {
    /// Its whole address behind the name of the file.
    pub address: String,
    /// Other names of it in its container.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub aliases: Vec<String>,
    /// What it is: `stream`, `expression`, `selector`, `reference`, `file`, `container` or `foreign`.
    pub kind: &'static str,
    /// The number of the program, from 1, through all nested files.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub program: Option<u32>,
    /// The instruction set of a program.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub isa: Option<&'static str>,
    /// The stage of a program.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stage: Option<&'static str>,
    /// The model of a program of Direct3D 9: `ps_2_0`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub model: Option<String>,
    /// What it is, of what is no program; what a reference or a choice means.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub what: Option<String>,
    /// What the container says of it, in words.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub facts: Vec<Fact>,
    /// Where it is: the byte of the file or of what was unpacked.
    pub offset: usize,
    /// How many bytes it has.
    pub bytes: usize,
    /// The hash of its bytes, if one was [asked for](Contents::with_hashes).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub sha256: Option<String>,
    /// What is in it, if it is a container.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub inside: Option<Box<Contents>>,
    /// Why it cannot be read.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<Warning>,
}

/// A parameter of an effect.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Parameter {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// Its semantic.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub semantic: Option<String>,
    /// Its type: `float4x4`, `sampler2d`.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub ty: String,
    /// The number of elements of an array.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub elements: Option<u32>,
    /// Its default, as numbers or as the text of a string.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub default: Option<Default>,
    /// What a sampler sets, element by element.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub sampler: Vec<Vec<State>>,
    /// Its annotations.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub annotations: Vec<Parameter>,
}

/// A default.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum Default {
    /// Numbers, row by row and element by element.
    Numbers(Vec<f64>),
    /// A text.
    Text(String),
}

/// A technique of an effect.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Technique {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// Its passes.
    pub passes: Vec<Pass>,
    /// Its annotations.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub annotations: Vec<Parameter>,
}

/// A pass of a technique.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Pass {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// What it sets.
    pub states: Vec<State>,
    /// Its annotations.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub annotations: Vec<Parameter>,
}

/// A state that a pass or a sampler sets.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct State {
    /// Its name: `CULLMODE`, or its number.
    pub name: String,
    /// Which light, stage or register, if it is not the first.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub index: Option<u32>,
    /// What it is set to: numbers, the address of a program or an expression, the name of a parameter, an element of an array of
    /// programs, `VSArray[ShaderIndex]`.
    pub value: String,
    /// What an expression says by the names of parameters, one text a lane: `Mode + 1`. Left out of what is none, and where it cannot be
    /// said so.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub expression: Vec<String>,
}

impl Contents {
    /// What is in a file of that name, and in what is nested there.
    ///
    /// # Errors
    ///
    /// What is wrong with the file. What is wrong with one that is nested in it is the [error](Entry::error) of its entry.
    pub fn of(name: &str, file: &[u8]) -> Result<Self, Diagnostic> {
        Self::with_hashes(name, file, Limits::DEFAULT, &|_| None)
    }

    /// The same within other limits, and with hashes of the entries, which `hash` calculates.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    pub fn with_hashes(
        name: &str,
        file: &[u8],
        limits: Limits,
        hash: &dyn Fn(&[u8]) -> Option<String>,
    ) -> Result<Self, Diagnostic> {
        let mut budget = Budget::new(limits);
        let container = Container::read(file, &mut budget)?;
        let mut lister = Lister { file: name, hash, programs: 0 };
        Ok(lister.contents(&container, &Address::default(), &mut budget))
    }

    /// What a container of that name says beside its entries, which are left out.
    pub fn without_entries(name: &str, container: &Container<'_>) -> Self {
        let format = container.format();
        let mut out = Self {
            schema: 1,
            file: name.to_string(),
            format: format.name(),
            title: format.title(),
            bytes: container.file().len(),
            facts: facts::of(container),
            parameters: Vec::new(),
            techniques: Vec::new(),
            entries: Vec::new(),
            warnings: container.findings().iter().map(warning).collect(),
        };
        match container.detail() {
            Detail::Fx2(effect) => {
                let entries = container.entries().iter();
                let addresses = entries.map(|entry| (entry.part.range().start, &*entry.address)).collect();
                let reader = EffectReader { effect, file: container.file(), addresses };
                out.parameters = effect.parameters.iter().map(|p| reader.parameter(p)).collect();
                out.techniques = effect.techniques.iter().map(|t| reader.technique(t)).collect();
            }
            Detail::Mgfx(effect) => {
                out.parameters = effect.parameters.iter().map(others::mgfx_parameter).collect();
                out.techniques = effect.techniques.iter().map(others::mgfx_technique).collect();
            }
            Detail::Rgxa(effect) => {
                let parameters = effect.globals.iter().chain(&effect.locals);
                out.parameters = parameters.map(others::rage_parameter).collect();
                out.techniques =
                    effect.techniques.iter().map(|t| others::rage_technique(effect, t)).collect();
            }
            _ => {}
        }
        out
    }
}

/// Goes through a container and what is nested in it.
struct Lister<'a> {
    file: &'a str,
    hash: &'a dyn Fn(&[u8]) -> Option<String>,
    /// Programs so far.
    programs: u32,
}

impl Lister<'_> {
    fn contents(&mut self, container: &Container<'_>, above: &Address, budget: &mut Budget) -> Contents {
        let file = match above.parts() {
            [] => self.file.to_string(),
            _ => format!("{}::{above}", self.file),
        };
        let mut out = Contents::without_entries(&file, container);
        let facts = facts::EntryFacts::of(container);
        for (n, entry) in container.entries().iter().enumerate() {
            let mut listed = self.entry(container, entry, &above.join(&entry.address), budget);
            listed.facts = facts.of_entry(n);
            out.entries.push(listed);
        }
        out
    }

    fn entry(
        &mut self,
        container: &Container<'_>,
        entry: &crate::container::Entry,
        address: &Address,
        budget: &mut Budget,
    ) -> Entry {
        let mut out = Entry {
            address: address.to_string(),
            aliases: entry.aliases.clone(),
            kind: entry.kind.name(),
            program: None,
            isa: None,
            stage: entry.stage.map(crate::ir::Stage::name),
            model: entry.version.and_then(model),
            what: None,
            facts: Vec::new(),
            offset: entry.part.range().start,
            bytes: entry.size(),
            sha256: None,
            inside: None,
            error: None,
        };
        let bytes = match container.bytes(entry, budget) {
            Ok(bytes) => bytes,
            Err(finding) => {
                out.error = Some(warning(&finding));
                return out;
            }
        };
        out.sha256 = (self.hash)(&bytes);
        match &entry.kind {
            Kind::Stream(isa) => {
                self.programs += 1;
                (out.program, out.isa) = (Some(self.programs), Some(isa.name()));
                let model = || crate::isa::AnyProgram::decode_lossless(*isa, &bytes).model();
                out.model = out.model.or_else(|| Some(model()));
            }
            Kind::File => {
                let input =
                    crate::open::Input::new("", entry.file_name(), crate::open::plain(bytes.to_vec()));
                if let Some(isa) = input.isa() {
                    let options = crate::open::OpenOptions::default();
                    let pieces = input.pieces(&options);
                    let count = pieces.len().max(1);
                    (out.program, out.isa) = (Some(self.programs + 1), Some(isa.name()));
                    // Several have a model each.
                    if count == 1 {
                        let only = pieces.first().unwrap_or(&input);
                        let program = only.read(&options, &mut crate::open::NoHost).ok();
                        out.model = program.as_ref().map(|program| program.any().model());
                        out.stage = program.map(|program| program.any().stage().name()).or(out.stage);
                    }
                    self.programs = self.programs.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                }
            }
            Kind::Foreign(what) => out.what = Some(what.to_string()),
            Kind::Reference => out.what = Some(text_of(&bytes)),
            Kind::Selector => {
                out.what = fx2::selector(&bytes).map(|(name, at)| {
                    let says = expression_text(bytes.get(at..).unwrap_or_default());
                    let says = says.map_or_else(String::new, |says| format!(", by {says}"));
                    format!("an element of {name}{says}")
                });
            }
            Kind::Expression => out.what = expression_text(&bytes),
            Kind::Container(_) => match container.open(entry, budget) {
                Ok(inner) => out.inside = Some(Box::new(self.contents(&inner, address, budget))),
                Err(finding) => out.error = Some(warning(&finding)),
            },
            _ => {}
        }
        out
    }
}

/// Instructions of an expression that are shown.
const SHOWN: usize = 8;

/// An expression that has instructions.
fn expression(stream: &[u8]) -> Option<preshader::Preshader> {
    let words: Vec<u32> =
        stream.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    preshader::read(&words).0.filter(|expression| !expression.code().is_empty())
}

/// What an expression says, in one line.
fn expression_text(stream: &[u8]) -> Option<String> {
    let expression = expression(stream)?;
    let shown = expression.code().iter().take(SHOWN);
    let mut lines: Vec<String> =
        shown.map(|one| preshader::instruction_text(&expression, one, preshader::Style::Listing)).collect();
    if let Some(more) = expression.code().len().checked_sub(SHOWN).filter(|more| *more > 0) {
        lines.push(format!("{more} more"));
    }
    Some(format!("`{}`", lines.join("; ")))
}

fn warning(finding: &Diagnostic) -> Warning {
    Warning { id: finding.id, message: finding.message.clone() }
}

fn text_of(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The model that the first word of a program of Direct3D 9 tells.
fn model(version: u32) -> Option<String> {
    let program = crate::isa::d3d9::bytes::decode_lossless(&version.to_le_bytes());
    Some(crate::isa::AnyProgram::from(program).model())
}

/// What an effect of Direct3D 9 says.
struct EffectReader<'a> {
    effect: &'a fx2::Effect,
    file: &'a [u8],
    /// The addresses of entries, by where they begin.
    addresses: BTreeMap<usize, &'a str>,
}

impl EffectReader<'_> {
    fn parameter(&self, parameter: &fx2::Parameter) -> Parameter {
        let annotations = self.annotations(&parameter.annotations);
        Parameter { annotations, ..self.typed(&parameter.ty, &parameter.value) }
    }

    fn annotations(&self, list: &[fx2::Annotation]) -> Vec<Parameter> {
        list.iter().map(|annotation| self.typed(&annotation.ty, &annotation.value)).collect()
    }

    fn typed(&self, ty: &fx2::Type, value: &fx2::Value) -> Parameter {
        let sampler = value.iter().filter_map(|element| match element {
            Element::Sampler(states) => Some(states.iter().map(|state| self.state(state)).collect()),
            _ => None,
        });
        Parameter {
            name: ty.name.clone(),
            semantic: ty.semantic.clone(),
            ty: type_name(ty),
            elements: (ty.elements > 0).then_some(ty.elements),
            default: self.default_of(ty, value),
            sampler: sampler.collect(),
            annotations: Vec::new(),
        }
    }

    fn default_of(&self, ty: &fx2::Type, value: &fx2::Value) -> Option<Default> {
        if ty.base == fx2::Base::String {
            let [Element::Object(id), ..] = value[..] else { return None };
            return self.effect.text(self.file, id).map(|text| Default::Text(text.into()));
        }
        let numbers: Vec<f64> = ty.numbers(value).into_iter().map(shortest).collect();
        (!numbers.is_empty()).then_some(Default::Numbers(numbers))
    }

    fn technique(&self, technique: &fx2::Technique) -> Technique {
        let pass = |pass: &fx2::Pass| Pass {
            name: pass.name.clone(),
            states: pass.states.iter().map(|state| self.state(state)).collect(),
            annotations: self.annotations(&pass.annotations),
        };
        Technique {
            name: technique.name.clone(),
            passes: technique.passes.iter().map(pass).collect(),
            annotations: self.annotations(&technique.annotations),
        }
    }

    fn state(&self, state: &fx2::State) -> State {
        let index = state.number();
        State {
            name: state.name().map_or_else(|| format!("{:#x}", state.op), String::from),
            index: (index > 0).then_some(index),
            value: self.value_of(state),
            expression: self.expression_of(state),
        }
    }

    /// What a state is set to.
    fn value_of(&self, state: &fx2::State) -> String {
        if let Some(object) = state.object.and_then(|n| self.effect.objects.get(n)) {
            let bytes = self.file.get(object.range.clone()).unwrap_or_default();
            return match (object.usage, self.addresses.get(&object.range.start)) {
                (1, _) => text_of(bytes),
                (2, _) => fx2::selector(bytes).map_or_else(String::new, |(name, at)| {
                    let says = bytes.get(at..).and_then(|stream| infix(stream, 1));
                    let says = says.and_then(|mut says| says.pop()).unwrap_or_else(|| "…".into());
                    format!("{name}[{says}]")
                }),
                (_, Some(address)) => (*address).into(),
                (_, None) => "nothing".into(),
            };
        }
        let numbers = state.ty.numbers(&state.value);
        let words: Vec<String> = numbers.iter().map(|&n| number_text(shortest(n))).collect();
        match &state.value[..] {
            [Element::Object(_), ..] if state.ty.base.is_program() => "nothing".into(),
            [Element::Object(id), ..] => self.effect.text(self.file, *id).unwrap_or("an object").into(),
            _ => words.join(" "),
        }
    }

    /// What a state is set to by an expression, unless it is a program.
    fn expression_of(&self, state: &fx2::State) -> Vec<String> {
        let object = state.object.and_then(|n| self.effect.objects.get(n));
        let object = object.filter(|object| object.usage == 0 && !state.ty.base.is_program());
        let bytes = object.and_then(|object| self.file.get(object.range.clone()));
        let lanes = (state.ty.rows.max(1) * state.ty.columns.max(1)).min(4);
        bytes.and_then(|bytes| infix(bytes, lanes)).unwrap_or_default()
    }
}

/// What an expression says by names, one text a lane.
fn infix(stream: &[u8], lanes: u32) -> Option<Vec<String>> {
    preshader::infix(&expression(stream)?, lanes)
}

/// The number with the fewest decimals that is the same single one, as it was written: 0.1 for what is 0.10000000149011612.
fn shortest(number: f64) -> f64 {
    let single = number as f32;
    if f64::from(single) == number { single.to_string().parse().unwrap_or(number) } else { number }
}

/// A number of a default or a state as text, with an exponent where it has many digits.
pub fn number_text(number: f64) -> String {
    let size = number.abs();
    if number != 0.0 && !(1e-5..1e16).contains(&size) && number.is_finite() {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// A type as effects declare it: `float4x4`, `texture2d`.
fn type_name(ty: &fx2::Type) -> String {
    let base = ty.base.name();
    match ty.class {
        fx2::Class::Scalar | fx2::Class::Object => base.into(),
        fx2::Class::Vector => format!("{base}{}", ty.columns),
        fx2::Class::MatrixRows | fx2::Class::MatrixColumns => format!("{base}{}x{}", ty.rows, ty.columns),
        fx2::Class::Struct => {
            let members: Vec<String> = ty
                .members
                .iter()
                .map(|member| format!("{} {};", type_name(member), member.name.as_deref().unwrap_or("")))
                .collect();
            format!("struct {{ {} }}", members.join(" "))
        }
    }
}
