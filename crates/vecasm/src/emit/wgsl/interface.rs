//! What a stage shares with the outside: bindings, inputs and outputs, and how each is spelt.

use super::super::common::push_u32;
use super::super::plan::Plan;
use super::{ArraySize, Binding, BindingKind, Module, Space, StageOptions, words};
use crate::diag::Diagnostic;
use crate::ir::{Dim, Input, InputKind, Mip, Output, OutputKind, SamplerState, Scalar, Shader, Stage, Type};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What a field of a struct or a single result is decorated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Position,
    Location(u32),
    InstanceIndex,
    Depth,
}

#[derive(Clone, Debug)]
struct Field {
    slot: Slot,
    name: String,
    ty: Type,
}

/// How a stage gives its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Results {
    /// It has none.
    None,
    /// One value of the given decoration.
    One(String),
    /// A struct of the given name.
    Struct(String),
}

/// How everything outside is spelt.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    /// The struct of the inputs; `None` if nothing is read.
    pub(super) input: Option<String>,
    /// By input: the expression.
    pub(super) inputs: Vec<String>,
    /// How results go out.
    pub(super) results: Results,
    /// By output: the variable, a field of the result struct or not.
    pub(super) outputs: Vec<String>,
    /// By output: whether it is part of the results.
    pub(super) exported: Vec<bool>,
    /// By parameter array: its name.
    pub(super) params: Vec<String>,
    /// By parameter array: elements declared.
    pub(super) sizes: Vec<u32>,
    /// By texture: its name, and that of its sampler.
    pub(super) textures: Vec<(String, String)>,
    declared: Vec<usize>,
    structs: Vec<(String, Vec<Field>)>,
}

impl Interface {
    /// The interface of a module of one stage.
    pub(super) fn alone(
        module: &mut Module<'_>,
        shader: &Shader,
        plan: &Plan<'_>,
    ) -> Result<Self, Diagnostic> {
        let prefix = match shader.stage {
            Stage::Vertex => "Vertex",
            _ => "Fragment",
        };
        let mut this = Self::bindings(module, shader, plan)?;
        let fields = input_fields(module, shader, plan);
        this.set_input(module, shader, fields, &format!("{prefix}Input"));
        let fields = output_fields(module, shader, plan);
        this.set_results(module, shader, fields, &format!("{prefix}Output"));
        Ok(this)
    }

