//! What a stage shares with the outside: bindings, inputs and outputs, and how each is spelt.

use super::super::common::push_u32;
use super::super::host::{
    self, Array, Buffer, Image, Shared, Speller, State, Texture, lacks_input, lacks_output, stage_name,
};
use super::super::plan::Plan;
use super::super::text::{Results, Spelling, Uses, is_single, push_state, unique};
use super::images;
use super::language::Wgsl;
use super::memory::Block;
use super::rules::refused;
use super::{Binding, BindingKind, BindingPoint, Module, Options, Space, rules, words};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::{
    self, Dim, Input, InputKind, Output, OutputKind, ParamArray, Scalar, Shader, Stage, System, Type,
};

/// What a field of a struct or a single result is decorated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Position,
    Location(u32),
    VertexIndex,
    InstanceIndex,
    FrontFacing,
    SampleIndex,
    Depth,
    SampleMask,
    LocalIndex,
    GroupIndex,
    GridSize,
}

#[derive(Clone, Debug)]
struct Field<'s> {
    slot: Slot,
    name: Cow<'s, str>,
    ty: Type,
    /// ` @interpolate(…)`, or nothing.
    interpolation: &'static str,
}

/// An array of constants that is declared as a struct of its parts.
#[derive(Clone, Debug)]
struct Split {
    /// The variable.
    binding: String,
    /// The struct.
    of: String,
    /// The number of the array.
    params: usize,
}

/// What the writer keeps while it declares.
pub(super) struct Writer<'s> {
    options: &'s Options<'s>,
    /// The struct of the inputs; `None` if nothing is read.
    pub(super) input: Option<Cow<'s, str>>,
    /// What a single result is decorated with, and its type.
    pub(super) result: Option<(Slot, Type)>,
    /// More arguments of the entry point.
    pub(super) arguments: String,
    /// Where the bindings of the stage are among those of the module.
    declared: Range<usize>,
    /// Arrays of constants that are declared in parts.
    split: Vec<Split>,
    structs: Vec<(Cow<'s, str>, Vec<Field<'s>>)>,
    /// The struct of the states, with their fields.
    state: Option<States<'s>>,
}

pub(super) type Interface<'s> = host::Interface<'s, Writer<'s>>;
pub(super) type Walk<'w, 's> = host::Walk<'w, 's, Writer<'s>>;

