//! Sums of products, one after another, as one operation.

use super::{Calc, Code, Node, Region, ResultRows};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Pure, Rule};

impl Code {
    /// The same with products that are only added to a sum of products, as [`paired`](Self::paired) leaves them, in one
    /// operation for each lane: the [dot product](Pure::Dot) of what is multiplied, in which each product and each sum is
    /// rounded as before. That is what a matrix by columns looks like.
    #[must_use]
    pub fn chained(mut self) -> Self {
        let mut uses = vec![0; self.rows as usize];
        super::pair::count(&self.body, &mut uses);
        chain(&mut self.body, &uses);
        self.pruned()
    }
}

/// The factors of up to four products.
type Factors = Vec<[u32; 2]>;

fn chain(region: &mut Region, uses: &[u8]) {
    let mut nodes = Vec::with_capacity(region.nodes.len());
    // The sums of products that end in each row, of the operations of one kind that have been gone by since anything else: what
    // they are made of is there still.
    let mut known: BTreeMap<u32, (Factors, Rule)> = BTreeMap::new();
    for mut node in core::mem::take(&mut region.nodes) {
        match &mut node {
            Node::Pure(calc) => {
                let factors = factors(calc, &known, uses);
                if let Some(factors) = &factors {
                    known.extend(
                        calc.out
                            .rows()
                            .iter()
                            .zip(factors)
                            .map(|(row, of)| (*row, (of.clone(), calc.arith.rule))),
                    );
                }
                match factors.filter(|of| of.iter().all(|of| of.len() > 1)) {
                    Some(factors) => {
                        let each = calc.out.rows().iter().zip(factors);
                        nodes.extend(each.map(|(row, of)| Node::Pure(dot(calc, *row, &of))));
                        continue;
                    }
                    None => nodes.push(node),
                }
                continue;
            }
            of => {
                known.clear();
                super::pair::each_region_mut(of, &mut |region| chain(region, uses));
            }
        }
        nodes.push(node);
    }
    region.nodes = nodes;
}

/// For each lane, what is multiplied and then added, if nothing else is done.
fn factors(calc: &Calc, known: &BTreeMap<u32, (Factors, Rule)>, uses: &[u8]) -> Option<Vec<Factors>> {
    if !super::pair::is_product(calc) {
        return None;
    }
    let lane = |lane: usize| {
        let [x, y, sum, _] = calc.args.map(|arg| arg[lane & 3]);
        if !calc.plus {
            return Some(vec![[x, y]]);
        }
        let (before, rule) = known.get(&sum)?;
        let alone = uses.get(sum as usize) == Some(&1);
        (alone && *rule == calc.arith.rule && before.len() < 4).then(|| {
            let mut factors = before.clone();
            factors.push([x, y]);
            factors
        })
    };
    (0..calc.out.rows().len()).map(lane).collect()
}

/// The sum of products in one row.
fn dot(calc: &Calc, row: u32, factors: &[[u32; 2]]) -> Calc {
    let mut args = [[0; 4]; 4];
    for (lane, [x, y]) in factors.iter().enumerate().take(4) {
        (args[0][lane], args[1][lane]) = (*x, *y);
    }
    let out = ResultRows { rows: [row, 0, 0, 0], lanes: 1 };
    Calc { op: Pure::Dot, reduced: factors.len().min(4) as u8, out, args, plus: false, ..*calc }
}
