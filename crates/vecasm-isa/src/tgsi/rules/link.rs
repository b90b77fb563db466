//! A vertex and a fragment program that are used together: what goes from one to the other is matched by semantic.
//!
//! Source: Mesa's manual, on semantics and interpolation.

use super::findings::{Findings, Word, declarations, rules};
use super::validate;
use super::{Options, Profile};
use crate::any::PairFindings;
use crate::tgsi::names::{File, Interpolation, Semantic};
use crate::tgsi::program::{Declaration, Processor, Program};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::operand::{LANES, WriteMask};

rules! {
    pub(super) const RULES; const;

    STAGES "TGSI-link-stages" Error Documented
        "expected a %2 program, found a %1 program",
        "A pair is a VERT program and a FRAG program.";
    MISSING "TGSI-link-missing" Warning Documented
        "the fragment program reads %1[%2], which the vertex program does not write",
        "An input that no earlier stage writes is undefined. The system supplies POSITION, FACE, PCOORD, PRIM_ID, LAYER and VIEWPORT_INDEX.";
    COMPONENTS "TGSI-link-components" Warning Documented
        "the fragment program reads %1[%2].%3, which the vertex program does not write",
        "An input that no earlier stage writes is undefined.";
    COLOUR "TGSI-link-colour" Note Documented
        "%1[%2] is interpolated as %3",
        "The interpolation COLOR follows the state for flat shading; it is for the semantics COLOR and BCOLOR. Other inputs have CONSTANT, LINEAR or PERSPECTIVE.";
    BACK "TGSI-link-back" Note Documented
        "BCOLOR[%1] is written, but COLOR[%1] is not",
        "With two-sided lighting back faces have the colour BCOLOR, front faces COLOR.";
}

/// Every finding about two programs that are used together: those of each, and of what goes from one to the other. Places
/// of the latter are in the fragment program.
pub fn check_pair(vertex: &Program, fragment: &Program, options: &Options) -> PairFindings {
    let linkage = match options.profile {
        Profile::Parse | Profile::Sanity => Vec::new(),
        Profile::Strict | Profile::Virgl => link(vertex, fragment),
    };
    PairFindings { vertex: validate(vertex, options), fragment: validate(fragment, options), linkage }
}

/// What the system gives to fragment programs.
const fn is_given(semantic: Semantic) -> bool {
    matches!(
        semantic,
        Semantic::Position
            | Semantic::Face
            | Semantic::Pcoord
            | Semantic::PrimId
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::Sampleid
            | Semantic::Samplepos
            | Semantic::Samplemask
            | Semantic::Unknown(_)
    )
}

/// The semantics of a declaration, register by register, of those that may be there.
fn semantics(d: &Declaration) -> impl Iterator<Item = (Semantic, u32)> {
    let count = u32::from(d.last.saturating_sub(d.first)).min(80);
    let semantic = d.semantic.map(|s| (s.name, u32::from(s.index)));
    (0..=count).filter_map(move |n| semantic.map(|(name, index)| (name, index + n)))
}

fn link(vertex: &Program, fragment: &Program) -> Vec<Diagnostic> {
    let mut f = Findings::new(fragment);
    let mut fits = true;
    for (program, wanted) in [(vertex, Processor::Vertex), (fragment, Processor::Fragment)] {
        if program.processor != wanted {
            let name = |p: Processor| Word(p.name(), 0);
            f.at_program(STAGES, &[&name(program.processor), &name(wanted)]);
            fits = false;
        }
    }
    if !fits {
        return f.finish();
    }
    let mut written: BTreeMap<(Semantic, u32), u8> = BTreeMap::new();
    for d in vertex.declarations().filter(|d| d.file == File::Out) {
        for key in semantics(d) {
            *written.entry(key).or_default() |= d.mask.bits();
        }
    }
    for (name, index) in written.keys() {
        if *name == Semantic::Bcolor && !written.contains_key(&(Semantic::Color, *index)) {
            f.at_program(BACK, &[index]);
        }
    }
    for (at, d) in declarations(fragment).filter(|(_, d)| d.file == File::In) {
        if let (Some(semantic), Some(how)) = (d.semantic, d.interpolation) {
            let colour = matches!(semantic.name, Semantic::Color | Semantic::Bcolor);
            if how.mode == Interpolation::Color && !colour {
                let args: [&dyn core::fmt::Display; 3] =
                    [&Word(semantic.name.name(), 0), &semantic.index, &"COLOR"];
                f.at(COLOUR, at, &args);
            }
        }
        for (name, index) in semantics(d).filter(|(name, _)| !is_given(*name)) {
            let word = Word(name.name(), 0);
            match written.get(&(name, index)) {
                None => f.at(MISSING, at, &[&word, &index]),
                Some(mask) if d.mask.bits() & !mask != 0 => {
                    let lacking = WriteMask::from_bits(d.mask.bits() & !mask);
                    let letters: String = lacking.lanes().map(|l| LANES[l]).collect();
                    f.at(COMPONENTS, at, &[&word, &index, &letters]);
                }
                Some(_) => {}
            }
        }
    }
    f.finish()
}
