//! Lanes that Rust computes: operations that no instructions are generated for, and rare arguments of the others.

use super::fetch::{Fetch, MOST_LANES};
use super::frame::{ANSWERS, SAVED_MASKS};
use super::isa::Isa;
use super::mir::Program;
use core::ffi::c_void;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vecasm_ir::ir::op::MAX_ARITY;
use vecasm_ir::ir::{Arith, Op, Pure, Scalar};
use vecasm_ir::math::nv20;
use vecasm_ir::operand::WriteMask;

/// What is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Computation {
    /// A pure operation. Bools are masks.
    Pure(Pure, Scalar, Arith),
    /// A reduction over so many lanes; those of the second argument stand behind those of the first.
    Reduce(Pure, Scalar, Arith, usize),
    /// A sum by the arithmetic of nv20. Terms whose bit is set are products, of two words each.
    Nv20Sum { terms: u8, products: u8 },
    /// An operation on a texture; for each of its arguments the number of lanes, which follow one another.
    Texture(Op, [u8; 5]),
    /// Writes lanes of an element of a parameter array, whose number is the first argument; one invocation does.
    StoreParam(usize, WriteMask),
    /// Panics.
    #[cfg(test)]
    Panic,
}

/// Where a value is while Rust runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A vector register.
    Vector(u32),
    /// A mask register.
    Mask(u32),
    /// A vector on the stack.
    Slot(u32),
    /// A mask register on the stack.
    MaskSlot(u32),
    /// An entry of the pool.
    Pool(u32),
}

/// A place in the code where Rust is called.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Which of the program's calls it is.
    pub(super) call: u32,
    pub(super) args: Vec<Place>,
    /// Where the result goes, if it is one and no more.
    pub(super) dst: Option<Place>,
}

/// What Rust needs to know where it is called.
#[derive(Debug)]
pub(super) struct Callee<'a> {
    pub(super) isa: Isa,
    pub(super) program: &'a Program,
    pub(super) sites: &'a [Site],
    pub(super) saved: *mut u8,
    pub(super) slots: *const u8,
    pub(super) pool: *const u8,
    /// For each of the program's calls, what is read there if it is an operation on a texture.
    pub(super) fetches: &'a [Option<Fetch<'a>>],
    /// The parameter arrays of a serial shader.
    pub(super) params: &'a mut [Vec<[u32; 4]>],
    /// What a call panicked with: it cannot leave through generated code, and goes on behind it.
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

impl Callee<'_> {
    /// One lane of what stands at a place; of a mask register, all ones or zero.
    ///
    /// # Safety
    ///
    /// The addresses are those that the code runs with, and the place is of that code.
    unsafe fn read(&self, place: Place, lane: usize) -> u32 {
        let bytes = self.isa.bytes();
        // SAFETY: as the caller says; all of it is aligned to whole vectors.
        unsafe {
            let bit = |mask: *const u8| {
                if mask.cast::<u16>().read() >> lane & 1 != 0 { u32::MAX } else { 0 }
            };
            match place {
                Place::Vector(reg) => self.saved.add(reg as usize * bytes + lane * 4).cast::<u32>().read(),
                Place::Slot(slot) => self.slots.add(slot as usize * bytes + lane * 4).cast::<u32>().read(),
                Place::Pool(entry) => self.pool.add(entry as usize * self.isa.entry()).cast::<u32>().read(),
                Place::Mask(reg) => bit(self.saved.add(SAVED_MASKS + reg as usize * 2)),
                Place::MaskSlot(slot) => bit(self.slots.add(slot as usize * bytes)),
            }
        }
    }

    /// All lanes of what stands at a place that is no mask.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn vector(&self, place: Place) -> [u32; MOST_LANES] {
        let bytes = self.isa.bytes();
        let mut words = [0; MOST_LANES];
        // SAFETY: as the caller says; a vector has that many words.
        unsafe {
            let from = match place {
                Place::Vector(reg) => self.saved.cast_const().add(reg as usize * bytes),
                Place::Slot(slot) => self.slots.add(slot as usize * bytes),
                _ => {
                    words.fill(self.read(place, 0));
                    return words;
                }
            };
            core::ptr::copy_nonoverlapping(from.cast(), words.as_mut_ptr(), self.isa.lanes());
        }
        words
    }

    /// Reads a texture.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn fetch(&self, fetch: &Fetch<'_>, site: &Site, lanes: u32) {
        let arg = |at: usize| match site.args.get(at) {
            // SAFETY: the place is one of the code that called.
            Some(&place) => unsafe { self.vector(place) },
            None => [0; MOST_LANES],
        };
        // SAFETY: there is room for four vectors, and nobody else has it.
        let answers = unsafe { &mut *self.saved.add(ANSWERS).cast::<[[u32; MOST_LANES]; 4]>() };
        fetch.read(self.isa, arg, lanes, answers);
    }

    /// Writes one lane of what a register will hold.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn write(&self, place: Place, lane: usize, bits: u32) {
        // SAFETY: as the caller says.
        unsafe {
            match place {
                Place::Vector(reg) => {
                    self.saved.add(reg as usize * self.isa.bytes() + lane * 4).cast::<u32>().write(bits);
                }
                Place::Mask(reg) => {
                    let mask = self.saved.add(SAVED_MASKS + reg as usize * 2).cast::<u16>();
                    let rest = mask.read() & !(1 << lane);
                    mask.write(rest | u16::from(bits != 0) << lane);
                }
                // Results are in registers.
                Place::Slot(_) | Place::MaskSlot(_) | Place::Pool(_) => {}
            }
        }
    }

    /// Computes some lanes.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn compute(&mut self, site: &Site, lanes: u32) {
        let Some(call) = self.program.calls.get(site.call as usize) else { return };
        if let Some(Some(fetch)) = self.fetches.get(site.call as usize) {
            // SAFETY: as the caller says.
            return unsafe { self.fetch(fetch, site, lanes) };
        }
        if let Computation::StoreParam(array, mask) = call.what {
            let mut words = [0; 5];
            for (word, &place) in words.iter_mut().zip(&site.args) {
                // SAFETY: as the caller says. All lanes are one invocation.
                *word = unsafe { self.read(place, 0) };
            }
            let [index, values @ ..] = words;
            let cell = self.params.get_mut(array).and_then(|array| array.get_mut(index as usize));
            if let (Some(cell), true) = (cell, lanes & 1 != 0) {
                mask.lanes().zip(values).for_each(|(lane, bits)| cell[lane] = bits);
            }
            return;
        }
        let Some(dst) = site.dst else { return };
        for lane in (0..self.isa.lanes()).filter(|lane| lanes >> lane & 1 != 0) {
            let mut words = [0u32; 8];
            for (word, &place) in words.iter_mut().zip(&site.args) {
                // SAFETY: the place is one of the code that called.
                *word = unsafe { self.read(place, lane) };
            }
            let bits = call.what.of(words);
            // SAFETY: the same.
            unsafe { self.write(dst, lane, bits) };
        }
    }
}

