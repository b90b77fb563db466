//! The expected texts are derived by hand from the AGAL in each test: which lane of which register goes where.

use vecasm_emit::wgsl::{
    Binding, BindingKind, BindingPoint, Options, Space, Style, UnreadVaryings, write, write_pair,
};
use vecasm_ir::ir::{self, Scalar, Shader, Stage};
use vecasm_isa::agal::bytes::decode;
use vecasm_isa::agal::lift::{Options as LiftOptions, lift};
use vecasm_isa::agal::text::compat::{Assembler, CompatOptions, assemble};

fn shader(mode: &str, version: u32, text: &str) -> Shader {
    let options = CompatOptions { assembler: Assembler::Agal4, mode, version, ignore_limits: false };
    let out = assemble(text, &options);
    assert_eq!(out.error, None);
    lift(&decode(&out.bytes).unwrap(), &LiftOptions::default()).unwrap()
}

fn fragment(text: &str) -> Shader {
    shader("fragment", 2, text)
}

/// The lines between the braces of the entry point.
fn body(shader: &Shader) -> Vec<String> {
    styled(shader, Style::Folded)
}

fn styled(shader: &Shader, style: Style) -> Vec<String> {
    let source = write(shader, &Options { style, ..Options::default() }).unwrap().source;
    let start = source.find("\nfn ").unwrap();
    let lines = source[start + 1..].lines().skip(1).take_while(|line| *line != "}");
    lines.map(|line| line.strip_prefix("    ").unwrap().to_string()).collect()
}

#[test]
fn a_program_as_a_whole() {
    let vertex = shader("vertex", 1, "m44 op, va0, vc0\nmov v0, va1");
    let expected = "\
struct VertexInput {
    @location(0) va0: vec4f,
    @location(1) va1: vec4f,
}

struct VertexOutput {
    @builtin(position) op: vec4f,
    @location(0) v0: vec4f,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 4>;

@vertex
fn main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    out.op = vec4f(dot(in.va0, vc[0]), dot(in.va0, vc[1]), dot(in.va0, vc[2]), dot(in.va0, vc[3]));
    out.v0 = in.va1;
    return out;
}
";
    let output = write(&vertex, &Options::default()).unwrap();
    assert_eq!(output.source, expected);
    let kind = BindingKind::Constants { elements: 4, space: Space::Uniform, scalar: Scalar::F32 };
    let binding = Binding {
        stage: Stage::Vertex,
        place: BindingPoint { group: 0, binding: 0 },
        name: "vc".to_string(),
        kind,
    };
    assert_eq!(output.bindings, [binding]);
}

#[test]
fn an_instruction_is_a_statement_in_the_plain_style() {
    let source = "mul ft0, v0, fc0\nadd ft0.xy, ft0, v1\nmov ft1, ft0\nnrm ft1.xyz, ft1\nsat oc, ft1";
    let fragment = fragment(source);
    // One statement for each of the five.
    let wanted = [
        "let ft0 = in.v0 * fc[0];",
        "let ft0_1 = ft0.xy + in.v1.xy;",
        "let ft1 = vec4f(ft0_1, ft0.zw);",
        "let ft1_1 = ft1.xyz * inverseSqrt(dot(ft1.xyz, ft1.xyz));",
        "return saturate(vec4f(ft1_1, ft1.w));",
    ];
    assert_eq!(styled(&fragment, Style::Plain), wanted);
}

