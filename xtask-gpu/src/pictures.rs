//! Pictures: scenes drawn by the device through the WGSL that is written, beside what the software rasterizer draws.

use crate::gpu::{Gpu, bytes};
use crate::run::contents;
use crate::{Given, Report, root};
use std::path::{Path, PathBuf};
use vecasm::emit::wgsl::{BindingKind, Options, Output, write_pair};
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::Texture;
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::{Dim, Filter, InputKind, Mip, SamplerState, Shader, Stage, Wrap};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::nv2a::lift::{Clamp, Numerics, Space};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::render::Picture;
use vecasm::render::draw::{Bound, Budget, Draw};
use vecasm::render::scene::{Host, Scene, Step};
use vecasm::render::state::{BlendFactor, Compare, Face, State};

/// The scenes, one pass into the picture each, without stencil; and how many of 1000 pixels may differ: on edges of
/// triangles and texels, where the last bit of a coordinate decides.
const SCENES: &[(&str, usize)] = &[
    ("agal/triangle", 1),
    ("agal/torus", 1),
    ("agal/knot", 1),
    ("agal/solids", 1),
    // Where a cube is seen at a grazing angle, the level of detail is estimated otherwise.
    ("agal/chrome", 12),
    ("agal/crates", 1),
    ("nv2a/mist", 1),
    ("nv2a/pearl", 1),
    ("nv2a/serpent", 1),
];

/// A pixel differs if one of its channels is further apart than this, of 255.
const APART: u8 = 2;
/// Each scene, drawn by the device and by the rasterizer, one sample a pixel. What differs goes to `target/gpu`.
pub(crate) fn scenes(given: &Given<'_>) -> Report {
    let mut report = Report::default();
    let mut shares = Vec::new();
    for &(name, may_differ) in SCENES {
        let file = root().join("examples").join(format!("{name}.scene.json"));
        match compare(given.gpu, &file) {
            Ok(comparison) => {
                let Comparison { differ, pixels, .. } = comparison;
                shares.push(format!("{name} {:.2}", differ as f64 * 1000.0 / pixels as f64));
                if differ * 1000 > pixels * may_differ {
                    let why = comparison.keep(name).err().unwrap_or_default();
                    report
                        .wrong
                        .push(format!("{name}: {differ} of {pixels} pixels differ; see target/gpu {why}"));
                }
            }
            Err(why) => report.wrong.push(format!("{name}: {why}")),
        }
    }
    report.compared = format!("{} scenes, ‰ of pixels that differ: {}", shares.len(), shares.join(", "));
    report
}

struct Comparison {
    ours: Picture,
    theirs: Picture,
    differ: usize,
    pixels: usize,
}

