//! What lifting leaves open.

use crate::ir::Format;
use crate::isa::Depth;
pub use crate::isa::switch::{Switch, SwitchError};

crate::ir::words! {
    /// What `tgsi_exec` of Mesa 22.3.6 does otherwise than the language means it.
    Fault {
        /// LG2 and LOG give the natural logarithm times 1/ln 2, and LOG.x is the floor of that, which was rounded.
        Logarithm "logarithm",
        /// DABS leaves -0 as it is, and changes the sign of NaN.
        DoubleMagnitude "double-magnitude",
        /// Floats out of the range of an integer become what x86-64 makes of them.
        Conversion "conversion",
        /// Modifiers of 64-bit sources do not count.
        WideModifier "wide-modifier",
        /// A modifier of the source of I2D and U2D is that of a float.
        WidenedModifier "widened-modifier",
        /// The first pair of a 64-bit result is stored before the second one is computed, and half a pair counts as all of
        /// it or nothing.
        PairOrder "pair-order",
        /// A signalling NaN saturates to 1.
        SaturatedNan "saturated-nan",
        /// The swizzle and the modifiers of what is interpolated anew do not count.
        InterpolatedSwizzle "interpolated-swizzle",
        /// A computed offset of INTERP_OFFSET is for component n that of invocation n.
        InterpolationOffset "interpolation-offset",
        /// The level of TXF and TXQ is that of the first invocation of the four.
        FirstLevel "first-level",
        /// A computed texel offset is the low eight bits of that of the first invocation.
        FirstOffset "first-offset",
        /// The size of a buffer says that it has no level.
        BufferLevels "buffer-levels",
        /// The reference value of an array of cubes stands where a bias or a level does.
        CubeArrayReference "cube-array-reference",
        /// Of the four offsets of a gathering the first one counts for all.
        OneOffset "one-offset",
        /// A computed number of a sampler is that of the first invocation.
        FirstSampler "first-sampler",
        /// A computed index of a destination is that of the first invocation of the four.
        FirstDestination "first-destination",
        /// LEGACY_MATH_RULES and MUL_ZERO_WINS do not count.
        IeeeMath "ieee-math",
        /// Instructions that it does not know are left out.
        Skipped "skipped",
        /// An address that is no multiple of four means the bytes from there on, not the word that it lies in.
        ByteOffsets "byte-offsets",
        /// The swizzle of a resource that is loaded from does not count.
        LoadedSwizzle "loaded-swizzle",
        /// An atomic operation writes all components, whatever its mask.
        AtomicMask "atomic-mask",
        /// Of memories that are no buffers there is one.
        OneMemory "one-memory",
        /// A computed number of a buffer or an image is that of the first invocation.
        FirstResource "first-resource",
        /// The primitives of all streams are one sequence: each has the vertices that follow its first one, and components that
        /// are declared for another stream are in its vertices, too.
        OneSequence "one-sequence",
        /// GS_MAX_OUTPUT_VERTICES limits each primitive, not the invocation.
        PrimitiveLimit "primitive-limit",
        /// Four invocations beside one another run through a compute program, then the next four, not all of a workgroup in lock step.
        InTurn "in-turn",
        /// Flow control is that of its masks: BRK in a SWITCH, DEFAULT in front of a CASE.
        Masks "masks",
    }
}

/// Whose behaviour is meant where Mesa's interpreter differs from the language.
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

    /// The one that a word names.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "tgsi_exec" => Some(Self::TgsiExec),
            _ => Fault::named(word).map(Self::Only),
        }
    }
}

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

crate::isa::switch::switches! {
    /// Whether a factor of zero makes a product zero, also with an infinity or NaN. Programs say so by a property; drivers for Direct3D 9 did it always.
    zero_wins: ZeroWins = "zero-wins" {
        /// as the program says: LEGACY_MATH_RULES, in older texts MUL_ZERO_WINS
        Program = "program",
        /// in every program
        Always = "always",
        /// in none
        Never = "never"; default Program
    }
    /// What a float out of range is as an integer (F2I, F2U, ARL, ARR, and those of doubles). The manual leaves it open; tgsi_exec gives what x86 does.
    conversion: Conversion = "conversion" {
        /// the nearest integer, and 0 for NaN, as Direct3D 10 has it
        Saturate = "saturate",
        /// 80000000, and of unsigned ones what compilers make of it on x86
        X86 = "x86"; default Saturate
    }
    /// The format of images whose declaration has none, and that are only written, as OpenGL has them. What is bound decides it.
    image_format: ImageFormat = "image-format" {
        /// four bytes of which 255 is 1
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
    /// How many render targets colour 0 goes to where the program says that it goes to all (FS_COLOR0_WRITES_ALL_CBUFS).
    color_targets: u8 = "color-targets" 1..=8, default 1, "the number of render targets"
    /// How much memory a workgroup shares. The program does not say it, whoever starts it does; OpenGL grants 32768 bytes at least.
    shared_memory: u32 = "shared-memory" 0..=65536, default 32768, "a number of bytes"
}

impl ImageFormat {
    /// The format.
    pub fn format(self) -> Format {
        Format::named(self.name()).unwrap_or(Format::Rgba32Float)
    }
}
