//! Passes keep the step table: a trace of what they made is the trace of what they were given.

use vecasm_debug::debug::trace::Trace;
use vecasm_exec::Batch;
use vecasm_exec::interp::Interp;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::steps::strip;
use vecasm_ir::ir::text::{parse_any, print};
use vecasm_ir::ir::verify::verify;
use vecasm_isa::agal;
use vecasm_opt::{clean, fold};

#[test]
fn passes_keep_the_table_exact_and_the_text_form_has_it() {
    let text = ".agal vertex 1\nm44 vt0, va0, vc4\nmov vt1.xz, vc[va1.y+2].yyww\nmul vt1.y, vt1.x, vt0.w\n\
                mov op, vt0\nmov v0, vt1.xyzz\nmov v0.w, va1.x\n";
    let (program, _) = agal::text::parse(text, &agal::text::ParseOptions::default());
    let full = agal::lift::Options { depth: agal::lift::Depth::Full, ..Default::default() };
    let before =
        agal::lift::lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
    let floats = |v: [f32; 4]| v.map(f32::to_bits);
    let batch = Batch {
        count: 1,
        inputs: vec![vec![floats([1.0, 2.0, 3.0, 4.0])], vec![floats([5.0, 1.0, 6.0, 7.0])]],
        params: vec![(0..9u8).map(|i| floats([f32::from(i), 0.5, -1.0, 2.0])).collect()],
        ..Batch::default()
    };
    let lines = |shader: &Shader| {
        let mut trace = Trace::new(&batch);
        let mut lines = Vec::new();
        Interp
            .run_watched(shader, &batch, &mut |event| lines.push(trace.line(shader, event, "")))
            .expect("the shader runs");
        lines
    };
    let wanted = lines(&before);
    assert_eq!(wanted.len(), 6);
    assert!(wanted[1].contains(r#""va1.y":[[1]],"vc[…+2].yw":[[0.5,2]]"#), "{}", wanted[1]);
    let after = clean(&fold(&before));
    assert_eq!(verify(&after), []);
    assert_eq!(lines(&after), wanted);
    let text = print(&before);
    let read = parse_any(&text).expect("the text is sound");
    assert_eq!(print(&read), text);
    assert_eq!(read, before);
    assert_eq!(lines(&read), wanted);
    let mut stripped = before.clone();
    strip(&mut stripped);
    assert_eq!(verify(&stripped), []);
    assert_eq!(lines(&stripped), [""; 0]);
}
