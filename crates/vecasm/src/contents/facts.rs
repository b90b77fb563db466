//! What headers say, and what containers say of their entries, in words.

use super::others::{SAMPLER, fields_of, rage_type};
use super::{Fact, State};
use crate::container::{Container, Detail, Part, dxbc, mgfx, pe, rgxa, swf, vcs, xbe, zip};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Display;
use core::ops::Range;

fn fact(name: &'static str, value: &dyn Display) -> Fact {
    Fact { name, value: value.to_string() }
}

/// A list as one fact, unless it is empty.
fn listed(name: &'static str, list: impl IntoIterator<Item = String>) -> Option<Fact> {
    let list: Vec<String> = list.into_iter().collect();
    (!list.is_empty()).then(|| Fact { name, value: list.join(", ") })
}

/// What the header of a container says.
pub(super) fn of(container: &Container<'_>) -> Vec<Fact> {
    match container.detail() {
        Detail::Fx2(effect) => {
            let wrapped = effect.wrapper.as_ref().map(|words| {
                let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
                fact("wrapper", &format_args!("XNA, {}", words.join(" ")))
            });
            wrapped.into_iter().collect()
        }
        Detail::Xnb(asset) => {
            let mut out = Vec::from([
                fact("platform", &asset.platform),
                fact("version", &asset.version),
                fact("packing", &asset.packing),
            ]);
            out.extend(asset.content().map(|content| fact("content", &content)));
            out
        }
        Detail::Mgfx(effect) => of_monogame(effect),
        Detail::Dxbc(blob) => Vec::from([fact(
            "chunks",
            &blob.chunks.iter().map(dxbc::Chunk::name).collect::<Vec<_>>().join(" "),
        )]),
        Detail::Vcs(combos) => of_combos(combos),
        Detail::Swf(movie) => of_movie(movie),
        Detail::Xbe(image) => of_program_of_the_xbox(image),
        Detail::Pe(image) => of_executable(image),
        Detail::Sdp(package) => {
            Vec::from([fact("data", &format_args!("{} bytes, as the header says", package.data_bytes))])
        }
        Detail::Virgl(commands) => Vec::from([fact("packets", &commands.packets)]),
        Detail::Zip(archive) => Vec::from([fact("members", &archive.members.len())]),
        Detail::Rgxa(effect) => {
            let globals = effect.globals.iter().map(|parameter| parameter.name.clone());
            listed("globals", globals).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn of_monogame(effect: &mgfx::Effect) -> Vec<Fact> {
    let profile = match effect.profile {
        0 => "0, OpenGL".to_string(),
        1 => "1, Direct3D 11".to_string(),
        80 => "80, Vulkan".to_string(),
        other => other.to_string(),
    };
    let mut out = Vec::from([
        fact("version", &effect.version),
        fact("profile", &profile),
        fact("key", &format_args!("{:#010x}", effect.key)),
    ]);
    let buffers = effect.buffers.iter().enumerate().map(|(n, buffer)| {
        let fields = buffer
            .fields
            .iter()
            .map(|(parameter, offset)| format!("{} at {offset}", name_of(effect, *parameter)));
        let fields: Vec<String> = fields.collect();
        let name = buffer
            .name
            .as_deref()
            .filter(|name| !name.is_empty())
            .map_or_else(String::new, |name| format!(" {name}"));
        format!("{n}{name} ({} bytes: {})", buffer.bytes, fields.join(", "))
    });
    out.extend(listed("buffers", buffers));
    out
}

/// The name of a parameter of an effect of MonoGame, or its number.
fn name_of(effect: &mgfx::Effect, parameter: u32) -> String {
    match effect.parameters.get(parameter as usize) {
        Some(parameter) if !parameter.name.is_empty() => parameter.name.clone(),
        _ => format!("parameter {parameter}"),
    }
}

fn of_combos(combos: &vcs::Combos) -> Vec<Fact> {
    let unverified = if combos.version == 1 { ", whose layout no file has confirmed" } else { "" };
    let mut out = Vec::from([
        fact("version", &format_args!("{}{unverified}", combos.version)),
        fact(
            "combos",
            &format_args!("{}, of which {} dynamic for each static one", combos.total, combos.dynamic),
        ),
        fact("flags", &format_args!("{:#x}", combos.flags)),
        fact("centroids", &format_args!("{:#x}", combos.centroids)),
    ]);
    out.extend(combos.source_crc32.map(|crc32| fact("source", &format_args!("crc32 {crc32:#010x}"))));
    out.extend(listed("aliases", combos.aliases.iter().map(|(id, of)| format!("static{id} = static{of}"))));
    out
}

fn of_movie(movie: &swf::Movie) -> Vec<Fact> {
    let mut out = Vec::from([
        fact("version", &movie.version),
        fact("packing", &movie.packing),
        fact("length", &format_args!("{} bytes unpacked", movie.length)),
        fact("tags", &movie.tags.len()),
    ]);
    out.extend(listed("symbols", movie.symbols.iter().map(|(id, name)| format!("{id} = {name}"))));
    for code in &movie.code {
        let name = if code.name.is_empty() { "without a name" } else { &code.name };
        let place = format!("{} bytes at {:#x}", code.range.len(), code.range.start);
        let (methods, classes, strings) = (code.methods, code.classes, code.strings);
        let counts = format!("{methods} methods, {classes} classes, {strings} strings");
        out.push(fact("code", &format_args!("{name}: {place}, {counts}")));
        out.extend(listed("not joined", code.unused.iter().map(|text| format!("{:?}", text.trim_end()))));
    }
    out
}

fn of_program_of_the_xbox(image: &xbe::Image) -> Vec<Fact> {
    let mut out = Vec::from([
        fact("title", &image.title),
        fact("base", &format_args!("{:#x}", image.base)),
        fact("headers", &format_args!("{} bytes", image.headers)),
        fact("image", &format_args!("{} bytes in memory", image.memory)),
        fact("entry", &format_args!("{:#x}, with the key of its console", image.entry)),
    ]);
    out.extend(image.sections.iter().map(|section| {
        let kind = if section.is_executable() { "code" } else { "data" };
        let place = placed(&section.range, section.memory);
        let digest = if section.digest == [0; 20] { "no digest" } else { "with a digest" };
        fact(
            "section",
            &format_args!("{} at {:#x}, {kind}, {place}, {digest}", section.name, section.address),
        )
    }));
    out
}

/// Where a section is, and how many bytes it has in the file and in memory.
fn placed(file: &Range<usize>, memory: u32) -> String {
    match file.len() {
        0 => format!("{memory} bytes in memory alone"),
        len => format!("{len} bytes at {:#x}, {memory} in memory", file.start),
    }
}

fn of_executable(image: &pe::Image) -> Vec<Fact> {
    let machine = match image.machine {
        0x14C => "x86".to_string(),
        0x8664 => "x86-64".to_string(),
        0xAA64 => "ARM64".to_string(),
        other => format!("{other:#x}"),
    };
    let mut out = Vec::from([fact("machine", &machine)]);
    out.extend(image.sections.iter().map(|section| {
        let kind = if section.is_executable() { "code" } else { "data" };
        let place = placed(&section.range, section.memory);
        fact("section", &format_args!("{} at {:#x}, {kind}, {place}", section.name, section.address))
    }));
    out.extend((!image.resources.is_empty()).then(|| fact("resources", &image.resources.len())));
    out.extend((image.manifest > 0).then(|| fact("resources of .NET", &image.manifest)));
    out.extend(image.is_signed.then(|| fact("signature", &"Authenticode")));
    out.extend((image.checksum != 0).then(|| fact("checksum", &format_args!("{:#010x}", image.checksum))));
    out
}

/// What a container says of its entries.
pub(super) struct EntryFacts<'c> {
    container: &'c Container<'c>,
}

impl<'c> EntryFacts<'c> {
    pub(super) const fn of(container: &'c Container<'c>) -> Self {
        Self { container }
    }

    /// Of the entry of that number.
    pub(super) fn of_entry(&self, n: usize) -> Vec<Fact> {
        match self.container.detail() {
            Detail::Mgfx(effect) => {
                effect.shaders.get(n).map_or_else(Vec::new, |shader| of_shader(effect, shader))
            }
            // An entry for each chunk.
            Detail::Dxbc(blob) => {
                blob.level9.as_ref().filter(|level9| level9.chunk == n).map_or_else(Vec::new, of_level9)
            }
            Detail::Rgxa(effect) => {
                let mut programs = effect.vertex.iter().chain(&effect.pixel);
                let program = programs.find(|program| program.entry == Some(n));
                program.map_or_else(Vec::new, of_program)
            }
            Detail::Vcs(combos) => {
                let block = match &self.container.entries()[n].part {
                    Part::Unpacked { buffer, .. } => combos.blocks.get(*buffer).map(|block| (buffer, block)),
                    _ => None,
                };
                let words = block.map(|(n, block)| {
                    fact("block", &format_args!("{n}, {}, at {:#x}", block.packing.name(), block.range.start))
                });
                words.into_iter().collect()
            }
            Detail::Zip(archive) => archive.members.get(n).map_or_else(Vec::new, of_member),
            Detail::Virgl(commands) => commands.shaders.get(n).map_or_else(Vec::new, |shader| {
                let mut out = Vec::from([fact("tokens", &shader.tokens)]);
                out.extend(
                    (shader.outputs > 0)
                        .then(|| fact("captured", &format_args!("{} outputs", shader.outputs))),
                );
                out
            }),
            Detail::Pe(image) => image
                .resources
                .get(n)
                .map_or_else(Vec::new, |resource| Vec::from([fact("language", &resource.language)])),
            Detail::Xbe(image) => image
                .candidates
                .get(n)
                .map_or_else(Vec::new, |candidate| Vec::from([fact("slots", &candidate.slots)])),
            _ => Vec::new(),
        }
    }
}

/// What an attribute is for, by MonoGame's numbers.
const USAGES: [&str; 13] = [
    "Position",
    "Color",
    "TextureCoordinate",
    "Normal",
    "Binormal",
    "Tangent",
    "BlendIndices",
    "BlendWeight",
    "Depth",
    "Fog",
    "PointSize",
    "Sample",
    "TessellateFactor",
];

fn of_shader(effect: &mgfx::Effect, shader: &mgfx::Shader) -> Vec<Fact> {
    let samplers = shader.samplers.iter().map(|sampler| {
        let name = if sampler.name.is_empty() { "without a name" } else { &sampler.name };
        let states = sampler.state.map_or_else(Vec::new, |state| fields_of(&state, SAMPLER));
        let states: Vec<String> =
            states.iter().map(|State { name, value, .. }| format!(", {name} {value}")).collect();
        let kind = match sampler.kind {
            0 => "2D",
            1 => "cube",
            2 => "3D",
            3 => "1D",
            _ => "of another kind",
        };
        format!(
            "{name} ({kind}, texture slot {}, sampler slot {}, {}{})",
            sampler.texture,
            sampler.sampler,
            name_of(effect, sampler.parameter.into()),
            states.concat()
        )
    });
    let attributes = shader.attributes.iter().map(|attribute| {
        let usage = USAGES.get(usize::from(attribute.usage.0)).copied().unwrap_or("unknown");
        format!("{} ({usage} {})", attribute.name, attribute.usage.1)
    });
    let buffers = shader.buffers.iter().map(ToString::to_string);
    [listed("samplers", samplers), listed("buffers", buffers), listed("attributes", attributes)]
        .into_iter()
        .flatten()
        .collect()
}

fn of_level9(level9: &dxbc::Level9) -> Vec<Fact> {
    let constants = level9.constants.iter().map(|range| {
        let last = u32::from(range.to) + u32::from(range.count).saturating_sub(1);
        let to = if range.count > 1 { format!("c{}-c{last}", range.to) } else { format!("c{}", range.to) };
        format!("{to} (buffer {}, from register {})", range.buffer, range.first)
    });
    let [_, ints, bools, samplers, runtime] = level9.tables.map(|(count, _)| count);
    let others = [("ints", ints), ("bools", bools), ("samplers", samplers), ("set by runtime", runtime)];
    let others = others.into_iter().filter(|(_, count)| *count > 0);
    listed("constants", constants).into_iter().chain(others.map(|(name, count)| fact(name, &count))).collect()
}

fn of_program(program: &rgxa::Program) -> Vec<Fact> {
    let constants = program.constants.iter().map(|constant| {
        let register = if constant.ty == 6 { 's' } else { 'c' };
        format!("{} {} ({register}{})", rage_type(constant.ty), constant.name, constant.register)
    });
    listed("constants", constants).into_iter().collect()
}

fn of_member(member: &zip::Member) -> Vec<Fact> {
    let method = match member.method {
        0 => "stored".to_string(),
        8 => "deflated".to_string(),
        12 => "bzip2".to_string(),
        14 => "LZMA".to_string(),
        93 => "zstd".to_string(),
        other => format!("method {other}"),
    };
    let packed = if member.method == 0 { String::new() } else { format!(", {} bytes packed", member.packed) };
    let encrypted = if member.encrypted { ", encrypted" } else { "" };
    Vec::from([
        fact("packing", &format_args!("{method}{packed}{encrypted}")),
        fact("crc32", &format_args!("{:#010x}", member.crc32)),
    ])
}
