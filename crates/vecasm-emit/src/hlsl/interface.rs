//! What a stage shares with the outside: buffers, textures, inputs and outputs, and how each is spelt.

use super::images;
use super::language::Hlsl;
use super::memory::Block;
use super::rules::{self, refused};
use super::stages::StageInputs;
use super::{Model, Options, group, old, stages, words};
use crate::common::Names;
use crate::host::{self, Array, Buffer, Image, Passage, Shared, Speller, State, Texture, lacks_output};
use crate::naming::Naming;
use crate::options::{ArraySize, BindingKind};
use crate::plan::Plan;
use crate::text::{Language as _, Results, Spelling, Uses, identifier, is_single, lanes_of, reads_lanes};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::{
    self, DeclUsage, Dim, Input, InputKind, Interpolation, Location, Op, Output, OutputKind, ParamArray,
    Scalar, Shader, Stage, System, Type,
};

/// One thing the host has to bind.
pub type Binding = crate::options::Binding<Register>;

/// A place in HLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// The kind of register: `b`, `t`, `u` or `s`; in model 3.0 `c` or `s`.
    pub class: char,
    /// Its number.
    pub number: u32,
    /// Its space.
    pub space: u32,
}

impl Register {
    /// Whether it is that register of its space.
    pub(super) fn is(&self, class: char, number: u32) -> bool {
        (self.class, self.number) == (class, number)
    }
}

/// What the writer keeps while it declares.
pub(super) struct Writer<'s> {
    pub(super) options: &'s Options<'s>,
    /// The entry point up to its parameters.
    pub(super) head: String,
    /// Of model 3.0: the next free `c` register, and how many are left for arrays with a computed index.
    pub(super) next: u32,
    room: u32,
    /// The parameter with the number of the invocation, if the workgroup shares something.
    thread: Option<String>,
    /// Fields of the struct that comes in, later of that which goes out; of stages with vertices what comes for each and for the
    /// patch.
    fields: Fields,
    comes: StageInputs,
    /// Whether the place of a fragment, or the number of a vertex, is asked by a function.
    coordinate: bool,
    vertices: bool,
    /// The number of the last output, its type and its semantic.
    last: Option<(usize, &'static str, String)>,
}

pub(super) type Interface<'s> = host::Interface<'s, Writer<'s>>;
pub(super) type Walk<'w, 's> = host::Walk<'w, 's, Writer<'s>>;

/// A field of a struct: its place, and its line.
pub(super) type Field = ((u8, u32), String);

