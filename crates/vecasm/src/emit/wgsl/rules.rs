//! What the writer refuses, and why.

pub(super) use crate::emit::rules::refused;
use crate::emit::rules::rules;

rules! {
    ATOMIC "WGSL-atomic" "This atomic operation of a fragment shader needs a loop."
        "WGSL has add, min, max, and, or, xor and exchange of u32. The others are tried until nobody comes between, and a helper invocation might try forever.";
    BINDING "WGSL-binding" "Two things would be at one binding."
        "Choose other numbers: the constants, textures, samplers, states, buffers and images of a stage share its group.";
    BUFFER "WGSL-buffer" "A vertex shader writes a buffer."
        "WebGPU lets fragment and compute shaders write buffers.";
    COMPUTE "WGSL-compute" "No compute shader does what the shader does."
        "A vertex shader that reads attributes and the number of its vertex, and writes its outputs by name, can be one. The message says what else this one does.";
    DEPTH "WGSL-depth" "Regions are nested more than 100 deep."
        "WGSL ends at 127 braces, of which an exit may need several.";
    EXACT "WGSL-exact" "The shader cannot be written exactly."
        "A GPU may fuse, reassociate, flush and approximate what it does with f32. Exact is what can be written in integers: the arithmetic of the NV2A, and moves. The message names what cannot.";
    FLUSH "WGSL-flush" "The operation flushes denormals."
        "WGSL leaves that to the implementation. Expand the arithmetic before, or lift without flushing.";
    HANDLE "WGSL-handle" "A resource is chosen by a computed index or a handle."
        "WGSL has no arrays of bindings. Choose with a switch before.";
    IMAGE "WGSL-image" "The image, or what is done with it, has no counterpart in WGSL."
        "The message names it. Read a texture, or use a buffer.";
    INPUT "WGSL-input" "The input has no counterpart in WGSL."
        "Without extensions WGSL has attributes, varyings, vertex-index, instance-index, frag-coord, front-facing, sample-index, sample-mask, local-id, group-id and grid-size.";
    LOOP "WGSL-loop" "A loop is never left."
        "WGSL refuses such a loop; so it has to have a way out, even one that is never taken.";
    NAME "WGSL-name" "A chosen name is no identifier."
        "ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "WGSL-nv20" "The operation computes as the NV20 family does."
        "The arithmetic of a GPU cannot say it. Expand it into integer operations before, or lift with another arithmetic.";
    OFFSET "WGSL-offset" "The offset of a texture read cannot be said."
        "WGSL takes constant offsets in -8..=7, and none for 1D textures and cubes. Add it to the coordinate before.";
    OP "WGSL-op" "The operation has no counterpart in WGSL."
        "The message names it.";
    OUTPUT "WGSL-output" "The output has no counterpart in WGSL."
        "Without extensions WGSL has the position, varyings, colours, frag-depth and sample-mask.";
    PAIR "WGSL-pair" "The two shaders are no pair."
        "A pair is a vertex shader and a fragment shader, in this order.";
    PRECISE "WGSL-precise" "The operation must not be contracted or reassociated."
        "WGSL cannot forbid that. Take the attribute away if the difference does not matter.";
    SERIAL "WGSL-serial" "Invocations run one after another."
        "A GPU runs them side by side: what one leaves for the next is lost.";
    STAGE "WGSL-stage" "WGSL has no such stage."
        "It has vertex, fragment and compute shaders.";
    SUBGROUP "WGSL-subgroup" "The shader asks its subgroup."
        "That is an extension of WGSL, which gives no order of invocations.";
    TEXTURE "WGSL-texture" "The texture, or this way of reading it, has no counterpart in WGSL."
        "The message names what is missing. A dimension that a state decides has to be fixed before.";
    TYPE "WGSL-type" "A 64-bit value cannot be written as words."
        "One value or a vector of two is written as pairs of words. Split larger vectors before.";
    VARYING "WGSL-varying" "The fragment shader reads a varying that the vertex shader never writes."
        "Varyings are matched by location.";
    WORKGROUP "WGSL-workgroup" "The size of the workgroup is left to the dispatch."
        "WGSL needs it in the module: fix it before.";
}
