//! The function of the entry point.
//!
//! | file | holds |
//! |---|---|
//! | `interface` | inputs, outputs |
//! | `bindings` | what is bound: constants, states, textures |
//! | `cells` | parameter arrays, local arrays, what is chosen by a computed index |
//! | `flow` | regions and exits |
//! | `pure` | pure operations |
//! | `convert` | conversions between types |
//! | `textures` | texture reads and questions |
//! | `memory` | buffers, what a workgroup shares, barriers |
//! | `images` | images |
//! | `group` | questions to the subgroup |
//! | `stages` | what only the stages between vertices and fragments have |
//!
//! Here stand the values: what each is known as, and how lanes of it are taken.

mod bindings;
mod cells;
mod convert;
mod flow;
mod group;
mod images;
mod interface;
mod memory;
mod pure;
mod stages;
mod textures;

use super::module::{FIRST, Id, Module};
use super::rules::{self, refused};
use super::uses::{Survey, Uses};
use super::words::{op, push, storage};
use super::{Options, Output, PushConstants, Spec, StageOptions};
use crate::emits::EmittedVertices;
use crate::naming::Part;
use crate::options::{Binding, Constant};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use bindings::SampledTexture;
use flow::Frame;
use images::Texels;
use interface::{Array, Cell};
use memory::Words;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::op::{Place, constant_lane};
use vecasm_ir::ir::text::op_name;
use vecasm_ir::ir::{Arg, Inst, Op, Scalar, Shader, Stage, Type, Value};
use vecasm_ir::operand::Swizzle;

/// What a value is.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// Not written yet.
    Nothing,
    /// The result of an instruction.
    Id(Id),
    /// A constant: its bits, as [`Op::Const`] has them.
    Bits([u32; 4]),
    /// Lanes of another value, which is no such thing itself.
    Lanes(Arg),
}

/// Lanes of a value that have been taken.
#[derive(Clone, Copy)]
struct ExtractedLanes {
    value: Value,
    /// The bits of the swizzle, and how many lanes.
    lanes: (u8, u8),
    id: Id,
    /// What was taken of the same value before, as [`Body::last_taken`] has it.
    before: u32,
}

/// Writes one entry point.
pub(super) struct Body<'a> {
    m: Module,
    shader: &'a Shader,
    options: &'a Options<'a>,
    places: &'a StageOptions<'a>,
    uses: Uses,
    survey: Survey,
    values: Vec<Known>,
    /// Whether a value cannot be negative whatever happens; NaN counts as not negative.
    never_negative: Vec<bool>,
    /// Lanes that are results already, in the blocks around, in the order in which they were taken.
    taken: Vec<ExtractedLanes>,
    /// By value: the place behind its last ones in [`taken`](Self::taken), or 0.
    last_taken: Vec<u32>,
    /// The label of the open block.
    block: Id,
    open: Vec<Frame<'a>>,
    /// The open switches.
    detours: Vec<flow::Detour>,
    /// Whether results of the present instruction must not be contracted.
    precise: bool,
    /// By input: the variable.
    inputs: Vec<Option<Id>>,
    /// By output.
    cells: Vec<Cell>,
    /// Variables that outputs chosen by a number live in: the first output, how many, and the array.
    runs: Vec<(u32, u32, Array)>,
    /// By place in [`Uses::input_runs`].
    input_runs: Vec<Array>,
    /// By parameter array.
    params: Vec<Option<Array>>,
    /// By parameter array: the parts that it is declared in, and the member of the block that the first one is.
    parts: Vec<(Vec<Part>, u32)>,
    /// By local array.
    locals: Vec<Option<Array>>,
    /// The block of the state values.
    states: Id,
    /// By state: the constant that the pipeline chooses.
    specials: Vec<Id>,
    specs: Vec<Spec>,
    /// The block of push constants.
    push: Id,
    /// By parameter array: which member of that block it is.
    push_members: Vec<Option<u32>>,
    pushes: Vec<PushConstants>,
    /// The line of the source that the present block stands at.
    line: u32,
    /// By texture.
    textures: Vec<Option<SampledTexture>>,
    /// By texture: whether something reads it through its sampler.
    through_samplers: Vec<bool>,
    /// By buffer.
    buffers: Vec<Option<Words>>,
    /// By image.
    images: Vec<Option<Texels>>,
    /// What the workgroup shares.
    shared: Id,
    /// By output: the variable that it goes out by.
    outlets: Vec<Id>,
    /// Built-in variables with an element for each vertex that comes in.
    vertex_builtins: Vec<(u32, Id)>,
    /// The number of the invocation in its patch.
    invocation: Id,
    emits: EmittedVertices,
    /// The variable that counts vertices, if there may be too many.
    given: Id,
    /// The size of a workgroup, three lanes.
    workgroup: Id,
    bindings: Vec<Binding>,
    constants: Vec<Constant>,
    /// By binding: the variable.
    bound: Vec<Id>,
    /// The variable that says whether the invocation is demoted.
    demoted: Id,
    /// Built-in variables that are no input of the shader.
    builtins: Vec<(u32, Id)>,
    /// The first thing that cannot be said.
    refusal: Option<Diagnostic>,
}

