//! Every pattern of every machine, proved: what it says is built as a shader, lowered, lifted again and compared. Wrong ones are found.

use crate::code::What;
#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
use crate::forms::{X, Y, Z};
use crate::machine::{Kind as RowKind, Machine, Pattern, Row, Truth};
use crate::peepholes::{Entry, Form, bit, operation};
use crate::refusal::Refusals;
use crate::{Generated, How, generate, prepare};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_debug::compare::eqv::{Options, Verdict, eqv};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Arith, Input, InputKind, Op, Output, OutputKind, Pure, Rule, Scalar, Shader, Stage, Type,
};
use vecasm_ir::operand::WriteMask;

/// A shader of a pattern on four inputs: each is one lane, bits of which are a number of the scalar.
struct Sources {
    b: Builder,
    inputs: [Arg; 4],
}

impl Sources {
    fn new(stage: Stage) -> Self {
        let mut b = Builder::new(stage, "test", &[], 16);
        let inputs = [0, 1, 2, 3].map(|n| {
            let kind = match stage {
                Stage::Vertex => InputKind::Attribute { location: n },
                _ => InputKind::Varying { location: n },
            };
            let id = b.add_input(Input::new(format!("v{n}"), kind, Type::F32X4));
            let input = b.input(id);
            Arg::lane(input.value, n as u8 % 3)
        });
        Self { b, inputs }
    }

    fn source(&mut self, n: u8, scalar: Scalar) -> Arg {
        let input = self.inputs[usize::from(n)];
        match scalar {
            Scalar::I32 => self.b.pure(Pure::AsI32, &[input]),
            Scalar::U32 => self.b.pure(Pure::AsU32, &[input]),
            Scalar::Bool => {
                // No comparison alone, which is a number, a truth or its opposite as it is wanted.
                let [x, y, z, _] = self.inputs.map(|of| self.b.pure(Pure::AsU32, &[of]));
                let turned = [[x, y], [y, z], [z, x]];
                let [one, other] = [n, n + 1].map(|n| self.b.pure(Pure::Lt, &turned[usize::from(n) % 3]));
                self.b.pure(Pure::Xor, &[one, other])
            }
            _ => input,
        }
    }

    /// What a pattern computes; `scalar` is what it works on.
    fn build(&mut self, pattern: Pattern, scalar: Scalar) -> Arg {
        match pattern {
            Pattern::Source(n) | Pattern::Minus(n) | Pattern::Magnitude(n) => self.source(n, scalar),
            Pattern::Positive(n) => {
                let source = self.source(n, scalar);
                self.b.pure(Pure::Mul, &[source, source])
            }
            Pattern::Number(bits) => {
                let value = self.b.push_entry(Op::Const([bits, 0, 0, 0]), Type::new(scalar, 1));
                Arg::lane(value, 0)
            }
            Pattern::Set(compare) => {
                let args = [0, 1].map(|n| self.source(n, Scalar::F32));
                let test = self.b.pure(compare, &args);
                self.b.pure(Pure::ToF32, &[test])
            }
            Pattern::Word(op, of) => self.operation(op, of, Scalar::U32),
            Pattern::Op(op, of) => self.operation(op, of, scalar),
        }
    }

    fn operation(&mut self, op: Pure, of: &[Pattern], scalar: Scalar) -> Arg {
        let slots = op.slots();
        let args: Vec<Arg> = of
            .iter()
            .zip(slots)
            .map(|(of, slot)| {
                // A selection chooses floats.
                let free = if op == Pure::Select { Scalar::F32 } else { scalar };
                let wanted = slot.fixed().unwrap_or(free);
                match *of {
                    Pattern::Op(Pure::Lt | Pure::Ge, _) if op == Pure::Select => self.build(*of, Scalar::F32),
                    of => self.build(of, wanted),
                }
            })
            .collect();
        self.b.pure(op, &args)
    }

    /// The light factor of Direct3D.
    fn light(&mut self) -> Arg {
        let [x, y, _, w] = self.inputs;
        let [least, zero, most] = [-127.9961, 0.0, 127.9961].map(|limit| self.b.splat(limit, 1));
        let w = self.b.pure(Pure::Max, &[w, least]);
        let w = self.b.pure(Pure::Min, &[w, most]);
        let [lit, shines] = [x, y].map(|of| self.b.pure(Pure::Lt, &[zero, of]));
        let both = self.b.pure(Pure::And, &[lit, shines]);
        let power = self.b.pure(Pure::Pow, &[y, w]);
        self.b.pure(Pure::Select, &[both, power, zero])
    }

