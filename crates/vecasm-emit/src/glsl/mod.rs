//! GLSL, the shading language of OpenGL and OpenGL ES.
//!
//! [`write()`] gives the source of one stage, with `main`, in a [`Version`] of the desktop from 120 on or of ES from 100 on:
//! vertex and fragment shaders in all of them, geometry shaders from 150 and ES 310 on, tessellation from 400 and ES 310 on,
//! images from 420 and ES 310 on, compute shaders and buffers from 430 and ES 310 on.
//!
//! # What the host binds
//!
//! | what | how it is declared |
//! |---|---|
//! | a constant array | `layout(std140) uniform Vertex_vc { vec4 vc[n]; };`, bools as `uvec4` |
//! | state values | one block, each in a lane or lanes of a `vec4`, `ivec4` or `uvec4` of its own |
//! | a buffer, by its number in the shader's table | `layout(std430, binding = n) buffer Compute_b { uint b[]; };` |
//! | an image, by its slot | `layout(rgba8, binding = n) uniform image2D i;` |
//! | a texture with its sampler | `uniform sampler2D fs0;`, one for each pair |
//! | attributes | `layout(location = n) in vec4 va0;` |
//! | colours | `layout(location = n) out vec4 oc;` |
//!
//! Constants that the program's own table names are fields of those names instead, which fill the same bytes, unless the array is
//! read by a computed index or [`Options::register_names`] says otherwise; [`Output::constants`] lists them.
//!
//! From 420 and ES 310 on blocks and textures have bindings, which all stages of a program share. So stage n in the order
//! fragment, vertex, tessellation control, tessellation evaluation, geometry begins with block 8·n, where array i is 8·n + i and
//! the states are 8·n + 7, and with texture 16·n, where a texture is 16·n + its slot: as in SPIR-V for OpenGL.
//! [`Options::constants`] and [`Options::textures`] choose other numbers. Buffers and images begin at 0 in all stages. Before, the host asks for them by name. Varyings below 32 have locations from 410 and ES 310 on;
//! the others are matched by name: that of their meaning (`generic9`, `texcoord3`), or `varying_N` with the location
//! where they have none; with `control_`, `evaluation_` or `geometry_` before it if such a stage gives it
//! ([`Options::before`]), and `patch_` if it is one of a patch, in all versions. [`Output::bindings`] tells what there is.
//!
//! Before 140 and in ES 100 there are no blocks: an array is `uniform vec4 vc[n];`, each state value that is read a uniform of
//! four lanes, bools `bvec4`. Attributes before 330 have no locations, and neither have colours in 130 to 150: the host sets
//! them by name, and the bindings tell which. In 120 and ES 100 colours are `gl_FragData[n]`; in ES 100 a single one is
//! `gl_FragColor`.
//!
//! # Extensions
//!
//! An old version asks for what it lacks, and the compiler has to have it: `GL_ARB_shader_texture_lod` (levels and slopes in
//! 120), `GL_ARB_texture_rectangle` (before 140), `GL_ARB_shader_bit_encoding` (bits of floats in 150), and in ES 100
//! `GL_EXT_shader_texture_lod`, `GL_OES_standard_derivatives`, `GL_EXT_frag_depth`, `GL_OES_texture_3D`, and for several
//! colours `GL_EXT_draw_buffers`. Of images: `GL_ARB_shader_image_size` in 420, `GL_ARB_shader_texture_image_samples` where
//! samples are counted before 450, `GL_EXT_shader_image_load_formatted` for texels of `bgra8-unorm` that are read, and
//! in ES 310 `GL_OES_shader_image_atomic`. Of stages: `GL_EXT_geometry_shader` and `GL_EXT_tessellation_shader` in ES 310, and
//! in ES `GL_EXT_geometry_point_size` and `GL_EXT_tessellation_point_size`; `GL_ARB_viewport_array` before 410,
//! `GL_ARB_shader_viewport_layer_array` where a vertex or evaluation shader chooses the layer or the viewport,
//! `GL_ARB_shader_draw_parameters` for what a draw begins with before 460. Of 64-bit values: `GL_ARB_gpu_shader_fp64` for
//! doubles before 400, `GL_ARB_gpu_shader_int64` for integers from 400 on; what a version has no type for (integers before 400, in
//! ES both) is pairs of words, exact. Of fragments: `GL_ARB_shader_stencil_export` for the stencil
//! reference, in ES `GL_NV_shader_noperspective_interpolation` for what is linear in the window, and in ES 310
//! `GL_OES_shader_multisample_interpolation`. Of textures before 400: `GL_ARB_texture_cube_map_array`, and
//! `GL_ARB_texture_gather` or, for other lanes than the first and with comparison, `GL_ARB_gpu_shader5`. `GL_KHR_shader_subgroup_…` for subgroups, from 430 and ES
//! 310 on; `GL_ARB_shader_clock` for the clock, from 450 on.
//!
//! # Conventions
//!
//! The position of the IR has z in 0..=w. OpenGL clips to -w..=w unless `glClipControl` says otherwise, so z is mapped at
//! the end of the last stage before the rasterizer ([`Options::hands_on`]), if [`Options::zero_to_one`] is not set. The place of a pixel counts from the upper left corner
//! (`origin_upper_left`); ES and versions before 150 have no such declaration, and refuse who asks (`GLSL-input`), but for z
//! and w alone. Derivatives along y are those of the window, whose y goes up whatever the place counts from, so they change
//! their sign.
//!
//! In the stages between vertices and fragments an input whose semantic is `POSITION`, `PSIZE`, `CLIPDIST` or `CLIPDIST[1]`
//! is the built-in that the stage before wrote. The cells of a patch begin with their first values behind a barrier, unless
//! every invocation writes all of them at once. A geometry shader counts its vertices where there might be too many.
//!
//! A ballot has the first 64 invocations of the subgroup. Helpers do not take part in votes and ballots, but in the question
//! whether all are equal.
//!
//! # What a GPU may do otherwise
//!
//! The text says what the IR says, operation by operation. GLSL leaves an implementation free to fuse and reassociate
//! arithmetic, to flush denormals, to ignore NaN and infinities, and to compute `exp2`, `log2`, `sin`, `cos`,
//! `inversesqrt` and division with an error. `fma` before 400 and ES 320 rounds twice. `pow` of a base that cannot be
//! negative is the `pow` of GLSL, which is open at `pow(0, 0)`. A loop has no fuel. Derivatives and implicit texture
//! reads in diverging flow are open; [`flatten`](super::flatten) has made straight code of what can be.
//!
//! Before 130 and in ES 100 whole numbers are `int`s, which promise 16 bits and a sign: constants beyond 65535 and what
//! needs unsigned numbers or bits is refused (`GLSL-integer`); what a program counts or a host gives is taken to be within.
//! Before 150 floats have no bits: infinities and NaN are divisions by zero, and the sign of a NaN is open. A loop of ES 100
//! needs a bound, and ends after 65536 rounds; only vertex shaders choose constants by a computed index (`GLSL-index`).
//!
//! Integers are written so that they give what the IR says, by functions where an operator is open. What cannot be said
//! is refused: [`RULES`] lists the reasons.

