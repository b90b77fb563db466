//! Expected words are those that Mesa 22.3.6 and virglrenderer 1.3.0 make of the texts beside them, or follow from the
//! layout of words with the derivation beside them.

use vecasm_ir::diag::Place;
use vecasm_ir::operand::Swizzle;
use vecasm_isa::tgsi::bytes::{
    append_words, convert, decode, decode_as, decode_lossless, each_token, encode, encode_as, looks_like,
    parse_digits,
};
use vecasm_isa::tgsi::dialect::Dialect;
use vecasm_isa::tgsi::formats::Format;
use vecasm_isa::tgsi::names::{File, PropertyName, ReturnType, Semantic, Target};
use vecasm_isa::tgsi::program::{
    Declaration, Instruction, InterpolationInfo, Memory, Op, Operand, Predicate, Processor, Program, Residue,
    Token,
};
use vecasm_isa::tgsi::table::Opcode;

/// A program of some words, headed by their number and a stage.
fn stream(processor: u32, body: &[u32]) -> Vec<u8> {
    let head = [2 | (body.len() as u32) << 8, processor];
    head.iter().chain(body).flat_map(|word| word.to_le_bytes()).collect()
}

/// The one instruction of a program.
fn only(program: &Program) -> &Instruction {
    let mut instructions = program.instructions();
    let first = instructions.next().unwrap();
    assert!(instructions.next().is_none());
    first
}

#[test]
fn an_instruction_has_its_fields_where_each_dialect_has_them() {
    // MOV_SAT OUT[1], -|IN[1].wzyx|: the first word as Mesa and virglrenderer write it; in Mesa 10 one destination is
    // bit 22, one source bit 24 and clamping to 0..=1 bit 20.
    for (dialect, first) in
        [(Dialect::Mesa22, 0x00b0_1022), (Dialect::Virgl, 0x0160_2022), (Dialect::Legacy, 0x0150_1022)]
    {
        let bytes = stream(1, &[first, 0x0000_04f3, 0xc6c0_0042]);
        let program = decode_as(&bytes, dialect);
        let mov = only(&program);
        assert_eq!(mov.op, Op::Known(Opcode::Mov), "{dialect:?}");
        assert_eq!(mov.saturate, 1);
        assert_eq!(program.destinations(mov), [Operand::new(File::Out, 1)]);
        let swizzle = Swizzle::new(3, 2, 1, 0);
        let source = Operand { swizzle, absolute: true, negate: true, ..Operand::new(File::In, 1) };
        assert_eq!(program.sources(mov), [source]);
        assert!(program.residue.is_empty() && program.frame.is_none());
        assert_eq!(encode(&program), bytes);
        // And the dialect is found.
        assert_eq!(decode(&bytes).unwrap(), program);
        assert!(looks_like(&bytes));
    }
}

#[test]
fn an_end_is_an_end_in_every_dialect() {
    // The number 117 at bit 12 and 98 at bit 13.
    for (dialect, word) in
        [(Dialect::Mesa22, 0x0007_5002), (Dialect::Virgl, 0x000c_4002), (Dialect::Mesa25, 0x0007_5002)]
    {
        let mut program = Program::new(dialect, Processor::Fragment, 1);
        program.push_instruction(Instruction::new(Op::Known(Opcode::End)), &[], &[], &[]);
        let processor = if dialect == Dialect::Virgl { 0 } else { 4 };
        assert_eq!(encode(&program), stream(processor, &[word]));
        assert_eq!(decode_as(&stream(processor, &[word]), dialect), program);
    }
}

#[test]
fn declarations_have_their_words_in_order() {
    // DCL IN[0..1], ARRAY(3), GENERIC[7], PERSPECTIVE, CENTROID: interpolation, semantic, array.
    let words = [0x026f_2050, 0x0001_0000, 0x12, 0x0000_0705, 3];
    let bytes = stream(4, &words);
    let program = decode(&bytes).unwrap();
    let [Token::Declaration(dcl)] = program.tokens[..] else { panic!("{program:?}") };
    assert_eq!((dcl.file, dcl.first, dcl.last, dcl.array), (File::In, 0, 1, Some(3)));
    assert_eq!(dcl.semantic.unwrap().name, Semantic::Generic);
    assert_eq!(dcl.semantic.unwrap().index, 7);
    assert_eq!(dcl.dimension, None);
    assert_eq!(encode(&program), bytes);
    // The axes of a cylinder are bits 6 to 9 where there are any, and mean nothing elsewhere.
    let words = [0x004f_2030, 0, 0x12 | 5 << 6];
    let program = decode_as(&stream(4, &words), Dialect::Seed);
    let [Token::Declaration(Declaration { interpolation: Some(found), .. })] = program.tokens[..] else {
        panic!("{program:?}")
    };
    assert_eq!(found.cylindrical, 5);
    let same = decode_as(&stream(4, &words), Dialect::Mesa22);
    assert_eq!(same.residue, [Residue { token: 0, word: 2, bits: 5 << 6 }]);
    assert_eq!(encode(&same), stream(4, &words));
    // Stage 4 is TESS_EVAL there, which is 2 in Mesa 22.
    let told = convert(&program, Dialect::Mesa22).unwrap_err();
    assert_eq!(told[0].message, "mesa22 does not have cylindrical wrapping");
    let straight = InterpolationInfo { cylindrical: 0, ..found };
    let mut program = program;
    if let Some(Token::Declaration(dcl)) = program.tokens.first_mut() {
        dcl.interpolation = Some(straight);
    }
    assert_eq!(encode_as(&program, Dialect::Mesa22).unwrap(), stream(2, &[0x004f_2030, 0, 0x12]));
}

