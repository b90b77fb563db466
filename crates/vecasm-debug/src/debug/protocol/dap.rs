//! The [Debug Adapter Protocol](https://microsoft.github.io/debug-adapter-protocol/), which editors speak. docs/debugging.md says
//! how they use it.
//!
//! A [`Server`] takes the messages of a client and gives those that are to be sent. How they travel, and what they launch, is
//! the business of its [`Host`]. Threads are the invocations of the group; the run goes both ways. One frame stands on the
//! stack: shaders have no other.

use super::super::condition::Evaluation;
use super::super::session::view::{CellView, TextureView, View};
use super::super::session::{Breakpoint, MAX_POINTS, Reason, Session, Stop};
use super::{component, show};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::json;
use vecasm_exec::json::{Json, Object};
use vecasm_ir::operand::LANES;

/// Longest message, in bytes.
pub const MAX_MESSAGE: usize = 16 << 20;
/// Most steps that a text about ancestry lists.
const MAX_TOLD: usize = 200;
/// The number that stands for the text of a program that did not come as text.
const DISASSEMBLY: u64 = 1;

/// Conditions that editors offer as exceptions: the word, and what it is called.
const EXCEPTIONS: [(&str, &str); 3] =
    [("nan", "NaN written"), ("inf", "Infinity written"), ("denormal", "Denormal written")];

/// What a client wants to debug: the arguments of `launch`, numbers as their decimals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The path of the program, or of two, or of a scene.
    pub program: Vec<String>,
    /// The run file.
    pub input: Option<String>,
    /// The invocation of interest.
    pub invocation: Option<String>,
    /// How many invocations are made up instead.
    pub random: Option<String>,
    /// The seed of those.
    pub seed: Option<String>,
    /// The pixel of interest: `200,130`.
    pub pixel: Option<String>,
    /// Other flags of `vecasm debug`.
    pub arguments: Vec<String>,
}

impl Launch {
    /// Reads the arguments of `launch`.
    fn of(args: &Json) -> Result<Self, String> {
        let word = |value: &Json| match value {
            Json::Text(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let bad = |field: &str| format!("`{field}` must be a string or a number, or a list of them");
        let list = |field: &str| -> Result<Vec<String>, String> {
            match &args[field] {
                Json::Null => Ok(Vec::new()),
                Json::List(items) => items.iter().map(|item| word(item).ok_or_else(|| bad(field))).collect(),
                one => Ok(vec![word(one).ok_or_else(|| bad(field))?]),
            }
        };
        let first = |field: &str| Ok::<_, String>(list(field)?.into_iter().next());
        Ok(Self {
            input: first("input")?,
            invocation: first("invocation")?,
            random: first("random")?,
            seed: first("seed")?,
            pixel: Some(list("pixel")?).filter(|pixel| !pixel.is_empty()).map(|pixel| pixel.join(",")),
            arguments: list("arguments")?,
            program: list("program")?,
        })
    }
}

/// What is debugged.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The session.
    pub session: Session,
    /// The name of the program, for people.
    pub name: String,
    /// The path of the file whose text the session shows; `None` if that is a disassembly.
    pub path: Option<String>,
}

/// What a [`Server`] asks of who runs it.
pub trait Host {
    /// Makes a session of what a client wants to debug; `None` if it names nothing, and means what the server was started for.
    ///
    /// # Errors
    ///
    /// Why there is none, for people.
    fn launch(&mut self, wanted: Option<&Launch>) -> Result<Launched, String>;

