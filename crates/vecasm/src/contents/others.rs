//! What effects say that are not those of Direct3D 9.

use super::{Default, Parameter, Pass, State, Technique, number_text, shortest};
use crate::container::{fx2, mgfx, rgxa};
use crate::isa::d3d9::ctab::KINDS;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// How a field of a state is stored.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// A byte.
    Byte,
    /// Four bytes: red, green, blue, alpha.
    Color,
    /// A signed word.
    Int,
    /// A float.
    Float,
}

/// The fields of a state of MonoGame, in the order of the file.
pub(super) type Fields = &'static [(&'static str, Stored)];

/// What MonoGame's reader takes of 18 bytes of blending.
const BLEND: Fields = &[
    ("AlphaBlendFunction", Stored::Byte),
    ("AlphaDestinationBlend", Stored::Byte),
    ("AlphaSourceBlend", Stored::Byte),
    ("BlendFactor", Stored::Color),
    ("ColorBlendFunction", Stored::Byte),
    ("ColorDestinationBlend", Stored::Byte),
    ("ColorSourceBlend", Stored::Byte),
    ("ColorWriteChannels", Stored::Byte),
    ("ColorWriteChannels1", Stored::Byte),
    ("ColorWriteChannels2", Stored::Byte),
    ("ColorWriteChannels3", Stored::Byte),
    ("MultiSampleMask", Stored::Int),
];

/// Of 25 bytes of depth and stencil.
const DEPTH: Fields = &[
    ("CounterClockwiseStencilDepthBufferFail", Stored::Byte),
    ("CounterClockwiseStencilFail", Stored::Byte),
    ("CounterClockwiseStencilFunction", Stored::Byte),
    ("CounterClockwiseStencilPass", Stored::Byte),
    ("DepthBufferEnable", Stored::Byte),
    ("DepthBufferFunction", Stored::Byte),
    ("DepthBufferWriteEnable", Stored::Byte),
    ("ReferenceStencil", Stored::Int),
    ("StencilDepthBufferFail", Stored::Byte),
    ("StencilEnable", Stored::Byte),
    ("StencilFail", Stored::Byte),
    ("StencilFunction", Stored::Byte),
    ("StencilMask", Stored::Int),
    ("StencilPass", Stored::Byte),
    ("StencilWriteMask", Stored::Int),
    ("TwoSidedStencilMode", Stored::Byte),
];

/// Of 12 bytes of the rasterizer.
const RASTER: Fields = &[
    ("CullMode", Stored::Byte),
    ("DepthBias", Stored::Float),
    ("FillMode", Stored::Byte),
    ("MultiSampleAntiAlias", Stored::Byte),
    ("ScissorTestEnable", Stored::Byte),
    ("SlopeScaleDepthBias", Stored::Float),
];

/// Of 20 bytes of a sampler.
pub(super) const SAMPLER: Fields = &[
    ("AddressU", Stored::Byte),
    ("AddressV", Stored::Byte),
    ("AddressW", Stored::Byte),
    ("BorderColor", Stored::Color),
    ("Filter", Stored::Byte),
    ("MaxAnisotropy", Stored::Int),
    ("MaxMipLevel", Stored::Int),
    ("MipMapLevelOfDetailBias", Stored::Float),
];

/// The fields of a state, with their values as numbers: what they mean, MonoGame's enumerations say.
pub(super) fn fields_of(bytes: &[u8], fields: Fields) -> Vec<State> {
    let mut rest = bytes;
    let mut out = Vec::new();
    for (name, stored) in fields {
        let size = if matches!(stored, Stored::Byte) { 1 } else { 4 };
        let Some((own, behind)) = rest.split_at_checked(size) else { break };
        rest = behind;
        let word = own.first_chunk().copied().unwrap_or_default();
        let value = match stored {
            Stored::Byte => own[0].to_string(),
            Stored::Color => word.map(|byte| byte.to_string()).join(" "),
            Stored::Int => i32::from_le_bytes(word).to_string(),
            Stored::Float => number_text(shortest(f64::from(f32::from_le_bytes(word)))),
        };
        out.push(State { name: (*name).into(), index: None, value, expression: Vec::new() });
    }
    out
}

