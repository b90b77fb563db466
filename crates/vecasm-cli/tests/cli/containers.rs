//! Programs in effects, assets and archives: addressed, listed, taken out, put back.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

#[path = "../../../vecasm-container/tests/container/build.rs"]
pub(super) mod build;

use build::{archive, deflated, lz4_asset, package, stored, words};

/// A table of constants with one float4 in `c0`, as compilers write it: a header of 28 bytes, a constant, its type, its name.
pub(super) fn table(name: &str, version: u32) -> Vec<u8> {
    let (constant, ty) = (28, 28 + 20);
    let text = ty + 16;
    let mut out = words(&[28, text + name.len() as u32 + 1, version, 1, constant, 0, 0]);
    // Name; the set of float registers, first register; how many; the type; no default.
    out.extend(words(&[text, 2, 1, ty, 0]));
    // A vector of floats, one row of four columns, no array, no members.
    out.extend(words(&[1 | 3 << 16, 1 | 4 << 16, 1, 0]));
    out.extend(name.as_bytes());
    out.push(0);
    out.extend([b'e', b'x', b'a', b'm', b'p', b'l', b'e', 0]);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

/// A program with such a table in a comment behind its version.
pub(super) fn with_table(text: &str, name: &str) -> Vec<u8> {
    let output = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], text);
    let mut comment = b"CTAB".to_vec();
    comment.extend(table(name, 0xFFFF_0200));
    let head = words(&[0xFFFE | (comment.len() as u32 / 4) << 16]);
    [&output.stdout[..4], &head, &comment, &output.stdout[4..]].concat()
}

/// The example: an effect with a parameter `Tint`, and the techniques `Sprite`, which multiplies by it, and `Gray`.
pub(super) fn example() -> Vec<u8> {
    let sprite = with_table("ps_2_0\ndcl v0\nmul r0, v0, c0\nmov oC0, r0\n", "Tint");
    let gray = ok(
        &["asm", "--isa", "d3d9", "-", "-o", "-"],
        "ps_2_0\ndef c1, 0.299, 0.587, 0.114, 0\ndcl v0\ndp3 r0, v0, c1\nmov oC0, r0\n",
    );
    build::effect_of("Tint", [1.0, 0.5, 0.25, 1.0], &[("Sprite", &sprite), ("Gray", &gray.stdout)])
}

#[test]
fn the_example_is_what_is_built_here() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/d3d9/tint.fxb");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, example()).unwrap();
    }
    assert!(std::fs::read(&path).unwrap() == example(), "BLESS=1 writes it");
}

/// What a command prints.
fn said(args: &[&str]) -> String {
    stdout(&ok(args, "")).to_string()
}

/// An archive with the example, a package, a text, and an asset around the example.
pub(super) fn everything() -> Vec<u8> {
    let program =
        ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "vs_2_0\ndcl_position v0\nmov oPos, v0\n").stdout;
    archive(&[
        deflated("effects/tint.fxb", &example()),
        stored("shaders/pack.sdp", &package(&[("MAIN.vso", program)])),
        stored("notes/glow.frag.agal", b"mov oc, v0\n"),
        stored("Content/Tint.xnb", &lz4_asset(&example())),
        stored("readme.txt", b"Nothing to see.\n"),
    ])
}

