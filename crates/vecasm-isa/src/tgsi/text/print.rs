//! Printing programs.

use super::Style;
use super::declarations::{CYLINDRICAL, is_per_vertex};
use super::operands::forced;
use super::parse::{ORIGINS, PIXEL_CENTERS, vertices};
use super::words::{PRECISE, SATURATE};
use crate::table::Flow;
use crate::tgsi::dialect::{Dialect, Numbering};
use crate::tgsi::formats::{Format, PREFIX};
use crate::tgsi::names::{
    File, ImmediateType, Interpolation, Location, MEMORY_QUALIFIERS, MemoryType, Primitive, PropertyName,
    Semantic,
};
use crate::tgsi::program::{
    Declaration, ImageInfo, Immediate, Indirect, Instruction, Memory, Op, Operand, Processor, Program,
    Property, Texture, Token, ViewInfo,
};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use vecasm_ir::operand::{LANES, Swizzle, WriteMask};

/// Deepest indentation of instructions, in levels.
const MAX_INDENT: i32 = 32;

/// Most numbers in a line of words.
const WORDS_A_LINE: usize = 8;

/// Most texel offsets that need no number of them.
pub(super) const OFFSETS: usize = 4;

/// A text that is being printed: ASCII.
pub(super) struct Printer<'a> {
    program: &'a Program,
    style: Style,
    numbering: Numbering,
    out: Vec<u8>,
    /// Number of instructions and immediates so far.
    instructions: u32,
    immediates: u32,
    indent: i32,
    /// Whether the reader knows the size of an array that does not say it.
    implied: bool,
    /// The labels that would be computed, if there are some.
    labels: Vec<Option<u32>>,
    /// Whether there is a word that the dialect has no number for.
    foreign: bool,
}

impl Write for Printer<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.text(s);
        Ok(())
    }
}

impl<'a> Printer<'a> {
    pub(super) fn new(program: &'a Program, style: Style) -> Self {
        Self {
            program,
            style,
            numbering: program.dialect.numbering(),
            out: Vec::new(),
            instructions: 0,
            immediates: 0,
            indent: 0,
            implied: matches!(program.processor, Processor::TessControl | Processor::TessEval),
            labels: Vec::new(),
            foreign: false,
        }
    }

    /// The text; an empty one can only be if something that is not ASCII got in, which nothing does.
    pub(super) fn into_text(self) -> String {
        String::from_utf8(self.out).unwrap_or_default()
    }

    #[inline(always)]
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    fn write(&mut self, arguments: fmt::Arguments<'_>) {
        // Writing to memory does not fail.
        let _ = self.write_fmt(arguments);
    }

    #[inline]
    fn number(&mut self, number: u32) {
        if number < 10 {
            self.out.push(b'0' + number as u8);
        } else if number < 100 {
            self.out.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
        } else {
            self.write(format_args!("{number}"));
        }
    }

    #[inline]
    fn signed(&mut self, number: i32) {
        if number < 0 {
            self.byte(b'-');
        }
        self.number(number.unsigned_abs());
    }

    fn lossless(&self) -> bool {
        self.style == Style::Lossless
    }

    /// A word, or the number that stands for it.
    fn word_or(&mut self, word: Option<&'static str>, code: Option<u8>) {
        match word {
            Some(word) => self.text(word),
            None => {
                if self.lossless() {
                    self.byte(b'$');
                }
                self.number(u32::from(code.unwrap_or(0)));
            }
        }
    }

    /// Prints the whole program.
    pub(super) fn program(&mut self) {
        let program = self.program;
        self.out.reserve(program.tokens.len().min(1 << 16) * 40 + 16);
        if self.lossless() {
            if program.dialect != Dialect::default() {
                self.dialect();
            }
            let flow = |i: &Instruction| i.row().is_some_and(|row| row.has_label());
            if program.instructions().any(flow) {
                self.labels = program.structural_labels();
            }
        }
        self.word_or(program.processor.name(), program.processor.code(program.dialect));
        self.byte(b'\n');
        if self.lossless() {
            self.frame();
        }
        let mut residue = program.residue.iter().peekable();
        for (n, token) in program.tokens.iter().enumerate() {
            match token {
                Token::Instruction(instruction) => self.numbered(instruction),
                Token::Declaration(declaration) => self.declaration(declaration),
                Token::Immediate(immediate) => self.immediate(*immediate),
                Token::Property(property) => self.property(*property),
                Token::Raw(words) if self.lossless() => {
                    self.numbers(".words", program.words_of(*words).iter().copied());
                    continue_residue(self, &mut residue, n);
                    continue;
                }
                Token::Raw(_) => continue,
            }
            self.byte(b'\n');
            if self.lossless() {
                continue_residue(self, &mut residue, n);
            }
        }
        if self.lossless() && self.foreign && program.dialect == Dialect::default() {
            // So that it is not taken for the dialect that has the words.
            let text = core::mem::take(&mut self.out);
            self.dialect();
            self.out.extend_from_slice(&text);
        }
    }

