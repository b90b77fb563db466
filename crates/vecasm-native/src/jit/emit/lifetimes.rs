//! When values are needed: found in one walk forth and one back, before registers are given out.

use super::super::mir::{MachineInst, MachineOp, NONE, Program, Src, V};

/// Never.
pub(super) const NEVER: u32 = u32::MAX;

/// What an instruction finds out about the values it touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandUses {
    /// Nobody reads what it gives.
    pub(super) dead: bool,
    /// When each operand is needed next.
    pub(super) src: [u32; 3],
    pub(super) dst: u32,
}

/// What is known of all values before code is written.
#[derive(Debug)]
pub(super) struct Analysis {
    pub(super) fates: Vec<OperandUses>,
    /// For each end of a loop, in order: values from before it that are needed in it, and when they are needed next
    /// behind it.
    pub(super) carried: Vec<Vec<(V, u32)>>,
    /// For each start of a loop, by its place: which end is its, and the most values that are alive in it at once.
    pub(super) loops: Vec<(u32, usize, u32)>,
    /// For each call, when its arguments are needed next.
    pub(super) args: Vec<Vec<u32>>,
}

/// The values that an instruction reads, but those of `src`.
pub(super) fn more<'a>(program: &'a Program, ins: &MachineInst) -> &'a [Src] {
    if matches!(ins.op, MachineOp::Call | MachineOp::Ask) {
        &program.calls[ins.imm as usize].args
    } else {
        &[]
    }
}

impl Analysis {
    pub(super) fn of(program: &Program) -> Self {
        let count = program.kinds.len();
        let mut first = vec![NEVER; count];
        let mut writes = vec![0u8; count];
        let mut used = vec![false; count];
        // Starts of open loops, and what they carry.
        let mut open: Vec<(u32, Vec<V>)> = Vec::new();
        let mut carried: Vec<Vec<(V, u32)>> = Vec::new();
        let mut loops = Vec::new();
        for (at, ins) in program.code.iter().enumerate() {
            let at = at as u32;
            let mut touch = |v: V| {
                let first = &mut first[v as usize];
                *first = (*first).min(at);
                for (start, list) in &mut open {
                    if *first < *start {
                        list.push(v);
                    }
                }
            };
            for list in [&ins.src, more(program, ins)] {
                for src in list {
                    if let Src::V(v) = *src {
                        touch(v);
                    }
                }
            }
            if ins.dst != NONE {
                touch(ins.dst);
                let writes = &mut writes[ins.dst as usize];
                *writes = writes.saturating_add(1);
            }
            match ins.op {
                MachineOp::LoopBegin => open.push((at, Vec::new())),
                MachineOp::LoopEnd => {
                    let (start, mut list) = open.pop().unwrap_or_default();
                    list.sort_unstable();
                    list.dedup();
                    loops.push((start, carried.len(), 0));
                    carried.push(list.into_iter().map(|v| (v, NEVER)).collect());
                }
                _ => {}
            }
        }
        // What is written more than once stays alive from the first to the last time that it is touched, if anybody reads it.
        let again = writes.iter().any(|writes| *writes > 1);
        for ins in program.code.iter().filter(|_| again) {
            for src in ins.src.iter().chain(more(program, ins)) {
                if let Src::V(v) = *src {
                    used[v as usize] |= writes[v as usize] > 1;
                }
            }
        }
        let mut next = vec![NEVER; count];
        let mut fates = vec![OperandUses { dead: false, src: [NEVER; 3], dst: NEVER }; program.code.len()];
        let mut args = vec![Vec::new(); program.calls.len()];
        let mut end = carried.len();
        // How many values are alive, and the loops around.
        let mut alive = 0u32;
        let mut inside: Vec<usize> = Vec::new();
        for (at, ins) in program.code.iter().enumerate().rev() {
            let fate = &mut fates[at];
            let at = at as u32;
            match ins.op {
                MachineOp::LoopEnd => {
                    end -= 1;
                    inside.push(end);
                    for (v, after) in &mut carried[end] {
                        let next = &mut next[*v as usize];
                        *after = *next;
                        alive += u32::from(*next == NEVER);
                        *next = at;
                    }
                }
                MachineOp::LoopBegin => {
                    inside.pop();
                }
                _ => {}
            }
            let gives = ins.dst != NONE && used[ins.dst as usize];
            if !gives && !ins.op.has_effect() {
                fate.dead = true;
                continue;
            }
            if ins.dst != NONE {
                let v = ins.dst as usize;
                fate.dst = next[v];
                if writes[v] > 1 && first[v] != at {
                    alive += u32::from(next[v] == NEVER);
                    next[v] = at;
                } else {
                    alive -= u32::from(next[v] != NEVER);
                    next[v] = NEVER;
                }
            }
            for (src, needed) in ins.src.iter().zip(&mut fate.src) {
                if let Src::V(v) = *src {
                    // What is read and written at once is not needed in between.
                    *needed = if v == ins.dst { fate.dst } else { next[v as usize] };
                }
            }
            if matches!(ins.op, MachineOp::Call | MachineOp::Ask) {
                let needed = more(program, ins).iter();
                args[ins.imm as usize] =
                    needed.map(|src| if let Src::V(v) = *src { next[v as usize] } else { NEVER }).collect();
            }
            for list in [&ins.src, more(program, ins)] {
                for src in list {
                    if let Src::V(v) = *src {
                        alive += u32::from(next[v as usize] == NEVER);
                        next[v as usize] = at;
                        used[v as usize] = true;
                    }
                }
            }
            for &number in &inside {
                loops[number].2 = loops[number].2.max(alive);
            }
        }
        Self { fates, carried, loops, args }
    }
}
