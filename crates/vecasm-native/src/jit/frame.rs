//! What generated code is called with, and how it begins and ends.
//!
//! It is a function of the System V convention that takes a [`Context`] and says whether it gave up for want of fuel. It
//! has its own rounding modes while it runs and gives the caller's back.

use super::asm::{Asm, memory};
use super::mir::Mode;
use iced_x86::{Code, Instruction, Register};
use std::mem::offset_of;

/// What the code reads and writes beside its lists.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Context {
    /// Constants and uniforms.
    pub(super) pool: *const u8,
    /// The stack of vectors.
    pub(super) slots: *mut u8,
    /// Where registers are saved while Rust runs.
    pub(super) saved: *mut u8,
    /// Of the first block: its invocation times 16. Where the code gives up, that of the block it gives up in.
    pub(super) start: u64,
    /// The same behind the last block.
    pub(super) end: u64,
    /// What is called to compute lanes, and what with.
    pub(super) rust: unsafe extern "sysv64" fn(*mut core::ffi::c_void, u32, u32),
    pub(super) with: *mut core::ffi::c_void,
    /// Rounds of loops that a block may make.
    pub(super) fuel: u64,
    /// Addresses of the inputs, outputs and masks.
    pub(super) lists: *const *mut u8,
    /// The control words of the modes, that of the caller, and that of the code while Rust runs.
    pub(super) modes: [u32; 3],
    pub(super) callers: u32,
    pub(super) present: u32,
}

pub(super) const POOL: usize = offset_of!(Context, pool);
pub(super) const SLOTS: usize = offset_of!(Context, slots);
pub(super) const SAVED: usize = offset_of!(Context, saved);
pub(super) const START: usize = offset_of!(Context, start);
pub(super) const END: usize = offset_of!(Context, end);
const RUST: usize = offset_of!(Context, rust);
const WITH: usize = offset_of!(Context, with);
pub(super) const FUEL: usize = offset_of!(Context, fuel);
const LISTS: usize = offset_of!(Context, lists);
const MODES: usize = offset_of!(Context, modes);
const CALLERS: usize = offset_of!(Context, callers);
const PRESENT: usize = offset_of!(Context, present);

/// Where mask registers stand behind the vectors that are saved.
pub(super) const SAVED_MASKS: usize = 32 * 64;
/// Where the results of an operation stand that Rust computed, 64 bytes each.
pub(super) const ANSWERS: usize = SAVED_MASKS + 64;
/// Bytes for all of it.
pub(super) const SAVED_BYTES: usize = ANSWERS + 4 * 64;

/// The control word to nearest, with denormals and every exception masked.
const KEEP: u32 = 0x1f80;
/// The same, denormals flushed: operands and results.
const FLUSH: u32 = KEEP | 0x8000 | 0x0040;
/// The same, toward zero.
const TRUNCATE: u32 = FLUSH | 0x6000;
/// All of them, in the order of [`Mode`].
pub(super) const CONTROL: [u32; 3] = [KEEP, FLUSH, TRUNCATE];

/// Registers that a function has to give back as they were.
const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The beginning. The code starts in a mode.
pub(super) fn prologue(asm: &mut Asm, start: Mode) {
    for register in KEPT {
        asm.put(Instruction::with1(Code::Push_r64, register));
    }
    let context = Register::R12;
    asm.put(Instruction::with2(Code::Sub_rm64_imm8, Register::RSP, 8));
    asm.put(Instruction::with2(Code::Mov_r64_rm64, context, Register::RDI));
    for (register, at) in
        [(Register::RBX, POOL), (Register::RBP, SLOTS), (Register::R13, START), (Register::R14, LISTS)]
    {
        asm.put(Instruction::with2(Code::Mov_r64_rm64, register, memory(context, at)));
    }
    asm.put(Instruction::with1(Code::VEX_Vstmxcsr_m32, memory(context, CALLERS)));
    mode(asm, start);
}

/// Changes the mode.
pub(super) fn mode(asm: &mut Asm, to: Mode) {
    let at = memory(Register::R12, MODES + to as usize * 4);
    asm.put(Instruction::with1(Code::VEX_Vldmxcsr_m32, at));
}

/// The end. Register RAX is not touched.
pub(super) fn epilogue(asm: &mut Asm) {
    asm.put(Instruction::with1(Code::VEX_Vldmxcsr_m32, memory(Register::R12, CALLERS)));
    asm.put(Instruction::with2(Code::Add_rm64_imm8, Register::RSP, 8));
    for register in KEPT.into_iter().rev() {
        asm.put(Instruction::with1(Code::Pop_r64, register));
    }
    asm.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
    asm.put(Ok(Instruction::with(Code::Retnq)));
}

/// Before the end: notes whether, and in which block, the code gives up.
pub(super) fn answer(asm: &mut Asm, gives_up: bool) {
    if gives_up {
        asm.put(Instruction::with2(Code::Mov_rm64_r64, memory(Register::R12, START), Register::R13));
        asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 1));
    } else {
        asm.put(Instruction::with2(Code::Xor_r32_rm32, Register::EAX, Register::EAX));
    }
}

/// Calls Rust for the lanes in ECX at the site in EAX, in the mode of the caller.
pub(super) fn call_rust(asm: &mut Asm) {
    let context = Register::R12;
    asm.put(Instruction::with2(Code::Mov_r32_rm32, Register::EDX, Register::ECX));
    asm.put(Instruction::with2(Code::Mov_r32_rm32, Register::ESI, Register::EAX));
    asm.put(Instruction::with2(Code::Mov_r64_rm64, Register::RDI, memory(context, WITH)));
    asm.put(Instruction::with1(Code::VEX_Vstmxcsr_m32, memory(context, PRESENT)));
    asm.put(Instruction::with1(Code::VEX_Vldmxcsr_m32, memory(context, CALLERS)));
    asm.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
    asm.put(Instruction::with1(Code::Call_rm64, memory(context, RUST)));
    asm.put(Instruction::with1(Code::VEX_Vldmxcsr_m32, memory(context, PRESENT)));
}
