//! The loops against the interpreter, bit by bit, and what becomes of code before it runs.

use vecasm_exec::code::{Code, Node};
use vecasm_exec::interp::Interp;
use vecasm_exec::lanes::{Lanes, Portable};
use vecasm_exec::{Batch, Engine};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::op::Slot;
use vecasm_ir::ir::random::{Kind, Rng, Size, program};
use vecasm_ir::ir::text::{parse_any, print};
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{
    Arg, Arith, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, Pure, Scalar, Shader, Stage,
    Type,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Bits where operations change their ways, as f32, as integers, and halves of 64-bit numbers.
const SPECIAL: [u32; 36] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x4000_0000,
    0xc000_0000,
    0x4040_0000,
    0x4300_0000,
    0xc300_0000,
    0x4316_0000,
    0xc316_0000,
    0x4b00_0000,
    0x4a80_0000,
    0x4a7f_ffff,
    0x7149_f2ca,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    31,
    32,
    0xffff_ffff,
];

/// The bits of one random word.
fn word(rng: &mut Rng) -> u32 {
    match rng.below(3) {
        0 => SPECIAL[rng.below(SPECIAL.len())],
        1 => rng.float(),
        _ => rng.bits(),
    }
}

/// A shader that does one operation with its inputs, as many lanes of which as `lanes` says, and stores what comes out as bits.
fn one(op: Pure, scalar: Scalar, arith: Arith, lanes: u8) -> Option<Shader> {
    let mut b = Builder::new(Stage::Vertex, "one", &["r"], 8);
    let mut args = Vec::new();
    for slot in op.slots() {
        let of = match *slot {
            Slot::T => scalar,
            Slot::Is(scalar) => scalar,
        };
        let mut halves = Vec::new();
        // What is no 32-bit number is made of bits.
        for _ in 0..if of.is_wide() { 2 } else { 1 } {
            let id = InputId(b.shader.inputs.len() as u32);
            let kind = InputKind::Attribute { location: id.0 };
            let ty = Type::new(if of == Scalar::F32 { of } else { Scalar::U32 }, lanes);
            b.shader.inputs.push(Input::new(format!("i{}", id.0), kind, ty));
            halves.push(b.op(Op::Input(id), &[]));
        }
        let bits = halves[0];
        args.push(match of {
            Scalar::F32 | Scalar::U32 => bits,
            Scalar::I32 => b.pure(Pure::AsI32, &[bits]),
            Scalar::Bool => {
                let one = Arg { swizzle: Swizzle::splat(0), lanes, ..b.uint(1) };
                let odd = b.pure(Pure::And, &[bits, one]);
                b.pure(Pure::Eq, &[odd, one])
            }
            of => {
                let bits = b.pure(Pure::Pack64, &halves);
                match of {
                    Scalar::F64 => b.pure(Pure::AsF64, &[bits]),
                    Scalar::I64 => b.pure(Pure::AsI64, &[bits]),
                    _ => bits,
                }
            }
        });
    }
    b.arith = arith;
    let result = b.pure(op, &args);
    b.arith = Arith::IEEE;
    let bits = match b.shader.value(result.value).ty.scalar {
        Scalar::F32 => vec![result],
        Scalar::Bool => vec![b.pure(Pure::ToU32, &[result])],
        Scalar::U32 => vec![result],
        Scalar::I32 => vec![b.pure(Pure::AsU32, &[result])],
        wide => {
            let words = if wide == Scalar::U64 { result } else { b.pure(Pure::AsU64, &[result]) };
            vec![b.pure(Pure::Low64, &[words]), b.pure(Pure::High64, &[words])]
        }
    };
    for part in bits {
        let scalar = b.shader.value(part.value).ty.scalar;
        let id = OutputId(b.shader.outputs.len() as u32);
        let mut output = Output::new(format!("o{}", id.0), OutputKind::Varying { location: id.0 });
        output.scalar = scalar;
        b.shader.outputs.push(output);
        let mask = WriteMask::first(part.lanes);
        b.effect(Op::StoreOutput { output: id, mask }, &[part]);
    }
    let shader = b.finish();
    verify(&shader).is_empty().then_some(shader)
}

