//! What the writers share that a library's user does not see.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Names that some language has taken, by word, by prefix or by pattern, and names that are no identifiers.
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
type IsWord = fn(&str) -> bool;

/// Every writer makes a valid name of its own of any name, and comes to an end.
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