    /// Whether two paths are those of the same file.
    fn is_same_file(&self, a: &str, b: &str) -> bool {
        a == b
    }
}

/// What is being debugged.
struct Run {
    session: Session,
    /// The file, if it is the text that is shown; else its name.
    path: Option<String>,
    name: String,
    /// What the references to variables mean; made anew at each stop.
    handles: Vec<Handle>,
    /// Breakpoints that are not on lines: data and exceptions, by their numbers.
    data: Vec<u32>,
    exceptions: Vec<(u32, &'static str)>,
}

/// A list of variables, of an invocation counted in the group.
#[derive(Clone, Debug, PartialEq)]
struct Handle {
    invocation: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    File(String),
    Inputs,
    Constants,
    States,
    Outputs,
    Textures,
    Watches,
    Lanes(CellView),
}

/// A server of the protocol: what a client has launched, and where that stands.
pub struct Server<H> {
    host: H,
    /// Messages to be sent.
    out: Vec<String>,
    seq: u64,
    run: Option<Run>,
    /// Whether to stop before the first step.
    entry: bool,
    bye: bool,
}

type Body = Result<Json, String>;

impl<H: Host> Server<H> {
    /// A server that has launched nothing yet.
    pub const fn new(host: H) -> Self {
        Self { host, out: Vec::new(), seq: 0, run: None, entry: true, bye: false }
    }

    /// Takes the content of a message and gives the contents of those that are to be sent, in order: the answer, and events. What
    /// is no message, or longer than [`MAX_MESSAGE`], is told of in an `output` event.
    pub fn handle(&mut self, message: impl AsRef<[u8]>) -> Vec<String> {
        let message = message.as_ref();
        if message.len() > MAX_MESSAGE {
            self.say(&format!("a message is longer than {MAX_MESSAGE} bytes"));
        } else {
            match Json::parse(message) {
                Ok(request) if request["type"].as_str() == Some("request") => self.request(&request),
                // Answers to what was never asked.
                Ok(_) => {}
                Err(error) => self.say(&format!("not JSON: {error}")),
            }
        }
        core::mem::take(&mut self.out)
    }

    /// Whether the client has gone: it has asked to disconnect.
    pub const fn is_over(&self) -> bool {
        self.bye
    }

    fn send(&mut self, message: Object) {
        self.seq += 1;
        let mut numbered = message;
        numbered.insert("seq", self.seq);
        self.out.push(Json::from(numbered).to_string());
    }

    fn event(&mut self, event: &str, body: Json) {
        self.send(json!({ "seq": 0, "type": "event", "event": event, "body": body }).into_object());
    }

    fn say(&mut self, text: &str) {
        self.event("output", json!({ "category": "console", "output": format!("{text}\n") }));
    }

    fn request(&mut self, request: &Json) {
        let command = request["command"].as_str().unwrap_or("");
        let body = self.answer(command, &request["arguments"]);
        let mut response = json!({
            "seq": 0,
            "type": "response",
            "request_seq": &request["seq"],
            "success": body.is_ok(),
            "command": command,
        })
        .into_object();
        let done = body.is_ok();
        match body {
            Ok(Json::Null) => {}
            Ok(body) => response.insert("body", body),
            Err(message) => {
                response.insert("message", &message);
                response.insert("body", json!({ "error": { "id": 1, "format": message } }));
            }
        }
        self.send(response);
        if done {
            self.behind(command, &request["arguments"]);
        }
    }

    /// The answer to a request.
    fn answer(&mut self, command: &str, args: &Json) -> Body {
        match command {
            "initialize" => return Ok(capabilities()),
            "launch" => return self.launch(args),
            "disconnect" | "terminate" => {
                self.bye = command == "disconnect";
                return Ok(Json::Null);
            }
            "cancel" => return Ok(Json::Null),
            _ => {}
        }
        let Some(run) = &mut self.run else {
            return Err(format!("`{command}` must follow a successful launch"));
        };
        match command {
            "configurationDone" | "continue" | "reverseContinue" | "next" | "stepIn" | "stepOut"
            | "stepBack" | "pause" => {
                run.choose(&args["threadId"]);
                Ok(if command.ends_with("ontinue") {
                    json!({ "allThreadsContinued": true })
                } else {
                    Json::Null
                })
            }
            "threads" => Ok(run.threads()),
            "stackTrace" => Ok(run.stack(args)),
            "scopes" => Ok(run.scopes(args)),
            "variables" => run.variables(args),
            "evaluate" => run.evaluate(args),
            "source" => Ok(json!({ "content": run.session.listing().lines().join("\n") + "\n" })),
            "loadedSources" => Ok(json!({ "sources": [run.source()] })),
            "setBreakpoints" => run.set_breakpoints(args, run.is_mine(&self.host, &args["source"])),
            "setExceptionBreakpoints" => run.set_exceptions(args),
            "dataBreakpointInfo" => Ok(run.data_info(args)),
            "setDataBreakpoints" => run.set_data(args),
            "breakpointLocations" => Ok(run.locations(args, run.is_mine(&self.host, &args["source"]))),
            "setFunctionBreakpoints" => Err("shaders have no functions to stop in".into()),
            "" => Err("a request needs a command".into()),
            other => Err(format!("`{other}` is not supported")),
        }
    }

