//! What every writer refuses.

use crate::data::shaders;

/// A shader of a library's user may be anything.
#[test]
fn malformed_shaders_are_refused() {
    use vecasm_ir::ir::verify::UNSOUND;
    for (name, mut shader) in shaders("wgsl/cases").into_iter().take(3) {
        shader.values.clear();
        let id = |refused: Option<vecasm_ir::diag::Diagnostic>| refused.map(|finding| finding.id);
        #[cfg(feature = "wgsl")]
        assert_eq!(
            id(vecasm_emit::wgsl::write(&shader, &vecasm_emit::wgsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "glsl")]
        assert_eq!(
            id(vecasm_emit::glsl::write(&shader, &vecasm_emit::glsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "hlsl")]
        assert_eq!(
            id(vecasm_emit::hlsl::write(&shader, &vecasm_emit::hlsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "msl")]
        assert_eq!(
            id(vecasm_emit::msl::write(&shader, &vecasm_emit::msl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "spirv")]
        assert_eq!(
            id(vecasm_emit::spirv::write(&shader, &vecasm_emit::spirv::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
    }
}

/// A texture of ps_1_x has its dimension from the device. Every target says what to do, and writes what is settled.
#[test]
fn open_dimensions_are_refused_with_the_cure() {
    use vecasm_isa::any::{AnyProgram, LiftOptions};
    let text = "ps_1_1\ntex t0\nmov r0, t0\n";
    let program = AnyProgram::parse(vecasm_isa::Isa::D3d9, text, None, None).0.unwrap();
    let open = program.lift(&LiftOptions::for_gpus()).unwrap();
    let settled = vecasm_opt::settle(open.clone(), &[]);
    let told = |refused: Option<vecasm_ir::diag::Diagnostic>, id: &str, reason: &str| {
        let refused = refused.unwrap();
        assert_eq!((refused.id, refused.message.as_str()), (id, "the dimension of s0 depends on a state"));
        assert!(refused.help.unwrap().contains("`vecasm::opt::settle(shader, &[])`"), "{id}");
        assert!(reason.contains("`opt::settle`"), "{id}: {reason}");
    };
    macro_rules! target {
        ($feature:literal, $target:ident, $id:literal, $options:expr) => {
            #[cfg(feature = $feature)]
            {
                use vecasm_emit::$target::{Options, RULES, write};
                let reason = RULES.iter().find(|rule| rule.id == $id).unwrap().reason;
                told(write(&open, &$options).err(), $id, reason);
                write(&settled, &$options).unwrap();
            }
        };
    }
    target!("wgsl", wgsl, "WGSL-texture", Options::default());
    target!("spirv", spirv, "SPIRV-texture", Options::default());
    target!("glsl", glsl, "GLSL-texture", Options::default());
    target!("hlsl", hlsl, "HLSL-texture", Options::default());
    target!("hlsl", hlsl, "HLSL-texture", {
        Options { model: "3.0".parse::<vecasm_emit::hlsl::Model>().unwrap(), ..Options::default() }
    });
    target!("msl", msl, "MSL-texture", Options::default());
}
