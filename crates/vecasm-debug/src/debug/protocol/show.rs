//! What is to be seen in a session, as JSON. docs/debugging.md describes the objects.

use super::super::condition::Evaluation;
use super::super::session::view::{
    AccessView, Ancestry, CellView, FileView, Masked, Origin, Place, TextureView, View, WatchView,
};
use super::super::session::{Breakpoint, Session, Stop};
use alloc::format;
use alloc::vec::Vec;
use vecasm_exec::json;
use vecasm_exec::json::{Json, Object};
use vecasm_ir::ir::Scalar;

/// A lane: a number, or true or false, by its type; a number that is not finite as a text of its bits.
pub(super) fn lane(scalar: Scalar, bits: u32) -> Json {
    match scalar {
        Scalar::Bool => Json::Bool(bits != 0),
        Scalar::I32 => Json::from(bits as i32),
        // The shortest decimals that give the f32, not those of the f64 it would become.
        Scalar::F32 => match format!("{}", f32::from_bits(bits)).parse::<f64>() {
            Ok(value) if value.is_finite() => Json::from(value),
            _ => hex(bits),
        },
        _ => Json::from(bits),
    }
}

fn hex(bits: u32) -> Json {
    Json::from(format!("0x{bits:08x}"))
}

fn lanes(scalar: Scalar, bits: &[Option<u32>]) -> Json {
    bits.iter().map(|bits| bits.map_or(Json::Null, |bits| lane(scalar, bits))).collect()
}

fn all_bits(bits: &[Option<u32>]) -> Json {
    bits.iter().map(|bits| bits.map_or(Json::Null, hex)).collect()
}

pub(super) fn stop(stop: &Stop) -> Json {
    json!({ "reason": stop.reason.name(), "breakpoints": &stop.breakpoints })
}

fn masked(masked: &Masked) -> Json {
    json!({ "invocation": masked.invocation, "line": masked.line, "why": &masked.text })
}

pub(super) fn place(place: &Place) -> Json {
    json!({
        "moment": place.moment,
        "line": place.line,
        "step": place.source,
        "part": place.part,
        "unit": if place.part_name.is_empty() { Json::Null } else { place.part_name.as_str().into() },
        "instruction": &place.instruction,
        "live": &place.live,
        "masked": place.masked.iter().map(masked).collect::<Json>(),
    })
}

fn cell(cell: &CellView) -> Json {
    let bits: Vec<Option<u32>> = cell.lanes.lanes().map(|lane| cell.bits[lane]).collect();
    let mut out = Object::new();
    out.insert("name", cell.name.as_str());
    if !cell.alias.is_empty() {
        out.insert("alias", cell.alias.as_str());
    }
    out.insert("type", cell.scalar.name());
    out.insert("lanes", cell.lanes.letters());
    out.insert("value", lanes(cell.scalar, &bits));
    out.insert("bits", all_bits(&bits));
    out.insert("written", cell.written.letters());
    out.insert("changed", cell.changed.letters());
    out.into()
}

fn cells(list: &[CellView]) -> Json {
    list.iter().map(cell).collect()
}

fn files(files: &[FileView]) -> Json {
    files.iter().map(|file| json!({ "file": &file.name, "registers": cells(&file.cells) })).collect()
}

fn access(access: &AccessView) -> Json {
    let bits: Vec<Option<u32>> = access.bits.iter().copied().map(Some).collect();
    json!({
        "name": &access.name,
        "lanes": access.lanes.letters(),
        "type": access.scalar.name(),
        "value": lanes(access.scalar, &bits),
        "bits": all_bits(&bits),
    })
}

fn write(write: &AccessView) -> Json {
    let mut out = access(write).into_object();
    out.insert("old", lanes(write.scalar, &write.old));
    out.into()
}

