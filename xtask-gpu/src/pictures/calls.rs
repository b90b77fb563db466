//! What a scene draws, noted while the rasterizer draws it.

use vecasm::exec::interp::Interp;
use vecasm::exec::texture::Texture;
use vecasm::exec::{Batch, BoundTexture, Engine};
use vecasm::ir::{InputKind, OutputKind, Primitive, SamplerState, Scalar, Shader, System};
use vecasm::opt::specialize;
use vecasm::render::draw::{Bound, Draw};
use vecasm::render::scene::Step;
use vecasm::render::state::{Rect, State, Viewport};

/// What a scene draws into the picture; what it draws into textures is known when they are read.
pub(super) struct Calls {
    pub(super) clear: [f32; 4],
    pub(super) list: Vec<Call>,
    /// Something that is not drawn here.
    pub(super) refused: Option<String>,
    into_textures: bool,
    /// Of the picture.
    size: (u32, u32),
}

/// A draw call.
pub(super) struct Call {
    pub(super) vertex: Side,
    pub(super) fragment: Side,
    pub(super) attributes: Vec<Attribute>,
    /// For each input of the vertex shader, what each vertex has.
    inputs: Vec<Vec<[u32; 4]>>,
    /// Vertices in the buffers.
    pub(super) count: usize,
    pub(super) indices: Vec<u32>,
    pub(super) instances: u32,
    pub(super) primitive: Primitive,
    pub(super) state: State,
    pub(super) viewport: Rect,
    pub(super) depth: [f32; 2],
    pub(super) scissor: Rect,
}

/// A vertex attribute: four lanes of each vertex.
pub(super) struct Attribute {
    pub(super) location: u32,
    pub(super) scalar: Scalar,
    pub(super) words: Vec<[u32; 4]>,
}

/// A shader and what it reads.
pub(super) struct Side {
    pub(super) shader: Shader,
    params: Vec<Vec<[u32; 4]>>,
    states: Vec<Option<[u32; 4]>>,
    /// By slot.
    textures: Vec<Option<(Texture, SamplerState)>>,
}

impl Side {
    fn of(bound: &Bound<'_>) -> Self {
        let owned = |t: &BoundTexture<'_>| (t.texture.clone(), t.sampler);
        // A target wants to know the dimension of every texture.
        let given: Vec<(&str, [u32; 4])> = bound
            .shader
            .states
            .iter()
            .enumerate()
            .map(|(n, state)| (&*state.name, bound.states.get(n).copied().flatten().unwrap_or(state.default)))
            .collect();
        let dims = bound.shader.textures.iter().filter_map(|texture| texture.dim_by);
        let fixed: Vec<_> = dims.filter_map(|id| Some((id, given.get(id.index())?.1))).collect();
        let shader = if fixed.is_empty() { bound.shader.clone() } else { specialize(bound.shader, &fixed) };
        let left =
            |state: &vecasm::ir::State| given.iter().find(|(name, _)| *name == state.name).map(|of| of.1);
        Self {
            states: shader.states.iter().map(left).collect(),
            shader,
            params: bound.params.clone(),
            textures: bound.textures.iter().map(|t| t.as_ref().map(owned)).collect(),
        }
    }

    /// What the shader is run with, without inputs.
    pub(super) fn batch(&self) -> Batch<'_> {
        let slot = |n: u32| self.textures.get(n as usize).and_then(Option::as_ref);
        let bound = |of: &vecasm::ir::Texture| {
            let (texture, sampler) = slot(of.slot)?;
            // A texture and a sampler may have numbers of their own.
            let sampler = slot(of.sampler_slot).map_or(*sampler, |(_, sampler)| *sampler);
            Some(BoundTexture { texture, sampler })
        };
        Batch {
            params: self.params.clone(),
            states: self.states.clone(),
            textures: self.shader.textures.iter().map(bound).collect(),
            ..Batch::default()
        }
    }
}

