//! Lists the files below `examples/` as `EXAMPLES`, names and contents, so that `vecasm tour` has them wherever it is
//! installed.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let given = |name: &str| std::env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let root = given("CARGO_MANIFEST_DIR")?.join("../../examples");
    let mut files = Vec::new();
    // A package of this crate alone has no examples; `tour` says so.
    if root.is_dir() {
        println!("cargo::rerun-if-changed={}", root.display());
        gather(&root, "", &mut files)?;
    }
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