#[test]
fn an_address_names_a_program_in_every_verb() {
    let dir = folder("containers-verbs", &[("all.zip", &everything())]);
    let path = dir.join("all.zip").display().to_string();
    let at = |address: &str| format!("{path}::{address}");
    let listing = said(&["dis", &at("effects/tint.fxb::Sprite/P0/ps")]);
    assert!(listing.starts_with("ps_2_0\n") && listing.contains("mul r0, v0, c0"), "{listing}");
    assert!(listing.contains("// Tint c0 1"), "{listing}");
    // The same program by its number, and in the asset.
    assert_eq!(said(&["dis", &at("1")]), listing);
    assert_eq!(said(&["dis", &format!("{path}#1")]), listing);
    assert_eq!(said(&["dis", &at("Content/Tint.xnb::technique0/pass0/ps")]), listing);
    let wgsl = said(&["to", "wgsl", &at("effects/tint.fxb::Sprite/P0/ps")]);
    assert!(wgsl.contains("Tint"), "{wgsl}");
    ok(&["run", "--random", "2", &at("notes/glow.frag.agal")], "");
    ok(&["check", &at("shaders/pack.sdp::MAIN.vso")], "");
    let output = vecasm(
        &["eqv", &at("effects/tint.fxb::Sprite/P0/ps"), &at("Content/Tint.xnb::effect::Sprite/P0/ps")],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    ok(&["diff", &at("1"), &at("1")], "");
    ok(&["render", &at("notes/glow.frag.agal"), "-o", &dir.join("glow.png").display().to_string()], "");
    ok(&["why", "--random", "1", &at("1")], "");
}

#[test]
fn verbs_that_take_many_walk_all_and_others_ask_for_one() {
    let dir = folder("containers-walk", &[("all.zip", &everything())]);
    let path = dir.join("all.zip").display().to_string();
    let found = said(&["check", "--json", &path]);
    let names: Vec<String> = found
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["name"].as_str().map(String::from))
        .collect();
    let wanted = [
        "effects/tint.fxb::technique0/pass0/ps",
        "effects/tint.fxb::technique1/pass0/ps",
        "shaders/pack.sdp::MAIN.vso",
        "notes/glow.frag.agal",
        "Content/Tint.xnb::effect::technique0/pass0/ps",
        "Content/Tint.xnb::effect::technique1/pass0/ps",
    ];
    assert_eq!(names, wanted.map(|address| format!("{path}::{address}")));
    // An address of a container means what is in it.
    let inner = said(&["check", &format!("{path}::effects/tint.fxb")]);
    assert_eq!(inner.lines().filter(|line| line.contains("accepted")).count(), 2, "{inner}");
    let output = vecasm(&["run", "--random", "1", &path], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&format!("{path}::shaders/pack.sdp::MAIN.vso")), "{}", stderr(&output));
    let output = vecasm(&["dis", &format!("{path}::effects/tint.fxb::Sprite/P1/ps")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean"), "{}", stderr(&output));
    // Results of all have the addresses in their names.
    let out = dir.join("out");
    ok(&["to", "glsl", &path, "-o", &format!("{}/", out.display())], "");
    assert!(out.join("all.effects.tint.fxb.technique0.pass0.ps.glsl").is_file());
}

#[test]
fn what_was_taken_out_goes_back() {
    let dir = folder("containers-back", &[("all.zip", &everything())]);
    let name = |name: &str| dir.join(name).display().to_string();
    let (path, parts, new) = (name("all.zip"), name("parts"), name("new.zip"));
    ok(&["extract", "--as", "asm", &path, "-o", &parts], "");
    ok(&["repack", &path, "--from", &parts, "-o", &new], "");
    assert!(std::fs::read(&new).unwrap() == everything(), "nothing was edited");
    // One constant of one program.
    let file = dir.join("parts/effects.tint.fxb.technique1.pass0.ps.d3d9");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("0.299", "0.25")).unwrap();
    let output = ok(&["repack", &path, "--from", &parts, "--dry-run"], "");
    assert!(stderr(&output).contains("effects/tint.fxb::technique1/pass0/ps"), "{}", stderr(&output));
    ok(&["repack", &path, "--from", &parts, "-o", &name("edited.zip")], "");
    let listing = said(&["dis", &format!("{}::effects/tint.fxb::Gray/P0/ps", name("edited.zip"))]);
    assert!(listing.contains("0.25"), "{listing}");
    let other = said(&["dis", &format!("{}::Content/Tint.xnb::Gray/P0/ps", name("edited.zip"))]);
    assert!(other.contains("0.299"), "{other}");
    // What is there stays.
    let output = vecasm(&["extract", &path, "-o", &parts], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
}

#[test]
fn a_new_program_keeps_the_table_of_the_old_one() {
    let dir = folder(
        "containers-table",
        &[("tint.fxb", &example()), ("new.asm", b"ps_2_0\ndcl v0\nadd r0, v0, c0\nmov oC0, r0\n")],
    );
    let name = |name: &str| dir.join(name).display().to_string();
    let edit = format!("Sprite/P0/ps={}", name("new.asm"));
    ok(&["repack", &name("tint.fxb"), &edit, "-o", &name("new.fxb")], "");
    let listing = said(&["dis", &format!("{}::Sprite/P0/ps", name("new.fxb"))]);
    assert!(listing.contains("add r0, v0, c0") && listing.contains("// Tint c0 1"), "{listing}");
    let output = ok(&["repack", &name("tint.fxb"), &edit, "--drop-comments", "-o", &name("bare.fxb")], "");
    assert!(stderr(&output).contains("CONTAINER-table-lost"), "{}", stderr(&output));
    // The file itself, with a copy of what it was.
    ok(&["repack", &name("tint.fxb"), &edit, "--in-place"], "");
    assert!(std::fs::read(dir.join("tint.fxb.bak")).unwrap() == example());
    assert!(std::fs::read(dir.join("tint.fxb")).unwrap() == std::fs::read(dir.join("new.fxb")).unwrap());
    // A program of the other stage does not fit.
    std::fs::write(dir.join("new.asm"), "vs_2_0\ndcl_position v0\nmov oPos, v0\n").unwrap();
    assert_eq!(
        vecasm(&["repack", &name("tint.fxb"), &edit, "-o", &name("wrong.fxb")], "").status.code(),
        Some(2)
    );
}

#[test]
fn extraction_stays_in_its_folder() {
    let program = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\ndcl v0\nmov oC0, v0\n").stdout;
    let names = [
        "../../evil.pso",
        "/abs.pso",
        "Q:\\x\\..\\y.pso",
        "nul",
        "CON.pso",
        "COM\u{b9}.pso",
        "lpt\u{b2}",
        "LPT\u{b3}.x.pso",
        "com10.pso",
        "a\u{7}b.pso",
        "A.pso",
        "a.pso",
    ];
    let members: Vec<_> = names.iter().map(|name| stored(name, &program)).collect();
    let dir = folder("containers-safe", &[("bad.zip", &archive(&members))]);
    let parts = dir.join("one/two/parts");
    ok(&["extract", &dir.join("bad.zip").display().to_string(), "-o", &parts.display().to_string()], "");
    let mut found: Vec<String> = std::fs::read_dir(&parts)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "vecasm.json")
        .collect();
    found.sort();
    assert_eq!(found.len(), names.len(), "{found:?}");
    assert!(
        found.iter().all(|name| !name.contains(['\\', ':', '\u{7}']) && !name.starts_with('.')),
        "{found:?}"
    );
    // Names that Windows has for devices, with one digit of any kind; none has two.
    for name in [
        "_CON.pso.bin",
        "_nul.bin",
        "_COM\u{b9}.pso.bin",
        "_lpt\u{b2}.bin",
        "_LPT\u{b3}.x.pso.bin",
        "com10.pso.bin",
    ] {
        assert!(found.contains(&name.to_string()), "{name}: {found:?}");
    }
    let outside: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside.len(), 2, "{outside:?}");
    #[cfg(unix)]
    {
        let linked = dir.join("linked");
        std::fs::create_dir(&linked).unwrap();
        std::os::unix::fs::symlink(dir.join("victim"), linked.join("vecasm.json")).unwrap();
        let args = [
            "extract",
            "--force",
            &dir.join("bad.zip").display().to_string(),
            "-o",
            &linked.display().to_string(),
        ];
        assert_eq!(vecasm(&args, "").status.code(), Some(2));
        assert!(!dir.join("victim").exists());
    }
}

