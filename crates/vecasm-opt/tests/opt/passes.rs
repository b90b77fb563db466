//! Each pass on texts with the expected text beside it, and on random shaders against the interpreter.

use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine, Outputs};
use vecasm_ir::ir::random::{Rng, Size, shader};
use vecasm_ir::ir::text::{parse, parse_any, print};
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{Shader, Stage, StateId};
use vecasm_opt::{Unroll, clean, flatten, fold, number, overlay, promote, settle, specialize, unroll};

const HEAD: &str = "fragment test
  files r
  input 0 v0 varying 0 : f32x4
  output 0 oc color 0
  param 0 fc size 4 used 2

";

type Pass = fn(&Shader) -> Shader;

/// The body of what a pass makes of a body, without steps.
fn after(pass: Pass, body: &str) -> Vec<String> {
    let text = format!("{HEAD}{body}");
    let before = parse(&text, "test", &["r"]).expect("the text is sound");
    assert_eq!(verify(&before), []);
    let after = pass(&before);
    assert_eq!(verify(&after), []);
    let text = print(&after);
    let (_, body) = text.split_once("\n\n").expect("tables end with an empty line");
    body.lines().map(|l| l.split("  step").next().unwrap_or_default().trim().into()).collect()
}

/// Kinds of textures are given without a new shader; that is what the general way makes of them.
#[test]
fn settling_kinds_of_textures_is_what_specializing_is() {
    let head = "fragment test
  input 0 v varying 0 : f32x4
  output 0 o color 0
  state 0 kind-0 : u32 default=1
  state 1 fog : f32 default=0.5
  state 2 kind-1 : u32 default=1
  state 3 kind-2 : u32 default=3
  texture 0 s0 slot 0 2d dim=state kind-0
  texture 1 s1 slot 1 2d dim=state kind-1
  texture 2 s2 slot 2 2d dim=state kind-2

  %0 = input v : f32x4
  %1 = sample s0 %0.xyz : f32x4
  %2 = sample s1 %0.wzy : f32x4
  %3 = state fog : f32
";
    let tail = "  %5 = mul %1 %2 : f32x4
  %6 = mul %5 %3.xxxx : f32x4
  store o.xyzw %6
";
    // The last one reads a kind, so that it has to become a constant.
    let bodies = ["", "  %4 = sample s2 %0.yzw : f32x4\n  store o.xyzw %4\n", "  %4 = state kind-1 : u32\n"];
    for body in bodies {
        let tail = if body.contains("u32") { tail.replace("%3.xxxx", "%7.xxxx") } else { tail.into() };
        let more = if body.contains("u32") { "  %7 = to_f32 %4 : f32\n" } else { "" };
        let shader = parse(&format!("{head}{body}{more}{tail}"), "test", &[]).unwrap();
        for given in [&[][..], &[("kind-1", [3, 0, 0, 0])], &[("kind-0", [0; 4]), ("fog", [0; 4])]] {
            let settled = settle(shader.clone(), given);
            assert_eq!(verify(&settled), []);
            let fixed = shader.states.iter().zip(0..).filter_map(|(state, n)| {
                let named = given.iter().find(|(name, _)| *name == state.name).map(|(_, bits)| *bits);
                let usual = state.name.starts_with("kind").then_some(state.default);
                Some((StateId(n), named.or(usual)?))
            });
            let wanted = specialize(&shader, &fixed.collect::<Vec<_>>());
            assert_eq!(print(&clean(&fold(&settled))), print(&wanted), "{body:?} {given:?}");
        }
    }
}

#[test]
fn clean_narrows_lanes_and_drops_what_is_unused() {
    // Only lane y of the sum is read; the exponential is not read at all; the compose is a swizzle of one value.
    let body = "
  %0 = input v0 : f32x4  step 0
  %1 = param fc[1] : f32x4  step 0
  %2 = add %0.wzyx %1 : f32x4  step 1
  %3 = exp2 %2 : f32x4  step 2
  %4 = compose %2.y %2.y : f32x2  step 3
  store oc.xw %4  step 3
";
    assert_eq!(
        after(clean, body),
        [
            "%0 = input v0 : f32x4",
            "%1 = param fc[1] : f32x4",
            "%2 = add %0.z %1.y : f32",
            "store oc.xw %2.xx"
        ]
    );
}

