//! `vecasm to msl`.

use super::{WgslArgs, Wording, bound, staged, with_constants};
use vecasm::emit::msl::{self, Version};
use vecasm::ir::Stage;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "MSL")]
pub(super) struct MslArgs {
    /// MSL version: 2.0 to 2.4 [default: 2.1]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    msl_version: Option<Version>,
}

fn version(text: &str) -> Result<Version, String> {
    text.parse::<Version>().map_err(|_| {
        let all: Vec<String> = Version::ALL.iter().map(Version::to_string).collect();
        format!("no such version; expected one of {}", all.join(", "))
    })
}

/// The options of a stage.
pub(super) fn options<'a>(
    args: &MslArgs,
    places: &'a WgslArgs,
    stage: Stage,
    Wording { names, register_names, signed_zeros, style }: Wording<'a>,
) -> msl::Options<'a> {
    let usual = msl::Options::default();
    let first = |list: &[super::Staged<u32>], usual| staged(list, stage).copied().unwrap_or(usual);
    msl::Options {
        version: args.msl_version.unwrap_or_default(),
        entry: staged(&places.entry, stage).map(String::as_str),
        constants: first(&places.constants, usual.constants),
        textures: first(&places.textures, usual.textures),
        samplers: first(&places.samplers, usual.samplers),
        names,
        register_names,
        signed_zeros,
        style,
        ..usual
    }
}

/// What the host has to bind.
pub(super) fn layout(output: &msl::Output) -> serde_json::Value {
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
