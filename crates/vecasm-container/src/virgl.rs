//! Streams of commands of virgl, which carry TGSI as text.
//!
//! Guests send packets to virglrenderer, which dumps them as `buffer_….seed` without the header of 4096 bytes in front of a
//! transfer. A shader is a text, in one packet or in several. The layout is public knowledge from virglrenderer's protocol.

use crate::container::{Detail, Edited, Edits, Entry, Kind, Parsed, Part, Patch, patched};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::format::word;
use crate::{Budget, Container, rules};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::ir::Stage;

/// What a stream says beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commands {
    /// How many packets it has.
    pub packets: usize,
    /// The shaders, one for each entry.
    pub shaders: Vec<Shader>,
}

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// Its handle, by which other commands name it.
    pub handle: u32,
    /// Its stage.
    pub stage: Stage,
    /// How many tokens the host has room for.
    pub tokens: u32,
    /// How many bytes the text has, the zero at its end included.
    pub size: u32,
    /// How many outputs are captured.
    pub outputs: u32,
    /// The packets that carry it.
    packets: Vec<Packet>,
}

/// A packet with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Packet {
    range: Range<usize>,
    text: Range<usize>,
}

const CREATE_OBJECT: u32 = 1;
const SHADER: u32 = 4;
/// The types of shaders, in order.
const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::Fragment, Stage::Geometry, Stage::TessControl, Stage::TessEval, Stage::Compute];
/// What texts begin with.
const HEADS: [&[u8]; 5] = [b"VERT", b"FRAG", b"GEOM", b"TESS", b"COMP"];
/// More commands and kinds of objects are not defined.
const COMMANDS: u32 = 64;
const OBJECTS: u32 = 32;
/// The most outputs that are captured.
const OUTPUTS: u32 = 64;
/// The bit of an offset that says that the text goes on.
const CONTINUED: u32 = 1 << 31;
/// The words of a shader in front of the outputs.
const WORDS: usize = 5;
/// The most words of a packet.
const MOST: usize = 0xFFFF;
/// So many packets are looked at to tell a stream.
const LOOK: usize = 0x1_0000;

/// The command, the object and the number of words that the first word of a packet says.
const fn header(word: u32) -> (u32, u32, usize) {
    (word & 0xFF, word >> 8 & 0xFF, (word >> 16) as usize)
}

/// Whether the first bytes of a file are packets, one of which has a shader.
pub(crate) fn is_stream(bytes: &[u8], size: u64) -> bool {
    let word = |at| word(bytes, at);
    let mut at = 0;
    for _ in 0..LOOK {
        let Some((command, object, words)) = word(at).map(header) else { return false };
        let end = at + 4 + 4 * words;
        if command >= COMMANDS || object >= OBJECTS || end as u64 > size {
            return false;
        }
        if command == CREATE_OBJECT && object == SHADER {
            let (Some(kind), Some(outputs)) = (word(at + 8), word(at + 20)) else { return false };
            let skipped =
                if kind != 5 && (1..=OUTPUTS).contains(&outputs) { 4 + 2 * outputs as usize } else { 0 };
            let text = bytes.get(at + 4 + 4 * (WORDS + skipped)..).unwrap_or_default();
            return (kind as usize) < STAGES.len() && HEADS.iter().any(|head| text.starts_with(head));
        }
        at = end;
    }
    false
}

