//! What the preshaders of Direct3D compute before a run or a draw.

use vecasm::diag::Diagnostic;
use vecasm::isa::AnyProgram;
use vecasm::isa::d3d9::preshader::{self, Inputs, Preshader, run::Switches};
use vecasm::isa::d3d9::symbols::PRESHADER;
use vecasm::render::scene::Element;

/// The preshader of a program, if it has one.
pub(crate) fn of(program: &AnyProgram) -> Option<Preshader> {
    let AnyProgram::D3d9(program) = program else { return None };
    preshader::of(program).0
}

/// The registers of the shader that a preshader computes from what is given for its own constants, as elements of
/// [`PRESHADER`]; others have their default values. Given last counts most.
pub(crate) fn computed(
    preshader: &Preshader,
    given: &[Element],
    switches: &Switches,
) -> Result<Vec<Element>, Diagnostic> {
    let mut inputs = Inputs::of(preshader);
    for (_, register, bits) in given.iter().filter(|(array, ..)| array == PRESHADER) {
        inputs.set(*register, bits.map(f32::from_bits));
    }
    let outputs = preshader::run(preshader, &inputs, switches)?;
    let floats = outputs.floats.into_iter().map(|(n, value)| ("c".into(), n, value.map(f32::to_bits)));
    let ints = outputs.ints.into_iter().map(|(n, value)| ("i".into(), n, value.map(|lane| lane as u32)));
    let bools = outputs.bools.into_iter().map(|(n, value)| ("b".into(), n, [u32::from(value); 4]));
    Ok(floats.chain(ints).chain(bools).collect())
}