    /// What follows the answer to a request: moving, and the events that tell of it.
    fn behind(&mut self, command: &str, args: &Json) {
        match command {
            "launch" => return self.event("initialized", json!({})),
            "terminate" => return self.event("terminated", json!({})),
            _ => {}
        }
        let Some(run) = &mut self.run else { return };
        let fine = args["granularity"].as_str() == Some("instruction");
        let at_end = run.session.time() == run.session.end_time();
        let session = &mut run.session;
        let stop = match command {
            "configurationDone" if self.entry => {
                return self.stopped(&Stop { reason: Reason::Start, breakpoints: Vec::new() });
            }
            "configurationDone" => session.begin(),
            "continue" if at_end => {
                return self.event("terminated", json!({}));
            }
            "continue" => session.resume(),
            "reverseContinue" => session.reverse(),
            "next" if !fine => session.next_line(),
            "next" | "stepIn" => session.step(),
            "stepOut" => session.end(),
            "stepBack" if !fine => session.previous_line(),
            "stepBack" => session.step_back(),
            "pause" => Stop { reason: Reason::Step, breakpoints: Vec::new() },
            _ => return,
        };
        self.stopped(&stop);
    }

    fn stopped(&mut self, stop: &Stop) {
        let Some(run) = &mut self.run else { return };
        run.handles.clear();
        let thread = run.session.recording().first() + run.session.invocation() + 1;
        let exception = run.exceptions.iter().find(|(id, _)| stop.breakpoints.contains(id));
        let data = run.data.iter().any(|id| stop.breakpoints.contains(id));
        let (reason, text) = match (stop.reason, exception) {
            (_, Some((_, what))) => ("exception", *what),
            (Reason::Breakpoint, None) if data => ("data breakpoint", ""),
            (Reason::Breakpoint, None) => ("breakpoint", ""),
            (Reason::Start, None) => ("entry", "the start of the run"),
            (Reason::End, None) => ("pause", "the end of the run"),
            (Reason::Step | Reason::Line, None) => ("step", ""),
        };
        let mut body = json!({
            "reason": reason,
            "threadId": thread,
            "allThreadsStopped": true,
            "hitBreakpointIds": &stop.breakpoints,
        })
        .into_object();
        if !text.is_empty() {
            body.insert("description", text);
            body.insert("text", text);
        }
        self.event("stopped", body.into());
    }

    /// Debugs what a client wants to.
    fn launch(&mut self, args: &Json) -> Body {
        if self.run.is_some() {
            return Err("already launched".into());
        }
        let wanted = if args["program"].is_null() { None } else { Some(Launch::of(args)?) };
        let Launched { session, name, path } = self.host.launch(wanted.as_ref())?;
        self.entry = args["stopOnEntry"].as_bool().unwrap_or(true);
        let handles = Vec::new();
        self.run = Some(Run { session, path, name, handles, data: Vec::new(), exceptions: Vec::new() });
        Ok(Json::Null)
    }
}

fn capabilities() -> Json {
    let filter =
        |(word, label): (&str, &str)| json!({ "filter": word, "label": label, "supportsCondition": true });
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsStepBack": true,
        "supportsConditionalBreakpoints": true,
        "supportsSteppingGranularity": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionFilterOptions": true,
        "supportsDataBreakpoints": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsTerminateRequest": true,
        "supportsFunctionBreakpoints": false,
        "exceptionBreakpointFilters": EXCEPTIONS.map(filter),
    })
}

