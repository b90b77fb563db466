//! Tables: a line of names, then a line an invocation.

use super::columns::{ColumnError, Columns, Field, fields, shown};
use super::data::{At, CSV_COLUMN, CSV_FIELDS, CSV_HEADER, CSV_LINE, CSV_MISSING, CSV_VALUE, DataError};
use std::fmt::Write as _;
use std::io::{BufRead, Read as _};
use vecasm::exec::Outputs;
use vecasm::ir::{Scalar, Shader};

/// Bytes of the longest line. The programs that read most have some hundred lanes.
const MOST: u64 = 1 << 16;
/// Bytes of lines from which on a block is not made longer than it has to be.
const ENOUGH: usize = 1 << 22;
/// The bits that `nan` stands for.
const NAN: u32 = 0x7fc0_0000;

/// Reads the lines of a table.
pub(super) struct Reader {
    name: String,
    from: Box<dyn BufRead>,
    /// Lines read.
    lines: u64,
    /// Bytes read.
    bytes: u64,
}

/// What the first line says.
pub(super) struct Table {
    name: String,
    fields: Vec<Option<Field>>,
    columns: Columns,
}

/// Some lines of a table.
pub(super) struct Lines {
    text: Vec<u8>,
    /// Where lines stand in the file: of the first one, and of each behind blank lines, how many stand in front of it here, its
    /// number, and the byte that it starts at.
    places: Vec<(usize, u64, u64)>,
    /// Number of invocations.
    pub(super) count: usize,
}

impl Reader {
    /// Reads the first line.
    pub(super) fn new(
        shader: &Shader,
        name: String,
        from: Box<dyn BufRead>,
    ) -> Result<(Self, Table), Box<DataError>> {
        let mut reader = Self { name, from, lines: 0, bytes: 0 };
        let mut line = Vec::new();
        while blank(&line) {
            line.clear();
            if !reader.line(&mut line)? {
                let message = "the table is empty: expected a line of names, for example v0.x,v0.y";
                return Err(DataError::new(CSV_HEADER, &reader.name, message));
            }
        }
        let first = (reader.lines, reader.bytes - line.len() as u64);
        let table = Table::new(shader, reader.name.clone(), first, &line)?;
        Ok((reader, table))
    }

    /// Number of bytes read.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads lines for up to `most` invocations, or as few multiples of `step` as long lines make; and says whether these were
    /// the last ones.
    pub(super) fn read(&mut self, most: usize, step: usize) -> Result<(Lines, bool), Box<DataError>> {
        let mut lines = Lines { text: Vec::new(), places: Vec::new(), count: 0 };
        let mut gap = true;
        while lines.count < most {
            if lines.text.len() >= ENOUGH && lines.count > 0 && lines.count % step.max(1) == 0 {
                return Ok((lines, false));
            }
            let (start, place) = (lines.text.len(), (self.lines + 1, self.bytes));
            if !self.line(&mut lines.text)? {
                return Ok((lines, true));
            }
            if blank(&lines.text[start..]) {
                lines.text.truncate(start);
                gap = true;
                continue;
            }
            if std::mem::take(&mut gap) {
                lines.places.push((lines.count, place.0, place.1));
            }
            lines.count += 1;
        }
        Ok((lines, false))
    }

    /// Appends a line with its end; says whether there is one.
    fn line(&mut self, to: &mut Vec<u8>) -> Result<bool, Box<DataError>> {
        let read = self.from.by_ref().take(MOST + 1).read_until(b'\n', to);
        let read = read.map_err(|error| DataError::io(&self.name, &error))? as u64;
        self.lines += u64::from(read > 0);
        self.bytes += read;
        if read > MOST {
            let message = format!("line {}: more than {MOST} bytes", self.lines);
            return Err(DataError::new(CSV_LINE, &self.name, message));
        }
        Ok(read > 0)
    }
}

fn blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// A line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The fields of a line from byte `start` on, without blanks and quotes around them, and where they stand.
fn split(line: &[u8], start: usize) -> impl Iterator<Item = (std::ops::Range<usize>, &[u8])> {
    let line = trimmed(line);
    let mut at = start;
    line.get(start..).unwrap_or(&[]).split(|byte| *byte == b',').map(move |field| {
        let begin = at + (field.len() - field.trim_ascii_start().len());
        at += field.len() + 1;
        let field = field.trim_ascii();
        let range = begin..begin + field.len();
        let inner = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
        (range, inner.map_or(field, <[u8]>::trim_ascii))
    })
}

