//! The tokens of another dialect, and what it lacks.

use super::layout::{Field, Layout, declaration, immediate, instruction as i, operand, property};
use super::{NOT_IN_DIALECT, encode, write};
use crate::tgsi::dialect::Dialect;
use crate::tgsi::formats::{Format, PREFIX};
use crate::tgsi::names::{
    File, ImmediateType, Interpolation, Location, MEMORY_QUALIFIERS, MemoryType, PropertyName, ReturnType,
    Semantic, Target,
};
use crate::tgsi::program::{
    Declaration, Indirect, Instruction, Memory, Op, Operand, Processor, Program, Token,
};
use crate::tgsi::text;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place};

/// Most findings that are kept.
const MAX_FINDINGS: usize = 1000;

/// What memory an instruction speaks of that says nothing of it.
const SILENT: Memory = Memory { qualifiers: 0, target: Target::Buffer, format: Format::NONE };

/// Writes a program as tokens of a dialect.
///
/// # Errors
///
/// A finding with the id `TGSI-not-in-dialect` for each thing that the dialect has no number or no field for; the first
/// thousand.
pub fn encode_as(program: &Program, dialect: Dialect) -> Result<Vec<u8>, Vec<Diagnostic>> {
    convert(program, dialect).map(|converted| encode(&converted))
}

/// The same program in another dialect. Bits that mean nothing are left out, unless the dialect is that of the program.
///
/// # Errors
///
/// A finding with the id `TGSI-not-in-dialect` for each thing that the dialect has no number or no field for; the first
/// thousand.
pub fn convert(program: &Program, dialect: Dialect) -> Result<Program, Vec<Diagnostic>> {
    let mut judge = Judge {
        program,
        from: Layout::of(program.dialect),
        to: Layout::of(dialect),
        findings: Vec::new(),
        offset: 0,
        instructions: 0,
        here: None,
    };
    let converted = judge.program();
    if judge.findings.is_empty() { Ok(converted) } else { Err(judge.findings) }
}

struct Judge<'a> {
    program: &'a Program,
    from: Layout,
    to: Layout,
    findings: Vec<Diagnostic>,
    /// Where the token stands in the binary of the program, in bytes.
    offset: usize,
    /// How many instructions there were.
    instructions: u32,
    /// The instruction.
    here: Option<&'a Instruction>,
}

/// Says that the dialect has no number for the word of an enum, or that its number means something else there.
macro_rules! named {
    ($judge:ident, $Name:ident, $what:literal, $value:expr) => {
        match $value {
            $Name::Unknown(code) if $judge.from.numbering != $judge.to.numbering => {
                $judge.say(format!("the {} with the number {code}", $what));
            }
            value if value.code($judge.to.numbering).is_none() => match value.name() {
                Some(name) => $judge.say(format!("the {} {name}", $what)),
                None => $judge.say(format!("the {} {value:?}", $what)),
            },
            _ => {}
        }
    };
}

impl<'a> Judge<'a> {
    /// Whether the program stays what it is.
    fn stays(&self) -> bool {
        self.from.dialect == self.to.dialect
    }

    /// A finding about something that the dialect lacks.
    #[cold]
    fn say(&mut self, what: impl Into<String>) {
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        let token = self.here.map(|_| self.instructions);
        let place = Place::Binary { offset: u32::try_from(self.offset).unwrap_or(u32::MAX), token };
        let message = format!("{} does not have {}", self.to.dialect.name(), what.into());
        let mut finding = NOT_IN_DIALECT.finding(message).at(place);
        finding.instruction = self.here.map(|instruction| text::instruction(self.program, instruction));
        self.findings.push(finding);
    }

    /// A number that must fit in a field.
    fn fits(&mut self, value: usize, field: Field, what: &str) {
        if value as u64 > u64::from(field.max()) {
            self.say(format!("room for {value} {what}"));
        }
    }