#[test]
fn info_lists_what_is_in_a_container() {
    let dir = folder("containers-info", &[("tint.fxb", &example())]);
    let path = dir.join("tint.fxb").display().to_string();
    let facts: Value = serde_json::from_str(&said(&["info", "--json", &path])).unwrap();
    assert_eq!((&facts["schema"], &facts["format"]), (&1.into(), &"fx2".into()));
    assert_eq!(facts["parameters"][0]["name"], "Tint");
    assert_eq!(facts["parameters"][0]["type"], "float4");
    assert_eq!(facts["parameters"][0]["default"], serde_json::json!([1.0, 0.5, 0.25, 1.0]));
    assert_eq!(facts["techniques"][1]["name"], "Gray");
    let entry = &facts["entries"][0];
    assert_eq!((&entry["address"], &entry["model"]), (&"technique0/pass0/ps".into(), &"ps_2_0".into()));
    assert_eq!((&entry["aliases"][0], &entry["program"]), (&"Sprite/P0/ps".into(), &1.into()));
    let text = said(&["info", "--format", "text", &path]);
    assert!(
        text.contains("float4 Tint = 1 0.5 0.25 1") && text.contains("PixelShader = technique0/pass0/ps"),
        "{text}"
    );
    // A program in it has the facts of programs.
    let facts: Value =
        serde_json::from_str(&said(&["info", "--json", &format!("{path}::Gray/P0/ps")])).unwrap();
    assert_eq!(facts["model"], "ps_2_0");
}

