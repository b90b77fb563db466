//! What everything in vecasm is built on: the intermediate representation, its arithmetic, and findings.
//!
//! * [`ir`]: the meaning of a shader, with no register of the source left;
//! * [`math`]: elementary functions, to the bit, of which the meaning of operations is made;
//! * [`operand`]: lanes, swizzles and write masks, which all instruction sets share with the IR;
//! * [`diag`]: how everything reports;
//! * [`word`]: words for values.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod diag;
pub mod ir;
pub mod math;
pub mod operand;
pub mod word;
