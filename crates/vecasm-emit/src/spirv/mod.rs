//! SPIR-V, the language of Vulkan and of OpenGL 4.6, as words.
//!
//! [`write()`] gives a module with one entry point. Values of the shader are results of SPIR-V one to one: nothing
//! passes through variables but output cells that are stored to in nested regions or read back, arrays, and what is
//! chosen by a computed index.
//!
//! # What the host binds
//!
//! The numbers are those of the [WGSL writer](super::wgsl): by default the vertex and the compute stage use descriptor set
//! 0, the fragment stage set 1, tessellation control 2, tessellation evaluation 3 and geometry 4. (A device need not have
//! more than four sets; who binds to all five stages chooses other numbers.) Inside a set:
//!
//! | binding | what | type |
//! |---|---|---|
//! | 0 + number of the array | the constants | a block with an array of four lanes, 16 bytes each; bools are u32 |
//! | 16 + slot | a texture | a sampled image |
//! | 48 + slot | its sampler | a sampler |
//! | 80 | the state values | a block: one member of 16 bytes each, in the order of the table |
//! | 96 + slot | a buffer | a block with an array of u32 words, as long as what is bound |
//! | 608 + slot | a buffer of counters | the same |
//! | 736 + slot | a uniform buffer | the same, read only |
//! | 768 + slot | an image | a storage image |
//!
//! Constants that the program's own table names are members of those names instead, which fill the same bytes, unless the array
//! is read by a computed index or [`Options::register_names`] says otherwise; [`Output::constants`] lists them.
//!
//! All buffers are storage buffers, which before Vulkan 1.1 are uniform blocks of a kind of their own (`BufferBlock`).
//! What writes them in other stages than fragment and compute needs `vertexPipelineStoresAndAtomics`, in fragments
//! `fragmentStoresAndAtomics`. Images are of the format that the program says; `bgra8-unorm`, which SPIR-V does not know,
//! is of no format, which needs `shaderStorageImageReadWithoutFormat` and the like.
//!
//! Attributes, varyings and colours have the locations of their registers. All of it can be chosen in [`Options`], and
//! [`Output::bindings`] tells what was chosen.
//!
//! # Coordinates
//!
//! Positions are written as the shader has them: z in 0..=w, and y up. In Vulkan y points down, so the host sets a
//! viewport of negative height, or asks for [`Options::flip_y`]. In OpenGL z is mapped to -w..=w, unless
//! [`Options::zero_to_one`] says that the host has chosen 0..=w. Where another stage follows that gives the position on,
//! [`Options::hands_on`] leaves it alone.
//!
//! # OpenGL
//!
//! [`Environment::OpenGl45`] writes what `GL_ARB_gl_spirv` takes, which OpenGL 4.6 has: no descriptor sets; a texture and its
//! sampler are one variable, at one number, so that two samplers of one texture are refused; `VertexId` and `InstanceId`. Derivatives
//! along y change their sign, since the y of its window goes up.
//! The place of a pixel counts from the upper left corner, as in Vulkan. [`Options::for_environment`] has numbers that fit.
//!
//! # Other ways in
//!
//! Constants may be push constants ([`Options::push_constants`], at most [`PUSH_BYTES`]) or stand in the module as values
//! ([`Options::values`]); state values may be specialization constants ([`Options::states`]).
//! [`Options::float_controls`] asks for denormals, signed zeros, infinities and NaN as the IR has them, and
//! [`Options::source`] says which line each instruction comes from. `RelaxedPrecision` is not used.
//!
//! A patch is divided in the plane of u and v as OpenGL does it, with v up: the host sets the domain's origin to the lower
//! left corner (`VkPipelineTessellationDomainOriginStateCreateInfo`, from 1.1 on).
//!
//! # Stages
//!
//! All six are written. An axis of a workgroup that the program leaves open is a specialization constant: `SpecId` 0, 1 or
//! 2 for x, y and z, of which the default is 1. What a workgroup shares is filled with zeros, from Vulkan 1.3 on by the
//! driver (`shaderZeroInitializeWorkgroupMemory`). In the stages between, an input whose semantic is `POSITION`, `PSIZE`,
//! `CLIPDIST` or `CLIPDIST[1]` is the built-in that the stage before wrote; inputs of patches are arrays of 32 vertices. The
//! cells of a patch begin with their first values behind a barrier, unless each invocation writes them as a whole. A
//! geometry shader counts its vertices where there might be too many. Several streams need `geometryStreams`; there a
//! cell belongs to one of them.
//!
//! Questions to the subgroup are there from Vulkan 1.1 on. A ballot has the first 64 invocations. Helpers do not take part
//! in votes and ballots, but in the question whether all are equal. The clock is that of `SPV_KHR_shader_clock`.
//!
//! # What a GPU may do otherwise
//!
//! The words say what the IR says, operation by operation. A driver is free to fuse and reassociate arithmetic (but not
//! where the IR says `precise`: that is `NoContraction`), to flush denormals, to compute `exp2`, `log2`, `sin`, `cos`,
//! `pow`, `inverseSqrt` and division with an error, and to assume that no NaN and no infinity occurs. `min`, `max` and
//! `saturate` of NaN are those of the IR (`NMin`, `NMax`, `NClamp`). A loop has no fuel. `i32` of NaN is 0 as the IR
//! has it, but where the number is only an index that is clamped. `fma` may round twice. The instance number of the
//! first instance is that of the draw call, as Vulkan has it.
//!
//! Invocations run side by side: what one writes, the others see behind a barrier or a fence only. What lies outside a
//! buffer or an image is asked for before it is read or changed, so `robustBufferAccess` is not needed. What an atomic
//! operation gives to a helper that was none of the shader's demotions is open. A shader that has no barrier may see what
//! other invocations wrote earlier or later than in lock step.
//!
//! # Demotion
//!
//! From Vulkan 1.3 on a demotion is the instruction for it. Before, an invocation is killed where nothing behind needs
//! its quad any more; else a variable remembers the demotion, and the invocation is killed at the end.

