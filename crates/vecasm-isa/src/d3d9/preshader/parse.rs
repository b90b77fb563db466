//! From text to preshaders: what [`print`](super::print()) writes, and the listings of Microsoft's compilers.
//!
//! A listing has neither the numbers nor the registers that are written as parts of their own. They follow from the
//! code: numbers are collected in registers behind as many as there are temporaries, which is where compilers begin.

use super::print::{find_among, first_literal, one_range};
use super::{Block, File, Instruction, Op, Operand, OperandLanes, Preshader, Slot, TEXT, VERSION, read};
use crate::d3d9::ctab::ConstantTable;
use crate::d3d9::program::Version;
use crate::d3d9::table::code;
use crate::findings::{Findings, Quoted};
use crate::text::Cursor;
use crate::text::numbers::hex_word;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span};

/// Highest number of a register.
const MAX_REGISTER: u32 = 0xffff;
/// Most words of a comment.
const MAX_COMMENT: usize = 0x7fff;

struct Reported;
type Step<T> = Result<T, Reported>;

/// Numbers that an operand reads, whose place is not known yet.
struct Pending {
    block: usize,
    instruction: usize,
    operand: usize,
    values: Vec<u64>,
    span: Span,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    findings: Findings,
    blocks: Vec<Block>,
    pending: Vec<Pending>,
}

/// Reads a text that is a preshader and nothing else.
pub fn parse(text: &str) -> (Option<Preshader>, Vec<Diagnostic>) {
    let (preshader, mut findings, end) = parse_at(text, 0);
    let mut rest = Reader::new(text, end);
    rest.skip_blanks();
    if preshader.is_some() && rest.at < text.len() {
        let span = Span::new(rest.at, text.len());
        findings.push(TEXT.finding("unexpected text after the preshader").at_span(span));
        return (None, findings);
    }
    (preshader, findings)
}

/// Reads the preshader that begins at byte `at` of a text, with the word `preshader`. It ends in front of the model of a
/// shader, a `}`, or the end of the text; the place of that is the number given. There is a preshader if there is no
/// error.
pub fn parse_at(text: &str, at: usize) -> (Option<Preshader>, Vec<Diagnostic>, usize) {
    let mut reader = Reader::new(text, at);
    let read = reader.program();
    let Reader { findings, at, .. } = reader;
    let preshader = read.ok().filter(|_| !findings.has_errors());
    (preshader, findings.finish(), at)
}

/// Whether a line is read as exactly that instruction.
pub(super) fn reads_as(line: &str, preshader: &Preshader, instruction: &Instruction) -> bool {
    let mut reader = Reader::new(line, 0);
    if reader.instruction().is_err() || reader.at < line.len() {
        return false;
    }
    let first = first_literal(preshader.temporaries());
    for pending in core::mem::take(&mut reader.pending) {
        let found = find_among(preshader.literals(), first, &pending.values);
        reader.place(&pending, found.unwrap_or(u32::MAX));
    }
    matches!(reader.blocks.as_slice(), [Block::Code(code)] if code.as_slice() == [instruction.clone()])
}

