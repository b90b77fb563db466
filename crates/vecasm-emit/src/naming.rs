//! What the constants of a program are called: the names that its own table gives them, or those of their registers.
//!
//! An array of constants that only known numbers choose from is declared as its parts: each constant that has a name, and
//! what lies between. Together they fill the same bytes as the array, so that a host binds the same buffer either way. An
//! array that is read by a computed index stays one.

use super::options::Constant;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::symbols::Symbol;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
use vecasm_ir::ir::{Input, InputKind, Output, OutputKind};
use vecasm_ir::ir::{Op, ParamArray, Shader, Texture, Value};

/// A longer name is left for that of the register: it is repeated wherever the constant is read.
const LONGEST: usize = 100;

/// A part of an array of constants: some elements in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The name it asks for, an identifier; the one it gets once it is declared.
    pub(super) name: String,
    /// Its first element.
    pub(super) first: u32,
    /// Its number of elements, 1 or more.
    pub(super) count: u32,
    /// Whether some element of it is read.
    pub(super) read: bool,
}

impl Part {
    /// `[n]` behind its name, if it has several elements.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
    pub(super) fn length(&self) -> String {
        if self.count > 1 { format!("[{}]", self.count) } else { String::new() }
    }

    /// The registers of it, as a comment behind its declaration.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    pub(super) fn comment(&self, array: &ParamArray) -> String {
        let (first, last) = (self.first, self.first + self.count - 1);
        match self.count {
            1 if self.name == register(array, first) => String::new(),
            1 => format!(" // {}", register(array, first)),
            _ => format!(" // {} to {}", register(array, first), register(array, last)),
        }
    }

    /// Its element `index` of the array.
    pub(super) fn push(&self, index: u32, out: &mut String) {
        out.push_str(&self.name);
        if self.count > 1 {
            out.push_str(&format!("[{}]", index - self.first));
        }
    }
}

/// What constants and textures are called.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Naming<'a> {
    /// Names that somebody chose for registers.
    pub(super) chosen: &'a [(&'a str, &'a str)],
    /// Whether registers keep their names in spite of the program's table.
    pub(super) registers: bool,
}

impl<'a> Naming<'a> {
    /// The name that a texture asks for, an identifier.
    pub(super) fn texture(&self, shader: &'a Shader, texture: &'a Texture) -> Cow<'a, str> {
        let chosen = renamed(self.chosen, &texture.name);
        if self.registers || chosen != texture.name {
            return identifier(chosen);
        }
        let symbol = shader.symbols.textures.iter().find(|symbol| symbol.slot == texture.slot);
        let name = symbol.map(|symbol| identifier(renamed(self.chosen, &symbol.name)));
        name.filter(|name| name.len() <= LONGEST).unwrap_or_else(|| identifier(&texture.name))
    }

    /// The name that an input asks for, an identifier: of a varying that of its meaning, which the stage that gives it has, too.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    pub(super) fn input(&self, input: &'a Input) -> Cow<'a, str> {
        let varying = matches!(input.kind, InputKind::Varying { .. } | InputKind::PatchVarying { .. });
        self.variable(&input.name, varying.then_some(&input.semantic))
    }

    /// The name that an output asks for, an identifier.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    pub(super) fn output(&self, output: &'a Output) -> Cow<'a, str> {
        let varying = matches!(output.kind, OutputKind::Varying { .. } | OutputKind::PatchVarying { .. });
        self.variable(&output.name, varying.then_some(&output.semantic))
    }

    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    fn variable(&self, register: &'a str, semantic: Option<&'a String>) -> Cow<'a, str> {
        let chosen = renamed(self.chosen, register);
        let meant = semantic.filter(|_| chosen == register).and_then(|semantic| self.varying(semantic));
        meant.map_or_else(|| identifier(chosen), Cow::Owned)
    }

    /// What a varying of some meaning is called, if it has one: `generic9` for `GENERIC[9]`.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    pub(super) fn varying(&self, semantic: &str) -> Option<String> {
        let name: String = semantic.chars().filter(|c| !matches!(c, '[' | ']')).collect();
        let fits = !self.registers && is_identifier(&name) && name.len() <= LONGEST;
        fits.then(|| name.to_ascii_lowercase())
    }

    /// The parts of array `n`, of which `elements` are declared: in order, without gaps. None if it stays one.
    /// `is_live` tells whether a value is written.
    pub(super) fn parts(
        &self,
        shader: &Shader,
        n: usize,
        elements: u32,
        is_live: impl Fn(Value) -> bool,
    ) -> Vec<Part> {
        let Some(array) = shader.params.get(n) else { return Vec::new() };
        // Whoever gives the registers a name means all of them.
        if array.indexed || renamed(self.chosen, &array.name) != array.name {
            return Vec::new();
        }
        let mut named = self.chosen_parts(array, elements);
        if !self.registers {
            self.add_symbols(shader, array, elements, &mut named);
        }
        if named.is_empty() {
            return named;
        }
        let mut reads = BTreeSet::new();
        let mut indexed = false;
        shader.body.for_each_inst(&mut |inst| match inst.op {
            Op::Param { array, index } if array.index() == n && inst.result.is_some_and(&is_live) => {
                reads.insert(index);
            }
            Op::ParamAt { array, .. } => indexed |= array.index() == n,
            _ => {}
        });
        if indexed {
            return Vec::new();
        }
        named.sort_by_key(|part| part.first);
        fill(array, elements, &reads, named)
    }

    /// Elements that somebody chose names for: `c3=Tint`.
    fn chosen_parts(&self, array: &ParamArray, elements: u32) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (from, name) in self.chosen {
            let Some(first) = element(from, &array.name).filter(|first| *first < elements) else { continue };
            if !parts.iter().any(|part| part.first == first) {
                parts.push(Part { name: (*name).into(), first, count: 1, read: false });
            }
        }
        parts
    }

    /// The constants that the table of the program names, as far as they are declared and do not touch one another.
    fn add_symbols(&self, shader: &Shader, array: &ParamArray, elements: u32, parts: &mut Vec<Part>) {
        let mut symbols: Vec<&Symbol> =
            shader.symbols.constants.iter().filter(|symbol| symbol.array == array.name).collect();
        symbols.sort_by_key(|symbol| symbol.first);
        let chosen: BTreeSet<u32> = parts.iter().map(|part| part.first).collect();
        let mut taken: BTreeSet<String> = parts.iter().map(|part| part.name.clone()).collect();
        let mut free = 0;
        for symbol in symbols {
            let first = symbol.first;
            let count = symbol.count.min(elements.saturating_sub(first));
            if count == 0 || first < free || chosen.range(first..first + count).next().is_some() {
                continue;
            }
            let name = identifier(renamed(self.chosen, &symbol.name)).into_owned();
            if name.len() <= LONGEST && taken.insert(name.clone()) {
                free = first + count;
                parts.push(Part { name, first, count, read: false });
            }
        }
    }
}

