//! Run files for two small AGAL-like shaders, written as IR so that no instruction set is needed.

use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::{RunFile, results_hex, results_json};
use vecasm_exec::{Engine, Outputs};
use vecasm_ir::ir::{
    self, Compare, Dim, FileRole, Filter, FloatBits, Mip, RegisterFile, SamplerModel, SamplerQuirk,
    SamplerState, Scalar, Shader, Wrap, text,
};

/// Reads va0, va2, iid, vc1 and, by a computed index, others; writes op and v0.
fn vertex() -> Shader {
    let mut shader = text::parse(
        "vertex test
         input 0 va0 attribute 0 : f32x4
         input 1 va2 attribute 2 : f32x4
         input 2 iid instance-index : u32
         output 0 op position
         output 1 v0 varying 0
         param 0 vc size 4 used 2 indexed
         %0 = input va0 : f32x4 step 0
         %1 = input va2 : f32x4 step 0
         %2 = input iid : u32 step 0
         %3 = to_f32 %2 : f32 step 0
         %4 = param vc[1] : f32x4 step 0
         %5 = add %0 %4 : f32x4 step 0
         store op.xyzw %5 step 0
         store v0.xyz %1.xyz step 0
         store v0.w %3 step 0
         %6 = to_i32 %3 : i32 step 0
         %7 = param.clamp vc[+0] %6 : f32x4 step 0
         store v0.x %7.x step 0",
        "test",
        &[],
    )
    .unwrap();
    shader.registers = vec![
        RegisterFile { name: "va".into(), role: FileRole::Input, count: Some(8) },
        RegisterFile { name: "vc".into(), role: FileRole::Param, count: Some(4) },
        RegisterFile { name: "iid".into(), role: FileRole::Input, count: None },
    ];
    shader
}

/// Reads v0 and two textures; `neighbours` makes it read the first one with an implicit level.
fn fragment(neighbours: bool) -> Shader {
    let read = if neighbours {
        "%1 = sample fs0 %0.xy : f32x4 step 0"
    } else {
        "%1 = sample.level fs0 %0.xy %0.z : f32x4 step 0"
    };
    let mut shader = text::parse(
        &format!(
            "fragment test
             input 0 v0 varying 0 : f32x4
             output 0 oc color 0
             output 1 fo1 color 1
             texture 0 fs0 slot 0 2d wrap=repeat,repeat,repeat filter=nearest mip=none
             texture 1 fs3 slot 3 cube
             %0 = input v0 : f32x4 step 0
             {read}
             store oc.xyzw %1 step 0
             %2 = sample.level fs3 %0.xyz %0.z : f32x4 step 0
             store fo1.xyzw %2 step 0"
        ),
        "test",
        &[],
    )
    .unwrap();
    shader.registers = vec![
        RegisterFile { name: "v".into(), role: FileRole::Input, count: Some(8) },
        RegisterFile { name: "fc".into(), role: FileRole::Param, count: Some(28) },
        RegisterFile { name: "fs".into(), role: FileRole::Texture, count: Some(8) },
    ];
    shader
}

fn run(shader: &Shader, file: &RunFile) -> Outputs {
    Interp.run(shader, &file.batch()).unwrap()
}

fn error(shader: &Shader, text: &str) -> String {
    match RunFile::parse(text, shader) {
        Ok(_) => panic!("accepted: {text}"),
        Err(e) => format!("{e}"),
    }
}

const CUBE: &str = r#""fs3": {"kind": "cube", "width": 1, "height": 1, "rgba8":
    [[1,1,1,1], [2,2,2,2], [3,3,3,3], [4,4,4,4], [5,5,5,5], [255,0,51,0]]}"#;

