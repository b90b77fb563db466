//! `run`: engines, statistics, many invocations, tables and arrays.

use super::{folder, ok, stderr, stdout, vecasm};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const FRAGMENT: &[u8] = b".agal fragment 1\nmul oc, v0, v0\n";
/// It looks at its neighbours, so it comes in quads.
const SLOPE: &[u8] = b".agal fragment 2\nddx oc, v0\n";
/// One in two fragments is discarded.
const KILL: &[u8] = b".agal fragment 1\nkil v0.x\nmov oc, v0\n";
/// Attributes are filled to four lanes.
const VERTEX: &[u8] = b".agal vertex 1\nadd op, va0, vc0\nmov v0, va3\n";
const CONSTANTS: &str = r#"{"constants": {"vc0": [1, 2, 3, 4]}}"#;
/// An NV2A program that writes constants: each vertex sees what the one before left.
const SERIAL: &str = "add c[100], c[100], v0\n";

#[test]
fn statistics_say_who_ran_what() {
    let plain = ok(&["run", "--random", "8"], FRAGMENT);
    assert_eq!(stderr(&plain), "");
    for engine in ["auto", "lanes", "interp"] {
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

/// Runs a program on files of a folder; gives the bytes of standard output.
fn on(folder: &Path, program: &[u8], args: &str) -> Vec<u8> {
    let args = args.replace('@', &format!("{}/", folder.display()));
    ok(&["run"].into_iter().chain(args.split_whitespace()).collect::<Vec<_>>(), program).stdout
}

fn words(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_bits().to_le_bytes()).collect()
}

#[test]
fn tables_and_arrays_say_the_same_as_a_run_file() {
    let file = r#"{"constants": {"vc0": [1, 2, 3, 4]}, "inputs": [
        {"va0": [1, 2], "va3": [0.5, 1, 2, "0x7f800000"]}, {"va0": [-0.0, 1e-45], "va3": [1e30, "0x7fc00000", 3, -1]}]}"#;
    let table = "va3.w, va0.x,va0.y,\"va3.x\",va3.y,va3.z,va7.x\r\ninf,1,2,0.5,1,2,9\r\n\r\n-1,-0,1e-45,1e30,nan,3.0,9\r\n";
    let (a, b) =
        ([1.0, 2.0, -0.0, f32::from_bits(1)], [0.5, 1.0, 2.0, f32::INFINITY, 1e30, f32::NAN, 3.0, -1.0]);
    // A record each: va0.xy, a lane that is not read, va3.
    let mixed = [
        1.0,
        2.0,
        7.0,
        0.5,
        1.0,
        2.0,
        f32::INFINITY,
        -0.0,
        f32::from_bits(1),
        7.0,
        1e30,
        f32::NAN,
        3.0,
        -1.0,
    ];
    let all = [1.0, 2.0, 0.0, 1.0, 0.5, 1.0, 2.0, f32::INFINITY];
    let folder = folder(
        "tables",
        &[
            ("all.json", file.as_bytes()),
            ("constants.json", CONSTANTS.as_bytes()),
            ("table.csv", table.as_bytes()),
            ("marked.csv", &[b"\xef\xbb\xbf".as_slice(), table.as_bytes()].concat()),
            ("numpy.csv", format!("# {table}").as_bytes()),
            ("a.raw", &words(&a)),
            ("b.raw", &words(&b)),
            ("mixed.raw", &words(&mixed)),
            ("all.raw", &words(&all)),
        ],
    );
    let right = on(&folder, VERTEX, "-i @all.json");
    // (1, 2, 0, 1) + (1, 2, 3, 4).
    assert!(
        String::from_utf8_lossy(&right)
            .contains(r#""op": ["0x40000000", "0x40800000", "0x40400000", "0x40a00000"]"#)
    );
    for args in [
        "--csv @table.csv",
        "--csv @marked.csv",
        "--csv @numpy.csv",
        "--raw va0.xy=@a.raw --raw va3=@b.raw",
        "--raw va0.xy,va7.x,va3=@mixed.raw",
    ] {
        let given = on(&folder, VERTEX, &format!("-i @constants.json {args}"));
        assert_eq!(String::from_utf8_lossy(&given), String::from_utf8_lossy(&right), "{args}");
    }
    // Without names a record has all inputs.
    let first = on(&folder, VERTEX, "-i @constants.json --raw @all.raw --format hex");
    let line = on(&folder, VERTEX, "-i @all.json --format hex");
    assert_eq!(first, line.split_inclusive(|byte| *byte == b'\n').next().unwrap());
    // A table becomes a run file, and is traced.
    std::fs::write(
        folder.join("again.json"),
        on(&folder, VERTEX, "-i @constants.json --csv @table.csv --show-input"),
    )
    .unwrap();
    assert_eq!(on(&folder, VERTEX, "-i @again.json"), right);
    let trace = on(&folder, VERTEX, "-i @constants.json --csv @table.csv --trace");
    assert_eq!(trace, on(&folder, VERTEX, "-i @all.json --trace"));
}

