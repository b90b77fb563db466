//! Containers: what other readers find in real and made files, and what is left of a file that is written again.
//!
//! `oracle/containers/README.md` says which row comes from whom. Rows that describe files by reference, which are not in the
//! corpus, are left out.

use super::{File, Report, check_lines};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::path::Path;
use vecasm::container::scan::{Confidence, Hit, HitKind, Options, scan};
use vecasm::container::{
    Access, Address, Budget, Container, Detail, Entry, Format, Kind, Limits, find, fx2, rules, visit,
};
use vecasm::hash::{Algorithm, Digests, FileName, Verdict};
use vecasm::isa::Isa;

/// What is checked of a file and its row.
type Check = fn(&Value, &[u8]) -> Result<(), String>;

/// Every file of the oracle whose format is read.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let files: [(&str, Check); 11] = [
        ("fx2", effect),
        ("xnb", asset),
        ("mgfx", monogame),
        ("dxbc", blob),
        ("sdp", package),
        ("zip", archive),
        ("vcs", combos),
        ("swf", movie),
        ("pe", image),
        ("xbe", xbox),
        ("made", made),
    ];
    let check = |(name, check): (&str, Check)| {
        check_lines(shared, &format!("oracle/containers/{name}.jsonl"), move |report, id, row| {
            run(shared, report, id, row, check);
        })
    };
    files.map(check).into()
}

fn run(shared: &Path, report: &mut Report, id: &str, row: &Value, check: Check) {
    let Some(file) =
        row["file"].as_str().and_then(|file| std::fs::read(shared.join("corpus/containers").join(file)).ok())
    else {
        return report.skip("the file is named by reference");
    };
    let outcome = check(row, &file).and_then(|()| written_again(&file));
    report.case(id, outcome);
}

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(file: &[u8]) -> Result<Container<'_>, String> {
    Container::read(file, &mut budget()).map_err(|finding| finding.to_string())
}

fn bytes(container: &Container<'_>, entry: &Entry) -> Result<Vec<u8>, String> {
    let bytes = container.bytes(entry, &mut budget()).map_err(|finding| finding.to_string())?;
    Ok(bytes.into_owned())
}

fn sha256(bytes: &[u8]) -> String {
    vecasm::isa::to_hex(&Sha256::digest(bytes))
}

fn same<T: PartialEq + Debug>(what: &str, ours: T, theirs: T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours:?}, but there it is {theirs:?}")) }
}

fn number(row: &Value, key: &str) -> Option<u64> {
    row[key].as_u64()
}

fn list<'v>(row: &'v Value, key: &str) -> &'v [Value] {
    row[key].as_array().map_or(&[], |list| list)
}

/// Rows of damaged files say that they are: an error, or something else that is meant.
fn refused(row: &Value, file: &[u8]) -> Option<Result<(), String>> {
    let expect = row["expect"].as_str().filter(|expect| expect.starts_with("error"))?;
    Some(match Container::read(file, &mut budget()) {
        Ok(container) => {
            // What is packed in it may be what is damaged.
            let done =
                visit::<()>(&container, &mut budget(), &mut |_| ControlFlow::Continue(()), &mut |_, _| {});
            let foreign =
                container.entries().iter().any(|entry| container.bytes(entry, &mut budget()).is_err());
            if done.is_err() || foreign { Ok(()) } else { Err(format!("no error, but there: {expect}")) }
        }
        Err(finding) if finding.id.starts_with("CONTAINER-") => Ok(()),
        Err(finding) => Err(finding.to_string()),
    })
}

