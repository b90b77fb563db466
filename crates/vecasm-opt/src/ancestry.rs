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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean;
    use alloc::string::String;
    use vecasm_isa::agal::lift::{Depth, Options, lift};
    use vecasm_isa::agal::text::{ParseOptions, parse};

    #[test]
    fn each_component_has_its_own_ancestors() {
        let text = ".agal fragment 2\n\
                    mov ft0, v0\n\
                    rsq ft1.x, ft0.w\n\
                    mul ft0.xy, ft0.yx, ft1.x\n\
                    mov ft2.x, fc0.y\n\
                    ifl ft2.x, ft0.z\n\
                    sat ft0.y, ft0.y\n\
                    eif\n\
                    mov oc, ft0\n";
        let (program, _) = parse(text, &ParseOptions::default());
        let full = Options { depth: Depth::Full, ..Options::default() };
        let shader = lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
        // By source instruction: what writes nothing has no step of its own in the answer.
        let of = |shader: &Shader, source: u32, write: usize, lane: usize| -> Vec<u32> {
            let at = shader.steps.iter().position(|s| s.source == source).expect("it has a step") as u32;
            let steps = ancestry(shader, at, write, lane);
            steps.iter().map(|s| shader.steps[*s as usize].source).collect()
        };
        for shader in [shader.clone(), clean(&shader)] {
            // x: the product of v0.y and rsq(v0.w).
            assert_eq!(of(&shader, 7, 0, 0), [0, 1, 2, 7]);
            // y: that of v0.x, clamped or not, as ft2.x and v0.z say.
            assert_eq!(of(&shader, 7, 0, 1), [0, 1, 2, 3, 5, 7]);
            // z and w come straight from v0.
            assert_eq!(of(&shader, 7, 0, 2), [0, 7]);
            assert_eq!(of(&shader, 2, 0, 1), [0, 1, 2]);
            assert_eq!(of(&shader, 7, 1, 0), [0; 0]);
            assert_eq!(of(&shader, 7, 0, 4), [0; 0]);
        }
    }

    #[test]
    fn a_lane_knows_the_reads_it_is_made_of() {
        let text = ".agal fragment 1\n\
                    mov ft0, v0\n\
                    mul ft1.xz, ft0.wyyx, fc0.yxzw\n\
                    dp3 ft2.y, ft0, ft1.zzz\n\
                    sub oc, ft2.y, ft0\n";
        let (program, _) = parse(text, &ParseOptions::default());
        let full = Options { depth: Depth::Full, ..Options::default() };
        let shader = lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
        let of = |step: u32, lane: usize| -> Vec<String> {
            let name = |(n, mask): &(usize, WriteMask)| {
                let cell = shader.steps[step as usize].reads[*n].cell;
                alloc::format!("{}.{}", shader.cell_name(cell), mask.letters())
            };
            origins(&shader, step, 0, lane).iter().map(name).collect()
        };
        assert_eq!(of(0, 3), ["v0.w"]);
        // x is ft0.w · fc0.y, z is ft0.y · fc0.z.
        assert_eq!(of(1, 0), ["ft0.w", "fc[0].y"]);
        assert_eq!(of(1, 1), ["ft0.y", "fc[0].z"]);
        assert_eq!(of(2, 0), ["ft0.xyz", "ft1.z"]);
        assert_eq!(of(3, 2), ["ft2.y", "ft0.z"]);
        assert_eq!(of(3, 4), [""; 0]);
    }
}
