//! The arithmetic of the NV2A, operation by operation: single results, hashes over many, and what pictures taken on
//! a console show.

use super::{File, bits, check_table};
use std::path::Path;
use vecasm::math::nv20;

/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

/// Every row of the tables of operations, and those rows of the console's facts that are about one.
pub(crate) fn operations(shared: &Path) -> Vec<File<'_>> {
    vec![
        rows(shared, "oracle/nv2a/ops.tsv", "", |row| Some(operation(row))),
        rows(shared, "oracle/nv2a/digests.tsv", "", |row| Some(digest(row))),
        rows(shared, "oracle/nv2a/hw_facts.tsv", " (operations)", fact),
    ]
}

/// The rows of a table; `None` is one about something else.
fn rows<'a>(
    shared: &Path,
    name: &str,
    about: &str,
    check: fn(&[&str]) -> Option<Result<(), String>>,
) -> File<'a> {
    let file = check_table(shared, name, move |report, id, columns| {
        if let Some(outcome) = check(columns) {
            report.case(id, outcome);
        }
    });
    file.append_name(about)
}

/// A value of one to four words; lanes that a text does not name are 0, and so is the operand `-`.
fn vector(text: &str) -> Result<[u32; 4], String> {
    let mut out = [0; 4];
    if text != "-" {
        for (i, word) in text.split(' ').enumerate() {
            let lane = out.get_mut(i).ok_or_else(|| format!("{text}: more than four words"))?;
            *lane = bits(word).ok_or_else(|| format!("{word}: not a word"))?;
        }
    }
    Ok(out)
}

/// One row of `ops.tsv`: the operation, its sources and the result, a vector or the word that all lanes have.
fn operation(columns: &[&str]) -> Result<(), String> {
    let [name, a, b, c, result] = *columns else { return Err("not five columns".into()) };
    let (a, b, c) = (vector(a)?, vector(b)?, vector(c)?);
    let got = match name.split_once('_') {
        Some(("MAC", name)) => mac(name, a, b, c),
        Some(("ILU", name)) => ilu(name, c),
        _ => None,
    };
    let got = got.ok_or("no such operation")?;
    let want = vector(result)?;
    let same = if result.contains(' ') { got == want } else { got.iter().all(|lane| *lane == want[0]) };
    if same { Ok(()) } else { Err(format!("{got:08x?}, not {want:08x?}")) }
}

/// The lanes of two vectors, each through `f`.
fn each(a: [u32; 4], b: [u32; 4], f: impl Fn(u32, u32) -> u32) -> [u32; 4] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// One sum of the products of the first N lanes, and of the terms in `more`.
fn dot<const N: usize>(a: [u32; 4], b: [u32; 4], more: Option<u32>) -> [u32; 4] {
    let mut terms: Vec<u32> = (0..N).map(|i| nv20::mul(a[i], b[i])).collect();
    terms.extend(more);
    [nv20::sum(&terms); 4]
}

fn boolean(x: bool) -> u32 {
    if x { ONE } else { 0 }
}

/// An operation of the vector unit.
fn mac(name: &str, a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> Option<[u32; 4]> {
    Some(match name {
        "MOV" => a,
        "MUL" => each(a, b, nv20::mul),
        "ADD" => each(a, c, |a, c| nv20::sum(&[a, c])),
        "MAD" => each(each(a, b, nv20::mul), c, |product, c| nv20::sum(&[product, c])),
        "DP3" => dot::<3>(a, b, None),
        // The fourth term is a product too, by which a denormal becomes zero.
        "DPH" => dot::<3>(a, b, Some(nv20::mul(ONE, b[3]))),
        "DP4" => dot::<4>(a, b, None),
        "DST" => [ONE, nv20::mul(a[1], b[1]), a[2], b[3]],
        "MIN" => each(a, b, nv20::min),
        "MAX" => each(a, b, nv20::max),
        "SLT" => each(a, b, |a, b| boolean(nv20::lt(a, b))),
        "SGE" => each(a, b, |a, b| boolean(nv20::ge(a, b))),
        _ => return None,
    })
}

/// An operation of the scalar unit; most read the first lane only.
fn ilu(name: &str, c: [u32; 4]) -> Option<[u32; 4]> {
    let x = c[0];
    Some(match name {
        "MOV" => c,
        "RCP" => [nv20::rcp(x); 4],
        "RCC" => [nv20::rcc(x); 4],
        "RSQ" => [nv20::rsq(x); 4],
        "EXP" => [nv20::exp2_floor(x), nv20::fract(x), nv20::exp2(x), ONE],
        "LOG" => [nv20::exponent(x), nv20::mantissa(x), nv20::log2(x), ONE],
        "LIT" => [ONE, if x >> 31 == 0 { x } else { 0 }, nv20::lit(x, c[1], c[3]), ONE],
        _ => return None,
    })
}

/// Inputs for the rows of `digests.tsv`: a SplitMix64 stream, of which the upper half of each output counts.
struct Draws {
    state: u64,
    /// Whether the exponent is brought to 120..=135.
    narrow: bool,
}

impl Draws {
    fn word(&mut self) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let u = ((z ^ (z >> 31)) >> 32) as u32;
        if self.narrow { (u & 0x807f_ffff) | ((120 + ((u >> 23) & 15)) << 23) } else { u }
    }

    fn lanes<const N: usize>(&mut self) -> [u32; 4] {
        let mut out = [0; 4];
        out[..N].fill_with(|| self.word());
        out
    }
}