/// The name of a struct, and names and types of its fields.
type States<'s> = (Cow<'s, str>, Vec<(Cow<'s, str>, Type)>);

impl<'s> Speller<'s> for Writer<'s> {
    type Language = Wgsl;
    type Place = BindingPoint;
    const HAS_GLOBAL_MEMBERS: bool = false;
    const WIDENS_STATES: bool = false;
    const DEPTH: &'static str = "depth ";
    const DOUBLES_UNDERSCORES: bool = true;
    const HAS_ATOMIC_WORDS: bool = true;
    const READS_IN_VERTICES: Option<[&'static Rule; 2]> = Some([rules::BUFFER, rules::IMAGE]);

    fn language(&self) -> Wgsl {
        Wgsl
    }

    fn space(&self) -> Space {
        self.options.space
    }

    fn elements(&mut self, array: &ParamArray, _read: bool) -> u32 {
        host::elements(array, self.options.array_size)
    }

    fn array(walk: &mut Walk<'_, 's>, array: &Array<'s>) -> Result<Cow<'s, str>, Diagnostic> {
        let Array { number, name, parts, kind, .. } = array;
        let stage = walk.shader.stage;
        if !parts.is_empty() {
            let wanted = format!("{}Constants_{name}", stage_name(stage));
            let of = walk.take(wanted).into_owned();
            walk.face.writer.split.push(Split { binding: name.to_string(), of, params: *number as usize });
        }
        let binding = walk.face.writer.options.stage(stage).constants.saturating_add(*number);
        walk.bind(binding, name.to_string(), *kind)?;
        Ok(name.clone())
    }

    /// All of them in one struct, 16 bytes each.
    fn states(walk: &mut Walk<'_, 's>, states: &[State<'s>]) -> Result<Cow<'s, str>, Diagnostic> {
        let shader = walk.shader;
        let name = walk.take("state").into_owned();
        let of = walk.take(format!("{}State", stage_name(shader.stage)));
        let field = |state: &State<'s>| {
            let ty = state.of.ty;
            (state.name.clone(), Type::new(host::shared(ty.scalar), ty.lanes))
        };
        walk.face.writer.state = Some((of, states.iter().map(field).collect()));
        let before = format!("{name}.");
        let binding = walk.face.writer.options.stage(shader.stage).states;
        walk.bind(binding, name, BindingKind::states(shader))?;
        Ok(before.into())
    }

    fn has_texture(&self, texture: &ir::Texture) -> bool {
        match texture.dim {
            Dim::D1 | Dim::D3 => !texture.compare,
            Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray | Dim::D2Ms => true,
            Dim::D1Array | Dim::Rect | Dim::Buffer | Dim::D2MsArray => false,
        }
    }

    fn sampled(walk: &Walk<'_, 's>) -> Vec<bool> {
        let sampled = |of: &ir::Texture| !of.dim.multisampled() && (of.scalar == Scalar::F32 || of.compare);
        walk.shader.textures.iter().map(sampled).collect()
    }

    fn texture(walk: &mut Walk<'_, 's>, texture: &Texture<'s>) -> Result<(), Diagnostic> {
        let Texture { of, name, kind } = texture;
        let places = walk.face.writer.options.stage(walk.shader.stage);
        let binding = match *kind {
            BindingKind::Sampler { slot, .. } => places.samplers.saturating_add(slot),
            _ => places.textures.saturating_add(of.slot),
        };
        walk.bind(binding, name.to_string(), *kind)
    }

    /// As an array of words.
    fn buffer(walk: &mut Walk<'_, 's>, buffer: &Buffer<'s>) -> Result<Block, Diagnostic> {
        let Buffer { name, usage, kind, .. } = buffer;
        let stage = walk.shader.stage;
        let BindingKind::Buffer { slot, of, .. } = *kind else { return Ok(Block::default()) };
        let binding = walk.face.writer.options.stage(stage).first_buffer(of).saturating_add(slot);
        walk.bind(binding, name.to_string(), *kind)?;
        Ok(Block { name: name.to_string(), atomic: usage.atomic, ..Block::default() })
    }

    /// Of the module, too.
    fn shared(_walk: &mut Walk<'_, 's>, shared: &Shared<'s>) -> Result<Block, Diagnostic> {
        let Shared { ref name, words, atomic } = *shared;
        Ok(Block { name: name.to_string(), atomic, count: Some(words), ..Block::default() })
    }

    fn check_image(&self, image: &ir::Image, uses: Uses) -> Result<(), Diagnostic> {
        images::check(image, uses)
    }

    /// As a storage texture.
    fn image(walk: &mut Walk<'_, 's>, image: &Image<'s, Wgsl>) -> Result<(), Diagnostic> {
        let Image { of, name, kind, .. } = image;
        let stage = walk.shader.stage;
        let binding = walk.face.writer.options.stage(stage).images.saturating_add(of.slot);
        walk.bind(binding, name.to_string(), *kind)
    }
}

impl Walk<'_, '_> {
    /// Binds something that is declared, at that number of the group of the stage.
    fn bind(&mut self, binding: u32, name: String, kind: BindingKind) -> Result<(), Diagnostic> {
        let stage = self.shader.stage;
        let place = BindingPoint { group: self.face.writer.options.stage(stage).group, binding };
        if let Some(other) = self.face.bindings.iter().find(|other| other.place == place) {
            let BindingPoint { group, binding } = place;
            let what = format!("{} and {name} are both at @group({group}) @binding({binding})", other.name);
            return Err(refused(rules::BINDING, what));
        }
        self.face.bindings.push(Binding { stage, place, name, kind });
        Ok(())
    }
}

impl<'s> Interface<'s> {
    /// The interface of a module of one stage.
    pub(super) fn alone(
        module: &mut Module<'s>,
        shader: &'s Shader,
        plan: &Plan<'_>,
    ) -> Result<Self, Diagnostic> {
        let mut this = Self::bindings(module, shader, plan)?;
        let fields = input_fields(module, shader, plan)?;
        this.set_input(module, shader, fields);
        let fields = output_fields(module, shader, plan)?;
        this.set_results(module, shader, fields, &[stage_name(shader.stage), "Output"].concat());
        Ok(this)
    }

    /// The interfaces of a vertex and a fragment stage with their varyings in one struct.
    pub(super) fn pair(
        module: &mut Module<'s>,
        (vertex, vertex_plan): (&'s Shader, &Plan<'_>),
        (fragment, fragment_plan): (&'s Shader, &Plan<'_>),
    ) -> Result<(Self, Self), Diagnostic> {
        let mut first = Self::bindings(module, vertex, vertex_plan)?;
        let mut second = Self::bindings(module, fragment, fragment_plan)?;
        let fields = input_fields(module, vertex, vertex_plan)?;
        first.set_input(module, vertex, fields);
        let mut fields = output_fields(module, vertex, vertex_plan)?;
        let wanted = input_fields(module, fragment, fragment_plan)?;
        let (shared, other): (Vec<Field<'_>>, Vec<Field<'_>>) =
            wanted.into_iter().partition(|w| fields.iter().any(|f| f.slot == w.slot));
        for wanted in &shared {
            let Some(field) = fields.iter_mut().find(|f| f.slot == wanted.slot) else { continue };
            if field.ty.scalar != wanted.ty.scalar {
                let (name, given, taken) = (&wanted.name, field.ty.scalar.name(), wanted.ty.scalar.name());
                let what = format!(
                    "the vertex shader writes {name} as {given}, the fragment shader reads it as {taken}"
                );
                return Err(refused(rules::VARYING, what));
            }
            field.interpolation = wanted.interpolation;
        }
        second.outside.inputs = vec![Spelling::default(); fragment.inputs.len()];
        // What no vertex shader gives stands beside the varyings.
        for field in &other {
            let name = module.names.take(field.name.clone(), words::is_word);
            if !second.writer.arguments.is_empty() || !shared.is_empty() {
                second.writer.arguments.push_str(", ");
            }
            push_slot(&mut second.writer.arguments, field.slot);
            second.writer.arguments.push(' ');
            second.writer.arguments.push_str(&name);
            second.writer.arguments.push_str(": ");
            second.writer.arguments.push_str(type_name(field.ty));
            for (text, input) in second.outside.inputs.iter_mut().zip(&fragment.inputs) {
                if input_slot(input) == Some(field.slot) {
                    *text = Spelling::plain(name.clone());
                }
            }
        }
        if !shared.is_empty() {
            // Both stages name the struct; only the first declares it.
            let name = module.names.take("Varyings", words::is_word);
            second.writer.input = Some(name.clone());
            for (text, input) in second.outside.inputs.iter_mut().zip(&fragment.inputs) {
                let there = spell_input(&fields, input);
                if !there.is_empty() {
                    *text = there;
                }
            }
            first.cells = vertex.outputs.iter().map(|output| spell_output(&fields, output)).collect();
            first.outside.results = Results::Struct(name.clone());
            first.writer.structs.push((name, fields));
        } else {
            first.set_results(module, vertex, fields, "Varyings");
        }
        let fields = output_fields(module, fragment, fragment_plan)?;
        second.set_results(module, fragment, fields, "FragmentOutput");
        Ok((first, second))
    }

    /// The array that a variable holds in parts.
    fn split_of(&self, binding: &str) -> Option<&Split> {
        self.writer.split.iter().find(|split| split.binding == binding)
    }

    /// Declares the struct of an array of constants.
    fn declare_parts(&self, out: &mut String, split: &Split, shader: &Shader) {
        let at = (self.outside.params.get(split.params), shader.params.get(split.params));
        let (Some(params), Some(array)) = at else { return };
        let ty = type_name(Type::new(host::shared(array.scalar), 4));
        out.push_str(&format!("struct {} {{\n", split.of));
        for part in &params.parts {
            let (name, comment) = (&part.name, part.comment(array));
            out.push_str(&match part.count {
                1 => format!("    {name}: {ty},{comment}\n"),
                n => format!("    {name}: array<{ty}, {n}>,{comment}\n"),
            });
        }
        out.push_str("}\n\n");
    }

    fn bindings(module: &mut Module<'s>, shader: &'s Shader, plan: &Plan<'_>) -> Result<Self, Diagnostic> {
        let options = module.options;
        let mut face = Self::empty(Writer {
            options,
            input: None,
            result: None,
            arguments: String::new(),
            declared: 0..0,
            split: Vec::new(),
            structs: Vec::with_capacity(2),
            state: None,
        });
        // Those of another stage are there, too.
        face.bindings = core::mem::take(&mut module.bindings);
        face.constants = core::mem::take(&mut module.constants);
        let first = face.bindings.len();
        face.bindings.reserve(shader.params.len() + 2 * shader.textures.len() + 1);
        let mut walk = Walk { shader, plan, names: &mut module.names, naming: options.naming(), face };
        walk.add_constants()?;
        walk.add_textures()?;
        walk.add_states()?;
        walk.add_buffers()?;
        walk.add_shared()?;
        walk.add_images()?;
        let mut face = walk.face;
        module.bindings = core::mem::take(&mut face.bindings);
        module.constants = core::mem::take(&mut face.constants);
        face.writer.declared = first..module.bindings.len();
        Ok(face)
    }

    fn set_input(&mut self, module: &mut Module<'s>, shader: &Shader, fields: Vec<Field<'s>>) {
        let spell = |input: &Input| {
            if input.kind == InputKind::System(System::GroupSize) {
                let [x, y, z] = shader.setup.workgroup;
                Spelling::plain(format!("vec3u({x}, {y}, {z})"))
            } else {
                spell_input(&fields, input)
            }
        };
        self.outside.inputs = shader.inputs.iter().map(spell).collect();
        if !fields.is_empty() {
            let wanted = [stage_name(shader.stage), "Input"].concat();
            let name = module.names.take(wanted, words::is_word);
            self.writer.input = Some(name.clone());
            self.writer.structs.push((name, fields));
        }
    }

    fn set_results(&mut self, module: &mut Module<'s>, shader: &Shader, fields: Vec<Field<'s>>, name: &str) {
        match fields.as_slice() {
            [] => self.outside.results = Results::None,
            [only] => {
                let output = shader.outputs.iter().position(|o| output_slot(o) == Some(only.slot));
                self.outside.results = Results::One(output);
                self.writer.result = Some((only.slot, only.ty));
            }
            _ => {
                let name = module.names.take(name.to_string(), words::is_word);
                self.outside.results = Results::Struct(name.clone());
                self.cells = shader.outputs.iter().map(|output| spell_output(&fields, output)).collect();
                self.writer.structs.push((name, fields));
                return;
            }
        }
        self.cells = vec![Spelling::default(); shader.outputs.len()];
    }
}

/// Where an input comes from, if WGSL has it.
const fn input_slot(input: &Input) -> Option<Slot> {
    Some(match input.kind {
        InputKind::Attribute { location } | InputKind::Varying { location } => Slot::Location(location),
        InputKind::System(System::VertexIndex) => Slot::VertexIndex,
        InputKind::System(System::InstanceIndex) => Slot::InstanceIndex,
        InputKind::System(System::FragCoord) => Slot::Position,
        InputKind::System(System::FrontFacing) => Slot::FrontFacing,
        InputKind::System(System::SampleIndex) => Slot::SampleIndex,
        InputKind::System(System::SampleMask) => Slot::SampleMask,
        InputKind::System(System::LocalIndex) => Slot::LocalIndex,
        InputKind::System(System::GroupIndex) => Slot::GroupIndex,
        InputKind::System(System::GridSize) => Slot::GridSize,
        InputKind::PatchVarying { .. } | InputKind::System(_) => return None,
    })
}

/// Where an output goes, if WGSL has it.
const fn output_slot(output: &Output) -> Option<Slot> {
    Some(match output.kind {
        OutputKind::Position => Slot::Position,
        OutputKind::Varying { location } | OutputKind::Color { target: location } => Slot::Location(location),
        OutputKind::Depth => Slot::Depth,
        OutputKind::SampleMask => Slot::SampleMask,
        _ => return None,
    })
}

fn spell_input<'s>(fields: &[Field<'s>], input: &Input) -> Spelling<'s> {
    let slot = input_slot(input);
    let Some(field) = fields.iter().find(|f| Some(f.slot) == slot) else { return Spelling::default() };
    // A varying of a pair has four lanes.
    let after = match input.ty.lanes {
        lanes if lanes >= field.ty.lanes => "",
        1 => ".x",
        2 => ".xy",
        _ => ".xyz",
    };
    Spelling { before: "in.", name: field.name.clone(), after }
}

