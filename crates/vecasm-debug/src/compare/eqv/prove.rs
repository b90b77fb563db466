//! Both shaders as one graph of expressions.
//!
//! The outputs of a shader without loops are expressions of its inputs, lane by lane. Equal expressions get one number
//! (value numbering), so that names of registers, order, copies, dead code and split masks leave no trace, and exact
//! identities are seen: [`forms`](super::forms). If every
//! output of both shaders has the same number, they do the same. What is not understood (loops, exits, arrays written
//! with computed indices, memory) proves nothing; then the IR may still be the same as it stands.

use super::domain::of_state;
use super::forms::{Forms, Id, Key, arithmetic, code, tells_nan_apart};
use super::interface::Interface;
use super::{Options, Proof};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use vecasm_ir::ir::op::{Place, constant_lane};
use vecasm_ir::ir::{Arg, Args, Arith, Inst, Node, Op, OutOfRange, Pure, Region, Scalar, Shader, Value};
use vecasm_opt::{Unroll, clean, fold, promote, relax, unroll};

/// Rounds of the passes.
const ROUNDS: usize = 4;

/// Whether two shaders can be shown to do the same.
pub(super) fn prove(a: &Shader, b: &Shader, interface: &Interface, options: &Options) -> Option<Proof> {
    let straight = interface.inputs.iter().map(|m| m.ids).all(|[x, y]| x == y)
        && interface.outputs.iter().map(|m| m.ids).all(|[x, y]| x == y)
        && interface.textures.iter().map(|m| m.ids).all(|[x, y]| x == y)
        && interface.states.iter().map(|m| m.ids).all(|[x, y]| x == y)
        && interface.constants.iter().map(|e| e.places).all(|[x, y]| x == y);
    if straight && nameless(a) == nameless(b) {
        return Some(Proof::SameIr);
    }
    let plain = [plain(a), plain(b)];
    if straight && nameless(&plain[0]) == nameless(&plain[1]) {
        return Some(Proof::SameIr);
    }
    let loose = !options.tolerance.nan_bits && !plain.iter().any(tells_nan_apart);
    let mut graph = Graph::new(interface, Forms::new(interface, options.range, loose));
    let first = graph.run(0, &plain[0])?;
    let second = graph.run(1, &plain[1])?;
    let outputs = interface.outputs.iter().all(|output| {
        let [Some(x), Some(y)] = output.ids else { return false };
        let (Some(x), Some(y)) = (first.outputs.get(x), second.outputs.get(y)) else { return false };
        (0..4).filter(|lane| output.lanes >> lane & 1 == 1).all(|lane| x[lane] == y[lane])
    });
    (outputs && first.killed == second.killed).then_some(Proof::SameExpressions)
}

/// A shader without its steps, as simple as the passes make it.
fn plain(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    vecasm_ir::ir::steps::strip(&mut shader);
    let mut shader = clean(&unroll(&promote(&shader), Unroll::default()));
    for _ in 0..ROUNDS {
        let next = clean(&fold(&shader));
        if next == shader {
            break;
        }
        shader = next;
    }
    relax(&shader, true).unwrap_or(shader)
}

/// A shader without what only names things.
fn nameless(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    vecasm_ir::ir::steps::strip(&mut shader);
    shader.isa = "".into();
    shader.files.clear();
    shader.registers.clear();
    for value in &mut shader.values {
        value.home = None;
    }
    for input in &mut shader.inputs {
        input.name.clear();
        input.semantic.clear();
    }
    for output in &mut shader.outputs {
        output.name.clear();
        output.semantic.clear();
    }
    for array in &mut shader.params {
        array.name.clear();
    }
    for texture in &mut shader.textures {
        texture.name.clear();
    }
    forget(&mut shader.body);
    shader
}

fn forget(region: &mut Region) {
    for node in &mut region.nodes {
        if let Node::Inst(inst) = node {
            inst.step = 0;
            inst.tail = None;
        }
        node.for_each_region_mut(forget);
    }
}

/// What a shader leaves.
#[derive(Clone)]
struct State {
    outputs: Vec<[Id; 4]>,
    /// The conditions that kill, each once at the end, in the order of their numbers: if one of them holds.
    killed: Vec<Id>,
}

