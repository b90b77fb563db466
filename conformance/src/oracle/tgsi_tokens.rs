//! TGSI: binary tokens as Mesa 22.3.6 and virglrenderer 1.3.0 make them of texts.

use super::tgsi_text::{printed, read_as, survives as text_survives, text_of};
use super::{File, Report, check_lines};
use serde_json::Value;
use std::path::Path;
use vecasm::diag::Diagnostic;
use vecasm::isa::tgsi::bytes::{
    convert, decode, decode_as, decode_lossless, encode, encode_as, looks_like, parse_digits,
};
use vecasm::isa::tgsi::names::PropertyName;
use vecasm::isa::tgsi::program::Token;
use vecasm::isa::tgsi::text::{ParseOptions, parse};
use vecasm::isa::tgsi::{Dialect, Program};
use vecasm::isa::{AnyProgram, Content, Isa, sniff};

/// The file with the tokens of both.
const PARSE: &str = "oracle/tgsi/parse.jsonl";

/// The columns, with the dialect of the tokens in them.
const PEERS: [(&str, Dialect); 2] = [("mesa", Dialect::Mesa22), ("virgl", Dialect::Virgl)];

/// Everything about tokens.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let corpus = || shared.join("corpus/tgsi");
    vec![
        check_lines(shared, PARSE, round_trips).append_name(" (tokens round trip)"),
        check_lines(shared, PARSE, converted).append_name(" (tokens of another dialect)"),
        check_lines(shared, PARSE, move |report, id, row| assembled(report, id, row, &corpus()))
            .append_name(" (text to tokens)"),
        check_lines(shared, PARSE, disassembled).append_name(" (tokens to text)"),
        check_lines(shared, PARSE, move |report, id, row| everywhere(report, id, row, &corpus()))
            .append_name(" (any text to tokens of each dialect)"),
    ]
}

/// The words that a peer makes of the text of a row, if it accepts it.
pub(super) fn tokens(row: &Value, peer: &str) -> Option<Vec<u8>> {
    let digits = row.get(peer)?.get("tokens")?.as_str()?;
    parse_digits(digits)
}

/// A finding or several, for a line.
pub(super) fn told(findings: &[Diagnostic]) -> String {
    findings.iter().take(3).map(|finding| finding.to_string()).collect::<Vec<_>>().join("; ")
}

fn shown(bytes: &[u8]) -> String {
    let words = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    words.map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}

/// Whether two streams are the same.
pub(super) fn same(got: &[u8], wanted: &[u8]) -> Result<(), String> {
    if got == wanted { Ok(()) } else { Err(format!("\n    is  {}\n    not {}", shown(got), shown(wanted))) }
}

/// What each peer writes is recognized, read in its dialect with every word a token and every bit of meaning, and comes
/// back from bytes and from digits.
fn round_trips(report: &mut Report, id: &str, row: &Value) {
    for (peer, dialect) in PEERS {
        if let Some(bytes) = tokens(row, peer) {
            report.case(&format!("{id} {peer}"), survives(&bytes, dialect));
        }
    }
}

fn survives(bytes: &[u8], dialect: Dialect) -> Result<(), String> {
    if !looks_like(bytes) || sniff(bytes) != Some(Content::Binary(Isa::Tgsi)) {
        return Err("is not recognized".into());
    }
    let program = decode(bytes).map_err(|finding| finding.to_string())?;
    // Without a token nothing tells.
    if program.dialect != dialect && !program.tokens.is_empty() {
        return Err(format!("is taken for {}", program.dialect.name()));
    }
    if program != decode_lossless(bytes) {
        return Err("the ways to decode differ".into());
    }
    let program = decode_as(bytes, dialect);
    if program.tokens.iter().any(|token| matches!(token, Token::Raw(_))) {
        return Err("has words that are no token".into());
    }
    if let Some(residue) = program.residue.first() {
        return Err(format!("has bits that mean nothing: {residue:x?}"));
    }
    same(&encode(&program), bytes)?;
    // Its own dialect has everything in it.
    same(&encode_as(&program, dialect).map_err(|findings| told(&findings))?, bytes)?;
    let digits = AnyProgram::Tgsi(program).hex();
    match parse_digits(&digits) {
        Some(again) => same(&again, bytes),
        None => Err(format!("the digits are none: {digits}")),
    }
}

