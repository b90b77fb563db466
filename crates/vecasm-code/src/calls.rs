//! Operations that one target alone has, and that are told to it as they are: memory, images, vertices, what groups of invocations
//! exchange, 64-bit values.
//!
//! Their lanes are words, two for each 64-bit value, and both stand side by side in a register.

use crate::graph::{Action, Call, Def, LaneId, Reader};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Arith, BufferKind, Inst, Memory, Op, Pick, Pure, Scalar};

/// Whether an operation that acts gives nothing but what it reads: where nobody wants that, it need not be done.
pub(crate) const fn only_reads(op: &Op) -> bool {
    matches!(
        op,
        Op::LoadMemory { .. }
            | Op::LoadImage { .. }
            | Op::Vote(_)
            | Op::Ballot
            | Op::ReadFirst
            | Op::ReadInvocation
            | Op::IsHelper
            | Op::Framebuffer { .. }
    )
}

impl Reader<'_, '_> {
    /// Reads an operation of those; `false` if it is another one, or the target has none.
    pub(crate) fn call(&mut self, inst: &Inst, args: &[Arg], actions: &mut Vec<Action>) -> bool {
        if !self.machine.has_calls {
            return false;
        }
        let ty = inst.result.map(|value| self.shader.value(value).ty);
        let scalar = ty.map_or(Scalar::F32, |ty| ty.scalar);
        let count = ty.map_or(0, |ty| ty.lanes);
        let lanes: Vec<Vec<LaneId>> = args.iter().map(|arg| self.lanes_of(arg)).collect();
        let (acts, args) = match inst.op {
            Op::Const(bits) if scalar.is_wide() => {
                let words: Vec<LaneId> = bits
                    .iter()
                    .take(2 * usize::from(count))
                    .map(|&of| self.number(of, Scalar::U32))
                    .collect();
                self.set(inst.result, &words);
                return true;
            }
            Op::Compose if scalar.is_wide() => {
                self.set(inst.result, &lanes.concat());
                return true;
            }
            Op::Pure(op) => {
                let over = op.scalar_of(self.shader, args);
                if !over.is_wide() && !scalar.is_wide() {
                    return false;
                }
                let words = self.wide(op, over, scalar, lanes, actions);
                self.set(inst.result, &words);
                return true;
            }
            Op::InputOf { first, at: None } => {
                let vertex = lanes.first().and_then(|of| self.graph.number(*of.first()?));
                let Some(vertex) = vertex.and_then(|vertex| u16::try_from(vertex).ok()) else { return false };
                let words: Vec<LaneId> = (0..count)
                    .map(|lane| self.define(Def::Vertex { input: first, vertex, lane }, scalar).0)
                    .collect();
                self.set(inst.result, &words);
                return true;
            }
            Op::EmitVertex { stream } | Op::EndPrimitive { stream } => {
                (true, vec![vec![self.number(stream.into(), Scalar::U32)]])
            }
            Op::StoreMemory { memory, mask, pick: Pick::Fixed } if self.is_plain(memory) => {
                // Words stand in the lanes that they go to.
                let [at, value] = &lanes[..] else { return false };
                let mut value = value.iter().copied();
                let mut words = Vec::new();
                for lane in 0..4 {
                    words.push(if mask.has(lane) { value.next() } else { None });
                }
                while words.last() == Some(&None) {
                    words.pop();
                }
                let any = words.iter().flatten().next().copied().unwrap_or(at[0]);
                (true, vec![at.clone(), words.into_iter().map(|word| word.unwrap_or(any)).collect()])
            }
            Op::LoadMemory { memory, pick: Pick::Fixed, .. }
            | Op::AtomicMemory { memory, pick: Pick::Fixed, .. }
                if self.is_plain(memory) =>
            {
                (true, lanes)
            }
            Op::MemorySize { memory, pick: Pick::Fixed } if self.is_plain(memory) => (false, lanes),
            Op::LoadImage { image, pick: Pick::Fixed }
            | Op::StoreImage { image, pick: Pick::Fixed }
            | Op::AtomicImage { image, pick: Pick::Fixed, .. } => {
                let mut lanes = lanes;
                let several =
                    self.shader.images.get(image.index()).is_some_and(|image| image.dim.multisampled());
                if several {
                    // The sample is the fourth lane of the place.
                    let sample = lanes.remove(1);
                    let first = lanes[0][0];
                    lanes[0].resize(3, first);
                    lanes[0].extend(sample);
                }
                (true, lanes)
            }
            Op::ImageSize { pick: Pick::Fixed, .. } | Op::Interpolate { .. } => (false, lanes),
            Op::Barrier
            | Op::Fence
            | Op::Vote(_)
            | Op::Ballot
            | Op::ReadFirst
            | Op::ReadInvocation
            | Op::IsHelper
            | Op::Clock
            | Op::Framebuffer { .. } => (true, lanes),
            _ => return false,
        };
        let words = self.call_of(inst.op, scalar, scalar, args, count, acts, actions);
        self.set(inst.result, &words);
        true
    }

    /// Whether the instruction names the byte that is meant.
    fn is_plain(&self, memory: Memory) -> bool {
        match memory {
            Memory::Shared => true,
            Memory::Buffer(id) => {
                self.shader.buffers.get(id.index()).is_some_and(|buffer| buffer.kind != BufferKind::Counter)
            }
        }
    }

