//! Threads that run and draw.

use rayon::prelude::*;
use std::fmt;
use vecasm_exec::workers::{Job, Workers};

/// A pool of threads that run and draw: its own, or by default rayon's global one, with as many threads as RAYON_NUM_THREADS or
/// the machine says.
#[derive(Debug, Default)]
pub struct Threads(Option<rayon::ThreadPool>);

/// Why there are no such threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoThreads(String);

impl fmt::Display for NoThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoThreads {}

impl Threads {
    /// The most that can be asked for.
    pub const MOST: u16 = 256;

    /// A pool of its own with that many threads, 1 to [`MOST`](Self::MOST).
    ///
    /// # Errors
    ///
    /// For another number, and if the system starts none.
    pub fn new(count: u16) -> Result<Self, NoThreads> {
        if !(1..=Self::MOST).contains(&count) {
            return Err(NoThreads(format!("{count} is not in 1..={}", Self::MOST)));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count.into()).build();
        pool.map(|pool| Self(Some(pool))).map_err(|error| NoThreads(error.to_string()))
    }

    /// Calls `act` in the pool, by default on the thread of the caller; what it shares out goes to all threads.
    pub fn install<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(own) => own.install(act),
            None => act(),
        }
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0.as_ref().map_or_else(rayon::current_num_threads, rayon::ThreadPool::current_num_threads)
    }

    fn work(&self, jobs: Vec<Job<'_>>) {
        self.install(|| jobs.into_par_iter().with_max_len(1).for_each(|job| job()));
    }
}
