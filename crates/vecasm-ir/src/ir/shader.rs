//! A shader and its tables.

use super::op::Op;
use super::{
    Arg, Args, Buffer, Home, Image, Region, Scalar, StateId, Texture, Type, Value, ValueInfo, steps,
};
use crate::words;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// The stage of the pipeline a shader is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Once a vertex.
    Vertex,
    /// Once a control point of a patch.
    TessControl,
    /// Once a vertex of a tessellated patch.
    TessEval,
    /// Once a primitive.
    Geometry,
    /// Once a fragment, in quads.
    Fragment,
    /// Once a work item.
    Compute,
}

impl Stage {
    /// Every stage, in the order of the pipeline.
    pub const ALL: [Self; 6] =
        [Self::Vertex, Self::TessControl, Self::TessEval, Self::Geometry, Self::Fragment, Self::Compute];

    /// The word used everywhere: `vertex`, `fragment`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::TessControl => "tess-control",
            Self::TessEval => "tess-eval",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
    }

    /// Other words for it, those of shading languages and of their files.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Vertex => &["vert", "vs"],
            Self::TessControl => &["tess_ctrl", "tesc", "tcs", "hs"],
            Self::TessEval => &["tess_eval", "tese", "tes", "ds"],
            Self::Geometry => &["geom", "gs"],
            Self::Fragment => &["pixel", "frag", "ps", "fs"],
            Self::Compute => &["comp", "cs"],
        }
    }

    /// Whether an invocation reads the inputs of several vertices ([`Op::InputOf`]).
    pub const fn has_vertices(self) -> bool {
        matches!(self, Self::TessControl | Self::TessEval | Self::Geometry)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

crate::spelled!(Stage, "stage", aliases);

macro_rules! systems {
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal $scalar:ident x $lanes:literal in $($Stage:ident)|+;)*) => {
        /// A value that the pipeline gives, and no earlier stage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum System { $($(#[doc = $doc])+ $V,)* }

        impl System {
            /// Every one, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The spelling in the text form.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $name,)* } }

            /// Its type.
            pub const fn ty(self) -> Type {
                match self { $(Self::$V => Type::new(Scalar::$scalar, $lanes),)* }
            }

            /// Whether a stage has it.
            pub const fn exists_in(self, stage: Stage) -> bool {
                match self { $(Self::$V => ($(Stage::$Stage.bit())|+) & stage.bit() != 0,)* }
            }

            /// What it is, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Self::$V => concat!($($doc),+),)* } }
        }

        crate::spelled!(System, "system value", [$($V $name,)*]);
    };
}

