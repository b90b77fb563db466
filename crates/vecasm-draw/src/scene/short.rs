//! The short form: a mesh, programs, constants by name, a camera.

use super::json::Node;
use super::matrix::{self, Camera, IDENTITY, Matrix};
use super::run::SURFACE;
use super::{
    Bank, Canvas, Command, Element, Image, MAX_ATTRIBUTES, MAX_CONSTANTS, MAX_SAMPLERS, Primitives, Programs,
    Reader, STAGES, Scene, SceneShader, View, bits_number, channels, context, pattern, sampler_state,
};
use crate::RenderError;
use crate::assemble::MAX_PATCH_VERTICES;
use crate::partner::{self, Feed, View as Shown};
use crate::state::{BlendFactor, Compare, DepthTest, Face, MAX_VIEWPORTS, Rect, Viewport};
use crate::target::{Extent, MAX_LAYERS, MAX_SIDE};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::symbols::{Shape, transpose};
use vecasm_ir::ir::{Dim, Input, InputKind, Output, OutputKind, Primitive, Shader, Stage, StateId, Texture};
use vecasm_ir::math;
use vecasm_opt::specialize;

/// Keys of a draw; those of the file and of a pass are what its draws have if they say nothing else.
const DRAW_KEYS: &[&str] = &[
    "vertex",
    "tess_control",
    "tess_eval",
    "geometry",
    "fragment",
    "varyings",
    "spread",
    "show",
    "mesh",
    "primitive",
    "patch_vertices",
    "levels",
    "point_size",
    "line_width",
    "attributes",
    "constants",
    "textures",
    "samplers",
    "states",
    "model",
    "instances",
    "blend",
    "depth",
    "cull",
    "color_mask",
    "scissor",
    "viewports",
    "stencil",
];

/// Keys of a pass besides those.
const PASS_KEYS: &[&str] = &["camera", "background", "draws"];

/// The values that have a name.
const VALUES: &[&str] = &[
    "model",
    "view",
    "projection",
    "modelView",
    "viewProjection",
    "modelViewProjection",
    "modelViewProjectionScreen",
    "normal",
    "normalView",
    "viewport",
    "eye",
    "light",
    "time",
    "size",
];

/// The unit vector to the light, in the world: from the upper right, in front.
const LIGHT: [f32; 4] = [0.48, 0.6, 0.64, 0.0];

/// The largest depth of 24 bits.
const DEPTH_24: f32 = 16_777_215.0;

/// Most render targets of a pass.
const MAX_TARGETS: usize = 8;

struct Lowering<'h, 'j> {
    reader: Reader<'h>,
    scene: Scene,
    time: f32,
    samples: u32,
    /// Textures drawn into by a pass, by name.
    targets: BTreeMap<&'j str, usize>,
    /// Meshes made so far: the values in the file they come from, and the buffers.
    meshes: BTreeMap<(usize, usize), Placed>,
    /// Textures made so far, by the value in the file.
    textures: BTreeMap<usize, usize>,
    /// Lists of all vertices of a buffer, each once.
    points: BTreeMap<usize, usize>,
}

/// A mesh in the buffers of the scene.
#[derive(Clone)]
struct Placed {
    buffer: usize,
    attributes: Vec<(u32, usize, crate::state::VertexFormat)>,
    indices: usize,
}

/// Sizes and matrices of a pass.
struct Frame {
    width: u32,
    height: u32,
    camera: Camera,
}

pub(super) fn read(root: Node<'_, '_>, reader: Reader<'_>, time: Option<f32>) -> Result<Scene, RenderError> {
    let mut known = ["title", "description", "size", "layers", "antialias", "time", "passes"].to_vec();
    known.extend(DRAW_KEYS);
    known.extend(PASS_KEYS);
    root.only(&known)?;
    for key in ["title", "description"] {
        if let Some(n) = root.get(key) {
            n.text()?;
        }
    }
    let (width, height) = match root.get("size") {
        Some(n) => pattern::size(n, MAX_SIDE)?,
        None => (400, 300),
    };
    let samples = root.get("antialias").map_or(Ok(4), |n| n.count(16))?.max(1);
    let time = match (time, root.get("time")) {
        (Some(time), _) => time,
        (None, Some(n)) => n.number()?,
        (None, None) => 0.0,
    };
    let mut extent = Extent::new(width, height, samples).map_err(|e| root.error(e.message))?;
    if let Some(node) = root.get("layers") {
        extent = extent.with_layers(layers(node)?).map_err(|e| node.error(e.message))?;
    }
    let scene = Scene {
        stage: Canvas { width, height, background: [0.0, 0.0, 0.0, 1.0] },
        view: View { x: 0, y: 0, extent, depth_stencil: true },
        layer: None,
        programs: Vec::new(),
        buffers: Vec::new(),
        indices: Vec::new(),
        textures: Vec::new(),
        commands: Vec::new(),
    };
    let mut lowering = Lowering {
        reader,
        scene,
        time,
        samples,
        targets: BTreeMap::new(),
        meshes: BTreeMap::new(),
        textures: BTreeMap::new(),
        points: BTreeMap::new(),
    };
    match root.get("passes") {
        Some(passes) => {
            let mut known = ["targets", "size", "layers"].to_vec();
            known.extend(DRAW_KEYS);
            known.extend(PASS_KEYS);
            for pass in passes.items()? {
                pass.only(&known)?;
                lowering.pass(root, pass, (width, height))?;
            }
        }
        None => lowering.pass(root, root, (width, height))?,
    }
    let end = (root.path(), Command::Present);
    lowering.scene.commands.push(end);
    Ok(lowering.scene)
}