#[test]
fn words_about_memory_are_narrower_in_virglrenderer() {
    let memory = Memory { qualifiers: 5, target: Target::D2, format: Format::from_code(numbering(), 1) };
    let mut program = Program::new(Dialect::Mesa22, Processor::Compute, 1);
    let load = |memory| {
        let mut out = Instruction::new(Op::Known(Opcode::Load));
        out.memory = Some(memory);
        out
    };
    let [dst, image, at] =
        [Operand::new(File::Temp, 0), Operand::new(File::Image, 0), Operand::new(File::Temp, 1)];
    program.push_instruction(load(memory), &[dst], &[image, at], &[]);
    // Mesa: qualifiers in four bits, target in eight, format.
    let word = |bytes: &[u8], n: usize| {
        u32::from_le_bytes([bytes[n * 4], bytes[n * 4 + 1], bytes[n * 4 + 2], bytes[n * 4 + 3]])
    };
    assert_eq!(word(&encode(&program), 3), 5 | 2 << 4 | 1 << 12);
    // virglrenderer: in three.
    let mut other = program.clone();
    let plain = Memory { format: Format::NONE, ..memory };
    other.tokens.clear();
    other.push_instruction(load(plain), &[dst], &[image, at], &[]);
    assert_eq!(word(&encode_as(&other, Dialect::Virgl).unwrap(), 3), 5 | 2 << 3);
    // It has no bit for the fourth.
    let cached = load(Memory { qualifiers: 8, ..plain });
    other.push_instruction(cached, &[dst], &[image, at], &[]);
    let told = encode_as(&other, Dialect::Virgl).unwrap_err();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].message, "virgl does not have STREAM_CACHE_POLICY");
    assert_eq!(told[0].place, Place::Binary { offset: 8 + 20, token: Some(2) });
}

fn numbering() -> vecasm_isa::tgsi::dialect::Numbering {
    Dialect::Mesa22.numbering()
}

#[test]
fn a_barrier_speaks_of_memory_but_in_virglrenderer() {
    let mesa = stream(5, &[0x200a_6012, 0]);
    let program = decode(&mesa).unwrap();
    assert_eq!(only(&program).op, Op::Known(Opcode::Barrier));
    let virgl = encode_as(&program, Dialect::Virgl).unwrap();
    assert_eq!(virgl, stream(5, &[144 << 13 | 2]));
    assert_eq!(encode_as(&decode_as(&virgl, Dialect::Virgl), Dialect::Mesa22).unwrap(), mesa);
}

#[test]
fn mesa_10_has_conditions() {
    // MOV with bit 28, a condition of -PRED[2].yyyy, OUT[0], IN[0].
    let words = [0x1140_1032, 2 | 0x55 << 16 | 1 << 24, 0x0000_00f3, 0x3900_0002];
    let program = decode_as(&stream(1, &words), Dialect::Legacy);
    let condition = Predicate { index: 2, swizzle: Swizzle::splat(1), negate: true };
    assert_eq!(only(&program).predicate, Some(condition));
    assert_eq!(encode(&program), stream(1, &words));
    assert_eq!(program.processor, Processor::Vertex);
    let told = convert(&program, Dialect::Mesa22).unwrap_err();
    assert_eq!(told[0].message, "mesa22 does not have conditions of instructions");
}

#[test]
fn the_next_stage_is_numbered_as_the_stage() {
    // PROPERTY NEXT_SHADER FRAG in Mesa: 4; in virglrenderer 0.
    let mesa = stream(0, &[0x0001_3023, 4]);
    let program = decode(&mesa).unwrap();
    assert_eq!(program.property(PropertyName::NextShader), Some(4));
    assert_eq!(encode_as(&program, Dialect::Virgl).unwrap(), stream(1, &[0x0001_3023, 0]));
    assert_eq!(encode_as(&program, Dialect::Seed).unwrap(), stream(0, &[0x0001_3023, 1]));
    let strange = decode_as(&stream(0, &[0x0001_3023, 400]), Dialect::Mesa22);
    assert_eq!(
        convert(&strange, Dialect::Virgl).unwrap_err()[0].message,
        "virgl does not have the stage with the number 400"
    );
}

