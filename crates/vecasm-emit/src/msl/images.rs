//! Images: textures that are read and written by texels. Each operation on one is a function, because the IR says what
//! happens outside, and Metal leaves it open.

use super::language::Msl;
use super::rules::{self, refused};
use crate::host::Image;
use crate::text::Language as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{self, Dim, Scalar, Type};

/// Refuses an image that has no type.
pub(super) fn check(image: &ir::Image) -> Result<(), Diagnostic> {
    let known = matches!(
        image.dim,
        Dim::D1 | Dim::D2 | Dim::D3 | Dim::D1Array | Dim::D2Array | Dim::Rect | Dim::Buffer
    );
    if known {
        return Ok(());
    }
    let (name, dim) = (&image.name, image.dim.name());
    Err(refused(rules::IMAGE, format!("{dim} images have no equivalent in MSL: {name}")))
}

impl Image<'_, Msl> {
    /// The type of the argument.
    pub(super) fn ty(&self) -> String {
        let access = self.uses.access();
        let ty = super::textures::type_name(self.of.dim, self.of.format.scalar(), false);
        format!("{}, access::{access}>", ty.trim_end_matches('>'))
    }

    /// Appends the functions.
    pub(super) fn write(&self, out: &mut String) {
        let Self { name, of: ir::Image { dim, format, .. }, uses, .. } = self;
        let ty = self.ty();
        let axes = dim.axes();
        let place = Msl::type_name(Type::new(Scalar::I32, dim.texel_lanes()));
        let texel = Msl::type_name(Type::new(format.scalar(), 4));
        let sides: Vec<String> = ["width", "height", "depth"][..usize::from(axes.min(3))]
            .iter()
            .map(|side| format!("texels.get_{side}()"))
            .chain(dim.arrayed().then(|| "texels.get_array_size()".into()))
            .collect();
        let unsigned = Msl::type_name(Type::new(Scalar::U32, dim.texel_lanes()));
        let (inside, at) = match (dim.texel_lanes(), dim.arrayed()) {
            (1, _) => (format!("uint(at) < {}", sides.join(", ")), "uint(at)".into()),
            (_, arrayed) => {
                let inside = format!("all({unsigned}(at) < {unsigned}({}))", sides.join(", "));
                let at = match (arrayed, axes) {
                    (true, 1) => "uint(at.x), uint(at.y)".into(),
                    (true, _) => "uint2(at.xy), uint(at.z)".into(),
                    _ => format!("{unsigned}(at)"),
                };
                (inside, at)
            }
        };
        if uses.load {
            // What a format lacks is the same everywhere.
            let (zero, one) = if format.scalar() == Scalar::F32 { ("0.0", "1.0") } else { ("0", "1") };
            let nothing = if format.lanes() == 4 {
                format!("{texel}({zero})")
            } else {
                format!("{texel}({zero}, {zero}, {zero}, {one})")
            };
            out.push_str(&format!(
                "
{texel} load_{name}({ty} texels, {place} at) {{
    if (!({inside})) {{
        return {nothing};
    }}
    return texels.read({at});
}}
"
            ));
        }
        if uses.store {
            // What is read again has to wait for the write.
            let fence = if uses.load { "        texels.fence();\n" } else { "" };
            out.push_str(&format!(
                "
void store_{name}({ty} texels, {place} at, {texel} texel) {{
    if ({inside}) {{
        texels.write(texel, {at});
{fence}    }}
}}
"
            ));
        }
        if uses.size {
            let lanes = axes + u8::from(dim.arrayed());
            let zeros: String = (lanes..3).map(|_| ", 0u").collect();
            out.push_str(&format!(
                "
uint4 size_{name}({ty} texels) {{
    return uint4({}{zeros}, 1u);
}}
",
                sides.join(", ")
            ));
        }
    }
}
