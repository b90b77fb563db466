//! Options by name: one table of what can be chosen, for command lines, keyword arguments, forms and manuals.
//!
//! An [`Opt`] says of one option what it is called, which values it takes, what holds where nothing is said, which instruction
//! sets and targets it is for, and what it does. The options of the command, the tables of its manual and `vecasm formats
//! --format json` are made of these rows.
//!
//! | what is set | whose options |
//! |---|---|
//! | how bytes are read | [`OpenOptions`] |
//! | who is asked whether a program is good | [`CheckOptions`] |
//! | what a program means where that is open | [`LiftOptions`] |
//! | how it is translated | [`Translating`] |
//! | how a file is read, and which of its programs | [`Reading`] |
//!
//! Each of them is set [by name](ByName::set), in words, with errors that say what would be right. [`GivenOptions`] keeps what was said
//! as it was said, for programs of several instruction sets and for other defaults.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "glsl"))] {
//! use vecasm::options::{ByName as _, Translating};
//! use vecasm::{NoHost, OpenOptions, Target, open};
//!
//! let text = b"tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
//! let program = open(text, &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//!
//! let mut how = Translating::default();
//! how.set("glsl-version", "300es")?;
//! how.set("rename", "fc0=tint")?;
//! let glsl = how.translate(&program, Target::Glsl)?;
//! assert!(glsl.text().is_some_and(|text| text.starts_with("#version 300 es") && text.contains("tint")));
//!
//! let error = how.set("glsl-version", "301es").unwrap_err();
//! assert!(error.to_string().starts_with("glsl-version: no such version; expected one of 120"), "{error}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod lift;
mod open;
mod reading;
mod writing;

pub use check::{explain_profile, profiles};
pub use reading::{ProgramChoice, Reading};
pub use writing::{Refused, TranslatedDraw, Translating};

use crate::isa::Isa;
use crate::isa::any::{CheckOptions, LiftOptions};
use crate::isa::switch::Switch;
use crate::open::OpenOptions;
use crate::target::Target;
use crate::word::Unknown;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// One option: a row of the table.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Opt {
    /// Its name, in small letters with hyphens: `glsl-version`. A flag of the command is called so.
    pub name: &'static str,
    /// What it is about, as a heading: `Meaning`, `SPIR-V`.
    pub group: &'static str,
    /// What a value looks like, in capitals: `VERSION`. Empty for switches.
    pub form: &'static str,
    /// The values that it takes.
    pub value: Value,
    /// The value that holds where none is given; empty where that depends on more, which [`doc`](Self::doc) says.
    pub default: &'static str,
    /// Whether it may be given several times, and each counts; else the last one counts.
    pub several: bool,
    /// Whether one value may be several words with commas between them.
    pub commas: bool,
    /// Other words for words: each with the one that it stands for.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The words for the instruction sets that it is for; empty for all, or where the value tells: see [`isas`](Self::isas).
    #[cfg_attr(feature = "serde", serde(rename = "isas"))]
    isa_words: &'static [&'static str],
    /// The words for the targets that it is for; empty where it has nothing to do with targets.
    #[cfg_attr(feature = "serde", serde(rename = "targets"))]
    target_words: &'static [&'static str],
    /// One sentence without a full stop.
    pub doc: &'static str,
    /// What else there is to say: paragraphs, or nothing.
    pub more: &'static str,
    /// The instruction set that a value is for.
    #[cfg_attr(feature = "serde", serde(skip))]
    isa_of: Option<fn(&str) -> Option<Isa>>,
}

/// The values of an option.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Value {
    /// On or off: `true` or `false`.
    Switch,
    /// One of a few words, each with a sentence about it.
    Word(
        #[cfg_attr(feature = "serde", serde(serialize_with = "described"))]
        &'static [(&'static str, &'static str)],
    ),
    /// One of many words, each with sentences about it, or `none`.
    Part(
        #[cfg_attr(feature = "serde", serde(serialize_with = "described"))]
        &'static [(&'static str, &'static str)],
    ),
    /// `NAME=VALUE`: an unsettled point of an original runtime, set.
    Rule(&'static [RuleGroup]),
    /// A whole number.
    Number {
        /// The lowest.
        low: u32,
        /// The highest.
        high: u32,
    },
    /// Another text of the option's form.
    Text,
}

/// Unsettled points of one instruction set.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RuleGroup {
    /// What they are about, as a heading.
    pub title: &'static str,
    /// The word for the instruction set.
    pub isa: &'static str,
    /// They.
    #[cfg_attr(feature = "serde", serde(serialize_with = "rules"))]
    pub rules: &'static [Switch],
}

