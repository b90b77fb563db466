//! What a host binds for a shader is the same in every target, as far as they all have such things.

use crate::data::shaders;
use vecasm_emit::options::BindingKind;
use vecasm_emit::{glsl, hlsl, msl, spirv, wgsl};
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::Shader;

/// What the targets have in common of a binding. Samplers are beside their textures or not, atomic words have types or not, and
/// HLSL and MSL bind more of their own.
fn common(kind: BindingKind) -> Option<String> {
    Some(match kind {
        BindingKind::Constants { elements, scalar, .. } => format!("{elements} constants of {scalar}"),
        BindingKind::States { count } => format!("{count} states"),
        BindingKind::Buffer { slot, of, write, .. } => format!("buffer {slot} {} {write}", of.name()),
        BindingKind::Image { slot, dim, format, read, write } => {
            format!("image {slot} {} {} {read} {write}", dim.name(), format.name())
        }
        BindingKind::Texture { slot, of, scalar, compare, .. }
        | BindingKind::Combined { slot, of, scalar, compare, .. } => {
            format!("texture {slot} {} of {scalar} {compare}", of.name())
        }
        _ => return None,
    })
}

/// In order, each once.
fn sorted(kinds: impl Iterator<Item = BindingKind>) -> Vec<String> {
    let mut all: Vec<String> = kinds.filter_map(common).collect();
    all.sort();
    all.dedup();
    all
}

/// By target: what is bound, or why it does not say the shader.
fn bound(shader: &Shader) -> [(&'static str, Result<Vec<String>, Diagnostic>); 5] {
    macro_rules! kinds {
        ($target:ident, $options:expr) => {
            $target::write(shader, &$options).map(|output| sorted(output.bindings.iter().map(|b| b.kind)))
        };
    }
    let model = "6.0".parse().unwrap();
    let version = "460".parse().unwrap();
    [
        ("wgsl", kinds!(wgsl, wgsl::Options::default())),
        ("spirv", kinds!(spirv, spirv::Options::default())),
        ("glsl", kinds!(glsl, glsl::Options { version, ..glsl::Options::default() })),
        ("hlsl", kinds!(hlsl, hlsl::Options { model, ..hlsl::Options::default() })),
        ("msl", kinds!(msl, msl::Options::default())),
    ]
}

#[test]
fn targets_bind_the_same() {
    let folders = ["wgsl/cases", "glsl/cases", "glsl/cases/wide", "hlsl/cases", "msl/cases", "spirv/cases"];
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, shader) in folders.into_iter().flat_map(shaders) {
        let mut first: Option<(&str, Vec<String>)> = None;
        for (target, kinds) in bound(&shader) {
            let Ok(kinds) = kinds else { continue };
            match &first {
                None => first = Some((target, kinds)),
                Some((other, there)) => {
                    compared += usize::from(!there.is_empty());
                    if *there != kinds {
                        wrong.push(format!("{name}: {other} binds {there:?}, {target} {kinds:?}"));
                    }
                }
            }
        }
    }
    assert!(compared > 50, "only {compared} pairs bind something");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
