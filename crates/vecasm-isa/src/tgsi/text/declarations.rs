//! Reading declarations and immediates.

use super::operands::ARRAY;
use super::parse::{Dialects, ImmediateArray, Read, Reader, Stop, dialects};
use super::{id, words};
use crate::findings::{Overflow, Quoted};
use crate::text::Cursor as _;
use crate::tgsi::dialect::Dialect;
use crate::tgsi::formats::Format;
use crate::tgsi::names::{
    File, ImmediateType, Interpolation, Location, MemoryType, ReturnType, Semantic, Target,
};
use crate::tgsi::program::{
    Declaration, ImageInfo, InterpolationInfo, Processor, SemanticInfo, Token, ViewInfo,
};
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// The attributes of a declaration in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Start,
    Array,
    Local,
    OfFile,
    Stream,
    Interpolation,
    Location,
    Invariant,
}

/// What is in a bracket of a declaration.
enum Range {
    /// Registers.
    Some(u32, u32),
    /// Nothing: an array whose size the stage says.
    Implied,
}

const ATTRIBUTE: &str = "Expected semantic, interpolate attribute, or invariant ";

/// Whether the first of two brackets is dropped: the vertices of an array of them.
pub(super) fn is_per_vertex(processor: Processor, file: File) -> bool {
    match processor {
        Processor::Geometry | Processor::TessEval => file == File::In,
        Processor::TessControl => matches!(file, File::In | File::Out),
        _ => false,
    }
}

impl<'a> Reader<'a> {
    /// A declaration behind `DCL`.
    pub(super) fn declaration(&mut self) -> Read<()> {
        let start = self.at;
        let file = self.file()?;
        let mut declaration = Declaration::new(file, 0, 0);
        self.ranges(&mut declaration)?;
        let span = self.since(start);
        if let Some(record) = &mut self.record {
            record.now.declared = Some((span, true));
        }
        declaration.mask = self.mask()?;
        let numbering = self.home.numbering();
        match file {
            File::Image => {
                let target = Target::from_code(numbering, 0);
                let format = Format::NONE;
                declaration.image = Some(ImageInfo { target, format, raw: false, writable: false });
            }
            File::Sview => {
                let target = Target::from_code(numbering, 0);
                declaration.view =
                    Some(ViewInfo { target, returns: [ReturnType::from_code(numbering, 0); 4] });
            }
            _ => {}
        }
        let mut rank = Rank::Start;
        let mut location = None;
        let mut streams = None;
        while self.eat_behind(b',') {
            let comma = self.at - 1;
            self.skip();
            if self.byte() == b'.' && !self.strict {
                self.exact(&mut declaration)?;
                continue;
            }
            rank = self.attribute_of(&mut declaration, rank, comma, &mut location, &mut streams)?;
        }
        if let Some((location, at)) = location {
            match &mut declaration.interpolation {
                Some(interpolation) => interpolation.location = location,
                None => self.dropped(at, "the location is dropped: the declaration has no interpolation"),
            }
        }
        if let Some((streams, at)) = streams {
            match &mut declaration.semantic {
                Some(semantic) => semantic.streams = streams,
                None => self.dropped(at, "the streams are dropped: the declaration has no semantic"),
            }
        }
        self.program.tokens.push(Token::Declaration(declaration));
        if file == File::ImmX {
            return self.immediate_array(&declaration);
        }
        Ok(())
    }

    #[cold]
    fn dropped(&mut self, at: usize, message: &'static str) {
        let span = self.since(at);
        self.warn(id::DROPPED, span, message);
    }

    fn ranges(&mut self, declaration: &mut Declaration) -> Read<()> {
        let start = self.at;
        self.expect(b'[')?;
        let first = self.range()?;
        let vertices = is_per_vertex(self.program.processor, declaration.file);
        let mut range = first;
        let mut count = 1;
        // The third bracket is the notation for a dimension that only tokens have.
        let most = if vertices && !self.strict { 3 } else { 2 };
        while count < most && self.eat_behind(b'[') {
            let next = self.range()?;
            if count == 2 || !vertices {
                match range {
                    Range::Some(first, _) => declaration.dimension = Some(first as i16),
                    Range::Implied => return Err(self.no_size(start)),
                }
            }
            range = next;
            count += 1;
        }
        let (first, last) = match range {
            Range::Some(first, last) => (first, last),
            Range::Implied if self.implied > 0 => (0, self.implied - 1),
            Range::Implied => return Err(self.no_size(start)),
        };
        if first > 0xffff || last > 0xffff {
            let span = self.since(start);
            self.warn(id::TRUNCATED, span, "register numbers have 16 bits; the higher ones are dropped");
        }
        declaration.first = first as u16;
        declaration.last = last as u16;
        Ok(())
    }

