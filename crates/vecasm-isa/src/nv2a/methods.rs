//! The methods of the graphics processor that have to do with vertex programs, and their memory: what a log or a
//! pushbuffer writes, and which programs run.
//!
//! The class is NV097. Sources: nouveau's list of methods, xboxdevwiki, xemu's `pgraph.c`; all agree.

use super::bytes::Packet;
use super::program::Slot;
use super::table::{CONSTANTS, SLOTS};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The class whose methods these are.
pub const CLASS: u32 = 0x97;

/// The number of the memory of constants for [`Use::RamIndex`]. Source: xboxdevwiki.
const CONSTANTS_RAM: u32 = 0x17;

vecasm_ir::documented! {
    /// What a method does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Use {
        /// A word of a slot; after the fourth the load pointer moves to the next slot.
        Program,
        /// A word of a constant; after the fourth the load pointer moves to the next constant.
        Constant,
        /// Drawing begins (data is the primitive) or ends (0).
        BeginEnd,
        /// The input of a vertex state program.
        Data,
        /// A vertex state program runs from the slot that the data names.
        Launch,
        /// What runs: bits 0 and 1 are 2 for programs, 0 for the fixed functions; bit 2 is the range of constants.
        Mode,
        /// Whether programs may write constants.
        WriteEnable,
        /// The load pointer of slots.
        ProgramLoad,
        /// The slot that programs begin with.
        ProgramStart,
        /// The load pointer of constants.
        ConstantLoad,
        /// Which memory, and where in it, the next word is read from or written to: a register, not a method.
        RamIndex,
        /// A word of that memory, after which the index moves on: a register, not a method.
        RamData,
        /// A part of the register combiners or the texture shaders, which are the pixel half of the hardware.
        Combiner,
    }
}

/// A method, or several that stand in a row.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// What it does.
    pub purpose: Use,
    /// The number of the first.
    pub first: u32,
    /// How many there are, 4 apart.
    pub count: u32,
    /// The name behind `NV097_`.
    pub name: &'static str,
}

const fn row(purpose: Use, first: u32, count: u32, name: &'static str) -> Method {
    Method { purpose, first, count, name }
}

/// The methods that are known here.
pub const METHODS: &[Method] = &[
    row(Use::Program, 0x0b00, 32, "SET_TRANSFORM_PROGRAM"),
    row(Use::Constant, 0x0b80, 32, "SET_TRANSFORM_CONSTANT"),
    row(Use::BeginEnd, 0x17fc, 1, "SET_BEGIN_END"),
    row(Use::Data, 0x1e80, 4, "SET_TRANSFORM_DATA"),
    row(Use::Launch, 0x1e90, 1, "LAUNCH_TRANSFORM_PROGRAM"),
    row(Use::Mode, 0x1e94, 1, "SET_TRANSFORM_EXECUTION_MODE"),
    row(Use::WriteEnable, 0x1e98, 1, "SET_TRANSFORM_PROGRAM_CXT_WRITE_EN"),
    row(Use::ProgramLoad, 0x1e9c, 1, "SET_TRANSFORM_PROGRAM_LOAD"),
    row(Use::ProgramStart, 0x1ea0, 1, "SET_TRANSFORM_PROGRAM_START"),
    row(Use::ConstantLoad, 0x1ea4, 1, "SET_TRANSFORM_CONSTANT_LOAD"),
    // Registers, which logs of accesses name; the bits of the index are those of xemu's `nv2a_regs.h`.
    row(Use::RamIndex, 0x40_0750, 1, "RDI_INDEX"),
    row(Use::RamData, 0x40_0754, 1, "RDI_DATA"),
    row(Use::Combiner, 0x0260, 8, "SET_COMBINER_ALPHA_ICW"),
    row(Use::Combiner, 0x0288, 1, "SET_COMBINER_SPECULAR_FOG_CW0"),
    row(Use::Combiner, 0x028c, 1, "SET_COMBINER_SPECULAR_FOG_CW1"),
    row(Use::Combiner, 0x0a60, 8, "SET_COMBINER_FACTOR0"),
    row(Use::Combiner, 0x0a80, 8, "SET_COMBINER_FACTOR1"),
    row(Use::Combiner, 0x0aa0, 8, "SET_COMBINER_ALPHA_OCW"),
    row(Use::Combiner, 0x0ac0, 8, "SET_COMBINER_COLOR_ICW"),
    row(Use::Combiner, 0x1e40, 8, "SET_COMBINER_COLOR_OCW"),
    row(Use::Combiner, 0x1e60, 1, "SET_COMBINER_CONTROL"),
    row(Use::Combiner, 0x1e70, 1, "SET_SHADER_STAGE_PROGRAM"),
];

