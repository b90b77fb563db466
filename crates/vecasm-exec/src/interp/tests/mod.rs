//! Each expectation is derived from the prose of the IR, by plain loops or by hand.

use super::plan::Plan;
use super::*;
use crate::BoundTexture;
use crate::texture::Texture;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::text::parse;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{
    Arg, Args, Dim, Filter, Input, InputId, InputKind, Inst, Interpolation, Label, Loop, Mip, Node, Op,
    OutOfRange, Output, OutputId, OutputKind, Pure, Region, SamplerState, Scalar, Slope, System, Type, Value,
    Wrap,
};
use vecasm_ir::operand::WriteMask;

mod cells;
mod groups;
mod hostile;
mod images;
mod prepared;
mod stages;
mod textures;
mod values;
mod walker;

/// Runs every engine of this crate, which give the same.
fn every(shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
    let outputs = Interp.run(shader, batch);
    assert_eq!(crate::lanes::Lanes::<crate::lanes::Portable>::default().run(shader, batch), outputs);
    outputs
}

/// A shader in the making, with what tests need often.
struct Making(Builder);

impl core::ops::Deref for Making {
    type Target = Builder;
    fn deref(&self) -> &Builder {
        &self.0
    }
}

impl core::ops::DerefMut for Making {
    fn deref_mut(&mut self) -> &mut Builder {
        &mut self.0
    }
}

impl Making {
    /// A new input, read.
    fn given(&mut self, kind: InputKind, ty: Type) -> Arg {
        let id = InputId(self.shader.inputs.len() as u32);
        let mut input = Input::new(alloc::format!("i{}", id.0), kind, ty);
        let varying = matches!(kind, InputKind::Varying { .. });
        if varying && self.shader.stage == Stage::Fragment && ty.scalar != Scalar::F32 {
            input.interpolation = Interpolation::Flat;
        }
        self.shader.inputs.push(input);
        self.op(Op::Input(id), &[])
    }

    fn system(&mut self, system: System) -> Arg {
        self.given(InputKind::System(system), system.ty())
    }

    fn constant(&mut self, scalar: Scalar, lanes: &[u64]) -> Arg {
        let bits = vecasm_ir::ir::op::constant_of(lanes, scalar).unwrap();
        let ty = Type::new(scalar, lanes.len() as u8);
        Arg::all_lanes(self.push_entry(Op::Const(bits), ty), ty.lanes)
    }

    /// A new output.
    fn output(&mut self, scalar: Scalar) -> OutputId {
        let n = self.shader.outputs.len() as u32;
        let kind = match self.shader.stage {
            Stage::Fragment => OutputKind::Color { target: n },
            _ => OutputKind::Varying { location: n },
        };
        let output = Output { scalar, ..Output::new(alloc::format!("o{n}"), kind) };
        self.shader.outputs.push(output);
        OutputId(n)
    }

    /// A new output that lanes are stored to.
    fn out(&mut self, scalar: Scalar, parts: &[Arg]) {
        let output = self.output(scalar);
        self.store(output, parts);
    }

    fn store(&mut self, output: OutputId, parts: &[Arg]) {
        let value = self.op(Op::Compose, parts);
        let mask = WriteMask::first(value.lanes);
        self.effect(Op::StoreOutput { output, mask }, &[value]);
    }
}

/// One lane of an argument.
fn lane(arg: Arg, lane: usize) -> Arg {
    Arg::lane(arg.value, arg.swizzle.get(lane))
}

fn build(stage: Stage, fill: impl FnOnce(&mut Making)) -> Shader {
    let mut making = Making(Builder::new(stage, "test", &["r"], 16));
    fill(&mut making);
    making.0.finish()
}

fn plan(shader: &Shader, batch: &Batch<'_>) -> Result<Plan, RunError> {
    Prepared::unverified(shader).plan(batch)
}

