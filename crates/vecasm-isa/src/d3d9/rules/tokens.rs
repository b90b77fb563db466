//! The tokens themselves: whether they are all there, and the bits that must have a certain value.

use super::code::{Code, Instruction, Read};
use super::findings::{Findings, rules};
use crate::d3d9::program::{InstructionToken, Item, ItemKind, PARAMETER, Stage};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{COMPARISONS, Opcode, TEXTURE_CONTROLS};
use crate::table::Shape;

rules! {
    pub(in crate::d3d9) const RULES; const;

    MODEL "D3D9-0xF0" 240 Error Peer "there is no model with version token 0x%1",
        "Vertex shaders are 0xfffe and pixel shaders 0xffff, with 1.1, 2.0, 2.x (0201), 3.0 or a software model (02ff, 03ff); pixel shaders have 1.1 to 1.4 too, Direct3D 8 also 1.0. Message id 0xF0 of the runtime's validator, as known from DXVK, is a bad version token; pages vs---vs and ps---ps.";
    D3D8_MODEL "D3D9-d3d8-model" Error Recorded "Direct3D 8 has no %1",
        "Direct3D 8 accepts only vs_1_0, vs_1_1 and ps_1_0 to ps_1_4, as Wine's tests record of Windows.";
    NO_END "D3D9-0xF3" 243 Error Peer "the end token is missing",
        "A program ends with the token 0x0000ffff. Message id 0xF3 of the runtime's validator, as known from DXVK.";
    TAIL "D3D9-0xED" 237 Warning Peer "%1 bytes after the end token",
        "Nothing reads what follows the end token. The runtime's validator refuses instructions there (message id 0xED, as known from DXVK); creating a shader ignores them.";
    LENGTH "D3D9-0x21E" 542 Error Peer "%1",
        "From 2.0 on the token of an instruction holds the number of words that follow it; before, those bits are zero. Message id 0x21E of the runtime's validator, as known from DXVK; page instruction-token of the driver documentation.";
    OPCODE "D3D9-opcode" Error Documented "there is no instruction with code 0x%1",
        "The codes are those of D3DSHADER_INSTRUCTION_OPCODE_TYPE.";
    RESERVED "D3D9-reserved-bits" Error Documented "%1 has reserved bits set: 0x%2",
        "Bits 29 and 31 of instructions, 14 and 15 of parameters are zero. Pages instruction-token, destination- and source-parameter-token of the driver documentation.";
    CONTROL "D3D9-control-bits" Error Documented "the control bits of %1 are %2",
        "Bits 16 to 23 hold a comparison, 1 to 6, in if, break and setp with two numbers, 1 or 2 in texld from ps_2_0 on, and zero elsewhere. Page instruction-token of the driver documentation.";
    PAIR_BIT "D3D9-pair-model" Error Documented "%1 has no pairs of instructions",
        "Bit 30 and `+` are for pixel shaders 1.x. Page instruction-token of the driver documentation; the assembler refuses it, as Wine's tests record.";
    PARAMETER_BIT "D3D9-parameter-bit" Error Documented "bit 31 of a parameter is not set: 0x%1",
        "Every parameter token has bit 31. Pages destination- and source-parameter-token of the driver documentation.";
    INDEX_TOKEN "D3D9-index-token" Error Documented "the register cannot be an index: 0x%1",
        "The token after a relative parameter names a0 with one component, or aL. Page relative-addressing-token of the driver documentation.";
    SOURCE_CODE "D3D9-source-code" Error Documented "source modifier %1 is reserved",
        "Codes 14 and 15 of bits 24 to 27 are reserved. Page source-parameter-token of the driver documentation.";
}

