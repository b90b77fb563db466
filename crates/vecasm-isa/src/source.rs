//! Sources in shading languages that are given to an assembler: one error names the language, instead of one error a line.

use super::text::cursor::words;
use super::{Isa, SOURCE};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span, has_errors};

/// A shading language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Cg or HLSL, which the text does not tell apart.
    Hlsl,
    /// The language of OpenGL.
    Glsl,
}

impl Language {
    /// Its name, and what to do with it where a program of this instruction set is wanted.
    pub fn advice(self, isa: Isa) -> (&'static str, &'static str) {
        match (self, isa.name()) {
            (Self::Glsl, _) => (
                "GLSL",
                "vecasm writes GLSL (`to glsl`) but does not read it; it reads the TGSI that a driver compiles from it",
            ),
            (Self::Hlsl, "nv2a") => ("Cg", "compile it with `cgc -profile vp20`, and give vecasm the output"),
            (Self::Hlsl, "d3d9") => (
                "HLSL",
                "compile it with `fxc /T vs_3_0` or `ps_3_0`, or with `vkd3d-compiler -b d3d-bytecode`",
            ),
            (Self::Hlsl, _) => (
                "HLSL or Cg",
                "compile it for Direct3D 9 (fxc, vkd3d-compiler) or the NV2A (cgc -profile vp20); vecasm reads both",
            ),
        }
    }
}

/// The shading language of a text, and the place that shows it.
pub fn language_of(text: &str) -> Option<(Language, Span)> {
    /// Bytes searched.
    const HEAD: usize = 1 << 16;
    const VECTORS: [&str; 10] = [
        "float2",
        "float3",
        "float4",
        "half2",
        "half3",
        "half4",
        "fixed4",
        "float4x4",
        "float3x3",
        "sampler2D",
    ];
    let code = without_comments(text.get(..HEAD).unwrap_or(text));
    if !code.contains('{') {
        return None;
    }
    let (mut main, mut before, mut from, mut hlsl) = (None, "", 0, false);
    for (start, word) in words(&code) {
        let span = Span::new(start, start + word.len());
        let version =
            word == "version" && code.get(..start).is_some_and(|front| front.trim_end().ends_with('#'));
        if version || word.starts_with("gl_") {
            return Some((Language::Glsl, span));
        }
        let semantic = code.get(..start).is_some_and(|front| front.trim_end().ends_with(':'))
            && ["POSITION", "COLOR", "TEXCOORD", "NORMAL", "SV_"].iter().any(|known| word.starts_with(known));
        if semantic && hlsl {
            return Some((Language::Hlsl, main.unwrap_or(span)));
        }
        hlsl |= VECTORS.contains(&word);
        if matches!(before, "struct" | "cbuffer") || VECTORS.contains(&before) || before == "void" {
            main = main.or(Some(Span::new(from, start + word.len())));
        }
        let called = code.get(start + word.len()..).is_some_and(|rest| rest.trim_start().starts_with('('));
        if word == "main" && before == "void" && called {
            let language = if hlsl { Language::Hlsl } else { Language::Glsl };
            return Some((language, main.unwrap_or(span)));
        }
        if word == "main" && VECTORS.contains(&before) && called {
            return Some((Language::Hlsl, main.unwrap_or(span)));
        }
        (before, from) = (word, start);
    }
    None
}

/// Replaces all findings about a text that cannot be read by one if it is a source in a shading language.
pub fn blame(isa: Isa, text: &str, findings: &mut Vec<Diagnostic>) {
    if !has_errors(findings) || isa.is_text(text) {
        return;
    }
    let Some((language, span)) = language_of(text) else { return };
    let (name, advice) = language.advice(isa);
    findings.clear();
    findings.push(SOURCE.finding(SOURCE.fill(&[&name])).with_help(advice).at_span(span));
}

/// A text with blanks for its comments.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (front, comment) = rest.split_at(start);
        let end =
            if comment.starts_with("//") { comment.find('\n') } else { comment.find("*/").map(|n| n + 2) };
        let (comment, after) = comment.split_at(end.unwrap_or(comment.len()));
        out.push_str(front);
        out.extend(comment.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        rest = after;
    }
    out.push_str(rest);
    out
}
