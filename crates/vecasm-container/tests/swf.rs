//! Movies of Flash, built here from Adobe's SWF specification 19 and AVM2 overview.

use vecasm_container::{Budget, Container, Detail, Format, Kind, Limits, rules};
use vecasm_ir::ir::Stage;
use vecasm_isa::Isa;

fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

fn read(bytes: &[u8]) -> Container<'_> {
    Container::read(bytes, &mut budget()).expect("a movie")
}

fn bytes_of(container: &Container<'_>, address: &str) -> Vec<u8> {
    let n = container.entry(address).expect(address);
    container.bytes(&container.entries()[n], &mut budget()).expect("bytes").into_owned()
}

/// A tag: a code, and a length of 6 bits or of 32.
fn tag(code: u16, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if content.len() < 63 {
        out.extend((code << 6 | content.len() as u16).to_le_bytes());
    } else {
        out.extend((code << 6 | 63).to_le_bytes());
        out.extend((content.len() as u32).to_le_bytes());
    }
    out.extend(content);
    out
}

fn binary(id: u16, bytes: &[u8]) -> Vec<u8> {
    tag(87, &[&id.to_le_bytes()[..], &[0; 4], bytes].concat())
}

/// What stands behind the length: the size of the stage (no bits a number), the rate, the frames, the tags.
fn body(tags: &[Vec<u8>]) -> Vec<u8> {
    [&[0, 0, 24, 1, 0][..], &tags.concat(), &[0, 0]].concat()
}

fn header(signature: &[u8; 3], body: &[u8]) -> Vec<u8> {
    [&signature[..], &[13], &(body.len() as u32 + 8).to_le_bytes()].concat()
}

fn plain(tags: &[Vec<u8>]) -> Vec<u8> {
    let body = body(tags);
    [header(b"FWS", &body), body].concat()
}