impl<'s> Speller<'s> for Writer<'s> {
    type Language = Hlsl;
    type Place = Register;
    const HAS_GLOBAL_MEMBERS: bool = true;

    fn language(&self) -> Hlsl {
        Hlsl(self.options.model, None)
    }

    fn has_blocks(&self) -> bool {
        !self.options.model.is_old()
    }

    fn elements(&mut self, array: &ParamArray, read: bool) -> u32 {
        let elements = host::elements(array, ArraySize::Used);
        if !(array.indexed && read) {
            return elements;
        }
        // What others leave of the registers, but for what is read in any case.
        let kept = elements.min(self.room).max(array.used);
        self.room = self.room.saturating_sub(kept);
        kept.max(1)
    }

    fn array(walk: &mut Walk<'_, 's>, array: &Array<'s>) -> Result<Cow<'s, str>, Diagnostic> {
        let Array { number, of, name, elements, parts, kind } = array;
        if *elements > MOST_ELEMENTS {
            return Err(refused(rules::REGISTER, format!("{} has {elements} elements", of.name)));
        }
        let stage = walk.shader.stage;
        if !walk.face.writer.has_blocks() {
            walk.old_constants(array)?;
            return Ok(name.clone());
        }
        let block = format!("{}Constants_{name}", stage_name(stage));
        let block = walk.take(block).into_owned();
        let register = walk.bind(('b', *number), &block, *kind)?;
        let ty = Hlsl::type_name(Type::new(host::shared(of.scalar), 4));
        walk.face.declarations.push_str(&format!("\ncbuffer {block}{register} {{\n"));
        if parts.is_empty() {
            walk.face.declarations.push_str(&format!("    {ty} {name}[{elements}];\n"));
        }
        for part in parts {
            let (field, length, comment) = (&part.name, part.length(), part.comment(of));
            walk.face.declarations.push_str(&format!("    {ty} {field}{length};{comment}\n"));
        }
        walk.face.declarations.push_str("};\n");
        Ok(block.into())
    }

    fn states(walk: &mut Walk<'_, 's>, states: &[State<'s>]) -> Result<Cow<'s, str>, Diagnostic> {
        let stage = walk.shader.stage;
        if !walk.face.writer.has_blocks() {
            for (number, State { of, name, .. }) in (0..).zip(states).filter(|(_, state)| state.read) {
                let kind = BindingKind::State { number, ty: of.ty };
                walk.old_constant(name, (Type::new(of.ty.scalar, 4), None, 1), kind)?;
            }
            return Ok(Cow::Borrowed(""));
        }
        let block = format!("{}State", stage_name(stage));
        let block = walk.take(block);
        let number = walk.shader.params.len() as u32;
        let register = walk.bind(('b', number), &block, BindingKind::states(walk.shader))?;
        walk.face.declarations.push_str(&format!("\ncbuffer {block}{register} {{\n"));
        for State { of, name, .. } in states {
            let ty = Hlsl::type_name(Type::new(host::shared(of.ty.scalar), 4));
            walk.face.declarations.push_str(&format!("    {ty} {name};\n"));
        }
        walk.face.declarations.push_str("};\n");
        Ok(Cow::Borrowed(""))
    }

    fn has_texture(&self, texture: &ir::Texture) -> bool {
        match texture.dim {
            dim if self.options.model.is_old() => old::sampler_type(dim).is_some(),
            Dim::CubeArray => self.options.model.since(Model::SM4_1),
            _ => true,
        }
    }

    fn check_texture(walk: &Walk<'_, 's>, texture: &ir::Texture) -> Result<(), Diagnostic> {
        if walk.face.writer.options.model.is_old() { old::check_texture(walk, texture) } else { Ok(()) }
    }

    fn texture_kind(&self, texture: &ir::Texture) -> BindingKind {
        // There a texture comes with its sampler.
        let old = self.options.model.is_old();
        if old { Self::sampler_kind(texture) } else { BindingKind::texture(texture) }
    }

    fn sampled(walk: &Walk<'_, 's>) -> Vec<bool> {
        if walk.face.writer.options.model.is_old() {
            Vec::new()
        } else {
            host::sampled(walk.shader, |_| true)
        }
    }

    fn serves(there: &BindingKind, wanted: &BindingKind) -> bool {
        use BindingKind::{Sampler, Texture};
        match (*there, *wanted) {
            (Texture { slot: a, dim, scalar, .. }, Texture { slot: b, dim: other, scalar: of, .. }) => {
                (a, dim, scalar) == (b, other, of)
            }
            (Sampler { slot: a, compare, .. }, Sampler { slot: b, compare: other, .. }) => {
                (a, compare) == (b, other)
            }
            _ => false,
        }
    }

    fn texture(walk: &mut Walk<'_, 's>, texture: &Texture<'s>) -> Result<(), Diagnostic> {
        let Texture { of, name, kind } = texture;
        let ir::Texture { slot, sampler_slot, dim, scalar, compare, .. } = **of;
        let is_sampler = matches!(kind, BindingKind::Sampler { .. });
        let (class, number) = if is_sampler { ('s', sampler_slot) } else { ('t', slot) };
        if walk.face.bindings.iter().any(|there| there.place.is(class, number)) {
            let how = if is_sampler {
                "is used with and without comparison"
            } else {
                "holds more than one kind of texture"
            };
            return Err(refused(rules::TEXTURE, format!("{class}{number} {how}")));
        }
        let register = walk.bind((class, number), name, *kind)?;
        let ty: String = match is_sampler {
            true if walk.face.writer.options.model.is_old() => {
                old::sampler_type(dim).unwrap_or_default().into()
            }
            true if compare => "SamplerComparisonState".into(),
            true => "SamplerState".into(),
            false => texture_type(dim, scalar),
        };
        walk.face.declarations.push_str(&format!("{ty} {name}{register};\n"));
        Ok(())
    }

    fn lacks_buffers(&self) -> Option<&'static Rule> {
        (!self.options.model.since(Model::SM5_0)).then_some(rules::MEMORY)
    }

    /// By bytes.
    fn buffer(walk: &mut Walk<'_, 's>, buffer: &Buffer<'s>) -> Result<Block, Diagnostic> {
        let Buffer { number, name, usage, write, kind } = buffer;
        let shader = walk.shader;
        let (ty, class, first) = match write {
            true => ("RWByteAddressBuffer", 'u', targets(shader)),
            false => ("ByteAddressBuffer", 't', host::behind_textures(shader)),
        };
        let place = (class, first.saturating_add(*number));
        let register = walk.bind(place, name, *kind)?;
        let how = coherent(shader, usage.read, *write);
        walk.face.declarations.push_str(&format!("{how}{ty} {name}{register};\n"));
        Ok(Block::new(name.to_string(), None))
    }

    fn shared(walk: &mut Walk<'_, 's>, shared: &Shared<'s>) -> Result<Block, Diagnostic> {
        let setup = &walk.shader.setup;
        if setup.shared > MOST_SHARED {
            return Err(refused(rules::REGISTER, format!("a workgroup shares {} bytes", setup.shared)));
        }
        let (name, count) = (&shared.name, shared.words.max(1));
        let threads: u64 = setup.workgroup.iter().map(|n| u64::from(*n)).product();
        let thread = walk.take("thread");
        let at = walk.take("n");
        walk.face.declarations.push_str(&format!("\ngroupshared uint {name}[{count}];\n"));
        walk.face.outside.first.extend([
            format!("for (uint {at} = {thread}; {at} < {count}u; {at} += {threads}u) {{"),
            format!("    {name}[{at}] = 0u;"),
            "}".to_string(),
            "GroupMemoryBarrierWithGroupSync();".to_string(),
        ]);
        walk.face.writer.thread = Some(format!("uint {thread} : SV_GroupIndex"));
        Ok(Block::new(name.to_string(), Some(count)))
    }

    fn check_image(&self, image: &ir::Image, uses: Uses) -> Result<(), Diagnostic> {
        images::check(image, uses, self.options)
    }

    /// Behind the buffers.
    fn image(walk: &mut Walk<'_, 's>, image: &Image<'s, Hlsl>) -> Result<(), Diagnostic> {
        let Image { number, name, uses, kind, .. } = image;
        let shader = walk.shader;
        let first = targets(shader).saturating_add(shader.buffers.len() as u32);
        let register = walk.bind(('u', first.saturating_add(*number)), name, *kind)?;
        let how = coherent(shader, uses.reads(), uses.writes());
        walk.face.declarations.push_str(&format!("{how}{} {name}{register};\n", image.ty()));
        Ok(())
    }
}

impl<'s> Passage<'s> for Writer<'s> {
    const INPUT: &'static str = "input.";

    fn system(walk: &mut Walk<'_, 's>, system: System, input: &'s Input) -> Option<Spelling<'s>> {
        let (shader, plan) = (walk.shader, walk.plan);
        let Writer { options, fields, comes, coordinate, vertices, .. } = &mut walk.face.writer;
        let model = options.model;
        if model.is_old() {
            let deep = system == System::FragCoord && reads_lanes(shader, plan, input, 12);
            *coordinate |= system == System::FragCoord;
            return fields.old_system(system).filter(|_| !deep);
        }
        if let Some(call) = group::system(system, model) {
            return Some(Spelling::plain(call));
        }
        match system {
            System::GroupSize => {
                let [x, y, z] = shader.setup.workgroup;
                Some(Spelling::plain(format!("uint3({x}u, {y}u, {z}u)")))
            }
            System::FragCoord if reads_lanes(shader, plan, input, 8) => {
                *coordinate = true;
                Some(Spelling { before: "frag_coord(", name: "input.position".into(), after: ")" })
            }
            System::FragCoord => Some(Spelling::plain("input.position")),
            _ if shader.stage.has_vertices() => {
                let into = (&mut comes.parameters, &mut walk.face.outside.first);
                stages::system(system, (shader, options), into).filter(|_| {
                    // Levels that the domain has not do not come.
                    !matches!(system, System::TessOuter | System::TessInner)
                        || !reads_lanes(shader, plan, input, !stages::levels(shader, system))
                })
            }
            _ => {
                *vertices |= system == System::VertexIndex;
                fields.system(system, model)
            }
        }
    }

    /// As a field of the struct of a vertex or of the constants of a patch.
    fn vertex_input(walk: &mut Walk<'_, 's>, input: &'s Input) -> Option<Option<Spelling<'s>>> {
        let Writer { options, comes, .. } = &mut walk.face.writer;
        let InputKind::PatchVarying { location } = input.kind else {
            return Some(comes.of_vertices.of_vertex(input, options).map(Spelling::plain));
        };
        let ty = Hlsl::type_name(Type::new(input.ty.scalar, 4));
        let name = comes.of_patch.take(&walk.naming.input(input));
        comes.of_patch.push((1, location), ("", ty, semantic(&input.semantic, location)), &name);
        Some(Some(Spelling { before: "constants.", name: name.into(), after: lanes_of(input.ty) }))
    }

    fn has_input(&self, input: &Input) -> bool {
        let (InputKind::Attribute { location } | InputKind::Varying { location }) = input.kind else {
            return false;
        };
        let known = old_semantic(&input.semantic, location) && input.ty.scalar == Scalar::F32;
        known || !self.options.model.is_old()
    }

    fn input(walk: &mut Walk<'_, 's>, input: &'s Input, location: u32) -> Option<Cow<'s, str>> {
        let Writer { options, fields, .. } = &mut walk.face.writer;
        let name = fields.take(&walk.naming.input(input));
        let varying = matches!(input.kind, InputKind::Varying { .. });
        let how = if varying { interpolation(input, options)? } else { "" };
        let ty = Hlsl::type_name(Type::new(input.ty.scalar, 4));
        fields.push((1, location), (how, ty, semantic(&input.semantic, location)), &name);
        Some(name.into())
    }

    fn output(
        walk: &mut Walk<'_, 's>,
        number: usize,
        output: &'s Output,
    ) -> Result<Option<Spelling<'s>>, Diagnostic> {
        if output.kind.is_of_patch() {
            return Ok(Some(Spelling::default()));
        }
        let Writer { options, fields, last, .. } = &mut walk.face.writer;
        let (name, ty, semantic) = fields.output(walk.shader, output, options)?;
        *last = Some((number, ty, semantic));
        Ok(Some(Spelling { before: "output.", name: name.into(), after: "" }))
    }
}

impl<'s> Interface<'s> {
    pub(super) fn new(
        names: &mut Names,
        shader: &'s Shader,
        plan: &Plan<'_>,
        options: &'s Options<'s>,
    ) -> Result<Self, Diagnostic> {
        let room = if options.model.is_old() { old::room(shader, plan) } else { u32::MAX };
        let face = Interface::empty(Writer {
            options,
            head: String::new(),
            next: 0,
            room,
            thread: None,
            fields: Fields::default(),
            comes: StageInputs::new(),
            coordinate: false,
            vertices: false,
            last: None,
        });
        let mut walk = Walk { shader, plan, names, naming: options.naming(), face };
        let stage = stage_name(shader.stage);
        walk.take("main");
        walk.take(format!("{stage}Input"));
        // The streams of a geometry shader take names of their own.
        if shader.stage != Stage::Geometry {
            walk.take(format!("{stage}Output"));
        }
        let of_stage = if shader.stage.has_vertices() { stages::TAKEN } else { &["input", "output"] };
        let taken = of_stage.iter().chain(&["frag_coord", "vertex_index"]).chain(&DRAW);
        taken.for_each(|name| _ = walk.take(*name));
        walk.add_constants()?;
        walk.add_states()?;
        walk.add_draw()?;
        walk.add_textures()?;
        if !shader.buffers.is_empty() || !shader.images.is_empty() || shader.setup.shared > 0 {
            LOCALS.iter().for_each(|name| _ = walk.take(*name));
        }
        let start = walk.face.declarations.len();
        walk.add_buffers()?;
        walk.set_apart(start);
        walk.add_images()?;
        let mut parameters: Vec<String> = Vec::from_iter(walk.inputs()?);
        walk.add_shared()?;
        parameters.extend(walk.face.writer.thread.take());
        let (result, semantic) = match shader.stage {
            Stage::Geometry => {
                parameters.extend(walk.face.streams(walk.names, shader, options)?);
                ("void".into(), String::new())
            }
            _ => walk.outputs()?,
        };
        let (attributes, parameters) = (stages::attributes(shader, options)?, parameters.join(", "));
        walk.face.writer.head = format!("\n{attributes}{result} main({parameters}){semantic}");
        Ok(walk.face)
    }

    /// Declares a struct of fields in the order of their places.
    pub(super) fn structure(&mut self, name: &str, mut fields: Vec<Field>) {
        fields.sort();
        self.declarations.push_str(&format!("\nstruct {name} {{\n"));
        fields.iter().for_each(|(_, line)| self.declarations.push_str(line));
        self.declarations.push_str("};\n");
    }
}

impl<'s> Walk<'_, 's> {
    /// Notes what is bound to a register, and gives ` : register(b0)`.
    pub(super) fn bind(
        &mut self,
        (class, number): (char, u32),
        name: &str,
        kind: BindingKind,
    ) -> Result<String, Diagnostic> {
        let (stage, options) = (self.shader.stage, self.face.writer.options);
        let most = match (class, stage) {
            ('c', stage) => old::registers(stage),
            ('b', _) => 14,
            ('t', _) => 128,
            ('u', _) if options.model.has_spaces() => 64,
            ('u', _) => 8,
            ('s', Stage::Vertex) if options.model.is_old() => 4,
            _ => 16,
        };
        if number >= most {
            return Err(refused(rules::REGISTER, format!("{name} would be in register {class}{number}")));
        }
        let space = options.space;
        let place = Register { class, number, space };
        self.face.bindings.push(Binding { stage, place, name: name.into(), kind });
        let of_space = if space > 0 { format!(", space{space}") } else { String::new() };
        Ok(format!(" : register({class}{number}{of_space})"))
    }

    /// What `SV_VertexID` does not count.
    fn add_draw(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        let needs = |input: &Input| {
            use System as S;
            let InputKind::System(system) = input.kind else { return false };
            matches!(system, S::VertexIndex | S::BaseVertex | S::BaseInstance | S::DrawIndex)
        };
        if !shader.inputs.iter().zip(plan.inputs()).any(|(input, read)| *read && needs(input)) {
            return Ok(());
        }
        let block = self.take("Draw").into_owned();
        let number = shader.params.len() as u32 + 1;
        let register = self.bind(('b', number), &block, BindingKind::Draw)?;
        self.face.declarations.push_str(&format!("\ncbuffer {block}{register} {{\n"));
        DRAW.iter().for_each(|name| self.face.declarations.push_str(&format!("    int {name};\n")));
        self.face.declarations.push_str("};\n");
        Ok(())
    }

    /// Declares the inputs, and gives the parameters for them, if there are some.
    fn inputs(&mut self) -> Result<Option<String>, Diagnostic> {
        let (shader, options) = (self.shader, self.face.writer.options);
        let (model, old) = (options.model, options.model.is_old());
        let fragment = shader.stage == Stage::Fragment;
        if fragment && !old {
            self.face.writer.fields.take("position");
        }
        let locations = self.add_inputs()?;
        if shader.stage.has_vertices() {
            let comes = core::mem::replace(&mut self.face.writer.comes, StageInputs::new());
            return Ok(Some(self.face.vertices(shader, options, comes)));
        }
        if !self.plan.inputs().contains(&true) {
            return Ok(None);
        }
        if old && fragment && locations.len() > MOST_OLD_INPUTS {
            let what = format!("{} varyings; shader model {model} has {MOST_OLD_INPUTS}", locations.len());
            return Err(refused(rules::INPUT, what));
        }
        let mut fields = core::mem::take(&mut self.face.writer.fields);
        if fragment && !old {
            fields.push((0, 0), ("", "float4", "SV_Position".into()), "position");
            let written = options.partner.map_or(&[][..], |partner| &partner.outputs);
            for output in written {
                let OutputKind::Varying { location } = output.kind else { continue };
                if locations.contains(&location) {
                    continue;
                }
                let name = fields.take(&identifier(&output.name));
                let how = if output.scalar == Scalar::F32 { "" } else { "nointerpolation " };
                let ty = Hlsl::type_name(Type::new(output.scalar, 4));
                fields.push((1, location), (how, ty, semantic(&output.semantic, location)), &name);
            }
        }
        // What a draw or a dispatch says is elsewhere.
        let any = !fields.lines.is_empty();
        let name = format!("{}Input", stage_name(shader.stage));
        if any {
            self.face.structure(&name, fields.lines);
        }
        if self.face.writer.coordinate {
            self.face.declarations.push_str(if old {
                "\nfloat4 frag_coord(float2 place) {\n    return float4(place + 0.5, 0.0, 1.0);\n}\n"
            } else {
                "\nfloat4 frag_coord(float4 position) {\n    return float4(position.xyz, 1.0 / position.w);\n}\n"
            });
        }
        if self.face.writer.vertices {
            let base = DRAW[0];
            let text = format!("\nuint vertex_index(uint id) {{\n    return id + uint({base});\n}}\n");
            self.face.declarations.push_str(&text);
        }
        Ok(any.then(|| format!("{name} input")))
    }

    /// Declares the outputs, and gives the type of the result and its semantic.
    fn outputs(&mut self) -> Result<(String, String), Diagnostic> {
        self.add_outputs()?;
        let stage = self.shader.stage;
        let (mut fields, last) =
            (core::mem::take(&mut self.face.writer.fields), self.face.writer.last.take());
        let vertex = !matches!(stage, Stage::Fragment | Stage::Compute);
        if let Some(name) = fields.position(vertex, self.face.writer.options.model.is_old()) {
            self.face.outside.last.push(format!("output.{name} = float4(0.0, 0.0, 0.0, 0.0);"));
        }
        if let ([_], Some((i, ty, semantic)), false) = (&*fields.lines, &last, vertex) {
            self.face.cells[*i] = Spelling::default();
            self.face.outside.results = Results::One(Some(*i));
            return Ok((ty.to_string(), format!(" : {semantic}")));
        }
        if fields.lines.is_empty() {
            return Ok(("void".into(), String::new()));
        }
        let name = format!("{}Output", stage_name(stage));
        self.face.outside.results = Results::Struct(name.clone().into());
        self.face.structure(&name, fields.lines);
        Ok((name, String::new()))
    }
}

/// Fields of a struct.
#[derive(Default)]
pub(super) struct Fields {
    names: Names,
    pub(super) lines: Vec<Field>,
}

impl Fields {
    pub(super) fn take(&mut self, wanted: &str) -> String {
        self.names.take(wanted, words::is_word).into_owned()
    }

    /// Declares an output: gives the name of the field, its type and its semantic.
    pub(super) fn output(
        &mut self,
        shader: &Shader,
        output: &Output,
        options: &Options<'_>,
    ) -> Result<(String, &'static str, String), Diagnostic> {
        let model = options.model;
        let (old, stage) = (model.is_old(), shader.stage);
        let lacks = || lacks_output(Hlsl(model, None), output);
        let float = output.scalar == Scalar::F32;
        let last = stage != Stage::TessControl && (stage == Stage::Geometry || model.since(Model::SM5_0));
        // What is a number of something is unsigned; signed ones become that by themselves.
        let mut scalar = output.scalar;
        let (place, semantic) = match output.kind {
            _ if old && !float => return Err(lacks()),
            OutputKind::Position if old => ((0, 0), "POSITION".into()),
            OutputKind::Depth if old => ((2, 0), "DEPTH".into()),
            OutputKind::Color { target } if old && target < MOST_OLD_TARGETS => {
                ((1, target), format!("COLOR{target}"))
            }
            OutputKind::Varying { location } if old && old_semantic(&output.semantic, location) => {
                ((1, location), semantic(&output.semantic, location))
            }
            OutputKind::PointSize => ((3, 0), "PSIZE".into()),
            _ if old => return Err(lacks()),
            OutputKind::Position => ((0, 0), "SV_Position".into()),
            OutputKind::Depth => ((2, 0), "SV_Depth".into()),
            OutputKind::SampleMask if model.since(Model::SM4_1) => {
                scalar = Scalar::U32;
                ((2, 1), "SV_Coverage".into())
            }
            OutputKind::Stencil if model.since(Model::SM5_0) => {
                scalar = Scalar::U32;
                ((2, 4), "SV_StencilRef".into())
            }
            OutputKind::Layer if last => {
                scalar = Scalar::U32;
                ((2, 5), "SV_RenderTargetArrayIndex".into())
            }
            OutputKind::ViewportIndex if last => {
                scalar = Scalar::U32;
                ((2, 6), "SV_ViewportArrayIndex".into())
            }
            OutputKind::PrimitiveIndex => {
                scalar = Scalar::U32;
                ((2, 7), "SV_PrimitiveID".into())
            }
            OutputKind::ClipDistance { index } if index < 2 => {
                ((2, index), format!("SV_ClipDistance{index}"))
            }
            OutputKind::CullDistance { index } if index < 2 => {
                ((2, index + 2), format!("SV_CullDistance{index}"))
            }
            OutputKind::Varying { location } | OutputKind::PatchVarying { location } => {
                ((1, location), semantic(&output.semantic, location))
            }
            OutputKind::Color { target } if target < MOST_TARGETS => {
                ((1, target), format!("SV_Target{target}"))
            }
            OutputKind::SecondColor { target: 0 } => {
                let other = OutputKind::Color { target: 1 };
                if shader.outputs.iter().any(|output| output.kind == other) {
                    return Err(lacks());
                }
                ((1, 1), "SV_Target1".into())
            }
            _ => return Err(lacks()),
        };
        let name = self.take(&options.naming().output(output));
        let system = scalar == Scalar::U32 && semantic.starts_with("SV_");
        let plain = stage == Stage::Fragment || output.kind.is_of_patch();
        let how = if !plain && !float && !system { "nointerpolation " } else { "" };
        let ty = Hlsl::type_name(Type::new(scalar, if is_single(output.kind) { 1 } else { 4 }));
        self.push(place, (how, ty, semantic.clone()), &name);
        Ok((name, ty, semantic))
    }

    /// Declares a position, if one has to go out and none does: gives its name.
    pub(super) fn position(&mut self, wanted: bool, old: bool) -> Option<String> {
        if !wanted || self.lines.iter().any(|(place, _)| *place == (0, 0)) {
            return None;
        }
        let name = self.take("position");
        let semantic = if old { "POSITION" } else { "SV_Position" };
        self.push((0, 0), ("", "float4", semantic.into()), &name);
        Some(name)
    }

    pub(super) fn push(&mut self, place: (u8, u32), (how, ty, semantic): (&str, &str, String), name: &str) {
        self.lines.push((place, format!("    {how}{ty} {name} : {semantic};\n")));
    }

    /// Declares a system value of model 3.0.
    fn old_system<'s>(&mut self, system: System) -> Option<Spelling<'s>> {
        let (name, ty, semantic) = match system {
            System::FragCoord => ("place", "float2", "VPOS"),
            System::FrontFacing => ("face", "float", "VFACE"),
            _ => return None,
        };
        let name = self.take(name);
        self.push((2, self.lines.len() as u32), ("", ty, semantic.into()), &name);
        Some(match system {
            System::FragCoord => Spelling { before: "frag_coord(input.", name: name.into(), after: ")" },
            _ => Spelling { before: "(input.", name: name.into(), after: " > 0.0)" },
        })
    }

    /// Declares a system value, if the model has it, and gives the expression for it.
    fn system<'s>(&mut self, system: System, model: Model) -> Option<Spelling<'s>> {
        let (name, ty, semantic) = match system {
            System::BaseVertex => return Some(Spelling::plain(DRAW[0])),
            System::BaseInstance => {
                return Some(Spelling { before: "uint(", name: DRAW[1].into(), after: ")" });
            }
            System::DrawIndex => {
                return Some(Spelling { before: "uint(", name: DRAW[2].into(), after: ")" });
            }
            System::VertexIndex | System::VertexIndexNoBase => ("vertex_id", "uint", "SV_VertexID"),
            System::InstanceIndex => ("instance_id", "uint", "SV_InstanceID"),
            System::FrontFacing => ("front_facing", "bool", "SV_IsFrontFace"),
            System::PrimitiveIndex => ("primitive_id", "uint", "SV_PrimitiveID"),
            System::SampleIndex if model.since(Model::SM4_1) => ("sample_index", "uint", "SV_SampleIndex"),
            System::SampleMask if model.since(Model::SM5_0) => ("coverage", "uint", "SV_Coverage"),
            System::LocalIndex => ("local_id", "uint3", "SV_GroupThreadID"),
            System::GroupIndex => ("group_id", "uint3", "SV_GroupID"),
            System::Layer => ("layer", "uint", "SV_RenderTargetArrayIndex"),
            System::ViewportIndex => ("viewport", "uint", "SV_ViewportArrayIndex"),
            _ => return None,
        };
        let line = format!(" : {semantic};\n");
        let there = self.lines.iter().find(|(_, text)| text.ends_with(&line));
        let name = match there {
            // It is `    uint NAME : …`.
            Some((_, text)) => text.split_whitespace().nth(1).unwrap_or(name).to_string(),
            None => {
                let name = self.take(name);
                let how = if ty == "uint" && semantic.starts_with("SV_P") { "nointerpolation " } else { "" };
                self.push((2, self.lines.len() as u32), (how, ty, semantic.to_string()), &name);
                name
            }
        };
        if system == System::VertexIndex {
            let sum = format!("vertex_index(input.{name})");
            return Some(Spelling::plain(sum));
        }
        Some(Spelling { before: "input.", name: name.into(), after: "" })
    }
}

/// What the draw begins with, in its buffer.
const DRAW: [&str; 3] = ["base_vertex", "base_instance", "draw_index"];
/// Variables of the functions of memory and images, which must not hide these.
const LOCALS: &[&str] = &[
    "at", "bytes", "depth", "height", "layers", "offset", "old", "other", "texel", "tried", "value", "width",
    "word",
];
/// Bytes that a workgroup shares.
const MOST_SHARED: u32 = 32_768;
/// Elements of a `cbuffer`.
const MOST_ELEMENTS: u32 = 4096;
/// Render targets.
const MOST_TARGETS: u32 = 8;
/// Varyings of a pixel shader, and render targets, in model 3.0.
const MOST_OLD_INPUTS: usize = 10;
const MOST_OLD_TARGETS: u32 = 4;

/// The semantic of an attribute or a varying.
pub(super) fn semantic(of_source: &str, location: u32) -> String {
    if DeclUsage::of_semantic(of_source).is_some() {
        return of_source.to_ascii_uppercase();
    }
    // A number that nobody counts to: the name of its meaning says more, unless it is one that means something else here.
    let name = Naming::default().varying(of_source).filter(|_| location >= FAR);
    let is_free = |name: &String| DeclUsage::of_semantic(name).is_none() && !name.starts_with("sv_");
    name.filter(is_free).map_or_else(|| format!("TEXCOORD{location}"), |name| name.to_ascii_uppercase())
}

/// From here on a location is no register of any source, but a number for a meaning.
const FAR: u32 = 1 << 16;

/// Whether Direct3D 9 has the semantic of an attribute or a varying.
fn old_semantic(of_source: &str, location: u32) -> bool {
    DeclUsage::of_semantic(of_source).is_some() || location < 16
}

/// How many of the registers of what is written render targets have.
fn targets(shader: &Shader) -> u32 {
    let target = |output: &Output| match output.kind {
        OutputKind::Color { target } if shader.stage == Stage::Fragment => target.saturating_add(1),
        _ => 0,
    };
    shader.outputs.iter().map(target).max().unwrap_or(0)
}

/// What stands before the type of what is both read and written, if some invocation waits for what others write.
fn coherent(shader: &Shader, reads: bool, writes: bool) -> &'static str {
    let fenced = reads && writes && host::has_op(shader, |op| op == Op::Fence);
    if fenced { "globallycoherent " } else { "" }
}

