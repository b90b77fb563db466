//! Reading the text form.

use crate::ir::steps::{Access, Cell, Step};
use crate::ir::verify::MAX_DEPTH;
use crate::ir::{
    Arg, Args, Arith, Block, Compare, Dim, Filter, FloatBits, Home, If, Input, InputId, InputKind, Inst,
    Label, Lod, Loop, Mip, Node, Op, OutOfRange, Output, OutputId, OutputKind, ParamArray, ParamId, Pure,
    Region, SamplerModel, SamplerState, Scalar, Shader, Slope, Stage, Texture, TextureId, Type, Value,
    ValueInfo, Wrap,
};
use crate::isa::operand::{LANES, Swizzle, WriteMask};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

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
/// `files` are the register files that homes may name, and `isa` the name that the head line must have after the
/// stage: both are static data of the instruction set the text was written for.
///
/// # Errors
///
/// At the first line that does not fit.
pub fn parse(text: &str, isa: &'static str, files: &'static [&'static str]) -> Result<Shader, TextError> {
    // One list of words for all lines: a vector a line would multiply the text.
    let (mut pool, mut ends) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let before = pool.len();
        words(line.split(';').next().unwrap_or(""), &mut pool);
        if pool.len() > before {
            ends.push((number as u32 + 1, pool.len() as u32));
        }
    }
    let mut p = Parser {
        words: &pool,
        lines: &ends,
        at: 0,
        // Every value is named somewhere, so no more of them than bytes.
        limit: text.len(),
        shader: Shader::new(Stage::Vertex, isa, files),
    };
    p.head()?;
    while p.table()? {}
    let body = p.region(0)?;
    if p.at < ends.len() {
        return p.fail("a `}` without its `{`");
    }
    p.shader.body = body;
    Ok(p.shader)
}

/// Words of a line: separated by white space; `:`, `,`, `=`, `{` and `}` are words of their own, but not `=` and `,`
/// in a setting such as `wrap=clamp,clamp`.
fn words<'a>(line: &'a str, out: &mut Vec<&'a str>) {
    for piece in line.split_ascii_whitespace() {
        let setting = piece.split_once('=').is_some_and(|(key, value)| !key.is_empty() && !value.is_empty());
        if setting {
            out.push(piece);
            continue;
        }
        let mut rest = piece;
        while let Some(at) = rest.find([':', ',', '{', '}', '=']) {
            if at > 0 {
                out.push(&rest[..at]);
            }
            out.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            out.push(rest);
        }
    }
}

type Result_<T> = Result<T, TextError>;

struct Parser<'a> {
    words: &'a [&'a str],
    /// Number of each line that is not empty, and where its words end.
    lines: &'a [(u32, u32)],
    at: usize,
    limit: usize,
    shader: Shader,
}

impl<'a> Parser<'a> {
    #[cold]
    fn fail<T>(&self, message: impl Into<String>) -> Result_<T> {
        let line = self.lines.get(self.at).or(self.lines.last()).map_or(1, |(line, _)| *line);
        Err(TextError { line, message: message.into() })
    }

