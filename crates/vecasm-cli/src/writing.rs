//! Files that are written whole or not at all, and never over what was read.
//!
//! A result goes to a temporary file beside its place, which is renamed when all of it is there: a full disk or a signal
//! leaves the old file as it was. Devices, pipes and what is below `/dev` and `/proc` are written directly.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Most links from one name to the next.
const MOST_LINKS: usize = 40;

/// What tells a file from all others, whatever its name.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// The regular files that this process has read or is going to read.
static READ: LazyLock<Mutex<HashSet<Identity>>> = LazyLock::new(Mutex::default);

#[cfg(unix)]
fn identity(_: &Path, data: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &fs::Metadata) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

/// The identity of a regular file.
fn of_file(path: &Path) -> Option<Identity> {
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    identity(path, &data)
}

/// Notes that a file is an input, so that no result is written over it.
pub(crate) fn note_input(path: &Path) {
    if let Some(file) = of_file(path) {
        READ.lock().unwrap_or_else(PoisonError::into_inner).insert(file);
    }
}

/// Whether a file is an input.
pub(crate) fn is_input(path: &Path) -> bool {
    of_file(path).is_some_and(|file| READ.lock().unwrap_or_else(PoisonError::into_inner).contains(&file))
}

/// That a result would replace an input.
pub(crate) fn over_input() -> io::Error {
    io::Error::other("is an input; write the result to another file")
}

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Draft {
    file: File,
    /// The temporary file and the place that it is for; `None` where the file itself is written.
    rename: Option<(PathBuf, PathBuf)>,
}

impl Draft {
    /// Begins a file; fails where that is an input.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if is_input(path) { Err(over_input()) } else { Self::replace(path) }
    }

    /// Begins a file, even one that was read.
    pub(crate) fn replace(path: &Path) -> io::Result<Self> {
        let direct = || {
            let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
            Ok(Self { file, rename: None })
        };
        let Some(place) = place(path) else { return direct() };
        let old = match fs::metadata(&place) {
            Ok(data) if !data.is_file() => return direct(),
            Ok(data) => {
                // A file that nobody may write is not replaced either.
                OpenOptions::new().write(true).open(&place)?;
                Some(data.permissions())
            }
            Err(_) => None,
        };
        match temporary(&place) {
            Ok((file, name)) => {
                let draft = Self { file, rename: Some((name, place)) };
                if let Some(permissions) = old {
                    draft.file.set_permissions(permissions)?;
                }
                Ok(draft)
            }
            // A file that may be written in a folder that may not.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && old.is_some() => direct(),
            Err(error) => Err(error),
        }
    }

    /// Puts the file in its place.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((name, place)) = self.rename.take() else { return Ok(()) };
        // What replaces something has to be on the disk before the name is.
        let synced = if place.exists() { self.file.sync_data() } else { Ok(()) };
        let done = synced.and_then(|()| fs::rename(&name, &place));
        if done.is_err() {
            let _ = fs::remove_file(&name);
        }
        done
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((name, _)) = &self.rename {
            let _ = fs::remove_file(name);
        }
    }
}

/// The path behind symbolic links; `None` if one of them is in `/dev` or `/proc`, where names are not those of files.
fn place(path: &Path) -> Option<PathBuf> {
    let mut at = std::path::absolute(path).ok()?;
    for _ in 0..MOST_LINKS {
        if cfg!(unix) && (at.starts_with("/dev") || at.starts_with("/proc")) {
            return None;
        }
        let Ok(next) = fs::read_link(&at) else { return Some(at) };
        at = at.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    None
}

/// A new file beside a place.
fn temporary(place: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = place.parent().unwrap_or(Path::new("."));
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = folder.join(format!(".vecasm-{}-{number}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((file, name)),
        }
    }
}

/// The name of a file whose bytes these are.
#[cfg(unix)]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes.to_vec())
}

/// The name of a file whose bytes these are.
#[cfg(not(unix))]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
