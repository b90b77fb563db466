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

/// Every word that some version has by an extension only.
const TABLE: &[Extension] = &[
    of("clock2x32ARB", (ALL, 0), "GL_ARB_shader_clock"),
    of("dFdx(", (0, 300), "GL_OES_standard_derivatives"),
    of("dFdy(", (0, 300), "GL_OES_standard_derivatives"),
    of("floatBitsTo", (330, 0), "GL_ARB_shader_bit_encoding"),
    of("gl_BaseInstanceARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("gl_BaseVertexARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("gl_DrawIDARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("gl_FragData[", (0, 300), "GL_EXT_draw_buffers"),
    of("gl_FragStencilRefARB", (ALL, 0), "GL_ARB_shader_stencil_export"),
    of("gl_FragDepthEXT", (0, 300), "GL_EXT_frag_depth"),
    of("imageAtomic", (0, 320), "GL_OES_shader_image_atomic"),
    of("imageSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
    of("imageSize(", (430, 0), "GL_ARB_shader_image_size"),
    of("interpolateAt", (0, 320), "GL_OES_shader_multisample_interpolation"),
    of("intBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
    of("noperspective ", (0, ALL), "GL_NV_shader_noperspective_interpolation"),
    of("sampler2DRect", (140, 0), "GL_ARB_texture_rectangle"),
    of("samplerCubeArray", (400, 0), "GL_ARB_texture_cube_map_array"),
    of("sampler3D", (0, 300), "GL_OES_texture_3D"),
    of("gl_Subgroup", (ALL, ALL), "GL_KHR_shader_subgroup_basic"),
    of("subgroupAll", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
    of("subgroupAny", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
    of("subgroupBallot", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
    of("subgroupBroadcastFirst", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
    of("subgroupShuffle", (ALL, ALL), "GL_KHR_shader_subgroup_shuffle"),
    of("texture1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("texture1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("texture2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("texture2DGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("texture2DLod(", (130, 0), "GL_ARB_shader_texture_lod"),
    of("texture2DLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("texture3DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("texture3DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("textureCubeGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("textureCubeGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("textureCubeLod(", (130, 0), "GL_ARB_shader_texture_lod"),
    of("textureCubeLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("shadow1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("shadow1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("shadow2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("shadow2DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("textureSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
    of("uintBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
];

/// The lines that ask for what a text of that version uses. Several colours are enabled, not required: compilers that
/// have them anyway do not know the name. `asked` are those that no word tells.
pub(super) fn required(version: Version, source: &str, asked: &[&'static str]) -> String {
    let mut out = String::new();
    for name in asked {
        out.push_str(&format!("#extension {name} : require\n"));
    }
    for extension in TABLE {
        let (desktop, es) = extension.before;
        let before = if version.is_es() { es } else { desktop };
        let here = version.number() < before;
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        // To look for a word in all lines at once takes a tenth of the time, and mostly it is nowhere.
        let there = here && source.contains(extension.word);
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
