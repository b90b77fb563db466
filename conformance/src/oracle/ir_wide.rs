//! Operations on 64-bit values in languages that have none: each of them, on one lane and on two, on the values where
//! functions change their ways and on random ones. What the text gives has to be what the IR says, bit for bit.

use super::{File, Results};
use crate::msl;
use crate::wgsl_run::{Language, UNREAD, Written, glslang_on_path};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use vecasm::emit;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine as _};
use vecasm::ir::op::Slot;
use vecasm::ir::random::Rng;
use vecasm::ir::text::parse_any;
use vecasm::ir::{Pure, Scalar, Shader};

/// Doubles of either sign: zeros, denormals, powers of two and their neighbours, halves, what integers begin and end
/// with, infinities and NaN.
const DOUBLES: [u64; 30] = [
    0,
    1,
    2,
    3,
    0x0008_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x36a0_0000_0000_0000, // 2^-149, the least f32
    0x3690_0000_0000_0000, // half of it
    0x380f_ffff_f000_0000, // between the largest denormal f32 and the least normal one
    0x3ca0_0000_0000_0000, // 2^-53
    0x3fdf_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000, // 0.5
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000, // 1
    0x3ff0_0000_0000_0001,
    0x3ff8_0000_0000_0000, // 1.5
    0x4004_0000_0000_0000, // 2.5
    0x41df_ffff_ffc0_0000, // 2^31 - 1
    0x41e0_0000_0000_0000, // 2^31
    0x41ef_ffff_fff0_0000, // 2^32 - 1/2
    0x4330_0000_0000_0001, // 2^52 + 1
    0x43df_ffff_ffff_ffff, // below 2^63
    0x43e0_0000_0000_0000, // 2^63
    0x43f0_0000_0000_0000, // 2^64
    0x47ef_ffff_f000_0000, // between the largest f32 and the infinity
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
];

/// Integers: small ones, and those around the ends of words, of both signs, and of the bits that a float keeps.
const INTEGERS: [u64; 24] = [
    0,
    1,
    2,
    3,
    31,
    32,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x00ff_ffff_8000_0000,
    0x0100_0001_0000_0000,
    0x001f_ffff_ffff_ffff,
    0x0020_0000_0000_0001,
    0x0030_0000_0000_0001,
    0x7fff_ffff_ffff_fdff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

/// Random invocations of each operation, beside all pairs of special values.
const RANDOM: usize = 600;

/// Every operation in every language that is run.
pub(crate) fn wide(_: &Path) -> Vec<File<'_>> {
    let languages = [Language::Wgsl, Language::GlslEs, Language::Hlsl].into_iter();
    languages.map(wide_in).chain([wide_as_msl()]).collect()
}

fn wide_in<'a>(language: Language) -> File<'a> {
    let mut file = File::new(format!("64-bit operations by words (as {})", language.name()));
    if language != Language::Wgsl && glslang_on_path().is_none() {
        match std::env::var_os("CI") {
            Some(_) => file.add_outcome("glslang", Err("not on the path, and this is CI".into())),
            None => file.add_skip("glslang", "glslangValidator is not on the path"),
        }
        return file;
    }
    // Doubles that HLSL has itself are no matter of words, and glslang has no function for theirs.
    for (op, scalar) in operations(|scalar| language != Language::Hlsl || scalar != Scalar::F64) {
        for lanes in 1..=2 {
            file.add(name_of(op, scalar, lanes), move |report, id| {
                match check(language, op, scalar, lanes) {
                    Err(why) if why.contains(UNREAD) => report.skip(UNREAD),
                    outcome => report.case(id, outcome),
                }
            });
        }
    }
    file
}

fn name_of(op: Pure, scalar: Scalar, lanes: u8) -> String {
    format!("{} of {lanes} lanes of {}", op.name(), scalar.name())
}

