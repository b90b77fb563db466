//! What options change. The expected words are derived beside them.

use crate::spirv::reader::{check, text};
use vecasm_emit::options::BindingKind;
use vecasm_emit::spirv::{Environment, Options, PushConstants, Source, Spec, States, write};
use vecasm_ir::ir::text::parse_any;
use vecasm_ir::ir::{Scalar, Shader};

fn shader(text: &str) -> Shader {
    parse_any(text).unwrap()
}

/// The lines of a module that hold a word, without ids.
fn lines(words: &[u32], with: &str) -> Vec<String> {
    let bare = |line: &str| {
        let kept: Vec<&str> = line.split(' ').filter(|word| !word.starts_with('%') && *word != "=").collect();
        kept.join(" ")
    };
    text(words).lines().filter(|line| line.contains(with)).map(bare).collect()
}

const CONSTANTS: &str = "fragment ir
  output 0 o color 0
  param 0 c size 4 used 2
  param 1 b : bool size 16 used 1
  state 0 fog : f32x2 default=0.5,2.0
  state 1 on : bool default=true

  %0 = param c[1] : f32x4
  %1 = param b[0] : boolx4
  %2 = state fog : f32x2
  %3 = state on : bool
  %4 = and %1.x %3 : bool
  %5 = select %4 %0.x %2.y : f32
  store o.x %5
";

#[test]
fn constants_are_pushed_one_behind_the_other() {
    let options = Options { push_constants: true, ..Options::default() };
    let output = write(&shader(CONSTANTS), &options).unwrap();
    check(&output.words).unwrap();
    // c has two elements of 16 bytes that are used, so b begins at 32.
    let of =
        |name: &str, offset, elements, scalar| PushConstants { name: name.into(), offset, elements, scalar };
    assert_eq!(output.push, [of("c", 0, 2, Scalar::F32), of("b", 32, 1, Scalar::Bool)]);
    // Only the states are bound.
    assert!(matches!(output.bindings.as_slice(), [b] if b.kind == BindingKind::States { count: 2 }));
    // Member 0 at 0, member 1 at 32 (decoration 35); two states at 0 and 16.
    assert_eq!(
        lines(&output.words, "OpMemberDecorate"),
        ["0x0 0x23 0x0", "0x1 0x23 0x20", "0x0 0x23 0x0", "0x1 0x23 0x10"]
            .map(|l| format!("OpMemberDecorate {l}"))
    );
    // Storage class 9.
    assert_eq!(lines(&output.words, "OpVariable").iter().filter(|line| *line == "OpVariable 0x9").count(), 1);
}

#[test]
fn states_are_specialization_constants() {
    let options = Options { states: States::Specialized { first: 10 }, ..Options::default() };
    let output = write(&shader(CONSTANTS), &options).unwrap();
    check(&output.words).unwrap();
    // State n has the numbers from 10 + 4·n on.
    let of =
        |number, name: &str, lane, scalar, default| Spec { number, name: name.into(), lane, scalar, default };
    assert_eq!(
        output.specs,
        [
            of(10, "fog", 0, Scalar::F32, 0.5f32.to_bits()),
            of(11, "fog", 1, Scalar::F32, 2.0f32.to_bits()),
            of(14, "on", 0, Scalar::Bool, 1),
        ]
    );
    assert_eq!(lines(&output.words, "OpSpecConstantTrue"), ["OpSpecConstantTrue"]);
    assert_eq!(
        lines(&output.words, "OpSpecConstant "),
        ["OpSpecConstant 0x3f000000", "OpSpecConstant 0x40000000"]
    );
    // Decoration 1 is SpecId.
    assert_eq!(lines(&output.words, " 0x1 0xe"), ["OpDecorate 0x1 0xe"]);
    assert!(output.bindings.iter().all(|b| !matches!(b.kind, BindingKind::States { .. })));
}

#[test]
fn values_stand_in_the_module() {
    let rows = [[0; 4], [1.5f32, -2.0, 0.0, 4.0].map(f32::to_bits)];
    let values: [(&str, &[[u32; 4]]); 1] = [("c", &rows)];
    let options = Options { values: &values, ..Options::default() };
    let source = "fragment ir
  output 0 o color 0
  param 0 c size 4 used 2

  %0 = param c[1] : f32x4
  store o.xyzw %0
";
    let output = write(&shader(source), &options).unwrap();
    check(&output.words).unwrap();
    assert_eq!(output.bindings, []);
    assert_eq!(lines(&output.words, "OpLoad"), [""; 0]);
    let all = ["0x3fc00000", "0xc0000000", "0x0", "0x40800000"];
    assert_eq!(lines(&output.words, "OpConstant "), all.map(|bits| format!("OpConstant {bits}")));
    // By a computed index there is an array of four elements, the last two of zeros.
    let source = "fragment ir
  input 0 v varying 0 : f32x4
  output 0 o color 0
  param 0 c size 4 used 0 indexed

  %0 = input v : f32x4
  %1 = to_i32 %0.x : i32
  %2 = param.zero c[+0] %1 : f32x4
  store o.xyzw %2
";
    let output = write(&shader(source), &options).unwrap();
    check(&output.words).unwrap();
    assert_eq!(output.bindings, []);
    // Vectors: zeros and c[1]; then the array of them.
    assert_eq!(lines(&output.words, "OpConstantComposite").len(), 3);
}