#[test]
fn a_vertex_run() {
    let shader = vertex();
    let file = RunFile::parse(
        r#"{"constants": {"c1": [1, 0.5, -2e0, "0x3f800000"], "vc3": [9, 0, 0, 0], "vc0": [8, 0, 0, 0]},
            "inputs": [{"va0": [1], "va2": {"bytes4": [255, 0, 51, 102]}, "iid": 3, "va7": [1, 2]},
                       {"iid": "0x0", "va0": ["0x7f800000", 2, 3, 4], "va2": [5, 6, 7]}],
            "fuel": 12}"#,
        &shader,
    )
    .unwrap();
    assert_eq!((file.count, file.fuel), (2, Some(12)));
    let outputs = run(&shader, &file);
    let lanes = |cell: usize, i: usize| outputs.cells[cell][i].map(f32::from_bits);
    // (1, 0, 0, 1) + (1, 0.5, -2, 1); lane x of v0 is vc3.x and vc0.x, by the instance.
    assert_eq!(lanes(0, 0), [2.0, 0.5, -2.0, 2.0]);
    assert_eq!(lanes(1, 0), [9.0, 0.0, 0.2, 3.0]);
    assert_eq!(lanes(0, 1), [f32::INFINITY, 2.5, 1.0, 5.0]);
    assert_eq!(lanes(1, 1), [8.0, 6.0, 7.0, 0.0]);
    assert_eq!(
        results_hex(&shader, &outputs),
        "op 40000000 3f000000 c0000000 40000000 v0 41100000 00000000 3e4ccccd 40400000\n\
         op 7f800000 40200000 3f800000 40a00000 v0 41000000 40c00000 40e00000 00000000\n"
    );
    assert_eq!(
        results_json(&shader, &outputs),
        r#"{
  "outputs": [
    {"op": ["0x40000000", "0x3f000000", "0xc0000000", "0x40000000"], "v0": ["0x41100000", "0x00000000", "0x3e4ccccd", "0x40400000"]},
    {"op": ["0x7f800000", "0x40200000", "0x3f800000", "0x40a00000"], "v0": ["0x41000000", "0x40c00000", "0x40e00000", "0x00000000"]}
  ],
  "killed": [false, false],
  "exhausted": [false, false]
}
"#
    );
}

#[test]
fn a_fragment_run() {
    let shader = fragment(true);
    let text = format!(
        r#"{{"textures": {{"fs0": {{"width": 2, "height": 1, "rgba8": [[[255, 0, 0, 255], [0, 255, 0, 255]]]}}, {CUBE}}},
            "state": {{"fs3": {{"wrap": "repeat", "wrap_v": "clamp", "filter": "linear", "mip": "nearest", "anisotropy": 4}}}},
            "inputs": [{{"v0": [0.75, 0.5, -1, 0]}}]}}"#
    );
    let file = RunFile::parse(&text, &shader).unwrap();
    let states: Vec<SamplerState> = file.textures.iter().flatten().map(|(_, state)| *state).collect();
    assert_eq!(states[0].wrap_u, Wrap::Repeat);
    let given = SamplerState {
        wrap_u: Wrap::Repeat,
        wrap_v: Wrap::Clamp,
        wrap_w: Wrap::Repeat,
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Mip::Nearest,
        anisotropy: 4,
        ..SamplerState::PLAIN
    };
    assert_eq!(states[1], given);
    let outputs = run(&shader, &file);
    assert_eq!(outputs.cells[0][0].map(f32::from_bits), [0.0, 1.0, 0.0, 1.0]);
    // Face -Z.
    assert_eq!(outputs.cells[1][0].map(f32::from_bits), [1.0, 0.0, 0.2, 0.0]);
}