/// Runs a shader, which may break rules of the IR, with the sizes of a plan.
fn run(
    shader: &Shader,
    batch: &Batch<'_>,
    plan: &Plan,
    watch: Option<&mut dyn FnMut(&StepEvent<'_>)>,
) -> Result<Outputs, RunError> {
    let mut workspace = Workspace::default();
    match watch {
        Some(watch) => {
            Prepared::unverified(shader).run_as(&mut workspace, batch, plan, Some(&mut |event| watch(event)))
        }
        None => Prepared::unverified(shader).run_as(&mut workspace, batch, plan, None),
    }?;
    Ok(workspace.into_outputs())
}

/// Runs a shader, and again in packs of other sizes if it can, in the memory of other runs and in one that was spoilt.
fn go(shader: &Shader, batch: &Batch<'_>) -> Outputs {
    let prepared = Prepared::new(shader).unwrap();
    let plan = prepared.plan(batch).unwrap();
    let read = batch.as_read(shader);
    let read = read.as_ref().unwrap_or(batch);
    let outputs = run(shader, read, &plan, None).unwrap();
    assert_eq!(every(shader, batch).unwrap(), outputs);
    let mut workspace = Workspace::default();
    let sizes = if plan.pack == plan.group { &[][..] } else { &[1, 2, 3, 100][..] };
    for pack in sizes.iter().map(|groups| plan.group * groups).chain([plan.pack; 2]) {
        prepared.run_as(&mut workspace, read, &Plan { pack, ..plan }, None).unwrap();
        assert_eq!(workspace.outputs(), &outputs);
        workspace.spoil();
    }
    assert_eq!(prepared.run_in(&mut workspace, batch).unwrap(), &outputs);
    outputs
}

fn floats(lanes: [f32; 4]) -> [u32; 4] {
    lanes.map(f32::to_bits)
}

/// A shader from text; instructions need no `step`.
fn shader(text: &str) -> Shader {
    let mut full = String::new();
    for (i, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        full.push_str(line);
        let first = line.split_whitespace().next().unwrap_or("");
        let others = ["input", "output", "param", "texture", "yield", "leave", "again", "}"];
        if i > 0 && !others.contains(&first) && !line.contains('{') {
            full.push_str(" step 0");
        }
        full.push('\n');
    }
    let shader = parse(&full, "test", &[]).unwrap_or_else(|e| panic!("{e}\n{full}"));
    let breaches = verify(&shader);
    assert!(breaches.is_empty(), "{breaches:?}");
    shader
}

/// Runs a shader with one f32 input on the given values of its lane x; gives lane x of the first output.
fn run_x(shader: &Shader, inputs: &[f32]) -> (Vec<f32>, Outputs) {
    let lanes = inputs.iter().map(|x| [x.to_bits(), 0, 0, 0]).collect();
    let batch = Batch { count: inputs.len(), inputs: vec![lanes], fuel: Some(1000), ..Batch::default() };
    let outputs = every(shader, &batch).unwrap();
    let x = outputs.cells[0].iter().map(|cell| f32::from_bits(cell[0])).collect();
    (x, outputs)
}

#[test]
fn a_loop_goes_round_for_each_invocation_by_itself() {
    // The sum of 0, 1, … below the input, without its half: an `again` out of an arm skips that, in other rounds for
    // other invocations; a `leave` out of an arm ends.
    let shader = shader(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         output 0 op position
         %0 = input va0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 1.0 : f32
         %4: f32 = loop L0 %5: f32 = %1 %6: f32 = %1 {
           %7 = ge %5 %0.x : bool
           if %7 {
             leave L0 %6
           } else {
           }
           %8 = add %5 %2 : f32
           %3 = add %5 %5 : f32
           %9 = eq %3 %0.x : bool
           if %9 {
             again L0 %8 %6
           } else {
           }
           %10 = add %6 %5 : f32
           yield %8 %10
         }
         store op.x %4",
    );
    let inputs: Vec<f32> = (0..21).map(|i| ((i * 7) % 11) as f32).collect();
    let expected: Vec<f32> = inputs
        .iter()
        .map(|&n| (0..n as u32).filter(|&i| 2 * i != n as u32).map(|i| i as f32).sum())
        .collect();
    assert_eq!(run_x(&shader, &inputs).0, expected);
}

#[test]
fn parameters_of_a_loop_change_together() {
    // Each round exchanges the two, so after an even number of rounds they stand as they began.
    let shader = shader(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         output 0 op position
         %0 = input va0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 1.0 : f32
         %3 = const 10.0 : f32
         %4 = const 20.0 : f32
         %5: f32 = loop L0 %6: f32 = %1 %7: f32 = %3 %8: f32 = %4 {
           %9 = ge %6 %0.x : bool
           if %9 {
             leave L0 %7
           } else {
           }
           %10 = add %6 %2 : f32
           yield %10 %8 %7
         }
         store op.x %5",
    );
    assert_eq!(run_x(&shader, &[0.0, 1.0, 2.0, 3.0]).0, [10.0, 20.0, 10.0, 20.0]);
}

#[test]
fn the_next_round_is_not_seen_before_it_begins() {
    // In the first round the left column goes again with 2 while the right one looks at its neighbour, which has 1
    // still; in the second the left column sees the 1 that the right one ended with.
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0 init=9.0,0.0,0.0,0.0
         %0 = input v0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 1.0 : f32
         %3 = const 2.0 : f32
         %4 = eq %0.x %1 : bool
         loop L0 %5: f32 = %2 {
           %6 = lt %5 %3 : bool
           %7 = and %4 %6 : bool
           if %7 {
             again L0 %3
           } else {
           }
           %8 = ddx %5 : f32
           store oc.x %8
           leave L0
         }",
    );
    assert_eq!(run_x(&shader, &[0.0, 1.0, 0.0, 1.0]).0, [-1.0, 0.0, -1.0, 0.0]);
}

