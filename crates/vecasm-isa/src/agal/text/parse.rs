//! Reading the strict syntax.
//!
//! Everything doubtful is an error: what Adobe's assembler would ignore, guess or let win. All errors of a text are
//! reported, not only the first. The normal lines are those of the AGALMiniAssembler; besides, `vc[va0.x-3]` is
//! allowed, and four directives say what instructions cannot:
//!
//! | directive | means |
//! |---|---|
//! | `.agal STAGE VERSION` | the header, as in `.agal vertex 2`; before everything else |
//! | `.header HEX` | the same for any header: its bytes (7; fewer in a truncated file; 8 in old files with an extra byte), `-` for none |
//! | `.token OPCODE DEST SOURCE1 SOURCE2` | one token by its words, in hexadecimal, most significant digit first |
//! | `.tail HEX` | the bytes behind the last token; after everything else |

use super::encode::Encoder;
use super::errors::{Findings, Quoted, id, nearest};
use super::print::{is_current, is_known, nameable};
use super::registers;
use super::syntax::{Instruction, MAX_OPERANDS, Operand, lines};
use crate::agal::program::{Dest, Header, Program, Source, Stage, Token};
use crate::agal::table::Opcode;
use crate::parse_hex;
use crate::table::Stages;
use crate::text::Word;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span};

/// What [`parse`] is told besides the text. Both override the header directive of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ParseOptions {
    /// The stage; if neither this nor the text says it, it is that of the first register that only one stage has.
    pub stage: Option<Stage>,
    /// The version of AGAL, 1 to 4; if neither this nor the text says it, it is the first version that has all
    /// operations and registers used.
    pub version: Option<u32>,
}

/// The directives.
const DIRECTIVES: [&str; 4] = [".agal", ".header", ".token", ".tail"];

/// Reads a program in the strict syntax (see [the module](self)). The program is there if there is no error.
///
/// The ids of the errors are those of [`RULES`](super::errors::RULES). At most 1000 errors are listed.
pub fn parse(text: &str, options: &ParseOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let mut findings = Findings::new(id::MORE);
    if let Some(version) = options.version.filter(|&v| !is_known(v)) {
        findings.error_of_text(
            id::VERSION_UNKNOWN,
            format_args!("AGAL has no version {version}"),
            Some("the versions are 1 to 4; other version words are written with `.header`".to_string()),
        );
        return (None, findings.finish());
    }
    let Some(header) = header(text, options, &mut findings) else { return (None, findings.finish()) };
    let mut program = Program { header, tokens: Vec::new(), tail: Vec::new() };
    let mut reader = Reader {
        encoder: Encoder::new(program.stage(), program.version()),
        program: &mut program,
        findings: &mut findings,
        started: false,
        headed: false,
    };
    for line in lines(text).filter(|line| !line.code.is_empty()) {
        reader.line(line.code);
    }
    let good = !findings.has_errors();
    (good.then_some(program), findings.finish())
}

/// The header that directive, caller and registers give; `None` after an error.
pub(super) fn header(text: &str, options: &ParseOptions, findings: &mut Findings) -> Option<Header> {
    let first = lines(text).map(|line| line.code).find(|code| !code.is_empty());
    let written = first.and_then(|code| read_header(code, &mut Findings::counting()));
    if let Some(header) = written.filter(|_| options.stage.is_none() && options.version.is_none()) {
        return Some(header);
    }
    let stage = options.stage.or(written.map(|h| h.stage().unwrap_or(Stage::Fragment)));
    let version = options.version.or(written.map(|h| h.version()));
    if let (Some(stage), Some(version)) = (stage, version) {
        return Some(Header::new(stage, version));
    }
    let used = Used::of(text);
    let Some(stage) = stage.or(used.stage) else {
        let help =
            || Some("write `.agal vertex 1` or `.agal fragment 1` first, or name the stage".to_string());
        let message = "cannot tell whether this is a vertex or a fragment program";
        match first {
            Some(code) => {
                findings.error_asking(id::STAGE_UNKNOWN, code.span(), format_args!("{message}"), help);
            }
            None => findings.error_of_text(id::STAGE_UNKNOWN, format_args!("{message}"), help()),
        }
        // The rest is read all the same, for its errors.
        return Some(Header::new(Stage::Fragment, version.unwrap_or(used.version)));
    };
    if let (None, Some(at)) = (version, used.asks) {
        let name = Quoted(text.get(at.start as usize..at.end as usize).unwrap_or(""));
        let number = used.version;
        findings.note(
            id::VERSION_INFERRED,
            at,
            format_args!("{name} needs AGAL {number}, and no version is given: assuming {number}"),
            format!("write `.agal {} {number}` first, or give the version", stage.name()),
        );
    }
    Some(Header::new(stage, version.unwrap_or(used.version)))
}

