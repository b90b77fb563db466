//! The interpreter: the oracle that every other engine has to equal bit for bit.
//!
//! It walks the regions of a shader as they stand and asks [`Pure::eval`](crate::ir::Pure::eval) for the meaning of
//! every pure operation. A *group* of `N` invocations goes through the shader together; a mask (bit `i` for
//! invocation `i`) says which of them are active. One table holds the values of one group, so memory does not grow
//! with the batch.

mod watch;

pub use watch::{Absence, StepEvent};

use super::texture::{sample, sample_footprint};
use super::{Batch, BoundTexture, Engine, MAX_INVOCATIONS, Outputs, RunError};
use crate::ir::op::MAX_ARITY;
use crate::ir::verify::verify;
use crate::ir::{
    Arg, Args, Arith, Block, If, Inst, Label, Lod, Loop, Node, Op, OutOfRange, Pure, Region, Scalar, Shader,
    Slope, Stage, Type, Value,
};
use crate::math::CANONICAL_NAN;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use watch::{Watch, Watched};

/// The interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interp;

/// Fuel of an invocation where the batch does not say.
const DEFAULT_FUEL: u64 = 65_536;
/// Invocations of a quad.
const QUAD: usize = 4;
/// Invocations taken through together where they cannot see one another. Any number gives the same results.
const WIDE: usize = 8;

impl Engine for Interp {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        check(shader, batch)?;
        if in_quads(shader) {
            Ok(run::<QUAD>(shader, batch, None))
        } else {
            Ok(run::<WIDE>(shader, batch, None))
        }
    }
}

impl Interp {
    /// Runs all invocations of a batch, and calls `watch` at each step of the [step table](crate::ir::steps) that a
    /// group comes through: group after group, steps in the order they run. A shader without steps gives no call.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`].
    pub fn run_watched(
        &self,
        shader: &Shader,
        batch: &Batch<'_>,
        watch: &mut dyn FnMut(&StepEvent<'_>),
    ) -> Result<Outputs, RunError> {
        check(shader, batch)?;
        if in_quads(shader) {
            Ok(run::<QUAD>(shader, batch, Some(watch)))
        } else {
            Ok(run::<1>(shader, batch, Some(watch)))
        }
    }
}

/// Whether invocations have to go through the shader as quads.
pub(super) fn in_quads(shader: &Shader) -> bool {
    let mut quads = false;
    shader.body.for_each_inst(&mut |inst| quads |= inst.op.needs_quad());
    quads && shader.stage == Stage::Fragment
}

/// Checks what running relies on.
fn check(shader: &Shader, batch: &Batch<'_>) -> Result<(), RunError> {
    if let Some(breach) = verify(shader).first() {
        return Err(RunError::Malformed(breach.to_string()));
    }
    if shader.values.iter().any(|v| v.ty.scalar.is_wide()) {
        return Err(RunError::Unsupported("values of 64 bits".into()));
    }
    if batch.count > MAX_INVOCATIONS {
        return Err(RunError::Binding(format!("a batch has at most {MAX_INVOCATIONS} invocations")));
    }
    for (texture, bound) in shader.textures.iter().zip(&batch.textures) {
        if let Some(bound) = bound {
            if bound.texture.dim() != texture.dim {
                let what = format!("the texture bound to {} has another dimension", texture.name);
                return Err(RunError::Binding(what));
            }
        }
    }
    Ok(())
}

fn run<'a, const N: usize>(shader: &'a Shader, batch: &'a Batch<'a>, watch: Option<Watch<'a>>) -> Outputs {
    let mut outputs = Outputs {
        cells: shader.outputs.iter().map(|o| vec![o.init; batch.count]).collect(),
        killed: vec![false; batch.count],
        exhausted: vec![false; batch.count],
        ..Outputs::default()
    };
    let mut group = Group::<N>::new(shader, batch, watch);
    let mut first = 0;
    while first < batch.count {
        group.run(first);
        let here = N.min(batch.count - first);
        for (cell, all) in group.cells.iter().zip(&mut outputs.cells) {
            for (i, out) in all.iter_mut().skip(first).take(here).enumerate() {
                *out = core::array::from_fn(|lane| cell[lane][i]);
            }
        }
        for i in 0..here {
            outputs.killed[first + i] = has(group.killed, i);
            outputs.exhausted[first + i] = has(group.exhausted, i);
        }
        first += N;
    }
    outputs
}

