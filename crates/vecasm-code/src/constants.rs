//! Numbers of constant registers, where a target has one file of them that literals share.

use crate::physical::{IndexRegister, Literals, Operand, Physical, Register};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::ir::Shader;

/// Where literals go.
#[derive(Clone, Debug)]
pub(crate) enum LiteralPlace {
    /// To the end of the file, downwards.
    Last,
    /// To registers that have been literals before, then behind the constants, then wherever there is room; never to those
    /// that are taken.
    /// Where indices reach constants, only what is `defined` so already is a literal again.
    Next { before: Vec<u32>, taken: BTreeSet<u32>, defined: BTreeMap<u32, [u32; 4]> },
}

/// The numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstantNumbers {
    /// Of each constant that is read, by array and element.
    pub(crate) constants: BTreeMap<(u32, u32), u32>,
    /// Of all other elements of arrays with computed indices, but those that literals take.
    pub(crate) reached: Vec<((u32, u32), u32)>,
    /// Of each register of literals.
    pub(crate) literals: Vec<u32>,
}

/// Why there are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// So many are needed.
    Constants(u32),
    /// Indices may reach all there are.
    Indexed,
}

/// What instructions read of constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadConstants {
    /// Elements, by array.
    pub(crate) used: BTreeSet<(u32, u32)>,
    /// What computed indices reach, by array.
    pub(crate) indexed: BTreeMap<u32, BTreeSet<u32>>,
}

/// What a list of instructions reads; `rows` tells how many registers an operand is.
pub(crate) fn read(
    shader: &Shader,
    list: &[Physical],
    rows: impl Fn(&Physical, &Operand) -> u32,
) -> ReadConstants {
    let mut out = ReadConstants::default();
    for physical in list {
        for operand in &physical.sources {
            match operand.register {
                Register::Param { array, index } => {
                    out.used.extend((0..rows(physical, operand)).map(|row| (array, index + row)));
                }
                Register::ParamAt { array, offset, by, .. } => {
                    out.indexed.entry(array).or_default().extend(reach_of(shader, array, offset));
                    if let IndexRegister::Param { array, index } = by {
                        out.used.insert((array, index));
                    }
                }
                _ => {}
            }
        }
    }
    out
}

/// The elements that an index means which is added to an offset: those of the constant there in the table of the source, or all of the
/// array.
fn reach_of(shader: &Shader, array: u32, offset: i32) -> core::ops::Range<u32> {
    let Some(of) = shader.params.get(array as usize) else { return 0..0 };
    let offset = u32::try_from(offset).unwrap_or(0);
    let named = shader.symbols.constants.iter().find(|symbol| {
        let end = symbol.first.saturating_add(symbol.count);
        symbol.array == of.name && symbol.count > 1 && (symbol.first..end).contains(&offset)
    });
    named.map_or(0..of.size, |symbol| symbol.first..symbol.first.saturating_add(symbol.count).min(of.size))
}

/// Numbers the constants of a list of instructions: they keep their numbers where these fit. `rows` tells how many registers an
/// operand is, `first` where the numbers begin, `most` where they end.
pub(crate) fn number(
    shader: &Shader,
    list: &[Physical],
    literals: &Literals,
    rows: impl Fn(&Physical, &Operand) -> u32,
    (first, most): (u32, u32),
    place: &LiteralPlace,
) -> Result<ConstantNumbers, NoRoom> {
    let ReadConstants { used, indexed } = read(shader, list, rows);
    let mut out = ConstantNumbers::default();
    let count = literals.registers.len() as u32;
    let room = most.saturating_sub(first);
    let arrays: BTreeSet<u32> = used.iter().map(|(array, _)| *array).collect();
    let straight = arrays.len() <= 1 && used.iter().all(|(_, index)| *index < room);
    let mut end = first;
    for (n, &(array, index)) in used.iter().enumerate() {
        let number = if straight || !indexed.is_empty() { index } else { n as u32 };
        if number >= room {
            return Err(NoRoom::Constants(number + 1 + count));
        }
        out.constants.insert((array, index), first + number);
        end = end.max(first + number + 1);
    }
    let mut reached: BTreeSet<u32> = BTreeSet::new();
    for elements in indexed.values() {
        reached.extend(elements.iter().filter(|index| **index < room).map(|index| first + index));
    }
    let behind = reached.last().map_or(end, |last| end.max(last + 1));
    if reached.len() as u32 >= room && room > 0 && count > 0 {
        return Err(NoRoom::Indexed);
    }
    match place {
        LiteralPlace::Last => {
            if behind + count > most {
                return Err(NoRoom::Constants(behind + count));
            }
            out.literals.extend((1..=count).map(|n| most - n));
        }
        LiteralPlace::Next { before, taken, defined } => {
            let held: BTreeSet<u32> = out.constants.values().copied().collect();
            let is_free = |number: &u32| !reached.contains(number) && !held.contains(number);
            let holes = (first..most).filter(|number| is_free(number) && !taken.contains(number));
            let old =
                before.iter().copied().filter(|number| (first..most).contains(number) && is_free(number));
            let mut free: Vec<u32> = old.collect();
            let (next, rest): (Vec<u32>, Vec<u32>) = holes.partition(|number| *number >= behind);
            for number in next.into_iter().chain(rest) {
                if !free.contains(&number) {
                    free.push(number);
                }
            }
            for register in &literals.registers {
                // What an index finds by mistake stays what it was.
                let says = |bits: &[u32; 4]| register.iter().zip(bits).all(|(a, b)| a == b);
                let fits = |number: &u32| indexed.is_empty() || defined.get(number).is_none_or(says);
                let same = |number: &u32| !indexed.is_empty() && defined.contains_key(number) && fits(number);
                let at = free.iter().position(same).or_else(|| free.iter().position(fits));
                let Some(at) = at else { return Err(NoRoom::Constants(behind + count)) };
                out.literals.push(free.remove(at));
            }
        }
    }
    // An index that means something else than the table of the source says still finds what the source has there.
    for &array in indexed.keys() {
        let size = shader.params.get(array as usize).map_or(0, |of| of.size);
        let others = (0..size.min(room)).filter(|index| !used.contains(&(array, *index)));
        let others = others.filter(|index| !out.literals.contains(&(first + index)));
        out.reached.extend(others.map(|index| ((array, index), first + index)));
    }
    Ok(out)
}