/// What the instructions of a text say about its header.
pub(super) struct Used {
    pub(super) stage: Option<Stage>,
    version: u32,
    /// What needs the version, the first of its kind, unless that is 1.
    asks: Option<Span>,
}

impl Used {
    pub(super) fn of(text: &str) -> Self {
        let mut out = Self { stage: None, version: 1, asks: None };
        let mut by_operation = None;
        let findings = &mut Findings::counting();
        for line in lines(text).filter(|line| !line.code.is_empty() && !line.code.text.starts_with('.')) {
            let instruction = Instruction::cut(line.code, findings);
            if let Some(op) = current(instruction.mnemonic.text) {
                let row = op.row();
                out.ask(row.since, instruction.mnemonic.span());
                by_operation = by_operation.or(match row.stages {
                    Stages::V => Some(Stage::Vertex),
                    Stages::F => Some(Stage::Fragment),
                    _ => None,
                });
            }
            for operand in instruction.operands.iter().take(instruction.count.min(MAX_OPERANDS)) {
                if let Some(operand) = Operand::cut(*operand, findings) {
                    out.register(operand.name, operand.number);
                    if let Some(index) = operand.index {
                        out.register(index.name, index.number);
                    }
                }
            }
        }
        out.stage = out.stage.or(by_operation);
        out
    }

    fn register(&mut self, name: Word<'_>, digits: Word<'_>) {
        let Some(register) = registers::by_name(name.text) else { return };
        self.stage = self.stage.or(register.stage);
        let stage = register.stage.unwrap_or(Stage::Vertex);
        let number = number_of(digits);
        if let Some(version) = (1..=4).find(|&v| number < nameable(register.ty, stage, v)) {
            self.ask(version, Span::new(name.at, digits.end()));
        }
    }

    fn ask(&mut self, version: u32, at: Span) {
        if version > self.version {
            (self.version, self.asks) = (version, Some(at));
        }
    }
}

/// The mnemonics packed, so that a look-up compares integers.
static KEYS: [u32; Opcode::ALL.len()] = {
    let mut keys = [0; Opcode::ALL.len()];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = registers::pack(Opcode::ALL[i].row().name.as_bytes());
        i += 1;
    }
    keys
};

/// The operations of that spelling.
pub(super) fn operations(mnemonic: &str) -> impl Iterator<Item = Opcode> {
    let key = registers::pack(mnemonic.as_bytes());
    let same = move |(&k, &op): (&u32, &Opcode)| (k == key && key != 0).then_some(op);
    KEYS.iter().zip(Opcode::ALL).filter_map(same)
}

/// The operation of that spelling that has a meaning.
pub(super) fn current(mnemonic: &str) -> Option<Opcode> {
    operations(mnemonic).find(|&op| is_current(op))
}

/// The value of digits: 0 without any, `u32::MAX` if it does not fit.
pub(super) fn number_of(digits: Word<'_>) -> u32 {
    if digits.is_empty() { 0 } else { digits.text.parse().unwrap_or(u32::MAX) }
}

/// The words of a directive behind its name, at most `N`; more make it `None`, as do fewer.
fn arguments<'a, const N: usize>(code: Word<'a>) -> Option<[&'a str; N]> {
    let mut words = code.text.split_whitespace().skip(1);
    let mut out = [""; N];
    for slot in &mut out {
        *slot = words.next()?;
    }
    words.next().is_none().then_some(out)
}

