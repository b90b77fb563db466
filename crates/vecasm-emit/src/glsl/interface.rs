//! What a stage shares with the outside: blocks, textures, inputs and outputs, and how each is spelt.

use super::images;
use super::language::Glsl;
use super::memory::Block;
use super::rules;
use super::stages;
use super::textures::has_rect;
use super::{Options, Version, sampler_name, words};
use crate::common::{Names, push_u32};
use crate::host::{self, Array, Buffer, Image, Passage, Shared, Speller, State, Texture, stage_name};
use crate::naming::Part;
use crate::options::{BindingKind, Space, StageOptions};
use crate::plan::Plan;
use crate::text::{Language as _, Results, Spelling, Uses, identifier, is_single, reads_lanes};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::shader::numbered;
use vecasm_ir::ir::{
    self, Dim, Format, Input, InputKind, Interpolation, Location, Op, Output, OutputKind, Scalar, Shader,
    Stage, System, Type,
};

/// One thing the host has to bind.
pub type Binding = crate::options::Binding<Layout>;

/// A place in GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Layout {
    /// `layout(binding = …)`, in versions that have it.
    pub binding: Option<u32>,
}

/// What the host finds by its name.
const BY_NAME: Layout = Layout { binding: None };

/// Where a varying goes: the stage that gives it, whether it is one of a patch, and its location.
type VaryingKey = (Stage, bool, u32);

/// Where the states are among the blocks of a stage.
const STATES: u32 = StageOptions::for_opengl(Stage::Fragment).states;

/// What the writer keeps while it declares.
pub(super) struct Writer<'s> {
    options: &'s Options<'s>,
    /// Statements at the start.
    pub(super) prologue: String,
    /// Varyings that are matched by name, with their names.
    by_name: Vec<(VaryingKey, String)>,
    /// Extensions that no word of the text tells.
    pub(super) extensions: Vec<&'static str>,
    /// Declarations of what comes in or goes out, by location.
    lines: Vec<(u32, String)>,
    /// Whether there is a position.
    position: bool,
    /// How many distances go out.
    clips: u32,
    culls: u32,
}

pub(super) type Interface<'s> = host::Interface<'s, Writer<'s>>;
pub(super) type Walk<'w, 's> = host::Walk<'w, 's, Writer<'s>>;

