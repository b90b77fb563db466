//! Where invocations come from, block by block.

use super::data::DataError;
use super::{csv, raw};
use std::ops::Range;
use vecasm::exec::runfile::RandomInputs;
use vecasm::ir::Shader;

/// Where invocations come from.
pub(super) enum Source {
    /// A run file, whose inputs are in memory: how many there are, and how many were taken.
    File { count: usize, at: usize },
    /// They are made up.
    Random(RandomInputs),
    /// A table, and its bytes if that is known.
    Csv(csv::Reader, Option<u64>),
    /// Arrays, and the bytes of the first one if that is known.
    Raw(raw::Reader, Option<u64>),
}

/// A block as it was read.
pub(super) enum Chunk {
    /// Inputs in memory.
    Part(Range<usize>),
    /// Inputs.
    Made(usize, Vec<Vec<[u32; 4]>>),
    /// Lines of a table.
    Lines(csv::Lines),
    /// Words of arrays.
    Words(raw::Words),
}

/// What blocks are understood by.
pub(super) enum Meaning {
    /// All inputs.
    File(Vec<Vec<[u32; 4]>>),
    /// They were made up.
    Random,
    /// The columns of a table.
    Csv(csv::Table),
    /// What the words of records are.
    Raw(raw::Layout),
}

/// How much there is to do, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Invocations(u64),
    /// Bytes of a table.
    Bytes(u64),
    Unknown,
}

impl Chunk {
    /// Number of invocations.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Part(range) => range.len(),
            Self::Made(count, _) => *count,
            Self::Lines(lines) => lines.count,
            Self::Words(words) => words.count,
        }
    }
}

impl Source {
    /// Reads up to `most` invocations, which is a multiple of `step`; and says whether these were the last ones. Of others
    /// there is a multiple of `step`, too.
    pub(super) fn read(
        &mut self,
        shader: &Shader,
        most: usize,
        step: usize,
    ) -> Result<(Chunk, bool), Box<DataError>> {
        Ok(match self {
            Self::File { count, at } => {
                let first = *at;
                *at = first.saturating_add(most).min(*count);
                (Chunk::Part(first..*at), at == count)
            }
            Self::Random(random) => {
                let mut lists = Vec::new();
                (Chunk::Made(random.next(shader, most, &mut lists), lists), random.rest() == 0)
            }
            Self::Csv(reader, _) => {
                let (lines, last) = reader.read(most, step)?;
                (Chunk::Lines(lines), last)
            }
            Self::Raw(reader, _) => {
                let words = reader.read(most)?;
                let last = words.count < most;
                (Chunk::Words(words), last)
            }
        })
    }

    /// How much there is to do.
    pub(super) fn extent(&self) -> Extent {
        match self {
            Self::File { count, .. } => Extent::Invocations(*count as u64),
            Self::Random(random) => Extent::Invocations(random.rest() as u64),
            Self::Csv(_, Some(bytes)) => Extent::Bytes(*bytes),
            Self::Raw(reader, Some(bytes)) => Extent::Invocations(reader.invocations(*bytes)),
            Self::Csv(_, None) | Self::Raw(_, None) => Extent::Unknown,
        }
    }

    /// How much of it was read, where that is not the number of invocations.
    pub(super) fn bytes(&self) -> Option<u64> {
        if let Self::Csv(reader, Some(_)) = self { Some(reader.bytes()) } else { None }
    }
}

impl Meaning {
    /// The inputs of a block.
    pub(super) fn inputs(&self, chunk: Chunk, to: &mut Vec<Vec<[u32; 4]>>) -> Result<(), Box<DataError>> {
        match (self, chunk) {
            (Self::File(all), Chunk::Part(range)) => {
                to.resize_with(all.len(), Vec::new);
                for (to, all) in to.iter_mut().zip(all) {
                    to.clear();
                    let end = range.end.min(all.len());
                    to.extend_from_slice(all.get(range.start..end).unwrap_or(&[]));
                }
            }
            (Self::Csv(table), Chunk::Lines(lines)) => table.decode(&lines, to)?,
            (Self::Raw(layout), Chunk::Words(words)) => layout.decode(&words, to),
            (_, Chunk::Made(_, inputs)) => *to = inputs,
            // A source reads chunks of its own kind.
            _ => to.clear(),
        }
        Ok(())
    }
}