impl Call {
    /// What the vertex shader is run on: these vertices of the first instance.
    pub(super) fn vertex_batch(&self, vertices: &[usize]) -> Batch<'_> {
        let of = |list: &Vec<[u32; 4]>| {
            vertices.iter().map(|&n| list.get(n).copied().unwrap_or_default()).collect()
        };
        Batch { count: vertices.len(), inputs: self.inputs.iter().map(of).collect(), ..self.vertex.batch() }
    }

    /// Marks the pixels whose centres lie within one pixel of an edge of what is drawn.
    ///
    /// # Errors
    ///
    /// Why the vertex shader cannot be run.
    pub(super) fn mark_edges(&self, mask: &mut [bool], width: u32) -> Result<(), String> {
        let shader = &self.vertex.shader;
        let cell = |kind| shader.outputs.iter().position(|output| output.kind == kind);
        let position = cell(OutputKind::Position).ok_or("no position")?;
        let all: Vec<usize> = (0..self.count).collect();
        for instance in 0..self.instances {
            let mut batch = self.vertex_batch(&all);
            for (input, list) in shader.inputs.iter().zip(&mut batch.inputs) {
                if input.kind == InputKind::System(System::InstanceIndex) {
                    list.fill([instance, 0, 0, 0]);
                }
            }
            let ran = Interp.run(shader, &batch).map_err(|e| e.to_string())?;
            let place = |index: u32| ran.cells[position][index as usize].map(f32::from_bits);
            let size = |index: u32| match cell(OutputKind::PointSize) {
                Some(cell) => f32::from_bits(ran.cells[cell][index as usize][0]),
                None => 1.0,
            };
            let mut edges = Edges { mask, width, viewport: self.viewport };
            match self.primitive {
                Primitive::Points => {
                    for &index in &self.indices {
                        let [x, y] = edges.on_screen(place(index));
                        let half = size(index) / 2.0;
                        let corner = |right: f32, down: f32| [x + right * half, y + down * half];
                        let corners =
                            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
                        for n in 0..4 {
                            edges.line(corners[n], corners[(n + 1) % 4]);
                        }
                    }
                }
                _ => self.indices.chunks_exact(3).for_each(|t| edges.polygon(t.iter().map(|&i| place(i)))),
            }
        }
        Ok(())
    }
}

/// Marks pixels near edges.
struct Edges<'a> {
    mask: &'a mut [bool],
    width: u32,
    viewport: Rect,
}

impl Edges<'_> {
    fn on_screen(&self, [x, y, _, w]: [f32; 4]) -> [f32; 2] {
        let of = self.viewport;
        let (width, height) = (of.width as f32, of.height as f32);
        [of.x as f32 + (x / w + 1.0) * width / 2.0, of.y as f32 + (1.0 - y / w) * height / 2.0]
    }

    /// The edges of a triangle after it has been clipped between the near and the far plane.
    fn polygon(&mut self, corners: impl Iterator<Item = [f32; 4]>) {
        let mut corners: Vec<[f32; 4]> = corners.collect();
        if corners.iter().flatten().any(|n| !n.is_finite()) {
            return;
        }
        let planes: [fn([f32; 4]) -> f32; 3] = [|[_, _, z, _]| z, |[_, _, z, w]| w - z, |[.., w]| w - 1e-6];
        for plane in planes {
            let mut kept = Vec::new();
            for (n, &to) in corners.iter().enumerate() {
                let from = corners[(n + corners.len() - 1) % corners.len()];
                let (before, here) = (plane(from), plane(to));
                if (before < 0.0) != (here < 0.0) {
                    let t = before / (before - here);
                    kept.push(std::array::from_fn(|lane| from[lane] + (to[lane] - from[lane]) * t));
                }
                if here >= 0.0 {
                    kept.push(to);
                }
            }
            corners = kept;
        }
        let corners: Vec<[f32; 2]> = corners.into_iter().map(|corner| self.on_screen(corner)).collect();
        for (n, &to) in corners.iter().enumerate() {
            self.line(corners[(n + corners.len() - 1) % corners.len()], to);
        }
    }

    fn line(&mut self, from: [f32; 2], to: [f32; 2]) {
        let height = self.mask.len() as u32 / self.width.max(1);
        let most = [self.width as f32, height as f32];
        let range = |axis: usize| {
            let low = (from[axis].min(to[axis]) - 2.0).clamp(0.0, most[axis]);
            let high = (from[axis].max(to[axis]) + 2.0).clamp(0.0, most[axis]);
            low as usize..high as usize
        };
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        for y in range(1) {
            for x in range(0) {
                let off = [x as f32 + 0.5 - from[0], y as f32 + 0.5 - from[1]];
                let dot = off[0] * along[0] + off[1] * along[1];
                let t = if length > 0.0 { (dot / length).clamp(0.0, 1.0) } else { 0.0 };
                let away = [off[0] - along[0] * t, off[1] - along[1] * t];
                if away[0] * away[0] + away[1] * away[1] <= 1.0 {
                    self.mask[y * self.width as usize + x] = true;
                }
            }
        }
    }
}

