//! The `vecasm` command line.
fn main() {}
