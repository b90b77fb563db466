//! Every rule, on programs on both sides of it.

use std::{format, vec};
use vecasm_ir::diag::{Diagnostic, Place, Severity};
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::agal::bytes::encode;
use vecasm_isa::agal::program::{Dest, Header, Program, RegType, Source, Stage, Token};
use vecasm_isa::agal::rules::{
    ByteOrder, Class, Generation, Options, Profile, RULES, RuleId, SWITCHES, Switches, check_pair, class,
    describe, link, options, validate, validate_bytes,
};
use vecasm_isa::agal::table::Opcode;

use RegType::{Attribute, Constant, Depth, InstanceId, Output, Temporary, Varying};

const NONE: Source = Source(0);

fn reg(ty: RegType, number: u16) -> Source {
    Source::direct(ty, number, Swizzle::IDENTITY)
}

fn scalar(ty: RegType, number: u16, lane: u8) -> Source {
    Source::direct(ty, number, Swizzle::splat(lane))
}

/// `vc[index.x]`
fn indexed(index_type: RegType, index: u16) -> Source {
    Source::indirect(Constant, 0, Swizzle::IDENTITY, index_type, index, 0)
}

/// A sampler with fields of four bits from bit 44 on: dimension, special, wrap, mip, filter.
fn sampler(number: u16, fields: u32) -> Source {
    Source(u64::from(number) | 5 << 32 | u64::from(fields) << 44)
}

const CUBE: u32 = 1;
const SPECIAL: u32 = 1 << 4;
const WRAP: u32 = 1 << 8;
const MIP: u32 = 1 << 12;
const FILTER: u32 = 1 << 16;

fn to(ty: RegType, number: u16) -> Dest {
    Dest::new(ty, number, WriteMask::ALL)
}

fn masked(ty: RegType, number: u16, mask: u8) -> Dest {
    Dest::new(ty, number, WriteMask::from_bits(mask))
}

fn op(op: Opcode, dest: Dest, src1: Source, src2: Source) -> Token {
    Token { opcode: op.row().code, dest, src1, src2 }
}

fn mov(dest: Dest, src: Source) -> Token {
    op(Opcode::Mov, dest, src, NONE)
}

fn bare(o: Opcode) -> Token {
    op(o, Dest(0), NONE, NONE)
}

/// A condition that depends on the vertex or fragment.
fn ife(stage: Stage) -> Token {
    let a = if stage == Stage::Vertex { scalar(Attribute, 0, 1) } else { scalar(Varying, 0, 0) };
    op(Opcode::Ife, Dest(0), a, scalar(Constant, 0, 0))
}

fn program(stage: Stage, version: u32, tokens: &[Token]) -> Program {
    Program { tokens: tokens.to_vec(), ..Program::new(stage, version) }
}

fn v(version: u32, tokens: &[Token]) -> Program {
    program(Stage::Vertex, version, tokens)
}

fn f(version: u32, tokens: &[Token]) -> Program {
    program(Stage::Fragment, version, tokens)
}

/// A fragment program of version 1 that samples once.
fn tex(coordinates: Source, sampler: Source) -> Program {
    f(1, &[op(Opcode::Tex, to(Output, 0), coordinates, sampler)])
}

/// A fragment program of version 2 with `body` inside a conditional.
fn inside(body: &[Token]) -> Program {
    let mut tokens = vec![mov(to(Temporary, 0), reg(Varying, 0)), ife(Stage::Fragment)];
    tokens.extend_from_slice(body);
    tokens.push(bare(Opcode::Eif));
    tokens.push(mov(to(Output, 0), reg(Varying, 0)));
    f(2, &tokens)
}

fn simple_vertex(version: u32) -> Program {
    v(version, &[mov(to(Output, 0), reg(Attribute, 0)), mov(to(Varying, 0), reg(Attribute, 1))])
}

fn simple_fragment(version: u32) -> Program {
    f(version, &[mov(to(Output, 0), reg(Varying, 0))])
}

/// A header of seven other bytes in front of the simple fragment program.
fn header(bytes: [u8; 7]) -> Program {
    Program { header: Header::from_file(&bytes), ..simple_fragment(1) }
}

fn set(name: &str, value: &str) -> Options {
    let mut options = Options::default();
    options.switches.set(name, value).unwrap();
    options
}

/// What is judged.
enum Input {
    One(Program),
    Pair(Program, Program),
}

/// A breach of one rule, and where it is: the number of the token, 0 for none.
struct Case(RuleId, u32, Input, Options);

fn one(rule: RuleId, token: u32, program: Program) -> Case {
    Case(rule, token, Input::One(program), Options::default())
}

fn with(rule: RuleId, token: u32, options: Options, program: Program) -> Case {
    Case(rule, token, Input::One(program), options)
}

fn pair(rule: RuleId, vertex: Program, fragment: Program) -> Case {
    Case(rule, 0, Input::Pair(vertex, fragment), Options::default())
}

