use crate::build::{effect, pixel_program, vertex_program, words, wrapped_effect};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::fx2::{Base, Class, Element, with_default};
use vecasm_container::{Detail, Kind, Limits, rules};
use vecasm_isa::Isa;

#[test]
fn an_effect_says_its_parameters_techniques_and_programs() {
    for (file, start) in [(effect(), 0), (wrapped_effect(), 16)] {
        let container = read(&file);
        let Detail::Fx2(effect) = container.detail() else { panic!() };
        assert_eq!(effect.start, start);
        let tint = &effect.parameters[0];
        assert_eq!(
            (tint.ty.name.as_deref(), tint.ty.base, tint.ty.class),
            (Some("Tint"), Base::Float, Class::Vector)
        );
        assert_eq!((tint.ty.rows, tint.ty.columns), (1, 4));
        assert_eq!(tint.value, [Element::Words([1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits).to_vec())]);
        assert_eq!(effect.parameters[1].value, [Element::Object(1), Element::Object(2)]);
        let pass = &effect.techniques[0].passes[0];
        let names: Vec<_> = pass.states.iter().map(|state| state.name().unwrap()).collect();
        assert_eq!(names, ["CULLMODE", "PixelShader"]);
        // The second element of the array has no program.
        let entries: Vec<_> = container
            .entries()
            .iter()
            .map(|entry| (&*entry.address, &*entry.aliases[0], &entry.kind))
            .collect();
        let program = &Kind::Stream(Isa::D3d9);
        assert_eq!(entries, [("param1[0]", "Array[0]", program), ("technique0/pass0/ps", "T/P/ps", program)]);
        assert_eq!(bytes_at(&file, "T/P/ps"), pixel_program());
        assert!(container.findings().is_empty());
    }
}

#[test]
fn nothing_but_its_length_moves_with_a_program() {
    let file = effect();
    let old = pixel_program();
    // The last program ends the file: what stands before it stays, but for its length.
    let new = [&old[..20], &words(&[0]), &old[20..]].concat();
    let edited = replaced(&file, "technique0/pass0/ps", &new);
    let head = file.len() - old.len() - 4;
    assert_eq!(edited.bytes, [&file[..head], &words(&[new.len() as u32]), &new].concat());
    assert!(edited.findings.is_empty());
    // One in the middle shrinks; the rest follows.
    let edited = replaced(&file, "Array[0]", &vertex_program());
    assert_eq!(edited.bytes.len(), file.len() + 8 - old.len());
    assert_eq!(bytes_at(&edited.bytes, "Array[0]"), vertex_program());
    assert_eq!(bytes_at(&edited.bytes, "T/P/ps"), old);
    assert_eq!(edited.findings[0].id, rules::TABLE_LOST.id);
}

