//! The rules of assembly text, and how the reader reports.

use crate::diag::{Diagnostic, Provenance, Rule, Severity, Span};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// One line a rule: its constant, its id, message and reason. Makes [`RULES`] and the ids.
macro_rules! rules {
    ($( $C:ident $id:literal $severity:ident $p:ident $message:literal, $reason:literal; )*) => {
        /// The ids of [`RULES`].
        pub(super) mod id {
            $( pub(in crate::isa::d3d9::text) const $C: &str = $id; )*
        }
        /// Every rule of assembly text, in the order of a reader's work.
        pub const RULES: &[Rule] = &[$( Rule {
            id: $id, number: 0, severity: Severity::$severity, message: $message, reason: $reason,
            provenance: Provenance::$p,
        } ),*];
    };
}

rules! {
    VERSION "D3D9-version" Error Documented "%1",
        "A text begins with the model: `vs_2_0`, `ps_2_x`, or with dots `vs.1.1`.";
    COMMENT "D3D9-comment" Error Documented "the comment has no end",
        "A comment that begins with /* ends with */.";
    PREPROCESSOR "D3D9-preprocessor" Error Own "%1",
        "Directives of the preprocessor are not read by this version; run the text through a C preprocessor first.";
    SYNTAX "D3D9-syntax" Error Documented "%1",
        "A statement is a mnemonic with suffixes, a destination and its sources, separated by commas.";
    MNEMONIC "D3D9-mnemonic" Error Documented "%1",
        "The manual lists the instructions of each stage; suffixes follow an underscore.";
    MODIFIER "D3D9-modifier" Error Documented "%1",
        "Results have _x2 _x4 _x8 _d2 _d4 _d8 (one of them), _sat, _pp, _centroid; sources have -, 1-, !, _bias, _bx2, _x2, _dz, _dw, _abs; if, break and setp have a comparison.";
    OPERANDS "D3D9-operands" Error Documented "%1",
        "An instruction has the number of operands that the manual says; an encoded one has at most 15 words.";
    REGISTER "D3D9-register" Error Documented "%1",
        "The registers of vertex and pixel shaders have names of their own.";
    INDEX "D3D9-index" Error Documented "%1",
        "An index is the sum of numbers and at most one register: c[a0.x + 2], c2[a0.x], v[aL]. Models 1.x have a0.x alone.";
    LANES "D3D9-lanes" Error Documented "%1",
        "A write mask has letters of xyzw or rgba in that order, each at most once; a swizzle has one to four, and the last is repeated.";
    NUMBER "D3D9-number" Error Documented "%1",
        "Numbers are decimal, def takes floating-point ones with or without exponent, or bits after 0x; defi takes 32-bit integers.";
    DECLARATION "D3D9-declaration" Error Documented "%1",
        "A declaration is dcl_USAGE[INDEX], dcl_1d, dcl_2d, dcl_cube, dcl_volume or dcl; an index is 0-15.";
    DIRECTIVE "D3D9-directive" Error Own "%1",
        "The directives of the lossless style are .raw WORDS, .comment NAME { WORDS }, .end, .noend and .bytes BYTES; behind .end only .raw and .bytes stand.";
    MORE "D3D9-more-findings" Note Own "%1 more findings are not listed",
        "A text gives at most 100 findings.";
}

/// Most findings of one text.
const MAX_FINDINGS: usize = 100;
/// Most characters of a quotation.
const MAX_QUOTED: usize = 40;

/// What a reader has found.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Findings {
    /// An error at `span`.
    #[cold]
    pub(super) fn error(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        if self.list.len() >= MAX_FINDINGS {
            self.left_out += 1;
        } else {
            self.list.push(Diagnostic::error(id, format!("{message}")).at_span(span));
        }
    }

    /// Whether there was an error.
    pub(super) fn has_errors(&self) -> bool {
        !self.list.is_empty()
    }

    /// The findings.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more findings are not listed", self.left_out);
            self.list.push(Diagnostic::new(Severity::Note, id::MORE, message));
        }
        self.list
    }
}

/// A piece of the text in backquotes, shortened if it is long, without control characters.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for (i, c) in text.chars().enumerate() {
        if i == MAX_QUOTED {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}
