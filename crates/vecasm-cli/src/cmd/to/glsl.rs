//! `vecasm to glsl`.

use super::{Around, Staged, WgslArgs, Wording, bound, staged, with_constants};
use crate::io::Payload;
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use vecasm::emit::glsl::{self, Version};
use vecasm::ir::Shader;

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
    Version::named(text).ok_or_else(|| {
        let all: Vec<String> = Version::ALL.iter().map(|v| v.to_string().replace(' ', "")).collect();
        format!("no such version; expected one of {}", all.join(", "))
    })
}

/// Writes one stage: its text, and what the host has to bind.
pub(super) fn write(
    args: &GlslArgs,
    places: &WgslArgs,
    (loaded, shader): &(Loaded, Shader),
    Wording { names, register_names, signed_zeros, comments, style }: Wording<'_>,
    around: Around<'_>,
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let usual = glsl::Options::default();
    let version = args.glsl_version.unwrap_or(usual.version);
    let first = |flag: &str, list: &[Staged<u32>]| match staged(list, shader.stage) {
        Some(_) if !version.has_bindings() => Err(Failure::usage(format!(
            "{flag}: GLSL {version} has no bindings in the text; the host sets them by name"
        ))),
        first => Ok(first),
    };
    let options = glsl::Options {
        version,
        constants: first("--constants", &places.constants)?,
        textures: first("--textures", &places.textures)?,
        zero_to_one: args.zero_to_one,
        hands_on: args.hands_on || around.hands_on,
        after: around.next,
        before: around.partner.map(|shader| shader.stage),
        names,
        register_names,
        signed_zeros,
        comments,
        style,
        ..usual
    };
    match glsl::write(shader, &options) {
        Ok(output) => {
            let layout = layout(&output);
            Ok((Payload::Text(output.source), layout))
        }
        // This is about a flag, not about the program.
        Err(finding) if finding.id == "GLSL-name" => Err(Failure::usage(finding.message)),
        Err(finding) => {
            loaded.report(finding, ctx);
            Err(Failure::Shader)
        }
    }
}

/// What the host has to bind.
fn layout(output: &glsl::Output) -> serde_json::Value {
    let all = output.bindings.iter().map(|b| {
        let at = serde_json::json!({ "stage": b.stage.name(), "name": b.name, "binding": b.binding });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), &output.constants)
}
