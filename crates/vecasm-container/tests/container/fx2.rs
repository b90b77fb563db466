use crate::build::{effect, pixel_program, vertex_program, words, wrapped_effect};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::fx2::{Base, Class, Element};
use vecasm_container::{Detail, Kind, rules};
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
