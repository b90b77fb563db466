//! Lanes in files: numbers, words for those that JSON has none for, and bits as text.

use super::{Json, Node, PlacedError};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use vecasm_ir::ir::Scalar;
use vecasm_ir::math::CANONICAL_NAN;

/// A whole number, 0..=`most`.
pub(crate) fn integer<E: PlacedError>(node: &Node<'_, '_, E>, most: f64) -> Result<u64, E> {
    // A fraction does not survive the way to u64 and back.
    let integer = |n: &f64| (0.0..=most).contains(n) && (*n as u64) as f64 == *n;
    let number = node.json().as_f64().filter(integer);
    number.map(|n| n as u64).ok_or_else(|| node.error(format!("expected a whole number from 0 to {most}")))
}

/// The bits of one lane: a number, `"inf"`, `"-inf"`, `"nan"`, `"-nan"`, a boolean, or bits as `"0x7fc00000"`.
///
/// # Errors
///
/// The value is none of that type.
pub fn bits<E: PlacedError>(node: &Node<'_, '_, E>, scalar: Scalar) -> Result<u32, E> {
    if let Some(number) = node.json().as_f64() {
        return number_bits(node, number, scalar);
    }
    match (node.json(), scalar) {
        (Json::Text(text), Scalar::F32) if special(text).is_some() => Ok(special(text).unwrap_or_default()),
        (Json::Text(text), _) => {
            let digits = text.strip_prefix("0x").filter(|d| (1..=8).contains(&d.len()));
            let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            digits.and_then(|d| u32::from_str_radix(d, 16).ok()).ok_or_else(|| {
                let others = if scalar == Scalar::F32 { "\"nan\", \"inf\", \"-inf\", or " } else { "" };
                node.error(format!(
                    "\"{text}\" is not a value: expected {others}bits, as 0x and 1 to 8 hexadecimal digits"
                ))
            })
        }
        (Json::Bool(value), Scalar::Bool) => Ok(u32::from(*value)),
        (_, Scalar::Bool) => Err(node.expected("a boolean or a string \"0x…\"")),
        _ => Err(node.expected("a number or a string \"0x…\"")),
    }
}

fn number_bits<E: PlacedError>(node: &Node<'_, '_, E>, number: f64, scalar: Scalar) -> Result<u32, E> {
    match scalar {
        Scalar::F32 if (number as f32).is_infinite() => {
            Err(node.error(format!("{number} is beyond the range of f32")))
        }
        Scalar::F32 => Ok((number as f32).to_bits()),
        Scalar::U32 => Ok(integer(node, f64::from(u32::MAX))? as u32),
        Scalar::I32 if f64::from(number as i32) == number => Ok((number as i32) as u32),
        Scalar::I32 => Err(node.error("expected a 32-bit whole number")),
        Scalar::Bool => Err(node.expected("a boolean or a string \"0x…\"")),
        _ => Err(node.expected("a number or a string \"0x…\"")),
    }
}

/// The bits of a word for an f32 that JSON has no number for.
fn special(text: &str) -> Option<u32> {
    match text {
        "nan" => Some(CANONICAL_NAN),
        "-nan" => Some(CANONICAL_NAN | 1 << 31),
        "inf" => Some(f32::INFINITY.to_bits()),
        "-inf" => Some(f32::NEG_INFINITY.to_bits()),
        _ => None,
    }
}

/// A list of lanes, as [`bits`] reads each of them.
pub fn lanes(bits: &[u32], scalar: Scalar) -> String {
    format!("[{}]", bits.iter().map(|&bits| lane(bits, scalar)).collect::<Vec<_>>().join(", "))
}

/// A lane: a number where reading it gives the same bits, else bits.
pub(crate) fn lane(bits: u32, scalar: Scalar) -> String {
    let text = match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(bits)),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::U32 => bits.to_string(),
        Scalar::Bool if bits < 2 => (bits == 1).to_string(),
        _ => String::new(),
    };
    // As it is read: first to f64.
    let same = match scalar {
        Scalar::F32 => text.parse::<f64>().is_ok_and(|v| v.is_finite() && (v as f32).to_bits() == bits),
        _ => !text.is_empty(),
    };
    if same { text } else { format!("\"0x{bits:08x}\"") }
}