fn program_cases() -> Vec<Case> {
    use RuleId::*;
    let mut tail = simple_fragment(1);
    tail.tail = vec![0; 5];
    let many = |n: usize| f(1, &vec![mov(to(Output, 0), reg(Varying, 0)); n]);
    let big = Options { fragment_order: ByteOrder::Big, ..Options::default() };
    let baseline = Options { profile: Profile::Baseline, ..Options::default() };
    vec![
        with(E3612, 0, big, simple_fragment(1)),
        one(E3615, 0, f(1, &[])),
        one(E3615, 0, Program { header: Header::from_file(&[]), ..f(1, &[]) }),
        one(E3616, 0, header([0xa2, 1, 0, 0, 0, 0xa1, 1])),
        one(E3617, 0, header([0xa0, 5, 0, 0, 0, 0xa1, 1])),
        with(E3617, 0, set("version-0", "refuse"), header([0xa0, 0, 0, 0, 0, 0xa1, 1])),
        one(E3618, 0, header([0xa0, 1, 0, 0, 0, 0xa0, 1])),
        one(E3619, 0, header([0xa0, 1, 0, 0, 0, 0xa1, 2])),
        with(E3725, 0, baseline, simple_fragment(2)),
        one(E3629, 201, many(201)),
        one(Trailing, 0, tail),
        pair(E3630, simple_vertex(1), simple_vertex(1)),
        pair(E3631, simple_fragment(1), simple_fragment(1)),
        pair(E3632, v(1, &[mov(to(Output, 0), reg(Attribute, 0))]), simple_fragment(1)),
        pair(
            E3633,
            v(1, &[mov(to(Output, 0), reg(Attribute, 0)), mov(masked(Varying, 0, 7), reg(Attribute, 0))]),
            f(1, &[mov(to(Output, 0), Source::direct(Varying, 0, Swizzle::splat(1)))]),
        ),
        pair(E3634, simple_vertex(1), f(1, &[mov(to(Temporary, 0), reg(Varying, 0))])),
        pair(
            E3635,
            v(1, &[mov(masked(Output, 0, 7), reg(Attribute, 0)), mov(to(Varying, 0), reg(Attribute, 0))]),
            simple_fragment(1),
        ),
        pair(E3757, simple_vertex(1), simple_fragment(2)),
    ]
}

fn opcode_cases() -> Vec<Case> {
    use RuleId::*;
    let wild = |code: u32| Token { opcode: code, ..Token::default() };
    let level = ife(Stage::Fragment);
    let deep: Vec<Token> = [level; 5]
        .into_iter()
        .chain([mov(to(Temporary, 0), reg(Varying, 0))])
        .chain([bare(Opcode::Eif); 5])
        .collect();
    let tld = op(Opcode::Tld, to(Temporary, 0), reg(Attribute, 0), sampler(0, 0));
    vec![
        one(E3620, 1, f(1, &[wild(0x2f)])),
        one(E3620, 1, f(3, &[tld])),
        one(E3621, 1, f(1, &[wild(0x1a)])),
        one(E3621, 1, f(2, &[wild(0x22)])),
        one(E3621, 1, v(1, &[op(Opcode::Sgn, to(Temporary, 0), reg(Attribute, 0), NONE)])),
        with(E3726, 1, set("v2op-in-v1", "3726"), f(1, &[wild(0x1a)])),
        one(
            E3622,
            2,
            v(
                1,
                &[mov(to(Temporary, 0), reg(Attribute, 0)), tex(reg(Attribute, 0), sampler(0, 0)).tokens[0]],
            ),
        ),
        one(E3803, 1, f(4, &[op(Opcode::Tld, to(Temporary, 0), reg(Varying, 0), sampler(0, 0))])),
        one(E3805, 1, v(3, &[tld])),
        one(E3804, 1, v(4, &[op(Opcode::Tld, to(Temporary, 0), reg(Attribute, 0), sampler(0, 2 * FILTER))])),
        one(E3623, 1, f(2, &[bare(Opcode::Eif)])),
        one(E3624, 5, f(2, &deep)),
        one(E3739, 0, f(2, &[level, mov(to(Temporary, 0), reg(Varying, 0))])),
        one(E3748, 2, f(2, &[level, bare(Opcode::Eif)])),
        one(E3742, 3, inside(&[op(Opcode::Ddx, to(Temporary, 1), reg(Varying, 0), NONE)])),
        one(E3741, 3, inside(&[op(Opcode::Tex, to(Temporary, 1), reg(Temporary, 0), sampler(0, 0))])),
        one(E3751, 3, inside(&[mov(masked(Depth, 0, 1), reg(Varying, 0))])),
        one(
            E3752,
            6,
            inside(&[
                mov(to(Temporary, 1), reg(Varying, 0)),
                bare(Opcode::Els),
                mov(to(Temporary, 1), reg(Varying, 0)),
                bare(Opcode::Els),
                mov(to(Temporary, 1), reg(Varying, 0)),
            ]),
        ),
        one(
            E3758,
            1,
            f(
                2,
                &[
                    op(Opcode::Ine, Dest(0), scalar(Varying, 1, 2), scalar(Varying, 1, 2)),
                    mov(to(Temporary, 1), reg(Varying, 0)),
                    bare(Opcode::Eif),
                ],
            ),
        ),
        one(
            E3740,
            1,
            f(2, &[op(Opcode::Ted, to(Output, 0), reg(Varying, 0), Source(sampler(0, MIP).0 | 1 << 16))]),
        ),
        one(E3743, 1, f(2, &[op(Opcode::Ted, to(Output, 0), reg(Varying, 0), sampler(0, 0))])),
        one(E3625, 1, v(1, &[op(Opcode::Add, to(Temporary, 0), reg(Constant, 0), reg(Constant, 1))])),
        one(E3625, 1, v(1, &[op(Opcode::Add, to(Temporary, 0), reg(Constant, 0), indexed(Attribute, 1))])),
        with(
            E3625,
            1,
            set("unary-const", "refuse"),
            v(1, &[op(Opcode::Neg, to(Temporary, 0), reg(Constant, 0), NONE)]),
        ),
        one(E3627, 1, f(1, &[op(Opcode::Kil, to(Temporary, 0), scalar(Varying, 0, 0), NONE)])),
        one(E3628, 1, v(1, &[op(Opcode::Nrm, to(Temporary, 0), reg(Attribute, 0), NONE)])),
        with(
            E3628,
            1,
            set("xyz-subset", "refuse"),
            v(1, &[op(Opcode::Nrm, masked(Temporary, 0, 1), reg(Attribute, 0), NONE)]),
        ),
        one(
            E3689,
            1,
            v(
                1,
                &[op(
                    Opcode::M44,
                    to(Output, 0),
                    reg(Attribute, 0),
                    Source::direct(Constant, 0, Swizzle::splat(0)),
                )],
            ),
        ),
        one(
            E3696,
            2,
            f(
                1,
                &[
                    op(Opcode::Tex, to(Temporary, 0), reg(Varying, 0), sampler(3, FILTER)),
                    op(Opcode::Tex, to(Temporary, 1), reg(Varying, 0), sampler(3, 0)),
                ],
            ),
        ),
    ]
}