impl<'s> Speller<'s> for Writer<'s> {
    type Language = Glsl;
    type Place = Layout;
    const HAS_GLOBAL_MEMBERS: bool = true;

    fn language(&self) -> Glsl {
        Glsl(self.options.version)
    }

    fn has_blocks(&self) -> bool {
        self.options.version.has_blocks()
    }

    fn array(walk: &mut Walk<'_, 's>, array: &Array<'s>) -> Result<Cow<'s, str>, Diagnostic> {
        let ty = walk.host_type(array.of.scalar);
        if !walk.face.writer.has_blocks() {
            return Ok(walk.uniforms(array, ty));
        }
        let mut fields = String::new();
        if array.parts.is_empty() {
            fields = ["    ", ty, " ", &array.name, "["].concat();
            push_u32(&mut fields, array.elements);
            fields.push_str("];\n");
        }
        for part in &array.parts {
            let (field, length, comment) = (&part.name, part.length(), part.comment(array.of));
            ["    ", ty, " ", field, &length, ";", &comment, "\n"]
                .iter()
                .for_each(|text| fields.push_str(text));
        }
        Ok(walk.block((&array.name, array.number), &fields, array.kind).into())
    }

    fn states(walk: &mut Walk<'_, 's>, states: &[State<'s>]) -> Result<Cow<'s, str>, Diagnostic> {
        let mut fields = String::new();
        for (number, State { of, name, read }) in (0..).zip(states) {
            let ty = walk.host_type(of.ty.scalar);
            if walk.face.writer.has_blocks() {
                ["    ", ty, " ", name, ";\n"].iter().for_each(|part| fields.push_str(part));
            } else if *read {
                fields.push_str(&format!("uniform {ty} {name};\n"));
                let (name, kind) = (name.to_string(), BindingKind::State { number, ty: of.ty });
                walk.face.bindings.push(Binding { stage: walk.shader.stage, place: BY_NAME, name, kind });
            }
        }
        if walk.face.writer.has_blocks() {
            // Behind the arrays, of which hardly any shader has as many.
            let at = (walk.shader.params.len() as u32).max(STATES);
            walk.block(("state", at), &fields, BindingKind::states(walk.shader));
        } else {
            walk.face.declarations.push('\n');
            walk.face.declarations.push_str(&fields);
        }
        Ok(Cow::Borrowed(""))
    }

    fn has_texture(&self, texture: &ir::Texture) -> bool {
        let (version, never) = (self.options.version, u16::MAX);
        let known = match texture.dim {
            Dim::Cube if texture.compare => version.since(130, 300),
            Dim::D2 if texture.compare => version.since(120, 300),
            Dim::D2 | Dim::D3 | Dim::Cube => true,
            Dim::D2Array => version.since(130, 300),
            Dim::D1 => version.since(120, never),
            Dim::Rect => has_rect(texture, version),
            Dim::D1Array => version.since(130, never),
            Dim::CubeArray => version.since(130, 320),
            Dim::Buffer => version.since(140, 320),
            Dim::D2Ms => version.since(150, 310),
            Dim::D2MsArray => version.since(150, 320),
        };
        known && (texture.scalar == Scalar::F32 || !version.is_old())
    }

    /// In one with its sampler.
    fn texture_kind(&self, texture: &ir::Texture) -> BindingKind {
        let ir::Texture { slot, sampler_slot, dim, scalar, compare, sampler: state, .. } = *texture;
        BindingKind::Combined { slot, sampler_slot, dim, of: dim, scalar, compare, state }
    }

    fn texture(walk: &mut Walk<'_, 's>, texture: &Texture<'s>) -> Result<(), Diagnostic> {
        let Texture { of, name, kind } = texture;
        let (stage, options) = (walk.shader.stage, walk.face.writer.options);
        let version = options.version;
        let binding = options.first_texture(stage).saturating_add(of.slot);
        let binding = walk.layout(version, false, binding);
        let precision = if version.is_es() { "highp " } else { "" };
        let ty = sampler_name(of.dim, of.scalar, of.compare);
        ["uniform ", precision, &ty, " ", name, ";\n"]
            .iter()
            .for_each(|part| walk.face.declarations.push_str(part));
        let (place, name) = (Layout { binding }, name.to_string());
        walk.face.bindings.push(Binding { stage, place, name, kind: *kind });
        Ok(())
    }

    fn lacks_buffers(&self) -> Option<&'static Rule> {
        (!self.options.version.since(430, 310)).then_some(rules::MEMORY)
    }

    fn buffer(walk: &mut Walk<'_, 's>, buffer: &Buffer<'s>) -> Result<Block, Diagnostic> {
        let Buffer { number, name, usage, write, kind } = buffer;
        let shader = walk.shader;
        let block = format!("{}_{name}", stage_name(shader.stage));
        let block = walk.take(block).into_owned();
        let how = match (write, usage.read && waits(shader)) {
            (true, true) => "coherent ",
            (true, false) => "",
            _ => "readonly ",
        };
        walk.face.declarations.push_str(&format!(
            "\nlayout(std430, binding = {number}) {how}buffer {block} {{\n    uint {name}[];\n}};\n"
        ));
        let place = Layout { binding: Some(*number) };
        walk.face.bindings.push(Binding { stage: shader.stage, place, name: block, kind: *kind });
        Ok(Block::new(name.to_string(), None))
    }

    fn shared(walk: &mut Walk<'_, 's>, shared: &Shared<'s>) -> Result<Block, Diagnostic> {
        let Shared { name, words: count, .. } = shared;
        let [x, y, z] = walk.shader.setup.workgroup;
        walk.face.declarations.push_str(&format!("\nshared uint {name}[{}];\n", (*count).max(1)));
        // It starts at zero, which GLSL leaves open.
        let at = walk.take("word");
        let step = x.saturating_mul(y).saturating_mul(z);
        walk.face.writer.prologue = format!(
            "    for (uint {at} = gl_LocalInvocationIndex; {at} < {count}u; {at} += {step}u) {{
        {name}[{at}] = 0u;
    }}
    memoryBarrierShared();
    barrier();
"
        );
        Ok(Block::new(name.to_string(), Some(*count)))
    }

    fn check_image(&self, image: &ir::Image, uses: Uses) -> Result<(), Diagnostic> {
        images::check(image, uses, self.options.version)
    }

    fn image(walk: &mut Walk<'_, 's>, image: &Image<'s, Glsl>) -> Result<(), Diagnostic> {
        let Image { of, name, uses, kind, .. } = image;
        if uses.reads() && of.format == Format::Bgra8Unorm {
            walk.ask("GL_EXT_shader_image_load_formatted");
        }
        walk.face.declarations.push_str(&image.declaration(waits(walk.shader)));
        let (stage, place) = (walk.shader.stage, Layout { binding: Some(of.slot) });
        walk.face.bindings.push(Binding { stage, place, name: name.to_string(), kind: *kind });
        Ok(())
    }
}

