//! Protocols of the [debugger](super::session): a line of JSON for a request and one for its answer here, the Debug Adapter
//! Protocol of editors in [`dap`]. docs/debugging.md is the manual of both.
//!
//! Nothing here reads or writes: who holds the [`Session`] carries requests and answers.

pub mod dap;
mod show;

use super::session::{Session, Stop};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use vecasm_exec::json;
use vecasm_exec::json::{Json, Object};
use vecasm_ir::ir::Scalar;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::operand::LANES;

/// Version of the protocol: it grows when an old client would not understand.
pub const VERSION: u32 = 1;
/// Longest request, in bytes; the end of its line counts.
pub const MAX_REQUEST: usize = 1 << 20;
/// Most moments that one answer lists.
const MAX_LISTED: usize = 10_000;
/// Most invocations, over all of its moments, that an answer lists behind the first moment.
const MAX_PRESENT: usize = 100_000;

/// What is said to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// A JSON object in one line, without the end of the line.
    pub line: String,
    /// Whether the request was to end the session.
    pub quit: bool,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Answers a request: the bytes of a JSON object, with or without the end of its line. What is no request, or longer than
/// [`MAX_REQUEST`], is answered with what is wrong with it.
pub fn handle(session: &mut Session, request: impl AsRef<[u8]>) -> Reply {
    let request = request.as_ref();
    let (answer, quit) = if request.len() > MAX_REQUEST {
        (refused(&Json::Null, format!("a request is longer than {MAX_REQUEST} bytes")), false)
    } else {
        match Json::parse(request) {
            Ok(request) => (answer(session, &request), request["do"].as_str() == Some("quit")),
            Err(error) => (refused(&Json::Null, format!("not JSON: {error}")), false),
        }
    };
    Reply { line: answer.to_string(), quit }
}

type Answer = Result<Object, String>;

/// A request: its word, and what answers it.
struct Request {
    word: &'static str,
    answer: fn(&mut Session, &Json) -> Answer,
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

fn refused(id: &Json, error: String) -> Json {
    json!({ "id": id, "ok": false, "error": error })
}

/// The answer to a request.
fn answer(session: &mut Session, request: &Json) -> Json {
    let id = &request["id"];
    let Some(word) = request["do"].as_str() else {
        return refused(id, "expected an object whose `do` is a string".into());
    };
    let answered = match REQUESTS.iter().find(|known| known.word == word) {
        Some(known) => (known.answer)(session, request),
        None if word == "quit" => Ok(Object::new()),
        None => {
            let words: Vec<&str> = REQUESTS.iter().map(|known| known.word).collect();
            Err(format!("no request `{word}`; expected one of {} and quit", words.join(", ")))
        }
    };
    match answered {
        Ok(fields) => {
            let mut out = json!({ "id": id, "ok": true }).into_object();
            out.extend(fields);
            out.into()
        }
        Err(error) => refused(id, error),
    }
}

fn one(name: &str, value: impl Into<Json>) -> Object {
    Object::from_iter([(name, value)])
}

fn hello(session: &mut Session, _: &Json) -> Answer {
    let shader = session.shader();
    let words: Vec<&str> = REQUESTS.iter().map(|known| known.word).chain(["quit"]).collect();
    let recording = session.recording();
    let value = json!({
        "protocol": "vecasm-debug",
        "version": VERSION,
        "vecasm": env!("CARGO_PKG_VERSION"),
        "requests": words,
        "isa": &*shader.isa,
        "stage": shader.stage.name(),
        "end": session.end_time(),
        "cut": recording.is_cut(),
        "invocation": recording.first() + session.invocation(),
        "group": (recording.first()..recording.first() + recording.group()).collect::<Vec<usize>>(),
    });
    Ok(value.into_object())
}

fn source(session: &mut Session, _: &Json) -> Answer {
    let mut out = one("lines", session.listing().lines().iter().map(String::as_str).collect::<Json>());
    out.insert("stops", session.lines().iter().collect::<Json>());
    Ok(out)
}

fn moved(session: &mut Session, by: fn(&mut Session) -> Stop) -> Answer {
    let stop = by(session);
    Ok(arrived(session, &stop))
}

fn arrived(session: &Session, stop: &Stop) -> Object {
    let mut out = one("stop", show::stop(stop));
    out.extend(show::position(session));
    out
}

fn number(request: &Json, field: &str) -> Result<u64, String> {
    request[field].as_u64().ok_or_else(|| format!("`{field}` must be a whole number"))
}

fn text<'a>(request: &'a Json, field: &str) -> Result<&'a str, String> {
    request[field].as_str().ok_or_else(|| format!("`{field}` must be a string"))
}

fn small(request: &Json, field: &str) -> Result<u32, String> {
    u32::try_from(number(request, field)?).map_err(|_| format!("`{field}` is too large"))
}

fn line(session: &mut Session, request: &Json) -> Answer {
    let line = small(request, "line")?;
    if !session.lines().contains(&line) {
        return Err(format!("no executable instruction in line {line}"));
    }
    let stop = session.run_to_line(line);
    Ok(arrived(session, &stop))
}