fn source_cases() -> Vec<Case> {
    use RuleId::*;
    let vertex = |src: Source| v(1, &[mov(to(Temporary, 7), reg(Attribute, 0)), mov(to(Output, 0), src)]);
    let fragment = |src: Source| f(1, &[mov(to(Output, 0), src)]);
    let partly = masked(Temporary, 0, 7);
    vec![
        one(E3636, 1, f(1, &[op(Opcode::Mov, to(Output, 0), reg(Varying, 0), reg(Varying, 0))])),
        one(E3637, 2, vertex(sampler(0, 0))),
        one(E3638, 1, fragment(sampler(0, 0))),
        one(E3638, 1, tex(sampler(0, 0), sampler(0, 0))),
        one(E3639, 1, fragment(indexed(Constant, 0))),
        one(E3640, 2, vertex(Source::indirect(Temporary, 0, Swizzle::IDENTITY, Attribute, 0, 0))),
        one(E3641, 1, v(4, &[op(Opcode::Tld, to(Temporary, 0), indexed(Attribute, 0), sampler(0, 0))])),
        one(E3642, 2, vertex(indexed(Varying, 0))),
        one(E3643, 1, fragment(Source(reg(Varying, 0).0 | 1 << 16))),
        one(E3644, 2, vertex(reg(Varying, 0))),
        one(E3645, 1, fragment(reg(Attribute, 0))),
        one(E3646, 1, fragment(reg(Output, 0))),
        one(E3646, 1, f(2, &[mov(to(Output, 0), reg(Depth, 0))])),
        one(E3647, 1, fragment(reg(Temporary, 0))),
        one(E3647, 2, vertex(indexed(Temporary, 0))),
        // What is read after a broken chain has been written as far as anybody can tell.
        one(
            E3623,
            1,
            f(
                2,
                &[
                    bare(Opcode::Els),
                    mov(to(Temporary, 0), reg(Varying, 0)),
                    bare(Opcode::Eif),
                    mov(to(Output, 0), reg(Temporary, 0)),
                ],
            ),
        ),
        one(E3648, 2, f(1, &[mov(partly, reg(Varying, 0)), mov(to(Output, 0), reg(Temporary, 0))])),
        one(E3654, 1, fragment(Source(reg(Varying, 0).0 | 1 << 36))),
        with(
            E3654,
            1,
            set("sampler-reserved", "refuse"),
            tex(reg(Varying, 0), Source(sampler(0, 0).0 | 1 << 24)),
        ),
        one(E3655, 1, fragment(Source(reg(Varying, 0).0 | 8 << 32))),
        one(E3656, 1, tex(reg(Varying, 0), sampler(8, 0))),
        one(E3657, 1, fragment(reg(Varying, 8))),
        one(E3657, 1, f(2, &[mov(to(Output, 0), reg(Varying, 10))])),
        one(E3658, 2, vertex(reg(Attribute, 8))),
        one(E3658, 1, v(3, &[mov(to(Output, 0), reg(Attribute, 16))])),
        one(E3659, 1, fragment(reg(Constant, 28))),
        one(E3659, 1, v(1, &[op(Opcode::M44, to(Output, 0), reg(Attribute, 0), reg(Constant, 125))])),
        one(E3660, 1, fragment(reg(Output, 1))),
        one(E3661, 2, vertex(reg(Temporary, 8))),
        one(E3662, 1, tex(reg(Varying, 0), sampler(0, CUBE | WRAP))),
        one(E3664, 1, tex(reg(Varying, 0), sampler(0, 2 * CUBE))),
        one(E3665, 1, tex(reg(Varying, 0), sampler(0, 6 * FILTER))),
        one(E3666, 1, tex(reg(Varying, 0), sampler(0, 3 * MIP))),
        one(E3667, 1, tex(reg(Varying, 0), sampler(0, 4 * WRAP))),
        one(E3668, 1, tex(reg(Varying, 0), sampler(0, 8 * SPECIAL))),
        one(E3693, 1, tex(reg(Varying, 0), reg(Constant, 0))),
        one(E3703, 1, f(1, &[op(Opcode::Kil, Dest(0), reg(Varying, 0), NONE)])),
        with(E3704, 1, set("cube-nomip", "refuse"), tex(reg(Varying, 0), sampler(0, CUBE))),
        one(E3749, 1, fragment(reg(Depth, 0))),
        one(E3788, 1, f(3, &[mov(to(Output, 0), reg(InstanceId, 0))])),
        one(E3789, 2, vertex(reg(InstanceId, 0))),
        one(IidIndex, 1, v(3, &[mov(to(Output, 0), reg(InstanceId, 1))])),
    ]
}

