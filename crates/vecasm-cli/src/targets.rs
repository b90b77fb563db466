//! The notations in which bytecode is written: for machines, for other tools and for source code.

use crate::Outcome;
use crate::args::ReadingArgs;
use crate::io::{self, Input, Payload};
use clap::ValueEnum;
use std::fmt::Write as _;
use std::path::Path;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::{AssumedNotation, Form, array_body, read_hex};

/// A notation for bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByteFormat {
    /// The bytecode itself
    Bin,
    /// Hexadecimal digits and white space, nothing else, in file order
    Hex,
    /// A comma-separated list of bytes, to be included in an array
    Inl,
    /// A C array
    C,
    /// A Rust constant
    Rust,
    /// An ActionScript 3 function that gives a ByteArray
    As3,
    /// One line of Base64
    Base64,
    /// A JSON object with the bytes and the instructions
    Json,
}

impl ByteFormat {
    /// The notation that the name of a file tells by its extension.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::value_variants()
            .iter()
            .copied()
            .find(|format| format.extension().eq_ignore_ascii_case(extension))
    }

    /// The notation of a text that holds bytecode: one that reads back as it.
    pub(crate) fn of_text(text: &str) -> Self {
        if read_hex(text, None).is_err() {
            return Self::Base64;
        }
        match array_body(text) {
            Some(_) if text.contains("pub const ") || text.contains("[u8;") || text.contains("[u32;") => {
                Self::Rust
            }
            Some(_) => Self::C,
            None if text.contains("0x") || text.contains("0X") => Self::Inl,
            None => Self::Hex,
        }
    }

    /// The file extension of results in a folder.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Bin => "bin",
            Self::Hex => "hex",
            Self::Inl => "inl",
            Self::C => "h",
            Self::Rust => "rs",
            Self::As3 => "as",
            Self::Base64 => "b64",
            Self::Json => "json",
        }
    }
}

/// A program in a notation, else as assembly.
pub(crate) fn in_notation(input: &Input, program: &AnyProgram, notation: Option<ByteFormat>) -> Payload {
    match notation {
        Some(format) => {
            write(program, format, &input.stem_text(), &program.instruction_texts(), Extras::default())
        }
        None => Payload::Text(program.to_text()),
    }
}

/// The notation of an input that is no assembly.
pub(crate) fn notation_of(input: &Input, reading: &ReadingArgs) -> Outcome<Option<ByteFormat>> {
    Ok(match io::form(input, reading, reading.open.notation, AssumedNotation::Text)? {
        Form::Text | Form::Broken(_) => None,
        Form::Bytes(bytes) if *bytes != *input.bytes() => {
            Some(std::str::from_utf8(input.bytes()).map_or(ByteFormat::Bin, ByteFormat::of_text))
        }
        Form::Bytes(_) => Some(ByteFormat::Bin),
    })
}

/// What a source has besides the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// What it declares that its constants hold, as a run file has them.
    pub(crate) constants: Option<serde_json::Value>,
    /// Comments that are handed on, each with the number of the instruction that it stands in front of.
    pub(crate) remarks: Vec<(usize, String)>,
    /// The listing as nv2a-vsh writes it, with the statements of the source where slots say something else.
    pub(crate) listing: Option<String>,
}

/// Writes a program in a notation. `name` becomes an identifier; `lines` are the disassembled instructions.
pub(crate) fn write(
    program: &AnyProgram,
    format: ByteFormat,
    name: &str,
    lines: &[String],
    extras: Extras,
) -> Payload {
    let text = match format {
        ByteFormat::Bin => return Payload::Binary(program.encode()),
        ByteFormat::Hex => program.hex(),
        // As nv2avsh writes it, but with a line end.
        ByteFormat::Inl if program.isa() == Isa::Nv2a => {
            let listing = extras.listing.or_else(|| program.print("inl"));
            with_remarks(&listing.unwrap_or_default(), &extras.remarks)
        }
        ByteFormat::Inl => list(program, "", lines),
        ByteFormat::C => format!(
            "/* {} */\nstatic const {} {}[{}] = {{\n{}}};\n",
            title(program),
            if unit(program) == 4 { "unsigned int" } else { "unsigned char" },
            identifier(&name.to_ascii_lowercase(), C_WORDS),
            program.encode().len() / unit(program),
            list(program, "    ", lines)
        ),
        ByteFormat::Rust => format!(
            "/// {}.\npub const {}: [u{}; {}] = [\n{}];\n",
            title(program),
            identifier(name, &[]).to_ascii_uppercase(),
            unit(program) * 8,
            program.encode().len() / unit(program),
            list(program, "    ", lines)
        ),
        ByteFormat::As3 => as3(program, name, lines),
        ByteFormat::Base64 => format!("{}\n", base64(&program.encode())),
        ByteFormat::Json => json(program, lines, extras.constants),
    };
    Payload::Text(text)
}

/// The listing of a program of the NV2A, two lines a slot, with the comments of its source as nxdk's vp20compiler hands
/// them on.
fn with_remarks(listing: &str, remarks: &[(usize, String)]) -> String {
    let mut out = String::with_capacity(listing.len() + 1);
    let mut remarks = remarks.iter().peekable();
    for (n, line) in listing.lines().enumerate() {
        while let Some((_, remark)) = remarks.next_if(|(slot, _)| n % 2 == 0 && *slot <= n / 2) {
            let _ = writeln!(out, "//{}", remark.trim_end_matches(['\\', '\r']));
        }
        let _ = writeln!(out, "{line}");
    }
    for (_, remark) in remarks {
        let _ = writeln!(out, "//{}", remark.trim_end_matches(['\\', '\r']));
    }
    out
}

