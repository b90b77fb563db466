//! One walk over the instructions of a program, front to back, that changes them and puts others beside them.
//!
//! What the walk may ask of the rest of the program is counted once and kept up while it goes: which registers are named
//! somewhere, and which hold nothing from here on. So a walk takes time in proportion to the program, however much it changes.

use super::lines::{Line, Lines, Op, ROOM, Reg, Use, instruction, name, op_of};
use super::{CHANGED, REFUSED};
use crate::d3d9::program::{Destination, ItemKind, Source, Stage, Version};
use crate::d3d9::registers::RegType;
use crate::d3d9::rules::ps1;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Temporaries of models 1.x and of ps_2_0, and their number.
pub(super) const TEMPORARIES: u16 = 12;
/// Texture registers that are temporaries for arithmetic up to ps_1_3.
const TEXTURES: u16 = 4;
/// Constants of ps_1_x.
pub(super) const CONSTANTS: u16 = 8;
/// The registers that a walk may be asked about.
const SLOTS: usize = (TEMPORARIES + TEXTURES + CONSTANTS) as usize;
/// Those of them, the first, whose values it follows.
const FOLLOWED: usize = (TEMPORARIES + TEXTURES) as usize;

/// The place of a register among those that a walk may be asked about.
fn slot((ty, number): Reg) -> Option<usize> {
    let (first, count) = match ty {
        RegType::Temp => (0, TEMPORARIES),
        RegType::AddrOrTexture => (TEMPORARIES, TEXTURES),
        RegType::Const => (TEMPORARIES + TEXTURES, CONSTANTS),
        _ => return None,
    };
    (number < count).then(|| usize::from(first + number))
}

/// The place of a register whose value is followed.
fn followed(reg: Reg) -> Option<usize> {
    slot(reg).filter(|slot| *slot < FOLLOWED)
}

/// What happens to temporaries and texture registers from an instruction on, of a program without flow.
#[derive(Clone, Copy, Debug, Default)]
struct FutureUse {
    /// The components that are written before anything reads the register: four bits a register.
    written: u64,
    /// Whether anything reads the register afterwards: a bit a register.
    read: u16,
}

impl FutureUse {
    /// The same from one instruction earlier; both halves of a pair read before either writes.
    fn with(mut self, op: &Op, pair: Option<&Op>) -> Self {
        let both = || [Some(op), pair].into_iter().flatten();
        for (reg, mask) in both().filter(|op| !op.setup).filter_map(|op| op.write) {
            if let Some(slot) = followed(reg) {
                self.written |= u64::from(mask.bits() & 15) << (4 * slot);
            }
        }
        for read in both().flat_map(|op| &op.reads) {
            for slot in read.numbers().filter_map(|number| followed((read.reg.0, number))) {
                self.written &= !(15 << (4 * slot));
                self.read |= 1 << slot;
            }
        }
        self
    }

    /// Whether nothing reads what a register holds here: the next that happens to each of its components is a write, or
    /// nothing. `kept` is what the program leaves behind.
    fn is_free(self, reg: Reg, kept: Option<Reg>) -> bool {
        let Some(slot) = followed(reg) else { return false };
        let whole = self.written >> (4 * slot) & 15 == 15;
        whole || self.read >> slot & 1 == 0 && kept != Some(reg)
    }
}

