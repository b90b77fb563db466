//! Many invocations at a time give what one by one gives.

use super::super::{Plane, Request, Texture, sample::Detail};
use crate::BoundTexture;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::random::Rng;
use vecasm_ir::ir::{Dim, Filter, Mip, Op, SamplerState, TextureId, Wrap};
use vecasm_ir::math::CANONICAL_NAN;

#[test]
fn planes_are_read_as_textures_are() {
    let mut rng = Rng::new(9);
    let op = Op::sample(TextureId(0), vecasm_ir::ir::Lod::Level);
    let special = [
        0.0,
        -0.0,
        1.0,
        0.5,
        -0.5,
        1e-9,
        -1e-9,
        1.25,
        -3.75,
        0.999_999_94,
        1e9,
        -1e9,
        8_388_609.5,
        1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        -1e-45,
    ];
    let mut compared = 0;
    for [width, height] in [[1, 1], [3, 5], [16, 7], [2, 1], [128, 4]] {
        let texels = (0..width * height).map(|_| [(); 4].map(|()| f32::from_bits(rng.float()))).collect();
        let texture = Texture::from_f32(Dim::D2, width, height, 1, vec![texels]).unwrap();
        for number in 0..8 {
            let wrap = |bit: u32| if number >> bit & 1 == 0 { Wrap::Clamp } else { Wrap::Repeat };
            let filter = if number & 4 == 0 { Filter::Linear } else { Filter::Nearest };
            let state = SamplerState { wrap_u: wrap(0), wrap_v: wrap(1), ..SamplerState::PLAIN };
            let state = state.with_filter(filter);
            let plane = Plane::of(op, BoundTexture { texture: &texture, sampler: state }).unwrap();
            let coord = |rng: &mut Rng| match rng.below(3) {
                0 => special[rng.below(special.len())],
                1 => rng.below(4097) as f32 / 1024.0 - 1.0,
                _ => f32::from_bits(rng.bits()),
            };
            let coords: Vec<[f32; 2]> = (0..1003).map(|_| [coord(&mut rng), coord(&mut rng)]).collect();
            let [u, v] = [0, 1].map(|axis| coords.iter().map(|c| c[axis].to_bits()).collect::<Vec<u32>>());
            plane.read([&u[..], &v[..]], |i, got| {
                let coord = [coords[i][0], coords[i][1], 0.0, 0.0];
                let want = texture.sample(&state, &Request::new(coord, Detail::Level(0.0)));
                let want = want.map(|w| if f32::from_bits(w).is_nan() { CANONICAL_NAN } else { w });
                assert_eq!(got, want, "{coord:?} of {width} x {height}, {state:?}");
                compared += 1;
            });
        }
    }
    assert_eq!(compared, 5 * 8 * 1003);
}

#[test]
fn what_is_no_plane_is_not_taken_for_one() {
    let texture =
        |dim| Texture::from_f32(dim, 2, 2, 1, vec![vec![[1.0; 4]; if dim == Dim::Cube { 24 } else { 4 }]]);
    let op = Op::sample(TextureId(0), vecasm_ir::ir::Lod::Level);
    let plane =
        |dim, op, sampler| Plane::of(op, BoundTexture { texture: &texture(dim).unwrap(), sampler }).is_some();
    let plain = SamplerState::PLAIN;
    assert!(plane(Dim::D2, op, plain));
    assert!(!plane(Dim::Cube, op, plain));
    assert!(!plane(Dim::D2, op, plain.with_wrap(Wrap::Mirror)));
    assert!(!plane(Dim::D2, op, SamplerState { min: Filter::Linear, ..plain }));
    assert!(plane(Dim::D2, op, SamplerState { mip: Mip::Linear, ..plain }), "of one level");
    let Op::Sample { texture: id, lod, pick, .. } = op else { unreachable!() };
    for (compare, offset) in [(true, false), (false, true)] {
        assert!(!plane(Dim::D2, Op::Sample { texture: id, lod, compare, offset, pick }, plain));
    }
}
