//! Reads of what has not been written, component by component, along the paths of a program.
//!
//! Two sets go along: what some path to a place has written, and what every path has. Reading what no path wrote is an error,
//! reading what not every path wrote a warning: the documentation says that initialisation across paths is not enforced.
//! Predicated writes count as writes. A subroutine begins with what its callers have, and a call gives back all that the
//! subroutine writes.

use super::code::{Code, Instruction, Read};
use super::findings::{Findings, rules};
use super::outputs::starred;
use crate::d3d9::reads::destination;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Opcode, Unit};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::operand::{LANES, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    VERTEX "D3D9-X5326" 5326 Error Recorded "Read of uninitialized components(*) in %1: %2",
        "Temporaries have no default in vertex shaders: each component must be written before it is read. Words of X5036, as a public tool expects them; page vs-registers-temporary.";
    PIXEL_1 "D3D9-X5036" 5036 Error Recorded "Read of uninitialized components(*) in %1: %2",
        "Temporaries have no default, nor has t# until a texture instruction writes it (ps_1_1 to ps_1_3); phase discards the alpha of every r#. Message seen in a public report; pages ps-registers-temporary, phase---ps.";
    PIXEL "D3D9-uninitialized" Error Documented "Read of uninitialized components(*) in %1: %2",
        "Temporaries have no default. Page ps-registers-temporary; the number that the runtime gives from ps_2_0 on is not known.";
    PATH "D3D9-uninitialized-path" Warning Documented "On some paths uninitialized components(*) are read in %1: %2",
        "Initialisation across paths is \"not validated or enforced in general\". Page ps-instructions-flow-control.";
    SPECIAL "D3D9-unset" Error Believed "%1 is read before it is written: .%2",
        "a0 and p0 have no default. Pages vs-registers-address, vs-registers-predicate; that the runtime rejects it is inferred.";
}

/// Registers that are followed: r#, t#, a0 and p0.
const TEMPORARIES: usize = 32;
const TEXTURES: usize = TEMPORARIES;
const ADDRESS: usize = TEXTURES + 8;
const PREDICATE: usize = ADDRESS + 1;

/// Components of registers: four bits each, 16 registers a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; 3]);

impl Set {
    fn get(&self, n: usize) -> u8 {
        self.0.get(n / 16).map_or(0, |word| (word >> (n % 16 * 4)) as u8 & 15)
    }

    fn add(&mut self, n: usize, mask: WriteMask) {
        if let Some(word) = self.0.get_mut(n / 16) {
            *word |= u64::from(mask.bits()) << (n % 16 * 4);
        }
    }

    fn union(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    fn intersect(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
}

/// What has been written in front of a place.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    some: Set,
    every: Set,
}

impl State {
    fn join(&mut self, other: &Self) {
        self.some.union(&other.some);
        self.every.intersect(&other.every);
    }

