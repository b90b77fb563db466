//! The body of an entry point, in a language of text: what WGSL and GLSL have in common.
//!
//! | file | holds |
//! |---|---|
//! | `language` | what a language has to say for itself |
//! | `outside` | how what lies outside the entry point is spelt |
//! | `statements` | regions, stores and exits |
//! | `expressions` | arguments, loads |
//! | `cells` | cells that are chosen by a computed index |
//! | `pure` | pure operations |
//! | `textures` | what a texture operation takes |
//! | `helpers` | functions that the written code calls |
//! | `memory` | buffers and what a workgroup shares |
//! | `images` | what is done with images |
//! | `vertices` | stages with vertices |
//! | `wide` | 64-bit values, where there are types for them |
//! | `soft` | 64-bit values as pairs of words, and the functions on them (`soft.wgsl`) |
//!
//! Here stand the frame of the function, comments and names. A language adds declarations, its entry points, texture
//! reads and memory.

mod cells;
mod expressions;
pub(super) mod helpers;
mod images;
mod language;
mod memory;
mod outside;
mod pure;
mod soft;
mod statements;
mod textures;
mod vertices;
mod wide;

pub(super) use images::Uses;
#[cfg(any(feature = "hlsl", feature = "msl"))]
pub(super) use language::numbered;
pub(super) use language::{Language, Reasons, reasons};
#[cfg(any(feature = "glsl", feature = "hlsl"))]
pub(super) use memory::changed_word;
pub(super) use memory::{Access, Words, atomic_word};
#[cfg(any(feature = "msl", feature = "wgsl"))]
pub(super) use outside::push_state;
#[cfg(any(feature = "glsl", feature = "hlsl"))]
pub(super) use outside::reads_lanes;
pub(super) use outside::{
    Outside, Params, Results, Spelling, identifier, is_single, lanes_of, renamed, unique,
};
pub(super) use soft::WideScalars;
pub(super) use textures::TextureArguments;
#[cfg(any(feature = "msl", feature = "wgsl"))]
pub(super) use textures::lane;

use crate::common::{Names, Prec, extensible, is_identifier, push_u32};
use crate::emits::EmittedVertices;
use crate::plan::{Extent, Plan, trim};
use crate::rules::refused;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use cells::Run;
use helpers::Helpers;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Home, Label, Op, Output, Scalar, Shader, Stage, Type, Value};

/// A statement longer than this is broken where that is easy.
const WIDTH: usize = 100;
/// Marks a table entry that is not set.
const NONE: u32 = u32::MAX;

/// How an argument may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// With its own number of lanes.
    Exact,
    /// Equal lanes may be written as one: the other operand is a vector, or the operation is done on one lane.
    Loose,
}

/// The name of a value that has a statement of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Local {
    /// Which base name; [`NONE`] before the statement.
    base: u32,
    /// Which one of that name, from 0.
    serial: u32,
}

struct Base {
    name: String,
    next: u32,
}

/// What holds an output.
struct Variable<'a> {
    /// Empty until it has a name.
    name: Spelling<'a>,
    /// Whether it has the first lane only.
    single: bool,
}

/// An open block, loop or switch.
struct Open<'a> {
    /// `None` for a switch.
    label: Option<Label>,
    is_loop: bool,
    results: &'a [Value],
    params: &'a [Value],
    /// Exits that pass through: the label, and whether it is gone round.
    through: Vec<(Label, bool)>,
}

