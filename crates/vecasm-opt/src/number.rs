//! Value numbering: what is computed twice from the same values becomes one value.

use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use vecasm_ir::ir::{Arg, Inst, Node, Op, Pure, Region, Rule, Shader, Type, Value};

/// Makes one value of pure operations that are equal: the same operation by the same arithmetic with equal arguments, where the first
/// one is computed whenever the others are. What only the others used is dead then; [`clean`](super::clean()) drops it. `None` if
/// nothing changes.
///
/// Where a program is written as text, what is used once stands in its use, and what is used twice needs a name. `name` is about how
/// many letters that takes, and equal operations only become one where the text gets no longer by it. 0 is for targets in which
/// every value has a name.
///
/// The shader has no step table: see [`strip`](vecasm_ir::ir::steps::strip).
#[must_use]
pub fn number(shader: &Shader, name: u32) -> Option<Shader> {
    if !shader.steps.is_empty() || shader.serial {
        return None;
    }
    let mut items = Vec::with_capacity(shader.values.len() + 16);
    list(shader, &shader.body, &mut items);
    let uses = count(shader, &items, name > 0);
    let mut numbering = Numbering::new(shader, uses);
    numbering.run(&items);
    if !numbering.found {
        return None;
    }
    let leaders = numbering.choose(name)?;
    let mut out = shader.clone();
    for arg in &mut out.args {
        put(&leaders, arg);
    }
    conditions(&mut out.body, &leaders);
    Some(out)
}

/// What a walk through a shader meets, in order.
enum Item<'a> {
    Inst(&'a Inst),
    /// Values that a construct takes.
    Takes(&'a [Arg]),
    Open,
    Close,
}

fn list<'a>(shader: &'a Shader, region: &'a Region, out: &mut Vec<Item<'a>>) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => {
                out.push(Item::Inst(inst));
                continue;
            }
            Node::If(node) => out.push(Item::Takes(core::slice::from_ref(&node.cond))),
            Node::Switch(node) => out.push(Item::Takes(core::slice::from_ref(&node.selector))),
            Node::Loop(node) => out.push(Item::Takes(shader.args(node.init))),
            Node::Idiom(node) => out.push(Item::Takes(shader.args(node.operands))),
            Node::Leave { values, .. } | Node::Again { values, .. } => {
                out.push(Item::Takes(shader.args(*values)));
            }
            Node::Block(_) => {}
        }
        node.for_each_region(|region| {
            out.push(Item::Open);
            list(shader, region, out);
            out.push(Item::Takes(shader.args(region.yields)));
            out.push(Item::Close);
        });
    }
}

/// How often each value is used by what somebody needs; in a text without stores that are overwritten.
fn count(shader: &Shader, items: &[Item<'_>], text: bool) -> Vec<u32> {
    let mut uses = vec![0; shader.values.len()];
    let mut behind = Overwritten { outputs: vec![0; shader.outputs.len()] };
    for item in items.iter().rev() {
        let args = match item {
            Item::Inst(inst) if text && behind.has(inst.op) || !is_needed(inst, &uses) => continue,
            Item::Inst(inst) => shader.args(inst.args),
            Item::Takes(args) => args,
            Item::Open | Item::Close => {
                behind.clear();
                continue;
            }
        };
        for arg in args {
            if let Some(uses) = uses.get_mut(arg.value.index()) {
                *uses += 1;
            }
        }
    }
    uses
}

/// The lanes of each output that a store behind overwrites: nobody needs what is stored there, and a text lacks it.
struct Overwritten {
    outputs: Vec<u8>,
}

impl Overwritten {
    /// Whether an operation only stores what is overwritten.
    fn has(&mut self, op: Op) -> bool {
        if let Op::StoreOutput { output, mask } = op {
            let Some(lanes) = self.outputs.get_mut(output.index()) else { return false };
            let before = core::mem::replace(lanes, *lanes | mask.bits());
            return mask.bits() & !before == 0;
        }
        if !is_pure(op) {
            self.clear();
        }
        false
    }

    fn clear(&mut self) {
        self.outputs.fill(0);
    }
}

/// Whether an instruction is needed, if all behind it have been looked at.
fn is_needed(inst: &Inst, uses: &[u32]) -> bool {
    inst.result.is_none_or(|result| uses.get(result.index()).is_none_or(|&uses| uses > 0))
        || !is_pure(inst.op)
}

/// Whether an operation gives the same wherever it has the same arguments.
const fn is_pure(op: Op) -> bool {
    matches!(
        op,
        Op::Pure(_)
            | Op::Compose
            | Op::Const(_)
            | Op::Input(_)
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::State(_)
    )
}

/// Whether it is written where it is used, however often.
const fn is_leaf(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Input(_) | Op::Param { .. } | Op::State(_))
}

