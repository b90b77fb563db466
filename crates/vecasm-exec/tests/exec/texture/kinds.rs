//! Every dimension, wrap mode and operation. Texels have recognizable values, so that an expectation can be read off.

use super::grid;
use vecasm_exec::texture::{Detail, Extent, Gradients, Request, Texture, TextureError, sample_position};
use vecasm_ir::ir::{
    Compare, Dim, Filter, FloatBits, Mip, OutOfRange, SamplerModel, SamplerState, Scalar, Wrap,
};

const NEAREST: SamplerState = SamplerState::PLAIN;
const LINEAR: SamplerState = NEAREST.with_filter(Filter::Linear);
const STILL: Gradients = Gradients { ddx: [0.0; 3], ddy: [0.0; 3] };

/// The number of a texel: slice, row, column as decimal digits, samples behind the point.
fn number(x: u32, y: u32, slice: u32) -> f32 {
    (100 * slice + 10 * y + x) as f32
}

/// A texture of one level with numbered texels, lane `i` being `i / 10` more; `extent.samples` are 1/32 apart.
fn numbered(dim: Dim, extent: Extent) -> Texture {
    let slices = extent.depth * extent.layers * u32::from(dim.faces());
    let mut texels = Vec::new();
    for [x, y, slice] in grid([extent.width, extent.height, slices]) {
        for sample in 0..extent.samples {
            let value = number(x, y, slice) + sample as f32 / 32.0;
            texels.push([0.0, 0.25, 0.5, 0.75].map(|lane| (value + lane).to_bits()));
        }
    }
    Texture::new(dim, Scalar::F32, extent, vec![texels]).unwrap()
}

fn extent(width: u32, height: u32, depth: u32, layers: u32) -> Extent {
    Extent { depth, layers, ..Extent::new(width, height) }
}

/// The first lane at level 0.
fn at(t: &Texture, state: &SamplerState, coord: [f32; 4]) -> f32 {
    f32::from_bits(t.sample(state, &Request::new(coord, Detail::Level(0.0)))[0])
}

#[test]
fn each_dimension_reads_its_texel() {
    let d1 = numbered(Dim::D1, extent(4, 1, 1, 1));
    assert_eq!(at(&d1, &NEAREST, [0.6, 9.0, 9.0, 9.0]), 2.0);
    // Between the centres of texels 1 and 2, at 1.5 / 4 and 2.5 / 4.
    assert_eq!(at(&d1, &LINEAR, [0.5, 9.0, 9.0, 9.0]), 1.5);
    let d2 = numbered(Dim::D2, extent(4, 2, 1, 1));
    assert_eq!(at(&d2, &NEAREST, [0.6, 0.6, 9.0, 9.0]), 12.0);
    let d3 = numbered(Dim::D3, extent(2, 2, 2, 1));
    assert_eq!(at(&d3, &NEAREST, [0.6, 0.1, 0.9, 9.0]), 101.0);
    assert_eq!(at(&d3, &LINEAR, [0.5, 0.5, 0.5, 9.0]), 55.5);
    let cube = numbered(Dim::Cube, extent(2, 2, 1, 1));
    // −X looks along −x with z to the right: right of and above the middle.
    assert_eq!(at(&cube, &NEAREST, [-1.0, 0.5, 0.5, 9.0]), 101.0);
    let rect = numbered(Dim::Rect, extent(4, 2, 1, 1));
    assert_eq!(at(&rect, &NEAREST, [2.9, 1.0, 9.0, 9.0]), 12.0);
    assert_eq!(at(&rect, &LINEAR, [2.0, 0.5, 9.0, 9.0]), 1.5);
    assert_eq!(at(&rect, &NEAREST, [7.0, -7.0, 9.0, 9.0]), 3.0);
    let repeating = NEAREST.with_wrap(Wrap::Repeat);
    assert_eq!(at(&rect, &repeating, [6.5, -0.5, 9.0, 9.0]), 12.0);
    let samples = Extent { samples: 4, ..extent(2, 2, 1, 1) };
    assert_eq!(at(&numbered(Dim::D2Ms, samples), &NEAREST, [0.9, 0.9, 0.0, 0.0]), 11.0);
}