impl Method {
    /// The whole name.
    pub fn full_name(&self) -> String {
        let register = matches!(self.purpose, Use::RamIndex | Use::RamData);
        format!("{}_{}", if register { "NV_PGRAPH" } else { "NV097" }, self.name)
    }

    /// The method of a number.
    pub fn from_number(number: u32) -> Option<&'static Self> {
        METHODS.iter().find(|m| number >= m.first && number < m.first + m.count * 4 && number % 4 == 0)
    }

    /// The method of a name, with or without `NV097_` (of a register `NV_PGRAPH_`) in front, which `spelled!` does not know.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        let name = ["NV097_", "NV_PGRAPH_"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name);
        METHODS.iter().find(|m| m.name == name)
    }
}

/// A word that is written to a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where it stands in the log or pushbuffer, in bytes.
    pub place: usize,
    /// The method.
    pub method: u32,
    /// The word.
    pub data: u32,
}

/// A program that a log or pushbuffer runs.
#[derive(Debug)]
pub struct Run<'a> {
    /// Its number, from 1: a program that is run again with the same words has none of its own.
    pub number: usize,
    /// Where it runs first: the place of the method that draws or launches.
    pub place: usize,
    /// The first slot.
    pub start: u32,
    /// Whether it is a vertex state program.
    pub state: bool,
    /// Its slots up to the final one, or to the last one that was written.
    pub slots: &'a [Slot],
    /// Where each slot was written.
    pub places: &'a [usize],
    /// The bits of every constant that was written so far, by number.
    pub constants: &'a [Option<[u32; 4]>],
}

/// Words that a log or pushbuffer left out: an upload does not go on where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where it shows: the place of the word that is not the next one, or of what comes before the rest of a slot.
    pub place: usize,
    /// Whether it is about constants, not slots.
    pub constant: bool,
    /// The method that should have been written there, counted from the first one of its kind.
    pub expected: u32,
    /// The one that was written, if another one was.
    pub found: Option<u32>,
}

/// What [`each_program`] saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many different programs were run.
    pub programs: usize,
    /// Whether something was written to the register combiners or texture shaders.
    pub combiners: bool,
    /// Words of slots or constants that were written beyond the memory.
    pub beyond: usize,
}

/// All words of a slot, as bits.
const ALL_WORDS: u8 = 0b1111;

/// The memory, and the registers that say how it is used.
struct Machine {
    slots: Vec<Slot>,
    places: Vec<usize>,
    /// Which words of each slot were written, as bits.
    written: Vec<u8>,
    constants: Vec<Option<[u32; 4]>>,
    program_load: usize,
    constant_load: usize,
    /// The methods of words of slots and of constants that were written last, since the load pointer was set.
    last: [Option<u32>; 2],
    ram_index: u32,
    start: u32,
    fixed: bool,
    /// Whether slots were written or the start was moved since the last run.
    fresh: bool,
    seen: BTreeSet<u64>,
    /// Which slots no program that ran has since they were written.
    idle: Vec<bool>,
    summary: Summary,
}

