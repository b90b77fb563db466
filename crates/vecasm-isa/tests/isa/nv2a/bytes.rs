//! Slots, pushbuffers and words come back as they were.

use vecasm_isa::nv2a::Container;
use vecasm_isa::nv2a::bytes::{decode, decode_lossless, encode, looks_like, parse_words};

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[test]
fn every_prefix_of_an_odd_file_survives() {
    let mut file = vec![0x78, 0x20, 3, 0];
    file.extend((0..=80_u8).map(|b| b.wrapping_mul(37)));
    for start in [0, 1, 4] {
        for n in start..file.len() {
            assert_eq!(encode(&decode_lossless(&file[start..n])), file[start..n]);
        }
    }
}

#[test]
fn a_pushbuffer_keeps_its_commands() {
    // Load pointer 0; two slots in one packet; one slot in the next; begin.
    let mut words = vec![1 << 18 | 0x1e9c, 0, 8 << 18 | 0x0b00];
    words.extend([0, 0x0020_001b, 0x0836_106c, 0x2070_f800, 0, 0x0020_061b, 0x0836_106c, 0x2070_f818]);
    words.extend([4 << 18 | 0x0b00, 0, 0x0020_061b, 0x0836_106c, 0x2070_f819, 1 << 18 | 0x17fc, 5]);
    let file = bytes_of(&words);
    assert!(looks_like(&file));
    let program = decode(&file).unwrap();
    assert_eq!(program.slots.len(), 3);
    let Container::Pushbuffer(commands) = &program.container else { panic!("no pushbuffer") };
    assert_eq!(commands.iter().map(|c| c.before).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(program.offsets(), [12, 28, 48]);
    assert_eq!(encode(&program), file);
}

#[test]
fn words_are_most_significant_first() {
    let text = "/* mov oPos, v0 */\n0x00000000, 0x0020001b, 0x0836106c, 0x2070f801,";
    let bytes = parse_words(text).unwrap();
    assert_eq!(bytes[4..8], [0x1b, 0x00, 0x20, 0x00]);
    assert!(looks_like(&bytes));
    assert_eq!(parse_words("0x1, 2"), None);
    assert_eq!(parse_words("/*/ 0x1"), None);
    assert_eq!(parse_words("0x1u, 0x2UL"), Some(bytes_of(&[1, 2])));
    assert_eq!(parse_words(""), None);
}

#[test]
fn arrays_of_c_are_lists_of_words() {
    let words = Some(bytes_of(&[0, 0x0020_001b, 0x0836_106c, 0x2070_f801]));
    for text in [
        "// a = {1}\nstatic const uint32_t kShader[] = {\n  // mov oPos, v0\n  0x0, 0x0020001b, 0x0836106c, 0x2070f801,\n};\n",
        "int n = 3;\nstd::array<std::array<uint32_t, 4>, 1> K = {{{0x00000000, 0x0020001bu, 0x0836106cU, 0x2070f801}}};",
        "#pragma once\nuint32_t K[2][2] = { {0x0, 0x0020001b}, /* } */ {0x0836106c, 0x2070f801} }; uint32_t L[] = {0x1};",
    ] {
        assert_eq!(parse_words(text), words, "{text}");
    }
    assert_eq!(parse_words("x = {0x1"), None);
    assert_eq!(parse_words("{{{{"), None);
}

#[test]
fn a_pushbuffer_of_combiners_is_refused_by_name() {
    let file = bytes_of(&[1 << 18 | 0x1e60, 1, 2 << 18 | 0x0ac0, 5, 6]);
    assert!(looks_like(&file));
    assert_eq!(decode(&file).unwrap_err().id, "NV2A-combiner-methods");
    // With slots it is a program.
    let mut words = vec![1 << 18 | 0x1e60, 1, 4 << 18 | 0x0b00];
    words.extend([0, 0x0020_001b, 0x0836_106c, 0x2070_f801]);
    assert_eq!(decode(&bytes_of(&words)).unwrap().slots.len(), 1);
}