#[test]
fn layers_are_rounded_and_clamped() {
    let lines = numbered(Dim::D1Array, extent(2, 1, 1, 3));
    let layer = |l: f32| at(&lines, &LINEAR, [0.75, l, 9.0, 9.0]);
    assert_eq!(
        [-7.0, 0.49, 0.5, 1.49, 2.5, f32::NAN, f32::INFINITY].map(layer),
        [1.0, 1.0, 101.0, 101.0, 201.0, 1.0, 201.0]
    );
    let planes = numbered(Dim::D2Array, extent(2, 2, 1, 2));
    assert_eq!(at(&planes, &NEAREST, [0.1, 0.9, 1.0, 9.0]), 110.0);
    // Six faces a layer: −Y of layer 1 is slice 9.
    let cubes = numbered(Dim::CubeArray, extent(2, 2, 1, 2));
    assert_eq!(at(&cubes, &NEAREST, [0.5, -1.0, 0.5, 0.9]), 901.0);
}

/// A line of four texels 0, 1, 2, 3 with a border of 9.
fn line(wrap: Wrap) -> (Texture, SamplerState) {
    let border = [9.0f32.to_bits(); 4];
    (numbered(Dim::D1, extent(4, 1, 1, 1)), SamplerState { border, ..NEAREST.with_wrap(wrap) })
}

#[test]
fn wrap_modes_choose_texels() {
    // At the centres of the places -5 to 8, texels 0 to 3 lying at 0 to 3.
    let cases: [(Wrap, [f32; 14]); 8] = [
        (Wrap::Clamp, [0., 0., 0., 0., 0., 0., 1., 2., 3., 3., 3., 3., 3., 3.]),
        (Wrap::Repeat, [3., 0., 1., 2., 3., 0., 1., 2., 3., 0., 1., 2., 3., 0.]),
        (Wrap::Mirror, [3., 3., 2., 1., 0., 0., 1., 2., 3., 3., 2., 1., 0., 0.]),
        (Wrap::MirrorOnce, [3., 3., 2., 1., 0., 0., 1., 2., 3., 3., 3., 3., 3., 3.]),
        (Wrap::Border, [9., 9., 9., 9., 9., 0., 1., 2., 3., 9., 9., 9., 9., 9.]),
        (Wrap::MirrorOnceBorder, [9., 3., 2., 1., 0., 0., 1., 2., 3., 9., 9., 9., 9., 9.]),
        (Wrap::ClampHalf, [0., 0., 0., 0., 0., 0., 1., 2., 3., 3., 3., 3., 3., 3.]),
        (Wrap::MirrorOnceHalf, [3., 3., 2., 1., 0., 0., 1., 2., 3., 3., 3., 3., 3., 3.]),
    ];
    assert_eq!(cases.len(), Wrap::ALL.len());
    for (wrap, expected) in cases {
        let (t, state) = line(wrap);
        for model in [SamplerModel::EXACT, SamplerModel::SOFTPIPE] {
            let state = SamplerState { model, ..state };
            let places: Vec<f32> =
                (-5..=8).map(|i| at(&t, &state, [(i as f32 + 0.5) / 4.0, 0.0, 0.0, 0.0])).collect();
            assert_eq!(places, expected, "{wrap:?} {model:?}");
            // An offset of two texels is two places further.
            for (i, want) in (-5i16..=6).zip(&expected[2..]) {
                let coord = [(f32::from(i) + 0.5) / 4.0, 0.0, 0.0, 0.0];
                let offset = [2, 0, 0];
                let request = Request { offset, ..Request::new(coord, Detail::Level(0.0)) };
                assert_eq!(f32::from_bits(t.sample(&state, &request)[0]), *want, "{wrap:?} {i} offset");
            }
        }
    }
}

#[test]
fn a_linear_filter_weighs_wrapped_texels() {
    // At -0.25 texels: a quarter of texel 0 and three of what is left of it, that is, of the place -1.
    let left = |wrap| {
        let (t, state) = line(wrap);
        at(&t, &state.with_filter(Filter::Linear), [-0.25 / 4.0, 0.0, 0.0, 0.0])
    };
    assert_eq!(left(Wrap::Clamp), 0.0);
    assert_eq!(left(Wrap::Repeat), 0.75 * 3.0);
    assert_eq!(left(Wrap::Mirror), 0.0);
    assert_eq!(left(Wrap::Border), 0.75 * 9.0);
    // The coordinate is clamped to 0, half way between texel 0 and the border.
    assert_eq!(left(Wrap::ClampHalf), 4.5);
    // Mirrored about 0, the neighbour of texel 0 is itself.
    assert_eq!(left(Wrap::MirrorOnceHalf), 0.0);
    // At 5.25 texels, 1.25 beyond the right edge.
    let right = |wrap| {
        let (t, state) = line(wrap);
        at(&t, &state.with_filter(Filter::Linear), [5.25 / 4.0, 0.0, 0.0, 0.0])
    };
    assert_eq!(right(Wrap::Repeat), 0.75);
    // Places 4 and 5 are texels 3 and 2.
    assert_eq!(right(Wrap::Mirror), 3.0 * 0.25 + 2.0 * 0.75);
    assert_eq!(right(Wrap::Border), 9.0);
    assert_eq!(right(Wrap::ClampHalf), 6.0);
    assert_eq!(right(Wrap::MirrorOnceHalf), 6.0);
}

