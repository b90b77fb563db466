//! Textures in other shapes, for targets that lack theirs; and textures that an index chooses.

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::{Element, Place};
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Pick, Pure, Scalar, Shader, Texture, TextureId, Type, Value};
use vecasm_ir::operand::Swizzle;

/// What a shader does with the texture of a slot, with whatever sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureUse {
    /// It is read through a sampler, or asked for the level that such a read would take.
    pub sampled: bool,
    /// Of a read through a sampler the level is said: by a bias, a level or gradients.
    pub leveled: bool,
    /// Texels are gathered.
    pub gathered: bool,
    /// A read has an offset.
    pub offset: bool,
}

/// Reads textures in the shape that [stands in](Dim::stand_in) for theirs, those that are `wanted`. Cubes that are read through a
/// sampler stay, since planes are not filtered across their edges; so do textures that are chosen, and those whose shape a
/// state decides. `None` if there is nothing to do.
///
/// A line of height 1 is read in its middle, where a filter takes nothing from above and below, and the level of detail is
/// the same. A rectangle is clamped at its edges, as OpenGL has it, or has a border; its coordinates are divided by the size:
/// what is read is exact if the quotient is, and lies within its rounding (half a unit in the last place, in most targets 2.5)
/// else.
#[must_use]
pub fn reshape(shader: &Shader, wanted: impl Fn(&Texture, TextureUse) -> bool) -> Option<Shader> {
    if !shader.textures.iter().any(|texture| texture.dim.stand_in().is_some()) {
        return None;
    }
    let uses = uses(shader)?;
    let changes = |texture: &Texture, of: Option<TextureUse>| {
        let faces = texture.dim.faces() > 1;
        let used = of.filter(|used| texture.dim_by.is_none() && !(faces && used.sampled))?;
        texture.dim.stand_in().filter(|_| wanted(texture, used))
    };
    let shapes: Vec<Option<Dim>> = shader.textures.iter().zip(uses).map(|(t, of)| changes(t, of)).collect();
    if shapes.iter().all(Option::is_none) {
        return None;
    }
    let mut pass = Reshape { rw: Rewrite::new(shader), sizes: vec![None; shapes.len()] };
    for (texture, shape) in pass.rw.b.shader.textures.iter_mut().zip(shapes) {
        texture.dim = shape.unwrap_or(texture.dim);
    }
    pass.nodes(&shader.body);
    Some(pass.rw.b.finish())
}

/// By texture what is done with its slot; `None` for one that is chosen. `None` where something takes a handle, which may
/// stand for any.
fn uses(shader: &Shader) -> Option<Vec<Option<TextureUse>>> {
    let mut own = vec![Some(TextureUse::default()); shader.textures.len()];
    let mut handles = false;
    shader.body.for_each_inst(&mut |inst| {
        let Some((texture, pick)) = inst.op.texture() else { return };
        let count = match pick {
            Pick::Fixed => 1,
            Pick::Index { count } => usize::from(count),
            Pick::Handle => return handles = true,
        };
        for slot in own.iter_mut().skip(texture.index()).take(count) {
            let Some(used) = slot.as_mut().filter(|_| pick == Pick::Fixed) else {
                *slot = None;
                continue;
            };
            match inst.op {
                Op::Sample { lod, offset, .. } => {
                    used.sampled = true;
                    used.leveled |= lod != Lod::Implicit { bias_eighths: 0 };
                    used.offset |= offset;
                }
                Op::Gather { offset, .. } => {
                    (used.sampled, used.gathered) = (true, true);
                    used.offset |= offset;
                }
                Op::TextureLod { .. } => (used.sampled, used.leveled) = (true, true),
                _ => {}
            }
        }
    });
    if handles {
        return None;
    }
    let mut slots = BTreeMap::new();
    for (texture, used) in shader.textures.iter().zip(own) {
        let all = slots.entry(texture.slot).or_insert(Some(TextureUse::default()));
        *all = all.zip(used).map(|(all, used)| TextureUse {
            sampled: all.sampled | used.sampled,
            leveled: all.leveled | used.leveled,
            gathered: all.gathered | used.gathered,
            offset: all.offset | used.offset,
        });
    }
    Some(shader.textures.iter().map(|texture| slots.get(&texture.slot).copied().flatten()).collect())
}

