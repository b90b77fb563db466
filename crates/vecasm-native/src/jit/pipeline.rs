//! Instructions in another order, so that the machine finds enough to do.
//!
//! Most of a block's time is one chain of operations, each of which waits for the one before it: roots, logarithms, sums in a
//! given order. A processor looks ahead some hundred instructions, which is less than a block and the next one. So the chain is
//! cut into stages of equal time. A round of the code is one stage of each of several blocks: the first one of this block, the
//! second one of the block before, and so on, all of them mixed by the time at which they can start. What a stage leaves to the
//! next one stands on the stack from one round to the next.
//!
//! The first rounds find nothing there and compute anything; that goes where the first block's results will be later. The last
//! rounds begin the last block again. Code with jumps stays as it is.

use super::call::Computation;
use super::isa::Isa;
use super::mir::{Kind, MachineInst, MachineOp, NONE, Program, STAGE, Shape, Src, V};

/// The most stages: there are as many registers for the places of blocks.
pub(super) const MOST_STAGES: u32 = 3;
/// Cycles below which the time of a block is not worth cutting.
const SHORT: u32 = 100;
/// Where the cycle begins in a key of the order.
const CYCLE: u32 = 40;
/// Never.
const NEVER: u32 = u32::MAX;

/// Cycles until others can use what an instruction gives, about.
fn latency(op: MachineOp) -> u32 {
    match op {
        MachineOp::Add
        | MachineOp::Sub
        | MachineOp::Mul
        | MachineOp::MulKeep
        | MachineOp::Add64
        | MachineOp::Sub64
        | MachineOp::Mul64
        | MachineOp::IMul => 3,
        MachineOp::Fma | MachineOp::Fnma | MachineOp::Fma64 | MachineOp::Fnma64 => 4,
        MachineOp::Div | MachineOp::Div64 => 12,
        MachineOp::Sqrt => 16,
        MachineOp::Round
        | MachineOp::Round64
        | MachineOp::FromI32
        | MachineOp::TruncI32
        | MachineOp::FromU32
        | MachineOp::TruncU32 => 4,
        MachineOp::Widen | MachineOp::WidenI32 | MachineOp::Narrow | MachineOp::RsqrtGuess => 5,
        MachineOp::High | MachineOp::Join => 3,
        MachineOp::LoadList | MachineOp::LoadCarried => 7,
        MachineOp::Table => 20,
        _ => 1,
    }
}

/// Whether an instruction may change its place among others.
fn moves(ins: &MachineInst, program: &Program) -> bool {
    match ins.op.shape() {
        Shape::Other => match ins.op {
            MachineOp::Call => {
                let what = program.calls[ins.imm as usize].what;
                ins.src[2] != Src::None
                    && matches!(
                        what,
                        Computation::Pure(..) | Computation::Reduce(..) | Computation::Nv20Sum { .. }
                    )
            }
            op => matches!(
                op,
                MachineOp::MaskAnd
                    | MachineOp::MaskAndNot
                    | MachineOp::MaskOr
                    | MachineOp::MaskXor
                    | MachineOp::MaskNot
                    | MachineOp::MaskAll
                    | MachineOp::MaskNone
                    | MachineOp::Copy
                    | MachineOp::Blend
                    | MachineOp::Keep
                    | MachineOp::Drop
                    | MachineOp::MulKeep
                    | MachineOp::CompareAnd
                    | MachineOp::Widen
                    | MachineOp::WidenI32
                    | MachineOp::High
                    | MachineOp::Join
                    | MachineOp::Narrow
                    | MachineOp::Table
                    | MachineOp::LoadList
                    | MachineOp::StoreList
            ),
        },
        _ => true,
    }
}

/// What an instruction reads.
fn sources<'a>(program: &'a Program, ins: &'a MachineInst) -> impl Iterator<Item = V> + 'a {
    let args = if ins.op == MachineOp::Call { &program.calls[ins.imm as usize].args[..] } else { &[] };
    ins.src.iter().chain(args).filter_map(|src| match *src {
        Src::V(v) => Some(v),
        _ => None,
    })
}

/// A value that another stage than its own reads.
struct StagedValue {
    v: V,
    stage: u32,
    /// What it is there.
    name: V,
    /// Before what it is first read there.
    first: u64,
    /// The next one of the same value.
    next: u32,
}

