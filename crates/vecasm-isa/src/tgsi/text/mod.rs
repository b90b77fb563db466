//! The text form.
//!
//! What Mesa and virglrenderer read is read, with their messages where something is wrong, and printed byte for byte as
//! they print ([`Style`]). The lossless style is what they read, too, as far as the language can say what a program is:
//! numbers are the shortest ones that give the same bits back. For the rest it has words that begin with `.` or `$`,
//! which are read unless a dialect is asked for:
//!
//! | notation | stands for |
//! |---|---|
//! | `.dialect virgl` before the header | the dialect of numbers and literals, if not Mesa 22 |
//! | `$9` as a header, mnemonic, file, property or type | a number that the dialect has no word for |
//! | `.head 0x2 0x0`, `.tail 0x1` | the words before the tokens, the bytes after them |
//! | `.words 0xf 0x1` | words that are no token |
//! | `.bits 1 0x400` | unused bits of word 1 of the preceding token |
//! | `MOV(2,1)`, `TEX(1,2,5)` | numbers of destinations, sources and texel offsets that the instruction should not have |
//! | `:=7`, `:-` | a label that is not where the block ends, or is missing |
//! | `, .target 2`, `, .return 4`, `, .notexture` | what an instruction says of a texture |
//! | `, .memory`, `, .memtarget 9`, `, .format 900`, `, .nomemory` | what an instruction says of memory |
//! | `, .semantic 60`, `, .interp 3`, `, .location 3`, `, .memory 1` | attributes of a declaration by number |
//! | `, .target 40`, `, .format 900`, `, .wr`, `, .raw`, `, .return 0 1 2 9`, `, .noimage`, `, .noview` | images and views |
//! | `, CYLWRAP_XY` | axes along which a coordinate goes round a cylinder |
//! | `IN[][5][0]` | a dimension where the language has one only for show |
//! | `._` | an empty write mask |
//! | `{$0x1, $0x2}`, `{$}`, `PROPERTY NAME $0x1 $0x2` | words as they are, any number of them |

mod cursor;
mod declarations;
mod format;
mod infer;
mod like;
mod log;
mod numbers;
mod operands;
mod parse;
mod print;
pub mod symbols;
mod words;

pub use self::format::format;
pub use self::like::{looks_like, stage_of};
pub use self::log::programs_in;
use self::parse::Reader;
use self::print::Printer;
pub use self::symbols::symbols;
use super::dialect::Dialect;
use super::program::{Instruction, Program};
use crate::without_padding;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span, rules};