/// The walk. When it is dropped, the program is what it has become.
#[derive(Debug)]
pub(super) struct Sweep<'a> {
    lines: &'a mut Lines,
    version: Version,
    /// The pieces in front of the walk, and behind them those that it has left: both ends are where it works.
    queue: VecDeque<Line>,
    /// How many are in front.
    ahead: usize,
    current: Option<Line>,
    behind: Option<Line>,
    /// How often the registers are named.
    named: [u32; SLOTS],
    /// Of each instruction that is in front, the next one last; the first is the end of the program.
    later: Vec<FutureUse>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(lines: &'a mut Lines) -> Self {
        let version = lines.version();
        let queue = VecDeque::from(core::mem::take(&mut lines.all));
        let ahead = queue.len();
        let mut out = Self {
            lines,
            version,
            queue,
            ahead,
            current: None,
            behind: None,
            named: [0; SLOTS],
            later: Vec::new(),
        };
        out.look_ahead(true);
        out
    }

    /// Counts what is in front of the walk.
    fn look_ahead(&mut self, names: bool) {
        let instructions = || self.queue.iter().take(self.ahead).filter(|line| line.is_instruction());
        let mut named = self.named;
        let mut later = Vec::with_capacity(instructions().count() + 1);
        later.push(FutureUse::default());
        let mut next: Option<Op> = None;
        for line in instructions().rev() {
            let op = op_of(&line.words, self.version);
            if names {
                each_name(&op, |slot| slot.saturating_add(1), &mut named);
            }
            let pair = next.as_ref().filter(|next| next.coissued);
            let skipped = if pair.is_some() { later.len().saturating_sub(2) } else { later.len() - 1 };
            let behind = later.get(skipped).copied().unwrap_or_default();
            later.push(behind.with(&op, pair));
            next = Some(op);
        }
        (self.named, self.later) = (named, later);
    }

    pub(super) const fn version(&self) -> Version {
        self.version
    }

    /// Goes on to the next instruction, unless there is no room for what was put in.
    pub(super) fn next(&mut self) -> Option<Op> {
        if self.lines.room == 0 {
            return None;
        }
        self.leave();
        while self.ahead > 0 {
            self.ahead -= 1;
            let line = self.queue.pop_front()?;
            if line.is_instruction() {
                self.later.pop();
                let op = op_of(&line.words, self.version);
                self.current = Some(line);
                return Some(op);
            }
            self.queue.push_back(line);
        }
        None
    }

    fn leave(&mut self) {
        self.queue.extend(self.current.take());
        self.queue.extend(self.behind.take());
    }

    /// The instruction as it is now.
    pub(super) fn op(&self) -> Op {
        op_of(self.current.as_ref().map_or(&[][..], |line| &line.words), self.version)
    }

    /// The mask of the instruction, which may have more than it writes.
    pub(super) fn mask(&self) -> WriteMask {
        Destination(self.current.as_ref().map_or(0, |line| line.word(1))).mask()
    }

    /// Says that the instruction was changed.
    pub(super) fn note(&mut self, message: String) {
        let finding = Lines::finding(CHANGED, self.current.as_ref(), message);
        self.lines.notes.push(finding);
    }

    /// Says that the instruction cannot be changed.
    pub(super) fn refuse(&mut self, message: String) {
        let finding = Lines::finding(REFUSED, self.current.as_ref(), message);
        self.lines.errors.push(finding);
    }

    /// Changes the instruction.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Line)) {
        let Some(line) = &mut self.current else { return };
        each_name(&op_of(&line.words, self.version), |count| count.saturating_sub(1), &mut self.named);
        change(line);
        each_name(&op_of(&line.words, self.version), |count| count.saturating_add(1), &mut self.named);
    }

    fn new_line(&mut self, words: Vec<u32>, like: Option<(u32, Option<u32>)>) -> Line {
        each_name(&op_of(&words, self.version), |count| count.saturating_add(1), &mut self.named);
        self.lines.room = self.lines.room.saturating_sub(1);
        if self.lines.room == 0 {
            self.refuse(format!(
                "{ROOM} or more instructions would be inserted, more than any model has room for"
            ));
        }
        let here = self.current.as_ref().map(|line| (line.origin, line.number));
        let (origin, number) = like.or(here).unwrap_or((0, None));
        Line { kind: ItemKind::Instruction, words, origin, number }
    }

    /// Puts an instruction in front of this one, or of the pair that it ends.
    pub(super) fn insert_before(&mut self, words: Vec<u32>, pair: bool) {
        let first = self.pair_start().filter(|_| pair);
        let like = first.and_then(|at| self.queue.get(at)).map(|line| (line.origin, line.number));
        let line = self.new_line(words, like);
        match first {
            Some(at) => self.queue.insert(at, line),
            None => self.queue.push_back(line),
        }
    }

    /// Puts an instruction behind this one; the walk does not come to it, and is done with this one.
    pub(super) fn insert_behind(&mut self, words: Vec<u32>) {
        let line = self.new_line(words, None);
        self.leave();
        self.behind = Some(line);
    }

    /// The first half of the pair whose second half the instruction is, as its place in the queue.
    fn pair_start(&self) -> Option<usize> {
        self.op().coissued.then_some(())?;
        (self.ahead..self.queue.len()).rev().find(|at| self.queue.get(*at).is_some_and(Line::is_instruction))
    }

    /// The instruction behind this one.
    fn following(&self) -> Option<Op> {
        let line = self.queue.iter().take(self.ahead).find(|line| line.is_instruction())?;
        Some(op_of(&line.words, self.version))
    }

    /// Whether no instruction names a register; one that a walk may be asked about.
    pub(super) fn is_unused(&self, reg: Reg) -> bool {
        slot(reg).and_then(|slot| self.named.get(slot)).is_some_and(|count| *count == 0)
    }

    /// A register that the instruction can write in the place of its result, with nothing lost.
    pub(super) fn free_for_result(&self) -> Option<Reg> {
        let op = self.op();
        let later = self.later.last().copied().unwrap_or_default();
        self.free(self.later.len() > 1, later, |reg| !op.names(reg), true)
    }

    /// A register that holds nothing in front of the instruction, or in front of the pair that it is in, and that the
    /// instruction may read in the place of another file.
    fn free_before(&self, op: &Op, other: Option<&Op>) -> Option<Reg> {
        let next = self.later.last().copied().unwrap_or_default();
        let first = self.pair_start().and_then(|at| self.queue.get(at));
        let later = match first {
            Some(first) => next.with(&op_of(&first.words, self.version), Some(op)),
            None => {
                let pair = self.following().filter(|next| next.coissued);
                let behind = self.later.len().checked_sub(2).and_then(|at| self.later.get(at)).copied();
                behind.filter(|_| pair.is_some()).unwrap_or(next).with(op, pair.as_ref())
            }
        };
        // In a pair the register must not be touched by the other half either.
        let touched = |reg: Reg| other.is_some_and(|other| other.names(reg) || op.names(reg));
        // Each half has ports of its own, and a pair has three.
        let textures = |ops: &[&Op]| {
            let named = |n: &u16| ops.iter().any(|op| op.reads((RegType::AddrOrTexture, *n)));
            (0..TEXTURES).filter(named).count()
        };
        let most = ps1::ports('t', self.version) as usize;
        let port = textures(&[op]) < most && other.is_none_or(|other| textures(&[op, other]) < 3);
        self.free(true, later, |reg| !touched(reg), port)
    }

    /// One that nothing names first; then one whose value is over, if it `may` be used. Temporaries come before texture
    /// registers, which are only looked at if there is a `port` for one.
    fn free(&self, followed: bool, later: FutureUse, may: impl Fn(Reg) -> bool, port: bool) -> Option<Reg> {
        let pixel = self.version.stage() == Stage::Pixel;
        let temporaries = match (pixel, self.version.minor()) {
            (false, _) => TEMPORARIES,
            (true, 4) => 6,
            (true, _) => 2,
        };
        // The result of ps_1_x.
        let kept = pixel.then_some((RegType::Temp, 0));
        let all = || (0..temporaries).map(|n| (RegType::Temp, n));
        let never = all().find(|reg| self.is_unused(*reg) && kept != Some(*reg));
        let never = never.or_else(|| all().find(|reg| self.is_unused(*reg)).filter(|_| followed));
        let over = |reg: &Reg| may(*reg) && later.is_free(*reg, kept);
        // Up to ps_1_3 arithmetic writes them like temporaries.
        let has_textures = pixel && port && self.version.number() < 0x0104;
        let textures = || (0..TEXTURES).filter(|_| has_textures).map(|n| (RegType::AddrOrTexture, n));
        never
            .or_else(|| all().find(over))
            .or_else(|| textures().find(|reg| self.is_unused(*reg)))
            .or_else(|| textures().find(over))
    }

    /// Copies what the instruction reads to a free register first, and reads that. All sources that read the same are
    /// changed. If it returns true, there is one source fewer of that file.
    pub(super) fn take_register(&mut self, op: &Op, read: Use, why: &str) -> bool {
        // The rows of a matrix are registers in a row; and each round of the caller must make a difference, or be the last.
        if read.rows > 1 || self.lines.room == 0 {
            self.refuse(format!("{} {why}, and one register cannot hold it", op.name));
            return false;
        }
        let first = self.pair_start().and_then(|at| self.queue.get(at));
        let other = match first {
            Some(first) => Some(op_of(&first.words, self.version)),
            None => self.following().filter(|next| next.coissued),
        };
        let Some(free) = self.free_before(op, other.as_ref()) else {
            self.refuse(format!("{} {why}, and no register is free", op.name));
            return false;
        };
        self.change(|line| {
            for other in &op.reads {
                if other.reg == read.reg && other.relative == read.relative && other.rows == 1 {
                    line.set_register(other.at, free);
                }
            }
        });
        let relative = if read.relative { 1 << 13 } else { 0 };
        let parameters = [
            Destination::new(free.0, free.1, WriteMask::ALL).0,
            Source::new(read.reg.0, read.reg.1, Swizzle::IDENTITY).0 | relative,
        ];
        let (what, through) = (name(read.reg, self.version), name(free, self.version));
        self.note(format!("{} {why}: {what} is copied to {through}", op.name));
        self.insert_before(instruction(crate::d3d9::table::Opcode::Mov, &parameters), true);
        true
    }

    /// Puts an instruction behind the last one that is so, but not behind this one.
    pub(super) fn insert_behind_last(&mut self, words: Vec<u32>, is: impl Fn(&Op) -> bool) {
        let mut order = (0..self.ahead).rev().chain((self.ahead..self.queue.len()).rev());
        let is = |line: &Line| line.is_instruction() && is(&op_of(&line.words, self.version));
        let Some(at) = order.find(|at| self.queue.get(*at).is_some_and(is)) else { return };
        let like = self.queue.get(at).map(|line| (line.origin, line.number));
        let line = self.new_line(words, like);
        self.queue.insert(at + 1, line);
        if at < self.ahead {
            self.ahead += 1;
            self.look_ahead(false);
        }
    }
}

impl Drop for Sweep<'_> {
    fn drop(&mut self) {
        self.leave();
        self.queue.rotate_left(self.ahead);
        self.lines.all = core::mem::take(&mut self.queue).into();
    }
}

/// Changes the counts of the registers that an instruction names.
fn each_name(op: &Op, change: impl Fn(u32) -> u32, counts: &mut [u32; SLOTS]) {
    let reads = op.reads.iter().flat_map(|read| read.numbers().map(|number| (read.reg.0, number)));
    for reg in reads.chain(op.write.map(|write| write.0)) {
        if let Some(count) = slot(reg).and_then(|slot| counts.get_mut(slot)) {
            *count = change(*count);
        }
    }
}