#[test]
fn containers_without_programs_are_passed_over_in_folders() {
    let mut asset = build::plain_asset(b"no effect, but texels");
    let at = asset.windows(12).position(|bytes| bytes == b"EffectReader").unwrap();
    asset[at..at + 12].copy_from_slice(b"BitmapReader");
    let dir = folder("containers-none", &[("in/texels.xnb", &asset), ("in/tint.fxb", &example())]);
    let output = ok(&["check", "--json", &dir.join("in").display().to_string()], "");
    let said = stdout(&output);
    let verdicts = |verdict: &str| said.matches(&format!("\"verdict\":\"{verdict}\"")).count();
    assert_eq!((verdicts("accepted"), verdicts("skipped")), (2, 1), "{said}");
    // One that is named is told for what it is, and nothing is wrong with it; a verb that needs a program has none.
    let texels = dir.join("in/texels.xnb").display().to_string();
    for (verb, status) in
        [(&["check"][..], 0), (&["dis"], 0), (&["run", "--random", "1"], 2), (&["to", "wgsl"], 2)]
    {
        let output = vecasm(&[verb, &[&texels]].concat(), "");
        assert_eq!(output.status.code(), Some(status), "{verb:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("no shaders inside: Bitmap"), "{verb:?}: {}", stderr(&output));
    }
    // Code of Direct3D 11 alone is a program all the same, of which nobody says that it is right.
    let code = [&b"DXBC"[..], &[0; 16], &words(&[1, 44, 1, 36]), b"SHDR", &[0; 4]].concat();
    let dir = folder("containers-code", &[("code.cso", &code)]);
    let output = vecasm(&["check", &dir.join("code.cso").display().to_string()], "");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("no shaders inside: code of "), "{}", stderr(&output));
}

#[test]
fn what_is_damaged_inside_is_told_and_the_rest_taken_out() {
    let pack = archive(&[stored("bad.fxb", &example()[..100]), stored("tint.fxb", &example())]);
    let dir = folder("containers-half", &[("pack.zip", &pack)]);
    let name = |name: &str| dir.join(name).display().to_string();
    let output = ok(&["extract", &name("pack.zip"), "-o", &name("parts")], "");
    let said = stderr(&output);
    assert!(
        said.contains("warning[CONTAINER-short]: bad.fxb: this is a compiled effect")
            && said.contains("2 files"),
        "{said}"
    );
}

