//! `vecasm formats`: what this build supports.

use crate::args::Cli;
use crate::checking::profile_groups;
use crate::cmd::asm::AssemblerArg;
use crate::report::Ctx;
use crate::targets::ByteFormat;
use crate::{Outcome, io};
use clap::{CommandFactory as _, ValueEnum};
use std::fmt::Write as _;
use vecasm::Target;
use vecasm::container::Access;
use vecasm::isa::Isa;
use vecasm::open::OpenOptions;
use vecasm::open::{CARRIERS, Carrier, recognized};
use vecasm::options::{ByName as _, Value, options, profiles};
use vecasm_engines::Choice;

/// List what is supported: instruction sets, versions, verbs, targets, containers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  vecasm formats\n  vecasm formats --format json")]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// One JSON object
    Json,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    match args.format {
        _ if ctx.json() => io::print(&format!("{}\n", json())),
        Format::Table => io::print(&table(ctx.color_out)),
        Format::Json => io::print(&format!("{:#}\n", json())),
    }
}

/// The values of a flag and what they mean.
fn values<T: ValueEnum>() -> Vec<(String, String)> {
    let possible = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    possible
        .map(|v| (v.get_name().to_string(), v.get_help().map_or(String::new(), ToString::to_string)))
        .collect()
}

/// The words of an option about inputs and what they mean.
fn words(option: &str) -> Vec<(String, String)> {
    let value = OpenOptions::row(option).map(|row| row.option.value);
    let Ok(Value::Word(words)) = value else { return Vec::new() };
    words.iter().map(|(name, doc)| (name.to_string(), doc.to_string())).collect()
}

/// The verbs and what they do.
fn verbs() -> Vec<(String, String)> {
    let cli = Cli::command();
    cli.get_subcommands()
        .map(|verb| {
            (verb.get_name().to_string(), verb.get_about().map_or(String::new(), ToString::to_string))
        })
        .collect()
}

fn names(list: &[(String, String)]) -> Vec<&str> {
    list.iter().map(|(name, _)| name.as_str()).collect()
}

fn json() -> serde_json::Value {
    let isas: Vec<_> = Isa::ALL
        .iter()
        .map(|isa| {
            serde_json::json!({
                "name": isa.name(),
                "title": isa.title(),
                "versions": [isa.versions().0, isa.versions().1],
                "stages": isa.stages().iter().map(|stage| stage.name()).collect::<Vec<_>>(),
                "dialects": isa.dialects(),
                "endings": isa.extensions(),
                "instructions": isa.instructions().len(),
            })
        })
        .collect();
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "isas": isas,
        "verbs": names(&verbs()),
        "forms": names(&words("from")),
        "assemblers": names(&values::<AssemblerArg>()),
        "bytecode": names(&values::<ByteFormat>()),
        "targets": names(&targets()),
        "profiles": Isa::ALL.iter().flat_map(|isa| profiles(*isa)).collect::<Vec<_>>(),
        "engines": Choice::ALL.iter().map(|engine| engine.name()).collect::<Vec<_>>(),
        "messages": names(&values::<crate::args::MessageFormat>()),
        "containers": containers(),
        "texts": texts(),
        "recognized": recognized().map(|(title, advice)| serde_json::json!({ "title": title, "advice": advice })).collect::<Vec<_>>(),
        "options": options().map(|option| serde_json::json!(option)).collect::<Vec<_>>(),
    })
}

/// Containers: names, what they are, usual endings, and whether they are recognized, read or written.
fn containers() -> Vec<serde_json::Value> {
    let row = |format: &vecasm::container::Format| {
        serde_json::json!({
            "name": format.name(),
            "title": format.title(),
            "endings": format.endings(),
            "access": format.access().name(),
            "scope": format.scope(),
        })
    };
    vecasm::container::Format::ALL.iter().map(row).collect()
}

/// Texts and recordings that carry programs: names, what they are, and whether they are read or written.
fn texts() -> Vec<serde_json::Value> {
    let row = |of: &Carrier| {
        serde_json::json!({
            "name": of.name, "title": of.title, "access": access(of), "scope": of.scope,
        })
    };
    CARRIERS.iter().map(row).collect()
}

/// The word for what is done with a text.
const fn access(of: &Carrier) -> &'static str {
    if of.is_written { Access::Written.name() } else { Access::Read.name() }
}

/// The targets with a sentence about each.
fn targets() -> Vec<(String, String)> {
    Target::ALL.iter().map(|target| (target.name().into(), target.doc().into())).collect()
}

/// The list for reading.
pub(crate) fn table(color: bool) -> String {
    let (bold, off) = if color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let mut out = String::new();
    let _ = writeln!(out, "{bold}Instruction sets{off}");
    for isa in Isa::ALL {
        let (first, last) = isa.versions();
        let _ = writeln!(out, "  {:<11} {}", isa.name(), isa.title());
        let _ = writeln!(
            out,
            "  {:<11} versions {first}-{last}; {} programs; {} instructions; text as {}; files named .{}",
            "",
            isa.stages().iter().map(|stage| stage.name()).collect::<Vec<_>>().join(" and "),
            isa.instructions().len(),
            isa.dialects().join(", "),
            isa.extensions().join(", .")
        );
    }
    let mut section = |title: &str, rows: Vec<(String, String)>| {
        let _ = writeln!(out, "\n{bold}{title}{off}");
        for (name, help) in rows {
            let _ = writeln!(out, "  {name:<11} {help}");
        }
    };
    section("Verbs", verbs());
    section("Forms of input (--from)", words("from"));
    section("Text input (asm --assembler)", values::<AssemblerArg>());
    section("Bytecode output (asm --to)", values::<ByteFormat>());
    section("Translations (to)", targets());
    section(
        "Engines (run --engine)",
        Choice::ALL.iter().map(|engine| (engine.name().into(), engine.doc().into())).collect(),
    );
    section("Profiles (check --profile)", profile_groups());
    section("Formats of findings (--message-format)", values::<crate::args::MessageFormat>());
    let scope = |scope: &str| if scope.is_empty() { String::new() } else { format!(" ({scope})") };
    let containers = vecasm::container::Format::ALL.iter().map(|format| {
        let scope = scope(format.scope());
        (format.name().into(), format!("{}; {}{scope}", format.title(), format.access().name()))
    });
    section("Containers", containers.collect());
    let text = |of: &Carrier| format!("{}; {}{}", of.title, access(of), scope(of.scope));
    let texts = CARRIERS.iter().map(|of| (of.name.into(), text(of)));
    section("Texts and recordings with programs", texts.collect());
    let _ = writeln!(out, "\n{bold}Recognized, and not read{off}");
    for (title, advice) in recognized() {
        let _ = writeln!(out, "  {title}: {advice}");
    }
    out
}
