//! Inputs, outputs, local arrays, helpers.

use super::indexed::{MOST, size_of_local};
use super::{List, Mask, Refusal, Select, Value, regions};
use crate::jit::mir::{Kind, MachineOp, Mode, NONE, Src, V};
use std::collections::{BTreeSet, HashMap};
use vecasm_exec::code::{Calc, Code, Inst, Node, Operand, Region};
use vecasm_ir::ir::op::Place;
use vecasm_ir::ir::{Op, Pick, Rule, Scalar, Shader, Stage};
use vecasm_ir::operand::WriteMask;

/// What is known of a whole shader before code is chosen.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) asks_helpers: bool,
    /// Whether invocations see those of their quad.
    pub(super) quads: bool,
    demotes: bool,
    loops: bool,
    /// Whether outputs are read.
    reads_back: bool,
    /// For each output, the last node of the body in which it occurs.
    last: Vec<Option<usize>>,
    /// Elements of local arrays, and outputs, that are written inside regions.
    nested: BTreeSet<Cell>,
    /// Whether arithmetic occurs that flushes denormals; that of nv20.
    flushes: bool,
    truncates: bool,
}

/// What keeps four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Cell {
    Output(usize),
    Local(usize, u32),
}

/// Reads a shader, and refuses what there is no code for.
pub(super) fn survey(shader: &Shader, code: &Code) -> Result<Survey, Refusal> {
    if code.wide {
        return Err("64-bit values".into());
    }
    if !matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
        return Err(format!("{} shaders", shader.stage.name()));
    }
    let mut survey = Survey { last: vec![None; shader.outputs.len()], ..Survey::default() };
    for (at, node) in code.body.nodes.iter().enumerate() {
        survey.node(shader, node, at, false)?;
    }
    // Helpers write nothing, which others see where they ask what these read back.
    survey.quads &= !shader.serial;
    // So do they themselves where they may run out of fuel for it.
    survey.asks_helpers |= survey.reads_back && (survey.quads || survey.loops);
    Ok(survey)
}

impl Survey {
    fn region(&mut self, shader: &Shader, region: &Region, at: usize) -> Result<(), Refusal> {
        region.nodes.iter().try_for_each(|node| self.node(shader, node, at, true))
    }

    fn node(&mut self, shader: &Shader, node: &Node, at: usize, inside: bool) -> Result<(), Refusal> {
        match node {
            Node::Pure(calc) => {
                self.calc(calc);
                Ok(())
            }
            Node::Inst(inst) => self.inst(shader, inst, at, inside),
            _ => {
                self.loops |= matches!(node, Node::Loop(_));
                let mut result = Ok(());
                regions(node, |region| {
                    if result.is_ok() {
                        result = self.region(shader, region, at);
                    }
                });
                result
            }
        }
    }

    fn calc(&mut self, calc: &Calc) {
        if calc.scalar == Scalar::F32 && !calc.op.moves() {
            self.truncates |= calc.arith.rule == Rule::Nv20;
            self.flushes |= calc.arith.flush;
        }
    }

    /// The mode that most operations are in.
    pub(super) fn home(&self) -> Mode {
        match (self.truncates, self.flushes) {
            (true, _) => Mode::Truncate,
            (_, true) => Mode::Flush,
            _ => Mode::Keep,
        }
    }

    fn inst(&mut self, shader: &Shader, inst: &Inst, at: usize, inside: bool) -> Result<(), Refusal> {
        let stored = match inst.op {
            Op::StoreOutput { output, .. } => Some(Cell::Output(output.index())),
            Op::StoreLocal { array, index, .. } => Some(Cell::Local(array.index(), index)),
            _ => None,
        };
        match inst.op {
            Op::Input(_)
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::StoreParam { .. }
            | Op::StoreParamAt { .. }
            | Op::LoadLocal { .. }
            | Op::StoreLocal { .. }
            | Op::Mark(_)
            | Op::Fence => {}
            Op::InputAt { at: run, .. } if run.count <= MOST => {}
            Op::LoadOutputAt { first, at: run } | Op::StoreOutputAt { first, at: run, .. }
                if run.count <= MOST =>
            {
                self.reads_back |= matches!(inst.op, Op::LoadOutputAt { .. });
                let count = run.count as usize;
                self.last.iter_mut().skip(first.index()).take(count).for_each(|last| *last = Some(at));
                if inside && matches!(inst.op, Op::StoreOutputAt { .. }) {
                    self.nested.extend((first.index()..first.index() + count).map(Cell::Output));
                }
            }
            Op::LoadLocalAt { array, .. } | Op::StoreLocalAt { array, .. }
                if size_of_local(shader, array) <= MOST =>
            {
                if inside && matches!(inst.op, Op::StoreLocalAt { .. }) {
                    let size = size_of_local(shader, array);
                    self.nested.extend((0..size).map(|index| Cell::Local(array.index(), index)));
                }
            }
            Op::Ddx(_) | Op::Ddy(_) => {
                self.quads = shader.stage == Stage::Fragment;
                if inst.arith.rule == Rule::Nv20 {
                    return Err("derivatives by the rules of nv20".into());
                }
                self.flushes |= inst.arith.flush;
            }
            op if op.texture().is_some() && shader.serial => {
                return Err("textures in shaders whose invocations run one after another".into());
            }
            op if op.texture().is_some_and(|(_, pick)| pick != Pick::Handle) => {
                self.quads |= op.needs_quad() && shader.stage == Stage::Fragment;
            }
            Op::LoadOutput(output) | Op::StoreOutput { output, .. } => {
                self.reads_back |= matches!(inst.op, Op::LoadOutput(_));
                if let Some(last) = self.last.get_mut(output.index()) {
                    *last = Some(at);
                }
            }
            Op::Demote => self.demotes = true,
            Op::IsHelper => self.asks_helpers = true,
            op => return Err(name(op).into()),
        }
        if let (Some(cell), true) = (stored, inside) {
            self.nested.insert(cell);
        }
        Ok(())
    }
}

