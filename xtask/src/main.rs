//! Tasks of the project.
mod oracle;
fn main() {
    let _ = oracle::Report::new("");
}
