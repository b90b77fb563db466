//! Malformed shaders and their messages, and sound ones.

use std::collections::BTreeSet;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::steps::{Access, Cell, Step};
use vecasm_ir::ir::text::{forms, parse_any};
use vecasm_ir::ir::verify::{BreachRule, MAX_BREACHES, RULES, verify};
use vecasm_ir::ir::{
    Arg, Args, Block, Dim, Home, Inst, Label, LocalArray, LocalId, Memory, Node, Op, Output, OutputId,
    OutputKind, Pick, Region, Scalar, Shader, Stage, Texture, TextureId, Type, Value, Vote,
};
use vecasm_ir::operand::WriteMask;

const MALFORMED: &str = include_str!("malformed.txt");
const SOUND: &str = include_str!("sound.txt");

/// The blocks of a file, each from behind a `==`, with the rest of that line.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n== ").skip(1).map(|block| block.split_once('\n').unwrap())
}

/// Sound shaders, with their titles.
fn sound() -> Vec<(&'static str, Shader)> {
    let read = |text: &str| parse_any(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    blocks(SOUND).map(|(title, text)| (title, read(text))).collect()
}

struct Case {
    id: &'static str,
    message: String,
    shader: Shader,
}

fn texts() -> Vec<Case> {
    let read = |(id, rest): (&'static str, &str)| {
        let (message, text) = rest.split_once('\n').unwrap();
        let shader = parse_any(text).unwrap_or_else(|e| panic!("{id}: {message}\n{e}\n{text}"));
        Case { id, message: message.into(), shader }
    };
    blocks(MALFORMED).map(read).collect()
}

/// What the text form does not say.
fn built() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |id: &'static str, message: &str, stage: Stage, fill: fn(&mut Builder)| {
        let mut b = Builder::new(stage, "test", &["r"], 8);
        fill(&mut b);
        cases.push(Case { id, message: message.into(), shader: b.finish() });
    };
    case("store-mask", "store writes no lane", Stage::Fragment, |b| {
        b.shader.outputs.push(Output::new("oc", OutputKind::Color { target: 0 }));
        let x = b.splat(1.0, 1);
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::NONE }, &[x]);
    });
    case("store-mask", "store_local writes no lane", Stage::Fragment, |b| {
        b.shader.locals.push(LocalArray { name: "t".into(), scalar: Scalar::F32, size: 1 });
        let x = b.splat(1.0, 1);
        b.effect(Op::StoreLocal { array: LocalId(0), index: 0, mask: WriteMask::NONE }, &[x]);
    });
    case("argument-list", "arguments 7 to 8 are outside a table of 0", Stage::Vertex, |b| {
        let args = Args { start: 7, len: 2 };
        b.node(Node::Inst(Inst {
            op: Op::Fence,
            arith: Default::default(),
            result: None,
            args,
            step: 0,
            tail: None,
        }));
    });
    case(
        "argument-list",
        "arguments 4294967295 to 4294967295 are outside a table of 0",
        Stage::Vertex,
        |b| {
            let values = Args { start: u32::MAX, len: 1 };
            let label = b.label();
            b.open();
            b.node(Node::Leave { label, values });
            let body = b.close(&[]);
            b.node(Node::Block(Box::new(Block { label, body, results: Vec::new() })));
        },
    );
    case("argument-lanes", "an argument picks 5 lanes of %0, not 1 to 4", Stage::Fragment, |b| {
        let x = b.splat(1.0, 4);
        let five = Arg { lanes: 5, ..x };
        b.push(Op::Vote(Vote::Equal), &[five], Type::BOOL);
    });
    case("value-unknown", "%9 is defined but not in the table of values", Stage::Vertex, |b| {
        let result = Some(Value::new(9));
        let (op, args) = (Op::Clock, Args::default());
        b.node(Node::Inst(Inst { op, arith: Default::default(), result, args, step: 0, tail: None }));
    });
    case("const-lanes", "a constant of f32x2 has bits in lanes beyond it", Stage::Vertex, |b| {
        b.push_entry(Op::Const([1, 2, 3, 0]), Type::new(Scalar::F32, 2));
    });
    case("const-lanes", "a constant of u64 has bits in lanes beyond it", Stage::Vertex, |b| {
        b.push_entry(Op::Const([1, 2, 3, 0]), Type::new(Scalar::U64, 1));
    });
    case("const-lanes", "a constant of i64x3: two lanes at most", Stage::Vertex, |b| {
        b.push_entry(Op::Const([1, 2, 3, 0]), Type::new(Scalar::I64, 3));
    });
    case("compose", "compose expects 1 to 4 lanes of one type, found ()", Stage::Vertex, |b| {
        b.push(Op::Compose, &[], Type::F32);
    });
    case("gather-component", "gather of lane 4 of texture s, not of 0 to 3", Stage::Vertex, |b| {
        b.shader.textures.push(Texture::new("s", 0, Dim::D2));
        let (texture, pick) = (TextureId(0), Pick::Fixed);
        let at = b.splat(0.0, 2);
        b.op(Op::Gather { texture, component: 4, compare: false, offset: false, pick }, &[at]);
    });
    case("memory-lanes", "load_memory of 5 words, not 1 to 4", Stage::Compute, |b| {
        b.shader.setup.shared = 16;
        let at = b.uint(0);
        let (memory, pick) = (Memory::Shared, Pick::Fixed);
        b.push(Op::LoadMemory { memory, lanes: 5, pick }, &[at], Type::U32);
    });
    case("step-access", "step 0 accesses no lane of r2", Stage::Vertex, |b| {
        let access = Access { cell: Cell::Register(Home { file: 0, index: 2 }), mask: WriteMask::NONE };
        b.shader.steps.push(Step { source: 0, part: 0, reads: vec![access], writes: Vec::new() });
    });
    case("step-access", "step 0 accesses ?, which does not exist", Stage::Vertex, |b| {
        let access = Access { cell: Cell::Output(OutputId(3)), mask: WriteMask::X };
        b.shader.steps.push(Step { source: 0, part: 0, reads: Vec::new(), writes: vec![access] });
    });
    case("depth", "regions are nested more than 200 deep", Stage::Vertex, |b| {
        let mut region = Region::default();
        for n in 0..201 {
            let block = Block { label: Label(n), body: region, results: Vec::new() };
            region = Region { nodes: vec![Node::Block(Box::new(block))], yields: Args::default() };
        }
        b.node(region.nodes.pop().unwrap());
    });
    cases
}

