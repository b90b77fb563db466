//! The flags that say what a program means where its instruction set leaves that open.

use crate::args::word;
use crate::{Failure, Outcome};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use vecasm::isa::any::LiftOptions;
use vecasm::isa::d3d9::lift::Pipeline;
use vecasm::isa::switch::{Switch, SwitchError};
use vecasm::isa::tgsi::lift::{Compat, Fault};
use vecasm::isa::{Depth, Isa, agal, d3d9, nv2a, tgsi};

/// The meaning of a program where that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Meaning")]
pub(crate) struct LiftArgs {
    /// Arithmetic to emulate: the first word that applies to the instruction set
    ///
    /// AGAL: flash (default) or ieee. NV2A: nv20 (default), ieee (default of translations) or exact. Direct3D: d3d9
    /// (default) or ieee. TGSI: ieee; `--rule zero-wins=always` is Direct3D's. fast is ieee.
    #[arg(long, value_name = "NUMERICS", value_delimiter = ',')]
    numerics: Vec<Numerics>,
    /// Comparison of AGAL's `ifg`: Adobe's document says greater or equal, players do greater
    #[arg(long, value_name = "MEANING", default_value = "greater")]
    ifg: Ifg,
    /// TGSI: behaviour where Mesa's interpreter differs from the language: the language's, or the interpreter's, fault
    /// for fault
    ///
    /// none, tgsi_exec (of Mesa 22.3), or the name of a single fault.
    #[arg(long, value_name = "WHOSE", default_value = "none", value_parser = compat)]
    compat: Compat,
    /// Set an unsettled point of the NV2A, Direct3D or TGSI; `--rule help` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = rule)]
    rule: Vec<String>,
    /// NV2A: the position as the program writes it (pixels, y down) or converted back to clip space [default: clip for
    /// WGSL and pictures, else screen]
    #[arg(long, value_name = "SPACE")]
    position: Option<Space>,
    /// NV2A: in clip space, truncate x and y to sixteenths of a pixel first
    #[arg(long)]
    subpixel: bool,
    /// NV2A: output colours clamped to 0-1 [default: all for WGSL and pictures, else off]
    #[arg(long, value_name = "COLOURS")]
    clamp: Option<Clamp>,
    /// NV2A: first slot of the program
    #[arg(long, value_name = "SLOT", default_value_t = 0)]
    start: u32,
    /// NV2A: treat the program as a vertex state program, whatever its header says
    #[arg(long)]
    state_program: bool,
    /// NV2A: r0-r12 and a0 start as inputs; for parts of programs
    #[arg(long)]
    given_registers: bool,
    /// Direct3D: parts of the pipeline around the shaders to build into them; `help` lists them
    ///
    /// By default none, but all visible ones for pictures. Their numbers are state values.
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = part)]
    pipeline: Vec<String>,
    /// Whether the shader records which instruction read and wrote what.
    #[arg(skip)]
    pub(crate) steps: bool,
}

