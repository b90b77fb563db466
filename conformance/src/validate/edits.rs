//! Edited containers before readers of others: each container of the corpus as it is, and with each of its programs grown by
//! 400 bytes and shrunk to almost nothing, as [`oracle`](crate::oracle) edits the first. Our own reader finds what is edited;
//! another one has to find the same names in what was written, the new program in the place of the old, and in all other
//! places what was there.
//!
//! | files | reader |
//! |---|---|
//! | effects of Direct3D 9, alone and in assets of XNA | [`d3dx`]: D3DX of Wine, by `xtask/hlsl/d3dxeffect.c` |
//! | effects, XNB, MGFX, DXBC, SDP, VCS, SWF, rgxa, virgl, zip, and these in each other | [`python`]: zipfile, zlib, bz2 and lzma of Python and short walks, in `containers.py` |
//!
//! A reader says what it finds in a file as lines, the same for all.

use super::{Judges, Results, d3dx, hlsl, python};
use crate::oracle::{File, Report, grown_and_shrunk};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use vecasm::container::{Address, Budget, Container, Format, Kind, Limits, edit, visit};
use vecasm::isa::Isa;

/// The edited containers of the corpus before each reader.
pub fn plan<'a>(shared: &Path, judges: &Arc<Judges>) -> Vec<File<'a>> {
    vec![
        plan_reader(d3dx::Effects, d3dx::items(shared), judges),
        plan_reader(python::Walks, python::items(shared), judges),
    ]
}

/// A program that reads containers: each line of its standard input is a file, and for each one it writes a line OK or FAIL,
/// lines that say what is in it, and a line END.
pub(super) trait Reader: Send + Sync + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What is said of rows where it is not there.
    const MISSING: &'static str;
    /// How the line begins that says what a program is; behind it come the place and [`shown`](Self::shown).
    const WORD: &'static str;
    /// How the line begins of what is another for a container around what is edited.
    const PACKED: &'static str = "packed ";

    /// Starts it, if it is there.
    fn command(&self, judges: &Judges) -> Option<Command>;

    /// What it is given of a file.
    fn view(&self, file: &[u8]) -> Result<Vec<u8>, String>;

    /// How it says what a program is.
    fn shown(&self, program: &[u8]) -> String;

    /// What it calls the place of a program.
    fn place(&self, address: &Address) -> String;

    /// Other places that show a program of what it is given: place of the program by that place.
    fn others(&self, view: &[u8]) -> Result<BTreeMap<String, String>, String>;
}

/// A file of the corpus.
#[derive(Debug)]
pub(super) struct Item {
    /// What the row is called.
    pub(super) id: String,
    /// Its bytes.
    pub(super) file: Vec<u8>,
    /// What is done where the reader refuses it.
    pub(super) refused: Refused,
}

/// What it means that a reader refuses the original.
#[derive(Debug)]
pub(super) enum Refused {
    /// That is wrong.
    Wrong,
    /// It is left out, without being read, for this reason.
    Left(&'static str),
    /// It did so when its answers were recorded: the file is left out.
    Known,
    /// It does not unpack the original: what it says of the first edited file stands for that.
    Packed,
}

/// A container with one program changed, or none.
#[derive(Debug)]
struct Edit {
    /// What was done: `unchanged`, or the address of the program and `grown` or `shrunk`.
    name: String,
    /// What was changed.
    program: Option<Program>,
    /// The file that came out.
    file: Vec<u8>,
}

/// A program that is changed.
#[derive(Debug)]
struct Program {
    address: Address,
    old: Vec<u8>,
    new: Vec<u8>,
}

pub(super) fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

pub(super) fn read(file: &[u8]) -> Result<Container<'_>, String> {
    Container::read(file, &mut budget()).map_err(|finding| finding.to_string())
}

/// A file, written again without a change and with each of its programs grown and shrunk.
fn edits(file: &[u8]) -> Result<Vec<Edit>, String> {
    let container = read(file)?;
    let again = container.replace(&[]).map_err(|finding| finding.to_string())?;
    let mut out = vec![Edit { name: "unchanged".into(), program: None, file: again.bytes }];
    let mut programs = Vec::new();
    let walked = visit::<()>(
        &container,
        &mut budget(),
        &mut |found| {
            let changed = match found.entry.kind {
                Kind::Stream(Isa::D3d9) => grown_and_shrunk(found.bytes),
                // Instructions have 24 bytes, behind a header of 7.
                Kind::Stream(Isa::Agal) => found
                    .bytes
                    .last_chunk::<24>()
                    .zip(found.bytes.get(..7))
                    .map(|(last, header)| [[found.bytes, &last.repeat(17)].concat(), header.to_vec()]),
                Kind::File if found.container.format() == Format::Virgl => {
                    let first = found.bytes.split_inclusive(|&byte| byte == b'\n').next();
                    first.map(|first| [[found.bytes, &[b' '; 400]].concat(), [first, b"END\n"].concat()])
                }
                _ => None,
            };
            for (new, what) in changed.into_iter().flatten().zip(["grown", "shrunk"]) {
                let old = found.bytes.to_vec();
                programs.push((what, Program { address: found.address.clone(), old, new }));
            }
            ControlFlow::Continue(())
        },
        &mut |_, _| {},
    );
    let _ = walked.map_err(|finding| finding.to_string())?;
    for (what, program) in programs {
        let name = format!("{} {what}", program.address);
        let edited = edit(&container, &[(program.address.clone(), program.new.clone())], &mut budget());
        let edited = edited.map_err(|finding| format!("{name}: {finding}"))?;
        out.push(Edit { name, program: Some(program), file: edited.bytes });
    }
    Ok(out)
}

