//! What the writer refuses, and why.

pub(super) use crate::emit::rules::refused;
use crate::emit::rules::rules;

rules! {
    BINDING "SPIRV-binding" "Two things would be at one binding."
        "Choose other numbers: the constants, textures, samplers and states of a stage share its descriptor set.";
    DEPTH "SPIRV-depth" "Regions are nested more than 100 deep."
        "Compilers of drivers work on nested regions one inside another.";
    EXACT "SPIRV-exact" "The shader cannot be written exactly."
        "A GPU may fuse, reassociate, flush and approximate what it does with f32. Exact is what can be written in integers: the arithmetic of the NV2A, and moves. The message names what cannot.";
    HANDLE "SPIRV-handle" "A resource is chosen by a computed index or a handle."
        "Arrays of bindings are not declared. Choose with a switch before.";
    IMAGE "SPIRV-image" "The operation on an image has no counterpart in Vulkan."
        "Atomic operations change texels of r32-uint and r32-sint.";
    INPUT "SPIRV-input" "The input has no counterpart in the stage."
        "The message names it.";
    MEMORY "SPIRV-memory" "Memory is taken by the byte."
        "Buffers and shared memory are arrays of words: lift without the fault of offsets in bytes.";
    NV20 "SPIRV-nv20" "The operation computes as the NV20 family does."
        "The arithmetic of a GPU cannot say it. Expand it into integer operations before, or lift with another arithmetic.";
    OFFSET "SPIRV-offset" "The offset of a texture read cannot be said."
        "Vulkan takes constant offsets in -8..=7 where a texture is sampled, and none for cubes. Add it to the coordinate before.";
    OP "SPIRV-op" "The operation has no counterpart."
        "The message names it.";
    OUTPUT "SPIRV-output" "The output has no counterpart in Vulkan."
        "There is no fog, no clip vertex and no edge flag: hand the value on as a varying, or use clip distances.";
    PUSH "SPIRV-push" "The constants are more than can be pushed."
        "Every implementation of Vulkan has 128 bytes of push constants, eight elements; OpenGL has none. Bind them.";
    SERIAL "SPIRV-serial" "Invocations run one after another."
        "A GPU runs them side by side: what one leaves for the next is lost.";
    STAGE "SPIRV-stage" "What the stage declares has no counterpart in Vulkan."
        "No patches come into a geometry shader; its streams have sequences of their own, and one limit for all vertices.";
    SUBGROUP "SPIRV-subgroup" "The shader asks its subgroup, which Vulkan has from 1.1 on."
        "Choose a later environment.";
    TEXTURE "SPIRV-texture" "The texture, or this way of reading it, has no counterpart in Vulkan."
        "The message names what is missing. A dimension that a state decides has to be fixed before.";
    VALUES "SPIRV-values" "An array with values is longer than an instruction."
        "An instruction has 65,535 words, so that 65,532 elements fit. Bind the array.";
}
