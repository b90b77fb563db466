//! The rules of assembly text, and how the readers of this room report.

pub(super) use crate::findings::{Findings, NoComma, Overflow, Quoted, meant, nearest};
use vecasm_ir::diag::rules;

rules! {
    /// Every rule of assembly text, in the order of a reader's work.
    pub const RULES;
    /// The ids of [`RULES`].
    pub(super) mod id;

    ASSEMBLER "NV2A-assembler" Error Recorded "%1",
        "The parser of nv2a-vsh refuses the text with this message (compat mode).";
    EXCEPTION "NV2A-exception" Error Recorded "%1: %2",
        "nv2a-vsh stops with this exception (compat mode).";
    SYNTAX "NV2A-syntax" Error Peer "%1",
        "A statement is a mnemonic, a destination and its sources, separated by commas.";
    MNEMONIC "NV2A-mnemonic" Error Peer "unknown mnemonic %1",
        "The mnemonics are add arl dp3 dp4 dph dst expp lit logp mad max min mov mul rcc rcp rsq sge slt, and sub, exp, log and nop.";
    COMMENT "NV2A-comment" Error Peer "the comment is not closed",
        "A comment that begins with /* ends with */.";
    MASK "NV2A-mask" Error Peer "%1 is not a write mask",
        "A write mask names each of x, y, z, w (or r, g, b, a) at most once and in that order.";
    SWIZZLE "NV2A-swizzle" Error Peer "%1 is not a swizzle",
        "A swizzle is one to four letters of xyzw or rgba; the last one is repeated.";
    REGISTER "NV2A-register" Error Peer "%1",
        "The registers are r0-r11, r12 (read only), v0-v15, c0-c191, a0 and the outputs oPos oD0 oD1 oFog oPts oB0 oB1 oT0-oT3.";
    UNIFORM "NV2A-uniform" Error Peer "%1",
        "A uniform is declared before it is used: `#name vector 96` or `#name matrix4 96`.";
    UNIFORM_RANGE "NV2A-uniform-range" Warning Peer "%1 reaches c%2; the hardware has constants up to c191",
        "nv2a-vsh assembles it, and a test program of nxdk uses it; what such a constant holds is not known.";
    MACRO "NV2A-macro" Error Peer "%1",
        "The macros are `%matmul4x4 <destination> <source> <matrix_uniform>` and `%norm3 <destination> <source> <temp_register_rw>`.";
    DIRECTIVE "NV2A-directive" Error Own "%1",
        "The directives are `.nv2a`, `.constants`, `.raw`, `.push`, `.more` and `.tail`.";
    FIELD "NV2A-field" Error Own "%1",
        "Fields follow a statement as `{NAME=value …}`; docs/isa/nv2a.md lists them.";
    TWO_V "NV2A-two-v" Error Peer "two vertex attributes in one slot: v%1 and v%2",
        "A slot has one field for the number of the attribute; nv2a-vsh uses the last one without a warning.";
    TWO_C "NV2A-two-c" Error Peer "two constants in one slot: c%1 and c%2",
        "A slot has one field for the number of the constant.";
    C_ABS_REL "NV2A-c-abs-rel" Error Peer "an absolute and an A0-relative constant in one slot",
        "One bit makes all constants of a slot relative to A0; nv2a-vsh sets it without a warning.";
    OUT_PORT "NV2A-out-port" Error Peer "two outputs or constants are written in one slot",
        "A slot writes one output or constant; nv2a-vsh drops that of the scalar unit without a warning.";
    TWO_MAC "NV2A-pair-two-mac" Error Peer "two operations for the vector unit: %1",
        "A slot has one operation for each unit; the same one with the same sources may write a temporary and an output.";
    TWO_ILU "NV2A-pair-two-ilu" Error Peer "two operations for the scalar unit: %1",
        "A slot has one operation for each unit; the same one with the same sources may write a temporary and an output.";
    PAIR_MOV "NV2A-pair-mov" Error Peer "too many MOVs in one slot: %1",
        "Each unit can copy one value, to a temporary and to an output; the scalar unit's temporary is r1.";
    C_SOURCE "NV2A-pair-c-source" Error Peer "the operations of both units need source C and differ in it",
        "ADD and MAD share source C with the scalar unit: register, sign and, where more than x is read, swizzle must be the same.";
    ILU_TEMP "NV2A-pair-ilu-temp" Error Peer "a MOV paired with another operation can only write r1 or an output",
        "The temporary of the scalar unit, paired with an operation of the vector unit, is r1.";
    ILU_RENAMED "NV2A-pair-ilu-r1" Warning Recorded "the hardware writes r1 here, not r%1",
        "The temporary of the scalar unit, paired with an operation of the vector unit, is r1, as pictures of a console show; nv2a-vsh warns, too.";
    ARL_MASK "NV2A-arl-mask" Warning Recorded "a0 has x only",
        "nv2a-vsh accepts any mask after a0 and ignores it.";
    VERSION "NV2A-version" Error Peer "%1",
        "NV_vertex_program begins with !!VP1.0, !!VP1.1 or !!VSP1.0, and ends with END.";
    COMBINERS "NV2A-combiners" Error Peer "%1 is not a vertex program",
        "The register combiners and texture shaders are the pixel half of the hardware and have programs of their own.";
    EXTENSION "NV2A-extension" Error Documented "%1",
        "NV_vertex_program has rules of its own besides those of the hardware: one to 128 instructions, 96 constants, a result that is written.";
    OPTION "NV2A-option" Error Documented "the option %1 cannot be kept",
        "Position invariance asks the driver for the position of the fixed-function pipeline; a program of the hardware must compute it.";
    CONSTANT "NV2A-constant" Warning Peer "%1",
        "cgc writes the values of constants as comments of the form `#const c[12] = 0 1 0 0.5`.";
    OVERFLOW "NV2A-overflow" Warning Own "%1",
        "A number above the largest f32 is read as infinity, as C does, which arithmetic turns into NaN sooner or later.";
    SEVERAL "NV2A-several" Note Own "the text has %1 programs; this is the first",
        "Logs and dumps have many programs; each is a program of its own.";
    LOG "NV2A-log" Warning Own "%1",
        "A line of a log has a method and the word written to it; without the word the program has a gap.";
    WORD "NV2A-word" Error Own "%1",
        "A word is a number, in a log mostly up to eight hexadecimal digits after 0x; without it the others would shift.";
    GAP "NV2A-gap" Error Own "%1",
        "The words of slots and constants follow one another, start again at the first of four, or start where a load pointer says; otherwise a line is missing.";
    AROUND "NV2A-around" Note Own "skipped %1 outside the programs",
        "A log, a Markdown page or a source in another language may contain programs; its other lines are skipped.";
    EMPTY "NV2A-empty" Error Own "%1",
        "A text without a statement gives no words. A log has a program if it uploads slots (methods 0b00 to 0b7c) and draws, or launches a state program.";
    UNSAYABLE "NV2A-unsayable" Error Own "%1",
        "Other languages cannot express everything that the hardware can: NV_vertex_program has no pairs and only 96 constants, and none has the codes without a meaning.";
    MORE "NV2A-more-findings" Note Own "%1 more findings are not listed",
        "A text with that many errors is probably not for the NV2A.";
}
