//! Small files of each format, built from the facts of the format: what is read in them, what is left of them when they are
//! written again, and what becomes of damaged ones.

#![allow(clippy::unwrap_used, reason = "tests")]

mod build;
mod dxbc;
mod fx2;
mod mgfx;
mod nested;
mod sdp;
mod xnb;
mod zip;

use vecasm_container::{Budget, Container, Edited, Limits};

/// The whole of the limits.
fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(file: &[u8]) -> Container<'_> {
    Container::read(file, &mut budget()).unwrap()
}

/// The bytes at an address.
fn bytes_at(file: &[u8], address: &str) -> Vec<u8> {
    let container = read(file);
    let n = container.entry(address).unwrap();
    container.bytes(&container.entries()[n], &mut budget()).unwrap().into_owned()
}

/// The file with other bytes at an address.
fn replaced(file: &[u8], address: &str, bytes: &[u8]) -> Edited {
    let container = read(file);
    let n = container.entry(address).unwrap();
    container.replace(&[(n, bytes)]).unwrap()
}

/// The id of what is wrong with a file.
fn error(file: &[u8]) -> &'static str {
    Container::read(file, &mut budget()).unwrap_err().id
}

/// Reads all that a file begins with, and the file with each word set to the most: nothing panics, and what is read is written
/// again as it was.
fn survives_damage(file: &[u8]) {
    let look = |file: &[u8]| {
        let Ok(container) = Container::read(file, &mut budget()) else { return };
        for entry in container.entries() {
            let _ = container.bytes(entry, &mut budget());
        }
        assert_eq!(container.replace(&[]).unwrap().bytes, file);
    };
    for end in 0..file.len() {
        look(&file[..end]);
    }
    for at in 0..file.len() {
        for value in [0u8, 1, 0x7F, 0xFF] {
            let mut damaged = file.to_vec();
            let end = (at + 4).min(file.len());
            damaged[at..end].fill(value);
            look(&damaged);
        }
    }
}
