//! Where results go, so that no two of them go to the same place.

use super::Batch;
use crate::args::{OutputArgs, ProgramChoice, ReadingArgs};
use crate::io::{self, Input, Payload, ProgramSelector, Sink};
use crate::writing::{self, Draft};
use crate::{Failure, Outcome, load};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use vecasm::isa::Isa;

/// What tells results apart: their place, and the number of the program that was named.
type Key = (PathBuf, Option<ProgramSelector>);

/// An input whose results, of which there may be many, have a folder.
#[derive(Clone, Debug)]
pub(crate) struct Place<'b> {
    /// The input, as it is named.
    pub(crate) path: &'b Path,
    /// Whether it was found in a folder.
    pub(crate) walked: bool,
    /// The folder for its results, in the one that is named for those of all.
    pub(crate) folder: PathBuf,
}

impl Batch {
    /// A folder for each input: the one that is named if there is a single input, else one in it, which is called after the file and
    /// keeps the place that the file has below the folder that all inputs are in. Fails if two would have the same one.
    pub(crate) fn folders(&self) -> Outcome<Vec<Place<'_>>> {
        let files = &self.gathered.files;
        if files.is_empty() && self.gathered.failures.is_empty() {
            return Err(Failure::usage("there are no files in what is named"));
        }
        let folder = |n: usize, level: usize| {
            let named = Input::named(&files[n].path);
            let name = match level {
                0 => named.stem(),
                _ => named.file_name("bin"),
            };
            let name = match &named.asked {
                Some(ProgramSelector::Address(address)) if level > 1 => {
                    io::with_ending(name, &address.replace("::", ".").replace('/', "."))
                }
                Some(ProgramSelector::Number(number)) if level > 1 => {
                    io::with_ending(name, &number.to_string())
                }
                _ => name,
            };
            self.gathered.below(&io::addressed(&files[n].path).0).join(name)
        };
        let mut levels = vec![0; files.len()];
        // With a longer name one may be what another one is.
        loop {
            let mut alike: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
            for (n, level) in levels.iter().enumerate() {
                alike.entry(folded(&folder(n, *level))).or_default().push(n);
            }
            alike.retain(|_, of| of.len() > 1);
            let of = |of: &Vec<usize>| of.iter().map(|n| files[*n].path.as_path()).collect::<Vec<_>>();
            let doubles: Vec<String> = alike
                .iter()
                .filter(|(_, of)| of.iter().all(|n| levels[*n] == 2))
                .map(|(place, members)| double(place, &of(members)))
                .collect();
            if !doubles.is_empty() {
                return Err(Failure::usage(doubles.join("\n")));
            }
            if alike.is_empty() {
                break;
            }
            for n in alike.into_values().flatten() {
                levels[n] = (levels[n] + 1).min(2);
            }
        }
        let placed = files.iter().enumerate().map(|(n, found)| Place {
            path: &found.path,
            walked: found.walked,
            folder: if self.is_several() { folder(n, levels[n]) } else { PathBuf::new() },
        });
        Ok(placed.collect())
    }
}

/// Where the results of many inputs go: in a folder they keep their places below the folder that all inputs are in.
#[derive(Debug)]
pub(crate) struct Outputs<'b> {
    batch: &'b Batch,
    sink: Sink,
    written: BTreeSet<PathBuf>,
}

impl<'b> Outputs<'b> {
    /// For a result of each input, whose file name `name` gives. Fails if several results cannot be told apart, or two of
    /// them have the same place, or one has the place of an input.
    pub(crate) fn new(
        args: &OutputArgs,
        reading: &ReadingArgs,
        batch: &'b Batch,
        name: impl Fn(&Input, Option<Isa>) -> OsString,
    ) -> Outcome<Self> {
        let sink = Sink::new(args);
        let several = batch.is_several() || reading.program == Some(ProgramChoice::All);
        let sink = match sink {
            // A name without an ending where nothing is called so.
            Sink::File(path) if several && path.extension().is_none() && !path.exists() => Sink::Folder(path),
            other => other,
        };
        let gathered = &batch.gathered;
        if gathered.files.is_empty() && gathered.failures.is_empty() {
            return Err(Failure::usage("there are no files in what is named"));
        }
        if several && !matches!(sink, Sink::Folder(_)) {
            let what = if batch.is_several() { "several inputs give" } else { "--program all gives" };
            return Err(Failure::usage(format!("{what} several results: name a folder with -o DIR/")));
        }
        let out = Self::to(sink, batch);
        out.refuse_inputs()?;
        out.tell_apart(&name)?;
        Ok(out)
    }

    /// For results that may share a place: a text for all.
    pub(crate) fn shared(
        args: &OutputArgs,
        reading: &ReadingArgs,
        batch: &'b Batch,
        name: impl Fn(&Input, Option<Isa>) -> OsString,
    ) -> Outcome<Self> {
        match Sink::new(args) {
            Sink::Stdout => Ok(Self::to(Sink::Stdout, batch)),
            _ => Self::new(args, reading, batch, name),
        }
    }

    /// For one result of all inputs together.
    pub(crate) fn single(args: &OutputArgs, batch: &'b Batch) -> Outcome<Self> {
        let out = Self::to(Sink::new(args), batch);
        out.refuse_inputs()?;
        Ok(out)
    }

    fn to(sink: Sink, batch: &'b Batch) -> Self {
        Self { batch, sink, written: BTreeSet::new() }
    }

