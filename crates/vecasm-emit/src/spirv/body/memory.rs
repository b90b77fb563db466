//! Memory that is addressed by bytes: buffers, and what a workgroup shares. Both are arrays of words; Vulkan leaves open
//! what happens outside, so every access asks whether it is inside.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{builtin, decoration, op, scope, semantics, storage};
use super::Body;
use crate::options::BindingKind;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Atomic, BufferKind, Inst, Memory, Op, Pick, Scalar, Stage, Type};
use vecasm_ir::operand::WriteMask;

/// An array of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    variable: Id,
    class: u32,
    /// How many there are, if the module says it; else the array is as long as what is bound.
    count: Option<u32>,
}

/// Whether an access is inside.
#[derive(Clone, Copy, Debug)]
enum Inside {
    Always,
    Never,
    If(Id),
}

/// What has to hold for an access beside that it is inside: nothing, or a condition.
type Guard = Option<Id>;

impl<'a> Body<'a> {
    /// The array that an operation means.
    fn words(&mut self, what: Op, memory: Memory, pick: Pick) -> Option<Words> {
        if pick != Pick::Fixed {
            let how = if pick == Pick::Handle { "a handle" } else { "a computed index" };
            self.refuse(rules::HANDLE, format!("`{}` selects a buffer by {how}", op_name(what)));
            return None;
        }
        match memory {
            Memory::Shared => Some(self.shared_words()),
            Memory::Buffer(id) => self.buffer(id.index()),
        }
    }

    /// The block of a buffer.
    fn buffer(&mut self, n: usize) -> Option<Words> {
        if let Some(Some(words)) = self.buffers.get(n) {
            return Some(*words);
        }
        let of = self.shader.buffers.get(n)?;
        let usage = self.uses.buffers.get(n).copied().unwrap_or_default();
        let first = match of.kind {
            // OpenGL has few numbers.
            BufferKind::Counter if self.options.environment.is_gl() => self.places.buffers.saturating_add(4),
            BufferKind::Uniform if self.options.environment.is_gl() => self.places.buffers.saturating_add(6),
            kind => self.places.first_buffer(kind),
        };
        let binding = first.saturating_add(of.slot);
        let write = usage.written;
        let (at, _) = self.bind(binding, &of.name, BindingKind::buffer(of, write, usage.atomic));
        let word = self.m.ty(Type::U32);
        let list = self.m.fresh_type(op::TYPE_RUNTIME_ARRAY, &[word]);
        self.m.decorate(list, &[decoration::ARRAY_STRIDE, 4]);
        let name = format!("{}_block", of.name);
        let (variable, class, _) = self.block(&[(list, 0)], crate::options::Space::Storage, &name, write);
        if write && self.uses.meets {
            self.m.decorate(variable, &[decoration::COHERENT]);
        }
        self.bound(at, variable, &of.name);
        let words = Words { variable, class, count: None };
        if let Some(slot) = self.buffers.get_mut(n) {
            *slot = Some(words);
        }
        Some(words)
    }

    /// What the workgroup shares.
    fn shared_words(&mut self) -> Words {
        let count = self.shader.setup.shared / 4;
        Words { variable: self.shared, class: storage::WORKGROUP, count: Some(count) }
    }

    /// Declares what the workgroup shares, if something uses it, and fills it with zeros.
    pub(super) fn begin_shared(&mut self) {
        if !self.uses.shared || self.shader.stage != Stage::Compute {
            return;
        }
        let count = (self.shader.setup.shared / 4).max(1);
        let word = self.m.ty(Type::U32);
        let of = self.m.array(word, count);
        // From Vulkan 1.3 on the driver does it.
        let zero = if self.m.since(6) { Some(self.m.null(of)) } else { None };
        self.shared = self.m.variable_with(storage::WORKGROUP, of, zero);
        self.m.name(self.shared, "shared");
        if zero.is_some() {
            return;
        }
        let (bool, pointer) = (self.m.ty(Type::BOOL), self.m.pointer(storage::WORKGROUP, word));
        let index = self.builtin(builtin::LOCAL_INVOCATION_INDEX, Type::U32, storage::INPUT);
        let first = self.load(word, index);
        let size = self.shader.setup.workgroup;
        let step = if size.contains(&0) {
            let all = self.workgroup_size();
            let [x, y, z] = [0, 1, 2].map(|axis| self.extract(Scalar::U32, all, axis));
            let xy = self.op(op::I_MUL, word, &[x, y]);
            self.op(op::I_MUL, word, &[xy, z])
        } else {
            self.m.uint(size.iter().product())
        };
        let [header, test, body, next, merge] = [(); 5].map(|()| self.m.id());
        let before = self.block;
        self.goto(header);
        self.label(header);
        let later = self.m.id();
        let at = self.op(op::PHI, word, &[first, before, later, next]);
        self.effect(op::LOOP_MERGE, &[merge, next, 0]);
        self.goto(test);
        self.label(test);
        let end = self.m.uint(count);
        let inside = self.op(op::U_LESS_THAN, bool, &[at, end]);
        self.effect(op::BRANCH_CONDITIONAL, &[inside, body, merge]);
        self.label(body);
        let place = self.op(op::ACCESS_CHAIN, pointer, &[self.shared, at]);
        let none = self.m.uint(0);
        self.store(place, none);
        self.goto(next);
        self.label(next);
        self.effect(op::I_ADD, &[word, later, at, step]);
        self.goto(header);
        self.label(merge);
        self.barrier();
    }