fn spell_output<'s>(fields: &[Field<'s>], output: &Output) -> Spelling<'s> {
    let slot = output_slot(output);
    let Some(field) = fields.iter().find(|f| Some(f.slot) == slot) else { return Spelling::default() };
    Spelling { before: "out.", name: field.name.clone(), after: "" }
}

/// How a fragment input is interpolated, where that is not as usual.
const fn interpolation(input: &Input, flat_colors: bool) -> &'static str {
    use vecasm_ir::ir::{Interpolation as I, Location as L};
    if !matches!(input.kind, InputKind::Varying { .. }) {
        return "";
    }
    match (host::interpolation(input, flat_colors), input.location) {
        (I::Flat, _) => " @interpolate(flat)",
        (I::Perspective | I::Color, L::Center) => "",
        (I::Perspective | I::Color, L::Centroid) => " @interpolate(perspective, centroid)",
        (I::Perspective | I::Color, L::Sample) => " @interpolate(perspective, sample)",
        (I::Linear, L::Center) => " @interpolate(linear)",
        (I::Linear, L::Centroid) => " @interpolate(linear, centroid)",
        (I::Linear, L::Sample) => " @interpolate(linear, sample)",
    }
}

fn input_fields<'s>(
    module: &Module<'s>,
    shader: &'s Shader,
    plan: &Plan<'_>,
) -> Result<Vec<Field<'s>>, Diagnostic> {
    let mut fields = Vec::with_capacity(shader.inputs.len());
    for (input, _) in shader.inputs.iter().zip(plan.inputs()).filter(|(_, read)| **read) {
        if input.kind == InputKind::System(System::GroupSize) {
            continue;
        }
        let slot = input_slot(input).ok_or_else(|| lacks_input(Wgsl, input))?;
        let flat = module.options.flat_colors;
        let how = if shader.stage == Stage::Fragment { interpolation(input, flat) } else { "" };
        push_field(&mut fields, slot, module.options.naming().input(input), input.ty, how);
    }
    fields.sort_by_key(|f| f.slot);
    Ok(fields)
}