#[test]
fn a_default_is_set_in_its_place() {
    let file = effect();
    let new = with_default(&file, "Tint", &[0.5, -1.0, 0.0, 2.0], Limits::DEFAULT).unwrap();
    // 1, 2, 3, 4 are there once, and nothing else changes.
    let old: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let at = file.windows(16).position(|window| window == old).unwrap();
    let numbers: Vec<u8> = [0.5f32, -1.0, 0.0, 2.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    assert_eq!(new, [&file[..at], &numbers, &file[at + 16..]].concat());
    for (name, numbers, id, message) in [
        ("Tint", &[1.0][..], rules::VALUE.id, "the default of Tint: it has 4 numbers, not 1"),
        ("Tent", &[0.0; 4], rules::ADDRESS.id, "there is no parameter Tent"),
        ("Array", &[1.0, 2.0], rules::VALUE.id, "the default of Array: it is no number, vector or matrix"),
    ] {
        let error = with_default(&file, name, numbers, Limits::DEFAULT).unwrap_err();
        assert_eq!((error.id, &*error.message), (id, message));
    }
}

#[test]
fn a_default_that_another_value_shares_comes_behind_all() {
    // The number of the culling state, 2, becomes the default of an int parameter as well.
    let (file, shared) = shared_effect(Some(2));
    let new = with_default(&file, "Count", &[-7.0], Limits::DEFAULT).unwrap();
    assert_eq!(new.len(), file.len() + 4);
    let container = read(&new);
    assert!(container.findings().is_empty());
    let Detail::Fx2(effect) = container.detail() else { panic!() };
    assert_eq!(effect.parameter("Count").unwrap().value, [Element::Words(vec![-7i32 as u32])]);
    assert_eq!(effect.parameter(shared).unwrap().value, [Element::Words(vec![2])]);
    assert_eq!(bytes_at(&new, "T/P0/ps"), bytes_at(&file, "T/P0/ps"));
    let error = with_default(&file, "Count", &[0.5], Limits::DEFAULT).unwrap_err();
    assert_eq!(error.message, "the default of Count: 0.5 is no value of the type");
    // A value of 0 may be the word of an empty name, too.
    let (file, shared) = shared_effect(None);
    let new = with_default(&file, "Count", &[7.0], Limits::DEFAULT).unwrap();
    let container = read(&new);
    let Detail::Fx2(effect) = container.detail() else { panic!() };
    assert_eq!(effect.parameter("Count").unwrap().value, [Element::Words(vec![7])]);
    let other = effect.parameter(shared).unwrap();
    assert_eq!((&other.value, &other.ty.semantic), (&vec![Element::Words(vec![0])], &None));
}

/// An effect with two int parameters, `Count` and another, whose defaults are one word, 2, and a program; and the name of the other.
/// Without a default it is the word that stands for no name.
fn shared_effect(default: Option<u32>) -> (Vec<u8>, &'static str) {
    let mut pool: Vec<u8> = Vec::new();
    let mut add = |bytes: &[u8]| {
        let at = pool.len() as u32;
        pool.extend(bytes);
        pool.resize(pool.len().next_multiple_of(4), 0);
        at
    };
    let none = add(&words(&[0]));
    let name = |add: &mut dyn FnMut(&[u8]) -> u32, text: &str| {
        add(&[&words(&[text.len() as u32 + 1]), text.as_bytes(), &[0]].concat())
    };
    let [count, other, technique, pass] = ["Count", "Other", "T", "P0"].map(|text| name(&mut add, text));
    let count_type = add(&words(&[2, 0, count, none, 0, 1, 1]));
    let other_type = add(&words(&[2, 0, other, none, 0, 1, 1]));
    let two = default.map_or(none, |number| add(&words(&[number])));
    let shader_type = add(&words(&[15, 4, none, none, 0]));
    let shader = add(&words(&[1]));
    let program = pixel_program();
    let mut out = words(&[0xFEFF_0901, pool.len() as u32]);
    out.extend(pool);
    // Two parameters, a technique, passes and programs, objects with the unused one.
    out.extend(words(&[2, 1, 2, 2, count_type, two, 0, 0, other_type, two, 0, 0]));
    out.extend(words(&[technique, 0, 1, pass, 0, 1, 0x93, 0, shader_type, shader]));
    out.extend(words(&[0, 1, 0, 0, 0xFFFF_FFFF, 0, 0, program.len() as u32]));
    out.extend(program);
    (out, "Other")
}

#[test]
fn a_program_of_an_odd_length_is_filled_up() {
    let file = effect();
    let edited = replaced(&file, "Array[0]", &[1, 2, 3, 4, 5]);
    assert_eq!(bytes_at(&edited.bytes, "Array[0]"), [1, 2, 3, 4, 5]);
    assert_eq!(bytes_at(&edited.bytes, "T/P/ps"), pixel_program());
}

#[test]
fn damage_is_told() {
    survives_damage(&wrapped_effect());
    let mut file = effect();
    file[4..8].copy_from_slice(&words(&[u32::MAX]));
    assert_eq!(error(&file), rules::SHORT.id);
    let pool = u32::from_le_bytes(effect()[4..8].try_into().unwrap()) as usize;
    let mut file = effect();
    // The number of parameters, behind the pool.
    file[8 + pool..12 + pool].copy_from_slice(&words(&[u32::MAX]));
    assert_eq!(error(&file), rules::COUNT.id);
    let mut file = effect();
    // The type of the first parameter.
    file[24 + pool..28 + pool].copy_from_slice(&words(&[u32::MAX]));
    assert_eq!(error(&file), rules::OFFSET.id);
}
