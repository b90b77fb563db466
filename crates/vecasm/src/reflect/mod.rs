//! What a program is and uses, as data: the facts of `vecasm info`.
//!
//! [`Program::info`](crate::Program::info) gives the [`Info`] of a program: its language, counts, the registers that it needs, what
//! it reads and writes, and the [facts of its instruction set](IsaFacts).
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::reflect::IsaFacts;
//! use vecasm::{LiftOptions, NoHost, OpenOptions, open};
//!
//! let text = b"tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc2.x\n";
//! let info = open(text, &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?.info(&LiftOptions::default());
//! let interface = info.interface.as_ref().expect("it has a meaning");
//! assert_eq!(interface.inputs[0].name, "v0");
//! assert_eq!(interface.samplers[0].slot, 0);
//! assert_eq!(info.opcodes["tex"], 1);
//! let Some(IsaFacts::Agal(facts)) = &info.isa_facts else { panic!("it is AGAL") };
//! assert_eq!(facts.registers.constants[&2].letters(), "x");
//! # }
//! # Ok::<(), vecasm::open::ReadError>(())
//! ```
//!
//! A shader that has been lifted already need not be lifted again:
//!
//! ```
//! # #[cfg(feature = "d3d9")] {
//! use vecasm::reflect::Info;
//! use vecasm::{LiftOptions, NoHost, OpenOptions, open};
//!
//! let text = b"vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\n";
//! let program = open(text, &OpenOptions::named("place.vsa"), &mut NoHost).program()?;
//! let shader = program.lift(&LiftOptions::default());
//! let info = Info::of(&program, shader.as_ref());
//! assert_eq!(info.identity.model, "vs_2_0");
//! assert_eq!(info.interface.expect("it has a meaning").constants[0].used, 4);
//! # }
//! # Ok::<(), vecasm::open::ReadError>(())
//! ```
//!
//! # As JSON
//!
//! With the feature `serde`, an [`Info`] is serialized with the keys, and the order of keys, of `vecasm info`. Numbers without a
//! place in JSON, infinities and NaN, are null. [`SCHEMA`] is the version of this format, and
//! [docs/info.md](https://github.com/vecasm/vecasm/blob/main/docs/info.md) describes every key; the feature `schemars` gives its
//! JSON Schema, `schema`.
//!
//! Nothing here reads files or hashes: who has the name of a file and a hash of the bytes adds them.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "serde"))] {
//! use vecasm::reflect::Origin;
//! use vecasm::{LiftOptions, NoHost, OpenOptions, open};
//!
//! let program = open(b"mov oc, fc0\n", &OpenOptions::named("a.frag.agal"), &mut NoHost).program()?;
//! let info = program.info(&LiftOptions::default()).with_origin(Origin::new("a.frag.agal"));
//! let json = serde_json::to_string(&info)?;
//! assert!(json.starts_with(r#"{"schema":1,"file":"a.frag.agal","program":null,"name":"a.frag.agal","isa":"agal","#));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod interface;
#[cfg(feature = "schemars")]
mod schema;
#[cfg(feature = "serde")]
mod serial;

#[cfg(feature = "agal")]
pub mod agal;
#[cfg(feature = "d3d9")]
pub mod d3d9;
#[cfg(feature = "nv2a")]
pub mod nv2a;
#[cfg(feature = "tgsi")]
pub mod tgsi;

pub use interface::{Array, Buffer, Image, Input, Interface, Output, Sampler, SamplerWords};
#[cfg(feature = "schemars")]
pub use schema::schema;

use crate::diag::Diagnostic;
use crate::ir::pressure::pressure;
use crate::ir::{Shader, Stage};
use crate::isa::{AnyProgram, Isa};
use crate::opt::clean;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
#[cfg(feature = "nv2a")]
use alloc::vec::Vec;

/// The version of the format: [`Info::schema`]. Within a version keys are only added; it changes where one goes, gets another name or
/// another meaning.
pub const SCHEMA: u32 = 1;

/// What there is to say about a program.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Info {
    /// Version of this format. Within a version keys are only added.
    #[cfg_attr(feature = "schemars", schemars(extend("const" = SCHEMA)))]
    pub schema: u32,
    /// Where it comes from, if that is known.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub origin: Option<Origin>,
    /// Its language.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub identity: Identity,
    /// SHA-256 of its bytecode in hexadecimal, so that equal programs have equal ones whatever they came as. `vecasm info` always has
    /// it; the library has no hash, so there it is what the caller gave.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub sha256: Option<String>,
    /// Version of the language; of Direct3D ten times the major version and the minor one.
    pub version: u32,
    /// Bytes of bytecode.
    pub bytes: usize,
    /// Number of instructions; of the NV2A, slots.
    pub instructions: usize,
    /// How often each operation occurs, by its spelling with suffixes. A slot of the NV2A is several.
    pub opcodes: BTreeMap<String, u32>,
    /// Where most is alive at once; null if the program has no meaning.
    pub live_at_most: Option<Live>,
    /// What it reads and writes once it is lifted; null if the program has no meaning.
    pub interface: Option<Interface>,
    /// Why the program has no meaning, as one finding; null if it has one.
    pub problem: Option<String>,
    /// The facts of its instruction set.
    #[cfg_attr(feature = "serde", serde(flatten))]
    #[cfg_attr(feature = "schemars", schemars(with = "IsaFacts"))]
    pub isa_facts: Option<IsaFacts>,
}

