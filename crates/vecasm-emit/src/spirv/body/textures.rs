//! Texture reads and questions.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{capability, glsl, image, op};
use super::bindings::SampledTexture;
use super::{Body, lane_of};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Pick, Scalar, Stage, Texture, Type};

/// The operands behind the coordinate: a mask, and what its bits ask for in their order.
#[derive(Default)]
struct ImageOperands {
    mask: u32,
    ids: Vec<Id>,
}

impl ImageOperands {
    fn add(&mut self, bit: u32, ids: &[Id]) {
        self.mask |= bit;
        self.ids.extend_from_slice(ids);
    }

    /// Appends what there is.
    fn push(self, words: &mut Vec<u32>) {
        if self.mask != 0 {
            words.push(self.mask);
            words.extend(self.ids);
        }
    }
}

impl<'a> Body<'a> {
    pub(super) fn texture(&mut self, inst: &Inst, args: &[Arg]) -> Id {
        let (Op::Sample { texture: id, pick, .. }
        | Op::Gather { texture: id, pick, .. }
        | Op::Fetch { texture: id, pick, .. }
        | Op::TextureSize { texture: id, pick }
        | Op::TextureLod { texture: id, pick }
        | Op::TextureSamples { texture: id, pick }) = inst.op
        else {
            self.cannot(inst.op);
            return 0;
        };
        let shader = self.shader;
        let Some(texture) = shader.textures.get(id.index()) else { return 0 };
        if pick != Pick::Fixed {
            let what = if pick == Pick::Handle { "a handle" } else { "a computed index" };
            self.refuse(rules::HANDLE, format!("`{}` selects a texture by {what}", op_name(inst.op)));
            return 0;
        }
        let Some(sampled) = self.sampled(id.index()) else { return 0 };
        let mut args = args.iter().copied();
        match inst.op {
            Op::Sample { lod, compare, offset, .. } => {
                let Some(coord) = args.next() else { return 0 };
                let reference = if compare { args.next() } else { None };
                let mut detail = Vec::new();
                detail.extend(match lod {
                    Lod::Implicit { .. } => [None, None],
                    Lod::Bias | Lod::Level => [args.next(), None],
                    Lod::Gradient => [args.next(), args.next()],
                });
                let offset = if offset { args.next() } else { None };
                let detail: Vec<Arg> = detail.into_iter().flatten().collect();
                self.sample(texture, sampled, (coord, reference, offset), lod, &detail)
            }
            Op::Gather { component, compare, offset, .. } => {
                let Some(coord) = args.next() else { return 0 };
                let reference = if compare { args.next() } else { None };
                let offset = if offset { args.next() } else { None };
                self.gather(texture, sampled, component, (coord, reference, offset))
            }
            Op::Fetch { offset, .. } => {
                let (Some(coord), Some(level)) = (args.next(), args.next()) else { return 0 };
                let offset = if offset { args.next() } else { None };
                self.fetch(texture, sampled, coord, level, offset)
            }
            Op::TextureSize { .. } => match args.next() {
                Some(level) => self.size(texture, sampled, level),
                None => 0,
            },
            Op::TextureLod { .. } => {
                let Some(coord) = args.next() else { return 0 };
                self.m.capability(capability::IMAGE_QUERY);
                let lanes = texture.dim.place_lanes();
                let place = self.arg(Arg { lanes, ..coord });
                let ty = self.ty(Scalar::F32, 2);
                let both = self.combined(sampled);
                self.op(op::IMAGE_QUERY_LOD, ty, &[both, place])
            }
            _ => {
                if !texture.dim.multisampled() {
                    return self.m.uint(1);
                }
                self.m.capability(capability::IMAGE_QUERY);
                let ty = self.m.ty(Type::U32);
                let image = self.image(sampled);
                self.op(op::IMAGE_QUERY_SAMPLES, ty, &[image])
            }
        }
    }

    fn lacks(&mut self, texture: &Texture, what: &str) -> Id {
        let (name, dim) = (&texture.name, texture.dim.name());
        self.refuse(rules::TEXTURE, format!("Vulkan has no {what}: {name}, {dim}"));
        0
    }

