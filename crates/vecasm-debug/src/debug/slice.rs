//! Which moments of a run made a component: its dynamic ancestry.

use super::recording::Recording;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::operand::WriteMask;
use vecasm_opt::origins;

/// The most lanes that are followed.
const MAX_LANES: usize = 1 << 20;

/// What made one lane of a cell, in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The moments that wrote something the lane depends on, in order; the last one wrote the lane itself.
    pub moments: Vec<usize>,
    /// The lanes that nothing in the run wrote before they were read: inputs, constants, and registers that were never
    /// written. In the order of the cells.
    pub roots: Vec<(Cell, WriteMask)>,
    /// Whether it was too much, so that something is missing.
    pub cut: bool,
}

/// Follows a lane of a cell back from a time, through what each step read for it. It is exact to the lane within a step,
/// see [`origins`]. What decided that these steps ran (the conditions of branches), what neighbours of a quad gave to
/// derivatives, and memory outside of cells are not followed.
pub fn slice(
    shader: &Shader,
    recording: &Recording,
    time: usize,
    (cell, lane): (Cell, usize),
    invocation: usize,
) -> Slice {
    let mut out = Slice::default();
    let mut known: BTreeMap<(usize, usize, usize), Vec<(usize, WriteMask)>> = BTreeMap::new();
    let mut roots: BTreeMap<Cell, WriteMask> = BTreeMap::new();
    let mut moments = BTreeSet::new();
    // The moments and the lanes they wrote that have been followed.
    let mut seen: BTreeSet<(usize, Cell, usize)> = BTreeSet::new();
    let mut work = alloc::vec![(cell, lane, time)];
    while let Some((cell, lane, time)) = work.pop() {
        let writer = recording.writer_of(time, cell, lane, invocation).and_then(|m| recording.moment(m));
        let Some(moment) = writer else {
            let mask = roots.entry(cell).or_default();
            *mask = mask.union(WriteMask::from_bits(1 << (lane & 3)));
            continue;
        };
        if !seen.insert((moment.number(), cell, lane)) {
            continue;
        }
        if seen.len() > MAX_LANES {
            out.cut = true;
            break;
        }
        moments.insert(moment.number());
        let reads = moment.step().reads.len();
        for (n, access) in moment.step().writes.iter().enumerate() {
            let meant = moment.meant(reads + n, invocation);
            if !meant.iter().any(|(of, mask)| *of == cell && mask.has(lane)) {
                continue;
            }
            let Some(place) = access.mask.lanes().position(|l| l == lane) else { continue };
            let of = known
                .entry((moment.step_number(), n, place))
                .or_insert_with(|| origins(shader, moment.step_number() as u32, n, place));
            for &(read, lanes) in of.iter() {
                for (from, mask) in moment.meant(read, invocation) {
                    let lanes = lanes.lanes().filter(|l| mask.has(*l));
                    work.extend(lanes.map(|l| (from, l, moment.number())));
                }
            }
        }
    }
    out.moments = moments.into_iter().collect();
    out.roots = roots.into_iter().collect();
    out
}
