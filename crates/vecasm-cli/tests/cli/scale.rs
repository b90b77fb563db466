//! Time grows with the input, not with its square.

use crate::{folder, vecasm};
use std::time::{Duration, Instant};

/// How long `vecasm` takes, with the status that it must give.
fn time(args: &[&str], status: i32) -> Duration {
    let start = Instant::now();
    let output = vecasm(args, "");
    assert_eq!(output.status.code(), Some(status), "{args:?}");
    start.elapsed()
}

/// Fails unless `much` is about `little`: three times as much is not. A busy machine has three attempts.
#[track_caller]
fn about(much: impl Fn() -> Duration, little: impl Fn() -> Duration, what: &str) {
    let attempts = |_| {
        let (much, little) = (much(), little());
        (much > little * 3 + Duration::from_secs(3)).then_some((much, little))
    };
    let slow: Option<Vec<_>> = (0..3).map(attempts).collect();
    assert!(slow.is_none(), "{what}: how long, rather than how long: {slow:?}");
}

#[test]
fn findings_far_from_the_start_take_no_longer_to_show() {
    let long = |mark: char| format!("{mark} {}\n", "a".repeat(90)).repeat(4_000);
    let cases = [
        ("agal", ".agal fragment 1\n", '#', "xxx oc, v0\n", "mov oc, v0\n"),
        ("d3d9", "ps_2_0\n", ';', "xxx r0, c0\n", "mov oC0, c0\n"),
        ("tgsi", "FRAG\nDCL OUT[0], COLOR\n", '#', "XXX OUT[0], OUT[0]\n", "MOV OUT[0], OUT[0]\nEND\n"),
        ("nv2a", "", ';', "xxx R0, v0\n", "mov oPos, v0\n"),
    ];
    let folder = folder("scale-findings", &[]);
    for (isa, first, mark, bad, last) in cases {
        let mark = if isa == "agal" { "//".into() } else { mark.to_string() };
        let text = |bad: &str| format!("{first}{}{bad}{last}", long('#').replace('#', &mark));
        let [good, wrong] = ["good", "wrong"].map(|name| folder.join(format!("{isa}.{name}")));
        std::fs::write(&good, text("")).unwrap();
        std::fs::write(&wrong, text(&bad.repeat(500))).unwrap();
        for format in ["human", "short", "json", "sarif"] {
            let check = |path: &std::path::Path, status| {
                time(&["check", "--isa", isa, "--message-format", format, path.to_str().unwrap()], status)
            };
            about(|| check(&wrong, 1), || check(&good, 0), &format!("{isa}, {format}"));
        }
    }
}

/// The places of all are those of one text, which is not read again for each.
#[test]
fn findings_of_many_programs_take_no_longer_to_show() {
    let log = |source: &str| {
        let program =
            format!("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], {source}\n  1: END\n\n");
        program.repeat(20_000)
    };
    let (good, bad) = (log("IN[0]"), log("IN[9]"));
    let folder = folder("scale-programs", &[("good", good.as_bytes()), ("bad", bad.as_bytes())]);
    let of = |name: &str, status| time(&["check", folder.join(name).to_str().unwrap()], status);
    about(|| of("bad", 1), || of("good", 0), "programs of a log");
}

#[test]
fn declarations_that_are_wrong_take_no_longer_to_show() {
    let declarations: String = (0..20_000).map(|n| format!("DCL TEMP[{n}]\n")).collect();
    let text = |end: &str| format!("VERT\n{declarations}{end}");
    let temps = text("END\n");
    let folder = folder("scale-temps", &[("good", b"VERT\nEND\n"), ("bad", temps.as_bytes())]);
    let of = |name: &str, status| time(&["check", folder.join(name).to_str().unwrap()], status);
    about(|| of("bad", 1), || of("good", 0), "declarations");
}

/// A fragment program with `count` times these lines.
fn fragment(lines: &str, count: usize) -> String {
    let head =
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..3]\nDCL TEMP[0..1]\n";
    format!("{head}MOV TEMP[0], IN[0]\n{}MOV OUT[0], TEMP[0]\nEND\n", lines.repeat(count))
}

