//! Compiled effects of MonoGame (MGFX).
//!
//! Versions 7 to 11 as MonoGame and its forks read them. The programs are GLSL, DXBC or SPIR-V; of those the DXBC may carry
//! programs of Direct3D 9 for feature level 9. How MonoGame computes the key under which it caches an effect is not published:
//! an edited file gets another one.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched, word_of};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::limits::exceeded;
use crate::{Address, Budget, Container, Format, rules};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::Stage;

/// An effect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// The version of the format, 7 to 11.
    pub version: u8,
    /// What the programs are for: 0 OpenGL, 1 Direct3D 11, 80 Vulkan.
    pub profile: u8,
    /// The key under which the effect is cached.
    pub key: u32,
    /// The constant buffers.
    pub buffers: Vec<Buffer>,
    /// The programs.
    pub shaders: Vec<Shader>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The techniques.
    pub techniques: Vec<Technique>,
    /// Whether the file ends as its version says.
    pub ends_well: bool,
    /// Where the effect ends.
    pub end: usize,
}

/// A constant buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buffer {
    /// Its name, which some profiles lack.
    pub name: Option<String>,
    /// Its size in bytes.
    pub bytes: u16,
    /// Which parameters stand at which offsets.
    pub fields: Vec<(u32, u16)>,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shader {
    /// Its stage.
    pub stage: Stage,
    /// Where it is in the file. The word before is its length.
    pub range: Range<usize>,
    /// The source and the entry point, in version 11.
    pub source: Option<(String, String)>,
    /// What it samples.
    pub samplers: Vec<Sampler>,
    /// The constant buffers that it reads.
    pub buffers: Vec<u8>,
    /// The attributes of a vertex program.
    pub attributes: Vec<Attribute>,
}

/// A sampler of a program.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// What it samples: 0 two dimensions, 1 a cube, 2 three dimensions, 3 one.
    pub kind: u8,
    /// The slot of the texture.
    pub texture: u8,
    /// The slot of the sampler.
    pub sampler: u8,
    /// How it samples, as the file has it: three address modes, a colour, a filter, anisotropy, level, bias.
    pub state: Option<[u8; 20]>,
    /// Its name.
    pub name: String,
    /// The parameter that is its texture.
    pub parameter: u8,
}

/// An attribute of a vertex program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The usage and its number.
    pub usage: (u8, u8),
    /// Its location.
    pub location: i16,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// 0 scalar, 1 vector, 2 matrix, 3 object, 4 structure.
    pub class: u8,
    /// 0 void, 1 bool, 2 int, 3 float, 4 string, 5 to 9 textures.
    pub base: u8,
    /// Its name.
    pub name: String,
    /// Its semantic.
    pub semantic: String,
    /// Rows and columns.
    pub size: (u8, u8),
    /// The elements of an array.
    pub elements: Vec<Parameter>,
    /// The members of a structure.
    pub members: Vec<Parameter>,
    /// The default, as words.
    pub value: Vec<u32>,
}

/// A technique.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Technique {
    /// Its name.
    pub name: String,
    /// Its passes.
    pub passes: Vec<Pass>,
}

/// A pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// Its name.
    pub name: String,
    /// The number of the vertex program.
    pub vertex: Option<u32>,
    /// The number of the pixel program.
    pub pixel: Option<u32>,
    /// The state of blending, 18 bytes, as the file has it.
    pub blend: Option<Vec<u8>>,
    /// The state of depth and stencil, 25 bytes.
    pub depth: Option<Vec<u8>>,
    /// The state of the rasterizer, 12 bytes.
    pub raster: Option<Vec<u8>>,
}

/// The profile of Vulkan.
const VULKAN: u8 = 80;

/// Where the cache key is.
const KEY: Range<usize> = 6..10;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Reader { from: Cursor::new(bytes, budget.limits), version: 0 };
    from.take(4, "the header")?;
    let version = from.u8("the version")?;
    if !(7..=11).contains(&version) {
        return Err(wrong(4, "the version", version));
    }
    from.version = version;
    let profile = from.u8("the profile")?;
    let key = from.u32("the key")?;
    let mut effect = Effect {
        version,
        profile,
        key,
        buffers: from.buffers(profile)?,
        shaders: from.shaders()?,
        parameters: from.parameters(0)?,
        techniques: from.techniques()?,
        ends_well: true,
        end: 0,
    };
    let mut findings = Vec::new();
    if version >= 9 {
        let tail = from.peek(4) == Some(b"MGFX");
        if tail {
            from.take(4, "the end")?;
        } else if version >= 10 {
            effect.ends_well = false;
            let message = "the signature at the end of the effect is missing";
            findings.push(rules::VALUE.finding(message).at(at(from.pos())));
        }
    }
    effect.end = from.pos();
    if from.left() > 0 {
        let message = format!("{} bytes follow the end of the effect", from.left());
        findings.push(rules::TRAILING.finding(message).at(at(from.pos())));
    }
    let entries = entries(&effect, bytes);
    Ok(Parsed::new(entries, Detail::Mgfx(Box::new(effect)), findings))
}

