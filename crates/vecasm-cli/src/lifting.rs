//! The flags that say what a program means where its instruction set leaves that open.

use crate::Outcome;
use crate::flags::{self, Flags};
use clap::Args;
use vecasm::LiftOptions;
use vecasm::isa::{Depth, Isa};
use vecasm::options::GivenOptions;

/// The meaning of a program where that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct LiftArgs {
    #[command(flatten)]
    pub(crate) flags: Flags<LiftOptions>,
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
    /// To be translated.
    To(vecasm::Target),
    /// To be translated to a compute shader of such a language, for its results.
    Compute,
}

impl LiftArgs {
    /// The options of the library.
    pub(crate) fn options(&self, purpose: Purpose) -> LiftOptions {
        let base = match purpose {
            Purpose::Gpu => LiftOptions::for_gpus(),
            Purpose::To(target) => vecasm::translate::lift_options(target),
            Purpose::Compute => LiftOptions::for_compute(),
            Purpose::Picture => LiftOptions::for_pictures(),
            Purpose::Run => LiftOptions::default(),
        };
        // The values were looked at when they were read.
        let options = self.flags.given.apply(base).unwrap_or(base);
        if self.steps { options.with_depth(Depth::Full) } else { options }
    }

    /// Those that options of the library are.
    pub(crate) fn of_given(given: &GivenOptions<LiftOptions>) -> Self {
        Self { flags: Flags::of(given), steps: false }
    }

    /// The same, with or without step tables.
    pub(crate) fn with_steps(&self, steps: bool) -> Self {
        Self { steps, ..self.clone() }
    }

    /// Whether nothing is said.
    pub(crate) fn is_plain(&self) -> bool {
        self.flags.given.is_empty()
    }

    /// A flag that says nothing about programs of any of these instruction sets, as a message.
    pub(crate) fn unheeded(&self, isas: &[Isa]) -> Option<String> {
        self.flags.given.foreign(isas).map(|error| format!("--{error}"))
    }

    /// The flags that are for an instruction set: of several programs each heeds its own.
    pub(crate) fn of(&self, isa: Isa) -> Self {
        let mut out = self.clone();
        out.flags.given = out.flags.given.of(isa);
        out
    }

    /// Fails if what `--numerics` says is for other instruction sets.
    pub(crate) fn check(&self, isa: Isa) -> Outcome {
        self.flags.given.check_numerics(isa).map_err(|error| flags::failure(&error))
    }

    /// What `--rule help` and `--pipeline help` print, if they were asked for.
    pub(crate) fn help(&self) -> Option<String> {
        self.flags.help()
    }
}