/// The same as MSL, by a compiler of C++, which compiles many together: whoever asks for one gets those beside it compiled.
fn wide_as_msl<'a>() -> File<'a> {
    let mut file = File::new("64-bit operations by words (as msl)");
    let Some(compiler) = crate::validate::on_path("g++") else {
        file.add_skip("g++", "g++ is not on the path");
        return file;
    };
    let all = operations(|_| true);
    let all: Vec<(Pure, Scalar, u8)> =
        all.into_iter().flat_map(|(op, scalar)| [(op, scalar, 1), (op, scalar, 2)]).collect();
    let judge = LazyLock::new(move || {
        Folder::new().and_then(|folder| Ok((msl::Judge::new(compiler, &folder.0)?, folder)))
    });
    let names: Vec<String> = all.iter().map(|&(op, scalar, lanes)| name_of(op, scalar, lanes)).collect();
    let groups = all.len().div_ceil(msl::TOGETHER);
    let results = Results::new(groups, move |n| {
        let (judge, _) = judge.as_ref().map_err(Clone::clone)?;
        // Neighbours are in other groups, so that threads that take one after the other do not wait for each other.
        let group: Vec<_> = all.iter().skip(n).step_by(groups).copied().collect();
        Ok(compiled(judge, n, &group))
    });
    file.add_all(names.into_iter().zip(0..), move |report, id, &n: &usize| {
        let group: &Result<Vec<Result<(), String>>, String> = results.get(n % groups);
        match group {
            Ok(outcomes) => report.case(id, outcomes[n / groups].clone()),
            Err(why) => report.case("the judge", Err(why.clone())),
        }
    });
    file
}

/// A folder for files of a compiler, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("vecasm-wide-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the judge says of some operations.
fn compiled(judge: &msl::Judge, group: usize, all: &[(Pure, Scalar, u8)]) -> Vec<Result<(), String>> {
    let shaders: Vec<_> = all
        .iter()
        .map(|&(op, scalar, lanes)| {
            let batch = batch_of(&given_to(op, scalar, lanes));
            (name_of(op, scalar, lanes), batch, shader_of(op, scalar, lanes))
        })
        .collect();
    let mut outcomes: Vec<Result<(), String>> = Vec::new();
    let mut jobs = Vec::new();
    for (id, batch, shader) in &shaders {
        let written = shader.as_ref().map_err(Clone::clone).and_then(|shader| {
            let output = emit::msl::write(shader, &emit::msl::Options::default());
            output.map(|output| (shader, output)).map_err(|e| e.to_string())
        });
        outcomes.push(match written {
            Ok((shader, output)) => {
                jobs.push((outcomes.len(), msl::Job { id, shader, output, given: Some(batch) }));
                Ok(())
            }
            Err(why) => Err(why),
        });
    }
    let (places, jobs): (Vec<usize>, Vec<_>) = jobs.into_iter().unzip();
    for (at, checked) in places.into_iter().zip(judge.check_together(group, &jobs)) {
        outcomes[at] = match checked {
            msl::Checked::Ran => Ok(()),
            msl::Checked::Compiled => Err("it was not run".into()),
            msl::Checked::Wrong(why) => Err(why),
        };
    }
    outcomes
}

/// The operations on 64-bit values that `soft` has, with the type that varies.
fn operations(soft: impl Fn(Scalar) -> bool) -> Vec<(Pure, Scalar)> {
    let soft = |scalar: Scalar| scalar.is_wide() && soft(scalar);
    let mut found = Vec::new();
    for op in Pure::ALL.iter().copied() {
        for scalar in Scalar::ALL.into_iter().filter(|scalar| op.type_class().has(*scalar)) {
            let of = |slot: Slot| match slot {
                Slot::T => scalar,
                Slot::Is(scalar) => scalar,
            };
            let fixed = op.slots().iter().all(|slot| matches!(slot, Slot::Is(_)));
            let all: Vec<Scalar> = op.slots().iter().map(|slot| of(*slot)).chain([of(op.result())]).collect();
            let own = all.iter().any(|scalar| scalar.is_wide() && !soft(*scalar));
            if !all.iter().any(|scalar| soft(*scalar)) || own || fixed && scalar != Scalar::U32 {
                continue;
            }
            found.push((op, scalar));
        }
    }
    found
}

