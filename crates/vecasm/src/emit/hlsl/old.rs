//! What is otherwise in shader model 3.0, that of Direct3D 9.

use super::interface::{Binding, Interface};
use super::language::Hlsl;
use super::rules::{self, refused};
use super::{Options, words};
use crate::diag::Diagnostic;
use crate::emit::common::{Names, Prec, push_f32};
use crate::emit::options::BindingKind;
use crate::emit::plan::Plan;
use crate::emit::text::{Body, Given, Language as _, Shape, identifier, renamed};
use crate::ir::text::op_name;
use crate::ir::{Arg, Dim, Inst, Lod, Op, Pure, Scalar, Shader, Stage, Texture, TextureId, Type};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl<'s> Interface<'s> {
    /// Declares a variable in the next `c` registers.
    pub(super) fn old_constant(
        &mut self,
        (stage, name): (Stage, &str),
        (ty, elements): (Type, Option<u32>),
        kind: BindingKind,
        options: &Options<'_>,
    ) -> Result<(), Diagnostic> {
        if ty.scalar == Scalar::U32 {
            return Err(refused(rules::BITS, format!("{name} holds unsigned numbers")));
        }
        let count = elements.unwrap_or(1);
        // The last one has to be there, too.
        self.bind(('c', self.next + count - 1), (stage, name), kind, options)?;
        if let Some(Binding { number, .. }) = self.bindings.last_mut() {
            *number = self.next;
        }
        let many = elements.map_or(String::new(), |n| format!("[{n}]"));
        let ty = Hlsl::type_name(ty);
        self.declarations.push_str(&format!("\n{ty} {name}{many} : register(c{});\n", self.next));
        self.next += count;
        Ok(())
    }

    pub(super) fn old_textures(
        &mut self,
        names: &mut Names,
        shader: &'s Shader,
        plan: &Plan<'_>,
        options: &Options<'_>,
    ) -> Result<(), Diagnostic> {
        let mut first = true;
        for (texture, read) in shader.textures.iter().zip(plan.textures()) {
            if !read {
                self.outside.textures.push(Default::default());
                continue;
            }
            let Texture { slot, sampler_slot, dim, scalar, compare, sampler: state, .. } = *texture;
            let lacks = |what: &str| refused(rules::TEXTURE, format!("{what}: {}", texture.name));
            let ty = match dim {
                Dim::D1 => "sampler1D",
                Dim::D2 => "sampler2D",
                Dim::D3 => "sampler3D",
                Dim::Cube => "samplerCUBE",
                _ => return Err(lacks(&format!("shader model 3.0 has no {} textures", dim.name()))),
            };
            if texture.dim_by.is_some() {
                return Err(lacks("the dimension is decided by a state"));
            }
            if compare || scalar != Scalar::F32 {
                return Err(lacks("shader model 3.0 has no comparison and no textures of integers"));
            }
            if slot != sampler_slot {
                return Err(lacks("in shader model 3.0 a texture is one with its sampler"));
            }
            let kind = BindingKind::Sampler { slot, state, compare, normalized: true };
            let there = self.bindings.iter().find(|b| (b.class, b.number) == ('s', slot));
            if let Some(name) = there.map(|b| b.name.clone()) {
                if !self.declarations.contains(&format!("{ty} {name} :")) {
                    return Err(lacks("the register has textures of two kinds"));
                }
                self.outside.textures.push((Cow::Owned(name), Cow::Borrowed("")));
                continue;
            }
            let wanted = identifier(renamed(options.names, &texture.name)).into_owned();
            let name = names.take(wanted, words::is_word).into_owned();
            let register = self.bind(('s', slot), (shader.stage, &name), kind, options)?;
            let line = format!("{}{ty} {name}{register};\n", if first { "\n" } else { "" });
            self.declarations.push_str(&line);
            first = false;
            self.outside.textures.push((Cow::Owned(name), Cow::Borrowed("")));
        }
        Ok(())
    }
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

/// Functions of lanes: name, parameters, body.
const FUNCTIONS: &[(&str, &[&str], &str)] = &[
    ("old_exponent", &["x"], "return floor(log2(abs(x)));"),
    ("old_mantissa", &["x"], "return x == 0.0 ? 1.0 : abs(x) * exp2(-floor(log2(abs(x))));"),
    (
        "old_rcc",
        &["x"],
        "float magnitude = clamp(abs(1.0 / x), 5.421011e-20, 1.8446744e19);\n    return x < 0.0 ? -magnitude : magnitude;",
    ),
    (
        "old_lit",
        &["diffuse", "specular", "exponent"],
        "float base = max(specular, 0.0);
    float power = clamp(exponent, -128.0, 128.0);
    return diffuse > 0.0 ? (power == 0.0 ? 1.0 : pow(base, power)) : 0.0;",
    ),
    (
        "old_pow",
        &["base", "exponent"],
        "float magnitude = exponent == 0.0 ? 1.0 : pow(abs(base), exponent);
    bool odd = frac(exponent * 0.5) == 0.5;
    return base < 0.0 && odd ? -magnitude : magnitude;",
    ),
];

/// Appends the functions that are called: the one of lanes, and those of vectors.
pub(super) fn functions(out: &mut String, main: &str) {
    for (name, params, body) in FUNCTIONS {
        if !main.contains(name) {
            continue;
        }
        let list = |ty: &str| params.iter().map(|p| format!("{ty} {p}")).collect::<Vec<_>>().join(", ");
        out.push_str(&format!("\nfloat {name}({}) {{\n    {body}\n}}\n", list("float")));
        for lanes in 2..5 {
            if !main.contains(&format!("{name}_{lanes}(")) {
                continue;
            }
            let ty = format!("float{lanes}");
            let each = "xyzw"[..lanes].chars().map(|lane| {
                let args = params.iter().map(|p| format!("{p}.{lane}")).collect::<Vec<_>>().join(", ");
                format!("{name}({args})")
            });
            let each = each.collect::<Vec<_>>().join(", ");
            out.push_str(&format!("\n{ty} {name}_{lanes}({}) {{\n    return {ty}({each});\n}}\n", list(&ty)));
        }
    }
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
                let Some((name, size)) = outside.params.get(array.index()) else { return false };
                if bools && index < *size {
                    self.out.push_str(&format!("{name}[{index}]"));
                }
                return bools && index < *size;
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
            Pure::Exponent => self.old_call("old_exponent", args, lanes),
            Pure::Mantissa => self.old_call("old_mantissa", args, lanes),
            Pure::Rcc => self.old_call("old_rcc", args, lanes),
            Pure::Lit => self.old_call("old_lit", args, lanes),
            Pure::Pow => self.old_call("old_pow", args, lanes),
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
            Pure::AsI32 if scalar != Scalar::I32 => self.bits_lack(inst),
            _ => return false,
        }
        true
    }

    fn old_call(&mut self, name: &str, args: &[Arg], lanes: u8) {
        self.out.push_str(name);
        if lanes > 1 {
            self.out.push_str(["_2", "_3", "_4"][usize::from(lanes.clamp(2, 4)) - 2]);
        }
        self.list(args, lanes);
    }

    fn bits_lack(&mut self, inst: &Inst) {
        self.refuse(rules::BITS, format!("shader model {} has no `{}`", self.lang.0, op_name(inst.op)));
    }

    pub(super) fn index(&mut self, inst: &Inst) {
        self.refuse(rules::INDEX, format!("shader model {} has no `{}`", self.lang.0, op_name(inst.op)));
    }

    /// A sample through a sampler that is one with its texture.
    pub(super) fn old_sample(&mut self, texture: &'a Texture, id: TextureId, lod: Lod, given: Given) {
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
            Lod::Gradient => return self.lacks(texture, "slopes in a vertex shader"),
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