#[test]
fn lines_of_the_source_stand_in_front_of_what_they_became() {
    let source = Source { file: "a.agal", text: "mov ft0, v0\nmov oc, ft0\n", lines: &[1, 2] };
    let options = Options { source: Some(source), ..Options::default() };
    let shader = shader(
        "fragment ir
  input 0 v varying 0 : f32x4
  output 0 o color 0

  %0 = input v : f32x4 step 0
  %1 = add %0 %0 : f32x4 step 1
  %2 = mul %1 %0 : f32x4 step 1
  store o.xyzw %2 step 1
",
    );
    let output = write(&shader, &options).unwrap();
    check(&output.words).unwrap();
    assert_eq!(lines(&output.words, "OpString"), ["OpString \"a.agal\""]);
    assert_eq!(lines(&output.words, "OpLine"), ["OpLine 0x1 0x0", "OpLine 0x2 0x0"]);
}

#[test]
fn positions_are_of_the_environment() {
    let source = "vertex ir
  input 0 v attribute 0 : f32x4
  output 0 o position

  %0 = input v : f32x4
  store o.xyzw %0
";
    let words = |options: Options<'_>| {
        let output = write(&shader(source), &options).unwrap();
        check(&output.words).unwrap();
        let body = text(&output.words);
        let start = body.find("OpLabel").unwrap();
        body[start..]
            .lines()
            .skip(1)
            .map(|l| l.split(' ').find(|w| w.starts_with("Op")).unwrap().into())
            .collect()
    };
    let gl = Environment::OpenGl45;
    let plain: Vec<String> = words(Options::default());
    assert_eq!(plain, ["OpLoad", "OpStore", "OpReturn", "OpFunctionEnd"]);
    // z becomes 2·z − w.
    let mapped: Vec<String> = words(Options::for_environment(gl));
    let extracts =
        ["OpLoad", "OpCompositeExtract", "OpCompositeExtract", "OpFAdd", "OpFSub", "OpCompositeInsert"];
    assert_eq!(mapped[..6], extracts);
    assert_eq!(words(Options { zero_to_one: true, ..Options::for_environment(gl) }), plain);
    assert_eq!(words(Options { hands_on: true, flip_y: true, ..Options::for_environment(gl) }), plain);
}

#[test]
fn textures_of_opengl_have_their_samplers() {
    let source = "fragment ir
  input 0 v varying 0 : f32x4
  output 0 o color 0
  texture 0 t slot 3 2d

  %0 = input v : f32x4
  %1 = sample t %0.xy : f32x4
  store o.xyzw %1
";
    let output = write(&shader(source), &Options::for_environment(Environment::OpenGl45)).unwrap();
    check(&output.words).unwrap();
    let bindings: Vec<(u32, bool)> =
        output.bindings.iter().map(|b| (b.binding, matches!(b.kind, BindingKind::Sampler { .. }))).collect();
    assert_eq!(bindings, [(3, false), (3, true)]);
    assert_eq!(lines(&output.words, "OpTypeSampler "), [""; 0]);
    // Decoration 34 is DescriptorSet.
    assert_eq!(lines(&output.words, "OpDecorate 0x22"), [""; 0]);
    assert_eq!(lines(&output.words, "OpSampledImage"), [""; 0]);
}

/// The window of OpenGL has y upwards, where the IR counts from the top.
#[test]
fn what_counts_from_the_top_is_turned_in_opengl() {
    let source = "fragment ir
  input 0 v varying 0 : f32x4
  input 1 place sample-position : f32x2
  output 0 o color 0

  %0 = input v : f32x4
  %1 = input place : f32x2
  %2 = ddy %0.xy : f32x2
  %3 = compose %1 %2 : f32x4
  store o.xyzw %3
";
    let turns = |environment| {
        let output = write(&shader(source), &Options::for_environment(environment)).unwrap();
        check(&output.words).unwrap();
        ["OpFNegate", "OpFMul", "OpFAdd"].map(|what| lines(&output.words, what).len())
    };
    assert_eq!(turns(Environment::Vulkan10), [0; 3]);
    // -ddy, and (x, y) · (1, -1) + (0, 1).
    assert_eq!(turns(Environment::OpenGl45), [1; 3]);
}