#[test]
fn results_become_inputs_again() {
    // What the first program writes the second one reads: op and v0 stand for va0 and va3.
    let folder = folder("round", &[("constants.json", CONSTANTS.as_bytes())]);
    let copy: &[u8] = b".agal vertex 1\nmov op, va0\nmov v0, va1\n";
    let first = "--random 64 --seed 3";
    let right = on(&folder, copy, &format!("{first} --format hex"));
    let table = String::from_utf8(on(&folder, copy, &format!("{first} --format csv"))).unwrap();
    assert!(table.starts_with("op.x,op.y,op.z,op.w,v0.x,v0.y,v0.z,v0.w,killed,exhausted\n"), "{table}");
    let renamed: String = table
        .replace("op.", "va0.")
        .replace("v0.", "va1.")
        .lines()
        .map(|line| format!("{}\n", line.rsplitn(3, ',').last().unwrap()))
        .collect();
    std::fs::write(folder.join("table.csv"), renamed).unwrap();
    assert_eq!(on(&folder, copy, "--csv @table.csv --format hex"), right);
    let array = on(&folder, copy, &format!("{first} --format raw"));
    assert_eq!(array.len(), 64 * 8 * 4);
    std::fs::write(folder.join("array.raw"), &array).unwrap();
    assert_eq!(on(&folder, copy, "--raw va0,va1=@array.raw --format hex"), right);
    // In a folder each register has an array, and flags are bytes.
    on(&folder, copy, &format!("{first} --format raw -o @out/"));
    let part = |name: &str| std::fs::read(folder.join("out").join(format!("stdin.{name}.raw"))).unwrap();
    let records = part("op")
        .chunks(16)
        .zip(part("v0").chunks(16))
        .flat_map(|(a, b)| [a, b].concat())
        .collect::<Vec<_>>();
    assert_eq!(records, array);
    assert_eq!((part("killed"), part("exhausted")), (vec![0; 64], vec![0; 64]));
    // Arrays come through pipes, too.
    std::fs::write(folder.join("copy.vert.agal"), copy).unwrap();
    let args = ["run", folder.join("copy.vert.agal").to_str().unwrap(), "--raw", "-", "--format", "hex"]
        .map(str::to_string);
    assert_eq!(ok(&args.iter().map(String::as_str).collect::<Vec<_>>(), &array).stdout, right);
}

