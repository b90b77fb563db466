//! Expectations are derived by hand from the table of `texel` and the layouts of the formats.

use vecasm_exec::image::Image;
use vecasm_exec::texture::{Extent, TextureError};
use vecasm_ir::ir::{Atomic, Dim, Format, Scalar};

fn floats(lanes: [f32; 4]) -> [u32; 4] {
    lanes.map(f32::to_bits)
}

/// A texel written and read again.
fn kept(format: Format, lanes: [f32; 4]) -> [f32; 4] {
    format.decode(&format.encode(floats(lanes))).map(f32::from_bits)
}

#[test]
fn the_table_of_formats_is_sound() {
    for &format in Format::ALL {
        let bits: u32 = format.bits().iter().map(|&b| u32::from(b)).sum();
        assert_eq!(bits, u32::from(format.bytes()) * 8, "{format:?}");
        assert!([1, 2, 4, 8, 16].contains(&format.bytes()), "{format:?}");
        let mut lanes = format.order().to_vec();
        lanes.sort_unstable();
        assert!(lanes.iter().copied().eq(0..format.lanes()), "{format:?}");
        assert_eq!(format.bits().len(), format.order().len(), "{format:?}");
        assert_eq!(Format::named(format.name()), Some(format));
    }
    let named = |name| Format::named(name).map(|f| (f.scalar(), f.lanes(), f.bytes()));
    assert_eq!(named("rgba16-float"), Some((Scalar::F32, 4, 8)));
    assert_eq!(named("rg32-sint"), Some((Scalar::I32, 2, 8)));
    assert_eq!(named("r8-uint"), Some((Scalar::U32, 1, 1)));
    assert_eq!(named("rgb10a2-unorm"), Some((Scalar::F32, 4, 4)));
}

#[test]
fn every_texel_survives_being_read_and_written() {
    // All bytes in turn; bits that no number of the channel has come back as their equal.
    for &format in Format::ALL {
        let size = usize::from(format.bytes());
        for seed in 0..=255u8 {
            let bytes: Vec<u8> = (0..size as u8).map(|i| seed.wrapping_mul(i | 1).wrapping_add(i)).collect();
            let lanes = format.decode(&bytes);
            let again = format.encode(lanes);
            let nan = format.scalar() == Scalar::F32 && lanes.iter().any(|&l| f32::from_bits(l).is_nan());
            if !nan {
                assert_eq!(format.decode(&again), lanes, "{format:?} {bytes:?}");
            }
            assert!(again.iter().skip(size).all(|&byte| byte == 0), "{format:?}");
        }
    }
}

#[test]
fn channels_lie_from_the_lowest_bit_up() {
    let of = |format: Format, lanes: [f32; 4]| {
        let bytes = format.encode(floats(lanes));
        bytes.iter().take(usize::from(format.bytes())).fold(String::new(), |mut text, byte| {
            text.push_str(&format!("{byte:02x}"));
            text
        })
    };
    assert_eq!(of(Format::Rgba8Unorm, [1.0, 0.0, 0.2, 0.6]), "ff003399");
    assert_eq!(of(Format::Bgra8Unorm, [1.0, 0.0, 0.2, 0.6]), "3300ff99");
    // 1023 | 0 << 10 | 512 << 20 | 3 << 30: 0.5 · 1023 is 511.5, which rounds to 512.
    assert_eq!(of(Format::Rgb10A2Unorm, [1.0, 0.0, 0.5, 1.0]), "ff0300e0");
    // 1.0 is exponent 15: 15 << 6, 15 << 6 << 11 and 15 << 5 << 22.
    assert_eq!(of(Format::Rg11B10Float, [1.0, 0.0, 0.0, 0.0]), "c0030000");
    assert_eq!(of(Format::Rg11B10Float, [0.0, 1.0, 0.0, 0.0]), "00001e00");
    assert_eq!(of(Format::Rg11B10Float, [0.0, 0.0, 1.0, 0.0]), "00000078");
    assert_eq!(of(Format::Rg16Float, [1.0, -2.0, 0.0, 0.0]), "003c00c0");
    assert_eq!(of(Format::Rg32Float, [1.0, -2.0, 0.0, 0.0]), "0000803f000000c0");
}

