//! What the writer refuses, and why.

pub(super) use crate::rules::refused;
use vecasm_ir::diag::rules;

rules! {
    /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
    /// but for what the [module documentation](super) says about GPUs.
    pub const RULES;
    pub(super) const;

    ATOMIC "WGSL-atomic" "This atomic operation of a fragment shader needs a loop."
        "WGSL has add, min, max, and, or, xor and exchange of u32. The others retry until no other invocation interferes, and a helper invocation might retry forever.";
    BINDING "WGSL-binding" "Two resources share a binding."
        "Choose other numbers: the constants, textures, samplers, states, buffers and images of a stage share its group.";
    BUFFER "WGSL-buffer" "A vertex shader writes a buffer."
        "In WebGPU only fragment and compute shaders write buffers.";
    COMPUTE "WGSL-compute" "The shader cannot be written as a compute shader."
        "Only a vertex shader that reads attributes and its vertex index, and writes its outputs by name, can be. The message says what else this one does.";
    DEPTH "WGSL-depth" "Regions are nested more than 100 deep."
        "WGSL allows 127 nested braces, of which an exit may need several.";
    EXACT "WGSL-exact" "The shader cannot be translated exactly."
        "A GPU may fuse, reassociate, flush and approximate what it does with f32. Only what integers can express is exact: the arithmetic of the NV2A, and moves. The message names what is not.";
    FLUSH "WGSL-flush" "The operation flushes denormals."
        "WGSL leaves that to the implementation. Expand the arithmetic first, or lift without flushing.";
    HANDLE "WGSL-handle" "A resource is selected by a computed index or a handle."
        "WGSL has no arrays of bindings. Select with a switch first.";
    IMAGE "WGSL-image" "The image, or the access to it, has no counterpart in WGSL."
        "The message names it. Read a texture, or use a buffer.";
    INPUT "WGSL-input" "The input has no counterpart in WGSL."
        "Without extensions WGSL has attributes, varyings, vertex-index, instance-index, frag-coord, front-facing, sample-index, sample-mask, local-id, group-id and grid-size.";
    LOOP "WGSL-loop" "A loop is never left."
        "WGSL rejects such a loop; it needs an exit, even one that is never taken.";
    NAME "WGSL-name" "A chosen name is not an identifier, or is reserved."
        "Identifiers are ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "WGSL-nv20" "The operation has the arithmetic of the NV20 family."
        "The arithmetic of a GPU cannot express it. Expand it into integer operations first, or lift with another arithmetic.";
    OFFSET "WGSL-offset" "The offset of a texture read cannot be expressed."
        "WGSL takes constant offsets in -8..=7, and none for 1D textures and cubes. Add it to the coordinate first.";
    OP "WGSL-op" "The operation has no counterpart in WGSL."
        "The message names it.";
    OUTPUT "WGSL-output" "The output has no counterpart in WGSL."
        "Without extensions WGSL has the position, varyings, colours, frag-depth and sample-mask.";
    PAIR "WGSL-pair" "The two shaders are not a pair."
        "A pair is a vertex shader and a fragment shader, in this order.";
    PRECISE "WGSL-precise" "The operation must not be contracted or reassociated."
        "WGSL cannot forbid that. Remove the attribute if the difference does not matter.";
    SERIAL "WGSL-serial" "Invocations run one after another."
        "A GPU runs them in parallel: what one leaves for the next is lost.";
    STAGE "WGSL-stage" "WGSL has no such stage."
        "WGSL has vertex, fragment and compute shaders.";
    SUBGROUP "WGSL-subgroup" "The shader uses subgroup operations."
        "They are an extension of WGSL, which gives no order of invocations.";
    TEXTURE "WGSL-texture" "The texture, or this way of reading it, has no counterpart in WGSL."
        "The message names what is missing. A dimension that depends on a state is fixed by `opt::settle` between lifting and writing; `vecasm to` does so, and `--state` chooses the value.";
    TYPE "WGSL-type" "A 64-bit value cannot be written as words."
        "A scalar or a vector of two is written as pairs of words. Split larger vectors first.";
    VARYING "WGSL-varying" "The fragment shader reads a varying that the vertex shader never writes."
        "Varyings are matched by location.";
    WORKGROUP "WGSL-workgroup" "The size of the workgroup is left to the dispatch."
        "WGSL needs it in the module: fix it first.";
}
