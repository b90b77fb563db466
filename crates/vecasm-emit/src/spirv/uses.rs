//! What of a shader is needed: found by one walk backwards, so that every use is known before the definition is met.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::{Effect, Place};
use vecasm_ir::ir::{
    Arg, Args, Inst, Label, Memory, Node, Op, OutputKind, Pure, Region, Scalar, Shader, Stage, Value,
};
use vecasm_ir::operand::WriteMask;

/// What is known of a value before anything is written.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// Whether something that is written reads it.
    live: bool,
    /// Whether something else than an index reads it.
    plain: bool,
}

/// What is known of an output cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellUse {
    /// Whether something reads it, or stores to it inside a nested region: then it lives in a variable. Otherwise its
    /// lanes are known at the end.
    pub(super) variable: bool,
    /// Whether another invocation of the patch reads it.
    pub(super) read_by_others: bool,
    /// Whether it is written as a whole, whatever happens, and never read.
    pub(super) covered: bool,
    read: bool,
    written: bool,
}

/// What is done with a buffer or an image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub(super) read: bool,
    pub(super) written: bool,
    pub(super) atomic: bool,
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Uses {
    values: Vec<Use>,
    /// By output.
    pub(super) cells: Vec<CellUse>,
    /// Runs of inputs that are read by a computed index: the first one and how many.
    pub(super) input_runs: Vec<(u32, u32)>,
    /// Runs of outputs, joined where they touch.
    pub(super) output_runs: Vec<(u32, u32)>,
    /// By buffer.
    pub(super) buffers: Vec<Access>,
    /// By image.
    pub(super) images: Vec<Access>,
    /// Whether something uses what the workgroup shares.
    pub(super) shared: bool,
    /// Whether there are barriers or fences.
    pub(super) meets: bool,
}

impl Uses {
    pub(super) fn of(shader: &Shader) -> Self {
        let mut walk = Walk {
            shader,
            uses: Self {
                values: vec![Use::default(); shader.values.len()],
                cells: vec![CellUse::default(); shader.outputs.len()],
                input_runs: Vec::new(),
                output_runs: Vec::new(),
                buffers: vec![Access::default(); shader.buffers.len()],
                images: vec![Access::default(); shader.images.len()],
                shared: false,
                meets: false,
            },
            open: Vec::new(),
            depth: 0,
        };
        walk.region(&shader.body, Targets::Some(&[]));
        let mut uses = walk.uses;
        for cell in &mut uses.cells {
            // A vertex is given with what all cells hold.
            cell.variable |= shader.stage == Stage::Geometry;
            cell.covered = cell.written && !cell.read;
        }
        // Runs that touch one another become one.
        uses.output_runs.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (first, count) in uses.output_runs {
            match joined.last_mut() {
                Some((start, len)) if first < start.saturating_add(*len) => {
                    *len = (*len).max(first.saturating_add(count).saturating_sub(*start));
                }
                _ => joined.push((first, count)),
            }
        }
        uses.output_runs = joined;
        uses
    }

    /// Whether a value is written.
    pub(super) fn live(&self, value: Value) -> bool {
        self.values.get(value.index()).is_some_and(|of| of.live)
    }

    /// Whether nothing but indices is made of a value.
    pub(super) fn index_only(&self, value: Value) -> bool {
        self.values.get(value.index()).is_some_and(|of| !of.plain)
    }
}

/// What the yields of a region become.
#[derive(Clone, Copy)]
enum Targets<'a> {
    /// These values.
    Some(&'a [Value]),
    /// Parameters of a loop: all of them count.
    All,
}

struct Walk<'a> {
    shader: &'a Shader,
    uses: Uses,
    /// Blocks and loops around, with their results.
    open: Vec<(Label, &'a [Value])>,
    depth: u32,
}

impl<'a> Walk<'a> {
    fn mark(&mut self, arg: Arg, plain: bool) {
        if let Some(of) = self.uses.values.get_mut(arg.value.index()) {
            of.live = true;
            of.plain |= plain;
        }
    }

    fn mark_all(&mut self, args: Args) {
        for arg in self.shader.args(args) {
            self.mark(*arg, true);
        }
    }

    fn mark_for(&mut self, args: Args, targets: Targets<'_>) {
        let Targets::Some(targets) = targets else { return self.mark_all(args) };
        for (arg, target) in self.shader.args(args).iter().zip(targets) {
            if self.uses.live(*target) {
                self.mark(*arg, true);
            }
        }
    }

    fn region(&mut self, region: &'a Region, targets: Targets<'_>) {
        if !region.exits() {
            self.mark_for(region.yields, targets);
        }
        for node in region.nodes.iter().rev() {
            self.node(node);
        }
    }

