//! `vecasm to spirv`.

use super::{Args, lane_bits, staged};
use crate::load::Loaded;
use crate::{Failure, Outcome};
use std::str::FromStr;
use vecasm::emit::spirv::{self, Environment, StageOptions, States};
use vecasm::emit::wgsl;
use vecasm::ir::{ParamId, Shader, Stage};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "SPIR-V")]
pub(super) struct SpirvArgs {
    /// Environment of the module: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or opengl4.5 [default: vulkan1.0]
    #[arg(long, value_name = "ENVIRONMENT", value_parser = environment)]
    environment: Option<Environment>,
    /// Negate the y of positions, which points down in Vulkan
    #[arg(long)]
    flip_y: bool,
    /// Make constants push constants, up to 128 bytes
    #[arg(long)]
    push_constants: bool,
    /// Set the value of a constant in the module; the others of its array are zero
    #[arg(long, value_name = "REGISTER=X,Y,Z,W")]
    pub(super) inline: Vec<Inline>,
    /// Make state values specialization constants, with numbers from FIRST on, four for each state
    #[arg(long, value_name = "FIRST")]
    spec_states: Option<u32>,
    /// Require denormals, signed zeros, infinities and NaN to be preserved, and rounding to nearest even
    #[arg(long)]
    float_controls: bool,
    /// Name results after their registers, for readers of a disassembly
    #[arg(long)]
    debug_names: bool,
    /// Embed the disassembly and the line of each instruction
    #[arg(long)]
    debug_source: bool,
}

fn environment(text: &str) -> Result<Environment, String> {
    let names: Vec<&str> = Environment::ALL.into_iter().map(Environment::name).collect();
    text.parse::<Environment>().map_err(|_| format!("expected one of {}", names.join(", ")))
}

/// A constant with its value.
#[derive(Clone, Debug)]
pub(super) struct Inline(String, Vec<f64>);

impl FromStr for Inline {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || String::from("expected REGISTER=X,Y,Z,W");
        let (register, values) = text.split_once('=').ok_or_else(expected)?;
        let values: Result<Vec<f64>, _> = values.split(',').map(|n| n.trim().parse()).collect();
        match values {
            Ok(values) if !register.is_empty() && values.len() <= 4 => Ok(Self(register.into(), values)),
            _ => Err(expected()),
        }
    }
}

/// Arrays of constants by name, with their first elements.
pub(super) type Arrays<'s> = Vec<(&'s str, Vec<[u32; 4]>)>;

/// The arrays that the flags give values to, by name, each as far as the last value reaches.
pub(super) fn arrays<'s>(inline: &[Inline], shader: &'s Shader) -> Outcome<Arrays<'s>> {
    let mut arrays = Arrays::new();
    for Inline(register, values) in inline {
        let found = shader.params.iter().enumerate().find_map(|(n, array)| {
            let at = (0..array.size).find(|e| shader.param_name(ParamId(n as u32), *e) == *register)?;
            Some((array, at as usize))
        });
        let Some((array, at)) = found else {
            return Err(Failure::usage(format!("--inline {register}: the program has no such constant")));
        };
        let n = arrays.iter().position(|(name, _)| *name == array.name).unwrap_or_else(|| {
            arrays.push((&array.name, Vec::new()));
            arrays.len() - 1
        });
        let rows = &mut arrays[n].1;
        rows.resize(rows.len().max(at + 1), [0; 4]);
        rows[at] = [0, 1, 2, 3].map(|lane| lane_bits(array.scalar, values, lane));
    }
    Ok(arrays)
}

/// The rows that [`arrays`] gave.
pub(super) fn rows<'a>(arrays: &'a Arrays<'a>) -> Vec<(&'a str, &'a [[u32; 4]])> {
    arrays.iter().map(|(name, rows)| (*name, rows.as_slice())).collect()
}

