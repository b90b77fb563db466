//! The step table under every pass: a trace shows the same.

use crate::check::PASSES;
use vecasm::debug::trace::Trace;
use vecasm::exec::Batch;
use vecasm::exec::interp::Interp;
use vecasm::ir::verify::verify;
use vecasm::ir::{Arith, Node, Op, Scalar, Shader, Type};
use vecasm::isa::agal;

const TEXT: &str = ".agal vertex 1\nm44 vt0, va0, vc4\nmov vt1.xz, vc[va1.y+2].yyww\nmul vt1.y, vt1.x, vt0.w\n\
                    max vt1.w, vt0.y, vt1.y\nexp vt2, vt1.xxxx\nmov op, vt0\nmov v0, vt1.xyzz\nmov v0.w, vt2.x\n";

fn batch() -> Batch<'static> {
    let floats = |v: [f32; 4]| v.map(f32::to_bits);
    Batch {
        count: 2,
        inputs: vec![
            vec![floats([1.0, 2.0, 3.0, 4.0]), floats([-0.5, 7.25, 0.0, 1.0])],
            vec![floats([5.0, 1.0, 6.0, 7.0]), floats([0.0, 3.0, 0.0, 0.0])],
        ],
        params: vec![(0..9u8).map(|i| floats([f32::from(i), 0.5, -1.0, 2.0])).collect()],
        ..Batch::default()
    }
}

fn lines(shader: &Shader) -> Vec<String> {
    let (mut trace, mut lines) = (Trace::new(&batch()), Vec::new());
    Interp
        .run_watched(shader, &batch(), &mut |event| lines.push(trace.line(shader, event, "")))
        .expect("the shader runs");
    lines
}

/// The shader with everything that can be computed by the NV20's rule.
fn as_nv20(shader: &Shader) -> Shader {
    let mut new = shader.clone();
    for node in &mut new.body.nodes {
        if let Node::Inst(inst) = node {
            if let Op::Pure(pure) = inst.op {
                let types: Vec<Type> =
                    shader.args(inst.args).iter().map(|&arg| shader.arg_type(arg)).collect();
                if pure.has_nv20() && pure.scalar(&types) == Scalar::F32 {
                    inst.arith = Arith::NV20;
                }
            }
        }
    }
    new
}

pub(crate) fn traces_stay() {
    let (program, _) = agal::text::parse(TEXT, &agal::text::ParseOptions::default());
    let full = agal::lift::Options { depth: agal::lift::Depth::Full, ..Default::default() };
    let lifted =
        agal::lift::lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
    for before in [as_nv20(&lifted), lifted] {
        assert_eq!(verify(&before), []);
        let wanted = lines(&before);
        assert_eq!(wanted.len(), 16, "eight steps of two invocations");
        for pass in PASSES {
            let after = (pass.run)(&before, &batch());
            assert_eq!(verify(&after), [], "{}", pass.name);
            assert_eq!(lines(&after), wanted, "{}", pass.name);
        }
    }
}