fn output_fields<'s>(
    module: &Module<'s>,
    shader: &'s Shader,
    plan: &Plan<'_>,
) -> Result<Vec<Field<'s>>, Diagnostic> {
    let mut fields = Vec::with_capacity(shader.outputs.len() + 1);
    for (output, _) in shader.outputs.iter().zip(&plan.cells).filter(|(_, cell)| cell.wanted) {
        let fits = output.kind != OutputKind::SampleMask || output.scalar == Scalar::U32;
        let slot = output_slot(output).filter(|_| fits).ok_or_else(|| lacks_output(Wgsl, output))?;
        let ty = Type::new(output.scalar, if is_single(output.kind) { 1 } else { 4 });
        let integers = shader.stage == Stage::Vertex && output.scalar != Scalar::F32;
        let how = if integers { " @interpolate(flat)" } else { "" };
        push_field(&mut fields, slot, module.options.naming().output(output), ty, how);
    }
    if shader.stage == Stage::Vertex && !fields.iter().any(|f| f.slot == Slot::Position) {
        push_field(&mut fields, Slot::Position, "position".into(), Type::F32X4, "");
    }
    fields.sort_by_key(|f| f.slot);
    Ok(fields)
}

fn push_field<'s>(
    fields: &mut Vec<Field<'s>>,
    slot: Slot,
    name: Cow<'s, str>,
    ty: Type,
    interpolation: &'static str,
) {
    if fields.iter().any(|f| f.slot == slot) {
        return;
    }
    let taken = |name: &str| words::is_word(name) || fields.iter().any(|f| f.name == name);
    let name = unique(name, taken);
    fields.push(Field { slot, name, ty, interpolation });
}

