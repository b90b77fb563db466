//! Scenes without the command: files in memory, and scenes that are guessed.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "render", feature = "files"))]
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use vecasm::exec::lanes::Lanes;
use vecasm::guess::{self, Options, Parts};
use vecasm::ir::Stage;
use vecasm::isa::Depth;
use vecasm::render::Picture;
use vecasm::render::draw::Budget;
use vecasm::render::scene::Scene;
use vecasm::scenes::Memory;
use vecasm::{LiftOptions, NoHost, OpenOptions, Program, open};

fn program(name: &str, text: &str) -> Program {
    open(text.as_bytes(), &OpenOptions::named(name), &mut NoHost).program().unwrap()
}

/// A triangle over all of the view, drawn by programs of that place in a scene.
fn scene(programs: &str) -> String {
    mesh(programs, "[0, 4, 0], [4, -4, 0], [-4, -4, 0]")
}

fn mesh(programs: &str, vertices: &str) -> String {
    let mesh = format!(r#"{{"layout": ["float3"], "vertices": [{vertices}]}}"#);
    format!(r#"{{"size": [4, 4], {programs}, "mesh": {mesh}}}"#)
}

fn draw(scene: &str, host: &mut Memory) -> Result<[u8; 4], String> {
    let scene = Scene::read(scene.as_bytes(), host, None).map_err(|error| error.to_string())?;
    let picture = scene.render(&Lanes::default(), Budget::default()).map_err(|error| error.to_string())?;
    Ok(picture.rgba8[4 * 5..][..4].try_into().unwrap())
}

#[test]
fn files_are_read_from_memory() {
    let mut host = Memory::default()
        .with_file("shaders/flat.vsa", "vs_2_0\n#include \"../lib/place.h\"\n")
        .with_file("lib/place.h", "dcl_position v0\nmov oPos, v0\n")
        .with_file("tint.psa", "ps_2_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0\n");
    let all = scene(r#""vertex": "shaders/flat.vsa", "fragment": "tint.psa""#);
    assert_eq!(draw(&all, &mut host), Ok([0, 255, 0, 255]));
    let names: Vec<&str> = host.compiled().iter().map(|program| program.source().name).collect();
    assert_eq!(names, ["shaders/flat.vsa", "tint.psa"]);
    let missing = draw(&scene(r#""vertex": "none.vsa", "fragment": "tint.psa""#), &mut host).unwrap_err();
    assert!(missing.contains("$.vertex") && missing.contains("no file \"none.vsa\""), "{missing}");
}

#[test]
fn what_is_wrong_with_a_program_has_its_place() {
    let mut host = Memory::default().with_file("a.vert.agal", "mov op, va0\n");
    let said = |fragment: &str, host: &mut Memory| {
        let host = &mut host.clone().with_file("b.frag.agal", fragment);
        draw(&scene(r#""vertex": "a.vert.agal", "fragment": "b.frag.agal""#), host).unwrap_err()
    };
    let unread = said("mov oc, v0\nmoov oc, v0\n", &mut host);
    assert!(unread.contains("b.frag.agal:2:1: error[AGAL-unknown-opcode]"), "{unread}");
    // There is no opcode ff, which only lifting minds.
    let unlifted =
        said(".agal fragment 1\n.token 000000ff 030f0000 00000000e4000000 0000000000000000\n", &mut host);
    assert!(unlifted.contains("b.frag.agal:2:1: error[AGAL3620]"), "{unlifted}");
}

#[test]
fn programs_bring_their_constants() {
    // The position is in pixels.
    let text = "!!VP1.1\n#const c[4] = 0 0 1 1\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], c[4];\nEND\n";
    let mut host = Memory::default().with_file("flat.vsh", text);
    let scene = |more: &str| {
        mesh(&format!(r#""vertex": "flat.vsh"{more}"#), "[-1, -1, 0.5], [64, -1, 0.5], [-1, 64, 0.5]")
    };
    assert_eq!(draw(&scene(""), &mut host), Ok([0, 0, 255, 255]));
    // What the scene says counts more; c[0] is register 96.
    let given = scene(r#", "constants": {"vc100": [1, 0, 0, 1]}"#);
    assert_eq!(draw(&given, &mut host), Ok([255, 0, 0, 255]));
}

#[test]
fn images_are_given_as_pixels() {
    let red = Picture { width: 1, height: 1, rgba8: vec![255, 0, 0, 255] };
    let mut host = Memory::default()
        .with_image("red.png", red)
        .with_file("a.vert.agal", "mov op, va0\nmov v0, va0\n")
        .with_file("a.frag.agal", "tex oc, v0, fs0 <2d,nearest>\n");
    let with = |image: &str| {
        let textures = format!(r#""textures": {{"fs0": {{"image": "{image}"}}}}"#);
        scene(&format!(r#""vertex": "a.vert.agal", "fragment": "a.frag.agal", {textures}"#))
    };
    assert_eq!(draw(&with("red.png"), &mut host), Ok([255, 0, 0, 255]));
    let missing = draw(&with("blue.png"), &mut host).unwrap_err();
    assert!(missing.contains("no image \"blue.png\""), "{missing}");
}

#[test]
fn a_pair_is_guessed_by_what_it_does() {
    // The matrix is found by trial: rows c0 to c3 make the position. Both have one name, so the scene makes two of it.
    let vertex = program("sky.agal", ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1\n");
    let fragment = program("sky.agal", ".agal fragment 1\nmul oc, v0, fc3\n");
    let guess = |options: &Options| {
        let mut host = Memory::default();
        let guess = guess::scene(&[fragment.clone(), vertex.clone()], options, &mut host).unwrap();
        let picture = Scene::read(guess.scene.as_bytes(), &mut host, None).unwrap();
        let picture = picture.render(&Lanes::default(), Budget::default()).unwrap();
        (guess, picture)
    };
    let options = Options::default().with_size(32, 24).with_constant("fc3", "[0, 1, 0, 1]");
    let (found, picture) = guess(&options);
    assert_eq!((&found, &picture), (&guess(&options).0, &guess(&options).1));
    assert!(found.notes.contains(&"vc0 is modelViewProjection".to_string()), "{:?}", found.notes);
    let value: serde_json::Value = serde_json::from_str(&found.scene).unwrap();
    assert_eq!(
        (&value["vertex"], &value["fragment"]),
        (&"vertex/sky.agal".into(), &"fragment/sky.agal".into())
    );
    assert_eq!(value["constants"]["vc0"], "modelViewProjection");
    // Members have one order, whatever serde_json keeps.
    assert!(
        found.scene.starts_with(
            r##"{"size":[32,24],"background":"#14161c","camera":{"eye":[1.1,1.0,2.2]},"model":"##
        )
    );
    // Normals times green are green.
    assert!(picture.rgba8.chunks_exact(4).any(|p| p[1] > 100 && p[0] == 0 && p[2] == 0));
}

#[test]
fn what_cannot_be_guessed_is_said() {
    let guess = |programs: &[Program], options: &Options| {
        guess::scene(programs, options, &mut Memory::default()).map_err(|why| why.to_string())
    };
    let fragment = program("a.psa", "ps_2_0\ndcl v0\nmul oC0, v0, c0\n");
    let twice = guess(&[fragment.clone(), fragment.clone()], &Options::default());
    assert_eq!(twice, Err("a pair is a vertex program and a fragment program".into()));
    let unknown = guess(core::slice::from_ref(&fragment), &Options::default().with_constant("Tint", "1"));
    let expected = "no constant \"Tint\"; the programs have no names for it; give a register";
    assert_eq!(unknown, Err(expected.into()));
    assert!(guess(&[fragment], &Options::default().with_mesh("{\"no\": 1}")).is_ok());
    assert_eq!(guess(&[], &Options::default()).unwrap_err(), "there is no program");
    assert_eq!(Parts::new([]).unwrap_err().to_string(), "there is no program");
    let none = Parts::default().scene(&Options::default(), &mut Memory::default(), &Lanes::default());
    assert_eq!(none.unwrap_err().to_string(), "there is no program");
}

/// Trials have a fragment program of their own, which must not take the place of one that is drawn.
#[test]
fn names_of_programs_are_free() {
    let notes = |name: &str| {
        let vertex = program(name, ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1\n");
        guess::scene(&[vertex], &Options::default(), &mut Memory::default()).unwrap().notes
    };
    assert!(notes("flat").contains(&"vc0 is modelViewProjection".to_string()), "{:?}", notes("flat"));
    assert_eq!(notes("flat"), notes("sky"));
}

#[test]
fn the_host_says_how_programs_are_lifted() {
    let fragment = program("tint", ".agal fragment 1\nmul oc, v0, fc3\n");
    let steps = |depth: Depth| {
        let mut host = Memory::default().with_lift(LiftOptions::for_pictures().with_depth(depth));
        guess::scene(core::slice::from_ref(&fragment), &Options::default(), &mut host).unwrap();
        assert_eq!(host.programs().get("tint").map(|program| program.instruction_count()), Some(1));
        host.programs().compile(Stage::Fragment, "tint", b"tint").unwrap().steps.len()
    };
    assert_eq!((steps(Depth::Lean), steps(Depth::Full)), (0, 1));
}
