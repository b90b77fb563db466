//! What a program means where its instruction set leaves that open.

use super::{
    ByName, GivenOptions, Opt, OptionError, Row, RuleGroup, Value, isa_of_rule, set_first, set_rule,
};
#[cfg(feature = "nv2a")]
use super::{number, switch};
use crate::isa::Isa;
#[cfg(feature = "agal")]
use crate::isa::agal::lift as agal;
use crate::isa::any::LiftOptions;
#[cfg(feature = "d3d9")]
use crate::isa::d3d9::lift as d3d9;
#[cfg(feature = "nv2a")]
use crate::isa::nv2a::lift as nv2a;
#[cfg(feature = "tgsi")]
use crate::isa::tgsi::lift as tgsi;
use crate::target::Target;
use crate::translate;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const GROUP: &str = "Meaning";
/// The word for no part of a pipeline.
#[cfg(feature = "d3d9")]
const NONE: &str = "none";
/// The word for no part of it, not even those that are always there.
#[cfg(feature = "d3d9")]
const STRIP: &str = "strip";

/// Arithmetic: the word, what it is, and the words for the instruction sets that have it; none for all of them.
const NUMERICS: &[(&str, &str, &[&str])] = &[
    ("flash", "Flash Player's: sqt, rsq, log and the base of pow take the absolute value", &["agal"]),
    ("ieee", "The plain functions of IEEE 754", &[]),
    ("fast", "The same, by the name that says why: the target's own operations and nothing around them", &[]),
    ("d3d9", "A factor of zero gives zero, also with an infinity, as hardware of Direct3D 9 does", &["d3d9"]),
    ("nv20", "The integer arithmetic of the NV20 family", &["nv2a"]),
    ("exact", "The same, in a target language as integer operations, bit for bit", &["nv2a"]),
];

/// The words of [`NUMERICS`] with their sentences.
const NUMERICS_WORDS: [(&str, &str); NUMERICS.len()] = {
    let mut out = [("", ""); NUMERICS.len()];
    let mut n = 0;
    while n < out.len() {
        out[n] = (NUMERICS[n].0, NUMERICS[n].1);
        n += 1;
    }
    out
};

const RULES: &[RuleGroup] = &[
    #[cfg(feature = "nv2a")]
    RuleGroup {
        title: "Unsettled points of the NV2A, with their defaults:",
        isa: "nv2a",
        rules: nv2a::SWITCHES,
    },
    #[cfg(feature = "d3d9")]
    RuleGroup {
        title: "Unsettled points of Direct3D, with their defaults:",
        isa: "d3d9",
        rules: d3d9::SWITCHES,
    },
    #[cfg(feature = "tgsi")]
    RuleGroup { title: "Unsettled points of TGSI, with their defaults:", isa: "tgsi", rules: tgsi::SWITCHES },
];

