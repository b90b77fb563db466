//! The entry point: statements and expressions.

use super::super::common::{Names, Prec, push_f32, push_i32, push_u32};
use super::super::plan::{Form, Plan, Use, trim};
use super::interface::{Interface, Results, type_name};
use super::words;
use crate::diag::Diagnostic;
use crate::ir::{
    Arg, Args, Block, Home, If, Inst, Label, Lod, Loop, Node, Op, OutOfRange, OutputId, OutputKind, Pure,
    Region, Scalar, Shader, Stage, Type, Value,
};
use crate::isa::operand::{LANES, Swizzle, WriteMask};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// A statement longer than this is broken where that is easy.
const WIDTH: usize = 100;
/// Marks a table entry that is not set.
const NONE: u32 = u32::MAX;

/// Functions that the written code calls.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// `bits_to_f32`
    bits: bool,
    /// `pow_ieee`, by lane count.
    pow: [bool; 5],
}

impl Helpers {
    /// Appends the functions that were called.
    pub(super) fn write(&self, out: &mut String) {
        for (lanes, used) in self.pow.iter().enumerate() {
            if *used {
                pow_helper(out, lanes as u8);
            }
        }
        if self.bits || self.pow.contains(&true) {
            // A call is no constant expression, so that NaN, infinities and denormals get through.
            out.push_str("\nfn bits_to_f32(bits: u32) -> f32 {\n    return bitcast<f32>(bits);\n}\n");
        }
    }
}

/// `pow` of IEEE 754: 1 for the exponent 0, the sign of an odd power, NaN for a negative finite base with a broken
/// exponent.
fn pow_helper(out: &mut String, lanes: u8) {
    let ty = |scalar| type_name(Type::new(scalar, lanes));
    let (float, uint) = (ty(Scalar::F32), ty(Scalar::U32));
    let splat = |ty: &str, value: &str| if lanes > 1 { format!("{ty}({value})") } else { value.to_string() };
    let suffix = if lanes > 1 { format!("_{lanes}") } else { String::new() };
    let (one, half, zero) = (splat(float, "1.0"), splat(float, "0.5"), splat(float, "0.0"));
    let nan = splat(float, "bits_to_f32(0x7fc00000u)");
    let sign = splat(uint, "0x80000000u");
    let lowest = splat(float, "-0x1.fffffep+127");
    out.push_str(&format!(
        "
fn pow_ieee{suffix}(base: {float}, exponent: {float}) -> {float} {{
    let magnitude = pow(abs(base), exponent);
    let negative = (bitcast<{uint}>(base) & {sign}) == {sign};
    let odd = fract(exponent * 0.5) == {half};
    let broken = (base < {zero}) & (base >= {lowest}) & (exponent != floor(exponent));
    let signed = select(magnitude, -magnitude, negative & odd);
    return select(select(signed, {nan}, broken), {one}, exponent == {zero});
}}
"
    ));
}

/// How an argument may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// With its own number of lanes.
    Exact,
    /// Equal lanes may be written as one: the other operand is a vector, or the operation is done on one lane.
    Loose,
}

/// The name of a value that has a statement of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Local {
    /// Which base name; [`NONE`] before the statement.
    base: u32,
    /// Which one of that name, from 0.
    serial: u32,
}

struct Base {
    name: String,
    next: u32,
}

/// An open block or loop.
struct Open<'a> {
    label: Label,
    is_loop: bool,
    results: &'a [Value],
    params: &'a [Value],
    /// Exits that pass through: the label, and whether it is gone round.
    through: Vec<(Label, bool)>,
}

/// Writes one entry point.
pub(super) struct Body<'a, 'm> {
    /// The text of each source instruction.
    pub(super) comments: &'m [String],
    /// New names of registers.
    pub(super) renames: &'m [(&'m str, &'m str)],
    out: String,
    shader: &'a Shader,
    plan: Plan<'a>,
    interface: &'m Interface,
    names: &'m mut Names,
    helpers: &'m mut Helpers,
    locals: Vec<Local>,
    bases: Vec<Base>,
    /// By register file and number: the base name.
    homes: Vec<Vec<u32>>,
    /// Base name of values without a register.
    plain: u32,
    /// By output: the variable.
    cells: Vec<String>,
    open: Vec<Open<'a>>,
    indent: usize,
    /// Source instructions whose text was written.
    told: usize,
    returned: bool,
}

impl<'a, 'm> Body<'a, 'm> {
    pub(super) fn new(
        out: String,
        shader: &'a Shader,
        plan: Plan<'a>,
        interface: &'m Interface,
        names: &'m mut Names,
        helpers: &'m mut Helpers,
    ) -> Self {
        Self {
            comments: &[],
            renames: &[],
            out,
            shader,
            locals: vec![Local { base: NONE, serial: 0 }; shader.values.len()],
            plan,
            interface,
            names,
            helpers,
            bases: Vec::with_capacity(16),
            homes: Vec::new(),
            plain: NONE,
            cells: Vec::new(),
            open: Vec::new(),
            indent: 1,
            told: 0,
            returned: false,
        }
    }

    /// Writes the function and hands the text back.
    pub(super) fn write(mut self, entry: &str) -> Result<String, Diagnostic> {
        let interface = self.interface;
        self.out.push_str(match self.shader.stage {
            Stage::Vertex => "@vertex\nfn ",
            _ => "@fragment\nfn ",
        });
        self.out.push_str(entry);
        self.out.push('(');
        if let Some(input) = &interface.input {
            self.out.push_str("in: ");
            self.out.push_str(input);
        }
        self.out.push(')');
        match &interface.results {
            Results::None => {}
            Results::One(text) | Results::Struct(text) => {
                self.out.push_str(" -> ");
                self.out.push_str(text);
            }
        }
        self.out.push_str(" {\n");
        self.cells();
        let shader = self.shader;
        self.nodes(&shader.body)?;
        self.tell(usize::MAX);
        if !self.returned {
            self.give_back();
        }
        self.out.push_str("}\n");
        Ok(self.out)
    }

