//! Hull shaders. Direct3D has two functions where the IR has one program: one gives the control point of an invocation, the
//! other what the patch has, once. Both are made of the program: the first one without what it writes for the patch, the
//! second one by going through the invocations that write for it.

use super::interface::{Fields, Interface};
use super::language::Hlsl;
use super::rules::{self, refused};
use super::stages::{domain_name, level_counts};
use super::{Options, Output, finish};
use crate::common::Names;
use crate::plan::Plan;
use crate::splice::MAX_DEPTH;
use crate::text::helpers::Helpers;
use crate::text::{Body, Results, Spelling};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::op::{Effect, Place};
use vecasm_ir::ir::{
    Arg, Args, InputKind, Inst, Node, Op, OutputId, OutputKind, Primitive, Pure, Region, Shader, Spacing,
    Stage, System, Value,
};
use vecasm_ir::operand::WriteMask;
use vecasm_opt::clean;

/// Who comes to a place of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReachedBy {
    /// All invocations, or none.
    All,
    /// The invocation of that number alone, if any.
    Only(u32),
    /// Some.
    Some,
}

/// A store for the patch.
struct Store {
    first: u32,
    count: u32,
    mask: WriteMask,
    who: ReachedBy,
    in_loop: bool,
}

/// What has to be known of a program to make two functions of it.
struct HullFacts<'a> {
    shader: &'a Shader,
    /// By value: what defines it.
    defs: Vec<Option<&'a Inst>>,
    /// By value: whether it may differ from invocation to invocation.
    differs: Vec<bool>,
    stores: Vec<Store>,
    /// Whether what the patch has is read back.
    reads_patch: bool,
    /// Whether memory is changed, and whether invocations meet.
    changes: bool,
    meets: bool,
    /// By output: when it was stored to last and whether that was in a loop, and when it was first read of another vertex and
    /// whether that was.
    stored: Vec<Option<(u32, bool)>>,
    read: Vec<Option<(u32, bool)>>,
    clock: u32,
}

fn no(what: impl Into<String>) -> Diagnostic {
    refused(rules::PATCH, what.into())
}