#[test]
fn long_runs_do_not_depend_on_threads_or_formats() {
    // More than two blocks of 16,384, and what is left of a block.
    let (count, folder) = (40_002, folder("long", &[("constants.json", CONSTANTS.as_bytes())]));
    for program in [FRAGMENT, KILL, SLOPE] {
        let mut table = String::from("v0.x,v0.y,v0.z,v0.w\n");
        let mut array = Vec::new();
        let count = count / 4 * 4;
        for i in 0..count {
            let row = [(i % 7) as f32 - 3.0, i as f32, 0.25 * (i % 13) as f32, 1.0];
            let _ = writeln!(table, "{},{},{},{}", row[0], row[1], row[2], row[3]);
            array.extend(words(&row));
        }
        std::fs::write(folder.join("table.csv"), &table).unwrap();
        std::fs::write(folder.join("array.raw"), &array).unwrap();
        let right = on(&folder, program, "--csv @table.csv --threads 1 --format hex");
        assert_eq!(right.iter().filter(|byte| **byte == b'\n').count(), count);
        for args in ["--csv @table.csv --threads 3", "--raw @array.raw", "--raw v0=@array.raw --threads 2"] {
            assert!(on(&folder, program, &format!("{args} --format hex")) == right, "{args}");
        }
        // The same in one piece, as JSON takes it.
        std::fs::write(folder.join("all.json"), on(&folder, program, "--csv @table.csv --show-input"))
            .unwrap();
        assert!(on(&folder, program, "-i @all.json --format hex") == right);
        let json: serde_json::Value =
            serde_json::from_slice(&on(&folder, program, "--csv @table.csv")).unwrap();
        let killed = json["killed"].as_array().unwrap();
        assert_eq!((json["outputs"].as_array().unwrap().len(), killed.len()), (count, count));
        // x is -3, -2 or -1 in three of seven.
        let expected = if program == KILL { (0..count).filter(|i| i % 7 < 3).count() } else { 0 };
        assert_eq!(killed.iter().filter(|flag| flag.as_bool() == Some(true)).count(), expected);
    }
    // What is made up is the same for any number of threads, and starts the same for any number of invocations.
    let made = on(&folder, FRAGMENT, "--random 40002 --threads 2 --format hex");
    assert!(made == on(&folder, FRAGMENT, "--random 40002 --threads 1 --format hex"));
    assert!(made.starts_with(&on(&folder, FRAGMENT, "--random 1000 --format hex")));
}

#[test]
fn programs_that_leave_something_run_in_order() {
    let folder = folder("order", &[("program.vsh", SERIAL.as_bytes())]);
    let count = 40_000;
    let array: Vec<u8> = (0..count).flat_map(|_| words(&[1.0, 0.0, 0.0, 0.5])).collect();
    std::fs::write(folder.join("ones.raw"), array).unwrap();
    std::fs::write(folder.join("zero.json"), r#"{"constants": {"c100": [0, 0, 0, 0]}}"#).unwrap();
    let program = folder.join("program.vsh");
    let args = ["run", program.to_str().unwrap(), "--state-program", "--numerics", "ieee", "--threads", "4"];
    let files = [
        "-i",
        folder.join("zero.json").to_str().unwrap(),
        "--raw",
        folder.join("ones.raw").to_str().unwrap(),
    ]
    .map(str::to_string);
    let args: Vec<&str> =
        args.into_iter().chain(files.iter().map(String::as_str)).chain(["--format", "hex"]).collect();
    let output = ok(&args, b"");
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), count + 1);
    // It has no outputs, and each vertex adds one to what the one before left.
    assert!(lines.iter().take(count).all(|line| line.is_empty()));
    let last = format!("c100 {:08x} 00000000 00000000 {:08x}", 40_000f32.to_bits(), 20_000f32.to_bits());
    assert_eq!(lines[count], last);
}