crate::text::cursor::stands_at!(Reader);

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        let findings = Findings::new("D3D9-more-findings");
        Self { text, at, findings, blocks: Vec::new(), pending: Vec::new() }
    }

    #[cold]
    fn fail<T>(&mut self, start: usize, message: impl core::fmt::Display) -> Step<T> {
        let end = self.at.max(start).min(self.text.len());
        self.findings.error(TEXT.id, Span::new(start, end), message);
        Err(Reported)
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with(|c: char| c.is_ascii_whitespace()) {
                self.at += 1;
            } else if rest.starts_with("//") || rest.starts_with(';') {
                self.skip_line();
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |n| n + 2);
            } else {
                return;
            }
        }
    }

    /// Takes a byte behind blanks and comments.
    fn eat_next(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.eat(byte)
    }

    fn program(&mut self) -> Step<Preshader> {
        self.skip_blanks();
        let start = self.at;
        if !self.word().eq_ignore_ascii_case("preshader") {
            return self.fail(start, "expected `preshader`");
        }
        self.skip_blanks();
        // A listing does not say the version.
        let version = self.hex_word(start);
        let listing = version.is_none();
        let version = version.map_or(VERSION, Version);
        let mut end = alloc::vec![code::END];
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.peek() {
                None | Some(b'}') => break,
                Some(b'.') => {
                    if self.directive(&mut end).is_err() {
                        self.skip_line();
                    }
                }
                Some(_) if self.at_model() => break,
                Some(_) => {
                    if self.instruction().is_err() {
                        self.skip_line();
                        if self.at == start {
                            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
                        }
                    }
                }
            }
        }
        self.place_literals(listing);
        let blocks = core::mem::take(&mut self.blocks);
        let mut preshader = Preshader { version, blocks, end };
        if listing {
            complete(&mut preshader);
        }
        Ok(preshader)
    }

    /// Whether a shader begins here.
    fn at_model(&self) -> bool {
        let rest = self.rest().as_bytes();
        let prefix = rest.get(..2).unwrap_or(&[]);
        [b"vs", b"ps"].iter().any(|stage| prefix.eq_ignore_ascii_case(*stage))
            && matches!(rest.get(2), Some(b'_' | b'.'))
            && matches!(rest.get(3), Some(b'0'..=b'9'))
    }

    /// Eight hexadecimal digits, if they stand here.
    fn hex_word(&mut self, line_of: usize) -> Option<u32> {
        // Behind the head only on its line: an instruction could look the same.
        if self.text.get(line_of..self.at)?.contains('\n') {
            return None;
        }
        let before = self.at;
        let word = self.word();
        if let Some(word) = hex_word(word) {
            return Some(word);
        }
        self.at = before;
        None
    }

    /// `{ words }`.
    fn braced(&mut self) -> Step<Vec<u32>> {
        let start = self.at;
        if !self.eat_next(b'{') {
            return self.fail(start, "expected `{`");
        }
        let mut out = Vec::new();
        loop {
            if self.eat_next(b'}') {
                return Ok(out);
            }
            let start = self.at;
            let Some(word) = hex_word(self.word()) else {
                return self.fail(start, "expected words of eight digits, or `}`");
            };
            out.push(word);
        }
    }

    fn directive(&mut self, end: &mut Vec<u32>) -> Step<()> {
        let start = self.at;
        self.at += 1;
        match self.word() {
            "code" => self.blocks.push(Block::Code(Vec::new())),
            "noend" => end.clear(),
            "tail" => *end = self.braced()?,
            "words" => {
                let words = self.braced()?;
                self.blocks.push(Block::Words(words));
            }
            "raw" => {
                let words = self.braced()?;
                let Some(instruction) = read::single(&words) else {
                    return self.fail(start, "these words are not one instruction");
                };
                self.push(instruction);
            }
            "comment" => {
                self.skip_blanks();
                let at = self.at;
                let name = self.word();
                let mut words = Vec::new();
                if !name.is_empty() {
                    let Ok(name) = <[u8; 4]>::try_from(name.as_bytes()) else {
                        return self.fail(at, "the name of a comment has four letters");
                    };
                    words.push(u32::from_le_bytes(name));
                }
                words.extend(self.braced()?);
                if words.len() > MAX_COMMENT {
                    return self.fail(start, "a comment has at most 32767 words");
                }
                self.blocks.push(read::block(&words, &mut Vec::new()));
            }
            "literals" => {
                let mut bits = Vec::new();
                if !self.eat_next(b'{') {
                    return self.fail(start, "expected `{` after .literals");
                }
                while !self.eat_next(b'}') {
                    if !bits.is_empty() && !self.eat_next(b',') {
                        return self.fail(start, "expected `,` or `}` between numbers");
                    }
                    bits.push(self.number()?);
                }
                self.blocks.push(Block::Literals(bits));
            }
            "outputs" => {
                self.skip_blanks();
                let at = self.at;
                let first = self.word();
                self.skip_blanks();
                let count = self.word().parse::<u32>().ok();
                let first = first.strip_prefix('c').and_then(|n| n.parse::<u32>().ok());
                let (Some(first), Some(count)) = (first, count) else {
                    return self.fail(at, "expected a register and a number after .outputs");
                };
                self.blocks.push(Block::Outputs(one_range(first, count)));
            }
            other => return self.fail(start, format!("there is no directive {}", Quoted(other))),
        }
        Ok(())
    }

    fn push(&mut self, instruction: Instruction) -> (usize, usize) {
        if !matches!(self.blocks.last(), Some(Block::Code(_))) {
            self.blocks.push(Block::Code(Vec::new()));
        }
        let block = self.blocks.len() - 1;
        let Some(Block::Code(code)) = self.blocks.last_mut() else { return (block, 0) };
        code.push(instruction);
        (block, code.len() - 1)
    }

    fn instruction(&mut self) -> Step<()> {
        let start = self.at;
        let word = self.word();
        let (name, one_for_all) = match Op::named(word) {
            Some(_) => (word, false),
            None => word.strip_suffix("_s").map_or((word, false), |name| (name, true)),
        };
        let Some(op) = Op::named(name) else {
            let word = if word.is_empty() { self.rest().get(..1).unwrap_or("") } else { word };
            return self.fail(start, format!("there is no preshader operation {}", Quoted(word)));
        };
        let (result, result_lanes) = self.register(true)?;
        let mut operands = Vec::new();
        let mut lanes = Vec::new();
        let mut numbers = Vec::new();
        while self.eat_next(b',') {
            self.skip_blanks();
            let at = self.at;
            if self.peek() == Some(b'(') {
                self.at += 1;
                let mut values = alloc::vec![self.number()?];
                while self.eat_next(b',') {
                    values.push(self.number()?);
                }
                if !self.eat_next(b')') || values.len() > 4 {
                    return self.fail(at, "expected up to four numbers in parentheses");
                }
                lanes.push(values.len() as u32);
                numbers.push((operands.len(), values, Span::new(at, self.at)));
                let slot = Slot { table: File::Literal.code(), offset: 0 };
                operands.push(Operand { slot, index: None });
            } else {
                let (operand, count) = self.register(false)?;
                operands.push(operand);
                lanes.push(count);
            }
            if operands.len() > 8 {
                return self.fail(start, "there are too many operands");
            }
        }
        let row = op.row();
        if !row.operands.contains(&operands.len()) {
            let counts: Vec<String> = row.operands.iter().map(|n| format!("{n}")).collect();
            let (wanted, given) = (counts.join(" or "), operands.len());
            return self.fail(start, format!("{} takes {wanted} operands, found {given}", row.name));
        }
        let count = match row.take {
            OperandLanes::Lane => result_lanes,
            OperandLanes::All => lanes.last().copied().unwrap_or(1),
        };
        let scalar = one_for_all || count > 1 && lanes.first() == Some(&1);
        let fits = |n: usize, lanes: u32| lanes == if n == 0 && scalar { 1 } else { count };
        if !lanes.iter().enumerate().all(|(n, lanes)| fits(n, *lanes))
            || row.take == OperandLanes::All && result_lanes != 1
        {
            return self.fail(start, "the lanes of the operands do not match the result");
        }
        let word = count | u32::from(row.code) << 20 | u32::from(scalar) << 31;
        let (block, instruction) = self.push(Instruction { word, operands, result });
        let pending = numbers.into_iter().map(|(operand, values, span)| Pending {
            block,
            instruction,
            operand,
            values,
            span,
        });
        self.pending.extend(pending);
        Ok(())
    }

    /// A register with its lanes: the operand and how many there are.
    fn register(&mut self, is_result: bool) -> Step<(Operand, u32)> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (letters, number) = word.split_at(digits);
        let row = File::ALL.iter().find(|(file, _, name)| {
            let result = is_result && !matches!(file, File::Literal | File::Constant);
            let name = if result { name.trim_start_matches('o') } else { name };
            name.eq_ignore_ascii_case(letters) && (result || !is_result)
        });
        let number = number.parse::<u32>().ok().filter(|n| *n <= MAX_REGISTER);
        let (Some(row), Some(number)) = (row, number) else {
            return self.fail(start, format!("{} is not a register of preshaders", Quoted(word)));
        };
        let index = if self.peek() == Some(b'[') {
            self.at += 1;
            let at = self.at;
            let (index, lanes) = self.register_of_index()?;
            if lanes != 1 || !self.eat_next(b']') {
                return self.fail(at, "an index is one lane of a register");
            }
            Some(index)
        } else {
            None
        };
        let each = row.0.lanes();
        let (first, lanes) = if each == 1 { (0, 1) } else { self.lanes()? };
        let slot = Slot { table: row.1, offset: number * each + first };
        Ok((Operand { slot, index }, lanes))
    }

    fn register_of_index(&mut self) -> Step<(Slot, u32)> {
        let start = self.at;
        // One level: an index has none.
        if self.rest().split([']', '\n']).next().is_some_and(|inside| inside.contains('[')) {
            return self.fail(start, "an index cannot be indexed");
        }
        let (operand, lanes) = self.register(false)?;
        Ok((operand.slot, lanes))
    }

    /// Lanes that follow one another: the first one and how many.
    fn lanes(&mut self) -> Step<(u32, u32)> {
        if self.peek() != Some(b'.') {
            return Ok((0, 4));
        }
        let start = self.at;
        self.at += 1;
        let word = self.word();
        let all = ["xyzw", "rgba"];
        let found = all.iter().find_map(|all| all.find(&word.to_ascii_lowercase()));
        match found {
            Some(first) if !word.is_empty() => Ok((first as u32, word.len() as u32)),
            _ => self.fail(start, format!("{} are not consecutive lanes", Quoted(word))),
        }
    }

    /// The bits of a number.
    fn number(&mut self) -> Step<u64> {
        self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        let end = rest.find([',', ')', '}']).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or("").trim();
        self.at += end;
        if let Some(digits) = text.strip_prefix("0x") {
            if let (16, Ok(bits)) = (digits.len(), u64::from_str_radix(digits, 16)) {
                return Ok(bits);
            }
        }
        let words = [("1.#INF", f64::INFINITY), ("-1.#INF", f64::NEG_INFINITY)];
        if let Some(row) = words.iter().find(|row| row.0 == text) {
            return Ok(row.1.to_bits());
        }
        let plain = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
        match text.parse::<f64>() {
            Ok(value) if plain => Ok(value.to_bits()),
            _ => self.fail(start, format!("{} is not a number", Quoted(text))),
        }
    }

    fn place(&mut self, pending: &Pending, offset: u32) {
        let Some(Block::Code(code)) = self.blocks.get_mut(pending.block) else { return };
        let operand = code.get_mut(pending.instruction).and_then(|i| i.operands.get_mut(pending.operand));
        if let Some(operand) = operand {
            operand.slot.offset = offset;
        }
    }

    /// Finds the place of every number, or makes one in a listing without `.literals`.
    fn place_literals(&mut self, listing: bool) {
        let pending = core::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let so_far = Preshader { version: VERSION, blocks: self.blocks.clone(), end: Vec::new() };
        let first = first_literal(so_far.temporaries());
        let given = !listing || self.blocks.iter().any(|block| matches!(block, Block::Literals(_)));
        let mut all = if given { so_far.literals().to_vec() } else { alloc::vec![0; first] };
        for pending in &pending {
            let found = match find_among(&all, first, &pending.values) {
                // In front of `first` there are no numbers, only room.
                Some(at) if given || at as usize >= first => Some(at),
                _ if given => None,
                _ => {
                    if all.len() % 4 + pending.values.len() > 4 {
                        all.resize(all.len().next_multiple_of(4), 0);
                    }
                    all.extend(&pending.values);
                    Some((all.len() - pending.values.len()) as u32)
                }
            };
            match found {
                Some(at) => self.place(pending, at),
                None => {
                    self.findings.error(TEXT.id, pending.span, "these numbers are not in .literals");
                }
            }
        }
        if !given {
            all.resize(all.len().next_multiple_of(4), 0);
            let at = self.blocks.iter().position(|block| matches!(block, Block::Code(_))).unwrap_or(0);
            self.blocks.insert(at, Block::Literals(all));
        }
    }
}