mod body;
mod module;
mod rules;
mod uses;
mod words;

pub use super::options::{ArraySize, Binding, BindingKind, BindingPoint, Constant, Space, StageOptions};
pub use rules::RULES;

use super::flatten::flatten;
use super::naming::Naming;
use super::products::simpler;
use super::shapes::{shaped, tell_shapes};
use super::splice::{MAX_DEPTH, brackets, splice};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use body::Body;
use rules::refused;
use uses::Survey;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::steps::strip;
use vecasm_ir::ir::verify::sound;
use vecasm_ir::ir::{Dim, Scalar, Shader, Stage};
use vecasm_opt::{Expand, clean, exact, exits, expand};

/// What takes the module: it decides the version of SPIR-V, and which words there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Environment {
    /// Vulkan 1.0, SPIR-V 1.0.
    #[default]
    Vulkan10,
    /// Vulkan 1.1, SPIR-V 1.3.
    Vulkan11,
    /// Vulkan 1.2, SPIR-V 1.5.
    Vulkan12,
    /// Vulkan 1.3, SPIR-V 1.6.
    Vulkan13,
    /// OpenGL 4.5 with `GL_ARB_gl_spirv`, and OpenGL 4.6: SPIR-V 1.0.
    OpenGl45,
}

impl Environment {
    /// Every one, in order.
    pub const ALL: [Self; 5] =
        [Self::Vulkan10, Self::Vulkan11, Self::Vulkan12, Self::Vulkan13, Self::OpenGl45];

    /// The word for it, which is that of `spirv-val --target-env`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan10 => "vulkan1.0",
            Self::Vulkan11 => "vulkan1.1",
            Self::Vulkan12 => "vulkan1.2",
            Self::Vulkan13 => "vulkan1.3",
            Self::OpenGl45 => "opengl4.5",
        }
    }

    /// Whether it is OpenGL.
    const fn is_gl(self) -> bool {
        matches!(self, Self::OpenGl45)
    }

    /// The version word of the module.
    const fn version(self) -> u32 {
        match self {
            Self::Vulkan10 | Self::OpenGl45 => 0x1_0000,
            Self::Vulkan11 => 0x1_0300,
            Self::Vulkan12 => 0x1_0500,
            Self::Vulkan13 => 0x1_0600,
        }
    }
}

vecasm_ir::spelled!(Environment, "environment");

/// How state values come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum States {
    /// In a block.
    #[default]
    Block,
    /// As specialization constants, chosen when the pipeline is made: lane `l` of state `n` has the `SpecId`
    /// `first + 4·n + l`. [`Output::specs`] lists those that the shader reads. A workgroup of open size has 0, 1 and 2.
    Specialized {
        /// The number of lane 0 of the first state.
        first: u32,
    },
}

/// Where instructions come from: lines of a text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name.
    pub file: &'a str,
    /// Itself.
    pub text: &'a str,
    /// By instruction, as [`Inst::step`](vecasm_ir::ir::Inst::step) counts them: the line, from 1; 0 for none.
    pub lines: &'a [u32],
}

