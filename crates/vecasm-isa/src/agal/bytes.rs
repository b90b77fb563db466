//! Bytecode: decoding and encoding, both without loss.

use super::program::{Header, Program, Token};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, rules};

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    NOT_AGAL "AGAL-not-agal"
        "%1"
        "Bytecode starts with a0, or has a1 before the stage; without either, nothing else in it can be trusted.";
}

/// Whether `bytes` start like an AGAL program: magic, a stage tag in place, a stage byte.
pub fn looks_like(bytes: &[u8]) -> bool {
    Header::from_file(bytes).is_regular()
}

/// Reads any bytes as a program. Nothing is checked and nothing is lost: [`encode`] gives the same bytes.
pub fn decode_lossless(bytes: &[u8]) -> Program {
    let header = Header::from_file(bytes);
    let body = &bytes[header.bytes().len()..];
    let mut tokens = Vec::with_capacity(body.len() / Token::SIZE);
    let mut chunks = body.chunks_exact(Token::SIZE);
    for chunk in chunks.by_ref() {
        if let Ok(chunk) = chunk.try_into() {
            tokens.push(Token::from_bytes(chunk));
        }
    }
    Program { header, tokens, tail: chunks.remainder().to_vec() }
}

/// Reads a program. What is odd about it is for [`validate`](super::rules::validate()) to say.
///
/// # Errors
///
/// Fails with `AGAL-not-agal` only if nothing is recognizable: neither the magic nor the stage tag is in place.
pub fn decode(bytes: &[u8]) -> Result<Program, Diagnostic> {
    let magic = bytes.first() == Some(&Header::MAGIC);
    let tag = bytes.get(5) == Some(&Header::STAGE_TAG);
    if !magic && !tag {
        let what = match bytes.first() {
            None => "the input is empty",
            Some(0xb0) => {
                "this is GLSL source after the byte b0, an extension of OpenFL and Lightspark, not AGAL"
            }
            Some(_) => "found neither the magic byte a0 nor the stage tag a1 of AGAL bytecode",
        };
        return Err(NOT_AGAL.finding(what).at(Place::Binary { offset: 0, token: None }));
    }
    Ok(decode_lossless(bytes))
}

/// Writes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let header = program.header.bytes();
    let mut out = Vec::with_capacity(header.len() + program.tokens.len() * Token::SIZE + program.tail.len());
    out.extend_from_slice(header);
    for token in &program.tokens {
        out.extend_from_slice(&token.to_bytes());
    }
    out.extend_from_slice(&program.tail);
    out
}