impl<'a> HullFacts<'a> {
    fn of(shader: &'a Shader) -> Self {
        let mut found = Self {
            shader,
            defs: vec![None; shader.values.len()],
            differs: vec![false; shader.values.len()],
            stores: Vec::new(),
            reads_patch: false,
            changes: false,
            meets: false,
            stored: vec![None; shader.outputs.len()],
            read: vec![None; shader.outputs.len()],
            clock: 0,
        };
        shader.body.for_each_inst(&mut |inst| {
            let bound = matches!(inst.op.place(), Some(Place::Memory(_) | Place::Image(_)));
            found.changes |= bound && !inst.op.is_pure();
            found.meets |= inst.op == Op::Barrier;
        });
        for_each_inst(&shader.body, &mut |inst: &'a Inst| {
            if let Some(def) = inst.result.and_then(|value| found.defs.get_mut(value.index())) {
                *def = Some(inst);
            }
        });
        // What goes round a loop may come to differ later.
        while found.spread(&shader.body) {}
        found.walk(&shader.body, ReachedBy::All, false);
        found
    }

    fn is_of_patch(&self, output: OutputId) -> bool {
        self.shader.outputs.get(output.index()).is_some_and(|output| output.kind.is_of_patch())
    }

    fn arg_differs(&self, arg: Arg) -> bool {
        self.differs.get(arg.value.index()).copied().unwrap_or(true)
    }

    fn set(&mut self, value: Value) -> bool {
        let Some(slot) = self.differs.get_mut(value.index()) else { return false };
        !core::mem::replace(slot, true)
    }

    /// Whether an operation differs by itself.
    fn is_own(&self, op: Op) -> bool {
        match op {
            Op::Input(input) => {
                let kind = self.shader.inputs.get(input.index()).map(|input| input.kind);
                kind == Some(InputKind::System(System::InvocationIndex))
            }
            Op::LoadOutput(first) | Op::LoadOutputAt { first, .. } => !self.is_of_patch(first),
            Op::LoadMemory { .. } | Op::LoadImage { .. } => self.changes,
            Op::LoadLocal { .. } | Op::LoadLocalAt { .. } => true,
            op => !op.is_pure() || op.needs_subgroup(),
        }
    }

    /// Whether something in a region differs, or which way is taken there.
    fn inside(&self, region: &Region) -> bool {
        let any = |args: Args| self.shader.args(args).iter().any(|arg| self.arg_differs(*arg));
        any(region.yields)
            || region.nodes.iter().any(|node| {
                let mut differs = match node {
                    Node::Inst(inst) => {
                        inst.result.is_some_and(|value| self.differs.get(value.index()) == Some(&true))
                    }
                    Node::Leave { values, .. } | Node::Again { values, .. } => any(*values),
                    Node::If(node) => self.arg_differs(node.cond),
                    Node::Switch(node) => self.arg_differs(node.selector),
                    Node::Loop(node) => any(node.init),
                    Node::Block(_) | Node::Idiom(_) => false,
                };
                node.for_each_region(|region| differs = differs || self.inside(region));
                differs
            })
    }

    /// Notes the values that differ. Tells whether there are new ones.
    fn spread(&mut self, region: &Region) -> bool {
        let shader = self.shader;
        let mut more = false;
        for node in &region.nodes {
            let mut inner: Vec<&Region> = Vec::new();
            let (results, params, differs): (&[_], &[_], bool) = match node {
                Node::Inst(inst) => {
                    let differs = self.is_own(inst.op)
                        || shader.args(inst.args).iter().any(|arg| self.arg_differs(*arg));
                    if let (true, Some(value)) = (differs, inst.result) {
                        more |= self.set(value);
                    }
                    continue;
                }
                Node::If(node) => {
                    inner.extend([&node.then, &node.otherwise]);
                    (&node.results, &[], self.arg_differs(node.cond))
                }
                Node::Switch(node) => {
                    inner.extend(node.cases.iter().map(|(_, region)| region).chain([&node.default]));
                    (&node.results, &[], self.arg_differs(node.selector))
                }
                Node::Block(node) => {
                    inner.push(&node.body);
                    (&node.results, &[], self.inside(&node.body))
                }
                Node::Loop(node) => {
                    inner.push(&node.body);
                    let init = shader.args(node.init).iter().any(|arg| self.arg_differs(*arg));
                    (&node.results, &node.params, init || self.inside(&node.body))
                }
                Node::Idiom(node) => {
                    inner.push(&node.body);
                    (&node.results, &[], false)
                }
                Node::Leave { .. } | Node::Again { .. } => continue,
            };
            let mut differs = differs;
            for region in inner {
                more |= self.spread(region);
                differs |= shader.args(region.yields).iter().any(|arg| self.arg_differs(*arg));
            }
            for value in results.iter().chain(params).filter(|_| differs) {
                more |= self.set(*value);
            }
        }
        more
    }

    /// The invocation that a condition is true for alone.
    fn only(&self, cond: Arg) -> Option<u32> {
        let def = |value: Value| self.defs.get(value.index()).copied().flatten();
        let test = def(cond.value).filter(|inst| inst.op == Op::Pure(Pure::Eq))?;
        let [a, b] = *self.shader.args(test.args) else { return None };
        // The lane that is looked at.
        let at = |arg: Arg| {
            let lane = if arg.lanes > 1 { usize::from(cond.swizzle.get(0)) } else { 0 };
            (arg.value, arg.swizzle.get(lane))
        };
        let number = |arg: Arg| {
            let (value, lane) = at(arg);
            match def(value)?.op {
                Op::Const(bits) => Some(bits[usize::from(lane)]),
                _ => None,
            }
        };
        let is_id = |arg: Arg| {
            let (mut value, mut lane) = at(arg);
            // A value is made of earlier ones, so this ends.
            for _ in 0..=self.defs.len() {
                let inst = def(value)?;
                let args = self.shader.args(inst.args).iter();
                let mut all = args.flat_map(|arg| {
                    arg.swizzle.lanes().map(|l| (arg.value, l)).into_iter().take(arg.lanes.into())
                });
                match inst.op {
                    Op::Input(_) => return self.is_own(inst.op).then_some(()),
                    Op::Pure(Pure::ToI32 | Pure::AsI32 | Pure::ToU32 | Pure::AsU32) | Op::Compose => {
                        (value, lane) = all.nth(lane.into())?;
                    }
                    _ => return None,
                }
            }
            None
        };
        let number = match (number(a), number(b)) {
            (None, Some(number)) => is_id(a).map(|()| number),
            (Some(number), None) => is_id(b).map(|()| number),
            _ => None,
        };
        number.filter(|number| *number < self.shader.setup.invocations.max(1))
    }

    /// Whether some invocations alone leave a block or loop from inside a region.
    fn parts(&self, region: &Region, apart: bool) -> bool {
        region.nodes.iter().any(|node| match node {
            Node::Leave { .. } | Node::Again { .. } => apart,
            Node::If(node) => {
                let apart = apart || self.arg_differs(node.cond);
                self.parts(&node.then, apart) || self.parts(&node.otherwise, apart)
            }
            Node::Switch(node) => {
                let apart = apart || self.arg_differs(node.selector);
                let mut arms = node.cases.iter().map(|(_, region)| region).chain([&node.default]);
                arms.any(|region| self.parts(region, apart))
            }
            Node::Block(node) => self.parts(&node.body, apart),
            Node::Loop(node) => self.parts(&node.body, apart),
            Node::Idiom(_) | Node::Inst(_) => false,
        })
    }

    fn walk(&mut self, region: &'a Region, who: ReachedBy, in_loop: bool) {
        let apart = |who: ReachedBy, differs: bool| {
            if who == ReachedBy::All && differs { ReachedBy::Some } else { who }
        };
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.inst(inst, who, in_loop),
                Node::If(node) => {
                    let differs = self.arg_differs(node.cond);
                    let then = match (self.only(node.cond), who) {
                        (Some(number), ReachedBy::All | ReachedBy::Some) => ReachedBy::Only(number),
                        _ => apart(who, differs),
                    };
                    self.walk(&node.then, then, in_loop);
                    self.walk(&node.otherwise, apart(who, differs), in_loop);
                }
                Node::Switch(node) => {
                    let who = apart(who, self.arg_differs(node.selector));
                    for region in node.cases.iter().map(|(_, region)| region).chain([&node.default]) {
                        self.walk(region, who, in_loop);
                    }
                }
                Node::Block(node) => {
                    let who = apart(who, self.parts(&node.body, false));
                    self.walk(&node.body, who, in_loop);
                }
                Node::Loop(node) => {
                    let who = apart(who, self.parts(&node.body, false));
                    self.walk(&node.body, who, true);
                }
                Node::Idiom(node) => self.walk(&node.body, who, in_loop),
                Node::Leave { .. } | Node::Again { .. } => {}
            }
        }
    }

    fn inst(&mut self, inst: &Inst, who: ReachedBy, in_loop: bool) {
        self.clock += 1;
        let now = (self.clock, in_loop);
        let (first, count, mask) = match inst.op {
            Op::StoreOutput { output, mask } => (output, 1, mask),
            Op::StoreOutputAt { first, at, mask } => (first, at.count, mask),
            Op::LoadOutput(first) | Op::LoadOutputAt { first, .. } => {
                self.reads_patch |= self.is_of_patch(first);
                return;
            }
            Op::LoadOutputOf { first, at } => {
                let count = at.map_or(1, |at| at.count as usize);
                self.read
                    .iter_mut()
                    .skip(first.index())
                    .take(count)
                    .for_each(|read| _ = read.get_or_insert(now));
                return;
            }
            _ => return,
        };
        for stored in self.stored.iter_mut().skip(first.index()).take(count as usize) {
            let looped = stored.is_some_and(|(_, looped)| looped);
            *stored = Some((now.0, looped || in_loop));
        }
        if self.is_of_patch(first) {
            self.stores.push(Store { first: first.0, count, mask, who, in_loop });
        }
    }

    /// The invocations that the function of the patch goes through: one, or with `None` all of them, one after another.
    fn rounds(&self) -> Result<Option<u32>, Diagnostic> {
        let last = self.shader.setup.invocations.max(1) - 1;
        if last == 0 || self.stores.iter().all(|store| store.who == ReachedBy::All) {
            // Of several that store at once the last one counts.
            return Ok(Some(last));
        }
        let writer = |store: &Store| match store.who {
            ReachedBy::All => Some(last),
            ReachedBy::Only(number) => Some(number),
            ReachedBy::Some => None,
        };
        let first = self.stores.first().and_then(writer);
        if first.is_some() && self.stores.iter().all(|store| writer(store) == first) {
            return Ok(first);
        }
        if self.reads_patch {
            return Err(no("outputs of the patch that several invocations write are read back"));
        }
        for (n, output) in
            self.shader.outputs.iter().enumerate().filter(|(_, output)| output.kind.is_of_patch())
        {
            for lane in 0..4 {
                let of = |store: &&Store| {
                    (store.first as usize..(store.first + store.count) as usize).contains(&n)
                        && store.mask.has(lane)
                };
                let all: Vec<&Store> = self.stores.iter().filter(of).collect();
                let same = |who: ReachedBy| all.iter().all(|store| store.who == who);
                let one = all.first().is_none_or(|store| {
                    (all.len() == 1 && !store.in_loop)
                        || same(ReachedBy::All)
                        || (matches!(store.who, ReachedBy::Only(_)) && same(store.who))
                });
                if !one {
                    return Err(no(format!("several invocations write {} in turn", output.name)));
                }
            }
        }
        Ok(None)
    }
}