/// The program, the file's name, how it is given, its content, the start of the finding in short form.
type Wrong = (&'static [u8], &'static str, &'static str, &'static [u8], &'static str);

/// What is wrong with tables and arrays.
const WRONG: &[Wrong] = &[
    (FRAGMENT, "a.csv", "--csv @", b"", "a.csv: error[RUN-csv-header]: the table is empty"),
    (FRAGMENT, "a.csv", "--csv @", b"\n \n", "a.csv: error[RUN-csv-header]: the table is empty"),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,w.x\n",
        "a.csv:1:6: error[RUN-csv-column]: \"w\": no such input register",
    ),
    (FRAGMENT, "a.csv", "--csv @", b"v0.x,v0.q\n", "a.csv:1:6: error[RUN-csv-column]: \"v0.q\": no such"),
    (FRAGMENT, "a.csv", "--csv @", b"v0.x,,v0.y\n", "a.csv:1:6: error[RUN-csv-column]: a column has no name"),
    (FRAGMENT, "a.csv", "--csv @", b"v0\n", "a.csv:1:1: error[RUN-csv-column]: v0 has 4 lanes"),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,\xff\n",
        "a.csv:1:6: error[RUN-csv-column]: the name of a column is not UTF-8",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.x\n",
        "a.csv:1:11: error[RUN-csv-column]: this column is given twice",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y\n1,2\n",
        "a.csv:1:1: error[RUN-csv-missing]: the column v0.z is missing",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v1.x\n1\n",
        "a.csv:1:1: error[RUN-csv-missing]: the column v0 is missing",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.z,v0.w\n1,2,3,4\n1,2,3\n",
        "a.csv:3:1: error[RUN-csv-fields]: expected 4 fields",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.z,v0.w\n1,2,3,4,5\n",
        "a.csv:2:9: error[RUN-csv-fields]: expected 4 fields",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.z,v0.w\n\n1,2, x\xc3\xa4,4\n",
        "a.csv:3:6: error[RUN-csv-value]: \"x\u{e4}\" is not a number",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.z,v0.w\n1,2,,4\n",
        "a.csv:2:5: error[RUN-csv-value]: a field is empty",
    ),
    (
        FRAGMENT,
        "a.csv",
        "--csv @",
        b"v0.x,v0.y,v0.z,v0.w\n1,2,1e39,4\n",
        "a.csv:2:5: error[RUN-csv-value]: \"1e39\" is beyond",
    ),
    (
        FRAGMENT,
        "a.raw",
        "--raw @",
        b"0123456789abcdef0123",
        "a.raw:+0x10: error[RUN-raw-size]: 20 bytes are 1 records of 16 bytes and 4 more",
    ),
    (FRAGMENT, "a.raw", "--raw w=@", b"", "a.raw: error[RUN-raw-name]: \"w\": no such input register"),
    (FRAGMENT, "a.raw", "--raw v0,v0.x=@", b"", "a.raw: error[RUN-raw-name]: a lane of v0 is given twice"),
    (
        FRAGMENT,
        "a.raw",
        "--raw v1=@",
        b"",
        "a.raw: error[RUN-raw-missing]: no array has v0, which the program reads",
    ),
    (
        FRAGMENT,
        "a.raw",
        "--raw v0.xy=@ --raw v0.zw,v0.x=@",
        b"",
        "a.raw: error[RUN-raw-name]: a lane of v0 is given twice",
    ),
    (FRAGMENT, "a.raw", "--raw v0.xyz=@ --raw v0.w=@", b"0123456789ab", "a.raw:+0x4: error[RUN-raw-count]: "),
    (SLOPE, "a.raw", "--raw @", &[0; 96], "a.raw: error[RUN-quads]: 6 fragments are not a multiple of four"),
];