impl Run {
    /// Chooses the invocation of a thread, if it is one of the group.
    fn choose(&mut self, thread: &Json) {
        let first = self.session.recording().first();
        let number = thread.as_u64().and_then(|n| usize::try_from(n).ok());
        if let Some(invocation) = number.and_then(|n| n.checked_sub(first + 1)) {
            self.session.select(invocation);
        }
    }

    fn threads(&self) -> Json {
        let recording = self.session.recording();
        let thread = |i: usize| json!({ "id": recording.first() + i + 1, "name": format!("invocation {}", recording.first() + i) });
        json!({ "threads": (0..recording.group()).map(thread).collect::<Vec<Json>>() })
    }

    fn source(&self) -> Json {
        match &self.path {
            Some(path) => json!({ "name": &self.name, "path": path }),
            None => json!({ "name": format!("{} (disassembly)", self.name), "sourceReference": DISASSEMBLY }),
        }
    }

    /// Whether a source is the one that is debugged.
    fn is_mine(&self, host: &impl Host, source: &Json) -> bool {
        match (&self.path, source["path"].as_str()) {
            (Some(path), given) => given.is_some_and(|given| host.is_same_file(given, path)),
            (None, _) => source["sourceReference"].as_u64() == Some(DISASSEMBLY),
        }
    }

    fn stack(&mut self, args: &Json) -> Json {
        self.choose(&args["threadId"]);
        let session = &self.session;
        let end = session.time() == session.end_time();
        let place = session.place(if end { session.time().saturating_sub(1) } else { session.time() });
        let chosen = session.recording().first() + session.invocation();
        let mut name = match &place {
            Some(place) if !place.part_name.is_empty() => {
                format!("{} [{}]", place.instruction, place.part_name)
            }
            Some(place) => place.instruction.clone(),
            None => "nothing ran".into(),
        };
        let away = place.as_ref().and_then(|place| place.masked.iter().find(|m| m.invocation == chosen));
        if end {
            name = format!("the end, after {name}");
        } else if let Some(masked) = away {
            name = format!("{name} (masked: {})", masked.text);
        }
        let frame = json!({
            "id": chosen + 1,
            "name": name,
            "source": self.source(),
            "line": place.and_then(|place| place.line).unwrap_or(0),
            "column": 1,
        });
        json!({ "stackFrames": [frame], "totalFrames": 1 })
    }

    fn handle(&mut self, kind: Kind) -> usize {
        let handle = Handle { invocation: self.session.invocation(), kind };
        let at = self.handles.iter().position(|known| *known == handle).unwrap_or_else(|| {
            self.handles.push(handle);
            self.handles.len() - 1
        });
        at + 1
    }

    fn scopes(&mut self, args: &Json) -> Json {
        self.choose(&args["frameId"]);
        let view = self.session.view();
        let mut all: Vec<(String, Kind, usize)> = Vec::new();
        for file in &view.registers {
            all.push((format!("Registers {}", file.name), Kind::File(file.name.clone()), file.cells.len()));
        }
        all.push(("Outputs".into(), Kind::Outputs, view.outputs.len()));
        all.push(("Inputs".into(), Kind::Inputs, view.inputs.len()));
        all.push(("Constants".into(), Kind::Constants, view.constants.len()));
        all.push(("State".into(), Kind::States, view.states.len()));
        all.push(("Textures".into(), Kind::Textures, view.textures.len()));
        all.push(("Watches".into(), Kind::Watches, view.watches.len()));
        let mut scopes = Vec::new();
        for (name, kind, count) in all.into_iter().filter(|(.., count)| *count > 0) {
            let registers = matches!(kind, Kind::File(_));
            let scope = json!({
                "name": name,
                "variablesReference": self.handle(kind),
                "namedVariables": count,
                "expensive": false,
            });
            let mut scope = scope.into_object();
            if registers {
                scope.insert("presentationHint", "registers");
            }
            scopes.push(Json::from(scope));
        }
        json!({ "scopes": scopes })
    }

