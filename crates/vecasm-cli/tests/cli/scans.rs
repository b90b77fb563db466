//! `vecasm scan`: programs and containers among other bytes.

use super::containers::build::{archive, effect_of, plain_asset, stored, words};
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

/// `mov oC0, c0` in ps_2_0, without faults.
const GOOD: [u32; 5] = [0xFFFF_0200, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF];
/// `mov r0, c0`: a fault, and too short to be likely.
const WEAK: [u32; 5] = [0xFFFF_0200, 0x0200_0001, 0x800F_0000, 0xA0E4_0000, 0x0000_FFFF];

/// An asset at 8, a program at some offset, and a weak one at the end.
fn memory() -> (Vec<u8>, usize, usize) {
    let asset = plain_asset(&effect_of("Tint", [1.0; 4], &[("T", &words(&GOOD))]));
    let mut bytes = vec![0x5A; 8];
    bytes.extend(&asset);
    bytes.resize(bytes.len().next_multiple_of(4) + 4, 0x5A);
    let good = bytes.len();
    bytes.extend(words(&GOOD));
    bytes.extend([0x5A; 12]);
    bytes.extend(words(&WEAK));
    bytes.extend([0x5A; 4]);
    (bytes, good, asset.len())
}

fn records(args: &[&str]) -> Vec<Value> {
    let output = ok(args, "");
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn hits_are_listed_the_surest_first() {
    let (bytes, good, asset) = memory();
    let dir = folder("scan-list", &[("memory.bin", &bytes), ("none.bin", b"nothing at all here")]);
    let name = |name: &str| dir.join(name).display().to_string();
    let path = name("memory.bin");
    let output = ok(&["scan", &path], "");
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines[0], format!("{path}: 2 hits"));
    assert!(lines[1].starts_with("  0x00000008  ") && lines[1].contains("(XNB), "), "{lines:?}");
    let wanted = format!("  0x{good:08X}   20 bytes  certain  fragment program, ps_2_0, 1 instruction");
    assert_eq!(lines[2], wanted);
    assert!(stderr(&output).contains("1 hit less sure; --min weak shows all"), "{}", stderr(&output));
    let all = records(&["--json", "scan", "--min", "weak", &path]);
    let told: Vec<(u64, &str, &str)> = all
        .iter()
        .map(|one| {
            (
                one["offset"].as_u64().unwrap(),
                one["confidence"].as_str().unwrap(),
                one["kind"].as_str().unwrap(),
            )
        })
        .collect();
    let (good, weak) = (good as u64, good as u64 + 20 + 12);
    assert_eq!(told, [(8, "certain", "container"), (good, "certain", "program"), (weak, "weak", "program")]);
    assert_eq!((&all[0]["format"], &all[0]["bytes"]), (&"xnb".into(), &asset.into()));
    assert_eq!(
        (&all[1]["isa"], &all[1]["stage"], &all[1]["model"]),
        (&"d3d9".into(), &"fragment".into(), &"ps_2_0".into())
    );
    // In the asset there are others.
    let inside = records(&["--json", "scan", "--no-containers", "--min", "weak", "--unaligned", &path]);
    assert!(inside.iter().all(|one| one["kind"] == "program") && inside.len() == 3, "{inside:?}");
    let none = ok(&["scan", &name("none.bin")], "");
    let nothing = format!("{}: nothing found; --unaligned looks at every byte\n", name("none.bin"));
    assert_eq!(stdout(&none), nothing);
    // Of standard input, too; what ends at a byte order mark is not decoded.
    let piped = ok(&["scan", "--unaligned"], [&[0xFF, 0xFE, 0x5A][..], &words(&GOOD)].concat());
    assert!(stdout(&piped).contains("  0x00000003  20 bytes  certain"), "{}", stdout(&piped));
}

