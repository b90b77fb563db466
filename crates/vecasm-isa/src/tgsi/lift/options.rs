//! What lifting leaves open.

use crate::Depth;
pub use crate::switch::{Switch, SwitchError};
use vecasm_ir::ir::Format;

vecasm_ir::words! {
    /// What `tgsi_exec` of Mesa 22.3.6 does otherwise than the language means it.
    Fault "fault of tgsi_exec" {
        /// LG2 and LOG give the natural logarithm times 1/ln 2, and LOG.x is the floor of that, which was rounded.
        Logarithm "logarithm",
        /// DABS leaves -0 as it is, and changes the sign of NaN.
        DoubleMagnitude "double-magnitude",
        /// Floats out of the range of an integer are converted as x86-64 does it.
        Conversion "conversion",
        /// Modifiers of 64-bit sources are ignored.
        WideModifier "wide-modifier",
        /// A modifier of the source of I2D and U2D is that of a float.
        WidenedModifier "widened-modifier",
        /// The first pair of a 64-bit result is stored before the second is computed, and half a pair is written as the whole pair or not at all.
        PairOrder "pair-order",
        /// A signalling NaN saturates to 1.
        SaturatedNan "saturated-nan",
        /// The swizzle and modifiers of a reinterpolated input are ignored.
        InterpolatedSwizzle "interpolated-swizzle",
        /// A computed offset of INTERP_OFFSET is for component n that of invocation n.
        InterpolationOffset "interpolation-offset",
        /// The level of TXF and TXQ is that of the first invocation of the four.
        FirstLevel "first-level",
        /// A computed texel offset is the low eight bits of that of the first invocation.
        FirstOffset "first-offset",
        /// The size of a buffer reports no levels.
        BufferLevels "buffer-levels",
        /// The reference value of an array of cubes stands where a bias or a level does.
        CubeArrayReference "cube-array-reference",
        /// Of the four offsets of a gathering the first one counts for all.
        OneOffset "one-offset",
        /// A computed number of a sampler is that of the first invocation.
        FirstSampler "first-sampler",
        /// A computed index of a destination is that of the first invocation of the four.
        FirstDestination "first-destination",
        /// LEGACY_MATH_RULES and MUL_ZERO_WINS are ignored.
        IeeeMath "ieee-math",
        /// Instructions that it does not know are skipped.
        Skipped "skipped",
        /// An address that is not a multiple of four means the bytes from there on, not the word that contains it.
        ByteOffsets "byte-offsets",
        /// The swizzle of a resource that is loaded from does not count.
        LoadedSwizzle "loaded-swizzle",
        /// An atomic operation writes all components, whatever its mask.
        AtomicMask "atomic-mask",
        /// Of memories that are no buffers there is one.
        OneMemory "one-memory",
        /// A computed number of a buffer or an image is that of the first invocation.
        FirstResource "first-resource",
        /// The primitives of all streams are one sequence: each has the vertices that follow its first one, and components that are declared for another stream are in its vertices too.
        OneSequence "one-sequence",
        /// GS_MAX_OUTPUT_VERTICES limits each primitive, not the invocation.
        PrimitiveLimit "primitive-limit",
        /// Four adjacent invocations run the whole compute program, then the next four, instead of all of a workgroup in lock step.
        InTurn "in-turn",
        /// Flow control follows its masks: BRK in a SWITCH, DEFAULT before a CASE.
        Masks "masks",
    }
}

/// The behaviour where Mesa's interpreter differs from the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Compat {
    /// The language's.
    #[default]
    None,
    /// That of `tgsi_exec` of Mesa 22.3.6, with its faults.
    TgsiExec,
    /// The language's with one fault: what a difference from `tgsi_exec` comes from.
    Only(Fault),
}

impl Compat {
    /// Every one: the language's, the interpreter's, and each fault alone.
    pub const ALL: &'static [Self] = &{
        let mut all = [Self::None; Fault::ALL.len() + 2];
        all[1] = Self::TgsiExec;
        let mut n = 0;
        while n < Fault::ALL.len() {
            all[n + 2] = Self::Only(Fault::ALL[n]);
            n += 1;
        }
        all
    };

    /// Whether a fault is meant.
    pub fn has(self, fault: Fault) -> bool {
        match self {
            Self::None => false,
            Self::TgsiExec => true,
            Self::Only(one) => one == fault,
        }
    }

    /// The word for it: `none`, `tgsi_exec` or that of the fault.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::TgsiExec => "tgsi_exec",
            Self::Only(fault) => fault.name(),
        }
    }
}

vecasm_ir::spelled!(Compat, "behaviour");

/// What lifting leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// How much is kept.
    pub depth: Depth,
    /// Whose behaviour is meant.
    pub compat: Compat,
    /// The unsettled points.
    pub switches: Switches,
}

crate::switch::switches! {
    /// Whether a factor of zero makes a product zero, also with an infinity or NaN. Programs request it by a property; drivers for Direct3D 9 always did it.
    zero_wins: ZeroWins = "zero-wins" {
        /// as the program requests: LEGACY_MATH_RULES, in older texts MUL_ZERO_WINS
        Program = "program",
        /// in every program
        Always = "always",
        /// in none
        Never = "never"; default Program
    }
    /// The conversion of a float out of range to an integer (F2I, F2U, ARL, ARR, and those of doubles). The manual leaves it open; tgsi_exec does what x86 does.
    conversion: Conversion = "conversion" {
        /// the nearest integer, and 0 for NaN, as Direct3D 10 has it
        Saturate = "saturate",
        /// 80000000, for unsigned integers what x86 compilers produce
        X86 = "x86"; default Saturate
    }
    /// The format of images whose declaration has none, and that are only written, as OpenGL allows. The bound image determines it.
    image_format: ImageFormat = "image-format" {
        /// four bytes, 255 is 1
        Rgba8Unorm = "rgba8-unorm",
        /// the same, from -1 to 1
        Rgba8Snorm = "rgba8-snorm",
        /// four floats of 16 bits
        Rgba16Float = "rgba16-float",
        /// four floats of 32 bits
        Rgba32Float = "rgba32-float",
        /// four unsigned integers of 32 bits
        Rgba32Uint = "rgba32-uint",
        /// four signed integers of 32 bits
        Rgba32Sint = "rgba32-sint",
        /// one float of 32 bits
        R32Float = "r32-float",
        /// one unsigned integer of 32 bits
        R32Uint = "r32-uint",
        /// one signed integer of 32 bits
        R32Sint = "r32-sint"; default Rgba32Float
    }
    numbers
    /// The number of render targets that colour 0 is written to where the program has FS_COLOR0_WRITES_ALL_CBUFS.
    color_targets: u8 = "color-targets" 1..=8, default 1, "the number of render targets"
    /// The size of the memory that a workgroup shares. It is not part of the program, but set by the dispatch; OpenGL allows at least 32768 bytes.
    shared_memory: u32 = "shared-memory" 0..=65536, default 32768, "a number of bytes"
}

impl ImageFormat {
    /// The format.
    pub fn format(self) -> Format {
        Format::named(self.name()).unwrap_or(Format::Rgba32Float)
    }
}
