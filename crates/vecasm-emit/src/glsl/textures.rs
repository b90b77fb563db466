//! Texture reads.

use super::language::Glsl;
use super::{Version, rules, sampler_name};
use crate::common::{Prec, push_f32, push_u32};
use crate::text::helpers::push_fetch;
use crate::text::{Body, Language as _, Shape, TextureArguments};
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Scalar, Stage, Texture, TextureId, Type};

/// Textures whose reads take no offset.
const NO_OFFSET: &[Dim] = &[Dim::Cube, Dim::CubeArray];

/// Whether a texture is read in [another shape](Dim::stand_in).
pub(super) fn stands_in(texture: &Texture, version: Version) -> bool {
    match texture.dim {
        // The faces are looked at as layers only where there are some.
        Dim::Cube | Dim::CubeArray => version.since(130, 300),
        Dim::D1 => version.is_es(),
        Dim::D1Array => version.is_es() && !version.is_old(),
        // Its size is asked for.
        Dim::Rect => !version.is_old() && !has_rect(texture, version),
        _ => false,
    }
}

/// Whether a version has rectangles of such texels.
pub(super) fn has_rect(texture: &Texture, version: Version) -> bool {
    let plain = !texture.compare && texture.scalar == Scalar::F32;
    version.since(if plain { 120 } else { 140 }, u16::MAX)
}

