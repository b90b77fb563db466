//! Carrying out the commands of a scene.

use super::{
    Bank, Command, Image, MAX_ATTRIBUTES, MAX_CONSTANTS, MAX_SAMPLERS, Primitives, STAGES, Scene,
    SceneShader, Step, bits_number, number_bits,
};
use crate::assemble::Assembly;
use crate::draw::{self, Bound, Budget, Draw, Probe, ShadedFragments, Stream, Targets, VertexBuffer};
use crate::pick::{BrokenTriangles, Clear, Event, History, Pixel, Shading, ShadingRerun};
use crate::state::{Face, State, VertexFormat, Viewport};
use crate::target::{DepthStencil, Extent, Surface, unorm8};
use crate::tiles::{EngineChoice, TilePlan, Workers};
use crate::{Picture, RenderError};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::texture::Texture;
use vecasm_exec::{BoundTexture, Engine};
use vecasm_ir::ir::{Dim, InputKind, ParamArray, SamplerState, Scalar, Shader, Stage};

/// The state value that is width and height of what is drawn to, if nobody says otherwise.
pub(super) const SURFACE: &str = "surface";

/// What is bound to one stage.
struct Bindings {
    /// For each of [`Bank::ALL`].
    constants: [Vec<[f32; 4]>; 3],
    /// Those of them that a command has set.
    set: [Vec<bool>; 3],
    textures: Vec<Option<usize>>,
    samplers: Vec<SamplerState>,
}

impl Bindings {
    fn new() -> Self {
        Self {
            constants: Default::default(),
            set: Default::default(),
            textures: vec![None; MAX_SAMPLERS as usize],
            samplers: vec![SamplerState::PLAIN; MAX_SAMPLERS as usize],
        }
    }

    fn set_constants(&mut self, bank: Bank, first: u32, values: &[[f32; 4]]) {
        let end = (first as usize + values.len()).min(MAX_CONSTANTS as usize);
        let constants = &mut self.constants[bank as usize];
        if constants.len() < end {
            constants.resize(end, [0.0; 4]);
        }
        for (register, value) in constants.iter_mut().skip(first as usize).zip(values) {
            *register = *value;
        }
        let set = &mut self.set[bank as usize];
        set.resize(set.len().max(end), false);
        set.iter_mut().take(end).skip(first as usize).for_each(|set| *set = true);
    }

    /// Sets a constant that a program brings, unless a command has set it.
    fn default_constant(&mut self, bank: Bank, register: u32, value: [f32; 4]) {
        let at = register as usize;
        if register >= MAX_CONSTANTS || self.set[bank as usize].get(at) == Some(&true) {
            return;
        }
        let constants = &mut self.constants[bank as usize];
        constants.resize(constants.len().max(at + 1), [0.0; 4]);
        constants[at] = value;
    }
}

/// Which of the bindings are those of a stage.
fn place(stage: Stage) -> usize {
    STAGES.iter().position(|(of, _)| *of == stage).unwrap_or(0)
}

/// A texture that is drawn into, and what has been read of it since.
struct Canvas {
    surface: Surface,
    resolved: Option<Texture>,
}

struct Machine<'s> {
    scene: &'s Scene,
    state: State,
    viewports: Vec<Viewport>,
    /// For each of [`STAGES`].
    bindings: [Bindings; STAGES.len()],
    primitives: Primitives,
    streams: Vec<Option<(usize, usize, VertexFormat)>>,
    /// Whether attributes without a stream read (0, 0, 0, 1).
    fills: bool,
    /// State values by name.
    states: BTreeMap<String, [f32; 4]>,
    program: Option<usize>,
    back: Surface,
    back_depth: Option<DepthStencil>,
    /// For each texture of the scene, what has been drawn into it.
    canvases: Vec<Option<Canvas>>,
    /// Textures drawn into now; none stands for the back buffer.
    targets: Vec<usize>,
    target_depth: Option<DepthStencil>,
    /// What the last `present` showed.
    shown: Option<Vec<u8>>,
    /// Draws so far.
    draws: u32,
    picker: Option<Picker<'s>>,
}