    #[cold]
    fn no_size(&mut self, start: usize) -> Stop {
        self.at = start + 1;
        self.stop(id::LITERAL, "Expected literal unsigned integer")
    }

    fn range(&mut self) -> Read<Range> {
        self.skip();
        if self.byte() == b'-' && !self.strict {
            // A negative dimension, which only tokens say.
            let value = self.int().unwrap_or(0) as u32;
            self.expect(b']')?;
            return Ok(Range::Some(value, value));
        }
        let Some(first) = self.uint() else {
            if self.byte() == b']' && (self.implied > 0 || !self.strict) {
                self.at += 1;
                return Ok(Range::Implied);
            }
            return Err(self.stop(id::LITERAL, "Expected literal unsigned integer"));
        };
        self.skip();
        let mut last = first;
        if self.byte() == b'.' && self.byte_at(1) == b'.' {
            self.at += 2;
            self.skip();
            match self.int() {
                Some(value) => last = value as u32,
                None => return Err(self.stop(id::LITERAL, "Expected literal integer")),
            }
            self.skip();
        }
        if !self.eat(b']') {
            return Err(self.stop(id::EXPECTED, "Expected `]' or `..'"));
        }
        Ok(Range::Some(first, last))
    }

    /// One attribute behind its comma, which stands at `comma`.
    fn attribute_of(
        &mut self,
        declaration: &mut Declaration,
        rank: Rank,
        comma: usize,
        location: &mut Option<(Location, usize)>,
        streams: &mut Option<([u8; 4], usize)>,
    ) -> Read<Rank> {
        let start = self.at;
        let word = self.word();
        let strict = self.strict;
        let may = |wanted: Rank| if strict { rank < wanted } else { true };
        if word.eq_ignore_ascii_case("ARRAY") && may(Rank::Array) && declaration.array.is_none() {
            declaration.array = Some(self.array(comma)?);
            return Ok(Rank::Array);
        }
        let vertex_input = declaration.file == File::In && self.program.processor == Processor::Vertex;
        if vertex_input && self.home != Dialect::Legacy {
            if strict {
                self.at = comma;
                return Err(self.stop(id::SYNTAX, "Syntax error"));
            }
            // A way of writing, no word: it says nothing of the dialect.
            if !self.said && self.lacks(Dialects::MAX, word, start) {
                self.note(start, "vertex inputs have no semantic in this dialect");
            }
        }
        let resource = [File::Image, File::Res, File::Sview, File::Buffer, File::Memory];
        let plain = !resource.contains(&declaration.file);
        if !plain && may(Rank::OfFile) && self.attribute_of_file(declaration, word, comma)? {
            return Ok(Rank::OfFile);
        }
        if (plain || !strict) && may(Rank::Local) && word.eq_ignore_ascii_case("LOCAL") {
            declaration.local = true;
            return Ok(Rank::Local);
        }
        if !strict && word.eq_ignore_ascii_case("ATOMIC") {
            declaration.atomic = true;
            return Ok(Rank::OfFile);
        }
        if (plain || !strict && Interpolation::named(word).is_none())
            && may(Rank::OfFile)
            && declaration.semantic.is_none()
        {
            if let Some(name) = words::semantic(word) {
                if name != Semantic::CullDist
                    || self.has_foreign(dialects(|d| name.code(d.numbering()).is_some()), word)
                {
                    declaration.semantic = Some(self.semantic(name, comma)?);
                    return Ok(Rank::OfFile);
                }
            }
            // Mesa reads on from where there is nothing: two of its semantics have no names.
            let crashes = strict && matches!(self.home, Dialect::Seed | Dialect::Mesa22);
            if crashes {
                self.at = start;
                return Err(self.unknown_attribute(word, comma));
            }
        }
        let output = declaration.file == File::Out && self.program.processor == Processor::Geometry;
        if (output || !strict) && may(Rank::Stream) && word.eq_ignore_ascii_case("STREAM") {
            *streams = Some((self.streams(comma)?, start));
            return Ok(Rank::Stream);
        }
        if may(Rank::Interpolation) && declaration.interpolation.is_none() {
            if let Some(mode) = Interpolation::named(word) {
                declaration.interpolation =
                    Some(InterpolationInfo { mode, location: Location::Center, cylindrical: 0 });
                return Ok(Rank::Interpolation);
            }
        }
        if may(Rank::Location) && location.is_none() {
            if let Some(found) = Location::named(word) {
                *location = Some((found, start));
                return Ok(Rank::Location);
            }
        }
        if may(Rank::Invariant) && word.eq_ignore_ascii_case("INVARIANT") {
            declaration.invariant = true;
            return Ok(Rank::Invariant);
        }
        if rank == Rank::Invariant && strict {
            self.at = comma;
            return Err(self.stop(id::SYNTAX, "Syntax error"));
        }
        if let (Some(wrapped), Some(interpolation)) = (cylindrical(word), &mut declaration.interpolation) {
            if !strict {
                interpolation.cylindrical = wrapped;
                return Ok(rank);
            }
        }
        self.at = start;
        if matches!(declaration.file, File::Image | File::Res | File::Sview) && rank < Rank::OfFile {
            let span = self.near(comma);
            return Err(self.no_target(span));
        }
        Err(self.unknown_attribute(word, comma))
    }

