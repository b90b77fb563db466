//! What is told about a pixel is what was drawn there: whoever runs a picked batch gets the bits of the picture.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::draw::Budget;
use super::pick::{Event, FragmentOutcome, History, Pixel};
use super::scene::Scene;
use super::target::{unit, unorm8};
use super::tests::{Inline, colored, triangle};
use super::{Picture, RenderError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_exec::{Engine, Outputs};
use vecasm_ir::ir::{OutputKind, Stage};

/// What a picked shading gave when it was run again.
struct Rerun {
    number: usize,
    fragment: Option<(Outputs, usize)>,
    positions: Vec<[f32; 4]>,
}

fn budget() -> Budget {
    Budget { vertices: 100_000, fragments: 4_000_000 }
}

fn pick_of(
    scene: &str,
    (x, y): (u32, u32),
    target: Option<&str>,
) -> Result<(Picture, History, Vec<Rerun>), RenderError> {
    let scene = Scene::read(scene.as_bytes(), &mut Inline, None)?;
    let mut again = Vec::new();
    let (picture, history) = scene.pick(&Interp, budget(), (x, y), target, &mut |shading, how| {
        let fragment = how.fragment().map(|one| {
            // By way of what can be kept, so that this is tested too.
            let kept = RunFile::of(&one.batch);
            let outputs = Interp.run(one.shader, &kept.batch()).unwrap();
            (outputs, one.lane)
        });
        let positions = (0..3).map(|corner| {
            let one = how.vertex(corner).unwrap();
            let outputs = Interp.run(one.shader, &one.batch).unwrap();
            let at = one.shader.outputs.iter().position(|o| o.kind == OutputKind::Position).unwrap();
            outputs.cells[at][one.lane].map(f32::from_bits)
        });
        again.push(Rerun { number: shading.number, fragment, positions: positions.collect() });
    })?;
    assert_eq!(picture, scene.render(&Interp, budget())?, "looking changes the picture");
    Ok((picture, history, again))
}

fn pick(scene: &str, at: (u32, u32)) -> (Picture, History, Vec<Rerun>) {
    pick_of(scene, at, None).unwrap()
}

fn fates(history: &History) -> Vec<FragmentOutcome> {
    history.shadings().map(|s| s.fate).collect()
}

/// The picture's colour of a pixel.
fn color(picture: &Picture, (x, y): (u32, u32)) -> [u8; 4] {
    let at = (y * picture.width + x) as usize * 4;
    picture.rgba8[at..at + 4].try_into().unwrap()
}

#[test]
fn a_picked_quad_gives_the_bits_of_the_picture() {
    // Interpolated colours with derivatives on three overlapping triangles, one of them steep in w.
    let scene = r#"{"size": [16, 16], "antialias": 1, "depth": false,
        "vertex": ["mov op, va0", "mov v0, va1"],
        "fragment": [".agal fragment 2", "ddx ft0, v0", "ddy ft1, v0", "add ft0, ft0, ft1", "abs ft0, ft0",
            "mul ft0, ft0, fc0", "add ft0, ft0, v0", "mov oc, ft0"],
        "constants": {"fc0": [0.5, 2, 3, 0]},
        "mesh": {"layout": ["float4", "float4"], "vertices": [
            [-1, 1, 0, 1, 1, 0, 0, 1], [1, 1, 0, 1, 0, 1, 0, 1], [-1, -1, 0, 1, 0, 0, 1, 1],
            [-2, 2, 0, 2, 0.3, 0.9, 0, 1], [1, 0.4, 0, 1, 0.7, 0.1, 0.5, 1], [-0.2, -1, 0, 1, 0, 0.2, 0.6, 1],
            [-5, -1, 0, 5, 0.1, 0.2, 0.3, 1], [0.5, 1, 0, 1, 0.9, 0.8, 0.7, 1], [1, -0.9, 0, 1, 0.4, 0.4, 0, 1]]}}"#;
    let (mut seen, mut lanes) = (0, [0; 4]);
    for y in 0..16 {
        for x in 0..16 {
            let (picture, history, again) = pick(scene, (x, y));
            assert_eq!(history.color, color(&picture, (x, y)));
            let Some(shading) = history.made_by() else {
                assert_eq!(history.color, [0, 0, 0, 255]);
                continue;
            };
            let rerun = again.iter().find(|a| a.number == shading.number).unwrap();
            let (outputs, lane) = rerun.fragment.as_ref().unwrap();
            let bits = outputs.cells[0][*lane];
            assert_eq!(shading.colors, [Some(bits)], "{x}, {y}");
            assert_eq!(bits.map(|b| unorm8(f32::from_bits(b))), history.color, "{x}, {y}");
            seen += 1;
            lanes[*lane] += 1;
        }
    }
    assert!(seen > 150 && lanes.iter().all(|n| *n > 30), "{seen} {lanes:?}");
}