#[test]
fn a_single_lane_takes_its_own_lane() {
    let mov = fragment("mov ft0, v0\nmov ft0.y, v1\nmov oc, ft0");
    assert_eq!(body(&mov), ["return vec4f(in.v0.x, in.v1.y, in.v0.zw);"]);
    let mov = fragment("mov ft0, v0\nmov ft0.y, v1.w\nmov oc, ft0");
    assert_eq!(body(&mov), ["return vec4f(in.v0.x, in.v1.w, in.v0.zw);"]);
    let tex = fragment("mov ft0, v0\ntex ft0.w, v1, fs0 <2d,linear>\nmov oc, ft0");
    assert_eq!(body(&tex), ["return vec4f(in.v0.xyz, textureSample(fs0, fs0_sampler, in.v1.xy).w);"]);
    let m44 = shader("vertex", 1, "mov vt0, va0\nm44 vt0.w, va0, vc4\nmov op, vt0");
    assert_eq!(body(&m44), ["return vec4f(in.va0.xyz, dot(in.va0, vc[7]));"]);
    let add = fragment("mov ft0, v0\nadd ft0.z, v1, fc0\nmov oc, ft0");
    assert_eq!(body(&add), ["return vec4f(in.v0.xy, in.v1.z + fc[0].z, in.v0.w);"]);
    let two = fragment("mov ft0, v0\nmul ft0.xz, v1.wzyx, fc0\nmov oc, ft0");
    // Lane x is v1.w · fc0.x, lane z is v1.y · fc0.z.
    assert_eq!(
        body(&two),
        ["let ft0 = in.v1.wy * fc[0].xz;", "return vec4f(ft0.x, in.v0.y, ft0.y, in.v0.w);"]
    );
}

#[test]
fn outputs_written_in_parts_are_put_together() {
    let parts = fragment("mov oc.w, v0.w\nmov oc.xyz, v1.xyz");
    assert_eq!(body(&parts), ["return vec4f(in.v1.xyz, in.v0.w);"]);
    let overwritten = fragment("mov oc, v0\nmov oc.y, v1.y");
    assert_eq!(body(&overwritten), ["return vec4f(in.v0.x, in.v1.y, in.v0.zw);"]);
    // Lanes never written keep what the cell starts with.
    let missing = fragment("mov oc.yz, v1");
    assert_eq!(body(&missing), ["return vec4f(0.0, in.v1.yz, 0.0);"]);
}

#[test]
fn stores_in_branches_write_lanes() {
    let branch =
        fragment("mov oc, v0\nifl v1.x, v1.y\nmov oc.yz, v1\neif\nifl v1.z, v1.w\nmov oc.w, v1.x\neif");
    assert_eq!(
        body(&branch),
        [
            "var oc: vec4f;",
            "oc = in.v0;",
            "if (in.v1.x < in.v1.y) {",
            "    oc = vec4f(oc.x, in.v1.yz, oc.w);",
            "}",
            "if (in.v1.z < in.v1.w) {",
            "    oc.w = in.v1.x;",
            "}",
            "return oc;",
        ]
    );
}

#[test]
fn branches_become_variables_or_choices() {
    let both =
        fragment("mov ft0, v0\nife v1.x, fc0.x\nmul ft0, v0, v1\nels\nadd ft0, v0, v1\neif\nmov oc, ft0");
    assert_eq!(
        body(&both),
        [
            "var ft0: vec4f;",
            "if (in.v1.x == fc[0].x) {",
            "    ft0 = in.v0 * in.v1;",
            "} else {",
            "    ft0 = in.v0 + in.v1;",
            "}",
            "return ft0;",
        ]
    );
    let one = fragment("mov ft0, v0\nine v1.x, fc0.x\nmul ft0.xy, v0, v1\neif\nmov oc, ft0");
    assert_eq!(
        body(&one),
        [
            "var ft0 = in.v0.xy;",
            "if (in.v1.x != fc[0].x) {",
            "    ft0 = in.v0.xy * in.v1.xy;",
            "}",
            "return vec4f(ft0, in.v0.zw);",
        ]
    );
    // ifg a, b is a > b.
    let choice = fragment("mov ft0, v0\nifg v1.x, fc0.x\nmov ft0, v1\neif\nmov oc, ft0");
    assert_eq!(body(&choice), ["let ft0 = select(in.v0, in.v1, in.v1.x > fc[0].x);", "return ft0;"]);
}