/// Checks the tokens; gives whether there is a model that the other passes could ask.
pub(super) fn pass(code: &Code<'_>, d3d8: bool, f: &mut Findings) -> bool {
    let version = code.version;
    let number = version.number();
    let pixel = code.is_pixel();
    let known = match number {
        0x0101 | 0x0200 | 0x0201 | 0x02ff | 0x0300 | 0x03ff => true,
        0x0100 => d3d8,
        0x0102..=0x0104 => pixel,
        _ => false,
    };
    let first = code.program.items().first().copied();
    let first = first.unwrap_or(Item { kind: ItemKind::Version, start: 0, len: 1 });
    let known = known && version.known_stage().is_some();
    if !known {
        f.item(MODEL, first, &[&Hex(version.0)]);
    } else if d3d8 && version.major() > 1 {
        f.item(D3D8_MODEL, first, &[&crate::d3d9::text::version_name(version)]);
    }
    let rest = code.program.rest().len() as u64;
    let mut tail = None;
    for item in code.program.items() {
        match item.kind {
            ItemKind::Stray => {
                let word = code.program.words_of(*item).first().copied().unwrap_or(0);
                f.item(LENGTH, *item, &[&format_args!("one parameter too many: 0x{word:08x}")]);
            }
            ItemKind::Cut => f.item(LENGTH, *item, &[&"the program ends within an instruction or comment"]),
            ItemKind::Tail => tail = Some(*item),
            _ => {}
        }
    }
    let bytes = tail.map_or(0, |item| u64::from(item.len) * 4) + rest;
    if bytes > 0 && code.program.has_end() {
        let end = tail.or(code.program.items().last().copied()).unwrap_or(first);
        f.item(TAIL, end, &[&bytes]);
    }
    for instruction in code.instructions() {
        one(code, &instruction, f);
    }
    if !code.program.has_end() {
        f.at_program(NO_END, &[]);
    }
    // Version 1.0 has the instructions of 1.1.
    known || number == 0x0100
}

/// A word in eight digits.
struct Hex(u32);

impl core::fmt::Display for Hex {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

fn one(code: &Code<'_>, i: &Instruction<'_>, f: &mut Findings) {
    let token = i.token;
    if token.reserved() != 0 {
        f.at(RESERVED, i, &[&"the instruction", &Hex(token.reserved())]);
    }
    let pairs = code.version.stage() == Stage::Pixel && code.version.major() == 1;
    if token.is_coissued() && !pairs {
        f.at(PAIR_BIT, i, &[&crate::d3d9::text::version_name(code.version)]);
    }
    let Some(op) = i.op else {
        f.at(OPCODE, i, &[&format_args!("{:04x}", token.code())]);
        return;
    };
    if !code.version.has_lengths() && token.length() != 0 {
        f.at(LENGTH, i, &[&"the length of an instruction is zero before 2.0"]);
    }
    if i.form.is_none() {
        let words = i.words.len().saturating_sub(1);
        f.at(LENGTH, i, &[&format_args!("no form of {} is followed by {words} words", i.name())]);
        return;
    }
    control(code, i, op, token, f);
    let reads = i.reads().iter().chain(&i.predicate);
    for read in reads {
        parameter(i, read.source.0, "a source", f);
        let reserved = read.shape != Shape::Read && read.shape != Shape::Label;
        if reserved && read.modifier > 13 {
            f.at(SOURCE_CODE, i, &[&read.modifier]);
        }
        index(i, read, f);
    }
    if let Some(write) = i.write {
        parameter(i, write.destination.0, "the destination", f);
        if let Some(index) = write.index.filter(|index| index.explicit) {
            index_token(i, index.source.0, index.ty(), f);
        }
    }
}

fn control(code: &Code<'_>, i: &Instruction<'_>, op: Opcode, token: InstructionToken, f: &mut Findings) {
    let control = token.control();
    let fine = if op.compares() {
        COMPARISONS.iter().any(|row| row.0 == control)
    } else if op == Opcode::Tex && code.version.major() >= 2 {
        TEXTURE_CONTROLS.iter().any(|row| row.code == control)
    } else {
        control == 0
    };
    if !fine {
        f.at(CONTROL, i, &[&i.name(), &control]);
    }
}

fn parameter(i: &Instruction<'_>, word: u32, what: &str, f: &mut Findings) {
    if word & PARAMETER == 0 {
        f.at(PARAMETER_BIT, i, &[&Hex(word)]);
    }
    if word & 0xc000 != 0 {
        f.at(RESERVED, i, &[&what, &Hex(word & 0xc000)]);
    }
}

fn index(i: &Instruction<'_>, read: &Read, f: &mut Findings) {
    if let Some(index) = read.index.filter(|index| index.explicit) {
        index_token(i, index.source.0, index.ty(), f);
    }
}

fn index_token(i: &Instruction<'_>, word: u32, ty: Option<RegType>, f: &mut Findings) {
    let source = crate::d3d9::program::Source(word);
    let scalar = ty == Some(RegType::Loop) || source.swizzle().is_scalar();
    let known = matches!(ty, Some(RegType::AddrOrTexture | RegType::Loop));
    if word & PARAMETER == 0 || !known || !scalar || source.is_relative() || source.number() != 0 {
        f.at(INDEX_TOKEN, i, &[&Hex(word)]);
    }
}