#[test]
fn levels_are_given_or_made() {
    let shader = fragment(false);
    let run = |fs0: &str| {
        let text = format!(
            r#"{{"textures": {{"fs0": {fs0}, {CUBE}}}, "inputs": [{{"v0": [0, 0, 0, 0]}}, {{"v0": [0, 0, 1, 0]}}]}}"#
        );
        RunFile::parse(&text, &shader)
    };
    let level = |file: &RunFile| {
        let texture = &file.textures[0].as_ref()?.0;
        Some((texture.level_count(), f32::from_bits(texture.texel(1, 0, 0, 0)[0])))
    };
    let given = run(r#"{"width": 2, "height": 1, "levels": [[0,0,0,0, 255,0,0,0], [51,0,0,0]]}"#).unwrap();
    assert_eq!((given.count, level(&given)), (2, Some((2, 0.2))));
    let made = run(r#"{"width": 2, "height": 1, "rgba8": [0,0,0,0, 255,0,0,0], "generate_levels": true}"#);
    assert_eq!(level(&made.unwrap()), Some((2, 0.5)));
}

#[test]
fn errors_name_their_place() {
    let shader = vertex();
    let with = |constants: &str, inputs: &str| format!(r#"{{"constants": {constants}, "inputs": {inputs}}}"#);
    let (c, i) = (r#"{"c1": [1, 2, 3, 4]}"#, r#"[{"va0": [1], "va2": [1], "iid": 0}]"#);
    assert!(RunFile::parse(&with(c, i), &shader).is_ok());
    for (text, expected) in [
        (with(r#"{"vc1": [1, 2, 3]}"#, i), "constants.vc1: expected 4 values, found 3"),
        (
            with(r#"{"vc1": [1, 2, 3, "0xg"]}"#, i),
            "constants.vc1[3]: \"0xg\" is not a value: expected \"nan\", \"inf\", \"-inf\", or bits, as 0x and 1 to 8 hexadecimal digits",
        ),
        (
            with(r#"{"vc1": [1, 2, 3, 1e39]}"#, i),
            "constants.vc1[3]: 1000000000000000000000000000000000000000 is beyond the range of f32",
        ),
        (
            with(r#"{"vc1": [1, 2, 3, null]}"#, i),
            "constants.vc1[3]: expected a number or a string \"0x…\", found null",
        ),
        (
            with(r#"{"vc1": [1, 2, 3, 4], "c1": [1, 2, 3, 4]}"#, i),
            "constants.vc1: this element is given twice, under two names",
        ),
        (
            with(r#"{"c1": [1, 2, 3, 4], "vc4": [1, 2, 3, 4]}"#, i),
            "constants.vc4: no such constant register; expected one of vc0 to vc3",
        ),
        (
            with(r#"{"c1": [1, 2, 3, 4], "c01": [1, 2, 3, 4]}"#, i),
            "constants.c01: no such constant register; expected one of vc0 to vc3",
        ),
        (with(r#"{"vc0": [1, 2, 3, 4]}"#, i), "constants: vc1 is missing: the program reads it"),
        // Others than vc1 are read by a computed index only, which may be in none of them.
        (with("{}", i), "constants: vc1 is missing: the program reads it"),
        (
            with(c, r#"[{"iPos": [1], "va2": [1], "iid": 0}]"#),
            "inputs[0].iPos: no such input register; expected one of va0 to va7, iid",
        ),
        (
            with(c, r#"[{"va0": [1], "va2": [1], "iid": 0}, {"va0": [1]}]"#),
            "inputs[1]: va2 is missing: the program reads it",
        ),
        (with(c, r#"[{"va0": [], "va2": [1], "iid": 0}]"#), "inputs[0].va0: expected 1 to 4 values, found 0"),
        (
            with(c, r#"[{"va0": {"bytes4": [0, 0, 256, 0]}, "va2": [1], "iid": 0}]"#),
            "inputs[0].va0.bytes4[2]: expected a whole number from 0 to 255",
        ),
        (
            with(c, r#"[{"va0": [1], "va2": [1], "iid": 1.5}]"#),
            "inputs[0].iid: expected a whole number from 0 to 4294967295",
        ),
        (
            with(c, r#"[{"va0": [1], "va2": [1], "iid": 0, "va8": [0]}]"#),
            "inputs[0].va8: no such input register; expected one of va0 to va7, iid",
        ),
        (with(c, "{}"), "inputs: expected a list, found an object"),
        (
            r#"{"constants": {"c1": [1, 2, 3, 4]}}"#.into(),
            "inputs: this list is missing: the program reads va0, va2, iid",
        ),
        (
            r#"{"input": []}"#.into(),
            "input: unknown key; expected one of constants, inputs, textures, state, states, fuel, helpers, \
             buffers, images, handles, grid, workgroup, subgroup",
        ),
        (
            r#"{"constants": {"c1": [0, 0, 0, 0]}, "textures": {"fs0": {}}}"#.into(),
            "textures.fs0: this program has no sampler registers",
        ),
        ("[]".into(), "expected an object, found a list"),
    ] {
        assert_eq!(error(&shader, &text), expected, "{text}");
    }
    let twice = error(&shader, r#"{"constants": {"c1": [1, 2, 3, 4], "c1": [1, 2, 3, 4]}}"#);
    assert!(twice.contains("the key \"c1\" is given twice"), "{twice}");
}

#[test]
fn textures_and_states_are_checked() {
    let shader = fragment(true);
    let with = |fs0: &str, more: &str| {
        format!(r#"{{"textures": {{"fs0": {fs0}, {CUBE}}}, "inputs": [{{"v0": [0, 0, 0, 0]}}]{more}}}"#)
    };
    let one = r#"{"width": 1, "height": 1, "rgba8": [1, 2, 3, 4]}"#;
    assert!(RunFile::parse(&with(one, ""), &shader).is_ok());
    for (text, expected) in [
        (
            with(r#"{"width": 1, "height": 1, "rgba8": [1, 2, 3]}"#, ""),
            "textures.fs0.rgba8: 3 bytes are not a whole number of texels",
        ),
        (
            with(r#"{"width": 1, "height": 1, "rgba8": [[1, 2, 3], 4]}"#, ""),
            "textures.fs0.rgba8[0]: 3 bytes are not a texel, a row or a slice",
        ),
        (with(r#"{"width": 1, "height": 1}"#, ""), "textures.fs0: expected one of rgba8, levels and texels"),
        (with(r#"{"width": 1, "rgba8": []}"#, ""), "textures.fs0: height is missing"),
        (
            with(r#"{"kind": "cube", "width": 1, "height": 1, "rgba8": []}"#, ""),
            "textures.fs0.kind: the program reads a 2d texture",
        ),
        (
            with(r#"{"kind": "4d", "width": 1, "height": 1, "rgba8": []}"#, ""),
            "textures.fs0.kind: expected one of \"1d\", \"2d\", \"3d\", \"cube\", \"1d-array\", \"2d-array\", \"cube-array\", \
             \"rect\", \"buffer\", \"2d-ms\", \"2d-ms-array\"",
        ),
        (
            with(r#"{"width": 1, "height": 1, "rgba8": [1, 2, 3, 4, 5, 6, 7, 8]}"#, ""),
            "textures.fs0: level 0 needs 1 elements, not 2",
        ),
        (
            with(r#"{"width": 1, "height": 1, "layers": 2, "rgba8": [1, 2, 3, 4, 5, 6, 7, 8]}"#, ""),
            "textures.fs0: an array has 1 to 2048 layers, any other texture 1",
        ),
        (
            with(r#"{"width": 1, "height": 1, "texels": [[[1, 2, 3]]]}"#, ""),
            "textures.fs0.texels[0][0]: expected 4 values, found 3",
        ),
        (
            with(one, r#", "state": {"fs3": {"seamless": 1}}"#),
            "state.fs3.seamless: expected a boolean, found a number",
        ),
        (
            with(one, r#", "state": {"fs0": {"filter": "linear"}}"#),
            "state.fs0: the program itself fixes the state of this sampler",
        ),
        (
            with(one, r#", "state": {"fs3": {"filter": "cubic"}}"#),
            "state.fs3.filter: expected one of \"nearest\", \"linear\"",
        ),
        (
            with(one, r#", "state": {"fs9": {}}"#),
            "state.fs9: no such sampler register; expected one of fs0 to fs7",
        ),
        (
            r#"{"inputs": [{"v0": [0, 0, 0, 0]}], "textures": {}}"#.into(),
            "textures: fs0 is missing: the program reads it",
        ),
        (with(one, r#", "fuel": -1"#), "fuel: expected a whole number from 0 to 9007199254740992"),
        (
            with(one, r#", "helpers": [true, true, true]"#),
            "helpers: expected a boolean for each of the 1 invocations",
        ),
        (with(one, r#", "helpers": [1]"#), "helpers[0]: expected a boolean, found a number"),
    ] {
        assert_eq!(error(&shader, &text), expected, "{text}");
    }
    let quads =
        with(one, "").replace(r#"[{"v0": [0, 0, 0, 0]}]"#, r#"[{"v0": [0, 0, 0, 0]}, {"v0": [0, 0, 0, 0]}]"#);
    assert!(error(&shader, &quads).starts_with("inputs: the program reads its neighbours"));
    // Without implicit levels any number will do.
    assert_eq!(RunFile::parse(&quads, &fragment(false)).map(|file| file.count), Ok(2));
}

#[test]
fn made_up_runs_repeat_themselves_and_fit() {
    for shader in [vertex(), fragment(true)] {
        let file = RunFile::random(&shader, 40, 7);
        assert_eq!(file, RunFile::random(&shader, 40, 7));
        assert_ne!(file, RunFile::random(&shader, 40, 8));
        let outputs = run(&shader, &file);
        assert_eq!(outputs.killed.len(), 40);
        // Ordinary values in the first quad, some special ones in all.
        let special = |bits: &u32| {
            let exponent = bits >> 23 & 0xff;
            exponent == 0 && bits & 0x7fff_ffff != 0 || exponent == 255
        };
        let first = file.inputs[0].iter().take(4).flatten();
        assert!(!first.clone().any(special), "{first:?}");
        assert!(file.inputs[0].iter().flatten().any(special));
    }
    let textures = RunFile::random(&fragment(true), 1, 0).textures;
    let dims: Vec<Dim> = textures.iter().flatten().map(|(t, _)| t.dim()).collect();
    assert_eq!(dims, [Dim::D2, Dim::Cube]);
}

#[test]
fn a_printed_run_file_reads_back_the_same() {
    for shader in [vertex(), fragment(true), fragment(false)] {
        let mut file = RunFile::random(&shader, 40, 3);
        file.fuel = Some(5);
        file.helpers = (0..40).map(|i| i % 3 == 0).collect();
        let text = file.to_json(&shader);
        let back = RunFile::parse(&text, &shader).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(back, file, "{text}");
    }
}

/// A program that has a texture of every dimension and type of texels.
fn every_texture() -> Shader {
    let mut shader = fragment(false);
    for dim in Dim::ALL {
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            let slot = shader.textures.len() as u32;
            let texture = ir::Texture::new(format!("t{slot}"), slot, *dim);
            shader.textures.push(ir::Texture { scalar, ..texture });
        }
    }
    shader
}

#[test]
fn every_texture_and_state_reads_back_the_same() {
    let shader = every_texture();
    let mut file = RunFile::random(&shader, 4, 9);
    assert!(file.textures.iter().all(Option::is_some));
    for (i, bound) in file.textures.iter_mut().enumerate() {
        let (Some((_, state)), None) = (bound, shader.textures[i].sampler) else { continue };
        // Each setting in turn is unusual.
        *state = SamplerState {
            wrap_v: Wrap::ALL[i % Wrap::ALL.len()],
            mag: Filter::ALL[i % 2],
            min: Filter::ALL[i / 2 % 2],
            mip: Mip::ALL[i % 3],
            border: [0x7fc0_0001, 1, u32::MAX, i as u32],
            lod_bias: FloatBits::new(i as f32 / 8.0),
            min_lod: [FloatBits::new(f32::NEG_INFINITY), FloatBits::new(0.5)][i % 2],
            max_lod: [FloatBits::new(f32::NAN), FloatBits::new(f32::INFINITY)][i % 2],
            compare: Compare::ALL.get(i % 9).copied(),
            seamless: i % 2 == 0,
            model: match i % 3 {
                0 => SamplerModel::EXACT,
                1 => SamplerModel::SOFTPIPE,
                _ => SamplerModel::EXACT.with(SamplerQuirk::GatherLevel).with(SamplerQuirk::FirstFace),
            },
            ..SamplerState::PLAIN
        };
    }
    let text = file.to_json(&shader);
    let back = RunFile::parse(&text, &shader).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(back, file, "{text}");
    let text = text.replacen("\"texels\"", "\"levels\"", 1);
    assert!(error(&shader, &text).contains("the program reads i32 texels: give them under the key texels"));
}

#[test]
fn no_text_makes_it_panic() {
    let shader = fragment(true);
    let whole = format!(
        r#"{{"textures": {{"fs0": {{"width": 1, "height": 1, "levels": [[[[1, 2, 3, 4]]]]}}, {CUBE}}},
            "state": {{"fs3": {{"filter": "linear"}}}}, "constants": {{"c0": [0, "0x1", 2e3, 1]}},
            "inputs": [{{"v0": [0, 0, 0, 0]}}], "fuel": 3}}"#
    );
    assert!(RunFile::parse(&whole, &shader).is_ok());
    // Every cut, and every character replaced by others that mean something.
    for (at, c) in whole.char_indices() {
        let _ = RunFile::parse(&whole[..at], &shader);
        for other in ["[", "]", "{", "}", "-", "9", "\"", ",", ":"] {
            let text = [&whole[..at], other, &whole[at + c.len_utf8()..]].concat();
            let _ = RunFile::parse(&text, &shader);
        }
    }
    let _ = RunFile::parse(&"[".repeat(10_000), &shader);
}

#[test]
fn state_outside_the_program_is_given() {
    let shader = text::parse(
        "vertex test
         output 0 op position
         state 0 surface : f32x2 default=640.0,480.0
         state 1 on : bool
         %0 = state surface : f32x2 step 0
         %1 = state on : bool step 0
         %2 = to_f32 %1 : f32 step 0
         store op.xy %0 step 0
         store op.z %2 step 0",
        "test",
        &[],
    )
    .unwrap();
    let run = |text: &str| {
        let file = RunFile::parse(text, &shader).unwrap();
        let again = RunFile::parse(&file.to_json(&shader), &shader).unwrap();
        assert_eq!(again, file);
        Interp.run(&shader, &file.batch()).unwrap().cells[0][0].map(f32::from_bits)
    };
    assert_eq!(run("{}")[..3], [640.0, 480.0, 0.0]);
    assert_eq!(run(r#"{"states": {"surface": [64, 32], "on": true}}"#)[..3], [64.0, 32.0, 1.0]);
    for (text, expected) in [
        (r#"{"states": {"fog": 1}}"#, "states.fog: no such state value; expected one of surface, on"),
        (r#"{"states": {"surface": 1}}"#, "states.surface: expected a list, found a number"),
        (r#"{"states": {"surface": [1]}}"#, "states.surface: expected 2 values, found 1"),
        (r#"{"states": {"on": 1}}"#, "states.on: expected a boolean or a string \"0x…\", found a number"),
    ] {
        assert_eq!(error(&shader, text), expected, "{text}");
    }
}

#[test]
fn numbers_in_brackets_name_constants() {
    use vecasm_isa::{AnyProgram, Isa};
    let text = "VERT\nDCL OUT[0], POSITION\nDCL CONST[0..3]\nDCL CONST[1][0..7]\n\
        0: ADD OUT[0], CONST[2], CONST[1][5]\n1: END\n";
    let (program, findings) = AnyProgram::parse(Isa::Tgsi, text, None, None);
    let shader = program.unwrap_or_else(|| panic!("{findings:?}")).lift(&Default::default()).unwrap();
    let file =
        RunFile::parse(r#"{"constants": {"CONST[2]": [1, 2, 3, 4], "CONST[1][5]": [9, 8, 7, 6]}}"#, &shader);
    let file = file.unwrap();
    assert_eq!(file.params[0][2], [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits));
    assert_eq!(file.params[1][5], [9.0f32, 8.0, 7.0, 6.0].map(f32::to_bits));
    let missing = RunFile::parse(r#"{"constants": {"CONST[2]": [1, 2, 3, 4]}}"#, &shader).unwrap_err();
    assert!(missing.to_string().contains("CONST[1][5] is missing"), "{missing}");
    let unknown = RunFile::parse(r#"{"constants": {"CONST[x]": [1, 2, 3, 4]}}"#, &shader).unwrap_err();
    assert!(unknown.to_string().contains("expected one of CONST[0] to CONST[4095]"), "{unknown}");
}

/// A geometry shader with two invocations a primitive; a control and an evaluation shader.
fn with_vertices() -> [Shader; 3] {
    let read = |text: &str| text::parse(text, "test", &[]).unwrap();
    [
        read(
            "geometry test
             setup vertices-in=2 invocations=2 max-vertices=4 in=lines out=line-strip
             input 0 v varying 0 : f32x4
             input 1 p primitive-index : u32
             input 2 i invocation-index : u32
             output 0 o varying 0
             %0 = const 1 : i32
             %1 = input_of v %0 : f32x4
             store o.xyzw %1
             emit_vertex 0
             store o.x %1.x
             emit_vertex 0",
        ),
        read(
            "tess-control test
             setup invocations=2
             input 0 v varying 0 : f32x4
             input 1 levels tess-default-outer : f32x4
             output 0 o varying 0
             output 1 outer tess-outer
             %0 = const 0 : i32
             %1 = input_of v %0 : f32x4
             %2 = input levels : f32x4
             store o.xyzw %1
             store outer.xyzw %2",
        ),
        read(
            "tess-eval test
             input 0 v varying 0 : f32x4
             input 1 c patch-varying 0 : f32x4
             input 2 place tess-coord : f32x3
             output 0 o varying 0
             %0 = const 1 : i32
             %1 = input_of v %0 : f32x4
             %2 = input c : f32x4
             %3 = add %1 %2 : f32x4
             %4 = input place : f32x3
             store o.xyzw %3
             store o.x %4.x",
        ),
    ]
}

#[test]
fn primitives_and_patches_are_read_and_run() {
    let [geometry, control, evaluation] = with_vertices();
    let file = RunFile::parse(
        r#"{"primitives": [{"vertices": [{"v": [1, 0, 0, 0]}, {"v": [2, 0, 0, 0]}], "p": 7},
            {"vertices": [{"v": [3, 0, 0, 0]}, {"v": [4, 0, 0, 0]}]}]}"#,
        &geometry,
    )
    .unwrap();
    assert_eq!((file.count, file.vertices_in), (4, 0));
    assert_eq!(file.inputs[1], [[7, 0, 0, 0], [1, 0, 0, 0]]);
    let outputs = Interp.run(&geometry, &file.batch()).unwrap();
    // Two vertices of two invocations of the first primitive: its second vertex, then only x of it.
    let hex = results_hex(&geometry, &outputs);
    let lines: Vec<&str> = hex.lines().collect();
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[0], "stream 0 primitive 0 vertex 0 o 40000000 00000000 00000000 00000000");
    assert_eq!(lines[7], "stream 0 primitive 3 vertex 1 o 40800000 00000000 00000000 00000000");
    let json = results_json(&geometry, &outputs);
    let start = r#"{"invocation": 1, "vertices": [
        {"o": ["0x40000000", "0x00000000", "0x00000000", "0x00000000"]},"#;
    assert!(json.contains(start), "{json}");

    let file = RunFile::parse(
        r#"{"patches": [{"vertices": [{"v": [1, 2, 3, 4]}], "levels": [1, 2, 3, 4]},
            {"vertices": [{"v": [5, 6, 7, 8]}], "levels": [5, 6, 7, 8]}]}"#,
        &control,
    )
    .unwrap();
    assert_eq!((file.count, file.vertices_in), (4, 1));
    let outputs = Interp.run(&control, &file.batch()).unwrap();
    let hex = results_hex(&control, &outputs);
    let lines: Vec<&str> = hex.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[2], "o 40a00000 40c00000 40e00000 41000000");
    assert_eq!(lines[5], "patch 1 outer 40a00000 40c00000 40e00000 41000000");
    let json = results_json(&control, &outputs);
    let patch = r#""patches": [
    {"outer": ["0x3f800000", "0x40000000", "0x40400000", "0x40800000"]},"#;
    assert!(json.contains(patch), "{json}");

    let file = RunFile::parse(
        r#"{"patches": [{"vertices": [{"v": [0, 0, 0, 0]}, {"v": [1, 1, 1, 1]}], "c": [1, 2, 3, 4]},
            {"vertices": [{"v": [0, 0, 0, 0]}, {"v": [10, 10, 10, 10]}], "c": [1, 2, 3, 4]}],
            "inputs": [{"place": [0.5, 0, 0], "patch": 1}, {"place": [1, 0, 0]}]}"#,
        &evaluation,
    )
    .unwrap();
    let outputs = Interp.run(&evaluation, &file.batch()).unwrap();
    let floats = |bits: [u32; 4]| bits.map(f32::from_bits);
    assert_eq!(floats(outputs.cells[0][0]), [0.5, 12.0, 13.0, 14.0]);
    assert_eq!(floats(outputs.cells[0][1]), [1.0, 3.0, 4.0, 5.0]);
}

#[test]
fn made_up_primitives_come_back() {
    for shader in with_vertices() {
        for count in [0, 1, 3, 9] {
            let file = RunFile::random(&shader, count, 5);
            let text = file.to_json(&shader);
            let again = RunFile::parse(&text, &shader);
            assert_eq!(again.as_ref(), Ok(&file), "{} of {count}: {text}", shader.stage.name());
            assert!(Interp.run(&shader, &file.batch()).is_ok());
        }
    }
}

#[test]
fn what_is_wrong_with_primitives_is_said() {
    let [geometry, control, evaluation] = with_vertices();
    let cases = [
        (&geometry, r#"{"inputs": []}"#, "inputs: unknown key"),
        (&geometry, "{}", "primitives: this list is missing: the program reads v, p"),
        (&geometry, r#"{"primitives": [{}]}"#, "primitives[0]: the list vertices is missing"),
        (
            &geometry,
            r#"{"primitives": [{"vertices": [{"v": [0, 0, 0, 0]}]}]}"#,
            "primitives[0].vertices: expected 2 vertices, found 1",
        ),
        (
            &geometry,
            r#"{"primitives": [{"vertices": [{}, {}]}]}"#,
            "primitives[0].vertices[0]: v is missing: the program reads it",
        ),
        (
            &geometry,
            r#"{"primitives": [{"vertices": [{"v": [0, 0, 0, 0], "p": 1}, {"v": [0, 0, 0, 0]}]}]}"#,
            "primitives[0].vertices[0].p: this input does not belong here: it belongs to a primitive or patch",
        ),
        (
            &geometry,
            r#"{"primitives": [{"vertices": [{"v": [0, 0, 0, 0]}, {"v": [0, 0, 0, 0]}], "i": 1}]}"#,
            "primitives[0].i: this input does not belong here: the engine supplies it",
        ),
        (
            &control,
            r#"{"patches": [{"vertices": [{"v": [0, 0, 0, 0]}], "levels": [1, 1, 1, 1]}, {"vertices": [], "levels": [1, 1, 1, 1]}]}"#,
            "patches[1].vertices: expected 1 vertices, found 0",
        ),
        (
            &evaluation,
            r#"{"patches": [], "inputs": [{"patch": 2, "place": [0, 0, 0]}]}"#,
            "inputs[0].patch: no such patch; there are 0, counted from 0",
        ),
    ];
    for (shader, text, wanted) in cases {
        let error = RunFile::parse(text, shader).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}\nnot {wanted}");
    }
}

/// Adds 1 to each word of a buffer, for workgroups whose size is left open; reads an image.
fn compute() -> Shader {
    text::parse(
        "compute test
         setup workgroup=0,0,1
         input 0 id local-id : u32x3
         buffer 0 B slot 0 storage write
         image 0 I slot 0 2d rgba8-unorm read
         %0 = input id : u32x3
         %1 = const 4 : u32
         %2 = mul %0.x %1 : u32
         %3 = load_memory B %2 : u32
         %4 = const 1 : u32
         %5 = add %3 %4 : u32
         store_memory B.x %2 %5",
        "test",
        &[],
    )
    .unwrap()
}

#[test]
fn memory_and_grids() {
    let shader = compute();
    let image = r#""images": {"I": {"width": 1, "height": 2, "texels": [[1, 0, 0.2, 0], [0, 0, 0, 1]]}}"#;
    let with = |more: &str| format!("{{{image}, {more}}}");
    let text = with(r#""buffers": {"B": {"i32": [-1, 5], "bytes": 12}}, "workgroup": [2], "grid": [3]"#);
    let file = RunFile::parse(&text, &shader).unwrap();
    assert_eq!((file.count, file.grid, file.workgroup), (6, [3, 1, 1], [2, 1, 1]));
    // Three workgroups of two, one after another.
    let outputs = run(&shader, &file);
    assert_eq!(outputs.buffers, [[2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]]);
    // 0.2 of 255 is 51.
    let bytes = outputs.images[0].as_ref().map(|image| image.bytes().to_vec());
    assert_eq!(bytes, Some(vec![255, 0, 51, 0, 0, 0, 0, 255]));
    assert_eq!(RunFile::parse(&file.to_json(&shader), &shader), Ok(file.clone()));
    let mut again = file;
    assert!(again.regrid(&shader, [1, 2, 1]).is_ok());
    assert_eq!(again.count, 4);
    let made = RunFile::random(&shader, 100, 3);
    assert_eq!((made.count, made.workgroup, made.grid), (128, [64, 1, 1], [2, 1, 1]));
    assert_eq!(RunFile::parse(&made.to_json(&shader), &shader), Ok(made));
    let buffer = r#""buffers": {"B": [1]}"#;
    for (text, expected) in [
        (with(r#""grid": [1]"#), "buffers: B is missing: the program declares it"),
        (with(r#""buffers": {"C": []}"#), "buffers.C: no such buffer; the program has B"),
        (with(r#""buffers": {"B": [0.5]}"#), "buffers.B[0]: expected a whole number from 0 to 4294967295"),
        (
            with(r#""buffers": {"B": {"u32": [1, 2], "bytes": 4}}"#),
            "buffers.B.bytes: the values have 8 bytes",
        ),
        (with(r#""buffers": {"B": {}}"#), "buffers.B: expected one of u32, i32, f32 and bytes"),
        (with(&format!(r#"{buffer}, "grid": [1, 0]"#)), "grid[1]: expected a number of at least 1"),
        (with(&format!(r#"{buffer}, "workgroup": [1, 2, 3]"#)), "workgroup[2]: the program fixes this at 1"),
        (
            with(&format!(r#"{buffer}, "grid": [65536, 65536]"#)),
            "grid: 4294967296 invocations, more than 268435456",
        ),
        (with(&format!(r#"{buffer}, "subgroup": 0"#)), "subgroup: a subgroup has 1 to 64 invocations"),
        (
            format!(r#"{{{buffer}, "images": {{"I": {{"width": 1, "height": 1, "texels": [[1]]}}}}}}"#),
            "images.I.texels[0]: expected 4 values, found 1",
        ),
        (
            format!(r#"{{{buffer}, "images": {{"I": {{"width": 1, "height": 1, "kind": "3d"}}}}}}"#),
            "images.I.kind: the program has a 2d image",
        ),
        (
            with(&format!(r#"{buffer}, "handles": {{"0x1": "J"}}"#)),
            "handles.0x1: the program has no texture, image or buffer \"J\"",
        ),
    ] {
        assert_eq!(error(&shader, &text), expected);
    }
    let vertex = "vertex test
         output 0 o position
         %0 = const 0 0 0 1 : f32x4
         store o.xyzw %0";
    let vertex = text::parse(vertex, "test", &[]).unwrap();
    assert_eq!(error(&vertex, r#"{"grid": [1]}"#), "grid: only compute programs have a grid");
}