#[test]
fn every_axis_has_its_wrap_mode() {
    let t = numbered(Dim::D3, extent(2, 2, 2, 1));
    let border = [9.0f32.to_bits(); 4];
    let state = SamplerState { wrap_v: Wrap::Repeat, wrap_w: Wrap::Border, border, ..NEAREST };
    assert_eq!(at(&t, &state, [1.75, 1.25, 0.75, 0.0]), 101.0);
    assert_eq!(at(&t, &state, [1.75, 1.25, 1.25, 0.0]), 9.0);
    // Integers take the bits of the border.
    let one = Texture::new(Dim::D1, Scalar::I32, Extent::new(1, 1), vec![vec![[7; 4]]]).unwrap();
    let state = SamplerState { border: [1, 2, 3, 4], ..NEAREST.with_wrap(Wrap::Border) };
    assert_eq!(one.sample(&state, &Request::new([2.0, 0.0, 0.0, 0.0], Detail::Level(0.0))), [1, 2, 3, 4]);
}

/// Level n of this texture of 8×8 is n all over, but texel (1, 0) of level 0, which is 10.
fn levels(dim: Dim, layers: u32) -> Texture {
    let slices = layers * u32::from(dim.faces());
    let texels = |n: u32| vec![[(n as f32).to_bits(); 4]; ((8 >> n) * (8 >> n) * slices) as usize];
    let mut levels: Vec<_> = (0..4).map(texels).collect();
    levels[0][1] = [10.0f32.to_bits(); 4];
    Texture::new(dim, Scalar::F32, extent(8, 8, 1, layers), levels).unwrap()
}

#[test]
fn bias_limits_and_filters_follow_the_level_of_detail() {
    let t = levels(Dim::D2, 1);
    let read = |state: &SamplerState, detail| {
        // Between texels 0 and 1 of the first row: 5 if filtered, 10 if not.
        f32::from_bits(t.sample(state, &Request::new([0.125, 0.0625, 0.0, 0.0], detail))[0])
    };
    let state = SamplerState { mip: Mip::Linear, ..NEAREST };
    let level = |lod| Detail::Level(lod);
    assert_eq!(read(&state, level(2.25)), 2.25);
    let biased = SamplerState { lod_bias: FloatBits::new(-1.0), ..state };
    assert_eq!(read(&biased, level(2.25)), 1.25);
    let bounded = SamplerState { min_lod: FloatBits::new(1.5), max_lod: FloatBits::new(2.5), ..state };
    assert_eq!([0.0, 2.0, 3.0, f32::NEG_INFINITY].map(|l| read(&bounded, level(l))), [1.5, 2.0, 2.5, 1.5]);
    // The limits come behind the bias.
    let both = SamplerState { lod_bias: FloatBits::new(9.0), ..bounded };
    assert_eq!(read(&both, level(0.0)), 2.5);
    // Above 0 the filter of minification.
    let split = SamplerState { mag: Filter::Linear, mip: Mip::None, ..NEAREST };
    assert_eq!([-1.0, 0.0, 0.001, 5.0].map(|l| read(&split, level(l))), [5.0, 5.0, 10.0, 10.0]);
    let split = SamplerState { min: Filter::Linear, mip: Mip::None, ..NEAREST };
    assert_eq!([0.0, 5.0].map(|l| read(&split, level(l))), [10.0, 5.0]);

    // Four texels a pixel: level 2. The largest component of (3, 4) texels is 4, its length 5.
    let by = |x: f32, y: f32| Gradients { ddx: [x / 8.0, y / 8.0, 77.0], ddy: [0.0; 3] };
    assert_eq!(read(&state, Detail::Implicit { by: by(4.0, 0.0), bias: 0.5 }), 2.5);
    assert_eq!(read(&biased, Detail::Implicit { by: by(4.0, 0.0), bias: 0.5 }), 1.5);
    assert_eq!(read(&biased, Detail::Explicit(by(4.0, 0.0))), 1.0);
    let got = read(&state, Detail::Explicit(by(3.0, 4.0)));
    assert!((got - 5.0f32.log2()).abs() < 1e-6, "{got}");
    let softpipe = SamplerState { model: SamplerModel::SOFTPIPE, ..biased };
    assert_eq!(read(&softpipe, Detail::Explicit(by(3.0, 4.0))), 2.0);
    assert_eq!(read(&softpipe, Detail::Implicit { by: by(3.0, 4.0), bias: 0.0 }), 1.0);
}

