//! Running shaders on a GPU: compute shaders as they are, vertex shaders through
//! [`dispatch`](vecasm::opt::dispatch()).

use crate::code::{Code, Language, compute};
use crate::gpu::{Gpu, bytes, sampler, texture, words};
use vecasm::emit::options::{Binding, BindingKind};
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::{InputKind, Shader, State};
use vecasm::opt::{DISPATCH_GROUP, dispatch};

/// The outputs of a vertex shader, cell by cell, as the interpreter gives them.
///
/// # Errors
///
/// What could not be translated, or what the device said.
pub(crate) fn vertices(
    gpu: &Gpu,
    language: Language,
    shader: &Shader,
    batch: &Batch<'_>,
    exact: bool,
) -> Result<Vec<Vec<[u32; 4]>>, String> {
    let dispatched = dispatch(shader)?;
    let code = compute(language, &dispatched, exact)?;
    let mut given = Vec::with_capacity(batch.count * shader.inputs.len());
    for vertex in 0..batch.count {
        for (input, list) in shader.inputs.iter().zip(&batch.inputs) {
            if matches!(input.kind, InputKind::Attribute { .. }) {
                given.push(list.get(vertex).copied().ok_or("an attribute is missing")?);
            }
        }
    }
    let empty = vec![[0; 4]; batch.count * shader.outputs.len()];
    let bound = Batch { buffers: vec![bytes(&given), bytes(&empty)], ..batch.clone() };
    let groups = (batch.count as u32).div_ceil(DISPATCH_GROUP);
    let mut buffers = compute_buffers(gpu, &dispatched, &code, &bound, [groups, 1, 1])?;
    let results = words(&buffers.pop().ok_or("no results")?);
    let cells = shader.outputs.len();
    Ok((0..cells).map(|cell| results.iter().skip(cell).step_by(cells).copied().collect()).collect())
}

/// What a binding is.
pub(crate) enum Resource {
    View(wgpu::TextureView),
    Sampler(wgpu::Sampler),
    Buffer(wgpu::Buffer),
}

impl Resource {
    /// What a batch binds there. Textures are those of the shader's table.
    pub(crate) fn of(
        gpu: &Gpu,
        shader: &Shader,
        binding: &Binding,
        batch: &Batch<'_>,
    ) -> Result<Self, String> {
        let bound = |fits: &dyn Fn(&vecasm::ir::Texture) -> bool| -> Result<BoundTexture<'_>, String> {
            let at = shader.textures.iter().position(fits);
            at.and_then(|at| batch.textures.get(at).copied().flatten())
                .ok_or_else(|| format!("no texture is bound to {}", binding.name))
        };
        Ok(match binding.kind {
            BindingKind::Texture { slot, dim, of, .. } => {
                let own = bound(&|of| of.slot == slot)?.texture;
                let stands_in = if dim == of { None } else { own.stand_in() };
                Self::View(texture(gpu, stands_in.as_ref().unwrap_or(own))?)
            }
            BindingKind::Sampler { slot, .. } => {
                Self::Sampler(sampler(gpu, &bound(&|of| of.sampler_slot == slot)?.sampler)?)
            }
            _ => Self::Buffer(contents(gpu, shader, binding, batch)?),
        })
    }

    /// How it is bound.
    pub(crate) fn bound(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::View(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
            Self::Buffer(buffer) => buffer.as_entire_binding(),
        }
    }
}

/// Runs a compute shader that was written, and gives the contents of its buffers after that.
///
/// # Errors
///
/// What the device said.
pub(crate) fn compute_buffers(
    gpu: &Gpu,
    shader: &Shader,
    code: &Code,
    batch: &Batch<'_>,
    grid: [u32; 3],
) -> Result<Vec<Vec<u8>>, String> {
    let entries = code.entries(gpu, &["main"])?;
    let [entry] = entries.as_slice() else { return Err("a compute shader is one entry point".into()) };
    let layouts = gpu.layouts(&code.bindings);
    let pipeline = gpu
        .checked(|| {
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layouts[0]), Some(&layouts[1])],
                immediate_size: 0,
            });
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&layout),
                module: &entry.module,
                entry_point: Some(entry.name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
        .map_err(|why| format!("{why}, in\n{}", code.shown()))?;
    let mut resources = Vec::with_capacity(code.bindings.len());
    for binding in &code.bindings {
        resources.push(Resource::of(gpu, shader, binding, batch)?);
    }
    let groups = gpu.groups(&layouts, &code.bindings, |at, _| {
        Ok(resources.get(at).ok_or("a binding without a resource")?.bound())
    })?;
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        for (at, group) in (0..).zip(&groups) {
            pass.set_bind_group(at, group, &[]);
        }
        let [x, y, z] = grid;
        pass.dispatch_workgroups(x, y, z);
    }
    gpu.queue.submit([encoder.finish()]);
    shader
        .buffers
        .iter()
        .zip(0..)
        .map(|(buffer, i)| {
            let at = code
                .bindings
                .iter()
                .position(|b| matches!(b.kind, BindingKind::Buffer { slot, of, .. } if (of, slot) == (buffer.kind, buffer.slot)));
            match at.and_then(|at| resources.get(at)) {
                Some(Resource::Buffer(there)) => gpu.read(there),
                _ => Ok(batch.buffers.get::<usize>(i).cloned().unwrap_or_default()),
            }
        })
        .collect()
}

/// A buffer with what a batch binds to constants, states or a buffer.
fn contents(
    gpu: &Gpu,
    shader: &Shader,
    binding: &Binding,
    batch: &Batch<'_>,
) -> Result<wgpu::Buffer, String> {
    use wgpu::BufferUsages as U;
    match binding.kind {
        BindingKind::Constants { elements, .. } => {
            // The defaults bind the arrays from 0 on.
            let given = batch.params.get(binding.place.binding as usize).map_or(&[][..], Vec::as_slice);
            let element = |i: u32| given.get(i as usize).copied().unwrap_or([0; 4]);
            let all: Vec<[u32; 4]> = (0..elements).map(element).collect();
            Ok(gpu.buffer(&bytes(&all), U::UNIFORM | U::STORAGE))
        }
        BindingKind::States { .. } => {
            let state =
                |(i, state): (usize, &State)| batch.states.get(i).copied().flatten().unwrap_or(state.default);
            let all: Vec<[u32; 4]> = shader.states.iter().enumerate().map(state).collect();
            Ok(gpu.buffer(&bytes(&all), U::UNIFORM))
        }
        BindingKind::Buffer { slot, of, .. } => {
            let at =
                shader.buffers.iter().position(|b| (b.kind, b.slot) == (of, slot)).ok_or("no such buffer")?;
            let given = batch.buffers.get(at).map_or(&[][..], Vec::as_slice);
            Ok(gpu.buffer(given, U::STORAGE | U::COPY_SRC))
        }
        _ => Err(format!("{} is no buffer", binding.name)),
    }
}
