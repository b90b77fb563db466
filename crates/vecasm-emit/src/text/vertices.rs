//! Stages with vertices: what comes in for each of them, cells that other invocations see, vertices that are given one by
//! one.

use super::{Body, Language, Shape};
use crate::common::{Prec, push_i32};
use crate::emits::EmittedVertices;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, At, InputId, Node, Op, OutOfRange, OutputId, OutputKind, Scalar, Stage, Type};
use vecasm_ir::operand::{LANES, WriteMask};

/// What stands for the number of the vertex in the spelling of what is there for each.
const VERTEX: char = '@';

/// How many levels an output of a tessellation control shader holds, which is an array of them.
pub(super) const fn levels(kind: OutputKind) -> Option<u8> {
    match kind {
        OutputKind::TessOuter => Some(4),
        OutputKind::TessInner => Some(2),
        _ => None,
    }
}

impl<'a, L: Language> Body<'a, '_, L> {
    /// Writes statements one step further in.
    #[cfg(feature = "glsl")]
    pub(crate) fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 1;
        write(self);
        self.indent -= 1;
    }

    /// Statements from here on stand one step further in.
    #[cfg(feature = "hlsl")]
    pub(crate) fn go_in(&mut self) {
        self.indent += 1;
    }

    /// Whether no region is open.
    #[cfg(feature = "glsl")]
    pub(crate) fn is_outermost(&self) -> bool {
        self.indent == 1
    }

    // What comes in for each vertex

    /// Writes the varying of a vertex.
    pub(super) fn input_of(&mut self, first: InputId, at: Option<At>, args: &[Arg]) {
        let Some(ty) = self.shader.inputs.get(first.index()).map(|input| input.ty) else { return };
        let count = self.outside.vertices_in.clone();
        let known = Some(self.shader.setup.vertices_in).filter(|n| *n > 0);
        let outside = self.outside;
        let of = move |n: usize| {
            let text = outside.inputs.get(n);
            text.map_or(String::new(), |text| format!("{}{}{}", text.before, text.name, text.after))
        };
        self.of_vertex((first.index(), at), args, (known, &count), (ty, &of));
    }

    /// Writes the cell of another vertex of the patch.
    pub(super) fn output_of(&mut self, first: OutputId, at: Option<At>, args: &[Arg]) {
        let Some(scalar) = self.shader.outputs.get(first.index()).map(|output| output.scalar) else { return };
        let known = Some(self.shader.setup.invocations.max(1));
        let outside = self.outside;
        let of = move |n: usize| outside.outputs_of.get(n).cloned().unwrap_or_default();
        self.of_vertex((first.index(), at), args, (known, ""), (Type::new(scalar, 4), &of));
    }

    /// Writes what there is of a vertex, or zero if there is no such vertex. `of` spells it by its number in the table.
    fn of_vertex(
        &mut self,
        (first, at): (usize, Option<At>),
        args: &[Arg],
        (known, count): (Option<u32>, &str),
        (ty, of): (Type, &dyn Fn(usize) -> String),
    ) {
        let Some(vertex) = args.first().copied() else { return };
        let number = self.plan.constant(vertex).map(|bits| bits[0]);
        if let (Some(number), Some(known)) = (number, known) {
            if number >= known {
                return self.zero(ty);
            }
        }
        let text = match number {
            Some(number) => format!("{number}"),
            None => self.aside(|this| this.arg(vertex, Shape::Loose, Prec::Lowest)),
        };
        let guard = match (number, known) {
            (Some(_), Some(_)) => None,
            // There is one vertex at least.
            (Some(0), None) => None,
            (Some(number), None) => Some(format!("{number}u < {count}")),
            (None, known) => {
                let uint = L::type_name(Type::U32);
                let count = known.map_or(String::from(count), |n| format!("{n}u"));
                Some(format!("{uint}({text}) < {count}"))
            }
        };
        if let Some(guard) = &guard {
            self.out.push_str(&format!("({guard} ? "));
        }
        let of = |n: usize| of(n).replace(VERTEX, &text);
        match (at, args.get(1).copied()) {
            (Some(at), Some(index)) => self.one_of(first, at, index, (ty, &of)),
            _ => self.out.push_str(&of(first)),
        }
        if guard.is_some() {
            self.out.push_str(" : ");
            self.zero(ty);
            self.out.push(')');
        }
    }

    /// Writes one of a run, by a computed index.
    pub(super) fn one_of(
        &mut self,
        first: usize,
        at: At,
        index: Arg,
        (ty, of): (Type, &dyn Fn(usize) -> String),
    ) {
        let last = at.count.saturating_sub(1);
        if let Some(bits) = self.plan.constant(index) {
            let wanted = i64::from(bits[0] as i32) + i64::from(at.offset);
            return match u32::try_from(wanted) {
                Ok(n) if n <= last => self.out.push_str(&of(first + n as usize)),
                _ if at.rule != OutOfRange::Clamp => self.zero(ty),
                n => self.out.push_str(&of(first + n.map_or(0, |_| last as usize))),
            };
        }
        let clamps = at.rule == OutOfRange::Clamp;
        self.out.push('(');
        for n in 0..at.count {
            // The sum of index and offset does not wrap; the difference on this side can only miss.
            let wanted = i64::from(n) - i64::from(at.offset);
            let Ok(number) = i32::try_from(wanted) else {
                if clamps && wanted > 0 {
                    self.out.push_str(&of(first + n as usize));
                    return self.out.push(')');
                }
                continue;
            };
            if clamps && n == last {
                break;
            }
            self.arg(index, Shape::Loose, Prec::Sum);
            self.out.push_str(if clamps { " <= " } else { " == " });
            push_i32(&mut self.out, number);
            self.out.push_str(&format!(" ? {} : ", of(first + n as usize)));
        }
        if clamps {
            self.out.push_str(&of(first + last as usize));
        } else {
            self.zero(ty);
        }
        self.out.push(')');
    }

    // Cells of a patch

    /// Writes the present value of one of a run of cells of a patch, which are variables of their own.
    pub(super) fn load_patch_at(&mut self, first: OutputId, at: At, index: Arg) {
        let scalar = self.shader.outputs.get(first.index()).map_or(Scalar::F32, |output| output.scalar);
        let run = self.cells.iter().skip(first.index()).take(at.count as usize);
        let names: Vec<String> =
            run.map(|cell| format!("{}{}{}", cell.name.before, cell.name.name, cell.name.after)).collect();
        let of = |n: usize| names.get(n - first.index()).cloned().unwrap_or_default();
        self.one_of(first.index(), at, index, (Type::new(scalar, 4), &of));
    }

    /// Stores lanes to one of such cells.
    pub(super) fn store_patch_at(
        &mut self,
        first: OutputId,
        at: At,
        mask: WriteMask,
        (index, value): (Arg, Arg),
    ) {
        let last = at.count.saturating_sub(1);
        let clamps = at.rule == OutOfRange::Clamp;
        let mut open = false;
        for n in 0..at.count {
            let wanted = i64::from(n) - i64::from(at.offset);
            let near = clamps && n == last;
            let number = match i32::try_from(wanted) {
                Ok(number) => number,
                Err(_) if clamps && wanted > 0 => i32::MAX,
                Err(_) if near => i32::MIN,
                Err(_) => continue,
            };
            self.line();
            if open {
                self.out.push_str("} else ");
            }
            if near {
                self.out.push_str("{\n");
            } else {
                self.out.push_str("if (");
                self.arg(index, Shape::Loose, Prec::Sum);
                self.out.push_str(if clamps { " <= " } else { " == " });
                push_i32(&mut self.out, number);
                self.out.push_str(") {\n");
            }
            open = true;
            self.indent += 1;
            self.line();
            self.store_lanes(first.index() + n as usize, mask, value);
            self.indent -= 1;
        }
        if open {
            self.line();
            self.out.push_str("}\n");
        }
    }

    /// Writes the levels that a patch has now, as four lanes.
    pub(super) fn load_levels(&mut self, name: &str, count: u8) {
        self.out.push_str(L::type_name(Type::F32X4));
        self.out.push('(');
        for n in 0..4 {
            self.out.push_str(if n > 0 { ", " } else { "" });
            if n < count {
                self.out.push_str(&format!("{name}[{n}]"));
            } else {
                self.out.push_str("0.0");
            }
        }
        self.out.push(')');
    }

    /// Writes statements that store levels: lane after lane of what `value` writes, which has a lane for each of the mask.
    /// The line has begun.
    pub(super) fn store_levels(&mut self, name: &str, count: u8, mask: WriteMask, value: impl Fn(&mut Self)) {
        let lanes = mask.count() as u8;
        let levels = self.fresh("levels");
        self.declare(Type::new(Scalar::F32, lanes), true);
        self.out.push_str(&levels);
        self.out.push_str(" = ");
        value(self);
        self.out.push_str(";\n");
        for (n, lane) in mask.lanes().enumerate().filter(|(_, lane)| *lane < usize::from(count)) {
            self.line();
            self.out.push_str(&format!("{name}[{lane}] = {levels}"));
            if lanes > 1 {
                self.out.push('.');
                self.out.push(LANES[n]);
            }
            self.out.push_str(";\n");
        }
    }

    // Vertices that are given one by one

    /// Declares the variable that counts vertices, if there may be too many.
    pub(super) fn count_vertices(&mut self) {
        if self.shader.stage != Stage::Geometry {
            return;
        }
        self.emits = EmittedVertices::of(&self.shader.body);
        if self.emits.may_exceed(self.shader.setup.max_vertices) {
            self.given = self.fresh("given");
            self.line();
            self.declare(Type::U32, false);
            let given = &self.given;
            self.out.push_str(&format!("{given} = 0u;\n"));
        }
    }

    /// Writes what gives a vertex; behind it stands `rest` in the region.
    pub(super) fn write_vertex(&mut self, stream: u8, rest: &[Node]) {
        self.emits.written += 1;
        let given = self.given.clone();
        if !given.is_empty() {
            self.line();
            let most = self.shader.setup.max_vertices;
            self.out.push_str(&format!("if ({given} < {most}u) {{\n"));
            self.indent += 1;
        }
        self.copy_runs();
        self.last_lines();
        L::emit_vertex(self, stream, false);
        // Behind the last one nobody sees what the cells hold.
        if self.emits.are_more() {
            let shader = self.shader;
            for n in 0..shader.outputs.len() {
                if self.plan.cells.get(n).is_some_and(|cell| cell.wanted) && !self.is_covered(n, rest) {
                    self.first_value(n);
                }
            }
        }
        if !given.is_empty() {
            self.line();
            self.out.push_str(&format!("{given} = {given} + 1u;\n"));
            self.indent -= 1;
            self.line();
            self.out.push_str("}\n");
        }
    }

    /// Writes what gives an output its first value.
    pub(crate) fn first_value(&mut self, n: usize) {
        let Some(output) = self.shader.outputs.get(n) else { return };
        let name = core::mem::take(&mut self.cells[n].name);
        let lanes = if self.cells[n].single { 1 } else { 4 };
        self.line();
        match levels(output.kind) {
            Some(count) => {
                for lane in 0..usize::from(count) {
                    if lane > 0 {
                        self.line();
                    }
                    self.out.push_str(&format!("{}[{lane}] = ", name.name));
                    self.bits(output.scalar, &output.init[lane..=lane]);
                    self.out.push_str(if lane + 1 < usize::from(count) { ";\n" } else { "" });
                }
            }
            None => {
                name.push(&mut self.out);
                self.out.push_str(" = ");
                self.bits(output.scalar, &output.init[..lanes]);
            }
        }
        self.out.push_str(";\n");
        self.cells[n].name = name;
    }

    /// Whether all lanes of an output are stored by the next nodes, before anything else sees them.
    pub(super) fn is_covered(&self, n: usize, nodes: &[Node]) -> bool {
        let wanted = if self.cells.get(n).is_some_and(|cell| cell.single) { 1 } else { 15 };
        let mut stored = 0;
        for node in nodes {
            let Node::Inst(inst) = node else { return false };
            match inst.op {
                Op::StoreOutput { output, mask } if output.index() == n => {
                    mask.lanes().for_each(|lane| stored |= 1 << lane);
                    if stored & wanted == wanted {
                        return true;
                    }
                }
                Op::LoadOutput(output) if output.index() == n => return false,
                Op::LoadOutputAt { .. } | Op::StoreOutputAt { .. } | Op::EmitVertex { .. } => return false,
                _ => {}
            }
        }
        false
    }
}
