//! Made files of kinds that no peer reads: what they say of themselves, and what a reader written here from the facts finds.
//!
//! The rows say in words what is in a file, and the corpora of programs have the programs themselves. The readers here are as short
//! as the one file that they are for allows, and share nothing with the library's.

use super::{bytes, never_more, read, same};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use vecasm::Program;
use vecasm::container::rgxa::{self, Annotation};
use vecasm::container::scan::{Confidence, Hit, HitKind, Options, scan};
use vecasm::container::{Budget, Detail, Limits};
use vecasm::diag::Severity;
use vecasm::hash::{Algorithm, Digests, FileName, Verdict};
use vecasm::isa::Isa;
use vecasm::open::{Input, NoHost, OpenOptions};

/// Checks a file of one of these kinds against its row.
pub(super) fn made(shared: &Path, row: &Value, file: &[u8]) -> Result<(), String> {
    never_more(file)?;
    let inside = row["inside"].as_str().unwrap_or("");
    let name = row["file"].as_str().and_then(|file| file.rsplit('/').next()).unwrap_or("");
    match row["kind"].as_str().unwrap_or("") {
        "blob" => memory(inside, file),
        "virgl" => commands(shared, inside, file),
        "rgxa" => rage_effect(shared, inside, file),
        "xvu" if row["id"] == "xvu_bad_count_xvu" => bad_function(file),
        "xvu" => function(shared, inside, file),
        "dumps" => dump(inside, name, file),
        "text" | "log" => text(inside, name, file),
        "pushbuffer" => pushbuffer(inside, file),
        kind => Err(format!("nothing is known of files of the kind {kind}")),
    }
}

/// The first word of a text that is a number, in digits or in letters.
fn count_in(inside: &str) -> Option<usize> {
    inside.split(|c: char| !c.is_alphanumeric()).find_map(|word| match word {
        "one" => Some(1),
        "two" => Some(2),
        _ => word.parse().ok(),
    })
}

/// What a scan finds in a file, without warnings; all of it and what is certain.
fn hits(file: &[u8]) -> Result<(Vec<Hit>, Vec<Hit>), String> {
    let found = scan(file, &Options::default().with_unaligned(true), &mut Budget::new(Limits::DEFAULT));
    same("findings", found.findings.len(), 0)?;
    let certain = found.hits.iter().filter(|hit| hit.confidence == Confidence::Certain).cloned().collect();
    Ok((found.hits, certain))
}

fn programs(hits: &[Hit], isa: Isa) -> usize {
    hits.iter().filter(|hit| matches!(hit.what, HitKind::Program { isa: it, .. } if it == isa)).count()
}