mod extensions;
mod group;
mod images;
mod interface;
mod language;
mod memory;
mod old;
mod rules;
mod stages;
mod textures;
pub(super) mod words;

pub use crate::options::{BindingKind, Constant, Space, Style};
pub use interface::{Binding, Layout};
pub use rules::RULES;

use super::common::{Names, is_identifier};
use super::flatten::flatten;
use super::naming::Naming;
use super::options::StageOptions;
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
use language::Glsl;
use rules::refused;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::shader::numbered;
use vecasm_ir::ir::verify::sound;
use vecasm_ir::ir::{Dim, Scalar, Shader, Stage};
use vecasm_ir::word::Unknown;

/// A version of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    number: u16,
    es: bool,
}

impl Version {
    /// Every version that is written, those of the desktop first, in ascending order.
    pub const ALL: &'static [Self] = &[
        Self::desktop(120),
        Self::desktop(130),
        Self::desktop(140),
        Self::desktop(150),
        Self::desktop(330),
        Self::desktop(400),
        Self::desktop(410),
        Self::desktop(420),
        Self::desktop(430),
        Self::desktop(440),
        Self::desktop(450),
        Self::desktop(460),
        Self::of_es(100),
        Self::of_es(300),
        Self::of_es(310),
        Self::of_es(320),
    ];

    const fn desktop(number: u16) -> Self {
        Self { number, es: false }
    }

    const fn of_es(number: u16) -> Self {
        Self { number, es: true }
    }

    /// The number behind `#version`.
    pub const fn number(self) -> u16 {
        self.number
    }

    /// Whether it is one of ES.
    pub const fn is_es(self) -> bool {
        self.es
    }

    /// Whether it is one from `desktop` or, of ES, from `es` on.
    pub(super) const fn since(self, desktop: u16, es: u16) -> bool {
        self.number >= if self.es { es } else { desktop }
    }

    /// Whether it is one without integers that can be computed with, without blocks, and with the variables of the
    /// fixed function pipeline.
    pub(super) const fn is_old(self) -> bool {
        !self.since(130, 300)
    }

    /// Whether floats have bits that can be seen; in 150 by an extension.
    pub(super) const fn has_bits(self) -> bool {
        self.since(150, 300)
    }

    /// Whether blocks and textures have bindings in the text; before, the host sets them by name.
    pub const fn has_bindings(self) -> bool {
        self.since(420, 310)
    }

    /// Whether there are uniform blocks.
    pub(super) const fn has_blocks(self) -> bool {
        self.since(140, 300)
    }
}

