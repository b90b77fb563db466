//! Lists the files below `examples/` as `EXAMPLES`, names and contents, so that `vecasm tour` has them wherever it is
//! installed.

#![allow(clippy::disallowed_methods, reason = "the names are those of the examples")]

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let given = |name: &str| std::env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    // A link to the folder at the root, which a package has as a folder; some systems make a file of a link.
    let here = given("CARGO_MANIFEST_DIR")?;
    let root = [here.join("examples"), here.join("../../examples")].into_iter().find(|path| path.is_dir());
    let root = root.ok_or(io::ErrorKind::NotFound)?;
    let mut files = Vec::new();
    println!("cargo::rerun-if-changed={}", root.display());
    gather(&root, "", &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for name in &files {
        let path = root.join(name);
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    table.push_str("]\n");
    std::fs::write(given("OUT_DIR")?.join("examples.rs"), table)
}

/// Adds the files below a folder, with `/` in their names.
fn gather(folder: &Path, prefix: &str, out: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let name = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            gather(&entry.path(), &format!("{name}/"), out)?;
        } else {
            out.push(name);
        }
    }
    Ok(())
}
