//! Reading instructions and their operands.

use super::parse::{Open, Read, Reader, Stop, dialects};
use super::print::OFFSETS;
use super::symbols::Mark;
use super::words::{self, Mnemonic};
use super::{Labels, id};
use crate::findings::Quoted;
use crate::table::Flow;
use crate::text::Cursor as _;
use crate::text::cursor::is_word;
use crate::tgsi::dialect::{Dialect, Numbering};
use crate::tgsi::formats::Format;
use crate::tgsi::names::{self, File, MEMORY_QUALIFIERS, ReturnType, Target};
use crate::tgsi::program::{
    Dimension, Indirect, Instruction, Memory, Op, Operand, Predicate, Texture, Token,
};
use crate::tgsi::table::Opcode;
use alloc::format;
use alloc::string::String;
use core::fmt;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Bits of a label.
const LABEL: u32 = (1 << 24) - 1;

/// Bits of the number of an array.
pub(super) const ARRAY: u32 = (1 << 10) - 1;

/// What is said of the texture and the memory of an instruction whose text says nothing: readers make tokens for some.
pub(super) fn forced(op: Opcode, dialect: Dialect) -> (Option<Texture>, Option<Memory>) {
    let (row, numbering) = (op.row(), dialect.numbering());
    let returns = ReturnType::UNSAID;
    let says = row.has_target() || row.says_texture();
    let texture = says.then_some(Texture { target: Target::Unsaid, returns });
    let target = Target::from_code(numbering, 0);
    let memory = Memory { qualifiers: 0, target, format: Format::NONE };
    (texture, row.says_memory(dialect).then_some(memory))
}

impl<'a> Reader<'a> {
    /// An instruction behind its mnemonic.
    pub(super) fn instruction(
        &mut self,
        mnemonic: Mnemonic,
        predicate: Option<Predicate>,
        start: usize,
        numbered: bool,
    ) -> Read<()> {
        let op = mnemonic.opcode;
        let row = op.row();
        let mut instruction = Instruction::new(Op::Known(op));
        instruction.saturate = mnemonic.saturate;
        instruction.precise = mnemonic.precise;
        instruction.predicate = predicate;
        let (texture, memory) = forced(op, self.home);
        instruction.texture = texture;
        instruction.memory = memory;
        self.offsets = OFFSETS;
        let mut counts = [row.destinations(), row.sources_in(self.home), 0];
        if self.byte() == b'(' && !self.strict {
            counts = self.counts()?;
        } else if matches!(op, Opcode::Emit | Opcode::Endprim) && !self.has_stream() {
            counts[1] = 0;
        } else if matches!(op, Opcode::Emit | Opcode::Endprim) {
            counts[1] = 1;
        }
        if counts[0] + counts[1] > 0 {
            let behind = self.at;
            self.skip();
            if behind == self.at {
                self.at = start;
                return Err(match numbered {
                    true => self.stop(id::UNKNOWN_OPCODE, "Unknown opcode"),
                    false => self.no_statement(),
                });
            }
        }
        self.operands(&mut counts)?;
        if row.has_target() && !self.next_is_directive() {
            self.expect(b',')?;
            self.skip();
            let target = self.target()?;
            if let Some(texture) = &mut instruction.texture {
                texture.target = target;
            }
        }
        self.attributes(&mut instruction, &mut counts)?;
        let label = self.label(row.has_label())?;
        self.push(instruction, counts, label, row.flow)
    }

    /// An instruction that is a number.
    pub(super) fn numbered_instruction(&mut self, predicate: Option<Predicate>) -> Read<()> {
        let code = self.number_of_word()?.unwrap_or(0) as u8;
        let op = match Opcode::from_code(self.home.numbering(), code) {
            Some(op) => Op::Known(op),
            None => Op::Unknown(code),
        };
        let mut instruction = Instruction::new(op);
        instruction.predicate = predicate;
        // The suffixes, as they stand behind a name.
        let word = self.word();
        let named = alloc::format!("NOP{word}");
        match words::mnemonic(&named) {
            Some(suffixes) => {
                instruction.saturate = suffixes.saturate;
                instruction.precise = suffixes.precise;
            }
            None => {
                self.at -= word.len();
                return Err(self.stop(id::UNKNOWN_OPCODE, "Unknown opcode"));
            }
        }
        self.offsets = OFFSETS;
        let mut counts = if self.byte() == b'(' { self.counts()? } else { [0; 3] };
        if counts[0] + counts[1] > 0 {
            self.blank()?;
        }
        self.operands(&mut counts)?;
        self.attributes(&mut instruction, &mut counts)?;
        let flow = op.row().map_or(Flow::Straight, |row| row.flow);
        let label = self.label(op.row().is_some_and(|row| row.has_label()))?;
        self.push(instruction, counts, label, flow)
    }

