//! Shaders that are the same.

use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Op, OutputId, Shader, Stage, Type};
use vecasm_ir::operand::{Swizzle, WriteMask};

fn shader(build: impl FnOnce(&mut Builder)) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 4);
    build(&mut b);
    b.finish()
}

#[test]
fn lists_may_lie_anywhere_but_must_say_the_same() {
    let store = |b: &mut Builder, swizzle: Swizzle| {
        let value = b.push(Op::Const([0; 4]), &[], Type::F32X4);
        let arg = Arg { value, swizzle, lanes: 1 };
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[arg]);
    };
    let first = shader(|b| store(b, Swizzle::new(1, 1, 1, 1)));
    let padded = shader(|b| {
        b.list(&[Arg::lane(vecasm_ir::ir::Value::new(0), 3)]);
        store(b, Swizzle::new(1, 2, 3, 0));
        b.value(Type::BOOL, None);
    });
    assert_ne!(first.args, padded.args);
    assert_eq!(first, padded);
    assert_ne!(first, shader(|b| store(b, Swizzle::new(2, 1, 1, 1))));
}
