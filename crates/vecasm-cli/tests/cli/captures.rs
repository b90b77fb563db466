//! Constants from recordings.

use super::{folder, ok, stderr, stdout, vecasm};

/// Calls as `apitrace dump` writes them.
const TRACE: &str = "\
// process.name = \"game.exe\"
100 IDirect3DDevice9::SetVertexShaderConstantF(this = 0x2, StartRegister = 0, pConstantData = {2, 3, 4, 5}, Vector4fCount = 1) = D3D_OK
101 IDirect3DDevice9::SetPixelShaderConstantF(this = 0x2, StartRegister = 0, pConstantData = {9, 9, 9, 9}, Vector4fCount = 1) = D3D_OK
110 IDirect3DDevice9::DrawPrimitive(this = 0x2, PrimitiveType = D3DPT_TRIANGLELIST, StartVertex = 0, PrimitiveCount = 1) = D3D_OK
111 IDirect3DDevice9::SetVertexShaderConstantF(this = 0x2, StartRegister = 0, pConstantData = {6, 7, 8, 9}, Vector4fCount = 1) = D3D_OK
";

/// Lanes as results have them.
fn lanes(numbers: [f32; 4]) -> String {
    let words = numbers.map(|number| format!("\"{:#010x}\"", number.to_bits()));
    format!("[{}]", words.join(", "))
}

#[test]
fn a_trace_gives_the_constants_at_a_call() {
    let program = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, c0\n";
    let dir = folder(
        "captures-trace",
        &[
            ("a.d3d9", program.as_bytes()),
            ("trace.txt", TRACE.as_bytes()),
            ("in.json", br#"{"inputs": [{"v0": [0, 0, 0, 1]}]}"#),
            ("own.json", br#"{"constants": {"c0": [1, 1, 1, 1]}, "inputs": [{"v0": [0, 0, 0, 1]}]}"#),
        ],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let run = |more: &[&str], input: &str| {
        let (file, input, trace) = (path("a.d3d9"), path(input), path("trace.txt"));
        let args = [&["run", &file, "-i", &input, "--constants-from", &trace], more].concat();
        stdout(&ok(&args, "")).to_string()
    };
    assert!(run(&["--constants-before", "110"], "in.json").contains(&lanes([2.0, 3.0, 4.0, 5.0])));
    assert!(run(&[], "in.json").contains(&lanes([6.0, 7.0, 8.0, 9.0])));
    // What a run file gives counts more.
    assert!(run(&[], "own.json").contains(&lanes([1.0, 1.0, 1.0, 1.0])));
    let (file, trace) = (path("a.d3d9"), path("trace.txt"));
    let random = ok(&["run", &file, "--random", "2", "--constants-from", &trace], "");
    assert_eq!(stdout(&random).matches(&lanes([6.0, 7.0, 8.0, 9.0])).count(), 2, "{}", stdout(&random));
    let output =
        vecasm(&["run", &file, "--random", "1", "--constants-from", &trace, "--constants-before", "5"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no call before 5 sets a constant of a vertex program"));
    // Behind the last call is fine.
    let late =
        ok(&["run", &file, "--random", "1", "--constants-from", &trace, "--constants-before", "999"], "");
    assert!(stdout(&late).contains(&lanes([6.0, 7.0, 8.0, 9.0])) && stderr(&late).is_empty());
    // A call without its numbers, and one with three of eight.
    let lost = TRACE.replace("{2, 3, 4, 5}", "?");
    let lost = lost.replace("{6, 7, 8, 9}, Vector4fCount = 1", "{6, 7, 8}, Vector4fCount = 2");
    std::fs::write(dir.join("lost.txt"), lost).unwrap();
    let output = ok(&["run", &file, "--random", "1", "--constants-from", &path("lost.txt")], "");
    let said = stderr(&output);
    assert!(said.contains("call 100: pConstantData has 0 of 4 numbers, and another call likewise"), "{said}");
}

/// A program of one slot that writes oPos, and c96 set before it is drawn.
const LOG: &str = "\
nv2a_pgraph_method 0: 0x97 -> 0x1e9c NV097_SET_TRANSFORM_PROGRAM_LOAD 0x0
nv2a_pgraph_method 0: 0x97 -> 0x0b00 NV097_SET_TRANSFORM_PROGRAM[0] 0x0
nv2a_pgraph_method 0: 0x97 -> 0x0b04 NV097_SET_TRANSFORM_PROGRAM[1] 0x0020001b
nv2a_pgraph_method 0: 0x97 -> 0x0b08 NV097_SET_TRANSFORM_PROGRAM[2] 0x0836106c
nv2a_pgraph_method 0: 0x97 -> 0x0b0c NV097_SET_TRANSFORM_PROGRAM[3] 0x2070f801
nv2a_pgraph_method 0: 0x97 -> 0x1ea4 NV097_SET_TRANSFORM_CONSTANT_LOAD 0x60
nv2a_pgraph_method 0: 0x97 -> 0x0b80 NV097_SET_TRANSFORM_CONSTANT[0] 0x40000000
nv2a_pgraph_method 0: 0x97 -> 0x0b84 NV097_SET_TRANSFORM_CONSTANT[1] 0x40400000
nv2a_pgraph_method 0: 0x97 -> 0x0b88 NV097_SET_TRANSFORM_CONSTANT[2] 0x40800000
nv2a_pgraph_method 0: 0x97 -> 0x0b8c NV097_SET_TRANSFORM_CONSTANT[3] 0x40a00000
nv2a_pgraph_method 0: 0x97 -> 0x1ea0 NV097_SET_TRANSFORM_PROGRAM_START 0x0
nv2a_pgraph_method 0: 0x97 -> 0x17fc NV097_SET_BEGIN_END 0x5
";

#[test]
fn a_log_gives_the_constants_of_its_program() {
    let dir = folder(
        "captures-log",
        &[("log.txt", LOG.as_bytes()), ("own.vsh", b"mov oT0, c[96]\nmov oPos, v0\n")],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let output = ok(&["run", &path("own.vsh"), "--random", "1", "--constants-from", &path("log.txt")], "");
    assert!(stdout(&output).contains(&lanes([2.0, 3.0, 4.0, 5.0])), "{}", stdout(&output));
    // Recordings of the other kind.
    std::fs::write(dir.join("trace.txt"), TRACE).unwrap();
    let output =
        vecasm(&["run", &path("own.vsh"), "--random", "1", "--constants-from", &path("trace.txt")], "");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("this is a trace of Direct3D") && said.contains("log of xemu"), "{said}");
    std::fs::write(dir.join("own.d3d9"), "vs_2_0\nmov oPos, c0\n").unwrap();
    let output =
        vecasm(&["run", &path("own.d3d9"), "--random", "1", "--constants-from", &path("log.txt")], "");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("a file for ") && said.contains("NV2A") && said.contains("apitrace dump"),
        "{said}"
    );
    let output = vecasm(
        &["run", "-", "--isa", "agal", "--random", "1", "--constants-from", &path("log.txt")],
        "mov op, vc0\n",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("recordings for Direct3D 8 and 9"), "{}", stderr(&output));
}