/// A parameter of an effect of MonoGame.
pub(super) fn mgfx_parameter(parameter: &mgfx::Parameter) -> Parameter {
    // MonoGame numbers types as Direct3D does, as far as the textures.
    let base = KINDS[..10].get(usize::from(parameter.base)).copied().unwrap_or("unknown");
    let (rows, columns) = parameter.size;
    let ty = match parameter.class {
        1 => format!("{base}{columns}"),
        2 => format!("{base}{rows}x{columns}"),
        4 => "struct".into(),
        _ => base.into(),
    };
    let base_type = fx2::Base::from_number(parameter.base.into()).unwrap_or(fx2::Base::Void);
    let number = |&word: &u32| base_type.number(word);
    let numbers: Vec<f64> = if parameter.elements.is_empty() {
        parameter.value.iter().map(number).map(shortest).collect()
    } else {
        parameter.elements.iter().flat_map(|element| element.value.iter().map(number)).map(shortest).collect()
    };
    let elements = parameter.elements.len() as u32;
    Parameter {
        name: Some(parameter.name.clone()),
        semantic: Some(parameter.semantic.clone()).filter(|semantic| !semantic.is_empty()),
        ty,
        elements: (elements > 0).then_some(elements),
        default: (!numbers.is_empty()).then_some(Default::Numbers(numbers)),
        sampler: Vec::new(),
        annotations: Vec::new(),
    }
}

/// A technique of an effect of MonoGame.
pub(super) fn mgfx_technique(technique: &mgfx::Technique) -> Technique {
    let pass = |pass: &mgfx::Pass| {
        let shader = |n: Option<u32>, name: &str| {
            n.map(|n| State {
                name: name.into(),
                index: None,
                value: format!("shader{n}"),
                expression: Vec::new(),
            })
        };
        let shaders = [shader(pass.vertex, "VertexShader"), shader(pass.pixel, "PixelShader")];
        let mut states: Vec<State> = shaders.into_iter().flatten().collect();
        for (bytes, fields) in [(&pass.blend, BLEND), (&pass.depth, DEPTH), (&pass.raster, RASTER)] {
            states.extend(bytes.iter().flat_map(|bytes| fields_of(bytes, fields)));
        }
        Pass { name: Some(pass.name.clone()), states, annotations: Vec::new() }
    };
    Technique {
        name: Some(technique.name.clone()),
        passes: technique.passes.iter().map(pass).collect(),
        annotations: Vec::new(),
    }
}

/// A parameter of an effect of GTA IV.
pub(super) fn rage_parameter(parameter: &rgxa::Parameter) -> Parameter {
    let base = if parameter.ty == 1 { fx2::Base::Int } else { fx2::Base::Float };
    let numbers: Vec<f64> = parameter.default.iter().map(|&word| shortest(base.number(word))).collect();
    let annotation = |(name, value): &(String, rgxa::Annotation)| {
        let (ty, value) = match value {
            rgxa::Annotation::Int(number) => ("int", Default::Numbers([f64::from(*number)].into())),
            rgxa::Annotation::Float(number) => {
                ("float", Default::Numbers([shortest(f64::from(*number))].into()))
            }
            rgxa::Annotation::Text(text) => ("string", Default::Text(text.clone())),
        };
        Parameter { default: Some(value), ..parameter_of(name, ty.into()) }
    };
    Parameter {
        // Most have the same semantic as name.
        semantic: Some(parameter.semantic.clone()).filter(|semantic| !semantic.is_empty()),
        default: (!numbers.is_empty()).then_some(Default::Numbers(numbers)),
        annotations: parameter.annotations.iter().map(annotation).collect(),
        ..parameter_of(&parameter.name, rage_type(parameter.ty))
    }
}

