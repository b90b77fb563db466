//! The rules of assembly text, and how the readers of this room report.

pub(super) use crate::findings::{Findings, NoComma, Quoted, nearest};
use vecasm_ir::diag::rules;

rules! {
    /// Every rule of assembly text, in the order of a reader's work.
    pub const RULES;
    /// The ids of [`RULES`].
    pub(super) mod id;

    ASSEMBLER "AGAL-assembler" Error "%1",
        "Adobe's AGALMiniAssembler refuses the text with this message (compat mode).";
    BAD_LINE "AGAL-bad-line" Warning "bad line %1: %2",
        "Adobe's AGALMiniAssembler does not know the mnemonic and skips the line (compat mode).";
    STAGE_UNKNOWN "AGAL-stage-unknown" Error "cannot tell whether this is a vertex or a fragment program",
        "The stage comes from the directive `.agal`, from the caller, or from the first register that only one stage has.";
    VERSION_UNKNOWN "AGAL-version-unknown" Error "AGAL has no version %1",
        "The versions are 1 to 4; other version words are written with `.header`.";
    VERSION_INFERRED "AGAL-version-inferred" Note "%1 needs AGAL %2, and no version is given: assuming %2",
        "A text without a version has the first one with all of its operations and registers. A register of a later version may be a typo.";
    UNKNOWN_DIRECTIVE "AGAL-unknown-directive" Error "unknown directive %1",
        "The directives are `.agal`, `.header`, `.token` and `.tail`.";
    BAD_DIRECTIVE "AGAL-bad-directive" Error "%1 needs %2",
        "A directive has a fixed number of operands, separated by white space.";
    DIRECTIVE_PLACE "AGAL-directive-place" Error "%1 must appear %2",
        "The header comes first and once, `.tail` comes last and once.";
    UNKNOWN_OPCODE "AGAL-unknown-opcode" Error "unknown mnemonic %1",
        "Adobe's AGALMiniAssembler skips such a line and says so in the trace only.";
    OPCODE_VERSION "AGAL-opcode-version" Error "%1 needs AGAL %2",
        "The operation does not exist in the version of the program.";
    OPCODE_STAGE "AGAL-opcode-stage" Error "%1 exists in %2 programs only",
        "The operation does not exist in the stage of the program.";
    OPERAND_COUNT "AGAL-operand-count" Error "%1 takes %2, found %3",
        "Every operation has a fixed number of operands.";
    SEPARATOR "AGAL-separator" Error "%1",
        "Operands are separated by one comma. Adobe's AGALMiniAssembler ignores anything else between them.";
    JUNK "AGAL-junk" Error "unexpected %1",
        "Adobe's AGALMiniAssembler ignores characters that it does not understand, so a typo goes unnoticed.";
    UNKNOWN_REGISTER "AGAL-unknown-register" Error "unknown register %1",
        "Register names are lower case and belong to a stage: va vc vt op vs, fc ft oc fs od, v, iid.";
    REGISTER_STAGE "AGAL-register-stage" Error "%1 is a register of %2 programs",
        "Apart from the varyings, every register belongs to one stage.";
    REGISTER_NUMBER "AGAL-register-number" Error "%1 needs a number",
        "Adobe's AGALMiniAssembler reads a missing number as 0; only op, oc, od and iid have none.";
    REGISTER_RANGE "AGAL-register-range" Error "%1 does not exist in %2 programs of AGAL %3",
        "The number of registers of each type depends on the version.";
    SUFFIX "AGAL-suffix" Error "%1 is not a suffix",
        "A write mask or swizzle is 1 to 4 letters of xyzw. Adobe's AGALMiniAssembler ignores other letters, even rgba, and then uses all lanes.";
    MASK_ORDER "AGAL-mask-order" Error "the letters of the write mask %1 are repeated or out of order",
        "A write mask is a set: Adobe's AGALMiniAssembler sorts it, which is rarely what was meant.";
    INDIRECT "AGAL-indirect" Error "%1 cannot be indexed",
        "Only vc can be indexed by a register, in the sources of vertex programs.";
    INDEX_REGISTER "AGAL-index-register" Error "%1 cannot be an index",
        "The index is a component of an attribute, a constant or a temporary.";
    INDEX_COMPONENT "AGAL-index-component" Error "the component of the index register is missing",
        "Adobe's AGALMiniAssembler throws TypeError #1009 here.";
    INDEX_OFFSET "AGAL-index-offset" Error "the offset %1 is out of range",
        "The offset is one byte: -128 to 255. Adobe's C++ code reads it as signed, its assembler writes it as unsigned.";
    SAMPLER_EXPECTED "AGAL-sampler-expected" Error "the third operand of %1 is a sampler, not %2",
        "Adobe's AGALMiniAssembler accepts any register there and uses its number.";
    OPTIONS_SYNTAX "AGAL-options-syntax" Error "%1",
        "Sampler options go between < and > at the end of the line, separated by commas or white space.";
    OPTIONS_UNWANTED "AGAL-options-unwanted" Error "%1 takes no sampler options",
        "In Adobe's AGALMiniAssembler they would apply to the next texture operation without options.";
    OPTIONS_MISSING "AGAL-options-missing" Error "sampler options are missing after a line that has some",
        "Adobe's AGALMiniAssembler reuses the options of the last line that had any; ports of it do not.";
    UNKNOWN_OPTION "AGAL-unknown-option" Error "unknown sampler option %1",
        "Adobe's AGALMiniAssembler reads an unknown option as a bias of 0.";
    OPTION_CONFLICT "AGAL-option-conflict" Error "%1 contradicts %2",
        "Adobe's AGALMiniAssembler uses the last one.";
    OPTION_REPEATED "AGAL-option-repeated" Error "%1 is given twice",
        "Adobe's AGALMiniAssembler accepts it, but one of the two was probably meant to be something else.";
    LOD_BIAS "AGAL-lod-bias" Error "the bias %1 cannot be encoded",
        "The bias is a multiple of 0.125 from -16 to 15.875. Adobe's AGALMiniAssembler rounds towards zero and wraps around.";
    MACRO_COMMENT "AGAL-macro-comment" Error "the comment is not closed",
        "Adobe's AGALMacroAssembler would read the text after /* as a statement.";
    MACRO_DIRECTIVE "AGAL-macro-directive" Error "%1",
        "The preprocessor has #define NAME value, #undef NAME, #if, #elif, #else and #endif.";
    MACRO_CONDITION "AGAL-macro-condition" Error "%1",
        "Every #if ends with one #endif; between them come any number of #elif and, last, at most one #else.";
    MACRO_EXPRESSION "AGAL-macro-expression" Error "%1",
        "Expressions consist of numbers, variables, parentheses and ! * / + - < > <= >= == != && ||. Adobe's AGALMacroAssembler throws at <=, and at an operator after a number that begins the expression.";
    MACRO_LOGIC "AGAL-macro-logic" Error "&& after || without parentheses",
        "In Adobe's AGALMacroAssembler the two have the same precedence, from left to right; in C && binds tighter. So a || b && c means different things.";
    MACRO_UNDEFINED "AGAL-macro-undefined" Error "%1",
        "A variable is defined with a value before it is used: #define NAME 1. Adobe's AGALMacroAssembler throws.";
    MACRO_ALIAS "AGAL-macro-alias" Error "%1",
        "alias REGISTER, NAME names a register; alias REGISTER, NAME(x, y, z, w) also says what a constant register holds.";
    MACRO_CONSTANT "AGAL-macro-constant" Error Documented "Numeric constant used that is not declared in a constant register.",
        "AGAL has no literals: a number names a component of a register that an alias declares, as in alias vc4, TWO(2, 0.5).";
    MACRO_DEFINITION "AGAL-macro-definition" Error "%1",
        "macro NAME(a, b) { … } defines a macro; no other has the same name and number of parameters.";
    MACRO_UNKNOWN "AGAL-macro-unknown" Error "there is no macro %1 with %2 parameters",
        "A macro is called after its definition, with as many arguments as it has parameters.";
    MACRO_ARGUMENT "AGAL-macro-argument" Error "an argument is a single operand",
        "Adobe's AGALMacroAssembler takes arguments of one word only.";
    MACRO_RECURSION "AGAL-macro-recursion" Error "%1 calls itself",
        "Macros are expanded in place, so one that calls itself would never end.";
    MACRO_STATEMENT "AGAL-macro-statement" Error "%1",
        "Assignments are a = b, a = -b, a = b + c (also - * /), a += b (also -= *= /=), a = b*c + d, a = b + c*d, a = NAME(b, c), a = tex<options>(b, fs0).";
    MACRO_CLOBBER "AGAL-macro-clobber" Error "%1",
        "a = b*c + d becomes mul a, b, c and add a, a, d: a must be readable, and writing a must not change d.";
    MACRO_SUFFIX "AGAL-macro-suffix" Error "%1 is an alias of %2: two suffixes",
        "Adobe's AGALMacroAssembler puts the two suffixes side by side, and the second is ignored.";
    MACRO_LIMIT "AGAL-macro-limit" Error "%1",
        "The expansion is limited, to bound time and memory.";
    MORE "AGAL-more-findings" Note "%1 more findings are not listed",
        "A text with that many errors is probably not AGAL.";
}