/// Follows what is written, and calls `visit` for each program that is run, once for each list of words. A program that
/// was uploaded and is not run before the end counts as run there, those last that begin elsewhere than at the start. Takes memory of its own for the image of 136 slots
/// and 192 constants and a few words a program.
pub fn each_program(writes: impl IntoIterator<Item = Write>, visit: impl FnMut(&Run<'_>)) -> Summary {
    each_program_and_gap(writes, visit, |_| {})
}

/// As [`each_program`], and calls `gap` wherever words of an upload are missing. The hardware takes the words in any order; a
/// log in which they do not follow one another is damaged.
pub fn each_program_and_gap(
    writes: impl IntoIterator<Item = Write>,
    mut visit: impl FnMut(&Run<'_>),
    mut gap: impl FnMut(Gap),
) -> Summary {
    let mut m = Machine::new();
    let mut end = 0;
    for write in writes {
        end = write.place;
        if let Some(missing) = m.missing(write) {
            gap(missing);
        }
        m.write(write, &mut visit);
    }
    if let Some(missing) = m.unfinished(end) {
        gap(missing);
    }
    if m.fresh {
        m.run(end, m.start, false, &mut visit);
    }
    m.run_idle(end, &mut visit);
    m.summary
}

/// Follows what is written up to the draw or launch of that number, from 1, and calls `visit` with the program that runs there, whether
/// it ran before or not, and with the constants as they are then. Returns how many draws and launches there are up to that one; draws of
/// the fixed function run none.
pub fn run_at_draw(
    writes: impl IntoIterator<Item = Write>,
    draw: usize,
    mut visit: impl FnMut(&Run<'_>),
) -> usize {
    let mut machine = Machine::new();
    let mut draws = 0;
    for write in writes {
        let begins = begins(write);
        draws += usize::from(begins);
        if begins && draws == draw {
            (machine.fresh, machine.seen) = (true, BTreeSet::new());
            machine.write(write, &mut visit);
            break;
        }
        machine.write(write, &mut |_| {});
    }
    draws
}

/// A draw of a recording, or the launch of a vertex state program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The number of the program that runs, as [`Run::number`] has it; `None` where the fixed function draws, or nothing was uploaded.
    pub program: Option<usize>,
    /// The constants that differ from those at the draw before, by number, as they are at this one.
    pub constants: Vec<(u32, [u32; 4])>,
}

/// The draws and launches of a recording, in their order: the first is draw 1 of [`run_at_draw`].
pub fn draws(writes: impl IntoIterator<Item = Write>) -> Vec<Draw> {
    let mut machine = Machine::new();
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    let mut before = machine.constants.clone();
    let mut out = Vec::new();
    for write in writes {
        if !begins(write) {
            machine.write(write, &mut |_| {});
            continue;
        }
        (machine.fresh, machine.seen) = (true, BTreeSet::new());
        let mut program = None;
        machine.write(write, &mut |run| {
            let next = numbers.len() + 1;
            program = Some(*numbers.entry(hash(run.slots, run.state)).or_insert(next));
        });
        let both = machine.constants.iter().zip(&before).enumerate();
        let changed = both.filter(|(_, (now, before))| now != before);
        let constants = changed.filter_map(|(n, (now, _))| Some((n as u32, (*now)?))).collect();
        out.push(Draw { program, constants });
        before.clone_from(&machine.constants);
    }
    out
}

/// Whether a word that is written draws, or launches a vertex state program.
fn begins(write: Write) -> bool {
    match Method::from_number(write.method).map(|method| method.purpose) {
        Some(Use::BeginEnd) => write.data != 0,
        Some(Use::Launch) => true,
        _ => false,
    }
}

/// Words of a slot or constant.
const WORDS: u32 = 4;

impl Machine {
    /// Before anything is written.
    fn new() -> Self {
        Self {
            slots: vec![Slot::default(); SLOTS],
            places: vec![0; SLOTS],
            written: vec![0; SLOTS],
            constants: vec![None; CONSTANTS as usize],
            program_load: 0,
            constant_load: 0,
            last: [None; 2],
            ram_index: 0,
            start: 0,
            fixed: false,
            fresh: false,
            seen: BTreeSet::new(),
            idle: vec![false; SLOTS],
            summary: Summary::default(),
        }
    }

    /// The words that are missing in front of this one. Uploads go on with the next method, or begin again at the first word of
    /// a slot or constant; where the load pointer was set they begin anywhere.
    fn missing(&mut self, write: Write) -> Option<Gap> {
        let method = Method::from_number(write.method)?;
        let constant = match method.purpose {
            Use::Program => false,
            Use::Constant => true,
            // Here it counts what the memory holds.
            Use::BeginEnd | Use::Launch | Use::ProgramLoad => return self.unfinished(write.place),
            Use::ConstantLoad => {
                self.last[1] = None;
                return None;
            }
            _ => return None,
        };
        let found = (write.method - method.first) / 4;
        let last = self.last[usize::from(constant)].replace(found);
        let expected = match last {
            // A slot that was written before may be changed in part.
            None if !constant && self.written.get(self.program_load).copied() == Some(ALL_WORDS) => {
                return None;
            }
            None => 0,
            Some(last) => last + 1,
        };
        let begins = found % WORDS == 0;
        let good = match last {
            None => begins || constant,
            Some(last) => found == expected || begins && expected % WORDS == 0 && found <= last,
        };
        (!good).then_some(Gap { place: write.place, constant, expected, found: Some(found) })
    }

    /// The words that are missing where the slot that is being written is used, or left.
    fn unfinished(&mut self, place: usize) -> Option<Gap> {
        let last = self.last[0].take()?;
        // Beyond the memory nothing is missing.
        let written = self.written.get(self.program_load).copied().unwrap_or(ALL_WORDS);
        let open = (last + 1) % WORDS != 0 && written != ALL_WORDS;
        open.then_some(Gap { place, constant: false, expected: last + 1, found: None })
    }

    fn write(&mut self, write: Write, visit: &mut impl FnMut(&Run<'_>)) {
        let Some(method) = Method::from_number(write.method) else { return };
        let word = (write.method - method.first) as usize / 4 % 4;
        let data = write.data;
        match method.purpose {
            Use::Program => {
                let at = self.program_load;
                match (self.slots.get_mut(at), self.places.get_mut(at), self.written.get_mut(at)) {
                    (Some(slot), Some(place), Some(written)) => {
                        if word == 0 {
                            *place = write.place;
                        }
                        if let Some(to) = slot.0.get_mut(word) {
                            *to = data;
                        }
                        *written |= 1 << word;
                        self.fresh = true;
                        self.idle[at] = true;
                    }
                    _ => self.summary.beyond += 1,
                }
                self.program_load = at.saturating_add(usize::from(word == 3));
            }
            Use::Constant => {
                let at = self.constant_load;
                match self.constants.get_mut(at) {
                    Some(constant) => {
                        if let Some(to) = constant.get_or_insert([0; 4]).get_mut(word) {
                            *to = data;
                        }
                    }
                    None => self.summary.beyond += 1,
                }
                self.constant_load = at.saturating_add(usize::from(word == 3));
            }
            Use::BeginEnd if !self.fixed => self.run(write.place, self.start, false, visit),
            Use::Launch => {
                self.fresh = true;
                self.run(write.place, data, true, visit);
            }
            Use::Mode => self.fixed = data & 3 == 0,
            Use::ProgramLoad => self.program_load = data as usize,
            Use::ConstantLoad => self.constant_load = data as usize,
            Use::ProgramStart => {
                self.fresh |= self.start != data;
                self.start = data;
            }
            Use::RamIndex => self.ram_index = data,
            Use::RamData => {
                // The constants stand there from w to x. Which number the slots have is not known.
                let address = (self.ram_index & 0x1ffc) / 4;
                if self.ram_index >> 16 & 0x1ff == CONSTANTS_RAM {
                    match self.constants.get_mut(address as usize / 4) {
                        Some(constant) => {
                            if let Some(to) = constant.get_or_insert([0; 4]).get_mut(3 - address as usize % 4)
                            {
                                *to = data;
                            }
                        }
                        None => self.summary.beyond += 1,
                    }
                }
                self.ram_index = self.ram_index & !0x1ffc | ((address + 1) * 4) & 0x1ffc;
            }
            Use::Combiner => self.summary.combiners = true,
            Use::BeginEnd | Use::Data | Use::WriteEnable => {}
        }
    }

    /// Shows programs that were uploaded and never run: slots up to a final one.
    fn run_idle(&mut self, place: usize, visit: &mut impl FnMut(&Run<'_>)) {
        let mut at = 0;
        while let Some(first) = self.idle.iter().skip(at).position(|idle| *idle).map(|n| at + n) {
            let len = self.idle.iter().skip(first).take_while(|idle| **idle).count();
            let slots = self.slots.iter().skip(first).take(len);
            let Some(last) = slots.clone().position(Slot::is_final) else {
                at = first + len;
                continue;
            };
            self.fresh = true;
            self.run(place, first as u32, false, visit);
            at = first + last + 1;
        }
    }

    /// Shows the program that begins at a slot, if it was not shown before.
    fn run(&mut self, place: usize, start: u32, state: bool, visit: &mut impl FnMut(&Run<'_>)) {
        if !core::mem::take(&mut self.fresh) {
            return;
        }
        let from = start as usize;
        let rest = self.slots.get(from..).unwrap_or(&[]);
        let loaded = self.written.get(from..).unwrap_or(&[]).iter().take_while(|w| **w != 0).count();
        let last = rest.iter().take(loaded).position(Slot::is_final).map_or(loaded, |n| n + 1);
        let slots = rest.get(..last).unwrap_or(&[]);
        self.idle.iter_mut().skip(from).take(last).for_each(|idle| *idle = false);
        if slots.is_empty() || !self.seen.insert(hash(slots, state)) {
            return;
        }
        self.summary.programs += 1;
        visit(&Run {
            number: self.summary.programs,
            place,
            start,
            state,
            slots,
            places: self.places.get(from..).and_then(|p| p.get(..last)).unwrap_or(&[]),
            constants: &self.constants,
        });
    }
}

/// FNV-1a over the words.
fn hash(slots: &[Slot], state: bool) -> u64 {
    let mut out = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(state);
    for word in slots.iter().flat_map(|slot| slot.0) {
        out = (out ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    out
}

/// The words that a pushbuffer writes, with the method of each; ends where the bytes are no packet any more.
pub fn writes(bytes: &[u8]) -> impl Iterator<Item = Write> + '_ {
    let mut words =
        bytes.chunks_exact(4).enumerate().map(|(n, c)| (n * 4, u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
    let mut packet: Option<(Packet, u32)> = None;
    core::iter::from_fn(move || {
        loop {
            let (place, word) = words.next()?;
            match packet {
                Some((header, n)) if n < header.count => {
                    packet = Some((header, n + 1));
                    return Some(Write { place, method: header.target(n), data: word });
                }
                _ => packet = Some((Packet::from_word(word)?, 0)),
            }
        }
    })
}
