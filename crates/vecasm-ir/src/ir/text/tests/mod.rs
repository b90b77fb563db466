//! Texts with what they say, errors with their lines, and hostile texts.
//!
//! * [`ops`]: every operation with every attribute;
//! * [`tables`]: every entry of every table, and every word;
//! * [`hostile`]: texts that are damaged, deep, long or full of one thing.

mod hostile;
mod ops;
mod tables;

use super::{TextError, parse, parse_any, print};
use crate::ir::random::{Rng, Size, shader};
use crate::ir::verify::verify;
use crate::ir::{
    Buffer, BufferKind, Dim, Format, Image, Input, InputKind, LocalArray, Output, OutputKind, ParamArray,
    Scalar, Shader, Stage, State, StateId, Texture, Type,
};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

/// A shader comes back from its text, and the text from what was read.
fn back(shader: &Shader) -> String {
    let text = print(shader);
    let read = parse_any(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(print(&read), text);
    assert!(read == *shader, "other than what was printed:\n{text}");
    text
}

/// Tables of every kind of thing, with names that are words, names that are none, names of several and no names.
fn every_table() -> Shader {
    let mut s = Shader::new(Stage::Fragment, "test", &["r", "TEMP(1)", "r", "", "ps1", "oc"]);
    let names = ["v0", "IN[3]", "twice", "twice", "", "shared", "of", "a \"b\"\\ \n; }", "größe"];
    for (i, name) in names.into_iter().enumerate() {
        let n = i as u32;
        s.inputs.push(Input::new(name, InputKind::Varying { location: n }, Type::F32X4));
        s.outputs.push(Output::new(name, OutputKind::Color { target: n }));
        s.params.push(ParamArray::new(name, 8));
        s.locals.push(LocalArray { name: name.into(), scalar: Scalar::F32, size: 8 });
        let ty = Type::new([Scalar::U32, Scalar::F32, Scalar::Bool][i % 3], 1 + n as u8 % 4);
        s.states.push(State { name: name.into(), ty, default: [0; 4] });
        let dim = Dim::ALL[i % Dim::ALL.len()];
        let dim_by = (i % 2 == 1).then_some(StateId(n));
        s.textures.push(Texture { dim_by, ..Texture::new(name, n, dim) });
        s.buffers.push(Buffer { name: name.into(), slot: n, kind: BufferKind::Storage, write: true });
        let format = Format::ALL[i % Format::ALL.len()];
        s.images.push(Image { name: name.into(), slot: n, dim, format, read: true, write: true });
    }
    s
}

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
    assert_eq!(bad("input 0 v0", "input 1 v0"), "line 3: expected number 0, found 1");
    assert_eq!(bad("= add", "= plus"), "line 19: `plus` is not an operation");
    assert_eq!(bad("%3 %5", "%99999999"), "line 19: %99999999 is too high for the length of the text");
    assert_eq!(bad("  } else {\n", "  }\n"), "line 21: an if needs its `} else {`");
    assert_eq!(bad("store oc", "store od"), "line 32: `od` is in no table");
    assert_eq!(
        bad("bias(-1.5)", "bias(99)"),
        "line 14: a bias of 99 is not a multiple of 1/8 in -16..15.875"
    );
}

#[test]
fn random_shaders_come_back() {
    for seed in 0..300 {
        back(&shader(&mut Rng::new(seed), Size { nodes: 40, depth: 5 }));
    }
}

