//! Compiled shaders of Unity, built here from the form that exporters write.

use vecasm_container::unity::{Binding, BindingKind};
use vecasm_container::{Budget, Container, Detail, Format, Kind, Limits, rules};
use vecasm_ir::ir::Stage;

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &[u8]) -> Container<'_> {
    Container::read(bytes, &mut budget()).expect("a shader")
}

fn bytes_of(container: &Container<'_>, address: &str) -> Vec<u8> {
    let n = container.entry(address).expect(address);
    container.bytes(&container.entries()[n], &mut budget()).expect("bytes").into_owned()
}

/// A program for a platform; `lines` stand before the text.
fn sub(platform: &str, lines: &str, text: &str) -> String {
    format!("SubProgram \"{platform} \" {{\n{lines}\"{text}\"\n}}\n")
}

/// A shader with a pass without a name, and one named `Base/2`, of programs `vp` and `fp`.
fn shader(first: &[String], vertex: &[String], fragment: &[String]) -> String {
    format!(
        "// exported\nShader \"Own/Tint\" {{\nProperties {{ _Color (\"Color {{\", Color) = (1,1,1,1) }}\nSubShader {{\n \
         Pass {{\nProgram \"vp\" {{\n{}}}\n}}\n Pass {{ Name \"Base/2\"\nProgram \"vp\" {{\n{}}}\nProgram \"fp\" {{\n{}}}\n}}\n}}\n}}\n",
        first.concat(),
        vertex.concat(),
        fragment.concat()
    )
}

const LINES: &str = "Keywords { \"FOG_ON\" \"LIGHT\" }\nBind \"vertex\" Vertex\nMatrix 0 [glstate_matrix_mvp]\nMatrix 4 [_World] 3\n\
                     Vector 7 [_Color]\nFloat 8 [_Size]\nSetTexture 0 [_MainTex] 2D\n";
const VERTEX: &str = "vs_2_0\ndcl_position0 v0\nmov oPos, v0\n";
const PIXEL: &str = "ps_2_0\nmov r0, c0\nmov oC0, r0\n";

/// Bytes as letters: the first is `a` and the high half, the second the low half.
fn letters(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(b'a' + half)).collect()
}

/// A file of Direct3D 10 without chunks: signature, no checksum, 1, size, number of chunks.
fn dxbc() -> Vec<u8> {
    [&b"DXBC"[..], &[0; 16], &[1, 0, 0, 0], &[32, 0, 0, 0], &[0, 0, 0, 0]].concat()
}

#[test]
fn programs_are_listed_by_pass_and_platform() {
    let code = letters(&dxbc());
    // As exporters write them: the model, then lines of letters.
    assert!(code.starts_with("eefieced"));
    let text = format!("vs_4_0\n{}\n{}\n", &code[..40], &code[40..]);
    let file = shader(
        &[sub("d3d9", "", VERTEX)],
        &[
            sub("opengl", "", "!!ARBvp1.0\nEND\n"),
            sub("d3d9", "", VERTEX),
            sub("d3d9", LINES, VERTEX),
            sub("d3d11", "", &text),
        ],
        &[sub("d3d9", "", PIXEL)],
    );
    let shader = read(file.as_bytes());
    assert_eq!(shader.format(), Format::Unity);
    let found: Vec<_> =
        shader.entries().iter().map(|entry| (&*entry.address, entry.kind.clone(), entry.stage)).collect();
    let (vertex, fragment) = (Some(Stage::Vertex), Some(Stage::Fragment));
    assert_eq!(
        found,
        [
            ("pass0/vp/d3d9[0]", Kind::File, vertex),
            ("pass1/vp/opengl[0]", Kind::Foreign("a program for opengl".into()), vertex),
            ("pass1/vp/d3d9[0]", Kind::File, vertex),
            ("pass1/vp/d3d9[1]", Kind::File, vertex),
            ("pass1/vp/d3d11[0]", Kind::Container(Format::Dxbc), vertex),
            ("pass1/fp/d3d9[0]", Kind::File, fragment),
        ]
    );
    assert_eq!(shader.entries()[3].aliases, ["Base%2F2/vp/d3d9[1]", "pass1/vp/d3d9[FOG_ON+LIGHT]"]);
    assert_eq!(bytes_of(&shader, "pass1/vp/d3d9[FOG_ON+LIGHT]"), VERTEX.as_bytes());
    assert_eq!(bytes_of(&shader, "Base%2F2/fp/d3d9[0]"), PIXEL.as_bytes());
    assert_eq!(bytes_of(&shader, "pass1/vp/d3d11[0]"), dxbc());
    let Detail::Unity(detail) = shader.detail() else { panic!("a shader") };
    assert_eq!((&*detail.name, &detail.passes[..]), ("Own/Tint", &[String::new(), "Base/2".into()][..]));
    let bindings: Vec<(BindingKind, u32, u32, &str)> = detail.programs[3]
        .bindings
        .iter()
        .map(|Binding { kind, register, registers, name, .. }| (*kind, *register, *registers, &**name))
        .collect();
    assert_eq!(
        bindings,
        [
            (BindingKind::Matrix, 0, 4, "glstate_matrix_mvp"),
            (BindingKind::Matrix, 4, 3, "_World"),
            (BindingKind::Vector, 7, 1, "_Color"),
            (BindingKind::Float, 8, 1, "_Size"),
            (BindingKind::Texture, 0, 1, "_MainTex"),
        ]
    );
    assert_eq!(shader.replace(&[]).expect("same").bytes, file.as_bytes());
}

