//! Conditions and expressions over a moment of a run: `r0.x != r0.x`, `line 12 and nan`, `oC0.xyz * 2`.
//!
//! ```text
//! expression = all { ("or" | "||") all }
//! all        = truth { ("and" | "&&") truth }
//! truth      = ("not" | "!") truth | sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = factor { ("*" | "/") factor }
//! factor     = "-" factor | "(" expression ")" | number | "0x" digits | "inf" | "nan"
//!            | name [ "." lanes ] | ("abs" | "min" | "max" | "dot") "(" expression { "," expression } ")"
//!            | "line" range | "step" range | "invocation" range | "nan" | "inf" | "denormal"
//!            | ("writes" | "reads") name [ "." lanes ]
//! range      = number [ ".." number ]
//! ```
//!
//! Names are those of cells ([`Names`]). `nan`, `inf` and `denormal` alone hold if a write of the step has such a lane; in
//! a comparison the first two are numbers, and `== nan` holds for every NaN. Bits (`0x7fc00000`) compare bit by bit with
//! `==` and `!=`, else as the f32 that they are. A comparison of vectors holds if it does in every lane, `!=` if it does in
//! one; one lane is compared with all. A lane whose value is not known makes a comparison not hold. Arithmetic is that of
//! f32, rounded to nearest.

use super::names::Names;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::diag::Span;
use vecasm_ir::ir::Scalar;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::operand::{LANES, WriteMask};

/// Longest expression, in bytes.
const MAX_LEN: usize = 4096;
/// Deepest nesting.
const MAX_DEPTH: u32 = 64;

/// What an expression is asked about.
pub trait Environment {
    /// Number of the source instruction of the step, from 0; `None` where no step is.
    fn source(&self) -> Option<u32>;
    /// The line of the step in its listing.
    fn line(&self) -> Option<u32>;
    /// Number of the invocation in its batch.
    fn invocation(&self) -> usize;
    /// A lane of a cell, and what it is.
    fn value(&self, cell: Cell, lane: usize) -> Option<(u32, Scalar)>;
    /// Gives each access of the step, with whether it writes, what its lanes are, and their bits in front. A computed cell
    /// is given as the one that it turned out to be, if that is known.
    fn accesses(&self, each: &mut dyn FnMut(bool, Cell, WriteMask, Scalar, [u32; 4]));
}

/// Why an expression cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The bytes concerned.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.span.start + 1, self.message)
    }
}

impl core::error::Error for ExpressionError {}

/// An expression that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    node: Node,
    /// Number of lanes; `None` for a condition.
    lanes: Option<u8>,
}

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation {
    /// A condition holds or not.
    Truth(bool),
    /// Lanes, as bits; `None` for those that are not known.
    Lanes(Vec<Option<u32>>, Scalar),
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    Not(Box<Node>),
    Compare(Comparison, Box<[Node; 2]>),
    Line(u32, u32),
    Step(u32, u32),
    Invocation(u32, u32),
    Writes(Kind),
    Access {
        written: bool,
        cell: Cell,
        mask: WriteMask,
    },
    Number(f64),
    Bits(u32),
    /// A cell and the lanes picked.
    Cell(Cell, Vec<u8>),
    Negate(Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nan,
    Inf,
    Denormal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessEqual),
    (">=", Comparison::GreaterEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Add,
    Sub,
    Mul,
    Div,
    Abs,
    Min,
    Max,
    Dot,
}

/// Functions that are called by name, with the number of their arguments.
const FUNCTIONS: [(&str, Function, usize); 4] = [
    ("abs", Function::Abs, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("dot", Function::Dot, 2),
];

/// One lane of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Unknown,
    Value(f64),
    /// Bits that were written as such.
    Bits(u32),
    /// The lane of a cell.
    Lane(u32, Scalar),
}

impl Number {
    fn value(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Value(value) => Some(value),
            Self::Bits(bits) => Some(f32::from_bits(bits).into()),
            Self::Lane(bits, scalar) => Some(match scalar {
                Scalar::I32 => f64::from(bits as i32),
                Scalar::F32 => f32::from_bits(bits).into(),
                _ => f64::from(bits),
            }),
        }
    }

    fn bits(self) -> Option<u32> {
        match self {
            Self::Unknown => None,
            Self::Value(value) => Some((value as f32).to_bits()),
            Self::Bits(bits) | Self::Lane(bits, _) => Some(bits),
        }
    }
}

