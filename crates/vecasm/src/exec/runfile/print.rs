//! Results as text.

use crate::diag::push_json_string;
use crate::exec::Outputs;
use crate::ir::Shader;
use alloc::string::String;
use core::fmt::Write as _;

/// The results of a run as JSON: `outputs` has an object an invocation with the bits of every output register that
/// the program writes, `killed` and `exhausted` a truth value an invocation.
pub fn results_json(shader: &Shader, outputs: &Outputs) -> String {
    let mut out = String::from("{\n  \"outputs\": [");
    for i in 0..outputs.killed.len() {
        out.push_str(if i == 0 { "\n    {" } else { ",\n    {" });
        for (k, (cell, output)) in outputs.cells.iter().zip(&shader.outputs).enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            push_json_string(&mut out, &output.name);
            let [x, y, z, w] = cell.get(i).copied().unwrap_or_default();
            let _ = write!(out, ": [\"0x{x:08x}\", \"0x{y:08x}\", \"0x{z:08x}\", \"0x{w:08x}\"]");
        }
        out.push('}');
    }
    let flags = |out: &mut String, name: &str, flags: &[bool]| {
        let _ = write!(out, ",\n  \"{name}\": [");
        for (i, flag) in flags.iter().enumerate() {
            let _ = write!(out, "{}{flag}", if i > 0 { ", " } else { "" });
        }
        out.push(']');
    };
    out.push_str(if outputs.killed.is_empty() { "]" } else { "\n  ]" });
    flags(&mut out, "killed", &outputs.killed);
    flags(&mut out, "exhausted", &outputs.exhausted);
    out.push_str("\n}\n");
    out
}

/// The results of a run, one line an invocation: each output register's name and the bits of its four lanes, eight
/// hexadecimal digits each, then `killed` and `exhausted` where they hold, all separated by blanks.
pub fn results_hex(shader: &Shader, outputs: &Outputs) -> String {
    let mut out = String::new();
    for i in 0..outputs.killed.len() {
        let start = out.len();
        for (cell, output) in outputs.cells.iter().zip(&shader.outputs) {
            let [x, y, z, w] = cell.get(i).copied().unwrap_or_default();
            let _ = write!(out, " {} {x:08x} {y:08x} {z:08x} {w:08x}", output.name);
        }
        for (name, flags) in [("killed", &outputs.killed), ("exhausted", &outputs.exhausted)] {
            if flags.get(i).copied().unwrap_or_default() {
                let _ = write!(out, " {name}");
            }
        }
        if out.len() > start {
            out.remove(start);
        }
        out.push('\n');
    }
    out
}