    fn image(&mut self, sampled: SampledTexture) -> Id {
        if !self.options.environment.is_gl() {
            return self.load(sampled.image_type, sampled.image);
        }
        let both = self.combined(sampled);
        self.op(op::IMAGE, sampled.image_type, &[both])
    }

    /// The image with its sampler, which must be made in the block that uses it.
    fn combined(&mut self, sampled: SampledTexture) -> Id {
        if self.options.environment.is_gl() {
            let ty = self.m.other(op::TYPE_SAMPLED_IMAGE, &[sampled.image_type]);
            return self.load(ty, sampled.image);
        }
        let image = self.image(sampled);
        let sampler = self.m.other(op::TYPE_SAMPLER, &[]);
        let sampler = self.load(sampler, sampled.sampler);
        let ty = self.m.other(op::TYPE_SAMPLED_IMAGE, &[sampled.image_type]);
        self.op(op::SAMPLED_IMAGE, ty, &[image, sampler])
    }

    /// The coordinate, with its layer rounded, halves up.
    fn place(&mut self, texture: &Texture, coord: Arg) -> Id {
        if !texture.dim.arrayed() {
            return self.arg(Arg { lanes: texture.dim.place_lanes(), ..coord });
        }
        let lanes = texture.dim.place_lanes();
        let (one, of) = (self.m.ty(Type::F32), self.ty(Scalar::F32, lanes + 1));
        let half = self.float(1, 0.5);
        let layer = self.lane(coord, lanes);
        let layer = self.op(op::F_ADD, one, &[layer, half]);
        let layer = self.glsl(glsl::FLOOR, one, &[layer]);
        let place = self.arg(Arg { lanes: lanes + 1, ..coord });
        self.op(op::COMPOSITE_INSERT, of, &[layer, place, u32::from(lanes)])
    }

    /// Adds an offset that is constant and in the range that every device has.
    fn constant_offset(&mut self, texture: &Texture, offset: Option<Arg>, more: &mut ImageOperands) {
        let Some(offset) = offset else { return };
        let name = &texture.name;
        if texture.dim.faces() > 1 {
            return self.refuse(rules::OFFSET, format!("an offset for {name}, {}", texture.dim.name()));
        }
        let Some(bits) = self.constant(offset) else {
            return self.refuse(rules::OFFSET, format!("a computed offset for {name}"));
        };
        let bits = &bits[..usize::from(offset.lanes.clamp(1, 4))];
        if !bits.iter().all(|&lane| (-8..8).contains(&(lane as u32 as i32))) {
            return self.refuse(rules::OFFSET, format!("an offset outside -8..=7 for {name}"));
        }
        if bits.iter().any(|lane| *lane != 0) {
            let id = self.m.constant(Scalar::I32, bits);
            more.add(image::CONST_OFFSET, &[id]);
        }
    }

    fn sample(
        &mut self,
        texture: &Texture,
        sampled: SampledTexture,
        (coord, reference, offset): (Arg, Option<Arg>, Option<Arg>),
        lod: Lod,
        detail: &[Arg],
    ) -> Id {
        if texture.dim.multisampled() || texture.dim == Dim::Buffer {
            return self.lacks(texture, "sampler for such texels");
        }
        if texture.dim == Dim::Rect {
            return self.lacks(texture, "sampled texture whose coordinates are in texels");
        }
        if texture.compare && texture.dim == Dim::D3 {
            return self.lacks(texture, "comparison with such texels");
        }
        let fragment = self.shader.stage == Stage::Fragment;
        let place = self.place(texture, coord);
        let mut more = ImageOperands::default();
        let mut explicit = true;
        match (lod, detail) {
            (Lod::Implicit { bias_eighths }, _) if fragment => {
                explicit = false;
                if bias_eighths != 0 {
                    let bias = self.float(1, f32::from(bias_eighths) / 8.0);
                    more.add(image::BIAS, &[bias]);
                }
            }
            (Lod::Bias, [bias, ..]) if fragment => {
                explicit = false;
                let bias = self.lane(*bias, 0);
                more.add(image::BIAS, &[bias]);
            }
            (Lod::Level, [level, ..]) => {
                let level = self.lane(*level, 0);
                more.add(image::LOD, &[level]);
            }
            (Lod::Gradient, [x, y]) => {
                let (x, y) = (self.arg(*x), self.arg(*y));
                more.add(image::GRAD, &[x, y]);
            }
            // Without derivatives the level is the largest one.
            _ => {
                let level = self.float(1, 0.0);
                more.add(image::LOD, &[level]);
            }
        }
        self.constant_offset(texture, offset, &mut more);
        let four = self.ty(texture.scalar, 4);
        let both = self.combined(sampled);
        let Some(reference) = reference else {
            let mut words = vec![both, place];
            more.push(&mut words);
            let code = if explicit { op::IMAGE_SAMPLE_EXPLICIT_LOD } else { op::IMAGE_SAMPLE_IMPLICIT_LOD };
            return self.op(code, four, &words);
        };
        let reference = self.lane(reference, 0);
        let mut words = vec![both, place, reference];
        more.push(&mut words);
        let one = self.m.ty(Type::F32);
        let code =
            if explicit { op::IMAGE_SAMPLE_DREF_EXPLICIT_LOD } else { op::IMAGE_SAMPLE_DREF_IMPLICIT_LOD };
        let id = self.op(code, one, &words);
        self.spread(Scalar::F32, id, 4)
    }