#[test]
fn a_member_that_cannot_be_read_is_told_by_the_verbs_that_walk() {
    // Its headers say that it unpacks to 2 MiB: 30,000 to 1.
    let bomb = || build::Member { size: 2 << 20, ..deflated("bomb.vso", &[0; 64]) };
    let whole = archive(&[bomb(), stored("tint.fxb", &example())]);
    let alone = archive(&[bomb()]);
    // Flag 1 of both headers is that a member is encrypted.
    let mut locked = archive(&[stored("secret.vso", b"????????"), stored("tint.fxb", &example())]);
    locked[6] |= 1;
    let record = locked.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    locked[record + 8] |= 1;
    let dir = folder(
        "containers-unread",
        &[("whole.zip", &whole), ("locked.zip", &locked), ("in/alone.zip", &alone), ("alone.zip", &alone)],
    );
    let name = |name: &str| dir.join(name).display().to_string();
    for verb in
        [&["check"][..], &["hash"], &["dis", "-o", &name("out/")], &["to", "wgsl", "-o", &name("out/")]]
    {
        for (file, why) in [("whole.zip", "bomb.vso: "), ("locked.zip", "an encrypted member is not read")] {
            let output = vecasm(&[verb, &[&name(file)]].concat(), "");
            let said = stderr(&output);
            assert!(said.contains("warning[CONTAINER-") && said.contains(why), "{verb:?} {file}: {said}");
            assert_eq!(output.status.code(), Some(0), "{verb:?} {file}: {said}");
        }
    }
    let output = ok(&["check", "--json", &name("locked.zip")], "");
    assert!(stderr(&output).contains(r#""id":"CONTAINER-unreadable""#), "{}", stderr(&output));
    // Where nothing else can be read it is the error of the container, in a folder, too.
    for verb in [&["check"][..], &["hash"], &["dis"], &["extract", "-o", &name("parts")]] {
        let output = vecasm(&[verb, &[&name("alone.zip")]].concat(), "");
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{verb:?}: {said}");
        assert!(said.contains("bomb.vso: ") && said.contains("the limit is 200 to 1"), "{verb:?}: {said}");
    }
    let output = vecasm(&["check", &name("in")], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
}

#[test]
fn what_is_odd_about_a_container_is_told_by_the_verbs_that_walk() {
    let program = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\ndcl v0\nmov oC0, v0\n").stdout;
    let mut odd = package(&[("A.pso", program)]);
    // The header says four bytes more than there are.
    odd[8] += 4;
    let nested = archive(&[stored("odd.sdp", &odd)]);
    let dir = folder("containers-odd", &[("odd.sdp", &odd), ("nested.zip", &nested)]);
    let name = |name: &str| dir.join(name).display().to_string();
    for (file, words) in [
        ("odd.sdp", "warning[CONTAINER-size]: the header says"),
        ("nested.zip", "warning[CONTAINER-size]: odd.sdp: the header says"),
    ] {
        for verb in [
            &["check"][..],
            &["hash"],
            &["dis"],
            &["to", "wgsl", "-o", &name("out/")],
            &["extract", "--force", "-o", &name("parts")],
        ] {
            let output = ok(&[verb, &[&name(file)]].concat(), "");
            assert_eq!(stderr(&output).matches(words).count(), 1, "{verb:?}: {}", stderr(&output));
        }
        // One program of it is none of that.
        let output = ok(&["check", &format!("{}::1", name(file))], "");
        assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    }
}

#[test]
fn several_containers_are_taken_out() {
    let dir = folder(
        "containers-several",
        &[
            ("a/tint.fxb", &example()),
            ("a/tint.zip", &everything()),
            ("b/tint.fxb", &example()),
            ("c.txt", b"no"),
        ],
    );
    let name = |name: &str| dir.join(name).display().to_string();
    let files = [name("a/tint.fxb"), name("a/tint.zip"), name("b/tint.fxb"), name("c.txt")];
    // One that is no container does not stop the others, whatever the number of threads.
    let list = files.join("\n");
    for (jobs, out) in [("1", "out"), ("3", "more")] {
        let refused = vecasm(&["extract", "-j", jobs, "--files-from", "-", "-o", &name(out)], &list);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("this is no container"), "{}", stderr(&refused));
        assert!(
            stderr(&refused).ends_with("10 programs in 4 files: 10 done, 1 not read\n"),
            "{}",
            stderr(&refused)
        );
        for folder in ["a/tint.fxb", "a/tint.zip", "b/tint"] {
            assert!(dir.join(out).join(folder).join("vecasm.json").is_file(), "{folder}");
        }
    }
    let failed = vecasm(&["extract", "--fail-fast", &files[3], &files[0], "-o", &name("first")], "");
    assert_eq!(failed.status.code(), Some(2));
    assert!(!dir.join("first").exists());
    // Only the files of the folder itself.
    let output = vecasm(&["extract", "--no-recurse", &dir.display().to_string(), "-o", &name("flat")], "");
    assert!(stderr(&output).contains("nothing is extracted"), "{}", stderr(&output));
    // A folder is walked, and what in it is no container passed over; each file is a line of JSON.
    let output = ok(&["--json", "extract", &name("b"), &name("a"), "-o", &name("walked")], "");
    let records: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.iter().any(|one| one["address"] == "technique0/pass0/ps" && one["as"] == "bin"));
}

#[test]
fn facts_are_those_of_info_and_are_not_put_back() {
    let dir = folder("containers-facts", &[("all.zip", &everything())]);
    let name = |name: &str| dir.join(name).display().to_string();
    ok(&["extract", "--as", "json", &name("all.zip"), "-o", &name("parts")], "");
    let address = "effects/tint.fxb::technique0/pass0/ps";
    let file = dir.join("parts/effects.tint.fxb.technique0.pass0.ps.json");
    let facts: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let told: Value =
        serde_json::from_str(&said(&["info", "--json", &format!("{}::{address}", name("all.zip"))])).unwrap();
    assert_eq!(facts, told);
    std::fs::write(&file, "{}").unwrap();
    let output = ok(&["repack", &name("all.zip"), "--from", &name("parts"), "--dry-run"], "");
    assert!(stderr(&output).contains("facts are not put back"), "{}", stderr(&output));
}

#[test]
fn repack_tells_changes_and_what_is_in_the_way() {
    let new = b"ps_2_0\nmov oC0, c0\n";
    let dir = folder("containers-told", &[("tint.fxb", &example()), ("new.d3d9", new)]);
    let name = |name: &str| dir.join(name).display().to_string();
    let edit = format!("Gray/P0/ps={}", name("new.d3d9"));
    let output = ok(&["--json", "repack", &name("tint.fxb"), &edit, "--in-place"], "");
    let records: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [record, whole] = &records[..] else { panic!("{records:?}") };
    // The last one is of the file as a whole, which has no other program of another size.
    let grown = record["after"].as_i64().unwrap() - record["before"].as_i64().unwrap();
    assert_eq!(whole["after"].as_i64().unwrap() - whole["before"].as_i64().unwrap(), grown);
    assert_eq!(whole["address"], Value::Null);
    assert_eq!(
        (&record["address"], &record["from"]),
        (&"technique1/pass0/ps".into(), &name("new.d3d9").into())
    );
    let edit = format!("Sprite/P0/ps={}", name("new.d3d9"));
    let again = vecasm(&["repack", &name("tint.fxb"), &edit, "--in-place"], "");
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("move it away, or write with -o"), "{}", stderr(&again));
    let other = format!("technique0/pass0/ps={}", name("new.d3d9"));
    let twice = vecasm(&["repack", &name("tint.fxb"), &edit, &other, "--dry-run"], "");
    assert!(
        stderr(&twice).contains("Sprite/P0/ps and technique0/pass0/ps are one entry"),
        "{}",
        stderr(&twice)
    );
}

