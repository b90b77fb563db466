//! Geometry, tessellation, and interpolated fragments.

use super::*;
use crate::{Emitted, Fragments, Triangle};
use alloc::boxed::Box;
use vecasm_ir::ir::{At, Location, Primitive, Site};

fn varying(location: u32) -> InputKind {
    InputKind::Varying { location }
}

#[test]
fn a_geometry_shader_emits_strips() {
    // Three are taken of five where a primitive may have three; two, where the invocation may give five and has given three.
    strips(3, true, 3);
    strips(5, false, 2);
}

/// Two invocations for each line. Each emits both vertices, doubled, in stream 0, with its numbers beside; then in stream 1
/// its own vertex, in a primitive for itself; and five more, of which `taken` come out.
fn strips(max_vertices: u32, primitive_limit: bool, taken: usize) {
    let shader = build(Stage::Geometry, |b| {
        b.shader.setup.primitive_in = Primitive::Lines;
        b.shader.setup.vertices_in = 2;
        b.shader.setup.invocations = 2;
        (b.shader.setup.max_vertices, b.shader.setup.primitive_limit) = (max_vertices, primitive_limit);
        b.shader.inputs.push(Input::new("v", varying(0), Type::U32));
        let first = InputId(0);
        let (primitive, number) = (b.system(System::PrimitiveIndex), b.system(System::InvocationIndex));
        let out = b.output(Scalar::U32);
        b.shader.outputs[0].init = [0, 0, 0, 9];
        b.shader.outputs[0].streams = [0, 0, 1, 1];
        for vertex in 0..2 {
            let vertex = b.int(vertex);
            let value = b.op(Op::InputOf { first, at: None }, &[vertex]);
            let double = b.pure(Pure::Add, &[value, value]);
            b.store(out, &[double, primitive]);
            b.effect(Op::EmitVertex { stream: 0 }, &[]);
        }
        b.effect(Op::EndPrimitive { stream: 0 }, &[]);
        b.effect(Op::EndPrimitive { stream: 0 }, &[]);
        let own = b.pure(Pure::ToI32, &[number]);
        let own = b.op(Op::InputOf { first, at: None }, &[own]);
        b.store(out, &[own, own, own]);
        b.effect(Op::EmitVertex { stream: 1 }, &[]);
        for _ in 0..5 {
            b.effect(Op::EmitVertex { stream: 0 }, &[]);
        }
    });
    let inputs = vec![[5, 6, 7, 8].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 4, inputs, ..Batch::default() });
    let strip = |invocation, lists: &[[u32; 4]]| Emitted {
        invocation,
        vertices: lists.iter().map(|v| vec![*v]).collect(),
    };
    let mut strips = Vec::new();
    let mut points = Vec::new();
    for (i, [a, b]) in [(0, [5, 6]), (1, [5, 6]), (2, [7, 8]), (3, [7, 8])] {
        strips.push(strip(i, &[[a * 2, i / 2, 0, 0], [b * 2, i / 2, 0, 0]]));
        // What the cell starts with belongs to stream 1.
        strips.push(strip(i, &vec![[0; 4]; taken]));
        points.push(strip(i, &[[0, 0, if i % 2 == 0 { a } else { b }, 9]]));
    }
    assert_eq!(outputs.streams, [strips, points]);
    assert_eq!(outputs.cells[0], [[0, 0, 0, 9]; 4]);
}

#[test]
fn endless_emission_is_stopped() {
    let shader = build(Stage::Geometry, |b| {
        (b.shader.setup.max_vertices, b.shader.setup.primitive_limit) = (1024, true);
        for _ in 0..64 {
            b.output(Scalar::F32);
        }
        let label = b.label();
        b.open();
        for _ in 0..64 {
            b.effect(Op::EmitVertex { stream: 0 }, &[]);
        }
        b.effect(Op::EndPrimitive { stream: 0 }, &[]);
        let body = b.close(&[]);
        let (params, init, results) = (Vec::new(), Args::default(), Vec::new());
        b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
    });
    let plan = plan(&shader, &Batch { count: 1, ..Batch::default() }).unwrap();
    let stopped = run(&shader, &Batch { count: 1, ..Batch::default() }, &plan, None);
    assert!(matches!(stopped, Err(RunError::Limit(_))));
}

