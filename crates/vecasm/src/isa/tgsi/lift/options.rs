//! What lifting leaves open.

use crate::ir::Format;
use crate::isa::Depth;
pub use crate::isa::switch::{Switch, SwitchError};

/// Whose behaviour is meant where Mesa's interpreter differs from the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Compat {
    /// The language's.
    #[default]
    None,
    /// That of `tgsi_exec` of Mesa 22.3.6, with its faults.
    TgsiExec,
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
