//! Made-up inputs of every example: as a run file they read back the same, and their values are in range.

use crate::trial;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::{InputKind, Scalar, Shader, System};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Isa};
use vecasm_native::Jit;

pub(crate) fn trials(root: &Path) -> Vec<Trial> {
    let examples = root.join("../examples");
    vec![
        trial("made-up inputs of examples read back".into(), move || examples_read_back(&examples)),
        trial("made-up inputs of each type read back".into(), types_read_back),
        trial("made-up system values have their range".into(), in_range),
        trial("a bool is any word".into(), any_word),
    ]
}

fn shader(isa: Isa, text: &str) -> Result<Shader, String> {
    let (program, findings) = AnyProgram::parse(isa, text, None, None);
    let program = program.ok_or_else(|| format!("{findings:?}"))?;
    program.lift(&LiftOptions::default()).map_err(|finding| finding.to_string())
}

/// A file made up for a shader is, once printed, the same file.
fn reads_back(shader: &Shader, count: usize) -> Result<(), String> {
    let file = RunFile::random(shader, count, 3);
    let text = file.to_json(shader);
    let back = RunFile::parse(&text, shader).map_err(|error| format!("{error}\n{text}"))?;
    let (fuel, engine) = (Some(64), Interp);
    let run = |file: &RunFile| engine.run(shader, &Batch { fuel, ..file.batch() });
    let (first, second) = (run(&file), run(&back));
    match (first, second) {
        (Ok(first), Ok(second)) if first == second => Ok(()),
        (Err(first), Err(second)) if first == second => Ok(()),
        (first, second) => Err(format!("{:?} and {:?} differ\n{text}", first.err(), second.err())),
    }
}

fn examples_read_back(folder: &Path) -> Result<(), String> {
    let mut files: Vec<PathBuf> = Vec::new();
    crate::walk(folder, folder, &mut files);
    let mut tried = 0;
    for file in files {
        let isa = match file.extension().and_then(|e| e.to_str()) {
            Some("agal") => Isa::Agal,
            Some("d3d9") => Isa::D3d9,
            Some("tgsi") => Isa::Tgsi,
            Some("vsh") => Isa::Nv2a,
            _ => continue,
        };
        let text = std::fs::read_to_string(folder.join(&file)).map_err(|error| error.to_string())?;
        // Some are wrong on purpose.
        let Ok(shader) = shader(isa, &text) else { continue };
        for count in [1, 3, 8] {
            reads_back(&shader, count).map_err(|why| format!("{}, {count}: {why}", file.display()))?;
        }
        tried += 1;
    }
    if tried > 80 { Ok(()) } else { Err(format!("only {tried} examples could be tried")) }
}

/// Bools, integers and words as constants, and a texture that makes quads.
const TYPES: [(Isa, &str); 5] = [
    (Isa::D3d9, "vs_2_0\ndcl_position v0\nmov r0, c0\nif !b2\nmov r0, v0\nendif\nmov oPos, r0\n"),
    (
        Isa::D3d9,
        "vs_3_0\ndcl_position v0\ndcl_position o0\nmov r0, v0\nloop aL, i1\nadd r0, r0, c[aL]\nendloop\nmov o0, r0\n",
    ),
    (
        Isa::Tgsi,
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\n\
         ISGE TEMP[0].x, IN[0].xxxx, CONST[0].xxxx\nMOV OUT[0], TEMP[0].xxxx\nEND\n",
    ),
    (
        Isa::Tgsi,
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0]\n\
         USHR TEMP[0].x, CONST[1].xxxx, CONST[0].yyyy\nMUL OUT[0], IN[0], CONST[1].xyzw\nEND\n",
    ),
    (
        Isa::Tgsi,
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
         TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n",
    ),
];

fn types_read_back() -> Result<(), String> {
    for (isa, text) in TYPES {
        let shader = shader(isa, text)?;
        for count in [1, 3, 8] {
            reads_back(&shader, count).map_err(|why| format!("{why}\n{text}"))?;
        }
        let file = RunFile::random(&shader, 8, 1);
        for (array, elements) in shader.params.iter().zip(&file.params) {
            let most = match array.scalar {
                Scalar::Bool => 1,
                Scalar::I32 => 7,
                _ => continue,
            };
            if elements.iter().flatten().any(|&word| word > most) {
                return Err(format!("{} is {elements:x?}\n{text}", array.name));
            }
        }
    }
    Ok(())
}

