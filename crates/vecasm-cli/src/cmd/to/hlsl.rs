//! `vecasm to hlsl`.

use super::{Wording, bound, with_constants};
use crate::{Failure, Outcome};
use vecasm::emit::hlsl::{self, Model};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "HLSL")]
pub(super) struct HlslArgs {
    /// Shader model: 3.0 for Direct3D 9, 4.0, 4.1, 5.0, 5.1 or 6.0 [default: 5.0]
    #[arg(long, value_name = "MODEL", value_parser = model)]
    shader_model: Option<Model>,
    /// Register space of all bindings, from model 5.1 on
    #[arg(long, value_name = "N")]
    register_space: Option<u32>,
    /// Vertices of an input patch, 1 to 32, where the program leaves that open [default: found from what is read]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    patch_vertices: Option<u32>,
}

fn model(text: &str) -> Result<Model, String> {
    text.parse::<Model>().map_err(|_| {
        let all: Vec<String> = Model::ALL.iter().map(Model::to_string).collect();
        format!("no such model; expected one of {}", all.join(", "))
    })
}

/// The options of a stage.
pub(super) fn options<'a>(
    args: &HlslArgs,
    Wording { names, register_names, signed_zeros, style }: Wording<'a>,
) -> Outcome<hlsl::Options<'a>> {
    let usual = hlsl::Options::default();
    let options = hlsl::Options {
        model: args.shader_model.unwrap_or(usual.model),
        space: args.register_space.unwrap_or(0),
        patch_vertices: args.patch_vertices.unwrap_or(0),
        names,
        register_names,
        signed_zeros,
        style,
        ..usual
    };
    if options.space > 0 && !options.model.has_spaces() {
        return Err(Failure::usage(format!("shader model {} has no register spaces", options.model)));
    }
    Ok(options)
}

/// What the host has to bind.
pub(super) fn layout(output: &hlsl::Output) -> serde_json::Value {
    let all = output.bindings.iter().map(|b| {
        let register = format!("{}{}", b.class, b.number);
        let at = serde_json::json!({
            "stage": b.stage.name(), "name": b.name, "register": register, "space": b.space,
        });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), &output.constants)
}