/// The lines about a file.
type Lines = Vec<String>;

/// What a reader says of a file, and what was asked about it.
struct Answer {
    /// What it was given of the file as it is.
    view: Vec<u8>,
    /// Of the file as it is.
    original: Result<Lines, String>,
    /// Of each file that was written.
    edited: Vec<(Edit, Result<Lines, String>)>,
}

/// The files of the corpus before a reader, a row each.
fn plan_reader<'a, R: Reader>(reader: R, items: Option<Vec<Item>>, judges: &Arc<Judges>) -> File<'a> {
    let Some(items) = items else { return File::absent(R::NAME) };
    let mut out = File::new(R::NAME);
    let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    let (judges, reader, items) = (Arc::clone(judges), Arc::new(reader), Arc::new(items));
    let told = {
        let (reader, items) = (Arc::clone(&reader), Arc::clone(&items));
        // One process reads all, when the first row is asked for.
        Results::new(1, move |_| ask_all(&*reader, &judges, &items))
    };
    out.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| match told.get(0) {
        Ok(None) => report.skip(R::MISSING),
        Err(why) => report.case(id, Err(why.clone())),
        Ok(Some(asked)) => match &asked[n] {
            None => {
                if let Refused::Left(why) = items[n].refused {
                    report.skip(why);
                }
            }
            Some(Err(why)) => report.case(id, Err(why.clone())),
            Some(Ok(asked)) => compare(&*reader, report, &items[n], asked),
        },
    });
    out
}

/// What became of each item; `None` where it is left out.
type Answers = Vec<Option<Result<Answer, String>>>;

/// Edits every file and has one process say what it finds in all of them; `None` without the reader.
fn ask_all<R: Reader>(reader: &R, judges: &Judges, items: &[Item]) -> Result<Option<Answers>, String> {
    if reader.command(judges).is_none() {
        return Ok(None);
    }
    let folder = judges.folder.join(R::NAME);
    std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut put = |file: &[u8]| -> Result<usize, String> {
        let path = folder.join(paths.len().to_string());
        std::fs::write(&path, file).map_err(|why| format!("{}: {why}", path.display()))?;
        paths.push(path);
        Ok(paths.len() - 1)
    };
    let mut edit_one = |item: &Item| -> Result<_, String> {
        let view = reader.view(&item.file)?;
        let original = put(&view)?;
        let mut written = Vec::new();
        for edit in edits(&item.file)? {
            written.push((put(&reader.view(&edit.file)?)?, edit));
        }
        Ok((view, original, written))
    };
    let all: Vec<_> = items
        .iter()
        .map(|item| (!matches!(item.refused, Refused::Left(_))).then(|| edit_one(item)))
        .collect();
    let said = ask(|| reader.command(judges), &paths)?;
    let answered = |(view, original, written): (Vec<u8>, usize, Vec<(usize, Edit)>)| Answer {
        view,
        original: said[original].clone(),
        edited: written.into_iter().map(|(n, edit)| (edit, said[n].clone())).collect(),
    };
    Ok(Some(all.into_iter().map(|one| one.map(|one| one.map(answered))).collect()))
}

/// What is said of each of some files. Where the process ends in a file, it goes on with the next one in a new process.
fn ask(
    command: impl Fn() -> Option<Command>,
    paths: &[PathBuf],
) -> Result<Vec<Result<Lines, String>>, String> {
    let mut out = Vec::new();
    while let Some(left @ [_, ..]) = paths.get(out.len()..) {
        let status = ask_some(&mut command().ok_or("it is gone")?, left, &mut out)?;
        if out.len() < paths.len() {
            out.push(Err(format!("the reader ends here: {status}")));
        }
    }
    Ok(out)
}

/// Asks until the process ends; how it ended.
fn ask_some(
    command: &mut Command,
    paths: &[PathBuf],
    out: &mut Vec<Result<Lines, String>>,
) -> Result<String, String> {
    let (mut child, mut to, from) = hlsl::spawn(command).ok_or("it cannot be started")?;
    let list: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    // It says more than a pipe holds before it has read all names.
    let writer = std::thread::spawn(move || {
        let _ = to.write_all(list.as_bytes());
    });
    let mut lines = Vec::new();
    let ended = loop {
        match from.recv_timeout(hlsl::PATIENCE) {
            Ok(line) if line == "END" => out.push(of_lines(std::mem::take(&mut lines))),
            Ok(line) => lines.push(line),
            Err(why) => break why,
        }
    };
    if ended == RecvTimeoutError::Timeout {
        // Where it is killed it reads no more names, either.
        let _ = child.kill();
    }
    let _ = writer.join();
    let status = child.wait().map_err(|why| why.to_string())?;
    Ok(format!("{ended}, {status}"))
}