    /// The shader whose first colour is a value, as f32.
    fn finish(mut self, value: Arg, truth: Truth) -> Shader {
        let scalar = self.b.shader.arg_type(value).scalar;
        let color = match scalar {
            // A mask is told from a number by what chooses by it; a number is one.
            Scalar::Bool if truth == Truth::Number => self.b.pure(Pure::ToF32, &[value]),
            Scalar::Bool => {
                let (one, two) = (self.b.splat(1.0, 1), self.b.splat(2.0, 1));
                self.b.pure(Pure::Select, &[value, one, two])
            }
            Scalar::F32 => value,
            _ => self.b.pure(Pure::AsF32, &[value]),
        };
        let output = match self.b.shader.stage {
            Stage::Vertex => Output::new("oT0", OutputKind::Varying { location: 9 }),
            _ => Output::new("oC0", OutputKind::Color { target: 0 }),
        };
        let id = self.b.add_output(output);
        let swizzled = self.b.op(Op::Compose, &[color; 4]);
        self.b.effect(Op::StoreOutput { output: id, mask: WriteMask::ALL }, &[swizzled]);
        self.b.finish()
    }
}

/// Whether a machine is one of the NV2A, which has nothing but vertex programs, with an arithmetic of their own.
fn of_vertices(machine: &Machine) -> bool {
    machine.rule == Rule::Nv20 || machine.name.starts_with("vs")
}

/// The shader of each pattern that says an operation.
fn shaders(machine: &Machine) -> Vec<(String, Row, Shader)> {
    let mut out = Vec::new();
    let stage = if of_vertices(machine) { Stage::Vertex } else { Stage::Fragment };
    for row in &machine.rows {
        // What numbers registers is nothing that is computed.
        if Some(row.code) == machine.index {
            continue;
        }
        for pattern in &row.patterns {
            let mut sources = Sources::new(stage);
            let value = match pattern.root() {
                Some(Pure::Lit) if machine.rule == Rule::ZeroWins => sources.light(),
                _ => sources.build(*pattern, row.scalar),
            };
            out.push((
                format!("{} {pattern:?} over {:?}", row.code, row.scalar),
                row.clone(),
                sources.finish(value, machine.truth),
            ));
        }
        if row.kind == RowKind::Homogeneous {
            let mut sources = Sources::new(stage);
            let one = sources.b.splat(1.0, 1);
            let [xyz, row_of] =
                [3, 4].map(|lanes| Arg { lanes, ..Arg::all_lanes(sources.inputs[0].value, 4) });
            let point = sources.b.op(Op::Compose, &[xyz, one]);
            let value = sources.b.pure(Pure::Dot, &[point, row_of]);
            out.push(("homogeneous".into(), row.clone(), sources.finish(value, machine.truth)));
        }
        if let RowKind::Dot(lanes) = row.kind {
            let mut sources = Sources::new(stage);
            let vectors = [0, 1].map(|n| Arg { lanes, ..Arg::all_lanes(sources.inputs[n].value, 4) });
            let value = sources.b.pure(Pure::Dot, &vectors);
            out.push((format!("dot {lanes}"), row.clone(), sources.finish(value, machine.truth)));
        }
    }
    out
}

/// Lowers the shader of every pattern with a machine, and compares it with what is lifted again: how many there are, or the first one
/// that does something else.
fn first_wrong(
    machine: &Machine,
    lower: impl Fn(&Shader, &Machine) -> Result<Shader, String>,
) -> Result<usize, String> {
    let all = shaders(machine);
    for (name, row, shader) in &all {
        let mut refusals = Refusals::new("test");
        let prepared = prepare(shader, machine.loops);
        let (_, generated) = generate(&prepared, machine, How::default(), &mut refusals);
        let Some(Generated { list, .. }) = generated else {
            return Err(format!("{name}: {:?}", refusals.list));
        };
        if !list.iter().any(|physical| physical.what == What::Row(row.code)) {
            return Err(format!("{name}: another row covers it"));
        }
        let again = lower(shader, machine).map_err(|why| format!("{name}: {why}"))?;
        let arith = (machine.rule == Rule::Nv20).then_some(Rule::Nv20);
        let report = eqv(shader, &again, &Options { count: 600, arith, ..Options::default() });
        let verdict = report.map_err(|why| format!("{name}: {why}"))?.verdict;
        if matches!(verdict, Verdict::Different(_)) {
            return Err(format!("{name}: {verdict:?}\n{list:?}"));
        }
    }
    Ok(all.len())
}

