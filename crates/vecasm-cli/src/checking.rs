//! The flags that say who is asked whether a program is good.

use crate::{Failure, Outcome};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use vecasm::isa::agal::rules::options::SwitchError;
use vecasm::isa::agal::rules::{Generation, Profile, SWITCHES};
use vecasm::isa::any::CheckOptions;
use vecasm::isa::nv2a::rules::Level;

/// Who is asked.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Checking")]
pub(crate) struct CheckArgs {
    /// Who would have to accept the program. AGAL: `flash`, or one of its profiles, for example `baseline`; NV2A:
    /// `encodable`, `nv2a-hw`, `xdk`
    #[arg(long, value_name = "PROFILE", default_value = "flash")]
    pub(crate) profile: String,
    /// Which Flash Player: Adobe's published validator of 2013, or a current one
    #[arg(long, value_name = "PLAYER", default_value = "modern")]
    pub(crate) generation: GenerationArg,
    /// Decide a point that is not settled; `--rule help` lists them
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) rule: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerationArg {
    /// AGAL 1 only, nothing tolerated
    #[value(name = "2013", alias = "adobe2013")]
    Adobe2013,
    /// AGAL 1-4
    #[default]
    Modern,
}

/// The name of all Flash profiles together.
const FLASH: &str = "flash";

/// The names that `--profile` takes for AGAL.
fn flash_profiles() -> impl Iterator<Item = &'static str> {
    let all = Profile::ALL.into_iter().filter(|p| *p != Profile::default()).map(Profile::name);
    std::iter::once(FLASH).chain(all)
}

/// The names that `--profile` takes.
pub(crate) fn profiles() -> Vec<&'static str> {
    flash_profiles().chain(Level::ALL.into_iter().map(Level::name)).collect()
}

/// The names that `--profile` takes, by what they are about.
pub(crate) fn profile_groups() -> Vec<(String, String)> {
    let list = |names: Vec<&str>| names.join(", ");
    vec![
        ("flash".into(), list(flash_profiles().collect())),
        ("nv2a".into(), list(Level::ALL.into_iter().map(Level::name).collect())),
    ]
}

impl CheckArgs {
    /// The options of the library.
    pub(crate) fn options(&self) -> Outcome<CheckOptions> {
        let mut out = CheckOptions::default();
        let profile = self.profile.strip_prefix("flash:").unwrap_or(&self.profile);
        if let Some(level) = Level::from_name(profile) {
            out.nv2a.level = level;
        } else if profile != FLASH {
            let found = Profile::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(profile));
            out.agal.profile = found.ok_or_else(|| {
                Failure::usage(format!("no profile `{profile}`; there are {}", profiles().join(", ")))
            })?;
        }
        out.agal.generation = match self.generation {
            GenerationArg::Adobe2013 => Generation::Adobe2013,
            GenerationArg::Modern => Generation::Modern,
        };
        for rule in &self.rule {
            let (name, value) = rule
                .split_once('=')
                .ok_or_else(|| Failure::usage(format!("--rule {rule}: expected NAME=VALUE")))?;
            out.agal.switches.set(name, value).map_err(|error| {
                let why = match error {
                    SwitchError::UnknownName => {
                        let names: Vec<&str> = SWITCHES.iter().map(|s| s.name).collect();
                        format!("no such switch; there are {}", names.join(", "))
                    }
                    SwitchError::UnknownValue => {
                        let switch = SWITCHES.iter().find(|s| s.name == name);
                        let values: Vec<&str> =
                            switch.into_iter().flat_map(|s| s.values).map(|(value, _)| *value).collect();
                        format!("no such value; there are {}", values.join(", "))
                    }
                };
                Failure::usage(format!("--rule {rule}: {why}"))
            })?;
        }
        Ok(out)
    }

    /// What `--rule help` prints, if it was asked for.
    pub(crate) fn help(&self) -> Option<String> {
        if !self.rule.iter().any(|rule| rule == "help") {
            return None;
        }
        let mut out =
            String::from("Points about the Flash Player that are not settled, with their defaults:\n");
        for switch in SWITCHES {
            let _ = writeln!(out, "\n--rule {}={}\n  {}", switch.name, switch.default, switch.doc);
            for (value, doc) in switch.values {
                let _ = writeln!(out, "    {value:<10} {doc}");
            }
        }
        Some(out)
    }
}
