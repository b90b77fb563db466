//! A GPU, or lavapipe in its place.

use std::future::Future;
use vecasm::emit::wgsl::{Binding, BindingKind, Space};
use vecasm::ir::{Dim, Format, Scalar, Stage};
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

/// A device, ready for work.
#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// What it is called.
    pub(crate) name: String,
}

impl Gpu {
    /// Opens the adapter that `WGPU_ADAPTER_NAME` is a part of the name of, or without that variable a software one, so
    /// that results are the same everywhere.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(crate) fn open() -> Result<Self, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapters = wait(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let wanted = std::env::var("WGPU_ADAPTER_NAME").ok();
        let fits = |info: &wgpu::AdapterInfo| match &wanted {
            Some(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
            None => info.device_type == wgpu::DeviceType::Cpu,
        };
        let seen: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
        let Some(adapter) = adapters.into_iter().find(|a| fits(&a.get_info())) else {
            let wanted = wanted.as_deref().unwrap_or("a software implementation");
            return Err(format!("no Vulkan adapter is {wanted}; there are: [{}]", seen.join(", ")));
        };
        let info = adapter.get_info();
        // Textures of f32 are filtered, where that is possible.
        let filtered = adapter.features() & wgpu::Features::FLOAT32_FILTERABLE;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: filtered,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = wait(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
        Ok(Self { device, queue, name: format!("{} ({})", info.name, info.driver_info) })
    }

    /// Does something, and gives the error that the device found in it, if it did.
    pub(crate) fn checked<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        match wait(scope.pop()) {
            None => Ok(done),
            Some(error) => Err(error.to_string()),
        }
    }

    /// A module of WGSL.
    pub(crate) fn module(&self, source: &str) -> Result<wgpu::ShaderModule, String> {
        self.checked(|| {
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            })
        })
        .map_err(|why| format!("{why}, in\n{source}"))
    }

    /// A buffer with contents; an empty one gets 16 bytes, since WebGPU has no empty bindings.
    pub(crate) fn buffer(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let contents = if bytes.is_empty() { &[0; 16] } else { bytes };
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    /// The layouts of the groups 0 and 1 for what a module binds.
    pub(crate) fn layouts(&self, bindings: &[Binding]) -> [wgpu::BindGroupLayout; 2] {
        [0, 1].map(|group| {
            let entries: Vec<_> = bindings
                .iter()
                .filter(|b| b.group == group)
                .map(|b| wgpu::BindGroupLayoutEntry {
                    binding: b.binding,
                    visibility: match b.stage {
                        Stage::Vertex => wgpu::ShaderStages::VERTEX,
                        Stage::Fragment => wgpu::ShaderStages::FRAGMENT,
                        _ => wgpu::ShaderStages::COMPUTE,
                    },
                    ty: binding_type(b.kind),
                    count: None,
                })
                .collect();
            let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
            self.device.create_bind_group_layout(&descriptor)
        })
    }

    /// Both groups, with `resource` for each binding.
    pub(crate) fn groups<'a>(
        &self,
        layouts: &[wgpu::BindGroupLayout; 2],
        bindings: &'a [Binding],
        resource: impl Fn(usize, &'a Binding) -> Result<wgpu::BindingResource<'a>, String>,
    ) -> Result<Vec<wgpu::BindGroup>, String> {
        let mut groups = Vec::new();
        for (group, layout) in (0..).zip(layouts) {
            let mut entries = Vec::new();
            for (at, bound) in bindings.iter().enumerate().filter(|(_, b)| b.group == group) {
                let resource = resource(at, bound)?;
                entries.push(wgpu::BindGroupEntry { binding: bound.binding, resource });
            }
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
            groups.push(self.checked(|| self.device.create_bind_group(&descriptor))?);
        }
        Ok(groups)
    }

    /// The contents of a buffer that can be copied from.
    pub(crate) fn read(&self, from: &wgpu::Buffer) -> Result<Vec<u8>, String> {
        let there = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: from.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(from, 0, &there, 0, from.size());
        self.queue.submit([encoder.finish()]);
        let (send, receive) = std::sync::mpsc::channel();
        there.map_async(wgpu::MapMode::Read, .., move |done| drop(send.send(done)));
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
        receive.recv().map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        let bytes = there.get_mapped_range(..).map_err(|e| e.to_string())?;
        Ok(bytes.to_vec())
    }
}

