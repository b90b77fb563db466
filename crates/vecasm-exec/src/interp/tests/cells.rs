//! Cells: outputs, parameters, local arrays, states, inputs by computed index.

use super::*;
use vecasm_ir::ir::{At, LocalArray, LocalId, ParamArray, ParamId, State, StateId};

fn run_of(count: u32, offset: i32, rule: OutOfRange) -> At {
    At { count, offset, rule }
}

/// A batch of i32 numbers in lane x of the first input.
fn numbers(list: &[i32]) -> Batch<'static> {
    let inputs = vec![list.iter().map(|&n| [n as u32, 0, 0, 0]).collect()];
    Batch { count: list.len(), inputs, ..Batch::default() }
}

fn signed(cell: &[[u32; 4]]) -> Vec<[i32; 4]> {
    cell.iter().map(|c| c.map(|bits| bits as i32)).collect()
}

#[test]
fn output_cells_by_computed_index() {
    // Cells 1 and 2 are a run; the number minus 1 goes to number + 1 of it. Then the run is read at the number.
    let program = |rule: OutOfRange| {
        build(Stage::Vertex, |b| {
            let n = b.given(InputKind::Attribute { location: 0 }, Type::I32);
            let out = b.output(Scalar::I32);
            let first = b.output(Scalar::I32);
            b.output(Scalar::I32);
            let one = b.int(1);
            let less = b.pure(Pure::Sub, &[n, one]);
            let mask = WriteMask::from_bits(2);
            b.effect(Op::StoreOutputAt { first, at: run_of(2, 1, rule), mask }, &[n, less]);
            let read = b.op(Op::LoadOutputAt { first, at: run_of(2, 0, rule) }, &[n]);
            b.effect(Op::StoreOutput { output: out, mask: WriteMask::ALL }, &[read]);
        })
    };
    let given = [-2, -1, 0, 1, i32::MAX];
    let outputs = go(&program(OutOfRange::Zero), &numbers(&given));
    // The number -1 goes to cell 0 of the run, and 0 to cell 1; the numbers 0 and 1 read inside, and find nothing.
    assert_eq!(signed(&outputs.cells[0]), [[0; 4]; 5]);
    assert_eq!(signed(&outputs.cells[1]), [[0; 4], [0, -2, 0, 0], [0; 4], [0; 4], [0; 4]]);
    assert_eq!(signed(&outputs.cells[2]), [[0; 4], [0; 4], [0, -1, 0, 0], [0; 4], [0; 4]]);
    let outputs = go(&program(OutOfRange::Clamp), &numbers(&given));
    assert_eq!(signed(&outputs.cells[1])[..2], [[0, -3, 0, 0], [0, -2, 0, 0]]);
    assert_eq!(signed(&outputs.cells[2])[2..], [[0, -1, 0, 0], [0, 0, 0, 0], [0, i32::MAX - 1, 0, 0]]);
    // Read: -2 and -1 from the first cell, MAX from the second.
    let y: Vec<i32> = signed(&outputs.cells[0]).iter().map(|c| c[1]).collect();
    assert_eq!(y, [-3, -2, 0, 0, i32::MAX - 1]);
}

#[test]
fn inputs_by_computed_index() {
    let program = |rule: OutOfRange| {
        build(Stage::Vertex, |b| {
            let n = b.given(InputKind::Attribute { location: 0 }, Type::I32);
            for location in 1..3 {
                let kind = InputKind::Attribute { location };
                b.shader.inputs.push(Input::new(
                    alloc::format!("a{location}"),
                    kind,
                    Type::new(Scalar::F32, 2),
                ));
            }
            let read = b.op(Op::InputAt { first: InputId(1), at: run_of(2, -1, rule) }, &[n]);
            b.out(Scalar::F32, &[read]);
        })
    };
    let mut batch = numbers(&[0, 1, 2, 3]);
    batch.inputs.push(vec![floats([10.0, 11.0, 12.0, 13.0]); 4]);
    batch.inputs.push(vec![floats([20.0, 21.0, 22.0, 23.0]); 4]);
    let read = |rule| -> Vec<[f32; 4]> {
        go(&program(rule), &batch).cells[0].iter().map(|c| c.map(f32::from_bits)).collect()
    };
    let (none, first, second) = ([0.0; 4], [10.0, 11.0, 0.0, 0.0], [20.0, 21.0, 0.0, 0.0]);
    assert_eq!(read(OutOfRange::Zero), [none, first, second, none]);
    assert_eq!(read(OutOfRange::Clamp), [first, first, second, second]);
}

