//! Every expression of few operations, and those among them that something cheaper equals on all samples.

use super::tree::{Tree, computed};
use std::collections::{HashMap, HashSet};
use vecasm::code::peepholes::{Kind, Target};
use vecasm::exec::runfile::SplitMix;
use vecasm::ir::op::Slot;
use vecasm::ir::{Pure, Rule};

/// How many pairs of operands each expression is computed for.
const SAMPLES: usize = 64;
/// Of these the first ones, which most expressions differ in.
const FIRST: usize = 8;

/// What an expression gives for each sample.
type Values = [u32; SAMPLES];

/// Numbers that operations stumble over, and ordinary ones.
const SPECIAL: [u32; 26] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x4000_0000,
    0xc000_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f81_2345,
    0x0000_0001,
    0x8000_0007,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3e99_999a,
    0xbf33_3333,
    0x3fd9_999a,
    0x4060_0000,
    0xc2f6_e979,
    0x3f7f_ffff,
    0x4b80_0001,
];

/// Operands of the expressions: `x` is each special number, beside others of all kinds.
fn samples() -> [[u32; 2]; SAMPLES] {
    let mut random = SplitMix::new(1);
    let mut any = || SPECIAL[random.below(SPECIAL.len() as u64) as usize];
    let mut out = [[0; 2]; SAMPLES];
    for (n, pair) in out.iter_mut().enumerate() {
        *pair = match n {
            // Two that are ordinary in either order, two of zero, NaN of each kind: few expressions agree in all of these.
            0 => [0x3e99_999a, 0xbfd9_999a],
            1 => [0xc060_0000, 0x3f33_3333],
            2 => [0x8000_0000, 0x0000_0000],
            3 => [0xffc1_2345, 0x3fd9_999a],
            4 => [0x3f33_3333, 0x3f33_3333],
            5 => [0x4060_0000, 0x7f81_2345],
            6 => [0x7f80_0000, 0x8000_0007],
            7 => [0x0000_0000, 0xff80_0000],
            n if n - FIRST < SPECIAL.len() => [SPECIAL[n - FIRST], any()],
            _ => [any(), any()],
        };
    }
    out
}

/// An expression with what it gives.
#[derive(Clone)]
struct Known {
    tree: Tree,
    price: u32,
    values: Values,
}

/// What was found of a target.
#[derive(Default)]
pub(crate) struct Found {
    /// How many expressions there are.
    pub(crate) trees: usize,
    /// How many of them differ.
    pub(crate) classes: usize,
    /// Those for which there is a cheaper one, with that.
    pub(crate) pairs: Vec<(Tree, Tree)>,
}

/// An operation with its price.
#[derive(Clone, Copy)]
struct Row {
    kind: Kind,
    op: Pure,
    price: u32,
}

pub(crate) struct Search {
    rule: Rule,
    paid: Vec<Row>,
    /// Signs and limits that cost nothing.
    free: Vec<Pure>,
    known: Vec<Known>,
    /// Numbers of expressions by what they give.
    classes: HashMap<u64, Vec<u32>>,
    /// The same of the first samples.
    firsts: HashSet<u64>,
    found: Found,
    /// How many leaves there are.
    leaves: usize,
}

