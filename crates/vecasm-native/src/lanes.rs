//! The loops of the library's `lanes` engine, compiled for AVX2 and for AVX-512.
//!
//! Compilers before Rust 1.89 do not name the features of AVX-512: what they compile has no [`Avx512`].

use crate::Isa;
use vecasm_exec::lanes::{Kernels, Work};

/// [`Lanes`](vecasm_exec::lanes::Lanes) in AVX2 code. There is one only where the processor has what [`Isa::Avx2`] needs.
///
/// ```
/// use vecasm_exec::lanes::Lanes;
/// use vecasm_native::Avx2;
///
/// let engine = Avx2::new().map(Lanes::new);
/// # let _ = engine;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// If the processor has AVX2.
    pub fn new() -> Option<Self> {
        Isa::Avx2.is_there().then_some(Self(()))
    }
}

impl Kernels for Avx2 {
    fn name(self) -> &'static str {
        "lanes-avx2"
    }

    #[inline(never)]
    fn run(self, work: Work<'_>) {
        work.run(self);
    }

    fn part<const PART: u8>(self, work: Work<'_>) {
        // SAFETY: there is a value of this type only where the processor has AVX2.
        unsafe { avx2::<PART>(work) }
    }
}

/// # Safety
///
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn avx2<const PART: u8>(work: Work<'_>) {
    work.part::<PART>();
}

/// [`Lanes`](vecasm_exec::lanes::Lanes) in AVX-512 code. There is one only where the processor has what [`Isa::Avx512`] needs,
/// and the compiler was Rust 1.89 or a later one.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// If the processor has AVX-512, and this was compiled for it.
    pub fn new() -> Option<Self> {
        (cfg!(names_avx512) && Isa::Avx512.is_there()).then_some(Self(()))
    }
}

impl Kernels for Avx512 {
    fn name(self) -> &'static str {
        "lanes-avx512"
    }

    #[inline(never)]
    fn run(self, work: Work<'_>) {
        work.run(self);
    }

    fn part<const PART: u8>(self, work: Work<'_>) {
        // SAFETY: there is a value of this type only where the processor has AVX-512.
        #[cfg(names_avx512)]
        unsafe {
            avx512::<PART>(work);
        }
        #[cfg(not(names_avx512))]
        work.part::<PART>();
    }
}

/// # Safety
///
/// The processor has AVX2, and AVX-512 F, BW, DQ and VL.
#[cfg(names_avx512)]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn avx512<const PART: u8>(work: Work<'_>) {
    work.part::<PART>();
}