    /// The number of words there are.
    fn count(&mut self, words: Words) -> Id {
        match words.count {
            Some(count) => self.m.uint(count),
            None => {
                let ty = self.m.ty(Type::U32);
                self.op(op::ARRAY_LENGTH, ty, &[words.variable, 0])
            }
        }
    }

    /// The place of a word.
    fn word(&mut self, words: Words, index: Id) -> Id {
        let of = self.m.ty(Type::U32);
        let pointer = self.m.pointer(words.class, of);
        if words.class == storage::WORKGROUP {
            return self.op(op::ACCESS_CHAIN, pointer, &[words.variable, index]);
        }
        let first = self.m.int(0);
        self.op(op::ACCESS_CHAIN, pointer, &[words.variable, first, index])
    }

    /// The number of the word that lies at an offset, plus some.
    fn index(&mut self, offset: Arg, more: u32) -> (Id, Option<u32>) {
        if let Some(bits) = self.number(offset) {
            let at = (bits as u32 >> 2) + more;
            return (self.m.uint(at), Some(at));
        }
        let ty = self.m.ty(Type::U32);
        let (offset, two) = (self.arg(offset), self.m.uint(2));
        let at = self.op(op::SHIFT_RIGHT_LOGICAL, ty, &[offset, two]);
        (self.plus(at, more), None)
    }

    fn plus(&mut self, at: Id, more: u32) -> Id {
        if more == 0 {
            return at;
        }
        let (ty, more) = (self.m.ty(Type::U32), self.m.uint(more));
        self.op(op::I_ADD, ty, &[at, more])
    }

    /// Whether a word is inside.
    fn inside(&mut self, words: Words, (at, known): (Id, Option<u32>)) -> Inside {
        if let (Some(at), Some(count)) = (known, words.count) {
            return if at < count { Inside::Always } else { Inside::Never };
        }
        let count = self.count(words);
        let bool = self.m.ty(Type::BOOL);
        Inside::If(self.op(op::U_LESS_THAN, bool, &[at, count]))
    }

    /// A condition under which effects happen: a demotion that only a variable remembers ends them.
    pub(super) fn may_write(&mut self) -> Guard {
        if self.demoted == 0 || self.m.since(6) {
            return None;
        }
        let bool = self.m.ty(Type::BOOL);
        let demoted = self.load(bool, self.demoted);
        Some(self.op(op::LOGICAL_NOT, bool, &[demoted]))
    }

    /// Both conditions.
    fn guarded(&mut self, inside: Inside, guard: Guard) -> Inside {
        match (inside, guard) {
            (Inside::If(a), Some(b)) => {
                let bool = self.m.ty(Type::BOOL);
                Inside::If(self.op(op::LOGICAL_AND, bool, &[a, b]))
            }
            (Inside::Always, Some(b)) => Inside::If(b),
            (inside, _) => inside,
        }
    }

