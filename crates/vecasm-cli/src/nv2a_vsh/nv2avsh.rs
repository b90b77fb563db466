//! `nv2avsh`, the assembler, in place of the one of nv2a-vsh 0.1.12.

#![forbid(unsafe_code)]

#[path = "mod.rs"]
mod nv2a_vsh;

use nv2a_vsh::{Flag, Tool};
use std::process::ExitCode;
use vecasm::isa::nv2a::text::tools::{AssembleOptions, nv2avsh};

const TOOL: Tool = Tool {
    name: "nv2avsh",
    usage: "nv2avsh [-h] [-e] [-v] [--strict-compat] source_path [target_path]",
    help: "\
positional arguments:
  source_path           the text to assemble
  target_path           the file for the words; standard output if left out

options:
  -h, --help            show this help message and exit
  --version             show the version and exit
  -e, --explicit-final  end the program with a slot of its own that does
                        nothing, instead of marking the last one
  -v, --verbose         accepted; there is nothing more to say
  --strict-compat       do everything as nv2a-vsh 0.1.12 does it, also where
                        its words are wrong or it stops with an exception
",
};

fn main() -> ExitCode {
    let mut flags = [
        Flag::new(Some('e'), "explicit-final"),
        // Nothing was seen to depend on it.
        Flag::new(Some('v'), "verbose"),
        Flag::new(None, "strict-compat"),
    ];
    nv2a_vsh::main(&TOOL, &mut flags, |flags, name, source| {
        let [explicit_final, _, strict_compat] = flags else { return Default::default() };
        let options =
            AssembleOptions { explicit_final: explicit_final.given, strict_compat: strict_compat.given };
        nv2avsh(name, source, &options)
    })
}