#[test]
fn gradients_of_arrays_cubes_and_rectangles() {
    let state = SamplerState { mip: Mip::Linear, ..NEAREST };
    let read = |t: &Texture, coord, ddx| {
        let by = Gradients { ddx, ddy: [0.0; 3] };
        f32::from_bits(t.sample(&state, &Request::new(coord, Detail::Explicit(by)))[0])
    };
    // The layer does not count.
    let planes = levels(Dim::D2Array, 2);
    assert_eq!(read(&planes, [0.7, 0.7, 1.0, 0.0], [0.25, 0.0, 9.0]), 1.0);
    // A face is two units wide, so 1/2 is two texels of 8; the direction itself is no change of place.
    let cubes = levels(Dim::CubeArray, 2);
    assert_eq!(read(&cubes, [0.0, 0.0, 1.0, 1.0], [0.5, 0.0, 0.0]), 1.0);
    assert_eq!(read(&cubes, [0.0, 0.0, 2.0, 1.0], [0.0, 2.0, 3.0]), 2.0);
    // A rectangle is in texels and has one level: only the filter tells.
    let rect = numbered(Dim::Rect, extent(4, 1, 1, 1));
    let split = SamplerState { min: Filter::Linear, ..NEAREST };
    let texel = |by: f32| {
        let by = Gradients { ddx: [by, 0.0, 0.0], ddy: [0.0; 3] };
        f32::from_bits(rect.sample(&split, &Request::new([2.0, 0.0, 0.0, 0.0], Detail::Explicit(by)))[0])
    };
    assert_eq!([1.0, 1.5].map(texel), [2.0, 1.5]);
}

#[test]
fn comparisons_come_before_weights() {
    // Depths 0, 1, 2, 3; the reference 1.5 is below 2 and 3.
    let depths = numbered(Dim::D1, extent(4, 1, 1, 1));
    let read = |state: &SamplerState, u: f32, reference| {
        let request = Request { reference, ..Request::new([u, 0.0, 0.0, 0.0], Detail::Level(0.0)) };
        depths.sample(state, &request).map(f32::from_bits)
    };
    let compare = |compare| SamplerState { compare: Some(compare), ..LINEAR };
    // A quarter on from the centre of texel 1: 3/4 of texel 1 (no) and 1/4 of texel 2 (yes).
    assert_eq!(read(&compare(Compare::Less), 1.75 / 4.0, Some(1.5)), [0.25; 4]);
    assert_eq!(read(&compare(Compare::GreaterEqual), 1.75 / 4.0, Some(1.5)), [0.75; 4]);
    // Softpipe weighs first: the depth is 1.25.
    let softpipe = |c| SamplerState { model: SamplerModel::SOFTPIPE, ..compare(c) };
    assert_eq!(read(&softpipe(Compare::Less), 1.75 / 4.0, Some(1.5)), [0.0; 4]);
    assert_eq!(read(&softpipe(Compare::Less), 1.75 / 4.0, Some(1.125)), [1.0; 4]);
    // The nearest texel is 1; without a reference, or a sampler that compares, it is read.
    let nearest = compare(Compare::Equal).with_filter(Filter::Nearest);
    assert_eq!(read(&nearest, 1.75 / 4.0, Some(1.0)), [1.0; 4]);
    assert_eq!(read(&nearest, 1.75 / 4.0, None), [1.0, 1.25, 1.5, 1.75]);
    assert_eq!(read(&NEAREST, 1.75 / 4.0, Some(1.0)), [1.0, 1.25, 1.5, 1.75]);
    // Levels are weighed too: level 0 holds 0 (0 < 0.5 does not hold), level 1 holds 1.
    let t = levels(Dim::Cube, 1);
    let state = SamplerState { mip: Mip::Linear, ..compare(Compare::Less) };
    let request = Request { reference: Some(0.5), ..Request::new([0.0, 0.0, 1.0, 0.0], Detail::Level(0.25)) };
    assert_eq!(f32::from_bits(t.sample(&state, &request)[0]), 0.25);
}