/// The text of the nodes: switches, idioms, and constructs with as little as may be in them.
const NODES: &str = "vertex test
  files r TEMP
  registers va input 8, iid input, c param 96
  setup shared=16
  serial
  input 0 v0 attribute 0 : i32x4 semantic=TEXCOORD3
  output 0 o0 position carried semantic=\"POSITION 0\"
  output 1 o1 varying 4 : u32 init=0,1,2,4294967295 streams=0,0,1,3
  param 0 c : i32 size 96 used 0 indexed
  local 0 \"TEMP(1)\" : u32 size 16
  state 0 \"bump-matrix 1\" : f32x4 default=1.0,0.0,0.0,1.0
  state 1 dim : u32
  texture 0 s0 slot 0 2d dim=state dim
  buffer 0 shared slot 3 uniform
  buffer 1 \"\" slot 4 storage write
  image 0 \"IMAGE[0]\" slot 0 2d-ms-array rg11b10-float read write
  step 0 source 4 reads @r1.xy c[2].x c[-5].w writes @TEMP.xyzw o1.z

  %0 = input v0 : i32x4                         step 0
  %1 = const -1 0 : i64x2                       step 0
  %2 = const 0.1 : f64                          step 0  home TEMP7
  %3 = load_memory \"shared\"[of 4] %0.x %0.y : u32x2  step 0
  %4 = load_memory.handle shared %0.x %1.x : u32  step 0
  %5 = atomic.compare_exchange #1 %4 %4 %4 : u32  step 0
  %9: f32 @r0, %10: bool = switch %0.x {
    case 1 -2 2147483647 {
      %6 = mul.zero_wins.flush.precise %9 %9 : f32  step 1
      yield %6 %10
    }
    case {
    }
    default {
      switch %4 {
        case 4294967295 {
        }
        default {
        }
      }
      yield %9 %10
    }
  }
  idiom sincos () {
  }
  %12: f32x3 @r1 = idiom normalize (%9.xxx %0) {
    %11 = sum.nv20 %9.xx : f32x3                  step 2
    yield %11
  }
  if %10 {
  } else {
  }
  loop L7 {
    block L4294967295 {
      again L7
    }
    leave L7
  }
  store.undefined o1[-2147483648 of 4].xw %0.x %4.xx  step 3
  store_local.zero \"TEMP(1)\"[+15].y %0.x %4     step 3
  emit_vertex 3                                 step 4294967295
  mark 0 %9.xx %9 %9 %12.xxxx %4                step 4
";

#[test]
fn nodes_and_tables_read_as_they_are_written() {
    let shader = parse_any(NODES).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(back(&shader), NODES);
    let crate::ir::Node::Switch(switch) = &shader.body.nodes[6] else { panic!("{:?}", shader.body.nodes[6]) };
    // Case numbers are bits: -2 is all ones but the lowest.
    assert_eq!(switch.cases[0].0, [1, 0xffff_fffe, 0x7fff_ffff]);
    assert_eq!(shader.states[0].default, [0x3f80_0000, 0, 0, 0x3f80_0000]);
    assert_eq!(shader.outputs[1].init, [0, 1, 2, u32::MAX]);
    assert_eq!(shader.textures[0].dim_by, Some(StateId(1)));
}

#[test]
fn layout_and_defaults_are_free() {
    let terse = "vertex ir ; the head\r\n\r\n;\ninput 0 v attribute 0:f32x4 semantic=A\n\
                 output 0 o position\n%0=input v:f32x4\n\
                 \tstore o.x %0.y ; and a comment\n if  %1.x{ ;\n}else{\n}\n%1=const 0xff -0.50:f32x2 step 3";
    let shader = parse_any(terse).unwrap_or_else(|e| panic!("{e}"));
    let wanted = "vertex ir
  input 0 v attribute 0 : f32x4 semantic=A
  output 0 o position

  %0 = input v : f32x4                          step 0
  store o.x %0.y                                step 0
  if %1.x {
  } else {
  }
  %1 = const 3.57e-43 -0.5 : f32x2              step 3
";
    assert_eq!(back(&shader), wanted);
}

