//! Images. Each operation on one is a function, because the IR says what happens outside, and GLSL leaves some of it open.

use super::language::Glsl;
use super::rules::{self, refused};
use super::{Version, shape_name};
use crate::host::Image;
use crate::text::{Language as _, Uses, atomic_word};
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{self, Atomic, Dim, Format, Scalar, Type};

/// The qualifier of a format, and whether ES has it; `None` where OpenGL has no such one.
const fn format_name(format: Format) -> Option<(&'static str, bool)> {
    Some(match format {
        Format::R8Unorm => ("r8", false),
        Format::Rg8Unorm => ("rg8", false),
        Format::Rgba8Unorm => ("rgba8", true),
        Format::Bgra8Unorm => return None,
        Format::R8Snorm => ("r8_snorm", false),
        Format::Rg8Snorm => ("rg8_snorm", false),
        Format::Rgba8Snorm => ("rgba8_snorm", true),
        Format::R8Uint => ("r8ui", false),
        Format::Rg8Uint => ("rg8ui", false),
        Format::Rgba8Uint => ("rgba8ui", true),
        Format::R8Sint => ("r8i", false),
        Format::Rg8Sint => ("rg8i", false),
        Format::Rgba8Sint => ("rgba8i", true),
        Format::R16Unorm => ("r16", false),
        Format::Rg16Unorm => ("rg16", false),
        Format::Rgba16Unorm => ("rgba16", false),
        Format::R16Snorm => ("r16_snorm", false),
        Format::Rg16Snorm => ("rg16_snorm", false),
        Format::Rgba16Snorm => ("rgba16_snorm", false),
        Format::R16Uint => ("r16ui", false),
        Format::Rg16Uint => ("rg16ui", false),
        Format::Rgba16Uint => ("rgba16ui", true),
        Format::R16Sint => ("r16i", false),
        Format::Rg16Sint => ("rg16i", false),
        Format::Rgba16Sint => ("rgba16i", true),
        Format::R16Float => ("r16f", false),
        Format::Rg16Float => ("rg16f", false),
        Format::Rgba16Float => ("rgba16f", true),
        Format::R32Uint => ("r32ui", true),
        Format::Rg32Uint => ("rg32ui", false),
        Format::Rgba32Uint => ("rgba32ui", true),
        Format::R32Sint => ("r32i", true),
        Format::Rg32Sint => ("rg32i", false),
        Format::Rgba32Sint => ("rgba32i", true),
        Format::R32Float => ("r32f", true),
        Format::Rg32Float => ("rg32f", false),
        Format::Rgba32Float => ("rgba32f", true),
        Format::Rgb10A2Unorm => ("rgb10_a2", false),
        Format::Rgb10A2Uint => ("rgb10_a2ui", false),
        Format::Rg11B10Float => ("r11f_g11f_b10f", false),
    })
}

/// Refuses an image, or a use of one, that the version has not.
pub(super) fn check(image: &ir::Image, uses: Uses, version: Version) -> Result<(), Diagnostic> {
    let (name, dim, format) = (&image.name, image.dim.name(), image.format);
    let refused = |what: String| Err(refused(rules::IMAGE, what));
    let never = u16::MAX;
    let known = match image.dim {
        Dim::D2 | Dim::D3 | Dim::Cube | Dim::D2Array => version.since(420, 310),
        Dim::CubeArray | Dim::Buffer => version.since(420, 320),
        Dim::D1 | Dim::D1Array | Dim::Rect => version.since(420, never),
        // The number of samples can be asked for from then on.
        Dim::D2Ms | Dim::D2MsArray => version.since(430, never),
    };
    if !known {
        return refused(format!("GLSL {version} has no {dim} images: {name}"));
    }
    let word = format.name();
    if version.is_es() && !format_name(format).is_some_and(|(_, es)| es) {
        return refused(format!("GLSL {version} has no images of {word}: {name}"));
    }
    let single = matches!(format, Format::R32Uint | Format::R32Sint | Format::R32Float);
    if version.is_es() && uses.reads() && uses.writes() && !single {
        return refused(format!("GLSL {version} cannot both read and write an image of {word}: {name}"));
    }
    if uses.atomics != 0 && format.scalar() == Scalar::F32 {
        return refused(format!("atomic operations of GLSL work only on integers: {name} is {word}"));
    }
    Ok(())
}

