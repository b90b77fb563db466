//! Images: texels that are read and written by their number.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{capability, decoration, image, op, scope, storage};
use super::Body;
use crate::options::BindingKind;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Dim, Format, Image, ImageId, Inst, Op, Pick, Scalar, Type};

/// An image as a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels {
    variable: Id,
    ty: Id,
}

/// The number of a format, and whether the basic capabilities have it; `None` where SPIR-V has no such one.
const fn format_number(format: Format) -> Option<(u32, bool)> {
    Some(match format {
        Format::Rgba32Float => (1, true),
        Format::Rgba16Float => (2, true),
        Format::R32Float => (3, true),
        Format::Rgba8Unorm => (4, true),
        Format::Rgba8Snorm => (5, true),
        Format::Rg32Float => (6, false),
        Format::Rg16Float => (7, false),
        Format::Rg11B10Float => (8, false),
        Format::R16Float => (9, false),
        Format::Rgba16Unorm => (10, false),
        Format::Rgb10A2Unorm => (11, false),
        Format::Rg16Unorm => (12, false),
        Format::Rg8Unorm => (13, false),
        Format::R16Unorm => (14, false),
        Format::R8Unorm => (15, false),
        Format::Rgba16Snorm => (16, false),
        Format::Rg16Snorm => (17, false),
        Format::Rg8Snorm => (18, false),
        Format::R16Snorm => (19, false),
        Format::R8Snorm => (20, false),
        Format::Rgba32Sint => (21, true),
        Format::Rgba16Sint => (22, true),
        Format::Rgba8Sint => (23, true),
        Format::R32Sint => (24, true),
        Format::Rg32Sint => (25, false),
        Format::Rg16Sint => (26, false),
        Format::Rg8Sint => (27, false),
        Format::R16Sint => (28, false),
        Format::R8Sint => (29, false),
        Format::Rgba32Uint => (30, true),
        Format::Rgba16Uint => (31, true),
        Format::Rgba8Uint => (32, true),
        Format::R32Uint => (33, true),
        Format::Rgb10A2Uint => (34, false),
        Format::Rg32Uint => (35, false),
        Format::Rg16Uint => (36, false),
        Format::Rg8Uint => (37, false),
        Format::R16Uint => (38, false),
        Format::R8Uint => (39, false),
        Format::Bgra8Unorm => return None,
    })
}

impl<'a> Body<'a> {
    /// An operation on an image; 0 for one without a result.
    pub(super) fn on_image(&mut self, inst: &Inst, args: &[Arg]) -> Id {
        let (Op::LoadImage { image: id, pick }
        | Op::StoreImage { image: id, pick }
        | Op::AtomicImage { image: id, pick, .. }
        | Op::ImageSize { image: id, pick }) = inst.op
        else {
            return 0;
        };
        if pick != Pick::Fixed {
            let how = if pick == Pick::Handle { "a handle" } else { "a computed index" };
            self.refuse(rules::HANDLE, format!("`{}` selects an image by {how}", op_name(inst.op)));
            return 0;
        }
        let shader = self.shader;
        let Some(of) = shader.images.get(id.index()) else { return 0 };
        let Some(texels) = self.texels(id) else { return 0 };
        match inst.op {
            Op::ImageSize { .. } => self.image_size(of, texels),
            Op::LoadImage { .. } => self.load_image(of, texels, args),
            Op::StoreImage { .. } => {
                self.store_image(of, texels, args);
                0
            }
            _ => self.atomic_image(inst.op, of, texels, args),
        }
    }