/// What a peephole looks for.
fn form(b: &mut Builder, of: Form, operands: [Arg; 2]) -> Arg {
    let (kind, op, args) = match of {
        Form::X => return operands[0],
        Form::Y => return operands[1],
        Form::Number(bits) => {
            let value = b.push_entry(Op::Const([bits, 0, 0, 0]), Type::new(Scalar::F32, 1));
            return Arg::lane(value, 0);
        }
        _ => of.node().expect("an operation"),
    };
    let args: Vec<Arg> = args.iter().map(|of| form(b, *of, operands)).collect();
    operation(b, kind, op, &args)
}

/// Lowers what each peephole of a machine looks for, and compares it with what is lifted again: how many programs get shorter by it, or
/// the first that does something else or is longer.
fn first_wrong_peephole(
    machine: &Machine,
    lower: impl Fn(&Shader, &Machine) -> Result<Shader, String>,
) -> Result<usize, String> {
    let stage = if of_vertices(machine) { Stage::Vertex } else { Stage::Fragment };
    let rule = if machine.rule == Rule::Nv20 { Rule::Nv20 } else { Rule::Ieee };
    let mut shorter = 0;
    for entry in machine.peepholes {
        let mut sources = Sources::new(stage);
        sources.b.arith = Arith { rule, ..Arith::IEEE };
        let [x, y, z, w] = sources.inputs;
        let operands = [[x, z], [y, w]].map(|pair| sources.b.pure(Pure::Add, &pair));
        let value = form(&mut sources.b, entry.of, operands);
        let shader = sources.finish(value, machine.truth);
        let slots = |peepholes: &'static [Entry]| {
            let machine = Machine { peepholes, ..machine.clone() };
            let mut refusals = Refusals::new("test");
            let prepared = prepare(&shader, machine.loops);
            let (_, generated) = generate(&prepared, &machine, How::default(), &mut refusals);
            generated.map(|made| made.list.iter().map(|of| machine.slots(of.what)).sum::<usize>())
        };
        let (Some(with), Some(without)) = (slots(machine.peepholes), slots(&[])) else { continue };
        if with > without {
            return Err(format!("{entry:?}: longer"));
        }
        if with == without {
            continue;
        }
        shorter += 1;
        let again = lower(&shader, machine).map_err(|why| format!("{entry:?}: {why}"))?;
        // Numbers that the host sets are nothing that the program says.
        let mut is_whole = true;
        again.body.for_each_inst(&mut |inst| is_whole &= !matches!(inst.op, Op::Param { .. }));
        if !is_whole {
            continue;
        }
        let arith = (machine.rule == Rule::Nv20).then_some(Rule::Nv20);
        let report = eqv(&shader, &again, &Options { count: 600, arith, ..Options::default() });
        let verdict = report.map_err(|why| format!("{entry:?}: {why}"))?.verdict;
        if matches!(verdict, Verdict::Different(_)) {
            return Err(format!("{entry:?}: {verdict:?}"));
        }
    }
    Ok(shorter)
}

/// A peephole that holds nowhere: the first operand for the second one.
const WRONG: &[Entry] = &[Entry {
    of: Form::Op(Pure::Max, &[Form::Op(Pure::Min, &[Form::X, Form::Y]), Form::Y]),
    gives: Form::X,
    rules: bit(Rule::Ieee) | bit(Rule::ZeroWins) | bit(Rule::Nv20),
}];

/// Checks that at least so many peepholes of a machine make programs shorter, all of them right, and that one which is wrong is found.
fn check_peepholes(
    machine: &Machine,
    least: usize,
    lower: impl Fn(&Shader, &Machine) -> Result<Shader, String>,
) {
    let name = machine.name;
    let count = first_wrong_peephole(machine, &lower).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(count >= least, "{name}: {count} peepholes");
    let wrong = Machine { peepholes: WRONG, ..machine.clone() };
    let found = first_wrong_peephole(&wrong, &lower).expect_err("a wrong peephole is found");
    assert!(found.contains("Different"), "{name}: {found}");
}

/// Plants patterns in the rows of instructions, one after the other: each must be found.
fn find_planted(
    machine: &Machine,
    planted: &[(u16, Pattern)],
    lower: impl Fn(&Shader, &Machine) -> Result<Shader, String>,
) {
    for &(code, pattern) in planted {
        let mut wrong = machine.clone();
        let mut rows = wrong.rows.iter_mut().filter(|row| row.code == code);
        let row = rows.next().expect("a row of the instruction");
        row.patterns = Vec::from([pattern]);
        let found = first_wrong(&wrong, &lower).expect_err("a wrong pattern is found");
        assert!(found.contains("Different") && found.starts_with(&format!("{code} ")), "{code}: {found}");
    }
}