    /// Where results go.
    pub(crate) fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Whether results go to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout)
    }

    /// A result cannot have the place of an input; that is said before the work is done.
    fn refuse_inputs(&self) -> Outcome {
        match &self.sink {
            Sink::File(path) if writing::is_input(path) => Err(io::failed(path, &writing::over_input())),
            _ => Ok(()),
        }
    }

    /// Gives results that would have one place the whole names of their inputs; fails if that does not tell them apart.
    fn tell_apart(&self, name: &impl Fn(&Input, Option<Isa>) -> OsString) -> Outcome {
        let Sink::Folder(folder) = &self.sink else { return Ok(()) };
        let mut whole = BTreeSet::new();
        // A whole name may be what another one is without its ending.
        loop {
            let alike = self.alike(&whole, name);
            let before = whole.len();
            whole.extend(alike.values().flatten().map(|path| path.to_path_buf()));
            if whole.len() == before {
                let doubles: Vec<String> =
                    alike.iter().map(|(place, of)| double(&folder.join(place), of)).collect();
                // A verb may ask twice; the names are the same.
                let _ = self.batch.whole_names.set(whole);
                return if doubles.is_empty() { Ok(()) } else { Err(Failure::usage(doubles.join("\n"))) };
            }
        }
    }

    /// The inputs of a folder whose results would be one file, by its place, where some have their whole names.
    fn alike(
        &self,
        whole: &BTreeSet<PathBuf>,
        name: &impl Fn(&Input, Option<Isa>) -> OsString,
    ) -> BTreeMap<PathBuf, Vec<&Path>> {
        // The number of a program that is named is in the name of its result.
        let place = |found: &super::Found, isa| {
            let mut named = Input::named(&found.path);
            named.whole_name = whole.contains(&found.path);
            (self.batch.gathered.below(&found.path).join(name(&named, isa)), named.asked)
        };
        let mut alike: BTreeMap<Key, Vec<&super::Found>> = BTreeMap::new();
        for found in &self.batch.gathered.files {
            let (place, number) = place(found, None);
            alike.entry((folded(&place), number)).or_default().push(found);
        }
        let mut places: BTreeMap<Key, (PathBuf, Vec<&Path>)> = BTreeMap::new();
        for found in alike.into_values().filter(|found| found.len() > 1).flatten() {
            // Only a closer look tells: not all of them need be shaders, or of one instruction set.
            let Ok(input) = io::read(&found.path) else { continue };
            if found.walked && !load::is_known(&input) {
                continue;
            }
            let (place, number) = place(found, input.isa());
            places.entry((folded(&place), number)).or_insert_with(|| (place, Vec::new())).1.push(&found.path);
        }
        places.into_values().filter(|(_, of)| of.len() > 1).collect()
    }

    /// Writes a result of a file; `name` is its file name in a folder.
    pub(crate) fn write(&mut self, of: &Path, name: &OsStr, payload: &Payload) -> Outcome {
        let Sink::Folder(folder) = &self.sink else { return self.sink.write(name, payload) };
        let place = folder.join(self.batch.gathered.below(of)).join(name);
        if !self.written.insert(folded(&place)) {
            return Err(Failure::usage(format!(
                "{}: its result would replace that of {}",
                io::shown(of),
                io::shown(place)
            )));
        }
        if let Some(parent) = place.parent() {
            io::create_folder(parent)?;
        }
        io::write_file(&place, payload.bytes())
    }
}

/// One text for all inputs, which is written as it grows.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The file, if it is not standard output.
    file: Option<(BufWriter<Draft>, PathBuf)>,
}

impl Shared {
    /// Begins the text; `name` is its file name in a folder.
    pub(crate) fn create(args: &OutputArgs, name: &str) -> Outcome<Self> {
        let path = match Sink::new(args) {
            Sink::Stdout => return Ok(Self { file: None }),
            Sink::File(path) => path,
            Sink::Folder(folder) => {
                io::create_folder(&folder)?;
                folder.join(name)
            }
        };
        let draft = Draft::create(&path).map_err(|error| io::failed(&path, &error))?;
        Ok(Self { file: Some((BufWriter::new(draft), path)) })
    }

    /// Writes more of it.
    pub(crate) fn write(&mut self, text: &str) -> Outcome {
        let Some((file, path)) = &mut self.file else { return io::print(text) };
        file.write_all(text.as_bytes()).map_err(|error| io::failed(path, &error))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Outcome {
        let Some((file, path)) = self.file else { return Ok(()) };
        let draft = file.into_inner().map_err(std::io::IntoInnerError::into_error);
        draft.and_then(Draft::commit).map_err(|error| io::failed(&path, &error))
    }
}

/// That these inputs would be written to one place.
fn double(place: &Path, of: &[&Path]) -> String {
    let names: Vec<String> = of.iter().map(|path| io::shown(path).to_string()).collect();
    if let Some(name) = names.first().filter(|first| names.iter().all(|name| name == *first)) {
        return format!("{name} is named {} times, and has one result", names.len());
    }
    format!(
        "{} would be written to one file, {}; write them to different folders",
        names.join(" and "),
        io::shown(place)
    )
}

/// The path as file systems that ignore case see it.
fn folded(path: &Path) -> PathBuf {
    if cfg!(any(windows, target_os = "macos")) {
        path.to_string_lossy().to_lowercase().into()
    } else {
        path.to_path_buf()
    }
}