/// Adds the parts that compilers write and a listing does not have; the order is theirs.
fn complete(preshader: &mut Preshader) {
    let has = |is: fn(&Block) -> bool| preshader.blocks.iter().any(is);
    let map = has(|block| matches!(block, Block::Outputs(_)));
    let literals = has(|block| matches!(block, Block::Literals(_)));
    let code = has(|block| matches!(block, Block::Code(_)));
    let floats = preshader.written();
    let floats = || floats.iter().filter(|(file, _)| *file == File::Float).map(|(_, n)| *n);
    let behind_table = preshader.blocks.iter().take_while(|block| matches!(block, Block::Table(_))).count();
    let mut missing = Vec::new();
    if !map {
        let first = floats().min().unwrap_or(0);
        let count = floats().max().map_or(0, |last| last - first + 1);
        missing.push(Block::Outputs(one_range(first, count)));
    }
    if !literals {
        missing.push(Block::Literals(Vec::new()));
    }
    preshader.blocks.splice(behind_table..behind_table, missing);
    if !code {
        preshader.blocks.push(Block::Code(Vec::new()));
    }
}

impl Preshader {
    /// Sets the table of constants: it is the first part.
    pub fn set_table(&mut self, table: &ConstantTable) {
        self.blocks.retain(|block| !matches!(block, Block::Table(_)));
        self.blocks.insert(0, Block::Table(table.words()));
    }
}
