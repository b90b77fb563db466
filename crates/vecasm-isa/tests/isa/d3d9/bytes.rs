//! Token streams come back as they were, from bytes and from digits.

use vecasm_isa::d3d9::bytes::{decode_lossless, encode, parse_digits};

#[test]
fn every_prefix_survives() {
    let mut file = vec![1, 2, 0xfe, 0xff, 1, 0, 0, 2, 0xfe, 0xff, 3, 0];
    file.extend((0..=90_u8).map(|b| b.wrapping_mul(37)));
    for start in [0, 1, 4] {
        for n in start..file.len() {
            assert_eq!(encode(&decode_lossless(&file[start..n])), file[start..n]);
        }
    }
}

#[test]
fn digits_are_words_or_bytes() {
    let bytes = vec![0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0];
    assert_eq!(parse_digits("ffff0200 0000ffff"), Some(bytes.clone()));
    assert_eq!(parse_digits("0xFFFF0200, 0xffff, // end\n"), Some(bytes.clone()));
    assert_eq!(parse_digits("{ 0xffff0200u, /* end */ 0x0000FFFF };"), Some(bytes.clone()));
    assert_eq!(parse_digits("00 02 ff ff ff ff 00 00"), Some(bytes.clone()));
    assert_eq!(parse_digits("0002ffffffff0000"), Some(bytes));
    assert_eq!(parse_digits("ffff0200 01 02 03"), Some(vec![0, 2, 0xff, 0xff, 1, 2, 3]));
    assert_eq!(parse_digits("ffff0200 mov"), None);
    assert_eq!(parse_digits("/*/ ffff0200"), None);
    assert_eq!(parse_digits(""), None);
}