impl<'a> Body<'a> {
    pub(super) fn new(shader: &'a Shader, options: &'a Options<'a>, survey: Survey) -> Self {
        Self {
            m: Module::new(options, shader.values.len()),
            shader,
            options,
            places: options.stage(shader.stage),
            uses: Uses::of(shader),
            survey,
            values: vec![Known::Nothing; shader.values.len()],
            never_negative: vec![false; shader.values.len()],
            taken: Vec::with_capacity(16),
            last_taken: vec![0; shader.values.len()],
            block: FIRST,
            open: Vec::new(),
            detours: Vec::new(),
            precise: false,
            inputs: vec![None; shader.inputs.len()],
            cells: Vec::with_capacity(shader.outputs.len()),
            runs: Vec::new(),
            input_runs: Vec::new(),
            params: vec![None; shader.params.len()],
            parts: vec![(Vec::new(), 0); shader.params.len()],
            locals: vec![None; shader.locals.len()],
            states: 0,
            specials: vec![0; shader.states.len()],
            specs: Vec::new(),
            push: 0,
            push_members: Vec::new(),
            pushes: Vec::new(),
            line: 0,
            textures: vec![None; shader.textures.len()],
            through_samplers: crate::host::sampled(shader, |_| true),
            buffers: vec![None; shader.buffers.len()],
            images: vec![None; shader.images.len()],
            shared: 0,
            outlets: vec![0; shader.outputs.len()],
            vertex_builtins: Vec::new(),
            invocation: 0,
            emits: EmittedVertices::default(),
            given: 0,
            workgroup: 0,
            bindings: Vec::new(),
            constants: Vec::new(),
            bound: Vec::new(),
            demoted: 0,
            builtins: Vec::new(),
            refusal: None,
        }
    }

    pub(super) fn write(mut self) -> Result<Output, Diagnostic> {
        let model = self.stage();
        self.begin_shared();
        self.begin();
        let shader = self.shader;
        if self.region(&shader.body) {
            self.end();
            push(&mut self.m.code, op::RETURN, &[]);
        }
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let mut bindings = self.bindings;
        bindings.sort_by_key(|b| (b.place.group, b.place.binding));
        let words = self.m.finish(model, self.places.entry.unwrap_or("main"));
        self.specs.sort_by_key(|spec| spec.number);
        Ok(Output { words, bindings, specs: self.specs, push: self.pushes, constants: self.constants })
    }

    /// Notes that something cannot be said; the words come to nothing.
    #[cold]
    fn refuse(&mut self, rule: &'static Rule, what: String) {
        if self.refusal.is_none() {
            self.refusal = Some(refused(rule, what));
        }
    }

    /// Notes that there is no such operation.
    #[cold]
    fn cannot(&mut self, op: Op) {
        self.refuse(
            rules::OP,
            format!("SPIR-V has no equivalent of `{}`, or it is not supported", op_name(op)),
        );
    }

    // Instructions

    /// An instruction with a result.
    fn op(&mut self, code: u16, ty: Id, operands: &[u32]) -> Id {
        let id = self.m.id();
        let out = &mut self.m.code;
        out.push(u32::from(code) | ((operands.len() as u32 + 3) << 16));
        out.extend([ty, id]);
        out.extend_from_slice(operands);
        if self.precise && is_arithmetic(code) {
            self.m.no_contraction(id);
        }
        id
    }

    /// An instruction without a result.
    fn effect(&mut self, code: u16, operands: &[u32]) {
        push(&mut self.m.code, code, operands);
    }