/// A shader while its packets come.
struct PartialShader {
    shader: Shader,
    /// How many bytes of text came.
    sent: usize,
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Parsed> {
    let mut from = Cursor::new(bytes, budget.limits);
    let mut shaders: Vec<PartialShader> = Vec::new();
    // The last shader of each handle.
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    let mut packets = 0;
    while from.left() > 0 {
        let start = from.pos();
        let (command, object, words) = header(from.u32(format_args!("packet {packets}"))?);
        if command >= COMMANDS {
            return Err(wrong(start, format_args!("the command of packet {packets}"), command));
        }
        let content = from.range(4 * words, format_args!("packet {packets}"))?;
        packets += 1;
        if command != CREATE_OBJECT || object != SHADER {
            continue;
        }
        let mut packet = Cursor::new(&bytes[..content.end], budget.limits).at(content.start, "a shader")?;
        let what = "a shader";
        let handle = packet.u32(what)?;
        let kind = packet.u32(what)?;
        let offset = packet.u32(what)?;
        let tokens = packet.u32(what)?;
        let outputs = packet.u32(what)?;
        let Some(&stage) = STAGES.get(kind as usize) else {
            return Err(wrong(content.start + 4, "the type of a shader", kind));
        };
        if offset & CONTINUED != 0 {
            let sent = (offset & !CONTINUED) as usize;
            let growing = last.get(&handle).and_then(|&n| shaders.get_mut(n));
            let Some(growing) = growing.filter(|growing| growing.sent == sent) else {
                return Err(wrong(content.start + 8, "the offset of a text", sent));
            };
            let text = packet.range(packet.left(), what)?;
            growing.sent += text.len();
            growing.shader.packets.push(Packet { range: start..content.end, text });
            continue;
        }
        // Of compute shaders the word is the size of local memory.
        let outputs = if stage == Stage::Compute { 0 } else { outputs };
        if outputs > OUTPUTS {
            return Err(wrong(content.start + 16, "the number of captured outputs", outputs));
        }
        if outputs > 0 {
            packet.take(4 * (4 + 2 * outputs as usize), "the captured outputs")?;
        }
        let text = packet.range(packet.left(), what)?;
        last.insert(handle, shaders.len());
        let sent = text.len();
        let packets = Vec::from([Packet { range: start..content.end, text }]);
        shaders.push(PartialShader {
            shader: Shader { handle, stage, tokens, size: offset, outputs, packets },
            sent,
        });
    }
    let (mut entries, mut joined, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    for PartialShader { shader, sent } in &shaders {
        let number = numbers.entry(shader.handle).or_default();
        *number += 1;
        let address = match number {
            1 => format!("shader{}", shader.handle),
            n => format!("shader{}#{n}", shader.handle),
        };
        if shader.size as usize > *sent {
            let message = format!("{address} says {} bytes, and there are {sent}", shader.size);
            let place = at(shader.packets[0].range.start);
            findings.push(rules::SIZE.finding(message).at(place));
        }
        let end = |text: &[u8]| text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        let part = if let [one] = &*shader.packets {
            Part::File(one.text.start..one.text.start + end(&bytes[one.text.clone()]))
        } else {
            budget.take_unpacked(*sent, *sent)?;
            let start = joined.len();
            for packet in &shader.packets {
                joined.extend_from_slice(&bytes[packet.text.clone()]);
            }
            let range = start..start + end(&joined[start..]);
            joined.truncate(range.end);
            Part::Unpacked { buffer: 0, range }
        };
        entries.push(Entry { stage: Some(shader.stage), ..Entry::new(address, Kind::File, part) });
    }
    let shaders = shaders.into_iter().map(|growing| growing.shader).collect();
    let detail = Detail::Virgl(Box::new(Commands { packets, shaders }));
    Ok(Parsed { entries, unpacked: Vec::from([joined]), detail, findings })
}

pub(crate) fn write(container: &Container<'_>, edits: &Edits<'_>) -> Result<Edited> {
    let file = container.file();
    let Detail::Virgl(commands) = container.detail() else {
        return Ok(Edited { bytes: file.to_vec(), findings: Vec::new() });
    };
    let mut patches = Vec::new();
    for (&n, new) in edits {
        let shader = &commands.shaders[n];
        let mut all = shader.packets.iter();
        let Some(first) = all.next() else { continue };
        let new = &new[..new.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)];
        if let Some(zero) = new.iter().position(|&byte| byte == 0) {
            let message = format!("a text with a zero in it, at byte {zero}, would end there");
            return Err(rules::FIT.finding(message).at(at(first.range.start)));
        }
        let Some(size) = u32::try_from(new.len() + 1).ok().filter(|size| size & CONTINUED == 0) else {
            let message = format!("{} bytes do not fit a shader: 2 GiB are the most", new.len());
            return Err(rules::FIT.finding(message).at(at(first.range.start)));
        };
        let mut text = new.to_vec();
        text.resize((new.len() + 1).next_multiple_of(4), 0);
        let tokens = shader.tokens.max(tokens_of(new));
        let word = |at: usize| &file[at..at + 4];
        let head = first.range.start + 4;
        // The words of the first packet behind the common ones: the captured outputs.
        let outputs = &file[head + 4 * WORDS..first.text.start];
        // Texts that were split stay split at the same length.
        let most = match shader.packets.len() {
            1 => 4 * (MOST - WORDS) - outputs.len(),
            _ => first.text.len().max(4),
        };
        let mut out = Vec::new();
        let mut sent = 0;
        while sent < text.len() {
            let outputs = if sent == 0 { outputs } else { &[] };
            let rest = &text[sent..];
            let rest = &rest[..rest.len().min(if sent == 0 { most } else { most.min(4 * (MOST - WORDS)) })];
            let words = WORDS + (outputs.len() + rest.len()) / 4;
            let word_0 = CREATE_OBJECT | SHADER << 8 | (words as u32) << 16;
            out.extend_from_slice(&word_0.to_le_bytes());
            out.extend_from_slice(&file[head..head + 8]);
            let offset = if sent == 0 { size } else { CONTINUED | sent as u32 };
            out.extend_from_slice(&offset.to_le_bytes());
            out.extend_from_slice(&tokens.to_le_bytes());
            out.extend_from_slice(if sent == 0 { word(head + 16) } else { &[0; 4] });
            out.extend_from_slice(outputs);
            out.extend_from_slice(rest);
            sent += rest.len();
        }
        patches.push(Patch { range: first.range.clone(), bytes: out });
        patches.extend(all.map(|packet| Patch { range: packet.range.clone(), bytes: Vec::new() }));
    }
    Ok(Edited { bytes: patched(file, patches), findings: Vec::new() })
}

/// How many tokens a text makes, as far as it can be read.
fn tokens_of(text: &[u8]) -> u32 {
    use vecasm_isa::tgsi::{bytes, text as tgsi};
    let text = core::str::from_utf8(text).unwrap_or_default();
    let program = tgsi::parse(text, &tgsi::ParseOptions::tolerant()).0;
    program.map_or(0, |program| u32::try_from(bytes::encode(&program).len() / 4).unwrap_or(u32::MAX))
}