#[test]
fn local_arrays_belong_to_each_invocation() {
    // Element n gets (n, n), element 1 the lane y of it; then elements 0, 1, 2 and n - 1 are seen.
    let shader = build(Stage::Vertex, |b| {
        let n = b.given(InputKind::Attribute { location: 0 }, Type::I32);
        b.shader.locals.push(LocalArray { name: "t".into(), scalar: Scalar::I32, size: 3 });
        let array = LocalId(0);
        let (rule, offset) = (OutOfRange::Zero, 0);
        let both = b.op(Op::Compose, &[n, n]);
        let mask = WriteMask::from_bits(3);
        b.effect(Op::StoreLocalAt { array, offset, mask, rule }, &[n, both]);
        let at = b.op(Op::LoadLocalAt { array, offset, rule: OutOfRange::Clamp }, &[n]);
        b.effect(Op::StoreLocal { array, index: 1, mask: WriteMask::from_bits(8) }, &[lane(at, 1)]);
        let all: Vec<Arg> = (0..3).map(|index| b.op(Op::LoadLocal { array, index }, &[])).collect();
        b.out(Scalar::I32, &[lane(all[0], 0), lane(all[1], 0), lane(all[2], 0), lane(all[1], 3)]);
        let next = b.op(Op::LoadLocalAt { array, offset: -1, rule }, &[n]);
        b.out(Scalar::I32, &[next]);
    });
    let outputs = go(&shader, &numbers(&[0, 1, 2, 3, -1]));
    assert_eq!(signed(&outputs.cells[0]), [[0; 4], [0, 1, 0, 1], [0, 0, 2, 2], [0; 4], [0; 4]]);
    assert_eq!(signed(&outputs.cells[1]), [[0; 4], [0; 4], [0, 0, 0, 2], [0; 4], [0; 4]]);
}

#[test]
fn serial_shaders_hand_on_parameters_and_carried_cells() {
    // Invocation k adds its number to c[0].y and writes it to c[number]; the carried cell counts, the other does not.
    let shader = build(Stage::Vertex, |b| {
        b.shader.serial = true;
        let n = b.given(InputKind::Attribute { location: 0 }, Type::I32);
        let scalar = Scalar::I32;
        b.shader.params.push(ParamArray { scalar, indexed: true, used: 1, ..ParamArray::new("c", 4) });
        let array = ParamId(0);
        let (count, other) = (b.output(scalar), b.output(scalar));
        b.shader.outputs[0].carried = true;
        b.shader.outputs[1].init = [5; 4];
        let old = b.op(Op::Param { array, index: 0 }, &[]);
        let sum = b.pure(Pure::Add, &[lane(old, 1), n]);
        b.effect(Op::StoreParam { array, index: 0, mask: WriteMask::from_bits(2) }, &[sum]);
        b.effect(Op::StoreParamAt { array, offset: 1, mask: WriteMask::X }, &[n, n]);
        let one = b.int(1);
        for output in [count, other] {
            let old = b.op(Op::LoadOutput(output), &[]);
            let next = b.pure(Pure::Add, &[lane(old, 0), one]);
            b.effect(Op::StoreOutput { output, mask: WriteMask::X }, &[next]);
        }
        b.out(scalar, &[sum]);
    });
    let mut batch = numbers(&[2, 0, 3, 70]);
    batch.params = vec![vec![[9, 100, 9, 9]]];
    batch.carried = vec![[40, 1, 2, 3], [77; 4]];
    let outputs = go(&shader, &batch);
    let x = |cell: usize| -> Vec<u32> { outputs.cells[cell].iter().map(|c| c[0]).collect() };
    assert_eq!(x(0), [41, 42, 43, 44]);
    assert_eq!(x(1), [6, 6, 6, 6]);
    assert_eq!(x(2), [102, 102, 105, 175]);
    // Numbers 2 and 0 go to c[3] and c[1]; those of 3 and 70 are outside.
    assert_eq!(outputs.params, [vec![[9, 175, 9, 9], [0; 4], [0; 4], [2, 0, 0, 0]]]);
    assert_eq!(outputs.carried[0], [44, 1, 2, 3]);
    // Nobody is no change.
    let nobody = Batch { count: 0, ..batch };
    let outputs = go(&shader, &nobody);
    assert_eq!((outputs.carried[0], outputs.params[0][0]), ([40, 1, 2, 3], [9, 100, 9, 9]));
    // Other shaders give neither.
    let plain = build(Stage::Vertex, |b| b.shader.params.push(ParamArray::new("c", 4)));
    let outputs = go(&plain, &Batch { count: 1, params: vec![vec![[1; 4]]], ..Batch::default() });
    assert_eq!((outputs.params.len(), outputs.carried.len()), (0, 0));
}

#[test]
fn states_are_set_or_have_a_default() {
    let shader = build(Stage::Vertex, |b| {
        let ty = Type::new(Scalar::F32, 2);
        for name in ["a", "b"] {
            b.shader.states.push(State { name: name.into(), ty, default: [1, 2, 0, 0] });
        }
        let (a, c) = (b.op(Op::State(StateId(0)), &[]), b.op(Op::State(StateId(1)), &[]));
        b.out(Scalar::F32, &[a, c]);
    });
    let states = vec![Some([7, 8, 0, 0]), None];
    let outputs = go(&shader, &Batch { count: 2, states, ..Batch::default() });
    assert_eq!(outputs.cells[0], [[7, 8, 1, 2]; 2]);
}
