//! Texts of Direct3D with the files that they include.

use crate::report::Ctx;
use std::path::{Path, PathBuf};
use vecasm::diag::{self, Diagnostic, Place, Source};
use vecasm::isa::d3d9::text::preprocess::{
    File, Finding, Included, Options, Preprocessed, Request, preprocess,
};
use vecasm::isa::d3d9::text::{Assembled, ReadOptions, assemble};

/// Largest file that is included.
const MAX_FILE: u64 = 16 << 20;

/// Where included files are looked for, and macros that are there from the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Includes<'a> {
    /// Folders, besides that of the file that asks.
    pub(crate) folders: &'a [PathBuf],
    /// Names with what they stand for.
    pub(crate) defines: Vec<(&'a str, &'a str)>,
}

impl Includes<'_> {
    fn find(&self, request: &Request<'_>) -> Result<Included, String> {
        let beside = Path::new(request.from).parent().filter(|_| !request.angled);
        let places = beside.into_iter().chain(self.folders.iter().map(PathBuf::as_path));
        let mut why = String::from("it is in none of the folders; name them with -I");
        for folder in places {
            let path = folder.join(request.name);
            match std::fs::metadata(&path) {
                Ok(data) if !data.is_file() => continue,
                Ok(data) if data.len() > MAX_FILE => return Err(format!("{} is too large", path.display())),
                Ok(_) => {}
                Err(_) => continue,
            }
            crate::writing::note_input(&path);
            match std::fs::read(&path) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    return Ok(Included { name: path.display().to_string(), text });
                }
                Err(error) => why = format!("{}: {error}", path.display()),
            }
        }
        Err(why)
    }

    fn options<'a>(&'a self, name: &'a str) -> Options<'a> {
        Options { name, defines: &self.defines, ..Options::default() }
    }

    /// Preprocesses and assembles a text of that name.
    pub(crate) fn assemble(&self, name: &str, text: &str, reading: &ReadOptions<'_>) -> Assembled {
        assemble(text, &self.options(name), reading, &mut |request| self.find(request))
    }

    /// Preprocesses a text of that name.
    pub(crate) fn preprocess(&self, name: &str, text: &str) -> Preprocessed {
        let options = Options { markers: true, ..self.options(name) };
        preprocess(text, &options, &mut |request| self.find(request))
    }
}

/// Writes findings to standard error, each with the file that it is about.
pub(crate) fn report(files: &[File], findings: &[Finding], ctx: &Ctx) {
    for (n, file) in files.iter().enumerate() {
        let of: Vec<Diagnostic> =
            findings.iter().filter(|f| f.file == n).map(|f| f.diagnostic.clone()).collect();
        ctx.report(&of, Source { name: &file.name, text: Some(&file.text) });
    }
}

/// Findings for those who know the first file only: those about others say where they are.
pub(crate) fn flat(files: &[File], findings: Vec<Finding>) -> Vec<Diagnostic> {
    let flat = |Finding { file, mut diagnostic }: Finding| {
        if let (1.., Some(file), Place::Text(span)) = (file, files.get(file), diagnostic.place) {
            let (line, column) = diag::line_column(&file.text, span.start);
            diagnostic.message = format!("{}:{line}:{column}: {}", file.name, diagnostic.message);
            diagnostic.place = Place::Whole;
        }
        diagnostic
    };
    findings.into_iter().map(flat).collect()
}
