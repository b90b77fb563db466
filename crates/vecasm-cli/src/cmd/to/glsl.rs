//! `vecasm to glsl`.

use super::{Staged, WgslArgs, Wording, bound, staged, with_constants};
use crate::{Failure, Outcome};
use vecasm::emit::glsl::{self, Version};
use vecasm::ir::Stage;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "GLSL")]
pub(super) struct GlslArgs {
    /// GLSL version: 120 to 460, or 100es to 320es [default: 430]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    glsl_version: Option<Version>,
    /// Leave z in 0..w, for a host that calls glClipControl(…, GL_ZERO_TO_ONE)
    #[arg(long)]
    pub(super) zero_to_one: bool,
    /// Leave positions unchanged, for a stage that does not feed the rasterizer
    #[arg(long)]
    pub(super) hands_on: bool,
}

fn version(text: &str) -> Result<Version, String> {
    text.parse::<Version>().map_err(|_| {
        let all: Vec<String> = Version::ALL.iter().map(|v| v.to_string().replace(' ', "")).collect();
        format!("no such version; expected one of {}", all.join(", "))
    })
}

/// The options of a stage.
pub(super) fn options<'a>(
    args: &GlslArgs,
    places: &WgslArgs,
    stage: Stage,
    Wording { names, register_names, signed_zeros, style }: Wording<'a>,
) -> Outcome<glsl::Options<'a>> {
    let usual = glsl::Options::default();
    let version = args.glsl_version.unwrap_or(usual.version);
    let first = |flag: &str, list: &[Staged<u32>]| match staged(list, stage) {
        Some(_) if !version.has_bindings() => Err(Failure::usage(format!(
            "{flag}: GLSL {version} has no bindings in the text; the host sets them by name"
        ))),
        first => Ok(first.copied()),
    };
    Ok(glsl::Options {
        version,
        constants: first("--constants", &places.constants)?,
        textures: first("--textures", &places.textures)?,
        zero_to_one: args.zero_to_one,
        hands_on: args.hands_on,
        names,
        register_names,
        signed_zeros,
        style,
        ..usual
    })
}

/// What the host has to bind.
pub(super) fn layout(output: &glsl::Output) -> serde_json::Value {
    let all = output.bindings.iter().map(|b| {
        let at = serde_json::json!({ "stage": b.stage.name(), "name": b.name, "binding": b.binding });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), &output.constants)
}
