//! Expectations are derived by hand from the Direct3D rules: centres at .5, row 0 at v = 0.

mod kinds;

use vecasm_exec::texture::{Texture, TextureError, sample, sample_footprint};
use vecasm_ir::ir::{Dim, Filter, Mip, SamplerState, Wrap};

/// All places of a box, x running fastest.
fn grid([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

const NEAREST: SamplerState = SamplerState::PLAIN;
const LINEAR: SamplerState = NEAREST.with_filter(Filter::Linear);
const REPEAT: SamplerState = SamplerState::PLAIN.with_wrap(Wrap::Repeat);

/// A texture whose texels are `f` of column, row and slice, in all four lanes.
fn texture(dim: Dim, size: [u32; 3], f: impl Fn(u32, u32, u32) -> f32) -> Texture {
    let slices = if dim == Dim::Cube { 6 } else { size[2] };
    let texels = grid([size[0], size[1], slices]).map(|[x, y, z]| [f(x, y, z); 4]).collect();
    Texture::from_f32(dim, size[0], size[1], size[2], vec![texels]).unwrap()
}

/// The first lane of a texel.
fn texel(t: &Texture, level: u32, x: u32, y: u32, slice: u32) -> f32 {
    f32::from_bits(t.texel(level, x, y, slice)[0])
}

fn at(t: &Texture, state: &SamplerState, u: f32, v: f32, w: f32) -> f32 {
    sample(t, state, [u, v, w], 0.0)[0]
}

#[test]
fn nearest_takes_the_texel_the_place_lies_in() {
    let t = texture(Dim::D2, [4, 2, 1], |x, y, _| (10 * y + x) as f32);
    for (u, v, expected) in [
        (0.0, 0.0, 0.0),
        (0.249, 0.499, 0.0),
        (0.25, 0.5, 11.0),
        (0.99, 0.99, 13.0),
        (1.0, 1.0, 13.0),
        (1.3, -0.2, 3.0),
        (-5.0, 7.0, 10.0),
    ] {
        assert_eq!(at(&t, &NEAREST, u, v, 0.0), expected, "({u}, {v})");
    }
    // Repeated: 1.3 is 0.3, -0.2 is 0.8, 1 is 0.
    for (u, v, expected) in [(1.3, -0.2, 11.0), (1.0, 1.0, 0.0), (-0.25, 0.5, 13.0), (-1e-9, 0.0, 0.0)] {
        assert_eq!(at(&t, &REPEAT, u, v, 0.0), expected, "({u}, {v})");
    }
}

#[test]
fn each_axis_wraps_by_itself() {
    let t = texture(Dim::D2, [2, 2, 1], |x, y, _| (10 * y + x) as f32);
    let u_repeats = SamplerState { wrap_u: Wrap::Repeat, ..NEAREST };
    let v_repeats = SamplerState { wrap_v: Wrap::Repeat, ..NEAREST };
    // 1.25 is texel 0 repeated and texel 1 clamped.
    assert_eq!(at(&t, &u_repeats, 1.25, 1.25, 0.0), 10.0);
    assert_eq!(at(&t, &v_repeats, 1.25, 1.25, 0.0), 1.0);
}

#[test]
fn linear_weighs_between_centres() {
    let t = texture(Dim::D2, [2, 2, 1], |x, y, _| (10 * y + x) as f32);
    // Centres are at 0.25 and 0.75; the middle is the mean of all four.
    assert_eq!(at(&t, &LINEAR, 0.25, 0.25, 0.0), 0.0);
    assert_eq!(at(&t, &LINEAR, 0.5, 0.5, 0.0), 5.5);
    assert_eq!(at(&t, &LINEAR, 0.375, 0.75, 0.0), 10.25);
    assert_eq!(at(&t, &LINEAR, 0.0, 0.0, 0.0), 0.0);
    // Repeated, the edge lies half way between the last and the first texel.
    let repeat = REPEAT.with_filter(Filter::Linear);
    assert_eq!(at(&t, &repeat, 0.0, 0.25, 0.0), 0.5);
    assert_eq!(at(&t, &repeat, 1.0, 1.0, 0.0), 5.5);
}

#[test]
fn volumes_have_a_third_axis() {
    let t = texture(Dim::D3, [1, 1, 4], |_, _, z| z as f32);
    assert_eq!(at(&t, &NEAREST, 0.5, 0.5, 0.6), 2.0);
    assert_eq!(at(&t, &LINEAR, 0.5, 0.5, 0.5), 1.5);
    assert_eq!(at(&t, &REPEAT, 0.5, 0.5, -0.1), 3.0);
}

#[test]
fn cube_faces_lie_as_direct3d_has_them() {
    let t = texture(Dim::Cube, [4, 4, 1], |x, y, face| (100 * face + 10 * y + x) as f32);
    // The table of Direct3D: on +X the columns run along -z and the rows along -y, and so on. A direction with one
    // component 1, one 0.6 and one -0.1 lies at s = ±0.6 or ±0.1 on its face: column or row 3, 0, 2 or 1 of 4 for
    // 0.6, -0.6, 0.1, -0.1.
    for (direction, face, column, row) in [
        ([1.0, 0.6, -0.1], 0, 2, 0),
        ([-1.0, 0.6, -0.1], 1, 1, 0),
        ([0.6, 1.0, -0.1], 2, 3, 1),
        ([0.6, -1.0, -0.1], 3, 3, 2),
        ([0.6, -0.1, 1.0], 4, 3, 2),
        ([0.6, -0.1, -1.0], 5, 0, 2),
    ] {
        let [x, y, z] = direction;
        let expected = (100 * face + 10 * row + column) as f32;
        assert_eq!(at(&t, &NEAREST, x, y, z), expected, "{direction:?}");
        // The length does not matter, nor does the wrap mode.
        assert_eq!(at(&t, &REPEAT, 8.0 * x, 8.0 * y, 8.0 * z), expected, "{direction:?}");
    }
    // Ties: z before y before x; the zero vector is the middle of +Z.
    assert_eq!((at(&t, &NEAREST, 1.0, 1.0, 1.0) / 100.0) as u32, 4);
    assert_eq!((at(&t, &NEAREST, 1.0, -1.0, 0.0) / 100.0) as u32, 3);
    assert_eq!(at(&t, &NEAREST, 0.0, 0.0, 0.0), 422.0);
}

/// Level n of the texture is n all over.
fn levels(side: u32) -> Texture {
    let levels = (0..=side.ilog2()).map(|n| vec![[n as f32; 4]; ((side >> n) * (side >> n)) as usize]);
    Texture::from_f32(Dim::D2, side, side, 1, levels.collect()).unwrap()
}

#[test]
fn levels_are_chosen_by_the_mip_mode() {
    let t = levels(8);
    for (mip, lod, expected) in [
        (Mip::None, 2.0, 0.0),
        (Mip::Nearest, 0.49, 0.0),
        (Mip::Nearest, 0.5, 1.0),
        (Mip::Nearest, 99.0, 3.0),
        (Mip::Nearest, -1.0, 0.0),
        (Mip::Nearest, f32::NAN, 0.0),
        (Mip::Linear, 1.25, 1.25),
        (Mip::Linear, 3.0, 3.0),
        (Mip::Linear, f32::INFINITY, 3.0),
        (Mip::Linear, f32::NEG_INFINITY, 0.0),
    ] {
        let state = SamplerState { mip, ..NEAREST };
        assert_eq!(sample(&t, &state, [0.5; 3], lod)[0], expected, "{mip:?} {lod}");
    }
}

#[test]
fn the_longer_derivative_decides_the_level() {
    let t = levels(64);
    let state = SamplerState { mip: Mip::Linear, ..NEAREST };
    let read = |state: &SamplerState, ddx: [f32; 3], ddy: [f32; 3], bias: f32| {
        sample_footprint(&t, state, [0.5; 3], ddx, ddy, bias)[0]
    };
    let texels = |n: f32| n / 64.0;
    let (one, eight) = ([texels(1.0), 0.0, 0.0], [0.0, texels(8.0), 0.0]);
    assert_eq!(read(&state, one, eight, 0.0), 3.0);
    assert_eq!(read(&state, eight, one, 0.5), 3.5);
    assert_eq!(read(&state, one, one, -2.0), 0.0);
    // A slanted one counts by its length, 5.
    let slanted = read(&state, [texels(3.0), texels(4.0), 0.0], one, 0.0);
    assert!((slanted - 5.0f32.log2()).abs() < 1e-5, "{slanted}");
    // With eight samples along the longer one, each covers one texel; with four, two.
    let with = |anisotropy| SamplerState { anisotropy, ..state };
    assert_eq!(read(&with(8), one, eight, 0.0), 0.0);
    assert_eq!(read(&with(16), one, eight, 0.0), 0.0);
    assert_eq!(read(&with(4), one, eight, 0.0), 1.0);
    assert_eq!(read(&with(16), eight, eight, 0.0), 3.0);
}

#[test]
fn anisotropic_samples_lie_along_the_longer_derivative() {
    // Two samples of a row 0, 1, …, 15: at 1/3 and 2/3 of a footprint of 2 texels by 1 around the centre 8.
    let t = texture(Dim::D2, [16, 1, 1], |x, _, _| x as f32);
    let state = SamplerState { anisotropy: 2, ..LINEAR };
    let got = sample_footprint(&t, &state, [0.5, 0.5, 0.0], [2.0 / 16.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.0)[0];
    // The two lie the same way left and right of the middle, whose value is 7.5, and nearest texels differ.
    assert!((got - 7.5).abs() < 1e-5, "{got}");
    let steps = state.with_filter(Filter::Nearest);
    let got = sample_footprint(&t, &steps, [0.5, 0.5, 0.0], [6.0 / 16.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.0)[0];
    // 6 texels: the samples at 8 - 1 and 8 + 1, in texels 7 and 9.
    assert_eq!(got, 8.0);
}

#[test]
fn a_cube_derivative_counts_on_the_face() {
    let faces = |n: u32| vec![[n as f32; 4]; (6 * (16 >> n) * (16 >> n)) as usize];
    let t = Texture::from_f32(Dim::Cube, 16, 16, 1, (0..5).map(faces).collect()).unwrap();
    let state = SamplerState { mip: Mip::Linear, ..NEAREST };
    // A face is 2 wide at distance 1, so 1/8 is one texel of 16, and 1/2 four. Twice as far away, half of that.
    let read = |direction, by| sample_footprint(&t, &state, direction, by, [0.0; 3], 0.0)[0];
    assert_eq!(read([0.0, 0.0, 1.0], [0.5, 0.0, 0.0]), 2.0);
    assert_eq!(read([0.0, 0.0, 2.0], [0.0, 0.5, 0.0]), 1.0);
    // Along the axis itself nothing moves in the middle of the face.
    assert_eq!(read([0.0, -1.0, 0.0], [0.0, 0.25, 0.0]), 0.0);
}

#[test]
fn generated_levels_are_means() {
    let mut t = texture(Dim::D2, [4, 2, 1], |x, y, _| (10 * y + x) as f32);
    t.generate_levels();
    assert_eq!(t.level_count(), 3);
    assert_eq!((t.size(1), t.size(2), t.size(3)), (Some([2, 1, 1]), Some([1, 1, 1]), None));
    // (0 + 1 + 10 + 11) / 4, (2 + 3 + 12 + 13) / 4, and their mean.
    assert_eq!((texel(&t, 1, 0, 0, 0), texel(&t, 1, 1, 0, 0), texel(&t, 2, 0, 0, 0)), (5.5, 7.5, 6.5));

    let mut cube = texture(Dim::Cube, [2, 2, 1], |x, y, face| (100 * face + 10 * y + x) as f32);
    cube.generate_levels();
    assert_eq!(texel(&cube, 1, 0, 0, 5), 505.5);

    let mut volume = texture(Dim::D3, [2, 2, 3], |x, y, z| (100 * z + 10 * y + x) as f32);
    volume.generate_levels();
    // Slices 0 and 1; the third one is lost.
    assert_eq!((volume.level_count(), texel(&volume, 1, 0, 0, 0)), (2, 55.5));
}

#[test]
fn every_coordinate_is_defined() {
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -1e-45, 3e9, 0.5];
    let states =
        [NEAREST, LINEAR, REPEAT, SamplerState { anisotropy: 16, ..REPEAT.with_filter(Filter::Linear) }];
    for dim in [Dim::D2, Dim::Cube, Dim::D3] {
        let size = if dim == Dim::D3 { [4, 4, 4] } else { [4, 4, 1] };
        let mut t = texture(dim, size, |x, y, z| (x + y + z) as f32);
        t.generate_levels();
        for state in states {
            for mip in [Mip::None, Mip::Nearest, Mip::Linear] {
                let state = SamplerState { mip, ..state };
                for (i, &u) in odd.iter().enumerate() {
                    for &v in &odd {
                        let w = odd[(i + 3) % odd.len()];
                        let mut colours = vec![sample(&t, &state, [u, v, w], v)];
                        colours.push(sample_footprint(&t, &state, [v, u, w], [w, u, v], [u, 1.0, v], u));
                        for colour in colours.iter().flatten() {
                            assert!((0.0..=12.0).contains(colour), "{dim:?} {state:?} {u} {v} {w}: {colour}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn texels_that_make_no_texture_are_refused() {
    let make = |dim, w, h, d, levels: &[&[u8]]| Texture::from_rgba8(dim, w, h, d, levels).err();
    assert_eq!(make(Dim::D2, 0, 1, 1, &[&[]]), Some(TextureError::Size));
    assert_eq!(make(Dim::D2, 1, u32::MAX, 1, &[&[]]), Some(TextureError::Size));
    assert_eq!(make(Dim::D2, 1, 1, 2, &[&[0; 8]]), Some(TextureError::Depth));
    assert_eq!(make(Dim::Cube, 2, 1, 1, &[&[0; 48]]), Some(TextureError::NotSquare));
    assert_eq!(make(Dim::D2, 1, 1, 1, &[]), Some(TextureError::Levels { most: 1 }));
    assert_eq!(make(Dim::D2, 1, 1, 1, &[&[0; 4], &[0; 4]]), Some(TextureError::Levels { most: 1 }));
    let wrong = TextureError::Length { level: 0, wanted: 24, given: 4 };
    assert_eq!(make(Dim::Cube, 1, 1, 1, &[&[0; 4]]), Some(wrong));
    let wrong = TextureError::Length { level: 1, wanted: 4, given: 8 };
    assert_eq!(make(Dim::D2, 2, 2, 1, &[&[0; 16], &[0; 8]]), Some(wrong));
    let t = Texture::from_rgba8(Dim::D2, 1, 1, 1, &[&[255, 0, 51, 102]]).unwrap();
    assert_eq!(t.texel(0, 0, 0, 0).map(f32::from_bits), [1.0, 0.0, 0.2, 0.4]);
}
