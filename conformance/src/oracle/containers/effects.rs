//! Effects: of Direct3D 9, alone or in assets, and of MonoGame.

use super::{budget, bytes, list, number, read, same, sha256};
use serde_json::Value;
use vecasm::container::{Address, Container, Detail, Entry, Format, Kind, Limits, find, fx2, mgfx};

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

/// Checks an effect of Direct3D 9 against its row.
pub(super) fn effect(row: &Value, file: &[u8]) -> Result<(), String> {
    let outer = read(file)?;
    let (container, _) = inner(&outer)?;
    let start = if outer.format() == Format::Xnb { number(row, "effect_offset").unwrap_or(0) } else { 0 };
    let Detail::Fx2(effect) = container.detail() else { return Err("no effect".into()) };
    same("pool", Some(effect.pool_bytes as u64), number(row, "pool_bytes"))?;
    same("third number", Some(u64::from(effect.third)), number(row, "third_count"))?;
    same("objects", Some(u64::from(effect.object_count)), number(row, "object_count"))?;
    let small = effect.objects.iter().filter(|object| matches!(object.owner, fx2::Owner::Small(_))).count();
    same("objects of parameters", Some(small as u64), number(row, "small_objects"))?;
    same("objects of states", Some((effect.objects.len() - small) as u64), number(row, "large_objects"))?;
    same("bytes", Some(container.file().len() as u64), number(row, "effect_bytes"))?;
    let wrapper = effect.wrapper.as_ref().map(|words| {
        // The mark and the size stand in front of the words that are kept.
        let all = [0xBCF0_0BCF, 8 + 4 * words.len() as u32].into_iter().chain(words.iter().copied());
        all.map(|word| format!("{word:08x}")).collect::<Vec<_>>()
    });
    let theirs = row["xna_prefix"].as_array();
    let theirs = theirs.map(|words| words.iter().filter_map(|w| w.as_str().map(String::from)).collect());
    same("wrapper", wrapper, theirs)?;
    same("parameters", effect.parameters.len(), list(row, "parameters").len())?;
    for (ours, theirs) in effect.parameters.iter().zip(list(row, "parameters")) {
        parameter(effect, container.file(), ours, theirs)?;
    }
    same("techniques", effect.techniques.len(), list(row, "techniques").len())?;
    for (ours, theirs) in effect.techniques.iter().zip(list(row, "techniques")) {
        same("technique", ours.name.as_deref(), theirs["name"].as_str())?;
        annotations(effect, container.file(), &ours.annotations, list(theirs, "annotations"))?;
        same("passes", ours.passes.len(), list(theirs, "passes").len())?;
        for (ours, theirs) in ours.passes.iter().zip(list(theirs, "passes")) {
            same("pass", ours.name.as_deref(), theirs["name"].as_str())?;
            annotations(effect, container.file(), &ours.annotations, list(theirs, "annotations"))?;
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
        let blob = bytes(&container, entry)?;
        if let Some(hash) = theirs["sha256"].as_str() {
            same(address, sha256(&blob), hash.into())?;
        }
        let version =
            blob.get(..4).map(|word| format!("{:02x}{:02x}{:02x}{:02x}", word[3], word[2], word[1], word[0]));
        if entry.kind != Kind::Selector && theirs["version"].is_string() {
            same(address, version.as_deref(), theirs["version"].as_str())?;
        }
        let stage = match entry.stage {
            Some(vecasm::ir::Stage::Vertex) => Some("vs"),
            Some(_) => Some("ps"),
            None => theirs["stage"].as_str().filter(|&stage| stage == "fx"),
        };
        same(address, stage, theirs["stage"].as_str())?;
        match entry.kind {
            Kind::Reference => same(address, fx2::reference(&blob), theirs["parameter"].as_str())?,
            Kind::Selector => {
                let (name, at) = fx2::selector(&blob).ok_or_else(|| format!("{address}: no choice"))?;
                same(address, Some(name), theirs["parameter"].as_str())?;
                let place = entry.part.range().start + at;
                same(address, Some(place as u64 + start), number(theirs, "expression_offset"))?;
            }
            _ => {}
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
    typed(effect, file, &ours.ty, &ours.value, theirs)?;
    same("flags", Some(u64::from(ours.flags)), number(theirs, "flags"))?;
    annotations(effect, file, &ours.annotations, list(theirs, "annotations"))?;
    for (element, theirs) in ours.value.iter().zip(list(theirs, "sampler_states")) {
        let fx2::Element::Sampler(ours) = element else { return Err("no sampler".into()) };
        let theirs = theirs.as_array().map_or(&[][..], |list| list);
        same("states", ours.len(), theirs.len())?;
        for (ours, theirs) in ours.iter().zip(theirs) {
            sampler_state(effect, file, ours, theirs)?;
        }
    }
    Ok(())
}

/// A parameter, an annotation or a member: its type and its value.
fn typed(
    effect: &fx2::Effect,
    file: &[u8],
    ty: &fx2::Type,
    value: &fx2::Value,
    theirs: &Value,
) -> Result<(), String> {
    same("name", ty.name.as_deref(), theirs["name"].as_str())?;
    same("semantic", ty.semantic.as_deref(), theirs["semantic"].as_str())?;
    same("class", Some(ty.class.name()), theirs["class"].as_str())?;
    same("type", Some(ty.base.name()), theirs["type"].as_str())?;
    for (key, number_of) in [("rows", ty.rows), ("columns", ty.columns), ("elements", ty.elements)] {
        same(key, Some(u64::from(number_of)), number(theirs, key))?;
    }
    if let Some(hex) = theirs["value_hex"].as_str() {
        let mut words = Vec::new();
        collect(value, &mut words);
        same("value", hex_of(&words), hex.into())?;
    }
    if let (Some(text), [fx2::Element::Object(id), ..]) = (theirs["string"].as_str(), &value[..]) {
        same("text", effect.text(file, *id), Some(text))?;
    }
    // Rows have no members of annotations and of parameters that are no structures to D3DX.
    let theirs = list(theirs, "members");
    if theirs.is_empty() {
        return Ok(());
    }
    same("members", ty.members.len(), theirs.len())?;
    // D3DX gives those of the first element.
    let Some(fx2::Element::Members(values)) = value.first() else { return Err("no members".into()) };
    for ((ty, value), theirs) in ty.members.iter().zip(values).zip(theirs) {
        typed(effect, file, ty, value, theirs)?;
    }
    Ok(())
}

fn annotations(
    effect: &fx2::Effect,
    file: &[u8],
    ours: &[fx2::Annotation],
    theirs: &[Value],
) -> Result<(), String> {
    same("annotations", ours.len(), theirs.len())?;
    for (ours, theirs) in ours.iter().zip(theirs) {
        typed(effect, file, &ours.ty, &ours.value, theirs)?;
    }
    Ok(())
}

/// Words as bytes, in digits.
fn hex_of(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    vecasm::isa::to_hex(&bytes)
}

fn states(ours: &[fx2::State], theirs: &[Value]) -> Result<(), String> {
    same("states", ours.len(), theirs.len())?;
    for (ours, theirs) in ours.iter().zip(theirs) {
        state(ours, theirs)?;
        match &ours.value[..] {
            // The number of an object.
            [fx2::Element::Object(id)] => {
                same("value of a state", Some(u64::from(*id)), number(theirs, "value"))?;
            }
            _ => same("value of a state", &numbers(&ours.value)[..], &words(&theirs["value"])[..])?,
        }
    }
    Ok(())
}

fn state(ours: &fx2::State, theirs: &Value) -> Result<(), String> {
    same("state", Some(u64::from(ours.op)), number(theirs, "op"))?;
    same("index of a state", Some(u64::from(ours.index)), number(theirs, "index"))?;
    same("type of a state", Some(ours.ty.base.name()), theirs["type"].as_str())
}

/// A state of a sampler. What an object says instead of its words is the name of a texture, or an expression, which the rows have byte
/// by byte.
fn sampler_state(effect: &fx2::Effect, file: &[u8], ours: &fx2::State, theirs: &Value) -> Result<(), String> {
    state(ours, theirs)?;
    if theirs["words"].is_array() {
        same("value of a state", &numbers(&ours.value)[..], &words(&theirs["words"])[..])?;
    }
    let blob =
        ours.object.and_then(|n| effect.objects.get(n)).and_then(|object| file.get(object.range.clone()));
    let text = blob.filter(|blob| !blob.is_empty()).map(|blob| {
        let text: String = blob.iter().map(|&byte| byte as char).collect();
        text.trim_end_matches('\0').to_string()
    });
    let theirs = theirs["texture_parameter"].as_str().map(|text| text.trim_end_matches('\0').to_string());
    same("texture", text, theirs)
}

/// The words of a value, as numbers of a row.
fn numbers(value: &fx2::Value) -> Vec<u64> {
    let mut out = Vec::new();
    collect(value, &mut out);
    out.into_iter().map(u64::from).collect()
}

fn words(list: &Value) -> Vec<u64> {
    list.as_array().map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_u64).collect())
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

/// Checks an effect of MonoGame against its row.
pub(super) fn monogame(row: &Value, file: &[u8]) -> Result<(), String> {
    let outer = read(file)?;
    let (container, start) = inner(&outer)?;
    let Detail::Mgfx(effect) = container.detail() else { return Err("no effect".into()) };
    same("version", Some(u64::from(effect.version)), number(row, "version"))?;
    same("profile", Some(u64::from(effect.profile)), number(row, "profile"))?;
    same("key", Some(u64::from(effect.key)), number(row, "effect_key"))?;
    same("buffers", effect.buffers.len(), list(row, "constant_buffers").len())?;
    for (ours, theirs) in effect.buffers.iter().zip(list(row, "constant_buffers")) {
        // A name that the profile has no room for is an empty one there.
        same("name of a buffer", Some(ours.name.as_deref().unwrap_or("")), theirs["name"].as_str())?;
        same("bytes of a buffer", Some(u64::from(ours.bytes)), number(theirs, "bytes"))?;
        let fields = ours.fields.iter().map(|(n, offset)| vec![u64::from(*n), u64::from(*offset)]);
        let there = list(theirs, "parameters").iter().map(words);
        same("fields of a buffer", fields.collect::<Vec<_>>(), there.collect())?;
    }
    same("shaders", effect.shaders.len(), list(row, "shaders").len())?;
    same("entries", container.entries().len(), effect.shaders.len())?;
    for ((ours, entry), theirs) in effect.shaders.iter().zip(container.entries()).zip(list(row, "shaders")) {
        shader(ours, start, theirs)?;
        let code = bytes(&container, entry)?;
        // The reader of the rows does not tell code of Vulkan.
        if number(row, "profile") == Some(80) {
            same("kind of code", &entry.kind, &Kind::Foreign("SPIR-V".into()))?;
            continue;
        }
        // Rows of assets have no hashes: places and sizes tell as much.
        if let Some(hash) = theirs["sha256"].as_str() {
            same("hash", &*sha256(&code), hash)?;
        }
        let payload = match &entry.kind {
            Kind::Container(Format::Dxbc) => "dxbc",
            Kind::Foreign(what) => &what.to_ascii_lowercase(),
            _ => "",
        };
        if let Some(theirs) = theirs["payload"].as_str() {
            same("kind of code", payload, theirs)?;
        }
    }
    same("parameters", effect.parameters.len(), list(row, "parameters").len())?;
    for (ours, theirs) in effect.parameters.iter().zip(list(row, "parameters")) {
        field(ours, theirs)?;
    }
    same("techniques", effect.techniques.len(), list(row, "techniques").len())?;
    for (ours, theirs) in effect.techniques.iter().zip(list(row, "techniques")) {
        same("technique", Some(&*ours.name), theirs["name"].as_str())?;
        same("passes", ours.passes.len(), list(theirs, "passes").len())?;
        for (ours, theirs) in ours.passes.iter().zip(list(theirs, "passes")) {
            same("pass", Some(&*ours.name), theirs["name"].as_str())?;
            let shader = |n: Option<u32>| Some(n.map_or(-1, i64::from));
            same("vertex shader", shader(ours.vertex), theirs["vs"].as_i64())?;
            same("pixel shader", shader(ours.pixel), theirs["ps"].as_i64())?;
            for (ours, key) in
                [(&ours.blend, "blend_hex"), (&ours.depth, "depth_hex"), (&ours.raster, "raster_hex")]
            {
                same(key, ours.as_deref().map(vecasm::isa::to_hex).as_deref(), theirs[key].as_str())?;
            }
        }
    }
    same("tail", Some(effect.ends_well), row["tail_ok"].as_bool())?;
    same("end", Some((effect.end + start) as u64), number(row, "end"))
}

/// A program of an effect of MonoGame that begins at `start` in its file.
fn shader(ours: &mgfx::Shader, start: usize, theirs: &Value) -> Result<(), String> {
    same("offset", Some((ours.range.start + start) as u64), number(theirs, "offset"))?;
    same("bytes", Some(ours.range.len() as u64), number(theirs, "bytes"))?;
    same("vertex", Some(ours.stage == vecasm::ir::Stage::Vertex), theirs["vertex"].as_bool())?;
    same("samplers", ours.samplers.len(), list(theirs, "samplers").len())?;
    for (ours, theirs) in ours.samplers.iter().zip(list(theirs, "samplers")) {
        same("name of a sampler", Some(&*ours.name), theirs["name"].as_str())?;
        let numbers = [
            ("type", ours.kind),
            ("texture_slot", ours.texture),
            ("sampler_slot", ours.sampler),
            ("parameter", ours.parameter),
        ];
        for (key, own) in numbers {
            same(key, Some(u64::from(own)), number(theirs, key))?;
        }
        same("state of a sampler", ours.state.is_some(), !theirs["state"].is_null())?;
    }
    let buffers: Vec<u64> = ours.buffers.iter().map(|&n| n.into()).collect();
    same("buffers of a program", buffers, words(&theirs["cbuffers"]))?;
    same("attributes", ours.attributes.len(), list(theirs, "attributes").len())?;
    for (ours, theirs) in ours.attributes.iter().zip(list(theirs, "attributes")) {
        same("name of an attribute", Some(&*ours.name), theirs["name"].as_str())?;
        same("usage", Some(u64::from(ours.usage.0)), number(theirs, "usage"))?;
        same("index of a usage", Some(u64::from(ours.usage.1)), number(theirs, "index"))?;
        same("location", Some(i64::from(ours.location)), theirs["location"].as_i64())?;
    }
    let (source, entry) = ours.source.as_ref().map_or((None, None), |(s, e)| (Some(&**s), Some(&**e)));
    same("source", source, theirs["source"].as_str())?;
    same("entry point", entry, theirs["entry"].as_str())
}

/// A parameter, an element or a member of one.
fn field(ours: &mgfx::Parameter, theirs: &Value) -> Result<(), String> {
    same("name", Some(&*ours.name), theirs["name"].as_str())?;
    same("semantic", &*ours.semantic, theirs["semantic"].as_str().unwrap_or(""))?;
    let numbers =
        [("class", ours.class), ("type", ours.base), ("rows", ours.size.0), ("columns", ours.size.1)];
    for (key, own) in numbers {
        same(key, Some(u64::from(own)), number(theirs, key))?;
    }
    if let Some(hex) = theirs["value_hex"].as_str() {
        same("default", hex_of(&ours.value), hex.into())?;
    }
    for (ours, key) in [(&ours.elements, "elements"), (&ours.members, "members")] {
        same(key, ours.len(), list(theirs, key).len())?;
        for (ours, theirs) in ours.iter().zip(list(theirs, key)) {
            field(ours, theirs)?;
        }
    }
    Ok(())
}