struct Graph<'a> {
    interface: &'a Interface,
    /// For each shader, which of the interface's constants an element of an array is.
    constants: [BTreeMap<(usize, u32), usize>; 2],
    forms: Forms,
}

impl Deref for Graph<'_> {
    type Target = Forms;

    fn deref(&self) -> &Forms {
        &self.forms
    }
}

impl DerefMut for Graph<'_> {
    fn deref_mut(&mut self) -> &mut Forms {
        &mut self.forms
    }
}

/// One shader being read.
struct Reading<'a> {
    side: usize,
    shader: &'a Shader,
    lanes: BTreeMap<Value, Vec<Id>>,
    /// Branches around.
    depth: usize,
}

impl<'a> Graph<'a> {
    fn new(interface: &'a Interface, forms: Forms) -> Self {
        let constants = [0, 1].map(|side| {
            let elements = interface.constants.iter().enumerate();
            elements.filter_map(|(n, element)| Some((element.places[side]?, n))).collect()
        });
        Self { interface, constants, forms }
    }

    fn run(&mut self, side: usize, shader: &Shader) -> Option<State> {
        if shader.serial || shader.outputs.iter().any(|o| o.carried) {
            return None;
        }
        let mut state = State { outputs: Vec::with_capacity(shader.outputs.len()), killed: Vec::new() };
        for output in &shader.outputs {
            let mut lanes = [0; 4];
            for (lane, id) in lanes.iter_mut().enumerate() {
                let key = Key::Const(code(output.scalar), u64::from(output.init[lane]));
                *id = self.number(key, output.scalar)?;
            }
            state.outputs.push(lanes);
        }
        let mut reading = Reading { side, shader, lanes: BTreeMap::new(), depth: 0 };
        self.region(&mut reading, &shader.body, &mut state)?;
        // The conditions make one set, whatever their order.
        let always = self.truth(true)?;
        let never = self.truth(false)?;
        state.killed.retain(|id| *id != never);
        state.killed.sort_unstable();
        state.killed.dedup();
        if state.killed.contains(&always) {
            state.killed = vec![always];
        }
        Some(state)
    }

