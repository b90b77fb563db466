//! What one comes to along edges.

use alloc::vec;
use alloc::vec::Vec;

/// For each row, whether it is one of the roots, or an edge leads to it from a row that is reached. Rows that do not exist lead
/// nowhere.
pub(super) fn reached(mut roots: Vec<u32>, edges: &[(u32, u32)], rows: u32) -> Vec<bool> {
    let rows = rows as usize;
    // Where the edges of each row begin among all, by row.
    let mut starts = vec![0_u32; rows + 2];
    for &(from, _) in edges {
        starts[(from as usize).min(rows) + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut to = vec![0; edges.len()];
    for &(from, row) in edges {
        let next = &mut next[(from as usize).min(rows)];
        to[*next as usize] = row;
        *next += 1;
    }
    let mut reached = vec![false; rows];
    while let Some(row) = roots.pop() {
        let row = row as usize;
        let Some(seen) = reached.get_mut(row) else { continue };
        if !core::mem::replace(seen, true) {
            roots.extend_from_slice(&to[starts[row] as usize..starts[row + 1] as usize]);
        }
    }
    reached
}