#[test]
fn a_chain_of_conditional_writes_is_one_variable() {
    let chain = fragment(
        "mov ft0, v0\nifl v1.x, v1.y\nmul ft0, ft0, fc0\neif\nifl v1.z, v1.w\nadd ft0, ft0, fc1\neif\nmov oc, ft0",
    );
    assert_eq!(
        body(&chain),
        [
            "var ft0 = in.v0;",
            "if (in.v1.x < in.v1.y) {",
            "    ft0 = in.v0 * fc[0];",
            "}",
            "if (in.v1.z < in.v1.w) {",
            "    ft0 = ft0 + fc[1];",
            "}",
            "return ft0;",
        ]
    );
    // ft1 is used behind the second if only, but it is made of what ft0 was before.
    let between = fragment(
        "mov ft0, v0\nifl v1.x, v1.y\nmul ft0, ft0, fc0\neif\nmul ft1, ft0, fc2\nifl v1.z, v1.w\n\
         add ft0, ft0, fc1\neif\nadd oc, ft0, ft1",
    );
    assert_eq!(
        body(&between),
        [
            "var ft0 = in.v0;",
            "if (in.v1.x < in.v1.y) {",
            "    ft0 = in.v0 * fc[0];",
            "}",
            "let ft1 = ft0 * fc[2];",
            "if (in.v1.z < in.v1.w) {",
            "    ft0 = ft0 + fc[1];",
            "}",
            "return ft0 + ft1;",
        ]
    );
    // Both lanes change places: the second needs the first as it was.
    let swap = fragment(
        "mov ft0, v0\nmov ft1, v0\nifl v1.x, v1.y\nmul ft0, v0, fc0\nmul ft1, v0, fc1\neif\nifl v1.z, v1.w\n\
         mov ft2, ft0\nmov ft0, ft1\nmov ft1, ft2\neif\nsub oc, ft0, ft1",
    );
    assert_eq!(
        body(&swap)[6..],
        [
            "if (in.v1.z < in.v1.w) {",
            "    let ft1_1 = ft0;",
            "    ft0 = ft1;",
            "    ft1 = ft1_1;",
            "}",
            "return ft0 - ft1;",
        ]
    );
}

#[test]
fn texture_reads_leave_divergent_branches_and_stay_in_uniform_ones() {
    let divergent =
        fragment("mov ft0, v0\nifl v1.x, v1.y\ntex ft0, v1, fs0 <2d>\nkil ft0.w\neif\nmov oc, ft0");
    assert_eq!(
        body(&divergent),
        [
            "let t = in.v1.x < in.v1.y;",
            "let ft0 = textureSample(fs0, fs0_sampler, in.v1.xy);",
            "if (t && ft0.w < 0.0) {",
            "    discard;",
            "}",
            "return select(in.v0, ft0, t);",
        ]
    );
    let uniform = fragment("mov ft0, v0\nifl fc0.x, fc0.y\ntex ft0, v1, fs0 <2d>\neif\nmov oc, ft0");
    assert_eq!(
        body(&uniform),
        [
            "var ft0 = in.v0;",
            "if (fc[0].x < fc[0].y) {",
            "    ft0 = textureSample(fs0, fs0_sampler, in.v1.xy);",
            "}",
            "return ft0;",
        ]
    );
}

#[test]
fn a_pair_shares_its_varyings() {
    let vertex = shader("vertex", 1, "m44 op, va0, vc0\nmov v0, va1\nmul v1, va1, vc4");
    let pixel = fragment("mul oc, v0, fc0");
    let expected = "\
struct VertexInput {
    @location(0) va0: vec4f,
    @location(1) va1: vec4f,
}

struct Varyings {
    @builtin(position) op: vec4f,
    @location(0) v0: vec4f,
}

@group(0) @binding(0) var<uniform> vc: array<vec4f, 5>;

@vertex
fn vertex_main(in: VertexInput) -> Varyings {
    var out: Varyings;
    out.op = vec4f(dot(in.va0, vc[0]), dot(in.va0, vc[1]), dot(in.va0, vc[2]), dot(in.va0, vc[3]));
    out.v0 = in.va1;
    return out;
}