/// What a shader is lifted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be run or looked at.
    Run,
    /// To be drawn with.
    Picture,
    /// To be translated to a language of GPUs.
    Gpu,
    /// To be translated to a compute shader of such a language, for its results.
    Compute,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Numerics {
    /// Flash Player's: sqt, rsq, log and the base of pow take the absolute value
    Flash,
    /// The plain functions of IEEE 754
    Ieee,
    /// The same, by the name that says why: the target's own operations and nothing around them
    Fast,
    /// A factor of zero gives zero, also with an infinity, as hardware of Direct3D 9 does
    D3d9,
    /// The integer arithmetic of the NV20 family
    Nv20,
    /// The same, in a target language as integer operations, bit for bit
    Exact,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Ifg {
    /// source 1 > source 2
    #[default]
    Greater,
    /// source 1 >= source 2
    GreaterEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Space {
    /// Pixels, y down
    Screen,
    /// Clip space, y up, z in 0-w
    Clip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Clamp {
    /// None
    Off,
    /// oD0 and oB0
    Diffuse,
    /// oD0, oD1, oB0 and oB1
    All,
}

/// The word of `--pipeline` for no part.
const NONE: &str = "none";
/// The word of `--rule` that lists the rules.
const HELP: &str = "help";

/// Checks a part of the pipeline.
fn part(text: &str) -> Result<String, String> {
    if text == HELP || text == NONE || Pipeline::default().add(text) {
        return Ok(text.into());
    }
    let names: Vec<&str> = Pipeline::PARTS.iter().map(|(name, _)| *name).collect();
    Err(format!("expected one of {NONE}, {}", names.join(", ")))
}

/// Checks whose behaviour is meant.
fn compat(text: &str) -> Result<Compat, String> {
    let faults = || Fault::ALL.iter().map(|fault| fault.name()).collect::<Vec<_>>().join(", ");
    Compat::named(text).ok_or_else(|| format!("expected none, tgsi_exec, or one of its faults: {}", faults()))
}

/// Checks `NAME=VALUE`.
fn rule(text: &str) -> Result<String, String> {
    if text == HELP {
        return Ok(text.into());
    }
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let mut options = LiftOptions::default();
    let known = || SWITCHES.iter().flat_map(|(.., switches)| *switches);
    match set(&mut options, name, value) {
        Ok(()) => Ok(text.into()),
        Err(SwitchError::UnknownName) => {
            let names: Vec<&str> = known().map(|s| s.name).collect();
            Err(format!("no such switch; expected one of {}", names.join(", ")))
        }
        Err(SwitchError::UnknownValue) => {
            let switch = known().find(|s| s.name == name);
            let values: Vec<&str> =
                switch.into_iter().flat_map(|s| s.values).map(|(value, _)| *value).collect();
            Err(format!("no such value; expected one of {}", values.join(", ")))
        }
    }
}

/// The unsettled points of the instruction sets that have some, with what help calls those.
const SWITCHES: [(Isa, &str, &[Switch]); 3] = [
    (Isa::Nv2a, "the NV2A", nv2a::lift::SWITCHES),
    (Isa::D3d9, "Direct3D", d3d9::lift::SWITCHES),
    (Isa::Tgsi, "TGSI", tgsi::lift::SWITCHES),
];

/// The instruction set that has a switch.
fn isa_of_rule(name: &str) -> Option<Isa> {
    let has = |(.., switches): &&(Isa, &str, &[Switch])| switches.iter().any(|switch| switch.name == name);
    SWITCHES.iter().find(has).map(|(isa, ..)| *isa)
}

/// Sets a switch of whichever instruction set has it.
fn set(options: &mut LiftOptions, name: &str, value: &str) -> Result<(), SwitchError> {
    match options.nv2a.switches.set(name, value) {
        Err(SwitchError::UnknownName) => match options.d3d9.switches.set(name, value) {
            Err(SwitchError::UnknownName) => options.tgsi.switches.set(name, value),
            done => done,
        },
        done => done,
    }
}

impl Numerics {
    /// Whether programs of an instruction set have it.
    const fn is_for(self, isa: Isa) -> bool {
        match self {
            Self::Flash => matches!(isa, Isa::Agal),
            Self::Ieee | Self::Fast => true,
            Self::D3d9 => matches!(isa, Isa::D3d9),
            Self::Nv20 | Self::Exact => matches!(isa, Isa::Nv2a),
        }
    }
}

impl LiftArgs {
    fn numerics_of(&self, isa: Isa) -> Option<Numerics> {
        let found = self.numerics.iter().copied().find(|n| n.is_for(isa));
        if found == Some(Numerics::Fast) { Some(Numerics::Ieee) } else { found }
    }

    /// The options of the library.
    pub(crate) fn options(&self, purpose: Purpose) -> LiftOptions {
        let mut out = match purpose {
            Purpose::Gpu => LiftOptions::for_gpus(),
            Purpose::Compute => LiftOptions::for_compute(),
            Purpose::Run => LiftOptions::default(),
            Purpose::Picture => LiftOptions::for_pictures(),
        };
        out.agal.numerics = match self.numerics_of(Isa::Agal) {
            Some(Numerics::Ieee) => agal::lift::Numerics::Ieee,
            _ => agal::lift::Numerics::Flash,
        };
        out.agal.ifg = match self.ifg {
            Ifg::Greater => agal::lift::Ifg::Greater,
            Ifg::GreaterEqual => agal::lift::Ifg::GreaterEqual,
        };
        out.d3d9.numerics = match self.numerics_of(Isa::D3d9) {
            Some(Numerics::Ieee) => d3d9::lift::Numerics::Ieee,
            _ => d3d9::lift::Numerics::D3d9,
        };
        out.nv2a.numerics = match self.numerics_of(Isa::Nv2a) {
            Some(Numerics::Ieee) => nv2a::lift::Numerics::Ieee,
            Some(_) => nv2a::lift::Numerics::Nv20,
            None => out.nv2a.numerics,
        };
        out.nv2a.space = match self.position {
            Some(Space::Screen) => nv2a::lift::Space::Screen,
            Some(Space::Clip) => nv2a::lift::Space::Clip,
            None => out.nv2a.space,
        };
        out.nv2a.clamp = match self.clamp {
            Some(Clamp::Off) => nv2a::lift::Clamp::Off,
            Some(Clamp::Diffuse) => nv2a::lift::Clamp::Diffuse,
            Some(Clamp::All) => nv2a::lift::Clamp::All,
            None => out.nv2a.clamp,
        };
        out.nv2a.subpixel = self.subpixel;
        out.nv2a.start = self.start;
        if self.state_program {
            out.nv2a.kind = nv2a::lift::ProgramKind::State;
        }
        out.nv2a.registers = self.given_registers;
        if purpose != Purpose::Picture || !self.pipeline.is_empty() {
            out.d3d9.pipeline = Pipeline::default();
            for part in &self.pipeline {
                // They were checked when they were read.
                out.d3d9.pipeline.add(part);
            }
        }
        out.tgsi.compat = self.compat;
        for (name, value) in self.rule.iter().filter_map(|rule| rule.split_once('=')) {
            // They were checked when they were read.
            let _ = set(&mut out, name, value);
        }
        if self.steps {
            out.agal.depth = Depth::Full;
            out.nv2a.depth = Depth::Full;
            out.d3d9.depth = Depth::Full;
            out.tgsi.depth = Depth::Full;
        }
        out
    }

    /// The flags as words of a command line; what is at its default is left out.
    pub(crate) fn words(&self) -> Vec<String> {
        let plain = Self::default();
        let list = |words: Vec<String>| (!words.is_empty()).then(|| words.join(","));
        let flags = [
            ("--numerics", list(self.numerics.iter().copied().map(word).collect())),
            ("--ifg", (self.ifg != plain.ifg).then(|| word(self.ifg))),
            ("--position", self.position.map(word)),
            ("--clamp", self.clamp.map(word)),
            ("--start", (self.start != plain.start).then(|| self.start.to_string())),
            ("--pipeline", list(self.pipeline.clone())),
            ("--compat", (self.compat != plain.compat).then(|| self.compat.name().to_string())),
        ];
        let rules = self.rule.iter().map(|rule| ("--rule", Some(rule.clone())));
        let given =
            flags.into_iter().chain(rules).filter_map(|(flag, value)| Some([flag.to_string(), value?]));
        let switches = [
            ("--subpixel", self.subpixel),
            ("--state-program", self.state_program),
            ("--given-registers", self.given_registers),
        ];
        let switches = switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_string());
        given.flatten().chain(switches).collect()
    }

    /// The same, with or without step tables.
    pub(crate) fn with_steps(&self, steps: bool) -> Self {
        Self { steps, ..self.clone() }
    }

    /// Whether nothing is said.
    pub(crate) fn is_plain(&self) -> bool {
        self.with_steps(false) == Self::default()
    }

    /// The flags that are given, with the instruction set that each is for.
    fn flags(&self) -> Vec<(String, Isa)> {
        let plain = Self::default();
        let nv2a = [
            ("--position", self.position.is_some()),
            ("--subpixel", self.subpixel),
            ("--clamp", self.clamp.is_some()),
            ("--start", self.start != plain.start),
            ("--state-program", self.state_program),
            ("--given-registers", self.given_registers),
        ];
        let others = [
            ("--ifg", self.ifg != plain.ifg, Isa::Agal),
            ("--compat", self.compat != plain.compat, Isa::Tgsi),
            ("--pipeline", !self.pipeline.is_empty(), Isa::D3d9),
        ];
        let nv2a = nv2a.into_iter().map(|(flag, given)| (flag, given, Isa::Nv2a));
        let given = nv2a.chain(others).filter(|(_, given, _)| *given);
        let rules = self.rule.iter().filter_map(|rule| {
            let name = rule.split('=').next().unwrap_or(rule);
            Some((format!("--rule {name}"), isa_of_rule(name)?))
        });
        given.map(|(flag, _, isa)| (flag.to_string(), isa)).chain(rules).collect()
    }

    /// A flag that says nothing about programs of any of these instruction sets, as a message.
    pub(crate) fn unheeded(&self, isas: &[Isa]) -> Option<String> {
        let (flag, isa) = self.flags().into_iter().find(|(_, isa)| !isas.contains(isa))?;
        let isas: Vec<&str> = isas.iter().map(|isa| isa.name()).collect();
        Some(format!("{flag} is for {}, and this is {}", isa.name(), isas.join(" and ")))
    }

    /// The flags that are for an instruction set: of several programs each heeds its own.
    pub(crate) fn of(&self, isa: Isa) -> Self {
        let mut out = self.clone();
        let plain = Self::default();
        if isa != Isa::Nv2a {
            (out.position, out.subpixel, out.clamp) = (plain.position, plain.subpixel, plain.clamp);
            (out.start, out.state_program) = (plain.start, plain.state_program);
            out.given_registers = plain.given_registers;
        }
        if isa != Isa::Agal {
            out.ifg = plain.ifg;
        }
        if isa != Isa::Tgsi {
            out.compat = plain.compat;
        }
        if isa != Isa::D3d9 {
            out.pipeline.clear();
        }
        out.rule.retain(|rule| isa_of_rule(rule.split('=').next().unwrap_or(rule)) == Some(isa));
        out
    }

    /// Fails if what `--numerics` says is for other instruction sets.
    pub(crate) fn check(&self, isa: Isa) -> Outcome {
        if self.numerics.is_empty() || self.numerics_of(isa).is_some() {
            return Ok(());
        }
        let all = Numerics::value_variants().iter().filter(|n| n.is_for(isa));
        let names: Vec<String> = all.map(|n| format!("{n:?}").to_lowercase()).collect();
        Err(Failure::usage(format!("--numerics: programs of {} have {}", isa.name(), names.join(", "))))
    }

    /// Whether programs of an instruction set are to be written in integers, bit for bit.
    pub(crate) fn exact(&self, isa: Isa) -> bool {
        self.numerics_of(isa) == Some(Numerics::Exact)
    }

    /// What `--rule help` and `--pipeline help` print, if they were asked for.
    pub(crate) fn help(&self) -> Option<String> {
        if self.pipeline.iter().any(|part| part == HELP) {
            let mut out =
                String::from("Parts of Direct3D's pipeline, with their state values and defaults:\n");
            for (name, doc) in Pipeline::PARTS {
                let _ = writeln!(out, "\n--pipeline {name}\n  {doc}");
            }
            return Some(out);
        }
        if !self.rule.iter().any(|rule| rule == HELP) {
            return None;
        }
        let mut out = String::new();
        for (_, of, switches) in SWITCHES {
            let _ = writeln!(out, "Unsettled points of {of}, with their defaults:");
            for switch in switches {
                let _ = writeln!(out, "\n--rule {}={}\n  {}", switch.name, switch.default, switch.doc);
                for (value, doc) in switch.values {
                    let _ = writeln!(out, "    {value:<12} {doc}");
                }
            }
            out.push('\n');
        }
        Some(out)
    }
}
