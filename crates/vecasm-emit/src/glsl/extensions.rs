//! The extensions that a text needs.

use super::Version;
use alloc::format;
use alloc::string::String;

/// A word of a text, and the extension that gives it.
struct Extension {
    /// Begins with this.
    word: &'static str,
    /// In versions before these, of the desktop and of ES; 0 if it has them all, or has no such extension.
    before: (u16, u16),
    name: &'static str,
}

/// Of every version.
const ALL: u16 = u16::MAX;

const fn of(word: &'static str, before: (u16, u16), name: &'static str) -> Extension {
    Extension { word, before, name }
}

/// Every word that some version has by an extension only, under a part of it: one look for that tells that none of the words is
/// there.
const TABLE: &[(&str, &[Extension])] = &[
    (
        "ARB",
        &[
            of("clock2x32ARB", (ALL, 0), "GL_ARB_shader_clock"),
            of("gl_BaseInstanceARB", (460, 0), "GL_ARB_shader_draw_parameters"),
            of("gl_BaseVertexARB", (460, 0), "GL_ARB_shader_draw_parameters"),
            of("gl_DrawIDARB", (460, 0), "GL_ARB_shader_draw_parameters"),
            of("gl_FragStencilRefARB", (ALL, 0), "GL_ARB_shader_stencil_export"),
            of("texture1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
            of("texture2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
            of("texture3DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
            of("textureCubeGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
            of("shadow1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
            of("shadow2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
        ],
    ),
    (
        "dFd",
        &[
            of("dFdx(", (0, 300), "GL_OES_standard_derivatives"),
            of("dFdy(", (0, 300), "GL_OES_standard_derivatives"),
        ],
    ),
    (
        "BitsTo",
        &[
            of("floatBitsTo", (330, 0), "GL_ARB_shader_bit_encoding"),
            of("intBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
            of("uintBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
        ],
    ),
    ("gl_FragData[", &[of("gl_FragData[", (0, 300), "GL_EXT_draw_buffers")]),
    (
        "EXT",
        &[
            of("gl_FragDepthEXT", (0, 300), "GL_EXT_frag_depth"),
            of("texture2DGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
            of("texture2DLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
            of("textureCubeGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
            of("textureCubeLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
        ],
    ),
    (
        "image",
        &[
            of("imageAtomic", (0, 320), "GL_OES_shader_image_atomic"),
            of("imageSize(", (430, 0), "GL_ARB_shader_image_size"),
        ],
    ),
    (
        "Samples(",
        &[
            of("imageSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
            of("textureSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
        ],
    ),
    ("interpolateAt", &[of("interpolateAt", (0, 320), "GL_OES_shader_multisample_interpolation")]),
    ("noperspective ", &[of("noperspective ", (0, ALL), "GL_NV_shader_noperspective_interpolation")]),
    (" precise ", &[of(" precise ", (0, 320), "GL_EXT_gpu_shader5")]),
    ("sampler2DRect", &[of("sampler2DRect", (140, 0), "GL_ARB_texture_rectangle")]),
    ("samplerCubeArray", &[of("samplerCubeArray", (400, 0), "GL_ARB_texture_cube_map_array")]),
    ("sampler3D", &[of("sampler3D", (0, 300), "GL_OES_texture_3D")]),
    (
        "ubgroup",
        &[
            of("gl_Subgroup", (ALL, ALL), "GL_KHR_shader_subgroup_basic"),
            of("subgroupAll", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
            of("subgroupAny", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
            of("subgroupBallot", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
            of("subgroupBroadcastFirst", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
            of("subgroupShuffle", (ALL, ALL), "GL_KHR_shader_subgroup_shuffle"),
        ],
    ),
    ("textureQueryLOD(", &[of("textureQueryLOD(", (400, 0), "GL_ARB_texture_query_lod")]),
    (
        "Lod",
        &[
            of("texture1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
            of("texture2DLod(", (130, 0), "GL_ARB_shader_texture_lod"),
            of("texture3DLod", (130, 0), "GL_ARB_shader_texture_lod"),
            of("textureCubeLod(", (130, 0), "GL_ARB_shader_texture_lod"),
            of("shadow1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
            of("shadow2DLod", (130, 0), "GL_ARB_shader_texture_lod"),
        ],
    ),
];

/// The lines that ask for what a text of that version uses. Several colours are enabled, not required: compilers that
/// have them anyway do not know the name. `asked` are those that no word tells.
pub(super) fn required(version: Version, source: &str, asked: &[&'static str]) -> String {
    let mut out = String::new();
    for name in asked {
        out.push_str(&format!("#extension {name} : require\n"));
    }
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let es = version.is_es();
    let lacks = |of: &Extension| version.number() < if es { of.before.1 } else { of.before.0 };
    // To look in all lines at once takes a tenth of the time, and mostly the word is nowhere.
    let groups = TABLE.iter().filter(|(part, all)| all.iter().any(lacks) && source.contains(part));
    for extension in groups.flat_map(|(_, all)| all.iter()).filter(|extension| lacks(extension)) {
        let there = source.contains(extension.word);
        if !there || !source.lines().filter(is_code).any(|line| line.contains(extension.word)) {
            continue;
        }
        let how = if extension.word == "gl_FragData[" { "enable" } else { "require" };
        let line = format!("#extension {} : {how}\n", extension.name);
        if !out.contains(&line) {
            out.push_str(&line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn words_have_the_part_they_stand_under() {
        for (part, all) in TABLE {
            assert!(!all.is_empty() && all.iter().all(|of| of.word.contains(part)), "{part}");
        }
    }
}
