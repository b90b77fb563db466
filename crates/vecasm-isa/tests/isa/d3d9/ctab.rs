//! Tables of constants, sound and broken.

use vecasm_isa::d3d9::ctab::{Constant, ConstantTable, Member, NAME, Type, read};

fn float(rows: u16, columns: u16) -> Type {
    Type {
        class: u16::from(rows > 1) * 2 + u16::from(rows == 1),
        kind: 3,
        rows,
        columns,
        elements: 1,
        members: vec![],
    }
}

fn table() -> ConstantTable {
    let light = Type {
        class: 5,
        kind: 0,
        rows: 1,
        columns: 7,
        elements: 2,
        members: vec![
            Member { name: "color".to_string(), ty: float(1, 4) },
            Member { name: "place".to_string(), ty: float(1, 3) },
        ],
    };
    let constant = |name: &str, index, count, ty, default| Constant {
        name: name.to_string(),
        set: 2,
        index,
        count,
        reserved: 2,
        ty,
        default,
    };
    ConstantTable {
        creator: Some("nobody".to_string()),
        version: 0xfffe_0200,
        flags: 0,
        target: Some("vs_2_0".to_string()),
        constants: vec![
            constant("lights", 0, 4, light, None),
            constant("world", 4, 4, float(4, 4), Some((0..16).collect())),
            constant("fog", 8, 1, float(1, 4), Some(vec![0; 4])),
        ],
    }
}

#[test]
fn what_is_written_is_read() {
    let words = table().words();
    assert_eq!(read(&words), (Some(table()), vec![]));
    let summary = table().summary("");
    assert_eq!(summary, "// lights c0 4\n// world c4 4\n// fog c8 1\n");
}

#[test]
fn integers_have_the_defaults_of_floats() {
    // Three components in three registers, and four words of default value.
    let ty = Type { class: 1, kind: 2, ..float(1, 3) };
    let mut wanted = table();
    wanted.constants.truncate(1);
    wanted.constants[0] =
        Constant { set: 1, count: 3, ty, default: Some(vec![1, 2, 3, 0]), ..wanted.constants[0].clone() };
    assert_eq!(read(&wanted.words()), (Some(wanted), vec![]));
}

#[test]
fn what_is_shared() {
    let mut twice = table();
    twice.constants.push(Constant { name: "color".to_string(), ..twice.constants[2].clone() });
    let alone = table().words().len();
    // A constant of five words; its name is that of a member, its type that of another, its default one that is there.
    assert_eq!(twice.words().len(), alone + 5);
    // In the table of a preshader it has its own type.
    let preshader = |mut table: ConstantTable| {
        table.version = 0x4658_0201;
        table.words().len()
    };
    assert_eq!(preshader(twice), preshader(table()) + 9);
}

#[test]
fn damage_is_a_finding_and_never_more() {
    let words = table().words();
    for at in 0..words.len() {
        let cut = read(&words[..at]);
        assert!(!cut.1.is_empty(), "cut at {at}");
        for value in [0, 1, 3, 0x40, 0xffff, 0x7fff_fffc, u32::MAX, u32::MAX - 3] {
            let mut words = words.clone();
            words[at] = value;
            let (_, findings) = read(&words);
            assert!(findings.len() <= 50);
        }
    }
}

#[test]
fn a_structure_that_holds_itself_is_refused() {
    // One constant at 28, its name at 48, its type at 52 with eight members at 68 that are all that type again.
    let mut words = vec![u32::from_le_bytes(*NAME), 28, 0, 0xfffe_0200, 1, 28, 0, 0];
    words.extend([48, 2, 1, 52, 0, 0x61, 5, 0x0001_0001, 0x0008_0001, 68]);
    words.extend([48, 52].repeat(8));
    let (table, findings) = read(&words);
    assert!(table.is_some());
    assert!(findings.iter().any(|d| d.message.contains("nested")), "{findings:?}");
}
