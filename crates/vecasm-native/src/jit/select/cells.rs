//! Inputs, outputs, local arrays, helpers.

use super::{List, Mask, Refusal, Select, Value, regions};
use crate::jit::mir::{Do, Kind, NONE, Src, V};
use std::collections::{BTreeSet, HashMap};
use vecasm::exec::code::{Calc, Code, Inst, Node, Operand, Region};
use vecasm::ir::{Op, Rule, Scalar, Shader, Stage};
use vecasm::isa::operand::WriteMask;

/// What is known of a whole shader before code is chosen.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) flush: bool,
    pub(super) asks_helpers: bool,
    demotes: bool,
    /// For each output, the last node of the body in which it occurs.
    last: Vec<Option<usize>>,
    /// Elements of local arrays, and outputs, that are written inside regions.
    nested: BTreeSet<Cell>,
    /// For the two kinds of arithmetic on f32, without and with denormals, whether it occurs.
    keeps: bool,
}

/// What keeps four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Cell {
    Output(usize),
    Local(usize, u32),
}

/// Reads a shader, and refuses what there is no code for.
pub(super) fn survey(shader: &Shader, code: &Code) -> Result<Survey, Refusal> {
    if code.wide {
        return Err("64-bit values".into());
    }
    if shader.serial {
        return Err("shaders whose invocations run one after another".into());
    }
    if !matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
        return Err(format!("{} shaders", shader.stage.name()));
    }
    let mut survey = Survey { last: vec![None; shader.outputs.len()], ..Survey::default() };
    for (at, node) in code.body.nodes.iter().enumerate() {
        survey.node(node, at, false)?;
    }
    if survey.flush && survey.keeps {
        return Err("arithmetic with denormals beside arithmetic without them".into());
    }
    Ok(survey)
}

impl Survey {
    fn region(&mut self, region: &Region, at: usize) -> Result<(), Refusal> {
        region.nodes.iter().try_for_each(|node| self.node(node, at, true))
    }

    fn node(&mut self, node: &Node, at: usize, inside: bool) -> Result<(), Refusal> {
        match node {
            Node::Pure(calc) => {
                self.calc(calc);
                Ok(())
            }
            Node::Inst(inst) => self.inst(inst, at, inside),
            _ => {
                let mut result = Ok(());
                regions(node, |region| {
                    if result.is_ok() {
                        result = self.region(region, at);
                    }
                });
                result
            }
        }
    }

    fn calc(&mut self, calc: &Calc) {
        if calc.scalar == Scalar::F32 && !calc.op.moves() && calc.arith.rule != Rule::Nv20 {
            // Comparisons of whole numbers and the like do not care, but they are marked as the others are.
            self.flush |= calc.arith.flush;
            self.keeps |= !calc.arith.flush;
        }
    }

