//! 64-bit values in languages that have no types for them: pairs of words, the low one first, and functions on them.
//!
//! A value of one lane is a vector of two words, one of two lanes a vector of four. The functions stand in `soft.wgsl`; those
//! that a text calls are written before it, in the words of the language. They give the bits that
//! [`Pure::eval`](vecasm_ir::ir::Pure::eval) gives.

use super::helpers::Helpers;
use super::{Body, Language, Shape};
use crate::common::{Prec, push_u32};
use crate::plan::Plan;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Inst, Pure, Scalar, Shader, Type};

/// The functions.
const SOURCE: &str = include_str!("soft.wgsl");

/// Which 64-bit scalars: of a shader those that it computes with, of a text those that are pairs of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WideScalars(u8);

impl WideScalars {
    /// Those of the values that are written.
    pub(crate) fn of(shader: &Shader, plan: &Plan<'_>) -> Self {
        let mut scalars = 0;
        for (value, used) in shader.values.iter().zip(&plan.values) {
            if value.ty.scalar.is_wide() && used.uses > 0 {
                scalars |= 1 << value.ty.scalar as u8;
            }
        }
        Self(scalars)
    }

    /// Those of them that a language has no type for.
    pub(crate) fn lacking<L: Language>(self, lang: L) -> Self {
        let lacks = |scalar: &Scalar| scalar.is_wide() && self.has(*scalar) && !lang.has_wide(*scalar);
        Self(Scalar::ALL.into_iter().filter(lacks).fold(0, |all, scalar| all | 1 << scalar as u8))
    }

    /// Whether `scalar` is one of them.
    #[inline]
    pub(crate) const fn has(self, scalar: Scalar) -> bool {
        self.0 >> scalar as u8 & 1 == 1
    }

