//! Rows of chunks of 64 invocations.

use super::Kernels;
use super::kernels::{AnyRows, Chunk, FOURS, Grid, Lane, Work};
use crate::code::{Code, Node};
use crate::interp::{Bank, Mask};
use alloc::vec::Vec;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Rows, one after another, each of whole chunks.
#[derive(Clone, Debug)]
pub(super) struct Lanes<W, K> {
    words: Vec<[W; 4]>,
    /// Fours of words in front of the first row, so that it starts where a line of the cache does: vectors that lie in two lines
    /// take longer to read and to write.
    skip: usize,
    /// Fours of words that the rows take.
    len: usize,
    /// Chunks that a row has.
    of_row: usize,
    /// Fours of invocations of a row that count.
    quads: usize,
    /// What the first rows hold, each of which holds the same everywhere.
    fixed: Vec<W>,
    kernels: K,
}

impl<W, K> Lanes<W, K> {
    pub(super) const fn new(kernels: K) -> Self {
        Self { words: Vec::new(), skip: 0, len: 0, of_row: 0, quads: 0, fixed: Vec::new(), kernels }
    }
}

impl<W: Lane, K> Lanes<W, K> {
    fn grid(&mut self) -> AnyRows<'_> {
        let words = self.words.get_mut(self.skip..self.skip + self.len).unwrap_or(&mut []);
        let chunks = bytemuck::cast_slice_mut(words);
        W::rows(Grid { chunks, of_row: self.of_row, fixed: &self.fixed })
    }

    /// The first four of a row.
    fn start(&self, row: u32) -> usize {
        self.skip + row as usize * self.of_row * FOURS
    }

    /// All of a row, what does not count included.
    fn chunks(&self, row: u32) -> &[Chunk<W>] {
        let start = self.start(row);
        bytemuck::cast_slice(self.words.get(start..start + self.of_row * FOURS).unwrap_or(&[]))
    }
}

impl<W: Lane, K: Kernels> Bank<W> for Lanes<W, K> {
    fn fit(&mut self, code: &Code, quads: usize) {
        (self.quads, self.of_row) = (quads, quads.div_ceil(FOURS));
        self.fixed.clear();
        self.fixed.resize(code.fixed as usize, W::default());
        self.len = code.rows as usize * self.of_row * FOURS;
        let spare = LINE / size_of::<[W; 4]>();
        if self.words.len() != self.len + spare {
            self.words.resize(self.len + spare, [W::default(); 4]);
        }
        self.skip = self.words.as_ptr().align_offset(LINE).min(spare);
    }

    fn row(&self, row: u32) -> &[[W; 4]] {
        let start = self.start(row);
        self.words.get(start..start + self.quads).unwrap_or(&[])
    }

    fn row_mut(&mut self, row: u32) -> &mut [[W; 4]] {
        let start = self.start(row);
        let quads = self.quads;
        self.words.get_mut(start..start + quads).unwrap_or(&mut [])
    }

    fn fill(&mut self, row: u32, word: W) {
        let start = self.start(row);
        if let Some(row) = self.words.get_mut(start..start + self.of_row * FOURS) {
            row.fill([word; 4]);
        }
        if let Some(fixed) = self.fixed.get_mut(row as usize) {
            *fixed = word;
        }
    }

    fn truth<const N: usize>(&self, row: u32) -> Mask<N> {
        let mut mask = Mask::NONE;
        self.kernels.run(Work::truth(W::row(self.chunks(row)), mask.words_mut()));
        mask & Mask::below(self.quads * 4)
    }

    fn zip(&self, lanes: [&[[u32; 4]]; 4], elements: &mut [[u32; 4]]) {
        self.kernels.run(Work::zip(lanes, elements));
    }

    fn load(&mut self, rows: &[u32], elements: &[[u32; 4]]) {
        let kernels = self.kernels;
        kernels.run(Work::load(rows, elements, self.grid()));
    }

    fn copy<const N: usize>(&mut self, to: u32, from: u32, mask: &Mask<N>) {
        let kernels = self.kernels;
        kernels.run(Work::copy(to, from, mask.words(), self.grid()));
    }

    fn calc<'n>(&mut self, nodes: &'n [Node], _n: usize) -> &'n [Node] {
        let kernels = self.kernels;
        let part = |node: &Node| if let Node::Pure(calc) = node { Some(calc.part) } else { None };
        let mut rest = nodes;
        while let Some(now) = rest.first().and_then(part) {
            let count = rest.iter().take_while(|node| part(node) == Some(now)).count();
            let (calcs, others) = rest.split_at(count);
            kernels.run(Work::calc(now, calcs, self.grid()));
            rest = others;
        }
        rest
    }

    #[cfg(test)]
    fn spoil(&mut self) {
        self.words.fill([W::from_bits(0x7fc0_1234_dead_beef); 4]);
        self.words.truncate(self.words.len() / 2 + 1);
    }
}