impl<'s> Passage<'s> for Writer<'s> {
    fn system(walk: &mut Walk<'_, 's>, system: System, input: &'s Input) -> Option<Spelling<'s>> {
        let version = walk.face.writer.options.version;
        if system == System::FragCoord {
            if version.since(150, u16::MAX) {
                walk.face.declarations.push_str("\nlayout(origin_upper_left) in vec4 gl_FragCoord;\n");
            } else if reads_lanes(walk.shader, walk.plan, input, 2) {
                return None;
            }
        }
        system_name(system, walk.shader, version)
    }

    /// What the stage before gave to built-in variables.
    fn vertex_input(walk: &mut Walk<'_, 's>, input: &'s Input) -> Option<Option<Spelling<'s>>> {
        if matches!(input.kind, InputKind::PatchVarying { .. }) {
            return None;
        }
        let version = walk.face.writer.options.version;
        let (text, size) = stages::of_vertex(&input.semantic, input.ty)?;
        if size {
            stages::sized_points(walk.shader.stage, version).into_iter().for_each(|e| walk.ask(e));
        }
        let lacks = version.is_es() && text.contains("gl_ClipDistance");
        Some((!lacks).then(|| Spelling::plain(text)))
    }

    fn has_input(&self, input: &Input) -> bool {
        let far = matches!(input.kind, InputKind::Attribute { location } if location >= MOST_LOCATIONS);
        !far && (input.ty.scalar == Scalar::F32 || !self.options.version.is_old())
    }

    fn input(walk: &mut Walk<'_, 's>, input: &'s Input, location: u32) -> Option<Cow<'s, str>> {
        let (stage, options) = (walk.shader.stage, walk.face.writer.options);
        let version = options.version;
        let (varying, patch) = (stage != Stage::Vertex, matches!(input.kind, InputKind::PatchVarying { .. }));
        // What is there for each vertex.
        let several = stage.has_vertices() && !patch;
        let way = varying.then(|| (before(walk.shader, options), patch, location));
        let name = walk.varying(way, walk.naming.input(input));
        let how = match stage {
            Stage::Vertex => "",
            Stage::Fragment => interpolation(input, options)?,
            _ if patch => "patch ",
            _ if input.ty.scalar != Scalar::F32 => "flat ",
            _ => "",
        };
        // Those of a patch share the locations of the others, so they go by their names.
        let placed = if varying { !patch && has_place(version, location) } else { version.since(330, 300) };
        if !varying && !placed {
            let (name, kind) = (name.to_string(), BindingKind::Attribute { location });
            walk.face.bindings.push(Binding { stage, place: BY_NAME, name, kind });
        }
        let word = match (version.is_old(), varying) {
            (false, _) => "in",
            (true, true) => "varying",
            (true, false) => "attribute",
        };
        let ty = Glsl::type_name(Type::new(input.ty.scalar, 4));
        let array = if several { "[]" } else { "" };
        let mut line = String::with_capacity(64);
        if placed {
            push_place(&mut line, location);
        }
        let parts = [how, word, " ", ty, " ", &name, array, ";\n"];
        parts.iter().for_each(|part| line.push_str(part));
        walk.face.writer.lines.push((location, line));
        Some(if several { format!("{name}[@]").into() } else { name })
    }

    fn output(
        walk: &mut Walk<'_, 's>,
        number: usize,
        output: &'s Output,
    ) -> Result<Option<Spelling<'s>>, Diagnostic> {
        let (shader, options) = (walk.shader, walk.face.writer.options);
        let version = options.version;
        let stream = stages::stream(shader, output)?;
        let (float, signed) = (output.scalar == Scalar::F32, output.scalar == Scalar::I32);
        // In a patch there is one for each vertex.
        let control = shader.stage == Stage::TessControl;
        let of_patch = if control { "gl_out[@]." } else { "" };
        let plain = |name: &'static str| Ok(Some(Spelling::plain(name)));
        // A variable that is copied at the end.
        let copied = |walk: &mut Walk<'_, 's>, wanted: Cow<'s, str>, ty: &str| {
            let name = walk.take(wanted);
            walk.face.writer.lines.push((u32::MAX, format!("{ty} {name};\n")));
            name
        };
        let (placed, location, varying) = match output.kind {
            OutputKind::Position | OutputKind::PointSize => {
                let name = if output.kind == OutputKind::Position {
                    walk.face.writer.position = true;
                    "gl_Position"
                } else {
                    stages::sized_points(shader.stage, version).into_iter().for_each(|e| walk.ask(e));
                    "gl_PointSize"
                };
                let name = format!("{of_patch}{name}");
                let own = stages::own(&name);
                walk.face.outside.outputs_of[number] = name;
                return Ok(Some(Spelling::plain(own)));
            }
            OutputKind::TessOuter | OutputKind::TessInner => {
                return plain(stages::levels(output.kind).unwrap_or_default());
            }
            OutputKind::Layer | OutputKind::ViewportIndex | OutputKind::PrimitiveIndex if !control => {
                let (name, there) = match output.kind {
                    OutputKind::Layer => ("gl_Layer", true),
                    OutputKind::ViewportIndex => ("gl_ViewportIndex", !version.is_es()),
                    _ => ("gl_PrimitiveID", true),
                };
                let geometry = shader.stage == Stage::Geometry;
                if !there || (!geometry && !version.since(410, u16::MAX)) {
                    return Ok(None);
                }
                if !geometry {
                    walk.ask("GL_ARB_shader_viewport_layer_array");
                } else if name == "gl_ViewportIndex" && !version.since(410, u16::MAX) {
                    walk.ask("GL_ARB_viewport_array");
                }
                if signed {
                    return plain(name);
                }
                let own = copied(walk, identifier(&output.name), "uint");
                walk.face.outside.last.push(format!("{name} = int({own});"));
                return Ok(Some(Spelling::plain(own)));
            }
            OutputKind::Depth => {
                let old = version.is_es() && version.is_old();
                return plain(if old { "gl_FragDepthEXT" } else { "gl_FragDepth" });
            }
            OutputKind::Color { target } if version.is_old() && float && target < 8 => {
                let only = shader.outputs.iter().zip(&walk.plan.cells).all(|(output, cell)| {
                    !cell.wanted || !matches!(output.kind, OutputKind::Color { target: 1.. })
                });
                // One colour goes everywhere on the desktop, where there may be several targets anyway.
                return Ok(Some(match version.is_es() && only {
                    true => Spelling::plain("gl_FragColor"),
                    false => Spelling::plain(format!("gl_FragData[{target}]")),
                }));
            }
            OutputKind::Stencil if version.since(140, u16::MAX) => {
                if signed {
                    return plain("gl_FragStencilRefARB");
                }
                let name = copied(walk, "stencil".into(), "uint");
                walk.face.outside.last.push(format!("gl_FragStencilRefARB = int({name});"));
                return Ok(Some(Spelling::plain(name)));
            }
            OutputKind::SampleMask if version.since(400, 320) && output.scalar == Scalar::U32 => {
                let name = copied(walk, "sample_mask".into(), "uint");
                walk.face.outside.last.push(format!("gl_SampleMask[0] = int({name});"));
                return Ok(Some(Spelling::plain(name)));
            }
            OutputKind::ClipDistance { index } | OutputKind::CullDistance { index } if index < 2 => {
                let cull = matches!(output.kind, OutputKind::CullDistance { .. });
                if !version.since(if cull { 450 } else { 130 }, u16::MAX) {
                    return Ok(None);
                }
                let (wanted, array) = match cull {
                    true => ("cull_distances", "gl_CullDistance"),
                    false => ("clip_distances", "gl_ClipDistance"),
                };
                let name = copied(walk, format!("{wanted}_{index}").into(), "vec4");
                let array = [&*stages::own(of_patch), array].concat();
                walk.face.outside.last.extend(host::distance_copies(&array, index, &name));
                let count = if cull { &mut walk.face.writer.culls } else { &mut walk.face.writer.clips };
                *count = (*count).max(index * 4 + 4);
                return Ok(Some(Spelling::plain(name)));
            }
            OutputKind::Varying { location } => (has_place(version, location), location, true),
            OutputKind::PatchVarying { location } => (false, location, true),
            OutputKind::Color { target } if !version.is_old() && target < MOST_LOCATIONS => {
                (version.since(330, 300), target, false)
            }
            _ => return Ok(None),
        };
        if version.is_old() && !float {
            return Ok(None);
        }
        let patch = output.kind.is_of_patch();
        let way = varying.then_some((shader.stage, patch, location));
        let name = walk.varying(way, walk.naming.output(output));
        if !varying && !placed {
            let (name, kind) = (name.to_string(), BindingKind::Color { target: location });
            walk.face.bindings.push(Binding { stage: shader.stage, place: BY_NAME, name, kind });
        }
        let reader = options.after.filter(|next| varying && next.stage == Stage::Fragment);
        let reads = |input: &&Input| input.kind == InputKind::Varying { location };
        let how = match (varying && !float, patch) {
            (_, true) => "patch ",
            (true, _) => "flat ",
            // What it cannot say is refused where it is read.
            _ => reader
                .and_then(|next| next.inputs.iter().find(reads))
                .and_then(|input| interpolation(input, options))
                .unwrap_or_default(),
        };
        let mut line = String::with_capacity(64);
        match (placed, stream) {
            (true, None) => push_place(&mut line, location),
            (true, Some(stream)) => {
                line = format!("layout(location = {location}, stream = {stream}) ");
            }
            (false, Some(stream)) => line = format!("layout(stream = {stream}) "),
            (false, None) => {}
        }
        let ty = Glsl::type_name(Type::new(output.scalar, if is_single(output.kind) { 1 } else { 4 }));
        let word = if version.is_old() { "varying" } else { "out" };
        let several = control && !patch;
        let array = if several { "[]" } else { "" };
        let parts = [how, word, " ", ty, " ", &name, array, ";\n"];
        parts.iter().for_each(|part| line.push_str(part));
        walk.face.writer.lines.push((location, line));
        if !several {
            return Ok(Some(Spelling::plain(name)));
        }
        let of = format!("{name}[@]");
        let own = stages::own(&of);
        walk.face.outside.outputs_of[number] = of;
        Ok(Some(Spelling::plain(own)))
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
            prologue: String::new(),
            by_name: Vec::new(),
            extensions: stages::extension(shader, options.version).into_iter().collect(),
            lines: Vec::new(),
            position: false,
            clips: 0,
            culls: 0,
        });
        let mut walk = Walk { shader, plan, names, naming: options.naming(), face };
        walk.face.declarations.reserve(512);
        walk.face.declarations.push_str(&stages::layout(shader));
        walk.face.outside.results = Results::Globals;
        walk.face.outside.vertices_in = "uint(gl_PatchVerticesIn)".into();
        walk.face.outside.outputs_of = stages::no_cells(shader);
        walk.reserve();
        walk.add_constants()?;
        walk.add_states()?;
        walk.add_textures()?;
        walk.add_buffers()?;
        walk.add_shared()?;
        walk.add_images()?;
        walk.add_inputs()?;
        walk.put();
        walk.add_outputs()?;
        walk.end_outputs();
        Ok(walk.face)
    }
}

