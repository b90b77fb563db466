//! What every target is asked and tells alike: where things are bound, and which.

use alloc::string::String;
use vecasm_ir::ir::{BufferKind, Dim, Format, SamplerState, Scalar, Stage, Type};

/// How many elements a constant array is declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ArraySize {
    /// The elements that the program reads, counted from 0; the whole file if it reads by a computed index.
    #[default]
    Used,
    /// The whole register file of the profile.
    File,
}

impl ArraySize {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Used, Self::File];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::File => "file",
        }
    }
}

vecasm_ir::spelled!(ArraySize, "size of arrays");

/// How the text of a body is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// What is used once stands where it is used, as far as a line reaches: the way a person writes.
    #[default]
    Folded,
    /// What an instruction of the source computes is a statement of its own, so that the text can be followed beside the
    /// program.
    Plain,
}

impl Style {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Folded, Self::Plain];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Plain => "plain",
        }
    }
}

vecasm_ir::spelled!(Style, "style");

/// Where constants live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Space {
    /// A uniform buffer: `var<uniform>`.
    #[default]
    Uniform,
    /// A storage buffer that is only read: `var<storage, read>`.
    Storage,
}

impl Space {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Uniform, Self::Storage];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Storage => "storage",
        }
    }
}

vecasm_ir::spelled!(Space, "storage");

/// The choices of one stage.
#[derive(Clone, Copy, Debug)]
pub struct StageOptions<'a> {
    /// Name of the entry point; `None` for the default.
    pub entry: Option<&'a str>,
    /// The group, or descriptor set, of everything the stage reads.
    pub group: u32,
    /// The binding of the first constant array.
    pub constants: u32,
    /// The binding of the texture in slot 0.
    pub textures: u32,
    /// The binding of the sampler of slot 0.
    pub samplers: u32,
    /// The binding of the state values.
    pub states: u32,
    /// The binding of the buffer in slot 0; counters begin 512 behind, and uniform buffers 640.
    pub buffers: u32,
    /// The binding of the image in slot 0.
    pub images: u32,
    /// Whether the stage is written in integers alone, so that no GPU computes it otherwise than the interpreter: see
    /// [`exact`](vecasm_opt::exact()).
    pub exact: bool,
    /// For each instruction of the source its text, which text targets write as
    /// comment above what it became; empty for none.
    pub comments: &'a [String],
}

impl StageOptions<'_> {
    /// The defaults with the given group.
    pub const fn with_group(group: u32) -> Self {
        Self {
            entry: None,
            group,
            constants: 0,
            textures: 16,
            samplers: 48,
            states: 80,
            buffers: 96,
            images: 768,
            exact: false,
            comments: &[],
        }
    }

    /// The binding of the buffer in slot 0 of a kind.
    #[cfg(any(feature = "spirv", feature = "wgsl"))]
    pub(super) const fn first_buffer(&self, kind: BufferKind) -> u32 {
        self.buffers.saturating_add(match kind {
            BufferKind::Storage => 0,
            BufferKind::Counter => 512,
            BufferKind::Uniform => 640,
        })
    }

    /// The defaults of a stage in OpenGL, which has numbers for each kind of binding, and few of them, for all stages together:
    /// stage n in the order fragment, vertex, tessellation control, tessellation evaluation, geometry begins with uniform block
    /// 8·n (its states at 8·n + 7) and texture 16·n.
    #[cfg(any(feature = "glsl", feature = "spirv"))]
    pub(super) const fn for_opengl(stage: Stage) -> StageOptions<'static> {
        let n = match stage {
            Stage::Fragment | Stage::Compute => 0,
            Stage::Vertex => 1,
            Stage::TessControl => 2,
            Stage::TessEval => 3,
            Stage::Geometry => 4,
        };
        StageOptions {
            constants: 8 * n,
            states: 8 * n + 7,
            textures: 16 * n,
            samplers: 16 * n,
            buffers: 0,
            images: 0,
            ..StageOptions::with_group(0)
        }
    }
}