    fn dialect(&mut self) {
        self.text(".dialect ");
        self.text(self.program.dialect.name());
        self.byte(b'\n');
    }

    #[inline(always)]
    fn frame(&mut self) {
        if let Some(frame) = &self.program.frame {
            self.numbers(".head", frame.head.iter().copied());
            self.numbers(".tail", frame.tail.iter().map(|byte| u32::from(*byte)));
        }
    }

    /// A word and numbers in base 16, in lines.
    #[cold]
    fn numbers(&mut self, word: &str, numbers: impl Iterator<Item = u32>) {
        self.text(word);
        for (n, number) in numbers.enumerate() {
            if n > 0 && n % WORDS_A_LINE == 0 {
                self.text("\n ");
            }
            self.write(format_args!(" 0x{number:x}"));
        }
        self.byte(b'\n');
    }

    fn mask(&mut self, mask: WriteMask) {
        if mask == WriteMask::ALL {
            return;
        }
        self.byte(b'.');
        for (lane, letter) in LANES.iter().enumerate() {
            if mask.has(lane) {
                self.byte(*letter as u8);
            }
        }
        if mask == WriteMask::NONE && self.lossless() {
            self.byte(b'_');
        }
    }

    #[inline(always)]
    fn letter(&mut self, lane: u8) {
        self.byte(LANES.get(usize::from(lane)).map_or(b'?', |letter| *letter as u8));
    }

    fn file(&mut self, file: File) {
        self.foreign |= file.code(self.numbering).is_none();
        self.word_or(file.name(), file.code(self.numbering));
    }

    fn format(&mut self, format: Format) {
        match format.name() {
            Some(name) => {
                self.text(PREFIX);
                self.text(name);
            }
            None => self.number(u32::from(format.code(self.numbering).unwrap_or(0))),
        }
    }

    /// `, ` and a word behind a point with a number.
    #[cold]
    fn exact(&mut self, word: &str, number: impl Into<u32>) {
        let number = number.into();
        self.write(format_args!(", {word} {number}"));
    }

    fn declaration(&mut self, d: &Declaration) {
        let processor = self.program.processor;
        self.text("DCL ");
        self.file(d.file);
        let whole = matches!(
            d.semantic.map(|s| s.name),
            Some(Semantic::Patch | Semantic::Tessinner | Semantic::Tessouter | Semantic::PrimId)
        );
        let per_vertex = is_per_vertex(processor, d.file);
        let brackets = match processor {
            _ if !per_vertex => false,
            _ if self.lossless() && d.dimension.is_some() => true,
            Processor::Geometry => !self.lossless() || self.implied,
            _ => !whole,
        };
        if brackets {
            self.text("[]");
        }
        if let Some(dimension) = d.dimension {
            self.byte(b'[');
            self.signed(i32::from(dimension));
            self.byte(b']');
        }
        self.byte(b'[');
        self.number(u32::from(d.first));
        if d.last != d.first {
            self.text("..");
            self.number(u32::from(d.last));
        }
        self.byte(b']');
        self.mask(d.mask);
        if let Some(array) = d.array {
            self.text(", ARRAY(");
            self.number(u32::from(array));
            self.byte(b')');
        }
        if d.local {
            self.text(", LOCAL");
        }
        self.semantic(d);
        if let Some(image) = d.image {
            self.image(d.file, image);
        } else if d.file == File::Image && self.lossless() {
            self.text(", .noimage");
        }
        if d.atomic && (self.lossless() || d.file == File::Buffer) {
            self.text(", ATOMIC");
        }
        if d.file == File::Memory {
            self.text(", ");
            self.word_or(d.memory.name(), d.memory.code(self.numbering));
        } else if d.memory != MemoryType::Global && self.lossless() {
            self.exact(".memory", d.memory.code(self.numbering).unwrap_or(0));
        }
        if let Some(view) = d.view {
            self.view(view);
        } else if d.file == File::Sview && self.lossless() {
            self.text(", .noview");
        }
        self.interpolation(d);
        if d.invariant {
            self.text(", INVARIANT");
        }
    }

