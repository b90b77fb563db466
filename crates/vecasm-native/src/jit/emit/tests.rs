//! Programs on virtual registers give the same where they run on those of the machine, however few these are.

use super::super::Isa;
use super::super::call::{self, Callee};
use super::super::frame::{CONTROL, Context, SAVED_BYTES};
use super::super::memory::Executable;
use super::super::mir::{Kind, MachineInst, MachineOp, NONE, Program, Src, V};
use super::emit;
use vecasm_ir::ir::random::Rng;

/// How deep regions stand in one another.
const DEPTH: usize = 3;

/// The words of a vector of either instruction set.
type Words = [u32; 16];

/// Makes up programs: one input and one output list of four vectors each.
struct Maker {
    rng: Rng,
    program: Program,
    /// Values that are written once, and can be read here; values that are written again and again.
    values: Vec<V>,
    variables: Vec<V>,
}

impl Maker {
    fn register(&mut self, kind: Kind) -> V {
        self.program.kinds.push(kind);
        self.program.kinds.len() as V - 1
    }

    fn push(&mut self, op: MachineOp, dst: V, src: [Src; 3], imm: u32) {
        self.program.code.push(MachineInst { op, dst, src, imm });
    }

    fn constant(&mut self, word: u32) -> Src {
        self.program.pool.push(u64::from(word) | u64::from(word) << 32);
        Src::C(self.program.pool.len() as u32 - 1)
    }

    /// Something to read.
    fn some(&mut self) -> Src {
        let all = self.values.len() + self.variables.len();
        if self.rng.one_in(8) {
            let word = self.rng.bits();
            return self.constant(word);
        }
        // Old values more often than chance would have it, so that many are alive.
        let at = if self.rng.one_in(2) { self.rng.below(all) } else { self.rng.below(all.min(40)) };
        Src::V(*self.values.get(at).unwrap_or_else(|| &self.variables[at - self.values.len()]))
    }

    fn mask(&mut self) -> V {
        let (mut a, b) = (self.some(), self.some());
        while matches!(a, Src::C(_)) {
            a = self.some();
        }
        let mask = self.register(Kind::Mask);
        let op = if self.rng.one_in(2) { MachineOp::Greater } else { MachineOp::Equal };
        self.push(op, mask, [a, b, Src::None], 0);
        mask
    }

    /// Some instructions, with regions in them.
    fn region(&mut self, length: usize, depth: usize) {
        let (values, mut rest) = (self.values.len(), length);
        while rest > 0 {
            rest -= 1;
            match self.rng.below(12) {
                0 | 1 => {
                    let (variable, value, mask) =
                        (self.rng.below(self.variables.len()), self.some(), self.mask());
                    let v = self.variables[variable];
                    self.push(MachineOp::Blend, v, [Src::V(v), value, Src::V(mask)], 0);
                }
                2 if depth > 0 => {
                    let (mask, label) = (self.mask(), self.program.labels);
                    self.program.labels += 1;
                    self.push(MachineOp::JumpIfNone, NONE, [Src::V(mask), Src::None, Src::None], label);
                    self.region(rest.min(8), depth - 1);
                    self.push(MachineOp::Label, NONE, [Src::None; 3], label);
                }
                3 if depth > 0 => {
                    let rounds = 1 + self.rng.below(3) as u32;
                    let (rounds, one, zero) =
                        (self.constant(rounds), self.constant(1), Src::C(Program::ZERO));
                    let (counter, mask) = (self.register(Kind::Vector), self.register(Kind::Mask));
                    self.push(MachineOp::Copy, counter, [rounds, Src::None, Src::None], 0);
                    self.push(MachineOp::MaskAll, mask, [Src::None; 3], 0);
                    self.push(MachineOp::LoopBegin, NONE, [Src::None; 3], 0);
                    self.region(rest.min(10), depth - 1);
                    self.push(MachineOp::ISub, counter, [Src::V(counter), one, Src::None], 0);
                    self.push(MachineOp::Greater, mask, [Src::V(counter), zero, Src::None], 0);
                    self.push(MachineOp::LoopEnd, NONE, [Src::V(mask), Src::None, Src::None], 0);
                }
                _ => {
                    let (a, b, dst) = (self.some(), self.some(), self.register(Kind::Vector));
                    let op =
                        [MachineOp::IAdd, MachineOp::ISub, MachineOp::Xor, MachineOp::IMul, MachineOp::MinU]
                            [self.rng.below(5)];
                    self.push(op, dst, [a, b, Src::None], 0);
                    self.values.push(dst);
                }
            }
        }
        // What is computed in a region is not there behind it.
        if depth < DEPTH {
            self.values.truncate(values);
        }
    }