fn key(values: &[u32]) -> u64 {
    values.iter().fold(0, |key: u64, &value| {
        (key.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

/// The operations on floats that expressions are made of.
fn rows(target: &Target) -> (Vec<Row>, Vec<Pure>) {
    let mut paid = Vec::new();
    let mut free = Vec::new();
    for &op in Pure::ALL {
        let compares = matches!(op, Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne);
        // Choices are too many.
        for kind in [Kind::Op, Kind::Set] {
            let floats = op.slots().iter().all(|of| *of == Slot::T);
            if compares == (kind == Kind::Op) || op.reduces() || op.arity() > 2 || !floats {
                continue;
            }
            match target.price(kind, op) {
                Some(0) => free.push(op),
                Some(price) => paid.push(Row { kind, op, price }),
                None => {}
            }
        }
    }
    (paid, free)
}

impl Search {
    pub(crate) fn run(target: &Target) -> Found {
        let (paid, free) = rows(target);
        let mut this = Self {
            rule: target.rule(),
            paid,
            free,
            known: Vec::new(),
            classes: HashMap::new(),
            firsts: HashSet::new(),
            found: Found::default(),
            leaves: 0,
        };
        let samples = samples();
        let numbers = [0.0f32, 1.0, 0.5, 2.0, -1.0].map(f32::to_bits);
        let mut leaves = vec![(Tree::X, samples.map(|[x, _]| x)), (Tree::Y, samples.map(|[_, y]| y))];
        leaves.extend(numbers.iter().map(|bits| (Tree::Number(*bits), [*bits; SAMPLES])));
        // A number with a sign that costs nothing is another number.
        if this.free.contains(&Pure::Neg) {
            leaves.extend(numbers[..4].iter().map(|bits| {
                let bits = bits ^ 1 << 31;
                (Tree::Number(bits), [bits; SAMPLES])
            }));
        }
        for (tree, values) in leaves {
            this.learn(tree, 0, values, true);
        }
        this.leaves = this.known.len();
        this.modify(0);
        let atoms = this.known.len();
        // One operation.
        let level: Vec<usize> = (0..atoms).collect();
        this.combine(&[], &level, true);
        let end = this.known.len();
        this.modify(atoms);
        // Two, one of which has the other one among its operands; the others are operands and numbers as they are.
        let one: Vec<usize> = (atoms..end).collect();
        let level = &level[..this.leaves];
        let of_x: Vec<usize> = (0..end).filter(|&n| !this.known[n].tree.has(&Tree::Y)).collect();
        let both: Vec<usize> = one.iter().copied().filter(|n| !of_x.contains(n)).collect();
        // Those of y alone are those of x.
        let both: Vec<usize> = both.into_iter().filter(|&n| this.known[n].tree.has(&Tree::X)).collect();
        this.combine(&both, level, false);
        let one_of_x: Vec<usize> = of_x.iter().copied().filter(|n| *n >= atoms).collect();
        this.combine(&one_of_x, level, false);
        this.found.classes = this.known.len();
        this.found
    }

    /// Keeps an expression, unless one that is known gives the same: then that may be cheaper, or the new one is.
    fn learn(&mut self, tree: Tree, price: u32, values: Values, keep: bool) {
        let key_of = key(&values);
        let same = self
            .classes
            .get(&key_of)
            .and_then(|list| list.iter().copied().find(|&n| self.known[n as usize].values == values));
        match same {
            Some(n) => {
                let known = self.known[n as usize].clone();
                let simpler = |a: &Tree, b: &Tree| (a.size(), a.numbers()) < (b.size(), b.numbers());
                if price < known.price || price == known.price && simpler(&tree, &known.tree) {
                    if price < known.price {
                        self.note(known.tree, &tree);
                    }
                    self.known[n as usize] = Known { tree, price, values };
                } else if known.price < price {
                    self.note(tree, &known.tree);
                }
            }
            None if keep => {
                self.classes.entry(key_of).or_default().push(self.known.len() as u32);
                self.firsts.insert(key(&values[..FIRST]));
                self.known.push(Known { tree, price, values });
            }
            None => {}
        }
    }

    /// Notes that something is cheaper.
    fn note(&mut self, tree: Tree, cheaper: &Tree) {
        let names = |leaf: &Tree| !cheaper.has(leaf) || tree.has(leaf);
        if names(&Tree::X) && names(&Tree::Y) {
            self.found.pairs.push((tree, cheaper.clone()));
        }
    }

    /// Adds what is known from number `from` on with signs and limits that cost nothing.
    fn modify(&mut self, from: usize) {
        let mut at = from;
        let end = self.known.len();
        for round in 0..2 {
            let last = if round == 0 { end } else { self.known.len() };
            let first = if round == 0 { from } else { at };
            for n in first..last {
                for op in self.free.clone() {
                    let Known { tree, price, values } = self.known[n].clone();
                    let is_sign = op == Pure::Neg;
                    if matches!(tree, Tree::Number(_)) || (round == 1) != is_sign && round == 1 {
                        continue;
                    }
                    self.found.trees += 1;
                    let values = values.map(|value| computed(Kind::Op, op, self.rule, [value; 4]));
                    self.learn(Tree::node(Kind::Op, op, vec![tree]), price, values, true);
                }
            }
            at = end;
        }
    }

    /// Every operation of some of `inner`, if there are any, and of atoms.
    fn combine(&mut self, inner: &[usize], atoms: &[usize], keep: bool) {
        for row in self.paid.clone() {
            let arity = if row.kind == Kind::Choose { 4 } else { row.op.arity() };
            // Places of operands that are chosen; a choice compares with zero.
            let chooses = row.kind == Kind::Choose;
            let places: Vec<usize> = (0..arity).filter(|n| !chooses || *n != 1).collect();
            // There are many choices: what they choose beside an operation are operands and numbers as they are.
            let atoms = if chooses && !inner.is_empty() { &atoms[..4.min(atoms.len())] } else { atoms };
            let atoms = if chooses { &atoms[..self.leaves.min(atoms.len())] } else { atoms };
            let lists = if inner.is_empty() { atoms } else { inner };
            for &first in lists {
                for (at, &place) in places.iter().enumerate() {
                    if inner.is_empty() && at > 0 {
                        break;
                    }
                    let rest: Vec<usize> = places.iter().copied().filter(|of| *of != place).collect();
                    let count = if inner.is_empty() { atoms.len() } else { atoms.len() + 1 };
                    for number in 0..count.pow(rest.len() as u32) {
                        let mut args = [usize::MAX; 4];
                        args[place] = first;
                        let mut left = number;
                        for &place in &rest {
                            // Beside atoms the same again.
                            args[place] = atoms.get(left % count).copied().unwrap_or(first);
                            left /= count;
                        }
                        // One that stands twice is met twice.
                        if !inner.is_empty() && places[..at].iter().any(|&of| args[of] == first) {
                            continue;
                        }
                        self.consider(row, &args[..arity], keep);
                    }
                }
            }
        }
    }

    fn consider(&mut self, row: Row, args: &[usize], keep: bool) {
        let commutes = matches!(
            (row.kind, row.op),
            (Kind::Op, Pure::Add | Pure::Mul) | (Kind::Set, Pure::Eq | Pure::Ne)
        );
        if commutes && args[0] > args[1] {
            return;
        }
        self.found.trees += 1;
        let zero = [0; SAMPLES];
        let mut of = [&zero; 4];
        for (to, &from) in of.iter_mut().zip(args) {
            if from != usize::MAX {
                *to = &self.known[from].values;
            }
        }
        let rule = self.rule;
        let value = |n: usize| computed(row.kind, row.op, rule, [of[0][n], of[1][n], of[2][n], of[3][n]]);
        let mut values = [0; SAMPLES];
        values.iter_mut().take(FIRST).enumerate().for_each(|(n, to)| *to = value(n));
        if !keep && !self.firsts.contains(&key(&values[..FIRST])) {
            return;
        }
        values.iter_mut().enumerate().skip(FIRST).for_each(|(n, to)| *to = value(n));
        if !keep {
            // A look before anything is copied.
            let Some(list) = self.classes.get(&key(&values)) else { return };
            if !list.iter().any(|&n| self.known[n as usize].values == values) {
                return;
            }
        }
        let tree = |from: &usize| match *from {
            usize::MAX => Tree::Number(0),
            n => self.known[n].tree.clone(),
        };
        let price = args.iter().filter(|n| **n != usize::MAX).collect::<HashSet<_>>();
        let price = row.price + price.into_iter().map(|&n| self.known[n].price).sum::<u32>();
        let all: Vec<Tree> = args.iter().map(tree).collect();
        if all.iter().all(|of| matches!(of, Tree::Number(_))) {
            return;
        }
        self.learn(Tree::node(row.kind, row.op, all), price, values, keep);
    }
}
