//! `vecasm opt --fit`: programs of Direct3D made to fit a model.

use super::{Args, Done, counts, judge, payload_of, refuse, shown_diff, unit};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::targets::ByteFormat;
use crate::{Failure, Outcome};
use serde_json::{Value, json};
use vecasm::code::d3d9::Model;
use vecasm::ir::Promise;
use vecasm::lower::{FitOptions, Fitted, Relief, fit};

/// Makes a program fit a model.
pub(super) fn one(
    args: &Args,
    model: Model,
    loaded: Loaded,
    notation: Option<ByteFormat>,
    ctx: &Ctx,
) -> Outcome<Done> {
    let options =
        FitOptions::default().with_promise(args.promise.unwrap_or(Promise::Close)).with_checked(args.prove);
    let made = fit(&loaded.program, model, &options).map_err(|findings| {
        for finding in findings {
            loaded.report(finding, ctx);
        }
        Failure::Shader
    })?;
    for note in &made.notes {
        loaded.report(note.clone(), ctx);
    }
    let judged = (made.changed && args.prove).then(|| judge(&loaded, &made.program, Some(&made.link)));
    let judged = match judged.transpose() {
        // What is kept less than its operations differs where the notes say so.
        Err(_) if made.promise.is_weaker_than(Promise::Operations) => {
            Some("differs where the notes say".into())
        }
        judged => judged.map_err(|why| refuse(&loaded, &why, ctx))?,
    };
    let diff =
        if made.changed && args.diff { shown_diff(&loaded, &made.program, ctx) } else { String::new() };
    let payload = payload_of(&loaded, made.changed.then_some(&made.program), notation);
    let line = line(&loaded, model, &made, judged.as_deref());
    let record = record(&loaded, model, &made, judged.as_deref());
    let layout = serde_json::from_str(&made.link.write()).unwrap_or_default();
    Ok(Done { isa: loaded.program.isa(), payload, line, record, diff, layout, input: loaded.input })
}

/// `sky.ps: fits ps_2_0: 71 → 62 slots, 2 conditionals less`.
fn line(loaded: &Loaded, model: Model, made: &Fitted, judged: Option<&str>) -> String {
    let slots = counts(made.slots, unit(loaded.program.isa()));
    let mut out = format!("{}: fits {}: {slots}", loaded.input.name, model.name);
    if !made.changed {
        out.push_str(", as it is");
    }
    if made.registers[0] != made.registers[1] {
        out.push_str(&format!(", {}", counts(made.registers, "temporary register")));
    }
    // The numbers of slots say how much shorter it is.
    for relief in made.reliefs.iter().filter(|relief| !matches!(relief, Relief::Shorter(_))) {
        out.push_str(&format!(", {relief}"));
    }
    if let Some(judged) = judged {
        out.push_str(&format!(", {judged}"));
    }
    out
}

/// The same as JSON.
fn record(loaded: &Loaded, model: Model, made: &Fitted, judged: Option<&str>) -> Value {
    let relief = |of: &Relief| json!({ "relief": of.name(), "message": of.to_string() });
    let mut out = json!({
        "file": loaded.input.name.raw(),
        "isa": loaded.program.isa().name(),
        "stage": loaded.program.stage().name(),
        "model": model.name,
        "changed": made.changed,
        "unit": "slots",
        "instructions": made.slots,
        "registers": made.registers,
        "promise": made.promise.name(),
        "reliefs": made.reliefs.iter().map(relief).collect::<Value>(),
    });
    if made.changed {
        out["steps"] = json!(made.steps);
    }
    if let Some(judged) = judged {
        out["proof"] = json!(judged);
    }
    out
}