#[test]
fn a_leave_crosses_the_regions_between() {
    // Out of a loop, an arm and an inner block at once; negative inputs come to the end of the block instead.
    let shader = shader(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         output 0 op position
         %0 = input va0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 7.0 : f32
         %3: f32 = block L0 {
           block L1 {
             loop L2 {
               %4 = lt %0.x %1 : bool
               if %4 {
                 leave L1
               } else {
                 leave L0 %0.x
               }
             }
           }
           yield %2
         }
         store op.x %3",
    );
    assert_eq!(run_x(&shader, &[1.0, -1.0, 5.0, -3.0]).0, [1.0, 7.0, 5.0, 7.0]);
}

#[test]
fn fuel_ends_only_those_that_use_it_up() {
    // Each round writes its number; negative inputs never leave. 1000 units pay for 1000 further rounds.
    let shader = shader(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         output 0 op position
         %0 = input va0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 1.0 : f32
         %3 = lt %0.x %1 : bool
         %4 = not %3 : bool
         loop L0 %5: f32 = %1 {
           store op.x %5
           %6 = ge %5 %0.x : bool
           %7 = and %6 %4 : bool
           if %7 {
             leave L0
           } else {
           }
           %8 = add %5 %2 : f32
           yield %8
         }
         store op.y %2",
    );
    let (x, outputs) = run_x(&shader, &[2.0, -1.0, 1000.0, 1001.0, 0.0]);
    assert_eq!(x, [2.0, 1000.0, 1000.0, 1000.0, 0.0]);
    assert_eq!(outputs.exhausted, [false, true, false, true, false]);
    let after: Vec<bool> = outputs.cells[0].iter().map(|cell| cell[1] != 0).collect();
    assert_eq!(after, [true, false, true, false, true]);
}

#[test]
fn derivatives_in_divergent_flow_see_the_other_invocations() {
    // Only the first invocation enters the arm; its neighbours' squares are there nevertheless.
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         %0 = input v0 : f32x4
         %1 = const 2.0 : f32
         %2 = lt %0.x %1 : bool
         %3: f32, %4: f32 = if %2 {
           %5 = mul %0.x %0.x : f32
           %6 = ddx %5 : f32
           %7 = ddy %5 : f32
           yield %6 %7
         } else {
           yield %1 %1
         }
         %8 = compose %3 %4 : f32x2
         store oc.xy %8",
    );
    let (_, outputs) = run_x(&shader, &[1.0, 3.0, 7.0, 11.0]);
    let cells: Vec<[f32; 2]> =
        outputs.cells[0].iter().map(|c| [f32::from_bits(c[0]), f32::from_bits(c[1])]).collect();
    // 3² - 1² and 7² - 1².
    assert_eq!(cells, [[8.0, 48.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]);
}

#[test]
fn an_arm_nobody_entered_counts_as_zero() {
    // The outer arm is entered by the left column. Inside, the condition holds for the right column only, so the
    // inner arm is not entered, and the right column's 5 is not there: 0 - 2 instead of 5 - 2.
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         %0 = input v0 : f32x4
         %1 = const 0.0 : f32
         %2 = const 2.0 : f32
         %3 = const 5.0 : f32
         %4 = eq %0.x %1 : bool
         if %4 {
           %5 = not %4 : bool
           %6: f32 = if %5 {
             yield %3
           } else {
             yield %2
           }
           %7 = ddx %6 : f32
           store oc.x %7
         } else {
         }",
    );
    assert_eq!(run_x(&shader, &[0.0, 1.0, 0.0, 1.0]).0, [-2.0, 0.0, -2.0, 0.0]);
}

