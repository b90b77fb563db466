use crate::build::{archive, deflated, effect, pixel_program, stored};
use crate::{bytes_at, error, read, replaced, survives_damage};
use vecasm_container::{Detail, Format, Kind, rules};
use vecasm_isa::Isa;

fn three() -> Vec<u8> {
    archive(&[
        stored("a/one.pso", &pixel_program()),
        deflated("two.fxb", &effect()),
        stored("notes.txt", b"mov oc, v0\n"),
    ])
}

#[test]
fn members_are_told_by_their_content() {
    let file = three();
    let container = read(&file);
    let entries: Vec<_> =
        container.entries().iter().map(|entry| (&*entry.address, entry.kind.clone())).collect();
    let wanted = [
        ("a/one.pso", Kind::Stream(Isa::D3d9)),
        ("two.fxb", Kind::Container(Format::Fx2)),
        ("notes.txt", Kind::File),
    ];
    assert_eq!(entries, wanted);
    assert_eq!(bytes_at(&file, "#1"), effect());
}

#[test]
fn other_members_are_copied_as_they_are() {
    let new = [effect(), vec![0; 64]].concat();
    let edited = replaced(&three(), "a/one.pso", &new).bytes;
    let wanted = archive(&[
        stored("a/one.pso", &new),
        deflated("two.fxb", &effect()),
        stored("notes.txt", b"mov oc, v0\n"),
    ]);
    assert_eq!(edited, wanted);
    // One that was deflated is again; the archive says its new sizes.
    let edited = replaced(&three(), "two.fxb", &new).bytes;
    assert_eq!(bytes_at(&edited, "two.fxb"), new);
    let Detail::Zip(archive) = read(&edited).detail().clone() else { panic!() };
    assert_eq!((archive.members[1].method, archive.members[1].size), (8, new.len() as u64));
    assert_eq!(archive.members[1].crc32, crate::build::crc32(&new));
}

#[test]
fn names_cannot_lead_anywhere() {
    let file = archive(&[stored("../..\\evil:x", b"text")]);
    assert_eq!(read(&file).entries()[0].address, "../..%5Cevil%3Ax");
}

#[test]
fn members_that_share_bytes_are_refused() {
    let mut file = archive(&[stored("a", b"text"), stored("b", b"more")]);
    // The place of the second member in the directory: that of the first.
    let record = file.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    file[record + 42..record + 46].fill(0);
    assert_eq!(error(&file), rules::VALUE.id);
}

#[test]
fn encrypted_members_are_listed() {
    let mut file = archive(&[stored("a", b"text")]);
    let record = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    file[record + 8] = 1;
    assert_eq!(read(&file).entries()[0].kind, Kind::Foreign("an encrypted member".into()));
}

#[test]
fn damage_is_told() {
    survives_damage(&three());
    assert_eq!(error(b"PK\x03\x04"), rules::SHORT.id);
}

#[test]
fn what_cannot_be_unpacked_is_not_replaced() {
    let mut file = archive(&[stored("a.fxb", &effect())]);
    // The bit of encryption in the header of the member, and in the directory.
    file[6] |= 1;
    let record = file.windows(4).position(|word| word == b"PK\x01\x02").unwrap();
    file[record + 8] |= 1;
    let container = read(&file);
    let error = container.replace(&[(0, b"other")]).unwrap_err();
    assert_eq!(error.id, rules::READ_ONLY.id, "{error}");
}
