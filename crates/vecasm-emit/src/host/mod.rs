//! What the host binds and what stages hand on: decided here for all targets, whose writers only spell it.
//!
//! | file | holds |
//! |---|---|
//! | `walk` | the walk of the languages of text over a shader, and what a language says to what it meets |
//! | `things` | what that is |
//! | `passage` | the same for what comes in and goes out; WGSL, which has the varyings of a pair in one struct, has its own |
//!
//! What no host gives, such as arrays of 64-bit values or positions of integers, is no part of a sound shader, and not asked here.
//!
//! Here stand the facts that every target shares. SPIR-V declares a thing when its body first needs it, so it asks for them
//! one by one.

#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
mod passage;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod things;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod walk;

#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
pub(super) use passage::Passage;
#[cfg(any(feature = "glsl", feature = "msl"))]
pub(super) use passage::distance_copies;
#[cfg(feature = "wgsl")]
pub(super) use walk::lacks_input;
#[cfg(any(feature = "hlsl", feature = "wgsl"))]
pub(super) use walk::lacks_output;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
pub(super) use {
    things::{Array, Buffer, Image, Shared, State, Texture},
    walk::{Interface, Speller, Walk},
};

use super::options::{ArraySize, BindingKind, Space};
use alloc::format;
use alloc::string::String;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv"))]
use vecasm_ir::ir::Op;
#[cfg(any(feature = "glsl", feature = "msl", feature = "wgsl"))]
use vecasm_ir::ir::Stage;
use vecasm_ir::ir::{self, Input, Interpolation, Output, ParamArray, Scalar, Shader};
#[cfg(any(feature = "hlsl", feature = "msl", feature = "spirv"))]
use {alloc::vec, alloc::vec::Vec, vecasm_ir::ir::Inst};

/// How many elements of an array of constants are declared.
pub(super) fn elements(array: &ParamArray, size: ArraySize) -> u32 {
    let whole = array.indexed || size == ArraySize::File;
    if whole { array.size } else { array.used }.max(1)
}

/// What a scalar is where a host shares it: bools are numbers.
pub(super) const fn shared(scalar: Scalar) -> Scalar {
    if matches!(scalar, Scalar::Bool) { Scalar::U32 } else { scalar }
}

/// What a stage is called where it names blocks and structs.
#[cfg(any(feature = "glsl", feature = "msl", feature = "wgsl"))]
pub(super) const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex",
        Stage::Compute => "Compute",
        Stage::TessControl => "Control",
        Stage::TessEval => "Evaluation",
        Stage::Geometry => "Geometry",
        Stage::Fragment => "Fragment",
    }
}

/// What a finding says of an input that a target lacks.
#[cold]
pub(super) fn no_input(input: &Input) -> String {
    format!("no equivalent of the input {}, which is {}", input.name, input.kind.name())
}

/// What a finding says of an output that a target lacks.
#[cold]
pub(super) fn no_output(output: &Output) -> String {
    let (name, kind, scalar) = (&output.name, output.kind.name(), output.scalar.name());
    format!("no equivalent of the output {name}, which is {kind} of {scalar}")
}

/// How an input of a fragment shader is interpolated: numbers are not, and colours as the pipeline shades.
pub(super) const fn interpolation(input: &Input, flat_colors: bool) -> Interpolation {
    match input.interpolation {
        _ if !matches!(input.ty.scalar, Scalar::F32) => Interpolation::Flat,
        Interpolation::Color if flat_colors => Interpolation::Flat,
        Interpolation::Color => Interpolation::Perspective,
        how => how,
    }
}

/// By texture: whether something that is live reads it through its sampler.
#[cfg(any(feature = "hlsl", feature = "msl", feature = "spirv"))]
pub(super) fn sampled(shader: &Shader, is_live: impl Fn(&Inst) -> bool) -> Vec<bool> {
    let mut all = vec![false; shader.textures.len()];
    if all.is_empty() {
        return all;
    }
    shader.body.for_each_inst(&mut |inst| {
        let (Op::Sample { texture, .. } | Op::Gather { texture, .. } | Op::TextureLod { texture, .. }) =
            inst.op
        else {
            return;
        };
        if let Some(sampled) = all.get_mut(texture.index()) {
            *sampled |= is_live(inst);
        }
    });
    all
}

/// The number behind the slots of all textures.
#[cfg(any(feature = "hlsl", feature = "msl"))]
pub(super) fn behind_textures(shader: &Shader) -> u32 {
    shader.textures.iter().map(|texture| texture.slot.saturating_add(1)).max().unwrap_or(0)
}

/// Whether some instruction is such an operation.
#[cfg(any(feature = "glsl", feature = "hlsl"))]
pub(super) fn has_op(shader: &Shader, is: impl Fn(Op) -> bool) -> bool {
    let mut found = false;
    shader.body.for_each_inst(&mut |inst| found |= is(inst.op));
    found
}

impl BindingKind {
    /// An array of constants of which so many elements are declared.
    pub(super) const fn constants(array: &ParamArray, elements: u32, space: Space) -> Self {
        Self::Constants { elements, scalar: array.scalar, space }
    }

    /// A texture.
    pub(super) const fn texture(texture: &ir::Texture) -> Self {
        let ir::Texture { slot, dim, scalar, compare, .. } = *texture;
        Self::Texture { slot, dim, of: dim, scalar, compare }
    }

    /// The sampler of a texture.
    pub(super) const fn sampler(texture: &ir::Texture, normalized: bool) -> Self {
        let ir::Texture { sampler_slot: slot, sampler: state, compare, .. } = *texture;
        Self::Sampler { slot, state, compare, normalized }
    }

    /// A buffer.
    pub(super) const fn buffer(buffer: &ir::Buffer, write: bool, atomic: bool) -> Self {
        Self::Buffer { slot: buffer.slot, of: buffer.kind, write, atomic }
    }

    /// An image.
    pub(super) const fn image(image: &ir::Image, read: bool, write: bool) -> Self {
        let ir::Image { slot, dim, format, .. } = *image;
        Self::Image { slot, dim, format, read, write }
    }

    /// All state values of a shader.
    pub(super) fn states(shader: &Shader) -> Self {
        Self::States { count: shader.states.len() as u32 }
    }
}