    fn semantic(&mut self, d: &Declaration) {
        let Some(semantic) = d.semantic else { return };
        let code = semantic.name.code(self.numbering);
        self.foreign |= code.is_none();
        let resource = matches!(d.file, File::Image | File::Res | File::Sview | File::Buffer | File::Memory);
        match semantic.name.name() {
            // Of a resource that word is an interpolation.
            Some(_) if self.lossless() && resource && semantic.name == Semantic::Color => {
                self.exact(".semantic", code.unwrap_or(0));
            }
            None if self.lossless() => self.exact(".semantic", code.unwrap_or(0)),
            word => {
                self.text(", ");
                self.word_or(word, code);
            }
        }
        if semantic.index != 0 || matches!(semantic.name, Semantic::Generic | Semantic::Texcoord) {
            self.byte(b'[');
            self.number(u32::from(semantic.index));
            self.byte(b']');
        }
        if semantic.streams != [0; 4] && self.style != Style::Virgl {
            let [x, y, z, w] = semantic.streams;
            self.write(format_args!(", STREAM({x}, {y}, {z}, {w})"));
        }
    }

    fn image(&mut self, file: File, image: ImageInfo) {
        let code = image.target.code(self.numbering);
        let named = matches!(file, File::Image | File::Res) && image.target.name().is_some();
        if self.lossless() && !(named && image.format.name().is_some()) {
            if named {
                self.text(", ");
                self.word_or(image.target.name(), code);
            } else {
                self.exact(".target", code.unwrap_or(0));
            }
            self.exact(".format", image.format.code(self.numbering).unwrap_or(0));
            self.text(if image.writable { ", .wr" } else { "" });
            self.text(if image.raw { ", .raw" } else { "" });
            return;
        }
        self.text(", ");
        self.word_or(image.target.name(), code);
        if file != File::Res || image.format != Format::NONE {
            self.text(", ");
            self.format(image.format);
        }
        self.text(if image.writable { ", WR" } else { "" });
        self.text(if image.raw { ", RAW" } else { "" });
    }

    fn view(&mut self, view: ViewInfo) {
        let code = view.target.code(self.numbering);
        let known = view.returns.iter().all(|ty| ty.name().is_some());
        match view.target.name() {
            None if self.lossless() => self.exact(".target", code.unwrap_or(0)),
            word => {
                self.text(", ");
                self.word_or(word, code);
            }
        }
        let [first, ..] = view.returns;
        let same = view.returns.iter().all(|ty| *ty == first);
        // Of several types a reader keeps the first one.
        if self.lossless() && !(known && same && view.target.name().is_some()) {
            self.text(", .return");
            for ty in view.returns {
                self.byte(b' ');
                self.number(u32::from(ty.code(self.numbering).unwrap_or(0)));
            }
            return;
        }
        let count = if same { 1 } else { 4 };
        for ty in view.returns.iter().take(count) {
            self.text(", ");
            self.word_or(ty.name(), ty.code(self.numbering));
        }
    }

    fn interpolation(&mut self, d: &Declaration) {
        let Some(info) = d.interpolation else { return };
        let code = info.mode.code(self.numbering);
        if self.lossless() {
            // Without a semantic that word is one.
            let ambiguous = info.mode == Interpolation::Color && d.semantic.is_none();
            match info.mode.name() {
                Some(word) if !ambiguous => {
                    self.text(", ");
                    self.text(word);
                }
                _ => self.exact(".interp", code.unwrap_or(0)),
            }
        } else if d.file == File::In && self.program.processor == Processor::Fragment {
            self.text(", ");
            self.word_or(info.mode.name(), code);
        }
        if info.location != Location::Center {
            let code = info.location.code(self.numbering);
            match info.location.name() {
                None if self.lossless() => self.exact(".location", code.unwrap_or(0)),
                word => {
                    self.text(", ");
                    self.word_or(word, code);
                }
            }
        }
        if info.cylindrical != 0 && self.lossless() {
            self.text(", ");
            self.text(CYLINDRICAL);
            for lane in WriteMask::from_bits(info.cylindrical).lanes() {
                self.letter(lane as u8);
            }
        }
    }

