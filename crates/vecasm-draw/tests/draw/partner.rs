//! Built-in stages give what they say.

use vecasm_draw::partner::{Feed, View, fragment, spread, vertex};
use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine as _};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{
    Arg, Input, InputId, InputKind, Op, Output, OutputId, OutputKind, Pure, Shader, Stage, Type,
};
use vecasm_ir::operand::WriteMask;

fn bits(lanes: [f32; 4]) -> [u32; 4] {
    lanes.map(f32::to_bits)
}

/// A fragment program with one varying.
fn reader(semantic: &str) -> Shader {
    let mut shader = Shader::new(Stage::Fragment, "test", &[]);
    let mut input = Input::new("v0", InputKind::Varying { location: 3 }, Type::F32X4);
    input.semantic = semantic.into();
    shader.inputs.push(input);
    shader
}

/// What a feed gives at the place (1, 2, 0) with the normal +z and the tangent +x, with the identity for every
/// matrix, the eye at (1, 2, 5) and the light to the right.
fn fed(feed: Option<Feed>, semantic: &str) -> [f32; 4] {
    let shader = vertex(&reader(semantic), &[feed]);
    assert!(verify(&shader).is_empty(), "{:?}", verify(&shader));
    let identity = |i: usize| bits(core::array::from_fn(|k| f32::from(u8::from(k == i))));
    let mut constants = vec![[0; 4]; 13];
    for first in [0, 4, 8] {
        for row in 0..4 {
            constants[first + row] = identity(row);
        }
    }
    constants[11] = bits([1.0, 2.0, 5.0, 1.0]);
    constants[12] = bits([3.0, 0.0, 0.0, 0.0]);
    let inputs = [
        [1.0, 2.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 1.0],
        [0.25, 0.75, 0.0, 1.0],
        [1.0, 0.0, 0.0, 1.0],
        [0.1, 0.2, 0.3, 0.4],
    ];
    let batch = Batch {
        count: 1,
        inputs: inputs.iter().map(|lanes| vec![bits(*lanes)]).collect(),
        params: vec![constants],
        ..Batch::default()
    };
    let out = Interp.run(&shader, &batch).unwrap();
    out.cells[1][0].map(f32::from_bits)
}

/// By hand: the axes are those of the world, the eye is straight ahead, the light to the right; halfway between the
/// two is (1, 0, 1)/√2, and the mirror of the view at the normal is the view.
#[test]
fn feeds_are_what_they_say() {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    for (feed, expected) in [
        (Feed::Uv, [0.25, 0.75, 0.0, 1.0]),
        (Feed::Normal, [0.0, 0.0, 1.0, 0.0]),
        (Feed::Tangent, [1.0, 0.0, 0.0, 0.0]),
        (Feed::Binormal, [0.0, 1.0, 0.0, 0.0]),
        (Feed::Position, [1.0, 2.0, 0.0, 1.0]),
        (Feed::Clip, [1.0, 2.0, 0.0, 1.0]),
        (Feed::Color, [0.1, 0.2, 0.3, 0.4]),
        (Feed::View, [0.0, 0.0, 1.0, 0.0]),
        (Feed::Light, [1.0, 0.0, 0.0, 0.0]),
        (Feed::Half, [half, 0.0, half, 0.0]),
        (Feed::Reflection, [0.0, 0.0, 1.0, 0.0]),
        (Feed::LightTangent, [1.0, 0.0, 0.0, 0.0]),
        (Feed::ViewTangent, [0.0, 0.0, 1.0, 0.0]),
        (Feed::Value([5.0, 6.0, 7.0, 8.0]), [5.0, 6.0, 7.0, 8.0]),
    ] {
        let given = fed(Some(feed), "");
        for (a, b) in given.iter().zip(expected) {
            assert!((a - b).abs() < 1e-6, "{feed:?}: {given:?}");
        }
    }
}

#[test]
fn semantics_choose_what_an_input_is_given() {
    assert_eq!(fed(None, "texcoord3"), [0.25, 0.75, 0.0, 1.0]);
    assert_eq!(fed(None, "NORMAL"), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(fed(None, "color"), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(fed(None, "fog"), [1.0; 4]);
}

/// The program writes v0 + v0 as its position; the place is attribute 3.
#[test]
fn a_spread_program_shows_its_position() {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 4);
    b.shader.inputs.push(Input::new("v0", InputKind::Attribute { location: 0 }, Type::F32X4));
    b.shader.outputs.push(Output::new("oPos", OutputKind::Position));
    let v0 = Arg::all_lanes(b.push_entry(Op::Input(InputId(0)), Type::F32X4), 4);
    let sum = b.pure(Pure::Add, &[v0, v0]);
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[sum]);
    let shader = spread(&b.finish(), 3);
    assert!(verify(&shader).is_empty(), "{:?}", verify(&shader));
    assert_eq!(shader.outputs[0].kind, OutputKind::Varying { location: 0 });
    let inputs = vec![vec![bits([1.0, 2.0, 3.0, 4.0])], vec![bits([0.5, 0.25, 0.0, 1.0])]];
    let out = Interp.run(&shader, &Batch { count: 1, inputs, ..Batch::default() }).unwrap();
    assert_eq!(out.cells[0][0].map(f32::from_bits), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(out.cells[1][0].map(f32::from_bits), [0.5, 0.25, 0.0, 1.0]);
}

#[test]
fn every_view_is_a_good_shader() {
    for view in View::ALL {
        let shader = fragment(0, *view);
        assert!(verify(&shader).is_empty(), "{view:?}: {:?}", verify(&shader));
    }
    let shader = fragment(0, View::Direction);
    let batch = Batch { count: 1, inputs: vec![vec![bits([1.0, -1.0, 0.0, 9.0])]], ..Batch::default() };
    let out = Interp.run(&shader, &batch).unwrap();
    assert_eq!(out.cells[0][0].map(f32::from_bits), [1.0, 0.0, 0.5, 1.0]);
    // 1.3 is in square 10, 0.2 in square 1: an odd sum, which adds a half to the blue of a quarter.
    let shader = fragment(0, View::Uv);
    let batch = Batch { count: 1, inputs: vec![vec![bits([1.25, 0.125, 0.0, 0.0])]], ..Batch::default() };
    let out = Interp.run(&shader, &batch).unwrap();
    assert_eq!(out.cells[0][0].map(f32::from_bits), [0.25, 0.125, 0.75, 1.0]);
}