fn dest_cases() -> Vec<Case> {
    use RuleId::*;
    let vertex = |version: u32, dest: Dest| v(version, &[mov(dest, reg(Attribute, 0))]);
    let fragment = |version: u32, dest: Dest| f(version, &[mov(dest, reg(Varying, 0))]);
    let constrained = Options { profile: Profile::BaselineConstrained, ..Options::default() };
    let output = |n: u16| mov(to(Output, n), reg(Varying, 0));
    vec![
        one(E3649, 1, vertex(1, to(RegType::Sampler, 0))),
        one(E3650, 1, fragment(1, to(Varying, 0))),
        one(E3651, 1, vertex(1, to(Attribute, 0))),
        one(E3652, 1, vertex(1, to(Constant, 0))),
        one(E3652, 1, fragment(1, to(Constant, 100))),
        one(E3653, 1, vertex(1, masked(Temporary, 0, 0))),
        one(E3654, 1, vertex(1, Dest(to(Temporary, 0).0 | 1 << 20))),
        one(E3654, 1, vertex(1, Dest(0x120f_0000))),
        with(E3655, 1, set("dest-high-nibble", "3655"), vertex(1, Dest(0x120f_0000))),
        one(E3655, 1, vertex(1, Dest(0x080f_0000))),
        one(E3657, 1, vertex(1, to(Varying, 8))),
        one(E3660, 1, vertex(2, to(Output, 1))),
        one(E3661, 1, vertex(1, to(Temporary, 8))),
        with(E3661, 1, constrained, fragment(1, to(Temporary, 7))),
        one(E3701, 1, fragment(1, masked(Output, 0, 7))),
        one(E3744, 2, f(2, &[output(0), output(0)])),
        one(E3749, 1, fragment(1, masked(Depth, 0, 1))),
        one(E3750, 1, vertex(2, masked(Depth, 0, 1))),
        one(E3756, 1, fragment(2, masked(Depth, 0, 3))),
        one(E3760, 5, f(2, &[output(0), output(1), output(2), output(3), output(4)])),
        one(E3775, 0, f(2, &[output(0), output(2)])),
        one(E3786, 1, vertex(3, to(InstanceId, 0))),
        one(E3789, 1, vertex(2, to(InstanceId, 0))),
    ]
}

/// More faults than are listed.
fn flood() -> Program {
    let fault = op(Opcode::Nrm, Dest(0x080f_0000), reg(Varying, 8), Source(1));
    f(1, &vec![fault; 3000])
}

fn cases() -> Vec<Case> {
    let mut all = program_cases();
    all.extend(opcode_cases());
    all.extend(source_cases());
    all.extend(dest_cases());
    all
}

fn judge(input: &Input, options: &Options) -> Vec<Diagnostic> {
    match input {
        Input::One(program) => validate(program, options),
        Input::Pair(vertex, fragment) => link(vertex, fragment, options),
    }
}

#[test]
fn every_rule_has_a_case_that_breaks_only_it() {
    let cases = cases();
    for rule in RuleId::ALL {
        // Not a finding by itself; see `a_flood_of_findings_is_cut_off_and_counted`.
        let covered = *rule == RuleId::More || cases.iter().any(|case| case.0 == *rule);
        assert!(covered, "no case for {}", rule.rule().id);
    }
    for Case(rule, token, input, options) in &cases {
        let row = rule.rule();
        let found = judge(input, options);
        let ids: Vec<_> = found.iter().map(|d| d.id).collect();
        assert_eq!(ids, [row.id], "{found:#?}");
        let finding = &found[0];
        assert_eq!(finding.severity, row.severity, "{finding:?}");
        assert_eq!(finding.first, row.severity == Severity::Error, "{finding:?}");
        let at = match finding.place {
            Place::Binary { token, .. } => token.unwrap_or(0),
            _ => 0,
        };
        assert_eq!(at, *token, "{finding:?}");
        assert_eq!(finding.instruction.is_some(), *token != 0, "{finding:?}");
        assert!(!finding.message.contains('%'), "{finding:?}");
    }
}

