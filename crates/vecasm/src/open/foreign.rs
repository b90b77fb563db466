//! Files of other kinds that people hand over: what they are, and what to do with them.

use super::Input;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
#[cfg(feature = "files")]
use alloc::string::{String, ToString as _};

/// How a kind of file is told by its first bytes.
struct Magic {
    /// Where they are.
    at: usize,
    bytes: &'static [u8],
    /// The kind of file.
    what: &'static str,
    /// Advice for those who have one.
    advice: &'static str,
}

const fn magic(at: usize, bytes: &'static [u8], what: &'static str, advice: &'static str) -> Magic {
    Magic { at, bytes, what, advice }
}

const PICTURE: &str = "pictures are textures of scenes, which `vecasm render` draws";
const SCAN: &str = "`vecasm scan` finds the shaders in it";
const XENOS: &str = "it runs on the Xbox 360 alone; vecasm reads what Direct3D 9 runs on Windows";
const ASSET_RIPPER: &str = "take its shaders out as text first, with AssetRipper";
const BSA_BROWSER: &str = "unpack it first, with BSA Browser";
const NAME_ONE: &str = "`vecasm info` lists its programs; FILE::ADDRESS names one";

/// The kind that chunks of Snappy tell, and advice.
const TRACE: (&str, &str) =
    ("a trace of apitrace", "`apitrace dump --blobs` prints it as text, which vecasm reads");