/// A parameter of which the name and the type are known.
fn parameter_of(name: &str, ty: String) -> Parameter {
    Parameter {
        name: Some(name.into()),
        semantic: None,
        ty,
        elements: None,
        default: None,
        sampler: Vec::new(),
        annotations: Vec::new(),
    }
}

/// The type of a number of GTA IV.
pub(super) fn rage_type(number: u8) -> String {
    match number {
        1 => "int".into(),
        2 => "float".into(),
        4 => "float3".into(),
        5 => "float4".into(),
        6 => "sampler".into(),
        8 => "matrix of a bone".into(),
        9 => "matrix".into(),
        other => format!("type {other}"),
    }
}

/// A technique of an effect of GTA IV.
pub(super) fn rage_technique(effect: &rgxa::Effect, technique: &rgxa::Technique) -> Technique {
    let pass = |pass: &rgxa::Pass| {
        let shader = |programs: &[rgxa::Program], n: u8, step: &str, name: &str| {
            let is_there = programs.get(usize::from(n)).is_some_and(|program| program.entry.is_some());
            let value = if is_there { format!("{step}{n}") } else { "nothing".into() };
            State { name: name.into(), index: None, value, expression: Vec::new() }
        };
        let shaders = [
            shader(&effect.vertex, pass.vertex, "vs", "VertexShader"),
            shader(&effect.pixel, pass.pixel, "ps", "PixelShader"),
        ];
        // What the numbers stand for is not known.
        let state = |(number, value): &(u32, u32)| State {
            name: format!("state {number}"),
            index: None,
            value: value.to_string(),
            expression: Vec::new(),
        };
        let states = shaders.into_iter().chain(pass.states.iter().map(state)).collect();
        Pass { name: None, states, annotations: Vec::new() }
    };
    Technique {
        name: Some(technique.name.clone()),
        passes: technique.passes.iter().map(pass).collect(),
        annotations: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states of `DirectX_ParserTest.xnb`, as the oracle has their bytes: those that MonoGame's classes have by default.
    #[test]
    fn states_of_monogame_have_names() {
        let blend = [0, 1, 0, 255, 255, 255, 255, 0, 1, 0, 15, 15, 15, 15, 255, 255, 255, 127];
        let words = |bytes: &[u8], fields| -> Vec<String> {
            fields_of(bytes, fields).iter().map(|state| format!("{} {}", state.name, state.value)).collect()
        };
        let all = words(&blend, BLEND);
        assert_eq!(all.len(), BLEND.len());
        assert_eq!(
            all[1..4],
            ["AlphaDestinationBlend 1", "AlphaSourceBlend 0", "BlendFactor 255 255 255 255"]
        );
        assert_eq!(all[11], "MultiSampleMask 2147483647");
        let mut depth = [0; 25];
        (depth[4], depth[5], depth[6]) = (1, 3, 1);
        depth[15..19].copy_from_slice(&i32::MAX.to_le_bytes());
        let all = words(&depth, DEPTH);
        assert_eq!(all[4..7], ["DepthBufferEnable 1", "DepthBufferFunction 3", "DepthBufferWriteEnable 1"]);
        assert_eq!(
            all[12..],
            ["StencilMask 2147483647", "StencilPass 0", "StencilWriteMask 0", "TwoSidedStencilMode 0"]
        );
        let raster = [1, 0, 0, 0, 0x3F, 0, 1, 0, 0, 0, 0, 0];
        assert_eq!(words(&raster, RASTER)[..3], ["CullMode 1", "DepthBias 0.5", "FillMode 0"]);
        let size = |fields: Fields| -> usize {
            fields.iter().map(|(_, stored)| if matches!(stored, Stored::Byte) { 1 } else { 4 }).sum()
        };
        assert_eq!([BLEND, DEPTH, RASTER, SAMPLER].map(size), [18, 25, 12, 20]);
    }
}
