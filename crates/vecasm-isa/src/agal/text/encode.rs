//! From the pieces of an instruction to a token, for a stage and a version.

use super::errors::{Findings, Quoted, id, nearest};
use super::options::{self, Field, OPTIONS};
use super::parse::{current, number_of};
use super::print::{can_index, has_operation, in_stage, nameable};
use super::registers::{self, NAMES, Name};
use super::syntax::{Index, Instruction, MAX_OPERANDS, Operand};
use crate::agal::program::{Dest, RegType, Source, Stage, Token};
use crate::agal::table::Opcode;
use crate::table::Shape;
use crate::text::Word;
use alloc::format;
use alloc::string::{String, ToString};
use vecasm_ir::operand::{LANES, Swizzle, WriteMask};

/// Encodes the instructions of one program, in order.
pub(super) struct Encoder {
    stage: Stage,
    version: u32,
    /// The sampler bits that the options of an earlier line would leave in force in Adobe's assembler.
    leaked: u64,
}

impl Encoder {
    pub(super) fn new(stage: Stage, version: u32) -> Self {
        Self { stage, version, leaked: 0 }
    }

    /// The token of an instruction; `None` after an error.
    pub(super) fn encode(&mut self, instruction: &Instruction<'_>, findings: &mut Findings) -> Option<Token> {
        let op = self.operation(instruction.mnemonic, findings)?;
        let row = op.row();
        let mut good = true;
        if instruction.count != row.shape.len() {
            let (found, expected) = (instruction.count, row.shape.len());
            let place = match (found > expected, instruction.operands.get(expected)) {
                (true, Some(first)) => first.span(),
                _ => instruction.mnemonic.span(),
            };
            findings.error_asking(
                id::OPERAND_COUNT,
                place,
                format_args!("`{}` takes {}, found {found}", row.name, operands(expected)),
                || Some(format!("it is written `{}`", usage(op))),
            );
            good = false;
        }
        let takes_options = row.shape.contains(&Shape::Sampler);
        if let Some((_, whole)) = instruction.options.as_ref().filter(|_| !takes_options) {
            findings.error_asking(
                id::OPTIONS_UNWANTED,
                whole.span(),
                format_args!("`{}` takes no sampler options", row.name),
                || {
                    Some(
                        "in Adobe's assembler they would apply to the next texture operation without options"
                            .to_string(),
                    )
                },
            );
            good = false;
        }
        let mut token = Token { opcode: row.code, ..Token::default() };
        let mut sources = [Source::default(); 2];
        let mut filled = 0;
        for (shape, operand) in
            row.shape.iter().zip(instruction.operands).take(instruction.count.min(MAX_OPERANDS))
        {
            let operand = Operand::cut(operand, findings);
            if *shape == Shape::Dst {
                match operand.and_then(|o| self.dest(&o, findings)) {
                    Some(dest) => token.dest = dest,
                    None => good = false,
                }
                continue;
            }
            let source = match shape {
                Shape::Sampler => operand.and_then(|o| self.sampler(&o, op, findings)),
                _ => operand.and_then(|o| self.source(&o, findings)),
            };
            if let (Some(slot), Some(source)) = (sources.get_mut(filled), source) {
                *slot = source;
            }
            good &= source.is_some();
            filled += 1;
        }
        if takes_options {
            match self.options(instruction, findings) {
                Some(bits) => sources[1].0 |= bits,
                None => good = false,
            }
        }
        [token.src1, token.src2] = sources;
        good.then_some(token)
    }