#[test]
fn the_table_is_sorted_and_its_ids_say_its_numbers() {
    let numbers: Vec<u32> = RULES.iter().map(|r| r.number).filter(|n| *n != 0).collect();
    assert!(numbers.windows(2).all(|w| w[0] < w[1]));
    for rule in RuleId::ALL {
        let row = rule.rule();
        if row.number != 0 {
            assert_eq!(row.id, format!("AGAL{}", row.number));
        }
        assert_eq!(RuleId::from_id(row.id), Some(*rule));
    }
}

/// Texts recorded from the Flash Player, or seen in bug reports about it.
#[test]
fn messages_are_those_of_the_player() {
    let message = |program: Program| validate(&program, &Options::default())[0].message.clone();
    assert_eq!(
        message(f(1, &[mov(to(Temporary, 0), reg(Output, 0))])),
        "AGAL validation failed: Can not read from output register for source operand 1 at token 1 of fragment program."
    );
    assert_eq!(
        message(f(1, &[Token { opcode: 0xff, ..Token::default() }])),
        "AGAL validation failed: Invalid opcode, value out of range: 255 at token 1 of fragment program."
    );
    assert_eq!(
        message(v(1, &[mov(to(Attribute, 0), reg(Constant, 0))])),
        "AGAL validation failed: Attribute registers can not be written to for destination operand at token 1 of vertex program."
    );
    let empty = validate_bytes(&[], &Options::default());
    assert_eq!(empty[0].message, "AGAL validation failed: Program size below minimum length for  program.");
    assert_eq!(class(&empty[0]), Some(Class::ArgumentError));
    let short = validate_bytes(&encode(&f(1, &[])), &Options::default());
    assert_eq!(
        short[0].message,
        "AGAL validation failed: Program size below minimum length for fragment program."
    );
    assert_eq!(class(&short[0]), Some(Class::Error));
    let constants = v(1, &[op(Opcode::Add, to(Output, 0), reg(Constant, 0), reg(Constant, 1))]);
    assert_eq!(
        message(constants),
        "AGAL validation failed: Bad AGAL source operands. Both are constants (this must be precomputed) at token 1 of vertex program."
    );
    assert_eq!(
        message(tex(reg(Varying, 0), sampler(0, 9 * FILTER))),
        "AGAL validation failed: Unknown filter mode in sampler: 9 for source operand 2 at token 1 of fragment program."
    );
}

#[test]
fn every_finding_is_reported_and_one_marked() {
    let program = f(
        1,
        &[
            op(Opcode::Neg, to(Temporary, 0), reg(Constant, 0), NONE),
            op(Opcode::Add, to(Constant, 0), reg(Attribute, 0), reg(Output, 0)),
            mov(to(Output, 0), reg(Temporary, 3)),
        ],
    );
    let found = validate(&program, &Options::default());
    let brief: Vec<_> = found.iter().map(|d| (d.id, d.severity, d.place, d.first)).collect();
    let at = |offset, token| Place::Binary { offset, token: Some(token) };
    assert_eq!(
        brief,
        [
            ("AGAL3625", Severity::Warning, at(7, 1), false),
            ("AGAL3645", Severity::Error, at(7 + 24 + 8, 2), true),
            ("AGAL3646", Severity::Error, at(7 + 24 + 16, 2), false),
            ("AGAL3652", Severity::Error, at(7 + 24 + 4, 2), false),
            ("AGAL3647", Severity::Error, at(7 + 48 + 8, 3), false),
        ]
    );
}

#[test]
fn of_a_pair_one_finding_is_first() {
    let vertex =
        v(1, &[mov(to(Output, 0), reg(Attribute, 0)), mov(masked(Varying, 1, 1), reg(Attribute, 0))]);
    let fragment = f(1, &[mov(masked(Output, 0, 1), reg(Varying, 0))]);
    let found = check_pair(&vertex, &fragment, &Options::default());
    assert!(found.vertex.is_empty());
    assert_eq!(found.first().map(|d| d.id), Some("AGAL3701"));
    let linkage: Vec<_> = found.linkage.iter().map(|d| (d.id, d.first)).collect();
    assert_eq!(linkage, [("AGAL3632", false), ("AGAL3633", false)]);
    assert_eq!(found.into_all().len(), 3);
}