    fn variables(&mut self, args: &Json) -> Body {
        let reference = args["variablesReference"].as_u64().and_then(|n| usize::try_from(n).ok());
        let handle = reference.and_then(|n| self.handles.get(n.checked_sub(1)?)).cloned();
        let Handle { invocation, kind } = handle.ok_or("no such variables at this stop")?;
        self.session.select(invocation);
        let view = self.session.view();
        let list = match kind {
            Kind::Lanes(cell) => lanes(&cell),
            Kind::Textures => textures(&view),
            Kind::Watches => view
                .watches
                .iter()
                .map(|watch| {
                    let value = shown(&watch.value);
                    json!({ "name": &watch.text, "value": value, "evaluateName": &watch.text, "variablesReference": 0 })
                })
                .collect(),
            Kind::File(name) => {
                let file = view.registers.into_iter().find(|file| file.name == name);
                self.cells(file.map(|file| file.cells).unwrap_or_default())
            }
            Kind::Inputs => self.cells(view.inputs),
            Kind::Constants => self.cells(view.constants),
            Kind::States => self.cells(view.states),
            Kind::Outputs => self.cells(view.outputs),
        };
        Ok(json!({ "variables": list }))
    }

    fn cells(&mut self, cells: Vec<CellView>) -> Vec<Json> {
        let mut out = Vec::new();
        for cell in cells {
            let mut name = cell.name.clone();
            if !cell.alias.is_empty() {
                name = format!("{name} {}", cell.alias);
            }
            let values: Vec<String> = cell.lanes.lanes().map(|lane| word(&cell, lane)).collect();
            let value = if values.len() == 1 { values.concat() } else { format!("({})", values.join(", ")) };
            let variable = json!({
                "name": name,
                "value": value,
                "type": format!("{}.{}", cell.scalar.name(), cell.lanes.letters()),
                "evaluateName": &cell.name,
            });
            let mut variable = variable.into_object();
            variable.insert("variablesReference", self.handle(Kind::Lanes(cell)));
            out.push(variable.into());
        }
        out
    }

    fn evaluate(&mut self, args: &Json) -> Body {
        self.choose(&args["frameId"]);
        let text = args["expression"].as_str().unwrap_or("").trim();
        let result = match text.strip_prefix("ancestry ").filter(|_| args["context"].as_str() == Some("repl"))
        {
            Some(of) => self.ancestry(of.trim())?,
            None => shown(&self.session.evaluate(text).map_err(|error| error.to_string())?),
        };
        Ok(json!({ "result": result, "variablesReference": 0 }))
    }

    /// What made a component, as lines.
    fn ancestry(&self, of: &str) -> Result<String, String> {
        let (cell, lane) = component(&self.session, of)?;
        let made = self.session.ancestry(cell, lane);
        let mut lines = Vec::new();
        let skipped = made.steps.len().saturating_sub(MAX_TOLD);
        for (place, writes) in made.steps.iter().skip(skipped) {
            let line = place.line.map_or_else(|| "?".into(), |line| line.to_string());
            let values: Vec<String> = writes
                .iter()
                .map(|w| {
                    let values = w.bits.iter().map(|bits| show::lane(w.scalar, *bits).to_string());
                    format!("{}.{} = {}", w.name, w.lanes.letters(), values.collect::<Vec<_>>().join(", "))
                })
                .collect();
            lines.push(format!("line {line}: {}  ; {}", place.instruction, values.join("; ")));
        }
        for (origin, root) in &made.roots {
            lines.push(format!("from {} {}.{}", origin.name(), root.name, root.lanes.letters()));
        }
        Ok(lines.join("\n"))
    }