impl Expression {
    /// Reads an expression with the names of a shader.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str, names: &Names) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0, names };
        if text.len() > MAX_LEN {
            return Err(parser.error_at(0, text.len(), format!("longer than {MAX_LEN} bytes")));
        }
        let out = parser.expression()?;
        parser.blanks();
        if parser.at < text.len() {
            return Err(parser.unexpected("the end"));
        }
        Ok(out)
    }

    /// Reads an expression that has to be a condition.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and if it gives numbers.
    pub fn condition(text: &str, names: &Names) -> Result<Self, ExpressionError> {
        let out = Self::parse(text, names)?;
        if out.lanes.is_some() {
            let message = "this is not a condition: compare it with something".into();
            return Err(ExpressionError { span: Span::new(0, text.len()), message });
        }
        Ok(out)
    }

    /// Whether it is a condition.
    pub const fn is_condition(&self) -> bool {
        self.lanes.is_none()
    }

    /// What it comes to.
    pub fn evaluate(&self, look: &dyn Environment) -> Evaluation {
        if self.is_condition() {
            return Evaluation::Truth(holds(&self.node, look));
        }
        let lanes = lanes(&self.node, look);
        let scalar = match (&self.node, lanes.first()) {
            (Node::Cell(..), _) => lanes.iter().find_map(|lane| match lane {
                Number::Lane(_, scalar) => Some(*scalar),
                _ => None,
            }),
            (Node::Bits(_), _) => Some(Scalar::U32),
            _ => None,
        };
        Evaluation::Lanes(lanes.into_iter().map(Number::bits).collect(), scalar.unwrap_or(Scalar::F32))
    }

    /// Whether a condition holds.
    pub fn holds(&self, look: &dyn Environment) -> bool {
        self.evaluate(look) == Evaluation::Truth(true)
    }
}

fn holds(node: &Node, look: &dyn Environment) -> bool {
    let within = |number: Option<u32>, from: u32, to: u32| number.is_some_and(|n| (from..=to).contains(&n));
    match node {
        Node::And(both) => both.iter().all(|node| holds(node, look)),
        Node::Or(both) => both.iter().any(|node| holds(node, look)),
        Node::Not(node) => !holds(node, look),
        Node::Line(from, to) => within(look.line(), *from, *to),
        Node::Step(from, to) => within(look.source(), *from, *to),
        Node::Invocation(from, to) => within(u32::try_from(look.invocation()).ok(), *from, *to),
        Node::Writes(kind) => {
            let mut any = false;
            look.accesses(&mut |written, _, mask, scalar, bits| {
                let mut lanes = bits.iter().take(mask.count() as usize).map(|bits| f32::from_bits(*bits));
                any |= written
                    && scalar == Scalar::F32
                    && lanes.any(|x| match kind {
                        Kind::Nan => x.is_nan(),
                        Kind::Inf => x.is_infinite(),
                        Kind::Denormal => x.is_subnormal(),
                    });
            });
            any
        }
        Node::Access { written, cell, mask } => {
            let mut any = false;
            look.accesses(&mut |write, of, lanes, _, _| {
                any |= write == *written && of == *cell && lanes.bits() & mask.bits() != 0;
            });
            any
        }
        Node::Compare(how, both) => compare(*how, &lanes(&both[0], look), &lanes(&both[1], look)),
        _ => false,
    }
}