    /// An instruction of `GLSL.std.450`.
    fn glsl(&mut self, number: u32, ty: Id, operands: &[Id]) -> Id {
        let set = self.m.glsl();
        let id = self.m.id();
        let out = &mut self.m.code;
        out.push(u32::from(op::EXT_INST) | ((operands.len() as u32 + 5) << 16));
        out.extend([ty, id, set, number]);
        out.extend_from_slice(operands);
        id
    }

    fn label(&mut self, label: Id) {
        self.effect(op::LABEL, &[label]);
        self.block = label;
        // A line holds up to the end of its block.
        self.line = 0;
    }

    fn goto(&mut self, label: Id) {
        self.effect(op::BRANCH, &[label]);
    }

    fn load(&mut self, ty: Id, pointer: Id) -> Id {
        self.op(op::LOAD, ty, &[pointer])
    }

    fn store(&mut self, pointer: Id, value: Id) {
        self.effect(op::STORE, &[pointer, value]);
    }

    fn ty(&mut self, scalar: Scalar, lanes: u8) -> Id {
        self.m.ty(Type::new(scalar, lanes))
    }

    // Values

    fn type_of(&self, value: Value) -> Type {
        self.shader.values.get(value.index()).map_or(Type::F32, |info| info.ty)
    }

    fn scalar_of(&self, arg: Arg) -> Scalar {
        self.type_of(arg.value).scalar
    }

    /// Says what a value is.
    fn define(&mut self, value: Value, known: Known) {
        if let Some(slot) = self.values.get_mut(value.index()) {
            *slot = known;
        }
        if let (Known::Id(id), true) = (known, self.m.named()) {
            if let Some(home) = self.shader.values.get(value.index()).and_then(|info| info.home) {
                let name = self.shader.home_name(home);
                self.m.name(id, &name);
            }
        }
    }

    /// Says that a value is lanes of another one.
    fn alias(&mut self, value: Value, arg: Arg) {
        let arg = self.resolve(arg);
        let known = match self.values.get(arg.value.index()) {
            Some(&Known::Bits(bits)) => {
                let scalar = self.scalar_of(arg);
                let lanes: Vec<u64> = (0..usize::from(arg.lanes.min(4)))
                    .map(|n| constant_lane(bits, scalar, usize::from(arg.swizzle.get(n))))
                    .collect();
                vecasm_ir::ir::op::constant_of(&lanes, scalar).map_or(Known::Lanes(arg), Known::Bits)
            }
            _ => Known::Lanes(arg),
        };
        let negative = self.may_be_negative(arg);
        if let Some(slot) = self.never_negative.get_mut(value.index()) {
            *slot = !negative;
        }
        self.define(value, known);
    }

    fn may_be_negative(&self, arg: Arg) -> bool {
        if let Some(bits) = self.constant(arg) {
            return bits.iter().take(usize::from(arg.lanes)).any(|bits| bits >> 31 & 1 == 1);
        }
        let arg = self.resolve(arg);
        !self.never_negative.get(arg.value.index()).copied().unwrap_or(false)
    }

    /// The same lanes of a value that is no other name of something.
    fn resolve(&self, arg: Arg) -> Arg {
        let Some(&Known::Lanes(of)) = self.values.get(arg.value.index()) else { return arg };
        let lane = |i: usize| of.swizzle.get(usize::from(arg.swizzle.get(i)));
        let swizzle = Swizzle::new(lane(0), lane(1), lane(2), lane(3));
        Arg { value: of.value, swizzle, lanes: arg.lanes }
    }

    /// The bits of each lane, if they are known. Lanes behind those of the argument are zero.
    fn constant(&self, arg: Arg) -> Option<[u64; 4]> {
        let arg = self.resolve(arg);
        let Some(Known::Bits(bits)) = self.values.get(arg.value.index()) else { return None };
        let scalar = self.scalar_of(arg);
        let mut out = [0; 4];
        for (n, out) in out.iter_mut().enumerate().take(usize::from(arg.lanes)) {
            *out = constant_lane(*bits, scalar, usize::from(arg.swizzle.get(n)));
        }
        Some(out)
    }

    /// The number that all lanes of an argument are.
    fn number(&self, arg: Arg) -> Option<u64> {
        let bits = self.constant(arg)?;
        let lanes = &bits[..usize::from(arg.lanes.clamp(1, 4))];
        lanes.iter().all(|lane| *lane == lanes[0]).then_some(lanes[0])
    }