impl<'s> Walk<'_, 's> {
    /// The type of four lanes that a host fills; in blocks bools come as numbers.
    fn host_type(&self, scalar: Scalar) -> &'static str {
        let scalar = if self.face.writer.has_blocks() { host::shared(scalar) } else { scalar };
        Glsl::type_name(Type::new(scalar, 4))
    }

    /// `layout(…) ` of a block or texture, with a binding where the version has them.
    fn layout(&mut self, version: Version, block: bool, binding: u32) -> Option<u32> {
        let bound = version.has_bindings();
        let (bare, numbered) = match block {
            true => ("layout(std140) ", "layout(std140, binding = "),
            false => ("", "layout(binding = "),
        };
        self.face.declarations.push_str(if bound { numbered } else { bare });
        if bound {
            push_u32(&mut self.face.declarations, binding);
            self.face.declarations.push_str(") ");
        }
        bound.then_some(binding)
    }

    /// Declares and binds a block, called after its stage and what it holds, at a binding counted from the first one of the
    /// stage. Gives its name.
    fn block(&mut self, (what, behind): (&str, u32), fields: &str, kind: BindingKind) -> String {
        let (stage, options) = (self.shader.stage, self.face.writer.options);
        let wanted = [stage_name(stage), "_", what].concat();
        let name = self.take(wanted).into_owned();
        self.face.declarations.push('\n');
        let binding = options.first_block(stage).saturating_add(behind);
        let binding = self.layout(options.version, true, binding);
        ["uniform ", &name, " {\n", fields, "};\n"]
            .iter()
            .for_each(|part| self.face.declarations.push_str(part));
        self.face.bindings.push(Binding { stage, place: Layout { binding }, name: name.clone(), kind });
        name
    }

    /// Declares an array of constants in a version without blocks: as a uniform, or those of its parts that are read. Gives its
    /// name.
    fn uniforms(&mut self, array: &Array<'s>, ty: &str) -> Cow<'s, str> {
        let whole = [Part { name: array.name.to_string(), count: array.elements, read: true, first: 0 }];
        let of_parts = !array.parts.is_empty();
        let parts = if of_parts { array.parts.as_slice() } else { &whole };
        self.face.declarations.push('\n');
        for part in parts.iter().filter(|part| part.read) {
            let Part { name, count, .. } = part;
            // An array keeps its length, also that of one element.
            let length = if of_parts { part.length() } else { format!("[{count}]") };
            let comment = if of_parts { part.comment(array.of) } else { String::new() };
            self.face.declarations.push_str(&format!("uniform {ty} {name}{length};{comment}\n"));
            let kind = BindingKind::constants(array.of, *count, Space::Uniform);
            self.face.bindings.push(Binding {
                stage: self.shader.stage,
                place: BY_NAME,
                name: name.clone(),
                kind,
            });
        }
        array.name.clone()
    }

    /// Asks for an extension.
    fn ask(&mut self, extension: &'static str) {
        if !self.face.writer.extensions.contains(&extension) {
            self.face.writer.extensions.push(extension);
        }
    }

    /// Declares what comes in or goes out, in order.
    fn put(&mut self) {
        let mut lines = core::mem::take(&mut self.face.writer.lines);
        lines.sort_unstable();
        if !lines.is_empty() {
            self.face.declarations.push('\n');
        }
        lines.iter().for_each(|(_, line)| self.face.declarations.push_str(line));
    }

    /// Takes the names of varyings that are matched by name, before anything else can have them: both stages find the same.
    /// They are of their meaning, or of their location where they have none, and of the stage that gives them.
    fn reserve(&mut self) {
        let (shader, options) = (self.shader, self.face.writer.options);
        let mut take = |goes: VaryingKey, semantic: &str| {
            let (from, patch, location) = goes;
            if self.face.writer.by_name.iter().any(|(there, _)| *there == goes)
                || !patch && has_place(options.version, location)
            {
                return;
            }
            let meant = options.naming().varying(semantic);
            let wanted = match (meant, patch) {
                (Some(name), true) => format!("patch_{name}"),
                (Some(name), false) => [stages::varying_prefix(from), &name].concat(),
                (None, true) => format!("patch_varying_{location}"),
                (None, false) => numbered(&[stages::varying_prefix(from), "varying_"].concat(), location),
            };
            self.face.writer.by_name.push((goes, self.names.take(wanted, words::is_word).into_owned()));
        };
        let before = before(shader, options);
        for input in &shader.inputs {
            match input.kind {
                InputKind::Varying { location } => take((before, false, location), &input.semantic),
                InputKind::PatchVarying { location } => take((before, true, location), &input.semantic),
                _ => {}
            }
        }
        for output in &shader.outputs {
            match output.kind {
                OutputKind::Varying { location } => take((shader.stage, false, location), &output.semantic),
                OutputKind::PatchVarying { location } => {
                    take((shader.stage, true, location), &output.semantic);
                }
                _ => {}
            }
        }
    }

    /// The name of a varying that is matched by it, else the one that it or an attribute asks for.
    fn varying(&mut self, way: Option<VaryingKey>, wanted: Cow<'s, str>) -> Cow<'s, str> {
        let there = way.and_then(|way| self.face.writer.by_name.iter().find(|(there, _)| *there == way));
        match there {
            Some((_, name)) => Cow::Owned(name.clone()),
            None => self.take(wanted),
        }
    }

    /// Declares what belongs to all outputs.
    fn end_outputs(&mut self) {
        let shader = self.shader;
        // In a patch they are fields.
        if shader.stage != Stage::TessControl {
            let Writer { clips, culls, .. } = self.face.writer;
            for (count, array) in [(clips, "gl_ClipDistance"), (culls, "gl_CullDistance")] {
                if count > 0 {
                    self.face.writer.lines.push((u32::MAX, format!("out float {array}[{count}];\n")));
                }
            }
        }
        let options = self.face.writer.options;
        if matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            if !self.face.writer.position {
                self.face.outside.last.push("gl_Position = vec4(0.0);".to_string());
            } else if !options.zero_to_one && !options.hands_on {
                self.face
                    .outside
                    .last
                    .push("gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;".to_string());
            }
        }
        self.put();
    }
}

