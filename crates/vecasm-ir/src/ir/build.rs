//! Building shaders: a cursor that appends nodes to the innermost open region.

use super::op::{MAX_ARITY, Parameters};
use super::{
    Arg, Args, Arith, Home, If, Input, InputId, InputKind, Inst, Label, Node, Op, OutOfRange, Output,
    OutputId, OutputKind, ParamId, Pure, Region, Scalar, Shader, Stage, State, StateId, Tail, Type, Value,
    ValueInfo,
};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Appends to a shader. Regions are opened and closed in pairs: what is opened with [`open`](Self::open) is handed
/// back by [`close`](Self::close) and put into the node that owns it.
#[derive(Debug)]
pub struct Builder {
    /// The shader under construction; its tables may be filled at any time.
    pub shader: Shader,
    /// The source instruction that new instructions are attributed to.
    pub step: u32,
    /// The arithmetic of new instructions, as far as it concerns them.
    pub arith: Arith,
    /// The part of the pipeline that new instructions belong to.
    pub tail: Option<Tail>,
    open: Vec<Vec<Node>>,
    current: Vec<Node>,
    entry: Vec<Node>,
    labels: u32,
    operations: usize,
}

impl Builder {
    /// An empty shader. `capacity` is about the number of instructions to come.
    pub fn new(stage: Stage, isa: &'static str, files: &'static [&'static str], capacity: usize) -> Self {
        Self {
            shader: Shader {
                values: Vec::with_capacity(capacity),
                args: Vec::with_capacity(capacity * 2),
                ..Shader::new(stage, isa, files)
            },
            step: 0,
            arith: Arith::IEEE,
            tail: None,
            open: Vec::new(),
            current: Vec::with_capacity(capacity),
            entry: Vec::with_capacity(16),
            labels: 0,
            operations: 0,
        }
    }

    /// A shader with the tables of `from` and nothing else. `capacity` is about the number of instructions to come.
    pub fn like(from: &Shader, capacity: usize) -> Self {
        let mut b = Self::new(from.stage, "", &[], capacity);
        let (values, args) = (core::mem::take(&mut b.shader.values), core::mem::take(&mut b.shader.args));
        b.shader = Shader { values, args, ..from.tables() };
        b
    }

    /// The finished shader. Regions left open are dropped.
    pub fn finish(mut self) -> Shader {
        if let Some(first) = self.open.into_iter().next() {
            self.current = first;
        }
        self.current.splice(0..0, self.entry);
        self.shader.body.nodes = self.current;
        self.shader
    }

    /// A new value that some node will define.
    pub fn value(&mut self, ty: Type, home: Option<Home>) -> Value {
        let value = Value::new(self.shader.values.len() as u32);
        self.shader.values.push(ValueInfo { ty, home });
        value
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Number of operations appended so far.
    pub const fn operations(&self) -> usize {
        self.operations
    }

    /// How large the shader is so far, in operations: as many as were appended, or an eighth of all arguments and values
    /// if these are more.
    pub fn size(&self) -> usize {
        self.operations.max((self.shader.args.len() + self.shader.values.len()) / 8)
    }

    /// Attributes new instructions to what an instruction is attributed to: its step and its tail.
    pub fn follow(&mut self, inst: &Inst) {
        self.step = inst.step;
        self.tail = inst.tail;
    }

    /// Appends what belongs to a part of the pipeline.
    pub fn in_tail<T>(&mut self, tail: Tail, append: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.tail.replace(tail);
        let out = append(self);
        self.tail = outer;
        out
    }

    /// Stores an argument list.
    pub fn list(&mut self, args: &[Arg]) -> Args {
        let start = self.shader.args.len() as u32;
        self.shader.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    /// Appends an operation that gives a value of type `ty`.
    pub fn push(&mut self, op: Op, args: &[Arg], ty: Type) -> Value {
        let args = self.list(args);
        let arith = self.arith_of(op, args);
        self.append(op, args, arith, ty)
    }

    fn append(&mut self, op: Op, args: Args, arith: Arith, ty: Type) -> Value {
        let result = self.value(ty, None);
        let (step, tail) = (self.step, self.tail);
        self.current.push(Node::Inst(Inst { op, arith, result: Some(result), args, step, tail }));
        self.operations += 1;
        result
    }

    /// Puts an operation without arguments at the start of the shader, where every region sees its value.
    pub fn push_entry(&mut self, op: Op, ty: Type) -> Value {
        self.push_entry_with(op, Args::default(), ty)
    }

    /// As [`push_entry`](Self::push_entry), with arguments, which must be values of the start of the shader too.
    pub fn push_entry_with(&mut self, op: Op, args: Args, ty: Type) -> Value {
        let result = self.value(ty, None);
        self.operations += 1;
        self.entry.push(Node::Inst(Inst {
            op,
            arith: self.arith_of(op, args),
            result: Some(result),
            args,
            step: self.step,
            tail: self.tail,
        }));
        result
    }

    /// Appends an operation that gives nothing.
    pub fn effect(&mut self, op: Op, args: &[Arg]) {
        let args = self.list(args);
        let (step, tail) = (self.step, self.tail);
        let inst = Inst { op, arith: self.arith_of(op, args), result: None, args, step, tail };
        self.current.push(Node::Inst(inst));
        self.operations += 1;
    }

    /// The arithmetic of an instruction: what of [`arith`](Self::arith) [concerns](Arith::concerning) it.
    #[inline(always)]
    fn arith_of(&self, op: Op, args: Args) -> Arith {
        if self.arith == Arith::IEEE { Arith::IEEE } else { self.other_arith_of(op, args) }
    }

    #[cold]
    fn other_arith_of(&self, op: Op, args: Args) -> Arith {
        let Op::Pure(pure) = op else { return self.arith.concerning(op, Scalar::F32) };
        self.arith.concerning(op, pure.scalar_of(&self.shader, self.shader.args(args)))
    }

    /// Appends an operation that gives a value, whose type follows from the arguments and the tables. Arguments that do
    /// not fit, and operations that give nothing, give a value of one f32, which
    /// [`verify`](super::verify::verify) reports.
    pub fn op(&mut self, op: Op, args: &[Arg]) -> Arg {
        let ty = self.result_type(op, args).unwrap_or(Type::F32);
        Arg::all_lanes(self.push(op, args, ty), ty.lanes)
    }

    /// The type of what an operation gives with these arguments.
    fn result_type(&self, op: Op, args: &[Arg]) -> Option<Type> {
        let mut types = [Type::F32; Parameters::MOST];
        let types = types.get_mut(..args.len())?;
        for (ty, arg) in types.iter_mut().zip(args) {
            *ty = self.shader.arg_type(*arg);
        }
        op.result_type(&self.shader, types)
    }

    /// Appends a pure operation; the type of the result follows from the arguments. Arguments that do not fit give
    /// a value of the type of the first argument, which [`verify`](super::verify::verify) reports.
    pub fn pure(&mut self, op: Pure, args: &[Arg]) -> Arg {
        let mut types = [Type::F32; MAX_ARITY];
        for (ty, arg) in types.iter_mut().zip(args) {
            *ty = self.shader.arg_type(*arg);
        }
        let types = &types[..args.len().min(MAX_ARITY)];
        let ty = op.result_type(types).unwrap_or(*types.first().unwrap_or(&Type::F32));
        let arith = match self.arith {
            Arith::IEEE => Arith::IEEE,
            arith => arith.concerning(Op::Pure(op), op.scalar(types)),
        };
        let args = self.list(args);
        Arg::all_lanes(self.append(Op::Pure(op), args, arith, ty), ty.lanes)
    }

    /// One argument out of one to four lanes of values of one scalar type. Neighbours of one value become one swizzle; what
    /// several values are needed for is composed.
    pub fn gather(&mut self, places: impl Iterator<Item = (Value, u8)>) -> Arg {
        let (parts, n) = Arg::runs(places);
        self.join(&parts[..n.max(1)])
    }

    /// One argument out of [runs](Arg::runs) of lanes, one to four of them: several are composed.
    pub fn join(&mut self, parts: &[Arg]) -> Arg {
        match parts {
            [] => Arg::all_lanes(Value::new(0), 1),
            [only] => *only,
            [first, ..] => {
                let lanes = parts.iter().map(|part| part.lanes).sum();
                let ty = Type::new(self.shader.value(first.value).ty.scalar, lanes);
                Arg::all_lanes(self.push(Op::Compose, parts, ty), lanes)
            }
        }
    }

    /// The value of a state outside the program, of one to four f32 lanes, with its default. One of the same name and type that is
    /// there already is meant.
    pub fn state(&mut self, name: &str, default: &[f32]) -> Arg {
        let lanes = default.len().min(4) as u8;
        let ty = Type::new(Scalar::F32, lanes);
        let mut bits = [0; 4];
        for (to, from) in bits.iter_mut().zip(default) {
            *to = from.to_bits();
        }
        let known = self.shader.states.iter().position(|state| state.name == name && state.ty == ty);
        let at = known.unwrap_or(self.shader.states.len());
        if known.is_none() {
            self.shader.states.push(State { name: name.into(), ty, default: bits });
        }
        let id = StateId(at as u32);
        Arg::all_lanes(self.push_entry(Op::State(id), ty), lanes)
    }

    /// The input of a kind, if there is one.
    pub fn find_input(&self, kind: InputKind) -> Option<InputId> {
        self.shader.inputs.iter().position(|input| input.kind == kind).map(|at| InputId(at as u32))
    }

    /// Adds an input.
    pub fn add_input(&mut self, input: Input) -> InputId {
        self.shader.inputs.push(input);
        InputId(self.shader.inputs.len() as u32 - 1)
    }

    /// The value of an input, read at the start of the shader.
    pub fn input(&mut self, id: InputId) -> Arg {
        let ty = self.shader.inputs.get(id.index()).map_or(Type::F32X4, |input| input.ty);
        Arg::all_lanes(self.push_entry(Op::Input(id), ty), ty.lanes)
    }

    /// The output cell of a kind, if there is one.
    pub fn find_output(&self, kind: OutputKind) -> Option<OutputId> {
        self.shader.outputs.iter().position(|output| output.kind == kind).map(|at| OutputId(at as u32))
    }

    /// Adds an output cell.
    pub fn add_output(&mut self, output: Output) -> OutputId {
        self.shader.outputs.push(output);
        OutputId(self.shader.outputs.len() as u32 - 1)
    }

    /// The four lanes of an element of a parameter array, read at the start of the shader.
    pub fn param(&mut self, array: ParamId, index: u32) -> Arg {
        let mut ty = Type::F32X4;
        if let Some(array) = self.shader.params.get_mut(array.index()) {
            array.used = array.used.max(index + 1);
            ty.scalar = array.scalar;
        }
        Arg::all_lanes(self.push_entry(Op::Param { array, index }, ty), 4)
    }

    /// The four lanes of the element of a parameter array at a computed index plus a number.
    pub fn param_at(&mut self, array: ParamId, index: Arg, offset: i32, rule: OutOfRange) -> Arg {
        let mut ty = Type::F32X4;
        if let Some(array) = self.shader.params.get_mut(array.index()) {
            array.indexed = true;
            ty.scalar = array.scalar;
        }
        Arg::all_lanes(self.push(Op::ParamAt { array, offset, rule }, &[index], ty), 4)
    }

    /// As [`op`](Self::op), at the start of the shader, where every region sees the value; the arguments must be values of the
    /// start of the shader too.
    pub fn entry_op(&mut self, op: Op, args: &[Arg]) -> Arg {
        let ty = self.result_type(op, args).unwrap_or(Type::F32);
        let args = self.list(args);
        Arg::all_lanes(self.push_entry_with(op, args, ty), ty.lanes)
    }

    /// A constant of `lanes` equal f32 lanes.
    pub fn splat(&mut self, value: f32, lanes: u8) -> Arg {
        let mut bits = [0; 4];
        bits[..usize::from(lanes.min(4))].fill(value.to_bits());
        Arg::all_lanes(self.push_entry(Op::Const(bits), Type::new(Scalar::F32, lanes)), lanes)
    }

    /// A constant of one i32 lane.
    pub fn int(&mut self, value: i32) -> Arg {
        Arg::all_lanes(self.push_entry(Op::Const([value as u32, 0, 0, 0]), Type::I32), 1)
    }

    /// A constant of one u32 lane.
    pub fn uint(&mut self, value: u32) -> Arg {
        Arg::all_lanes(self.push_entry(Op::Const([value, 0, 0, 0]), Type::U32), 1)
    }

    /// Appends any node.
    pub fn node(&mut self, node: Node) {
        self.current.push(node);
    }

    /// What the lanes of an output cell hold here, if all that may have been stored to it stands in the outermost region:
    /// lanes of values, and `None` for those that are as they began. A helper's stores count as if they happened.
    pub fn stored(&self, output: OutputId) -> Option<[Option<(Value, u8)>; 4]> {
        if !self.open.is_empty() {
            return None;
        }
        let mut lanes = [None; 4];
        for node in self.current.iter().rev() {
            let Node::Inst(inst) = node else { return None };
            match inst.op {
                Op::StoreOutput { output: to, mask } if to == output => {
                    let arg = self.shader.args(inst.args).first()?;
                    for (n, lane) in mask.lanes().enumerate() {
                        lanes[lane] = lanes[lane].or(Some((arg.value, arg.swizzle.get(n))));
                    }
                }
                Op::StoreOutputAt { .. } => return None,
                _ => {}
            }
            if lanes.iter().all(Option::is_some) {
                break;
            }
        }
        Some(lanes)
    }

    /// The instruction of the innermost region, or of the start of the shader, that defines a value.
    pub fn definition(&self, value: Value) -> Option<&Inst> {
        self.current.iter().rev().chain(&self.entry).find_map(|node| match node {
            Node::Inst(inst) if inst.result == Some(value) => Some(inst),
            _ => None,
        })
    }

    /// Whether the innermost region ends in an exit, so that nothing may stand behind and no yields are needed.
    pub fn at_exit(&self) -> bool {
        matches!(self.current.last(), Some(Node::Leave { .. } | Node::Again { .. }))
    }

    /// Opens a region: what is appended from now on belongs to it.
    pub fn open(&mut self) {
        self.open.push(core::mem::take(&mut self.current));
    }

    /// Closes the innermost open region, which yields `yields`.
    pub fn close(&mut self, yields: &[Arg]) -> Region {
        let yields = self.list(yields);
        let nodes = core::mem::replace(&mut self.current, self.open.pop().unwrap_or_default());
        Region { nodes, yields }
    }

    /// Closes the innermost open region, which runs where a condition holds and gives nothing.
    pub fn close_where(&mut self, cond: Arg) {
        let then = self.close(&[]);
        let node = If { cond, then, otherwise: Region::default(), results: Vec::new() };
        self.node(Node::If(Box::new(node)));
    }

    /// Opens a closed region again, to append to it; its yields are dropped.
    pub fn reopen(&mut self, region: Region) {
        self.open.push(core::mem::replace(&mut self.current, region.nodes));
    }

    /// Sets the home of a value.
    pub fn set_home(&mut self, value: Value, home: Home) {
        self.shader.values[value.index()].home = Some(home);
    }
}
