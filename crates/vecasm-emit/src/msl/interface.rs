//! What a stage shares with the outside: arguments, inputs and outputs, and how each is spelt.

use super::images;
use super::language::Msl;
use super::memory::Block;
use super::rules::{self, refused};
use super::textures::type_name;
use super::{Options, words};
use crate::common::Names;
use crate::host::{self, Array, Buffer, Image, Passage, Shared, Speller, State, Texture, stage_name};
use crate::options::BindingKind;
use crate::plan::Plan;
use crate::text::{
    Language as _, Results, Spelling, Uses, identifier, is_single, push_state, renamed, unique,
};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::{
    self, Dim, Input, InputKind, Interpolation, Location, Output, OutputKind, Scalar, Shader, Stage, System,
    Type,
};

/// One thing the host has to bind.
pub type Binding = crate::options::Binding<Argument>;

/// A place in MSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Argument {
    /// The table that the index counts in.
    pub table: Table,
    /// Its index in the table.
    pub index: u32,
}

/// A table of Metal's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Table {
    /// Buffers, of which there are 31.
    Buffer,
    /// Textures, of which there are 128.
    Texture,
    /// Samplers, of which there are 16.
    Sampler,
}

impl Table {
    /// The word for it: `buffer`, `texture`, `sampler`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::Texture => "texture",
            Self::Sampler => "sampler",
        }
    }

    /// The table that holds such things.
    const fn of(kind: &BindingKind) -> Self {
        match kind {
            BindingKind::Texture { .. } | BindingKind::Image { .. } => Self::Texture,
            BindingKind::Sampler { .. } => Self::Sampler,
            _ => Self::Buffer,
        }
    }

    /// How many indices it has.
    const fn length(self) -> u32 {
        match self {
            Self::Buffer => 31,
            Self::Texture => 128,
            Self::Sampler => 16,
        }
    }
}

/// A field of a struct.
struct Field<'s> {
    /// Where it stands among the others.
    order: (u8, u32),
    ty: &'static str,
    name: Cow<'s, str>,
    attribute: String,
    /// How many there are, in an array.
    count: u32,
}

/// What the writer keeps while it declares.
pub(super) struct Writer<'s> {
    options: &'s Options<'s>,
    /// Arguments of the entry point, and a comment behind each.
    arguments: Vec<(String, String)>,
    /// What it gives.
    result: Cow<'s, str>,
    /// Fields of the struct that comes in, later of that which goes out.
    fields: Vec<Field<'s>>,
    /// How many distances go out.
    distances: u32,
    /// The argument with the number of words of each buffer.
    sizes: String,
}

pub(super) type Interface<'s> = host::Interface<'s, Writer<'s>>;
pub(super) type Walk<'w, 's> = host::Walk<'w, 's, Writer<'s>>;

