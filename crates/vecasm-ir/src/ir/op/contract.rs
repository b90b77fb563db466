//! The contract between the table of pure operations and their evaluation.

use super::pure::{MAX_ARITY, Pure, Slot, TypeClass};
use super::{Arith, Op, Rows, Rule, Word};
use crate::ir::random::Rng;
use crate::ir::{Scalar, Type};
use crate::math::CANONICAL_NAN;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

const ROUNDS: usize = 300;

/// Every scalar that may decide what an operation computes.
fn scalars(pure: Pure) -> Vec<Scalar> {
    match pure.slots().contains(&Slot::T) {
        true => Scalar::ALL.into_iter().filter(|&s| pure.type_class().has(s)).collect(),
        false => match pure.slots()[0] {
            Slot::Is(scalar) => [scalar].into(),
            Slot::T => Vec::new(),
        },
    }
}

fn scalar_of(slot: Slot, t: Scalar) -> Scalar {
    match slot {
        Slot::T => t,
        Slot::Is(scalar) => scalar,
    }
}

/// Every arithmetic under which an operation on `scalar` has a meaning.
fn ariths(pure: Pure, scalar: Scalar) -> Vec<Arith> {
    let mut list = Vec::new();
    for &rule in Rule::ALL {
        if rule == Rule::Nv20 && scalar == Scalar::F32 && !pure.has_nv20() {
            continue;
        }
        for bits in 0..4 {
            list.push(Arith { rule, flush: bits & 1 != 0, precise: bits & 2 != 0 });
        }
    }
    list
}

/// A lane at random, special ones often.
fn lane(rng: &mut Rng, scalar: Scalar) -> u64 {
    const WIDE: [u64; 8] = [
        0,
        1 << 63,
        1,
        0x3ff0_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff8_0000_0000_1234,
        u64::MAX >> 1,
        u64::MAX,
    ];
    match scalar {
        Scalar::Bool => u64::from(rng.bits() & 1),
        scalar if scalar.is_wide() => match rng.below(4) {
            0 => WIDE[rng.below(WIDE.len())],
            1 => f64::from(f32::from_bits(rng.float())).to_bits(),
            _ => u64::from(rng.bits()) << 32 | u64::from(rng.bits()),
        },
        _ => u64::from(match rng.below(6) {
            0 => 0xffff_1234,
            1 => rng.below(70) as u32,
            2 | 3 => rng.float(),
            _ => rng.bits(),
        }),
    }
}

fn lanes(rng: &mut Rng, pure: Pure, t: Scalar) -> [u64; MAX_ARITY] {
    let mut args = [0; MAX_ARITY];
    for (arg, &slot) in args.iter_mut().zip(pure.slots()) {
        *arg = lane(rng, scalar_of(slot, t));
    }
    // Equal arguments do not happen by themselves where lanes are wide.
    if pure.slots().get(1) == pure.slots().first() && rng.one_in(8) {
        args[1] = args[0];
    }
    args
}

/// Calls `f` with every operation, what it computes on, and every arithmetic that it has there.
fn for_each_operation(mut f: impl FnMut(Pure, Scalar, Arith)) {
    for &pure in Pure::ALL {
        for t in scalars(pure) {
            ariths(pure, t).into_iter().for_each(|arith| f(pure, t, arith));
        }
    }
}

#[test]
fn type_variables_are_what_their_words_say() {
    use Scalar::{Bool, F32, F64, I32, I64, U32, U64};
    let lists: [(TypeClass, &[Scalar]); 11] = [
        (TypeClass::Single, &[F32]),
        (TypeClass::Float, &[F32, F64]),
        (TypeClass::Number, &[F32, F64, I32, U32, I64, U64]),
        (TypeClass::Signed, &[F32, F64, I32, I64]),
        (TypeClass::Int, &[I32, U32, I64, U64]),
        (TypeClass::Int32, &[I32, U32]),
        (TypeClass::Logic, &[Bool, I32, U32, I64, U64]),
        (TypeClass::Bool, &[Bool]),
        (TypeClass::Bits32, &[F32, I32, U32]),
        (TypeClass::Bits64, &[F64, I64, U64]),
        (TypeClass::Any, &[F32, F64, I32, U32, I64, U64, Bool]),
    ];
    for (over, list) in lists {
        for scalar in Scalar::ALL {
            assert_eq!(over.has(scalar), list.contains(&scalar), "{over:?} {}", scalar.name());
        }
    }
}

