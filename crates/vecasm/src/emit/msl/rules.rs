//! What the writer refuses, and why.

pub(super) use crate::emit::rules::refused;
use crate::emit::rules::rules;

rules! {
    ATOMIC "MSL-atomic" "This atomic operation of a fragment shader needs a loop."
        "Metal has add, min, max, and, or, xor and exchange of uint. The others are tried until nobody comes between, and a helper invocation might try forever.";
    BINDING "MSL-binding" "A resource has no index of its own."
        "Metal has 31 buffers, 128 textures and 16 samplers a stage, and one thing at each. Choose other first indices.";
    BUFFER "MSL-buffer" "A vertex shader writes a buffer or an image."
        "Not every device with Metal lets a vertex shader write: take a fragment or compute shader.";
    DEPTH "MSL-depth" "Regions are nested more than 100 deep."
        "Compilers end somewhere; this is where the writer does.";
    FLUSH "MSL-flush" "The operation flushes denormals."
        "Metal leaves that to the device. Expand the arithmetic before, or lift without flushing.";
    HANDLE "MSL-handle" "A resource is chosen by a computed index or a handle."
        "Choose with a switch before.";
    IMAGE "MSL-image" "The image, or what is done with it, has no counterpart in this version of Metal."
        "The message names it.";
    INPUT "MSL-input" "The input has no counterpart in this version of Metal."
        "The message names it. A higher version may have it.";
    LOOP "MSL-loop" "A loop is never left."
        "In C++, on which the language is based, such a loop may be taken for one that is never reached; so it has to have a way out.";
    NAME "MSL-name" "A chosen name is no identifier."
        "ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "MSL-nv20" "The operation computes as the NV20 family does."
        "The arithmetic of a GPU cannot say it. Expand it into integer operations before, or lift with another arithmetic.";
    OFFSET "MSL-offset" "The offset of a texture read cannot be said."
        "Metal takes constant offsets in -8..=7, and none for lines and cubes. Add it to the coordinate before.";
    OP "MSL-op" "The operation has no counterpart in Metal."
        "The message names it.";
    OUTPUT "MSL-output" "The output has no counterpart in this version of Metal."
        "The message names it. A higher version may have it.";
    PRECISE "MSL-precise" "The operation must not be contracted or reassociated."
        "The versions that are written cannot forbid that in the text. Take the attribute away if the difference does not matter.";
    SERIAL "MSL-serial" "Invocations run one after another."
        "A GPU runs them side by side: what one leaves for the next is lost.";
    STAGE "MSL-stage" "Metal has no such stage."
        "It has vertex, fragment and compute shaders, and another kind of tessellation.";
    SUBGROUP "MSL-subgroup" "The shader asks its subgroup."
        "That is not written as MSL.";
    TEXTURE "MSL-texture" "The texture, or this way of reading it, has no counterpart in this version of Metal."
        "The message names what is missing. A dimension that a state decides has to be fixed before.";
    TYPE "MSL-type" "A 64-bit value cannot be written as words."
        "One value or a vector of two is written as pairs of words. Split larger vectors before.";
}