/// What an operation is, for a person.
fn name(op: Op) -> &'static str {
    match op {
        op if op.texture().is_some() => "textures by handles",
        op if matches!(op.place(), Some(Place::Memory(_))) => "buffers",
        op if matches!(op.place(), Some(Place::Image(_))) => "images",
        Op::LoadLocalAt { .. } | Op::StoreLocalAt { .. } => "large local arrays with a computed index",
        Op::LoadOutputAt { .. } | Op::StoreOutputAt { .. } => "many outputs with a computed index",
        Op::InputAt { .. } => "many inputs with a computed index",
        Op::Interpolate { .. } => "interpolation inside the shader",
        Op::Framebuffer { .. } => "reads of the framebuffer",
        Op::Vote(_) | Op::Ballot | Op::ReadFirst | Op::ReadInvocation => "subgroups",
        Op::Clock => "the clock",
        _ => "an operation of another stage",
    }
}

/// The cells of a shader while code is chosen.
#[derive(Debug)]
pub(super) struct Cells {
    /// For each cell that occurred, its lanes now.
    lanes: HashMap<Cell, [Src; 4]>,
    /// Those that stand in variables.
    variable: HashMap<Cell, [V; 4]>,
    /// For each node of the body, outputs that are complete behind it.
    complete: HashMap<usize, Vec<usize>>,
    /// Outputs that have not been written to their lists yet.
    open: Vec<bool>,
}

impl Cells {
    pub(super) fn new(shader: &Shader, survey: &Survey) -> Self {
        let mut complete: HashMap<usize, Vec<usize>> = HashMap::new();
        for (output, last) in survey.last.iter().enumerate() {
            if let Some(at) = *last {
                complete.entry(at).or_default().push(output);
            }
        }
        let open = survey.last.iter().map(Option::is_some).collect::<Vec<_>>();
        debug_assert_eq!(open.len(), shader.outputs.len());
        Self { lanes: HashMap::new(), variable: HashMap::new(), complete, open }
    }
}