#[test]
fn every_operation_gives_the_bits_of_the_interpreter() {
    let mut rng = Rng::new(77);
    let flushed = |arith: Arith| Arith { flush: true, ..arith };
    let all = [Arith::IEEE, Arith::ZERO_WINS, Arith::NV20, flushed(Arith::IEEE), flushed(Arith::ZERO_WINS)];
    let (mut tried, mut rules) = (0, 0);
    for &op in Pure::ALL {
        for scalar in Scalar::ALL.iter().copied() {
            for arith in all.into_iter().take(if scalar == Scalar::F32 { all.len() } else { 1 }) {
                for lanes in 1..=4 {
                    let Some(shader) = one(op, scalar, arith, lanes) else { continue };
                    tried += 1;
                    rules += u32::from(arith != Arith::IEEE);
                    let count = 300;
                    let mut list = || (0..count).map(|_| core::array::from_fn(|_| word(&mut rng))).collect();
                    let inputs = shader.inputs.iter().map(|_| list()).collect();
                    let batch = Batch { count, inputs, ..Batch::default() };
                    let wanted = Interp.run(&shader, &batch).unwrap();
                    let got = Lanes::<Portable>::default().run(&shader, &batch).unwrap();
                    for (wanted, got) in wanted.cells.iter().zip(&got.cells) {
                        for (n, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                            let given: Vec<_> = batch.inputs.iter().map(|list| list[n]).collect();
                            assert_eq!(got, wanted, "{op:?} {scalar:?} {arith:?} of {given:08x?}");
                        }
                    }
                }
            }
        }
    }
    assert!(tried > Pure::ALL.len() * 4 && rules > 300, "{tried} shaders, {rules} by other rules");
}

#[test]
fn random_shaders_give_the_bits_of_the_interpreter() {
    let mut rng = Rng::new(31);
    let mut stages = [0; 6];
    for seed in 0..500 {
        let kind = if seed % 4 == 0 { Kind::ALL } else { Kind::BASIC };
        let shader = program(&mut rng, Size { nodes: 60, depth: 4 }, kind);
        stages[shader.stage as usize] += 1;
        let of_group = shader.setup.workgroup.iter().product::<u32>().max(shader.setup.invocations) as usize;
        let count = of_group * [1, 7, 64, 65, 130][rng.below(5)];
        let mut list =
            |n: usize| -> Vec<[u32; 4]> { (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect() };
        let inputs = match shader.stage {
            Stage::Compute => Vec::new(),
            _ => shader.inputs.iter().map(|_| list(count * 3)).collect(),
        };
        let params = shader.params.iter().map(|p| list(p.size as usize)).collect();
        let buffers = vec![vec![7; 64]; shader.buffers.len()];
        let batch = Batch { count, inputs, params, buffers, fuel: Some(20), ..Batch::default() };
        let wanted = Interp.run(&shader, &batch);
        let got = Lanes::<Portable>::default().run(&shader, &batch);
        assert_eq!(got, wanted, "{seed}: {count} invocations of\n{}", print(&shader));
    }
    assert!(stages.iter().all(|count| *count > 5), "{stages:?}");
}

/// A row is as long as it is needed, and not longer.
#[test]
fn rows_are_as_many_as_are_alive() {
    let mut b = Builder::new(Stage::Vertex, "chain", &["r"], 300);
    let ty = Type::new(Scalar::F32, 4);
    b.shader.inputs.push(Input::new("v", InputKind::Attribute { location: 0 }, ty));
    b.shader.outputs.push(Output::new("o", OutputKind::Position));
    let mut value = b.op(Op::Input(InputId(0)), &[]);
    for _ in 0..100 {
        value = b.pure(Pure::Mul, &[value, value]);
    }
    let two = Arg { lanes: 2, ..value };
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::from_bits(5) }, &[two]);
    let shader = b.finish();
    // Zero and the four lanes of the input; each product takes the places of two lanes that nobody reads any more.
    assert_eq!(Code::new(&shader).rows, 1 + 404);
    assert_eq!(Code::new(&shader).pruned().rows, 1 + 4 + 200);
    assert_eq!(Code::new(&shader).pruned().allotted().rows, 1 + 4);
}

/// Parameters are written where they are read, but where a round begins early or each waits for another one.
#[test]
fn loops_carry_at_once() {
    let text = "vertex test
  input 0 n attribute 0 : i32
  output 0 o varying 0 : i32

  %0 = input n : i32
  %1 = const 1 : i32
  %2: i32 = loop L0 %3: i32 = %0 %4: i32 = %1 %5: i32 = %1 {
    EARLY%6 = eq %3 %1 : bool
    if %6 {
      leave L0 %4
    } else {
    }
    %7 = add %3 %1 : i32
    %8 = add %4 %5 : i32
    yield %7 ORDER
  }
  store o.x %2
";
    // In the third one the last parameter is for nobody, and the second stays as it is.
    for (order, at_once) in [("%8 %7", 3), ("%5 %8", 3), ("%4 %8", 1), ("%5 %4", 0)] {
        let early = "%9 = ne %3 %1 : bool
    if %9 {
      again L0 %3 %4 %5
    } else {
    }
    ";
        for (early, at_once) in [("", at_once), (early, 0)] {
            let text = text.replace("ORDER", order).replace("EARLY", early);
            let shader = parse_any(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let code = Code::new(&shader).pruned().carried();
            let Some(loops) = code.body.nodes.iter().find_map(|node| match node {
                Node::Loop(node) => Some(node),
                _ => None,
            }) else {
                panic!("a loop");
            };
            let moves = if loops.next.is_empty() { loops.body.yields.len() } else { 0 };
            assert_eq!(moves, at_once, "{text}\n{loops:?}");
        }
    }
}
