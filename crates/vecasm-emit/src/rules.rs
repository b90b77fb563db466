//! How a target says what it refuses.

pub(super) use vecasm_ir::diag::{Provenance, Rule, Severity};

use alloc::string::String;
use vecasm_ir::diag::{Diagnostic, Place};
use vecasm_ir::ir::Shader;
use vecasm_opt as opt;

/// The rules of a target: constants for its writer, and the table `RULES` of them, sorted by id.
macro_rules! rules {
    ($($NAME:ident $id:literal $message:literal $reason:literal;)*) => {
        $(
            pub(super) const $NAME: &$crate::rules::Rule = &$crate::rules::Rule {
                id: $id,
                number: 0,
                severity: $crate::rules::Severity::Error,
                message: $message,
                reason: $reason,
                provenance: $crate::rules::Provenance::Own,
            };
        )*

        /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
        /// but for what the [module documentation](super) says about GPUs.
        pub const RULES: &[&$crate::rules::Rule] = &[$($NAME),*];

        #[cfg(test)]
        mod tests {
            #[test]
            fn the_table_is_sorted() {
                assert!(super::RULES.windows(2).all(|pair| pair[0].id < pair[1].id));
            }
        }
    };
}
pub(super) use rules;

/// A finding of a rule; `what` says it about the shader at hand.
#[cold]
pub(super) fn refused(rule: &'static Rule, what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(rule.id, what).with_help(rule.reason)
}

/// The finding of a rule about a texture whose dimension depends on a state: an error of who calls a writer, who has to be
/// told of [`opt::settle`].
#[cold]
pub(super) fn open_dimension(rule: &'static Rule, name: &str) -> Diagnostic {
    let what = alloc::format!("the dimension of {name} depends on a state");
    let help = "call `vecasm::opt::settle(shader, &[])` before writing: it fixes the state at its default, or at a value that \
                you give";
    Diagnostic::error(rule.id, what).with_help(help)
}

/// The finding of a rule about [serial](Shader::serial) shaders, at the instruction because of which this one is serial.
#[cold]
pub(super) fn serial(rule: &'static Rule, shader: &Shader) -> Diagnostic {
    let finding = refused(rule, opt::why_serial(shader));
    match opt::orders(shader) {
        Some(step) => finding.at(Place::instruction(step)),
        None => finding,
    }
}