fn go(session: &mut Session, request: &Json) -> Answer {
    let time = usize::try_from(number(request, "time")?).unwrap_or(usize::MAX);
    let stop = session.go(time);
    Ok(arrived(session, &stop))
}

fn breakpoints(session: &Session) -> Object {
    one("breakpoints", session.breakpoints().iter().map(show::breakpoint).collect::<Json>())
}

fn set_break(session: &mut Session, request: &Json) -> Answer {
    let condition = match &request["if"] {
        Json::Null => None,
        _ => Some(text(request, "if")?),
    };
    let point = match (&request["line"], condition) {
        (Json::Null, None) => return Err("a breakpoint needs a `line`, an `if`, or both".into()),
        (Json::Null, Some(condition)) => session.break_if(condition),
        (_, condition) => session.break_at(small(request, "line")?, condition),
    };
    Ok(show::breakpoint(point.map_err(|error| error.to_string())?).into_object())
}

fn enable(session: &mut Session, request: &Json) -> Answer {
    let id = small(request, "breakpoint")?;
    let on = request["on"].as_bool().ok_or("`on` must be true or false")?;
    if !session.enable(id, on) {
        return Err(format!("no breakpoint {id}"));
    }
    Ok(breakpoints(session))
}

fn remove(session: &mut Session, request: &Json) -> Answer {
    let field = if request["watch"].is_null() { "breakpoint" } else { "watch" };
    let id = small(request, field)?;
    if !session.remove(id) {
        return Err(format!("no {field} {id}"));
    }
    Ok(breakpoints(session))
}

fn watch(session: &mut Session, request: &Json) -> Answer {
    let id = session.watch(text(request, "text")?).map_err(|error| error.to_string())?.id;
    let views = session.view().watches;
    let view = views.iter().find(|watch| watch.id == id);
    Ok(view.map(|watch| show::watch(watch).into_object()).unwrap_or_default())
}

fn evaluate(session: &mut Session, request: &Json) -> Answer {
    let found = session.evaluate(text(request, "text")?).map_err(|error| error.to_string())?;
    Ok(show::found(&found).into_object())
}

fn invocation(session: &mut Session, request: &Json) -> Answer {
    let wanted = usize::try_from(number(request, "invocation")?).unwrap_or(usize::MAX);
    let first = session.recording().first();
    if wanted < first || !session.select(wanted - first) {
        let last = first + session.recording().group().saturating_sub(1);
        return Err(format!("the group has the invocations {first} to {last}"));
    }
    let mut out = one("invocation", wanted);
    out.extend(show::position(session));
    Ok(out)
}

/// A component by name: `oC0.x`.
fn component(session: &Session, text: &str) -> Result<(Cell, usize), String> {
    let (name, letter) = text.rsplit_once('.').ok_or("expected a register, a dot and a lane: `oC0.x`")?;
    let lane = LANES.iter().position(|lane| letter.len() == 1 && letter.starts_with(*lane));
    let lane = lane.ok_or_else(|| format!("`{letter}` is not a lane: expected x, y, z or w"))?;
    let cell = session.names().cell(name);
    let cell = cell.ok_or_else(|| format!("no `{name}` here; known: {}", session.names().known()))?;
    Ok((cell, lane))
}

fn ancestry(session: &mut Session, request: &Json) -> Answer {
    let (cell, lane) = component(session, text(request, "of")?)?;
    Ok(show::ancestry(&session.ancestry(cell, lane)))
}

fn history(session: &mut Session, request: &Json) -> Answer {
    let (cell, lane) = component(session, text(request, "of")?)?;
    let recording = session.recording();
    let scalar = recording.scalar(cell, session.invocation()).unwrap_or(Scalar::F32);
    let value = |time| recording.value(time, cell, lane, session.invocation());
    let shown = |bits: Option<u32>| bits.map_or(Json::Null, |bits| show::lane(scalar, bits));
    let writers: Vec<usize> = recording.writers(cell, lane, session.invocation()).collect();
    let write = |moment: &usize| {
        let line = session.place(*moment).and_then(|place| place.line);
        json!({ "moment": moment, "line": line, "value": shown(value(moment + 1)) })
    };
    let mut out = one("first", shown(value(0)));
    out.insert("writes", writers.iter().take(MAX_LISTED).map(write).collect::<Json>());
    out.insert("more", writers.len().saturating_sub(MAX_LISTED));
    Ok(out)
}

fn moments(session: &mut Session, request: &Json) -> Answer {
    let or = |field: &str, default: usize| match &request[field] {
        Json::Null => Ok(default),
        _ => number(request, field).map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
    };
    let (from, count) = (or("from", 0)?, or("count", 100)?.min(MAX_LISTED));
    let places = (from..from.saturating_add(count)).map_while(|moment| session.place(moment));
    let mut present = 0;
    let within = places.take_while(|place| {
        // The first one is always told of, so that asking for those behind the last goes on.
        let first = present == 0;
        present += place.live.len() + place.masked.len();
        first || present <= MAX_PRESENT
    });
    Ok(one("moments", within.map(|place| show::place(&place)).collect::<Json>()))
}
