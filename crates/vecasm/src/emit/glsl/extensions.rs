//! The extensions that a text needs.

use super::Version;
use alloc::format;
use alloc::string::String;

/// A word of a text, and the extension that gives it.
struct Extension {
    /// A part that several words have, so that one look tells that none of them is there.
    part: &'static str,
    /// Begins with this.
    word: &'static str,
    /// In versions before these, of the desktop and of ES; 0 if it has them all, or has no such extension.
    before: (u16, u16),
    name: &'static str,
}

/// Of every version.
const ALL: u16 = u16::MAX;

const fn of(part: &'static str, word: &'static str, before: (u16, u16), name: &'static str) -> Extension {
    Extension { part, word, before, name }
}

/// Every word that some version has by an extension only; those with the same part stand together.
const TABLE: &[Extension] = &[
    of("ARB", "clock2x32ARB", (ALL, 0), "GL_ARB_shader_clock"),
    of("ARB", "gl_BaseInstanceARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("ARB", "gl_BaseVertexARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("ARB", "gl_DrawIDARB", (460, 0), "GL_ARB_shader_draw_parameters"),
    of("ARB", "gl_FragStencilRefARB", (ALL, 0), "GL_ARB_shader_stencil_export"),
    of("ARB", "texture1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("ARB", "texture2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("ARB", "texture3DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("ARB", "textureCubeGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("ARB", "shadow1DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("ARB", "shadow2DGradARB", (130, 0), "GL_ARB_shader_texture_lod"),
    of("dFd", "dFdx(", (0, 300), "GL_OES_standard_derivatives"),
    of("dFd", "dFdy(", (0, 300), "GL_OES_standard_derivatives"),
    of("BitsTo", "floatBitsTo", (330, 0), "GL_ARB_shader_bit_encoding"),
    of("BitsTo", "intBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
    of("BitsTo", "uintBitsToFloat", (330, 0), "GL_ARB_shader_bit_encoding"),
    of("gl_FragData[", "gl_FragData[", (0, 300), "GL_EXT_draw_buffers"),
    of("EXT", "gl_FragDepthEXT", (0, 300), "GL_EXT_frag_depth"),
    of("EXT", "texture2DGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("EXT", "texture2DLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("EXT", "textureCubeGradEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("EXT", "textureCubeLodEXT", (0, 300), "GL_EXT_shader_texture_lod"),
    of("image", "imageAtomic", (0, 320), "GL_OES_shader_image_atomic"),
    of("image", "imageSize(", (430, 0), "GL_ARB_shader_image_size"),
    of("Samples(", "imageSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
    of("Samples(", "textureSamples(", (450, 0), "GL_ARB_shader_texture_image_samples"),
    of("interpolateAt", "interpolateAt", (0, 320), "GL_OES_shader_multisample_interpolation"),
    of("noperspective ", "noperspective ", (0, ALL), "GL_NV_shader_noperspective_interpolation"),
    of(" precise ", " precise ", (0, 320), "GL_EXT_gpu_shader5"),
    of("sampler2DRect", "sampler2DRect", (140, 0), "GL_ARB_texture_rectangle"),
    of("samplerCubeArray", "samplerCubeArray", (400, 0), "GL_ARB_texture_cube_map_array"),
    of("sampler3D", "sampler3D", (0, 300), "GL_OES_texture_3D"),
    of("ubgroup", "gl_Subgroup", (ALL, ALL), "GL_KHR_shader_subgroup_basic"),
    of("ubgroup", "subgroupAll", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
    of("ubgroup", "subgroupAny", (ALL, ALL), "GL_KHR_shader_subgroup_vote"),
    of("ubgroup", "subgroupBallot", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
    of("ubgroup", "subgroupBroadcastFirst", (ALL, ALL), "GL_KHR_shader_subgroup_ballot"),
    of("ubgroup", "subgroupShuffle", (ALL, ALL), "GL_KHR_shader_subgroup_shuffle"),
    of("textureQueryLOD(", "textureQueryLOD(", (400, 0), "GL_ARB_texture_query_lod"),
    of("Lod", "texture1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("Lod", "texture2DLod(", (130, 0), "GL_ARB_shader_texture_lod"),
    of("Lod", "texture3DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("Lod", "textureCubeLod(", (130, 0), "GL_ARB_shader_texture_lod"),
    of("Lod", "shadow1DLod", (130, 0), "GL_ARB_shader_texture_lod"),
    of("Lod", "shadow2DLod", (130, 0), "GL_ARB_shader_texture_lod"),
];

/// The lines that ask for what a text of that version uses. Several colours are enabled, not required: compilers that
/// have them anyway do not know the name. `asked` are those that no word tells.
pub(super) fn required(version: Version, source: &str, asked: &[&'static str]) -> String {
    let mut out = String::new();
    for name in asked {
        out.push_str(&format!("#extension {name} : require\n"));
    }
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let mut last = ("", false);
    for extension in TABLE {
        let (desktop, es) = extension.before;
        if version.number() >= if version.is_es() { es } else { desktop } {
            continue;
        }
        // To look in all lines at once takes a tenth of the time, and mostly the word is nowhere.
        if last.0 != extension.part {
            last = (extension.part, source.contains(extension.part));
        }
        let there = last.1 && source.contains(extension.word);
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
