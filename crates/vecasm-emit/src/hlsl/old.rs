//! What is otherwise in shader model 3.0, that of Direct3D 9.

use super::interface::Walk;
use super::language::Hlsl;
use super::rules::{self, refused};
use crate::common::{Prec, push_f32};
use crate::host::{self, Array};
use crate::options::{ArraySize, BindingKind, Space};
use crate::plan::Plan;
use crate::text::{Body, Language as _, Shape, TextureArguments};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{
    Arg, Dim, Inst, Lod, Op, OutputKind, Pure, Scalar, Shader, Stage, Texture, TextureId, Type,
};
use vecasm_opt::fold;

impl<'s> Walk<'_, 's> {
    /// Declares a variable in the next `c` registers.
    pub(super) fn old_constant(
        &mut self,
        name: &str,
        (ty, elements, all): (Type, Option<u32>, u32),
        kind: BindingKind,
    ) -> Result<(), Diagnostic> {
        if ty.scalar == Scalar::U32 {
            return Err(refused(rules::BITS, format!("{name} holds unsigned numbers")));
        }
        let (first, count) = (self.face.writer.next, elements.unwrap_or(1));
        // The last one has to be there, too.
        self.bind(('c', first + count - 1), name, kind)?;
        if let Some(binding) = self.face.bindings.last_mut() {
            binding.place.number = first;
        }
        let many = elements.map_or(String::new(), |n| format!("[{n}]"));
        let ty = Hlsl::type_name(ty);
        let note = match elements {
            Some(n) if n < all => format!(" // of {all}: no registers are left for the others"),
            _ => String::new(),
        };
        self.face.declarations.push_str(&format!("\n{ty} {name}{many} : register(c{first});{note}\n"));
        self.face.writer.next += count;
        Ok(())
    }

    /// Declares an array of constants in the next `c` registers, or those parts of it that are read.
    pub(super) fn old_constants(&mut self, array: &Array<'s>) -> Result<(), Diagnostic> {
        let Array { of, name, elements, parts, kind, .. } = array;
        let ty = Type::new(of.scalar, 4);
        if parts.is_empty() {
            let all = if of.indexed { of.size } else { *elements };
            return self.old_constant(name, (ty, Some(*elements), all), *kind);
        }
        let start = self.face.writer.next;
        for part in parts.iter().filter(|part| part.read) {
            self.face.writer.next = start + part.first;
            let many = (part.count > 1).then_some(part.count);
            let kind = BindingKind::constants(of, part.count, Space::Uniform);
            self.old_constant(&part.name, (ty, many, part.count), kind)?;
        }
        self.face.writer.next = start + elements;
        Ok(())
    }
}

/// The type of a texture with its sampler, where there is one.
pub(super) const fn sampler_type(dim: Dim) -> Option<&'static str> {
    Some(match dim {
        Dim::D1 => "sampler1D",
        Dim::D2 => "sampler2D",
        Dim::D3 => "sampler3D",
        Dim::Cube => "samplerCUBE",
        _ => return None,
    })
}

/// Refuses a texture that is not one with its sampler, or not one with those of its register.
pub(super) fn check_texture(walk: &Walk<'_, '_>, texture: &Texture) -> Result<(), Diagnostic> {
    let mut read = walk.shader.textures.iter().zip(walk.plan.textures()).filter(|(_, read)| **read);
    let first = read.find(|(other, _)| other.slot == texture.slot);
    let what = if texture.compare || texture.scalar != Scalar::F32 {
        "shader model 3.0 has no comparison and no textures of integers"
    } else if texture.slot != texture.sampler_slot {
        "in shader model 3.0 a texture cannot have another sampler"
    } else if first.is_some_and(|(other, _)| other.dim != texture.dim) {
        "the register holds textures of two kinds"
    } else {
        return Ok(());
    };
    Err(refused(rules::TEXTURE, format!("{what}: {}", texture.name)))
}

