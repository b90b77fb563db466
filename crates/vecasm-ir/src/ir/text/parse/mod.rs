//! Reading the text form.
//!
//! * this file: what both halves need, and the way in;
//! * `lex`: words, numbers, names;
//! * `tables`: the lines of the head;
//! * `body`: regions and nodes;
//! * `op`: operations.

mod body;
mod lex;
mod op;
mod tables;

use super::name::SHARED;
use crate::ir::{Arg, Args, Home, Shader, Stage, Type, Value, ValueInfo};
use crate::operand::{LANES, Swizzle, WriteMask};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use core::fmt;
use lex::{Cursor, quoted};

/// Why a text is no shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl core::error::Error for TextError {}

/// Reads a shader. Whether it keeps the rules of the IR is for [`verify`](crate::ir::verify::verify) to say.
///
/// `isa` is the name that the head line must have after the stage, and `files` are the register files that homes may
/// name; a line `files` must say the same.
///
/// # Errors
///
/// At the first line that does not fit.
pub fn parse(text: &str, isa: &'static str, files: &'static [&'static str]) -> Result<Shader, TextError> {
    Parser::new(text, Shader::new(Stage::Vertex, isa, files), true).shader()
}

/// Reads a shader of any instruction set: its name and the register files are what the text says.
///
/// # Errors
///
/// At the first line that does not fit.
pub fn parse_any(text: &str) -> Result<Shader, TextError> {
    Parser::new(text, Shader::new(Stage::Vertex, "", &[]), false).shader()
}

type Result_<T> = Result<T, TextError>;

/// A table whose things are referred to by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Table {
    Inputs,
    Outputs,
    Params,
    Locals,
    States,
    Textures,
    Buffers,
    Images,
}

/// How something of a table is named.
enum Ref<'a> {
    Number(u32),
    Name(Cow<'a, str>),
}

/// What stands for a name that belongs to several things.
const SEVERAL: u32 = u32::MAX;

