//! Regions, stores and exits.

use super::vertices::levels;
use super::{
    Body, Language, Local, NONE, Open, Shape, Spelling, WIDTH, identifier, is_single, is_whole, renamed,
};
use crate::common::{Prec, push_u32};
use crate::plan::Form;
use crate::rules::refused;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{
    Arg, Args, Block, If, Inst, Label, Loop, Node, Op, OutputId, Region, Scalar, Switch, Type, Value,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

impl<'a, L: Language> Body<'a, '_, L> {
    /// Whether a fence adds nothing: a barrier of the workgroup comes next, or the end of the shader.
    fn is_idle_fence(&self, region: &Region, rest: &[Node]) -> bool {
        let quiet =
            |node: &&Node| matches!(node, Node::Inst(inst) if matches!(inst.op, Op::Const(_) | Op::Mark(_)));
        match rest.iter().find(|node| !quiet(node)) {
            Some(Node::Inst(inst)) => inst.op == Op::Barrier,
            Some(_) => false,
            None => core::ptr::eq(region, &self.shader.body),
        }
    }

    /// Writes the statements of a region. Tells whether its end is reached.
    pub(super) fn nodes(&mut self, region: &'a Region) -> Result<bool, Diagnostic> {
        for (at, node) in region.nodes.iter().enumerate() {
            let rest = &region.nodes[at + 1..];
            let goes_on = match node {
                Node::Inst(inst) if inst.op == Op::Fence && self.is_idle_fence(region, rest) => true,
                Node::Inst(inst) => {
                    self.inst(inst, rest);
                    true
                }
                Node::If(node) => self.branch(node)?,
                Node::Block(node) => {
                    self.block(node)?;
                    true
                }
                Node::Loop(node) => {
                    self.repeat(node)?;
                    true
                }
                Node::Switch(node) => self.switch(node)?,
                // Put in its place before.
                Node::Idiom(_) => true,
                Node::Leave { label, values } => {
                    self.leave(*label, *values);
                    false
                }
                Node::Again { label, values } => {
                    self.again(*label, *values);
                    false
                }
            };
            if !goes_on {
                // What cannot be reached is not written: its `if`s are passed over in the plan.
                self.pass_over(count_ifs(rest));
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the next `count` `if`s from the plan.
    pub(super) fn pass_over(&mut self, count: usize) {
        let left = self.plan.ifs.len().saturating_sub(count);
        self.plan.ifs.truncate(left);
    }

    pub(super) fn inst(&mut self, inst: &'a Inst, rest: &[Node]) {
        let shader = self.shader;
        let args = shader.args(inst.args);
        match (inst.op, inst.result) {
            (Op::StoreOutput { output, mask }, _) => {
                if let Some(arg) = args.first() {
                    self.store(inst, output, mask, *arg, rest);
                }
            }
            (Op::EmitVertex { stream }, _) => {
                self.write_source(inst.step as usize);
                self.write_vertex(stream, rest);
            }
            (Op::EndPrimitive { stream }, _) => {
                self.write_source(inst.step as usize);
                L::emit_vertex(self, stream, true);
            }
            (Op::Demote, _) => {
                self.write_source(inst.step as usize);
                let Some(arg) = args.first() else { return };
                self.line();
                self.out.push_str("if (");
                self.arg(*arg, Shape::Loose, Prec::Lowest);
                self.out.push_str(") {\n");
                self.indent += 1;
                self.line();
                self.out.push_str(L::DISCARD);
                let note = L::note_discard(self);
                if !note.is_empty() {
                    self.line();
                    self.out.push_str(note);
                }
                self.indent -= 1;
                self.line();
                self.out.push_str("}\n");
            }
            (_, Some(result)) => {
                let Some(value) = self.plan.values.get(result.index()) else { return };
                if !inst.op.is_pure() {
                    self.write_source(inst.step as usize);
                    if !L::change_memory(self, inst) {
                        self.cannot(inst.op);
                    }
                    return;
                }
                if value.uses == 0 || value.folded {
                    return;
                }
                self.write_source(inst.step as usize);
                self.name(result);
                self.line();
                // What is computed by integers is exact.
                let precise = inst.arith.precise && !self.soft.has(self.ty(result).scalar);
                if let (true, Some(word)) = (precise, self.lang.precise()) {
                    self.out.push_str(word);
                }
                self.declare(self.ty(result), true);
                self.push_name(result);
                self.out.push_str(" = ");
                self.write_wrapped(|this| this.operation(inst, Prec::Lowest), Some(inst));
                self.out.push_str(";\n");
            }
            (Op::Mark(_), _) => {}
            (op, None) => {
                self.write_source(inst.step as usize);
                if !self.store_indexed(inst) && !L::change_memory(self, inst) {
                    self.cannot(op);
                }
            }
        }
    }

    /// Writes an expression by `write`; if the line gets too long and the expression is a vector put together from
    /// parts, writes the parts on lines of their own.
    pub(super) fn write_wrapped(&mut self, write: impl Fn(&mut Self), inst: Option<&'a Inst>) {
        let start = self.out.len();
        write(self);
        let column = self.out.len() - self.out[..start].rfind('\n').map_or(0, |at| at + 1);
        if column <= WIDTH {
            return;
        }
        let Some(inst) = inst.filter(|inst| inst.op == Op::Compose) else { return };
        let Some(result) = inst.result else { return };
        self.out.truncate(start);
        self.out.push_str(self.type_name(self.ty(result)));
        self.out.push_str("(\n");
        self.indent += 1;
        let parts = self.plan.written(inst);
        for (n, arg) in parts.iter().enumerate() {
            self.line();
            self.part(*arg);
            // A list of C ends without a comma.
            self.out.push_str(if L::C && n + 1 == parts.len() { "\n" } else { ",\n" });
        }
        self.indent -= 1;
        self.line();
        self.out.push(')');
    }

    /// The instruction behind an argument that stands for the whole of a folded value.
    pub(super) fn behind(&mut self, arg: Arg) -> Option<&'a Inst> {
        let arg = self.plan.resolve(arg);
        let value = self.plan.values.get(arg.value.index())?;
        let whole = arg.lanes == value.lanes && is_whole(value.extent(), arg);
        value.def.filter(|_| value.folded && whole)
    }

    pub(super) fn store(
        &mut self,
        inst: &'a Inst,
        output: OutputId,
        mask: WriteMask,
        arg: Arg,
        rest: &[Node],
    ) {
        let at = output.index();
        let Some(cell) = self.plan.cells.get(at) else { return };
        if !cell.wanted {
            return;
        }
        let Some(info) = self.shader.outputs.get(at) else { return };
        if !cell.is_whole() {
            self.write_source(inst.step as usize);
            self.line();
            return self.store_lanes(at, mask, arg);
        }
        if !cell.last.is_some_and(|last| core::ptr::eq(last, inst)) {
            return;
        }
        let lanes = cell.lanes;
        self.write_source(inst.step as usize);
        self.line();
        let (scalar, single) = (info.scalar, is_single(info.kind));
        if let Some(count) = levels(info.kind) {
            let name = self.cells[at].name.name.clone();
            return self.store_levels(&name, count, WriteMask::ALL, |this| {
                this.cell(lanes, info.init, (scalar, false));
            });
        }
        if self.cells[at].name.is_empty() {
            // The only result: it is given back here if nothing else follows.
            if self.open.is_empty() && rest.iter().all(|node| self.is_silent(node)) {
                self.out.push_str("return ");
                self.returned = true;
            } else {
                let name = identifier(renamed(self.renames, &info.name));
                let name = self.names.take(name, L::is_word);
                self.declare(Type::new(info.scalar, 4), true);
                self.out.push_str(&name);
                self.cells[at].name = Spelling::plain(name);
                self.out.push_str(" = ");
                self.cell(lanes, info.init, (scalar, false));
                return self.out.push_str(";\n");
            }
        } else {
            self.cells[at].name.push(&mut self.out);
            self.out.push_str(" = ");
        }
        self.cell(lanes, info.init, (scalar, single));
        self.out.push_str(";\n");
    }

    /// Whether a node behind the last store writes nothing.
    pub(super) fn is_silent(&self, node: &Node) -> bool {
        match node {
            Node::Inst(inst) => match inst.result {
                Some(value) => {
                    let value = self.plan.values.get(value.index());
                    inst.op.is_pure() && value.is_none_or(|v| v.uses == 0 || v.folded)
                }
                None => matches!(inst.op, Op::StoreOutput { .. }),
            },
            _ => false,
        }
    }

    /// Writes a whole output: each run of lanes from one value, and initial bits where nothing was stored.
    pub(super) fn cell(
        &mut self,
        lanes: [Option<(Value, u8)>; 4],
        init: [u32; 4],
        (scalar, single): (Scalar, bool),
    ) {
        if single {
            return match lanes[0] {
                Some((value, lane)) => self.arg(Arg::lane(value, lane), Shape::Loose, Prec::Lowest),
                None => self.bits(scalar, &init[..1]),
            };
        }
        if let Some(arg) = run(&lanes, 0, 4) {
            let behind = self.behind(arg);
            return self.write_wrapped(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
        }
        let start = self.out.len();
        for broken in [false, true] {
            self.out.push_str(L::type_name(Type::new(scalar, 4)));
            self.out.push('(');
            self.indent += usize::from(broken);
            let mut at = 0;
            while at < 4 {
                if broken {
                    self.out.push('\n');
                    self.line();
                } else if at > 0 {
                    self.out.push_str(", ");
                }
                let mut len = 1;
                match lanes[at] {
                    None => self.bits(scalar, &init[at..=at]),
                    Some((value, _)) => {
                        while at + len < 4 && lanes[at + len].is_some_and(|(v, _)| v == value) {
                            len += 1;
                        }
                        if let Some(arg) = run(&lanes, at, len) {
                            self.part(arg);
                        }
                    }
                }
                at += len;
                if broken && !(L::C && at == 4) {
                    self.out.push(',');
                }
            }
            self.indent -= usize::from(broken);
            if broken {
                self.out.push('\n');
                self.line();
            }
            self.out.push(')');
            let column = self.out.len() - self.out[..start].rfind('\n').map_or(0, |at| at + 1);
            if broken || column <= WIDTH {
                return;
            }
            self.out.truncate(start);
        }
    }

    /// Stores lanes into the variable of an output.
    pub(super) fn store_lanes(&mut self, at: usize, mask: WriteMask, arg: Arg) {
        let Some(output) = self.shader.outputs.get(at) else { return };
        let cell = core::mem::take(&mut self.cells[at].name);
        if let Some(count) = levels(output.kind) {
            self.store_levels(&cell.name, count, mask, |this| this.arg(arg, Shape::Exact, Prec::Lowest));
        } else if self.cells[at].single {
            cell.push(&mut self.out);
            self.out.push_str(" = ");
            if mask.has(0) {
                self.arg(lanes_of(arg, 0, 1), Shape::Loose, Prec::Lowest);
            } else {
                cell.push(&mut self.out);
            }
            self.out.push_str(";\n");
        } else {
            self.store_cell(&cell, output.scalar, mask, arg);
        }
        self.cells[at].name = cell;
    }

    /// Writes a switch. Tells whether what follows it is reached.
    fn switch(&mut self, node: &'a Switch) -> Result<bool, Diagnostic> {
        let Some(plan) = self.plan.ifs.pop() else { return Ok(true) };
        if plan.form == Form::Dead {
            self.pass_over(plan.inner as usize);
            return Ok(true);
        }
        self.variables(&node.results, None);
        if self.lang.is_old() {
            return self.chain(node);
        }
        let scalar = self.ty(node.selector.value).scalar;
        self.line();
        self.out.push_str("switch (");
        self.arg(node.selector, Shape::Loose, Prec::Lowest);
        self.out.push_str(") {\n");
        self.indent += 1;
        self.open.push(Open { label: None, is_loop: false, results: &[], params: &[], through: Vec::new() });
        let mut goes_on = false;
        for (numbers, region) in &node.cases {
            self.line();
            self.out.push_str("case ");
            for (n, bits) in numbers.iter().enumerate() {
                if n > 0 {
                    self.out.push_str(if L::C { ": case " } else { ", " });
                }
                self.number(scalar, *bits, Prec::Lowest);
            }
            self.out.push_str(": {\n");
            goes_on |= self.case(region, &node.results)?;
        }
        self.line();
        self.out.push_str("default: {\n");
        goes_on |= self.case(&node.default, &node.results)?;
        // An exit that passes through comes out behind it.
        let passes = self.open.last().is_some_and(|open| !open.through.is_empty());
        self.exit();
        Ok(goes_on || passes)
    }

    /// Writes a switch as one `if` behind the other.
    fn chain(&mut self, node: &'a Switch) -> Result<bool, Diagnostic> {
        let scalar = self.ty(node.selector.value).scalar;
        let selector = self.fresh("selector");
        self.line();
        self.declare(Type::new(scalar, 1), true);
        self.out.push_str(&format!("{selector} = "));
        self.arg(node.selector, Shape::Loose, Prec::Lowest);
        self.out.push_str(";\n");
        let mut goes_on = false;
        self.line();
        for (numbers, region) in &node.cases {
            self.out.push_str("if (");
            for (n, bits) in numbers.iter().enumerate() {
                self.out.push_str(if n > 0 { " || " } else { "" });
                self.out.push_str(&format!("{selector} == "));
                self.number(scalar, *bits, Prec::Sum);
            }
            self.out.push_str(") {\n");
            goes_on |= self.arm(region, &node.results)?;
            self.line();
            self.out.push_str("} else ");
        }
        self.out.push_str("{\n");
        goes_on |= self.arm(&node.default, &node.results)?;
        self.line();
        self.out.push_str("}\n");
        Ok(goes_on)
    }

    /// Writes a case and its closing brace. Tells whether its end is reached.
    fn case(&mut self, region: &'a Region, results: &'a [Value]) -> Result<bool, Diagnostic> {
        let goes_on = self.arm(region, results)?;
        if L::C && goes_on {
            self.indent += 1;
            self.line();
            self.out.push_str("break;\n");
            self.indent -= 1;
        }
        self.line();
        self.out.push_str("}\n");
        Ok(goes_on)
    }

    /// Writes an `if`. Tells whether what follows it is reached.
    pub(super) fn branch(&mut self, node: &'a If) -> Result<bool, Diagnostic> {
        let Some(plan) = self.plan.ifs.pop() else { return Ok(true) };
        if plan.form == Form::Dead {
            self.pass_over(plan.inner as usize);
            return Ok(true);
        }
        let shader = self.shader;
        let (then, otherwise) = (shader.args(node.then.yields), shader.args(node.otherwise.yields));
        let live = |this: &Self, v: &Value| this.plan.values.get(v.index()).is_some_and(|u| u.uses > 0);
        if plan.form == Form::Choice {
            self.pass_over(plan.inner as usize);
            for (i, result) in node.results.iter().enumerate() {
                if !live(self, result) {
                    continue;
                }
                let (Some(then), Some(otherwise)) = (then.get(i), otherwise.get(i)) else { continue };
                let (then, otherwise) = (self.yielded(*result, *then), self.yielded(*result, *otherwise));
                self.name(*result);
                self.line();
                self.declare(self.ty(*result), true);
                self.push_name(*result);
                self.out.push_str(" = ");
                self.choose((then, otherwise, node.cond), Shape::Exact, (Prec::Lowest, Prec::Lowest));
                self.out.push_str(";\n");
            }
            return Ok(true);
        }
        let first = match plan.form {
            Form::Then => otherwise,
            Form::Otherwise => then,
            _ => &[],
        };
        for (i, result) in node.results.iter().enumerate() {
            if !live(self, result) {
                continue;
            }
            if let Some(earlier) = self.plan.values.get(result.index()).and_then(|v| v.continues) {
                if let Some(local) = self.locals.get(earlier.index()).copied() {
                    self.locals[result.index()] = local;
                    continue;
                }
            }
            self.name(*result);
            self.line();
            let ty = self.ty(*result);
            self.declare(ty, false);
            self.push_name(*result);
            match first.get(i) {
                Some(arg) => {
                    self.out.push_str(" = ");
                    let arg = self.yielded(*result, *arg);
                    self.arg(arg, Shape::Exact, Prec::Lowest);
                }
                None => self.declared(ty),
            }
            self.out.push_str(";\n");
        }
        self.line();
        self.out.push_str("if (");
        if plan.form == Form::Otherwise {
            self.out.push('!');
            self.arg(node.cond, Shape::Loose, Prec::Postfix);
        } else {
            self.arg(node.cond, Shape::Loose, Prec::Lowest);
        }
        self.out.push_str(") {\n");
        // `if`s are taken from the plan in program order: both arms are walked, written or not.
        let mut goes_on = plan.form != Form::Both;
        if plan.form == Form::Otherwise {
            self.nodes(&node.then)?;
        } else {
            goes_on |= self.arm(&node.then, &node.results)?;
        }
        let before = self.out.len();
        if plan.form == Form::Both {
            self.line();
            self.out.push_str("} else {\n");
        }
        let start = self.out.len();
        if plan.form == Form::Then {
            self.nodes(&node.otherwise)?;
        } else {
            goes_on |= self.arm(&node.otherwise, &node.results)?;
        }
        if plan.form == Form::Both && self.out.len() == start {
            self.out.truncate(before);
        }
        self.line();
        self.out.push_str("}\n");
        Ok(goes_on)
    }

    /// Writes an arm and the assignments of what it yields. Tells whether its end is reached.
    pub(super) fn arm(&mut self, region: &'a Region, results: &'a [Value]) -> Result<bool, Diagnostic> {
        self.indent += 1;
        let goes_on = self.nodes(region)?;
        if goes_on {
            self.assign(results, region.yields);
        }
        self.indent -= 1;
        Ok(goes_on)
    }

    /// Assigns `values` to the variables of `targets`. The new value of one may be made from the old one of another.
    pub(super) fn assign(&mut self, targets: &[Value], values: Args) {
        let shader = self.shader;
        let mut pairs: Vec<(Local, Arg)> = Vec::new();
        let mut takes_over = false;
        for (target, arg) in targets.iter().zip(shader.args(values)) {
            let Some(plan) = self.plan.values.get(target.index()) else { continue };
            if plan.uses == 0 {
                continue;
            }
            takes_over |= plan.continues.is_some();
            let arg = self.yielded(*target, *arg);
            let Some(local) = self.locals.get(target.index()).copied() else { continue };
            if !self.is_named(arg, local) {
                pairs.push((local, arg));
            }
        }
        // Only a variable taken over can be read here.
        let mut early = vec![None; if takes_over { pairs.len() } else { 0 }];
        for (j, early) in early.iter_mut().enumerate() {
            let (target, arg) = pairs[j];
            if !pairs[..j].iter().any(|(earlier, _)| self.reads(arg, *earlier)) {
                continue;
            }
            let Some(base) = self.bases.get_mut(target.base as usize) else { continue };
            let local = Local { base: target.base, serial: base.next };
            base.next += 1;
            *early = Some(local);
            self.line();
            let scalar = self.scalar_of(arg);
            self.declare(Type::new(scalar, arg.lanes), true);
            self.push_local(local);
            self.out.push_str(" = ");
            self.arg(arg, Shape::Exact, Prec::Lowest);
            self.out.push_str(";\n");
        }
        for (j, (target, arg)) in pairs.into_iter().enumerate() {
            match early.get(j) {
                Some(Some(local)) => {
                    self.line();
                    self.push_local(target);
                    self.out.push_str(" = ");
                    self.push_local(*local);
                    self.out.push_str(";\n");
                }
                _ => self.set(target, arg),
            }
        }
    }

    fn set(&mut self, target: Local, arg: Arg) {
        self.line();
        self.push_local(target);
        self.out.push_str(" = ");
        let behind = self.behind(arg);
        self.write_wrapped(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
        self.out.push_str(";\n");
    }

    /// Whether an argument is all of the variable `local`.
    pub(super) fn is_named(&mut self, arg: Arg, local: Local) -> bool {
        let arg = self.plan.resolve(arg);
        let named = self.locals.get(arg.value.index()).is_some_and(|l| l.base != NONE && *l == local);
        let value = self.plan.values.get(arg.value.index());
        named && value.is_some_and(|value| arg.lanes == value.lanes && is_whole(value.extent(), arg))
    }

    /// Whether the text of an argument reads the variable `local`.
    fn reads(&mut self, arg: Arg, local: Local) -> bool {
        let mut found = Vec::new();
        self.variables_of(arg, &mut found);
        found.contains(&local)
    }

    /// The variables that the text of an argument reads.
    fn variables_of(&mut self, arg: Arg, found: &mut Vec<Local>) {
        if self.plan.constant(arg).is_some() {
            return;
        }
        let arg = self.plan.resolve(arg);
        if let Some(local) = self.locals.get(arg.value.index()).filter(|l| l.base != NONE) {
            return found.push(*local);
        }
        let Some(def) = self.plan.values.get(arg.value.index()).and_then(|v| v.def) else { return };
        for arg in self.plan.written(def).iter() {
            self.variables_of(*arg, found);
        }
    }

    /// Assigns the parameters of the next round, each when no value of another one reads it any more. Values that read one
    /// another in a circle are computed first.
    fn assign_round(&mut self, params: &[Value], values: Args) {
        let shader = self.shader;
        let mut next: Vec<(Local, Value, Arg)> = Vec::new();
        for (param, arg) in params.iter().zip(shader.args(values)) {
            let live = self.plan.values.get(param.index()).is_some_and(|plan| plan.uses > 0);
            let Some(local) = self.locals.get(param.index()).copied() else { continue };
            if live && !self.is_named(*arg, local) {
                next.push((local, *param, *arg));
            }
        }
        let places: BTreeMap<Local, usize> =
            next.iter().zip(0..).map(|((local, ..), n)| (*local, n)).collect();
        // By parameter: the others that its value reads, and how many others read it.
        let mut reads: Vec<Vec<usize>> = Vec::with_capacity(next.len());
        let mut readers = vec![0u32; next.len()];
        for (n, (_, _, arg)) in next.iter().enumerate() {
            let mut found = Vec::new();
            self.variables_of(*arg, &mut found);
            let mut others: Vec<usize> = found
                .iter()
                .filter_map(|local| places.get(local).copied())
                .filter(|other| *other != n)
                .collect();
            others.sort_unstable();
            others.dedup();
            others.iter().for_each(|other| readers[*other] += 1);
            reads.push(others);
        }
        let mut ready: BTreeSet<usize> = (0..next.len()).filter(|n| readers[*n] == 0).collect();
        let mut left: BTreeSet<usize> = (0..next.len()).collect();
        while let Some(n) = ready.pop_first() {
            let (local, _, arg) = next[n];
            self.set(local, arg);
            left.remove(&n);
            for other in &reads[n] {
                readers[*other] -= 1;
                if readers[*other] == 0 {
                    ready.insert(*other);
                }
            }
        }
        if left.is_empty() {
            return;
        }
        let base = self.base("next".into());
        for &n in &left {
            let (_, param, arg) = next[n];
            self.line();
            self.declare(self.ty(param), true);
            self.push_serial(base, n);
            self.out.push_str(" = ");
            self.arg(arg, Shape::Exact, Prec::Lowest);
            self.out.push_str(";\n");
        }
        for &n in &left {
            self.line();
            self.push_local(next[n].0);
            self.out.push_str(" = ");
            self.push_serial(base, n);
            self.out.push_str(";\n");
        }
    }

    pub(super) fn push_serial(&mut self, base: u32, n: usize) {
        if let Some(base) = self.bases.get(base as usize) {
            self.out.push_str(&base.name);
        }
        self.out.push('_');
        push_u32(&mut self.out, n as u32);
    }

    /// Declares variables; those of `values` get their first ones.
    pub(super) fn variables(&mut self, targets: &[Value], values: Option<Args>) {
        let shader = self.shader;
        let args = values.map_or(&[][..], |v| shader.args(v));
        for (i, target) in targets.iter().enumerate() {
            if self.plan.values.get(target.index()).is_none_or(|v| v.uses == 0) {
                continue;
            }
            self.name(*target);
            self.line();
            let ty = self.ty(*target);
            self.declare(ty, false);
            self.push_name(*target);
            match args.get(i) {
                Some(arg) => {
                    self.out.push_str(" = ");
                    self.arg(*arg, Shape::Exact, Prec::Lowest);
                }
                None => self.declared(ty),
            }
            self.out.push_str(";\n");
        }
    }

    pub(super) fn flag(&mut self, label: Label, again: bool) {
        self.out.push_str(if again { "again_" } else { "leave_" });
        push_u32(&mut self.out, label.0);
    }

    pub(super) fn declare_flag(&mut self, label: Label, again: bool) {
        self.line();
        self.declare(Type::new(Scalar::Bool, 1), false);
        self.flag(label, again);
        self.out.push_str(" = false;\n");
    }

    pub(super) fn block(&mut self, node: &'a Block) -> Result<(), Diagnostic> {
        self.variables(&node.results, None);
        if self.plan.far_leaves.contains(&node.label) {
            self.declare_flag(node.label, false);
        }
        self.line();
        self.out.push_str(self.lang.loop_line(true));
        self.enter(node.label, false, &node.results, &[]);
        if self.nodes(&node.body)? {
            self.assign(&node.results, node.body.yields);
            self.line();
            self.out.push_str("break;\n");
        }
        self.exit();
        Ok(())
    }

    pub(super) fn repeat(&mut self, node: &'a Loop) -> Result<(), Diagnostic> {
        if let Some(rule) = L::REASONS.endless {
            let known =
                |cond: Arg| self.plan.constant(cond).filter(|_| L::FOLDS_CONDITIONS).map(|bits| bits[0] != 0);
            if !leaves(&node.body, node.label, &mut Vec::new(), &known).0 {
                return Err(refused(rule, format!("{} rejects a loop that is never left", L::NAME)));
            }
        }
        self.variables(&node.results, None);
        self.variables(&node.params, Some(node.init));
        if self.plan.far_leaves.contains(&node.label) {
            self.declare_flag(node.label, false);
        }
        self.line();
        self.out.push_str(self.lang.loop_line(false));
        self.enter(node.label, true, &node.results, &node.params);
        if self.plan.far_agains.contains(&node.label) {
            self.declare_flag(node.label, true);
        }
        if self.nodes(&node.body)? {
            self.assign_round(&node.params, node.body.yields);
        }
        self.exit();
        Ok(())
    }

    pub(super) fn enter(&mut self, label: Label, is_loop: bool, results: &'a [Value], params: &'a [Value]) {
        self.indent += 1;
        self.open.push(Open { label: Some(label), is_loop, results, params, through: Vec::new() });
    }

    /// Closes the innermost block or loop, and goes on with the exits that pass through it.
    pub(super) fn exit(&mut self) {
        self.indent -= 1;
        self.line();
        self.out.push_str("}\n");
        let Some(closed) = self.open.pop() else { return };
        for (label, again) in closed.through {
            self.line();
            self.out.push_str("if (");
            self.flag(label, again);
            self.out.push_str(") {\n");
            self.indent += 1;
            self.line();
            let here = self.open.last_mut().filter(|open| open.label == Some(label));
            self.out.push_str(if here.is_some() && again { "continue;\n" } else { "break;\n" });
            if let Some(open) = self.open.last_mut() {
                if open.label != Some(label) && !open.through.contains(&(label, again)) {
                    open.through.push((label, again));
                }
            }
            self.indent -= 1;
            self.line();
            self.out.push_str("}\n");
        }
    }

    pub(super) fn leave(&mut self, label: Label, values: Args) {
        let Some(at) = self.open.iter().rposition(|open| open.label == Some(label)) else { return };
        let results = self.open[at].results;
        self.assign(results, values);
        self.jump(at, false);
    }

    pub(super) fn again(&mut self, label: Label, values: Args) {
        let Some(at) = self.open.iter().rposition(|open| open.label == Some(label) && open.is_loop) else {
            return;
        };
        let params = self.open[at].params;
        self.assign_round(params, values);
        self.jump(at, true);
    }

    pub(super) fn jump(&mut self, at: usize, again: bool) {
        let Some(label) = self.open[at].label else { return };
        // One can go round from inside a switch, but not leave.
        let within = |open: &Open<'_>| again && L::CONTINUES_IN_SWITCH && open.label.is_none();
        let near = self.open[at + 1..].iter().all(within);
        if !near {
            self.line();
            self.flag(label, again);
            self.out.push_str(" = true;\n");
            if let Some(inner) = self.open.last_mut() {
                if !inner.through.contains(&(label, again)) {
                    inner.through.push((label, again));
                }
            }
        }
        self.line();
        self.out.push_str(if near && again { "continue;\n" } else { "break;\n" });
    }
}

/// Lanes `at..at + len` of an output as one argument, if all are of one value.
fn run(lanes: &[Option<(Value, u8)>; 4], at: usize, len: usize) -> Option<Arg> {
    let (value, first) = lanes[at]?;
    let mut swizzle = [first; 4];
    for i in 1..len {
        let (v, lane) = lanes[at + i]?;
        if v != value {
            return None;
        }
        swizzle[i] = lane;
    }
    let [x, y, z, w] = swizzle;
    Some(Arg { value, swizzle: Swizzle::new(x, y, z, w), lanes: len as u8 })
}

/// Lanes `at..at + len` of an argument.
pub(crate) fn lanes_of(arg: Arg, at: usize, len: usize) -> Arg {
    let lane = |i: usize| arg.swizzle.get(at + i.min(len - 1));
    Arg { value: arg.value, swizzle: Swizzle::new(lane(0), lane(1), lane(2), lane(3)), lanes: len as u8 }
}

/// Whether something in a region that is reached leaves it and the loop `own` that it is the body of, and whether
/// its end is reached. `inner` holds the labels inside; `known` tells the conditions that are.
fn leaves(
    region: &Region,
    own: Label,
    inner: &mut Vec<Label>,
    known: &dyn Fn(Arg) -> Option<bool>,
) -> (bool, bool) {
    let mut out = false;
    for node in &region.nodes {
        let goes_on = match node {
            Node::Leave { label, .. } => {
                out |= !inner.contains(label);
                false
            }
            Node::Again { label, .. } => {
                out |= *label != own && !inner.contains(label);
                false
            }
            Node::If(node) => {
                let mut end = false;
                for (region, wanted) in [(&node.then, true), (&node.otherwise, false)] {
                    if known(node.cond).is_none_or(|holds| holds == wanted) {
                        let (arm_out, arm_end) = leaves(region, own, inner, known);
                        out |= arm_out;
                        end |= arm_end;
                    }
                }
                end
            }
            Node::Block(node) => {
                out |= leaves_from(&node.body, node.label, own, (inner, known));
                true
            }
            Node::Loop(node) => {
                out |= leaves_from(&node.body, node.label, own, (inner, known));
                true
            }
            Node::Switch(node) => {
                let mut end = false;
                for region in node.cases.iter().map(|(_, region)| region).chain([&node.default]) {
                    let (arm_out, arm_end) = leaves(region, own, inner, known);
                    out |= arm_out;
                    end |= arm_end;
                }
                end
            }
            Node::Inst(_) | Node::Idiom(_) => true,
        };
        if !goes_on {
            return (out, false);
        }
    }
    (out, true)
}

fn leaves_from(
    region: &Region,
    label: Label,
    own: Label,
    (inner, known): (&mut Vec<Label>, &dyn Fn(Arg) -> Option<bool>),
) -> bool {
    inner.push(label);
    let (out, _) = leaves(region, own, inner, known);
    inner.pop();
    out
}

/// Number of `if`s and switches in nodes, also nested ones.
fn count_ifs(nodes: &[Node]) -> usize {
    nodes.iter().fold(0, |n, node| {
        n + match node {
            Node::If(node) => 1 + count_ifs(&node.then.nodes) + count_ifs(&node.otherwise.nodes),
            Node::Block(node) => count_ifs(&node.body.nodes),
            Node::Loop(node) => count_ifs(&node.body.nodes),
            Node::Switch(node) => {
                let arms = node.cases.iter().map(|(_, region)| region).chain([&node.default]);
                1 + arms.map(|region| count_ifs(&region.nodes)).sum::<usize>()
            }
            Node::Inst(_) | Node::Idiom(_) | Node::Leave { .. } | Node::Again { .. } => 0,
        }
    })
}