fn for_each_inst<'a>(region: &'a Region, look: &mut impl FnMut(&'a Inst)) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => look(inst),
            Node::If(node) => {
                for_each_inst(&node.then, look);
                for_each_inst(&node.otherwise, look);
            }
            Node::Switch(node) => {
                for (_, region) in &node.cases {
                    for_each_inst(region, look);
                }
                for_each_inst(&node.default, look);
            }
            Node::Block(node) => for_each_inst(&node.body, look),
            Node::Loop(node) => for_each_inst(&node.body, look),
            Node::Idiom(node) => for_each_inst(&node.body, look),
            Node::Leave { .. } | Node::Again { .. } => {}
        }
    }
}

/// Keeps the operations that `keep` says.
fn filter(region: &mut Region, keep: &dyn Fn(Op) -> bool) {
    region.nodes.retain(|node| !matches!(node, Node::Inst(inst) if !keep(inst.op)));
    region.nodes.iter_mut().for_each(|node| node.for_each_region_mut(|region| filter(region, keep)));
}

/// The program of a control point, and that of the patch.
/// Whether it works on memory or an image.
const fn is_shared(op: Op) -> bool {
    matches!(op.place(), Some(Place::Memory(_) | Place::Image(_)))
}

fn split(shader: &Shader, found: &HullFacts<'_>) -> Result<[Shader; 2], Diagnostic> {
    let of_patch = |first: OutputId| found.is_of_patch(first);
    if found.changes && found.meets {
        return Err(no("the shader has barriers and writes memory"));
    }
    let mut point = shader.clone();
    filter(&mut point.body, &|op| match op {
        Op::StoreOutput { output: first, .. } | Op::StoreOutputAt { first, .. } => !of_patch(first),
        Op::Barrier => false,
        Op::Fence => found.changes,
        _ => true,
    });
    let point = clean(&point);
    let mut reads = None;
    point.body.for_each_inst(&mut |inst| match inst.op {
        Op::LoadOutputOf { first, .. } => reads = Some(first),
        Op::LoadOutput(first) | Op::LoadOutputAt { first, .. } if of_patch(first) => reads = Some(first),
        _ => {}
    });
    if let Some(first) = reads {
        let name = shader.outputs.get(first.index()).map_or("", |output| &output.name);
        return Err(no(format!("a control point depends on {name}, which other invocations write")));
    }
    let mut own = vec![false; shader.outputs.len()];
    shader.body.for_each_inst(&mut |inst| {
        let (first, count) = match inst.op {
            Op::LoadOutput(first) => (first, 1),
            Op::LoadOutputAt { first, at } => (first, at.count),
            _ => return,
        };
        own.iter_mut().skip(first.index()).take(count as usize).for_each(|own| *own = true);
    });
    let mut patch = shader.clone();
    filter(&mut patch.body, &|op| match op {
        Op::StoreOutput { output: first, .. } => of_patch(first) || own.get(first.index()) == Some(&true),
        Op::StoreOutputAt { first, at, .. } => {
            of_patch(first) || own.iter().skip(first.index()).take(at.count as usize).any(|own| *own)
        }
        Op::Barrier | Op::Fence => false,
        op => !(is_shared(op) && op.effect() == Effect::Write),
    });
    let patch = clean(&patch);
    let mut wrong = false;
    patch.body.for_each_inst(&mut |inst| {
        wrong |= match inst.op.effect() {
            Effect::Read => is_shared(inst.op) && found.changes,
            Effect::Modify => is_shared(inst.op),
            _ => false,
        };
        wrong |= inst.op.needs_subgroup();
        if let Op::LoadOutputOf { first, at } = inst.op {
            let count = at.map_or(1, |at| at.count as usize);
            for n in first.index()..first.index() + count {
                let (stored, read) =
                    (found.stored.get(n).copied().flatten(), found.read.get(n).copied().flatten());
                // The control points are as they are in the end.
                wrong |= match (stored, read) {
                    (Some((stored, looped)), Some((read, in_loop))) => stored > read || (looped && in_loop),
                    _ => false,
                };
            }
        }
    });
    if wrong {
        return Err(no("an output of the patch depends on a value that is not available at the end"));
    }
    Ok([point, patch])
}

