//! Flags out of the library's table of options: what `--help` says of them, and what was given.

use crate::{Failure, Outcome};
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::fmt::Write as _;
use vecasm::options::{ByName, GivenOptions, Opt, OptionError, Row, Value};

/// The word that lists the values of an option with many.
const HELP: &str = "help";

/// The options of a kind that a command line gives.
#[derive(Debug)]
pub(crate) struct Flags<T> {
    pub(crate) given: GivenOptions<T>,
    /// The options whose values are to be listed.
    asked: Vec<&'static Opt>,
}

impl<T> Clone for Flags<T> {
    fn clone(&self) -> Self {
        Self { given: self.given.clone(), asked: self.asked.clone() }
    }
}

impl<T> Default for Flags<T> {
    fn default() -> Self {
        Self { given: GivenOptions::default(), asked: Vec::new() }
    }
}

impl<T: ByName> PartialEq for Flags<T> {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given && self.asked.len() == other.asked.len()
    }
}

impl<T: ByName> Eq for Flags<T> {}

/// An error of an option, as a flag.
pub(crate) fn failure(error: &OptionError) -> Failure {
    Failure::usage(format!("--{error}"))
}

impl<T> Flags<T> {
    /// What `--rule help` and `--pipeline help` print, if they were asked for.
    pub(crate) fn help(&self) -> Option<String> {
        let last = self.asked.last()?;
        Some(list(last))
    }
}

impl<T> Flags<T> {
    /// Those that options of the library are.
    pub(crate) fn of(given: &GivenOptions<T>) -> Self {
        Self { given: given.clone(), asked: Vec::new() }
    }
}

/// The values of an option with many.
fn list(option: &Opt) -> String {
    let mut out = String::new();
    match option.value {
        Value::Part(parts) => {
            out.push_str("Parts of Direct3D's pipeline, with their state values and defaults:\n");
            for (name, doc) in parts {
                let _ = writeln!(out, "\n--{} {name}\n  {doc}", option.name);
            }
        }
        Value::Rule(groups) => {
            for group in groups {
                let blank = if out.is_empty() { "" } else { "\n" };
                let _ = writeln!(out, "{blank}{}", group.title);
                for rule in group.rules {
                    let _ =
                        writeln!(out, "\n--{} {}={}\n  {}", option.name, rule.name, rule.default, rule.doc);
                    for (value, doc) in rule.values {
                        let _ = writeln!(out, "    {value:<12} {doc}");
                    }
                }
            }
        }
        _ => {}
    }
    out
}

/// Whether an option lists its values where `help` is one.
const fn lists(option: &Opt) -> bool {
    matches!(option.value, Value::Part(_) | Value::Rule(_))
}

/// Whether a value is looked at when all inputs are known: what is wrong with a profile they tell.
fn is_seen_later(option: &Opt) -> bool {
    option.group == "Checking" && !matches!(option.value, Value::Word(_))
}

/// What reads a value.
fn parser<T: ByName>(row: &'static Row<T>) -> ValueParser {
    let option = &row.option;
    if let Value::Word(words) = option.value {
        let value = |(name, doc): &(&'static str, &'static str)| {
            let aliases = option.aliases.iter().filter(|(_, of)| of == name).map(|(alias, _)| *alias);
            PossibleValue::new(*name).help(*doc).aliases(aliases)
        };
        return PossibleValuesParser::new(words.iter().map(value)).into();
    }
    if is_seen_later(option) {
        return ValueParser::string();
    }
    ValueParser::from(move |text: &str| {
        if lists(option) && text == HELP {
            return Ok(text.to_string());
        }
        match row.set(&mut T::default(), text) {
            Ok(()) => Ok(text.to_string()),
            Err(OptionError::Value { message, .. }) => Err(message),
            Err(other) => Err(other.to_string()),
        }
    })
}

/// A flag.
pub(crate) fn arg<T: ByName>(row: &'static Row<T>) -> Arg {
    let option = &row.option;
    let mut arg = Arg::new(option.name).long(option.name).help(option.doc).help_heading(option.group);
    if !option.more.is_empty() {
        arg = arg.long_help(format!("{}\n\n{}", option.doc, option.more));
    }
    if matches!(option.value, Value::Switch) {
        return arg.action(ArgAction::SetTrue);
    }
    let action = if option.several || option.commas { ArgAction::Append } else { ArgAction::Set };
    arg = arg.value_name(option.form).action(action).value_parser(parser(row));
    if option.commas {
        arg = arg.value_delimiter(',');
    }
    if !option.default.is_empty() {
        arg = arg.default_value(option.default);
    }
    arg
}

impl<T: ByName> Args for Flags<T> {
    fn augment_args(command: Command) -> Command {
        T::rows().fold(command, |command, row| command.arg(arg(row)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: ByName> FromArgMatches for Flags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut out = Self::default();
        out.update_from_arg_matches(matches)?;
        Ok(out)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let wrong = |error: OptionError| {
            clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{error}\n"))
        };
        for row in T::rows() {
            let (option, id) = (&row.option, row.option.name);
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            if matches!(option.value, Value::Switch) {
                if matches.get_flag(id) {
                    self.given.set(option.name, "true").map_err(wrong)?;
                }
                continue;
            }
            // What holds anyway is no matter.
            let values = matches.get_many::<String>(id).into_iter().flatten();
            for value in values.filter(|value| *value != option.default) {
                if lists(option) && value == HELP {
                    self.asked.push(option);
                } else if is_seen_later(option) {
                    self.given.set_unseen(option.name, value).map_err(wrong)?;
                } else {
                    self.given.set(option.name, value).map_err(wrong)?;
                }
            }
        }
        Ok(())
    }
}

impl<T: ByName> Flags<T> {
    /// The options with those set that are given.
    pub(crate) fn apply(&self, to: T) -> Outcome<T> {
        self.given.apply(to).map_err(|error| failure(&error))
    }
}