    fn operation(&self, mnemonic: Word<'_>, findings: &mut Findings) -> Option<Opcode> {
        let Some(op) = current(mnemonic.text) else {
            let reserved = Opcode::ALL.iter().any(|op| op.row().name == mnemonic.text);
            findings.error_asking(
                id::UNKNOWN_OPCODE,
                mnemonic.span(),
                format_args!("unknown mnemonic {}", Quoted(mnemonic.text)),
                || Some(self.opcode_help(mnemonic.text, reserved)),
            );
            return None;
        };
        if has_operation(op, self.stage, self.version) {
            return Some(op);
        }
        let row = op.row();
        if !in_stage(row.stages, self.stage) {
            let other = if self.stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
            findings.error(
                id::OPCODE_STAGE,
                mnemonic.span(),
                format_args!("`{}` exists in {} programs only", row.name, other.name()),
            );
        } else {
            let since = row.since;
            findings.error_asking(
                id::OPCODE_VERSION,
                mnemonic.span(),
                format_args!("`{}` needs AGAL {since}, this is AGAL {}", row.name, self.version),
                || Some(format!("write `.agal {} {since}`, or ask for version {since}", self.stage.name())),
            );
        }
        None
    }

    fn opcode_help(&self, word: &str, reserved: bool) -> String {
        if reserved {
            return "no player ever implemented it; `.token` can write it".to_string();
        }
        if let Some(op) = word.get(..3).and_then(current).filter(|_| word.len() > 3) {
            return format!(
                "did you mean `{}`? Adobe's assembler reads the first three characters only",
                op.row().name
            );
        }
        let names = Opcode::ALL.iter().filter(|&&op| has_operation(op, self.stage, self.version));
        match nearest(word, names.map(|op| op.row().name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "Adobe's assembler would skip the line".to_string(),
        }
    }

    /// Looks a register up and checks its number.
    fn register(
        &self,
        name: Word<'_>,
        number: Word<'_>,
        findings: &mut Findings,
    ) -> Option<(&'static Name, u16)> {
        let whole = vecasm_ir::diag::Span::new(name.at, number.end().max(name.end()));
        let Some(register) = registers::by_name(name.text) else {
            findings.error_asking(
                id::UNKNOWN_REGISTER,
                whole,
                format_args!("unknown register {}", Quoted(name.text)),
                || {
                    let mine = NAMES.iter().filter(|n| n.stage.is_none_or(|s| s == self.stage));
                    let near = nearest(name.text, mine.map(|n| n.name))
                        .or_else(|| nearest(name.text, NAMES.iter().map(|n| n.name)))?;
                    Some(format!("did you mean `{near}{}`?", number.text.get(..4).unwrap_or(number.text)))
                },
            );
            return None;
        };
        if let Some(stage) = register.stage.filter(|&stage| stage != self.stage) {
            let (ty, mine) = (register.ty, self.stage);
            findings.error_asking(
                id::REGISTER_STAGE,
                whole,
                format_args!(
                    "`{}` is a register of {} programs, this is a {} program",
                    register.name,
                    stage.name(),
                    mine.name()
                ),
                || {
                    (nameable(ty, mine, 4) > 0)
                        .then(|| format!("{} programs have `{}`", mine.name(), ty.name(mine)))
                },
            );
            return None;
        }
        let numberless = matches!(register.ty, RegType::Output | RegType::Depth | RegType::InstanceId);
        if number.is_empty() && !numberless {
            findings.error_asking(
                id::REGISTER_NUMBER,
                whole,
                format_args!("`{}` needs a number", register.name),
                || Some(format!("Adobe's assembler reads it as `{}0`", register.name)),
            );
            return None;
        }
        let value = number_of(number);
        let count = nameable(register.ty, self.stage, self.version);
        if value >= count {
            let (stage, version) = (self.stage.name(), self.version);
            let shown = Word { text: number.text.get(..8).unwrap_or(number.text), ..number };
            findings.error_asking(
                id::REGISTER_RANGE,
                whole,
                format_args!(
                    "`{}{}` does not exist in {stage} programs of AGAL {version}",
                    register.name, shown.text
                ),
                || Some(self.range_help(register, value, count)),
            );
            return None;
        }
        Some((register, value as u16))
    }

    fn range_help(&self, register: &Name, value: u32, count: u32) -> String {
        let have = match count {
            0 => "there are none".to_string(),
            1 => format!("there is one: `{}0`", register.name),
            _ => format!("there are `{0}0` to `{0}{1}`", register.name, count - 1),
        };
        let later =
            (self.version.saturating_add(1)..=4).find(|&v| value < nameable(register.ty, self.stage, v));
        match later {
            Some(version) => format!("{have}; AGAL {version} has it"),
            None => have,
        }
    }

    /// The lanes that a suffix names.
    fn letters(&self, operand: &Operand<'_>, findings: &mut Findings) -> Option<Option<([u8; 4], usize)>> {
        let Some(suffix) = operand.suffix else { return Some(None) };
        let mut lanes = [0; 4];
        let mut count = 0;
        for c in suffix.text.chars() {
            match (LANES.iter().position(|&l| l == c), lanes.get_mut(count)) {
                (Some(lane), Some(slot)) => *slot = lane as u8,
                _ => {
                    findings.error_asking(
                        id::SUFFIX,
                        suffix.span(),
                        format_args!("{} is not a suffix", Quoted(suffix.text)),
                        || Some(suffix_help(suffix.text)),
                    );
                    return None;
                }
            }
            count += 1;
        }
        Some(Some((lanes, count)))
    }

    fn dest(&self, operand: &Operand<'_>, findings: &mut Findings) -> Option<Dest> {
        let register = self.register(operand.name, operand.number, findings);
        let letters = self.letters(operand, findings);
        if let Some(index) = operand.index {
            findings.error_asking(
                id::INDIRECT,
                index.whole.span(),
                format_args!("a destination cannot be indexed"),
                || {
                    Some(
                        "only vc can be indexed by a register, in the sources of vertex programs".to_string(),
                    )
                },
            );
            return None;
        }
        let ((register, number), letters) = (register?, letters?);
        let Some((lanes, count)) = letters else {
            return Some(Dest::new(register.ty, number, WriteMask::ALL));
        };
        let lanes = &lanes[..count];
        let mask = WriteMask::from_bits(lanes.iter().fold(0, |mask, lane| mask | 1 << lane));
        if lanes.windows(2).any(|pair| pair[0] >= pair[1]) {
            let span = operand.suffix.unwrap_or(operand.whole).span();
            findings.error_asking(
                id::MASK_ORDER,
                span,
                format_args!("the letters of the write mask are repeated or out of order"),
                || {
                    Some(format!(
                        "a mask is a set of lanes: Adobe's assembler reads it as `.{}`",
                        mask.letters()
                    ))
                },
            );
            return None;
        }
        Some(Dest::new(register.ty, number, mask))
    }

    fn source(&self, operand: &Operand<'_>, findings: &mut Findings) -> Option<Source> {
        let letters = self.letters(operand, findings);
        let swizzle = |letters: Option<([u8; 4], usize)>| match letters {
            None => Swizzle::IDENTITY,
            Some((lanes, count)) => {
                let lane = |i: usize| lanes[i.min(count - 1)];
                Swizzle::new(lane(0), lane(1), lane(2), lane(3))
            }
        };
        let Some(index) = operand.index else {
            let (register, number) = self.register(operand.name, operand.number, findings)?;
            return Some(Source::direct(register.ty, number, swizzle(letters?)));
        };
        if operand.name.text != "vc" || self.stage != Stage::Vertex || !operand.number.is_empty() {
            findings.error_asking(
                id::INDIRECT,
                operand.whole.span(),
                format_args!("{} cannot be indexed", Quoted(operand.name.text)),
                || {
                    Some(match (operand.name.text, operand.number.is_empty()) {
                        ("vc", false) => "write the base as the offset: vc[va0.x+4]".to_string(),
                        _ => "only vc can be indexed by a register, in the sources of vertex programs"
                            .to_string(),
                    })
                },
            );
            return None;
        }
        let (register, number, component, offset) = self.index(&index, findings)?;
        Some(Source::indirect(RegType::Constant, offset, swizzle(letters?), register.ty, number, component))
    }

    fn index(&self, index: &Index<'_>, findings: &mut Findings) -> Option<(&'static Name, u16, u8, u8)> {
        let (register, number) = self.register(index.name, index.number, findings)?;
        if !can_index(register.ty) {
            findings.error_asking(
                id::INDEX_REGISTER,
                index.name.span(),
                format_args!("`{}` cannot be an index", register.name),
                || Some("an index is a component of va, vc or vt".to_string()),
            );
            return None;
        }
        let Some(component) = index.component else {
            let name = index.name.text;
            findings.error_asking(
                id::INDEX_COMPONENT,
                index.whole.span(),
                format_args!("the component of the index register is missing"),
                || Some(format!("write which one, as in vc[{name}{number}.x]")),
            );
            return None;
        };
        let (negative, digits) = match index.offset.text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, index.offset.text.trim_start_matches('+')),
        };
        let value = number_of(Word { text: digits, at: 0 });
        if value > if negative { 128 } else { 255 } {
            findings.error_asking(
                id::INDEX_OFFSET,
                index.offset.span(),
                format_args!("the offset {} is out of range", Quoted(index.offset.text)),
                || Some("an offset is one byte: -128 to 255".to_string()),
            );
            return None;
        }
        let offset = value as u8;
        Some((register, number, component, if negative { offset.wrapping_neg() } else { offset }))
    }

    fn sampler(&self, operand: &Operand<'_>, op: Opcode, findings: &mut Findings) -> Option<Source> {
        let (register, number) = self.register(operand.name, operand.number, findings)?;
        if register.ty != RegType::Sampler {
            let sampler = RegType::Sampler.name(self.stage);
            findings.error_asking(
                id::SAMPLER_EXPECTED,
                operand.whole.span(),
                format_args!(
                    "the third operand of `{}` is a sampler, not {}",
                    op.row().name,
                    Quoted(operand.whole.text)
                ),
                || Some(format!("write `{sampler}{number}` or another sampler")),
            );
            return None;
        }
        let extra = operand.suffix.or(operand.index.map(|i| i.whole));
        if let Some(extra) = extra {
            findings.error(
                id::JUNK,
                extra.span(),
                format_args!(
                    "a sampler has no {}",
                    if operand.index.is_some() { "index" } else { "swizzle" }
                ),
            );
            return None;
        }
        Some(Source(u64::from(number) | u64::from(RegType::Sampler.code()) << 32))
    }

    /// The bits of the sampler word that the options set.
    fn options(&mut self, instruction: &Instruction<'_>, findings: &mut Findings) -> Option<u64> {
        let Some((words, _)) = &instruction.options else {
            if self.leaked == 0 {
                return Some(0);
            }
            let last = instruction.operands[MAX_OPERANDS - 1];
            let span = if last.is_empty() { instruction.mnemonic.span() } else { last.span() };
            findings.error_asking(
                id::OPTIONS_MISSING,
                span,
                format_args!("sampler options are missing after a line that has some"),
                || {
                    Some(
                        "Adobe's assembler would reuse those; write them here, or <> for the defaults"
                            .to_string(),
                    )
                },
            );
            return None;
        };
        let mut set: [Option<Word<'_>>; 7] = [None; 7];
        let (mut bits, mut flags, mut good) = (0, 0, true);
        for &word in words {
            let (slot, value) = match options::by_name(word.text) {
                Some(option) if option.field == Field::Special => {
                    if flags & option.value != 0 {
                        repeated(word, findings);
                        good = false;
                    }
                    flags |= option.value;
                    continue;
                }
                Some(option) => {
                    let slot = Field::ALL.iter().position(|&f| f == option.field).unwrap_or(0);
                    (slot, u64::from(option.value) << option.field.shift())
                }
                None if looks_numeric(word.text) => match bias(word, findings) {
                    Some(byte) => (6, u64::from(byte) << 16),
                    None => {
                        good = false;
                        continue;
                    }
                },
                None => {
                    unknown_option(word, findings);
                    good = false;
                    continue;
                }
            };
            match set[slot].replace(word) {
                None => bits |= value,
                Some(earlier) => {
                    good = false;
                    if earlier.text == word.text {
                        repeated(word, findings);
                        continue;
                    }
                    findings.error_asking(
                        id::OPTION_CONFLICT,
                        word.span(),
                        format_args!("{} contradicts {}", Quoted(word.text), Quoted(earlier.text)),
                        || {
                            let what = Field::ALL.get(slot).map_or("bias", |f| f.name());
                            Some(format!("a sampler has one {what}; Adobe's assembler uses the last one"))
                        },
                    );
                }
            }
        }
        bits |= u64::from(flags) << Field::Special.shift();
        self.leaked = bits;
        good.then_some(bits)
    }
}

