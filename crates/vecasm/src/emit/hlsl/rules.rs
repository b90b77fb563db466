//! What the writer refuses, and why.

pub(super) use crate::emit::rules::refused;
use crate::emit::rules::rules;

rules! {
    BITS "HLSL-bits" "The operation is on bits or on integers, which shader model 3.0 lacks."
        "There integers are floats, exact up to 2^24. Take model 4.0.";
    DEPTH "HLSL-depth" "Regions are nested more than 100 deep."
        "Compilers end somewhere; this is where the writer does.";
    FLUSH "HLSL-flush" "The operation flushes denormals."
        "HLSL leaves that to the hardware. Expand the arithmetic before, or lift without flushing.";
    HANDLE "HLSL-handle" "A texture is chosen by a computed index or a handle."
        "Choose with a switch before.";
    INDEX "HLSL-index" "Something is chosen by a computed index, which shader model 3.0 lacks."
        "Vertex shaders have constants with a computed index, and nothing else is there. Take model 4.0.";
    INPUT "HLSL-input" "The input has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    LOOP "HLSL-loop" "A loop is never left."
        "dxc refuses such a loop.";
    MEMORY "HLSL-memory" "The buffer or image, or this use of it, has no counterpart in this shader model."
        "Model 5.0 has both, reads images of one 32-bit channel, and addresses buffers by the word; 5.1 reads the others.";
    NAME "HLSL-name" "A chosen name is no identifier."
        "ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "HLSL-nv20" "The operation computes as the NV20 family does."
        "The arithmetic of a GPU cannot say it. Expand it into integer operations before, or lift with another arithmetic.";
    OFFSET "HLSL-offset" "The offset of a texture read cannot be said."
        "HLSL takes constant offsets in -8..=7, and none for cubes. Add it to the coordinate before.";
    OP "HLSL-op" "The operation has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    OUTPUT "HLSL-output" "The output has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    PATCH "HLSL-patch" "What the patch has cannot be told apart from what its control points have."
        "Direct3D computes each control point alone, and behind all of them what the patch has, which may depend on their ends. The message says what depends on what.";
    PRECISE "HLSL-precise" "The operation must not be contracted or reassociated."
        "Only shader model 5 has a word for that. Take it, or the attribute away if the difference does not matter.";
    REGISTER "HLSL-register" "A resource has no register in this shader model."
        "Direct3D has registers b0 to b13 of 4096 elements, t0 to t127 and s0 to s15; Direct3D 9 has 256 or 224 of c, 16 or 4 of s.";
    SERIAL "HLSL-serial" "Invocations run one after another."
        "A GPU runs them side by side: what one leaves for the next is lost.";
    STAGE "HLSL-stage" "The stage is not written for this shader model."
        "Vertex and fragment shaders are, geometry shaders from model 4.0 on, hull, domain and compute shaders from 5.0 on. Streams beside the \
         first need points and model 5.0.";
    SUBGROUP "HLSL-subgroup" "The shader asks its subgroup."
        "Only shader model 6 has such questions.";
    TEXTURE "HLSL-texture" "The texture, or this way of reading it, has no counterpart in this shader model."
        "The message names what is missing. A dimension that a state decides has to be fixed before.";
    TYPE "HLSL-type" "The shader computes with 64-bit values that this shader model lacks."
        "From model 4.0 on, one value or a vector of two is written as pairs of words where the model has no such type: split larger vectors before.";
    WORKGROUP "HLSL-workgroup" "The size of the workgroup is not known, or has more than 64 layers."
        "Give it before.";
}
