//! Contact sheets: every shader in a folder and below, small, in one picture.

use super::{Args, is_scene, with_size, write};
use crate::args::ReadingArgs;
use crate::drawing::{self, Files};
use crate::io::{self, Input, Name, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::pictures::{ADVANCE, Canvas, LINE, Rgb};
use crate::report;
use crate::{Failure, Outcome};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use vecasm::diag::Severity;
use vecasm::ir::{Op, OutputKind, Stage};
use vecasm::isa::any::CheckOptions;
use vecasm::open::AssumedNotation;
use vecasm::render::Picture;

/// Most files that are looked at.
const MOST_FILES: usize = 50_000;
/// Deepest folder.
const MOST_DEEP: usize = 32;
/// Files above this are no shaders.
const MOST_BYTES: u64 = 4 << 20;
/// Most pixels of a sheet.
const MOST_PIXELS: u64 = 1 << 27;

const PAPER: Rgb = [16, 17, 22];
const INK: Rgb = [206, 210, 220];
const TITLE: Rgb = [240, 200, 110];
const EMPTY: Rgb = [34, 36, 44];
const BAD: Rgb = [70, 22, 26];
const BAD_INK: Rgb = [255, 150, 140];
/// Space around a picture.
const GAP: u32 = 3;
/// Lines of the name below a picture.
const LINES: u32 = 2;
/// Height of the title of a group.
const HEAD: u32 = 20;

/// A shader or a scene of the folder.
struct Item {
    input: Input,
    /// Which group it stands in.
    group: String,
    what: What,
}

enum What {
    Scene,
    Program(Box<Loaded>),
    /// It cannot be read: the id of the finding, and what it says.
    Unreadable(String, String),
}

/// What became of an item.
enum Cell {
    Drawn(Picture),
    /// There is nothing to see, and why.
    Empty(&'static str),
    /// The shader is bad, and who reads or checks shaders says so: the id, and what it says.
    Bad(String, String),
    /// It could not be drawn though nothing is wrong with it.
    Failed(String, String),
}

/// Draws the sheet.
pub(super) fn run(args: &Args, folder: &Path) -> Outcome {
    let mut paths = Vec::new();
    walk(folder, 0, &mut paths)?;
    let found: Vec<Item> =
        paths.into_par_iter().filter_map(|path| read(folder, &path, &args.reading)).collect();
    let (items, repeated) = distinct(found);
    if items.is_empty() {
        return Err(Failure::usage(format!("{}: contains no shader", io::shown(folder))));
    }
    let bar = report::bar(items.len() as u64, "shaders");
    let cells: Vec<Cell> = items
        .par_iter()
        .map(|item| {
            let cell = catch_unwind(AssertUnwindSafe(|| draw(args, item)));
            bar.inc(1);
            cell.unwrap_or_else(|_| Cell::Failed("internal".into(), "internal error".into()))
        })
        .collect();
    bar.finish_and_clear();
    let picture = sheet(args, &items, &cells)?;
    let (mut bad, mut failed, mut empty) = (0, 0, 0);
    for (item, cell) in items.iter().zip(&cells) {
        let (id, why) = match cell {
            Cell::Drawn(_) => continue,
            Cell::Empty(_) => {
                empty += 1;
                continue;
            }
            Cell::Bad(id, why) => {
                bad += 1;
                (id, why)
            }
            Cell::Failed(id, why) => {
                failed += 1;
                (id, why)
            }
        };
        io::note(&format!("{}: {id}: {why}", item.input.name));
    }
    for (name, first) in &repeated {
        io::note(&format!("{name}: the same program as {first}"));
    }
    let repeated = repeated.len();
    io::note(&format!(
        "{} shaders: {} drawn, {empty} without visible output, {bad} bad, {failed} failed{}",
        items.len(),
        items.len() - bad - failed - empty,
        if repeated > 0 { format!("; duplicate files: {repeated}") } else { String::new() }
    ));
    write(&Sink::new(&args.output), "sheet.png", &picture)?;
    if failed > 0 { Err(Failure::Shader) } else { Ok(()) }
}

/// All files in a folder and below, in the order of their names.
fn walk(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Outcome {
    let failure = |error: std::io::Error| Failure::usage(format!("{}: {error}", io::shown(folder)));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failure)? {
        entries.push(entry.map_err(failure)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(failure)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && depth < MOST_DEEP {
            walk(&entry.path(), depth + 1, out)?;
        } else if kind.is_file() && !hidden && entry.metadata().is_ok_and(|m| m.len() <= MOST_BYTES) {
            out.push(entry.path());
            if out.len() > MOST_FILES {
                return Err(Failure::usage(format!("more than {MOST_FILES} files")));
            }
        }
    }
    Ok(())
}

/// Reads a file, if it is a shader or a scene.
fn read(root: &Path, path: &Path, reading: &ReadingArgs) -> Option<Item> {
    let input = io::read(path).ok()?;
    let folder = path.parent().and_then(|folder| folder.strip_prefix(root).ok()).unwrap_or(Path::new(""));
    let folder = io::shown(folder).to_string();
    let group = |isa: &str| if folder.is_empty() { isa.to_string() } else { format!("{folder}: {isa}") };
    if is_scene(input.bytes()) {
        let scene: Value = serde_json::from_slice(input.bytes()).ok()?;
        let keys = ["vertex", "fragment", "draws", "passes", "commands"];
        let is = keys.iter().any(|key| scene.get(key).is_some()) && scene.get("inputs").is_none();
        return is.then(|| Item { input, group: group("scenes"), what: What::Scene });
    }
    match load::read(input, reading, AssumedNotation::Text).ok()? {
        Ok(loaded) => {
            let group = group(loaded.program.isa().name());
            let input = loaded.input.clone().with_bytes(Vec::new());
            Some(Item { input, group, what: What::Program(Box::new(loaded)) })
        }
        Err((input, findings)) => {
            // Where even the instruction set is a guess it is some other text.
            vecasm::isa::sniff(input.bytes())?;
            let first = findings.iter().find(|f| f.severity == Severity::Error)?;
            let (id, why) = (first.id.to_string(), first.to_string());
            Some(Item { input, group: group("unreadable"), what: What::Unreadable(id, why) })
        }
    }
}

/// Each program once, groups together, and the names of files that hold the same as an earlier one, with that.
fn distinct(items: Vec<Item>) -> (Vec<Item>, Vec<(Name, Name)>) {
    // A text that is unreadable as it stands beside what it assembles to is no shader of its own.
    let stem = |item: &Item| item.input.path.as_deref().map(|path| path.with_file_name(item.input.stem()));
    let read: BTreeSet<_> =
        items.iter().filter(|item| matches!(item.what, What::Program(_))).map(stem).collect();
    let mut seen = BTreeMap::new();
    let mut repeated = Vec::new();
    let mut out: Vec<Item> = items
        .into_iter()
        .filter(|item| match &item.what {
            What::Program(loaded) => {
                let name = &item.input.name;
                let first = seen.entry((loaded.program.isa().name(), loaded.program.encode()));
                let first: &Name = first.or_insert_with(|| name.clone());
                if first != name {
                    repeated.push((name.clone(), first.clone()));
                }
                first == name
            }
            What::Unreadable(..) => !read.contains(&stem(item)),
            What::Scene => true,
        })
        .collect();
    out.sort_by(|a, b| a.group.cmp(&b.group));
    (out, repeated)
}

fn draw(args: &Args, item: &Item) -> Cell {
    let mut lifting = args.lifting.clone();
    lifting.steps = false;
    let side = (args.cell, args.cell);
    let drawn = match &item.what {
        What::Unreadable(id, why) => return Cell::Bad(id.clone(), why.clone()),
        What::Scene => {
            let folder = item.input.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            let mut files = Files::new(folder, args.reading.clone(), lifting);
            let scene = with_size(item.input.bytes().to_vec(), &item.input.name, Some(side));
            // Scenes of commands have a size of their own, and are made smaller.
            let scene = scene.unwrap_or_else(|_| item.input.bytes().to_vec());
            drawing::draw(&scene, &mut files, args.picture.time).map_err(|error| error.to_string())
        }
        What::Program(loaded) => match program(args, loaded, &lifting) {
            Ok(Some(picture)) => Ok(picture),
            Ok(None) if loaded.program.stage() == Stage::Vertex => {
                return Cell::Empty("writes no output");
            }
            Ok(None) => return Cell::Empty("writes no colour"),
            Err(why) => {
                // What is wrong with it counts more than that it cannot be drawn.
                let findings = loaded.program.validate(&CheckOptions::default());
                if let Some(first) = findings.iter().find(|f| f.severity == Severity::Error) {
                    return Cell::Bad(first.id.to_string(), first.to_string());
                }
                Err(why)
            }
        },
    };
    match drawn {
        Ok(picture) => Cell::Drawn(shrunk(picture, args.cell)),
        Err(why) => Cell::Failed("failed".into(), why),
    }
}

/// Draws a program without a scene, if it has something to show.
fn program(args: &Args, loaded: &Loaded, lifting: &LiftArgs) -> Result<Option<Picture>, String> {
    let shader = loaded.program.lift(&lifting.options(Purpose::Picture));
    let shader = shader.map_err(|finding| finding.to_string())?;
    let shown = |kind: OutputKind| match kind {
        OutputKind::Color { .. } | OutputKind::Depth => shader.stage == Stage::Fragment,
        _ => shader.stage != Stage::Fragment,
    };
    let mut written = false;
    shader.body.for_each_inst(&mut |inst| {
        if let Op::StoreOutput { output, .. } = inst.op {
            written |= shader.outputs.get(output.index()).is_some_and(|output| shown(output.kind));
        }
    });
    if !written {
        return Ok(None);
    }
    let mut files = Files::new(Path::new(""), args.reading.clone(), lifting.clone());
    let wish = args.picture.wish().with_size(args.cell, args.cell);
    let guess = files.guess(&[(loaded.clone(), shader)], &wish).map_err(|why| why.to_string())?;
    let drawn = drawing::draw(guess.scene.as_bytes(), &mut files, args.picture.time);
    drawn.map(Some).map_err(|error| error.to_string())
}

/// A picture that is no larger than a cell: means of the pixels that fall on one.
fn shrunk(picture: Picture, cell: u32) -> Picture {
    let (w, h) = (picture.width.max(1), picture.height.max(1));
    if w <= cell && h <= cell {
        return picture;
    }
    let scale = f64::from(cell) / f64::from(w.max(h));
    let side = |n: u32| ((f64::from(n) * scale) as u32).clamp(1, cell);
    let (width, height) = (side(w), side(h));
    let mut rgba8 = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let rows = (y * h / height)..((y + 1) * h / height).max(y * h / height + 1);
            let (mut sum, mut count) = ([0u32; 4], 0);
            for row in rows {
                for column in (x * w / width)..((x + 1) * w / width).max(x * w / width + 1) {
                    let at = (row as usize * w as usize + column as usize) * 4;
                    for (sum, byte) in sum.iter_mut().zip(picture.rgba8.get(at..at + 4).unwrap_or(&[0; 4])) {
                        *sum += u32::from(*byte);
                    }
                    count += 1;
                }
            }
            rgba8.extend(sum.map(|sum| (sum / count.max(1)) as u8));
        }
    }
    Picture { width, height, rgba8 }
}

/// How large everything is.
struct Layout {
    columns: u32,
    width: u32,
    height: u32,
    cell: (u32, u32),
}

/// Chooses the columns for a sheet of about 16 to 10.
fn layout(args: &Args, groups: &[usize]) -> Layout {
    let cell = (args.cell + 2 * GAP, args.cell + 2 * GAP + LINES * LINE);
    let of = |columns: u32| {
        let rows: u32 = groups.iter().map(|n| (*n as u32).div_ceil(columns)).sum();
        let height = rows * cell.1 + groups.len() as u32 * HEAD + 2 * GAP;
        Layout { columns, width: columns * cell.0 + 2 * GAP, height, cell }
    };
    if let Some(columns) = args.columns {
        return of(columns);
    }
    let most = groups.iter().copied().max().unwrap_or(1).clamp(1, 256) as u32;
    let aspect = |layout: &Layout| f64::from(layout.width) / f64::from(layout.height.max(1)) / 1.6;
    let distance = |layout: &Layout| aspect(layout).ln().abs();
    let all = (1..=most).map(of);
    all.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_else(|| of(1))
}

/// Puts the cells together.
fn sheet(args: &Args, items: &[Item], cells: &[Cell]) -> Outcome<Picture> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match groups.last_mut() {
            Some((name, list)) if *name == item.group => list.push(at),
            _ => groups.push((&item.group, vec![at])),
        }
    }
    let counts: Vec<usize> = groups.iter().map(|(_, list)| list.len()).collect();
    let layout = layout(args, &counts);
    if u64::from(layout.width) * u64::from(layout.height) > MOST_PIXELS {
        return Err(Failure::usage("the sheet would be too large; choose a smaller --cell"));
    }
    let mut canvas = Canvas::new(layout.width, layout.height, PAPER);
    let mut top = GAP;
    for (name, list) in groups {
        canvas.text(2 * GAP, top + 6, &format!("{name} ({})", list.len()), 2, TITLE);
        top += HEAD;
        for (n, at) in list.iter().enumerate() {
            let (column, row) = (n as u32 % layout.columns, n as u32 / layout.columns);
            let left = GAP + column * layout.cell.0 + GAP;
            let place = (left, top + row * layout.cell.1 + GAP);
            if let (Some(item), Some(cell)) = (items.get(*at), cells.get(*at)) {
                put(&mut canvas, args.cell, place, &item.input.long_stem().to_string_lossy(), cell);
            }
        }
        top += (list.len() as u32).div_ceil(layout.columns) * layout.cell.1;
    }
    Ok(canvas.finish())
}