/// The disassembly that is embedded: its name, text, and the line of each instruction.
pub(super) type Embedded = Option<(String, String, Vec<u32>)>;

/// The disassembly of a program, if it is to be embedded.
pub(super) fn source(args: &SpirvArgs, loaded: &Loaded) -> Embedded {
    args.debug_source.then(|| {
        let texts = loaded.program.instruction_texts();
        (loaded.input.stem_text(), texts.join("\n"), (1..=texts.len() as u32).collect())
    })
}

/// The options of a module, with the places that were chosen.
pub(super) fn options<'a>(
    args: &'a Args,
    places: &wgsl::Options<'a>,
    values: &'a [(&'a str, &'a [[u32; 4]])],
    source: &'a Embedded,
) -> spirv::Options<'a> {
    let of = &args.spirv;
    let usual = spirv::Options::for_environment(of.environment.unwrap_or_default());
    // What the flags do not choose is of the environment.
    let chosen = |stage: Stage, usual: StageOptions<'static>, given: StageOptions<'_>| {
        let flag = |list: &[super::Staged<u32>], usual: u32| staged(list, stage).copied().unwrap_or(usual);
        StageOptions {
            group: flag(&args.wgsl.group, usual.group),
            constants: flag(&args.wgsl.constants, usual.constants),
            textures: flag(&args.wgsl.textures, usual.textures),
            samplers: flag(&args.wgsl.samplers, usual.samplers),
            exact: given.exact,
            ..usual
        }
    };
    let mut options = spirv::Options {
        vertex: chosen(Stage::Vertex, usual.vertex, places.vertex),
        fragment: chosen(Stage::Fragment, usual.fragment, places.fragment),
        compute: chosen(Stage::Compute, usual.compute, places.compute),
        tess_control: chosen(Stage::TessControl, usual.tess_control, usual.tess_control),
        tess_eval: chosen(Stage::TessEval, usual.tess_eval, usual.tess_eval),
        geometry: chosen(Stage::Geometry, usual.geometry, usual.geometry),
        array_size: places.array_size,
        space: places.space,
        push_constants: of.push_constants,
        values,
        flip_y: of.flip_y,
        hands_on: args.glsl.hands_on,
        zero_to_one: args.glsl.zero_to_one,
        float_controls: of.float_controls,
        names: of.debug_names,
        register_names: places.register_names,
        signed_zeros: places.signed_zeros,
        source: source.as_ref().map(|(file, text, lines)| spirv::Source { file, text, lines }),
        ..usual
    };
    let entry = |stage: Stage| staged(&args.wgsl.entry, stage).map(String::as_str);
    (options.vertex.entry, options.fragment.entry) = (entry(Stage::Vertex), entry(Stage::Fragment));
    options.compute.entry = entry(Stage::Compute);
    options.tess_control.entry = entry(Stage::TessControl);
    options.tess_eval.entry = entry(Stage::TessEval);
    options.geometry.entry = entry(Stage::Geometry);
    if let Some(first) = of.spec_states {
        options.states = States::Specialized { first };
    }
    options
}

/// What the host has to bind.
pub(super) fn layout(output: &spirv::Output) -> serde_json::Value {
    let mut all = super::layout(&output.bindings, &output.constants);
    if let (Some(all), false) = (all.as_object_mut(), output.specs.is_empty()) {
        let specs = output.specs.iter().map(|spec| {
            serde_json::json!({
                "id": spec.number, "name": spec.name, "lane": spec.lane, "scalar": spec.scalar.name(),
                "default": spec.default,
            })
        });
        all.insert("specialization".into(), specs.collect());
    }
    if let (Some(all), false) = (all.as_object_mut(), output.push.is_empty()) {
        let push = output.push.iter().map(|array| {
            serde_json::json!({
                "name": array.name, "offset": array.offset, "elements": array.elements,
                "scalar": array.scalar.name(),
            })
        });
        all.insert("push".into(), push.collect());
    }
    all
}
