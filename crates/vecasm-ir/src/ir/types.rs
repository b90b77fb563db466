//! Types, values and what refers to them.

#[cfg(doc)]
use super::Shader;
use core::num::NonZeroU32;

/// The type of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// IEEE 754 binary32.
    F32,
    /// 32-bit two's complement.
    I32,
    /// 32-bit unsigned.
    U32,
    /// True or false.
    Bool,
    /// IEEE 754 binary64.
    F64,
    /// 64-bit two's complement.
    I64,
    /// 64-bit unsigned.
    U64,
}

impl Scalar {
    /// The spelling: `f32`, `i32`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::Bool => "bool",
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }

    /// Every type of a lane.
    pub const ALL: [Self; 7] = [Self::F32, Self::I32, Self::U32, Self::Bool, Self::F64, Self::I64, Self::U64];

    /// Whether a lane has 64 bits.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::F64 | Self::I64 | Self::U64)
    }
}

crate::spelled!(Scalar, "type of lanes");

/// The type of a value: 1–4 lanes of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Type of each lane.
    pub scalar: Scalar,
    /// Number of lanes, 1–4.
    pub lanes: u8,
}

impl Type {
    /// One f32.
    pub const F32: Self = Self { scalar: Scalar::F32, lanes: 1 };
    /// Four f32.
    pub const F32X4: Self = Self { scalar: Scalar::F32, lanes: 4 };
    /// One i32.
    pub const I32: Self = Self { scalar: Scalar::I32, lanes: 1 };
    /// One u32.
    pub const U32: Self = Self { scalar: Scalar::U32, lanes: 1 };
    /// One bool.
    pub const BOOL: Self = Self { scalar: Scalar::Bool, lanes: 1 };

    /// `lanes` lanes of `scalar`.
    pub const fn new(scalar: Scalar, lanes: u8) -> Self {
        Self { scalar, lanes }
    }
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $Id:ident;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Id(pub u32);

        impl $Id {
            /// The position in its table.
            pub const fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// An input: an index into [`Shader::inputs`].
    InputId;
    /// An output cell: an index into [`Shader::outputs`].
    OutputId;
    /// A parameter array: an index into [`Shader::params`].
    ParamId;
    /// A local array: an index into [`Shader::locals`].
    LocalId;
    /// A state value: an index into [`Shader::states`].
    StateId;
    /// A texture with its sampler: an index into [`Shader::textures`].
    TextureId;
    /// A buffer: an index into [`Shader::buffers`].
    BufferId;
    /// An image: an index into [`Shader::images`].
    ImageId;
    /// The label of a block or loop, unique in the shader.
    Label;
}

/// A value: an index into [`Shader::values`].
// Kept plus one, so that "no value" takes no room: instructions are what a shader's memory is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(NonZeroU32);

impl Value {
    /// The value at `number`; `u32::MAX`, which no shader has, counts as the number before it.
    pub const fn new(number: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(number))
    }

    /// The number: the position in the table.
    pub const fn number(self) -> u32 {
        self.0.get() - 1
    }

    /// The position in the table.
    pub const fn index(self) -> usize {
        self.number() as usize
    }
}

/// Some lanes of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The value.
    pub value: Value,
    /// Lane `i` of the argument is lane `swizzle.get(i)` of the value.
    pub swizzle: crate::operand::Swizzle,
    /// Number of lanes, 1–4.
    pub lanes: u8,
}

impl Arg {
    /// All lanes of `value`, which has `lanes` of them.
    pub const fn all_lanes(value: Value, lanes: u8) -> Self {
        Self { value, swizzle: crate::operand::Swizzle::IDENTITY, lanes }
    }

    /// One lane of `value`.
    pub const fn lane(value: Value, lane: u8) -> Self {
        Self { value, swizzle: crate::operand::Swizzle::splat(lane), lanes: 1 }
    }

    /// The same with one more lane of the value, of at most three.
    const fn with(self, lane: u8) -> Self {
        use crate::operand::Swizzle;
        // The lanes behind are this one too.
        let before = (1u8 << (2 * (self.lanes & 3))) - 1;
        let bits = self.swizzle.bits() & before | Swizzle::splat(lane).bits() & !before;
        Self { value: self.value, swizzle: Swizzle::from_bits(bits), lanes: self.lanes + 1 }
    }

    /// Arguments for up to four lanes, and how many arguments there are: neighbours of one value are one of them.
    pub fn runs(places: impl Iterator<Item = (Value, u8)>) -> ([Self; 4], usize) {
        let mut parts = [Self::all_lanes(Value::new(0), 1); 4];
        let mut n = 0usize;
        for (value, lane) in places.take(4) {
            match n.checked_sub(1).and_then(|last| parts.get_mut(last)) {
                Some(part) if part.value == value => *part = part.with(lane),
                _ => {
                    parts[n] = Self::lane(value, lane);
                    n += 1;
                }
            }
        }
        (parts, n)
    }
}

/// A run of [`Shader::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Args {
    /// The first of them.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// The register a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Home {
    /// Register file: an index into [`Shader::files`].
    pub file: u8,
    /// Register number; [`Home::ONLY`] for the only register of its file, which has none.
    pub index: u16,
}

impl Home {
    /// The number of a register that has none.
    pub const ONLY: u16 = u16::MAX;
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
    /// The register it came from, if it is a hint worth having.
    pub home: Option<Home>,
}