    fn immediate(&mut self, immediate: Immediate) {
        self.text("IMM[");
        self.number(self.immediates);
        self.text("] ");
        self.immediates += 1;
        self.word_or(immediate.ty.name(), immediate.ty.code(self.numbering));
        let program = self.program;
        let words = program.words_of(immediate.words);
        self.text(" {");
        if !(self.lossless() && self.immediate_exactly(immediate.ty, words)) {
            self.values(immediate.ty, words);
        }
        self.byte(b'}');
    }

    /// Prints the words as they are if nothing else would give them back.
    fn immediate_exactly(&mut self, ty: ImmediateType, words: &[u32]) -> bool {
        let usual = words.len() == 4
            && match ty {
                ImmediateType::Flt32 => {
                    self.program.dialect != Dialect::Mesa25
                        || words.iter().all(|word| f32::from_bits(*word).is_finite())
                }
                ImmediateType::Flt64 => doubles(words).all(|bits| {
                    let value = f64::from_bits(bits);
                    !value.is_nan() || bits == f64::NAN.to_bits()
                }),
                ImmediateType::Unknown(_) => false,
                _ => true,
            };
        if usual {
            return false;
        }
        for (n, word) in words.iter().enumerate() {
            self.text(if n > 0 { ", " } else { "" });
            self.write(format_args!("$0x{word:x}"));
        }
        if words.is_empty() {
            self.byte(b'$');
        }
        true
    }

    fn values(&mut self, ty: ImmediateType, words: &[u32]) {
        if matches!(ty, ImmediateType::Flt64 | ImmediateType::Uint64 | ImmediateType::Int64) {
            for (n, bits) in doubles(words).enumerate() {
                self.text(if n > 0 { ", " } else { "" });
                match ty {
                    ImmediateType::Flt64 => self.double(f64::from_bits(bits)),
                    ImmediateType::Uint64 => self.write(format_args!("{bits}")),
                    _ => self.write(format_args!("{}", bits as i64)),
                }
            }
            return;
        }
        for (n, word) in words.iter().enumerate() {
            self.text(if n > 0 { ", " } else { "" });
            match ty {
                ImmediateType::Flt32 => self.float(*word),
                ImmediateType::Int32 => self.signed(*word as i32),
                _ => self.number(*word),
            }
        }
    }

    fn float(&mut self, bits: u32) {
        let value = f32::from_bits(bits);
        match self.style {
            Style::Hex | Style::Virgl => self.write(format_args!("0x{bits:08x}")),
            Style::Mesa if value.is_finite() => self.write(format_args!("{:10.4}", f64::from(value))),
            Style::Mesa => self.not_finite(value.is_nan(), value.is_sign_negative()),
            Style::Lossless => {
                let start = self.out.len();
                if value.is_finite() {
                    self.write(format_args!("{value:?}"));
                    // Mesa rounds twice before version 25, and once since.
                    if self.program.dialect.has_nan() {
                        return;
                    }
                    let digits = self.out.get(start..).and_then(|digits| core::str::from_utf8(digits).ok());
                    let again = digits.and_then(|digits| digits.parse::<f64>().ok());
                    if again.is_some_and(|again| (again as f32).to_bits() == bits) {
                        return;
                    }
                    self.out.truncate(start);
                }
                self.write(format_args!("0x{bits:08x}"));
            }
        }
    }

    fn double(&mut self, value: f64) {
        match self.style {
            Style::Lossless if value.is_nan() => self.text("nan"),
            Style::Lossless => self.write(format_args!("{value:?}")),
            _ if value.is_finite() => self.write(format_args!("{value:10.8}")),
            _ => self.not_finite(value.is_nan(), value.is_sign_negative()),
        }
    }