#[test]
fn the_place_of_the_pixel_is_that_of_its_lane() {
    // Not AGAL's to read, so the place is checked by the varying: x and y of the pixel's centre.
    let scene = r#"{"size": [7, 5], "antialias": 1, "vertex": ["mov op, va0", "mov v0, va1"],
        "fragment": ["mov oc, v0"], "mesh": {"layout": ["float2", "float2"],
        "vertices": [[-1, 1, 0, 0], [1, 1, 7, 0], [-1, -1, 0, 5], [-1, -1, 0, 5], [1, 1, 7, 0], [1, -1, 7, 5]]}}"#;
    for (x, y) in [(0, 0), (1, 0), (4, 3), (3, 4), (6, 4)] {
        let (_, history, again) = pick(scene, (x, y));
        assert_eq!(fates(&history), [FragmentOutcome::Kept], "{x}, {y}");
        let (outputs, lane) = again[0].fragment.as_ref().unwrap();
        let got = outputs.cells[0][*lane].map(f32::from_bits);
        assert!(
            (got[0] - (x as f32 + 0.5)).abs() < 1e-5 && (got[1] - (y as f32 + 0.5)).abs() < 1e-5,
            "{got:?}"
        );
    }
}

/// Draws of full squares, with the keys of each.
fn stacked(antialias: u32, draws: &[&str]) -> String {
    let draws: Vec<String> = draws.iter().map(|keys| format!("{{{keys}}}")).collect();
    format!(
        r#"{{"size": 2, "antialias": {antialias}, "vertex": ["add op, va0, vc0"], "fragment": ["mov oc, fc0"],
            "mesh": "fullscreen", "background": "\u0023102030", "constants": {{"vc0": [0, 0, 0.5, 0], "fc0": [1, 0, 0, 1]}},
            "draws": [{}]}}"#,
        draws.join(", ")
    )
}