/// The lines about a file, or what they say is wrong with it.
fn of_lines(mut lines: Lines) -> Result<Lines, String> {
    match lines.first() {
        Some(first) if first.starts_with("OK ") => {
            lines.remove(0);
            Ok(lines)
        }
        _ => Err(lines.join(" | ")),
    }
}

/// Compares what is said of each file that was written with what is said of the original.
fn compare<R: Reader>(reader: &R, report: &mut Report, item: &Item, asked: &Answer) {
    let first = |edit: &(Edit, Result<Lines, String>)| edit.0.program.is_some();
    let original = match (&asked.original, &item.refused) {
        (Ok(original), _) => Ok(original.clone()),
        (Err(_), Refused::Known) => return report.skip("refused as it was before any edit"),
        (Err(_), Refused::Packed) => match asked.edited.iter().find(|edit| first(edit)) {
            Some((edit, Ok(said))) => before(reader, said, edit.program.as_ref()),
            Some((_, Err(why))) => Err(format!("it is refused: {why}")),
            None => return report.skip("packed in a way that is not unpacked, and without programs"),
        },
        (Err(why), _) => Err(format!("the original is refused: {why}")),
    };
    let known = original.and_then(|original| Ok((original, reader.others(&asked.view)?)));
    let (original, others) = match known {
        Ok(known) => known,
        Err(why) => return report.case(&item.id, Err(why)),
    };
    for (edit, said) in &asked.edited {
        if edit.program.is_none() && asked.original.is_err() {
            continue;
        }
        let outcome = match said {
            Ok(said) => same(reader, &original, said, edit.program.as_ref(), &others),
            Err(why) => Err(format!("it is refused: {why}")),
        };
        report.case(&format!("{} {}", item.id, edit.name), outcome);
    }
}

/// What would have been said before a program was changed.
fn before<R: Reader>(reader: &R, said: &[String], changed: Option<&Program>) -> Result<Lines, String> {
    let program = changed.ok_or("nothing is changed")?;
    let line =
        |bytes: &[u8]| format!("{}{} {}", R::WORD, reader.place(&program.address), reader.shown(bytes));
    let (old, new) = (line(&program.old), line(&program.new));
    let at = said.iter().position(|line| *line == new).ok_or_else(|| format!("it does not say {new}"))?;
    let mut out = said.to_vec();
    out[at] = old;
    Ok(out)
}

/// Whether what is said of an edited file is what was said before, with the new program in the place of the old.
fn same<R: Reader>(
    reader: &R,
    original: &[String],
    said: &[String],
    changed: Option<&Program>,
    others: &BTreeMap<String, String>,
) -> Result<(), String> {
    if original.len() != said.len() {
        return Err(format!("{} lines are said, and {} of the original", said.len(), original.len()));
    }
    let changed = changed.map(|program| {
        (reader.place(&program.address), reader.shown(&program.old), reader.shown(&program.new))
    });
    let mut seen = 0;
    for (before, now) in original.iter().zip(said) {
        let mut wanted = before.clone();
        if let Some((address, old, new)) = &changed {
            if let Some((place, bytes)) = before.strip_prefix(R::WORD).and_then(|line| line.split_once(' ')) {
                if place == address || others.get(place).is_some_and(|program| program == address) {
                    if bytes != old {
                        return Err(format!("{place} is {} in the original", front(bytes, 0)));
                    }
                    wanted = format!("{}{place} {new}", R::WORD);
                    seen += 1;
                }
            }
            let packed = |line: &str| Some(line.strip_prefix(R::PACKED)?.split(' ').next()?.to_string());
            let around = |place: &String| {
                address.strip_prefix(&**place).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            if packed(before).is_some_and(|place| around(&place) && packed(now) == Some(place)) {
                continue;
            }
        }
        if *now != wanted {
            return Err(differs(now, &wanted));
        }
    }
    match changed {
        Some((address, ..)) if seen == 0 => Err(format!("{address} is nowhere")),
        _ => Ok(()),
    }
}

/// Says where a line differs from the one that is wanted.
fn differs(line: &str, wanted: &str) -> String {
    let place: Vec<&str> = wanted.split(' ').take(2).collect();
    let at = line.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
    format!(
        "{}, {} characters: from {at} on it says {:?}, and not {:?}, {} characters",
        place.join(" "),
        line.len(),
        front(line, at),
        front(wanted, at),
        wanted.len()
    )
}

/// Some characters of a line, from one on.
fn front(line: &str, at: usize) -> String {
    line.chars().skip(at).take(64).collect()
}