#[cfg(feature = "tgsi")]
mod tgsi {
    use super::*;
    use crate::tgsi::{Options, lower_on, machine::machine};
    use vecasm_ir::ir::Promise;
    use vecasm_isa::tgsi::dialect::Dialect;
    use vecasm_isa::tgsi::lift::lift;
    use vecasm_isa::tgsi::table::Opcode;

    fn lower(shader: &Shader, machine: &Machine) -> Result<Shader, String> {
        let options = Options { promise: Some(Promise::Exact), ..Options::default() };
        let made = lower_on(shader, &options, machine).map_err(|reasons| format!("{reasons:?}"))?;
        lift(&made.program, &Default::default()).map_err(|why| format!("{why:?}"))
    }

    #[test]
    fn patterns_compute_what_they_say() {
        let count =
            first_wrong(&machine(Dialect::Mesa22, Rule::Ieee), lower).unwrap_or_else(|why| panic!("{why}"));
        assert!(count >= 90, "{count} patterns");
    }

    #[test]
    fn peepholes_keep_what_programs_give() {
        check_peepholes(&machine(Dialect::Mesa22, Rule::Ieee), 100, lower);
    }

    #[test]
    fn wrong_patterns_are_found() {
        let planted = [
            // The third source is added, not subtracted.
            (Opcode::Mad as u16, Pattern::Op(Pure::Sub, &[Pattern::Op(Pure::Mul, &[X, Y]), Z])),
            // Where x is below zero it is the second source.
            (
                Opcode::Cmp as u16,
                Pattern::Op(Pure::Select, &[Pattern::Op(Pure::Lt, &[X, Pattern::Number(0)]), Z, Y]),
            ),
            // Less, and not greater or equal.
            (Opcode::Slt as u16, Pattern::Set(Pure::Ge)),
        ];
        find_planted(&machine(Dialect::Mesa22, Rule::Ieee), &planted, lower);
    }
}

#[cfg(feature = "agal")]
mod agal {
    use super::*;
    use crate::agal::{Options, lower_on, machine::machine};
    use vecasm_isa::agal::lift::lift;
    use vecasm_isa::agal::program::Stage;
    use vecasm_isa::agal::table::Opcode;

    fn lower(shader: &Shader, machine: &Machine) -> Result<Shader, String> {
        let made = lower_on(shader, Stage::Fragment, 2, &Options::default(), machine);
        let made = made.map_err(|reasons| format!("{reasons:?}"))?;
        lift(&made.program, &Default::default()).map_err(|why| format!("{why:?}"))
    }

    #[test]
    fn patterns_compute_what_they_say() {
        let count =
            first_wrong(&machine(Stage::Fragment, 2, None), lower).unwrap_or_else(|why| panic!("{why}"));
        assert!(count >= 24, "{count} patterns");
    }

    #[test]
    fn peepholes_keep_what_programs_give() {
        check_peepholes(&machine(Stage::Fragment, 2, None), 60, lower);
    }

    #[test]
    fn wrong_patterns_are_found() {
        let planted = [
            // The first source less the second one.
            (Opcode::Sub as u16, Pattern::Op(Pure::Sub, &[Y, X])),
            // The lesser of two.
            (Opcode::Min as u16, Pattern::Op(Pure::Max, &[X, Y])),
            // The first source to the power of the second one.
            (Opcode::Pow as u16, Pattern::Op(Pure::Pow, &[Y, X])),
        ];
        find_planted(&machine(Stage::Fragment, 2, None), &planted, lower);
    }
}

#[cfg(feature = "nv2a")]
mod nv2a {
    use super::*;
    use crate::nv2a::{LowerOptions, lower_on, machine::machine};
    use vecasm_ir::ir::Promise;
    use vecasm_isa::nv2a::lift::{Numerics, Options as LiftOptions, lift};
    use vecasm_isa::nv2a::table::Mac;

    fn lower(shader: &Shader, machine: &Machine) -> Result<Shader, String> {
        let options = LowerOptions { promise: Some(Promise::Approximate), ..LowerOptions::default() };
        let made = lower_on(shader, &options, machine).map_err(|reasons| format!("{reasons:?}"))?;
        let ieee = LiftOptions { numerics: Numerics::Ieee, ..LiftOptions::default() };
        lift(&made.program, &ieee).map_err(|why| format!("{why:?}"))
    }