/// Files of other kinds: what is in them is found among their bytes, and hashes in the names of dumps fit.
fn made(row: &Value, file: &[u8]) -> Result<(), String> {
    never_more(file)?;
    let inside = row["inside"].as_str().unwrap_or("");
    let first = || inside.split(' ').next().and_then(|count| count.parse::<usize>().ok());
    let found = scan(file, &Options::default().with_unaligned(true), &mut budget());
    same("findings", found.findings.len(), 0)?;
    let certain: Vec<&Hit> = found.hits.iter().filter(|hit| hit.confidence == Confidence::Certain).collect();
    let programs = |isa| {
        certain.iter().filter(|hit| matches!(hit.what, HitKind::Program { isa: it, .. } if it == isa)).count()
    };
    match row["kind"].as_str().unwrap_or("") {
        // "raw memory with 3 D3D9 streams (unaligned) and one AGAL program"
        "blob" => {
            same(
                "programs of Direct3D",
                Some(programs(Isa::D3d9)),
                inside.split(' ').nth(3).and_then(|n| n.parse().ok()),
            )?;
            same("programs of AGAL", programs(Isa::Agal), 1)?;
            same("hits", found.hits.len(), certain.len())?;
            same("certain hits", certain.len(), 4)
        }
        "virgl" | "rgxa" => {
            let [hit] = &found.hits[..] else { return Err(format!("{:?}", found.hits)) };
            same("place", &hit.range, &(0..file.len()))?;
            let HitKind::Container { programs, .. } = hit.what else { return Err(format!("{hit:?}")) };
            // "2 vertex programs, null + 1 pixel program": the null program is none.
            same("programs", Some(programs), first().map(|n| n + usize::from(row["kind"] == "rgxa")))
        }
        "xvu" if row["id"] == "xvu_bad_count_xvu" => same("certain hits", certain.len(), 0),
        "xvu" => {
            let [hit] = certain[..] else { return Err(format!("{certain:?}")) };
            same("place", &hit.range, &(0..file.len()))?;
            same("programs", programs(Isa::Nv2a), 1)?;
            let HitKind::Program { instructions, .. } = hit.what else { return Err(format!("{hit:?}")) };
            first().map_or(Ok(()), |slots| same("slots", instructions, slots))
        }
        "dumps" => {
            let [hit] = certain[..] else { return Err(format!("{certain:?}")) };
            same("place", &hit.range, &(0..file.len()))?;
            let name = row["file"].as_str().and_then(|file| file.rsplit('/').next()).unwrap_or("");
            let told = FileName::of(name, &Digests::of(file)).map(|name| name.verdict);
            let wanted = match inside {
                inside if inside.contains("CRC-32") => Some(Verdict::Is(Algorithm::Crc32)),
                inside if inside.contains("cannot be recomputed") => Some(Verdict::Untold),
                _ => None,
            };
            same("the hash in the name", told, wanted)
        }
        _ => Ok(()),
    }
}

/// Files that no reader here knows are told as such, and nothing worse happens.
fn never_more(file: &[u8]) -> Result<(), String> {
    match Container::read(file, &mut budget()) {
        Ok(_) => Ok(()),
        Err(finding) if [rules::FORMAT.id, rules::SHORT.id].contains(&finding.id) => Ok(()),
        Err(finding) => Err(finding.to_string()),
    }
}

/// A file that is written again: without a change the same bytes, and with a program that has grown or shrunk one that reads
/// back with it and with the same other entries.
fn written_again(file: &[u8]) -> Result<(), String> {
    let Ok(container) = Container::read(file, &mut budget()) else { return Ok(()) };
    if container.format().access() != Access::Written {
        return Ok(());
    }
    let edited = container.replace(&[]).map_err(|finding| finding.to_string())?;
    same("bytes of an unchanged file", edited.bytes == file, true)?;
    let is_program = |entry: &&Entry| entry.kind == Kind::Stream(Isa::D3d9);
    let Some(n) = container.entries().iter().position(|entry| is_program(&entry)) else { return Ok(()) };
    let old = bytes(&container, &container.entries()[n])?;
    let Some(changed) = grown_and_shrunk(&old) else { return Ok(()) };
    for new in changed {
        let edited = match container.replace(&[(n, &new)]) {
            Ok(edited) => edited,
            // Executables have places that code counts on: what is larger does not fit.
            Err(finding)
                if finding.id == rules::FIT.id
                    && container.format() == Format::Pe
                    && new.len() > old.len() =>
            {
                continue;
            }
            Err(finding) => return Err(finding.to_string()),
        };
        let again = read(&edited.bytes)?;
        same("warnings", again.findings().len(), container.findings().len())?;
        same("entries", again.entries().len(), container.entries().len())?;
        for (at, (entry, before)) in again.entries().iter().zip(container.entries()).enumerate() {
            same("an address", &entry.address, &before.address)?;
            same("names", &entry.aliases, &before.aliases)?;
            let wanted = if at == n { new.clone() } else { bytes(&container, before)? };
            same(&entry.address, bytes(&again, entry)? == wanted, true)?;
        }
    }
    Ok(())
}