#[test]
fn what_is_wrong_with_tables_and_arrays_has_an_id_and_a_place() {
    let mut seen = Vec::new();
    for (program, name, how, content, expected) in WRONG {
        let folder = folder("wrong", &[(name, content)]);
        let file = folder.join(name);
        let args = how.replace('@', file.to_str().unwrap());
        let args = ["run", "--message-format", "short"].into_iter().chain(args.split_whitespace());
        let output = vecasm(&args.collect::<Vec<_>>(), program);
        let said = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let said = said.replace(&format!("{}/", folder.display()), "");
        assert!(said.starts_with(expected), "{said}\n{expected}");
        seen.push(expected.split(['[', ']']).nth(1).unwrap());
    }
    // Blank lines do not count, however many there are.
    let many = "\n \n\n\r\n".repeat(300_000);
    let many = [b"va0.x,va7.y\n".as_slice(), many.as_bytes(), b"1,2\n\n3,x\n"].concat();
    let blank = folder("blank", &[("a.csv", &many)]).join("a.csv").display().to_string();
    let output = ok(&["run", "--csv", &blank, "--format", "hex"], b"mov op, va0");
    let expected = "op 3f800000 00000000 00000000 3f800000\nop 40400000 00000000 00000000 3f800000\n";
    assert_eq!(stdout(&output), expected);
    let output = vecasm(&["run", "--csv", &blank, "--message-format", "json"], b"add op, va0, va7");
    let finding: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    // The header has 12 bytes, what is blank 6 in 4 lines each time, the first row 4, another blank line 1.
    assert_eq!((&finding["line"], &finding["column"]), (&(1 + 4 * 300_000 + 3).into(), &3.into()));
    assert_eq!(finding["offset"], 12 + 6 * 300_000 + 4 + 1 + 2);
    // A line without an end is no reason to take all memory.
    let folder = folder("endless", &[("a.csv", &[b"va0.x\n".as_slice(), &vec![b'1'; 3 << 20]].concat())]);
    let output = vecasm(
        &["run", "--csv", folder.join("a.csv").to_str().unwrap(), "--message-format", "json"],
        b"add op, va0, va0",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("\"RUN-csv-line\""), "{}", stderr(&output));
    seen.push("RUN-csv-line");
    // Every rule is broken by some file.
    let listed = ok(&["explain", "--format", "json"], b"");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let rules = listed.as_array().unwrap().iter().filter(|entry| entry["verb"] == "run");
    let rules: Vec<&str> = rules.filter_map(|entry| entry["id"].as_str()).collect();
    assert!(rules.len() > 10, "{rules:?}");
    for rule in rules {
        assert!(seen.contains(&rule), "{rule}");
    }
}

#[test]
fn what_does_not_go_together_is_said() {
    let folder = folder("together", &[("a.raw", &[0; 64]), ("inputs.json", br#"{"inputs": []}"#)]);
    let array = folder.join("a.raw").display().to_string();
    let inputs = folder.join("inputs.json").display().to_string();
    let geometry = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
                    PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] INT32 {0, 0, 0, 0}\n\
                    MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\nEND\n";
    for (program, args, why) in [
        (FRAGMENT, vec!["--raw", &array, "-i", &inputs], "the invocations come from elsewhere"),
        (FRAGMENT, vec!["--raw", "-"], "standard input can be read only once"),
        (FRAGMENT, vec!["--raw", &array, "--random", "4"], "cannot be used with"),
        (FRAGMENT, vec!["--raw", &array, "--csv", &array], "cannot be used with"),
        (FRAGMENT, vec!["--random", "4", "--threads", "0"], "0 is not in"),
        (geometry.as_bytes(), vec!["--raw", &array], "do not hold the inputs of a geometry program"),
        (geometry.as_bytes(), vec!["--random", "4", "--format", "csv"], "use json or hex"),
    ] {
        let output = vecasm(&[vec!["run"], args.clone()].concat(), program);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(why), "{args:?}: {}", stderr(&output));
    }
    // Results that are not whole do not stay.
    let out = folder.join("out.hex").display().to_string();
    std::fs::write(folder.join("odd.raw"), vec![0; 16 * 40_000 + 4]).unwrap();
    let odd = folder.join("odd.raw").display().to_string();
    assert_eq!(vecasm(&["run", "--raw", &odd, "-o", &out], FRAGMENT).status.code(), Some(2));
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_run_of_billions_begins_at_once() {
    let folder = folder("billions", &[("program.agal", FRAGMENT)]);
    let args = |count: &str| {
        ["run", "program.agal", "--format", "hex", "--threads", "2", "--random", count].map(str::to_string)
    };
    let command = |count: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vecasm"));
        command.args(args(count)).current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::piped());
        command
    };
    let few = command("4").output().unwrap();
    let mut child = command("4294967296").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Vec<String> = lines.by_ref().take(4).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(stdout(&few).lines().collect::<Vec<_>>(), first);
}

