//! Every pattern of every machine, proved: what it says is built as a shader, lowered, lifted again and compared.

use crate::code::What;
use crate::machine::{Kind, Machine, Pattern, Row, Truth};
use crate::refusal::Refusals;
use crate::{How, generate, prepare};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_debug::compare::eqv::{Options, Verdict, eqv};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Input, InputKind, Op, Output, OutputKind, Pure, Scalar, Shader, Stage, Type};
use vecasm_ir::operand::WriteMask;

/// A shader of a pattern on four inputs: each is one lane, bits of which are a number of the scalar.
struct Sources {
    b: Builder,
    inputs: [Arg; 4],
}

impl Sources {
    fn new() -> Self {
        let mut b = Builder::new(Stage::Fragment, "test", &[], 16);
        let inputs = [0, 1, 2, 3].map(|n| {
            let kind = InputKind::Varying { location: n };
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
        let id = self.b.add_output(Output::new("oC0", OutputKind::Color { target: 0 }));
        let swizzled = self.b.op(Op::Compose, &[color; 4]);
        self.b.effect(Op::StoreOutput { output: id, mask: WriteMask::ALL }, &[swizzled]);
        self.b.finish()
    }
}

/// The shader of each pattern that says an operation.
fn shaders(machine: &Machine) -> Vec<(String, Row, Shader)> {
    let mut out = Vec::new();
    for row in &machine.rows {
        // What numbers registers is nothing that is computed.
        if Some(row.code) == machine.index {
            continue;
        }
        for pattern in &row.patterns {
            let mut sources = Sources::new();
            let value = sources.build(*pattern, row.scalar);
            out.push((
                format!("{} {pattern:?} over {:?}", row.code, row.scalar),
                row.clone(),
                sources.finish(value, machine.truth),
            ));
        }
        if let Kind::Dot(lanes) = row.kind {
            let mut sources = Sources::new();
            let vectors = [0, 1].map(|n| Arg { lanes, ..Arg::all_lanes(sources.inputs[n].value, 4) });
            let value = sources.b.pure(Pure::Dot, &vectors);
            out.push((format!("dot {lanes}"), row.clone(), sources.finish(value, machine.truth)));
        }
    }
    out
}

/// Lowers the shader of every pattern; `lower` gives what is lifted from the program.
fn prove(machine: &Machine, least: usize, lower: impl Fn(&Shader) -> Result<Shader, String>) {
    let all = shaders(machine);
    assert!(all.len() >= least, "{} patterns", all.len());
    for (name, row, shader) in &all {
        let mut refusals = Refusals::new("test");
        let (_, generated) =
            generate(&prepare(shader, machine.has_loops), machine, How::default(), &mut refusals);
        let list = generated.unwrap_or_else(|| panic!("{name}: {:?}", refusals.list)).list;
        assert!(
            list.iter().any(|physical| physical.what == What::Row(row.code)),
            "{name}: another row covers it"
        );
        let again = lower(shader).unwrap_or_else(|why| panic!("{name}: {why}"));
        let report = eqv(shader, &again, &Options { count: 600, ..Options::default() });
        let verdict = report.unwrap_or_else(|why| panic!("{name}: {why}")).verdict;
        assert!(!matches!(verdict, Verdict::Different(_)), "{name}: {verdict:?}\n{list:?}");
    }
}

#[cfg(feature = "tgsi")]
#[test]
fn patterns_of_tgsi_compute_what_they_say() {
    use crate::tgsi::{Options, lower, machine};
    use vecasm_isa::tgsi::dialect::Dialect;
    let machine = machine::machine(Dialect::Mesa22, vecasm_ir::ir::Rule::Ieee);
    prove(&machine, 90, |shader| {
        let options = Options { promise: Some(vecasm_ir::ir::Promise::Exact), ..Options::default() };
        let made = lower(shader, &options).map_err(|reasons| format!("{reasons:?}"))?;
        vecasm_isa::tgsi::lift::lift(&made.program, &Default::default()).map_err(|why| format!("{why:?}"))
    });
}

#[cfg(feature = "agal")]
#[test]
fn patterns_of_agal_compute_what_they_say() {
    use crate::agal::{Options, lower, machine};
    use vecasm_isa::agal::program::Stage;
    let machine = machine::machine(Stage::Fragment, 2, None);
    prove(&machine, 24, |shader| {
        let made = lower(shader, &Options::default()).map_err(|reasons| format!("{reasons:?}"))?;
        vecasm_isa::agal::lift::lift(&made.program, &Default::default()).map_err(|why| format!("{why:?}"))
    });
}
