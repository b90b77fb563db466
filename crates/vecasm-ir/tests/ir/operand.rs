//! Swizzles and write masks.

use vecasm_ir::operand::{Swizzle, WriteMask};

#[test]
fn short_letters_drop_only_trailing_repeats() {
    assert_eq!(Swizzle::new(0, 1, 2, 2).short_letters(), "xyz");
    assert_eq!(Swizzle::new(0, 1, 1, 2).short_letters(), "xyyz");
    assert_eq!(Swizzle::splat(3).short_letters(), "w");
    assert!(Swizzle::splat(2).is_scalar());
    assert!(!Swizzle::IDENTITY.is_scalar());
}

#[test]
fn lanes_of_a_mask_move_together() {
    let swizzle = Swizzle::new(3, 1, 0, 2);
    assert_eq!(swizzle.together(WriteMask::from_bits(0b1010)), Swizzle::new(1, 2, 2, 2));
    assert_eq!(swizzle.together(WriteMask::ALL), swizzle);
    assert_eq!(swizzle.together(WriteMask::NONE), swizzle);
}

#[test]
fn masks_are_of_the_first_lanes_or_of_one() {
    assert_eq!([0, 1, 3, 4, 5, 255].map(|n| WriteMask::first(n).bits()), [0, 1, 7, 15, 15, 15]);
    assert_eq!([0, 1, 2, 3].map(|n| WriteMask::lane(n).bits()), [1, 2, 4, 8]);
}

#[test]
fn read_mask_follows_the_swizzle() {
    assert_eq!(Swizzle::new(3, 0, 0, 0).read_mask(WriteMask::X), WriteMask::from_bits(8));
}