    /// Whether it is none at all.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Why values of a shader cannot be pairs of words.
    pub(crate) fn too_broad(self, shader: &Shader, plan: &Plan<'_>) -> Option<&'static str> {
        if self.is_empty() {
            return None;
        }
        let of = |scalar: Scalar| self.has(scalar);
        let mut values = shader.values.iter().zip(&plan.values);
        if values.any(|(value, used)| of(value.ty.scalar) && used.uses > 0 && used.lanes > 2) {
            return Some("vectors of more than two 64-bit values");
        }
        let stored = shader.locals.iter().map(|array| array.scalar);
        let stored = stored.chain(shader.inputs.iter().map(|input| input.ty.scalar));
        let mut stored = stored.chain(shader.outputs.iter().map(|output| output.scalar));
        stored.any(Scalar::is_wide).then_some("64-bit values outside expressions")
    }
}

impl<'a, L: Language> Body<'a, '_, L> {
    /// The name of the type that values of `ty` are written with.
    pub(super) fn type_name(&self, ty: Type) -> &'static str {
        L::type_name(if self.soft.has(ty.scalar) { Type::new(Scalar::U32, ty.lanes * 2) } else { ty })
    }

    /// Writes an argument that is pairs of words.
    pub(super) fn soft_arg(&mut self, arg: Arg, min: Prec) {
        let Some(value) = self.plan.values.get(arg.value.index()) else { return };
        let extent = value.extent();
        if arg.lanes == extent.lanes && super::is_whole(extent, arg) {
            return self.value(arg.value, min);
        }
        self.value(arg.value, Prec::Postfix);
        self.out.push('.');
        for i in 0..usize::from(arg.lanes.min(2)) {
            self.out.push_str(["xy", "zw"][usize::from(extent.rank(arg.swizzle.get(i)) & 1)]);
        }
    }

    /// Writes the low words, or the high ones, of an argument that is pairs of them.
    fn soft_words(&mut self, arg: Arg, high: bool) {
        let arg = self.plan.resolve(arg);
        let Some(extent) = self.plan.values.get(arg.value.index()).map(|value| value.extent()) else {
            return;
        };
        self.value(arg.value, Prec::Postfix);
        self.out.push('.');
        for i in 0..usize::from(arg.lanes.min(2)) {
            let words = ["xy", "zw"][usize::from(extent.rank(arg.swizzle.get(i)) & 1)];
            self.out.push_str(&words[usize::from(high)..][..1]);
        }
    }

    /// Writes zeros, or a constant of which each lane has a low and a high word.
    pub(super) fn soft_constant(&mut self, ty: Type, words: &[u32]) {
        self.out.push_str(self.type_name(ty));
        self.out.push('(');
        for n in 0..usize::from(ty.lanes.clamp(1, 2)) * 2 {
            let word = words.get(n).copied().unwrap_or(0);
            self.out.push_str(if n > 0 { ", " } else { "" });
            // The bits of a double are read by their digits.
            if ty.scalar == Scalar::F64 && word > 9 {
                self.out.push_str(&format!("0x{word:08x}"));
            } else {
                push_u32(&mut self.out, word);
            }
            self.out.push('u');
        }
        self.out.push(')');
    }

    /// Begins the call of a function on pairs of words.
    fn soft_name(&mut self, name: &str, lanes: u8) {
        self.helpers.call_soft(name, lanes);
        self.out.push_str(name);
        self.out.push_str(if lanes > 1 { "_2" } else { "" });
    }

    fn soft_call(&mut self, name: &str, args: &[Arg], lanes: u8) {
        self.soft_name(name, lanes);
        self.list(args, lanes);
    }

    /// Writes what one function makes of what another one does.
    fn soft_calls(&mut self, names: [&str; 2], args: &[Arg], lanes: u8) {
        self.soft_name(names[0], lanes);
        self.out.push('(');
        self.soft_call(names[1], args, lanes);
        self.out.push(')');
    }

    /// Writes an operation on 64-bit values of which some are pairs of words. Tells whether it did: if not, it is done as on
    /// other integers, or there are none.
    pub(super) fn soft(&mut self, inst: &Inst, op: Pure, args: &[Arg], (lanes, min): (u8, Prec)) -> bool {
        let Some(a) = args.first().copied() else { return false };
        let from = self.scalar_of(if op == Pure::Select { args.get(1).copied().unwrap_or(a) } else { a });
        let to = inst.result.and_then(|v| self.shader.values.get(v.index())).map_or(from, |v| v.ty.scalar);
        if !self.soft.has(from) && !self.soft.has(to) {
            return false;
        }
        let exact = Self::exact(lanes);
        let (double_in, double_out) = (from == Scalar::F64, to == Scalar::F64);
        // The language's own doubles.
        let (own_in, own_out) = (double_in && !self.soft.has(from), double_out && !self.soft.has(to));
        match op {
            Pure::And | Pure::Or | Pure::Xor | Pure::Not => return false,
            Pure::Select => {
                let (Some(yes), Some(no)) = (args.get(1).copied(), args.get(2).copied()) else { return true };
                if a.lanes == 1 || self.is_scalar(a) {
                    let cond = Arg { lanes: 1, ..a };
                    self.choose((yes, no, cond), exact, (Prec::Sum, min));
                } else {
                    self.soft_call("u64_select", &[no, yes, a], lanes);
                }
            }
            Pure::Pack64 => self.soft_pack(args, lanes),
            Pure::Low64 => self.soft_words(a, false),
            Pure::High64 => self.soft_words(a, true),
            // Of what was just packed.
            Pure::AsF64 | Pure::AsI64 | Pure::AsU64 if args.len() > 1 => self.soft_pack(args, lanes),
            Pure::AsF64 | Pure::AsI64 | Pure::AsU64 => match (own_in, own_out) {
                (true, _) => self.soft_call("f64_words", args, lanes),
                (_, true) => self.soft_call("f64_of_words", args, lanes),
                _ => self.arg(a, exact, min),
            },
            Pure::ToI64 | Pure::ToU64 if from.is_wide() && !double_in => self.arg(a, exact, min),
            Pure::ToU32 if !double_in => self.soft_words(a, false),
            Pure::ToI32 if !double_in => {
                self.out.push_str(L::type_name(Type::new(Scalar::I32, lanes)));
                self.out.push('(');
                self.soft_words(a, false);
                self.out.push(')');
            }
            Pure::ToF64 | Pure::ToI64 | Pure::ToU64 if !from.is_wide() => {
                let name = match (from, to) {
                    (Scalar::Bool | Scalar::I32 | Scalar::U32, Scalar::I64 | Scalar::U64) => {
                        format!("u64_from_{}", from.name())
                    }
                    _ => format!("{}_from_{}", to.name(), from.name()),
                };
                self.soft_call(&name, args, lanes);
            }
            Pure::Dot | Pure::Sum if a.lanes > 1 => {
                let name = if op == Pure::Dot { "f64_dot_of_2" } else { "f64_sum_of_2" };
                self.soft_name(name, 1);
                self.list(args, 2);
            }
            Pure::Dot => self.soft_call("f64_mul", args, lanes),
            Pure::Sum => self.soft_call("f64_to_f64", args, lanes),
            _ => {
                let name = function(op, from);
                match (own_in, own_out) {
                    (true, _) => self.soft_calls([&name, "f64_words"], args, lanes),
                    (_, true) => self.soft_calls(["f64_of_words", &name], args, lanes),
                    _ => self.soft_call(&name, args, lanes),
                }
            }
        }
        true
    }

    /// Two words, or two of each.
    fn soft_pack(&mut self, words: &[Arg], lanes: u8) {
        if lanes > 1 {
            return self.soft_call("u64_pack", words, lanes);
        }
        self.out.push_str(L::type_name(Type::new(Scalar::U32, 2)));
        self.out.push('(');
        for (n, word) in words.iter().enumerate() {
            self.out.push_str(if n > 0 { ", " } else { "" });
            self.arg(*word, Shape::Loose, Prec::Sum);
        }
        self.out.push(')');
    }
}