    fn program(&mut self) -> Program {
        let program = self.program;
        let processor = program.processor;
        if processor.code(self.to.dialect).is_none() {
            self.say(format!("the stage {}", processor.name().unwrap_or("of the header")));
        }
        let mut out = Program::with_room(self.to.dialect, processor, program.room());
        if self.stays() {
            out.residue = program.residue.clone();
            out.frame = program.frame.clone();
        } else {
            if program.frame.is_some() {
                self.say("a header or an end like those of the program");
            }
            if let Processor::Unknown(code) = processor {
                self.say(format!("the stage with the number {code}"));
            }
        }
        let mut words = Vec::new();
        self.offset = program.frame.as_ref().map_or(8, |frame| frame.head.len() * 4);
        for token in &program.tokens {
            self.here = None;
            match token {
                Token::Declaration(token) => {
                    self.declaration(token);
                    out.tokens.push(Token::Declaration(*token));
                }
                Token::Immediate(token) => {
                    named!(self, ImmediateType, "type of immediates", token.ty);
                    self.fits(token.words.count() + 1, immediate::LENGTH, "words of an immediate");
                    out.push_immediate(token.ty, program.words_of(token.words));
                }
                Token::Property(token) => {
                    named!(self, PropertyName, "property", token.name);
                    self.fits(token.words.count() + 1, property::LENGTH, "words of a property");
                    let words = program.words_of(token.words);
                    if token.name == PropertyName::NextShader {
                        let words: Vec<u32> = words.iter().map(|word| self.stage(*word)).collect();
                        out.push_property(token.name, &words);
                    } else {
                        out.push_property(token.name, words);
                    }
                }
                Token::Instruction(token) => {
                    self.here = Some(token);
                    self.instructions += 1;
                    let converted = self.instruction(token);
                    let [destinations, sources] = [program.destinations(token), program.sources(token)];
                    out.push_instruction(converted, destinations, sources, program.offsets(token));
                }
                Token::Raw(words) => {
                    if !self.stays() {
                        self.say("words that are not a token");
                    }
                    out.push_raw(program.words_of(*words));
                }
            }
            words.clear();
            write::token(program, token, &self.from, &mut words);
            self.offset += words.len() * 4;
        }
        out
    }

    /// The number of a stage in the dialect, from that in the dialect of the program.
    fn stage(&mut self, word: u32) -> u32 {
        let stage = u8::try_from(word).map(|code| Processor::from_code(self.from.dialect, code));
        match stage {
            _ if self.stays() => word,
            Ok(Processor::Unknown(_)) | Err(_) => {
                self.say(format!("the stage with the number {word}"));
                word
            }
            Ok(stage) => match stage.code(self.to.dialect) {
                Some(code) => code.into(),
                None => {
                    self.say(format!("the stage {}", stage.name().unwrap_or("as the next stage")));
                    word
                }
            },
        }
    }

    fn format(&mut self, format: Format) {
        match format {
            Format::Unknown(code) if self.from.numbering != self.to.numbering => {
                self.say(format!("the format with the number {code}"));
            }
            format if format.code(self.to.numbering).is_none() => {
                self.say(format!("a known number for the format {PREFIX}{}", format.name().unwrap_or("")));
            }
            _ => {}
        }
    }

    fn declaration(&mut self, token: &Declaration) {
        named!(self, File, "register file", token.file);
        named!(self, MemoryType, "memory", token.memory);
        if let Some(info) = &token.interpolation {
            named!(self, Interpolation, "interpolation", info.mode);
            named!(self, Location, "location of interpolation", info.location);
            if u32::from(info.cylindrical) > self.to.cylindrical.max() {
                self.say("cylindrical wrapping");
            }
        }
        if let Some(info) = &token.semantic {
            named!(self, Semantic, "semantic", info.name);
            if info.streams != [0; 4] && self.to.streams.max() == 0 {
                self.say("streams of outputs");
            }
        }
        if let Some(info) = &token.image {
            named!(self, Target, "target", info.target);
            if self.to.image_format.max() > 0 {
                self.format(info.format);
            } else if info.format != Format::NONE {
                self.say("formats of images");
            }
        }
        if let Some(info) = &token.view {
            named!(self, Target, "target", info.target);
            for ty in info.returns {
                named!(self, ReturnType, "type of texels", ty);
            }
        }
        // Texts of Mesa 9 say of resources what those of Mesa 10 say of sampler views.
        if token.view.is_some() && !Layout::has_view(token.file) {
            self.say(format!("types of texels of {} registers", token.file.name().unwrap_or("such")));
        }
        if token.image.is_some() && !Layout::has_image(token.file) {
            self.say(format!("targets of {} registers", token.file.name().unwrap_or("such")));
        }
        if let Some(id) = token.array {
            self.fits(id.into(), declaration::ARRAY_ID, "as an array number");
        }
    }

