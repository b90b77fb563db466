//! Texts of Direct3D with the files that they include.

use crate::args::ReadingArgs;
use crate::io::Input;
use crate::report::Ctx;
use clap::Args;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vecasm::diag::{Diagnostic, Source};
use vecasm::isa::d3d9::text::preprocess::{
    File, Finding, Included, Options, Preprocessed, Request, preprocess,
};
use vecasm::isa::d3d9::text::{Assembled, ReadOptions, assemble};
use vecasm::open::{Host, beside};

/// Largest file that is included.
const MAX_FILE: u64 = 16 << 20;

/// Files by their names, with `/` between folders.
pub(crate) type Packed = BTreeMap<String, Vec<u8>>;

/// Files that `#include` may read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct IncludeArgs {
    /// Direct3D: #include reads only files in and below this folder and those of -I [default: the folder of the
    /// program]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) include_root: Option<PathBuf>,
    /// Direct3D: #include reads nothing
    #[arg(long, conflicts_with = "include_root", hide_short_help = true)]
    pub(crate) no_include: bool,
    /// The files of a repro file: there are no others.
    #[arg(skip)]
    pub(crate) packed: Option<Arc<Packed>>,
    /// The folder that the name of the program is relative to, if that is not the current one.
    #[arg(skip)]
    pub(crate) folder: Option<PathBuf>,
}

/// Where included files are looked for, and macros that are there from the start.
#[derive(Clone, Debug)]
pub(crate) struct Includes<'a> {
    /// Files that may be read.
    args: &'a IncludeArgs,
    /// The program: its name in findings, and as a file.
    main: (&'a str, PathBuf),
    /// Folders, besides that of the file that asks.
    folders: &'a [PathBuf],
    /// Names with what they stand for.
    defines: Vec<(&'a str, &'a str)>,
}

impl<'a> Includes<'a> {
    /// For a program, with no folders and macros besides.
    pub(crate) fn of(input: &'a Input, reading: &'a ReadingArgs) -> Self {
        let args = &reading.including;
        // The program of a repro file or a scene has its name there.
        let file = input.path.as_deref().unwrap_or(Path::new(input.name.raw()));
        let file = args.folder.as_deref().unwrap_or(Path::new("")).join(file);
        Self { args, main: (input.name.raw(), file), folders: &[], defines: Vec::new() }
    }

    /// With folders to look in, and macros.
    pub(crate) fn with(self, folders: &'a [PathBuf], defines: Vec<(&'a str, &'a str)>) -> Self {
        Self { folders, defines, ..self }
    }

