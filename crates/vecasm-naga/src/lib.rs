//! AGAL, Direct3D 8 and 9, TGSI and NV2A shaders as modules of [naga], which wgpu takes directly (`ShaderSource::Naga`).
//!
//! A shader is written as WGSL and read by naga in the same process, so that a module equals the text of
//! `vecasm to wgsl`: the same names, the same bindings. The module keeps no text; [`Output::source`] has it, for
//! messages and for inspection.
//!
//! ```
//! use vecasm::isa::agal::{lift, text};
//! use vecasm_naga::{Options, module};
//!
//! let source = ".agal fragment 1\ntex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
//! let (program, findings) = text::parse(source, &text::ParseOptions::default());
//! let program = program.ok_or_else(|| format!("{findings:?}"))?;
//! let shader = lift::lift(&program, &lift::Options::default())?;
//! let output = module(&shader, &Options::default())?;
//! assert_eq!(output.module.entry_points[0].name, "main");
//! assert_eq!(output.bindings.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/ruffle.rs` has the functions that the Flash player Ruffle asks of its own translator, on this crate.

#![forbid(unsafe_code)]

pub use naga;
pub use vecasm_emit::wgsl::{ArraySize, Binding, BindingKind, Options, Space, StageOptions, UnreadVaryings};

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::fmt;
use vecasm_emit::wgsl;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::Shader;

/// A module, and what its user has to bind.
#[derive(Clone, Debug)]
pub struct Output {
    /// The module.
    pub module: Module,
    /// What it reads, in the order of declaration. What the program does not need is not declared.
    pub bindings: Vec<Binding>,
    /// The text that the module was read from.
    pub source: String,
}

impl Output {
    /// Has naga check the module, which backends of naga ask for; wgpu does it by itself.
    ///
    /// # Errors
    ///
    /// [`Error::Naga`] with naga's message; a bug, but where `capabilities` lack what the shader uses: arrays of cubes
    /// (`CUBE_ARRAY_TEXTURES`), numbers of samples (`MULTISAMPLED_SHADING`), half floats
    /// (`SHADER_FLOAT16_IN_FLOAT32`).
    pub fn validate(&self, capabilities: Capabilities) -> Result<ModuleInfo, Error> {
        Validator::new(ValidationFlags::all(), capabilities)
            .validate(&self.module)
            .map_err(|why| Error::Naga(why.emit_to_string(&self.source)))
    }
}

/// Why there is no module.
#[derive(Clone, Debug)]
pub enum Error {
    /// The shader cannot be said in WGSL; the id is one of [`wgsl::RULES`]. Or two bindings of the options collide, or a
    /// name is none.
    Refused(Box<Diagnostic>),
    /// naga does not take the text: a bug of ours or of naga.
    Naga(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(finding) => finding.fmt(f),
            Self::Naga(why) => write!(f, "naga: {why}"),
        }
    }
}

impl std::error::Error for Error {}

fn read(written: Result<wgsl::Output, Diagnostic>) -> Result<Output, Error> {
    let wgsl::Output { source, bindings, .. } =
        written.map_err(|finding| Error::Refused(Box::new(finding)))?;
    match naga::front::wgsl::parse_str(&source) {
        Ok(module) => Ok(Output { module, bindings, source }),
        Err(why) => Err(Error::Naga(why.emit_to_string(&source))),
    }
}

/// The module of a shader, with one entry point.
///
/// # Errors
///
/// As [`Error`] says; [`Error::Refused`] alone is to be expected.
pub fn module(shader: &Shader, options: &Options<'_>) -> Result<Output, Error> {
    read(wgsl::write(shader, options))
}

/// The module of a vertex shader and a fragment shader, with an entry point for each. The vertex shader hands on
/// nothing that the fragment shader does not read, unless the options say so.
///
/// # Errors
///
/// As [`Error`] says; a varying that the vertex shader does not write is a reason, too.
pub fn pair(vertex: &Shader, fragment: &Shader, options: &Options<'_>) -> Result<Output, Error> {
    read(wgsl::write_pair(vertex, fragment, options))
}
