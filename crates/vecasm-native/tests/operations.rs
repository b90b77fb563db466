//! Every pure operation on 32 bits, under every arithmetic, on special and random values.

mod common;

use common::{compare, word};
use vecasm::exec::Batch;
use vecasm::ir::build::Builder;
use vecasm::ir::op::{Rule, Slot};
use vecasm::ir::random::Rng;
use vecasm::ir::{
    Arg, Arith, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, ParamArray, ParamId, Pure,
    Scalar, Stage, Type,
};
use vecasm::isa::operand::WriteMask;
use vecasm_native::Isa;

const COUNT: usize = 16 * 40 + 5;

/// Where an argument comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Input,
    Uniform,
    Constant(u32),
}

fn scalars(op: Pure) -> Vec<Scalar> {
    let all: Vec<Scalar> = match op.slots().contains(&Slot::T) {
        true => Scalar::ALL.into_iter().filter(|&s| op.type_class().has(s)).collect(),
        false => match op.slots()[0] {
            Slot::Is(scalar) => vec![scalar],
            Slot::T => Vec::new(),
        },
    };
    let narrow = |slot: Slot, t: Scalar| match slot {
        Slot::T => !t.is_wide(),
        Slot::Is(scalar) => !scalar.is_wide(),
    };
    all.into_iter()
        .filter(|&t| narrow(op.result(), t) && op.slots().iter().all(|&slot| narrow(slot, t)))
        .collect()
}

fn ariths(op: Pure, scalar: Scalar) -> Vec<Arith> {
    let mut list: Vec<Arith> = Vec::new();
    for &rule in Rule::ALL {
        for flush in [false, true] {
            if rule == Rule::Nv20 && scalar == Scalar::F32 && !op.has_nv20() {
                continue;
            }
            let arith = Arith { rule, flush, precise: false }.concerning(Op::Pure(op), scalar);
            if !list.contains(&arith) {
                list.push(arith);
            }
        }
    }
    list
}

/// An argument of a scalar type: words as they are, bools from their lowest bit.
fn argument(b: &mut Builder, at: u32, lanes: u8, scalar: Scalar, from: From) -> Arg {
    let bits = match from {
        From::Input => b.op(Op::Input(InputId(at)), &[]),
        From::Uniform => b.op(Op::Param { array: ParamId(0), index: at }, &[]),
        From::Constant(bits) => {
            let ty = Type::new(Scalar::U32, 4);
            Arg::all_lanes(b.push_entry(Op::Const([bits; 4]), ty), 4)
        }
    };
    let bits = Arg { lanes, ..bits };
    match scalar {
        Scalar::U32 => bits,
        Scalar::I32 => b.pure(Pure::AsI32, &[bits]),
        Scalar::F32 => b.pure(Pure::AsF32, &[bits]),
        _ => {
            let ones = Arg::all_lanes(b.push_entry(Op::Const([1; 4]), Type::new(Scalar::U32, 4)), 4);
            let ones = Arg { lanes, ..ones };
            let low = b.pure(Pure::And, &[bits, ones]);
            b.pure(Pure::Eq, &[low, ones])
        }
    }
}

fn stored(b: &mut Builder, output: u32, value: Arg) {
    let scalar = b.shader.value(value.value).ty.scalar;
    let bits = match scalar {
        Scalar::Bool => b.pure(Pure::ToU32, &[value]),
        Scalar::U32 => value,
        _ => b.pure(Pure::AsU32, &[value]),
    };
    let mask = WriteMask::first(bits.lanes);
    b.effect(Op::StoreOutput { output: OutputId(output), mask }, &[bits]);
}