rules! {
    /// Every rule of assembly text, in the order of a reader's work.
    pub const RULES;
    /// The ids of [`RULES`].
    pub(super) mod id;

    UNKNOWN_HEADER "TGSI-header" Error Peer "Unknown header", "Text begins with the stage: VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG or COMP.";
    SYNTAX "TGSI-syntax" Error Peer "Syntax error", "Statements are separated only by blanks.";
    STATEMENT "TGSI-statement" Error Peer "Expected `DCL', `IMM' or a label", "A statement is a declaration, an immediate, a property or an instruction, which may have a number before it.";
    UNKNOWN_OPCODE "TGSI-opcode" Error Peer "Unknown opcode", "A number and a colon are followed by an instruction of the dialect, with the suffixes _SAT and _PRECISE in that order.";
    EXPECTED "TGSI-expected" Error Peer "Expected `%1'", "Brackets must be closed, and operands separated by commas.";
    UNKNOWN_FILE "TGSI-file" Error Peer "Unknown register file", "A register is the name of a file of the dialect and a number in brackets.";
    LITERAL "TGSI-literal" Error Peer "Expected literal unsigned integer", "The number of a register is decimal digits, or a register and an offset.";
    MASK "TGSI-mask" Error Peer "Writemask expected", "The point of a destination is followed by some of xyzw in that order.";
    SWIZZLE "TGSI-swizzle" Error Peer "Expected register swizzle component `x', `y', `z' or `w'", "A swizzle has four letters, that of a texel offset three, that of an index register one.";
    TARGET "TGSI-target" Error Peer "Expected texture target", "A texture instruction names the target of its texture, as do declarations of sampler views and images.";
    OFFSETS "TGSI-offsets" Error Peer "There are at most 4 texel offsets", "Tokens have room for four texel offsets.";
    MEMORY "TGSI-memory" Error Peer "Expected memory qualifier, texture target, or format", "The operands of an access to memory are followed by COHERENT, RESTRICT, VOLATILE, a target or a format.";
    LABEL_NUMBER "TGSI-label-number" Error Peer "Expected a label", "A label is the number of an instruction.";
    ATTRIBUTE "TGSI-attribute" Error Peer "Expected semantic, interpolate attribute, or invariant ", "The attributes of a declaration have this order: ARRAY, LOCAL and those of the file, semantic, STREAM, interpolation, location, INVARIANT.";
    TYPE_NAME "TGSI-type-name" Error Peer "Expected type name", "A sampler view has a type of texels: UNORM, SNORM, SINT, UINT or FLOAT.";
    IMMEDIATE_ORDER "TGSI-immediate-order" Error Peer "Immediates must be sorted", "The number of an immediate, if it has one, must be the number of immediates before it.";
    IMMEDIATE_TYPE "TGSI-immediate-type" Error Peer "Expected immediate type", "An immediate is FLT32, UINT32, INT32, FLT64, UINT64 or INT64.";
    IMMEDIATE_CONSTANT "TGSI-immediate-constant" Error Peer "Expected immediate constant", "An immediate has four values of its type, of 64-bit types two.";
    OVERFLOW "TGSI-overflow" Warning "%1", "A number above the largest of its type is read as infinity, as Mesa does, which arithmetic turns into NaN sooner or later.";
    IMMEDIATE_ARRAY "TGSI-immediate-array" Error "The number of values differs from the declared array size", "Arrays of immediates, of Mesa 7, have a value for each register and follow one another.";
    UNKNOWN_PROPERTY "TGSI-property" Error Peer "Unknown property", "A property has a name that the dialect knows.";
    PROPERTY_VALUE "TGSI-property-value" Error Peer "Expected unsigned integer as property!", "The value of a property is a number, for some properties a name.";
    NUMBER "TGSI-number" Error "Expected a number", "The notation for what the language cannot express has numbers, decimal or with a leading 0x.";
    DIRECTIVE "TGSI-directive" Error "Unknown directive", "Words with a leading point are vecasm's notation for what the language cannot express; they are not read if a dialect is given.";
    DIALECT "TGSI-dialect" Warning "%1 is not in the dialect %2", "Unless a dialect is given, the words of all are read; readers of other dialects reject the text.";
    MIXED "TGSI-mixed" Warning "no dialect has all the words", "No version of Mesa or virglrenderer has all of these instructions, register files and notations: the text mixes several, and only this library reads all of it.";
    TRUNCATED "TGSI-truncated" Warning Peer "The number has too many bits", "Mesa silently keeps the low bits of a number.";
    DROPPED "TGSI-dropped" Warning Peer "It is dropped", "Mesa reads it but makes no token of it.";
    RETURN_TYPES "TGSI-return-types" Warning Peer "Only the first of several types is used, for every component", "Mesa and virglrenderer read up to four types of a sampler view but keep only the first.";
    LABEL "TGSI-label" Warning "The label differs from that of the structure", "Labels are computed from the structure: Mesa's interpreter jumps to the label in the text, drivers do not.";
    NUMBERING "TGSI-numbering" Warning "Wrong instruction number", "The numbers before instructions are ignored; those of subroutine calls are used.";
    SKIPPED_PROPERTY "TGSI-skipped-property" Warning Peer "An unknown property is skipped with the rest of the line", "virglrenderer does this so that newer guests run on older hosts.";
    FRONTED "TGSI-format" Error "The program is not reformatted", "Programs inside other texts are reformatted where they are, if their lines hold nothing else: not in string literals, and not after log prefixes.";
    FOREIGN "TGSI-foreign-line" Warning "the line is not part of the program and is skipped", "A line that starts with a name and a colon, a time or brackets was logged while the program was printed; no instruction starts like that.";
    MORE "TGSI-more" Note "More findings are not listed", "A text has up to 1000 findings.";
}