/// The domain that a patch is for: that of the shader behind, else the least one that has the levels that are written.
fn domain_of(shader: &Shader, found: &HullFacts<'_>, options: &Options<'_>) -> Primitive {
    if let Some(evaluation) = options.evaluation.filter(|shader| shader.stage == Stage::TessEval) {
        return evaluation.setup.primitive_in;
    }
    let mut lanes = [0u8; 2];
    for store in &found.stores {
        for n in store.first..store.first + store.count {
            let at = match shader.outputs.get(n as usize).map(|output| output.kind) {
                Some(OutputKind::TessOuter) => 0,
                Some(OutputKind::TessInner) => 1,
                _ => continue,
            };
            store.mask.lanes().for_each(|lane| lanes[at] |= 1 << lane);
        }
    }
    match lanes {
        [outer, inner] if outer & 8 != 0 || inner & 2 != 0 => Primitive::Quads,
        [outer, 0] if outer & 4 == 0 && outer != 0 => Primitive::Lines,
        _ => Primitive::Triangles,
    }
}

/// Writes a tessellation control shader.
pub(super) fn write(shader: &Shader, options: &Options<'_>) -> Result<Output, Diagnostic> {
    let found = HullFacts::of(shader);
    let rounds = found.rounds()?;
    let [point, patch] = split(shader, &found)?;
    let domain = domain_of(shader, &found, options);
    let whole = Plan::new(shader, |_| true, MAX_DEPTH, options.style, true);
    let soft = super::wide::words_for(shader, &whole, options)?;
    let mut names = Names::default();
    ["patch_constants", "points", "PatchConstants"]
        .iter()
        .for_each(|name| _ = names.take(*name, super::words::is_word));
    let mut interface = Interface::new(&mut names, shader, &whole, options)?;
    let mut helpers = Helpers::default();
    let cells = core::mem::take(&mut interface.cells);
    let fields: Vec<String> = cells.iter().map(|cell| cell.name.to_string()).collect();
    let (vertices, points) = (shader.setup.vertices_in, shader.setup.invocations.max(1));

    // What the patch has.
    let mut constants = Fields::patch();
    constants.levels(domain);
    let [outer, inner] = level_counts(domain);
    let mut copies: Vec<String> = Vec::new();
    let level = |kind: OutputKind| shader.outputs.iter().any(|output| output.kind == kind);
    for (name, count, there) in
        [("outer", outer, level(OutputKind::TessOuter)), ("inner", inner, level(OutputKind::TessInner))]
    {
        for n in 0..count {
            let to = if count == 1 { format!("output.{name}") } else { format!("output.{name}[{n}]") };
            // What is not written is open.
            let from = if there { format!("{name}[{n}]") } else { "1.0".into() };
            copies.push(format!("    {to} = {from};\n"));
        }
    }
    let mut of_patch = vec![Spelling::default(); shader.outputs.len()];
    let mut first = vec![String::from("PatchConstants output;")];
    for (n, output) in shader.outputs.iter().enumerate() {
        of_patch[n] = match output.kind {
            OutputKind::TessOuter => {
                first.push("float outer[4];".into());
                Spelling::plain("outer")
            }
            OutputKind::TessInner => {
                first.push("float inner[2];".into());
                Spelling::plain("inner")
            }
            OutputKind::PatchVarying { .. } => {
                let (name, ..) = constants.output(shader, output, options)?;
                Spelling { before: "output.", name: name.into(), after: "" }
            }
            _ => continue,
        };
    }
    interface.structure("PatchConstants", core::mem::take(&mut constants.lines));
    if let Some(one) = rounds {
        first.push(format!("uint id = {one}u;"));
    }
    let mut outside = interface.outside.clone();
    outside.results = Results::None;
    outside.last.clear();
    outside.first = first;
    outside.outputs_of = fields
        .iter()
        .map(|name| if name.is_empty() { String::new() } else { format!("points[@].{name}") })
        .collect();
    let primitive = if interface.writer.head.contains("SV_PrimitiveID") {
        ", uint primitive_id : SV_PrimitiveID"
    } else {
        ""
    };
    let head = format!(
        "\nPatchConstants patch_constants(InputPatch<HullInput, {vertices}> input, \
         const OutputPatch<HullOutput, {points}> points{primitive})"
    );
    let lang = Hlsl(options.model, Some(rounds.map_or(points, |_| 0)));
    let plan = Plan::new(&patch, |id| found.is_of_patch(id), MAX_DEPTH, options.style, true);
    let mut body = Body::new(lang, head, (&patch, plan), &outside, &mut names, &mut helpers);
    body.soft = soft;
    body.renames = options.names;
    body.take_cells(of_patch);
    body.memories = core::mem::take(&mut interface.memories);
    let (mut text, memories) = body.write()?;
    text.truncate(text.len() - "}\n".len());
    if rounds.is_none() {
        text.push_str("    }\n");
    }
    copies.iter().for_each(|line| text.push_str(line));
    text.push_str("    return output;\n}\n");

    // A control point.
    let setup = options.evaluation.map(|shader| shader.setup).unwrap_or_default();
    let spacing = match setup.spacing {
        Spacing::Equal => "integer",
        Spacing::FractionalOdd => "fractional_odd",
        Spacing::FractionalEven => "fractional_even",
    };
    let topology = match domain {
        _ if setup.points => "point",
        Primitive::Lines => "line",
        _ if setup.clockwise => "triangle_cw",
        _ => "triangle_ccw",
    };
    let head = core::mem::take(&mut interface.writer.head);
    let head = format!(
        "\n[domain(\"{}\")]\n[partitioning(\"{spacing}\")]\n[outputtopology(\"{topology}\")]\n\
         [outputcontrolpoints({points})]\n[patchconstantfunc(\"patch_constants\")]{head}",
        domain_name(domain)
    );
    let plan = Plan::new(&point, |id| !found.is_of_patch(id), MAX_DEPTH, options.style, true);
    let mut body = Body::new(
        Hlsl(options.model, None),
        head,
        (&point, plan),
        &interface.outside,
        &mut names,
        &mut helpers,
    );
    body.soft = soft;
    body.comments = options.comments;
    body.renames = options.names;
    body.take_cells(cells);
    body.memories = memories;
    let (main, memories) = body.write()?;
    text.push_str(&main);
    finish(interface, helpers, &memories, text, options)
}

impl Body<'_, '_, Hlsl> {
    /// Begins the function of a patch: its cells have their first values, and it goes through the invocations.
    pub(super) fn begin_patch(&mut self) {
        let Some(rounds) = self.lang.1 else { return };
        let shader = self.shader;
        for n in (0..shader.outputs.len()).filter(|n| shader.outputs[*n].kind.is_of_patch()) {
            let cell = self.plan.cells.get(n);
            if rounds > 0 || !cell.is_some_and(|cell| cell.is_whole() && cell.last.is_some()) {
                self.first_value(n);
            }
        }
        if rounds > 0 {
            self.line();
            self.out.push_str(&format!("for (uint id = 0u; id < {rounds}u; id++) {{\n"));
            self.go_in();
        }
    }
}