/// A number of a value, from 0.
type Index = u32;

/// No value.
const NONE: Index = Index::MAX;

/// What is known of a value.
#[derive(Clone, Copy)]
struct Known<'a> {
    /// What defines it, if that is pure.
    def: Option<&'a Inst>,
    /// The first value that equals it: itself, if there is none before.
    leader: Index,
}

/// An operation that later ones may equal.
struct Entry {
    value: Index,
    /// The slot of the table, and what it held before.
    slot: u32,
    before: u32,
}

struct Numbering<'a> {
    shader: &'a Shader,
    uses: Vec<u32>,
    known: Vec<Known<'a>>,
    /// Values in the order of their definitions.
    order: Vec<Index>,
    /// The last entry of each slot, plus one.
    table: Vec<u32>,
    entries: Vec<Entry>,
    /// Whether something equals something.
    found: bool,
}

impl<'a> Numbering<'a> {
    fn new(shader: &'a Shader, uses: Vec<u32>) -> Self {
        let known = (0..shader.values.len() as u32).map(|leader| Known { def: None, leader }).collect();
        let slots = shader.values.len().next_power_of_two().max(16);
        let table = vec![0; slots];
        Self { shader, uses, known, order: Vec::new(), table, entries: Vec::new(), found: false }
    }

    fn run(&mut self, items: &[Item<'a>]) {
        let mut open = Vec::new();
        for item in items {
            match item {
                Item::Inst(inst) => self.inst(inst),
                Item::Takes(_) => {}
                Item::Open => open.push(self.entries.len()),
                Item::Close => {
                    // What a region computes is not there behind it.
                    let start = open.pop().unwrap_or(0);
                    while self.entries.len() > start {
                        if let Some(entry) = self.entries.pop() {
                            self.table[entry.slot as usize] = entry.before;
                        }
                    }
                }
            }
        }
    }

    fn inst(&mut self, inst: &'a Inst) {
        let (Some(result), true) = (inst.result, is_pure(inst.op)) else { return };
        if self.uses.get(result.index()).is_none_or(|&uses| uses == 0) {
            return;
        }
        let value = result.index() as Index;
        self.known[result.index()].def = Some(inst);
        self.order.push(value);
        let ty = self.shader.value(result).ty;
        let mut hash = Fx(0);
        (inst.op, inst.arith, ty).hash(&mut hash);
        for &arg in self.shader.args(inst.args) {
            self.key(arg).hash(&mut hash);
        }
        let slot = (hash.finish() >> 32) as usize & (self.table.len() - 1);
        let mut at = self.table[slot];
        while let Some(entry) = at.checked_sub(1).and_then(|n| self.entries.get(n as usize)) {
            if self.equal(inst, ty, entry.value) {
                self.known[result.index()].leader = entry.value;
                self.found = true;
                return;
            }
            at = entry.before;
        }
        self.entries.push(Entry { value, slot: slot as u32, before: self.table[slot] });
        self.table[slot] = self.entries.len() as u32;
    }

    fn equal(&self, inst: &Inst, ty: Type, other: Index) -> bool {
        let Some(of) = self.known[other as usize].def else { return false };
        let (a, b) = (self.shader.args(inst.args), self.shader.args(of.args));
        (inst.op, inst.arith) == (of.op, of.arith)
            && self.shader.values[other as usize].ty == ty
            && a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| self.key(a) == self.key(b))
    }

    /// What counts of an argument: the lanes that it picks, of the first value that equals its own.
    fn key(&self, arg: Arg) -> (Index, [u8; 4]) {
        let mut lanes = arg.swizzle.lanes();
        lanes.iter_mut().skip(usize::from(arg.lanes)).for_each(|lane| *lane = 4);
        (self.leader(arg.value), lanes)
    }

    fn leader(&self, value: Value) -> Index {
        self.known.get(value.index()).map_or(NONE, |known| known.leader)
    }