    fn write(&mut self, n: usize, mask: WriteMask) {
        self.some.add(n, mask);
        self.every.add(n, mask);
    }
}

/// An open block.
#[derive(Clone, Copy, Debug)]
enum Block {
    /// What a conditional began with; behind else, what its first branch gave.
    If(State),
    /// What a loop began with.
    Loop(State),
}

/// The register that is followed, if it is one.
fn place(code: &Code<'_>, ty: RegType, number: u16) -> Option<usize> {
    let number = usize::from(number);
    let old = code.is_pixel() && code.version.number() < 0x0104;
    match ty {
        RegType::Temp if number < TEMPORARIES => Some(number),
        RegType::AddrOrTexture if old && number < 8 => Some(TEXTURES + number),
        RegType::AddrOrTexture if !code.is_pixel() && number == 0 => Some(ADDRESS),
        RegType::Predicate if number == 0 => Some(PREDICATE),
        _ => None,
    }
}

/// What an instruction writes of it.
fn writes(code: &Code<'_>, i: &Instruction<'_>) -> Option<(usize, WriteMask)> {
    if i.is_setup() {
        return None;
    }
    let write = i.write.filter(|write| write.index.is_none())?;
    let register = write.register?;
    Some((place(code, register.ty, register.number)?, i.written()))
}

/// Conditionals and loops beyond that depth are not followed; no model has so many levels.
const MAX_DEPTH: usize = 256;

/// What the code has, looked at beforehand: what each loop and each subroutine writes.
#[derive(Debug, Default)]
struct Summary {
    /// What is written within each loop, in the order of the loops.
    loops: Vec<Set>,
    /// What each subroutine writes, with what it calls.
    routines: BTreeMap<u16, Set>,
}

/// Looks at the code from its end, so that what a call runs is known when the call comes. `None` if it is nested too deeply.
fn summarize(code: &Code<'_>) -> Option<Summary> {
    // Routines in order, each with what it writes itself and whom it calls.
    let mut own: Vec<(Option<u16>, Set, Vec<u16>)> = Vec::new();
    own.push((None, Set::default(), Vec::new()));
    for i in code.instructions() {
        if i.is(Opcode::Label) {
            own.push((i.label(), Set::default(), Vec::new()));
        }
        let Some(last) = own.last_mut() else { continue };
        if let Some((n, mask)) = writes(code, &i) {
            last.1.add(n, mask);
        }
        if matches!(i.op, Some(Opcode::Call | Opcode::Callnz)) {
            last.2.extend(i.label().filter(|called| !last.2.contains(called)).filter(|_| last.2.len() < 64));
        }
    }
    let mut summary = Summary::default();
    for (name, mut set, calls) in own.into_iter().rev() {
        for called in calls {
            if let Some(more) = summary.routines.get(&called) {
                set.union(more);
            }
        }
        if let Some(name) = name {
            summary.routines.insert(name, set);
        }
    }
    let mut open: Vec<usize> = Vec::new();
    for i in code.instructions() {
        match i.op {
            Some(Opcode::Loop | Opcode::Rep) => {
                open.push(summary.loops.len());
                summary.loops.push(Set::default());
            }
            Some(Opcode::Endloop | Opcode::Endrep) => {
                let inside = open.pop().and_then(|n| summary.loops.get(n)).copied().unwrap_or_default();
                if let Some(outer) = open.last().and_then(|n| summary.loops.get_mut(*n)) {
                    outer.union(&inside);
                }
            }
            Some(Opcode::Label) => open.clear(),
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
        let Some(innermost) = open.last().and_then(|n| summary.loops.get_mut(*n)) else { continue };
        if let Some((n, mask)) = writes(code, &i) {
            innermost.add(n, mask);
        }
        if matches!(i.op, Some(Opcode::Call | Opcode::Callnz)) {
            if let Some(more) = i.label().and_then(|called| summary.routines.get(&called)) {
                innermost.union(more);
            }
        }
    }
    Some(summary)
}

pub(super) fn pass(code: &Code<'_>, f: &mut Findings) {
    let Some(summary) = summarize(code) else { return };
    let mut state = State::default();
    let mut blocks: Vec<Block> = Vec::new();
    let mut loops = summary.loops.iter();
    // What the callers of each subroutine have written.
    let mut entries: BTreeMap<u16, State> = BTreeMap::new();
    // What the first instruction of a pair writes: the second one reads what was there before.
    let mut pending: Option<(usize, WriteMask)> = None;
    for i in code.instructions() {
        let Some(op) = i.op else { continue };
        if !i.token.is_coissued() {
            if let Some((n, mask)) = pending.take() {
                state.write(n, mask);
            }
        }
        reads(code, &i, &state, f);
        if blocks.len() > MAX_DEPTH {
            return;
        }
        match op {
            Opcode::If | Opcode::Ifc => blocks.push(Block::If(state)),
            Opcode::Else => {
                if let Some(Block::If(begin)) = blocks.last_mut() {
                    core::mem::swap(begin, &mut state);
                }
            }
            Opcode::Endif => {
                if let Some(Block::If(other)) = blocks.last() {
                    state.join(other);
                    blocks.pop();
                }
            }
            Opcode::Loop | Opcode::Rep => {
                blocks.push(Block::Loop(state));
                // A later turn reads what an earlier one wrote.
                if let Some(inside) = loops.next() {
                    state.some.union(inside);
                }
            }
            Opcode::Endloop | Opcode::Endrep => {
                if let Some(Block::Loop(begin)) = blocks.last() {
                    // It may run no turn.
                    state.join(begin);
                    blocks.pop();
                }
            }
            Opcode::Call | Opcode::Callnz => {
                let Some(called) = i.label() else { continue };
                entries.entry(called).and_modify(|entry| entry.join(&state)).or_insert(state);
                if let Some(set) = summary.routines.get(&called) {
                    state.some.union(set);
                    state.every.union(set);
                }
            }
            Opcode::Label => {
                blocks.clear();
                // What nothing calls reads what it likes.
                let entry = i.label().and_then(|called| entries.get(&called)).copied();
                let all = Set([u64::MAX; 3]);
                state = entry.unwrap_or(State { some: all, every: all });
            }
            Opcode::Phase => {
                for set in [&mut state.some, &mut state.every] {
                    for word in set.0.iter_mut().take(TEMPORARIES / 16) {
                        // The fourth of each four bits.
                        *word &= 0x7777_7777_7777_7777;
                    }
                }
            }
            _ => {
                if let Some((n, mask)) = writes(code, &i) {
                    let paired = code.is_pixel() && code.version.major() == 1;
                    if paired && !i.token.is_coissued() && op.row().unit == Unit::Arithmetic {
                        pending = Some((n, mask));
                    } else {
                        state.write(n, mask);
                    }
                }
            }
        }
    }
}

fn reads(code: &Code<'_>, i: &Instruction<'_>, state: &State, f: &mut Findings) {
    for (n, read) in i.reads().iter().enumerate() {
        // Once for each register and its components is enough.
        let again = |earlier: &Read| earlier.register == read.register && earlier.lanes == read.lanes;
        if !i.reads().iter().take(n).any(again) {
            one(code, i, read, state, f);
        }
        address(code, i, read.index, state, f);
    }
    if let Some(predicate) = &i.predicate {
        one(code, i, predicate, state, f);
    }
    if let Some(write) = i.write {
        address(code, i, write.index, state, f);
    }
    // texdepth reads what it names as its destination. The rows of a matrix are no registers that anything was written to.
    if let (Some(Opcode::Texdepth), Some(register)) = (i.op, i.write.and_then(|write| write.register)) {
        if let Some(n) = place(code, register.ty, register.number) {
            let read = destination(Opcode::Texdepth).unwrap_or_default();
            let missing = WriteMask::from_bits(read.bits() & !state.some.get(n));
            if missing != WriteMask::NONE {
                f.at(PIXEL_1, i, &[&register.name(code.version), &stars(code, missing)]);
            }
        }
    }
}

/// The register that a number is relative to.
fn address(
    code: &Code<'_>,
    i: &Instruction<'_>,
    index: Option<super::code::Index>,
    state: &State,
    f: &mut Findings,
) {
    // Pixel shaders have no a0, which is a finding of its own.
    let index = index.filter(|index| !code.is_pixel() && index.ty() == Some(RegType::AddrOrTexture));
    let Some(index) = index else { return };
    let needed = 1 << index.source.swizzle().get(0);
    let missing = WriteMask::from_bits(needed & !state.some.get(ADDRESS));
    if missing != WriteMask::NONE {
        f.at(SPECIAL, i, &[&"a0", &missing.letters()]);
    }
}

fn stars(code: &Code<'_>, missing: WriteMask) -> String {
    starred(missing, if code.is_pixel() { ['r', 'g', 'b', 'a'] } else { LANES })
}

fn one(code: &Code<'_>, i: &Instruction<'_>, read: &Read, state: &State, f: &mut Findings) {
    let Some(register) = read.register.filter(|_| read.index.is_none()) else { return };
    let Some(n) = place(code, register.ty, register.number) else { return };
    // Coordinates of ps_1_4 have three components, whatever the selector says, which has a finding of its own.
    let coordinates = code.is_pixel() && code.version.number() == 0x0104 && i.is(Opcode::Tex);
    let lanes = read.lanes.bits() & if coordinates { 7 } else { 15 };
    let missing = |set: &Set| WriteMask::from_bits(lanes & !set.get(n));
    let (never, sometimes) = (missing(&state.some), missing(&state.every));
    let name = register.name(code.version);
    if never != WriteMask::NONE {
        let rule = match (code.is_pixel(), code.version.major()) {
            _ if n >= ADDRESS => return f.at(SPECIAL, i, &[&name, &never.letters()]),
            (false, _) => VERTEX,
            (true, 0 | 1) => PIXEL_1,
            _ => PIXEL,
        };
        f.at(rule, i, &[&name, &stars(code, never)]);
    } else if sometimes != WriteMask::NONE {
        f.at(PATH, i, &[&name, &stars(code, sometimes)]);
    }
}