/// The kinds that the first bytes tell; the first row that fits counts.
const MAGICS: &[Magic] = &[
    magic(
        0,
        b"DXBC",
        "a shader of Direct3D 10 or later (DXBC)",
        "vecasm reads models 1.0 to 3.0: compile with /T vs_3_0 or ps_3_0; FILE::aon9 is the program of a level 9 profile",
    ),
    magic(
        0,
        b"\x03\x02\x23\x07",
        "SPIR-V",
        "vecasm writes it (`to spirv`); spirv-dis and spirv-cross read it",
    ),
    magic(
        0,
        b"\x07\x23\x02\x03",
        "SPIR-V",
        "vecasm writes it (`to spirv`); spirv-dis and spirv-cross read it",
    ),
    magic(0, b"\x01\x09\xff\xfe", "a compiled effect of Direct3D 9 (fx_2_0)", NAME_ONE),
    magic(0, b"FWS", "a Flash movie (SWF)", NAME_ONE),
    magic(0, b"CWS", "a Flash movie (SWF)", NAME_ONE),
    magic(0, b"ZWS", "a Flash movie (SWF)", NAME_ONE),
    magic(0, b"rgxa", "a compiled effect of RAGE (rgxa)", NAME_ONE),
    magic(0, b"XNB", "a compiled asset of XNA (XNB)", NAME_ONE),
    magic(0, b"MGFX", "a compiled effect of MonoGame (MGFX)", NAME_ONE),
    magic(0, b"XBEH", "an executable of the Xbox (XBE)", NAME_ONE),
    magic(0, b"\x89PNG", "a picture (PNG)", PICTURE),
    magic(0, b"\xff\xd8\xff", "a picture (JPEG)", PICTURE),
    magic(0, b"GIF8", "a picture (GIF)", PICTURE),
    magic(0, b"DDS ", "a texture (DDS)", PICTURE),
    magic(0, b"\xabKTX ", "a texture (KTX)", PICTURE),
    magic(8, b"WEBP", "a picture (WebP)", PICTURE),
    magic(0, b"PK\x03\x04", "a zip archive", NAME_ONE),
    magic(0, b"\x1f\x8b", "a gzip archive", "unpack it first, with `gzip -d`"),
    magic(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first, with `7z x`"),
    magic(0, b"\xfd7zXZ", "an xz archive", "unpack it first, with `xz -d`"),
    magic(0, b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first, with `zstd -d`"),
    magic(0, b"Rar!", "a RAR archive", "unpack it first, with `unrar x`"),
    magic(257, b"ustar", "a tar archive", "unpack it first, with `tar xf`"),
    magic(0, b"MSCF", "a cabinet (CAB)", "unpack it first, with `cabextract`, or `expand` on Windows"),
    magic(0, b"BSA\0", "an archive of Bethesda's games (BSA)", BSA_BROWSER),
    magic(0, b"BTDX", "an archive of Bethesda's games (BA2)", BSA_BROWSER),
    magic(
        0,
        b"\x34\x12\xaa\x55",
        "a package of Valve's games (VPK)",
        "unpack it first, with `vpk` of the game or VRF",
    ),
    magic(0, b"PACK", "an archive of Quake (PAK)", "unpack it first, with a tool such as `pakextract`"),
    magic(
        0x10000,
        b"MICROSOFT*XBOX*MEDIA",
        "a disc of the Xbox (XISO)",
        "unpack it first, with `extract-xiso -x`",
    ),
    magic(0x8001, b"CD001", "a disc (ISO 9660)", "unpack it first, with `7z x`"),
    magic(0, b"UnityFS\0", "a bundle of Unity", ASSET_RIPPER),
    magic(0, b"UnityRaw\0", "a bundle of Unity", ASSET_RIPPER),
    magic(0, b"UnityWeb\0", "a bundle of Unity", ASSET_RIPPER),
    magic(0, b"RDOC", "a capture of RenderDoc (.rdc)", "save its shaders from RenderDoc first"),
    magic(
        0,
        b"vcs2",
        "compiled shaders of Source 2 (VCS)",
        "vecasm reads those of the first Source engine, versions 5 and 6",
    ),
    magic(0, b"XEX2", "an executable of the Xbox 360 (XEX)", XENOS),
    magic(0, b"\x10\x2a\x11", "a shader of the Xbox 360", XENOS),
    magic(0, b"\xa5\x01\0\0\0", "a filter of Pixel Bender (.pbj)", "vecasm reads AGAL of Flash"),
    magic(0, b"ATF", "a texture of Flash (ATF)", "it holds no shaders"),
    magic(0, b"\x7fELF", "an executable (ELF)", SCAN),
    magic(0, b"MZ", "an executable of DOS or Windows", SCAN),
    magic(0, b"\0asm", "WebAssembly", SCAN),
    magic(0, b"BC\xc0\xde", "LLVM bitcode", "vecasm reads models of Direct3D up to 3.0"),
    magic(0, b"glTF", "a model (glTF)", "it holds no shaders"),
    magic(0, b"%PDF", "a document (PDF)", "it holds no shaders"),
];

/// How a kind of text is told: a word at the beginning of a line, or anywhere.
struct Sign {
    /// Whether a line has to begin with it.
    line: bool,
    word: &'static str,
    what: &'static str,
    advice: &'static str,
}

const fn begins(word: &'static str, what: &'static str, advice: &'static str) -> Sign {
    Sign { line: true, word, what, advice }
}

const fn has(word: &'static str, what: &'static str, advice: &'static str) -> Sign {
    Sign { line: false, word, what, advice }
}

const COMPILE_HLSL: &str =
    "vecasm reads the compiled shader: `fxc /T vs_3_0` or `ps_3_0`, then the .cso or its listing";
const GLSL: &str =
    "vecasm writes it (`to glsl`) but does not read it; it reads the TGSI that a driver makes of it";

/// The kinds that words tell; the first row that fits counts.
const SIGNS: &[Sign] = &[
    begins("!!ARBvp", "an ARB vertex program", "vecasm reads NV_vertex_program (!!VP1.0, !!VP1.1, !!VSP1.0)"),
    begins(
        "!!ARBfp",
        "an ARB fragment program",
        "vecasm reads NV_vertex_program, but no fragment programs of OpenGL",
    ),
    begins("#include <metal", "Metal Shading Language", "vecasm writes it (`to msl`) but does not read it"),
    begins("OpCapability", "SPIR-V assembly", "vecasm writes SPIR-V (`to spirv`) but does not read it"),
    begins("; SPIR-V", "SPIR-V assembly", "vecasm writes SPIR-V (`to spirv`) but does not read it"),
    begins("vs_4_", "assembly of Direct3D 10 or later", "vecasm reads models 1.0 to 3.0"),
    begins("ps_4_", "assembly of Direct3D 10 or later", "vecasm reads models 1.0 to 3.0"),
    begins("vs_5_", "assembly of Direct3D 10 or later", "vecasm reads models 1.0 to 3.0"),
    begins("ps_5_", "assembly of Direct3D 10 or later", "vecasm reads models 1.0 to 3.0"),
    begins("; ModuleID", "LLVM assembly", "vecasm reads models of Direct3D up to 3.0"),
    begins("shader: MESA_SHADER_", "NIR", "vecasm reads TGSI: set ST_DEBUG=tgsi, or ask the driver for it"),
    begins("#version", "GLSL", GLSL),
    has("gl_Position", "GLSL", GLSL),
    has("gl_FragColor", "GLSL", GLSL),
    has("@vertex", "WGSL", "vecasm writes it (`to wgsl`) but does not read it"),
    has("@fragment", "WGSL", "vecasm writes it (`to wgsl`) but does not read it"),
    has("SV_Position", "HLSL", COMPILE_HLSL),
    has("SV_Target", "HLSL", COMPILE_HLSL),
    has("cbuffer ", "HLSL", COMPILE_HLSL),
    has(": POSITION", "HLSL", COMPILE_HLSL),
    has(": COLOR", "HLSL", COMPILE_HLSL),
    has(": TEXCOORD", "HLSL", COMPILE_HLSL),
    has("sampler2D ", "HLSL or GLSL", COMPILE_HLSL),
    has("void main", "GLSL", GLSL),
    begins("<", "XML or HTML", "cut the shader out of it"),
];

/// The kinds of files that are told and not read, each once: what it is, and advice for those who have one.
pub fn recognized() -> impl Iterator<Item = (&'static str, &'static str)> {
    let by_bytes = MAGICS.iter().map(|magic| (magic.what, magic.advice));
    let by_words = SIGNS.iter().map(|sign| (sign.what, sign.advice));
    let all = by_bytes.chain([TRACE]).chain(by_words);
    // Containers are no kind of their own here.
    let others = all.filter(|(what, advice)| *advice != NAME_ONE && !what.ends_with("(DXBC)"));
    let mut told = BTreeSet::new();
    others.filter(move |(what, _)| told.insert(*what))
}

/// Bytes that are looked at for words.
const HEAD: usize = 1 << 16;

/// The kind of an input that is no program, and what to do with it, for the end of a sentence: `a picture (PNG): …`.
pub(super) fn describe(input: &Input) -> Option<Cow<'static, str>> {
    let bytes = input.bytes();
    if bytes.is_empty() {
        return Some("empty".into());
    }
    let fits = |magic: &&Magic| bytes.get(magic.at..).is_some_and(|rest| rest.starts_with(magic.bytes));
    if let Some(magic) = MAGICS.iter().find(fits) {
        return Some(super::advise(magic.what, magic.advice).into());
    }
    if is_trace(bytes) {
        return Some(super::advise(TRACE.0, TRACE.1).into());
    }
    let text = core::str::from_utf8(bytes).ok()?;
    #[cfg(feature = "files")]
    if let Some(json) = json(text, input.is_called_json()) {
        return Some(json.into());
    }
    let mut end = text.len().min(HEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or("");
    let fits = |sign: &&Sign| {
        if sign.line {
            head.lines().any(|line| line.trim_start().starts_with(sign.word))
        } else {
            head.contains(sign.word)
        }
    };
    SIGNS.iter().find(fits).map(|sign| super::advise(sign.what, sign.advice).into())
}

/// Whether bytes are chunks of Snappy as apitrace writes them: two letters, and the size of a chunk, which has 1 MiB unpacked.
fn is_trace(bytes: &[u8]) -> bool {
    let Some((b"at", rest)) = bytes.split_first_chunk() else { return false };
    let size = rest.first_chunk().map_or(0, |size| u32::from_le_bytes(*size));
    (1..=2 << 20).contains(&size)
}

/// The kind of a JSON file, or the error in it. `named` tells whether the file is called so.
#[cfg(feature = "files")]
fn json(text: &str, named: bool) -> Option<String> {
    let trimmed = text.trim_start();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    match serde_json::from_str::<serde_json::Value>(trimmed) {
        Ok(value) => {
            let has = |keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
            let (what, advice) = if has(&["vertex", "fragment", "draws", "passes", "commands"]) {
                ("a scene", "`vecasm render` draws it")
            } else if has(&["inputs", "constants", "buffers", "images"]) {
                ("a run file", "give it to `vecasm run PROGRAM -i`")
            } else {
                ("JSON", "it holds no program that vecasm recognizes")
            };
            Some(super::advise(what, advice))
        }
        // A list in brackets may be anything else, unless its name says what it is.
        Err(_) if trimmed.starts_with('[') && !named => None,
        Err(error) => {
            let front = text.get(..text.len() - trimmed.len()).unwrap_or("");
            let lines = error.line() + front.matches('\n').count();
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or(&why);
            Some(alloc::format!("invalid JSON: {why} in line {lines}, column {}", error.column()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_magic_hides_another() {
        for (n, magic) in MAGICS.iter().enumerate() {
            let before = &MAGICS[..n];
            let hidden = before.iter().any(|b| b.at == magic.at && magic.bytes.starts_with(b.bytes));
            assert!(!hidden, "{}", magic.what);
        }
    }
}