/// Parts with what lies between them: registers that are read by their own names, others together.
fn fill(array: &ParamArray, elements: u32, reads: &BTreeSet<u32>, named: Vec<Part>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(2 * named.len() + 1);
    let mut next = 0;
    let end = Part { first: elements, ..Part::default() };
    for mut part in named.into_iter().chain([end]) {
        while next < part.first {
            let (first, read) = (next, reads.contains(&next));
            let until = reads.range(first..part.first).next().copied().unwrap_or(part.first);
            let count = if read { 1 } else { until - first };
            let name = register(array, first);
            let name = if read { name } else { format!("unused_{name}") };
            parts.push(Part { name: identifier(&name).into_owned(), first, count, read });
            next += count;
        }
        if part.count > 0 {
            next = part.first + part.count;
            part.read = reads.range(part.first..next).next().is_some();
            parts.push(part);
        }
    }
    parts
}

/// What an underscore with a number or a letter is appended to for a free name: `wanted`, or `r_` and `wanted` where the language
/// has every name that starts like it, as GLSL has `gl_`. Two underscores in a row are no language's.
pub(super) fn extensible<'a>(wanted: Cow<'a, str>, reserved: impl Fn(&str) -> bool) -> Cow<'a, str> {
    let wanted = match wanted.strip_suffix('_') {
        Some(front) => Cow::Owned(front.into()),
        None => wanted,
    };
    // No name in use has this number.
    if reserved(&format!("{wanted}_{}", u32::MAX)) { format!("r_{wanted}").into() } else { wanted }
}

/// Gives the fields of a struct names that are free: no words of the language, no two alike.
pub(super) fn make_unique(parts: &mut [Part], is_word: fn(&str) -> bool) {
    let mut taken = BTreeSet::new();
    for part in parts {
        let mut wanted = core::mem::take(&mut part.name);
        let mut name = wanted.clone();
        let mut n = 0;
        while is_word(&name) || !taken.insert(name.clone()) {
            if n == 0 {
                wanted = extensible(wanted.into(), is_word).into_owned();
            }
            n += 1;
            name = format!("{wanted}_{n}");
        }
        part.name = name;
    }
}