/// Writes the body of one entry point.
pub(super) struct Body<'a, 'm, L: Language> {
    /// The language.
    pub(super) lang: L,
    /// The text of each source instruction.
    pub(super) comments: &'m [String],
    /// New names of registers.
    pub(super) renames: &'a [(&'a str, &'a str)],
    pub(super) out: String,
    pub(super) shader: &'a Shader,
    pub(super) plan: Plan<'a>,
    pub(super) outside: &'m Outside<'a>,
    names: &'m mut Names,
    pub(super) helpers: &'m mut Helpers,
    locals: Vec<Local>,
    bases: Vec<Base>,
    /// By register file and number: the base name.
    homes: Vec<Vec<u32>>,
    /// Base name of values without a register.
    plain: u32,
    /// By output.
    cells: Vec<Variable<'a>>,
    /// By local array: the variable.
    arrays: Vec<Cow<'a, str>>,
    input_runs: Vec<Run<'a>>,
    runs: Vec<Run<'a>>,
    /// By buffer, and at the end what the workgroup shares.
    pub(super) memories: Vec<L::Memory>,
    open: Vec<Open<'a>>,
    indent: usize,
    /// Source instructions whose text was written.
    told: usize,
    returned: bool,
    /// 64-bit scalars that are written as pairs of words.
    pub(super) soft: WideScalars,
    /// What is known of the vertices that a geometry shader gives.
    pub(super) emits: EmittedVertices,
    /// The variable that counts them, if there may be too many.
    given: String,
    /// The first thing that cannot be said.
    refused: Option<Diagnostic>,
}

impl<'a, 'm, L: Language> Body<'a, 'm, L> {
    pub(super) fn new(
        lang: L,
        out: String,
        (shader, plan): (&'a Shader, Plan<'a>),
        outside: &'m Outside<'a>,
        names: &'m mut Names,
        helpers: &'m mut Helpers,
    ) -> Self {
        Self {
            lang,
            comments: &[],
            renames: &[],
            out,
            shader,
            locals: vec![Local { base: NONE, serial: 0 }; shader.values.len()],
            plan,
            outside,
            names,
            helpers,
            bases: Vec::with_capacity(16),
            homes: Vec::new(),
            plain: NONE,
            cells: Vec::new(),
            arrays: Vec::new(),
            input_runs: Vec::new(),
            runs: Vec::new(),
            memories: Vec::new(),
            open: Vec::new(),
            indent: 1,
            told: 0,
            returned: false,
            soft: WideScalars::default(),
            emits: EmittedVertices::default(),
            given: String::new(),
            refused: None,
        }
    }

    /// Takes the spellings of the outputs.
    pub(super) fn take_cells(&mut self, outputs: Vec<Spelling<'a>>) {
        let variable = |(name, output): (Spelling<'a>, &Output)| {
            let single = is_single(output.kind) && !name.is_empty();
            Variable { name, single }
        };
        self.cells = outputs.into_iter().zip(&self.shader.outputs).map(variable).collect();
    }

    /// Notes that something cannot be said; the text comes to nothing.
    #[cold]
    pub(super) fn refuse(&mut self, rule: &'static Rule, what: String) {
        if self.refused.is_none() {
            self.refused = Some(refused(rule, what));
        }
    }

    /// Notes that the language has no such operation.
    #[cold]
    pub(super) fn cannot(&mut self, op: Op) {
        let rule = match op {
            op if op.needs_subgroup() => L::REASONS.subgroup,
            Op::AtomicImage { .. } => L::REASONS.image,
            _ => L::REASONS.op,
        };
        let version = self.lang.version();
        let gap = if version.is_empty() { "" } else { " " };
        let there = self.lang.where_else(op);
        self.refuse(rule, format!("{}{gap}{version} has no equivalent of `{}`{there}", L::NAME, op_name(op)));
    }