/// A place in a line that may be anything, with its number and the byte that it starts at.
fn place((number, start): (u64, u64), line: &[u8], bytes: std::ops::Range<usize>) -> At {
    match std::str::from_utf8(trimmed(line)) {
        Ok(text) => At::Line { number, start, text: text.into(), bytes },
        // Places are bytes of what is shown.
        Err(_) => {
            let text = String::from_utf8_lossy(trimmed(line)).into_owned();
            let from = |n: usize| String::from_utf8_lossy(line.get(..n).unwrap_or(line)).len();
            At::Line { number, start, bytes: from(bytes.start)..from(bytes.end), text }
        }
    }
}

impl Table {
    /// Understands the first line.
    fn new(shader: &Shader, name: String, first: (u64, u64), line: &[u8]) -> Result<Self, Box<DataError>> {
        let wrong = |rule, message: String, bytes: &std::ops::Range<usize>| {
            DataError::new(rule, &name, message).at(place(first, line, bytes.clone()))
        };
        // A mark of the order of bytes, and what NumPy writes in front of a header.
        let mark = if line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let mark = mark + if line[mark..].starts_with(b"# ") { 2 } else { 0 };
        let (mut columns, mut places) = (Vec::new(), Vec::new());
        for (range, field) in split(line, mark) {
            let Ok(column) = std::str::from_utf8(field) else {
                return Err(wrong(CSV_COLUMN, "the name of a column is not UTF-8".into(), &range));
            };
            if column.is_empty() {
                return Err(wrong(CSV_COLUMN, "a column has no name".into(), &range));
            }
            let lanes = fields(shader, column).map_err(|message| wrong(CSV_COLUMN, message, &range))?;
            columns.push(match lanes.as_slice() {
                [lane] => *lane,
                // A register that is not read.
                [None, ..] => None,
                several => {
                    let column = shown(column);
                    let count = several.len();
                    let message =
                        format!("{column} has {count} lanes: expected a column for each: {column}.x…");
                    return Err(wrong(CSV_COLUMN, message, &range));
                }
            });
            places.push(range);
        }
        match Columns::new(shader, &columns) {
            Ok(given) => Ok(Self { name, fields: columns, columns: given }),
            Err(ColumnError::Twice(column)) => {
                let range = places.get(column).cloned().unwrap_or(0..0);
                Err(wrong(CSV_COLUMN, "this column is given twice".into(), &range))
            }
            Err(ColumnError::Missing(what)) => {
                let message = format!("the column {what} is missing: the program reads it");
                Err(wrong(CSV_MISSING, message, &(0..trimmed(line).len())))
            }
        }
    }

    /// The values that lines give.
    pub(super) fn decode(&self, lines: &Lines, to: &mut Vec<Vec<[u32; 4]>>) -> Result<(), Box<DataError>> {
        self.columns.clear(lines.count, to);
        let (mut places, mut next) = (lines.places.iter().peekable(), (0, 0));
        for (row, line) in lines.text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if let Some((_, number, start)) = places.next_if(|place| place.0 == row) {
                next = (*number, *start);
            }
            let here = next;
            next = (here.0 + 1, here.1 + line.len() as u64);
            let wrong = |rule, message: String, bytes| {
                DataError::new(rule, &self.name, message).at(place(here, line, bytes))
            };
            let mut fields = self.fields.iter();
            for (range, text) in split(line, 0) {
                let Some(field) = fields.next() else {
                    let message = format!("expected {} fields, as in the first line", self.fields.len());
                    return Err(wrong(CSV_FIELDS, message, range));
                };
                let Some(Field { input, lane, scalar }) = *field else { continue };
                let bits = value(text, scalar).map_err(|message| wrong(CSV_VALUE, message, range))?;
                if let Some(vector) = to.get_mut(input).and_then(|list| list.get_mut(row)) {
                    vector[lane] = bits;
                }
            }
            if fields.len() > 0 {
                let message = format!(
                    "expected {} fields, as in the first line, found {}",
                    self.fields.len(),
                    self.fields.len() - fields.len()
                );
                return Err(wrong(CSV_FIELDS, message, 0..trimmed(line).len()));
            }
        }
        Ok(())
    }
}

