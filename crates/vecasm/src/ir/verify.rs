//! The check of the IR against its own prose: [`verify`] finds every breach it can name.

use super::{
    Arg, Args, InputKind, Inst, Label, Node, Op, OutputId, Region, Scalar, Shader, Stage, Type, Value,
};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// Regions nested deeper than this are refused, so that everything that walks a shader may recurse.
pub const MAX_DEPTH: usize = 200;

/// A breach of the rules of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What is wrong.
    pub message: String,
    /// The source instruction it belongs to, from 0, if it is inside one.
    pub step: Option<u32>,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {step}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl core::error::Error for Breach {}

/// Checks a shader; an empty list means that it keeps every rule of the [IR](super).
pub fn verify(shader: &Shader) -> Vec<Breach> {
    let mut v = Verifier {
        shader,
        defined: vec![Visibility::Undefined; shader.values.len()],
        scope: Vec::new(),
        labels: Vec::new(),
        seen_labels: Vec::new(),
        breaches: Vec::new(),
        step: None,
    };
    v.tables();
    v.region(&shader.body, 0);
    if shader.body.yields.len != 0 {
        v.breach("the body of a shader yields values");
    }
    v.breaches
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    /// No node before this point defines the value.
    Undefined,
    /// Defined, and visible here.
    Visible,
    /// Defined in a region that has ended.
    Gone,
}

struct Open {
    label: Label,
    /// Types a leave must give.
    results: Vec<Type>,
    /// Types an again must give; `None` for a block.
    params: Option<Vec<Type>>,
}

struct Verifier<'a> {
    shader: &'a Shader,
    defined: Vec<Visibility>,
    /// Values visible here, in the order of their definitions.
    scope: Vec<Value>,
    labels: Vec<Open>,
    seen_labels: Vec<Label>,
    breaches: Vec<Breach>,
    step: Option<u32>,
}

