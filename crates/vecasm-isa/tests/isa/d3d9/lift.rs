//! Quirks of lifting.

use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::steps::Access;
use vecasm_ir::ir::{self, Shader};
use vecasm_isa::d3d9::lift::{Depth, Options, lift};
use vecasm_isa::d3d9::text::parse;

fn lifted(text: &str, options: &Options) -> Result<Shader, Diagnostic> {
    lift(&parse(text).0.unwrap(), options)
}

/// The id of the refusal of a text.
fn refusal(text: &str) -> &'static str {
    lifted(text, &Options::default()).unwrap_err().id
}

#[test]
fn what_has_no_meaning_is_refused() {
    assert_eq!(refusal("vs_2_0\nmov r0, c0\nif b0\nmov oPos, r0\n"), "D3D9-lift-flow");
    assert_eq!(refusal("vs_2_0\nendif\n"), "D3D9-lift-flow");
    assert_eq!(refusal("vs_2_0\ncall l3\nret\n"), "D3D9-lift-flow");
    assert_eq!(refusal("vs_3_0\nbreak\n"), "D3D9-lift-flow");
    assert_eq!(refusal("vs_2_0\nmov c0, r0\n"), "D3D9-lift-register");
    assert_eq!(refusal("vs_2_0\ncall l0\nret\nlabel l0\ncall l0\nret\n"), "D3D9-lift-limit");
    assert_eq!(refusal("ps_1_3\ntexm3x2tex t1, t0\n"), "D3D9-lift-texture");
}

/// A program of `count` subroutines, each of which calls the next one `times` times, and the last one adds.
fn nested(count: usize, times: usize) -> String {
    let mut text = String::from("vs_3_0\ndcl_position o0\ncall l0\nmov o0, r0\nret\n");
    for n in 0..count {
        let call = format!("call l{}\n", n + 1);
        let body = if n + 1 == count { "add r0, r0, c0\n".into() } else { call.repeat(times) };
        text.push_str(&format!("label l{n}\n{body}ret\n"));
    }
    text
}

#[test]
fn twenty_four_nested_subroutines_stop_at_the_budget() {
    // Each calls the next one twice: 2^23 additions, if nothing stopped it.
    assert_eq!(refusal(&nested(24, 2)), "D3D9-lift-limit");
    let count = |text: &str| {
        let mut additions = 0;
        lifted(text, &Options::default()).unwrap().body.for_each_inst(&mut |inst| {
            additions += usize::from(inst.op == ir::Op::Pure(ir::Pure::Add));
        });
        additions
    };
    assert_eq!((count(&nested(24, 1)), count(&nested(11, 2))), (1, 1024));
}

#[test]
fn blocks_nest_so_deep() {
    let text = |n: usize| format!("vs_2_0\n{}mov oPos, c0\n{}", "if b0\n".repeat(n), "endif\n".repeat(n));
    assert_eq!(ir::verify::verify(&lifted(&text(64), &Options::default()).unwrap()), []);
    assert_eq!(refusal(&text(65)), "D3D9-lift-limit");
}

#[test]
fn constants_are_as_many_as_the_model_has() {
    let sizes = |text: &str| {
        let shader = lifted(text, &Options::default()).unwrap();
        let sizes =
            shader.params.iter().map(|array| (array.name.clone(), array.size, array.used, array.indexed));
        sizes.collect::<Vec<_>>()
    };
    let one = |size, used, indexed| vec![(String::from("c"), size, used, indexed)];
    assert_eq!(sizes("vs_2_0\nmov oPos, c7\n"), one(256, 8, false));
    assert_eq!(sizes("vs_2_sw\nmov oPos, c7\n"), one(8192, 8, false));
    assert_eq!(sizes("vs_1_1\nmov oPos, c[a0.x+3]\n"), one(256, 0, true));
    assert_eq!(sizes("ps_3_0\nmov oC0, c2\n"), one(224, 3, false));
    // Outside the file, and defined by the program: nothing is asked for.
    assert_eq!(sizes("ps_1_1\nmov r0, c9\n"), []);
    assert_eq!(sizes("ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n"), []);
}

#[test]
fn steps_tell_what_is_read_and_written() {
    let options = Options { depth: Depth::Full, ..Options::default() };
    let shader = lifted("ps_1_1\nmov r0.rgb, v0\n+ mov r0.a, c1\n", &options).unwrap();
    let steps = shader.steps.iter().map(|step| {
        let name = |access: &Access| format!("{}.{}", shader.cell_name(access.cell), access.mask.letters());
        let reads: Vec<String> = step.reads.iter().map(name).collect();
        let writes: Vec<String> = step.writes.iter().map(name).collect();
        format!("{}: {} -> {}", step.source, reads.join(" "), writes.join(" "))
    });
    assert_eq!(steps.collect::<Vec<_>>(), ["0: v0.xyz -> r0.xyz", "1: c[1].w -> r0.w"]);
}
