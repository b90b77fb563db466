//! `nv2avshd`, the disassembler, in place of the one of nv2a-vsh 0.1.12.

#![forbid(unsafe_code)]

#[path = "mod.rs"]
mod nv2a_vsh;

use nv2a_vsh::{Flag, Tool};
use std::process::ExitCode;
use vecasm::isa::nv2a::text::tools::{DisassembleOptions, nv2avshd};

const TOOL: Tool = Tool {
    name: "nv2avshd",
    usage: "nv2avshd [-h] [-t] [-e] [-v] [--strict-compat] source_path [target_path]",
    help: "\
positional arguments:
  source_path      words, microcode or a pushbuffer to disassemble
  target_path      the file for the text; standard output if left out

options:
  -h, --help       show this help message and exit
  --version        show the version and exit
  -t, --text       the source is text: its words are the hexadecimal numbers
                   after 0x, wherever they are
  -e, --explain    list the fields of each slot after its line
  -v, --verbose    accepted; there is nothing more to say
  --strict-compat  do everything as nv2a-vsh 0.1.12 does it, also where what it
                   prints is wrong or it stops with an exception
",
};

fn main() -> ExitCode {
    let mut flags = [
        Flag::new(Some('t'), "text"),
        Flag::new(Some('e'), "explain"),
        // Nothing was seen to depend on it.
        Flag::new(Some('v'), "verbose"),
        Flag::new(None, "strict-compat"),
    ];
    nv2a_vsh::main(&TOOL, &mut flags, |flags, name, source| {
        let [text, explain, _, strict_compat] = flags else { return Default::default() };
        let options = DisassembleOptions {
            text: text.given,
            explain: explain.given,
            strict_compat: strict_compat.given,
        };
        nv2avshd(name, source, &options)
    })
}