    fn inner(&mut self, region: &'a Region, targets: Targets<'_>) {
        self.depth += 1;
        self.region(region, targets);
        self.depth -= 1;
    }

    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::If(node) => {
                self.inner(&node.then, Targets::Some(&node.results));
                self.inner(&node.otherwise, Targets::Some(&node.results));
                let wanted = node.results.iter().any(|result| self.uses.live(*result));
                if wanted || has_effects(&node.then) || has_effects(&node.otherwise) {
                    self.mark(node.cond, true);
                }
            }
            Node::Block(node) => {
                self.open.push((node.label, &node.results));
                self.inner(&node.body, Targets::Some(&node.results));
                self.open.pop();
            }
            Node::Loop(node) => {
                for param in &node.params {
                    self.mark(Arg::all_lanes(*param, 1), true);
                }
                self.open.push((node.label, &node.results));
                self.inner(&node.body, Targets::All);
                self.open.pop();
                self.mark_all(node.init);
            }
            Node::Switch(node) => {
                for (_, region) in &node.cases {
                    self.inner(region, Targets::Some(&node.results));
                }
                self.inner(&node.default, Targets::Some(&node.results));
                self.mark(node.selector, true);
            }
            // Brackets are taken out before.
            Node::Idiom(node) => self.region(&node.body, Targets::Some(&node.results)),
            Node::Leave { label, values } => {
                let results = self.open.iter().rev().find(|(open, _)| open == label).map(|(_, r)| *r);
                self.mark_for(*values, Targets::Some(results.unwrap_or(&[])));
            }
            Node::Again { values, .. } => self.mark_all(*values),
        }
    }

    fn inst(&mut self, inst: &'a Inst) {
        match inst.op {
            Op::StoreOutput { output, mask } => {
                if self.depth > 0 {
                    self.variable(output.index(), 1);
                } else if let Some(cell) = self.uses.cells.get_mut(output.index()) {
                    let inner = self.shader.outputs.get(output.index()).map(|output| output.kind)
                        == Some(OutputKind::TessInner);
                    cell.written |= mask.has(0) && mask.has(1) && (inner || mask == WriteMask::ALL);
                }
            }
            Op::StoreOutputAt { first, at, .. } => {
                self.variable(first.index(), at.count);
                self.run(first.0, at.count);
            }
            _ => {}
        }
        if inst.op.is_pure() && !inst.result.is_some_and(|result| self.uses.live(result)) {
            return;
        }
        match inst.op {
            Op::LoadOutput(output) => {
                self.variable(output.index(), 1);
                self.read(output.index(), 1, false);
            }
            Op::LoadOutputOf { first, at } => {
                let count = at.map_or(1, |at| at.count);
                self.variable(first.index(), count);
                self.read(first.index(), count, true);
            }
            Op::LoadOutputAt { first, at } => {
                self.variable(first.index(), at.count);
                self.read(first.index(), at.count, false);
                self.run(first.0, at.count);
            }
            Op::InputAt { first, at } => {
                let run = (first.0, at.count);
                if !self.uses.input_runs.contains(&run) {
                    self.uses.input_runs.push(run);
                }
            }
            Op::Pure(_) | Op::Const(_) | Op::Compose => {}
            op => self.memory(op),
        }
        let index = inst.op.index() == Some(0);
        for (n, arg) in self.shader.args(inst.args).iter().enumerate() {
            self.mark(*arg, !(index && n == 0));
        }
    }

    /// Notes what is done with memory.
    fn memory(&mut self, op: Op) {
        let (read, written) = match op.effect() {
            Effect::Read => (true, false),
            Effect::Write => (false, true),
            Effect::Modify => (true, true),
            _ => (false, false),
        };
        let uses = &mut self.uses;
        let of = match op.place() {
            Some(Place::Memory(Memory::Buffer(id))) => uses.buffers.get_mut(id.index()),
            Some(Place::Memory(Memory::Shared)) => {
                uses.shared |= read || written;
                return;
            }
            Some(Place::Image(id)) => uses.images.get_mut(id.index()),
            _ => {
                uses.meets |= matches!(op, Op::Barrier | Op::Fence);
                return;
            }
        };
        if let Some(of) = of {
            of.read |= read;
            of.written |= written;
            of.atomic |= read && written;
        }
    }

    fn variable(&mut self, first: usize, count: u32) {
        for cell in self.uses.cells.iter_mut().skip(first).take(count as usize) {
            cell.variable = true;
        }
    }

    fn read(&mut self, first: usize, count: u32, others: bool) {
        for cell in self.uses.cells.iter_mut().skip(first).take(count as usize) {
            cell.read = true;
            cell.read_by_others |= others;
        }
    }

    fn run(&mut self, first: u32, count: u32) {
        if !self.uses.output_runs.contains(&(first, count)) {
            self.uses.output_runs.push((first, count));
        }
    }
}

