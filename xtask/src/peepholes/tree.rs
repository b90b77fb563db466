//! Expressions, as they are searched and proved.

use std::fmt;
use vecasm::code::peepholes::{Form, Kind, operation};
use vecasm::ir::build::Builder;
use vecasm::ir::{
    Arg, Arith, Input, InputKind, Op, Output, OutputKind, Pure, Rule, Scalar, Shader, Stage, Type,
};
use vecasm::isa::operand::WriteMask;

/// An expression of at most two operands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tree {
    X,
    Y,
    Number(u32),
    Node(Kind, u8, Vec<Tree>),
}

/// What an operation on floats gives by an arithmetic.
pub(crate) fn computed(kind: Kind, op: Pure, rule: Rule, args: [u32; 4]) -> u32 {
    let own = Arith { rule, ..Arith::IEEE };
    let value = op.eval(Scalar::F32, own.concerning(Op::Pure(op), Scalar::F32), args);
    match kind {
        Kind::Op => value,
        Kind::Set => Pure::ToF32.eval(Scalar::Bool, Arith::IEEE, [value; 4]),
        Kind::Choose => {
            let arith = own.concerning(Op::Pure(Pure::Select), Scalar::F32);
            Pure::Select.eval(Scalar::F32, arith, [value, args[2], args[3], 0])
        }
    }
}

impl Tree {
    pub(crate) fn node(kind: Kind, op: Pure, args: Vec<Self>) -> Self {
        Self::Node(kind, op as u8, args)
    }

    pub(crate) fn of(form: Form) -> Self {
        match form {
            Form::X => Self::X,
            Form::Y => Self::Y,
            Form::Number(bits) => Self::Number(bits),
            Form::Op(op, of) => Self::node(Kind::Op, op, of.iter().copied().map(Self::of).collect()),
            Form::Set(op, of) => Self::node(Kind::Set, op, of.iter().copied().map(Self::of).collect()),
            Form::Choose(op, of) => Self::node(Kind::Choose, op, of.iter().copied().map(Self::of).collect()),
        }
    }

    /// The same for ever, for the library, which takes tables.
    #[cfg(test)]
    pub(crate) fn form(&self) -> Form {
        match self {
            Self::X => Form::X,
            Self::Y => Form::Y,
            Self::Number(bits) => Form::Number(*bits),
            Self::Node(kind, op, args) => {
                let args: Vec<Form> = args.iter().map(Self::form).collect();
                let (op, args) = (Pure::ALL[usize::from(*op)], args.leak());
                match kind {
                    Kind::Op => Form::Op(op, args),
                    Kind::Set => Form::Set(op, args),
                    Kind::Choose => Form::Choose(op, args),
                }
            }
        }
    }

    /// The operation at the top with what it is on.
    pub(crate) fn top(&self) -> Option<(Kind, Pure, &[Self])> {
        match self {
            Self::Node(kind, op, args) => Some((*kind, Pure::ALL[usize::from(*op)], args)),
            _ => None,
        }
    }

    pub(crate) fn eval(&self, rule: Rule, x: u32, y: u32) -> u32 {
        match self {
            Self::X => x,
            Self::Y => y,
            Self::Number(bits) => *bits,
            Self::Node(kind, op, args) => {
                let mut values = [0; 4];
                values.iter_mut().zip(args).for_each(|(to, of)| *to = of.eval(rule, x, y));
                computed(*kind, Pure::ALL[usize::from(*op)], rule, values)
            }
        }
    }

    /// Whether it is defined by an arithmetic.
    pub(crate) fn is_in(&self, rule: Rule) -> bool {
        let Some((_, op, args)) = self.top() else { return true };
        (rule != Rule::Nv20 || op.has_nv20()) && args.iter().all(|of| of.is_in(rule))
    }

    /// How many operations and leaves it has.
    pub(crate) fn size(&self) -> usize {
        self.top().map_or(1, |(_, _, args)| 1 + args.iter().map(Self::size).sum::<usize>())
    }

    /// Calls `f` with each part.
    pub(crate) fn for_each(&self, f: &mut impl FnMut(&Self)) {
        f(self);
        if let Some((_, _, args)) = self.top() {
            args.iter().for_each(|of| of.for_each(f));
        }
    }

    pub(crate) fn has(&self, leaf: &Self) -> bool {
        let mut found = false;
        self.for_each(&mut |of| found |= of == leaf);
        found
    }

    /// How many numbers it names.
    pub(crate) fn numbers(&self) -> usize {
        let mut count = 0;
        self.for_each(&mut |of| count += usize::from(matches!(of, Self::Number(_))));
        count
    }

    fn build(&self, b: &mut Builder, operands: [Arg; 2]) -> Arg {
        match self {
            Self::X => operands[0],
            Self::Y => operands[1],
            Self::Number(bits) => {
                Arg::lane(b.push_entry(Op::Const([*bits, 0, 0, 0]), Type::new(Scalar::F32, 1)), 0)
            }
            Self::Node(kind, op, args) => {
                let op = Pure::ALL[usize::from(*op)];
                let args: Vec<Arg> = args.iter().map(|of| of.build(b, operands)).collect();
                operation(b, *kind, op, &args)
            }
        }
    }

    /// The shader that computes it: of inputs, or of sums of inputs.
    pub(crate) fn shader(&self, rule: Rule, sums: bool) -> Shader {
        let mut b = Builder::new(Stage::Vertex, "peephole", &[], 16);
        b.arith = Arith { rule, ..Arith::IEEE };
        let inputs = [0, 1, 2, 3].map(|location| {
            let kind = InputKind::Attribute { location };
            let id = b.add_input(Input::new(format!("v{location}"), kind, Type::F32X4));
            Arg::lane(b.input(id).value, 0)
        });
        let [x, y, z, w] = inputs;
        let operands = if sums { [[x, z], [y, w]].map(|pair| b.pure(Pure::Add, &pair)) } else { [x, y] };
        let value = self.build(&mut b, operands);
        let id = b.add_output(Output::new("oT0", OutputKind::Varying { location: 9 }));
        let all = b.op(Op::Compose, &[value; 4]);
        b.effect(Op::StoreOutput { output: id, mask: WriteMask::ALL }, &[all]);
        b.finish()
    }

    /// As it stands in the table.
    pub(crate) fn source(&self) -> String {
        match self {
            Self::X => "X".into(),
            Self::Y => "Y".into(),
            Self::Number(bits) => format!("N({:?})", f32::from_bits(*bits)),
            Self::Node(kind, op, args) => {
                let args: Vec<String> = args.iter().map(Self::source).collect();
                format!("{kind:?}({:?}, &[{}])", Pure::ALL[usize::from(*op)], args.join(", "))
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X => f.write_str("x"),
            Self::Y => f.write_str("y"),
            Self::Number(bits) => write!(f, "{}", f32::from_bits(*bits)),
            Self::Node(kind, op, args) => {
                let name = Pure::ALL[usize::from(*op)].name();
                match kind {
                    Kind::Op => write!(f, "{name}(")?,
                    Kind::Set => write!(f, "s{name}(")?,
                    Kind::Choose => write!(f, "choose_{name}(")?,
                }
                for (n, of) in args.iter().enumerate() {
                    write!(f, "{}{of}", if n == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}