#[test]
fn errors_say_what_is_wrong() {
    // Each a text of which the last line is wrong, and the message.
    let head = "fragment t\nfiles r\ninput 0 v varying 0 : f32x4\ninput 1 v varying 1 : f32x4\n\
                output 0 o color 0\nparam 0 c size 4 used 4\nlocal 0 t size 4\n\
                texture 0 s slot 0 2d\nbuffer 0 b slot 0 storage\n";
    let cases = [
        ("files \"r", "a quoted name is not closed"),
        (r#"files "\x""#, r#"expected one of the escapes \\ \" \n \t \u{…}"#),
        ("registers r sampler", "`sampler` is not a use of registers"),
        ("registers r input 3 c", "expected the end of the line, found `c`"),
        ("setup size=3", "expected a setting of a stage, found `size`"),
        ("setup workgroup=1,2", "expected `,`, found the end of the line"),
        ("setup in=cubes", "`cubes` is not a kind of primitive"),
        ("serial 1", "expected the end of the line, found `1`"),
        ("input 2 w varying : f32", "expected a number, found `:`"),
        ("input 2 w sample-mask 1 : u32", "expected `:`, found `1`"),
        ("input 2 w vertex : u32", "expected a kind of input, found `vertex`"),
        ("input 2 w varying 2 : float4", "`float4` is not a type"),
        ("input 2 w varying 2 : f32x4 round", "`round` is not a setting of an input"),
        ("output 1 p fog init=0,0,0,x", "`x` is not a value of f32"),
        ("output 1 p fog init=1e99,0,0,0", "`1e99` is not a value of f32"),
        ("output 1 p fog streams=256,0,0,0", "`256` is not a number that fits"),
        ("param 1 d used 3", "expected `size`, found `used`"),
        ("texture 1 u slot 0 4d", "`4d` is not a dimension"),
        ("texture 1 u slot 0 2d dim=state q", "`q` is in no table"),
        ("texture 1 u slot 0 2d wrap=clamp,clamp", "expected `,`, found the end of the line"),
        ("texture 1 u slot 0 2d fliter=linear", "expected a setting of a texture, found `fliter`"),
        ("image 0 i slot 0 2d rgb8", "`rgb8` is not a format"),
        ("step 0 source 1 reads @r1.x", "expected `writes`, found the end of the line"),
        ("step 0 source 1 reads @r1.wx writes", "written lanes must be in ascending order"),
        ("step 0 source 1 reads @q1.x writes", "`q1` is not a register"),
        ("step 0 source 1 reads c[of 3].x writes", "a step accesses no such cell"),
        ("%0", "expected `:`, found the end of the line"),
        ("%0 = ", "expected an operation, found the end of the line"),
        ("%0 = input v : f32", "`v` is the name of several entries; pick one by `#number`"),
        ("%0 = input #0", "expected `:` and the type of the result, found the end of the line"),
        ("%0 = frobnicate : f32", "`frobnicate` is not an operation"),
        ("%0 = barrier.fast : f32", "`fast` does not belong to `barrier`"),
        ("%0 = add.clamp %1.x : f32", "`clamp` does not belong to `add`"),
        ("%0 = add.nv20.ieee %1.x : f32", "`ieee` does not belong to `add`"),
        ("%0 = add.1.2.3.4.5.6.7.8.9", "`add` has too many attributes"),
        ("%0 = sample.bias(1 s", "a `)` is missing"),
        ("%0 = sample.bias(0.1) s %1.xy : f32", "a bias of 0.1 is not a multiple of 1/8 in -16..15.875"),
        (
            "%0 = gather s %1.xy : f32",
            "`gather` lacks an attribute: `gather.LANE[.compare][.offset] TEXTURE %coordinate…`",
        ),
        ("%0 = const 1.0 : f32x2", "a constant has as many numbers as lanes; found 1"),
        ("%0 = const 1 2 3 : u64x3", "a constant of 64-bit lanes has at most two lanes"),
        ("%0 = const 1.5 : i32", "`1.5` is not a value of i32"),
        ("%0 = const 1 2 3 4 5 : f32x4", "expected a number, or `:` and the type of the constant, found `5`"),
        ("%0 = neg %1 : f32", "%1 is used before its definition"),
        ("%0 = neg %1.q : f32", "`q` are not lanes"),
        ("%0 = neg %1.xyzwx : f32", "`xyzwx` are not lanes"),
        ("%0 = neg %1. : f32", "expected one to four of the lanes x, y, z, w, found `:`"),
        ("%0 = neg v : f32", "expected `:` and the type of the result, found `v`"),
        (
            "%0 = param c : f32",
            "an element of an array is written `name[n]` or, with a computed index, `name[±n]`",
        ),
        (
            "%0 = param c[+1] %1.x : f32",
            "a computed index needs an out-of-range rule: `.zero`, `.clamp` or `.undefined`",
        ),
        ("%0 = param.zero c[1] %1.x : f32", "an out-of-range rule needs a computed index: `name[±n]`"),
        ("%0 = param.zero c[+1 %1.x : f32", "expected `]`, found `%`"),
        ("%0 = param.zero c[+2147483648] %1.x : f32", "2147483648 is not a number that fits"),
        ("%0 = load.zero o[+1] %1.x : f32", "an out-of-range rule needs a run: `name[±n of count]`"),
        ("%0 = load o[+1] %1.x : f32", "a run of cells is written `[±n of count]`"),
        ("%0 = load_memory.handle b[of 2] %1.x : u32", "a handle does not select from a run"),
        ("%0 = load_memory b[2] %1.x : u32", "a run of bindings is written `[of count]`"),
        ("store o %1.x", "expected a `.` and the lanes that are written, found `%`"),
        ("store o.x %1.x : f32", "a type and a home belong to a result, but the operation has none"),
        (
            "store_param.zero c[+1].x %1.x %1.x",
            "stores outside a parameter array are dropped; they have no out-of-range rule",
        ),
        ("store o.x %1.x step", "expected a number, found the end of the line"),
        ("store o.x %1.x home r0", "a type and a home belong to a result, but the operation has none"),
        ("%0 = neg %1.x : f32 home r65535", "`r65535` is not a register"),
        ("%0: f32, = if %1.x {", "expected a value, found `=`"),
        ("%0: f32 if %1.x {", "expected `=`, or `,` and another result,, found `if`"),
        ("%0: f32 = add %1.x", "`add` defines no results with types before the `=`"),
        ("block X {", "`X` is not a label"),
        ("block L+1 {", "`L` is not a label"),
        ("block L1 { barrier }", "expected the end of the line, found `barrier`"),
        ("idiom normal () {", "`normal` is not a composite instruction"),
        ("idiom lit %1 {", "expected `(`, found `%`"),
        ("switch %1.x {\ncase 1.5 {", "`1.5` is not a 32-bit number"),
        ("switch %1.x {\ncase 4294967296 {", "`4294967296` is not a 32-bit number"),
        ("switch %1.x {\n}", "expected `case` or `default`, found `}`"),
        ("switch %1.x {\ndefault {\n}\ncase 1 {", "expected `}`, found `case`"),
        ("loop L0 %1: f32 {", "expected `=`, found `{`"),
        ("if %1.x {\n}", "an if needs its `} else {`"),
        ("block L0 {\nyield\nbarrier", "a node follows a yield"),
        ("block L0 {", "a `}` is missing"),
        ("}", "a `}` without its `{`"),
        ("ä", "expected an operation, found `ä`"),
    ];
    let mut messages = vec![];
    for (line, wanted) in cases {
        let text = format!("{head}{line}");
        let error = parse_any(&text).expect_err(line);
        let last = text.lines().count() as u32;
        assert_eq!((error.line, error.message.as_str()), (last, wanted), "{line}");
        messages.push(error.message);
    }
    messages.sort();
    messages.dedup();
    assert!(messages.len() > 60, "{}", messages.len());
}

/// What the examples of the manual stand in.
const AROUND: &str = "fragment t
files ft
input 0 v0 varying 0 : f32x4
input 1 \"IN[1]\" varying 1 : f32x4
output 0 o0 color 0
param 0 fc size 8 used 8 indexed
local 0 \"TEMP(1)\" size 4
state 0 \"bump-matrix 1\" : f32x4
texture 0 fs0 slot 0 2d
texture 1 \"SVIEW[2]\" slot 1 2d-array
buffer 0 \"BUFFER[0]\" slot 0 storage write
image 0 \"IMAGE[0]\" slot 0 2d r32-uint read write
%0 = const 1.0 : f32
%2 = const 1.0 2.0 3.0 4.0 : f32x4
%3 = const 1 : u32
%4 = const 1 2 : i32x2
%5 = const 1 : u64
%6 = const true : bool
%9 = const 1 : i32
";

#[test]
fn the_manual_shows_what_is_printed() {
    let manual: Vec<&str> = include_str!("../mod.rs").lines().filter_map(|l| l.strip_prefix("//!")).collect();
    let manual: Vec<&str> = manual.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
    let manual = manual.join("\n");
    let blocks: Vec<&str> = manual.split("```text\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    let [shader, head, ops, nodes] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    assert_eq!(back(&parse_any(shader).unwrap_or_else(|e| panic!("{e}"))), *shader);
    assert_eq!(back(&parse_any(head).unwrap_or_else(|e| panic!("{e}"))).trim_end(), head.trim_end());
    for block in [ops, nodes] {
        let text = back(&parse_any(&format!("{AROUND}{block}")).unwrap_or_else(|e| panic!("{e}")));
        let lines = text.lines().map(|l| l.split("  step ").next().unwrap_or(l).trim_end());
        let lines: Vec<&str> = lines.map(|l| l.strip_prefix("  ").unwrap_or(l)).collect();
        let wanted: Vec<&str> = block.lines().collect();
        assert_eq!(lines[lines.len() - wanted.len()..], wanted);
    }
}
