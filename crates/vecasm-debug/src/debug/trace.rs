//! Traces: one JSON line a source step, with registers read and written, old and new values, and who took part.
//!
//! A trace reads only the [step table](vecasm_ir::ir::steps) and what the interpreter reports; it knows no ISA. A line:
//!
//! ```json
//! {"step":1,"group":0,"instruction":"mul ft0.xy, ft0, fc0.x","live":[0,1],"masked":{"2":"step 0 chose the other arm"},
//!  "reads":{"ft0.xy":[[1,2],[3,4]],"fc[0].x":[[2],[2]]},
//!  "writes":{"ft0.xy":{"old":[[1,2],[3,4]],"new":[[2,4],[6,8]]}}}
//! ```
//!
//! Steps are numbers of source instructions from 0; the second half of a pair also has `"part":1`. Lists of values have an entry for each live invocation, with a
//! number, or true or false, for each lane of the mask, by the type of what was read or written; a number that is not
//! finite is a string of its bits, as in run files.

use super::cells::{access_name, first_bits, meant, owner, reason, write_lane};
use super::condition::{Environment, Expression};
use super::listing::Listing;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_exec::Batch;
use vecasm_exec::interp::StepEvent;
use vecasm_ir::diag::push_json_string;
use vecasm_ir::ir::steps::{Access, Cell};
use vecasm_ir::ir::{Scalar, Shader};
use vecasm_ir::operand::WriteMask;

/// Writes the lines of a run, and remembers what cells hold.
#[derive(Clone, Debug)]
pub struct Trace {
    /// What is known of the cells of each invocation.
    held: BTreeMap<(Cell, usize), CellValue>,
    /// The parameters before the run.
    params: Vec<Vec<[u32; 4]>>,
}

impl Trace {
    /// Of a run of `batch`.
    pub fn new(batch: &Batch<'_>) -> Self {
        Self { held: BTreeMap::new(), params: batch.params.clone() }
    }

    /// The line for an event, without a newline. `instruction` is the source instruction as text.
    pub fn line(&mut self, shader: &Shader, event: &StepEvent<'_>, instruction: &str) -> String {
        let Some(step) = shader.steps.get(event.step) else { return String::new() };
        let mut out = format!("{{\"step\":{},", step.source);
        if step.part != 0 {
            let _ = write!(out, "\"part\":{},", step.part);
        }
        let _ = write!(out, "\"group\":{},\"instruction\":", event.first);
        push_json_string(&mut out, instruction);
        let live: Vec<usize> = (0..event.absent.len()).filter(|&i| event.absent[i].is_none()).collect();
        out.push_str(",\"live\":");
        list(&mut out, &live, |out, i| {
            let _ = write!(out, "{}", event.first + i);
        });
        out.push_str(",\"masked\":{");
        let masked = event.absent.iter().enumerate().filter_map(|(i, why)| why.map(|why| (i, why)));
        for (n, (i, why)) in masked.enumerate() {
            let comma = if n > 0 { "," } else { "" };
            let _ = write!(out, "{comma}\"{}\":", event.first + i);
            push_json_string(&mut out, &reason(why));
        }
        out.push_str("},\"reads\":{");
        for (n, access) in step.reads.iter().enumerate() {
            for &i in &live {
                self.note(shader, access, event.first + i, scalar(event, n), value(event, n, i));
            }
            if n > 0 {
                out.push(',');
            }
            push_json_string(&mut out, &access_name(shader, access));
            out.push(':');
            list(&mut out, &live, |out, i| lanes(out, access, scalar(event, n), &value(event, n, i)));
        }
        out.push_str("},\"writes\":{");
        for (n, access) in step.writes.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            let at = step.reads.len() + n;
            let of = scalar(event, at);
            push_json_string(&mut out, &access_name(shader, access));
            out.push_str(":{");
            // The table does not say which cell a computed index means.
            if !access.cell.is_computed() {
                out.push_str("\"old\":");
                list(&mut out, &live, |out, i| {
                    let held = self.held(shader, access.cell, event.first + i);
                    let mut old = [0; 4];
                    for (to, lane) in access.mask.lanes().enumerate() {
                        old[to] = held[lane];
                    }
                    lanes(out, access, of, &old);
                });
                out.push(',');
            }
            out.push_str("\"new\":");
            list(&mut out, &live, |out, i| lanes(out, access, of, &value(event, at, i)));
            out.push('}');
            for &i in &live {
                self.note(shader, access, event.first + i, of, value(event, at, i));
            }
        }
        out.push_str("}}");
        out
    }

    /// Notes what an invocation has read or written.
    fn note(&mut self, shader: &Shader, access: &Access, invocation: usize, scalar: Scalar, bits: [u32; 4]) {
        let key = (access.cell, owner(shader, access.cell, invocation));
        let held = self.held.entry(key).or_insert_with(|| CellValue {
            lanes: first_bits(shader, &self.params, access.cell).map_or([None; 4], |bits| bits.map(Some)),
            scalar,
        });
        held.scalar = scalar;
        for (lane, bits) in access.mask.lanes().zip(bits) {
            held.lanes[lane] = Some(bits);
        }
    }

    fn held(&self, shader: &Shader, cell: Cell, invocation: usize) -> [u32; 4] {
        let held = self.held.get(&(cell, owner(shader, cell, invocation)));
        let lanes = held.map(|held| held.lanes.map(|lane| lane.unwrap_or(0)));
        lanes.unwrap_or_else(|| first_bits(shader, &self.params, cell).unwrap_or([0; 4]))
    }

    /// The invocations of an event, counted in the group, that took part and in which all conditions hold. It is asked
    /// behind [`line`](Self::line), so values are those behind the step.
    pub fn matching(
        &self,
        shader: &Shader,
        event: &StepEvent<'_>,
        listing: &Listing,
        conditions: &[Expression],
    ) -> Vec<usize> {
        let live = (0..event.absent.len()).filter(|&i| event.absent[i].is_none());
        live.filter(|&invocation| {
            let look = EventLook { trace: self, shader, event, listing, invocation };
            conditions.iter().all(|condition| condition.holds(&look))
        })
        .collect()
    }
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug)]
struct CellValue {
    lanes: [Option<u32>; 4],
    scalar: Scalar,
}