    #[test]
    fn patterns_compute_what_they_say() {
        let count = first_wrong(&machine(true), lower).unwrap_or_else(|why| panic!("{why}"));
        assert!(count >= 24, "{count} patterns");
    }

    #[test]
    fn peepholes_keep_what_programs_give() {
        check_peepholes(&machine(true), 40, lower);
    }

    #[test]
    fn wrong_patterns_are_found() {
        let planted = [
            // The third source is added, not subtracted.
            (Mac::Mad as u16, Pattern::Op(Pure::Sub, &[Pattern::Op(Pure::Mul, &[X, Y]), Z])),
            // The lesser of two.
            (Mac::Min as u16, Pattern::Op(Pure::Max, &[X, Y])),
            // Less, and not greater or equal.
            (Mac::Slt as u16, Pattern::Op(Pure::Ge, &[X, Y])),
        ];
        find_planted(&machine(true), &planted, lower);
    }
}

#[cfg(feature = "d3d9")]
mod d3d9 {
    use super::*;
    use crate::d3d9::{Model, Options, lower_with, machine::machine};
    use vecasm_isa::d3d9::lift::{Numerics, Options as LiftOptions, lift};
    use vecasm_isa::d3d9::table::Opcode;

    fn model(name: &str) -> Model {
        Model::named(name).expect("a model")
    }

    fn lower(name: &str) -> impl Fn(&Shader, &Machine) -> Result<Shader, String> {
        let model = model(name);
        move |shader, machine| {
            // What is wrong with a program as a whole is not looked at.
            let made = lower_with(shader, model, &Options::default(), machine, false);
            let made = made.map_err(|reasons| format!("{reasons:?}"))?;
            let ieee = LiftOptions { numerics: Numerics::Ieee, ..LiftOptions::default() };
            lift(&made.program, &ieee).map_err(|why| format!("{why:?}"))
        }
    }

    #[test]
    fn patterns_compute_what_they_say() {
        for (name, least) in [("ps_2_0", 20), ("ps_2_a", 20), ("ps_3_0", 20), ("vs_2_0", 15), ("vs_1_1", 12)]
        {
            let count = first_wrong(&machine(model(name), true), lower(name))
                .unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(count >= least, "{name}: {count} patterns");
        }
    }

    #[test]
    fn peepholes_keep_what_programs_give() {
        for name in ["ps_2_0", "ps_3_0", "vs_2_0"] {
            check_peepholes(&machine(model(name), true), 20, lower(name));
        }
    }

    #[test]
    fn wrong_patterns_are_found() {
        let planted = [
            // The third source is added, not subtracted.
            (Opcode::Mad as u16, Pattern::Op(Pure::Sub, &[Pattern::Op(Pure::Mul, &[X, Y]), Z])),
            // Where x is below zero it is the third source.
            (
                Opcode::Cmp as u16,
                Pattern::Op(Pure::Select, &[Pattern::Op(Pure::Ge, &[X, Pattern::Number(0)]), Z, Y]),
            ),
            // The lesser of two.
            (Opcode::Min as u16, Pattern::Op(Pure::Max, &[X, Y])),
        ];
        find_planted(&machine(model("ps_2_0"), true), &planted, lower("ps_2_0"));
    }

    #[test]
    fn a_missing_port_rule_is_found() {
        // A sum of two constants, and of two inputs: each is one too many for an instruction.
        let text = "vs_2_0\ndcl_position v0\ndcl_normal v1\nmov r0, c0\nadd r0, r0, c1\nmov r1, v0\nadd r1, r1, v1\n\
                    mul oPos, r0, r1\n";
        let program = vecasm_isa::d3d9::text::parse(text).0.expect("a program");
        let shader = lift(&program, &LiftOptions::default()).expect("a shader");
        let right = machine(model("vs_2_0"), true);
        let any = crate::machine::Ports::new(crate::machine::Constants::Any, false);
        for (ports, wanted) in [(right.ports.clone(), &[][..]), (any, &["D3D9-port", "D3D9-port"][..])] {
            let machine = Machine { ports, ..right.clone() };
            let made = lower_with(&shader, model("vs_2_0"), &Options::default(), &machine, false)
                .expect("a program");
            let findings = vecasm_isa::d3d9::rules::validate(&made.program, &Default::default());
            let mut ids: Vec<&str> = findings.iter().map(|finding| finding.id).collect();
            ids.sort_unstable();
            assert_eq!(ids, wanted);
        }
    }
}
