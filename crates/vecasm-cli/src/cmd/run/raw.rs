//! Arrays of words, least significant byte first, as other programs hold them in memory.

use super::columns::{ColumnError, Columns, Field, fields, shown};
use super::data::{At, DataError, RAW_COUNT, RAW_MISSING, RAW_NAME, RAW_SIZE};
use std::io::Read;
use std::path::PathBuf;
use vecasm::exec::Outputs;
use vecasm::ir::{InputKind, Shader};

/// Bytes that are provided for at first.
const AT_ONCE: u64 = 1 << 22;

/// An array as the command line names it: what a record has, and the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Names of inputs; without any, a record has all inputs.
    pub(super) names: Vec<String>,
    pub(super) path: PathBuf,
}

/// Reads `[NAMES=]FILE`. What stands in front of `=` is names if it looks like them; `./a=b` is a file.
pub(super) fn named(text: &str) -> Result<Named, String> {
    let name = |c: char| c.is_ascii_alphanumeric() || ".,_[] ".contains(c);
    let (names, path) = match text.split_once('=') {
        Some((names, path)) if names.chars().all(name) => {
            (names.split(',').map(|name| name.trim().to_string()).collect(), path)
        }
        _ => (Vec::new(), text),
    };
    if path.is_empty() || names.iter().any(String::is_empty) {
        return Err("expected FILE or NAMES=FILE, for example v0,v1.xyz=vertices.raw".into());
    }
    Ok(Named { names, path: path.into() })
}

/// Reads arrays side by side.
pub(super) struct Reader {
    arrays: Vec<Array>,
}

struct Array {
    name: String,
    from: Box<dyn Read>,
    /// Bytes of a record.
    record: usize,
    /// Bytes read.
    bytes: u64,
}

/// What the words of records are.
pub(super) struct Layout {
    /// For each array, what the words of a record are.
    fields: Vec<Vec<Option<Field>>>,
    columns: Columns,
}

/// Some records of each array.
pub(super) struct Words {
    bytes: Vec<Vec<u8>>,
    /// Number of invocations.
    pub(super) count: usize,
}

impl Reader {
    /// Looks up what the records of arrays are, which are named, called so in messages, and read from there.
    pub(super) fn new(
        shader: &Shader,
        named: Vec<(&Named, String, Box<dyn Read>)>,
    ) -> Result<(Self, Layout), Box<DataError>> {
        let (mut arrays, mut records) = (Vec::new(), Vec::new());
        for (array, name, from) in named {
            let all = shader.inputs.iter().filter(|input| !known(input.kind));
            let names = match array.names.as_slice() {
                [] => all.map(|input| input.name.clone()).collect(),
                names => names.to_vec(),
            };
            let mut record = Vec::new();
            for part in &names {
                record.extend(
                    fields(shader, part).map_err(|message| DataError::new(RAW_NAME, &name, message))?,
                );
            }
            if record.is_empty() {
                return Err(DataError::new(RAW_NAME, &name, "the program has no inputs"));
            }
            arrays.push(Array { name, from, record: record.len() * 4, bytes: 0 });
            records.push(record);
        }
        let all: Vec<Option<Field>> = records.iter().flatten().copied().collect();
        let columns = Columns::new(shader, &all).map_err(|fault| {
            let name = |at: usize| arrays.get(at).map_or("", |array| array.name.as_str());
            match fault {
                ColumnError::Twice(number) => {
                    // The array that has the field.
                    let ends = records.iter().scan(0, |end, record| {
                        *end += record.len();
                        Some(*end)
                    });
                    let at = ends.take_while(|end| *end <= number).count();
                    let input = all.get(number).copied().flatten().map_or(0, |field| field.input);
                    let input = shader.inputs.get(input).map_or("", |input| input.name.as_str());
                    DataError::new(RAW_NAME, name(at), format!("a lane of {} is given twice", shown(input)))
                }
                ColumnError::Missing(what) => DataError::new(
                    RAW_MISSING,
                    name(0),
                    format!("no array has {what}, which the program reads"),
                ),
            }
        })?;
        Ok((Self { arrays }, Layout { fields: records, columns }))
    }

    /// How many invocations so many bytes of the first array are.
    pub(super) fn invocations(&self, bytes: u64) -> u64 {
        self.arrays.first().map_or(0, |array| bytes / array.record.max(1) as u64)
    }

