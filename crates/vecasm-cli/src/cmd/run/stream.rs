//! The run: blocks are read, run by several threads, and written in order. No more of them are in memory than threads keep
//! busy.

use super::data::{DataError, QUADS};
use super::results::{Formatter, Results};
use super::source::{Chunk, Extent, Meaning, Source};
use super::stats::Stats;
use crate::engines;
use crate::report::{self, Ctx};
use crate::{Failure, Outcome};
use indicatif::ProgressBar;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use vecasm::exec::runfile::blocks::{Blocks, Order, carry};
use vecasm::exec::{Batch, Outputs, Runner};
use vecasm::ir::Shader;
use vecasm_engines::{Choice, ChosenEngine};

/// Blocks for each thread that are read while as many are run.
const AHEAD: usize = 4;

/// What is run.
pub(super) struct Job<'j> {
    pub(super) shader: &'j Shader,
    /// What all blocks share; where there is no `source`, the only one.
    pub(super) batch: Batch<'j>,
    /// Invocations that are helpers, if they are not all ordinary.
    pub(super) helpers: &'j [bool],
    pub(super) source: Option<(Source, &'j Meaning)>,
    /// What messages call the source, if its fragments have to come in fours.
    pub(super) quads: Option<String>,
    pub(super) engine: Choice,
    /// Number of threads; 0 for as many as the machine has.
    pub(super) threads: usize,
    /// When the work began.
    pub(super) start: Instant,
}

/// What became of a block.
struct FinishedBlock {
    rows: Vec<Vec<u8>>,
    /// Without cells and memory.
    outputs: Outputs,
    time: Duration,
}

/// Why a block was not run.
enum BlockError {
    Data(Box<DataError>),
    Failure(Failure),
}

impl BlockError {
    fn report(self, ctx: &Ctx) -> Failure {
        match self {
            Self::Data(wrong) => wrong.report(ctx),
            Self::Failure(failure) => failure,
        }
    }
}

/// What a thread has.
struct Worker<'w> {
    runner: Box<dyn Runner + Send + 'w>,
    batch: Batch<'w>,
}

/// What all threads share.
struct Shared<'s> {
    shader: &'s Shader,
    meaning: &'s Meaning,
    helpers: &'s [bool],
    formatter: Formatter<'s>,
    order: Order,
    engine: &'static str,
}

impl Shared<'_> {
    /// Runs a block.
    fn work(&self, worker: &mut Worker<'_>, first: usize, chunk: Chunk) -> Result<FinishedBlock, BlockError> {
        let Worker { runner, batch } = worker;
        fill(batch, self.meaning, self.helpers, first, chunk).map_err(BlockError::Data)?;
        let start = Instant::now();
        let ran = runner.run(batch);
        let time = start.elapsed();
        let outputs = ran.map_err(|error| {
            BlockError::Failure(Failure::usage(format!("engine {}: {error}", self.engine)))
        })?;
        let done = FinishedBlock { rows: self.formatter.rows(first, outputs), outputs: flags(outputs), time };
        if self.order == Order::Submission {
            carry(self.shader, outputs, batch);
        }
        Ok(done)
    }
}

/// Puts a block into a batch.
fn fill(
    batch: &mut Batch<'_>,
    meaning: &Meaning,
    helpers: &[bool],
    first: usize,
    chunk: Chunk,
) -> Result<(), Box<DataError>> {
    batch.count = chunk.count();
    batch.helpers.clear();
    batch.helpers.extend(helpers.iter().skip(first).take(batch.count));
    meaning.inputs(chunk, &mut batch.inputs)
}

/// What is looked at of a block when it is written.
fn flags(outputs: &Outputs) -> Outputs {
    let Outputs { killed, exhausted, barriers, .. } = outputs;
    Outputs {
        killed: killed.clone(),
        exhausted: exhausted.clone(),
        barriers: barriers.clone(),
        ..Outputs::default()
    }
}

/// A progress bar that goes away.
struct Bar(ProgressBar);

