//! Rows in whose runs Mesa's interpreter read memory that nothing had been written to.
//!
//! Softpipe has no texels of cubes for TXF, and the interpreter has none for SAMPLE_C of views that are declared as compared; the
//! functions return without a result, and what is stored is what the instruction before left at that place of the stack. So the
//! program is rewritten to what that was, and has to give what was recorded: nothing else hides behind such a row. That holds
//! whoever is asked: by the language, too, such a row says only what was left in memory.

use serde_json::Value;

/// TXF of cubes.
pub(super) const TEXELS: &str =
    "a TXF of a cube, which softpipe leaves undone: what the F2I before it left in memory";
/// SAMPLE_C of compared views.
pub(super) const COMPARED: &str = "a SAMPLE_C of a view declared as compared, which is left undone: the coordinate, and what stood in memory";
/// The same, where only components count that nothing at all was written to.
pub(super) const NOTHING: &str =
    "SAMPLE_C of a view declared as compared, of which only components that were never written are stored";

/// What a program did, and why it is not what it says; nothing for programs whose results were all computed.
pub(super) fn rewritten(source: &str) -> Option<(&'static str, Result<String, String>)> {
    let lines: Vec<&str> = source.lines().collect();
    let body =
        |line: &&str| line.split_once(": ").is_some_and(|(number, _)| number.trim().parse::<u32>().is_ok());
    let of_cube = |line: &str| line.contains(" TXF ") && line.contains(", CUBE");
    let compared = source.contains(", SHADOW");
    let of_compared = |line: &str| compared && line.contains(": SAMPLE_C") && line.contains("SVIEW[1]");
    let why = if lines.iter().any(|line| of_cube(line)) {
        TEXELS
    } else if lines.iter().any(|line| of_compared(line)) {
        COMPARED
    } else {
        return None;
    };
    let mut out = String::new();
    for (n, line) in lines.iter().enumerate() {
        let text = line.split_once(": ").map_or(*line, |(_, text)| text);
        let new = match () {
            () if !body(line) => Ok(vec![(*line).to_string()]),
            () if of_cube(line) => texel(lines.get(..n).unwrap_or(&[]), text),
            () if of_compared(line) => comparison(text),
            () => Ok(vec![text.to_string()]),
        };
        match new {
            Ok(new) => new.iter().for_each(|line| {
                out.push_str(line);
                out.push('\n');
            }),
            Err(error) => return Some((why, Err(error))),
        }
    }
    Some((why, Ok(out)))
}

/// `TXF TEMP[0], TEMP[1], SAMP[0], CUBE` behind `MOV TEMP[1], IN[0]`, `FLR TEMP[1].xy, TEMP[1]`, `F2I TEMP[1], TEMP[1]`: the frame
/// of F2I has the source that was read last, w of the input, and in front of it the results from x on.
fn texel(before: &[&str], text: &str) -> Result<Vec<String>, String> {
    let operands: Vec<&str> = text.trim_start_matches("TXF ").split(", ").collect();
    let [to, from, ..] = operands.as_slice() else { return Err(format!("{text} is no TXF")) };
    let behind =
        [format!("MOV {from}, IN[0]"), format!("FLR {from}.xy, {from}"), format!("F2I {from}, {from}")];
    let last = before.len().checked_sub(3).and_then(|at| before.get(at..)).unwrap_or(&[]);
    if last.len() != 3 || !last.iter().zip(&behind).all(|(line, end)| line.ends_with(end.as_str())) {
        return Err(format!("{text} does not stand behind MOV, FLR and F2I"));
    }
    let register = to.trim_end_matches(".x");
    let mut out = vec![format!("MOV {register}.x, IN[0].wwww")];
    if register == *to {
        out.push(format!("MOV {register}.yzw, {from}.xxyz"));
    }
    Ok(out)
}

/// The first component is the coordinate, the second one the slope of the SAMPLE_D before.
fn comparison(text: &str) -> Result<Vec<String>, String> {
    let (_, operands) = text.split_once(' ').ok_or("no operands")?;
    let (to, _) = operands.split_once(", IN[0], ").ok_or_else(|| format!("{text} is not at IN[0]"))?;
    Ok(vec![match to.split_once('.') {
        Some((_, "x")) => format!("MOV {to}, IN[0].xxxx"),
        Some((_, "y")) => format!("MOV {to}, IMM[0].zzzz"),
        _ => return Err(format!("{to} has memory of which nothing is known")),
    }])
}

/// Whether the components of a row that nothing was written to hold what stood there: the row itself, as the recorder had read
/// it. So each is four characters of words in hexadecimal, and components of the same name hold the same.
pub(super) fn left_over(row: &Value, open: u8) -> Result<(), String> {
    let text = row.get("text").and_then(Value::as_str).unwrap_or("");
    let view = text.split_once(", SVIEW[0]").map_or("", |(_, behind)| behind);
    let swizzle = view.strip_prefix('.').and_then(|view| view.get(..4)).unwrap_or("xyzw").as_bytes();
    let outputs = row.get("expect").and_then(|expect| expect.get("out")).and_then(Value::as_object);
    let vectors =
        outputs.into_iter().flat_map(|outputs| outputs.values()).filter_map(Value::as_array).flatten();
    let mut seen = 0;
    for vector in vectors.filter_map(Value::as_str) {
        let words: Vec<&str> = vector.split_whitespace().collect();
        for lane in (0..4).filter(|lane| open >> lane & 1 == 1) {
            let word = words.get(lane).ok_or("a vector is too short")?;
            let bytes = super::hex(word);
            if bytes.len() != 4 || !bytes.iter().all(|c| matches!(c, b' ' | b'0'..=b'9' | b'a'..=b'f')) {
                return Err(format!("{word} is no text, so something was written to it"));
            }
            let first = swizzle.iter().position(|c| Some(c) == swizzle.get(lane)).unwrap_or(lane);
            if words.get(first) != Some(word) {
                return Err(format!("components {first} and {lane} of {vector} are the same, and differ"));
            }
            seen += 1;
        }
    }
    if seen == 0 { Err("nothing is expected of it".into()) } else { Ok(()) }
}

/// The same of a row whose program is SAMPLE_C or SAMPLE_C_LZ alone: its text, and the components that nothing was written to.
pub(super) fn alone(row: &Value) -> Option<(String, u8)> {
    let text = row.get("text").and_then(Value::as_str)?;
    let declared = text.lines().any(|line| line.starts_with("DCL SVIEW[0], SHADOW"));
    let line = text.lines().find(|line| declared && line.contains(": SAMPLE_C"))?;
    let view = line.split(", ").find_map(|operand| operand.strip_prefix("SVIEW[0]"))?;
    let swizzle = if view.is_empty() { "xyzw" } else { view.trim_start_matches('.') };
    let lanes = swizzle.chars().enumerate();
    let open = lanes.fold(0, |open, (lane, c)| open | u8::from(c != 'x') << lane);
    Some((text.replace(line, "MOV OUT[0], IN[0].xxxx"), open))
}