/// A word with what it means.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
struct DescribedWord {
    name: &'static str,
    doc: &'static str,
}

#[cfg(feature = "serde")]
type Words = &'static [(&'static str, &'static str)];

#[cfg(feature = "serde")]
fn described<S: serde::Serializer>(words: &Words, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(words.iter().map(|(name, doc)| DescribedWord { name, doc }))
}

#[cfg(feature = "serde")]
fn rules<S: serde::Serializer>(rules: &&'static [Switch], to: S) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Rule {
        name: &'static str,
        default: &'static str,
        doc: &'static str,
        #[serde(serialize_with = "described")]
        values: Words,
    }
    let rule = |s: &Switch| Rule { name: s.name, default: s.default, doc: s.doc, values: s.values };
    to.collect_seq(rules.iter().map(rule))
}

#[allow(dead_code, reason = "which of them are used depends on the features")]
impl Opt {
    /// A switch; the methods below make it something else.
    const fn new(group: &'static str, name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            group,
            form: "",
            value: Value::Switch,
            default: "",
            several: false,
            commas: false,
            aliases: &[],
            isa_words: &[],
            target_words: &[],
            doc,
            more: "",
            isa_of: None,
        }
    }

    const fn takes(self, form: &'static str, value: Value) -> Self {
        Self { form, value, ..self }
    }

    /// With a text as value.
    const fn text(self, form: &'static str) -> Self {
        self.takes(form, Value::Text)
    }

    /// With one of these words as value.
    const fn words(self, form: &'static str, words: &'static [(&'static str, &'static str)]) -> Self {
        self.takes(form, Value::Word(words))
    }

    /// With a whole number as value.
    const fn number(self, form: &'static str) -> Self {
        self.takes(form, Value::Number { low: 0, high: u32::MAX })
    }

    const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    const fn several(self) -> Self {
        Self { several: true, ..self }
    }

    const fn commas(self) -> Self {
        Self { commas: true, ..self }
    }

    const fn aliases(self, aliases: &'static [(&'static str, &'static str)]) -> Self {
        Self { aliases, ..self }
    }

    const fn of_isas(self, isa_words: &'static [&'static str]) -> Self {
        Self { isa_words, ..self }
    }

    /// For the instruction set that the value tells.
    const fn isa_by_value(self, isa_of: fn(&str) -> Option<Isa>) -> Self {
        Self { isa_of: Some(isa_of), ..self }
    }

    const fn of_targets(self, target_words: &'static [&'static str]) -> Self {
        Self { target_words, ..self }
    }

    const fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    /// The instruction sets of this build that it is for, with that value; all of them where it is for any.
    pub fn isas(&self, value: &str) -> Vec<Isa> {
        let by_value = self.isa_of.and_then(|isa_of| isa_of(value));
        let is_for = |isa: &Isa| match by_value {
            Some(of) => of == *isa,
            None => self.isa_words.is_empty() || self.isa_words.contains(&isa.name()),
        };
        Isa::ALL.iter().copied().filter(is_for).collect()
    }

    /// The targets of this build that it is for.
    pub fn targets(&self) -> Vec<Target> {
        Target::ALL.iter().copied().filter(|target| self.target_words.contains(&target.name())).collect()
    }

    /// The option, with its value where that tells what it is for.
    fn label(&self, value: &str) -> String {
        let value = if matches!(self.value, Value::Rule(_)) { value.split('=').next() } else { Some(value) };
        match (self.isa_of, value) {
            (Some(_), Some(value)) => format!("{} {value}", self.name),
            _ => self.name.into(),
        }
    }
}

/// What is wrong with an option.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// There is none of that name.
    Name(Unknown),
    /// It does not take that value, or not together with another, or not for that program.
    Value {
        /// The option, perhaps with what it is about: `state fog-mode`.
        option: String,
        /// Why.
        message: String,
    },
    /// It is for programs of other instruction sets.
    Foreign {
        /// The option, perhaps with its value.
        option: String,
        /// For which: `is for agal, and this is tgsi`.
        message: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(unknown) => unknown.fmt(f),
            Self::Value { option, message } => write!(f, "{option}: {message}"),
            Self::Foreign { option, message } => write!(f, "{option} {message}"),
        }
    }
}

impl core::error::Error for OptionError {}

impl OptionError {
    fn value(option: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Value { option: option.into(), message: message.into() }
    }
}

/// How a value is set: a message says what is wrong with it.
type Set<T> = fn(&mut T, &str) -> Result<(), String>;

