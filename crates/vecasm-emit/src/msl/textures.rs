//! Texture reads.

use super::language::Msl;
use super::rules;
use crate::common::{Prec, push_f32};
use crate::text::helpers::{Helper, push_fetch, push_helper};
use crate::text::{Body, Language as _, Shape, TextureArguments, lane};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Scalar, Stage, Texture, TextureId, Type};
use vecasm_opt::TextureUse;

/// Textures whose reads take no offset.
const NO_OFFSET: &[Dim] = &[Dim::D1, Dim::D1Array, Dim::Cube, Dim::CubeArray];

/// Whether a texture is read in [another shape](Dim::stand_in). Lines of Metal have one level and no comparison, and
/// what has coordinates in texels is sampled plainly.
pub(super) fn stands_in(texture: &Texture, used: TextureUse) -> bool {
    match texture.dim {
        Dim::Cube | Dim::CubeArray => true,
        Dim::D1 | Dim::D1Array => texture.compare || used.leveled || used.offset,
        Dim::Rect => texture.compare || used.gathered || used.leveled,
        _ => false,
    }
}

impl<'a> Body<'a, '_, Msl> {
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
                    self.size(texture, id, *level);
                }
            }
            Op::TextureSamples { .. } if texture.dim.multisampled() => self.ask(id, "get_num_samples()"),
            _ => self.out.push_str("1u"),
        }
    }

    /// A member function of a texture without arguments that are written here.
    fn ask(&mut self, id: TextureId, question: &str) {
        self.texture_name(id);
        self.out.push('.');
        self.out.push_str(question);
    }

    /// A member function and its first arguments: the sampler, the place, and of an array the layer.
    fn begin(&mut self, function: &str, texture: &Texture, id: TextureId, coord: Arg) {
        self.ask(id, function);
        self.out.push('(');
        let outside = self.outside;
        if let Some((_, sampler)) = outside.textures.get(id.index()) {
            self.out.push_str(sampler);
            self.out.push_str(", ");
        }
        let lanes = texture.dim.place_lanes();
        self.arg(Arg { lanes, ..coord }, Shape::Exact, Prec::Lowest);
        if texture.dim.arrayed() {
            self.out.push_str(", ");
            self.helpers.call(Helper::ArrayLayer, 1);
            push_helper(&mut self.out, Helper::ArrayLayer, 1);
            self.out.push('(');
            self.arg(lane(coord, lanes), Shape::Loose, Prec::Lowest);
            self.out.push_str(", ");
            self.ask(id, "get_array_size())");
        }
    }

    fn lacks(&mut self, texture: &Texture, what: &str) {
        let (name, dim, version) = (&texture.name, texture.dim.name(), self.lang.0);
        self.refuse(rules::TEXTURE, format!("MSL {version} has no {what}: {name}, {dim}"));
    }

    fn sample(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let fragment = self.shader.stage == Stage::Fragment;
        let dim = texture.dim;
        if dim.multisampled() || dim == Dim::Buffer {
            return self.lacks(texture, "way to sample such textures");
        }
        if texture.compare != given.reference.is_some() {
            return self.lacks(texture, "way to sample with and without comparison through one sampler");
        }
        // What a line or a texture with coordinates in texels has is one level.
        let single = matches!(dim, Dim::D1 | Dim::D1Array | Dim::Rect);
        let implicit = match lod {
            Lod::Implicit { bias_eighths } => !fragment || bias_eighths == 0,
            _ => false,
        };
        if single && !implicit {
            return self.lacks(texture, "level of detail for such textures");
        }
        if let Some(reference) = given.reference {
            let level =
                given.detail.and_then(|level| self.plan.constant(level)).map(|bits| bits[0] << 1 == 0);
            let first = lod == Lod::Level && level == Some(true);
            if !implicit && !first {
                return self.lacks(texture, "comparison at a level other than the implicit one and 0");
            }
            self.begin("sample_compare", texture, id, coord);
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
            if first || !fragment {
                self.out.push_str(", level(0.0)");
            }
            return self.end(texture, given.offset);
        }
        self.begin("sample", texture, id, coord);
        match (lod, given.detail, given.gradient) {
            _ if single => {}
            (Lod::Implicit { .. } | Lod::Bias, ..) if !fragment => self.out.push_str(", level(0.0)"),
            (Lod::Implicit { bias_eighths: 0 }, ..) => {}
            (Lod::Implicit { bias_eighths }, ..) => {
                self.out.push_str(", bias(");
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
                self.out.push(')');
            }
            (_, Some(detail), _) => {
                self.out.push_str(if lod == Lod::Bias { ", bias(" } else { ", level(" });
                self.arg(detail, Shape::Loose, Prec::Lowest);
                self.out.push(')');
            }
            (_, _, Some((x, y))) => {
                self.out.push_str(match dim {
                    Dim::D3 => ", gradient3d(",
                    Dim::Cube | Dim::CubeArray => ", gradientcube(",
                    _ => ", gradient2d(",
                });
                let lanes = dim.place_lanes();
                self.arg(Arg { lanes, ..x }, Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
                self.arg(Arg { lanes, ..y }, Shape::Exact, Prec::Lowest);
                self.out.push(')');
            }
            _ => {}
        }
        self.end(texture, given.offset);
    }

    /// The level that would be read, and the one before its limits.
    pub(super) fn lod(&mut self, inst: &'a Inst, args: &[Arg]) {
        let Some((id, texture)) = self.fixed_texture(inst, rules::HANDLE) else { return };
        let Some(coord) = args.first().copied() else { return };
        let dim = texture.dim;
        if !matches!(dim, Dim::D2 | Dim::D2Array | Dim::D3 | Dim::Cube | Dim::CubeArray) {
            return self.lacks(texture, "level of detail for such textures");
        }
        let (of, lanes) = (type_name(dim, texture.scalar, texture.compare), dim.place_lanes());
        let place = Msl::type_name(Type::new(Scalar::F32, lanes));
        let read = ["calculate_clamped_lod", "calculate_unclamped_lod"];
        self.level_by_methods(id, (&of, "sampler", place), read, Arg { lanes, ..coord });
    }

    /// The offset, if there is one, and the closing parenthesis.
    fn end(&mut self, texture: &Texture, offset: Option<Arg>) {
        self.texel_offset(texture, offset, (NO_OFFSET, rules::OFFSET));
        self.out.push(')');
    }

    fn gather(&mut self, texture: &'a Texture, id: TextureId, component: u8, given: TextureArguments) {
        let Some(coord) = given.coord else { return };
        let shaped = matches!(texture.dim, Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray);
        if !shaped || texture.compare != given.reference.is_some() {
            return self.lacks(texture, "such gathering");
        }
        if let Some(reference) = given.reference {
            self.begin("gather_compare", texture, id, coord);
            self.out.push_str(", ");
            self.arg(reference, Shape::Loose, Prec::Lowest);
            return self.end(texture, given.offset);
        }
        self.begin("gather", texture, id, coord);
        self.texel_offset(texture, given.offset, (NO_OFFSET, rules::OFFSET));
        // It stands before the component.
        if given.offset.is_none() && texture.dim.faces() == 1 {
            self.out.push_str(", int2(0)");
        }
        self.out.push_str(", component::");
        self.out.push(['x', 'y', 'z', 'w'][usize::from(component & 3)]);
        self.out.push(')');
    }

    /// One texel. What lies outside is open in Metal, so a function looks.
    fn fetch(&mut self, texture: &'a Texture, id: TextureId, given: TextureArguments) {
        let (Some(coord), Some(detail)) = (given.coord, given.detail) else { return };
        let dim = texture.dim;
        if dim.faces() > 1 {
            return self.lacks(texture, "way to fetch from a cube that is also sampled");
        }
        self.helpers.fetch(dim, texture.scalar, texture.compare);
        push_fetch(&mut self.out, dim, texture.scalar, texture.compare);
        self.out.push('(');
        self.texture_name(id);
        self.out.push_str(", ");
        self.texel_place(dim, Arg { lanes: dim.texel_lanes(), ..coord }, given.offset);
        self.out.push_str(", ");
        self.arg(detail, Shape::Loose, Prec::Sum);
        self.out.push(')');
    }

    /// The size of a level and the number of levels.
    fn size(&mut self, texture: &'a Texture, id: TextureId, level: Arg) {
        let dim = texture.dim;
        let leveled = dim.has_levels() && !matches!(dim, Dim::D1 | Dim::D1Array);
        let known = self.plan.constant(level).is_some_and(|bits| bits[0] == 0);
        if !known {
            self.out.push_str("(uint(");
            self.arg(level, Shape::Loose, Prec::Lowest);
            self.out.push_str(") < ");
            self.levels(leveled, id);
            self.out.push_str(" ? ");
        }
        let lanes = dim.axes() + u8::from(dim.arrayed());
        self.out.push_str("uint4(");
        for question in &["get_width(", "get_height(", "get_depth("][..usize::from(dim.axes())] {
            self.ask(id, question);
            if leveled && !known {
                self.out.push_str("uint(");
                self.arg(level, Shape::Loose, Prec::Lowest);
                self.out.push(')');
            }
            self.out.push_str("), ");
        }
        if dim.arrayed() {
            self.ask(id, "get_array_size(), ");
        }
        self.rest(lanes, leveled, id);
        if !known {
            self.out.push_str(" : uint4(");
            for _ in 0..lanes {
                self.out.push_str("0u, ");
            }
            self.rest(lanes, leveled, id);
            self.out.push(')');
        }
    }

    /// What stands behind so many lanes of a size.
    fn rest(&mut self, lanes: u8, leveled: bool, id: TextureId) {
        for _ in lanes..3 {
            self.out.push_str("0u, ");
        }
        self.levels(leveled, id);
        self.out.push(')');
    }

    fn levels(&mut self, leveled: bool, id: TextureId) {
        if leveled { self.ask(id, "get_num_mip_levels()") } else { self.out.push_str("1u") }
    }
}

