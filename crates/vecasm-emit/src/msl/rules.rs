//! What the writer refuses, and why.

pub(super) use crate::rules::refused;
use vecasm_ir::diag::rules;

rules! {
    /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
    /// but for what the [module documentation](super) says about GPUs.
    pub const RULES;
    pub(super) const;

    ATOMIC "MSL-atomic" "This atomic operation of a fragment shader needs a loop."
        "Metal has add, min, max, and, or, xor and exchange of uint. The others retry until no other invocation interferes, and a helper invocation might retry forever.";
    BINDING "MSL-binding" "Two resources share an index."
        "A stage in Metal has 31 buffers, 128 textures and 16 samplers, each with one resource. Choose other first indices.";
    BUFFER "MSL-buffer" "A vertex shader writes a buffer or an image."
        "Not every device with Metal lets a vertex shader write: use a fragment or compute shader.";
    DEPTH "MSL-depth" "Regions are nested more than 100 deep."
        "Compilers have a limit; this is the writer's.";
    FLUSH "MSL-flush" "The operation flushes denormals."
        "Metal leaves that to the device. Expand the arithmetic first, or lift without flushing.";
    HANDLE "MSL-handle" "A resource is selected by a computed index or a handle."
        "Select with a switch first.";
    IMAGE "MSL-image" "The image, or the access to it, has no counterpart in this version of Metal."
        "The message names it.";
    INPUT "MSL-input" "The input has no counterpart in this version of Metal."
        "The message names it. A higher version may have it.";
    LOOP "MSL-loop" "A loop is never left."
        "In C++, on which the language is based, a compiler may assume that such a loop is never reached; so it needs an exit.";
    NAME "MSL-name" "A chosen name is not an identifier, or is reserved."
        "Identifiers are ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "MSL-nv20" "The operation has the arithmetic of the NV20 family."
        "The arithmetic of a GPU cannot express it. Expand it into integer operations first, or lift with another arithmetic.";
    OFFSET "MSL-offset" "The offset of a texture read cannot be expressed."
        "Metal takes constant offsets in -8..=7, and none for lines and cubes. Add it to the coordinate first.";
    OP "MSL-op" "The operation has no counterpart in Metal."
        "The message names it.";
    OUTPUT "MSL-output" "The output has no counterpart in this version of Metal."
        "The message names it. A higher version may have it.";
    PRECISE "MSL-precise" "The operation must not be contracted or reassociated."
        "The supported versions cannot forbid that in the text. Remove the attribute if the difference does not matter.";
    SERIAL "MSL-serial" "Invocations run one after another."
        "A GPU runs them in parallel: what one leaves for the next is lost.";
    STAGE "MSL-stage" "Metal has no such stage."
        "Metal has vertex, fragment and compute shaders, and another kind of tessellation.";
    SUBGROUP "MSL-subgroup" "The shader uses subgroup operations."
        "They are not translated to MSL.";
    TEXTURE "MSL-texture" "The texture, or this way of reading it, has no counterpart in this version of Metal."
        "The message names what is missing. A dimension that depends on a state is fixed by `opt::settle` between lifting and writing; `vecasm to` does so, and `--state` chooses the value.";
    TYPE "MSL-type" "A 64-bit value cannot be written as words."
        "A scalar or a vector of two is written as pairs of words. Split larger vectors first.";
}
