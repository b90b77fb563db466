use crate::build::{blob, crc32, monogame};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::{Detail, Format, Kind, rules};

#[test]
fn an_effect_says_its_shaders_and_parameters() {
    let file = monogame(&blob([0; 16]));
    let container = read(&file);
    let Detail::Mgfx(effect) = container.detail() else { panic!() };
    assert_eq!((effect.version, effect.profile, effect.key), (10, 1, 0x1234_5678));
    assert_eq!((&*effect.parameters[0].name, effect.parameters[0].size), ("Tint", (1, 4)));
    assert_eq!(effect.parameters[0].value, [1.0f32.to_bits(), 0, 0, 0]);
    let pass = &effect.techniques[0].passes[0];
    assert_eq!((pass.vertex, pass.pixel), (None, Some(0)));
    assert!(effect.ends_well);
    let entry = &container.entries()[0];
    assert_eq!((&*entry.address, &entry.kind), ("shader0", &Kind::Container(Format::Dxbc)));
    assert_eq!(entry.aliases, ["technique0/pass0/ps", "T/P/ps"]);
}

#[test]
fn code_of_other_kinds_is_told_apart() {
    for (code, what) in [(&b"#version 100"[..], "GLSL"), (&[3, 2, 0x23, 7, 0], "SPIR-V")] {
        let file = monogame(code);
        assert_eq!(read(&file).entries()[0].kind, Kind::Foreign(what.into()));
    }
}

#[test]
fn a_changed_effect_has_another_key() {
    let edited = replaced(&monogame(b"void main"), "shader0", b"void other()").bytes;
    assert_eq!(bytes_at(&edited, "shader0"), b"void other()");
    let mut wanted = monogame(b"void other()");
    let key = crc32(&wanted[10..]);
    wanted[6..10].copy_from_slice(&key.to_le_bytes());
    assert_eq!(edited, wanted);
}

#[test]
fn damage_is_told() {
    survives_damage(&monogame(b"void main"));
    let mut file = monogame(b"void main");
    file[4] = 12;
    assert_eq!(error(&file), rules::VALUE.id);
    let mut file = monogame(b"void main");
    file[14..18].fill(0xFF);
    assert_eq!(error(&file), rules::COUNT.id);
}
