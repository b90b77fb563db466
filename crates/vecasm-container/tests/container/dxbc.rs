use crate::build::{blob, pixel_program, vertex_program, words};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::dxbc::checksum_of;
use vecasm_container::{Detail, Kind, rules};

/// A blob whose checksum fits.
fn signed() -> Vec<u8> {
    blob(checksum_of(&blob([0; 16])))
}

#[test]
fn the_program_for_level_9_is_an_entry() {
    let file = signed();
    let container = read(&file);
    let Detail::Dxbc(blob) = container.detail() else { panic!() };
    assert!(blob.checksum_fits);
    let level9 = blob.level9.as_ref().unwrap();
    let range = level9.constants[0];
    assert_eq!((range.buffer, range.first, range.count, range.to), (0, 2, 3, 0));
    let names: Vec<_> = container.entries().iter().map(|entry| &*entry.address).collect();
    assert_eq!(names, ["aon9", "chunk1"]);
    assert_eq!(bytes_at(&file, "aon9"), pixel_program());
    assert!(matches!(container.entries()[1].kind, Kind::Foreign(_)));
}

#[test]
fn all_that_says_sizes_follows_a_program_that_grows() {
    let new = [&pixel_program()[..20], &words(&[0, 0, 0, 0]), &words(&[0x0000_FFFF])].concat();
    let edited = replaced(&signed(), "aon9", &new).bytes;
    let container = read(&edited);
    assert!(container.findings().is_empty(), "the checksum fits, and nothing follows the end");
    assert_eq!(bytes_at(&edited, "aon9"), new);
    let Detail::Dxbc(blob) = container.detail() else { panic!() };
    // What follows moves by sixteen bytes, and keeps its content.
    assert_eq!(edited[blob.chunks[1].range.clone()], [7, 0, 0, 0]);
    assert_eq!(edited.len(), signed().len() + 20);
    // The version in front of the program is that of the new one.
    let other = replaced(&signed(), "aon9", &vertex_program()).bytes;
    let Detail::Dxbc(blob) = read(&other).detail().clone() else { panic!() };
    assert_eq!(blob.level9.unwrap().version, 0xFFFE_0200);
}

#[test]
fn a_checksum_of_zeros_stays() {
    let edited = replaced(&blob([0; 16]), "aon9", &vertex_program()).bytes;
    assert_eq!(edited[4..20], [0; 16]);
    assert!(read(&edited).findings().is_empty());
    assert_eq!(read(&blob([1; 16])).findings()[0].id, rules::CHECKSUM.id);
}

#[test]
fn other_chunks_are_not_replaced() {
    let file = signed();
    let container = read(&file);
    assert_eq!(container.replace(&[(1, &[1])]).unwrap_err().id, rules::READ_ONLY.id);
}

#[test]
fn damage_is_told() {
    survives_damage(&signed());
    let mut file = signed();
    file[36..40].fill(0xFF);
    assert_eq!(error(&file), rules::OFFSET.id);
}

#[test]
fn a_chunk_in_the_header_is_refused() {
    let mut file = blob([0; 16]);
    // The offset of the second chunk.
    file[36..40].copy_from_slice(&12u32.to_le_bytes());
    assert_eq!(error(&file), rules::VALUE.id);
}