/// `Vertex program, AGAL 2, 14 instructions`.
fn title(program: &AnyProgram) -> String {
    let stage = program.stage().name();
    let (first, rest) = stage.split_at(1);
    format!("{}{rest}{}", first.to_ascii_uppercase(), summary(program))
}

/// What follows the stage: ` program, AGAL 2, 14 instructions`.
fn summary(program: &AnyProgram) -> String {
    let count = program.instruction_count();
    format!(" program, {}, {count} instruction{}", program.model(), if count == 1 { "" } else { "s" })
}

/// `vertex program, AGAL 2, 14 instructions`.
pub(crate) fn title_lower(program: &AnyProgram) -> String {
    format!("{}{}", program.stage(), summary(program))
}

/// Words that cannot be the name of an array in C (to C23) or C++ (to C++23), or that compilers define.
const C_WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Words that cannot be the name of a function in ActionScript 3, and those that the function itself uses.
const AS3_WORDS: &[&str] = &[
    "as",
    "break",
    "bytes",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "data",
    "default",
    "delete",
    "do",
    "dynamic",
    "each",
    "else",
    "extends",
    "false",
    "final",
    "finally",
    "for",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "include",
    "instanceof",
    "int",
    "interface",
    "internal",
    "is",
    "namespace",
    "native",
    "new",
    "null",
    "override",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "set",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "to",
    "true",
    "try",
    "typeof",
    "uint",
    "use",
    "value",
    "var",
    "void",
    "while",
    "with",
    "ByteArray",
    "Endian",
    "Vector",
];

/// A name that a language accepts which has these words.
fn identifier(name: &str, words: &[&str]) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) || words.contains(&out.as_str()) {
        out.insert_str(0, "shader_");
    }
    out
}

/// Bytes of an element in the arrays of languages that have types.
fn unit(program: &AnyProgram) -> usize {
    if program.isa().in_words() && program.encode().len() % 4 == 0 { 4 } else { 1 }
}

/// `0x..,` bytes or words, an instruction a line with its disassembly as a comment.
fn list(program: &AnyProgram, indent: &str, lines: &[String]) -> String {
    elements(program, unit(program), indent, lines)
}

fn elements(program: &AnyProgram, unit: usize, indent: &str, lines: &[String]) -> String {
    let bytes = program.encode();
    let mut out = String::new();
    for piece in program.layout() {
        let Some(part) = bytes.get(piece.offset..piece.offset + piece.len) else { continue };
        if part.is_empty() {
            continue;
        }
        out.push_str(indent);
        for (n, element) in part.chunks(unit).enumerate() {
            out.push_str(if n > 0 { " 0x" } else { "0x" });
            // The most significant byte comes first.
            for byte in element.iter().rev() {
                let _ = write!(out, "{byte:02x}");
            }
            out.push(',');
        }
        if let Some(line) = piece.instruction.and_then(|n| lines.get(n)) {
            // A comment must not end early or go on in the next line.
            let _ = write!(out, " // {}", line.replace(['\n', '\r', '\\'], " "));
        }
        out.push('\n');
    }
    out
}

fn as3(program: &AnyProgram, name: &str, lines: &[String]) -> String {
    format!(
        "// {}\npublic static function {}():ByteArray {{\n    const data:Vector.<uint> = new <uint>[\n{}    ];\n    \
         var bytes:ByteArray = new ByteArray();\n    bytes.endian = Endian.LITTLE_ENDIAN;\n    \
         for each (var value:uint in data) bytes.writeByte(value);\n    bytes.position = 0;\n    return bytes;\n}}\n",
        title(program),
        identifier(name, AS3_WORDS),
        elements(program, 1, "        ", lines)
    )
}

fn json(program: &AnyProgram, lines: &[String], constants: Option<serde_json::Value>) -> String {
    let bytes = program.encode();
    let hex = |at: usize, len: usize| vecasm::isa::to_hex(bytes.get(at..at + len).unwrap_or(&[]));
    let instructions: Vec<serde_json::Value> = program
        .layout()
        .iter()
        .filter_map(|piece| {
            let text = lines.get(piece.instruction?)?;
            Some(serde_json::json!({ "offset": piece.offset, "bytes": hex(piece.offset, piece.len), "text": text }))
        })
        .collect();
    let mut value = serde_json::json!({
        "isa": program.isa().name(),
        "stage": program.stage().name(),
        "version": program.version(),
        "size": bytes.len(),
        "bytes": hex(0, bytes.len()),
        "instructions": instructions,
    });
    if let Some(constants) = constants {
        value["constants"] = constants;
    }
    format!("{value:#}\n")
}

/// RFC 4648 Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &b| word << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for n in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * n)) as usize & 63];
            out.push(if n <= chunk.len() { digit as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_vectors_of_rfc_4648() {
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (n, expected) in expected.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..n]), *expected);
        }
    }

    #[test]
    fn comments_of_the_source_stand_in_front_of_their_slots() {
        let remarks = [(0, "a".to_string()), (1, " b \\".to_string()), (2, "c".to_string())];
        assert_eq!(
            with_remarks("/* x */\n1,\n/* y */\n2,", &remarks),
            "//a\n/* x */\n1,\n// b \n/* y */\n2,\n//c\n"
        );
    }

    #[test]
    fn identifiers_are_legal() {
        assert_eq!(identifier("a-b.c", &[]), "a_b_c");
        assert_eq!(identifier("2d", &[]), "shader_2d");
        assert_eq!(identifier("", &[]), "shader_");
        assert_eq!(identifier("int", C_WORDS), "shader_int");
        assert_eq!(identifier("function", AS3_WORDS), "shader_function");
        assert_eq!(identifier("printf", C_WORDS), "printf");
    }
}