systems! {
    /// The number of the vertex, base vertex included.
    VertexIndex "vertex-index" U32 x 1 in Vertex;
    /// The number of the vertex without the base vertex.
    VertexIndexNoBase "vertex-index-no-base" U32 x 1 in Vertex;
    /// What is added to every index.
    BaseVertex "base-vertex" I32 x 1 in Vertex;
    /// The number of the instance.
    InstanceIndex "instance-index" U32 x 1 in Vertex;
    /// The number of the first instance.
    BaseInstance "base-instance" U32 x 1 in Vertex;
    /// The number of the draw in a multi-draw.
    DrawIndex "draw-index" U32 x 1 in Vertex;
    /// The number of the primitive or patch.
    PrimitiveIndex "primitive-index" U32 x 1 in TessControl | TessEval | Geometry | Fragment;
    /// The number of the invocation for its primitive or patch.
    InvocationIndex "invocation-index" U32 x 1 in TessControl | Geometry;
    /// The number of vertices of the incoming patch or primitive.
    VerticesIn "vertices-in" U32 x 1 in TessControl | TessEval | Geometry;
    /// The place in the patch: u, v, and for triangles w = 1 - u - v.
    TessCoord "tess-coord" F32 x 3 in TessEval;
    /// The outer levels of the patch.
    TessOuter "tess-outer" F32 x 4 in TessEval;
    /// The inner levels of the patch.
    TessInner "tess-inner" F32 x 2 in TessEval;
    /// The outer levels set by the application.
    TessDefaultOuter "tess-default-outer" F32 x 4 in TessControl | TessEval;
    /// The inner levels set by the application.
    TessDefaultInner "tess-default-inner" F32 x 2 in TessControl | TessEval;
    /// The place in the window: x and y of the pixel's centre, z its depth, w 1/w.
    FragCoord "frag-coord" F32 x 4 in Fragment;
    /// Whether the primitive faces the viewer.
    FrontFacing "front-facing" Bool x 1 in Fragment;
    /// The place in a point sprite, 0..=1, y down.
    PointCoord "point-coord" F32 x 2 in Fragment;
    /// The number of the sample that is shaded.
    SampleIndex "sample-index" U32 x 1 in Fragment;
    /// The place of that sample in the pixel, 0..=1.
    SamplePosition "sample-position" F32 x 2 in Fragment;
    /// The samples that the primitive covers, bit by bit.
    SampleMask "sample-mask" U32 x 1 in Fragment;
    /// The layer that is drawn to.
    Layer "layer" U32 x 1 in Fragment;
    /// The number of the viewport.
    ViewportIndex "viewport-index" U32 x 1 in Fragment;
    /// The place in the workgroup.
    LocalIndex "local-id" U32 x 3 in Compute;
    /// The place of the workgroup in the grid.
    GroupIndex "group-id" U32 x 3 in Compute;
    /// The size of the workgroup.
    GroupSize "group-size" U32 x 3 in Compute;
    /// The number of workgroups along each axis.
    GridSize "grid-size" U32 x 3 in Compute;
    /// The number of axes of the grid, 1–3.
    GridAxes "grid-axes" U32 x 1 in Compute;
    /// The number of invocations of a subgroup.
    SubgroupSize "subgroup-size" U32 x 1 in Vertex | TessControl | TessEval | Geometry | Fragment | Compute;
    /// The number of the invocation in its subgroup.
    SubgroupIndex "subgroup-index" U32 x 1 in Vertex | TessControl | TessEval | Geometry | Fragment | Compute;
}

impl System {
    /// Whether whoever runs the shader need not say it: it follows from the number of the invocation and from the sizes of
    /// groups.
    pub const fn is_known(self) -> bool {
        matches!(
            self,
            Self::LocalIndex
                | Self::GroupIndex
                | Self::GroupSize
                | Self::GridSize
                | Self::GridAxes
                | Self::SubgroupSize
                | Self::SubgroupIndex
        )
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// A vertex attribute; missing components are filled from (0, 0, 0, 1).
    Attribute {
        /// Its location.
        location: u32,
    },
    /// An output of the previous stage: for fragments interpolated over the primitive, for the stages between one for
    /// each vertex ([`Op::InputOf`](super::Op::InputOf)).
    Varying {
        /// Its location.
        location: u32,
    },
    /// An output of the tessellation control stage for the whole patch.
    PatchVarying {
        /// Its location.
        location: u32,
    },
    /// What the pipeline gives.
    System(System),
}

/// Kinds of inputs or outputs: a word, and a number for some, which belongs to it, so that a word alone (`spelled!`) names none.
macro_rules! kinds {
    ($Name:ident { $($V:ident $word:literal $($field:ident)?,)* }) => {
        impl $Name {
            /// The word of the text form.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$V $({ $field: _ })? => $word,)*
                    #[allow(unreachable_patterns, reason = "system values have a table of their own")]
                    other => other.other_name(),
                }
            }

            /// The number behind the word, for the kinds that have one.
            pub const fn number(self) -> Option<u32> {
                match self {
                    $($(Self::$V { $field } => Some($field),)?)*
                    _ => None,
                }
            }

            /// The kind of that word and number; `None` if there is none, or the number is missing or too much.
            pub fn named(word: &str, number: Option<u32>) -> Option<Self> {
                match (word, number) {
                    $(kinds!(@pattern $word number $($field)?) => Some(Self::$V $({ $field: number? })?),)*
                    _ => Self::other_named(word).filter(|_| number.is_none()),
                }
            }
        }
    };
    (@pattern $word:literal $number:ident $field:ident) => { ($word, Some(_)) };
    (@pattern $word:literal $number:ident) => { ($word, None) };
}

kinds! {
    InputKind {
        Attribute "attribute" location,
        Varying "varying" location,
        PatchVarying "patch-varying" location,
    }
}

impl InputKind {
    const fn other_name(self) -> &'static str {
        match self {
            Self::System(system) => system.name(),
            _ => "",
        }
    }

    fn other_named(word: &str) -> Option<Self> {
        System::named(word).map(Self::System)
    }
}

