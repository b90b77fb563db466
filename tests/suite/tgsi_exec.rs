//! Running programs of TGSI: test files of the kind `exec`.

use crate::case::Case;
use crate::exec::{Bound, run_all};
use crate::ir::run_shader;
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::tgsi::lift::{Compat, Options, lift};
use vecasm::isa::tgsi::{Program, text};

/// What lifting leaves open, from a `lift` line: `compat=tgsi_exec` or one fault, and switches.
pub(crate) fn lifting(words: &str) -> Result<Options, String> {
    let mut out = Options::default();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("compat", whose)) => {
                out.compat = Compat::named(whose).ok_or_else(|| format!("`{whose}` is no fault"))?;
            }
            Some((name, value)) => out.switches.set(name, value).map_err(|e| format!("{word}: {e:?}"))?,
            None => return Err(format!("`{word}` is no option")),
        }
    }
    Ok(out)
}

pub(crate) fn shader(program: &Program, options: &Options) -> Result<Shader, String> {
    let shader = lift(program, options).map_err(|e| e.to_string())?;
    match verify(&shader).first() {
        Some(breach) => Err(format!("malformed: {breach}")),
        None => Ok(shader),
    }
}

fn options(case: &Case) -> Result<Options, String> {
    match case.one("lift")? {
        Some(d) => lifting(&d.value).map_err(|e| format!("line {}: {e}", d.line)),
        None => Ok(Options::default()),
    }
}

/// The program behind the comments at the top, with everything that a run of the IR can be given: render targets, samples,
/// triangles, subgroups, textures of every shape. The lines are those of kind `ir`.
pub(crate) fn run_batch(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.body, &text::ParseOptions::default());
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let options = options(case)?;
    for depth in [Depth::Lean, Depth::Full] {
        run_shader(case, &shader(&program, &Options { depth, ..options })?)?;
    }
    Ok(())
}

/// The program behind the comments at the top: TGSI has none of its own. Registers are named as in the text; constants are
/// `CONST0`, and are taken as they are written where the program reads words.
pub(crate) fn run_exec(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.body, &text::ParseOptions::default());
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let options = options(case)?;
    let textures: Vec<Bound> = case
        .all("texture")
        .map(|d| Bound::parse(&d.value).map_err(|e| format!("line {}: {e}", d.line)))
        .collect::<Result<_, _>>()?;
    let printed = text::print(&program, text::Style::default());
    let (again, findings) = text::parse(&printed, &text::ParseOptions::default());
    let again = again.ok_or_else(|| format!("what is printed does not assemble: {findings:?}"))?;
    let lean = shader(&program, &Options { depth: Depth::Lean, ..options })?;
    let full = shader(&program, &Options { depth: Depth::Full, ..options })?;
    run_all(case, &textures, shader(&again, &options)?, lean, full)
}