    /// The file that asks.
    fn asking<'r>(&'r self, request: &'r Request<'_>) -> &'r Path {
        if request.from == self.main.0 { &self.main.1 } else { Path::new(request.from) }
    }

    /// The folder beside and below which files are read.
    fn root(&self) -> PathBuf {
        let root = self.args.include_root.clone();
        let root = root.unwrap_or_else(|| self.main.1.parent().map_or_else(PathBuf::new, Path::to_path_buf));
        if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }
    }

    fn find(&self, request: &Request<'_>) -> Result<Included, String> {
        if self.args.no_include {
            return Err("--no-include".into());
        }
        if let Some(files) = &self.args.packed {
            let name = beside(self.asking(request).to_str().unwrap_or(""), request.name);
            let found = name.and_then(|name| Some((files.get(&name)?, name)));
            let (bytes, name) = found.ok_or("the repro file does not contain it")?;
            return Ok(Included { name, text: String::from_utf8_lossy(bytes).into_owned() });
        }
        let root = self.root();
        let near = self.asking(request).parent().filter(|_| !request.angled);
        let places = near.into_iter().chain(self.folders.iter().map(PathBuf::as_path));
        let mut why = String::from("not found; name its folder with -I");
        for folder in places {
            let path = folder.join(request.name);
            // Links are followed before it is asked where the file is.
            let Ok(real) = path.canonicalize() else { continue };
            let allowed = std::iter::once(&root).chain(self.folders);
            let within =
                |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
            if !allowed.into_iter().any(within) {
                why = format!(
                    "{} is outside {}; --include-root DIR lets #include read in and below DIR",
                    crate::io::shown(path),
                    if root == Path::new(".") {
                        "the current folder".into()
                    } else {
                        crate::io::shown(&root).to_string()
                    }
                );
                continue;
            }
            if !real.is_file() {
                continue;
            }
            crate::writing::note_input(&real);
            match read(&real) {
                Ok(Some(bytes)) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    return Ok(Included { name: crate::io::shown(&path).raw().to_string(), text });
                }
                Ok(None) => return Err(format!("{} is too large", crate::io::shown(path))),
                Err(error) => why = format!("{}: {}", crate::io::shown(path), crate::io::plain(&error)),
            }
        }
        Err(why)
    }

    fn options<'o>(&'o self, name: &'o str) -> Options<'o> {
        Options { name, defines: &self.defines, ..Options::default() }
    }

    /// Preprocesses and assembles the text of the program.
    pub(crate) fn assemble(&self, text: &str, reading: &ReadOptions<'_>) -> Assembled {
        assemble(text, &self.options(self.main.0), reading, &mut |request| self.find(request))
    }

    /// Preprocesses the text of the program.
    pub(crate) fn preprocess(&self, text: &str) -> Preprocessed {
        let options = Options { markers: true, ..self.options(self.main.0) };
        preprocess(text, &options, &mut |request| self.find(request))
    }

    /// The files that a text includes, by the names that it will find them by where they are packed with a program of
    /// that name.
    pub(crate) fn gather(&self, name: &str, text: &str) -> Result<Packed, String> {
        let mut packed = Packed::new();
        let mut names = BTreeMap::from([(self.main.0.to_string(), name.to_string())]);
        let mut wrong = None;
        preprocess(text, &self.options(self.main.0), &mut |request| {
            let included = self.find(request)?;
            let from = names.get(request.from).map_or("", String::as_str);
            match beside(from, request.name) {
                Some(name) => {
                    packed.insert(name.clone(), included.text.clone().into_bytes());
                    names.insert(included.name.clone(), name);
                }
                None => {
                    wrong = Some(format!(
                        "{}: a repro file holds only files beside and below its program",
                        included.name
                    ));
                }
            }
            Ok(included)
        });
        wrong.map_or(Ok(packed), Err)
    }
}

impl Host for Includes<'_> {
    fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
        self.find(request)
    }
}

/// The bytes of a file; `None` if it is too large.
fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MAX_FILE).then_some(bytes))
}

/// Writes findings to standard error, each with the file that it is about.
pub(crate) fn report(files: &[File], findings: &[Finding], ctx: &Ctx) {
    for (n, file) in files.iter().enumerate() {
        let of: Vec<Diagnostic> =
            findings.iter().filter(|f| f.file == n).map(|f| f.diagnostic.clone()).collect();
        ctx.report(&of, Source { name: &file.name, text: Some(&file.text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_repro_file_stay_in_it() {
        for (from, name, expected) in [
            ("a.vsa", "regs.h", Some("regs.h")),
            ("sub/a.vsa", "regs.h", Some("sub/regs.h")),
            ("sub/a.vsa", "../inc/./regs.h", Some("inc/regs.h")),
            ("sub/a.vsa", "inc\\regs.h", Some("sub/inc/regs.h")),
            ("sub/a.vsa", "../../regs.h", None),
            ("a.vsa", "/etc/passwd", None),
            ("a.vsa", "\\\\host\\x", None),
            ("a.vsa", "c:/x", None),
            ("a.vsa", "..", None),
        ] {
            assert_eq!(beside(from, name).as_deref(), expected, "{from} {name}");
        }
    }
}
