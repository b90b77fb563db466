//! The flags that say who is asked whether a program is good.

use crate::flags::{self, Flags};
use crate::{Failure, Outcome};
use clap::Args;
use vecasm::CheckOptions;
use vecasm::isa::Isa;
use vecasm::options::{OptionError, explain_profile, profiles};

/// Who is asked.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    flags: Flags<CheckOptions>,
}

/// The names that `--profile` takes, by what they are about: `flash` is all profiles of AGAL together.
pub(crate) fn profile_groups() -> Vec<(String, String)> {
    let group = |isa: &Isa| {
        let names = profiles(*isa);
        let title = if *isa == Isa::Agal { names.first().copied() } else { None };
        (title.unwrap_or(isa.name()).to_string(), names.join(", "))
    };
    Isa::ALL.iter().map(group).collect()
}

impl CheckArgs {
    /// The options of the library. `likely` is asked for the instruction set of the inputs where there is no such profile.
    pub(crate) fn options(&self, likely: impl FnOnce() -> Option<Isa>) -> Outcome<CheckOptions> {
        self.flags.given.apply(CheckOptions::default()).map_err(|error| match (&error, self.profile()) {
            (OptionError::Value { option, .. }, Some(profile)) if option == "profile" => {
                Failure::usage(explain_profile(profile, likely()))
            }
            _ => flags::failure(&error),
        })
    }

    /// The profile that is asked.
    pub(crate) fn profile(&self) -> Option<&str> {
        self.flags.given.value("profile")
    }

    /// A flag that says nothing about programs of any of these instruction sets, as a message.
    pub(crate) fn unheeded(&self, isas: &[Isa]) -> Option<String> {
        self.flags.given.foreign(isas).map(|error| format!("--{error}"))
    }

    /// What `--rule help` prints, if it was asked for.
    pub(crate) fn help(&self) -> Option<String> {
        self.flags.help()
    }
}
