//! Images: storage textures. Each operation on one is a function, because the IR says what happens outside, and WGSL
//! leaves it open.

use super::interface::type_name;
use super::language::Wgsl;
use super::rules;
use crate::host::Image;
use crate::text::Uses;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{self, Dim, Format, Scalar, Type};

/// The name of a format in WGSL, where it is one of a storage texture.
pub(super) fn format_name(format: Format) -> Option<&'static str> {
    Some(match format {
        Format::Rgba8Unorm => "rgba8unorm",
        Format::Rgba8Snorm => "rgba8snorm",
        Format::Rgba8Uint => "rgba8uint",
        Format::Rgba8Sint => "rgba8sint",
        Format::Rgba16Uint => "rgba16uint",
        Format::Rgba16Sint => "rgba16sint",
        Format::Rgba16Float => "rgba16float",
        Format::R32Uint => "r32uint",
        Format::R32Sint => "r32sint",
        Format::R32Float => "r32float",
        Format::Rg32Uint => "rg32uint",
        Format::Rg32Sint => "rg32sint",
        Format::Rg32Float => "rg32float",
        Format::Rgba32Uint => "rgba32uint",
        Format::Rgba32Sint => "rgba32sint",
        Format::Rgba32Float => "rgba32float",
        _ => return None,
    })
}

const fn shape(dim: Dim) -> Option<&'static str> {
    Some(match dim {
        Dim::D1 => "texture_storage_1d",
        Dim::D2 | Dim::Rect => "texture_storage_2d",
        Dim::D2Array => "texture_storage_2d_array",
        Dim::D3 => "texture_storage_3d",
        _ => return None,
    })
}

/// The type of an image.
///
/// # Errors
///
/// For shapes, formats and uses that storage textures have not.
pub(super) fn check(image: &ir::Image, uses: Uses) -> Result<(), Diagnostic> {
    let name = &image.name;
    let refused = |what: String| Err(rules::refused(rules::IMAGE, what));
    if shape(image.dim).is_none() {
        return refused(format!("WGSL has no {} storage textures: {name}", image.dim.name()));
    }
    if format_name(image.format).is_none() {
        return refused(format!("storage textures of WGSL cannot be of {}: {name}", image.format.name()));
    }
    let single = matches!(image.format, Format::R32Uint | Format::R32Sint | Format::R32Float);
    if uses.load && uses.store && !single {
        let format = image.format.name();
        return refused(format!("WebGPU cannot both read and write a storage texture of {format}: {name}"));
    }
    Ok(())
}

/// Appends the type.
pub(super) fn push_type(out: &mut String, dim: Dim, format: Format, read: bool, write: bool) {
    let access = Uses { load: read, store: write, ..Uses::default() }.access();
    let (shape, format) = (shape(dim).unwrap_or_default(), format_name(format).unwrap_or_default());
    out.push_str(&format!("{shape}<{format}, {access}>"));
}

impl Image<'_, Wgsl> {
    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let Self { name, of: ir::Image { dim, format, .. }, uses, .. } = self;
        let (axes, layers) = (dim.axes(), dim.arrayed());
        let place = type_name(Type::new(Scalar::I32, dim.texel_lanes()));
        let texel = type_name(Type::new(format.scalar(), 4));
        let (at, size) = match (axes, layers) {
            (2, true) => {
                ("at.xy, at.z", format!("vec3u(textureDimensions({name}), textureNumLayers({name}))"))
            }
            _ => ("at", format!("textureDimensions({name})")),
        };
        if uses.load {
            let outside = match dim.texel_lanes() {
                1 => format!("u32(at) >= {size}"),
                lanes => format!("any(vec{lanes}u(at) >= {size})"),
            };
            // What a format lacks is the same everywhere.
            let one = if format.scalar() == Scalar::F32 { "1.0" } else { "1" };
            let suffix = if format.scalar() == Scalar::U32 { "u" } else { "" };
            let nothing = if format.lanes() == 4 {
                format!("{texel}()")
            } else {
                let zero = if format.scalar() == Scalar::F32 { "0.0" } else { "0" };
                format!("{texel}({zero}{suffix}, {zero}{suffix}, {zero}{suffix}, {one}{suffix})")
            };
            out.push_str(&format!(
                "
fn load_{name}(at: {place}) -> {texel} {{
    if ({outside}) {{
        return {nothing};
    }}
    return textureLoad({name}, {at});
}}
"
            ));
        }
        if uses.store {
            out.push_str(&format!(
                "
fn store_{name}(at: {place}, texel: {texel}) {{
    textureStore({name}, {at}, texel);
}}
"
            ));
        }
        if uses.size {
            let lanes = axes + u8::from(layers);
            let zeros: String = (lanes..3).map(|_| ", 0u").collect();
            out.push_str(&format!(
                "
fn size_{name}() -> vec4u {{
    return vec4u({size}{zeros}, 1u);
}}
"
            ));
        }
    }
}