/// Adds to a line which invocations matched, by their numbers in the batch.
pub fn mark_matching(line: &mut String, matching: &[usize]) {
    if line.pop() == Some('}') {
        line.push_str(",\"matching\":");
        list(line, matching, |out, i| {
            let _ = write!(out, "{i}");
        });
        line.push('}');
    }
}

/// An event as conditions see it.
struct EventLook<'a> {
    trace: &'a Trace,
    shader: &'a Shader,
    event: &'a StepEvent<'a>,
    listing: &'a Listing,
    invocation: usize,
}

impl Environment for EventLook<'_> {
    fn source(&self) -> Option<u32> {
        self.shader.steps.get(self.event.step).map(|step| step.source)
    }

    fn line(&self) -> Option<u32> {
        self.listing.line(self.shader.steps.get(self.event.step)?)
    }

    fn invocation(&self) -> usize {
        self.event.first + self.invocation
    }

    fn value(&self, cell: Cell, lane: usize) -> Option<(u32, Scalar)> {
        let owner = owner(self.shader, cell, self.event.first + self.invocation);
        match self.trace.held.get(&(cell, owner)) {
            Some(held) => Some((held.lanes[lane & 3]?, held.scalar)),
            None => Some((first_bits(self.shader, &self.trace.params, cell)?[lane & 3], Scalar::F32)),
        }
    }

    fn accesses(&self, each: &mut dyn FnMut(bool, Cell, WriteMask, Scalar, [u32; 4])) {
        let Some(step) = self.shader.steps.get(self.event.step) else { return };
        for (n, access) in step.accesses().enumerate() {
            let written = n >= step.reads.len();
            let (scalar, bits) = (scalar(self.event, n), value(self.event, n, self.invocation));
            if !access.cell.is_computed() {
                each(written, access.cell, access.mask, scalar, bits);
                continue;
            }
            for (cell, mask, bits) in meant(self.event, access, written, self.invocation, bits) {
                each(written, cell, mask, scalar, bits);
            }
        }
    }
}

fn value(event: &StepEvent<'_>, access: usize, invocation: usize) -> [u32; 4] {
    event.values.get(access).and_then(|v| v.get(invocation)).copied().unwrap_or([0; 4])
}

fn scalar(event: &StepEvent<'_>, access: usize) -> Scalar {
    event.scalars.get(access).copied().unwrap_or(Scalar::F32)
}

fn list<T: Copy>(out: &mut String, items: &[T], mut each: impl FnMut(&mut String, T)) {
    out.push('[');
    for (n, &item) in items.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(']');
}

fn lanes(out: &mut String, access: &Access, scalar: Scalar, bits: &[u32; 4]) {
    list(out, &bits[..access.mask.count() as usize], |out, bits| write_lane(out, scalar, bits));
}