impl<'a> Body<'a, '_, Glsl> {
    /// Writes a texture read or question.
    pub(super) fn texture(&mut self, inst: &'a Inst, args: &[Arg]) {
        let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return };
        let given = TextureArguments::of(inst.op, args);
        if self.lang.0.is_old() {
            return match inst.op {
                Op::Sample { lod, .. } => self.sample_old(texture, id, lod, given),
                _ => self.lacks(texture, "way to query or fetch from a texture"),
            };
        }
        match inst.op {
            Op::Sample { lod, .. } => self.sample(texture, id, lod, given),
            Op::Gather { component, .. } => self.gather(texture, id, component, given),
            Op::Fetch { .. } => self.fetch(texture, id, given),
            Op::TextureSize { .. } => {
                if let Some(level) = args.first() {
                    self.size(texture, id, *level, self.wants(inst, 3));
                }
            }
            Op::TextureSamples { .. } if !texture.dim.multisampled() => self.out.push_str("1u"),
            Op::TextureSamples { .. } if self.lang.0.since(430, u16::MAX) => {
                self.out.push_str("uint(textureSamples(");
                self.texture_name(id);
                self.out.push_str("))");
            }
            _ => self.lacks(texture, "query for the number of samples"),
        }
    }

    fn lacks(&mut self, texture: &Texture, what: &str) {
        let (name, dim, version) = (&texture.name, texture.dim.name(), self.lang.0);
        self.refuse(rules::TEXTURE, format!("GLSL {version} has no {what}: {name}, {dim}"));
    }

    /// The place with the layer, and what it is compared with: one vector, but for arrays of cubes.
    fn place(&mut self, texture: &Texture, coord: Arg, reference: Option<Arg>) {
        let lanes = texture.dim.coord_lanes();
        let coord = Arg { lanes, ..coord };
        let Some(reference) = reference else { return self.arg(coord, Shape::Exact, Prec::Lowest) };
        if texture.dim == Dim::CubeArray {
            self.arg(coord, Shape::Exact, Prec::Lowest);
            self.out.push_str(", ");
            return self.arg(reference, Shape::Loose, Prec::Lowest);
        }
        // Lines have a lane that is not used.
        let line = texture.dim == Dim::D1;
        self.out.push_str(Glsl::type_name(Type::new(Scalar::F32, lanes + 1 + u8::from(line))));
        self.out.push('(');
        self.part(coord);
        self.out.push_str(if line { ", 0.0, " } else { ", " });
        self.arg(reference, Shape::Loose, Prec::Lowest);
        self.out.push(')');
    }

    /// A read in versions with a function for each dimension.
    fn sample_old(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let (es, fragment) = (self.lang.0.is_es(), self.shader.stage == Stage::Fragment);
        if given.offset.is_some() || texture.compare != given.reference.is_some() {
            return self.lacks(texture, "such reading of textures");
        }
        let compare = texture.compare;
        let dim = match texture.dim {
            Dim::D1 => "1D",
            Dim::D2 => "2D",
            Dim::D3 => "3D",
            Dim::Cube => "Cube",
            _ => "2DRect",
        };
        let rect = texture.dim == Dim::Rect;
        let detail = match lod {
            _ if rect && lod != Lod::Gradient => "",
            Lod::Implicit { .. } | Lod::Bias if fragment => "",
            // Vertex shaders have levels without an extension, but slopes only where fragment shaders have them.
            Lod::Gradient if es && !fragment => {
                return self.lacks(texture, "gradients of textures in vertex shaders");
            }
            Lod::Gradient if es => "GradEXT",
            Lod::Gradient if rect => return self.lacks(texture, "gradients of such textures"),
            Lod::Gradient => "GradARB",
            _ if es && fragment => "LodEXT",
            _ => "Lod",
        };
        if es && texture.dim == Dim::D3 && !detail.is_empty() {
            return self.lacks(texture, "levels of such textures");
        }
        self.out.push_str(if compare { "shadow" } else { "texture" });
        self.out.push_str(dim);
        self.out.push_str(detail);
        self.out.push('(');
        self.texture_name(id);
        self.out.push_str(", ");
        self.place(texture, coord, given.reference);
        match (lod, given.detail, given.gradient) {
            (Lod::Gradient, _, Some((x, y))) => {
                for slope in [x, y] {
                    self.out.push_str(", ");
                    let lanes = texture.dim.place_lanes();
                    self.arg(Arg { lanes, ..slope }, Shape::Exact, Prec::Lowest);
                }
            }
            _ if rect => {}
            (Lod::Implicit { .. } | Lod::Bias, ..) if !fragment => self.out.push_str(", 0.0"),
            (Lod::Implicit { bias_eighths }, ..) if bias_eighths != 0 => {
                self.out.push_str(", ");
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
            }
            (Lod::Bias | Lod::Level, Some(detail), _) => {
                self.out.push_str(", ");
                self.arg(detail, Shape::Loose, Prec::Lowest);
            }
            _ => {}
        }
        // A comparison gives four lanes, as a texture of luminance.
        self.out.push_str(if compare { ").x" } else { ")" });
    }

    fn sample(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let fragment = self.shader.stage == Stage::Fragment;
        if texture.dim.multisampled() || texture.dim == Dim::Buffer {
            return self.lacks(texture, "way to sample such textures");
        }
        if texture.compare != given.reference.is_some() {
            return self.lacks(texture, "way to sample with and without comparison through one sampler");
        }
        let rect = texture.dim == Dim::Rect;
        let compare = given.reference.is_some();
        // Of these shadows a level is not taken, but slopes are, and none is level 0.
        let sloped = compare && matches!(texture.dim, Dim::D2Array | Dim::Cube | Dim::CubeArray);
        let leveled = !rect && !sloped;
        let constant = given.detail.and_then(|level| self.plan.constant(level)).map(|bits| bits[0] << 1 == 0);
        let (function, flat) = match lod {
            Lod::Implicit { .. } | Lod::Bias if fragment => ("texture", false),
            Lod::Implicit { .. } | Lod::Bias if rect => ("texture", false),
            Lod::Gradient => ("textureGrad", false),
            _ if leveled => ("textureLod", false),
            // A rectangle has one level.
            _ if rect => ("texture", false),
            Lod::Level if constant != Some(true) => {
                return self.lacks(texture, "comparison at a level other than 0");
            }
            _ if texture.dim == Dim::CubeArray => {
                return self.lacks(texture, "comparison at a level");
            }
            _ => ("textureGrad", true),
        };
        if texture.dim == Dim::CubeArray && compare && (function != "texture" || lod == Lod::Bias) {
            return self.lacks(texture, "comparison at a level");
        }
        let biased = match lod {
            Lod::Implicit { bias_eighths } => bias_eighths != 0,
            lod => lod == Lod::Bias,
        };
        if biased && fragment && compare && texture.dim == Dim::D2Array {
            return self.lacks(texture, "bias beside a comparison");
        }
        self.out.push_str(function);
        self.out.push_str(if given.offset.is_some() { "Offset(" } else { "(" });
        self.texture_name(id);
        self.out.push_str(", ");
        self.place(texture, coord, given.reference);
        let slopes = texture.dim.place_lanes();
        match (lod, given.detail, given.gradient) {
            _ if flat => {
                for _ in 0..2 {
                    self.out.push_str(", ");
                    self.zero(Type::new(Scalar::F32, slopes));
                }
            }
            (Lod::Gradient, _, Some((x, y))) => {
                for slope in [x, y] {
                    self.out.push_str(", ");
                    self.arg(Arg { lanes: slopes, ..slope }, Shape::Exact, Prec::Lowest);
                }
            }
            (Lod::Implicit { .. } | Lod::Bias, ..) if !fragment && leveled => self.out.push_str(", 0.0"),
            (Lod::Level, Some(level), _) if leveled => {
                self.out.push_str(", ");
                self.arg(level, Shape::Loose, Prec::Lowest);
            }
            _ => {}
        }
        self.texel_offset(texture, given.offset, (NO_OFFSET, rules::OFFSET));
        match (lod, given.detail) {
            (Lod::Implicit { bias_eighths }, _) if fragment && bias_eighths != 0 && !rect => {
                self.out.push_str(", ");
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
            }
            (Lod::Bias, Some(bias)) if fragment && !rect => {
                self.out.push_str(", ");
                self.arg(bias, Shape::Loose, Prec::Lowest);
            }
            _ => {}
        }
        self.out.push(')');
    }

    fn gather(&mut self, texture: &'a Texture, id: TextureId, component: u8, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let shaped = matches!(texture.dim, Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray | Dim::Rect);
        // What the smaller extension has is the first lane without comparison.
        let (version, whole) = (self.lang.0, component != 0 || given.reference.is_some());
        let there = version.since(if whole { 150 } else { 130 }, 310);
        if !shaped || !there || texture.compare != given.reference.is_some() {
            return self.lacks(texture, "such gathering");
        }
        if !version.since(400, 0) {
            self.helpers.ask(if whole { "GL_ARB_gpu_shader5" } else { "GL_ARB_texture_gather" });
        }
        self.out.push_str(if given.offset.is_some() { "textureGatherOffset(" } else { "textureGather(" });
        self.texture_name(id);
        self.out.push_str(", ");
        self.place(texture, coord, None);
        if let Some(reference) = given.reference {
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
        }
        match given.offset {
            // Those of a gathering may be computed.
            Some(offset) if self.plan.constant(offset).is_none() && version.since(400, 320) => {
                self.out.push_str(", ");
                self.arg(offset, Shape::Exact, Prec::Lowest);
            }
            offset => self.texel_offset(texture, offset, (NO_OFFSET, rules::OFFSET)),
        }
        if given.reference.is_none() && (version.since(400, 310) || whole) {
            self.out.push_str(", ");
            push_u32(&mut self.out, u32::from(component));
        }
        self.out.push(')');
    }

    /// One texel. What lies outside is open in GLSL, so a function looks.
    fn fetch(&mut self, texture: &'a Texture, id: TextureId, given: TextureArguments) {
        let (Some(coord), Some(detail)) = (given.coord, given.detail) else { return };
        let dim = texture.dim;
        if dim.faces() > 1 || texture.compare {
            return self.lacks(texture, "way to fetch from such textures");
        }
        let leveled = !dim.multisampled() && !matches!(dim, Dim::Rect | Dim::Buffer);
        let first = self.plan.constant(detail).is_some_and(|bits| bits[0] == 0);
        if leveled && !first && !self.lang.0.since(430, u16::MAX) {
            return self.lacks(texture, "number of levels, which a fetch from a level needs");
        }
        if dim.multisampled() && !self.lang.0.since(430, u16::MAX) {
            return self.lacks(texture, "number of samples, which a fetch needs");
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

    /// The size of a level and, if it is wanted, the number of levels.
    fn size(&mut self, texture: &'a Texture, id: TextureId, level: Arg, count: bool) {
        let dim = texture.dim;
        let single = dim.multisampled() || matches!(dim, Dim::Rect | Dim::Buffer);
        let known = self.plan.constant(level).is_some_and(|bits| bits[0] == 0);
        let count = count || !known;
        if count && !single && !self.lang.0.since(430, u16::MAX) {
            return self.lacks(texture, "number of levels");
        }
        let lanes = dim.axes() + u8::from(dim.arrayed());
        let ty = Glsl::type_name(Type::new(Scalar::U32, lanes));
        if !known {
            self.out.push_str("(uint(");
            self.arg(level, Shape::Loose, Prec::Lowest);
            self.out.push_str(") < ");
            self.levels(single, id);
            self.out.push_str(" ? ");
        }
        let write = |this: &mut Self| {
            this.out.push_str(ty);
            this.out.push_str("(textureSize(");
            this.texture_name(id);
            if !single {
                this.out.push_str(", ");
                this.arg(level, Shape::Loose, Prec::Lowest);
            }
            this.out.push_str("))");
        };
        let rest = |this: &mut Self| {
            for _ in lanes..3 {
                this.out.push_str(", 0u");
            }
            this.out.push_str(", ");
            if count {
                this.levels(single, id);
            } else {
                this.out.push_str("0u");
            }
            this.out.push(')');
        };
        self.out.push_str("uvec4(");
        write(self);
        rest(self);
        if !known {
            self.out.push_str(" : uvec4(");
            self.zero(Type::new(Scalar::U32, lanes));
            rest(self);
            self.out.push(')');
        }
    }

    fn levels(&mut self, single: bool, id: TextureId) {
        if single {
            return self.out.push_str("1u");
        }
        self.out.push_str("uint(textureQueryLevels(");
        self.texture_name(id);
        self.out.push_str("))");
    }
}

/// One texel of a level; zero outside. `counted` if the version knows how many levels or samples there are.
pub(super) fn fetch(out: &mut String, dim: Dim, scalar: Scalar, counted: bool) {
    let samples = dim.multisampled();
    let single = matches!(dim, Dim::Rect | Dim::Buffer);
    let give = Glsl::type_name(Type::new(scalar, 4));
    let place = Glsl::type_name(Type::new(Scalar::I32, dim.texel_lanes()));
    let size = Glsl::type_name(Type::new(Scalar::U32, dim.texel_lanes()));
    let level = if samples { "sample_index" } else { "level" };
    out.push('\n');
    out.push_str(give);
    out.push(' ');
    push_fetch(out, dim, scalar, false);
    let sampler = sampler_name(dim, scalar, false);
    let of_level = if samples || single { "" } else { ", level" };
    let outside = match dim.texel_lanes() {
        1 => format!("uint(place) >= uint(textureSize(texels{of_level}))"),
        _ => format!("any(greaterThanEqual({size}(place), {size}(textureSize(texels{of_level}))))"),
    };
    let count = match (samples, single) {
        (true, _) => "textureSamples(texels)",
        (_, true) => "1",
        _ if counted => "textureQueryLevels(texels)",
        _ => "1",
    };
    let read = if single && dim == Dim::Buffer { String::new() } else { format!(", {level}") };
    let read = if dim == Dim::Rect { String::new() } else { read };
    out.push_str(&format!(
        "(highp {sampler} texels, {place} place, int {level}) {{
    if (uint({level}) >= uint({count}) || {outside}) {{
        return {give}(0);
    }}
    return texelFetch(texels, place{read});
}}
"
    ));
}
