//! Containers before Python: `containers.py` takes them apart with the modules that Python has for zip, zlib, bzip2 and LZMA, and
//! walks of its own, and says every name and the hash of every entry.
//!
//! It does not unpack LZX, which is never written: of those assets it reads what was edited.

use super::Judges;
use super::edits::{Item, Reader, Refused};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use vecasm::container::{Access, Address, Format};
use vecasm::isa::to_hex;

/// What the reader runs.
const SCRIPT: &str = include_str!("containers.py");

/// Those that the script does not know.
const OTHERS: &[Format] = &[Format::Pe, Format::Xbe];

/// Every file of the corpus that is a container.
pub(super) fn items(shared: &Path) -> Option<Vec<Item>> {
    let corpus = shared.join("corpus/containers");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&corpus).ok()?.flatten().map(|e| e.path()).collect();
    folders.sort();
    let mut out = Vec::new();
    for folder in folders {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            let Ok(file) = std::fs::read(&path) else { continue };
            let Some(format) = Format::of(&file).filter(|format| format.access() == Access::Written) else {
                continue;
            };
            let id = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
            let refused = if id.contains("/bad_") {
                Refused::Left("damaged on purpose")
            } else if OTHERS.contains(&format) {
                Refused::Left("of a format that it does not know")
            } else if format == Format::Xnb && file.get(5).is_some_and(|flags| flags & 0x80 != 0) {
                Refused::Packed
            } else {
                Refused::Wrong
            };
            out.push(Item { id, file, refused });
        }
    }
    Some(out)
}

/// Python with a script.
pub(super) struct Walks;

impl Reader for Walks {
    const NAME: &'static str = "python";
    const MISSING: &'static str = "python3 is not on the path";
    const WORD: &'static str = "bytes ";

    fn command(&self, judges: &Judges) -> Option<Command> {
        let mut command = Command::new(judges.python.as_ref()?);
        command.args(["-c", SCRIPT]);
        Some(command)
    }

    fn view(&self, file: &[u8]) -> Result<Vec<u8>, String> {
        Ok(file.to_vec())
    }

    fn shown(&self, program: &[u8]) -> String {
        format!("{} {}", program.len(), to_hex(&Sha256::digest(program)))
    }

    fn place(&self, address: &Address) -> String {
        address.to_string().replace(' ', "%20")
    }

    fn others(&self, _: &[u8]) -> Result<BTreeMap<String, String>, String> {
        Ok(BTreeMap::new())
    }
}
