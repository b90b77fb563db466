//! `vecasm hash`. The hashes are those that Python's hashlib and zlib give of the bytes here.

use super::containers::build::{archive, deflated, words};
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

/// `mov oC0, c0` in ps_2_0, behind a comment of one word.
const COMMENTED: [u32; 7] =
    [0xFFFF_0200, 0x0001_FFFE, 0x4241_5443, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF];
/// The same without it.
const BARE: [u32; 5] = [0xFFFF_0200, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF];

/// The hashes of `COMMENTED`: CRC-32, MD5, SHA-1, SHA-256.
const OF_COMMENTED: [&str; 4] = [
    "0x14666FAC",
    "221215d42beb665cd5d206bde7351110",
    "5437e5bf2a32cf2227c1ee0e321e5b973606074c",
    "85fd925c17adfa011ae2ab60e410972e84105c2120e4f2f01f84b46432fcd4df",
];
/// CRC-32 and SHA-256 of `BARE`.
const OF_BARE: [&str; 2] = ["0x8C6117D0", "38061858be33a1e15f407253976ead7c542d45a143809ad24cb5354290114867"];
/// SHA-256 of `program v1`, `d3d9 ps_2_0 fragment` and `mov oC0, c0`, a line feed behind each.
const OF_PROGRAM: &str = "v1:117f8e3d2e566b10930a54c1a2255526bfc31f692fc76c230bdd45f889255c33";
/// The name that ReShade gives to `COMMENTED`.
const RESHADE: &str = "game.exe_shader_0x14666FAC.cso";
const PACKED: &str = "dumps/game.exe_shader_0x14666FAC.cso";

/// Files that hold the program in several ways, and some that hold others.
fn dumps(name: &str) -> std::path::PathBuf {
    let program = words(&COMMENTED);
    let packed = archive(&[deflated(PACKED, &program)]);
    folder(
        name,
        &[
            (RESHADE, &program),
            ("all.zip", &packed),
            ("bare.bin", &words(&BARE)),
            ("game.exe_shader_0x00C0FFEE.cso", &program),
            ("mov.psa", b"ps_2_0\nmov oC0, c0 // the same\n"),
            ("none.pso", b"nothing"),
            ("other.psa", b"ps_2_0\nmov oC0, c1\n"),
        ],
    )
}

