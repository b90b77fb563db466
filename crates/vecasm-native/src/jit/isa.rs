//! The two instruction sets that code is generated for.

use iced_x86::Register;

/// The vectors of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// 16 registers of 8 lanes; masks are vectors. AVX2 and FMA.
    Avx2,
    /// 32 registers of 16 lanes; masks have registers of their own. AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Isa {
    /// Both, the wider one last.
    pub const ALL: [Self; 2] = [Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    pub fn is_there(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        match self {
            Self::Avx2 => avx2,
            Self::Avx512 => {
                avx2 && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
    }

    /// What a processor has to have for it, in the words of its makers.
    pub const fn needs(self) -> &'static str {
        match self {
            Self::Avx2 => "AVX2 and FMA",
            Self::Avx512 => "AVX-512 F, BW, DQ and VL",
        }
    }

    /// The widest one that this processor has.
    pub fn best() -> Option<Self> {
        Self::ALL.into_iter().rev().find(|isa| isa.is_there())
    }

    /// Lanes of a vector: invocations of a block.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    /// Bytes of a vector.
    pub(super) const fn bytes(self) -> usize {
        self.lanes() * 4
    }

    /// Registers for vectors.
    pub(super) const fn vectors(self) -> usize {
        match self {
            Self::Avx2 => 16,
            Self::Avx512 => 32,
        }
    }

    /// Bytes of an entry of the pool: a whole vector where instructions cannot repeat a word themselves.
    pub(super) const fn entry(self) -> usize {
        match self {
            Self::Avx2 => 32,
            Self::Avx512 => 8,
        }
    }

    /// The invocation of a block that lane `lane` belongs to. Lists of four words an invocation are taken apart inside
    /// each 128 bits only, which gives this order.
    pub(super) const fn invocation(self, lane: usize) -> usize {
        let parts = self.lanes() / 4;
        lane % 4 * parts + lane / 4
    }

    /// A whole vector register.
    pub(super) fn full_register(self, number: u8) -> Register {
        let first = match self {
            Self::Avx2 => Register::YMM0,
            Self::Avx512 => Register::ZMM0,
        };
        first + u32::from(number)
    }

    /// The low half of one.
    pub(super) fn half(self, number: u8) -> Register {
        let first = match self {
            Self::Avx2 => Register::XMM0,
            Self::Avx512 => Register::YMM0,
        };
        first + u32::from(number)
    }
}