impl ByName for LiftOptions {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        const ROWS: &[Row<LiftOptions>] = &[
            Row::new(
                Opt::new(
                    GROUP,
                    "numerics",
                    "Arithmetic to emulate: the first word that applies to the instruction set",
                )
                .words("NUMERICS", &NUMERICS_WORDS)
                .commas()
                .more(
                    "AGAL: flash (default) or ieee. NV2A: nv20 (default), ieee (default of translations) or exact. \
                     Direct3D: d3d9 (default) or ieee. TGSI: ieee; `--rule zero-wins=always` is Direct3D's. fast is ieee.",
                ),
                set_numerics,
            ),
            #[cfg(feature = "agal")]
            Row::new(
                Opt::new(
                    GROUP,
                    "ifg",
                    "Comparison of AGAL's `ifg`: Adobe's document says greater or equal, players do greater",
                )
                .words("MEANING", &[("greater", "source 1 > source 2"), ("greater-equal", "source 1 >= source 2")])
                .default("greater")
                .of_isas(&["agal"]),
                |to, value| {
                    to.agal.ifg = match value {
                        "greater" => agal::Ifg::Greater,
                        "greater-equal" => agal::Ifg::GreaterEqual,
                        _ => return Err("expected greater or greater-equal".into()),
                    };
                    Ok(())
                },
            ),
            #[cfg(feature = "tgsi")]
            Row::new(
                Opt::new(
                    GROUP,
                    "compat",
                    "TGSI: behaviour where Mesa's interpreter differs from the language: the language's, or the \
                     interpreter's, fault for fault",
                )
                .text("WHOSE")
                .default("none")
                .of_isas(&["tgsi"])
                .more("none, tgsi_exec (of Mesa 22.3), or the name of a single fault."),
                |to, value| {
                    to.tgsi.compat = tgsi::Compat::named(value).ok_or_else(|| {
                        let faults: Vec<&str> = tgsi::Fault::ALL.iter().map(|fault| fault.name()).collect();
                        format!("expected none, tgsi_exec, or one of its faults: {}", faults.join(", "))
                    })?;
                    Ok(())
                },
            ),
            Row::new(
                Opt::new(
                    GROUP,
                    "rule",
                    "Set an unsettled point of the NV2A, Direct3D or TGSI; `--rule help` lists them",
                )
                .takes("NAME=VALUE", Value::Rule(RULES))
                .several()
                .isa_by_value(|value| isa_of_rule(RULES, value)),
                |to, value| set_rule(RULES, value, |name, value| set_first!(to, name, value; nv2a "nv2a", d3d9 "d3d9", tgsi "tgsi")),
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(
                    GROUP,
                    "position",
                    "NV2A: the position as the program writes it (pixels, y down) or converted back to clip space \
                     [default: clip for WGSL and pictures, else screen]",
                )
                .words(
                    "SPACE",
                    &[
                        ("screen", "Pixels, y down"),
                        ("clip", "Clip space, y up, z in 0-w"),
                        ("unscaled", "What the program has before it applies the viewport at its end"),
                    ],
                )
                .of_isas(&["nv2a"]),
                |to, value| {
                    to.nv2a.space = match value {
                        "screen" => nv2a::Space::Screen,
                        "clip" => nv2a::Space::Clip,
                        "unscaled" => nv2a::Space::Unscaled,
                        _ => return Err("expected screen, clip or unscaled".into()),
                    };
                    Ok(())
                },
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(GROUP, "subpixel", "NV2A: in clip space, truncate x and y to sixteenths of a pixel first")
                    .of_isas(&["nv2a"]),
                |to, value| switch(value).map(|on| to.nv2a.subpixel = on),
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(
                    GROUP,
                    "clamp",
                    "NV2A: output colours clamped to 0-1 [default: all for WGSL and pictures, else off]",
                )
                .words(
                    "COLOURS",
                    &[("off", "None"), ("diffuse", "oD0 and oB0"), ("all", "oD0, oD1, oB0 and oB1")],
                )
                .of_isas(&["nv2a"]),
                |to, value| {
                    to.nv2a.clamp = match value {
                        "off" => nv2a::Clamp::Off,
                        "diffuse" => nv2a::Clamp::Diffuse,
                        "all" => nv2a::Clamp::All,
                        _ => return Err("expected off, diffuse or all".into()),
                    };
                    Ok(())
                },
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(GROUP, "start", "NV2A: first slot of the program")
                    .number("SLOT")
                    .default("0")
                    .of_isas(&["nv2a"]),
                |to, value| number(value).map(|slot| to.nv2a.start = slot),
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(
                    GROUP,
                    "state-program",
                    "NV2A: treat the program as a vertex state program, whatever its header says",
                )
                .of_isas(&["nv2a"]),
                |to, value| {
                    let kind = |state| if state { nv2a::ProgramKind::State } else { nv2a::ProgramKind::default() };
                    switch(value).map(|state| to.nv2a.kind = kind(state))
                },
            ),
            #[cfg(feature = "nv2a")]
            Row::new(
                Opt::new(GROUP, "given-registers", "NV2A: r0-r12 and a0 start as inputs; for parts of programs")
                    .of_isas(&["nv2a"]),
                |to, value| switch(value).map(|on| to.nv2a.registers = on),
            ),
            #[cfg(feature = "d3d9")]
            Row::new(
                Opt::new(
                    GROUP,
                    "pipeline",
                    "Direct3D: parts of the pipeline around the shaders to build into them; `help` lists them",
                )
                .takes("PART", Value::Part(d3d9::Pipeline::PARTS))
                .commas()
                .of_isas(&["d3d9"])
                .more(
                    "By default none, but all visible ones for pictures. Their numbers are state values. strip takes \
                     off the clamps of colours and fog before 3.0, too.",
                ),
                set_pipeline,
            ),
        ];
        ROWS.iter()
    }
}

