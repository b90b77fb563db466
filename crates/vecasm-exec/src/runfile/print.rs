//! Results as text.

use super::memory;
use crate::{DivergentBarrier, Outputs};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use vecasm_ir::diag::push_json_string;
use vecasm_ir::ir::{Op, Output, ParamId, Shader, Stage};

/// The results of a run as JSON: `outputs` has an object an invocation with the bits of every output register that
/// the program writes, `killed` and `exhausted` a truth value an invocation. Where invocations run one after another and
/// write constants, `constants` has what those hold after the run. `buffers` and `images` have the words that those hold
/// after the run (of a compute shader there is nothing else), and `divergent_barriers` the barriers to which not all invocations of a group came: the group's first
/// invocation, and the number of the instruction.
///
/// What a patch has as a whole stands in `patches`, an object a patch. A geometry program has `streams` in place of
/// `outputs`: a list a stream of its primitives, each with the `invocation` that gave it and its `vertices`.
pub fn results_json(shader: &Shader, outputs: &Outputs) -> String {
    results(shader, ResultForm::Json, outputs)
}

/// All results as one block.
fn results(shader: &Shader, form: ResultForm, outputs: &Outputs) -> String {
    let mut all = ResultText::new(shader, form);
    let mut out = all.rows(0, outputs);
    all.note(outputs);
    // A text takes everything.
    let _ = all.end(outputs, &mut out);
    out
}

/// How results are written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultForm {
    /// As [`results_json`].
    Json,
    /// As [`results_hex`].
    Hex,
}

/// Writes the results of a batch that ran in [blocks](crate::runfile::blocks): the text of the [rows](Self::rows) of all
/// blocks, in order, and the [end](Self::end) are together what [`results_json`] or [`results_hex`] gives for all at once.
/// It keeps two bits for each invocation.
#[derive(Clone, Debug)]
pub struct ResultText<'s> {
    shader: &'s Shader,
    form: ResultForm,
    count: usize,
    killed: Flags,
    exhausted: Flags,
    barriers: Vec<DivergentBarrier>,
}

/// A truth value an invocation, in words of 64.
#[derive(Clone, Debug, Default)]
struct Flags(Vec<u64>);

impl Flags {
    fn extend(&mut self, from: usize, flags: &[bool]) {
        self.0.resize((from + flags.len()).div_ceil(64), 0);
        for (i, _) in (from..).zip(flags).filter(|(_, flag)| **flag) {
            if let Some(word) = self.0.get_mut(i / 64) {
                *word |= 1 << (i % 64);
            }
        }
    }

    fn get(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
}

impl<'s> ResultText<'s> {
    /// The results of a shader.
    pub fn new(shader: &'s Shader, form: ResultForm) -> Self {
        let (killed, exhausted) = (Flags::default(), Flags::default());
        Self { shader, form, count: 0, killed, exhausted, barriers: Vec::new() }
    }

    /// What is said of each invocation of a block, which has `first` invocations in front of it. It does not depend on other
    /// blocks.
    pub fn rows(&self, first: usize, outputs: &Outputs) -> String {
        match self.form {
            ResultForm::Json => rows_json(self.shader, first, outputs),
            ResultForm::Hex => rows_hex(self.shader, first, outputs),
        }
    }

    /// Takes note of what is said of a block at the end. Blocks come in order.
    pub fn note(&mut self, outputs: &Outputs) {
        self.killed.extend(self.count, &outputs.killed);
        self.exhausted.extend(self.count, &outputs.exhausted);
        let room = Outputs::MOST_BARRIERS.saturating_sub(self.barriers.len());
        let barriers = outputs.barriers.iter().take(room);
        self.barriers
            .extend(barriers.map(|b| DivergentBarrier { first: b.first + self.count, step: b.step }));
        self.count += outputs.killed.len();
    }

    /// The barriers to which not all invocations of a group came, of all blocks.
    pub fn barriers(&self) -> &[DivergentBarrier] {
        &self.barriers
    }

