//! Types, arithmetics, and the regions that AGAL has no use for.

use super::*;
use alloc::boxed::Box;
use vecasm_ir::ir::{Arith, Composite, Idiom, If, Switch};

#[test]
fn values_of_64_bits_live_between_operations() {
    // The input's lanes x and y are the halves of a number; its square plus 1, modulo 2^64, goes out in halves.
    let shader = build(Stage::Vertex, |b| {
        let input = b.given(InputKind::Attribute { location: 0 }, Type::new(Scalar::U32, 4));
        let wide = b.pure(Pure::Pack64, &[lane(input, 0), lane(input, 1)]);
        let one = b.constant(Scalar::U64, &[1]);
        let square = b.pure(Pure::Mul, &[wide, wide]);
        let sum = b.pure(Pure::Add, &[square, one]);
        let (low, high) = (b.pure(Pure::Low64, &[sum]), b.pure(Pure::High64, &[sum]));
        let less = b.pure(Pure::Lt, &[wide, sum]);
        let less = b.pure(Pure::ToU32, &[less]);
        b.out(Scalar::U32, &[low, high, less]);
    });
    let numbers = [0u64, 1, 0xffff_ffff, 0x1_0000_0001, u64::MAX, 0x1234_5678_9abc_def0];
    let inputs = vec![numbers.iter().map(|&n| [n as u32, (n >> 32) as u32, 0, 0]).collect()];
    let outputs = go(&shader, &Batch { count: numbers.len(), inputs, ..Batch::default() });
    for (cell, n) in outputs.cells[0].iter().zip(numbers) {
        let sum = n.wrapping_mul(n).wrapping_add(1);
        assert_eq!(*cell, [sum as u32, (sum >> 32) as u32, u32::from(n < sum), 0]);
    }
}

#[test]
fn doubles_of_several_lanes() {
    // (x, y) as f64, dotted with (3, 4) and halved: exact, as the numbers are small.
    let shader = build(Stage::Vertex, |b| {
        let input = b.given(InputKind::Attribute { location: 0 }, Type::new(Scalar::F32, 2));
        let wide = b.pure(Pure::ToF64, &[input]);
        let by = b.constant(Scalar::F64, &[3.0f64.to_bits(), 4.0f64.to_bits()]);
        let dot = b.pure(Pure::Dot, &[wide, by]);
        let half = b.constant(Scalar::F64, &[0.5f64.to_bits()]);
        let half = b.pure(Pure::Mul, &[dot, half]);
        let out = b.pure(Pure::ToF32, &[half]);
        b.out(Scalar::F32, &[out]);
    });
    let inputs = vec![vec![floats([1.0, 2.0, 0.0, 0.0]), floats([-3.0, 0.5, 0.0, 0.0])]];
    let outputs = go(&shader, &Batch { count: 2, inputs, ..Batch::default() });
    assert_eq!(outputs.cells[0].iter().map(|c| f32::from_bits(c[0])).collect::<Vec<_>>(), [5.5, -3.5]);
}

#[test]
fn each_instruction_has_its_arithmetic() {
    // 0 · Inf: NaN, but 0 where a zero wins. Half the least normal number: a denormal, but 0 where it is flushed.
    // 1 · x under nv20 keeps a NaN's bits out: all-ones is no number of the other rules.
    let shader = build(Stage::Vertex, |b| {
        let input = b.given(InputKind::Attribute { location: 0 }, Type::F32X4);
        let parts: Vec<Arg> = [
            (Arith::IEEE, 0, 1),
            (Arith::ZERO_WINS, 0, 1),
            (Arith::IEEE, 2, 3),
            (Arith { flush: true, ..Arith::IEEE }, 2, 3),
        ]
        .into_iter()
        .map(|(arith, x, y)| {
            b.arith = arith;
            b.pure(Pure::Mul, &[lane(input, x), lane(input, y)])
        })
        .collect();
        b.arith = Arith::NV20;
        let nv20 = b.pure(Pure::Dot, &[input, input]);
        b.arith = Arith::IEEE;
        b.out(Scalar::F32, &parts);
        b.out(Scalar::F32, &[nv20]);
    });
    let input = floats([0.0, f32::INFINITY, f32::MIN_POSITIVE, 0.5]);
    let outputs = go(&shader, &Batch { count: 1, inputs: vec![vec![input]], ..Batch::default() });
    assert_eq!(outputs.cells[0][0], [0x7fc0_0000, 0, 0x0040_0000, 0]);
    let products = input.map(|x| vecasm_ir::math::nv20::mul(x, x));
    assert_eq!(outputs.cells[1][0][0], vecasm_ir::math::nv20::sum(&products));
}

