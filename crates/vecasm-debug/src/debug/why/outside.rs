//! What comes from outside the program, and what depends on it.

use super::flow::{Dependence, Flow, Lanes, Site};
use vecasm_ir::ir::Op;
use vecasm_ir::ir::op::{Effect, Place};

/// Whether a lane comes from outside the operations: constants, inputs, parameters.
pub(super) fn is_outside(flow: &Flow<'_>, site: Site) -> bool {
    flow.inst(site.event).is_some_and(|inst| matches!(inst.op, Op::Const(_)) || is_given(flow, site, inst.op))
}

/// Whether a lane is given by who runs the program.
fn is_given(flow: &Flow<'_>, site: Site, op: Op) -> bool {
    match op.place() {
        Some(Place::Input(_) | Place::State(_)) => true,
        Some(Place::Param(_)) => !flow.made_of(site).iter().any(|(_, way)| *way == Dependence::Data),
        _ => matches!(op, Op::Framebuffer { .. }),
    }
}

/// Whether an operation reads what is bound to the program: textures, buffers, images.
const fn reads_bound(op: Op) -> bool {
    let bound = matches!(op.place(), Some(Place::Texture(_) | Place::Memory(_) | Place::Image(_)));
    bound && matches!(op.effect(), Effect::Query | Effect::Read | Effect::Modify)
}

/// The lanes that depend on what a run is given and bound.
pub(super) fn dependents(flow: &Flow<'_>) -> Lanes {
    let mut out = Lanes::none(flow);
    for event in 0..flow.events.len() as u32 {
        let op = flow.inst(event).map(|inst| inst.op);
        flow.each_lane(event, &mut |site| {
            // Which way a value took may depend on them, too.
            let chosen = flow.edge(site).is_some_and(|edge| is_decided(flow, &out, edge, site.invocation));
            let starts = chosen || op.is_some_and(|op| reads_bound(op) || is_given(flow, site, op));
            if starts || flow.made_of(site).iter().any(|(from, _)| out.has(flow, *from)) {
                out.add(flow, site);
            }
        });
    }
    out
}

/// Whether what decides that a moment comes for an invocation is in a set.
pub(super) fn is_decided(flow: &Flow<'_>, by: &Lanes, event: u32, invocation: u32) -> bool {
    let asked = flow.conditions(event).into_iter();
    asked.map(|event| Site { event, slot: 0, invocation, lane: 0 }).any(|site| by.has(flow, site))
}
