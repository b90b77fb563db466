//! The flags that say who is asked whether a program is good.

use crate::{Failure, Outcome};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use vecasm::diag::near;
use vecasm::isa::Isa;
use vecasm::isa::agal::rules::{Generation, Profile, SWITCHES};
use vecasm::isa::any::CheckOptions;
use vecasm::isa::d3d9::rules as d3d9;
use vecasm::isa::nv2a::rules::Level;
use vecasm::isa::switch::{Switch, SwitchError};
use vecasm::isa::tgsi::rules as tgsi;

/// Who is asked.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Checking")]
pub(crate) struct CheckArgs {
    /// Validator profile. AGAL: `flash`, or one of its profiles, for example `baseline`; NV2A:
    /// `encodable`, `nv2a-hw`, `xdk`; Direct3D: `d3d9`, `d3d8`, `mojoshader`, `dxvk`, `wine`; TGSI: `tgsi-strict`,
    /// `tgsi-sanity`, `virgl`, `parse`
    ///
    /// Programs of other instruction sets are checked as without it; if there are no others, that is an error.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
    /// Flash Player generation: Adobe's published validator of 2013, or a current player
    #[arg(long, value_name = "PLAYER")]
    pub(crate) generation: Option<GenerationArg>,
    /// Set an unsettled point; `--rule help` lists them
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) rule: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerationArg {
    /// AGAL 1 only, strict
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

/// The names that `--profile` takes for Direct3D.
fn d3d_profiles() -> impl Iterator<Item = &'static str> {
    d3d9::Profile::ALL.into_iter().map(d3d9::Profile::name)
}

/// The names that `--profile` takes for TGSI.
fn tgsi_profiles() -> impl Iterator<Item = &'static str> {
    tgsi::Profile::ALL.iter().map(|profile| profile.name())
}

/// The switches that `--rule` sets: what they are about, and they.
const GROUPS: [(&str, &[Switch]); 2] = [
    ("Unsettled points of the Flash Player, with their defaults:", SWITCHES),
    (
        "Capabilities of a Direct3D 9 device that a shader's tokens do not show, with their defaults:",
        d3d9::SWITCHES,
    ),
];

/// The names that `--profile` takes for an instruction set.
fn profiles_of(isa: Isa) -> Vec<&'static str> {
    match isa {
        Isa::Agal => flash_profiles().collect(),
        Isa::Nv2a => Level::ALL.into_iter().map(Level::name).collect(),
        Isa::D3d9 => d3d_profiles().collect(),
        Isa::Tgsi => tgsi_profiles().collect(),
        _ => Vec::new(),
    }
}

/// The names that `--profile` takes.
pub(crate) fn profiles() -> Vec<&'static str> {
    Isa::ALL.iter().flat_map(|isa| profiles_of(*isa)).collect()
}

/// The names that `--profile` takes, by what they are about.
pub(crate) fn profile_groups() -> Vec<(String, String)> {
    let group = |isa: &Isa| {
        let name = if *isa == Isa::Agal { FLASH } else { isa.name() };
        (name.to_string(), profiles_of(*isa).join(", "))
    };
    Isa::ALL.iter().map(group).collect()
}

/// The name without the `flash:` that may stand in front of it.
fn plain(profile: &str) -> &str {
    profile.strip_prefix("flash:").unwrap_or(profile)
}

/// That there is no such profile, with those that there are: for the instruction set that the name or an input tells.
fn no_profile(name: &str, isa: Option<Isa>) -> String {
    let isa = name.parse::<Isa>().ok().or(isa);
    let names = isa.map_or_else(profiles, profiles_of);
    let begins = names.iter().copied().find(|known| known.starts_with(name));
    let near = begins.or_else(|| near::nearest(name, names.iter().copied()));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    match isa {
        Some(isa) => format!("no profile `{name}`; {near}for {} there are {}", isa.name(), names.join(", ")),
        None => {
            let groups = profile_groups().into_iter().map(|(isa, names)| format!("{isa}: {names}"));
            format!("no profile `{name}`; {near}there are {}", groups.collect::<Vec<_>>().join("; "))
        }
    }
}

