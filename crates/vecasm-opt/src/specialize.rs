//! State outside the shader, fixed.

use super::carry::uncarried;
use super::rewrite::Rewrite;
use super::walk::Walk;
use super::{clean, fold};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, Dim, Inst, Op, Pick, Shader, StateId, Type};
use vecasm_ir::operand::Swizzle;

/// Fixes some state values: they become constants, and leave the table; then constants are [folded](fold()) and what is
/// not needed any more is [dropped](clean()). State values that are not named, or do not exist, stay as they are.
///
/// A texture whose dimension is one of them ([`Texture::dim_by`](vecasm_ir::ir::Texture::dim_by)) gets it: coordinates,
/// gradients and offsets lose the lanes that do not count. A number that stands for none of 1d, 2d, 3d and cube
/// means the dimension that is assumed. The only state that stays in the table is that of the dimension of
/// textures that are chosen by a computed index among others of another dimension; its default becomes the fixed value.
///
/// The step table stays exact.
#[must_use]
pub fn specialize(shader: &Shader, fixed: &[(StateId, [u32; 4])]) -> Shader {
    let mut bits: Vec<Option<[u32; 4]>> = vec![None; shader.states.len()];
    for (id, value) in fixed {
        if let Some(slot) = bits.get_mut(id.index()) {
            *slot = Some(*value);
        }
    }
    let dims: Vec<Option<Dim>> = shader
        .textures
        .iter()
        .map(|t| {
            let value = bits.get(t.dim_by?.index()).copied().flatten()?;
            Some(dim_of(value[0]).unwrap_or(t.dim))
        })
        .collect();
    let open = open_textures(shader, &dims);
    // The new numbers of the states that stay.
    let mut kept = vec![false; bits.len()];
    for (texture, open) in shader.textures.iter().zip(&open) {
        if let (Some(by), true) = (texture.dim_by, open) {
            kept.get_mut(by.index()).into_iter().for_each(|kept| *kept = true);
        }
    }
    let mut next = 0;
    let numbers: Vec<Option<StateId>> = bits
        .iter()
        .zip(&kept)
        .map(|(fixed, kept)| {
            let stays = fixed.is_none() || *kept;
            stays.then(|| {
                next += 1;
                StateId(next - 1)
            })
        })
        .collect();
    let mut pass = Specialize { rw: Rewrite::new(shader), bits: &bits, numbers: &numbers };
    let new = &mut pass.rw.b.shader;
    new.states.clear();
    for ((state, number), value) in shader.states.iter().zip(&numbers).zip(&bits) {
        if number.is_some() {
            let mut state = state.clone();
            state.default = value.unwrap_or(state.default);
            new.states.push(state);
        }
    }
    for ((texture, dim), open) in new.textures.iter_mut().zip(&dims).zip(&open) {
        match dim {
            Some(dim) if !open => (texture.dim, texture.dim_by) = (*dim, None),
            _ => {
                let number = texture.dim_by.and_then(|by| numbers.get(by.index()).copied().flatten());
                texture.dim_by = number;
            }
        }
    }
    pass.nodes(&shader.body);
    clean(&fold(&pass.rw.b.finish()))
}

/// The dimensions that a state can give a texture, with the numbers that stand for them.
pub fn settled_dims() -> impl Iterator<Item = (usize, Dim)> {
    let all = Dim::ALL.iter().copied().enumerate();
    all.filter(|(_, dim)| matches!(dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube))
}

/// The dimension that a state value stands for.
fn dim_of(value: u32) -> Option<Dim> {
    settled_dims().find(|(number, _)| *number == value as usize).map(|(_, dim)| dim)
}

/// Gives textures the dimensions that states decide and nothing else reads, without a new shader: only lanes of coordinates go.
/// Tells whether that was all there is to fix; if not, the shader is as it was.
fn fix_dims(shader: &mut Shader, fixed: &[(StateId, [u32; 4])]) -> bool {
    let value = |id: StateId| fixed.iter().find(|(of, _)| *of == id).map(|(_, bits)| bits[0]);
    let before: Vec<_> = shader.textures.iter().map(|t| (t.dim, t.dim_by)).collect();
    for texture in &mut shader.textures {
        if let Some(bits) = texture.dim_by.and_then(value) {
            texture.dim = dim_of(bits).unwrap_or(texture.dim);
            texture.dim_by = None;
        }
    }
    let mut fits = true;
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::State(id) => fits &= value(id).is_none(),
        op => {
            let Some((_, pick)) = op.texture() else { return };
            let (takes, args) = (op.parameters(shader, &[]), shader.args(inst.args));
            let enough = takes.is_some_and(|takes| {
                let mut pairs = args.iter().zip(takes.iter());
                args.len() <= takes.len() && pairs.all(|(arg, wanted)| arg.lanes >= wanted.lanes)
            });
            fits &= pick == Pick::Fixed && enough;
        }
    });
    if !fits {
        for (texture, (dim, by)) in shader.textures.iter_mut().zip(before) {
            (texture.dim, texture.dim_by) = (dim, by);
        }
        return false;
    }
    let gone = |id: StateId| fixed.iter().filter(|(of, _)| *of < id).count() as u32;
    for texture in &mut shader.textures {
        texture.dim_by = texture.dim_by.map(|by| StateId(by.0 - gone(by)));
    }
    let mut body = core::mem::take(&mut shader.body);
    body.for_each_inst_mut(&mut |inst| match inst.op {
        Op::State(id) => inst.op = Op::State(StateId(id.0 - gone(id))),
        op if op.texture().is_some() => {
            let Some(takes) = op.parameters(shader, &[]) else { return };
            if takes.iter().zip(shader.args(inst.args)).all(|(wanted, arg)| arg.lanes == wanted.lanes) {
                return;
            }
            let Args { start, len } = inst.args;
            inst.args.start = shader.args.len() as u32;
            for (at, wanted) in (start..start + len).zip(takes.iter()) {
                let arg = shader.args[at as usize];
                shader.args.push(Arg { lanes: wanted.lanes, ..arg });
            }
        }
        _ => {}
    });
    shader.body = body;
    let mut at = 0;
    shader.states.retain(|_| {
        at += 1;
        value(StateId(at - 1)).is_none()
    });
    true
}

