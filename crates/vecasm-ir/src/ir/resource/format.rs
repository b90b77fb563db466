//! Texel formats: how a texel is held in memory.

use super::super::Scalar;

/// How the number in a channel is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// 0..=2^n−1 stands for 0..=1.
    Unorm,
    /// Two's complement; −(2^(n−1)−1)..=2^(n−1)−1 stands for −1..=1, and the value below it for −1 too.
    Snorm,
    /// An unsigned integer.
    Uint,
    /// A two's complement integer.
    Sint,
    /// IEEE binary32 or binary16; 11 and 10 bits have no sign, five bits of exponent as binary16, and the rest.
    Float,
}

macro_rules! formats {
    ($($V:ident $word:literal $channel:ident $bits:tt $order:tt;)*) => {
        crate::words! {
            /// How a texel is held in memory.
            ///
            /// Channels lie from the least significant bit up in the order of the name, in little-endian words: in
            /// bytes, `rgba8-unorm` is red, green, blue, alpha. These are the `DXGI_FORMAT`s and `PIPE_FORMAT`s of
            /// the same names. A channel that a format lacks reads 0, alpha 1.
            Format "format" { $(#[doc = concat!("`", $word, "`")] $V $word,)* }
        }

        impl Format {
            /// What its channels hold.
            pub const fn channel(self) -> Channel { match self { $(Self::$V => Channel::$channel,)* } }

            /// Bits of each channel, from the least significant one of the texel up.
            pub const fn bits(self) -> &'static [u8] { match self { $(Self::$V => &$bits,)* } }

            /// Which lane (0 red … 3 alpha) each channel is.
            pub const fn order(self) -> &'static [u8] { match self { $(Self::$V => &$order,)* } }
        }
    };
}

formats! {
    // name, what channels hold, their bits, their lanes
    R8Unorm "r8-unorm" Unorm [8] [0];
    Rg8Unorm "rg8-unorm" Unorm [8, 8] [0, 1];
    Rgba8Unorm "rgba8-unorm" Unorm [8, 8, 8, 8] [0, 1, 2, 3];
    Bgra8Unorm "bgra8-unorm" Unorm [8, 8, 8, 8] [2, 1, 0, 3];
    R8Snorm "r8-snorm" Snorm [8] [0];
    Rg8Snorm "rg8-snorm" Snorm [8, 8] [0, 1];
    Rgba8Snorm "rgba8-snorm" Snorm [8, 8, 8, 8] [0, 1, 2, 3];
    R8Uint "r8-uint" Uint [8] [0];
    Rg8Uint "rg8-uint" Uint [8, 8] [0, 1];
    Rgba8Uint "rgba8-uint" Uint [8, 8, 8, 8] [0, 1, 2, 3];
    R8Sint "r8-sint" Sint [8] [0];
    Rg8Sint "rg8-sint" Sint [8, 8] [0, 1];
    Rgba8Sint "rgba8-sint" Sint [8, 8, 8, 8] [0, 1, 2, 3];
    R16Unorm "r16-unorm" Unorm [16] [0];
    Rg16Unorm "rg16-unorm" Unorm [16, 16] [0, 1];
    Rgba16Unorm "rgba16-unorm" Unorm [16, 16, 16, 16] [0, 1, 2, 3];
    R16Snorm "r16-snorm" Snorm [16] [0];
    Rg16Snorm "rg16-snorm" Snorm [16, 16] [0, 1];
    Rgba16Snorm "rgba16-snorm" Snorm [16, 16, 16, 16] [0, 1, 2, 3];
    R16Uint "r16-uint" Uint [16] [0];
    Rg16Uint "rg16-uint" Uint [16, 16] [0, 1];
    Rgba16Uint "rgba16-uint" Uint [16, 16, 16, 16] [0, 1, 2, 3];
    R16Sint "r16-sint" Sint [16] [0];
    Rg16Sint "rg16-sint" Sint [16, 16] [0, 1];
    Rgba16Sint "rgba16-sint" Sint [16, 16, 16, 16] [0, 1, 2, 3];
    R16Float "r16-float" Float [16] [0];
    Rg16Float "rg16-float" Float [16, 16] [0, 1];
    Rgba16Float "rgba16-float" Float [16, 16, 16, 16] [0, 1, 2, 3];
    R32Uint "r32-uint" Uint [32] [0];
    Rg32Uint "rg32-uint" Uint [32, 32] [0, 1];
    Rgba32Uint "rgba32-uint" Uint [32, 32, 32, 32] [0, 1, 2, 3];
    R32Sint "r32-sint" Sint [32] [0];
    Rg32Sint "rg32-sint" Sint [32, 32] [0, 1];
    Rgba32Sint "rgba32-sint" Sint [32, 32, 32, 32] [0, 1, 2, 3];
    R32Float "r32-float" Float [32] [0];
    Rg32Float "rg32-float" Float [32, 32] [0, 1];
    Rgba32Float "rgba32-float" Float [32, 32, 32, 32] [0, 1, 2, 3];
    Rgb10A2Unorm "rgb10a2-unorm" Unorm [10, 10, 10, 2] [0, 1, 2, 3];
    Rgb10A2Uint "rgb10a2-uint" Uint [10, 10, 10, 2] [0, 1, 2, 3];
    Rg11B10Float "rg11b10-float" Float [11, 11, 10] [0, 1, 2];
}

impl Format {
    /// Number of lanes it holds, 1–4.
    pub const fn lanes(self) -> u8 {
        self.bits().len() as u8
    }

    /// What its lanes are in a shader: f32, i32 or u32.
    pub const fn scalar(self) -> Scalar {
        match self.channel() {
            Channel::Unorm | Channel::Snorm | Channel::Float => Scalar::F32,
            Channel::Uint => Scalar::U32,
            Channel::Sint => Scalar::I32,
        }
    }

    /// Bytes of a texel: 1, 2, 4, 8 or 16.
    pub const fn bytes(self) -> u8 {
        let (bits, mut sum, mut i) = (self.bits(), 0, 0);
        while i < bits.len() {
            sum += bits[i];
            i += 1;
        }
        sum / 8
    }
}