impl Bar {
    fn new(extent: Extent, hidden: bool) -> Self {
        Self(match extent {
            _ if hidden => ProgressBar::hidden(),
            Extent::Invocations(count) => report::bar(count, "invocations"),
            Extent::Bytes(bytes) => report::bar_of_bytes(bytes),
            Extent::Unknown => report::bar_without_end("invocations"),
        })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Reads blocks in order.
struct Feed<'f> {
    shader: &'f Shader,
    source: Source,
    size: usize,
    step: usize,
    /// As [`Job::quads`].
    quads: Option<String>,
    /// Number of invocations read.
    first: usize,
    ended: bool,
    /// Why nothing comes any more.
    wrong: Option<Box<DataError>>,
}

impl Feed<'_> {
    /// The next block and how many invocations stand in front of it; there is always a first one.
    fn next(&mut self) -> Option<(usize, Chunk)> {
        if self.ended {
            return None;
        }
        let read = self.source.read(self.shader, self.size, self.step);
        match read.and_then(|(chunk, last)| self.check(chunk, last)) {
            Ok((chunk, last)) => {
                let first = self.first;
                self.first += chunk.count();
                self.ended = last;
                (first == 0 || chunk.count() > 0).then_some((first, chunk))
            }
            Err(wrong) => {
                self.ended = true;
                self.wrong = Some(wrong);
                None
            }
        }
    }

    /// Refuses what is left of a quad.
    fn check(&self, chunk: Chunk, last: bool) -> Result<(Chunk, bool), Box<DataError>> {
        let all = self.first + chunk.count();
        match &self.quads {
            Some(name) if last && all > 1 && all % 4 != 0 => {
                Err(DataError::new(QUADS, name, format!("{all} fragments are not a multiple of four")))
            }
            _ => Ok((chunk, last)),
        }
    }
}

/// Runs everything. `open` opens the results, once the first block has run.
pub(super) fn run<'j>(
    job: Job<'j>,
    open: impl FnOnce() -> Outcome<Results<'j>>,
    warn: &dyn Fn(&Outputs),
    ctx: &Ctx,
) -> Outcome<Stats> {
    let Job { shader, batch: base, helpers, source, quads, engine, threads, start } = job;
    let Some((source, meaning)) = source else {
        let done = engine.start(shader, &base, |chosen, outputs| {
            warn(outputs);
            let mut results = open()?;
            write_batch(&mut results, outputs, ctx)?;
            Ok(stats(chosen, 1, outputs.killed.len(), chosen.first, start))
        });
        return done.unwrap_or_else(|error| Err(engines::failure(&error)));
    };
    let blocks = Blocks::of(shader, base.subgroup);
    let extent = source.extent();
    let mut feed = Feed {
        shader,
        source,
        size: blocks.size(),
        step: blocks.multiple,
        quads,
        first: 0,
        ended: false,
        wrong: None,
    };
    let mut batch = base.clone();
    match feed.next() {
        Some((first, chunk)) => {
            fill(&mut batch, meaning, helpers, first, chunk).map_err(|wrong| wrong.report(ctx))?;
        }
        None => return Err(feed.wrong.map_or(Failure::Reported, |wrong| wrong.report(ctx))),
    }
    let done = engine.start(shader, &batch, |chosen, outputs| {
        warn(outputs);
        let mut results = open()?;
        let formatter = results.formatter();
        let shared =
            Shared { shader, meaning, helpers, formatter, order: blocks.order, engine: chosen.engine };
        let ran = rest(&shared, &mut feed, chosen, outputs, &base, threads, extent, &mut results, ctx);
        let (threads, running) = ran?;
        Ok(stats(chosen, threads, feed.first, running, start))
    });
    done.unwrap_or_else(|error| Err(engines::failure(&error)))
}

fn stats(
    chosen: &ChosenEngine<'_>,
    threads: usize,
    count: usize,
    running: Duration,
    start: Instant,
) -> Stats {
    Stats {
        engine: chosen.engine,
        invocations: count as u64,
        threads,
        compiling: chosen.compiling,
        running,
        total: start.elapsed(),
    }
}

/// Writes a batch that ran in one piece.
fn write_batch(results: &mut Results<'_>, outputs: &Outputs, ctx: &Ctx) -> Outcome {
    results.start()?;
    let rows = results.formatter().rows(0, outputs);
    results.put(&rows, outputs)?;
    results.end(outputs, ctx)
}