impl<'j> Lowering<'_, 'j> {
    fn push(&mut self, path: &str, command: Command) {
        self.scene.commands.push((path.into(), command));
    }

    fn pass(
        &mut self,
        root: Node<'j, '_>,
        pass: Node<'j, '_>,
        (mut width, mut height): (u32, u32),
    ) -> Result<(), RenderError> {
        let path = pass.path();
        let mut targets = Vec::new();
        if let Some(names) = pass.get("targets") {
            if let Some(n) = pass.get("size") {
                (width, height) = pattern::size(n, MAX_SIDE)?;
            }
            let mut extent = Extent::new(width, height, self.samples).map_err(|e| pass.error(e.message))?;
            let mut dim = Dim::D2;
            if let Some(node) = pass.get("layers") {
                // A number makes an array, also of one layer; the faces of a cube are squares.
                let of_cube = node.text().is_ok_and(|word| word == Dim::Cube.name());
                let count = if of_cube { u32::from(Dim::Cube.faces()) } else { layers(node)? };
                if of_cube && width != height {
                    return Err(node.error("the faces of a cube are as high as they are wide"));
                }
                dim = if of_cube { Dim::Cube } else { Dim::D2Array };
                extent = extent.with_layers(count).map_err(|e| node.error(e.message))?;
            }
            if names.items()?.len() > MAX_TARGETS {
                return Err(names.error(format!("a pass has at most {MAX_TARGETS} targets")));
            }
            for item in names.items()? {
                let name = item.text()?;
                if self.targets.contains_key(name) {
                    return Err(item.error(format!("\"{name}\" is already a target of an earlier pass")));
                }
                self.reader.texels(&item, width, height, self.samples * extent.layers)?;
                let texture = self.scene.textures.len();
                self.scene.textures.push(Image::Target(extent, dim, name.into()));
                targets.push((name, texture));
            }
        } else if let Some(node) = pass.get("layers").filter(|_| !core::ptr::eq(root.json(), pass.json())) {
            return Err(node.error("those of the picture belong at the top of the file"));
        }
        let textures = targets.iter().map(|(_, t)| *t).collect();
        self.push(&path, Command::Targets { textures, depth_stencil: true });
        let background = match pass.get("background").or_else(|| root.get("background")) {
            Some(n) => pattern::color(n)?,
            None => [0.0, 0.0, 0.0, 1.0],
        };
        self.push(&path, Command::Clear { color: Some(background), depth: Some(1.0), stencil: Some(0) });
        let camera = pass.get("camera").or_else(|| root.get("camera"));
        let camera = Camera::read(camera, width as f32 / height as f32, self.time)?;
        let frame = Frame { width, height, camera };
        match pass.get("draws") {
            Some(draws) => {
                for draw in draws.items()? {
                    draw.only(DRAW_KEYS)?;
                    self.draw(&[root, pass, draw], &frame)?;
                }
            }
            None => self.draw(&[root, pass], &frame)?,
        }
        // Only later passes may read what this one draws.
        self.targets.extend(targets);
        Ok(())
    }

    /// `levels` are the objects that may hold keys of the draw, from the outermost.
    fn draw(&mut self, levels: &[Node<'j, '_>], frame: &Frame) -> Result<(), RenderError> {
        let Some(own) = levels.last() else { return Ok(()) };
        let path = own.path();
        let need = |key: &'static str| {
            levels
                .iter()
                .rev()
                .find_map(|n| n.get(key))
                .ok_or_else(|| own.error(format!("\"{key}\" is missing")))
        };
        let get = |key: &'static str| levels.iter().rev().find_map(|n| n.get(key));
        self.push(&path, Command::Reset);

        let first = get("vertex").map(|node| self.reader.program(Stage::Vertex, node)).transpose()?;
        let given = get("fragment").map(|node| self.reader.program(Stage::Fragment, node)).transpose()?;
        let mut between = |stage: Stage, key: &'static str| {
            get(key).map(|node| self.reader.program(stage, node)).transpose()
        };
        let tess_control = between(Stage::TessControl, "tess_control")?;
        let tess_eval = between(Stage::TessEval, "tess_eval")?;
        let geometry = between(Stage::Geometry, "geometry")?;
        let alone = first.is_none();
        let next = [&tess_control, &tess_eval, &geometry, &given].into_iter().flatten().next();
        let vertex = match (first, next) {
            (Some(vertex), _) => vertex,
            (None, Some(next)) => {
                let feeds = get("varyings").map_or(Ok(Vec::new()), |node| feeds(node, &next.shader))?;
                SceneShader::own(partner::vertex(&next.shader, &feeds))
            }
            (None, None) => return Err(own.error("\"vertex\" is missing")),
        };
        let vertex = match get("spread") {
            Some(node) if given.is_none() => {
                let location = node.count(MAX_ATTRIBUTES - 1)?;
                let kind = InputKind::Attribute { location };
                if vertex.shader.inputs.iter().any(|input| input.kind == kind) {
                    return Err(node.error("the program reads this attribute"));
                }
                let shader = Rc::new(partner::spread(&vertex.shader, location));
                SceneShader { shader, ..vertex }
            }
            Some(node) => {
                return Err(node.error("\"spread\" is only for a vertex program without a fragment program"));
            }
            None => vertex,
        };
        if let (false, Some(node)) = (alone, own.get("varyings")) {
            return Err(node.error("\"varyings\" is only for programs without a vertex program"));
        }
        let tess_eval = match (tess_eval, &tess_control) {
            (None, Some(control)) => Some(SceneShader::own(partner::evaluation(&control.shader))),
            (given, _) => given,
        };
        let before = geometry.as_ref().or(tess_eval.as_ref()).unwrap_or(&vertex);
        let fragment = match (given, get("show")) {
            (Some(_), Some(node)) => {
                return Err(node.error("\"show\" is only for programs without a fragment program"));
            }
            (Some(fragment), None) => fragment,
            (None, Some(node)) => SceneShader::own(show(node, &before.shader)?),
            (None, None) => {
                let textured =
                    levels.iter().any(|n| n.get("textures").is_some_and(|n| n.get("fs0").is_some()));
                self.reader.fragment(own, &before.shader, textured)?
            }
        };
        self.scene.programs.push(Programs { vertex, tess_control, tess_eval, geometry, fragment });
        let program = self.scene.programs.len() - 1;
        self.push(&path, Command::Program(program));

        // The stage of our own has attributes of its own.
        let attributes = if alone { None } else { get("attributes") };
        let node = need("mesh")?;
        let mut mesh = self.mesh(node, attributes)?;
        let primitives = primitives(&get)?;
        let each = primitives.index_multiple();
        let indices = self.scene.indices.get(mesh.indices).map_or(0, Vec::len);
        match (node.get("indices"), node.get("vertices")) {
            (Some(list), _) if indices % each != 0 => {
                return Err(list.error(format!("the number of indices is not a multiple of {each}")));
            }
            (None, Some(vertices)) if indices % each != 0 => {
                let what = format!("without indices, the number of vertices is a multiple of {each}");
                return Err(vertices.error(what));
            }
            _ => {}
        }
        // Of a built-in shape each vertex is one point, however many triangles have it.
        if primitives.kind == Primitive::Points && node.get("vertices").is_none() {
            mesh.indices = self.points(mesh.buffer);
        }
        self.push(&path, Command::Primitives(primitives));
        for &(index, offset, format) in &mesh.attributes {
            let stream = Some((mesh.buffer, offset, format));
            self.push(&path, Command::VertexBuffer { index, stream });
        }
        if attributes.is_some_and(|n| n.is_object()) {
            self.push(&path, Command::FillAttributes);
        }

        let model = get("model").map_or(Ok(IDENTITY), |n| matrix::transform(n, self.time))?;
        if alone {
            for (name, first) in partner::CONSTANTS {
                let values = self.named(name, &model, frame).unwrap_or_default();
                self.push(
                    &path,
                    Command::Constants { stage: Stage::Vertex, bank: Bank::Float, first, values },
                );
            }
        }
        let mut beside = Vec::new();
        for level in distinct(levels) {
            if let Some(constants) = level.get("constants") {
                for (key, node) in constants.entries()? {
                    let mut values = Vec::new();
                    self.value(node, &model, frame, &mut values)?;
                    if self.set_named(program, key, &values, &mut beside, node)? {
                        continue;
                    }
                    let (stage, bank, first) = constant_register(key, node)?;
                    if first as usize + values.len() > MAX_CONSTANTS as usize {
                        return Err(node.error(format!("there are only {MAX_CONSTANTS} registers")));
                    }
                    self.push(&node.path(), Command::Constants { stage, bank, first, values });
                }
            }
            if let Some(states) = level.get("states") {
                for (name, node) in states.entries()? {
                    self.state(program, name, node)?;
                }
            }
            if let Some(textures) = level.get("textures") {
                for (key, node) in textures.entries()? {
                    let (stage, sampler) = register(key, 's', MAX_SAMPLERS, node)?;
                    let texture = Some(self.texture(node)?);
                    self.push(&node.path(), Command::Texture { stage, sampler, texture });
                }
            }
            if let Some(samplers) = level.get("samplers") {
                for (key, node) in samplers.entries()? {
                    let (stage, sampler) = register(key, 's', MAX_SAMPLERS, node)?;
                    let state = sampler_state(node, &[])?;
                    self.push(&node.path(), Command::Sampler { stage, sampler, state });
                }
            }
        }
        self.set_computed(program, &beside, *own)?;
        if let Some(n) = get("blend") {
            let (source, destination) = blend(n)?;
            self.push(&path, Command::Blend(source, destination));
        }
        if let Some(n) = get("depth") {
            let test = depth(n)?;
            self.push(&path, Command::Depth(test));
        }
        if let Some(n) = get("cull") {
            let face = n.word(Face::ALL, Face::name)?;
            self.push(&path, Command::Culling(face));
        }
        if let Some(n) = get("color_mask") {
            let mask = channels(n)?;
            self.push(&path, Command::ColorMask(mask));
        }
        if let Some(n) = get("scissor") {
            let rect = context::rectangle(n)?;
            self.push(&path, Command::Scissor(Some(rect)));
        }
        if let Some(n) = get("viewports") {
            let viewports = viewports(n)?;
            self.push(&path, Command::Viewports(viewports));
        }
        if let Some(n) = get("stencil") {
            let ops = context::stencil_ops(n, &["reference", "read_mask", "write_mask"])?;
            let byte = |key: &str, default: u8| match n.get(key) {
                Some(n) => n.count(255).map(|b| b as u8),
                None => Ok(default),
            };
            let (reference, read_mask) = (byte("reference", 0)?, byte("read_mask", 255)?);
            let write_mask = byte("write_mask", 255)?;
            self.push(&path, Command::StencilOps(Face::FrontAndBack, ops));
            self.push(&path, Command::StencilReference { reference, read_mask, write_mask });
        }
        let instances = get("instances").map_or(Ok(1), |n| n.count(65_536))?;
        let indices = mesh.indices;
        self.push(&path, Command::Draw { indices, first: 0, triangles: None, instances });
        self.fix_states(program, levels)
    }

    /// State values that the draw leaves as they are become part of the shaders: what is off costs nothing.
    fn fix_states(&mut self, program: usize, levels: &[Node<'j, '_>]) -> Result<(), RenderError> {
        let Some(programs) = self.scene.programs.get_mut(program) else { return Ok(()) };
        let mut given = Vec::new();
        for node in levels.iter().filter_map(|level| level.get("states")) {
            given.extend(node.entries()?.map(|(name, _)| name));
        }
        for shader in programs.all_mut().map(|of| &mut of.shader) {
            let open = |id: usize, name: &str| {
                let by = |t: &Texture| t.dim_by.is_some_and(|by| by.index() == id);
                name == SURFACE || given.contains(&name) || shader.textures.iter().any(by)
            };
            let fixed: Vec<(StateId, [u32; 4])> = shader
                .states
                .iter()
                .enumerate()
                .filter(|(id, state)| !open(*id, &state.name))
                .map(|(id, state)| (StateId(id as u32), state.default))
                .collect();
            if !fixed.is_empty() {
                *shader = Rc::new(specialize(shader, &fixed));
            }
        }
        Ok(())
    }

    /// Sets a state value of the programs of a draw.
    fn state(&mut self, program: usize, name: &str, node: Node<'_, '_>) -> Result<(), RenderError> {
        let states = self.scene.programs.get(program).into_iter();
        let states = states.flat_map(Programs::all).flat_map(|(_, of)| &of.shader.states);
        let known: Vec<&str> = states.map(|state| state.name.as_str()).collect();
        if !known.contains(&name) {
            let what = match known.as_slice() {
                [] => format!("no state value \"{name}\": the programs have none"),
                known => format!("no state value \"{name}\"; the programs have {}", known.join(", ")),
            };
            return Err(node.error(what));
        }
        let mut value = [0.0; 4];
        if node.is_number() {
            value = [node.number()?; 4];
        } else if node.is_list() {
            if node.items()?.len() > 4 {
                return Err(node.error("a state value has at most four numbers"));
            }
            for (lane, item) in value.iter_mut().zip(node.items()?) {
                *lane = item.number()?;
            }
        } else {
            value = pattern::color(node)?;
        }
        self.push(&node.path(), Command::State { name: name.into(), value });
        Ok(())
    }

    fn mesh(&mut self, node: Node<'j, '_>, attributes: Option<Node<'j, '_>>) -> Result<Placed, RenderError> {
        let key = (address(node), attributes.map_or(0, address));
        if let Some(placed) = self.meshes.get(&key) {
            return Ok(placed.clone());
        }
        let mesh = self.reader.mesh(node, attributes)?;
        let placed = Placed {
            buffer: self.scene.buffers.len(),
            attributes: mesh.attributes,
            indices: self.scene.indices.len(),
        };
        self.scene.buffers.push(mesh.buffer);
        self.scene.indices.push(mesh.indices);
        self.meshes.insert(key, placed.clone());
        Ok(placed)
    }

    /// Indices of all vertices of a buffer, each once.
    fn points(&mut self, buffer: usize) -> usize {
        let all = self.scene.buffers.get(buffer).map_or(0, |of| of.len() as u32);
        let indices = &mut self.scene.indices;
        *self.points.entry(buffer).or_insert_with(|| {
            indices.push((0..all).collect());
            indices.len() - 1
        })
    }

    fn texture(&mut self, node: Node<'j, '_>) -> Result<usize, RenderError> {
        if !node.is_object() {
            let name = node.text()?;
            if let Some(texture) = self.targets.get(name) {
                return Ok(*texture);
            }
        }
        let key = address(node);
        if let Some(texture) = self.textures.get(&key) {
            return Ok(*texture);
        }
        let texture = self.reader.texture(node)?;
        self.scene.textures.push(Image::Given(texture));
        let index = self.scene.textures.len() - 1;
        self.textures.insert(key, index);
        Ok(index)
    }

    /// Sets what is computed before the draw, from what was given for it, of each stage.
    fn set_computed(
        &mut self,
        program: usize,
        beside: &[(Stage, Element)],
        own: Node<'j, '_>,
    ) -> Result<(), RenderError> {
        let Some(programs) = self.scene.programs.get(program).cloned() else { return Ok(()) };
        for (stage, of) in programs.all() {
            let given = beside.iter().filter(|(at, _)| *at == stage).map(|(_, element)| element.clone());
            let given: Vec<Element> = given.collect();
            for (name, number, bits) in self.reader.computed(own, of, &given)? {
                let array = of.shader.params.iter().find(|array| array.name == name && number < array.size);
                let Some(array) = array.filter(|_| number < MAX_CONSTANTS) else { continue };
                let values = vec![bits.map(|bits| bits_number(bits, array.scalar))];
                let bank = Bank::of(array.scalar);
                self.push(&own.path(), Command::Constants { stage, bank, first: number, values });
            }
        }
        Ok(())
    }

    /// Sets the constants that have that name in the tables of the programs, from rows of values; gives whether there are any.
    /// What something beside a program reads is added to `beside`.
    fn set_named(
        &mut self,
        program: usize,
        key: &str,
        rows: &[[f32; 4]],
        beside: &mut Vec<(Stage, Element)>,
        node: Node<'_, '_>,
    ) -> Result<bool, RenderError> {
        if constant_register(key, node).is_ok() {
            return Ok(false);
        }
        let Some(programs) = self.scene.programs.get(program) else { return Ok(false) };
        let mut commands = Vec::new();
        let mut known = false;
        for (stage, of) in programs.all() {
            let shader = &of.shader;
            for (symbol, first, shape) in shader.symbols.find(key) {
                let letter = |row: &&(Bank, char)| symbol.array.chars().eq([row.1]);
                let bank = Bank::ALL.iter().find(letter).map(|row| row.0);
                let (count, of) = match shape {
                    Shape::Array(of, count) => (usize::from(*count), &**of),
                    shape => (1, shape),
                };
                let Shape::Matrix { rows: height, columns, by_columns } = of else {
                    return Err(node.error(format!("\"{key}\" is a structure; set its members one by one")));
                };
                let height = usize::from(*height).max(1);
                if rows.len() != height * count {
                    let message =
                        format!("expected the {} rows of \"{key}\", found {}", height * count, rows.len());
                    return Err(node.error(message));
                }
                let columns = usize::from(*columns);
                let mut values: Vec<[f32; 4]> = if symbol.single {
                    rows.iter().flat_map(|row| row.iter().take(columns)).map(|value| [*value; 4]).collect()
                } else if *by_columns {
                    rows.chunks(height).flat_map(|matrix| transpose(matrix, columns)).collect()
                } else {
                    rows.to_vec()
                };
                // What the type has beyond its registers the program does not read.
                let left = symbol.first.saturating_add(symbol.count).saturating_sub(first);
                values.truncate(left as usize);
                known = true;
                let Some(bank) = bank else {
                    // What a preshader reads is no register of the shader.
                    for (number, value) in (first..).zip(values) {
                        beside.push((stage, (symbol.array.clone(), number, value.map(f32::to_bits))));
                    }
                    continue;
                };
                let fits = first as usize + values.len() <= MAX_CONSTANTS as usize;
                let there = shader.params.iter().any(|array| array.name == symbol.array);
                if there && fits {
                    commands.push(Command::Constants { stage, bank, first, values });
                }
            }
        }
        for command in commands {
            self.push(&node.path(), command);
        }
        Ok(known)
    }

    /// Appends the registers that a value of `constants` stands for.
    fn value(
        &self,
        node: Node<'_, '_>,
        model: &Matrix,
        frame: &Frame,
        out: &mut Vec<[f32; 4]>,
    ) -> Result<(), RenderError> {
        if node.is_number() {
            out.push([node.number()?; 4]);
            return Ok(());
        }
        if node.is_list() {
            let items = node.items()?;
            let numbers = items.len() <= 4 && node.items()?.all(|n| n.is_number());
            if numbers {
                let mut register = [0.0; 4];
                for (lane, item) in register.iter_mut().zip(items) {
                    *lane = item.number()?;
                }
                out.push(register);
                return Ok(());
            }
            for item in items {
                if item.is_number() {
                    return Err(item.error("a register has at most four numbers"));
                }
                self.value(item, model, frame, out)?;
            }
            return Ok(());
        }
        if node.is_object() {
            if let Some(inner) = node.get("transpose") {
                node.only(&["transpose"])?;
                let mut rows = Vec::new();
                self.value(inner, model, frame, &mut rows)?;
                let Ok(rows) = Matrix::try_from(rows) else {
                    return Err(inner.error("expected a matrix of four registers"));
                };
                out.extend(matrix::transposed(&rows));
                return Ok(());
            }
            node.only(&["transform", "transpose"])?;
            out.extend(matrix::transform(node.need("transform")?, self.time)?);
            return Ok(());
        }
        let name = node.text()?;
        if name.starts_with('#') {
            out.push(pattern::color(node)?);
            return Ok(());
        }
        match self.named(name, model, frame) {
            Some(values) => out.extend(values),
            None => {
                return Err(node.error(format!(
                    "no value \"{name}\"; known: {}, a colour such as \"#ff8000\"",
                    VALUES.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The registers of a value that has a name.
    fn named(&self, name: &str, model: &Matrix, frame: &Frame) -> Option<Vec<[f32; 4]>> {
        let camera = &frame.camera;
        let view_model = matrix::product(&camera.view, model);
        let (width, height) = (frame.width as f32, frame.height as f32);
        Some(match name {
            "model" => model.to_vec(),
            "view" => camera.view.to_vec(),
            "projection" => camera.projection.to_vec(),
            "modelView" => view_model.to_vec(),
            "viewProjection" => matrix::product(&camera.projection, &camera.view).to_vec(),
            "modelViewProjection" => matrix::product(&camera.projection, &view_model).to_vec(),
            "modelViewProjectionScreen" => {
                let clip = matrix::product(&camera.projection, &view_model);
                let (x, y) = (width / 2.0, height / 2.0);
                let screen =
                    [[x, 0.0, 0.0, x], [0.0, -y, 0.0, y], [0.0, 0.0, DEPTH_24, 0.0], [0.0, 0.0, 0.0, 1.0]];
                matrix::product(&screen, &clip).to_vec()
            }
            "normal" => matrix::normal_rows(model).to_vec(),
            "normalView" => matrix::normal_rows(&view_model).to_vec(),
            // What a program multiplies by and adds to get from clip space to pixels, y down, and 24 bits of depth.
            "viewport" => {
                let (x, y) = (width / 2.0, height / 2.0);
                [[x, -y, DEPTH_24, 0.0], [x, y, 0.0, 0.0]].to_vec()
            }
            "eye" => [[camera.eye[0], camera.eye[1], camera.eye[2], 1.0]].to_vec(),
            "light" => [LIGHT].to_vec(),
            "time" => [[self.time, math::sin(self.time), math::cos(self.time), 1.0]].to_vec(),
            "size" => [[width, height, 1.0 / width, 1.0 / height]].to_vec(),
            _ => return None,
        })
    }
}

/// Which value of the file this is.
fn address(node: Node<'_, '_>) -> usize {
    core::ptr::from_ref(node.json()) as usize
}

/// The levels without repetition: a file without passes is its own pass.
fn distinct<'a, 'j, 'p>(
    levels: &'a [Node<'j, 'p>],
) -> impl Iterator<Item = &'a Node<'j, 'p>> + use<'a, 'j, 'p> {
    let repeated = move |i: usize| i > 0 && core::ptr::eq(levels[i - 1].json(), levels[i].json());
    levels.iter().enumerate().filter(move |(i, _)| !repeated(*i)).map(|(_, n)| n)
}

/// A register of constants such as `vc4`, `c4`, `fi0` or `vb2`: stage, bank and number.
fn constant_register(key: &str, node: Node<'_, '_>) -> Result<(Stage, Bank, u32), RenderError> {
    let letter = key.trim_end_matches(|c: char| c.is_ascii_digit()).chars().last();
    let (bank, letter) =
        Bank::ALL.into_iter().find(|(_, l)| Some(*l) == letter).unwrap_or((Bank::Float, 'c'));
    let (stage, number) = register(key, letter, MAX_CONSTANTS, node)?;
    Ok((stage, bank, number))
}

/// What `varyings` gives to each input of a program, by the input's name.
fn feeds(node: Node<'_, '_>, next: &Shader) -> Result<Vec<Option<Feed>>, RenderError> {
    let mut out = Vec::new();
    out.resize(next.inputs.len(), None);
    for (name, value) in node.entries()? {
        let of = |input: &Input| matches!(input.kind, InputKind::Varying { .. }) && input.name == name;
        let Some(at) = next.inputs.iter().position(of) else {
            let known = next.inputs.iter().filter(|i| matches!(i.kind, InputKind::Varying { .. }));
            let known: Vec<&str> = known.map(|input| input.name.as_str()).collect();
            return Err(value.error(match known.as_slice() {
                [] => format!("no varying \"{name}\": the {} program reads none", next.stage.name()),
                known => format!("no varying \"{name}\"; the program reads {}", known.join(", ")),
            }));
        };
        let feed = if value.is_list() {
            let mut lanes = [0.0, 0.0, 0.0, 1.0];
            if value.items()?.len() > 4 {
                return Err(value.error("a varying has at most four numbers"));
            }
            for (lane, number) in lanes.iter_mut().zip(value.items()?) {
                *lane = number.number()?;
            }
            Feed::Value(lanes)
        } else {
            value.word(Feed::ALL, Feed::name)?
        };
        if let Some(slot) = out.get_mut(at) {
            *slot = Some(feed);
        }
    }
    Ok(out)
}

/// The fragment stage of `show`: `"shape"`, or `{"OUTPUT": VIEW}`.
fn show(node: Node<'_, '_>, vertex: &Shader) -> Result<Shader, RenderError> {
    if !node.is_object() {
        let view = node.word(&[Shown::Shape], Shown::name)?;
        return Ok(partner::fragment(0, view));
    }
    let mut entries = node.entries()?;
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err(node.error("expected one output, for example {\"v0\": \"color\"}"));
    };
    let view = value.word(Shown::ALL, Shown::name)?;
    let varying = |output: &Output| match output.kind {
        OutputKind::Varying { location } if output.name == name => Some(location),
        _ => None,
    };
    match vertex.outputs.iter().find_map(varying) {
        Some(location) => Ok(partner::fragment(location, view)),
        None => Err(value.error(format!("the {} program writes no varying \"{name}\"", vertex.stage.name()))),
    }
}

/// A register name such as `vc4` or `fs0`: its stage by what it begins with, and its number. `c4` is of the vertex program.
fn register(key: &str, file: char, count: u32, node: Node<'_, '_>) -> Result<(Stage, u32), RenderError> {
    let wrong = || {
        let known: Vec<String> = STAGES.iter().map(|(_, word)| format!("{word}{file}")).collect();
        let message =
            format!("\"{key}\" is not a register; expected {} and a number below {count}", known.join(", "));
        node.error(message)
    };
    let head = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = key.get(head.len()..).unwrap_or("");
    let stage = match head.strip_suffix(file) {
        Some("") if file == 'c' => Some(Stage::Vertex),
        Some(word) => STAGES.iter().find(|(_, known)| *known == word).map(|(stage, _)| *stage),
        None => None,
    };
    let Some(stage) = stage else { return Err(wrong()) };
    let canonical = digits == "0" || !digits.starts_with('0');
    match digits.parse() {
        Ok(number) if number < count && canonical => Ok((stage, number)),
        _ => Err(wrong()),
    }
}

/// What the vertices of a draw make.
fn primitives<'a, 'j: 'a, 'p: 'a>(
    get: &dyn Fn(&'static str) -> Option<Node<'j, 'p>>,
) -> Result<Primitives, RenderError> {
    let mut out = Primitives::default();
    if let Some(node) = get("primitive") {
        out.kind = node.word(Primitive::ALL, Primitive::name)?;
    }
    if let Some(node) = get("patch_vertices") {
        out.patch_vertices = node.integer(1, MAX_PATCH_VERTICES.into())? as u32;
    }
    if let Some(node) = get("levels") {
        node.only(&["outer", "inner"])?;
        if let Some(node) = node.get("outer") {
            levels(node, &mut out.outer)?;
        }
        if let Some(node) = node.get("inner") {
            levels(node, &mut out.inner)?;
        }
    }
    if let Some(node) = get("point_size") {
        out.point_size = node.number()?;
    }
    if let Some(node) = get("line_width") {
        out.line_width = node.number()?;
    }
    Ok(out)
}

/// Levels: one number for all, or up to as many as there are; those that are missing repeat the last one.
fn levels(node: Node<'_, '_>, out: &mut [f32]) -> Result<(), RenderError> {
    if node.is_number() {
        out.fill(node.number()?);
        return Ok(());
    }
    let count = node.items()?.len();
    if count == 0 || count > out.len() {
        return Err(node.error(format!("expected 1 to {} levels", out.len())));
    }
    let mut last = 1.0;
    let mut items = node.items()?;
    for level in out {
        if let Some(item) = items.next() {
            last = item.number()?;
        }
        *level = last;
    }
    Ok(())
}

/// A number of layers.
fn layers(node: Node<'_, '_>) -> Result<u32, RenderError> {
    node.integer(1, MAX_LAYERS.into()).map(|count| count as u32)
}

/// Viewports: rectangles, or objects.
fn viewports(node: Node<'_, '_>) -> Result<Vec<Viewport>, RenderError> {
    let mut out = Vec::new();
    for item in node.items()? {
        let mut viewport =
            Viewport { rect: Rect { x: 0, y: 0, width: 0, height: 0 }, depth: [0.0, 1.0], scissor: None };
        let place = if item.is_object() {
            item.only(&["rectangle", "depth", "scissor"])?;
            if let Some(node) = item.get("depth") {
                let mut ends = node.items()?;
                let (Some(near), Some(far), None) = (ends.next(), ends.next(), ends.next()) else {
                    return Err(node.error("expected the near and the far depth"));
                };
                viewport.depth = [near.number()?, far.number()?];
                if viewport.depth.iter().any(|depth| !(0.0..=1.0).contains(depth)) {
                    return Err(node.error("expected depths from 0 to 1"));
                }
            }
            viewport.scissor = item.get("scissor").map(context::rectangle).transpose()?;
            item.need("rectangle")?
        } else {
            item
        };
        viewport.rect = context::rectangle(place)?;
        if viewport.rect.width == 0 || viewport.rect.height == 0 {
            return Err(place.error("a viewport has at least one pixel"));
        }
        out.push(viewport);
    }
    if out.is_empty() || out.len() > MAX_VIEWPORTS {
        return Err(node.error(format!("expected 1 to {MAX_VIEWPORTS} viewports")));
    }
    Ok(out)
}

fn blend(node: Node<'_, '_>) -> Result<(BlendFactor, BlendFactor), RenderError> {
    use BlendFactor as B;
    if node.is_list() {
        let mut items = node.items()?;
        return match (items.next(), items.next(), items.next()) {
            (Some(source), Some(destination), None) => {
                Ok((source.word(B::ALL, B::name)?, destination.word(B::ALL, B::name)?))
            }
            _ => Err(node.error("expected two blend factors: source and destination")),
        };
    }
    Ok(match node.text()? {
        "none" => (B::One, B::Zero),
        "alpha" => (B::SourceAlpha, B::OneMinusSourceAlpha),
        "premultiplied" => (B::One, B::OneMinusSourceAlpha),
        "add" => (B::SourceAlpha, B::One),
        "multiply" => (B::DestinationColor, B::Zero),
        "screen" => (B::One, B::OneMinusSourceColor),
        _ => {
            let message: String =
                "expected none, alpha, premultiplied, add, multiply, screen or two factors".into();
            return Err(node.error(message));
        }
    })
}

fn depth(node: Node<'_, '_>) -> Result<DepthTest, RenderError> {
    if let Ok(wanted) = node.flag() {
        let compare = if wanted { Compare::Less } else { Compare::Always };
        return Ok(DepthTest { compare, write: wanted });
    }
    if !node.is_object() {
        return Ok(DepthTest { compare: node.word(Compare::ALL, Compare::name)?, write: true });
    }
    node.only(&["compare", "write"])?;
    let compare = node.get("compare").map_or(Ok(Compare::Less), |n| n.word(Compare::ALL, Compare::name))?;
    let write = node.get("write").map_or(Ok(true), |n| n.flag())?;
    Ok(DepthTest { compare, write })
}
