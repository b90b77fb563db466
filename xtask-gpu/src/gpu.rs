//! A GPU, or lavapipe in its place.

use std::future::Future;
use vecasm::emit::options::{Binding, BindingKind, Space};
use vecasm::exec::texture::Texture;
use vecasm::ir::{Dim, Filter, Format, Mip, SamplerState, Scalar, Stage, Wrap};
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
        // Textures of f32 are filtered where that is possible; SPIR-V is handed on as it is.
        let wanted = wgpu::Features::FLOAT32_FILTERABLE
            | wgpu::Features::PASSTHROUGH_SHADERS
            | wgpu::Features::CLIP_DISTANCES
            | wgpu::Features::PRIMITIVE_INDEX
            | wgpu::Features::DEPTH32FLOAT_STENCIL8;
        let passes = adapter.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = wait(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
        let name = format!("{} ({})", info.name, info.driver_info);
        if !passes {
            return Err(format!("{name} takes no SPIR-V as it is"));
        }
        Ok(Self { device, queue, name })
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

    /// A module of SPIR-V with the entry point `main`, which the driver reads itself: wgpu looks at none of it.
    pub(crate) fn words(&self, words: &[u32]) -> Result<wgpu::ShaderModule, String> {
        let entry = wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (0, 0, 0) };
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            entry_points: vec![entry].into(),
            spirv: Some(words.into()),
            ..wgpu::ShaderModuleDescriptorPassthrough::default()
        };
        // SAFETY: what our writer gives is valid SPIR-V (spirv-val judges it in `cargo xtask validate`), asks before it
        // reads or writes memory, and the layouts are made of what the writer says that it binds.
        self.checked(|| unsafe { self.device.create_shader_module_passthrough(descriptor) })
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
                .filter(|b| b.place.group == group)
                .map(|b| wgpu::BindGroupLayoutEntry {
                    binding: b.place.binding,
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
            for (at, bound) in bindings.iter().enumerate().filter(|(_, b)| b.place.group == group) {
                let resource = resource(at, bound)?;
                entries.push(wgpu::BindGroupEntry { binding: bound.place.binding, resource });
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

/// A texture of f32 on the device, with all its levels.
///
/// # Errors
///
/// What the device said, or that there are no such textures in WebGPU.
pub(crate) fn texture(gpu: &Gpu, texture: &Texture) -> Result<wgpu::TextureView, String> {
    use wgpu::util::TextureDataOrder;
    let [width, height, depth] = texture.size(0).ok_or("an empty texture")?;
    let (layers, dimension, view) = match texture.dim() {
        Dim::D1 => (1, wgpu::TextureDimension::D1, wgpu::TextureViewDimension::D1),
        Dim::D2 => (1, wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2),
        Dim::D3 => (depth, wgpu::TextureDimension::D3, wgpu::TextureViewDimension::D3),
        Dim::Cube => (6, wgpu::TextureDimension::D2, wgpu::TextureViewDimension::Cube),
        Dim::D2Array => (texture.layers(), wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2Array),
        other => return Err(format!("{} textures are not bound here", other.name())),
    };
    // A row has no smaller levels in WebGPU.
    let levels = if dimension == wgpu::TextureDimension::D1 { 1 } else { texture.level_count() };
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
            dimension,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        };
        // Our textures hold all layers of a level, then those of the next one.
        gpu.device.create_texture_with_data(&gpu.queue, &descriptor, TextureDataOrder::MipMajor, &data)
    })?;
    let descriptor = wgpu::TextureViewDescriptor { dimension: Some(view), ..Default::default() };
    Ok(made.create_view(&descriptor))
}

/// A sampler on the device.
///
/// # Errors
///
/// What WebGPU has not.
pub(crate) fn sampler(gpu: &Gpu, state: &SamplerState) -> Result<wgpu::Sampler, String> {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Clamp => Ok(wgpu::AddressMode::ClampToEdge),
        Wrap::Repeat => Ok(wgpu::AddressMode::Repeat),
        Wrap::Mirror => Ok(wgpu::AddressMode::MirrorRepeat),
        other => Err(format!("{} is no way of WebGPU to wrap", other.name())),
    };
    let filter = |filter: Filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    let levels = state.mip != Mip::None;
    let descriptor = wgpu::SamplerDescriptor {
        address_mode_u: wrap(state.wrap_u)?,
        address_mode_v: wrap(state.wrap_v)?,
        address_mode_w: wrap(state.wrap_w)?,
        mag_filter: filter(state.mag),
        min_filter: filter(state.min),
        mipmap_filter: if state.mip == Mip::Linear {
            wgpu::MipmapFilterMode::Linear
        } else {
            wgpu::MipmapFilterMode::Nearest
        },
        lod_min_clamp: state.min_lod.get().max(0.0),
        lod_max_clamp: if levels { state.max_lod.get().min(32.0) } else { 0.0 },
        ..wgpu::SamplerDescriptor::default()
    };
    gpu.checked(|| gpu.device.create_sampler(&descriptor))
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