fn run(
    op: Pure,
    scalar: Scalar,
    arith: Arith,
    lanes: u8,
    from: [From; 4],
    rng: &mut Rng,
) -> Result<(), String> {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 64);
    let arity = op.arity();
    for at in 0..arity {
        let kind = InputKind::Attribute { location: at as u32 };
        b.shader.inputs.push(Input::new(format!("v{at}"), kind, Type::new(Scalar::U32, 4)));
    }
    b.shader.params.push(ParamArray { scalar: Scalar::U32, used: 4, ..ParamArray::new("c", 4) });
    for at in 0..3 {
        let output = Output::new(format!("o{at}"), OutputKind::Varying { location: at });
        b.shader.outputs.push(Output { scalar: Scalar::U32, ..output });
    }
    let mut args = Vec::new();
    for (at, &slot) in op.slots().iter().enumerate() {
        let scalar = match slot {
            Slot::T => scalar,
            Slot::Is(scalar) => scalar,
        };
        args.push(argument(&mut b, at as u32, lanes, scalar, from[at]));
    }
    b.arith = arith;
    let result = b.pure(op, &args);
    b.arith = Arith::IEEE;
    stored(&mut b, 0, result);
    // What moves bits shows NaN, too.
    if b.shader.value(result.value).ty.scalar == Scalar::F32 {
        let negative = b.pure(Pure::Neg, &[result]);
        let magnitude = b.pure(Pure::Abs, &[negative]);
        stored(&mut b, 1, negative);
        stored(&mut b, 2, magnitude);
    }
    let shader = b.finish();
    let mut list = |n: usize| (0..n).map(|_| std::array::from_fn(|_| word(rng))).collect::<Vec<[u32; 4]>>();
    let mut inputs: Vec<_> = (0..arity).map(|_| list(COUNT)).collect();
    // Equal arguments, and products that are close to the least normal number.
    if let [first, second, ..] = &mut inputs[..] {
        for i in (0..COUNT).step_by(5) {
            second[i] = first[i];
        }
        for i in (1..COUNT).step_by(5) {
            let near = |lane: usize| {
                let x = f32::from_bits(first[i][lane]);
                (f32::MIN_POSITIVE / x).to_bits().wrapping_add((i as u32 % 7).wrapping_sub(3))
            };
            second[i] = std::array::from_fn(near);
        }
    }
    let params = vec![list(4)];
    let batch = Batch { count: COUNT, inputs, params, ..Batch::default() };
    match compare(&shader, &batch) {
        Ok(_) => Ok(()),
        Err(what) => Err(format!("{} on {scalar:?}, {arith:?}, {lanes} lanes, {from:?}: {what}", op.name())),
    }
}