/// The word of an operation, without the `+` of a pair or the predicate in front of it, as Direct3D has them.
fn mnemonic(operation: &str) -> &str {
    let operation = operation.trim_start_matches('+').trim_start();
    let predicated = operation.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let operation = predicated.map_or(operation, |(_, rest)| rest);
    operation.split_whitespace().next().unwrap_or("?")
}

impl Info {
    /// The facts of a program, with what lifting it gave.
    pub fn of(program: &AnyProgram, lifted: Result<&Shader, &Diagnostic>) -> Self {
        let mut opcodes: BTreeMap<String, u32> = BTreeMap::new();
        for line in program.instruction_texts() {
            // A slot of the NV2A is several operations.
            for operation in line.split(" + ") {
                *opcodes.entry(mnemonic(operation).to_string()).or_default() += 1;
            }
        }
        Self {
            schema: SCHEMA,
            origin: None,
            identity: Identity::of(program),
            sha256: None,
            version: program.version(),
            bytes: program.encode().len(),
            instructions: program.instruction_count(),
            opcodes,
            live_at_most: lifted.ok().map(Live::of),
            interface: lifted.ok().map(Interface::of),
            problem: lifted.err().map(ToString::to_string),
            isa_facts: IsaFacts::of(program),
        }
    }

    /// With the place where the program comes from.
    #[must_use]
    pub fn with_origin(self, origin: Origin) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// With the [draws](nv2a::Draw::of) of a recording at which a program of the NV2A runs.
    #[cfg(feature = "nv2a")]
    #[must_use]
    pub fn with_draws(mut self, draws: Vec<nv2a::Draw>) -> Self {
        if let Some(IsaFacts::Nv2a(facts)) = &mut self.isa_facts {
            facts.draws = draws;
        }
        self
    }

    /// With the SHA-256 of what the program [encodes](AnyProgram::encode) to, in hexadecimal.
    #[must_use]
    pub fn with_sha256(self, sha256: impl Into<String>) -> Self {
        Self { sha256: Some(sha256.into()), ..self }
    }
}

/// Where a program comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Origin {
    /// File, `-` for standard input; see `file_hex` for one that is not Unicode.
    pub file: String,
    /// Number of the program in its file, from 1; null if the file is one program.
    pub program: Option<u32>,
    /// Name in messages: the file, and `#` with the number of the program if the file has several.
    pub name: String,
    /// Name of the file as bytes in hexadecimal, if it is not Unicode.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub file_hex: Option<String>,
}

impl Origin {
    /// A file that is one program.
    pub fn new(file: impl Into<String>) -> Self {
        let file = file.into();
        Self { name: file.clone(), file, program: None, file_hex: None }
    }

    /// With the number of the program in its file, if that has several.
    #[must_use]
    pub fn with_program(self, program: Option<u32>) -> Self {
        Self { program, ..self }
    }

    /// With another name for messages.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With the bytes of a name that is not Unicode, in hexadecimal.
    #[must_use]
    pub fn with_file_hex(self, file_hex: Option<String>) -> Self {
        Self { file_hex, ..self }
    }
}

/// The language of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Identity {
    /// Instruction set.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::shown"))]
    #[cfg_attr(feature = "schemars", schemars(with = "schema::Word<Isa>"))]
    pub isa: Isa,
    /// Stage.
    #[cfg_attr(feature = "schemars", schemars(with = "schema::Word<Stage>"))]
    pub stage: Stage,
    /// Language and version as people call them: `AGAL 2`, `NV2A 1`, `vs_1_1`, `TGSI FRAG`.
    pub model: String,
}

impl Identity {
    /// That of a program.
    pub fn of(program: &AnyProgram) -> Self {
        Self { isa: program.isa(), stage: program.stage(), model: program.model() }
    }
}

/// The place of a shader, without its dead code, where most is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Live {
    /// Components of 32 bits that are computed and will be read.
    pub components: u32,
    /// Registers of four components that they fill: no allocator gets by with fewer.
    pub vec4: u32,
    /// Instruction after which that is, from 0.
    pub instruction: u32,
}

impl Live {
    /// That of a shader.
    pub fn of(shader: &Shader) -> Self {
        let most = pressure(&clean(shader));
        Self { components: most.components, vec4: most.vec4(), instruction: most.step }
    }
}

/// The facts of an instruction set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum IsaFacts {
    /// Of AGAL.
    #[cfg(feature = "agal")]
    Agal(agal::Facts),
    /// Of the NV2A.
    #[cfg(feature = "nv2a")]
    Nv2a(nv2a::Facts),
    /// Of Direct3D.
    #[cfg(feature = "d3d9")]
    D3d9(d3d9::Facts),
    /// Of TGSI.
    #[cfg(feature = "tgsi")]
    Tgsi(tgsi::Facts),
}

impl IsaFacts {
    /// Those of a program.
    pub fn of(program: &AnyProgram) -> Option<Self> {
        match program {
            #[cfg(feature = "agal")]
            AnyProgram::Agal(program) => Some(Self::Agal(agal::Facts::of(program))),
            #[cfg(feature = "nv2a")]
            AnyProgram::Nv2a(program) => Some(Self::Nv2a(nv2a::Facts::of(program))),
            #[cfg(feature = "d3d9")]
            AnyProgram::D3d9(program) => Some(Self::D3d9(d3d9::Facts::of(program))),
            #[cfg(feature = "tgsi")]
            AnyProgram::Tgsi(program) => Some(Self::Tgsi(tgsi::Facts::of(program))),
            _ => None,
        }
    }
}
