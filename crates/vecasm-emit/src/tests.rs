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

/// Names that some language has taken, by word, by prefix or by pattern, and names that are no identifiers.
#[cfg(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
const AWKWARD: &[&str] = &[
    "",
    "_",
    "__",
    "a_",
    "a__b",
    "_Abc",
    "__abc",
    "9lives",
    "naïve",
    "日本",
    "a b",
    "a.b",
    "a\"b",
    "a\nb",
    "//",
    "gl_",
    "gl_x",
    "gl_Position",
    "gl_FragColor",
    "GL_ES",
    "GL_x",
    "webgl_x",
    "_webgl_x",
    "main",
    "metal",
    "M_PI_F",
    "FLT_DIG",
    "HALF_MAX",
    "float",
    "Float",
    "FLOAT",
    "float4",
    "float4x4",
    "half2",
    "min16float3",
    "auto",
    "packed",
    "row_major",
    "technique",
    "TECHNIQUE",
    "Technique",
    "size",
    "size_x",
    "load",
    "load_x",
    "store_x",
    "fetch_x",
    "f64_x",
    "i64_x",
    "u64_x",
    "u128_x",
    "rcc",
    "rcc_2",
    "sum",
    "sum_2",
    "sum_3",
    "texture",
    "texture_1",
    "texture_levels",
    "state",
    "constants",
    "r",
    "r_gl_x",
    "r_size_x",
    "r_address",
    "address",
    "input",
    "output",
    "in",
    "out",
    "self",
    "Self",
    "std",
    "discard",
    "sampler",
    "sampler2D",
    "NULL",
    "null",
    "x",
    "X",
    "x_1",
    "x_2",
];

/// Whether a name cannot be declared.
#[cfg(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
type IsWord = fn(&str) -> bool;

/// Every writer makes a valid name of its own of any name, and comes to an end.
#[cfg(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
#[test]
fn any_name_is_made_one_that_can_be_declared() {
    use super::common::Names;
    use super::naming::{Part, identifier, is_identifier, make_unique};
    use super::text::unique;
    use std::collections::BTreeSet;
    use vecasm_ir::ir::Atomic;
    let languages: [(&str, IsWord); 4] = [
        ("glsl", super::glsl::words::is_word),
        ("hlsl", super::hlsl::words::is_word),
        ("msl", super::msl::words::is_word),
        ("wgsl", super::wgsl::words::is_word),
    ];
    let mut wanted: Vec<String> = AWKWARD.iter().map(|name| name.to_string()).collect();
    wanted.extend(Atomic::ALL.iter().map(|atomic| format!("{}_x", atomic.name())));
    wanted.extend(["a", "gl_", "é"].map(|part| part.repeat(5000)));
    // Some are asked for more than once.
    wanted.extend_from_within(..);
    for (language, is_word) in languages {
        let mut names = Names::default();
        let in_scope: Vec<String> =
            wanted.iter().map(|name| names.take(identifier(name), is_word).into_owned()).collect();
        let mut fields: Vec<String> = Vec::new();
        for name in &wanted {
            let taken = |name: &str| is_word(name) || fields.iter().any(|field| field == name);
            let field = unique(identifier(name), taken).into_owned();
            fields.push(field);
        }
        let part = |name: &String| Part { name: identifier(name).into_owned(), ..Part::default() };
        let mut parts: Vec<Part> = wanted.iter().map(part).collect();
        make_unique(&mut parts, is_word);
        let parts: Vec<String> = parts.into_iter().map(|part| part.name).collect();
        for all in [in_scope, fields, parts] {
            for name in &all {
                assert!(is_identifier(name) && !is_word(name), "{language}: {name}");
            }
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{language}");
        }
    }
    for word in ["gl_x", "GL_ES", "webgl_x", "packed", "main"] {
        assert!(super::glsl::words::is_word(word), "{word}");
    }
    for word in ["float4x4", "min16float2", "TECHNIQUE", "size_x", "auto"] {
        assert!(super::hlsl::words::is_word(word), "{word}");
    }
    assert!(["metal", "main", "M_PI_F", "FLT_DIG"].into_iter().all(super::msl::words::is_word));
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
        Options { model: "3.0".parse::<super::hlsl::Model>().unwrap(), ..Options::default() }
    });
    target!("msl", msl, "MSL-texture", Options::default());
}