    /// What is said behind the rows: of what the last block left in memory, too.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn end(&self, last: &Outputs, out: &mut dyn fmt::Write) -> fmt::Result {
        let shader = self.shader;
        let mut text = String::new();
        if self.form == ResultForm::Hex {
            patches_hex(shader, last, &mut text);
            let constants = written_constants(shader, last);
            if !constants.is_empty() {
                let list = constants
                    .iter()
                    .map(|(name, [x, y, z, w])| format!("{name} {x:08x} {y:08x} {z:08x} {w:08x}"));
                text.push_str(&list.collect::<Vec<String>>().join(" "));
                text.push('\n');
            }
            memory::results_hex(shader, last, &self.barriers, &mut text);
            return out.write_str(&text);
        }
        if shader.stage != Stage::Geometry {
            let rows = if shader.stage == Stage::Compute { 0 } else { self.count };
            text.push_str(if rows == 0 { "]" } else { "\n  ]" });
        }
        patches_json(shader, last, &mut text);
        out.write_str(&text)?;
        for (name, flags) in [("killed", &self.killed), ("exhausted", &self.exhausted)] {
            write!(out, ",\n  \"{name}\": [")?;
            for i in 0..self.count {
                out.write_str(if i > 0 { ", " } else { "" })?;
                out.write_str(if flags.get(i) { "true" } else { "false" })?;
            }
            out.write_str("]")?;
        }
        text.clear();
        let constants = written_constants(shader, last);
        if !constants.is_empty() {
            text.push_str(",\n  \"constants\": {");
            for (k, (name, [x, y, z, w])) in constants.iter().enumerate() {
                text.push_str(if k == 0 { "\n    " } else { ",\n    " });
                push_json_string(&mut text, name);
                let _ = write!(text, ": [\"0x{x:08x}\", \"0x{y:08x}\", \"0x{z:08x}\", \"0x{w:08x}\"]");
            }
            text.push_str("\n  }");
        }
        memory::results_json(shader, last, &self.barriers, &mut text);
        text.push_str("\n}\n");
        out.write_str(&text)
    }
}

/// The start of the results, and the rows of a block.
fn rows_json(shader: &Shader, first: usize, outputs: &Outputs) -> String {
    let mut out = String::new();
    if first == 0 {
        out.push_str("{\n  ");
        if shader.stage == Stage::Geometry {
            streams_json(&mut out, shader, outputs);
            return out;
        }
        out.push_str("\"outputs\": [");
    }
    // Programs that have none are for what they leave in memory.
    let count = if shader.stage == Stage::Compute { 0 } else { outputs.killed.len() };
    for i in 0..count {
        out.push_str(if first + i == 0 { "\n    {" } else { ",\n    {" });
        let cells = outputs.cells.iter().zip(&shader.outputs).filter(|(_, o)| !o.kind.is_of_patch());
        cells_json(&mut out, cells.map(|(cell, output)| (output, cell.get(i).copied())));
        out.push('}');
    }
    out
}

/// What patches have as a whole.
fn patches_json(shader: &Shader, outputs: &Outputs, out: &mut String) {
    let patches = patches(shader, outputs);
    if patches == 0 {
        return;
    }
    out.push_str(",\n  \"patches\": [");
    for i in 0..patches {
        out.push_str(if i == 0 { "\n    {" } else { ",\n    {" });
        let cells = outputs.cells.iter().zip(&shader.outputs).filter(|(_, o)| o.kind.is_of_patch());
        cells_json(out, cells.map(|(cell, output)| (output, cell.get(i).copied())));
        out.push('}');
    }
    out.push_str("\n  ]");
}

/// The bits of cells by their names.
fn cells_json<'a>(out: &mut String, cells: impl Iterator<Item = (&'a Output, Option<[u32; 4]>)>) {
    for (k, (output, bits)) in cells.enumerate() {
        if k > 0 {
            out.push_str(", ");
        }
        push_json_string(out, &output.name);
        let [x, y, z, w] = bits.unwrap_or_default();
        let _ = write!(out, ": [\"0x{x:08x}\", \"0x{y:08x}\", \"0x{z:08x}\", \"0x{w:08x}\"]");
    }
}

/// The primitives of a geometry program.
fn streams_json(out: &mut String, shader: &Shader, outputs: &Outputs) {
    out.push_str("\"streams\": [");
    for (n, stream) in outputs.streams.iter().enumerate() {
        out.push_str(if n == 0 { "\n    [" } else { ",\n    [" });
        for (k, primitive) in stream.iter().enumerate() {
            out.push_str(if k == 0 { "\n      " } else { ",\n      " });
            let _ = write!(out, "{{\"invocation\": {}, \"vertices\": [", primitive.invocation);
            for (k, vertex) in primitive.vertices.iter().enumerate() {
                out.push_str(if k == 0 { "\n        {" } else { ",\n        {" });
                cells_json(
                    out,
                    shader.outputs.iter().zip(vertex).map(|(output, bits)| (output, Some(*bits))),
                );
                out.push('}');
            }
            out.push_str("]}");
        }
        out.push(']');
    }
    out.push_str(if outputs.streams.is_empty() { "]" } else { "\n  ]" });
}