/// Some lanes of an argument, from `first` on.
fn part(arg: Arg, first: u8, lanes: u8) -> Arg {
    let at = |i: u8| arg.swizzle.get(usize::from(first + i.min(lanes.saturating_sub(1))));
    Arg { swizzle: Swizzle::new(at(0), at(1), at(2), at(3)), lanes, ..arg }
}

struct Reshape<'a> {
    rw: Rewrite<'a>,
    /// By rectangle its size, two f32 lanes.
    sizes: Vec<Option<Arg>>,
}

impl<'a> Walk<'a> for Reshape<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let Some((id, _)) = inst.op.texture() else { return self.copy_inst(inst, inst.op) };
        let dims = [self.rw.from, &self.rw.b.shader].map(|s| s.textures.get(id.index()).map(|t| t.dim));
        match (dims, inst.result) {
            ([Some(old), Some(new)], Some(result)) if old != new => self.texture(inst, id, old, result),
            _ => self.copy_inst(inst, inst.op),
        }
    }
}

impl<'a> Reshape<'a> {
    /// An operation on a texture whose shape was `old`.
    fn texture(&mut self, inst: &'a Inst, id: TextureId, old: Dim, result: Value) {
        self.rw.b.follow(inst);
        let mut args = self.rw.args(inst.args);
        // Where the gradients begin, how many there are, and whether an offset is behind what comes then.
        let (gradients, count, offset) = match inst.op {
            Op::Sample { lod, compare, offset, .. } => {
                let behind = 1 + usize::from(compare);
                match lod {
                    Lod::Implicit { .. } => (behind, 0, offset),
                    Lod::Bias | Lod::Level => (behind + 1, 0, offset),
                    Lod::Gradient => (behind, 2, offset),
                }
            }
            Op::Gather { compare, offset, .. } => (1 + usize::from(compare), 0, offset),
            Op::Fetch { offset, .. } => (2, 0, offset),
            _ => (1, 0, false),
        };
        let takes_place = !matches!(
            inst.op,
            Op::TextureSize { .. } | Op::TextureSamples { .. } | Op::SamplePosition { .. }
        );
        let texels = matches!(inst.op, Op::Fetch { .. });
        for (n, arg) in args.iter_mut().enumerate() {
            let place = n == 0 && takes_place;
            let gradient = (gradients..gradients + count).contains(&n);
            let in_texels = (offset && n == gradients + count) || (place && texels);
            if in_texels && matches!(old, Dim::D1 | Dim::D1Array) {
                *arg = self.widened(*arg, Scalar::I32, 0);
            } else if (place && !texels) || gradient {
                *arg = match old {
                    Dim::Rect => self.scaled(*arg, id),
                    // The middle of the line; along it nothing changes.
                    Dim::D1 | Dim::D1Array => {
                        self.widened(*arg, Scalar::F32, if place { 0.5f32.to_bits() } else { 0 })
                    }
                    _ => *arg,
                };
            }
        }
        self.rw.b.arith = inst.arith;
        let new = self.rw.b.push(inst.op, &args, self.rw.from.value(result).ty);
        self.rw.done(args);
        if matches!(inst.op, Op::TextureSize { .. }) {
            let size = self.size(old, Arg::all_lanes(new, 4));
            return self.rw.put_arg(result, size);
        }
        self.rw.keep_home(result, new);
        self.rw.put_whole(result, new);
    }

    /// The first lane, one more, and the others.
    fn widened(&mut self, arg: Arg, scalar: Scalar, bits: u32) -> Arg {
        let more = self.rw.constant([bits, 0, 0, 0], Type::new(scalar, 1));
        let mut parts = vec![part(arg, 0, 1), more];
        if arg.lanes > 1 {
            parts.push(part(arg, 1, arg.lanes - 1));
        }
        self.rw.b.op(Op::Compose, &parts)
    }

    /// A place or a gradient in texels, divided by the size.
    fn scaled(&mut self, arg: Arg, id: TextureId) -> Arg {
        let size = match self.sizes.get(id.index()).copied().flatten() {
            Some(size) => size,
            None => self.rect_size(id),
        };
        self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
        self.rw.b.pure(Pure::Div, &[part(arg, 0, 2), size])
    }

