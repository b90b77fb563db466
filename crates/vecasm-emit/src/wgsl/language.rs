//! What is WGSL's own in the body of an entry point.

use super::interface::type_name;
use super::memory::Block;
use super::{rules, words};
use crate::common::Prec;
use crate::text::{Body, Language, Reasons, reasons};
use alloc::string::String;
use vecasm_ir::ir::{Arg, Inst, Pure, Scalar, Slope, Type};

/// The language.
#[derive(Clone, Copy)]
pub(super) struct Wgsl;

impl Language for Wgsl {
    const NAME: &'static str = "WGSL";
    const C: bool = false;
    const LOOP: &'static str = "loop {\n";
    const HEXADECIMAL: bool = true;
    const LEAST: &'static str = "i32(-2147483648)";
    const FROM_BITS: &'static str = "bits_to_f32";
    const COMPARES_BY_CALL: bool = false;
    const REASONS: Reasons = reasons!(atomic: rules::ATOMIC, image: rules::IMAGE, endless: Some(rules::LOOP));
    type Memory = Block;

    fn type_name(ty: Type) -> &'static str {
        type_name(ty)
    }

    fn is_word(name: &str) -> bool {
        words::is_word(name)
    }

    fn has_wide(self, _: Scalar) -> bool {
        false
    }

    fn function(self, op: Pure, _: Scalar) -> Option<&'static str> {
        Some(match op {
            Pure::Abs => "abs",
            Pure::Saturate => "saturate",
            Pure::Rsq => "inverseSqrt",
            Pure::Sqrt => "sqrt",
            Pure::Exp2 => "exp2",
            Pure::Log2 => "log2",
            Pure::Sin => "sin",
            Pure::Cos => "cos",
            Pure::Fract => "fract",
            Pure::Floor => "floor",
            Pure::Ceil => "ceil",
            Pure::Trunc => "trunc",
            Pure::RoundEven => "round",
            Pure::Sign => "sign",
            Pure::Min => "min",
            Pure::Max => "max",
            Pure::Fma => "fma",
            Pure::BitReverse => "reverseBits",
            _ => return None,
        })
    }

    fn slope(self, axis: char, slope: Slope) -> &'static str {
        match (axis, slope) {
            ('x', Slope::Fine) => "dpdxFine",
            ('x', Slope::Coarse) => "dpdxCoarse",
            (_, Slope::Fine) => "dpdyFine",
            (_, Slope::Coarse) => "dpdyCoarse",
        }
    }

    fn bit_fields(self) -> Option<[&'static str; 2]> {
        Some(["extractBits", "insertBits"])
    }

    fn push_cast(out: &mut String, _: Scalar, to: Type) {
        out.push_str("bitcast<");
        out.push_str(type_name(to));
        out.push('>');
    }

    fn mixes(self, _: Scalar) -> bool {
        false
    }

    fn texture<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg]) {
        body.texture(inst, args);
    }

    fn read_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], min: Prec) {
        if !body.read_image(inst.op, args) {
            body.read_words(inst, args, min);
        }
    }

    fn change_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst) -> bool {
        body.change_memory(inst)
    }
}
