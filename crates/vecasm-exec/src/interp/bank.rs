//! Where the rows of a pack are held, and how pure operations go over them.

use super::mask::Mask;
use crate::code::{Calc, Code, Node};
use alloc::vec::Vec;
use vecasm_ir::ir::op::{Rows, Word};

/// Rows of fours of invocations. A row that does not exist is empty.
pub(crate) trait Bank<W: Word> {
    /// Makes room for the rows of some code, of so many fours; what they hold is not said.
    fn fit(&mut self, code: &Code, quads: usize);

    fn row(&self, row: u32) -> &[[W; 4]];

    fn row_mut(&mut self, row: u32) -> &mut [[W; 4]];

    /// Writes the same to all of a row.
    fn fill(&mut self, row: u32, word: W);

    /// Where a row is not zero, in as many invocations as the set can have.
    fn truth<const N: usize>(&self, row: u32) -> Mask<N>;

    /// Writes elements of four lanes, each of which stands in a row of at least as many.
    fn zip(&self, lanes: [&[[u32; 4]]; 4], elements: &mut [[u32; 4]]);

    /// Writes elements of four lanes to as many rows as there are. What rows hold behind the last element is not said.
    fn load(&mut self, rows: &[u32], elements: &[[u32; 4]]);

    /// Copies a row to another one in the invocations of a set.
    fn copy<const N: usize>(&mut self, to: u32, from: u32, mask: &Mask<N>);

    /// Computes the pure operations at the head of a list, in the first `n` invocations or in more; gives the rest of the
    /// list.
    fn calc<'n>(&mut self, nodes: &'n [Node], n: usize) -> &'n [Node];

    /// Leaves what no run would leave.
    #[cfg(test)]
    fn spoil(&mut self);
}

/// All rows, one after another, in the order of definitions.
#[derive(Clone, Debug)]
pub(crate) struct Flat<W> {
    words: Vec<[W; 4]>,
    quads: usize,
}

impl<W> Default for Flat<W> {
    fn default() -> Self {
        Self { words: Vec::new(), quads: 0 }
    }
}

impl<W: Word> Flat<W> {
    fn one(&mut self, calc: &Calc, n: usize) {
        // What it is computed from stands in front of the result.
        let Some(&first) = calc.out.rows().first() else { return };
        let start = first as usize * self.quads;
        let Some((words, out)) = self.words.split_at_mut_checked(start) else { return };
        let Some(out) = out.get_mut(..calc.out.rows().len() * self.quads) else { return };
        let rows = Rows { words, n, at: &calc.args };
        if calc.reduced == 0 {
            calc.op.eval_all(calc.scalar, calc.arith, rows, out);
        } else {
            calc.op.eval_reduce_all(calc.scalar, calc.arith, rows, usize::from(calc.reduced), out);
        }
    }
}

impl<W: Word> Bank<W> for Flat<W> {
    fn fit(&mut self, code: &Code, quads: usize) {
        self.quads = quads;
        super::pack::fit(&mut self.words, code.rows as usize * quads, [W::default(); 4]);
    }

    fn row(&self, row: u32) -> &[[W; 4]] {
        let start = row as usize * self.quads;
        self.words.get(start..start + self.quads).unwrap_or(&[])
    }

    fn row_mut(&mut self, row: u32) -> &mut [[W; 4]] {
        let start = row as usize * self.quads;
        self.words.get_mut(start..start + self.quads).unwrap_or(&mut [])
    }

    fn fill(&mut self, row: u32, word: W) {
        self.row_mut(row).fill([word; 4]);
    }

    fn truth<const N: usize>(&self, row: u32) -> Mask<N> {
        Mask::of_true(self.row(row))
    }

    fn zip(&self, lanes: [&[[u32; 4]]; 4], elements: &mut [[u32; 4]]) {
        zip(lanes, elements);
    }

    fn load(&mut self, rows: &[u32], elements: &[[u32; 4]]) {
        for (lane, &row) in rows.iter().enumerate() {
            for (to, four) in self.row_mut(row).iter_mut().zip(elements.chunks(4)) {
                *to = match *four {
                    [a, b, c, d] => [a, b, c, d].map(|of| W::from_low(of[lane & 3])),
                    _ => core::array::from_fn(|i| {
                        four.get(i).map_or(W::default(), |of| W::from_low(of[lane & 3]))
                    }),
                };
            }
        }
    }

    fn copy<const N: usize>(&mut self, to: u32, from: u32, mask: &Mask<N>) {
        let quads = self.quads;
        mask.copy(&mut self.words, quads, (to as usize * quads, from as usize * quads));
    }

    fn calc<'n>(&mut self, mut nodes: &'n [Node], n: usize) -> &'n [Node] {
        while let Some((Node::Pure(calc), rest)) = nodes.split_first() {
            self.one(calc, n);
            nodes = rest;
        }
        nodes
    }

    #[cfg(test)]
    fn spoil(&mut self) {
        self.words.fill([W::from_bits(0x7fc0_1234_dead_beef); 4]);
        self.words.truncate(self.words.len() / 2 + 1);
    }
}

/// [`Bank::zip`].
#[inline(always)]
pub(crate) fn zip(lanes: [&[[u32; 4]]; 4], elements: &mut [[u32; 4]]) {
    // Blocks whose length is known: the loop over one becomes shuffles. (A shorter one is unrolled before that.)
    const BLOCK: usize = 64;
    let lanes = lanes.map(|row| row.as_flattened());
    for (at, out) in elements.chunks_mut(BLOCK).enumerate() {
        let start = at * BLOCK;
        let [x, y, z, w] = lanes.map(|row| row.get(start..start + out.len()).unwrap_or(&[]));
        if let (Some(out), Some(x), Some(y), Some(z), Some(w)) = (
            out.first_chunk_mut::<BLOCK>(),
            x.first_chunk::<BLOCK>(),
            y.first_chunk::<BLOCK>(),
            z.first_chunk::<BLOCK>(),
            w.first_chunk::<BLOCK>(),
        ) {
            let out = out.as_flattened_mut();
            for i in 0..BLOCK {
                out[i * 4] = x[i];
                out[i * 4 + 1] = y[i];
                out[i * 4 + 2] = z[i];
                out[i * 4 + 3] = w[i];
            }
            continue;
        }
        for (out, ((x, y), (z, w))) in out.iter_mut().zip(x.iter().zip(y).zip(z.iter().zip(w))) {
            *out = [*x, *y, *z, *w];
        }
    }
}
