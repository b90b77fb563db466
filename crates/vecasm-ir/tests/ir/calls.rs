//! Calls written out, and how many.

use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::calls::{BUDGET, CallError, Calls, MAX_CALLS};
use vecasm_ir::ir::{Arg, Block, Node, Pure, Stage};

/// Lifts subroutine `number` of a program in which each one calls the next one `times` times, and the last one adds.
fn call(
    b: &mut Builder,
    calls: &mut Calls,
    number: u32,
    last: u32,
    times: u32,
    x: Arg,
) -> Result<Arg, CallError> {
    calls.enter(number, b.size())?;
    let label = b.label();
    b.open();
    let mut value = x;
    if number == last {
        value = b.pure(Pure::Add, &[value, value]);
    } else {
        for _ in 0..times {
            value = call(b, calls, number + 1, last, times, value)?;
        }
    }
    let body = b.close(&[value]);
    let result = b.value(vecasm_ir::ir::Type::F32, None);
    b.node(Node::Block(Box::new(Block { label, body, results: [result].into() })));
    calls.leave();
    Ok(Arg::all_lanes(result, 1))
}

fn lift(last: u32, times: u32) -> Result<usize, CallError> {
    let mut b = Builder::new(Stage::Vertex, "test", &[], 8);
    let x = b.splat(1.0, 1);
    let mut calls = Calls::default();
    call(&mut b, &mut calls, 0, last, times, x)?;
    assert_eq!(calls.depth(), 0);
    assert_eq!(vecasm_ir::ir::verify::verify(&b.shader.clone()), []);
    Ok(b.operations())
}

#[test]
fn twenty_four_nested_subroutines_stop_at_the_budget() {
    // Each calls the next one twice: 2^23 additions, if nothing stopped it.
    assert_eq!(lift(23, 2), Err(CallError::Budget));
    // So it does where the last one is empty: nothing but calls is counted.
    let mut calls = Calls::default();
    let mut empty = || (0..=BUDGET).try_for_each(|_| calls.enter(0, 1).map(|()| calls.leave()));
    assert_eq!(empty(), Err(CallError::Budget));
    // 2^12 additions and the constant they start with are few enough; so are 24 calls of one another once.
    assert_eq!(lift(12, 2), Ok(4096 + 1));
    assert_eq!(lift(23, 1), Ok(1 + 1));
}

#[test]
fn recursion_and_depth_are_errors() {
    let mut calls = Calls::default();
    assert_eq!(calls.enter(7, 0), Ok(()));
    assert_eq!(calls.enter(8, 0), Ok(()));
    assert_eq!(calls.enter(7, 0), Err(CallError::Recursion));
    calls.leave();
    assert_eq!(calls.enter(8, 0), Ok(()));
    assert_eq!(lift(MAX_CALLS as u32, 1), Err(CallError::Depth));
}