#[test]
fn settling_drops_what_loops_carry_for_nobody() {
    // %6 counts the rounds, %7 is what is given behind; %8 and the second result are read by nobody but themselves.
    let body = "
  %0 = input v0 : f32x4  step 0
  %1 = const 3 : i32  step 0
  %2 = const 1 : i32  step 0
  %3: f32x2, %4: f32 = loop L0 %6: i32 = %1 %7: f32x2 = %0.xy %8: f32 = %0.z {
    %9 = lt %6 %2 : bool  step 1
    if %9 {
      leave L0 %7 %8
    } else {
    }
    %10 = sub %6 %2 : i32  step 2
    %11 = add %7 %7 : f32x2  step 3
    %12 = mul %8 %8 : f32  step 4
    yield %10 %11 %12
  }
  store oc.xy %3  step 5
";
    let got = after(|shader| settle(shader.clone(), &[]), body);
    let without = |line: &str| {
        line.replace(", %4: f32 =", " =")
            .replace(" %8: f32 = %0.z", "")
            .replace("%7 %8", "%7")
            .replace("%11 %12", "%11")
    };
    let mut wanted: Vec<String> = after(Clone::clone, body).iter().map(|line| without(line)).collect();
    wanted.retain(|line| !line.contains("mul"));
    assert_eq!(got, wanted);
}

#[test]
fn clean_keeps_branches_with_effects_and_drops_the_others() {
    let body = "
  %0 = input v0 : f32x4  step 0
  %1 = lt %0.x %0.y : bool  step 1
  %4: f32, %5: f32 = if %1 {
    %2 = neg %0.x : f32  step 2
    %3 = abs %0.x : f32  step 2
    yield %2 %3
  } else {
    yield %0.x %0.y
  }
  %6: f32 = if %1 {
    yield %0.z
  } else {
    yield %0.w
  }
  if %1 {
    demote %1  step 3
  } else {
  }
  store oc.x %5  step 4
";
    assert_eq!(
        after(clean, body),
        [
            "%0 = input v0 : f32x4",
            "%1 = lt %0.x %0.y : bool",
            "%3: f32 = if %1 {",
            "%2 = abs %0.x : f32",
            "yield %2",
            "} else {",
            "yield %0.y",
            "}",
            "if %1 {",
            "demote %1",
            "} else {",
            "}",
            "store oc.x %3"
        ]
    );
}

#[test]
fn fold_computes_constants_and_keeps_signed_zeros() {
    // 2·3 = 6 is known; x + 0 is not x (−0 + 0 is +0), x − 0 is; −−x is x, read through both swizzles.
    let body = "
  %0 = input v0 : f32x4  step 0
  %1 = const 2.0 0.0 1.0 : f32x3  step 0
  %2 = const 3.0 : f32  step 0
  %3 = mul %1.x %2 : f32  step 1
  %4 = add %0.x %1.y : f32  step 2
  %5 = sub %0.y %1.y : f32  step 3
  %6 = neg %0.zw : f32x2  step 4
  %7 = neg %6.yx : f32x2  step 5
  %8 = mul %7.x %1.z : f32  step 6
  %9 = compose %3 %4 %5 %8 : f32x4  step 7
  store oc.xyzw %9  step 7
";
    assert_eq!(
        after(|s| clean(&fold(s)), body),
        [
            "%0 = input v0 : f32x4",
            "%1 = const 0.0 : f32",
            "%2 = const 6.0 : f32",
            "%3 = add %0.x %1 : f32",
            "%4 = compose %2 %3 %0.yw : f32x4",
            "store oc.xyzw %4"
        ]
    );
}