    /// An argument as a result.
    fn arg(&mut self, arg: Arg) -> Id {
        let arg = self.resolve(arg);
        let ty = self.type_of(arg.value);
        let lanes = arg.lanes.clamp(1, 4);
        match self.values.get(arg.value.index()).copied().unwrap_or(Known::Nothing) {
            Known::Bits(_) => {
                let bits = self.constant(arg).unwrap_or_default();
                self.literal(ty.scalar, &bits[..usize::from(lanes)])
            }
            Known::Id(id) => {
                let all = (1u16 << (2 * lanes)) - 1;
                let bits = arg.swizzle.bits() & all as u8;
                if lanes == ty.lanes && bits == Swizzle::IDENTITY.bits() & all as u8 {
                    return id;
                }
                let last = self.last_taken.get(arg.value.index()).copied().unwrap_or(0);
                let mut place = last;
                while let Some(there) = (place as usize).checked_sub(1).and_then(|at| self.taken.get(at)) {
                    if there.lanes == (bits, lanes) {
                        return there.id;
                    }
                    place = there.before;
                }
                let new = self.lanes(id, ty, arg);
                self.taken.push(ExtractedLanes {
                    value: arg.value,
                    lanes: (bits, lanes),
                    id: new,
                    before: last,
                });
                if let Some(slot) = self.last_taken.get_mut(arg.value.index()) {
                    *slot = self.taken.len() as u32;
                }
                new
            }
            // Only a shader that breaks the rules of the IR comes here.
            Known::Nothing | Known::Lanes(_) => {
                self.refuse(rules::OP, "a value is used that nothing defines".into());
                let ty = self.ty(ty.scalar, lanes);
                self.m.null(ty)
            }
        }
    }

    /// A constant. Readers of SPIR-V refuse some constants that are no numbers, so those are bits of an integer.
    fn literal(&mut self, scalar: Scalar, bits: &[u64]) -> Id {
        if scalar != Scalar::F32 || bits.iter().all(|lane| f32::from_bits(*lane as u32).is_finite()) {
            return self.m.constant(scalar, bits);
        }
        let ty = self.ty(scalar, bits.len() as u8);
        let bits = self.m.constant(Scalar::U32, bits);
        self.op(op::BITCAST, ty, &[bits])
    }

    /// Takes lanes of a result.
    fn lanes(&mut self, id: Id, ty: Type, arg: Arg) -> Id {
        let lane = |n: u8| u32::from(arg.swizzle.get(usize::from(n)));
        let of = self.ty(ty.scalar, arg.lanes);
        if ty.lanes == 1 {
            return self.op(op::COMPOSITE_CONSTRUCT, of, &[id; 4][..usize::from(arg.lanes)]);
        }
        if arg.lanes == 1 {
            return self.op(op::COMPOSITE_EXTRACT, of, &[id, lane(0)]);
        }
        let words = [id, id, lane(0), lane(1), lane(2), lane(3)];
        self.op(op::VECTOR_SHUFFLE, of, &words[..2 + usize::from(arg.lanes)])
    }

    /// One lane of an argument.
    fn lane(&mut self, arg: Arg, lane: u8) -> Id {
        self.arg(lane_of(arg, lane))
    }

    /// A lane of a result that is no value of the shader.
    fn extract(&mut self, scalar: Scalar, vector: Id, lane: u32) -> Id {
        let ty = self.ty(scalar, 1);
        self.op(op::COMPOSITE_EXTRACT, ty, &[vector, lane])
    }

    /// A vector of equal lanes.
    fn spread(&mut self, scalar: Scalar, id: Id, lanes: u8) -> Id {
        if lanes <= 1 {
            return id;
        }
        let ty = self.ty(scalar, lanes);
        self.op(op::COMPOSITE_CONSTRUCT, ty, &[id; 4][..usize::from(lanes.min(4))])
    }

    /// Forgets the lanes that were taken since `mark`: the blocks they stand in are behind.
    fn forget(&mut self, mark: usize) {
        while self.taken.len() > mark {
            let Some(ExtractedLanes { value, before, .. }) = self.taken.pop() else { return };
            if let Some(slot) = self.last_taken.get_mut(value.index()) {
                *slot = before;
            }
        }
    }

    // Operations

