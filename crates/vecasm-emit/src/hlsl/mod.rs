//! HLSL, the shading language of Direct3D.
//!
//! [`write()`] gives the source of one stage, with the entry point `main`. Vertex and fragment shaders are written, for a
//! shader [`Model`]: 3.0, that of Direct3D 9, and from 4.0 on; geometry shaders from 4.0 on; hull, domain and compute shaders,
//! buffers and images from 5.0 on. The texts keep
//! to what fxc, dxc (also as HLSL 2021) and the compiler of Wine all take.
//!
//! # What the host binds
//!
//! | what | how it is declared |
//! |---|---|
//! | a constant array, by its number | `cbuffer VertexConstants_vc : register(b0) { float4 vc[n]; };`, bools as `uint4` |
//! | state values | one `cbuffer` behind them, each in a lane or lanes of a `float4`, `int4` or `uint4` of its own |
//! | what the draw begins with | one `cbuffer` behind that: `int base_vertex; int base_instance; int draw_index;`, since `SV_VertexID` is without the base |
//! | a texture, by its slot | `Texture2D<float4> fs0 : register(t0);` |
//! | a buffer, behind the textures | `ByteAddressBuffer b : register(t4);` |
//! | a buffer that is written, behind the colours | `RWByteAddressBuffer b : register(u0);` |
//! | an image, behind the buffers | `RWTexture2D<unorm float4> i : register(u1);` |
//! | its sampler, by the slot of that | `SamplerState fs0_sampler : register(s0);` |
//!
//! Constants that the program's own table names are fields of those names instead, in model 3.0 variables, which fill the same
//! registers, unless the array is read by a computed index or [`Options::register_names`] says otherwise; [`Output::constants`]
//! lists them.
//!
//! [`Output::bindings`] tells what there is. From model 5.1 on everything may be in a [space](Options::space).
//!
//! In model 3.0 a constant array is `float4 c[n] : register(c0);`, and what else there is stands in the `c` registers behind
//! it: integers and bools too, as floats, and state values. A texture is one with its sampler, `sampler2D s0 : register(s0);`.
//!
//! # Semantics
//!
//! Attributes and varyings have the semantics of Direct3D 9 where the source has them (`TEXCOORD3`, `COLOR`), else
//! `TEXCOORDn` with n the location. Colours are `SV_Target`n. The position comes first on both sides, then the varyings in
//! the order of their locations. Direct3D wants those of both stages in the same registers: give the stage before as
//! [`Options::partner`], and what that one writes is declared in its order.
//!
//! Of a tess-control shader a hull shader is made with its two functions. The control point is the program without what it
//! writes for the patch; what the patch has is computed by going through the invocation that writes it, or all of them in order.
//! Where invocations see what others write, other than control points as they are in the end, it is refused.
//!
//! A domain shader (tess-eval) has the levels of the patch in front of what the patch has. A patch has
//! [so many](Options::patch_vertices) vertices.
//!
//! # Conventions
//!
//! The position of the IR has z in 0..=w, and a pixel's place counts from the upper left corner, as in Direct3D. The fourth
//! lane of a place is 1/w, and `SV_Position` has w: a function turns it round. A size of points goes out as `PSIZE`, which
//! Direct3D 10 and later hand to a geometry shader and do nothing with.
//!
//! # What a GPU may do otherwise
//!
//! The text says what the IR says, operation by operation. Direct3D leaves a GPU free to fuse multiplications with
//! additions, but for what is `precise`, flushes denormals, and computes `exp2`, `log2`, `sin`, `cos`, `rsqrt` and division
//! with an error; `mad` rounds once or twice. fxc takes it that there is no NaN and no infinity, and changes comparisons
//! accordingly, unless it is called with `/Gis`. `pow` of a base that cannot be negative is that of HLSL, which is open at
//! `pow(0, 0)`. A loop has no fuel. Derivatives and implicit texture reads in diverging flow are open;
//! [`flatten`](super::flatten) has made straight code of what can be.
//!
//! Of doubles everything is exact, also what Direct3D has no operation for, but for `rsq`, which rounds twice. 64-bit integers
//! before model 6.0, and doubles before 5.0, are pairs of words and functions on them, exact in every operation.
//!
//! In model 3.0 integers are floats, exact up to 2^24. There is no NaN and no infinity: the largest number stands for an
//! infinity that is a constant, zero for NaN, and what gives one is open; so is whether a zero has a sign, and whether slopes
//! are fine or coarse. What needs bits, larger integers, or arrays with a computed index where Direct3D 9 has none is refused.
//! An array of constants with a computed index leaves registers to other constants and to literals, and ends before them: a
//! comment and the binding say how long it is, and an index behind its end is one outside. A varying that is the size of points
//! goes out as such, with its first lane. Pixels have their centres where the IR has them, at halves, which is not where
//! Direct3D 9 puts them: a vertex shader that was made for another API is half a pixel off.
//!
//! Integers are written so that they give what the IR says, by functions where an operator is open. What cannot be said
//! is refused: [`RULES`] lists the reasons.

