//! Vertex shaders as compute shaders.

use super::rewrite::Rewrite;
use super::walk::Walk;
use super::{Lower, lower, promote};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::op::Pure;
use vecasm_ir::ir::steps::strip;
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{
    Arg, Buffer, BufferId, BufferKind, If, Input, InputId, InputKind, Inst, LocalArray, LocalId, Memory,
    Node, Op, OutputId, Pick, Scalar, Shader, Stage, System, Type,
};
use vecasm_ir::operand::WriteMask;

/// Invocations of a workgroup of what [`dispatch`] makes.
pub const DISPATCH_GROUP: u32 = 64;

/// Rewrites a vertex shader as a compute shader that does the same for one vertex in each invocation, so that its
/// outputs are words in a buffer that nothing interpolates or rounds.
///
/// * Buffer `attributes` in slot 0 holds 4 words for each [attribute](InputKind::Attribute) of each vertex, in the order
///   of the table of inputs: word `4 * (vertex * attributes + attribute) + lane`.
/// * Buffer `results` in slot 1 gets 4 words for each output likewise. Its size says how many vertices there are; what
///   goes beyond is left alone.
/// * A workgroup is 64 vertices, those of a dispatch stand along x.
///
/// Parameter arrays, state values and textures stay what they are. The step table and the brackets of idioms go.
///
/// # Errors
///
/// In words: another stage, a serial shader, one that asks its subgroup, chooses inputs or outputs by a computed number,
/// uses buffers, reads another system value than the number of the vertex, or has no outputs.
pub fn dispatch(shader: &Shader) -> Result<Shader, String> {
    if shader.stage != Stage::Vertex {
        return Err(format!("it is a {} shader", shader.stage.name()));
    }
    if shader.serial {
        return Err(super::why_serial(shader));
    }
    if !shader.buffers.is_empty() {
        return Err("it uses buffers".into());
    }
    if shader.outputs.is_empty() {
        return Err("it has no outputs".into());
    }
    let mut refused = None;
    shader.body.for_each_inst(&mut |inst| {
        let indexed =
            matches!(inst.op, Op::InputAt { .. } | Op::LoadOutputAt { .. } | Op::StoreOutputAt { .. });
        if indexed || inst.op.needs_subgroup() {
            refused = Some(inst.op);
        }
    });
    if let Some(op) = refused {
        return Err(format!("it does `{}`", op_name(op)));
    }
    let mut plain = shader.clone();
    strip(&mut plain);
    let plain = lower(&plain, Lower { idioms: true, switches: false });
    let mut sources = Vec::with_capacity(plain.inputs.len());
    let mut attributes = 0;
    for input in &plain.inputs {
        sources.push(match input.kind {
            InputKind::Attribute { .. } => {
                attributes += 1;
                Source::Attribute(attributes - 1)
            }
            InputKind::System(System::VertexIndex) => Source::Number,
            _ => return Err(format!("{} is {}", input.name, input.kind.name())),
        });
    }
    let mut pass = Dispatching { rw: Rewrite::new(&plain), sources, attributes, number: [None; 2] };
    pass.write(&plain);
    // The outputs, now in local arrays, become values again.
    Ok(promote(&pass.rw.b.finish()))
}

/// Where an input comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The attribute of that place among the attributes.
    Attribute(u32),
    /// The number of the vertex.
    Number,
}

struct Dispatching<'a> {
    rw: Rewrite<'a>,
    /// By input.
    sources: Vec<Source>,
    /// How many attributes there are.
    attributes: u32,
    /// The number of the vertex, and the offset of its first attribute.
    number: [Option<Arg>; 2],
}

const ATTRIBUTES: Memory = Memory::Buffer(BufferId(0));
const RESULTS: Memory = Memory::Buffer(BufferId(1));

impl<'a> Walk<'a> for Dispatching<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        match inst.op {
            Op::Input(id) => {
                let Some(result) = inst.result else { return };
                self.rw.b.follow(inst);
                if let Some(given) = self.input(id, self.rw.from.value(result).ty) {
                    self.rw.put_arg(result, given);
                }
            }
            Op::LoadOutput(output) => self.copy_inst(inst, Op::LoadLocal { array: cell(output), index: 0 }),
            Op::StoreOutput { output, mask } => {
                self.copy_inst(inst, Op::StoreLocal { array: cell(output), index: 0, mask });
            }
            Op::LoadLocal { array, index } => {
                let array = self.local(array);
                self.copy_inst(inst, Op::LoadLocal { array, index });
            }
            Op::LoadLocalAt { array, offset, rule } => {
                let array = self.local(array);
                self.copy_inst(inst, Op::LoadLocalAt { array, offset, rule });
            }
            Op::StoreLocal { array, index, mask } => {
                let array = self.local(array);
                self.copy_inst(inst, Op::StoreLocal { array, index, mask });
            }
            Op::StoreLocalAt { array, offset, mask, rule } => {
                let array = self.local(array);
                self.copy_inst(inst, Op::StoreLocalAt { array, offset, mask, rule });
            }
            op => self.copy_inst(inst, op),
        }
    }
}