/// The name of the function for an operation on `scalar`. Where the sign makes no difference, there is one for both.
fn function(op: Pure, scalar: Scalar) -> String {
    let alike = matches!(op, Pure::Add | Pure::Sub | Pure::Mul | Pure::Shl | Pure::Eq | Pure::Ne);
    let scalar = if scalar == Scalar::I64 && alike { Scalar::U64 } else { scalar };
    format!("{}_{}", scalar.name(), op.name())
}

/// The names and the texts of all functions, behind `fn`. Each calls only those before it.
fn functions() -> Vec<(&'static str, &'static str)> {
    let parts = SOURCE.split("\nfn ").skip(1);
    let function = |part: &'static str| {
        let end = part.find("\n}\n").map_or(part.len(), |at| at + 3);
        (part.split('(').next().unwrap_or_default(), &part[..end])
    };
    parts.map(function).collect()
}

/// The pieces of a text: words and numbers, and what is between.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        Some(piece)
    })
}

/// Appends the functions that are called, and those that they call.
pub(super) fn write<L: Language>(out: &mut String, called: &[(String, bool)]) {
    if called.is_empty() {
        return;
    }
    let all = functions();
    let mut needed = vec![false; all.len()];
    for (at, (name, text)) in all.iter().enumerate().rev() {
        needed[at] |= called.iter().any(|(called, _)| called == name);
        if !needed[at] {
            continue;
        }
        for piece in pieces(text) {
            if let Some(of) = all[..at].iter().position(|(name, _)| *name == piece) {
                needed[of] = true;
            }
        }
    }
    for ((name, text), _) in all.iter().zip(needed).filter(|(_, needed)| *needed) {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let signature = Signature::of(head);
        out.push('\n');
        signature.push::<L>(out, name, 1);
        if L::C {
            body.lines().for_each(|line| push_line::<L>(out, line));
        } else {
            out.push_str(body);
        }
        if called.iter().any(|(called, two)| called == name && *two) {
            signature.push_two::<L>(out, name);
        }
    }
}