impl Calls {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { clear: [0.0; 4], list: Vec::new(), refused: None, into_textures: false, size }
    }

    pub(super) fn note(&mut self, step: Step<'_>, exact: bool) {
        match step {
            Step::Targets { textures } => self.into_textures = textures > 0,
            _ if self.into_textures => {}
            Step::Clear { color, .. } => {
                if !self.list.is_empty() {
                    self.refused = Some("the scene clears the picture in between".into());
                }
                self.clear = color.unwrap_or(self.clear);
            }
            Step::Shaded(_) => {}
            Step::Draw(draw) => match self.call(draw, exact) {
                Ok(call) => self.list.push(call),
                Err(why) => self.refused = Some(why),
            },
        }
    }

    fn call(&self, draw: &Draw<'_>, exact: bool) -> Result<Call, String> {
        let assembly = &draw.assembly;
        if assembly.tess_eval.is_some() || assembly.geometry.is_some() {
            return Err("wgpu has no stages between".into());
        }
        let points = assembly.primitive == Primitive::Points;
        if !(points && assembly.point_size == 1.0 || assembly.primitive == Primitive::Triangles) {
            return Err(format!("{} are not drawn here", assembly.primitive.name()));
        }
        let vertex = draw.vertex.shader;
        let count = draw.indices.iter().max().map_or(0, |most| *most as usize + 1);
        let fetched = |location: u32| -> Vec<[u32; 4]> {
            let stream = draw.streams.get(location as usize).and_then(Option::as_ref);
            let fetch = |vertex: usize| match stream {
                Some(s) => {
                    let start = vertex * s.buffer.stride + s.offset;
                    s.format.fetch(s.buffer.words.get(start..).unwrap_or(&[]))
                }
                None => [0, 0, 0, 1.0f32.to_bits()],
            };
            (0..count).map(fetch).collect()
        };
        let mut attributes = Vec::new();
        let mut inputs = Vec::new();
        for input in &vertex.inputs {
            inputs.push(match input.kind {
                InputKind::Attribute { location } => {
                    let words = fetched(location);
                    let scalar = if exact { Scalar::U32 } else { input.ty.scalar };
                    attributes.push(Attribute { location, scalar, words: words.clone() });
                    words
                }
                InputKind::System(System::VertexIndex) => (0..count as u32).map(|n| [n, 0, 0, 0]).collect(),
                _ => vec![[0; 4]; count],
            });
        }
        let (width, height) = self.size;
        let whole = Rect { x: 0, y: 0, width, height };
        let viewport = match draw.viewports.as_slice() {
            [] => Viewport { rect: whole, depth: [0.0, 1.0], scissor: None },
            [one] => *one,
            _ => return Err("the scene has several viewports".into()),
        };
        // Nothing is drawn outside of a viewport, also not what is wide.
        let inside = viewport.scissor.or(draw.state.scissor).map_or(viewport.rect, |r| cut(r, viewport.rect));
        Ok(Call {
            vertex: Side::of(&draw.vertex),
            fragment: Side::of(&draw.fragment),
            attributes,
            inputs,
            count,
            indices: draw.indices.to_vec(),
            instances: draw.instances,
            primitive: assembly.primitive,
            state: draw.state,
            viewport: viewport.rect,
            depth: viewport.depth,
            scissor: cut(inside, whole),
        })
    }
}

/// What two rectangles have in common.
fn cut(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.max(b.x), a.y.max(b.y));
    let (right, bottom) = ((a.x + a.width).min(b.x + b.width), (a.y + a.height).min(b.y + b.height));
    Rect { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
}
