//! A debugger that moves both ways.

use vecasm_debug::debug::condition::Evaluation;
use vecasm_debug::debug::listing::Listing;
use vecasm_debug::debug::recording::{Limits, Recording};
use vecasm_debug::debug::session::view::Origin;
use vecasm_debug::debug::session::{Reason, Session, SessionError, Setup, Stop};
use vecasm_exec::Batch;
use vecasm_isa::any::{AnyProgram, LiftOptions};
use vecasm_isa::{Depth, Isa};

/// A session over a text, with these inputs (a list for each input of the shader) and constants.
fn session(isa: Isa, text: &str, inputs: &[&[[f32; 4]]], params: &[[f32; 4]]) -> Session {
    let (program, findings) = AnyProgram::parse(isa, text, None, None);
    assert_eq!(findings, []);
    let program = program.expect("the text is sound");
    let mut options = LiftOptions::default();
    options.agal.depth = Depth::Full;
    options.nv2a.depth = Depth::Full;
    options.d3d9.depth = Depth::Full;
    let shader = program.lift(&options).expect("the program has a meaning");
    let bits = |list: &[[f32; 4]]| -> Vec<[u32; 4]> { list.iter().map(|v| v.map(f32::to_bits)).collect() };
    let count = inputs.iter().map(|list| list.len()).max().unwrap_or(1);
    let inputs = inputs.iter().map(|list| bits(list)).collect();
    let batch = Batch { count, inputs, params: vec![bits(params)], ..Batch::default() };
    let recording = Recording::of(&shader, &batch, 0, &Limits::default()).expect("it runs");
    let listing = Listing::new(text, &program.instruction_spans(text));
    let mut setup = Setup::new(shader, recording, listing, &batch);
    setup.instructions = program.instruction_texts();
    if isa == Isa::Nv2a {
        setup.parts = vec!["MAC".into(), "ILU".into()];
    }
    Session::new(setup, 0)
}

/// Lines 2 to 6: ft0 = v0, a loop-free if on the sign of x, oc = ft0.
const BRANCH: &str = ".agal fragment 2\nmov ft0, v0\nifl ft0.x, fc0.x\nneg ft0.x, ft0.x\neif\nmul ft0.y, ft0.x, fc0.y\nmov oc, ft0\n";

fn floats(found: &Evaluation) -> Vec<Option<f32>> {
    match found {
        Evaluation::Lanes(lanes, _) => lanes.iter().map(|lane| lane.map(f32::from_bits)).collect(),
        Evaluation::Truth(_) => Vec::new(),
    }
}

#[test]
fn it_moves_both_ways() {
    let mut s = session(Isa::Agal, BRANCH, &[&[[-2.0, 1.0, 0.0, 1.0]]], &[[0.0, 3.0, 0.0, 0.0]]);
    assert_eq!((s.time(), s.end_time(), s.line()), (0, 5, Some(2)));
    let lines: Vec<Option<u32>> = (0..5).map(|_| (s.step(), s.line()).1).collect();
    assert_eq!(lines, [Some(3), Some(4), Some(6), Some(7), None]);
    assert_eq!(s.step().reason, Reason::End);
    assert_eq!((s.step_back().reason, s.line()), (Reason::Step, Some(7)));
    assert_eq!((s.previous_line().reason, s.line()), (Reason::Step, Some(6)));
    assert_eq!((s.start().reason, s.line()), (Reason::Start, Some(2)));
    assert_eq!((s.next_line().reason, s.line()), (Reason::Step, Some(3)));
    assert_eq!((s.run_to_line(6).reason, s.line()), (Reason::Line, Some(6)));
    assert_eq!((s.run_to_line(3).reason, s.line()), (Reason::End, None));
    assert_eq!(s.lines(), [2, 3, 4, 6, 7]);
}