impl Comparison {
    /// Writes both pictures to files.
    fn keep(&self, name: &str) -> Result<(), String> {
        let folder = root().join("target/gpu");
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        for (picture, whose) in [(&self.ours, "rasterizer"), (&self.theirs, "device")] {
            let path = folder.join(format!("{}-{whose}.png", name.replace('/', "-")));
            let file = std::fs::File::create(path).map_err(|e| e.to_string())?;
            let mut encoder = png::Encoder::new(file, picture.width, picture.height);
            encoder.set_color(png::ColorType::Rgba);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
            writer.write_image_data(&picture.rgba8).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// The files of a folder, and the meaning of programs.
struct Folder(PathBuf);

impl Host for Folder {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let code = std::str::from_utf8(code).map_err(|e| format!("{name}: {e}"))?;
        let isa = if self.0.ends_with(Isa::Nv2a.name()) { Isa::Nv2a } else { Isa::Agal };
        let (program, findings) = AnyProgram::parse(isa, code, Some(stage.name()), None);
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        let mut options = LiftOptions::default();
        options.nv2a.numerics = Numerics::Nv20;
        options.nv2a.space = Space::Clip;
        options.nv2a.clamp = Clamp::All;
        program.lift(&options).map_err(|e| format!("{name}: {e}"))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        let isa = Isa::from_name(&vertex.isa);
        isa.and_then(|isa| isa.default_fragment(vertex, textured)).ok_or_else(|| "no fragment program".into())
    }
}

fn compare(gpu: &Gpu, file: &Path) -> Result<Comparison, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let mut json: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    json["antialias"] = 1.into();
    let folder = file.parent().unwrap_or(Path::new("."));
    let scene = Scene::read(json.to_string().as_bytes(), &mut Folder(folder.into()), None)
        .map_err(|e| e.to_string())?;
    let mut calls = Calls { clear: [0.0; 4], list: Vec::new(), refused: None };
    let ours = scene
        .render_watched(&Interp, Budget::default(), &mut |step| calls.note(step))
        .map_err(|e| e.to_string())?;
    if let Some(why) = calls.refused {
        return Err(why);
    }
    let theirs = draw(gpu, &calls, (ours.width, ours.height))?;
    let apart = |(a, b): (&[u8], &[u8])| a.iter().zip(b).take(3).any(|(a, b)| a.abs_diff(*b) > APART);
    let differ = ours.rgba8.chunks(4).zip(theirs.rgba8.chunks(4)).filter(|pair| apart(*pair)).count();
    let pixels = ours.rgba8.len() / 4;
    Ok(Comparison { ours, theirs, differ, pixels })
}

/// What a scene draws.
struct Calls {
    clear: [f32; 4],
    list: Vec<Call>,
    /// Something that is not drawn here.
    refused: Option<String>,
}

/// A draw call.
struct Call {
    written: Output,
    vertex: Side,
    fragment: Side,
    /// By attribute: the location, whether it is bits, and four lanes of each vertex.
    attributes: Vec<(u32, bool, Vec<[u32; 4]>)>,
    indices: Vec<u32>,
    instances: u32,
    state: State,
}

/// A shader and what it reads.
struct Side {
    shader: Shader,
    batch: Batch<'static>,
    textures: Vec<Option<(Texture, SamplerState)>>,
}

impl Side {
    fn of(bound: &Bound<'_>) -> Self {
        let owned = |t: &BoundTexture<'_>| (t.texture.clone(), t.sampler);
        Self {
            shader: bound.shader.clone(),
            batch: Batch { params: bound.params.clone(), states: bound.states.clone(), ..Batch::default() },
            textures: bound.textures.iter().map(|t| t.as_ref().map(owned)).collect(),
        }
    }
}

impl Calls {
    fn note(&mut self, step: Step<'_>) {
        match step {
            Step::Targets { textures: 0 } => {}
            Step::Targets { .. } => self.refused = Some("the scene draws into textures".into()),
            Step::Clear { color, .. } => self.clear = color.unwrap_or(self.clear),
            Step::Shaded(_) => {}
            Step::Draw(draw) => match call(draw) {
                Ok(call) => self.list.push(call),
                Err(why) => self.refused = Some(why),
            },
        }
    }
}

fn call(draw: &Draw<'_>) -> Result<Call, String> {
    if !draw.assembly.is_plain() {
        return Err("WGSL has no tessellation and geometry stages, and only triangles are drawn here".into());
    }
    let (vertex, fragment) = (draw.vertex.shader, draw.fragment.shader);
    let exact = vertex.isa == Isa::Nv2a.name();
    let mut options = Options::default();
    options.vertex.exact = exact;
    let written = write_pair(vertex, fragment, &options).map_err(|e| e.to_string())?;
    let count = draw.indices.iter().max().map_or(0, |most| *most as usize + 1);
    let mut attributes = Vec::new();
    for input in &vertex.inputs {
        let InputKind::Attribute { location } = input.kind else { continue };
        // What the module does not read is not declared.
        if !written.source.contains(&format!("@location({location}) {}: ", input.name)) {
            continue;
        }
        let fetched = |vertex: usize| match draw.streams.get(location as usize).and_then(Option::as_ref) {
            Some(s) => {
                let start = vertex * s.buffer.stride + s.offset;
                s.format.fetch(s.buffer.words.get(start..).unwrap_or(&[]))
            }
            None => [0, 0, 0, 1.0f32.to_bits()],
        };
        attributes.push((location, exact, (0..count).map(fetched).collect()));
    }
    Ok(Call {
        written,
        vertex: Side::of(&draw.vertex),
        fragment: Side::of(&draw.fragment),
        attributes,
        indices: draw.indices.to_vec(),
        instances: draw.instances,
        state: draw.state,
    })
}

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A pipeline with what is bound to it.
struct Ready {
    pipeline: wgpu::RenderPipeline,
    groups: Vec<wgpu::BindGroup>,
    vertices: Vec<wgpu::Buffer>,
    indices: wgpu::Buffer,
    count: u32,
    instances: u32,
}

fn draw(gpu: &Gpu, calls: &Calls, (width, height): (u32, u32)) -> Result<Picture, String> {
    let ready: Vec<Ready> = calls.list.iter().map(|call| prepare(gpu, call)).collect::<Result<_, _>>()?;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = |format, usage| {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        })
    };
    use wgpu::TextureUsages as U;
    let color = texture(COLOR, U::RENDER_ATTACHMENT | U::COPY_SRC);
    let depth = texture(DEPTH, U::RENDER_ATTACHMENT);
    let view = |t: &wgpu::Texture| t.create_view(&wgpu::TextureViewDescriptor::default());
    let (color_view, depth_view) = (view(&color), view(&depth));
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let [r, g, b, a] = calls.clear.map(f64::from);
        let store = wgpu::StoreOp::Store;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &color_view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }), store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        for ready in &ready {
            pass.set_pipeline(&ready.pipeline);
            for (at, group) in (0..).zip(&ready.groups) {
                pass.set_bind_group(at, group, &[]);
            }
            for (at, buffer) in (0..).zip(&ready.vertices) {
                pass.set_vertex_buffer(at, buffer.slice(..));
            }
            pass.set_index_buffer(ready.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..ready.count, 0, 0..ready.instances);
        }
    }
    // Rows are padded to 256 bytes.
    let row = (width * 4).next_multiple_of(256);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) };
    encoder.copy_texture_to_buffer(
        color.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        size,
    );
    gpu.checked(|| gpu.queue.submit([encoder.finish()]))?;
    let bytes = gpu.read(&buffer)?;
    let rgba8 = bytes.chunks(row as usize).flat_map(|r| r[..width as usize * 4].to_vec()).collect();
    Ok(Picture { width, height, rgba8 })
}

