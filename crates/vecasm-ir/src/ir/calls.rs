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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::Builder;
    use crate::ir::{Arg, Block, Node, Pure, Stage};
    use alloc::boxed::Box;

    /// Lifts subroutine `number` of a program in which each one calls the next one `times` times, and the last one adds.
    fn call(
        b: &mut Builder,
        calls: &mut Calls,
        number: u32,
        last: u32,
        times: u32,
        x: Arg,
    ) -> Result<Arg, CallError> {
        calls.enter(number, b.size())?;
        let label = b.label();
        b.open();
        let mut value = x;
        if number == last {
            value = b.pure(Pure::Add, &[value, value]);
        } else {
            for _ in 0..times {
                value = call(b, calls, number + 1, last, times, value)?;
            }
        }
        let body = b.close(&[value]);
        let result = b.value(crate::ir::Type::F32, None);
        b.node(Node::Block(Box::new(Block { label, body, results: [result].into() })));
        calls.leave();
        Ok(Arg::whole(result, 1))
    }

    fn lift(last: u32, times: u32) -> Result<usize, CallError> {
        let mut b = Builder::new(Stage::Vertex, "test", &[], 8);
        let x = b.splat(1.0, 1);
        let mut calls = Calls::default();
        call(&mut b, &mut calls, 0, last, times, x)?;
        assert_eq!(calls.depth(), 0);
        assert_eq!(crate::ir::verify::verify(&b.shader.clone()), []);
        Ok(b.operations())
    }

    #[test]
    fn twenty_four_nested_subroutines_stop_at_the_budget() {
        // Each calls the next one twice: 2^23 additions, if nothing stopped it.
        assert_eq!(lift(23, 2), Err(CallError::Budget));
        // So it does where the last one is empty: nothing but calls is counted.
        let mut calls = Calls::default();
        let mut empty = || (0..=BUDGET).try_for_each(|_| calls.enter(0, 1).map(|()| calls.leave()));
        assert_eq!(empty(), Err(CallError::Budget));
        // 2^12 additions and the constant they start with are few enough; so are 24 calls of one another once.
        assert_eq!(lift(12, 2), Ok(4096 + 1));
        assert_eq!(lift(23, 1), Ok(1 + 1));
    }

    #[test]
    fn recursion_and_depth_are_errors() {
        let mut calls = Calls::default();
        assert_eq!(calls.enter(7, 0), Ok(()));
        assert_eq!(calls.enter(8, 0), Ok(()));
        assert_eq!(calls.enter(7, 0), Err(CallError::Recursion));
        calls.leave();
        assert_eq!(calls.enter(8, 0), Ok(()));
        assert_eq!(lift(MAX_CALLS as u32, 1), Err(CallError::Depth));
    }
}