impl Computation {
    /// Computes one lane. Where a bool is asked for or given, all ones or any bits stand for true.
    fn of(self, words: [u32; 8]) -> u32 {
        use vecasm_ir::ir::op::Slot;
        let is_bool = |slot: Slot, scalar: Scalar| {
            slot == Slot::Is(Scalar::Bool) || slot == Slot::T && scalar == Scalar::Bool
        };
        match self {
            Self::Pure(op, scalar, arith) => {
                let mut args = [0u32; MAX_ARITY];
                for ((arg, word), &slot) in args.iter_mut().zip(words).zip(op.slots()) {
                    *arg = if is_bool(slot, scalar) { u32::from(word != 0) } else { word };
                }
                let bits = op.eval(scalar, arith, args);
                if is_bool(op.result(), scalar) { bits.wrapping_neg() } else { bits }
            }
            Self::Reduce(op, scalar, arith, lanes) => {
                let lanes = lanes.clamp(1, 4);
                let take =
                    |from: usize| core::array::from_fn(|lane| words.get(from + lane).copied().unwrap_or(0));
                op.eval_reduce(scalar, arith, take(0), take(lanes), lanes)
            }
            Self::Nv20Sum { terms, products } => {
                let mut words = words.into_iter();
                let mut next = || words.next().unwrap_or(0);
                let mut list = [0; 4];
                let terms = usize::from(terms).min(list.len());
                for (at, term) in list.iter_mut().enumerate().take(terms) {
                    *term = if products >> at & 1 != 0 { nv20::mul(next(), next()) } else { next() };
                }
                nv20::sum(&list[..terms])
            }
            #[cfg(test)]
            Self::Panic => panic!("on purpose"),
            // Has several results.
            Self::Texture(..) | Self::StoreParam(..) => 0,
        }
    }
}

/// What generated code calls: computes the lanes of a bit set at a site. A panic is kept in the [`Callee`], and later calls do
/// nothing.
///
/// # Safety
///
/// `with` is a [`Callee`] of the code that calls.
pub(super) unsafe extern "sysv64" fn rust(with: *mut c_void, site: u32, lanes: u32) {
    // SAFETY: as the caller says; the run that made it waits for the code to return.
    let callee = unsafe { &mut *with.cast::<Callee<'_>>() };
    let sites = callee.sites;
    let Some(site) = sites.get(site as usize).filter(|_| callee.panic.is_none()) else { return };
    // SAFETY: the site is of this code.
    let computed = catch_unwind(AssertUnwindSafe(|| unsafe { callee.compute(site, lanes) }));
    if let Err(panic) = computed {
        callee.panic = Some(panic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::mir::Call;

    #[test]
    fn a_panic_does_not_leave_through_generated_code() {
        let mut program = Program::default();
        program.calls.push(Call { what: Computation::Panic, args: Vec::new() });
        let mut saved = [0u64; 64];
        let sites = [Site { call: 0, args: Vec::new(), dst: Some(Place::Vector(0)) }];
        let mut callee = Callee {
            isa: Isa::Avx2,
            program: &program,
            sites: &sites,
            saved: saved.as_mut_ptr().cast(),
            slots: core::ptr::null(),
            pool: core::ptr::null(),
            fetches: &[],
            params: &mut [],
            panic: None,
        };
        // SAFETY: there is room for the register, and nothing else is read or written.
        unsafe { rust((&raw mut callee).cast(), 0, 1) };
        let said = callee.panic.as_ref().and_then(|panic| panic.downcast_ref::<&str>().copied());
        assert_eq!(said, Some("on purpose"));
    }
}
