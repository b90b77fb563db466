//! The commands as scripts see them: exit codes, standard input and output, formats, files.
//!
//! One program for all of these tests, since linking takes longer than running them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "the names are their own")]

mod batch;
mod captures;
mod compare;
mod constant_names;
mod container_addresses;
mod container_diff;
mod container_examples;
mod container_merge;
mod containers;
mod d3d9_logs;
mod d3d9_state;
mod d3d9_text;
mod debug;
#[cfg(unix)]
mod debugger;
mod documents;
mod effects;
mod first_hour;
mod first_steps;
mod hashes;
mod heeded;
mod info;
mod lists;
mod live;
mod lowering;
mod macros;
mod nv2a_slots;
mod nv2a_text;
mod nv2a_vsh;
mod odd_names;
mod pictures;
mod pixels;
mod run_files;
mod running;
mod sarif;
mod scale;
mod scans;
mod several_programs;
mod statuses;
mod target_names;
mod texts;
mod tgsi_logs;
mod tgsi_pairs;
mod translations;
mod verbs;
mod why;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs `vecasm` with that standard input.
fn vecasm(args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .args(args)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A verb that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Runs, and expects success.
fn ok(args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    let output = vecasm(args, stdin);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    output
}

/// A folder of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    for (name, bytes) in files {
        std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
        std::fs::write(path.join(name), bytes).unwrap();
    }
    path
}