/// Puts the instructions in another order, in stages, if there is any use in that.
pub(super) fn arrange(program: &mut Program, isa: Isa) {
    let Some(mut times) = Times::of(program) else { return };
    // Cycles that the machine needs if it never waits, about.
    let busy = times.live / 4;
    // Few registers make it worth less.
    let enough = if isa == Isa::Avx2 { busy + busy / 2 } else { busy };
    if times.length < enough.max(SHORT) {
        return;
    }
    let stages = (times.length / busy.max(1)).clamp(2, MOST_STAGES);
    let each = times.length / stages + 1;
    times.spread(program, each);
    let each = each.max(times.length / stages + 1);
    let places: Vec<(u32, u32)> = times.start.iter().map(|&start| (start / each, start % each)).collect();
    let stage_of = |at: usize| places[at].0;
    let key = |at: usize, sub: u64| u64::from(places[at].1) << CYCLE | (at as u64) << 8 | sub;
    // Where each value is made, and what other stages read of it.
    let mut carried: Vec<StagedValue> = Vec::new();
    let mut of = vec![NEVER; program.kinds.len()];
    let mut order: Vec<(u64, u32)> = Vec::with_capacity(program.code.len() + 64);
    let mut code: Vec<MachineInst> = Vec::with_capacity(program.code.len() + 64);
    let mut put = |key: u64, ins: MachineInst| {
        order.push((key, code.len() as u32));
        code.push(ins);
    };
    let count = program.kinds.len();
    for (at, ins) in program.code.iter().enumerate() {
        if times.start[at] == NEVER {
            continue;
        }
        let (here, place) = (stage_of(at), key(at, 0));
        for v in sources(program, ins) {
            let made = stage_of(times.made[v as usize] as usize);
            // Every stage on the way hands it on.
            let mut stage = here;
            while stage > made {
                let first = if stage == here { place } else { u64::MAX };
                let mut known = of[v as usize];
                while known != NEVER && carried[known as usize].stage != stage {
                    known = carried[known as usize].next;
                }
                if known == NEVER {
                    let name = (count + carried.len()) as V;
                    let next = std::mem::replace(&mut of[v as usize], carried.len() as u32);
                    carried.push(StagedValue { v, stage, name, first, next });
                } else {
                    let known = &mut carried[known as usize];
                    known.first = known.first.min(first);
                }
                stage -= 1;
            }
        }
    }
    let kinds: Vec<Kind> = carried.iter().map(|carried| program.kinds[carried.v as usize]).collect();
    program.kinds.extend(kinds);
    // From the last stage of each value on: it is read from the stack where it is first needed there, and the stage before writes
    // it behind that.
    let mut list: Vec<u32> = (0..carried.len() as u32).collect();
    list.sort_unstable_by_key(|&at| (carried[at as usize].v, std::cmp::Reverse(carried[at as usize].stage)));
    for (slot, &number) in list.iter().enumerate() {
        let StagedValue { v, stage, name, first, .. } = carried[number as usize];
        let read = first;
        let load =
            MachineInst { op: MachineOp::LoadCarried, dst: name, src: [Src::None; 3], imm: slot as u32 };
        put(read, load);
        let made = times.made[v as usize] as usize;
        let (before, from) = if stage_of(made) + 1 == stage {
            (key(made, 2), v)
        } else {
            let next = list.get(slot + 1).map_or(number, |&next| next) as usize;
            // It may be there for nothing but to be handed on.
            carried[next].first = carried[next].first.min(read + 1);
            (carried[next].first + 1, carried[next].name)
        };
        let store = MachineInst {
            op: MachineOp::StoreCarried,
            dst: NONE,
            src: [Src::V(from), Src::None, Src::None],
            imm: slot as u32,
        };
        put(before.max(read + 1), store);
    }
    // Values by their names in other stages.
    let renamed = |v: V, stage: u32| {
        let mut at = of[v as usize];
        while at != NEVER {
            let carried = &carried[at as usize];
            if carried.stage == stage {
                return carried.name;
            }
            at = carried.next;
        }
        v
    };
    for (at, ins) in program.code.iter().enumerate() {
        if times.start[at] == NEVER {
            continue;
        }
        let stage = stage_of(at);
        let mut ins = *ins;
        let rename = |src: &mut Src| {
            if let Src::V(v) = src {
                *v = renamed(*v, stage);
            }
        };
        ins.src.iter_mut().for_each(rename);
        match ins.op {
            MachineOp::LoadList | MachineOp::StoreList => ins.imm |= stage << STAGE,
            MachineOp::Call => program.calls[ins.imm as usize].args.iter_mut().for_each(rename),
            _ => {}
        }
        put(key(at, 1), ins);
    }
    let order = sorted(&order, each);
    program.code.clear();
    program.code.extend(order.into_iter().map(|(_, at)| code[at as usize]));
    program.stages = stages;
    program.carried = list.len() as u32;
}