/// Waits for a future.
fn wait<T>(future: impl Future<Output = T>) -> T {
    pollster::block_on(future)
}

/// What the layout says of a binding.
fn binding_type(kind: BindingKind) -> wgpu::BindingType {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let stored = |read_only| buffer(wgpu::BufferBindingType::Storage { read_only });
    match kind {
        BindingKind::Constants { space: Space::Storage, .. } => stored(true),
        BindingKind::Buffer { write, .. } => stored(!write),
        BindingKind::Image { dim, format, read, write, .. } => wgpu::BindingType::StorageTexture {
            access: match (read, write) {
                (true, true) => wgpu::StorageTextureAccess::ReadWrite,
                (true, false) => wgpu::StorageTextureAccess::ReadOnly,
                _ => wgpu::StorageTextureAccess::WriteOnly,
            },
            format: match format {
                Format::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
                Format::Rgba8Snorm => wgpu::TextureFormat::Rgba8Snorm,
                Format::Rgba8Uint => wgpu::TextureFormat::Rgba8Uint,
                Format::Rgba8Sint => wgpu::TextureFormat::Rgba8Sint,
                Format::Rgba16Uint => wgpu::TextureFormat::Rgba16Uint,
                Format::Rgba16Sint => wgpu::TextureFormat::Rgba16Sint,
                Format::Rgba16Float => wgpu::TextureFormat::Rgba16Float,
                Format::R32Uint => wgpu::TextureFormat::R32Uint,
                Format::R32Sint => wgpu::TextureFormat::R32Sint,
                Format::R32Float => wgpu::TextureFormat::R32Float,
                Format::Rg32Uint => wgpu::TextureFormat::Rg32Uint,
                Format::Rg32Sint => wgpu::TextureFormat::Rg32Sint,
                Format::Rg32Float => wgpu::TextureFormat::Rg32Float,
                Format::Rgba32Uint => wgpu::TextureFormat::Rgba32Uint,
                Format::Rgba32Sint => wgpu::TextureFormat::Rgba32Sint,
                // The writer gives no others.
                _ => wgpu::TextureFormat::Rgba32Float,
            },
            view_dimension: match dim {
                Dim::D1 => wgpu::TextureViewDimension::D1,
                Dim::D3 => wgpu::TextureViewDimension::D3,
                Dim::D2Array => wgpu::TextureViewDimension::D2Array,
                _ => wgpu::TextureViewDimension::D2,
            },
        },
        BindingKind::Texture { dim, scalar, compare, .. } => wgpu::BindingType::Texture {
            sample_type: match scalar {
                _ if compare => wgpu::TextureSampleType::Depth,
                Scalar::I32 => wgpu::TextureSampleType::Sint,
                Scalar::U32 => wgpu::TextureSampleType::Uint,
                _ => wgpu::TextureSampleType::Float { filterable: true },
            },
            view_dimension: match dim {
                Dim::D1 => wgpu::TextureViewDimension::D1,
                Dim::D3 => wgpu::TextureViewDimension::D3,
                Dim::Cube => wgpu::TextureViewDimension::Cube,
                Dim::CubeArray => wgpu::TextureViewDimension::CubeArray,
                Dim::D2Array => wgpu::TextureViewDimension::D2Array,
                _ => wgpu::TextureViewDimension::D2,
            },
            multisampled: dim.multisampled(),
        },
        BindingKind::Sampler { compare: true, .. } => {
            wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)
        }
        BindingKind::Sampler { .. } => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        _ => buffer(wgpu::BufferBindingType::Uniform),
    }
}

/// Words as the bytes of a buffer.
pub(crate) fn bytes(words: &[[u32; 4]]) -> Vec<u8> {
    words.iter().flatten().flat_map(|w| w.to_le_bytes()).collect()
}

/// The bytes of a buffer as words.
pub(crate) fn words(bytes: &[u8]) -> Vec<[u32; 4]> {
    let word = |b: &[u8]| b.try_into().map_or(0, u32::from_le_bytes);
    bytes.chunks_exact(16).map(|b| std::array::from_fn(|i| word(&b[i * 4..i * 4 + 4]))).collect()
}