#[test]
fn each_way_to_be_lost_is_told() {
    let scene = stacked(
        1,
        &[
            r#""constants": {"vc0": [0, 0, 0.5, 0], "fc0": [0.2, 0, 0, 1]}"#,
            r#""constants": {"vc0": [0, 0, 0.7, 0]}"#,
            r#""cull": "frontAndBack""#,
            r#""scissor": [1, 1, 1, 1]"#,
            r#""fragment": ["sub ft0, fc0, fc0.y", "neg ft0, ft0", "kil ft0.x", "mov oc, fc0"]"#,
            r#""stencil": {"reference": 1, "compare": "equal"}"#,
            r#""color_mask": [false, false, false, false], "depth": false"#,
            r#""constants": {"vc0": [0, 0, 0.25, 0], "fc0": [0.6, 0, 0, 1]}"#,
        ],
    );
    let (_, history, again) = pick(&scene, (0, 0));
    use FragmentOutcome::{Culled, Depth, Kept, Killed, Scissored, Stencil, Unwritten};
    let wanted = [Kept, Depth, Culled, Scissored, Killed, Stencil, Unwritten, Kept];
    assert_eq!(fates(&history), wanted);
    // The clear is the first event, so the shadings have the numbers 2 to 9; the first kept one is replaced by the last.
    assert!(
        matches!(&history.events[0], Event::Clear(c) if c.number == 1 && c.color == Some([16, 32, 48, 255]))
    );
    let shadings: Vec<_> = history.shadings().collect();
    assert_eq!(shadings.iter().map(|s| s.number).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(shadings.iter().map(|s| s.draw).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(shadings[0].overwritten, Some(9));
    assert_eq!(history.made_by().map(|s| s.number), Some(9));
    assert_eq!((shadings[1].depth, &shadings[1].stored_depth[..]), (0.7, &[0.5][..]));
    assert_eq!(
        (&shadings[7].before[..], &shadings[7].after[..]),
        (&[[51, 0, 0, 255]][..], &[[153, 0, 0, 255]][..])
    );
    assert_eq!(shadings[5].path, "$.draws[5]");
    // The second program was compiled after the pair of the first draw: vertex 0, fragment 1, then 2.
    assert_eq!(shadings[0].programs, [(Stage::Vertex, 0), (Stage::Fragment, 1)]);
    assert_eq!(shadings[4].programs, [(Stage::Vertex, 0), (Stage::Fragment, 2)]);
    // What was not shaded has no quad, but vertices all the same.
    let with_quad: Vec<bool> = again.iter().map(|a| a.fragment.is_some()).collect();
    assert_eq!(with_quad, [true, true, false, false, true, true, true, true]);
    let (outputs, lane) = again[4].fragment.as_ref().unwrap();
    assert!(outputs.killed[*lane]);
    assert!(again.iter().all(|a| a.positions.iter().all(|p| p[3] == 1.0)));
    assert_eq!(again[7].positions[0][2], 0.25);
    // On the other side of the scissor rectangle it is drawn.
    assert_eq!(fates(&pick(&scene, (1, 1)).1)[3], Depth);
}

#[test]
fn samples_are_told_apart() {
    // The left half of the pixel: of the samples (6,2) (14,6) (2,10) (10,14) sixteenths, the first and the third.
    let square = [
        triangle([(0.0, 0.0), (0.5, 0.0), (0.0, 1.0)], 1.0),
        triangle([(0.0, 1.0), (0.5, 0.0), (0.5, 1.0)], 1.0),
    ]
    .join(", ");
    let (picture, history, _) = pick(&colored("[1, 1]", 4, &square, ""), (0, 0));
    assert_eq!(history.samples, 4);
    let masks: Vec<u16> = history.shadings().map(|s| s.covered).collect();
    // Together they are samples 0 and 2, and no sample is covered twice.
    assert_eq!(masks.iter().sum::<u16>(), 0b101, "{masks:?}");
    let last = history.shadings().last().unwrap();
    let white: Vec<bool> = last.after.iter().map(|s| s[0] == 255).collect();
    assert_eq!(white, [true, false, true, false]);
    assert_eq!(color(&picture, (0, 0))[0], 128);
    assert!(history.shadings().all(|s| s.overwritten.is_none()));
}

#[test]
fn blending_leaves_what_was_there() {
    let half = r#""depth": false, "blend": "alpha", "constants": {"fc0": [0, 1, 0, 0.5]}"#;
    let scene = stacked(1, &[r#""depth": false"#, half]);
    let (_, history, _) = pick(&scene, (1, 0));
    assert_eq!(fates(&history), [FragmentOutcome::Kept, FragmentOutcome::Kept]);
    assert!(history.shadings().all(|s| s.overwritten.is_none()));
    assert_eq!(history.made_by().map(|s| s.draw), Some(2));
}

#[test]
fn targets_of_passes_are_picked_by_name() {
    let scene = r#"{"size": [2, 1], "antialias": 1, "mesh": "fullscreen", "passes": [
        {"targets": ["a", "b"], "size": 3, "vertex": [".agal vertex 2", "mov op, va0"],
         "fragment": [".agal fragment 2", "mov fo0, fc0", "mov fo1, fc1"],
         "constants": {"fc0": [0.2, 0, 0, 1], "fc1": [0, 0.4, 0, 1]}},
        {"vertex": ["mov op, va0", "mov v0, va2"], "textures": {"fs0": "a", "fs1": "b"},
         "fragment": ["tex ft0, v0, fs0 <2d>", "tex ft1, v0, fs1 <2d>", "add oc, ft0, ft1"]}]}"#;
    let (_, history, again) = pick(scene, (0, 0));
    assert_eq!((fates(&history), history.color), (Vec::from([FragmentOutcome::Kept]), [51, 102, 0, 255]));
    assert_eq!(history.made_by().unwrap().draw, 2);
    // The textures that were drawn are part of what is run again.
    let (outputs, lane) = again[0].fragment.as_ref().unwrap();
    let rgba = outputs.cells[0][*lane].map(|b| unorm8(unit(f32::from_bits(b))));
    assert_eq!(rgba, [51, 102, 0, 255]);
    let (_, history, _) = pick_of(scene, (2, 2), Some("b")).unwrap();
    assert_eq!((fates(&history), history.color), (Vec::from([FragmentOutcome::Kept]), [0, 102, 0, 255]));
    assert_eq!(history.made_by().unwrap().colors.len(), 2);
    let error = pick_of(scene, (0, 0), Some("c")).err().unwrap();
    assert_eq!(error.message, "no target \"c\"; the scene has a, b");
    let error = pick_of(scene, (2, 0), None).err().unwrap();
    assert_eq!(error.message, "the pixel 2, 0 is outside the picture of 2 × 1 pixels");
}

#[test]
fn the_view_lies_on_the_stage() {
    let scene = r#"{"stage": {"width": 3, "height": 1, "background": "ff0000"},
        "view": {"x": 1, "y": 0, "width": 1, "height": 1}, "programs": {},
        "commands": [{"cmd": "clear", "rgba": [0, 1, 0, 0]}, {"cmd": "present"}, {"cmd": "clear"}]}"#;
    let (_, history, _) = pick(scene, (0, 0));
    assert_eq!((history.at, history.count, history.color), (None, 2, [255, 0, 0, 255]));
    let (_, history, _) = pick(scene, (1, 0));
    assert_eq!((history.at, history.count, history.shown), (Some(Pixel { x: 0, y: 0, layer: 0 }), 2, 1));
    assert_eq!(history.color, [0, 255, 0, 255]);
}

#[test]
fn corners_that_are_not_finite_are_told() {
    // 1/0 is infinite in the second triangle's first corner.
    let one = triangle([(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)], 2.0);
    let scene = colored(
        "[2, 2]",
        1,
        &format!("{one}, [0, 0, 0, 0, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1, 1, 1]"),
        "",
    )
    .replace("mov op, va0", "rcp vt0, va0.w\", \"mul op, va0, vt0.w");
    let (_, history, _) = pick(&scene, (0, 0));
    let broken = history.broken.unwrap();
    assert_eq!((broken.count, broken.draw, broken.triangle), (1, 1, 1));
}

#[test]
fn many_shadings_are_bounded() {
    let scene = r#"{"size": 1, "antialias": 1, "mesh": "fullscreen", "instances": 3000, "depth": false,
        "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"], "constants": {"fc0": [1, 1, 1, 1]},
        "draws": [{}, {}]}"#;
    let (_, history, _) = pick(scene, (0, 0));
    assert_eq!((history.count, history.events.len()), (6001, super::pick::MAX_EVENTS));
    assert_eq!(history.made_by().unwrap().number, 6001);
    assert_eq!(history.events[0].number(), 6001 - super::pick::MAX_EVENTS + 1);
}
