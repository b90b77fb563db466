//! `vecasm to glsl`.

use crate::io::Payload;
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use vecasm::emit::glsl::{self, Version};
use vecasm::ir::Shader;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "GLSL")]
pub(super) struct GlslArgs {
    /// The version: 120 to 460, or 100es to 320es; 430 if not given
    #[arg(long, value_name = "VERSION", value_parser = version)]
    glsl_version: Option<Version>,
    /// Leave z in 0..w, for a host that has set glClipControl(…, GL_ZERO_TO_ONE)
    #[arg(long)]
    pub(super) zero_to_one: bool,
}

fn version(text: &str) -> Result<Version, String> {
    Version::named(text).ok_or_else(|| {
        let all: Vec<String> = Version::ALL.iter().map(|v| v.to_string().replace(' ', "")).collect();
        format!("no such version; there are {}", all.join(", "))
    })
}

/// Writes one stage: its text, and what the host has to bind.
pub(super) fn write(
    args: &GlslArgs,
    (loaded, shader): &(Loaded, Shader),
    (names, comments): (&[(&str, &str)], &[String]),
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let usual = glsl::Options::default();
    let version = args.glsl_version.unwrap_or(usual.version);
    let options = glsl::Options { version, zero_to_one: args.zero_to_one, names, comments, ..usual };
    match glsl::write(shader, &options) {
        Ok(output) => Ok((Payload::Text(output.source), layout(&output.bindings))),
        // This is about a flag, not about the program.
        Err(finding) if finding.id == "GLSL-name" => Err(Failure::usage(finding.message)),
        Err(finding) => {
            ctx.report(&[finding], loaded.source());
            Err(Failure::Shader)
        }
    }
}

/// What the host has to bind.
fn layout(bindings: &[glsl::Binding]) -> serde_json::Value {
    let all = bindings.iter().map(|b| {
        let (stage, name, binding) = (b.stage.name(), &b.name, b.binding);
        match b.kind {
            glsl::BindingKind::Constants { elements, scalar } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding,
                "kind": "constants", "elements": elements, "scalar": scalar.name(),
            }),
            glsl::BindingKind::States { count } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding, "kind": "states", "count": count,
            }),
            glsl::BindingKind::Buffer { slot, kind, write } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding,
                "kind": "buffer", "slot": slot, "of": kind.name(), "write": write,
            }),
            glsl::BindingKind::State { number, ty } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding,
                "kind": "state", "number": number, "scalar": ty.scalar.name(), "lanes": ty.lanes,
            }),
            glsl::BindingKind::Attribute { location } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding, "kind": "attribute", "location": location,
            }),
            glsl::BindingKind::Color { target } => serde_json::json!({
                "stage": stage, "name": name, "binding": binding, "kind": "color", "target": target,
            }),
            glsl::BindingKind::Texture { slot, sampler_slot, dim, scalar, compare, state } => {
                serde_json::json!({
                    "stage": stage, "name": name, "binding": binding,
                    "kind": "texture", "slot": slot, "sampler_slot": sampler_slot, "dim": dim.name(),
                    "scalar": scalar.name(), "compare": compare, "state": crate::reflect::sampler(state),
                })
            }
        }
    });
    serde_json::json!({ "bindings": all.collect::<Vec<_>>() })
}
