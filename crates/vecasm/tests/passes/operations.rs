//! Each operation under each arithmetic, as it is and expanded, on the same words: to the last bit.

use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs};
use vecasm::ir::build::Builder;
use vecasm::ir::op::Slot;
use vecasm::ir::random::Rng;
use vecasm::ir::text::print;
use vecasm::ir::verify::verify;
use vecasm::ir::{
    Arg, Arith, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, Pure, Rule, Scalar, Shader,
    Stage, Type,
};
use vecasm::isa::operand::WriteMask;
use vecasm::opt::{Expand, clean, expand, fold};

const ARITHS: [Arith; 5] = [
    Arith::NV20,
    Arith::ZERO_WINS,
    Arith::IEEE,
    Arith { flush: true, ..Arith::IEEE },
    Arith { flush: true, ..Arith::ZERO_WINS },
];

/// Words in which rules of f32 change: zeros, ones, limits of ranges, infinities, several NaN.
const SPECIAL: [u32; 36] = [
    0,
    1,
    2,
    0x003f_ffff,
    0x0040_0000,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x1f80_0000,
    0x33ff_ffff,
    0x3400_0000,
    0x3400_0001,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fb5_04f3,
    0x3fff_ffff,
    0x4000_0000,
    0x4040_0000,
    0x42fe_0000,
    0x4300_0000,
    0x4316_0000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4f00_0000,
    0x5f80_0000,
    0x7e80_0000,
    0x7e80_0001,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fff_ffff,
];

/// A word: special, of any kind, an ordinary number, or close to another one.
fn word(rng: &mut Rng, near: u32) -> u32 {
    let sign = rng.bits() & 0x8000_0000;
    match rng.below(7) {
        0 => SPECIAL[rng.below(SPECIAL.len())] | sign,
        1 => rng.bits(),
        2 => (rng.bits() & 0x007f_ffff) | ((112 + rng.below(30) as u32) << 23) | sign,
        // Few bits, so that sums cancel and products are exact.
        3 => ((rng.below(64) as f32 - 32.0) / 8.0).to_bits(),
        4 => rng.below(40) as u32,
        5 => near ^ sign ^ (1 << rng.below(32)),
        _ => {
            (rng.bits() & 0x807f_ffff) | (((near >> 23 & 0xff) + rng.below(9) as u32).clamp(4, 258) - 4) << 23
        }
    }
}

/// A vertex shader that stores what an operation gives for its inputs, as bits, in up to four lanes.
fn shader(pure: Pure, arith: Arith, t: Scalar, lanes: u8) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 16);
    b.shader
        .outputs
        .push(Output { scalar: Scalar::U32, ..Output::new("o", OutputKind::Varying { location: 0 }) });
    let mut args = Vec::new();
    for (i, slot) in pure.slots().iter().enumerate() {
        let scalar = if let Slot::Is(scalar) = *slot { scalar } else { t };
        let ty = Type::new(Scalar::U32, 4);
        b.shader.inputs.push(Input::new(format!("i{i}"), InputKind::Attribute { location: i as u32 }, ty));
        let whole = b.push(Op::Input(InputId(i as u32)), &[], ty);
        let arg = Arg { lanes, ..Arg::all_lanes(whole, 4) };
        args.push(match scalar {
            Scalar::F32 => b.pure(Pure::AsF32, &[arg]),
            Scalar::I32 => b.pure(Pure::AsI32, &[arg]),
            Scalar::Bool => {
                let zero = b.uint(0);
                let zero = Arg { swizzle: vecasm::isa::operand::Swizzle::splat(0), lanes, ..zero };
                b.pure(Pure::Ne, &[arg, zero])
            }
            _ => arg,
        });
    }
    b.arith = arith;
    let result = b.pure(pure, &args);
    b.arith = Arith::IEEE;
    let bits = match b.shader.arg_type(result).scalar {
        Scalar::U32 => result,
        Scalar::Bool => b.pure(Pure::ToU32, &[result]),
        _ => b.pure(Pure::AsU32, &[result]),
    };
    let mask = WriteMask::from_bits((1u8 << bits.lanes) - 1);
    b.effect(Op::StoreOutput { output: OutputId(0), mask }, &[bits]);
    b.finish()
}

