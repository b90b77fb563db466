//! The data tests of the writers: shaders in folders, and the texts that are expected of them.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "a writer alone uses some of it")]

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::path::{Path, PathBuf};
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::text::parse_any;

/// A folder or file below `src/emit`.
pub(super) fn place(below: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src").join(below)
}

/// The files `*.ir` of a folder below `src/emit`, by name.
pub(super) fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = fs::read_dir(place(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ir"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().to_string(), path))
        .collect();
    files.sort();
    files
}

/// The shaders in them, by name.
pub(super) fn shaders(folder: &str) -> Vec<(String, Shader)> {
    let read = |(name, path)| (name, parse_any(&fs::read_to_string(path).unwrap()).unwrap());
    files(folder).into_iter().map(read).collect()
}

/// What differs from the file with what is expected, under a name; `BLESS=1` writes the file anew, for review.
pub(super) fn differs(name: &str, expected: &Path, text: &str) -> Option<String> {
    if std::env::var_os("BLESS").is_some() {
        fs::write(expected, text).unwrap();
    }
    (fs::read_to_string(expected).unwrap_or_default() != text).then(|| format!("{name}:\n{text}"))
}

/// A shader of a library's user may be anything.
#[test]
fn malformed_shaders_are_refused() {
    use vecasm_ir::ir::verify::UNSOUND;
    for (name, mut shader) in shaders("wgsl/cases").into_iter().take(3) {
        shader.values.clear();
        let id = |refused: Option<vecasm_ir::diag::Diagnostic>| refused.map(|finding| finding.id);
        #[cfg(feature = "wgsl")]
        assert_eq!(
            id(super::wgsl::write(&shader, &super::wgsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "glsl")]
        assert_eq!(
            id(super::glsl::write(&shader, &super::glsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "hlsl")]
        assert_eq!(
            id(super::hlsl::write(&shader, &super::hlsl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "msl")]
        assert_eq!(
            id(super::msl::write(&shader, &super::msl::Options::default()).err()),
            Some(UNSOUND.id),
            "{name}"
        );
        #[cfg(feature = "spirv")]
        assert_eq!(
            id(super::spirv::write(&shader, &super::spirv::Options::default()).err()),
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
                use super::$target::{Options, RULES, write};
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
        Options { model: super::hlsl::Model::named("3.0").unwrap(), ..Options::default() }
    });
    target!("msl", msl, "MSL-texture", Options::default());
}