    /// The numbers of destinations and sources, where they are not those of the table.
    fn counts(&mut self) -> Read<[usize; 3]> {
        self.at += 1;
        let destinations = self.expect_number()?;
        self.expect(b',')?;
        let sources = self.expect_number()?;
        let offsets = if self.eat_behind(b',') { self.expect_number()? } else { 0 };
        self.expect(b')')?;
        if destinations > 255 || sources > 255 || offsets > 255 {
            return Err(self.stop(id::NUMBER, "There are at most 255 operands"));
        }
        self.offsets = (offsets as usize).max(OFFSETS);
        Ok([destinations as usize, sources as usize, 0])
    }

    fn operands(&mut self, counts: &mut [usize; 3]) -> Read<()> {
        for n in 0..counts[0] {
            if n > 0 {
                self.expect(b',')?;
                self.skip();
            }
            self.destination()?;
        }
        for n in 0..counts[1] {
            if n + counts[0] > 0 {
                self.expect(b',')?;
                self.skip();
            }
            self.source()?;
        }
        Ok(())
    }

    /// Whether EMIT or ENDPRIM has an operand: the number of a stream.
    fn has_stream(&mut self) -> bool {
        if self.strict {
            return self.home.has_streams();
        }
        let start = self.at;
        self.skip();
        let line = self.taken(start).contains('\n');
        while matches!(self.byte(), b'-' | b'|' | b' ') {
            self.at += 1;
        }
        let found = if self.byte() == b'$' {
            // A file by its number; an instruction by its number has no bracket.
            self.at += 1;
            self.word();
            self.byte() == b'['
        } else {
            let file = words::file(self.word());
            self.skip();
            // On the next line, IMM begins an immediate.
            self.byte() == b'[' && file.is_some_and(|file| !line || file != File::Imm)
        };
        self.at = start;
        let set = dialects(|dialect| dialect.has_streams() == found);
        if !self.said {
            self.possible &= set;
        }
        if found != self.home.has_streams() {
            let word = self.text.get(..start).unwrap_or("");
            let begin = word.bytes().rposition(|b| !is_word(b)).map_or(0, |n| n + 1);
            self.lacks(set, word.get(begin..).unwrap_or(""), begin);
            let message = match found {
                true => "EMIT and ENDPRIM have no operand in this dialect",
                false => "EMIT and ENDPRIM have an operand in this dialect: the stream number",
            };
            self.note(start, message);
        }
        found
    }

    /// Appends an instruction whose operands are read.
    fn push(
        &mut self,
        mut instruction: Instruction,
        counts: [usize; 3],
        label: Label,
        flow: Flow,
    ) -> Read<()> {
        let has_label = instruction.row().is_some_and(|row| row.has_label());
        let number = self.instructions;
        self.instructions += 1;
        let token = self.program.tokens.len();
        let structural = matches!(flow, Flow::If | Flow::Else | Flow::Loop | Flow::EndLoop) && has_label;
        let mut computed = None;
        let opens = flow != Flow::Else || self.is_conditional();
        if matches!(flow, Flow::If | Flow::Else | Flow::EndIf | Flow::Loop | Flow::EndLoop) {
            computed = self.close(flow, number);
        }
        let mut written = None;
        match label {
            Label::Exactly(label) => instruction.label = label,
            Label::Written(label, span) => {
                instruction.label = Some(label);
                if structural && self.labels == Labels::Computed {
                    written = Some((label, span));
                    if let Some(computed) = computed {
                        self.check_label(label, computed, span);
                        instruction.label = Some(computed);
                    }
                }
            }
            Label::None => instruction.label = computed,
        }
        if matches!(flow, Flow::Call | Flow::Branch) {
            self.calls = true;
        }
        if opens && matches!(flow, Flow::If | Flow::Else | Flow::Loop) {
            let exact = !structural || matches!(label, Label::Exactly(_)) || self.labels == Labels::AsWritten;
            let token = if exact { usize::MAX } else { token };
            self.open.push(Open { number, token, flow, written });
        }
        self.program.finish_instruction(instruction, counts.map(|n| n as u8));
        Ok(())
    }