#[test]
fn limits_are_flags() {
    let inner = archive(&[stored("tint.fxb", &example())]);
    let pack = archive(&[stored("inner.zip", &inner)]);
    let dir = folder("containers-limits", &[("pack.zip", &pack)]);
    let pack = dir.join("pack.zip").display().to_string();
    // The effect is the third container, one in another.
    let told = ok(&["check", "--limit", "depth=3", &pack], "");
    assert!(stderr(&told).contains("2 programs in 1 file"), "{}", stderr(&told));
    let to = dir.join("parts").display().to_string();
    for limit in ["depth=2", "entries=3", "name=4", "name=64,depth=1"] {
        for verb in [&["check"][..], &["info"], &["extract", "-o", &to]] {
            let output = vecasm(&[verb, &["--limit", limit, &pack]].concat(), "");
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert!(said.contains("CONTAINER-limit"), "{verb:?} {limit}: {said}");
            // What is nested is listed by `info` in its place.
            let listed = verb[0] == "info" && limit != "name=4";
            assert_eq!(output.status.code(), Some(i32::from(!listed)), "{verb:?} {limit}: {said}");
        }
    }
    let edit = format!("inner.zip::tint.fxb::Gray/P0/ps={pack}");
    let output = vecasm(&["repack", "--limit", "depth=2", &pack, &edit, "-o", &to], "");
    assert!(stderr(&output).contains("CONTAINER-limit"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
    let output = vecasm(&["check", "--limit", "file=1K", &pack], "");
    assert!(output.status.success(), "{}", stderr(&output));
    let output = vecasm(&["check", "--limit", "file=600", &pack], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("larger than 600 bytes"), "{}", stderr(&output));
    let output = vecasm(&["check", "--limit", "deep=1", &pack], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("one of file, unpacked"), "{}", stderr(&output));
}

#[test]
fn a_damaged_container_is_told() {
    let mut damaged = example();
    damaged.truncate(100);
    let dir = folder("containers-bad", &[("bad.fxb", &damaged)]);
    let output = vecasm(&["info", &dir.join("bad.fxb").display().to_string()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("CONTAINER-"), "{}", stderr(&output));
    let output = vecasm(&["check", &dir.join("bad.fxb").display().to_string()], "");
    assert_eq!(output.status.code(), Some(1));
}