impl Verifier<'_> {
    #[cold]
    fn breach(&mut self, message: impl Into<String>) {
        self.breaches.push(Breach { message: message.into(), step: self.step });
    }

    fn tables(&mut self) {
        let shader = self.shader;
        for (i, value) in shader.values.iter().enumerate() {
            if !(1..=4).contains(&value.ty.lanes) {
                self.breach(format!("%{i} has {} lanes; a value has 1 to 4", value.ty.lanes));
            }
            if value.home.is_some_and(|home| usize::from(home.file) >= shader.files.len()) {
                self.breach(format!("%{i} has a home in an unknown register file"));
            }
        }
        for (i, input) in shader.inputs.iter().enumerate() {
            let fits = match input.kind {
                InputKind::Attribute { .. } => shader.stage == Stage::Vertex,
                InputKind::Varying { .. } => shader.stage != Stage::Vertex && shader.stage != Stage::Compute,
                InputKind::PatchVarying { .. } => shader.stage == Stage::TessEval,
                InputKind::System(system) => {
                    if input.ty != system.ty() {
                        let (name, ty) = (system.name(), type_name(system.ty()));
                        self.breach(format!("input {} is {name}, which is of type {ty}", input.name));
                    }
                    system.exists_in(shader.stage)
                }
            };
            if !fits {
                self.breach(format!(
                    "input {} does not exist in the {} stage",
                    input.name,
                    shader.stage.name()
                ));
            }
            if !(1..=4).contains(&input.ty.lanes) {
                self.breach(format!("input {} has {} lanes", input.name, input.ty.lanes));
            }
            if shader.inputs[..i].iter().any(|other| other.kind == input.kind) {
                self.breach(format!("input {} stands twice", input.name));
            }
        }
        for (i, output) in shader.outputs.iter().enumerate() {
            if !output.kind.exists_in(shader.stage) {
                self.breach(format!(
                    "output {} does not exist in the {} stage",
                    output.name,
                    shader.stage.name()
                ));
            }
            if shader.outputs[..i].iter().any(|other| other.kind == output.kind) {
                self.breach(format!("output {} stands twice", output.name));
            }
        }
        for param in &shader.params {
            if param.used > param.size {
                self.breach(format!(
                    "parameter array {} uses more than its {} elements",
                    param.name, param.size
                ));
            }
        }
    }

    /// The types of a list of arguments; breaches are reported and leave a plausible type.
    fn args(&mut self, args: Args) -> Vec<Type> {
        let end = u64::from(args.start) + u64::from(args.len);
        if end > self.shader.args.len() as u64 {
            self.breach("an argument list lies outside the table of arguments");
            return Vec::new();
        }
        self.shader.args(args).iter().map(|&arg| self.arg(arg)).collect()
    }

    fn arg(&mut self, arg: Arg) -> Type {
        let Some(info) = self.shader.values.get(arg.value.index()).copied() else {
            self.breach(format!("%{} does not exist", arg.value.0));
            return Type::new(Scalar::F32, arg.lanes);
        };
        match self.defined[arg.value.index()] {
            Visibility::Visible => {}
            Visibility::Undefined => self.breach(format!("%{} is used before its definition", arg.value.0)),
            Visibility::Gone => {
                self.breach(format!("%{} is used outside the region that defines it", arg.value.0));
            }
        }
        if !(1..=4).contains(&arg.lanes) {
            self.breach(format!("an argument picks {} lanes of %{}", arg.lanes, arg.value.0));
        }
        for lane in 0..usize::from(arg.lanes.min(4)) {
            if arg.swizzle.get(lane) >= info.ty.lanes {
                let letter = crate::isa::operand::LANES[usize::from(arg.swizzle.get(lane))];
                self.breach(format!("%{} has no lane {letter}: it has {}", arg.value.0, info.ty.lanes));
                break;
            }
        }
        Type::new(info.ty.scalar, arg.lanes)
    }

    fn define(&mut self, value: Value) {
        match self.defined.get(value.index()) {
            None => self.breach(format!("%{} is defined but not in the table of values", value.0)),
            Some(Visibility::Undefined) => {
                self.defined[value.index()] = Visibility::Visible;
                self.scope.push(value);
            }
            Some(_) => self.breach(format!("%{} is defined twice", value.0)),
        }
    }

    fn value_type(&self, value: Value) -> Option<Type> {
        self.shader.values.get(value.index()).map(|info| info.ty)
    }

    fn types(&self, values: &[Value]) -> Vec<Type> {
        values.iter().map(|&v| self.value_type(v).unwrap_or(Type::F32)).collect()
    }

    fn expect(&mut self, what: &str, got: &[Type], wanted: &[Type]) {
        if got != wanted {
            let show = |types: &[Type]| types.iter().map(|t| type_name(*t)).collect::<Vec<_>>().join(" ");
            self.breach(format!("{what} ({}) where ({}) is wanted", show(got), show(wanted)));
        }
    }

    fn region(&mut self, region: &Region, depth: usize) -> Vec<Type> {
        if depth > MAX_DEPTH {
            self.breach(format!("regions are nested more than {MAX_DEPTH} deep"));
            return Vec::new();
        }
        let outer = self.scope.len();
        let mut ended = false;
        for node in &region.nodes {
            if ended {
                self.breach("a node stands behind an exit");
                ended = false;
            }
            match node {
                Node::Inst(inst) => {
                    self.step = Some(inst.step);
                    self.inst(inst);
                }
                Node::If(node) => {
                    let cond = self.arg(node.cond);
                    self.expect("the condition of an if is", &[cond], &[Type::BOOL]);
                    let results = self.types(&node.results);
                    for arm in [&node.then, &node.otherwise] {
                        let yields = self.region(arm, depth + 1);
                        if !exits(arm) {
                            self.expect("an arm of an if yields", &yields, &results);
                        }
                    }
                    node.results.iter().for_each(|&v| self.define(v));
                }
                Node::Block(node) => {
                    let results = self.types(&node.results);
                    self.enter(node.label, results.clone(), None);
                    let yields = self.region(&node.body, depth + 1);
                    self.labels.pop();
                    if !exits(&node.body) {
                        self.expect("a block yields", &yields, &results);
                    }
                    node.results.iter().for_each(|&v| self.define(v));
                }
                Node::Loop(node) => {
                    let params = self.types(&node.params);
                    let results = self.types(&node.results);
                    let init = self.args(node.init);
                    self.expect("a loop starts with", &init, &params);
                    let outside = self.scope.len();
                    node.params.iter().for_each(|&v| self.define(v));
                    self.enter(node.label, results, Some(params.clone()));
                    let yields = self.region(&node.body, depth + 1);
                    self.labels.pop();
                    if !exits(&node.body) {
                        self.expect("the body of a loop yields", &yields, &params);
                    }
                    self.close(outside);
                    node.results.iter().for_each(|&v| self.define(v));
                }
                Node::Switch(_) | Node::Idiom(_) => self.breach("not verified yet"),
                Node::Leave { label, values } => {
                    let got = self.args(*values);
                    match self.labels.iter().rev().find(|open| open.label == *label) {
                        Some(open) => {
                            let wanted = open.results.clone();
                            self.expect("a leave gives", &got, &wanted);
                        }
                        None => self.breach(format!("leave L{}: no such region is open", label.0)),
                    }
                    ended = true;
                }
                Node::Again { label, values } => {
                    let got = self.args(*values);
                    match self.labels.iter().rev().find(|open| open.label == *label) {
                        Some(Open { params: Some(params), .. }) => {
                            let wanted = params.clone();
                            self.expect("an again gives", &got, &wanted);
                        }
                        Some(_) => self.breach(format!("again L{}: a block has no next round", label.0)),
                        None => self.breach(format!("again L{}: no such loop is open", label.0)),
                    }
                    ended = true;
                }
            }
        }
        let yields = self.args(region.yields);
        self.close(outer);
        yields
    }

    fn enter(&mut self, label: Label, results: Vec<Type>, params: Option<Vec<Type>>) {
        if self.seen_labels.contains(&label) {
            self.breach(format!("label L{} names two regions", label.0));
        }
        self.seen_labels.push(label);
        self.labels.push(Open { label, results, params });
    }

    /// Ends the visibility of everything defined since the scope had `outer` values.
    fn close(&mut self, outer: usize) {
        for value in self.scope.drain(outer..) {
            self.defined[value.index()] = Visibility::Gone;
        }
    }

    fn output(&mut self, id: OutputId) -> bool {
        let known = id.index() < self.shader.outputs.len();
        if !known {
            self.breach(format!("output {} does not exist", id.0));
        }
        known
    }

    fn inst(&mut self, inst: &Inst) {
        let args = self.args(inst.args);
        let wanted = match inst.op {
            Op::Input(id) => match self.shader.inputs.get(id.index()) {
                Some(input) => {
                    self.expect("an input takes", &args, &[]);
                    Some(input.ty)
                }
                None => {
                    self.breach(format!("input {} does not exist", id.0));
                    None
                }
            },
            Op::Const(bits) => {
                self.expect("a constant takes", &args, &[]);
                let ty = inst.result.and_then(|v| self.value_type(v));
                if let Some(ty) = ty {
                    let beyond = bits.iter().skip(usize::from(ty.lanes)).any(|&b| b != 0);
                    if beyond {
                        self.breach("a constant has bits in lanes that its type lacks");
                    }
                    if ty.scalar == Scalar::Bool && bits.iter().any(|&b| b > 1) {
                        self.breach("a bool constant is neither 0 nor 1");
                    }
                }
                ty
            }
            Op::StoreOutput { output, mask } => {
                self.output(output);
                let wanted = Type::new(Scalar::F32, mask.count() as u8);
                self.expect("a store gives", &args, &[wanted]);
                None
            }
            Op::Mark(step) => {
                match self.shader.steps.get(step as usize) {
                    Some(step) => {
                        let wanted: Vec<u8> = step.accesses().map(|a| a.mask.count() as u8).collect();
                        if !args.iter().map(|t| t.lanes).eq(wanted.iter().copied()) {
                            self.breach("a mark gives other lanes than its step accesses");
                        }
                    }
                    None => self.breach(format!("step {step} stands in no table")),
                }
                None
            }
            Op::Demote => {
                if self.shader.stage != Stage::Fragment {
                    self.breach("demote outside the fragment stage");
                }
                self.expect("demote takes", &args, &[Type::BOOL]);
                None
            }
            op if !op.gives() => None,
            op => {
                self.references(op, &args);
                let ty = op.result_type(self.shader, &args);
                if ty.is_none() {
                    let show = args.iter().map(|t| type_name(*t)).collect::<Vec<_>>().join(" ");
                    self.breach(format!("{} does not take ({show})", super::text::op_name(op)));
                    return;
                }
                ty
            }
        };
        match (inst.result, wanted) {
            (Some(value), Some(wanted)) => {
                if let Some(got) = self.value_type(value) {
                    self.expect("a result has the type", &[got], &[wanted]);
                }
                self.define(value);
            }
            (Some(value), None) => {
                if !inst.op.gives() {
                    self.breach(format!("%{} is defined by an operation that gives nothing", value.0));
                } else {
                    self.define(value);
                }
            }
            (None, Some(_)) => self.breach("an operation that gives a value defines none"),
            (None, None) => {}
        }
    }

    /// Checks what an operation refers to in the tables of the shader.
    fn references(&mut self, op: Op, args: &[Type]) {
        match op {
            Op::Param { array, index } => match self.shader.params.get(array.index()) {
                Some(param) if index >= param.size => {
                    self.breach(format!("{}[{index}] lies outside the array of {}", param.name, param.size));
                }
                Some(_) => {}
                None => self.breach(format!("parameter array {} does not exist", array.0)),
            },
            Op::ParamAt { array, .. } => match self.shader.params.get(array.index()) {
                Some(param) if !param.indexed => {
                    self.breach(format!("{} is read by a computed index but not marked so", param.name));
                }
                Some(_) => {}
                None => self.breach(format!("parameter array {} does not exist", array.0)),
            },
            Op::LoadOutput(id) => {
                self.output(id);
            }
            Op::Sample { texture, lod: _, .. } => match self.shader.textures.get(texture.index()) {
                Some(bound) => {
                    let lanes = bound.dim.coord_lanes();
                    if args.first().is_some_and(|t| t.lanes != lanes) {
                        self.breach(format!("{} takes coordinates of {lanes} lanes", bound.name));
                    }
                    if self.shader.stage != Stage::Fragment && op.needs_quad() {
                        self.breach("a texture read without a level outside the fragment stage");
                    }
                }
                None => self.breach(format!("texture {} does not exist", texture.0)),
            },
            Op::Ddx(_) | Op::Ddy(_) if self.shader.stage != Stage::Fragment => {
                self.breach("a derivative outside the fragment stage");
            }
            _ => {}
        }
    }
}