    fn inst(&mut self, inst: &'a Inst) {
        let wanted = inst.result.filter(|result| self.uses.live(*result));
        if inst.op.is_pure() && wanted.is_none() {
            return;
        }
        let shader = self.shader;
        let args = shader.args(inst.args);
        self.at_line(inst);
        let id = match inst.op {
            Op::Param { array, index } if !self.options.values.is_empty() => {
                match self.value(array.index(), index) {
                    Some(bits) => return self.fixed(inst, bits),
                    None => self.load_cell(inst, args),
                }
            }
            Op::Const(bits) => {
                if let Some(value) = inst.result {
                    self.define(value, Known::Bits(bits));
                }
                return;
            }
            Op::Compose => return self.compose(inst, args),
            Op::Pure(pure) => {
                self.precise = inst.arith.precise;
                let id = self.pure(inst, pure, args);
                self.precise = false;
                match id {
                    Some(id) => id,
                    None => return,
                }
            }
            Op::Input(_)
            | Op::InputAt { .. }
            | Op::InputOf { .. }
            | Op::LoadOutputOf { .. }
            | Op::Interpolate { .. }
            | Op::State(_)
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::LoadOutput(_)
            | Op::LoadOutputAt { .. }
            | Op::LoadLocal { .. }
            | Op::LoadLocalAt { .. } => self.load_cell(inst, args),
            Op::StoreOutput { .. }
            | Op::StoreOutputAt { .. }
            | Op::StoreLocal { .. }
            | Op::StoreLocalAt { .. } => return self.store_cell(inst.op, args),
            Op::Sample { .. }
            | Op::Gather { .. }
            | Op::Fetch { .. }
            | Op::TextureSize { .. }
            | Op::TextureLod { .. }
            | Op::TextureSamples { .. } => self.texture(inst, args),
            Op::Ddx(slope) | Op::Ddy(slope) => {
                self.precise = inst.arith.precise;
                self.slope(inst, slope, args)
            }
            Op::Demote => return self.demote(args),
            Op::IsHelper => self.is_helper(),
            Op::Barrier if shader.stage == Stage::TessControl => return self.meet_patch(),
            Op::Barrier => return self.barrier(),
            Op::EmitVertex { stream } => return self.emit_vertex(stream, false),
            Op::EndPrimitive { stream } => return self.emit_vertex(stream, true),
            Op::Fence => return self.fence(),
            Op::Vote(_) | Op::Ballot | Op::ReadFirst | Op::ReadInvocation => self.ask_subgroup(inst.op, args),
            Op::Clock => self.clock(),
            Op::Mark(_) => return,
            op => match op.place() {
                Some(Place::Memory(_)) => self.on_memory(inst, args),
                Some(Place::Image(_)) => self.on_image(inst, args),
                _ => return self.cannot(op),
            },
        };
        self.precise = false;
        if let Some(value) = inst.result {
            self.define(value, Known::Id(id));
        }
    }

    /// A value that the options say.
    fn fixed(&mut self, inst: &Inst, bits: [u32; 4]) {
        let Some(value) = inst.result else { return };
        let negative = bits.iter().any(|lane| lane >> 31 == 1);
        if let Some(slot) = self.never_negative.get_mut(value.index()) {
            *slot = !negative;
        }
        let truth = self.type_of(value).scalar == Scalar::Bool;
        self.define(value, Known::Bits(if truth { bits.map(|lane| u32::from(lane != 0)) } else { bits }));
    }

    /// Says which line of the source an instruction comes from, where that changes.
    fn at_line(&mut self, inst: &Inst) {
        let Some(source) = self.options.source else { return };
        let written = !matches!(inst.op, Op::Const(_) | Op::Mark(_));
        let line = source.lines.get(inst.step as usize).copied().unwrap_or(0);
        if !written || line == 0 || line == self.line {
            return;
        }
        self.line = line;
        let file = self.m.source(source.file, source.text);
        self.effect(op::LINE, &[file, line, 0]);
    }

    /// Lanes of several values, one after another.
    fn compose(&mut self, inst: &Inst, args: &[Arg]) {
        let Some(result) = inst.result else { return };
        let scalar = self.type_of(result).scalar;
        if let [only] = args {
            return self.alias(result, *only);
        }
        let mut all = [Arg::all_lanes(result, 1); 4];
        all.iter_mut().zip(args).for_each(|(to, arg)| *to = self.resolve(*arg));
        let parts = &all[..args.len().min(4)];
        // Constants alone are a constant.
        if let Some((bits, lanes)) = self.all_constant(parts) {
            if let Some(bits) = vecasm_ir::ir::op::constant_of(&bits[..lanes], scalar) {
                return self.define(result, Known::Bits(bits));
            }
        }
        let never = parts.iter().all(|part| !self.may_be_negative(*part));
        if let Some(slot) = self.never_negative.get_mut(result.index()) {
            *slot = never;
        }
        let id = self.gathered(scalar, parts);
        self.define(result, Known::Id(id));
    }