/// What each peer makes of a text is what comes of converting the tokens of the other, and what is converted to any
/// dialect that can hold it survives and comes back.
fn converted(report: &mut Report, id: &str, row: &Value) {
    let all = PEERS.map(|(peer, dialect)| tokens(row, peer).map(|bytes| decode_as(&bytes, dialect)));
    for (n, (peer, from)) in PEERS.into_iter().enumerate() {
        let [Some(program), other] = [&all[n], &all[1 - n]] else { continue };
        if let Some(other) = other {
            // virglrenderer does not know the property, and skips what it does not know.
            let skipped = PropertyName::LegacyMathRules;
            if program.property(skipped) != other.property(skipped) {
                continue;
            }
            let wanted = encode(other);
            let got = encode_as(program, other.dialect).map_err(|findings| told(&findings));
            report.case(&format!("{id} from {peer}"), got.and_then(|got| same(&got, &wanted)));
        }
        for dialect in Dialect::ALL.iter().filter(|dialect| **dialect != from) {
            let Ok(there) = convert(program, *dialect) else { continue };
            report.case(&format!("{id} from {peer} to {}", dialect.name()), back(program, &there));
        }
    }
}

/// A converted program survives in its dialect, and converting it back gives what it was.
fn back(program: &Program, there: &Program) -> Result<(), String> {
    let bytes = encode(there);
    if decode_as(&bytes, there.dialect) != *there {
        return Err(format!("another program after encoding and decoding: {}", shown(&bytes)));
    }
    let again = encode_as(there, program.dialect).map_err(|findings| told(&findings))?;
    same(&again, &encode(program))
}

/// Of a text come the tokens that the peer makes of it.
fn assembled(report: &mut Report, id: &str, row: &Value, corpus: &Path) {
    let text = match text_of(row, corpus) {
        Ok(text) => text,
        Err(why) => return report.case(id, Err(why)),
    };
    for (peer, dialect) in PEERS {
        if let Some(wanted) = tokens(row, peer) {
            let got = read_as(&text, dialect).map(|program| encode(&program));
            report.case(&format!("{id} {peer}"), got.and_then(|got| same(&got, &wanted)));
        }
    }
}

/// Of tokens comes the text that the peer prints, and without loss one that reads back.
fn disassembled(report: &mut Report, id: &str, row: &Value) {
    for (peer, dialect) in PEERS {
        if let Some(bytes) = tokens(row, peer) {
            let program = decode_as(&bytes, dialect);
            let outcome = printed(row, peer, &program).and_then(|()| text_survives(&program));
            report.case(&format!("{id} {peer}"), outcome);
        }
    }
}

/// A text that is read survives in the tokens of every dialect that can hold it, and there is one.
fn everywhere(report: &mut Report, id: &str, row: &Value, corpus: &Path) {
    let Ok(text) = text_of(row, corpus) else { return };
    let (Some(program), _) = parse(&text, &ParseOptions::tolerant()) else { return };
    for dialect in Dialect::ALL {
        let id = format!("{id} in {}", dialect.name());
        match convert(&program, *dialect) {
            Ok(there) => report.case(&id, back(&program, &there)),
            // What it was read as is the dialect whose words are in it. Older versions of Mesa have had arrays of registers
            // and types of resources, and nobody knows their tokens.
            Err(findings) if *dialect == program.dialect => {
                let old = ["TEMPX", "IMMX", "of RES registers"];
                let known = |finding: &Diagnostic| old.iter().any(|word| finding.message.contains(word));
                if !findings.iter().all(known) {
                    report.case(&id, Err(told(&findings)));
                }
            }
            Err(_) => {}
        }
    }
}