    fn gather(
        &mut self,
        texture: &Texture,
        sampled: SampledTexture,
        component: u8,
        (coord, reference, offset): (Arg, Option<Arg>, Option<Arg>),
    ) -> Id {
        if !matches!(texture.dim, Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray) {
            return self.lacks(texture, "gathering from such textures");
        }
        let place = self.place(texture, coord);
        let mut more = ImageOperands::default();
        match offset {
            Some(offset) if texture.dim.faces() == 1 && self.constant(offset).is_none() => {
                self.m.capability(capability::IMAGE_GATHER_EXTENDED);
                let id = self.arg(offset);
                more.add(image::OFFSET, &[id]);
            }
            offset => self.constant_offset(texture, offset, &mut more),
        }
        let four = self.ty(texture.scalar, 4);
        let both = self.combined(sampled);
        let (code, third) = match reference {
            Some(reference) => (op::IMAGE_DREF_GATHER, self.lane(reference, 0)),
            None => (op::IMAGE_GATHER, self.m.uint(u32::from(component))),
        };
        let mut words = vec![both, place, third];
        more.push(&mut words);
        self.op(code, four, &words)
    }

    /// One texel. What lies outside is open, so the place is clamped, and what was outside becomes zero.
    fn fetch(
        &mut self,
        texture: &Texture,
        sampled: SampledTexture,
        coord: Arg,
        level: Arg,
        offset: Option<Arg>,
    ) -> Id {
        let dim = texture.dim;
        if dim.faces() > 1 {
            return self.lacks(texture, "way to fetch from a cube that is also sampled");
        }
        self.m.capability(capability::IMAGE_QUERY);
        let (axes, lanes) = (dim.axes(), dim.texel_lanes());
        let (signed, ints, bools) =
            (Type::new(Scalar::I32, lanes), self.ty(Scalar::I32, lanes), self.ty(Scalar::Bool, lanes));
        let (int, bool) = (self.m.ty(Type::I32), self.m.ty(Type::BOOL));
        let mut place = self.arg(coord);
        if let Some(offset) = offset {
            let by = if axes == lanes {
                self.arg(offset)
            } else {
                let (by, none) = (self.arg(offset), self.m.int(0));
                self.op(op::COMPOSITE_CONSTRUCT, ints, &[by, none])
            };
            place = self.op(op::I_ADD, ints, &[place, by]);
        }
        let texels = self.image(sampled);
        let (zero, one) = (self.m.int(0), self.m.int(1));
        let mut inside = 0;
        let mut more = ImageOperands::default();
        let known = self.number(level).map(|bits| bits as u32 as i32);
        if dim.multisampled() {
            let count = self.op(op::IMAGE_QUERY_SAMPLES, int, &[texels]);
            let (sample, fits) = self.within(level, count);
            inside = self.both(bool, inside, fits);
            more.add(image::SAMPLE, &[sample]);
        } else if dim.has_levels() {
            // Level 0 is always there.
            let mut of = zero;
            if known != Some(0) {
                let count = self.op(op::IMAGE_QUERY_LEVELS, int, &[texels]);
                let (near, fits) = self.within(level, count);
                inside = self.both(bool, inside, fits);
                of = near;
            }
            more.add(image::LOD, &[of]);
        } else if known != Some(0) {
            let asked = self.lane(level, 0);
            let fits = self.op(op::I_EQUAL, bool, &[asked, zero]);
            inside = self.both(bool, inside, fits);
        }
        let size = match (dim.multisampled() || dim == Dim::Buffer, more.ids.first()) {
            (false, Some(level)) => self.op(op::IMAGE_QUERY_SIZE_LOD, ints, &[texels, *level]),
            (false, None) => self.op(op::IMAGE_QUERY_SIZE_LOD, ints, &[texels, zero]),
            (true, _) => self.op(op::IMAGE_QUERY_SIZE, ints, &[texels]),
        };
        let ones = self.spread(Scalar::I32, one, lanes);
        let last = self.op(op::I_SUB, ints, &[size, ones]);
        let none = self.m.splat(signed, 0);
        let near = self.glsl(glsl::S_CLAMP, ints, &[place, none, last]);
        let fits = self.op(op::I_EQUAL, bools, &[near, place]);
        let fits = if lanes > 1 { self.op(op::ALL, bool, &[fits]) } else { fits };
        let inside = self.both(bool, inside, fits);
        let mut words = vec![texels, near];
        if dim == Dim::Rect {
            more.add(image::LOD, &[zero]);
        }
        more.push(&mut words);
        let of = Type::new(texture.scalar, 4);
        let four = self.m.ty(of);
        let texel = self.op(op::IMAGE_FETCH, four, &words);
        let outside = self.m.splat(of, 0);
        self.select(of, inside, texel, outside)
    }

