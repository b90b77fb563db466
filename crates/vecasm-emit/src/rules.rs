//! How a target says what it refuses.

use alloc::string::String;
use vecasm_ir::diag::{Diagnostic, Place, Rule};
use vecasm_ir::ir::Shader;
use vecasm_opt as opt;

/// A finding of a rule; `what` says it about the shader at hand.
#[cold]
pub(super) fn refused(rule: &'static Rule, what: impl Into<String>) -> Diagnostic {
    rule.finding(what).with_help(rule.reason)
}

/// The finding of a rule about a texture whose dimension depends on a state: an error of who calls a writer, who has to be
/// told of [`opt::settle`].
#[cold]
pub(super) fn open_dimension(rule: &'static Rule, name: &str) -> Diagnostic {
    let what = alloc::format!("the dimension of {name} depends on a state");
    let help = "call `vecasm::opt::settle(shader, &[])` before writing: it fixes the state at its default, or at a value that \
                you give";
    rule.finding(what).with_help(help)
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

#[cfg(test)]
mod tests {
    use vecasm_ir::diag::Rule;

    #[test]
    fn tables_are_sorted() {
        let tables: &[&[Rule]] = &[
            #[cfg(feature = "glsl")]
            crate::glsl::RULES,
            #[cfg(feature = "hlsl")]
            crate::hlsl::RULES,
            #[cfg(feature = "msl")]
            crate::msl::RULES,
            #[cfg(feature = "spirv")]
            crate::spirv::RULES,
            #[cfg(feature = "wgsl")]
            crate::wgsl::RULES,
        ];
        for rules in tables {
            assert!(rules.windows(2).all(|pair| pair[0].id < pair[1].id), "{}", rules[0].id);
        }
    }
}