#[test]
fn gathering_goes_round_from_the_lower_left() {
    let t = numbered(Dim::D2, extent(4, 4, 1, 1));
    let gather = |state: &SamplerState, coord: [f32; 2], offset, lane, reference| {
        t.gather(state, [coord[0], coord[1], 0.0, 0.0], offset, lane, reference).map(f32::from_bits)
    };
    // Around (2, 2): columns and rows 1 and 2, whatever the filter.
    assert_eq!(gather(&NEAREST, [0.5, 0.5], [0; 3], 0, None), [21.0, 22.0, 12.0, 11.0]);
    assert_eq!(gather(&LINEAR, [0.5, 0.5], [0; 3], 3, None), [21.75, 22.75, 12.75, 11.75]);
    assert_eq!(gather(&NEAREST, [0.5, 0.5], [1, -1, 0], 0, None), [12.0, 13.0, 3.0, 2.0]);
    assert_eq!(gather(&NEAREST, [0.0, 0.0], [0; 3], 0, None), [0.0; 4]);
    let repeat = NEAREST.with_wrap(Wrap::Repeat);
    assert_eq!(gather(&repeat, [0.0, 0.0], [0; 3], 0, None), [3.0, 0.0, 30.0, 33.0]);
    let compare = SamplerState { compare: Some(Compare::Less), ..NEAREST };
    assert_eq!(gather(&compare, [0.5, 0.5], [0; 3], 2, Some(12.0)), [1.0, 1.0, 0.0, 0.0]);
    // A layer of an array, and a face of a cube.
    let planes = numbered(Dim::D2Array, extent(2, 2, 1, 2));
    let got = planes.gather(&NEAREST, [0.5, 0.5, 1.0, 0.0], [0; 3], 0, None).map(f32::from_bits);
    assert_eq!(got, [110.0, 111.0, 101.0, 100.0]);
    let cube = numbered(Dim::Cube, extent(2, 2, 1, 1));
    let got = cube.gather(&NEAREST, [0.0, 0.0, -1.0, 0.0], [0; 3], 0, None).map(f32::from_bits);
    assert_eq!(got, [510.0, 511.0, 501.0, 500.0]);
    let ints = Texture::new(Dim::D2, Scalar::U32, Extent::new(2, 1), vec![vec![[1, 2, 3, 4], [5, 6, 7, 8]]]);
    assert_eq!(ints.unwrap().gather(&NEAREST, [0.5, 0.5, 0.0, 0.0], [0; 3], 1, None), [2, 6, 6, 2]);
}

#[test]
fn fetching_takes_numbers() {
    let fetch = |dim, extent: Extent, place, level, sample, rule| {
        f32::from_bits(numbered(dim, extent).fetch(place, level, sample, rule)[0])
    };
    let zero = OutOfRange::Zero;
    let size = extent(4, 4, 1, 1);
    assert_eq!(fetch(Dim::D2, size, [3, 2, 99, 99], 0, 0, zero), 23.0);
    assert_eq!(fetch(Dim::D1, extent(4, 1, 1, 1), [3, 99, 99, 99], 0, 0, zero), 3.0);
    assert_eq!(fetch(Dim::D1Array, extent(4, 1, 1, 3), [3, 2, 99, 99], 0, 0, zero), 203.0);
    assert_eq!(fetch(Dim::D2Array, extent(4, 4, 1, 3), [3, 2, 1, 99], 0, 0, zero), 123.0);
    assert_eq!(fetch(Dim::D3, extent(2, 2, 2, 1), [1, 0, 1, 99], 0, 0, zero), 101.0);
    assert_eq!(fetch(Dim::Cube, size, [3, 2, 5, 99], 0, 0, zero), 523.0);
    assert_eq!(fetch(Dim::CubeArray, extent(2, 2, 1, 2), [1, 0, 11, 99], 0, 0, zero), 1101.0);
    assert_eq!(fetch(Dim::Rect, size, [1, 3, 99, 99], 0, 0, zero), 31.0);
    let samples = |dim, layers, place, sample| {
        fetch(dim, Extent { samples: 8, ..extent(2, 2, 1, layers) }, place, 0, sample, zero)
    };
    assert_eq!(samples(Dim::D2Ms, 1, [1, 1, 99, 99], 4), 11.125);
    assert_eq!(samples(Dim::D2MsArray, 2, [1, 0, 1, 99], 7), 101.21875);
    let buffer: Vec<[u32; 4]> = (0..20_000).map(|i| [i; 4]).collect();
    let buffer = Texture::new(Dim::Buffer, Scalar::U32, Extent::new(20_000, 1), vec![buffer]).unwrap();
    assert_eq!(buffer.fetch([19_999, 9, 9, 9], 0, 0, zero), [19_999; 4]);

    // Outside: zero in every lane, or the nearest one.
    for (place, level, sample, clamped) in [
        ([-1, 2, 0, 0], 0, 0, 20.0),
        ([4, 2, 0, 0], 0, 0, 23.0),
        ([0, i32::MAX, 0, 0], 0, 0, 30.0),
        ([1, i32::MIN, 0, 0], 0, 0, 1.0),
        ([1, 1, 0, 0], 1, 0, 11.0),
        ([1, 1, 0, 0], -1, 0, 11.0),
        ([1, 1, 0, 0], 0, 1, 11.0),
        ([1, 1, 0, 0], 0, -1, 11.0),
    ] {
        assert_eq!(numbered(Dim::D2, size).fetch(place, level, sample, zero), [0; 4], "{place:?}");
        assert_eq!(fetch(Dim::D2, size, place, level, sample, OutOfRange::Clamp), clamped, "{place:?}");
    }
}

