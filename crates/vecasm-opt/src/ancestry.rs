//! Which source instructions made a component.

use super::clean::Need;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Op, Shader, Value};
use vecasm_ir::operand::WriteMask;

/// The steps of the [step table](vecasm_ir::ir::steps) that lane `lane` of write `write` of step `step` is made of, in the
/// order of the table, the step itself included: those that wrote a value which the lane depends on, through operations
/// and through the choices of `if`s and switches. What passes through memory (outputs that are read back, local arrays,
/// buffers) and when a loop is left are not followed. Empty if there is no such step, write or lane.
///
/// `lane` counts the lanes of the write's mask. It says what may have made the component, in any run; what did so in
/// one run is a part of it.
pub fn ancestry(shader: &Shader, step: u32, write: usize, lane: usize) -> Vec<u32> {
    let mut marks: Vec<(u32, &[Arg])> = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if let Op::Mark(of) = inst.op {
            let reads = shader.steps.get(of as usize).map_or(0, |s| s.reads.len());
            marks.push((of, shader.args(inst.args).get(reads..).unwrap_or(&[])));
        }
    });
    let roots = marks.iter().filter(|(of, _)| *of == step).filter_map(|(_, writes)| {
        let arg = writes.get(write).filter(|arg| lane < usize::from(arg.lanes))?;
        Some(Arg::lane(arg.value, arg.swizzle.get(lane)))
    });
    let need = Need::by(shader, roots);
    let made = |arg: &Arg| {
        let lanes = need.get(arg.value.index()).copied().unwrap_or(0);
        (0..usize::from(arg.lanes)).any(|lane| lanes >> arg.swizzle.get(lane) & 1 != 0)
    };
    let mut found: Vec<u32> =
        marks.iter().filter(|(_, writes)| writes.iter().any(made)).map(|(of, _)| *of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Which reads of a step lane `lane` of its write `write` is made of: pairs of the number of the read and the lanes of its
/// cell. Empty if there is no such step, write or lane, and where nothing that was read has a part in it.
///
/// `lane` counts the lanes of the write's mask. Where a step copies and another register happens to hold the same value,
/// a read may be listed that the lane does not need; none that it needs is missing.
pub fn origins(shader: &Shader, step: u32, write: usize, lane: usize) -> Vec<(usize, WriteMask)> {
    let Some(of) = shader.steps.get(step as usize) else { return Vec::new() };
    let mut args: &[Arg] = &[];
    shader.body.for_each_inst(&mut |inst| {
        if inst.op == Op::Mark(step) {
            args = shader.args(inst.args);
        }
    });
    let Some((reads, writes)) = args.split_at_checked(of.reads.len()) else { return Vec::new() };
    let Some(root) = writes.get(write).filter(|arg| lane < usize::from(arg.lanes)) else { return Vec::new() };
    let lanes_of = |arg: &Arg| -> Vec<(Value, u8)> {
        (0..usize::from(arg.lanes)).map(|lane| (arg.value, arg.swizzle.get(lane))).collect()
    };
    let stops: Vec<(Value, u8)> = reads.iter().flat_map(lanes_of).collect();
    let met = Need::until(shader, Arg::lane(root.value, root.swizzle.get(lane)), &stops);
    let need = Need::nothing(shader);
    let mut out = Vec::new();
    for (n, (arg, access)) in reads.iter().zip(&of.reads).enumerate() {
        let mut mask = WriteMask::NONE;
        for (place, lane) in lanes_of(arg).into_iter().zip(access.mask.lanes()) {
            let mut sources = need.sources(&[place]).into_iter();
            if sources.any(|(value, l)| met.get(value.index()).is_some_and(|met| met >> l & 1 != 0)) {
                mask = mask.union(WriteMask::lane(lane));
            }
        }
        if mask != WriteMask::NONE {
            out.push((n, mask));
        }
    }
    out
}