/// Fixes what a target language wants to know: the state values that are named, and the dimension of every texture that
/// a state decides, at its default where it is not named. Names that the shader lacks are passed over. What loops
/// carry round for nobody is dropped.
#[must_use]
pub fn settle(mut shader: Shader, given: &[(&str, [u32; 4])]) -> Shader {
    let mut fixed = Vec::new();
    for (n, state) in shader.states.iter().enumerate() {
        let id = StateId(n as u32);
        match given.iter().find(|(name, _)| *name == state.name) {
            Some((_, value)) => fixed.push((id, *value)),
            None if shader.textures.iter().any(|t| t.dim_by == Some(id)) => fixed.push((id, state.default)),
            None => {}
        }
    }
    if !fixed.is_empty() && !fix_dims(&mut shader, &fixed) {
        return specialize(&shader, &fixed);
    }
    // What a loop carries round for nobody stands in every language; elsewhere writers leave out what is not read.
    if shader.body.has_loop() {
        uncarried(&mut shader);
    }
    shader
}

/// Textures that are one of a run whose members would not have one dimension any more.
fn open_textures(shader: &Shader, dims: &[Option<Dim>]) -> Vec<bool> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if let Some((texture, Pick::Index { count })) = inst.op.texture() {
            let first = texture.index().min(dims.len());
            let run = (first, (first + usize::from(count)).min(dims.len()));
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    });
    let mut open = vec![false; dims.len()];
    // Runs may overlap, so opening one may open another.
    for _ in 0..=runs.len() {
        let mut changed = false;
        for &(first, end) in &runs {
            let mut members = (first..end).map(|t| if open[t] { None } else { Some(dims[t]) });
            let one = members.next();
            if !members.all(|m| Some(m) == one) {
                changed |= (first..end).any(|t| dims[t].is_some() && !open[t]);
                open[first..end].fill(true);
            }
        }
        if !changed {
            break;
        }
    }
    open
}

struct Specialize<'a, 'b> {
    rw: Rewrite<'a>,
    bits: &'b [Option<[u32; 4]>],
    numbers: &'b [Option<StateId>],
}

impl<'a> Walk<'a> for Specialize<'a, '_> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        match inst.op {
            Op::State(id) => match (self.bits.get(id.index()).copied().flatten(), inst.result) {
                (Some(bits), Some(result)) => {
                    let ty = self.rw.from.value(result).ty;
                    let mut own = [0; 4];
                    own.iter_mut().zip(bits).take(usize::from(ty.lanes)).for_each(|(to, from)| *to = from);
                    if ty.scalar == vecasm_ir::ir::Scalar::Bool {
                        own = own.map(|bits| u32::from(bits != 0));
                    }
                    let value = self.rw.constant(own, ty);
                    self.rw.put_whole(result, value.value);
                }
                _ => {
                    let number = self.numbers.get(id.index()).copied().flatten().unwrap_or(id);
                    self.copy_inst(inst, Op::State(number));
                }
            },
            op if op.texture().is_some() => self.texture(inst),
            op => self.copy_inst(inst, op),
        }
    }
}

impl<'a> Specialize<'a, '_> {
    /// Copies an operation on a texture with the lanes that its new dimension takes.
    fn texture(&mut self, inst: &'a Inst) {
        self.rw.b.follow(inst);
        self.rw.b.arith = inst.arith;
        let mut args = self.rw.args(inst.args);
        if let Some(wanted) = inst.op.parameters(&self.rw.b.shader, &[]) {
            for (arg, wanted) in args.iter_mut().zip(wanted.iter()) {
                *arg = self.fitted(*arg, *wanted);
            }
        }
        if let Some(result) = inst.result {
            let new = self.rw.b.push(inst.op, &args, self.rw.from.value(result).ty);
            self.rw.keep_home(result, new);
            self.rw.put_whole(result, new);
        }
        self.rw.done(args);
    }

    /// An argument with the lanes of a type: those behind are dropped, those that are missing are zero.
    fn fitted(&mut self, arg: Arg, wanted: Type) -> Arg {
        if arg.lanes >= wanted.lanes {
            return Arg { lanes: wanted.lanes, ..arg };
        }
        let zero = self.rw.zero(Type::new(wanted.scalar, 1));
        let rest = Arg { swizzle: Swizzle::splat(0), lanes: wanted.lanes - arg.lanes, ..zero };
        Arg::all_lanes(self.rw.b.push(Op::Compose, &[arg, rest], wanted), wanted.lanes)
    }
}