    fn region(&mut self, r: &mut Reading<'_>, region: &Region, state: &mut State) -> Option<()> {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    let args = self.args(r, inst.args)?;
                    let lanes = self.inst(r, inst, &args, state)?;
                    if let Some(value) = inst.result {
                        r.lanes.insert(value, lanes);
                    }
                }
                Node::Idiom(node) => {
                    self.region(r, &node.body, state)?;
                    let yields = self.args(r, node.body.yields)?;
                    r.lanes.extend(node.results.iter().copied().zip(yields));
                }
                Node::If(node) => {
                    let cond = *self.arg(r, node.cond)?.first()?;
                    let before = core::mem::take(&mut state.killed);
                    let mut other = state.clone();
                    r.depth += 1;
                    self.region(r, &node.then, state)?;
                    let then = self.args(r, node.then.yields)?;
                    self.region(r, &node.otherwise, &mut other)?;
                    let otherwise = self.args(r, node.otherwise.yields)?;
                    r.depth -= 1;
                    for ((&result, x), y) in node.results.iter().zip(then).zip(otherwise) {
                        let lanes = x.into_iter().zip(y).map(|(x, y)| self.either(cond, x, y));
                        let lanes: Option<Vec<Id>> = lanes.collect();
                        r.lanes.insert(result, lanes?);
                    }
                    for (x, y) in state.outputs.iter_mut().zip(other.outputs) {
                        for (x, y) in x.iter_mut().zip(y) {
                            *x = self.either(cond, *x, y)?;
                        }
                    }
                    // What kills in one arm does so where its condition holds.
                    let never = self.truth(false)?;
                    let then = core::mem::replace(&mut state.killed, before);
                    let both = then.into_iter().map(|id| [id, never]);
                    let both = both.chain(other.killed.into_iter().map(|id| [never, id]));
                    for [x, y] in both {
                        let id = self.either(cond, x, y)?;
                        state.killed.push(id);
                    }
                }
                Node::Block(_)
                | Node::Loop(_)
                | Node::Switch(_)
                | Node::Leave { .. }
                | Node::Again { .. } => {
                    return None;
                }
            }
        }
        Some(())
    }

    fn args(&self, r: &Reading<'_>, args: Args) -> Option<Vec<Vec<Id>>> {
        r.shader.args(args).iter().map(|&arg| self.arg(r, arg)).collect()
    }

    fn arg(&self, r: &Reading<'_>, arg: Arg) -> Option<Vec<Id>> {
        let lanes = r.lanes.get(&arg.value)?;
        (0..usize::from(arg.lanes)).map(|i| lanes.get(usize::from(arg.swizzle.get(i))).copied()).collect()
    }

    /// The lanes of what an instruction gives.
    fn inst(&mut self, r: &Reading<'_>, inst: &Inst, args: &[Vec<Id>], state: &mut State) -> Option<Vec<Id>> {
        let &Inst { op, arith, result, args: list, .. } = inst;
        let ty = result.map(|value| r.shader.value(value).ty);
        let lanes = ty.map_or(0, |ty| usize::from(ty.lanes));
        let scalar = ty.map_or(Scalar::Bool, |ty| ty.scalar);
        let side = r.side;
        match op {
            Op::Const(bits) => (0..lanes)
                .map(|lane| self.number(Key::Const(code(scalar), constant_lane(bits, scalar, lane)), scalar))
                .collect(),
            Op::Compose => Some(args.concat()),
            Op::Input(id) => {
                let place = self.interface.inputs.iter().position(|m| m.ids[side] == Some(id.index()));
                let fixed = place.and_then(|n| self.interface.inputs.get(n)?.fixed);
                // One that the interface lacks is one that nobody sees.
                let place = place.unwrap_or(usize::MAX - (id.index() * 2 + side));
                self.given(lanes, scalar, fixed, |lane| Key::Input(place, lane))
            }
            Op::Param { array, index } => {
                let place = self.constants[side].get(&(array.index(), index)).copied();
                if let Some(state) = place.and_then(|n| self.interface.constants.get(n)?.state) {
                    return self.held(state, lanes, scalar);
                }
                let fixed = place.and_then(|n| self.interface.constants.get(n)?.fixed);
                let place = place.unwrap_or(usize::MAX - (index as usize * 2 + side));
                self.given(lanes, scalar, fixed, |lane| Key::Constant(place, lane))
            }
            Op::State(id) => {
                let here = |m: &super::Matched| m.ids[side] == Some(id.index());
                let place = self.interface.states.iter().position(here);
                match place {
                    Some(n) => {
                        let fixed = self.interface.states.get(n).and_then(|state| state.fixed);
                        self.given(lanes, scalar, fixed, |lane| Key::State(n, lane))
                    }
                    None => {
                        let default = r.shader.states.get(id.index())?.default;
                        self.given(lanes, scalar, Some(default), |lane| Key::Default(default, lane))
                    }
                }
            }
            Op::ParamAt { array, offset, rule } => {
                let (array, offset) = self.same_array(r, array.index(), offset)?;
                let rule = match rule {
                    OutOfRange::Zero | OutOfRange::Undefined => 0,
                    OutOfRange::Clamp => 1,
                };
                let index = *args.first()?.first()?;
                (0..lanes as u8)
                    .map(|lane| self.number(Key::At(array, offset, rule, index, lane), scalar))
                    .collect()
            }
            Op::Pure(pure) => {
                let of = pure.scalar(&self.types(r, list));
                if pure.reduces() {
                    return Some(vec![self.reduce(pure, arith, of, args, scalar)?]);
                }
                (0..lanes)
                    .map(|lane| {
                        // The condition of a selection may serve all lanes.
                        let pick = |arg: &Vec<Id>| arg.get(lane).or(arg.first()).copied();
                        let ids: Option<Vec<Id>> = args.iter().map(pick).collect();
                        self.pure(pure, arith, of, ids?, scalar)
                    })
                    .collect()
            }
            Op::Sample { texture, .. }
            | Op::TextureSize { texture, .. }
            | Op::TextureLod { texture, .. }
            | Op::Fetch { texture, .. }
            | Op::Gather { texture, .. } => {
                if r.depth > 0 && op.needs_quad() {
                    return None;
                }
                let place =
                    self.interface.textures.iter().position(|m| m.ids[side] == Some(texture.index()))?;
                let of = r.shader.textures.get(texture.index())?;
                let word = other(op);
                let words = alloc::format!("{word:?} {place} {:?} {:?} {}", of.dim, of.sampler, of.compare);
                self.other(words, args, lanes, scalar)
            }
            Op::Ddx(_) | Op::Ddy(_) => {
                if r.depth > 0 {
                    return None;
                }
                let words = alloc::format!("{op:?} {:?}", arithmetic(arith));
                (0..lanes)
                    .map(|lane| {
                        let arg = vec![vec![*args.first()?.get(lane)?]];
                        self.number(Key::Other(words.clone(), arg, 0), scalar)
                    })
                    .collect()
            }
            Op::LoadOutput(id) => Some(state.outputs.get(id.index())?.to_vec()),
            Op::StoreOutput { output, mask } => {
                let cell = state.outputs.get_mut(output.index())?;
                for (from, lane) in mask.lanes().enumerate() {
                    cell[lane] = *args.first()?.get(from)?;
                }
                Some(Vec::new())
            }
            Op::Demote => {
                // One that any of several conditions kills is killed by each of them.
                state.killed.extend(self.alternatives(*args.first()?.first()?));
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// Lanes of a constant that holds a state.
    fn held(&mut self, state: usize, lanes: usize, scalar: Scalar) -> Option<Vec<Id>> {
        let of = self.interface.states.get(state)?;
        let (own, fixed) = (of.scalar, of.fixed);
        let fixed = fixed.map(|bits| bits.map(|bits| of_state(bits, own, scalar)));
        if fixed.is_some() || own == scalar {
            return self.given(lanes, scalar, fixed, |lane| Key::State(state, lane));
        }
        let held = self.given(lanes, own, None, |lane| Key::State(state, lane))?;
        let pure = if scalar == Scalar::F32 { Pure::ToF32 } else { return None };
        held.into_iter().map(|id| self.pure(pure, Arith::IEEE, own, vec![id], scalar)).collect()
    }

    fn given(
        &mut self,
        lanes: usize,
        scalar: Scalar,
        fixed: Option<[u32; 4]>,
        key: impl Fn(u8) -> Key,
    ) -> Option<Vec<Id>> {
        (0..lanes)
            .map(|lane| {
                let key = match fixed {
                    Some(bits) => Key::Const(code(scalar), u64::from(bits[lane & 3])),
                    None => key(lane as u8),
                };
                self.number(key, scalar)
            })
            .collect()
    }

    /// An array that is the same element by element in both shaders, by its number in the first one, and the offset there.
    fn same_array(&self, r: &Reading<'_>, array: usize, offset: i32) -> Option<(usize, i32)> {
        let side = r.side;
        let elements = || {
            self.interface.constants.iter().filter(move |e| e.places[side].is_some_and(|(a, _)| a == array))
        };
        if let Some(shared) = self.interface.shared {
            // What is beyond is never read.
            let offset = shared.offset(side, array, offset)?;
            let free = elements().all(|e| {
                let shared = e.indexed && !e.places.contains(&None);
                !shared || (e.fixed.is_none() && e.state.is_none())
            });
            return free.then_some((shared.arrays[0], offset));
        }
        let first = elements().next()?.places[0]?.0;
        let straight = elements().all(|e| match e.places {
            [Some((x, i)), Some((_, j))] => x == first && i == j && e.fixed.is_none() && e.state.is_none(),
            _ => false,
        });
        straight.then_some((first, offset))
    }

    fn types(&self, r: &Reading<'_>, args: Args) -> Vec<vecasm_ir::ir::Type> {
        r.shader.args(args).iter().map(|&arg| r.shader.arg_type(arg)).collect()
    }

    fn other(&mut self, words: String, args: &[Vec<Id>], lanes: usize, scalar: Scalar) -> Option<Vec<Id>> {
        (0..lanes as u8)
            .map(|lane| self.number(Key::Other(words.clone(), args.to_vec(), lane), scalar))
            .collect()
    }
}

/// A texture operation without the number of its texture.
fn other(op: Op) -> Op {
    op.on(Place::Texture(vecasm_ir::ir::TextureId(0)), op.parts().element).unwrap_or(op)
}
