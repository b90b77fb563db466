//! Code of movies (ABC): its pool of constants, its traits, and the strings that its methods join.
//!
//! A method pushes strings and adds them; what comes out is a program if all its lines are AGAL. Programs that loops or calls
//! make are not found so. The layout is that of Adobe's AVM2 Overview.

use super::{Tag, name};
use crate::cursor::{Cursor, Result, wrong};
use crate::limits::exceeded;
use crate::{Address, Budget};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::Stage;
use vecasm_isa::agal::program::Stage as AgalStage;
use vecasm_isa::agal::text::{ParseOptions, looks_like, parse, stage_of};

/// What code says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Code {
    /// Its name.
    pub name: String,
    /// Where it is in the unpacked file.
    pub range: Range<usize>,
    /// How many strings its pool has.
    pub strings: usize,
    /// How many methods it has.
    pub methods: usize,
    /// How many classes it has.
    pub classes: usize,
    /// Strings that are AGAL and in no program.
    pub unused: Vec<String>,
}

/// A program that code has as text.
pub(super) struct Program {
    pub(super) address: String,
    pub(super) alias: Option<String>,
    pub(super) stage: Option<Stage>,
    pub(super) text: String,
}

/// A longer text is no program.
const TEXT: usize = 1 << 20;

/// A longer name is left out of addresses.
const NAME: usize = 256;

/// Kinds of constants and traits, and flags.
const UTF8: u8 = 1;
const HAS_OPTIONAL: u8 = 0x08;
const HAS_PARAM_NAMES: u8 = 0x80;
const PROTECTED: u8 = 0x08;
const METADATA: u8 = 0x40;

/// A number of at most 32 bits, 7 a byte. Those of compilers may have more bits in their last byte, which mean nothing.
fn number(from: &mut Cursor<'_>, what: &str) -> Result<u32> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = u32::from(from.u8(what)?);
        value |= (byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Ok(value)
}

/// A number that counts things of at least `least` bytes each.
fn list(from: &mut Cursor<'_>, least: usize, what: &str) -> Result<usize> {
    let n = number(from, what)?;
    from.count(n, least, what)
}

/// A list of the pool, whose first element is not stored.
fn pool(from: &mut Cursor<'_>, least: usize, what: &str) -> Result<usize> {
    let n = number(from, what)?;
    from.count(n.saturating_sub(1), least, what)
}

fn numbers(from: &mut Cursor<'_>, n: usize, what: &str) -> Result<()> {
    for _ in 0..n {
        number(from, what)?;
    }
    Ok(())
}

/// The strings of the pool, and the string that names each multiname.
struct Pool<'a> {
    strings: Vec<&'a [u8]>,
    names: Vec<u32>,
}

impl<'a> Pool<'a> {
    fn read(from: &mut Cursor<'a>) -> Result<Self> {
        for what in ["signed numbers", "unsigned numbers"] {
            let n = pool(from, 1, what)?;
            numbers(from, n, what)?;
        }
        let n = pool(from, 8, "numbers")?;
        from.take(n * 8, "numbers")?;
        let mut strings: Vec<&[u8]> = vec![b"".as_slice()];
        for _ in 0..pool(from, 1, "strings")? {
            let n = number(from, "the length of a string")? as usize;
            strings.push(from.take(n, "a string")?);
        }
        for _ in 0..pool(from, 2, "namespaces")? {
            from.u8("a namespace")?;
            number(from, "a namespace")?;
        }
        for _ in 0..pool(from, 1, "sets of namespaces")? {
            let n = list(from, 1, "namespaces of a set")?;
            numbers(from, n, "a set of namespaces")?;
        }
        let mut names = vec![0];
        for _ in 0..pool(from, 1, "names")? {
            let what = "a name";
            let start = from.pos();
            names.push(match from.u8(what)? {
                0x07 | 0x0D => {
                    number(from, what)?;
                    number(from, what)?
                }
                0x0F | 0x10 => number(from, what)?,
                0x11 | 0x12 => 0,
                0x09 | 0x0E => {
                    let name = number(from, what)?;
                    number(from, what)?;
                    name
                }
                0x1B | 0x1C => {
                    number(from, what)?;
                    0
                }
                0x1D => {
                    number(from, what)?;
                    let n = list(from, 1, "parameters of a name")?;
                    numbers(from, n, what)?;
                    0
                }
                kind => return Err(wrong(start, "the kind of a name", kind)),
            });
        }
        Ok(Self { strings, names })
    }

    fn text(&self, string: u32) -> Option<&'a str> {
        core::str::from_utf8(self.strings.get(string as usize)?).ok()
    }

    /// The last part of a name.
    fn name(&self, name: u32) -> &'a str {
        let name = self.names.get(name as usize).and_then(|&string| self.text(string)).unwrap_or_default();
        if name.len() > NAME { "" } else { name }
    }
}

