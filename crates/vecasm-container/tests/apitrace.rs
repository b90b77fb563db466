//! Dumps of apitrace, written here as its printer does.

use vecasm_container::{Budget, Container, Detail, Format, Kind, Limits, rules};
use vecasm_ir::ir::Stage;

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &str) -> Container<'_> {
    Container::read(bytes.as_bytes(), &mut budget()).expect("a dump")
}

const DUMP: &str = r#"// process.name = "own.exe"

10 Direct3DCreate9(SDKVersion = 32) = 0x1000
12 D3DCompile(pSrcData = "float4 main() : COLOR
30 IDirect3DDevice9::CreateVertexShader(this = 0x1, pFunction = \"no\")
{ return 1; }", Target = "ps_2_0") = S_OK
220 IDirect3DDevice9::CreateVertexShader(this = 0x2000, pFunction = "// mvp (c0)
    vs_2_0
    dcl_position v0
    m4x4 oPos, v0, c0
", ppShader = &0x3000) = D3D_OK
221 IDirect3DDevice9::SetVertexShaderConstantF(this = 0x2000, StartRegister = 4, pConstantData = {1, -0.5, 2e-3, 0}, Vector4fCount = 1) = D3D_OK
222 IDirect3DDevice8::SetPixelShaderConstantF(this = 0x2000, StartRegister = 4, pConstantData = NULL, Vector4fCount = 0) = D3D_OK
230 IDirect3DDevice9::CreatePixelShader(this = 0x2000, pFunction = blob("blob_call230.bin"), ppShader = &0x3010) = D3D_OK
231 IDirect3DDevice9Ex::CreatePixelShader(this = 0x2000, pFunction = "// a \"b\" \\ c
    ps_2_0", ppShader = &0x3010) = D3D_OK
231 IDirect3DDevice9::CreatePixelShader(this = 0x2000, pFunction = NULL, ppShader = NULL) = D3DERR_INVALIDCALL
240 @1f IDirect3DDevice8::CreatePixelShader(this = 0x2000, pFunction = "ps.1.1
", pHandle = &0x3010) = D3D_OK
"#;

#[test]
fn programs_are_listed_by_their_calls() {
    let dump = read(DUMP);
    assert_eq!(dump.format(), Format::Apitrace);
    let found: Vec<_> = dump
        .entries()
        .iter()
        .map(|entry| {
            let bytes = dump.bytes(entry, &mut budget()).expect("bytes").into_owned();
            (&*entry.address, &entry.kind, entry.stage, String::from_utf8(bytes).expect("a text"))
        })
        .collect();
    let (vertex, fragment) = (Some(Stage::Vertex), Some(Stage::Fragment));
    let blob = Kind::Foreign("a program in the file blob_call230.bin".into());
    let listing = "// mvp (c0)\n    vs_2_0\n    dcl_position v0\n    m4x4 oPos, v0, c0\n";
    assert_eq!(
        found,
        [
            ("call220", &Kind::File, vertex, listing.to_string()),
            ("call230", &blob, fragment, "blob_call230.bin".to_string()),
            ("call231", &Kind::File, fragment, "// a \"b\" \\ c\n    ps_2_0".to_string()),
            ("call240", &Kind::File, fragment, "ps.1.1\n".to_string()),
        ]
    );
    let Detail::Apitrace(detail) = dump.detail() else { panic!("a dump") };
    // The line inside the text of call 12 is none.
    assert_eq!(detail.calls, 9);
    let [constants] = &detail.constants[..] else { panic!("{:?}", detail.constants) };
    assert_eq!((constants.call, constants.stage, constants.register), (221, Stage::Vertex, 4));
    assert_eq!(constants.values, [1.0, -0.5, 0.002, 0.0]);
    assert!(dump.findings().is_empty());
}

#[test]
fn dumps_are_not_written() {
    let dump = read(DUMP);
    assert_eq!(dump.replace(&[]).expect("same").bytes, DUMP.as_bytes());
    assert_eq!(dump.replace(&[(0, b"vs_2_0")]).expect_err("refused").id, rules::READ_ONLY.id);
}

/// A dump that ends early has the calls before; nothing panics, whatever the bytes are.
#[test]
fn damaged_dumps_are_read_or_refused() {
    let inside = DUMP.find("m4x4").expect("a text");
    let dump = read(&DUMP[..inside]);
    assert!(dump.entries().is_empty());
    assert_eq!(dump.findings()[0].id, rules::UNREADABLE.id);
    for n in 0..DUMP.len() {
        let _ = Container::read(&DUMP.as_bytes()[..n], &mut budget());
        for byte in [b'"', b'(', b')', b'\\', b'\n', 0xFF] {
            let mut damaged = DUMP.as_bytes().to_vec();
            damaged[n] = byte;
            let _ = Container::read(&damaged[..], &mut budget());
        }
    }
    // A number of a call has any length.
    let long = format!("{}9 Call(a = 1)\n1 Call()\n", "9".repeat(100));
    assert_eq!(Container::read(long.as_bytes(), &mut budget()).expect_err("refused").id, rules::FORMAT.id);
}