#[test]
fn hits_are_written_to_files_named_by_their_offset() {
    let (bytes, good, asset) = memory();
    let dir = folder("scan-write", &[("memory.bin", &bytes), ("other.bin", &words(&GOOD))]);
    let name = |name: &str| dir.join(name).display().to_string();
    let (path, out) = (name("memory.bin"), name("found"));
    let output = ok(&["scan", &path, "-o", &out], "");
    assert!(stderr(&output).contains(&format!("{path}: 2 files in {out}")), "{}", stderr(&output));
    let file = format!("0x{good:08X}.ps_2_0.bin");
    assert!(std::fs::read(Path::new(&out).join(&file)).unwrap() == words(&GOOD));
    assert!(std::fs::read(Path::new(&out).join("0x00000008.xnb.xnb")).unwrap() == bytes[8..8 + asset]);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
    ok(&["check", &Path::new(&out).join(&file).display().to_string()], "");
    // What is there stays, unless it is to be replaced.
    let again = vecasm(&["scan", &path, "-o", &out], "");
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force replaces it"), "{}", stderr(&again));
    let records = records(&["--json", "scan", &path, "-o", &out, "--force"]);
    assert_eq!(records[1]["written"], file);
    // Each of several files has a folder.
    ok(&["scan", &path, &name("other.bin"), "-o", &name("all")], "");
    assert!(Path::new(&name("all/other/0x00000000.ps_2_0.bin")).is_file());
    assert!(Path::new(&name("all")).join("memory").join(&file).is_file());
}

#[test]
fn folders_are_walked_and_files_of_one_stem_told_apart() {
    let good = words(&GOOD);
    let dir = folder(
        "scan-walk",
        &[
            ("in/game.dat", &good),
            ("in/game.pak", &good),
            ("in/sub/more.bin", &good),
            ("in/none.txt", b"nothing at all here"),
        ],
    );
    let (all, out) = (dir.join("in").display().to_string(), dir.join("out"));
    let output = ok(&["scan", &all, "-o", &out.display().to_string()], "");
    assert_eq!(stdout(&output).matches(": 1 hit\n").count(), 3, "{}", stdout(&output));
    assert!(!stdout(&output).contains("nothing found"), "{}", stdout(&output));
    for place in ["game.dat", "game.pak", "sub/more"] {
        assert!(out.join(place).join("0x00000000.ps_2_0.bin").is_file(), "{place}");
    }
    // Names in a list, and a folder without those in it, on any number of threads.
    let list = format!("{all}\n");
    let each = |args: &[&str]| {
        let output = vecasm(&[&["scan", "--files-from", "-"], args].concat(), &list);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).to_string()
    };
    assert_eq!(each(&["-j", "1"]), stdout(&ok(&["scan", "-j", "3", &all], "")));
    assert_eq!(each(&["--no-recurse"]).matches(": 1 hit\n").count(), 2);
    // One that is named twice has one folder, and nothing is written.
    let (file, again) = (dir.join("in/game.dat").display().to_string(), dir.join("again"));
    let output = vecasm(&["scan", &file, &file, "-o", &again.display().to_string()], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is named 2 times") && !again.exists(), "{}", stderr(&output));
    let none = vecasm(&["scan", &dir.join("in/none.txt").display().to_string()], "");
    assert!(stdout(&none).contains("nothing found; --unaligned looks at every byte"), "{}", stdout(&none));
    // Verbs that take programs say what finds them in other files.
    let junk: Vec<u8> = (0..64).map(|n: u8| n.wrapping_mul(151) ^ 0xC3).collect();
    let output = vecasm(&["dis", "-"], junk);
    assert!(stderr(&output).contains("`vecasm scan`"), "{}", stderr(&output));
}

#[test]
fn a_search_that_is_given_up_says_so() {
    let mut bytes = words(&GOOD);
    bytes.extend([1u8, 0, 0, 1, 0, 2, 0xFF, 0xFF].repeat(1 << 15));
    let dir = folder("scan-limit", &[("hostile.bin", &bytes)]);
    let path = dir.join("hostile.bin").display().to_string();
    let output = vecasm(&["scan", &path], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("  0x00000000  20 bytes  certain"), "{}", stdout(&output));
    assert!(stderr(&output).contains("CONTAINER-limit"), "{}", stderr(&output));
    // The archive has two members, and one of them is an archive.
    let pack = archive(&[stored("inner.zip", &archive(&[stored("a.vso", &words(&GOOD))])), stored("b", b"")]);
    let dir = folder("scan-limits", &[("pack.zip", &pack)]);
    let pack = dir.join("pack.zip").display().to_string();
    for (limit, status) in [("entries=1", 1), ("depth=1", 1), ("depth=2", 0)] {
        let output = vecasm(&["scan", "--limit", limit, &pack], "");
        assert_eq!(output.status.code(), Some(status), "{limit}: {}", stderr(&output));
        assert_eq!(stderr(&output).contains("CONTAINER-limit"), status == 1, "{limit}: {}", stderr(&output));
    }
    let missing = vecasm(&["scan", &format!("{path}.missing")], "");
    assert_eq!(missing.status.code(), Some(2));
    let part = vecasm(&["scan", &format!("{path}::1")], "");
    assert_eq!(part.status.code(), Some(2));
}