/// The type of a texture.
pub(super) fn type_name(dim: Dim, scalar: Scalar, compare: bool) -> String {
    let shape = match dim {
        Dim::D1 => "1d",
        Dim::D2 | Dim::Rect => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::D1Array => "1d_array",
        Dim::D2Array => "2d_array",
        Dim::CubeArray => "cube_array",
        Dim::Buffer => "_buffer",
        Dim::D2Ms => "2d_ms",
        Dim::D2MsArray => "2d_ms_array",
    };
    let kind = if compare { "depth" } else { "texture" };
    format!("{kind}{shape}<{}>", Msl::type_name(Type::new(scalar, 1)))
}

/// One texel of a level; zero outside.
pub(super) fn fetch(out: &mut String, dim: Dim, scalar: Scalar, depth: bool) {
    let (axes, arrayed, samples) = (dim.axes(), dim.arrayed(), dim.multisampled());
    let leveled = dim.has_levels() && !matches!(dim, Dim::D1 | Dim::D1Array);
    let give = Msl::type_name(Type::new(scalar, 4));
    let zero = if scalar == Scalar::F32 { "0.0" } else { "0" };
    let place = Msl::type_name(Type::new(Scalar::I32, dim.texel_lanes()));
    let level = if samples { "sample_index" } else { "level" };
    let count = match (samples, leveled) {
        (true, _) => "texels.get_num_samples()",
        (_, true) => "texels.get_num_mip_levels()",
        _ => "1u",
    };
    let of_level = if leveled { "level" } else { "" };
    let ty = Msl::type_name(Type::new(Scalar::U32, axes));
    let lanes = ["x", "xy", "xyz"][usize::from(axes.clamp(1, 3)) - 1];
    let at = if arrayed { format!("place.{lanes}") } else { "place".into() };
    let size = ["width", "height", "depth"][..usize::from(axes.min(3))]
        .iter()
        .map(|side| format!("texels.get_{side}({of_level})"))
        .collect::<Vec<_>>()
        .join(", ");
    let outside =
        if axes == 1 { format!("uint({at}) >= {size}") } else { format!("any({ty}({at}) >= {ty}({size}))") };
    let layer = ["", "y", "z", "w"][usize::from(axes.min(3))];
    let (no_layer, of_layer) = if arrayed {
        let of = format!("uint(place.{layer})");
        (format!(" || {of} >= texels.get_array_size()"), format!(", {of}"))
    } else {
        Default::default()
    };
    let last = if samples || leveled { format!(", uint({level})") } else { String::new() };
    let read = format!("texels.read({ty}({at}){of_layer}{last})");
    let read = if depth { format!("float4({read}, 0.0, 0.0, 1.0)") } else { read };
    out.push('\n');
    out.push_str(give);
    out.push(' ');
    push_fetch(out, dim, scalar, depth);
    let texture = type_name(dim, scalar, depth);
    out.push_str(&format!(
        "({texture} texels, {place} place, int {level}) {{
    if (uint({level}) >= {count} || {outside}{no_layer}) {{
        return {give}({zero});
    }}
    return {read};
}}
"
    ));
}
