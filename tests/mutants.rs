//! Programs that differ a little, and programs that only look different: what `vecasm eqv` is tested on.
//!
//! `cargo xtask mutants` makes mutants of our own programs and writes them down in `tests/eqv/`, each with a *witness*:
//! inputs on which it gives something else than the original. A witness is found here, with plain random numbers and the
//! interpreter, and not by `eqv`. Rewrites keep the meaning by construction: they are made anew from a seed in each test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use vecasm::compare::words::{self, Kind, Word};
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine as _, Outputs};
use vecasm::ir::{Dim, SamplerState, Scalar, Shader, Stage, Wrap};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Depth, Isa};

/// Marsaglia's xorshift, with another stream than anything in the library.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

/// Reads and lifts a text, with its step table.
pub(crate) fn shader(isa: Isa, text: &str) -> Result<(AnyProgram, Shader), String> {
    let (program, findings) = AnyProgram::parse(isa, text, None, None);
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let mut options = LiftOptions::default();
    options.agal.depth = Depth::Full;
    options.nv2a.depth = Depth::Full;
    options.d3d9.depth = Depth::Full;
    options.tgsi.depth = Depth::Full;
    let shader = program.lift(&options).map_err(|e| e.to_string())?;
    match vecasm::ir::verify::verify(&shader).first() {
        Some(breach) => Err(format!("malformed: {breach}")),
        None => Ok((program, shader)),
    }
}

/// The words of a line; in `TEMP[3]` of TGSI, the 3 is the number of a register.
fn words(isa: Isa, line: &str) -> Vec<Word> {
    let mut out = words::words(line);
    let brackets = if isa == Isa::Tgsi { 3..out.len() } else { 0..0 };
    for n in brackets {
        let sign = |at: usize, sign: &str| out[at].kind == Kind::Sign && out[at].text(line) == sign;
        let number = out[n - 1].kind == Kind::Number && sign(n - 2, "[") && sign(n, "]");
        if number && out[n - 3].kind == Kind::File {
            out[n - 1].kind = Kind::Index;
        }
    }
    out
}

/// The name of a register: its number stands behind the name of its file, or in its brackets.
fn register_name(file: &str, number: usize) -> String {
    match file.strip_suffix(']') {
        Some(open) => format!("{open}{number}]"),
        None => format!("{file}{number}"),
    }
}

/// Whether a line is a declaration, a property or an immediate of TGSI.
fn is_said(line: &str) -> bool {
    ["DCL ", "PROPERTY ", "IMM"].iter().any(|word| line.trim_start().starts_with(word))
}

/// Inputs and constants by name; what is not named is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Witness(BTreeMap<String, [f32; 4]>);