#[test]
fn texel_offsets_have_three_components() {
    // TEX TEMP[0], TEMP[1], SAMP[0], 2D, IMM[3].zyx: an offset word of index 3, file 7, swizzle 2 1 0.
    // One destination is bit 21, two sources bit 24, a texture bit 28; TEX is 52.
    let first = 2 | 5 << 4 | 52 << 12 | 1 << 21 | 2 << 23 | 1 << 28;
    let words = [first, 0x0000_0102, 3 | 7 << 16 | 0b00_01_10 << 20, 0xf4, 0x3900_0044, 0x3900_0005];
    let program = decode_as(&stream(4, &words), Dialect::Mesa22);
    let tex = only(&program);
    assert_eq!(tex.op, Op::Known(Opcode::Tex));
    let offset = Operand { swizzle: Swizzle::new(2, 1, 0, 3), ..Operand::new(File::Imm, 3) };
    assert_eq!(program.offsets(tex), [offset]);
    assert_eq!(tex.texture.unwrap().target, Target::D2);
    assert_eq!(tex.texture.unwrap().returns, ReturnType::Unorm);
    assert_eq!(program.sources(tex).len(), 2);
    assert_eq!(encode(&program), stream(4, &words));
}

#[test]
fn what_means_nothing_is_kept_as_residue() {
    // Bit 31 of the first word, and bits of a destination behind its index.
    let words = [0x80a0_1022, 0xfc00_00f4, 0x3900_0042];
    let program = decode_as(&stream(0, &words), Dialect::Mesa22);
    let expected = [(0, 0x8000_0000), (1, 0xfc00_0000)];
    assert_eq!(program.residue, expected.map(|(word, bits)| Residue { token: 0, word, bits }));
    assert_eq!(only(&program).op, Op::Known(Opcode::Mov));
    assert_eq!(encode(&program), stream(0, &words));
    // In another dialect they are left out.
    let legacy = encode_as(&program, Dialect::Legacy).unwrap();
    assert_eq!(legacy, stream(1, &[0x0140_1022, 0x0000_00f4, 0x3900_0042]));
    // What a declaration says of memory means something of memory only.
    let words = [0x180f_4020, 0];
    let program = decode_as(&stream(0, &words), Dialect::Mesa22);
    assert_eq!(program.tokens, [Token::Declaration(Declaration::new(File::Temp, 0, 0))]);
    assert_eq!(encode(&program), stream(0, &words));
}

#[test]
fn words_that_are_no_token_are_kept() {
    let raw = |words: &[u32]| {
        let program = decode_as(&stream(0, words), Dialect::Mesa22);
        assert_eq!(encode(&program), stream(0, words));
        program
            .tokens
            .iter()
            .map(|token| match token {
                Token::Raw(words) => words.count(),
                _ => 0,
            })
            .collect::<Vec<_>>()
    };
    // Unknown types, a word each, in one piece; then a token.
    assert_eq!(raw(&[4, 0xffff_ffff, 0x0007_5002]), [2, 0]);
    // A declaration without a length; one that has more words than its flags say; one that goes on behind the end.
    assert_eq!(raw(&[0, 0x0007_5002]), [1, 0]);
    assert_eq!(raw(&[0x000f_4030, 0, 0, 0x0007_5002]), [3, 0]);
    assert_eq!(raw(&[0x0007_5002, 0x000f_4050, 0, 0x0007_5002]), [0, 3]);
    // An instruction whose operands need more words than it has.
    assert_eq!(raw(&[0x00a0_1012, 0, 0x0007_5002]), [2, 0]);
    // Raw words have no place in another dialect.
    let program = decode_as(&stream(0, &[7]), Dialect::Mesa22);
    let told = convert(&program, Dialect::Seed).unwrap_err();
    assert_eq!(told[0].message, "seed does not have words that are not a token");
}

