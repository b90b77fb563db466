//! Programs that lie somewhere among other bytes.

#[cfg(any(feature = "scan", feature = "xbe"))]
pub(crate) use slots::{Run, runs};
#[cfg(any(feature = "pe", feature = "scan"))]
pub(crate) use tokens::Steps;
#[cfg(feature = "scan")]
pub(crate) use tokens::length;
#[cfg(feature = "pe")]
pub(crate) use tokens::streams;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

/// Of things that overlap the longest ones; the first of two as long. In order.
#[cfg(any(feature = "scan", feature = "xbe"))]
pub(crate) fn longest<T>(mut found: Vec<(Range<usize>, T)>) -> Vec<(Range<usize>, T)> {
    found.sort_by_key(|(range, _)| (core::cmp::Reverse(range.len()), range.start));
    let mut kept: BTreeMap<usize, (usize, T)> = BTreeMap::new();
    for (range, what) in found {
        let before = kept.range(..range.end).next_back();
        if before.is_none_or(|(_, (end, _))| *end <= range.start) {
            kept.insert(range.start, (range.end, what));
        }
    }
    kept.into_iter().map(|(start, (end, what))| (start..end, what)).collect()
}

/// Programs of Direct3D 9.
#[cfg(any(feature = "pe", feature = "scan"))]
mod tokens {
    use crate::cursor::Result;
    use crate::limits::exceeded;
    use alloc::vec::Vec;
    use core::ops::Range;
    use vecasm_isa::d3d9::bytes::decode_lossless;
    use vecasm_isa::d3d9::program::{InstructionToken, ItemKind, PARAMETER, Version};

    /// A longer program has not been seen.
    const MOST: usize = 1 << 20;
    const END: u32 = 0x0000_FFFF;
    const COMMENT: u16 = 0xFFFE;
    /// `def`, whose numbers may look like anything.
    const DEF: u16 = 0x51;

    /// What is left of the steps that a search may take, so that no file makes it long.
    #[derive(Debug)]
    pub(crate) struct Steps {
        left: usize,
        all: usize,
    }

    impl Steps {
        /// Some steps for each byte.
        pub(crate) fn of(bytes: usize) -> Self {
            let all = bytes.saturating_mul(16).saturating_add(1 << 16);
            Self { left: all, all }
        }

        pub(crate) fn take(&mut self, n: usize) -> Result<()> {
            match self.left.checked_sub(n) {
                Some(left) => {
                    self.left = left;
                    Ok(())
                }
                None => Err(exceeded("a search for programs", "", self.all, "steps")),
            }
        }
    }

    /// The programs that begin at words of these bytes, none inside another one.
    #[cfg(feature = "pe")]
    pub(crate) fn streams(bytes: &[u8], steps: &mut Steps) -> Result<Vec<Range<usize>>> {
        let mut out = Vec::new();
        let mut start = 0;
        while let Some(rest) = bytes.get(start..).filter(|rest| rest.len() >= 12) {
            match length(rest, steps)? {
                Some(len) => {
                    out.push(start..start + len);
                    start += len;
                }
                None => start += 4,
            }
        }
        Ok(out)
    }

    /// How many bytes the program has that these begin with, if it is one: a version that exists, instructions that exist, and
    /// the end.
    pub(crate) fn length(bytes: &[u8], steps: &mut Steps) -> Result<Option<usize>> {
        let word = |n: usize| {
            let bytes = bytes.get(n.checked_mul(4)?..)?.get(..4)?;
            bytes.try_into().ok().map(u32::from_le_bytes)
        };
        let Some(version) = word(0).map(Version).filter(|version| version.is_known()) else {
            return Ok(None);
        };
        let mut n = 1;
        let mut instructions = 0;
        let end = loop {
            steps.take(1)?;
            let Some(token) = word(n).filter(|_| n * 4 < MOST) else { return Ok(None) };
            let token = InstructionToken(token);
            if token.0 == END {
                break n + 1;
            }
            if token.code() == COMMENT {
                n += 1 + (token.0 >> 16) as usize;
                continue;
            }
            if token.opcode().is_none() || token.reserved() != 0 {
                return Ok(None);
            }
            instructions += 1;
            n += 1;
            if version.major() >= 2 {
                n += token.length() as usize;
            } else if token.code() == DEF {
                n += 5;
            } else {
                while word(n).is_some_and(|word| word & PARAMETER != 0) {
                    n += 1;
                    steps.take(1)?;
                }
            }
        };
        let Some(code) = bytes.get(..end * 4).filter(|_| instructions > 0) else { return Ok(None) };
        steps.take(end)?;
        let program = decode_lossless(code);
        let sound = |kind: ItemKind| {
            matches!(kind, ItemKind::Version | ItemKind::Instruction | ItemKind::Comment | ItemKind::End)
        };
        Ok(program.items().iter().all(|item| sound(item.kind)).then_some(code.len()))
    }
}