/// A set of invocations of the group, bit `i` for invocation `i`.
type Mask = u32;

const fn has(mask: Mask, invocation: usize) -> bool {
    mask >> invocation & 1 != 0
}

/// One lane of a value in every invocation.
type Row<const N: usize> = [u32; N];
/// The four lanes of a value, or of an output cell.
type Rows<const N: usize> = [Row<N>; 4];

/// An open block or loop.
struct Frame<'a, const N: usize> {
    label: Label,
    results: &'a [Value],
    /// Invocations that left it.
    left: Mask,
    /// Invocations that wait for the next round, and the parameters they bring.
    again: Mask,
    next: Vec<Rows<N>>,
}

/// A group on its way through the shader.
struct Group<'a, const N: usize> {
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    /// Number of the group's first invocation in the batch.
    first: usize,
    values: Vec<Rows<N>>,
    cells: Vec<Rows<N>>,
    frames: Vec<Frame<'a, N>>,
    /// Buffers of closed frames.
    spare: Vec<Vec<Rows<N>>>,
    fuel: [u64; N],
    helpers: Mask,
    killed: Mask,
    exhausted: Mask,
    watched: Option<Watched<'a, N>>,
}

impl<'a, const N: usize> Group<'a, N> {
    const ZERO: Rows<N> = [[0; N]; 4];

    fn new(shader: &'a Shader, batch: &'a Batch<'a>, watch: Option<Watch<'a>>) -> Self {
        let mut group = Self {
            shader,
            batch,
            first: 0,
            values: vec![Self::ZERO; shader.values.len()],
            cells: vec![Self::ZERO; shader.outputs.len()],
            frames: Vec::new(),
            spare: Vec::new(),
            fuel: [0; N],
            helpers: 0,
            killed: 0,
            exhausted: 0,
            watched: watch.map(|watch| Watched {
                watch,
                step: 0,
                arms: Vec::new(),
                gone: [None; N],
                demoted: [None; N],
            }),
        };
        shader.body.for_each_inst(&mut |inst| {
            if let (true, Some(result)) = (same_in_all(inst.op), inst.result) {
                group.values[result.index()] = group.produce(inst.op, &[]);
            }
        });
        group
    }

    /// Takes the invocations `first..first + N` through the shader; those behind the end of the batch are helpers.
    fn run(&mut self, first: usize) {
        self.first = first;
        self.fuel = [self.batch.fuel.unwrap_or(DEFAULT_FUEL); N];
        (self.helpers, self.killed, self.exhausted) = (0, 0, 0);
        if let Some(watched) = &mut self.watched {
            (watched.gone, watched.demoted, watched.step) = ([None; N], [None; N], 0);
            watched.arms.clear();
        }
        for i in 0..N {
            let starts = first + i >= self.batch.count
                || self.batch.helpers.get(first + i).copied().unwrap_or_default();
            self.helpers |= Mask::from(starts) << i;
        }
        for (cell, output) in self.cells.iter_mut().zip(&self.shader.outputs) {
            *cell = output.init.map(|bits| [bits; N]);
        }
        let shader = self.shader;
        self.region(&shader.body, Mask::MAX >> (Mask::BITS as usize - N));
    }

    /// Runs a region for the invocations of `mask`, and says which of them reach its end.
    fn region(&mut self, region: &'a Region, mut mask: Mask) -> Mask {
        for node in &region.nodes {
            if mask == 0 {
                break;
            }
            match node {
                Node::Inst(inst) => self.inst(inst, mask),
                Node::If(node) => mask = self.branch(node, mask),
                Node::Block(node) => mask = self.block(node, mask),
                Node::Loop(node) => mask = self.cycle(node, mask),
                Node::Switch(_) | Node::Idiom(_) => {}
                Node::Leave { label, values } => {
                    self.leave(*label, *values, mask);
                    mask = 0;
                }
                Node::Again { label, values } => {
                    self.again(*label, *values, mask);
                    mask = 0;
                }
            }
        }
        mask
    }