/// Programs that a player accepts without a word, up to the limits of their version.
#[test]
fn good_programs_have_no_findings() {
    let standard = f(
        2,
        &[
            op(Opcode::Tex, to(Temporary, 25), reg(Varying, 9), sampler(15, MIP * 2 + FILTER * 5 + 3 * WRAP)),
            op(Opcode::Ddx, to(Temporary, 1), reg(Varying, 0), NONE),
            ife(Stage::Fragment),
            op(Opcode::Tex, to(Temporary, 1), reg(Varying, 3), sampler(0, 0)),
            bare(Opcode::Els),
            ife(Stage::Fragment),
            mov(to(Temporary, 1), reg(Constant, 63)),
            bare(Opcode::Eif),
            bare(Opcode::Eif),
            mov(to(Output, 0), reg(Temporary, 1)),
            mov(to(Output, 1), reg(Temporary, 25)),
            mov(masked(Depth, 0, 1), reg(Temporary, 1)),
        ],
    );
    let skinned = v(
        1,
        &[
            op(Opcode::M34, masked(Temporary, 0, 7), reg(Attribute, 0), indexed(Attribute, 7)),
            mov(masked(Temporary, 0, 8), reg(Attribute, 0)),
            op(Opcode::M44, to(Output, 0), reg(Temporary, 0), reg(Constant, 124)),
            mov(to(Varying, 7), reg(Attribute, 1)),
        ],
    );
    let instanced = v(
        3,
        &[
            op(Opcode::Add, to(Output, 0), scalar(InstanceId, 0, 0), reg(Attribute, 15)),
            mov(to(Varying, 9), reg(Constant, 249)),
        ],
    );
    let displaced = v(
        4,
        &[
            op(Opcode::Tld, to(Temporary, 0), reg(Attribute, 0), sampler(3, FILTER)),
            mov(to(Output, 0), reg(Temporary, 0)),
        ],
    );
    // Of an index register only the selected component needs to be written.
    let component = v(
        1,
        &[
            mov(masked(Temporary, 0, 2), reg(Attribute, 0)),
            mov(to(Output, 0), Source::indirect(Constant, 0xff, Swizzle::IDENTITY, Temporary, 0, 1)),
        ],
    );
    // Published content compares constants.
    let constants = f(
        2,
        &[
            op(Opcode::Ife, Dest(0), scalar(Constant, 8, 0), scalar(Constant, 8, 1)),
            mov(to(Temporary, 0), reg(Varying, 0)),
            bare(Opcode::Els),
            mov(to(Temporary, 0), reg(Varying, 1)),
            bare(Opcode::Eif),
            mov(to(Output, 0), reg(Temporary, 0)),
        ],
    );
    for program in
        [standard, skinned, instanced, displaced, component, constants, simple_fragment(0), simple_vertex(1)]
    {
        assert_eq!(validate(&program, &Options::default()), []);
    }
    assert_eq!(link(&simple_vertex(2), &simple_fragment(2), &Options::default()), []);
}

/// What each value of each switch makes of a program: the id of the first error, or none.
#[test]
fn every_value_of_every_switch_decides_something() {
    let els = f(2, &[bare(Opcode::Els), mov(to(Temporary, 0), reg(Varying, 0)), bare(Opcode::Eif)]);
    let varying = v(2, &[ife(Stage::Vertex), mov(to(Varying, 0), reg(Attribute, 0)), bare(Opcode::Eif)]);
    let unary = v(1, &[op(Opcode::Neg, to(Temporary, 0), reg(Constant, 0), NONE)]);
    let subset = v(1, &[op(Opcode::Nrm, masked(Temporary, 0, 3), reg(Attribute, 0), NONE)]);
    let late = f(1, &[Token { opcode: 0x1c, ..Token::default() }]);
    let tld = v(2, &[op(Opcode::Tld, to(Temporary, 0), reg(Attribute, 0), sampler(0, 0))]);
    let ted = f(2, &[op(Opcode::Ted, to(Output, 0), reg(Varying, 0), sampler(0, MIP))]);
    let aniso = tex(reg(Varying, 0), sampler(0, FILTER * 2));
    let reserved = tex(reg(Varying, 0), Source(sampler(0, 0).0 | 1 << 31));
    let outputs: Vec<Token> = (0..5).map(|n| mov(to(Output, n), reg(Varying, 0))).collect();
    let nested = inside(&[ife(Stage::Fragment), mov(to(Temporary, 1), reg(Varying, 0)), bare(Opcode::Eif)]);
    let table: &[(&str, &str, &Program, &str)] = &[
        ("unary-const", "warn", &unary, "warning"),
        ("unary-const", "accept", &unary, ""),
        ("unary-const", "refuse", &unary, "AGAL3625"),
        ("xyz-subset", "warn", &subset, "warning"),
        ("xyz-subset", "accept", &subset, ""),
        ("xyz-subset", "refuse", &subset, "AGAL3628"),
        ("sampler-extended", "accept", &aniso, ""),
        ("sampler-extended", "refuse", &aniso, "AGAL3665"),
        ("v2op-in-v1", "3621", &late, "AGAL3621"),
        ("v2op-in-v1", "3726", &late, "AGAL3726"),
        ("els-without-if", "3623", &els, "AGAL3623"),
        ("els-without-if", "3752", &els, "AGAL3752"),
        ("cube-nomip", "accept", &tex(reg(Varying, 0), sampler(0, CUBE)), ""),
        ("cube-nomip", "refuse", &tex(reg(Varying, 0), sampler(0, CUBE)), "AGAL3704"),
        ("varying-in-if", "refuse", &varying, "AGAL3751"),
        ("varying-in-if", "accept", &varying, ""),
        ("output-range", "3760", &f(2, &outputs), "AGAL3760"),
        ("output-range", "3660", &f(2, &outputs), "AGAL3660"),
        ("tld-old-version", "3805", &tld, "AGAL3805"),
        ("tld-old-version", "3620", &tld, "AGAL3620"),
        ("ted", "accept", &ted, ""),
        ("ted", "refuse", &ted, "AGAL3621"),
        ("version-0", "accept", &simple_fragment(0), ""),
        ("version-0", "refuse", &simple_fragment(0), "AGAL3617"),
        ("sampler-reserved", "accept", &reserved, ""),
        ("sampler-reserved", "refuse", &reserved, "AGAL3654"),
        ("dest-high-nibble", "3654", &v(1, &[mov(Dest(0x130f_0000), reg(Attribute, 0))]), "AGAL3654"),
        ("dest-high-nibble", "3655", &v(1, &[mov(Dest(0x130f_0000), reg(Attribute, 0))]), "AGAL3655"),
        ("nest-limit", "2", &nested, ""),
        ("nest-limit", "1", &nested, "AGAL3624"),
    ];
    for (name, value, program, expected) in table {
        let found = validate(program, &set(name, value));
        let got = match found.first() {
            None => "",
            Some(d) if d.severity == Severity::Warning => "warning",
            Some(d) => d.id,
        };
        assert_eq!(got, *expected, "{name}={value}: {found:#?}");
    }
    for switch in SWITCHES.iter().filter(|s| !["nest-limit", "opcode-argument"].contains(&s.name)) {
        for (value, _) in switch.values {
            assert!(
                table.iter().any(|row| (row.0, row.1) == (switch.name, *value)),
                "{}={value}",
                switch.name
            );
        }
    }
    let words = |value: &str| validate(&late, &set("opcode-argument", value))[0].message.clone();
    assert!(words("mnemonic").contains("Invalid opcode, ife is not implemented"), "{}", words("mnemonic"));
    assert!(words("code").contains("Invalid opcode, 28 is not implemented"), "{}", words("code"));
}

