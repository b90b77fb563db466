//! What `explain` and `info` say about the slots of the NV2A. The expected values follow from the layout of a slot and
//! from what the statements read and write.

fn vecasm(args: &[&str], stdin: &str) -> (i32, String, String) {
    let output = super::vecasm(args, stdin);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(args: &[&str], stdin: &str) -> serde_json::Value {
    let (status, out, err) = vecasm(args, stdin);
    assert_eq!(status, 0, "{args:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

/// `mul oD0.xy, v3.w, c7 + rsq r1.w, r0.x`: word 1 has ILU 4 (27:25), MAC 2 (24:21), CONST 7 (20:13), INPUT 3 (12:9),
/// A_SWZ wwww; word 2 B_SWZ xyzw (24:17), B_MUX 3 (12:11), C_SWZ xxxx; word 3 C_MUX 1 (29:28), OUT_TEMP_REG 1 (23:20),
/// OUT_ILU_MASK w (19:16), OUT_O_MASK xy (15:12), OUT_ORB 1, OUT_ADDRESS 3 (10:3), FINAL.
const WORDS: [&str; 4] = ["0x00000000", "0x0840e6ff", "0x08361800", "0x1011c819"];

#[test]
fn explain_tells_the_fields_of_a_slot() {
    let mut args = vec!["explain", "--format", "json"];
    args.extend(WORDS);
    let slots = json(&args, "");
    let slot = &slots[0];
    assert_eq!(slot["text"], "mul oD0.xy, v3.w, c[7] + rsq r1.w, r0.x");
    let field = |name: &str| {
        let found = slot["fields"].as_array().unwrap().iter().find(|field| field["name"] == name);
        found.unwrap_or_else(|| panic!("no field {name}")).clone()
    };
    for (name, value, care) in [
        ("ILU", 4, 7),
        ("MAC", 2, 15),
        ("CONST", 7, 0xff),
        ("INPUT", 3, 15),
        // Of A two lanes are looked at, x and y, the upper four bits.
        ("A_SWZ", 0xff, 0xf0),
        ("A_TEMP_REG", 0, 0),
        ("A_MUX", 2, 3),
        ("B_MUX", 3, 3),
        // Of C only x.
        ("C_SWZ", 0, 0xc0),
        ("C_MUX", 1, 3),
        // The scalar unit writes r1 whatever the field says.
        ("OUT_TEMP_REG", 1, 0),
        ("OUT_MAC_MASK", 0, 15),
        ("OUT_ILU_MASK", 1, 15),
        ("OUT_O_MASK", 12, 15),
        ("OUT_ADDRESS", 3, 0xff),
        ("OUT_MUX", 0, 1),
        ("A0X", 0, 1),
        ("FINAL", 1, 1),
    ] {
        assert_eq!(
            (field(name)["value"].as_u64(), field(name)["care"].as_u64()),
            (Some(value), Some(care)),
            "{name}"
        );
    }
    // For reading: the place, the value, what it means; a dash in front of what does not matter.
    let (status, out, _) = vecasm(&["explain", &WORDS.join(" ")], "");
    assert_eq!(status, 0);
    let line =
        |name: &str| out.lines().find(|line| line.contains(&format!(" {name} "))).unwrap().trim().to_string();
    assert!(line("ILU").starts_with("27:25 "), "{out}");
    assert!(line("ILU").ends_with(" rsq"), "{out}");
    assert!(line("C_TEMP_REG").starts_with("1:0, 31:30 "), "{out}");
    assert!(line("A_TEMP_REG").starts_with("- 31:28 "), "{out}");
    assert!(line("OUT_ADDRESS").ends_with("oD0 (diffuse colour)"), "{out}");
    let (status, _, err) = vecasm(&["explain", "0x0", "0x1"], "");
    assert_eq!(status, 2, "{err}");
}

#[test]
fn every_operation_and_rule_has_an_entry() {
    let all = json(&["explain", "--isa", "nv2a", "--format", "json"], "");
    let all = all.as_array().unwrap();
    let of = |unit: &str| all.iter().filter(|entry| entry["unit"] == unit).count();
    // 14 codes of the vector unit have an operation, 8 of the scalar unit.
    assert_eq!((of("MAC"), of("ILU")), (14, 8));
    for entry in all {
        let name = entry["name"].as_str().or(entry["id"].as_str()).unwrap();
        let (status, out, _) = vecasm(&["explain", "--isa", "nv2a", name], "");
        assert!(status == 0 && out.contains(name), "{name}");
    }
}

#[test]
fn info_has_a_table_of_what_is_live() {
    let text = "dp3 r0.x, v2.zyx, c[A0+5]\nmul oD0.xy, v3.w, c7 + rsq r1.w, r0.x\nmov oPos.x, r1.w\n";
    let (status, out, err) = vecasm(&["info", "--isa", "nv2a", "--format", "text"], text);
    assert_eq!(status, 0, "{err}");
    let lines: Vec<&str> = out.lines().map(str::trim).collect();
    let row = |name: &str| {
        let line =
            lines.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {out}"));
        line[name.len()..].trim()
    };
    assert_eq!(row("slots"), "3 of 136, 1 paired, FINAL in slot 2");
    assert_eq!(row("vector unit"), "dp3 1, mov 1, mul 1");
    assert_eq!(row("scalar unit"), "rsq 1");
    assert_eq!(row("inputs"), "v2.xyz (normal), v3.w (diffuse colour)");
    assert_eq!(row("outputs"), "oPos.x (position), oD0.xy (diffuse colour)");
    assert_eq!(row("constants"), "c7.xy, c[A0+5].xyz");
    assert_eq!(row("temporaries"), "2, at most 1 live");
    // In front of the second slot r0.x is needed, in front of the third r1.w.
    assert_eq!(row("1  x..."), "mul oD0.xy, v3.w, c[7] + rsq r1.w, r0.x");
    assert_eq!(row("2        ...w"), "mov oPos.x, r1.w  FINAL");
    let value = json(&["info", "--isa", "nv2a"], text);
    assert_eq!(value["units"]["mac"]["dp3"], 1);
    assert_eq!(value["slots"]["final"], 2);
    assert_eq!(value["live"][1]["live"]["r0"], "x");
}

#[test]
fn a_header_that_names_more_slots_than_there_are_is_told_by_every_verb() {
    // The header of the XDK, 0x2078 and three slots, in front of one.
    let slot = super::ok(&["asm", "--isa", "nv2a", "--to", "bin", "-"], "mov oPos, v0\n").stdout;
    let file = [&[0x78, 0x20, 3, 0][..], &slot].concat();
    let path = super::folder("nv2a-header", &[("bad.xvu", &file)]).join("bad.xvu").display().to_string();
    let words = "warning[NV2A-container]: the header names 3 slots, the file has 1";
    for verb in [&["info"][..], &["dis"], &["hash"], &["to", "wgsl"]] {
        let (status, _, err) = vecasm(&[verb, &[&path]].concat(), "");
        assert_eq!((status, err.matches(words).count()), (0, 1), "{verb:?}: {err}");
    }
    // The verdict says it itself.
    let (status, out, err) = vecasm(&["check", &path], "");
    assert_eq!((status, (out + &err).matches("NV2A-container").count()), (1, 1));
}