/// Code, and the programs in it.
pub(super) fn read(plain: &[u8], tag: &Tag, n: usize, budget: &mut Budget) -> Result<(Code, Vec<Program>)> {
    let content = &plain[..tag.content.end];
    let mut from = Cursor::new(content, budget.limits).at(tag.content.start, "code")?;
    let mut code = Code::default();
    if tag.code == super::CODE {
        from.u32("the flags of code")?;
        code.name = name(&mut from, "the name of code")?;
    }
    code.range = from.pos()..tag.content.end;
    from.take(4, "the version of code")?;
    let pool = Pool::read(&mut from)?;
    code.strings = pool.strings.len() - 1;
    let mut reader = Reader {
        other: vec![false; pool.strings.len()],
        used: vec![false; pool.strings.len()],
        names: BTreeMap::new(),
        programs: Vec::new(),
        prefix: format!("abc{n}"),
        file: plain.len(),
        pool,
        budget,
    };
    reader.methods(&mut from, &mut code)?;
    let Reader { other, used, pool, programs, .. } = reader;
    for n in (0..used.len()).filter(|&n| !used[n] && !other[n]) {
        let text = pool.text(n as u32).filter(|text| text.len() <= TEXT);
        code.unused.extend(text.filter(|text| read_text(text, None).is_some()).map(String::from));
    }
    Ok((code, programs))
}

/// What a method has pushed last: texts, each of strings of the pool, joined.
#[derive(Default)]
struct Stack {
    strings: Vec<u32>,
    /// Where each text begins among the strings.
    starts: Vec<usize>,
}

struct Reader<'a, 'b> {
    pool: Pool<'a>,
    budget: &'b mut Budget,
    /// Strings that are known to be no program.
    other: Vec<bool>,
    /// Strings that are in programs.
    used: Vec<bool>,
    /// The names of methods: of their classes and their own, as numbers in the pool.
    names: BTreeMap<u32, (u32, u32)>,
    programs: Vec<Program>,
    prefix: String,
    file: usize,
}

impl Reader<'_, '_> {
    /// All behind the pool.
    fn methods(&mut self, from: &mut Cursor<'_>, code: &mut Code) -> Result<()> {
        code.methods = list(from, 4, "methods")?;
        for method in 0..code.methods {
            let parameters = list(from, 1, "parameters")?;
            number(from, "the type of a method")?;
            numbers(from, parameters, "the types of parameters")?;
            number(from, "the name of a method")?;
            let flags = from.u8("the flags of a method")?;
            if flags & HAS_OPTIONAL != 0 {
                for n in 0..list(from, 2, "default values")? {
                    let value = number(from, "a default value")?;
                    if from.u8("a default value")? == UTF8 {
                        self.constant(value, &format!("method{method}/default{n}"), None)?;
                    }
                }
            }
            if flags & HAS_PARAM_NAMES != 0 {
                numbers(from, parameters, "the names of parameters")?;
            }
        }
        for _ in 0..list(from, 2, "metadata")? {
            number(from, "metadata")?;
            let n = list(from, 2, "items of metadata")?;
            numbers(from, 2 * n, "metadata")?;
        }
        code.classes = list(from, 7, "classes")?;
        let mut classes = Vec::new();
        for n in 0..code.classes {
            let class = number(from, "the name of a class")?;
            number(from, "the class above")?;
            if from.u8("the flags of a class")? & PROTECTED != 0 {
                number(from, "the namespace of a class")?;
            }
            let interfaces = list(from, 1, "interfaces")?;
            numbers(from, interfaces, "an interface")?;
            let method = number(from, "the constructor of a class")?;
            self.names.entry(method).or_insert((class, 0));
            self.traits(from, &format!("instance{n}"), class)?;
            classes.push(class);
        }
        for (n, &class) in classes.iter().enumerate() {
            let method = number(from, "the initializer of a class")?;
            self.names.entry(method).or_insert((class, 0));
            self.traits(from, &format!("class{n}"), class)?;
        }
        for n in 0..list(from, 2, "scripts")? {
            number(from, "a script")?;
            self.traits(from, &format!("script{n}"), 0)?;
        }
        for _ in 0..list(from, 8, "bodies")? {
            let method = number(from, "the method of a body")?;
            numbers(from, 4, "the sizes of a body")?;
            let size = number(from, "the size of code")? as usize;
            let range = from.range(size, "the code of a method")?;
            let mut body = from.clone();
            body = body.at(range.start, "the code of a method")?;
            self.body(&mut body, range.end, method)?;
            for _ in 0..list(from, 5, "exceptions")? {
                numbers(from, 5, "an exception")?;
            }
            self.traits(from, &format!("method{method}"), 0)?;
        }
        Ok(())
    }