    fn set_breakpoints(&mut self, args: &Json, mine: bool) -> Body {
        let wanted = wanted(args, "breakpoints")?;
        if !mine {
            let no = json!({ "verified": false, "message": "this is not the program being debugged" });
            return Ok(json!({ "breakpoints": vec![no; wanted.len()] }));
        }
        let old: Vec<u32> =
            self.session.breakpoints().iter().filter(|p| p.line.is_some()).map(|p| p.id).collect();
        for id in old {
            self.session.remove(id);
        }
        let answers: Vec<Json> = wanted.iter().map(|wanted| self.set_breakpoint(wanted)).collect();
        Ok(json!({ "breakpoints": answers }))
    }

    fn set_breakpoint(&mut self, wanted: &Json) -> Json {
        let refuse = |message: String| json!({ "verified": false, "message": message });
        let Some(line) = wanted["line"].as_u64().and_then(|line| u32::try_from(line).ok()) else {
            return refuse("a breakpoint needs a line".into());
        };
        for other in ["hitCondition", "logMessage"] {
            if wanted[other].as_str().is_some_and(|text| !text.is_empty()) {
                return refuse(format!("`{other}` is not supported"));
            }
        }
        let condition = wanted["condition"].as_str().filter(|text| !text.trim().is_empty());
        let source = self.source();
        match self.session.break_at(line, condition) {
            Ok(point) => json!({ "id": point.id, "verified": true, "line": point.line, "source": source }),
            Err(error) => refuse(error.to_string()),
        }
    }

    fn locations(&self, args: &Json, mine: bool) -> Json {
        let number = |field: &str| args[field].as_u64().and_then(|n| u32::try_from(n).ok());
        let from = number("line").unwrap_or(1);
        let to = number("endLine").unwrap_or(from);
        let lines = self.session.lines().iter().filter(|line| mine && (from..=to).contains(line));
        json!({ "breakpoints": lines.map(|line| json!({ "line": line })).collect::<Vec<Json>>() })
    }

    /// Sets a breakpoint on a condition, and says how that went.
    fn break_if(&mut self, condition: &str) -> (Option<u32>, Json) {
        match self.session.break_if(condition) {
            Ok(Breakpoint { id, .. }) => (Some(*id), json!({ "id": id, "verified": true })),
            Err(error) => (None, json!({ "verified": false, "message": error.to_string() })),
        }
    }

    fn set_exceptions(&mut self, args: &Json) -> Body {
        let plain = wanted(args, "filters")?.iter().map(|filter| (filter, &Json::Null));
        let options = wanted(args, "filterOptions")?.iter();
        let options = options.map(|option| (&option["filterId"], &option["condition"]));
        // A request that is refused changes nothing.
        let found = plain.chain(options).map(|(filter, condition)| {
            let known = EXCEPTIONS.into_iter().find(|(word, _)| filter.as_str() == Some(*word));
            Ok((known.ok_or_else(|| format!("no exception filter {filter}"))?, condition))
        });
        let found = found.collect::<Result<Vec<_>, String>>()?;
        for (id, _) in core::mem::take(&mut self.exceptions) {
            self.session.remove(id);
        }
        let mut answers = Vec::new();
        for ((word, what), condition) in found {
            let condition = condition.as_str().filter(|text| !text.trim().is_empty());
            let all = condition.map_or_else(|| word.to_string(), |also| format!("{word} and ({also})"));
            let (id, answer) = self.break_if(&all);
            self.exceptions.extend(id.map(|id| (id, what)));
            answers.push(answer);
        }
        Ok(json!({ "breakpoints": answers }))
    }

    /// The register that a variable stands for, with its lane if it is one.
    fn data_info(&mut self, args: &Json) -> Json {
        let name = args["name"].as_str().unwrap_or("");
        let reference = args["variablesReference"].as_u64().and_then(|n| usize::try_from(n).ok());
        let parent = reference.and_then(|n| self.handles.get(n.checked_sub(1)?)).map(|handle| &handle.kind);
        let register = match parent {
            Some(Kind::Lanes(cell)) if LANES.iter().any(|lane| name == lane.to_string()) => {
                format!("{}.{name}", cell.name)
            }
            _ => name.split(' ').next().unwrap_or("").to_string(),
        };
        match self.session.evaluate(&format!("writes {register}")) {
            Ok(_) => {
                json!({ "dataId": &register, "description": register, "accessTypes": ["write", "read", "readWrite"] })
            }
            Err(error) => json!({ "dataId": null, "description": error.to_string() }),
        }
    }

