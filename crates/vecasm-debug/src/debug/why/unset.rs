//! Reads of what was never written, set, given or bound; outputs that were never written.

use super::findings::{Gathered, Group, Source};
use super::flow::Memory;
use super::reach::{Reach, Read};
use super::{At, Cause, Finding, Role, Station, words};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::op::{Effect, Place};
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Op, OutputKind, Pick, Stage};

/// A lane that a step reads, and nobody wrote, set or gave.
struct Missing {
    read: Read,
    cause: Cause,
    register: String,
    value: String,
}

/// The lanes of one finding, with the value that each reads as.
#[derive(Default)]
struct Lanes {
    letters: String,
    values: Vec<String>,
}

impl Group<'_, '_> {
    /// Finds them in the group.
    pub(super) fn unset(&self, out: &mut Gathered) {
        for invocation in self.invocations() {
            self.reads(invocation, out);
            self.outputs(invocation, out);
        }
        self.textures(out);
    }

    fn reads(&self, invocation: u32, out: &mut Gathered) {
        let flow = self.flow;
        let missing = self.missing(invocation);
        let unwritten = missing.iter().filter(|lane| lane.cause == Cause::UnwrittenRegister);
        let unwritten: BTreeSet<Read> = unwritten.map(|lane| lane.read).collect();
        let reach = if unwritten.is_empty() { BTreeMap::new() } else { self.reach(invocation, &unwritten) };
        // Lanes of one register that a step reads are one finding.
        let mut found: BTreeMap<(u32, Cause, String, Reach), Lanes> = BTreeMap::new();
        for lane in missing {
            let reach = reach.get(&lane.read).copied().unwrap_or(Reach::Result);
            let lanes = found.entry((lane.read.0, lane.cause, lane.register, reach)).or_default();
            lanes.letters.push(words::letter(lane.read.2));
            lanes.values.push(lane.value);
        }
        for ((event, cause, register, reach), Lanes { letters, values }) in found {
            let value = match values.as_slice() {
                [first, others @ ..] if others.iter().any(|other| other != first) => {
                    format!("({})", values.join(", "))
                }
                _ => values.into_iter().next().unwrap_or_default(),
            };
            let what = match cause {
                Cause::UnsetConstant => "is read, but never set",
                Cause::UnsetInput => "is read, but not given",
                _ => "is read before it is written",
            };
            let (severity, end) = match reach {
                Reach::Result => (Severity::Warning, ""),
                Reach::Part => (Severity::Note, ", but only a part of a value for the next stage has it"),
                Reach::Nowhere => (Severity::Note, ", but it reaches no output"),
            };
            let detail = format!("{register}{end}");
            let place = (cause, self.at(event), detail.as_str());
            if out.counts(place, false, severity, flow.first + invocation as usize) {
                continue;
            }
            let message = format!("{register}.{letters} {what}; it reads as {value}{end}");
            let text = format!("{register}.{letters} is {value}");
            out.add(self.finding(cause, severity, message, event, invocation, text), &detail);
        }
    }

    /// The lanes that an invocation reads and nobody wrote, set or gave.
    fn missing(&self, invocation: u32) -> Vec<Missing> {
        let flow = self.flow;
        let mut out = Vec::new();
        for &event in self.steps.events.iter().filter(|&&event| flow.is_present(event, invocation)) {
            let start = self.steps.start(event);
            for (number, access, lane, site) in flow.reads(event, invocation) {
                let written = !access.cell.is_computed()
                    && self.steps.writer(access.cell, lane, invocation, start).is_some();
                if written {
                    continue;
                }
                let cause = match self.source_of(site) {
                    Some(Source::Param { set: false, .. }) => Cause::UnsetConstant,
                    Some(Source::Input { set: false, .. }) => Cause::UnsetInput,
                    Some(Source::Nothing) if matches!(access.cell, Cell::Register(_)) => {
                        Cause::UnwrittenRegister
                    }
                    _ => continue,
                };
                let held = super::slice::held(flow, start, event, access.cell, lane, site);
                let register = held.name.rsplit_once('.').map_or(held.name.as_str(), |(name, _)| name);
                // The pipeline fills an input, or makes its lanes of what it knows: 1 or -1 for the side that is seen.
                let supplied = || flow.shader.inputs.iter().any(|input| input.name == register);
                if cause == Cause::UnwrittenRegister && supplied() {
                    continue;
                }
                let value = words::number(held.bits, held.scalar);
                out.push(Missing { read: (event, number, lane), cause, register: register.into(), value });
            }
        }
        out
    }

