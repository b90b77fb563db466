//! The known faults of Mesa's interpreter: recorded runs that have them as they are, and what the language means instead.

use super::tgsi_differs::{Outcome, Setting};
use super::tgsi_exec::{vectors, ways};
use super::{File, check_lines};
use serde_json::{Value, json};
use std::path::Path;
use vecasm::isa::tgsi::lift::lift;
use vecasm::isa::tgsi::{Program, text};

/// What a program gives by the language.
enum ExpectedResult {
    /// What the interpreter gives: the language leaves it open.
    Same,
    /// It is refused.
    Refused,
    /// Four words for each invocation, from those of the inputs `IN[0]` and `IN[1]` of all four, for output `n`.
    Words(fn(&[Inputs; 4], usize, usize) -> [u32; 4]),
    /// Four words for each invocation in buffers.
    Memory(&'static [(&'static str, Texel)]),
    /// As many vertices of the primitives as come first.
    Vertices(usize),
}

/// Four words of memory, from the number of the invocation.
type Texel = fn(u32) -> [u32; 4];

/// The inputs of an invocation.
type Inputs = [[u32; 4]; 2];

/// The beginning of the id of rows, where it stands, and what they give.
type Rule = (&'static str, &'static str, ExpectedResult);

/// The beginning of the id of rows, and what they give by the language: a paragraph of the reference, or the manual.
const RULES: &[Rule] = &[
    (
        "quirk/DADD-neg",
        "modifiers are those of doubles",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, y| -x + y.abs())),
    ),
    (
        "quirk/DMUL-neg",
        "modifiers are those of doubles",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, y| -x * y.abs())),
    ),
    (
        "quirk/DMAX-neg",
        "modifiers are those of doubles",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, y| (-x).max(y.abs()))),
    ),
    ("quirk/DADD-mask-", "half of a pair cannot be written", ExpectedResult::Refused),
    (
        "quirk/I2D-neg",
        "the modifier is that of integers",
        ExpectedResult::Words(|all, lane, _| {
            let [x, y, ..] = all[lane][0];
            words([x, y].map(|x| f64::from((x as i32).wrapping_neg())))
        }),
    ),
    (
        "quirk/indirect-dst-divergent/",
        "each invocation writes at its own index",
        ExpectedResult::Words(|all, lane, n| {
            // Zero everywhere, and 10 where the index is that of the register that goes to this output.
            [if all[lane][0][0] == n as u32 { 10.0f32.to_bits() } else { 0 }; 4]
        }),
    ),
    (
        "quirk/switch-divergent-brk/",
        "BRK is for those who run it",
        ExpectedResult::Words(|all, lane, _| {
            let [x, stops, ..] = all[lane][0];
            let f = |x: f32| x.to_bits();
            match (x, stops) {
                (0, 0) => [f(1.0), f(10.0), f(100.0), 0],
                (0, _) => [f(1.0), 0, 0, 0],
                (1, _) => [0, 0, f(100.0), 0],
                _ => [0; 4],
            }
        }),
    ),
    (
        "quirk/switch-default-first/",
        "DEFAULT is for those who have no case, wherever it stands",
        ExpectedResult::Words(|all, lane, _| {
            let f = |x: f32| x.to_bits();
            if all[lane][0][0] == 1 { [0, f(10.0), 0, 0] } else { [f(1.0), 0, 0, 0] }
        }),
    ),
    ("quirk/abs-on-int", "the language does not say what it is", ExpectedResult::Same),
    (
        "quirk/sat-on-int",
        "the language does not say what it is",
        ExpectedResult::Words(|all, lane, _| {
            all[lane][0].map(|x| {
                let sum = f32::from_bits(x.wrapping_add(1));
                if sum > 0.0 { sum.min(1.0).to_bits() } else { 0 }
            })
        }),
    ),
    (
        "quirk/unimplemented-FMA",
        "rounded once",
        ExpectedResult::Words(|all, lane, _| {
            let [x, y] = all[lane].map(|words| words.map(f32::from_bits));
            std::array::from_fn(|n| x[n].mul_add(y[n], x[n]).to_bits())
        }),
    ),
    (
        "quirk/unimplemented-DFMA",
        "rounded once",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, y| x.mul_add(y, x))),
    ),
    (
        "quirk/unimplemented-DTRUNC",
        "11.4",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, _| x.trunc())),
    ),
    (
        "quirk/unimplemented-DCEIL",
        "11.4",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, _| x.ceil())),
    ),
    (
        "quirk/unimplemented-DROUND",
        "11.4: halves to even",
        ExpectedResult::Words(|all, lane, _| wide(&all[lane], |x, _| x.round_ties_even())),
    ),
    (
        "quirk/unimplemented-DSSG",
        "11.4",
        ExpectedResult::Words(|all, lane, _| {
            wide(&all[lane], |x, _| {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    0.0
                }
            })
        }),
    ),
    (
        "quirk/unimplemented-TEX_LZ",
        "nothing is bound",
        ExpectedResult::Words(|_, _, _| [0, 0, 0, 1.0f32.to_bits()]),
    ),
    (
        "quirk/unimplemented-READ_FIRST",
        "that of the first invocation",
        ExpectedResult::Words(|all, _, _| all[0][0]),
    ),
    (
        "quirk/unimplemented-BALLOT",
        "a bit for each invocation whose x is not zero, low word first",
        ExpectedResult::Words(|all, _, _| {
            let set = all.iter().enumerate().filter(|(_, of)| of[0][0] != 0);
            [set.fold(0, |bits, (lane, _)| bits | 1 << lane), 0, 0, 0]
        }),
    ),
    (
        "quirk/unimplemented-VOTE_ANY",
        "whether it is not zero in any",
        ExpectedResult::Words(|all, _, _| {
            std::array::from_fn(|n| if all.iter().any(|of| of[0][n] != 0) { u32::MAX } else { 0 })
        }),
    ),
    (
        "quirk/legacy-math",
        "a factor of zero gives zero",
        ExpectedResult::Words(|all, lane, _| {
            let [x, y] = all[lane].map(|words| words.map(f32::from_bits));
            std::array::from_fn(|n| if x[n] == 0.0 || y[n] == 0.0 { 0 } else { (x[n] * y[n]).to_bits() })
        }),
    ),
    (
        "quirk/atom-mask",
        "only the components of the mask are written",
        ExpectedResult::Memory(&[("1", |lane| [0x64 + 3 * lane, 9, 9, 9])]),
    ),
    (
        "quirk/gs-max-vertices-per-primitive",
        "the limit is that of the invocation",
        ExpectedResult::Vertices(2),
    ),
];

