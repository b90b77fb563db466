//! Programs of any instruction set.

use vecasm_isa::{AnyProgram, Isa, parse_hex};

#[test]
fn hex_is_the_bytes_in_file_order() {
    let mut file = vec![0xa0, 1, 0, 0, 0, 0xa1, 0];
    file.extend((1..=24).chain([0xee, 0xff]));
    let program = AnyProgram::decode(Isa::Agal, &file).unwrap();
    let hex = program.hex();
    assert_eq!(hex, "a001000000a100\n01020304 05060708 090a0b0c0d0e0f10 1112131415161718\neeff\n");
    assert_eq!(parse_hex(&hex), Some(file));
}

#[test]
fn short_programs_have_a_layout() {
    for n in 1..40u8 {
        let file: Vec<u8> = (0..n).map(|i| 0xa0 + i).collect();
        let program = AnyProgram::decode(Isa::Agal, &file).unwrap();
        assert_eq!(parse_hex(&program.hex()), Some(file));
    }
}
