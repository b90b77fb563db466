//! Output cells and local arrays as values.

use super::rewrite::{Place, Places, Rewrite};
use super::walk::Walk;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Block, If, Inst, Label, Loop, Node, Op, OutputId, Pure, Region, Shader, Stage, Switch, Type, Value,
};
use vecasm_ir::operand::WriteMask;

/// The most elements of local arrays, taken together, that become values.
const MOST: usize = 1024;

/// Makes values of output cells and of elements of local arrays that are only accessed directly: a load becomes the
/// value that reaches it, and stores go; blocks, branches and loops get results and parameters for the cells that are
/// stored to inside.
///
/// * **Local arrays** without a computed index go completely, up to 1,024 elements in all.
/// * **Output cells** keep stores where their content can be seen from then on: one at the end of the shader; one before
///   each demotion, since a helper's stores do not happen, so the value at that moment must survive; and one before each
///   loop and at the end of each round, since an invocation may run out of fuel there, and its outputs so far count.
///   Only cells that were stored to since the last such place are stored, and only lanes that some store writes. Loads
///   of what a helper's store did not write are kept exact: where somebody could see the difference (derivatives,
///   votes, loops), the value is chosen by [`Op::IsHelper`].
/// * **Not promoted**: cells that are accessed by a computed index, by other invocations ([`Op::LoadOutputOf`]), that
///   belong to a patch, or are [carried](vecasm_ir::ir::Output::carried); and all outputs of a shader that
///   [emits vertices](Op::EmitVertex).
///
/// An idiom that stores to what is promoted loses its bracket. The step table stays exact.
#[must_use]
pub fn promote(shader: &Shader) -> Shader {
    let cells = Cells::of(shader);
    if cells.list.is_empty() {
        return shader.clone();
    }
    let mut inside = BTreeMap::new();
    stored(&shader.body, &cells, &mut inside);
    let now = vec![[None; 4]; cells.list.len()];
    let dirty = vec![false; cells.list.len()];
    let mut pass =
        Promote { rw: Rewrite::new(shader), cells: &cells, inside: &inside, now, dirty, frames: Vec::new() };
    for (at, cell) in cells.list.iter().enumerate() {
        let first = pass.rw.constant(cell.init, cell.ty);
        pass.set(at, first);
    }
    pass.nodes(&shader.body);
    pass.flush();
    pass.rw.b.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Output(OutputId),
    Local,
}

struct Cell {
    of: Of,
    ty: Type,
    init: [u32; 4],
    /// Lanes that some store writes.
    written: WriteMask,
    /// A helper's store must be seen not to happen.
    guarded: bool,
}

/// What is promoted.
struct Cells {
    list: Vec<Cell>,
    /// For each output, its position in the list.
    outputs: Vec<Option<usize>>,
    /// For each local array, the position of its element 0, and its size.
    locals: Vec<Option<(usize, u32)>>,
}