/// Who follows a pixel.
struct Picker<'s> {
    /// The texture that is looked at; none is the back buffer.
    texture: Option<usize>,
    history: History,
    each: &'s mut dyn FnMut(&Shading, &ShadingRerun<'_, '_>),
}

impl Scene {
    /// Draws the scene.
    ///
    /// The picture is the stage: its background with the view over it, opaque. It shows what the last `present`
    /// showed, or the back buffer at the end if there is none.
    ///
    /// # Errors
    ///
    /// With the path of the command: see [`draw`](fn@crate::draw::draw); also if there is no program, or
    /// an attribute or a texture that the program reads is not set, or a texture is read while it is drawn into.
    pub fn render(&self, engine: &dyn Engine, mut budget: Budget) -> Result<Picture, RenderError> {
        self.render_by(EngineChoice::Alone(engine), &mut budget, None)
    }

    /// Draws the scene as [`render`](Self::render) does, the same bits, with several jobs at a time for the fragments of large
    /// draws: see [`draw_spread`](crate::draw::draw_spread).
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    pub fn render_spread(
        &self,
        engine: &(dyn Engine + Sync),
        workers: &dyn Workers,
        mut budget: Budget,
    ) -> Result<Picture, RenderError> {
        self.render_by(EngineChoice::Tiles(TilePlan::new(engine, workers)), &mut budget, None)
    }

