//! What is to be seen in a session, as JSON. docs/debugging.md describes the objects.

use serde_json::{Map, Value, json};
use vecasm::debug::condition::Found;
use vecasm::debug::session::view::{
    AccessView, Ancestry, CellView, FileView, Masked, Place, TextureView, View, WatchView,
};
use vecasm::debug::session::{Breakpoint, Session, Stop};
use vecasm::ir::Scalar;

/// A lane: a number, or true or false, by its type; a number that is not finite as a text of its bits.
pub(super) fn lane(scalar: Scalar, bits: u32) -> Value {
    match scalar {
        Scalar::Bool => Value::Bool(bits != 0),
        Scalar::I32 => Value::from(bits as i32),
        // The shortest decimals that give the f32, not those of the f64 it would become.
        Scalar::F32 => match format!("{}", f32::from_bits(bits)).parse::<f64>() {
            Ok(value) if value.is_finite() => Value::from(value),
            _ => hex(bits),
        },
        _ => Value::from(bits),
    }
}

fn hex(bits: u32) -> Value {
    Value::from(format!("0x{bits:08x}"))
}

fn lanes(scalar: Scalar, bits: &[Option<u32>]) -> Value {
    bits.iter().map(|bits| bits.map_or(Value::Null, |bits| lane(scalar, bits))).collect()
}

fn all_bits(bits: &[Option<u32>]) -> Value {
    bits.iter().map(|bits| bits.map_or(Value::Null, hex)).collect()
}

pub(super) fn stop(stop: &Stop) -> Value {
    json!({ "reason": stop.reason.name(), "breakpoints": stop.breakpoints })
}

pub(super) fn masked(masked: &Masked) -> Value {
    json!({ "invocation": masked.invocation, "line": masked.line, "why": masked.text })
}

pub(super) fn place(place: &Place) -> Value {
    json!({
        "moment": place.moment,
        "line": place.line,
        "step": place.source,
        "part": place.part,
        "unit": if place.part_name.is_empty() { Value::Null } else { place.part_name.as_str().into() },
        "instruction": place.instruction,
        "live": place.live,
        "masked": place.masked.iter().map(masked).collect::<Value>(),
    })
}

pub(super) fn cell(cell: &CellView) -> Value {
    let bits: Vec<Option<u32>> = cell.lanes.lanes().map(|lane| cell.bits[lane]).collect();
    let mut out = Map::new();
    out.insert("name".into(), cell.name.as_str().into());
    if !cell.alias.is_empty() {
        out.insert("alias".into(), cell.alias.as_str().into());
    }
    out.insert("type".into(), cell.scalar.name().into());
    out.insert("lanes".into(), cell.lanes.letters().into());
    out.insert("value".into(), lanes(cell.scalar, &bits));
    out.insert("bits".into(), all_bits(&bits));
    out.insert("written".into(), cell.written.letters().into());
    out.insert("changed".into(), cell.changed.letters().into());
    Value::Object(out)
}

pub(super) fn cells(list: &[CellView]) -> Value {
    list.iter().map(cell).collect()
}

pub(super) fn files(files: &[FileView]) -> Value {
    files.iter().map(|file| json!({ "file": file.name, "registers": cells(&file.cells) })).collect()
}

pub(super) fn access(access: &AccessView) -> Value {
    let bits: Vec<Option<u32>> = access.bits.iter().copied().map(Some).collect();
    json!({
        "name": access.name,
        "lanes": access.lanes.letters(),
        "type": access.scalar.name(),
        "value": lanes(access.scalar, &bits),
        "bits": all_bits(&bits),
    })
}

pub(super) fn write(write: &AccessView) -> Value {
    let mut out = access(write);
    out["old"] = lanes(write.scalar, &write.old);
    out
}

pub(super) fn textures(list: &[TextureView]) -> Value {
    let one = |texture: &TextureView| {
        let floats = |bits: &[u32; 4]| lanes(Scalar::F32, &bits.map(Some));
        let reads = texture.reads.iter();
        json!({
            "name": texture.info.name,
            "slot": texture.info.slot,
            "dim": texture.info.dim.name(),
            "size": texture.info.size,
            "layers": texture.info.layers,
            "levels": texture.info.levels,
            "read": reads.map(|(at, texel)| json!({ "at": floats(at), "texel": floats(texel) })).collect::<Value>(),
        })
    };
    list.iter().map(one).collect()
}