    fn inst(&mut self, inst: &Inst, at: usize, inside: bool) -> Result<(), Refusal> {
        let stored = match inst.op {
            Op::StoreOutput { output, .. } => Some(Cell::Output(output.index())),
            Op::StoreLocal { array, index, .. } => Some(Cell::Local(array.index(), index)),
            _ => None,
        };
        match inst.op {
            Op::Input(_) | Op::LoadLocal { .. } | Op::StoreLocal { .. } | Op::Mark(_) | Op::Fence => {}
            Op::LoadOutput(output) | Op::StoreOutput { output, .. } => {
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
        Op::Ddx(_) | Op::Ddy(_) => "derivatives",
        Op::Sample { .. } | Op::Gather { .. } | Op::Fetch { .. } => "texture reads",
        Op::TextureSize { .. }
        | Op::TextureLod { .. }
        | Op::TextureSamples { .. }
        | Op::SamplePosition { .. } => "questions to textures",
        Op::LoadMemory { .. } | Op::StoreMemory { .. } | Op::AtomicMemory { .. } | Op::MemorySize { .. } => {
            "buffers"
        }
        Op::LoadImage { .. } | Op::StoreImage { .. } | Op::AtomicImage { .. } | Op::ImageSize { .. } => {
            "images"
        }
        Op::ParamAt { .. } => "parameters with a computed index",
        Op::LoadLocalAt { .. } | Op::StoreLocalAt { .. } => "local arrays with a computed index",
        Op::LoadOutputAt { .. } | Op::StoreOutputAt { .. } => "outputs with a computed index",
        Op::InputAt { .. } => "inputs with a computed index",
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
                self.push(Do::Copy, v, [src, Src::None, Src::None], 0);
                v
            });
            self.cells.variable.insert(cell, variable);
        }
        if survey.demotes {
            let v = self.virtual_register(Kind::Mask);
            self.push(Do::MaskNone, v, [Src::None; 3], 0);
            self.helpers = Some(v);
        }
    }

    /// What a cell holds at first.
    fn first(&mut self, cell: Cell) -> [Src; 4] {
        let bits = match cell {
            Cell::Output(output) => self.shader.outputs.get(output).map_or([0; 4], |output| output.init),
            Cell::Local(..) => [0; 4],
        };
        bits.map(|bits| self.word(bits))
    }

    fn lanes(&mut self, cell: Cell) -> [Src; 4] {
        if let Some(variable) = self.cells.variable.get(&cell) {
            return variable.map(Src::V);
        }
        match self.cells.lanes.get(&cell) {
            Some(lanes) => *lanes,
            None => self.first(cell),
        }
    }

    fn list(&mut self, list: List) -> u32 {
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
        let [a, b, c, d] = self.raw_input(id);
        let (ab, cd) = (self.two(Do::UnpackLow, a, b), self.two(Do::UnpackLow, c, d));
        let (ab_high, cd_high) = (self.two(Do::UnpackHigh, a, b), self.two(Do::UnpackHigh, c, d));
        let lanes = [
            self.two(Do::UnpackLow2, ab, cd),
            self.two(Do::UnpackHigh2, ab, cd),
            self.two(Do::UnpackLow2, ab_high, cd_high),
            self.two(Do::UnpackHigh2, ab_high, cd_high),
        ];
        self.inputs[id] = Some(lanes);
        lanes
    }

    /// An input as it stands in its list.
    fn raw_input(&mut self, id: usize) -> [Src; 4] {
        let list = self.list(List::Input(id));
        [0, 1, 2, 3].map(|part| self.op(Do::LoadList, [Src::None; 3], list * 4 + part))
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
                if let Op::Input(id) = inst.op {
                    self.input(id.index());
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
                let writers = match self.helpers {
                    Some(helpers) => self.without(active, Mask::Some(helpers)),
                    None => active,
                };
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
                    self.push(Do::Copy, helpers, [Src::V(all), Src::None, Src::None], 0);
                }
            }
            Op::IsHelper => {
                let mask = match self.helpers {
                    // It may grow later.
                    Some(helpers) => self.mask_op(Do::Copy, [Src::V(helpers), Src::None, Src::None], 0),
                    None => Mask::None,
                };
                for &row in inst.out.rows() {
                    self.values[row as usize] = Value::Mask(mask);
                }
            }
            Op::Mark(_) | Op::Fence => {}
            op => return Err(name(op).into()),
        }
        Ok(())
    }

    fn load(&mut self, cell: Cell, inst: &Inst) {
        let mut lanes = self.lanes(cell);
        if self.cells.variable.contains_key(&cell) {
            // It may change later.
            lanes = lanes.map(|lane| self.one(Do::Copy, lane));
        }
        for (&row, lane) in inst.out.rows().iter().zip(lanes) {
            self.values[row as usize] = Value::Word(lane);
        }
    }

    fn store(&mut self, cell: Cell, mask: WriteMask, value: Option<&Operand>, writers: Mask) {
        let Some(value) = value else { return };
        let mut lanes = self.lanes(cell);
        let variable = self.cells.variable.get(&cell).copied();
        for (from, to) in (0..4).filter(|&lane| mask.has(lane)).enumerate() {
            let word = self.exact(value.rows[from & 3]);
            match (variable, writers) {
                (Some(variable), Mask::All) => {
                    self.push(Do::Copy, variable[to], [word, Src::None, Src::None], 0);
                }
                (Some(_), Mask::None) => {}
                (Some(variable), Mask::Some(m)) => {
                    let v = variable[to];
                    self.push(Do::Blend, v, [Src::V(v), word, Src::V(m)], 0);
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
            Some(id) => self.raw_input(id),
            None => {
                let [x, y, z, w] = lanes;
                let (xy, zw) = (self.two(Do::UnpackLow, x, y), self.two(Do::UnpackLow, z, w));
                let (xy_high, zw_high) = (self.two(Do::UnpackHigh, x, y), self.two(Do::UnpackHigh, z, w));
                [
                    self.two(Do::UnpackLow2, xy, zw),
                    self.two(Do::UnpackHigh2, xy, zw),
                    self.two(Do::UnpackLow2, xy_high, zw_high),
                    self.two(Do::UnpackHigh2, xy_high, zw_high),
                ]
            }
        };
        let list = self.list(List::Output(output));
        for (part, src) in (0..).zip(parts) {
            self.push(Do::StoreList, NONE, [src, Src::None, Src::None], list * 4 + part);
        }
    }

    /// Writes everything that is left to write.
    pub(super) fn end(&mut self) {
        for output in 0..self.cells.open.len() {
            self.give(output);
        }
        if let Some(helpers) = self.helpers {
            let list = self.list(List::Killed);
            self.push(Do::StoreMask, NONE, [Src::V(helpers), Src::None, Src::None], list);
        }
    }
}
