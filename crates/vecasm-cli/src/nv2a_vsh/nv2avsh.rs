//! `nv2avsh`, the assembler, in place of the one of nv2a-vsh 0.1.12.

#![forbid(unsafe_code)]

#[path = "mod.rs"]
mod nv2a_vsh;

use nv2a_vsh::{Flag, Tool};
use std::process::ExitCode;
use vecasm::isa::nv2a::bytes;
use vecasm::isa::nv2a::text::tools::{Answer, AssembleOptions, inl, nv2avsh};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::lower::{OptimizeOptions, optimize};

const TOOL: Tool = Tool {
    name: "nv2avsh",
    usage: "nv2avsh [-h] [-e] [-v] [--strict-compat] [--optimize] source_path [target_path]",
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
  --optimize            with fewer slots and the same results, to the bit; a
                        note says how many, if there are fewer
",
};

fn main() -> ExitCode {
    let mut flags = [
        Flag::new(Some('e'), "explicit-final"),
        // Nothing was seen to depend on it.
        Flag::new(Some('v'), "verbose"),
        Flag::new(None, "strict-compat"),
        Flag::new(None, "optimize"),
    ];
    nv2a_vsh::main(&TOOL, &mut flags, |flags, name, source| {
        let [explicit_final, _, strict_compat, optimize] = flags else { return Default::default() };
        let options =
            AssembleOptions { explicit_final: explicit_final.given, strict_compat: strict_compat.given };
        let answer = nv2avsh(name, source, &options);
        if optimize.given { optimized(answer) } else { answer }
    })
}

/// The same with fewer slots, if that can be; a note says what was done.
fn optimized(mut answer: Answer) -> Answer {
    let Some(words) = answer.output.as_deref().and_then(bytes::parse_words) else { return answer };
    let program = AnyProgram::decode_lossless(Isa::Nv2a, &words);
    let Ok(made) = optimize(&program, &OptimizeOptions::default()) else { return answer };
    let [before, after] = made.instructions;
    let certificate = made.certificate.map_or(String::new(), |certificate| format!(", {certificate}"));
    match (&made.kept, &made.program) {
        (None, AnyProgram::Nv2a(program)) => {
            answer.errors += &format!("note: optimized: {before} → {after} slots{certificate}\n");
            answer.output = Some(inl(program));
        }
        (Some(why), _) => {
            answer.errors += &format!("note: not optimized ({before} slots{certificate}): {why}\n");
        }
        _ => {}
    }
    answer
}