/// Appends a line in a language like C.
fn push_line<L: Language>(out: &mut String, line: &str) {
    let text = line.trim_start();
    out.push_str(&line[..line.len() - text.len()]);
    let declared = text.strip_prefix("let ").or_else(|| text.strip_prefix("var "));
    let declared = declared.and_then(|rest| rest.split_once(": ")).map(|(name, rest)| {
        let (ty, value) = rest.split_once(' ').unwrap_or((rest, ""));
        format!("{ty} {name} {value}")
    });
    let text = declared.unwrap_or_else(|| text.to_string());
    if text.starts_with("//") {
        out.push_str(&text);
        return out.push('\n');
    }
    let text = text.replace("bitcast<u32>", "floatBitsToUint").replace("bitcast<f32>", "uintBitsToFloat");
    let mut pieces = pieces(&text).peekable();
    while let Some(piece) = pieces.next() {
        let called = pieces.peek().is_some_and(|next| next.starts_with('('));
        let spelt = |(from, to): &(&str, &'static str)| {
            let same = from.strip_suffix('(') == Some(piece);
            same.then(|| to.strip_suffix('(').unwrap_or(to))
        };
        out.push_str(match ty(piece) {
            Some(ty) => L::type_name(ty),
            None if called => L::SPELT.iter().find_map(spelt).unwrap_or(piece),
            None => piece,
        });
    }
    out.push('\n');
}

/// The type that a word of the functions names.
fn ty(word: &str) -> Option<Type> {
    Some(match word {
        "bool" => Type::BOOL,
        "f32" => Type::F32,
        "f64" => Type::new(Scalar::F64, 1),
        "i32" => Type::new(Scalar::I32, 1),
        "u32" => Type::U32,
        "vec2u" => Type::new(Scalar::U32, 2),
        "vec4u" => Type::new(Scalar::U32, 4),
        _ => return None,
    })
}

/// What a function takes and gives.
struct Signature {
    params: Vec<(&'static str, Type)>,
    result: Type,
}

impl Signature {
    fn of(head: &'static str) -> Self {
        let (params, result) = head.split_once(") -> ").unwrap_or_default();
        let (_, params) = params.split_once('(').unwrap_or_default();
        let param = |param: &'static str| {
            let (name, word) = param.split_once(": ")?;
            Some((name, ty(word)?))
        };
        let params = params.split(", ").filter_map(param).collect();
        Self { params, result: ty(result.trim_end_matches(" {")).unwrap_or(Type::F32) }
    }

    /// Appends the head, of `lanes` times the lanes.
    fn push<L: Language>(&self, out: &mut String, name: &str, lanes: u8) {
        let of = |ty: Type| L::type_name(Type::new(ty.scalar, ty.lanes * lanes));
        let suffix = if lanes > 1 { "_2" } else { "" };
        let param = |(name, ty): &(&str, Type)| match L::C {
            true => format!("{} {name}", of(*ty)),
            false => format!("{name}: {}", of(*ty)),
        };
        let params: Vec<String> = self.params.iter().map(param).collect();
        let (params, result) = (params.join(", "), of(self.result));
        out.push_str(&match L::C {
            true => format!("{result} {name}{suffix}({params}) {{\n"),
            false => format!("fn {name}{suffix}({params}) -> {result} {{\n"),
        });
    }

    /// Appends the function of two lanes.
    fn push_two<L: Language>(&self, out: &mut String, name: &str) {
        out.push('\n');
        self.push::<L>(out, name, 2);
        let lane = |n: usize| {
            let part = |(name, ty): &(&str, Type)| {
                let lanes = if ty.lanes == 1 { ["x", "y"] } else { ["xy", "zw"] };
                format!("{name}.{}", lanes[n])
            };
            let parts: Vec<String> = self.params.iter().map(part).collect();
            format!("{name}({})", parts.join(", "))
        };
        let result = L::type_name(Type::new(self.result.scalar, self.result.lanes * 2));
        out.push_str(&format!("    return {result}({}, {});\n}}\n", lane(0), lane(1)));
    }
}