#[test]
fn a_demoted_invocation_still_takes_part_in_derivatives() {
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         %0 = input v0 : f32x4
         %1 = const 0.0 : f32
         store oc.y %0.x
         %2 = lt %0.x %1 : bool
         demote %2
         %3 = ddx %0.x : f32
         store oc.x %3",
    );
    let (x, outputs) = run_x(&shader, &[1.0, -3.0, -2.0, 5.0]);
    // The demoted ones have written lane y, before, and not lane x.
    assert_eq!(x, [-4.0, 0.0, 0.0, 7.0]);
    assert_eq!(outputs.killed, [false, true, true, false]);
    assert_eq!(f32::from_bits(outputs.cells[0][1][1]), -3.0);
}

#[test]
fn demotion_happens_under_the_mask() {
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         %0 = input v0 : f32x4
         %1 = const 0.0 : f32
         %2 = const true : bool
         %3 = lt %0.x %1 : bool
         if %3 {
           demote %2
         } else {
         }",
    );
    assert_eq!(run_x(&shader, &[1.0, -3.0, 2.0]).1.killed, [false, true, false]);
}

#[test]
fn helpers_write_nothing_but_are_seen() {
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0 init=1.0,0.0,0.0,0.0
         %0 = input v0 : f32x4
         %1 = ddx %0.x : f32
         store oc.x %1",
    );
    let inputs = vec![[2.0f32, 5.0, 7.0, 7.0].map(|x| [x.to_bits(), 0, 0, 0]).to_vec()];
    let helpers = vec![false, true, false, false];
    let batch = Batch { count: 4, inputs, helpers, ..Batch::default() };
    let outputs = every(&shader, &batch).unwrap();
    let x: Vec<f32> = outputs.cells[0].iter().map(|c| f32::from_bits(c[0])).collect();
    assert_eq!(x, [3.0, 1.0, 0.0, 0.0]);
    assert_eq!(outputs.killed, [false; 4]);
    // The last quad is completed with copies of its last invocation, so it is flat.
    assert_eq!(run_x(&shader, &[0.0, 1.0, 2.0, 4.0, 9.0]).0, [1.0, 1.0, 2.0, 2.0, 0.0]);
}

