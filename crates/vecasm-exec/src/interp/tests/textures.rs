//! Operations on textures: that each hands its arguments over, and what happens where nothing is bound. How texels are
//! found and weighed is tested beside `exec::texture`.

use super::*;
use crate::texture::Extent;
use vecasm_ir::ir::{Compare, Lod, Pick, State, StateId, Texture as Slot, TextureId};

const ID: TextureId = TextureId(0);
const FIXED: Pick = Pick::Fixed;

/// Texels whose lane x counts up, over all levels from the largest one, and whose lane y is 100 more.
fn counting(dim: Dim, extent: Extent, levels: u32) -> Texture {
    let mut next = 0u32;
    let made = (0..levels).map(|level| {
        let size = [extent.width, extent.height, extent.depth].map(|n| (n >> level).max(1));
        let count = size[0] * size[1] * size[2] * extent.layers * extent.samples * u32::from(dim.faces());
        (0..count)
            .map(|_| {
                next += 1;
                floats([next as f32 - 1.0, next as f32 + 99.0, 0.0, 1.0])
            })
            .collect()
    });
    Texture::new(dim, Scalar::F32, extent, made.collect()).unwrap()
}

fn nearest() -> SamplerState {
    SamplerState { mip: Mip::Nearest, ..SamplerState::PLAIN }
}

fn bound(texture: &Texture, sampler: SamplerState) -> Vec<Option<BoundTexture<'_>>> {
    vec![Some(BoundTexture { texture, sampler })]
}

/// A fragment shader with a texture of a dimension.
fn texturing(dim: Dim, fill: impl FnOnce(&mut Making)) -> Shader {
    build(Stage::Fragment, |b| {
        b.shader.textures.push(Slot::new("t", 0, dim));
        fill(b);
    })
}

fn first_lanes(outputs: &Outputs) -> Vec<f32> {
    outputs.cells.iter().map(|cell| f32::from_bits(cell[0][0])).collect()
}

fn sample(lod: Lod, compare: bool, offset: bool, pick: Pick) -> Op {
    Op::Sample { texture: ID, lod, compare, offset, pick }
}

#[test]
fn the_level_of_detail_has_four_sources() {
    // 8 × 8 texels (0–63), 4 × 4 (64–79), 2 × 2 (80–83), 1 (84). The pixels lie 2 texels apart: level 1.
    let texture = counting(Dim::D2, Extent::new(8, 8), 4);
    let shader = texturing(Dim::D2, |b| {
        let at = b.given(InputKind::Varying { location: 0 }, Type::new(Scalar::F32, 2));
        let (one, three) = (b.splat(1.0, 1), b.splat(3.0, 1));
        // Half the width along x, an eighth along y: 4 texels, level 2.
        let [wide, narrow] = [[0.5f32, 0.0], [0.0, 0.125]]
            .map(|v| b.constant(Scalar::F32, &v.map(|x| u64::from(x.to_bits()))));
        let off = b.constant(Scalar::I32, &[1, 0]);
        for (lod, args) in [
            (Lod::Implicit { bias_eighths: 0 }, vec![at]),
            (Lod::Implicit { bias_eighths: 8 }, vec![at]),
            (Lod::Bias, vec![at, one]),
            (Lod::Level, vec![at, three]),
            (Lod::Gradient, vec![at, wide, narrow]),
        ] {
            let read = b.op(sample(lod, false, false, FIXED), &args);
            b.out(Scalar::F32, &[read]);
            let args = [args, vec![off]].concat();
            let read = b.op(sample(lod, false, true, FIXED), &args);
            b.out(Scalar::F32, &[read]);
        }
        let lod = b.op(Op::TextureLod { texture: ID, pick: FIXED }, &[at]);
        b.out(Scalar::F32, &[lod]);
    });
    let at = |u: f32, v: f32| floats([u, v, 0.0, 0.0]);
    let inputs = vec![vec![at(0.01, 0.3), at(0.26, 0.3), at(0.01, 0.55), at(0.26, 0.55)]];
    let textures = bound(&texture, nearest());
    let outputs = go(&shader, &Batch { count: 4, inputs, textures, ..Batch::default() });
    // Row 1 of 4 in level 1; row 0 of 2 in level 2; the offset is one texel of the level, clamped at the edge.
    let expected = [68., 69., 80., 81., 80., 81., 84., 84., 80., 81., 1.];
    assert_eq!(first_lanes(&outputs), expected);
}

