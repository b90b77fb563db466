//! What the host binds: constants, states, textures, and the blocks that they and buffers live in.

use super::super::module::{Id, Module};
use super::super::rules;
use super::super::words::{capability, decoration, op, storage};
use super::super::{PUSH_BYTES, PushConstants, Spec, States};
use super::Body;
use super::interface::Array;
use crate::host::{elements, shared};
use crate::naming::{Params, make_unique};
use crate::options::{Binding, BindingKind, BindingPoint, Space};
use crate::rules::open_dimension;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Dim, ParamArray, Scalar, Texture, Type};

/// A texture and its sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampledTexture {
    pub(super) image: Id,
    pub(super) image_type: Id,
    /// 0 for a texture that has none.
    pub(super) sampler: Id,
}

/// In OpenGL each kind of binding has numbers of its own.
const fn namespace(kind: &BindingKind) -> u8 {
    match kind {
        BindingKind::Constants { space: Space::Storage, .. } | BindingKind::Buffer { .. } => 1,
        BindingKind::Image { .. } => 2,
        BindingKind::Texture { .. } => 3,
        BindingKind::Sampler { .. } => 4,
        _ => 0,
    }
}

impl<'a> Body<'a> {
    /// Binds something, unless the same is bound already. Gives the place in the list, and whether it is new.
    pub(super) fn bind(&mut self, binding: u32, name: &str, kind: BindingKind) -> (usize, bool) {
        let (stage, group) = (self.shader.stage, self.places.group);
        let gl = self.options.environment.is_gl();
        let namesake =
            |b: &Binding| b.place.binding == binding && (!gl || namespace(&b.kind) == namespace(&kind));
        if let Some(at) = self.bindings.iter().position(namesake) {
            let there = &self.bindings[at];
            if there.kind != kind {
                let what = format!("{} and {name} are both at binding {binding} of set {group}", there.name);
                self.refuse(rules::BINDING, what);
            }
            return (at, false);
        }
        self.bindings.push(Binding {
            stage,
            place: BindingPoint { group, binding },
            name: String::from(name),
            kind,
        });
        self.bound.push(0);
        (self.bindings.len() - 1, true)
    }

    pub(super) fn bound(&mut self, at: usize, variable: Id, name: &str) {
        let BindingPoint { group, binding } = self.bindings[at].place;
        if !self.options.environment.is_gl() {
            self.m.decorate(variable, &[decoration::DESCRIPTOR_SET, group]);
        }
        self.m.decorate(variable, &[decoration::BINDING, binding]);
        self.m.name(variable, name);
        self.bound[at] = variable;
    }

    /// A variable of a block with these members, all of which the shader only reads unless it says that it writes; its storage class, and
    /// the type of the block.
    pub(super) fn block(
        &mut self,
        members: &[(Id, u32)],
        space: Space,
        name: &str,
        write: bool,
    ) -> (Id, u32, Id) {
        let storage_buffer = space == Space::Storage;
        let ids: Vec<Id> = members.iter().map(|(ty, _)| *ty).collect();
        let ty = self.m.fresh_type(op::TYPE_STRUCT, &ids);
        for (n, (_, offset)) in members.iter().enumerate() {
            self.m.decorate_member(ty, n as u32, [decoration::OFFSET, *offset]);
        }
        // Before version 1.3 a storage buffer is a uniform block of its own kind.
        let (class, block) = match (storage_buffer, self.m.since(3)) {
            (true, true) => (storage::STORAGE_BUFFER, decoration::BLOCK),
            (true, false) => (storage::UNIFORM, decoration::BUFFER_BLOCK),
            (false, _) => (storage::UNIFORM, decoration::BLOCK),
        };
        self.m.decorate(ty, &[block]);
        self.m.name(ty, name);
        let id = self.m.variable(class, ty);
        if storage_buffer && !write {
            self.m.decorate(id, &[decoration::NON_WRITABLE]);
        }
        (id, class, ty)
    }

    /// A parameter array.
    pub(super) fn params(&mut self, n: usize) -> Option<Array> {
        if let Some(Some(array)) = self.params.get(n) {
            return Some(*array);
        }
        self.shader.params.get(n)?;
        let array = if let Some(values) = self.values_of(n) {
            self.fixed_array(n, values)
        } else if self.options.push_constants {
            self.pushed(n)
        } else {
            self.bound_array(n)
        };
        if let (Some(slot), Some(array)) = (self.params.get_mut(n), array) {
            *slot = Some(array);
        }
        array
    }

    /// How many elements of an array there are.
    fn elements(&self, of: &ParamArray) -> u32 {
        elements(of, self.options.array_size)
    }

