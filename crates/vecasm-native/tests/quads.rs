//! What invocations hold that take no part, seen through the derivatives of their neighbours.

mod common;

use common::compare;
use vecasm::exec::Batch;
use vecasm::ir::random::Rng;
use vecasm::ir::text::parse;
use vecasm_native::Isa;

const COUNT: usize = 16 * 40 + 6;

/// Runs the body of a shader on small numbers of either sign; its result is `%9`.
fn check(body: &str) {
    if Isa::best().is_none() {
        return println!("skipped: this processor has no AVX2");
    }
    let text = format!(
        "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
         %1 = const 0.0 : f32\n  %2 = lt %0 %1.xxxx : boolx4\n{body}  store o.x %9\n"
    );
    let shader = parse(&text, "test", &[]).expect("a shader");
    let mut rng = Rng::new(3);
    let mut four = || std::array::from_fn(|_| (rng.below(9) as f32 - 4.0).to_bits());
    let inputs = vec![(0..COUNT).map(|_| four()).collect()];
    let batch = Batch { count: COUNT, inputs, ..Batch::default() };
    compare(&shader, &batch).unwrap_or_else(|what| panic!("{what}\n{text}"));
}

#[test]
fn an_arm_gives_its_yields_to_all_that_take_its_way() {
    check(
        "  %9: f32 = if %2.x {\n    %5: f32 = if %2.y {\n      %3 = mul %0.z %0.z : f32\n      yield %3\n    } else {\n      \
         yield %0.w\n    }\n    %6 = ddx %5 : f32\n    %7 = ddy.coarse %5 : f32\n    %8 = add %6 %7 : f32\n    yield %8\n  } else {\n    \
         yield %0.z\n  }\n",
    );
}

#[test]
fn a_case_gives_its_yields_to_all_that_take_its_way() {
    check(
        "  %20 = to_i32 %0.y : i32\n  %9: f32 = if %2.x {\n    %5: f32 = switch %20 {\n      case -1 2 {\n        yield %0.w\n      }\n      \
         case 1 {\n        yield %0.z\n      }\n      default {\n        yield %0.y\n      }\n    }\n    %6 = ddx.coarse %5 : f32\n    \
         %7 = ddy %5 : f32\n    %8 = add %6 %7 : f32\n    yield %8\n  } else {\n    yield %0.z\n  }\n",
    );
}

#[test]
fn a_block_gives_its_yields_to_the_quads_that_reach_its_end() {
    check(
        "  %9: f32 = if %2.x {\n    %5: f32 = block L0 {\n      if %2.y {\n        leave L0 %0.z\n      } else {\n      }\n      \
         yield %0.w\n    }\n    %6 = ddx %5 : f32\n    %7 = ddy %5 : f32\n    %8 = add %6 %7 : f32\n    yield %8\n  } else {\n    \
         yield %0.z\n  }\n",
    );
}

#[test]
fn who_has_left_a_loop_keeps_its_parameters() {
    for again in ["", "        if %2.y {\n          again L1 %14 %7\n        } else {\n        }\n"] {
        check(&format!(
            "  %20 = const 1.0 : f32\n  %21 = const 5.0 : f32\n  %9: f32 = block L0 {{\n    loop L1 %3: f32 = %0.x %4: f32 = %1 {{\n      \
             %5 = ddx %3 : f32\n      %6 = ddy.coarse %3 : f32\n      %22 = add %5 %6 : f32\n      %7 = add %4 %22 : f32\n      \
             %14 = add %3 %20 : f32\n      %10 = ge %3 %21 : bool\n      if %10 {{\n        leave L0 %7\n      }} else {{\n{again}      }}\n      \
             yield %14 %7\n    }}\n    yield %1\n  }}\n"
        ));
    }
}

#[test]
fn rare_arguments_of_functions_count_where_neighbours_look() {
    for function in [
        "log2 %0.z",
        "rsq %0.z",
        "pow %0.z %0.w",
        "exp2.flush %10",
        "lit %0.x %10 %0.w",
        "sin %11",
        "cos %11",
        "add.nv20 %12 %0.z",
        "sub.nv20 %0.w %12",
        "dot.nv20 %13 %14",
    ] {
        check(&format!(
            "  %10 = rcp %0.z : f32\n  %20 = const 1e30 : f32\n  %11 = mul %0.w %20 : f32\n  %12 = rcp.nv20 %0.y : f32\n  \
             %13 = compose %12 %0.z : f32x2\n  %14 = compose %0.w %12 : f32x2\n  %9: f32 = if %2.x {{\n    %5 = {function} : f32\n    \
             %6 = ddx %5 : f32\n    %7 = ddy.coarse %5 : f32\n    %8 = add %6 %7 : f32\n    yield %8\n  }} else {{\n    yield %0.z\n  }}\n"
        ));
    }
}