    /// The interfaces of a vertex and a fragment stage with their varyings in one struct.
    pub(super) fn pair(
        module: &mut Module<'_>,
        (vertex, vertex_plan): (&Shader, &Plan<'_>),
        (fragment, fragment_plan): (&Shader, &Plan<'_>),
    ) -> Result<(Self, Self), Diagnostic> {
        let mut first = Self::bindings(module, vertex, vertex_plan)?;
        let mut second = Self::bindings(module, fragment, fragment_plan)?;
        let fields = input_fields(module, vertex, vertex_plan);
        first.set_input(module, vertex, fields, "VertexInput");
        let fields = output_fields(module, vertex, vertex_plan);
        let reads = fragment_plan.inputs.iter().any(|read| *read);
        if reads {
            // Both stages name the struct; only the first declares it.
            let name = module.names.take("Varyings", words::is_word);
            second.input = Some(name.clone());
            second.inputs = fragment.inputs.iter().map(|input| spell_input(&fields, input)).collect();
            first.outputs = vertex.outputs.iter().map(|output| spell_output(&fields, output)).collect();
            first.results = Results::Struct(name.clone());
            first.exported = exported(vertex, &fields);
            first.structs.push((name, fields));
        } else {
            first.set_results(module, vertex, fields, "Varyings");
        }
        let fields = output_fields(module, fragment, fragment_plan);
        second.set_results(module, fragment, fields, "FragmentOutput");
        Ok((first, second))
    }

    fn bindings(module: &mut Module<'_>, shader: &Shader, plan: &Plan<'_>) -> Result<Self, Diagnostic> {
        let stage = stage_options(module, shader);
        let mut this = Self {
            input: None,
            inputs: Vec::new(),
            results: Results::None,
            outputs: Vec::new(),
            exported: Vec::new(),
            params: Vec::with_capacity(shader.params.len()),
            sizes: Vec::with_capacity(shader.params.len()),
            textures: Vec::with_capacity(shader.textures.len()),
            declared: Vec::new(),
            structs: Vec::new(),
        };
        for (i, (array, read)) in shader.params.iter().zip(&plan.params).enumerate() {
            let whole = array.indexed || module.options.array_size == ArraySize::File;
            let elements = if whole { array.size } else { array.used }.max(1);
            this.sizes.push(elements);
            if !read {
                this.params.push(String::new());
                continue;
            }
            let name = module.renamed(&array.name).to_string();
            let name = module.names.take(&name, words::is_word);
            this.params.push(name.clone());
            let kind = BindingKind::Constants { elements, space: module.options.space };
            let binding = stage.constants.saturating_add(i as u32);
            this.declared.push(module.bindings.len());
            module.bind(Binding { stage: shader.stage, group: stage.group, binding, name, kind })?;
        }
        for (texture, read) in shader.textures.iter().zip(&plan.textures) {
            if !read {
                this.textures.push((String::new(), String::new()));
                continue;
            }
            let slot = texture.slot;
            let name = module.renamed(&texture.name).to_string();
            let sampler = module.names.take(&format!("{name}_sampler"), words::is_word);
            let name = module.names.take(&name, words::is_word);
            this.textures.push((name.clone(), sampler.clone()));
            let mut bind = |name: String, binding: u32, kind: BindingKind| {
                this.declared.push(module.bindings.len());
                module.bind(Binding { stage: shader.stage, group: stage.group, binding, name, kind })
            };
            let dim = texture.dim;
            bind(name, stage.textures.saturating_add(slot), BindingKind::Texture { slot, dim })?;
            let state = texture.sampler;
            bind(sampler, stage.samplers.saturating_add(slot), BindingKind::Sampler { slot, state })?;
        }
        Ok(this)
    }

    fn set_input(&mut self, module: &mut Module<'_>, shader: &Shader, fields: Vec<Field>, name: &str) {
        self.inputs = shader.inputs.iter().map(|input| spell_input(&fields, input)).collect();
        if !fields.is_empty() {
            let name = module.names.take(name, words::is_word);
            self.input = Some(name.clone());
            self.structs.push((name, fields));
        }
    }

    fn set_results(&mut self, module: &mut Module<'_>, shader: &Shader, fields: Vec<Field>, name: &str) {
        self.exported = exported(shader, &fields);
        match fields.as_slice() {
            [] => self.results = Results::None,
            [only] => {
                let mut text = String::new();
                push_slot(&mut text, only.slot);
                text.push(' ');
                text.push_str(type_name(only.ty));
                self.results = Results::One(text);
            }
            _ => {
                let name = module.names.take(name, words::is_word);
                self.results = Results::Struct(name.clone());
                self.outputs = shader.outputs.iter().map(|output| spell_output(&fields, output)).collect();
                self.structs.push((name, fields));
                return;
            }
        }
        self.outputs = shader.outputs.iter().map(|_| String::new()).collect();
    }
}

fn stage_options<'a>(module: &Module<'a>, shader: &Shader) -> StageOptions<'a> {
    match shader.stage {
        Stage::Vertex => module.options.vertex,
        _ => module.options.fragment,
    }
}

fn input_slot(input: &Input) -> Slot {
    match input.kind {
        InputKind::Attribute { location } | InputKind::Varying { location } => Slot::Location(location),
        InputKind::System(_) | InputKind::PatchVarying { .. } => Slot::InstanceIndex,
    }
}

fn output_slot(output: &Output) -> Slot {
    match output.kind {
        OutputKind::Position => Slot::Position,
        OutputKind::Varying { location } | OutputKind::Color { target: location } => Slot::Location(location),
        _ => Slot::Depth,
    }
}

fn spell_input(fields: &[Field], input: &Input) -> String {
    let slot = input_slot(input);
    fields.iter().find(|f| f.slot == slot).map_or_else(String::new, |f| format!("in.{}", f.name))
}

fn spell_output(fields: &[Field], output: &Output) -> String {
    let slot = output_slot(output);
    fields.iter().find(|f| f.slot == slot).map_or_else(String::new, |f| format!("out.{}", f.name))
}

fn exported(shader: &Shader, fields: &[Field]) -> Vec<bool> {
    shader.outputs.iter().map(|o| fields.iter().any(|f| f.slot == output_slot(o))).collect()
}

fn input_fields(module: &Module<'_>, shader: &Shader, plan: &Plan<'_>) -> Vec<Field> {
    let mut fields = Vec::with_capacity(shader.inputs.len());
    for (input, read) in shader.inputs.iter().zip(&plan.inputs) {
        if *read {
            push_field(&mut fields, input_slot(input), module.renamed(&input.name), input.ty);
        }
    }
    fields.sort_by_key(|f| f.slot);
    fields
}

fn output_fields(module: &Module<'_>, shader: &Shader, plan: &Plan<'_>) -> Vec<Field> {
    let mut fields = Vec::with_capacity(shader.outputs.len() + 1);
    for (output, cell) in shader.outputs.iter().zip(&plan.cells) {
        if cell.wanted {
            let ty = if output.kind == OutputKind::Depth { Type::F32 } else { Type::F32X4 };
            push_field(&mut fields, output_slot(output), module.renamed(&output.name), ty);
        }
    }
    if shader.stage == Stage::Vertex && !fields.iter().any(|f| f.slot == Slot::Position) {
        push_field(&mut fields, Slot::Position, "position", Type::F32X4);
    }
    fields.sort_by_key(|f| f.slot);
    fields
}