    fn branch(&mut self, node: &'a If, mask: Mask) -> Mask {
        let cond = *self.row(node.cond, 0);
        let mut holds = 0;
        for (i, &bit) in cond.iter().enumerate() {
            holds |= Mask::from(bit != 0) << i;
        }
        self.open_arm(mask & !holds);
        let then = self.region(&node.then, mask & holds);
        self.close_arm();
        self.open_arm(mask & holds);
        let otherwise = self.region(&node.otherwise, mask & !holds);
        self.close_arm();
        for (i, &result) in node.results.iter().enumerate() {
            let a = self.yielded(&node.then, i, then);
            let b = self.yielded(&node.otherwise, i, otherwise);
            let rows = &mut self.values[result.index()];
            for lane in 0..4 {
                rows[lane] = core::array::from_fn(|k| if has(holds, k) { a[lane][k] } else { b[lane][k] });
            }
        }
        then | otherwise
    }

    fn block(&mut self, node: &'a Block, mask: Mask) -> Mask {
        self.enter(node.label, &node.results);
        let reached = self.region(&node.body, mask);
        let left = self.exit();
        self.gone(left, |_| None);
        for (i, &result) in node.results.iter().enumerate() {
            let rows = self.yielded(&node.body, i, reached);
            assign(&mut self.values[result.index()], &rows, !left);
        }
        reached | left
    }

    fn cycle(&mut self, node: &'a Loop, mut mask: Mask) -> Mask {
        let init = self.shader.args(node.init);
        for (&param, &arg) in node.params.iter().zip(init) {
            self.values[param.index()] = self.rows(arg);
        }
        for &result in &node.results {
            self.values[result.index()] = Self::ZERO;
        }
        self.enter(node.label, &node.results);
        while mask != 0 {
            let reached = self.region(&node.body, mask);
            if reached != 0 {
                self.again(node.label, node.body.yields, reached);
            }
            mask = 0;
            if let Some(frame) = self.frames.last_mut() {
                mask = core::mem::take(&mut frame.again);
                for (&param, next) in node.params.iter().zip(&frame.next) {
                    assign(&mut self.values[param.index()], next, mask);
                }
            }
            self.gone(mask, |_| None);
            mask = self.burn(mask);
        }
        let left = self.exit();
        self.gone(left, |_| None);
        left
    }

    /// Notes, in a watched run, that `others` went another way than the region that starts now.
    fn open_arm(&mut self, others: Mask) {
        if let Some(watched) = &mut self.watched {
            watched.arms.push((others, watched.step));
        }
    }

    fn close_arm(&mut self) {
        if let Some(watched) = &mut self.watched {
            watched.arms.pop();
        }
    }

    /// Notes, in a watched run, why invocations are away from now on; the last step is given.
    fn gone(&mut self, mask: Mask, why: impl Fn(u32) -> Option<Absence>) {
        if let Some(watched) = &mut self.watched {
            watched.set_gone(mask, why(watched.step));
        }
    }

    /// Reports the step of a mark.
    fn mark(&mut self, step: u32, args: &[Arg], mask: Mask) {
        if self.watched.is_none() {
            return;
        }
        let values: Vec<Vec<[u32; 4]>> = args
            .iter()
            .map(|&arg| {
                let rows = self.rows(arg);
                (0..N).map(|i| rows.map(|row| row[i])).collect()
            })
            .collect();
        let here = N.min(self.batch.count - self.first);
        let (helpers, killed, first) = (self.helpers, self.killed, self.first);
        let source = self.shader.steps.get(step as usize).map_or(0, |s| s.source);
        let Some(watched) = &mut self.watched else { return };
        watched.step = source;
        let absent: Vec<Option<Absence>> = (0..here)
            .map(|i| match watched.demoted[i] {
                // The step that demotes it is its last.
                Some(at) if has(killed, i) && at != source => Some(Absence::Demoted(at)),
                _ if has(helpers, i) && !has(killed, i) => Some(Absence::Helper),
                _ if has(mask, i) => None,
                _ => {
                    let arm = watched.arms.iter().rev().find(|(others, _)| has(*others, i));
                    arm.map(|(_, step)| Absence::Condition(*step)).or(watched.gone[i])
                }
            })
            .collect();
        (watched.watch)(&StepEvent { step: step as usize, first, absent: &absent, values: &values });
    }

