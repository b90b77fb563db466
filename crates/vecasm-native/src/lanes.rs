//! The loops of the library's `lanes` engine, compiled for AVX2.
//!
//! There is no AVX-512 version: compilers before Rust 1.89 do not name its features.

use vecasm::exec::lanes::{Kernels, Work};

/// [`Lanes`](vecasm::exec::lanes::Lanes) in AVX2 code. There is one only where the processor has it.
///
/// ```
/// use vecasm::exec::lanes::Lanes;
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
        std::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl Kernels for Avx2 {
    fn name(self) -> &'static str {
        "lanes-avx2"
    }

    fn run(self, work: Work<'_>) {
        // SAFETY: there is a value of this type only where the processor has AVX2.
        unsafe { avx2(work) }
    }
}

/// # Safety
///
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn avx2(work: Work<'_>) {
    work.run();
}
