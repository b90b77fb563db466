//! Containers: what other readers find in real and made files, and what is left of a file that is written again.
//!
//! `oracle/containers/README.md` says which row comes from whom. Rows that describe files by reference, which are not in the
//! corpus, are left out.

mod effects;
mod made;

use super::{File, Report, check_lines};
use crate::heap::peak_of;
use effects::{effect, monogame};
use made::made;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use vecasm::container::scan::{Options, scan};
use vecasm::container::{
    Access, Budget, Container, Detail, Entry, Format, Kind, Limits, Part, pe, rules, vcs, visit,
};
use vecasm::isa::Isa;

/// What is checked of a file and its row; the folder has the programs of the other corpora.
type Check = fn(&Path, &Value, &[u8]) -> Result<(), String>;

/// What a damaged file may take.
const TIME: Duration = Duration::from_secs(1);
const HEAP: usize = 64 << 20;

/// Every file of the oracle whose format is read.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let files: [(&str, Check); 11] = [
        ("fx2", |_, row, file| effect(row, file)),
        ("xnb", |_, row, file| asset(row, file)),
        ("mgfx", |_, row, file| monogame(row, file)),
        ("dxbc", |_, row, file| blob(row, file)),
        ("sdp", |_, row, file| package(row, file)),
        ("zip", |_, row, file| archive(row, file)),
        ("vcs", |_, row, file| combos(row, file)),
        ("swf", |_, row, file| movie(row, file)),
        ("pe", |_, row, file| image(row, file)),
        ("xbe", |_, row, file| xbox(row, file)),
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
    let outcome = match is_damaged(row) {
        true => bounded(|| check(shared, row, &file)),
        false => check(shared, row, &file),
    };
    report.case(id, outcome.and_then(|()| written_again(&file)));
}

/// Whether a file is one of those that are damaged on purpose.
fn is_damaged(row: &Value) -> bool {
    row["file"].as_str().and_then(|file| file.rsplit('/').next()).is_some_and(|name| name.starts_with("bad_"))
}

/// Holds what is done with a damaged file to its bounds.
fn bounded(check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    let (outcome, heap) = peak_of(check);
    outcome?;
    let took = start.elapsed();
    if took > TIME {
        return Err(format!("it took {took:?}, and may take {TIME:?}"));
    }
    if heap > HEAP {
        return Err(format!("it took {heap} bytes, and may take {HEAP}"));
    }
    Ok(())
}