/// The `c` registers that are left for arrays with a computed index, which are longer than what a program needs: what else
/// is read has others, and so have literals.
pub(super) fn room(shader: &Shader, plan: &Plan<'_>) -> u32 {
    let fixed = shader.params.iter().zip(plan.params()).filter(|(array, read)| **read && !array.indexed);
    let fixed: u32 = fixed.map(|(array, _)| host::elements(array, ArraySize::Used)).sum();
    let states = plan.states().iter().filter(|read| **read).count() as u32;
    let mut literals: BTreeSet<u32> = BTreeSet::new();
    let mut offsets = BTreeSet::new();
    shader.body.for_each_inst(&mut |inst| {
        let value = inst.result.and_then(|v| plan.values.get(v.index()));
        match inst.op {
            Op::Const(bits) if value.is_some_and(|v| v.uses > 0) => literals.extend(bits),
            Op::ParamAt { offset, .. } => _ = offsets.insert(offset),
            _ => {}
        }
    });
    // Limits of an index and what is added to it; not all compilers pack four into each register, and they have some of their
    // own.
    let literals = (literals.len() + 3 * offsets.len()).div_ceil(2) as u32 + 4;
    registers(shader.stage).saturating_sub(fixed + states + literals)
}

/// How many `c` registers a stage has.
pub(super) const fn registers(stage: Stage) -> u32 {
    if matches!(stage, Stage::Vertex) { 256 } else { 224 }
}

/// The shader with sizes of points as such where Direct3D 9 has them as varyings: of these one lane goes out. What is known
/// is computed, since compilers do that, too, and refuse infinities.
pub(super) fn prepare(shader: &Shader) -> Shader {
    let mut shader = fold(shader);
    let vertex = shader.stage == Stage::Vertex;
    for output in &mut shader.outputs {
        let varying = matches!(output.kind, OutputKind::Varying { .. });
        if vertex && varying && output.semantic.starts_with("psize") {
            output.kind = OutputKind::PointSize;
        }
    }
    shader
}

/// Refuses stores by a computed index.
pub(super) fn check(shader: &Shader) -> Result<(), Diagnostic> {
    let mut found = None;
    shader.body.for_each_inst(&mut |inst| {
        if let Op::StoreLocalAt { .. } | Op::StoreOutputAt { .. } = inst.op {
            found = found.or(Some(inst.op));
        }
    });
    let what = |op| format!("shader model 3.0 has no `{}`", op_name(op));
    found.map_or(Ok(()), |op| Err(refused(rules::INDEX, what(op))))
}

