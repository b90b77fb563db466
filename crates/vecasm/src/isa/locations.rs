//! Locations of varyings that targets have.

use crate::ir::{InputKind, OutputKind, Shader};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The first location that targets may lack: WebGPU has 16.
pub(super) const SPARSE: u32 = 16;

/// Numbers the varyings of a pair anew if a location is above 15: those that the fragment shader reads get the locations
/// from 0 on, in ascending order, and what is written but not read those behind.
pub(super) fn number(vertex: &mut Shader, fragment: &mut Shader) {
    let read = fragment.inputs.iter().filter_map(|input| match input.kind {
        InputKind::Varying { location } => Some((location, false)),
        _ => None,
    });
    let written = vertex.outputs.iter().filter_map(|output| match output.kind {
        OutputKind::Varying { location } => Some((location, true)),
        _ => None,
    });
    // What is read comes last, and counts.
    let varyings: BTreeMap<u32, bool> = written.chain(read).collect();
    if varyings.keys().all(|location| *location < SPARSE) {
        return;
    }
    let mut order: Vec<(bool, u32)> =
        varyings.into_iter().map(|(location, unread)| (unread, location)).collect();
    order.sort_unstable();
    let places: BTreeMap<u32, u32> =
        order.iter().zip(0..).map(|((_, location), place)| (*location, place)).collect();
    let place = |location: &mut u32| {
        if let Some(place) = places.get(location) {
            *location = *place;
        }
    };
    for output in &mut vertex.outputs {
        if let OutputKind::Varying { location } = &mut output.kind {
            place(location);
        }
    }
    for input in &mut fragment.inputs {
        if let InputKind::Varying { location } = &mut input.kind {
            place(location);
        }
    }
}

#[cfg(all(test, feature = "tgsi"))]
mod tests {
    use crate::isa::any::LiftOptions;
    use crate::isa::{AnyProgram, Isa};

    #[test]
    fn varyings_of_tgsi_get_locations_that_targets_have() {
        let lifted = |text: &str| {
            let program = AnyProgram::parse(Isa::Tgsi, text, None, None).0.expect("it can be read");
            program.lift(&LiftOptions::default()).expect("it has a meaning")
        };
        let mut vertex = lifted(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[30]\nDCL OUT[2], GENERIC[0]\nDCL OUT[3], GENERIC[9]\n\
             MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nMOV OUT[3], IN[0]\nEND\n",
        );
        let mut fragment = lifted(
            "FRAG\nDCL IN[0], GENERIC[30], PERSPECTIVE\nDCL IN[1], GENERIC[9], PERSPECTIVE\nDCL OUT[0], COLOR\n\
             ADD OUT[0], IN[0], IN[1]\nEND\n",
        );
        Isa::Tgsi.link(&mut vertex, &mut fragment);
        // GENERIC[9] and GENERIC[30] are read: 0 and 1; GENERIC[0] is only written: 2.
        let written: Vec<_> = vertex.outputs.iter().map(|output| output.kind.number()).collect();
        let read: Vec<_> = fragment.inputs.iter().map(|input| input.kind.number()).collect();
        assert_eq!(
            (written, read),
            (alloc::vec![None, Some(1), Some(2), Some(0)], alloc::vec![Some(1), Some(0)])
        );
    }
}