impl Select<'_> {
    /// What has to be there before anything else: cells that are written inside regions, helpers.
    pub(super) fn start(&mut self, survey: &Survey) {
        for &cell in &survey.nested {
            let first = self.first(cell);
            let variable = first.map(|src| {
                let v = self.virtual_register(Kind::Vector);
                self.push(MachineOp::Copy, v, [src, Src::None, Src::None], 0);
                v
            });
            self.cells.variable.insert(cell, variable);
        }
        if survey.asks_helpers {
            let list = self.list(List::Helpers);
            let [word, ..] = self.transposed(list);
            let mask = self.not_all_zero(word);
            let mask = self.mask_register(mask);
            self.helpers = Some(mask);
        } else if survey.demotes {
            let v = self.virtual_register(Kind::Mask);
            self.push(MachineOp::MaskNone, v, [Src::None; 3], 0);
            self.helpers = Some(v);
        }
    }

    /// What a cell holds at first.
    fn first(&mut self, cell: Cell) -> [Src; 4] {
        let bits = match cell {
            Cell::Output(at)
                if self.shader.serial && self.shader.outputs.get(at).is_some_and(|o| o.carried) =>
            {
                let list = self.list(List::Carried(at));
                return self.transposed(list);
            }
            Cell::Output(output) => self.shader.outputs.get(output).map_or([0; 4], |output| output.init),
            Cell::Local(..) => [0; 4],
        };
        bits.map(|bits| self.word(bits))
    }

    pub(super) fn lanes(&mut self, cell: Cell) -> [Src; 4] {
        if let Some(variable) = self.cells.variable.get(&cell) {
            return variable.map(Src::V);
        }
        match self.cells.lanes.get(&cell) {
            Some(lanes) => *lanes,
            None => self.first(cell),
        }
    }

    pub(super) fn list(&mut self, list: List) -> u32 {
        let lists = &mut self.out.lists;
        let at = lists.iter().position(|known| *known == list).unwrap_or_else(|| {
            lists.push(list);
            lists.len() - 1
        });
        at as u32
    }

    /// The lanes of an input.
    pub(super) fn input(&mut self, id: usize) -> [Src; 4] {
        if let Some(lanes) = self.inputs[id] {
            return lanes;
        }
        let list = self.list(List::Input(id));
        let lanes = self.transposed(list);
        self.inputs[id] = Some(lanes);
        lanes
    }

    /// Lanes from a list of four words an invocation.
    fn transposed(&mut self, list: u32) -> [Src; 4] {
        let [a, b, c, d] = self.raw(list);
        let (ab, cd) = (self.two(MachineOp::UnpackLow, a, b), self.two(MachineOp::UnpackLow, c, d));
        let (ab_high, cd_high) =
            (self.two(MachineOp::UnpackHigh, a, b), self.two(MachineOp::UnpackHigh, c, d));
        [
            self.two(MachineOp::UnpackLow2, ab, cd),
            self.two(MachineOp::UnpackHigh2, ab, cd),
            self.two(MachineOp::UnpackLow2, ab_high, cd_high),
            self.two(MachineOp::UnpackHigh2, ab_high, cd_high),
        ]
    }

    /// Four vectors as they stand in a list.
    fn raw(&mut self, list: u32) -> [Src; 4] {
        [0, 1, 2, 3].map(|part| self.op(MachineOp::LoadList, [Src::None; 3], list * 4 + part))
    }

    /// Loads the inputs that a node with regions reads, so that they are there wherever it goes.
    pub(super) fn prepare(&mut self, node: &Node) {
        if let Node::If(node) = node {
            self.present(node.cond);
        }
        if let Node::Switch(node) = node {
            self.present(node.selector);
        }
        if let Node::Loop(node) = node {
            node.init.iter().for_each(|moved| self.present(moved.from));
        }
        match node {
            Node::Pure(calc) => {
                let rows = calc.args.iter().take(calc.op.arity()).flatten();
                rows.for_each(|&row| self.present(row));
            }
            Node::Inst(inst) => {
                match inst.op {
                    Op::Input(id) => {
                        self.input(id.index());
                    }
                    Op::InputAt { first, at } => {
                        for id in (first.index()..).take(at.count as usize) {
                            self.input(id);
                        }
                    }
                    _ => {}
                }
                inst.args.iter().flat_map(|arg| arg.rows).for_each(|row| self.present(row));
            }
            Node::Leave(exit) | Node::Again(exit) => {
                exit.moves.iter().for_each(|moved| self.present(moved.from));
            }
            _ => regions(node, |region| {
                region.nodes.iter().for_each(|node| self.prepare(node));
                region.yields.iter().for_each(|moved| self.present(moved.from));
            }),
        }
    }

    fn present(&mut self, row: u32) {
        if matches!(self.values.get(row as usize), Some(Value::Input(..))) {
            self.value(row);
        }
    }

    /// An operation that is not pure.
    pub(super) fn inst(&mut self, inst: &Inst, active: Mask) -> Result<(), Refusal> {
        match inst.op {
            Op::Input(id) => {
                for (&row, lane) in inst.out.rows().iter().zip(0u8..) {
                    self.values[row as usize] = Value::Input(id.index(), lane);
                    if self.depth > 0 {
                        self.value(row);
                    }
                }
            }
            Op::LoadOutput(output) => self.load(Cell::Output(output.index()), inst),
            Op::LoadLocal { array, index } => self.load(Cell::Local(array.index(), index), inst),
            Op::StoreOutput { output, mask } => {
                let writers = self.writers(active);
                self.store(Cell::Output(output.index()), mask, inst.args.last(), writers);
            }
            Op::StoreLocal { array, index, mask } => {
                self.store(Cell::Local(array.index(), index), mask, inst.args.last(), active);
            }
            Op::Demote => {
                if let (Some(helpers), Some(arg)) = (self.helpers, inst.args.first()) {
                    let holds = self.mask(arg.rows[0]);
                    let now = self.and(holds, active);
                    let all = self.or(Mask::Some(helpers), now);
                    let all = self.mask_register(all);
                    self.push(MachineOp::Copy, helpers, [Src::V(all), Src::None, Src::None], 0);
                }
            }
            Op::IsHelper => {
                let mask = match self.helpers {
                    // It may grow later.
                    Some(helpers) => {
                        self.mask_op(MachineOp::Copy, [Src::V(helpers), Src::None, Src::None], 0)
                    }
                    None => Mask::None,
                };
                for &row in inst.out.rows() {
                    self.values[row as usize] = Value::Mask(mask);
                }
            }
            Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::StoreParam { .. }
            | Op::StoreParamAt { .. }
            | Op::InputAt { .. }
            | Op::LoadOutputAt { .. }
            | Op::LoadLocalAt { .. }
            | Op::StoreOutputAt { .. }
            | Op::StoreLocalAt { .. } => self.indexed(inst, active),
            Op::Ddx(slope) => self.slope(inst, slope, false),
            Op::Ddy(slope) => self.slope(inst, slope, true),
            Op::Mark(_) | Op::Fence => {}
            op if op.texture().is_some() => self.read_texture(inst),
            op => return Err(name(op).into()),
        }
        Ok(())
    }

    /// Who writes outputs: helpers do not.
    pub(super) fn writers(&mut self, active: Mask) -> Mask {
        match self.helpers {
            Some(helpers) => self.without(active, Mask::Some(helpers)),
            None => active,
        }
    }

    /// Gives the rows of an operation what it computes.
    pub(super) fn define(&mut self, inst: &Inst, words: [Src; 4]) {
        for (&row, word) in inst.out.rows().iter().zip(words) {
            self.values[row as usize] = Value::Word(word);
        }
    }

    fn load(&mut self, cell: Cell, inst: &Inst) {
        let mut lanes = self.lanes(cell);
        if self.cells.variable.contains_key(&cell) {
            // It may change later.
            lanes = lanes.map(|lane| self.one(MachineOp::Copy, lane));
        }
        for (&row, lane) in inst.out.rows().iter().zip(lanes) {
            self.values[row as usize] = Value::Word(lane);
        }
    }

    pub(super) fn store(&mut self, cell: Cell, mask: WriteMask, value: Option<&Operand>, writers: Mask) {
        let Some(value) = value else { return };
        let mut lanes = self.lanes(cell);
        let variable = self.cells.variable.get(&cell).copied();
        for (from, to) in (0..4).filter(|&lane| mask.has(lane)).enumerate() {
            let word = self.exact(value.rows[from & 3]);
            match (variable, writers) {
                (Some(variable), Mask::All) => {
                    self.push(MachineOp::Copy, variable[to], [word, Src::None, Src::None], 0);
                }
                (Some(_), Mask::None) => {}
                (Some(variable), Mask::Some(m)) => {
                    let v = variable[to];
                    self.push(MachineOp::Blend, v, [Src::V(v), word, Src::V(m)], 0);
                }
                (None, _) => lanes[to] = self.blend(lanes[to], word, writers),
            }
        }
        if variable.is_none() {
            self.cells.lanes.insert(cell, lanes);
        }
    }

    /// Writes outputs to their lists that nothing touches behind a node of the body.
    pub(super) fn cells_done(&mut self, at: usize) {
        for output in self.cells.complete.remove(&at).unwrap_or_default() {
            self.give(output);
        }
    }

    fn give(&mut self, output: usize) {
        if !std::mem::replace(&mut self.cells.open[output], false) {
            return;
        }
        let lanes = self.lanes(Cell::Output(output));
        let same = self.inputs.iter().position(|input| *input == Some(lanes));
        let parts = match same {
            // An input passed through need not be taken apart.
            Some(id) => {
                let list = self.list(List::Input(id));
                self.raw(list)
            }
            None => {
                let [x, y, z, w] = lanes;
                let (xy, zw) = (self.two(MachineOp::UnpackLow, x, y), self.two(MachineOp::UnpackLow, z, w));
                let (xy_high, zw_high) =
                    (self.two(MachineOp::UnpackHigh, x, y), self.two(MachineOp::UnpackHigh, z, w));
                [
                    self.two(MachineOp::UnpackLow2, xy, zw),
                    self.two(MachineOp::UnpackHigh2, xy, zw),
                    self.two(MachineOp::UnpackLow2, xy_high, zw_high),
                    self.two(MachineOp::UnpackHigh2, xy_high, zw_high),
                ]
            }
        };
        let list = self.list(List::Output(output));
        for (part, src) in (0..).zip(parts) {
            self.push(MachineOp::StoreList, NONE, [src, Src::None, Src::None], list * 4 + part);
        }
    }

    /// Writes everything that is left to write.
    pub(super) fn end(&mut self) {
        for output in 0..self.cells.open.len() {
            self.give(output);
        }
        if let Some(helpers) = self.helpers {
            let list = self.list(List::Killed);
            self.push(MachineOp::StoreMask, NONE, [Src::V(helpers), Src::None, Src::None], list);
        }
    }
}
