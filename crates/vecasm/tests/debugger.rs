//! The protocols of the debugger, without the command: conversations as data, and what is none.

#![cfg(all(
    feature = "agal",
    feature = "nv2a",
    feature = "d3d9",
    feature = "tgsi",
    feature = "exec",
    feature = "files"
))]
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

#[path = "../../../tests/suite/conversation.rs"]
mod conversation;

use conversation::{has, parse};
use serde_json::{Value, json};
use std::path::Path;
use vecasm::debug::protocol::dap::{Host, Launch, Launched, Server};
use vecasm::debug::protocol::{MAX_REQUEST, handle};
use vecasm::debug::session::Session;
use vecasm::exec::runfile::RunFile;
use vecasm::isa::Depth;
use vecasm::{LiftOptions, NoHost, OpenOptions, open};

/// Files of a conversation.
struct Files(Vec<(String, String)>);

impl Files {
    fn get(&self, name: &str) -> Result<&str, String> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str()).ok_or_else(|| format!("no file {name}"))
    }

    fn session(&self, program: &str, input: &str, invocation: usize) -> Result<Session, String> {
        let text = self.get(program)?;
        let program = open(text.as_bytes(), &OpenOptions::named(program), &mut NoHost).program();
        let program = program.map_err(|why| why.to_string())?;
        let lifted = program.lift(&LiftOptions::default().with_depth(Depth::Full));
        let shader = lifted.map_err(|finding| finding.to_string())?;
        let run = RunFile::parse(self.get(input)?, &shader).map_err(|error| error.to_string())?;
        program.session(shader, &run.batch(), invocation).map_err(|error| error.to_string())
    }
}

impl Host for Files {
    fn launch(&mut self, wanted: Option<&Launch>) -> Result<Launched, String> {
        let wanted = wanted.ok_or("no program")?;
        let (program, input) = (&wanted.program[0], wanted.input.as_deref().unwrap_or(""));
        let session = self.session(program, input, 0)?;
        Ok(Launched { session, name: program.clone(), path: Some(program.clone()) })
    }

    fn is_same_file(&self, a: &str, b: &str) -> bool {
        a.eq_ignore_ascii_case(b)
    }
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A session of the test files: its flags are a program, `-i` and a run file, and perhaps an invocation.
fn session(name: &str) -> (Session, conversation::Session) {
    let talk = parse(&read(&format!("../../tests/debug/{name}.session")), "session").unwrap();
    let (program, invocation) = match talk.args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [program, "-i", "run.json"] => (program, 0),
        [program, "-i", "run.json", "--invocation", n] => (program, n.parse().unwrap()),
        _ => panic!("{:?}", talk.args),
    };
    (Files(talk.files.clone()).session(program, "run.json", invocation).unwrap(), talk)
}

const SESSIONS: [&str; 4] = ["agal-wrong-swizzle", "d3d9-quad", "nv2a-two-units", "tgsi-if-and-loop"];

#[test]
fn requests_are_answered_as_by_the_command() {
    for name in SESSIONS {
        let (mut session, talk) = session(name);
        for (at, request, wanted) in &talk.requests {
            let reply = handle(&mut session, request);
            assert_eq!((reply.quit, reply.line.contains('\n')), (request.contains("quit"), false));
            let found: Value = serde_json::from_str(&reply.line).unwrap();
            has(&wanted[0], &found, "").unwrap_or_else(|why| panic!("{name}:{at}: {why}\n{reply}"));
        }
    }
}