/// FNV-1a of 64 bits.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// One row of `digests.tsv`: the hash of the results over a range of inputs or a stream of random ones.
fn digest(columns: &[&str]) -> Result<(), String> {
    let [function, source, start, step, count, hash] = *columns else { return Err("not six columns".into()) };
    let number = |text: &str| u64::from_str_radix(text, 16).map_err(|e| format!("{text}: {e}"));
    let decimal = |text: &str| text.parse::<u32>().map_err(|e| format!("{text}: {e}"));
    let (start, count) = (number(start)?, decimal(count)?);
    let mut fnv = Fnv(14_695_981_039_346_656_037);
    if source == "range" {
        let unary = unary(function).ok_or("no such function")?;
        let mut x = start as u32;
        for _ in 0..count {
            fnv.add(unary(x));
            x = x.wrapping_add(decimal(step)?);
        }
    } else {
        let narrow = match source {
            "prng-bits" => false,
            "prng-narrow" => true,
            _ => return Err(format!("no source is called {source}")),
        };
        let item = item(function).ok_or("no such function")?;
        let mut draws = Draws { state: start, narrow };
        for _ in 0..count {
            fnv.add(item(&mut draws));
        }
    }
    if fnv.0 == number(hash)? { Ok(()) } else { Err(format!("{:016x}, not {hash}", fnv.0)) }
}

/// One row of `hw_facts.tsv`, if it is about an operation: the result is known as well as the picture shows it.
fn fact(columns: &[&str]) -> Option<Result<(), String>> {
    let [name, input, expected, ..] = *columns else { return Some(Err("not three columns".into())) };
    let operation: fn([u32; 4]) -> u32 = match name {
        "RCP" => |x| nv20::rcp(x[0]),
        "RSQ" => |x| nv20::rsq(x[0]),
        "MUL" => |x| nv20::mul(x[0], x[1]),
        "COLOUR_CLAMP" => |x| nv20::saturate(x[0]),
        _ => return None,
    };
    Some(vector(input).and_then(|input| {
        let got = operation(input);
        let value = f32::from_bits(got);
        let shown = expected.trim_start_matches("about ");
        let same = match (bits(expected), expected, shown.parse::<f32>()) {
            (Some(want), ..) => got == want,
            (_, "nan", _) => value.is_nan(),
            (_, "nan (sign +)", _) => value.is_nan() && value.is_sign_positive(),
            // As many digits as are printed; a zero may have any sign.
            (_, _, Ok(want)) => (value - want).abs() <= want.abs() * 1e-6,
            _ => return Err(format!("{expected}: not understood")),
        };
        if same { Ok(()) } else { Err(format!("{got:08x}, not {expected}")) }
    }))
}

/// A function of one word.
fn unary(name: &str) -> Option<fn(u32) -> u32> {
    Some(match name {
        "RCP" => nv20::rcp,
        "RCC" => nv20::rcc,
        "RSQ" => nv20::rsq,
        "EXP.x" => nv20::exp2_floor,
        "EXP.y" => nv20::fract,
        "EXP.z" => nv20::exp2,
        "LOG.x" => nv20::exponent,
        "LOG.y" => nv20::mantissa,
        "LOG.z" => nv20::log2,
        _ => return None,
    })
}

/// A function that draws its operands, in the order that the README of the oracle gives.
fn item(name: &str) -> Option<fn(&mut Draws) -> u32> {
    /// Two operands.
    fn two(draws: &mut Draws, f: fn(u32, u32) -> u32) -> u32 {
        let a = draws.word();
        f(a, draws.word())
    }
    Some(match name {
        "MUL" => |d| two(d, nv20::mul),
        "ADD" => |d| two(d, |a, c| nv20::sum(&[a, c])),
        "MIN" => |d| two(d, nv20::min),
        "SLT" => |d| two(d, |a, b| boolean(nv20::lt(a, b))),
        "MAD" => |d| {
            let product = two(d, nv20::mul);
            nv20::sum(&[product, d.word()])
        },
        "DP3" => |d| {
            let (a, b) = (d.lanes::<3>(), d.lanes::<3>());
            dot::<3>(a, b, None)[0]
        },
        "DPH" => |d| {
            let (a, b) = (d.lanes::<3>(), d.lanes::<4>());
            dot::<3>(a, b, Some(nv20::mul(ONE, b[3])))[0]
        },
        "DP4" => |d| {
            let (a, b) = (d.lanes::<4>(), d.lanes::<4>());
            dot::<4>(a, b, None)[0]
        },
        "LIT.z" => |d| {
            let [x, y, w, _] = d.lanes::<3>();
            nv20::lit(x, y, w)
        },
        _ => return None,
    })
}