    /// A number clamped to 0..count, and whether it was inside.
    fn within(&mut self, number: Arg, count: Id) -> (Id, Id) {
        let (int, bool) = (self.m.ty(Type::I32), self.m.ty(Type::BOOL));
        let (zero, one) = (self.m.int(0), self.m.int(1));
        let number = self.arg(lane_of(number, 0));
        let last = self.op(op::I_SUB, int, &[count, one]);
        let near = self.glsl(glsl::S_CLAMP, int, &[number, zero, last]);
        let fits = self.op(op::I_EQUAL, bool, &[near, number]);
        (near, fits)
    }

    /// Both conditions; the first may be none.
    fn both(&mut self, bool: Id, a: Id, b: Id) -> Id {
        if a == 0 { b } else { self.op(op::LOGICAL_AND, bool, &[a, b]) }
    }

    /// The size of a level and the number of levels.
    fn size(&mut self, texture: &Texture, sampled: SampledTexture, level: Arg) -> Id {
        let dim = texture.dim;
        self.m.capability(capability::IMAGE_QUERY);
        let uint = self.m.ty(Type::U32);
        let lanes = dim.axes() + u8::from(dim.arrayed());
        let of = Type::new(Scalar::U32, lanes);
        let ty = self.m.ty(of);
        let texels = self.image(sampled);
        let levels = dim.has_levels();
        let count = if levels { self.op(op::IMAGE_QUERY_LEVELS, uint, &[texels]) } else { self.m.uint(1) };
        let known = self.number(level).map(|bits| bits as u32);
        let (mut at, mut inside) = (self.m.int(0), 0);
        if known != Some(0) {
            let (near, fits) = self.within_levels(level, count);
            (at, inside) = (near, fits);
        }
        let lod = !dim.multisampled() && dim != Dim::Buffer;
        let mut size = if lod {
            self.op(op::IMAGE_QUERY_SIZE_LOD, ty, &[texels, at])
        } else {
            self.op(op::IMAGE_QUERY_SIZE, ty, &[texels])
        };
        if inside != 0 {
            let none = self.m.splat(of, 0);
            size = self.select(of, inside, size, none);
        }
        let four = self.ty(Scalar::U32, 4);
        let mut parts = vec![size];
        for _ in lanes..3 {
            parts.push(self.m.uint(0));
        }
        parts.push(count);
        self.op(op::COMPOSITE_CONSTRUCT, four, &parts)
    }

    /// A level clamped to those that there are, and whether it was one.
    fn within_levels(&mut self, level: Arg, count: Id) -> (Id, Id) {
        let int = self.m.ty(Type::I32);
        let count = self.op(op::BITCAST, int, &[count]);
        self.within(level, count)
    }
}
