//! Work that is shared out. The engines and the rasterizer start no threads; a caller that has some lends them.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A part of the work. None waits for another.
pub type Job<'j> = Box<dyn FnOnce() + Send + 'j>;

/// Who does several jobs at the same time: the threads of a program.
pub trait Workers {
    /// How many jobs it does at the same time.
    fn count(&self) -> usize;

    /// Does the jobs, in any order, and returns when all are done. A job that is dropped instead is done later by the
    /// caller.
    fn work(&self, jobs: Vec<Job<'_>>);
}