pub(super) fn found(found: &Found) -> Value {
    match found {
        Found::Truth(truth) => json!({ "type": "condition", "value": truth }),
        Found::Lanes(bits, scalar) => {
            json!({ "type": scalar.name(), "value": lanes(*scalar, bits), "bits": all_bits(bits) })
        }
    }
}

pub(super) fn watches(list: &[WatchView]) -> Value {
    let one = |watch: &WatchView| {
        let mut out = json!({ "watch": watch.id, "text": watch.text });
        if let (Some(out), Value::Object(value)) = (out.as_object_mut(), found(&watch.value)) {
            out.extend(value);
        }
        out
    };
    list.iter().map(one).collect()
}

pub(super) fn breakpoint(point: &Breakpoint) -> Value {
    let condition = if point.condition.is_empty() { Value::Null } else { point.condition.as_str().into() };
    json!({ "breakpoint": point.id, "line": point.line, "if": condition, "enabled": point.enabled })
}

/// Where a session stands, in short.
pub(super) fn position(session: &Session) -> Map<String, Value> {
    let next = session.place(session.time());
    let chosen = session.recording().first() + session.invocation();
    let away = next.as_ref().and_then(|place| place.masked.iter().find(|m| m.invocation == chosen));
    let (_, writes) = session.time().checked_sub(1).map_or_else(Default::default, |t| session.accesses(t));
    let mut out = Map::new();
    out.insert("time".into(), session.time().into());
    out.insert("line".into(), session.line().into());
    out.insert("instruction".into(), next.as_ref().map_or(Value::Null, |p| p.instruction.as_str().into()));
    out.insert(
        "unit".into(),
        match next.as_ref().map(|place| place.part_name.as_str()) {
            None | Some("") => Value::Null,
            Some(unit) => unit.into(),
        },
    );
    out.insert("masked".into(), away.map_or(Value::Null, masked));
    out.insert("wrote".into(), writes.iter().map(write).collect());
    out
}

pub(super) fn view(view: &View) -> Map<String, Value> {
    let place_or_null = |at: &Option<Place>| at.as_ref().map_or(Value::Null, place);
    let value = json!({
        "time": view.time,
        "end": view.end,
        "cut": view.cut,
        "invocation": view.invocation,
        "group": view.group,
        "next": place_or_null(&view.next),
        "last": place_or_null(&view.last),
        "masked": view.masked.as_ref().map_or(Value::Null, masked),
        "reads": view.reads.iter().map(access).collect::<Value>(),
        "wrote": view.writes.iter().map(write).collect::<Value>(),
        "registers": files(&view.registers),
        "inputs": cells(&view.inputs),
        "constants": cells(&view.constants),
        "states": cells(&view.states),
        "outputs": cells(&view.outputs),
        "textures": textures(&view.textures),
        "watches": watches(&view.watches),
        "killed": view.killed,
        "exhausted": view.exhausted,
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

pub(super) fn ancestry(of: &Ancestry) -> Map<String, Value> {
    let step = |(at, writes): &(Place, Vec<AccessView>)| {
        json!({
            "moment": at.moment,
            "line": at.line,
            "step": at.source,
            "instruction": at.instruction,
            "wrote": writes.iter().map(write).collect::<Value>(),
        })
    };
    let root = |(origin, access): &(vecasm::debug::session::view::Origin, AccessView)| {
        json!({
            "origin": origin.name(),
            "name": access.name,
            "lanes": access.lanes.letters(),
            "value": lanes(access.scalar, &access.old),
        })
    };
    let mut out = Map::new();
    out.insert("of".into(), of.name.as_str().into());
    out.insert("steps".into(), of.steps.iter().map(step).collect());
    out.insert("roots".into(), of.roots.iter().map(root).collect());
    out.insert("may".into(), of.may.iter().copied().map(Value::from).collect());
    out.insert("cut".into(), of.cut.into());
    out
}
