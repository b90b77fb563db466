//! Texture reads.

use super::interface::texture_type;
use super::language::Hlsl;
use super::{Model, rules};
use crate::common::{Prec, push_f32};
use crate::text::helpers::push_fetch;
use crate::text::{Body, Language as _, Shape, TextureArguments};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Scalar, Stage, Texture, TextureId, Type};
use vecasm_opt::TextureUse;

/// Textures whose reads take no offset.
const NO_OFFSET: &[Dim] = &[Dim::Cube, Dim::CubeArray];

/// Whether a texture is read in [another shape](Dim::stand_in).
pub(super) fn stands_in(texture: &Texture, used: TextureUse, model: Model) -> bool {
    match texture.dim {
        Dim::Cube | Dim::CubeArray => !model.is_old(),
        Dim::Rect => used.sampled && !model.is_old(),
        _ => false,
    }
}

impl<'a> Body<'a, '_, Hlsl> {
    /// Writes a texture read or question.
    pub(super) fn texture(&mut self, inst: &'a Inst, args: &[Arg]) {
        let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return };
        let given = TextureArguments::of(inst.op, args);
        if self.lang.0.is_old() {
            return match inst.op {
                Op::Sample { lod, .. } => self.old_sample(texture, id, lod, given),
                _ => self.lacks(texture, "such query or read"),
            };
        }
        match inst.op {
            Op::Sample { lod, .. } => self.sample(texture, id, lod, given),
            Op::Gather { component, .. } => self.gather(texture, id, component, given),
            Op::Fetch { .. } => self.fetch(texture, id, given),
            Op::TextureSize { .. } => {
                let Some(level) = args.first() else { return };
                self.size_of(texture, id);
                if texture.dim.has_levels() {
                    self.out.push_str(", uint(");
                    self.arg(*level, Shape::Loose, Prec::Lowest);
                    self.out.push(')');
                } else {
                    self.out.push_str(", ");
                    self.arg(*level, Shape::Loose, Prec::Lowest);
                }
                self.out.push(')');
            }
            Op::TextureSamples { .. } if !texture.dim.multisampled() => self.out.push_str("1u"),
            _ => self.lacks(texture, "query for the number of samples"),
        }
    }

    pub(super) fn lacks(&mut self, texture: &Texture, what: &str) {
        let (name, dim, model) = (&texture.name, texture.dim.name(), self.lang.0);
        self.refuse(rules::TEXTURE, format!("shader model {model} has no {what}: {name}, {dim}"));
    }

    /// Begins a call of the function that asks for the size.
    fn size_of(&mut self, texture: &Texture, id: TextureId) {
        self.helpers.fetch(texture.dim, texture.scalar, true);
        push_size(&mut self.out, texture.dim, texture.scalar);
        self.out.push('(');
        self.texture_name(id);
    }

    fn method(&mut self, id: TextureId, method: &str) {
        self.texture_name(id);
        self.out.push('.');
        self.out.push_str(method);
        self.out.push('(');
        if let Some((_, sampler)) = self.outside.textures.get(id.index()) {
            self.out.push_str(sampler);
        }
        self.out.push_str(", ");
    }

    /// The place with the layer.
    fn place(&mut self, texture: &Texture, coord: Arg) {
        self.arg(Arg { lanes: texture.dim.coord_lanes(), ..coord }, Shape::Exact, Prec::Lowest);
    }

    fn sample(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let fragment = self.shader.stage == Stage::Fragment;
        if texture.dim.multisampled() || matches!(texture.dim, Dim::Rect | Dim::Buffer) {
            return self.lacks(texture, "way to sample such textures");
        }
        if texture.scalar != Scalar::F32 {
            return self.lacks(texture, "way to sample integers");
        }
        if texture.compare != given.reference.is_some() {
            return self.lacks(texture, "way to sample with and without comparison through one sampler");
        }
        if let Some(reference) = given.reference {
            let first = given.detail.and_then(|level| self.plan.constant(level));
            let first = first.is_some_and(|bits| bits[0] << 1 == 0);
            let method = match lod {
                Lod::Implicit { bias_eighths: 0 } if fragment => "SampleCmp",
                Lod::Level if first => "SampleCmpLevelZero",
                Lod::Implicit { .. } | Lod::Bias if !fragment => "SampleCmpLevelZero",
                _ => {
                    return self
                        .lacks(texture, "comparison with a bias, with gradients or at a level other than 0");
                }
            };
            self.method(id, method);
            self.place(texture, coord);
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
            self.texel_offset(texture, given.offset, (NO_OFFSET, rules::OFFSET));
            return self.out.push(')');
        }
        let slopes = texture.dim.place_lanes();
        let (method, level) = match lod {
            Lod::Implicit { bias_eighths: 0 } if fragment => ("Sample", false),
            Lod::Implicit { .. } | Lod::Bias if fragment => ("SampleBias", false),
            Lod::Implicit { .. } | Lod::Bias => ("SampleLevel", true),
            Lod::Level => ("SampleLevel", false),
            Lod::Gradient => ("SampleGrad", false),
        };
        self.method(id, method);
        self.place(texture, coord);
        match (lod, given.detail, given.gradient) {
            _ if level => self.out.push_str(", 0.0"),
            (Lod::Implicit { bias_eighths }, ..) if bias_eighths != 0 => {
                self.out.push_str(", ");
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
            }
            (Lod::Bias | Lod::Level, Some(detail), _) => {
                self.out.push_str(", ");
                self.arg(detail, Shape::Loose, Prec::Lowest);
            }
            (Lod::Gradient, _, Some((x, y))) => {
                for slope in [x, y] {
                    self.out.push_str(", ");
                    self.arg(Arg { lanes: slopes, ..slope }, Shape::Exact, Prec::Lowest);
                }
            }
            _ => {}
        }
        self.texel_offset(texture, given.offset, (NO_OFFSET, rules::OFFSET));
        self.out.push(')');
    }

    /// The level that would be read, and the one before its limits.
    pub(super) fn lod(&mut self, inst: &'a Inst, args: &[Arg]) {
        let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return };
        let Some(coord) = args.first().copied() else { return };
        if texture.compare || texture.scalar != Scalar::F32 {
            return self.lacks(texture, "query for the level where a sampler compares, or of integers");
        }
        let (of, lanes) = (texture_type(texture.dim, texture.scalar), texture.dim.place_lanes());
        let place = Hlsl::type_name(Type::new(Scalar::F32, lanes));
        let read = ["CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped"];
        self.level_by_methods(id, (&of, "SamplerState", place), read, Arg { lanes, ..coord });
    }

    fn gather(&mut self, texture: &'a Texture, id: TextureId, component: u8, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let shaped = matches!(texture.dim, Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray);
        let model = self.lang.0;
        let first = component == 0 && given.reference.is_none();
        let since = if first { Model::SM4_1 } else { Model::SM5_0 };
        if !shaped || !model.since(since) || texture.compare != given.reference.is_some() {
            return self.lacks(texture, "such gathering");
        }
        let method = match (given.reference, component) {
            (Some(_), _) => "GatherCmp",
            (None, 0) => "Gather",
            (None, 1) => "GatherGreen",
            (None, 2) => "GatherBlue",
            (None, _) => "GatherAlpha",
        };
        self.method(id, method);
        self.place(texture, coord);
        if let Some(reference) = given.reference {
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
        }
        self.texel_offset(texture, given.offset, (NO_OFFSET, rules::OFFSET));
        self.out.push(')');
    }

    /// One texel. What lies outside is zero but for the lanes that a format lacks, so a function looks.
    fn fetch(&mut self, texture: &'a Texture, id: TextureId, given: TextureArguments) {
        let (Some(coord), Some(detail)) = (given.coord, given.detail) else { return };
        let dim = texture.dim;
        if dim.faces() > 1 {
            return self.lacks(texture, "way to fetch from a cube that is also sampled");
        }
        self.helpers.fetch(dim, texture.scalar, false);
        push_fetch(&mut self.out, dim, texture.scalar, false);
        self.out.push('(');
        self.texture_name(id);
        self.out.push_str(", ");
        self.texel_place(dim, coord, given.offset);
        self.out.push_str(", ");
        self.arg(detail, Shape::Loose, Prec::Sum);
        self.out.push(')');
    }
}