/// In order: there are few of each cycle, of which there are so many. What has the same key was put there in order.
fn sorted(order: &[(u64, u32)], cycles: u32) -> Vec<(u64, u32)> {
    // Where those of each cycle begin; what is behind all of them is the last cycle's.
    let cycle = |key: u64| (key >> CYCLE).min(u64::from(cycles)) as usize;
    let mut starts = vec![0_u32; cycles as usize + 2];
    for &(key, _) in order {
        starts[cycle(key) + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut sorted = vec![(0, 0); order.len()];
    for &entry in order {
        let next = &mut next[cycle(entry.0)];
        sorted[*next as usize] = entry;
        *next += 1;
    }
    for range in starts.windows(2) {
        sorted[range[0] as usize..range[1] as usize].sort_unstable();
    }
    sorted
}

/// When instructions start, if nothing but what they read keeps them from it.
struct Times {
    /// [`NEVER`] where nobody reads the result.
    start: Vec<u32>,
    /// The instruction that makes each value.
    made: Vec<u32>,
    /// Until the last one is done.
    length: u32,
    /// How many there are.
    live: u32,
    /// Values that come from memory, but for their order.
    light: Vec<bool>,
    /// When values are there.
    ready: Vec<u32>,
}

impl Times {
    /// Nothing, if the order means something.
    fn of(program: &Program) -> Option<Self> {
        let (count, values) = (program.code.len(), program.kinds.len());
        let mut made = vec![NEVER; values];
        for (at, ins) in program.code.iter().enumerate() {
            if !moves(ins, program) {
                return None;
            }
            if ins.dst != NONE && std::mem::replace(&mut made[ins.dst as usize], at as u32) != NEVER {
                return None;
            }
        }
        let mut start = vec![NEVER; count];
        let mut used = vec![false; values];
        let mut live = 0;
        for (at, ins) in program.code.iter().enumerate().rev() {
            if ins.op.has_effect() || ins.dst != NONE && used[ins.dst as usize] {
                start[at] = 0;
                live += 1;
                sources(program, ins).for_each(|v| used[v as usize] = true);
            }
        }
        // As early as possible.
        let mut length = 0;
        let mut light = vec![false; values];
        let mut ready = vec![0; values];
        for (at, ins) in program.code.iter().enumerate() {
            if start[at] == NEVER {
                continue;
            }
            let mut early = 0;
            let mut all_light = true;
            for v in sources(program, ins) {
                early = early.max(ready[v as usize]);
                all_light &= light[v as usize];
            }
            let done = early + latency(ins.op);
            length = length.max(done);
            if ins.dst != NONE {
                ready[ins.dst as usize] = done;
                light[ins.dst as usize] = match ins.op {
                    MachineOp::LoadList => true,
                    MachineOp::UnpackLow
                    | MachineOp::UnpackHigh
                    | MachineOp::UnpackLow2
                    | MachineOp::UnpackHigh2 => all_light,
                    _ => false,
                };
            }
        }
        Some(Self { start, made, length, live, light, ready })
    }

    /// Puts what comes from memory as late as possible.
    fn delay(&mut self, program: &Program) {
        let Self { start, light, .. } = self;
        let mut late = vec![NEVER; program.kinds.len()];
        for (at, ins) in program.code.iter().enumerate().rev() {
            if start[at] == NEVER {
                continue;
            }
            if ins.dst != NONE && light[ins.dst as usize] {
                start[at] = start[at].max(late[ins.dst as usize].saturating_sub(latency(ins.op)));
            }
            for v in sources(program, ins) {
                late[v as usize] = late[v as usize].min(start[at]);
            }
        }
    }

    /// Lets no more instructions start at once, in all stages of so many cycles together, than the machine can begin.
    fn spread(&mut self, program: &Program, each: u32) {
        let most = self.live.div_ceil(each) + 1;
        let mut taken = vec![0u32; each as usize];
        // From a cycle that is full on, how far it is to one that may not be.
        let mut skip = vec![0u32; each as usize];
        self.length = 0;
        for (number, ins) in program.code.iter().enumerate() {
            if self.start[number] == NEVER {
                continue;
            }
            let mut early = sources(program, ins).map(|v| self.ready[v as usize]).fold(0, u32::max);
            // There is room for all of them.
            let mut at = early;
            let mut cycle = (early % each) as usize;
            while skip[cycle] > 0 {
                early += skip[cycle];
                cycle = (early % each) as usize;
            }
            while at < early {
                at += std::mem::replace(&mut skip[(at % each) as usize], early - at);
            }
            taken[cycle] += 1;
            if taken[cycle] == most {
                skip[cycle] = 1;
            }
            self.start[number] = early;
            let done = early + latency(ins.op);
            self.length = self.length.max(done);
            if ins.dst != NONE {
                self.ready[ins.dst as usize] = done;
            }
        }
        self.delay(program);
    }
}