    /// What C prints for what is no number, in ten characters.
    fn not_finite(&mut self, nan: bool, negative: bool) {
        self.text(match (nan, negative) {
            (true, true) => "      -nan",
            (true, false) => "       nan",
            (false, true) => "      -inf",
            (false, false) => "       inf",
        });
    }

    fn property(&mut self, property: Property) {
        let name = property.name;
        self.text("PROPERTY ");
        let old = match self.style {
            Style::Virgl => true,
            Style::Lossless => matches!(self.program.dialect, Dialect::Seed | Dialect::Virgl),
            Style::Mesa | Style::Hex => false,
        };
        if name == PropertyName::LegacyMathRules && old {
            self.text(PropertyName::MUL_ZERO_WINS);
        } else {
            self.word_or(name.name(), name.code(self.numbering));
        }
        let program = self.program;
        let words = program.words_of(property.words);
        if self.lossless()
            && name == PropertyName::GsInputPrimitive
            && program.processor == Processor::Geometry
        {
            self.implied = words.first().is_some_and(|code| vertices(*code) > 0);
        }
        if self.lossless() {
            let value = match words {
                [value] => value_of(program.dialect, name, *value),
                _ => None,
            };
            match (value, words) {
                (Some(Value::Word(word)), _) => {
                    self.byte(b' ');
                    self.text(word);
                }
                (Some(Value::Number), [number]) => {
                    self.byte(b' ');
                    self.number(*number);
                }
                (_, []) => self.text(" $"),
                _ => {
                    for word in words {
                        self.write(format_args!(" $0x{word:x}"));
                    }
                }
            }
            return;
        }
        for (n, word) in words.iter().enumerate() {
            self.text(if n > 0 { ", " } else { " " });
            match value_of(program.dialect, name, *word) {
                Some(Value::Word(word)) if self.style != Style::Virgl || name != PropertyName::NextShader => {
                    self.text(word);
                }
                _ => self.signed(*word as i32),
            }
        }
    }

