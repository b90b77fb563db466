//! MSL, the Metal shading language.
//!
//! [`write()`] gives the source of one stage with one entry point, `vertex_main`, `fragment_main` or `compute_main` if no
//! other name is chosen. Vertex, fragment and compute shaders are written, in a [`Version`] from 2.0 to 2.4.
//!
//! # What the host binds
//!
//! Metal counts buffers, textures and samplers apart, and each stage by itself:
//!
//! | index | what | how it is declared |
//! |---|---|---|
//! | `buffer(n)`, n the number of the array | the constants | `constant float4 *vc`; bools are `uint4` |
//! | the buffer behind the arrays | the state values | `constant FragmentState &state`: one field of 16 bytes each, in the order of the table |
//! | the buffers behind that | buffers, in the order of the table | `device uint *b`, `device atomic_uint *b` |
//! | the buffer behind them | how many words each of them has | `constant uint *buffer_words` |
//! | `texture(slot)` | a texture | `texture2d<float>`, `texturecube<float>`, `depth2d<float>` |
//! | the textures behind the last slot | images | `texture2d<float, access::read_write>` |
//! | `sampler(slot)` | its sampler | `sampler`, with the state that the program asks for as a comment |
//!
//! Constants that the program's own table names are fields of those names instead, which fill the same bytes, unless the array is
//! read by a computed index or [`Options::register_names`] says otherwise; [`Output::constants`] lists them.
//!
//! Attributes are fields of `[[stage_in]]` with `[[attribute(n)]]`, n the number of the register: a vertex descriptor says
//! from which buffer they come, best one from the other end of the table, 30. Metal fills what they lack from (0, 0, 0, 1).
//! Varyings have `[[user(locnN)]]` in both stages, four lanes each; colours have `[[color(n)]]`. First indices can be chosen in
//! [`Options`], and [`Output::bindings`] tells what was chosen. The sampler of a texture whose coordinates are in texels
//! ([`Dim::Rect`]) has to have `normalizedCoordinates` off.
//!
//! # Conventions
//!
//! They are those of the IR: z of the position is in 0..=w, the place of a pixel counts from the upper left corner and
//! has 1/w in w. `[[instance_id]]` counts from the base instance and `[[vertex_id]]` from the base vertex: the bases are taken
//! away where the source counts without them.
//!
//! A compute shader is dispatched in threadgroups of [`Output::threads`].
//!
//! # What a GPU may do otherwise
//!
//! The text says what the IR says, operation by operation. **Metal compiles with fast math unless told otherwise**
//! (`-fno-fast-math`, or `MTLCompileOptions.fastMathEnabled = NO`): then arithmetic may be reassociated, and NaN and
//! infinities be ignored, and the versions written here have no way to forbid that in the text. Functions are taken from
//! `precise::` where there are two of them, so that `min`, `max` and `saturate` keep their word about NaN, and tests for
//! NaN that functions need are made with bits. Also without fast math, products and sums may be fused, denormals be
//! flushed, and `exp2`, `log2`, `sin`, `cos`, `rsqrt` and division have an error. `pow` of a base that cannot be negative is
//! `precise::pow`. There is one kind of derivatives, `dfdx` and `dfdy`. A loop has no fuel, and one that never ends is open. Derivatives and implicit texture reads in diverging flow
//! are open; [`flatten`](super::flatten) has made straight code of what can be.
//!
//! # Integers
//!
//! What C++ leaves open about integers is written so that it gives what the IR says: sums and products of signed ones are
//! computed as unsigned ones, shifts are masked, and functions do divisions, conversions of floats and bit fields. 64-bit
//! integers and doubles are pairs of words and functions on them, which compute with integers alone: exact whatever a device
//! makes of floats. What cannot be said is refused: [`RULES`] lists the reasons.

mod images;
mod interface;
mod language;
mod memory;
mod rules;
mod textures;
pub(super) mod words;

