//! Texts with what they say, errors with their lines, and hostile texts.

use super::{parse, parse_any, print};
use crate::ir::verify::verify;
use alloc::string::ToString;

const FILES: &[&str] = &["r"];

const SAMPLE: &str = "fragment test
  files r
  input 0 v0 varying 0 : f32x4
  output 0 oc color 0 init=0.0,0.0,0.0,1.0
  param 0 fc size 28 used 2 indexed
  texture 0 fs0 slot 0 2d wrap=repeat,clamp,repeat filter=linear mip=none anisotropy=4
  texture 1 fs3 slot 3 cube
  texture 2 \"SVIEW[2]\" slot 2 2d-array sampler=5 texels=u32
  texture 3 \"SVIEW[3]\" slot 3 cube-array depth wrap=mirror,mirror-once,border filter=linear,nearest mip=linear \
border=1e-45,3e-45,1.0,0xffffffff bias=-1.25 min-lod=0.5 max-lod=0x7fc00001 compare=less-equal seamless model=softpipe

  %0 = input v0 : f32x4                         step 0  home r3
  %1 = const 1.5 -0.0 0x7fc00001 : f32x3        step 0
  %2 = param fc[1] : f32x4                      step 0
  %3 = sample.bias(-1.5) fs0 %0.xy : f32x4      step 1
  %4 = to_i32 %2.w : i32                        step 2
  %5 = param.clamp fc[-3] %4 : f32x4            step 2
  %6 = lt %0.x %0.y : bool                      step 3
  %9: f32x4 @r1, %10: bool = if %6 {
    %7 = add %3 %5 : f32x4                        step 4  home r1
    yield %7 %6
  } else {
    %8 = not %6 : bool                            step 5
    yield %0.wzyx %8
  }
  %14: f32 = loop L0 %11: f32 = %0.x %12: bool = %10 {
    %13: f32 = block L1 {
      leave L1 %11
    }
    leave L0 %13
  }
  demote %10                                    step 6
  store oc.xw %9.yy                             step 7
";

#[test]
fn what_is_printed_is_read_back() {
    let shader = parse(SAMPLE, "test", FILES).unwrap();
    assert_eq!(print(&shader), SAMPLE);
    assert_eq!(parse_any(SAMPLE).unwrap(), shader);
    assert_eq!(verify(&shader), []);
}

#[test]
fn errors_name_their_line() {
    let bad = |from: &str, to: &str| {
        assert!(SAMPLE.contains(from), "{from}");
        parse(&SAMPLE.replacen(from, to, 1), "test", FILES).unwrap_err().to_string()
    };
    assert_eq!(bad("fragment test", "pixel test"), "line 1: `pixel` is not a stage");
    assert_eq!(bad("input 0 v0", "input 1 v0"), "line 3: number 0 is due here, not 1");
    assert_eq!(bad("= add", "= plus"), "line 19: `plus` is no operation");
    assert_eq!(bad("%3 %5", "%99999999"), "line 19: %99999999 is out of all proportion to the text");
    assert_eq!(bad("  } else {\n", "  }\n"), "line 21: an if needs its `} else {`");
    assert_eq!(bad("store oc", "store od"), "line 32: `od` stands in no table");
    assert_eq!(bad("bias(-1.5)", "bias(99)"), "line 14: a bias of 99 is not -16..15.875 in eighths");
}

#[test]
fn no_prefix_of_a_text_panics() {
    for end in 0..SAMPLE.len() {
        let _ = parse(&SAMPLE[..end], "test", FILES);
    }
}