impl Witness {
    /// Reads `v0=1,0.5,-2,1 fc3=0,0,1,0`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut out = BTreeMap::new();
        for word in text.split_whitespace() {
            let (name, values) =
                word.split_once('=').ok_or_else(|| format!("`{word}` is no NAME=X,Y,Z,W"))?;
            let values: Vec<f32> = values
                .split(',')
                .map(|value| value.parse().map_err(|_| format!("{value} is no number")))
                .collect::<Result<_, _>>()?;
            let values = values.try_into().map_err(|_| format!("{name} has four lanes"))?;
            out.insert(name.to_string(), values);
        }
        Ok(Self(out))
    }

    pub(crate) fn print(&self) -> String {
        let each = self.0.iter().filter(|(_, v)| **v != [0.0; 4]);
        let each = each.map(|(name, [x, y, z, w])| format!("{name}={x},{y},{z},{w}"));
        each.collect::<Vec<_>>().join(" ")
    }

    /// Eighths between -4 and 4, whole numbers, and what is in 0..=1, for everything that a shader names.
    fn random(shader: &Shader, random: &mut Random) -> Self {
        let mut out = BTreeMap::new();
        let manner = random.below(4);
        let lane = |random: &mut Random| match (manner, random.below(4)) {
            (0, _) => random.below(17) as f32 / 16.0,
            (1, _) | (2, 0) => random.below(9) as f32 - 4.0,
            _ => random.below(65) as f32 / 8.0 - 4.0,
        };
        for input in &shader.inputs {
            out.insert(input.name.clone(), [(); 4].map(|()| lane(random)));
        }
        for array in &shader.params {
            let size = if array.indexed { array.size.min(32) } else { array.used };
            for n in 0..size {
                let value = [(); 4].map(|()| lane(random));
                let small = value.map(|x| x.abs().floor().min(4.0));
                let value = match array.scalar {
                    Scalar::F32 => value,
                    Scalar::Bool => [(random.below(2)) as f32; 4],
                    _ => small,
                };
                out.insert(format!("{}{n}", array.name), value);
            }
        }
        Self(out)
    }

    fn bits(&self, name: &str, scalar: Scalar) -> [u32; 4] {
        let value = self.0.get(name).copied().unwrap_or_default();
        value.map(|x| match scalar {
            Scalar::F32 => x.to_bits(),
            Scalar::Bool => u32::from(x != 0.0),
            _ => x as i32 as u32,
        })
    }

    /// Runs a shader on it: a quad of fragments that are alike, else one invocation. Every texture has four texels.
    pub(crate) fn run(&self, shader: &Shader) -> Result<Outputs, String> {
        let count = if shader.stage == Stage::Fragment { 4 } else { 1 };
        let textures: Vec<Option<Texture>> = shader.textures.iter().map(|t| texture(t.dim)).collect();
        let bound = textures.iter().zip(&shader.textures).map(|(texels, texture)| {
            let open = SamplerState::PLAIN.with_wrap(Wrap::Repeat);
            Some(BoundTexture { texture: texels.as_ref()?, sampler: texture.sampler.unwrap_or(open) })
        });
        let inputs = shader.inputs.iter().map(|i| vec![self.bits(&i.name, i.ty.scalar); count]).collect();
        let params = shader.params.iter().map(|array| {
            let size = if array.indexed { array.size } else { array.used };
            (0..size).map(|n| self.bits(&format!("{}{n}", array.name), array.scalar)).collect()
        });
        let params = params.collect();
        let batch =
            Batch { count, inputs, params, textures: bound.collect(), fuel: Some(1024), ..Batch::default() };
        Interp.run(shader, &batch).map_err(|e| e.to_string())
    }
}

/// Four texels, so that most wrong coordinates and lanes show.
fn texture(dim: Dim) -> Option<Texture> {
    let extent = Extent {
        height: if dim.axes() > 1 { 2 } else { 1 },
        depth: if dim == Dim::D3 { 2 } else { 1 },
        ..Extent::new(2, 1)
    };
    let texels = (0..extent.texels(dim)).map(|n| {
        let n = n as f32;
        [0.25 + n * 0.125, 0.75 - n * 0.0625, 0.5 + n * 0.03125, 1.0 - n * 0.015_625].map(f32::to_bits)
    });
    Texture::new(dim, Scalar::F32, extent, vec![texels.collect()]).ok()
}

