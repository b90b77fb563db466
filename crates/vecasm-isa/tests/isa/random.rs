//! Numbers that look random and are the same in every run.

/// xorshift; the seed is the only state, and not 0.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// The upper half of the next number, which has the better bits.
    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }
}