    fn program(seed: u64) -> Program {
        let mut maker = Self {
            rng: Rng::new(seed),
            program: Program::default(),
            values: Vec::new(),
            variables: Vec::new(),
        };
        maker.program.pool.push(0);
        for part in 0..4 {
            let v = maker.register(Kind::Vector);
            maker.push(MachineOp::LoadList, v, [Src::None; 3], part);
            maker.values.push(v);
        }
        for _ in 0..1 + maker.rng.below(6) {
            let first = maker.some();
            let v = maker.register(Kind::Vector);
            maker.push(MachineOp::Copy, v, [first, Src::None, Src::None], 0);
            maker.variables.push(v);
        }
        // More values than there are registers, all of them needed at the end.
        let more = if maker.rng.one_in(2) { maker.rng.below(50) } else { 0 };
        for _ in 0..more {
            let (a, b, dst) = (maker.some(), maker.some(), maker.register(Kind::Vector));
            maker.push(MachineOp::IAdd, dst, [a, b, Src::None], 0);
            maker.values.push(dst);
        }
        let length = maker.rng.below(60);
        maker.region(length, DEPTH);
        for part in 0..4 {
            let mut all = Src::C(Program::ZERO);
            let list: Vec<V> = maker.values.iter().chain(&maker.variables).copied().collect();
            for v in list.into_iter().skip(part).step_by(3) {
                let dst = maker.register(Kind::Vector);
                maker.push(MachineOp::IAdd, dst, [Src::V(v), all, Src::None], 0);
                all = Src::V(dst);
            }
            let stored = maker.register(Kind::Vector);
            maker.push(MachineOp::Copy, stored, [all, Src::None, Src::None], 0);
            maker.push(MachineOp::StoreList, NONE, [Src::V(stored), Src::None, Src::None], 4 + part as u32);
        }
        maker.program
    }
}

/// What a program does, instruction by instruction.
fn simulate(program: &Program, lanes: usize, input: &[Words; 4]) -> [Words; 4] {
    let mut registers = vec![[0u32; 16]; program.kinds.len()];
    let mut out = [[0; 16]; 4];
    let mut loops = Vec::new();
    let mut at = 0;
    while let Some(ins) = program.code.get(at) {
        let value = |src: Src| match src {
            Src::V(v) => registers[v as usize],
            Src::C(entry) => [program.pool[entry as usize] as u32; 16],
            Src::None => [0; 16],
        };
        let [a, b, c] = ins.src.map(value);
        let each = |f: &dyn Fn(u32, u32) -> u32| std::array::from_fn(|lane| f(a[lane], b[lane]));
        let holds = |mask: Words| mask[..lanes].iter().any(|&word| word != 0);
        let flag = |holds: bool| if holds { u32::MAX } else { 0 };
        let result: Words = match ins.op {
            MachineOp::LoadList => input[ins.imm as usize],
            MachineOp::StoreList => {
                out[ins.imm as usize - 4] = a;
                a
            }
            MachineOp::Copy => a,
            MachineOp::IAdd => each(&u32::wrapping_add),
            MachineOp::ISub => each(&u32::wrapping_sub),
            MachineOp::IMul => each(&u32::wrapping_mul),
            MachineOp::Xor => each(&|a, b| a ^ b),
            MachineOp::MinU => each(&u32::min),
            MachineOp::Greater => each(&|a, b| flag(a as i32 > b as i32)),
            MachineOp::Equal => each(&|a, b| flag(a == b)),
            MachineOp::MaskAll => [u32::MAX; 16],
            MachineOp::Blend => std::array::from_fn(|lane| if c[lane] != 0 { b[lane] } else { a[lane] }),
            MachineOp::JumpIfNone => {
                if !holds(a) {
                    let is_label = |ins: &MachineInst, label| ins.op == MachineOp::Label && ins.imm == label;
                    at = program.code.iter().position(|other| is_label(other, ins.imm)).expect("a label");
                }
                a
            }
            MachineOp::LoopBegin => {
                loops.push(at);
                a
            }
            MachineOp::LoopEnd => {
                let start = loops.pop().expect("a loop");
                if holds(a) {
                    loops.push(start);
                    at = start;
                }
                a
            }
            _ => a,
        };
        if ins.dst != NONE {
            registers[ins.dst as usize] = result;
        }
        at += 1;
    }
    out
}

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u32; 16]);

