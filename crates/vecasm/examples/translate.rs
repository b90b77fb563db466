//! `translate FILE TARGET` prints a program in another language, as `vecasm to TARGET FILE` does.

use std::error::Error;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use vecasm::open::{Included, Request};
use vecasm::{Host, OpenOptions, Target, TranslateOptions, open};

/// Gives the files beside the program to its `#include`.
struct Folder(PathBuf);

impl Host for Folder {
    fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
        let text = std::fs::read_to_string(self.0.join(request.name)).map_err(|error| error.to_string())?;
        Ok(Included { name: request.name.into(), text })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: translate FILE TARGET".into());
    };
    let target: Target = target.parse()?;
    let bytes = std::fs::read(&file)?;
    let mut folder = Folder(Path::new(&file).parent().map_or_else(PathBuf::new, Path::to_path_buf));

    let program = open(&bytes, &OpenOptions::named(&file), &mut folder).program()?;
    let translation = program.translate(target, &TranslateOptions::default())?;
    stdout().write_all(&translation.bytes())?;
    Ok(())
}