    /// What names a thing of that name in that class, and before that the class.
    fn alias(&self, class: u32, name: u32) -> Option<String> {
        let parts =
            [class, name].map(|name| self.pool.name(name)).into_iter().filter(|name| !name.is_empty());
        let parts: Vec<_> = parts.map(Address::encode).collect();
        (!parts.is_empty()).then(|| parts.join("/"))
    }

    /// Traits, whose constants may be programs.
    fn traits(&mut self, from: &mut Cursor<'_>, owner: &str, class: u32) -> Result<()> {
        for n in 0..list(from, 4, "traits")? {
            let name = number(from, "the name of a trait")?;
            let start = from.pos();
            let kind = from.u8("the kind of a trait")?;
            match kind & 0x0F {
                0 | 6 => {
                    numbers(from, 2, "a slot")?;
                    let value = number(from, "the value of a slot")?;
                    if value != 0 && from.u8("the kind of a value")? == UTF8 {
                        let step = match self.pool.name(name) {
                            "" => Cow::from(n.to_string()),
                            name => Address::encode(name),
                        };
                        let alias = self.alias(class, name);
                        self.constant(value, &format!("{owner}/{step}"), alias)?;
                    }
                }
                1..=3 => {
                    number(from, "a method")?;
                    let method = number(from, "a method")?;
                    self.names.entry(method).or_insert((class, name));
                }
                4 | 5 => numbers(from, 2, "a trait")?,
                _ => return Err(wrong(start, "the kind of a trait", kind)),
            }
            if kind & METADATA != 0 {
                let n = list(from, 1, "metadata of a trait")?;
                numbers(from, n, "metadata of a trait")?;
            }
        }
        Ok(())
    }

    /// A string that stands for itself.
    fn constant(&mut self, string: u32, address: &str, alias: Option<String>) -> Result<()> {
        self.program(&[string], None, |_| (address.into(), alias))
    }