    /// Takes one unit of fuel from each invocation of `mask`, and says which of them had one.
    fn burn(&mut self, mask: Mask) -> Mask {
        let mut alive = mask;
        for i in 0..N {
            if has(mask, i) {
                match self.fuel[i].checked_sub(1) {
                    Some(rest) => self.fuel[i] = rest,
                    None => {
                        alive &= !(1 << i);
                        self.exhausted |= 1 << i;
                        self.gone(1 << i, |step| Some(Absence::Exhausted(step)));
                    }
                }
            }
        }
        alive
    }

    fn enter(&mut self, label: Label, results: &'a [Value]) {
        let mut next = self.spare.pop().unwrap_or_default();
        next.clear();
        self.frames.push(Frame { label, results, left: 0, again: 0, next });
    }

    /// Closes the innermost frame, and says which invocations left it.
    fn exit(&mut self) -> Mask {
        self.frames.pop().map_or(0, |frame| {
            self.spare.push(frame.next);
            frame.left
        })
    }

    fn leave(&mut self, label: Label, values: Args, mask: Mask) {
        let Some(at) = self.frames.iter().rposition(|f| f.label == label) else { return };
        self.gone(mask, |step| Some(Absence::Left(step)));
        self.frames[at].left |= mask;
        let results = self.frames[at].results;
        // No node inside the region sees its results, so they can be written at once.
        for (&result, &arg) in results.iter().zip(self.shader.args(values)) {
            let rows = self.rows(arg);
            assign(&mut self.values[result.index()], &rows, mask);
        }
    }

    fn again(&mut self, label: Label, values: Args, mask: Mask) {
        let Some(at) = self.frames.iter().rposition(|f| f.label == label) else { return };
        // The parameters may be read until the round is over, by the other invocations and by `values` itself.
        let args = self.shader.args(values);
        let mut next = core::mem::take(&mut self.frames[at].next);
        next.resize(args.len(), Self::ZERO);
        for (next, &arg) in next.iter_mut().zip(args) {
            assign(next, &self.rows(arg), mask);
        }
        self.frames[at].next = next;
        self.frames[at].again |= mask;
        self.gone(mask, |step| Some(Absence::Left(step)));
    }

    /// Yield `i` of a region that the invocations `reached` came to the end of.
    fn yielded(&self, region: &Region, i: usize, reached: Mask) -> Rows<N> {
        match self.shader.args(region.yields).get(i) {
            Some(&arg) if reached != 0 => self.rows(arg),
            _ => Self::ZERO,
        }
    }

    /// The lanes of an argument; lanes that it does not have are zero.
    fn rows(&self, arg: Arg) -> Rows<N> {
        let mut rows = Self::ZERO;
        for (lane, row) in rows.iter_mut().enumerate().take(usize::from(arg.lanes)) {
            *row = *self.row(arg, lane);
        }
        rows
    }

    /// One lane of an argument; of an argument of one lane, that one.
    fn row(&self, arg: Arg, lane: usize) -> &Row<N> {
        let lane = if arg.lanes == 1 { 0 } else { lane };
        &self.values[arg.value.index()][usize::from(arg.swizzle.get(lane))]
    }