#[test]
fn what_is_missing_is_zero_and_alpha_one() {
    assert_eq!(Format::R32Float.decode(&[]), floats([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(Format::Rg8Uint.decode(&[1, 2, 3]), [1, 2, 0, 1]);
    assert_eq!(Format::Rg11B10Float.decode(&[0; 4]), floats([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(Format::Rgba8Unorm.decode(&[255]), floats([1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn fixed_point_clamps_and_rounds_to_even() {
    let byte = |format: Format, value: f32| format.encode(floats([value, 0.0, 0.0, 0.0]))[0];
    let unorm = |value| byte(Format::R8Unorm, value);
    assert_eq!(
        [-1.0, -0.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(unorm),
        [0, 0, 255, 255, 0, 0]
    );
    // 0.5 · 255 = 127.5 goes to 128, and 0.1 · 255 = 25.5 would, but the f32 nearest to 0.1 is a little larger.
    assert_eq!([0.5, 0.1, 1.0 / 255.0, 254.4 / 255.0].map(unorm), [128, 26, 1, 254]);
    // Halves go to the even number below 0 too: ∓0.5 · 127 is ∓63.5.
    let snorm = |value| byte(Format::R8Snorm, value) as i8;
    assert_eq!([-2.0, -1.0, 1.0, 0.0, -0.5, 0.5, f32::NAN].map(snorm), [-127, -127, 127, 0, -64, 64, 0]);
    assert_eq!(f32::from_bits(Format::R8Snorm.decode(&[0x80])[0]), -1.0);
    assert_eq!(f32::from_bits(Format::R8Snorm.decode(&[0x81])[0]), -1.0);
    // Two bits have thirds; 0.5 · 3 is 1.5.
    let alpha = |value: f32| Format::Rgb10A2Unorm.encode(floats([0.0, 0.0, 0.0, value]))[3] >> 6;
    assert_eq!([0.0, 0.166, 0.5, 0.17, 0.9, 1.0].map(alpha), [0, 0, 2, 1, 3, 3]);
    assert_eq!(
        kept(Format::Rgba16Unorm, [0.0, 1.0, 0.5, 0.25]),
        [0.0, 1.0, 32768.0 / 65535.0, 16384.0 / 65535.0]
    );
    assert_eq!(kept(Format::R16Snorm, [-1.0, 0.0, 0.0, 0.0])[0], -1.0);
}

#[test]
fn integers_are_clamped() {
    let unsigned = |format: Format, value: u32| format.decode(&format.encode([value, 0, 0, 0]))[0];
    assert_eq!([0, 255, 256, u32::MAX].map(|v| unsigned(Format::R8Uint, v)), [0, 255, 255, 255]);
    assert_eq!(unsigned(Format::R16Uint, 70_000), 65_535);
    assert_eq!(unsigned(Format::R32Uint, u32::MAX), u32::MAX);
    assert_eq!(
        Format::Rgb10A2Uint.decode(&Format::Rgb10A2Uint.encode([2000, 5, 1023, 9])),
        [1023, 5, 1023, 3]
    );
    let signed =
        |format: Format, value: i32| format.decode(&format.encode([value as u32, 0, 0, 0]))[0] as i32;
    assert_eq!(
        [-1, -128, -129, 127, 128, i32::MIN].map(|v| signed(Format::R8Sint, v)),
        [-1, -128, -128, 127, 127, -128]
    );
    assert_eq!([i32::MIN, i32::MAX].map(|v| signed(Format::R32Sint, v)), [i32::MIN, i32::MAX]);
    assert_eq!([i32::MIN, 40_000].map(|v| signed(Format::R16Sint, v)), [-32_768, 32_767]);
}

#[test]
fn small_floats() {
    let small = |value: f32| {
        let lanes = kept(Format::Rg11B10Float, [value, 0.0, value, 0.0]);
        (lanes[0], lanes[2])
    };
    assert_eq!(small(1.5), (1.5, 1.5));
    // The fraction has 6 and 5 bits: 1 + 1/128 and 1 + 1/64 lie in the middle and go to the even 1; 1 + 3/128 is in
    // the middle of 1 + 1/64 and the even 1 + 2/64, for 5 bits nearer to 1 + 1/32.
    assert_eq!(small(1.0 + 1.0 / 128.0), (1.0, 1.0));
    assert_eq!(small(1.0 + 1.0 / 64.0), (1.0 + 1.0 / 64.0, 1.0));
    assert_eq!(small(1.0 + 3.0 / 128.0), (1.0 + 1.0 / 32.0, 1.0 + 1.0 / 32.0));
    // The largest finite ones, 65024 and 64512; anything larger is one of them, but infinity stays.
    assert_eq!(small(65_024.0), (65_024.0, 64_512.0));
    assert_eq!(small(1e30), (65_024.0, 64_512.0));
    assert_eq!(small(f32::INFINITY), (f32::INFINITY, f32::INFINITY));
    assert_eq!([-1.0, -0.0, f32::NEG_INFINITY].map(small), [(0.0, 0.0); 3]);
    assert!(small(f32::NAN).0.is_nan() && small(-f32::NAN).1.is_nan());
    // The least ones are 2^-20 and 2^-19; half of that goes to the even 0, a little more up.
    let (least, least_blue) = ((2.0f32).powi(-20), (2.0f32).powi(-19));
    assert_eq!(small(least), (least, 0.0));
    assert_eq!(small(least * 0.5), (0.0, 0.0));
    assert_eq!(small(least * 0.75), (least, 0.0));
    assert_eq!(small(least_blue), (least_blue, least_blue));
    // The largest number below the least normal one rounds up to it.
    let normal = (2.0f32).powi(-14);
    assert_eq!(small(f32::from_bits(normal.to_bits() - 1)), (normal, normal));
    assert_eq!(kept(Format::R16Float, [65_519.0, 0.0, 0.0, 0.0])[0], 65_504.0);
    assert_eq!(kept(Format::R16Float, [65_520.0, 0.0, 0.0, 0.0])[0], f32::INFINITY);
}

/// Bytes 0, 1, 2, … in `r8-uint`.
fn numbered(dim: Dim, extent: Extent) -> Image {
    let Extent { width, height, depth, layers, samples } = extent;
    let bytes = width * height * depth * layers * samples * u32::from(dim.faces());
    Image::new(dim, Format::R8Uint, extent, (0..bytes as u8).collect()).unwrap()
}

#[test]
fn texels_have_numbers() {
    let size = |width, height, depth, layers| Extent { depth, layers, ..Extent::new(width, height) };
    let cases = [
        (Dim::D1, size(4, 1, 1, 1), [3, 9, 9, 9], 3, [4, 0, 0, 1]),
        (Dim::D2, size(4, 3, 1, 1), [3, 2, 9, 9], 11, [4, 3, 0, 1]),
        (Dim::D3, size(4, 3, 2, 1), [3, 2, 1, 9], 23, [4, 3, 2, 1]),
        (Dim::Cube, size(2, 2, 1, 1), [1, 0, 5, 9], 21, [2, 2, 0, 1]),
        (Dim::D1Array, size(4, 1, 1, 3), [1, 2, 9, 9], 9, [4, 3, 0, 1]),
        (Dim::D2Array, size(4, 3, 1, 2), [1, 2, 1, 9], 21, [4, 3, 2, 1]),
        (Dim::CubeArray, size(2, 2, 1, 2), [0, 1, 11, 9], 46, [2, 2, 2, 1]),
        (Dim::Rect, size(4, 3, 1, 1), [0, 1, 9, 9], 4, [4, 3, 0, 1]),
        (Dim::Buffer, size(9, 1, 1, 1), [8, 9, 9, 9], 8, [9, 0, 0, 1]),
    ];
    for (dim, extent, place, texel, told) in cases {
        let mut image = numbered(dim, extent);
        assert_eq!(image.load(place, 0), [texel, 0, 0, 1], "{dim:?}");
        assert_eq!(image.query_size(), told, "{dim:?}");
        image.store(place, 0, [200, 1, 2, 3]);
        let changed: Vec<usize> = (0..image.bytes().len()).filter(|&i| image.bytes()[i] == 200).collect();
        assert_eq!(changed, [texel as usize], "{dim:?}");
        // Outside in each lane that counts.
        let before = image.clone();
        for lane in 0..usize::from(dim.texel_lanes()) {
            for wrong in [-1, i32::MIN, i32::MAX, 16] {
                let mut outside = place;
                outside[lane] = wrong;
                assert_eq!(image.load(outside, 0), [0, 0, 0, 1], "{dim:?} {outside:?}");
                image.store(outside, 0, [7; 4]);
                assert_eq!(image.atomic(outside, 0, Atomic::Exchange, 7, 0), 0);
            }
        }
        assert_eq!(image, before);
    }
    let mut image = numbered(Dim::D2MsArray, Extent { samples: 4, ..size(2, 2, 1, 2) });
    assert_eq!((image.load([1, 0, 1, 9], 2)[0], image.query_size()), (22, [2, 2, 2, 4]));
    assert_eq!([-1, 4].map(|sample| image.load([1, 0, 1, 9], sample)[0]), [0, 0]);
    image.store([0, 0, 0, 0], 4, [9; 4]);
    assert_eq!(image.into_bytes().iter().filter(|&&byte| byte == 9).count(), 1);
}

#[test]
fn a_store_writes_one_texel() {
    let extent = Extent::new(2, 1);
    let mut image = Image::new(Dim::D2, Format::Rg16Uint, extent, vec![0xcc; 8]).unwrap();
    image.store([1, 0, 0, 0], 0, [0x1234, 0x5678, 9, 9]);
    assert_eq!(image.bytes(), [0xcc, 0xcc, 0xcc, 0xcc, 0x34, 0x12, 0x78, 0x56]);
    assert_eq!(image.load([1, 0, 0, 0], 0), [0x1234, 0x5678, 0, 1]);
}

#[test]
fn atomic_operations_give_the_old_word() {
    let words = [10u32, 0xffff_fff6];
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut image = Image::new(Dim::D1, Format::R32Sint, Extent::new(2, 1), bytes).unwrap();
    let mut at = |x: i32, atomic, value, other| {
        let old = image.atomic([x, 0, 0, 0], 0, atomic, value, other);
        (old, image.load([x, 0, 0, 0], 0)[0])
    };
    assert_eq!(at(0, Atomic::Add, 5, 0), (10, 15));
    assert_eq!(at(1, Atomic::MinSigned, 3, 0), (0xffff_fff6, 0xffff_fff6));
    assert_eq!(at(1, Atomic::MinUnsigned, 3, 0), (0xffff_fff6, 3));
    assert_eq!(at(0, Atomic::CompareExchange, 14, 99), (15, 15));
    assert_eq!(at(0, Atomic::CompareExchange, 15, 99), (15, 99));
    assert_eq!(at(2, Atomic::Add, 1, 0), (0, 0));
    let mut float =
        Image::new(Dim::D1, Format::R32Float, Extent::new(1, 1), 1.5f32.to_le_bytes().to_vec()).unwrap();
    assert_eq!(float.atomic([0; 4], 0, Atomic::FloatAdd, 2.0f32.to_bits(), 0), 1.5f32.to_bits());
    assert_eq!(f32::from_bits(float.load([0; 4], 0)[0]), 3.5);
    // Other formats have no such word.
    let mut other = Image::new(Dim::D1, Format::Rgba8Uint, Extent::new(1, 1), vec![1; 4]).unwrap();
    assert_eq!((other.atomic([0; 4], 0, Atomic::Add, 1, 0), other.bytes()), (0, &[1u8; 4][..]));
}

#[test]
fn bytes_that_do_not_fit_are_refused() {
    let new = |dim, format, extent, bytes: usize| Image::new(dim, format, extent, vec![0; bytes]).err();
    let wanted = Some(TextureError::Length { level: 0, wanted: 64, given: 63 });
    assert_eq!(new(Dim::D2, Format::Rgba32Float, Extent::new(2, 2), 63), wanted);
    assert_eq!(new(Dim::D2, Format::Rgba32Float, Extent::new(2, 2), 64), None);
    assert_eq!(new(Dim::Cube, Format::R8Unorm, Extent::new(2, 1), 12), Some(TextureError::NotSquare));
    let huge = Extent { width: u32::MAX, height: u32::MAX, depth: u32::MAX, layers: u32::MAX, samples: 16 };
    assert_eq!(new(Dim::D2Ms, Format::R8Unorm, huge, 0), Some(TextureError::Size));
}
