//! Running shaders on a GPU: compute shaders as they are, vertex shaders through
//! [`dispatch`](vecasm::opt::dispatch()).

use crate::gpu::{Gpu, bytes, words};
use vecasm::emit::wgsl::{Binding, BindingKind, Options, Output, write};
use vecasm::exec::Batch;
use vecasm::ir::{InputKind, Shader, State};
use vecasm::opt::{DISPATCH_GROUP, dispatch};

/// The outputs of a vertex shader, cell by cell, as the interpreter gives them.
///
/// # Errors
///
/// What could not be translated, or what the device said.
pub(crate) fn vertices(
    gpu: &Gpu,
    shader: &Shader,
    batch: &Batch<'_>,
    exact: bool,
) -> Result<Vec<Vec<[u32; 4]>>, String> {
    let compute = dispatch(shader)?;
    let mut options = Options::default();
    options.compute.exact = exact;
    let written = write(&compute, &options).map_err(|e| e.to_string())?;
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
    let mut buffers = compute_buffers(gpu, &compute, &written, &bound, [groups, 1, 1])?;
    let results = words(&buffers.pop().ok_or("no results")?);
    let cells = shader.outputs.len();
    Ok((0..cells).map(|cell| results.iter().skip(cell).step_by(cells).copied().collect()).collect())
}

/// Runs a compute shader that was written, and gives the contents of its buffers after that.
///
/// # Errors
///
/// What the device said.
pub(crate) fn compute_buffers(
    gpu: &Gpu,
    shader: &Shader,
    written: &Output,
    batch: &Batch<'_>,
    grid: [u32; 3],
) -> Result<Vec<Vec<u8>>, String> {
    let module = gpu.module(&written.source)?;
    let layouts = gpu.layouts(&written.bindings);
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
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
        .map_err(|why| format!("{why}, in\n{}", written.source))?;
    let mut buffers = Vec::with_capacity(written.bindings.len());
    for binding in &written.bindings {
        buffers.push(contents(gpu, shader, binding, batch)?);
    }
    let groups = gpu.groups(&layouts, &written.bindings, |at, _| {
        Ok(buffers.get(at).ok_or("a binding without a buffer")?.as_entire_binding())
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
            let at = written
                .bindings
                .iter()
                .position(|b| matches!(b.kind, BindingKind::Buffer { slot, of, .. } if (of, slot) == (buffer.kind, buffer.slot)));
            match at.and_then(|at| buffers.get(at)) {
                Some(there) => gpu.read(there),
                None => Ok(batch.buffers.get::<usize>(i).cloned().unwrap_or_default()),
            }
        })
        .collect()
}

/// A buffer with what a batch binds to constants, states or a buffer.
pub(crate) fn contents(
    gpu: &Gpu,
    shader: &Shader,
    binding: &Binding,
    batch: &Batch<'_>,
) -> Result<wgpu::Buffer, String> {
    use wgpu::BufferUsages as U;
    match binding.kind {
        BindingKind::Constants { elements, .. } => {
            // The defaults bind the arrays from 0 on.
            let given = batch.params.get(binding.binding as usize).map_or(&[][..], Vec::as_slice);
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