fn push_field(fields: &mut Vec<Field>, slot: Slot, name: &str, ty: Type) {
    if fields.iter().any(|f| f.slot == slot) {
        return;
    }
    let mut unique = name.to_string();
    let mut n = 0;
    while words::is_word(&unique) || fields.iter().any(|f| f.name == unique) {
        n += 1;
        unique = format!("{name}_{n}");
    }
    fields.push(Field { slot, name: unique, ty });
}

fn push_slot(out: &mut String, slot: Slot) {
    match slot {
        Slot::Position => out.push_str("@builtin(position)"),
        Slot::Location(n) => {
            out.push_str("@location(");
            push_u32(out, n);
            out.push(')');
        }
        Slot::InstanceIndex => out.push_str("@builtin(instance_index)"),
        Slot::Depth => out.push_str("@builtin(frag_depth)"),
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
    pub(super) fn declare(&mut self, shader: &Shader, interface: &Interface) {
        let out = &mut self.out;
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        for (name, fields) in &interface.structs {
            out.push_str("struct ");
            out.push_str(name);
            out.push_str(" {\n");
            for field in fields {
                out.push_str("    ");
                push_slot(out, field.slot);
                let varying = shader.stage == Stage::Fragment && matches!(field.slot, Slot::Location(_));
                if varying && field.ty.scalar != Scalar::F32 {
                    out.push_str(" @interpolate(flat)");
                }
                out.push(' ');
                out.push_str(&field.name);
                out.push_str(": ");
                out.push_str(type_name(field.ty));
                out.push_str(",\n");
            }
            out.push_str("}\n\n");
        }
        for binding in interface.declared.iter().filter_map(|at| self.bindings.get(*at)) {
            out.push_str("@group(");
            push_u32(out, binding.group);
            out.push_str(") @binding(");
            push_u32(out, binding.binding);
            out.push_str(match binding.kind {
                BindingKind::Constants { space: Space::Uniform, .. } => ") var<uniform> ",
                BindingKind::Constants { space: Space::Storage, .. } => ") var<storage, read> ",
                _ => ") var ",
            });
            out.push_str(&binding.name);
            match binding.kind {
                BindingKind::Constants { elements, .. } => {
                    out.push_str(": array<vec4f, ");
                    push_u32(out, elements);
                    out.push_str(">;\n");
                }
                BindingKind::Texture { dim, .. } => {
                    out.push_str(": ");
                    // What has no type was refused.
                    out.push_str(texture_type(dim).unwrap_or("texture_2d"));
                    out.push_str("<f32>;\n");
                }
                BindingKind::Sampler { state, .. } => {
                    out.push_str(": sampler;");
                    push_sampler(out, state);
                    out.push('\n');
                }
            }
        }
        if !interface.declared.is_empty() {
            out.push('\n');
        }
    }
}

/// The type of a texture, if there is one.
pub(super) const fn texture_type(dim: Dim) -> Option<&'static str> {
    match dim {
        Dim::D1 => Some("texture_1d"),
        Dim::D2 => Some("texture_2d"),
        Dim::D3 => Some("texture_3d"),
        Dim::Cube => Some("texture_cube"),
        Dim::D2Array => Some("texture_2d_array"),
        Dim::CubeArray => Some("texture_cube_array"),
        Dim::D2Ms => Some("texture_multisampled_2d"),
        Dim::D1Array | Dim::Rect | Dim::Buffer | Dim::D2MsArray => None,
    }
}

/// The state of a sampler as a comment.
fn push_sampler(out: &mut String, state: Option<SamplerState>) {
    let Some(state) = state else {
        return out.push_str(" // state left to the host");
    };
    out.push_str(" // ");
    out.push_str(state.wrap_u.name());
    if state.wrap_u != state.wrap_v {
        out.push_str(" u, ");
        out.push_str(state.wrap_v.name());
        out.push_str(" v");
    }
    out.push_str(", ");
    out.push_str(state.min.name());
    if state.mag != state.min {
        out.push_str(" (magnified ");
        out.push_str(state.mag.name());
        out.push(')');
    }
    if state.anisotropy > 1 {
        out.push_str(", anisotropy ");
        push_u32(out, u32::from(state.anisotropy));
    }
    out.push_str(match state.mip {
        Mip::None => ", level 0 only",
        Mip::Nearest => ", nearest level",
        Mip::Linear => ", between levels",
    });
}