#[test]
fn sizes_have_the_lanes_of_their_dimension() {
    let size = |dim, extent: Extent| numbered(dim, extent).query_size(0);
    assert_eq!(size(Dim::D1, extent(5, 1, 1, 1)), [5, 0, 0, 1]);
    assert_eq!(size(Dim::D2, extent(5, 6, 1, 1)), [5, 6, 0, 1]);
    assert_eq!(size(Dim::D3, extent(5, 6, 7, 1)), [5, 6, 7, 1]);
    assert_eq!(size(Dim::Cube, extent(5, 5, 1, 1)), [5, 5, 0, 1]);
    assert_eq!(size(Dim::D1Array, extent(5, 1, 1, 8)), [5, 8, 0, 1]);
    assert_eq!(size(Dim::D2Array, extent(5, 6, 1, 8)), [5, 6, 8, 1]);
    assert_eq!(size(Dim::CubeArray, extent(5, 5, 1, 8)), [5, 5, 8, 1]);
    assert_eq!(size(Dim::Rect, extent(5, 6, 1, 1)), [5, 6, 0, 1]);
    assert_eq!(size(Dim::Buffer, extent(5, 1, 1, 1)), [5, 0, 0, 1]);
    assert_eq!(size(Dim::D2Ms, extent(5, 6, 1, 1)), [5, 6, 0, 1]);
    assert_eq!(size(Dim::D2MsArray, extent(5, 6, 1, 8)), [5, 6, 8, 1]);
    // Layers stay, sides are halved, and a level that is not there has no size.
    let t = levels(Dim::D2Array, 3);
    assert_eq!(
        [1, 3, 4, -1].map(|l| t.query_size(l)),
        [[4, 4, 3, 4], [1, 1, 3, 4], [0, 0, 0, 4], [0, 0, 0, 4]]
    );
    assert_eq!((t.layers(), t.samples()), (3, 1));
    let samples = Extent { samples: 8, ..extent(2, 2, 1, 1) };
    assert_eq!(numbered(Dim::D2Ms, samples).samples(), 8);
}

#[test]
fn the_level_of_detail_is_told() {
    let t = levels(Dim::D2, 1);
    let by = |texels: f32| Gradients { ddx: [texels / 8.0, 0.0, 0.0], ddy: [0.0; 3] };
    let query = |state: &SamplerState, texels| t.query_lod(state, [0.5, 0.5, 0.0, 0.0], by(texels));
    let linear = SamplerState { mip: Mip::Linear, lod_bias: FloatBits::new(0.25), ..NEAREST };
    assert_eq!(query(&linear, 2.0), [1.25, 1.25]);
    assert_eq!(query(&linear, 64.0), [3.0, 6.25]);
    assert_eq!(query(&linear, 0.0), [0.0, f32::NEG_INFINITY]);
    let nearest = SamplerState { mip: Mip::Nearest, ..linear };
    assert_eq!(query(&nearest, 2.0), [1.0, 1.25]);
    let bounded = SamplerState { max_lod: FloatBits::new(0.5), mip: Mip::Linear, ..NEAREST };
    assert_eq!(query(&bounded, 4.0), [0.5, 2.0]);
    assert_eq!(query(&NEAREST, 4.0), [0.0, 2.0]);
}