    /// Reads up to `most` records of each array; fewer are the last ones.
    pub(super) fn read(&mut self, most: usize) -> Result<Words, Box<DataError>> {
        let mut words = Words { bytes: Vec::new(), count: 0 };
        for (number, array) in self.arrays.iter_mut().enumerate() {
            let wanted = most.saturating_mul(array.record) as u64;
            let mut bytes = Vec::with_capacity(wanted.min(AT_ONCE) as usize);
            let read = array.from.by_ref().take(wanted).read_to_end(&mut bytes);
            read.map_err(|error| DataError::io(&array.name, &error))?;
            let (count, rest) = (bytes.len() / array.record, bytes.len() % array.record);
            array.bytes += bytes.len() as u64;
            if rest > 0 {
                let whole = array.bytes - rest as u64;
                let message = format!(
                    "{} bytes are {} records of {} bytes and {rest} more",
                    array.bytes,
                    whole / array.record as u64,
                    array.record
                );
                return Err(DataError::new(RAW_SIZE, &array.name, message).at(At::Byte(whole)));
            }
            if number == 0 {
                words.count = count;
            } else if count != words.count {
                let message = "the arrays do not have the same number of records: the first ends here";
                let at = array.bytes - (count.saturating_sub(words.count) * array.record) as u64;
                return Err(DataError::new(RAW_COUNT, &array.name, message).at(At::Byte(at)));
            }
            words.bytes.push(bytes);
        }
        Ok(words)
    }
}

/// Whether the engine knows what an input is.
fn known(kind: InputKind) -> bool {
    matches!(kind, InputKind::System(system) if system.is_known())
}

impl Layout {
    /// The values that records give.
    pub(super) fn decode(&self, words: &Words, to: &mut Vec<Vec<[u32; 4]>>) {
        self.columns.clear(words.count, to);
        for (fields, bytes) in self.fields.iter().zip(&words.bytes) {
            let mut at = 0;
            while let Some(field) = fields.get(at) {
                let record = fields.len() * 4;
                let Some(Field { input, lane, .. }) = *field else {
                    at += 1;
                    continue;
                };
                let Some(list) = to.get_mut(input) else { break };
                // Whole vectors go together.
                let vector = fields.get(at..at + 4).is_some_and(|four| {
                    four.iter()
                        .enumerate()
                        .all(|(n, field)| field.is_some_and(|field| field.input == input && field.lane == n))
                });
                for (vector_to, record) in list.iter_mut().zip(bytes.chunks_exact(record)) {
                    if vector {
                        let words = record.get(at * 4..at * 4 + 16).unwrap_or(&[0; 16]);
                        *vector_to = std::array::from_fn(|n| word(words, n));
                    } else {
                        vector_to[lane] = word(record, at);
                    }
                }
                at += if vector { 4 } else { 1 };
            }
        }
    }
}

/// A word of a record.
fn word(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at * 4..at * 4 + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// The words of results: of each invocation, the four lanes of each output in turn.
pub(super) fn records(outputs: &Outputs, to: &mut Vec<u8>) {
    let record = outputs.cells.len() * 16;
    to.resize(outputs.killed.len() * record, 0);
    for (n, cell) in outputs.cells.iter().enumerate() {
        for (record, bits) in to.chunks_exact_mut(record).zip(cell) {
            if let Some(vector) = record.get_mut(n * 16..n * 16 + 16) {
                put(vector, *bits);
            }
        }
    }
}

/// The same of one output alone.
pub(super) fn array(cell: &[[u32; 4]], to: &mut Vec<u8>) {
    to.resize(cell.len() * 16, 0);
    to.chunks_exact_mut(16).zip(cell).for_each(|(vector, bits)| put(vector, *bits));
}

fn put(to: &mut [u8], bits: [u32; 4]) {
    for (to, lane) in to.chunks_exact_mut(4).zip(bits) {
        to.copy_from_slice(&lane.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_names_in_front() {
        let parts = |text: &str| {
            named(text).map(|named| (named.names.join(" "), crate::io::shown(&named.path).to_string()))
        };
        let own = |names: &str, path: &str| Ok((names.to_string(), path.to_string()));
        assert_eq!(parts("a.raw"), own("", "a.raw"));
        assert_eq!(parts("v0=a.raw"), own("v0", "a.raw"));
        assert_eq!(parts("IN[0],v1.xyz=a=b.raw"), own("IN[0] v1.xyz", "a=b.raw"));
        assert_eq!(parts("./a=b"), own("", "./a=b"));
        for text in ["", "=a", "v0=", "v0,,v1=a", ",=a"] {
            assert!(parts(text).is_err(), "{text}");
        }
    }
}
