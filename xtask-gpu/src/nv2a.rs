//! Programs of the NV2A, written exactly: every bit of every output has to be the interpreter's.

use crate::integers::{same, word};
use crate::{CheckSetup, Report, root};
use std::path::{Path, PathBuf};
use vecasm::exec::Batch;
use vecasm::ir::Shader;
use vecasm::ir::random::Rng;
use vecasm::isa::any::LiftOptions;
use vecasm::isa::nv2a::lift::{ConstantWrites, Numerics};
use vecasm::isa::nv2a::{self, Field, Program, Slot, table};
use vecasm::isa::{AnyProgram, Isa};

/// Random programs.
const RANDOM: u64 = 20;
/// Slots of each.
const SLOTS: u32 = 24;

/// The examples, random slots, and the programs of the corpus if it is there.
pub(crate) fn programs(given: &CheckSetup<'_>) -> Report {
    let mut report = Report::default();
    let mut all: Vec<(String, Result<Program, String>)> = Vec::new();
    for file in files(&root().join("examples/nv2a"), "vsh") {
        all.push((name(&file), text(&file)));
    }
    let own = all.len();
    for seed in 0..RANDOM {
        all.push((format!("random slots {seed}"), Ok(random(&mut Rng::new(seed)))));
    }
    let corpus = given.shared.map(|shared| files(&shared.join("corpus/nv2a"), "words")).unwrap_or_default();
    let of_corpus = corpus.len();
    for file in corpus {
        all.push((name(&file), words(&file)));
    }
    let mut totals = Totals::default();
    for (seed, (name, program)) in (0..).zip(&all) {
        let outcome = program.as_ref().map_err(Clone::clone).and_then(|program| {
            let shader = lifted(program)?;
            if shader.outputs.is_empty() {
                return Ok(false);
            }
            compare(given, &shader, seed, &mut totals).map(|()| true)
        });
        match outcome {
            Ok(true) => totals.programs += 1,
            Ok(false) => totals.empty += 1,
            Err(why) => report.wrong.push(format!("{name}: {why}")),
        }
    }
    report.compared = format!(
        "{} programs ({own} of the examples, {RANDOM} random, {of_corpus} of the corpus; {} without outputs) on {} \
         vertices each, {} words",
        totals.programs, totals.empty, given.vertices, totals.words
    );
    if totals.programs < 20 && report.wrong.is_empty() {
        report.wrong.push("fewer than 20 programs".into());
    }
    report
}

#[derive(Default)]
struct Totals {
    programs: usize,
    empty: usize,
    words: usize,
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| entry.ok().map(|e| e.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn text(file: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    match AnyProgram::parse(Isa::Nv2a, &text, None, None) {
        (Some(AnyProgram::Nv2a(program)), _) => Ok(program),
        (_, findings) => Err(format!("{findings:?}")),
    }
}

/// A list of words in C's notation, four a slot.
pub(crate) fn words(file: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let mut words = Vec::new();
    for word in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").ok_or_else(|| format!("{word} is no word"))?;
        words.push(u32::from_str_radix(digits, 16).map_err(|e| format!("{word}: {e}"))?);
    }
    let slots = words.chunks_exact(4).map(|w| Slot([w[0], w[1], w[2], w[3]])).collect();
    Ok(Program::new(slots))
}

/// The meaning of a program in the arithmetic of the machine; constants that it writes are its own.
pub(crate) fn lifted(program: &Program) -> Result<Shader, String> {
    let mut options = LiftOptions::default();
    options.nv2a.numerics = Numerics::Nv20;
    options.nv2a.switches.c_write = ConstantWrites::Vertex;
    nv2a::lift::lift(program, &options.nv2a).map_err(|e| e.to_string())
}

/// Slots with all operations, files, masks and outputs; each writes something.
fn random(rng: &mut Rng) -> Program {
    let mut slots = Vec::new();
    for number in 0..SLOTS {
        let mut words = [0; 4];
        let mut set = |field: Field, value: u32| field.set(&mut words, value);
        let (mac, ilu) = (rng.below(14) as u32, if rng.one_in(2) { rng.below(8) as u32 } else { 0 });
        set(Field::Mac, mac);
        set(Field::Ilu, ilu);
        set(Field::Const, rng.below(table::CONSTANTS as usize) as u32);
        set(Field::Input, rng.below(table::ATTRIBUTES as usize) as u32);
        for (mux, temporary, neg, swizzle) in [
            (Field::AMux, Field::ATempReg, Field::ANeg, Field::ASwz),
            (Field::BMux, Field::BTempReg, Field::BNeg, Field::BSwz),
            (Field::CMux, Field::CTempReg, Field::CNeg, Field::CSwz),
        ] {
            set(mux, 1 + rng.below(3) as u32);
            set(temporary, rng.below(table::POSITION_SHADOW as usize + 1) as u32);
            set(neg, u32::from(rng.one_in(4)));
            let straight = table::swizzle_to_field(vecasm::isa::operand::Swizzle::IDENTITY);
            set(swizzle, if rng.one_in(2) { straight } else { rng.below(256) as u32 });
        }
        set(Field::OutMacMask, if rng.one_in(3) { 15 } else { rng.below(16) as u32 });
        set(Field::OutIluMask, if rng.one_in(3) { 15 } else { rng.below(16) as u32 });
        set(Field::OutTempReg, rng.below(table::TEMPORARIES as usize) as u32);
        // Outputs mostly, constants sometimes; near the end every output in turn.
        let outputs = table::OUTPUTS;
        let late = (SLOTS - number) as usize <= outputs.len();
        let output = &outputs[if late { (SLOTS - number) as usize - 1 } else { rng.below(outputs.len()) }];
        let to_constant = !late && rng.one_in(8);
        set(Field::OutOMask, if late { 15 } else { rng.below(16) as u32 });
        set(Field::OutOrb, u32::from(!to_constant));
        let constant = rng.below(table::CONSTANTS as usize) as u32;
        set(Field::OutAddress, if to_constant { constant } else { u32::from(output.number) });
        set(Field::OutMux, u32::from(ilu != 0 && rng.one_in(2)));
        set(Field::A0x, u32::from(rng.one_in(5)));
        set(Field::Final, u32::from(number + 1 == SLOTS));
        slots.push(Slot(words));
    }
    Program::new(slots)
}

/// Half of the vertices with ordinary constants, half with special ones among them.
fn compare(given: &CheckSetup<'_>, shader: &Shader, seed: u64, totals: &mut Totals) -> Result<(), String> {
    let rng = &mut Rng::new(seed);
    let halves = [given.vertices / 2, given.vertices - given.vertices / 2];
    for (count, special) in halves.into_iter().zip([false, true]) {
        let mut four = |special: bool| -> [u32; 4] {
            std::array::from_fn(|_| match special {
                true => word(rng),
                // -8..8, as matrices and lights have them, and no more than the places of constants.
                false => (rng.below(4096) as f32 / 256.0 - 8.0).to_bits(),
            })
        };
        let batch = Batch {
            count,
            inputs: shader
                .inputs
                .iter()
                .map(|_| (0..count).map(|vertex| four(vertex % 2 == 1)).collect())
                .collect(),
            params: shader.params.iter().map(|p| (0..p.size).map(|_| four(special)).collect()).collect(),
            ..Batch::default()
        };
        totals.words += same(given, shader, &batch)?;
    }
    Ok(())
}