fn repeated(word: Word<'_>, findings: &mut Findings) {
    findings.error(id::OPTION_REPEATED, word.span(), format_args!("{} is given twice", Quoted(word.text)));
}

fn unknown_option(word: Word<'_>, findings: &mut Findings) {
    findings.error_asking(
        id::UNKNOWN_OPTION,
        word.span(),
        format_args!("unknown sampler option {}", Quoted(word.text)),
        || {
            Some(match nearest(word.text, OPTIONS.iter().map(|o| o.name)) {
                Some(near) => {
                    format!("did you mean `{near}`? Adobe's assembler reads an unknown option as a bias of 0")
                }
                None => "Adobe's assembler reads an unknown option as a bias of 0".to_string(),
            })
        },
    );
}

fn looks_numeric(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+', '.']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && options::by_name(word).is_none()
        && !ends_like_dimension(word)
}

/// `1d`, `4D` and the like are slips for a dimension, not numbers.
fn ends_like_dimension(word: &str) -> bool {
    word.ends_with(['d', 'D'])
}

/// The byte of a bias written as a plain decimal number.
fn bias(word: Word<'_>, findings: &mut Findings) -> Option<u8> {
    let plain = word.text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-'));
    let value: Option<f64> = if plain { word.text.parse().ok() } else { None };
    let eighths = value.map(|v| v * 8.0).filter(|v| (-128.0..=127.0).contains(v));
    match eighths {
        Some(eighths) if f64::from(eighths as i8) == eighths => Some(eighths as i8 as u8),
        _ => {
            findings.error_asking(
                id::LOD_BIAS,
                word.span(),
                format_args!("the bias {} cannot be encoded", Quoted(word.text)),
                || Some("a bias is a multiple of 0.125 from -16 to 15.875".to_string()),
            );
            None
        }
    }
}