/// The number of patches whose outputs came out.
fn patches(shader: &Shader, outputs: &Outputs) -> usize {
    let of_patch = shader.outputs.iter().zip(&outputs.cells).filter(|(output, _)| output.kind.is_of_patch());
    of_patch.map(|(_, cell)| cell.len()).max().unwrap_or(0)
}

/// The names and the final bits of the constants that a serial shader writes, in order.
fn written_constants(shader: &Shader, outputs: &Outputs) -> Vec<(String, [u32; 4])> {
    let mut written: Vec<(u32, u32)> = Vec::new();
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::StoreParam { array, index, .. } => written.push((array.0, index)),
        Op::StoreParamAt { array, .. } => {
            let size = shader.params.get(array.index()).map_or(0, |p| p.size);
            written.extend((0..size).map(|index| (array.0, index)));
        }
        _ => {}
    });
    written.sort_unstable();
    written.dedup();
    let value = |(array, index): (u32, u32)| {
        let bits = outputs.params.get(array as usize)?.get(index as usize)?;
        Some((shader.param_name(ParamId(array), index), *bits))
    };
    written.into_iter().filter_map(value).collect()
}

/// The results of a run, one line an invocation: each output register's name and the bits of its four lanes, eight
/// hexadecimal digits each, then `killed` and `exhausted` where they hold, all separated by blanks; of a compute shader a
/// line `invocation N exhausted` where that holds. Where invocations
/// run one after another and write constants, a last line has what those hold after the run. Then comes a line for each
/// buffer and image with the words that it holds after the run, and one for each barrier to which not all came.
///
/// Behind the invocations of patches stands a line a patch: `patch`, its number, and what it has as a whole. A geometry
/// program has a line a vertex, `stream S primitive P vertex V` in front, with the numbers counted in what they are part of;
/// of its invocations only those are named, as `invocation I`, that something is to be said of.
pub fn results_hex(shader: &Shader, outputs: &Outputs) -> String {
    results(shader, ResultForm::Hex, outputs)
}

/// An output and its lanes.
fn push_hex(out: &mut String, output: &Output, [x, y, z, w]: [u32; 4]) {
    let _ = write!(out, " {} {x:08x} {y:08x} {z:08x} {w:08x}", output.name);
}

fn rows_hex(shader: &Shader, first: usize, outputs: &Outputs) -> String {
    let mut out = String::new();
    for (s, stream) in outputs.streams.iter().enumerate() {
        for (p, primitive) in stream.iter().enumerate() {
            for (v, vertex) in primitive.vertices.iter().enumerate() {
                let _ = write!(out, "stream {s} primitive {p} vertex {v}");
                shader
                    .outputs
                    .iter()
                    .zip(vertex)
                    .for_each(|(output, bits)| push_hex(&mut out, output, *bits));
                out.push('\n');
            }
        }
    }
    let geometry = shader.stage == Stage::Geometry;
    for i in 0..outputs.killed.len() {
        let of = |flags: &[bool]| flags.get(i).copied().unwrap_or_default();
        let start = out.len();
        if geometry {
            if !of(&outputs.killed) && !of(&outputs.exhausted) {
                continue;
            }
            let _ = write!(out, " invocation {}", first + i);
        } else {
            for (cell, output) in outputs.cells.iter().zip(&shader.outputs) {
                if !output.kind.is_of_patch() {
                    push_hex(&mut out, output, cell.get(i).copied().unwrap_or_default());
                }
            }
        }
        for (name, flags) in [("killed", &outputs.killed), ("exhausted", &outputs.exhausted)] {
            if flags.get(i).copied().unwrap_or_default() {
                let _ = write!(out, " {name}");
            }
        }
        if shader.stage == Stage::Compute {
            if out.len() > start {
                out.insert_str(start, &format!("invocation {}", first + i));
                out.push('\n');
            }
            continue;
        }
        if out.len() > start {
            out.remove(start);
        }
        out.push('\n');
    }
    out
}

fn patches_hex(shader: &Shader, outputs: &Outputs, out: &mut String) {
    for i in 0..patches(shader, outputs) {
        let _ = write!(out, "patch {i}");
        for (cell, output) in outputs.cells.iter().zip(&shader.outputs) {
            if output.kind.is_of_patch() {
                push_hex(out, output, cell.get(i).copied().unwrap_or_default());
            }
        }
        out.push('\n');
    }
}
