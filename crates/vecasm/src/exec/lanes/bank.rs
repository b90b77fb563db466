//! Rows of 64 invocations.

use super::Kernels;
use super::kernels::{Chunk, FOURS, Lane, Work};
use crate::exec::code::Node;
use crate::exec::interp::{Bank, Mask};
use alloc::vec;
use alloc::vec::Vec;

/// Rows, each by itself: while one is computed, it is taken out.
#[derive(Clone, Debug)]
pub(super) struct Lanes<W, K> {
    rows: Vec<Vec<Chunk<W>>>,
    /// Fours of invocations that a row has.
    quads: usize,
    kernels: K,
}

impl<W, K> Lanes<W, K> {
    pub(super) const fn new(kernels: K) -> Self {
        Self { rows: Vec::new(), quads: 0, kernels }
    }
}

impl<W: Lane, K: Kernels> Bank<W> for Lanes<W, K> {
    fn fit(&mut self, rows: u32, quads: usize) {
        self.quads = quads;
        let chunks = quads.div_ceil(FOURS);
        self.rows.resize_with(rows as usize, Vec::new);
        for row in &mut self.rows {
            if row.len() != chunks {
                *row = vec![[[W::default(); 4]; FOURS]; chunks];
            }
        }
    }

    fn row(&self, row: u32) -> &[[W; 4]] {
        let row = self.rows.get(row as usize).map_or(&[][..], |row| row.as_flattened());
        row.get(..self.quads).unwrap_or(&[])
    }

    fn row_mut(&mut self, row: u32) -> &mut [[W; 4]] {
        let row = self.rows.get_mut(row as usize).map_or(&mut [][..], |row| row.as_flattened_mut());
        row.get_mut(..self.quads).unwrap_or(&mut [])
    }

    fn load(&mut self, rows: &[u32], elements: &[[u32; 4]]) {
        self.kernels.run(Work::load(rows, elements, W::rows(&mut self.rows)));
    }

    fn copy<const N: usize>(&mut self, to: u32, from: u32, mask: &Mask<N>) {
        let Some(place) = self.rows.get_mut(to as usize) else { return };
        let mut row = core::mem::take(place);
        mask.convert(row.as_flattened_mut(), self.row(from), |word| word);
        if let Some(place) = self.rows.get_mut(to as usize) {
            *place = row;
        }
    }

    fn calc<'n>(&mut self, nodes: &'n [Node], _n: usize) -> &'n [Node] {
        let count = nodes.iter().take_while(|node| matches!(node, Node::Pure(_))).count();
        let (calcs, rest) = nodes.split_at(count);
        self.kernels.run(Work::calc(calcs, W::rows(&mut self.rows)));
        rest
    }

    #[cfg(test)]
    fn spoil(&mut self) {
        for row in &mut self.rows {
            row.as_flattened_mut().fill([W::from_bits(0x7fc0_1234_dead_beef); 4]);
        }
        self.rows.truncate(self.rows.len() / 2 + 1);
    }
}
