//! Why the invocations of a shader run one after another, and shaders that do not need to.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::op::{Effect, Place};
use vecasm_ir::ir::{Node, Op, ParamId, Region, Shader, Value};
use vecasm_ir::operand::WriteMask;

/// A register that one invocation of a [serial](Shader::serial) shader leaves to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedRegister {
    /// Its name, for example `c188`.
    pub register: String,
    /// The numbers of the source instructions that write it, from 0, in order; empty of an output that is carried over.
    pub writers: Vec<u32>,
    /// The numbers of the source instructions that are the first to read what the invocation before left there, or may do so
    /// because they read at a computed index. Without any the order of invocations makes no difference to it.
    pub readers: Vec<u32>,
}

/// The registers that invocations of a serial shader leave to the next, in the order of their numbers; none of another
/// shader.
pub fn carried_registers(shader: &Shader) -> Vec<CarriedRegister> {
    if !shader.serial {
        return Vec::new();
    }
    let reads = reads(shader);
    let mut stores: BTreeMap<(u32, Option<u32>), (u8, BTreeSet<u32>)> = BTreeMap::new();
    shader.body.for_each_inst(&mut |inst| {
        let parts = inst.op.parts();
        let (Some(Place::Param(array)), Some(mask)) = (parts.place, parts.mask) else { return };
        let (lanes, writers) = stores.entry((array.0, parts.fixed())).or_default();
        *lanes |= mask.bits();
        writers.insert(inst.step);
    });
    let parameters = stores.into_iter().map(|((array, index), (mask, writers))| {
        let meets = |read: &&Read| {
            let same = index.is_none() || read.index.is_none() || read.index == index;
            read.array == array && same && read.lanes & mask != 0
        };
        let readers: BTreeSet<u32> = reads.iter().filter(meets).map(|read| read.step).collect();
        let register = match (index, shader.params.get(array as usize)) {
            (Some(index), _) => shader.param_name(ParamId(array), index),
            (None, Some(array)) => format!("{}[…]", array.name),
            (None, None) => String::new(),
        };
        CarriedRegister {
            register,
            writers: writers.into_iter().collect(),
            readers: readers.into_iter().collect(),
        }
    });
    let carried = shader.outputs.iter().filter(|output| output.carried);
    let outputs = carried.map(|output| CarriedRegister {
        register: output.name.to_string(),
        writers: Vec::new(),
        readers: Vec::new(),
    });
    parameters.chain(outputs).collect()
}

/// The number of the source instruction, from 0, that makes the order of invocations matter: the first that reads what another
/// invocation left, else the first that leaves something. `None` of a shader that is not serial, and where it is only outputs
/// that are carried over.
pub fn orders(shader: &Shader) -> Option<u32> {
    let all = carried_registers(shader);
    let first = |steps: fn(&CarriedRegister) -> &[u32]| all.iter().flat_map(steps).min().copied();
    first(|one| &one.readers).or_else(|| first(|one| &one.writers))
}

/// Lanes of a parameter that an instruction of the source reads; at a computed index without a number.
struct Read {
    array: u32,
    index: Option<u32>,
    lanes: u8,
    step: u32,
}

/// Every read of a parameter, with the lanes that are used of it.
fn reads(shader: &Shader) -> Vec<Read> {
    let mut out: Vec<Read> = Vec::new();
    let mut values: BTreeMap<Value, usize> = BTreeMap::new();
    // Who uses a value in flow is not looked for: all of it may be used.
    let plain = shader.body.nodes.iter().all(|node| matches!(node, Node::Inst(_)));
    shader.body.for_each_inst(&mut |inst| {
        let (Effect::Read, Some(Place::Param(ParamId(array)))) = (inst.op.effect(), inst.op.place()) else {
            return;
        };
        let index = inst.op.parts().fixed();
        values.extend(inst.result.map(|value| (value, out.len())));
        let lanes = if plain { 0 } else { WriteMask::ALL.bits() };
        out.push(Read { array, index, lanes, step: inst.step });
    });
    shader.body.for_each_inst(&mut |inst| {
        if matches!(inst.op, Op::Mark(_)) {
            return;
        }
        for arg in shader.args(inst.args) {
            let Some(read) = values.get(&arg.value).and_then(|n| out.get_mut(*n)) else { continue };
            for n in 0..usize::from(arg.lanes) {
                read.lanes |= 1 << arg.swizzle.get(n);
            }
        }
    });
    out
}

/// The shader without its writes to parameters, if nothing in it reads what they leave: its invocations then give the same
/// outputs side by side. `None` of a shader that is not serial, or has to be.
#[must_use]
pub fn unorder(shader: &Shader) -> Option<Shader> {
    let needed = |handed: &CarriedRegister| handed.writers.is_empty() || !handed.readers.is_empty();
    if !shader.serial || carried_registers(shader).iter().any(needed) {
        return None;
    }
    let mut out = shader.clone();
    drop_stores(&mut out.body);
    out.serial = false;
    // An array is as long as what is left needs.
    let mut used: BTreeMap<u32, u32> = BTreeMap::new();
    out.body.for_each_inst(&mut |inst| {
        if let Op::Param { array, index } = inst.op {
            let end = used.entry(array.0).or_default();
            *end = (*end).max(index + 1);
        }
    });
    for (number, array) in out.params.iter_mut().enumerate() {
        if !array.indexed {
            array.used = used.get(&(number as u32)).copied().unwrap_or(0);
        }
    }
    Some(out)
}

/// Why the order of invocations matters, in words: which registers one leaves to the next, and who reads them.
pub fn why_serial(shader: &Shader) -> String {
    /// Most registers that are named.
    const NAMED: usize = 3;
    let all = carried_registers(shader);
    let mut out = String::from("each invocation sees what the previous one left");
    for (n, one) in all.iter().take(NAMED).enumerate() {
        out.push_str(if n == 0 { ": " } else { "; " });
        let CarriedRegister { register, writers, readers } = one;
        out.push_str(&match (writers.as_slice(), readers.as_slice()) {
            ([], _) => format!("{register} keeps its value"),
            (writers, []) => format!("{register} is written by {} and never read", instructions(writers)),
            (writers, readers) => {
                format!(
                    "{register} is written by {} and read by {}",
                    instructions(writers),
                    instructions(readers)
                )
            }
        });
    }
    if all.len() > NAMED {
        out.push_str(&format!("; and {} more registers", all.len() - NAMED));
    }
    out
}

/// Instructions by their numbers, from 1.
fn instructions(numbers: &[u32]) -> String {
    /// Most numbers that are given.
    const GIVEN: usize = 4;
    let mut words: Vec<String> = numbers.iter().take(GIVEN).map(|n| (n + 1).to_string()).collect();
    if numbers.len() > GIVEN {
        words.push("…".into());
    }
    format!("instruction{} {}", if numbers.len() == 1 { "" } else { "s" }, words.join(", "))
}

/// Takes out writes to parameters.
fn drop_stores(region: &mut Region) {
    let stores = |op: Op| op.effect() == Effect::Write && matches!(op.place(), Some(Place::Param(_)));
    region.nodes.retain(|node| !matches!(node, Node::Inst(inst) if stores(inst.op)));
    for node in &mut region.nodes {
        node.for_each_region_mut(drop_stores);
    }
}
