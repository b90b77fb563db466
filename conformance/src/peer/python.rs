//! The child process that asks nv2a-vsh.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What the child runs.
const SCRIPT: &str = include_str!("nv2a_vsh.py");

/// A Python with nv2a-vsh.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// The version of nv2a-vsh.
    pub version: String,
}

/// An answer.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// The slots.
    pub(super) words: Option<Vec<[u32; 4]>>,
    /// A listing or disassembly.
    pub(super) text: Option<String>,
    /// What the parser found: line from 1, column from 0, message.
    pub(super) errors: Option<Vec<(u64, u64, String)>>,
    /// The class of an exception and what it says.
    pub(super) exception: Option<String>,
    /// What was printed besides.
    pub(super) printed: String,
    /// Nanoseconds a slot.
    pub(super) ns: Option<f64>,
}

impl Peer {
    /// Starts it: the Python named, else the one that the variable VECASM_PYTHON names, else `python3`.
    ///
    /// # Errors
    ///
    /// There is none, or it has no nv2a-vsh.
    pub fn start(python: Option<&str>) -> Result<Self, String> {
        let python = python.map(str::to_string).or_else(|| std::env::var("VECASM_PYTHON").ok());
        let python = python.unwrap_or_else(|| "python3".into());
        let mut child = Command::new(&python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{python}: {e}"))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{python}: no pipes"));
        };
        let mut peer = Self { child, to, from: BufReader::new(from), version: String::new() };
        let hello = peer.read().map_err(|_| format!("{python} has no module nv2a_vsh"))?;
        peer.version = hello.get("version").and_then(Value::as_str).unwrap_or("unknown").to_string();
        Ok(peer)
    }

    fn read(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) | Err(_) => Err("the peer has gone away".into()),
            Ok(_) => serde_json::from_str(&line).map_err(|e| format!("{line}: {e}")),
        }
    }

    /// Asks; an error if nothing sensible comes back.
    pub(super) fn ask(&mut self, question: &Value) -> Result<Reply, String> {
        writeln!(self.to, "{question}").and_then(|()| self.to.flush()).map_err(|e| e.to_string())?;
        let value = self.read()?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
        let word = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok());
        let slot = |v: &Value| -> Option<[u32; 4]> {
            let words: Option<Vec<u32>> = v.as_array()?.iter().map(word).collect();
            words?.try_into().ok()
        };
        let error = |v: &Value| -> Option<(u64, u64, String)> {
            Some((v.get(0)?.as_u64()?, v.get(1)?.as_u64()?, v.get(2)?.as_str()?.to_string()))
        };
        Ok(Reply {
            words: value.get("words").and_then(Value::as_array).and_then(|a| a.iter().map(slot).collect()),
            text: text("text"),
            errors: value.get("errors").and_then(Value::as_array).and_then(|a| a.iter().map(error).collect()),
            exception: text("exception"),
            printed: text("printed").unwrap_or_default(),
            ns: value.get("ns").and_then(Value::as_f64),
        })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
