//! How much is alive at once: what decides whether a program fits the registers of a machine.

use super::{Arg, Args, Inst, Label, Loop, Node, Op, Pure, Region, Shader, Value};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// The place of a shader where most is alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Components of 32 bits that are computed and will be read. Inputs, constants and literals are read in place, outputs are
    /// written for good: they count nowhere.
    pub components: u32,
    /// Number of the source instruction behind which that is, from 0.
    pub step: u32,
}

impl Pressure {
    /// The registers of four components that they fill: no allocator gets by with fewer.
    pub const fn vec4(self) -> u32 {
        self.components.div_ceil(4)
    }
}

/// Where most is alive in a shader, which should be cleaned (`opt::clean`): dead code counts. Where paths part, each counts
/// for itself; what a loop reads from outside is alive in all of it.
pub fn pressure(shader: &Shader) -> Pressure {
    let mut scan = Scan {
        shader,
        roots: vec![None; shader.values.len()],
        defined: vec![0; shader.values.len()],
        order: 0,
        loops: Vec::new(),
        outside: BTreeMap::new(),
    };
    scan.region(&shader.body);
    let mut walk =
        Walk { scan: &scan, live: BTreeSet::new(), count: 0, journal: Vec::new(), most: Pressure::default() };
    walk.region(&shader.body);
    walk.most
}

/// A component of a value.
type Lane = (u32, u8);

/// What is known before the way back: what lanes are copies of, and what loops read from outside.
struct Scan<'a> {
    shader: &'a Shader,
    /// For each value that is a copy, what each lane is a copy of; nothing for what is in no register.
    roots: Vec<Option<[Option<Lane>; 4]>>,
    /// When each value was defined.
    defined: Vec<u32>,
    order: u32,
    /// The loops around, with when they began.
    loops: Vec<(Label, u32)>,
    outside: BTreeMap<Label, BTreeSet<Lane>>,
}

impl Scan<'_> {
    /// The lane that a lane of an argument is.
    fn lane(&self, arg: Arg, lane: u8) -> Option<Lane> {
        let at = arg.swizzle.get(lane.into());
        match self.roots.get(arg.value.index()) {
            Some(Some(lanes)) => lanes.get(usize::from(at)).copied().flatten(),
            _ => Some((arg.value.index() as u32, at)),
        }
    }

    fn uses(&mut self, args: Args) {
        for arg in self.shader.args(args) {
            self.uses_of(*arg);
        }
    }

    fn uses_of(&mut self, arg: Arg) {
        for lane in (0..arg.lanes).filter_map(|lane| self.lane(arg, lane)).collect::<Vec<_>>() {
            let defined = self.defined.get(lane.0 as usize).copied().unwrap_or(0);
            for (label, _) in self.loops.iter().rev().take_while(|(_, begin)| defined < *begin) {
                self.outside.entry(*label).or_default().insert(lane);
            }
        }
    }

    fn defines(&mut self, value: Value) {
        self.order += 1;
        if let Some(defined) = self.defined.get_mut(value.index()) {
            *defined = self.order;
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let Some(result) = inst.result else { return self.uses(inst.args) };
        let roots = match inst.op {
            Op::Const(_)
            | Op::Input(_)
            | Op::InputAt { .. }
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::State(_) => Some([None; 4]),
            // Modifiers and moves: what is read is the lane itself.
            Op::Compose | Op::Pure(Pure::Neg | Pure::Abs | Pure::AsF32 | Pure::AsI32 | Pure::AsU32) => {
                let mut roots = [None; 4];
                let args = self.shader.args(inst.args);
                let lanes = args.iter().flat_map(|arg| (0..arg.lanes).map(|lane| self.lane(*arg, lane)));
                roots.iter_mut().zip(lanes).for_each(|(to, from)| *to = from);
                Some(roots)
            }
            _ => None,
        };
        // What reads a copy reads what it is a copy of.
        if roots.is_none() || is_indexed(inst.op) {
            self.uses(inst.args);
        }
        if let Some(to) = self.roots.get_mut(result.index()) {
            *to = roots;
        }
        self.defines(result);
    }

    fn region(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::Loop(of) => {
                    self.uses(of.init);
                    self.order += 1;
                    self.loops.push((of.label, self.order));
                    of.params.iter().for_each(|value| self.defines(*value));
                    self.region(&of.body);
                    self.loops.pop();
                }
                Node::Leave { values, .. } | Node::Again { values, .. } => self.uses(*values),
                Node::Idiom(of) => {
                    self.uses(of.operands);
                    self.region(&of.body);
                }
                node => {
                    if let Node::If(of) = node {
                        self.uses_of(of.cond);
                    }
                    if let Node::Switch(of) = node {
                        self.uses_of(of.selector);
                    }
                    node.for_each_region(|region| self.region(region));
                }
            }
            results(node).iter().for_each(|value| self.defines(*value));
        }
        self.uses(region.yields);
    }
}