    /// A call; the words that it gives.
    #[allow(clippy::too_many_arguments, reason = "the fields of what is made")]
    fn call_of(
        &mut self,
        op: Op,
        over: Scalar,
        gives: Scalar,
        args: Vec<Vec<LaneId>>,
        words: u8,
        acts: bool,
        actions: &mut Vec<Action>,
    ) -> Vec<LaneId> {
        let call = Call { op, scalar: over, gives, args, words, acts, results: Vec::new(), step: self.step };
        let number = self.graph.number_of_call(call);
        let scalar = if gives.is_wide() { Scalar::U32 } else { gives };
        let made: Vec<(LaneId, bool)> =
            (0..words).map(|lane| self.define(Def::Called { call: number, lane }, scalar)).collect();
        if acts {
            self.graph.calls[number as usize].results = made.iter().map(|(lane, _)| *lane).collect();
            actions.push(Action::Call(number));
        } else {
            let new: Vec<LaneId> = made.iter().filter(|(_, new)| *new).map(|(lane, _)| *lane).collect();
            if !new.is_empty() {
                actions.push(Action::Pack(new));
            }
        }
        made.into_iter().map(|(lane, _)| lane).collect()
    }

    /// A pure operation on 64-bit values, or that gives such: the words of its result.
    fn wide(
        &mut self,
        op: Pure,
        over: Scalar,
        gives: Scalar,
        args: Vec<Vec<LaneId>>,
        actions: &mut Vec<Action>,
    ) -> Vec<LaneId> {
        match (op, &args[..]) {
            (Pure::Pack64, [low, high]) => {
                return low.iter().zip(high).flat_map(|(low, high)| [*low, *high]).collect();
            }
            (Pure::Low64, [words]) => return words.iter().copied().step_by(2).collect(),
            (Pure::High64, [words]) => return words.iter().copied().skip(1).step_by(2).collect(),
            (Pure::AsF64 | Pure::AsI64 | Pure::AsU64, [words]) => return words.clone(),
            (Pure::Select, [which, yes, no]) => {
                let which: Vec<LaneId> = (0..yes.len())
                    .map(|n| which.get(n / 2).or(which.first()).copied().unwrap_or(yes[0]))
                    .collect();
                let of = [which, yes.clone(), no.clone()];
                return self.each(op, Arith::IEEE, Scalar::U32, Scalar::U32, &of, actions);
            }
            _ => {}
        }
        // What an argument has for each value.
        let width = |n: usize| if is_pair(op, n, over) { 2 } else { 1 };
        let values = args.first().map_or(0, |words| words.len() / width(0));
        let whole = over.is_wide() && gives.is_wide();
        // Comparisons and conversions of several values have their own ideas of lanes.
        let at_once = if whole { values } else { 1 };
        let mut out = Vec::new();
        for first in (0..values).step_by(at_once.max(1)) {
            let part = |n: usize, words: &Vec<LaneId>| -> Vec<LaneId> {
                let width = width(n);
                words.iter().copied().skip(first * width).take(at_once * width).collect()
            };
            let args: Vec<Vec<LaneId>> = args.iter().enumerate().map(|(n, words)| part(n, words)).collect();
            let words = (at_once * if gives.is_wide() { 2 } else { 1 }) as u8;
            let (op, args) = self.joined(op, over, args);
            out.extend(self.call_of(Op::Pure(op), over, gives, args, words, false, actions));
        }
        out
    }

    /// An operation with what it is made of, where one instruction does both: a sum has the factors of a product, and what is added to
    /// that; the reciprocal of a root is `rsq` of its argument.
    fn joined(&self, op: Pure, over: Scalar, args: Vec<Vec<LaneId>>) -> (Pure, Vec<Vec<LaneId>>) {
        match (op, over, &args[..]) {
            (Pure::Add, Scalar::F64, [a, b]) => {
                for (product, rest) in [(a, b), (b, a)] {
                    if let Some([x, y]) = self.wide_args(Pure::Mul, product) {
                        return (op, vec![x.clone(), y.clone(), rest.clone()]);
                    }
                }
            }
            (Pure::Rcp, Scalar::F64, [root]) => {
                if let Some([x]) = self.wide_args(Pure::Sqrt, root) {
                    return (Pure::Rsq, vec![x.clone()]);
                }
            }
            _ => {}
        }
        (op, args)
    }

    /// The arguments of an operation on 64-bit values whose whole result some words are.
    fn wide_args<const N: usize>(&self, op: Pure, words: &[LaneId]) -> Option<&[Vec<LaneId>; N]> {
        let made = |word: &LaneId| match self.graph.lane(*word).def {
            Def::Called { call, lane } => Some((call, usize::from(lane))),
            _ => None,
        };
        let (call, _) = made(words.first()?)?;
        let own = &self.graph.calls[call as usize];
        let all = words.len() == usize::from(own.words)
            && words.iter().enumerate().all(|(n, word)| made(word) == Some((call, n)));
        if own.op == Op::Pure(op) && all { own.args.as_slice().try_into().ok() } else { None }
    }
}

/// Whether an argument of an operation on 64-bit values is such values.
fn is_pair(op: Pure, n: usize, over: Scalar) -> bool {
    match op.slots().get(n).and_then(|slot| slot.fixed()) {
        Some(scalar) => scalar.is_wide(),
        None => over.is_wide(),
    }
}
