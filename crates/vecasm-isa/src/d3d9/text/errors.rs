//! The rules of assembly text, and how the reader of this room reports.

pub(super) use crate::findings::{Findings, Overflow, Quoted};
use vecasm_ir::diag::rules;

rules! {
    /// Every rule of assembly text, in the order of a reader's work.
    pub const RULES;
    /// The ids of [`RULES`].
    pub(in crate::d3d9) mod id;

    VERSION "D3D9-version" Error Documented "%1",
        "A text begins with the model: `vs_2_0`, `ps_2_x`, or with dots `vs.1.1`.";
    COMMENT "D3D9-comment" Error Documented "the comment is not closed",
        "A comment that begins with /* ends with */.";
    PREPROCESSOR "D3D9-preprocessor" Error Documented "%1",
        "Lines that begin with # are for the preprocessor: define, undef, if, ifdef, ifndef, elif, else, endif, include, line, error, pragma.";
    CONDITION "D3D9-condition" Error Documented "%1",
        "Each #if, #ifdef or #ifndef has its #endif in the same file, with #elif and #else between them. Wine accepts a missing #endif.";
    MACRO "D3D9-macro" Error Documented "%1",
        "A macro takes as many arguments as it has parameters, in parentheses that are closed.";
    INCLUDE "D3D9-include" Error Documented "%1",
        "Included files are searched for in the given folders; they nest at most 32 deep and are limited in size.";
    ERROR "D3D9-error" Error Documented "%1",
        "#error reports its own text as an error.";
    EXPANSION "D3D9-expansion" Error "%1",
        "The expansion of macros is limited: the result to twice the bytes read plus 64 KiB, the nesting of arguments to 64.";
    LISTING "D3D9-listing" Error Documented "%1",
        "A listing of an effect has a shader in each `asm { }`; one of them is assembled.";
    SYNTAX "D3D9-syntax" Error Documented "%1",
        "A statement is a mnemonic with suffixes, a destination and its sources, separated by commas.";
    MNEMONIC "D3D9-mnemonic" Error Documented "%1",
        "The manual lists the instructions of each stage; suffixes follow an underscore.";
    MODIFIER "D3D9-modifier" Error Documented "%1",
        "Results can have _x2 _x4 _x8 _d2 _d4 _d8 (one of them), _sat, _pp, _centroid; sources can have -, 1-, !, _bias, _bx2, _x2, _dz, _dw, _abs; if, break and setp have a comparison.";
    OPERANDS "D3D9-operands" Error Documented "%1",
        "An instruction has the number of operands that the manual gives; an encoded one has at most 15 words.";
    REGISTER "D3D9-register" Error Documented "%1",
        "The registers of vertex and pixel shaders have names of their own.";
    INDEX "D3D9-index" Error Documented "%1",
        "An index is the sum of numbers and at most one register: c[a0.x + 2], c2[a0.x], v[aL]. Models 1.x have only a0.x.";
    LANES "D3D9-lanes" Error Documented "%1",
        "A write mask has letters of xyzw or rgba in that order, each at most once; a swizzle has one to four, and the last is repeated.";
    NUMBER "D3D9-number" Error Documented "%1",
        "Numbers are decimal, def takes floating-point ones with or without exponent, or bits after 0x; defi takes 32-bit integers.";
    OVERFLOW "D3D9-overflow" Warning "%1",
        "A number above the largest f32 is read as infinity, which arithmetic turns into NaN sooner or later. `1.#INF` is an infinity that is meant.";
    DECLARATION "D3D9-declaration" Error Documented "%1",
        "A declaration is dcl_USAGE[INDEX], dcl_1d, dcl_2d, dcl_cube, dcl_volume or dcl; an index is 0-15.";
    DIRECTIVE "D3D9-directive" Error "%1",
        "The directives of the lossless style are .raw WORDS, .comment NAME { WORDS }, .preshader { TEXT }, .end, .noend and .bytes BYTES; only .raw and .bytes may follow .end.";
    MORE "D3D9-more-findings" Note "%1 more findings are not listed",
        "At most 1000 findings of a text are listed.";
}