/// A shader that does one operation on what the words of its inputs are.
fn shader_of(op: Pure, scalar: Scalar, lanes: u8) -> Result<Shader, String> {
    let many = |scalar: Scalar, lanes: u8| match lanes {
        1 => scalar.name().to_string(),
        _ => format!("{}x{lanes}", scalar.name()),
    };
    let mut text = String::from("fragment ir\n");
    for n in 0..op.arity() {
        let _ = writeln!(text, "  input {n} i{n} varying {n} : u32x4 flat");
    }
    text.push_str("  output 0 o color 0 : u32\n\n  %0 = const 0 : u32\n");
    let mut next = 1;
    let mut line = |what: String| {
        let _ = writeln!(text, "  %{next} = {what}");
        next += 1;
        next - 1
    };
    let [low, high, first] = if lanes == 1 { ["x", "y", "x"] } else { ["xz", "yw", "xz"] };
    let mut args = Vec::new();
    for (n, slot) in op.slots().iter().enumerate() {
        let of = match *slot {
            Slot::T => scalar,
            Slot::Is(scalar) => scalar,
        };
        let words = line(format!("input i{n} : u32x4"));
        let packed = |line: &mut dyn FnMut(String) -> u32| {
            line(format!("pack64 %{words}.{low} %{words}.{high} : {}", many(Scalar::U64, lanes)))
        };
        let ty = many(of, lanes);
        args.push(match of {
            Scalar::U64 => format!("%{}", packed(&mut line)),
            Scalar::F64 | Scalar::I64 => {
                let bits = packed(&mut line);
                format!("%{}", line(format!("as_{} %{bits} : {ty}", of.name())))
            }
            Scalar::Bool => {
                let zero = if lanes == 1 { "%0" } else { "%0.xx" };
                format!("%{}", line(format!("ne %{words}.{first} {zero} : {ty}")))
            }
            Scalar::U32 => format!("%{words}.{first}"),
            _ => format!("%{}", line(format!("as_{} %{words}.{first} : {ty}", of.name()))),
        });
    }
    let to = match op.result() {
        Slot::T => scalar,
        Slot::Is(scalar) => scalar,
    };
    let given = if op.reduces() { 1 } else { lanes };
    let result = line(format!("{} {} : {}", op.name(), args.join(" "), many(to, given)));
    let bits = many(Scalar::U32, given);
    let mask = if given == 1 { "x" } else { "xy" };
    let (value, mask) = match to {
        Scalar::U32 => (result, mask),
        Scalar::Bool => (line(format!("to_u32 %{result} : {bits}")), mask),
        to if !to.is_wide() => (line(format!("as_u32 %{result} : {bits}")), mask),
        _ => {
            let [low, high] = ["low64", "high64"].map(|half| line(format!("{half} %{result} : {bits}")));
            let all = line(format!("compose %{low} %{high} : u32x{}", given * 2));
            (all, if given == 1 { "xy" } else { "xyzw" })
        }
    };
    let _ = writeln!(text, "  store o.{mask} %{value}");
    parse_any(&text).map_err(|e| format!("{e:?}, of\n{text}"))
}

/// The bits of one lane of an argument.
fn lane(scalar: Scalar, rng: &mut Rng) -> u64 {
    let word = |rng: &mut Rng| u64::from(rng.bits()) << 32 | u64::from(rng.bits());
    match scalar {
        Scalar::F64 => match rng.below(4) {
            0 => DOUBLES[rng.below(DOUBLES.len())] ^ u64::from(rng.bits() & 1) << 63,
            1 => word(rng),
            // Near one another, with few bits or many: sums cancel, and results fall half-way.
            2 => word(rng) & !(0x7ff << 52) | (1020 + rng.below(8) as u64) << 52,
            _ => {
                let exponent = [0, 1, 512, 1022, 1023, 1075, 1536, 2045][rng.below(8)] as u64;
                let bits = rng.below(53) as u32;
                (word(rng) & !0 << bits) & !(0x7ff << 52) | exponent << 52
            }
        },
        Scalar::I64 | Scalar::U64 => match rng.below(3) {
            0 => INTEGERS[rng.below(INTEGERS.len())],
            1 => word(rng) >> rng.below(64),
            _ => (word(rng) as i64 >> rng.below(64)) as u64,
        },
        Scalar::F32 if rng.one_in(2) => u64::from(rng.float()),
        Scalar::F32 => u64::from(rng.bits()),
        Scalar::Bool => u64::from(rng.bits() & 1),
        // Counts, and other numbers.
        _ => match rng.below(4) {
            0 => u64::from(rng.bits()),
            1 => [0, 1, 31, 32, 33, 63, 64, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff][rng.below(10)],
            2 => (rng.below(4400) as i64 - 2200) as u64 & 0xffff_ffff,
            _ => rng.below(64) as u64,
        },
    }
}