#[test]
fn a_seamless_cube_has_no_edges() {
    // Faces of 2×2, the value being the number of the face.
    let texels = (0..6u32).flat_map(|face| [[(face as f32).to_bits(); 4]; 4]).collect();
    let cube = Texture::new(Dim::Cube, Scalar::F32, Extent::new(2, 2), vec![texels]).unwrap();
    let seamless = SamplerState { seamless: true, ..LINEAR };
    // On the edge between +Z (4) and +X (0); by the rule for ties the face is +Z.
    assert_eq!(at(&cube, &seamless, [1.0, 0.0, 1.0, 0.0]), 2.0);
    assert_eq!(at(&cube, &LINEAR, [1.0, 0.0, 1.0, 0.0]), 4.0);
    // On +X, towards −Y (3): the last quarter of a texel has 1/4 of the neighbour.
    assert_eq!(at(&cube, &seamless, [1.0, -0.75, 0.0, 0.0]), 0.75);
    // In the corner of +Z, +X and +Y: each weighs 1/4, and the missing texel is the mean of 4, 0 and 2.
    assert_eq!(at(&cube, &seamless, [1.0, 1.0, 1.0, 0.0]), (4.0 + 0.0 + 2.0 + 2.0) / 4.0);
    // Nearest texels do not care.
    assert_eq!(at(&cube, &SamplerState { seamless: true, ..NEAREST }, [1.0, 0.0, 1.0, 0.0]), 4.0);
}

#[test]
fn integers_are_never_weighed() {
    let levels = vec![vec![[1, 2, 3, u32::MAX], [5, 6, 7, 8]], vec![[9; 4]]];
    let t = Texture::new(Dim::D2, Scalar::I32, Extent::new(2, 1), levels).unwrap();
    let state = SamplerState { mip: Mip::Linear, ..LINEAR };
    let read = |u, lod| t.sample(&state, &Request::new([u, 0.5, 0.0, 0.0], Detail::Level(lod)));
    assert_eq!(
        [(0.4, 0.0), (0.6, 0.49), (0.6, 0.5)].map(|(u, lod)| read(u, lod)),
        [[1, 2, 3, u32::MAX], [5, 6, 7, 8], [9; 4]]
    );
    let mut same = t.clone();
    same.generate_levels();
    assert_eq!(same, t);
}

#[test]
fn sample_positions_are_those_of_direct3d() {
    assert_eq!(sample_position(1, 0), [0.0, 0.0]);
    assert_eq!([0, 1].map(|i| sample_position(2, i)), [[0.25, 0.25], [-0.25, -0.25]]);
    // In a rotated grid each row and each column of sixteenths has at most one sample.
    for samples in [2u32, 4, 8, 16] {
        let places: Vec<[u32; 2]> =
            (0..samples).map(|i| sample_position(samples, i).map(|v| (v * 16.0 + 8.0) as u32)).collect();
        for axis in 0..2 {
            let mut used: Vec<u32> = places.iter().map(|p| p[axis]).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), samples as usize, "{samples} samples: {places:?}");
        }
    }
    assert_eq!([sample_position(3, 0), sample_position(4, 4)], [[0.0; 2]; 2]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let new = |dim, extent: Extent, scalar, texels: &[usize]| {
        let levels = texels.iter().map(|n| vec![[0; 4]; *n]).collect();
        Texture::new(dim, scalar, extent, levels).err()
    };
    let f32 = Scalar::F32;
    assert_eq!(new(Dim::D1, extent(2, 2, 1, 1), f32, &[4]), Some(TextureError::Height));
    assert_eq!(new(Dim::D2Array, extent(2, 2, 2, 1), f32, &[8]), Some(TextureError::Depth));
    assert_eq!(new(Dim::D2, extent(2, 2, 1, 2), f32, &[8]), Some(TextureError::Layers));
    assert_eq!(new(Dim::D2Array, extent(2, 2, 1, 0), f32, &[0]), Some(TextureError::Layers));
    assert_eq!(new(Dim::D2Array, extent(1, 1, 1, 2049), f32, &[2049]), Some(TextureError::Layers));
    assert_eq!(new(Dim::CubeArray, extent(2, 1, 1, 2), f32, &[24]), Some(TextureError::NotSquare));
    assert_eq!(
        new(Dim::D2, Extent { samples: 2, ..extent(1, 1, 1, 1) }, f32, &[2]),
        Some(TextureError::Samples)
    );
    assert_eq!(
        new(Dim::D2Ms, Extent { samples: 3, ..extent(1, 1, 1, 1) }, f32, &[3]),
        Some(TextureError::Samples)
    );
    assert_eq!(new(Dim::D2, extent(1, 1, 1, 1), Scalar::Bool, &[1]), Some(TextureError::Scalar));
    assert_eq!(new(Dim::Rect, extent(2, 2, 1, 1), f32, &[4, 1]), Some(TextureError::Levels { most: 1 }));
    assert_eq!(new(Dim::Buffer, extent(20_000, 1, 1, 1), f32, &[20_000]), None);
    assert_eq!(new(Dim::D1, extent(20_000, 1, 1, 1), f32, &[20_000]), Some(TextureError::Size));
    let wanted = Some(TextureError::Length { level: 1, wanted: 12, given: 11 });
    assert_eq!(new(Dim::CubeArray, extent(2, 2, 1, 2), f32, &[48, 11]), wanted);
    let wanted = Some(TextureError::Length { level: 0, wanted: 8, given: 4 });
    assert_eq!(new(Dim::D2Ms, Extent { samples: 2, ..extent(2, 2, 1, 1) }, f32, &[4]), wanted);
}