fn compare(how: Comparison, a: &[Number], b: &[Number]) -> bool {
    let pick = |list: &[Number], lane: usize| list.get(if list.len() == 1 { 0 } else { lane }).copied();
    let count = a.len().max(b.len());
    let mut pairs = (0..count).map(|lane| (pick(a, lane), pick(b, lane)));
    let known =
        |pair: (Option<Number>, Option<Number>)| Some((pair.0?, pair.0?.value()?, pair.1?, pair.1?.value()?));
    let equal = |(a, x, b, y): (Number, f64, Number, f64)| match (a, b) {
        (Number::Bits(_), _) | (_, Number::Bits(_)) => a.bits() == b.bits(),
        (Number::Value(n), _) | (_, Number::Value(n)) if n.is_nan() => x.is_nan() && y.is_nan(),
        _ => x == y,
    };
    let mut all =
        |test: &dyn Fn((Number, f64, Number, f64)) -> bool| pairs.all(|pair| known(pair).is_some_and(test));
    match how {
        Comparison::Equal => all(&equal),
        Comparison::Less => all(&|(_, x, _, y)| x < y),
        Comparison::LessEqual => all(&|(_, x, _, y)| x <= y),
        Comparison::Greater => all(&|(_, x, _, y)| x > y),
        Comparison::GreaterEqual => all(&|(_, x, _, y)| x >= y),
        Comparison::NotEqual => {
            let mut differ = false;
            pairs.all(|pair| {
                let both = known(pair);
                differ |= both.is_some_and(|both| !equal(both));
                both.is_some()
            }) && differ
        }
    }
}

fn lanes(node: &Node, look: &dyn Environment) -> Vec<Number> {
    let one = |number| alloc::vec![number];
    match node {
        Node::Number(value) => one(Number::Value(*value)),
        Node::Bits(bits) => one(Number::Bits(*bits)),
        Node::Cell(cell, lanes) => {
            let value = |lane: &u8| look.value(*cell, usize::from(*lane));
            let lane =
                |found: Option<(u32, Scalar)>| found.map_or(Number::Unknown, |(b, s)| Number::Lane(b, s));
            lanes.iter().map(value).map(lane).collect()
        }
        Node::Negate(of) => {
            lanes_of(of, look).map(|x| x.value().map_or(Number::Unknown, |x| Number::Value(-x))).collect()
        }
        Node::Call(function, args) => {
            let args: Vec<Vec<Number>> = args.iter().map(|arg| lanes(arg, look)).collect();
            let (Some(a), Some(b)) = (args.first(), args.last()) else { return Vec::new() };
            let count = a.len().max(b.len());
            let pick =
                |list: &[Number], lane: usize| list.get(if list.len() == 1 { 0 } else { lane })?.value();
            let each = (0..count).map(|lane| Some(function.of(pick(a, lane)?, pick(b, lane)?)));
            let number = |value: Option<f64>| value.map_or(Number::Unknown, Number::Value);
            if *function == Function::Dot {
                let terms: Option<Vec<f64>> = each.collect();
                let mut terms = terms.into_iter().flatten();
                let first = terms.next();
                return one(number(first.map(|first| terms.fold(first, |a, b| Function::Add.of(a, b)))));
            }
            each.map(number).collect()
        }
        _ => Vec::new(),
    }
}

fn lanes_of(node: &Node, look: &dyn Environment) -> impl Iterator<Item = Number> {
    lanes(node, look).into_iter()
}

impl Function {
    /// The result in f32. A sum, product or quotient of two f32 computed in f64 and rounded again is the right one.
    fn of(self, a: f64, b: f64) -> f64 {
        let exact = match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul | Self::Dot => a * b,
            Self::Div => a / b,
            Self::Abs => {
                if a.is_sign_negative() {
                    -a
                } else {
                    a
                }
            }
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        };
        f64::from(exact as f32)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    names: &'a Names,
}

