//! Every operation: what it names, where it may stand, what it takes and gives.

use super::tables::{Runs, is_sampled, per_vertex};
use super::{Verifier, list_name, rules, type_name};
use crate::ir::op::effects::Kind;
use crate::ir::op::{Effect, MAX_ARITY, Parts, Place, Slot};
use crate::ir::text::op_name;
use crate::ir::{
    At, BufferKind, Dim, Format, InputId, InputKind, Inst, LocalId, Memory, Op, OutputId, ParamId, Pick,
    Pure, Rule, Scalar, TextureId, Type,
};
use crate::operand::WriteMask;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Verifier<'_> {
    pub(super) fn inst(&mut self, inst: &Inst) {
        self.step = Some(inst.step);
        let known = self.arguments(inst.args);
        // What the result must be, if the arguments fit and the tables say it.
        let wanted = match (inst.op, Kind::of(inst.op)) {
            (Op::Pure(pure), _) => known.then(|| self.pure(pure)).flatten(),
            (_, None) => None,
            (op, Some(kind)) => {
                let parts = op.parts();
                self.stage(op, kind, &parts);
                let named = self.names_fit(op, kind, &parts);
                if known && named { self.given_type(op, kind, &parts) } else { None }
            }
        };
        if known {
            self.arith(inst);
        }
        let gives = inst.op.gives();
        let Some(result) = inst.result else {
            if gives {
                self.breach(rules::RESULT_MISSING, format!("{} defines no value", op_name(inst.op)));
            }
            return;
        };
        if !gives {
            let message =
                format!("%{} is defined by {}, which has no result", result.number(), op_name(inst.op));
            self.breach(rules::RESULT_UNWANTED, message);
        } else if let Some(got) = self.value_type(result) {
            if let Op::Const(bits) = inst.op {
                self.constant(bits, got);
            } else if let Some(wanted) = wanted.filter(|&ty| ty != got) {
                let message =
                    format!("%{} is {}, but {} gives", result.number(), type_name(got), op_name(inst.op));
                self.breach(rules::RESULT_TYPE, format!("{message} {}", type_name(wanted)));
            }
        }
        self.define(result);
    }

    fn constant(&mut self, bits: [u32; 4], ty: Type) {
        let words = if ty.scalar.is_wide() { 2 } else { 1 };
        let used = usize::from(ty.lanes) * words;
        if used > 4 && words == 2 {
            self.breach(rules::CONST_LANES, format!("a constant of {}: two lanes at most", type_name(ty)));
        }
        if bits.iter().skip(used).any(|&bits| bits != 0) {
            let message = format!("a constant of {} has bits in lanes beyond it", type_name(ty));
            self.breach(rules::CONST_LANES, message);
        }
        if let (Scalar::Bool, Some(lane)) = (ty.scalar, bits.iter().take(used).find(|&&bits| bits > 1)) {
            let message = format!("a lane of a bool constant is {lane}, neither 0 nor 1");
            self.breach(rules::CONST_BOOL, message);
        }
    }

    fn arith(&mut self, inst: &Inst) {
        let (arith, name) = (inst.arith, op_name(inst.op));
        let scalar = match inst.op {
            Op::Pure(pure) => pure.scalar(&self.given),
            _ => Scalar::F32,
        };
        let concerns = arith.concerning(inst.op, scalar);
        let nv20 = match inst.op {
            Op::Pure(pure) => pure.has_nv20(),
            _ => Pure::Sub.has_nv20(),
        };
        if concerns.rule == Rule::Nv20 && !nv20 {
            self.breach(rules::ARITH_NV20, format!("{name} is undefined under nv20"));
        }
        for (same, word) in [
            (concerns.rule == arith.rule, arith.rule.name()),
            (concerns.flush == arith.flush, "flush"),
            (concerns.precise == arith.precise, "precise"),
        ] {
            if !same {
                let of = match inst.op {
                    Op::Pure(_) => format!("{name} of {}", scalar.name()),
                    _ => name.into(),
                };
                self.breach(rules::ARITH_UNUSED, format!("{word} does not apply to {of}"));
            }
        }
    }

    /// Checks that the stage has the operation.
    fn stage(&mut self, op: Op, kind: Kind, parts: &Parts) {
        let (stages, stage) = (kind.stages(parts), self.shader.stage);
        if !stages.is_empty() && !stages.contains(&stage) {
            let words: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
            let what = match op {
                Op::Sample { .. } => "sample without a level".into(),
                _ if parts.place == Some(Place::Memory(Memory::Shared)) => {
                    format!("{} of shared memory", op_name(op))
                }
                _ => op_name(op).into(),
            };
            let message = format!("{what} in the {} stage", stage.name());
            self.breach(rules::STAGE_ONLY, format!("{message}; only {} has it", words.join(" or ")));
        }
        if self.shader.serial && kind.needs_subgroup() {
            self.breach(rules::SERIAL_SUBGROUP, format!("{} in a serial shader", op_name(op)));
        }
    }

    /// Checks what an operation names. False if something does not exist.
    fn names_fit(&mut self, op: Op, kind: Kind, parts: &Parts) -> bool {
        if let Some(mask) = parts.mask {
            self.mask(op, mask);
        }
        match parts.place {
            Some(Place::Input(input)) if parts.site.is_some() => self.interpolated(input),
            Some(Place::Input(first)) => self.input(first, parts.run(), kind.is_of_vertex()),
            Some(Place::Output(first)) => self.output(first, parts.run(), kind.is_of_vertex()),
            Some(Place::Param(array)) => {
                if !op.is_pure() {
                    self.serial_only(op);
                }
                self.param(array, parts.fixed())
            }
            Some(Place::Local(array)) => self.local(array, parts.fixed()),
            Some(Place::State(id)) => self.exists("state", id.index(), self.shader.states.len()),
            Some(Place::Texture(texture)) => self.texture(op, texture, parts.pick()),
            Some(Place::Memory(memory)) => {
                if let Op::LoadMemory { lanes, .. } = op {
                    if !(1..=4).contains(&lanes) {
                        let message = format!("{} of {lanes} words, not 1 to 4", op_name(op));
                        self.breach(rules::MEMORY_LANES, message);
                        return false;
                    }
                }
                self.memory(op, memory, parts.pick())
            }
            Some(Place::Image(image)) => self.image(op, image.index(), parts.pick()),
            None => match op {
                Op::EmitVertex { stream } | Op::EndPrimitive { stream } => {
                    if stream > 3 {
                        let message = format!("{} to stream {stream}, not 0 to 3", op_name(op));
                        self.breach(rules::STREAM, message);
                    }
                    true
                }
                Op::Mark(step) => {
                    let known = self.exists("step", step as usize, self.shader.steps.len());
                    if let Some(marked) = self.marked.get_mut(step as usize) {
                        if core::mem::replace(marked, true) {
                            self.breach(rules::MARK_TWICE, format!("step {step} is marked twice"));
                        }
                    }
                    known
                }
                _ => true,
            },
        }
    }

    fn exists(&mut self, what: &str, index: usize, len: usize) -> bool {
        if index < len {
            return true;
        }
        let id = if what == "step" { rules::MARK_STEP } else { rules::REFERENCE };
        self.breach(id, format!("{what} {index} does not exist"));
        false
    }

    fn mask(&mut self, op: Op, mask: WriteMask) {
        if mask.bits() == 0 {
            self.breach(rules::STORE_MASK, format!("{} writes no lane", op_name(op)));
        }
    }

    fn serial_only(&mut self, op: Op) {
        if !self.shader.serial {
            let message = format!("{} in a shader that is not serial", op_name(op));
            self.breach(rules::SERIAL_ONLY, message);
        }
        let Some(Place::Param(id)) = op.place() else { return };
        if let Some(array) = self.shader.params.get(id.index()).filter(|array| !array.fixed.is_empty()) {
            let message = format!("parameter array {} says elements, and is written", array.name);
            self.breach(rules::PARAM_FIXED, message);
        }
    }

    /// Checks that a run of `count` entries from `first` on lies before `end` (where entries of another shape begin)
    /// and in a table of `len`.
    fn run(&mut self, what: &str, first: usize, count: u32, end: u32, len: usize) {
        let last = (first as u64 + u64::from(count)).saturating_sub(1);
        if count == 0 {
            self.breach(rules::RUN_EMPTY, format!("an empty run of {what}s"));
        } else if last >= len as u64 {
            let message = format!("a run of {what}s {first} to {last}, but there are {len}");
            self.breach(rules::RUN_OUTSIDE, message);
        } else if last >= u64::from(end) {
            let message = format!("a run of {what}s {first} to {last}, of which {end} is of another shape");
            self.breach(rules::RUN_MIXED, message);
        }
    }

    fn input(&mut self, id: InputId, at: Option<At>, of_vertex: bool) -> bool {
        let shader = self.shader;
        let Some(input) = shader.inputs.get(id.index()) else {
            return self.exists("input", id.index(), shader.inputs.len());
        };
        let stage = shader.stage;
        if let Some(at) = at {
            let end = Runs::end(&mut self.runs.inputs, &shader.inputs, id.index(), |a, b| {
                a.ty == b.ty && per_vertex(stage, a) == per_vertex(stage, b)
            });
            self.run("input", id.index(), at.count, end, shader.inputs.len());
        }
        if stage.has_vertices() && per_vertex(stage, input) != of_vertex {
            let name = &input.name;
            let message = if of_vertex {
                format!("input {name} is not a varying, but is read from a vertex")
            } else {
                format!("input {name} is a varying, but is read without a vertex")
            };
            self.breach(rules::INPUT_VERTEX, message);
        }
        true
    }

    fn interpolated(&mut self, id: InputId) -> bool {
        let shader = self.shader;
        let Some(input) = shader.inputs.get(id.index()) else {
            return self.exists("input", id.index(), shader.inputs.len());
        };
        if !matches!(input.kind, InputKind::Varying { .. }) || input.ty.scalar != Scalar::F32 {
            let (name, kind, ty) = (&input.name, input.kind.name(), type_name(input.ty));
            let message = format!("input {name}, {kind} of {ty}, is interpolated; only varyings of f32 are");
            self.breach(rules::INTERPOLATE_INPUT, message);
        }
        true
    }

    fn output(&mut self, id: OutputId, at: Option<At>, of_vertex: bool) -> bool {
        let shader = self.shader;
        let Some(output) = shader.outputs.get(id.index()) else {
            return self.exists("output", id.index(), shader.outputs.len());
        };
        if let Some(at) = at {
            let end = Runs::end(&mut self.runs.outputs, &shader.outputs, id.index(), |a, b| {
                a.scalar == b.scalar && a.kind.is_of_patch() == b.kind.is_of_patch()
            });
            self.run("output", id.index(), at.count, end, shader.outputs.len());
        }
        if of_vertex && output.kind.is_of_patch() {
            let message = format!("output {} is of the patch, but is read from a vertex", output.name);
            self.breach(rules::OUTPUT_PATCH, message);
        }
        true
    }

    fn param(&mut self, id: ParamId, index: Option<u32>) -> bool {
        let Some(param) = self.shader.params.get(id.index()) else {
            return self.exists("parameter array", id.index(), self.shader.params.len());
        };
        let name = &param.name;
        match index {
            Some(index) if index >= param.used => {
                let message = format!("{name}[{index}] is accessed, but {} elements are used", param.used);
                self.breach(rules::PARAM_USED, message);
            }
            None if !param.indexed => {
                let message = format!("{name} is accessed by a computed index, but not marked as indexed");
                self.breach(rules::PARAM_INDEXED, message);
            }
            _ => {}
        }
        true
    }

    fn local(&mut self, id: LocalId, index: Option<u32>) -> bool {
        let Some(local) = self.shader.locals.get(id.index()) else {
            return self.exists("local array", id.index(), self.shader.locals.len());
        };
        if let Some(index) = index.filter(|&index| index >= local.size) {
            let message = format!("{}[{index}] is accessed, but there are {} cells", local.name, local.size);
            self.breach(rules::LOCAL_SIZE, message);
        }
        true
    }

    fn texture(&mut self, op: Op, id: TextureId, pick: Pick) -> bool {
        let shader = self.shader;
        let Some(texture) = shader.textures.get(id.index()) else {
            return self.exists("texture", id.index(), shader.textures.len());
        };
        if let Pick::Index { count } = pick {
            let end = Runs::end(&mut self.runs.textures, &shader.textures, id.index(), |a, b| {
                (a.dim, a.scalar, a.compare, a.dim_by) == (b.dim, b.scalar, b.compare, b.dim_by)
            });
            self.run("texture", id.index(), u32::from(count), end, shader.textures.len());
        }
        let (name, dim, word) = (&texture.name, texture.dim, op_name(op));
        let open = texture.dim_by.is_some();
        let (fits, offset, compare) = match op {
            Op::Sample { lod, offset, compare, .. } => {
                let gradient = matches!(lod, crate::ir::Lod::Gradient);
                (is_sampled(dim) && !(open && gradient), offset, Some(compare))
            }
            Op::Gather { offset, compare, .. } => {
                let flat = matches!(dim, Dim::D2 | Dim::D2Array | Dim::Cube | Dim::CubeArray | Dim::Rect);
                (flat && !open, offset, Some(compare))
            }
            Op::Fetch { offset, .. } => (!open, offset, None),
            Op::TextureLod { .. } => (is_sampled(dim), false, None),
            _ => (true, false, None),
        };
        if !fits {
            let how = match op {
                Op::Sample { .. } if is_sampled(dim) => " with gradients",
                _ => "",
            };
            let shape = if open { "of a dimension that is a state" } else { dim.name() };
            let message = format!("{word}{how} of texture {name}, which is {shape}");
            self.breach(rules::TEXTURE_SHAPE, message);
        }
        if offset && (dim.faces() > 1 || open) {
            let shape = if open { "of a dimension that is a state" } else { dim.name() };
            let message = format!("{word} with an offset of texture {name}, which is {shape}");
            self.breach(rules::TEXTURE_OFFSET, message);
        }
        match compare {
            Some(true) if !texture.compare => {
                let message = format!("{word} compares texture {name}, which holds no depths");
                self.breach(rules::COMPARE, message);
            }
            Some(false) if texture.compare => {
                let message = format!("{word} does not compare texture {name}, which holds depths");
                self.breach(rules::COMPARE, message);
            }
            _ => {}
        }
        if let Op::Gather { component, compare, .. } = op {
            let most = if compare { 0 } else { 3 };
            if component > most {
                let message = format!("gather of lane {component} of texture {name}, not of 0 to {most}");
                self.breach(rules::GATHER_COMPONENT, message);
            }
        }
        true
    }

    fn memory(&mut self, op: Op, memory: Memory, pick: Pick) -> bool {
        let shader = self.shader;
        let Memory::Buffer(id) = memory else {
            if pick != Pick::Fixed {
                let message = format!("{} picks one of several shared memories", op_name(op));
                self.breach(rules::PICK_SHARED, message);
            }
            return true;
        };
        let Some(buffer) = shader.buffers.get(id.index()) else {
            return self.exists("buffer", id.index(), shader.buffers.len());
        };
        if let Pick::Index { count } = pick {
            let end = Runs::end(&mut self.runs.buffers, &shader.buffers, id.index(), |a, b| {
                (a.kind, a.write) == (b.kind, b.write)
            });
            self.run("buffer", id.index(), u32::from(count), end, shader.buffers.len());
        }
        let (name, word) = (&buffer.name, op_name(op));
        if !op.is_pure() && !buffer.write {
            let message = format!("{word} to buffer {name}, which is read-only");
            self.breach(rules::MEMORY_WRITE, message);
        }
        if op.effect() == Effect::Write && buffer.kind == BufferKind::Counter {
            let message = format!("{word} to buffer {name}, which allows only atomic operations");
            self.breach(rules::MEMORY_WRITE, message);
        }
        true
    }

    fn image(&mut self, op: Op, id: usize, pick: Pick) -> bool {
        let shader = self.shader;
        let Some(image) = shader.images.get(id) else {
            return self.exists("image", id, shader.images.len());
        };
        if let Pick::Index { count } = pick {
            let end = Runs::end(&mut self.runs.images, &shader.images, id, |a, b| {
                (a.dim, a.format, a.read, a.write) == (b.dim, b.format, b.read, b.write)
            });
            self.run("image", id, u32::from(count), end, shader.images.len());
        }
        let (name, word) = (&image.name, op_name(op));
        let (denied, how) = match op.effect() {
            Effect::Read => (!image.read, "read"),
            Effect::Write | Effect::Modify => (!image.write, "written"),
            _ => (false, ""),
        };
        if denied {
            let message = format!("{word} of image {name}, which may not be {how}");
            self.breach(rules::IMAGE_ACCESS, message);
        }
        let single = matches!(image.format, Format::R32Uint | Format::R32Sint | Format::R32Float);
        if op.effect() == Effect::Modify && (!single || image.dim.multisampled()) {
            let (dim, format) = (image.dim.name(), image.format.name());
            let message = format!("{word} of image {name}, which is {dim} of {format}");
            self.breach(rules::ATOMIC_FORMAT, message);
        }
        true
    }

    /// Checks the arguments given, and says of which type the result must be, if they fit and the tables say it. What the
    /// operation names exists.
    fn given_type(&mut self, op: Op, kind: Kind, parts: &Parts) -> Option<Type> {
        match op {
            Op::Compose => return self.composed(),
            Op::Mark(step) => {
                self.mark(step);
                return None;
            }
            _ => {}
        }
        if kind.slots().is_empty() && self.given.is_empty() {
            return kind.result_type(parts, self.shader, &[]);
        }
        let takes = kind.parameters(parts, self.shader, &self.given);
        let takes: &[Type] = takes.as_deref().unwrap_or_default();
        if *takes == *self.given {
            return kind.result_type(parts, self.shader, &self.given);
        }
        let (got, wanted) = (list_name(self.given.iter().copied()), list_name(takes.iter().copied()));
        self.arguments_breach(op, &got, &wanted);
        None
    }

    #[cold]
    fn arguments_breach(&mut self, op: Op, got: &str, wanted: &str) {
        let message = format!("{} expects ({wanted}), found ({got})", op_name(op));
        self.breach(rules::ARGUMENTS, message);
    }

    /// The type of the result of a pure operation, if the arguments given fit.
    fn pure(&mut self, pure: Pure) -> Option<Type> {
        let given = &self.given;
        if let Some(ty) = pure.result_type(given) {
            return Some(ty);
        }
        let (t, lanes) = (pure.scalar(given), given.last().map_or(1, |ty| ty.lanes));
        if given.len() == pure.arity() && pure.slots().contains(&Slot::T) && !pure.type_class().has(t) {
            let over: Vec<&str> =
                Scalar::ALL.iter().filter(|&&s| pure.type_class().has(s)).map(|s| s.name()).collect();
            let message = format!("{} of {} where {} is expected", pure.name(), t.name(), over.join(" or "));
            self.breach(rules::PURE_TYPE, message);
            return None;
        }
        debug_assert!(pure.arity() <= MAX_ARITY);
        let wanted = list_name(pure.slots().iter().map(|&slot| match slot {
            Slot::T => Type::new(t, lanes),
            Slot::Is(scalar) => Type::new(scalar, lanes),
        }));
        let got = list_name(given.iter().copied());
        self.arguments_breach(Op::Pure(pure), &got, &wanted);
        None
    }

    /// The type of a composed value, if the arguments given fit.
    fn composed(&mut self) -> Option<Type> {
        if let Some(ty) = Op::Compose.result_type(self.shader, &self.given).filter(|ty| ty.lanes > 0) {
            return Some(ty);
        }
        let got: String = list_name(self.given.iter().copied());
        let message = format!("compose expects 1 to 4 lanes of one type, found ({got})");
        self.breach(rules::COMPOSE, message);
        None
    }

    fn mark(&mut self, step: u32) {
        let shader = self.shader;
        let Some(of) = shader.steps.get(step as usize) else { return };
        let wanted = || of.accesses().map(|access| access.mask.count() as u8);
        let fits = self.given.iter().map(|ty| ty.lanes).eq(wanted());
        if !fits {
            let lanes = |list: &mut dyn Iterator<Item = u8>| {
                let words: Vec<String> = list.take(16).map(|n| format!("{n}")).collect();
                words.join(" ")
            };
            let got = lanes(&mut self.given.iter().map(|ty| ty.lanes));
            let wanted = lanes(&mut wanted());
            let message = format!("mark {step} expects arguments of ({wanted}) lanes, found ({got})");
            self.breach(rules::MARK_LANES, message);
        }
    }
}
