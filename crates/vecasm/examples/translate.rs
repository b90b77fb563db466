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

/// The program of a file in another language.
pub fn translation(file: &str, target: Target) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut folder = Folder(Path::new(file).parent().map_or_else(PathBuf::new, Path::to_path_buf));
    let program = open(&std::fs::read(file)?, &OpenOptions::named(file), &mut folder).program()?;
    let made = program.translate(target, &TranslateOptions::default())?;
    Ok(made.bytes().into_owned())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: translate FILE TARGET".into());
    };
    stdout().write_all(&translation(&file, target.parse()?)?)?;
    Ok(())
}