/// What an operation is tried on.
fn given_to(op: Pure, scalar: Scalar, lanes: u8) -> Vec<Vec<[u64; 2]>> {
    let scalars: Vec<Scalar> = op
        .slots()
        .iter()
        .map(|slot| match *slot {
            Slot::T => scalar,
            Slot::Is(scalar) => scalar,
        })
        .collect();
    let mut rng = Rng::new(op as u64 * 8 + scalar as u64);
    let mut given: Vec<Vec<[u64; 2]>> = Vec::new();
    let special = |scalar: Scalar| match scalar {
        Scalar::F64 => DOUBLES.iter().flat_map(|bits| [*bits, bits | 1 << 63]).collect(),
        Scalar::I64 | Scalar::U64 => INTEGERS.to_vec(),
        _ => Vec::new(),
    };
    // Every special value, with every other one if there are two arguments.
    for x in special(scalars[0]) {
        let others = scalars.get(1).map_or(vec![0], |scalar| special(*scalar));
        let others = if lanes == 1 && scalars.len() == 2 { others } else { vec![lane(scalars[0], &mut rng)] };
        for y in others {
            let mut args: Vec<[u64; 2]> =
                scalars.iter().map(|scalar| [lane(*scalar, &mut rng), lane(*scalar, &mut rng)]).collect();
            args[0][0] = x;
            if let Some(arg) = args.get_mut(1).filter(|_| scalars[1].is_wide()) {
                arg[0] = y;
            }
            given.push(args);
        }
    }
    for n in 0..RANDOM {
        let mut args: Vec<[u64; 2]> =
            scalars.iter().map(|scalar| [lane(*scalar, &mut rng), lane(*scalar, &mut rng)]).collect();
        if op == Pure::Fma && n % 2 == 0 {
            // A sum that nearly cancels.
            let [x, y] = [args[0][0], args[1][0]].map(f64::from_bits);
            args[2][0] = (-(x * y)).to_bits() ^ u64::from(rng.bits() & 3);
        }
        given.push(args);
    }
    given.resize(given.len().next_multiple_of(4), given[0].clone());
    given
}

/// The same as inputs of a shader.
fn batch_of(given: &[Vec<[u64; 2]>]) -> Batch<'static> {
    let words = |n: usize| {
        let words = |args: &Vec<[u64; 2]>| {
            let [x, y] = args[n];
            [x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32]
        };
        given.iter().map(words).collect()
    };
    let arity = given.first().map_or(0, Vec::len);
    Batch { count: given.len(), inputs: (0..arity).map(words).collect(), ..Batch::default() }
}

fn check(language: Language, op: Pure, scalar: Scalar, lanes: u8) -> Result<(), String> {
    let shader = shader_of(op, scalar, lanes)?;
    let given = given_to(op, scalar, lanes);
    let batch = batch_of(&given);
    let expected = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
    let got = Written { own_math: true, nan: 0, language }.run(&shader, &batch).map_err(|e| e.to_string())?;
    for (i, args) in given.iter().enumerate() {
        let (got, wanted) = (got.cells[0][i], expected.cells[0][i]);
        // What stands between has no place for the sign and the payload of the NaN of a float.
        let nan = |word: u32| f32::from_bits(word).is_nan();
        let same = (0..4).all(|n| {
            got[n] == wanted[n] || op.result() == Slot::Is(Scalar::F32) && nan(got[n]) && nan(wanted[n])
        });
        if !same {
            return Err(format!("of {args:x?}: {got:08x?}, not {wanted:08x?}"));
        }
    }
    Ok(())
}
