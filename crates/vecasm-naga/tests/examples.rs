//! Every vertex and fragment program of the examples becomes a module that naga finds valid; each scene's pair, too.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use vecasm::ir::{Shader, Stage};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Isa, nv2a};
use vecasm::opt::settle;
use vecasm_naga::naga::valid::Capabilities;
use vecasm_naga::{Error, Options, module, pair};

/// By file stem, the shaders of an instruction set.
fn shaders(isa: Isa) -> BTreeMap<String, Vec<Shader>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(isa.name());
    let mut all: BTreeMap<String, Vec<Shader>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !path.is_file() || [".json", ".png", ".fxb"].iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let (program, findings) = AnyProgram::parse(isa, &text, None, None);
        let program = program.unwrap_or_else(|| panic!("{name}: {findings:?}"));
        // For a pipeline of today: places for the clipper, the arithmetic of floats.
        let mut options = LiftOptions::default();
        options.nv2a.numerics = nv2a::lift::Numerics::Ieee;
        options.nv2a.space = nv2a::lift::Space::Clip;
        let shader = settle(program.lift(&options).unwrap(), &[]);
        let stem = name.split('.').next().unwrap().to_string();
        all.entry(stem).or_default().push(shader);
    }
    all
}

#[test]
fn examples_are_valid_modules() {
    let mut modules = 0;
    let mut pairs = 0;
    for isa in Isa::ALL {
        for (stem, shaders) in shaders(*isa) {
            let of = |stage| shaders.iter().filter(move |shader| shader.stage == stage);
            for shader in of(Stage::Vertex).chain(of(Stage::Fragment)) {
                let output = module(shader, &Options::default()).unwrap_or_else(|e| panic!("{stem}: {e}"));
                output.validate(Capabilities::all()).unwrap_or_else(|e| panic!("{stem}: {e}"));
                modules += 1;
            }
            if let (Some(vertex), Some(fragment), 2) =
                (of(Stage::Vertex).next(), of(Stage::Fragment).next(), shaders.len())
            {
                let (mut vertex, mut fragment) = (vertex.clone(), fragment.clone());
                isa.link(&mut vertex, &mut fragment);
                let output = pair(&vertex, &fragment, &Options::default());
                let output = output.unwrap_or_else(|e| panic!("{stem}: {e}"));
                output.validate(Capabilities::all()).unwrap_or_else(|e| panic!("{stem}: {e}"));
                assert_eq!(output.module.entry_points.len(), 2);
                pairs += 1;
            }
        }
    }
    assert!(modules > 40 && pairs > 15, "{modules} modules, {pairs} pairs");
}

#[test]
fn what_cannot_be_said_is_refused_by_id() {
    let text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n";
    let (program, findings) = AnyProgram::parse(Isa::Tgsi, text, None, None);
    let program = program.unwrap_or_else(|| panic!("{findings:?}"));
    let shader = program.lift(&LiftOptions::default()).unwrap();
    match module(&shader, &Options::default()) {
        Err(Error::Refused(finding)) => assert_eq!(finding.id, "WGSL-stage"),
        other => panic!("{other:?}"),
    }
}