fn prepare(gpu: &Gpu, call: &Call) -> Result<Ready, String> {
    let module = gpu.module(&call.written.source)?;
    let bindings = &call.written.bindings;
    let layouts = gpu.layouts(bindings);
    let attribute = |&(location, bits, _): &(u32, bool, Vec<[u32; 4]>)| {
        [wgpu::VertexAttribute {
            format: if bits { wgpu::VertexFormat::Uint32x4 } else { wgpu::VertexFormat::Float32x4 },
            offset: 0,
            shader_location: location,
        }]
    };
    let attributes: Vec<[wgpu::VertexAttribute; 1]> = call.attributes.iter().map(attribute).collect();
    let buffers: Vec<_> = attributes
        .iter()
        .map(|attributes| {
            let step_mode = wgpu::VertexStepMode::Vertex;
            Some(wgpu::VertexBufferLayout { array_stride: 16, step_mode, attributes })
        })
        .collect();
    let state = &call.state;
    let component = wgpu::BlendComponent {
        src_factor: factor(state.source),
        dst_factor: factor(state.destination),
        operation: wgpu::BlendOperation::Add,
    };
    let [r, g, b, a] = state.color_mask;
    let mut write_mask = wgpu::ColorWrites::empty();
    for (on, channel) in [
        (r, wgpu::ColorWrites::RED),
        (g, wgpu::ColorWrites::GREEN),
        (b, wgpu::ColorWrites::BLUE),
        (a, wgpu::ColorWrites::ALPHA),
    ] {
        write_mask.set(channel, on);
    }
    let compilation_options = wgpu::PipelineCompilationOptions::default();
    let pipeline = gpu
        .checked(|| {
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layouts[0]), Some(&layouts[1])],
                immediate_size: 0,
            });
            gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("vertex_main"),
                    compilation_options: compilation_options.clone(),
                    buffers: &buffers,
                },
                primitive: wgpu::PrimitiveState {
                    front_face: wgpu::FrontFace::Cw,
                    cull_mode: match state.culling {
                        Face::Front => Some(wgpu::Face::Front),
                        Face::Back => Some(wgpu::Face::Back),
                        _ => None,
                    },
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH,
                    depth_write_enabled: Some(state.depth.write),
                    depth_compare: Some(comparison(state.depth.compare)),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("fragment_main"),
                    compilation_options,
                    targets: &[Some(wgpu::ColorTargetState {
                        format: COLOR,
                        blend: Some(wgpu::BlendState { color: component, alpha: component }),
                        write_mask,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
        })
        .map_err(|why| format!("{why}, in\n{}", call.written.source))?;
    let mut resources = Vec::with_capacity(bindings.len());
    for binding in bindings {
        let side = if binding.stage == Stage::Vertex { &call.vertex } else { &call.fragment };
        let texture = |slot: u32| side.textures.get(slot as usize).and_then(Option::as_ref);
        resources.push(match binding.kind {
            BindingKind::Texture { slot, .. } => {
                let (texture, _) = texture(slot).ok_or("a texture is missing")?;
                Resource::View(view(gpu, texture)?)
            }
            BindingKind::Sampler { slot, .. } => {
                let (_, state) = texture(slot).ok_or("a texture is missing")?;
                Resource::Sampler(sampler(gpu, *state))
            }
            _ => Resource::Buffer(contents(gpu, &side.shader, binding, &side.batch)?),
        });
    }
    let groups = gpu.groups(&layouts, bindings, |at, _| match resources.get(at) {
        Some(Resource::View(view)) => Ok(wgpu::BindingResource::TextureView(view)),
        Some(Resource::Sampler(sampler)) => Ok(wgpu::BindingResource::Sampler(sampler)),
        Some(Resource::Buffer(buffer)) => Ok(buffer.as_entire_binding()),
        None => Err("a binding without a resource".into()),
    })?;
    let vertices =
        call.attributes.iter().map(|(_, _, words)| gpu.buffer(&bytes(words), wgpu::BufferUsages::VERTEX));
    let indices: Vec<u8> = call.indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    Ok(Ready {
        pipeline,
        groups,
        vertices: vertices.collect(),
        indices: gpu.buffer(&indices, wgpu::BufferUsages::INDEX),
        count: call.indices.len() as u32,
        instances: call.instances,
    })
}

/// What a binding is.
enum Resource {
    View(wgpu::TextureView),
    Sampler(wgpu::Sampler),
    Buffer(wgpu::Buffer),
}

const fn factor(of: BlendFactor) -> wgpu::BlendFactor {
    use wgpu::BlendFactor as F;
    match of {
        BlendFactor::Zero => F::Zero,
        BlendFactor::One => F::One,
        BlendFactor::SourceColor => F::Src,
        BlendFactor::OneMinusSourceColor => F::OneMinusSrc,
        BlendFactor::SourceAlpha => F::SrcAlpha,
        BlendFactor::OneMinusSourceAlpha => F::OneMinusSrcAlpha,
        BlendFactor::DestinationColor => F::Dst,
        BlendFactor::OneMinusDestinationColor => F::OneMinusDst,
        BlendFactor::DestinationAlpha => F::DstAlpha,
        BlendFactor::OneMinusDestinationAlpha => F::OneMinusDstAlpha,
    }
}

const fn comparison(of: Compare) -> wgpu::CompareFunction {
    use wgpu::CompareFunction as F;
    match of {
        Compare::Always => F::Always,
        Compare::Never => F::Never,
        Compare::Less => F::Less,
        Compare::LessEqual => F::LessEqual,
        Compare::Equal => F::Equal,
        Compare::GreaterEqual => F::GreaterEqual,
        Compare::Greater => F::Greater,
        Compare::NotEqual => F::NotEqual,
    }
}

/// A texture of f32 on the device, with all its levels.
fn view(gpu: &Gpu, texture: &Texture) -> Result<wgpu::TextureView, String> {
    use wgpu::util::{DeviceExt as _, TextureDataOrder};
    let [width, height, _] = texture.size(0).ok_or("an empty texture")?;
    let cube = texture.dim() == Dim::Cube;
    let layers = if cube { 6 } else { 1 };
    let levels = texture.level_count();
    let mut data = Vec::new();
    for level in 0..levels {
        data.extend(bytes(texture.texels(level)));
    }
    let made = gpu.checked(|| {
        let descriptor = wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
            mip_level_count: levels,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        };
        gpu.device.create_texture_with_data(&gpu.queue, &descriptor, TextureDataOrder::MipMajor, &data)
    })?;
    let dimension = cube.then_some(wgpu::TextureViewDimension::Cube);
    Ok(made.create_view(&wgpu::TextureViewDescriptor { dimension, ..wgpu::TextureViewDescriptor::default() }))
}

fn sampler(gpu: &Gpu, state: SamplerState) -> wgpu::Sampler {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        _ => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |filter: Filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: wrap(state.wrap_u),
        address_mode_v: wrap(state.wrap_v),
        address_mode_w: wrap(state.wrap_w),
        mag_filter: filter(state.mag),
        min_filter: filter(state.min),
        mipmap_filter: match state.mip {
            Mip::Linear => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        lod_max_clamp: if state.mip == Mip::None { 0.0 } else { 32.0 },
        ..wgpu::SamplerDescriptor::default()
    })
}
