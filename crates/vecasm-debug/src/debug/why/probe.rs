//! A shader that tells everything it computes: the same operations, with a mark behind each of them.
//!
//! The [step table](vecasm_ir::ir::steps) says what the registers of a source instruction held. Why a lane of them is what it
//! is takes the operations between two marks, and the ways that values took out of regions. So a copy of the shader is
//! made in which every operation, exit and region has a mark of its own; the interpreter reports marks already, and
//! values keep their numbers.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::{Arg, Args, Home, Inst, Label, Node, Op, Region, Shader, Value};
use vecasm_ir::operand::WriteMask;

/// What a mark of the copy stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Point {
    /// A step of the shader's own table: what it read and wrote.
    Step(u32),
    /// An operation: its result behind it, or, where it gives none, its arguments in front of it.
    Inst(Inst),
    /// The condition of an `if`, or the selector of a switch.
    Branch,
    /// Values that leave a region, for the point of that number.
    Edge(u32),
    /// The results of a construct, or the parameters of a loop.
    Join,
}

/// One mark of the copy.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) point: Point,
    /// What the mark holds.
    pub(super) args: Args,
    /// The source instruction.
    pub(super) source: u32,
    /// The branches that decide whether it runs.
    pub(super) controls: Vec<u32>,
}

/// The copy of a shader.
#[derive(Clone, Debug)]
pub(super) struct Probed {
    pub(super) shader: Shader,
    /// For each mark, what it stands for.
    pub(super) probes: Vec<Probe>,
    /// The step table of the original.
    pub(super) steps: Vec<Step>,
}

impl Probed {
    pub(super) fn new(shader: &Shader) -> Self {
        let mut copy = shader.clone();
        let body = core::mem::take(&mut copy.body);
        let steps = core::mem::take(&mut copy.steps);
        let mut prober = Prober {
            shader: copy,
            old: steps,
            probes: Vec::new(),
            inside: Vec::new(),
            since: Vec::new(),
            labels: BTreeMap::new(),
            step: 0,
        };
        let body = prober.region(body, None, None);
        prober.shader.body = body;
        Self { shader: prober.shader, probes: prober.probes, steps: prober.old }
    }
}

/// Where exits of a block or loop go.
struct Target {
    results: u32,
    again: u32,
    /// Branches that were open around it.
    depth: usize,
}

struct Prober {
    shader: Shader,
    old: Vec<Step>,
    probes: Vec<Probe>,
    /// Branches around the present node.
    inside: Vec<u32>,
    /// Branches in which some may have left a block or loop that is still open.
    since: Vec<(u32, Label)>,
    labels: BTreeMap<Label, Target>,
    step: u32,
}

impl Prober {
    /// The number of a mark that comes later.
    fn reserve(&mut self, point: Point) -> u32 {
        let number = self.probes.len() as u32;
        self.probes.push(Probe { point, args: Args::default(), source: self.step, controls: Vec::new() });
        // Replaced when the mark is put.
        self.shader.steps.push(Step { source: self.step, part: 0, reads: vec![], writes: vec![] });
        number
    }

    /// Puts the mark of a number.
    fn put(&mut self, number: u32, args: Args, nodes: &mut Vec<Node>) {
        // What the interpreter says of steps is not asked for; only the lanes have to fit.
        let lanes: Vec<u8> = self.shader.args(args).iter().map(|arg| arg.lanes).collect();
        let access = |&lanes: &u8| Access {
            cell: Cell::Register(Home { file: 0, index: 0 }),
            mask: WriteMask::first(lanes),
        };
        let reads = lanes.iter().map(access).collect();
        if let Some(step) = self.shader.steps.get_mut(number as usize) {
            *step = Step { source: self.step, part: 0, reads, writes: vec![] };
        }
        let mut controls = self.inside.clone();
        controls.extend(self.since.iter().map(|(branch, _)| *branch));
        controls.sort_unstable();
        controls.dedup();
        if let Some(probe) = self.probes.get_mut(number as usize) {
            (probe.args, probe.source, probe.controls) = (args, self.step, controls);
        }
        let arith = vecasm_ir::ir::Arith::IEEE;
        nodes.push(Node::Inst(Inst {
            op: Op::Mark(number),
            arith,
            result: None,
            args,
            step: self.step,
            tail: None,
        }));
    }

    fn mark(&mut self, point: Point, args: Args, nodes: &mut Vec<Node>) -> u32 {
        let number = self.reserve(point);
        self.put(number, args, nodes);
        number
    }

    fn list(&mut self, args: impl Iterator<Item = Arg>) -> Args {
        let start = self.shader.args.len() as u32;
        self.shader.args.extend(args);
        Args { start, len: self.shader.args.len() as u32 - start }
    }

    fn all_lanes_of(&mut self, values: &[Value]) -> Args {
        let args: Vec<Arg> =
            values.iter().map(|&v| Arg::all_lanes(v, self.shader.value(v).ty.lanes)).collect();
        self.list(args.into_iter())
    }