impl core::str::FromStr for Version {
    type Err = Unknown;

    /// The version of a text: `330`, `300es` or `300 es`.
    fn from_str(text: &str) -> Result<Self, Unknown> {
        let found = || {
            let (number, es) = match text.strip_suffix("es") {
                Some(number) => (number.trim_end(), true),
                None => (text, false),
            };
            Self::ALL.iter().copied().find(|v| v.es == es && number.parse() == Ok(v.number))
        };
        found().ok_or_else(|| Unknown::new("version of GLSL", text, Self::ALL))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.es { " es" } else { "" })
    }
}

/// The choices of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The version.
    pub version: Version,
    /// Whether the host has set `glClipControl(…, GL_ZERO_TO_ONE)`, so that z is left as it is.
    pub zero_to_one: bool,
    /// Whether another stage stands between this one and the rasterizer, so that positions are handed on as they are.
    pub hands_on: bool,
    /// The stage whose results this one reads, if not the one in front of it that every pipeline has: the vertex shader, of
    /// tessellation evaluation the control shader. It decides what varyings without a location are called.
    pub before: Option<Stage>,
    /// The shader that reads the results of this one, if it is known: what it says of how a varying is interpolated has to
    /// stand at the output, too, before 440 and in ES.
    pub after: Option<&'a Shader>,
    /// The binding of the first array of constants, in versions that have bindings; `None` for that of the stage, so that the
    /// stages of a program keep apart. The states are seven behind it.
    pub constants: Option<u32>,
    /// The binding of the texture in slot 0, in versions that have bindings; `None` for that of the stage.
    pub textures: Option<u32>,
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
    /// The choices for version 430.
    fn default() -> Self {
        Self {
            version: Version::desktop(430),
            zero_to_one: false,
            hands_on: false,
            before: None,
            after: None,
            constants: None,
            textures: None,
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
    /// The binding of the first block of a stage.
    fn first_block(&self, stage: Stage) -> u32 {
        self.constants.unwrap_or(StageOptions::for_opengl(stage).constants)
    }

    /// The binding of the texture in slot 0 of a stage.
    fn first_texture(&self, stage: Stage) -> u32 {
        self.textures.unwrap_or(StageOptions::for_opengl(stage).textures)
    }

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
    let asked = shader;
    let idioms = check(shader, options.version)?;
    let stripped = plain(shader, idioms);
    let shader = stripped.as_ref().unwrap_or(shader);
    let plain = simpler(shader, false, options.signed_zeros, STATEMENT);
    let shader = plain.as_ref().unwrap_or(shader);
    let shaped = shaped(shader, |texture, _| textures::stands_in(texture, options.version));
    let shader = shaped.as_ref().unwrap_or(shader);
    let flat = flatten(shader);
    let shader = flat.shader.as_ref().unwrap_or(shader);
    let plan = Plan::new(shader, |_| true, MAX_DEPTH, options.style, true);
    let mut names = Names::default();
    let mut interface = Interface::new(&mut names, shader, &plan, options)?;
    old::check(shader, &plan, options.version)?;
    let (soft, wanted) = wide(shader, &plan, options.version)?;
    interface.writer.extensions.extend(wanted);
    let mut helpers = Helpers::default();
    helpers.no_bits = !options.version.has_bits();
    let cells = core::mem::take(&mut interface.cells);
    let mut start = String::with_capacity(1024);
    start.push_str("\nvoid main()");
    let lang = Glsl(options.version);
    let mut body = Body::new(lang, start, (shader, plan), &interface.outside, &mut names, &mut helpers);
    body.soft = soft;
    body.comments = options.comments;
    body.renames = options.names;
    body.take_cells(cells);
    body.memories = core::mem::take(&mut interface.memories);
    let (mut main, memories) = body.write()?;
    if let Some(at) = main.find("{\n") {
        main.insert_str(at + 2, &interface.writer.prologue);
    }
    let version = options.version;
    let mut source = String::with_capacity(64 + interface.declarations.len() + main.len());
    if version.is_es() {
        source.push_str("\nprecision highp float;\nprecision highp int;\n");
    }
    source.push_str(&interface.declarations);
    interface.writer.extensions.append(&mut helpers.asked);
    let counted = version.since(430, u16::MAX);
    helpers.write::<Glsl>(&mut source, |out: &mut String, dim: Dim, scalar: Scalar, _| {
        textures::fetch(out, dim, scalar, counted);
    });
    memories.iter().for_each(|words| words.write(&mut source));
    interface.images.iter().for_each(|image| image.write(&mut source));
    source.push_str(&main);
    let profile = match (version.number, version.es) {
        (..=140, _) => "\n",
        (_, true) => " es\n",
        (_, false) => " core\n",
    };
    let extensions = extensions::required(version, &source, &interface.writer.extensions);
    let source = [&*numbered("#version ", version.number.into()), profile, &extensions, &source].concat();
    tell_shapes(interface.bindings.iter_mut().map(|binding| &mut binding.kind), asked);
    Ok(Output { source, bindings: interface.bindings, constants: interface.constants })
}

/// Refuses what is not written of a shader as a whole. Tells whether there are brackets in it.
fn check(shader: &Shader, version: Version) -> Result<bool, Diagnostic> {
    stages::check(shader, version)?;
    if shader.setup.byte_offsets {
        return Err(refused(rules::MEMORY, "memory is addressed by bytes, but the text has words"));
    }
    if shader.stage == Stage::Compute && shader.setup.workgroup.contains(&0) {
        return Err(refused(rules::WORKGROUP, "the size of the workgroup is left to the dispatch"));
    }
    if shader.serial {
        return Err(super::rules::serial(rules::SERIAL, shader));
    }
    brackets(&shader.body, MAX_DEPTH)
        .ok_or_else(|| refused(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep")))
}

/// The 64-bit types of a shader that are pairs of words, and the extensions for those that are not.
///
/// # Errors
///
/// If they cannot be.
fn wide(
    shader: &Shader,
    plan: &Plan<'_>,
    version: Version,
) -> Result<(WideScalars, Vec<&'static str>), Diagnostic> {
    let all = WideScalars::of(shader, plan);
    let soft = all.lacking(Glsl(version));
    if !soft.is_empty() && !version.has_bits() {
        return Err(refused(
            rules::TYPE,
            format!("GLSL {version} has neither 64-bit values nor bits of floats"),
        ));
    }
    if let Some(what) = soft.too_broad(shader, plan) {
        return Err(refused(rules::TYPE, format!("GLSL {version} has no {what}")));
    }
    let own = |scalars: &[Scalar]| scalars.iter().any(|scalar| all.has(*scalar) && !soft.has(*scalar));
    let mut asked = Vec::new();
    if own(&[Scalar::F64]) && !version.since(400, u16::MAX) {
        asked.push("GL_ARB_gpu_shader_fp64");
    }
    if own(&[Scalar::I64, Scalar::U64]) {
        asked.push("GL_ARB_gpu_shader_int64");
    }
    Ok((soft, asked))
}

/// The type of a texture with its sampler.
fn sampler_name(dim: Dim, scalar: Scalar, compare: bool) -> String {
    let prefix = match scalar {
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        _ => "",
    };
    format!("{prefix}sampler{}{}", shape_name(dim), if compare { "Shadow" } else { "" })
}

/// What the types of textures and images call a shape.
const fn shape_name(dim: Dim) -> &'static str {
    match dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::D1Array => "1DArray",
        Dim::D2Array => "2DArray",
        Dim::CubeArray => "CubeArray",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::D2Ms => "2DMS",
        Dim::D2MsArray => "2DMSArray",
    }
}