    /// An instruction with its number, indented.
    fn numbered(&mut self, instruction: &Instruction) {
        let number = self.instructions;
        if number < 100 {
            self.text(if number < 10 { "  " } else { " " });
        }
        self.number(number);
        self.text(": ");
        let flow = instruction.row().map_or(Flow::Straight, |row| row.flow);
        if matches!(flow, Flow::Else | Flow::EndIf | Flow::EndLoop | Flow::EndLabel) {
            self.indent = self.indent.saturating_sub(1);
        }
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.text("  ");
        }
        if matches!(flow, Flow::If | Flow::Else | Flow::Loop | Flow::Label) {
            self.indent = self.indent.saturating_add(1);
        }
        let computed = self.labels.get(number as usize).copied().flatten();
        self.instruction(instruction, computed);
        self.instructions += 1;
    }

    /// An instruction; `computed` is the label that a reader makes for it.
    pub(super) fn instruction(&mut self, instruction: &Instruction, computed: Option<u32>) {
        let program = self.program;
        if let Some(predicate) = instruction.predicate {
            self.text(if predicate.negate { "(!PRED[" } else { "(PRED[" });
            self.signed(i32::from(predicate.index));
            self.byte(b']');
            self.swizzle(predicate.swizzle);
            self.text(") ");
        }
        match instruction.op {
            Op::Known(op) => {
                let row = op.row();
                // So is EMIT without an operand.
                let old = program.sources(instruction).len() == row.sources_in(Dialect::Legacy)
                    && row.sources_in(Dialect::Legacy) != row.sources_in(program.dialect);
                self.foreign |= old || !row.is_in(program.dialect);
                self.text(row.name);
            }
            Op::Unknown(code) => {
                self.text(if self.lossless() { "$" } else { "UNK" });
                self.number(u32::from(code));
            }
        }
        if instruction.saturate > 0 {
            let suffix = SATURATE.iter().find(|(_, n)| *n == instruction.saturate);
            self.text(suffix.map_or("_SAT", |(suffix, _)| suffix));
        }
        if instruction.precise && self.style != Style::Virgl {
            self.text(PRECISE);
        }
        let destinations = program.destinations(instruction);
        let sources = program.sources(instruction);
        let offsets = program.offsets(instruction);
        if self.lossless() {
            self.counts(instruction, [destinations.len(), sources.len(), offsets.len()]);
        }
        let mut first = true;
        for operand in destinations {
            self.text(if first { " " } else { ", " });
            first = false;
            self.register(operand);
            self.mask(operand.mask);
        }
        for operand in sources {
            self.text(if first { " " } else { ", " });
            first = false;
            if operand.negate {
                self.byte(b'-');
            }
            if operand.absolute {
                self.byte(b'|');
            }
            self.register(operand);
            self.swizzle(operand.swizzle);
            if operand.absolute {
                self.byte(b'|');
            }
        }
        let (texture, memory) = match instruction.op {
            Op::Known(op) => forced(op, program.dialect),
            Op::Unknown(_) => (None, None),
        };
        if instruction.texture.is_some() || texture.is_some() {
            self.texture(instruction, texture, offsets);
        }
        if instruction.memory.is_some() || memory.is_some() {
            self.memory(instruction.memory, memory);
        }
        self.label(instruction, computed);
    }

    /// The numbers of operands, where they are not those that a reader expects.
    #[inline(always)]
    fn counts(&mut self, instruction: &Instruction, counts: [usize; 3]) {
        let [destinations, sources, offsets] = counts;
        let usual = instruction.row().map_or([0, 0], |row| [row.destinations(), row.source_shapes().len()]);
        // EMIT and ENDPRIM have an operand or none.
        let stream = destinations == 0 && sources <= 1 && instruction.row().is_some_and(is_emit);
        if ([destinations, sources] == usual || stream) && offsets <= OFFSETS {
            return;
        }
        self.write(format_args!("({destinations},{sources}"));
        if offsets > OFFSETS {
            self.write(format_args!(",{offsets}"));
        }
        self.byte(b')');
    }

    #[inline(always)]
    fn swizzle(&mut self, swizzle: Swizzle) {
        if swizzle != Swizzle::IDENTITY {
            let [x, y, z, w] =
                swizzle.lanes().map(|lane| LANES.get(usize::from(lane)).map_or(b'?', |l| *l as u8));
            self.out.extend_from_slice(&[b'.', x, y, z, w]);
        }
    }

    #[inline(always)]
    fn register(&mut self, operand: &Operand) {
        self.file(operand.file);
        if let Some(dimension) = operand.dimension {
            self.index(dimension.index, dimension.indirect);
        }
        self.index(operand.index, operand.indirect);
    }

    #[inline(always)]
    fn index(&mut self, index: i16, indirect: Option<Indirect>) {
        self.byte(b'[');
        let Some(indirect) = indirect else {
            self.signed(i32::from(index));
            self.byte(b']');
            return;
        };
        self.file(indirect.file);
        self.byte(b'[');
        self.signed(i32::from(indirect.index));
        self.text("].");
        self.letter(indirect.component);
        if index != 0 {
            if index > 0 {
                self.byte(b'+');
            }
            self.signed(i32::from(index));
        }
        self.byte(b']');
        if indirect.array != 0 {
            self.byte(b'(');
            self.number(u32::from(indirect.array));
            self.byte(b')');
        }
    }

    /// What is said of the texture; `usual` is what a reader makes of nothing.
    fn texture(&mut self, instruction: &Instruction, usual: Option<Texture>, offsets: &[Operand]) {
        let Some(texture) = instruction.texture else {
            if self.lossless() {
                self.text(", .notexture");
            }
            return;
        };
        let code = texture.target.code(self.numbering);
        let says = instruction.row().is_some_and(|row| row.says_texture());
        let has = instruction.row().is_some_and(|row| row.has_target());
        if self.lossless() {
            match texture.target.name() {
                Some(word) if has => {
                    self.text(", ");
                    self.text(word);
                }
                _ if usual.is_some_and(|usual| says && usual.target == texture.target) => {}
                _ => self.exact(".target", code.unwrap_or(0)),
            }
            if texture.returns != crate::tgsi::names::ReturnType::UNSAID {
                self.exact(".return", texture.returns.code(self.numbering).unwrap_or(0));
            }
        } else if !says {
            self.text(", ");
            self.word_or(texture.target.name(), code);
        }
        for offset in offsets {
            self.text(", ");
            self.file(offset.file);
            self.byte(b'[');
            self.signed(i32::from(offset.index));
            self.text("].");
            for lane in 0..3 {
                self.letter(offset.swizzle.get(lane));
            }
        }
    }

    /// What is said of memory; `usual` is what a reader makes of nothing.
    fn memory(&mut self, memory: Option<Memory>, usual: Option<Memory>) {
        let Some(memory) = memory else {
            if self.lossless() {
                self.text(", .nomemory");
            }
            return;
        };
        if usual.is_none() && self.lossless() {
            self.text(", .memory");
        }
        for (n, name) in MEMORY_QUALIFIERS.iter().enumerate() {
            if memory.qualifiers >> n & 1 == 1 {
                self.text(", ");
                self.text(name);
            }
        }
        let code = memory.target.code(self.numbering);
        if code != Some(0) {
            match memory.target.name() {
                None if self.lossless() => self.exact(".memtarget", code.unwrap_or(0)),
                word => {
                    self.text(", ");
                    self.word_or(word, code);
                }
            }
        }
        if memory.format != Format::NONE {
            let code = memory.format.code(self.numbering).unwrap_or(0);
            if memory.format.name().is_none() && self.lossless() {
                self.exact(".format", code);
            } else if code != 0 || self.lossless() {
                self.text(", ");
                self.format(memory.format);
            }
        }
    }

    #[inline(always)]
    fn label(&mut self, instruction: &Instruction, computed: Option<u32>) {
        let has_label = instruction.row().is_some_and(|row| row.has_label());
        if !has_label && instruction.label.is_none() {
            return;
        }
        if !self.lossless() {
            let subroutine = instruction.row().is_some_and(|row| row.flow == Flow::Label);
            if let (Some(label), true) = (instruction.label, has_label || subroutine) {
                self.text(" :");
                self.number(label);
            }
            return;
        }
        let flow = instruction.row().map_or(Flow::Straight, |row| row.flow);
        let structural = matches!(flow, Flow::If | Flow::Else | Flow::Loop | Flow::EndLoop);
        match instruction.label {
            // What a reader makes of nothing.
            None if computed.is_none() => {}
            None => self.text(" :-"),
            Some(label) if has_label && (!structural || computed == Some(label)) => {
                self.text(" :");
                self.number(label);
            }
            Some(label) => {
                self.text(" :=");
                self.number(label);
            }
        }
    }
}

