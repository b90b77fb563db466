//! What a vertex shader writes.

use super::code::{Code, Register};
use super::findings::{Findings, rules};
use crate::d3d9::program::Stage;
use crate::d3d9::reads::{Lanes, lanes};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use alloc::string::String;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::{LANES, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    POSITION "D3D9-X5350" 5350 Error Recorded
        "Vertex shader must minimally write all four components (xyzw) of oPos output register.  Missing component(*): %1",
        "Several writes may share the work. Message quoted in public sources; page vs-registers-position.";
    POSITION_30 "D3D9-position-unwritten" Warning Documented "position is not written: .%1 of %2",
        "Outputs that are declared but not written have no default. Page dcl-usage-outut-register---vs; whether the runtime rejects it is not known.";
    LANES_30 "D3D9-output-lanes" Warning Believed "%1.%2 is written, but no declaration of %1 has it",
        "Only the components that the declarations of an output name reach the pixel shader. Page dcl-usage-outut-register---vs; whether the runtime rejects it is not known.";
    SCALAR "D3D9-X5430" 5430 Error Recorded
        "When writing to scalar output register, %1 instruction must use replicate swizzle on source parameter(s)",
        "oFog and oPts are one number. Message quoted in a public source, without its end. Direct3D 8 accepts it.";
    ORDER "D3D9-output-order" Warning Documented "oT%1 is written but oT%2 is not",
        "Page vs-registers-modifiers-masking says that texture coordinates are written from oT0 on without gaps. Microsoft's compilers leave gaps (fxc 10.1 for vs_1_1, with validation), so the runtime accepts them.";
    PARTS "D3D9-output-mask" Error Documented "oT%1 is written in .%2",
        "The writes to a texture coordinate must add up to .x, .xy, .xyz or .xyzw. Page vs-registers-modifiers-masking.";
}

/// The components with a star before those of `missing`, as the runtime's messages have them: `x/0 *y/1 z/2 w/3`.
pub(super) fn starred(missing: WriteMask, letters: [char; 4]) -> String {
    let mut out = String::new();
    for (lane, letter) in letters.into_iter().enumerate() {
        let space = if lane == 0 { "" } else { " " };
        let star = if missing.has(lane) { "*" } else { "" };
        out += &alloc::format!("{space}{star}{letter}/{lane}");
    }
    out
}

pub(super) fn pass(code: &Code<'_>, d3d8: bool, f: &mut Findings) {
    if code.version.stage() != Stage::Vertex {
        return;
    }
    if code.version.major() >= 3 {
        return position_30(code, f);
    }
    let mut position = WriteMask::NONE;
    let mut coordinates = [WriteMask::NONE; 8];
    for i in code.instructions() {
        let Some(write) = i.write else { continue };
        let Some(register) = write.register else { continue };
        match (register.ty, register.number) {
            (RegType::RastOut, 0) => position = position.union(i.written()),
            (RegType::RastOut, 1 | 2) if !d3d8 => {
                let scalar = i.reads().iter().enumerate().all(|(n, read)| {
                    let kind = i.op.map(|op| lanes(op, code.version, 0, n, read.shape));
                    kind != Some(Lanes::Written) || read.swizzle.is_scalar()
                });
                if !scalar {
                    f.at(SCALAR, &i, &[&i.name()]);
                }
            }
            (RegType::Output, n) => {
                if let Some(mask) = coordinates.get_mut(usize::from(n)) {
                    *mask = mask.union(i.written());
                }
            }
            _ => {}
        }
    }
    let missing = WriteMask::from_bits(!position.bits());
    if missing != WriteMask::NONE {
        f.at_program(POSITION, &[&starred(missing, LANES)]);
    }
    let last = coordinates.iter().rposition(|mask| *mask != WriteMask::NONE);
    for (n, mask) in coordinates.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
        match mask.bits() {
            0 => f.at_program(ORDER, &[&last.unwrap_or(0), &n]),
            1 | 3 | 7 | 15 => {}
            _ => f.at_program(PARTS, &[&n, &mask.letters()]),
        }
    }
}

/// The position of vs_3_0, in whatever register it is.
fn position_30(code: &Code<'_>, f: &mut Findings) {
    let mut position: Option<Register> = None;
    let mut written = WriteMask::NONE;
    let mut declared = [WriteMask::NONE; 16];
    let mut indexed = false;
    for i in code.instructions() {
        let Some(write) = i.write else { continue };
        let Some(register) = write.register.filter(|register| register.ty == RegType::Output) else {
            continue;
        };
        let Some(lanes) = declared.get_mut(usize::from(register.number)) else { continue };
        if i.is(Opcode::Dcl) {
            *lanes = lanes.union(write.mask());
            let is_position = i
                .usage
                .is_some_and(|usage| (usage.usage(), usage.index()) == (DeclUsage::Position.code(), 0));
            if is_position {
                position = Some(register);
            }
            continue;
        }
        if write.index.is_some() {
            indexed = true;
            continue;
        }
        let beside = WriteMask::from_bits(i.written().bits() & !lanes.bits());
        // One that is not declared at all has its finding.
        if *lanes != WriteMask::NONE && beside != WriteMask::NONE {
            f.at(LANES_30, &i, &[&register.name(code.version), &beside.letters()]);
        }
        if position.is_some_and(|position| position.same(register)) {
            written = written.union(i.written());
        }
    }
    let missing = WriteMask::from_bits(!written.bits());
    // Where outputs are indexed, any write may be the one.
    if let Some(position) = position.filter(|_| !indexed && missing != WriteMask::NONE) {
        f.at_program(POSITION_30, &[&missing.letters(), &position.name(code.version)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_mark_what_is_missing() {
        assert_eq!(starred(WriteMask::from_bits(8), LANES), "x/0 y/1 z/2 *w/3");
        assert_eq!(starred(WriteMask::from_bits(3), ['r', 'g', 'b', 'a']), "*r/0 *g/1 b/2 a/3");
    }
}