/// The stage that gives what comes in.
fn before(shader: &Shader, options: &Options<'_>) -> Stage {
    let usual = if shader.stage == Stage::TessEval { Stage::TessControl } else { Stage::Vertex };
    options.before.unwrap_or(usual)
}

/// Locations that every implementation with locations of varyings takes.
const MOST_LOCATIONS: u32 = 32;

/// Whether a varying is declared with its location. If not, it is matched by name.
const fn has_place(version: Version, location: u32) -> bool {
    version.since(410, 310) && location < MOST_LOCATIONS
}

/// Writes the location of a variable before what else is said of it.
fn push_place(out: &mut String, location: u32) {
    out.push_str("layout(location = ");
    push_u32(out, location);
    out.push_str(") ");
}

/// Whether there are barriers or fences, so that what is written is read by others.
fn waits(shader: &Shader) -> bool {
    host::has_op(shader, |op| matches!(op, Op::Barrier | Op::Fence))
}

fn system_name(system: System, shader: &Shader, version: Version) -> Option<Spelling<'static>> {
    let plain = |name: &'static str| Some(Spelling::plain(name));
    let unsigned = |name: &'static str| Some(Spelling { before: "uint(", name: name.into(), after: ")" });
    match system {
        System::VertexIndex if version.since(130, 300) => unsigned("gl_VertexID"),
        System::InstanceIndex if version.since(140, 300) => unsigned("gl_InstanceID"),
        System::FragCoord => plain("gl_FragCoord"),
        System::FrontFacing => plain("gl_FrontFacing"),
        System::PointCoord => plain("gl_PointCoord"),
        System::BaseVertex if version.since(460, u16::MAX) => plain("gl_BaseVertex"),
        System::BaseVertex if version.since(140, u16::MAX) => plain("gl_BaseVertexARB"),
        System::BaseInstance if version.since(460, u16::MAX) => unsigned("gl_BaseInstance"),
        System::BaseInstance if version.since(140, u16::MAX) => unsigned("gl_BaseInstanceARB"),
        System::DrawIndex if version.since(460, u16::MAX) => unsigned("gl_DrawID"),
        System::DrawIndex if version.since(140, u16::MAX) => unsigned("gl_DrawIDARB"),
        System::VertexIndexNoBase if version.since(460, u16::MAX) => unsigned("gl_VertexID - gl_BaseVertex"),
        System::VertexIndexNoBase if version.since(140, u16::MAX) => {
            unsigned("gl_VertexID - gl_BaseVertexARB")
        }
        System::PrimitiveIndex if shader.stage == Stage::Geometry => unsigned("gl_PrimitiveIDIn"),
        System::PrimitiveIndex if shader.stage.has_vertices() => unsigned("gl_PrimitiveID"),
        System::InvocationIndex if shader.stage != Stage::Geometry || version.since(400, 310) => {
            unsigned("gl_InvocationID")
        }
        System::InvocationIndex => plain("0u"),
        System::VerticesIn => match shader.setup.vertices_in {
            0 => unsigned("gl_PatchVerticesIn"),
            n => Some(Spelling::plain(format!("{n}u"))),
        },
        System::TessCoord => plain("gl_TessCoord"),
        System::TessOuter => plain(
            "vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3])",
        ),
        System::TessInner => plain("vec2(gl_TessLevelInner[0], gl_TessLevelInner[1])"),
        System::SubgroupSize if version.since(430, 310) => plain("gl_SubgroupSize"),
        System::SubgroupIndex if version.since(430, 310) => plain("gl_SubgroupInvocationID"),
        System::GridAxes => plain("(gl_NumWorkGroups.z > 1u ? 3u : gl_NumWorkGroups.y > 1u ? 2u : 1u)"),
        System::PrimitiveIndex if version.since(150, 320) => unsigned("gl_PrimitiveID"),
        System::SampleIndex if version.since(400, 320) => unsigned("gl_SampleID"),
        // Windows of OpenGL have y upwards.
        System::SamplePosition if version.since(400, 320) => {
            plain("vec2(gl_SamplePosition.x, 1.0 - gl_SamplePosition.y)")
        }
        System::SampleMask if version.since(400, 320) => unsigned("gl_SampleMaskIn[0]"),
        System::LocalIndex => plain("gl_LocalInvocationID"),
        System::GroupIndex => plain("gl_WorkGroupID"),
        System::GroupSize => plain("gl_WorkGroupSize"),
        System::GridSize => plain("gl_NumWorkGroups"),
        System::Layer if version.since(430, 320) => unsigned("gl_Layer"),
        System::ViewportIndex if version.since(430, u16::MAX) => unsigned("gl_ViewportIndex"),
        _ => None,
    }
}

/// How a fragment input is interpolated, if the version can.
fn interpolation(input: &Input, options: &Options<'_>) -> Option<&'static str> {
    use {Interpolation as I, Location as L};
    let version = options.version;
    Some(match (host::interpolation(input, options.flat_colors), input.location) {
        (I::Perspective | I::Color, L::Center) => "",
        (I::Perspective | I::Color, L::Centroid) if version.since(120, 300) => "centroid ",
        _ if version.is_old() => return None,
        (I::Flat, _) => "flat ",
        (I::Perspective | I::Color, L::Sample) if version.since(400, 320) => "sample ",
        (I::Linear, _) if !version.since(130, 300) => return None,
        (I::Linear, L::Center) => "noperspective ",
        (I::Linear, L::Centroid) => "noperspective centroid ",
        (I::Linear, L::Sample) if version.since(400, 320) => "noperspective sample ",
        _ => return None,
    })
}