struct Parser<'a> {
    c: Cursor<'a>,
    /// Values are below this number.
    limit: usize,
    /// Whether name and files of the instruction set are given.
    given: bool,
    /// The number of each name.
    names: BTreeMap<(Table, Cow<'a, str>), u32>,
    shader: Shader,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, shader: Shader, given: bool) -> Self {
        // Passes may leave numbers out, but not so many that a short text makes a long table.
        let limit = text.len().saturating_add(4096);
        Self { c: Cursor::new(text), limit, given, names: BTreeMap::new(), shader }
    }

    fn shader(mut self) -> Result_<Shader> {
        self.tables()?;
        self.shader.body = self.region(0)?;
        if !self.c.lines() {
            return self.c.fail("a `}` without its `{`");
        }
        Ok(self.shader)
    }

    /// How something of a table is named here: a name, or `#number`.
    fn refer(&mut self) -> Result_<Ref<'a>> {
        if self.c.eat('#') {
            return Ok(Ref::Number(self.c.number()?));
        }
        Ok(Ref::Name(self.c.a_name()?))
    }

    /// The number of what is named in a table.
    fn look_up(&self, table: Table, name: Ref<'a>) -> Result_<u32> {
        let key = match name {
            Ref::Number(number) => return Ok(number),
            Ref::Name(name) => (table, name),
        };
        match self.names.get(&key) {
            Some(&SEVERAL) => {
                let name = quoted(&key.1);
                self.c.fail(format!("{name} is the name of several entries; pick one by `#number`"))
            }
            Some(&number) => Ok(number),
            None => self.c.fail(format!("{} is in no table", quoted(&key.1))),
        }
    }

    fn reference(&mut self, table: Table) -> Result_<u32> {
        let name = self.refer()?;
        self.look_up(table, name)
    }

    /// As [`reference`](Self::reference), to a buffer; `None` for shared memory.
    fn memory(&mut self) -> Result_<Option<u32>> {
        if self.c.keyword(SHARED) { Ok(None) } else { self.reference(Table::Buffers).map(Some) }
    }

    /// `f32`, `f32x3`.
    fn ty(&mut self) -> Result_<Type> {
        self.c.named("a type", |word| {
            let (name, lanes) = word.rsplit_once('x').unwrap_or((word, "1"));
            let plain = lanes.bytes().all(|c| c.is_ascii_digit());
            let lanes = lanes.parse().ok().filter(|_| plain)?;
            Some(Type::new(crate::ir::Scalar::named(name)?, lanes))
        })
    }

    /// `: type`.
    fn typed(&mut self) -> Result_<Type> {
        self.c.expect(':')?;
        self.ty()
    }

    /// `%n`.
    fn value(&mut self) -> Result_<Value> {
        if !self.c.eat('%') {
            return self.c.want("a value");
        }
        let n: u32 = self.c.number()?;
        if n as usize >= self.limit {
            return self.c.fail(format!("%{n} is too high for the length of the text"));
        }
        Ok(Value::new(n))
    }

    /// `%n : type [@home]`: a value of a node or parameter of a loop.
    fn result(&mut self) -> Result_<Value> {
        let value = self.value()?;
        self.result_of(value)
    }

    /// As [`result`](Self::result), behind the value.
    fn result_of(&mut self, value: Value) -> Result_<Value> {
        let ty = self.typed()?;
        let home = if self.c.eat('@') { Some(self.home()?) } else { None };
        self.define(value, ValueInfo { ty, home });
        Ok(value)
    }

    fn define(&mut self, value: Value, info: ValueInfo) {
        if self.shader.values.len() <= value.index() {
            let blank = ValueInfo { ty: Type::F32, home: None };
            self.shader.values.resize(value.index() + 1, blank);
        }
        self.shader.values[value.index()] = info;
    }

    /// `ft3`, `oc`, or `#file:register`.
    fn home(&mut self) -> Result_<Home> {
        if self.c.eat('#') {
            let file = self.c.number()?;
            let index = if self.c.tight(':') { self.c.number()? } else { Home::ONLY };
            return Ok(Home { file, index });
        }
        let word = self.c.peek();
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = word.get(name.len()..).unwrap_or("");
        let file = self.shader.files.iter().take(256).position(|file| file == name);
        let index = match digits {
            "" => Some(Home::ONLY),
            digits => digits.parse().ok().filter(|&index| index != Home::ONLY),
        };
        match (file, index) {
            (Some(file), Some(index)) => {
                self.c.word();
                Ok(Home { file: file as u8, index })
            }
            _ if word.is_empty() => self.c.want("a register"),
            _ => self.c.fail(format!("{} is not a register", quoted(word))),
        }
    }

    /// Up to four lane letters, which is all of the word; unused selectors repeat the last one, as everywhere.
    fn lanes(&mut self) -> Result_<([u8; 4], u8)> {
        let letters = self.c.tight_word();
        let (mut lanes, mut n) = ([0; 4], 0);
        for c in letters.chars() {
            match LANES.iter().position(|&l| l == c) {
                Some(lane) if n < 4 => lanes[n] = lane as u8,
                _ => return self.c.fail(format!("{} are not lanes", quoted(letters))),
            }
            n += 1;
        }
        match n.checked_sub(1) {
            Some(last) => {
                let fill = lanes[last];
                lanes[n..].fill(fill);
                Ok((lanes, n as u8))
            }
            None => self.c.want("one to four of the lanes x, y, z, w"),
        }
    }

    /// `.xyw`: lanes that are written, in ascending order.
    fn mask(&mut self) -> Result_<WriteMask> {
        if !self.c.tight('.') {
            return self.c.want("a `.` and the lanes that are written");
        }
        let (lanes, n) = self.lanes()?;
        let lanes = lanes.get(..usize::from(n)).unwrap_or(&lanes);
        if lanes.windows(2).any(|pair| pair[0] >= pair[1]) {
            return self.c.fail("written lanes must be in ascending order");
        }
        Ok(WriteMask::from_bits(lanes.iter().fold(0, |bits, lane| bits | 1 << lane)))
    }

    /// `%n` or `%n.lanes`.
    fn arg(&mut self) -> Result_<Arg> {
        let value = self.value()?;
        if self.c.tight('.') {
            let (lanes, n) = self.lanes()?;
            return Ok(Arg {
                value,
                swizzle: Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]),
                lanes: n,
            });
        }
        match self.shader.values.get(value.index()) {
            Some(info) => Ok(Arg::all_lanes(value, info.ty.lanes)),
            None => self.c.fail(format!("%{} is used before its definition", value.number())),
        }
    }

    /// Arguments, as many as there are.
    fn args(&mut self) -> Result_<Args> {
        let start = self.shader.args.len();
        while self.c.at('%') {
            let arg = self.arg()?;
            self.shader.args.push(arg);
        }
        Ok(Args { start: start as u32, len: (self.shader.args.len() - start) as u32 })
    }
}
