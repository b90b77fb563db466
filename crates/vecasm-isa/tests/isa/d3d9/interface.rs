//! What a shader takes and gives.

use vecasm_isa::d3d9::Version;
use vecasm_isa::d3d9::interface::{Interface, Port, interface};
use vecasm_isa::d3d9::text::parse;

fn of(text: &str) -> (Interface, Version) {
    let (program, findings) = parse(text);
    let program = program.unwrap_or_else(|| panic!("{text}: {findings:?}"));
    (interface(&program), program.version())
}

/// Ports as `register usage index lanes`, a `*` behind those that are not declared.
fn ports(ports: &[Port], version: Version) -> Vec<String> {
    let text = |port: &Port| {
        let usage = port.usage_name().map_or(String::from("-"), |name| format!("{name}{}", port.index));
        let mark = if port.declared { "" } else { "*" };
        let unused = if port.used { "" } else { " unused" };
        format!("{} {usage} {}{mark}{unused}", port.register(version), port.lanes.letters())
    };
    ports.iter().map(text).collect()
}

#[test]
fn vertex_shaders() {
    let (i, v) = of("vs_1_1\nmov oPos, v0\nmov oD1, v5\nmov oT0.xy, v7\nmov oFog, v4.w\nmov r3, c[a0.x+4]");
    assert_eq!(
        ports(&i.inputs, v),
        ["v0 position0 xyzw*", "v4 psize0 w*", "v5 color0 xyzw*", "v7 texcoord0 xy*"]
    );
    assert_eq!(
        ports(&i.outputs, v),
        ["oPos position0 xyzw*", "oFog fog0 xyzw*", "oD1 color1 xyzw*", "oT0 texcoord0 xy*"]
    );
    assert!(i.floats.indexed && i.floats.read == [4] && i.temporaries == 4);
    let (i, v) = of("vs_3_0\ndcl_position v0\ndcl_texcoord2 v1.xy\ndcl_position o0\ndcl_texcoord o1.xy\n\
         dcl_fog o1.z\ndef c0, 0, 0, 0, 0\nm4x4 o0, v0, c1\nmov o1.xyz, c0");
    assert_eq!(ports(&i.inputs, v), ["v0 position0 xyzw", "v1 texcoord2 xy unused"]);
    assert_eq!(ports(&i.outputs, v), ["o0 position0 xyzw", "o1 texcoord0 xy", "o1 fog0 z"]);
    assert_eq!((i.floats.read, i.floats.defined), ([1, 2, 3, 4].to_vec(), [0].to_vec()));
}

#[test]
fn pixel_shaders() {
    let (i, v) = of("ps_1_1\ntex t0\ntexbem t1, t0\ntexcoord t2\nmul r0, t1, v1");
    assert_eq!(
        ports(&i.inputs, v),
        ["v1 color1 xyzw*", "t0 texcoord0 xyzw*", "t1 texcoord1 xyzw*", "t2 texcoord2 xyzw*"]
    );
    assert_eq!(ports(&i.outputs, v), ["r0 color0 xyzw*"]);
    let samplers: Vec<_> = i.samplers.iter().map(|s| (s.number, s.used, s.bump)).collect();
    assert_eq!(samplers, [(0, true, false), (1, true, true)]);
    let (i, v) =
        of("ps_2_0\ndcl t0.xy\ndcl v0\ndcl_cube s1\ntexld r0, t0, s1\nmov oC0, r0\nmov oDepth, r0.x");
    assert_eq!(ports(&i.inputs, v), ["v0 color0 xyzw unused", "t0 texcoord0 xy"]);
    assert_eq!(ports(&i.outputs, v), ["oC0 color0 xyzw*", "oDepth depth0 xyzw*"]);
    assert_eq!((i.samplers[0].number, i.samplers[0].kind, i.samplers[0].used), (1, 3, true));
    let (i, v) = of("ps_3_0\ndcl_normal v0.xyz\ndcl vPos.xy\nmov oC0, vPos.xyxy");
    assert_eq!(ports(&i.inputs, v), ["v0 normal0 xyz unused", "vPos - xy"]);
    let (i, v) = of("ps_1_4\ntexcrd r0.xyz, t2.xyz\ntexld r1, t0\nphase\nmov r0, r1");
    assert_eq!(ports(&i.inputs, v), ["t0 texcoord0 xyz*", "t2 texcoord2 xyz*"]);
    assert_eq!(i.samplers.iter().map(|s| s.number).collect::<Vec<_>>(), [1]);
}