/// Reads `.agal` or `.header`.
pub(super) fn read_header(code: Word<'_>, findings: &mut Findings) -> Option<Header> {
    let (name, _) = code.split_while(|c| !c.is_whitespace());
    match name.text {
        ".agal" => {
            let words = arguments(code);
            let read = words.and_then(|[stage, version]: [&str; 2]| {
                Some((stage.parse().ok()?, version.parse().ok().filter(|_| version.len() < 10)?))
            });
            let Some((stage, version)) = read else {
                findings.error_asking(
                    id::BAD_DIRECTIVE,
                    code.span(),
                    format_args!("`.agal` needs a stage and a version"),
                    || Some("for example `.agal vertex 1` or `.agal fragment 2`".to_string()),
                );
                return None;
            };
            if !is_known(version) {
                findings.error_asking(
                    id::VERSION_UNKNOWN,
                    code.span(),
                    format_args!("AGAL has no version {version}"),
                    || {
                        Some(
                            "the versions are 1 to 4; other version words are written with `.header`"
                                .to_string(),
                        )
                    },
                );
                return None;
            }
            Some(Header::new(stage, version))
        }
        ".header" => {
            let bytes = arguments(code)
                .and_then(|[hex]: [&str; 1]| if hex == "-" { Some(Vec::new()) } else { hex_bytes(hex) });
            let header = bytes.and_then(|b| Some(Header::from_file(&b)).filter(|h| h.bytes() == b));
            if header.is_none() {
                findings.error_asking(
                    id::BAD_DIRECTIVE,
                    code.span(),
                    format_args!("`.header` needs the bytes of a header in hexadecimal"),
                    || {
                        Some(
                            "7 bytes: a0, four of the version, a1, the stage; fewer in a truncated file, 8 in old \
                             files with an extra byte, `-` for none"
                                .to_string(),
                        )
                    },
                );
            }
            header
        }
        _ => None,
    }
}

/// The bytes of an even number of hexadecimal digits.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| parse_hex(digits))?
}

/// A word of at most `max` hexadecimal digits.
fn hex_word(digits: &str, max: usize) -> Option<u64> {
    let fine = (1..=max).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    fine.then(|| u64::from_str_radix(digits, 16).ok())?
}

struct Reader<'a> {
    encoder: Encoder,
    program: &'a mut Program,
    findings: &'a mut Findings,
    /// Whether a line of code has been read.
    started: bool,
    /// Whether the header has been read.
    headed: bool,
}

impl Reader<'_> {
    fn line(&mut self, code: Word<'_>) {
        let directive = code.text.starts_with('.');
        if !self.program.tail.is_empty() {
            self.findings.error(id::DIRECTIVE_PLACE, code.span(), format_args!("nothing can follow `.tail`"));
        }
        if directive {
            self.directive(code);
        } else {
            let instruction = Instruction::cut(code, self.findings);
            if let Some(token) = self.encoder.encode(&instruction, self.findings) {
                self.program.tokens.push(token);
            }
        }
        self.started = true;
    }

    fn directive(&mut self, code: Word<'_>) {
        let (name, _) = code.split_while(|c| !c.is_whitespace());
        match name.text {
            ".agal" | ".header" => {
                // What it says has been taken already.
                read_header(code, self.findings);
                if self.started {
                    let what = if self.headed { "only once" } else { "before everything else" };
                    self.findings.error(
                        id::DIRECTIVE_PLACE,
                        code.span(),
                        format_args!("`{}` must appear {what}", name.text),
                    );
                }
                self.headed = true;
            }
            ".token" => match self.token(code) {
                Some(token) => self.program.tokens.push(token),
                None => self.findings.error_asking(
                    id::BAD_DIRECTIVE,
                    code.span(),
                    format_args!(
                        "`.token` needs four words in hexadecimal: opcode, dest, source 1, source 2"
                    ),
                    || Some("at most 8, 8, 16 and 16 digits, most significant first".to_string()),
                ),
            },
            ".tail" => {
                let bytes = arguments(code).and_then(|[hex]: [&str; 1]| hex_bytes(hex));
                match bytes {
                    Some(bytes) => self.program.tail = bytes,
                    None => self.findings.error(
                        id::BAD_DIRECTIVE,
                        code.span(),
                        format_args!("`.tail` needs bytes in hexadecimal"),
                    ),
                }
            }
            _ => self.findings.error_asking(
                id::UNKNOWN_DIRECTIVE,
                name.span(),
                format_args!("unknown directive {}", Quoted(name.text)),
                || {
                    let near = nearest(name.text, DIRECTIVES.into_iter());
                    Some(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("the directives are {}", DIRECTIVES.join(", ")),
                    })
                },
            ),
        }
    }

    fn token(&self, code: Word<'_>) -> Option<Token> {
        let [opcode, dest, src1, src2] = arguments(code)?;
        Some(Token {
            opcode: hex_word(opcode, 8)? as u32,
            dest: Dest(hex_word(dest, 8)? as u32),
            src1: Source(hex_word(src1, 16)?),
            src2: Source(hex_word(src2, 16)?),
        })
    }
}