#[test]
fn fold_takes_the_arm_that_runs() {
    let body = "
  %0 = input v0 : f32x4  step 0
  %1 = const true : bool  step 0
  %3: f32 = if %1 {
    %2 = abs %0.x : f32  step 1
    yield %2
  } else {
    yield %0.y
  }
  store oc.x %3  step 2
";
    assert_eq!(
        after(|s| clean(&fold(s)), body),
        ["%0 = input v0 : f32x4", "%1 = abs %0.x : f32", "store oc.x %1"]
    );
}

#[test]
fn loops_are_written_out_where_their_rounds_are_known() {
    // As Direct3D's rep: a number of rounds, tested before each; the sum of two rounds of `abs`, the second of the first.
    let repeated = |rounds: &str| {
        format!(
            "
  %0 = input v0 : f32x4
  %1 = {rounds}
  %2 = const 1 : i32
  %3 = const 0 : i32
  %9: f32 = loop L0 %4: i32 = %1 %5: f32 = %0.x {{
    %6 = ge %3 %4 : bool
    if %6 {{
      leave L0 %5
    }} else {{
    }}
    %7 = sub %4 %2 : i32
    %8 = sqrt %5 : f32
    yield %7 %8
  }}
  store oc.x %9
"
        )
    };
    let all: Pass = |s| clean(&unroll(s, Unroll { rounds: 4, nodes: 100 }));
    assert_eq!(
        after(all, &repeated("const 2 : i32")),
        ["%0 = input v0 : f32x4", "%1 = sqrt %0.x : f32", "%2 = sqrt %1 : f32", "store oc.x %2"]
    );
    // No round, as many as are written out at most (the last one only ends), and one more.
    assert_eq!(after(all, &repeated("const 0 : i32")), ["%0 = input v0 : f32x4", "store oc.x %0.x"]);
    assert_eq!(after(all, &repeated("const 3 : i32")).len(), 5);
    let is_loop = |body: &str| after(all, body).iter().any(|line| line.contains("= loop"));
    assert!(is_loop(&repeated("const 4 : i32")));
    // What the host sets is not known; nor is an end that depends on an input.
    assert!(is_loop(&repeated("as_i32 %0.w : i32")));
    let open = repeated("const 2 : i32").replace("%6 = ge %3 %4 : bool", "%6 = ge %5 %0.y : bool");
    assert!(is_loop(&open));
    // Out of two loops at once, from a round of the inner one that is known.
    let both = "
  %0 = input v0 : f32x4
  %1 = const true : bool
  %4: f32 = loop L0 %2: f32 = %0.x {
    %3: f32 = loop L1 {
      %5 = neg %2 : f32
      if %1 {
        leave L0 %5
      } else {
      }
      yield
    }
    yield %3
  }
  store oc.x %4
";
    assert_eq!(after(all, both), ["%0 = input v0 : f32x4", "%1 = neg %0.x : f32", "store oc.x %1"]);
    // A branch that is not known, in a loop that is.
    let branch = repeated("const 1 : i32").replace(
        "    %8 = sqrt %5 : f32
",
        "    %10 = lt %0.y %0.z : bool
    %8: f32 = if %10 {
      yield %0.w
    } else {
      yield %5
    }
",
    );
    assert_eq!(
        after(all, &branch),
        [
            "%0 = input v0 : f32x4",
            "%1 = lt %0.y %0.z : bool",
            "%2: f32 = if %1 {",
            "yield %0.w",
            "} else {",
            "yield %0.x",
            "}",
            "store oc.x %2"
        ]
    );
}

