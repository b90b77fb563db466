//! Long batches in blocks, on several threads.

use crate::choice::{Choice, ChosenEngine, NotRun};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vecasm_exec::runfile::blocks::{Blocks, Cut, Order};
use vecasm_exec::workers::{Job, Workers};
use vecasm_exec::{Batch, DivergentBarrier, MAX_INVOCATIONS, Outputs, RunError};
use vecasm_ir::ir::Shader;

impl Choice {
    /// Runs a batch on several threads, with the bits that one would give. Batches of one block (16,384 invocations or
    /// somewhat fewer), and shaders whose invocations see more of one another than their quad and subgroup, or leave something
    /// in memory, run on one thread.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn run_on(
        self,
        workers: &dyn Workers,
        shader: &Shader,
        batch: &Batch<'_>,
    ) -> Result<Outputs, NotRun> {
        let blocks = Blocks::of(shader, batch.subgroup);
        let size = blocks.size();
        let whole = || self.start(shader, batch, |_, outputs| outputs.clone());
        let is_spread = blocks.order == Order::Any && (size + 1..=MAX_INVOCATIONS).contains(&batch.count);
        if !is_spread || workers.count() < 2 {
            return whole();
        }
        let cut = Cut::new(shader, batch);
        let mut first = cut.empty();
        cut.fill(&mut first, 0, size);
        let done = self.start(shader, &first, |chosen, outputs| {
            let all = spread(chosen, outputs, &cut, batch.count, size, workers);
            all.map_err(|error| NotRun::of(chosen.engine, error))
        });
        done?
    }
}

/// Where the results of a block go.
struct Place<'o> {
    first: usize,
    cells: Vec<&'o mut [[u32; 4]]>,
    killed: &'o mut [bool],
    exhausted: &'o mut [bool],
}

/// What the threads share.
struct SharedWork<'o> {
    /// The blocks that nobody has begun, the first one last.
    places: Vec<Place<'o>>,
    barriers: Vec<DivergentBarrier>,
    /// Why a block was not run.
    error: Option<RunError>,
}

/// Runs all blocks but the first, which gave `outputs`, and puts everything together.
fn spread(
    chosen: &ChosenEngine<'_>,
    outputs: &Outputs,
    cut: &Cut<'_, '_>,
    count: usize,
    size: usize,
    workers: &dyn Workers,
) -> Result<Outputs, RunError> {
    let mut all = outputs.clone();
    all.cells.iter_mut().for_each(|cell| cell.resize(count, [0; 4]));
    all.killed.resize(count, false);
    all.exhausted.resize(count, false);
    let barriers = std::mem::take(&mut all.barriers);
    let mut places: Vec<Place<'_>> = all
        .killed
        .chunks_mut(size)
        .zip(all.exhausted.chunks_mut(size))
        .enumerate()
        .map(|(n, (killed, exhausted))| Place { first: n * size, cells: Vec::new(), killed, exhausted })
        .collect();
    for cell in &mut all.cells {
        for (place, part) in places.iter_mut().zip(cell.chunks_mut(size)) {
            place.cells.push(part);
        }
    }
    // The first one stands there.
    places.reverse();
    places.pop();
    let rest = Mutex::new(SharedWork { places, barriers, error: None });
    let next = || locked(&rest).places.pop();
    let work = || {
        // Made for the first block: the others may have been faster.
        let mut own = None;
        while let Some(place) = next() {
            let (runner, block) = own.get_or_insert_with(|| (chosen.runner(), cut.empty()));
            cut.fill(block, place.first, size);
            match runner.run(block) {
                Ok(outputs) => {
                    let Outputs { cells, killed, exhausted, barriers, .. } = outputs;
                    place.cells.into_iter().zip(cells).for_each(|(to, from)| to.copy_from_slice(from));
                    place.killed.copy_from_slice(killed);
                    place.exhausted.copy_from_slice(exhausted);
                    let moved =
                        |of: &DivergentBarrier| DivergentBarrier { first: place.first + of.first, ..*of };
                    locked(&rest).barriers.extend(barriers.iter().map(moved));
                }
                // Errors do not depend on the data: those of other blocks are the same.
                Err(error) => {
                    let mut rest = locked(&rest);
                    rest.places.clear();
                    rest.error.get_or_insert(error);
                }
            }
        }
    };
    workers.work((0..workers.count()).map(|_| Box::new(work) as Job<'_>).collect());
    // What the workers have left.
    work();
    let SharedWork { mut barriers, error, .. } = rest.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    barriers.sort_by_key(|barrier| barrier.first);
    barriers.truncate(Outputs::MOST_BARRIERS);
    all.barriers = barriers;
    Ok(all)
}

fn locked<'m, 'o>(rest: &'m Mutex<SharedWork<'o>>) -> MutexGuard<'m, SharedWork<'o>> {
    rest.lock().unwrap_or_else(PoisonError::into_inner)
}