/// The bytes of push constants that every implementation of Vulkan has.
pub const PUSH_BYTES: u32 = 128;

/// An array of constants among the push constants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PushConstants {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub offset: u32,
    /// Number of four-lane elements, 16 bytes each.
    pub elements: u32,
    /// What the lanes are; bools are u32, 0 or 1.
    pub scalar: Scalar,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Spec {
    /// Its `SpecId`.
    #[cfg_attr(feature = "serde", serde(rename = "id"))]
    pub number: u32,
    /// The state, or `workgroup`.
    pub name: String,
    /// Which lane of it.
    pub lane: u32,
    /// Its type.
    pub scalar: Scalar,
    /// Its bits where the host does not choose.
    pub default: u32,
}

/// The choices of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// What takes the module.
    pub environment: Environment,
    /// Of a vertex shader.
    pub vertex: StageOptions<'a>,
    /// Of a fragment shader.
    pub fragment: StageOptions<'a>,
    /// Of a compute shader.
    pub compute: StageOptions<'a>,
    /// Of a tessellation control shader.
    pub tess_control: StageOptions<'a>,
    /// Of a tessellation evaluation shader.
    pub tess_eval: StageOptions<'a>,
    /// Of a geometry shader.
    pub geometry: StageOptions<'a>,
    /// How long constant arrays are.
    pub array_size: ArraySize,
    /// Where constants live.
    pub space: Space,
    /// Whether colours are those of the first vertex, as a pipeline that shades flat has them; it concerns inputs of
    /// [`Interpolation::Color`](vecasm_ir::ir::Interpolation).
    pub flat_colors: bool,
    /// How state values come in.
    pub states: States,
    /// Whether constants are push constants, at most [`PUSH_BYTES`] together; Vulkan only. Otherwise they are bound.
    pub push_constants: bool,
    /// Arrays of constants, by name, whose values stand in the module. Elements that are not given are zero.
    pub values: &'a [(&'a str, &'a [[u32; 4]])],
    /// Whether the y of positions is negated, in the stages that give them to the rasterizer.
    pub flip_y: bool,
    /// Whether OpenGL has been told to clip z to 0..w (`glClipControl`), as Vulkan does; otherwise z is mapped to -w..w.
    pub zero_to_one: bool,
    /// Whether another stage stands between this one and the rasterizer, so that positions are handed on as they are.
    pub hands_on: bool,
    /// Whether denormals are to be preserved, so are signed zeros, infinities and NaN, and f32 rounded to nearest even
    /// (`SPV_KHR_float_controls`). A device has to have the properties for it.
    pub float_controls: bool,
    /// Where instructions come from, for whoever debugs the module (`OpSource`, `OpLine`).
    pub source: Option<Source<'a>>,
    /// Whether variables, types and values get names (`OpName`), for whoever reads the disassembly.
    pub names: bool,
    /// Whether constants and textures have no names where the program's own table names them; otherwise those are members and
    /// variables of those names (`OpMemberName`, `OpName`).
    pub register_names: bool,
    /// Whether products under [`Rule::ZeroWins`](vecasm_ir::ir::Rule::ZeroWins) give +0 for a zero factor also where the other one is
    /// finite, so that only the sign of the zero depends on it. No target promises the sign of a zero.
    pub signed_zeros: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            environment: Environment::default(),
            vertex: StageOptions::with_group(0),
            fragment: StageOptions::with_group(1),
            compute: StageOptions::with_group(0),
            tess_control: StageOptions::with_group(2),
            tess_eval: StageOptions::with_group(3),
            geometry: StageOptions::with_group(4),
            array_size: ArraySize::Used,
            space: Space::Uniform,
            flat_colors: false,
            states: States::Block,
            push_constants: false,
            values: &[],
            flip_y: false,
            zero_to_one: false,
            hands_on: false,
            float_controls: false,
            source: None,
            names: false,
            register_names: false,
            signed_zeros: false,
        }
    }
}

impl<'a> Options<'a> {
    /// The defaults for an environment. OpenGL has numbers for each kind of binding, and few of them: stage n in the order
    /// fragment, vertex, tessellation control, tessellation evaluation, geometry begins with uniform block 8·n (its states at
    /// 8·n + 7) and texture 16·n; storage blocks and images begin at 0, counters at 4 and uniform buffers at 6.
    pub fn for_environment(environment: Environment) -> Self {
        let mut options = Self { environment, ..Self::default() };
        if environment.is_gl() {
            options.fragment = StageOptions::for_opengl(Stage::Fragment);
            options.vertex = StageOptions::for_opengl(Stage::Vertex);
            options.tess_control = StageOptions::for_opengl(Stage::TessControl);
            options.tess_eval = StageOptions::for_opengl(Stage::TessEval);
            options.geometry = StageOptions::for_opengl(Stage::Geometry);
            options.compute = StageOptions::for_opengl(Stage::Compute);
        }
        options
    }