/// Whether an operation reads in place what a computed number chooses.
const fn is_indexed(op: Op) -> bool {
    matches!(op, Op::ParamAt { .. } | Op::InputAt { .. })
}

/// The values that a construct defines behind it.
fn results(node: &Node) -> &[Value] {
    match node {
        Node::If(of) => &of.results,
        Node::Block(of) => &of.results,
        Node::Loop(of) => &of.results,
        Node::Switch(of) => &of.results,
        Node::Idiom(of) => &of.results,
        Node::Inst(_) | Node::Leave { .. } | Node::Again { .. } => &[],
    }
}

/// The way back through a shader.
struct Walk<'a> {
    scan: &'a Scan<'a>,
    live: BTreeSet<Lane>,
    /// Words that are alive.
    count: u32,
    /// What became alive (`true`) or was defined, for going back to where paths part.
    journal: Vec<(Lane, bool)>,
    most: Pressure,
}

impl Walk<'_> {
    fn weight(&self, lane: Lane) -> u32 {
        let info = self.scan.shader.values.get(lane.0 as usize);
        info.map_or(1, |info| if info.ty.scalar.is_wide() { 2 } else { 1 })
    }

    fn add(&mut self, lane: Lane) {
        if self.live.insert(lane) {
            self.count += self.weight(lane);
            self.journal.push((lane, true));
        }
    }

    fn remove(&mut self, lane: Lane) {
        if self.live.remove(&lane) {
            self.count -= self.weight(lane);
            self.journal.push((lane, false));
        }
    }

    fn uses(&mut self, args: Args) {
        for arg in self.scan.shader.args(args) {
            self.uses_of(*arg);
        }
    }

    fn uses_of(&mut self, arg: Arg) {
        let scan = self.scan;
        (0..arg.lanes).filter_map(|lane| scan.lane(arg, lane)).for_each(|lane| self.add(lane));
    }

    fn defines(&mut self, values: &[Value]) {
        for value in values {
            (0..4).for_each(|lane| self.remove((value.index() as u32, lane)));
        }
    }

    /// Undoes everything since a place of the journal; what had become alive.
    fn undo(&mut self, to: usize) -> Vec<Lane> {
        let since = self.journal.get(to..).unwrap_or(&[]);
        let alive: Vec<Lane> = since
            .iter()
            .filter(|(lane, added)| *added && self.live.contains(lane))
            .map(|(lane, _)| *lane)
            .collect();
        while self.journal.len() > to {
            let Some((lane, added)) = self.journal.pop() else { break };
            if added {
                self.live.remove(&lane);
                self.count -= self.weight(lane);
            } else {
                self.live.insert(lane);
                self.count += self.weight(lane);
            }
        }
        alive
    }

    /// Goes back through paths of which one is taken, the last one of the program first.
    fn branches<'r>(&mut self, regions: impl Iterator<Item = &'r Region>) {
        let mut alive = Vec::new();
        let to = self.journal.len();
        for region in regions {
            self.region(region);
            alive.extend(self.undo(to));
        }
        alive.into_iter().for_each(|lane| self.add(lane));
    }

    fn region(&mut self, region: &Region) {
        self.uses(region.yields);
        for node in region.nodes.iter().rev() {
            self.defines(results(node));
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::If(of) => {
                    self.branches([&of.otherwise, &of.then].into_iter());
                    self.uses_of(of.cond);
                }
                Node::Switch(of) => {
                    let cases = of.cases.iter().rev().map(|(_, region)| region);
                    self.branches([&of.default].into_iter().chain(cases));
                    self.uses_of(of.selector);
                }
                Node::Block(of) => self.region(&of.body),
                Node::Idiom(of) => {
                    self.region(&of.body);
                    self.uses(of.operands);
                }
                Node::Loop(of) => self.turn(of),
                // What is alive behind a construct is alive in all of it, so nothing is lost on the way out.
                Node::Leave { values, .. } | Node::Again { values, .. } => self.uses(*values),
            }
        }
    }

    fn turn(&mut self, of: &Loop) {
        for lane in self.scan.outside.get(&of.label).into_iter().flatten() {
            self.add(*lane);
        }
        self.region(&of.body);
        self.defines(&of.params);
        self.uses(of.init);
    }

    fn inst(&mut self, inst: &Inst) {
        // On the way back the last one seen is the first in the program.
        if self.count >= self.most.components && self.count > 0 {
            self.most = Pressure { components: self.count, step: inst.step };
        }
        if let Some(result) = inst.result {
            self.defines(&[result]);
            if self.scan.roots.get(result.index()).is_some_and(Option::is_some) && !is_indexed(inst.op) {
                return;
            }
        }
        self.uses(inst.args);
    }
}