impl Helpers {
    /// Notes that a function on pairs of words is called, for one lane or two.
    fn call_soft(&mut self, name: &str, lanes: u8) {
        let new = (name.to_string(), lanes > 1);
        if !self.soft.contains(&new) {
            self.soft.push(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vecasm_ir::ir::op::Slot;

    /// The names that a function calls.
    fn called<'a>(text: &'a str, all: &[&str]) -> Vec<&'a str> {
        let (_, body) = text.split_once('\n').unwrap();
        let mut pieces = pieces(body).peekable();
        let mut names = Vec::new();
        while let Some(piece) = pieces.next() {
            let call = pieces.peek().is_some_and(|next| next.starts_with('('));
            let word = piece.starts_with(|c: char| c.is_ascii_alphabetic());
            let known = ["if", "while", "bitcast", "packDouble2x32", "unpackDouble2x32"].contains(&piece);
            if call && word && !known && ty(piece).is_none() {
                assert!(all.contains(&piece), "there is no {piece}, which is called by\n{text}");
                names.push(piece);
            }
        }
        names
    }

    #[test]
    fn functions_stand_behind_those_they_call() {
        let all = functions();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        for (at, (name, text)) in all.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} is there twice");
            assert!(text.ends_with("\n}\n") && text.matches("\n}").count() == 1, "{text}");
            for of in called(text, &names) {
                assert!(names[..at].contains(&of), "{of} stands behind {name}");
            }
            let signature = Signature::of(text.lines().next().unwrap());
            assert_eq!(signature.params.len(), text.split(')').next().unwrap().matches(": ").count());
            assert!(text.lines().next().unwrap().ends_with(&format!("-> {} {{", word_of(signature.result))));
            assert!(
                super::super::helpers::is_name(name) && super::super::helpers::is_name(&format!("{name}_2"))
            );
            for line in text.lines().map(str::trim_start) {
                let declares = line.strip_prefix("let ").or_else(|| line.strip_prefix("var "));
                if let Some(rest) = declares {
                    let word = rest.split_once(": ").and_then(|(_, rest)| rest.split(' ').next());
                    assert!(word.is_some_and(|word| ty(word).is_some()), "{line}");
                }
            }
        }
    }

    fn word_of(of: Type) -> &'static str {
        let words = ["bool", "f32", "f64", "i32", "u32", "vec2u", "vec4u"];
        words.into_iter().find(|word| ty(word) == Some(of)).unwrap()
    }

    #[test]
    fn every_operation_has_its_function() {
        let all = functions();
        for op in Pure::ALL {
            for scalar in [Scalar::F64, Scalar::I64, Scalar::U64] {
                let of_it = op.slots().contains(&Slot::T) && op.type_class().has(scalar);
                // Those that are words taken, joined or chosen.
                let plain = matches!(
                    op,
                    Pure::And | Pure::Or | Pure::Xor | Pure::Not | Pure::Select | Pure::Low64 | Pure::High64
                ) || matches!(
                    op,
                    Pure::AsF64 | Pure::AsI64 | Pure::AsU64 | Pure::Dot | Pure::Sum
                );
                let integers = scalar != Scalar::F64
                    && matches!(op, Pure::ToI32 | Pure::ToU32 | Pure::ToI64 | Pure::ToU64);
                if of_it && !plain && !integers {
                    let name = function(*op, scalar);
                    assert!(all.iter().any(|(there, _)| *there == name), "there is no {name}");
                }
            }
        }
        let more = ["u64_select", "u64_pack", "f64_words", "f64_of_words", "f64_dot_of_2", "f64_sum_of_2"];
        let from = ["bool", "f32", "i32", "u32"].map(|of| format!("f64_from_{of}"));
        let others = ["u64_from_bool", "u64_from_i32", "u64_from_u32", "u64_from_f32", "i64_from_f32"];
        for name in more.into_iter().chain(others).chain(from.iter().map(String::as_str)) {
            assert!(all.iter().any(|(there, _)| *there == name), "there is no {name}");
        }
    }
}