/// In each case a number from inside it; the selector is lane x, and what comes out is seen from the neighbour.
fn switching(by_neighbour: bool) -> Shader {
    build(Stage::Fragment, |b| {
        let input = b.given(InputKind::Varying { location: 0 }, Type::new(Scalar::U32, 1));
        let label = b.label();
        let result = b.value(Type::F32, None);
        let mut region = |value: f32, leaves: bool| {
            b.open();
            let value = b.splat(value, 1);
            if leaves {
                let values = b.list(&[value]);
                b.node(Node::Leave { label, values });
                b.close(&[])
            } else {
                b.close(&[value])
            }
        };
        // The case of 7 leaves the block around the switch.
        let cases = vec![(vec![1, 5], region(10.0, false)), (vec![7], region(20.0, true))];
        let default = region(30.0, false);
        let chosen = b.value(Type::F32, None);
        b.open();
        b.node(Node::Switch(Box::new(Switch { selector: input, cases, default, results: vec![chosen] })));
        let one = b.splat(1.0, 1);
        let sum = b.pure(Pure::Add, &[Arg::all_lanes(chosen, 1), one]);
        let body = b.close(&[sum]);
        b.node(Node::Block(Box::new(vecasm_ir::ir::Block { label, body, results: vec![result] })));
        let mut seen = Arg::all_lanes(result, 1);
        if by_neighbour {
            seen = b.op(Op::Ddx(Slope::Fine), &[seen]);
        }
        b.out(Scalar::F32, &[seen]);
    })
}

#[test]
fn a_switch_runs_the_case_of_each_invocation() {
    let batch = |numbers: &[u32]| Batch {
        count: numbers.len(),
        inputs: vec![numbers.iter().map(|&n| [n, 0, 0, 0]).collect()],
        ..Batch::default()
    };
    let x = |outputs: Outputs| -> Vec<f32> {
        outputs.cells[0].iter().map(|cell| f32::from_bits(cell[0])).collect()
    };
    let outputs = go(&switching(false), &batch(&[5, 7, 0, 1, u32::MAX, 7]));
    assert_eq!(x(outputs), [11.0, 20.0, 31.0, 11.0, 31.0, 20.0]);
    let outputs = go(&switching(true), &batch(&[5, 7, 0, 1]));
    assert_eq!(x(outputs), [9.0, 9.0, -20.0, -20.0]);
}

#[test]
fn an_idiom_is_what_its_body_does() {
    let shader = build(Stage::Vertex, |b| {
        let input = b.given(InputKind::Attribute { location: 0 }, Type::F32X4);
        let operands = b.list(&[input]);
        b.open();
        let dot = b.pure(Pure::Dot, &[input, input]);
        let length = b.pure(Pure::Sqrt, &[dot]);
        let body = b.close(&[length]);
        let result = b.value(Type::F32, None);
        let what = Composite::Length;
        b.node(Node::Idiom(Box::new(Idiom { what, operands, body, results: vec![result] })));
        b.out(Scalar::F32, &[Arg::all_lanes(result, 1)]);
    });
    let inputs = vec![vec![floats([3.0, 0.0, 4.0, 0.0])]];
    let outputs = go(&shader, &Batch { count: 1, inputs, ..Batch::default() });
    assert_eq!(f32::from_bits(outputs.cells[0][0][0]), 5.0);
}

#[test]
fn groups_that_go_together_do_not_feel_each_other() {
    // Quads 0 and 2 enter the arm, and only inside the one where the number is below 2 the inner one. Its yield is zero
    // in a quad of which nobody came to its end.
    let shader = build(Stage::Fragment, |b| {
        let input = b.given(InputKind::Varying { location: 0 }, Type::F32);
        let (two, five) = (b.splat(2.0, 1), b.splat(5.0, 1));
        let low = b.pure(Pure::Lt, &[input, two]);
        let high = b.pure(Pure::Not, &[low]);
        let branch = |b: &mut Making, cond: Arg, value: Arg| {
            b.open();
            let then = b.close(&[value]);
            b.open();
            let otherwise = b.close(&[two]);
            let result = b.value(Type::F32, None);
            b.node(Node::If(Box::new(If { cond, then, otherwise, results: vec![result] })));
            Arg::all_lanes(result, 1)
        };
        b.open();
        let inner = branch(b, high, five);
        let slope = b.op(Op::Ddx(Slope::Fine), &[inner]);
        let then = b.close(&[slope]);
        b.open();
        let otherwise = b.close(&[five]);
        let result = b.value(Type::F32, None);
        b.node(Node::If(Box::new(If { cond: low, then, otherwise, results: vec![result] })));
        b.out(Scalar::F32, &[Arg::all_lanes(result, 1)]);
    });
    // In quad 0 the left column is low: the right one's 5 is not there. In quad 1 nobody is.
    let numbers = [1.0, 3.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 0.0, 0.0, 1.0, 1.0, 4.0, 4.0, 4.0, 0.0f32];
    let inputs = vec![numbers.iter().map(|x| [x.to_bits(), 0, 0, 0]).collect()];
    let outputs = go(&shader, &Batch { count: 16, inputs, ..Batch::default() });
    let x: Vec<f32> = outputs.cells[0].iter().map(|cell| f32::from_bits(cell[0])).collect();
    assert_eq!(x, [-2., 5., -2., 5., 5., 5., 5., 5., 0., 0., 0., 0., 5., 5., 5., 2.]);
}
