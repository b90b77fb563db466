//! Puts the plain operations of idioms in the place of their brackets, for targets that have no word for them.

use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Inst, Node, Op, Region, Shader};

/// The shader without brackets. What a bracket yielded is another name for the values inside.
pub(super) fn splice(shader: &Shader) -> Shader {
    let mut out = shader.clone();
    let body = core::mem::take(&mut out.body);
    out.body = region(&mut out, body);
    out
}

fn region(shader: &mut Shader, of: Region) -> Region {
    let mut nodes = Vec::with_capacity(of.nodes.len());
    append(shader, of.nodes, &mut nodes);
    Region { nodes, yields: of.yields }
}

fn append(shader: &mut Shader, from: Vec<Node>, to: &mut Vec<Node>) {
    let mut step = 0;
    for mut node in from {
        match node {
            Node::Idiom(idiom) => {
                append(shader, idiom.body.nodes, to);
                if let Some(Node::Inst(last)) = to.last() {
                    step = last.step;
                }
                let yields: Vec<Arg> = shader.args(idiom.body.yields).to_vec();
                for (result, value) in idiom.results.into_iter().zip(yields) {
                    let args = list(shader, value);
                    let (op, arith) = (Op::Compose, vecasm_ir::ir::Arith::IEEE);
                    let result = Some(result);
                    to.push(Node::Inst(Inst { op, arith, result, args, step, tail: None }));
                }
            }
            Node::Inst(inst) => {
                step = inst.step;
                to.push(Node::Inst(inst));
            }
            _ => {
                node.for_each_region_mut(|inside| {
                    let whole = core::mem::take(inside);
                    *inside = region(shader, whole);
                });
                to.push(node);
            }
        }
    }
}

fn list(shader: &mut Shader, arg: Arg) -> vecasm_ir::ir::Args {
    let start = shader.args.len() as u32;
    shader.args.push(arg);
    vecasm_ir::ir::Args { start, len: 1 }
}

/// The shader without its step table, and without brackets if it has any: what an instruction read is no reason to compute
/// it. `None` if it has neither.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
pub(super) fn plain(shader: &Shader, brackets: bool) -> Option<Shader> {
    if shader.steps.is_empty() {
        return brackets.then(|| splice(shader));
    }
    let mut plain = shader.clone();
    vecasm_ir::ir::steps::strip(&mut plain);
    Some(if brackets { splice(&plain) } else { plain })
}

/// Regions may be nested this deep: WGSL ends at 127 braces, of which an exit may need several.
pub(super) const MAX_DEPTH: u32 = 100;

/// Whether there are brackets in a region; `None` if regions are nested more than `depth` deep.
pub(super) fn brackets(region: &Region, depth: u32) -> Option<bool> {
    let mut found = false;
    for node in region.nodes.iter().filter(|node| !matches!(node, Node::Inst(_))) {
        found |= matches!(node, Node::Idiom(_));
        let mut fits = true;
        node.for_each_region(|region| {
            match if depth > 0 && fits { brackets(region, depth - 1) } else { None } {
                Some(inside) => found |= inside,
                None => fits = false,
            }
        });
        if !fits {
            return None;
        }
    }
    Some(found)
}
