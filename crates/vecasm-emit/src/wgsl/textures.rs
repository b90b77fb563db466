//! Texture reads.

use super::interface::{push_texture_type, type_name};
use super::language::Wgsl;
use super::rules;
use crate::common::{Prec, push_f32, push_u32};
use crate::text::helpers::push_fetch;
use crate::text::{Body, Shape, TextureArguments, lane};
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Scalar, Stage, Texture, TextureId, Type};
use vecasm_opt::TextureUse;

/// Textures whose reads take no offset.
const NO_OFFSET: &[Dim] = &[Dim::D1, Dim::Cube, Dim::CubeArray];

/// Whether a texture is read in [another shape](Dim::stand_in). Lines of WebGPU have one level, no comparison and no
/// offset, and are sampled in fragment shaders only.
pub(super) fn stands_in(texture: &Texture, used: TextureUse, stage: Stage) -> bool {
    match texture.dim {
        Dim::Cube | Dim::CubeArray | Dim::D1Array | Dim::Rect => true,
        Dim::D1 => {
            texture.compare || used.leveled || used.offset || (used.sampled && stage != Stage::Fragment)
        }
        _ => false,
    }
}

impl<'a> Body<'a, '_, Wgsl> {
    /// Writes a texture read or question.
    pub(super) fn texture(&mut self, inst: &'a Inst, args: &[Arg]) {
        let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return };
        let given = TextureArguments::of(inst.op, args);
        match inst.op {
            Op::Sample { lod, .. } => self.sample(texture, id, lod, given),
            Op::Gather { component, .. } => self.gather(texture, id, component, given),
            Op::Fetch { .. } => self.fetch(texture, id, given),
            Op::TextureSize { .. } => {
                if let Some(level) = args.first() {
                    self.size(texture, id, *level, self.wants(inst, 3));
                }
            }
            Op::TextureSamples { .. } if texture.dim.multisampled() => {
                self.out.push_str("textureNumSamples(");
                self.texture_name(id);
                self.out.push(')');
            }
            Op::TextureSamples { .. } => self.out.push_str("1u"),
            _ => {}
        }
    }

    /// A function and its first arguments.
    fn begin(&mut self, function: &str, id: TextureId) {
        self.out.push_str(function);
        self.out.push('(');
        let Some((texture, sampler)) = self.outside.textures.get(id.index()) else { return };
        self.out.push_str(texture);
        self.out.push_str(", ");
        self.out.push_str(sampler);
    }

    /// The place, and of an array the layer.
    fn place(&mut self, dim: Dim, coord: Arg) {
        self.out.push_str(", ");
        let lanes = dim.place_lanes();
        if !dim.arrayed() {
            return self.arg(Arg { lanes, ..coord }, Shape::Exact, Prec::Lowest);
        }
        self.arg(Arg { lanes, ..coord }, Shape::Exact, Prec::Lowest);
        // Layers are rounded, halves up, and clamped by WGSL.
        self.out.push_str(", i32(floor(");
        self.arg(lane(coord, lanes), Shape::Loose, Prec::Sum);
        self.out.push_str(" + 0.5))");
    }

    fn lacks(&mut self, texture: &Texture, what: &str) {
        let (name, dim) = (&texture.name, texture.dim.name());
        self.refuse(rules::TEXTURE, format!("WGSL has no {what}: {name}, {dim}"));
    }

    fn sample(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let fragment = self.shader.stage == Stage::Fragment;
        let line = texture.dim == Dim::D1;
        if texture.scalar != Scalar::F32 {
            return self.lacks(texture, "sampler for integer texels");
        }
        if texture.dim.multisampled() {
            return self.lacks(texture, "sampler for texels of several samples");
        }
        if texture.compare != given.reference.is_some() {
            let what = if texture.compare {
                "way to sample with and without comparison through one sampler"
            } else {
                "comparison with texels that are not depths"
            };
            return self.lacks(texture, what);
        }
        if given.reference.is_some() {
            // Without derivatives the level is the largest one.
            let first = match lod {
                Lod::Implicit { bias_eighths: 0 } => !fragment,
                Lod::Implicit { .. } => fragment,
                Lod::Level => true,
                Lod::Bias | Lod::Gradient => false,
            };
            let level =
                given.detail.map(|level| self.plan.constant(level).is_some_and(|bits| bits[0] << 1 == 0));
            let said = match lod {
                Lod::Implicit { bias_eighths } => bias_eighths == 0 || !fragment,
                Lod::Level => level == Some(true),
                Lod::Bias | Lod::Gradient => false,
            };
            if !said {
                return self.lacks(texture, "comparison at a level other than the implicit one and 0");
            }
            self.begin(if first { "textureSampleCompareLevel" } else { "textureSampleCompare" }, id);
            self.place(texture.dim, coord);
            if let Some(reference) = given.reference {
                self.out.push_str(", ");
                self.arg(reference, Shape::Loose, Prec::Lowest);
            }
            return self.end(texture, given.offset);
        }
        let (function, implicit) = match lod {
            Lod::Implicit { bias_eighths: 0 } if fragment => ("textureSample", true),
            Lod::Implicit { .. } | Lod::Bias if fragment => ("textureSampleBias", false),
            Lod::Gradient => ("textureSampleGrad", false),
            _ => ("textureSampleLevel", false),
        };
        if line && !implicit {
            return self.lacks(texture, "level of detail for lines");
        }
        self.begin(function, id);
        self.place(texture.dim, coord);
        match (lod, given.detail, given.gradient) {
            (Lod::Implicit { .. }, ..) if !fragment => self.out.push_str(", 0.0"),
            (Lod::Implicit { bias_eighths: 0 }, ..) => {}
            (Lod::Implicit { bias_eighths }, ..) => {
                self.out.push_str(", ");
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
            }
            (_, Some(detail), _) => {
                self.out.push_str(", ");
                self.arg(detail, Shape::Loose, Prec::Lowest);
            }
            (_, _, Some((x, y))) => {
                for slope in [x, y] {
                    self.out.push_str(", ");
                    self.arg(slope, Shape::Exact, Prec::Lowest);
                }
            }
            _ => {}
        }
        self.end(texture, given.offset);
    }

    /// The offset, if there is one, and the closing parenthesis.
    fn end(&mut self, texture: &Texture, offset: Option<Arg>) {
        self.texel_offset(texture, offset, (NO_OFFSET, rules::OFFSET));
        self.out.push(')');
    }

    fn gather(&mut self, texture: &'a Texture, id: TextureId, component: u8, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        if !matches!(texture.dim, Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray) {
            return self.lacks(texture, "gathering from such textures");
        }
        if texture.compare != given.reference.is_some() || texture.scalar != Scalar::F32 {
            return self.lacks(texture, "such gathering through its sampler");
        }
        if given.reference.is_some() {
            self.begin("textureGatherCompare", id);
        } else {
            self.out.push_str("textureGather(");
            push_u32(&mut self.out, u32::from(component));
            let Some((texture, sampler)) = self.outside.textures.get(id.index()) else { return };
            for name in [texture, sampler] {
                self.out.push_str(", ");
                self.out.push_str(name);
            }
        }
        self.place(texture.dim, coord);
        if let Some(reference) = given.reference {
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
        }
        self.end(texture, given.offset);
    }

    /// One texel. What lies outside is open in WGSL, so a function looks.
    fn fetch(&mut self, texture: &'a Texture, id: TextureId, given: TextureArguments) {
        let (Some(coord), Some(detail)) = (given.coord, given.detail) else { return };
        if texture.dim.faces() > 1 {
            return self.lacks(texture, "way to fetch from a cube that is also sampled");
        }
        self.helpers.fetch(texture.dim, texture.scalar, texture.compare);
        push_fetch(&mut self.out, texture.dim, texture.scalar, texture.compare);
        self.out.push('(');
        self.texture_name(id);
        self.out.push_str(", ");
        self.texel_place(texture.dim, coord, given.offset);
        self.out.push_str(", ");
        self.arg(detail, Shape::Loose, Prec::Sum);
        self.out.push(')');
    }

    /// The size of a level and, if it is wanted, the number of levels.
    fn size(&mut self, texture: &'a Texture, id: TextureId, level: Arg, count: bool) {
        let dim = texture.dim;
        let known = self.plan.constant(level).map(|bits| bits[0]);
        let (axes, arrayed) = (usize::from(dim.axes()), dim.arrayed());
        let ty = type_name(Type::new(Scalar::U32, axes as u8));
        // Level 0 is always there.
        let guarded = known != Some(0);
        let condition = |this: &mut Self| {
            this.out.push_str(", u32(");
            this.arg(level, Shape::Loose, Prec::Lowest);
            this.out.push_str(") < ");
            this.levels(dim, id);
            this.out.push(')');
        };
        self.out.push_str("vec4u(");
        if guarded {
            self.out.push_str("select(");
            self.out.push_str(ty);
            self.out.push_str("(), ");
        }
        self.out.push_str("textureDimensions(");
        self.texture_name(id);
        if !dim.multisampled() {
            self.out.push_str(", ");
            self.arg(level, Shape::Loose, Prec::Lowest);
        }
        self.out.push(')');
        if guarded {
            condition(self);
        }
        if arrayed {
            self.out.push_str(if guarded { ", select(0u, textureNumLayers(" } else { ", textureNumLayers(" });
            self.texture_name(id);
            self.out.push(')');
            if guarded {
                condition(self);
            }
        }
        for _ in axes + usize::from(arrayed)..3 {
            self.out.push_str(", 0u");
        }
        self.out.push_str(", ");
        if count {
            self.levels(dim, id);
        } else {
            self.out.push_str("0u");
        }
        self.out.push(')');
    }

    fn levels(&mut self, dim: Dim, id: TextureId) {
        if dim.multisampled() {
            return self.out.push_str("1u");
        }
        self.out.push_str("textureNumLevels(");
        self.texture_name(id);
        self.out.push(')');
    }
}