fn run(shader: &Shader, rng: &Rng) -> Outputs {
    let mut rng = rng.clone();
    let mut list =
        |n: usize| -> Vec<[u32; 4]> { (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect() };
    let batch = Batch {
        count: 4,
        inputs: vec![list(4), list(4)],
        params: vec![list(4)],
        fuel: Some(20),
        ..Batch::default()
    };
    Interp.run(shader, &batch).expect("the shader is sound")
}

/// Outputs with every NaN made the same.
fn visible(mut outputs: Outputs) -> Outputs {
    for lane in outputs.cells.iter_mut().flatten().flatten() {
        if f32::from_bits(*lane).is_nan() {
            *lane = 0x7fc0_0000;
        }
    }
    outputs
}

#[test]
fn passes_keep_the_meaning_of_random_shaders() {
    let passes: [(&str, Pass); 7] = [
        ("clean", clean),
        ("fold", fold),
        ("both", |s| clean(&fold(&clean(s)))),
        ("settle", |s| settle(s.clone(), &[])),
        ("number", |s| number(s, 0).unwrap_or_else(|| s.clone())),
        ("number for a text", |s| number(&clean(s), 18).unwrap_or_else(|| s.clone())),
        ("overlay", |s| overlay(s).unwrap_or_else(|| s.clone())),
    ];
    let mut fragments = 0;
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let before = shader(&mut rng, Size { nodes: 40, depth: 4 });
        assert_eq!(verify(&before), [], "seed {seed}\n{}", print(&before));
        let text = print(&before);
        let read = parse(&text, "random", &["r"]).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(print(&read), text, "seed {seed}");
        assert_eq!(read, before, "seed {seed}");
        let expected = visible(run(&before, &rng));
        fragments += usize::from(before.stage == Stage::Fragment);
        for (name, pass) in passes {
            let after = pass(&before);
            assert_eq!(verify(&after), [], "{name}, seed {seed}\n{text}\n{}", print(&after));
            assert_eq!(parse_any(&print(&after)).as_ref(), Ok(&after), "{name}, seed {seed}");
            let got = visible(run(&after, &rng));
            assert_eq!(got, expected, "{name}, seed {seed}\n{text}\n{}", print(&after));
        }
    }
    assert!(fragments > 100, "only {fragments} fragment shaders were made");
}

/// Rounds that are written out burn no fuel: those that ended without it give the same.
#[test]
fn unrolling_keeps_the_meaning_of_random_shaders() {
    let mut compared = 0;
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let before = shader(&mut rng, Size { nodes: 40, depth: 4 });
        let after = unroll(&before, Unroll { rounds: 8, nodes: 400 });
        let text = print(&before);
        assert_eq!(verify(&after), [], "seed {seed}\n{text}\n{}", print(&after));
        let expected = visible(run(&before, &rng));
        if expected.exhausted.contains(&true) || before == after {
            continue;
        }
        compared += 1;
        assert_eq!(visible(run(&after, &rng)), expected, "seed {seed}\n{text}\n{}", print(&after));
    }
    assert!(compared > 200, "only {compared} were compared");
}

#[test]
fn flattening_selects_what_branches_give_and_store() {
    let all: Pass = |s| clean(&promote(&flatten(s)));
    let body = "
  %0 = input v0 : f32x4
  %1 = lt %0.x %0.y : bool
  %2: f32 = if %1 {
    %3 = sqrt %0.z : f32
    store oc.x %3
    %4 = lt %0.w %0.y : bool
    demote %4
    yield %3
  } else {
    store oc.xy %0.wz
    yield %0.w
  }
  store oc.z %2
";
    assert_eq!(
        after(all, body),
        [
            "%0 = const 0.0 0.0 0.0 : f32x3",
            "%1 = input v0 : f32x4",
            "%2 = lt %1.x %1.y : bool",
            "%3 = sqrt %1.z : f32",
            "%4 = select %2 %3 %0.x : f32",
            "%5 = lt %1.w %1.y : bool",
            "%6 = and %2 %5 : bool",
            "%7 = compose %4 %0.yz : f32x3",
            "store oc.xyz %7",
            "demote %6",
            "%8 = compose %4 %0.y : f32x2",
            "%9 = select %2 %8 %1.wz : f32x2",
            "%10 = select %2 %3 %1.w : f32",
            "%11 = compose %9 %10 : f32x3",
            "store oc.xyz %11",
        ]
    );
    // Where a block was left, what follows does nothing.
    let body = "
  %0 = input v0 : f32x4
  %1 = lt %0.x %0.y : bool
  %2: f32 = block L0 {
    if %1 {
      leave L0 %0.x
    } else {
    }
    store oc.y %0.z
    yield %0.w
  }
  store oc.x %2
";
    let lines = after(all, body);
    assert!(!lines.iter().any(|line| line.contains("if") || line.contains("block")), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("select")).count(), 2, "{lines:?}");
    // A loop stays, with what is around it.
    let body = "
  %0 = input v0 : f32x4
  %1 = lt %0.x %0.y : bool
  if %1 {
    loop L0 {
      if %1 {
        store oc.x %0.x
      } else {
      }
      leave L0
    }
  } else {
  }