impl Image<'_, Glsl> {
    /// Its declaration; `coherent` if what is written is read by others behind a barrier or a fence.
    pub(super) fn declaration(&self, coherent: bool) -> String {
        let Self { name, of: ir::Image { slot, dim, format, .. }, uses, .. } = self;
        let word = format_name(*format).map_or(String::new(), |(word, _)| format!("{word}, "));
        let coherent = if coherent && uses.reads() && uses.writes() { "coherent " } else { "" };
        let access = match (uses.reads(), uses.writes()) {
            (true, true) => "",
            (true, false) => "readonly ",
            // What is only asked for its size needs no format so.
            (false, _) => "writeonly ",
        };
        let precision = if self.language.0.is_es() { "highp " } else { "" };
        let prefix = match format.scalar() {
            Scalar::I32 => "i",
            Scalar::U32 => "u",
            _ => "",
        };
        let shape = shape_name(*dim);
        format!(
            "layout({word}binding = {slot}) {coherent}{access}uniform {precision}{prefix}image{shape} {name};\n"
        )
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let Self { name, of: ir::Image { dim, format, .. }, uses, .. } = self;
        let scalar = format.scalar();
        let lanes = dim.texel_lanes();
        let place = Glsl::type_name(Type::new(Scalar::I32, lanes));
        let unsigned = Glsl::type_name(Type::new(Scalar::U32, lanes));
        let texel = Glsl::type_name(Type::new(scalar, 4));
        let size = format!("imageSize({name})");
        let bounds = match (*dim, lanes) {
            (Dim::Cube, _) => format!("uvec3({size}, 6)"),
            (Dim::CubeArray, _) => format!("uvec3({size} * ivec3(1, 1, 6))"),
            _ => format!("{unsigned}({size})"),
        };
        let samples = dim.multisampled();
        let no_sample = format!("uint(sample_index) >= uint(imageSamples({name}))");
        let texel_outside = match lanes {
            1 => format!("uint(at) >= {bounds}"),
            _ => format!("any(greaterThanEqual({unsigned}(at), {bounds}))"),
        };
        let outside = if samples { format!("{texel_outside} || {no_sample}") } else { texel_outside };
        let (sample, of_sample) = if samples { (", int sample_index", ", sample_index") } else { ("", "") };
        if uses.load {
            // What a format lacks is the same everywhere.
            let (zero, one) = if scalar == Scalar::F32 { ("0.0", "1.0") } else { ("0", "1") };
            let nothing = if format.lanes() == 4 {
                format!("{texel}({zero})")
            } else {
                format!("{texel}({zero}, {zero}, {zero}, {one})")
            };
            out.push_str(&format!(
                "
{texel} load_{name}({place} at{sample}) {{
    if ({outside}) {{
        return {nothing};
    }}
    return imageLoad({name}, at{of_sample});
}}
"
            ));
        }
        if uses.store {
            // What is written to a place outside has no effect.
            let work = format!("imageStore({name}, at{of_sample}, texel);");
            let work = match samples {
                true => format!("if (!({no_sample})) {{\n        {work}\n    }}"),
                false => work,
            };
            out.push_str(&format!(
                "\nvoid store_{name}({place} at{sample}, {texel} texel) {{\n    {work}\n}}\n"
            ));
        }
        for atomic in Atomic::ALL.iter().filter(|atomic| uses.changes(**atomic)) {
            self.change(out, *atomic, place, &outside);
        }
        if uses.size {
            let axes = dim.axes() + u8::from(dim.arrayed());
            let zeros = ", 0u".repeat(usize::from(3u8.saturating_sub(axes)));
            let count = if samples { format!("uint(imageSamples({name}))") } else { "1u".into() };
            let ty = Glsl::type_name(Type::new(Scalar::U32, axes));
            out.push_str(&format!(
                "\nuvec4 size_{name}() {{\n    return uvec4({ty}({size}){zeros}, {count});\n}}\n"
            ));
        }
    }

    /// Appends the function that changes a texel.
    fn change(&self, out: &mut String, atomic: Atomic, place: &str, outside: &str) {
        let name = &self.name;
        let signed = self.of.format.scalar() == Scalar::I32;
        let (from, to) = if signed { ("int(", ")") } else { ("", "") };
        let (given, taken) = if signed { ("uint(", ")") } else { ("", "") };
        // The smaller one of the sign that the texels have.
        let word = match atomic {
            Atomic::MinSigned if signed => Some("Min"),
            Atomic::MaxSigned if signed => Some("Max"),
            Atomic::MinUnsigned | Atomic::MaxUnsigned if signed => None,
            _ => atomic_word(atomic),
        };
        let swap = |old: &str, new: &str| {
            format!("{given}imageAtomicCompSwap({name}, at, {from}{old}{to}, {from}{new}{to}){taken}")
        };
        let work = match word {
            Some(word) => {
                format!("    return {given}imageAtomic{word}({name}, at, {from}value{to}){taken};\n")
            }
            None if atomic == Atomic::CompareExchange => {
                format!("    return {};\n", swap("value", "other"))
            }
            None => {
                let new = super::memory::changed(atomic);
                format!(
                    "    uint old = uint(imageLoad({name}, at).x);
    for (;;) {{
        uint tried = {};
        if (tried == old) {{
            break;
        }}
        old = tried;
    }}
    return old;
",
                    swap("old", new)
                )
            }
        };
        let other = if atomic.operands() == 2 { ", uint other" } else { "" };
        let word = atomic.name();
        out.push_str(&format!(
            "
uint {word}_{name}({place} at, uint value{other}) {{
    if ({outside}) {{
        return 0u;
    }}
{work}}}
"
        ));
    }
}

/// Whether an atomic operation on texels of a format is tried until nobody comes between.
pub(super) const fn is_tried(atomic: Atomic, format: Format) -> bool {
    let signed = matches!(format.scalar(), Scalar::I32);
    match atomic {
        Atomic::MinSigned | Atomic::MaxSigned => !signed,
        Atomic::MinUnsigned | Atomic::MaxUnsigned => signed,
        Atomic::CompareExchange => false,
        _ => atomic_word(atomic).is_none(),
    }
}