    /// Draws the scene as [`render`](Self::render) does; what is watched is not shared out.
    pub(crate) fn render_by(
        &self,
        means: EngineChoice<'_>,
        budget: &mut Budget,
        watch: Option<&mut dyn FnMut(Step<'_>)>,
    ) -> Result<Picture, RenderError> {
        check_layer(self.layer.unwrap_or(0), self.layers(), "picture")?;
        let mut machine = self.machine(None);
        machine.all(means, budget, watch)?;
        let view = machine.shown.take().unwrap_or_else(|| machine.back.resolve());
        Ok(self.compose(&view))
    }

    /// Draws the scene as [`render`](Self::render) does, and shows `watch` each step before it is done: for who wants to
    /// do the same elsewhere.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    pub fn render_watched(
        &self,
        engine: &dyn Engine,
        mut budget: Budget,
        watch: &mut dyn FnMut(Step<'_>),
    ) -> Result<Picture, RenderError> {
        self.render_by(EngineChoice::Alone(engine), &mut budget, Some(watch))
    }

    /// Draws the scene as [`render`](Self::render) does, the same bits, and follows one pixel: of the picture, or of the
    /// texture named `target` that the scene draws into. `each` is shown every shading of it as it happens (without what
    /// happens later), and how it is run again.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render); also if there is no such target, or the pixel lies outside.
    pub fn pick(
        &self,
        engine: &dyn Engine,
        mut budget: Budget,
        (x, y): (u32, u32),
        target: Option<&str>,
        each: &mut dyn FnMut(&Shading, &ShadingRerun<'_, '_>),
    ) -> Result<(Picture, History), RenderError> {
        let named = |wanted: &str| {
            let is = |image: &Image| matches!(image, Image::Target(_, _, name) if name == wanted);
            self.textures.iter().position(is).ok_or_else(|| {
                let names = self.targets().map(|(name, _)| name);
                let names: Vec<&str> = names.collect();
                RenderError::new(match names.as_slice() {
                    [] => format!("no target \"{wanted}\": the scene draws into no texture"),
                    names => format!("no target \"{wanted}\"; the scene has {}", names.join(", ")),
                })
            })
        };
        let texture = target.map(named).transpose()?;
        let layer = self.layer.unwrap_or(0);
        let (width, height, at, samples) = match texture.and_then(|t| self.textures.get(t)) {
            Some(Image::Target(extent, ..)) => {
                check_layer(layer, extent.layers, "texture")?;
                (extent.width, extent.height, Some(Pixel { x, y, layer }), extent.samples)
            }
            _ => {
                check_layer(layer, self.layers(), "picture")?;
                let (width, height) = self.size();
                (width, height, self.on_target(x, y), self.view.extent.samples)
            }
        };
        if x >= width || y >= height {
            return Err(RenderError::new(format!(
                "the pixel {x}, {y} is outside the picture of {width} × {height} pixels"
            )));
        }
        let mut machine = self.machine(Some(Picker { texture, history: History::new(at, samples), each }));
        machine.all(EngineChoice::Alone(engine), &mut budget, None)?;
        let presented = machine.shown.is_some();
        let view = machine.shown.take().unwrap_or_else(|| machine.back.resolve());
        let picture = self.compose(&view);
        let of_texture = texture.and_then(|t| machine.canvases.get(t)?.as_ref()).map(|c| c.surface.resolve());
        let of = of_texture.as_deref().unwrap_or(&picture.rgba8);
        let row = match texture {
            Some(_) => layer as usize * height as usize + y as usize,
            None => y as usize,
        };
        let first = (row * width as usize + x as usize) * 4;
        let mut history = machine.picker.map_or_else(|| History::new(at, samples), |p| p.history);
        if let Some(&[r, g, b, a]) = of.get(first..first + 4) {
            history.color = [r, g, b, a];
        }
        if texture.is_some() || !presented {
            history.shown = history.count;
        }
        history.finish();
        Ok((picture, history))
    }

    /// The textures that the scene draws into: their names and sizes.
    pub fn targets(&self) -> impl Iterator<Item = (&str, Extent)> {
        self.textures.iter().filter_map(|image| match image {
            Image::Target(extent, _, name) => Some((name.as_str(), *extent)),
            Image::Given(_) => None,
        })
    }

    fn machine<'s>(&'s self, picker: Option<Picker<'s>>) -> Machine<'s> {
        Machine {
            scene: self,
            state: State::default(),
            viewports: Vec::new(),
            bindings: core::array::from_fn(|_| Bindings::new()),
            primitives: Primitives::default(),
            streams: vec![None; MAX_ATTRIBUTES as usize],
            fills: false,
            states: BTreeMap::new(),
            program: None,
            back: Surface::new(self.view.extent),
            back_depth: self.view.depth_stencil.then(|| DepthStencil::new(self.view.extent)),
            canvases: self.textures.iter().map(|_| None).collect(),
            targets: Vec::new(),
            target_depth: None,
            shown: None,
            draws: 0,
            picker,
        }
    }

    /// The view over the stage, once for each layer; its alpha does not count.
    fn compose(&self, view: &[u8]) -> Picture {
        let background = self.stage.background.map(unorm8);
        let (width, height) = self.size();
        let extent = Extent { samples: 1, ..self.view.extent };
        let mut rgba8 = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            for x in 0..width {
                let at = self.on_target(x, y).map(|pixel| extent.at(pixel.layer, pixel.x, pixel.y) * 4);
                let pixel = match at.and_then(|at| view.get(at..)) {
                    Some(&[r, g, b, ..]) => [r, g, b],
                    _ => [background[0], background[1], background[2]],
                };
                rgba8.extend(pixel);
                rgba8.push(255);
            }
        }
        Picture { width, height, rgba8 }
    }
}

/// Whether there is the layer that is to be shown.
fn check_layer(layer: u32, layers: u32, what: &str) -> Result<(), RenderError> {
    if layer < layers {
        return Ok(());
    }
    let all = if layers == 1 { "1 layer".into() } else { format!("{layers} layers") };
    Err(RenderError::new(format!("no layer {layer}: the {what} has {all}")))
}