#[test]
fn every_operation_gives_the_bits_of_the_interpreter() {
    if Isa::best().is_none() {
        println!("skipped: this processor has no AVX2");
        return;
    }
    let mut rng = Rng::new(1);
    let (mut failed, mut runs) = (Vec::new(), 0);
    for &op in Pure::ALL {
        for scalar in scalars(op) {
            for arith in ariths(op, scalar) {
                let all = if op.reduces() { &[1, 2, 3, 4][..] } else { &[4][..] };
                for &lanes in all {
                    let (i, u) = (From::Input, From::Uniform);
                    for mut from in [[i; 4], [i, u, i, i], [u, i, u, i], [u; 4], [i, i, u, u], [i, i, i, i]] {
                        if from == [i; 4] && rng.one_in(2) {
                            from[op.arity() - 1] = From::Constant(word(&mut rng));
                        }
                        for round in 0..3 {
                            let mut from = from;
                            if round > 0 {
                                from[rng.below(op.arity())] = From::Constant(word(&mut rng));
                            }
                            runs += 1;
                            if let Err(what) = run(op, scalar, arith, lanes, from, &mut rng) {
                                failed.push(what);
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    println!("{runs} shaders");
    let total = failed.len();
    failed.truncate(40);
    assert!(failed.is_empty(), "{total} failed:\n{}", failed.join("\n"));
}

/// Two lanes of the same, one of which only goes into a comparison, while it shows which NaN the other one is.
#[test]
fn lanes_of_the_same_may_show_different_nan() {
    let text = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 o varying 0

  %0 = input v : f32x4
  %1 = sqrt %0.x : f32
  %2 = neg %1.xx : f32x2
  %3 = lt %2.x %0.y : bool
  %4 = select %3 %0.z %0.w : f32
  %5 = compose %2.y %4 : f32x2
  store o.xy %5
";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    let mut rng = Rng::new(5);
    let inputs = vec![(0..200).map(|_| std::array::from_fn(|_| word(&mut rng))).collect()];
    let outputs = compare(&shader, &Batch { count: 200, inputs, ..Batch::default() }).unwrap();
    // The root of a negative number is the canonical NaN, here with the other sign.
    assert!(outputs.cells[0].iter().any(|lanes| lanes[0] == 0xffc0_0000));
}

/// Bits of an integer may be those of a NaN.
#[test]
fn integers_taken_as_floats_may_be_nan() {
    let text = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 o varying 0

  %0 = input v : f32x4
  %1 = to_i32 %0.x : i32
  %2 = as_f32 %1 : f32
  %3 = min %0.y %2 : f32
  %4 = to_u32 %0.z : u32
  %5 = as_f32 %4 : f32
  %6 = max %0.y %5 : f32
  %7 = compose %3 %6 : f32x2
  store o.xy %7
";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    let nan = 0x7fc0_1234;
    let inputs =
        vec![vec![[-2.0_f32, 0.0, 4.294_967_e9, 0.0].map(f32::to_bits), [0xc000_0000, nan, 0x4f7f_ffff, 0]]];
    let outputs = compare(&shader, &Batch { count: 2, inputs, ..Batch::default() }).unwrap();
    assert_eq!(outputs.cells[0][1][..2], [0x7fc0_0000; 2]);
}

/// What a way yields with canonical NaN is known on that way only.
#[test]
fn what_one_way_makes_is_not_there_on_the_other() {
    let text = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 o varying 0
  output 1 p varying 1

  %0 = input v : f32x4
  %1 = mul.nv20 %0.x %0.y : f32
  %2 = lt %0.z %0.w : bool
  %3: f32 = if %2 {
    store p.x %0.z
    yield %1
  } else {
    store p.y %0.z
    yield %0.z
  }
  %4 = div %1 %3 : f32
  %5 = compose %3 %4 : f32x2
  store o.xy %5
";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    // Nobody of the block goes the first way.
    let inputs = vec![vec![[3.0_f32, 2.0, 4.0, 1.0].map(f32::to_bits); 64]];
    let outputs = compare(&shader, &Batch { count: 64, inputs, ..Batch::default() }).unwrap();
    assert_eq!(outputs.cells[0][0][..2], [4.0_f32, 1.5].map(f32::to_bits));
}

/// An exponent shows which NaN it was: the canonical one is a large number, others are not.
#[test]
fn an_integer_shows_which_nan_it_was() {
    let text = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 o varying 0

  %0 = input v : f32x4
  %1 = neg %0.x : f32
  %2 = rcp %1 : f32
  %3 = as_i32 %2 : i32
  %4 = ldexp %0.y %3 : f32
  store o.x %4
";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    let inputs = vec![vec![[0x7fc0_0000, 0x3f80_0000, 0, 0]; 64]];
    let outputs = compare(&shader, &Batch { count: 64, inputs, ..Batch::default() }).unwrap();
    // 1 times 2 to the power 0x7fc00000.
    assert_eq!(outputs.cells[0][0][0], f32::INFINITY.to_bits());
}

/// A helper does not write the output that it reads back, so it may go round for ever where others do not.
#[test]
fn helpers_go_round_as_they_do() {
    let text = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 o varying 0 init=1.0,0.0,0.0,1.0

  %0 = input v : f32x4
  %1 = const 1.0 : f32
  store o.x %0.x
  %2 = load o : f32x4
  %3 = eq %2.x %1 : bool
  if %3 {
    loop L0 {
      yield
    }
    yield
  } else {
    yield
  }
";
    let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
    let inputs = vec![vec![[3.0_f32; 4].map(f32::to_bits); 64]];
    let helpers: Vec<bool> = (0..64).map(|i| i % 3 == 0).collect();
    let batch = Batch { count: 64, inputs, helpers: helpers.clone(), fuel: Some(3), ..Batch::default() };
    assert_eq!(compare(&shader, &batch).unwrap().exhausted, helpers);
}