fn entries(effect: &Effect, bytes: &[u8]) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for (n, shader) in effect.shaders.iter().enumerate() {
        let code = bytes.get(shader.range.clone()).unwrap_or_default();
        let kind = if code.starts_with(b"DXBC") {
            Kind::Container(Format::Dxbc)
        } else if is_spirv(effect.profile, code) {
            Kind::Foreign(Cow::Borrowed("SPIR-V"))
        } else if core::str::from_utf8(code).is_ok() {
            Kind::Foreign(Cow::Borrowed("GLSL"))
        } else {
            Kind::Foreign(Cow::Borrowed("code of another kind"))
        };
        let mut entry = Entry::new(format!("shader{n}"), kind, Part::File(shader.range.clone()));
        entry.stage = Some(shader.stage);
        out.push(entry);
    }
    for (t, technique) in effect.techniques.iter().enumerate() {
        for (p, pass) in technique.passes.iter().enumerate() {
            let names = format!("{}/{}", Address::encode(&technique.name), Address::encode(&pass.name));
            for (n, step) in [(pass.vertex, "vs"), (pass.pixel, "ps")] {
                if let Some(entry) = n.and_then(|n| out.get_mut(n as usize)) {
                    entry.aliases.push(format!("technique{t}/pass{p}/{step}"));
                    entry.aliases.push(format!("{names}/{step}"));
                }
            }
        }
    }
    out
}

/// Whether code is SPIR-V, or for Vulkan and has it behind bindings.
fn is_spirv(profile: u8, code: &[u8]) -> bool {
    const MAGIC: &[u8] = &[3, 2, 0x23, 7];
    code.starts_with(MAGIC) || profile == VULKAN && code.chunks_exact(4).any(|word| word == MAGIC)
}

struct Reader<'a> {
    from: Cursor<'a>,
    version: u8,
}

impl<'a> core::ops::Deref for Reader<'a> {
    type Target = Cursor<'a>;

    fn deref(&self) -> &Cursor<'a> {
        &self.from
    }
}

impl core::ops::DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.from
    }
}