@group(1) @binding(0) var<uniform> fc: array<vec4f, 1>;

@fragment
fn fragment_main(in: Varyings) -> @location(0) vec4f {
    return in.v0 * fc[0];
}
";
    assert_eq!(write_pair(&vertex, &pixel, &Options::default()).unwrap().source, expected);
    let kept = Options { unread: UnreadVaryings::Keep, ..Options::default() };
    let kept = write_pair(&vertex, &pixel, &kept).unwrap().source;
    assert!(kept.contains("@location(1) v1: vec4f,") && kept.contains("out.v1 = in.va1 * vc[4];"), "{kept}");
    let missing = fragment("mov oc, v3");
    assert_eq!(write_pair(&vertex, &missing, &Options::default()).unwrap_err().id, "WGSL-varying");
    assert_eq!(write_pair(&pixel, &vertex, &Options::default()).unwrap_err().id, "WGSL-pair");
}

#[test]
fn computed_indices_are_clamped_before_the_offset_is_added() {
    // 128 constants: elements 0..=127, of which 5 + index is read.
    let vertex = shader("vertex", 1, "mov op, vc[va1.y+5]");
    assert_eq!(body(&vertex), ["return vc[clamp(i32(in.va1.y), -5, 122) + 5];"]);
    let source = write(&vertex, &Options::default()).unwrap().source;
    assert!(source.contains("vc: array<vec4f, 128>"), "{source}");
}

#[test]
fn several_targets_depth_and_instances() {
    let targets = fragment("mov fo0, v0\nmov fo1, v1\nmov od.x, v0.z");
    assert_eq!(
        body(&targets),
        [
            "var out: FragmentOutput;",
            "out.oc = in.v0;",
            "out.fo1 = in.v1;",
            "out.od = in.v0.z;",
            "return out;"
        ]
    );
    let instance = shader("vertex", 3, "add op, va0, iid.x");
    assert_eq!(body(&instance), ["return in.va0 + f32(in.iid);"]);
    let source = write(&instance, &Options::default()).unwrap().source;
    assert!(source.contains("    @builtin(instance_index) iid: u32,\n"), "{source}");
}

#[test]
fn operations_as_wgsl_says_them() {
    let one = |text: &str| body(&fragment(&format!("{text}\nmov oc, ft0"))).join("\n");
    assert_eq!(one("rcp ft0, v0.x"), "return vec4f(1.0 / in.v0.x);");
    assert_eq!(one("sqt ft0, v0"), "return sqrt(abs(in.v0));");
    assert_eq!(one("pow ft0, v0, fc0"), "return pow(abs(in.v0), fc[0]);");
    assert_eq!(one("seq ft0, v0, fc0.x"), "return vec4f(in.v0 == fc[0].xxxx);");
    assert_eq!(one("slt ft0, v0.x, fc0.x"), "return vec4f(f32(in.v0.x < fc[0].x));");
    assert_eq!(one("max ft0, v0, fc0.x"), "return max(in.v0, fc[0].xxxx);");
    assert_eq!(one("neg ft0, v0\nneg ft0, ft0"), "return -(-in.v0);");
    assert_eq!(one("neg ft0, v0\nadd ft0, v1, ft0"), "return in.v1 - in.v0;");
    assert_eq!(one("sub ft0, v0, v1\nsub ft0, v0, ft0"), "return in.v0 - (in.v0 - in.v1);");
    assert_eq!(one("ddx ft0, v0"), "return dpdxFine(in.v0);");
    assert_eq!(
        one("tex ft0, v0, fs1 <2d,-1.5>"),
        "return textureSampleBias(fs1, fs1_sampler, in.v0.xy, -1.5);"
    );
    let level = shader("vertex", 4, "tld vt0, va1, vs3 <2d>\nmov op, vt0");
    assert_eq!(body(&level), ["return textureSampleLevel(vs3, vs3_sampler, in.va1.xy, 0.0);"]);
}

