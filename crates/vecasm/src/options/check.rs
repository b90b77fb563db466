//! Who is asked whether a program is good.

use super::{ByName, Opt, Row, RuleGroup, Value, isa_of_rule, set_first, set_rule};
use crate::diag::near;
use crate::isa::Isa;
#[cfg(feature = "agal")]
use crate::isa::agal::rules as agal;
use crate::isa::any::CheckOptions;
#[cfg(feature = "d3d9")]
use crate::isa::d3d9::rules as d3d9;
#[cfg(feature = "nv2a")]
use crate::isa::nv2a::rules as nv2a;
#[cfg(feature = "tgsi")]
use crate::isa::tgsi::rules as tgsi;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const GROUP: &str = "Checking";
/// The name of all Flash profiles together.
const FLASH: &str = "flash";

const RULES: &[RuleGroup] = &[
    #[cfg(feature = "agal")]
    RuleGroup {
        title: "Unsettled points of the Flash Player, with their defaults:",
        isa: "agal",
        rules: agal::SWITCHES,
    },
    #[cfg(feature = "d3d9")]
    RuleGroup {
        title: "Capabilities of a Direct3D 9 device that a shader's tokens do not show, with their defaults:",
        isa: "d3d9",
        rules: d3d9::SWITCHES,
    },
];

impl ByName for CheckOptions {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        const ROWS: &[Row<CheckOptions>] = &[
            Row::new(
                Opt::new(
                    GROUP,
                    "profile",
                    "Validator profile. AGAL: `flash`, or one of its profiles, for example `baseline`; NV2A: `encodable`, \
                     `nv2a-hw`, `xdk`; Direct3D: `d3d9`, `d3d8`, `mojoshader`, `dxvk`, `wine`; TGSI: `tgsi-strict`, \
                     `tgsi-sanity`, `virgl`, `parse`",
                )
                .text("PROFILE")
                .isa_by_value(isa_of_profile)
                .more(
                    "Programs of other instruction sets are checked as without it; if there are no others, that is an error.",
                ),
                set_profile,
            ),
            #[cfg(feature = "agal")]
            Row::new(
                Opt::new(
                    GROUP,
                    "generation",
                    "Flash Player generation: Adobe's published validator of 2013, or a current player",
                )
                .words("PLAYER", &[("2013", "AGAL 1 only, strict"), ("modern", "AGAL 1-4")])
                .aliases(&[("adobe2013", "2013")])
                .of_isas(&["agal"]),
                |to, value| {
                    to.agal.generation = match value {
                        "2013" | "adobe2013" => agal::Generation::Adobe2013,
                        "modern" => agal::Generation::Modern,
                        _ => return Err("expected 2013 or modern".into()),
                    };
                    Ok(())
                },
            ),
            Row::new(
                Opt::new(GROUP, "rule", "Set an unsettled point; `--rule help` lists them")
                    .takes("NAME=VALUE", Value::Rule(RULES))
                    .several()
                    .isa_by_value(|value| isa_of_rule(RULES, value)),
                |to, value| set_rule(RULES, value, |name, value| set_first!(to, name, value; agal "agal", d3d9 "d3d9")),
            ),
        ];
        ROWS.iter()
    }
}

/// The name without the `flash:` that may stand in front of it.
fn plain(profile: &str) -> &str {
    profile.strip_prefix("flash:").unwrap_or(profile)
}

/// Sets the profile of the instruction set that it is of.
fn set_profile(to: &mut CheckOptions, value: &str) -> Result<(), String> {
    let _ = to;
    let profile = plain(value);
    #[cfg(feature = "nv2a")]
    if let Ok(level) = profile.parse::<nv2a::Level>() {
        to.nv2a.level = level;
        return Ok(());
    }
    #[cfg(feature = "d3d9")]
    if let Ok(found) = profile.parse::<d3d9::Profile>() {
        to.d3d9.profile = found;
        return Ok(());
    }
    #[cfg(feature = "tgsi")]
    if let Ok(found) = profile.parse::<tgsi::Profile>() {
        to.tgsi.profile = found;
        return Ok(());
    }
    #[cfg(feature = "agal")]
    {
        let found = agal::Profile::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(profile));
        if let Some(found) = found.or_else(|| (profile == FLASH).then(agal::Profile::default)) {
            to.agal.profile = found;
            return Ok(());
        }
    }
    Err(explain_profile(profile, None))
}

/// The names of profiles, of the least able first; those of AGAL begin with `flash`, which is all of them together.
pub fn profiles(isa: Isa) -> Vec<&'static str> {
    match isa {
        #[cfg(feature = "agal")]
        Isa::Agal => {
            let all = agal::Profile::ALL.into_iter().filter(|p| *p != agal::Profile::default());
            core::iter::once(FLASH).chain(all.map(agal::Profile::name)).collect()
        }
        #[cfg(feature = "nv2a")]
        Isa::Nv2a => nv2a::Level::ALL.into_iter().map(nv2a::Level::name).collect(),
        #[cfg(feature = "d3d9")]
        Isa::D3d9 => d3d9::Profile::ALL.into_iter().map(d3d9::Profile::name).collect(),
        #[cfg(feature = "tgsi")]
        Isa::Tgsi => tgsi::Profile::ALL.iter().map(|profile| profile.name()).collect(),
        _ => Vec::new(),
    }
}

/// The instruction set that a profile is of.
fn isa_of_profile(profile: &str) -> Option<Isa> {
    let is = |isa: &Isa| profiles(*isa).iter().any(|name| name.eq_ignore_ascii_case(plain(profile)));
    Isa::ALL.iter().copied().find(is)
}

/// That there is no such profile, with those that there are: for the instruction set that the name tells, else for that of the
/// programs.
pub fn explain_profile(profile: &str, isa: Option<Isa>) -> String {
    let profile = plain(profile);
    let isa = profile.parse::<Isa>().ok().or(isa);
    let all = || Isa::ALL.iter().flat_map(|isa| profiles(*isa)).collect();
    let names: Vec<&str> = isa.map_or_else(all, profiles);
    let begins = names.iter().copied().find(|known| known.starts_with(profile));
    let near = begins.or_else(|| near::nearest(profile, names.iter().copied()));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    match isa {
        Some(isa) => {
            format!("no profile `{profile}`; {near}for {} there are {}", isa.name(), names.join(", "))
        }
        None => {
            let of = |isa: &Isa| {
                let names = profiles(*isa);
                let title = names.first().filter(|first| **first == FLASH).copied().unwrap_or(isa.name());
                format!("{title}: {}", names.join(", "))
            };
            let groups: Vec<String> = Isa::ALL.iter().map(of).collect();
            format!("no profile `{profile}`; {near}there are {}", groups.join("; "))
        }
    }
}