    /// Whether the innermost block is a branch of a conditional.
    fn is_conditional(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.flow, Flow::If | Flow::Else))
    }

    /// Closes what an instruction closes and says what its own label is.
    fn close(&mut self, flow: Flow, number: u32) -> Option<u32> {
        let &Open { number: at, token, flow: opened, written } = self.open.last()?;
        let fits = match flow {
            Flow::Else | Flow::EndIf => matches!(opened, Flow::If | Flow::Else),
            Flow::EndLoop => opened == Flow::Loop,
            _ => false,
        };
        if !fits {
            return None;
        }
        self.open.pop();
        if let Some((label, span)) = written {
            self.check_label(label, number & LABEL, span);
        }
        self.set_label(token, number & LABEL);
        (flow == Flow::EndLoop && self.labels == Labels::Computed).then_some(at & LABEL)
    }

    /// Sets the label of an instruction by its place in the tokens.
    pub(super) fn set_label(&mut self, token: usize, label: u32) {
        if let Some(Token::Instruction(instruction)) = self.program.tokens.get_mut(token) {
            instruction.label = Some(label);
        }
    }

    fn check_label(&mut self, written: u32, computed: u32, span: Span) {
        if written != computed {
            self.warn(id::LABEL, span, format_args!("the label is :{computed}, where the block ends"));
        }
    }

    /// The label behind an instruction.
    fn label(&mut self, has_label: bool) -> Read<Label> {
        if !has_label && self.strict {
            return Ok(Label::None);
        }
        let behind = self.at;
        self.skip();
        if self.byte() != b':' {
            self.at = behind;
            return Ok(Label::None);
        }
        let start = self.at;
        self.at += 1;
        if !self.strict && self.eat(b'-') {
            return Ok(Label::Exactly(None));
        }
        if !self.strict && self.eat(b'=') {
            let label = self.expect_number()?;
            return Ok(Label::Exactly(Some(label & LABEL)));
        }
        if !has_label {
            self.at = start;
            return Err(self.no_label());
        }
        self.skip();
        let Some(label) = self.uint() else {
            return Err(self.stop_near(start, id::LABEL_NUMBER, "Expected a label"));
        };
        let (span, written) = (self.since(start), self.taken(start));
        if let Some(record) = &mut self.record {
            if let Some(digits) = written.find(|c: char| c.is_ascii_digit()) {
                record.now.label = Some((label & LABEL, Span::new(start + digits, self.at)));
            }
        }
        if label > LABEL {
            self.warn(id::TRUNCATED, span, "a label has 24 bits; the higher ones are dropped");
        }
        Ok(Label::Written(label & LABEL, span))
    }

    #[cold]
    fn no_label(&mut self) -> Stop {
        self.stop(id::STATEMENT, "Expected `DCL', `IMM' or a label; this instruction has no label")
    }

    /// The condition of an instruction of Mesa 10.
    pub(super) fn predicate(&mut self) -> Read<Option<Predicate>> {
        if self.byte() != b'(' || self.strict && self.home != Dialect::Legacy {
            return Ok(None);
        }
        let start = self.at;
        self.at += 1;
        self.skip();
        let negate = self.eat(b'!');
        self.skip();
        let word = self.word();
        if !word.eq_ignore_ascii_case("PRED") {
            self.at = start;
            return Err(self.stop(id::STATEMENT, "Expected `DCL', `IMM' or a label"));
        }
        self.has_foreign(dialects(|d| d == Dialect::Legacy), word);
        let named = self.at - word.len();
        self.expect(b'[')?;
        self.skip();
        let index = self.register_index()?;
        self.expect(b']')?;
        let span = self.since(named);
        if let Some(record) = &mut self.record {
            record.now.predicate = Some(span);
        }
        let swizzle = self.swizzle()?;
        self.expect(b')')?;
        self.skip();
        Ok(Some(Predicate { index, swizzle, negate }))
    }

    /// A register file.
    pub(super) fn file(&mut self) -> Read<File> {
        let start = self.at;
        let word = self.word();
        if let Some(file) = words::file(word) {
            if file.code(self.home.numbering()).is_some() {
                return Ok(file);
            }
            let old = matches!(file, File::ImmX | File::TempX);
            let has = |d: Dialect| file.code(d.numbering()).is_some() || old && d == Dialect::Legacy;
            if self.has_foreign(dialects(has), word) {
                return Ok(file);
            }
        } else if let (true, Some(code)) = (word.is_empty(), self.number_of_word()?) {
            return Ok(File::from_code(self.home.numbering(), code as u8));
        }
        self.at = start;
        Err(self.unknown_file(word))
    }

    /// The error for a word that is no register file of the dialect, with what is known of it.
    #[cold]
    fn unknown_file(&mut self, word: &str) -> Stop {
        let message = "Unknown register file";
        if word.is_empty() {
            return self.stop(id::UNKNOWN_FILE, message);
        }
        let quoted = Quoted(word);
        match (words::file(word), names::is_of_compute_tests(word)) {
            (Some(file), _) => {
                let owners = Owners(file);
                self.stop(id::UNKNOWN_FILE, format_args!("{message} {quoted}: it is of {owners}"))
            }
            (None, true) => {
                let tests = names::OF_COMPUTE_TESTS;
                self.stop(id::UNKNOWN_FILE, format_args!("{message} {quoted}: {tests}"))
            }
            (None, false) => {
                let (span, files) = (self.next_place(), File::ALL.iter().filter_map(|file| file.name()));
                self.stop_meant(id::UNKNOWN_FILE, span, format_args!("{message} {quoted}"), files)
            }
        }
    }

    /// The number of a register, which is truncated to 16 bits.
    fn register_index(&mut self) -> Read<i16> {
        let start = self.at;
        if let Some(index) = self.uint() {
            if index > i16::MAX as u32 {
                self.truncated_index(start, index);
            }
            return Ok(index as i16);
        }
        if matches!(self.byte(), b'-') && (!self.strict || self.home == Dialect::Virgl) {
            if let Some(index) = self.int() {
                return Ok(index as i16);
            }
        }
        Err(self.stop(id::LITERAL, "Expected literal unsigned integer"))
    }

    #[cold]
    fn truncated_index(&mut self, start: usize, index: u32) {
        let span = self.since(start);
        self.warn(
            id::TRUNCATED,
            span,
            format_args!("an index has 16 bits: {index} is read as {}", index as i16),
        );
    }

    /// What is in brackets: a number, or a register and what is added to it.
    #[inline(always)]
    fn bracket(&mut self) -> Read<(i16, Option<Indirect>)> {
        self.skip();
        // Numbers of one or two digits are most of them.
        if let digit @ b'0'..=b'9' = self.byte() {
            if self.byte_at(1) == b']' && self.byte_at(2) != b'(' {
                self.at += 2;
                return Ok((i16::from(digit - b'0'), None));
            }
        }
        self.any_bracket()
    }

    fn any_bracket(&mut self) -> Read<(i16, Option<Indirect>)> {
        let start = self.at;
        let mut indirect = None;
        let first = self.byte();
        let index = if first.is_ascii_alphabetic() || first == b'$' {
            let file = if first == b'$' {
                self.file()?
            } else {
                let word = self.next_word();
                if words::file(word).is_none() {
                    return Err(self.stop(id::LITERAL, "Expected literal unsigned integer"));
                }
                self.file()?
            };
            let (register, added) = self.indirect(file, start)?;
            indirect = Some(register);
            added
        } else {
            self.register_index()?
        };
        self.expect(b']')?;
        if self.byte() == b'(' {
            self.at += 1;
            self.skip();
            let number = self.at;
            let Some(array) = self.uint() else {
                return Err(self.stop(id::LITERAL, "Expected literal unsigned integer"));
            };
            if array > ARRAY {
                let span = self.since(number);
                self.warn(id::TRUNCATED, span, "an array number has 10 bits; the higher ones are dropped");
            }
            self.expect(b')')?;
            match &mut indirect {
                Some(indirect) => indirect.array = (array & ARRAY) as u16,
                None => {
                    let span = self.since(start);
                    let message = "the array number is dropped: the index does not come from a register";
                    self.warn(id::DROPPED, span, message);
                }
            }
        }
        Ok((index, indirect))
    }

    /// The register that an index is taken from, behind its file, and what is added to it.
    fn indirect(&mut self, file: File, start: usize) -> Read<(Indirect, i16)> {
        self.expect(b'[')?;
        self.skip();
        let index = self.register_index()?;
        self.expect(b']')?;
        let span = self.since(start);
        if let Some(record) = &mut self.record {
            record.index = Some(span);
        }
        let mut component = 0;
        if self.eat_behind(b'.') {
            self.skip();
            match component_of(self.byte()) {
                Some(c) => component = c,
                None => {
                    let message = "Expected indirect register swizzle component `x', `y', `z' or `w'";
                    return Err(self.stop(id::SWIZZLE, message));
                }
            }
            self.at += 1;
        }
        self.skip();
        let start = self.at;
        let mut added = 0;
        let sign = self.byte();
        if sign == b'+' || sign == b'-' {
            if self.byte_at(1).is_ascii_digit() {
                added = self.int().unwrap_or(0);
            } else if !self.strict || self.home == Dialect::Legacy {
                self.at += 1;
                self.skip();
                match self.uint() {
                    Some(value) if sign == b'-' => added = value.wrapping_neg() as i32,
                    Some(value) => added = value as i32,
                    None => self.at = start,
                }
                if self.at != start && self.home != Dialect::Legacy {
                    self.note(start, "this dialect allows no space between a sign and its number");
                }
            }
        }
        if i16::try_from(added).is_err() {
            self.truncated_index(start, added as u32);
        }
        Ok((Indirect { file, index, component, array: 0 }, added as i16))
    }

    /// A register: its file, one or two indices.
    #[inline(always)]
    fn register(&mut self) -> Read<Operand> {
        let start = self.at;
        let file = self.file()?;
        if !self.eat(b'[') {
            self.expect(b'[')?;
        }
        let (index, indirect) = self.bracket()?;
        let mut operand = Operand::new(file, index);
        operand.indirect = indirect;
        let mut first = None;
        if self.eat_behind(b'[') {
            first = self.record.as_mut().and_then(|record| record.index.take());
            operand.dimension = Some(Dimension { index, indirect });
            let (index, indirect) = self.bracket()?;
            operand.index = index;
            operand.indirect = indirect;
        }
        if self.record.is_some() {
            self.mark(start, operand, first);
        }
        Ok(operand)
    }

    /// Notes an operand that ends here; `first` is the register in the first of two brackets.
    #[cold]
    fn mark(&mut self, start: usize, operand: Operand, first: Option<Span>) {
        let span = self.since(start);
        if let Some(record) = &mut self.record {
            let indices = [record.index.take(), first];
            record.mark(Mark { span, operand, indices });
        }
    }

    #[inline(always)]
    fn destination(&mut self) -> Read<()> {
        let mut operand = self.register()?;
        operand.mask = self.mask()?;
        self.program.push_operand(operand);
        Ok(())
    }

    /// A write mask, if there is one.
    pub(super) fn mask(&mut self) -> Read<WriteMask> {
        let start = self.at;
        if !self.eat_point() {
            return Ok(WriteMask::ALL);
        }
        self.skip();
        let mut bits = 0;
        for (n, letter) in [b'x', b'y', b'z', b'w'].into_iter().enumerate() {
            if self.byte() | 0x20 == letter {
                self.at += 1;
                bits |= 1 << n;
            }
        }
        if bits == 0 && (self.strict || !self.eat(b'_')) {
            return Err(self.stop_near(start, id::MASK, "Writemask expected"));
        }
        Ok(WriteMask::from_bits(bits))
    }

    #[inline(always)]
    fn source(&mut self) -> Read<()> {
        let mut negate = false;
        let mut absolute = false;
        if matches!(self.byte(), b'-' | b'|') {
            if self.eat(b'-') {
                negate = true;
                self.skip();
            }
            if self.eat(b'|') {
                absolute = true;
                self.skip();
            }
        }
        let mut operand = self.register()?;
        operand.negate = negate;
        operand.absolute = absolute;
        operand.swizzle = self.swizzle()?;
        if absolute {
            self.expect(b'|')?;
        }
        self.program.push_operand(operand);
        Ok(())
    }

    /// Four letters behind a point, if there is one.
    #[inline(always)]
    fn swizzle(&mut self) -> Read<Swizzle> {
        let start = self.at;
        if !self.eat_point() {
            return Ok(Swizzle::IDENTITY);
        }
        self.letters(4, start)
    }

    /// The error for a swizzle behind whose letters another one is expected.
    #[cold]
    fn no_component(&mut self, start: usize, count: usize) -> Stop {
        let span = self.near(start);
        let letters = self.taken(start).trim_start_matches(['.', ' ']);
        let help = || {
            let last = letters.chars().next_back()?;
            let wanted: String = letters.chars().chain(core::iter::repeat(last)).take(count).collect();
            Some(format!("a swizzle has {count} letters: write `.{wanted}`"))
        };
        let message = "Expected register swizzle component `x', `y', `z' or `w'";
        self.findings.error_asking(id::SWIZZLE, span, message, help);
        Stop
    }

    fn letters(&mut self, count: usize, start: usize) -> Read<Swizzle> {
        self.skip();
        let mut lanes = [0, 0, 0, 3];
        for lane in lanes.iter_mut().take(count) {
            match component_of(self.byte()) {
                Some(component) => *lane = component,
                None => {
                    return Err(self.no_component(start, count));
                }
            }
            self.at += 1;
        }
        let [x, y, z, w] = lanes;
        Ok(Swizzle::new(x, y, z, w))
    }

    /// A texture target.
    pub(super) fn target(&mut self) -> Read<Target> {
        let start = self.at;
        match words::target(self.word()) {
            Some(target) => Ok(target),
            None => {
                self.at = start;
                let span = self.next_place();
                Err(self.no_target(span))
            }
        }
    }

    /// The error for what is no target.
    #[cold]
    pub(super) fn no_target(&mut self, span: Span) -> Stop {
        let names = Target::ALL.iter().filter_map(|target| target.name());
        self.stop_meant(id::TARGET, span, "Expected texture target", names)
    }

    /// Whether a comma and then a point are next: words for what the language has none for.
    fn next_is_directive(&mut self) -> bool {
        if self.strict {
            return false;
        }
        let start = self.at;
        let comma = self.eat_behind(b',');
        self.skip();
        let found = comma && self.byte() == b'.';
        self.at = start;
        found
    }

    /// What stands behind the operands: texel offsets, or what is said of memory.
    #[inline(always)]
    fn attributes(&mut self, instruction: &mut Instruction, counts: &mut [usize; 3]) -> Read<()> {
        if instruction.texture.is_none() && instruction.memory.is_none() && self.strict {
            return Ok(());
        }
        while self.eat_behind(b',') {
            self.attribute(instruction, counts)?;
        }
        Ok(())
    }

    #[cold]
    fn attribute(&mut self, instruction: &mut Instruction, counts: &mut [usize; 3]) -> Read<()> {
        let comma = self.at - 1;
        self.skip();
        if self.byte() == b'.' && !self.strict {
            return self.exact_attribute(instruction);
        }
        // Offsets take every comma of an instruction that has a texture.
        if instruction.texture.is_some() {
            if counts[2] >= self.offsets {
                self.at = comma;
                return Err(self.stop(id::OFFSETS, "There are at most 4 texel offsets"));
            }
            if self.strict || instruction.memory.is_none() || words::file(self.next_word()).is_some() {
                self.offset()?;
                counts[2] += 1;
                return Ok(());
            }
        }
        let numbering = self.home.numbering();
        let Some(memory) = &mut instruction.memory else {
            self.at = comma;
            return Err(self.stop(id::SYNTAX, "Syntax error: the instruction has no more operands"));
        };
        let start = self.at;
        let word = self.word();
        let qualifier = MEMORY_QUALIFIERS.iter().position(|name| name.eq_ignore_ascii_case(word));
        if let Some(n) = qualifier {
            memory.qualifiers |= 1 << n;
            if n < 3 || numbering == Numbering::Mesa {
                return Ok(());
            }
            if self.has_foreign(dialects(|d| d.numbering() == Numbering::Mesa), word) {
                return Ok(());
            }
        } else if let Some(target) = words::target(word) {
            memory.target = target;
            return Ok(());
        } else if let Some(format) = words::format(word) {
            memory.format = format;
            return Ok(());
        }
        self.at = start;
        let message = "Expected memory qualifier, texture target, or format";
        Err(self.stop_near(comma, id::MEMORY, message))
    }

    /// A texel offset: a register with three components, the first one if none are said.
    fn offset(&mut self) -> Read<()> {
        let start = self.at;
        let file = self.file()?;
        self.expect(b'[')?;
        let (index, indirect) = self.bracket()?;
        if indirect.is_some() {
            let span = self.since(start);
            self.warn(
                id::DROPPED,
                span,
                "the register of the index is dropped: a texel offset has no indirect index",
            );
        }
        let mut operand = Operand::new(file, index);
        if self.record.is_some() {
            self.mark(start, operand, None);
        }
        let point = self.at;
        operand.swizzle = if self.eat_point() { self.letters(3, point)? } else { Swizzle::new(0, 0, 0, 3) };
        self.program.push_operand(operand);
        Ok(())
    }

    /// What the language has no word for; see the documentation of this room.
    fn exact_attribute(&mut self, instruction: &mut Instruction) -> Read<()> {
        let numbering = self.home.numbering();
        let start = self.at;
        self.at += 1;
        let returns = ReturnType::UNSAID;
        let target = Target::from_code(numbering, 0);
        let texture = instruction.texture.unwrap_or(Texture { target, returns });
        let memory = instruction.memory.unwrap_or(Memory { qualifiers: 0, target, format: Format::NONE });
        match self.word() {
            "notexture" => instruction.texture = None,
            "nomemory" => instruction.memory = None,
            "memory" => instruction.memory = Some(memory),
            "target" => {
                let target = Target::from_code(numbering, self.expect_number()? as u8);
                instruction.texture = Some(Texture { target, ..texture });
            }
            "return" => {
                let returns = ReturnType::from_code(numbering, self.expect_number()? as u8);
                instruction.texture = Some(Texture { returns, ..texture });
            }
            "memtarget" => {
                let target = Target::from_code(numbering, self.expect_number()? as u8);
                instruction.memory = Some(Memory { target, ..memory });
            }
            "format" => {
                let format = Format::from_code(numbering, self.expect_number()? as u16);
                instruction.memory = Some(Memory { format, ..memory });
            }
            "qualifiers" => {
                let qualifiers = self.expect_number()? as u8;
                instruction.memory = Some(Memory { qualifiers, ..memory });
            }
            _ => {
                self.at = start;
                return Err(self.stop(id::DIRECTIVE, "Unknown directive"));
            }
        }
        Ok(())
    }
}

/// Who has a register file, in words.
struct Owners(File);

impl fmt::Display for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peers = [
            (Numbering::Legacy, "Mesa 10"),
            (Numbering::Mesa, "Mesa 20 to 25"),
            (Numbering::Virgl, "virglrenderer"),
        ];
        let mut first = true;
        for (_, peer) in peers.iter().filter(|(numbering, _)| self.0.code(*numbering).is_some()) {
            write!(f, "{}{peer}", if first { "" } else { " and " })?;
            first = false;
        }
        // No numbering is known.
        if first { f.write_str("Mesa 7, and no more of Mesa 10") } else { Ok(()) }
    }
}

/// What a text says of the label of an instruction.
#[derive(Clone, Copy)]
enum Label {
    /// Nothing.
    None,
    /// A number, which counts if nothing else says what it is.
    Written(u32, Span),
    /// This or none, whatever it should be.
    Exactly(Option<u32>),
}

/// The number of a component.
#[inline(always)]
pub(super) const fn component_of(letter: u8) -> Option<u8> {
    Some(match letter | 0x20 {
        b'x' => 0,
        b'y' => 1,
        b'z' => 2,
        b'w' => 3,
        _ => return None,
    })
}
