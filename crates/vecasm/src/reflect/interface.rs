//! What a shader reads and writes, whatever its instruction set.

use crate::ir::{self, BufferKind, Dim, Filter, Format, Mip, OutputKind, SamplerState, Shader, Stage, Wrap};
use alloc::string::String;
use alloc::vec::Vec;

#[cfg(feature = "schemars")]
use super::schema::Word;

/// What a shader reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interface {
    /// Inputs.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// Arrays of constants, one for each register file of constants.
    pub constants: Vec<Array>,
    /// Textures with their samplers.
    pub samplers: Vec<Sampler>,
    /// Buffers, if there are any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub buffers: Vec<Buffer>,
    /// Images, if there are any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub images: Vec<Image>,
    /// Size of the workgroup along x, y and z, of compute programs; an axis of 0 leaves it to the dispatch.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "[u32; 3]"))]
    pub workgroup: Option<[u32; 3]>,
    /// Bytes of memory that a workgroup shares, of compute programs.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u32"))]
    pub shared_bytes: Option<u32>,
}

impl Interface {
    /// That of a shader.
    pub fn of(shader: &Shader) -> Self {
        let compute = shader.stage == Stage::Compute;
        Self {
            inputs: shader.inputs.iter().map(Input::from).collect(),
            outputs: shader.outputs.iter().map(Output::from).collect(),
            constants: shader.params.iter().map(Array::from).collect(),
            samplers: shader.textures.iter().map(Sampler::from).collect(),
            buffers: shader.buffers.iter().map(Buffer::from).collect(),
            images: shader.images.iter().map(Image::from).collect(),
            workgroup: compute.then_some(shader.setup.workgroup),
            shared_bytes: compute.then_some(shader.setup.shared),
        }
    }
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Input {
    /// Name of its register.
    pub name: String,
    /// What it is: `attribute`, `varying`, `patch-varying`, or the name of a system value (docs/ir.md).
    pub kind: &'static str,
    /// Location, of attributes and varyings.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u32"))]
    pub location: Option<u32>,
}

impl From<&ir::Input> for Input {
    fn from(input: &ir::Input) -> Self {
        Self { name: input.name.clone(), kind: input.kind.name(), location: input.kind.number() }
    }
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Output {
    /// Name of its register.
    pub name: String,
    /// What it is: `position`, `varying`, `color`, `depth` and others (docs/ir.md).
    pub kind: &'static str,
    /// Location, of varyings.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u32"))]
    pub location: Option<u32>,
    /// Render target, of colours.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u32"))]
    pub target: Option<u32>,
    /// Which four, of distances to clip planes and cull planes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "schemars", schemars(with = "u32"))]
    pub index: Option<u32>,
}

impl From<&ir::Output> for Output {
    fn from(output: &ir::Output) -> Self {
        let number = output.kind.number();
        let (mut location, mut target, mut index) = (None, None, None);
        match output.kind {
            OutputKind::Color { .. } | OutputKind::SecondColor { .. } => target = number,
            OutputKind::ClipDistance { .. } | OutputKind::CullDistance { .. } => index = number,
            _ => location = number,
        }
        Self { name: output.name.clone(), kind: output.kind.name(), location, target, index }
    }
}

/// An array of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Array {
    /// Name of the register file.
    pub name: String,
    /// Number of elements that the profile allows.
    pub size: u32,
    /// Number of elements that have to be given: up to the highest one that is used; all if `indexed`.
    pub used: u32,
    /// Whether an index is computed, so that any element may be meant.
    pub indexed: bool,
}

impl From<&ir::ParamArray> for Array {
    fn from(array: &ir::ParamArray) -> Self {
        let used = if array.indexed { array.size } else { array.used };
        Self { name: array.name.clone(), size: array.size, used, indexed: array.indexed }
    }
}

/// A texture with its sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sampler {
    /// Name of its register.
    pub name: String,
    /// Number of its register.
    pub slot: u32,
    /// Shape of the texture.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Dim>"))]
    pub dim: Dim,
    /// State that the program sets; null where the program leaves it to the runtime.
    pub state: Option<SamplerWords>,
}

impl From<&ir::Texture> for Sampler {
    fn from(texture: &ir::Texture) -> Self {
        let (name, state) = (texture.name.clone(), texture.sampler.map(SamplerWords::from));
        Self { name, slot: texture.slot, dim: texture.dim, state }
    }
}

/// The state of a sampler, as far as programs set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SamplerWords {
    /// Horizontal wrap.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Wrap>"))]
    pub wrap_u: Wrap,
    /// Vertical wrap.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Wrap>"))]
    pub wrap_v: Wrap,
    /// Filter within a level.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Filter>"))]
    pub filter: Filter,
    /// Filter between levels.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Mip>"))]
    pub mip: Mip,
    /// Largest anisotropy, 1 to 16; 1 for none.
    pub anisotropy: u8,
}

impl From<SamplerState> for SamplerWords {
    fn from(state: SamplerState) -> Self {
        Self {
            wrap_u: state.wrap_u,
            wrap_v: state.wrap_v,
            filter: state.min,
            mip: state.mip,
            anisotropy: state.anisotropy,
        }
    }
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Buffer {
    /// Name of its register.
    pub name: String,
    /// Number of its register.
    pub slot: u32,
    /// Purpose.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<BufferKind>"))]
    pub kind: BufferKind,
    /// Whether the program may write it, or change it atomically.
    pub write: bool,
}

impl From<&ir::Buffer> for Buffer {
    fn from(buffer: &ir::Buffer) -> Self {
        Self { name: buffer.name.clone(), slot: buffer.slot, kind: buffer.kind, write: buffer.write }
    }
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Image {
    /// Name of its register.
    pub name: String,
    /// Number of its register.
    pub slot: u32,
    /// Shape.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Dim>"))]
    pub dim: Dim,
    /// Format of a texel.
    #[cfg_attr(feature = "schemars", schemars(with = "Word<Format>"))]
    pub format: Format,
    /// Whether the program may read it.
    pub read: bool,
    /// Whether the program may write it, or change it atomically.
    pub write: bool,
}

impl From<&ir::Image> for Image {
    fn from(image: &ir::Image) -> Self {
        Self {
            name: image.name.clone(),
            slot: image.slot,
            dim: image.dim,
            format: image.format,
            read: image.read,
            write: image.write,
        }
    }
}
