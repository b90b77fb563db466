//! The bits of a lane as text.

use crate::ir::Scalar;
use alloc::string::String;
use core::fmt::Write as _;

/// Appends the bits of a lane: floats as the shortest decimal that gives the same bits, where they are finite; integers
/// in decimal; bool as a word. What none of this can say is `0x` and all its digits.
pub(super) fn write(out: &mut String, bits: u64, scalar: Scalar) {
    let low = bits as u32;
    let _ = match scalar {
        Scalar::F32 if f32::from_bits(low).is_finite() => write!(out, "{:?}", f32::from_bits(low)),
        Scalar::F64 if f64::from_bits(bits).is_finite() => write!(out, "{:?}", f64::from_bits(bits)),
        Scalar::Bool if low <= 1 => write!(out, "{}", low == 1),
        Scalar::I32 => write!(out, "{}", low as i32),
        Scalar::U32 => write!(out, "{low}"),
        Scalar::I64 => write!(out, "{}", bits as i64),
        Scalar::U64 => write!(out, "{bits}"),
        Scalar::F64 => write!(out, "0x{bits:016x}"),
        Scalar::F32 | Scalar::Bool => write!(out, "0x{low:08x}"),
    };
}

/// The bits that a word stands for, if it stands for a lane of that type.
pub(super) fn read(word: &str, scalar: Scalar) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return hex(digits, if scalar.is_wide() { 16 } else { 8 });
    }
    if word.starts_with('+') {
        return None;
    }
    match scalar {
        Scalar::Bool => match word {
            "false" => Some(0),
            "true" => Some(1),
            _ => None,
        },
        // A number of letters, or one that is too large, is none.
        Scalar::F32 => word.parse::<f32>().ok().filter(|x| x.is_finite()).map(|x| x.to_bits().into()),
        Scalar::F64 => word.parse::<f64>().ok().filter(|x| x.is_finite()).map(f64::to_bits),
        Scalar::I32 => word.parse::<i32>().ok().map(|x| u64::from(x as u32)),
        Scalar::U32 => word.parse::<u32>().ok().map(u64::from),
        Scalar::I64 => word.parse::<i64>().ok().map(|x| x as u64),
        Scalar::U64 => word.parse().ok(),
    }
}

fn hex(digits: &str, most: usize) -> Option<u64> {
    let fits = (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if fits { u64::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bits() {
        // The bits are those of IEEE 754 and two's complement; 5e-324 and 1e-45 are the least denormals.
        let both: &[(Scalar, u64, &str)] = &[
            (Scalar::F32, 0x3fc0_0000, "1.5"),
            (Scalar::F32, 0x8000_0000, "-0.0"),
            (Scalar::F32, 1, "1e-45"),
            (Scalar::F32, 0x7f7f_ffff, "3.4028235e38"),
            (Scalar::F32, 0x7f80_0000, "0x7f800000"),
            (Scalar::F32, 0xffc0_0001, "0xffc00001"),
            (Scalar::F64, 0x3ff8 << 48, "1.5"),
            (Scalar::F64, 1, "5e-324"),
            (Scalar::F64, 0x8000 << 48, "-0.0"),
            (Scalar::F64, 0x3fb9_9999_9999_999a, "0.1"),
            (Scalar::F64, 0x7ff0 << 48, "0x7ff0000000000000"),
            (Scalar::F64, 0xfff0_0000_0000_0001, "0xfff0000000000001"),
            (Scalar::I32, 0xffff_ffff, "-1"),
            (Scalar::I32, 0x8000_0000, "-2147483648"),
            (Scalar::U32, 0xffff_ffff, "4294967295"),
            (Scalar::I64, u64::MAX, "-1"),
            (Scalar::I64, 1 << 63, "-9223372036854775808"),
            (Scalar::U64, u64::MAX, "18446744073709551615"),
            (Scalar::Bool, 0, "false"),
            (Scalar::Bool, 1, "true"),
            (Scalar::Bool, 2, "0x00000002"),
        ];
        for &(scalar, bits, word) in both {
            let mut out = String::new();
            write(&mut out, bits, scalar);
            assert_eq!(out, word, "{scalar:?}");
            assert_eq!(read(word, scalar), Some(bits), "{scalar:?} {word}");
        }
        // Other spellings of the same.
        assert_eq!(read("1", Scalar::F32), Some(0x3f80_0000));
        assert_eq!(read("0xff", Scalar::I32), Some(255));
        let refused = [
            (Scalar::F32, "inf nan 1e39 +1.0 0x 0x123456789 0x+1 1.5.2"),
            (Scalar::F64, "infinity NaN 1e309 0x12345678901234567"),
            (Scalar::I32, "2147483648 1.0 -2147483649 +1 --1"),
            (Scalar::U32, "-1 4294967296"),
            (Scalar::Bool, "1 True"),
        ];
        for (scalar, words) in refused {
            for word in words.split(' ') {
                assert_eq!(read(word, scalar), None, "{scalar:?} {word}");
            }
        }
    }
}
