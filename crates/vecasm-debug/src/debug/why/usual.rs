//! The usual culprits: discarded invocations, loops without end, indices out of range, vectors without length, matrices
//! that look transposed.

use super::findings::{Gathered, Group, zero_length};
use super::{At, Cause, Finding, Role, Station, words};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::Outputs;
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::op::{Effect, Place};
use vecasm_ir::ir::steps::first_of;
use vecasm_ir::ir::{Arg, Op, Pure, Shader, Value};

/// Four rows in constants that one vector is multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    array: usize,
    first: u32,
    /// The source instruction of the first product.
    source: u32,
}

/// The matrices of a shader: four consecutive constants, each in a product of four terms with the same vector.
pub(super) fn matrices(shader: &Shader) -> Vec<Matrix> {
    let mut constants: BTreeMap<Value, (usize, u32)> = BTreeMap::new();
    let mut rows: BTreeMap<(usize, Value, u32), Vec<(u32, u32)>> = BTreeMap::new();
    shader.body.for_each_inst(&mut |inst| {
        if let (Op::Param { array, index }, Some(result)) = (inst.op, inst.result) {
            constants.insert(result, (array.index(), index));
        }
        let (Op::Pure(Pure::Dot), [a, b]) = (inst.op, shader.args(inst.args)) else { return };
        let whole = |arg: &Arg| arg.lanes == 4 && (0..4).all(|lane| arg.swizzle.get(lane) == lane as u8);
        for (row, vector) in [(a, b), (b, a)] {
            if let (Some(&(array, index)), true) = (constants.get(&row.value), whole(row)) {
                let key = (array, vector.value, u32::from(vector.swizzle.get(0)));
                rows.entry(key).or_default().push((index, inst.step));
            }
        }
    });
    let mut out = Vec::new();
    for ((array, ..), mut list) in rows {
        list.sort_unstable();
        let mut at = 0;
        while let Some(four) = list.get(at..at + 4) {
            let run = four.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
            if run {
                let source = four.iter().map(|row| row.1).min().unwrap_or(0);
                out.push(Matrix { array, first: four[0].0, source });
            }
            at += if run { 4 } else { 1 };
        }
    }
    out
}

/// Where the run of an invocation ended.
#[derive(Clone, Debug)]
pub(super) struct RunEnd {
    at: At,
    /// What was read there.
    told: Vec<String>,
    made_up: bool,
}

impl Group<'_, '_> {
    /// Finds them in the group.
    pub(super) fn usual(&self, matrices: &[Matrix], out: &mut Gathered) {
        let flow = self.flow;
        for event in 0..flow.events.len() as u32 {
            let Some(inst) = flow.inst(event).copied() else { continue };
            for invocation in self.invocations() {
                if !flow.is_present(event, invocation) {
                    continue;
                }
                if let Some(indexed) = flow.element(event, invocation).filter(|indexed| !indexed.inside) {
                    self.out_of_range(event, inst.op, invocation, indexed, out);
                }
                match inst.op {
                    Op::Demote => self.demoted(event, invocation, out),
                    op if inst.result.is_some() => {
                        let made = super::flow::Site { event, slot: 0, invocation, lane: 0 };
                        if zero_length(flow, op, made) {
                            self.no_length(made, out);
                        }
                    }
                    _ => {}
                }
            }
        }
        for invocation in self.invocations() {
            self.lost(invocation, out);
        }
        for matrix in matrices {
            self.matrix(matrix, out);
        }
    }

    fn out_of_range(
        &self,
        event: u32,
        op: Op,
        invocation: u32,
        indexed: super::flow::Indexed,
        out: &mut Gathered,
    ) {
        let shader = self.flow.shader;
        if op.index() != Some(0) {
            return;
        }
        let stores = op.effect() == Effect::Write;
        let name = match op.place() {
            Some(Place::Param(id)) => shader.params.get(id.index()).map(|p| &p.name),
            Some(Place::Local(id)) => shader.locals.get(id.index()).map(|l| &l.name),
            Some(Place::Output(id)) => shader.outputs.get(id.index()).map(|o| &o.name),
            Some(Place::Input(id)) => shader.inputs.get(id.index()).map(|i| &i.name),
            _ => return,
        };
        let name = name.map_or("?", String::as_str);
        let Some(step) = self.steps.around(event) else { return };
        let place = (Cause::IndexRange, self.at(step), name);
        let index = self.flow.source(event, 0, 0, invocation);
        let made_up = index.is_some_and(|site| self.is_made_up(site));
        if out.counts(place, made_up, Severity::Warning, self.flow.first + invocation as usize) {
            return;
        }
        // Of parameters the name is that of the array; a run of registers says where it begins.
        let (file, first) = match op.place() {
            Some(Place::Param(_)) => (name, 0),
            _ => first_of(name),
        };
        let of = |element: i64| format!("{file}[{}]", first.saturating_add(element));
        let what = match (indexed.element, stores) {
            (Some(element), false) => format!("{} is read", of(element.into())),
            (Some(element), true) => format!("{} is written", of(element.into())),
            (None, false) => "zero is read".into(),
            (None, true) => "nothing is written".into(),
        };
        let message = format!(
            "the index is {}, outside the {} registers of {name}; {what}",
            first.saturating_add(indexed.wanted),
            indexed.size
        );
        let text = of(indexed.wanted);
        let mut finding = self.finding(Cause::IndexRange, Severity::Warning, message, step, invocation, text);
        finding.made_up = made_up;
        if let Some(index) = index {
            let mut operands = super::findings::Operands::default();
            self.origin(index, step, &words::Names::new(self.flow, step, invocation), &mut operands);
            finding.notes = operands.notes;
            operands.stations.sort_by_key(|(event, _)| *event);
            finding.trail.splice(0..0, operands.stations.into_iter().map(|(_, station)| station));
        }
        out.add(finding, name);
    }