fn records(args: &[&str]) -> Vec<Value> {
    let output = ok(args, "");
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_program_has_its_hashes() {
    let dir = dumps("hash-json");
    let all = records(&["--json", "hash", &dir.display().to_string()]);
    let of = |name: &str| {
        let path = dir.join(name).display().to_string();
        all.iter().find(|one| one["name"] == *path).unwrap_or_else(|| panic!("{path}: {all:?}"))
    };
    assert_eq!(all.len(), 7);
    for name in [RESHADE, &format!("all.zip::{PACKED}")] {
        let one = of(name);
        let hashes = ["crc32", "md5", "sha1", "sha256"].map(|key| one[key].as_str().unwrap());
        assert_eq!(hashes, OF_COMMENTED);
        assert_eq!(
            (&one["isa"], &one["model"], &one["bytes"]),
            (&"d3d9".into(), &"ps_2_0".into(), &28.into())
        );
        let bare = &one["without_comments"];
        assert_eq!((bare["bytes"].as_u64(), bare["crc32"].as_str()), (Some(20), Some(OF_BARE[0])));
        assert_eq!(bare["sha256"], OF_BARE[1]);
        assert_eq!(one["program_hash"], OF_PROGRAM);
        let named = &one["file_name"];
        assert_eq!((&named["verdict"], &named["hash"]), (&"is".into(), &"crc32".into()), "{named}");
    }
    for name in ["bare.bin", "mov.psa"] {
        let one = of(name);
        assert_eq!((&one["crc32"], &one["sha256"]), (&OF_BARE[0].into(), &OF_BARE[1].into()), "{name}");
        assert_eq!(one["program_hash"], OF_PROGRAM);
        assert_eq!(one["file_name"], Value::Null);
    }
    let edited = of("game.exe_shader_0x00C0FFEE.cso");
    assert_eq!(edited["file_name"]["verdict"], "is_not");
    assert_ne!(of("other.psa")["program_hash"], OF_PROGRAM);
    // What is no program has bytes all the same.
    let none = of("none.pso");
    assert_eq!(none["sha256"], "1785cfc3bc6ac7738e8b38cdccd1af12563c2b9070e07af336a1bf8c0f772b6a");
    assert_eq!(
        (&none["isa"], &none["program_hash"], &none["without_comments"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert!(none["problem"].as_str().is_some_and(|why| !why.is_empty()), "{none}");
}

#[test]
fn people_see_which_programs_are_the_same() {
    let dir = dumps("hash-text");
    let output = ok(&["hash", &dir.display().to_string()], "");
    let text = stdout(&output);
    let name = |name: &str| dir.join(name).display().to_string();
    assert!(
        text.contains(&format!("  crc32     {}\n  md5       {}\n", OF_COMMENTED[0], OF_COMMENTED[1])),
        "{text}"
    );
    assert!(text.contains("  name      crc32, as ReShade names files\n"), "{text}");
    assert!(text.contains("  name      00C0FFEE is not its crc32: edited since ReShade wrote it"), "{text}");
    let same =
        [&format!("all.zip::{PACKED}"), "bare.bin", "game.exe_shader_0x00C0FFEE.cso", RESHADE, "mov.psa"];
    let (_, end) =
        text.split_once("7 programs, 3 distinct without comments\nthe same without comments:\n").unwrap();
    assert_eq!(end, same.map(|one| format!("  {}\n", name(one))).concat());
    assert!(stderr(&output).contains("7 files: 7 done"), "{}", stderr(&output));
    // One alone has nothing to be compared with.
    let one = ok(&["hash", &name("bare.bin")], "");
    assert!(!stdout(&one).contains("different"), "{}", stdout(&one));
}

#[test]
fn a_program_is_found_by_any_of_its_hashes() {
    let dir = dumps("hash-find");
    let (path, name) = (dir.display().to_string(), |name: &str| dir.join(name).display().to_string());
    let find = |digits: &str| stdout(&ok(&["hash", "--find", digits, &path], "")).to_string();
    let whole = [name(&format!("all.zip::{PACKED}")), name("game.exe_shader_0x00C0FFEE.cso"), name(RESHADE)];
    for (digits, hash) in OF_COMMENTED.iter().zip(["crc32", "md5", "sha1", "sha256"]) {
        let lines = whole.clone().map(|name| format!("{name}: {hash} {digits}\n")).concat();
        assert_eq!(find(digits), lines);
        assert_eq!(find(&digits.trim_start_matches("0x").to_lowercase()[..8]), lines);
    }
    // Of those that have no comments it is a hash of the bytes.
    let bare = find(OF_BARE[1]);
    assert_eq!(bare.lines().count(), 5, "{bare}");
    assert_eq!(bare.matches(": sha256 without comments ").count(), 3, "{bare}");
    assert_eq!(find(OF_PROGRAM).matches(": program v1:").count(), 5);
    // Several, one of which nothing has.
    let output = ok(&["hash", "--find", OF_COMMENTED[0], "--find", "deadbeef", &name(RESHADE)], "");
    assert!(stderr(&output).contains("no program has the hash deadbeef"), "{}", stderr(&output));
    let records = records(&["--json", "hash", "--find", OF_COMMENTED[2], &name(RESHADE)]);
    assert_eq!(records[0]["found"], serde_json::json!([{ "find": OF_COMMENTED[2], "hash": "sha1" }]));
    let nothing = vecasm(&["hash", "--find", "deadbeef", &path], "");
    assert_eq!((nothing.status.code(), stdout(&nothing)), (Some(1), ""));
    for bad in ["1234567", "nothexad"] {
        assert_eq!(vecasm(&["hash", "--find", bad, &path], "").status.code(), Some(2));
    }
    let missing = Path::new(&path).join("missing.bin").display().to_string();
    assert_eq!(vecasm(&["hash", &missing], "").status.code(), Some(2));
}
