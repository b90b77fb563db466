//! What `--stats` tells: who ran a shader, and how long that took.

use crate::args::MessageFormat;
use crate::report::Ctx;
use std::io::Write as _;
use std::time::Duration;

/// Who ran a shader, and how long that took.
#[derive(Clone, Debug)]
pub(super) struct Stats {
    /// Who.
    pub(super) engine: &'static str,
    /// Number of invocations.
    pub(super) invocations: u64,
    /// Number of threads that ran them.
    pub(super) threads: usize,
    /// How long it took to make the shader ready: checks, layout, generation of code.
    pub(super) compiling: Duration,
    /// How long the engine ran: the sum over all threads.
    pub(super) running: Duration,
    /// How long everything took, with reading and writing.
    pub(super) total: Duration,
}

impl Stats {
    /// Nanoseconds an invocation, on one thread.
    fn nanoseconds_per_invocation(&self) -> f64 {
        self.running.as_nanos() as f64 / self.invocations.max(1) as f64
    }

    /// Invocations a second, with reading and writing.
    fn rate(&self) -> f64 {
        self.invocations as f64 / self.total.as_secs_f64().max(1e-9)
    }

    fn text(&self) -> String {
        let Self { engine, invocations, threads, compiling, .. } = self;
        let plural = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        format!(
            "engine {engine}: compiled in {:.1} µs; {}, {:.1} ns each, on {}; {:.3} s with reading and writing: \
             {} a second",
            compiling.as_nanos() as f64 / 1e3,
            plural(*invocations, "invocation"),
            self.nanoseconds_per_invocation(),
            plural(*threads as u64, "thread"),
            self.total.as_secs_f64(),
            rounded(self.rate()),
        )
    }

    /// Tells it on standard error; as an object a line where findings are. A SARIF log has no place for it.
    pub(super) fn tell(&self, ctx: &Ctx) {
        if ctx.format != MessageFormat::Json {
            return ctx.tell(&self.text());
        }
        let line = serde_json::json!({
            "severity": "note",
            "id": "run-stats",
            "message": self.text(),
            "engine": self.engine,
            "invocations": self.invocations,
            "threads": self.threads,
            "compile_ns": self.compiling.as_nanos() as u64,
            "run_ns": self.running.as_nanos() as u64,
            "ns_per_invocation": self.nanoseconds_per_invocation(),
            "total_ns": self.total.as_nanos() as u64,
            "invocations_per_second": self.rate(),
        });
        // Nobody is left to tell when standard error fails.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }
}

/// A large number for reading: `12.3 million`.
fn rounded(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.2} billion", n / 1e9),
        n if n >= 1e6 => format!("{:.2} million", n / 1e6),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_an_invocation() {
        // 3 ms of two threads for 2000 invocations are 1500 ns each; 4 ms by the clock are 500,000 a second.
        let stats = Stats {
            engine: "interp",
            invocations: 2000,
            threads: 2,
            compiling: Duration::from_nanos(12_340),
            running: Duration::from_millis(3),
            total: Duration::from_millis(4),
        };
        let text = "engine interp: compiled in 12.3 µs; 2000 invocations, 1500.0 ns each, on 2 threads; 0.004 s with \
                    reading and writing: 500000 a second";
        assert_eq!(stats.text(), text);
        assert_eq!(rounded(2.5e6), "2.50 million");
        assert_eq!(rounded(2.5e9), "2.50 billion");
        // Nothing divides by zero.
        let none = Stats { invocations: 0, total: Duration::ZERO, ..stats };
        assert!(none.nanoseconds_per_invocation().is_finite() && none.rate() == 0.0);
    }
}