#[test]
fn malformed_shaders_have_their_message() {
    let mut cases = texts();
    cases.append(&mut built());
    assert!(cases.len() >= 100);
    let (mut wrong, mut messages, mut ids) = (String::new(), BTreeSet::new(), BTreeSet::new());
    for Case { id, message, shader } in &cases {
        let got = verify(shader);
        ids.insert(*id);
        assert!(messages.insert(message), "two cases say: {message}");
        if got.len() != 1 || got[0].id != *id || got[0].message != *message {
            wrong += &format!("wanted {id}: {message}\n");
            got.iter().for_each(|b| wrong += &format!("   got {}: {}\n", b.id, b.message));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    ids.insert("more-breaches");
    let known: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(known.len(), RULES.len());
    assert_eq!(ids, known);
}

#[test]
fn rules_are_kebab_case_and_sentences() {
    for BreachRule { id, text } in RULES {
        assert!(id.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-'), "{id}");
        assert!(text.ends_with('.') && text.starts_with(|c: char| c.is_uppercase()), "{text}");
    }
}

#[test]
fn sound_shaders_have_no_breach() {
    for (title, shader) in sound() {
        assert_eq!(verify(&shader), [], "{title}");
    }
}

/// Every operation stands in a sound shader, so that none is refused always.
#[test]
fn sound_shaders_have_every_operation() {
    let mut seen = BTreeSet::new();
    for (_, shader) in sound() {
        shader.body.for_each_inst(&mut |inst| {
            let shown = format!("{:?}", inst.op);
            let variant: String = shown.chars().take_while(char::is_ascii_alphanumeric).collect();
            seen.insert(variant);
        });
    }
    let missing: Vec<&str> =
        forms().map(|(variant, ..)| variant).filter(|variant| !seen.contains(*variant)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_list_of_breaches_ends() {
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 8);
    let x = b.splat(1.0, 1);
    for _ in 0..MAX_BREACHES {
        b.effect(Op::Demote, &[x]);
    }
    let breaches = verify(&b.finish());
    assert_eq!(breaches.len(), MAX_BREACHES);
    let last = breaches.last().unwrap();
    assert_eq!((last.id, last.message.as_str()), ("more-breaches", "the shader has 1000 or more breaches"));
    assert_eq!(breaches[0].to_string(), "step 0: demote in the vertex stage; only fragment has it");
}

/// Labels, runs and tables are looked up, not searched: a hundred thousand of them take no time to speak of.
#[test]
fn large_shaders_take_time_in_proportion() {
    let mut b = Builder::new(Stage::Vertex, "test", &["r"], 8);
    let n = 100_000u32;
    for _ in 0..n {
        let label = b.label();
        b.open();
        let body = b.close(&[]);
        b.node(Node::Block(Box::new(Block { label, body, results: Vec::new() })));
    }
    let texture = |i: u32| Texture::new(format!("s{i}"), i, Dim::D2);
    b.shader.textures.extend((0..60_000).map(texture));
    let index = b.uint(0);
    for _ in 0..n {
        let pick = Pick::Index { count: 60_000 };
        b.op(Op::TextureSamples { texture: TextureId(0), pick }, &[index]);
    }
    assert_eq!(verify(&b.finish()), []);
}