pub use crate::options::{BindingKind, Constant, Space, Style};
pub use interface::{Argument, Binding, Table};
pub use rules::RULES;

use super::common::{Names, is_identifier};
use super::flatten::flatten;
use super::naming::Naming;
use super::plan::Plan;
use super::products::{STATEMENT, simpler};
use super::shapes::{shaped, tell_shapes};
use super::splice::{MAX_DEPTH, brackets, plain};
use super::text::helpers::Helpers;
use super::text::{Body, WideScalars};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use interface::Interface;
use language::Msl;
use rules::refused;
use vecasm_ir::diag::Diagnostic;
#[cfg(doc)]
use vecasm_ir::ir::Dim;
use vecasm_ir::ir::verify::sound;
use vecasm_ir::ir::{Shader, Stage};
use vecasm_ir::word::Unknown;

/// A version of the language, 2.0 to 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    minor: u8,
}

impl Version {
    /// Every version that is written, in ascending order.
    pub const ALL: &'static [Self] =
        &[Self { minor: 0 }, Self { minor: 1 }, Self { minor: 2 }, Self { minor: 3 }, Self { minor: 4 }];

    /// Whether it is 2.`minor` or one after that.
    pub(super) const fn since(self, minor: u8) -> bool {
        self.minor >= minor
    }
}

impl core::str::FromStr for Version {
    type Err = Unknown;

    /// The version of a text: `2.1`.
    fn from_str(text: &str) -> Result<Self, Unknown> {
        let found = || {
            let minor = text.strip_prefix("2.")?;
            Self::ALL.iter().copied().find(|v| minor.len() == 1 && minor.parse() == Ok(v.minor))
        };
        found().ok_or_else(|| Unknown::new("version of MSL", text, Self::ALL))
    }
}

impl Default for Version {
    /// 2.1, that of macOS 10.14 and iOS 12.
    fn default() -> Self {
        Self { minor: 1 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2.{}", self.minor)
    }
}

/// The choices of the writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The version.
    pub version: Version,
    /// Name of the entry point; `None` for `vertex_main`, `fragment_main` or `compute_main`. A name that is taken or a word of the language
    /// gets a number: `main` is one.
    pub entry: Option<&'a str>,
    /// Index of the buffer of the first constant array.
    pub constants: u32,
    /// Index of the texture in slot 0.
    pub textures: u32,
    /// Index of the sampler of slot 0.
    pub samplers: u32,
    /// Whether colours are those of the provoking vertex, as a pipeline that shades flat has them; it concerns inputs of
    /// [`Interpolation::Color`](vecasm_ir::ir::Interpolation).
    pub flat_colors: bool,
    /// For each instruction of the source its text, written as comment above what it became; empty for none.
    pub comments: &'a [String],
    /// One statement for an instruction, or expressions.
    pub style: Style,
    /// New names for registers: `("va0", "position")`. A name that is taken or a word of the language gets a number.
    pub names: &'a [(&'a str, &'a str)],
    /// Whether constants and textures keep the names of their registers where the program's own table names them.
    pub register_names: bool,
    /// Whether products under [`Rule::ZeroWins`](vecasm_ir::ir::Rule::ZeroWins) give +0 for a zero factor also where the other one is
    /// finite, so that only the sign of the zero depends on it. No target promises the sign of a zero.
    pub signed_zeros: bool,
}

impl<'a> Options<'a> {
    /// What constants and textures are called.
    const fn naming(&self) -> Naming<'a> {
        Naming { chosen: self.names, registers: self.register_names }
    }
}

/// A written stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub source: String,
    /// The entry point.
    pub entry: String,
    /// What it reads, in the order of declaration. What the program does not need is not declared.
    pub bindings: Vec<Binding>,
    /// The constants that the program's own table names, and those with declarations of their own.
    pub constants: Vec<Constant>,
    /// Threads of a threadgroup along each axis, of a compute shader; 0 where the dispatch decides.
    pub threads: [u32; 3],
}