/// The bits of a field.
fn value(text: &[u8], scalar: Scalar) -> Result<u32, String> {
    let no = |what: &str| {
        let text = String::from_utf8_lossy(text.get(..200).unwrap_or(text));
        Err(if text.is_empty() {
            "a field is empty".into()
        } else {
            format!("\"{}\" is {what}", shown(&text))
        })
    };
    let Ok(text) = std::str::from_utf8(text) else { return no("not UTF-8") };
    if let Some(digits) = text.strip_prefix("0x") {
        let digits = Some(digits).filter(|d| d.len() <= 8 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        return match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(bits) => Ok(bits),
            None => no("not bits: expected 0x and 1 to 8 hexadecimal digits"),
        };
    }
    match scalar {
        Scalar::F32 => match text.parse::<f32>() {
            Ok(number) if number.is_nan() => Ok(if text.starts_with('-') { NAN | 1 << 31 } else { NAN }),
            // What is meant to be infinite has a letter in front.
            Ok(number)
                if number.is_infinite() && text.ends_with(|c: char| c.is_ascii_digit() || c == '.') =>
            {
                no("beyond the range of f32")
            }
            Ok(number) => Ok(number.to_bits()),
            Err(_) => no("not a number"),
        },
        Scalar::I32 => text.parse::<i32>().map(|n| n as u32).or_else(|_| no("not a 32-bit whole number")),
        Scalar::Bool => match text {
            "0" | "false" => Ok(0),
            "1" | "true" => Ok(1),
            _ => no("neither 0 nor 1"),
        },
        _ => text.parse::<u32>().or_else(|_| no("not a whole number from 0 to 4294967295")),
    }
}

/// The line of names of results.
pub(super) fn header(shader: &Shader) -> String {
    let mut out = String::new();
    for output in &shader.outputs {
        for lane in ["x", "y", "z", "w"] {
            let _ = write!(out, "{}.{lane},", output.name);
        }
    }
    out.push_str("killed,exhausted\n");
    out
}

/// A line an invocation: the lanes of each output, then 1 or 0 for whether it was discarded and whether it ran out of fuel.
pub(super) fn rows(shader: &Shader, outputs: &Outputs, to: &mut Vec<u8>) {
    let mut line = String::new();
    for i in 0..outputs.killed.len() {
        for (cell, output) in outputs.cells.iter().zip(&shader.outputs) {
            for bits in cell.get(i).copied().unwrap_or_default() {
                push(&mut line, bits, output.scalar);
                line.push(',');
            }
        }
        let flag = |flags: &[bool]| u8::from(flags.get(i).copied().unwrap_or_default());
        let _ = writeln!(line, "{},{}", flag(&outputs.killed), flag(&outputs.exhausted));
        to.extend_from_slice(line.as_bytes());
        line.clear();
    }
}

