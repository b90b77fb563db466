//! `vecasm to --upgrade` and `--canonicalize`: from one dialect of token streams to another.

use crate::args::{InputArgs, OutputArgs};
use crate::batch::{Batch, Job, Outputs, Words};
use crate::io::{self, Input};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::targets::{self, ByteFormat, Extras};
use crate::{Failure, Outcome};
use clap::ValueEnum;
use clap::builder::{PossibleValue, TypedValueParser};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use vecasm::Target;
use vecasm::isa::AnyProgram;
use vecasm::isa::d3d9::convert::{self, CanonicalizeOptions, UpgradeOptions};
use vecasm::open::AssumedNotation;

/// Flags of conversions between dialects.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Dialects")]
pub(crate) struct ConvertArgs {
    /// Make Direct3D 8 streams legal in a later dialect; every change is reported
    #[arg(long, value_name = "DIALECT", conflicts_with = "canonicalize")]
    upgrade: Option<Upgrade>,
    /// Write a Direct3D stream so that another parser accepts it; every change is reported
    #[arg(long, value_name = "PARSER")]
    canonicalize: Option<Parser>,
    /// Usages of a vertex shader's inputs where it has no declarations: `v0=position v1=texcoord1`; others have the
    /// defaults of Direct3D 8
    #[arg(long, value_name = "INPUTS", value_parser = convert::upgrade::inputs, requires = "upgrade")]
    decl: Option<Inputs>,
    /// Dimensions of textures that the shader leaves open but the result must not: `s0=cube s3=volume`; others are 2d,
    /// or cube where the instruction needs one
    #[arg(long, value_name = "KINDS", value_parser = convert::canonicalize::samplers, requires = "canonicalize")]
    texture_kinds: Option<Kinds>,
    /// Output format of the stream [default: by the extension of -o FILE, else bin]
    #[arg(long, value_name = "FORMAT")]
    bytes: Option<ByteFormat>,
}

/// Register, usage, index of each.
type Inputs = Vec<(u16, u8, u8)>;

/// Number and code of the kind of each.
type Kinds = Vec<(u16, u8)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Upgrade {
    /// Direct3D 9
    D3d9,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Parser {
    /// MojoShader
    Mojoshader,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// To Direct3D 9.
    Upgrade,
    /// For MojoShader.
    Canonicalize,
}

impl ConvertArgs {
    /// What is to be done, if anything.
    pub(crate) fn conversion(&self) -> Option<Conversion> {
        match (self.upgrade, self.canonicalize) {
            (Some(Upgrade::D3d9), _) => Some(Conversion::Upgrade),
            (_, Some(Parser::Mojoshader)) => Some(Conversion::Canonicalize),
            _ => None,
        }
    }

    /// Does it to every file.
    pub(crate) fn run(
        &self,
        conversion: Conversion,
        files: &[PathBuf],
        input: &InputArgs,
        output: &OutputArgs,
        ctx: &Ctx,
    ) -> Outcome {
        let batch = Batch::new(files, &input.batch)?;
        let told = || output.output.as_deref().and_then(ByteFormat::of_file);
        let format = self.bytes.or_else(told).unwrap_or(ByteFormat::Bin);
        let extension = format.extension();
        let file = |input: &Input| io::with_ending(input.long_stem(), extension);
        let mut outputs = Outputs::new(output, &input.reading, &batch, |input, _| file(input))?;
        let job = Job::new(&input.reading, Words::Work).all_in_a_folder(&outputs);
        batch.run(
            &job,
            ctx,
            |one, ctx| {
                let (file, name) = (file(&one), one.stem_text());
                let loaded = load::load(one, &input.reading, AssumedNotation::Bytes, ctx)?;
                let program = self.converted(conversion, &loaded, ctx)?;
                let lines = program.instruction_texts();
                Ok((file, targets::write(&program, format, &name, &lines, Extras::default())))
            },
            |path, (file, result)| outputs.write(path, &file, &result),
        )
    }

    /// The program in the other dialect.
    fn converted(&self, conversion: Conversion, loaded: &Loaded, ctx: &Ctx) -> Outcome<AnyProgram> {
        let AnyProgram::D3d9(program) = loaded.program.any() else {
            return Err(Failure::usage("--upgrade and --canonicalize are only for Direct3D"));
        };
        let done = match conversion {
            Conversion::Upgrade => {
                convert::upgrade(program, &UpgradeOptions { inputs: self.decl.clone().unwrap_or_default() })
            }
            Conversion::Canonicalize => convert::canonicalize(
                program,
                &CanonicalizeOptions { samplers: self.texture_kinds.clone().unwrap_or_default() },
            ),
        };
        let (program, mut findings) = match done {
            Ok(done) => (Some(done.program), done.notes),
            Err(findings) => (None, findings),
        };
        loaded.place(&mut findings);
        ctx.report(&findings, loaded.source());
        program.map(AnyProgram::D3d9).ok_or(Failure::Shader)
    }
}

/// The first word behind `to`: a target, or a file where there is none.
#[derive(Clone, Debug)]
pub(crate) enum First {
    /// A target, and the word for it.
    Target(Target, OsString),
    /// Anything else.
    File(OsString),
}

impl First {
    /// The model that follows a target.
    pub(crate) fn model(&self) -> Option<&str> {
        match self {
            Self::Target(_, word) => word.to_str()?.split_once(':').map(|(_, model)| model),
            Self::File(_) => None,
        }
    }

    /// The word as a file.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::Target(_, name) | Self::File(name) => name.into(),
        }
    }
}

fn targets() -> impl Iterator<Item = PossibleValue> {
    let value =
        |target: &Target| PossibleValue::new(target.name()).help(target.doc()).aliases(target.aliases());
    Target::ALL.iter().map(value)
}

/// Reads [`First`]. The targets are shown and completed; other words are files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstWord;

impl TypedValueParser for FirstWord {
    type Value = First;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<First, clap::Error> {
        // A model may follow.
        let target = value.to_str().and_then(|word| {
            let (name, model) = word.split_once(':').map_or((word, false), |(name, _)| (name, true));
            name.parse::<Target>().ok().filter(|target| !model || target.name() == "d3d9")
        });
        let word = value.to_os_string();
        Ok(target.map_or_else(|| First::File(word.clone()), |target| First::Target(target, word.clone())))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(targets()))
    }
}