/// The first word of a value of `numerics`, such as `flash,ieee`, that applies to programs of an instruction set, with `ieee` for
/// `fast`; `None` if none does.
pub(super) fn heeded_numerics(words: &str, isa: Isa) -> Option<&'static str> {
    let of = |word: &str| NUMERICS.iter().find(|(name, ..)| *name == word);
    let is_for = |(.., isas): &&(&str, &str, &[&str])| isas.is_empty() || isas.contains(&isa.name());
    let (name, ..) = words.split(',').filter_map(of).find(is_for)?;
    Some(if *name == "fast" { "ieee" } else { name })
}

impl GivenOptions<LiftOptions> {
    /// Those for programs of an instruction set, with what [`LiftOptions::for_gpus`] says where nothing is said.
    #[must_use]
    pub fn for_gpus(&self, isa: Isa) -> Self {
        self.with_words(isa, translate::words_for_gpus(isa))
    }

    /// Those for programs of an instruction set, with what translations to a target say where nothing is said.
    #[must_use]
    pub fn for_target(&self, isa: Isa, target: Target) -> Self {
        self.with_words(isa, translate::words_for(isa, target).into_iter())
    }

    fn with_words(&self, isa: Isa, words: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let mut out = self.of(isa);
        for (name, value) in words {
            if out.value(name).is_none() {
                // Words that the options have.
                let _ = out.set(name, value);
            }
        }
        out
    }

    /// Fails if all words of `numerics` are for other instruction sets.
    ///
    /// # Errors
    ///
    /// The words for this one.
    pub fn check_numerics(&self, isa: Isa) -> Result<(), OptionError> {
        let is_heeded = |words: &str| heeded_numerics(words, isa).is_some();
        if self.value("numerics").is_none_or(is_heeded) {
            return Ok(());
        }
        let names: Vec<&str> =
            NUMERICS.iter().map(|(name, ..)| *name).filter(|name| is_heeded(name)).collect();
        Err(OptionError::value("numerics", format!("programs of {} have {}", isa.name(), names.join(", "))))
    }
}

fn set_numerics(to: &mut LiftOptions, words: &str) -> Result<(), String> {
    for word in words.split(',') {
        if !NUMERICS.iter().any(|(name, ..)| *name == word) {
            let names = NUMERICS.iter().map(|(name, ..)| *name);
            return Err(ToString::to_string(&crate::word::Unknown::new("arithmetic", word, names)));
        }
    }
    let _ = &to;
    #[cfg(feature = "agal")]
    if let Some(word) = heeded_numerics(words, Isa::Agal) {
        to.agal.numerics = if word == "ieee" { agal::Numerics::Ieee } else { agal::Numerics::Flash };
    }
    #[cfg(feature = "nv2a")]
    if let Some(word) = heeded_numerics(words, Isa::Nv2a) {
        to.nv2a.numerics = if word == "ieee" { nv2a::Numerics::Ieee } else { nv2a::Numerics::Nv20 };
    }
    #[cfg(feature = "d3d9")]
    if let Some(word) = heeded_numerics(words, Isa::D3d9) {
        to.d3d9.numerics = if word == "ieee" { d3d9::Numerics::Ieee } else { d3d9::Numerics::D3d9 };
    }
    Ok(())
}

/// The parts that are named, and no other.
#[cfg(feature = "d3d9")]
fn set_pipeline(to: &mut LiftOptions, parts: &str) -> Result<(), String> {
    let (mut pipeline, mut unclamped) = (d3d9::Pipeline::default(), false);
    for part in parts.split(',') {
        if part == STRIP {
            unclamped = true;
        } else if part != NONE && !pipeline.add(part) {
            let names: Vec<&str> = d3d9::Pipeline::PARTS.iter().map(|(name, _)| *name).collect();
            return Err(format!("expected one of {NONE}, {STRIP}, {}", names.join(", ")));
        }
    }
    to.d3d9.pipeline = pipeline;
    to.d3d9.unclamped = unclamped;
    Ok(())
}

#[cfg(all(test, feature = "nv2a"))]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_gpus_get() {
        let words = GivenOptions::<LiftOptions>::default().for_gpus(Isa::Nv2a);
        let made = words.apply(LiftOptions::default()).map(|options| format!("{:?}", options.nv2a));
        assert_eq!(made, Ok(format!("{:?}", LiftOptions::for_gpus().nv2a)));
    }
}