kinds! {
    OutputKind {
        Position "position",
        Varying "varying" location,
        PatchVarying "patch-varying" location,
        Color "color" target,
        SecondColor "second-color" target,
        Depth "depth",
        Stencil "stencil",
        SampleMask "sample-mask",
        PointSize "point-size",
        ClipDistance "clip-distance" index,
        CullDistance "cull-distance" index,
        ClipVertex "clip-vertex",
        Fog "fog",
        EdgeFlag "edge-flag",
        Layer "layer",
        ViewportIndex "viewport-index",
        PrimitiveIndex "primitive-index",
        TessOuter "tess-outer",
        TessInner "tess-inner",
    }
}

impl OutputKind {
    const fn other_name(self) -> &'static str {
        ""
    }

    const fn other_named(_: &str) -> Option<Self> {
        None
    }
}

words! {
    /// How a fragment input follows from the vertices of the primitive.
    #[derive(Default)]
    Interpolation "interpolation" {
        /// Linear on the primitive, that is with perspective correction.
        #[default]
        Perspective "perspective",
        /// Linear in the window.
        Linear "linear",
        /// The value of the first vertex.
        Flat "flat",
        /// A colour: [`Flat`](Self::Flat) if the pipeline shades flat, else [`Perspective`](Self::Perspective).
        Color "color",
    }
}

words! {
    /// Where in the pixel a fragment input is interpolated.
    #[derive(Default)]
    Location "place in the pixel" {
        /// At its centre.
        #[default]
        Center "center",
        /// At a point that the primitive covers.
        Centroid "centroid",
        /// At the sample that is shaded.
        Sample "sample",
    }
}

/// An input of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The register it came from, as the ISA spells it: `va0`.
    pub name: String,
    /// Its semantic in the source, with its number: `TEXCOORD3`; empty if the source has none.
    pub semantic: String,
    /// What it is.
    pub kind: InputKind,
    /// Its type: that of the system value, else 1–4 lanes of f32, i32 or u32.
    pub ty: Type,
    /// How a fragment varying is interpolated: integers are flat. Everything else has the default.
    pub interpolation: Interpolation,
    /// Where a fragment varying is interpolated. Everything else has the default.
    pub location: Location,
}

impl Input {
    /// An input without a semantic, interpolated with perspective correction at the pixel's centre.
    pub fn new(name: impl Into<String>, kind: InputKind, ty: Type) -> Self {
        Self {
            name: name.into(),
            semantic: String::new(),
            kind,
            ty,
            interpolation: Interpolation::default(),
            location: Location::default(),
        }
    }
}

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputKind {
    /// The clip-space position, with z in 0..=w.
    Position,
    /// A value for the next stage, interpolated over the primitive before fragments see it.
    Varying {
        /// Its location.
        location: u32,
    },
    /// A value for the whole patch (tessellation control).
    PatchVarying {
        /// Its location.
        location: u32,
    },
    /// A colour of render target `target`.
    Color {
        /// Which target.
        target: u32,
    },
    /// The second colour of render target `target` for dual-source blending.
    SecondColor {
        /// Which target.
        target: u32,
    },
    /// The depth of the fragment, in lane x, 0..=1.
    Depth,
    /// The stencil reference, in lane x.
    Stencil,
    /// The samples that are written, bit by bit in lane x.
    SampleMask,
    /// The size of a point in pixels, in lane x.
    PointSize,
    /// Four distances to clip planes, from number 4·`index` on.
    ClipDistance {
        /// Which four.
        index: u32,
    },
    /// Four distances to cull planes, from number 4·`index` on.
    CullDistance {
        /// Which four.
        index: u32,
    },
    /// The vertex that user clip planes are applied to.
    ClipVertex,
    /// The fog coordinate or factor, in lane x.
    Fog,
    /// Whether the edge that starts here is drawn, in lane x.
    EdgeFlag,
    /// The layer to draw to, in lane x.
    Layer,
    /// The number of the viewport, in lane x.
    ViewportIndex,
    /// The number of the primitive, in lane x.
    PrimitiveIndex,
    /// The outer levels of the patch.
    TessOuter,
    /// The inner levels of the patch, in lanes x and y.
    TessInner,
}

