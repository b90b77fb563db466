//! The facts of programs whose facts can be counted by hand.

#![cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use vecasm::reflect::{Info, IsaFacts};
use vecasm::{LiftOptions, NoHost, OpenOptions, open};

/// The facts of a program.
fn info(name: &str, text: &str) -> Info {
    let opened = open(text.as_bytes(), &OpenOptions::named(name), &mut NoHost);
    opened.program().unwrap().info(&LiftOptions::default())
}

/// The names and counts of operations.
#[cfg(any(feature = "agal", feature = "nv2a"))]
fn opcodes(info: &Info) -> Vec<(&str, u32)> {
    info.opcodes.iter().map(|(name, count)| (&name[..], *count)).collect()
}

#[cfg(feature = "agal")]
#[test]
fn agal() {
    use vecasm::ir::Stage;
    use vecasm::reflect::SCHEMA;

    // A header of 7 bytes and 24 for each instruction. m44 reads four constants, and a source counts with all its lanes.
    let info = info("a.agal", ".agal vertex 1\nm44 op, va0, vc4\nmov v0.xy, va1\nmov v1, vc9.y\n");
    assert_eq!(
        (info.schema, info.identity.stage, &info.identity.model[..]),
        (SCHEMA, Stage::Vertex, "AGAL 1")
    );
    assert_eq!((info.version, info.bytes, info.instructions), (1, 7 + 3 * 24, 3));
    assert_eq!(opcodes(&info), [("m44", 1), ("mov", 2)]);
    assert_eq!((&info.origin, &info.sha256, &info.problem), (&None, &None, &None));
    let Some(IsaFacts::Agal(facts)) = &info.isa_facts else { panic!() };
    let letters = |file: &std::collections::BTreeMap<u32, vecasm::isa::operand::WriteMask>| {
        file.iter()
            .map(|(number, lanes)| format!("{number}.{}", lanes.letters()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(letters(&facts.registers.attributes), "0.xyzw 1.xyzw");
    assert_eq!(letters(&facts.registers.constants), "4.xyzw 5.xyzw 6.xyzw 7.xyzw 9.y");
    assert_eq!(letters(&facts.registers.varyings), "0.xy 1.xyzw");
    assert_eq!(letters(&facts.registers.outputs), "0.xyzw");
    assert_eq!(letters(&facts.registers.temporaries), "");
    let ranges: Vec<_> = facts.constant_ranges.iter().map(|range| (range.first, range.count)).collect();
    assert_eq!(ranges, [(4, 4), (9, 1)]);
    let interface = info.interface.unwrap();
    let inputs: Vec<_> = interface.inputs.iter().map(|it| (&it.name[..], it.kind, it.location)).collect();
    assert_eq!(inputs, [("va0", "attribute", Some(0)), ("va1", "attribute", Some(1))]);
    let outputs: Vec<_> = interface.outputs.iter().map(|it| (&it.name[..], it.kind, it.location)).collect();
    assert_eq!(outputs, [("op", "position", None), ("v0", "varying", Some(0)), ("v1", "varying", Some(1))]);
    // AGAL 1 has 128 constants of vertex programs; up to vc9 they must be given.
    let constants = &interface.constants[0];
    assert_eq!(
        (&constants.name[..], constants.size, constants.used, constants.indexed),
        ("vc", 128, 10, false)
    );
    assert_eq!(interface.workgroup, None);
}

#[cfg(feature = "agal")]
#[test]
fn a_program_without_a_meaning_has_a_problem() {
    // No version has an opcode 3f.
    let text = ".agal fragment 1\n.token 3f000000 00000f03 000000e404000000 0000000000000000\n";
    let info = info("a.agal", text);
    let problem = info.problem.unwrap();
    assert!(problem.starts_with("error[AGAL3620]: "), "{problem}");
    assert!(info.interface.is_none() && info.live_at_most.is_none());
    assert!(matches!(info.isa_facts, Some(IsaFacts::Agal(_))));
}

#[cfg(feature = "nv2a")]
#[test]
fn nv2a() {
    // The first slot pairs two operations. Before the second one r0.x and r1.x are needed.
    let info = info("a.vsh", "mul r0.x, v0, c[97] + rcp r1.x, v0.x\nmul oPos, r0.x, r1.x\n");
    let Some(IsaFacts::Nv2a(facts)) = &info.isa_facts else { panic!() };
    assert_eq!((info.instructions, facts.slots.all, facts.slots.used, facts.slots.paired), (2, 2, 2, 1));
    assert_eq!((facts.slots.last, facts.slots.free), (Some(1), 134));
    assert_eq!(opcodes(&info), [("mul", 2), ("rcp", 1)]);
    assert_eq!(facts.units.mac.iter().collect::<Vec<_>>(), [(&"mul", &2)]);
    assert_eq!(facts.units.ilu.iter().collect::<Vec<_>>(), [(&"rcp", &1)]);
    let live = |n: usize| -> Vec<String> {
        let live = facts.live[n].live.iter();
        live.map(|(name, lanes)| format!("{name}.{}", lanes.letters())).collect()
    };
    assert_eq!((live(0), live(1)), (vec![], vec!["r0.x".into(), "r1.x".into()]));
    assert_eq!(facts.temporaries_live, 2);
    assert_eq!(facts.registers.outputs.len(), 1);
    assert_eq!((&facts.registers.outputs[0].0[..], facts.relative), ("oPos", false));
}

#[cfg(feature = "d3d9")]
#[test]
fn d3d9() {
    let text = "ps_2_0\ndef c1, 0.5, 0, 0, 1\ndcl t0.xy\ndcl_cube s3\ntexld r1, t0, s3\nmul r0, r1, c1\nmad r0, r0, c2, c4\nmov oC0, r0\n";
    let info = info("a.psa", text);
    assert_eq!((&info.identity.model[..], info.version), ("ps_2_0", 20));
    let Some(IsaFacts::D3d9(facts)) = &info.isa_facts else { panic!() };
    let [input] = &facts.inputs[..] else { panic!("{:?}", facts.inputs) };
    assert_eq!(
        (&input.register[..], &input.mask.letters()[..], input.declared, input.used),
        ("t0", "xy", true, true)
    );
    let [output] = &facts.outputs[..] else { panic!("{:?}", facts.outputs) };
    assert_eq!((&output.register[..], output.usage, output.declared), ("oC0", Some("color"), false));
    let [sampler] = &facts.samplers[..] else { panic!("{:?}", facts.samplers) };
    assert_eq!((sampler.slot, sampler.kind, sampler.used, sampler.bump), (3, Some("cube"), true, false));
    // r0 and r1; c1 is the program's own.
    assert_eq!(facts.registers.temporaries, 2);
    assert_eq!(
        (&facts.registers.floats.read[..], &facts.registers.floats.defined[..]),
        (&[2, 4][..], &[1][..])
    );
    // Definitions and declarations take no slot.
    assert_eq!((facts.slots.arithmetic, facts.slots.texture, facts.slots.total), (3, 1, 4));
    assert!(facts.end && facts.comments.is_empty());
    assert_eq!((&facts.constant_table, &facts.preshader), (&None, &None));
    let samplers = info.interface.unwrap().samplers;
    assert_eq!((samplers[0].slot, samplers[0].dim.name(), samplers[0].state), (3, "cube", None));
}

#[cfg(feature = "tgsi")]
#[test]
fn tgsi() {
    let text = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nPROPERTY CS_FIXED_BLOCK_HEIGHT 2\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n\
        PROPERTY CS_FIXED_BLOCK_WIDTH 8\nDCL BUFFER[1]\nDCL TEMP[0..3]\nIMM[0] UINT32 {0, 1, 2, 3}\n\
        LOAD TEMP[0].x, BUFFER[1], IMM[0].xxxx\nSTORE BUFFER[1].x, IMM[0].xxxx, TEMP[0].xxxx\nEND\n";
    let info = info("a.tgsi", text);
    let Some(IsaFacts::Tgsi(facts)) = &info.isa_facts else { panic!() };
    // Four properties, two declarations, an immediate, three instructions.
    assert_eq!((facts.tokens, facts.immediates, info.instructions), (10, 1, 3));
    let properties: Vec<_> = facts.properties.iter().map(|(name, value)| (&name[..], *value)).collect();
    let wanted = [
        ("CS_FIXED_BLOCK_WIDTH", Some(8)),
        ("CS_FIXED_BLOCK_HEIGHT", Some(2)),
        ("CS_FIXED_BLOCK_DEPTH", Some(1)),
    ];
    assert_eq!(properties, wanted);
    let files: Vec<_> = facts.registers.iter().map(|(name, list)| (&name[..], list.len())).collect();
    assert_eq!(files, [("BUFFER", 1), ("TEMP", 1)]);
    let temporaries = &facts.registers[1].1[0];
    assert_eq!((temporaries.first, temporaries.last, temporaries.mask), (0, Some(3), None));
    let interface = info.interface.unwrap();
    assert_eq!((interface.workgroup, interface.shared_bytes), (Some([8, 2, 1]), Some(0)));
    let [buffer] = &interface.buffers[..] else { panic!("{:?}", interface.buffers) };
    assert_eq!(
        (&buffer.name[..], buffer.slot, buffer.kind.name(), buffer.write),
        ("BUFFER[1]", 1, "storage", true)
    );
}

#[cfg(feature = "tgsi")]
#[test]
fn declarations_of_tgsi_have_their_meaning() {
    let text = "FRAG\nDCL IN[0].xy, GENERIC[3], PERSPECTIVE, CENTROID\nDCL OUT[0], COLOR\nDCL SVIEW[0], 2D, FLOAT\n\
        MOV OUT[0], IN[0]\nEND\n";
    let info = info("a.tgsi", text);
    let Some(IsaFacts::Tgsi(facts)) = &info.isa_facts else { panic!() };
    let input = &facts.registers[0].1[0];
    let (meaning, how) = (input.meaning.unwrap(), input.interpolated.unwrap());
    assert_eq!((meaning.semantic, meaning.index, meaning.streams), (Some("GENERIC"), 3, None));
    assert_eq!((how.interpolation, how.location), (Some("PERSPECTIVE"), Some("CENTROID")));
    assert_eq!(input.mask.unwrap().letters(), "xy");
    let Some(vecasm::reflect::tgsi::Resource::View(view)) = facts.registers[2].1[0].resource else {
        panic!()
    };
    assert_eq!((view.target, view.returns), (Some("2D"), [Some("FLOAT"); 4]));
}

#[cfg(feature = "d3d9")]
#[test]
fn operations_of_direct3d_are_counted_without_what_precedes_them() {
    // The second half of a pair, and predicates.
    let pair = info("a.psa", "ps_1_1\nmov r0, v0\nmov r0.rgb, 1-v0\n+ mov r0.a, r0.b\n");
    assert_eq!(opcodes(&pair), [("mov", 3)]);
    let text = "vs_2_x\ndcl_position v0\nmov oPos, v0\nmov r0, v0\nsetp_gt p0, r0, c1.x\n(p0) mov r0, c1.y\n(!p0.z) mov r0, c1.y\n\
        mov oT0, r0\n";
    assert_eq!(opcodes(&info("a.vsa", text)), [("dcl_position", 1), ("mov", 5), ("setp_gt", 1)]);
}

#[cfg(all(feature = "serde", feature = "d3d9"))]
#[test]
fn floats_keep_their_bits_in_json() {
    use vecasm::reflect::d3d9::DefaultValue;

    // The nearest f32 to 0.1 is 0.100000001490116119384765625.
    let floats = DefaultValue::Floats(vec![0.1, f32::NAN, f32::INFINITY, -0.0]);
    assert_eq!(serde_json::to_string(&floats).unwrap(), "[0.10000000149011612,null,null,-0.0]");
    assert_eq!(serde_json::to_string(&DefaultValue::Integers(vec![-1, 2])).unwrap(), "[-1,2]");
}