    /// The array type of constants, with its stride.
    fn constants_type(&mut self, scalar: Scalar, elements: u32) -> Id {
        let four = self.ty(scalar, 4);
        let len = self.m.uint(elements);
        let list = self.m.fresh_type(op::TYPE_ARRAY, &[four, len]);
        self.m.decorate(list, &[decoration::ARRAY_STRIDE, 16]);
        list
    }

    /// A parameter array in a block of its own.
    fn bound_array(&mut self, n: usize) -> Option<Array> {
        let of = self.shader.params.get(n)?;
        let (elements, scalar, space) = (self.elements(of), shared(of.scalar), self.options.space);
        let binding = self.places.constants.saturating_add(n as u32);
        let (at, _) = self.bind(binding, &of.name, BindingKind::constants(of, elements, space));
        let members = self.constant_members(n, 0, 0)?;
        let (variable, class, ty) = self.block(&members, space, &format!("{}_block", of.name), false);
        self.name_parts(n, ty);
        self.bound(at, variable, &of.name);
        Some(Array { variable, class, scalar, lanes: 4, size: elements, member: Some(0) })
    }

    /// The members of a block that parameter array `n` is, with their offsets: the first one is member `member` and starts at
    /// `offset`.
    fn constant_members(&mut self, n: usize, member: u32, offset: u32) -> Option<Vec<(Id, u32)>> {
        let of = self.shader.params.get(n)?;
        let (elements, scalar) = (self.elements(of), shared(of.scalar));
        let mut parts = self.options.naming().parts(self.shader, n, elements, |_| true);
        make_unique(&mut parts, |_| false);
        let mut members = Vec::with_capacity(parts.len().max(1));
        for part in &parts {
            let ty = match part.count {
                1 => self.ty(scalar, 4),
                count => self.constants_type(scalar, count),
            };
            members.push((ty, offset.saturating_add(part.first.saturating_mul(16))));
        }
        if parts.is_empty() {
            members.push((self.constants_type(scalar, elements), offset));
        }
        let params = Params { parts, ..Params::of_array(of.name.as_str(), elements) };
        params.tell(self.shader, n, &of.name, &mut self.constants);
        if let Some(slot) = self.parts.get_mut(n) {
            *slot = (params.parts, member);
        }
        Some(members)
    }

    /// Names the members of the block `ty` that array `n` is.
    fn name_parts(&mut self, n: usize, ty: Id) {
        let Some((parts, first)) = self.parts.get(n) else { return };
        for (i, part) in parts.iter().enumerate() {
            self.m.always_name_member(ty, first + i as u32, &part.name);
        }
    }

    /// Element `index` of parameter array `n`.
    pub(super) fn param(&mut self, n: usize, array: Array, index: u32) -> Id {
        let index = index.min(array.size - 1);
        let (parts, first) = self.parts.get(n).map_or((&[][..], 0), |(parts, first)| (parts, *first));
        let after = parts.partition_point(|part| part.first <= index);
        let Some((at, part)) = after.checked_sub(1).and_then(|at| Some((at, parts.get(at)?))) else {
            let index = self.m.int(index as i32);
            return self.at(array, index);
        };
        let (member, element) = (first + at as u32, (part.count > 1).then_some(index - part.first));
        let ty = self.ty(array.scalar, array.lanes);
        let pointer = self.m.pointer(array.class, ty);
        let mut words = Vec::from([array.variable, self.m.int(member as i32)]);
        if let Some(element) = element {
            words.push(self.m.int(element as i32));
        }
        let place = self.op(op::ACCESS_CHAIN, pointer, &words);
        self.load(ty, place)
    }

    /// A parameter array among the push constants. All of them are members of one block, one behind the other.
    fn pushed(&mut self, n: usize) -> Option<Array> {
        if self.push == 0 {
            let shader = self.shader;
            let mut members = Vec::new();
            let mut offset = 0u32;
            for (n, of) in shader.params.iter().enumerate() {
                // Those with values of their own stand in the module, and no others are read.
                if self.values_of(n).is_some() || of.used == 0 && !of.indexed {
                    self.push_members.push(None);
                    continue;
                }
                let elements = self.elements(of);
                let first = members.len() as u32;
                self.push_members.push(Some(first));
                members.extend(self.constant_members(n, first, offset)?);
                self.pushes.push(PushConstants {
                    name: of.name.clone(),
                    offset,
                    elements,
                    scalar: of.scalar,
                });
                offset = offset.saturating_add(elements.saturating_mul(16));
            }
            if offset > PUSH_BYTES {
                let what = format!("the constants have {offset} bytes; push constants have {PUSH_BYTES}");
                self.refuse(rules::PUSH, what);
            } else if self.options.environment.is_gl() {
                self.refuse(rules::PUSH, "OpenGL has no push constants".into());
            }
            let ids: Vec<Id> = members.iter().map(|(ty, _)| *ty).collect();
            let ty = self.m.fresh_type(op::TYPE_STRUCT, &ids);
            for (n, (_, offset)) in members.iter().enumerate() {
                self.m.decorate_member(ty, n as u32, [decoration::OFFSET, *offset]);
            }
            self.m.decorate(ty, &[decoration::BLOCK]);
            self.m.name(ty, "push_block");
            (0..shader.params.len()).for_each(|n| self.name_parts(n, ty));
            self.push = self.m.variable(storage::PUSH_CONSTANT, ty);
            self.m.name(self.push, "push");
        }
        let of = self.shader.params.get(n)?;
        let member = self.push_members.get(n).copied().flatten();
        let (scalar, size) = (shared(of.scalar), self.elements(of));
        let (variable, class) = (self.push, storage::PUSH_CONSTANT);
        Some(Array { variable, class, scalar, lanes: 4, size, member })
    }

