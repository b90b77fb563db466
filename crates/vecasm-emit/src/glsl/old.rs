//! What old versions cannot say: those before 130 and ES 100, which have no integers to compute with, and those before
//! 150, in which floats have no bits.

use super::Version;
use super::rules::{self, refused};
use crate::plan::Plan;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Shader, Stage, Value};

/// Refuses what an old version cannot say.
///
/// Whole numbers are `int`, of which these versions promise 16 bits and a sign.
///
/// # Errors
///
/// One diagnostic.
pub(super) fn check(shader: &Shader, plan: &Plan<'_>, version: Version) -> Result<(), Diagnostic> {
    if version.has_bits() {
        return Ok(());
    }
    // Patterns of floats that only comparisons with zero see: that is the sign.
    let mut signs: BTreeMap<Value, u32> = BTreeMap::new();
    shader.body.for_each_inst(&mut |inst| {
        let (Op::Pure(Pure::Lt), [bits, zero]) = (inst.op, shader.args(inst.args)) else { return };
        let zeros =
            plan.constant(*zero).is_some_and(|z| z[..usize::from(zero.lanes)].iter().all(|l| *l == 0));
        let uses = |v: Value| plan.values.get(v.index()).map_or(0, |u| u.uses);
        if zeros && inst.result.is_some_and(|v| uses(v) > 0) {
            *signs.entry(bits.value).or_default() += 1;
        }
    });
    let mut wrong: Option<(&'static Rule, String)> = None;
    let unsigned = shader.values.iter().zip(&plan.values).any(|(value, plan)| {
        let constant = plan.def.is_some_and(|def| matches!(def.op, Op::Const(_)));
        value.ty.scalar == Scalar::U32 && plan.uses > 0 && !constant
    });
    if version.is_old() && unsigned {
        wrong = Some((rules::INTEGER, format!("GLSL {version} has no unsigned integers")));
    }
    shader.body.for_each_inst(&mut |inst| {
        let used = inst.result.and_then(|v| plan.values.get(v.index())).is_none_or(|u| u.uses > 0);
        if wrong.is_none() && (used || !inst.op.is_pure()) {
            wrong = of(shader, plan, version, inst, &signs);
        }
    });
    match wrong {
        Some((rule, what)) => Err(refused(rule, what)),
        None => Ok(()),
    }
}

/// Whether a scalar is one of a whole number.
const fn is_whole(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I32 | Scalar::U32)
}

/// What is wrong with an operation.
fn of(
    shader: &Shader,
    plan: &Plan<'_>,
    version: Version,
    inst: &Inst,
    signs: &BTreeMap<Value, u32>,
) -> Option<(&'static Rule, String)> {
    let lacks = |rule: &'static Rule| {
        Some((rule, format!("GLSL {version} has no equivalent of `{}`", op_name(inst.op))))
    };
    let args = shader.args(inst.args);
    let computed = |at: Option<&Arg>| at.is_some_and(|arg| plan.constant(*arg).is_none());
    let scalar = |value: Value| shader.values.get(value.index()).map_or(Scalar::F32, |v| v.ty.scalar);
    // What is chosen by a computed index.
    let index = match inst.op {
        Op::ParamAt { .. } => computed(args.first()) && shader.stage != Stage::Vertex,
        Op::LoadLocalAt { .. }
        | Op::StoreLocalAt { .. }
        | Op::LoadOutputAt { .. }
        | Op::StoreOutputAt { .. } => computed(args.first()),
        Op::InputAt { .. } => true,
        _ => false,
    };
    if index && version.is_es() {
        return lacks(rules::INDEX);
    }
    let of_floats = args.first().is_some_and(|arg| scalar(arg.value) == Scalar::F32);
    let whole = args.first().is_some_and(|arg| is_whole(scalar(arg.value)));
    let result = inst.result;
    match inst.op {
        Op::Pure(Pure::AsI32) if of_floats => {
            let value = result.and_then(|v| plan.values.get(v.index()))?;
            let only = result.and_then(|v| signs.get(&v)) == Some(&value.uses);
            if only && value.folded { None } else { lacks(rules::INTEGER) }
        }
        Op::Pure(Pure::AsU32) if of_floats => lacks(rules::INTEGER),
        Op::Pure(
            Pure::AsF32
            | Pure::ToHalf
            | Pure::FromHalf
            | Pure::Ldexp
            | Pure::FrexpFraction
            | Pure::FrexpExponent
            | Pure::FirstLow
            | Pure::FirstHigh,
        ) if !(inst.op == Op::Pure(Pure::AsF32) && of_floats) => lacks(rules::INTEGER),
        _ if !version.is_old() => None,
        Op::Const(bits) => {
            let small = |lane: &u32| (*lane as i32).unsigned_abs() <= 65_535;
            let signed = result.is_some_and(|v| scalar(v) == Scalar::I32);
            if signed && !bits.iter().all(small) { lacks(rules::INTEGER) } else { None }
        }
        Op::Pure(op) if whole => match op {
            Pure::Add
            | Pure::Sub
            | Pure::Mul
            | Pure::Neg
            | Pure::Lt
            | Pure::Ge
            | Pure::Eq
            | Pure::Ne
            | Pure::ToF32
            | Pure::ToI32
            | Pure::AsI32
                if args.iter().all(|arg| scalar(arg.value) == Scalar::I32) =>
            {
                None
            }
            _ => lacks(rules::INTEGER),
        },
        _ => None,
    }
}