    fn set_data(&mut self, args: &Json) -> Body {
        let all = wanted(args, "breakpoints")?;
        for id in core::mem::take(&mut self.data) {
            self.session.remove(id);
        }
        let mut answers = Vec::new();
        for wanted in all {
            let data = wanted["dataId"].as_str().unwrap_or("");
            let mut condition = match wanted["accessType"].as_str() {
                Some("read") => format!("reads {data}"),
                Some("readWrite") => format!("(reads {data} or writes {data})"),
                _ => format!("writes {data}"),
            };
            if let Some(also) = wanted["condition"].as_str().filter(|text| !text.trim().is_empty()) {
                condition = format!("{condition} and ({also})");
            }
            let (id, answer) = self.break_if(&condition);
            self.data.extend(id);
            answers.push(answer);
        }
        Ok(json!({ "breakpoints": answers }))
    }
}

/// What a client wants to be set. As many as a session can hold: each has an answer that may be hundreds of times as long.
fn wanted<'a>(args: &'a Json, field: &str) -> Result<&'a [Json], String> {
    let all = args[field].as_list().unwrap_or_default();
    if all.len() > MAX_POINTS {
        return Err(format!("`{field}` has {} items; there may be {MAX_POINTS}", all.len()));
    }
    Ok(all)
}

/// A lane of a cell in words.
fn word(cell: &CellView, lane: usize) -> String {
    cell.bits[lane].map_or_else(|| "?".into(), |bits| plain(&show::lane(cell.scalar, bits)))
}

/// A number without the quotation marks of bits.
fn plain(value: &Json) -> String {
    match value {
        Json::Text(bits) => {
            match u32::from_str_radix(bits.trim_start_matches("0x"), 16).map(f32::from_bits) {
                Ok(x) if x.is_nan() => format!("NaN {bits}"),
                Ok(x) => format!("{x}"),
                Err(_) => bits.clone(),
            }
        }
        Json::Null => "?".into(),
        other => other.to_string(),
    }
}

fn shown(found: &Evaluation) -> String {
    match found {
        Evaluation::Truth(truth) => truth.to_string(),
        Evaluation::Lanes(bits, scalar) => {
            let lanes: Vec<String> = bits
                .iter()
                .map(|b| b.map_or_else(|| "?".into(), |b| plain(&show::lane(*scalar, b))))
                .collect();
            if lanes.len() == 1 { lanes.concat() } else { format!("({})", lanes.join(", ")) }
        }
    }
}

fn lanes(cell: &CellView) -> Vec<Json> {
    let lane = |lane: usize| {
        let bits = cell.bits[lane].map_or_else(String::new, |bits| format!(" (0x{bits:08x})"));
        json!({
            "name": LANES[lane].to_string(),
            "value": format!("{}{bits}", word(cell, lane)),
            "type": cell.scalar.name(),
            "evaluateName": format!("{}.{}", cell.name, LANES[lane]),
            "variablesReference": 0,
        })
    };
    cell.lanes.lanes().map(lane).collect()
}

fn textures(view: &View) -> Vec<Json> {
    let texture = |texture: &TextureView| {
        let info = &texture.info;
        let mut value = match info.size {
            Some([width, height, depth]) => {
                format!("{} {width}×{height}×{depth}, {} levels", info.dim.name(), info.levels)
            }
            None => format!("{}, nothing bound", info.dim.name()),
        };
        for (at, texel) in &texture.reads {
            let floats = |bits: &[u32; 4]| bits.map(|b| f32::from_bits(b).to_string()).join(", ");
            value.push_str(&format!("; read at ({}): ({})", floats(at), floats(texel)));
        }
        json!({ "name": &info.name, "value": value, "variablesReference": 0 })
    };
    view.textures.iter().map(texture).collect()
}
