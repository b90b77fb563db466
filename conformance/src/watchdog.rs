//! Ends the process when a case takes too long or too much, and says which one it was.
//!
//! What is measured after a call returns is no help where one does not return, or fills the machine first. So a thread of
//! its own looks at the case that is running, and the allocator stops who asks for too much ([`heap::stop_at`]).

use crate::heap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked.
const STEP: Duration = Duration::from_millis(20);

/// What a case may take at most; far more than what a finding is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long it may run.
    pub(crate) time: Duration,
    /// Bytes of heap that it may hold at once.
    pub(crate) heap: usize,
}

/// The case that is running.
#[derive(Debug, Default)]
struct Running {
    /// When it began; `None` between cases.
    since: Option<Instant>,
    number: u64,
    property: &'static str,
    input: Vec<u8>,
}

/// Watches the cases of a task.
pub(crate) struct Watchdog {
    running: Arc<Mutex<Running>>,
}

impl Watchdog {
    /// Starts to watch. What is said of a case that is stopped begins with `how`, and is also written to `file`.
    pub(crate) fn start(limits: Limits, how: String, file: PathBuf) -> Self {
        let running = Arc::new(Mutex::new(Running::default()));
        let watched = Arc::clone(&running);
        heap::stop_at(limits.heap);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(STEP);
                let running = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let took = running.since.map(|since| since.elapsed()).unwrap_or_default();
                let heap = heap::now();
                if took > limits.time || heap > limits.heap {
                    end(&report(&how, &running, &why(took, heap, limits)), &file);
                }
            }
        });
        Self { running }
    }

    /// Runs a case.
    pub(crate) fn watch<T>(
        &self,
        number: u64,
        property: &'static str,
        input: &[u8],
        case: impl FnOnce() -> T,
    ) -> T {
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.number = number;
            running.property = property;
            running.input.clear();
            running.input.extend_from_slice(input);
            running.since = Some(Instant::now());
        }
        let out = case();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).since = None;
        out
    }
}

/// Why a case is stopped.
fn why(took: Duration, heap: usize, limits: Limits) -> String {
    match heap > limits.heap {
        true => format!("asks for {heap} bytes of heap"),
        false => format!("does not end in {:.1} s", took.as_secs_f64()),
    }
}

fn report(how: &str, running: &Running, why: &str) -> String {
    let Running { number, property, input, .. } = running;
    let hex = vecasm::isa::to_hex(input);
    format!("{how}, case {number}, property {property}: {why}\n{} bytes of input: {hex}\n", input.len())
}

/// Says it and ends the process: whoever runs the case cannot be asked to.
fn end(report: &str, file: &Path) -> ! {
    eprintln!("\nSTOPPED: {report}");
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    match folder.and_then(|()| std::fs::write(file, report)) {
        Ok(()) => eprintln!("written to {}", file.display()),
        Err(why) => eprintln!("{}: {why}", file.display()),
    }
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heap_is_the_reason_if_there_is_too_much_of_it() {
        let limits = Limits { time: Duration::from_secs(2), heap: 1 << 20 };
        assert_eq!(why(Duration::from_secs(3), 1 << 20, limits), "does not end in 3.0 s");
        assert_eq!(why(Duration::from_secs(3), 1 << 21, limits), "asks for 2097152 bytes of heap");
    }

    #[test]
    fn the_report_has_what_is_needed_to_run_the_case_again() {
        let running =
            Running { since: None, number: 47, property: "tokens_are_lifted", input: vec![0x0f, 0xa0] };
        let text = report("cargo xtask mutate --seed 3", &running, "does not end in 2 s");
        assert_eq!(
            text,
            "cargo xtask mutate --seed 3, case 47, property tokens_are_lifted: does not end in 2 s\n2 bytes of input: 0fa0\n"
        );
    }

    #[test]
    fn what_a_case_gives_is_handed_on() {
        let dog = Watchdog { running: Arc::default() };
        assert_eq!(dog.watch(1, "p", b"in", || 5), 5);
        let running = dog.running.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(running.since.is_none());
        assert_eq!((running.number, running.property, running.input.as_slice()), (1, "p", &b"in"[..]));
    }
}