#[test]
fn members_have_one_order() {
    let (mut session, _) = session("agal-wrong-swizzle");
    let reply = handle(&mut session, r#"{"do": "step", "id": {"z": 1, "a": [1e3, null]}}"#);
    let start =
        r#"{"id":{"z":1,"a":[1000.0,null]},"ok":true,"stop":{"reason":"step","breakpoints":[]},"time":1,"#;
    assert!(reply.line.starts_with(start), "{reply}");
    assert!(handle(&mut session, r#"{"do": "quit"}"#).quit);
}

#[test]
fn what_is_no_request_is_answered() {
    let (mut session, _) = session("agal-wrong-swizzle");
    let long = |length: usize| format!("{{\"do\":\"{}\"}}", "x".repeat(length - 9));
    let mut error = |request: &[u8]| -> String {
        let reply = handle(&mut session, request);
        let value: Value = serde_json::from_str(&reply.line).unwrap();
        assert_eq!((&value["ok"], reply.quit), (&json!(false), false), "{reply}");
        value["error"].as_str().unwrap().into()
    };
    assert!(error(b"").starts_with("not JSON: "));
    assert!(error(b"\xff").starts_with("not JSON: "));
    assert!(error(b"{\"do\": \"\xff\"}").starts_with("not JSON: "));
    assert!(error("[".repeat(1000).as_bytes()).starts_with("not JSON: recursion limit"));
    assert_eq!(error(b"[1]"), "expected an object whose `do` is a string");
    assert_eq!(error(b"{\"do\": \"go\", \"time\": -1}"), "`time` must be a whole number");
    assert_eq!(error(b"{\"do\": \"line\", \"line\": 4294967296}"), "`line` is too large");
    assert!(error(long(MAX_REQUEST).as_bytes()).starts_with("no request `xxx"));
    assert_eq!(error(long(MAX_REQUEST + 1).as_bytes()), "a request is longer than 1048576 bytes");
}

/// Each place names all invocations of its group, of which there may be many.
#[test]
fn moments_name_so_many_invocations() {
    // The barrier makes a workgroup a group.
    let steps: String = (1..200).map(|n| format!("{n}: MOV TEMP[0], TEMP[0]\n")).collect();
    let head = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1000\nDCL TEMP[0]\n0: BARRIER\n";
    let program = format!("{head}{steps}200: END\n");
    let files = vec![("a.tgsi".into(), program), ("run.json".into(), r#"{"grid": [1, 1, 1]}"#.into())];
    let mut session = Files(files).session("a.tgsi", "run.json", 0).unwrap();
    let end = session.end_time();
    let mut asked = |from: usize| -> Vec<Value> {
        let request = json!({ "do": "moments", "from": from, "count": 10_000 });
        let reply: Value = serde_json::from_str(&handle(&mut session, request.to_string()).line).unwrap();
        reply["moments"].as_array().unwrap().clone()
    };
    let first = asked(0);
    assert_eq!(first[0]["live"].as_array().map(Vec::len), Some(1000));
    assert_eq!((first.len(), asked(100)[0]["moment"].as_u64()), (100, Some(100)));
    assert_eq!(asked(150).len(), end - 150);
}

/// A list of breakpoints that grows for ever would be memory without bound.
#[test]
fn there_are_not_more_than_a_thousand_breakpoints() {
    let (mut session, _) = session("agal-wrong-swizzle");
    let set = |session: &mut Session| handle(session, r#"{"do": "break", "if": "nan"}"#).line;
    for _ in 0..1000 {
        assert!(set(&mut session).contains("\"ok\":true"));
    }
    assert!(set(&mut session).contains("there are already 1000"));
}

/// Numbers that look random.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// A text with a few changes.
    fn change(&mut self, text: &str) -> Vec<u8> {
        const PIECES: [&str; 12] =
            ["1e999", "-1", "null", "\"\"", "true", "99999999999999999999", "{", "}", "[", "]", ",", "\""];
        let mut text = text.as_bytes().to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(text.len());
            match self.below(4) {
                0 => text[at] = self.below(256) as u8,
                1 => text.splice(at..=at, []).for_each(drop),
                2 => text.splice(at..at, PIECES[self.below(12)].bytes()).for_each(drop),
                _ => text.splice(at..=at, PIECES[self.below(12)].bytes()).for_each(drop),
            }
            if text.is_empty() {
                break;
            }
        }
        text
    }
}

#[test]
fn changed_requests_are_answered() {
    let mut rng = Rng(1);
    let (mut fine, mut refused) = (0, 0);
    for name in SESSIONS {
        let (mut session, talk) = session(name);
        for _ in 0..400 {
            let (_, request, _) = &talk.requests[rng.below(talk.requests.len())];
            let reply = handle(&mut session, rng.change(request));
            let value: Value = serde_json::from_str(&reply.line).unwrap();
            *(if value["ok"].as_bool().unwrap() { &mut fine } else { &mut refused }) += 1;
        }
    }
    assert!(fine > 50 && refused > 400, "{fine} answers, {refused} refusals");
}

fn editor() -> (Files, Vec<(usize, String, Vec<Value>)>) {
    let talk = parse(&read("tests/debugger/editor.dap"), "dap").unwrap();
    let request = |(n, (at, text, answers)): (usize, (usize, String, Vec<Value>))| {
        let mut request: Value = serde_json::from_str(&text).unwrap();
        request["type"] = json!("request");
        request["seq"] = json!(n + 1);
        (at, request.to_string(), answers)
    };
    (Files(talk.files), talk.requests.into_iter().enumerate().map(request).collect())
}

#[test]
fn an_editor_gets_answers_and_events() {
    let (files, requests) = editor();
    let mut server = Server::new(files);
    for (at, request, wanted) in &requests {
        let sent = server.handle(request);
        assert_eq!(sent.len(), wanted.len(), "{at}: {sent:?}");
        for (wanted, text) in wanted.iter().zip(&sent) {
            let found: Value = serde_json::from_str(text).unwrap();
            has(wanted, &found, "").unwrap_or_else(|why| panic!("{at}: {why}\n{text}"));
        }
        assert_eq!(server.is_over(), request.contains("disconnect"));
    }
}

/// A server that has launched a program that squares its varying, and what it says to a command.
fn squares() -> impl FnMut(&str, Value) -> Value {
    let program = ".agal fragment 1\nmul ft0, v0, v0\nmov oc, ft0\n";
    let input = r#"{"inputs": [{"v0": [1e30, 1, 1, 1]}]}"#;
    let mut server =
        Server::new(Files(vec![("a.agal".into(), program.into()), ("run.json".into(), input.into())]));
    let mut say = move |command: &str, args: Value| -> Value {
        let request = json!({ "type": "request", "seq": 1, "command": command, "arguments": args });
        let sent = server.handle(request.to_string());
        sent.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()).collect()
    };
    let launched = say("launch", json!({ "program": "a.agal", "input": "run.json", "stopOnEntry": false }));
    assert_eq!(launched[0]["success"], true, "{launched}");
    say
}

#[test]
fn a_refused_request_changes_nothing() {
    let mut say = squares();
    let set = say("setExceptionBreakpoints", json!({ "filters": ["inf"] }));
    assert_eq!(set[0]["body"]["breakpoints"], json!([{ "id": 1, "verified": true }]));
    let refused = say("setExceptionBreakpoints", json!({ "filters": ["nan", "none"] }));
    assert_eq!(refused[0]["message"], "no exception filter \"none\"");
    let many = vec![json!("nan"); 1001];
    let refused = say("setExceptionBreakpoints", json!({ "filters": many }));
    assert_eq!(refused[0]["success"], false);
    // 1e30 times itself is more than a number holds: the first breakpoint is there, and no other.
    let stopped = say("configurationDone", json!({}));
    assert_eq!(stopped[1]["body"]["hitBreakpointIds"], json!([1]), "{stopped}");
    assert_eq!(stopped[1]["body"]["reason"], "exception");
    let set = say("setExceptionBreakpoints", json!({ "filters": ["denormal"] }));
    assert_eq!(set[0]["body"]["breakpoints"][0]["id"], 2);
}

#[test]
fn lists_of_breakpoints_have_an_end() {
    let mut say = squares();
    let source = |path: &str| json!({ "path": path });
    for (command, field, of) in [
        ("setBreakpoints", "breakpoints", "a.agal"),
        ("setBreakpoints", "breakpoints", "other.agal"),
        ("setDataBreakpoints", "breakpoints", ""),
        ("setExceptionBreakpoints", "filters", ""),
        ("setExceptionBreakpoints", "filterOptions", ""),
    ] {
        let refused = say(command, json!({ "source": source(of), field: vec![0; 1001] }));
        let message = format!("`{field}` has 1001 items; there may be 1000");
        assert_eq!((&refused[0]["success"], &refused[0]["message"]), (&json!(false), &json!(message)));
    }
    for of in ["a.agal", "other.agal"] {
        let answered = say("setBreakpoints", json!({ "source": source(of), "breakpoints": vec![0; 1000] }));
        assert_eq!(answered[0]["body"]["breakpoints"].as_array().map(Vec::len), Some(1000));
    }
}

#[test]
fn changed_messages_are_answered_or_told_of() {
    let (mut rng, mut fine) = (Rng(2), 0);
    let (_, requests) = editor();
    for _ in 0..40 {
        let mut server = Server::new(editor().0);
        let mut last = 0;
        for (_, request, _) in &requests {
            let changed = rng.below(3) == 0;
            let message = if changed { rng.change(request) } else { request.clone().into_bytes() };
            for text in server.handle(message) {
                let message: Value = serde_json::from_str(&text).unwrap();
                last += 1;
                assert_eq!(message["seq"], last);
                fine += usize::from(message["success"] == true);
            }
        }
    }
    assert!(fine > 400, "{fine} answers");
    let mut server = Server::new(Files(Vec::new()));
    assert!(server.handle(r#"{"type": "response"}"#).is_empty());
    let told = server.handle("{");
    assert!(told.len() == 1 && told[0].contains(r#""event":"output""#) && told[0].contains("not JSON"));
    assert!(server.handle(vec![b' '; (16 << 20) + 1])[0].contains("longer than 16777216 bytes"));
}