impl Reader<'_> {
    /// A count or an index: a byte before version 10, a word since. `None` for "none".
    fn index(&mut self, what: &str) -> Result<Option<u32>> {
        if self.version < 10 {
            let n = self.u8(what)?;
            return Ok((n != 255).then_some(n.into()));
        }
        let n = self.u32(what)?;
        Ok((n != u32::MAX).then_some(n))
    }

    /// How many things of at least `least` bytes follow.
    fn listed(&mut self, least: usize, what: &str) -> Result<usize> {
        let n = if self.version < 10 { self.u8(what)?.into() } else { self.u32(what)? };
        self.count(n, least, what)
    }

    fn string(&mut self, what: &str) -> Result<String> {
        let n = self.varint(what)? as usize;
        let n = self.name_length(n)?;
        Ok(String::from_utf8_lossy(self.take(n, what)?).into_owned())
    }

    fn buffers(&mut self, profile: u8) -> Result<Vec<Buffer>> {
        let named = self.version >= 8 || profile == 0;
        let mut out = Vec::new();
        for _ in 0..self.listed(3, "constant buffers")? {
            let name = if named { Some(self.string("a constant buffer")?) } else { None };
            let bytes = self.u16("a constant buffer")?;
            let mut fields = Vec::new();
            for _ in 0..self.listed(3, "parameters of a constant buffer")? {
                let parameter = self.index("a parameter")?.unwrap_or(u32::MAX);
                fields.push((parameter, self.u16("an offset")?));
            }
            out.push(Buffer { name, bytes, fields });
        }
        Ok(out)
    }

    fn shaders(&mut self) -> Result<Vec<Shader>> {
        let mut out = Vec::new();
        for n in 0..self.listed(8, "shaders")? {
            let stage = if self.u8("a shader")? != 0 { Stage::Vertex } else { Stage::Fragment };
            let source = match self.version {
                11 => Some((self.source()?, self.string("an entry point")?)),
                _ => None,
            };
            let len = self.size("the length of a shader")?;
            let range = self.range(len, format_args!("shader {n}"))?;
            let mut shader = Shader {
                stage,
                range,
                source,
                samplers: Vec::new(),
                buffers: Vec::new(),
                attributes: Vec::new(),
            };
            for _ in 0..self.u8("samplers")? {
                shader.samplers.push(self.sampler()?);
            }
            for _ in 0..self.u8("constant buffers")? {
                shader.buffers.push(self.u8("a constant buffer")?);
            }
            for _ in 0..self.u8("attributes")? {
                let name = self.string("an attribute")?;
                let usage = (self.u8("an attribute")?, self.u8("an attribute")?);
                let location = self.u16("an attribute")? as i16;
                shader.attributes.push(Attribute { name, usage, location });
            }
            out.push(shader);
        }
        Ok(out)
    }

    /// A text that is no name: as long as the file has it.
    fn source(&mut self) -> Result<String> {
        let n = self.varint("a source")? as usize;
        Ok(String::from_utf8_lossy(self.take(n, "a source")?).into_owned())
    }

    fn sampler(&mut self) -> Result<Sampler> {
        let (kind, texture, sampler) = (self.u8("a sampler")?, self.u8("a sampler")?, self.u8("a sampler")?);
        let mut state = None;
        if self.u8("a sampler")? != 0 {
            let mut bytes = [0; 20];
            bytes.copy_from_slice(self.take(20, "the state of a sampler")?);
            state = Some(bytes);
        }
        let name = self.string("the name of a sampler")?;
        Ok(Sampler { kind, texture, sampler, state, name, parameter: self.u8("a sampler")? })
    }

    fn annotations(&mut self) -> Result<()> {
        let place = self.pos();
        // No writer writes any, and no reader reads what would stand there.
        match self.index("annotations")? {
            Some(0) => Ok(()),
            n => Err(wrong(place, "the number of annotations", n.map_or(-1, i64::from))),
        }
    }

    fn parameters(&mut self, depth: usize) -> Result<Vec<Parameter>> {
        let most = self.limits().types;
        if depth > most {
            return Err(exceeded("a parameter in too many others", "types", most, "deep"));
        }
        let n = self.listed(7, "parameters")?;
        let mut out = Vec::new();
        for _ in 0..n {
            let (class, base) = (self.u8("a parameter")?, self.u8("a parameter")?);
            let (name, semantic) = (self.string("a parameter")?, self.string("a parameter")?);
            self.annotations()?;
            let size = (self.u8("a parameter")?, self.u8("a parameter")?);
            let (elements, members) = (self.parameters(depth + 1)?, self.parameters(depth + 1)?);
            let mut value = Vec::new();
            if elements.is_empty() && members.is_empty() && matches!(base, 1..=3) {
                for _ in 0..u32::from(size.0) * u32::from(size.1) {
                    value.push(self.u32("a default")?);
                }
            }
            out.push(Parameter { class, base, name, semantic, size, elements, members, value });
        }
        Ok(out)
    }

    fn techniques(&mut self) -> Result<Vec<Technique>> {
        let mut out = Vec::new();
        for _ in 0..self.listed(3, "techniques")? {
            let name = self.string("a technique")?;
            self.annotations()?;
            let mut passes = Vec::new();
            for _ in 0..self.listed(6, "passes")? {
                let name = self.string("a pass")?;
                self.annotations()?;
                let (vertex, pixel) = (self.index("a vertex shader")?, self.index("a pixel shader")?);
                let mut state = |len: usize| -> Result<Option<Vec<u8>>> {
                    let there = self.from.u8("the state of a pass")? != 0;
                    Ok(if there { Some(self.from.take(len, "the state of a pass")?.to_vec()) } else { None })
                };
                let (blend, depth, raster) = (state(18)?, state(25)?, state(12)?);
                passes.push(Pass { name, vertex, pixel, blend, depth, raster });
            }
            out.push(Technique { name, passes });
        }
        Ok(out)
    }
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let mut patches = Vec::new();
    for (&n, bytes) in edits {
        let range = container.entries()[n].part.range();
        patches.push(Patch::word(range.start - 4, word_of(bytes.len(), "a shader")?));
        patches.push(Patch { range: range.clone(), bytes: bytes.to_vec() });
    }
    let mut bytes = patched(file, patches);
    // Under the old key a program that caches effects would go on with the old one.
    let key = crc32fast::hash(&bytes[KEY.end..]);
    bytes[KEY].copy_from_slice(&key.to_le_bytes());
    Ok(Edited { bytes, findings: Vec::new() })
}
