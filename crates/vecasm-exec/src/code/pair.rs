//! Products that are added at once.

use super::{Calc, Code, Node, Region};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Pure, Rule, Scalar};

impl Code {
    /// The same with each product of f32 that is only added to something, right behind, in one operation with the sum:
    /// [`Calc::plus`]. Both are rounded as before. Code whose lanes take 64 bits stays as it is.
    #[must_use]
    pub fn paired(mut self) -> Self {
        if self.wide {
            return self;
        }
        let mut uses = vec![0; self.rows as usize];
        count(&self.body, &mut uses);
        pair(&mut self.body, &uses);
        self
    }
}

/// Counts how often each row is read, as 0, 1 or more.
pub(super) fn count(region: &Region, uses: &mut [u8]) {
    let mut read = |row: u32| {
        if let Some(uses) = uses.get_mut(row as usize) {
            *uses = uses.saturating_add(1);
        }
    };
    region.yields.iter().for_each(|moved| read(moved.from));
    for node in &region.nodes {
        match node {
            Node::Pure(calc) => {
                let lanes = if calc.reduced > 0 { calc.reduced.into() } else { calc.out.rows().len() };
                calc.arg_rows().iter().for_each(|arg| arg.iter().take(lanes).for_each(|row| read(*row)));
            }
            Node::Inst(inst) => inst.args.iter().flat_map(|arg| arg.rows).for_each(&mut read),
            Node::If(node) => read(node.cond),
            Node::Switch(node) => read(node.selector),
            Node::Block(_) => {}
            Node::Loop(node) => node.init.iter().chain(&node.next).for_each(|moved| read(moved.from)),
            Node::Leave(exit) | Node::Again(exit) => exit.moves.iter().for_each(|moved| read(moved.from)),
        }
    }
    for node in &region.nodes {
        each_region(node, &mut |region| count(region, uses));
    }
}

fn each_region(node: &Node, f: &mut impl FnMut(&Region)) {
    match node {
        Node::Pure(_) | Node::Inst(_) | Node::Leave(_) | Node::Again(_) => {}
        Node::If(node) => {
            f(&node.then);
            f(&node.otherwise);
        }
        Node::Switch(node) => {
            node.cases.iter().for_each(|(_, region)| f(region));
            f(&node.default);
        }
        Node::Block(node) => f(&node.body),
        Node::Loop(node) => f(&node.body),
    }
}

/// Calls a function for each region of a node.
pub(super) fn each_region_mut(node: &mut Node, f: &mut impl FnMut(&mut Region)) {
    match node {
        Node::Pure(_) | Node::Inst(_) | Node::Leave(_) | Node::Again(_) => {}
        Node::If(node) => {
            f(&mut node.then);
            f(&mut node.otherwise);
        }
        Node::Switch(node) => {
            node.cases.iter_mut().for_each(|(_, region)| f(region));
            f(&mut node.default);
        }
        Node::Block(node) => f(&mut node.body),
        Node::Loop(node) => f(&mut node.body),
    }
}

fn pair(region: &mut Region, uses: &[u8]) {
    let mut nodes: Vec<Node> = Vec::with_capacity(region.nodes.len());
    for mut node in core::mem::take(&mut region.nodes) {
        match &mut node {
            Node::Pure(sum) => {
                if let Some(Node::Pure(product)) = nodes.last() {
                    if let Some(both) = together(product, sum, uses) {
                        nodes.pop();
                        node = Node::Pure(both);
                    }
                }
            }
            of => each_region_mut(of, &mut |region| pair(region, uses)),
        }
        nodes.push(node);
    }
    region.nodes = nodes;
}

/// A product and the sum behind it as one, if nothing else reads the product.
fn together(product: &Calc, sum: &Calc, uses: &[u8]) -> Option<Calc> {
    let is = |calc: &Calc, op| calc.op == op && is_plain(calc) && !calc.plus;
    let rows = product.out.rows();
    let alone = rows.iter().all(|row| uses.get(*row as usize) == Some(&1));
    if !is(product, Pure::Mul) || !is(sum, Pure::Add) || !alone || rows.len() != sum.out.rows().len() {
        return None;
    }
    let whole = |arg: usize| sum.args[arg & 1].starts_with(rows);
    let other = if whole(0) {
        sum.args[1]
    } else if whole(1) {
        sum.args[0]
    } else {
        return None;
    };
    let [x, y, ..] = product.args;
    Some(Calc { out: sum.out, args: [x, y, other, [0; 4]], plus: true, shown: sum.shown, ..product.clone() })
}

/// Whether it is a product, perhaps with a sum.
pub(super) fn is_product(calc: &Calc) -> bool {
    calc.op == Pure::Mul && is_plain(calc)
}

/// Whether it is done with f32, whose products and sums are rounded one by one and denormals kept.
fn is_plain(calc: &Calc) -> bool {
    calc.scalar == Scalar::F32 && !calc.arith.flush && calc.arith.rule != Rule::Nv20
}