/// A program of the corpora, by its name there.
fn of_corpus(shared: &Path, path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(shared.join("corpus").join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The words of a listing, as bytes: `0x00c3801b, …`.
fn words_of(listing: &[u8]) -> Vec<u8> {
    let listing = String::from_utf8_lossy(listing);
    let words = listing.split("0x").skip(1).filter_map(|word| {
        let end = word.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(word.len());
        u32::from_str_radix(&word[..end], 16).ok()
    });
    words.flat_map(u32::to_le_bytes).collect()
}

/// "raw memory with 3 D3D9 streams (unaligned) and one AGAL program"
fn memory(inside: &str, file: &[u8]) -> Result<(), String> {
    let (all, certain) = hits(file)?;
    same("programs of Direct3D", Some(programs(&certain, Isa::D3d9)), count_in(inside))?;
    same("programs of AGAL", programs(&certain, Isa::Agal), 1)?;
    same("hits", all.len(), certain.len())?;
    same("certain hits", certain.len(), 4)
}

/// "4 shaders: etnaviv__cube-companion-vert.vert.tgsi, …": each is the text of that name in the corpus.
fn commands(shared: &Path, inside: &str, file: &[u8]) -> Result<(), String> {
    let (all, _) = hits(file)?;
    let [hit] = &all[..] else { return Err(format!("{all:?}")) };
    same("place", &hit.range, &(0..file.len()))?;
    let container = read(file)?;
    let Detail::Virgl(commands) = container.detail() else { return Err("no commands".into()) };
    let words = inside.split([' ', ',']);
    let names: Vec<&str> = words.filter(|word| word.ends_with(".tgsi")).collect();
    same("names in the row", Some(names.len()), count_in(inside))?;
    same("shaders", container.entries().len(), names.len())?;
    for ((entry, shader), name) in container.entries().iter().zip(&commands.shaders).zip(names) {
        let ours = bytes(&container, entry)?;
        let theirs = of_corpus(shared, &format!("tgsi/programs/{name}"))?;
        let plain = |text: &[u8]| String::from_utf8_lossy(text).trim_end_matches(['\0', '\n']).to_string();
        same(name, plain(&ours), plain(&theirs))?;
        let stage = name.rsplit('.').nth(1);
        same(
            name,
            Some(&shader.stage.name()[..4]),
            stage.map(|stage| if stage == "vert" { "vert" } else { "frag" }),
        )?;
        let is_captured =
            inside.split(name).nth(1).is_some_and(|rest| rest.starts_with(" (with stream output"));
        same(&format!("{name}: outputs that are captured"), shader.outputs > 0, is_captured)?;
    }
    Ok(())
}

/// "2 vertex programs, null + 1 pixel program, globals, locals, 2 techniques". What is in it was read off the bytes by the layout that
/// the facts have; the programs are those of the corpus at these places.
fn rage_effect(shared: &Path, inside: &str, file: &[u8]) -> Result<(), String> {
    let (all, _) = hits(file)?;
    let [hit] = &all[..] else { return Err(format!("{all:?}")) };
    same("place", &hit.range, &(0..file.len()))?;
    let container = read(file)?;
    let Detail::Rgxa(effect) = container.detail() else { return Err("no effect".into()) };
    same("vertex programs", Some(effect.vertex.len()), count_in(inside))?;
    same("pixel programs", effect.pixel.len(), 2)?;
    same("null program", effect.pixel.first().and_then(|program| program.entry), None)?;
    let entries = [
        ("vs0", 49, "vs_1_1__irrlicht__d3d9_vsh.bin"),
        ("vs1", 406, "vs_2_0__frosthelper__bloomBlockVerts_cso_1e8.bin"),
        ("ps1", 745, "ps_1_1__irrlicht__d3d9_psh.bin"),
    ];
    same("entries", container.entries().len(), entries.len())?;
    for (entry, (address, offset, name)) in container.entries().iter().zip(entries) {
        same("address", &*entry.address, address)?;
        same(address, entry.part.range().start, offset)?;
        same(address, bytes(&container, entry)? == of_corpus(shared, &format!("d3d9/bin/{name}"))?, true)?;
    }
    let constants: Vec<Vec<(&str, u8, u16)>> = effect
        .vertex
        .iter()
        .chain(&effect.pixel)
        .map(|program| program.constants.iter().map(|c| (&*c.name, c.ty, c.register)).collect())
        .collect();
    let wanted = [
        vec![("gWorldViewProj", 9, 0), ("globalScalars", 5, 208)],
        vec![],
        vec![],
        vec![("TextureSampler", 6, 0)],
    ];
    same("constants", &constants[..], &wanted[..])?;
    let parameters: Vec<(&str, u8, u8, &str, usize)> =
        effect.globals.iter().chain(&effect.locals).map(parameter).collect();
    let wanted = [
        ("gWorld", 9, 4, "World", 16),
        ("TextureSampler", 6, 1, "DiffuseTex", 0),
        ("bump", 2, 1, "bumpiness", 1),
    ];
    same("parameters", &parameters[..], &wanted[..])?;
    same("globals", effect.globals.len(), 1)?;
    let one = 1.0f32.to_bits();
    let identity: Vec<u32> = (0..16).map(|n| if n % 5 == 0 { one } else { 0 }).collect();
    let defaults = |list: &[rgxa::Parameter]| list.iter().map(|p| p.default.clone()).collect::<Vec<_>>();
    same("defaults", defaults(&effect.globals), vec![identity])?;
    same("defaults", defaults(&effect.locals), vec![vec![], vec![one]])?;
    let notes = [
        ("UIName".to_string(), Annotation::Text("Diffuse Texture".into())),
        ("Min".to_string(), Annotation::Float(0.5)),
        ("Count".to_string(), Annotation::Int(3)),
    ];
    same("annotations", effect.locals.first().map(|p| &p.annotations[..]), Some(&notes[..]))?;
    let techniques: Vec<_> = effect
        .techniques
        .iter()
        .map(|technique| {
            let pass = |pass: &rgxa::Pass| (pass.vertex, pass.pixel, pass.states.clone());
            (&*technique.name, technique.passes.iter().map(pass).collect::<Vec<_>>())
        })
        .collect();
    let wanted = vec![("draw", vec![(0, 1, vec![(7, 1), (14, 0)])]), ("drawskinned", vec![(1, 1, vec![])])];
    same("techniques", techniques, wanted)
}

fn parameter(parameter: &rgxa::Parameter) -> (&str, u8, u8, &str, usize) {
    (&parameter.name, parameter.ty, parameter.size, &parameter.semantic, parameter.default.len())
}

/// "22 slots from nv2a_vsh_asm__dump1_00.words"
fn function(shared: &Path, inside: &str, file: &[u8]) -> Result<(), String> {
    let (_, certain) = hits(file)?;
    let [hit] = &certain[..] else { return Err(format!("{certain:?}")) };
    same("place", &hit.range, &(0..file.len()))?;
    let HitKind::Program { isa: Isa::Nv2a, instructions, .. } = hit.what else {
        return Err(format!("{hit:?}"));
    };
    let slots = file.get(4..).unwrap_or_default();
    same("slots", instructions, slots.len() / 16)?;
    if let Some(name) = inside.split(' ').find(|word| word.ends_with(".words")) {
        same("slots", Some(instructions), count_in(inside))?;
        same(name, slots == words_of(&of_corpus(shared, &format!("nv2a/{name}"))?), true)?;
    }
    Ok(())
}

/// "header counts more slots than the file has: error"
fn bad_function(file: &[u8]) -> Result<(), String> {
    same("certain hits", hits(file)?.1.len(), 0)?;
    let name = "bad_count.xvu";
    let ids: Vec<&str> =
        match Input::new(name, Some(name), file.to_vec()).read(&OpenOptions::default(), &mut NoHost) {
            Ok(program) => {
                let findings = program.check(&vecasm::isa::any::CheckOptions::default());
                findings
                    .iter()
                    .filter(|finding| finding.severity == Severity::Error)
                    .map(|finding| finding.id)
                    .collect()
            }
            Err(error) => error.findings().iter().map(|finding| finding.id).collect(),
        };
    match ids.contains(&"NV2A-container") {
        true => Ok(()),
        false => Err(format!("no error of the header: {ids:?}")),
    }
}

/// "ReShade shader dump name: CRC-32 of the bytes"
fn dump(inside: &str, name: &str, file: &[u8]) -> Result<(), String> {
    let (_, certain) = hits(file)?;
    let [hit] = &certain[..] else { return Err(format!("{certain:?}")) };
    same("place", &hit.range, &(0..file.len()))?;
    let told = FileName::of(name, &Digests::of(file)).map(|name| name.verdict);
    let wanted = match inside {
        inside if inside.contains("CRC-32") => Some(Verdict::Is(Algorithm::Crc32)),
        inside if inside.contains("cannot be recomputed") => Some(Verdict::Untold),
        _ => None,
    };
    same("the hash in the name", told, wanted)
}

/// The programs that a text or a recording carries, with their first names.
fn carried(name: &str, file: &[u8]) -> Result<Vec<(String, Program)>, String> {
    let options = OpenOptions::named(name);
    let input = Input::new(name, None, file.to_vec());
    let read = |one: &Input| {
        let program = one.read(&options, &mut NoHost).map_err(|error| error.to_string())?;
        let name = one.piece().and_then(|piece| piece.names().first().cloned());
        Ok((name.unwrap_or_default(), program))
    };
    let pieces = input.carried(&options);
    if pieces.is_empty() { Ok(vec![read(&input)?]) } else { pieces.iter().map(read).collect() }
}

/// What a text assembles to by itself.
fn assembled(text: &str) -> Result<Vec<u8>, String> {
    let input = Input::new("one", None, text.as_bytes().to_vec());
    let program = input.read(&OpenOptions::default(), &mut NoHost).map_err(|error| error.to_string())?;
    Ok(program.any().encode())
}

fn text(inside: &str, name: &str, file: &[u8]) -> Result<(), String> {
    let text = core::str::from_utf8(file).map_err(|error| error.to_string())?;
    let quoted = |start: &str| {
        let listings = text.split(start).skip(1).filter_map(|rest| rest.strip_prefix('"')?.split('"').next());
        listings.map(assembled).collect::<Result<Vec<_>, _>>()
    };
    let array = |radix| {
        let body = text.rsplit('{').next().and_then(|rest| rest.split('}').next()).unwrap_or_default();
        body.split(',')
            .map(|number| number.trim().trim_start_matches("0x"))
            .filter(|number| !number.is_empty())
            .map(|number| u32::from_str_radix(number, radix).map_err(|error| format!("{number}: {error}")))
            .collect::<Result<Vec<u32>, _>>()
    };
    let theirs: Vec<Vec<u8>> = match name {
        // Those of Direct3D, after their binds.
        "unity_1.shader" => {
            let parts = text.split("SubProgram \"d3d9 \" {").skip(1);
            parts
                .map(|part| {
                    let start = part.find("\"vs_").or_else(|| part.find("\"ps_")).unwrap_or(0) + 1;
                    assembled(part[start..].split('"').next().unwrap_or_default())
                })
                .collect::<Result<_, _>>()?
        }
        "apitrace_dump_1.txt" => quoted("pFunction = ")?,
        "array_dword_1.h" => vec![array(16)?.into_iter().flat_map(u32::to_le_bytes).collect()],
        "array_byte_1.h" => vec![array(10)?.into_iter().map(|byte| byte as u8).collect()],
        "stream_1.hex" => vec![words_of_bytes(text)],
        "stream_1.b64" => vec![base64(text)],
        // "2 TGSI programs with a time prefix, GLSL in between"
        "vrend_tgsi.txt" => {
            let plain: Vec<&str> =
                text.lines().map(|line| line.split_once("] ").map_or("", |(_, rest)| rest)).collect();
            let starts = plain.iter().enumerate().filter(|(_, line)| line.ends_with("TGSI:"));
            starts
                .map(|(n, _)| {
                    let lines = plain[n + 1..].iter().take_while(|line| !line.is_empty());
                    assembled(&lines.copied().collect::<Vec<_>>().join("\n"))
                })
                .collect::<Result<_, _>>()?
        }
        // "one program of 22 slots"
        "xemu_trace.txt" => {
            let words = text.lines().filter(|line| line.contains("NV097_SET_TRANSFORM_PROGRAM["));
            let words =
                words.filter_map(|line| u32::from_str_radix(line.rsplit("0x").next()?.trim(), 16).ok());
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            same("slots in the log", bytes.len(), 22 * 16)?;
            vec![bytes]
        }
        _ => return Err(format!("nothing is known of {name}")),
    };
    if let Some(count) = count_in(inside).filter(|_| !inside.contains("base64")) {
        same("programs in the row", theirs.len(), count)?;
    }
    let ours: Vec<Vec<u8>> = carried(name, file)?.iter().map(|(_, program)| program.any().encode()).collect();
    same("programs", ours.len(), theirs.len())?;
    for (n, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        // What slots of the NV2A are packed in is the file's.
        let fits = ours == theirs || name == "xemu_trace.txt" && slots_of(ours) == *theirs;
        same(&format!("program {n}"), fits, true)?;
    }
    Ok(())
}

/// The slots of a program of the NV2A without what is around them.
fn slots_of(bytes: &[u8]) -> Vec<u8> {
    let slots = vecasm::isa::nv2a::bytes::decode_lossless(bytes).slots;
    slots.iter().flat_map(|slot| slot.0).flat_map(u32::to_le_bytes).collect()
}

/// Digits in pairs, blanks between them left out.
fn words_of_bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | pair.get(1).map_or(0, |&low| value(low))).collect()
}

fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for value in text.bytes().filter_map(|byte| LETTERS.iter().position(|&letter| letter == byte)) {
        (bits, count) = (bits << 6 | value as u32, count + 6);
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

/// What a pushbuffer writes, as a reader of the facts sees it: packets of increasing methods.
#[derive(Default)]
struct Pushed {
    /// The words of each run of program words, by the slot that it begins at.
    loads: BTreeMap<u32, Vec<u32>>,
    constants: BTreeMap<u32, Vec<u32>>,
    start: u32,
    begins: usize,
}

impl Pushed {
    fn of(file: &[u8]) -> Self {
        let words: Vec<u32> =
            file.chunks_exact(4).filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?))).collect();
        let (mut out, mut at, mut load, mut constant) = (Self::default(), 0, 0, 0);
        while let Some(&header) = words.get(at) {
            let count = (header >> 18 & 0x7FF) as usize;
            let method = header & 0x1FFC;
            for (n, &data) in words.iter().skip(at + 1).take(count).enumerate() {
                match method + 4 * n as u32 {
                    0x1E9C => load = data,
                    0x1EA0 => out.start = data,
                    0x1EA4 => constant = data,
                    0x17FC => out.begins += usize::from(data != 0),
                    0x0B00..=0x0B7C => out.loads.entry(load).or_default().push(data),
                    0x0B80..=0x0BFC => out.constants.entry(constant).or_default().push(data),
                    _ => {}
                }
            }
            at += 1 + count;
        }
        out
    }
}