/// An edit gives the file that is built with the new text.
#[test]
fn texts_grow_and_shrink() {
    let file =
        |first: &str, second: &str| shader(&[sub("d3d9", LINES, first)], &[], &[sub("d3d9", "", second)]);
    let old = file(VERTEX, PIXEL);
    let short = "ps_2_0\n";
    let edits = [(0, PIXEL.as_bytes()), (1, short.as_bytes())];
    assert_eq!(read(old.as_bytes()).replace(&edits).expect("edited").bytes, file(PIXEL, short).into_bytes());
    // The closing quote keeps a line of its own, and lines their ends.
    let old = old.replace('\n', "\r\n");
    let new = file(VERTEX, "ps_2_0\nmov oC0, c0\n").replace('\n', "\r\n");
    let edited = read(old.as_bytes()).replace(&[(1, b"ps_2_0\nmov oC0, c0")]).expect("edited").bytes;
    assert_eq!(String::from_utf8(edited).expect("a text"), new);
    let refusal = read(old.as_bytes()).replace(&[(1, b"ps_2_0 // \"x\"\n")]).expect_err("refused");
    assert_eq!(refusal.id, rules::FIT.id);
}

#[test]
fn letters_are_written() {
    let text = |bytes: &[u8]| {
        let letters = letters(bytes);
        let lines: Vec<&str> =
            letters.as_bytes().chunks(40).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
        shader(&[sub("d3d11", "", &format!("vs_4_0\n{}\n", lines.join("\n")))], &[], &[])
    };
    let new = [&dxbc()[..], &[7; 19]].concat();
    let edited = read(text(&dxbc()).as_bytes()).replace(&[(0, &new)]).expect("edited").bytes;
    assert_eq!(String::from_utf8(edited).expect("a text"), text(&new));
}

/// A text that ends early, or has other bytes, is read or refused; nothing panics.
#[test]
fn damaged_texts_are_read_or_refused() {
    let file = shader(
        &[sub("d3d9", LINES, VERTEX)],
        &[sub("d3d11", "", "vs_4_0\neefieced\n")],
        &[sub("d3d9", "", PIXEL)],
    );
    let inside = file.find("vs_2_0").expect("a text");
    for n in 0..file.len() {
        let _ = Container::read(&file.as_bytes()[..n], &mut budget());
        for byte in [b'"', b'{', b'}', b'/', b'\n', 0xFF] {
            let mut damaged = file.clone().into_bytes();
            damaged[n] = byte;
            let _ = Container::read(&damaged[..], &mut budget());
        }
    }
    let cut = Container::read(&file.as_bytes()[..inside + 3], &mut budget()).expect_err("refused");
    assert_eq!(cut.id, rules::SHORT.id);
}