fn textures(list: &[TextureView]) -> Json {
    let one = |texture: &TextureView| {
        let floats = |bits: &[u32; 4]| lanes(Scalar::F32, &bits.map(Some));
        let reads = texture.reads.iter();
        json!({
            "name": &texture.info.name,
            "slot": texture.info.slot,
            "dim": texture.info.dim.name(),
            "size": &texture.info.size,
            "layers": texture.info.layers,
            "levels": texture.info.levels,
            "read": reads.map(|(at, texel)| json!({ "at": floats(at), "texel": floats(texel) })).collect::<Json>(),
        })
    };
    list.iter().map(one).collect()
}

pub(super) fn found(found: &Evaluation) -> Json {
    match found {
        Evaluation::Truth(truth) => json!({ "type": "condition", "value": truth }),
        Evaluation::Lanes(bits, scalar) => {
            json!({ "type": scalar.name(), "value": lanes(*scalar, bits), "bits": all_bits(bits) })
        }
    }
}

pub(super) fn watch(watch: &WatchView) -> Json {
    let mut out = json!({ "watch": watch.id, "text": &watch.text }).into_object();
    out.extend(found(&watch.value).into_object());
    out.into()
}

pub(super) fn watches(list: &[WatchView]) -> Json {
    list.iter().map(watch).collect()
}

pub(super) fn breakpoint(point: &Breakpoint) -> Json {
    let condition = if point.condition.is_empty() { Json::Null } else { point.condition.as_str().into() };
    json!({ "breakpoint": point.id, "line": point.line, "if": condition, "enabled": point.enabled })
}

/// Where a session stands, in short.
pub(super) fn position(session: &Session) -> Object {
    let next = session.place(session.time());
    let chosen = session.recording().first() + session.invocation();
    let away = next.as_ref().and_then(|place| place.masked.iter().find(|m| m.invocation == chosen));
    let (_, writes) = session.time().checked_sub(1).map_or_else(Default::default, |t| session.accesses(t));
    let mut out = Object::new();
    out.insert("time", session.time());
    out.insert("line", session.line());
    out.insert("instruction", next.as_ref().map_or(Json::Null, |p| p.instruction.as_str().into()));
    out.insert(
        "unit",
        match next.as_ref().map(|place| place.part_name.as_str()) {
            None | Some("") => Json::Null,
            Some(unit) => unit.into(),
        },
    );
    out.insert("masked", away.map_or(Json::Null, masked));
    out.insert("wrote", writes.iter().map(write).collect::<Json>());
    out
}

pub(super) fn view(view: &View) -> Object {
    let place_or_null = |at: &Option<Place>| at.as_ref().map_or(Json::Null, place);
    let value = json!({
        "time": view.time,
        "end": view.end,
        "cut": view.cut,
        "invocation": view.invocation,
        "group": &view.group,
        "next": place_or_null(&view.next),
        "last": place_or_null(&view.last),
        "masked": view.masked.as_ref().map_or(Json::Null, masked),
        "reads": view.reads.iter().map(access).collect::<Json>(),
        "wrote": view.writes.iter().map(write).collect::<Json>(),
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
    value.into_object()
}

pub(super) fn ancestry(of: &Ancestry) -> Object {
    let step = |(at, writes): &(Place, Vec<AccessView>)| {
        json!({
            "moment": at.moment,
            "line": at.line,
            "step": at.source,
            "instruction": &at.instruction,
            "wrote": writes.iter().map(write).collect::<Json>(),
        })
    };
    let root = |(origin, access): &(Origin, AccessView)| {
        json!({
            "origin": origin.name(),
            "name": &access.name,
            "lanes": access.lanes.letters(),
            "value": lanes(access.scalar, &access.old),
        })
    };
    let mut out = Object::new();
    out.insert("of", of.name.as_str());
    out.insert("steps", of.steps.iter().map(step).collect::<Json>());
    out.insert("roots", of.roots.iter().map(root).collect::<Json>());
    out.insert("may", of.may.iter().copied().map(Json::from).collect::<Json>());
    out.insert("cut", of.cut);
    out
}
