//! The library translates as the command does.

use super::vecasm;
use std::path::{Path, PathBuf};
use vecasm::isa::AnyProgram;
use vecasm::{NoHost, OpenOptions, Target, TranslateOptions, open, translate_draw};

#[path = "../../../vecasm/examples/translate.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program of its own")]
mod example;

/// Every file of the examples, and those of them that are programs.
fn files() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = ["agal", "d3d9", "nv2a", "tgsi"].map(|isa| std::fs::read_dir(examples.join(isa)).unwrap());
    let mut out: Vec<PathBuf> = entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    out.retain(|path| path.is_file());
    out.sort();
    out
}

fn programs() -> Vec<(PathBuf, AnyProgram)> {
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let program = open(&bytes, &OpenOptions::named(path.to_str().unwrap()), &mut NoHost).program();
        program.ok().map(|program| (path, program.into_any()))
    };
    files().into_iter().filter_map(read).collect()
}

/// What the command writes to standard output; nothing where it refuses.
fn written(target: Target, files: &[&Path]) -> Option<Vec<u8>> {
    let mut args = vec!["to", target.name(), "-o", "-"];
    args.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = vecasm(&args, b"");
    output.status.success().then_some(output.stdout)
}

/// With nothing but `open` and `translate`, whatever the file is.
#[test]
fn the_library_writes_what_the_command_writes() {
    let mut read = 0;
    for path in files() {
        for &target in Target::ALL {
            // Of an effect the command writes all programs, and the library one that is chosen.
            if target == Target::Hlsl && path.extension().is_some_and(|ending| ending == "fxb") {
                continue;
            }
            let made = example::translation(path.to_str().unwrap(), target).ok();
            read += usize::from(made.is_some());
            assert!(made == written(target, &[&path]), "{target}: {}", path.display());
        }
    }
    assert!(read > 200, "{read}");
}

#[test]
fn the_library_writes_pairs_as_the_command_does() {
    let programs = programs();
    let mut pairs = 0;
    for (path, vertex) in &programs {
        let partner = path.to_str().unwrap().replace(".vert.", ".frag.");
        let Some((partner, fragment)) = programs.iter().find(|(p, _)| p.to_str().unwrap() == partner) else {
            continue;
        };
        if partner == path {
            continue;
        }
        let options = TranslateOptions::default();
        let made = translate_draw(&[vertex, fragment], Target::Wgsl, &options);
        pairs += usize::from(made.is_ok());
        let made = made
            .map(|made| made.iter().map(|module| module.bytes().into_owned()).collect::<Vec<_>>().concat());
        // In the other order it is the same.
        assert_eq!(made.ok(), written(Target::Wgsl, &[partner, path]), "{}", path.display());
        if let Ok(texts) = translate_draw(&[fragment, vertex], Target::Glsl, &options) {
            assert_eq!(texts.len(), 2, "{}", path.display());
        }
    }
    assert!(pairs > 5, "{pairs}");
}

#[test]
fn refusals_have_the_number_of_the_program_that_was_given() {
    let parse = |text: &str| AnyProgram::parse(vecasm::isa::Isa::Tgsi, text, None, None).0.unwrap();
    // The fragment program reads what the vertex program does not write, which is said of the fragment program.
    let vertex = parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n");
    let fragment = parse(
        "FRAG\nDCL IN[0], GENERIC[3], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n",
    );
    for (programs, at) in [([&vertex, &fragment], 1), ([&fragment, &vertex], 0)] {
        let why = translate_draw(&programs, Target::Wgsl, &TranslateOptions::default()).unwrap_err();
        assert_eq!((why.stage, why.finding.id), (Some(at), "WGSL-varying"));
    }
}