impl Cells {
    fn of(shader: &Shader) -> Self {
        let mut outputs: Vec<bool> =
            shader.outputs.iter().map(|o| !o.carried && !o.kind.is_of_patch()).collect();
        let mut locals = vec![true; shader.locals.len()];
        let mut loaded = vec![false; shader.outputs.len()];
        let mut written = vec![WriteMask::NONE; shader.outputs.len()];
        let (mut emits, mut seen) = (false, false);
        let run = |outputs: &mut Vec<bool>, first: OutputId, count: u32| {
            let from = first.index().min(outputs.len());
            let end = from.saturating_add(count as usize).min(outputs.len());
            outputs[from..end].fill(false);
        };
        shader.body.for_each_inst(&mut |inst| {
            seen |= inst.op.needs_quad() || inst.op.needs_subgroup();
            match inst.op {
                Op::LoadOutputAt { first, at } | Op::StoreOutputAt { first, at, .. } => {
                    run(&mut outputs, first, at.count);
                }
                Op::LoadOutputOf { first, at } => run(&mut outputs, first, at.map_or(1, |at| at.count)),
                Op::LoadOutput(id) => loaded.get_mut(id.index()).into_iter().for_each(|l| *l = true),
                Op::StoreOutput { output, mask } => {
                    written.get_mut(output.index()).into_iter().for_each(|w| *w = w.union(mask));
                }
                Op::LoadLocalAt { array, .. } | Op::StoreLocalAt { array, .. } => {
                    locals.get_mut(array.index()).into_iter().for_each(|l| *l = false);
                }
                Op::EmitVertex { .. } => emits = true,
                _ => {}
            }
        });
        // A helper that reads its outputs may go round a loop more often, and run out of fuel.
        let helpers = shader.stage == Stage::Fragment && (seen || has_loop(&shader.body));
        let mut cells = Self { list: Vec::new(), outputs: vec![None; outputs.len()], locals: Vec::new() };
        for (i, output) in shader.outputs.iter().enumerate() {
            if outputs[i] && !emits {
                cells.outputs[i] = Some(cells.list.len());
                cells.list.push(Cell {
                    of: Of::Output(OutputId(i as u32)),
                    ty: Type::new(output.scalar, 4),
                    init: output.init,
                    written: written[i],
                    guarded: helpers && loaded[i],
                });
            }
        }
        let mut rest = MOST;
        for (array, direct) in shader.locals.iter().zip(locals) {
            let size = array.size as usize;
            let fits = direct && size <= rest;
            cells.locals.push(fits.then_some((cells.list.len(), array.size)));
            if fits {
                rest -= size;
                cells.list.extend((0..size).map(|_| Cell {
                    of: Of::Local,
                    ty: Type::new(array.scalar, 4),
                    init: [0; 4],
                    written: WriteMask::ALL,
                    guarded: false,
                }));
            }
        }
        cells
    }

    /// The promoted cell that an operation loads or stores directly.
    fn named(&self, op: Op) -> Option<usize> {
        match op {
            Op::LoadOutput(output) | Op::StoreOutput { output, .. } => {
                self.outputs.get(output.index()).copied().flatten()
            }
            Op::LoadLocal { array, index } | Op::StoreLocal { array, index, .. } => {
                let (first, size) = self.locals.get(array.index()).copied().flatten()?;
                (index < size).then_some(first + index as usize)
            }
            _ => None,
        }
    }
}

fn has_loop(region: &Region) -> bool {
    region.nodes.iter().any(|node| {
        let mut any = matches!(node, Node::Loop(_));
        node.for_each_region(|region| any = any || has_loop(region));
        any
    })
}

/// A node with regions, by its address.
type NodeKey = *const Node;

