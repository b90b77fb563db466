//! `vecasm asm --assembler macro`.

use super::{stderr, vecasm};
use std::process::Output;

fn asm(args: &[&str], text: &str) -> Output {
    vecasm(&[&["asm"], args].concat(), text)
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    super::stdout(output).into()
}

const TEXT: &str =
    "alias vc4, SCALE(2, 0.5)\n#if LIGHTS > 1\nvt0 = va0 * 0.5\n#else\nvt0 = va0\n#endif\nop = vt0\n";
const MACRO: [&str; 2] = ["--assembler", "macro"];

#[test]
fn constants_and_lines_are_told() {
    let expanded = asm(&[&MACRO[..], &["-D", "LIGHTS=2", "--expand"]].concat(), TEXT);
    let lines = "mul vt0, va0, vc4.y\nmov op, vt0\n";
    assert_eq!(stdout(&expanded), format!("// vc4 = (2, 0.5, 0, 0)  SCALE\n{lines}"));
    let json = stdout(&asm(&[&MACRO[..], &["--define", "LIGHTS=2", "--to", "json"]].concat(), TEXT));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["constants"], serde_json::json!({ "vc4": [2.0, 0.5, 0.0, 0.0] }));
    // The same bytes as the lines alone, in both modes; -D without a value is 1.
    for mode in ["strict", "compat"] {
        let args = [&MACRO[..], &["--mode", mode, "-D", "LIGHTS", "--to", "hex"]].concat();
        let plain = asm(&["--to", "hex"], "mov vt0, va0\nmov op, vt0\n");
        assert_eq!(stdout(&asm(&args, TEXT)), stdout(&plain), "{mode}");
    }
}

#[test]
fn findings_have_their_place_in_the_source() {
    let args = [&MACRO[..], &["--message-format", "short"]].concat();
    let output = asm(&args, TEXT);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "<stdin>:2:5: error[AGAL-macro-undefined]: `LIGHTS` is not defined\n");
    let output = asm(&args, "macro f(a) { out = a + vt99 }\nvt0 = f(va0)\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("<stdin>:1:14: error[AGAL-register-range]"), "{said}");
}

#[test]
fn flags_of_the_macro_language_need_it() {
    assert_eq!(asm(&["--expand"], "mov op, va0\n").status.code(), Some(2));
    assert_eq!(asm(&[&MACRO[..], &["-D", "A=b"]].concat(), "mov op, va0\n").status.code(), Some(2));
    assert_eq!(asm(&[&MACRO[..], &["--expand", "--to", "hex"]].concat(), "").status.code(), Some(2));
}