type Parsed = Result<Expression, ExpressionError>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error_at(&self, start: usize, end: usize, message: String) -> ExpressionError {
        ExpressionError { span: Span::new(start, end.max(start)), message }
    }

    fn unexpected(&mut self, wanted: &str) -> ExpressionError {
        self.blanks();
        let word: String = self.rest().chars().take_while(|c| !c.is_whitespace()).take(24).collect();
        let found = if word.is_empty() { "the end".into() } else { format!("`{word}`") };
        self.error_at(self.at, self.at + word.len(), format!("expected {wanted}, found {found}"))
    }

    /// Takes a sign, if it is the next thing.
    fn sign(&mut self, sign: &str) -> bool {
        self.blanks();
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    /// The word that stands next: letters, digits and underscores, with an index in brackets. Names of states have hyphens
    /// between letters.
    fn peek(&mut self) -> &str {
        self.blanks();
        let rest = self.rest();
        let mut end = 0;
        let bytes = rest.as_bytes();
        let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        while let Some(&b) = bytes.get(end) {
            let hyphen = b == b'-'
                && end > 0
                && bytes[end - 1].is_ascii_lowercase()
                && bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase);
            if !is_word(b) && !hyphen {
                break;
            }
            end += 1;
        }
        if end > 0 && bytes.get(end) == Some(&b'[') {
            if let Some(close) = rest[end..].find(']') {
                if rest[end + 1..end + close].bytes().all(is_word) {
                    end += close + 1;
                }
            }
        }
        rest.get(..end).unwrap_or("")
    }

    /// Takes a word, if it is the next one.
    fn word(&mut self, word: &str) -> bool {
        let there = self.peek() == word;
        if there {
            self.at += word.len();
        }
        there
    }

    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_at(self.at, self.at, "nested too deeply".into()));
        }
        let mut left = self.all()?;
        loop {
            let start = self.at;
            if !(self.word("or") || self.sign("||")) {
                break;
            }
            let right = self.all()?;
            left = self.both(start, left, right, |both| Node::Or(Box::new(both)))?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn all(&mut self) -> Parsed {
        let mut left = self.truth()?;
        loop {
            let start = self.at;
            if !(self.word("and") || self.sign("&&")) {
                return Ok(left);
            }
            let right = self.truth()?;
            left = self.both(start, left, right, |both| Node::And(Box::new(both)))?;
        }
    }

    /// Joins two conditions.
    fn both(
        &self,
        start: usize,
        left: Expression,
        right: Expression,
        node: impl Fn([Node; 2]) -> Node,
    ) -> Parsed {
        if left.lanes.is_some() || right.lanes.is_some() {
            let message = "both sides must be conditions".into();
            return Err(self.error_at(start, self.at, message));
        }
        Ok(Expression { node: node([left.node, right.node]), lanes: None })
    }

    fn truth(&mut self) -> Parsed {
        let start = self.at;
        self.blanks();
        let is_not = self.word("not") || (!self.rest().starts_with("!=") && self.sign("!"));
        if is_not {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error_at(self.at, self.at, "nested too deeply".into()));
            }
            let of = self.truth()?;
            self.depth -= 1;
            if of.lanes.is_some() {
                return Err(self.error_at(start, self.at, "`not` takes a condition".into()));
            }
            return Ok(Expression { node: Node::Not(Box::new(of.node)), lanes: None });
        }
        let left = self.sum(false)?;
        self.blanks();
        let Some((sign, how)) = COMPARISONS.into_iter().find(|(sign, _)| self.rest().starts_with(sign))
        else {
            return Ok(left);
        };
        self.at += sign.len();
        let right = self.sum(true)?;
        self.fitting(start, &[&left, &right])?;
        Ok(Expression { node: Node::Compare(how, Box::new([left.node, right.node])), lanes: None })
    }

    /// The number of lanes that operands have together.
    fn fitting(&self, start: usize, operands: &[&Expression]) -> Result<u8, ExpressionError> {
        let mut lanes = 1;
        for operand in operands {
            let Some(n) = operand.lanes else {
                return Err(self.error_at(start, self.at, "a condition is not a number".into()));
            };
            if n != 1 && lanes != 1 && n != lanes {
                return Err(self.error_at(
                    start,
                    self.at,
                    format!("{lanes} lanes cannot be combined with {n} lanes"),
                ));
            }
            lanes = lanes.max(n);
        }
        Ok(lanes)
    }

    /// `number` tells that `nan` and `inf` are numbers here.
    fn sum(&mut self, number: bool) -> Parsed {
        let start = self.at;
        let mut left = self.product(number)?;
        loop {
            let function = if self.sign("+") {
                Function::Add
            } else if self.sign("-") {
                Function::Sub
            } else {
                return Ok(left);
            };
            let right = self.product(true)?;
            left = self.call(start, function, alloc::vec![left, right])?;
        }
    }

    fn product(&mut self, number: bool) -> Parsed {
        let start = self.at;
        let mut left = self.factor(number)?;
        loop {
            let function = if self.sign("*") {
                Function::Mul
            } else if self.sign("/") {
                Function::Div
            } else {
                return Ok(left);
            };
            let right = self.factor(true)?;
            left = self.call(start, function, alloc::vec![left, right])?;
        }
    }

    fn call(&self, start: usize, function: Function, args: Vec<Expression>) -> Parsed {
        let lanes = self.fitting(start, &args.iter().collect::<Vec<_>>())?;
        let lanes = if function == Function::Dot { 1 } else { lanes };
        let args = args.into_iter().map(|arg| arg.node).collect();
        Ok(Expression { node: Node::Call(function, args), lanes: Some(lanes) })
    }

    fn factor(&mut self, number: bool) -> Parsed {
        self.blanks();
        let start = self.at;
        if self.sign("-") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error_at(self.at, self.at, "nested too deeply".into()));
            }
            let of = self.factor(true)?;
            self.depth -= 1;
            let lanes = self.fitting(start, &[&of])?;
            return Ok(Expression { node: Node::Negate(Box::new(of.node)), lanes: Some(lanes) });
        }
        if self.sign("(") {
            let inner = self.expression()?;
            if !self.sign(")") {
                return Err(self.unexpected("`)`"));
            }
            return Ok(inner);
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.literal();
        }
        let word = String::from(self.peek());
        if word.is_empty() {
            return Err(self.unexpected("a condition, a register or a number"));
        }
        self.at += word.len();
        let condition = |node| Ok(Expression { node, lanes: None });
        match word.as_str() {
            "line" => self.range().and_then(|(from, to)| condition(Node::Line(from, to))),
            "step" => self.range().and_then(|(from, to)| condition(Node::Step(from, to))),
            "invocation" => self.range().and_then(|(from, to)| condition(Node::Invocation(from, to))),
            "writes" | "reads" => {
                let (cell, mask) = self.place()?;
                condition(Node::Access { written: word == "writes", cell, mask })
            }
            "nan" | "inf" if number || self.is_operand() => {
                let value = if word == "nan" { f64::NAN } else { f64::INFINITY };
                Ok(Expression { node: Node::Number(value), lanes: Some(1) })
            }
            "nan" => condition(Node::Writes(Kind::Nan)),
            "inf" => condition(Node::Writes(Kind::Inf)),
            "denormal" => condition(Node::Writes(Kind::Denormal)),
            name => {
                if let Some((_, function, count)) = FUNCTIONS.into_iter().find(|(n, ..)| *n == name) {
                    if self.sign("(") {
                        return self.arguments(start, name, function, count);
                    }
                }
                let cell = self.cell(start, name)?;
                let lanes = self.swizzle()?.unwrap_or_else(|| alloc::vec![0, 1, 2, 3]);
                let count = lanes.len() as u8;
                Ok(Expression { node: Node::Cell(cell, lanes), lanes: Some(count) })
            }
        }
    }

    /// Whether what stands next takes what stands before as a number.
    fn is_operand(&mut self) -> bool {
        self.blanks();
        let rest = self.rest();
        COMPARISONS.iter().any(|(sign, _)| rest.starts_with(sign)) || rest.starts_with(['+', '-', '*', '/'])
    }

    fn arguments(&mut self, start: usize, name: &str, function: Function, count: usize) -> Parsed {
        let mut args = Vec::new();
        loop {
            args.push(self.expression()?);
            if !self.sign(",") {
                break;
            }
        }
        if !self.sign(")") {
            return Err(self.unexpected("`,` or `)`"));
        }
        if args.len() != count {
            let message = format!("{name} takes {count} arguments, not {}", args.len());
            return Err(self.error_at(start, self.at, message));
        }
        self.call(start, function, args)
    }

    fn cell(&self, start: usize, name: &str) -> Result<Cell, ExpressionError> {
        self.names.cell(name).ok_or_else(|| {
            let message = format!("no `{name}` here; known: {}", self.names.known());
            self.error_at(start, start + name.len(), message)
        })
    }

    fn place(&mut self) -> Result<(Cell, WriteMask), ExpressionError> {
        let name = String::from(self.peek());
        if name.is_empty() {
            return Err(self.unexpected("a register"));
        }
        let start = self.at;
        self.at += name.len();
        let cell = self.cell(start, &name)?;
        let lanes = self.swizzle()?;
        let mask = lanes.map_or(WriteMask::ALL, |lanes| {
            WriteMask::from_bits(lanes.iter().fold(0, |mask, lane| mask | 1 << lane))
        });
        Ok((cell, mask))
    }

    /// The lanes behind a dot, if there is one; also spelled `rgba`.
    fn swizzle(&mut self) -> Result<Option<Vec<u8>>, ExpressionError> {
        if !self.rest().starts_with('.') || self.rest().starts_with("..") {
            return Ok(None);
        }
        let start = self.at;
        self.at += 1;
        let letters: String = self.rest().chars().take_while(char::is_ascii_alphanumeric).take(8).collect();
        self.at += letters.len();
        let lane = |c: char| LANES.iter().position(|l| *l == c).or_else(|| "rgba".find(c));
        let lanes: Option<Vec<u8>> = letters.chars().map(|c| lane(c).map(|lane| lane as u8)).collect();
        match lanes {
            Some(lanes) if (1..=4).contains(&lanes.len()) => Ok(Some(lanes)),
            _ => {
                let message = format!("`.{letters}` are not lanes: expected one to four of x, y, z, w");
                Err(self.error_at(start, self.at, message))
            }
        }
    }

    fn literal(&mut self) -> Parsed {
        let start = self.at;
        let rest = self.rest();
        let of = |node| Ok(Expression { node, lanes: Some(1) });
        if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let len = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
            let bits = digits.get(..len).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            self.at += 2 + len;
            let Some(bits) = bits else {
                return Err(self.error_at(start, self.at, "expected one to eight hexadecimal digits".into()));
            };
            return of(Node::Bits(bits));
        }
        let bytes = rest.as_bytes();
        let mut len = 0;
        while let Some(&b) = bytes.get(len) {
            let exponent = len > 0 && matches!(bytes[len - 1], b'e' | b'E');
            let digit = b.is_ascii_digit() || b == b'.' && bytes.get(len + 1) != Some(&b'.');
            if !(digit || matches!(b, b'e' | b'E') || exponent && matches!(b, b'+' | b'-')) {
                break;
            }
            len += 1;
        }
        let value: Option<f32> = rest.get(..len).and_then(|digits| digits.parse().ok());
        self.at += len.max(1);
        match value {
            Some(value) => of(Node::Number(value.into())),
            None => Err(self.error_at(start, self.at, "this is not a number".into())),
        }
    }

    fn read_integer(&mut self) -> Result<u32, ExpressionError> {
        self.blanks();
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).take(12).collect();
        let Some(number) = digits.parse().ok() else { return Err(self.unexpected("a whole number")) };
        self.at += digits.len();
        Ok(number)
    }

    fn range(&mut self) -> Result<(u32, u32), ExpressionError> {
        let from = self.read_integer()?;
        let to = if self.sign("..") { self.read_integer()? } else { from };
        Ok((from, to))
    }
}
