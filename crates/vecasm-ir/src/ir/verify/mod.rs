//! The check of the IR against its own prose: [`verify`] finds every breach it can name.
//!
//! * `rules`: the ids and what they stand for;
//! * `tables`: what a shader declares;
//! * `regions`: values, arguments, regions and exits;
//! * `ops`: every operation.

mod ops;
mod regions;
mod rules;
mod tables;

pub use rules::{BreachRule, RULES, UNSOUND};

use super::{Label, Shader, Type, Value};
use crate::diag::Diagnostic;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// Regions nested deeper than this are refused, so that everything that walks a shader may recurse.
pub const MAX_DEPTH: usize = 200;

/// The most breaches that one call lists.
pub const MAX_BREACHES: usize = 1000;

/// A breach of the rules of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Which of the [`RULES`].
    pub id: &'static str,
    /// What is wrong. Things are called by their names in the [text form](super::text).
    pub message: String,
    /// The source instruction it belongs to, from 0, if it is inside one.
    pub step: Option<u32>,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {step}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl core::error::Error for Breach {}

/// Checks a shader; an empty list means that it keeps every rule of the [IR](super). Behind [`MAX_BREACHES`] the list
/// ends with a breach that says so. Takes time in proportion to the shader.
pub fn verify(shader: &Shader) -> Vec<Breach> {
    let mut v = Verifier {
        shader,
        defined: vec![Visibility::Undefined; shader.values.len()],
        scope: Vec::new(),
        labels: BTreeMap::new(),
        idioms: 0,
        marked: vec![false; shader.steps.len()],
        given: Vec::new(),
        runs: tables::Runs::default(),
        breaches: Vec::new(),
        step: None,
    };
    v.tables();
    v.body();
    v.breaches
}

/// Whether a shader keeps every rule of the IR: what must hold before anything else is done with it.
///
/// # Errors
///
/// [`UNSOUND`] with the first breach, without a place.
pub fn sound(shader: &Shader) -> Result<(), Diagnostic> {
    match verify(shader).into_iter().next() {
        None => Ok(()),
        Some(breach) => Err(UNSOUND.finding(UNSOUND.fill(&[&breach])).with_help(UNSOUND.reason)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    /// No node before this point defines the value.
    Undefined,
    /// Defined, and visible here.
    Visible,
    /// Defined in a region that has ended.
    Gone,
}

/// What a label names.
struct LabelTarget<'a> {
    /// Whether the region is open.
    open: bool,
    /// What a leave must give.
    results: &'a [Value],
    /// What an again must give; `None` for a block.
    params: Option<&'a [Value]>,
    /// Number of idioms around it.
    idioms: usize,
}

struct Verifier<'a> {
    shader: &'a Shader,
    defined: Vec<Visibility>,
    /// Values visible here, in the order of their definitions.
    scope: Vec<Value>,
    /// Every label seen.
    labels: BTreeMap<Label, LabelTarget<'a>>,
    /// Number of idioms open.
    idioms: usize,
    /// Steps that a mark has named.
    marked: Vec<bool>,
    /// Types of the argument list at hand.
    given: Vec<Type>,
    runs: tables::Runs,
    breaches: Vec<Breach>,
    step: Option<u32>,
}

impl Verifier<'_> {
    #[cold]
    fn breach(&mut self, id: &'static str, message: impl Into<String>) {
        let (id, message) = match self.breaches.len() {
            MAX_BREACHES.. => return,
            n if n + 1 == MAX_BREACHES => {
                (rules::MORE_BREACHES, format!("the shader has {MAX_BREACHES} or more breaches"))
            }
            _ => (id, message.into()),
        };
        self.breaches.push(Breach { id, message, step: self.step });
    }
}

/// The spelling of a type: `f32`, `f32x3`.
pub(crate) fn type_name(ty: Type) -> String {
    if ty.lanes == 1 { ty.scalar.name().into() } else { format!("{}x{}", ty.scalar.name(), ty.lanes) }
}

/// A list of types for a message: `f32x3 bool`. A long one is cut.
fn list_name(types: impl IntoIterator<Item = Type>) -> String {
    let mut words: Vec<String> = types.into_iter().take(9).map(type_name).collect();
    if let Some(last) = words.get_mut(8) {
        *last = "...".to_string();
    }
    words.join(" ")
}