/// The name of the function that asks for a size.
fn push_size(out: &mut String, dim: Dim, scalar: Scalar) {
    let start = out.len();
    push_fetch(out, dim, scalar, false);
    out.replace_range(start..start + "fetch".len(), "size");
}

/// The function that reads a texel, zero outside; or, for `size`, the one that asks for the size of a level.
pub(super) fn fetch(out: &mut String, dim: Dim, scalar: Scalar, size: bool) {
    let axes = dim.axes();
    let mut lengths: Vec<&str> = ["width", "height", "depth"][..usize::from(axes.min(3))].to_vec();
    if dim.arrayed() {
        lengths.push("layers");
    }
    // A texture of one level is asked for it, too.
    let levels = dim.has_levels() || dim == Dim::Rect;
    let ask = if levels { "level, " } else { "" };
    let also = match dim {
        Dim::Buffer => None,
        _ if levels => Some("levels"),
        _ => Some("samples"),
    };
    let all: Vec<&str> = lengths.iter().copied().chain(also).collect();
    let all = all.join(", ");
    let texels = texture_type(dim, scalar);
    let measure = format!("    uint {all};\n    texels.GetDimensions({ask}{all});\n");
    out.push('\n');
    if size {
        out.push_str("uint4 ");
        push_size(out, dim, scalar);
        let zeros = ", 0u".repeat(3 - lengths.len());
        let (lengths, has) = (lengths.join(", "), if also == Some("levels") { "levels" } else { "1u" });
        out.push_str(&format!(
            "({texels} texels, uint level) {{
{measure}    return level < {has} ? uint4({lengths}{zeros}, {has}) : uint4(0u, 0u, 0u, {has});
}}
"
        ));
        return;
    }
    let give = Hlsl::type_name(Type::new(scalar, 4));
    let place = Hlsl::type_name(Type::new(Scalar::I32, dim.texel_lanes()));
    let which = if dim.multisampled() { "sample_number" } else { "level" };
    out.push_str(give);
    out.push(' ');
    push_fetch(out, dim, scalar, false);
    let outside = match lengths.as_slice() {
        [only] => format!("uint(place) >= {only}"),
        more => format!("any(uint{0}(place) >= uint{0}({1}))", more.len(), more.join(", ")),
    };
    let beyond = format!("uint({which}) >= {} || ", also.unwrap_or("1u"));
    let at = match dim {
        Dim::Buffer => "place".into(),
        _ if dim.multisampled() => format!("place, {which}"),
        _ => format!("int{}(place, level)", dim.texel_lanes() + 1),
    };
    let zero = if scalar == Scalar::F32 { "0.0, 0.0, 0.0, 0.0" } else { "0, 0, 0, 0" };
    let measure = measure.replace("(level,", "(uint(level),");
    out.push_str(&format!(
        "({texels} texels, {place} place, int {which}) {{
{measure}    if ({beyond}{outside}) {{
        return {give}({zero});
    }}
    return texels.Load({at});
}}
"
    ));
}
