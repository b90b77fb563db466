//! Engines by name, and batches on several threads: all give the bits of the interpreter.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use vecasm_engines::{Choice, Reason, Threads};
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_exec::workers::{Job, Workers};
use vecasm_exec::{Batch, Engine, RunError};
use vecasm_ir::ir::Shader;

/// Sees its neighbours, and leaves some of its invocations.
const QUADS: &str = "fragment test
  input 0 v varying 0 : f32x4
  output 0 o color 0

  %0 = input v : f32x4
  %1 = ddx.fine %0 : f32x4
  %2 = mul %1 %0 : f32x4
  store o.xyzw %2
  %3 = const 0.0 : f32
  %4 = lt %0.x %3 : bool
  demote %4
";
/// Asks all of its subgroup.
const VOTES: &str = "vertex test
  input 0 x attribute 0 : u32
  output 0 o varying 0 : u32

  %0 = input x : u32
  %1 = const 2147483648 : u32
  %2 = lt %0 %1 : bool
  %3 = ballot %2 : u32x2
  store o.xy %3
";
/// Counts up to a number, for as long as there is fuel.
const LOOPS: &str = "vertex test
  input 0 n attribute 0 : u32
  output 0 o varying 0 : u32 init=7,0,0,0

  %0 = input n : u32
  %1 = const 0 : u32
  %2 = const 1 : u32
  %3 = const 7 : u32
  %4 = and %0 %3 : u32
  loop L0 %5: u32 = %1 {
    %6 = ge %5 %4 : bool
    if %6 {
      leave L0
    } else {
    }
    %7 = add %5 %2 : u32
    yield %7
  }
  store o.x %4
";
/// Counts its invocations in memory: each sees those before it.
const COUNTS: &str = "fragment test
  output 0 o color 0 : u32
  buffer 0 counter slot 0 storage write

  %0 = const 0 : u32
  %1 = const 1 : u32
  %2 = atomic.add counter %0 %1 : u32
  store o.x %2
";

fn parse(text: &str) -> Shader {
    vecasm_ir::ir::text::parse(text, "test", &[]).unwrap()
}

/// What each of the shaders is run on, in as many invocations.
fn on(shader: &Shader, count: usize) -> RunFile {
    let mut on = RunFile::random(shader, count, 1);
    on.subgroup = 32;
    on.fuel = Some(4);
    on
}

#[test]
fn names_are_words_and_say_what_they_are() {
    let names: BTreeSet<&str> = Choice::ALL.iter().map(|engine| engine.name()).collect();
    assert_eq!(names.len(), Choice::ALL.len());
    for engine in Choice::ALL {
        assert_eq!(engine.name().parse(), Ok(*engine));
        assert_eq!(engine.to_string(), engine.name());
        assert!(!engine.doc().is_empty() && !engine.doc().ends_with('.'));
        assert_eq!(Engine::name(engine), engine.name());
    }
    let (first, last) = (Choice::ALL.first(), Choice::ALL.last());
    assert_eq!(first, Some(&Choice::AUTO));
    assert_eq!(
        (Choice::default(), Choice::AUTO.name(), Choice::AUTO.lacking()),
        (Choice::AUTO, "auto", None)
    );
    assert_eq!(last.map(|last| (last.name(), last.lacking())), Some(("interp", None)));
    let error = "jit-avx3".parse::<Choice>().unwrap_err();
    assert_eq!(error.known().len(), Choice::ALL.len());
    assert!(error.to_string().starts_with("no engine jit-avx3; did you mean `jit-avx"), "{error}");
}