/// Whether a region does anything but give its values.
pub(super) fn has_effects(region: &Region) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::Inst(inst) => !inst.op.is_pure() && !matches!(inst.op, Op::Mark(_)),
        Node::Leave { .. } | Node::Again { .. } | Node::Loop(_) => true,
        node => {
            let mut found = false;
            node.for_each_region(|region| found |= has_effects(region));
            found
        }
    })
}

/// What has to be known of exits, demotions and arithmetic before anything is written.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Blocks that something leaves.
    pub(super) left: BTreeSet<Label>,
    /// Whether an exit crosses a loop, or leaves two blocks at once.
    pub(super) far: bool,
    /// Whether there are operations that [`expand`](vecasm_opt::expand()) has to write out.
    pub(super) composites: bool,
    /// The same for flushed denormals.
    pub(super) flush: bool,
    /// Whether an operation that needs its quad may run behind a demotion, or something asks for helpers.
    pub(super) late: bool,
    /// Whether something asks for helpers where there are demotions.
    pub(super) asks: bool,
    seen: u32,
    demoted: bool,
    /// The last operation that needs its quad.
    last_quad: u32,
    first_demotion: Option<u32>,
}

/// A construct that exits may cross.
#[derive(Clone, Copy)]
enum Construct {
    Block(Label),
    Loop(Label),
}

impl Survey {
    pub(super) fn of(shader: &Shader) -> Self {
        let mut survey = Self::default();
        survey.region(shader, &shader.body, &mut Vec::new());
        let behind = survey.first_demotion.is_some_and(|first| first < survey.last_quad);
        survey.asks &= survey.demoted;
        survey.late = survey.asks || behind;
        survey
    }

    fn region(&mut self, shader: &Shader, region: &Region, around: &mut Vec<Construct>) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.inst(shader, inst),
                Node::Leave { label, .. } | Node::Again { label, .. } => self.exit(*label, around),
                Node::Block(node) => {
                    around.push(Construct::Block(node.label));
                    self.region(shader, &node.body, around);
                    around.pop();
                }
                Node::Loop(node) => {
                    let (quads, demoted) = (self.last_quad, self.first_demotion);
                    around.push(Construct::Loop(node.label));
                    self.region(shader, &node.body, around);
                    around.pop();
                    // What stands before a demotion in a loop runs behind it in the next round.
                    if self.last_quad > quads && self.first_demotion != demoted {
                        self.last_quad = self.seen + 1;
                    }
                }
                node => node.for_each_region(|region| self.region(shader, region, around)),
            }
        }
    }

    fn exit(&mut self, label: Label, around: &[Construct]) {
        let mut block = false;
        for construct in around.iter().rev() {
            match *construct {
                Construct::Block(open) if open == label => {
                    self.left.insert(label);
                    self.far |= block;
                    return;
                }
                Construct::Loop(open) if open == label => return,
                Construct::Block(_) => block = true,
                Construct::Loop(_) => {
                    self.far = true;
                    // What is left there is found again when the exits are near.
                    self.left.insert(label);
                    return;
                }
            }
        }
    }

    fn inst(&mut self, shader: &Shader, inst: &Inst) {
        self.seen += 1;
        if inst.op.needs_quad() {
            self.last_quad = self.seen;
        }
        match inst.op {
            Op::Demote => {
                self.demoted = true;
                self.first_demotion = self.first_demotion.or(Some(self.seen));
            }
            Op::IsHelper => self.asks = true,
            // Helpers do not vote.
            Op::Vote(_) | Op::Ballot => self.asks |= shader.stage == Stage::Fragment,
            Op::Pure(pure) => {
                self.flush |= inst.arith.flush;
                let single = || {
                    shader.args(inst.args).first().is_some_and(|a| {
                        shader.values.get(a.value.index()).is_some_and(|v| v.ty.scalar == Scalar::F32)
                    })
                };
                self.composites |= matches!(
                    pure,
                    Pure::Rcc
                        | Pure::Exp2Floor
                        | Pure::Exponent
                        | Pure::Mantissa
                        | Pure::Lit
                        | Pure::FrexpFraction
                        | Pure::FrexpExponent
                ) && single();
            }
            _ => {}
        }
    }
}
