//! What the writer refuses, and why.

pub(super) use crate::rules::refused;
use vecasm_ir::diag::rules;

rules! {
    /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
    /// but for what the [module documentation](super) says about GPUs.
    pub const RULES;
    pub(super) const;

    DEPTH "GLSL-depth" "Regions are nested more than 100 deep."
        "Compilers have a limit; this is the writer's.";
    FLUSH "GLSL-flush" "The operation flushes denormals."
        "GLSL leaves that to the implementation. Expand the arithmetic first, or lift without flushing.";
    HANDLE "GLSL-handle" "A texture, an image or a buffer is selected by a computed index or a handle."
        "Select with a switch first.";
    IMAGE "GLSL-image" "The image, or the access to it, has no counterpart in this version of GLSL."
        "Images exist from 420 and ES 310 on. The message names what is missing.";
    INDEX "GLSL-index" "An element is selected by a computed index."
        "ES 100 indexes only the constants of vertex shaders.";
    INPUT "GLSL-input" "The input has no counterpart in this version of GLSL."
        "The message names it. A higher version may have it.";
    INTEGER "GLSL-integer" "The shader uses integers that this version of GLSL lacks."
        "GLSL before 130 and ES 100 have no unsigned integers, no bit operations, no access to the bits of floats, and only integers up to 65535.";
    MEMORY "GLSL-memory" "The shader uses memory in a way that this version of GLSL lacks."
        "Buffers exist from 430 and ES 310 on.";
    NAME "GLSL-name" "A chosen name is not an identifier, or is reserved."
        "Identifiers are ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "GLSL-nv20" "The operation has the arithmetic of the NV20 family."
        "The arithmetic of a GPU cannot express it. Expand it into integer operations first, or lift with another arithmetic.";
    OFFSET "GLSL-offset" "The offset of a texture read cannot be expressed."
        "GLSL takes constant offsets in -8..=7, and none for cubes. Add it to the coordinate first.";
    OP "GLSL-op" "The operation has no counterpart in GLSL."
        "The message names it.";
    OUTPUT "GLSL-output" "The output has no counterpart in this version of GLSL."
        "The message names it. A higher version may have it.";
    PRECISE "GLSL-precise" "The operation must not be contracted or reassociated."
        "`precise` exists from 400 and ES 310 on. Remove the attribute if the difference does not matter.";
    SERIAL "GLSL-serial" "Invocations run one after another."
        "A GPU runs them in parallel: what one leaves for the next is lost.";
    STAGE "GLSL-stage" "The stage, or what it declares, has no counterpart in this version of GLSL."
        "Geometry shaders exist from 150 and ES 310 on, tessellation from 400 and ES 310 on, compute shaders from 430 and ES 310 on. The message says what is missing.";
    SUBGROUP "GLSL-subgroup" "The shader uses subgroup operations, which this version of GLSL lacks."
        "They are an extension of 430 and ES 310; votes of fragment shaders, in which helpers must not count, need one of 450 and ES 310.";
    TEXTURE "GLSL-texture" "The texture, or this way of reading it, has no counterpart in this version of GLSL."
        "The message names what is missing. A dimension that depends on a state is fixed by `opt::settle` between lifting and writing; `vecasm to` does so, and `--state` chooses the value.";
    TYPE "GLSL-type" "The shader computes with 64-bit values that this version of GLSL lacks."
        "Where a version with access to the bits of floats has no such type, a scalar or a vector of two is written as pairs of words: split larger vectors first, or use 150 or ES 300.";
    WORKGROUP "GLSL-workgroup" "The size of the workgroup is unknown."
        "GLSL needs it in the text. Set it when lifting.";
}
