//! What the writer refuses, and why.

pub(super) use crate::emit::rules::refused;
use crate::emit::rules::rules;

rules! {
    DEPTH "GLSL-depth" "Regions are nested more than 100 deep."
        "Compilers end somewhere; this is where the writer does.";
    FLUSH "GLSL-flush" "The operation flushes denormals."
        "GLSL leaves that to the implementation. Expand the arithmetic before, or lift without flushing.";
    HANDLE "GLSL-handle" "A texture, an image or a buffer is chosen by a computed index or a handle."
        "Choose with a switch before.";
    IMAGE "GLSL-image" "The image, or what is done with it, has no counterpart in this version of GLSL."
        "Images are there from 420 and ES 310 on. The message names what is missing.";
    INDEX "GLSL-index" "Something is chosen by a computed number."
        "ES 100 lets only vertex shaders do that, with constants.";
    INPUT "GLSL-input" "The input has no counterpart in this version of GLSL."
        "The message names it. A higher version may have it.";
    INTEGER "GLSL-integer" "Whole numbers are computed with that this version of GLSL has not."
        "GLSL before 130 and ES 100 have no unsigned integers, no bit operations, no bits of floats, and integers within 65535 only.";
    MEMORY "GLSL-memory" "The shader uses memory in a way that this version of GLSL has not."
        "Buffers are there from 430 and ES 310 on.";
    NAME "GLSL-name" "A chosen name is no identifier."
        "ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "GLSL-nv20" "The operation computes as the NV20 family does."
        "The arithmetic of a GPU cannot say it. Expand it into integer operations before, or lift with another arithmetic.";
    OFFSET "GLSL-offset" "The offset of a texture read cannot be said."
        "GLSL takes constant offsets in -8..=7, and none for cubes. Add it to the coordinate before.";
    OP "GLSL-op" "The operation has no counterpart in GLSL."
        "The message names it.";
    OUTPUT "GLSL-output" "The output has no counterpart in this version of GLSL."
        "The message names it. A higher version may have it.";
    PRECISE "GLSL-precise" "The operation must not be contracted or reassociated."
        "`precise` is there from 400 and ES 310 on. Take the attribute away if the difference does not matter.";
    SERIAL "GLSL-serial" "Invocations run one after another."
        "A GPU runs them side by side: what one leaves for the next is lost.";
    STAGE "GLSL-stage" "The stage, or what it declares, has no counterpart in this version of GLSL."
        "Geometry shaders are there from 150 and ES 310 on, tessellation from 400 and ES 310 on, compute shaders from 430 and ES 310 on. The message says what is missing.";
    SUBGROUP "GLSL-subgroup" "The shader asks its subgroup, which this version of GLSL does not know."
        "That is an extension of 430 and ES 310; votes of fragment shaders, in which helpers must not count, one of 450 and ES 310.";
    TEXTURE "GLSL-texture" "The texture, or this way of reading it, has no counterpart in this version of GLSL."
        "The message names what is missing. A dimension that a state decides has to be fixed before.";
    TYPE "GLSL-type" "The shader computes with 64-bit values that this version of GLSL has not."
        "Where a version with the bits of floats has no such type, one value or a vector of two is written as pairs of words: split larger vectors before, or take 150 or ES 300.";
    WORKGROUP "GLSL-workgroup" "The size of the workgroup is not known."
        "GLSL says it in the text. Give it when lifting.";
}