    /// For each value the one that takes its place; `None` if none does.
    fn choose(&self, name: u32) -> Option<Vec<Index>> {
        let values = self.known.len();
        let mut uses = vec![Uses::default(); values];
        // The values that equal the first one, each with the next.
        let mut next = vec![NONE; values];
        // How often the first one is used if all that equal something go: what they take is taken once less.
        let mut after = vec![0u32; values];
        for &value in &self.order {
            let Known { def: Some(_), leader } = self.known[value as usize] else { continue };
            uses[leader as usize].add(self.uses[value as usize]);
            after[leader as usize] += self.uses[value as usize];
            if leader != value {
                next[value as usize] = core::mem::replace(&mut next[leader as usize], value);
                self.each_leader_of(value, |of| after[of] = after[of].saturating_sub(1));
            }
        }
        let mut widths = vec![NAME; values];
        for &value in &self.order {
            let Known { def: Some(def), leader } = self.known[value as usize] else { continue };
            if leader == value && (is_leaf(def.op) || after[value as usize] <= 1) {
                widths[value as usize] = self.width(def, &widths).min(MOST);
            }
        }
        let mut leaders: Vec<Index> = (0..values as Index).collect();
        let mut any = false;
        // From the last one on: where some stay, what they take is taken as often as before.
        for &value in self.order.iter().rev() {
            let first = value as usize;
            let Known { def: Some(def), leader } = self.known[first] else { continue };
            if leader != value || next[first] == NONE {
                continue;
            }
            let width = self.width(def, &widths);
            let stays = name > 0
                && !is_leaf(def.op)
                && after[first] > 1
                && name + width + NAME * after[first] >= uses[first].letters(name, width);
            let mut member = next[first];
            while let Some(&more) = next.get(member as usize) {
                if stays {
                    self.each_leader_of(member, |of| after[of] += 1);
                } else {
                    leaders[member as usize] = value;
                    any = true;
                }
                member = more;
            }
        }
        any.then_some(leaders)
    }

    /// Calls `f` for the first value that equals each value that one takes.
    fn each_leader_of(&self, value: Index, mut f: impl FnMut(usize)) {
        let def = self.known.get(value as usize).and_then(|known| known.def);
        for arg in def.into_iter().flat_map(|def| self.shader.args(def.args)) {
            if let Some(known) = self.known.get(arg.value.index()) {
                f(known.leader as usize);
            }
        }
    }

    /// About how many letters an operation takes.
    fn width(&self, inst: &Inst, widths: &[u32]) -> u32 {
        let zero_wins = inst.arith.rule == Rule::ZeroWins;
        let own = match inst.op {
            Op::Const(_) => return CONSTANT,
            Op::Input(_) | Op::Param { .. } | Op::State(_) => return LEAF,
            Op::Pure(Pure::Mul | Pure::Dot | Pure::Fma) if zero_wins => 19,
            Op::Pure(Pure::Neg | Pure::Not) => 1,
            Op::Pure(Pure::Add | Pure::Sub | Pure::Mul | Pure::Div) => 4,
            _ => 7,
        };
        let args = self.shader.args(inst.args).iter();
        let width = |arg: &Arg| widths.get(self.leader(arg.value) as usize).copied().unwrap_or(NAME);
        args.map(width).fold(own, |sum, width| (sum + width).min(MOST))
    }
}

/// About how many letters a name is, an input or a parameter, and a constant.
const NAME: u32 = 5;
const LEAF: u32 = 8;
const CONSTANT: u32 = 3;
/// What is longer than this has a line of its own.
const MOST: u32 = 90;

/// Uses of values that are equal.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// How many values are used once, and how many more often.
    once: u32,
    named: u32,
    /// The uses of the latter.
    of_names: u32,
}

impl Uses {
    fn add(&mut self, uses: u32) {
        if uses == 1 {
            self.once += 1;
        } else {
            self.named += 1;
            self.of_names += uses;
        }
    }

    /// About how many letters they take where each stands for itself.
    const fn letters(self, name: u32, width: u32) -> u32 {
        self.named * (name + width) + self.of_names * NAME + self.once * width
    }
}

fn put(leaders: &[Index], arg: &mut Arg) {
    if let Some(&leader) = leaders.get(arg.value.index()) {
        if leader as usize != arg.value.index() {
            arg.value = Value::new(leader);
        }
    }
}

/// Conditions and selectors stand in their nodes.
fn conditions(region: &mut Region, leaders: &[Index]) {
    for node in &mut region.nodes {
        match node {
            Node::If(node) => put(leaders, &mut node.cond),
            Node::Switch(node) => put(leaders, &mut node.selector),
            _ => {}
        }
        node.for_each_region_mut(|region| conditions(region, leaders));
    }
}

/// A quick hash, the same everywhere.
struct Fx(u64);

impl Hasher for Fx {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}
