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
use super::condition::{Expression, Look};
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
    held: BTreeMap<(Cell, usize), Held>,
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
        let held = self.held.entry(key).or_insert_with(|| Held {
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
struct Held {
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

impl Look for EventLook<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use vecasm_exec::interp::Interp;
    use vecasm_isa::agal::lift::{Depth, Options, lift};
    use vecasm_isa::agal::text::{ParseOptions, parse};

    fn trace(text: &str, inputs: Vec<Vec<[u32; 4]>>, params: Vec<[u32; 4]>) -> Vec<String> {
        let (program, findings) = parse(text, &ParseOptions::default());
        assert_eq!(findings, []);
        let program = program.expect("the text is sound");
        let full = Options { depth: Depth::Full, ..Options::default() };
        let shader = lift(&program, &full).expect("the program has a meaning");
        assert_eq!(vecasm_ir::ir::verify::verify(&shader), []);
        let batch = Batch { count: inputs[0].len(), inputs, params: vec![params], ..Batch::default() };
        let mut trace = Trace::new(&batch);
        let mut lines = Vec::new();
        let plain = lift(&program, &Options::default()).expect("the program has a meaning");
        let outputs = Interp
            .run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, "")))
            .expect("the shader runs");
        // Watching changes nothing.
        assert_eq!(outputs, vecasm_exec::Engine::run(&Interp, &plain, &batch).expect("the shader runs"));
        lines
    }

    fn floats(v: [f32; 4]) -> [u32; 4] {
        v.map(f32::to_bits)
    }

    #[test]
    fn a_write_shows_what_was_there() {
        // ft0 = v0; ft0.y = ft0.x · fc0.w = 2 · 3 where 5 was.
        let lines = trace(
            ".agal fragment 1\nmov ft0, v0\nmul ft0.y, ft0.x, fc0.w\nmov oc, ft0\n",
            vec![vec![floats([2.0, 5.0, f32::INFINITY, -0.5])]],
            vec![floats([0.0, 0.0, 0.0, 3.0])],
        );
        assert_eq!(
            lines,
            [
                r#"{"step":0,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"v0.xyzw":[[2,5,"0x7f800000",-0.5]]},"writes":{"ft0.xyzw":{"old":[[0,0,0,0]],"new":[[2,5,"0x7f800000",-0.5]]}}}"#,
                r#"{"step":1,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"ft0.x":[[2]],"fc[0].w":[[3]]},"writes":{"ft0.y":{"old":[[5]],"new":[[6]]}}}"#,
                r#"{"step":2,"group":0,"instruction":"","live":[0],"masked":{},"reads":{"ft0.xyzw":[[2,6,"0x7f800000",-0.5]]},"writes":{"oc.xyzw":{"old":[[0,0,0,0]],"new":[[2,6,"0x7f800000",-0.5]]}}}"#,
            ]
        );
    }

    #[test]
    fn the_masked_say_why() {
        // A quad, for the derivative. Invocation 0 and 1 take the if (x < 1); 1 is killed behind it (y < 0).
        let lines = trace(
            ".agal fragment 2\nddx ft1, v0\nmov ft0, v0\nifl v0.x, fc0.x\nneg ft0.x, ft0.x\neif\nkil v0.y\nmov oc, ft0\n",
            vec![vec![
                floats([0.0, 1.0, 0.0, 0.0]),
                floats([0.5, -1.0, 0.0, 0.0]),
                floats([1.0, 1.0, 0.0, 0.0]),
                floats([2.0, 1.0, 0.0, 0.0]),
            ]],
            vec![floats([1.0, 0.0, 0.0, 0.0])],
        );
        let live = |line: &str| -> String {
            let from = line.find("\"live\"").expect("a line has it");
            line[from..line.find(",\"reads\"").expect("a line has it")].into()
        };
        assert_eq!(
            live(&lines[3]),
            r#""live":[0,1],"masked":{"2":"step 2 took the other branch","3":"step 2 took the other branch"}"#
        );
        assert_eq!(live(&lines[4]), r#""live":[0,1,2,3],"masked":{}"#);
        assert_eq!(live(&lines[5]), r#""live":[0,2,3],"masked":{"1":"demoted by step 5"}"#);
    }
}

#[cfg(test)]
mod type_tests {
    use super::*;
    use alloc::vec;
    use vecasm_exec::interp::Interp;
    use vecasm_ir::ir::build::Builder;
    use vecasm_ir::ir::steps::Step;
    use vecasm_ir::ir::{Arg, Home, Op, Output, OutputId, OutputKind, ParamArray, ParamId, Stage, Type};
    use vecasm_ir::operand::WriteMask;

    #[test]
    fn numbers_are_shown_by_their_type() {
        let mut b = Builder::new(Stage::Vertex, "test", &["r"], 4);
        let constant = |b: &mut Builder, scalar, bits| {
            Arg::whole(b.push(Op::Const([bits, 0, 0, 0]), &[], Type::new(scalar, 1)), 1)
        };
        let values = [
            constant(&mut b, Scalar::I32, -5i32 as u32),
            constant(&mut b, Scalar::U32, u32::MAX),
            constant(&mut b, Scalar::Bool, 1),
            constant(&mut b, Scalar::F32, 0.5f32.to_bits()),
        ];
        let register = |index| Access { cell: Cell::Register(Home { file: 0, index }), mask: WriteMask::X };
        let writes = (0..4).map(register).collect();
        b.shader.steps.push(Step { source: 0, part: 0, reads: vec![], writes });
        b.effect(Op::Mark(0), &values);
        let shader = b.finish();
        let batch = Batch { count: 1, ..Batch::default() };
        let (mut trace, mut lines) = (Trace::new(&batch), Vec::new());
        Interp.run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, ""))).unwrap();
        let writes = r#""writes":{"r0.x":{"old":[[0]],"new":[[-5]]},"r1.x":{"old":[[0]],"new":[[4294967295]]},"r2.x":{"old":[[false]],"new":[[true]]},"r3.x":{"old":[[0]],"new":[[0.5]]}}}"#;
        assert!(lines[0].ends_with(writes), "{}", lines[0]);
    }

    #[test]
    fn what_one_vertex_leaves_the_next_one_finds() {
        // c[0].x = v + c[0].x, fog = c[0].x, in two vertices of 2 and 3, from c[0].x = 1: 3, then 6.
        let mut b = Builder::new(Stage::Vertex, "test", &["r"], 4);
        b.shader.serial = true;
        let attribute = vecasm_ir::ir::InputKind::Attribute { location: 0 };
        b.shader.inputs.push(vecasm_ir::ir::Input::new("v", attribute, Type::F32X4));
        b.shader.params.push(ParamArray { used: 1, ..ParamArray::new("c", 1) });
        let fog = Output { carried: true, ..Output::new("fog", OutputKind::Fog) };
        b.shader.outputs.push(fog);
        let cells = [Cell::Param(ParamId(0), 0), Cell::Output(OutputId(0))];
        let writes = cells.map(|cell| Access { cell, mask: WriteMask::X }).to_vec();
        b.shader.steps.push(Step { source: 0, part: 0, reads: vec![], writes });
        let v = b.op(Op::Input(vecasm_ir::ir::InputId(0)), &[]);
        let c = b.op(Op::Param { array: ParamId(0), index: 0 }, &[]);
        let sum = b.pure(vecasm_ir::ir::Pure::Add, &[Arg::lane(v.value, 0), Arg::lane(c.value, 0)]);
        b.effect(Op::StoreParam { array: ParamId(0), index: 0, mask: WriteMask::X }, &[sum]);
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[sum]);
        b.effect(Op::Mark(0), &[sum, sum]);
        let shader = b.finish();
        assert_eq!(vecasm_ir::ir::verify::verify(&shader), []);
        let inputs = vec![[2.0f32, 3.0].map(|x| [x.to_bits(), 0, 0, 0]).to_vec()];
        let params = vec![vec![[1.0f32.to_bits(), 0, 0, 0]]];
        let batch = Batch { count: 2, inputs, params, ..Batch::default() };
        let (mut trace, mut lines) = (Trace::new(&batch), Vec::new());
        Interp.run_watched(&shader, &batch, &mut |event| lines.push(trace.line(&shader, event, ""))).unwrap();
        let writes = [
            r#""writes":{"c[0].x":{"old":[[1]],"new":[[3]]},"fog.x":{"old":[[0]],"new":[[3]]}}}"#,
            r#""writes":{"c[0].x":{"old":[[3]],"new":[[6]]},"fog.x":{"old":[[3]],"new":[[6]]}}}"#,
        ];
        for (line, writes) in lines.iter().zip(writes) {
            assert!(line.ends_with(writes), "{line}");
        }
        assert_eq!(lines.len(), 2);
    }
}