/// Shows a step to who watches.
fn tell(watch: &mut Option<&mut dyn FnMut(Step<'_>)>, step: Step<'_>) {
    if let Some(watch) = watch {
        watch(step);
    }
}

impl Machine<'_> {
    /// Carries out all commands.
    fn all(
        &mut self,
        means: EngineChoice<'_>,
        budget: &mut Budget,
        mut watch: Option<&mut dyn FnMut(Step<'_>)>,
    ) -> Result<(), RenderError> {
        for (path, command) in &self.scene.commands {
            self.command(command, path, means, budget, &mut watch).map_err(|e| e.at(path))?;
        }
        Ok(())
    }

    /// Which of the present targets is looked at.
    fn looked_at(&self) -> Option<usize> {
        match self.picker.as_ref()?.texture {
            None => self.targets.is_empty().then_some(0),
            Some(texture) => self.targets.iter().position(|&target| target == texture),
        }
    }

    fn bindings(&mut self, stage: Stage) -> &mut Bindings {
        &mut self.bindings[place(stage)]
    }

    fn command(
        &mut self,
        command: &Command,
        path: &str,
        means: EngineChoice<'_>,
        budget: &mut Budget,
        watch: &mut Option<&mut dyn FnMut(Step<'_>)>,
    ) -> Result<(), RenderError> {
        match command {
            Command::Reset => {
                self.state = State::default();
                self.viewports.clear();
                self.bindings = core::array::from_fn(|_| Bindings::new());
                self.primitives = Primitives::default();
                self.streams.fill(None);
                self.fills = false;
                self.states.clear();
            }
            Command::FillAttributes => self.fills = true,
            Command::Primitives(primitives) => self.primitives = *primitives,
            Command::State { name, value } => {
                self.states.insert(name.clone(), *value);
            }
            Command::VertexBuffer { index, stream } => {
                if let Some(slot) = self.streams.get_mut(*index as usize) {
                    *slot = *stream;
                }
            }
            Command::Program(program) => self.set_program(*program),
            Command::Constants { stage, bank, first, values } => {
                self.bindings(*stage).set_constants(*bank, *first, values);
            }
            Command::Texture { stage, sampler, texture } => {
                if let Some(slot) = self.bindings(*stage).textures.get_mut(*sampler as usize) {
                    *slot = *texture;
                }
            }
            Command::Sampler { stage, sampler, state } => {
                if let Some(slot) = self.bindings(*stage).samplers.get_mut(*sampler as usize) {
                    *slot = *state;
                }
            }
            Command::Blend(source, destination) => {
                (self.state.source, self.state.destination) = (*source, *destination);
            }
            Command::ColorMask(mask) => self.state.color_mask = *mask,
            Command::Culling(face) => self.state.culling = *face,
            Command::Scissor(rect) => self.state.scissor = *rect,
            Command::Viewports(viewports) => self.viewports.clone_from(viewports),
            Command::Depth(test) => self.state.depth = *test,
            Command::StencilOps(face, ops) => {
                if matches!(face, Face::Front | Face::FrontAndBack) {
                    self.state.stencil.front = *ops;
                }
                if matches!(face, Face::Back | Face::FrontAndBack) {
                    self.state.stencil.back = *ops;
                }
            }
            Command::StencilReference { reference, read_mask, write_mask } => {
                self.state.stencil.reference = *reference;
                self.state.stencil.read_mask = *read_mask;
                self.state.stencil.write_mask = *write_mask;
            }
            Command::Targets { textures, depth_stencil } => {
                tell(watch, Step::Targets { textures: textures.len() });
                self.set_targets(textures, *depth_stencil, budget)?;
            }
            Command::Clear { color, depth, stencil } => {
                tell(watch, Step::Clear { color: *color, depth: *depth, stencil: *stencil });
                let mut targets = self.take_targets();
                let paid = targets.0.iter().try_for_each(|surface| budget.take_samples(surface.extent()));
                if let Some(color) = color {
                    for surface in &mut targets.0 {
                        surface.clear(*color);
                    }
                }
                if let Some(buffer) = &mut targets.1 {
                    buffer.clear(*depth, *stencil);
                }
                self.put_targets(targets);
                paid?;
                let looked_at = self.looked_at();
                if let (Some(_), Some(Picker { history, .. })) = (looked_at, &mut self.picker) {
                    history.count += 1;
                    history.push(Event::Clear(Clear {
                        number: history.count,
                        path: path.into(),
                        color: color.map(|c| c.map(unorm8)),
                        depth: *depth,
                        stencil: *stencil,
                    }));
                }
            }
            Command::Draw { indices, first, triangles, instances } => {
                let all = self.scene.indices.get(*indices).map_or(&[][..], |v| v);
                let rest = all.get(*first..).unwrap_or(&[]);
                let used = match triangles {
                    Some(n) => rest.get(..n.saturating_mul(3)),
                    None => Some(rest),
                };
                let Some(used) = used else {
                    return Err(RenderError::new(format!(
                        "the index buffer holds {} indices: too few for {} triangles from index {first}",
                        all.len(),
                        triangles.unwrap_or(0)
                    )));
                };
                self.draw(used, *instances, path, means, budget, watch)?;
            }
            Command::Present => {
                budget.take_samples(self.back.extent())?;
                self.shown = Some(self.back.resolve());
                if let Some(Picker { history, .. }) = &mut self.picker {
                    history.shown = history.count;
                }
            }
        }
        Ok(())
    }

    /// A program brings the sampler states that its texture reads ask for.
    fn set_program(&mut self, program: usize) {
        self.program = Some(program);
        let scene = self.scene;
        let Some(programs) = scene.programs.get(program) else { return };
        for (stage, of) in programs.all() {
            let bindings = self.bindings(stage);
            for texture in &of.shader.textures {
                let slot = bindings.samplers.get_mut(texture.slot as usize);
                if let (Some(state), Some(slot)) = (texture.sampler, slot) {
                    *slot = state;
                }
            }
            for array in &of.shader.params {
                for (element, bits) in of.shader.symbols.defaults_of(&array.name) {
                    let number = |bits| bits_number(bits, array.scalar);
                    bindings.default_constant(Bank::of(array.scalar), element, bits.map(number));
                }
            }
        }
    }

    fn set_targets(
        &mut self,
        textures: &[usize],
        depth_stencil: bool,
        budget: &mut Budget,
    ) -> Result<(), RenderError> {
        self.targets.clear();
        self.target_depth = None;
        let mut size = None;
        for &texture in textures {
            let Some(Image::Target(extent, ..)) = self.scene.textures.get(texture) else {
                return Err(RenderError::new("this texture is not a render target"));
            };
            if self.targets.contains(&texture) {
                return Err(RenderError::new("a texture is given twice as render target"));
            }
            size = Some(*extent);
            budget.take_samples(*extent)?;
            self.targets.push(texture);
            if let Some(slot) = self.canvases.get_mut(texture) {
                if slot.is_none() {
                    *slot = Some(Canvas { surface: Surface::new(*extent), resolved: None });
                }
            }
        }
        if depth_stencil {
            self.target_depth = size.map(DepthStencil::new);
        }
        Ok(())
    }

    /// Takes the present targets out, so that they can be written while the rest is read.
    fn take_targets(&mut self) -> (Vec<Surface>, Option<DepthStencil>) {
        // A surface of one pixel stands in.
        let stand_in = || Surface { extent: crate::target::ONE, texels: Vec::new() };
        if self.targets.is_empty() {
            let back = core::mem::replace(&mut self.back, stand_in());
            return (vec![back], self.back_depth.take());
        }
        let mut surfaces = Vec::new();
        for &texture in &self.targets {
            if let Some(Some(canvas)) = self.canvases.get_mut(texture) {
                canvas.resolved = None;
                surfaces.push(core::mem::replace(&mut canvas.surface, stand_in()));
            }
        }
        (surfaces, self.target_depth.take())
    }

    fn put_targets(&mut self, (surfaces, depth): (Vec<Surface>, Option<DepthStencil>)) {
        let mut surfaces = surfaces.into_iter();
        if self.targets.is_empty() {
            if let Some(surface) = surfaces.next() {
                self.back = surface;
            }
            self.back_depth = depth;
            return;
        }
        for (&texture, surface) in self.targets.iter().zip(surfaces) {
            if let Some(Some(canvas)) = self.canvases.get_mut(texture) {
                canvas.surface = surface;
            }
        }
        self.target_depth = depth;
    }

    fn draw(
        &mut self,
        indices: &[u32],
        instances: u32,
        path: &str,
        means: EngineChoice<'_>,
        budget: &mut Budget,
        watch: &mut Option<&mut dyn FnMut(Step<'_>)>,
    ) -> Result<(), RenderError> {
        let scene = self.scene;
        let Some(programs) = self.program.and_then(|p| scene.programs.get(p)) else {
            return Err(RenderError::new("no program is set"));
        };
        for (stage, of) in programs.all() {
            self.resolve(&of.shader, stage, budget)?;
        }
        for input in &programs.vertex.shader.inputs {
            let InputKind::Attribute { location } = input.kind else { continue };
            if !self.fills && !matches!(self.streams.get(location as usize), Some(Some(_))) {
                return Err(RenderError::new(format!(
                    "the vertex program reads {}, but no vertex buffer is set there",
                    input.name
                )));
            }
        }
        let extent = match self.targets.first().and_then(|&target| self.canvases.get(target)) {
            Some(Some(canvas)) => canvas.surface.extent(),
            _ => self.back.extent(),
        };
        self.draws += 1;
        let looked_at = self.looked_at();
        let mut picker = self.picker.take();
        let mut taken = self.take_targets();
        let done = {
            let stream = |slot: &Option<(usize, usize, VertexFormat)>| {
                let (buffer, offset, format) = (*slot)?;
                let buffer: &VertexBuffer = scene.buffers.get(buffer)?;
                Some(Stream { buffer, offset, format })
            };
            let machine = &*self;
            let bound = |of| machine.bound(of, extent);
            let primitives = self.primitives;
            let call = Draw {
                vertex: bound(&programs.vertex),
                fragment: bound(&programs.fragment),
                assembly: Assembly {
                    primitive: primitives.kind,
                    patch_vertices: primitives.patch_vertices,
                    outer: primitives.outer,
                    inner: primitives.inner,
                    tess_control: programs.tess_control.as_ref().map(bound),
                    tess_eval: programs.tess_eval.as_ref().map(bound),
                    geometry: programs.geometry.as_ref().map(bound),
                    point_size: primitives.point_size,
                    line_width: primitives.line_width,
                },
                streams: self.streams.iter().map(stream).collect(),
                indices,
                instances,
                state: self.state,
                viewports: self.viewports.clone(),
            };
            tell(watch, Step::Draw(&call));
            let mut targets = Targets { colors: taken.0.iter_mut().collect(), depth: taken.1.as_mut() };
            let watched = watch.is_some();
            let mut shaded = |shaded: &ShadedFragments<'_>| tell(watch, Step::Shaded(shaded));
            let engine = means.engine();
            let here = picker.as_mut().and_then(|p| Some((looked_at?, p.history.at?, p)));
            match here {
                None if watched => draw::draw_probed(engine, &call, &mut targets, budget, None, &mut shaded),
                None => draw::draw_by(means, &call, &mut targets, budget),
                Some((target, at, Picker { history, each, .. })) => {
                    let mut tell = |mut shading: Shading, again: &ShadingRerun<'_, '_>| {
                        history.count += 1;
                        shading.number = history.count;
                        shading.path = path.into();
                        shading.draw = self.draws;
                        let code = |(stage, of): (Stage, &SceneShader)| Some((stage, of.code?));
                        shading.programs = programs.all().filter_map(code).collect();
                        each(&shading, again);
                        history.push(Event::Shading(shading));
                    };
                    let mut probe = Probe { at, target, broken: (0, 0), tell: &mut tell };
                    let done =
                        draw::draw_probed(engine, &call, &mut targets, budget, Some(&mut probe), &mut shaded);
                    let (count, triangle) = probe.broken;
                    if count > 0 {
                        let first =
                            BrokenTriangles { count: 0, path: path.into(), draw: self.draws, triangle };
                        history.broken.get_or_insert(first).count += count;
                    }
                    done
                }
            }
        };
        self.put_targets(taken);
        self.picker = picker;
        done
    }

    /// Makes what has been drawn into textures readable, and checks that all textures a shader reads are set.
    fn resolve(&mut self, shader: &Shader, stage: Stage, budget: &mut Budget) -> Result<(), RenderError> {
        for texture in &shader.textures {
            let bindings = &self.bindings[place(stage)];
            let Some(Some(bound)) = bindings.textures.get(texture.slot as usize).copied() else {
                return Err(RenderError::new(format!(
                    "the {} program reads {}, but no texture is set there",
                    stage.name(),
                    texture.name
                )));
            };
            if self.targets.contains(&bound) {
                return Err(RenderError::new(format!(
                    "{} reads a texture that is being drawn into",
                    texture.name
                )));
            }
            let Some(Image::Target(extent, dim, _)) = self.scene.textures.get(bound) else { continue };
            let Some(slot) = self.canvases.get_mut(bound) else { continue };
            let canvas =
                slot.get_or_insert_with(|| Canvas { surface: Surface::new(*extent), resolved: None });
            if canvas.resolved.is_none() {
                budget.take_samples(*extent)?;
                let bytes = canvas.surface.resolve();
                let slices = extent.layers / u32::from(dim.faces());
                canvas.resolved =
                    Texture::from_rgba8(*dim, extent.width, extent.height, slices, &[&bytes]).ok();
            }
        }
        Ok(())
    }

    fn bound<'a>(&'a self, of: &'a SceneShader, extent: Extent) -> Bound<'a> {
        let shader = &*of.shader;
        let stage = shader.stage;
        let bindings = &self.bindings[place(stage)];
        let constants = |array: &ParamArray| {
            let bank = &bindings.constants[Bank::of(array.scalar) as usize];
            let scalar = if array.scalar == Scalar::U32 { Scalar::F32 } else { array.scalar };
            bank.iter().map(|r| r.map(|value| number_bits(value, scalar))).collect()
        };
        let texture = |(slot, sampler): (&Option<usize>, &SamplerState)| {
            let texture = match self.scene.textures.get((*slot)?)? {
                Image::Given(texture) => texture,
                Image::Target(..) => self.canvases.get((*slot)?)?.as_ref()?.resolved.as_ref()?,
            };
            Some(BoundTexture { texture, sampler: *sampler })
        };
        // The dimension of a texture, where a state decides it.
        let dim = |id: usize| {
            let by = |t: &&vecasm_ir::ir::Texture| t.dim_by.is_some_and(|by| by.index() == id);
            let of = shader.textures.iter().find(by)?;
            let at = *bindings.textures.get(of.slot as usize)?;
            let dim = match self.scene.textures.get(at?)? {
                Image::Given(texture) => texture.dim(),
                Image::Target(_, dim, _) => *dim,
            };
            Dim::ALL.iter().position(|d| *d == dim)
        };
        let state = |(id, state): (usize, &vecasm_ir::ir::State)| {
            let given = match self.states.get(&state.name) {
                Some(given) => *given,
                None if dim(id).is_some() => return dim(id).map(|dim| [dim as u32, 0, 0, 0]),
                None if state.name == SURFACE => [extent.width as f32, extent.height as f32, 0.0, 0.0],
                None => return None,
            };
            Some(given.map(|value| number_bits(value, state.ty.scalar)))
        };
        Bound {
            shader,
            states: shader.states.iter().enumerate().map(state).collect(),
            params: shader.params.iter().map(constants).collect(),
            textures: bindings.textures.iter().zip(&bindings.samplers).map(texture).collect(),
        }
    }
}