#[test]
fn any_bytes_come_back() {
    let usual = stream(4, &[0x000f_4020, 0, 0x00b0_1022, 0x0000_04f3, 0xc6c0_0042, 0x0007_5002]);
    for n in 0..usual.len() {
        let bytes = &usual[..n];
        let program = decode_lossless(bytes);
        assert_eq!(encode(&program), bytes);
        assert!(program.frame.is_some());
        assert!(!looks_like(bytes));
    }
    let mut longer = usual.clone();
    longer.extend([1, 2, 3, 4, 5]);
    let program = decode_lossless(&longer);
    assert_eq!(program.frame.as_ref().unwrap().tail, [1, 2, 3, 4, 5]);
    assert_eq!(program.tokens, decode(&usual).unwrap().tokens);
    // A single bit changed, in every dialect.
    for bit in 0..usual.len() * 8 {
        let mut bytes = usual.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        for dialect in Dialect::ALL {
            assert_eq!(encode(&decode_as(&bytes, *dialect)), bytes, "{dialect:?} bit {bit}");
        }
        let program = decode_lossless(&bytes);
        assert_eq!(decode_as(&encode(&program), program.dialect), program);
    }
}

#[test]
fn what_a_dialect_lacks_is_said() {
    let program = |op: Opcode, sources: &[Operand]| {
        let mut program = Program::new(Dialect::Mesa22, Processor::Geometry, 1);
        let row = op.row();
        let dst = vec![Operand::new(File::Temp, 0); row.destinations()];
        program.push_instruction(Instruction::new(Op::Known(op)), &dst, sources, &[]);
        program
    };
    let said = |program: &Program, dialect| {
        encode_as(program, dialect).map_err(|told| told[0].message.clone()).map(|bytes| bytes.len())
    };
    let source = Operand::new(File::Const, 0);
    let buffer = Operand::new(File::ConstBuf, 0);
    let add = program(Opcode::Add, &[source, buffer]);
    assert_eq!(said(&add, Dialect::Mesa25), Ok(24));
    assert_eq!(said(&add, Dialect::Virgl), Err("virgl does not have the register file CONSTBUF".into()));
    let sub = program(Opcode::Sub, &[source, source]);
    assert_eq!(said(&sub, Dialect::Legacy), Ok(24));
    assert_eq!(said(&sub, Dialect::Virgl), Ok(24));
    assert_eq!(said(&sub, Dialect::Mesa22), Err("mesa22 does not have the instruction SUB".into()));
    let fraction = program(Opcode::Dfracexp, &[source]);
    assert_eq!(said(&fraction, Dialect::Seed), Ok(24));
    assert_eq!(said(&fraction, Dialect::Mesa25), Err("mesa25 does not have the instruction DFRACEXP".into()));
    let emit = program(Opcode::Emit, &[source]);
    assert_eq!(said(&emit, Dialect::Virgl), Ok(16));
    assert_eq!(
        said(&emit, Dialect::Legacy),
        Err("legacy does not have EMIT with 1 sources, but with 0".into())
    );
    let many = program(Opcode::Add, &[source; 16]);
    assert_eq!(said(&many, Dialect::Mesa22), Err("mesa22 does not have room for 16 sources".into()));
    // What cannot be written is written as something all the same, and read.
    let bytes = encode(&sub);
    assert_eq!(only(&decode_as(&bytes, Dialect::Mesa22)).op, Op::Unknown(255));
}

#[test]
fn tokens_are_taken_apart_and_put_together() {
    let words = [0x000f_4020, 0, 0x80a0_1022, 0x0000_00f4, 0x3900_0042, 0xffff_fff9, 0x0007_5002];
    let program = decode_as(&stream(0, &words), Dialect::Mesa22);
    let mut again = Program::new(Dialect::Mesa22, program.processor, 0);
    let mut lengths = Vec::new();
    each_token(&program, |_, words| {
        append_words(&mut again, words);
        lengths.push(words.len());
    });
    assert_eq!(lengths, [2, 3, 1, 1]);
    assert_eq!(again, program);
}

#[test]
fn digits_are_words_or_bytes() {
    let bytes = stream(4, &[0x0007_5002]);
    assert_eq!(parse_digits("00000102 00000004 00075002"), Some(bytes.clone()));
    assert_eq!(parse_digits("0x102, 4"), None);
    assert_eq!(parse_digits("{ 0x00000102, 0x4u, /* END */ 0x75002 };"), Some(bytes.clone()));
    assert_eq!(parse_digits("02010000 04000000 02500700"), Some(bytes.clone()));
    assert_eq!(parse_digits("02 01 00 00 04 00 00 00 02 50 07 00"), Some(bytes));
    assert_eq!(parse_digits("FRAG"), None);
}

#[test]
fn only_headers_are_programs() {
    assert_eq!(decode(&[]).unwrap_err().message, "the input is empty");
    assert_eq!(decode(&[2, 1, 0, 0, 4]).unwrap_err().message, "too short for a header");
    assert_eq!(decode(&[3, 1, 0, 0, 4, 0, 0, 0]).unwrap_err().message, "not a header of two words");
    assert!(looks_like(&stream(4, &[])));
    assert!(!looks_like(&stream(6, &[0x0007_5002])));
    assert!(!looks_like(&stream(4, &[0x0007_5012, 0])));
}
