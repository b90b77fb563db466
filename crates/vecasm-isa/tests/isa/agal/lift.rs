//! Lifting, by IR derived by hand.

use vecasm_ir::ir::text::print;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::agal::lift::{Ifg, Numerics, OffsetByte, Options, lift};
use vecasm_isa::agal::program::{Dest, Program, RegType, Source, Stage, Token};
use vecasm_isa::agal::table::Opcode;

const T: RegType = RegType::Temporary;

fn token(op: Opcode, dest: Dest, src1: Source, src2: Source) -> Token {
    Token { opcode: op.row().code, dest, src1, src2 }
}

fn dest(ty: RegType, number: u16, mask: u8) -> Dest {
    Dest::new(ty, number, WriteMask::from_bits(mask))
}

fn all(ty: RegType, number: u16) -> Source {
    Source::direct(ty, number, Swizzle::IDENTITY)
}

fn lane(ty: RegType, number: u16, lane: u8) -> Source {
    Source::direct(ty, number, Swizzle::splat(lane))
}

fn program(stage: Stage, version: u32, tokens: &[Token]) -> Program {
    Program { tokens: tokens.to_vec(), ..Program::new(stage, version) }
}

/// The nodes of a lifted program, without tables, steps and homes.
fn nodes(program: &Program, options: &Options) -> String {
    let shader = lift(program, options).unwrap();
    assert_eq!(verify(&shader), []);
    let text = print(&shader);
    let (_, body) = text.split_once("\n\n").unwrap();
    body.lines()
        .map(|l| l.split("  step").next().unwrap().trim().replace(" @ft0", ""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_mask_writes_its_own_lanes() {
    // ft0.y takes lane y of v1, and ft0.zw lanes x and y of v1.xxxy, though the masks are one and two lanes wide.
    let varying = Source::direct(RegType::Varying, 1, Swizzle::new(0, 0, 0, 1));
    let p = program(
        Stage::Fragment,
        1,
        &[
            token(Opcode::Mov, dest(T, 0, 0b0010), all(RegType::Varying, 1), Source::default()),
            token(Opcode::Neg, dest(T, 0, 0b1100), varying, Source::default()),
            token(Opcode::Mov, dest(T, 0, 0b0001), lane(RegType::Varying, 1, 2), Source::default()),
            token(Opcode::Mov, dest(RegType::Output, 0, 15), all(T, 0), Source::default()),
        ],
    );
    assert_eq!(
        nodes(&p, &Options::default()),
        "%0 = input v1 : f32x4\n\
         %1 = neg %0.xy : f32x2\n\
         %2 = compose %0.zy %1 : f32x4\n\
         store oc.xyzw %2"
    );
}

#[test]
fn a_masked_matrix_uses_the_rows_of_its_lanes() {
    let p = program(
        Stage::Vertex,
        1,
        &[
            token(Opcode::M44, dest(T, 0, 0b1000), all(RegType::Attribute, 0), all(RegType::Constant, 4)),
            token(Opcode::Mov, dest(RegType::Output, 0, 15), lane(T, 0, 3), Source::default()),
        ],
    );
    assert_eq!(
        nodes(&p, &Options::default()),
        "%0 = input va0 : f32x4\n\
         %1 = param vc[7] : f32x4\n\
         %2 = dot %0 %1 : f32\n\
         store op.xyzw %2.xxxx"
    );
}

#[test]
fn sources_are_read_before_the_destination_is_written() {
    // m33 vt0.xyz, vt0, vt0 reads all rows before it writes the first.
    let p = program(
        Stage::Vertex,
        1,
        &[
            token(Opcode::Mov, dest(T, 0, 15), all(RegType::Attribute, 0), Source::default()),
            token(Opcode::Mov, dest(T, 1, 15), all(RegType::Attribute, 0), Source::default()),
            token(Opcode::Mov, dest(T, 2, 15), all(RegType::Attribute, 0), Source::default()),
            token(Opcode::M33, dest(T, 0, 7), all(T, 0), all(T, 0)),
            token(Opcode::Mov, dest(RegType::Output, 0, 7), all(T, 0), Source::default()),
        ],
    );
    assert_eq!(
        nodes(&p, &Options::default()),
        "%0 = input va0 : f32x4\n\
         %1 = dot %0.xyz %0.xyz : f32\n\
         %2 = dot %0.xyz %0.xyz : f32\n\
         %3 = dot %0.xyz %0.xyz : f32\n\
         %4 = compose %1 %2 %3 : f32x3\n\
         store op.xyz %4"
    );
}

#[test]
fn flash_takes_magnitudes_and_ieee_does_not() {
    let p = program(
        Stage::Fragment,
        1,
        &[token(Opcode::Sqt, dest(RegType::Output, 0, 15), all(RegType::Varying, 0), Source::default())],
    );
    assert!(nodes(&p, &Options::default()).contains("%1 = abs %0"));
    assert!(!nodes(&p, &Options { numerics: Numerics::Ieee, ..Options::default() }).contains("abs"));
}

#[test]
fn branches_meet_in_results_of_the_lanes_that_differ() {
    let p = program(
        Stage::Fragment,
        2,
        &[
            token(Opcode::Mov, dest(T, 0, 15), all(RegType::Varying, 0), Source::default()),
            token(Opcode::Ifg, Dest::default(), lane(T, 0, 0), lane(RegType::Varying, 1, 1)),
            token(Opcode::Neg, dest(T, 0, 0b0100), all(T, 0), Source::default()),
            token(Opcode::Els, Dest::default(), Source::default(), Source::default()),
            token(Opcode::Abs, dest(T, 0, 0b1000), all(T, 0), Source::default()),
            token(Opcode::Eif, Dest::default(), Source::default(), Source::default()),
            token(Opcode::Mov, dest(RegType::Output, 0, 15), all(T, 0), Source::default()),
        ],
    );
    assert_eq!(
        nodes(&p, &Options::default()),
        "%0 = input v0 : f32x4\n\
         %1 = input v1 : f32x4\n\
         %2 = lt %1.y %0.x : bool\n\
         %7: f32x2 = if %2 {\n\
         %3 = neg %0.z : f32\n\
         %5 = compose %3 %0.w : f32x2\n\
         yield %5\n\
         } else {\n\
         %4 = abs %0.w : f32\n\
         %6 = compose %0.z %4 : f32x2\n\
         yield %6\n\
         }\n\
         %8 = compose %0.xy %7 : f32x4\n\
         store oc.xyzw %8"
    );
    let ge = Options { ifg: Ifg::GreaterEqual, ..Options::default() };
    assert!(nodes(&p, &ge).contains("%2 = ge %0.x %1.y"));
}

#[test]
fn indirect_offsets_are_signed_by_default() {
    let source = Source::indirect(RegType::Constant, 0xff, Swizzle::IDENTITY, RegType::Attribute, 1, 2);
    let p = program(
        Stage::Vertex,
        1,
        &[token(Opcode::Mov, dest(RegType::Output, 0, 15), source, Source::default())],
    );
    assert!(nodes(&p, &Options::default()).contains("%1 = to_i32 %0.z"));
    assert!(nodes(&p, &Options::default()).contains("param.clamp vc[-1] %1"));
    let unsigned = Options { offset: OffsetByte::Unsigned, ..Options::default() };
    assert!(nodes(&p, &unsigned).contains("param.clamp vc[+255] %1"));
}

#[test]
fn what_has_no_meaning_is_refused_with_the_id_of_the_player() {
    let refused = |stage, version, tokens: &[Token]| {
        lift(&program(stage, version, tokens), &Options::default()).unwrap_err().id
    };
    let mov = |d, s| token(Opcode::Mov, d, s, Source::default());
    let els = Token { opcode: 0x20, ..Token::default() };
    let eif = Token { opcode: 0x21, ..Token::default() };
    let ife = Token { opcode: 0x1c, ..Token::default() };
    let f = Stage::Fragment;
    assert_eq!(refused(f, 1, &[Token { opcode: 0xff, ..Token::default() }]), "AGAL3620");
    assert_eq!(refused(f, 1, &[ife]), "AGAL3621");
    assert_eq!(refused(f, 2, &[eif]), "AGAL3623");
    assert_eq!(refused(f, 2, &[mov(dest(T, 26, 15), all(RegType::Varying, 0))]), "AGAL3661");
    assert_eq!(refused(f, 1, &[mov(dest(T, 0, 15), all(RegType::Constant, 28))]), "AGAL3659");
    assert_eq!(refused(f, 1, &[mov(dest(RegType::Constant, 0, 15), all(RegType::Constant, 0))]), "AGAL3652");
    let open =
        [token(Opcode::Ife, Dest::default(), lane(RegType::Varying, 0, 0), lane(RegType::Varying, 0, 1))];
    assert_eq!(refused(f, 2, &open), "AGAL3739");
    assert_eq!(refused(f, 2, &[open[0], els, els, eif]), "AGAL3752");
    assert_eq!(refused(f, 2, &[open[0]; 65]), "AGAL3624");
}