    fn line(&self) -> Option<&'a [&'a str]> {
        let end = self.lines.get(self.at)?.1 as usize;
        let start = self.at.checked_sub(1).map_or(0, |before| self.lines[before].1 as usize);
        self.words.get(start..end)
    }

    fn head(&mut self) -> Result_<()> {
        let Some([stage, isa]) = self.line() else {
            return self.fail("the head line is `stage isa`");
        };
        match Stage::ALL.into_iter().find(|s| s.name() == *stage) {
            Some(stage) => self.shader.stage = stage,
            None => return self.fail(format!("`{stage}` is no stage")),
        }
        if *isa != self.shader.isa {
            return self.fail(format!("the shader is of `{isa}`, not of `{}`", self.shader.isa));
        }
        self.at += 1;
        Ok(())
    }

    fn number<T: core::str::FromStr>(&self, word: &str) -> Result_<T> {
        match word.parse() {
            Ok(n) => Ok(n),
            Err(_) => self.fail(format!("`{word}` is no number that fits")),
        }
    }

    fn hex(&self, word: &str) -> Result_<u32> {
        match u32::from_str_radix(word, 16) {
            Ok(n) => Ok(n),
            Err(_) => self.fail(format!("`{word}` is not eight hexadecimal digits")),
        }
    }

    fn ty(&self, word: &str) -> Result_<Type> {
        let (name, lanes) = word.rsplit_once('x').unwrap_or((word, "1"));
        match (Scalar::ALL.into_iter().find(|s| s.name() == name), lanes.parse()) {
            (Some(scalar), Ok(lanes)) => Ok(Type::new(scalar, lanes)),
            _ => self.fail(format!("`{word}` is no type")),
        }
    }

    /// Reads a line of the tables; false at the first line of the body.
    fn table(&mut self) -> Result_<bool> {
        let Some(line) = self.line() else { return Ok(false) };
        match line {
            ["files", names @ ..] => {
                if *names != *self.shader.files {
                    return self.fail("the register files are not those of the instruction set");
                }
            }
            ["input", id, name, kind @ .., ":", ty] => {
                self.id(id, self.shader.inputs.len())?;
                let kind = match kind {
                    [word] => InputKind::named(word, None),
                    [word, number] => InputKind::named(word, Some(self.number(number)?)),
                    _ => None,
                };
                let Some(kind) = kind else {
                    return self
                        .fail("an input is `attribute N`, `varying N`, `patch-varying N` or a system value");
                };
                let ty = self.ty(ty)?;
                self.shader.inputs.push(Input::new(*name, kind, ty));
            }
            ["output", id, name, rest @ ..] => {
                self.id(id, self.shader.outputs.len())?;
                let (kind, rest) = match rest {
                    [word, number, rest @ ..] if number.bytes().all(|b| b.is_ascii_digit()) => {
                        (OutputKind::named(word, Some(self.number(number)?)), rest)
                    }
                    [word, rest @ ..] => (OutputKind::named(word, None), rest),
                    [] => (None, rest),
                };
                let Some(kind) = kind else {
                    return self.fail("an output is a kind of output, with its number if it has one");
                };
                let init = match rest {
                    [] => [0; 4],
                    ["init", x, y, z, w] => [self.hex(x)?, self.hex(y)?, self.hex(z)?, self.hex(w)?],
                    _ => return self.fail("after an output only `init` with four words may stand"),
                };
                self.shader.outputs.push(Output { init, ..Output::new(*name, kind) });
            }
            ["param", id, name, "size", size, "used", used, rest @ ..] => {
                self.id(id, self.shader.params.len())?;
                let indexed = match rest {
                    [] => false,
                    ["indexed"] => true,
                    _ => return self.fail("after a parameter array only `indexed` may stand"),
                };
                let (size, used) = (self.number(size)?, self.number(used)?);
                self.shader.params.push(ParamArray { used, indexed, ..ParamArray::new(*name, size) });
            }
            ["texture", id, name, "slot", slot, dim, settings @ ..] => {
                self.id(id, self.shader.textures.len())?;
                let slot = self.number(slot)?;
                let Some(dim) = Dim::named(dim) else {
                    return self.fail(format!("`{dim}` is no dimension of a texture"));
                };
                let mut texture = Texture::new(*name, slot, dim);
                let mut settings = settings;
                while let [setting, rest @ ..] = settings {
                    match setting.split_once('=') {
                        Some(("sampler", n)) => texture.sampler_slot = self.number(n)?,
                        Some(("texels", ty)) => {
                            let texels = [Scalar::F32, Scalar::I32, Scalar::U32];
                            match texels.into_iter().find(|s| s.name() == ty) {
                                Some(scalar) => texture.scalar = scalar,
                                None => return self.fail(format!("`{ty}` is no type of texels")),
                            }
                        }
                        None if *setting == "depth" => texture.compare = true,
                        _ => break,
                    }
                    settings = rest;
                }
                texture.sampler = self.sampler(settings)?;
                self.shader.textures.push(texture);
            }
            ["step", id, "source", source, "reads", accesses @ ..] => {
                self.id(id, self.shader.steps.len())?;
                let source = self.number(source)?;
                let Some(at) = accesses.iter().position(|w| *w == "writes") else {
                    return self.fail("a step has `reads` and `writes`");
                };
                let reads = self.accesses(&accesses[..at])?;
                let writes = self.accesses(&accesses[at + 1..])?;
                self.shader.steps.push(Step { source, reads, writes });
            }
            _ => return Ok(false),
        }
        self.at += 1;
        Ok(true)
    }

    fn accesses(&self, words: &[&str]) -> Result_<Vec<Access>> {
        words.iter().map(|word| self.access(word)).collect()
    }

    fn access(&self, word: &str) -> Result_<Access> {
        let (name, letters) = word.rsplit_once('.').unwrap_or((word, ""));
        let mask = self.mask(letters)?;
        let cell = if let Some(at) = self.shader.outputs.iter().position(|o| o.name == name) {
            Cell::Output(OutputId(at as u32))
        } else if name.ends_with(']') {
            let (array, index) = self.element(name)?;
            match index.strip_prefix("at") {
                Some(offset) => Cell::ParamAt(array, self.number(offset)?),
                None => Cell::Param(array, self.number(index)?),
            }
        } else {
            Cell::Register(self.home(name)?)
        };
        Ok(Access { cell, mask })
    }

    fn mask(&self, letters: &str) -> Result_<WriteMask> {
        let (lanes, n) = self.lanes(letters)?;
        let bits = lanes.iter().take(usize::from(n)).fold(0, |bits, lane| bits | 1 << lane);
        Ok(WriteMask::from_bits(bits))
    }

    fn id(&self, word: &str, expected: usize) -> Result_<()> {
        if self.number::<usize>(word)? == expected {
            return Ok(());
        }
        self.fail(format!("number {expected} is due here, not {word}"))
    }

    /// What a word of a sampler stands for.
    fn one_of<T>(&self, found: Option<T>, word: &str) -> Result_<T> {
        match found {
            Some(found) => Ok(found),
            None => self.fail(format!("`{word}` is no setting of a sampler")),
        }
    }

    fn sampler(&self, settings: &[&str]) -> Result_<Option<SamplerState>> {
        if settings.is_empty() {
            return Ok(None);
        }
        let mut state = SamplerState::PLAIN;
        for setting in settings {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let filter = |word| self.one_of(Filter::named(word), word);
            match key {
                "wrap" => {
                    let modes: Vec<&str> = value.split(',').take(4).collect();
                    let wrap = |word| self.one_of(Wrap::named(word), word);
                    let [u, v, w] = modes.as_slice() else {
                        return self.fail("`wrap` has three modes");
                    };
                    (state.wrap_u, state.wrap_v, state.wrap_w) = (wrap(u)?, wrap(v)?, wrap(w)?);
                }
                "filter" => {
                    let (mag, min) = value.split_once(',').unwrap_or((value, value));
                    (state.mag, state.min) = (filter(mag)?, filter(min)?);
                }
                "mip" => state.mip = self.one_of(Mip::named(value), value)?,
                "anisotropy" => state.anisotropy = self.number(value)?,
                "border" => {
                    let words: Vec<&str> = value.split(',').take(5).collect();
                    let [x, y, z, w] = words.as_slice() else {
                        return self.fail("`border` has four words");
                    };
                    state.border = [self.hex(x)?, self.hex(y)?, self.hex(z)?, self.hex(w)?];
                }
                "bias" => state.lod_bias = FloatBits(self.literal(value, Scalar::F32)?),
                "min-lod" => state.min_lod = FloatBits(self.literal(value, Scalar::F32)?),
                "max-lod" => state.max_lod = FloatBits(self.literal(value, Scalar::F32)?),
                "compare" => state.compare = Some(self.one_of(Compare::named(value), value)?),
                "model" => state.model = self.one_of(SamplerModel::named(value), value)?,
                "seamless" if value.is_empty() => state.seamless = true,
                _ => return self.fail(format!("`{setting}` is no setting of a sampler")),
            }
        }
        Ok(Some(state))
    }

    /// Reads nodes up to a `}` or the end; the `}` is left.
    fn region(&mut self, depth: usize) -> Result_<Region> {
        if depth > MAX_DEPTH {
            return self.fail(format!("regions are nested more than {MAX_DEPTH} deep"));
        }
        let mut region = Region::default();
        while let Some(line) = self.line() {
            match line {
                ["}", ..] => break,
                ["yield", values @ ..] => {
                    region.yields = self.list(values)?;
                    self.at += 1;
                    match self.line() {
                        None | Some(["}", ..]) => break,
                        Some(_) => return self.fail("a node stands behind a yield"),
                    }
                }
                _ => {
                    let node = self.node(line, depth)?;
                    region.nodes.push(node);
                }
            }
        }
        Ok(region)
    }

    fn node(&mut self, line: &'a [&'a str], depth: usize) -> Result_<Node> {
        if let ["leave" | "again", label, values @ ..] = line {
            let label = self.label(label)?;
            let values = self.list(values)?;
            self.at += 1;
            return Ok(match line[0] {
                "leave" => Node::Leave { label, values },
                _ => Node::Again { label, values },
            });
        }
        if line.last() == Some(&"{") {
            return self.construct(line, depth);
        }
        let inst = self.inst(line)?;
        self.at += 1;
        Ok(Node::Inst(inst))
    }

    /// `results = if|block|loop … {` with its regions.
    fn construct(&mut self, line: &'a [&'a str], depth: usize) -> Result_<Node> {
        let keyword = line.iter().position(|w| matches!(*w, "if" | "block" | "loop"));
        let Some(keyword) = keyword else {
            return self.fail("a `{` belongs to `if`, `block` or `loop`");
        };
        let mut results = Vec::new();
        let mut rest = &line[..keyword];
        while !rest.is_empty() {
            let (value, after) = self.typed(rest)?;
            results.push(value);
            rest = match after {
                [",", rest @ ..] => rest,
                ["="] => &[],
                _ => return self.fail("results are separated by `,` and end with `=`"),
            };
        }
        let tail = &line[keyword + 1..line.len() - 1];
        match (line[keyword], tail) {
            ("if", [cond]) => {
                let cond = self.arg(cond)?;
                self.at += 1;
                let then = self.region(depth + 1)?;
                if !matches!(self.line(), Some(["}", "else", "{"])) {
                    return self.fail("an if needs its `} else {`");
                }
                self.at += 1;
                let otherwise = self.region(depth + 1)?;
                self.closed()?;
                Ok(Node::If(Box::new(If { cond, then, otherwise, results })))
            }
            ("block", [label]) => {
                let label = self.label(label)?;
                self.at += 1;
                let body = self.region(depth + 1)?;
                self.closed()?;
                Ok(Node::Block(Box::new(Block { label, body, results })))
            }
            ("loop", [label, rest @ ..]) => {
                let label = self.label(label)?;
                let (mut params, mut init) = (Vec::new(), Vec::new());
                let mut rest = rest;
                while !rest.is_empty() {
                    let (param, after) = self.typed(rest)?;
                    let ["=", first, after @ ..] = after else {
                        return self.fail("a parameter of a loop is `%n: type = value`");
                    };
                    params.push(param);
                    init.push(self.arg(first)?);
                    rest = after;
                }
                let init = self.store(&init);
                self.at += 1;
                let body = self.region(depth + 1)?;
                self.closed()?;
                Ok(Node::Loop(Box::new(Loop { label, params, init, body, results })))
            }
            _ => self.fail("`if` takes a condition, `block` a label, `loop` a label and parameters"),
        }
    }

    fn closed(&mut self) -> Result_<()> {
        if !matches!(self.line(), Some(["}"])) {
            return self.fail("a `}` is missing");
        }
        self.at += 1;
        Ok(())
    }

    fn label(&self, word: &str) -> Result_<Label> {
        match word.strip_prefix('L') {
            Some(n) => Ok(Label(self.number(n)?)),
            None => self.fail(format!("`{word}` is no label")),
        }
    }

    fn value(&self, word: &str) -> Result_<Value> {
        let Some(n) = word.strip_prefix('%') else {
            return self.fail(format!("`{word}` is no value"));
        };
        let n: u32 = self.number(n)?;
        if n as usize >= self.limit {
            return self.fail(format!("%{n} is out of all proportion to the text"));
        }
        Ok(Value(n))
    }

    /// `%n : type [@home]`, and what follows.
    fn typed<'w>(&mut self, words: &'w [&'w str]) -> Result_<(Value, &'w [&'w str])> {
        let [value, ":", ty, rest @ ..] = words else {
            return self.fail("a result is `%n: type`");
        };
        let value = self.value(value)?;
        let ty = self.ty(ty)?;
        let (home, rest) = match rest {
            [home, rest @ ..] if home.starts_with('@') => (Some(self.home(&home[1..])?), rest),
            _ => (None, rest),
        };
        self.define(value, ValueInfo { ty, home });
        Ok((value, rest))
    }

    fn home(&self, word: &str) -> Result_<Home> {
        let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (name, number) = word.split_at(word.len() - digits);
        match self.shader.files.iter().position(|file| *file == name) {
            Some(file) if number.is_empty() => Ok(Home { file: file as u8, index: Home::ONLY }),
            Some(file) => Ok(Home { file: file as u8, index: self.number(number)? }),
            None => self.fail(format!("`{word}` is no register")),
        }
    }

    fn define(&mut self, value: Value, info: ValueInfo) {
        if self.shader.values.len() <= value.index() {
            let blank = ValueInfo { ty: Type::F32, home: None };
            self.shader.values.resize(value.index() + 1, blank);
        }
        self.shader.values[value.index()] = info;
    }

    fn lanes(&self, letters: &str) -> Result_<([u8; 4], u8)> {
        let mut lanes = [0; 4];
        let mut n = 0;
        for c in letters.chars() {
            match LANES.iter().position(|&l| l == c) {
                Some(lane) if n < 4 => lanes[n] = lane as u8,
                _ => return self.fail(format!("`{letters}` are not lanes")),
            }
            n += 1;
        }
        // As everywhere, unused selectors repeat the last one.
        if let Some(last) = n.checked_sub(1) {
            let fill = lanes[last];
            lanes[n..].fill(fill);
        }
        Ok((lanes, n as u8))
    }

    fn arg(&self, word: &str) -> Result_<Arg> {
        let (value, letters) = word.split_once('.').unwrap_or((word, ""));
        let value = self.value(value)?;
        if letters.is_empty() {
            let Some(info) = self.shader.values.get(value.index()) else {
                return self.fail(format!("%{} is used before its definition", value.0));
            };
            return Ok(Arg::whole(value, info.ty.lanes));
        }
        let (lanes, n) = self.lanes(letters)?;
        Ok(Arg { value, swizzle: Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]), lanes: n })
    }

    fn store(&mut self, args: &[Arg]) -> Args {
        let start = self.shader.args.len() as u32;
        self.shader.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    fn list(&mut self, words: &[&str]) -> Result_<Args> {
        let mut args = Vec::with_capacity(words.len());
        for word in words {
            args.push(self.arg(word)?);
        }
        Ok(self.store(&args))
    }

    /// The position in a table of the thing called `name`.
    fn named<T>(&self, table: &[T], name: impl Fn(&T) -> &str, wanted: &str) -> Result_<u32> {
        match table.iter().position(|t| name(t) == wanted) {
            Some(at) => Ok(at as u32),
            None => self.fail(format!("`{wanted}` stands in no table")),
        }
    }

    /// `name[n]`: the array, and the digits of the index.
    fn element<'w>(&self, word: &'w str) -> Result_<(ParamId, &'w str)> {
        match word.strip_suffix(']').and_then(|w| w.split_once('[')) {
            Some((name, index)) => Ok((ParamId(self.named(&self.shader.params, |p| &p.name, name)?), index)),
            None => self.fail(format!("`{word}` is no element of a parameter array")),
        }
    }

    fn inst(&mut self, line: &'a [&'a str]) -> Result_<Inst> {
        // `[%n =] name references… arguments… [: type] step n [home r]`
        let (result, rest) = match line {
            [value, "=", rest @ ..] => (Some(self.value(value)?), rest),
            _ => (None, line),
        };
        let Some(at) = rest.iter().position(|w| *w == "step") else {
            return self.fail("an operation ends with `step n`");
        };
        let (body, tail) = rest.split_at(at);
        let (step, home) = match tail {
            ["step", n] => (self.number(n)?, None),
            ["step", n, "home", home] => (self.number(n)?, Some(self.home(home)?)),
            _ => return self.fail("after `step n` only `home register` may stand"),
        };
        let (body, ty) = match body {
            [body @ .., ":", ty] => (body, Some(self.ty(ty)?)),
            _ => (body, None),
        };
        let [name, operands @ ..] = body else {
            return self.fail("an operation has a name");
        };
        let (name, suffix) = name.split_once('.').unwrap_or((name, ""));
        let mut operands = operands;
        let mut reference = || -> &'a str {
            match operands {
                [first, rest @ ..] => {
                    operands = rest;
                    first
                }
                [] => "",
            }
        };
        let op = match (name, suffix) {
            ("const", "") => {
                let mut bits = [0; 4];
                let Some(ty) = ty else { return self.fail("a constant has a type") };
                for lane in bits.iter_mut().take(usize::from(ty.lanes.min(4))) {
                    *lane = self.literal(reference(), ty.scalar)?;
                }
                Op::Const(bits)
            }
            ("compose", "") => Op::Compose,
            ("input", "") => Op::Input(InputId(self.named(&self.shader.inputs, |i| &i.name, reference())?)),
            ("load", "") => {
                Op::LoadOutput(OutputId(self.named(&self.shader.outputs, |o| &o.name, reference())?))
            }
            ("store", "") => {
                let word = reference();
                let (output, letters) = word.rsplit_once('.').unwrap_or((word, ""));
                let output = OutputId(self.named(&self.shader.outputs, |o| &o.name, output)?);
                Op::StoreOutput { output, mask: self.mask(letters)? }
            }
            ("param", rule @ ("" | "zero" | "clamp")) => {
                let (array, index) = self.element(reference())?;
                match rule {
                    "" => Op::Param { array, index: self.number(index)? },
                    "zero" => Op::ParamAt { array, offset: self.number(index)?, rule: OutOfRange::Zero },
                    _ => Op::ParamAt { array, offset: self.number(index)?, rule: OutOfRange::Clamp },
                }
            }
            ("sample", mode) => {
                let texture = TextureId(self.named(&self.shader.textures, |t| &t.name, reference())?);
                let bias = mode.strip_prefix("bias(").and_then(|m| m.strip_suffix(')'));
                let lod = match (mode, bias) {
                    ("", _) => Lod::Implicit { bias_eighths: 0 },
                    ("level", _) => Lod::Level,
                    (_, Some(bias)) => {
                        let eighths = self.number::<f32>(bias)? * 8.0;
                        if !(-128.0..=127.0).contains(&eighths) || eighths as i8 as f32 != eighths {
                            return self.fail(format!("a bias of {bias} is not -16..15.875 in eighths"));
                        }
                        Lod::Implicit { bias_eighths: eighths as i8 }
                    }
                    _ => return self.fail(format!("`sample.{mode}` is no operation")),
                };
                Op::sample(texture, lod)
            }
            ("ddx", "") => Op::Ddx(Slope::Fine),
            ("ddy", "") => Op::Ddy(Slope::Fine),
            ("demote", "") => Op::Demote,
            ("mark", "") => Op::Mark(self.number(reference())?),
            (name, "") => match Pure::ALL.iter().find(|p| p.name() == name) {
                Some(&pure) => Op::Pure(pure),
                None => return self.fail(format!("`{name}` is no operation")),
            },
            _ => return self.fail(format!("`{name}.{suffix}` is no operation")),
        };
        let args = self.list(operands)?;
        match (result, ty) {
            (Some(value), Some(ty)) => self.define(value, ValueInfo { ty, home }),
            (None, None) => {}
            _ => return self.fail("a result has a type, and only a result"),
        }
        Ok(Inst { op, arith: Arith::IEEE, result, args, step })
    }

    fn literal(&self, word: &str, scalar: Scalar) -> Result_<u32> {
        if let Some(bits) = word.strip_prefix("0x") {
            return self.hex(bits);
        }
        match scalar {
            Scalar::F32 => Ok(self.number::<f32>(word)?.to_bits()),
            Scalar::I32 => Ok(self.number::<i32>(word)? as u32),
            Scalar::Bool if word == "true" => Ok(1),
            Scalar::Bool if word == "false" => Ok(0),
            Scalar::U32 => self.number(word),
            _ => self.fail(format!("`{word}` is no constant of that type")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::print;
    use alloc::string::ToString;

    const FILES: &[&str] = &["r"];

    const SAMPLE: &str = "fragment test
  files r
  input 0 v0 varying 0 : f32x4
  output 0 oc color 0 init 00000000 00000000 00000000 3f800000
  param 0 fc size 28 used 2 indexed
  texture 0 fs0 slot 0 2d wrap=repeat,clamp,repeat filter=linear mip=none anisotropy=4
  texture 1 fs3 slot 3 cube
  texture 2 SVIEW[2] slot 2 2d-array sampler=5 texels=u32
  texture 3 SVIEW[3] slot 3 cube-array depth wrap=mirror,mirror-once,border filter=linear,nearest mip=linear border=00000001,00000002,3f800000,ffffffff bias=-1.25 min-lod=0.5 max-lod=0x7fc00001 compare=less-equal seamless model=softpipe

  %0 = input v0 : f32x4                         step 0  home r3
  %1 = const 1.5 -0.0 0x7fc00001 : f32x3        step 0
  %2 = param fc[1] : f32x4                      step 0
  %3 = sample.bias(-1.5) fs0 %0.xy : f32x4      step 1
  %4 = to_i32 %2.w : i32                        step 2
  %5 = param.clamp fc[-3] %4 : f32x4            step 2
  %6 = lt %0.x %0.y : bool                      step 3
  %9: f32x4 @r1, %10: bool = if %6 {
    %7 = add %3 %5 : f32x4                        step 4  home r1
    yield %7 %6
  } else {
    %8 = not %6 : bool                            step 5
    yield %0.wzyx %8
  }
  %14: f32 = loop L0 %11: f32 = %0.x %12: bool = %10 {
    %13: f32 = block L1 {
      leave L1 %11
    }
    leave L0 %13
  }
  demote %10                                    step 6
  store oc.xw %9.yy                             step 7
";

    #[test]
    fn what_is_printed_is_read_back() {
        let shader = parse(SAMPLE, "test", FILES).unwrap();
        assert_eq!(print(&shader), SAMPLE);
        assert_eq!(crate::ir::verify::verify(&shader), []);
    }

    #[test]
    fn errors_name_their_line() {
        let bad = |from: &str, to: &str| {
            assert!(SAMPLE.contains(from), "{from}");
            parse(&SAMPLE.replacen(from, to, 1), "test", FILES).unwrap_err().to_string()
        };
        assert_eq!(bad("fragment test", "pixel test"), "line 1: `pixel` is no stage");
        assert_eq!(bad("input 0 v0", "input 1 v0"), "line 3: number 0 is due here, not 1");
        assert_eq!(bad("= add", "= plus"), "line 19: `plus` is no operation");
        assert_eq!(bad("%3 %5", "%99999999"), "line 19: %99999999 is out of all proportion to the text");
        assert_eq!(bad("  } else {\n", "  }\n"), "line 21: an if needs its `} else {`");
        assert_eq!(bad("store oc", "store od"), "line 32: `od` stands in no table");
        assert_eq!(bad("bias(-1.5)", "bias(99)"), "line 14: a bias of 99 is not -16..15.875 in eighths");
    }

    #[test]
    fn no_prefix_of_a_text_panics() {
        for end in 0..SAMPLE.len() {
            let _ = parse(&SAMPLE[..end], "test", FILES);
        }
    }
}
