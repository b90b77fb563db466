//! Shaders of integers alone, for targets that may compute f32 otherwise than the IR says.

use super::expand::integers;
use super::{Lower, clean, fold, lower, overlay, promote};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::Pure;
use vecasm_ir::ir::steps::strip;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Inst, Node, Op, OutputKind, Region, Scalar, Shader};

/// Rewrites a shader so that it computes with integers only, and a bit pattern of f32 passes through no f32 value
/// between where it comes in and where it goes out: GPUs flush denormals, change NaN, fuse and reassociate f32, but
/// leave u32 alone.
///
/// * Vertex attributes, state values and parameter arrays of f32 are declared u32. The same bits have to be bound; what
///   is missing of an attribute reads as the zeros of an integer.
/// * Outputs stay f32. What is stored to them is u32 up to the store, which is the only place where it becomes f32.
/// * What nothing but the [position](OutputKind::Position) depends on may compute with f32: a pipeline of today wants
///   clip space, which the source does not compute.
///
/// The step table and the brackets of idioms go.
///
/// # Errors
///
/// What of the shader cannot be made of integers, in words: any arithmetic on f32 but that of
/// [`Rule::Nv20`](vecasm_ir::ir::Rule::Nv20) and what [`expand`](super::expand()) makes integers of, texture reads,
/// interpolated inputs, outputs that are read back by a computed index.
pub fn exact(shader: &Shader) -> Result<Shader, String> {
    let mut plain = overlay(shader).unwrap_or_else(|| shader.clone());
    strip(&mut plain);
    let plain = lower(&plain, Lower { idioms: true, switches: false });
    let shader = clean(&fold(&integers(&promote(&plain))));
    match inexact(&shader) {
        None => Ok(shader),
        Some(what) => Err(what),
    }
}

/// The first thing that computes with f32, or only passes through it, and not for the position.
fn inexact(shader: &Shader) -> Option<String> {
    let mut all = Vec::with_capacity(shader.values.len());
    // Whether something else than the position depends on a value.
    let mut counts = vec![false; shader.values.len()];
    let mut mark = |args: &[Arg]| {
        for arg in args {
            if let Some(counts) = counts.get_mut(arg.value.index()) {
                *counts = true;
            }
        }
    };
    look(shader, &shader.body, &mut all, &mut mark);
    let mut found = None;
    for inst in all.into_iter().rev() {
        let of_position = match (inst.result, inst.op) {
            (Some(result), _) => !counts.get(result.index()).copied().unwrap_or(true),
            (None, Op::StoreOutput { output, .. }) => {
                shader.outputs.get(output.index()).is_some_and(|o| o.kind == OutputKind::Position)
            }
            _ => false,
        };
        if of_position {
            continue;
        }
        for arg in shader.args(inst.args) {
            if let Some(counts) = counts.get_mut(arg.value.index()) {
                *counts = true;
            }
        }
        if !is_exact(shader, inst) {
            found = Some(inst);
        }
    }
    found.map(|inst| match inst.op {
        Op::Input(id) => {
            let name = shader.inputs.get(id.index()).map_or("an input", |input| &input.name);
            format!("{name} is an f32 input")
        }
        Op::LoadOutput(_) | Op::LoadOutputAt { .. } => "an output is read back".to_string(),
        op => format!("`{}` works on f32", op_name(op)),
    })
}

/// Collects instructions in order, and marks what nodes take.
fn look<'a>(shader: &'a Shader, region: &'a Region, all: &mut Vec<&'a Inst>, mark: &mut impl FnMut(&[Arg])) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => all.push(inst),
            Node::If(node) => mark(&[node.cond]),
            Node::Switch(node) => mark(&[node.selector]),
            Node::Loop(node) => mark(shader.args(node.init)),
            Node::Leave { values, .. } | Node::Again { values, .. } => mark(shader.args(*values)),
            Node::Block(_) | Node::Idiom(_) => {}
        }
        node.for_each_region(|region| look(shader, region, all, mark));
    }
    mark(shader.args(region.yields));
}

/// Whether an instruction takes and gives no f32, or is on the way out.
fn is_exact(shader: &Shader, inst: &Inst) -> bool {
    let float = |scalar: Scalar| matches!(scalar, Scalar::F32 | Scalar::F64);
    let takes = shader.args(inst.args).iter().any(|arg| float(shader.arg_type(*arg).scalar));
    let gives = inst.result.is_some_and(|result| float(shader.value(result).ty.scalar));
    match inst.op {
        Op::Pure(Pure::AsF32) => !takes,
        Op::Const(_) | Op::Compose | Op::StoreOutput { .. } | Op::StoreOutputAt { .. } => true,
        _ => !takes && !gives,
    }
}