    fn demoted(&self, event: u32, invocation: u32, out: &mut Gathered) {
        let flow = self.flow;
        let Some(asked) = flow.source(event, 0, 0, invocation).filter(|site| flow.bits(*site) != 0) else {
            return;
        };
        // An instruction that discards whatever happens reads nothing, and has no mark.
        let Some(source) = flow.probe(event).map(|probe| probe.source) else { return };
        let own = self.steps.around(event).filter(|&step| self.at(step).source == source);
        let read: Vec<String> = own
            .into_iter()
            .flat_map(|step| flow.accesses(step, false, invocation).map(move |access| (step, access)))
            .map(|(step, (access, lane, site))| {
                let held = super::slice::held(flow, self.steps.start(step), step, access.cell, lane, site);
                format!("{} = {}", held.name, words::number(held.bits, held.scalar))
            })
            .collect();
        let place = own.map_or(At { source, part: 0 }, |step| self.at(step));
        let told = if read.is_empty() { "it discards all that come here".into() } else { read.join(", ") };
        let at = flow.first + invocation as usize;
        let made_up = self.is_made_up(asked) || self.is_led_by_made_up(event, invocation);
        let lost = || RunEnd { at: place, told: vec![told.clone()], made_up };
        out.killed.entry(at).or_insert_with(lost);
    }

    fn no_length(&self, made: super::flow::Site, out: &mut Gathered) {
        let Some(step) = self.steps.around(made.event) else { return };
        let place = (Cause::ZeroVector, self.at(step), "length");
        let made_up = self.is_made_up(made);
        if out.counts(place, made_up, Severity::Warning, self.flow.first + made.invocation as usize) {
            return;
        }
        let operands = self.operands(made, step);
        let value = self.number(made);
        let message = format!("a vector has length zero: the factor computed from its length is {value}");
        let mut finding = self.finding(
            Cause::ZeroVector,
            Severity::Warning,
            message,
            step,
            made.invocation,
            format!("the length is 0, the factor {value}"),
        );
        finding.made_up = made_up;
        // The vector itself: what the squares were made of.
        let mut vector = super::findings::Operands::default();
        let mut squares = made;
        for _ in 0..8 {
            let dot = matches!(self.flow.inst(squares.event).map(|i| i.op), Some(Op::Pure(Pure::Dot)));
            let next: Vec<super::flow::Site> =
                self.flow.made_of(squares).into_iter().map(|(site, _)| site).collect();
            if dot {
                let step = self.steps.around(squares.event).unwrap_or(step);
                let names = words::Names::new(self.flow, step, made.invocation);
                for site in next.iter().take(next.len() / 2) {
                    self.origin(*site, step, &names, &mut vector);
                }
                break;
            }
            let Some(&from) = next.last() else { break };
            squares = from;
        }
        finding.notes.extend(vector.notes);
        let mut trail: Vec<(u32, Station)> = vector.stations;
        trail.extend(operands.stations);
        trail.sort_by_key(|(event, _)| *event);
        trail.dedup();
        trail.retain(|(event, _)| *event != step);
        finding.trail.splice(0..0, trail.into_iter().map(|(_, station)| station));
        // The birth of its infinity tells the same story with its end; what has none is told here.
        out.add(finding, "length");
    }

    /// Where an invocation was when the run gave it up.
    fn lost(&self, invocation: u32, out: &mut Gathered) {
        let flow = self.flow;
        let present = |event: &&u32| flow.is_present(**event, invocation);
        let Some(&last) = self.steps.events.iter().rev().find(present) else { return };
        let conditions = flow.conditions(last);
        let asked = conditions.last().copied();
        let step = asked.map_or(Some(last), |asked| {
            // The mark of an instruction that branches stands in front of its branch.
            let before = self.steps.events.partition_point(|&mark| mark < asked);
            self.steps.events.get(before.checked_sub(1)?).copied()
        });
        let Some(step) = step else { return };
        let mut notes = Vec::new();
        for (access, lane, site) in flow.accesses(step, false, invocation) {
            let held = super::slice::held(flow, self.steps.start(step), step, access.cell, lane, site);
            notes.push(format!(
                "in the last iteration {} is {}",
                held.name,
                words::number(held.bits, held.scalar)
            ));
        }
        let made_up = self.is_led_by_made_up(last, invocation);
        let lost = RunEnd { at: self.at(step), told: notes, made_up };
        out.exhausted.insert(flow.first + invocation as usize, lost);
    }