impl<'s> Speller<'s> for Writer<'s> {
    type Language = Msl;
    type Place = Argument;
    const HAS_GLOBAL_MEMBERS: bool = false;
    const DEPTH: &'static str = "depth ";
    const HAS_ATOMIC_WORDS: bool = true;
    const READS_IN_VERTICES: Option<[&'static Rule; 2]> = Some([rules::BUFFER; 2]);

    fn language(&self) -> Msl {
        Msl(self.options.version)
    }

    fn array(walk: &mut Walk<'_, 's>, array: &Array<'s>) -> Result<Cow<'s, str>, Diagnostic> {
        let Array { number, of, name, parts, kind, .. } = array;
        let stage = walk.shader.stage;
        let ty = Msl::type_name(Type::new(host::shared(of.scalar), 4));
        let index = walk.face.writer.options.constants.saturating_add(*number);
        if parts.is_empty() {
            walk.argument(format!("constant {ty} *{name} [[buffer({index})]]"));
        } else {
            let block = format!("{}Constants_{name}", stage_name(stage));
            let block = walk.take(block);
            walk.face.declarations.push_str(&format!("\nstruct {block} {{\n"));
            for part in parts {
                let (field, length, comment) = (&part.name, part.length(), part.comment(of));
                walk.face.declarations.push_str(&format!("    {ty} {field}{length};{comment}\n"));
            }
            walk.face.declarations.push_str("};\n");
            walk.argument(format!("constant {block} &{name} [[buffer({index})]]"));
        }
        walk.bind(index, name.to_string(), *kind)?;
        Ok(name.clone())
    }

    fn states(walk: &mut Walk<'_, 's>, states: &[State<'s>]) -> Result<Cow<'s, str>, Diagnostic> {
        let (shader, options) = (walk.shader, walk.face.writer.options);
        let name = walk.take("state").into_owned();
        let block = walk.take(format!("{}State", stage_name(shader.stage)));
        let field = |(number, state): (u32, &State<'s>)| {
            let ty = Msl::type_name(Type::new(host::shared(state.of.ty.scalar), 4));
            let (name, attribute) = (state.name.clone(), String::new());
            Field { order: (0, number), ty, name, attribute, count: 0 }
        };
        let mut fields: Vec<Field<'s>> = (0..).zip(states).map(field).collect();
        walk.face.structure(&block, &mut fields);
        let index = options.constants.saturating_add(shader.params.len() as u32);
        walk.argument(format!("constant {block} &{name} [[buffer({index})]]"));
        let before = format!("{name}.");
        walk.bind(index, name, BindingKind::states(shader))?;
        Ok(before.into())
    }

    fn has_texture(&self, texture: &ir::Texture) -> bool {
        match texture.dim {
            Dim::D1 | Dim::D1Array | Dim::D3 | Dim::Rect => !texture.compare,
            Dim::D2 | Dim::Cube | Dim::D2Array | Dim::CubeArray | Dim::D2Ms => true,
            Dim::D2MsArray => !texture.compare,
            Dim::Buffer => !texture.compare && self.options.version.since(1),
        }
    }

    fn sampler_kind(texture: &ir::Texture) -> BindingKind {
        BindingKind::sampler(texture, texture.dim != Dim::Rect)
    }

    fn sampled(walk: &Walk<'_, 's>) -> Vec<bool> {
        host::sampled(walk.shader, |inst| inst.result.is_some_and(|value| walk.plan.is_live(value)))
    }

    fn texture(walk: &mut Walk<'_, 's>, texture: &Texture<'s>) -> Result<(), Diagnostic> {
        let Texture { of, name, kind } = texture;
        let ir::Texture { slot, sampler_slot, dim, scalar, compare, .. } = **of;
        let Options { textures, samplers, .. } = *walk.face.writer.options;
        if let BindingKind::Sampler { state, normalized, .. } = *kind {
            let index = samplers.saturating_add(sampler_slot);
            let mut comment = String::new();
            push_state(&mut comment, state);
            comment.push_str(if normalized { "" } else { ", coordinates in texels" });
            walk.face.writer.arguments.push((format!("sampler {name} [[sampler({index})]]"), comment));
            return walk.bind(index, name.to_string(), *kind);
        }
        let index = textures.saturating_add(slot);
        let ty = type_name(dim, scalar, compare);
        walk.argument(format!("{ty} {name} [[texture({index})]]"));
        walk.bind(index, name.to_string(), *kind)
    }

    /// As an array of words.
    fn buffer(walk: &mut Walk<'_, 's>, buffer: &Buffer<'s>) -> Result<Block, Diagnostic> {
        let Buffer { number, name, usage, write, kind } = buffer;
        let space = if *write { "device" } else { "const device" };
        let count = format!("{}[{number}]", walk.face.writer.sizes);
        let memory = Block::new(name.to_string(), space, usage.atomic, count);
        let index = walk.first_buffer().saturating_add(*number);
        walk.argument(format!("{space} {} *{name} [[buffer({index})]]", memory.word()));
        walk.bind(index, name.to_string(), *kind)?;
        Ok(memory)
    }

    fn shared(walk: &mut Walk<'_, 's>, shared: &Shared<'s>) -> Result<Block, Diagnostic> {
        let threads: u64 = walk.shader.setup.workgroup.iter().map(|n| u64::from(*n)).product();
        if threads == 0 {
            let what = "the size of the workgroup is left to the dispatch, but its memory must be cleared";
            return Err(refused(rules::OP, what));
        }
        let Shared { name, words, atomic } = shared;
        let count = (*words).max(1);
        let thread = walk.take("thread_index");
        let memory = Block::new(name.to_string(), "threadgroup", *atomic, format!("{count}u"));
        walk.argument(format!("uint {thread} [[thread_index_in_threadgroup]]"));
        let clear = if *atomic {
            format!("atomic_store_explicit(&{name}[at], 0u, memory_order_relaxed);")
        } else {
            format!("{name}[at] = 0u;")
        };
        walk.face.outside.first.extend([
            format!("threadgroup {} {name}[{count}];", memory.word()),
            format!("for (uint at = {thread}; at < {count}u; at += {threads}u) {{"),
            format!("    {clear}"),
            "}".to_string(),
            "threadgroup_barrier(mem_flags::mem_threadgroup);".to_string(),
        ]);
        Ok(memory)
    }

    fn check_image(&self, image: &ir::Image, _uses: Uses) -> Result<(), Diagnostic> {
        images::check(image)
    }

    /// As a texture behind those that are sampled.
    fn image(walk: &mut Walk<'_, 's>, image: &Image<'s, Msl>) -> Result<(), Diagnostic> {
        let Image { number, name, kind, .. } = image;
        let first = walk.face.writer.options.textures.saturating_add(host::behind_textures(walk.shader));
        let index = first.saturating_add(*number);
        walk.argument(format!("{} {name} [[texture({index})]]", image.ty()));
        walk.bind(index, name.to_string(), *kind)
    }
}

impl<'s> Passage<'s> for Writer<'s> {
    const INPUT: &'static str = "in.";

    /// As an argument, if the version has it.
    fn system(walk: &mut Walk<'_, 's>, system: System, input: &'s Input) -> Option<Spelling<'s>> {
        let Writer { options, arguments, .. } = &mut walk.face.writer;
        let since = |minor| options.version.since(minor);
        let mut add = |wanted: &str, ty: &str, attribute: &str| {
            let argument = |name: &str| format!("{ty} {name} [[{attribute}]]");
            let there = arguments.iter().find_map(|(text, _)| {
                let name = text.strip_prefix(ty)?.split(' ').nth(1)?;
                (*text == argument(name)).then(|| name.to_string())
            });
            there.unwrap_or_else(|| {
                let name = walk.names.take(wanted.to_string(), words::is_word).into_owned();
                arguments.push((argument(&name), String::new()));
                name
            })
        };
        let own = identifier(renamed(options.names, &input.name));
        let name = match system {
            System::VertexIndex => add(&own, "uint", "vertex_id"),
            System::BaseVertex => format!("int({})", add(&own, "uint", "base_vertex")),
            System::VertexIndexNoBase => {
                let id = add("vertex_id", "uint", "vertex_id");
                format!("({id} - {})", add("base_vertex", "uint", "base_vertex"))
            }
            System::InstanceIndex => {
                let id = add("instance_id", "uint", "instance_id");
                format!("({id} - {})", add("base_instance", "uint", "base_instance"))
            }
            System::BaseInstance => add(&own, "uint", "base_instance"),
            System::FragCoord => add(&own, "float4", "position"),
            System::FrontFacing => add(&own, "bool", "front_facing"),
            System::PointCoord => add(&own, "float2", "point_coord"),
            System::SampleIndex => add(&own, "uint", "sample_id"),
            System::SampleMask => add(&own, "uint", "sample_mask"),
            System::SamplePosition => {
                format!("get_sample_position({})", add("sample_id", "uint", "sample_id"))
            }
            System::Layer => add(&own, "uint", "render_target_array_index"),
            System::ViewportIndex => add(&own, "uint", "viewport_array_index"),
            System::LocalIndex => add(&own, "uint3", "thread_position_in_threadgroup"),
            System::GroupIndex => add(&own, "uint3", "threadgroup_position_in_grid"),
            System::GroupSize => add(&own, "uint3", "threads_per_threadgroup"),
            System::GridSize => add(&own, "uint3", "threadgroups_per_grid"),
            System::PrimitiveIndex if since(2) => add(&own, "uint", "primitive_id"),
            _ => return None,
        };
        Some(Spelling::plain(name))
    }

    fn has_input(&self, input: &Input) -> bool {
        match input.kind {
            InputKind::Attribute { location } => location < MOST_ATTRIBUTES,
            InputKind::PatchVarying { .. } => false,
            _ => true,
        }
    }

    fn input(walk: &mut Walk<'_, 's>, input: &'s Input, location: u32) -> Option<Cow<'s, str>> {
        let name = free(&walk.face.writer.fields, walk.naming.input(input));
        let attribute = match walk.shader.stage {
            Stage::Vertex => format!("attribute({location})"),
            _ => format!("user(locn{location}){}", interpolation(input, walk.face.writer.options)),
        };
        let ty = Msl::type_name(Type::new(input.ty.scalar, 4));
        let order = (0, location);
        walk.face.writer.fields.push(Field { order, ty, name: name.clone(), attribute, count: 0 });
        Some(name)
    }

    fn output(
        walk: &mut Walk<'_, 's>,
        number: usize,
        output: &'s Output,
    ) -> Result<Option<Spelling<'s>>, Diagnostic> {
        let unsigned = output.scalar == Scalar::U32;
        let (vertex, version) = (walk.shader.stage == Stage::Vertex, walk.face.writer.options.version);
        let (order, attribute) = match output.kind {
            OutputKind::Position => ((0, 0), "position".to_string()),
            OutputKind::PointSize => ((2, 0), "point_size".to_string()),
            OutputKind::Depth => ((2, 1), "depth(any)".to_string()),
            OutputKind::SampleMask if unsigned => ((2, 2), "sample_mask".to_string()),
            OutputKind::Stencil if unsigned && version.since(1) => ((2, 3), "stencil".to_string()),
            OutputKind::Layer if unsigned && vertex => ((2, 4), "render_target_array_index".to_string()),
            OutputKind::ViewportIndex if unsigned && vertex => ((2, 5), "viewport_array_index".to_string()),
            OutputKind::ClipDistance { index } if vertex && index < 2 => {
                let name = walk.take(format!("clip_distances_{index}"));
                walk.face.outside.first.push(format!("float4 {name};"));
                walk.face.outside.last.extend(host::distance_copies("out.clip_distance", index, &name));
                walk.face.writer.distances = walk.face.writer.distances.max(index * 4 + 4);
                return Ok(Some(Spelling::plain(name)));
            }
            OutputKind::Varying { location } => ((1, location), format!("user(locn{location})")),
            OutputKind::Color { target } if target < MOST_COLORS => ((0, target), format!("color({target})")),
            OutputKind::SecondColor { target: 0 } => ((1, 0), "color(0), index(1)".to_string()),
            _ => return Ok(None),
        };
        let ty = Msl::type_name(Type::new(output.scalar, if is_single(output.kind) { 1 } else { 4 }));
        let alone = walk.plan.cells.iter().filter(|cell| cell.wanted).count() == 1;
        if alone && output.kind == (OutputKind::Color { target: 0 }) {
            walk.face.outside.results = Results::One(Some(number));
            walk.face.writer.result = Cow::Borrowed(ty);
            return Ok(Some(Spelling::default()));
        }
        let fields = &mut walk.face.writer.fields;
        if fields.iter().any(|field| field.attribute == attribute) {
            return Ok(None);
        }
        let name = free(fields, walk.naming.output(output));
        fields.push(Field { order, ty, name: name.clone(), attribute, count: 0 });
        Ok(Some(Spelling { before: "out.", name, after: "" }))
    }
}

impl<'s> Interface<'s> {
    pub(super) fn new(
        names: &mut Names,
        shader: &'s Shader,
        plan: &Plan<'_>,
        options: &'s Options<'s>,
    ) -> Result<Self, Diagnostic> {
        let face = Interface::empty(Writer {
            options,
            arguments: Vec::new(),
            result: Cow::Borrowed(""),
            fields: Vec::new(),
            distances: 0,
            sizes: String::new(),
        });
        let mut walk = Walk { shader, plan, names, naming: options.naming(), face };
        walk.add_inputs()?;
        walk.end_inputs();
        walk.add_outputs()?;
        walk.end_outputs();
        walk.add_constants()?;
        walk.add_states()?;
        walk.add_textures()?;
        walk.face.writer.sizes = walk.take("buffer_words").into_owned();
        walk.add_buffers()?;
        walk.add_sizes()?;
        walk.add_shared()?;
        walk.add_images()?;
        Ok(walk.face)
    }

    /// The head of the entry point.
    pub(super) fn head(&self, shader: &Shader, entry: &str) -> String {
        let word = match shader.stage {
            Stage::Vertex => "vertex",
            Stage::Compute => "kernel",
            _ => "fragment",
        };
        let mut out = format!("\n{word} {} {entry}(", self.writer.result);
        for (n, (argument, comment)) in self.writer.arguments.iter().enumerate() {
            let last = n + 1 == self.writer.arguments.len();
            out.push_str(if self.writer.arguments.len() > 1 { "\n    " } else { "" });
            out.push_str(argument);
            out.push_str(if last { "" } else { "," });
            out.push_str(comment);
        }
        out.push_str(if self.writer.arguments.len() > 1 { "\n)" } else { ")" });
        out
    }

    fn structure(&mut self, name: &str, fields: &mut [Field<'_>]) {
        fields.sort_by_key(|field| field.order);
        self.declarations.push_str(&format!("\nstruct {name} {{\n"));
        for Field { ty, name, attribute, count, .. } in fields {
            let count = if *count > 0 { format!(" [{count}]") } else { String::new() };
            let attribute = if attribute.is_empty() { String::new() } else { format!(" [[{attribute}]]") };
            self.declarations.push_str(&format!("    {ty} {name}{attribute}{count};\n"));
        }
        self.declarations.push_str("};\n");
    }
}

impl<'s> Walk<'_, 's> {
    /// How many words the buffers have, if some are used.
    fn add_sizes(&mut self) -> Result<(), Diagnostic> {
        if !self.face.bindings.iter().any(|binding| matches!(binding.kind, BindingKind::Buffer { .. })) {
            return Ok(());
        }
        let (sizes, count) = (core::mem::take(&mut self.face.writer.sizes), self.shader.buffers.len() as u32);
        let index = self.first_buffer().saturating_add(count);
        self.argument(format!("constant uint *{sizes} [[buffer({index})]]"));
        self.bind(index, sizes, BindingKind::Words { count })
    }

    /// The index of the first buffer: behind the constants and the states.
    fn first_buffer(&self) -> u32 {
        self.face.writer.options.constants.saturating_add(self.shader.params.len() as u32 + 1)
    }

    /// Binds something at an index of its table.
    fn bind(&mut self, index: u32, name: String, kind: BindingKind) -> Result<(), Diagnostic> {
        let place = Argument { table: Table::of(&kind), index };
        let (table, length) = (place.table.name(), place.table.length());
        if let Some(other) = self.face.bindings.iter().find(|other| other.place == place) {
            let what = format!("{} and {name} are both at [[{table}({index})]]", other.name);
            return Err(refused(rules::BINDING, what));
        }
        if index >= length {
            let what = format!("{name} is at [[{table}({index})]]; there are {length}");
            return Err(refused(rules::BINDING, what));
        }
        self.face.bindings.push(Binding { stage: self.shader.stage, place, name, kind });
        Ok(())
    }

    fn argument(&mut self, text: String) {
        self.face.writer.arguments.push((text, String::new()));
    }

    /// Declares the struct of the inputs.
    fn end_inputs(&mut self) {
        let mut fields = core::mem::take(&mut self.face.writer.fields);
        if fields.is_empty() {
            return;
        }
        let wanted = format!("{}Input", stage_name(self.shader.stage));
        let name = self.take(wanted);
        self.face.structure(&name, &mut fields);
        self.face.writer.arguments.insert(0, (format!("{name} in [[stage_in]]"), String::new()));
    }

    /// Declares the struct of the outputs, if there is one.
    fn end_outputs(&mut self) {
        if self.face.outside.results != Results::None {
            return;
        }
        let stage = self.shader.stage;
        let (mut fields, count) = (core::mem::take(&mut self.face.writer.fields), self.face.writer.distances);
        if count > 0 {
            // Its name is that of the copies at the end.
            if let Some(field) = fields.iter_mut().find(|field| field.name == "clip_distance") {
                field.name = Cow::Borrowed("clip_distance_1");
            }
            let attribute = "clip_distance".to_string();
            fields.push(Field { order: (2, 6), ty: "float", name: "clip_distance".into(), attribute, count });
        }
        if stage == Stage::Vertex && !fields.iter().any(|field| field.attribute == "position") {
            let name = free(&fields, "position".into());
            self.face.outside.last.push(format!("out.{name} = float4(0.0);"));
            let attribute = "position".to_string();
            fields.push(Field { order: (0, 0), ty: "float4", name, attribute, count: 0 });
        }
        if fields.is_empty() {
            self.face.writer.result = Cow::Borrowed("void");
            return;
        }
        let name = self.take(format!("{}Output", stage_name(stage)));
        self.face.structure(&name, &mut fields);
        self.face.outside.results = Results::Struct(name.clone());
        self.face.writer.result = name;
    }
}

/// Attributes of a vertex descriptor.
const MOST_ATTRIBUTES: u32 = 31;
/// Colours that are drawn to at once.
const MOST_COLORS: u32 = 8;

/// A name that no other field has.
fn free<'s>(fields: &[Field<'s>], wanted: Cow<'s, str>) -> Cow<'s, str> {
    unique(wanted, |name| words::is_word(name) || fields.iter().any(|field| field.name == name))
}

/// How a fragment input is interpolated, where that is not as usual.
fn interpolation(input: &Input, options: &Options<'_>) -> &'static str {
    use {Interpolation as I, Location as L};
    match (host::interpolation(input, options.flat_colors), input.location) {
        (I::Flat, _) => ", flat",
        (I::Perspective | I::Color, L::Center) => "",
        (I::Perspective | I::Color, L::Centroid) => ", centroid_perspective",
        (I::Perspective | I::Color, L::Sample) => ", sample_perspective",
        (I::Linear, L::Center) => ", center_no_perspective",
        (I::Linear, L::Centroid) => ", centroid_no_perspective",
        (I::Linear, L::Sample) => ", sample_no_perspective",
    }
}
