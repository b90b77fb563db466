//! What is GLSL's own in the body of an entry point.

use super::memory::Block;
use super::{Version, rules, words};
use crate::common::Prec;
use crate::text::{Body, Language, Reasons, reasons};
use alloc::format;
use alloc::string::{String, ToString};
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Slope, Type};

/// The language in a version.
#[derive(Clone, Copy)]
pub(super) struct Glsl(pub(super) Version);

impl Language for Glsl {
    const NAME: &'static str = "GLSL";
    const SWAPS: bool = true;
    const Y_UP: bool = true;
    const CHANGES_TEXELS: bool = true;
    const C: bool = true;
    const LOOP: &'static str = "for (;;) {\n";
    const LEAST: &'static str = "(-2147483647 - 1)";
    const FROM_BITS: &'static str = "uintBitsToFloat";
    const COMPARES_BY_CALL: bool = true;
    const SELECT: &'static str = "mix";
    const REASONS: Reasons = reasons!(atomic: rules::MEMORY, image: rules::IMAGE, endless: None);
    type Memory = Block;

    fn type_name(ty: Type) -> &'static str {
        match (ty.scalar, ty.lanes) {
            (Scalar::I32, 1) => "int",
            (Scalar::I32, 2) => "ivec2",
            (Scalar::I32, 3) => "ivec3",
            (Scalar::I32, _) => "ivec4",
            (Scalar::U32, 1) => "uint",
            (Scalar::U32, 2) => "uvec2",
            (Scalar::U32, 3) => "uvec3",
            (Scalar::U32, _) => "uvec4",
            (Scalar::Bool, 1) => "bool",
            (Scalar::Bool, 2) => "bvec2",
            (Scalar::Bool, 3) => "bvec3",
            (Scalar::Bool, _) => "bvec4",
            (Scalar::F64, 1) => "double",
            (Scalar::F64, 2) => "dvec2",
            (Scalar::F64, 3) => "dvec3",
            (Scalar::F64, _) => "dvec4",
            (Scalar::I64, 1) => "int64_t",
            (Scalar::I64, 2) => "i64vec2",
            (Scalar::I64, 3) => "i64vec3",
            (Scalar::I64, _) => "i64vec4",
            (Scalar::U64, 1) => "uint64_t",
            (Scalar::U64, 2) => "u64vec2",
            (Scalar::U64, 3) => "u64vec3",
            (Scalar::U64, _) => "u64vec4",
            (_, 1) => "float",
            (_, 2) => "vec2",
            (_, 3) => "vec3",
            _ => "vec4",
        }
    }

    fn has_wide(self, scalar: Scalar) -> bool {
        self.0.since(if scalar == Scalar::F64 { 150 } else { 400 }, u16::MAX)
    }

    fn is_word(name: &str) -> bool {
        words::is_word(name)
    }

    fn precise(self) -> Option<&'static str> {
        self.0.since(400, 310).then_some("precise ")
    }

    fn function(self, op: Pure, scalar: Scalar) -> Option<&'static str> {
        let Self(version) = self;
        if scalar == Scalar::F64 && op == Pure::Fma {
            return Some("fma");
        }
        Some(match op {
            Pure::Abs => "abs",
            Pure::Rsq => "inversesqrt",
            Pure::Sqrt => "sqrt",
            Pure::Exp2 => "exp2",
            Pure::Log2 => "log2",
            Pure::Sin => "sin",
            Pure::Cos => "cos",
            Pure::Fract => "fract",
            Pure::Floor => "floor",
            Pure::Ceil => "ceil",
            Pure::Trunc if !version.is_old() => "trunc",
            Pure::RoundEven if !version.is_old() => "roundEven",
            Pure::Sign => "sign",
            Pure::Min => "min",
            Pure::Max => "max",
            Pure::Fma if version.since(400, 320) => "fma",
            Pure::BitReverse if version.since(400, 310) => "bitfieldReverse",
            Pure::BitCount if version.since(400, 310) => "bitCount",
            Pure::FirstLow if version.since(400, 310) => "findLSB",
            Pure::FirstHigh if version.since(400, 310) => "findMSB",
            _ => return None,
        })
    }

    fn slope(self, axis: char, slope: Slope) -> &'static str {
        let chosen = self.0.since(450, u16::MAX);
        match (axis, slope) {
            ('x', Slope::Fine) if chosen => "dFdxFine",
            ('x', Slope::Coarse) if chosen => "dFdxCoarse",
            (_, Slope::Fine) if chosen => "dFdyFine",
            (_, Slope::Coarse) if chosen => "dFdyCoarse",
            ('x', _) => "dFdx",
            _ => "dFdy",
        }
    }

    fn bit_fields(self) -> Option<[&'static str; 2]> {
        self.0.since(400, 310).then_some(["bitfieldExtract", "bitfieldInsert"])
    }

    fn push_cast(out: &mut String, from: Scalar, to: Type) {
        out.push_str(match (from, to.scalar) {
            (Scalar::F32, Scalar::I32) => "floatBitsToInt",
            (Scalar::F32, Scalar::U32) => "floatBitsToUint",
            (Scalar::I32, Scalar::F32) => "intBitsToFloat",
            (_, Scalar::F32) => "uintBitsToFloat",
            _ => Self::type_name(to),
        });
    }

    fn mixes(self, scalar: Scalar) -> bool {
        (scalar == Scalar::F32 && !self.0.is_old()) || self.0.since(450, 310)
    }

    fn is_old(self) -> bool {
        self.0.is_old()
    }

    fn has_bits(self) -> bool {
        self.0.has_bits()
    }

    fn takes_bools(self) -> bool {
        !self.0.has_blocks()
    }

    fn loop_line(self, once: bool) -> &'static str {
        match once {
            _ if self.0.since(0, 300) => Self::LOOP,
            // ES 100 has no other loops than such.
            true => "for (int round = 0; round < 1; round++) {\n",
            false => "for (int round = 0; round < 65536; round++) {\n",
        }
    }

    fn version(self) -> String {
        self.0.to_string()
    }

    fn where_else(self, op: Op) -> &'static str {
        match op {
            Op::IsHelper => "; 450, ES 310 and later have it",
            Op::TextureLod { .. } if self.0.is_es() => {
                "; ES has it in GL_EXT_texture_query_lod, which is not supported"
            }
            Op::TextureLod { .. } => "; 150 and later have it",
            Op::Interpolate { .. } => "; 400, ES 310 and later have it",
            op if op.needs_subgroup() => {
                "; 430, ES 310 and later have it, votes in fragment shaders 450 and later"
            }
            _ => "",
        }
    }

    fn own<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], _: u8, _: Prec) -> bool {
        body.own(inst, args)
    }

    fn push_wide(out: &mut String, scalar: Scalar, bits: u64) {
        let text = match scalar {
            Scalar::I64 if bits == 1 << 63 => "(-9223372036854775807L - 1L)".into(),
            Scalar::I64 => format!("{}L", bits as i64),
            Scalar::U64 => format!("{bits}UL"),
            _ => match f64::from_bits(bits) {
                value if value.is_normal() || value == 0.0 => format!("{value:?}LF"),
                _ => format!("packDouble2x32(uvec2({}u, {}u))", bits as u32, bits >> 32),
            },
        };
        out.push_str(&text);
    }

    fn begin(body: &mut Body<'_, '_, Self>) {
        body.begin_patch();
    }

    fn emit_vertex(body: &mut Body<'_, '_, Self>, stream: u8, ends: bool) {
        body.emit_to_stream(stream, ends);
    }

    fn texture<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg]) {
        body.texture(inst, args);
    }

    fn read_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], min: Prec) {
        body.read_memory(inst, args, min);
    }

    fn change_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst) -> bool {
        body.change_memory(inst)
    }
}