#[test]
fn the_defaults_of_the_switches_are_as_the_table_says() {
    for switch in SWITCHES {
        let mut switches = Switches::default();
        assert_eq!(switches.set(switch.name, switch.default), Ok(()), "{}", switch.name);
        assert_eq!(switches, Switches::default(), "{}", switch.name);
        assert_eq!(switches.set(switch.name, "no such value"), Err(options::SwitchError::UnknownValue));
    }
    assert_eq!(Switches::default().set("nest-limit", "0"), Err(options::SwitchError::UnknownValue));
    assert_eq!(Switches::default().set("no such name", "1"), Err(options::SwitchError::UnknownName));
}

/// The versions as Adobe's documents give them: 1 for the baseline profiles, 2 for the standard ones, and so on.
#[test]
fn a_profile_takes_the_versions_up_to_its_own() {
    let newest = [
        ("any", 4),
        ("baselineConstrained", 1),
        ("baseline", 1),
        ("baselineExtended", 1),
        ("standardConstrained", 2),
        ("standard", 2),
        ("standardExtended", 3),
        ("enterprise", 4),
    ];
    assert_eq!(newest.len(), Profile::ALL.len());
    for (name, newest) in newest {
        let options = Options { profile: name.parse::<Profile>().unwrap(), ..Options::default() };
        for version in 1..=4 {
            let found: Vec<_> = validate(&simple_fragment(version), &options).iter().map(|d| d.id).collect();
            let expected: &[_] = if version > newest { &["AGAL3725"] } else { &[] };
            assert_eq!(found, expected, "{name}, version {version}");
        }
    }
}

#[test]
fn instructions_without_w_take_masks_without_w() {
    for mask in 1..16 {
        let program = v(1, &[op(Opcode::Nrm, masked(Temporary, 0, mask), reg(Attribute, 0), NONE)]);
        let found: Vec<_> =
            validate(&program, &Options::default()).iter().map(|d| (d.id, d.severity)).collect();
        let expected: &[_] = match mask {
            7 => &[],
            0..=6 => &[("AGAL3628", Severity::Warning)],
            _ => &[("AGAL3628", Severity::Error)],
        };
        assert_eq!(found, expected, "mask {mask}");
    }
}

/// Adobe's validator of 2013 knows version 1 only, and no tolerance, whatever the switches say.
#[test]
fn the_generation_of_2013_ignores_the_switches() {
    let mut options = set("unary-const", "accept");
    options.generation = Generation::Adobe2013;
    let unary = v(1, &[op(Opcode::Neg, to(Temporary, 0), reg(Constant, 0), NONE)]);
    let depth = f(1, &[mov(masked(Depth, 0, 1), reg(Varying, 0))]);
    let first = |program: &Program| validate(program, &options).iter().find(|d| d.first).map(|d| d.id);
    assert_eq!(first(&unary), Some("AGAL3625"));
    assert_eq!(first(&depth), Some("AGAL3655"));
    assert_eq!(first(&simple_fragment(2)), Some("AGAL3617"));
    assert_eq!(first(&simple_fragment(1)), None);
}

#[test]
fn the_word_for_the_stage_is_that_of_the_slot() {
    let broken = Program { header: Header::from_file(&[0xa0, 1]), ..f(1, &[]) };
    let found = check_pair(&broken, &simple_fragment(1), &Options::default());
    assert!(found.vertex[0].message.ends_with("for vertex program."), "{:?}", found.vertex);
    assert_eq!(found.linkage, []);
}