/// Whether two shaders with the same outputs give something else on a witness.
pub(crate) fn differ(a: &Shader, b: &Shader, on: &Witness) -> Result<bool, String> {
    let (x, y) = (on.run(a)?, on.run(b)?);
    if x.killed != y.killed || x.exhausted != y.exhausted {
        return Ok(true);
    }
    if x.killed.first() == Some(&true) || x.exhausted.first() == Some(&true) {
        return Ok(false);
    }
    let same = |x: u32, y: u32| x == y || (f32::from_bits(x).is_nan() && f32::from_bits(y).is_nan());
    for (n, output) in a.outputs.iter().enumerate() {
        let Some(m) = b.outputs.iter().position(|o| o.name == output.name) else { continue };
        if x.cells[n].iter().flatten().zip(y.cells[m].iter().flatten()).any(|(x, y)| !same(*x, *y)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A changed line and what shows it.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// What was changed.
    pub(crate) kind: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What stands there instead; empty where it is dropped or changes places with the next one.
    pub(crate) text: String,
}

impl Mutant {
    /// Reads `swizzle 7 mul ft0.z, ft0.x, ft0.x`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, ' ');
        let (Some(kind), Some(line)) = (parts.next(), parts.next()) else {
            return Err("a mutant is KIND LINE TEXT".into());
        };
        let line = line.parse().map_err(|_| format!("{line} is no line"))?;
        Ok(Self { kind: kind.into(), line, text: parts.next().unwrap_or("").trim().into() })
    }

    pub(crate) fn print(&self) -> String {
        format!("{} {} {}", self.kind, self.line, self.text.trim()).trim_end().to_string()
    }

    /// The text with the change.
    pub(crate) fn apply(&self, text: &str) -> Result<String, String> {
        let mut lines: Vec<&str> = text.lines().collect();
        let at = self.line.wrapping_sub(1);
        if at >= lines.len() {
            return Err(format!("the program has no line {}", self.line));
        }
        match self.kind.as_str() {
            "dropped" => {
                lines.remove(at);
            }
            "order" if at + 1 < lines.len() => lines.swap(at, at + 1),
            "order" => return Err(format!("line {} is the last one", self.line)),
            _ => lines[at] = &self.text,
        }
        Ok(lines.join("\n") + "\n")
    }
}

/// What can be changed.
pub(crate) const KINDS: [&str; 10] = [
    "swizzle", "mask", "opcode", "operand", "register", "constant", "modifier", "order", "dropped", "one-off",
];

/// Changes a line at random; whether that is a program is not looked at.
fn change(isa: Isa, text: &str, kind: &str, random: &mut Random) -> Option<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let at = random.below(lines.len());
    let line = *lines.get(at)?;
    let words = words(isa, line);
    let operation = words.iter().position(|word| word.kind == Kind::Mnemonic)?;
    if line.starts_with(['.', '/', ';', '#']) || words.len() < operation + 2 {
        return None;
    }
    let name = words[operation].text(line);
    let declared = name.starts_with("dcl") || is_said(line) && name != "IMM";
    let defined = name.starts_with("def") || name == "IMM";
    let cut =
        |word: &Word, with: &str| format!("{}{with}{}", &line[..word.range.start], &line[word.range.end..]);
    let behind: Vec<&Word> = words.iter().skip(operation + 1).collect();
    let comma = behind.iter().position(|word| word.text(line) == ",");
    let sources = || comma.map_or(&[][..], |comma| &behind[comma..]);
    let of = |list: &[&Word], kind: Kind| -> Vec<Word> {
        list.iter().filter(|word| word.kind == kind).map(|word| (*word).clone()).collect()
    };
    let small = |random: &mut Random, n: i64| (n + if random.below(2) == 0 { 1 } else { -1 }).max(0);
    let text = match kind {
        _ if declared => return None,
        "swizzle" if !defined => {
            let list = of(sources(), Kind::Lanes);
            let word = random.pick(&list)?;
            let mut letters: Vec<char> = word.text(line).chars().collect();
            let n = random.below(letters.len());
            letters[n] = *random.pick(&['x', 'y', 'z', 'w'])?;
            cut(word, &letters.into_iter().collect::<String>())
        }
        "mask" if !defined => {
            let list = of(&behind[..comma?], Kind::Lanes);
            let word = list.first()?;
            let mask = random.pick(&["x", "y", "z", "w", "xy", "yz", "xyz", "xyw", "yzw", "xyzw"])?;
            cut(word, mask)
        }
        "opcode" if !defined => {
            let count = line.matches(',').count() + 1;
            let rows = isa.instructions();
            let rows: Vec<&str> =
                rows.iter().filter(|row| row.shape.len() == count).map(|row| row.name).collect();
            cut(&words[operation], random.pick(&rows)?)
        }
        "operand" if !defined => {
            let all: Vec<&str> = lines
                .iter()
                .filter(|line| !line.starts_with("d") && !line.starts_with(['.', '/', ';']) && !is_said(line))
                .flat_map(|line| line.split(',').skip(1))
                .map(str::trim)
                .collect();
            let mut parts: Vec<&str> = line.split(',').collect();
            if parts.len() < 2 {
                return None;
            }
            let n = 1 + random.below(parts.len() - 1);
            let other = format!(" {}", random.pick(&all)?);
            parts[n] = &other;
            parts.join(",")
        }
        "register" if !defined => {
            let list = of(&behind, Kind::Index);
            let word = random.pick(&list)?;
            let n: i64 = word.text(line).parse().ok()?;
            cut(word, &small(random, n).to_string())
        }
        "constant" => {
            // A number of the program, or another element.
            let numbers = of(&behind, Kind::Number);
            let word = random.pick(&numbers)?;
            match (defined, word.text(line).parse::<f32>()) {
                (true, Ok(x)) => {
                    let x = *random.pick(&[x * 2.0, x + 1.0, x * 1.0625, x * 0.5, 1.0 - x])?;
                    cut(word, &format!("{}", x.abs()))
                }
                (false, Ok(n)) if n.fract() == 0.0 => cut(word, &random.below(16).to_string()),
                _ => return None,
            }
        }
        "one-off" => {
            let numbers = of(&behind, Kind::Number);
            let word = random.pick(&numbers)?;
            let n: i64 = word.text(line).parse().ok()?;
            cut(word, &small(random, n).to_string())
        }
        "modifier" if !defined => {
            let files: Vec<Word> = of(sources(), Kind::File);
            let word = random.pick(&files)?;
            let before = &line[..word.range.start];
            match (random.below(3), before.strip_suffix('-')) {
                (0, _) if matches!(isa, Isa::D3d9 | Isa::Tgsi) => {
                    let at = words[operation].range.end;
                    let suffix = if isa == Isa::Tgsi { "_SAT" } else { "_sat" };
                    match name.strip_suffix(suffix) {
                        Some(plain) => cut(&words[operation], plain),
                        None => format!("{}{suffix}{}", &line[..at], &line[at..]),
                    }
                }
                (_, Some(before)) => format!("{before}{}", &line[word.range.start..]),
                (_, None) => format!("{before}-{}", &line[word.range.start..]),
            }
        }
        "order" | "dropped" if !defined => String::new(),
        _ => return None,
    };
    (text != line).then(|| Mutant { kind: kind.into(), line: at + 1, text })
}