impl CheckArgs {
    /// The options of the library. `likely` is asked for the instruction set of the inputs where there is no such profile.
    pub(crate) fn options(&self, likely: impl FnOnce() -> Option<Isa>) -> Outcome<CheckOptions> {
        let mut out = CheckOptions::default();
        let profile = plain(self.profile.as_deref().unwrap_or(FLASH));
        if let Ok(level) = profile.parse::<Level>() {
            out.nv2a.level = level;
        } else if let Ok(found) = profile.parse::<d3d9::Profile>() {
            out.d3d9.profile = found;
        } else if let Ok(found) = profile.parse::<tgsi::Profile>() {
            out.tgsi.profile = found;
        } else if profile != FLASH {
            let found = Profile::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(profile));
            out.agal.profile = found.ok_or_else(|| Failure::usage(no_profile(profile, likely())))?;
        }
        out.agal.generation = match self.generation.unwrap_or_default() {
            GenerationArg::Adobe2013 => Generation::Adobe2013,
            GenerationArg::Modern => Generation::Modern,
        };
        for rule in &self.rule {
            let (name, value) = rule
                .split_once('=')
                .ok_or_else(|| Failure::usage(format!("--rule {rule}: expected NAME=VALUE")))?;
            let set = match out.agal.switches.set(name, value) {
                Err(SwitchError::UnknownName) => out.d3d9.switches.set(name, value),
                other => other,
            };
            let all = || GROUPS.iter().flat_map(|group| group.1);
            set.map_err(|error| {
                let why = match error {
                    SwitchError::UnknownName => {
                        let names: Vec<&str> = all().map(|s| s.name).collect();
                        format!("no such switch; expected one of {}", names.join(", "))
                    }
                    SwitchError::UnknownValue => {
                        let values: Vec<&str> = all()
                            .filter(|s| s.name == name)
                            .flat_map(|s| s.values)
                            .map(|(value, _)| *value)
                            .collect();
                        format!("no such value; expected one of {}", values.join(", "))
                    }
                };
                Failure::usage(format!("--rule {rule}: {why}"))
            })?;
        }
        Ok(out)
    }

    /// A flag that says nothing about programs of any of these instruction sets, as a message.
    pub(crate) fn unheeded(&self, isas: &[Isa]) -> Option<String> {
        let profile = self.profile.as_deref().map(|profile| {
            let of = Isa::ALL
                .iter()
                .copied()
                .find(|isa| profiles_of(*isa).iter().any(|name| name.eq_ignore_ascii_case(plain(profile))));
            (format!("--profile {profile}"), of)
        });
        let generation = self.generation.map(|_| ("--generation".to_string(), Some(Isa::Agal)));
        let rules = self.rule.iter().map(|rule| {
            let name = rule.split('=').next().unwrap_or(rule);
            let agal = SWITCHES.iter().any(|switch| switch.name == name);
            (format!("--rule {name}"), Some(if agal { Isa::Agal } else { Isa::D3d9 }))
        });
        let flags = profile.into_iter().chain(generation).chain(rules);
        let mut foreign =
            flags.filter_map(|(flag, isa)| Some((flag, isa.filter(|isa| !isas.contains(isa))?)));
        foreign.next().map(|(flag, isa)| {
            let isas: Vec<&str> = isas.iter().map(|isa| isa.name()).collect();
            format!("{flag} is for {}, and this is {}", isa.name(), isas.join(" and "))
        })
    }

    /// What `--rule help` prints, if it was asked for.
    pub(crate) fn help(&self) -> Option<String> {
        if !self.rule.iter().any(|rule| rule == "help") {
            return None;
        }
        let mut out = String::new();
        for (title, switches) in GROUPS {
            let blank = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{blank}{title}");
            for switch in switches {
                let _ = writeln!(out, "\n--rule {}={}\n  {}", switch.name, switch.default, switch.doc);
                for (value, doc) in switch.values {
                    let _ = writeln!(out, "    {value:<10} {doc}");
                }
            }
        }
        Some(out)
    }
}