    fn matrix(&self, matrix: &Matrix, out: &mut Gathered) {
        let Some(given) = self.batch.params.get(matrix.array) else { return };
        let first = matrix.first as usize;
        let Some(rows) = given.get(first..first + 4) else { return };
        let at = |row: usize, lane: usize| f32::from_bits(rows[row][lane]);
        let column = (0..3).all(|row| at(row, 3) == 0.0) && at(3, 3) == 1.0;
        let moves = (0..3).any(|lane| at(3, lane) != 0.0);
        let finite = (0..16).all(|n| at(n / 4, n % 4).is_finite());
        let turns = (0..3).all(|row| (0..3).any(|lane| at(row, lane) != 0.0));
        if !(column && moves && finite && turns) {
            return;
        }
        let shader = self.flow.shader;
        let (from, to) = (
            words::param(shader, matrix.array, matrix.first),
            words::param(shader, matrix.array, matrix.first + 3),
        );
        let place = At { source: matrix.source, part: 0 };
        let finding = Finding {
            cause: Cause::Transposed,
            severity: Severity::Warning,
            made_up: self.made_up.is_some(),
            message: format!("the matrix in {from} to {to} looks transposed"),
            at: Some(place),
            invocation: Some(self.flow.first),
            count: 1,
            trail: vec![Station {
                at: place,
                role: Role::Culprit,
                text: format!("each of {from} to {to} is used as a row"),
            }],
            notes: vec![format!(
                "its translation ({}, {}, {}) is in {to}, where a matrix stored by rows has (0, 0, 0, 1); the last lanes of the other three, where the translation belongs, are 0",
                at(3, 0),
                at(3, 1),
                at(3, 2)
            )],
        };
        out.add(finding, &from);
    }
}

/// Findings about who was discarded and who did not come to an end.
pub(super) fn outcome(out: &mut Gathered, shader: &Shader, outputs: &Outputs, only: Option<usize>) {
    let _ = shader;
    let looked = |at: usize| only.is_none_or(|only| only == at);
    let killed: Vec<usize> = outputs
        .killed
        .iter()
        .enumerate()
        .filter(|(at, dead)| **dead && looked(*at))
        .map(|(at, _)| at)
        .collect();
    let all = (0..outputs.killed.len()).filter(|at| looked(*at)).count();
    for (lost, first, count) in by_place(&out.killed, killed.iter().copied()) {
        let place = lost.at;
        let everyone = killed.len() == all;
        let severity = if everyone { Severity::Warning } else { Severity::Note };
        let message = match (everyone, all) {
            (true, 1) => String::from("the fragment is discarded here"),
            (true, _) => format!("every fragment is discarded, {count} of {all} here"),
            (false, _) => format!("{count} of {all} fragments are discarded here"),
        };
        out.findings.push(Finding {
            cause: Cause::Killed,
            severity,
            made_up: lost.made_up,
            message,
            at: Some(place),
            invocation: Some(first),
            count,
            trail: vec![Station { at: place, role: Role::Culprit, text: lost.told.concat() }],
            notes: Vec::new(),
        });
    }
    let stuck = outputs.exhausted.iter().enumerate().filter(|(at, gone)| **gone && looked(*at));
    for (lost, first, count) in by_place(&out.exhausted, stuck.map(|(at, _)| at)) {
        let place = lost.at;
        out.findings.push(Finding {
            cause: Cause::Fuel,
            severity: Severity::Error,
            made_up: lost.made_up,
            message: "the loop does not end: the run is out of fuel".into(),
            at: Some(place),
            invocation: Some(first),
            count,
            trail: vec![Station {
                at: place,
                role: Role::Culprit,
                text: "this decides whether the loop goes on".into(),
            }],
            notes: lost.told,
        });
    }
}

/// Where invocations were lost: what is told of the first of them at each place, its number, and how many there are. What
/// rests on made-up values in one of them does so in all.
fn by_place(lost: &BTreeMap<usize, RunEnd>, who: impl Iterator<Item = usize>) -> Vec<(RunEnd, usize, usize)> {
    let mut out: BTreeMap<At, (RunEnd, usize, usize)> = BTreeMap::new();
    for at in who {
        let Some(lost) = lost.get(&at) else { continue };
        let known = out.entry(lost.at).or_insert_with(|| (lost.clone(), at, 0));
        known.0.made_up |= lost.made_up;
        known.2 += 1;
    }
    out.into_values().collect()
}
