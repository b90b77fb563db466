//! `vecasm debug` as scripts and editors drive it, and conditions on traces. Sessions of the JSON protocol are test files of
//! their own, in tests/debug.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Line 2: ft0 = v0; line 3: is x below 0? line 4: -x; line 6: y = 3·x; line 7: out.
const PROGRAM: &str = ".agal fragment 2\nmov ft0, v0\nifl ft0.x, fc0.x\nneg ft0.x, ft0.x\neif\nmul ft0.y, ft0.x, fc0.y\nmov oc, ft0\n";
const INPUT: &str =
    r#"{"constants": {"fc0": [0, 3, 0, 0]}, "inputs": [{"v0": [-2, 1, 0, 1]}, {"v0": [5, 1, 0, 1]}]}"#;

fn files(name: &str) -> std::path::PathBuf {
    folder(name, &[("a.agal", PROGRAM.as_bytes()), ("a.json", INPUT.as_bytes())])
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_string()
}

#[test]
fn traces_take_conditions() {
    let folder = files("trace-if");
    let (program, input) = (path(&folder, "a.agal"), path(&folder, "a.json"));
    let trace = |more: &[&str]| -> Vec<Value> {
        let out = ok(&[&["run", &program, "-i", &input, "--trace"], more].concat(), "");
        stdout(&out).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let found = |more: &[&str]| -> Vec<(Value, Value)> {
        trace(more).into_iter().map(|line| (line["instruction"].clone(), line["matching"].clone())).collect()
    };
    // Invocation 0 takes five steps, invocation 1 four: each is a group of its own.
    assert_eq!(trace(&[]).len(), 9);
    assert_eq!(trace(&[])[0]["matching"], Value::Null);
    assert_eq!(found(&["--trace-if", "line 4"]), [("neg ft0.x, ft0.x".into(), json!([0]))]);
    // 3·2 and 3·5.
    let wanted = [("mul ft0.y, ft0.x, fc0.y".into(), json!([1]))];
    assert_eq!(found(&["--trace-if", "writes ft0.y", "--trace-if", "ft0.y > 6 and line 3..6"]), wanted);
    assert_eq!(
        found(&["--trace-if", "ft0.x < 0 and not writes ft0"]),
        [("ifl ft0.x, fc0.x".into(), json!([0]))]
    );
    assert_eq!(trace(&["--invocation", "1"]).len(), 4);
    assert_eq!(trace(&["--trace-if", "nan"]).len(), 0);
    for (more, message) in [
        (["--trace-if", "ft0.x <"], "--trace-if 'ft0.x <': column 8: expected"),
        (["--trace-if", "ft9 == 0"], "--trace-if 'ft9 == 0': column 1: no `ft9` here"),
        (["--invocation", "2"], "--invocation 2: there are 2, counted from 0"),
    ] {
        let out = vecasm(&[&["run", &program, "-i", &input, "--trace"], &more[..]].concat(), "");
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(message), "{}", stderr(&out));
    }
}