/// Notes for each node with regions which cells are stored to inside, in order.
fn stored(region: &Region, cells: &Cells, out: &mut BTreeMap<NodeKey, Vec<usize>>) -> Vec<usize> {
    let mut all = Vec::new();
    for node in &region.nodes {
        if let Node::Inst(Inst { op: op @ (Op::StoreOutput { .. } | Op::StoreLocal { .. }), .. }) = node {
            all.extend(cells.named(*op));
            continue;
        }
        let mut here = Vec::new();
        let mut regions = false;
        node.for_each_region(|region| {
            regions = true;
            here.extend(stored(region, cells, out));
        });
        if regions {
            here.sort_unstable();
            here.dedup();
            all.extend_from_slice(&here);
            out.insert(node, here);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

struct Frame {
    label: Label,
    /// The cells that are stored to inside.
    cells: Vec<usize>,
    /// Those that some exit so far leaves unstored.
    dirty: Vec<bool>,
}

struct Promote<'a, 'b> {
    rw: Rewrite<'a>,
    cells: &'b Cells,
    inside: &'b BTreeMap<NodeKey, Vec<usize>>,
    /// The lanes of each cell now.
    now: Vec<[Option<Place>; 4]>,
    /// Whether the real cell may hold something else.
    dirty: Vec<bool>,
    frames: Vec<Frame>,
}

impl<'a> Walk<'a> for Promote<'a, '_> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        match (inst.op, self.cells.named(inst.op)) {
            (Op::LoadOutput(_) | Op::LoadLocal { .. }, Some(cell)) => {
                if let Some(result) = inst.result {
                    for lane in 0..4u8 {
                        if let Some(place) = self.now[cell][usize::from(lane)] {
                            self.rw.put(result, lane, place);
                        }
                    }
                }
            }
            (Op::StoreOutput { mask, .. } | Op::StoreLocal { mask, .. }, Some(cell)) => {
                self.store(inst, cell, mask);
            }
            (op, _) => {
                if op == Op::Demote {
                    self.flush();
                }
                self.copy_inst(inst, op);
            }
        }
    }

    fn node(&mut self, node: &'a Node) -> bool {
        let inside = self.inside.get(&(node as NodeKey)).cloned().unwrap_or_default();
        match node {
            Node::If(of) => self.branch(of, inside),
            Node::Switch(of) => self.switch(of, inside),
            Node::Block(of) => self.block(of, inside),
            Node::Loop(of) => self.cycle(of, inside),
            Node::Idiom(of) if !inside.is_empty() => return self.splice(&of.body, &of.results),
            Node::Leave { label, values } => {
                let mut list = self.rw.args(*values);
                self.exit(*label, &mut list);
                let values = self.rw.b.list(&list);
                self.rw.b.node(Node::Leave { label: *label, values });
                return true;
            }
            Node::Again { label, values } => {
                self.flush();
                let mut list = self.rw.args(*values);
                let at = self.frames.iter().rposition(|f| f.label == *label);
                let cells = at.map(|at| self.frames[at].cells.clone()).unwrap_or_default();
                self.append(&cells, &mut list);
                let values = self.rw.b.list(&list);
                self.rw.b.node(Node::Again { label: *label, values });
                return true;
            }
            node => return self.copy_node(node),
        }
        false
    }
}

impl<'a> Promote<'a, '_> {
    fn set(&mut self, cell: usize, arg: Arg) {
        for (lane, place) in self.now[cell].iter_mut().enumerate() {
            *place = Some(Place { value: arg.value, lane: arg.swizzle.get(lane) });
        }
    }

    /// Some lanes of a cell.
    fn get(&mut self, cell: usize, mask: WriteMask) -> Arg {
        let mut places = Places::default();
        for lane in mask.lanes() {
            if let Some(place) = self.now[cell][lane] {
                places.push(place);
            }
        }
        self.rw.gather(&places)
    }

    fn store(&mut self, inst: &'a Inst, cell: usize, mask: WriteMask) {
        self.rw.b.follow(inst);
        self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
        let Some(&arg) = self.rw.from.args(inst.args).first() else { return };
        let mut new = self.rw.arg(arg);
        if self.cells.list[cell].guarded {
            let old = self.get(cell, mask);
            let helper = Arg::all_lanes(self.rw.b.push(Op::IsHelper, &[], Type::BOOL), 1);
            new = self.rw.b.pure(Pure::Select, &[helper, old, new]);
        }
        for (from, to) in mask.lanes().enumerate() {
            self.now[cell][to] = Some(Place { value: new.value, lane: new.swizzle.get(from) });
        }
        self.dirty[cell] = self.cells.list[cell].of != Of::Local;
    }

    /// Stores the cells that were changed.
    fn flush(&mut self) {
        self.rw.b.tail = None;
        self.rw.b.arith = vecasm_ir::ir::Arith::IEEE;
        for cell in 0..self.dirty.len() {
            let Of::Output(output) = self.cells.list[cell].of else { continue };
            if core::mem::take(&mut self.dirty[cell]) {
                let mask = self.cells.list[cell].written;
                let value = self.get(cell, mask);
                self.rw.b.effect(Op::StoreOutput { output, mask }, &[value]);
            }
        }
    }

    /// Appends the present values of cells.
    fn append(&mut self, cells: &[usize], list: &mut Vec<Arg>) {
        for &cell in cells {
            let value = self.get(cell, WriteMask::ALL);
            list.push(value);
        }
    }

    /// New values for cells, which they have from now on.
    fn fresh(&mut self, cells: &[usize], list: &mut Vec<Value>) {
        for &cell in cells {
            let ty = self.cells.list[cell].ty;
            let value = self.rw.b.value(ty, None);
            self.set(cell, Arg::all_lanes(value, ty.lanes));
            list.push(value);
        }
    }

    /// What a leave of a label gives beside its values.
    fn exit(&mut self, label: Label, list: &mut Vec<Arg>) {
        let Some(at) = self.frames.iter().rposition(|f| f.label == label) else { return };
        let cells = self.frames[at].cells.clone();
        self.append(&cells, list);
        for (to, from) in self.frames[at].dirty.iter_mut().zip(&self.dirty) {
            *to |= from;
        }
    }

    /// A region whose yields give the cells, too; and the cells that are unstored at its end, which is not reached
    /// if the region exits.
    fn arm(&mut self, region: &'a Region, cells: &[usize]) -> (Region, Vec<bool>) {
        let (now, dirty) = (self.now.clone(), self.dirty.clone());
        self.rw.b.open();
        let mut yields = Vec::new();
        let ended = self.nodes(region);
        if !ended {
            yields = self.rw.args(region.yields);
            self.append(cells, &mut yields);
        }
        let region = self.rw.b.close(&yields);
        self.now = now;
        let mut unstored = core::mem::replace(&mut self.dirty, dirty);
        if ended {
            unstored.fill(false);
        }
        (region, unstored)
    }

    /// The results of a node.
    fn after(&mut self, old: &[Value], cells: &[usize], unstored: Vec<bool>) -> Vec<Value> {
        let mut results = self.results(old);
        self.fresh(cells, &mut results);
        self.dirty = unstored;
        results
    }

    fn branch(&mut self, node: &'a If, cells: Vec<usize>) {
        let cond = self.rw.arg(node.cond);
        let (then, a) = self.arm(&node.then, &cells);
        let (otherwise, b) = self.arm(&node.otherwise, &cells);
        let results = self.after(&node.results, &cells, either(a, &b));
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
    }

    fn switch(&mut self, node: &'a Switch, inside: Vec<usize>) {
        let selector = self.rw.arg(node.selector);
        let mut unstored = vec![false; self.dirty.len()];
        let mut cases = Vec::with_capacity(node.cases.len());
        for (numbers, region) in &node.cases {
            let (region, dirty) = self.arm(region, &inside);
            unstored = either(unstored, &dirty);
            cases.push((numbers.clone(), region));
        }
        let (default, dirty) = self.arm(&node.default, &inside);
        let results = self.after(&node.results, &inside, either(unstored, &dirty));
        self.rw.b.node(Node::Switch(Box::new(Switch { selector, cases, default, results })));
    }

    fn block(&mut self, node: &'a Block, cells: Vec<usize>) {
        let label = node.label;
        self.frames.push(Frame { label, cells: cells.clone(), dirty: vec![false; self.dirty.len()] });
        let (body, dirty) = self.arm(&node.body, &cells);
        let left = self.frames.pop().map(|f| f.dirty).unwrap_or_default();
        let results = self.after(&node.results, &cells, either(dirty, &left));
        self.rw.b.node(Node::Block(Box::new(Block { label, body, results })));
    }

    fn cycle(&mut self, node: &'a Loop, cells: Vec<usize>) {
        self.flush();
        let label = node.label;
        let mut init = self.rw.args(node.init);
        self.append(&cells, &mut init);
        let init = self.rw.b.list(&init);
        let before = self.now.clone();
        let mut params = self.results(&node.params);
        self.fresh(&cells, &mut params);
        self.frames.push(Frame { label, cells: cells.clone(), dirty: vec![false; self.dirty.len()] });
        self.rw.b.open();
        let mut yields = Vec::new();
        if !self.nodes(&node.body) {
            self.flush();
            yields = self.rw.args(node.body.yields);
            self.append(&cells, &mut yields);
        }
        let body = self.rw.b.close(&yields);
        self.now = before;
        let left = self.frames.pop().map(|f| f.dirty).unwrap_or_default();
        let results = self.after(&node.results, &cells, left);
        self.rw.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
    }
}

fn either(mut a: Vec<bool>, b: &[bool]) -> Vec<bool> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
    a
}