mod group;
mod hull;
mod images;
mod interface;
mod language;
mod memory;
mod old;
mod rules;
mod stages;
mod textures;
mod wide;
pub(super) mod words;

pub use crate::options::{BindingKind, Constant, Space, Style};
pub use interface::{Binding, Register};
pub use rules::RULES;

use super::common::{Names, is_identifier};
use super::flatten::flatten;
use super::naming::Naming;
use super::plan::Plan;
use super::products::{STATEMENT, simpler};
use super::shapes::{shaped, tell_shapes};
use super::splice::{MAX_DEPTH, brackets, plain};
use super::text::Body;
use super::text::helpers::Helpers;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use interface::Interface;
use language::Hlsl;
use memory::Block;
use rules::refused;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::verify::sound;
use vecasm_ir::ir::{Shader, Stage};
use vecasm_ir::word::Unknown;

/// A shader model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model {
    major: u8,
    minor: u8,
}

impl Model {
    const SM3_0: Self = Self { major: 3, minor: 0 };
    const SM4_0: Self = Self { major: 4, minor: 0 };
    pub(super) const SM4_1: Self = Self { major: 4, minor: 1 };
    pub(super) const SM5_0: Self = Self { major: 5, minor: 0 };
    pub(super) const SM5_1: Self = Self { major: 5, minor: 1 };
    const SM6_0: Self = Self { major: 6, minor: 0 };

    /// Every model that is written, in ascending order.
    pub const ALL: &'static [Self] =
        &[Self::SM3_0, Self::SM4_0, Self::SM4_1, Self::SM5_0, Self::SM5_1, Self::SM6_0];

    /// What compilers call it for a stage: `ps_5_0`.
    pub fn profile(self, stage: Stage) -> String {
        let stage = match stage {
            Stage::Vertex => "vs",
            Stage::TessControl => "hs",
            Stage::TessEval => "ds",
            Stage::Geometry => "gs",
            Stage::Fragment => "ps",
            Stage::Compute => "cs",
        };
        format!("{stage}_{}_{}", self.major, self.minor)
    }

    /// Whether it is that of Direct3D 9: no integers, no bits, no buffers, textures that are one with their samplers.
    pub(super) const fn is_old(self) -> bool {
        self.major < 4
    }

    /// Whether its registers are in spaces.
    pub fn has_spaces(self) -> bool {
        self.since(Self::SM5_1)
    }

    /// Whether it is `other` or a later one.
    pub(super) fn since(self, other: Self) -> bool {
        self >= other
    }
}

impl core::str::FromStr for Model {
    type Err = Unknown;

