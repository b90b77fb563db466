//! Rows of chunks of 64 invocations.

use super::Kernels;
use super::kernels::{AnyRows, Chunk, FOURS, Grid, Lane, Work};
use crate::exec::code::{Code, Node};
use crate::exec::interp::{Bank, Mask};
use alloc::vec::Vec;

/// Rows, one after another, each of whole chunks.
#[derive(Clone, Debug)]
pub(super) struct Lanes<W, K> {
    chunks: Vec<Chunk<W>>,
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
        Self { chunks: Vec::new(), of_row: 0, quads: 0, fixed: Vec::new(), kernels }
    }
}

impl<W: Lane, K> Lanes<W, K> {
    fn grid(&mut self) -> AnyRows<'_> {
        W::rows(Grid { chunks: &mut self.chunks, of_row: self.of_row, fixed: &self.fixed })
    }

    fn start(&self, row: u32) -> usize {
        row as usize * self.of_row * FOURS
    }
}

impl<W: Lane, K: Kernels> Bank<W> for Lanes<W, K> {
    fn fit(&mut self, code: &Code, quads: usize) {
        (self.quads, self.of_row) = (quads, quads.div_ceil(FOURS));
        self.fixed.clear();
        self.fixed.resize(code.fixed as usize, W::default());
        let len = code.rows as usize * self.of_row;
        if self.chunks.len() != len {
            self.chunks.resize(len, [[W::default(); 4]; FOURS]);
        }
    }

    fn row(&self, row: u32) -> &[[W; 4]] {
        let start = self.start(row);
        self.chunks.as_flattened().get(start..start + self.quads).unwrap_or(&[])
    }

    fn row_mut(&mut self, row: u32) -> &mut [[W; 4]] {
        let start = self.start(row);
        let quads = self.quads;
        self.chunks.as_flattened_mut().get_mut(start..start + quads).unwrap_or(&mut [])
    }

    fn fill(&mut self, row: u32, word: W) {
        let start = row as usize * self.of_row;
        if let Some(row) = self.chunks.get_mut(start..start + self.of_row) {
            row.fill([[word; 4]; FOURS]);
        }
        if let Some(fixed) = self.fixed.get_mut(row as usize) {
            *fixed = word;
        }
    }

    fn truth<const N: usize>(&self, row: u32) -> Mask<N> {
        let start = row as usize * self.of_row;
        let mut mask = Mask::NONE;
        if let Some(row) = self.chunks.get(start..start + self.of_row) {
            self.kernels.run(Work::truth(W::row(row), mask.words_mut()));
        }
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
        let count = nodes.iter().take_while(|node| matches!(node, Node::Pure(_))).count();
        let (calcs, rest) = nodes.split_at(count);
        let kernels = self.kernels;
        kernels.run(Work::calc(calcs, self.grid()));
        rest
    }

    #[cfg(test)]
    fn spoil(&mut self) {
        self.chunks.as_flattened_mut().fill([W::from_bits(0x7fc0_1234_dead_beef); 4]);
        self.chunks.truncate(self.chunks.len() / 2 + 1);
    }
}
