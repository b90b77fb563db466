//! Why a program cannot be lifted.

use alloc::string::String;

/// Why an instruction cannot be lifted.
#[derive(Debug)]
pub struct Refusal {
    pub(crate) id: &'static str,
    pub(crate) message: String,
}

impl Refusal {
    /// By the id of a rule.
    #[cold]
    pub(crate) fn new(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, message: message.into() }
    }
}

/// What is lifted, or why not.
pub(crate) type Result<T> = core::result::Result<T, Refusal>;

/// The rules that a lift refuses programs by: a constant for the id of each, and `RULES`.
///
/// A row: `NAME "id" "message" "reason"`.
macro_rules! rules {
    ($($NAME:ident $id:literal $message:literal $reason:literal;)*) => {
        $(const $NAME: &str = $id;)*

        /// The rules of this room.
        pub const RULES: &[vecasm_ir::diag::Rule] = &[$(vecasm_ir::diag::Rule {
            id: $id,
            number: 0,
            severity: vecasm_ir::diag::Severity::Error,
            message: $message,
            reason: $reason,
            provenance: vecasm_ir::diag::Provenance::Own,
        }),*];
    };
}

pub(crate) use rules;
