//! What the writer refuses, and why.

pub(super) use crate::rules::refused;
use vecasm_ir::diag::rules;

rules! {
    /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
    /// but for what the [module documentation](super) says about GPUs.
    pub const RULES;
    pub(super) const;

    BITS "HLSL-bits" "The operation is on bits or on integers, which shader model 3.0 lacks."
        "Its integers are floats, exact up to 2^24. Use model 4.0.";
    DEPTH "HLSL-depth" "Regions are nested more than 100 deep."
        "Compilers have a limit; this is the writer's.";
    FLUSH "HLSL-flush" "The operation flushes denormals."
        "HLSL leaves that to the hardware. Expand the arithmetic first, or lift without flushing.";
    HANDLE "HLSL-handle" "A texture is selected by a computed index or a handle."
        "Select with a switch first.";
    INDEX "HLSL-index" "An element is selected by a computed index, which shader model 3.0 lacks."
        "Shader model 3.0 indexes only the constants of vertex shaders. Use model 4.0.";
    INPUT "HLSL-input" "The input has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    LOOP "HLSL-loop" "A loop is never left."
        "dxc rejects such a loop.";
    MEMORY "HLSL-memory" "The buffer or image, or this use of it, has no counterpart in this shader model."
        "Model 5.0 has both, reads images of one 32-bit channel, and addresses buffers by the word; 5.1 reads the others.";
    NAME "HLSL-name" "A chosen name is not an identifier, or is reserved."
        "Identifiers are ASCII letters, digits and single underscores, beginning with a letter.";
    NV20 "HLSL-nv20" "The operation has the arithmetic of the NV20 family."
        "The arithmetic of a GPU cannot express it. Expand it into integer operations first, or lift with another arithmetic.";
    OFFSET "HLSL-offset" "The offset of a texture read cannot be expressed."
        "HLSL takes constant offsets in -8..=7, and none for cubes. Add it to the coordinate first.";
    OP "HLSL-op" "The operation has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    OUTPUT "HLSL-output" "The output has no counterpart in this shader model."
        "The message names it. A higher model may have it.";
    PATCH "HLSL-patch" "The outputs of the patch cannot be separated from those of its control points."
        "Direct3D computes each control point alone, and then the outputs of the patch, which may depend on theirs. The message names the dependency.";
    PRECISE "HLSL-precise" "The operation must not be contracted or reassociated."
        "Only shader model 5 has a keyword for that. Use it, or remove the attribute if the difference does not matter.";
    REGISTER "HLSL-register" "A resource has no register in this shader model."
        "Direct3D has registers b0 to b13 of 4096 elements, t0 to t127 and s0 to s15; Direct3D 9 has 256 or 224 of c, 16 or 4 of s.";
    SERIAL "HLSL-serial" "Invocations run one after another."
        "A GPU runs them in parallel: what one leaves for the next is lost.";
    STAGE "HLSL-stage" "The stage is not available in this shader model."
        "Vertex and fragment shaders exist in every model, geometry shaders from 4.0 on, hull, domain and compute shaders from 5.0 on. Streams other than the first need points and model 5.0.";
    SUBGROUP "HLSL-subgroup" "The shader uses subgroup operations."
        "Only shader model 6 has them.";
    TEXTURE "HLSL-texture" "The texture, or this way of reading it, has no counterpart in this shader model."
        "The message names what is missing. A dimension that depends on a state is fixed by `opt::settle` between lifting and writing; `vecasm to` does so, and `--state` chooses the value.";
    TYPE "HLSL-type" "The shader computes with 64-bit values that this shader model lacks."
        "From model 4.0 on, a scalar or a vector of two is written as pairs of words where the model has no such type: split larger vectors first.";
    WORKGROUP "HLSL-workgroup" "The size of the workgroup is unknown, or has more than 64 layers."
        "Set it when lifting.";
}
