//! Edited effects of Direct3D 9 before D3DX of Wine: `xtask/hlsl/d3dxeffect.c` says what `D3DXCreateEffect` finds in a file, a
//! line each. What it says of a file that was written again has to be what it says of the original, and the functions of the
//! program that was changed, in its parameter and in the passes that choose it, have to be the new one.
//!
//! D3DX takes no effect with XNA's wrapper, so that is taken off, as callers do. What it refuses in the original is left out.

use super::edits::{Edit, Program, budget, edits, read};
use super::hlsl::under_wine;
use super::{Judges, Results};
use crate::oracle::{File, Report};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use vecasm::container::{Container, Format, Limits};
use vecasm::isa::to_hex;

/// Which DLL of Wine has `D3DXCreateEffect`.
const DLL: &str = "d3dx9_43.dll";

/// A file of the corpus.
struct Item {
    id: String,
    /// As it is.
    file: Vec<u8>,
    /// Whether D3DX took it when the oracle was recorded.
    taken: bool,
}

/// What D3DX says of a file, and what was asked about it.
struct Asked {
    /// Its effect, without a wrapper.
    effect: Vec<u8>,
    /// Of the file as it is.
    original: Result<Said, String>,
    /// Of each file that was written.
    edited: Vec<(Edit, Result<Said, String>)>,
}

/// The lines about a file.
type Said = Vec<String>;

/// The effects of the corpus, a row each.
pub(super) fn plan<'a>(shared: &Path, judges: Arc<Judges>) -> File<'a> {
    let name = "oracle/containers/fx2.jsonl";
    let Ok(text) = std::fs::read_to_string(shared.join(name)) else { return File::absent("d3dx") };
    let mut items = Vec::new();
    let mut elsewhere = Vec::new();
    for row in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let id = row["id"].as_str().unwrap_or("").to_string();
        let path = row["file"].as_str().map(|file| shared.join("corpus/containers").join(file));
        match path.and_then(|path| std::fs::read(path).ok()) {
            Some(file) => items.push(Item { id, file, taken: row["peers"]["d3dx"] == "ok" }),
            None => elsewhere.push(id),
        }
    }
    let mut out = File::new("d3dx");
    let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    let items = Arc::new(items);
    let told = {
        let items = Arc::clone(&items);
        // One process reads all, when the first row is asked for.
        Results::new(1, move |_| judges.d3dx.as_ref().map(|program| ask_all(program, &judges.folder, &items)))
    };
    out.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| match told.get(0) {
        None => report.skip("D3DX of Wine is not among the judges"),
        Some(Err(why)) => report.case(id, Err(why.clone())),
        Some(Ok(asked)) => match &asked[n] {
            Err(why) => report.case(id, Err(why.clone())),
            Ok(asked) => compare(report, &items[n], asked),
        },
    });
    elsewhere.iter().for_each(|id| out.add_skip(id, "the file is named by reference"));
    out
}

/// Edits every effect and has one process say what it finds in all of them.
fn ask_all(program: &Path, folder: &Path, items: &[Item]) -> Result<Vec<Result<Asked, String>>, String> {
    let folder = folder.join("d3dx");
    let io = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(io)?;
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut put = |file: &[u8]| -> Result<usize, String> {
        let path = folder.join(format!("{}.fxb", paths.len()));
        std::fs::write(&path, file).map_err(|e| format!("{}: {e}", path.display()))?;
        paths.push(path);
        Ok(paths.len() - 1)
    };
    let mut edit_one = |item: &Item| -> Result<_, String> {
        let effect = bare(&item.file)?;
        let original = put(&effect)?;
        let mut written = Vec::new();
        for edit in edits(&item.file)? {
            written.push((put(&bare(&edit.file)?)?, edit));
        }
        Ok((effect, original, written))
    };
    let all: Vec<_> = items.iter().map(&mut edit_one).collect();
    let said = ask(program, &paths)?;
    let answered = |(effect, original, written): (Vec<u8>, usize, Vec<(usize, Edit)>)| Asked {
        effect,
        original: said[original].clone(),
        edited: written.into_iter().map(|(n, edit)| (edit, said[n].clone())).collect(),
    };
    Ok(all.into_iter().map(|one| one.map(answered)).collect())
}