/// Prints the bits that belong to a token.
#[inline(always)]
fn continue_residue<'p>(
    printer: &mut Printer<'_>,
    residue: &mut core::iter::Peekable<core::slice::Iter<'p, crate::tgsi::program::Residue>>,
    token: usize,
) {
    while let Some(found) = residue.next_if(|found| found.token as usize <= token) {
        printer.write(format_args!(".bits {} 0x{:x}\n", found.word, found.bits));
    }
}

/// Whether an instruction is EMIT or ENDPRIM, which got their operand late.
fn is_emit(row: &crate::tgsi::table::Row) -> bool {
    row.sources_in(Dialect::Legacy) != row.source_shapes().len()
}

/// Pairs of words, the low one first.
fn doubles(words: &[u32]) -> impl Iterator<Item = u64> + '_ {
    words.chunks(2).map(|pair| match pair {
        [low, high] => u64::from(*high) << 32 | u64::from(*low),
        [low] => u64::from(*low),
        _ => 0,
    })
}

/// How the value of a property is written.
enum Value {
    Word(&'static str),
    Number,
}

/// How a value of a property is written; `None` if there is no word where there should be one.
fn value_of(dialect: Dialect, name: PropertyName, value: u32) -> Option<Value> {
    use PropertyName as P;
    let word = |words: &[&'static str]| words.get(value as usize).copied();
    let word = match name {
        P::GsInputPrimitive | P::GsOutputPrimitive => {
            u8::try_from(value).ok().and_then(|code| Primitive::from_code(dialect.numbering(), code).name())
        }
        P::FsCoordOrigin => word(&ORIGINS),
        P::FsCoordPixelCenter => word(&PIXEL_CENTERS),
        P::NextShader => u8::try_from(value).ok().and_then(|code| Processor::from_code(dialect, code).name()),
        _ => return Some(Value::Number),
    };
    word.map(Value::Word)
}