/// A program of Direct3D with 400 bytes more, a comment of a hundred words; and one of its version and its end alone.
pub(crate) fn grown_and_shrunk(program: &[u8]) -> Option<[Vec<u8>; 2]> {
    let (front, end) = program.split_last_chunk::<4>()?;
    let grown = [front, &[0xFE, 0xFF, 99, 0], &[0; 396], end].concat();
    let shrunk = [program.get(..4)?, &end[..]].concat();
    Some([grown, shrunk])
}

/// The effect in a file, which may be an asset around it; and where it begins in that.
fn inner<'f>(container: &'f Container<'f>) -> Result<(Container<'f>, usize), String> {
    if container.format() != Format::Xnb {
        return Ok((container.clone(), 0));
    }
    let Detail::Xnb(asset) = container.detail() else { return Err("no asset".into()) };
    let start = asset.effect.as_ref().map_or(0, |range| range.start);
    let entry = container.entries().first().ok_or("no effect in it")?;
    Ok((container.open(entry, &mut budget()).map_err(|finding| finding.to_string())?, start))
}

fn effect(row: &Value, file: &[u8]) -> Result<(), String> {
    let outer = read(file)?;
    let (container, _) = inner(&outer)?;
    let start = if outer.format() == Format::Xnb { number(row, "effect_offset").unwrap_or(0) } else { 0 };
    let Detail::Fx2(effect) = container.detail() else { return Err("no effect".into()) };
    same("pool", Some(effect.pool_bytes as u64), number(row, "pool_bytes"))?;
    same("third number", Some(u64::from(effect.third)), number(row, "third_count"))?;
    same("objects", Some(u64::from(effect.object_count)), number(row, "object_count"))?;
    same("parameters", effect.parameters.len(), list(row, "parameters").len())?;
    for (ours, theirs) in effect.parameters.iter().zip(list(row, "parameters")) {
        parameter(effect, container.file(), ours, theirs)?;
    }
    same("techniques", effect.techniques.len(), list(row, "techniques").len())?;
    for (ours, theirs) in effect.techniques.iter().zip(list(row, "techniques")) {
        same("technique", ours.name.as_deref(), theirs["name"].as_str())?;
        same("annotations", ours.annotations.len(), list(theirs, "annotations").len())?;
        same("passes", ours.passes.len(), list(theirs, "passes").len())?;
        for (ours, theirs) in ours.passes.iter().zip(list(theirs, "passes")) {
            same("pass", ours.name.as_deref(), theirs["name"].as_str())?;
            same("annotations", ours.annotations.len(), list(theirs, "annotations").len())?;
            states(&ours.states, list(theirs, "states"))?;
        }
    }
    for theirs in list(row, "entries") {
        let address = theirs["address"].as_str().unwrap_or("");
        let n = container.entry(address).map_err(|finding| finding.to_string())?;
        let entry = &container.entries()[n];
        if let Some(alias) = theirs["alias"].as_str() {
            same(alias, container.entry(alias).ok(), Some(n))?;
        }
        same(address, Some(entry.kind.name()), theirs["kind"].as_str())?;
        same(address, Some(entry.part.range().start as u64 + start), number(theirs, "offset"))?;
        same(address, Some(entry.size() as u64), number(theirs, "bytes"))?;
        if let Some(hash) = theirs["sha256"].as_str() {
            same(address, sha256(&bytes(&container, entry)?), hash.into())?;
        }
    }
    chosen(&outer, row)?;
    // The rows leave expressions of samplers out.
    let own = |entry: &&Entry| !(entry.kind == Kind::Expression && entry.address.starts_with("param"));
    same("entries", container.entries().iter().filter(own).count(), list(row, "entries").len())
}

