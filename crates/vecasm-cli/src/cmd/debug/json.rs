//! `vecasm debug --json`: a request a line, an answer a line. docs/debugging.md is the manual.

use super::show;
use crate::Outcome;
use serde_json::{Map, Value, json};
use std::io::{BufRead as _, Read as _, Write as _};
use vecasm::debug::session::{Session, Stop};
use vecasm::ir::steps::Cell;
use vecasm::isa::operand::LANES;

/// Version of the protocol: it grows when an old client would not understand.
const VERSION: u32 = 1;
/// Longest request, in bytes.
const MAX_REQUEST: u64 = 1 << 20;
/// Most moments that one answer lists.
const MAX_LISTED: usize = 10_000;

type Answer = Result<Map<String, Value>, String>;

/// A request: its word, and what answers it.
struct Request {
    word: &'static str,
    answer: fn(&mut Session, &Value) -> Answer,
}

const REQUESTS: &[Request] = &[
    Request { word: "hello", answer: hello },
    Request { word: "source", answer: source },
    Request { word: "state", answer: |s, _| Ok(show::view(&s.view())) },
    Request { word: "step", answer: |s, _| moved(s, Session::step) },
    Request { word: "back", answer: |s, _| moved(s, Session::step_back) },
    Request { word: "next", answer: |s, _| moved(s, Session::next_line) },
    Request { word: "previous", answer: |s, _| moved(s, Session::previous_line) },
    Request { word: "continue", answer: |s, _| moved(s, Session::resume) },
    Request { word: "reverse", answer: |s, _| moved(s, Session::reverse) },
    Request { word: "start", answer: |s, _| moved(s, Session::start) },
    Request { word: "end", answer: |s, _| moved(s, Session::end) },
    Request { word: "line", answer: line },
    Request { word: "go", answer: go },
    Request { word: "break", answer: set_break },
    Request { word: "breakpoints", answer: |s, _| Ok(breakpoints(s)) },
    Request { word: "enable", answer: enable },
    Request { word: "remove", answer: remove },
    Request { word: "watch", answer: watch },
    Request { word: "watches", answer: |s, _| Ok(one("watches", show::watches(&s.view().watches))) },
    Request { word: "evaluate", answer: evaluate },
    Request { word: "invocation", answer: invocation },
    Request { word: "ancestry", answer: ancestry },
    Request { word: "history", answer: history },
    Request { word: "moments", answer: moments },
];

/// Answers requests until there are no more.
pub(super) fn serve(mut session: Session) -> Outcome {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_REQUEST + 1).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        if line.len() as u64 > MAX_REQUEST {
            // What is left of the line belongs to it.
            while !line.ends_with(b"\n") {
                line.clear();
                if input.by_ref().take(MAX_REQUEST).read_until(b'\n', &mut line)? == 0 {
                    break;
                }
            }
            let answer = refused(&Value::Null, format!("a request is longer than {MAX_REQUEST} bytes"));
            writeln!(output, "{answer}")?;
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, last) = match serde_json::from_slice::<Value>(&line) {
            Ok(request) => (answer(&mut session, &request), request["do"] == "quit"),
            Err(error) => (refused(&Value::Null, format!("not JSON: {error}")), false),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
        if last {
            return Ok(());
        }
    }
}

fn refused(id: &Value, error: String) -> Value {
    json!({ "id": id, "ok": false, "error": error })
}

/// The answer to a request.
fn answer(session: &mut Session, request: &Value) -> Value {
    let id = &request["id"];
    let Some(word) = request["do"].as_str() else {
        return refused(id, "expected an object whose `do` is a string".into());
    };
    let answered = match REQUESTS.iter().find(|known| known.word == word) {
        Some(known) => (known.answer)(session, request),
        None if word == "quit" => Ok(Map::new()),
        None => {
            let words: Vec<&str> = REQUESTS.iter().map(|known| known.word).collect();
            Err(format!("no request `{word}`; expected one of {} and quit", words.join(", ")))
        }
    };
    match answered {
        Ok(fields) => {
            let mut out = Map::new();
            out.insert("id".into(), id.clone());
            out.insert("ok".into(), true.into());
            out.extend(fields);
            Value::Object(out)
        }
        Err(error) => refused(id, error),
    }
}

fn one(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_string(), value)])
}

fn hello(session: &mut Session, _: &Value) -> Answer {
    let shader = session.shader();
    let words: Vec<&str> = REQUESTS.iter().map(|known| known.word).chain(["quit"]).collect();
    let recording = session.recording();
    let value = json!({
        "protocol": "vecasm-debug",
        "version": VERSION,
        "vecasm": env!("CARGO_PKG_VERSION"),
        "requests": words,
        "isa": shader.isa,
        "stage": shader.stage.name(),
        "end": session.end_time(),
        "cut": recording.is_cut(),
        "invocation": recording.first() + session.invocation(),
        "group": (recording.first()..recording.first() + recording.group()).collect::<Vec<usize>>(),
    });
    match value {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

fn source(session: &mut Session, _: &Value) -> Answer {
    let mut out =
        one("lines", session.listing().lines().iter().map(String::as_str).map(Value::from).collect());
    out.insert("stops".into(), session.lines().iter().copied().map(Value::from).collect());
    Ok(out)
}

fn moved(session: &mut Session, by: fn(&mut Session) -> Stop) -> Answer {
    let stop = by(session);
    Ok(arrived(session, &stop))
}

fn arrived(session: &Session, stop: &Stop) -> Map<String, Value> {
    let mut out = one("stop", show::stop(stop));
    out.extend(show::position(session));
    out
}

fn number(request: &Value, field: &str) -> Result<u64, String> {
    request[field].as_u64().ok_or_else(|| format!("`{field}` must be a whole number"))
}

fn text<'a>(request: &'a Value, field: &str) -> Result<&'a str, String> {
    request[field].as_str().ok_or_else(|| format!("`{field}` must be a string"))
}

