//! What the tests share: shaders run by the interpreter and by generated code.

#![allow(dead_code, reason = "not every test uses everything")]

use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs, RunError};
use vecasm::ir::Shader;
use vecasm::ir::random::Rng;
use vecasm_native::{Compiled, Isa};

/// Values where operations change their ways.
pub(crate) const SPECIAL: [u32; 34] = [
    0,
    1,
    0x0000_1234,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x2000_0000,
    0x3380_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4000_0000,
    0x4040_0000,
    0x4a80_0000,
    0x4b00_0000,
    0x4b00_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0x5f80_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fc0_1234,
    0x7fff_ffff,
];

/// A word: a special one, an ordinary float, a small integer or anything.
pub(crate) fn word(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0..=2 => SPECIAL[rng.below(SPECIAL.len())] | (rng.bits() & 1) << 31,
        3 | 4 => rng.float(),
        5 => (rng.below(80) as u32).wrapping_sub(20),
        _ => rng.bits(),
    }
}

/// Runs a batch with the interpreter and with code for each instruction set that is there. Where there is no code, or the
/// batch is wrong, the error starts with `unsupported`; else it tells the first difference.
pub(crate) fn compare(shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, String> {
    let want = match Interp.run(shader, batch) {
        Ok(want) => want,
        Err(error) => return wrong(shader, batch, error),
    };
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there()) {
        let compiled = match Compiled::new(shader, isa) {
            Ok(compiled) => compiled,
            Err(RunError::Unsupported(what)) => return Err(format!("unsupported: {what}")),
            Err(error) => return Err(format!("{isa:?}: {error}")),
        };
        let got = match compiled.run(batch) {
            Ok(got) => got,
            Err(RunError::Unsupported(what)) => return Err(format!("unsupported: {what}")),
            Err(error) => return Err(format!("{isa:?}: {error}")),
        };
        if let Some(what) = difference(shader, &want, &got) {
            return Err(format!("{isa:?}: {what}"));
        }
    }
    Ok(want)
}

pub(crate) fn difference(shader: &Shader, want: &Outputs, got: &Outputs) -> Option<String> {
    for ((want, got), output) in want.cells.iter().zip(&got.cells).zip(&shader.outputs) {
        for (i, (want, got)) in want.iter().zip(got).enumerate() {
            if want != got {
                return Some(format!("{} of {i}: {got:08x?}, not {want:08x?}", output.name));
            }
        }
    }
    (want != got).then(|| "outputs that are no cells differ".into())
}

/// A batch that the interpreter refuses: the others do so, too.
fn wrong(shader: &Shader, batch: &Batch<'_>, error: RunError) -> Result<Outputs, String> {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there()) {
        match Compiled::new(shader, isa).and_then(|compiled| compiled.run(batch)) {
            Err(got) if got == error => {}
            Err(RunError::Unsupported(_)) => {}
            got => return Err(format!("{isa:?}: {got:?} and not {error:?}")),
        }
    }
    Err("unsupported: a batch that does not fit".into())
}