/// A movie packed by zlib: one block that is stored (RFC 1950, 1951).
fn zlib(tags: &[Vec<u8>]) -> Vec<u8> {
    let body = body(tags);
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in &body {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    let size = body.len() as u16;
    let (len, not) = (size.to_le_bytes(), (!size).to_le_bytes());
    [&header(b"CWS", &body)[..], &[0x78, 0x01, 0x01], &len, &not, &body, &(b << 16 | a).to_be_bytes()]
        .concat()
}

/// Bytecode: magic, version, stage, tokens of 24 bytes.
fn program(stage: u8, tokens: usize) -> Vec<u8> {
    [&[0xA0, 1, 0, 0, 0, 0xA1, stage][..], &vec![0; 24 * tokens]].concat()
}

#[test]
fn binary_data_are_programs_textures_and_texts() {
    let symbols = [&2u16.to_le_bytes()[..], &[4, 0], b"Main_VERTEX\0", &[0, 0], b"Main\0"].concat();
    let tags = [
        binary(4, &program(0, 2)),
        binary(9, &program(1, 1)),
        binary(9, b"ATF\0\0\0\xff"),
        binary(3, b"<xml/>"),
        binary(2, &[0, 1, 2]),
        tag(76, &symbols),
    ];
    for file in [plain(&tags), zlib(&tags)] {
        let movie = read(&file);
        assert_eq!(movie.format(), Format::Swf);
        let found: Vec<_> =
            movie.entries().iter().map(|entry| (&*entry.address, entry.kind.clone(), entry.stage)).collect();
        assert_eq!(
            found,
            [
                ("binary/4", Kind::Stream(Isa::Agal), Some(Stage::Vertex)),
                ("binary/9", Kind::Stream(Isa::Agal), Some(Stage::Fragment)),
                ("binary/9#2", Kind::Foreign("a texture (ATF)".into()), None),
                ("binary/3", Kind::File, None),
                ("binary/2", Kind::Foreign("data".into()), None),
            ]
        );
        assert_eq!(movie.entries()[0].aliases, ["Main_VERTEX"]);
        assert_eq!(bytes_of(&movie, "Main_VERTEX"), program(0, 2));
        let Detail::Swf(detail) = movie.detail() else { panic!("a movie") };
        assert_eq!(detail.symbols, [(4, "Main_VERTEX".into()), (0, "Main".into())]);
        assert_eq!(detail.tags.len(), 7);
        assert!(movie.findings().is_empty());
    }
}

/// An edit gives the file that is built with the new bytes.
#[test]
fn binary_data_grow_and_shrink() {
    let tags = |tokens| [binary(1, &program(0, tokens)), binary(2, b"behind")];
    for (old, new) in [(1, 4), (4, 4), (2, 8)] {
        let file = plain(&tags(old));
        let edited = read(&file).replace(&[(0, &program(0, new))]).expect("edited");
        assert_eq!(edited.bytes, plain(&tags(new)), "{old} to {new}");
    }
    // A long length stays one.
    let edited = read(&plain(&tags(4))).replace(&[(0, &program(0, 1))]).expect("edited").bytes;
    let long =
        [&(87u16 << 6 | 63).to_le_bytes()[..], &37u32.to_le_bytes(), &[1, 0, 0, 0, 0, 0], &program(0, 1)]
            .concat();
    assert_eq!(edited, plain(&[long, binary(2, b"behind")]));
    // A packed file is packed again.
    let edited = read(&zlib(&tags(1))).replace(&[(0, &program(0, 9))]).expect("edited").bytes;
    assert_eq!(&edited[..8], &header(b"CWS", &body(&tags(9)))[..]);
    let again = read(&edited);
    assert_eq!(bytes_of(&again, "binary/1"), program(0, 9));
    assert_eq!(bytes_of(&again, "binary/2"), b"behind");
}

#[test]
fn a_file_without_edits_stays() {
    let tags = [binary(1, &program(0, 2))];
    let trailing = [plain(&tags), vec![1, 2, 3]].concat();
    for file in [plain(&tags), zlib(&tags), trailing, lzma()] {
        let movie = read(&file);
        let same = movie.bytes(&movie.entries()[0], &mut budget()).expect("bytes").into_owned();
        assert_eq!(movie.replace(&[]).expect("same").bytes, file);
        assert_eq!(movie.replace(&[(0, &same)]).expect("same").bytes, file);
    }
}

/// The tags of [`lzma`], packed by Python's lzma module (FORMAT_RAW, LZMA1, lc 3, lp 0, pb 2).
const PACKED: [u8; 28] = [
    0x00, 0x00, 0x60, 0x5E, 0x81, 0x0F, 0x9C, 0x25, 0x15, 0x07, 0xBE, 0x3A, 0x1B, 0x01, 0xC4, 0xF0, 0x40,
    0x7A, 0x84, 0x84, 0x95, 0x17, 0xFF, 0xFF, 0xBB, 0xBE, 0x00, 0x00,
];

/// A movie with one program of one token, packed by LZMA.
fn lzma() -> Vec<u8> {
    let body = body(&[binary(7, &program(1, 1))]);
    let size = (PACKED.len() as u32).to_le_bytes();
    [&header(b"ZWS", &body)[..], &size, &[0x5D, 0, 0, 1, 0], &PACKED].concat()
}

#[test]
fn lzma_is_unpacked_and_packed() {
    let file = lzma();
    let movie = read(&file);
    assert_eq!(bytes_of(&movie, "binary/7"), program(1, 1));
    let edited = movie.replace(&[(0, &program(1, 5))]).expect("edited").bytes;
    assert_eq!(&edited[..8], &header(b"ZWS", &body(&[binary(7, &program(1, 5))]))[..]);
    // The packed size counts what follows the properties.
    assert_eq!(edited[8..12], (edited.len() as u32 - 17).to_le_bytes());
    assert_eq!(edited[12..17], file[12..17]);
    assert_eq!(bytes_of(&read(&edited), "binary/7"), program(1, 5));
}

/// A number of 7 bits a byte.
fn number(mut n: u32) -> Vec<u8> {
    let mut out = Vec::new();
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
    out
}

const STRINGS: [&str; 10] = [
    "Main",
    "SHADER",
    "Context3DProgramType",
    "VERTEX",
    "m44 op, va0, vc0\n",
    "mov v0, va1",
    "fragment",
    "mov oc, v0",
    "mul function requires vec3 (or vec4)",
    "sub oc, v1, v0",
];

/// Names: those of the first four strings.
const NAMES: u8 = 4;

/// Code with one class, `Main`, which has a constant `SHADER`, and whose constructor is `code`.
fn abc(code: &[u8]) -> Vec<u8> {
    let mut out = vec![16, 0, 46, 0, 0, 0, 0];
    out.extend(number(STRINGS.len() as u32 + 1));
    for text in STRINGS {
        out.extend(number(text.len() as u32));
        out.extend(text.bytes());
    }
    // No namespaces, no sets of them; names by kind, namespace, string.
    out.extend([0, 0, NAMES + 1]);
    for n in 1..=NAMES {
        out.extend([0x07, 0, n]);
    }
    // Two methods: no parameters, type, name, flags. No metadata.
    out.extend([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // A class: name, class above, flags, interfaces, constructor; a constant: name, kind, slot, type, string 8, its kind.
    out.extend([1, 1, 0, 0, 0, 0, 1, 2, 6, 0, 0, 8, 1]);
    // Its initializer, without traits; no scripts.
    out.extend([1, 0, 0]);
    // A body: method, sizes, code, no exceptions, no traits.
    out.extend([1, 0, 1, 1, 1, 1]);
    out.extend(number(code.len() as u32));
    out.extend(code);
    out.extend([0, 0]);
    out
}

/// `assemble(Context3DProgramType.VERTEX, "m44 …" + "mov …")`, then a message, then a program behind the word for its stage.
const BODY: [u8; 27] = [
    0x60, 3, 0x66, 4, 0x2C, 5, 0xF0, 12, 0x2C, 6, 0xA0, 0x85, 0x4F, 1, 2, // the first program
    0x2C, 9, 0x29, // the message
    0x2C, 7, 0x2C, 8, 0x4F, 1, 2, // the second program
    0x47, 0x02,
];

fn code(abc: &[u8]) -> Vec<u8> {
    tag(82, &[&[1, 0, 0, 0][..], b"main\0", abc].concat())
}

#[test]
fn strings_that_code_joins_are_programs() {
    let file = zlib(&[code(&abc(&BODY)), binary(1, &program(0, 1))]);
    let movie = read(&file);
    let found: Vec<_> = movie.entries()[1..]
        .iter()
        .map(|entry| {
            let text = movie.bytes(entry, &mut budget()).expect("a text").into_owned();
            (&*entry.address, &*entry.aliases[0], entry.stage, String::from_utf8(text).expect("a text"))
        })
        .collect();
    let text = |text: &str| text.to_string();
    assert_eq!(
        found,
        [
            ("abc0/instance0/SHADER", "Main/SHADER", Some(Stage::Fragment), text("mov oc, v0")),
            ("abc0/method0/0", "Main/0", Some(Stage::Vertex), text("m44 op, va0, vc0\nmov v0, va1")),
            ("abc0/method0/1", "Main/1", Some(Stage::Fragment), text("mov oc, v0")),
        ]
    );
    assert!(movie.entries()[1..].iter().all(|entry| entry.kind == Kind::File));
    let Detail::Swf(detail) = movie.detail() else { panic!("a movie") };
    let code = &detail.code[0];
    assert_eq!((&*code.name, code.methods, code.classes), ("main", 2, 1));
    // The last string is used nowhere.
    assert_eq!(code.unused, ["sub oc, v1, v0"]);
    assert_eq!(movie.findings()[0].id, rules::UNUSED_TEXT.id);
    let refusal = movie.replace(&[(2, b"mov op, va0")]).expect_err("refused");
    assert_eq!(refusal.id, rules::READ_ONLY.id);
    assert!(refusal.message.contains("pool of constants"), "{}", refusal.message);
}

#[test]
fn parts_that_are_missing_are_told() {
    let file = plain(&[binary(1, &program(0, 2))]);
    for n in 3..file.len() {
        assert!(Container::read(&file[..n], &mut budget()).is_err(), "{n} bytes");
    }
    for file in [zlib(&[binary(1, &program(0, 2))]), lzma()] {
        for n in 3..file.len() - 8 {
            assert!(Container::read(&file[..n], &mut budget()).is_err(), "{n} bytes");
        }
    }
}

/// Sizes that are too big are refused where they are read: those of the file, and of a tag.
#[test]
fn sizes_are_not_believed() {
    let tags = [binary(1, &program(0, 4))];
    for file in [plain(&tags), zlib(&tags), lzma()] {
        let mut file = file;
        file[4..8].fill(0xFF);
        assert!(Container::read(&file[..], &mut budget()).is_err());
    }
    let mut file = plain(&tags);
    file[15..19].fill(0xFF);
    assert_eq!(Container::read(&file[..], &mut budget()).expect_err("refused").id, rules::SHORT.id);
}

/// Damaged code hides no binary data.
#[test]
fn damaged_code_is_passed_over() {
    let abc = abc(&BODY);
    let behind = binary(1, &program(0, 1));
    for n in 0..abc.len() {
        let file = plain(&[code(&abc[..n]), behind.clone()]);
        let movie = read(&file);
        assert_eq!(bytes_of(&movie, "binary/1"), program(0, 1));
        assert_eq!(movie.findings()[0].id, rules::UNREADABLE.id, "{n} bytes");
        let mut damaged = abc.clone();
        damaged.splice(n..(n + 5).min(abc.len()), [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]);
        let file = plain(&[code(&damaged), behind.clone()]);
        assert_eq!(bytes_of(&read(&file), "binary/1"), program(0, 1), "{n}");
    }
}
