//! Calls, which lifting inlines: what is open, and how much may still be written.
//!
//! The IR has no calls. A lifter writes the body of a subroutine where it is called, inside a block that returns leave.
//! Subroutines that call one another twice grow as powers of two, so there is a budget for what calls bring; and one that
//! is open already would never end. What no call brings is as long as the source.

use alloc::vec::Vec;
use core::fmt;

/// The most instructions of the source, and the most operations, that all calls of a shader may bring. Of arguments and
/// values, eight count as an operation.
pub const BUDGET: usize = 65_536;
/// The deepest nesting of calls; every one is a region or two of the shader.
pub const MAX_CALLS: usize = 64;

/// Why a call is not inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The subroutine is open already.
    Recursion,
    /// Calls are nested deeper than [`MAX_CALLS`].
    Depth,
    /// The calls bring more than [`BUDGET`] allows.
    Budget,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recursion => f.write_str("the subroutine calls itself"),
            Self::Depth => write!(f, "calls are nested more than {MAX_CALLS} deep"),
            Self::Budget => {
                write!(f, "with all calls inlined the program has more than {BUDGET} instructions")
            }
        }
    }
}

impl core::error::Error for CallError {}

/// The calls that are open while a program is lifted. Subroutines are known by a number of the source: a label, or the
/// place where they begin.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    open: Vec<u32>,
    /// What calls brought, of what [`Builder::size`](super::build::Builder::size) counts, or instructions if these are
    /// more.
    inlined: usize,
    /// The rest of the size when the outermost call was opened.
    outside: usize,
}

impl Calls {
    /// Opens a call. `size` is that of the shader so far: [`Builder::size`](super::build::Builder::size).
    ///
    /// # Errors
    ///
    /// See [`CallError`]. Nothing is open then that was not before.
    pub fn enter(&mut self, subroutine: u32, size: usize) -> Result<(), CallError> {
        if self.open.contains(&subroutine) {
            return Err(CallError::Recursion);
        }
        if self.open.len() >= MAX_CALLS {
            return Err(CallError::Depth);
        }
        if self.open.is_empty() {
            self.outside = size.saturating_sub(self.inlined);
        }
        self.open.push(subroutine);
        self.spend(size).inspect_err(|_| {
            self.open.pop();
        })
    }

    /// Closes the innermost call.
    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// Number of open calls.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Counts an instruction of the source, if a call is open: instructions that become nothing take time, too. `size` is
    /// that of the shader so far.
    ///
    /// # Errors
    ///
    /// [`CallError::Budget`].
    pub fn spend(&mut self, size: usize) -> Result<(), CallError> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.inlined = size.saturating_sub(self.outside).max(self.inlined + 1);
        if self.inlined > BUDGET { Err(CallError::Budget) } else { Ok(()) }
    }
}