pub(super) fn push_slot(out: &mut String, slot: Slot) {
    match slot {
        Slot::Position => out.push_str("@builtin(position)"),
        Slot::Location(n) => {
            out.push_str("@location(");
            push_u32(out, n);
            out.push(')');
        }
        Slot::VertexIndex => out.push_str("@builtin(vertex_index)"),
        Slot::InstanceIndex => out.push_str("@builtin(instance_index)"),
        Slot::FrontFacing => out.push_str("@builtin(front_facing)"),
        Slot::SampleIndex => out.push_str("@builtin(sample_index)"),
        Slot::Depth => out.push_str("@builtin(frag_depth)"),
        Slot::SampleMask => out.push_str("@builtin(sample_mask)"),
        Slot::LocalIndex => out.push_str("@builtin(local_invocation_id)"),
        Slot::GroupIndex => out.push_str("@builtin(workgroup_id)"),
        Slot::GridSize => out.push_str("@builtin(num_workgroups)"),
    }
}

/// The name of a type.
pub(super) const fn type_name(ty: Type) -> &'static str {
    match (ty.scalar, ty.lanes) {
        (Scalar::I32, 1) => "i32",
        (Scalar::I32, 2) => "vec2i",
        (Scalar::I32, 3) => "vec3i",
        (Scalar::I32, _) => "vec4i",
        (Scalar::U32, 1) => "u32",
        (Scalar::U32, 2) => "vec2u",
        (Scalar::U32, 3) => "vec3u",
        (Scalar::U32, _) => "vec4u",
        (Scalar::Bool, 1) => "bool",
        (Scalar::Bool, 2) => "vec2<bool>",
        (Scalar::Bool, 3) => "vec3<bool>",
        (Scalar::Bool, _) => "vec4<bool>",
        // 64-bit types were refused before.
        (_, 1) => "f32",
        (_, 2) => "vec2f",
        (_, 3) => "vec3f",
        _ => "vec4f",
    }
}