fn put(canvas: &mut Canvas, side: u32, (x, y): (u32, u32), name: &str, cell: &Cell) {
    let letters = (side / ADVANCE).max(1) as usize;
    match cell {
        Cell::Drawn(picture) => {
            let middle = |own: u32| side.saturating_sub(own) / 2;
            canvas.put(x + middle(picture.width), y + middle(picture.height), picture);
        }
        Cell::Empty(why) => {
            canvas.fill(x, y, side, side, EMPTY);
            for (line, text) in (0..).zip(wrapped(why, letters.saturating_sub(2), 3)) {
                canvas.text(x + 4, y + 4 + line * LINE, &text, 1, INK);
            }
        }
        Cell::Bad(id, why) | Cell::Failed(id, why) => {
            canvas.fill(x, y, side, side, BAD);
            canvas.text(x + 3, y + 4, &cut(id, letters), 1, BAD_INK);
            let lines = wrapped(why, letters.saturating_sub(2), (side.saturating_sub(24) / LINE) as usize);
            for (line, text) in (0..).zip(lines) {
                canvas.text(x + 3, y + 16 + line * LINE, &text, 1, INK);
            }
        }
    }
    for (line, text) in (0..).zip(wrapped(name, letters, LINES as usize)) {
        canvas.text(x, y + side + 3 + line * LINE, &text, 1, INK);
    }
}

/// A text in lines of at most so many letters; what does not fit is left out.
fn wrapped(text: &str, letters: usize, lines: usize) -> Vec<String> {
    let letters = letters.max(3);
    let all: Vec<char> = text.chars().collect();
    let mut out: Vec<String> = all.chunks(letters).take(lines).map(|line| line.iter().collect()).collect();
    if all.len() > letters * lines {
        if let Some(last) = out.last_mut() {
            *last = format!("{}..", last.chars().take(letters - 2).collect::<String>());
        }
    }
    out
}

fn cut(text: &str, letters: usize) -> String {
    wrapped(text, letters, 1).into_iter().next().unwrap_or_default()
}