/// What its code does. Gives the number of vectors on the stack, too.
fn run(program: &Program, isa: Isa, input: &[Words; 4]) -> ([Words; 4], u32) {
    let machine = emit(program, isa).expect("code");
    let code = Executable::new(&machine.bytes).expect("memory");
    let lanes = isa.lanes();
    let mut pool = vec![Line([0; 16]); program.pool.len()];
    let entries = pool.as_mut_ptr().cast::<u32>();
    for (at, &bits) in program.pool.iter().enumerate() {
        for word in 0..isa.entry() / 4 {
            // SAFETY: an entry has at most 64 bytes.
            unsafe { entries.add(at * isa.entry() / 4 + word).write(bits as u32) };
        }
    }
    let mut slots = vec![Line([0; 16]); machine.slots as usize + 1];
    let mut saved = vec![Line([0; 16]); SAVED_BYTES.div_ceil(64)];
    let mut given: Vec<u32> = input.iter().flat_map(|part| part[..lanes].iter().copied()).collect();
    let mut got = vec![0u32; lanes * 4];
    let lists = [given.as_mut_ptr().cast::<u8>(), got.as_mut_ptr().cast::<u8>()];
    let mut callee = Callee {
        isa,
        program,
        sites: &machine.sites,
        saved: saved.as_mut_ptr().cast(),
        slots: slots.as_ptr().cast(),
        pool: pool.as_ptr().cast(),
        fetches: &[],
        params: &mut [],
        panic: None,
    };
    let mut context = Context {
        pool: pool.as_ptr().cast(),
        slots: slots.as_mut_ptr().cast(),
        saved: saved.as_mut_ptr().cast(),
        start: 0,
        end: (lanes * 16) as u64,
        rust: call::rust,
        with: (&raw mut callee).cast(),
        fuel: 1000,
        lists: lists.as_ptr(),
        modes: CONTROL,
        callers: 0,
        present: 0,
    };
    // SAFETY: the code is a function of this type; both lists have one block, and all else is as large as the code needs.
    let gave_up = unsafe {
        let run: unsafe extern "sysv64" fn(*mut Context) -> u32 = std::mem::transmute(code.start());
        run(&raw mut context)
    };
    assert_eq!(gave_up, 0);
    let mut out = [[0; 16]; 4];
    for (part, words) in out.iter_mut().zip(got.chunks(lanes)) {
        part[..lanes].copy_from_slice(words);
    }
    (out, machine.slots)
}

#[test]
fn values_survive_wherever_they_are_held() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there()) {
        let (mut most, mut none) = (0, 0);
        for seed in 0..3000 {
            let program = Maker::program(seed);
            let mut rng = Rng::new(seed);
            // Small numbers, so that some are equal, and some masks empty.
            let input: [Words; 4] = std::array::from_fn(|_| std::array::from_fn(|_| rng.below(5) as u32));
            let want = simulate(&program, isa.lanes(), &input).map(|part| part[..isa.lanes()].to_vec());
            let (got, slots) = run(&program, isa, &input);
            let got = got.map(|part| part[..isa.lanes()].to_vec());
            assert_eq!(got, want, "{isa:?}, seed {seed}: {:#?}", program.code);
            most = most.max(slots);
            none += u32::from(slots == 0);
        }
        // Some fit into registers, others do not.
        println!("{isa:?}: at most {most} vectors on the stack, {none} programs without");
        assert!(most > 20 && none > 0);
    }
}