/// Makes a mutant with a witness.
pub(crate) fn mutant(isa: Isa, text: &str, kind: &str, random: &mut Random) -> Option<(Mutant, Witness)> {
    let (_, original) = shader(isa, text).ok()?;
    for _ in 0..200 {
        let Some(mutant) = change(isa, text, kind, random) else { continue };
        let Ok(changed) = mutant.apply(text) else { continue };
        let Ok((_, other)) = shader(isa, &changed) else { continue };
        let names =
            |shader: &Shader| -> Vec<String> { shader.outputs.iter().map(|o| o.name.clone()).collect() };
        let dims =
            |shader: &Shader| -> Vec<_> { shader.textures.iter().map(|t| (t.name.clone(), t.dim)).collect() };
        if names(&original) != names(&other) || dims(&original) != dims(&other) {
            continue;
        }
        for _ in 0..60 {
            let from = if random.below(2) == 0 { &original } else { &other };
            let witness = Witness::random(from, random);
            // What is written down has to show it.
            let witness = Witness::parse(&witness.print()).ok()?;
            if differ(&original, &other, &witness) == Ok(true) {
                return Some((mutant, witness));
            }
        }
    }
    None
}

/// Operations that compute lane by lane, and how many of their first sources may change places.
const PLAIN: [(&str, bool); 9] = [
    ("mov", false),
    ("add", true),
    ("mul", true),
    ("mad", true),
    ("sub", false),
    ("min", false),
    ("max", false),
    ("slt", false),
    ("sge", false),
];
/// Operations that make one lane, whose sources may change places.
const DOTS: [&str; 2] = ["dp3", "dp4"];

