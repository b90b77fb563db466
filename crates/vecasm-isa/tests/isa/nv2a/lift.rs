//! Lifting: the switches, and what programs become.

use vecasm_ir::ir::steps::Access as Seen;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{OutputKind, Shader};
use vecasm_isa::nv2a::lift::{Depth, Options, ProgramKind, SWITCHES, Space, SwitchError, Switches, lift};
use vecasm_isa::nv2a::program::{Container, Program};
use vecasm_isa::nv2a::table::Field;
use vecasm_isa::nv2a::text::{ParseOptions, parse};

fn program(text: &str) -> Program {
    parse(text, &ParseOptions::default()).0.expect("the text is sound")
}

fn lifted(text: &str, options: &Options) -> Shader {
    let shader = lift(&program(text), options).expect("the options refuse nothing");
    assert_eq!(verify(&shader), []);
    shader
}

#[test]
fn the_defaults_of_the_switches_are_as_the_table_says() {
    for switch in SWITCHES {
        let mut switches = Switches::default();
        assert_eq!(switches.set(switch.name, switch.default), Ok(()), "{}", switch.name);
        assert_eq!(switches, Switches::default(), "{}", switch.name);
        assert_eq!(switches.set(switch.name, "no such value"), Err(SwitchError::UnknownValue));
        if switch.values.len() > 1 {
            // The manual says so.
            assert_eq!(switch.values[0].0, switch.default);
            for (value, doc) in switch.values {
                assert_eq!(switches.set(switch.name, value), Ok(()), "{}={value}", switch.name);
                assert!(!doc.is_empty());
            }
        }
    }
    let mut switches = Switches::default();
    assert_eq!(switches.set("nothing", "1"), Err(SwitchError::UnknownName));
    for (bits, fits) in [("8", false), ("9", true), ("32", true), ("33", false), ("-9", false)] {
        assert_eq!(switches.set("a0-bits", bits).is_ok(), fits, "{bits}");
    }
}

#[test]
fn only_136_slots_run() {
    // Slot 135 is the last one that the hardware has.
    let mut slots = vec![program("mov r0, v0\n").slots[0]; 200];
    for slot in &mut slots {
        slot.set(Field::Final, 0);
    }
    for (at, runs) in [(135, true), (136, false)] {
        let mut slots = slots.clone();
        slots[at] = program("mov oD0, v0\n").slots[0];
        let shader = lift(&Program::new(slots), &Options::default()).unwrap();
        assert_eq!(shader.outputs.len(), usize::from(runs), "slot {at}");
    }
}

#[test]
fn a_program_without_slots_does_nothing() {
    let shader = lift(&Program::default(), &Options::default()).unwrap();
    assert_eq!(verify(&shader), []);
    assert!(shader.body.nodes.is_empty());
    let options = Options { start: 1, ..Options::default() };
    assert_eq!(lift(&Program::default(), &options).unwrap_err().id, "NV2A-start");
}

/// The steps of a shader: source, part, and the names of what is read and written.
fn steps(shader: &Shader) -> Vec<String> {
    let names = |list: &[Seen]| -> Vec<String> {
        list.iter().map(|a| format!("{}.{}", shader.cell_name(a.cell), a.mask.letters())).collect()
    };
    shader
        .steps
        .iter()
        .map(|s| format!("{}/{} {:?} {:?}", s.source, s.part, names(&s.reads), names(&s.writes)))
        .collect()
}

#[test]
fn both_halves_have_a_step_of_their_own() {
    let options = Options { depth: Depth::Full, ..Options::default() };
    let text = "arl a0, v1.y\nmad oPos.xz, v0, c[A0+5].x, r2.w + mov r1.y, r2.w\ndp3 c7.w, v0, v0\n";
    assert_eq!(
        steps(&lifted(text, &options)),
        [
            r#"0/0 ["v1.y"] ["a0.x"]"#,
            r#"1/0 ["v0.xz", "c[…+5].x", "r2.w"] ["oPos.xz"]"#,
            r#"1/1 ["r2.w"] ["r1.y"]"#,
            r#"2/0 ["v0.xyz"] ["c[7].w"]"#,
        ]
    );
}

#[test]
fn what_a_program_needs_of_the_pipeline_is_in_the_tables() {
    let text = "mov oPos, v0\nmov oD0, v3\nmov oFog, v5\nmov oPts, v6\nmov oT3, v12\n";
    let kinds = |options: &Options| -> Vec<OutputKind> {
        lifted(text, options).outputs.iter().map(|output| output.kind).collect()
    };
    let varying = |location| OutputKind::Varying { location };
    let screen = [OutputKind::Position, varying(3), OutputKind::Fog, OutputKind::PointSize, varying(12)];
    assert_eq!(kinds(&Options::default()), screen);
    let clip = Options { space: Space::Clip, ..Options::default() };
    assert_eq!(kinds(&clip), [OutputKind::Position, varying(3), varying(5), varying(6), varying(12)]);
    let shader = lifted(text, &clip);
    let states: Vec<(&str, f32)> =
        shader.states.iter().map(|s| (s.name.as_str(), f32::from_bits(s.default[0]))).collect();
    assert_eq!(states, [("surface", 640.0), ("clip-max", 16_777_215.0)]);
    assert!(!shader.serial);
    assert!(lifted("mov c0, v0\n", &Options::default()).serial);
}

#[test]
fn the_header_says_what_is_a_state_program() {
    let slots = program("mov c100, v0\nmov oPos, v0\n").slots;
    for (version, outputs) in [(0x7378, 0), (0x2078, 1), (0x7778, 1)] {
        let container = Container::Microcode { version, count: 2 };
        let program = Program { container, slots: slots.clone(), ..Program::default() };
        let shader = lift(&program, &Options::default()).unwrap();
        assert_eq!(shader.outputs.len(), outputs, "{version:x}");
        let vertex = Options { kind: ProgramKind::Vertex, ..Options::default() };
        assert_eq!(lift(&program, &vertex).unwrap().outputs.len(), 1);
    }
}