/// What D3DX reads of a file: the effect in it, without XNA's wrapper.
fn bare(file: &[u8]) -> Result<Vec<u8>, String> {
    let container = read(file)?;
    let effect = if container.format() == Format::Xnb {
        let entry = container.entries().first().ok_or("no effect in it")?;
        container.bytes(entry, &mut budget()).map_err(|finding| finding.to_string())?.into_owned()
    } else {
        file.to_vec()
    };
    let word = |at: usize| {
        effect.get(at..at + 4).map(|word| word.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    };
    match (word(0), word(4)) {
        (Some(0xBCF0_0BCF), Some(size)) => {
            let inner = effect.get(size as usize..).ok_or("a wrapper larger than the file")?;
            Ok(inner.to_vec())
        }
        _ => Ok(effect),
    }
}

/// What is said of each of some files. Where the process ends in a file, it goes on with the next one in a new process.
fn ask(program: &Path, paths: &[PathBuf]) -> Result<Vec<Result<Said, String>>, String> {
    let mut out = Vec::new();
    while let Some(left @ [_, ..]) = paths.get(out.len()..) {
        let mut command = under_wine(program).ok_or("there is no Wine")?;
        let before = out.len();
        let status = ask_some(command.arg(DLL), left, &mut out)?;
        if out.len() < paths.len() {
            if out.len() == before && before == 0 && !status.starts_with("exit status: ") {
                return Err(format!("{}: {status}", program.display()));
            }
            out.push(Err(format!("D3DX ended in it: {status}")));
        }
    }
    Ok(out)
}

/// Asks until the process ends; how it ended.
fn ask_some(
    command: &mut Command,
    paths: &[PathBuf],
    out: &mut Vec<Result<Said, String>>,
) -> Result<String, String> {
    let io = |e: std::io::Error| e.to_string();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(io)?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let list: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    // It says more than a pipe holds before it has read all names.
    let writer = std::thread::spawn(move || {
        let _ = to.write_all(list.as_bytes());
    });
    let mut lines = Vec::new();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).trim_end().to_string();
        if line == "END" {
            out.push(of_lines(std::mem::take(&mut lines)));
        } else {
            lines.push(line);
        }
    }
    let _ = writer.join();
    child.wait().map(|status| status.to_string()).map_err(io)
}

/// The lines about a file, or what they say is wrong with it.
fn of_lines(mut lines: Said) -> Result<Said, String> {
    match lines.first() {
        Some(first) if first.starts_with("OK ") => {
            lines.remove(0);
            Ok(lines)
        }
        _ => Err(lines.join(" | ")),
    }
}

/// Compares what is said of each file that was written with what is said of the original.
fn compare(report: &mut Report, item: &Item, asked: &Asked) {
    let original = match &asked.original {
        Ok(original) => original,
        Err(why) if item.taken => {
            return report.case(&item.id, Err(format!("D3DX refuses the original: {why}")));
        }
        Err(_) => return report.skip("D3DX refuses the original"),
    };
    let chosen = match chosen(&asked.effect) {
        Ok(chosen) => chosen,
        Err(why) => return report.case(&item.id, Err(why)),
    };
    for (edit, said) in &asked.edited {
        let outcome = match said {
            Ok(said) => same(original, said, edit.program.as_ref(), &chosen),
            Err(why) => Err(format!("D3DX refuses it: {why}")),
        };
        report.case(&format!("{} {}", item.id, edit.name), outcome);
    }
}

/// The programs of passes: `technique0/pass0/vs`, and the address of what stands there.
fn chosen(effect: &[u8]) -> Result<BTreeMap<String, String>, String> {
    let container: Container<'_> = read(effect)?;
    let vecasm::container::Detail::Fx2(detail) = container.detail() else { return Err("no effect".into()) };
    let mut out = BTreeMap::new();
    for (t, technique) in detail.techniques.iter().enumerate() {
        for p in 0..technique.passes.len() {
            let address = format!("technique{t}/pass{p}");
            let draw = vecasm::effect::draw(effect, Some(&address), &[], Limits::DEFAULT);
            let draw = draw.map_err(|finding| finding.to_string())?;
            let Some(pass) = draw.as_ref().and_then(|draw| draw.passes.first()) else { continue };
            for (program, step) in [(&pass.vertex, "vs"), (&pass.fragment, "ps")] {
                if let Some(program) = program {
                    out.insert(format!("{address}/{step}"), program.clone());
                }
            }
        }
    }
    Ok(out)
}

/// Whether what is said of an edited effect is what was said before, with the new program in the place of the old.
fn same(
    original: &[String],
    said: &[String],
    changed: Option<&Program>,
    chosen: &BTreeMap<String, String>,
) -> Result<(), String> {
    if original.len() != said.len() {
        return Err(format!("{} lines are said, and {} of the original", said.len(), original.len()));
    }
    let changed = changed.map(|program| {
        let address = program.address.parts().last().map_or("", String::as_str);
        (address, to_hex(&program.old), to_hex(&program.new))
    });
    let mut seen = 0;
    for (before, now) in original.iter().zip(said) {
        let mut wanted = before.clone();
        if let (Some((address, old, new)), Some(function)) = (&changed, before.strip_prefix("function ")) {
            let (place, bytes) = function.split_once(' ').unwrap_or((function, ""));
            if place == *address || chosen.get(place).is_some_and(|program| program == address) {
                if bytes != old {
                    return Err(format!("{place} had other bytes before: {}", front(bytes, 0)));
                }
                wanted = format!("function {place} {new}");
                seen += 1;
            }
        }
        if *now != wanted {
            return Err(differs(now, &wanted));
        }
    }
    match changed {
        Some((address, ..)) if seen == 0 => Err(format!("D3DX hands out {address} nowhere")),
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