    /// A region with marks. `start` is the mark of the parameters it begins with, `end` where its yields go.
    fn region(&mut self, region: Region, start: Option<(u32, &[Value])>, end: Option<u32>) -> Region {
        let mut nodes = Vec::with_capacity(region.nodes.len() * 2 + 2);
        if let Some((number, params)) = start {
            let args = self.all_lanes_of(params);
            self.put(number, args, &mut nodes);
        }
        let exits = region.exits();
        for node in region.nodes {
            self.node(node, &mut nodes);
        }
        if let Some(to) = end.filter(|_| !exits) {
            self.mark(Point::Edge(to), region.yields, &mut nodes);
        }
        Region { nodes, yields: region.yields }
    }

    /// An arm of a branch.
    fn arm(&mut self, region: Region, branch: u32, end: u32) -> Region {
        self.inside.push(branch);
        let region = self.region(region, None, Some(end));
        self.inside.pop();
        region
    }

    fn results(&mut self, number: u32, results: &[Value], nodes: &mut Vec<Node>) {
        let args = self.all_lanes_of(results);
        self.put(number, args, nodes);
    }

    /// Notes that some may be gone behind the branches around an exit.
    fn exit(&mut self, label: Label) {
        let depth = self.labels.get(&label).map_or(0, |target| target.depth);
        for &branch in self.inside.get(depth..).unwrap_or(&[]) {
            if !self.since.contains(&(branch, label)) {
                self.since.push((branch, label));
            }
        }
    }

    fn node(&mut self, node: Node, nodes: &mut Vec<Node>) {
        match node {
            Node::Inst(inst) => {
                self.step = inst.step;
                match (inst.op, inst.result) {
                    (Op::Mark(step), _) => {
                        self.mark(Point::Step(step), inst.args, nodes);
                    }
                    (_, Some(result)) => {
                        nodes.push(Node::Inst(inst));
                        let args = self.all_lanes_of(&[result]);
                        self.mark(Point::Inst(inst), args, nodes);
                    }
                    (_, None) => {
                        self.mark(Point::Inst(inst), inst.args, nodes);
                        nodes.push(Node::Inst(inst));
                    }
                }
            }
            Node::If(mut node) => {
                let cond = self.list([node.cond].into_iter());
                let branch = self.mark(Point::Branch, cond, nodes);
                let join = self.reserve(Point::Join);
                node.then = self.arm(node.then, branch, join);
                node.otherwise = self.arm(node.otherwise, branch, join);
                let results = node.results.clone();
                nodes.push(Node::If(node));
                self.results(join, &results, nodes);
            }
            Node::Switch(mut node) => {
                let selector = self.list([node.selector].into_iter());
                let branch = self.mark(Point::Branch, selector, nodes);
                let join = self.reserve(Point::Join);
                for (_, region) in &mut node.cases {
                    *region = self.arm(core::mem::take(region), branch, join);
                }
                node.default = self.arm(node.default, branch, join);
                let results = node.results.clone();
                nodes.push(Node::Switch(node));
                self.results(join, &results, nodes);
            }
            Node::Block(mut node) => {
                let join = self.reserve(Point::Join);
                let depth = self.inside.len();
                self.labels.insert(node.label, Target { results: join, again: join, depth });
                node.body = self.region(node.body, None, Some(join));
                let label = node.label;
                self.since.retain(|(_, of)| *of != label);
                let results = node.results.clone();
                nodes.push(Node::Block(node));
                self.results(join, &results, nodes);
            }
            Node::Loop(mut node) => {
                let join = self.reserve(Point::Join);
                let again = self.reserve(Point::Join);
                self.mark(Point::Edge(again), node.init, nodes);
                let depth = self.inside.len();
                self.labels.insert(node.label, Target { results: join, again, depth });
                let first = self.probes.len();
                let params = node.params.clone();
                node.body = self.region(node.body, Some((again, &params)), Some(again));
                let label = node.label;
                let since = self.since.iter().filter(|(_, of)| *of == label).map(|(branch, _)| *branch);
                let exits: Vec<u32> = since.collect();
                // A later round runs for those who did not leave an earlier one.
                for probe in self.probes.iter_mut().skip(first) {
                    probe.controls.extend(&exits);
                    probe.controls.sort_unstable();
                    probe.controls.dedup();
                }
                self.since.retain(|(_, of)| *of != label);
                let results = node.results.clone();
                nodes.push(Node::Loop(node));
                self.results(join, &results, nodes);
            }
            Node::Idiom(mut node) => {
                let join = self.reserve(Point::Join);
                node.body = self.region(node.body, None, Some(join));
                let results = node.results.clone();
                nodes.push(Node::Idiom(node));
                self.results(join, &results, nodes);
            }
            Node::Leave { label, values } => {
                let to = self.labels.get(&label).map_or(0, |target| target.results);
                self.mark(Point::Edge(to), values, nodes);
                self.exit(label);
                nodes.push(Node::Leave { label, values });
            }
            Node::Again { label, values } => {
                let to = self.labels.get(&label).map_or(0, |target| target.again);
                self.mark(Point::Edge(to), values, nodes);
                self.exit(label);
                nodes.push(Node::Again { label, values });
            }
        }
    }
}