/// The local array that an output lies in.
const fn cell(output: OutputId) -> LocalId {
    LocalId(output.0)
}

impl<'a> Dispatching<'a> {
    /// Where a local array of the vertex shader is now: behind the outputs.
    fn local(&self, array: LocalId) -> LocalId {
        LocalId(array.0.saturating_add(self.rw.from.outputs.len() as u32))
    }

    fn uint(&mut self, value: u32) -> Arg {
        self.rw.constant([value, 0, 0, 0], Type::U32)
    }

    /// `arg * factor + more` in u32.
    fn scaled(&mut self, arg: Arg, factor: u32, more: u32) -> Arg {
        let factor = self.uint(factor);
        let product = self.rw.b.pure(Pure::Mul, &[arg, factor]);
        let more = self.uint(more);
        self.rw.b.pure(Pure::Add, &[product, more])
    }

    /// The tables, and the body under the condition that there is such a vertex.
    fn write(&mut self, from: &'a Shader) {
        let new = &mut self.rw.b.shader;
        new.stage = Stage::Compute;
        new.setup.workgroup = [DISPATCH_GROUP, 1, 1];
        let system = |name: &str, of: System| Input::new(name, InputKind::System(of), of.ty());
        new.inputs = vec![system("local", System::LocalIndex), system("group", System::GroupIndex)];
        let cells = core::mem::take(&mut new.outputs).into_iter();
        let cells = cells.map(|o| LocalArray { name: o.name, scalar: o.scalar, size: 1 });
        new.locals = cells.chain(core::mem::take(&mut new.locals)).collect();
        let buffer = |name: &str, slot: u32, write: bool| Buffer {
            name: name.into(),
            slot,
            kind: BufferKind::Storage,
            write,
        };
        new.buffers = vec![buffer("attributes", 0, false), buffer("results", 1, true)];
        let system =
            |b: &mut Builder, id: u32| b.push(Op::Input(InputId(id)), &[], Type::new(Scalar::U32, 3));
        let (local, group) = (system(&mut self.rw.b, 0), system(&mut self.rw.b, 1));
        let group_size = self.uint(DISPATCH_GROUP);
        let start = self.rw.b.pure(Pure::Mul, &[Arg::lane(group, 0), group_size]);
        let number = self.rw.b.pure(Pure::Add, &[start, Arg::lane(local, 0)]);
        let stride = self.uint(self.attributes.saturating_mul(16));
        let offset = self.rw.b.pure(Pure::Mul, &[number, stride]);
        self.number = [Some(number), Some(offset)];
        let size = self.rw.b.op(Op::MemorySize { memory: RESULTS, pick: Pick::Fixed }, &[]);
        let result = (from.outputs.len() as u32).saturating_mul(16);
        let whole = self.uint(result);
        let count = self.rw.b.pure(Pure::Div, &[size, whole]);
        let cond = self.rw.b.pure(Pure::Lt, &[number, count]);
        self.rw.b.open();
        for (id, output) in from.outputs.iter().enumerate() {
            if output.init != [0; 4] {
                let init = self.rw.constant(output.init, Type::new(output.scalar, 4));
                let op = Op::StoreLocal { array: LocalId(id as u32), index: 0, mask: WriteMask::ALL };
                self.rw.b.effect(op, &[init]);
            }
        }
        self.nodes(&from.body);
        for (id, output) in (0..).zip(&from.outputs) {
            let mut value = self.rw.b.op(Op::LoadLocal { array: LocalId(id), index: 0 }, &[]);
            if output.scalar != Scalar::U32 {
                value = self.rw.b.pure(Pure::AsU32, &[value]);
            }
            let at = self.scaled(number, result, id.saturating_mul(16));
            let op = Op::StoreMemory { memory: RESULTS, mask: WriteMask::ALL, pick: Pick::Fixed };
            self.rw.b.effect(op, &[at, value]);
        }
        let then = self.rw.b.close(&[]);
        self.rw.b.open();
        let otherwise = self.rw.b.close(&[]);
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results: Vec::new() })));
    }

    /// An input of the vertex shader.
    fn input(&mut self, id: InputId, ty: Type) -> Option<Arg> {
        let [number, offset] = self.number;
        match self.sources.get(id.index())? {
            Source::Number => number,
            Source::Attribute(place) => {
                let more = self.uint(place.saturating_mul(16));
                let at = self.rw.b.pure(Pure::Add, &[offset?, more]);
                let load = Op::LoadMemory { memory: ATTRIBUTES, lanes: ty.lanes, pick: Pick::Fixed };
                let words = self.rw.b.op(load, &[at]);
                Some(match ty.scalar {
                    Scalar::F32 => self.rw.b.pure(Pure::AsF32, &[words]),
                    Scalar::I32 => self.rw.b.pure(Pure::AsI32, &[words]),
                    _ => words,
                })
            }
        }
    }
}