#[test]
fn computed_indices_follow_their_rule() {
    let program = |rule: &str| {
        shader(&alloc::format!(
            "vertex test
             input 0 va0 attribute 0 : f32x4
             output 0 op position
             param 0 c size 3 used 0 indexed
             %0 = input va0 : f32x4
             %1 = to_i32 %0.x : i32
             %2 = param.{rule} c[+1] %1 : f32x4
             store op.xyzw %2"
        ))
    };
    let lanes = |x: f32| [x.to_bits(), 0, 0, 0];
    let run = |shader: &Shader, indices: &[f32]| -> Vec<f32> {
        let batch = Batch {
            count: indices.len(),
            inputs: vec![indices.iter().map(|&x| lanes(x)).collect()],
            // The third element is not given, so it is zero.
            params: vec![vec![lanes(10.0), lanes(20.0)]],
            ..Batch::default()
        };
        let outputs = every(shader, &batch).unwrap();
        outputs.cells[0].iter().map(|c| f32::from_bits(c[0])).collect()
    };
    // The index is the input + 1, and the sum does not wrap.
    let indices = [-1.0, 0.0, 1.0, -9.0, 4e9, -4e9];
    assert_eq!(run(&program("zero"), &indices), [10.0, 20.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(run(&program("clamp"), &indices), [10.0, 20.0, 0.0, 10.0, 0.0, 10.0]);
}

#[test]
fn the_number_of_invocations_makes_no_difference() {
    let shader = shader(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         output 0 op position
         %0 = input va0 : f32x4
         %1 = dot %0 %0.yzwx : f32
         %2 = rsq %1 : f32
         %3 = mul %0 %2.xxxx : f32x4
         store op.xyzw %3",
    );
    let value = |i: usize| [1.5f32, 2.0, 3.25, 7.0].map(|x| (x + i as f32).to_bits());
    let all: Vec<[u32; 4]> = (0..19).map(value).collect();
    let whole = Batch { count: 19, inputs: vec![all.clone()], ..Batch::default() };
    let whole = every(&shader, &whole).unwrap();
    for (i, input) in all.iter().enumerate() {
        let one = Batch { count: 1, inputs: vec![vec![*input]], ..Batch::default() };
        assert_eq!(every(&shader, &one).unwrap().cells[0][0], whole.cells[0][i]);
    }
}

#[test]
fn missing_inputs_and_textures_have_defaults() {
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         output 1 fo1 color 1
         texture 0 fs0 slot 0 2d
         %0 = input v0 : f32x4
         store oc.xyzw %0
         %1 = sample fs0 %0.xy : f32x4
         store fo1.xyzw %1",
    );
    let outputs = every(&shader, &Batch { count: 1, ..Batch::default() }).unwrap();
    assert_eq!(outputs.cells[0][0], [0, 0, 0, 0x3f80_0000]);
    assert_eq!(outputs.cells[1][0], [0, 0, 0, 0x3f80_0000]);
}

#[test]
fn the_level_of_detail_comes_from_the_quad() {
    let shader = shader(
        "fragment test
         input 0 v0 varying 0 : f32x4
         output 0 oc color 0
         texture 0 fs0 slot 0 2d
         %0 = input v0 : f32x4
         %1 = sample fs0 %0.xy : f32x4
         store oc.x %1.x
         %2 = sample.bias(1.0) fs0 %0.xy : f32x4
         store oc.y %2.x
         %3 = sample.level fs0 %0.xy %0.z : f32x4
         store oc.z %3.x",
    );
    // Level n of the texture is n / 5 all over.
    let levels: Vec<Vec<u8>> = (0u8..4).map(|n| vec![n * 51; (8 >> n) * (8 >> n) * 4]).collect();
    let levels: Vec<&[u8]> = levels.iter().map(Vec::as_slice).collect();
    let texture = Texture::from_rgba8(Dim::D2, 8, 8, 1, &levels).unwrap();
    let sampler = SamplerState {
        wrap_u: Wrap::Clamp,
        wrap_v: Wrap::Clamp,
        wrap_w: Wrap::Clamp,
        mag: Filter::Nearest,
        min: Filter::Nearest,
        mip: Mip::Nearest,
        anisotropy: 1,
        ..SamplerState::PLAIN
    };
    // Two texels of level 0 from pixel to pixel: level 1, with the bias 2. Lane z asks for level 3.
    let at = |u: f32, v: f32| [u.to_bits(), v.to_bits(), 3.0f32.to_bits(), 0];
    let batch = Batch {
        count: 4,
        inputs: vec![vec![at(0.0, 0.0), at(0.25, 0.0), at(0.0, 0.25), at(0.25, 0.25)]],
        textures: vec![Some(BoundTexture { texture: &texture, sampler })],
        ..Batch::default()
    };
    let outputs = every(&shader, &batch).unwrap();
    for cell in &outputs.cells[0] {
        assert_eq!(cell.map(|bits| (f32::from_bits(bits) * 5.0).round()), [1.0, 2.0, 3.0, 0.0]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut broken = shader(
        "vertex test
         output 0 op position
         %0 = const 1.0 : f32
         store op.x %0",
    );
    broken.args[0].value = Value::new(7);
    let refused = every(&broken, &Batch { count: 1, ..Batch::default() });
    assert!(matches!(refused, Err(RunError::Malformed(_))), "{refused:?}");

    let flat = shader(
        "fragment test
         output 0 oc color 0
         texture 0 fs0 slot 0 cube
         %0 = const 1.0 1.0 1.0 : f32x3
         %1 = sample fs0 %0 : f32x4
         store oc.xyzw %1",
    );
    let texture = Texture::from_rgba8(Dim::D2, 1, 1, 1, &[&[0; 4]]).unwrap();
    let sampler = SamplerState::PLAIN;
    let textures = vec![Some(BoundTexture { texture: &texture, sampler })];
    let refused = every(&flat, &Batch { count: 1, textures, ..Batch::default() });
    assert!(matches!(refused, Err(RunError::Binding(_))), "{refused:?}");
}