#[test]
fn a_patch_shares_its_cells_and_sees_its_vertices() {
    // Three invocations for patches of two vertices. Each writes its number + 10 · input of vertex 0, sees that of the
    // next vertex, and the largest one writes the level of the patch.
    let shader = build(Stage::TessControl, |b| {
        b.shader.setup.vertices_in = 2;
        b.shader.setup.invocations = 3;
        b.shader.inputs.push(Input::new("v", varying(0), Type::U32));
        let number = b.system(System::InvocationIndex);
        let patch = b.system(System::PrimitiveIndex);
        let (ten, one, zero) = (b.uint(10), b.uint(1), b.int(0));
        let first = b.op(Op::InputOf { first: InputId(0), at: None }, &[zero]);
        let tens = b.pure(Pure::Mul, &[first, ten]);
        let own = b.pure(Pure::Add, &[tens, number]);
        let out = b.output(Scalar::U32);
        b.store(out, &[own]);
        let next = b.pure(Pure::Add, &[number, one]);
        let next = b.pure(Pure::ToI32, &[next]);
        let seen = b.op(Op::LoadOutputOf { first: out, at: None }, &[next]);
        let beyond = b.op(Op::InputOf { first: InputId(0), at: None }, &[next]);
        b.out(Scalar::U32, &[lane(seen, 0), beyond, patch]);
        let level = OutputId(2);
        let kind = OutputKind::PatchVarying { location: 0 };
        let cell = Output { scalar: Scalar::U32, ..Output::new("l", kind) };
        b.shader.outputs.push(cell);
        b.store(level, &[own]);
        let read = b.op(Op::LoadOutput(level), &[]);
        b.out(Scalar::U32, &[lane(read, 0)]);
    });
    let inputs = vec![[1, 2, 3, 4].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 6, inputs, ..Batch::default() });
    let x = |cell: usize| -> Vec<u32> { outputs.cells[cell].iter().map(|c| c[0]).collect() };
    assert_eq!(x(0), [10, 11, 12, 30, 31, 32]);
    assert_eq!(
        outputs.cells[1],
        [[11, 2, 0, 0], [12, 0, 0, 0], [0, 0, 0, 0], [31, 4, 1, 0], [32, 0, 1, 0], [0, 0, 1, 0]]
    );
    assert_eq!(x(2), [12, 32]);
    assert_eq!(x(3), [12, 12, 12, 32, 32, 32]);
}

#[test]
fn a_tessellated_vertex_sees_its_patch() {
    let shader = build(Stage::TessEval, |b| {
        b.shader.setup.vertices_in = 2;
        for location in 0..2 {
            let name = alloc::format!("v{location}");
            b.shader.inputs.push(Input::new(name, varying(location), Type::U32));
        }
        let patch = b.given(InputKind::PatchVarying { location: 0 }, Type::U32);
        let place = b.system(System::TessCoord);
        let one = b.int(1);
        let index = b.pure(Pure::ToI32, &[patch]);
        let at = Some(At { count: 2, offset: -10, rule: OutOfRange::Zero });
        let chosen = b.op(Op::InputOf { first: InputId(0), at }, &[one, index]);
        let (number, vertices) = (b.system(System::PrimitiveIndex), b.system(System::VerticesIn));
        b.out(Scalar::U32, &[patch, chosen, number, vertices]);
        b.out(Scalar::F32, &[place]);
    });
    let list = |numbers: &[u32]| numbers.iter().map(|&n| [n, 0, 0, 0]).collect::<Vec<_>>();
    // The place is given for two of three.
    let places = vec![floats([0.5, 0.25, 0.0, 0.0]), floats([0.0, 1.0, 0.0, 0.0])];
    let inputs = vec![list(&[100, 101, 102, 103]), list(&[200, 201, 202, 203]), list(&[10, 11]), places];
    let primitives = vec![0, 1, 1];
    let outputs = go(&shader, &Batch { count: 3, inputs, primitives, ..Batch::default() });
    assert_eq!(outputs.cells[0], [[10, 101, 0, 2], [11, 203, 1, 2], [11, 203, 1, 2]]);
    assert_eq!(outputs.cells[1][..2], [floats([0.5, 0.25, 0.0, 0.0]), floats([0.0, 1.0, 0.0, 0.0])]);
    assert_eq!(outputs.cells[1][2], [0; 4]);
}

/// A right triangle whose legs are 4 pixels long. Lane x of every input is 0, 8, 16 in its corners.
fn triangle(w: [f32; 3]) -> Triangle {
    let corner = |x: f32, y: f32, z: f32, w: f32| [x, y, z, w];
    let inputs = vec![[0.0f32, 8.0, 16.0].map(|x| [x.to_bits(), 0, 0, 0]); 8];
    let corners = [corner(0.0, 0.0, 0.0, w[0]), corner(4.0, 0.0, 0.5, w[1]), corner(0.0, 4.0, 1.0, w[2])];
    Triangle { corners, inputs }
}

