//! What a translation keeps.

crate::words! {
    /// What a translation keeps of its source, the most first.
    Promise "promise" {
        /// Every output has the same bits, each program by its own arithmetic.
        Exact "exact",
        /// The same operations in the same order: by one arithmetic for both, every output has the same bits.
        Operations "operations",
        /// Every output is the same up to a stated error, for ordinary inputs.
        Close "close",
        /// Every output is as near as the operations of the target come.
        Approximate "approximate",
    }
}

impl Promise {
    /// Whether it keeps less than another one.
    #[must_use]
    pub const fn is_weaker_than(self, other: Self) -> bool {
        self as u8 > other as u8
    }

    /// The one of two that keeps less.
    #[must_use]
    pub const fn weaker(self, other: Self) -> Self {
        if other.is_weaker_than(self) { other } else { self }
    }
}
