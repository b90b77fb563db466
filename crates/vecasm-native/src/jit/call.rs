//! Lanes that Rust computes: operations that no instructions are generated for, and rare arguments of the others.

use super::frame::SAVED_MASKS;
use super::isa::Isa;
use super::mir::Program;
use core::ffi::c_void;
use vecasm::ir::op::MAX_ARITY;
use vecasm::ir::{Arith, Pure, Scalar};

/// What is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A pure operation. Bools are masks.
    Pure(Pure, Scalar, Arith),
    /// A reduction over so many lanes; those of the second argument stand behind those of the first.
    Reduce(Pure, Scalar, Arith, usize),
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
    pub(super) dst: Place,
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
    unsafe fn compute(&self, site: &Site, lanes: u32) {
        let Some(call) = self.program.calls.get(site.call as usize) else { return };
        for lane in (0..self.isa.lanes()).filter(|lane| lanes >> lane & 1 != 0) {
            let mut words = [0u32; 8];
            for (word, &place) in words.iter_mut().zip(&site.args) {
                // SAFETY: the place is one of the code that called.
                *word = unsafe { self.read(place, lane) };
            }
            let bits = call.what.of(words);
            // SAFETY: the same.
            unsafe { self.write(site.dst, lane, bits) };
        }
    }
}

impl What {
    /// Computes one lane. Where a bool is asked for or given, all ones or any bits stand for true.
    fn of(self, words: [u32; 8]) -> u32 {
        use vecasm::ir::op::Slot;
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
        }
    }
}

/// What generated code calls: computes the lanes of a bit set at a site.
///
/// # Safety
///
/// `with` is a [`Callee`] of the code that calls.
pub(super) unsafe extern "sysv64" fn rust(with: *mut c_void, site: u32, lanes: u32) {
    // SAFETY: as the caller says; the run that made it waits for the code to return.
    let callee = unsafe { &*with.cast::<Callee<'_>>() };
    if let Some(site) = callee.sites.get(site as usize) {
        // SAFETY: the site is of this code.
        unsafe { callee.compute(site, lanes) };
    }
}
