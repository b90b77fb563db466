//! What of a shader is written, and where: dead values, values folded into their only use, output cells that can be
//! written at once, branches that are a choice between values.
//!
//! A plan is made by one look ahead and one walk backwards, so that every use is known when a definition is met.
//! It holds no fact of a target language.

use crate::ir::op::Class;
use crate::ir::{Arg, Inst, Label, Node, Op, OutputId, Region, Shader, Value};
use alloc::vec;
use alloc::vec::Vec;

/// An expression is folded into at most this many operations.
const MAX_FOLDED: u16 = 10;

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Number of the region.
    region: u32,
    /// Number of the innermost loop around it, 0 for none.
    round: u32,
    /// Number of demotions behind it.
    behind: u32,
    /// Number of the statement.
    root: u32,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use<'a> {
    /// The instruction that defines it, if one does.
    pub(super) def: Option<&'a Inst>,
    /// How often it is written; 0 for a dead value.
    pub(super) uses: u32,
    /// Whether it stands in its use instead of in a statement of its own.
    pub(super) folded: bool,
    /// Lanes it is written with: 1 if all lanes are computed from equal arguments, else those of its type.
    pub(super) lanes: u8,
    place: Place,
}

/// What is known of an output cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell<'a> {
    /// Whether it is read back by something.
    pub(super) loaded: bool,
    /// Whether something stores to it inside a nested region.
    nested: bool,
    /// Whether anybody wants it.
    pub(super) wanted: bool,
    /// For a cell that is written at once: what each lane gets; `None` for the initial bits.
    pub(super) lanes: [Option<(Value, u8)>; 4],
    /// For a cell that is written at once: the store in whose place that happens.
    pub(super) last: Option<&'a Inst>,
    place: Place,
}

impl Cell<'_> {
    /// Whether all stores are of the outermost region and nothing reads the cell, so that it is written at once, in
    /// place of its last store.
    pub(super) fn is_whole(&self) -> bool {
        !self.loaded && !self.nested
    }
}

/// How an `if` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Not at all.
    Dead,
    /// One result, each arm a mere value: a choice.
    Choice,
    /// The first arm has statements, the second only values: results start with those of the second.
    Then,
    /// The second arm has statements, the first only values.
    Otherwise,
    /// Both arms are written.
    Both,
}

/// The plan of one `if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct IfPlan {
    /// How it is written.
    pub(super) form: Form,
    /// Number of `if`s inside.
    pub(super) inner: u32,
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Plan<'a> {
    shader: &'a Shader,
    /// By value.
    pub(super) values: Vec<Use<'a>>,
    /// By output.
    pub(super) cells: Vec<Cell<'a>>,
    /// Every `if`, the first one in program order last.
    pub(super) ifs: Vec<IfPlan>,
    /// By input: whether it is read.
    pub(super) inputs: Vec<bool>,
    /// By parameter array: whether it is read.
    pub(super) params: Vec<bool>,
    /// By texture: whether it is read.
    pub(super) textures: Vec<bool>,
    /// Labels that are left from inside a nested block or loop.
    pub(super) far_leaves: Vec<Label>,
    /// Labels of loops that are gone round from inside a nested block or loop.
    pub(super) far_agains: Vec<Label>,
    /// Deepest nesting of regions.
    pub(super) depth: u32,
    roots: Vec<u16>,
    regions: u32,
    rounds: u32,
    demotions: u32,
}

/// What became of a region.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Statements in it.
    statements: u32,
    /// Whether it computes anything.
    computes: bool,
}

impl<'a> Plan<'a> {
    /// Plans `shader`. `wanted` tells the outputs that are read by whoever comes next. Regions nested deeper than
    /// `max_depth` are not looked at; [`depth`](Self::depth) tells then that there are some.
    pub(super) fn new(shader: &'a Shader, wanted: impl Fn(OutputId) -> bool, max_depth: u32) -> Self {
        let mut plan = Self {
            shader,
            values: shader.values.iter().map(|v| Use { lanes: v.ty.lanes, ..Use::default() }).collect(),
            cells: vec![Cell::default(); shader.outputs.len()],
            ifs: Vec::new(),
            inputs: vec![false; shader.inputs.len()],
            params: vec![false; shader.params.len()],
            textures: vec![false; shader.textures.len()],
            far_leaves: Vec::new(),
            far_agains: Vec::new(),
            depth: 0,
            roots: Vec::with_capacity(shader.values.len() + 8),
            regions: 0,
            rounds: 0,
            demotions: 0,
        };
        plan.look(&shader.body, 0, max_depth, &mut Vec::new());
        for (i, cell) in plan.cells.iter_mut().enumerate() {
            cell.wanted = cell.loaded || wanted(OutputId(i as u32));
        }
        if plan.depth <= max_depth {
            plan.region(&shader.body, 0);
        }
        plan
    }

