//! What the door says of programs that are opened, checked and translated together.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "glsl", feature = "nv2a"))]

use vecasm::ir::Stage;
use vecasm::{CheckOptions, NoHost, OpenOptions, Program, Target, TranslateOptions, open};

fn opened(name: &str, text: &str) -> Program {
    open(text.as_bytes(), &OpenOptions::named(name), &mut NoHost)
        .program()
        .unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn a_stage_that_no_program_has_is_an_error() {
    let text = b"ps_2_0\ndcl t0\nmov oC0, t0\n";
    let of = |stage| OpenOptions::named("a.psa").with_stage(stage);
    assert!(open(text, &of(Stage::Fragment), &mut NoHost).program().is_ok());
    let wanted = open(text, &of(Stage::Vertex), &mut NoHost);
    // What was read is there for whoever wants it all the same.
    assert_eq!(wanted.programs[0].as_ref().unwrap().stage(), Stage::Fragment);
    let why = wanted.program().unwrap_err();
    assert_eq!(why.findings()[0].id, "ISA-asked");
    assert!(why.to_string().contains("the program is a fragment program, not a vertex program"), "{why}");
    let old = open(text, &OpenOptions::named("a.psa").with_version(1), &mut NoHost).program().unwrap_err();
    assert!(old.to_string().contains("not version 1"), "{old}");
}

#[test]
fn a_refusal_of_a_draw_is_in_its_place_in_the_program_that_it_is_about() {
    // c96 is read again after a vertex wrote it, so that vertices wait for one another, which no GPU does.
    let serial =
        "; a comment\nmov c[96], v0\nmov oPos, c[96]\nadd c[96], c[97], v1\nmov oD0, c[97]\nmov c[97], v2\n";
    let vertex = opened("a.vsh", serial);
    let fragment = opened("a.frag.agal", "mov oc, fc0\n");
    let refusal = Program::translate_draw(&[&fragment, &vertex], Target::Glsl, &TranslateOptions::default())
        .unwrap_err();
    assert_eq!(refusal.stage, Some(1));
    let said = vertex.renderer().short(&refusal.finding);
    assert!(said.starts_with("a.vsh:"), "{said}");
    let line: usize = said.split(':').nth(1).and_then(|line| line.parse().ok()).unwrap();
    assert!(serial.lines().nth(line - 1).is_some_and(|line| line.contains("c[97]")), "{said}");
    // Alone it is refused in the same place.
    let alone = vertex.translate(Target::Glsl, &TranslateOptions::default()).unwrap_err();
    assert_eq!((alone.stage, alone.finding), (Some(0), refusal.finding));
}

#[test]
fn findings_of_a_pair_are_in_their_places() {
    let vertex = opened("a.vert.agal", "mov op, va0\n");
    let fragment = opened("a.frag.agal", "// nobody writes v0\nadd ft0, v0, ft1\nmov oc, ft0\n");
    let found = Program::check_pair(&vertex, &fragment, &CheckOptions::default()).unwrap();
    assert_eq!(found.vertex, []);
    let said: Vec<String> = found.fragment.iter().map(|finding| fragment.renderer().short(finding)).collect();
    assert!(said.iter().any(|said| said.starts_with("a.frag.agal:2:1: error[AGAL3647]")), "{said:?}");
    assert!(!found.linkage.is_empty());
    // Each is what a check of the program alone says of it.
    assert_eq!(found.fragment, fragment.check(&CheckOptions::default()));
}

#[test]
fn names_in_a_listing_are_those_of_constants_in_draws_too() {
    let listing = "//\n// Parameters:\n//\n//   float4 Tint;\n//\n//\n// Registers:\n//\n//   Name         Reg   Size\n\
        //   ------------ ----- ----\n//   Tint         c0       1\n//\n\n    ps_2_0\n    mov r0, c0\n    mov oC0, r0\n";
    let read = |text: &str| {
        let options = OpenOptions::default().with_isa(vecasm::isa::Isa::D3d9);
        open(text.as_bytes(), &options, &mut NoHost).program().unwrap()
    };
    let (vertex, fragment) = (read("vs_2_0\ndcl_position v0\nmov oPos, v0\n"), read(listing));
    let options = TranslateOptions::default();
    let alone = fragment.translate(Target::Hlsl, &options).unwrap();
    let drawn = Program::translate_draw(&[&vertex, &fragment], Target::Hlsl, &options).unwrap();
    for text in [alone.text(), drawn[1].text()] {
        assert!(text.is_some_and(|text| text.contains("float4 Tint; // c0")), "{text:?}");
    }
}
