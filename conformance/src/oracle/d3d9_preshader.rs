//! Direct3D 9: preshaders in the corpus, against the columns of `ctab.jsonl` that tell of them.

use super::{File, check_lines};
use serde_json::Value;
use std::path::Path;
use vecasm::isa::d3d9::preshader::{self, Inputs, Preshader, Style, run::Switches};
use vecasm::isa::d3d9::{Program, bytes};

/// Every preshader: nothing is lost, nothing is found, and it is what MojoShader saw.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let file = check_lines(shared, "oracle/d3d9/ctab.jsonl", |report, id, row| {
        let columns = row.get("preshader").unwrap_or(&Value::Null);
        match program(shared, row) {
            Ok(program) => match preshader::of(&program).0 {
                None if columns.is_null() => report.case(id, Ok(())),
                None => report.case(id, Err("no preshader is found".into())),
                Some(found) => report.case(id, same(&program, &found, columns)),
            },
            Err(why) => report.case(id, Err(why)),
        }
    });
    vec![file.append_name(" (preshaders)")]
}

fn program(shared: &Path, row: &Value) -> Result<Program, String> {
    let file = row.get("file").and_then(Value::as_str).ok_or("no column file")?;
    let data = std::fs::read(shared.join("corpus/d3d9").join(file)).map_err(|e| format!("{file}: {e}"))?;
    bytes::decode(&data).map_err(|d| d.to_string())
}

fn same(program: &Program, found: &Preshader, columns: &Value) -> Result<(), String> {
    let findings = preshader::of(program).1;
    if !findings.is_empty() {
        return Err(format!("{findings:?}"));
    }
    let comment = found.comment();
    if !program.comments().any(|words| words == comment) {
        return Err("other words are written".into());
    }
    for style in [Style::Listing, Style::Lossless] {
        let text = preshader::print(found, style, "    ");
        let (again, findings) = preshader::parse(&text);
        let again = again.ok_or_else(|| format!("{findings:?}\n{text}"))?;
        if style == Style::Lossless && again != *found || again.code().len() != found.code().len() {
            return Err(format!("reads back as another one:\n{text}"));
        }
        if text.contains(".raw") {
            return Err(format!("has no syntax:\n{text}"));
        }
    }
    let number = |name: &str| columns.get(name).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let counts = (number("instructions"), number("temps"));
    if counts != (found.code().len() as u64, u64::from(found.temporaries())) {
        return Err(format!(
            "{} instructions, {} temporaries, not {counts:?}",
            found.code().len(),
            found.temporaries()
        ));
    }
    let literals: Vec<f64> = found.literals().iter().map(|bits| f64::from_bits(*bits)).collect();
    let wanted: Vec<f64> = columns
        .get("literals")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    if literals != wanted {
        return Err(format!("the numbers are {literals:?}, not {wanted:?}"));
    }
    let table = found.table().0.map(|table| super::d3d9_text::symbols(&table)).unwrap_or_default();
    let wanted = columns.get("symbols").cloned().unwrap_or_default();
    if Value::Array(table.clone()) != wanted {
        return Err(format!("the symbols are {}, not {wanted}", Value::Array(table)));
    }
    // What the stream says is written is what the code writes.
    let map = found.output_map().ok_or("there is no map of outputs")?;
    let ranges = map.ranges[0].iter().flat_map(|(first, count)| *first..first + count);
    let ranges: Vec<u32> = ranges.collect();
    let out = preshader::run(found, &Inputs::of(found), &Switches::default()).map_err(|d| d.to_string())?;
    let written: Vec<u32> = out.floats.iter().map(|(n, _)| *n).collect();
    if ranges != written {
        return Err(format!("the map of outputs says {ranges:?}, the code writes {written:?}"));
    }
    Ok(())
}
