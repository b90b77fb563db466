//! Compiled effects of Rockstar's games (`rgxa`), as Grand Theft Auto IV has them.
//!
//! The layout comes from one public reader (HlslDecompiler); no file of a game is public, so all of it is inferred. A length
//! stands twice in front of each program; why is not known. The first pixel shader is none.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::{Address, Budget, Container, rules};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// What an effect says beside its entries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// The vertex shaders.
    pub vertex: Vec<Program>,
    /// The pixel shaders. The first is none.
    pub pixel: Vec<Program>,
    /// Parameters that effects share.
    pub globals: Vec<Parameter>,
    /// Parameters of this effect.
    pub locals: Vec<Parameter>,
    /// Techniques.
    pub techniques: Vec<Technique>,
}

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// The parameters that it reads.
    pub constants: Vec<Constant>,
    /// The entry that has its code; nothing stands for no shader.
    pub entry: Option<usize>,
    /// The two lengths in front of the code.
    pub lengths: [u16; 2],
}

/// A parameter in registers of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type: 1 integer, 2 float, 5 float4, 6 sampler, 8 matrix of a bone, 9 matrix.
    pub ty: u8,
    /// The first register.
    pub register: u16,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its type, as in [`Constant`].
    pub ty: u8,
    /// Its elements.
    pub size: u8,
    /// Its name.
    pub name: String,
    /// Its semantic.
    pub semantic: String,
    /// Notes for tools.
    pub annotations: Vec<(String, Annotation)>,
    /// What it is set to at first, as words.
    pub default: Vec<u32>,
}

/// The value of a note.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// A number.
    Int(i32),
    /// A number with a fraction.
    Float(f32),
    /// A text.
    Text(String),
}

/// A technique.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Technique {
    /// Its name.
    pub name: String,
    /// Its passes.
    pub passes: Vec<Pass>,
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass {
    /// The number of its vertex shader.
    pub vertex: u8,
    /// The number of its pixel shader; 0 stands for none.
    pub pixel: u8,
    /// States and their values.
    pub states: Vec<(u32, u32)>,
}

/// The least bytes of a program: a count and two lengths.
const PROGRAM: usize = 5;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits).at(4, "the header")?;
    let (mut entries, mut findings) = (Vec::new(), Vec::new());
    let vertex = programs(&mut from, bytes, "vs", &mut entries, &mut findings)?;
    let pixel = programs(&mut from, bytes, "ps", &mut entries, &mut findings)?;
    let globals = parameters(&mut from)?;
    let locals = parameters(&mut from)?;
    let mut techniques = Vec::new();
    for n in 0..from.u8("the number of techniques")? {
        let name = text(&mut from, "the name of a technique")?;
        let mut passes = Vec::new();
        for m in 0..from.u8("the number of passes")? {
            let place = from.pos();
            let (vs, ps) = (from.u8("a pass")?, from.u8("a pass")?);
            for (number, programs, stage) in [(vs, &vertex, "vs"), (ps, &pixel, "ps")] {
                let Some(program) = programs.get(usize::from(number)) else {
                    let message =
                        format!("pass {m} of technique {n} has {stage}{number}, which is not there");
                    findings.push(rules::UNKNOWN.finding(message).at(at(place)));
                    continue;
                };
                let Some(entry) = program.entry.and_then(|n| entries.get_mut(n)) else { continue };
                let entry: &mut Entry = entry;
                if !name.is_empty() {
                    entry.aliases.push(format!("{}/pass{m}/{stage}", Address::encode(&name)));
                }
                entry.aliases.push(format!("technique{n}/pass{m}/{stage}"));
            }
            let mut states = Vec::new();
            for _ in 0..from.u8("the number of states")? {
                states.push((from.u32("a state")?, from.u32("the value of a state")?));
            }
            passes.push(Pass { vertex: vs, pixel: ps, states });
        }
        techniques.push(Technique { name, passes });
    }
    if from.left() > 0 {
        let message = format!("{} bytes follow the last technique", from.left());
        findings.push(rules::TRAILING.finding(message).at(at(from.pos())));
    }
    let effect = Effect { vertex, pixel, globals, locals, techniques };
    Ok(Parsed::new(entries, Detail::Rgxa(Box::new(effect)), findings))
}

