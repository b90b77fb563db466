//! Whether every way through a pixel shader writes the depth: through both branches of conditionals, and into subroutines.

use super::code::{Code, Instruction};
use super::findings::{Findings, rules};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

rules! {
    pub(in crate::d3d9) const RULES; const;

    DEPTH_PATHS "D3D9-depth-paths" Error Documented
        "oDepth is not written on every path through the program",
        "A program that writes the depth must write it on every path. A loop may run zero times, callnz may not call, a predicate may be false. Page ps-registers-output-depth.";
}

/// What matters of an instruction.
#[derive(Clone, Copy)]
enum Event {
    Write,
    /// A block whose first branch stands alone until `Else`: a conditional or a loop.
    Open,
    Else,
    Close,
    Call(u16),
}

fn event(i: &Instruction<'_>) -> Option<Event> {
    Some(match i.op? {
        Opcode::If | Opcode::Ifc | Opcode::Rep | Opcode::Loop => Event::Open,
        Opcode::Else => Event::Else,
        Opcode::Endif | Opcode::Endrep | Opcode::Endloop => Event::Close,
        Opcode::Call => Event::Call(i.label()?),
        _ => {
            let depth = !i.is_setup() && i.write.is_some_and(|write| write.is_of(RegType::DepthOut));
            return (depth && !i.token.is_predicated()).then_some(Event::Write);
        }
    })
}

/// Checks a program of ps_3_0; before, the depth is never written under flow control.
pub(super) fn pass(code: &Code<'_>, f: &mut Findings) {
    if code.version.major() < 3 {
        return;
    }
    // The main program and each subroutine, up to its ret.
    let mut routines: Vec<(Option<u16>, Vec<Event>)> = Vec::new();
    routines.push((None, Vec::new()));
    let (mut ended, mut any) = (false, false);
    for i in code.instructions() {
        match i.op {
            Some(Opcode::Label) => {
                ended = false;
                routines.push((i.label(), Vec::new()));
            }
            Some(Opcode::Ret) => ended = true,
            _ => {}
        }
        any |= !i.is_setup() && i.write.is_some_and(|write| write.is_of(RegType::DepthOut));
        if let (Some((_, events)), Some(event), false) = (routines.last_mut(), event(&i), ended) {
            events.push(event);
        }
    }
    if !any {
        return;
    }
    // Calls go forward: from the end on, what is called is known. What is not known writes nothing.
    let mut known: BTreeMap<u16, bool> = BTreeMap::new();
    let mut main = false;
    for (label, events) in routines.iter().rev() {
        let writes = always(events, &known);
        match label {
            Some(label) => drop(known.insert(*label, writes)),
            None => main = writes,
        }
    }
    if !main {
        f.at_program(DEPTH_PATHS, &[]);
    }
}

/// Whether all ways through a routine write.
fn always(events: &[Event], known: &BTreeMap<u16, bool>) -> bool {
    let mut written = false;
    // For each open block: whether the depth was written in front of it, and at the end of its first branch.
    let mut blocks: Vec<(bool, Option<bool>)> = Vec::new();
    for event in events {
        match event {
            Event::Write => written = true,
            Event::Call(label) => written |= known.get(label).copied().unwrap_or(false),
            Event::Open => blocks.push((written, None)),
            Event::Else => {
                if let Some((before, branch)) = blocks.last_mut() {
                    *branch = Some(written);
                    written = *before;
                }
            }
            Event::Close => {
                if let Some((before, branch)) = blocks.pop() {
                    written = before || branch.is_some_and(|branch| branch && written);
                }
            }
        }
    }
    written
}