#[test]
fn bad_requests_are_answered() {
    let folder = files("debug-bad");
    let args = ["debug", "--json", &path(&folder, "a.agal"), "-i", &path(&folder, "a.json")];
    let long = format!("{{\"do\": \"{}\"}}\n", "x".repeat(2 << 20));
    let requests =
        format!("[1]\n{{}}\n\n{{\"do\": 5}}\n{long}{{\"do\": \"go\"}}\n{{\"id\": [7], \"do\": \"step\"}}\n");
    let out = ok(&args, requests);
    let answers: Vec<Value> = stdout(&out).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fine: Vec<bool> = answers.iter().map(|answer| answer["ok"].as_bool().unwrap()).collect();
    assert_eq!(fine, [false, false, false, false, false, true]);
    assert_eq!(answers[3]["error"], "a request is longer than 1048576 bytes");
    assert_eq!(answers[5]["id"], json!([7]));
    for args in [
        &["debug", "--json"][..],
        &["debug", "--json", "-"],
        &["debug", &path(&folder, "a.agal"), "--json", "--dap"],
    ] {
        assert_eq!(vecasm(args, "").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn input_that_is_cut_off_is_an_error() {
    let whole = "Content-Length: 2\r\n\r\n{}";
    ok(&["debug", "--dap"], "");
    ok(&["debug", "--dap"], whole);
    for end in 1..whole.len() {
        let cut = vecasm(&["debug", "--dap"], &whole[..end]);
        assert_eq!(cut.status.code(), Some(2), "{end}");
    }
    let cut = vecasm(&["debug", "--dap"], "Content-Length: 20\r\n\r\n{\"seq\":");
    assert!(stderr(&cut).contains("the input ends inside a message"), "{}", stderr(&cut));
}

/// A client of the Debug Adapter Protocol.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    seq: u64,
    events: Vec<Value>,
}

impl Client {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vecasm"))
            .args(["debug", "--dap"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, seq: 0, events: Vec::new() }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has gone");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None => break,
            }
        }
        let mut content = vec![0; length];
        self.output.read_exact(&mut content).unwrap();
        serde_json::from_slice(&content).unwrap()
    }

    /// Sends a request and gives its answer; events before it are kept.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.seq += 1;
        let request =
            json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let text = request.to_string();
        write!(self.input.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        loop {
            let message = self.message();
            if message["type"] == "response" {
                assert_eq!(
                    (&message["request_seq"], &message["command"]),
                    (&json!(self.seq), &json!(command))
                );
                return message;
            }
            self.events.push(message);
        }
    }

    /// The body of the answer to a request that succeeds.
    fn get(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    /// The body of the next event, which has that name.
    fn event(&mut self, name: &str) -> Value {
        let event = if self.events.is_empty() { self.message() } else { self.events.remove(0) };
        assert_eq!(event["event"], name, "{event}");
        event["body"].clone()
    }

    /// Moves, and gives why and where it stopped.
    fn go(&mut self, command: &str, thread: u64) -> (String, Value) {
        self.get(command, json!({ "threadId": thread }));
        let stopped = self.event("stopped");
        let frames = self.get("stackTrace", json!({ "threadId": thread }));
        (stopped["reason"].as_str().unwrap().into(), frames["stackFrames"][0]["line"].clone())
    }

    /// The variables of a scope of a thread: names and values.
    fn scope(&mut self, thread: u64, name: &str) -> Vec<(String, String, u64)> {
        let scopes = self.get("scopes", json!({ "frameId": thread }));
        let scopes = scopes["scopes"].as_array().unwrap().clone();
        let scope = scopes.iter().find(|scope| scope["name"] == name).unwrap_or_else(|| panic!("{scopes:?}"));
        self.variables(scope["variablesReference"].as_u64().unwrap())
    }

    fn variables(&mut self, reference: u64) -> Vec<(String, String, u64)> {
        let body = self.get("variables", json!({ "variablesReference": reference }));
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let list = body["variables"].as_array().unwrap();
        list.iter()
            .map(|v| (text(&v["name"]), text(&v["value"]), v["variablesReference"].as_u64().unwrap()))
            .collect()
    }

    fn end(mut self) {
        self.get("disconnect", json!({}));
        drop(self.input.take());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn an_editor_debugs_a_text() {
    let folder = files("dap-text");
    let source = json!({ "path": path(&folder, "a.agal") });
    let mut client = Client::start(&[]);
    let can = client.get("initialize", json!({ "adapterID": "vecasm", "linesStartAt1": true }));
    assert_eq!(
        (&can["supportsStepBack"], &can["supportsConfigurationDoneRequest"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(client.ask("threads", json!({}))["success"], false);
    let missing = client.ask("launch", json!({ "program": path(&folder, "none.agal") }));
    assert_eq!(missing["success"], false);
    client.get("launch", json!({ "program": source["path"], "input": path(&folder, "a.json") }));
    client.event("initialized");
    // Line 5 has nothing to stop at; y is not above 6 behind line 6; the third condition is none.
    let set = client.get(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": [
            { "line": 5 }, { "line": 7, "condition": "ft0.y > 6" }, { "line": 2, "condition": "ft0.y >" }
        ] }),
    );
    let set = set["breakpoints"].as_array().unwrap();
    assert_eq!((&set[0]["verified"], &set[0]["line"]), (&json!(true), &json!(6)));
    assert_eq!((&set[1]["verified"], &set[2]["verified"]), (&json!(true), &json!(false)));
    assert_eq!(client.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }))["success"], false);
    client.get("setExceptionBreakpoints", json!({ "filters": ["nan"] }));
    client.get("configurationDone", json!({}));
    assert_eq!(client.event("stopped")["reason"], "entry");
    let threads = client.get("threads", json!({}));
    assert_eq!(threads["threads"], json!([{ "id": 1, "name": "invocation 0" }]));
    let frame = client.get("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0].clone();
    assert_eq!((&frame["line"], &frame["source"]["path"]), (&json!(2), &source["path"]));
    assert_eq!(client.go("next", 1), ("step".into(), json!(3)));
    assert_eq!(client.go("stepIn", 1), ("step".into(), json!(4)));
    assert_eq!(client.go("stepBack", 1), ("step".into(), json!(3)));
    assert_eq!(client.go("continue", 1), ("breakpoint".into(), json!(6)));
    let registers = client.scope(1, "Registers ft");
    assert_eq!((registers[0].0.as_str(), registers[0].1.as_str()), ("ft0", "(2.0, 1.0, 0.0, 1.0)"));
    let lanes = client.variables(registers[0].2);
    assert_eq!((lanes[0].0.as_str(), lanes[0].1.as_str()), ("x", "2.0 (0x40000000)"));
    assert_eq!(client.scope(1, "Constants")[0].1, "(0.0, 3.0, 0.0, 0.0)");
    let value = |client: &mut Client, text: &str| {
        client.get("evaluate", json!({ "expression": text, "frameId": 1, "context": "watch" }))["result"]
            .clone()
    };
    assert_eq!(value(&mut client, "ft0.xy * 2"), "(4.0, 2.0)");
    assert_eq!(value(&mut client, "ft0.x == 2"), "true");
    assert_eq!(client.ask("evaluate", json!({ "expression": "q", "frameId": 1 }))["success"], false);
    // A data breakpoint on ft0.y, which line 6 writes: it stops behind that, in front of line 7.
    let info = client.get("dataBreakpointInfo", json!({ "variablesReference": registers[0].2, "name": "y" }));
    assert_eq!(info["dataId"], "ft0.y");
    client
        .get("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": "ft0.y", "accessType": "write" }] }));
    assert_eq!(client.go("continue", 1), ("data breakpoint".into(), json!(7)));
    assert_eq!(client.go("reverseContinue", 1), ("breakpoint".into(), json!(6)));
    client.get("setDataBreakpoints", json!({ "breakpoints": [] }));
    // The breakpoint of line 7 asks for more than 6.
    assert_eq!(client.go("continue", 1), ("pause".into(), json!(7)));
    assert_eq!(client.scope(1, "Outputs")[0].1, "(2.0, 6.0, 0.0, 1.0)");
    let made =
        client.get("evaluate", json!({ "expression": "ancestry oc.y", "frameId": 1, "context": "repl" }));
    let made = made["result"].as_str().unwrap().to_string();
    assert!(
        made.starts_with("line 2: mov ft0, v0") && made.ends_with("from input v0.x\nfrom constant fc[0].y"),
        "{made}"
    );
    assert_eq!(client.go("reverseContinue", 1), ("breakpoint".into(), json!(6)));
    assert_eq!(client.go("reverseContinue", 1), ("entry".into(), json!(2)));
    assert_eq!(client.go("stepOut", 1), ("pause".into(), json!(7)));
    client.get("continue", json!({ "threadId": 1 }));
    client.event("terminated");
    assert_eq!(client.ask("fly", json!({}))["success"], false);
    client.end();
}

