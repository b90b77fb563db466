//! Where the items of a token stream begin and end.

use vecasm_isa::d3d9::{ItemKind, Program};

fn kinds(words: Vec<u32>) -> Vec<(ItemKind, u32)> {
    Program::new(words, &[]).items().iter().map(|item| (item.kind, item.len)).collect()
}

#[test]
fn lengths_are_in_the_tokens_from_2_0_on() {
    use ItemKind::{Comment, Cut, End, Instruction, Stray, Tail, Version};
    // mov r0, c1; a comment of two words; end; junk.
    let words = vec![0xfffe_0200, 0x0200_0001, 0x800f_0000, 0xa0e4_0001, 0x0002_fffe, 1, 0xffff, 0xffff, 5];
    assert_eq!(kinds(words), [(Version, 1), (Instruction, 3), (Comment, 3), (End, 1), (Tail, 1)]);
    assert_eq!(kinds(vec![0xffff_0300, 0x8000_0000, 0x0500_0001, 1]), [(Version, 1), (Stray, 1), (Cut, 2)]);
}

#[test]
fn lengths_are_in_the_table_before() {
    use ItemKind::{End, Instruction, Stray, Version};
    // def with numbers that look like parameters and an end; mov with a parameter too many; an unknown code.
    let words = vec![
        0xffff_0101,
        0x51,
        0xa00f_0000,
        0xffff,
        0xbf80_0000,
        0x8000_0000,
        0,
        1,
        0x800f_0000,
        0xa0e4_0001,
        0x8000_0000,
        0x3d,
        0x8000_0001,
        0x8000_0002,
        0xffff,
    ];
    assert_eq!(
        kinds(words),
        [(Version, 1), (Instruction, 6), (Instruction, 3), (Stray, 1), (Instruction, 3), (End, 1)]
    );
    // tex has one parameter up to 1.3 and two in 1.4.
    let texture = vec![0x42, 0xb00f_0000, 0xb0e4_0000];
    assert_eq!(kinds([vec![0xffff_0101], texture.clone()].concat())[1..], [(Instruction, 2), (Stray, 1)]);
    assert_eq!(kinds([vec![0xffff_0104], texture].concat())[1..], [(Instruction, 3)]);
}
