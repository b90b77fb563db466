//! What the Flash player Ruffle asks of a translator of AGAL, on vecasm: the bytes that `Program3D.upload` was given become
//! a module with the bindings that Ruffle's pipeline has.
//!
//! | group 0, binding | what |
//! |---|---|
//! | 0 | vertex constants, 128 `vec4f` |
//! | 1 | fragment constants, as many as the version has |
//! | 2 to 9 | samplers |
//! | 10 to 17 | textures |
//!
//! `cargo run -p vecasm-naga --example ruffle [FILE...]` translates files of bytecode, else a program of its own.

use std::error::Error;
use std::{env, fs};
use vecasm::diag::Severity;
use vecasm::ir::SamplerState;
use vecasm::isa::agal::bytes::{decode, encode};
use vecasm::isa::agal::lift::{self, lift};
use vecasm::isa::agal::rules::{self, validate};
use vecasm::isa::agal::text;
use vecasm_naga::naga::valid::Capabilities;
use vecasm_naga::{ArraySize, BindingKind, Options, Output, StageOptions, module};

/// Units that a program of AGAL may read.
const SAMPLERS: usize = 8;

/// The bindings of the pipeline, the same for both stages.
fn options() -> Options<'static> {
    let stage =
        |constants| StageOptions { constants, samplers: 2, textures: 10, ..StageOptions::with_group(0) };
    Options { vertex: stage(0), fragment: stage(1), array_size: ArraySize::File, ..Options::default() }
}

/// A module of a program, as bytes. Attributes have no formats here: a pipeline of wgpu fills up what a format lacks.
///
/// What the player refuses is refused, with the player's number and words.
fn agal_to_naga(bytecode: &[u8]) -> Result<Output, Box<dyn Error>> {
    let program = decode(bytecode)?;
    let findings = validate(&program, &rules::Options::default());
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        return Err(error.to_string().into());
    }
    let shader = lift(&program, &lift::Options::default())?;
    Ok(module(&shader, &options())?)
}

/// How each unit is to be sampled, as the program says. A program that says nothing leaves it to
/// `Context3D.setSamplerStateAt`.
fn sampler_states(output: &Output) -> [Option<SamplerState>; SAMPLERS] {
    let mut states = [None; SAMPLERS];
    for binding in &output.bindings {
        if let BindingKind::Sampler { slot, state, .. } = binding.kind {
            if let Some(unit) = states.get_mut(slot as usize) {
                *unit = state;
            }
        }
    }
    states
}

fn show(name: &str, bytecode: &[u8]) -> Result<(), Box<dyn Error>> {
    let output = agal_to_naga(bytecode)?;
    output.validate(Capabilities::default())?;
    let functions = output.module.functions.len();
    println!("{name}: {} bytes of AGAL, {functions} functions beside the entry point", bytecode.len());
    for binding in &output.bindings {
        println!("  @group({}) @binding({})  {}", binding.place.group, binding.place.binding, binding.name);
    }
    for (unit, state) in sampler_states(&output).iter().enumerate() {
        if let Some(state) = state {
            println!("  fs{unit}: {:?} within a level, {:?} between levels", state.min, state.mip);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = env::args().skip(1).collect();
    for file in &files {
        show(file, &fs::read(file)?)?;
    }
    if files.is_empty() {
        for (name, source) in [
            ("vertex", ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1\n"),
            ("fragment", ".agal fragment 1\ntex ft0, v0, fs0 <2d,linear,repeat>\nmul oc, ft0, fc0\n"),
        ] {
            let (program, findings) = text::parse(source, &text::ParseOptions::default());
            let program = program.ok_or_else(|| format!("{findings:?}"))?;
            show(name, &encode(&program))?;
        }
    }
    Ok(())
}