";
    let lines = after(flatten, body);
    assert_eq!(lines.iter().filter(|line| line.starts_with("if")).count(), 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("loop L0")), "{lines:?}");
}

#[test]
fn flattening_keeps_the_meaning_of_random_shaders() {
    let (mut compared, mut gone) = (0, 0);
    for seed in 0..900 {
        let mut rng = Rng::new(seed);
        let before = shader(&mut rng, Size { nodes: 40, depth: 4 });
        let lowered = vecasm_opt::lower(&before, vecasm_opt::Lower { switches: true, idioms: false });
        let after = flatten(&lowered);
        let text = print(&before);
        assert_eq!(verify(&after), [], "seed {seed}\n{text}\n{}", print(&after));
        let expected = visible(run(&before, &rng));
        if lowered == after {
            continue;
        }
        compared += 1;
        let count = |shader: &Shader| {
            print(shader).matches(" if ").count() + print(shader).matches(" block ").count()
        };
        gone += count(&lowered) - count(&after);
        assert_eq!(visible(run(&after, &rng)), expected, "seed {seed}\n{text}\n{}", print(&after));
    }
    assert!(compared > 100 && gone > 200, "only {compared} were compared, {gone} conditionals gone");
}

/// What runs as a vertex shader gives the same words in a buffer as a compute shader.
#[test]
fn dispatch_stores_what_the_vertex_shader_gives() {
    let (mut ran, mut stored) = (0, 0);
    for seed in 0..60 {
        let vertex = shader(&mut Rng::new(seed), Size { nodes: 20, depth: 2 });
        if vertex.stage != Stage::Vertex {
            continue;
        }
        let compute = vecasm_opt::dispatch(&vertex).expect("it is a plain vertex shader");
        assert_eq!(verify(&compute), []);
        let rng = &mut Rng::new(seed);
        let mut four = || core::array::from_fn::<u32, 4, _>(|_| rng.float());
        // One more than a workgroup holds.
        let count = 65;
        let batch = Batch {
            count,
            inputs: vertex.inputs.iter().map(|_| (0..count).map(|_| four()).collect()).collect(),
            params: vertex.params.iter().map(|p| (0..p.size).map(|_| four()).collect()).collect(),
            fuel: Some(50),
            ..Batch::default()
        };
        let expected = Interp.run(&vertex, &batch).expect("it runs");
        if expected.exhausted.contains(&true) {
            continue;
        }
        let bytes = |words: &mut dyn Iterator<Item = [u32; 4]>| -> Vec<u8> {
            words.flat_map(|four| four.into_iter().flat_map(u32::to_le_bytes)).collect()
        };
        let attributes = bytes(&mut (0..count).flat_map(|i| batch.inputs.iter().map(move |list| list[i])));
        let results = bytes(&mut (0..count).flat_map(|i| expected.cells.iter().map(move |cell| cell[i])));
        let cells = vertex.outputs.len();
        let dispatched = Batch {
            count: 128,
            inputs: Vec::new(),
            buffers: [attributes, vec![0; count * cells * 16]].into(),
            grid: [2, 1, 1],
            ..batch.clone()
        };
        let got = Interp.run(&compute, &dispatched).expect("it runs");
        assert_eq!(got.buffers[1], results, "seed {seed}");
        ran += 1;
        stored += results.iter().filter(|byte| **byte != 0).count();
    }
    assert!(ran > 5 && stored > 1000, "{ran} shaders, {stored} bytes");
}