#[test]
fn breakpoints_stop_both_ways() {
    let mut s = session(Isa::Agal, BRANCH, &[&[[-2.0, 1.0, 0.0, 1.0]]], &[[0.0, 3.0, 0.0, 0.0]]);
    // Line 5 is `eif`, which does nothing: the breakpoint moves to line 6.
    let point = s.break_at(5, None).expect("line 6 is there").clone();
    assert_eq!((point.id, point.line), (1, Some(6)));
    assert_eq!(s.break_at(8, None).map(|p| p.id), Err(SessionError::NoLine(8)));
    // x is -2 first and 2 behind line 4.
    assert_eq!(s.break_if("ft0.x > 0 and writes ft0.x").map(|p| p.id), Ok(2));
    assert_eq!(s.break_at(7, Some("ft0.y < 6")).map(|p| p.id), Ok(3));
    let stop = s.resume();
    // Behind line 4 is in front of line 6.
    assert_eq!((stop.reason, stop.breakpoints, s.time()), (Reason::Breakpoint, vec![1, 2], 3));
    // y is 6 at line 7, so its breakpoint does not count.
    assert_eq!(s.resume(), Stop { reason: Reason::End, breakpoints: Vec::new() });
    assert_eq!((s.reverse().breakpoints, s.time()), (vec![1, 2], 3));
    assert_eq!(s.reverse(), Stop { reason: Reason::Start, breakpoints: Vec::new() });
    assert!(s.remove(1) && !s.remove(1));
    assert!(s.enable(2, false) && !s.enable(1, false));
    assert_eq!(s.resume().reason, Reason::End);
    assert!(matches!(s.break_if("ft0.x"), Err(SessionError::Expression(_))));
}

#[test]
fn views_show_what_changed_and_where_it_came_from() {
    let mut s = session(Isa::Agal, BRANCH, &[&[[-2.0, 1.0, 0.0, 1.0]]], &[[0.0, 3.0, 0.0, 0.0]]);
    s.watch("ft0.xy * 2").expect("it is sound");
    let view = s.view();
    assert_eq!((view.time, view.end, view.group.as_slice(), view.last.is_none()), (0, 5, &[0][..], true));
    assert_eq!(view.registers[0].cells[0].bits, [None; 4]);
    assert_eq!(view.inputs[0].name, "v0");
    assert_eq!(view.constants[0].name, "fc[0]");
    s.run_to_line(7);
    let view = s.view();
    let ft0 = &view.registers[0].cells[0];
    // y was 1 and is 2 · 3.
    assert_eq!(ft0.bits.map(|b| b.map(f32::from_bits)), [Some(2.0), Some(6.0), Some(0.0), Some(1.0)]);
    assert_eq!((ft0.written.letters(), ft0.changed.letters()), ("y".into(), "y".into()));
    assert_eq!(floats(&view.watches[0].value), [Some(4.0), Some(12.0)]);
    let write = &view.writes[0];
    assert_eq!(
        (write.name.as_str(), write.bits.clone(), write.old.clone()),
        ("ft0", vec![6f32.to_bits()], vec![Some(1f32.to_bits())])
    );
    assert_eq!(view.last.as_ref().map(|place| place.instruction.as_str()), Some("mul ft0.y, ft0.x, fc0.y"));
    // ft0.y is made of lines 2 (the x of v0), 4 and 6. Line 3 decides it, but writes nothing.
    let ft0 = s.names().cell("ft0").expect("it is there");
    let made = s.ancestry(ft0, 1);
    let lines: Vec<Option<u32>> = made.steps.iter().map(|(place, _)| place.line).collect();
    assert_eq!(lines, [Some(2), Some(4), Some(6)]);
    let roots: Vec<(Origin, String)> =
        made.roots.iter().map(|(o, a)| (*o, format!("{}.{}", a.name, a.lanes.letters()))).collect();
    assert_eq!(roots, [(Origin::Input, "v0.x".into()), (Origin::Constant, "fc[0].y".into())]);
    assert_eq!((made.may.as_slice(), made.name.as_str()), (&[0, 2, 4][..], "ft0.y"));
    // z is that of the input alone.
    assert_eq!(s.ancestry(ft0, 2).steps.len(), 1);
}