    /// The size of a rectangle, found once at the start.
    fn rect_size(&mut self, texture: TextureId) -> Arg {
        self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
        let level = self.rw.constant([0; 4], Type::I32);
        let args = self.rw.b.list(&[level]);
        let op = Op::TextureSize { texture, pick: Pick::Fixed };
        let size = self.rw.b.push_entry_with(op, args, Type::new(Scalar::U32, 4));
        let args = self.rw.b.list(&[part(Arg::all_lanes(size, 4), 0, 2)]);
        let size = self.rw.b.push_entry_with(Op::Pure(Pure::ToF32), args, Type::new(Scalar::F32, 2));
        let size = Arg::all_lanes(size, 2);
        if let Some(slot) = self.sizes.get_mut(texture.index()) {
            *slot = Some(size);
        }
        size
    }

    /// What the shader is told of the size, out of that of what is bound.
    fn size(&mut self, old: Dim, size: Arg) -> Arg {
        self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
        let uint = Type::new(Scalar::U32, 1);
        let (sides, layers, levels) = (part(size, 0, 2), part(size, 2, 1), part(size, 3, 1));
        match old {
            Dim::Cube => {
                let none = self.rw.zero(uint);
                self.rw.b.op(Op::Compose, &[sides, none, levels])
            }
            Dim::CubeArray => {
                let six = self.rw.constant([6, 0, 0, 0], uint);
                let cubes = self.rw.b.pure(Pure::Div, &[layers, six]);
                self.rw.b.op(Op::Compose, &[sides, cubes, levels])
            }
            Dim::D1 | Dim::D1Array => {
                // Of a line there are no layers.
                let none = self.rw.zero(uint);
                self.rw.b.op(Op::Compose, &[part(size, 0, 1), layers, none, levels])
            }
            _ => size,
        }
    }
}

/// How many textures an index may choose from for [`choose`].
const CHOICES: u16 = 16;

/// Reads all the textures that an index chooses from, at most 16, and selects what it chooses: operations on textures are
/// computed for every invocation anyway, so that neither the place in the flow nor an index that differs between neighbours
/// makes a difference. `None` if no index chooses a texture.
#[must_use]
pub fn choose(shader: &Shader) -> Option<Shader> {
    if shader.textures.len() < 2 {
        return None;
    }
    let mut found = false;
    shader.body.for_each_inst(&mut |inst| found |= choices(inst.op).is_some());
    if !found {
        return None;
    }
    let mut pass = Choose { rw: Rewrite::new(shader) };
    pass.nodes(&shader.body);
    Some(pass.rw.b.finish())
}

/// The first of the textures that an index chooses from, and how many.
fn choices(op: Op) -> Option<(TextureId, u16)> {
    match op.texture()? {
        (first, Pick::Index { count }) if count <= CHOICES => Some((first, count)),
        _ => None,
    }
}

/// The same operation on another texture, that is chosen no more.
fn on(op: Op, texture: TextureId) -> Op {
    op.on(Place::Texture(texture), Element::Binding(Pick::Fixed)).unwrap_or(op)
}

struct Choose<'a> {
    rw: Rewrite<'a>,
}

impl<'a> Walk<'a> for Choose<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let (Some((first, count)), Some(result)) = (choices(inst.op), inst.result) else {
            return self.copy_inst(inst, inst.op);
        };
        self.rw.b.follow(inst);
        let mut args = self.rw.args(inst.args);
        let Some(index) = args.pop() else { return self.copy_inst(inst, inst.op) };
        let ty = self.rw.from.value(result).ty;
        let one = if ty.scalar == Scalar::F32 { 1.0f32.to_bits() } else { 1 };
        // What is read where nothing is bound.
        let nothing = match inst.op {
            Op::Sample { .. } | Op::Fetch { .. } => [0, 0, 0, one],
            Op::Gather { component: 3, .. } => [one; 4],
            _ => [0; 4],
        };
        let mut chosen = self.rw.constant(nothing, ty);
        for n in (0..count).rev() {
            self.rw.b.arith = inst.arith;
            let texture = TextureId(first.0 + u32::from(n));
            let read = self.rw.b.push(on(inst.op, texture), &args, ty);
            self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
            let number = self.rw.constant([u32::from(n), 0, 0, 0], Type::new(Scalar::U32, 1));
            let this = self.rw.b.pure(Pure::Eq, &[index, number]);
            chosen = self.rw.b.pure(Pure::Select, &[this, Arg::all_lanes(read, ty.lanes), chosen]);
        }
        self.rw.done(args);
        self.rw.keep_home(result, chosen.value);
        self.rw.put_arg(result, chosen);
    }
}