    /// What constants and textures are called.
    const fn naming(&self) -> Naming<'a> {
        Naming { chosen: &[], registers: self.register_names }
    }

    /// Whether positions are changed before they go out.
    const fn moves(&self) -> bool {
        !self.hands_on && (self.flip_y || self.widens_z())
    }

    /// Whether z is mapped to -w..w.
    const fn widens_z(&self) -> bool {
        self.environment.is_gl() && !self.zero_to_one
    }

    /// The choices of a stage.
    fn stage(&self, stage: Stage) -> &StageOptions<'a> {
        match stage {
            Stage::Vertex => &self.vertex,
            Stage::Fragment => &self.fragment,
            Stage::Compute => &self.compute,
            Stage::TessControl => &self.tess_control,
            Stage::TessEval => &self.tess_eval,
            Stage::Geometry => &self.geometry,
        }
    }
}

/// A written module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The words.
    pub words: Vec<u32>,
    /// What it reads, by binding. What the program does not need is not declared.
    pub bindings: Vec<Binding>,
    /// The specialization constants, by number.
    pub specs: Vec<Spec>,
    /// The push constants, by offset.
    pub push: Vec<PushConstants>,
    /// The constants that the program's own table names, and those with declarations of their own.
    pub constants: Vec<Constant>,
}

impl Output {
    /// The words as little-endian bytes, as files hold them.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Writes a module with one entry point, called `main` unless the options say otherwise.
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
    let (prepared, survey) = prepare(shader, options)?;
    let mut output = Body::new(&prepared, options, survey).write()?;
    tell_shapes(output.bindings.iter_mut().map(|binding| &mut binding.kind), shader);
    Ok(output)
}

/// Checks a shader as a whole, and takes out what the words have no place for: brackets, the step table, branches
/// around what needs its quad, far exits, composite operations. What concerns an input, an output, a resource or an
/// operation is refused where it would be written.
fn prepare<'s>(shader: &'s Shader, options: &Options<'_>) -> Result<(Cow<'s, Shader>, Survey), Diagnostic> {
    if shader.serial {
        return Err(super::rules::serial(rules::SERIAL, shader));
    }
    if shader.setup.byte_offsets {
        return Err(refused(rules::MEMORY, "memory is addressed by bytes, but the module has words"));
    }
    let Some(idioms) = brackets(&shader.body, MAX_DEPTH) else {
        return Err(refused(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep")));
    };
    let mut shader = Cow::Borrowed(shader);
    if options.stage(shader.stage).exact {
        let integers = exact(&shader).map_err(|what| {
            let stage = shader.stage.name();
            refused(rules::EXACT, format!("the {stage} shader cannot be translated exactly: {what}"))
        })?;
        shader = Cow::Owned(integers);
    }
    if !shader.steps.is_empty() {
        strip(shader.to_mut());
    }
    if idioms {
        shader = Cow::Owned(splice(&shader));
    }
    // Whoever asks for signed zeros gets those of products, too.
    if let Some(plain) = simpler(&shader, false, options.signed_zeros || options.float_controls, 0) {
        shader = Cow::Owned(plain);
    }
    // Vulkan's coordinates in texels leave out offsets, comparison and gathering.
    let stands_in = |dim: Dim, sampled: bool| dim.faces() > 1 || (dim == Dim::Rect && sampled);
    if let Some(shaped) = shaped(&shader, |texture, used| stands_in(texture.dim, used.sampled)) {
        shader = Cow::Owned(shaped);
    }
    if let Some(flat) = flatten(&shader).shader {
        shader = Cow::Owned(flat);
    }
    let survey = Survey::of(&shader);
    if !(survey.composites || survey.flush || survey.far) {
        return Ok((shader, survey));
    }
    if survey.composites || survey.flush {
        let what = Expand {
            composites: true,
            fract: true,
            flush: survey.flush,
            zero_wins: survey.flush,
            ..Expand::default()
        };
        shader = Cow::Owned(expand(&shader, what));
    }
    if survey.far {
        shader = Cow::Owned(clean(&exits(&shader)));
    }
    let survey = Survey::of(&shader);
    Ok((shader, survey))
}
