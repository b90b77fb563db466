//! Which targets listen to which flag of `vecasm to`.

use crate::converting::First;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use vecasm::Target;
use vecasm::options::{ByName as _, Translating};

/// The flags that not every target listens to, with those that do. The help says it, `docs/targets.md` has it as a table,
/// and a flag for another target is an error.
fn flags() -> impl Iterator<Item = (&'static str, Vec<Target>)> {
    let of_options = Translating::rows().map(|row| (row.option.name, row.option.targets()));
    // Files are what the library does not write.
    let all = || Target::ALL.iter().copied();
    let layout = ("layout", all().filter(|target| *target != Target::Ir).collect());
    let form = ("form", all().filter(|target| target.isa().is_some()).collect());
    of_options.filter(|(_, targets)| !targets.is_empty()).chain([layout, form])
}

/// The targets with a comma between them.
fn names(targets: &[Target]) -> String {
    targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
}

/// The command line with the targets of each flag at the end of its help.
pub(crate) fn explained(command: Command) -> Command {
    let command = command.mut_subcommands(signed);
    command.mut_subcommand("to", |to| {
        to.mut_args(|arg| {
            // What is for one language or instruction set alone, `--help` has.
            let general = ["General", "Several inputs", "Input", "Output", "Options"];
            let heading = arg.get_help_heading().unwrap_or("Options").to_string();
            let arg = arg.hide_short_help(!general.contains(&heading.as_str()));
            let listed = flags().find(|(flag, _)| arg.get_long() == Some(flag));
            let (Some((_, targets)), Some(help)) = (listed, arg.get_help().cloned()) else { return arg };
            let said = |help: &StyledStr| format!("{help} [{}]", names(&targets));
            let long = arg.get_long_help().map(said);
            let arg = arg.help(said(&help));
            match long {
                Some(long) => arg.long_help(long),
                None => arg,
            }
        })
    })
}

/// The command line with negative numbers as values of flags.
fn signed(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes = !arg.is_positional() && arg.get_action().takes_values();
        if takes { arg.allow_negative_numbers(true) } else { arg }
    });
    command.mut_subcommands(signed)
}

/// The error of a command line, with the verb that was meant where a target is given for one.
pub(crate) fn hinted(mut error: clap::Error) -> clap::Error {
    let target = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => name.parse::<Target>().ok(),
        _ => None,
    };
    if let Some(target) = target {
        let tip = format!("`vecasm to {}` translates to that language", target);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// A flag that is given, but for another target, as a message.
pub(crate) fn foreign(matches: &ArgMatches) -> Option<String> {
    let ("to", to) = matches.subcommand()? else { return None };
    let Some(First::Target(target, _)) = to.get_one::<First>("target") else { return None };
    let given = |flag: &str| to.value_source(flag) == Some(ValueSource::CommandLine);
    let (flag, targets) = flags().find(|(flag, targets)| !targets.contains(target) && given(flag))?;
    Some(format!("--{flag} does not apply to translations to {}, only to {}", target, names(&targets)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn a_flag_for_another_target_is_an_error() {
        let said = |line: &str| foreign(&Cli::command().try_get_matches_from(line.split(' ')).unwrap());
        assert_eq!(said("vecasm to wgsl --group 1 a.agal"), None);
        assert_eq!(said("vecasm to glsl a.agal"), None);
        let why = said("vecasm to glsl --group 1 a.agal").unwrap();
        assert!(why.starts_with("--group does not apply to translations to glsl, only to wgsl"), "{why}");
        assert!(said("vecasm to ir --array-size file a.agal").is_some());
        assert_eq!(said("vecasm check a.agal"), None);
    }

    #[test]
    fn the_page_has_the_table() {
        let to = explained(Cli::command());
        let to = to.get_subcommands().find(|c| c.get_name() == "to").cloned().unwrap_or_default();
        let all: Vec<Target> = Target::ALL.iter().copied().filter(|t| *t != Target::Ir).collect();
        let mut table = format!("| flag | {} | |\n|---|", names(&all).replace(", ", " | "));
        table += &"---|".repeat(all.len() + 1);
        table.push('\n');
        for (flag, targets) in flags() {
            let arg = to.get_arguments().find(|arg| arg.get_long() == Some(flag)).unwrap();
            let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
            let value = value.map_or(String::new(), |v| format!(" {}", v[0])).replace('|', "\\|");
            let help = arg.get_help().unwrap().to_string();
            let help = help.rsplit_once(" [").unwrap().0.replace('|', "\\|");
            let usual: Vec<_> =
                arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
            let takes = arg.get_action().takes_values() && !usual.is_empty();
            let usual = if takes { format!(" [default: {}]", usual.join(",")) } else { String::new() };
            let marks: String = all.iter().map(|t| if targets.contains(t) { " × |" } else { " |" }).collect();
            table += &format!("| `--{flag}{value}` |{marks} {help}{usual} |\n");
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/targets.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (begin, end) = ("<!-- flags -->\n", "<!-- /flags -->\n");
        let (head, rest) = page.split_once(begin).unwrap();
        let (old, tail) = rest.split_once(end).unwrap();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, format!("{head}{begin}{table}{end}{tail}")).unwrap();
        } else {
            assert_eq!(old, table, "docs/targets.md; BLESS=1 writes it");
        }
    }
}
