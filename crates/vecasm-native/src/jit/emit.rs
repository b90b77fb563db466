//! Registers given out and machine code written, in one walk over a program.
//!
//! The walk keeps what each register holds. Where it needs one, it takes that whose content is needed last, and writes this
//! to the stack first, unless it stands there already. At a label, all ways that lead there agree on the state of the
//! first one; at the end of a loop registers get what they held at its start.

mod lifetimes;

use super::asm::{Asm, Target, indexed, memory, repeated, scaled};
use super::call::{Place, Site};
use super::frame::{self, SAVED_MASKS};
use super::isa::Isa;
use super::mir::{Kind, MachineInst, MachineOp, Mode, NONE, Program, STAGE, Shape, Src, V};
use super::pipeline::MOST_STAGES;
use iced_x86::{Code, Instruction, Register};
use lifetimes::{Analysis, NEVER, OperandUses, more};

/// No place.
const NO: u32 = u32::MAX;
/// The mask registers that values may be in: k0 masks nothing, the last one is for the moment.
const MASKS: core::ops::Range<u8> = 1..7;
const SCRATCH_MASK: Register = Register::K7;

const CONTEXT: Register = Register::R12;
const POOL: Register = Register::RBX;
const SLOTS: Register = Register::RBP;
const BLOCK: Register = Register::R13;
const LISTS: Register = Register::R14;
const FUEL: Register = Register::R15;
/// Instead of fuel, where there are several stages: rounds to go.
const ROUNDS: Register = FUEL;
/// The blocks that are in stages behind the first one.
const LATER: [Register; MOST_STAGES as usize - 1] = [Register::R8, Register::R9];

/// What was made of a program.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) bytes: Vec<u8>,
    /// Vectors of stack.
    pub(super) slots: u32,
    pub(super) sites: Vec<Site>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Location {
    /// A register, or [`NO`].
    reg: u32,
    /// A slot of the stack, or [`NO`].
    slot: u32,
    /// Whether the slot holds it.
    stored: bool,
}

const NOWHERE: Location = Location { reg: NO, slot: NO, stored: false };

struct Label {
    target: Target,
    state: Option<Vec<(V, Location)>>,
}

/// A stay in Rust: where it leaves the code and comes back, and the mask.
struct Detour {
    from: Target,
    back: Target,
    site: u32,
    mask: Option<Register>,
}

/// What each register holds: vector registers, then from 32 on mask registers.
#[derive(Clone, Copy)]
struct RegisterContents {
    values: [V; 40],
    /// A bit for each register that holds nothing.
    free: u64,
}

impl RegisterContents {
    const NOTHING: Self = Self { values: [NONE; 40], free: u64::MAX };

    fn get(&self, reg: u32) -> V {
        self.values[reg as usize]
    }

    fn set(&mut self, reg: u32, v: V) {
        self.values[reg as usize] = v;
        self.free = self.free & !(1 << reg) | u64::from(v == NONE) << reg;
    }
}

struct Emitter<'a> {
    isa: Isa,
    program: &'a Program,
    asm: Asm,
    spots: Vec<Location>,
    next: Vec<u32>,
    held: RegisterContents,
    /// Registers that the present instruction reads.
    locked: u64,
    free_slots: Vec<u32>,
    /// Slots that are free from the next instruction on.
    left_slots: Vec<u32>,
    slots: u32,
    labels: Vec<Label>,
    /// The list whose address the register RAX holds, or [`NO`].
    rax: u32,
    detours: Vec<Detour>,
    sites: Vec<Site>,
    bail: Target,
    common: Target,
    error: Option<&'static str>,
}

/// Writes the machine code of a program.
pub(super) fn emit(program: &Program, isa: Isa) -> Result<Machine, String> {
    let analysis = Analysis::of(program);
    let mut asm = Asm::new();
    let (bail, common) = (asm.target(), asm.target());
    let labels = (0..program.labels).map(|_| Label { target: asm.target(), state: None }).collect();
    let mut emitter = Emitter {
        isa,
        program,
        asm,
        spots: vec![NOWHERE; program.kinds.len()],
        next: vec![NEVER; program.kinds.len()],
        held: RegisterContents::NOTHING,
        locked: 0,
        free_slots: Vec::new(),
        left_slots: Vec::new(),
        slots: program.carried,
        labels,
        rax: NO,
        detours: Vec::new(),
        sites: Vec::new(),
        bail,
        common,
        error: None,
    };
    emitter.all(&analysis);
    if let Some(error) = emitter.error {
        return Err(error.to_owned());
    }
    let Emitter { asm, slots, sites, .. } = emitter;
    Ok(Machine { bytes: asm.finish()?, slots, sites })
}