/// A text behind its length, which counts a zero at its end.
fn text(from: &mut Cursor<'_>, what: &str) -> Result<String> {
    let n = from.u8(what)?;
    let bytes = from.take(n.into(), what)?;
    let bytes = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// The programs of a stage.
fn programs(
    from: &mut Cursor<'_>,
    bytes: &[u8],
    stage: &str,
    entries: &mut Vec<Entry>,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<Program>> {
    let count = from.u8("the number of programs")?;
    let mut out = Vec::new();
    for n in 0..from.count(count.into(), PROGRAM, "programs")? {
        let mut constants = Vec::new();
        for _ in 0..from.u8("the number of constants")? {
            let ty = from.u8("a constant")?;
            from.u8("a constant")?;
            let register = from.u16("a constant")?;
            constants.push(Constant { name: text(from, "the name of a constant")?, ty, register });
        }
        let place = from.pos();
        let lengths = [from.u16("the length of a program")?, from.u16("the length of a program")?];
        if lengths[0] != lengths[1] {
            let message = format!("{stage}{n} has two lengths, {} and {}", lengths[0], lengths[1]);
            let help = "the first is taken";
            findings.push(rules::SIZE.finding(message).at(at(place)).with_help(help));
        }
        let range = from.range(lengths[0].into(), format_args!("{stage}{n}"))?;
        let mut entry = None;
        if !range.is_empty() {
            let address = format!("{stage}{n}");
            let code = &bytes[range.clone()];
            let part = Part::File(range);
            entry = Some(entries.len());
            entries.push(match vecasm_isa::d3d9::bytes::looks_like(code) {
                true => Entry::of_tokens(address, part, code),
                false => Entry::new(address, Kind::Foreign("code of another kind".into()), part),
            });
        }
        out.push(Program { constants, entry, lengths });
    }
    Ok(out)
}

fn parameters(from: &mut Cursor<'_>) -> Result<Vec<Parameter>> {
    let mut out = Vec::new();
    for _ in 0..from.u8("the number of parameters")? {
        let (ty, size) = (from.u8("a parameter")?, from.u8("a parameter")?);
        let name = text(from, "the name of a parameter")?;
        let semantic = text(from, "a semantic")?;
        let mut annotations = Vec::new();
        for _ in 0..from.u8("the number of annotations")? {
            let name = text(from, "the name of an annotation")?;
            let place = from.pos();
            let value = match from.u8("the type of an annotation")? {
                0 => Annotation::Int(from.u32("an annotation")? as i32),
                1 => Annotation::Float(f32::from_bits(from.u32("an annotation")?)),
                2 => Annotation::Text(text(from, "an annotation")?),
                other => return Err(wrong(place, "the type of an annotation", other)),
            };
            annotations.push((name, value));
        }
        let mut default = Vec::new();
        for _ in 0..from.u8("the size of a default")? {
            default.push(from.u32("a default")?);
        }
        out.push(Parameter { ty, size, name, semantic, annotations, default });
    }
    Ok(out)
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let mut patches = Vec::new();
    for (&n, bytes) in edits {
        let entry = &container.entries()[n];
        let range = entry.part.range().clone();
        let Ok(len) = u16::try_from(bytes.len()) else {
            let message = format!("{} bytes do not fit {}", bytes.len(), entry.address);
            let help = "the length before it has 16 bits: 65,535 bytes are the most";
            return Err(rules::FIT.finding(message).with_help(help));
        };
        let [low, high] = len.to_le_bytes();
        patches.push(Patch { range: range.start - 4..range.start, bytes: Vec::from([low, high, low, high]) });
        patches.push(Patch { range, bytes: bytes.to_vec() });
    }
    Ok(Edited { bytes: patched(container.file(), patches), findings: Vec::new() })
}
