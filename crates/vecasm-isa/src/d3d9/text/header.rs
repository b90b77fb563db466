//! The names of registers in the comments of a listing: the tables `Parameters` and `Registers` that Microsoft's compiler and
//! disassembler write in front of the code.

use crate::d3d9::ctab::RegisterSet;
use crate::d3d9::registers::MAX_CONSTANTS;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::symbols::{Shape, Symbol, TextureSymbol};

/// The names of constants and of textures in the last such table of a text; none where there is no table. Types that the table of
/// parameters does not tell, as those of structures, are vectors.
pub fn names_in_header(text: &str) -> (Vec<Symbol>, Vec<TextureSymbol>) {
    let (mut constants, mut textures) = (Vec::new(), Vec::new());
    let Some(at) = text.rfind("Registers:") else { return (constants, textures) };
    let Some((parameters, registers)) = text.split_at_checked(at) else { return (constants, textures) };
    let parameters = parameters.rfind("Parameters:").and_then(|at| parameters.get(at..)).unwrap_or("");
    let shapes: BTreeMap<&str, Shape> = comments(parameters).filter_map(declaration).collect();
    for row in comments(registers).skip(1) {
        let mut words = row.split_whitespace();
        let (Some(name), Some(register), Some(size), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Some((letter, first)) = register.split_at_checked(1) else { continue };
        let set = RegisterSet::ALL.iter().map(|row| row.0).find(|set| letter.starts_with(set.letter()));
        let (Some(set), Ok(first), Ok(count)) = (set, first.parse::<u32>(), size.parse::<u32>()) else {
            continue;
        };
        if first >= MAX_CONSTANTS || count > MAX_CONSTANTS {
            continue;
        }
        if set == RegisterSet::Sampler {
            for n in 0..count.min(16) {
                let name = if count == 1 { name.into() } else { format!("{name}[{n}]") };
                textures.push(TextureSymbol { name, slot: first + n });
            }
            continue;
        }
        let vector = || {
            let one = Shape::Matrix { rows: 1, columns: 4, by_columns: false };
            if count > 1 { Shape::Array(Box::new(one), count as u16) } else { one }
        };
        constants.push(Symbol {
            name: name.into(),
            array: String::from(set.letter()),
            first,
            count,
            single: set == RegisterSet::Bool,
            shape: shapes.get(name).cloned().unwrap_or_else(vector),
        });
    }
    (constants, textures)
}

/// The comments of the lines of a text, up to the first line that is none.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    let first = text.lines().next();
    let rest = text.lines().skip(1).map_while(|line| {
        let line = line.trim();
        // Blank lines separate the tables in some listings.
        if line.is_empty() { Some("") } else { line.strip_prefix("//").or_else(|| line.strip_prefix(';')) }
    });
    first.into_iter().chain(rest)
}

/// What a line of the table of parameters says: `float4x4 World;`, `row_major float3x4 Bones[20];`.
fn declaration(line: &str) -> Option<(&str, Shape)> {
    let mut words = line.trim().strip_suffix(';')?.split_whitespace();
    let mut ty = words.next()?;
    let by_columns = ty != "row_major";
    if matches!(ty, "row_major" | "column_major") {
        ty = words.next()?;
    }
    let name = words.next()?;
    let (name, elements) = match name.split_once('[') {
        Some((name, count)) => (name, count.strip_suffix(']')?.parse::<u16>().ok()?),
        None => (name, 1),
    };
    let size = ["float", "half", "int", "bool"].iter().find_map(|word| ty.strip_prefix(word))?;
    let number = |text: &str| text.parse::<u16>().ok().filter(|n| (1..=4).contains(n));
    let (rows, columns, by_columns) = match size.split_once('x') {
        Some((rows, columns)) => (number(rows)?, number(columns)?, by_columns),
        None if size.is_empty() => (1, 1, false),
        None => (1, number(size)?, false),
    };
    let one = Shape::Matrix { rows, columns, by_columns };
    Some((name, if elements > 1 { Shape::Array(Box::new(one), elements) } else { one }))
}