#[test]
fn an_input_that_is_shown_is_read() {
    let programs: [(&str, &[u8]); 3] = [
        ("quads.agal", SLOPE),
        ("bools.d3d9", b"vs_2_0\ndcl_position v0\nmov r0, v0\nif !b2\nmov r0, c0\nendif\nmov oPos, r0\n"),
        (
            "words.tgsi",
            b"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\n\
              ISGE TEMP[0].x, IN[0].xxxx, CONST[0].xxxx\nMOV OUT[0], TEMP[0].xxxx\nEND\n",
        ),
    ];
    let folder = folder("shown", &programs);
    for (name, _) in programs {
        let program = folder.join(name);
        let program = program.to_str().unwrap();
        let made = ok(&["run", program, "--random", "3", "--seed", "1", "--format", "hex"], "");
        let shown = ok(&["run", program, "--random", "3", "--seed", "1", "--show-input"], "");
        let read = ok(&["run", program, "-i", "-", "--format", "hex"], stdout(&shown));
        assert_eq!(stdout(&made), stdout(&read), "{name}: {}", stdout(&shown));
        for engine in ["interp", "lanes"] {
            let same =
                ["run", program, "--random", "3", "--seed", "1", "--format", "hex", "--engine", engine];
            assert_eq!(stdout(&made), stdout(&ok(&same, "")), "{name} {engine}");
        }
    }
}

#[test]
fn words_of_numbers_are_values() {
    let file = |lane: &str| format!(r#"{{"inputs": [{{"v0": [{lane}, 1, 0, 0]}}]}}"#);
    let folder = folder("words-of-numbers", &[("program.agal", b".agal fragment 1\nmov oc, v0\n")]);
    let program = folder.join("program.agal");
    let program = program.to_str().unwrap();
    for (lane, bits) in [("nan", "7fc00000"), ("-nan", "ffc00000"), ("inf", "7f800000"), ("-inf", "ff800000")]
    {
        let output = ok(&["run", program, "-i", "-", "--format", "hex"], file(&format!("\"{lane}\"")));
        assert_eq!(stdout(&output).trim_end(), format!("oc {bits} 3f800000 00000000 00000000"));
    }
    let output = vecasm(&["run", program, "-i", "-"], file("\"many\""));
    assert_eq!(output.status.code(), Some(2));
    let says = "inputs[0].v0[0]: \"many\" is not a value: expected \"nan\", \"inf\", \"-inf\", or bits";
    assert!(stderr(&output).contains(says), "{}", stderr(&output));
}

#[test]
fn all_missing_constants_are_named_at_once() {
    let dir = folder(
        "missing-constants",
        &[("a.frag.agal", b"mov ft0, fc0\nadd oc, ft0, fc2\n"), ("none.json", b"{\"inputs\": [{}]}")],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let output = vecasm(&["run", &path("a.frag.agal"), "-i", &path("none.json")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("fc0, fc2 are missing: the program reads them"), "{}", stderr(&output));
}

#[test]
fn inputs_that_are_shown_have_the_constants_that_can_be_read() {
    let fixed = "mov oPos, c[96]\nadd oD0, v0, c[7]\n";
    let shown = |program: &str| {
        let output = ok(&["run", "--isa", "nv2a", "--random", "1", "--show-input"], program);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let constants = value["constants"].as_object();
        let names: Vec<String> = constants.map_or_else(Vec::new, |all| all.keys().cloned().collect());
        (names, stdout(&output).to_string())
    };
    let (names, text) = shown(fixed);
    assert_eq!(names, ["c7", "c96"], "{text}");
    // What is shown is all that the program needs.
    let dir = folder("shown-inputs", &[("i.json", text.as_bytes())]);
    let input = dir.join("i.json").display().to_string();
    let again = ok(&["run", "--isa", "nv2a", "-i", &input], fixed).stdout;
    assert_eq!(again, ok(&["run", "--isa", "nv2a", "--random", "1"], fixed).stdout);
    // An index can reach all.
    assert_eq!(shown("arl a0, v0.x\nmov oPos, c[A0+5]\n").0.len(), 192);
    assert_eq!(shown("mov oPos, v0\n").0.len(), 0);
}
