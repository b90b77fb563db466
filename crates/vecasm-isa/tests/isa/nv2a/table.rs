//! The fields of a slot.

use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::nv2a::Field;
use vecasm_isa::nv2a::table::{mask_from_field, mask_to_field, swizzle_from_field, swizzle_to_field};

#[test]
fn fields_stand_where_the_manual_has_them() {
    // mov oPos, v0 as nv2a-vsh emits it.
    let words = [0, 0x0020_001b, 0x0836_106c, 0x2070_f800];
    for (field, value) in [
        (Field::Mac, 1),
        (Field::Ilu, 0),
        (Field::ASwz, 0x1b),
        (Field::AMux, 2),
        (Field::BMux, 2),
        (Field::CMux, 2),
        (Field::OutTempReg, 7),
        (Field::OutOMask, 15),
        (Field::OutOrb, 1),
        (Field::OutAddress, 0),
        (Field::Final, 0),
    ] {
        assert_eq!(field.get(&words), value, "{}", field.name());
    }
    // rsq r1.w, r6.x: register 6 is split over two words.
    assert_eq!(Field::CTempReg.get(&[0, 0, 0x0836_1001, 0x9011_0ff8]), 6);
}

#[test]
fn setting_is_what_getting_reads() {
    for &field in Field::ALL {
        let mut words = [0x5aa5_1234, 0xffff_0000, 0x0123_4567, 0x89ab_cdef];
        let old = words;
        let value = 0xa5a5_a5a5 & (u64::MAX >> (64 - field.width())) as u32;
        field.set(&mut words, value);
        assert_eq!(field.get(&words), value, "{}", field.name());
        field.set(&mut words, field.get(&old));
        assert_eq!(words, old, "{}", field.name());
    }
}

#[test]
fn swizzles_and_masks_have_x_on_top() {
    assert_eq!(swizzle_to_field(Swizzle::IDENTITY), 0x1b);
    assert_eq!(swizzle_from_field(0x1b), Swizzle::IDENTITY);
    assert_eq!(swizzle_from_field(0x40), Swizzle::new(1, 0, 0, 0));
    assert_eq!(mask_from_field(8), WriteMask::X);
    for bits in 0..256 {
        assert_eq!(swizzle_to_field(swizzle_from_field(bits)), bits);
        assert_eq!(mask_to_field(mask_from_field(bits)), bits & 15);
    }
}
