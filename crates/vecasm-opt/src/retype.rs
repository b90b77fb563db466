//! Output cells of another type, with the same bits: for a stage behind that takes them for something else.

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::Place;
use vecasm_ir::ir::{Arg, InputKind, Inst, OutputId, OutputKind, Pure, Scalar, Shader, Type};

/// Gives output cells other types. What is written is reinterpreted, what is read back too; the bits stay. Each type has 32
/// bits. `None` if a cell has another number of bits, or stands in a run that a computed index goes over of which the
/// others are to be something else.
#[must_use]
pub fn retype_outputs(shader: &Shader, to: &[(OutputId, Scalar)]) -> Option<Shader> {
    let mut types: Vec<Option<Scalar>> = vec![None; shader.outputs.len()];
    for &(output, scalar) in to {
        let had = shader.outputs.get(output.index())?.scalar;
        as_bits(had)?;
        as_bits(scalar)?;
        *types.get_mut(output.index())? = Some(scalar).filter(|scalar| *scalar != had);
    }
    let mut whole = true;
    shader.body.for_each_inst(&mut |inst| {
        let Some((Place::Output(first), count)) = inst.op.cells() else { return };
        let run = types.iter().skip(first.index()).take(count as usize);
        whole &= run.clone().all(|ty| Some(ty) == types.get(first.index()));
    });
    if !whole {
        return None;
    }
    let mut pass = Retyping { rw: Rewrite::new(shader), types };
    pass.nodes(&shader.body);
    for (output, ty) in pass.rw.b.shader.outputs.iter_mut().zip(&pass.types) {
        output.scalar = ty.unwrap_or(output.scalar);
    }
    Some(pass.rw.b.finish())
}

/// The shader with varyings of the types that the stage behind it reads them as: what one holds as an integer and the other
/// as a float are the same bits. `None` if they have these types, or cannot get them.
#[must_use]
pub fn retype_for(shader: &Shader, behind: &Shader) -> Option<Shader> {
    let mut to = Vec::new();
    for input in &behind.inputs {
        let kind = match input.kind {
            InputKind::Varying { location } => OutputKind::Varying { location },
            InputKind::PatchVarying { location } => OutputKind::PatchVarying { location },
            _ => continue,
        };
        let place = shader.outputs.iter().position(|output| output.kind == kind);
        let written = place.and_then(|n| Some((n, shader.outputs.get(n)?)));
        if let Some((n, _)) = written.filter(|(_, output)| output.scalar != input.ty.scalar) {
            to.push((OutputId(n as u32), input.ty.scalar));
        }
    }
    if to.is_empty() { None } else { retype_outputs(shader, &to) }
}

/// The operation that takes 32 bits for that type.
const fn as_bits(scalar: Scalar) -> Option<Pure> {
    match scalar {
        Scalar::F32 => Some(Pure::AsF32),
        Scalar::I32 => Some(Pure::AsI32),
        Scalar::U32 => Some(Pure::AsU32),
        _ => None,
    }
}

struct Retyping<'a> {
    rw: Rewrite<'a>,
    /// The new types by output; `None` of those that stay.
    types: Vec<Option<Scalar>>,
}

impl Retyping<'_> {
    fn new_type(&self, output: OutputId) -> Option<(Scalar, Pure)> {
        let scalar = self.types.get(output.index()).copied().flatten()?;
        Some((scalar, as_bits(scalar)?))
    }
}

impl<'a> Walk<'a> for Retyping<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let Some(Place::Output(of)) = inst.op.place() else { return self.copy_inst(inst, inst.op) };
        let Some((scalar, cast)) = self.new_type(of) else { return self.copy_inst(inst, inst.op) };
        let rw = &mut self.rw;
        rw.b.follow(inst);
        rw.b.arith = inst.arith;
        let mut args = rw.args(inst.args);
        match inst.result {
            Some(result) => {
                let had = rw.from.value(result).ty;
                let raw = rw.b.push(inst.op, &args, Type::new(scalar, had.lanes));
                let raw = Arg::all_lanes(raw, had.lanes);
                let back = as_bits(had.scalar).map_or(raw, |back| rw.b.pure(back, &[raw]));
                rw.put_arg(result, back);
            }
            None => {
                if let Some(value) = args.last_mut() {
                    *value = rw.b.pure(cast, &[*value]);
                }
                rw.b.effect(inst.op, &args);
            }
        }
        rw.done(args);
    }
}