/// Files that no reader here knows are told as such, and nothing worse happens.
fn never_more(file: &[u8]) -> Result<(), String> {
    match Container::read(file, &mut budget()) {
        Ok(_) => Ok(()),
        Err(finding) if [rules::FORMAT.id, rules::SHORT.id].contains(&finding.id) => Ok(()),
        Err(finding) => Err(finding.to_string()),
    }
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

fn asset(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Xnb(asset) = container.detail() else { return Err("no asset".into()) };
    let header = &row["header"];
    same("platform", Some(&*asset.platform.to_string()), header["platform"].as_str())?;
    same("version", Some(u64::from(asset.version)), number(header, "version"))?;
    same("flags", Some(u64::from(asset.flags)), number(header, "flags"))?;
    same("length", Some(u64::from(asset.length)), number(header, "length_field"))?;
    same("body", Some(asset.body_bytes as u64), number(row, "decompressed_bytes"))?;
    same("first object", Some(u64::from(asset.root)), number(row, "root_reader"))?;
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
        same("bytes of the effect", Some(entry.size() as u64), number(theirs, "bytes"))?;
        let kind = match &entry.kind {
            Kind::Container(format) => Some(format.name()),
            _ => None,
        };
        same("kind of the effect", kind, theirs["kind"].as_str())?;
        same("entries", container.entries().len(), 1)?;
    } else {
        same("entries", container.entries().len(), 0)?;
    }
    Ok(())
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
    let place = number(row, "offset").unwrap_or(0);
    for (ours, theirs) in blob.chunks.iter().zip(list(row, "chunks")) {
        // The rows count from the tag, or from the content behind its size.
        same("place of a chunk", Some(ours.range.start as u64 + place), number(theirs, "offset"))?;
        same("bytes of a chunk", Some(ours.range.len() as u64), number(theirs, "bytes"))?;
    }
    let theirs = &row["aon9"];
    same("level 9", blob.level9.is_some(), theirs.is_object())?;
    if let Some(level9) = &blob.level9 {
        let stream = sha256(file.get(level9.stream.clone()).unwrap_or_default());
        same("program", Some(&*stream), theirs["stream_sha256"].as_str())?;
        same(
            "place of the program",
            Some(level9.stream.start as u64 + place),
            number(theirs, "stream_offset"),
        )?;
        same("bytes of the program", Some(level9.stream.len() as u64), number(theirs, "stream_bytes"))?;
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
        same("bytes", Some(entry.size() as u64), number(theirs, "bytes"))?;
        same("hash", Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
    }
    same("size", Some(u64::from(package.data_bytes)), number(row, "data_size_field"))?;
    let says = |id: &str| container.findings().iter().any(|finding| finding.id == id);
    same("warning of the size", Some(!says(rules::SIZE.id)), row["data_size_field_right"].as_bool())?;
    same("warning of what follows", Some(says(rules::TRAILING.id)), number(row, "trailing").map(|n| n > 0))
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
    same("flags", Some(u64::from(combos.flags)), number(row, "flags"))?;
    same("centroids", Some(u64::from(combos.centroids)), number(row, "centroid_mask"))?;
    // The record that ends the table is one of those that the row counts.
    same("static combos", Some(combos.statics.len() as u64 + 1), number(row, "static_records"))?;
    same("blocks", Some(combos.blocks.len() as u64), number(row, "blocks"))?;
    let crc32 = combos.source_crc32.map(|crc32| format!("{crc32:08x}"));
    same("checksum of the source", crc32.as_deref(), row["source_crc32"].as_str())?;
    for theirs in list(row, "entries") {
        let address = theirs["address"].as_str().unwrap_or("");
        let n = container.entry(address).map_err(|finding| finding.to_string())?;
        let entry = &container.entries()[n];
        in_block(combos, entry, theirs)?;
        same(address, Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
        same(
            address,
            entry.version.map(|version| format!("{version:08x}")).as_deref(),
            theirs["version"].as_str(),
        )?;
    }
    same("entries", container.entries().len(), list(row, "entries").len())
}

/// The block that a program of a combination is in, and where.
fn in_block(combos: &vcs::Combos, entry: &Entry, theirs: &Value) -> Result<(), String> {
    let Part::Unpacked { buffer, range } = &entry.part else { return Err("it is in no block".into()) };
    let block = combos.blocks.get(*buffer).ok_or("there is no such block")?;
    same("offset in the block", Some(range.start as u64), number(theirs, "offset_in_block"))?;
    same("bytes", Some(range.len() as u64), number(theirs, "bytes"))?;
    same("packing", Some(block.packing.name()), theirs["codec"].as_str())?;
    same("place of the block", Some(block.range.start as u64), number(theirs, "block_file_offset"))?;
    // Programs of the combos that are the same as another are those of the other.
    let own =
        combos.statics.iter().find(|combo| combo.blocks.contains(buffer)).ok_or("no combo has the block")?;
    same("number of the block", Some((*buffer - own.blocks.start) as u64), number(theirs, "block"))
}

fn movie(row: &Value, file: &[u8]) -> Result<(), String> {
    if let Some(outcome) = refused(row, file) {
        return outcome;
    }
    let container = read(file)?;
    let Detail::Swf(movie) = container.detail() else { return Err("no movie".into()) };
    same("version", Some(u64::from(movie.version)), number(row, "version"))?;
    same("length", Some(u64::from(movie.length)), number(row, "uncompressed_length"))?;
    let packing = match row["compression"].as_str() {
        Some("None") => Some("plain"),
        Some("Zlib") => Some("zlib"),
        Some("Lzma") => Some("lzma"),
        _ => None,
    };
    same("packing", Some(movie.packing.name()), packing)?;
    // The last tag, of code 0, ends the list and is not counted there.
    let tags = movie.tags.iter().filter(|tag| tag.code != 0).count();
    same("tags", Some(tags as u64), number(row, "tags"))?;
    // Places in the rows count from the first tag.
    let start = movie.tags.first().map_or(0, |tag| tag.header.start);
    let binaries = list(row, "binary_data");
    for (entry, theirs) in container.entries().iter().zip(binaries) {
        let id = number(theirs, "id").unwrap_or(0);
        same("address", &*entry.address, &*format!("binary/{id}"))?;
        same("offset", Some((entry.part.range().start - start) as u64), number(theirs, "offset"))?;
        same("bytes", Some(entry.size() as u64), number(theirs, "bytes"))?;
        same("hash", Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
    }
    let symbols = movie.symbols.iter().map(|(id, name)| (Some(u64::from(*id)), Some(&**name)));
    let there = list(row, "symbol_class").iter().map(|symbol| (symbol[0].as_u64(), symbol[1].as_str()));
    same("symbols", symbols.collect::<Vec<_>>(), there.collect())?;
    same("code", movie.code.len(), list(row, "abc").len())?;
    // The same text may stand in several places: each has as many entries as there are places.
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for (ours, theirs) in movie.code.iter().zip(list(row, "abc")) {
        same("name of code", Some(&*ours.name), theirs["name"].as_str())?;
        same("place of code", Some((ours.range.start - start) as u64), number(theirs, "offset"))?;
        same("bytes of code", Some(ours.range.len() as u64), number(theirs, "bytes"))?;
        let counts = [("strings", ours.strings), ("methods", ours.methods), ("classes", ours.classes)];
        for (key, own) in counts {
            same(key, Some(own as u64), number(theirs, key))?;
        }
        let folded = list(theirs, "agal_programs_folded").iter().map(|program| &program["text"]);
        let traits = list(theirs, "agal_trait_strings").iter().map(|text| &text[1]);
        for text in folded.chain(traits).filter_map(Value::as_str) {
            *wanted.entry(text.trim_end().to_string()).or_default() += 1;
        }
    }
    for entry in container.entries().get(binaries.len()..).unwrap_or_default() {
        let text = String::from_utf8_lossy(&bytes(&container, entry)?).trim_end().to_string();
        match wanted.get_mut(&text) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Err(format!("{} is not there: {text:?}", entry.address)),
        }
    }
    let missing = wanted.into_iter().find(|(_, count)| *count > 0);
    missing.map_or(Ok(()), |(text, count)| Err(format!("{count} times not found: {text:?}")))
}

fn image(row: &Value, file: &[u8]) -> Result<(), String> {
    let container = read(file)?;
    let Detail::Pe(image) = container.detail() else { return Err("no image".into()) };
    same("sections", image.sections.len(), list(row, "sections").len())?;
    for (ours, theirs) in image.sections.iter().zip(list(row, "sections")) {
        same("section", Some(&*ours.name), theirs["name"].as_str())?;
        same("address of a section", Some(u64::from(ours.address)), number(theirs, "rva"))?;
        same("place of a section", Some(ours.range.start as u64), number(theirs, "raw"))?;
        same("bytes of a section", Some(ours.range.len() as u64), number(theirs, "raw_size"))?;
    }
    same("resources", image.resources.len(), list(row, "resources").len())?;
    let resources = image.resources.iter().zip(container.entries());
    for ((ours, entry), theirs) in resources.zip(list(row, "resources")) {
        for (own, key) in [(&ours.ty, "type"), (&ours.name, "name")] {
            let own = match own {
                pe::Name::Id(id) => Value::from(*id),
                pe::Name::Text(text) => Value::from(&**text),
            };
            same(key, &own, &theirs[key])?;
        }
        same("language", Some(u64::from(ours.language)), number(theirs, "language"))?;
        same("place", Some(entry.part.range().start as u64), number(theirs, "file_offset"))?;
        same("bytes", Some(entry.size() as u64), number(theirs, "bytes"))?;
        same("hash", Some(&*sha256(&bytes(&container, entry)?)), theirs["sha256"].as_str())?;
    }
    Ok(())
}

fn xbox(row: &Value, file: &[u8]) -> Result<(), String> {
    let container = read(file)?;
    let Detail::Xbe(image) = container.detail() else { return Err("no image".into()) };
    let header = [
        ("base", image.base),
        ("headers_size", image.headers),
        ("image_size", image.memory),
        ("entry_raw", image.entry),
    ];
    for (key, own) in header {
        same(key, Some(u64::from(own)), number(row, key))?;
    }
    same("title", Some(&*image.title), row["title"].as_str())?;
    same("sections", image.sections.len(), list(row, "sections").len())?;
    for (ours, theirs) in image.sections.iter().zip(list(row, "sections")) {
        same("section", Some(&*ours.name), theirs["name"].as_str())?;
        let numbers = [
            ("flags", u64::from(ours.flags)),
            ("virtual_addr", u64::from(ours.address)),
            ("virtual_size", u64::from(ours.memory)),
            ("raw_addr", ours.range.start as u64),
            ("raw_size", ours.range.len() as u64),
        ];
        for (key, own) in numbers {
            same(key, Some(own), number(theirs, key))?;
        }
        same("digest", Some(&*vecasm::isa::to_hex(&ours.digest)), theirs["digest_field"].as_str())?;
        let raw = file.get(ours.range.clone()).unwrap_or_default();
        same("hash of a section", Some(&*sha256(raw)), theirs["sha256"].as_str())?;
    }
    let wanted = &row["nv2a_program"];
    holds(&container, core::slice::from_ref(wanted))?;
    // Where nobody knows that it is an image, the program is the first that is found.
    let found = scan(file, &Options::default().with_containers(false), &mut budget());
    let Some(hit) = found.hits.first() else { return Err("nothing is found".into()) };
    same("offset", Some(hit.range.start as u64), number(wanted, "file_offset"))?;
    same("hash", Some(&*sha256(&file[hit.range.clone()])), wanted["sha256"].as_str())
}