/// All combinations of scalars, each with equal lanes and with one argument that has others.
#[test]
fn types_are_those_of_the_row() {
    for &pure in Pure::ALL {
        let n = pure.arity();
        assert!((1..=MAX_ARITY).contains(&n));
        for wrong in 0..=MAX_ARITY + 1 {
            if wrong != n {
                let args: Vec<Type> = (0..wrong).map(|_| Type::F32).collect();
                assert_eq!(pure.result_type(&args), None, "{} of {wrong}", pure.name());
            }
        }
        for code in 0..7usize.pow(n as u32) {
            let given: Vec<Scalar> = (0..n).map(|i| Scalar::ALL[code / 7usize.pow(i as u32) % 7]).collect();
            // The type variable is some type of the row that makes the signature what is given.
            let fits =
                |t: &Scalar| pure.slots().iter().zip(&given).all(|(&slot, &s)| scalar_of(slot, *t) == s);
            let result = scalars(pure).into_iter().find(fits).map(|t| scalar_of(pure.result(), t));
            for lanes in 1..=4 {
                let args: Vec<Type> = given.iter().map(|&s| Type::new(s, lanes)).collect();
                let wanted = result.map(|s| Type::new(s, if pure.reduces() { 1 } else { lanes }));
                assert_eq!(pure.result_type(&args), wanted, "{} {args:?}", pure.name());
                for odd in 0..n {
                    let mut args = args.clone();
                    args[odd].lanes = lanes % 4 + 1;
                    let serves = n == 1 || pure == Pure::Select && odd == 0 && args[0].lanes == 1;
                    let lanes = if n == 1 { args[0].lanes } else { lanes };
                    let wanted = result.filter(|_| serves);
                    let wanted = wanted.map(|s| Type::new(s, if pure.reduces() { 1 } else { lanes }));
                    assert_eq!(pure.result_type(&args), wanted, "{} {args:?}", pure.name());
                }
            }
        }
    }
}

/// Bools are 0 or 1, narrow results have no high bits, NaN is canonical, flushed results are not denormal, and a word of
/// 32 bits gives what one of 64 does.
#[test]
fn results_have_the_form_of_their_type() {
    let rng = &mut Rng::new(3);
    for_each_operation(|pure, t, arith| {
        let result = scalar_of(pure.result(), t);
        let narrow = pure.slots().iter().all(|&slot| !scalar_of(slot, t).is_wide()) && !result.is_wide();
        let nv20 = arith.rule == Rule::Nv20 && t == Scalar::F32;
        for _ in 0..ROUNDS {
            let args = lanes(rng, pure, t);
            let got: u64 = pure.eval(t, arith, args);
            let shown = || alloc::format!("{} {} {arith:?} {args:x?} = {got:x}", pure.name(), t.name());
            match result {
                Scalar::Bool => assert!(got <= 1, "{}", shown()),
                result if result.is_wide() => {}
                _ => assert!(got >> 32 == 0, "{}", shown()),
            }
            if !nv20 && !pure.moves() {
                let nan = result == Scalar::F32 && f32::from_bits(got as u32).is_nan();
                assert!(!nan || got == u64::from(CANONICAL_NAN), "{}", shown());
                let nan = result == Scalar::F64 && f64::from_bits(got).is_nan();
                assert!(!nan || got == super::eval::CANONICAL_NAN_64, "{}", shown());
            }
            if arith.concerning(Op::Pure(pure), t).flush && pure.result() == Slot::T {
                assert!(!f32::from_bits(got as u32).is_subnormal(), "{}", shown());
            }
            if narrow {
                let short: u32 = pure.eval(t, arith, args.map(|arg| arg as u32));
                assert_eq!(u64::from(short), got, "{}", shown());
            }
        }
    });
}

/// An attribute that does not concern an operation makes no difference.
#[test]
fn attributes_that_do_not_concern_change_nothing() {
    let rng = &mut Rng::new(4);
    for_each_operation(|pure, t, arith| {
        let concerns = arith.concerning(Op::Pure(pure), t);
        assert_eq!(concerns.concerning(Op::Pure(pure), t), concerns);
        for _ in 0..ROUNDS {
            let args = lanes(rng, pure, t);
            let (all, some): (u64, u64) = (pure.eval(t, arith, args), pure.eval(t, concerns, args));
            assert_eq!(all, some, "{} {} {arith:?} {args:x?}", pure.name(), t.name());
        }
    });
}

/// Each operation is evaluated by an arm of its own for each type and rule: it gives several results, and not always the
/// bits of one argument unless it only moves them.
#[test]
fn every_row_is_evaluated() {
    let rng = &mut Rng::new(5);
    for_each_operation(|pure, t, arith| {
        let mut results = BTreeSet::new();
        for _ in 0..ROUNDS {
            let args = lanes(rng, pure, t);
            results.insert(pure.eval::<u64>(t, arith, args));
        }
        assert!(results.len() > 1, "{} {} {arith:?} gives always {results:x?}", pure.name(), t.name());
    });
}

/// Rows of `n` elements, four of them together.
fn fours(rows: usize, n: usize, of: impl Fn(usize, usize) -> u64) -> Vec<[u64; 4]> {
    let four = |row: usize, i: usize| core::array::from_fn(|l| if i + l < n { of(row, i + l) } else { 0 });
    (0..rows).flat_map(|row| (0..n).step_by(4).map(move |i| (row, i))).map(|(row, i)| four(row, i)).collect()
}