    /// The values that the options give to an array.
    fn values_of(&self, n: usize) -> Option<&'a [[u32; 4]]> {
        let of = self.shader.params.get(n)?;
        let given = self.options.values.iter().find(|(name, _)| *name == of.name);
        given.map(|(_, values)| *values)
    }

    /// An element of an array that the options give values to.
    pub(super) fn value(&self, n: usize, index: u32) -> Option<[u32; 4]> {
        Some(self.values_of(n)?.get(index as usize).copied().unwrap_or([0; 4]))
    }

    /// Such an array for computed indices: a variable that nobody writes. Floats are held as bits where one of them is no
    /// number, because readers of SPIR-V refuse some of those.
    fn fixed_array(&mut self, n: usize, values: &[[u32; 4]]) -> Option<Array> {
        let of = self.shader.params.get(n)?;
        let size = self.elements(of);
        if size > Module::LONGEST {
            self.refuse(rules::VALUES, format!("{} is a constant array of {size} elements", of.name));
            return None;
        }
        let odd = values.as_flattened().iter().any(|bits| !f32::from_bits(*bits).is_finite());
        let scalar = if odd { Scalar::U32 } else { shared(of.scalar) };
        let four = self.ty(scalar, 4);
        let ty = self.m.array(four, size);
        let elements: Vec<Id> = (0..size as usize)
            .map(|n| {
                let bits = values.get(n).copied().unwrap_or([0; 4]);
                self.m.constant(scalar, &bits.map(u64::from))
            })
            .collect();
        let init = self.m.list(ty, &elements);
        let variable = self.m.local(ty, init);
        self.m.name(variable, &of.name);
        Some(Array { variable, class: storage::FUNCTION, scalar, lanes: 4, size, member: None })
    }

    /// The present value of a state.
    pub(super) fn state(&mut self, n: usize) -> Id {
        match self.options.states {
            States::Block => self.bound_state(n),
            States::Specialized { first } => self.special_state(n, first),
        }
    }

    /// A state as numbers that may be chosen when the pipeline is made.
    fn special_state(&mut self, n: usize, first: u32) -> Id {
        let Some(state) = self.shader.states.get(n) else { return 0 };
        if let Some(id) = self.specials.get(n).copied().filter(|id| *id != 0) {
            return id;
        }
        let scalar = state.ty.scalar;
        let mut ids = Vec::with_capacity(4);
        for (lane, bits) in state.default.iter().enumerate().take(usize::from(state.ty.lanes)) {
            let number = first.saturating_add(n as u32 * 4).saturating_add(lane as u32);
            let id = self.m.spec(scalar, *bits, number);
            self.m.name(id, &state.name);
            self.specs.push(Spec {
                number,
                name: state.name.clone(),
                lane: lane as u32,
                scalar,
                default: *bits,
            });
            ids.push(id);
        }
        let id = match ids.as_slice() {
            [only] => *only,
            ids => self.m.spec_vector(scalar, ids),
        };
        if let Some(slot) = self.specials.get_mut(n) {
            *slot = id;
        }
        id
    }

    /// A state out of the block of them.
    fn bound_state(&mut self, n: usize) -> Id {
        let states = &self.shader.states;
        let Some(state) = states.get(n) else { return 0 };
        let held = |ty: Type| Type::new(shared(ty.scalar), ty.lanes);
        if self.states == 0 {
            let members: Vec<(Id, u32)> = states
                .iter()
                .enumerate()
                .map(|(n, state)| (self.m.ty(held(state.ty)), n as u32 * 16))
                .collect();
            let (at, _) = self.bind(self.places.states, "state", BindingKind::states(self.shader));
            // State values are few: they live in a uniform buffer.
            let (variable, _, of) = self.block(&members, Space::Uniform, "state_block", false);
            for (n, state) in states.iter().enumerate() {
                self.m.member_name(of, n as u32, &state.name);
            }
            self.bound(at, variable, "state");
            self.states = variable;
        }
        let ty = held(state.ty);
        let of = self.m.ty(ty);
        let pointer = self.m.pointer(storage::UNIFORM, of);
        let place = self.m.int(n as i32);
        let place = self.op(op::ACCESS_CHAIN, pointer, &[self.states, place]);
        let id = self.load(of, place);
        if state.ty.scalar == Scalar::Bool { self.is_set(id, ty.lanes) } else { id }
    }

    /// Bools from numbers.
    pub(super) fn is_set(&mut self, id: Id, lanes: u8) -> Id {
        let ty = self.ty(Scalar::Bool, lanes);
        let zero = self.m.splat(Type::new(Scalar::U32, lanes), 0);
        self.op(op::I_NOT_EQUAL, ty, &[id, zero])
    }

    /// A texture with its sampler.
    pub(super) fn sampled(&mut self, n: usize) -> Option<SampledTexture> {
        if let Some(Some(sampled)) = self.textures.get(n) {
            return Some(*sampled);
        }
        let texture: &Texture = self.shader.textures.get(n)?;
        let Texture { slot, sampler_slot, dim, scalar, compare, .. } = *texture;
        if texture.dim_by.is_some() {
            let finding = open_dimension(rules::TEXTURE, &texture.name);
            self.refusal.get_or_insert(finding);
        }
        let (shape, arrayed, samples) = match dim {
            Dim::D1 | Dim::D1Array => (0, dim.arrayed(), false),
            Dim::D2 | Dim::D2Array | Dim::Rect | Dim::D2Ms | Dim::D2MsArray => {
                (1, dim.arrayed(), dim.multisampled())
            }
            Dim::D3 => (2, false, false),
            Dim::Cube | Dim::CubeArray => (3, dim.arrayed(), false),
            Dim::Buffer => (5, false, false),
        };
        match dim {
            Dim::D1 | Dim::D1Array => self.m.capability(capability::SAMPLED_1D),
            Dim::Buffer => self.m.capability(capability::SAMPLED_BUFFER),
            Dim::CubeArray => self.m.capability(capability::SAMPLED_CUBE_ARRAY),
            _ => {}
        }
        let of = self.ty(scalar, 1);
        let operands = [of, shape, u32::from(compare), u32::from(arrayed), u32::from(samples), 1, 0];
        let image_type = self.m.other(op::TYPE_IMAGE, &operands);
        let binding = self.places.textures.saturating_add(slot);
        let wanted = self.options.naming().texture(self.shader, texture);
        let of_program = wanted != texture.name;
        let (at, new) = self.bind(binding, &wanted, BindingKind::texture(texture));
        let gl = self.options.environment.is_gl();
        if new {
            // OpenGL has textures with their samplers only.
            let ty = if gl { self.m.other(op::TYPE_SAMPLED_IMAGE, &[image_type]) } else { image_type };
            let id = self.m.variable(storage::UNIFORM_CONSTANT, ty);
            self.bound(at, id, if of_program { "" } else { &wanted });
            if of_program {
                self.m.always_name(id, &wanted);
            }
        }
        let image = self.bound[at];
        let mut sampler = 0;
        if gl {
            let other = self.shader.textures.iter().enumerate().find(|(other, of)| {
                of.slot == slot && of.sampler_slot != sampler_slot && self.is_sampled(*other)
            });
            if let (Some(_), true) = (other, self.is_sampled(n)) {
                let what = format!("two samplers read texture {slot}; OpenGL has one for each");
                self.refuse(rules::BINDING, what);
            }
            if self.is_sampled(n) {
                self.bind(binding, &format!("{wanted}_sampler"), BindingKind::sampler(texture, true));
            }
        } else if !samples && dim != Dim::Buffer && self.is_sampled(n) {
            let binding = self.places.samplers.saturating_add(sampler_slot);
            let name = format!("{wanted}_sampler");
            let (at, new) = self.bind(binding, &name, BindingKind::sampler(texture, true));
            if new {
                let ty = self.m.other(op::TYPE_SAMPLER, &[]);
                let id = self.m.variable(storage::UNIFORM_CONSTANT, ty);
                self.bound(at, id, if of_program { "" } else { &name });
                if of_program {
                    self.m.always_name(id, &name);
                }
            }
            sampler = self.bound[at];
        }
        let sampled = SampledTexture { image, image_type, sampler };
        if let Some(slot) = self.textures.get_mut(n) {
            *slot = Some(sampled);
        }
        Some(sampled)
    }

    /// Whether something reads a texture through its sampler.
    fn is_sampled(&self, n: usize) -> bool {
        self.through_samplers.get(n) == Some(&true)
    }
}
