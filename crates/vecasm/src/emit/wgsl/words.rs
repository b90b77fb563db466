//! The words a name must not be.

use super::helpers;

/// Keywords and reserved words of WGSL (section 15.1 of the specification), and the predeclared names that written
/// code uses, sorted.
const WORDS: &[&str] = &[
    "NULL",
    "Self",
    "abs",
    "abstract",
    "active",
    "alias",
    "alignas",
    "alignof",
    "all",
    "any",
    "array",
    "arrayLength",
    "as",
    "asm",
    "asm_fragment",
    "async",
    "atomic",
    "atomicAdd",
    "atomicAnd",
    "atomicCompareExchangeWeak",
    "atomicExchange",
    "atomicMax",
    "atomicMin",
    "atomicOr",
    "atomicXor",
    "attribute",
    "auto",
    "await",
    "become",
    "bitcast",
    "bool",
    "break",
    "case",
    "cast",
    "catch",
    "ceil",
    "clamp",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "coherent",
    "column_major",
    "common",
    "compile",
    "compile_fragment",
    "concept",
    "const",
    "const_assert",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "continuing",
    "cos",
    "countOneBits",
    "crate",
    "debugger",
    "decltype",
    "default",
    "delete",
    "demote",
    "demote_to_helper",
    "diagnostic",
    "discard",
    "do",
    "dot",
    "dpdx",
    "dpdxCoarse",
    "dpdxFine",
    "dpdy",
    "dpdyCoarse",
    "dpdyFine",
    "dynamic_cast",
    "else",
    "enable",
    "enum",
    "exp2",
    "explicit",
    "export",
    "extends",
    "extern",
    "external",
    "extractBits",
    "f16",
    "f32",
    "fallthrough",
    "false",
    "filter",
    "final",
    "finally",
    "firstLeadingBit",
    "firstTrailingBit",
    "floor",
    "fma",
    "fn",
    "for",
    "fract",
    "friend",
    "from",
    "fxgroup",
    "get",
    "goto",
    "groupshared",
    "highp",
    "i32",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "inline",
    "insertBits",
    "instanceof",
    "interface",
    "inverseSqrt",
    "layout",
    "let",
    "log2",
    "loop",
    "lowp",
    "macro",
    "macro_rules",
    "match",
    "max",
    "mediump",
    "meta",
    "min",
    "mod",
    "module",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "nil",
    "noexcept",
    "noinline",
    "nointerpolation",
    "non_coherent",
    "noncoherent",
    "noperspective",
    "null",
    "nullptr",
    "of",
    "operator",
    "out",
    "override",
    "pack2x16float",
    "package",
    "packoffset",
    "partial",
    "pass",
    "patch",
    "pixelfragment",
    "pow",
    "precise",
    "precision",
    "premerge",
    "priv",
    "protected",
    "pub",
    "public",
    "readonly",
    "ref",
    "regardless",
    "register",
    "reinterpret_cast",
    "require",
    "requires",
    "resource",
    "restrict",
    "return",
    "reverseBits",
    "round",
    "sampler",
    "sampler_comparison",
    "saturate",
    "select",
    "self",
    "set",
    "shared",
    "sign",
    "sin",
    "sizeof",
    "smooth",
    "snorm",
    "sqrt",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "storageBarrier",
    "struct",
    "subroutine",
    "super",
    "switch",
    "target",
    "template",
    "textureBarrier",
    "textureDimensions",
    "textureGather",
    "textureGatherCompare",
    "textureLoad",
    "textureNumLayers",
    "textureNumLevels",
    "textureNumSamples",
    "textureSample",
    "textureSampleBias",
    "textureSampleCompare",
    "textureSampleCompareLevel",
    "textureSampleGrad",
    "textureSampleLevel",
    "textureStore",
    "texture_1d",
    "texture_2d",
    "texture_2d_array",
    "texture_3d",
    "texture_cube",
    "texture_cube_array",
    "texture_depth_2d",
    "texture_depth_2d_array",
    "texture_depth_cube",
    "texture_depth_cube_array",
    "texture_depth_multisampled_2d",
    "texture_multisampled_2d",
    "texture_storage_1d",
    "texture_storage_2d",
    "texture_storage_2d_array",
    "texture_storage_3d",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "trunc",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "u32",
    "union",
    "unless",
    "unorm",
    "unpack2x16float",
    "unsafe",
    "unsized",
    "use",
    "using",
    "var",
    "varying",
    "vec2",
    "vec2f",
    "vec2i",
    "vec2u",
    "vec3",
    "vec3f",
    "vec3i",
    "vec3u",
    "vec4",
    "vec4f",
    "vec4i",
    "vec4u",
    "virtual",
    "volatile",
    "wgsl",
    "where",
    "while",
    "with",
    "workgroupBarrier",
    "writeonly",
    "yield",
];

/// For each first letter the range of [`WORDS`], found while compiling.
const BY_LETTER: [(u16, u16); 128] = {
    let mut ranges = [(0, 0); 128];
    let mut i = 0;
    while i < WORDS.len() {
        let letter = WORDS[i].as_bytes()[0] as usize;
        if ranges[letter].1 == 0 {
            ranges[letter].0 = i as u16;
        }
        ranges[letter].1 = i as u16 + 1;
        i += 1;
    }
    ranges
};

/// The starts of all words.
const STARTS: Starts = Starts::new().and(WORDS);

/// Whether `name` cannot be declared.
pub(super) fn is_word(name: &str) -> bool {
    // Most names are short and most words long: equal lengths are rare.
    STARTS.may_have(name)
        && name.bytes().next().and_then(|b| BY_LETTER.get(usize::from(b))).is_some_and(|&(start, end)| {
            let words = &WORDS[usize::from(start)..usize::from(end)];
            words.iter().any(|word| word.len() == name.len() && *word == name)
        })
        || helpers::is_name(name)
}

/// How the words of a list start: for each first letter a bit for each second one, by its low five bits. Nearly every
/// name is told apart by that.
pub(super) struct Starts([u32; 128]);

impl Starts {
    /// Of no words.
    pub(super) const fn new() -> Self {
        Self([0; 128])
    }

    /// Of some words more, of two letters or more.
    pub(super) const fn and(mut self, words: &[&str]) -> Self {
        let mut i = 0;
        while i < words.len() {
            let word = words[i].as_bytes();
            self.0[word[0] as usize] |= 1 << (word[1] & 31);
            i += 1;
        }
        self
    }

    /// Whether a word of the list may be the start of `name`.
    pub(super) fn may_have(&self, name: &str) -> bool {
        let [first, second, ..] = *name.as_bytes() else { return false };
        self.0.get(usize::from(first)).is_some_and(|seconds| seconds >> (second & 31) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(WORDS.windows(2).all(|w| w[0] < w[1]), "{:?}", WORDS.windows(2).find(|w| w[0] >= w[1]));
        assert!(WORDS.iter().all(|word| is_word(word)));
        assert!(!is_word("") && !is_word("é") && !is_word("0"));
        assert!(is_word("loop") && is_word("NULL") && is_word("yield") && !is_word("ft0"));
        assert!(is_word("rcc") && is_word("fetch_2d") && is_word("sum_3"));
    }
}
