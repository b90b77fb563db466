//! From the words of a command line to the files that are read.

use crate::args::BatchArgs;
use crate::io::{self, DASH};
use crate::{Failure, Outcome, writing};
use std::path::{Component, Path, PathBuf};

/// Deepest folder that is walked.
const MOST_DEEP: usize = 64;

/// A file that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The file; `-` is standard input.
    pub(crate) path: PathBuf,
    /// Whether it was found in a folder: such a file is passed over if it is no shader.
    pub(crate) walked: bool,
}

/// All files that are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) files: Vec<Found>,
    /// The folder that all of them are in or below.
    pub(crate) common: Option<PathBuf>,
    /// Whether folders or patterns were named, so that nobody knows beforehand how many files there are.
    pub(crate) open: bool,
    /// Names that lead nowhere, with what is wrong.
    pub(crate) failures: Vec<(PathBuf, String)>,
    /// What is in a folder and neither a file nor a folder, with what it is. It is never opened: that could wait for
    /// somebody who writes, or do something to a device.
    pub(crate) odd: Vec<(PathBuf, &'static str)>,
}

/// Finds the files that are named; none at all means standard input.
pub(crate) fn gather(files: &[PathBuf], args: &BatchArgs) -> Outcome<Gathered> {
    let mut names: Vec<PathBuf> = files.to_vec();
    if let Some(list) = &args.files_from {
        names.extend(names_in(&io::read_list(list)?));
    } else if names.is_empty() {
        names.push(DASH.into());
    }
    let dashes = names.iter().chain(&args.files_from).filter(|name| io::is_standard_input(name)).count();
    if dashes > 1 {
        return Err(Failure::usage("standard input can be read only once"));
    }
    let mut out = Gathered { open: args.files_from.is_some(), ..Gathered::default() };
    for name in names {
        out.add(name, args.no_recurse);
    }
    Ok(out)
}

/// The names in a list: with a NUL after each, else one a line.
fn names_in(list: &[u8]) -> Vec<PathBuf> {
    let end = if list.contains(&0) { 0 } else { b'\n' };
    let names = list.split(|byte| *byte == end);
    let names = names.map(|name| if end == 0 { name } else { name.strip_suffix(b"\r").unwrap_or(name) });
    names.filter(|name| !name.is_empty()).map(|name| PathBuf::from(writing::os_string(name))).collect()
}

impl Gathered {
    fn add(&mut self, name: PathBuf, no_recurse: bool) {
        if name.as_os_str() == DASH {
            self.files.push(Found { path: name, walked: false });
        } else if name.is_dir() {
            self.open = true;
            self.share(&name);
            self.walk(&name, 0, no_recurse);
        } else if let Some(found) = matches(&name) {
            self.open = true;
            for name in found {
                self.add(name, no_recurse);
            }
        } else {
            self.share(name.parent().unwrap_or(Path::new("")));
            self.files.push(Found { path: name, walked: false });
        }
    }

    /// Adds the files of a folder and of those below, in the order of their names. Hidden ones are passed over, and links
    /// to folders, which may go round.
    fn walk(&mut self, folder: &Path, depth: usize, no_recurse: bool) {
        let mut wrong = |error: std::io::Error| {
            self.failures.push((folder.to_path_buf(), io::plain(&error)));
        };
        let mut entries = Vec::new();
        match std::fs::read_dir(folder) {
            Err(error) => return wrong(error),
            Ok(all) => {
                for entry in all {
                    match entry {
                        Ok(entry) => entries.push(entry),
                        Err(error) => wrong(error),
                    }
                }
            }
        }
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if no_recurse {
                    } else if depth < MOST_DEEP {
                        self.walk(&path, depth + 1, no_recurse);
                    } else {
                        self.failures.push((path, "folders are nested too deeply".into()));
                    }
                }
                // What a link leads to counts.
                _ => match path.metadata() {
                    Ok(meta) if meta.is_file() => self.files.push(Found { path, walked: true }),
                    Ok(meta) if meta.is_dir() => {}
                    Ok(meta) => self.odd.push((path, what(meta.file_type()))),
                    Err(_) if path.is_symlink() => {
                        self.failures.push((path, "a link that leads nowhere".into()));
                    }
                    Err(error) => self.failures.push((path, io::plain(&error))),
                },
            }
        }
    }

    /// Makes the common folder one that has that folder in it.
    fn share(&mut self, folder: &Path) {
        let folder = plain(folder);
        self.common = Some(match self.common.take() {
            None => folder,
            Some(common) => {
                let same = common.components().zip(folder.components()).take_while(|(a, b)| a == b);
                same.map(|(component, _)| component).collect()
            }
        });
    }

    /// The folder of a file below the common one.
    pub(crate) fn below(&self, file: &Path) -> PathBuf {
        let folder = plain(file.parent().unwrap_or(Path::new("")));
        let below = self.common.as_deref().and_then(|common| folder.strip_prefix(common).ok());
        below.map_or_else(PathBuf::new, Path::to_path_buf)
    }
}

/// What is neither a file nor a folder.
#[cfg(unix)]
fn what(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// What is neither a file nor a folder.
#[cfg(not(unix))]
fn what(_: std::fs::FileType) -> &'static str {
    "no file"
}

/// A path from the root without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The files that a pattern matches, where the shell has left one: no file is called so, and it has `*`, `?` or `[`.
/// `None` if the name is no pattern, or nothing matches it.
fn matches(name: &Path) -> Option<Vec<PathBuf>> {
    let pattern = name.to_str().filter(|name| name.contains(['*', '?', '[']))?;
    if name.symlink_metadata().is_ok() {
        return None;
    }
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found: Vec<PathBuf> = glob::glob_with(pattern, options).ok()?.filter_map(Result::ok).collect();
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_lines_or_nul() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(names_in(b"a b\r\nc\n\nd"), paths(&["a b", "c", "d"]));
        assert_eq!(names_in(b"a\nb\0c\0"), paths(&["a\nb", "c"]));
        assert_eq!(names_in(b""), paths(&[]));
    }

    #[test]
    fn the_common_folder_is_that_of_all() {
        let mut gathered = Gathered::default();
        for folder in ["/x/a/b", "/x/a/c", "/x/a/./c/../d"] {
            gathered.share(Path::new(folder));
        }
        assert_eq!(gathered.common.as_deref(), Some(Path::new("/x/a")));
        assert_eq!(gathered.below(Path::new("/x/a/b/e/f.bin")), Path::new("b/e"));
        assert_eq!(gathered.below(Path::new("/x/a/f.bin")), Path::new(""));
    }
}
