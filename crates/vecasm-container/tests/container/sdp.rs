use crate::build::{package, pixel_program, vertex_program};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::{Detail, rules};

fn two() -> Vec<u8> {
    package(&[("A.vso", vertex_program()), ("B.pso", pixel_program())])
}

#[test]
fn entries_have_their_names_as_addresses() {
    let file = two();
    let container = read(&file);
    let entries: Vec<_> =
        container.entries().iter().map(|entry| (&*entry.address, &*entry.aliases[0], entry.size())).collect();
    assert_eq!(entries, [("A.vso", "#0", 8), ("B.pso", "#1", pixel_program().len())]);
    // Names are compared without their case.
    assert_eq!(container.entry("b.PSO").unwrap(), 1);
}

#[test]
fn entries_of_one_name_are_told_apart_by_numbers() {
    let file = package(&[("A.vso", vertex_program()), ("a.vso", pixel_program())]);
    let container = read(&file);
    assert_eq!(container.entries()[1].address, "#1");
    assert_eq!(container.entry("A.VSO").unwrap_err().id, rules::AMBIGUOUS.id);
    assert_eq!((container.entry("A.vso").unwrap(), container.entry("a.vso").unwrap()), (0, 1));
    assert_eq!(bytes_at(&file, "#1"), pixel_program());
}

#[test]
fn the_sizes_follow_an_entry_that_grows() {
    let new = [pixel_program(), pixel_program()].concat();
    let edited = replaced(&two(), "A.vso", &new);
    assert_eq!(edited.bytes, package(&[("A.vso", new), ("B.pso", pixel_program())]));
}

#[test]
fn a_size_that_is_wrong_is_told_and_kept() {
    let mut file = two();
    file[8] += 1;
    let container = read(&file);
    assert_eq!(container.findings()[0].id, rules::SIZE.id);
    let Detail::Sdp(package) = container.detail() else { panic!() };
    assert_eq!(package.data_bytes as usize, file.len() - 12 + 1);
    assert_eq!(replaced(&file, "A.vso", b"").bytes[8], file[8]);
}

#[test]
fn damage_is_told() {
    survives_damage(&two());
    let mut file = two();
    // The size of the first entry; the third number still says that it is a package.
    file[12 + 256..12 + 260].fill(0xFF);
    assert_eq!(error(&file), rules::SHORT.id);
}