    /// The variable of an image.
    fn texels(&mut self, id: ImageId) -> Option<Texels> {
        if let Some(Some(texels)) = self.images.get(id.index()) {
            return Some(*texels);
        }
        let of = self.shader.images.get(id.index())?;
        let usage = self.uses.images.get(id.index()).copied().unwrap_or_default();
        let (slot, dim, format) = (of.slot, of.dim, of.format);
        let shape = match dim {
            Dim::D1 | Dim::D1Array => {
                self.m.capability(capability::IMAGE_1D);
                0
            }
            Dim::D2 | Dim::D2Array | Dim::Rect => 1,
            Dim::D2Ms | Dim::D2MsArray => {
                self.m.capability(capability::STORAGE_IMAGE_MULTISAMPLE);
                if dim.arrayed() {
                    self.m.capability(capability::IMAGE_MS_ARRAY);
                }
                1
            }
            Dim::D3 => 2,
            Dim::Cube => 3,
            Dim::CubeArray => {
                self.m.capability(capability::IMAGE_CUBE_ARRAY);
                3
            }
            Dim::Buffer => {
                self.m.capability(capability::IMAGE_BUFFER);
                5
            }
        };
        let number = match format_number(format) {
            Some((number, basic)) => {
                if !basic {
                    self.m.capability(capability::STORAGE_IMAGE_EXTENDED_FORMATS);
                }
                number
            }
            // The format is that of what is bound.
            None => {
                if usage.read {
                    self.m.capability(capability::STORAGE_IMAGE_READ_WITHOUT_FORMAT);
                }
                if usage.written {
                    self.m.capability(capability::STORAGE_IMAGE_WRITE_WITHOUT_FORMAT);
                }
                0
            }
        };
        let lane = self.ty(format.scalar(), 1);
        let operands = [lane, shape, 0, u32::from(dim.arrayed()), u32::from(dim.multisampled()), 2, number];
        let ty = self.m.other(op::TYPE_IMAGE, &operands);
        let (read, write) = (usage.read, usage.written);
        let binding = self.places.images.saturating_add(slot);
        let (at, _) = self.bind(binding, &of.name, BindingKind::image(of, read, write));
        let variable = self.m.variable(storage::UNIFORM_CONSTANT, ty);
        if !read {
            self.m.decorate(variable, &[decoration::NON_READABLE]);
        }
        if !write {
            self.m.decorate(variable, &[decoration::NON_WRITABLE]);
        } else if read && self.uses.meets {
            self.m.decorate(variable, &[decoration::COHERENT]);
        }
        self.bound(at, variable, &of.name);
        let texels = Texels { variable, ty };
        if let Some(slot) = self.images.get_mut(id.index()) {
            *slot = Some(texels);
        }
        Some(texels)
    }

    /// The number of texels along each lane of a place.
    fn bounds(&mut self, of: &Image, texels: Texels) -> Id {
        self.m.capability(capability::IMAGE_QUERY);
        let dim = of.dim;
        let lanes = dim.axes() + u8::from(dim.arrayed());
        let (one, ty) = (self.m.ty(Type::U32), self.ty(Scalar::U32, lanes));
        let there = self.load(texels.ty, texels.variable);
        let size = self.op(op::IMAGE_QUERY_SIZE, ty, &[there]);
        if dim.faces() == 1 {
            return size;
        }
        let three = self.ty(Scalar::U32, 3);
        let six = self.m.uint(6);
        if !dim.arrayed() {
            return self.op(op::COMPOSITE_CONSTRUCT, three, &[size, six]);
        }
        let cubes = self.extract(Scalar::U32, size, 2);
        let faces = self.op(op::I_MUL, one, &[cubes, six]);
        self.op(op::COMPOSITE_INSERT, three, &[faces, size, 2])
    }

    /// Whether a texel, and its sample if there are several, exist.
    fn is_texel(&mut self, of: &Image, texels: Texels, place: Arg, sample: Option<Arg>) -> Id {
        let lanes = of.dim.texel_lanes();
        let (unsigned, bools) = (self.ty(Scalar::U32, lanes), self.ty(Scalar::Bool, lanes));
        let bool = self.m.ty(Type::BOOL);
        let bounds = self.bounds(of, texels);
        let place = self.arg(place);
        let place = self.op(op::BITCAST, unsigned, &[place]);
        let inside = self.op(op::U_LESS_THAN, bools, &[place, bounds]);
        let inside = if lanes > 1 { self.op(op::ALL, bool, &[inside]) } else { inside };
        match sample {
            Some(sample) => {
                let there = self.is_sample(texels, sample);
                self.op(op::LOGICAL_AND, bool, &[inside, there])
            }
            None => inside,
        }
    }

    fn is_sample(&mut self, texels: Texels, sample: Arg) -> Id {
        self.m.capability(capability::IMAGE_QUERY);
        let (one, bool) = (self.m.ty(Type::U32), self.m.ty(Type::BOOL));
        let there = self.load(texels.ty, texels.variable);
        let count = self.op(op::IMAGE_QUERY_SAMPLES, one, &[there]);
        let sample = self.lane(sample, 0);
        let sample = self.op(op::BITCAST, one, &[sample]);
        self.op(op::U_LESS_THAN, bool, &[sample, count])
    }