/// A value as it is read back.
fn push(out: &mut String, bits: u32, scalar: Scalar) {
    let number = f32::from_bits(bits);
    let _ = match scalar {
        Scalar::F32 if bits == NAN => write!(out, "nan"),
        Scalar::F32 if number.is_nan() => write!(out, "0x{bits:08x}"),
        Scalar::F32 => write!(out, "{number:?}"),
        Scalar::I32 => write!(out, "{}", bits as i32),
        _ => write!(out, "{bits}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_values_of_their_type() {
        let bits = |text: &str| value(text.as_bytes(), Scalar::F32);
        for (text, expected) in [
            ("1", 0x3f80_0000),
            ("-0", 0x8000_0000),
            ("+.5", 0x3f00_0000),
            ("1e-45", 1),
            ("1.", 0x3f80_0000),
            ("inf", 0x7f80_0000),
            ("-Infinity", 0xff80_0000),
            ("NaN", 0x7fc0_0000),
            ("-nan", 0xffc0_0000),
            ("0x7f800001", 0x7f80_0001),
            ("0x1", 1),
            // 2^24 + 1 lies between two numbers, and the even one is taken.
            ("16777217", 0x4b80_0000),
        ] {
            assert_eq!(bits(text), Ok(expected), "{text}");
        }
        for text in ["", "1e39", "-1e39", "0x", "0x123456789", "0x+1", "1,5", "one", "1 2", "1e", "--1"] {
            assert!(bits(text).is_err(), "{text}");
        }
        assert_eq!(value(b"-1", Scalar::I32), Ok(u32::MAX));
        assert_eq!(value(b"4294967295", Scalar::U32), Ok(u32::MAX));
        assert_eq!(value(b"1", Scalar::Bool), Ok(1));
        for (text, scalar) in
            [("-1", Scalar::U32), ("2147483648", Scalar::I32), ("1.0", Scalar::I32), ("2", Scalar::Bool)]
        {
            assert!(value(text.as_bytes(), scalar).is_err(), "{text}");
        }
        assert!(value(b"\xff", Scalar::F32).is_err());
    }

    #[test]
    fn values_come_back_the_same() {
        // Patterns all over, and the corners.
        let patterns = (0..=u32::MAX).step_by(65_537);
        let corners = [0, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001];
        for bits in patterns.chain(corners).chain(corners.map(|bits| bits | 1 << 31)) {
            for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
                let mut text = String::new();
                push(&mut text, bits, scalar);
                assert_eq!(value(text.as_bytes(), scalar), Ok(bits), "{text}");
            }
        }
    }

    #[test]
    fn lines_come_apart_as_spreadsheets_write_them() {
        let parts = |line: &str| -> Vec<(std::ops::Range<usize>, String)> {
            split(line.as_bytes(), 0)
                .map(|(at, field)| (at, String::from_utf8(field.into()).unwrap()))
                .collect()
        };
        let own = |parts: &[(std::ops::Range<usize>, &str)]| -> Vec<_> {
            parts.iter().map(|(at, text)| (at.clone(), (*text).to_string())).collect()
        };
        assert_eq!(parts("1, 2,\"3\"\r\n"), own(&[(0..1, "1"), (3..4, "2"), (5..8, "3")]));
        assert_eq!(parts(",\n"), own(&[(0..0, ""), (1..1, "")]));
        assert_eq!(parts("\""), own(&[(0..1, "\"")]));
    }

    const TEXT: &str = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                        store o.xyzw %0\n";

    fn reader(shader: &Shader, text: Vec<u8>) -> Result<(Reader, Table), Box<DataError>> {
        Reader::new(shader, "table".into(), Box::new(std::io::Cursor::new(text)))
    }

    #[test]
    fn long_lines_make_short_blocks_of_whole_steps() {
        let shader = vecasm::ir::text::parse(TEXT, "test", &[]).unwrap();
        let mut text = b"v.x,v.y,v.z,v.w\n".to_vec();
        for i in 0..200 {
            text.extend_from_slice(format!("{i},{}0,0,1\n", " ".repeat(60_000)).as_bytes());
        }
        let (mut reader, table) = reader(&shader, text).unwrap();
        let (mut at, mut last, mut list) = (0, false, Vec::new());
        while !last {
            let lines;
            (lines, last) = reader.read(16_384, 12).unwrap();
            assert!(lines.text.len() < ENOUGH + 12 * MOST as usize);
            assert!(last || lines.count > 0 && lines.count % 12 == 0, "{}", lines.count);
            table.decode(&lines, &mut list).unwrap();
            for vector in &list[0] {
                assert_eq!(f32::from_bits(vector[0]), at as f32);
                at += 1;
            }
        }
        assert_eq!(at, 200);
    }

    #[test]
    fn any_bytes_are_a_table_or_wrong() {
        let shader = vecasm::ir::text::parse(TEXT, "test", &[]).unwrap();
        let alphabet = b"0123456789..,,,,--+einfaxyzwv\"\r\n\n\n\n #\xef\xbb\xbf\xff\0";
        let mut state = 1u64;
        let mut next = |n: usize| {
            // Knuth's MMIX generator.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let (mut good, mut bad) = (0, 0);
        for round in 0..20_000 {
            let mut text = if round % 4 > 0 { b"v.x,v.y,v.z,v.w\n".to_vec() } else { Vec::new() };
            if round % 4 > 1 {
                text.extend_from_slice(b"1,2,3,4\n5,-6,7e8,inf\n");
                for _ in 0..next(3) {
                    let at = next(text.len());
                    text[at] = alphabet[next(alphabet.len())];
                }
            } else {
                text.extend((0..next(60)).map(|_| alphabet[next(alphabet.len())]).collect::<Vec<u8>>());
            }
            let mut list = Vec::new();
            let read = reader(&shader, text).and_then(|(mut reader, table)| {
                let (lines, _) = reader.read(1000, 4)?;
                table.decode(&lines, &mut list)?;
                Ok(lines.count)
            });
            match read {
                Ok(count) => {
                    assert_eq!(list[0].len(), count);
                    good += 1;
                }
                Err(_) => bad += 1,
            }
        }
        assert!(good > 1000 && bad > 1000, "{good} {bad}");
    }
}
