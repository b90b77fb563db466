//! `vecasm to msl`.

use super::{WgslArgs, Wording, bound, staged, with_constants};
use crate::io::Payload;
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use vecasm::emit::msl::{self, Version};
use vecasm::ir::Shader;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "MSL")]
pub(super) struct MslArgs {
    /// MSL version: 2.0 to 2.4 [default: 2.1]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    msl_version: Option<Version>,
}

fn version(text: &str) -> Result<Version, String> {
    Version::named(text).ok_or_else(|| {
        let all: Vec<String> = Version::ALL.iter().map(Version::to_string).collect();
        format!("no such version; expected one of {}", all.join(", "))
    })
}

/// Writes one stage: its text, and what the host has to bind.
pub(super) fn write(
    args: &MslArgs,
    places: &WgslArgs,
    (loaded, shader): &(Loaded, Shader),
    Wording { names, register_names, signed_zeros, comments, style }: Wording<'_>,
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let usual = msl::Options::default();
    let entry = staged(&places.entry, shader.stage);
    let first = |list: &[super::Staged<u32>], usual| staged(list, shader.stage).unwrap_or(usual);
    let options = msl::Options {
        version: args.msl_version.unwrap_or_default(),
        entry: entry.as_deref(),
        constants: first(&places.constants, usual.constants),
        textures: first(&places.textures, usual.textures),
        samplers: first(&places.samplers, usual.samplers),
        names,
        register_names,
        signed_zeros,
        comments,
        style,
        ..usual
    };
    match msl::write(shader, &options) {
        Ok(output) => {
            let layout = layout(&output);
            Ok((Payload::Text(output.source), layout))
        }
        // These are about flags, not about the program.
        Err(finding) if matches!(finding.id, "MSL-name" | "MSL-binding") => {
            Err(Failure::usage(finding.message))
        }
        Err(finding) => {
            loaded.report(finding, ctx);
            Err(Failure::Shader)
        }
    }
}

/// What the host has to bind.
fn layout(output: &msl::Output) -> serde_json::Value {
    let all = output.bindings.iter().map(|b| {
        let at = serde_json::json!({
            "stage": b.stage.name(), "name": b.name, "table": b.table(), "index": b.index,
        });
        bound(at, b.kind)
    });
    let bindings: Vec<_> = all.collect();
    let all = serde_json::json!({ "entry": output.entry, "threads": output.threads, "bindings": bindings });
    with_constants(all, &output.constants)
}