/// The programs of passes: those that D3DX hands out, which evaluates the choices out of arrays with the defaults.
fn chosen(file: &Container<'_>, row: &Value) -> Result<(), String> {
    for (t, technique) in list(row, "techniques").iter().enumerate() {
        for (p, theirs) in list(technique, "passes").iter().enumerate() {
            let address = format!("technique{t}/pass{p}");
            let draw = vecasm::effect::draw(file.file(), Some(&address), &[], Limits::DEFAULT);
            let passes = draw.map_err(|finding| finding.to_string())?.ok_or("no pass")?.passes;
            let [pass] = &passes[..] else { return Err(format!("{address}: {} passes", passes.len())) };
            for (ours, step) in [(&pass.vertex, "vs"), (&pass.fragment, "ps")] {
                let hash = ours.as_deref().map(|address| {
                    let address = Address::parse(address);
                    find(file, &address, &mut budget(), &mut |found| sha256(found.bytes))
                });
                let hash = hash.transpose().map_err(|finding| finding.to_string())?;
                same(&format!("{address}/{step}"), hash.as_deref(), theirs[step]["sha256"].as_str())?;
            }
        }
    }
    Ok(())
}

fn parameter(effect: &fx2::Effect, file: &[u8], ours: &fx2::Parameter, theirs: &Value) -> Result<(), String> {
    let ty = &ours.ty;
    same("name", ty.name.as_deref(), theirs["name"].as_str())?;
    same("semantic", ty.semantic.as_deref(), theirs["semantic"].as_str())?;
    same("class", Some(ty.class.name()), theirs["class"].as_str())?;
    same("type", Some(ty.base.name()), theirs["type"].as_str())?;
    let numbers =
        [("rows", ty.rows), ("columns", ty.columns), ("elements", ty.elements), ("flags", ours.flags)];
    for (key, number_of) in numbers {
        same(key, Some(u64::from(number_of)), number(theirs, key))?;
    }
    if let Some(hex) = theirs["value_hex"].as_str() {
        let mut words = Vec::new();
        collect(&ours.value, &mut words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        same("default", vecasm::isa::to_hex(&bytes), hex.into())?;
    }
    if let (Some(text), [fx2::Element::Object(id), ..]) = (theirs["string"].as_str(), &ours.value[..]) {
        same("text", effect.text(file, *id), Some(text))?;
    }
    if let Some(list) = theirs["annotations"].as_array() {
        same("annotations", ours.annotations.len(), list.len())?;
    }
    for (element, theirs) in ours.value.iter().zip(list(theirs, "sampler_states")) {
        let fx2::Element::Sampler(ours) = element else { return Err("no sampler".into()) };
        states(ours, theirs.as_array().map_or(&[], |list| list))?;
    }
    Ok(())
}

fn states(ours: &[fx2::State], theirs: &[Value]) -> Result<(), String> {
    same("states", ours.len(), theirs.len())?;
    for (ours, theirs) in ours.iter().zip(theirs) {
        same("state", Some(u64::from(ours.op)), number(theirs, "op"))?;
        same("index of a state", Some(u64::from(ours.index)), number(theirs, "index"))?;
        same("type of a state", Some(ours.ty.base.name()), theirs["type"].as_str())?;
    }
    Ok(())
}

/// The words of a value.
fn collect(value: &fx2::Value, out: &mut Vec<u32>) {
    for element in value {
        match element {
            fx2::Element::Words(words) => out.extend(words),
            fx2::Element::Members(members) => members.iter().for_each(|value| collect(value, out)),
            _ => {}
        }
    }
}

fn asset(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Xnb(asset) = container.detail() else { return Err("no asset".into()) };
    same("body", Some(asset.body_bytes as u64), number(row, "decompressed_bytes"))?;
    let readers: Vec<(Option<&str>, Option<i64>)> =
        list(row, "readers").iter().map(|reader| (reader[0].as_str(), reader[1].as_i64())).collect();
    let ours: Vec<_> =
        asset.readers.iter().map(|(name, version)| (Some(&**name), Some(i64::from(*version)))).collect();
    same("readers", ours, readers)?;
    same("shared", Some(u64::from(asset.shared)), number(row, "shared_resources"))?;
    let theirs = &row["effect"];
    if theirs.is_object() {
        let entry = container.entries().first().ok_or("no effect")?;
        same("effect", sha256(&bytes(&container, entry)?), theirs["sha256"].as_str().unwrap_or("").into())?;
        let start = asset.effect.as_ref().map(|range| range.start as u64);
        same("place of the effect", start, number(theirs, "offset_in_body"))?;
    } else {
        same("entries", container.entries().len(), 0)?;
    }
    Ok(())
}

fn monogame(row: &Value, file: &[u8]) -> Result<(), String> {
    let outer = read(file)?;
    let (container, start) = inner(&outer)?;
    let Detail::Mgfx(effect) = container.detail() else { return Err("no effect".into()) };
    same("version", Some(u64::from(effect.version)), number(row, "version"))?;
    same("profile", Some(u64::from(effect.profile)), number(row, "profile"))?;
    same("key", Some(u64::from(effect.key)), number(row, "effect_key"))?;
    same("buffers", effect.buffers.len(), list(row, "constant_buffers").len())?;
    same("shaders", effect.shaders.len(), list(row, "shaders").len())?;
    for (ours, theirs) in effect.shaders.iter().zip(list(row, "shaders")) {
        same("offset", Some((ours.range.start + start) as u64), number(theirs, "offset"))?;
        same("bytes", Some(ours.range.len() as u64), number(theirs, "bytes"))?;
        same("vertex", Some(ours.stage == vecasm::ir::Stage::Vertex), theirs["vertex"].as_bool())?;
        let names: Vec<&str> = ours.samplers.iter().map(|sampler| &*sampler.name).collect();
        let there: Vec<&str> = list(theirs, "samplers").iter().filter_map(|s| s["name"].as_str()).collect();
        same("samplers", names, there)?;
        same("attributes", ours.attributes.len(), list(theirs, "attributes").len())?;
    }
    same("parameters", effect.parameters.len(), list(row, "parameters").len())?;
    for (ours, theirs) in effect.parameters.iter().zip(list(row, "parameters")) {
        same("name", Some(&*ours.name), theirs["name"].as_str())?;
        if let Some(hex) = theirs["value_hex"].as_str() {
            let bytes: Vec<u8> = ours.value.iter().flat_map(|word| word.to_le_bytes()).collect();
            same("default", vecasm::isa::to_hex(&bytes), hex.into())?;
        }
    }
    for (ours, theirs) in effect.techniques.iter().zip(list(row, "techniques")) {
        same("technique", Some(&*ours.name), theirs["name"].as_str())?;
        for (ours, theirs) in ours.passes.iter().zip(list(theirs, "passes")) {
            same("pass", Some(&*ours.name), theirs["name"].as_str())?;
            let shader = |n: Option<u32>| Some(n.map_or(-1, i64::from));
            same("vertex shader", shader(ours.vertex), theirs["vs"].as_i64())?;
            same("pixel shader", shader(ours.pixel), theirs["ps"].as_i64())?;
        }
    }
    same("tail", Some(effect.ends_well), row["tail_ok"].as_bool())?;
    same("end", Some((effect.end + start) as u64), number(row, "end"))
}

fn blob(row: &Value, file: &[u8]) -> Result<(), String> {
    let outer = read(file)?;
    let wanted = row["sha256"].as_str().unwrap_or("");
    let mut found = (sha256(file) == wanted).then(|| file.to_vec());
    let walked = visit::<()>(
        &outer,
        &mut budget(),
        &mut |one| {
            if sha256(one.bytes) == wanted {
                found = Some(one.bytes.to_vec());
            }
            ControlFlow::Continue(())
        },
        &mut |_, _| {},
    );
    let _ = walked.map_err(|finding| finding.to_string())?;
    let file = found.ok_or("the blob is not found")?;
    let container = read(&file)?;
    let Detail::Dxbc(blob) = container.detail() else { return Err("no blob".into()) };
    same("checksum", Some(blob.checksum_fits), row["checksum_recomputed_equal"].as_bool())?;
    let tags: Vec<Option<&str>> = list(row, "chunks").iter().map(|chunk| chunk["tag"].as_str()).collect();
    let ours: Vec<String> = blob.chunks.iter().map(vecasm::container::dxbc::Chunk::name).collect();
    same("chunks", ours.iter().map(|name| Some(&**name)).collect(), tags)?;
    let theirs = &row["aon9"];
    same("level 9", blob.level9.is_some(), theirs.is_object())?;
    if let Some(level9) = &blob.level9 {
        let stream = sha256(file.get(level9.stream.clone()).unwrap_or_default());
        same("program", Some(&*stream), theirs["stream_sha256"].as_str())?;
        let tables: Vec<(Option<u64>, Option<u64>)> = list(theirs, "tables_count_offset")
            .iter()
            .map(|table| (table[0].as_u64(), table[1].as_u64()))
            .collect();
        let ours = level9.tables.map(|(count, offset)| (Some(count.into()), Some(offset.into())));
        same("tables", &ours[..], &tables[..])?;
    }
    written_again(&file)
}

fn package(row: &Value, file: &[u8]) -> Result<(), String> {
    if row["error"].is_string() {
        return match Container::read(file, &mut budget()) {
            Ok(_) => Err("no error".into()),
            Err(_) => Ok(()),
        };
    }
    let container = read(file)?;
    let Detail::Sdp(package) = container.detail() else { return Err("no package".into()) };
    same("entries", container.entries().len(), list(row, "entries").len())?;
    for ((entry, name), theirs) in container.entries().iter().zip(&package.names).zip(list(row, "entries")) {
        same("name", Some(&**name), theirs["name"].as_str())?;
        same("offset", Some(entry.part.range().start as u64), number(theirs, "offset"))?;
        same("hash", Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
    }
    same("size", Some(u64::from(package.data_bytes)), number(row, "data_size_field"))
}

fn archive(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Zip(archive) = container.detail() else { return Err("no archive".into()) };
    same("members", archive.members.len(), list(row, "members").len())?;
    for ((entry, ours), theirs) in container.entries().iter().zip(&archive.members).zip(list(row, "members"))
    {
        same("name", Some(&*ours.name), theirs["name"].as_str())?;
        same("method", Some(u64::from(ours.method)), number(theirs, "method"))?;
        same("bytes", Some(ours.size), number(theirs, "bytes"))?;
        same("packed", Some(ours.packed), number(theirs, "compressed"))?;
        same("data", Some(entry.part.range().start as u64), number(theirs, "data_offset"))?;
        same("checksum", Some(format!("{:08x}", ours.crc32)), theirs["crc32"].as_str().map(String::from))?;
        if let Some(hash) = theirs["sha256"].as_str() {
            same("hash", sha256(&bytes(&container, entry)?), hash.into())?;
        }
    }
    Ok(())
}

/// The hashes of everything in a container.
fn hashes(container: &Container<'_>) -> Result<Vec<String>, String> {
    container.entries().iter().map(|entry| Ok(sha256(&bytes(container, entry)?))).collect()
}

/// Checks that everything of a list is in a container, by its hash.
fn holds(container: &Container<'_>, list: &[Value]) -> Result<(), String> {
    let hashes = hashes(container)?;
    let missing =
        |row: &&Value| row["sha256"].as_str().is_some_and(|hash| !hashes.iter().any(|ours| ours == hash));
    list.iter().find(missing).map_or(Ok(()), |row| Err(format!("{row} is not found")))
}

fn combos(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Vcs(combos) = container.detail() else {
        return Err("no shaders of the Source engine".into());
    };
    same("version", Some(u64::from(combos.version)), number(row, "version"))?;
    same("combos", Some(u64::from(combos.total)), number(row, "total_combos"))?;
    same("dynamic combos", Some(u64::from(combos.dynamic)), number(row, "dynamic_combos"))?;
    let aliases: Vec<(Option<u64>, Option<u64>)> =
        list(row, "aliases").iter().map(|alias| (alias[0].as_u64(), alias[1].as_u64())).collect();
    let ours: Vec<_> =
        combos.aliases.iter().map(|(id, of)| (Some(u64::from(*id)), Some(u64::from(*of)))).collect();
    same("aliases", ours, aliases)?;
    for theirs in list(row, "entries") {
        let address = theirs["address"].as_str().unwrap_or("");
        let n = container.entry(address).map_err(|finding| finding.to_string())?;
        let entry = &container.entries()[n];
        same(address, Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
        same(
            address,
            entry.version.map(|version| format!("{version:08x}")).as_deref(),
            theirs["version"].as_str(),
        )?;
    }
    same("entries", container.entries().len(), list(row, "entries").len())
}

fn movie(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Swf(movie) = container.detail() else { return Err("no movie".into()) };
    same("version", Some(u64::from(movie.version)), number(row, "version"))?;
    same("length", Some(u64::from(movie.length)), number(row, "uncompressed_length"))?;
    holds(&container, list(row, "binary_data"))?;
    let mut texts = Vec::new();
    for entry in container.entries() {
        texts.push(String::from_utf8_lossy(&bytes(&container, entry)?).trim_end().to_string());
    }
    let folded = list(row, "abc").iter().flat_map(|code| list(code, "agal_programs_folded"));
    for program in folded.filter_map(|program| program["text"].as_str()) {
        if !texts.iter().any(|text| text == program.trim_end()) {
            return Err(format!("not found: {program:?}"));
        }
    }
    Ok(())
}

fn image(row: &Value, file: &[u8]) -> Result<(), String> {
    let container = read(file)?;
    let Detail::Pe(image) = container.detail() else { return Err("no image".into()) };
    let sections: Vec<Option<&str>> =
        list(row, "sections").iter().map(|section| section["name"].as_str()).collect();
    same("sections", image.sections.iter().map(|section| Some(&*section.name)).collect(), sections)?;
    holds(&container, list(row, "resources"))
}

fn xbox(row: &Value, file: &[u8]) -> Result<(), String> {
    let container = read(file)?;
    let Detail::Xbe(image) = container.detail() else { return Err("no image".into()) };
    same("base", Some(u64::from(image.base)), number(row, "base"))?;
    same("title", Some(&*image.title), row["title"].as_str())?;
    let sections: Vec<Option<&str>> =
        list(row, "sections").iter().map(|section| section["name"].as_str()).collect();
    same("sections", image.sections.iter().map(|section| Some(&*section.name)).collect(), sections)?;
    let wanted = &row["nv2a_program"];
    holds(&container, core::slice::from_ref(wanted))?;
    // Where nobody knows that it is an image, the program is the first that is found.
    let found = scan(file, &Options::default().with_containers(false), &mut budget());
    let Some(hit) = found.hits.first() else { return Err("nothing is found".into()) };
    same("offset", Some(hit.range.start as u64), number(wanted, "file_offset"))?;
    same("hash", Some(&*sha256(&file[hit.range.clone()])), wanted["sha256"].as_str())
}
