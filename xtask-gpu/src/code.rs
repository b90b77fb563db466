//! What the writers write, and the modules that a device makes of it.

use crate::gpu::Gpu;
use std::collections::BTreeMap;
use vecasm::emit::options::Binding;
use vecasm::emit::spirv::{self, Environment};
use vecasm::emit::wgsl;
use vecasm::ir::Shader;
use vecasm::isa::Isa;
use vecasm::opt::retype_for;

/// A language that is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// WGSL, which naga reads for wgpu.
    Wgsl,
    /// SPIR-V, which the driver reads itself.
    Spirv(Environment),
}

impl Language {
    /// Every one: SPIR-V of the oldest version, and of the newest, in which memory, demotion and more are said otherwise.
    pub(crate) const ALL: [Self; 3] =
        [Self::Wgsl, Self::Spirv(Environment::Vulkan10), Self::Spirv(Environment::Vulkan13)];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Spirv(Environment::Vulkan10) => "SPIR-V 1.0",
            Self::Spirv(_) => "SPIR-V 1.6",
        }
    }
}

/// One module or two, in their language.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// What has to be bound.
    pub(crate) bindings: Vec<Binding>,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// A text with all entry points.
    Wgsl(String),
    /// The words of each stage.
    Spirv(Vec<Vec<u32>>),
}

/// An entry point.
pub(crate) struct Entry {
    pub(crate) module: wgpu::ShaderModule,
    pub(crate) name: &'static str,
}

/// Writes a compute shader.
///
/// # Errors
///
/// The finding of the writer.
pub(crate) fn compute(language: Language, shader: &Shader, exact: bool) -> Result<Code, String> {
    match language {
        Language::Wgsl => {
            let mut options = wgsl::Options::default();
            options.compute.exact = exact;
            let written = wgsl::write(shader, &options).map_err(|e| e.to_string())?;
            Ok(Code { bindings: written.bindings, source: Source::Wgsl(written.source) })
        }
        Language::Spirv(environment) => {
            let mut options = spirv::Options { environment, ..spirv::Options::default() };
            options.compute.exact = exact;
            let written = spirv::write(shader, &options).map_err(|e| e.to_string())?;
            Ok(Code { bindings: written.bindings, source: Source::Spirv(vec![written.words]) })
        }
    }
}

/// Writes a pair, linked as its instruction set does that. `exact` concerns the vertex stage.
///
/// # Errors
///
/// The finding of the writer.
pub(crate) fn pair(
    language: Language,
    vertex: &Shader,
    fragment: &Shader,
    exact: bool,
) -> Result<Code, String> {
    let (mut vertex, mut fragment) = (vertex.clone(), fragment.clone());
    // One of the two may be a stage of our own.
    if let Some(isa) = fragment.isa.parse::<Isa>().ok().or(vertex.isa.parse::<Isa>().ok()) {
        isa.link(&mut vertex, &mut fragment);
    }
    vertex = retype_for(&vertex, &fragment).unwrap_or(vertex);
    match language {
        Language::Wgsl => {
            let mut options = wgsl::Options::default();
            options.vertex.exact = exact;
            let written = wgsl::write_pair(&vertex, &fragment, &options).map_err(|e| e.to_string())?;
            Ok(Code { bindings: written.bindings, source: Source::Wgsl(written.source) })
        }
        Language::Spirv(environment) => {
            let mut options = spirv::Options { environment, ..spirv::Options::default() };
            options.vertex.exact = exact;
            let mut bindings = Vec::new();
            let mut words = Vec::new();
            for shader in [&vertex, &fragment] {
                let written = spirv::write(shader, &options).map_err(|e| e.to_string())?;
                bindings.extend(written.bindings);
                words.push(written.words);
            }
            Ok(Code { bindings, source: Source::Spirv(words) })
        }
    }
}

impl Code {
    /// The entry points, in the order of the stages.
    ///
    /// # Errors
    ///
    /// What the device says.
    pub(crate) fn entries(&self, gpu: &Gpu, names: &[&'static str]) -> Result<Vec<Entry>, String> {
        match &self.source {
            Source::Wgsl(text) => {
                let module = gpu.module(text)?;
                Ok(names.iter().map(|&name| Entry { module: module.clone(), name }).collect())
            }
            Source::Spirv(stages) => stages
                .iter()
                .map(|words| Ok(Entry { module: gpu.words(&self.renumbered(words))?, name: "main" }))
                .collect(),
        }
    }

    /// The words with the numbers of bindings that wgpu gives to the layout of a set: those from 0 on, in the order of the
    /// numbers that it was given. All else is as it was written.
    fn renumbered(&self, words: &[u32]) -> Vec<u32> {
        const HEADER: usize = 5;
        const DECORATE: u32 = 71;
        const BINDING: u32 = 33;
        const SET: u32 = 34;
        let mut words = words.to_vec();
        let mut sets = BTreeMap::new();
        let mut bindings = Vec::new();
        let mut at = HEADER;
        while let Some(&first) = words.get(at) {
            if let (DECORATE, Some(&[id, decoration, number])) =
                (first & 0xffff, words.get(at + 1..at + 4).and_then(|w| w.first_chunk::<3>()))
            {
                match decoration {
                    SET => drop(sets.insert(id, number)),
                    BINDING => bindings.push((id, at + 3)),
                    _ => {}
                }
            }
            at += (first >> 16).max(1) as usize;
        }
        for (id, at) in bindings {
            let set = sets.get(&id).copied().unwrap_or_default();
            let below = |b: &&Binding| b.place.group == set && b.place.binding < words[at];
            words[at] = self.bindings.iter().filter(below).count() as u32;
        }
        words
    }

    /// For whoever has to see it: the text, or the number of words.
    pub(crate) fn shown(&self) -> String {
        match &self.source {
            Source::Wgsl(text) => text.clone(),
            Source::Spirv(stages) => {
                let counts: Vec<String> = stages.iter().map(|words| words.len().to_string()).collect();
                format!("SPIR-V of {} words", counts.join(" and "))
            }
        }
    }
}