/// The register of an element: `c3`, `CONST[0][3]`.
pub(super) fn register(array: &ParamArray, element: u32) -> String {
    let name = &array.name;
    if name.ends_with(']') { format!("{name}[{element}]") } else { format!("{name}{element}") }
}

/// The element of an array that a register is: `c3` or `c[3]`.
fn element(register: &str, array: &str) -> Option<u32> {
    let rest = register.strip_prefix(array)?;
    let inner = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let number = inner.unwrap_or(rest);
    let plain = number.bytes().all(|b| b.is_ascii_digit());
    number.parse().ok().filter(|_| plain)
}

/// An array of constants as it is spelt.
#[derive(Clone, Debug, Default)]
pub(super) struct Params<'s> {
    /// The name of the array, or what stands in front of its parts.
    pub(super) name: Cow<'s, str>,
    /// How many elements are declared.
    pub(super) size: u32,
    /// The parts that it is declared in; empty if it is one.
    pub(super) parts: Vec<Part>,
}

impl<'s> Params<'s> {
    /// An array that is declared as one.
    pub(super) fn of_array(name: impl Into<Cow<'s, str>>, size: u32) -> Self {
        Self { name: name.into(), size, parts: Vec::new() }
    }

    /// Appends element `index`, which is one of [`size`](Self::size).
    pub(super) fn push(&self, index: u32, out: &mut String) {
        let after = self.parts.partition_point(|part| part.first <= index);
        match after.checked_sub(1).and_then(|at| self.parts.get(at)) {
            Some(part) => {
                out.push_str(&self.name);
                part.push(index, out);
            }
            None => out.push_str(&format!("{}[{index}]", self.name)),
        }
    }

    /// Tells a host where the constants of array `n` are that have names, and those of its parts that are read: `binding` is what
    /// holds them.
    pub(super) fn tell(&self, shader: &Shader, n: usize, binding: &str, to: &mut Vec<Constant>) {
        let Some(array) = shader.params.get(n) else { return };
        let symbols = || shader.symbols.constants.iter().filter(|symbol| symbol.array == array.name);
        let mut push = |symbol: &str, name: String, first: u32, count: u32| {
            let (stage, register) = (shader.stage, register(array, first));
            let (symbol, binding) = (symbol.into(), binding.into());
            to.push(Constant { stage, symbol, name, binding, register, first, count });
        };
        for part in &self.parts {
            let symbol = symbols().find(|symbol| symbol.first == part.first && symbol.count >= part.count);
            let symbol = symbol.map_or("", |symbol| &symbol.name);
            if part.read || !symbol.is_empty() {
                push(symbol, part.name.clone(), part.first, part.count);
            }
        }
        for symbol in symbols().filter(|symbol| self.parts.is_empty() && symbol.name.len() <= LONGEST) {
            let count = symbol.count.min(self.size.saturating_sub(symbol.first));
            if count > 0 {
                let mut name = String::new();
                self.push(symbol.first, &mut name);
                push(&symbol.name, name, symbol.first, count);
            }
        }
    }
}

/// The chosen name of a register, or its own.
pub(super) fn renamed<'b>(names: &[(&'b str, &'b str)], register: &'b str) -> &'b str {
    names.iter().find(|(from, _)| *from == register).map_or(register, |(_, to)| to)
}

/// The name of a register as an identifier: `TEMP(1)` is `TEMP_1`.
pub(super) fn identifier(name: &str) -> Cow<'_, str> {
    if is_identifier(name) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if out.is_empty() && !c.is_ascii_alphabetic() {
                out.push('r');
            }
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    while out.ends_with('_') {
        out.pop();
    }
    if out.is_empty() { Cow::Borrowed("r") } else { Cow::Owned(out) }
}

/// Whether `name` is an identifier in every target: ASCII letters, digits and underscores, not starting with a digit
/// and without two underscores in a row.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut before = 0;
    for &b in name.as_bytes() {
        let fits = match b {
            b'_' => before != b'_' && before != 0,
            b'0'..=b'9' => before != 0,
            _ => b.is_ascii_alphabetic(),
        };
        if !fits {
            return false;
        }
        before = b;
    }
    !name.is_empty()
}

/// Why a name that was chosen cannot be one. Languages keep names with two underscores in a row to themselves, and some those
/// that begin with one.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
pub(super) fn no_name(name: &str) -> String {
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if letters && name.bytes().next().is_some_and(|b| !b.is_ascii_digit()) {
        format!("{name:?} is reserved: a name begins with a letter and has no two underscores in a row")
    } else {
        format!("{name:?} is not an identifier")
    }
}
