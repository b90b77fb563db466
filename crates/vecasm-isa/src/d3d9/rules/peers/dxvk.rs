//! What the validator of DXVK refuses.
//!
//! DXVK offers the runtime's validator (`Direct3DShaderValidatorCreate9`) to the programs that ask for it and implements
//! twelve of its messages. Five are about how the interface is called (0xEB and 0xF2 for the order of Begin and End, 0xEC for
//! an instruction before Begin, 0xEE for arguments that are missing, 0xEF for a version token that is not handed over
//! alone): a stream cannot break them. The others are here, with the numbers of the messages. Everything else passes.

use crate::d3d9::program::{InstructionToken, ItemKind, Stage};
use crate::d3d9::registers::RegType;
use crate::d3d9::rules::code::Code;
use crate::d3d9::rules::findings::{Findings, rules};
use crate::d3d9::table::{Opcode, code as token};

rules! {
    pub(in crate::d3d9) const RULES; const;

    VERSION "D3D9-dxvk-0xF0" 240 Error Peer
        "the version token 0x%1 is not that of a shader",
        "The upper half of a version token is 0xfffe or 0xffff.";
    END "D3D9-dxvk-0xF1" 241 Error Peer
        "the end token is 0x%1",
        "The end token is 0x0000ffff.";
    NO_END "D3D9-dxvk-0xF3" 243 Error Peer
        "the end token is missing",
        "A program ends with the token 0x0000ffff.";
    AFTER_END "D3D9-dxvk-0xED" 237 Error Peer
        "something follows the end token",
        "Nothing follows the end token.";
    LENGTH "D3D9-dxvk-0x21E" 542 Error Peer
        "the length of the instruction is not the one in its token",
        "From 2.0 on the token of an instruction holds the number of words that follow it.";
    DECLARATION "D3D9-dxvk-0x12C" 300 Error Peer
        "v%1 is declared; ps_3_0 has v0 to v9",
        "Checked for ps_3_0 only, as in Wine's tests.";
    INPUT "D3D9-dxvk-0x167" 359 Error Peer
        "v%1 is read; ps_3_0 has v0 to v9",
        "Checked for ps_3_0 only, as in Wine's tests.";
}

/// Number of inputs of ps_3_0.
const INPUTS: u16 = 10;

/// Runs the validator's checks.
pub(in crate::d3d9::rules) fn pass(code: &Code<'_>, f: &mut Findings) {
    if code.version.known_stage().is_none() {
        f.at_program(VERSION, &[&format_args!("{:08x}", code.version.0)]);
        return;
    }
    let mut ended = false;
    for item in code.program.items() {
        let first = code.program.words_of(*item).first().copied().unwrap_or(0);
        let end = InstructionToken(first).code() == token::END as u16;
        match item.kind {
            ItemKind::Tail => f.item(AFTER_END, *item, &[]),
            ItemKind::Cut if !end => f.item(LENGTH, *item, &[]),
            ItemKind::Stray => f.item(LENGTH, *item, &[]),
            ItemKind::Instruction | ItemKind::Cut if end => {
                f.item(END, *item, &[&format_args!("{first:08x}")]);
                ended = true;
            }
            _ => {}
        }
    }
    let three = code.version.stage() == Stage::Pixel && code.version.major() == 3;
    for i in code.instructions() {
        if i.op.is_some() && i.form.is_none() && code.version.has_lengths() {
            f.at(LENGTH, &i, &[]);
        }
        if !three {
            continue;
        }
        let beyond = |ty: RegType, number: u16| ty == RegType::Input && number >= INPUTS;
        if let Some(register) = i.write.and_then(|write| write.register) {
            if i.is(Opcode::Dcl) && beyond(register.ty, register.number) {
                f.at(DECLARATION, &i, &[&register.number]);
            }
        }
        for register in i.reads().iter().filter_map(|read| read.register) {
            if beyond(register.ty, register.number) {
                f.at(INPUT, &i, &[&register.number]);
            }
        }
    }
    if !code.program.has_end() && !ended {
        f.at_program(NO_END, &[]);
    }
}