    fn inst(&mut self, inst: &Inst, mask: Mask) {
        let shader = self.shader;
        let args = shader.args(inst.args);
        match inst.op {
            Op::Pure(op) => self.pure(op, inst.arith, args, inst.result),
            op if same_in_all(op) => {}
            Op::Mark(step) => self.mark(step, args, mask),
            Op::StoreOutput { output, mask: lanes } => {
                let writers = mask & !self.helpers;
                let Some(&arg) = args.first() else { return };
                for (from, to) in lanes.lanes().enumerate() {
                    let row = *self.row(arg, from);
                    assign_row(&mut self.cells[output.index()][to], &row, writers);
                }
            }
            Op::Demote => {
                let Some(&arg) = args.first() else { return };
                let mut demoted = 0;
                for (i, &bit) in self.row(arg, 0).iter().enumerate() {
                    demoted |= Mask::from(bit != 0) << i;
                }
                let now = demoted & mask & !self.helpers;
                self.killed |= now;
                self.helpers |= now;
                if let Some(watched) = &mut self.watched {
                    for (i, at) in watched.demoted.iter_mut().enumerate() {
                        if has(now, i) {
                            *at = Some(inst.step);
                        }
                    }
                }
            }
            _ => {
                let rows = self.produce(inst.op, args);
                if let Some(result) = inst.result {
                    self.values[result.index()] = rows;
                }
            }
        }
    }

    fn pure(&mut self, op: Pure, arith: Arith, args: &[Arg], result: Option<Value>) {
        let Some(result) = result else { return };
        let mut types = [Type::F32; MAX_ARITY];
        for (ty, arg) in types.iter_mut().zip(args) {
            *ty = self.shader.arg_type(*arg);
        }
        let scalar = op.scalar(&types[..args.len().min(MAX_ARITY)]);
        if op.reduces() {
            let (Some(&a), Some(&b)) = (args.first(), args.last()) else { return };
            let x: [&Row<N>; 4] = core::array::from_fn(|lane| self.row(a, lane));
            let y: [&Row<N>; 4] = core::array::from_fn(|lane| self.row(b, lane));
            let lanes = usize::from(a.lanes);
            let row = core::array::from_fn(|i| {
                op.eval_reduce(scalar, arith, x.map(|r| r[i]), y.map(|r| r[i]), lanes)
            });
            self.values[result.index()][0] = row;
            return;
        }
        let lanes = self.shader.value(result).ty.lanes;
        for lane in 0..usize::from(lanes) {
            let zero = [0; N];
            let mut rows: [&[u32]; MAX_ARITY] = [&zero; MAX_ARITY];
            for (row, &arg) in rows.iter_mut().zip(args) {
                *row = self.row(arg, lane);
            }
            let mut row = zero;
            op.eval_all(scalar, arith, rows, &mut row);
            self.values[result.index()][lane] = row;
        }
    }

    /// What an operation that is not pure in the sense of [`Pure`] gives.
    fn produce(&self, op: Op, args: &[Arg]) -> Rows<N> {
        let mut rows = Self::ZERO;
        match op {
            Op::Const(bits) => rows = bits.map(|b| [b; N]),
            Op::Compose => {
                let mut lane = 0;
                for &arg in args {
                    for from in 0..usize::from(arg.lanes) {
                        if let Some(row) = rows.get_mut(lane) {
                            *row = *self.row(arg, from);
                        }
                        lane += 1;
                    }
                }
            }
            Op::Input(id) => {
                let float = self.shader.inputs[id.index()].ty.scalar == Scalar::F32;
                let missing = [0, 0, 0, if float { 1.0f32.to_bits() } else { 0 }];
                let given = self.batch.inputs.get(id.index());
                // Helpers that complete the last quad read what its last invocation reads.
                let last = self.batch.count.saturating_sub(1);
                for i in 0..N {
                    let bits = given.and_then(|g| g.get((self.first + i).min(last))).unwrap_or(&missing);
                    for (row, bits) in rows.iter_mut().zip(bits) {
                        row[i] = *bits;
                    }
                }
            }
            Op::Param { array, index } => {
                rows = self.element(array.index(), i64::from(index)).map(|b| [b; N]);
            }
            Op::ParamAt { array, offset, rule } => {
                let Some(&arg) = args.first() else { return rows };
                let size = self.shader.params[array.index()].size;
                for (i, &index) in self.row(arg, 0).iter().enumerate() {
                    let mut at = i64::from(index as i32) + i64::from(offset);
                    if rule == OutOfRange::Clamp {
                        at = at.clamp(0, i64::from(size.saturating_sub(1)));
                    }
                    for (row, bits) in rows.iter_mut().zip(self.element(array.index(), at)) {
                        row[i] = bits;
                    }
                }
            }
            Op::LoadOutput(id) => rows = self.cells[id.index()],
            Op::Ddx(_) | Op::Ddy(_) => {
                let Some(&arg) = args.first() else { return rows };
                rows = self.derivative(op, &self.rows(arg));
            }
            Op::Sample { texture, lod, .. } => return self.sampled(texture.index(), lod, args),
            _ => {}
        }
        rows
    }