#[test]
fn an_editor_debugs_a_binary_and_a_quad() {
    // A quad, for ddx. Invocation 1 does not take the if; the text of the binary comes from the server.
    let text = PROGRAM.replace("mov ft0, v0", "ddx ft1, v0\nmov ft0, v0");
    let binary = ok(&["asm"], &text).stdout;
    let inputs: Vec<Value> = [-1, 1, 2, 3].map(|x| json!({ "v0": [x, 0, 0, 1] })).into();
    let input = json!({ "constants": { "fc0": [0, 3, 0, 0] }, "inputs": inputs }).to_string();
    let folder = folder("dap-binary", &[("a.bin", &binary), ("a.json", input.as_bytes())]);
    let mut client = Client::start(&[]);
    client.get("initialize", json!({}));
    let launch = json!({
        "program": path(&folder, "a.bin"), "invocation": 1, "arguments": ["-i", path(&folder, "a.json")], "stopOnEntry": false,
    });
    client.get("launch", launch);
    client.event("initialized");
    let source = client.get("loadedSources", json!({}))["sources"][0].clone();
    assert_eq!(source["sourceReference"], 1);
    let content =
        client.get("source", json!({ "sourceReference": 1 }))["content"].as_str().unwrap().to_string();
    let line = content.lines().position(|line| line.starts_with("mul ft0.y")).unwrap() + 1;
    let set = client.get("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": line }] }));
    assert_eq!(set["breakpoints"][0]["line"], line);
    let other = json!({ "source": { "path": "/elsewhere" }, "breakpoints": [{ "line": 1 }] });
    assert_eq!(client.get("setBreakpoints", other)["breakpoints"][0]["verified"], false);
    client.get("configurationDone", json!({}));
    let stopped = client.event("stopped");
    assert_eq!((&stopped["reason"], &stopped["threadId"]), (&json!("breakpoint"), &json!(2)));
    let threads = client.get("threads", json!({}));
    assert_eq!(threads["threads"].as_array().unwrap().len(), 4);
    // The moment before is the negation, in which invocation 1 takes no part.
    client.get("stepBack", json!({ "threadId": 2, "granularity": "instruction" }));
    client.event("stopped");
    let frame = client.get("stackTrace", json!({ "threadId": 2 }))["stackFrames"][0].clone();
    let name = frame["name"].as_str().unwrap();
    assert!(
        name.starts_with("neg ft0.x, ft0.x (masked: line ") && name.ends_with("took the other branch)"),
        "{name}"
    );
    let frame = client.get("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0].clone();
    assert_eq!(frame["name"], "neg ft0.x, ft0.x");
    assert_eq!(client.scope(1, "Registers ft")[0].1, "(-1.0, 0.0, 0.0, 1.0)");
    assert_eq!(client.scope(3, "Registers ft")[0].1, "(2.0, 0.0, 0.0, 1.0)");
    client.end();
}