/// An option with what sets it.
pub struct Row<T> {
    /// What there is to say of it.
    pub option: Opt,
    set: Set<T>,
}

impl<T> fmt::Debug for Row<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.option.fmt(f)
    }
}

impl<T> Row<T> {
    const fn new(option: Opt, set: Set<T>) -> Self {
        Self { option, set }
    }

    /// Sets it.
    ///
    /// # Errors
    ///
    /// If it does not take that value.
    pub fn set(&self, of: &mut T, value: &str) -> Result<(), OptionError> {
        (self.set)(of, value).map_err(|message| match self.option.value {
            Value::Rule(_) => OptionError::value(format!("{} {value}", self.option.name), message),
            _ => OptionError::value(self.option.name, message),
        })
    }
}

/// What is set by options with names.
pub trait ByName: Clone + Default + 'static {
    /// Its options, in the order in which manuals have them.
    fn rows() -> impl Iterator<Item = &'static Row<Self>>;

    /// The row of a name.
    ///
    /// # Errors
    ///
    /// If there is none; the error knows the nearest.
    fn row(name: &str) -> Result<&'static Row<Self>, OptionError> {
        let names = || Self::rows().map(|row| row.option.name);
        let found = Self::rows().find(|row| row.option.name == name);
        found.ok_or_else(|| OptionError::Name(Unknown::new("option", name, names())))
    }

    /// Sets an option. One that may be given [several](field@Opt::several) times adds to what was said before.
    ///
    /// # Errors
    ///
    /// If there is no such option, or it does not take that value. Then nothing changes.
    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        Self::row(name)?.set(self, value)
    }

    /// With an option set.
    ///
    /// # Errors
    ///
    /// As for [`set`](Self::set).
    fn with(mut self, name: &str, value: &str) -> Result<Self, OptionError> {
        self.set(name, value)?;
        Ok(self)
    }
}

/// Every option that a program is read, checked, lifted or translated by.
pub fn options() -> impl Iterator<Item = &'static Opt> {
    fn of<T: ByName>() -> impl Iterator<Item = &'static Opt> {
        T::rows().map(|row| &row.option)
    }
    let read = of::<OpenOptions<'static>>();
    read.chain(of::<CheckOptions>()).chain(of::<LiftOptions>()).chain(of::<Translating>())
}

/// Options as they were said, in order: for other defaults, for programs of one instruction set, and to be written down.
pub struct GivenOptions<T> {
    list: Vec<(&'static str, String)>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for GivenOptions<T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), of: PhantomData }
    }
}

impl<T> Default for GivenOptions<T> {
    fn default() -> Self {
        Self { list: Vec::new(), of: PhantomData }
    }
}

impl<T> fmt::Debug for GivenOptions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.list.iter().map(|(name, value)| (name, value))).finish()
    }
}

/// The same if each option is given the same values, whichever option was said first.
impl<T: ByName> PartialEq for GivenOptions<T> {
    fn eq(&self, other: &Self) -> bool {
        fn pairs<T: ByName>(given: &GivenOptions<T>) -> impl Iterator<Item = (&'static str, &str)> {
            given.iter().map(|(option, value)| (option.name, value))
        }
        pairs(self).eq(pairs(other))
    }
}

impl<T: ByName> Eq for GivenOptions<T> {}