/// A run of elements is evaluated as its elements are.
#[test]
fn runs_are_evaluated_as_elements() {
    let rng = &mut Rng::new(6);
    for_each_operation(|pure, t, arith| {
        let many: Vec<[u64; MAX_ARITY]> = (0..33).map(|_| lanes(rng, pure, t)).collect();
        let words = fours(MAX_ARITY, many.len(), |arg, i| many[i][arg]);
        let rows = Rows { words: &words, n: many.len(), at: &[[0; 4], [1; 4], [2; 4], [3; 4]] };
        let mut out = [[0u64; 4]; 9];
        pure.eval_all(t, arith, rows, &mut out);
        for (args, out) in many.iter().zip(out.as_flattened()) {
            let wanted = pure.eval(t, arith, *args);
            assert_eq!(*out, wanted, "{} {} {arith:?} {args:x?}", pure.name(), t.name());
        }
    });
}

/// A run of reductions is evaluated as its elements are; some runs have no infinity and no NaN.
#[test]
fn runs_of_reductions_are_evaluated_as_elements() {
    let rng = &mut Rng::new(8);
    for_each_operation(|pure, t, arith| {
        if !pure.reduces() {
            return;
        }
        for ordinary in [false, true] {
            let lane = |rng: &mut Rng| match lane(rng, t) {
                bits if ordinary && t == Scalar::F32 => bits & 0xbfff_ffff,
                bits => bits,
            };
            let elements: Vec<[u64; 8]> = (0..33).map(|_| core::array::from_fn(|_| lane(rng))).collect();
            let words = fours(8, elements.len(), |row, i| elements[i][row]);
            let at = [[0, 1, 2, 3], [4, 5, 6, 7], [0; 4], [0; 4]];
            for n in 1..=4 {
                let mut out = [[0u64; 4]; 9];
                let rows = Rows { words: &words, n: elements.len(), at: &at };
                pure.eval_reduce_all(t, arith, rows, n, &mut out);
                for (of, out) in elements.iter().zip(out.as_flattened()) {
                    let [x, y] = [0, 4].map(|first| core::array::from_fn(|lane| of[first + lane]));
                    let wanted = pure.eval_reduce(t, arith, x, y, n);
                    assert_eq!(*out, wanted, "{} {} {arith:?} {n}", pure.name(), t.name());
                }
            }
        }
    });
}

/// Reductions of one lane are evaluations; of several, the lanes one after another, as their rows say.
#[test]
fn reductions_are_folds() {
    fn eval<W: Word>(pure: Pure, t: Scalar, arith: Arith, x: W, y: W) -> W {
        pure.eval(t, arith, [x, y, W::default(), W::default()])
    }
    let rng = &mut Rng::new(7);
    for_each_operation(|pure, t, arith| {
        if !pure.reduces() {
            return;
        }
        let nv20 = t == Scalar::F32 && arith.rule == Rule::Nv20;
        for _ in 0..ROUNDS {
            let [x, y]: [[u64; 4]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| lane(rng, t)));
            for n in 1..=4 {
                let got = pure.eval_reduce(t, arith, x, y, n);
                let wanted = match pure {
                    Pure::All => u64::from(x[..n].iter().all(|&b| b != 0)),
                    Pure::Any => u64::from(x[..n].iter().any(|&b| b != 0)),
                    // Fused: the order does not matter, and there is no fold.
                    _ if nv20 => {
                        let (mut u, mut v) = (x, y);
                        u[..n].reverse();
                        v[..n].reverse();
                        pure.eval_reduce(t, arith, u, v, n)
                    }
                    _ if n == 1 => eval(pure, t, arith, x[0], y[0]),
                    _ => {
                        let term = |i: usize| match pure {
                            Pure::Dot => eval(Pure::Mul, t, arith, x[i], y[i]),
                            _ => x[i],
                        };
                        (1..n).fold(term(0), |sum, i| eval(Pure::Add, t, arith, sum, term(i)))
                    }
                };
                assert_eq!(got, wanted, "{} {} {arith:?} {x:x?} {y:x?} {n}", pure.name(), t.name());
            }
        }
    });
}

#[test]
fn names_differ() {
    let names: BTreeSet<&str> = Pure::ALL.iter().map(|pure| pure.name()).collect();
    assert_eq!(names.len(), Pure::ALL.len());
    for pure in Pure::ALL {
        assert!(pure.doc().trim().ends_with(['.', ')']), "{}", pure.name());
        // nv20 is an arithmetic of f32.
        assert!(!pure.has_nv20() || scalars(*pure).contains(&Scalar::F32), "{}", pure.name());
    }
}