impl OutputKind {
    /// Whether the vertices of a patch share it.
    pub const fn is_of_patch(self) -> bool {
        matches!(self, Self::PatchVarying { .. } | Self::TessOuter | Self::TessInner)
    }

    /// How many of its lanes count, from x on.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Depth
            | Self::Stencil
            | Self::SampleMask
            | Self::PointSize
            | Self::Fog
            | Self::EdgeFlag
            | Self::Layer
            | Self::ViewportIndex
            | Self::PrimitiveIndex => 1,
            Self::TessInner => 2,
            _ => 4,
        }
    }

    /// Whether a stage has it.
    pub const fn exists_in(self, stage: Stage) -> bool {
        match self {
            Self::Color { .. }
            | Self::SecondColor { .. }
            | Self::Depth
            | Self::Stencil
            | Self::SampleMask => {
                matches!(stage, Stage::Fragment)
            }
            Self::PatchVarying { .. } | Self::TessOuter | Self::TessInner => {
                matches!(stage, Stage::TessControl)
            }
            Self::PrimitiveIndex => matches!(stage, Stage::Geometry),
            _ => !matches!(stage, Stage::Fragment | Stage::Compute),
        }
    }

    /// Whether the lanes of such a cell may be of a type: what the next stage or the target decides is of f32, i32 or
    /// u32, numbers and masks are integers, and everything else is f32.
    pub const fn holds(self, scalar: Scalar) -> bool {
        let integer = matches!(scalar, Scalar::I32 | Scalar::U32);
        match self {
            Self::Varying { .. }
            | Self::PatchVarying { .. }
            | Self::Color { .. }
            | Self::SecondColor { .. }
            | Self::EdgeFlag => integer || matches!(scalar, Scalar::F32),
            Self::Stencil | Self::SampleMask | Self::Layer | Self::ViewportIndex | Self::PrimitiveIndex => {
                integer
            }
            Self::Position
            | Self::Depth
            | Self::PointSize
            | Self::ClipDistance { .. }
            | Self::CullDistance { .. }
            | Self::ClipVertex
            | Self::Fog
            | Self::TessOuter
            | Self::TessInner => matches!(scalar, Scalar::F32),
        }
    }
}

/// An output cell: four lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The register it came from, as the ISA spells it: `op`, `v0`, `fo1`.
    pub name: String,
    /// Its semantic in the source, with its number; empty if the source has none.
    pub semantic: String,
    /// What it is.
    pub kind: OutputKind,
    /// Type of its lanes: f32, i32 or u32, see [`OutputKind::holds`].
    pub scalar: Scalar,
    /// The bits before the first write.
    pub init: [u32; 4],
    /// The stream that each lane belongs to (geometry), 0–3, or [`EVERY_STREAM`](Self::EVERY_STREAM).
    pub streams: [u8; 4],
    /// The cell starts with what the previous invocation left; only in serial shaders.
    pub carried: bool,
}

impl Output {
    /// A lane with this for its stream belongs to each stream.
    pub const EVERY_STREAM: u8 = u8::MAX;

    /// A cell of four f32 that start at zero, in stream 0.
    pub fn new(name: impl Into<String>, kind: OutputKind) -> Self {
        Self {
            name: name.into(),
            semantic: String::new(),
            kind,
            scalar: Scalar::F32,
            init: [0; 4],
            streams: [0; 4],
            carried: false,
        }
    }
}

/// An array of four-lane constants set from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamArray {
    /// The register file it came from: `vc`.
    pub name: String,
    /// Type of the lanes: f32, i32, u32 or bool (0 is false, every other word true).
    pub scalar: Scalar,
    /// Number of elements the profile allows, at most [`ParamArray::MAX_SIZE`].
    pub size: u32,
    /// Number of elements that direct loads and stores use: highest index + 1 or more, at most the size.
    pub used: u32,
    /// Whether a load or store has a computed index, so that any element may be meant.
    pub indexed: bool,
    /// Elements that the program itself says, in ascending order, with their bits: every load sees these, whatever is set from
    /// outside. An array that has some is not written.
    pub fixed: Vec<(u32, [u32; 4])>,
}

impl ParamArray {
    /// The most elements of one array.
    pub const MAX_SIZE: u32 = 65_536;

    /// An array of f32 that nothing reads yet.
    pub fn new(name: impl Into<String>, size: u32) -> Self {
        Self { name: name.into(), scalar: Scalar::F32, size, used: 0, indexed: false, fixed: Vec::new() }
    }