    /// An element of a parameter array; outside it, zero.
    fn element(&self, array: usize, index: i64) -> [u32; 4] {
        let size = self.shader.params.get(array).map_or(0, |p| p.size);
        if index < 0 || index >= i64::from(size) {
            return [0; 4];
        }
        self.batch.params.get(array).and_then(|p| p.get(index as usize)).copied().unwrap_or([0; 4])
    }

    /// The difference of neighbours in the quad; zero where there is none.
    fn derivative(&self, op: Op, of: &Rows<N>) -> Rows<N> {
        let mut rows = Self::ZERO;
        if N != QUAD {
            return rows;
        }
        for (row, of) in rows.iter_mut().zip(of) {
            *row = core::array::from_fn(|i| {
                let (from, to) =
                    if matches!(op, Op::Ddx(_)) { (i & 2, i & 2 | 1) } else { (i & 1, i & 1 | 2) };
                Pure::Sub.eval(Scalar::F32, Arith::IEEE, [of[to], of[from], 0, 0])
            });
        }
        rows
    }

    fn sampled(&self, texture: usize, lod: Lod, args: &[Arg]) -> Rows<N> {
        let mut rows = Self::ZERO;
        let Some(Some(BoundTexture { texture, sampler })) = self.batch.textures.get(texture) else {
            rows[3] = [1.0f32.to_bits(); N];
            return rows;
        };
        let Some(&coord) = args.first() else { return rows };
        let coord = self.rows(coord);
        let at = |rows: &Rows<N>, i: usize| -> [f32; 3] {
            core::array::from_fn(|lane| f32::from_bits(rows[lane][i]))
        };
        let (ddx, ddy) = match lod {
            Lod::Implicit { .. } => {
                (self.derivative(Op::Ddx(Slope::Fine), &coord), self.derivative(Op::Ddy(Slope::Fine), &coord))
            }
            _ => (Self::ZERO, Self::ZERO),
        };
        for i in 0..N {
            let colour = match lod {
                Lod::Implicit { bias_eighths } => {
                    let bias = f32::from(bias_eighths) / 8.0;
                    sample_footprint(texture, sampler, at(&coord, i), at(&ddx, i), at(&ddy, i), bias)
                }
                _ => {
                    let level = args.get(1).map_or(0, |&arg| self.row(arg, 0)[i]);
                    sample(texture, sampler, at(&coord, i), f32::from_bits(level))
                }
            };
            for (row, value) in rows.iter_mut().zip(colour) {
                row[i] = if value.is_nan() { CANONICAL_NAN } else { value.to_bits() };
            }
        }
        rows
    }
}

/// Whether an operation gives all invocations the same. Its value is defined once and for all groups.
const fn same_in_all(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Param { .. })
}

/// Copies the invocations of `mask`.
fn assign<const N: usize>(to: &mut Rows<N>, from: &Rows<N>, mask: Mask) {
    for (to, from) in to.iter_mut().zip(from) {
        assign_row(to, from, mask);
    }
}

fn assign_row<const N: usize>(to: &mut Row<N>, from: &Row<N>, mask: Mask) {
    for i in 0..N {
        if has(mask, i) {
            to[i] = from[i];
        }
    }
}

#[cfg(test)]
mod tests;
