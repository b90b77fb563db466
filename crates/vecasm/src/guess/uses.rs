//! What a shader does with its inputs and constants, as far as its form tells.

use crate::ir::{Arg, Dim, InputKind, Inst, Node, Op, OutputKind, Pure, Region, Scalar, Shader, Value};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Constants in a row that a vector is multiplied with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    /// The first register.
    pub(super) first: u32,
    /// How many, 3 or 4.
    pub(super) rows: u32,
    /// Lanes of the vector that count: 3 for directions, 4 for places.
    pub(super) lanes: u8,
    /// Whether each register is a column: lanes of the vector times whole registers, summed.
    pub(super) columns: bool,
    /// The attribute that the vector comes from alone, if there is one.
    pub(super) attribute: Option<u32>,
    /// The first registers of the matrices that the vector has been through.
    pub(super) behind: BTreeSet<u32>,
    /// Whether the position depends on it.
    pub(super) position: bool,
}

/// What an input is read for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InputUse {
    /// The lanes that are read, bit by bit.
    pub(super) lanes: u8,
    /// Textures whose coordinates follow from it and nothing else that varies.
    pub(super) samples: Vec<Dim>,
    /// Whether it is a factor of a dot product of three lanes, or is brought to length 1.
    pub(super) direction: bool,
    /// Whether it chooses a constant.
    pub(super) index: bool,
}

/// What a shader does with what it is given.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) matrices: Vec<Matrix>,
    /// By number of the input.
    pub(super) inputs: Vec<InputUse>,
    /// Registers of float constants that are read, direct or with an index on top.
    pub(super) floats: BTreeSet<u32>,
    /// Registers of integer constants, which count rounds of loops.
    pub(super) ints: BTreeSet<u32>,
    /// Registers of truth values.
    pub(super) bools: BTreeSet<u32>,
    /// Float constants that the position depends on.
    pub(super) position: BTreeSet<u32>,
    /// Inputs that the position depends on, by number.
    pub(super) places: BTreeSet<u32>,
}

impl Uses {
    /// Leaves out constants that something computes before each draw.
    pub(super) fn forget(&mut self, computed: &[(String, u32)]) {
        for (array, element) in computed {
            match array.as_str() {
                "c" => {
                    self.floats.remove(element);
                    self.position.remove(element);
                    let of = |m: &Matrix| (m.first..m.first + m.rows).contains(element);
                    self.matrices.retain(|matrix| !of(matrix));
                }
                "i" => _ = self.ints.remove(element),
                _ => _ = self.bools.remove(element),
            }
        }
    }
}

/// What a value follows from.
#[derive(Clone, Debug, Default)]
struct Sources {
    inputs: BTreeSet<u32>,
    constants: BTreeSet<u32>,
}

impl Sources {
    fn add(&mut self, other: &Self) {
        self.inputs.extend(&other.inputs);
        self.constants.extend(&other.constants);
    }
}

struct Reader<'s> {
    shader: &'s Shader,
    insts: Vec<Option<&'s Inst>>,
    sources: Vec<Sources>,
    outputs: Vec<Sources>,
    uses: Uses,
}

/// Inputs of a shader are not more than this; what has more is not looked at.
const MOST: usize = 1 << 16;

/// Looks at a shader.
pub(super) fn of(shader: &Shader) -> Uses {
    let mut reader = Reader {
        shader,
        insts: vec![None; shader.values.len()],
        sources: vec![Sources::default(); shader.values.len()],
        outputs: vec![Sources::default(); shader.outputs.len()],
        uses: Uses { inputs: vec![InputUse::default(); shader.inputs.len()], ..Uses::default() },
    };
    if shader.values.len() > MOST {
        return reader.uses;
    }
    // Cells that are written late are read early only in loops, which twice is enough for.
    for _ in 0..2 {
        reader.region(&shader.body);
    }
    reader.finish()
}

impl<'s> Reader<'s> {
    fn of(&self, arg: Arg) -> Sources {
        self.sources.get(arg.value.index()).cloned().unwrap_or_default()
    }

    fn all(&self, args: &[Arg]) -> Sources {
        let mut out = Sources::default();
        for arg in args {
            out.add(&self.of(*arg));
        }
        out
    }

    fn define(&mut self, value: Value, sources: &Sources) {
        if let Some(slot) = self.sources.get_mut(value.index()) {
            slot.add(sources);
        }
    }