#[test]
fn varyings_follow_from_the_triangle() {
    let shader = build(Stage::Fragment, |b| {
        let ways = [
            (Interpolation::Linear, Location::Center),
            (Interpolation::Perspective, Location::Center),
            (Interpolation::Flat, Location::Center),
            (Interpolation::Color, Location::Center),
            (Interpolation::Linear, Location::Centroid),
            (Interpolation::Linear, Location::Sample),
        ];
        let read: Vec<Arg> = ways
            .into_iter()
            .enumerate()
            .map(|(i, (interpolation, location))| {
                let read = b.given(varying(i as u32), Type::F32);
                b.shader.inputs[i].interpolation = interpolation;
                b.shader.inputs[i].location = location;
                read
            })
            .collect();
        let place = b.system(System::FragCoord);
        b.system(System::SampleIndex);
        b.out(Scalar::F32, &read[..4]);
        let input = InputId(0);
        let third = b.int(3);
        let by = b.constant(Scalar::F32, &[1.0f32, 0.5].map(|x| u64::from(x.to_bits())));
        let sample = b.op(Op::Interpolate { input, site: Site::Sample }, &[third]);
        let offset = b.op(Op::Interpolate { input, site: Site::Offset }, &[by]);
        b.out(Scalar::F32, &[read[4], read[5], sample, offset]);
        b.out(Scalar::F32, &[place]);
        let centroid = b.op(Op::Interpolate { input, site: Site::Centroid }, &[]);
        let flat = b.op(Op::Interpolate { input: InputId(2), site: Site::Centroid }, &[]);
        let center = b.op(Op::Interpolate { input: InputId(4), site: Site::Center }, &[]);
        b.out(Scalar::F32, &[centroid, flat, center]);
    });
    // The linear value is 2 x + 4 y. With w = 1, 2, 4 the weights of (1, 1), which are 1/2 1/4 1/4, become 1/2 1/8
    // 1/16, in all 11/16: the value is (1 + 1) / (11/16).
    let fragments = Fragments {
        triangles: vec![triangle([1.0; 3]), triangle([1.0, 2.0, 4.0])],
        triangle: vec![0, 1],
        center: vec![[0.5, 1.5], [1.0, 1.0]],
        centroid: vec![[1.0, 1.0]],
        samples: 4,
        flat: false,
    };
    // The second fragment shades sample 1: 6/16 right, 2/16 up. Sample 3: 2/16 right, 6/16 down.
    let mut inputs = vec![Vec::new(); 8];
    inputs[7] = vec![[0; 4], [1, 0, 0, 0]];
    let mut batch = Batch { count: 2, inputs, fragments: Some(fragments), ..Batch::default() };
    let outputs = go(&shader, &batch);
    let cells: Vec<Vec<[f32; 4]>> =
        outputs.cells.iter().map(|cell| cell.iter().map(|c| c.map(f32::from_bits)).collect()).collect();
    let mid = 2.0 * 16.0 / 11.0;
    assert_eq!(cells[0], [[7.0, 7.0, 0.0, 7.0], [6.0, mid as f32, 0.0, mid as f32]]);
    // Sample 0 of the first: 2/16 left, 6/16 up.
    let sample_0 = 7.0 + (-2.0 * 2.0 - 6.0 * 4.0) / 16.0;
    let sample_1 = 6.0 + (6.0 * 2.0 - 2.0 * 4.0) / 16.0;
    let sample_3 = (2.0 * 2.0 + 6.0 * 4.0) / 16.0;
    assert_eq!(cells[1][0], [6.0, sample_0, 7.0 + sample_3, 7.0 + 2.0 + 2.0]);
    assert_eq!(cells[1][1], [6.0, sample_1, 6.0 + sample_3, 6.0 + 2.0 + 2.0]);
    // Depth: x/8 + y/4. 1/w of the second: 1/2 + 1/8 + 1/16.
    assert_eq!(cells[2], [[0.5, 1.5, 0.4375, 1.0], [1.0, 1.0, 0.375, 0.6875]]);
    assert_eq!(cells[3], [[6.0, 0.0, 7.0, 0.0], [6.0, 0.0, 6.0, 0.0]]);
    // Flat shading concerns colours. What is given counts before the triangle, but not where another point is asked.
    if let Some(fragments) = &mut batch.fragments {
        fragments.flat = true;
    }
    batch.inputs[0] = vec![floats([77.0, 0.0, 0.0, 0.0])];
    let outputs = go(&shader, &batch);
    assert_eq!(outputs.cells[0][0].map(f32::from_bits), [77.0, 7.0, 0.0, 0.0]);
    assert_eq!(f32::from_bits(outputs.cells[3][0][0]), 6.0);
    // Without a triangle there is nothing else than what is given.
    batch.fragments = None;
    let outputs = go(&shader, &batch);
    assert_eq!(outputs.cells[3][0].map(f32::from_bits), [77.0, 0.0, 0.0, 0.0]);
}

#[test]
fn framebuffers_are_read() {
    let shader = build(Stage::Fragment, |b| {
        let read = b.op(Op::Framebuffer { target: 1 }, &[]);
        b.out(Scalar::F32, &[read]);
        let none = b.op(Op::Framebuffer { target: 7 }, &[]);
        b.out(Scalar::F32, &[none]);
    });
    let framebuffer = vec![Vec::new(), vec![[1; 4], [2; 4]]];
    let outputs = go(&shader, &Batch { count: 3, framebuffer, ..Batch::default() });
    assert_eq!(outputs.cells, [vec![[1; 4], [2; 4], [0; 4]], vec![[0; 4]; 3]]);
}

#[test]
fn primitives_are_whole() {
    for stage in [Stage::Geometry, Stage::TessControl] {
        let shader = build(stage, |b| b.shader.setup.invocations = 3);
        assert!(plan(&shader, &Batch { count: 6, ..Batch::default() }).is_ok());
        let refused = plan(&shader, &Batch { count: 7, ..Batch::default() });
        assert!(matches!(refused, Err(RunError::Binding(_))), "{refused:?}");
    }
}
