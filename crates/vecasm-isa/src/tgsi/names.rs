//! The words of the language besides instructions, and their numbers: register files, semantics, texture targets,
//! properties and so on. Formats are in [`formats`](super::formats).
//!
//! Sources: Mesa 22.3.6 (text and numbers), Mesa 10.1.6 (removed files), virglrenderer 1.3.0 (its numbers).

use super::dialect::Numbering;
use vecasm_ir::ir::{Dim, Scalar};

/// The number of a word that a numbering does not have.
const NO: u8 = 255;

/// Words with a number in each numbering: `Variant "WORD" legacy mesa virgl;`. `-` stands for a word that no text has.
macro_rules! coded {
    (@word -) => { "" };
    (@word $word:literal) => { $word };
    ($($(#[$head:meta])+ $Name:ident { $($(#[$doc:meta])+ $V:ident $word:tt $legacy:tt $mesa:tt $virgl:tt;)* })*) => { $(
        $(#[$head])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Name {
            $($(#[$doc])+ $V,)*
            /// A number that the numbering of the program has no word for.
            Unknown(u8),
        }

        impl $Name {
            /// Every one that has a word or a number, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word in texts; `None` of what has only a number.
            pub const fn name(self) -> Option<&'static str> {
                let word = match self { $(Self::$V => coded!(@word $word),)* Self::Unknown(_) => "" };
                if word.is_empty() { None } else { Some(word) }
            }

            /// Its number; `None` if the numbering has none.
            pub const fn code(self, numbering: Numbering) -> Option<u8> {
                let codes = match self {
                    $(Self::$V => [$legacy, $mesa, $virgl],)*
                    Self::Unknown(code) => return Some(code),
                };
                match codes[numbering as usize] { NO => None, code => Some(code) }
            }

            /// The one with that number.
            pub fn from_code(numbering: Numbering, code: u8) -> Self {
                const CODES: &[[u8; 3]] = &[$([$legacy, $mesa, $virgl]),*];
                let found = CODES.iter().position(|codes| code != NO && codes[numbering as usize] == code);
                found.and_then(|n| Self::ALL.get(n).copied()).unwrap_or(Self::Unknown(code))
            }
        }

        vecasm_ir::spelled!($Name, partly);
    )* };
}

/// Words that stand where a register file should in the compute tests among the sources of Mesa 22.3.6.
const COMPUTE_TESTS: [&str; 4] = ["RGLOBAL", "RLOCAL", "RPRIVATE", "RINPUT"];

/// What is known of the words of [`is_of_compute_tests`].
pub(super) const OF_COMPUTE_TESTS: &str = "compute tests in the sources of Mesa have it, but no reader of Mesa 10.1, Mesa 22.3 or virglrenderer 1.3";

/// Whether a word, in whatever case, is no register file of any dialect, but stands in tests of Mesa as if it were one.
pub(super) fn is_of_compute_tests(word: &str) -> bool {
    COMPUTE_TESTS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

coded! {
    /// A register file.
    File {
        /// Nothing: what is written is dropped.
        Null "NULL" 0 0 0;
        /// Constants.
        Const "CONST" 1 1 1;
        /// Inputs.
        In "IN" 2 2 2;
        /// Outputs.
        Out "OUT" 3 3 3;
        /// Temporaries.
        Temp "TEMP" 4 4 4;
        /// Samplers.
        Samp "SAMP" 5 5 5;
        /// Address registers.
        Addr "ADDR" 6 6 6;
        /// Immediates.
        Imm "IMM" 7 7 7;
        /// System values.
        Sv "SV" 9 8 9;
        /// Images.
        Image "IMAGE" NO 9 10;
        /// Sampler views.
        Sview "SVIEW" 11 10 11;
        /// Buffers.
        Buffer "BUFFER" NO 11 12;
        /// Memory of a work group.
        Memory "MEMORY" NO 12 13;
        /// Buffers of constants, by byte offset.
        ConstBuf "CONSTBUF" NO 13 NO;
        /// Hardware counters.
        HwAtomic "HWATOMIC" NO 14 14;
        /// Predicates, removed.
        Pred "PRED" 8 NO 8;
        /// Resources, removed.
        Res "RES" 10 NO NO;
        /// Arrays of immediates, of Mesa 7; no numbering is known.
        ImmX "IMMX" NO NO NO;
        /// Arrays of temporaries, of Mesa 7; no numbering is known.
        TempX "TEMPX" NO NO NO;
    }

    /// What an input, output or system value is.
    Semantic {
        /// A position.
        Position "POSITION" 0 0 0;
        /// A colour.
        Color "COLOR" 1 1 1;
        /// A colour of back faces.
        Bcolor "BCOLOR" 2 2 2;
        /// A fog coordinate.
        Fog "FOG" 3 3 3;
        /// A point size.
        Psize "PSIZE" 4 4 4;
        /// A varying with a number.
        Generic "GENERIC" 5 5 5;
        /// A normal.
        Normal "NORMAL" 6 6 6;
        /// Whether the face is a front one: positive if so.
        Face "FACE" 7 7 7;
        /// Whether the edge is drawn.
        Edgeflag "EDGEFLAG" 8 8 8;
        /// The number of the primitive.
        PrimId "PRIM_ID" 9 9 9;
        /// The number of the instance.
        Instanceid "INSTANCEID" 10 10 10;
        /// The number of the vertex, the first vertex included.
        Vertexid "VERTEXID" 11 11 11;
        /// A stencil reference value.
        Stencil "STENCIL" 12 12 12;
        /// Clip or cull distances.
        Clipdist "CLIPDIST" 13 13 13;
        /// A position for user clip planes.
        Clipvertex "CLIPVERTEX" 14 14 14;
        /// Number of work groups.
        GridSize "GRID_SIZE" 15 15 15;
        /// Number of the work group.
        BlockId "BLOCK_ID" 16 16 16;
        /// Size of a work group.
        BlockSize "BLOCK_SIZE" 17 17 17;
        /// Number of the invocation in its work group.
        ThreadId "THREAD_ID" 18 18 18;
        /// A texture coordinate that points may replace.
        Texcoord "TEXCOORD" 19 19 19;
        /// The place in a point.
        Pcoord "PCOORD" 20 20 20;
        /// Number of a viewport.
        ViewportIndex "VIEWPORT_INDEX" 21 21 21;
        /// Number of a layer.
        Layer "LAYER" 22 22 22;
        /// Number of the sample.
        Sampleid "SAMPLEID" 23 23 24;
        /// Place of the sample in the pixel.
        Samplepos "SAMPLEPOS" 24 24 25;
        /// A mask of samples.
        Samplemask "SAMPLEMASK" 25 25 26;
        /// Number of the invocation.
        Invocationid "INVOCATIONID" 26 26 27;
        /// The number of the vertex without the first vertex.
        VertexidNobase "VERTEXID_NOBASE" 27 27 28;
        /// The first vertex.
        Basevertex "BASEVERTEX" 28 28 29;
        /// A varying of a patch.
        Patch "PATCH" 29 29 30;
        /// Place in a tessellated patch.
        Tesscoord "TESSCOORD" 30 30 31;
        /// Outer tessellation levels.
        Tessouter "TESSOUTER" 31 31 32;
        /// Inner tessellation levels.
        Tessinner "TESSINNER" 32 32 33;
        /// Number of vertices of the patch.
        Verticesin "VERTICESIN" 33 33 34;
        /// Whether the invocation is a helper.
        HelperInvocation "HELPER_INVOCATION" 34 34 35;
        /// The first instance.
        Baseinstance "BASEINSTANCE" 35 35 36;
        /// Number of the draw.
        Drawid "DRAWID" 36 36 37;
        /// Number of dimensions of the grid.
        WorkDim "WORK_DIM" 37 37 38;
        /// Number of invocations of a subgroup.
        SubgroupSize "SUBGROUP_SIZE" 38 38 39;
        /// Number of the invocation in its subgroup.
        SubgroupInvocation "SUBGROUP_INVOCATION" 39 39 40;
        /// A mask of the invocation itself.
        SubgroupEqMask "SUBGROUP_EQ_MASK" 40 40 41;
        /// A mask of the invocation and those behind it.
        SubgroupGeMask "SUBGROUP_GE_MASK" 41 41 42;
        /// A mask of the invocations behind it.
        SubgroupGtMask "SUBGROUP_GT_MASK" 42 42 43;
        /// A mask of the invocation and those in front of it.
        SubgroupLeMask "SUBGROUP_LE_MASK" 43 43 44;
        /// A mask of the invocations in front of it.
        SubgroupLtMask "SUBGROUP_LT_MASK" 44 44 45;
        /// Words of the user for compute shaders.
        CsUserDataAmd "CS_USER_DATA_AMD" 45 45 46;
        /// A mask of viewports.
        ViewportMask "VIEWPORT_MASK" 46 46 47;
        /// Cull distances, in virglrenderer only.
        CullDist "CULLDIST" NO NO 23;
        /// The outer levels that are used without a control shader; no text has a word for it.
        TessDefaultOuter - NO 47 NO;
        /// The inner levels that are used without a control shader; no text has a word for it.
        TessDefaultInner - NO 48 NO;
    }

    /// What a texture is: its shape, and whether it is compared.
    Target {
        /// A line of texels.
        Buffer "BUFFER" 0 0 0;
        /// Width.
        D1 "1D" 1 1 1;
        /// Width × height.
        D2 "2D" 2 2 2;
        /// Width × height × depth.
        D3 "3D" 3 3 3;
        /// Six faces.
        Cube "CUBE" 4 4 4;
        /// Width × height in texels.
        Rect "RECT" 5 5 5;
        /// Width, compared.
        Shadow1 "SHADOW1D" 6 6 6;
        /// Width × height, compared.
        Shadow2 "SHADOW2D" 7 7 7;
        /// Width × height in texels, compared.
        ShadowRect "SHADOWRECT" 8 8 8;
        /// Layers of width.
        D1Array "1D_ARRAY" 9 9 9;
        /// Layers of width × height.
        D2Array "2D_ARRAY" 10 10 10;
        /// Layers of width, compared.
        Shadow1Array "SHADOW1D_ARRAY" 11 11 11;
        /// Layers of width × height, compared.
        Shadow2Array "SHADOW2D_ARRAY" 12 12 12;
        /// Six faces, compared.
        ShadowCube "SHADOWCUBE" 13 13 13;
        /// Width × height × samples.
        D2Ms "2D_MSAA" 14 14 14;
        /// Layers of width × height × samples.
        D2MsArray "2D_ARRAY_MSAA" 15 15 15;
        /// Layers of six faces.
        CubeArray "CUBEARRAY" 16 16 16;
        /// Layers of six faces, compared.
        ShadowCubeArray "SHADOWCUBEARRAY" 17 17 17;
        /// Not said here.
        Unsaid "UNKNOWN" 18 18 18;
    }

    /// What a texel of a sampler view is.
    ReturnType {
        /// Numbers of 0 to 1.
        Unorm "UNORM" 0 0 0;
        /// Numbers of -1 to 1.
        Snorm "SNORM" 1 1 1;
        /// Signed integers.
        Sint "SINT" 2 2 2;
        /// Unsigned integers.
        Uint "UINT" 3 3 3;
        /// Floats.
        Float "FLOAT" 4 4 4;
    }

    /// How a fragment input is interpolated.
    Interpolation {
        /// Not: the value of the provoking vertex.
        Constant "CONSTANT" 0 0 0;
        /// Along the window.
        Linear "LINEAR" 1 1 1;
        /// Along the surface.
        Perspective "PERSPECTIVE" 2 2 2;
        /// As the state for flat shading says.
        Color "COLOR" 3 3 3;
    }

    /// Where a fragment input is interpolated.
    Location {
        /// At the centre of the pixel.
        Center "CENTER" 0 0 0;
        /// At the centroid of what is covered.
        Centroid "CENTROID" 1 1 1;
        /// At each sample.
        Sample "SAMPLE" 2 2 2;
    }

    /// What an immediate holds.
    ImmediateType {
        /// 32-bit floats.
        Flt32 "FLT32" 0 0 0;
        /// Unsigned integers.
        Uint32 "UINT32" 1 1 1;
        /// Signed integers.
        Int32 "INT32" 2 2 2;
        /// Doubles, two components each.
        Flt64 "FLT64" 3 3 3;
        /// Unsigned 64-bit integers, two components each.
        Uint64 "UINT64" 4 4 4;
        /// Signed 64-bit integers, two components each.
        Int64 "INT64" 5 5 5;
    }

    /// What a declared memory is.
    MemoryType {
        /// Everybody sees it.
        Global "GLOBAL" 0 0 0;
        /// The work group sees it.
        Shared "SHARED" 1 1 1;
        /// The invocation sees it.
        Private "PRIVATE" 2 2 2;
        /// Arguments of a kernel.
        Input "INPUT" 3 3 3;
    }

    /// A kind of primitive.
    Primitive {
        /// Points.
        Points "POINTS" 0 0 0;
        /// Lines.
        Lines "LINES" 1 1 1;
        /// Line loop.
        LineLoop "LINE_LOOP" 2 2 2;
        /// Line strip.
        LineStrip "LINE_STRIP" 3 3 3;
        /// Triangles.
        Triangles "TRIANGLES" 4 4 4;
        /// Triangle strip.
        TriangleStrip "TRIANGLE_STRIP" 5 5 5;
        /// Triangle fan.
        TriangleFan "TRIANGLE_FAN" 6 6 6;
        /// Quads.
        Quads "QUADS" 7 7 7;
        /// Quad strip.
        QuadStrip "QUAD_STRIP" 8 8 8;
        /// Polygon.
        Polygon "POLYGON" 9 9 9;
        /// Lines adjacency.
        LinesAdjacency "LINES_ADJACENCY" 10 10 10;
        /// Line strip adjacency.
        LineStripAdjacency "LINE_STRIP_ADJACENCY" 11 11 11;
        /// Triangles adjacency.
        TrianglesAdjacency "TRIANGLES_ADJACENCY" 12 12 12;
        /// Triangle strip adjacency.
        TriangleStripAdjacency "TRIANGLE_STRIP_ADJACENCY" 13 13 13;
        /// Patches.
        Patches "PATCHES" 14 14 14;
    }

    /// A property of the program.
    PropertyName {
        /// What kind of primitives a geometry shader takes.
        GsInputPrimitive "GS_INPUT_PRIMITIVE" 0 0 0;
        /// What kind of primitives a geometry shader gives.
        GsOutputPrimitive "GS_OUTPUT_PRIMITIVE" 1 1 1;
        /// Most vertices of a primitive that a geometry shader gives.
        GsMaxOutputVertices "GS_MAX_OUTPUT_VERTICES" 2 2 2;
        /// Where the origin of fragment positions is.
        FsCoordOrigin "FS_COORD_ORIGIN" 3 3 3;
        /// Where in a pixel its position is.
        FsCoordPixelCenter "FS_COORD_PIXEL_CENTER" 4 4 4;
        /// Whether colour 0 goes to every colour buffer.
        FsColor0WritesAllCbufs "FS_COLOR0_WRITES_ALL_CBUFS" 5 5 5;
        /// How the depth may change: 0 not said, 1 any, 2 greater, 3 less, 4 unchanged.
        FsDepthLayout "FS_DEPTH_LAYOUT" 6 6 6;
        /// Whether user clip planes are ignored.
        VsProhibitUcps "VS_PROHIBIT_UCPS" 7 7 7;
        /// Number of runs of a geometry shader a primitive.
        GsInvocations "GS_INVOCATIONS" 8 8 8;
        /// Whether positions are in window space.
        VsWindowSpacePosition "VS_WINDOW_SPACE_POSITION" 9 9 9;
        /// Number of vertices of a patch that a control shader gives.
        TcsVerticesOut "TCS_VERTICES_OUT" 10 10 10;
        /// The domain: the number of a primitive; 4 triangles, 7 quads, 1 isolines.
        TesPrimMode "TES_PRIM_MODE" 11 11 11;
        /// How edges are divided: 0 fractional odd, 1 fractional even, 2 equal.
        TesSpacing "TES_SPACING" 12 12 12;
        /// Whether triangles turn clockwise.
        TesVertexOrderCw "TES_VERTEX_ORDER_CW" 13 13 13;
        /// Whether points are made.
        TesPointMode "TES_POINT_MODE" 14 14 14;
        /// Number of clip distances.
        NumClipdistEnabled "NUM_CLIPDIST_ENABLED" 15 15 15;
        /// Number of cull distances.
        NumCulldistEnabled "NUM_CULLDIST_ENABLED" 16 16 16;
        /// Whether depth and stencil are tested before the fragment shader.
        FsEarlyDepthStencil "FS_EARLY_DEPTH_STENCIL" 17 17 17;
        /// Whether the mask of samples is that behind the depth test.
        FsPostDepthCoverage "FS_POST_DEPTH_COVERAGE" 18 18 18;
        /// The stage that comes next.
        NextShader "NEXT_SHADER" 19 19 19;
        /// Width of a work group.
        CsFixedBlockWidth "CS_FIXED_BLOCK_WIDTH" 20 20 20;
        /// Height of a work group.
        CsFixedBlockHeight "CS_FIXED_BLOCK_HEIGHT" 21 21 21;
        /// Depth of a work group.
        CsFixedBlockDepth "CS_FIXED_BLOCK_DEPTH" 22 22 22;
        /// Whether 0 · x is 0, whatever x is; older texts write MUL_ZERO_WINS.
        LegacyMathRules "LEGACY_MATH_RULES" 23 23 23;
        /// Words of scalar registers for blits.
        VsBlitSgprsAmd "VS_BLIT_SGPRS_AMD" 24 24 24;
        /// Number of user words of compute shaders.
        CsUserDataComponentsAmd "CS_USER_DATA_COMPONENTS_AMD" 25 25 25;
        /// Whether layer and viewport count from those of the primitive.
        LayerViewportRelative "LAYER_VIEWPORT_RELATIVE" 26 26 26;
        /// Which advanced blending is done.
        FsBlendEquationAdvanced "FS_BLEND_EQUATION_ADVANCED" 27 27 27;
        /// Whether the program is linked on its own.
        SeparableProgram "SEPARABLE_PROGRAM" 28 28 28;
    }
}

impl ReturnType {
    /// The number of what is not said: that of every instruction that Mesa 22.3.6 reads from text.
    pub const UNSAID: Self = Self::Unknown(5);
}

impl PropertyName {
    /// Another word for [`LegacyMathRules`](Self::LegacyMathRules): that of Mesa before 21, and of virglrenderer.
    pub const MUL_ZERO_WINS: &'static str = "MUL_ZERO_WINS";
}

/// What accesses to memory promise, a bit each: the lowest first. virglrenderer has the first three.
pub const MEMORY_QUALIFIERS: [&str; 4] = ["COHERENT", "RESTRICT", "VOLATILE", "STREAM_CACHE_POLICY"];

impl Target {
    /// The one without a comparison.
    #[must_use]
    pub const fn shape(self) -> Self {
        match self {
            Self::Shadow1 => Self::D1,
            Self::Shadow2 => Self::D2,
            Self::ShadowRect => Self::Rect,
            Self::Shadow1Array => Self::D1Array,
            Self::Shadow2Array => Self::D2Array,
            Self::ShadowCube => Self::Cube,
            Self::ShadowCubeArray => Self::CubeArray,
            other => other,
        }
    }

    /// Whether texels are compared with a reference value.
    pub fn is_shadow(self) -> bool {
        self.shape() != self
    }

    /// Its shape; `None` of what has none: `UNKNOWN`, and numbers without a word.
    pub const fn dim(self) -> Option<Dim> {
        Some(match self.shape() {
            Self::Buffer => Dim::Buffer,
            Self::D1 => Dim::D1,
            Self::D2 => Dim::D2,
            Self::D3 => Dim::D3,
            Self::Cube => Dim::Cube,
            Self::Rect => Dim::Rect,
            Self::D1Array => Dim::D1Array,
            Self::D2Array => Dim::D2Array,
            Self::D2Ms => Dim::D2Ms,
            Self::D2MsArray => Dim::D2MsArray,
            Self::CubeArray => Dim::CubeArray,
            _ => return None,
        })
    }
}

impl ReturnType {
    /// The type of a component of a texel.
    pub const fn scalar(self) -> Scalar {
        match self {
            Self::Sint => Scalar::I32,
            Self::Uint => Scalar::U32,
            Self::Unorm | Self::Snorm | Self::Float | Self::Unknown(_) => Scalar::F32,
        }
    }
}