    fn region(&mut self, region: &'s Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => {
                    self.region(&node.then);
                    self.region(&node.otherwise);
                    let mut from = self.of(node.cond);
                    from.add(&self.all(self.shader.args(node.then.yields)));
                    from.add(&self.all(self.shader.args(node.otherwise.yields)));
                    self.results(&node.results, &from);
                }
                Node::Block(node) => {
                    self.region(&node.body);
                    let mut from = self.all(self.shader.args(node.body.yields));
                    self.leaves(&node.body, &mut from);
                    self.results(&node.results, &from);
                }
                Node::Loop(node) => {
                    let mut from = self.all(self.shader.args(node.init));
                    from.add(&self.all(self.shader.args(node.body.yields)));
                    self.results(&node.params, &from);
                    self.region(&node.body);
                    self.leaves(&node.body, &mut from);
                    self.results(&node.results, &from);
                }
                Node::Switch(node) => {
                    let mut from = self.of(node.selector);
                    for (_, region) in &node.cases {
                        self.region(region);
                        from.add(&self.all(self.shader.args(region.yields)));
                    }
                    self.region(&node.default);
                    from.add(&self.all(self.shader.args(node.default.yields)));
                    self.results(&node.results, &from);
                }
                Node::Idiom(node) => {
                    self.region(&node.body);
                    // Yields are the results one by one.
                    for (result, arg) in node.results.iter().zip(self.shader.args(node.body.yields)) {
                        let from = self.of(*arg);
                        self.define(*result, &from);
                        let inst = self.insts.get(arg.value.index()).copied().flatten();
                        if let Some(slot) = self.insts.get_mut(result.index()) {
                            *slot = inst;
                        }
                    }
                }
                Node::Leave { .. } | Node::Again { .. } => {}
            }
        }
    }

    fn results(&mut self, values: &[Value], from: &Sources) {
        for value in values {
            self.define(*value, from);
        }
    }

    /// What leaves a region early.
    fn leaves(&self, region: &Region, from: &mut Sources) {
        for node in &region.nodes {
            if let Node::Leave { values, .. } = node {
                from.add(&self.all(self.shader.args(*values)));
            }
            node.for_each_region(|inner| self.leaves(inner, from));
        }
    }

    fn inst(&mut self, inst: &'s Inst) {
        let shader = self.shader;
        let args = shader.args(inst.args);
        let mut from = self.all(args);
        match inst.op {
            Op::Mark(_) => return,
            Op::Input(id) | Op::InputOf { first: id, .. } => {
                from.inputs.insert(id.0);
            }
            Op::Param { array, index } => {
                let kind = shader.params.get(array.index()).map(|p| p.scalar);
                match kind {
                    Some(Scalar::Bool) => self.uses.bools.insert(index),
                    Some(Scalar::I32 | Scalar::U32) => self.uses.ints.insert(index),
                    _ => {
                        from.constants.insert(index);
                        self.uses.floats.insert(index)
                    }
                };
            }
            Op::ParamAt { offset, .. } => {
                if let Ok(first) = u32::try_from(offset) {
                    from.constants.insert(first);
                    self.uses.floats.insert(first);
                }
                for input in &from.inputs {
                    if let Some(used) = self.uses.inputs.get_mut(*input as usize) {
                        used.index = true;
                    }
                }
            }
            Op::StoreOutput { output, .. } => {
                if let Some(cell) = self.outputs.get_mut(output.index()) {
                    cell.add(&from);
                }
            }
            Op::LoadOutput(output) => {
                if let Some(cell) = self.outputs.get(output.index()) {
                    from.add(cell);
                }
            }
            _ => {}
        }
        self.note_inputs(inst, args);
        if let Some(result) = inst.result {
            self.define(result, &from);
            if let Some(slot) = self.insts.get_mut(result.index()) {
                *slot = Some(inst);
            }
        }
    }

    /// The input that an argument is, swizzled or not.
    fn input(&self, arg: Arg) -> Option<usize> {
        match self.insts.get(arg.value.index()).copied().flatten()?.op {
            Op::Input(id) | Op::InputOf { first: id, .. } => Some(id.index()),
            // Colours are clamped before old pixel shaders see them.
            Op::Pure(Pure::Saturate) => {
                let inst = self.insts.get(arg.value.index()).copied().flatten()?;
                self.input(*self.shader.args(inst.args).first()?)
            }
            _ => None,
        }
    }

    fn note_inputs(&mut self, inst: &Inst, args: &[Arg]) {
        for arg in args {
            let Some(input) = self.input(*arg) else { continue };
            let Some(used) = self.uses.inputs.get_mut(input) else { continue };
            for lane in 0..usize::from(arg.lanes.min(4)) {
                used.lanes |= 1 << arg.swizzle.get(lane);
            }
            if matches!(inst.op, Op::Pure(Pure::Dot)) && arg.lanes == 3 {
                used.direction = true;
            }
        }
        if let Op::Sample { texture, .. } = inst.op {
            let dim = self.shader.textures.get(texture.index()).map_or(Dim::D2, |t| t.dim);
            let from = args.first().map(|arg| self.of(*arg)).unwrap_or_default();
            for input in from.inputs {
                if let Some(used) = self.uses.inputs.get_mut(input as usize) {
                    used.samples.push(dim);
                }
            }
        }
    }

    /// The constant that an argument is: its register, if all its lanes stand in order.
    fn constant(&self, arg: Arg) -> Option<u32> {
        let inst = self.insts.get(arg.value.index()).copied().flatten()?;
        let in_order = (0..usize::from(arg.lanes)).all(|i| usize::from(arg.swizzle.get(i)) == i);
        match inst.op {
            Op::Param { index, .. } if in_order => Some(index),
            Op::ParamAt { offset, .. } if in_order => u32::try_from(offset).ok(),
            _ => None,
        }
    }

    fn finish(mut self) -> Uses {
        for (cell, output) in self.outputs.iter().zip(&self.shader.outputs) {
            if output.kind == OutputKind::Position {
                self.uses.position.extend(&cell.constants);
                self.uses.places.extend(&cell.inputs);
            }
        }
        // Registers by what they are multiplied with: the vector, the way, and for columns the lane.
        let mut rows: BTreeMap<(Key, u8), BTreeSet<u32>> = BTreeMap::new();
        let mut columns: BTreeMap<(Key, u8), BTreeMap<u32, u8>> = BTreeMap::new();
        for inst in self.insts.iter().flatten() {
            let [a, b] = self.shader.args(inst.args) else { continue };
            for (vector, constant) in [(*a, *b), (*b, *a)] {
                let Some(index) = self.constant(constant) else { continue };
                if self.constant(vector).is_some() {
                    continue;
                }
                let key = (Key(vector.value.number()), constant.lanes);
                match inst.op {
                    Op::Pure(Pure::Dot) if constant.lanes >= 3 => {
                        rows.entry(key).or_default().insert(index);
                    }
                    Op::Pure(Pure::Mul) if constant.lanes >= 3 => {
                        let lane = vector.swizzle.get(0);
                        let same = (0..usize::from(vector.lanes)).all(|i| vector.swizzle.get(i) == lane);
                        if same {
                            columns.entry(key).or_default().insert(index, lane);
                        }
                    }
                    _ => {}
                }
            }
        }
        for ((value, lanes), indices) in rows {
            for (first, count) in runs(indices.iter().copied()) {
                self.matrix(value, first, count, lanes, false);
            }
        }
        for ((value, _), indices) in columns {
            for (first, count) in runs(indices.keys().copied()) {
                // Lane k of the vector goes with register first + k.
                let fits = |k: u32| indices.get(&(first + k)).is_some_and(|lane| u32::from(*lane) == k);
                let count = (0..count).take_while(|k| fits(*k)).count() as u32;
                self.matrix(value, first, count, if count > 3 { 4 } else { 3 }, true);
            }
        }
        self.uses.matrices.sort_by_key(|m| m.first);
        let firsts: Vec<u32> = self.uses.matrices.iter().map(|m| m.first).collect();
        for matrix in &mut self.uses.matrices {
            let own = matrix.first;
            matrix.behind.retain(|index| firsts.contains(index) && *index != own);
        }
        self.uses
    }

    fn matrix(&mut self, Key(number): Key, first: u32, count: u32, lanes: u8, columns: bool) {
        if count < 3 {
            return;
        }
        let value = Value::new(number);
        let from = self.sources.get(value.index()).cloned().unwrap_or_default();
        let attributes: Vec<u32> = from
            .inputs
            .iter()
            .filter_map(|input| match self.shader.inputs.get(*input as usize)?.kind {
                InputKind::Attribute { location } => Some(location),
                _ => None,
            })
            .collect();
        let attribute = if let [one] = attributes.as_slice() { Some(*one) } else { None };
        // Several matrices in a row are one run of registers. The last three may be those of normals.
        let mut at = first;
        let end = first + count;
        while at + 3 <= end {
            let rows = if end - at >= 4 { 4 } else { 3 };
            let position = (at..at + rows).any(|index| self.uses.position.contains(&index));
            self.uses.matrices.push(Matrix {
                first: at,
                rows,
                lanes,
                columns,
                attribute,
                behind: from.constants.clone(),
                position,
            });
            at += rows;
        }
    }
}

/// A value as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u32);

/// Runs of consecutive numbers: the first and how many.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((first, count)) if *first + *count == number => *count += 1,
            _ => out.push((number, 1)),
        }
    }
    out
}