#[test]
fn a_flood_of_findings_is_cut_off_and_counted() {
    let program = flood();
    let found = validate(&program, &Options::default());
    // Two sources, the destination and the mask of every token, and the token limit.
    let all = 3000 * 4 + 1;
    // A thousand, and one a token.
    let listed = 1000 + 3000;
    assert_eq!(found.len(), listed + 1);
    let last = &found[listed];
    assert_eq!((last.id, last.severity), ("AGAL-more", Severity::Note));
    assert_eq!(
        last.message,
        format!("{} further findings in this fragment program are not listed.", all - listed)
    );
}

/// Each of 1200 tokens has two warnings, and 2201 findings are listed: a thousand, and one a token.
#[test]
fn an_error_behind_a_flood_of_warnings_is_listed() {
    let odd = op(Opcode::Nrm, masked(Temporary, 0, 1), reg(Constant, 0), NONE);
    let mut tokens = vec![odd; 1200];
    let unwritten = mov(to(Output, 0), reg(Temporary, 1));
    tokens.push(unwritten);
    let found = validate(&f(3, &tokens), &Options::default());
    let errors: Vec<&str> = found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.id).collect();
    assert_eq!(errors, ["AGAL3647"]);
    let warnings = found.iter().filter(|d| d.severity == Severity::Warning).count();
    assert_eq!(warnings, 2201);
    let last = found.last().map(|d| d.message.as_str());
    assert_eq!(last, Some("199 further findings in this fragment program are not listed."));
    let first = found.iter().find(|d| d.first).map(|d| d.id);
    assert_eq!(first, Some("AGAL3647"));
}

#[test]
fn profiles_and_generations_have_distinct_names() {
    for profile in Profile::ALL {
        assert_eq!(profile.name().parse::<Profile>().ok(), Some(profile));
    }
    for generation in Generation::ALL {
        assert_eq!(generation.name().parse::<Generation>().ok(), Some(generation));
    }
}

/// Counted by hand after the rules of Adobe's function: swizzle lanes, matrix rows, index registers.
#[test]
fn usage_counts_lanes_and_rows() {
    let program = v(
        1,
        &[
            op(
                Opcode::M33,
                masked(Temporary, 1, 7),
                Source::direct(Attribute, 0, Swizzle::new(0, 1, 1, 1)),
                reg(Constant, 4),
            ),
            op(Opcode::Slt, masked(Temporary, 1, 8), scalar(Temporary, 1, 2), scalar(Constant, 9, 3)),
            mov(masked(Varying, 2, 3), reg(Temporary, 1)),
        ],
    );
    let usage = describe(&program);
    let mask = |file: &[WriteMask]| file.iter().map(|m| m.bits()).collect::<Vec<u8>>();
    assert_eq!(mask(&usage.attributes), [3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(mask(&usage.temporaries), [0, 15, 0, 0, 0, 0, 0, 0]);
    assert_eq!(mask(&usage.varyings), [0, 0, 3, 0, 0, 0, 0, 0]);
    assert_eq!(mask(&usage.constants)[..10], [0, 0, 0, 0, 15, 15, 15, 0, 0, 8]);
    assert_eq!(usage.constant_batches(), [(4, 3), (9, 1)]);
    assert!(usage.predicated && !usage.sin_cos && !usage.indirect);

    let skinned = describe(&v(
        1,
        &[op(Opcode::M34, masked(Temporary, 0, 7), reg(Attribute, 0), indexed(Attribute, 2))],
    ));
    assert_eq!(mask(&skinned.attributes), [15, 0, 1, 1, 1, 0, 0, 0]);
    assert_eq!(skinned.constant_batches(), [(0, 128)]);
}

#[test]
fn there_are_at_most_eight_batches() {
    let every_other: Vec<Token> = (0..20).map(|n| mov(to(Temporary, 0), reg(Constant, 2 * n))).collect();
    let batches = describe(&v(1, &every_other)).constant_batches();
    assert_eq!(batches.len(), 8);
    assert_eq!((batches[6], batches[7]), ((12, 1), (14, 25)));
}

/// Anything at all is judged without a panic, and an error is first exactly if there is one.
#[test]
fn no_input_is_too_odd() {
    let seeds: Vec<Vec<u8>> = cases()
        .into_iter()
        .filter_map(|Case(_, _, input, _)| match input {
            Input::One(program) if program.tokens.len() < 20 => Some(encode(&program)),
            _ => None,
        })
        .collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    };
    for _ in 0..20_000 {
        let mut bytes = seeds[random(seeds.len())].clone();
        for _ in 0..=random(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] ^= 1 << random(8),
                1 => bytes[at] = random(256) as u8,
                _ => bytes.truncate(at),
            }
        }
        for generation in Generation::ALL {
            let found = validate_bytes(&bytes, &Options { generation, ..Options::default() });
            let errors = found.iter().filter(|d| d.severity == Severity::Error).count();
            let first = found.iter().filter(|d| d.first).count();
            assert_eq!(first, usize::from(errors > 0), "{}", hex(&bytes));
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