/// "two programs (load 0 and load 60), constants, start 60"
fn pushbuffer(inside: &str, file: &[u8]) -> Result<(), String> {
    let theirs = Pushed::of(file);
    same("programs in the row", Some(theirs.loads.len()), count_in(inside))?;
    let ours = carried("made.pb", file)?;
    same("programs", ours.len(), theirs.loads.len())?;
    for (start, words) in &theirs.loads {
        let name = format!("load{start}");
        let found = ours.iter().find(|(own, _)| *own == name);
        let (_, program) = found.ok_or_else(|| format!("there is no {name}"))?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        same(&name, slots_of(&program.any().encode()) == bytes, true)?;
    }
    same("draws in the file", theirs.begins, 1)?;
    let options = OpenOptions::named("made.pb");
    let input = Input::new("made.pb", None, file.to_vec());
    let programs = input.carried(&options);
    let drawn = input.carried_at(&programs, "draw1");
    let [drawn] = &drawn[..] else { return Err(format!("{} programs at draw1", drawn.len())) };
    let drawn = drawn.read(&options, &mut NoHost).map_err(|error| error.to_string())?;
    let bytes = theirs
        .loads
        .get(&theirs.start)
        .map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect());
    same("the program at draw1", Some(slots_of(&drawn.any().encode())), bytes)?;
    let constants: Vec<(u32, [u32; 4])> = theirs
        .constants
        .iter()
        .flat_map(|(&first, words)| {
            (first..).zip(words.chunks_exact(4).map(|lanes| [lanes[0], lanes[1], lanes[2], lanes[3]]))
        })
        .collect();
    same("constants at draw1", drawn.constants(), &constants[..])?;
    let draws = input.draws();
    same("draws", draws.len(), theirs.begins)?;
    same(
        "constants that are new at draw1",
        draws.first().map(|draw| &draw.constants[..]),
        Some(&constants[..]),
    )?;
    same("no second draw", input.carried_at(&programs, "draw2").len(), 0)
}