#[test]
fn an_editor_sees_both_units() {
    let program = "mov r1, c96\nmul r0, v0, r1.x + rcp r1.x, v0.z\nmul oPos, v0.xxxx, r1.x\n";
    let input = r#"{"constants": {"c96": [0.5, 0, 0, 0]}, "inputs": [{"v0": [2, 3, 4, 1]}]}"#;
    let folder = folder("dap-units", &[("a.vsh", program.as_bytes()), ("a.json", input.as_bytes())]);
    // What to debug stands on the command line.
    let mut client = Client::start(&[&path(&folder, "a.vsh"), "-i", &path(&folder, "a.json")]);
    client.get("initialize", json!({}));
    client.get("launch", json!({}));
    client.event("initialized");
    client.get("configurationDone", json!({}));
    client.event("stopped");
    assert_eq!(client.go("next", 1), ("step".into(), json!(2)));
    let name = |client: &mut Client| {
        let frame = client.get("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0]["name"].clone();
        frame.as_str().unwrap().rsplit(' ').next().unwrap().to_string()
    };
    assert_eq!(name(&mut client), "[MAC]");
    assert_eq!(client.go("stepIn", 1), ("step".into(), json!(2)));
    assert_eq!(name(&mut client), "[ILU]");
    assert_eq!(client.go("next", 1), ("step".into(), json!(3)));
    client.end();
}