    /// The bits of up to four lanes, and how many there are, if all of them are known.
    fn all_constant(&self, parts: &[Arg]) -> Option<([u64; 4], usize)> {
        let (mut all, mut n) = ([0; 4], 0);
        for part in parts {
            let bits = self.constant(*part)?;
            for bits in bits.iter().take(usize::from(part.lanes)) {
                *all.get_mut(n)? = *bits;
                n += 1;
            }
        }
        Some((all, n))
    }

    /// The lanes of several arguments in one vector of at most four lanes.
    fn gathered(&mut self, scalar: Scalar, parts: &[Arg]) -> Id {
        let lanes = parts.iter().map(|part| part.lanes).sum::<u8>().clamp(1, 4);
        let ty = self.ty(scalar, lanes);
        if let [only] = parts {
            return self.arg(*only);
        }
        // Lanes of two vectors, in whatever order, are one shuffle.
        let mut sources: [Option<Value>; 2] = [None; 2];
        let mut fits = true;
        for part in parts {
            let vector = matches!(self.values.get(part.value.index()), Some(Known::Id(_)))
                && self.type_of(part.value).lanes > 1;
            let place = sources.iter().position(|s| s.is_none_or(|v| v == part.value));
            match place.filter(|_| vector) {
                Some(place) => {
                    if let Some(slot) = sources.get_mut(place) {
                        *slot = Some(part.value);
                    }
                }
                None => fits = false,
            }
        }
        // One lane of each is as short when it is taken and put together, and whole vectors need no taking apart.
        let whole = parts.iter().all(|part| part.lanes == self.type_of(part.value).lanes);
        if let (true, false, [Some(first), second]) = (fits, whole, sources) {
            let second = second.unwrap_or(first);
            let ids = [first, second].map(|value| Arg::all_lanes(value, self.type_of(value).lanes));
            let mut words = [self.arg(ids[0]), self.arg(ids[1]), 0, 0, 0, 0];
            let behind = u32::from(self.type_of(first).lanes);
            let picked = parts.iter().flat_map(|part| {
                let add = if part.value == first { 0 } else { behind };
                (0..usize::from(part.lanes)).map(move |n| u32::from(part.swizzle.get(n)) + add)
            });
            words[2..].iter_mut().zip(picked).for_each(|(word, lane)| *word = lane);
            return self.op(op::VECTOR_SHUFFLE, ty, &words[..2 + usize::from(lanes)]);
        }
        let mut ids = [0; 4];
        for (id, part) in ids.iter_mut().zip(parts) {
            *id = self.arg(*part);
        }
        self.op(op::COMPOSITE_CONSTRUCT, ty, &ids[..parts.len().min(4)])
    }

    /// The variable of a built-in that is no input of the shader.
    fn builtin(&mut self, number: u32, ty: Type, class: u32) -> Id {
        if let Some((_, id)) = self.builtins.iter().find(|(of, _)| *of == number) {
            return *id;
        }
        let ty = self.m.ty(ty);
        let id = self.m.variable(class, ty);
        self.m.decorate(id, &[super::words::decoration::BUILT_IN, number]);
        self.builtins.push((number, id));
        id
    }

    fn is_helper(&mut self) -> Id {
        let ty = self.m.ty(Type::BOOL);
        let born = self.builtin(super::words::builtin::HELPER_INVOCATION, Type::BOOL, storage::INPUT);
        let born = self.load(ty, born);
        match self.demoted {
            0 => born,
            variable => {
                let demoted = self.load(ty, variable);
                self.op(op::LOGICAL_OR, ty, &[born, demoted])
            }
        }
    }
}

/// Whether an instruction is arithmetic that could be contracted.
const fn is_arithmetic(code: u16) -> bool {
    matches!(
        code,
        op::F_NEGATE
            | op::F_ADD
            | op::F_SUB
            | op::F_MUL
            | op::F_DIV
            | op::VECTOR_TIMES_SCALAR
            | op::DOT
            | op::DPDX_FINE
            | op::DPDY_FINE
            | op::DPDX_COARSE
            | op::DPDY_COARSE
    )
}

/// One lane of an argument.
fn lane_of(arg: Arg, lane: u8) -> Arg {
    Arg { swizzle: Swizzle::splat(arg.swizzle.get(usize::from(lane))), lanes: 1, ..arg }
}