/// Whether a region ends in an exit, so that its yields do not matter.
fn exits(region: &Region) -> bool {
    matches!(region.nodes.last(), Some(Node::Leave { .. } | Node::Again { .. }))
}

/// The spelling of a type: `f32`, `f32x3`.
pub(crate) fn type_name(ty: Type) -> String {
    if ty.lanes == 1 { ty.scalar.name().into() } else { format!("{}x{}", ty.scalar.name(), ty.lanes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::Builder;
    use crate::ir::{Block, If, Loop, Output, OutputKind, Pure};
    use crate::isa::operand::WriteMask;
    use alloc::boxed::Box;

    fn builder() -> Builder {
        let mut b = Builder::new(Stage::Fragment, "test", &["r"], 8);
        b.shader.outputs.push(Output::new("oc", OutputKind::Color { target: 0 }));
        b
    }

    fn messages(shader: &Shader) -> Vec<String> {
        verify(shader).into_iter().map(|b| b.message).collect()
    }

    #[test]
    fn a_sound_shader_has_no_breach() {
        let mut b = builder();
        let x = b.splat(1.0, 4);
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[x]);
        assert_eq!(messages(&b.finish()), [""; 0]);
    }

    #[test]
    fn values_end_with_their_region() {
        let mut b = builder();
        let cond = Arg::whole(b.push_entry(Op::Const([1, 0, 0, 0]), Type::BOOL), 1);
        b.open();
        let inner = b.push(Op::Const([0; 4]), &[], Type::F32);
        let then = b.close(&[]);
        b.node(Node::If(Box::new(If { cond, then, otherwise: Region::default(), results: Vec::new() })));
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[Arg::whole(inner, 1)]);
        assert_eq!(messages(&b.finish()), ["%1 is used outside the region that defines it"]);
    }

    #[test]
    fn types_must_fit() {
        let mut b = builder();
        let one = b.splat(1.0, 1);
        let three = b.splat(1.0, 3);
        b.pure(Pure::Add, &[one, three]);
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::XYZ }, &[one]);
        b.effect(Op::Demote, &[one]);
        assert_eq!(
            messages(&b.finish()),
            [
                "add does not take (f32 f32x3)",
                "a store gives (f32) where (f32x3) is wanted",
                "demote takes (f32) where (bool) is wanted"
            ]
        );
    }

    #[test]
    fn exits_need_an_open_region_of_their_kind() {
        let mut b = builder();
        let block = b.label();
        b.open();
        b.node(Node::Again { label: block, values: Args::default() });
        let body = b.close(&[]);
        b.node(Node::Block(Box::new(Block { label: block, body, results: Vec::new() })));
        let stray = b.label();
        b.node(Node::Leave { label: stray, values: Args::default() });
        assert_eq!(
            messages(&b.finish()),
            ["again L0: a block has no next round", "leave L1: no such region is open"]
        );
    }

    #[test]
    fn a_loop_carries_what_it_declares() {
        let mut b = builder();
        let start = b.splat(0.0, 1);
        let label = b.label();
        let param = b.value(Type::F32, None);
        b.open();
        let body = b.close(&[]);
        let init = b.list(&[start]);
        b.node(Node::Loop(Box::new(Loop { label, params: vec![param], init, body, results: Vec::new() })));
        assert_eq!(messages(&b.finish()), ["the body of a loop yields () where (f32) is wanted"]);
    }

    #[test]
    fn lanes_must_exist() {
        let mut b = builder();
        let one = b.splat(1.0, 1);
        b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::X }, &[Arg::lane(one.value, 2)]);
        assert_eq!(messages(&b.finish()), ["%0 has no lane z: it has 1"]);
    }
}
