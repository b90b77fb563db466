//! Pure operations.

use super::helpers::{Helper, push_helper};
use super::language::comparison;
use super::{Body, Language, Shape};
use crate::common::{Prec, push_u32};
use alloc::format;
use vecasm_ir::ir::{Arg, Arith, Inst, Op, Pure, Rule, Scalar, Type};
use vecasm_ir::operand::Swizzle;

impl<'a, L: Language> Body<'a, '_, L> {
    /// The shape of the arguments of an operation written with `lanes` lanes whose operands must have equal types.
    pub(crate) fn exact(lanes: u8) -> Shape {
        if lanes == 1 { Shape::Loose } else { Shape::Exact }
    }

    pub(crate) fn call(&mut self, function: &str, args: &[Arg], lanes: u8) {
        self.out.push_str(function);
        self.list(args, lanes);
    }

    /// Writes arguments in parentheses.
    pub(crate) fn list(&mut self, args: &[Arg], lanes: u8) {
        self.out.push('(');
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            let min = self.beside(*arg, args.len());
            self.arg(*arg, Self::exact(lanes), min);
        }
        self.out.push(')');
    }

    /// How tightly an argument has to bind in a list of so many: a comparison or shift beside another could be read as
    /// a template list.
    fn beside(&self, arg: Arg, count: usize) -> Prec {
        if count > 1 && self.scalar_of(arg) != Scalar::F32 { Prec::Sum } else { Prec::Lowest }
    }

    pub(crate) fn helper(&mut self, helper: Helper, args: &[Arg], lanes: u8) {
        self.helpers.call(helper, lanes);
        push_helper(&mut self.out, helper, lanes);
        self.list(args, lanes);
    }

    pub(crate) fn scalar_of(&self, arg: Arg) -> Scalar {
        self.shader.values.get(arg.value.index()).map_or(Scalar::F32, |v| v.ty.scalar)
    }

    pub(crate) fn binary(&mut self, operator: &str, a: Arg, b: Arg, (shape, own, min): (Shape, Prec, Prec)) {
        let open = own < min;
        if open {
            self.out.push('(');
        }
        // Comparisons do not chain.
        let left = if own == Prec::Relation { own.tighter() } else { own };
        self.arg(a, shape, left);
        self.out.push_str(operator);
        self.arg(b, shape, own.tighter());
        if open {
            self.out.push(')');
        }
    }

    /// A bit operation or a shift: it takes unary operands only, and stands beside nothing.
    fn bitwise(&mut self, operator: &str, a: Arg, b: Arg, (shape, min): (Shape, Prec)) {
        let open = min > Prec::Lowest;
        if open {
            self.out.push('(');
        }
        self.arg(a, shape, Prec::Unary);
        self.out.push_str(operator);
        self.arg(b, shape, Prec::Unary);
        if open {
            self.out.push(')');
        }
    }

    pub(crate) fn unary(&mut self, operator: char, a: Arg, lanes: u8, min: Prec) {
        let open = min > Prec::Unary;
        if open {
            self.out.push('(');
        }
        self.out.push(operator);
        self.arg(a, Self::exact(lanes), Prec::Postfix);
        if open {
            self.out.push(')');
        }
    }

    /// A conversion by the name of the result's type.
    pub(super) fn convert(&mut self, to: Scalar, args: &[Arg], lanes: u8) {
        let of_bools = args.first().is_some_and(|arg| self.scalar_of(*arg) == Scalar::Bool);
        if let (true, false, [arg]) = (of_bools && lanes > 1, L::COUNTS_BOOLS, args) {
            let one = if to == Scalar::F32 { 1f32.to_bits() } else { 1 };
            self.out.push_str(L::SELECT);
            self.out.push('(');
            for bits in [0, one] {
                self.constant(to, &[bits; 4][..usize::from(lanes)], Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
            }
            self.arg(*arg, Shape::Exact, Prec::Sum);
            return self.out.push(')');
        }
        self.call(L::type_name(Type::new(to, lanes)), args, lanes);
    }

    /// Refuses arithmetic that the text would not have.
    fn arithmetic(&mut self, op: Pure, arith: Arith) {
        let moves = matches!(
            op,
            Pure::Neg | Pure::Abs | Pure::Select | Pure::AsF32 | Pure::AsI32 | Pure::AsU32 | Pure::ToHalf
        );
        if moves {
            return;
        }
        // What gives a number that needs no rounding is the same however it is computed.
        let rounds = !matches!(
            op,
            Pure::Saturate
                | Pure::Floor
                | Pure::Ceil
                | Pure::Trunc
                | Pure::RoundEven
                | Pure::Sign
                | Pure::Min
                | Pure::Max
                | Pure::Lt
                | Pure::Ge
                | Pure::Eq
                | Pure::Ne
                | Pure::ToF32
                | Pure::ToI32
                | Pure::ToU32
        );
        let rule = match arith {
            Arith { rule: Rule::Nv20, .. } => L::REASONS.nv20,
            Arith { flush: true, .. } => L::REASONS.flush,
            Arith { precise: true, .. } if rounds && self.lang.precise().is_none() => L::REASONS.precise,
            _ => return,
        };
        let message = rule.message.trim_end_matches('.');
        self.refuse(rule, format!("{message}: `{}`", op.name()));
    }

    pub(crate) fn pure(&mut self, inst: &Inst, op: Pure, args: &[Arg], lanes: u8, min: Prec) {
        let Some(a) = args.first().copied() else { return };
        let b = args.get(1).copied().unwrap_or(a);
        let exact = Self::exact(lanes);
        // One lane stands for all beside a vector, but somebody has to be the vector.
        let scalars = lanes > 1 && [a, b].into_iter().all(|arg| self.is_scalar(arg));
        let loose = if scalars { Shape::Exact } else { Shape::Loose };
        // The scalar that decides. A selection and what has no type variable tell it by a later argument.
        let scalar = match op {
            Pure::Select => self.scalar_of(b),
            _ => self.scalar_of(a),
        };
        if scalar == Scalar::F32 && inst.arith != Arith::IEEE {
            self.arithmetic(op, inst.arith);
        }
        if self.is_wide(inst, args) && self.wide(inst, op, args, (lanes, min)) {
            return;
        }
        let function = self.lang.function(op, scalar).filter(|_| op != Pure::Fma);
        if let Some(function) = function {
            return self.call(function, args, lanes);
        }
        // A square is +0 where its root is zero, and nothing else is there to be outweighed.
        let zero_wins = inst.arith.rule == Rule::ZeroWins && a != b;
        let signed = scalar == Scalar::I32;
        let float = scalar == Scalar::F32;
        match op {
            Pure::Neg | Pure::Add | Pure::Sub | Pure::Mul | Pure::Shl if signed && !L::WRAPS => {
                self.wrapped(op, a, b, lanes);
            }
            Pure::Abs if signed && !L::WRAPS => self.helper(Helper::AbsI32, args, lanes),
            Pure::Neg => self.unary('-', a, lanes, min),
            Pure::Not if scalar != Scalar::Bool => self.unary('~', a, lanes, min),
            Pure::Not if L::COMPARES_BY_CALL && lanes > 1 => self.call("not", args, lanes),
            Pure::Not => self.unary('!', a, lanes, min),
            Pure::Saturate => {
                self.out.push_str("clamp(");
                self.arg(a, exact, Prec::Lowest);
                self.out.push_str(", 0.0, 1.0)");
            }
            Pure::Exp2Floor => {
                self.out.push_str(self.lang.function(Pure::Exp2, scalar).unwrap_or("exp2"));
                self.out.push('(');
                self.call("floor", args, lanes);
                self.out.push(')');
            }
            Pure::Exponent => self.helper(Helper::Exponent, args, lanes),
            Pure::Mantissa => self.helper(Helper::Mantissa, args, lanes),
            Pure::Rcp => {
                let open = min > Prec::Product;
                self.out.push_str(if open { "(1.0 / " } else { "1.0 / " });
                self.arg(a, exact, Prec::Unary);
                if open {
                    self.out.push(')');
                }
            }
            Pure::Rcc => self.helper(Helper::Rcc, args, lanes),
            Pure::Add => match self.negated(b) {
                Some(inner) => {
                    let scalars = lanes > 1 && [a, inner].into_iter().all(|arg| self.is_scalar(arg));
                    let shape = if scalars { Shape::Exact } else { Shape::Loose };
                    self.binary(" - ", a, inner, (shape, Prec::Sum, min));
                }
                None => self.binary(" + ", a, b, (loose, Prec::Sum, min)),
            },
            Pure::Sub => self.binary(" - ", a, b, (loose, Prec::Sum, min)),
            Pure::Mul if float && zero_wins => self.helper(Helper::MulZeroWins, args, lanes),
            Pure::Mul => self.binary(" * ", a, b, (loose, Prec::Product, min)),
            // What a negative operand gives is open in languages like C, also as a remainder.
            Pure::Div if !float && (!self.is_never_zero(b) || (L::C && signed)) => {
                self.helper(if signed { Helper::DivI32 } else { Helper::DivU32 }, args, lanes);
            }
            Pure::Div => self.binary(" / ", a, b, (loose, Prec::Product, min)),
            Pure::Rem if !self.is_never_zero(b) || (L::C && signed) => {
                self.helper(if signed { Helper::RemI32 } else { Helper::RemU32 }, args, lanes);
            }
            Pure::Rem => self.binary(" % ", a, b, (loose, Prec::Product, min)),
            Pure::Fma if zero_wins => {
                let whole = !L::C || self.lang.function(op, scalar).is_some();
                self.helper(if whole { Helper::FmaZeroWins } else { Helper::MadZeroWins }, args, lanes);
            }
            Pure::Fma => match self.lang.function(op, scalar) {
                Some(function) => self.call(function, args, lanes),
                None => self.helper(Helper::Fma, args, lanes),
            },
            Pure::Pow if self.is_never_negative(a) => self.call(L::POW, args, lanes),
            Pure::Pow => self.helper(Helper::Pow, args, lanes),
            Pure::Sign => self.helper(if signed { Helper::SignI32 } else { Helper::SignF32 }, args, lanes),
            Pure::Fract => self.helper(Helper::Fract, args, lanes),
            Pure::Lit => self.helper(Helper::Lit, args, lanes),
            Pure::Ldexp => self.helper(Helper::Ldexp, args, lanes),
            Pure::FrexpFraction => self.helper(Helper::FrexpFraction, args, lanes),
            Pure::FrexpExponent => self.helper(Helper::FrexpExponent, args, lanes),
            Pure::MulHigh => {
                self.helper(if signed { Helper::MulHighI32 } else { Helper::MulHighU32 }, args, lanes);
            }
            Pure::And | Pure::Or if scalar == Scalar::Bool && lanes == 1 => {
                // The two do not mix without parentheses.
                let (operator, own) = if op == Pure::And { (" && ", Prec::And) } else { (" || ", Prec::Or) };
                if own < min {
                    self.out.push('(');
                }
                self.arg(a, Shape::Loose, if op == Pure::And { own } else { Prec::Relation });
                self.out.push_str(operator);
                self.arg(b, Shape::Loose, Prec::Relation);
                if own < min {
                    self.out.push(')');
                }
            }
            Pure::Xor if scalar == Scalar::Bool && L::COMPARES_BY_CALL && lanes > 1 => {
                self.call(comparison(Pure::Ne).0, args, lanes);
            }
            Pure::And | Pure::Or if scalar == Scalar::Bool && L::JOINS_BY_CALL && lanes > 1 => {
                self.helpers.take_together(op, lanes);
                self.call(if op == Pure::And { "and_lanes" } else { "or_lanes" }, args, lanes);
            }
            Pure::And => self.bitwise(" & ", a, b, (exact, min)),
            Pure::Or => self.bitwise(" | ", a, b, (exact, min)),
            Pure::Xor if scalar == Scalar::Bool => self.binary(" != ", a, b, (exact, Prec::Relation, min)),
            Pure::Xor => self.bitwise(" ^ ", a, b, (exact, min)),
            Pure::Shl | Pure::Shr => {
                self.shift(if op == Pure::Shl { " << " } else { " >> " }, a, b, (lanes, min));
            }
            Pure::BitExtract => {
                let range = self.number_of(args.get(1)).zip(self.number_of(args.get(2)));
                let (Some((offset, count)), Some([extract, _])) = (range, self.lang.bit_fields()) else {
                    let helper = if signed { Helper::BitExtractI32 } else { Helper::BitExtractU32 };
                    return self.helper(helper, args, lanes);
                };
                let start = offset & 31;
                let count = if count == 32 && start == 0 { 32 } else { (count & 31).min(32 - start) };
                self.out.push_str(extract);
                self.out.push('(');
                self.arg(a, exact, Prec::Sum);
                self.bits_of(start, count);
            }
            Pure::BitInsert => {
                let range = self.number_of(args.get(2)).zip(self.number_of(args.get(3)));
                if range.is_some_and(|(_, count)| count >= 32) {
                    return self.arg(b, exact, min);
                }
                let (Some((offset, count)), Some([_, insert])) = (range, self.lang.bit_fields()) else {
                    let helper = if signed { Helper::BitInsertI32 } else { Helper::BitInsertU32 };
                    return self.helper(helper, args, lanes);
                };
                let start = offset & 31;
                self.out.push_str(insert);
                self.out.push('(');
                self.arg(a, exact, Prec::Sum);
                self.out.push_str(", ");
                self.arg(b, exact, Prec::Sum);
                self.bits_of(start, count.min(32 - start));
            }
            Pure::BitReverse => {
                let helper = if signed { Helper::BitReverseI32 } else { Helper::BitReverseU32 };
                self.helper(helper, args, lanes);
            }
            Pure::BitCount if L::C => self.counted_by(Helper::BitCount, args, lanes),
            Pure::FirstLow if L::C => self.counted_by(Helper::FirstLow, args, lanes),
            Pure::FirstHigh if L::C && signed => self.helper(Helper::FirstHighI32, args, lanes),
            Pure::FirstHigh if L::C => self.helper(Helper::FirstHighU32, args, lanes),
            Pure::BitCount => self.counted("countOneBits", args, lanes),
            Pure::FirstLow => self.counted("firstTrailingBit", args, lanes),
            Pure::FirstHigh => self.counted("firstLeadingBit", args, lanes),
            Pure::Lt if !self.lang.has_bits() && self.tested_sign(inst).is_some() => {
                if let Some(of) = self.tested_sign(inst) {
                    self.helper(Helper::IsNegative, &[of], lanes);
                }
            }
            Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne if L::COMPARES_BY_CALL && lanes > 1 => {
                self.call(comparison(op).0, args, lanes);
            }
            // The varying side first: `a > 1.0` for what was lifted as `1.0 < a`.
            Pure::Lt if self.is_fixed(a) && !self.is_fixed(b) => {
                self.binary(" > ", b, a, (exact, Prec::Relation, min));
            }
            Pure::Lt => self.binary(" < ", a, b, (exact, Prec::Relation, min)),
            Pure::Ge => self.binary(" >= ", a, b, (exact, Prec::Relation, min)),
            Pure::Eq => self.binary(" == ", a, b, (exact, Prec::Relation, min)),
            Pure::Ne => self.binary(" != ", a, b, (exact, Prec::Relation, min)),
            Pure::ToF32 | Pure::AsF32 if float => self.arg(a, exact, min),
            Pure::ToI32 | Pure::AsI32 if signed => self.arg(a, exact, min),
            Pure::ToU32 | Pure::AsU32 if scalar == Scalar::U32 => self.arg(a, exact, min),
            Pure::ToF32 => self.convert(Scalar::F32, args, lanes),
            // An index is clamped anyway; but in languages like C anything may come of a large number.
            Pure::ToI32 if float && (L::C || !self.is_index(inst)) => self.helper(Helper::ToI32, args, lanes),
            Pure::ToI32 => self.convert(Scalar::I32, args, lanes),
            Pure::ToU32 if float => self.helper(Helper::ToU32, args, lanes),
            Pure::ToU32 => self.convert(Scalar::U32, args, lanes),
            Pure::AsF32 | Pure::AsI32 | Pure::AsU32 => {
                let to = match op {
                    Pure::AsF32 => Scalar::F32,
                    Pure::AsI32 => Scalar::I32,
                    _ => Scalar::U32,
                };
                L::push_cast(&mut self.out, scalar, Type::new(to, lanes));
                self.list(args, lanes);
            }
            Pure::ToHalf => self.helper(Helper::ToHalf, args, lanes),
            Pure::FromHalf => self.helper(Helper::FromHalf, args, lanes),
            Pure::Select => {
                let (Some(yes), Some(no)) = (args.get(1), args.get(2)) else { return };
                let beside = self.beside(*no, 2);
                self.choose((*yes, *no, a), exact, (beside, min));
            }
            Pure::Dot if a.lanes <= 1 && zero_wins => self.helper(Helper::MulZeroWins, args, 1),
            Pure::Dot if a.lanes <= 1 => self.binary(" * ", a, b, (loose, Prec::Product, min)),
            Pure::Dot if zero_wins => {
                self.helpers.dot_zero_wins[usize::from(a.lanes.min(4))] = true;
                self.reduction("dot_zero_wins", args, a.lanes);
            }
            Pure::Dot => self.call("dot", args, a.lanes),
            Pure::Sum | Pure::All | Pure::Any if a.lanes <= 1 => self.arg(a, Shape::Loose, min),
            Pure::Sum => {
                self.helpers.sum[usize::from(a.lanes.min(4))] = true;
                self.reduction("sum", args, a.lanes);
            }
            Pure::All => self.call("all", args, a.lanes),
            Pure::Any => self.call("any", args, a.lanes),
            Pure::Trunc => self.helper(Helper::Trunc, args, lanes),
            Pure::RoundEven => self.helper(Helper::RoundEven, args, lanes),
            // Each a function of the language, or of 64 bits, which a language has or has refused before.
            Pure::Abs
            | Pure::Rsq
            | Pure::Sqrt
            | Pure::Exp2
            | Pure::Log2
            | Pure::Sin
            | Pure::Cos
            | Pure::Floor
            | Pure::Ceil
            | Pure::Min
            | Pure::Max => self.cannot(inst.op),
            Pure::ToF64
            | Pure::ToI64
            | Pure::ToU64
            | Pure::AsF64
            | Pure::AsI64
            | Pure::AsU64
            | Pure::Pack64
            | Pure::Low64
            | Pure::High64 => {}
        }
    }

    /// An operation on signed integers as one on unsigned ones, where an overflow of signed ones is open.
    pub(super) fn wrapped(&mut self, op: Pure, a: Arg, b: Arg, lanes: u8) {
        self.out.push_str(L::type_name(Type::new(Scalar::I32, lanes)));
        self.out.push('(');
        if op == Pure::Neg {
            self.constant(Scalar::U32, &[0], Shape::Loose, Prec::Sum);
            self.out.push_str(" - ");
            self.as_unsigned(a, lanes);
            return self.out.push(')');
        }
        self.as_unsigned(a, lanes);
        let operator = match op {
            Pure::Add => " + ",
            Pure::Sub => " - ",
            Pure::Mul => " * ",
            _ => " << ",
        };
        self.out.push_str(operator);
        if op != Pure::Shl {
            self.as_unsigned(b, lanes);
            return self.out.push(')');
        }
        self.masked(b, lanes, 31);
        self.out.push(')');
    }

    /// The low bits of a shift, as many as `mask` has.
    pub(super) fn masked(&mut self, by: Arg, lanes: u8, mask: u32) {
        let exact = Self::exact(lanes);
        match self.plan.constant(by) {
            Some(bits) => {
                let bits = bits.map(|lane| lane & mask);
                self.constant(Scalar::U32, &bits[..usize::from(by.lanes)], exact, Prec::Unary);
            }
            None => {
                self.out.push('(');
                self.arg(by, exact, Prec::Unary);
                self.out.push_str(" & ");
                push_u32(&mut self.out, mask);
                self.out.push_str("u)");
            }
        }
    }

    /// A signed integer as an unsigned one.
    fn as_unsigned(&mut self, arg: Arg, lanes: u8) {
        let shape = Self::exact(lanes);
        if let Some(bits) = self.plan.constant(arg) {
            return self.constant(Scalar::U32, &bits[..usize::from(arg.lanes)], shape, Prec::Unary);
        }
        self.out.push_str(L::type_name(Type::new(Scalar::U32, lanes)));
        self.out.push('(');
        self.arg(arg, shape, Prec::Lowest);
        self.out.push(')');
    }

    fn reduction(&mut self, name: &str, args: &[Arg], lanes: u8) {
        self.out.push_str(name);
        self.out.push('_');
        push_u32(&mut self.out, u32::from(lanes));
        self.list(args, lanes);
    }

    /// The last arguments of an operation on a constant range of bits.
    fn bits_of(&mut self, start: u32, count: u32) {
        for n in [start, count] {
            self.out.push_str(", ");
            push_u32(&mut self.out, n);
            // Of C-like languages both are int.
            self.out.push_str(if L::C { "" } else { "u" });
        }
        self.out.push(')');
    }

    /// An operation on the bits of an unsigned number that gives an int.
    fn counted_by(&mut self, helper: Helper, args: &[Arg], lanes: u8) {
        let Some(a) = args.first().copied() else { return };
        self.helpers.call(helper, lanes);
        push_helper(&mut self.out, helper, lanes);
        self.out.push('(');
        let signed = self.scalar_of(a) == Scalar::I32;
        if signed {
            self.out.push_str(L::type_name(Type::new(Scalar::U32, lanes)));
            self.out.push('(');
        }
        self.arg(a, Self::exact(lanes), Prec::Lowest);
        self.out.push_str(if signed { "))" } else { ")" });
    }

    /// An operation that WGSL gives the type of its argument, and the IR i32.
    fn counted(&mut self, function: &str, args: &[Arg], lanes: u8) {
        let signed = args.first().is_some_and(|arg| self.scalar_of(*arg) == Scalar::I32);
        if !signed {
            self.out.push_str(L::type_name(Type::new(Scalar::I32, lanes)));
            self.out.push('(');
        }
        self.call(function, args, lanes);
        if !signed {
            self.out.push(')');
        }
    }

    /// WGSL counts the low five bits of a shift, too, but refuses more in a constant; in languages like C more is open.
    fn shift(&mut self, operator: &str, a: Arg, b: Arg, (lanes, min): (u8, Prec)) {
        let exact = Self::exact(lanes);
        if self.plan.constant(b).is_none() && !L::C {
            return self.bitwise(operator, a, b, (exact, min));
        }
        let open = min > Prec::Lowest;
        if open {
            self.out.push('(');
        }
        self.arg(a, exact, Prec::Unary);
        self.out.push_str(operator);
        self.masked(b, lanes, 31);
        if open {
            self.out.push(')');
        }
    }

    /// The number that all lanes of an argument are.
    fn number_of(&self, arg: Option<&Arg>) -> Option<u32> {
        let arg = arg?;
        let bits = self.plan.constant(*arg)?;
        bits[..usize::from(arg.lanes)].iter().all(|lane| *lane == bits[0]).then_some(bits[0])
    }

    /// Whether no lane of an integer is zero.
    fn is_never_zero(&self, arg: Arg) -> bool {
        self.plan.constant(arg).is_some_and(|bits| !bits[..usize::from(arg.lanes)].contains(&0))
    }

    /// Whether an argument is written as one lane where that is allowed.
    pub(crate) fn is_scalar(&mut self, arg: Arg) -> bool {
        let arg = self.plan.resolve(arg);
        self.plan.is_splat(arg)
    }

    /// The float whose sign bit a comparison of its bits with zero asks for.
    pub(crate) fn tested_sign(&mut self, inst: &Inst) -> Option<Arg> {
        let [bits, zero] = *self.plan.written(inst) else { return None };
        let known = self.plan.constant(zero)?;
        let bits = self.plan.resolve(bits);
        let value = self.plan.values.get(bits.value.index())?;
        let def = value.def.filter(|def| def.op == Op::Pure(Pure::AsI32))?;
        let extent = value.extent();
        let of = *self.plan.written(def).first()?;
        let from = |i: usize| of.swizzle.get(usize::from(extent.rank(bits.swizzle.get(i))));
        let swizzle = Swizzle::new(from(0), from(1), from(2), from(3));
        let zeros = known[..usize::from(zero.lanes)].iter().all(|lane| *lane == 0);
        (zeros && self.scalar_of(of) == Scalar::F32).then_some(Arg { swizzle, lanes: bits.lanes, ..of })
    }

    /// What a folded negation negates.
    fn negated(&mut self, arg: Arg) -> Option<Arg> {
        let def = self.behind(arg)?;
        match def.op {
            Op::Pure(Pure::Neg) => self.plan.written(def).first().copied(),
            _ => None,
        }
    }

    /// Whether an argument is a constant or a parameter.
    fn is_fixed(&self, arg: Arg) -> bool {
        let def = self.plan.values.get(arg.value.index()).and_then(|v| v.def);
        self.plan.constant(arg).is_some() || def.is_some_and(|def| matches!(def.op, Op::Param { .. }))
    }

    /// Whether nothing but an index is made of the result.
    fn is_index(&self, inst: &Inst) -> bool {
        let value = inst.result.and_then(|v| self.plan.values.get(v.index()));
        value.is_some_and(|value| value.is_index())
    }

    /// Whether all lanes are zero, positive or NaN whatever happens.
    fn is_never_negative(&self, arg: Arg) -> bool {
        if let Some(bits) = self.plan.constant(arg) {
            return bits[..usize::from(arg.lanes)].iter().all(|bits| bits >> 31 == 0);
        }
        let def = self.plan.values.get(arg.value.index()).and_then(|v| v.def);
        let op = def.map(|def| def.op);
        matches!(op, Some(Op::Pure(Pure::Abs | Pure::Saturate | Pure::Exp2)))
    }
}