#[test]
fn the_masked_know_why() {
    let quad: &[[f32; 4]] =
        &[[-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]];
    let text = BRANCH.replace("mov ft0, v0", "ddx ft1, v0\nmov ft0, v0");
    let mut s = session(Isa::Agal, &text, &[quad], &[[0.0, 3.0, 0.0, 0.0]]);
    assert!(s.select(1) && !s.select(4));
    s.go(3);
    let view = s.view();
    assert_eq!(view.next.as_ref().and_then(|place| place.line), Some(5));
    assert_eq!(view.masked.map(|m| m.text), Some("line 4 took the other branch".into()));
    // A line that the invocation never comes to, and one that it does.
    s.start();
    assert_eq!(s.run_to_line(5).reason, Reason::End);
    s.select(0);
    s.start();
    assert_eq!(s.run_to_line(5).reason, Reason::Line);
    // The next line of invocation 1 from line 4 is line 7.
    s.select(1);
    s.go(2);
    s.next_line();
    assert_eq!(s.line(), Some(7));
}

#[test]
fn units_of_a_pair_are_told_apart() {
    // One slot: the MAC unit writes r0, the ILU r1.x; then r0 · r1.x.
    let text = "mul r0, v0, v0 + rcp r1.x, v0.z\nmul oPos, r0, r1.x\n";
    let mut s = session(Isa::Nv2a, text, &[&[[2.0, 3.0, 4.0, 1.0]]], &[]);
    let places: Vec<(Option<u32>, String)> =
        (0..s.end_time()).filter_map(|m| s.place(m)).map(|p| (p.line, p.part_name)).collect();
    assert_eq!(places, [(Some(1), "MAC".into()), (Some(1), "ILU".into()), (Some(2), "MAC".into())]);
    // Both halves are one line.
    assert_eq!((s.next_line().reason, s.time()), (Reason::Step, 2));
    assert_eq!((s.previous_line().reason, s.time()), (Reason::Start, 0));
    s.end();
    let out = s.names().cell("oPos").expect("it is there");
    // x = 2·2 · 1/4 = 1: of v0.x and v0.z.
    assert_eq!(s.cell(out).bits[0], Some(1f32.to_bits()));
    let made = s.ancestry(out, 0);
    let roots: Vec<String> =
        made.roots.iter().map(|(_, a)| format!("{}.{}", a.name, a.lanes.letters())).collect();
    assert_eq!((made.steps.len(), roots), (3, vec!["v0.xz".into()]));
}

#[test]
fn what_came_from_outside_is_a_root() {
    let text = "ps_2_0\ndef c0, 2, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nadd r0.w, r0, c1\nmov oC0, r0\n";
    let mut s = session(Isa::D3d9, text, &[&[[1.0, 2.0, 3.0, 4.0]]], &[[9.0; 4], [1.0; 4]]);
    s.end();
    let out = s.names().cell("oC0").expect("it is there");
    assert_eq!(s.cell(out).bits.map(|b| b.map(f32::from_bits)), [2.0, 4.0, 6.0, 9.0].map(Some));
    let roots = s.ancestry(out, 3).roots;
    let mut roots: Vec<(String, Origin, Option<f32>)> = roots
        .iter()
        .map(|(o, a)| (format!("{}.{}", a.name, a.lanes.letters()), *o, a.old[0].map(f32::from_bits)))
        .collect();
    roots.sort_by(|a, b| a.0.cmp(&b.0));
    // c0 is what the program defines, not what was given.
    assert_eq!(
        roots,
        [
            ("c0.x".into(), Origin::Constant, Some(2.0)),
            ("c[1].w".into(), Origin::Constant, Some(1.0)),
            ("t0.w".into(), Origin::Input, Some(4.0)),
        ]
    );
    let constants: Vec<String> = s.view().constants.into_iter().map(|cell| cell.name).collect();
    assert_eq!(constants, ["c0", "c[1]"]);
}