    #[cold]
    fn unknown_attribute(&mut self, word: &str, comma: usize) -> Stop {
        if word.is_empty() {
            return self.stop_near(comma, id::ATTRIBUTE, ATTRIBUTE);
        }
        let span = self.near(comma);
        let names = Semantic::ALL.iter().filter_map(|semantic| semantic.name());
        let names = names.chain(Interpolation::ALL.iter().filter_map(|mode| mode.name()));
        self.stop_meant(id::ATTRIBUTE, span, format_args!("{ATTRIBUTE}, not {}", Quoted(word)), names)
    }

    /// `ARRAY` behind its name.
    fn array(&mut self, comma: usize) -> Read<u16> {
        self.skip();
        if !self.eat(b'(') {
            return Err(self.stop_near(comma, id::EXPECTED, "Expected `('"));
        }
        self.skip();
        let start = self.at;
        let Some(number) = self.int() else {
            return Err(self.stop_near(comma, id::EXPECTED, "Expected `,': the number of an array"));
        };
        if number as u32 > ARRAY {
            let span = self.since(start);
            self.warn(id::TRUNCATED, span, "an array number has 10 bits; the higher ones are dropped");
        }
        self.skip();
        if !self.eat(b')') {
            return Err(self.stop_near(comma, id::EXPECTED, "Expected `)'"));
        }
        Ok(number as u16 & ARRAY as u16)
    }

    fn semantic(&mut self, name: Semantic, comma: usize) -> Read<SemanticInfo> {
        let mut index = 0;
        if self.eat_behind(b'[') {
            self.skip();
            let start = self.at;
            match self.uint() {
                Some(value) => index = value,
                None => return Err(self.stop_near(comma, id::LITERAL, "Expected literal integer")),
            }
            if index > 0xffff {
                let span = self.since(start);
                let message = "a semantic number has 16 bits; the higher ones are dropped";
                self.warn(id::TRUNCATED, span, message);
            }
            self.skip();
            if !self.eat(b']') {
                return Err(self.stop_near(comma, id::EXPECTED, "Expected `]'"));
            }
        }
        Ok(SemanticInfo { name, index: index as u16, streams: [0; 4] })
    }