    /// What a method pushes and adds.
    fn body(&mut self, from: &mut Cursor<'_>, end: usize, method: u32) -> Result<()> {
        let mut stack = Stack::default();
        let mut stage = None;
        let mut count = 0;
        while from.pos() < end {
            let op = from.u8("an instruction")?;
            match op {
                // pushstring
                0x2C => {
                    stack.starts.push(stack.strings.len());
                    stack.strings.push(number(from, "a string")?);
                }
                // add
                0xA0 => {
                    // The start of the last text, unless half of the sum is something else.
                    if stack.starts.len() > 1 {
                        stack.starts.pop();
                    }
                }
                // convert_s, coerce_a, coerce_s
                0x70 | 0x82 | 0x85 => {}
                // coerce, debugline, debugfile
                0x80 | 0xF0 | 0xF1 => {
                    number(from, "an operand")?;
                }
                _ => {
                    let operand = from.clone();
                    let goes_on = skip_operands(from, op)?;
                    self.flush(&mut stack, &mut stage, method, &mut count)?;
                    stage = None;
                    // getproperty, getlex
                    if matches!(op, 0x66 | 0x60) {
                        let mut operand = operand;
                        stage = stage_of_word(self.pool.name(number(&mut operand, "a name")?));
                    }
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        self.flush(&mut stack, &mut stage, method, &mut count)
    }

    /// Takes all texts from the stack as programs, where they are some.
    fn flush(
        &mut self,
        stack: &mut Stack,
        stage: &mut Option<Stage>,
        method: u32,
        count: &mut usize,
    ) -> Result<()> {
        let all = stack.strings.len();
        let ends = stack.starts.iter().skip(1).chain([&all]);
        for (&start, &end) in stack.starts.iter().zip(ends) {
            let joined = &stack.strings[start..end];
            let word = if let [one] = *joined { self.pool.text(one).and_then(stage_of_word) } else { None };
            if word.is_some() {
                *stage = word;
                continue;
            }
            let before = self.programs.len();
            let number = *count;
            self.program(joined, stage.take(), |reader| {
                let name = reader.names.get(&method).and_then(|&(class, name)| reader.alias(class, name));
                (format!("method{method}/{number}"), name.map(|name| format!("{name}/{number}")))
            })?;
            *count += self.programs.len() - before;
        }
        stack.starts.clear();
        stack.strings.clear();
        Ok(())
    }

    /// Adds joined strings to the programs, if they are one.
    fn program(
        &mut self,
        joined: &[u32],
        hint: Option<Stage>,
        address: impl FnOnce(&Self) -> (String, Option<String>),
    ) -> Result<()> {
        let mut size = 0usize;
        for &string in joined {
            match self.pool.text(string) {
                Some(text) => size = size.saturating_add(text.len()),
                None => return Ok(()),
            }
        }
        if size > TEXT {
            return Ok(());
        }
        let one = if let [one] = *joined { Some(one as usize) } else { None };
        if one.is_some_and(|one| self.other[one]) {
            return Ok(());
        }
        // Methods may push a string many times: what comes out counts as unpacked.
        self.budget.take_unpacked(self.file, size)?;
        let text: String = joined.iter().filter_map(|&string| self.pool.text(string)).collect();
        let Some(stage) = read_text(&text, hint) else {
            if let Some(one) = one {
                self.other[one] = true;
            }
            return Ok(());
        };
        for &string in joined {
            self.used[string as usize] = true;
        }
        let most = self.budget.limits.entries;
        if self.programs.len() >= most {
            return Err(exceeded("another program", "entries", most, "entries"));
        }
        let (address, alias) = address(self);
        let address = format!("{}/{address}", self.prefix);
        self.programs.push(Program { address, alias, stage, text });
        Ok(())
    }
}

/// The stage that a word before a program names.
fn stage_of_word(word: &str) -> Option<Stage> {
    if word.eq_ignore_ascii_case("vertex") {
        return Some(Stage::Vertex);
    }
    word.eq_ignore_ascii_case("fragment").then_some(Stage::Fragment)
}

/// The stage of a text all of whose lines are AGAL, as far as it is known: the one that stands before it, unless registers say
/// another. `None` for other texts.
fn read_text(text: &str, hint: Option<Stage>) -> Option<Option<Stage>> {
    if !looks_like(text) {
        return None;
    }
    let hint = match hint {
        Some(Stage::Vertex) => Some(AgalStage::Vertex),
        Some(Stage::Fragment) => Some(AgalStage::Fragment),
        _ => None,
    };
    let registers = stage_of(text);
    let fits = |stage: AgalStage| {
        let options = ParseOptions { stage: Some(stage), version: None };
        parse(text, &options).0.is_some_and(|program| !program.tokens.is_empty())
    };
    let stage = match [hint, registers].into_iter().flatten().find(|&stage| fits(stage)) {
        Some(AgalStage::Vertex) => Some(Stage::Vertex),
        Some(AgalStage::Fragment) => Some(Stage::Fragment),
        None if registers.is_some() || ![AgalStage::Vertex, AgalStage::Fragment].into_iter().any(fits) => {
            return None;
        }
        None => None,
    };
    Some(stage)
}

/// Skips the operands of an instruction; false if it is unknown, so that what follows cannot be read.
fn skip_operands(from: &mut Cursor<'_>, op: u8) -> Result<bool> {
    let what = "an operand";
    match op {
        // One number.
        0x04..=0x06
        | 0x08
        | 0x25
        | 0x2D..=0x2F
        | 0x31
        | 0x40..=0x42
        | 0x49
        | 0x53
        | 0x55
        | 0x56
        | 0x58..=0x5A
        | 0x5D..=0x63
        | 0x66..=0x68
        | 0x6A
        | 0x6C..=0x6F
        | 0x80
        | 0x86
        | 0x92
        | 0x94
        | 0xB2
        | 0xC2
        | 0xC3
        | 0xF2 => {
            number(from, what)?;
        }
        // Two.
        0x32 | 0x43..=0x46 | 0x4A | 0x4C | 0x4E | 0x4F => numbers(from, 2, what)?,
        // A byte.
        0x24 | 0x65 => {
            from.u8(what)?;
        }
        // A place to go to.
        0x0C..=0x1A => {
            from.take(3, what)?;
        }
        // lookupswitch
        0x1B => {
            from.take(3, what)?;
            let n = list(from, 3, "cases")?;
            from.take(3 * n, what)?;
            from.take(3, what)?;
        }
        // debug
        0xEF => {
            from.u8(what)?;
            number(from, what)?;
            from.u8(what)?;
            number(from, what)?;
        }
        0x01..=0x03
        | 0x07
        | 0x09
        | 0x1C..=0x1F
        | 0x20
        | 0x21
        | 0x23
        | 0x26..=0x2B
        | 0x30
        | 0x35..=0x3E
        | 0x47
        | 0x48
        | 0x50..=0x52
        | 0x57
        | 0x64
        | 0x70..=0x78
        | 0x81..=0x85
        | 0x87..=0x89
        | 0x90
        | 0x91
        | 0x93
        | 0x95..=0x97
        | 0xA0..=0xB1
        | 0xB3
        | 0xB4
        | 0xC0
        | 0xC1
        | 0xC4..=0xC7
        | 0xD0..=0xD7 => {}
        _ => return Ok(false),
    }
    Ok(true)
}