    /// The bits of an element that the program says.
    pub fn fixed_at(&self, index: u32) -> Option<[u32; 4]> {
        let at = self.fixed.binary_search_by_key(&index, |(element, _)| *element).ok()?;
        self.fixed.get(at).map(|(_, bits)| *bits)
    }
}

/// An array of cells of a single invocation. They start at zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalArray {
    /// The register array it came from: `TEMP(1)`.
    pub name: String,
    /// Type of the lanes: f32, i32 or u32.
    pub scalar: Scalar,
    /// Number of cells, 1 to [`LocalArray::MAX_SIZE`].
    pub size: u32,
}

impl LocalArray {
    /// The most cells of one array.
    pub const MAX_SIZE: u32 = 65_536;
}

/// A value that is set outside the shader and stays the same for a draw: fog parameters, the dimension of a texture
/// that the program leaves open, the reference of the alpha test…
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name: `bump-matrix-1`.
    pub name: String,
    /// Its type; no lane has 64 bits.
    pub ty: Type,
    /// Its bits where it is not set; zero in the lanes beyond its type.
    pub default: [u32; 4],
}

words! {
    /// What a register file of the source is filled with, but by instructions.
    FileRole "use of registers" {
        /// Inputs.
        Input "input",
        /// Elements of a parameter array.
        Param "param",
        /// Textures with their samplers.
        Texture "texture",
        /// Values that stand in the program itself.
        Immediate "immediate",
    }
}

/// A register file of the source that is filled from outside, or holds values that the program says. It tells a register that exists but is not read from
/// one that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegisterFile {
    /// Its name as the ISA spells it: `vc`.
    pub name: Cow<'static, str>,
    /// What it holds.
    pub role: FileRole,
    /// Number of registers; `None` for a single one without a number.
    pub count: Option<u32>,
}

words! {
    /// A kind of primitive.
    Primitive "kind of primitive" {
        /// One vertex.
        Points "points",
        /// Two vertices.
        Lines "lines",
        /// Each vertex with the previous one.
        LineStrip "line-strip",
        /// Two vertices and their neighbours, 4 in all.
        LinesAdjacency "lines-adjacency",
        /// Three vertices.
        Triangles "triangles",
        /// Each vertex with the two previous ones.
        TriangleStrip "triangle-strip",
        /// Three vertices and their neighbours, 6 in all.
        TrianglesAdjacency "triangles-adjacency",
        /// Four vertices.
        Quads "quads",
        /// As many vertices as the draw sets.
        Patches "patches",
    }
}

words! {
    /// How a side is divided.
    Spacing "spacing" {
        /// Into equal parts, the level rounded up.
        Equal "equal",
        /// Into an odd number of parts, two of them shorter.
        FractionalOdd "fractional-odd",
        /// Into an even number of parts, two of them shorter.
        FractionalEven "fractional-even",
    }
}