impl<T: ByName> GivenOptions<T> {
    /// Adds an option with its value. Words of an option with [commas](field@Opt::commas) follow those that were said before.
    ///
    /// # Errors
    ///
    /// If there is no such option, or it does not take that value. Then nothing changes.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let row = T::row(name)?;
        row.set(&mut T::default(), value)?;
        self.add(&row.option, value);
        Ok(())
    }

    /// The same without a look at the value, which [`apply`](Self::apply) takes then.
    ///
    /// # Errors
    ///
    /// If there is no such option.
    pub fn set_unseen(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.add(&T::row(name)?.option, value);
        Ok(())
    }

    fn add(&mut self, option: &Opt, value: &str) {
        let before = self.list.iter_mut().find(|(given, _)| *given == option.name);
        match before.filter(|_| !option.several) {
            Some((_, words)) if option.commas => {
                words.push(',');
                words.push_str(value);
            }
            Some((_, before)) => *before = value.to_string(),
            None => self.list.push((option.name, value.to_string())),
        }
    }

    /// Sets all of them.
    ///
    /// # Errors
    ///
    /// If one does not take its value, where it was added [unseen](Self::set_unseen).
    pub fn apply(&self, mut to: T) -> Result<T, OptionError> {
        for (name, value) in &self.list {
            to.set(name, value)?;
        }
        Ok(to)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The names and values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Opt, &str)> {
        let all = T::rows().map(|row| &row.option);
        all.flat_map(|option| {
            let of = self.list.iter().filter(|(name, _)| *name == option.name);
            of.map(move |(_, value)| (option, value.as_str()))
        })
    }

    /// The same as words of a command line: `--numerics`, `ieee`.
    pub fn words(&self) -> Vec<String> {
        let words = |(option, value): (&Opt, &str)| {
            let value = (!matches!(option.value, Value::Switch)).then(|| value.to_string());
            core::iter::once(format!("--{}", option.name)).chain(value)
        };
        self.iter().flat_map(words).collect()
    }

    /// The value of an option, if it is said; the last one.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.list.iter().rev().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Those that are for an instruction set: of several programs each heeds its own.
    #[must_use]
    pub fn of(&self, isa: Isa) -> Self {
        let is_for = |(name, value): &&(&str, String)| {
            T::row(name).is_ok_and(|row| row.option.isas(value).contains(&isa))
        };
        Self { list: self.list.iter().filter(is_for).cloned().collect(), of: PhantomData }
    }

    /// That one of them says nothing about programs of any of these instruction sets, if one does. What holds anyway is no matter.
    pub fn foreign(&self, isas: &[Isa]) -> Option<OptionError> {
        self.iter().find_map(|(option, value)| {
            let of = option.isas(value);
            let heeded = of.iter().any(|isa| isas.contains(isa));
            (!heeded && value != option.default).then(|| foreign(option.label(value), &of, isas))
        })
    }
}

/// That an option is for programs of other instruction sets than these.
fn foreign(option: String, of: &[Isa], isas: &[Isa]) -> OptionError {
    let names = |isas: &[Isa]| isas.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(" and ");
    OptionError::Foreign { option, message: format!("is for {}, and this is {}", names(of), names(isas)) }
}

/// On or off.
fn switch(value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("expected true or false".into()),
    }
}

/// A whole number.
fn number(value: &str) -> Result<u32, String> {
    number_in(value, 0, u32::MAX)
}

/// A whole number between two others, which may be it.
fn number_in(value: &str, low: u32, high: u32) -> Result<u32, String> {
    let number: i64 = value.parse().map_err(|error: core::num::ParseIntError| error.to_string())?;
    let fits = u32::try_from(number).ok().filter(|number| (low..=high).contains(number));
    fits.ok_or_else(|| format!("{number} is not in {low}..={high}"))
}

/// A value whose type has words.
fn word<T: core::str::FromStr<Err = Unknown>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: Unknown| error.to_string())
}

/// Sets the switch of a name of the first instruction set of this build that has it.
macro_rules! set_first {
    ($to:ident, $name:expr, $value:expr; $($isa:ident $feature:literal),*) => {{
        use $crate::isa::switch::SwitchError;
        let _ = (&$to, &$name, &$value);
        #[allow(unused_mut, reason = "a build may have none of them")]
        let mut done = Err(SwitchError::UnknownName);
        $(#[cfg(feature = $feature)]
        if done == Err(SwitchError::UnknownName) {
            done = $to.$isa.switches.set($name, $value);
        })*
        done
    }};
}
use set_first;

/// The names and values of rules, for a setting that failed.
fn set_rule(
    groups: &'static [RuleGroup],
    setting: &str,
    set: impl FnOnce(&str, &str) -> Result<(), crate::isa::switch::SwitchError>,
) -> Result<(), String> {
    use crate::isa::switch::SwitchError;
    let (name, value) = setting.split_once('=').ok_or("expected NAME=VALUE")?;
    let known = || groups.iter().flat_map(|group| group.rules);
    set(name, value).map_err(|error| match error {
        SwitchError::UnknownName => {
            let names: Vec<&str> = known().map(|rule| rule.name).collect();
            format!("no such switch; expected one of {}", names.join(", "))
        }
        SwitchError::UnknownValue => {
            let of = known().filter(|rule| rule.name == name).flat_map(|rule| rule.values);
            let values: Vec<&str> = of.map(|(value, _)| *value).collect();
            format!("no such value; expected one of {}", values.join(", "))
        }
    })
}

/// The instruction set of a rule.
fn isa_of_rule(groups: &[RuleGroup], setting: &str) -> Option<Isa> {
    let name = setting.split('=').next().unwrap_or(setting);
    let group = groups.iter().find(|group| group.rules.iter().any(|rule| rule.name == name))?;
    Isa::ALL.iter().copied().find(|isa| isa.name() == group.isa)
}