#[test]
fn programs_are_compared_in_time_that_grows_as_they_do() {
    let folder = folder("scale-eqv", &[]);
    let add = "ADD TEMP[0], TEMP[0], CONST[1]\n";
    let branch = "IF TEMP[0].xxxx\nADD TEMP[0], TEMP[0], CONST[1]\nENDIF\n";
    let kill = "KILL_IF TEMP[0]\nADD TEMP[0], TEMP[0], CONST[1]\n";
    let turned = "KILL_IF TEMP[0]\nADD TEMP[0], CONST[1], TEMP[0]\n";
    for (name, a, b, count) in
        [("adds", add, add, 16_000), ("branches", branch, branch, 4_000), ("kills", kill, turned, 8_000)]
    {
        let eqv = |count: usize| {
            let [a, b] = [("a", a), ("b", b)].map(|(side, lines)| {
                let path = folder.join(format!("{name}.{side}.tgsi"));
                std::fs::write(&path, fragment(lines, count)).unwrap();
                path.display().to_string()
            });
            time(&["eqv", &a, &b], 0)
        };
        about(|| eqv(count), || eqv(count / 8) * 8, name);
    }
}

#[test]
fn findings_in_an_included_file_take_no_longer_to_show() {
    let long = format!("; {}\n", "a".repeat(90)).repeat(4_000);
    let wrong = format!("{long}{}", "xxx r0, c0\n".repeat(500));
    let files: [(&str, &[u8]); 4] = [
        ("good.h", long.as_bytes()),
        ("wrong.h", wrong.as_bytes()),
        ("good.psa", b"ps_2_0\n#include \"good.h\"\nmov oC0, c0\n"),
        ("wrong.psa", b"ps_2_0\n#include \"wrong.h\"\nmov oC0, c0\n"),
    ];
    let folder = folder("scale-included", &files);
    let of = |name: &str, status| time(&["check", folder.join(name).to_str().unwrap()], status);
    about(|| of("wrong.psa", 1), || of("good.psa", 0), "an included file");
}

#[test]
fn explaining_a_loop_takes_as_long_as_its_rounds() {
    // An infinity that goes round as bits, past a loop that never runs; a reciprocal of zero
    // in each round; an index out of range; lanes that a branch would write and never does.
    let carried = "UIF TEMP[2].xxxx\nBGNLOOP\nUCMP TEMP[0], TEMP[4].xxxx, TEMP[0], TEMP[3]\nENDLOOP\nELSE\nMUL TEMP[0], TEMP[0], \
                   IMM[0].xxxx\nENDIF\n";
    let born = "RCP TEMP[1], TEMP[2].xxxx\nADD TEMP[0], TEMP[0], TEMP[1]\n";
    let outside = "UARL ADDR[0].x, IMM[1].xxxx\nADD TEMP[0], TEMP[0], CONST[ADDR[0].x+9]\n";
    let handed = "IF TEMP[0].xxxx\nADD TEMP[0], TEMP[0], IMM[0].xxxx\nELSE\nMOV TEMP[3].x, TEMP[0]\nENDIF\nMOV OUT[0], TEMP[3]\n";
    let folder = folder("scale-why", &[("run.json", br#"{"inputs": [{"IN[0]": [1, 2, 3, 4]}]}"#)]);
    let on = folder.join("run.json");
    for (name, round) in [("carried", carried), ("born", born), ("outside", outside), ("handed", handed)] {
        let text = format!(
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0..4]\nDCL ADDR[0]\nIMM[0] FLT32 \
             {{1.5, 0, 0, 0}}\nIMM[1] UINT32 {{90, 0, 0, 0}}\nMOV TEMP[0], IN[0]\nBGNLOOP\n{round}ENDLOOP\nMOV OUT[0], TEMP[0]\nEND\n"
        );
        let path = folder.join(format!("{name}.tgsi"));
        std::fs::write(&path, text).unwrap();
        let why = |fuel: &str| {
            let args = [
                "why",
                path.to_str().unwrap(),
                "-i",
                on.to_str().unwrap(),
                "--of",
                "OUT[0].x",
                "--fuel",
                fuel,
            ];
            time(&args, 1)
        };
        let (little, much) = (why("500"), why("4000"));
        assert!(much <= little * 16 + Duration::from_secs(3), "{name}: {much:?} rather than {little:?}");
    }
}
