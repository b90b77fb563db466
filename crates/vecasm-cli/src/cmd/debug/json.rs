//! `vecasm debug --json`: a request a line, an answer a line. docs/debugging.md is the manual.

use crate::Outcome;
use std::io::{BufRead as _, Read as _, Write as _};
use vecasm::debug::protocol::{MAX_REQUEST, handle};
use vecasm::debug::session::Session;

/// Answers requests until there are no more.
pub(super) fn serve(mut session: Session) -> Outcome {
    // A byte more tells that a request is too long.
    const MOST: u64 = MAX_REQUEST as u64 + 1;
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MOST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() && line.len() <= MAX_REQUEST {
            continue;
        }
        let reply = handle(&mut session, &line);
        if line.len() > MAX_REQUEST && !line.ends_with(b"\n") {
            // What is left of the line belongs to it.
            input.skip_until(b'\n')?;
        }
        writeln!(output, "{reply}")?;
        output.flush()?;
        if reply.quit {
            return Ok(());
        }
    }
}