    /// Finds definitions, loads and nested stores, far exits and the depth.
    fn look(&mut self, region: &'a Region, depth: u32, max_depth: u32, open: &mut Vec<Label>) {
        self.depth = self.depth.max(depth);
        if depth > max_depth {
            return;
        }
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => match inst.op {
                    _ if inst.result.is_some() && !matches!(inst.op, Op::LoadOutput(_)) => self.define(inst),
                    Op::LoadOutput(output) => {
                        if let Some(cell) = self.cells.get_mut(output.index()) {
                            cell.loaded = true;
                        }
                        self.define(inst);
                    }
                    Op::StoreOutput { output, .. } if depth > 0 => {
                        if let Some(cell) = self.cells.get_mut(output.index()) {
                            cell.nested = true;
                        }
                    }
                    _ => {}
                },
                Node::If(node) => {
                    self.look(&node.then, depth + 1, max_depth, open);
                    self.look(&node.otherwise, depth + 1, max_depth, open);
                }
                Node::Block(node) => {
                    open.push(node.label);
                    self.look(&node.body, depth + 1, max_depth, open);
                    open.pop();
                }
                Node::Loop(node) => {
                    open.push(node.label);
                    self.look(&node.body, depth + 1, max_depth, open);
                    open.pop();
                }
                Node::Leave { label, .. } => {
                    if open.last() != Some(label) && !self.far_leaves.contains(label) {
                        self.far_leaves.push(*label);
                    }
                }
                Node::Again { label, .. } => {
                    if open.last() != Some(label) && !self.far_agains.contains(label) {
                        self.far_agains.push(*label);
                    }
                }
            }
        }
    }

    fn define(&mut self, inst: &'a Inst) {
        let Some(result) = inst.result else { return };
        let narrow = match inst.op {
            Op::Pure(op) => op.class() != Class::Reduce,
            Op::Ddx | Op::Ddy => true,
            _ => false,
        };
        let narrow = narrow && self.shader.args(inst.args).iter().all(|arg| self.is_splat(*arg));
        let Some(value) = self.values.get_mut(result.index()) else { return };
        value.def = Some(inst);
        if narrow {
            value.lanes = 1;
        }
    }

    /// Whether all lanes of an argument are the same.
    pub(super) fn is_splat(&self, arg: Arg) -> bool {
        let Some(value) = self.values.get(arg.value.index()) else { return false };
        let first = arg.swizzle.get(0);
        let mut lanes = (0..usize::from(arg.lanes)).map(|i| arg.swizzle.get(i));
        if value.lanes == 1 {
            return true;
        }
        match value.def.map(|def| def.op) {
            Some(Op::Const(bits)) => lanes.all(|lane| bits[usize::from(lane)] == bits[usize::from(first)]),
            _ => lanes.all(|lane| lane == first),
        }
    }

    fn statement(&mut self, region: u32, round: u32) -> Place {
        self.roots.push(0);
        Place { region, round, behind: self.demotions, root: self.roots.len() as u32 - 1 }
    }

    fn use_arg(&mut self, arg: Arg, place: Place) {
        if let Some(value) = self.values.get_mut(arg.value.index()) {
            value.uses += 1;
            value.place = place;
        }
    }

    fn use_args(&mut self, args: crate::ir::Args, place: Place) {
        let shader = self.shader;
        for arg in shader.args(args) {
            self.use_arg(*arg, place);
        }
    }

    /// Walks a region backwards. Its yields have been used already.
    fn region(&mut self, region: &'a Region, round: u32) -> Seen {
        let number = self.regions;
        self.regions += 1;
        self.nodes(region, number, round)
    }

    fn nodes(&mut self, region: &'a Region, number: u32, round: u32) -> Seen {
        let mut seen = Seen::default();
        for node in region.nodes.iter().rev() {
            match node {
                Node::Inst(inst) => self.inst(inst, number, round, &mut seen),
                Node::If(node) => {
                    let before = self.ifs.len();
                    // An arm without statements is evaluated with the `if`, but nothing that computes moves out.
                    let live =
                        |plan: &Self, v: &Value| plan.values.get(v.index()).is_some_and(|u| u.uses > 0);
                    let mut results = 0;
                    let mut arms = [Seen::default(); 2];
                    for (arm, seen) in [&node.otherwise, &node.then].into_iter().zip(&mut arms) {
                        let number = self.regions;
                        self.regions += 1;
                        results = 0;
                        for (i, result) in node.results.iter().enumerate() {
                            if !live(self, result) {
                                continue;
                            }
                            results += 1;
                            let yields = self.shader.args(arm.yields);
                            if let Some(arg) = yields.get(i) {
                                let place = self.statement(number, round);
                                self.use_arg(*arg, place);
                            }
                        }
                        *seen = self.nodes(arm, number, round);
                    }
                    let [otherwise, then] = arms;
                    let bare = |arm: Seen| arm.statements == 0 && !arm.computes;
                    let form = if then.statements + otherwise.statements + results == 0 {
                        Form::Dead
                    } else if results == 1 && bare(then) && bare(otherwise) {
                        Form::Choice
                    } else if bare(otherwise) {
                        Form::Then
                    } else if bare(then) {
                        Form::Otherwise
                    } else {
                        Form::Both
                    };
                    let inner = (self.ifs.len() - before) as u32;
                    self.ifs.push(IfPlan { form, inner });
                    if form != Form::Dead {
                        seen.statements += 1;
                        let place = self.statement(number, round);
                        self.use_arg(node.cond, place);
                    }
                }
                Node::Block(node) => {
                    seen.statements += 1;
                    let inner = self.regions;
                    self.regions += 1;
                    let place = self.statement(inner, round);
                    self.use_args(node.body.yields, place);
                    self.nodes(&node.body, inner, round);
                }
                Node::Loop(node) => {
                    seen.statements += 1;
                    let inner = self.regions;
                    self.regions += 1;
                    self.rounds += 1;
                    let inside = self.rounds;
                    let place = self.statement(inner, inside);
                    self.use_args(node.body.yields, place);
                    self.nodes(&node.body, inner, inside);
                    let place = self.statement(number, round);
                    self.use_args(node.init, place);
                }
                Node::Leave { values, .. } | Node::Again { values, .. } => {
                    seen.statements += 1;
                    let place = self.statement(number, round);
                    self.use_args(*values, place);
                }
            }
        }
        seen
    }

    fn inst(&mut self, inst: &'a Inst, region: u32, round: u32, seen: &mut Seen) {
        let shader = self.shader;
        let Some(result) = inst.result else {
            if let Op::StoreOutput { output, mask } = inst.op {
                return self.store(inst, output, mask, region, round, seen);
            }
            seen.statements += 1;
            if inst.op == Op::Demote {
                self.demotions += 1;
            }
            let place = self.statement(region, round);
            return self.use_args(inst.args, place);
        };
        let Some(value) = self.values.get_mut(result.index()) else { return };
        if value.uses == 0 {
            return;
        }
        let mut place = value.place;
        match inst.op {
            Op::Const(_) => return value.folded = true,
            Op::Input(input) => {
                value.folded = true;
                if let Some(read) = self.inputs.get_mut(input.index()) {
                    *read = true;
                }
                return;
            }
            Op::Param { array, .. } => {
                value.folded = true;
                if let Some(read) = self.params.get_mut(array.index()) {
                    *read = true;
                }
                return;
            }
            Op::ParamAt { array, .. } => {
                if let Some(read) = self.params.get_mut(array.index()) {
                    *read = true;
                }
            }
            Op::Sample { texture, .. } => {
                if let Some(read) = self.textures.get_mut(texture.index()) {
                    *read = true;
                }
            }
            _ => {}
        }
        let may_move = match inst.op {
            Op::LoadOutput(_) => false,
            // A texture read stays in its region, and a derivative on its side of a demotion.
            Op::Sample { .. } | Op::Ddx | Op::Ddy => place.region == region && place.behind == self.demotions,
            _ => place.round == round,
        };
        let size = self.roots.get_mut(place.root as usize);
        let room = size.as_ref().is_some_and(|n| **n < MAX_FOLDED);
        seen.computes |= inst.op != Op::Compose;
        if value.uses == 1 && may_move && room {
            value.folded = true;
            if let Some(n) = size {
                *n += 1;
            }
        } else {
            seen.statements += 1;
            place = self.statement(region, round);
        }
        for arg in shader.args(inst.args) {
            self.use_arg(*arg, place);
        }
    }

    fn store(
        &mut self,
        inst: &'a Inst,
        output: OutputId,
        mask: crate::isa::operand::WriteMask,
        region: u32,
        round: u32,
        seen: &mut Seen,
    ) {
        let Some(arg) = self.shader.args(inst.args).first().copied() else { return };
        let place = self.statement(region, round);
        let Some(cell) = self.cells.get_mut(output.index()) else { return };
        if !cell.wanted {
            return;
        }
        // Each run of lanes is written once.
        let mut runs = 0;
        let mut before = false;
        if !cell.is_whole() {
            for lane in 0..4 {
                runs += u32::from(mask.has(lane) && !before);
                before = mask.has(lane);
            }
            seen.statements += 1;
            for _ in 0..runs {
                self.use_arg(arg, place);
            }
            return;
        }
        let mut n = 0;
        for lane in 0..4 {
            let mut taken = false;
            if mask.has(lane) {
                if cell.lanes[lane].is_none() {
                    cell.lanes[lane] = Some((arg.value, arg.swizzle.get(n)));
                    taken = true;
                }
                n += 1;
            }
            runs += u32::from(taken && !before);
            before = taken;
        }
        if cell.last.is_none() {
            cell.last = Some(inst);
            cell.place = place;
            seen.statements += 1;
        }
        let place = cell.place;
        for _ in 0..runs {
            self.use_arg(arg, place);
        }
    }
}