impl<'a> Body<'a, '_, Hlsl> {
    /// Writes an operation as model 3.0 has it, or refuses it. Tells whether it did.
    pub(super) fn old(&mut self, inst: &'a Inst, args: &[Arg], lanes: u8) -> bool {
        let (shader, outside) = (self.shader, self.outside);
        let op = match inst.op {
            Op::Pure(op) => op,
            // Bools are bools there.
            Op::Param { array, index } => {
                let bools = shader.params.get(array.index()).is_some_and(|p| p.scalar == Scalar::Bool);
                let Some(of) = outside.params.get(array.index()) else { return false };
                if bools && index < of.size {
                    of.push(index, &mut self.out);
                }
                return bools && index < of.size;
            }
            Op::State(state) => {
                let bools = shader.states.get(state.index()).is_some_and(|s| s.ty.scalar == Scalar::Bool);
                if bools {
                    self.out.push_str(outside.states.get(state.index()).map_or("", String::as_str));
                }
                return bools;
            }
            Op::ParamAt { array, .. } => {
                let float = shader.params.get(array.index()).is_some_and(|p| p.scalar == Scalar::F32);
                if shader.stage == Stage::Vertex && float {
                    return false;
                }
                self.index(inst);
                return true;
            }
            Op::LoadLocalAt { .. } | Op::InputAt { .. } | Op::LoadOutputAt { .. } => {
                self.index(inst);
                return true;
            }
            _ => return false,
        };
        let Some(a) = args.first().copied() else { return false };
        let scalar = match op {
            Pure::Select => args.get(1).map_or(Scalar::F32, |arg| self.scalar_of(*arg)),
            _ => self.scalar_of(a),
        };
        let float = scalar == Scalar::F32;
        match op {
            Pure::ToI32 if float => {
                self.call(Hlsl::type_name(Type::new(Scalar::I32, lanes)), args, lanes);
            }
            _ if scalar == Scalar::U32 => self.bits_lack(inst),
            Pure::ToU32
            | Pure::BitExtract
            | Pure::BitInsert
            | Pure::BitReverse
            | Pure::BitCount
            | Pure::FirstLow
            | Pure::FirstHigh
            | Pure::MulHigh
            | Pure::Shl
            | Pure::Shr
            | Pure::Rem
            | Pure::ToHalf
            | Pure::FromHalf
            | Pure::Ldexp
            | Pure::FrexpFraction
            | Pure::FrexpExponent => self.bits_lack(inst),
            Pure::Div if !float => self.bits_lack(inst),
            Pure::And | Pure::Or | Pure::Xor | Pure::Not if scalar != Scalar::Bool => self.bits_lack(inst),
            Pure::AsF32 if !float => self.bits_lack(inst),
            Pure::AsU32 => self.bits_lack(inst),
            Pure::AsI32 if float => self.bits_lack(inst),
            _ => return false,
        }
        true
    }

    fn bits_lack(&mut self, inst: &Inst) {
        self.refuse(rules::BITS, format!("shader model {} has no `{}`", self.lang.0, op_name(inst.op)));
    }

    pub(super) fn index(&mut self, inst: &Inst) {
        self.refuse(rules::INDEX, format!("shader model {} has no `{}`", self.lang.0, op_name(inst.op)));
    }

    /// A sample through a sampler that is one with its texture.
    pub(super) fn old_sample(
        &mut self,
        texture: &'a Texture,
        id: TextureId,
        lod: Lod,
        given: TextureArguments,
    ) {
        let Some(coord) = given.coord else { return };
        if given.offset.is_some() {
            return self.lacks(texture, "offset");
        }
        let function = match texture.dim {
            Dim::D1 => "tex1D",
            Dim::D2 => "tex2D",
            Dim::D3 => "tex3D",
            _ => "texCUBE",
        };
        let fragment = self.shader.stage == Stage::Fragment;
        let suffix = match lod {
            Lod::Implicit { bias_eighths: 0 } if fragment => "",
            Lod::Implicit { .. } | Lod::Bias if fragment => "bias",
            Lod::Gradient if fragment => "grad",
            Lod::Gradient => return self.lacks(texture, "gradients in a vertex shader"),
            _ => "lod",
        };
        self.out.push_str(function);
        self.out.push_str(suffix);
        self.out.push('(');
        self.texture_name(id);
        self.out.push_str(", ");
        let lanes = texture.dim.coord_lanes();
        let coord = Arg { lanes, ..coord };
        if suffix.is_empty() || suffix == "grad" {
            self.arg(coord, Shape::Exact, Prec::Lowest);
            for slope in given.gradient.map_or([None; 2], |(x, y)| [Some(x), Some(y)]).into_iter().flatten() {
                self.out.push_str(", ");
                self.arg(Arg { lanes, ..slope }, Shape::Exact, Prec::Lowest);
            }
            return self.out.push(')');
        }
        // The fourth lane is the bias or the level.
        self.out.push_str("float4(");
        self.part(coord);
        (lanes..3).for_each(|_| self.out.push_str(", 0.0"));
        self.out.push_str(", ");
        match (lod, given.detail) {
            (Lod::Implicit { bias_eighths }, _) if fragment => {
                push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
            }
            (Lod::Bias, Some(detail)) if fragment => self.arg(detail, Shape::Loose, Prec::Lowest),
            (Lod::Level, Some(detail)) => self.arg(detail, Shape::Loose, Prec::Lowest),
            _ => self.out.push_str("0.0"),
        }
        self.out.push_str("))");
    }
}
