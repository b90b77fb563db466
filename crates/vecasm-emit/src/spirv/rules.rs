//! What the writer refuses, and why.

pub(super) use crate::rules::refused;
use vecasm_ir::diag::rules;

rules! {
    /// Every reason for which a shader is not written, sorted by id. Whatever is not refused is written exactly,
    /// but for what the [module documentation](super) says about GPUs.
    pub const RULES;
    pub(super) const;

    BINDING "SPIRV-binding" "Two resources share a binding."
        "Choose other numbers: the constants, textures, samplers and states of a stage share its descriptor set.";
    DEPTH "SPIRV-depth" "Regions are nested more than 100 deep."
        "Driver compilers recurse into nested regions, and may overflow their stack.";
    EXACT "SPIRV-exact" "The shader cannot be translated exactly."
        "A GPU may fuse, reassociate, flush and approximate what it does with f32. Only what integers can express is exact: the arithmetic of the NV2A, and moves. The message names what is not.";
    HANDLE "SPIRV-handle" "A resource is selected by a computed index or a handle."
        "The writer declares no arrays of bindings. Select with a switch first.";
    IMAGE "SPIRV-image" "The operation on an image has no counterpart in Vulkan."
        "Atomic operations change texels of r32-uint and r32-sint.";
    INPUT "SPIRV-input" "The input has no counterpart in the stage."
        "The message names it.";
    MEMORY "SPIRV-memory" "Memory is addressed by bytes."
        "Buffers and shared memory are arrays of words: lift without the compatibility fault of byte offsets.";
    NV20 "SPIRV-nv20" "The operation has the arithmetic of the NV20 family."
        "The arithmetic of a GPU cannot express it. Expand it into integer operations first, or lift with another arithmetic.";
    OFFSET "SPIRV-offset" "The offset of a texture read cannot be expressed."
        "Vulkan takes constant offsets in -8..=7 where a texture is sampled, and none for cubes. Add it to the coordinate first.";
    OP "SPIRV-op" "The operation has no counterpart."
        "The message names it.";
    OUTPUT "SPIRV-output" "The output has no counterpart in Vulkan."
        "There is no fog, no clip vertex and no edge flag: pass the value as a varying, or use clip distances.";
    PUSH "SPIRV-push" "The constants do not fit in push constants."
        "Every implementation of Vulkan has 128 bytes of push constants, eight elements; OpenGL has none. Bind the constants instead.";
    SERIAL "SPIRV-serial" "Invocations run one after another."
        "A GPU runs them in parallel: what one leaves for the next is lost.";
    STAGE "SPIRV-stage" "What the stage declares has no counterpart in Vulkan."
        "No patches come into a geometry shader; its streams have sequences of their own, and one limit for all vertices.";
    SUBGROUP "SPIRV-subgroup" "The shader uses subgroup operations, which Vulkan has from 1.1 on."
        "Choose a later environment.";
    TEXTURE "SPIRV-texture" "The texture, or this way of reading it, has no counterpart in Vulkan."
        "The message names what is missing. A dimension that depends on a state is fixed by `opt::settle` between lifting and writing; `vecasm to` does so, and `--state` chooses the value.";
    VALUES "SPIRV-values" "A constant array is longer than an instruction can be."
        "An instruction has 65,535 words, so that 65,532 elements fit. Bind the array.";
}