/// What becomes of the labels of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Labels {
    /// Those of conditionals and loops are computed; only where the other end is missing the text counts.
    #[default]
    Computed,
    /// They are what the text says, as with Mesa.
    AsWritten,
}

/// How texts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ParseOptions {
    /// Whose words there are; without one, those of every dialect, and the notation for what the language cannot say.
    pub dialect: Option<Dialect>,
    /// Whether comments, carriage returns and what logs put in front of lines are skipped.
    pub tolerant: bool,
    /// What becomes of labels.
    pub labels: Labels,
}

impl ParseOptions {
    /// Every dialect, comments and carriage returns: what is asked for where nothing is said.
    pub const fn tolerant() -> Self {
        Self { dialect: None, tolerant: true, labels: Labels::Computed }
    }
}

/// How programs are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// So that it reads back to the same program.
    #[default]
    Lossless,
    /// As Mesa's `tgsi_dump` prints: floats with four digits.
    Mesa,
    /// As Mesa's `tgsi_dump` prints with floats as hexadecimal digits.
    Hex,
    /// As virglrenderer prints, with floats as hexadecimal digits.
    Virgl,
}

impl Style {
    /// Every style, the default first.
    pub const ALL: &'static [Self] = &[Self::Lossless, Self::Mesa, Self::Hex, Self::Virgl];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lossless => "lossless",
            Self::Mesa => "mesa",
            Self::Hex => "hex",
            Self::Virgl => "virgl",
        }
    }
}

vecasm_ir::spelled!(Style, "style");

/// Reads a text. The program is there if there is no error; everything found is listed.
pub fn parse(text: &str, options: &ParseOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let text = without_padding(text);
    let read = infer::read(text, options);
    if read.0.is_some() || !options.tolerant {
        return read;
    }
    // What is around a program is looked for only if the text is no program as it is, and what is between its lines only then.
    let plain = log::plain(text);
    let read = plain.as_ref().map_or(read, |plain| infer::read(plain, options));
    if read.0.is_some() {
        return read;
    }
    let Some((alone, lines)) = log::without_logged(plain.as_deref().unwrap_or(text)) else { return read };
    let (Some(program), mut findings) = infer::read(&alone, options) else { return read };
    let skipped = lines.into_iter().map(|line| {
        let message = "the line is not part of the program and is skipped";
        Diagnostic::warning(id::FOREIGN, message).at_span(line)
    });
    findings.extend(skipped);
    (Some(program), findings)
}

/// Where each instruction stands in a text.
pub fn instruction_spans(text: &str) -> Vec<Span> {
    spans(text).into_iter().filter(|(_, instruction)| *instruction).map(|(span, _)| span).collect()
}

/// Where each token of the program stands in a text: declarations, immediates, properties and instructions in order.
pub fn token_spans(text: &str) -> Vec<Span> {
    spans(text).into_iter().map(|(span, _)| span).collect()
}

/// Where each token stands, and whether it is an instruction.
fn spans(text: &str) -> Vec<(Span, bool)> {
    let read = |text: &str| {
        let mut reader = Reader::any(text);
        reader.spans = Some(Vec::new());
        reader.read();
        (reader.findings.has_errors(), reader.spans.unwrap_or_default())
    };
    let text = without_padding(text);
    match read(text) {
        (true, spans) => {
            let plain = log::plain(text);
            let (bad, spans) = plain.as_ref().map_or((true, spans), |plain| read(plain));
            let alone = log::without_logged(plain.as_deref().unwrap_or(text)).filter(|_| bad);
            alone.map(|(alone, _)| read(&alone)).filter(|(bad, _)| !bad).map_or(spans, |(_, spans)| spans)
        }
        (false, spans) => spans,
    }
}

/// Prints a program.
pub fn print(program: &Program, style: Style) -> String {
    let mut printer = Printer::new(program, style);
    printer.program();
    printer.into_text()
}

/// Prints an instruction without its number, as it stands in a line of the lossless style; its label as it is.
pub fn instruction(program: &Program, instruction: &Instruction) -> String {
    let mut printer = Printer::new(program, Style::Lossless);
    printer.instruction(instruction, instruction.label);
    printer.into_text()
}
