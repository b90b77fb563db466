//! Expressions over a step, with what they give there.

use vecasm_debug::debug::condition::{Environment, Evaluation, Expression};
use vecasm_debug::debug::names::Names;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::symbols::{Shape, Symbol};
use vecasm_ir::ir::{Home, Output, OutputId, OutputKind, ParamArray, ParamId, Scalar, Shader, Stage, steps};
use vecasm_ir::operand::WriteMask;

const R0: Cell = Cell::Register(Home { file: 0, index: 0 });
const C5: Cell = Cell::Param(ParamId(0), 5);

fn names() -> Names {
    let mut shader = Shader::new(Stage::Fragment, "test", &["r"]);
    shader.params.push(ParamArray::new("c", 8));
    let shape = Shape::Matrix { rows: 2, columns: 4, by_columns: false };
    let array = String::from("c");
    let world = Symbol { name: "$World".into(), array, first: 4, count: 2, single: false, shape };
    shader.symbols.constants.push(world);
    shader.outputs.push(Output::new("oC0", OutputKind::Color { target: 0 }));
    let access = steps::Access { cell: R0, mask: WriteMask::ALL };
    shader.steps.push(steps::Step { source: 0, part: 0, reads: Vec::new(), writes: vec![access] });
    Names::of(&shader)
}

/// Line 12, step 4, invocation 2; it writes r0 = (NaN, 1, -2, unknown) and reads c5 = (1, 2, 3, 4).
struct FixedLook;

impl Environment for FixedLook {
    fn source(&self) -> Option<u32> {
        Some(4)
    }
    fn line(&self) -> Option<u32> {
        Some(12)
    }
    fn invocation(&self) -> usize {
        2
    }
    fn value(&self, cell: Cell, lane: usize) -> Option<(u32, Scalar)> {
        let float = |x: f32| Some((x.to_bits(), Scalar::F32));
        match (cell, lane) {
            (R0, 0) => float(f32::NAN),
            (R0, 1) => float(1.0),
            (R0, 2) => float(-2.0),
            (C5, lane) => float(lane as f32 + 1.0),
            (Cell::Output(OutputId(0)), 0) => Some((-7i32 as u32, Scalar::I32)),
            _ => None,
        }
    }
    fn accesses(&self, each: &mut dyn FnMut(bool, Cell, WriteMask, Scalar, [u32; 4])) {
        each(false, C5, WriteMask::X, Scalar::F32, [0x3f80_0000, 0, 0, 0]);
        let bits = [0x7fc0_0000, 0x3f80_0000, 0xc000_0000, 0];
        each(true, R0, WriteMask::XYZ, Scalar::F32, bits);
    }
}

#[test]
fn conditions_hold_or_not() {
    let names = names();
    for (text, wanted) in [
        ("r0.x != r0.x", true),
        ("r0.y != r0.y", false),
        ("r0.x == nan", true),
        ("r0.y == nan", false),
        ("nan == r0.x", true),
        ("r0.x == 0x7fc00000", true),
        ("r0.y == 0x3F800000", true),
        ("r0.yz == c5.x", false),
        ("r0.yz <= c5.x", true),
        ("r0.y == 1", true),
        ("c5.xyz == c5.yzw", false),
        ("c5.xyz < c5.yzw", true),
        ("c5 != c5.xyzz", true),
        ("c[5].w == 4", true),
        ("C5.a == 4", true),
        ("$World[1].w == 4", true),
        ("oc0.x == -7", true),
        ("r0.w == 0", false),
        ("r0.w != 0", false),
        ("not r0.w == 0", true),
        ("line 12", true),
        ("line 3..12 and not line 13", true),
        ("line 13", false),
        ("step 4", true),
        ("step 0..3", false),
        ("invocation 2", true),
        ("invocation 0 or invocation 1", false),
        ("nan", true),
        ("inf", false),
        ("denormal", false),
        ("nan and inf or line 12", true),
        ("nan and (inf or line 13)", false),
        ("!(nan && inf) || line 13", true),
        ("writes r0", true),
        ("writes r0.w", false),
        ("reads c5", true),
        ("reads c5.y", false),
        ("writes c5", false),
        ("c5.x < inf", true),
        ("c5.x > -inf", true),
        ("r0.z * r0.z == c5.w", true),
        ("abs(r0.z) == 2", true),
        ("dot(c5.xyz, c5.xyz) == 14", true),
        ("max(r0.y, r0.z) - min(r0.y, r0.z) == 3", true),
        ("(c5.x + 1) / 2 == 1", true),
        ("1e1 == 10 and 1.5e-1 < .2", true),
    ] {
        let condition = Expression::condition(text, &names).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(condition.holds(&FixedLook), wanted, "{text}");
    }
}

#[test]
fn expressions_give_lanes() {
    let names = names();
    let value = |text: &str| Expression::parse(text, &names).expect("it is sound").evaluate(&FixedLook);
    let floats =
        |list: &[f32]| Evaluation::Lanes(list.iter().map(|x| Some(x.to_bits())).collect(), Scalar::F32);
    assert_eq!(value("c5.zyx"), floats(&[3.0, 2.0, 1.0]));
    assert_eq!(value("-c5 * 2"), floats(&[-2.0, -4.0, -6.0, -8.0]));
    assert_eq!(value("r0.wy"), Evaluation::Lanes(vec![None, Some(0x3f80_0000)], Scalar::F32));
    assert_eq!(value("oC0.x"), Evaluation::Lanes(vec![Some(-7i32 as u32)], Scalar::I32));
    // 0.1 in f32 plus 0.2 in f32 is 0.3 in f32, one unit above the nearest to 0.3: 0x3e99999a.
    assert_eq!(value("0.1 + 0.2"), Evaluation::Lanes(vec![Some((0.1f32 + 0.2f32).to_bits())], Scalar::F32));
    assert_eq!(value("line 12"), Evaluation::Truth(true));
}

#[test]
fn errors_have_a_place() {
    let names = names();
    for (text, column, message) in [
        ("", 1, "expected a condition, a register or a number, found the end"),
        ("r0.x", 1, "this is not a condition"),
        ("r0.x ==", 8, "expected a condition, a register or a number, found the end"),
        ("line x", 6, "expected a whole number, found `x`"),
        ("q7 == 1", 1, "no `q7` here"),
        ("r0.xq == 1", 3, "`.xq` are not lanes"),
        ("r0.xy == c5.xyz", 1, "2 lanes cannot be combined with 3 lanes"),
        ("(nan", 5, "expected `)`, found the end"),
        ("nan nan", 5, "expected the end, found `nan`"),
        ("nan and 1", 5, "both sides must be conditions"),
        ("not 1", 1, "`not` takes a condition"),
        ("dot(r0) == 1", 1, "dot takes 2 arguments, not 1"),
        ("c8.x == 1", 1, "no `c8` here"),
        ("0x123456789 == 1", 1, "expected one to eight hexadecimal digits"),
        ("1.2.3 == 1", 1, "this is not a number"),
    ] {
        let error = Expression::condition(text, &names).expect_err(text);
        assert_eq!(error.span.start + 1, column, "{text}: {error}");
        assert!(error.message.starts_with(message), "{text}: {error}");
    }
    for (open, count) in [("(", 100), ("not ", 100), ("-", 100), ("(", 5000)] {
        let text = open.repeat(count) + "nan";
        let error = Expression::condition(&text, &names).expect_err("it is too deep");
        assert!(error.message.contains("nested") || error.message.contains("longer"), "{error}");
    }
}