/// A line that can be rewritten: `op dst, src, …` without anything around it.
struct Simple<'a> {
    name: &'a str,
    destination: &'a str,
    sources: Vec<&'a str>,
}

fn simple(isa: Isa, line: &str) -> Option<Simple<'_>> {
    if line.contains(['+', '(', '<', ';', '/', '|', '{']) || is_said(line) {
        return None;
    }
    if isa != Isa::Tgsi && line.contains('[') {
        return None;
    }
    // What is in brackets is a number.
    let inside = line.split('[').skip(1).map(|rest| rest.split(']').next().unwrap_or(""));
    if inside.into_iter().any(|number| number.is_empty() || !number.bytes().all(|c| c.is_ascii_digit())) {
        return None;
    }
    let (name, rest) = line.trim().split_once(' ')?;
    let mut parts = rest.split(',').map(str::trim);
    let destination = parts.next()?;
    let sources: Vec<&str> = parts.collect();
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let known = PLAIN.iter().any(|(plain, _)| is(plain)) || DOTS.iter().any(|dot| is(dot));
    (known && !sources.is_empty()).then_some(Simple { name, destination, sources })
}

/// File, number and letters of `r3.xy`, or of `TEMP[3].xy`, whose file is `TEMP[]`; `None` if there is more to it.
fn register<'a>(operand: &'a str, own: &'a str) -> Option<(&'a str, usize, &'a str)> {
    let (name, lanes) = operand.split_once('.').unwrap_or((operand, ""));
    if let Some((file, number)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        let file = if own.strip_suffix("[]") == Some(file) { own } else { file };
        return Some((file, number.parse().ok()?, lanes)).filter(|_| !file.starts_with('-'));
    }
    let file = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.get(file.len()..)?.parse().ok()?;
    (file.bytes().all(|c| c.is_ascii_alphabetic()) && !file.is_empty()).then_some((file, number, lanes))
}

/// A program that is being rewritten.
struct Rewriting {
    isa: Isa,
    file: &'static str,
    lines: Vec<String>,
    /// Registers that are not free to be renamed.
    special: Vec<usize>,
}