/// Writes a stage.
///
/// The shader comes from `lift`, with `LiftOptions::for_gpus`;
/// in between are `link` and [`retype_for`](vecasm_opt::retype_for) for the stages of a pipeline, and
/// [`settle`](vecasm_opt::settle) for all.
///
/// # Errors
///
/// One diagnostic, of one of the [`RULES`]; or [`UNSOUND`](vecasm_ir::ir::verify::UNSOUND).
pub fn write(shader: &Shader, options: &Options<'_>) -> Result<Output, Diagnostic> {
    sound(shader)?;
    let chosen = options.names.iter().map(|(_, name)| *name).chain(options.entry);
    for name in chosen {
        if !is_identifier(name) {
            return Err(refused(rules::NAME, super::common::no_name(name)));
        }
    }
    let asked = shader;
    let idioms = check(shader)?;
    let stripped = plain(shader, idioms);
    let shader = stripped.as_ref().unwrap_or(shader);
    let plain = simpler(shader, false, options.signed_zeros, STATEMENT);
    let shader = plain.as_ref().unwrap_or(shader);
    let shaped = shaped(shader, textures::stands_in);
    let shader = shaped.as_ref().unwrap_or(shader);
    let flat = flatten(shader);
    let shader = flat.shader.as_ref().unwrap_or(shader);
    let plan = Plan::new(shader, |_| true, MAX_DEPTH, options.style, true);
    let mut names = Names::default();
    let usual = match shader.stage {
        Stage::Vertex => "vertex_main",
        Stage::Compute => "compute_main",
        _ => "fragment_main",
    };
    let entry = names.take(options.entry.unwrap_or(usual), words::is_word).into_owned();
    let lang = Msl(options.version);
    let wide = WideScalars::of(shader, &plan).lacking(lang);
    if let Some(what) = wide.too_broad(shader, &plan) {
        return Err(refused(rules::TYPE, format!("{what} are not supported")));
    }
    let mut interface = Interface::new(&mut names, shader, &plan, options)?;
    let mut helpers = Helpers::default();
    let cells = core::mem::take(&mut interface.cells);
    let start = interface.head(shader, &entry);
    let memories = core::mem::take(&mut interface.memories);
    let mut body = Body::new(lang, start, (shader, plan), &interface.outside, &mut names, &mut helpers);
    body.soft = wide;
    body.comments = options.comments;
    body.renames = options.names;
    body.memories = memories;
    body.take_cells(cells);
    let (function, memories) = body.write()?;
    let mut source = format!(
        "// Metal {}, to be compiled without fast math.\n#include <metal_stdlib>\n\nusing namespace metal;\n",
        options.version
    );
    source.push_str(&interface.declarations);
    helpers.write::<Msl>(&mut source, textures::fetch);
    memories.iter().for_each(|words| words.write(&mut source));
    interface.images.iter().for_each(|image| image.write(&mut source));
    source.push_str(&function);
    let threads = if shader.stage == Stage::Compute { shader.setup.workgroup } else { [0; 3] };
    tell_shapes(interface.bindings.iter_mut().map(|binding| &mut binding.kind), asked);
    Ok(Output { source, entry, bindings: interface.bindings, constants: interface.constants, threads })
}

/// Refuses what is not written of a shader as a whole. Tells whether there are brackets in it.
fn check(shader: &Shader) -> Result<bool, Diagnostic> {
    if !matches!(shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
        let what = format!("Metal has no {} shaders", shader.stage.name());
        return Err(refused(rules::STAGE, what));
    }
    if shader.serial {
        return Err(super::rules::serial(rules::SERIAL, shader));
    }
    if shader.setup.byte_offsets {
        return Err(refused(rules::OP, "memory is addressed by bytes, but Metal has words"));
    }
    brackets(&shader.body, MAX_DEPTH)
        .ok_or_else(|| refused(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep")))
}
