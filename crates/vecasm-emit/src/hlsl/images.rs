//! Images: textures that are read and written by texels. Each operation on one is a function, because the IR says what happens
//! outside, and Direct3D does otherwise with the lanes that a format lacks.

use super::language::Hlsl;
use super::memory::changed;
use super::rules::{self, refused};
use super::{Model, Options};
use crate::host::Image;
use crate::text::{Language as _, Uses, atomic_word};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{self, Atomic, Dim, Format, Scalar, Type};

/// Refuses an image that has no type.
pub(super) fn check(image: &ir::Image, uses: Uses, options: &Options<'_>) -> Result<(), Diagnostic> {
    let (name, model) = (&image.name, options.model);
    if shape(image.dim).is_none() {
        let what = format!("{} images have no equivalent in HLSL: {name}", image.dim.name());
        return Err(refused(rules::MEMORY, what));
    }
    if !model.since(Model::SM5_0) {
        return Err(refused(
            rules::MEMORY,
            format!("shader model {model} has no equivalent of the image {name}"),
        ));
    }
    if uses.atomics != 0 && image.format == Format::R32Float {
        return Err(refused(
            rules::MEMORY,
            format!("HLSL has no atomic operations on images of floats: {name}"),
        ));
    }
    let single = matches!(image.format, Format::R32Uint | Format::R32Sint | Format::R32Float);
    if uses.load && !single && !model.since(Model::SM5_1) {
        let format = image.format.name();
        let what = format!("shader model {model} cannot read texels of {format} from an image: {name}");
        return Err(refused(rules::MEMORY, what));
    }
    Ok(())
}

const fn shape(dim: Dim) -> Option<&'static str> {
    Some(match dim {
        Dim::D1 => "RWTexture1D",
        Dim::D2 | Dim::Rect => "RWTexture2D",
        Dim::D3 => "RWTexture3D",
        Dim::D1Array => "RWTexture1DArray",
        Dim::D2Array => "RWTexture2DArray",
        Dim::Buffer => "RWBuffer",
        _ => return None,
    })
}

impl Image<'_, Hlsl> {
    /// The type of the variable.
    pub(super) fn ty(&self) -> String {
        let how = match self.of.format.name() {
            name if name.ends_with("unorm") => "unorm ",
            name if name.ends_with("snorm") => "snorm ",
            _ => "",
        };
        format!("{}<{how}{}>", shape(self.of.dim).unwrap_or_default(), self.texel())
    }

    fn texel(&self) -> &'static str {
        Hlsl::type_name(Type::new(self.of.format.scalar(), self.lanes()))
    }

    /// Lanes of a texel: those of the format where they are the first ones, else all. There are no texels of three.
    fn lanes(&self) -> u8 {
        let lanes = self.of.format.lanes();
        let first = self.of.format.order().iter().enumerate().all(|(n, lane)| n == usize::from(*lane));
        if first && lanes != 3 { lanes } else { 4 }
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let Self { name, of: ir::Image { dim, format, .. }, uses, .. } = self;
        let place = Hlsl::type_name(Type::new(Scalar::I32, dim.texel_lanes()));
        let scalar = format.scalar();
        let all = Hlsl::type_name(Type::new(scalar, 4));
        let mut sides: Vec<&str> = ["width", "height", "depth"][..usize::from(dim.axes().min(3))].to_vec();
        if dim.arrayed() {
            sides.push("layers");
        }
        let list = sides.join(", ");
        let measure = format!("    uint {list};\n    {name}.GetDimensions({list});\n");
        let inside = match dim.texel_lanes() {
            1 => format!("uint(at) < {list}"),
            lanes => format!("all(uint{lanes}(at) < uint{lanes}({list}))"),
        };
        let (zero, one) = if scalar == Scalar::F32 { ("0.0", "1.0") } else { ("0", "1") };
        if uses.load {
            // What a format lacks is the same everywhere.
            let nothing = [zero, zero, zero, if format.lanes() == 4 { zero } else { one }].join(", ");
            let lacks: Vec<&str> = (self.lanes()..4).map(|lane| if lane == 3 { one } else { zero }).collect();
            let texel = match lacks.is_empty() {
                true => format!("{name}[at]"),
                false => format!("{all}({name}[at], {})", lacks.join(", ")),
            };
            out.push_str(&format!(
                "
{all} load_{name}({place} at) {{
{measure}    if (!({inside})) {{
        return {all}({nothing});
    }}
    return {texel};
}}
"
            ));
        }
        if uses.store {
            let lanes = match self.lanes() {
                1 => ".x",
                2 => ".xy",
                _ => "",
            };
            // What is outside is not stored.
            out.push_str(&format!(
                "
void store_{name}({place} at, {all} texel) {{
    {name}[at] = texel{lanes};
}}
"
            ));
        }
        for atomic in Atomic::ALL.iter().filter(|atomic| uses.changes(**atomic)) {
            self.change(out, *atomic, place, (&measure, &inside));
        }
        if uses.size {
            let zeros = ", 0u".repeat(3 - sides.len().min(3));
            out.push_str(&format!(
                "
uint4 size_{name}() {{
{measure}    return uint4({list}{zeros}, 1u);
}}
"
            ));
        }
    }

    /// Appends the function that changes a texel.
    fn change(&self, out: &mut String, atomic: Atomic, place: &str, (measure, inside): (&str, &str)) {
        let name = &self.name;
        let signed = self.of.format.scalar() == Scalar::I32;
        let (ty, from, to) = if signed { ("int", "int(", ")") } else { ("uint", "", "") };
        let work = match word(atomic, self.of.format) {
            Some(word) => format!("        Interlocked{word}({name}[at], {from}value{to}, was);\n"),
            None if atomic == Atomic::CompareExchange => format!(
                "        InterlockedCompareExchange({name}[at], {from}value{to}, {from}other{to}, was);\n"
            ),
            None => format!(
                "        uint old = uint({name}[at]);
        for (;;) {{
            InterlockedCompareExchange({name}[at], {from}old{to}, {from}{}{to}, was);
            if (uint(was) == old) {{
                break;
            }}
            old = uint(was);
        }}
",
                changed(atomic)
            ),
        };
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let word = atomic.name();
        out.push_str(&format!(
            "
uint {word}_{name}({place} at, uint value{other}) {{
{measure}    {ty} was = 0;
    if ({inside}) {{
{work}    }}
    return uint(was);
}}
"
        ));
    }
}

/// The intrinsic for an atomic operation on texels of a format.
fn word(atomic: Atomic, format: Format) -> Option<&'static str> {
    let signed = format.scalar() == Scalar::I32;
    match atomic {
        Atomic::MinSigned if signed => Some("Min"),
        Atomic::MaxSigned if signed => Some("Max"),
        Atomic::MinUnsigned | Atomic::MaxUnsigned if signed => None,
        _ => atomic_word(atomic),
    }
}

/// Whether an atomic operation on texels of a format is tried until nobody comes between.
pub(super) fn is_tried(atomic: Atomic, format: Format) -> bool {
    atomic != Atomic::CompareExchange && word(atomic, format).is_none()
}