#[test]
fn gathering_fetching_and_asking() {
    let texture = counting(Dim::D2, Extent::new(4, 4), 3);
    let shader = texturing(Dim::D2, |b| {
        let at = b.splat(0.5, 2);
        let (zero, one, nine) = (b.int(0), b.int(1), b.int(9));
        let place = b.constant(Scalar::I32, &[2, 3]);
        let off = b.constant(Scalar::I32, &[0xffff_ffff, 0xffff_fffe]);
        let gather =
            |offset, component| Op::Gather { texture: ID, component, compare: false, offset, pick: FIXED };
        let fetch = |offset| Op::Fetch { texture: ID, offset, pick: FIXED };
        for (op, args) in [
            (gather(false, 1), vec![at]),
            (gather(true, 0), vec![at, off]),
            (fetch(false), vec![place, zero]),
            (fetch(true), vec![place, zero, off]),
            (fetch(true), vec![off, one, place]),
            (fetch(false), vec![place, one]),
            (fetch(false), vec![place, nine]),
        ] {
            let read = b.op(op, &args);
            b.out(Scalar::F32, &[read]);
        }
        let size = b.op(Op::TextureSize { texture: ID, pick: FIXED }, &[one]);
        b.out(Scalar::U32, &[size]);
        let samples = b.op(Op::TextureSamples { texture: ID, pick: FIXED }, &[]);
        b.out(Scalar::U32, &[samples]);
    });
    let textures = bound(&texture, nearest());
    let outputs = go(&shader, &Batch { count: 1, textures, ..Batch::default() });
    let cell = |n: usize| outputs.cells[n][0].map(f32::from_bits);
    // Around the middle: texels 5 6 / 9 10, from the lower left; lane y is 100 more.
    assert_eq!(cell(0), [109.0, 110.0, 106.0, 105.0]);
    // One to the left, two up, clamped at the top: 0 1 / 0 1 of rows -1 and 0.
    assert_eq!(cell(1), [0.0, 1.0, 1.0, 0.0]);
    // (2, 3), then (1, 1); in level 1, which starts at 16, (1, 1); (2, 3) is outside that; level 9 is not there.
    assert_eq!([cell(2)[0], cell(3)[0], cell(4)[0]], [14.0, 5.0, 19.0]);
    assert_eq!([cell(5), cell(6)], [[0.0; 4]; 2]);
    assert_eq!(outputs.cells[7][0], [2, 2, 0, 3]);
    assert_eq!(outputs.cells[8][0], [1, 0, 0, 0]);
}