    /// Declares the variables of output cells.
    fn cells(&mut self) {
        let interface = self.interface;
        if let Results::Struct(name) = &interface.results {
            self.line();
            self.out.push_str("var out: ");
            self.out.push_str(name);
            self.out.push_str(";\n");
        }
        self.cells = interface.outputs.clone();
        for (i, output) in self.shader.outputs.iter().enumerate() {
            let cell = &self.plan.cells[i];
            if !cell.wanted {
                continue;
            }
            let named = !self.cells[i].is_empty();
            let depth = output.kind == OutputKind::Depth && named;
            if cell.is_whole() {
                continue;
            }
            let init = output.init;
            if named {
                if init == [0; 4] {
                    continue;
                }
                self.line();
                let target = core::mem::take(&mut self.cells[i]);
                self.out.push_str(&target);
                self.cells[i] = target;
                self.out.push_str(" = ");
                self.bits(&init[..if depth { 1 } else { 4 }]);
            } else {
                let name = super::renamed(self.renames, &output.name);
                self.cells[i] = self.names.take(name, words::is_word);
                self.line();
                self.out.push_str("var ");
                self.out.push_str(&self.cells[i]);
                if init == [0; 4] {
                    self.out.push_str(": vec4f");
                } else {
                    self.out.push_str(" = ");
                    self.bits(&init);
                }
            }
            self.out.push_str(";\n");
        }
    }

    /// The `return` at the end.
    fn give_back(&mut self) {
        let interface = self.interface;
        match &interface.results {
            Results::None => {}
            Results::Struct(_) => self.out.push_str("    return out;\n"),
            Results::One(_) => {
                self.out.push_str("    return ");
                match interface.exported.iter().position(|exported| *exported) {
                    Some(i) if !self.cells[i].is_empty() => {
                        self.out.push_str(&self.cells[i]);
                        if self.shader.outputs[i].kind == OutputKind::Depth {
                            self.out.push_str(".x");
                        }
                    }
                    // Never written.
                    Some(i) if self.shader.outputs[i].kind == OutputKind::Depth => {
                        let init = self.shader.outputs[i].init;
                        self.bits(&init[..1]);
                    }
                    Some(i) => {
                        let init = self.shader.outputs[i].init;
                        self.bits(&init);
                    }
                    None => self.out.push_str("vec4f()"),
                }
                self.out.push_str(";\n");
            }
        }
    }

    // Lines

    fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    /// Writes the text of the source instructions up to `step`.
    fn tell(&mut self, step: usize) {
        let end = self.comments.len().min(step.saturating_add(1));
        while self.told < end {
            self.line();
            self.out.push_str("// ");
            // A line break would end the comment.
            let start = self.out.len();
            self.out.push_str(&self.comments[self.told]);
            if self.out[start..].contains(|c: char| c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c))
            {
                let text = self.out.split_off(start);
                let clean =
                    |c: char| if c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c) { ' ' } else { c };
                self.out.extend(text.chars().map(clean));
            }
            self.out.push('\n');
            self.told += 1;
        }
    }

    // Names

    /// Gives a value its name.
    fn name(&mut self, value: Value) {
        let home = self.shader.values.get(value.index()).and_then(|v| v.home);
        let base = match home {
            Some(home) => self.home(home),
            None => {
                if self.plain == NONE {
                    self.plain = self.base("t");
                }
                self.plain
            }
        };
        let Some(entry) = self.bases.get_mut(base as usize) else { return };
        let serial = entry.next;
        entry.next += 1;
        if let Some(local) = self.locals.get_mut(value.index()) {
            *local = Local { base, serial };
        }
    }

    fn home(&mut self, home: Home) -> u32 {
        let (file, index) = (usize::from(home.file), usize::from(home.index));
        if let Some(base) = self.homes.get(file).and_then(|f| f.get(index)) {
            if *base != NONE {
                return *base;
            }
        }
        let register = self.shader.home_name(home);
        let name = super::renamed(self.renames, &register).to_string();
        let base = self.base(&name);
        if self.homes.len() <= file {
            self.homes.resize(file + 1, Vec::new());
        }
        if self.homes[file].len() <= index {
            self.homes[file].resize(index + 1, NONE);
        }
        self.homes[file][index] = base;
        base
    }

    /// A base name that no other name starts with.
    fn base(&mut self, wanted: &str) -> u32 {
        let mut name = wanted.to_string();
        while words::is_word(&name)
            || self.names.touches(&name)
            || self.bases.iter().any(|b| b.name == name)
            || !super::super::common::is_identifier(&name)
        {
            // The suffix ends in a letter, so that numbers behind it stay apart.
            name.push_str(if name.is_empty() { "t" } else { "_r" });
            if name.len() > wanted.len() + 64 {
                name = String::from("t");
            }
        }
        self.bases.push(Base { name, next: 0 });
        self.bases.len() as u32 - 1
    }

    fn push_name(&mut self, value: Value) -> bool {
        self.locals.get(value.index()).copied().is_some_and(|local| self.push_local(local))
    }

    fn push_local(&mut self, local: Local) -> bool {
        let Some(base) = self.bases.get(local.base as usize) else { return false };
        self.out.push_str(&base.name);
        if local.serial > 0 {
            self.out.push('_');
            push_u32(&mut self.out, local.serial);
        }
        true
    }

    /// The type a value is written with.
    fn ty(&self, value: Value) -> Type {
        let scalar = self.shader.values.get(value.index()).map_or(Scalar::F32, |v| v.ty.scalar);
        Type::new(scalar, self.plan.values.get(value.index()).map_or(1, |v| v.lanes))
    }

    /// What is written for a value yielded to `target`.
    fn yielded(&self, target: Value, arg: Arg) -> Arg {
        trim(arg, self.plan.values.get(target.index()).map_or(15, |v| v.kept))
    }

    // Statements

    /// Writes the statements of a region. Tells whether its end is reached.
    fn nodes(&mut self, region: &'a Region) -> Result<bool, Diagnostic> {
        for (at, node) in region.nodes.iter().enumerate() {
            let rest = &region.nodes[at + 1..];
            let goes_on = match node {
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
    fn pass_over(&mut self, count: usize) {
        let left = self.plan.ifs.len().saturating_sub(count);
        self.plan.ifs.truncate(left);
    }

    fn inst(&mut self, inst: &'a Inst, rest: &[Node]) {
        let shader = self.shader;
        let args = shader.args(inst.args);
        match (inst.op, inst.result) {
            (Op::StoreOutput { output, mask }, _) => {
                if let Some(arg) = args.first() {
                    self.store(inst, output, mask, *arg, rest);
                }
            }
            (Op::Demote, _) => {
                self.tell(inst.step as usize);
                let Some(arg) = args.first() else { return };
                self.line();
                self.out.push_str("if (");
                self.arg(*arg, Shape::Loose, Prec::Lowest);
                self.out.push_str(") {\n");
                self.indent += 1;
                self.line();
                self.out.push_str("discard;\n");
                self.indent -= 1;
                self.line();
                self.out.push_str("}\n");
            }
            (_, Some(result)) => {
                let Some(value) = self.plan.values.get(result.index()) else { return };
                if value.uses == 0 || value.folded {
                    return;
                }
                self.tell(inst.step as usize);
                self.name(result);
                self.line();
                self.out.push_str("let ");
                self.push_name(result);
                self.out.push_str(" = ");
                self.whole(|this| this.operation(inst, Prec::Lowest), Some(inst));
                self.out.push_str(";\n");
            }
            (_, None) => {}
        }
    }

    /// Writes an expression by `write`; if the line gets too long and the expression is a vector put together from
    /// parts, writes the parts on lines of their own.
    fn whole(&mut self, write: impl Fn(&mut Self), inst: Option<&'a Inst>) {
        let start = self.out.len();
        write(self);
        let column = self.out.len() - self.out[..start].rfind('\n').map_or(0, |at| at + 1);
        if column <= WIDTH {
            return;
        }
        let Some(inst) = inst.filter(|inst| inst.op == Op::Compose) else { return };
        let Some(result) = inst.result else { return };
        self.out.truncate(start);
        self.out.push_str(type_name(self.ty(result)));
        self.out.push_str("(\n");
        self.indent += 1;
        for arg in self.plan.written(inst).iter() {
            self.line();
            self.part(*arg);
            self.out.push_str(",\n");
        }
        self.indent -= 1;
        self.line();
        self.out.push(')');
    }

    /// The instruction behind an argument that stands for the whole of a folded value.
    fn behind(&mut self, arg: Arg) -> Option<&'a Inst> {
        let arg = self.plan.resolve(arg);
        let value = self.plan.values.get(arg.value.index())?;
        let whole = arg.lanes == value.lanes && is_whole(value, arg);
        value.def.filter(|_| value.folded && whole)
    }

    fn store(&mut self, inst: &'a Inst, output: OutputId, mask: WriteMask, arg: Arg, rest: &[Node]) {
        let at = output.index();
        let Some(cell) = self.plan.cells.get(at) else { return };
        if !cell.wanted {
            return;
        }
        let Some(info) = self.shader.outputs.get(at) else { return };
        let depth = info.kind == OutputKind::Depth && !self.interface.outputs[at].is_empty();
        if !cell.is_whole() {
            self.tell(inst.step as usize);
            self.line();
            return self.store_lanes(at, mask, arg, depth);
        }
        if !cell.last.is_some_and(|last| core::ptr::eq(last, inst)) {
            return;
        }
        let lanes = cell.lanes;
        self.tell(inst.step as usize);
        self.line();
        let scalar = info.kind == OutputKind::Depth;
        if self.cells[at].is_empty() {
            // The only result: it is given back here if nothing else follows.
            if self.open.is_empty() && rest.iter().all(|node| self.is_silent(node)) {
                self.out.push_str("return ");
                self.returned = true;
            } else {
                let name = super::renamed(self.renames, &info.name);
                self.cells[at] = self.names.take(name, words::is_word);
                self.out.push_str("let ");
                self.out.push_str(&self.cells[at]);
                self.out.push_str(" = ");
                let scalar = false;
                self.cell(lanes, info.init, scalar);
                return self.out.push_str(";\n");
            }
        } else {
            self.out.push_str(&self.cells[at]);
            self.out.push_str(" = ");
        }
        self.cell(lanes, info.init, scalar);
        self.out.push_str(";\n");
    }

    /// Whether a node behind the last store writes nothing.
    fn is_silent(&self, node: &Node) -> bool {
        match node {
            Node::Inst(inst) => match inst.result {
                Some(value) => self.plan.values.get(value.index()).is_none_or(|v| v.uses == 0 || v.folded),
                None => matches!(inst.op, Op::StoreOutput { .. }),
            },
            _ => false,
        }
    }

    /// Writes a whole output: each run of lanes from one value, and initial bits where nothing was stored.
    fn cell(&mut self, lanes: [Option<(Value, u8)>; 4], init: [u32; 4], scalar: bool) {
        if scalar {
            return match lanes[0] {
                Some((value, lane)) => self.arg(Arg::lane(value, lane), Shape::Loose, Prec::Lowest),
                None => self.bits(&init[..1]),
            };
        }
        if let Some(arg) = run(&lanes, 0, 4) {
            let behind = self.behind(arg);
            return self.whole(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
        }
        let start = self.out.len();
        for broken in [false, true] {
            self.out.push_str("vec4f(");
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
                    None => self.bits(&init[at..=at]),
                    Some((value, _)) => {
                        while at + len < 4 && lanes[at + len].is_some_and(|(v, _)| v == value) {
                            len += 1;
                        }
                        if let Some(arg) = run(&lanes, at, len) {
                            self.part(arg);
                        }
                    }
                }
                if broken {
                    self.out.push(',');
                }
                at += len;
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

    /// Stores lanes into a variable.
    fn store_lanes(&mut self, at: usize, mask: WriteMask, arg: Arg, depth: bool) {
        let push_cell = |this: &mut Self| {
            let cell = core::mem::take(&mut this.cells[at]);
            this.out.push_str(&cell);
            this.cells[at] = cell;
        };
        push_cell(self);
        if depth {
            self.out.push_str(" = ");
            if mask.has(0) {
                self.arg(lanes_of(arg, 0, 1), Shape::Loose, Prec::Lowest);
            } else {
                push_cell(self);
            }
            return self.out.push_str(";\n");
        }
        if mask == WriteMask::ALL {
            self.out.push_str(" = ");
            let behind = self.behind(arg);
            self.whole(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
            return self.out.push_str(";\n");
        }
        if mask.count() == 1 {
            for lane in mask.lanes() {
                self.out.push('.');
                self.out.push(LANES[lane]);
            }
            self.out.push_str(" = ");
            self.arg(lanes_of(arg, 0, 1), Shape::Loose, Prec::Lowest);
            return self.out.push_str(";\n");
        }
        // Runs of new lanes, and between them the present ones.
        self.out.push_str(" = vec4f(");
        let mut n = 0;
        let mut lane = 0;
        while lane < 4 {
            if lane > 0 {
                self.out.push_str(", ");
            }
            let new = mask.has(lane);
            let mut len = 1;
            while lane + len < 4 && mask.has(lane + len) == new {
                len += 1;
            }
            if new {
                self.part(lanes_of(arg, n, len));
                n += len;
            } else {
                push_cell(self);
                self.out.push('.');
                self.out.extend(&LANES[lane..lane + len]);
            }
            lane += len;
        }
        self.out.push_str(");\n");
    }

    /// Writes an `if`. Tells whether what follows it is reached.
    fn branch(&mut self, node: &'a If) -> Result<bool, Diagnostic> {
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
                self.out.push_str("let ");
                self.push_name(*result);
                self.out.push_str(" = select(");
                self.arg(otherwise, Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
                self.arg(then, Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
                self.arg(node.cond, Shape::Loose, Prec::Lowest);
                self.out.push_str(");\n");
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
            self.out.push_str("var ");
            self.push_name(*result);
            match first.get(i) {
                Some(arg) => {
                    self.out.push_str(" = ");
                    let arg = self.yielded(*result, *arg);
                    self.arg(arg, Shape::Exact, Prec::Lowest);
                }
                None => {
                    self.out.push_str(": ");
                    self.out.push_str(type_name(self.ty(*result)));
                }
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
    fn arm(&mut self, region: &'a Region, results: &'a [Value]) -> Result<bool, Diagnostic> {
        self.indent += 1;
        let goes_on = self.nodes(region)?;
        if goes_on {
            self.assign(results, region.yields);
        }
        self.indent -= 1;
        Ok(goes_on)
    }

    /// Assigns `values` to the variables of `targets`. The new value of one may be made from the old one of another.
    fn assign(&mut self, targets: &[Value], values: Args) {
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
            self.out.push_str("let ");
            self.push_local(local);
            self.out.push_str(" = ");
            self.arg(arg, Shape::Exact, Prec::Lowest);
            self.out.push_str(";\n");
        }
        for (j, (target, arg)) in pairs.into_iter().enumerate() {
            self.line();
            self.push_local(target);
            self.out.push_str(" = ");
            if let Some(Some(local)) = early.get(j) {
                self.push_local(*local);
            } else {
                let behind = self.behind(arg);
                self.whole(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
            }
            self.out.push_str(";\n");
        }
    }

    /// Whether an argument is all of the variable `local`.
    fn is_named(&mut self, arg: Arg, local: Local) -> bool {
        let arg = self.plan.resolve(arg);
        let named = self.locals.get(arg.value.index()).is_some_and(|l| l.base != NONE && *l == local);
        let value = self.plan.values.get(arg.value.index());
        named && value.is_some_and(|value| arg.lanes == value.lanes && is_whole(value, arg))
    }

    /// Whether the text of an argument reads the variable `local`.
    fn reads(&mut self, arg: Arg, local: Local) -> bool {
        if self.plan.constant(arg).is_some() {
            return false;
        }
        let arg = self.plan.resolve(arg);
        if self.locals.get(arg.value.index()).is_some_and(|l| l.base != NONE) {
            return self.locals[arg.value.index()] == local;
        }
        let Some(def) = self.plan.values.get(arg.value.index()).and_then(|v| v.def) else { return false };
        let args = self.plan.written(def);
        args.iter().any(|arg| self.reads(*arg, local))
    }

    /// Assigns the parameters of the next round; they may be read in the values.
    fn assign_round(&mut self, params: &[Value], values: Args) {
        let shader = self.shader;
        let args = shader.args(values);
        let live = |this: &Self, v: &Value| this.plan.values.get(v.index()).is_some_and(|u| u.uses > 0);
        if params.iter().filter(|v| live(self, v)).count() < 2 {
            return self.assign(params, values);
        }
        let base = self.base("next");
        for (n, (param, arg)) in params.iter().zip(args).enumerate() {
            if !live(self, param) {
                continue;
            }
            self.line();
            self.out.push_str("let ");
            self.push_serial(base, n);
            self.out.push_str(" = ");
            self.arg(*arg, Shape::Exact, Prec::Lowest);
            self.out.push_str(";\n");
        }
        for (n, (param, _)) in params.iter().zip(args).enumerate() {
            if !live(self, param) {
                continue;
            }
            self.line();
            self.push_name(*param);
            self.out.push_str(" = ");
            self.push_serial(base, n);
            self.out.push_str(";\n");
        }
    }

    fn push_serial(&mut self, base: u32, n: usize) {
        if let Some(base) = self.bases.get(base as usize) {
            self.out.push_str(&base.name);
        }
        self.out.push('_');
        push_u32(&mut self.out, n as u32);
    }

    /// Declares variables; those of `values` get their first ones.
    fn variables(&mut self, targets: &[Value], values: Option<Args>) {
        let shader = self.shader;
        let args = values.map_or(&[][..], |v| shader.args(v));
        for (i, target) in targets.iter().enumerate() {
            if self.plan.values.get(target.index()).is_none_or(|v| v.uses == 0) {
                continue;
            }
            self.name(*target);
            self.line();
            self.out.push_str("var ");
            self.push_name(*target);
            match args.get(i) {
                Some(arg) => {
                    self.out.push_str(" = ");
                    self.arg(*arg, Shape::Exact, Prec::Lowest);
                }
                None => {
                    self.out.push_str(": ");
                    self.out.push_str(type_name(self.ty(*target)));
                }
            }
            self.out.push_str(";\n");
        }
    }

    fn flag(&mut self, label: Label, again: bool) {
        self.out.push_str(if again { "again_" } else { "leave_" });
        push_u32(&mut self.out, label.0);
    }

    fn declare_flag(&mut self, label: Label, again: bool) {
        self.line();
        self.out.push_str("var ");
        self.flag(label, again);
        self.out.push_str(" = false;\n");
    }

    fn block(&mut self, node: &'a Block) -> Result<(), Diagnostic> {
        self.variables(&node.results, None);
        if self.plan.far_leaves.contains(&node.label) {
            self.declare_flag(node.label, false);
        }
        self.line();
        self.out.push_str("loop {\n");
        self.enter(node.label, false, &node.results, &[]);
        if self.nodes(&node.body)? {
            self.assign(&node.results, node.body.yields);
            self.line();
            self.out.push_str("break;\n");
        }
        self.exit();
        Ok(())
    }

    fn repeat(&mut self, node: &'a Loop) -> Result<(), Diagnostic> {
        if !leaves(&node.body, node.label, &mut Vec::new()).0 {
            return Err(Diagnostic::error("WGSL-loop", "WGSL refuses a loop that is never left"));
        }
        self.variables(&node.results, None);
        self.variables(&node.params, Some(node.init));
        if self.plan.far_leaves.contains(&node.label) {
            self.declare_flag(node.label, false);
        }
        self.line();
        self.out.push_str("loop {\n");
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

    fn enter(&mut self, label: Label, is_loop: bool, results: &'a [Value], params: &'a [Value]) {
        self.indent += 1;
        self.open.push(Open { label, is_loop, results, params, through: Vec::new() });
    }

    /// Closes the innermost block or loop, and goes on with the exits that pass through it.
    fn exit(&mut self) {
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
            let here = self.open.last_mut().filter(|open| open.label == label);
            self.out.push_str(if here.is_some() && again { "continue;\n" } else { "break;\n" });
            if let Some(open) = self.open.last_mut() {
                if open.label != label && !open.through.contains(&(label, again)) {
                    open.through.push((label, again));
                }
            }
            self.indent -= 1;
            self.line();
            self.out.push_str("}\n");
        }
    }

    fn leave(&mut self, label: Label, values: Args) {
        let Some(at) = self.open.iter().rposition(|open| open.label == label) else { return };
        let results = self.open[at].results;
        self.assign(results, values);
        self.jump(at, false);
    }

    fn again(&mut self, label: Label, values: Args) {
        let Some(at) = self.open.iter().rposition(|open| open.label == label && open.is_loop) else { return };
        let params = self.open[at].params;
        self.assign_round(params, values);
        self.jump(at, true);
    }

    fn jump(&mut self, at: usize, again: bool) {
        let label = self.open[at].label;
        let near = at + 1 == self.open.len();
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

    // Expressions

    /// Writes an argument.
    fn arg(&mut self, arg: Arg, shape: Shape, min: Prec) {
        let arg = self.plan.resolve(arg);
        let Some(value) = self.plan.values.get(arg.value.index()).copied() else { return };
        if let Some(bits) = self.plan.constant(arg) {
            return self.constant(self.ty(arg.value).scalar, &bits[..usize::from(arg.lanes)], shape, min);
        }
        let splat = arg.lanes > 1 && self.plan.is_splat(arg);
        if value.lanes == 1 {
            if arg.lanes > 1 && shape == Shape::Exact {
                let scalar = self.ty(arg.value).scalar;
                self.out.push_str(type_name(Type::new(scalar, arg.lanes)));
                self.out.push('(');
                self.value(arg.value, Prec::Lowest);
                return self.out.push(')');
            }
            return self.value(arg.value, min);
        }
        let lanes = if splat && shape == Shape::Loose { 1 } else { arg.lanes };
        if lanes == value.lanes && is_whole(&value, arg) {
            return self.value(arg.value, min);
        }
        self.value(arg.value, Prec::Postfix);
        self.out.push('.');
        for i in 0..usize::from(lanes) {
            self.out.push(LANES[usize::from(value.rank(arg.swizzle.get(i)))]);
        }
    }

    fn constant(&mut self, scalar: Scalar, bits: &[u32], shape: Shape, min: Prec) {
        let Some(first) = bits.first() else { return };
        let splat = bits.iter().all(|b| b == first);
        if bits.len() == 1 || (splat && shape == Shape::Loose) {
            return self.number(scalar, *first, min);
        }
        self.out.push_str(type_name(Type::new(scalar, bits.len() as u8)));
        self.out.push('(');
        self.numbers(scalar, if splat { &bits[..1] } else { bits });
        self.out.push(')');
    }

    fn numbers(&mut self, scalar: Scalar, bits: &[u32]) {
        for (i, lane) in bits.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.number(scalar, *lane, Prec::Lowest);
        }
    }

    /// Writes f32 lanes given as bits.
    fn bits(&mut self, bits: &[u32]) {
        self.constant(Scalar::F32, bits, Shape::Exact, Prec::Lowest);
    }

    fn number(&mut self, scalar: Scalar, bits: u32, min: Prec) {
        let open = min > Prec::Unary;
        match scalar {
            Scalar::Bool => self.out.push_str(if bits == 0 { "false" } else { "true" }),
            Scalar::U32 => {
                push_u32(&mut self.out, bits);
                self.out.push('u');
            }
            // The least one has no literal.
            Scalar::I32 if bits == 0x8000_0000 => self.out.push_str("i32(-2147483648)"),
            Scalar::I32 => {
                let negative = bits >> 31 == 1;
                if negative && open {
                    self.out.push('(');
                }
                push_i32(&mut self.out, bits as i32);
                if negative && open {
                    self.out.push(')');
                }
            }
            _ => {
                let value = f32::from_bits(bits);
                if value.is_normal() || value == 0.0 {
                    let negative = bits >> 31 == 1;
                    if negative && open {
                        self.out.push('(');
                    }
                    push_f32(&mut self.out, value);
                    if negative && open {
                        self.out.push(')');
                    }
                } else {
                    self.helpers.bits = true;
                    self.out.push_str("bits_to_f32(0x");
                    for shift in (0..8).rev() {
                        let digit = (bits >> (shift * 4) & 15) as u8;
                        self.out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
                    }
                    self.out.push_str("u)");
                }
            }
        }
    }

    /// Writes a value: its name, or what it is.
    fn value(&mut self, value: Value, min: Prec) {
        if self.push_name(value) {
            return;
        }
        if let Some(def) = self.plan.values.get(value.index()).and_then(|v| v.def) {
            self.operation(def, min);
        }
    }

    /// Writes a part of a vector; a part that is itself put together gives its parts.
    fn part(&mut self, arg: Arg) {
        let arg = self.plan.resolve(arg);
        let Some(value) = self.plan.values.get(arg.value.index()).copied() else { return };
        if let Some(bits) = self.plan.constant(arg) {
            return self.numbers(self.ty(arg.value).scalar, &bits[..usize::from(arg.lanes)]);
        }
        match value.def.map(|def| def.op) {
            Some(Op::Compose) if self.behind(arg).is_some() => {
                let Some(def) = value.def else { return };
                let parts = self.plan.written(def);
                self.parts(&parts);
            }
            // A comparison beside another could be read as a template list.
            _ => self.arg(arg, Shape::Exact, if arg.lanes == 1 { Prec::Sum } else { Prec::Lowest }),
        }
    }

    fn parts(&mut self, args: &[Arg]) {
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.part(*arg);
        }
    }

    fn operation(&mut self, inst: &'a Inst, min: Prec) {
        let shader = self.shader;
        let interface = self.interface;
        let args = &*self.plan.written(inst);
        let lanes = inst.result.and_then(|v| self.plan.values.get(v.index())).map_or(1, |v| v.lanes);
        match inst.op {
            Op::Pure(op) => self.pure(op, args, lanes, min),
            Op::Compose => {
                let ty = inst.result.map_or(Type::F32X4, |v| self.ty(v));
                self.out.push_str(type_name(ty));
                self.out.push('(');
                self.parts(args);
                self.out.push(')');
            }
            Op::Input(input) => {
                if let Some(text) = interface.inputs.get(input.index()) {
                    self.out.push_str(text);
                }
            }
            Op::Param { array, index } => {
                let size = interface.sizes.get(array.index()).copied().unwrap_or(0);
                match interface.params.get(array.index()) {
                    Some(name) if index < size => {
                        self.out.push_str(name);
                        self.out.push('[');
                        push_u32(&mut self.out, index);
                        self.out.push(']');
                    }
                    _ => self.out.push_str("vec4f()"),
                }
            }
            Op::ParamAt { array, offset, rule } => {
                let size = i64::from(interface.sizes.get(array.index()).copied().unwrap_or(1));
                let Some(name) = interface.params.get(array.index()) else { return };
                let Some(index) = args.first() else { return };
                let offset = i64::from(offset);
                let clamp = |n: i64| n.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                let zero = rule == OutOfRange::Zero;
                if zero {
                    // One element on either side stands for everything outside.
                    self.out.push_str("select(vec4f(), ");
                }
                self.out.push_str(name);
                self.out.push('[');
                // Clamped before the offset is added, so that the sum cannot wrap.
                self.clamped(*index, clamp(-offset), clamp(size - 1 - offset));
                if offset != 0 {
                    self.out.push_str(if offset < 0 { " - " } else { " + " });
                    push_u32(&mut self.out, clamp(offset).unsigned_abs());
                }
                self.out.push(']');
                if zero {
                    self.out.push_str(", ");
                    self.clamped(*index, clamp(-offset), clamp(size - 1 - offset));
                    self.out.push_str(" == ");
                    self.arg(*index, Shape::Loose, Prec::Sum);
                    self.out.push(')');
                }
            }
            Op::LoadOutput(output) => {
                let at = output.index();
                let Some(cell) = self.cells.get(at) else { return };
                let depth = shader.outputs[at].kind == OutputKind::Depth && !interface.outputs[at].is_empty();
                if depth {
                    self.out.push_str("vec4f(");
                    self.out.push_str(cell);
                    for lane in 1..4 {
                        self.out.push_str(", ");
                        self.number(Scalar::F32, shader.outputs[at].init[lane], Prec::Lowest);
                    }
                    self.out.push(')');
                } else {
                    self.out.push_str(cell);
                }
            }
            Op::Sample { texture, lod } => {
                let Some((texture, sampler)) = interface.textures.get(texture.index()) else { return };
                let Some(coord) = args.first() else { return };
                // Without derivatives the level is the largest one.
                let fragment = shader.stage == Stage::Fragment;
                self.out.push_str(match lod {
                    Lod::Implicit { bias_eighths: 0 } if fragment => "textureSample(",
                    Lod::Implicit { .. } if fragment => "textureSampleBias(",
                    _ => "textureSampleLevel(",
                });
                self.out.push_str(texture);
                self.out.push_str(", ");
                self.out.push_str(sampler);
                self.out.push_str(", ");
                self.arg(*coord, Shape::Exact, Prec::Lowest);
                match lod {
                    Lod::Level => {
                        self.out.push_str(", ");
                        if let Some(level) = args.get(1) {
                            self.arg(*level, Shape::Loose, Prec::Lowest);
                        }
                    }
                    Lod::Implicit { .. } if !fragment => self.out.push_str(", 0.0"),
                    Lod::Implicit { bias_eighths: 0 } => {}
                    Lod::Implicit { bias_eighths } => {
                        self.out.push_str(", ");
                        push_f32(&mut self.out, f32::from(bias_eighths) / 8.0);
                    }
                }
                self.out.push(')');
            }
            Op::Ddx => self.call("dpdxFine", args, lanes),
            Op::Ddy => self.call("dpdyFine", args, lanes),
            // Constants never come here.
            Op::Const(_) | Op::StoreOutput { .. } | Op::Demote | Op::Mark(_) => {}
        }
    }

    fn clamped(&mut self, index: Arg, low: i32, high: i32) {
        self.out.push_str("clamp(");
        self.arg(index, Shape::Loose, Prec::Lowest);
        self.out.push_str(", ");
        push_i32(&mut self.out, low);
        self.out.push_str(", ");
        push_i32(&mut self.out, high);
        self.out.push(')');
    }

    /// The shape of the arguments of an operation written with `lanes` lanes whose operands must have equal types.
    fn exact(lanes: u8) -> Shape {
        if lanes == 1 { Shape::Loose } else { Shape::Exact }
    }

    fn call(&mut self, function: &str, args: &[Arg], lanes: u8) {
        self.out.push_str(function);
        self.out.push('(');
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.arg(*arg, Self::exact(lanes), Prec::Lowest);
        }
        self.out.push(')');
    }

    fn binary(&mut self, operator: &str, a: Arg, b: Arg, (shape, own, min): (Shape, Prec, Prec)) {
        let open = own < min;
        if open {
            self.out.push('(');
        }
        // Comparisons do not chain.
        let left = if own == Prec::Relation { own.tighter() } else { own };
        self.arg(a, shape, left);
        self.out.push_str(operator);
        self.arg(b, shape, own.tighter());
        if open {
            self.out.push(')');
        }
    }

    fn unary(&mut self, operator: char, a: Arg, lanes: u8, min: Prec) {
        let open = min > Prec::Unary;
        if open {
            self.out.push('(');
        }
        self.out.push(operator);
        self.arg(a, Self::exact(lanes), Prec::Postfix);
        if open {
            self.out.push(')');
        }
    }

    fn pure(&mut self, op: Pure, args: &[Arg], lanes: u8, min: Prec) {
        let Some(a) = args.first().copied() else { return };
        let b = args.get(1).copied().unwrap_or(a);
        let exact = Self::exact(lanes);
        // One lane stands for all beside a vector, but somebody has to be the vector.
        let scalars = lanes > 1 && [a, b].into_iter().all(|arg| self.is_scalar(arg));
        let loose = if scalars { Shape::Exact } else { Shape::Loose };
        match op {
            Pure::Neg => self.unary('-', a, lanes, min),
            Pure::Not => self.unary('!', a, lanes, min),
            Pure::Abs => self.call("abs", args, lanes),
            Pure::Saturate => self.call("saturate", args, lanes),
            Pure::Rsq => self.call("inverseSqrt", args, lanes),
            Pure::Sqrt => self.call("sqrt", args, lanes),
            Pure::Exp2 => self.call("exp2", args, lanes),
            Pure::Log2 => self.call("log2", args, lanes),
            Pure::Sin => self.call("sin", args, lanes),
            Pure::Cos => self.call("cos", args, lanes),
            Pure::Fract => self.call("fract", args, lanes),
            Pure::Floor => self.call("floor", args, lanes),
            Pure::Sign => self.call("sign", args, lanes),
            Pure::Min => self.call("min", args, lanes),
            Pure::Max => self.call("max", args, lanes),
            Pure::Rcp => {
                let open = min > Prec::Product;
                self.out.push_str(if open { "(1.0 / " } else { "1.0 / " });
                self.arg(a, exact, Prec::Unary);
                if open {
                    self.out.push(')');
                }
            }
            Pure::Add => match self.negated(b) {
                Some(inner) => {
                    let scalars = lanes > 1 && [a, inner].into_iter().all(|arg| self.is_scalar(arg));
                    let shape = if scalars { Shape::Exact } else { Shape::Loose };
                    self.binary(" - ", a, inner, (shape, Prec::Sum, min));
                }
                None => self.binary(" + ", a, b, (loose, Prec::Sum, min)),
            },
            Pure::Sub => self.binary(" - ", a, b, (loose, Prec::Sum, min)),
            Pure::Mul => self.binary(" * ", a, b, (loose, Prec::Product, min)),
            Pure::Div => self.binary(" / ", a, b, (loose, Prec::Product, min)),
            Pure::IAdd => self.binary(" + ", a, b, (exact, Prec::Sum, min)),
            Pure::Pow => {
                if self.is_never_negative(a) {
                    return self.call("pow", args, lanes);
                }
                if let Some(used) = self.helpers.pow.get_mut(usize::from(lanes)) {
                    *used = true;
                }
                const NAMES: [&str; 4] = ["pow_ieee", "pow_ieee_2", "pow_ieee_3", "pow_ieee_4"];
                self.call(NAMES[usize::from(lanes.clamp(1, 4)) - 1], args, lanes);
            }
            // The varying side first: `a > 1.0` for what was lifted as `1.0 < a`.
            Pure::Lt if self.is_fixed(a) && !self.is_fixed(b) => {
                self.binary(" > ", b, a, (exact, Prec::Relation, min));
            }
            Pure::Lt => self.binary(" < ", a, b, (exact, Prec::Relation, min)),
            Pure::Ge => self.binary(" >= ", a, b, (exact, Prec::Relation, min)),
            Pure::Eq => self.binary(" == ", a, b, (exact, Prec::Relation, min)),
            Pure::Ne => self.binary(" != ", a, b, (exact, Prec::Relation, min)),
            Pure::And if lanes == 1 => self.binary(" && ", a, b, (Shape::Loose, Prec::And, min)),
            // `&` of vectors takes unary operands and nothing beside it.
            Pure::And => {
                self.out.push('(');
                self.arg(a, Shape::Exact, Prec::Unary);
                self.out.push_str(" & ");
                self.arg(b, Shape::Exact, Prec::Unary);
                self.out.push(')');
            }
            Pure::BoolToFloat | Pure::UintToFloat => {
                self.call(type_name(Type::new(Scalar::F32, lanes)), args, lanes);
            }
            Pure::FloatToInt => self.call(type_name(Type::new(Scalar::I32, lanes)), args, lanes),
            Pure::Select => {
                let (Some(yes), Some(no)) = (args.get(1), args.get(2)) else { return };
                self.out.push_str("select(");
                self.arg(*no, exact, Prec::Lowest);
                self.out.push_str(", ");
                self.arg(*yes, exact, Prec::Lowest);
                self.out.push_str(", ");
                let cond = if a.lanes == 1 { Shape::Loose } else { exact };
                self.arg(a, cond, Prec::Lowest);
                self.out.push(')');
            }
            Pure::Dot if a.lanes <= 1 => self.binary(" * ", a, b, (loose, Prec::Product, min)),
            Pure::Dot => {
                self.out.push_str("dot(");
                self.arg(a, Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
                self.arg(b, Shape::Exact, Prec::Lowest);
                self.out.push(')');
            }
        }
    }

    /// Whether an argument is written as one lane where that is allowed.
    fn is_scalar(&mut self, arg: Arg) -> bool {
        let arg = self.plan.resolve(arg);
        self.plan.is_splat(arg)
    }

    /// What a folded negation negates.
    fn negated(&mut self, arg: Arg) -> Option<Arg> {
        let def = self.behind(arg)?;
        match def.op {
            Op::Pure(Pure::Neg) => self.plan.written(def).first().copied(),
            _ => None,
        }
    }

    /// Whether an argument is a constant or a parameter.
    fn is_fixed(&self, arg: Arg) -> bool {
        let def = self.plan.values.get(arg.value.index()).and_then(|v| v.def);
        self.plan.constant(arg).is_some() || def.is_some_and(|def| matches!(def.op, Op::Param { .. }))
    }

    /// Whether all lanes are zero, positive or NaN whatever happens.
    fn is_never_negative(&self, arg: Arg) -> bool {
        if let Some(bits) = self.plan.constant(arg) {
            return bits[..usize::from(arg.lanes)].iter().all(|bits| bits >> 31 == 0);
        }
        let def = self.plan.values.get(arg.value.index()).and_then(|v| v.def);
        let op = def.map(|def| def.op);
        matches!(
            op,
            Some(Op::Pure(Pure::Abs | Pure::Saturate | Pure::Exp2 | Pure::BoolToFloat | Pure::UintToFloat))
        )
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
fn lanes_of(arg: Arg, at: usize, len: usize) -> Arg {
    let lane = |i: usize| arg.swizzle.get(at + i.min(len - 1));
    Arg { value: arg.value, swizzle: Swizzle::new(lane(0), lane(1), lane(2), lane(3)), lanes: len as u8 }
}

/// Whether an argument of as many lanes as its value is written with has them in order.
fn is_whole(value: &Use<'_>, arg: Arg) -> bool {
    (0..usize::from(arg.lanes)).all(|i| usize::from(value.rank(arg.swizzle.get(i))) == i)
}

/// Whether something in a region that is reached leaves it and the loop `own` that it is the body of, and whether
/// its end is reached. `inner` holds the labels inside.
fn leaves(region: &Region, own: Label, inner: &mut Vec<Label>) -> (bool, bool) {
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
                let (then_out, then_end) = leaves(&node.then, own, inner);
                let (else_out, else_end) = leaves(&node.otherwise, own, inner);
                out |= then_out || else_out;
                then_end || else_end
            }
            Node::Block(node) => {
                out |= leaves_from(&node.body, node.label, own, inner);
                true
            }
            Node::Loop(node) => {
                out |= leaves_from(&node.body, node.label, own, inner);
                true
            }
            Node::Inst(_) => true,
        };
        if !goes_on {
            return (out, false);
        }
    }
    (out, true)
}

fn leaves_from(region: &Region, label: Label, own: Label, inner: &mut Vec<Label>) -> bool {
    inner.push(label);
    let (out, _) = leaves(region, own, inner);
    inner.pop();
    out
}

/// Number of `if`s in nodes, also nested ones.
fn count_ifs(nodes: &[Node]) -> usize {
    nodes.iter().fold(0, |n, node| {
        n + match node {
            Node::If(node) => 1 + count_ifs(&node.then.nodes) + count_ifs(&node.otherwise.nodes),
            Node::Block(node) => count_ifs(&node.body.nodes),
            Node::Loop(node) => count_ifs(&node.body.nodes),
            _ => 0,
        }
    })
}