fn small(request: &Value, field: &str) -> Result<u32, String> {
    u32::try_from(number(request, field)?).map_err(|_| format!("`{field}` is too large"))
}

fn line(session: &mut Session, request: &Value) -> Answer {
    let line = small(request, "line")?;
    if !session.lines().contains(&line) {
        return Err(format!("no executable instruction in line {line}"));
    }
    let stop = session.run_to_line(line);
    Ok(arrived(session, &stop))
}

fn go(session: &mut Session, request: &Value) -> Answer {
    let time = usize::try_from(number(request, "time")?).unwrap_or(usize::MAX);
    let stop = session.go(time);
    Ok(arrived(session, &stop))
}

fn breakpoints(session: &Session) -> Map<String, Value> {
    one("breakpoints", session.breakpoints().iter().map(show::breakpoint).collect())
}

fn set_break(session: &mut Session, request: &Value) -> Answer {
    let condition = match &request["if"] {
        Value::Null => None,
        _ => Some(text(request, "if")?),
    };
    let point = match (&request["line"], condition) {
        (Value::Null, None) => return Err("a breakpoint needs a `line`, an `if`, or both".into()),
        (Value::Null, Some(condition)) => session.break_if(condition),
        (_, condition) => session.break_at(small(request, "line")?, condition),
    };
    match show::breakpoint(point.map_err(|error| error.to_string())?) {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

fn enable(session: &mut Session, request: &Value) -> Answer {
    let id = small(request, "breakpoint")?;
    let on = request["on"].as_bool().ok_or("`on` must be true or false")?;
    if !session.enable(id, on) {
        return Err(format!("no breakpoint {id}"));
    }
    Ok(breakpoints(session))
}

fn remove(session: &mut Session, request: &Value) -> Answer {
    let field = if request["watch"].is_null() { "breakpoint" } else { "watch" };
    let id = small(request, field)?;
    if !session.remove(id) {
        return Err(format!("no {field} {id}"));
    }
    Ok(breakpoints(session))
}

fn watch(session: &mut Session, request: &Value) -> Answer {
    let id = session.watch(text(request, "text")?).map_err(|error| error.to_string())?.id;
    let views = session.view().watches;
    let view: Vec<_> = views.into_iter().filter(|watch| watch.id == id).collect();
    match show::watches(&view) {
        Value::Array(mut list) => match list.pop() {
            Some(Value::Object(map)) => Ok(map),
            _ => Ok(Map::new()),
        },
        _ => Ok(Map::new()),
    }
}

fn evaluate(session: &mut Session, request: &Value) -> Answer {
    let found = session.evaluate(text(request, "text")?).map_err(|error| error.to_string())?;
    match show::found(&found) {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

fn invocation(session: &mut Session, request: &Value) -> Answer {
    let wanted = usize::try_from(number(request, "invocation")?).unwrap_or(usize::MAX);
    let first = session.recording().first();
    if wanted < first || !session.select(wanted - first) {
        let last = first + session.recording().group().saturating_sub(1);
        return Err(format!("the group has the invocations {first} to {last}"));
    }
    let mut out = one("invocation", wanted.into());
    out.extend(show::position(session));
    Ok(out)
}

/// A component by name: `oC0.x`.
pub(super) fn component(session: &Session, text: &str) -> Result<(Cell, usize), String> {
    let (name, letter) = text.rsplit_once('.').ok_or("expected a register, a dot and a lane: `oC0.x`")?;
    let lane = LANES.iter().position(|lane| letter.len() == 1 && letter.starts_with(*lane));
    let lane = lane.ok_or_else(|| format!("`{letter}` is not a lane: expected x, y, z or w"))?;
    let cell = session.names().cell(name);
    let cell = cell.ok_or_else(|| format!("no `{name}` here; known: {}", session.names().known()))?;
    Ok((cell, lane))
}

fn ancestry(session: &mut Session, request: &Value) -> Answer {
    let (cell, lane) = component(session, text(request, "of")?)?;
    Ok(show::ancestry(&session.ancestry(cell, lane)))
}

fn history(session: &mut Session, request: &Value) -> Answer {
    let (cell, lane) = component(session, text(request, "of")?)?;
    let recording = session.recording();
    let scalar = recording.scalar(cell, session.invocation()).unwrap_or(vecasm::ir::Scalar::F32);
    let value = |time| recording.value(time, cell, lane, session.invocation());
    let shown = |bits: Option<u32>| bits.map_or(Value::Null, |bits| show::lane(scalar, bits));
    let writers: Vec<usize> = recording.writers(cell, lane, session.invocation()).collect();
    let write = |moment: &usize| {
        let line = session.place(*moment).and_then(|place| place.line);
        json!({ "moment": moment, "line": line, "value": shown(value(moment + 1)) })
    };
    let mut out = one("first", shown(value(0)));
    out.insert("writes".into(), writers.iter().take(MAX_LISTED).map(write).collect());
    out.insert("more".into(), writers.len().saturating_sub(MAX_LISTED).into());
    Ok(out)
}

fn moments(session: &mut Session, request: &Value) -> Answer {
    let or = |field: &str, default: usize| match &request[field] {
        Value::Null => Ok(default),
        _ => number(request, field).map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
    };
    let (from, count) = (or("from", 0)?, or("count", 100)?.min(MAX_LISTED));
    let places = (from..from.saturating_add(count)).map_while(|moment| session.place(moment));
    Ok(one("moments", places.map(|place| show::place(&place)).collect()))
}