/// What a stage declares about itself. Fields that a stage does not use have their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Size of the workgroup along x, y and z (compute); at most 1,024 invocations. An axis of 0 leaves the size to
    /// the batch.
    pub workgroup: [u32; 3],
    /// Bytes of memory that a workgroup shares (compute), at most 65,536. It starts at zero for each workgroup.
    pub shared: u32,
    /// Four adjacent invocations along x run the whole shader before the next four begin (compute). Where
    /// there is a barrier or a fence, or rows are longer than four and not of whole fours, the workgroup runs in lock step all the
    /// same.
    pub fours: bool,
    /// An offset in a buffer or in shared memory means the bytes from there on, all of which must exist. Otherwise it
    /// means the word that contains it: its low two bits are ignored.
    pub byte_offsets: bool,
    /// Input vertices for each primitive, as many as it has (geometry), or for each patch, 1–32 (geometry,
    /// tessellation). 0 leaves the size of a patch to the batch (tessellation).
    pub vertices_in: u32,
    /// Invocations for each patch, that is output vertices (tessellation control), 1–32; or invocations for each
    /// primitive (geometry), 1–32.
    pub invocations: u32,
    /// Input primitives: points, lines, triangles, either with adjacency, or patches (geometry); or what a patch is:
    /// triangles, quads or lines (tessellation evaluation).
    pub primitive_in: Primitive,
    /// Output primitives: points, a line strip or a triangle strip (geometry).
    pub primitive_out: Primitive,
    /// Maximum number of vertices that an invocation emits, to all streams together (geometry), at most 1,024.
    pub max_vertices: u32,
    /// [`max_vertices`](Self::max_vertices) is how many each primitive may have instead (geometry).
    pub primitive_limit: bool,
    /// The vertices of all streams form one sequence, each with all outputs (geometry). A primitive is as many of that
    /// sequence as were emitted to it, from its own first one on, whatever streams they belong to; after the last
    /// emitted vertex comes one with the final values of the outputs. Only
    /// [`Op::EndPrimitive`](super::Op::EndPrimitive) ends a primitive, also one without vertices; one that is left open
    /// is dropped.
    pub one_sequence: bool,
    /// How sides are divided (tessellation evaluation).
    pub spacing: Spacing,
    /// Whether triangles go round clockwise (tessellation evaluation).
    pub clockwise: bool,
    /// Whether only points are made (tessellation evaluation).
    pub points: bool,
    /// Depth and stencil are tested before the shader runs (fragment).
    pub early_tests: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            workgroup: [1; 3],
            shared: 0,
            fours: false,
            byte_offsets: false,
            vertices_in: 0,
            invocations: 1,
            primitive_in: Primitive::Triangles,
            primitive_out: Primitive::TriangleStrip,
            max_vertices: 0,
            primitive_limit: false,
            one_sequence: false,
            spacing: Spacing::Equal,
            clockwise: false,
            points: false,
            early_tests: false,
        }
    }
}

/// A program's meaning; see the [module documentation](super).
///
/// Two shaders are equal if their tables are, and if their bodies do the same things to the same values: where the lists
/// of arguments lie in [`args`](Self::args), and values that no node defines, make no difference.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The stage.
    pub stage: Stage,
    /// Name of the instruction set it was lifted from, for messages only.
    pub isa: Cow<'static, str>,
    /// Names of the register files that [`Home`] refers to; `TEMP[]` if numbers stand in brackets.
    pub files: Vec<Cow<'static, str>>,
    /// Register files that are filled from outside, also where the program does not read them. For names only.
    pub registers: Vec<RegisterFile>,
    /// What the stage declares about itself.
    pub setup: Setup,
    /// Invocations run one after another, each seeing what the one before wrote into parameter arrays and left in
    /// [carried](Output::carried) cells. Only where a group is one invocation.
    pub serial: bool,
    /// Inputs.
    pub inputs: Vec<Input>,
    /// Output cells.
    pub outputs: Vec<Output>,
    /// Parameter arrays.
    pub params: Vec<ParamArray>,
    /// Arrays of each invocation.
    pub locals: Vec<LocalArray>,
    /// State values.
    pub states: Vec<State>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Buffers.
    pub buffers: Vec<Buffer>,
    /// Images.
    pub images: Vec<Image>,
    /// All values.
    pub values: Vec<ValueInfo>,
    /// The step table, if the shader was lifted with one; see [`steps`].
    pub steps: Vec<steps::Step>,
    /// All argument lists, one after another; see [`Args`].
    pub args: Vec<Arg>,
    /// What is run.
    pub body: Region,
    /// Names of constants; no part of what is compared.
    pub symbols: super::symbols::Symbols,
}