    /// The arguments: place, sample if there are several, the rest.
    fn split<'b>(of: &Image, args: &'b [Arg]) -> Option<(Arg, Option<Arg>, &'b [Arg])> {
        let (place, rest) = args.split_first()?;
        if !of.dim.multisampled() {
            return Some((*place, None, rest));
        }
        let (sample, rest) = rest.split_first()?;
        Some((*place, Some(*sample), rest))
    }

    fn load_image(&mut self, of: &Image, texels: Texels, args: &[Arg]) -> Id {
        let Some((place, sample, _)) = Self::split(of, args) else { return 0 };
        let inside = self.is_texel(of, texels, place, sample);
        let scalar = of.format.scalar();
        let four = self.ty(scalar, 4);
        // A texel of zero bits.
        let alpha = match (of.format.lanes(), scalar) {
            (4, _) => 0,
            (_, Scalar::F32) => u64::from(1f32.to_bits()),
            _ => 1,
        };
        let nothing = self.m.constant(scalar, &[0, 0, 0, alpha]);
        self.only_if(inside, four, nothing, |this| {
            let there = this.load(texels.ty, texels.variable);
            let mut words = vec![there, this.arg(place)];
            if let Some(sample) = sample {
                words.extend([image::SAMPLE, this.lane(sample, 0)]);
            }
            this.op(op::IMAGE_READ, four, &words)
        })
    }

    /// What is written outside has no effect in Vulkan either.
    fn store_image(&mut self, of: &Image, texels: Texels, args: &[Arg]) {
        let Some((place, sample, [value, ..])) = Self::split(of, args) else { return };
        let bool = self.m.ty(Type::BOOL);
        let mut cond = self.may_write();
        if let Some(sample) = sample {
            let there = self.is_sample(texels, sample);
            cond = Some(match cond {
                Some(cond) => self.op(op::LOGICAL_AND, bool, &[cond, there]),
                None => there,
            });
        }
        let write = |this: &mut Self| {
            let there = this.load(texels.ty, texels.variable);
            let mut words = vec![there, this.arg(place), this.arg(*value)];
            if let Some(sample) = sample {
                words.extend([image::SAMPLE, this.lane(sample, 0)]);
            }
            this.effect(op::IMAGE_WRITE, &words);
            0
        };
        match cond {
            Some(cond) => drop(self.only_if(cond, 0, 0, write)),
            None => drop(write(self)),
        }
    }

    fn atomic_image(&mut self, what: Op, of: &Image, texels: Texels, args: &[Arg]) -> Id {
        let Op::AtomicImage { atomic, .. } = what else { return 0 };
        let Some((place, operands)) = args.split_first() else { return 0 };
        let scalar = of.format.scalar();
        if scalar == Scalar::F32 {
            let what =
                format!("atomic operations work only on integers: {} is {}", of.name, of.format.name());
            self.refuse(rules::IMAGE, what);
            return 0;
        }
        let (bool, word, lane) = (self.m.ty(Type::BOOL), self.m.ty(Type::U32), self.ty(scalar, 1));
        let mut inside = self.is_texel(of, texels, *place, None);
        if let Some(guard) = self.may_write() {
            inside = self.op(op::LOGICAL_AND, bool, &[inside, guard]);
        }
        let signed = scalar == Scalar::I32;
        let mut values: Vec<Id> = Vec::with_capacity(2);
        for operand in operands.iter().take(atomic.operands()) {
            let id = self.arg(*operand);
            values.push(if signed { self.op(op::BITCAST, lane, &[id]) } else { id });
        }
        let none = self.m.uint(0);
        self.only_if(inside, word, none, |this| {
            let pointer = this.m.pointer(storage::IMAGE, lane);
            let (place, sample) = (this.arg(*place), this.m.uint(0));
            let place = this.op(op::IMAGE_TEXEL_POINTER, pointer, &[texels.variable, place, sample]);
            let old = this.atomic(atomic, place, Type::new(scalar, 1), scope::DEVICE, &values);
            if signed { this.op(op::BITCAST, word, &[old]) } else { old }
        })
    }

    fn image_size(&mut self, of: &Image, texels: Texels) -> Id {
        self.m.capability(capability::IMAGE_QUERY);
        let lanes = of.dim.axes() + u8::from(of.dim.arrayed());
        let (one, ty, four) = (self.m.ty(Type::U32), self.ty(Scalar::U32, lanes), self.ty(Scalar::U32, 4));
        let there = self.load(texels.ty, texels.variable);
        let size = self.op(op::IMAGE_QUERY_SIZE, ty, &[there]);
        let mut parts = vec![size];
        for _ in lanes..3 {
            parts.push(self.m.uint(0));
        }
        parts.push(if of.dim.multisampled() {
            self.op(op::IMAGE_QUERY_SAMPLES, one, &[there])
        } else {
            self.m.uint(1)
        });
        self.op(op::COMPOSITE_CONSTRUCT, four, &parts)
    }
}