fn suffix_help(suffix: &str) -> String {
    let rgba = |c: char| match c {
        'r' | 's' => Some('x'),
        'g' | 't' => Some('y'),
        'b' | 'p' => Some('z'),
        'a' | 'q' => Some('w'),
        'x' | 'y' | 'z' | 'w' => Some(c),
        _ => None,
    };
    let lower = suffix.to_ascii_lowercase();
    let meant: Option<String> = if lower.len() <= 4 { lower.chars().map(rgba).collect() } else { None };
    match meant {
        Some(meant) => {
            format!("write `.{meant}`; Adobe's assembler ignores other letters and uses all lanes")
        }
        None => "a suffix is 1 to 4 letters of xyzw".to_string(),
    }
}

fn operands(n: usize) -> String {
    match n {
        0 => "no operands".to_string(),
        1 => "1 operand".to_string(),
        n => format!("{n} operands"),
    }
}

/// How an operation is written, for help texts.
fn usage(op: Opcode) -> String {
    let row = op.row();
    let mut out = row.name.to_string();
    let mut sources = 0;
    for (i, shape) in row.shape.iter().enumerate() {
        out.push_str(if i == 0 { " " } else { ", " });
        match shape {
            Shape::Dst => out.push_str("dest"),
            Shape::Sampler => out.push_str("sampler <options>"),
            _ => {
                sources += 1;
                out.push_str(&format!("source{sources}"));
            }
        }
    }
    out
}