impl Shader {
    /// A shader that does nothing.
    pub fn new(stage: Stage, isa: &'static str, files: &'static [&'static str]) -> Self {
        Self {
            stage,
            isa: Cow::Borrowed(isa),
            files: files.iter().copied().map(Cow::Borrowed).collect(),
            registers: Vec::new(),
            setup: Setup::default(),
            serial: false,
            inputs: Vec::new(),
            outputs: Vec::new(),
            params: Vec::new(),
            locals: Vec::new(),
            states: Vec::new(),
            textures: Vec::new(),
            buffers: Vec::new(),
            images: Vec::new(),
            values: Vec::new(),
            steps: Vec::new(),
            args: Vec::new(),
            body: Region::default(),
            symbols: super::symbols::Symbols::default(),
        }
    }

    /// A shader with the tables of this one, but no steps, values, arguments and body.
    pub fn tables(&self) -> Self {
        Self {
            registers: self.registers.clone(),
            setup: self.setup,
            serial: self.serial,
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            params: self.params.clone(),
            locals: self.locals.clone(),
            states: self.states.clone(),
            textures: self.textures.clone(),
            buffers: self.buffers.clone(),
            images: self.images.clone(),
            isa: self.isa.clone(),
            files: self.files.clone(),
            symbols: self.symbols.clone(),
            ..Self::new(self.stage, "", &[])
        }
    }

    /// The arguments of a list.
    pub fn args(&self, args: Args) -> &[Arg] {
        let start = args.start as usize;
        self.args.get(start..start.saturating_add(args.len as usize)).unwrap_or(&[])
    }

    /// What is known of a value.
    pub fn value(&self, value: Value) -> ValueInfo {
        self.values[value.index()]
    }

    /// The type of the lanes an argument picks.
    pub fn arg_type(&self, arg: Arg) -> Type {
        Type::new(self.value(arg.value).ty.scalar, arg.lanes)
    }

    /// The state value of that name.
    pub fn state(&self, name: &str) -> Option<StateId> {
        self.states.iter().position(|s| s.name == name).map(|i| StateId(i as u32))
    }

    /// The name of a home, for example `ft0`.
    pub fn home_name(&self, home: Home) -> String {
        let file = self.files.get(home.file as usize).map_or("r", |file| file);
        if home.index == Home::ONLY {
            return file.into();
        }
        register_name(file, home.index.into())
    }

    /// The elements of constants that its instructions can read.
    pub fn constants_read(&self) -> ConstantsRead {
        let mut read = BTreeSet::new();
        self.body.for_each_inst(&mut |inst| match inst.op {
            Op::Param { array, index } => {
                read.insert((array.index(), Some(index)));
            }
            Op::ParamAt { array, .. } => {
                read.insert((array.index(), None));
            }
            _ => {}
        });
        ConstantsRead(read)
    }

    /// The name of an element of an array of constants as its instruction set spells registers: `vc12`, `CONST[12]`.
    pub fn param_name(&self, array: super::ParamId, element: u32) -> String {
        let name = self.params.get(array.index()).map_or("c", |array| &array.name);
        if self.has_brackets() { alloc::format!("{name}[{element}]") } else { numbered(name, element) }
    }

    /// The array and the element that have that [name](Self::param_name).
    pub fn param_named(&self, name: &str) -> Option<(super::ParamId, u32)> {
        let brackets = self.has_brackets();
        self.params.iter().enumerate().find_map(|(n, array)| {
            let number = match name.strip_prefix(array.name.as_str())? {
                rest if brackets => register_number(rest, "[]")?,
                rest => register_number(rest, "")?,
            };
            (number < array.size).then_some((super::ParamId(n as u32), number))
        })
    }

    /// Whether numbers of constants stand in brackets.
    fn has_brackets(&self) -> bool {
        self.registers.iter().any(|file| file.role == FileRole::Param && file.name.ends_with(']'))
    }
}

/// Elements of constants that a shader can read: all of an array that it reads by a computed index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantsRead(BTreeSet<(usize, Option<u32>)>);

impl ConstantsRead {
    /// Whether an element of the array of that number in the table is one.
    pub fn contains(&self, array: usize, element: u32) -> bool {
        self.0.contains(&(array, Some(element))) || self.0.contains(&(array, None))
    }
}

/// Appends a decimal number.
pub fn push_u32(out: &mut String, mut n: u32) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    for digit in &digits[at..] {
        out.push(char::from(*digit));
    }
}

/// The name of a register: its number stands behind the name of its file, or in its brackets.
pub fn register_name(file: &str, number: u32) -> String {
    match file.strip_suffix(']') {
        Some(open) => {
            let mut out = numbered(open, number);
            out.push(']');
            out
        }
        None => numbered(file, number),
    }
}

/// The number of a register of a file: `vc12` is 12 of `vc`, `CONST[12]` is 12 of `CONST[]`. Leading zeros are refused, so a
/// register has one name.
pub fn register_number(name: &str, file: &str) -> Option<u32> {
    let digits = match file.strip_suffix(']') {
        Some(open) => name.strip_prefix(open)?.strip_suffix(']')?,
        None => name.strip_prefix(file)?,
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// A name with a number behind it.
pub fn numbered(name: &str, number: u32) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    out.push_str(name);
    push_u32(&mut out, number);
    out
}
