//! `run`: engines, statistics, many invocations.

use super::{ok, stderr, stdout, vecasm};

const FRAGMENT: &[u8] = b".agal fragment 1\nmul oc, v0, v0\n";

#[test]
fn statistics_say_who_ran_what() {
    let plain = ok(&["run", "--random", "8"], FRAGMENT);
    assert_eq!(stderr(&plain), "");
    for engine in ["auto", "interp"] {
        let told = ok(&["run", "--random", "8", "--engine", engine, "--stats"], FRAGMENT);
        assert_eq!(told.stdout, plain.stdout);
        let line = stderr(&told);
        assert!(line.starts_with("engine ") && line.contains("; 8 invocations, "), "{line}");
    }
    let args = ["run", "--random", "8", "--engine", "interp", "--stats", "--message-format", "json"];
    let told: serde_json::Value = serde_json::from_slice(&ok(&args, FRAGMENT).stderr).unwrap();
    assert_eq!((&told["id"], &told["engine"]), (&"run-stats".into(), &"interp".into()));
    assert_eq!(told["invocations"], 8);
    let number = |key: &str| told[key].as_f64().unwrap();
    assert!((number("ns_per_invocation") - number("run_ns") / 8.0).abs() < 1e-6);
    assert!(number("compile_ns") > 0.0 && number("total_ns") >= number("run_ns"));
    // A SARIF log is one object and stays one.
    let log = ok(&["run", "--random", "8", "--stats", "--message-format", "sarif"], FRAGMENT);
    let log: serde_json::Value = serde_json::from_slice(&log.stderr).unwrap();
    assert_eq!(log["version"], "2.1.0");
}

#[test]
fn engines_that_are_listed_run_and_others_do_not() {
    let formats: serde_json::Value =
        serde_json::from_slice(&ok(&["formats", "--format", "json"], b"").stdout).unwrap();
    let engines: Vec<&str> =
        formats["engines"].as_array().unwrap().iter().filter_map(|e| e.as_str()).collect();
    assert!(engines.starts_with(&["auto"]) && engines.ends_with(&["interp"]), "{engines:?}");
    let right = ok(&["run", "--random", "64", "--engine", "interp"], FRAGMENT);
    for engine in engines {
        let output = vecasm(&["run", "--random", "64", "--engine", engine], FRAGMENT);
        match output.status.code() {
            Some(0) => assert_eq!(stdout(&output), stdout(&right), "{engine}"),
            // It may lack a processor.
            code => {
                assert_eq!(code, Some(2), "{engine}: {}", stderr(&output));
                assert!(stderr(&output).contains("not on this machine"), "{engine}: {}", stderr(&output));
            }
        }
    }
    let output = vecasm(&["run", "--random", "64", "--engine", "abacus"], FRAGMENT);
    assert_eq!(output.status.code(), Some(2));
}
