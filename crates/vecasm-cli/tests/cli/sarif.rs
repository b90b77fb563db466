//! `--message-format sarif`: what the standard demands, and where the places of findings are.

use super::{folder, vecasm};

/// Checks what SARIF 2.1.0 demands of every log, and gives its run.
fn sarif_run(log: &[u8]) -> serde_json::Value {
    let mut log: serde_json::Value = serde_json::from_slice(log).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    let run = log["runs"][0].take();
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "vecasm");
    let rules = driver["rules"].as_array().unwrap();
    let artifacts = run["artifacts"].as_array().unwrap();
    for rule in rules {
        for key in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[key]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level), "{rule}");
    }
    for result in run["results"].as_array().unwrap() {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"], "the index is that of the id");
        for location in result["locations"].as_array().unwrap() {
            let artifact = &location["physicalLocation"]["artifactLocation"];
            let listed = &artifacts[artifact["index"].as_u64().unwrap() as usize];
            assert_eq!(listed["location"]["uri"], artifact["uri"], "the index is that of the name");
        }
    }
    run
}

#[test]
fn check_writes_one_sarif_log() {
    let dir = folder("sarif", &[]);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    // The second line reads an output register, which is AGAL3646 for the player.
    std::fs::write(path("a b.agal"), ".agal fragment 1\nmov ft0, oc\nmov oc, ft0\n").unwrap();
    std::fs::write(path("bad.agal"), ".agal fragment 1\nmvo oc, v0\n").unwrap();
    std::fs::write(path("good.agal"), ".agal fragment 1\nmov oc, v0\n").unwrap();
    let files = [path("a b.agal"), path("bad.agal"), path("good.agal")];
    let mut args = vec!["check", "--message-format", "sarif"];
    args.extend(files.iter().map(String::as_str));
    let output = vecasm(&args, b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"", "all findings are in the log");
    let run = sarif_run(&output.stdout);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["artifacts"].as_array().unwrap().len(), 3, "inputs without findings are listed too");
    let results = run["results"].as_array().unwrap();
    let of = |id: &str| results.iter().find(|r| r["ruleId"] == id).unwrap();
    let read = of("AGAL3646");
    assert_eq!((&read["level"], &read["properties"]["first"]), (&"error".into(), &true.into()));
    let region = &read["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&2.into(), &1.into()));
    assert!(
        read["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .is_some_and(|uri| uri.starts_with("file:///") && uri.ends_with("/sarif/a%20b.agal"))
    );
    let typo = of("AGAL-unknown-opcode");
    let region = &typo["locations"][0]["physicalLocation"]["region"];
    // `mvo` in line 2: three characters behind the 17 bytes of line 1.
    for (key, value) in [("startLine", 2), ("startColumn", 1), ("endLine", 2), ("endColumn", 4)] {
        assert_eq!(region[key], value, "{key}");
    }
    assert_eq!((&region["byteOffset"], &region["byteLength"]), (&17.into(), &3.into()));
}

#[test]
fn sarif_of_binaries_pairs_and_failures() {
    // A binary: the token is at byte 7, behind the header; its first source, oc (register type 3), 8 bytes further.
    let digits = "a001000000a101 0000000000000f02 000000e403000000 0000000000000000";
    let binary = vecasm::isa::parse_hex(digits).unwrap();
    let output = vecasm(&["check", "--message-format", "sarif"], binary);
    let run = sarif_run(&output.stdout);
    let results = run["results"].as_array().unwrap();
    let read = results.iter().find(|r| r["ruleId"] == "AGAL3646").unwrap();
    let location = &read["locations"][0];
    assert_eq!(location["physicalLocation"]["region"]["byteOffset"], 15);
    assert_eq!(location["logicalLocations"][0]["name"], "token 1");
    assert!(location["physicalLocation"]["region"]["snippet"]["rendered"]["text"].as_str().is_some());
    // In digits it has the place of these: behind two groups and their blanks, 32 bytes.
    let output = vecasm(&["check", "--message-format", "sarif"], digits);
    let run = sarif_run(&output.stdout);
    let results = run["results"].as_array().unwrap();
    let read = results.iter().find(|r| r["ruleId"] == "AGAL3646").unwrap();
    let region = &read["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&1.into(), &33.into()));
    // A pair: the varying that the fragment program reads is not written, which is about both files.
    let dir = folder("sarif-pair", &[]);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    std::fs::write(path("v.agal"), ".agal vertex 1\nmov op, va0\n").unwrap();
    std::fs::write(path("f.agal"), ".agal fragment 1\nmov oc, v0\n").unwrap();
    let output = vecasm(&["check", "--message-format", "sarif", &path("v.agal"), &path("f.agal")], b"");
    let run = sarif_run(&output.stdout);
    let linked = run["results"].as_array().unwrap().iter().find(|r| r["ruleId"] == "AGAL3632").unwrap();
    let uri = |location: &serde_json::Value| {
        location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_string()
    };
    assert!(uri(&linked["locations"][0]).ends_with("f.agal"));
    assert!(uri(&linked["relatedLocations"][0]).ends_with("v.agal"));
    // Other verbs write the log where they write findings, one for all inputs; so do failures.
    let output = vecasm(&["asm", "--message-format", "sarif"], b".agal fragment 1\nmvo oc, v0\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(sarif_run(&output.stderr)["results"][0]["ruleId"], "AGAL-unknown-opcode");
    let output = vecasm(&["check", "--message-format", "sarif", &path("none.agal")], b"");
    assert_eq!(output.status.code(), Some(2));
    let run = sarif_run(&output.stdout);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert!(notification["message"]["text"].as_str().unwrap().contains("none.agal"));
}

/// A log grows with its findings: each file is named once as an artifact, each rule once, and results have their numbers.
#[test]
fn a_log_names_each_file_and_rule_once() {
    let log = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("f{n:04}.agal")).collect();
        let files: Vec<(&str, &[u8])> =
            names.iter().map(|name| (name.as_str(), &b".agal fragment 1\nmvo oc, v0\n"[..])).collect();
        let dir = folder(&format!("sarif-{count:04}"), &files);
        vecasm(&["check", "--message-format", "sarif", dir.to_str().unwrap()], b"").stdout
    };
    let (few, many) = (log(40), log(400));
    let run = sarif_run(&many);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!((run["artifacts"].as_array().unwrap().len(), rules.len()), (400, 1));
    for (n, result) in run["results"].as_array().unwrap().iter().enumerate() {
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["index"], n);
        assert_eq!(result["ruleIndex"], 0);
    }
    assert!(many.len() < few.len() * 10, "{} bytes for 40 files, {} for 400", few.len(), many.len());
}