/// Writes the first block, which gave `outputs`, and runs all others. Gives the number of threads and how long they ran.
#[allow(clippy::too_many_arguments, reason = "all of a run")]
fn rest<'s>(
    shared: &Shared<'s>,
    feed: &mut Feed<'_>,
    chosen: &ChosenEngine<'_>,
    outputs: &Outputs,
    base: &Batch<'s>,
    threads: usize,
    extent: Extent,
    results: &mut Results<'_>,
    ctx: &Ctx,
) -> Outcome<(usize, Duration)> {
    results.start()?;
    results.put(&shared.formatter.rows(0, outputs), outputs)?;
    let mut running = chosen.first;
    // What the end tells of memory; where blocks leave something, of the last one.
    let mut last = Outputs {
        params: outputs.params.clone(),
        buffers: outputs.buffers.clone(),
        images: outputs.images.clone(),
        ..Outputs::default()
    };
    let (mut pool_size, in_order) = (1, shared.order == Order::Submission);
    if !feed.ended {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(if in_order { 1 } else { threads });
        let pool = pool.build().map_err(|error| Failure::usage(format!("--threads: {error}")))?;
        pool_size = pool.current_num_threads();
        let worker = || Mutex::new(Worker { runner: chosen.runner(), batch: base.clone() });
        let workers: Vec<Mutex<Worker<'_>>> = (0..pool_size).map(|_| worker()).collect();
        let locked = |at: usize| workers[at % workers.len()].lock().unwrap_or_else(PoisonError::into_inner);
        if in_order {
            carry(shared.shader, outputs, &mut locked(0).batch);
        }
        let bar = Bar::new(extent, results.on_terminal());
        if !matches!(extent, Extent::Bytes(_)) {
            bar.0.inc(outputs.killed.len() as u64);
        }
        let mut done: Vec<Result<FinishedBlock, BlockError>> = Vec::new();
        let mut trouble = None;
        let read = |feed: &mut Feed<'_>| -> Vec<(usize, Chunk)> {
            std::iter::from_fn(|| feed.next()).take(pool_size * AHEAD).collect()
        };
        let mut next = read(feed);
        loop {
            let chunks = std::mem::take(&mut next);
            let ready = std::mem::take(&mut done);
            if chunks.is_empty() && ready.is_empty() {
                break;
            }
            let slots: Vec<Mutex<Option<Result<FinishedBlock, BlockError>>>> =
                chunks.iter().map(|_| Mutex::new(None)).collect();
            let put = |slot: &Mutex<Option<Result<FinishedBlock, BlockError>>>, result| {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            };
            let written = pool.in_place_scope(|scope| -> Outcome<Option<BlockError>> {
                if in_order {
                    scope.spawn(|_| {
                        let worker = &mut *locked(0);
                        for ((first, chunk), slot) in chunks.into_iter().zip(&slots) {
                            let result = shared.work(worker, first, chunk);
                            let failed = result.is_err();
                            put(slot, result);
                            if failed {
                                break;
                            }
                        }
                    });
                } else {
                    for ((first, chunk), slot) in chunks.into_iter().zip(&slots) {
                        let (locked, put) = (&locked, &put);
                        scope.spawn(move |_| {
                            let worker = &mut *locked(rayon::current_thread_index().unwrap_or(0));
                            put(slot, shared.work(worker, first, chunk));
                        });
                    }
                }
                // Meanwhile.
                for result in ready {
                    match result {
                        Ok(block) => {
                            results.put(&block.rows, &block.outputs)?;
                            running += block.time;
                            if !matches!(extent, Extent::Bytes(_)) {
                                bar.0.inc(block.outputs.killed.len() as u64);
                            }
                        }
                        Err(error) => return Ok(Some(error)),
                    }
                }
                next = read(feed);
                if let (Extent::Bytes(_), Some(bytes)) = (extent, feed.source.bytes()) {
                    bar.0.set_position(bytes);
                }
                Ok(None)
            })?;
            if written.is_some() {
                trouble = written;
                break;
            }
            let slots =
                slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
            done = slots.map_while(|slot| slot).collect();
        }
        drop(bar);
        if let Some(trouble) = trouble {
            return Err(trouble.report(ctx));
        }
        if in_order {
            let Batch { params, buffers, images, .. } = &mut locked(0).batch;
            last = Outputs {
                params: std::mem::take(params),
                buffers: std::mem::take(buffers),
                images: std::mem::take(images),
                ..Outputs::default()
            };
        }
    }
    if let Some(wrong) = feed.wrong.take() {
        return Err(wrong.report(ctx));
    }
    results.end(&last, ctx)?;
    Ok((pool_size, running))
}