pub(super) const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex",
        Stage::TessControl => "Hull",
        Stage::TessEval => "Domain",
        Stage::Geometry => "Geometry",
        Stage::Fragment => "Pixel",
        Stage::Compute => "Compute",
    }
}

/// How a fragment input is interpolated, if the model can.
fn interpolation(input: &Input, options: &Options<'_>) -> Option<&'static str> {
    use {Interpolation as I, Location as L};
    let sample = options.model.since(Model::SM4_1);
    let location = input.location;
    if options.model.is_old()
        && !matches!((input.interpolation, location), (I::Perspective | I::Color, L::Center | L::Centroid))
    {
        return None;
    }
    Some(match (host::interpolation(input, options.flat_colors), location) {
        (I::Flat, _) => "nointerpolation ",
        (I::Perspective | I::Color, L::Center) => "",
        (I::Perspective | I::Color, L::Centroid) => "centroid ",
        (I::Perspective | I::Color, L::Sample) if sample => "sample ",
        (I::Linear, L::Center) => "noperspective ",
        (I::Linear, L::Centroid) => "noperspective centroid ",
        (I::Linear, L::Sample) if sample => "noperspective sample ",
        _ => return None,
    })
}

/// The type of a texture.
pub(super) fn texture_type(dim: Dim, scalar: Scalar) -> String {
    let shape = match dim {
        Dim::D1 => "Texture1D",
        Dim::D2 | Dim::Rect => "Texture2D",
        Dim::D3 => "Texture3D",
        Dim::Cube => "TextureCube",
        Dim::D1Array => "Texture1DArray",
        Dim::D2Array => "Texture2DArray",
        Dim::CubeArray => "TextureCubeArray",
        Dim::Buffer => "Buffer",
        Dim::D2Ms => "Texture2DMS",
        Dim::D2MsArray => "Texture2DMSArray",
    };
    format!("{shape}<{}>", Hlsl::type_name(Type::new(scalar, 4)))
}