    fn instruction(&mut self, token: &Instruction) -> Instruction {
        let program = self.program;
        let mut out = *token;
        match token.op {
            Op::Known(op) if !op.row().is_in(self.to.dialect) => {
                self.say(format!("the instruction {}", op.row().name));
            }
            Op::Unknown(code) if self.from.numbering != self.to.numbering => {
                self.say(format!("the instruction with the number {code}"));
            }
            _ => {}
        }
        let [destinations, sources, offsets] =
            [program.destinations(token), program.sources(token), program.offsets(token)];
        self.fits(destinations.len(), self.to.destinations, "destinations");
        self.fits(sources.len(), self.to.sources, "sources");
        self.fits(offsets.len(), i::OFFSETS, "texel offsets");
        if let Some(row) = token.row() {
            let wanted = row.sources_in(self.to.dialect);
            let elsewhere = Dialect::ALL.iter().any(|dialect| sources.len() == row.sources_in(*dialect));
            // What is odd where it comes from would have no way back.
            let odd = !self.stays() && sources.len() != row.sources_in(self.from.dialect);
            if elsewhere && (odd || sources.len() != wanted) {
                self.say(format!("{} with {} sources, but with {wanted}", row.name, sources.len()));
            }
            if !self.stays() {
                if row.says_memory(self.to.dialect) {
                    out.memory = Some(token.memory.unwrap_or(SILENT));
                } else if row.says_memory(self.from.dialect) && token.memory == Some(SILENT) {
                    out.memory = None;
                }
            }
        }
        self.fits(token.saturate.into(), self.to.saturate, "as a kind of saturation");
        if token.precise && self.to.precise.max() == 0 {
            self.say("PRECISE");
        }
        if token.predicate.is_some() && self.to.predicate.max() == 0 {
            self.say("conditions of instructions");
        }
        if let Some(label) = token.label {
            self.fits(label as usize, i::LABEL, "as a label");
        }
        if let Some(info) = token.texture {
            named!(self, Target, "target", info.target);
            if info.returns != ReturnType::UNSAID {
                if self.to.returns.max() == 0 {
                    self.say("types of texels that instructions read");
                }
                named!(self, ReturnType, "type of texels", info.returns);
            }
        } else if !offsets.is_empty() {
            self.say("texel offsets without a target");
        }
        match out.memory {
            Some(info) if self.to.memory.max() > 0 => {
                named!(self, Target, "target", info.target);
                self.format(info.format);
                for (n, word) in MEMORY_QUALIFIERS.iter().enumerate() {
                    if info.qualifiers >> n & 1 == 1 && self.to.qualifiers.max() >> n & 1 == 0 {
                        self.say((*word).to_owned());
                    }
                }
            }
            Some(_) => self.say("memory qualifiers"),
            None => {}
        }
        for operand in destinations.iter().chain(sources).chain(offsets) {
            self.operand(operand);
        }
        out
    }

    fn operand(&mut self, operand: &Operand) {
        named!(self, File, "register file", operand.file);
        if let Some(indirect) = operand.indirect {
            self.indirect(indirect);
        }
        if let Some(indirect) = operand.dimension.and_then(|dimension| dimension.indirect) {
            self.indirect(indirect);
        }
    }

    fn indirect(&mut self, indirect: Indirect) {
        named!(self, File, "register file", indirect.file);
        self.fits(indirect.array.into(), operand::INDIRECT_ARRAY, "as an array number");
    }
}