    /// A finding about one step.
    pub(super) fn finding(
        &self,
        cause: Cause,
        severity: Severity,
        message: String,
        event: u32,
        invocation: u32,
        text: String,
    ) -> Finding {
        let at = self.at(event);
        Finding {
            cause,
            severity,
            made_up: false,
            message,
            at: Some(at),
            invocation: Some(self.flow.first + invocation as usize),
            count: 1,
            trail: vec![Station { at, role: Role::Culprit, text }],
            notes: Vec::new(),
        }
    }

    fn textures(&self, out: &mut Gathered) {
        let flow = self.flow;
        for event in 0..flow.events.len() as u32 {
            let Some(inst) = flow.inst(event) else { continue };
            let (Op::Sample { texture, pick: Pick::Fixed, .. }
            | Op::Gather { texture, pick: Pick::Fixed, .. }
            | Op::Fetch { texture, pick: Pick::Fixed, .. }) = inst.op
            else {
                continue;
            };
            let bound = self.batch.textures.get(texture.index()).is_some_and(Option::is_some);
            let Some(step) = self.steps.around(event).filter(|_| !bound) else { continue };
            let name = flow.shader.textures.get(texture.index()).map_or("?", |t| t.name.as_str());
            for invocation in self.invocations().filter(|&i| flow.is_present(event, i)) {
                let message =
                    format!("{name} is read, but no texture is bound to it; it reads as (0, 0, 0, 1)");
                let text = format!("{name} is not bound");
                let finding =
                    self.finding(Cause::UnboundTexture, Severity::Warning, message, step, invocation, text);
                out.add(finding, name);
            }
        }
    }

    /// Outputs that the pipeline needs and the run did not write.
    fn outputs(&self, invocation: u32, out: &mut Gathered) {
        let flow = self.flow;
        let last = flow.events.len() as u32;
        // Who was discarded or ran out of fuel wrote what it could.
        let ended = last.checked_sub(1).is_some_and(|event| !flow.is_present(event, invocation));
        if flow.truncated || ended {
            return;
        }
        let mut needed = self.leaves_more(invocation);
        for (id, output) in flow.shader.outputs.iter().enumerate() {
            let wanted = match output.kind {
                OutputKind::Position => flow.shader.stage == Stage::Vertex,
                OutputKind::Color { target: 0 } => true,
                _ => false,
            };
            needed |= wanted
                || matches!(output.kind, OutputKind::Depth | OutputKind::Stencil | OutputKind::SampleMask);
            if output.carried {
                continue;
            }
            let stores = flow.cells.get(&(Memory::Output(id as u32), invocation));
            let written = |lane: usize| stores.is_some_and(|stores| flow.event(stores[lane]).is_some());
            let lanes: String = (0..4).filter(|&lane| !written(lane)).map(words::letter).collect();
            // A part of a varying may be all that the next stage reads, and a first value may be meant.
            if lanes.is_empty() || output.init != [0; 4] || !wanted && lanes.len() < 4 {
                continue;
            }
            let severity = if wanted { Severity::Warning } else { Severity::Note };
            self.unwritten(&format!("{}.{lanes}", output.name), severity, invocation, out);
        }
        if !needed {
            match flow.shader.stage {
                Stage::Vertex => self.unwritten("the position", Severity::Warning, invocation, out),
                Stage::Fragment => self.unwritten("the colour", Severity::Warning, invocation, out),
                _ => {}
            }
        }
    }

    /// Whether an invocation leaves something behind besides outputs: it writes constants or memory, or was asked whether it is
    /// discarded, as where only the depth counts.
    fn leaves_more(&self, invocation: u32) -> bool {
        let flow = self.flow;
        (0..flow.events.len() as u32).filter(|&event| flow.is_present(event, invocation)).any(|event| {
            flow.inst(event).is_some_and(|inst| match inst.op.effect() {
                Effect::Write | Effect::Modify => {
                    !matches!(inst.op.place(), Some(Place::Output(_) | Place::Local(_)))
                }
                _ => inst.op == Op::Demote,
            })
        })
    }

    fn unwritten(&self, name: &str, severity: Severity, invocation: u32, out: &mut Gathered) {
        let finding = Finding {
            cause: Cause::UnwrittenOutput,
            severity,
            made_up: false,
            message: format!("{name} is never written"),
            at: None::<At>,
            invocation: Some(self.flow.first + invocation as usize),
            count: 1,
            trail: Vec::new(),
            notes: Vec::new(),
        };
        out.add(finding, name);
    }
}
