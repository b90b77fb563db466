//! What `apitrace dump` prints, which has the programs of Direct3D 8 and 9 as listings, or names the files that have them.
//!
//! Each call is a number, a name and its arguments; a text among those is in quotes and may have any number of lines. Dumps are
//! read only. The layout is that of apitrace's own printer.

use crate::container::{Detail, Entry, Kind, Parsed, Part};
use crate::cursor::{Result, at};
use crate::limits::exceeded;
use crate::{Budget, rules};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::Stage;

/// What a dump says beside its entries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dump {
    /// How many calls it has.
    pub calls: usize,
    /// The calls that create the programs, one for each entry.
    pub programs: Vec<u64>,
    /// The calls that set constants.
    pub constants: Vec<Constants>,
}

/// Constants that a call sets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Constants {
    /// The number of the call.
    pub call: u64,
    /// The stage whose constants they are.
    pub stage: Stage,
    /// The first register.
    pub register: u32,
    /// The numbers, four a register.
    pub values: Vec<f32>,
}

/// A line that begins a call: its number, its name, and how long all that is, with the parenthesis.
fn head(line: &str) -> Option<(u64, &str, usize)> {
    let digits = line.find(|c: char| !c.is_ascii_digit()).filter(|&n| n > 0)?;
    let number = line[..digits].parse().ok()?;
    let mut rest = line[digits..].strip_prefix(' ')?;
    // The thread, if it is printed.
    if let Some(thread) = rest.strip_prefix('@') {
        rest = thread.split_once(' ')?.1;
    }
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')))?;
    let is_name = end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()) && rest[end..].starts_with('(');
    is_name.then(|| (number, &rest[..end], line.len() - rest.len() + end + 1))
}

/// Whether a text begins as dumps do: comments, then a call.
pub(crate) fn is_dump(bytes: &[u8]) -> bool {
    let start = bytes.get(..4096).unwrap_or(bytes);
    let start = match core::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    let is_call = |line: &str| head(line).is_some();
    let mut lines = start.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
    lines.next().is_some_and(is_call)
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = "the text is no UTF-8, which the format does not have";
        rules::VALUE.finding(message).at(at(error.valid_up_to()))
    })?;
    let mut dump = Dump { calls: 0, programs: Vec::new(), constants: Vec::new() };
    let (mut entries, mut texts, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    let mut pos = 0;
    while let Some(rest) = text.get(pos..).filter(|rest| !rest.is_empty()) {
        let line = rest.find('\n').map_or(rest.len(), |n| n + 1);
        let Some((call, name, start)) = head(&rest[..line]) else {
            pos += line;
            continue;
        };
        dump.calls += 1;
        let Some(end) = arguments(&rest[start..]) else {
            let message = format!("call {call} cannot be read: the file ends inside it");
            findings.push(rules::UNREADABLE.finding(message).at(at(pos)));
            break;
        };
        let inside = pos + start..pos + start + end;
        pos = inside.end;
        let method = name.rsplit("::").next().unwrap_or(name);
        let stage = match method {
            "CreateVertexShader" | "SetVertexShaderConstantF" => Stage::Vertex,
            "CreatePixelShader" | "SetPixelShaderConstantF" => Stage::Fragment,
            _ => continue,
        };
        if !(name.starts_with("IDirect3DDevice8") || name.starts_with("IDirect3DDevice9")) {
            continue;
        }
        if method.ends_with("ConstantF") {
            dump.constants.extend(constants(&text[inside], call, stage, budget)?);
            continue;
        }
        let Some((kind, range)) = function(&text[inside.clone()]) else { continue };
        let range = inside.start + range.start..inside.start + range.end;
        let part = match kind {
            // Quotes and backslashes are escaped.
            Kind::File if text[range.clone()].contains('\\') => {
                budget.take_unpacked(range.len(), range.len())?;
                let start = texts.len();
                unescape(&text[range], &mut texts);
                Part::Unpacked { buffer: 0, range: start..texts.len() }
            }
            _ => Part::File(range),
        };
        let number = numbers.entry(call).or_default();
        *number += 1;
        let address = match number {
            1 => format!("call{call}"),
            n => format!("call{call}#{n}"),
        };
        entries.push(Entry { stage: Some(stage), ..Entry::new(address, kind, part) });
        dump.programs.push(call);
    }
    Ok(Parsed { entries, unpacked: Vec::from([texts]), detail: Detail::Apitrace(Box::new(dump)), findings })
}

/// How long the arguments of a call are, up to the parenthesis that ends them.
fn arguments(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut n) = (1usize, 0);
    loop {
        match bytes.get(n)? {
            b'"' => n += 1 + string(&text[n + 1..])?,
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
        n += 1;
    }
}

/// How long a text is, up to the quote that ends it.
fn string(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut n = 0;
    loop {
        match bytes.get(n)? {
            b'"' => return Some(n),
            b'\\' => n += 2,
            _ => n += 1,
        }
    }
}

/// What a text without its escapes is.
fn unescape(text: &str, out: &mut Vec<u8>) {
    let mut escaped = false;
    for byte in text.bytes() {
        if byte == b'\\' && !escaped {
            escaped = true;
            continue;
        }
        if escaped && !matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        escaped = false;
        out.push(byte);
    }
}

/// The value of an argument, and where it begins.
fn argument<'a>(arguments: &'a str, name: &str) -> Option<(&'a str, usize)> {
    let start = arguments.find(name)? + name.len();
    Some((&arguments[start..], start))
}

/// The program among the arguments of a call: what it is, and where its text or the name of its file stands.
fn function(arguments: &str) -> Option<(Kind, Range<usize>)> {
    let (value, start) = argument(arguments, "pFunction = ")?;
    if let Some(text) = value.strip_prefix('"') {
        return Some((Kind::File, start + 1..start + 1 + string(text)?));
    }
    let open = "blob(\"";
    let file = value.strip_prefix(open)?;
    let file = &file[..string(file)?];
    let range = start + open.len()..start + open.len() + file.len();
    Some((Kind::Foreign(format!("a program in the file {file}").into()), range))
}

/// The constants among the arguments of a call, if they are there.
fn constants(arguments: &str, call: u64, stage: Stage, budget: &Budget) -> Result<Option<Constants>> {
    let number = |text: &str| text[..text.find([',', ')', ' ']).unwrap_or(text.len())].parse().ok();
    let register = argument(arguments, "StartRegister = ").and_then(|(text, _)| number(text));
    let list = argument(arguments, "pConstantData = {").and_then(|(text, _)| text.split_once('}'));
    let (Some(register), Some((list, _))) = (register, list) else { return Ok(None) };
    let mut values = Vec::new();
    for word in list.split(',').map(str::trim) {
        let Ok(value) = word.parse() else { return Ok(None) };
        if values.len() >= budget.limits.elements {
            let what = format!("another constant of call {call}");
            return Err(exceeded(&what, budget.limits.elements, "elements"));
        }
        values.push(value);
    }
    Ok(Some(Constants { call, stage, register, values }))
}