/// One texel of a level; zero outside.
pub(super) fn fetch(out: &mut String, dim: Dim, scalar: Scalar, depth: bool) {
    let (axes, arrayed, samples) = (dim.axes(), dim.arrayed(), dim.multisampled());
    let give = type_name(Type::new(scalar, 4));
    let place = type_name(Type::new(Scalar::I32, dim.texel_lanes()));
    let level = if samples { "sample" } else { "level" };
    out.push_str("\nfn ");
    push_fetch(out, dim, scalar, depth);
    out.push_str("(texels: ");
    push_texture_type(out, dim, scalar, depth);
    let of_level = if samples { "" } else { ", level" };
    let texel = match (axes, arrayed) {
        (_, true) => "place.xy",
        _ => "place",
    };
    let inside = match axes {
        1 => format!("u32({texel}) >= textureDimensions(texels{of_level})"),
        n => format!(
            "any({}({texel}) >= textureDimensions(texels{of_level}))",
            type_name(Type::new(Scalar::U32, n))
        ),
    };
    let layer = if arrayed { " || u32(place.z) >= textureNumLayers(texels)" } else { "" };
    let count = if samples { "textureNumSamples(texels)" } else { "textureNumLevels(texels)" };
    let read = format!("textureLoad(texels, {texel}{}, {level})", if arrayed { ", place.z" } else { "" });
    let read = if depth { format!("vec4f({read}, 0.0, 0.0, 1.0)") } else { read };
    out.push_str(&format!(
        ", place: {place}, {level}: i32) -> {give} {{
    if (u32({level}) >= {count} || {inside}{layer}) {{
        return {give}();
    }}
    return {read};
}}
"
    ));
}