#[test]
fn every_engine_gives_the_bits_of_the_interpreter_or_says_why_not() {
    for text in [QUADS, VOTES, LOOPS, COUNTS] {
        let shader = parse(text);
        let on = on(&shader, 1_500);
        let batch = on.batch();
        let expected = Interp.run(&shader, &batch).unwrap();
        for engine in Choice::ALL {
            let started = engine.start(&shader, &batch, |chosen, outputs| {
                // What runs it again runs it as before.
                let again = chosen.runner().run(&batch).cloned();
                (chosen.engine, outputs.clone(), again)
            });
            let ran = engine.run(&shader, &batch);
            match started {
                Ok((name, outputs, again)) => {
                    assert!(*engine == Choice::AUTO || name == engine.name());
                    assert_eq!(
                        (&outputs, &again, &ran),
                        (&expected, &Ok(outputs.clone()), &Ok(outputs.clone()))
                    );
                }
                Err(error) => {
                    let [(name, reason)] = error.tried() else { panic!("{error}") };
                    assert_eq!(*name, engine.name());
                    match reason {
                        Reason::Lacking(what) => assert_eq!(Some(what), engine.lacking().as_ref()),
                        Reason::Error(why) => assert!(matches!(why, RunError::Unsupported(_)), "{why}"),
                        other => panic!("{other:?}"),
                    }
                    assert!(matches!(ran, Err(RunError::Unsupported(_))), "{ran:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    let broken = Shader { stage: vecasm_ir::ir::Stage::Compute, ..parse(QUADS) };
    let error = Choice::AUTO.start(&broken, &Batch::default(), |_, _| ()).unwrap_err();
    let [(engine, Reason::Error(why))] = error.tried() else { panic!("{error}") };
    assert!(matches!(why, RunError::Malformed(_)), "{why}");
    assert_eq!(error.to_string(), format!("engine {engine}: {why}"));
    assert_eq!(Choice::AUTO.run(&broken, &Batch::default()).err().as_ref(), Some(why));
}

/// Workers who take the jobs backwards and leave every second one, or all.
struct Careless {
    leave_all: bool,
    given: Mutex<Vec<usize>>,
}

impl Workers for Careless {
    fn count(&self) -> usize {
        5
    }

    fn work(&self, jobs: Vec<Job<'_>>) {
        self.given.lock().unwrap().push(jobs.len());
        if !self.leave_all {
            jobs.into_iter().rev().step_by(2).for_each(|job| job());
        }
    }
}

#[test]
fn long_batches_on_threads_give_the_same_bits() {
    let careless = [false, true].map(|leave_all| Careless { leave_all, given: Mutex::default() });
    let own = [1, 2, 3].map(|count| Threads::new(count).unwrap());
    assert_eq!(own.each_ref().map(Workers::count), [1, 2, 3]);
    let program = Threads::default();
    let own = own.iter().chain([&program]).map(|threads| threads as &dyn Workers);
    let workers: Vec<&dyn Workers> = own.chain(careless.iter().map(|all| all as &dyn Workers)).collect();
    // Blocks of 16,384 and what is left of one, a quad that is not whole.
    for (text, spread) in [(QUADS, true), (VOTES, true), (LOOPS, true), (COUNTS, false)] {
        let shader = parse(text);
        let mut on = on(&shader, 70_000);
        on.count = 69_998;
        let batch = on.batch();
        let engine: Choice = "lanes".parse().unwrap();
        let expected = engine.run(&shader, &batch).unwrap();
        assert_eq!(expected.killed.contains(&true), text == QUADS);
        assert_eq!(expected.exhausted.contains(&true), text == LOOPS);
        for workers in &workers {
            careless.iter().for_each(|careless| careless.given.lock().unwrap().clear());
            assert_eq!(engine.run_on(*workers, &shader, &batch).as_ref(), Ok(&expected));
            assert_eq!(Choice::AUTO.run_on(*workers, &shader, &batch).as_ref(), Ok(&expected));
            let given: usize = careless.iter().map(|careless| careless.given.lock().unwrap().len()).sum();
            assert!(spread || given == 0);
        }
        careless.iter().for_each(|careless| {
            careless.given.lock().unwrap().clear();
            let short = Batch { count: 16_384, ..batch.clone() };
            assert_eq!(engine.run_on(careless, &shader, &short).unwrap().killed.len(), 16_384);
            // One block is no matter of threads.
            assert!(careless.given.lock().unwrap().is_empty());
            engine.run_on(careless, &shader, &batch).unwrap();
            assert_eq!(*careless.given.lock().unwrap(), if spread { vec![5] } else { vec![] });
        });
    }
}

#[test]
fn threads_are_asked_for_in_reason() {
    for count in [0, Threads::MOST + 1] {
        assert_eq!(Threads::new(count).unwrap_err().to_string(), format!("{count} is not in 1..=256"));
    }
    assert!(Threads::default().count() > 0);
    assert_eq!(Threads::new(2).unwrap().install(|| 7), 7);
}