#[test]
fn comparisons_take_their_reference() {
    let texture = counting(Dim::D2, Extent::new(4, 1), 1);
    let shader = texturing(Dim::D2, |b| {
        b.shader.textures[0].compare = true;
        let at = b.splat(0.5, 2);
        let reference = b.splat(1.5, 1);
        let level = b.splat(0.0, 1);
        let read = b.op(sample(Lod::Level, true, false, FIXED), &[at, reference, level]);
        b.out(Scalar::F32, &[read]);
        let gather = Op::Gather { texture: ID, component: 0, compare: true, offset: false, pick: FIXED };
        let read = b.op(gather, &[at, reference]);
        b.out(Scalar::F32, &[read]);
    });
    let sampler =
        SamplerState { compare: Some(Compare::Less), ..SamplerState::PLAIN }.with_filter(Filter::Linear);
    let textures = bound(&texture, sampler);
    let outputs = go(&shader, &Batch { count: 1, textures, ..Batch::default() });
    // 1.5 < 1 is false and 1.5 < 2 true; both weigh the same.
    assert_eq!(f32::from_bits(outputs.cells[0][0][0]), 0.5);
    assert_eq!(outputs.cells[1][0].map(f32::from_bits), [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn samples_of_a_texel() {
    let texture = counting(Dim::D2Ms, Extent { samples: 4, ..Extent::new(2, 1) }, 1);
    let shader = texturing(Dim::D2Ms, |b| {
        let place = b.constant(Scalar::I32, &[1, 0]);
        let (two, four) = (b.int(2), b.int(4));
        for sample in [two, four] {
            let read = b.op(Op::Fetch { texture: ID, offset: false, pick: FIXED }, &[place, sample]);
            b.out(Scalar::F32, &[read]);
        }
        let at = b.op(Op::SamplePosition { texture: ID, pick: FIXED }, &[two]);
        b.out(Scalar::F32, &[at]);
        let samples = b.op(Op::TextureSamples { texture: ID, pick: FIXED }, &[]);
        b.out(Scalar::U32, &[samples]);
    });
    let textures = bound(&texture, SamplerState::PLAIN);
    let outputs = go(&shader, &Batch { count: 1, textures, ..Batch::default() });
    // Texel 1 has samples 4 to 7. Sample 2 of 4 lies 6/16 to the left and 2/16 below the middle.
    assert_eq!(first_lanes(&outputs)[..2], [6.0, 0.0]);
    assert_eq!(outputs.cells[2][0].map(f32::from_bits), [-0.375, 0.125, 0.0, 0.0]);
    assert_eq!(outputs.cells[3][0][0], 4);
}

#[test]
fn textures_are_picked_by_index_and_handle() {
    let [a, b, c] = [1u32, 2, 3].map(|n| {
        Texture::new(Dim::D2, Scalar::F32, Extent::new(1, 1), vec![vec![floats([n as f32; 4])]]).unwrap()
    });
    let cube = counting(Dim::Cube, Extent::new(1, 1), 1);
    let shader = texturing(Dim::D2, |b| {
        b.shader.textures.push(Slot::new("u", 1, Dim::D2));
        let n = b.given(InputKind::Varying { location: 0 }, Type::U32);
        let at = b.splat(0.5, 2);
        let level = b.splat(0.0, 1);
        let index = Pick::Index { count: 2 };
        let read = b.op(sample(Lod::Level, false, false, index), &[at, level, n]);
        b.out(Scalar::F32, &[read]);
        let handle = b.pure(Pure::ToU64, &[n]);
        let read = b.op(sample(Lod::Level, false, false, Pick::Handle), &[at, level, handle]);
        b.out(Scalar::F32, &[read]);
        let first = b.int(0);
        let size = b.op(Op::TextureSize { texture: ID, pick: index }, &[first, n]);
        b.out(Scalar::U32, &[size]);
    });
    let one = |texture| Some(BoundTexture { texture, sampler: SamplerState::PLAIN });
    let textures = vec![one(&a), one(&b), one(&c), one(&cube), None];
    let handles = vec![(0, 2), (1, 3), (2, 4), (3, 0)];
    let inputs = vec![[0, 1, 2, 3].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 4, inputs, textures, handles, ..Batch::default() });
    let (none, all) = ([0.0, 0.0, 0.0, 1.0], |n: f32| [n; 4]);
    let cell =
        |n: usize| -> Vec<[f32; 4]> { outputs.cells[n].iter().map(|c| c.map(f32::from_bits)).collect() };
    assert_eq!(cell(0), [all(1.0), all(2.0), none, none]);
    // A cube is not what the operation is made for.
    assert_eq!(cell(1), [all(3.0), none, none, all(1.0)]);
    assert_eq!(outputs.cells[2], [[1, 1, 0, 1], [1, 1, 0, 1], [0; 4], [0; 4]]);
}

#[test]
fn a_state_says_which_dimension_a_texture_has() {
    let shader = |default: u32| {
        texturing(Dim::D2, |b| {
            let default = [default, 0, 0, 0];
            b.shader.states.push(State { name: "dim".into(), ty: Type::U32, default });
            b.shader.textures[0].dim_by = Some(StateId(0));
            let at = b.constant(Scalar::F32, &[0.9f32, 0.1, 0.9].map(|x| u64::from(x.to_bits())));
            let level = b.splat(0.0, 1);
            let read = b.op(sample(Lod::Level, false, false, FIXED), &[at, level]);
            b.out(Scalar::F32, &[read]);
        })
    };
    let number = |dim: Dim| Dim::ALL.iter().position(|d| *d == dim).unwrap() as u32;
    let line = counting(Dim::D1, Extent::new(2, 1), 1);
    let plane = counting(Dim::D2, Extent::new(2, 2), 1);
    let volume = counting(Dim::D3, Extent { depth: 2, ..Extent::new(2, 2) }, 1);
    for (texture, dim, x) in [(&line, Dim::D1, 1.0), (&plane, Dim::D2, 1.0), (&volume, Dim::D3, 5.0)] {
        let batch = |states| Batch {
            count: 1,
            textures: bound(texture, SamplerState::PLAIN),
            states,
            ..Batch::default()
        };
        let by_default = go(&shader(number(dim)), &batch(Vec::new()));
        let by_state = go(&shader(99), &batch(vec![Some([number(dim), 0, 0, 0])]));
        assert_eq!([first_lanes(&by_default), first_lanes(&by_state)], [[x], [x]]);
        let refused = plan(&shader(number(Dim::Cube)), &batch(Vec::new()));
        assert!(matches!(refused, Err(RunError::Binding(_) | RunError::Malformed(_))));
    }
}

#[test]
fn integer_textures_are_bits() {
    let texels = vec![vec![[1, 0x7f80_0001, 3, 4]]];
    let texture = Texture::new(Dim::D2, Scalar::U32, Extent::new(1, 1), texels).unwrap();
    let shader = texturing(Dim::D2, |b| {
        b.shader.textures[0].scalar = Scalar::U32;
        let at = b.splat(0.5, 2);
        let read = b.op(sample(Lod::Implicit { bias_eighths: 0 }, false, false, FIXED), &[at]);
        b.out(Scalar::U32, &[read]);
    });
    let textures = bound(&texture, SamplerState::PLAIN);
    let outputs = go(&shader, &Batch { count: 1, textures, ..Batch::default() });
    assert_eq!(outputs.cells[0][0], [1, 0x7f80_0001, 3, 4]);
    let outputs = go(&shader, &Batch { count: 1, ..Batch::default() });
    assert_eq!(outputs.cells[0][0], [0, 0, 0, 1]);
}