impl Module<'_> {
    /// Declares the structs and bindings of a stage.
    pub(super) fn declare(&mut self, interface: &Interface<'_>, shader: &Shader) {
        let out = &mut self.out;
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        for (name, fields) in &interface.writer.structs {
            out.push_str("struct ");
            out.push_str(name);
            out.push_str(" {\n");
            for field in fields {
                out.push_str("    ");
                push_slot(out, field.slot);
                out.push_str(field.interpolation);
                out.push(' ');
                out.push_str(&field.name);
                out.push_str(": ");
                out.push_str(type_name(field.ty));
                out.push_str(",\n");
            }
            out.push_str("}\n\n");
        }
        if let Some((name, fields)) = &interface.writer.state {
            out.push_str("struct ");
            out.push_str(name);
            out.push_str(" {\n");
            for (name, ty) in fields {
                // Four lanes are 16 bytes by themselves.
                out.push_str(if ty.lanes < 4 { "    @size(16) " } else { "    " });
                out.push_str(name);
                out.push_str(": ");
                out.push_str(type_name(*ty));
                out.push_str(",\n");
            }
            out.push_str("}\n\n");
        }
        interface.writer.split.iter().for_each(|split| interface.declare_parts(out, split, shader));
        for binding in self.bindings.get(interface.writer.declared.clone()).unwrap_or_default() {
            out.push_str("@group(");
            push_u32(out, binding.place.group);
            out.push_str(") @binding(");
            push_u32(out, binding.place.binding);
            out.push_str(match binding.kind {
                BindingKind::Constants { space: Space::Uniform, .. } => ") var<uniform> ",
                BindingKind::Constants { space: Space::Storage, .. } => ") var<storage, read> ",
                BindingKind::States { .. } => ") var<uniform> ",
                BindingKind::Buffer { write: true, .. } => ") var<storage, read_write> ",
                BindingKind::Buffer { .. } => ") var<storage, read> ",
                _ => ") var ",
            });
            out.push_str(&binding.name);
            match binding.kind {
                BindingKind::Constants { .. } if interface.split_of(&binding.name).is_some() => {
                    out.push_str(": ");
                    out.push_str(interface.split_of(&binding.name).map_or("", |split| &split.of));
                    out.push_str(";\n");
                }
                BindingKind::Constants { elements, scalar, .. } => {
                    out.push_str(": array<");
                    out.push_str(type_name(Type::new(host::shared(scalar), 4)));
                    out.push_str(", ");
                    push_u32(out, elements);
                    out.push_str(">;\n");
                }
                BindingKind::States { .. } => {
                    out.push_str(": ");
                    out.push_str(interface.writer.state.as_ref().map_or("", |(name, _)| name));
                    out.push_str(";\n");
                }
                BindingKind::Buffer { atomic, .. } => {
                    out.push_str(if atomic { ": array<atomic<u32>>;\n" } else { ": array<u32>;\n" });
                }
                BindingKind::Image { dim, format, read, write, .. } => {
                    out.push_str(": ");
                    images::push_type(out, dim, format, read, write);
                    out.push_str(";\n");
                }
                BindingKind::Texture { dim, scalar, compare, .. } => {
                    out.push_str(": ");
                    push_texture_type(out, dim, scalar, compare);
                    out.push_str(";\n");
                }
                BindingKind::Sampler { state, compare, .. } => {
                    out.push_str(if compare { ": sampler_comparison;" } else { ": sampler;" });
                    push_state(out, state);
                    out.push('\n');
                }
                // Nothing else is bound in WGSL.
                _ => {}
            }
        }
        let shared =
            interface.memories.last().filter(|words| words.count.is_some() && !words.name.is_empty());
        if let Some(shared) = shared {
            let ty = if shared.atomic { "atomic<u32>" } else { "u32" };
            let (name, count) = (&shared.name, shared.count.unwrap_or(0).max(1));
            out.push_str(&format!("var<workgroup> {name}: array<{ty}, {count}>;\n"));
        }
        if !interface.writer.declared.is_empty() || shared.is_some() {
            out.push('\n');
        }
    }
}

/// Appends the type of a texture.
pub(super) fn push_texture_type(out: &mut String, dim: Dim, scalar: Scalar, compare: bool) {
    out.push_str(match (dim, compare) {
        (Dim::D2, true) => "texture_depth_2d",
        (Dim::D2Array, true) => "texture_depth_2d_array",
        (Dim::Cube, true) => "texture_depth_cube",
        (Dim::CubeArray, true) => "texture_depth_cube_array",
        (Dim::D2Ms, true) => "texture_depth_multisampled_2d",
        (Dim::D1, _) => "texture_1d",
        (Dim::D3, _) => "texture_3d",
        (Dim::Cube, _) => "texture_cube",
        (Dim::D2Array, _) => "texture_2d_array",
        (Dim::CubeArray, _) => "texture_cube_array",
        (Dim::D2Ms, _) => "texture_multisampled_2d",
        // The others were refused.
        _ => "texture_2d",
    });
    if !compare {
        out.push('<');
        out.push_str(scalar.name());
        out.push('>');
    }
}