    fn streams(&mut self, comma: usize) -> Read<[u8; 4]> {
        let mut streams = [0; 4];
        for (n, stream) in streams.iter_mut().enumerate() {
            self.skip();
            let (byte, message) = if n == 0 { (b'(', "Expected '('") } else { (b',', "Expected ','") };
            if !self.eat(byte) {
                return Err(self.stop_near(comma, id::EXPECTED, message));
            }
            self.skip();
            let start = self.at;
            let Some(value) = self.uint() else {
                return Err(self.stop_near(comma, id::LITERAL, "Expected literal integer"));
            };
            if value > 3 {
                let span = self.since(start);
                self.warn(id::TRUNCATED, span, "a stream number has 2 bits; the higher ones are dropped");
            }
            *stream = (value & 3) as u8;
        }
        self.skip();
        if !self.eat(b')') {
            return Err(self.stop_near(comma, id::EXPECTED, "Expected ')'"));
        }
        Ok(streams)
    }

    /// What a declaration of a resource says; `false` if the word is something else.
    fn attribute_of_file(
        &mut self,
        declaration: &mut Declaration,
        word: &'a str,
        comma: usize,
    ) -> Read<bool> {
        match declaration.file {
            File::Buffer => {
                let atomic = word.eq_ignore_ascii_case("ATOMIC");
                declaration.atomic |= atomic;
                Ok(atomic)
            }
            File::Memory => match MemoryType::named(word) {
                Some(memory) => {
                    declaration.memory = memory;
                    Ok(true)
                }
                None => Ok(false),
            },
            File::Image | File::Sview | File::Res => {
                let Some(target) = words::target(word) else {
                    // A semantic and so on may be said by tokens.
                    if !self.strict {
                        return Ok(false);
                    }
                    self.at -= word.len();
                    return Err(self.stop_near(comma, id::TARGET, "Expected texture target"));
                };
                match declaration.file {
                    File::Sview => self.view(declaration, target)?,
                    file => {
                        self.image(declaration, target);
                        if file == File::Res && self.return_type_follows() {
                            // In older texts a resource is what is sampled.
                            declaration.image = None;
                            self.view(declaration, target)?;
                        }
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn return_type_follows(&mut self) -> bool {
        let start = self.at;
        let comma = self.eat_behind(b',');
        self.skip();
        let found = comma && ReturnType::named(self.next_word()).is_some();
        self.at = start;
        found
    }

    /// How an image is accessed, and its format: any of them in any order.
    fn image(&mut self, declaration: &mut Declaration, target: Target) {
        let mut image = ImageInfo { target, format: Format::NONE, raw: false, writable: false };
        loop {
            let behind = self.at;
            if !self.eat_behind(b',') {
                break;
            }
            self.skip();
            let word = self.word();
            if word.eq_ignore_ascii_case("RAW") {
                image.raw = true;
            } else if word.eq_ignore_ascii_case("WR") {
                image.writable = true;
            } else if let Some(format) = words::format(word) {
                image.format = format;
            } else {
                self.at = behind;
                break;
            }
        }
        declaration.image = Some(image);
    }

    fn view(&mut self, declaration: &mut Declaration, target: Target) -> Read<()> {
        let mut types = Vec::new();
        let behind_target = self.at;
        while types.len() < 4 {
            let behind = self.at;
            if !self.eat_behind(b',') {
                break;
            }
            self.skip();
            match ReturnType::named(self.word()) {
                Some(ty) => types.push(ty),
                None => {
                    self.at = behind;
                    break;
                }
            }
        }
        let returns = match types.as_slice() {
            [] => {
                let comma = self.eat_behind(b',');
                self.skip();
                match (comma, self.strict, self.byte()) {
                    // The notation for types without names follows.
                    (true, false, b'.') => {}
                    (true, ..) => {
                        return Err(self.stop_near(behind_target, id::TYPE_NAME, "Expected type name"));
                    }
                    _ => {
                        self.at = behind_target;
                        return Err(self.stop_near(behind_target, id::EXPECTED, "Expected `,'"));
                    }
                }
                self.at = behind_target;
                [ReturnType::from_code(self.home.numbering(), 0); 4]
            }
            [ty, rest @ ..] => {
                // One for each component is the same as one.
                if rest.iter().any(|other| other != ty) || matches!(rest.len(), 1 | 2) {
                    let span = self.since(behind_target);
                    self.warn(id::RETURN_TYPES, span, "only the first type is used, for every component");
                }
                [*ty; 4]
            }
        };
        declaration.view = Some(ViewInfo { target, returns });
        Ok(())
    }

    /// What the language has no word for; see the documentation of this room.
    fn exact(&mut self, declaration: &mut Declaration) -> Read<()> {
        let numbering = self.home.numbering();
        let start = self.at;
        self.at += 1;
        let interpolation = declaration.interpolation.unwrap_or(InterpolationInfo {
            mode: Interpolation::from_code(numbering, 0),
            location: Location::Center,
            cylindrical: 0,
        });
        let target = Target::from_code(numbering, 0);
        let returns = [ReturnType::from_code(numbering, 0); 4];
        let view = declaration.view.unwrap_or(ViewInfo { target, returns });
        let image = declaration.image.unwrap_or(ImageInfo {
            target,
            format: Format::NONE,
            raw: false,
            writable: false,
        });
        let is_view = declaration.file == File::Sview;
        match self.word() {
            "semantic" => {
                let name = Semantic::from_code(numbering, self.expect_number()? as u8);
                declaration.semantic = Some(self.semantic(name, start)?);
            }
            "interp" => {
                let mode = Interpolation::from_code(numbering, self.expect_number()? as u8);
                declaration.interpolation = Some(InterpolationInfo { mode, ..interpolation });
            }
            "location" => {
                let location = Location::from_code(numbering, self.expect_number()? as u8);
                declaration.interpolation = Some(InterpolationInfo { location, ..interpolation });
            }
            "memory" => declaration.memory = MemoryType::from_code(numbering, self.expect_number()? as u8),
            "target" => {
                let target = Target::from_code(numbering, self.expect_number()? as u8);
                if is_view {
                    declaration.view = Some(ViewInfo { target, ..view });
                } else {
                    declaration.image = Some(ImageInfo { target, ..image });
                }
            }
            "format" => {
                let format = Format::from_code(numbering, self.expect_number()? as u16);
                declaration.image = Some(ImageInfo { format, ..image });
            }
            "noimage" => declaration.image = None,
            "noview" => declaration.view = None,
            "raw" => declaration.image = Some(ImageInfo { raw: true, ..image }),
            "wr" => declaration.image = Some(ImageInfo { writable: true, ..image }),
            "return" => {
                let mut returns = view.returns;
                for ty in &mut returns {
                    *ty = ReturnType::from_code(numbering, self.expect_number()? as u8);
                }
                declaration.view = Some(ViewInfo { returns, ..view });
            }
            _ => {
                self.at = start;
                return Err(self.stop(id::DIRECTIVE, "Unknown directive"));
            }
        }
        Ok(())
    }

    /// The values of an array of immediates of Mesa 7, behind its declaration.
    fn immediate_array(&mut self, declaration: &Declaration) -> Read<()> {
        let first = u32::from(declaration.first);
        let known: usize = self.arrays.iter().map(|array| array.values.len()).sum();
        self.skip();
        if !self.eat(b'{') {
            // Without values they are registers that nothing is known of.
            return Ok(());
        }
        let mut values = Vec::new();
        loop {
            self.skip();
            values.push(self.four(ImmediateType::Flt32)?);
            self.skip();
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        let count = (u32::from(declaration.last) + 1).saturating_sub(first);
        if values.len() as u32 != count || known as u32 != first {
            return Err(
                self.stop(id::IMMEDIATE_ARRAY, "The number of values differs from the declared array size")
            );
        }
        self.program.tokens.pop();
        self.arrays.push(ImmediateArray { first, values });
        Ok(())
    }

    /// An immediate behind `IMM`.
    pub(super) fn immediate(&mut self) -> Read<()> {
        let named = self.at.saturating_sub("IMM".len());
        let bracket = self.at;
        if self.eat(b'[') {
            self.skip();
            match self.uint() {
                Some(number) if number == self.immediates => {}
                Some(_) => return Err(self.stop(id::IMMEDIATE_ORDER, "Immediates must be sorted")),
                None => return Err(self.stop(id::LITERAL, "Expected literal unsigned integer")),
            }
            self.expect(b']')?;
        }
        let (span, numbered) = (self.since(named), self.at > bracket);
        if let Some(record) = &mut self.record {
            record.now.declared = Some((span, numbered));
        }
        self.blank()?;
        let start = self.at;
        let ty = match self.number_of_word()? {
            Some(code) => ImmediateType::from_code(self.home.numbering(), code as u8),
            None => match ImmediateType::named(self.word()) {
                Some(ty) => ty,
                None => {
                    self.at = start;
                    return Err(self.stop(id::IMMEDIATE_TYPE, "Expected immediate type"));
                }
            },
        };
        self.immediates += 1;
        if self.has_words() {
            let words = self.braced_words()?;
            self.program.push_immediate(ty, &words);
            return Ok(());
        }
        let words = self.four(ty)?;
        self.program.push_immediate(ty, &words);
        Ok(())
    }

    /// Whether `{` and `$` are next.
    fn has_words(&mut self) -> bool {
        let start = self.at;
        self.skip();
        let brace = self.eat(b'{');
        self.skip();
        let found = brace && self.byte() == b'$' && !self.strict;
        self.at = start;
        found
    }

    /// Words as they are, any number of them.
    fn braced_words(&mut self) -> Read<Vec<u32>> {
        let mut words = Vec::new();
        self.expect(b'{')?;
        loop {
            self.expect(b'$')?;
            if words.is_empty() && self.eat_behind(b'}') {
                return Ok(words);
            }
            words.push(self.expect_number()?);
            if !self.eat_behind(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        Ok(words)
    }

    /// Four words in braces.
    fn four(&mut self, ty: ImmediateType) -> Read<[u32; 4]> {
        self.expect(b'{')?;
        let mut words = [0; 4];
        let wide = matches!(ty, ImmediateType::Flt64 | ImmediateType::Uint64 | ImmediateType::Int64);
        let values = if wide { 2 } else { 4 };
        for n in 0..values {
            self.skip();
            if n > 0 {
                self.expect(b',')?;
                self.skip();
            }
            let start = self.at;
            let value = match ty {
                ImmediateType::Flt32 => self.float().map(u64::from),
                ImmediateType::Uint32 => self.uint().map(u64::from),
                ImmediateType::Int32 => self.int().map(|v| u64::from(v as u32)),
                ImmediateType::Flt64 => self.double(),
                ImmediateType::Uint64 => self.long(false),
                ImmediateType::Int64 => self.long(true),
                ImmediateType::Unknown(_) => self.lossless_number().map(u64::from),
            };
            let Some(value) = value else {
                self.at = start;
                return Err(self.stop(id::IMMEDIATE_CONSTANT, "Expected immediate constant"));
            };
            let infinite = match ty {
                ImmediateType::Flt32 => f32::from_bits(value as u32).is_infinite(),
                ImmediateType::Flt64 => f64::from_bits(value).is_infinite(),
                _ => false,
            };
            if infinite {
                let span = Span::new(start, self.at);
                let text = self.taken(start);
                let digits = text.trim_start_matches(['+', '-']);
                // Words for infinity and its bits are meant.
                let bits = digits.starts_with("0x") && !digits.contains(['p', 'P']);
                if !bits && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                    self.warn(id::OVERFLOW, span, Overflow(text));
                }
            }
            if wide {
                if let Some(pair) = words.get_mut(n * 2..n * 2 + 2) {
                    pair.copy_from_slice(&[value as u32, (value >> 32) as u32]);
                }
            } else if let Some(word) = words.get_mut(n) {
                *word = value as u32;
            }
        }
        self.expect(b'}')?;
        Ok(words)
    }
}

/// The axes of `CYLWRAP_` and letters.
fn cylindrical(word: &str) -> Option<u8> {
    let (front, letters) = word.split_at_checked(CYLINDRICAL.len())?;
    if !front.eq_ignore_ascii_case(CYLINDRICAL) || letters.is_empty() {
        return None;
    }
    letters.bytes().try_fold(0, |bits, letter| Some(bits | 1 << super::operands::component_of(letter)?))
}

/// What stands in front of the axes along which a coordinate goes round a cylinder: a spelling of this project.
pub(super) const CYLINDRICAL: &str = "CYLWRAP_";