    /// Writes what stands behind the head of the function, and hands the text back.
    pub(super) fn write(mut self) -> Result<(String, Vec<L::Memory>), Diagnostic> {
        self.out.push_str(" {\n");
        self.cells();
        let shader = self.shader;
        self.nodes(&shader.body)?;
        self.write_source(usize::MAX);
        if !self.returned {
            self.give_back();
        }
        self.out.push_str("}\n");
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok((self.out, self.memories)),
        }
    }

    /// Declares the variables of output cells.
    fn cells(&mut self) {
        if let Results::Struct(name) = &self.outside.results {
            self.line();
            self.out.push_str(if L::C { name } else { "var " });
            self.out.push_str(if L::C { " " } else { L::RESULT });
            self.out.push_str(if L::C { L::RESULT } else { ": " });
            self.out.push_str(if L::C { "" } else { name });
            self.out.push_str(";\n");
        }
        for line in &self.outside.first {
            self.line();
            self.out.push_str(line);
            self.out.push('\n');
        }
        L::begin(self);
        self.declare_arrays();
        for (i, output) in self.shader.outputs.iter().enumerate() {
            let cell = &self.plan.cells[i];
            if !cell.wanted || output.kind.is_of_patch() {
                continue;
            }
            if self.shader.stage == Stage::Geometry && self.is_covered(i, &self.shader.body.nodes) {
                continue;
            }
            let named = !self.cells[i].name.is_empty();
            let depth = self.cells[i].single;
            // It is written in place of its last store, or returned if there is none.
            if cell.is_whole() && (cell.last.is_some() || !named) {
                continue;
            }
            let init = output.init;
            if named {
                // What a struct begins with is zero, what a variable begins with is open.
                if init == [0; 4] && !L::C {
                    continue;
                }
                self.line();
                self.cells[i].name.push(&mut self.out);
                self.out.push_str(" = ");
                self.bits(output.scalar, &init[..if depth { 1 } else { 4 }]);
            } else {
                let name = identifier(renamed(self.renames, &output.name));
                let name = self.names.take(name, L::is_word);
                let ty = Type::new(output.scalar, 4);
                self.line();
                self.declare(ty, false);
                self.out.push_str(&name);
                self.cells[i].name = Spelling::plain(name);
                if init != [0; 4] {
                    self.out.push_str(" = ");
                    self.bits(output.scalar, &init);
                } else if L::C {
                    self.out.push_str(" = ");
                    self.zero(ty);
                } else {
                    self.out.push_str(": ");
                    self.out.push_str(L::type_name(ty));
                }
            }
            self.out.push_str(";\n");
        }
        self.count_vertices();
    }

    /// Writes the statements at the end.
    fn last_lines(&mut self) {
        for line in &self.outside.last {
            self.line();
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    /// The `return` at the end.
    fn give_back(&mut self) {
        match &self.outside.results {
            Results::None => {}
            // They went out with each vertex.
            Results::Globals if self.shader.stage == Stage::Geometry => {}
            results @ (Results::Globals | Results::Struct(_)) => {
                self.copy_runs();
                self.last_lines();
                if matches!(results, Results::Struct(_)) {
                    self.out.push_str("    return ");
                    self.out.push_str(L::RESULT);
                    self.out.push_str(";\n");
                }
            }
            Results::One(output) => {
                self.out.push_str("    return ");
                match *output {
                    Some(i) => {
                        let output = &self.shader.outputs[i];
                        let single = is_single(output.kind);
                        if self.cells[i].name.is_empty() {
                            // Never written.
                            let (scalar, init) = (output.scalar, output.init);
                            self.bits(scalar, &init[..if single { 1 } else { 4 }]);
                        } else {
                            self.cells[i].name.push(&mut self.out);
                            self.out.push_str(if single { ".x" } else { "" });
                        }
                    }
                    None => self.zero(Type::F32X4),
                }
                self.out.push_str(";\n");
            }
        }
    }

    // Lines

    /// Begins a declaration: what stands before the name. `fixed` if nothing is assigned later.
    pub(super) fn declare(&mut self, ty: Type, fixed: bool) {
        if L::C {
            self.out.push_str(self.type_name(ty));
            self.out.push(' ');
        } else {
            self.out.push_str(if fixed { "let " } else { "var " });
        }
    }

    /// What stands behind the name of a variable that is assigned before it is read.
    pub(super) fn declared(&mut self, ty: Type) {
        if !L::C {
            self.out.push_str(": ");
            self.out.push_str(self.type_name(ty));
        }
    }

    /// Writes zeros.
    pub(super) fn zero(&mut self, ty: Type) {
        if self.soft.has(ty.scalar) {
            self.soft_constant(ty, &[]);
        } else if L::C {
            self.constant(
                ty.scalar,
                &[0; 4][..usize::from(ty.lanes.clamp(1, 4))],
                Shape::Exact,
                Prec::Lowest,
            );
        } else {
            self.out.push_str(L::type_name(ty));
            self.out.push_str("()");
        }
    }

    pub(super) fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    /// Writes the text of the source instructions up to `step`.
    fn write_source(&mut self, step: usize) {
        let end = self.comments.len().min(step.saturating_add(1));
        while self.told < end {
            self.line();
            self.out.push_str("// ");
            // A line break would end the comment.
            let start = self.out.len();
            self.out.push_str(&self.comments[self.told]);
            if self.out[start..].contains(|c: char| c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c))
            {
                let text = self.out.split_off(start);
                let clean =
                    |c: char| if c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c) { ' ' } else { c };
                self.out.extend(text.chars().map(clean));
            }
            self.out.push('\n');
            self.told += 1;
        }
    }

    // Names

    /// Gives a value its name.
    pub(super) fn name(&mut self, value: Value) {
        let home = self.shader.values.get(value.index()).and_then(|v| v.home);
        let base = match home {
            Some(home) => self.home(home),
            None => {
                if self.plain == NONE {
                    self.plain = self.base("t".into());
                }
                self.plain
            }
        };
        let Some(entry) = self.bases.get_mut(base as usize) else { return };
        let serial = entry.next;
        entry.next += 1;
        if let Some(local) = self.locals.get_mut(value.index()) {
            *local = Local { base, serial };
        }
    }

    fn home(&mut self, home: Home) -> u32 {
        // A register without a number comes first: its index is the last one there is.
        let (file, index) = (usize::from(home.file), usize::from(home.index.wrapping_sub(Home::ONLY)));
        if let Some(base) = self.homes.get(file).and_then(|f| f.get(index)) {
            if *base != NONE {
                return *base;
            }
        }
        let register = self.shader.home_name(home);
        let base = match renamed(self.renames, &register) {
            name if name == register => self.base(register),
            name => self.base(name.into()),
        };
        if self.homes.len() <= file {
            self.homes.resize(file + 1, Vec::new());
        }
        if self.homes[file].len() <= index {
            self.homes[file].resize(index + 1, NONE);
        }
        self.homes[file][index] = base;
        base
    }

    /// A base name that no other name starts with.
    fn base(&mut self, wanted: String) -> u32 {
        // Registers with brackets are no identifiers.
        let mut name = if is_identifier(&wanted) { wanted } else { identifier(&wanted).into_owned() };
        let clashes =
            |one: &str, other: &str| one == other || is_numbered(one, other) || is_numbered(other, one);
        while L::is_word(&name)
            || self.names.touches(&name)
            || self.bases.iter().any(|b| clashes(&b.name, &name))
        {
            name = extensible(name.into(), L::is_word).into_owned();
            // The suffix ends in a letter, so that numbers behind it stay apart.
            name.push_str("_r");
        }
        self.bases.push(Base { name, next: 0 });
        self.bases.len() as u32 - 1
    }

    pub(super) fn push_name(&mut self, value: Value) -> bool {
        self.locals.get(value.index()).copied().is_some_and(|local| self.push_local(local))
    }

    fn push_local(&mut self, local: Local) -> bool {
        let Some(base) = self.bases.get(local.base as usize) else { return false };
        self.out.push_str(&base.name);
        if local.serial > 0 {
            self.out.push('_');
            push_u32(&mut self.out, local.serial);
        }
        true
    }

    /// The type a value is written with.
    pub(super) fn ty(&self, value: Value) -> Type {
        let scalar = self.shader.values.get(value.index()).map_or(Scalar::F32, |v| v.ty.scalar);
        Type::new(scalar, self.plan.values.get(value.index()).map_or(1, |v| v.lanes))
    }

    /// What is written for a value yielded to `target`.
    fn yielded(&self, target: Value, arg: Arg) -> Arg {
        trim(arg, self.plan.values.get(target.index()).map_or(15, |v| v.kept))
    }
}

/// Whether an argument of as many lanes as its value is written with has them in order.
fn is_whole(value: Extent, arg: Arg) -> bool {
    (0..usize::from(arg.lanes)).all(|i| usize::from(value.rank(arg.swizzle.get(i))) == i)
}

/// Whether a name is another one with an underscore and a number behind it.
fn is_numbered(name: &str, base: &str) -> bool {
    let number = name.strip_prefix(base).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}