#[test]
fn comments_and_names() {
    let pixel = fragment("mul ft0, v0, fc0\nadd ft1, ft0, ft0\nmov oc, ft1");
    let comments = ["mul ft0, v0, fc0", "add ft1, ft0, ft0", "mov oc,\nft1"].map(String::from);
    let mut options = Options { names: &[("ft0", "light"), ("v0", "color")], ..Options::default() };
    options.fragment.comments = &comments;
    let source = write(&pixel, &options).unwrap().source;
    let expected = "\
    // mul ft0, v0, fc0
    let light = in.color * fc[0];
    // add ft1, ft0, ft0
    // mov oc, ft1
    return light + light;
";
    assert!(source.contains(expected), "{source}");
    let wrong = Options { names: &[("ft0", "a b")], ..Options::default() };
    assert_eq!(write(&pixel, &wrong).unwrap_err().id, "WGSL-name");
}

#[test]
fn what_cannot_be_said_is_refused() {
    let pixel = fragment("tex oc, v0, fs0 <2d>");
    let mut options = Options::default();
    options.fragment.samplers = 16;
    assert_eq!(write(&pixel, &options).unwrap_err().id, "WGSL-binding");
    let geometry = "geometry test
        setup vertices-in=4 invocations=2 max-vertices=4 in=lines-adjacency out=line-strip
        input 0 v varying 0 : f32x4
        output 0 o varying 0
        output 1 l layer : u32
        %0 = const 1 : i32
        %1 = input_of v %0 : f32x4
        store o.xyzw %1
        emit_vertex 2
        end_primitive 0";
    let control = "tess-control test
        setup vertices-in=2 invocations=2
        output 0 o varying 0
        output 1 outer tess-outer
        output 2 p patch-varying 0
        %0 = const 1 : i32
        barrier
        %1 = load_of o %0 : f32x4
        store p.xyzw %1";
    let evaluation = "tess-eval test
        setup vertices-in=2
        input 0 p patch-varying 0 : f32x4
        input 1 place tess-coord : f32x3
        output 0 o varying 0
        %0 = input place : f32x3
        store o.xyz %0";
    for (text, features) in [
        (
            geometry,
            "geometry shaders; this one needs several invocations a primitive, primitives with their neighbours, \
             the inputs of other vertices, streams of vertices, vertices that it makes itself, a layer",
        ),
        (
            control,
            "tess-control shaders; this one needs barriers of a patch, the outputs of other vertices, \
             levels of tessellation, outputs of a patch",
        ),
        (evaluation, "tess-eval shaders; this one needs inputs of a patch, places in a patch"),
    ] {
        let shader = ir::text::parse(text, "test", &[]).unwrap();
        let refused = write(&shader, &Options::default()).unwrap_err();
        assert_eq!(refused.id, "WGSL-stage");
        assert_eq!(refused.message, format!("WGSL has no {features}"));
    }
}

#[test]
fn registers_with_brackets_give_names() {
    use vecasm_isa::tgsi::{lift, text};
    // Forty registers go round a loop, each a variable of its own: TEMP[1] and TEMP[10] are TEMP_1 and TEMP_10.
    let mut source =
        String::from("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..39]\nBGNLOOP\n");
    for n in 0..40 {
        source += &format!("ADD TEMP[{n}], TEMP[{}], IN[0]\n", (n + 1) % 40);
    }
    source += "UIF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\nADD OUT[0], TEMP[0], TEMP[39]\nEND\n";
    let (program, _) = text::parse(&source, &text::ParseOptions::default());
    let shader = lift::lift(&program.unwrap(), &lift::Options::default()).unwrap();
    let written = write(&shader, &Options::default()).unwrap().source;
    for n in 0..40 {
        assert!(written.contains(&format!("var TEMP_{n}")), "{n}: {written}");
    }
    assert!(!written.contains("t_r"), "{written}");
}
