//! What inputs and outputs that are relative to aL reach, where the program defines the values of the loop.

use super::code::{Code, Index, Register};
use super::findings::{Findings, rules};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::ir::DeclUsage;

rules! {
    pub(in crate::d3d9) const RULES; const;

    RANGE "D3D9-index-undeclared" Warning Documented "aL runs from %1 to %2 here and reaches %3, which is not declared",
        "Outputs and inputs of the models 3.0 may only be indexed within declared, contiguous ranges. Page shader-model-3; explicitly not validated. Known only if the program defines the integers of the loop.";
    RESERVED "D3D9-index-position" Warning Documented "aL runs from %1 to %2 here and reaches %3, which is the %4",
        "The registers of position and point size must not be indexed. Page shader-model-3; explicitly not validated.";
}

/// Registers of a file that are kept.
const KEPT: usize = 16;

/// Most turns of a loop that are looked at: more registers than any file has.
const TURNS: i64 = 256;

/// What is declared of a file: the usage of each register; of an index but 0 something that is no usage.
#[derive(Default)]
struct File([Option<u8>; KEPT]);

pub(super) fn pass(code: &Code<'_>, f: &mut Findings) {
    if code.version.major() < 3 {
        return;
    }
    let (mut inputs, mut outputs) = (File::default(), File::default());
    let mut integers: BTreeMap<u16, [i64; 3]> = BTreeMap::new();
    // Of each open loop the values of aL: first, step, number of turns.
    let mut loops: Vec<Option<[i64; 3]>> = Vec::new();
    for i in code.instructions() {
        let written = i.write.and_then(|write| Some((write, write.register?)));
        match (i.op, written) {
            (Some(Opcode::Dcl), Some((_, register))) => {
                let file = if register.ty == RegType::Output { &mut outputs } else { &mut inputs };
                // The position and the size are those of index 0.
                let usage = i.usage.filter(|usage| usage.index() == 0).map_or(u8::MAX, |usage| usage.usage());
                let known = matches!(register.ty, RegType::Input | RegType::Output);
                if let Some(slot) = file.0.get_mut(usize::from(register.number)).filter(|_| known) {
                    *slot = slot.or(Some(usage));
                }
            }
            (Some(Opcode::Defi), Some((_, register))) => {
                if let &[count, first, step, _] = i.numbers {
                    let values = [first, step, count].map(|word| i64::from(word as i32));
                    integers.insert(register.number, values);
                }
            }
            (Some(Opcode::Loop), _) => {
                let register = i.reads().last().and_then(|read| read.register);
                loops.push(register.and_then(|register| integers.get(&register.number)).copied());
            }
            (Some(Opcode::Endloop), _) => drop(loops.pop()),
            // A subroutine has the counter of whoever calls it.
            (Some(Opcode::Label), _) => loops.clear(),
            _ => {
                let Some(Some(values)) = loops.last() else { continue };
                let reads = i.reads().iter().map(|read| (read.register, read.index));
                let write = i.write.iter().map(|write| (write.register, write.index));
                for (register, index) in reads.chain(write) {
                    let Some((register, _)) = register.zip(index.filter(is_counter)) else { continue };
                    let file = match register.ty {
                        RegType::Output => &outputs,
                        RegType::Input => &inputs,
                        _ => continue,
                    };
                    if let Some((number, what)) = reached(register, *values, file) {
                        let [first, step, count] = *values;
                        let last = first + step * (count.clamp(1, TURNS) - 1);
                        let name = |number: i64| match u16::try_from(number) {
                            Ok(number) => {
                                alloc::format!("{}", Register { number, ..register }.name(code.version))
                            }
                            Err(_) => "a register below the first".into(),
                        };
                        let name = name(number);
                        let mut args: Vec<&dyn Display> = Vec::new();
                        args.extend::<[&dyn Display; 3]>([&first, &last, &name]);
                        match &what {
                            None => f.at(RANGE, &i, &args),
                            Some(usage) => {
                                args.push(usage);
                                f.at(RESERVED, &i, &args);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn is_counter(index: &Index) -> bool {
    index.ty() == Some(RegType::Loop)
}

/// The first register that must not be reached; if it is declared, with its usage.
fn reached(
    register: Register,
    [first, step, count]: [i64; 3],
    file: &File,
) -> Option<(i64, Option<&'static str>)> {
    (0..count.clamp(0, TURNS)).find_map(|turn| {
        let number = i64::from(register.number) + first + turn * step;
        let usage = usize::try_from(number).ok().and_then(|n| file.0.get(n).copied().flatten());
        let Some(usage) = usage else { return Some((number, None)) };
        let usage = DeclUsage::from_code(usage).filter(|_| register.ty == RegType::Output);
        let reserved = usage.filter(|usage| matches!(usage, DeclUsage::Position | DeclUsage::PointSize));
        reserved.map(|usage| (number, Some(usage.name())))
    })
}