    /// The model of a text: `5.0`, or `5_0`.
    fn from_str(text: &str) -> Result<Self, Unknown> {
        let found = || {
            let (major, minor) = text.split_once(['.', '_'])?;
            let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
            Self::ALL.iter().copied().find(|model| *model == Self { major, minor })
        };
        found().ok_or_else(|| Unknown::new("shader model", text, Self::ALL))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The choices of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The shader model.
    pub model: Model,
    /// The register space of everything that is bound, from model 5.1 on; before there is none but 0.
    pub space: u32,
    /// The shader of the stage before, if there is one: what that one writes is declared in its order, so that both sides
    /// have the same registers.
    pub partner: Option<&'a Shader>,
    /// Of a tessellation control shader the evaluation shader behind it, which knows the domain, how it is divided and the order
    /// of corners; Direct3D has them said here. Without it the domain is the least one that has the levels that are written,
    /// divided into whole parts, counterclockwise.
    pub evaluation: Option<&'a Shader>,
    /// The vertices of a patch that comes in, where the shader leaves that open. With 0 it is as many as the hull shader
    /// before gives, else what is read by known numbers, and at least what goes out of a hull shader or the corners of a
    /// domain.
    pub patch_vertices: u32,
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

impl Default for Options<'_> {
    /// The choices for model 5.0.
    fn default() -> Self {
        Self {
            model: Model::SM5_0,
            space: 0,
            partner: None,
            evaluation: None,
            patch_vertices: 0,
            flat_colors: false,
            comments: &[],
            style: Style::Folded,
            names: &[],
            register_names: false,
            signed_zeros: false,
        }
    }
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
    /// What it reads, in the order of declaration. What the program does not need is not declared.
    pub bindings: Vec<Binding>,
    /// The constants that the program's own table names, and those with declarations of their own.
    pub constants: Vec<Constant>,
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
    for (_, name) in options.names {
        if !is_identifier(name) {
            return Err(refused(rules::NAME, super::common::no_name(name)));
        }
    }
    if options.space > 0 && !options.model.has_spaces() {
        let what = format!("shader model {} has no register spaces", options.model);
        return Err(refused(rules::REGISTER, what));
    }
    let asked = shader;
    let prepared = options.model.is_old().then(|| old::prepare(shader));
    let shader = prepared.as_ref().unwrap_or(shader);
    let sized = stages::sized(shader, options);
    let shader = sized.as_ref().unwrap_or(shader);
    let idioms = check(shader, options.model)?;
    if options.model.is_old() {
        old::check(shader)?;
    }
    let stripped = plain(shader, idioms);
    let shader = stripped.as_ref().unwrap_or(shader);
    // The machine of model 3.0 multiplies by the rule itself.
    let plain = simpler(shader, options.model.is_old(), options.signed_zeros, STATEMENT);
    let shader = plain.as_ref().unwrap_or(shader);
    let shaped = shaped(shader, |texture, used| textures::stands_in(texture, used, options.model));
    let shader = shaped.as_ref().unwrap_or(shader);
    let flat = flatten(shader);
    let shader = flat.shader.as_ref().unwrap_or(shader);
    let mut output = match shader.stage {
        Stage::TessControl => hull::write(shader, options),
        _ => write_prepared(shader, options),
    }?;
    tell_shapes(output.bindings.iter_mut().map(|binding| &mut binding.kind), asked);
    Ok(output)
}

/// Writes a stage that is one function.
fn write_prepared(shader: &Shader, options: &Options<'_>) -> Result<Output, Diagnostic> {
    let plan = Plan::new(shader, |_| true, MAX_DEPTH, options.style, true);
    let soft = wide::words_for(shader, &plan, options)?;
    let mut names = Names::default();
    let mut interface = Interface::new(&mut names, shader, &plan, options)?;
    let mut helpers = Helpers::default();
    helpers.no_bits = options.model.is_old();
    let cells = core::mem::take(&mut interface.cells);
    let start = core::mem::take(&mut interface.writer.head);
    let lang = Hlsl(options.model, None);
    let mut body = Body::new(lang, start, (shader, plan), &interface.outside, &mut names, &mut helpers);
    body.soft = soft;
    body.comments = options.comments;
    body.renames = options.names;
    body.take_cells(cells);
    body.memories = core::mem::take(&mut interface.memories);
    let (main, memories) = body.write()?;
    finish(interface, helpers, &memories, main, options)
}

/// Puts the text together.
fn finish(
    interface: Interface<'_>,
    helpers: Helpers,
    memories: &[Block],
    main: String,
    options: &Options<'_>,
) -> Result<Output, Diagnostic> {
    let mut source = String::new();
    source.push_str(interface.declarations.trim_start_matches('\n'));
    let mut functions = String::new();
    helpers.write::<Hlsl>(&mut functions, textures::fetch);
    wide::words(&mut source, &functions);
    source.push_str(&functions);
    memories.iter().for_each(|memory| memory.write(&mut source));
    interface.images.iter().for_each(|image| image.write(&mut source));
    if options.model.is_old()
        && ["asfloat(", "asint(", "asuint("].iter().any(|w| source.contains(w) || main.contains(w))
    {
        return Err(refused(
            rules::BITS,
            "the shader needs the bits of floats, or a constant without a decimal form",
        ));
    }
    source.push_str(if source.is_empty() { main.trim_start_matches('\n') } else { &main });
    Ok(Output { source, bindings: interface.bindings, constants: interface.constants })
}

/// Refuses what is not written of a shader as a whole. Tells whether there are brackets in it.
fn check(shader: &Shader, model: Model) -> Result<bool, Diagnostic> {
    let compute = shader.stage == Stage::Compute;
    let written = match shader.stage {
        Stage::Vertex | Stage::Fragment => true,
        Stage::Geometry => !model.is_old(),
        Stage::TessControl | Stage::TessEval | Stage::Compute => model.since(Model::SM5_0),
    };
    if !written {
        let what = format!("{} shaders are not available in shader model {model}", shader.stage.name());
        return Err(refused(rules::STAGE, what));
    }
    if shader.setup.byte_offsets {
        return Err(refused(rules::MEMORY, "memory is addressed by bytes, but the text has words"));
    }
    let [x, y, z] = shader.setup.workgroup;
    if compute && (x == 0 || y == 0 || !(1..=64).contains(&z)) {
        let what = format!("a workgroup of {x} x {y} x {z}, where 0 is set by the dispatch");
        return Err(refused(rules::WORKGROUP, what));
    }
    if shader.serial {
        return Err(super::rules::serial(rules::SERIAL, shader));
    }
    brackets(&shader.body, MAX_DEPTH)
        .ok_or_else(|| refused(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep")))
}
