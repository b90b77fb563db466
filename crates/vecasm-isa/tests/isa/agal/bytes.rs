//! Bytecode comes back as it was.

use vecasm_isa::agal::bytes::{decode_lossless, encode};

#[test]
fn every_prefix_of_an_odd_file_survives() {
    let file: Vec<u8> = (0..=80u8).map(|b| b.wrapping_mul(37) ^ 0xa0).collect();
    for n in 0..file.len() {
        assert_eq!(encode(&decode_lossless(&file[..n])), file[..n]);
    }
}

#[test]
fn the_extra_byte_of_old_files_is_kept() {
    let mut file = vec![0xa0, 0x10, 0, 0, 0, 0x77, 0xa1, 0x01];
    file.extend_from_slice(&[0; 24]);
    let program = decode_lossless(&file);
    assert!(program.header.is_extended());
    assert_eq!((program.version(), program.tokens.len()), (8, 1));
    assert_eq!(encode(&program), file);
}