#[test]
fn nothing_hostile_panics() {
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 3e9, 0.5];
    let offsets = [0, 1, -8, i32::MIN, i32::MAX];
    let mut read = 0u32;
    for &dim in Dim::ALL {
        let side = if dim.axes() > 1 { 4 } else { 1 };
        let samples = if dim.multisampled() { 4 } else { 1 };
        let depth = if dim == Dim::D3 { 3 } else { 1 };
        let layers = if dim.arrayed() { 2 } else { 1 };
        let mut t = numbered(dim, Extent { width: 4, height: side, depth, layers, samples });
        t.generate_levels();
        for (i, &wrap) in Wrap::ALL.iter().enumerate() {
            for model in [SamplerModel::EXACT, SamplerModel::SOFTPIPE] {
                for (j, &u) in odd.iter().enumerate() {
                    let coord = [u, odd[(i + j) % 9], odd[(2 * i + j + 3) % 9], odd[(j + 5) % 9]];
                    let state = SamplerState {
                        mip: Mip::ALL[j % 3],
                        mag: Filter::ALL[i % 2],
                        anisotropy: [1, 16, 255][j % 3],
                        lod_bias: FloatBits::new(odd[(i + 2 * j) % 9]),
                        min_lod: FloatBits::new(odd[(i + 7) % 9]),
                        max_lod: FloatBits::new(odd[(j + 4) % 9]),
                        compare: Compare::ALL.get(j).copied(),
                        seamless: j % 2 == 0,
                        model,
                        ..LINEAR.with_wrap(wrap)
                    };
                    for (k, &n) in offsets.iter().enumerate() {
                        let offset = [n, offsets[(k + 1) % 5], offsets[(k + j) % 5]];
                        let by = Gradients { ddx: [odd[k], u, 1.0], ddy: [odd[k + 2], odd[k + 4], u] };
                        let reference = [None, Some(u)][k % 2];
                        for detail in [
                            Detail::Level(odd[k + 1]),
                            Detail::Implicit { by, bias: odd[k + 3] },
                            Detail::Explicit(by),
                        ] {
                            t.sample(&state, &Request { coord, detail, offset, reference });
                            read += 1;
                        }
                        t.gather(&state, coord, offset, k as u8, reference);
                        t.query_lod(&state, coord, by);
                        for rule in [OutOfRange::Zero, OutOfRange::Clamp] {
                            t.fetch([n, offset[1], offset[2], n], offset[1], offset[2], rule);
                        }
                        t.query_size(n);
                    }
                }
            }
        }
        let request = Request::new([f32::NAN; 4], Detail::Implicit { by: STILL, bias: f32::NAN });
        // Coordinates that are no numbers count as 0, so texel 0 is read, or the middle of +Z of a cube.
        let wanted = if dim.faces() > 1 { number(2, 2, 4) } else { 0.0 };
        assert_eq!(f32::from_bits(t.sample(&NEAREST, &request)[0]), wanted, "{dim:?}");
    }
    assert!(read > 10_000, "{read}");
}
