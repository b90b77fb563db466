//! What is HLSL's own in the body of an entry point.

use super::memory::Block;
use super::{Model, rules, words};
use crate::common::Prec;
use crate::text::{Body, Language, Reasons, numbered, reasons};
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::{Arg, Arith, Inst, Op, Pure, Rule, Scalar, Slope, Type};

/// The language for a shader model; in the function of a patch with the number of invocations that it goes through, 0 for one of
/// them alone.
#[derive(Clone, Copy)]
pub(super) struct Hlsl(pub(super) Model, pub(super) Option<u32>);

impl Language for Hlsl {
    const NAME: &'static str = "HLSL";
    const C: bool = true;
    const LOOP: &'static str = "for (;;) {\n";
    const LEAST: &'static str = "(-2147483647 - 1)";
    const FROM_BITS: &'static str = "asfloat";
    const COMPARES_BY_CALL: bool = false;
    // Since HLSL 2021 they are.
    const JOINS_BY_CALL: bool = true;
    const SPLATS: bool = false;
    const BRACES: bool = true;
    const CONTINUES_IN_SWITCH: bool = false;
    const SWAPS: bool = true;
    const FOLDS_CONDITIONS: bool = true;
    const RESULT: &'static str = "output";
    const SPELT: &'static [(&'static str, &'static str)] = &[
        ("floatBitsToUint(", "asuint("),
        ("uintBitsToFloat(", "asfloat("),
        ("fract(", "frac("),
        ("fma(", "mad("),
        ("unpackDouble2x32(", "unpack_words("),
        ("packDouble2x32(uvec2(", "pack_words(uint2("),
        ("packDouble2x32(", "pack_words("),
        // Of helpers without bits.
        ("-1.0 / 0.0", Self::NOT_FINITE[2]),
        ("0.0 / 0.0", Self::NOT_FINITE[0]),
    ];
    // Compilers refuse what is neither. The largest number stands for the infinity, and zero for NaN.
    const NOT_FINITE: [&'static str; 3] = ["0.0", "3.4028234663852886e+38", "-3.4028234663852886e+38"];
    const CHANGES_TEXELS: bool = true;
    const REASONS: Reasons =
        reasons!(atomic: rules::MEMORY, image: rules::MEMORY, endless: Some(rules::LOOP));
    type Memory = Block;

    fn type_name(ty: Type) -> &'static str {
        numbered(ty)
    }

    fn has_wide(self, scalar: Scalar) -> bool {
        self.0.since(if scalar == Scalar::F64 { Model::SM5_0 } else { Model::SM6_0 })
    }

    fn is_word(name: &str) -> bool {
        words::is_word(name)
    }

    fn precise(self) -> Option<&'static str> {
        Some("precise ")
    }

    fn function(self, op: Pure, scalar: Scalar) -> Option<&'static str> {
        if scalar == Scalar::F64 {
            return match op {
                Pure::Abs => Some("abs"),
                Pure::Min => Some("min"),
                Pure::Max => Some("max"),
                Pure::Fma => Some("fma"),
                _ => None,
            };
        }
        Some(match op {
            Pure::Abs => "abs",
            Pure::Rsq => "rsqrt",
            Pure::Sqrt => "sqrt",
            Pure::Exp2 => "exp2",
            Pure::Log2 => "log2",
            Pure::Sin => "sin",
            Pure::Cos => "cos",
            Pure::Fract => "frac",
            Pure::Floor => "floor",
            Pure::Ceil => "ceil",
            Pure::Trunc => "trunc",
            // Of model 3.0 it rounds halves up.
            Pure::RoundEven if !self.0.is_old() => "round",
            Pure::Min => "min",
            Pure::Max => "max",
            Pure::Fma if self.0.since(Model::SM5_0) => "mad",
            _ => return None,
        })
    }

    fn slope(self, axis: char, slope: Slope) -> &'static str {
        let chosen = self.0.since(Model::SM5_0);
        match (axis, slope) {
            ('x', Slope::Fine) if chosen => "ddx_fine",
            ('x', Slope::Coarse) if chosen => "ddx_coarse",
            (_, Slope::Fine) if chosen => "ddy_fine",
            (_, Slope::Coarse) if chosen => "ddy_coarse",
            ('x', _) => "ddx",
            _ => "ddy",
        }
    }

    fn has_bits(self) -> bool {
        !self.0.is_old()
    }

    fn bit_fields(self) -> Option<[&'static str; 2]> {
        None
    }

    fn push_cast(out: &mut String, from: Scalar, to: Type) {
        out.push_str(match (from, to.scalar) {
            (_, Scalar::F32) => "asfloat",
            (Scalar::F32, Scalar::I32) => "asint",
            (Scalar::F32, Scalar::U32) => "asuint",
            _ => Self::type_name(to),
        });
    }

    fn mixes(self, _: Scalar) -> bool {
        false
    }

    fn version(self) -> String {
        format!("of shader model {}", self.0)
    }

    fn title(self) -> String {
        format!("shader model {}", self.0)
    }

    fn where_else(self, op: Op) -> &'static str {
        match op {
            Op::IsHelper => "; model 6.6 has it, but is not supported",
            Op::TextureLod { .. } => "; model 4.1 and later have it",
            Op::Interpolate { .. } => "; model 5.0 has it, but it is not supported",
            op if op.needs_subgroup() => "; model 6.0 and later have it",
            _ => "",
        }
    }

    fn own<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], lanes: u8, min: Prec) -> bool {
        body.own(inst, args, lanes, min)
    }

    fn push_wide(out: &mut String, scalar: Scalar, bits: u64) {
        super::wide::push(out, scalar, bits);
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

impl<'a> Body<'a, '_, Hlsl> {
    /// Writes an operation that has an intrinsic of HLSL alone. Tells whether it did.
    fn own(&mut self, inst: &'a Inst, args: &[Arg], lanes: u8, _: Prec) -> bool {
        if self.lang.0.is_old() && self.old(inst, args, lanes) {
            return true;
        }
        if let (Op::Ddx(_) | Op::Ddy(_), Some(a)) = (inst.op, args.first()) {
            // dxc takes a literal for a double there.
            let finite = |bits: &u32| f32::from_bits(*bits).is_finite();
            if self.plan.constant(*a).is_some_and(|bits| bits[..usize::from(a.lanes)].iter().all(finite)) {
                self.zero(Type::new(Scalar::F32, lanes));
                return true;
            }
        }
        if self.ask_wave(inst.op, args) {
            return true;
        }
        if matches!(inst.op, Op::TextureLod { .. }) && self.lang.0.since(Model::SM4_1) {
            self.lod(inst, args);
            return true;
        }
        let (Op::Pure(op), Some(a)) = (inst.op, args.first().copied()) else { return false };
        if matches!(inst.arith, Arith { rule: Rule::Nv20, .. } | Arith { flush: true, .. }) {
            return false;
        }
        let counts = self.lang.0.since(Model::SM5_0);
        if inst.arith.precise && !counts {
            let what = format!(
                "shader model {} has no keyword for precise operations: `{}`",
                self.lang.0,
                op.name()
            );
            self.refuse(rules::PRECISE, what);
        }
        let scalar = self.scalar_of(a);
        if scalar.is_wide() {
            return scalar == Scalar::F64 && self.double(op, args, lanes);
        }
        match op {
            Pure::Saturate => self.call("saturate", args, lanes),
            // It gives an int, also of floats.
            Pure::Sign => self.converted(scalar, "sign", args, lanes),
            Pure::BitCount if counts => self.converted(Scalar::I32, "countbits", args, lanes),
            Pure::FirstLow if counts => self.converted(Scalar::I32, "firstbitlow", args, lanes),
            Pure::FirstHigh if counts => self.converted(Scalar::I32, "firstbithigh", args, lanes),
            Pure::BitReverse if counts => self.converted(scalar, "reversebits", args, lanes),
            _ => return false,
        }
        true
    }

    /// A function whose result has another scalar than that of the IR.
    fn converted(&mut self, to: Scalar, function: &str, args: &[Arg], lanes: u8) {
        self.out.push_str(Hlsl::type_name(Type::new(to, lanes)));
        self.out.push('(');
        self.call(function, args, lanes);
        self.out.push(')');
    }
}