/// Compares at least `count` vectors for each operation, arithmetic and number of lanes; gives the names of what was
/// compared, with the number of vectors.
///
/// # Errors
///
/// The first operation that gives other bits.
pub(crate) fn compare(count: usize, seed: u64) -> Result<Vec<(String, usize)>, String> {
    let mut compared = Vec::new();
    for &pure in Pure::ALL {
        for arith in ARITHS {
            for t in [Scalar::F32, Scalar::I32, Scalar::U32] {
                let single = t == Scalar::F32;
                let given = pure.slots().contains(&Slot::T);
                let wide = |s: &Slot| matches!(s, Slot::Is(s) if s.is_wide());
                if given && !pure.type_class().has(t)
                    || !given && !single
                    || !single && arith != Arith::IEEE
                    || wide(&pure.result())
                    || arith.rule == Rule::Nv20 && !pure.has_nv20()
                {
                    continue;
                }
                let lanes: &[u8] = if pure.reduces() { &[1, 2, 3, 4] } else { &[1, 4] };
                for &lanes in lanes {
                    let before = shader(pure, arith, t, lanes);
                    let after = expand(&before, Expand::ALL);
                    // Only what is rewritten has anything to show.
                    if !rewritten(&before, &after) {
                        continue;
                    }
                    let name = format!("{}{} {} x{lanes}", pure.name(), spelled(arith), t.name());
                    let rng = &mut Rng::new(seed);
                    let vectors = one(&name, &before, &after, count, rng)?;
                    compared.push((name, vectors));
                }
            }
        }
    }
    Ok(compared)
}

fn spelled(arith: Arith) -> String {
    let rule = if arith.rule == Rule::Ieee { String::new() } else { format!(".{}", arith.rule.name()) };
    if arith.flush { rule + ".flush" } else { rule }
}

fn rewritten(before: &Shader, after: &Shader) -> bool {
    let count = |s: &Shader| {
        let mut count = 0;
        s.body.for_each_inst(&mut |inst| count += usize::from(inst.arith == Arith::IEEE));
        (count, s.values.len())
    };
    count(before) != count(after)
}

fn one(name: &str, before: &Shader, after: &Shader, count: usize, rng: &mut Rng) -> Result<usize, String> {
    const AT_ONCE: usize = 4096;
    for s in [before, after] {
        if let Some(breach) = verify(s).first() {
            return Err(format!("{name}: {breach}\n{}", print(s)));
        }
    }
    let small = clean(&fold(after));
    let mut done = 0;
    let pairs = SPECIAL.len() * 2 * SPECIAL.len() * 2;
    let special = |n: usize| SPECIAL[n / 2 % SPECIAL.len()] | (n as u32 & 1) << 31;
    while done < count.max(pairs) {
        let mut batch = Batch { count: AT_ONCE, ..Batch::default() };
        let mut inputs = vec![Vec::with_capacity(AT_ONCE); before.inputs.len()];
        for i in 0..AT_ONCE {
            // First all pairs of special words, then anything.
            let n = done + i;
            let near = rng.bits();
            for (at, input) in inputs.iter_mut().enumerate() {
                let mut words = [0; 4];
                for word_of in &mut words {
                    *word_of = word(rng, near);
                }
                if n < pairs {
                    words[0] = match at {
                        0 => special(n),
                        1 => special(n / (2 * SPECIAL.len())),
                        _ => words[0],
                    };
                }
                input.push(words);
            }
        }
        batch.inputs = inputs;
        let run = |s: &Shader| -> Result<Outputs, String> {
            Interp.run(s, &batch).map_err(|why| format!("{name}: {why}\n{}", print(s)))
        };
        let expected = run(before)?;
        for side in [after, &small] {
            let got = run(side)?;
            for (i, (a, b)) in expected.cells[0].iter().zip(&got.cells[0]).enumerate() {
                if a != b {
                    let given: Vec<[u32; 4]> = batch.inputs.iter().map(|input| input[i]).collect();
                    return Err(format!("{name} of {given:08x?} is {b:08x?}, not {a:08x?}\n{}", print(side)));
                }
            }
        }
        done += AT_ONCE;
    }
    Ok(done)
}
