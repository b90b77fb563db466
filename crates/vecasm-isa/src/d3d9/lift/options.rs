//! What lifting leaves open: the arithmetic, what the runtime and the device do where no source settles it.

use super::tail::Pipeline;
use crate::Depth;
pub use crate::switch::{Switch, SwitchError};

/// The arithmetic of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Numerics {
    /// As hardware of the time: a factor of zero gives zero, also with an infinity or NaN. Everything else is IEEE 754.
    #[default]
    D3d9,
    /// IEEE 754 f32.
    Ieee,
}

/// The choices lifting leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Which arithmetic.
    pub numerics: Numerics,
    /// How much is kept.
    pub depth: Depth,
    /// Which parts of the pipeline around the shaders are built into them.
    pub pipeline: Pipeline,
    /// Models before 3.0: colours are not clamped to 0..=1 as they reach a pixel shader, colours and the fog factor not as
    /// they leave a vertex shader. So the shader is what its instructions compute, without what the pipeline does in
    /// front of them and behind; to compare it with one of an instruction set whose pipeline does something else.
    pub unclamped: bool,
    /// The unsettled points.
    pub switches: Switches,
}

crate::switch::switches! {
    /// What rcp and rsq of zero, and log of zero, give. Microsoft's pages say the largest number in their code and infinity in their text; peers differ.
    poles: Poles = "poles" {
        /// an infinity
        Infinite = "inf",
        /// the largest number, with the sign of the infinity
        Finite = "max"; default Infinite
    }
    /// The component that rcp, rsq, exp, log, expp, logp and pow read where the swizzle names several, which only Direct3D 8 takes: Microsoft's pages say x, Wine's tests of Windows show w.
    scalar_component: ScalarComponent = "scalar-component" {
        /// w of the operand
        W = "w",
        /// x of the operand
        X = "x"; default W
    }
    /// Whether lit lights a surface whose x is zero: Microsoft's page says no, two peers do.
    lit_zero: LitZero = "lit-zero" {
        /// it stays dark: x > 0
        Dark = "dark",
        /// it is lit: x >= 0
        Lit = "lit"; default Dark
    }
    /// What min and max give where one operand is NaN. Microsoft's formulas give the second one; peers the number.
    min_max_nan: MinMaxNan = "min-max-nan" {
        /// the operand that is a number
        Number = "number",
        /// the second operand
        Second = "second"; default Number
    }
    /// How exact expp and logp are: Microsoft asks for 10 bits.
    partial_precision: PartialPrecision = "partial-precision" {
        /// as exp and log
        Full = "full",
        /// 10 bits after the leading one, the rest cut off
        TenBits = "10-bit"; default Full
    }
    /// What logp gives before vs_2_0. Microsoft has one formula for all models; drivers of the time had that of NV20's LOG.
    logp_parts: LogpParts = "logp-parts" {
        /// (exponent, mantissa, logarithm, 1)
        Parts = "parts",
        /// the logarithm in every component
        Logarithm = "log"; default Parts
    }
    /// How sincos is computed. Before 3.0 the program gives constants for a series.
    sincos: SinCos = "sincos" {
        /// the functions
        Exact = "exact",
        /// before 3.0 the documented series with the constants of the program
        Series = "series"; default Exact
    }
    /// What registers r# of ps_1_x can hold: the capability PixelShader1xMaxValue, at least 1. Peers do not clamp.
    temporary_range: TemporaryRange = "temporary-range" {
        /// every number
        Unlimited = "unlimited",
        /// -1 to 1
        One = "1",
        /// -8 to 8
        Eight = "8"; default Unlimited
    }
    /// Constants of ps_1_x: Direct3D clamps them to -1..1.
    constants_1x: Constants1x = "constants-1x" {
        /// clamped
        Clamped = "clamped",
        /// as they are
        Free = "free"; default Clamped
    }
    /// What w of texcoord is in ps_1_0 to ps_1_3: documentation 1, wined3d w of the coordinates clamped to 0..1.
    texcoord_w: TexcoordW = "texcoord-w" {
        /// 1
        One = "1",
        /// w clamped to 0..1
        Clamped = "clamped"; default One
    }
    /// Which components texkill looks at from 2.0 on: Microsoft's page says the first three, the driver documentation all.
    texkill: Texkill = "texkill" {
        /// those of its mask
        Mask = "mask",
        /// x, y and z
        Xyz = "xyz"; default Mask
    }
    /// What a constant outside its file reads.
    constant_range: ConstantRange = "constant-range" {
        /// (0, 0, 0, 0)
        Zero = "zero",
        /// the nearest constant
        Clamp = "clamp"; default Zero
    }
    /// Whether constants that the program defines are seen by relative reads.
    relative_definitions: RelativeDefinitions = "relative-definitions" {
        /// they are
        Seen = "seen",
        /// relative reads see what the application set
        Unseen = "unseen"; default Seen
    }
    /// Denormals: hardware flushes them, IEEE 754 keeps them.
    denormals: Denormals = "denormals" {
        /// kept
        Keep = "keep",
        /// flushed to zero
        Flush = "flush"; default Keep
    }
    /// What cnd does in ps_1_1 to ps_1_3 as the second half of a pair and not for alpha. Wine's tests of Windows show that it does not compare; no document says so.
    paired_cnd: PairedCnd = "paired-cnd" {
        /// it always gives its second source
        Second = "second",
        /// it compares
        Compare = "compare"; default Second
    }
    numbers
    /// Floating-point constants of vertex shaders: the capability MaxVertexShaderConst. Software models have 8192.
    vertex_constants: u16 = "vertex-constants" 96..=8192, default 256, "the number of registers"
}
