//! What a scene draws, drawn by the device.

use super::calls::{Call, Calls};
use crate::code::{Code, Entry};
use crate::gpu::{Gpu, bytes};
use crate::run::Resource;
use vecasm::ir::{Primitive, Scalar, Stage};
use vecasm::render::Picture;
use vecasm::render::state::{BlendFactor, Compare, Face, StencilAction, StencilOps};

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32FloatStencil8;

/// A pipeline with what is bound to it.
struct Ready<'a> {
    call: &'a Call,
    pipeline: wgpu::RenderPipeline,
    groups: Vec<wgpu::BindGroup>,
    vertices: Vec<wgpu::Buffer>,
    indices: wgpu::Buffer,
}

/// The picture, by the code of each call.
///
/// # Errors
///
/// What the device said.
pub(super) fn draw(
    gpu: &Gpu,
    calls: &Calls,
    codes: &[Code],
    (width, height): (u32, u32),
) -> Result<Picture, String> {
    let ready: Vec<Ready<'_>> = calls
        .list
        .iter()
        .zip(codes)
        .map(|(call, code)| prepare(gpu, call, code))
        .collect::<Result<_, _>>()?;
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
                stencil_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0), store }),
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        for ready in &ready {
            let call = ready.call;
            pass.set_pipeline(&ready.pipeline);
            for (at, group) in (0..).zip(&ready.groups) {
                pass.set_bind_group(at, group, &[]);
            }
            for (at, buffer) in (0..).zip(&ready.vertices) {
                pass.set_vertex_buffer(at, buffer.slice(..));
            }
            let [near, far] = call.depth;
            let viewport = call.viewport;
            let all = [viewport.x, viewport.y, viewport.width, viewport.height].map(|n| n as f32);
            pass.set_viewport(all[0], all[1], all[2], all[3], near, far);
            let scissor = call.scissor;
            pass.set_scissor_rect(scissor.x, scissor.y, scissor.width, scissor.height);
            pass.set_stencil_reference(call.state.stencil.reference.into());
            pass.set_index_buffer(ready.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..call.indices.len() as u32, 0, 0..call.instances);
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

fn prepare<'a>(gpu: &Gpu, call: &'a Call, code: &Code) -> Result<Ready<'a>, String> {
    let entries = code.entries(gpu, &["vertex_main", "fragment_main"])?;
    let [vertex, fragment] = entries.as_slice() else { return Err("a pair is two entry points".into()) };
    let layouts = gpu.layouts(&code.bindings);
    let pipeline = pipeline(gpu, call, (vertex, fragment), &layouts)
        .map_err(|why| format!("{why}, in\n{}", code.shown()))?;
    let mut resources = Vec::with_capacity(code.bindings.len());
    for binding in &code.bindings {
        let side = if binding.stage == Stage::Vertex { &call.vertex } else { &call.fragment };
        resources.push(Resource::of(gpu, &side.shader, binding, &side.batch())?);
    }
    let groups = gpu.groups(&layouts, &code.bindings, |at, _| {
        Ok(resources.get(at).ok_or("a binding without a resource")?.bound())
    })?;
    let vertices = call.attributes.iter().map(|a| gpu.buffer(&bytes(&a.words), wgpu::BufferUsages::VERTEX));
    let indices: Vec<u8> = call.indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    Ok(Ready {
        call,
        pipeline,
        groups,
        vertices: vertices.collect(),
        indices: gpu.buffer(&indices, wgpu::BufferUsages::INDEX),
    })
}

fn pipeline(
    gpu: &Gpu,
    call: &Call,
    (vertex, fragment): (&Entry, &Entry),
    layouts: &[wgpu::BindGroupLayout; 2],
) -> Result<wgpu::RenderPipeline, String> {
    let attributes: Vec<[wgpu::VertexAttribute; 1]> = call
        .attributes
        .iter()
        .map(|attribute| {
            let format = match attribute.scalar {
                Scalar::U32 => wgpu::VertexFormat::Uint32x4,
                Scalar::I32 => wgpu::VertexFormat::Sint32x4,
                _ => wgpu::VertexFormat::Float32x4,
            };
            [wgpu::VertexAttribute { format, offset: 0, shader_location: attribute.location }]
        })
        .collect();
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
    gpu.checked(|| {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layouts[0]), Some(&layouts[1])],
            immediate_size: 0,
        });
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex.module,
                entry_point: Some(vertex.name),
                compilation_options: compilation_options.clone(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: match call.primitive {
                    Primitive::Points => wgpu::PrimitiveTopology::PointList,
                    Primitive::Lines => wgpu::PrimitiveTopology::LineList,
                    _ => wgpu::PrimitiveTopology::TriangleList,
                },
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
                stencil: wgpu::StencilState {
                    front: stencil(state.stencil.front),
                    back: stencil(state.stencil.back),
                    read_mask: state.stencil.read_mask.into(),
                    write_mask: state.stencil.write_mask.into(),
                },
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &fragment.module,
                entry_point: Some(fragment.name),
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

const fn stencil(of: StencilOps) -> wgpu::StencilFaceState {
    wgpu::StencilFaceState {
        compare: comparison(of.compare),
        fail_op: action(of.stencil_fail),
        depth_fail_op: action(of.depth_fail),
        pass_op: action(of.both_pass),
    }
}

const fn action(of: StencilAction) -> wgpu::StencilOperation {
    use wgpu::StencilOperation as O;
    match of {
        StencilAction::Keep => O::Keep,
        StencilAction::Zero => O::Zero,
        StencilAction::Set => O::Replace,
        StencilAction::IncrementSaturate => O::IncrementClamp,
        StencilAction::DecrementSaturate => O::DecrementClamp,
        StencilAction::Invert => O::Invert,
        StencilAction::IncrementWrap => O::IncrementWrap,
        StencilAction::DecrementWrap => O::DecrementWrap,
    }
}
