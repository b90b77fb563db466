//! What a texture operation takes, and what of one every language writes alike.

use super::{Body, Language, Shape};
use crate::common::Prec;
use alloc::format;
use vecasm_ir::diag::Rule;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Dim, Inst, Lod, Op, Pick, Pure, Scalar, Texture, TextureId, Type};
use vecasm_ir::operand::Swizzle;

/// The arguments of a texture operation, in the order in which it takes them.
#[derive(Clone, Copy, Default)]
pub(crate) struct TextureArguments {
    pub(crate) coord: Option<Arg>,
    pub(crate) reference: Option<Arg>,
    /// A bias, a level, or the number of a sample.
    pub(crate) detail: Option<Arg>,
    pub(crate) gradient: Option<(Arg, Arg)>,
    pub(crate) offset: Option<Arg>,
}

impl TextureArguments {
    /// The arguments of a read, by what they are for.
    pub(crate) fn of(op: Op, args: &[Arg]) -> Self {
        let mut args = args.iter().copied();
        let mut given = Self::default();
        let offset = match op {
            Op::Sample { lod, compare, offset, .. } => {
                given.coord = args.next();
                given.reference = if compare { args.next() } else { None };
                match lod {
                    Lod::Implicit { .. } => {}
                    Lod::Bias | Lod::Level => given.detail = args.next(),
                    Lod::Gradient => given.gradient = args.next().zip(args.next()),
                }
                offset
            }
            Op::Gather { compare, offset, .. } => {
                given.coord = args.next();
                given.reference = if compare { args.next() } else { None };
                offset
            }
            Op::Fetch { offset, .. } => {
                given.coord = args.next();
                given.detail = args.next();
                offset
            }
            _ => false,
        };
        given.offset = if offset { args.next() } else { None };
        given
    }
}

/// One lane of an argument.
pub(crate) fn lane(arg: Arg, lane: u8) -> Arg {
    Arg { swizzle: Swizzle::splat(arg.swizzle.get(usize::from(lane))), lanes: 1, ..arg }
}

impl<'a, L: Language> Body<'a, '_, L> {
    /// The texture of an operation. One that is chosen by something computed is refused by `rule`.
    pub(crate) fn fixed_texture(
        &mut self,
        inst: &Inst,
        rule: &'static Rule,
    ) -> Option<(TextureId, &'a Texture)> {
        let Some((id, pick)) = inst.op.texture() else {
            self.cannot(inst.op);
            return None;
        };
        if pick != Pick::Fixed {
            let what = if pick == Pick::Handle { "a handle" } else { "a computed index" };
            self.refuse(rule, format!("`{}` selects a texture by {what}", op_name(inst.op)));
            return None;
        }
        self.shader.textures.get(id.index()).map(|texture| (id, texture))
    }

    /// Whether a lane of what an operation gives is read.
    #[cfg(any(feature = "glsl", feature = "wgsl"))]
    pub(crate) fn wants(&self, inst: &Inst, lane: u8) -> bool {
        let value = inst.result.and_then(|result| self.plan.values.get(result.index()));
        value.is_none_or(|value| value.read() >> lane & 1 == 1)
    }

    /// Writes the name of a texture.
    pub(crate) fn texture_name(&mut self, id: TextureId) {
        if let Some((texture, _)) = self.outside.textures.get(id.index()) {
            self.out.push_str(texture);
        }
    }

    /// Writes the level that would be read at a place, and the one before its limits: a call of a function of our own, since the
    /// place is computed once. Given are the types of texture, sampler and place, and the methods that answer.
    #[cfg(any(feature = "hlsl", feature = "msl"))]
    pub(crate) fn level_by_methods(
        &mut self,
        id: TextureId,
        (of, by, place): (&str, &str, &str),
        [clamped, unclamped]: [&str; 2],
        coord: Arg,
    ) {
        self.helpers.more(format!(
            "
float2 texture_levels({of} of, {by} by, {place} place) {{
    return float2(of.{clamped}(by, place), of.{unclamped}(by, place));
}}
"
        ));
        self.out.push_str("texture_levels(");
        self.texture_name(id);
        let sampler = self.outside.textures.get(id.index()).map_or("", |(_, sampler)| sampler);
        self.out.push_str(", ");
        self.out.push_str(sampler);
        self.out.push_str(", ");
        self.arg(coord, Shape::Exact, Prec::Lowest);
        self.out.push(')');
    }

    /// Writes the offset of a read, if there is one, behind a comma. It has to be constant and within -8..=7, and of a
    /// dimension that is not in `without`; others are refused by `rule`.
    pub(crate) fn texel_offset(
        &mut self,
        texture: &Texture,
        offset: Option<Arg>,
        (without, rule): (&[Dim], &'static Rule),
    ) {
        let Some(offset) = offset else { return };
        let name = &texture.name;
        let Some(bits) = self.plan.constant(offset) else {
            return self.refuse(rule, format!("a computed offset for {name}"));
        };
        let bits = &bits[..usize::from(offset.lanes)];
        if without.contains(&texture.dim) {
            return self.refuse(rule, format!("an offset for {name}, {}", texture.dim.name()));
        }
        if !bits.iter().all(|&lane| (-8..8).contains(&(lane as i32))) {
            return self.refuse(rule, format!("an offset outside -8..=7 for {name}"));
        }
        self.out.push_str(", ");
        self.constant(Scalar::I32, bits, Shape::Exact, Prec::Lowest);
    }

    /// Writes the place of a texel with its layer, the offset added.
    pub(crate) fn texel_place(&mut self, dim: Dim, coord: Arg, offset: Option<Arg>) {
        let Some(offset) = offset else { return self.arg(coord, Shape::Exact, Prec::Lowest) };
        let axes = dim.axes();
        let of_axes = if dim.arrayed() { Arg { lanes: axes, ..coord } } else { coord };
        if dim.arrayed() {
            self.out.push_str(L::type_name(Type::new(Scalar::I32, axes + 1)));
            self.out.push('(');
        }
        if L::WRAPS {
            self.arg(of_axes, Shape::Exact, Prec::Sum);
            self.out.push_str(" + ");
            self.arg(offset, Shape::Exact, Prec::Product);
        } else {
            self.wrapped(Pure::Add, of_axes, offset, axes);
        }
        if dim.arrayed() {
            self.out.push_str(", ");
            self.arg(lane(coord, axes), Shape::Loose, Prec::Lowest);
            self.out.push(')');
        }
    }
}