fn doubles(words: [u32; 4]) -> [f64; 2] {
    let double = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32);
    [double(words[0], words[1]), double(words[2], words[3])]
}

fn words(doubles: [f64; 2]) -> [u32; 4] {
    let [x, y] = doubles.map(f64::to_bits);
    [x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32]
}

/// Both pairs of the inputs through a function.
fn wide(of: &Inputs, f: fn(f64, f64) -> f64) -> [u32; 4] {
    let [x, y] = of.map(doubles);
    words([f(x[0], y[0]), f(x[1], y[1])])
}

/// `quirks.jsonl`: as recorded with the faults, and as the language means it without.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let mut file = check_lines(shared, "oracle/tgsi/quirks.jsonl", |report, id, row| {
        let Some((_, rule, should)) = rule_of(id) else {
            return report.case(id, Err("no rule says what it should be".into()));
        };
        report.case(id, case(row, should).map_err(|why| format!("{why} ({rule})")));
    });
    if !file.is_absent() {
        let seen: Vec<&str> = file.ids().filter_map(|id| Some(rule_of(id)?.0)).collect();
        let unseen: Vec<&str> = RULES.iter().map(|rule| rule.0).filter(|rule| !seen.contains(rule)).collect();
        for id in unseen {
            file.add_outcome(id, Err("no row is of this kind".into()));
        }
    }
    vec![file]
}

/// The rule of a row.
fn rule_of(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|(of, _, _)| id.starts_with(of))
}

fn case(row: &Value, should: &ExpectedResult) -> Result<(), String> {
    let (program, mut row) = read(row)?;
    ways(&program, &row, &Setting::MESA).map_err(|why| format!("as tgsi_exec: {why}"))?;
    let language = Setting::LANGUAGE;
    let meant = match should {
        ExpectedResult::Refused => match lift(&program, &language.options()) {
            Ok(_) => Err("it is lifted".into()),
            Err(_) => Ok(()),
        },
        ExpectedResult::Same => ways(&program, &row, &language),
        ExpectedResult::Memory(buffers) => {
            for (name, of) in *buffers {
                let words: Vec<String> = (0..4).flat_map(of).map(|word| format!("{word:08x}")).collect();
                row["expect"]["buf"][*name] = words.join(" ").into();
            }
            ways(&program, &row, &language)
        }
        ExpectedResult::Vertices(most) => {
            let list = row["expect"]["streams"].as_array_mut().ok_or("no streams")?;
            let mut rest = *most;
            for primitive in list.iter_mut() {
                let vertices = primitive[1].as_array_mut().ok_or("a primitive has no vertices")?;
                vertices.truncate(rest);
                rest -= vertices.len();
            }
            ways(&program, &row, &language)
        }
        ExpectedResult::Words(of) => {
            let inputs = inputs(&row)?;
            let outputs = row["expect"]["out"].as_object_mut().ok_or("no outputs")?;
            for (name, lanes) in outputs {
                let n = name.parse().map_err(|_| format!("{name} is no number"))?;
                let vector = |lane| of(&inputs, lane, n).map(|word| format!("{word:08x}")).join(" ");
                *lanes = (0..4).map(vector).collect();
            }
            ways(&program, &row, &language)
        }
    };
    meant.map_err(|why| format!("by the language: {why}"))
}

/// The program of a row, and the row.
fn read(row: &Value) -> Result<(Program, Value), String> {
    let source = row.get("text").and_then(Value::as_str).ok_or("no text")?;
    let (program, findings) = text::parse(source, &text::ParseOptions::default());
    let program = program.ok_or_else(|| format!("the text is refused: {findings:?}"))?;
    // The sign of a NaN that arithmetic gives is not a value of the IR.
    let mut row = row.clone();
    row["tol"] = json!("num");
    Ok((program, row))
}

/// A row in every way.
pub(super) fn by(_: &Path, _: &str, row: &Value, setting: &Setting) -> Outcome {
    Outcome::Ran(read(row).and_then(|(program, row)| ways(&program, &row, setting)))
}

/// What the invocations are given.
fn inputs(row: &Value) -> Result<[Inputs; 4], String> {
    let mut out = [[[0; 4]; 2]; 4];
    for (n, name) in ["0", "1"].into_iter().enumerate() {
        let Some(list) = row["in"].get(name) else { continue };
        for (lane, vector) in out.iter_mut().zip(vectors(list)?) {
            lane[n] = vector;
        }
    }
    Ok(out)
}