/// Programs of the NV2A.
#[cfg(any(feature = "scan", feature = "xbe"))]
mod slots {
    use super::longest;
    use alloc::vec::Vec;
    use core::ops::Range;
    use vecasm_isa::nv2a::program::{Kind, Mux, Slot};
    use vecasm_isa::nv2a::table::{Field, Ilu, Mac, Port, SLOTS};

    /// What looks like a program.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Run {
        /// Where it is.
        pub(crate) range: Range<usize>,
        /// What its header says, if it has one.
        pub(crate) kind: Option<Kind>,
        /// How many slots it has.
        pub(crate) slots: usize,
        /// Whether it writes the position.
        pub(crate) writes_position: bool,
    }

    fn slot(bytes: &[u8], at: usize) -> Option<Slot> {
        let mut slot = Slot::default();
        let bytes = bytes.get(at..at.checked_add(Slot::SIZE)?)?;
        for (to, from) in slot.0.iter_mut().zip(bytes.chunks_exact(4)) {
            *to = u32::from_le_bytes([from[0], from[1], from[2], from[3]]);
        }
        Some(slot)
    }

    /// Whether a slot may be one of a program: what the hardware does not keep is zero, the operations exist, and what they
    /// read does.
    fn is_plausible(slot: Slot) -> bool {
        let ports = [Port::A, Port::B, Port::C];
        slot.get(Field::Word0) == 0
            && slot.0 != [0; 4]
            && slot.get(Field::Word1High) == 0
            && slot.mac().is_some()
            && ports.iter().all(|&port| !slot.reads(port) || slot.source(port).mux != Mux::Undefined)
    }

    fn is_idle(slot: Slot) -> bool {
        slot.mac() == Some(Mac::Nop) && slot.ilu() == Ilu::Nop
    }

    /// Whether a slot writes oPos, which is output 0.
    fn writes_position(slot: Slot) -> bool {
        slot.get(Field::OutOrb) == 1
            && slot.get(Field::OutAddress) & 15 == 0
            && slot.get(Field::OutOMask) != 0
            && !is_idle(slot)
    }

    /// The programs in these bytes, at every `step` bytes: behind a header, or of two slots or more of which the last and no other
    /// is final. Of those that overlap the longest.
    pub(crate) fn runs(bytes: &[u8], step: usize) -> Vec<Run> {
        let mut found = Vec::new();
        for phase in (0..Slot::SIZE).step_by(step) {
            let mut start = None;
            let mut at = phase;
            while let Some(slot) = slot(bytes, at) {
                let next = at + Slot::SIZE;
                if !is_plausible(slot) {
                    start = None;
                } else if slot.is_final() {
                    if let Some(start) =
                        start.filter(|start| (2..=SLOTS).contains(&((next - start) / Slot::SIZE)))
                    {
                        found.push((start..next, ()));
                    }
                    start = None;
                } else if start.is_none() && !is_idle(slot) {
                    start = Some(at);
                }
                at = next;
            }
        }
        // With a header in front a program is longer, and so the one that is kept.
        for at in (0..bytes.len().saturating_sub(3)).step_by(step) {
            if let Some((_, count)) = header(bytes, at) {
                let first = at + 4;
                let ends = slot(bytes, first + (count - 1) * Slot::SIZE).is_some_and(|slot| slot.is_final());
                let is_program = ends
                    && (0..count).all(|n| {
                        slot(bytes, first + n * Slot::SIZE)
                            .is_some_and(|slot| is_plausible(slot) && slot.is_final() == (n + 1 == count))
                    });
                if is_program {
                    found.push((at..first + count * Slot::SIZE, ()));
                }
            }
        }
        longest(found).into_iter().map(|(range, ())| run(bytes, range)).collect()
    }

    /// The kind and the number of slots in a header.
    fn header(bytes: &[u8], at: usize) -> Option<(Kind, usize)> {
        let &[a, b, c, d] = bytes.get(at..at + 4)? else { return None };
        let kind = Kind::from_version(u16::from_le_bytes([a, b]))?;
        let count = usize::from(u16::from_le_bytes([c, d]));
        (1..=SLOTS).contains(&count).then_some((kind, count))
    }

    fn run(bytes: &[u8], range: Range<usize>) -> Run {
        let kind = header(bytes, range.start).filter(|_| range.len() % Slot::SIZE == 4).map(|(kind, _)| kind);
        let slots = range.len() / Slot::SIZE;
        let first = range.end - slots * Slot::SIZE;
        let writes = (0..slots).filter_map(|n| slot(bytes, first + n * Slot::SIZE)).any(writes_position);
        Run { range, kind, slots, writes_position: writes }
    }
}