impl Emitter<'_> {
    fn kind(&self, v: V) -> Kind {
        match self.isa {
            Isa::Avx2 => Kind::Vector,
            Isa::Avx512 => self.program.kinds[v as usize],
        }
    }

    /// Registers of a kind, as places in `held`.
    fn registers(&self, kind: Kind) -> core::ops::Range<u32> {
        match kind {
            Kind::Vector => 0..self.isa.vectors() as u32,
            Kind::Mask => 32 + u32::from(MASKS.start)..32 + u32::from(MASKS.end),
        }
    }

    fn full_register(&self, reg: u32) -> Register {
        if reg >= 32 { Register::K0 + (reg - 32) } else { self.isa.full_register(reg as u8) }
    }

    fn half(&self, reg: u32) -> Register {
        self.isa.half(reg as u8)
    }

    fn slot_at(&self, slot: u32) -> iced_x86::MemoryOperand {
        memory(SLOTS, slot as usize * self.isa.bytes())
    }

    fn lock(&mut self, reg: u32) {
        self.locked |= 1 << reg;
    }

    fn store(&mut self, reg: u32, slot: u32) {
        let to = self.slot_at(slot);
        let code = match (reg >= 32, self.isa) {
            (true, _) => Code::VEX_Kmovw_m16_kr,
            (_, Isa::Avx2) => Code::VEX_Vmovaps_ymmm256_ymm,
            (_, Isa::Avx512) => Code::EVEX_Vmovaps_zmmm512_k1z_zmm,
        };
        self.asm.put(Instruction::with2(code, to, self.full_register(reg)));
    }

    fn fetch(&mut self, reg: u32, slot: u32) {
        let from = self.slot_at(slot);
        let code = match (reg >= 32, self.isa) {
            (true, _) => Code::VEX_Kmovw_kr_km16,
            (_, Isa::Avx2) => Code::VEX_Vmovaps_ymm_ymmm256,
            (_, Isa::Avx512) => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
        };
        self.asm.put(Instruction::with2(code, self.full_register(reg), from));
    }

    fn copy(&mut self, to: u32, from: u32) {
        if to == from {
            return;
        }
        let code = match (to >= 32, self.isa) {
            (true, _) => Code::VEX_Kmovw_kr_km16,
            (_, Isa::Avx2) => Code::VEX_Vmovaps_ymm_ymmm256,
            (_, Isa::Avx512) => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
        };
        self.asm.put(Instruction::with2(code, self.full_register(to), self.full_register(from)));
    }

    /// Loads an entry of the pool into all lanes.
    fn constant(&mut self, reg: u32, entry: u32) {
        let at = entry as usize * self.isa.entry();
        let made = match self.isa {
            Isa::Avx2 => {
                Instruction::with2(Code::VEX_Vmovaps_ymm_ymmm256, self.full_register(reg), memory(POOL, at))
            }
            Isa::Avx512 => {
                // Both words of an entry of 32 bits are the same.
                let to = self.full_register(reg);
                Instruction::with2(Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64, to, memory(POOL, at))
            }
        };
        self.asm.put(made);
    }

    /// Puts what a register holds on the stack, if it is not there and still needed, and forgets the register.
    fn evict(&mut self, reg: u32) {
        let v = self.held.get(reg);
        if v == NONE {
            return;
        }
        self.held.set(reg, NONE);
        let mut spot = self.spots[v as usize];
        spot.reg = NO;
        if !spot.stored && self.next[v as usize] != NEVER {
            if spot.slot == NO {
                spot.slot = self.take_slot();
            }
            self.store(reg, spot.slot);
            spot.stored = true;
        }
        self.spots[v as usize] = spot;
    }

    fn take_slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// A register that holds nothing any more.
    fn take(&mut self, kind: Kind) -> u32 {
        let all = self.registers(kind);
        let mut open = ((1 << all.end) - (1 << all.start)) & !self.locked;
        if open & self.held.free != 0 {
            return (open & self.held.free).trailing_zeros();
        }
        let (mut best, mut latest) = (NO, 0);
        while open != 0 {
            let reg = open.trailing_zeros();
            open &= open - 1;
            let next = self.next[self.held.get(reg) as usize];
            if best == NO || next > latest {
                (best, latest) = (reg, next);
            }
        }
        if best == NO {
            self.error = Some("no register is left");
            return self.registers(kind).start;
        }
        self.evict(best);
        best
    }

    fn has_free(&self, kind: Kind) -> bool {
        let all = self.registers(kind);
        ((1 << all.end) - (1 << all.start)) & !self.locked & self.held.free != 0
    }

    fn hold(&mut self, v: V, reg: u32) {
        self.held.set(reg, v);
        self.spots[v as usize].reg = reg;
    }

    /// Forgets a value that nobody needs any more.
    fn forget(&mut self, v: V) {
        let spot = self.spots[v as usize];
        if spot.reg != NO {
            self.held.set(spot.reg, NONE);
        }
        if spot.slot != NO {
            // The present instruction may still read it.
            self.left_slots.push(spot.slot);
        }
        self.spots[v as usize] = NOWHERE;
    }

    /// A register that holds an operand, locked.
    fn read(&mut self, src: Src, kind: Kind) -> u32 {
        let reg = match src {
            Src::V(v) => {
                let spot = self.spots[v as usize];
                if spot.reg != NO {
                    spot.reg
                } else {
                    let reg = self.take(self.kind(v));
                    if spot.stored {
                        self.fetch(reg, spot.slot);
                    }
                    self.hold(v, reg);
                    reg
                }
            }
            Src::C(entry) => {
                let reg = self.take(kind);
                self.constant(reg, entry);
                reg
            }
            Src::None => {
                self.error = Some("an operand is missing");
                0
            }
        };
        self.lock(reg);
        reg
    }

    /// The register that a result goes to, whose old content is gone.
    fn assign_result(&mut self, v: V) -> u32 {
        let spot = self.spots[v as usize];
        let reg = if spot.reg != NO { spot.reg } else { self.take(self.kind(v)) };
        self.hold(v, reg);
        self.spots[v as usize].stored = false;
        reg
    }

    /// Notes when operands are needed next, and forgets those that are not.
    fn release(&mut self, ins: &MachineInst, fate: &OperandUses) {
        for (src, next) in ins.src.iter().zip(fate.src) {
            if let Src::V(v) = *src {
                if v == ins.dst {
                    continue;
                }
                self.next[v as usize] = next;
                if next == NEVER {
                    self.forget(v);
                }
            }
        }
        self.locked = 0;
    }

    fn all(&mut self, analysis: &Analysis) {
        let program = self.program;
        frame::prologue(&mut self.asm, program.home);
        let later = (program.stages.max(1) - 1) as usize;
        let later = LATER.get(..later).unwrap_or(&LATER);
        if !later.is_empty() {
            self.first_round(later);
        }
        let block = self.asm.target();
        self.asm.place(block);
        if later.is_empty() {
            self.asm.put(Instruction::with2(Code::Mov_r64_rm64, FUEL, memory(CONTEXT, frame::FUEL)));
        }
        let mut open: Vec<(Target, Vec<(V, Location)>)> = Vec::new();
        let mut end = 0;
        for (at, (ins, fate)) in program.code.iter().zip(&analysis.fates).enumerate() {
            if fate.dead {
                continue;
            }
            self.free_slots.append(&mut self.left_slots);
            match ins.op {
                MachineOp::LoopBegin => {
                    let found = analysis.loops.iter().find(|(start, ..)| *start == at as u32);
                    if let Some(&(_, number, alive)) = found {
                        self.enter_loop(&analysis.carried[number], alive);
                    }
                    let target = self.asm.target();
                    self.asm.place(target);
                    self.rax = NO;
                    open.push((target, self.state()));
                }
                MachineOp::LoopEnd => {
                    if let Some((target, state)) = open.pop() {
                        self.leave_loop((ins, fate), target, &state, &analysis.carried[end]);
                    }
                    end += 1;
                }
                MachineOp::Call | MachineOp::Ask => self.call(ins, fate, &analysis.args[ins.imm as usize]),
                _ => self.one(ins, fate),
            }
            if self.error.is_some() {
                return;
            }
        }
        let step = self.isa.lanes() * 16;
        if later.is_empty() {
            self.asm.put(Instruction::with2(Code::Add_rm64_imm32, BLOCK, step as i32));
            self.asm.put(Instruction::with2(Code::Cmp_r64_rm64, BLOCK, memory(CONTEXT, frame::END)));
            self.asm.jump(Code::Jb_rel32_64, block);
        } else {
            // Each stage gets the block of the stage before it, the first one the next block or again the last one.
            for at in (0..later.len()).rev() {
                let from = if at == 0 { BLOCK } else { later[at - 1] };
                self.asm.put(Instruction::with2(Code::Mov_r64_rm64, later[at], from));
            }
            let next = Register::RAX;
            self.asm.put(Instruction::with2(Code::Lea_r64_m, next, memory(BLOCK, step)));
            self.asm.put(Instruction::with2(Code::Cmp_r64_rm64, next, memory(CONTEXT, frame::END)));
            self.asm.put(Instruction::with2(Code::Cmovb_r64_rm64, BLOCK, next));
            self.asm.put(Instruction::with2(Code::Sub_rm64_imm8, ROUNDS, 1));
            self.asm.jump(Code::Jne_rel32_64, block);
        }
        let done = self.asm.target();
        frame::answer(&mut self.asm, false);
        self.asm.place(done);
        frame::epilogue(&mut self.asm);
        self.asm.place(self.bail);
        frame::answer(&mut self.asm, true);
        self.asm.jump(Code::Jmp_rel32_64, done);
        self.detours();
    }

    /// Before the first round of several stages: all of them have the first block, and there are as many rounds as blocks and, for the
    /// last one, stages behind the first one.
    fn first_round(&mut self, later: &[Register]) {
        for &register in later {
            self.asm.put(Instruction::with2(Code::Mov_r64_rm64, register, BLOCK));
        }
        let shift = (self.isa.lanes() * 16).trailing_zeros();
        self.asm.put(Instruction::with2(Code::Mov_r64_rm64, ROUNDS, memory(CONTEXT, frame::END)));
        self.asm.put(Instruction::with2(Code::Sub_r64_rm64, ROUNDS, BLOCK));
        self.asm.put(Instruction::with2(Code::Shr_rm64_imm8, ROUNDS, shift));
        self.asm.put(Instruction::with2(Code::Add_rm64_imm8, ROUNDS, later.len() as i32));
    }

    /// Where every value that is needed stands.
    fn state(&self) -> Vec<(V, Location)> {
        let alive = |(v, spot): (usize, &Location)| {
            (self.next[v] != NEVER && (spot.reg != NO || spot.stored)).then_some((v as V, *spot))
        };
        // Only what is held or stored can be alive: both are few beside all values, but for the walk over them.
        self.spots.iter().enumerate().filter_map(alive).collect()
    }

    /// Makes a state the present one, without code.
    fn assume(&mut self, state: &[(V, Location)]) {
        self.held = RegisterContents::NOTHING;
        for spot in &mut self.spots {
            (spot.reg, spot.stored) = (NO, false);
        }
        for &(v, spot) in state {
            if self.next[v as usize] == NEVER {
                continue;
            }
            self.spots[v as usize].reg = spot.reg;
            self.spots[v as usize].stored = spot.stored;
            if spot.reg != NO {
                self.held.set(spot.reg, v);
            }
        }
    }

    /// Frees registers that would be needed in a loop, of what is not touched in it, and lets values that it writes stand
    /// nowhere but in their registers.
    fn enter_loop(&mut self, carried: &[(V, u32)], alive: u32) {
        let room = self.isa.vectors() as u32 - 2;
        let mut over = alive.saturating_sub(room);
        for reg in self.registers(Kind::Vector) {
            let v = self.held.get(reg);
            if over == 0 || v == NONE || carried.binary_search_by_key(&v, |&(v, _)| v).is_ok() {
                continue;
            }
            self.evict(reg);
            over -= 1;
        }
        for &(v, _) in carried {
            let spot = &mut self.spots[v as usize];
            if spot.reg != NO {
                spot.stored = false;
            }
        }
    }

    /// Jumps back if the mask holds anywhere.
    fn leave_loop(
        &mut self,
        (ins, fate): (&MachineInst, &OperandUses),
        target: Target,
        state: &[(V, Location)],
        carried: &[(V, u32)],
    ) {
        let out = self.asm.target();
        let mask = self.read(ins.src[0], Kind::Mask);
        self.locked = 0;
        self.test(mask);
        self.asm.jump(Code::Je_rel32_64, out);
        self.asm.put(Instruction::with2(Code::Sub_rm64_imm8, FUEL, 1));
        self.asm.jump(Code::Jb_rel32_64, self.bail);
        let (spots, held) = (self.spots.clone(), self.held);
        self.arrange(state);
        self.asm.jump(Code::Jmp_rel32_64, target);
        self.asm.place(out);
        (self.spots, self.held) = (spots, held);
        self.rax = NO;
        for &(v, after) in carried {
            self.next[v as usize] = after;
            if after == NEVER {
                self.forget(v);
            }
        }
        if let Src::V(v) = ins.src[0] {
            if carried.binary_search_by_key(&v, |&(v, _)| v).is_err() {
                self.next[v as usize] = fate.src[0];
                if fate.src[0] == NEVER {
                    self.forget(v);
                }
            }
        }
    }

    /// Moves values to where a state has them.
    fn arrange(&mut self, state: &[(V, Location)]) {
        // What has to be on the stack, while everything is still where it is.
        for &(v, want) in state {
            if self.next[v as usize] == NEVER {
                continue;
            }
            let here = self.spots[v as usize];
            if (want.reg == NO || want.stored) && !here.stored && here.reg != NO {
                let slot = if here.slot == NO { self.take_slot() } else { here.slot };
                self.store(here.reg, slot);
                self.spots[v as usize].slot = slot;
                self.spots[v as usize].stored = true;
            }
        }
        // Registers: each move whose target nobody else still has to leave; of a ring, one goes over the stack.
        let mut moves: Vec<(u32, u32, V)> = Vec::new();
        let mut loads: Vec<(u32, V)> = Vec::new();
        for &(v, want) in state {
            if self.next[v as usize] == NEVER || want.reg == NO {
                continue;
            }
            let here = self.spots[v as usize];
            if here.reg == NO {
                loads.push((want.reg, v));
            } else if here.reg != want.reg {
                moves.push((want.reg, here.reg, v));
            }
        }
        while !moves.is_empty() {
            let free = moves.iter().position(|&(to, ..)| !moves.iter().any(|&(_, from, _)| from == to));
            match free {
                Some(at) => {
                    let (to, from, _) = moves.swap_remove(at);
                    self.copy(to, from);
                }
                None => {
                    let Some((to, from, v)) = moves.pop() else { break };
                    let spot = self.spots[v as usize];
                    if !spot.stored {
                        let slot = if spot.slot == NO { self.take_slot() } else { spot.slot };
                        self.store(from, slot);
                        self.spots[v as usize].slot = slot;
                        self.spots[v as usize].stored = true;
                    }
                    loads.push((to, v));
                }
            }
        }
        for (to, v) in loads {
            let spot = self.spots[v as usize];
            if spot.stored {
                self.fetch(to, spot.slot);
            }
        }
    }

    /// Sets the flag zero if a mask holds nowhere.
    fn test(&mut self, mask: u32) {
        if mask >= 32 {
            let mask = self.full_register(mask);
            self.asm.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, mask, mask));
        } else {
            let mask = self.full_register(mask);
            self.asm.put(Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, Register::ECX, mask));
            self.asm.put(Instruction::with2(Code::Test_rm32_r32, Register::ECX, Register::ECX));
        }
    }

    /// An operand that may stand in memory.
    fn operand(&mut self, src: Src) -> Operand {
        match src {
            Src::V(v) => {
                let spot = self.spots[v as usize];
                if spot.reg == NO && spot.stored && !self.has_free(Kind::Vector) {
                    return Operand::Memory(self.slot_at(spot.slot));
                }
                Operand::Register(self.read(src, Kind::Vector))
            }
            Src::C(entry) => {
                let at = entry as usize * self.isa.entry();
                Operand::Memory(match self.isa {
                    Isa::Avx2 => memory(POOL, at),
                    Isa::Avx512 => repeated(POOL, at),
                })
            }
            Src::None => {
                self.error = Some("an operand is missing");
                Operand::Register(0)
            }
        }
    }

    /// Locks operands that are in registers already, so that the others do not drive them out.
    fn lock_present(&mut self, ins: &MachineInst) {
        for src in ins.src.iter().chain(more(self.program, ins)) {
            if let Src::V(v) = *src {
                let reg = self.spots[v as usize].reg;
                if reg != NO {
                    self.lock(reg);
                }
            }
        }
    }

    fn finish(&mut self, ins: &MachineInst, fate: &OperandUses) {
        self.next[ins.dst as usize] = fate.dst;
        self.locked = 0;
        if fate.dst == NEVER {
            self.forget(ins.dst);
        }
    }

    fn one(&mut self, ins: &MachineInst, fate: &OperandUses) {
        self.locked = 0;
        self.lock_present(ins);
        match ins.op.shape() {
            Shape::Binary | Shape::BinaryImm => self.binary(ins, fate),
            Shape::Unary | Shape::UnaryImm => {
                let a = self.operand(ins.src[0]);
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let (code, dst) = (ins.op.code(self.isa), self.full_register(dst));
                let made = match (a, ins.op.shape()) {
                    (Operand::Register(a), Shape::Unary) => {
                        Instruction::with2(code, dst, self.full_register(a))
                    }
                    (Operand::Memory(a), Shape::Unary) => Instruction::with2(code, dst, a),
                    (Operand::Register(a), _) => {
                        Instruction::with3(code, dst, self.full_register(a), ins.imm)
                    }
                    (Operand::Memory(a), _) => Instruction::with3(code, dst, a, ins.imm),
                };
                self.asm.put(made);
                self.finish(ins, fate);
            }
            Shape::Shift => {
                let a = self.read(ins.src[0], Kind::Vector);
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let code = ins.op.code(self.isa);
                self.asm.put(Instruction::with3(
                    code,
                    self.full_register(dst),
                    self.full_register(a),
                    ins.imm,
                ));
                self.finish(ins, fate);
            }
            Shape::Fused => {
                let (b, c) = (self.read(ins.src[1], Kind::Vector), self.operand(ins.src[2]));
                let dst = self.tied(ins, fate);
                let (code, dst, b) = (ins.op.code(self.isa), self.full_register(dst), self.full_register(b));
                self.asm.put(match c {
                    Operand::Register(c) => Instruction::with3(code, dst, b, self.full_register(c)),
                    Operand::Memory(c) => Instruction::with3(code, dst, b, c),
                });
                self.finish(ins, fate);
            }
            Shape::Other => self.other(ins, fate),
        }
    }

    /// The register of a result that starts as the first operand. Other operands stay where they are.
    fn tied(&mut self, ins: &MachineInst, fate: &OperandUses) -> u32 {
        let locked = self.locked;
        let dst = match ins.src[0] {
            Src::V(v)
                if fate.src[0] == NEVER && self.spots[v as usize].reg != NO
                // The same value may be another operand, too, and is read before the result is written.
                && v != ins.dst =>
            {
                let reg = self.spots[v as usize].reg;
                self.next[v as usize] = NEVER;
                self.forget(v);
                reg
            }
            src => {
                let dst = self.take(Kind::Vector);
                match src {
                    Src::V(v) => {
                        let spot = self.spots[v as usize];
                        if spot.reg != NO {
                            self.copy(dst, spot.reg);
                        } else if spot.stored {
                            self.fetch(dst, spot.slot);
                        }
                    }
                    Src::C(entry) => self.constant(dst, entry),
                    Src::None => {}
                }
                dst
            }
        };
        self.locked = locked | 1 << dst;
        self.release(ins, fate);
        let spot = self.spots[ins.dst as usize];
        if spot.reg != NO {
            self.held.set(spot.reg, NONE);
        }
        self.hold(ins.dst, dst);
        self.spots[ins.dst as usize].stored = false;
        dst
    }

    fn binary(&mut self, ins: &MachineInst, fate: &OperandUses) {
        let mut order = [ins.src[0], ins.src[1]];
        if ins.op.commutes() {
            let in_register = |src: Src| matches!(src, Src::V(v) if self.spots[v as usize].reg != NO);
            let constant = |src: Src| matches!(src, Src::C(_));
            if constant(order[0]) && !constant(order[1])
                || !in_register(order[0]) && in_register(order[1]) && !constant(order[1])
            {
                order.swap(0, 1);
            }
        }
        let a = self.read(order[0], Kind::Vector);
        let b = self.operand(order[1]);
        self.release(ins, fate);
        let dst = self.assign_result(ins.dst);
        let (code, dst, a) = (ins.op.code(self.isa), self.full_register(dst), self.full_register(a));
        let made = match (b, ins.op.shape()) {
            (Operand::Register(b), Shape::Binary) => Instruction::with3(code, dst, a, self.full_register(b)),
            (Operand::Memory(b), Shape::Binary) => Instruction::with3(code, dst, a, b),
            (Operand::Register(b), _) => Instruction::with4(code, dst, a, self.full_register(b), ins.imm),
            (Operand::Memory(b), _) => Instruction::with4(code, dst, a, b, ins.imm),
        };
        self.asm.put(made);
        self.finish(ins, fate);
    }

    fn other(&mut self, ins: &MachineInst, fate: &OperandUses) {
        let isa = self.isa;
        match ins.op {
            MachineOp::MaskAnd | MachineOp::MaskAndNot | MachineOp::MaskOr | MachineOp::MaskXor => {
                let (a, b) = (self.read(ins.src[0], Kind::Mask), self.read(ins.src[1], Kind::Mask));
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let (dst, a, b) = (self.full_register(dst), self.full_register(a), self.full_register(b));
                self.asm.put(Instruction::with3(ins.op.code(isa), dst, a, b));
            }
            MachineOp::MaskNot => {
                let a = self.read(ins.src[0], Kind::Mask);
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                self.asm.put(Instruction::with2(
                    Code::VEX_Knotw_kr_kr,
                    self.full_register(dst),
                    self.full_register(a),
                ));
            }
            MachineOp::MaskAll | MachineOp::MaskNone => {
                let dst = self.assign_result(ins.dst);
                let dst = self.full_register(dst);
                let code = match (isa, ins.op) {
                    (Isa::Avx2, MachineOp::MaskAll) => Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
                    (Isa::Avx2, _) => Code::VEX_Vxorps_ymm_ymm_ymmm256,
                    (Isa::Avx512, MachineOp::MaskAll) => Code::VEX_Kxnorw_kr_kr_kr,
                    (Isa::Avx512, _) => Code::VEX_Kxorw_kr_kr_kr,
                };
                self.asm.put(Instruction::with3(code, dst, dst, dst));
            }
            MachineOp::Copy => self.move_value(ins, fate),
            MachineOp::Blend
            | MachineOp::Keep
            | MachineOp::Drop
            | MachineOp::MulKeep
            | MachineOp::CompareAnd => self.masked(ins, fate),
            MachineOp::Widen | MachineOp::WidenI32 | MachineOp::High | MachineOp::Narrow => {
                let a = self.read(ins.src[0], Kind::Vector);
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let (whole, half) = (self.full_register(dst), self.half(dst));
                let made = match (ins.op, isa) {
                    (MachineOp::Widen, Isa::Avx2) => {
                        Instruction::with2(Code::VEX_Vcvtps2pd_ymm_xmmm128, whole, self.half(a))
                    }
                    (MachineOp::Widen, Isa::Avx512) => {
                        Instruction::with2(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, whole, self.half(a))
                    }
                    (MachineOp::WidenI32, Isa::Avx2) => {
                        Instruction::with2(Code::VEX_Vcvtdq2pd_ymm_xmmm128, whole, self.half(a))
                    }
                    (MachineOp::WidenI32, Isa::Avx512) => {
                        Instruction::with2(Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, whole, self.half(a))
                    }
                    (MachineOp::High, Isa::Avx2) => Instruction::with3(
                        Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                        half,
                        self.full_register(a),
                        1,
                    ),
                    (MachineOp::High, Isa::Avx512) => Instruction::with3(
                        Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8,
                        half,
                        self.full_register(a),
                        1,
                    ),
                    (_, Isa::Avx2) => {
                        Instruction::with2(Code::VEX_Vcvtpd2ps_xmm_ymmm256, half, self.full_register(a))
                    }
                    (_, Isa::Avx512) => Instruction::with2(
                        Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
                        half,
                        self.full_register(a),
                    ),
                };
                self.asm.put(made);
            }
            MachineOp::Join => {
                let (a, b) = (self.read(ins.src[0], Kind::Vector), self.read(ins.src[1], Kind::Vector));
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let code = match isa {
                    Isa::Avx2 => Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8,
                    Isa::Avx512 => Code::EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8,
                };
                self.asm.put(Instruction::with4(
                    code,
                    self.full_register(dst),
                    self.full_register(a),
                    self.half(b),
                    1,
                ));
            }
            MachineOp::Table => self.table(ins, fate),
            MachineOp::LoadCarried => {
                let dst = self.assign_result(ins.dst);
                self.fetch(dst, ins.imm);
            }
            MachineOp::StoreCarried => {
                let a = self.read(ins.src[0], Kind::Vector);
                self.store(a, ins.imm);
                return self.release(ins, fate);
            }
            MachineOp::Mode => {
                let mode = [Mode::Keep, Mode::Flush, Mode::Truncate];
                let mode = mode.into_iter().find(|&mode| mode as u32 == ins.imm).unwrap_or_default();
                return frame::mode(&mut self.asm, mode);
            }
            MachineOp::LoadList => {
                let dst = self.assign_result(ins.dst);
                let from = self.list(ins.imm);
                let code = match isa {
                    Isa::Avx2 => Code::VEX_Vmovups_ymm_ymmm256,
                    Isa::Avx512 => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                };
                self.asm.put(Instruction::with2(code, self.full_register(dst), from));
            }
            MachineOp::StoreList => {
                let a = self.read(ins.src[0], Kind::Vector);
                let to = self.list(ins.imm);
                let code = match isa {
                    Isa::Avx2 => Code::VEX_Vmovups_ymmm256_ymm,
                    Isa::Avx512 => Code::EVEX_Vmovups_zmmm512_k1z_zmm,
                };
                self.asm.put(Instruction::with2(code, to, self.full_register(a)));
                return self.release(ins, fate);
            }
            MachineOp::Gather => return self.gather(ins, fate),
            MachineOp::MaskLower | MachineOp::MaskHigher => {
                let a = self.read(ins.src[0], Kind::Mask);
                self.release(ins, fate);
                let dst = self.assign_result(ins.dst);
                let code = if ins.op == MachineOp::MaskLower {
                    Code::VEX_Kshiftrw_kr_kr_imm8
                } else {
                    Code::VEX_Kshiftlw_kr_kr_imm8
                };
                self.asm.put(Instruction::with3(
                    code,
                    self.full_register(dst),
                    self.full_register(a),
                    ins.imm,
                ));
            }
            MachineOp::Answer => {
                let dst = self.assign_result(ins.dst);
                let (rdx, at) = (Register::RDX, frame::ANSWERS + ins.imm as usize * 64);
                self.asm.put(Instruction::with2(Code::Mov_r64_rm64, rdx, memory(CONTEXT, frame::SAVED)));
                let code = match isa {
                    Isa::Avx2 => Code::VEX_Vmovaps_ymm_ymmm256,
                    Isa::Avx512 => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
                };
                self.asm.put(Instruction::with2(code, self.full_register(dst), memory(rdx, at)));
            }
            MachineOp::StoreMask => {
                let a = self.read(ins.src[0], Kind::Mask);
                let a = self.full_register(a);
                let (ecx, rdx, rax) = (Register::ECX, Register::RDX, Register::RAX);
                self.asm.put(match isa {
                    Isa::Avx2 => Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, ecx, a),
                    Isa::Avx512 => Instruction::with2(Code::VEX_Kmovw_r32_kr, ecx, a),
                });
                self.asm.put(Instruction::with2(
                    Code::Mov_r64_rm64,
                    rdx,
                    memory(LISTS, ins.imm as usize * 8),
                ));
                self.asm.put(Instruction::with2(Code::Mov_r64_rm64, rax, BLOCK));
                // Blocks have 16 bytes an invocation, masks two bytes each.
                let shift = (isa.lanes() * 16).trailing_zeros() - 1;
                self.asm.put(Instruction::with2(Code::Shr_rm64_imm8, rax, shift));
                self.asm.put(Instruction::with2(Code::Mov_rm16_r16, indexed(rdx, rax, 0), Register::CX));
                self.rax = NO;
                return self.release(ins, fate);
            }
            MachineOp::JumpIfNone => {
                let mask = self.read(ins.src[0], Kind::Mask);
                self.release(ins, fate);
                self.test(mask);
                return self.jump_if_zero(ins.imm);
            }
            MachineOp::Label => {
                let label = &mut self.labels[ins.imm as usize];
                let (target, state) = (label.target, label.state.take());
                if let Some(state) = state {
                    self.meet(&state);
                }
                self.asm.place(target);
                self.rax = NO;
                return;
            }
            _ => {
                self.error = Some("an instruction that does not exist");
                return;
            }
        }
        self.finish(ins, fate);
    }

    /// Words of a list from places of their own.
    fn gather(&mut self, ins: &MachineInst, fate: &OperandUses) {
        let index = self.read(ins.src[0], Kind::Vector);
        // The machine clears the mask as it goes, and wants three registers that differ.
        let all = match self.isa {
            Isa::Avx2 => {
                let all = self.take(Kind::Vector);
                self.lock(all);
                let all = self.full_register(all);
                self.asm.put(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, all, all, all));
                all
            }
            Isa::Avx512 => {
                let all = SCRATCH_MASK;
                self.asm.put(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, all, all, all));
                all
            }
        };
        let locked = self.locked;
        self.release(ins, fate);
        self.locked = locked;
        let dst = self.assign_result(ins.dst);
        let (list, word) = (ins.imm / 4, ins.imm as usize % 4);
        self.list(list * 4);
        let from = indexed(Register::RAX, self.full_register(index), word * 4);
        let dst = self.full_register(dst);
        self.asm.put(match self.isa {
            Isa::Avx2 => Instruction::with3(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, dst, from, all),
            Isa::Avx512 => {
                Instruction::with2(Code::EVEX_Vpgatherdd_zmm_k1_vm32z, dst, from).map(|mut made| {
                    made.set_op_mask(all);
                    made
                })
            }
        });
        self.finish(ins, fate);
    }

    /// Goes to a label if the flag says so.
    fn jump_if_zero(&mut self, label: u32) {
        let target = self.labels[label as usize].target;
        match self.labels[label as usize].state.take() {
            None => {
                self.labels[label as usize].state = Some(self.state());
                self.asm.jump(Code::Je_rel32_64, target);
            }
            Some(state) => {
                let on = self.asm.target();
                self.asm.jump(Code::Jne_rel32_64, on);
                let (spots, held) = (self.spots.clone(), self.held);
                self.arrange(&state);
                self.asm.jump(Code::Jmp_rel32_64, target);
                self.asm.place(on);
                (self.spots, self.held) = (spots, held);
                self.labels[label as usize].state = Some(state);
            }
        }
    }

    /// At a label: brings values to where those who jumped here have them.
    fn meet(&mut self, state: &[(V, Location)]) {
        let mut state: Vec<(V, Location)> =
            state.iter().copied().filter(|&(v, _)| self.next[v as usize] != NEVER).collect();
        // What came up on this way only: on the others it is whatever the slot holds, and nobody looks at it.
        let known: Vec<V> = state.iter().map(|&(v, _)| v).collect();
        for v in self.held.values {
            if v == NONE || self.next[v as usize] == NEVER || known.contains(&v) {
                continue;
            }
            let slot = match self.spots[v as usize].slot {
                NO => self.take_slot(),
                slot => slot,
            };
            self.spots[v as usize].slot = slot;
            state.push((v, Location { reg: NO, slot, stored: true }));
        }
        for v in 0..self.spots.len() {
            let spot = self.spots[v];
            if spot.reg == NO && spot.stored && self.next[v] != NEVER && !known.contains(&(v as V)) {
                state.push((v as V, spot));
            }
        }
        self.arrange(&state);
        self.assume(&state);
    }

    /// One value becomes what another one is.
    fn move_value(&mut self, ins: &MachineInst, fate: &OperandUses) {
        match ins.src[0] {
            Src::V(v) if v == ins.dst => {
                self.release(ins, fate);
            }
            Src::V(v) if fate.src[0] == NEVER && self.spots[v as usize].reg != NO => {
                // The register changes hands.
                let reg = self.spots[v as usize].reg;
                self.release(ins, fate);
                let old = self.spots[ins.dst as usize].reg;
                if old != NO {
                    self.held.set(old, NONE);
                }
                self.hold(ins.dst, reg);
                self.spots[ins.dst as usize].stored = false;
            }
            Src::V(_) => {
                let a = self.read(ins.src[0], self.program.kinds[ins.dst as usize]);
                self.release(ins, fate);
                self.lock(a);
                let dst = self.assign_result(ins.dst);
                self.copy(dst, a);
            }
            Src::C(entry) => {
                let dst = self.assign_result(ins.dst);
                if entry == Program::ZERO {
                    let dst = self.full_register(dst);
                    let code = match self.isa {
                        Isa::Avx2 => Code::VEX_Vxorps_ymm_ymm_ymmm256,
                        Isa::Avx512 => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
                    };
                    self.asm.put(Instruction::with3(code, dst, dst, dst));
                } else {
                    self.constant(dst, entry);
                }
            }
            Src::None => self.error = Some("an operand is missing"),
        }
    }

    /// Instructions with a mask as third operand.
    fn masked(&mut self, ins: &MachineInst, fate: &OperandUses) {
        let isa = self.isa;
        let a = if ins.src[0] == Src::None { None } else { Some(self.read(ins.src[0], Kind::Vector)) };
        let mask = self.read(ins.src[2], Kind::Mask);
        let b = self.operand(ins.src[1]);
        self.release(ins, fate);
        let dst = self.assign_result(ins.dst);
        let (dst, mask) = (self.full_register(dst), self.full_register(mask));
        let a = a.map_or(dst, |a| self.full_register(a));
        let b = match b {
            Operand::Register(b) => Source::Register(self.full_register(b)),
            Operand::Memory(b) => Source::Memory(b),
        };
        let three = |code: Code, x: Register| match b {
            Source::Register(b) => Instruction::with3(code, dst, x, b),
            Source::Memory(b) => Instruction::with3(code, dst, x, b),
        };
        if isa == Isa::Avx2 {
            let made = match ins.op {
                MachineOp::Blend => match b {
                    Source::Register(b) => {
                        Instruction::with4(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, dst, a, b, mask)
                    }
                    Source::Memory(b) => {
                        Instruction::with4(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, dst, a, b, mask)
                    }
                },
                MachineOp::Keep => three(Code::VEX_Vandps_ymm_ymm_ymmm256, mask),
                MachineOp::Drop => three(Code::VEX_Vandnps_ymm_ymm_ymmm256, mask),
                _ => return self.error = Some("an instruction of AVX-512"),
            };
            return self.asm.put(made);
        }
        let (made, mask, zero) = match ins.op {
            MachineOp::Blend => (three(Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, a), mask, false),
            MachineOp::MulKeep => (three(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, a), mask, true),
            MachineOp::CompareAnd => {
                let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
                let made = match b {
                    Source::Register(b) => Instruction::with4(code, dst, a, b, ins.imm),
                    Source::Memory(b) => Instruction::with4(code, dst, a, b, ins.imm),
                };
                (made, mask, false)
            }
            _ => {
                let mask = if ins.op == MachineOp::Drop {
                    self.asm.put(Instruction::with2(Code::VEX_Knotw_kr_kr, SCRATCH_MASK, mask));
                    SCRATCH_MASK
                } else {
                    mask
                };
                let made = match b {
                    Source::Register(b) => Instruction::with2(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, dst, b),
                    // An entry of the pool repeats its word.
                    Source::Memory(b) if b.is_broadcast => {
                        let mut b = b;
                        b.is_broadcast = false;
                        Instruction::with2(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, dst, b)
                    }
                    Source::Memory(b) => Instruction::with2(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, dst, b),
                };
                (made, mask, true)
            }
        };
        self.asm.put(made.map(|mut made| {
            made.set_op_mask(mask);
            made.set_zeroing_masking(zero);
            made
        }));
    }

    /// Words of a table in the pool.
    fn table(&mut self, ins: &MachineInst, fate: &OperandUses) {
        let index = self.read(ins.src[0], Kind::Vector);
        // The result, the numbers and, without registers for masks, the mask are three registers.
        let mask = (self.isa == Isa::Avx2).then(|| self.take(Kind::Vector));
        if let Some(mask) = mask {
            self.lock(mask);
        }
        let dst = self.take(Kind::Vector);
        self.release(ins, fate);
        self.hold(ins.dst, dst);
        let (dst, index) = (self.full_register(dst), self.full_register(index));
        // The numbers of AVX2 are multiplied by 4 already.
        let at = ins.imm as usize * self.isa.entry();
        let from = scaled(POOL, index, at);
        match mask {
            Some(mask) => {
                let mask = self.full_register(mask);
                self.asm.put(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, mask, mask, mask));
                self.asm.put(Instruction::with3(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, dst, from, mask));
            }
            None => {
                let mask = SCRATCH_MASK;
                self.asm.put(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, mask, mask, mask));
                let made = Instruction::with2(Code::EVEX_Vpgatherdd_zmm_k1_vm32z, dst, from);
                self.asm.put(made.map(|mut made| {
                    made.set_op_mask(mask);
                    made
                }));
            }
        }
    }

    /// Four vectors of a list.
    fn list(&mut self, imm: u32) -> iced_x86::MemoryOperand {
        let (stage, imm) = ((imm >> STAGE) as usize, imm & ((1 << STAGE) - 1));
        let block = if stage == 0 { BLOCK } else { LATER[(stage - 1).min(LATER.len() - 1)] };
        let (list, part) = (imm / 4, imm % 4);
        if self.rax != list {
            let from = memory(LISTS, list as usize * 8);
            self.asm.put(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, from));
            self.rax = list;
        }
        indexed(Register::RAX, block, part as usize * self.isa.bytes())
    }

    fn place(&self, src: Src) -> Place {
        match src {
            Src::C(entry) => Place::Pool(entry),
            Src::V(v) => {
                let spot = self.spots[v as usize];
                let mask = self.kind(v) == Kind::Mask;
                match (spot.reg, mask) {
                    (NO, true) => Place::MaskSlot(spot.slot),
                    (NO, false) => Place::Slot(spot.slot),
                    (reg, true) => Place::Mask(reg - 32),
                    (reg, false) => Place::Vector(reg),
                }
            }
            Src::None => Place::Pool(0),
        }
    }

    /// Has lanes computed by Rust.
    fn call(&mut self, ins: &MachineInst, fate: &OperandUses, needed: &[u32]) {
        self.locked = 0;
        // Where there is no result, nothing drives arguments out of their registers once the mask is in one.
        if ins.dst != NONE {
            self.lock_present(ins);
        }
        let list = more(self.program, ins);
        let mask = if ins.src[2] == Src::None { None } else { Some(self.read(ins.src[2], Kind::Mask)) };
        let mask = mask.map(|mask| self.full_register(mask));
        let nonzero = match (ins.src[1], self.isa) {
            (Src::None, _) => None,
            (src, Isa::Avx2) => Some(self.operand(src)),
            (src, Isa::Avx512) => Some(Operand::Register(self.read(src, Kind::Vector))),
        };
        let args = list.iter().map(|&src| self.place(src)).collect();
        for (src, &next) in list.iter().zip(needed) {
            if let Src::V(v) = *src {
                self.next[v as usize] = next;
            }
        }
        let dst = if ins.dst == NONE {
            self.release(ins, fate);
            NO
        } else if ins.src[0] == Src::None {
            self.release(ins, fate);
            // Arguments are read before the result is written; but those that are in registers must not leave them first.
            self.lock_present(&MachineInst { src: [Src::None; 3], ..*ins });
            self.assign_result(ins.dst)
        } else {
            self.tied(ins, fate)
        };
        for src in list {
            if let Src::V(v) = *src {
                if self.next[v as usize] == NEVER {
                    self.forget(v);
                }
            }
        }
        let place = match dst {
            NO => None,
            32.. => Some(Place::Mask(dst - 32)),
            _ => Some(Place::Vector(dst)),
        };
        let site = self.sites.len() as u32;
        self.sites.push(Site { call: ins.imm, args, dst: place });
        let (from, back) = (self.asm.target(), self.asm.target());
        match mask {
            Some(mask) => {
                self.any(mask, nonzero);
                self.asm.jump(Code::Jne_rel32_64, from);
                self.asm.place(back);
                self.detours.push(Detour { from, back, site, mask: Some(mask) });
            }
            None => {
                let all = (1u32 << self.isa.lanes()) - 1;
                self.asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::ECX, all));
                self.asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, site));
                self.asm.jump(Code::Call_rel32_64, self.common);
            }
        }
        self.rax = NO;
        if ins.dst == NONE {
            self.locked = 0;
        } else {
            self.finish(ins, fate);
        }
    }

    /// Sets the flag zero if a mask holds nowhere, or nowhere but where a word is zero.
    fn any(&mut self, mask: Register, nonzero: Option<Operand>) {
        let made = match (self.isa, nonzero) {
            (Isa::Avx2, None) => {
                self.asm.put(Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, Register::ECX, mask));
                Instruction::with2(Code::Test_rm32_r32, Register::ECX, Register::ECX)
            }
            (Isa::Avx2, Some(Operand::Register(word))) => {
                Instruction::with2(Code::VEX_Vptest_ymm_ymmm256, mask, self.full_register(word))
            }
            (Isa::Avx2, Some(Operand::Memory(word))) => {
                Instruction::with2(Code::VEX_Vptest_ymm_ymmm256, mask, word)
            }
            (Isa::Avx512, None) => Instruction::with2(Code::VEX_Kortestw_kr_kr, mask, mask),
            (Isa::Avx512, Some(word)) => {
                let code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
                let Operand::Register(word) = word else {
                    return self.error = Some("a word in memory beside a mask register");
                };
                let made = Instruction::with3(
                    code,
                    SCRATCH_MASK,
                    self.full_register(word),
                    self.full_register(word),
                );
                self.asm.put(made.map(|mut made| {
                    made.set_op_mask(mask);
                    made
                }));
                Instruction::with2(Code::VEX_Kortestw_kr_kr, SCRATCH_MASK, SCRATCH_MASK)
            }
        };
        self.asm.put(made);
    }

    /// The stays in Rust that masks ask for, and what they share: it saves all registers, and loads them again.
    fn detours(&mut self) {
        if self.sites.is_empty() {
            return;
        }
        for Detour { from, back, site, mask } in core::mem::take(&mut self.detours) {
            self.asm.place(from);
            if let Some(mask) = mask {
                let code = match self.isa {
                    Isa::Avx2 => Code::VEX_Vmovmskps_r32_ymm,
                    Isa::Avx512 => Code::VEX_Kmovw_r32_kr,
                };
                self.asm.put(Instruction::with2(code, Register::ECX, mask));
            }
            self.asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, site));
            self.asm.jump(Code::Call_rel32_64, self.common);
            self.asm.jump(Code::Jmp_rel32_64, back);
        }
        self.asm.place(self.common);
        let isa = self.isa;
        let bytes = isa.bytes();
        let (rsp, rdx) = (Register::RSP, Register::RDX);
        let (store, load) = match isa {
            Isa::Avx2 => (Code::VEX_Vmovaps_ymmm256_ymm, Code::VEX_Vmovaps_ymm_ymmm256),
            Isa::Avx512 => (Code::EVEX_Vmovaps_zmmm512_k1z_zmm, Code::EVEX_Vmovaps_zmm_k1z_zmmm512),
        };
        let saved = memory(CONTEXT, frame::SAVED);
        // Two registers and 8 bytes align the stack to 16 bytes.
        for register in LATER {
            self.asm.put(Instruction::with1(Code::Push_r64, register));
        }
        self.asm.put(Instruction::with2(Code::Sub_rm64_imm8, rsp, 8));
        self.asm.put(Instruction::with2(Code::Mov_r64_rm64, rdx, saved));
        for reg in 0..isa.vectors() {
            let whole = isa.full_register(reg as u8);
            self.asm.put(Instruction::with2(store, memory(rdx, reg * bytes), whole));
        }
        if isa == Isa::Avx512 {
            for mask in MASKS {
                let at = memory(rdx, SAVED_MASKS + usize::from(mask) * 2);
                let mask = Register::K0 + u32::from(mask);
                self.asm.put(Instruction::with2(Code::VEX_Kmovw_m16_kr, at, mask));
            }
        }
        frame::call_rust(&mut self.asm);
        self.asm.put(Instruction::with2(Code::Mov_r64_rm64, rdx, saved));
        for reg in 0..isa.vectors() {
            let whole = isa.full_register(reg as u8);
            self.asm.put(Instruction::with2(load, whole, memory(rdx, reg * bytes)));
        }
        if isa == Isa::Avx512 {
            for mask in MASKS {
                let at = memory(rdx, SAVED_MASKS + usize::from(mask) * 2);
                let mask = Register::K0 + u32::from(mask);
                self.asm.put(Instruction::with2(Code::VEX_Kmovw_kr_km16, mask, at));
            }
        }
        self.asm.put(Instruction::with2(Code::Add_rm64_imm8, rsp, 8));
        for register in LATER.into_iter().rev() {
            self.asm.put(Instruction::with1(Code::Pop_r64, register));
        }
        self.asm.put(Ok(Instruction::with(Code::Retnq)));
    }
}

#[derive(Clone, Copy)]
enum Operand {
    Register(u32),
    Memory(iced_x86::MemoryOperand),
}

#[derive(Clone, Copy)]
enum Source {
    Register(Register),
    Memory(iced_x86::MemoryOperand),
}

#[cfg(test)]
mod tests;