    /// Does something under a condition. Where it does not hold, the result is `otherwise`, which stands in front of it;
    /// 0 for no result.
    pub(super) fn only_if(
        &mut self,
        cond: Id,
        ty: Id,
        otherwise: Id,
        work: impl FnOnce(&mut Self) -> Id,
    ) -> Id {
        let (then, merge) = (self.m.id(), self.m.id());
        let before = self.block;
        self.effect(op::SELECTION_MERGE, &[merge, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[cond, then, merge]);
        let mark = self.taken.len();
        self.label(then);
        let there = work(self);
        let end = self.block;
        self.goto(merge);
        self.forget(mark);
        self.label(merge);
        if otherwise == 0 { 0 } else { self.op(op::PHI, ty, &[there, end, otherwise, before]) }
    }

    /// A value of memory, zero outside.
    fn value_of(&mut self, inside: Inside, ty: Type, work: impl FnOnce(&mut Self) -> Id) -> Id {
        let zero = self.m.splat(ty, 0);
        match inside {
            Inside::Always => work(self),
            Inside::Never => zero,
            Inside::If(cond) => {
                let of = self.m.ty(ty);
                self.only_if(cond, of, zero, work)
            }
        }
    }

    /// What an operation on memory gives; 0 if that is nothing.
    pub(super) fn on_memory(&mut self, inst: &Inst, args: &[Arg]) -> Id {
        match inst.op {
            Op::StoreMemory { memory, mask, pick } => {
                self.store_memory(inst.op, memory, mask, pick, args);
                0
            }
            Op::AtomicMemory { memory, atomic, pick } => {
                self.atomic_memory(inst.op, memory, atomic, pick, args)
            }
            Op::LoadMemory { .. } | Op::MemorySize { .. } => self.load_memory(inst, args),
            op => {
                self.cannot(op);
                0
            }
        }
    }

    fn load_memory(&mut self, inst: &Inst, args: &[Arg]) -> Id {
        match inst.op {
            Op::LoadMemory { memory, lanes, pick } => {
                let Some(words) = self.words(inst.op, memory, pick) else { return 0 };
                let Some(offset) = args.first().copied() else { return 0 };
                let (first, known) = self.index(offset, 0);
                let behind = u32::from(lanes.clamp(1, 4)) - 1;
                let last = match known {
                    Some(at) => (self.m.uint(at + behind), Some(at + behind)),
                    None => (self.plus(first, behind), None),
                };
                let inside = self.inside(words, last);
                let ty = Type::new(Scalar::U32, lanes.clamp(1, 4));
                self.value_of(inside, ty, |this| {
                    let one = this.m.ty(Type::U32);
                    let mut ids = Vec::with_capacity(4);
                    for lane in 0..=behind {
                        let at = match known {
                            Some(at) => this.m.uint(at + lane),
                            None if lane == behind => last.0,
                            None => this.plus(first, lane),
                        };
                        let place = this.word(words, at);
                        ids.push(this.load(one, place));
                    }
                    if let [only] = ids.as_slice() {
                        return *only;
                    }
                    let ty = this.m.ty(ty);
                    this.op(op::COMPOSITE_CONSTRUCT, ty, &ids)
                })
            }
            Op::MemorySize { memory: Memory::Shared, .. } => self.m.uint(self.shader.setup.shared),
            Op::MemorySize { memory, pick } => {
                let Some(words) = self.words(inst.op, memory, pick) else { return 0 };
                let (ty, two) = (self.m.ty(Type::U32), self.m.uint(2));
                let count = self.count(words);
                self.op(op::SHIFT_LEFT_LOGICAL, ty, &[count, two])
            }
            _ => 0,
        }
    }

    fn store_memory(&mut self, what: Op, memory: Memory, mask: WriteMask, pick: Pick, args: &[Arg]) {
        let Some(words) = self.words(what, memory, pick) else { return };
        let [offset, value, ..] = args else { return };
        let guard = self.may_write();
        for (n, lane) in mask.lanes().enumerate() {
            let at = self.index(*offset, lane as u32);
            let inside = self.inside(words, at);
            let inside = self.guarded(inside, guard);
            let id = self.lane(*value, n as u8);
            let write = |this: &mut Self| {
                let place = this.word(words, at.0);
                this.store(place, id);
                0
            };
            match inside {
                Inside::Always => drop(write(self)),
                Inside::Never => {}
                Inside::If(cond) => drop(self.only_if(cond, 0, 0, write)),
            }
        }
    }

    fn atomic_memory(&mut self, what: Op, memory: Memory, atomic: Atomic, pick: Pick, args: &[Arg]) -> Id {
        let Some(words) = self.words(what, memory, pick) else { return 0 };
        let [offset, operands @ ..] = args else { return 0 };
        let guard = self.may_write();
        let at = self.index(*offset, 0);
        let inside = self.inside(words, at);
        let inside = self.guarded(inside, guard);
        let operands: Vec<Id> =
            operands.iter().take(atomic.operands()).map(|operand| self.arg(*operand)).collect();
        self.value_of(inside, Type::U32, |this| {
            let place = this.word(words, at.0);
            let scope = if memory == Memory::Shared { scope::WORKGROUP } else { scope::DEVICE };
            this.atomic(atomic, place, Type::U32, scope, &operands)
        })
    }

    /// Changes the integer at a place and gives the old one. The operands are of its type.
    pub(super) fn atomic(&mut self, atomic: Atomic, place: Id, of: Type, scope: u32, operands: &[Id]) -> Id {
        let ty = self.m.ty(of);
        let (scope, relaxed) = (self.m.uint(scope), self.m.uint(semantics::RELAXED));
        let [value, ..] = *operands else { return 0 };
        let code = match atomic {
            Atomic::Add => op::ATOMIC_I_ADD,
            Atomic::MinUnsigned => op::ATOMIC_U_MIN,
            Atomic::MaxUnsigned => op::ATOMIC_U_MAX,
            Atomic::MinSigned => op::ATOMIC_S_MIN,
            Atomic::MaxSigned => op::ATOMIC_S_MAX,
            Atomic::And => op::ATOMIC_AND,
            Atomic::Or => op::ATOMIC_OR,
            Atomic::Xor => op::ATOMIC_XOR,
            Atomic::Exchange => op::ATOMIC_EXCHANGE,
            Atomic::CompareExchange => {
                let other = operands.get(1).copied().unwrap_or(value);
                let words = [place, scope, relaxed, relaxed, other, value];
                return self.op(op::ATOMIC_COMPARE_EXCHANGE, ty, &words);
            }
            Atomic::FloatAdd | Atomic::IncrementWrap | Atomic::DecrementWrap => {
                return self.tried(atomic, place, of, scope, value);
            }
        };
        self.op(code, ty, &[place, scope, relaxed, value])
    }

    /// What SPIR-V lacks is tried until nobody comes between.
    fn tried(&mut self, atomic: Atomic, place: Id, of: Type, scope: Id, value: Id) -> Id {
        let (ty, bool, relaxed) = (self.m.ty(of), self.m.ty(Type::BOOL), self.m.uint(semantics::RELAXED));
        let first = self.op(op::ATOMIC_LOAD, ty, &[place, scope, relaxed]);
        let [header, body, next, merge] = [(); 4].map(|()| self.m.id());
        let before = self.block;
        self.goto(header);
        self.label(header);
        let there = self.m.id();
        let old = self.op(op::PHI, ty, &[first, before, there, next]);
        self.effect(op::LOOP_MERGE, &[merge, next, 0]);
        self.goto(body);
        self.label(body);
        let (zero, one) = (self.m.splat(of, 0), self.m.splat(of, 1));
        let new = match atomic {
            Atomic::FloatAdd => {
                let float = self.m.ty(Type::F32);
                let a = self.op(op::BITCAST, float, &[old]);
                let b = self.op(op::BITCAST, float, &[value]);
                let sum = self.op(op::F_ADD, float, &[a, b]);
                self.op(op::BITCAST, ty, &[sum])
            }
            Atomic::IncrementWrap => {
                let more = self.op(op::I_ADD, ty, &[old, one]);
                let over = self.op(op::U_GREATER_THAN_EQUAL, bool, &[old, value]);
                self.op(op::SELECT, ty, &[over, zero, more])
            }
            _ => {
                let less = self.op(op::I_SUB, ty, &[old, one]);
                let none = self.op(op::I_EQUAL, bool, &[old, zero]);
                let over = self.op(op::U_GREATER_THAN, bool, &[old, value]);
                let wraps = self.op(op::LOGICAL_OR, bool, &[none, over]);
                self.op(op::SELECT, ty, &[wraps, value, less])
            }
        };
        self.effect(op::ATOMIC_COMPARE_EXCHANGE, &[ty, there, place, scope, relaxed, relaxed, new, old]);
        let done = self.op(op::I_EQUAL, bool, &[there, old]);
        self.effect(op::BRANCH_CONDITIONAL, &[done, merge, next]);
        self.label(next);
        self.goto(header);
        self.label(merge);
        old
    }

    /// The memory that barriers and fences are about.
    fn semantics(&mut self) -> Id {
        let mut bits = semantics::ACQUIRE_RELEASE | semantics::UNIFORM_MEMORY | semantics::IMAGE_MEMORY;
        if self.shader.stage == Stage::Compute {
            bits |= semantics::WORKGROUP_MEMORY;
        }
        self.m.uint(bits)
    }

    /// The group meets.
    pub(super) fn barrier(&mut self) {
        let group = self.m.uint(scope::WORKGROUP);
        let semantics = self.semantics();
        self.effect(op::CONTROL_BARRIER, &[group, group, semantics]);
    }

    /// What was written before is seen by what is read behind.
    pub(super) fn fence(&mut self) {
        let device = self.m.uint(scope::DEVICE);
        let semantics = self.semantics();
        self.effect(op::MEMORY_BARRIER, &[device, semantics]);
    }
}