/// What the host has to bind somewhere. Which of them a target has depends on its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "kind", rename_all = "lowercase"))]
pub enum BindingKind {
    /// A constant array: a block or buffer with it; in GLSL before 140 and ES 100 and in HLSL 3.0 the array itself, a
    /// uniform.
    Constants {
        /// Number of four-lane elements, 16 bytes each.
        elements: u32,
        /// What the lanes are; bools are `u32` in a block, 0 or 1.
        scalar: Scalar,
        /// Whether it is a storage buffer.
        space: Space,
    },
    /// The state values in one block, all of the shader's table in order, each at a multiple of 16 bytes. Bools are
    /// `u32`.
    States {
        /// How many there are.
        count: u32,
    },
    /// A state value alone, as a uniform or register of four lanes: GLSL before 140, ES 100, HLSL 3.0.
    State {
        /// Its number in the shader's table.
        number: u32,
        /// Its type.
        #[cfg_attr(feature = "serde", serde(flatten))]
        ty: Type,
    },
    /// An attribute whose location the host sets by its name: GLSL before 330, ES 100.
    Attribute {
        /// The location of its register.
        location: u32,
    },
    /// A colour whose target the host sets by its name: GLSL 130 to 150.
    Color {
        /// Its target.
        target: u32,
    },
    /// The block of what the draw begins with: the base vertex, the first instance and the number of the draw, 4 bytes
    /// each. HLSL.
    Draw,
    /// A buffer of `u32` words.
    Buffer {
        /// Number of the buffer register.
        slot: u32,
        /// What it is for; the registers of each kind count from 0.
        of: BufferKind,
        /// Whether the shader writes it.
        write: bool,
        /// Whether its words are atomic.
        atomic: bool,
    },
    /// A buffer with the number of words of each buffer of the shader, in the order of its table. MSL.
    Words {
        /// How many buffers there are.
        count: u32,
    },
    /// An image: a storage texture.
    Image {
        /// Number of the image register.
        slot: u32,
        /// Its shape.
        dim: Dim,
        /// How a texel is held.
        format: Format,
        /// Whether the shader reads it.
        read: bool,
        /// Whether the shader writes it.
        write: bool,
    },
    /// A texture.
    Texture {
        /// Number of the texture register.
        slot: u32,
        /// Its shape.
        dim: Dim,
        /// The shape that the program reads, for which [another](Dim::stand_in) may stand in: the faces of a cube as
        /// layers, a line as a plane of height 1, a rectangle as a plane of one level.
        of: Dim,
        /// What its lanes are.
        scalar: Scalar,
        /// Whether it holds depths that are compared.
        compare: bool,
    },
    /// A sampler. In HLSL 3.0 the texture comes with it.
    Sampler {
        /// Number of the sampler register.
        slot: u32,
        /// The state that the program asks for, if it does.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serial::state"))]
        state: Option<SamplerState>,
        /// Whether it compares.
        compare: bool,
        /// Whether coordinates are normalized; if not, they are in texels.
        normalized: bool,
    },
    /// A texture in one with its sampler. GLSL.
    Combined {
        /// Number of the texture register.
        slot: u32,
        /// Number of the sampler register.
        sampler_slot: u32,
        /// Its shape.
        dim: Dim,
        /// The shape that the program reads, as of a [texture](Self::Texture).
        of: Dim,
        /// What its lanes are.
        scalar: Scalar,
        /// Whether it holds depths that are compared.
        compare: bool,
        /// The state that the program asks for, if it does.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serial::state"))]
        state: Option<SamplerState>,
    },
}

/// One thing the host has to bind, at a place as the target counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding<P = BindingPoint> {
    /// Who reads it.
    pub stage: Stage,
    /// Where it is.
    pub place: P,
    /// Its name in the text or module: of a block, a variable or an argument.
    pub name: String,
    /// What it is.
    pub kind: BindingKind,
}

/// A place in WGSL and SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BindingPoint {
    /// Its group, or descriptor set.
    pub group: u32,
    /// Its binding in the group.
    pub binding: u32,
}

/// A place of any target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum Place {
    /// In WGSL and SPIR-V.
    Point(BindingPoint),
    /// In GLSL.
    #[cfg(feature = "glsl")]
    Layout(super::glsl::Layout),
    /// In HLSL.
    #[cfg(feature = "hlsl")]
    Register(super::hlsl::Register),
    /// In MSL.
    #[cfg(feature = "msl")]
    Argument(super::msl::Argument),
}

impl<P: Copy + Into<Place>> Binding<P> {
    /// The same binding, as one of any target.
    pub fn of_any_target(&self) -> Binding<Place> {
        let Self { stage, place, ref name, kind } = *self;
        Binding { stage, place: place.into(), name: name.clone(), kind }
    }
}

impl From<BindingPoint> for Place {
    fn from(point: BindingPoint) -> Self {
        Self::Point(point)
    }
}

#[cfg(feature = "glsl")]
impl From<super::glsl::Layout> for Place {
    fn from(layout: super::glsl::Layout) -> Self {
        Self::Layout(layout)
    }
}

#[cfg(feature = "hlsl")]
impl From<super::hlsl::Register> for Place {
    fn from(register: super::hlsl::Register) -> Self {
        Self::Register(register)
    }
}

#[cfg(feature = "msl")]
impl From<super::msl::Argument> for Place {
    fn from(argument: super::msl::Argument) -> Self {
        Self::Argument(argument)
    }
}

/// A constant with a declaration of its own, or one that the program's own table names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Constant {
    /// Who reads it.
    pub stage: Stage,
    /// Its name in the table; empty if it has none.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serial::or_null"))]
    pub symbol: String,
    /// What it is in the text: a name, or an element of the array that it lies in.
    pub name: String,
    /// The name of the [binding](Binding) that holds it.
    pub binding: String,
    /// Its first register: `c3`.
    pub register: String,
    /// The number of its first element in the array of constants, 16 bytes each.
    pub first: u32,
    /// Number of elements.
    pub count: u32,
}