impl Rewriting {
    /// Where the numbers of temporaries stand in a line.
    fn numbers<'a>(&'a self, line: &'a str) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        let file = self.file.strip_suffix("[]").unwrap_or(self.file);
        let words = words(self.isa, line);
        (1..words.len()).filter_map(move |n| {
            let bracket = words[n - 1].text(line) == "[";
            let before = &words[if bracket { n.checked_sub(2)? } else { n - 1 }];
            let own = before.kind == Kind::File && before.text(line) == file;
            (own && words[n].kind == Kind::Index).then(|| words[n].range.clone())
        })
    }

    /// Numbers of the temporaries in use.
    fn used(&self) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        for line in &self.lines {
            out.extend(self.numbers(line).filter_map(|range| line[range].parse::<usize>().ok()));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// A temporary that nothing uses.
    fn free(&self) -> Option<usize> {
        let used = self.used();
        (0..8).rev().find(|n| !used.contains(n) && !self.special.contains(n))
    }

    /// Puts other numbers in the place of those of temporaries.
    fn rename(&mut self, random: &mut Random) -> bool {
        let from: Vec<usize> = self.used().into_iter().filter(|n| !self.special.contains(n)).collect();
        let mut to = from.clone();
        for i in (1..to.len()).rev() {
            to.swap(i, random.below(i + 1));
        }
        let mut lines = Vec::new();
        for line in &self.lines {
            let mut out = String::new();
            let mut end = 0;
            for range in self.numbers(line) {
                let number = line[range.clone()].parse().ok();
                let other = number.and_then(|n: usize| from.iter().position(|f| *f == n)).map(|n| to[n]);
                if let Some(other) = other {
                    let _ = write!(out, "{}{other}", &line[end..range.start]);
                    end = range.end;
                }
            }
            out.push_str(&line[end..]);
            lines.push(out);
        }
        self.lines = lines;
        from != to
    }

    /// Two neighbours change places that do not touch what the other one writes.
    fn reorder(&mut self, random: &mut Random) -> bool {
        let Ok((program, shader)) = shader(self.isa, &self.text()) else { return false };
        let text = self.text();
        let spans = program.instruction_spans(&text);
        let line_of = |source: usize| {
            let span = spans.get(source)?;
            Some(text[..span.start as usize].matches('\n').count())
        };
        let mut steps: BTreeMap<u32, Vec<&vecasm::ir::steps::Step>> = BTreeMap::new();
        for step in &shader.steps {
            steps.entry(step.source).or_default().push(step);
        }
        let mut places = Vec::new();
        for (source, first) in &steps {
            let Some(second) = steps.get(&(source + 1)) else { continue };
            let (Some(x), Some(y)) = (line_of(*source as usize), line_of(*source as usize + 1)) else {
                continue;
            };
            let plain = |n: usize| self.lines.get(n).is_some_and(|line| simple(self.isa, line).is_some());
            if y != x + 1 || !plain(x) || !plain(y) {
                continue;
            }
            let clash = |a: &vecasm::ir::steps::Access, b: &vecasm::ir::steps::Access| {
                let computed = a.cell.is_computed() || b.cell.is_computed();
                computed || (a.cell == b.cell && a.mask.bits() & b.mask.bits() != 0)
            };
            let touches = |p: &[&vecasm::ir::steps::Step], q: &[&vecasm::ir::steps::Step]| {
                let writes = p.iter().flat_map(|step| &step.writes);
                writes
                    .into_iter()
                    .any(|w| q.iter().flat_map(|step| step.accesses()).any(|other| clash(w, other)))
            };
            if !touches(first, second) && !touches(second, first) {
                places.push(x);
            }
        }
        let Some(&at) = random.pick(&places) else { return false };
        self.lines.swap(at, at + 1);
        true
    }

    fn pick_simple(&self, random: &mut Random, fits: impl Fn(&Simple<'_>) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..self.lines.len())
            .filter(|&n| simple(self.isa, &self.lines[n]).is_some_and(|s| fits(&s)))
            .collect();
        random.pick(&places).copied()
    }

    /// The first two sources change places.
    fn commute(&mut self, random: &mut Random) -> bool {
        let turns = |name: &str| {
            let is = |known: &str| known.eq_ignore_ascii_case(name);
            PLAIN.iter().any(|(plain, turns)| *turns && is(plain)) || DOTS.iter().any(|dot| is(dot))
        };
        let fits = |s: &Simple<'_>| turns(s.name) && s.sources.len() >= 2 && s.sources[0] != s.sources[1];
        let Some(at) = self.pick_simple(random, fits) else { return false };
        let line = self.lines[at].clone();
        let Some(mut parts) = simple(self.isa, &line) else { return false };
        parts.sources.swap(0, 1);
        self.lines[at] = format!("{} {}, {}", parts.name, parts.destination, parts.sources.join(", "));
        true
    }

    /// A source goes through a copy.
    fn copy(&mut self, random: &mut Random) -> bool {
        let Some(free) = self.free() else { return false };
        let own = |source: &str| register(source, self.file).is_some_and(|(file, ..)| file == self.file);
        let Some(at) = self.pick_simple(random, |s| s.sources.iter().any(|source| own(source))) else {
            return false;
        };
        let line = self.lines[at].clone();
        let Some(mut parts) = simple(self.isa, &line) else { return false };
        let Some(n) = parts.sources.iter().position(|source| own(source)) else { return false };
        let Some((file, number, lanes)) = register(parts.sources[n], self.file) else { return false };
        let (to, from) = (register_name(file, free), register_name(file, number));
        let other = if lanes.is_empty() { to.clone() } else { format!("{to}.{lanes}") };
        let copy = format!("mov {to}, {from}");
        parts.sources[n] = &other;
        self.lines[at] = format!("{} {}, {}", parts.name, parts.destination, parts.sources.join(", "));
        self.lines.insert(at, copy);
        true
    }

    /// Something that nobody reads.
    fn dead(&mut self, random: &mut Random) -> bool {
        let Some(free) = self.free() else { return false };
        let own =
            |s: &Simple<'_>| register(s.sources[0], self.file).is_some_and(|(file, ..)| file == self.file);
        let Some(at) = self.pick_simple(random, own) else { return false };
        let Some(source) = simple(self.isa, &self.lines[at]).map(|s| s.sources[0].to_string()) else {
            return false;
        };
        self.lines.insert(at, format!("mul {}, {source}, {source}", register_name(self.file, free)));
        true
    }

    /// Lanes are written by two instructions.
    fn split(&mut self, random: &mut Random) -> bool {
        let fits = |s: &Simple<'_>| {
            let Some((file, number, mask)) = register(s.destination, self.file) else { return false };
            let whole = |source: &str| {
                let plain = source.trim_start_matches('-');
                let Some((f, n, lanes)) = register(plain, self.file) else { return false };
                (lanes.is_empty() || lanes.len() == 4) && (f, n) != (file, number)
            };
            mask.len() > 1
                && PLAIN.iter().any(|(name, _)| name.eq_ignore_ascii_case(s.name))
                && s.sources.iter().all(|x| whole(x))
        };
        let Some(at) = self.pick_simple(random, fits) else { return false };
        let line = self.lines[at].clone();
        let Some(parts) = simple(self.isa, &line) else { return false };
        let Some((file, number, mask)) = register(parts.destination, self.file) else { return false };
        let (first, second) = mask.split_at(1 + random.below(mask.len() - 1));
        let to = register_name(file, number);
        let of = |mask: &str| format!("{} {to}.{mask}, {}", parts.name, parts.sources.join(", "));
        let (first, second) = (of(first), of(second));
        self.lines[at] = second;
        self.lines.insert(at, first);
        true
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// The same program in other words, and what was done to it; `None` if nothing could be done.
pub(crate) fn rewrite(isa: Isa, text: &str, seed: u64) -> Option<(String, Vec<&'static str>)> {
    let mut random = Random::new(seed);
    let (program, _) = shader(isa, text).ok()?;
    let file = *program.temporaries().first()?;
    // R12 of the NV2A is the position; of first pixel shaders, r0 is the colour.
    let special = match isa {
        Isa::Nv2a => vec![12],
        Isa::D3d9 if program.stage() == Stage::Fragment && program.version() < 20 => {
            vec![0, 2, 3, 4, 5, 6, 7]
        }
        _ => vec![],
    };
    let mut rewriting = Rewriting { isa, file, lines: text.lines().map(str::to_string).collect(), special };
    let mut done = Vec::new();
    for _ in 0..2 + random.below(5) {
        let before = rewriting.lines.clone();
        type Step = fn(&mut Rewriting, &mut Random) -> bool;
        let steps: [(&str, Step); 6] = [
            ("rename", Rewriting::rename),
            ("reorder", Rewriting::reorder),
            ("commute", Rewriting::commute),
            ("copy", Rewriting::copy),
            ("dead", Rewriting::dead),
            ("split", Rewriting::split),
        ];
        let &(name, step) = random.pick(&steps)?;
        if step(&mut rewriting, &mut random) && shader(isa, &rewriting.text()).is_ok() {
            done.push(name);
        } else {
            rewriting.lines = before;
        }
    }
    (!done.is_empty() && rewriting.text() != text).then(|| (rewriting.text(), done))
}