fn in_range() -> Result<(), String> {
    let text = "FRAG\nDCL IN[0], FACE, CONSTANT\nDCL IN[1], POSITION, LINEAR\nDCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEPOS\nDCL OUT[0], COLOR\n\
                DCL TEMP[0]\nMUL TEMP[0], IN[0].xxxx, IN[1]\nADD TEMP[0], TEMP[0], SV[1].xyxy\nDDX TEMP[0], TEMP[0]\n\
                UADD OUT[0], TEMP[0], SV[0].xxxx\nEND\n";
    let shader = shader(Isa::Tgsi, text)?;
    let count = 4096;
    let file = RunFile::random(&shader, count, 1);
    let float = |word: u32| f32::from_bits(word);
    for (input, list) in shader.inputs.iter().zip(&file.inputs) {
        let fine = match input.kind {
            // Half of them, but for five times the deviation.
            InputKind::System(System::FrontFacing) => {
                let front = list.iter().filter(|word| word[0] == 1).count();
                list.iter().all(|word| word[0] < 2) && front.abs_diff(count / 2) < 5 * 32
            }
            InputKind::System(System::SampleIndex) => list.iter().all(|word| word[0] < 4),
            InputKind::System(System::SamplePosition) => list
                .iter()
                .all(|at| (0.0..=1.0).contains(&float(at[0])) && (0.0..=1.0).contains(&float(at[1]))),
            InputKind::System(System::FragCoord) => list.chunks(4).all(|quad| {
                let at = |i: usize| quad[i].map(f32::from_bits);
                let [x, y, ..] = at(0);
                x.fract() == 0.5
                    && y.fract() == 0.5
                    && (0..4).all(|i| at(i)[0] == x + (i & 1) as f32 && at(i)[1] == y + (i >> 1) as f32)
                    && (0..4).all(|i| (0.0..=1.0).contains(&at(i)[2]) && at(i)[3] > 0.0)
            }),
            _ => false,
        };
        if !fine {
            return Err(format!("{}: {:x?} …", input.name, &list[..8]));
        }
    }
    Ok(())
}

/// Engines take every word but 0 for true, and so do both ways to ask for it.
fn any_word() -> Result<(), String> {
    let yes = "vs_2_0\ndcl_position v0\nmov r0, c0\nif b2\nmov r0, v0\nendif\nmov oPos, r0\n";
    let no = "vs_2_0\ndcl_position v0\nmov r0, v0\nif !b2\nmov r0, c0\nendif\nmov oPos, r0\n";
    let [yes, no] = [shader(Isa::D3d9, yes)?, shader(Isa::D3d9, no)?];
    let engines: Vec<Box<dyn Engine>> = [
        Some(Box::new(Interp) as Box<dyn Engine>),
        Some(Box::new(vecasm::exec::lanes::Lanes::<vecasm::exec::lanes::Portable>::default())),
    ]
    .into_iter()
    .chain([Jit::best().map(|jit| Box::new(jit) as Box<dyn Engine>)])
    .flatten()
    .collect();
    for word in [0, 1, 2, 0x8000_0000, 0x4060_0000, u32::MAX] {
        for shader in [&yes, &no] {
            let mut file = RunFile::random(shader, 9, 1);
            for (array, elements) in shader.params.iter().zip(&mut file.params) {
                match array.scalar {
                    Scalar::Bool => elements.iter_mut().for_each(|element| *element = [word; 4]),
                    _ => elements.iter_mut().for_each(|element| *element = [7; 4]),
                }
            }
            let wanted: Vec<[u32; 4]> = match word {
                0 => vec![[7; 4]; 9],
                _ => file.inputs[0].clone(),
            };
            for engine in &engines {
                let got = engine.run(shader, &file.batch()).map_err(|error| error.to_string())?;
                if got.cells[0] != wanted {
                    return Err(format!("{} with {word:x}: {:x?}", engine.name(), got.cells[0]));
                }
            }
        }
    }
    Ok(())
}
