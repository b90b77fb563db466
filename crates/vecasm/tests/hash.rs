//! Hashes of programs, against vectors of the standards and values that Python's hashlib and zlib give.

#![cfg(all(feature = "hash", feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use vecasm::hash::{Algorithm, Digests, FileName, HashKind, HashPrefix, Hashes, Verdict, canonical};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::{NoHost, OpenOptions, Program, open};

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn tokens(list: &[u32]) -> AnyProgram {
    AnyProgram::decode(Isa::D3d9, &words(list)).unwrap()
}

/// `mov oC0, c0` in ps_2_0: its words.
const MOV: [u32; 3] = [0x0200_0001, 0x800F_0800, 0xA0E4_0000];
const PS_2_0: u32 = 0xFFFF_0200;
const END: u32 = 0x0000_FFFF;
/// A comment of one word, `CTAB`.
const COMMENT: [u32; 2] = [0x0001_FFFE, 0x4241_5443];

/// RFC 1321, FIPS 180-1 and 180-2 on `abc`; the check value that catalogues of CRCs give.
#[test]
fn the_hashes_are_those_of_the_standards() {
    let abc = Digests::of(b"abc");
    let hex = |algorithm| abc.hex(algorithm);
    assert_eq!(hex(Algorithm::Md5), "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(hex(Algorithm::Sha1), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(hex(Algorithm::Sha256), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(Digests::of(b"123456789").crc32, 0xCBF4_3926);
    assert_eq!(vecasm::hash::sha256(b"abc"), hex(Algorithm::Sha256));
}

/// The definition, written out; the hashes by `hashlib.sha256(text).hexdigest()`.
#[test]
fn the_canonical_text_is_as_it_is_defined() {
    let program = tokens(&[&[PS_2_0], &COMMENT[..], &MOV, &COMMENT, &[END]].concat());
    assert_eq!(canonical(&program).unwrap(), "program v1\nd3d9 ps_2_0 fragment\nmov oC0, c0\n");
    let hash = Hashes::of(&program).program.unwrap();
    assert_eq!(hash, "v1:117f8e3d2e566b10930a54c1a2255526bfc31f692fc76c230bdd45f889255c33");
    let agal = open(b"mov  oc, fc0.xyzw // red\n", &OpenOptions::named("a.frag.agal"), &mut NoHost);
    let agal = agal.program().unwrap();
    assert_eq!(canonical(&agal).unwrap(), "program v1\nagal AGAL 1 fragment\nmov oc, fc0\n");
    assert_eq!(
        Hashes::of(&agal).program.unwrap(),
        "v1:77d6d0286c9bdfda016c3c199aa35a9e42cd095dfcb5749d2fbd34aa779faebd"
    );
}

#[test]
fn comments_do_not_count_wherever_they_are() {
    let plain = tokens(&[&[PS_2_0], &MOV[..], &[END]].concat());
    let bare = Digests::of(&words(&[&[PS_2_0], &MOV[..], &[END]].concat()));
    for list in [
        [&[PS_2_0], &COMMENT[..], &MOV, &[END]].concat(),
        [&[PS_2_0], &MOV[..], &COMMENT, &[END]].concat(),
        [&[PS_2_0], &COMMENT[..], &COMMENT, &MOV, &[END]].concat(),
    ] {
        let (hashes, own) = (Hashes::of(&tokens(&list)), Digests::of(&words(&list)));
        assert_eq!((hashes.bytes, hashes.without_comments), (own, Some(bare)));
        assert_eq!(hashes.program, Hashes::of(&plain).program);
    }
    // What is behind the end is no part of what the program says.
    let behind = Hashes::of(&tokens(&[&[PS_2_0], &MOV[..], &[END, 0, 0]].concat()));
    assert_eq!(behind.program, Hashes::of(&plain).program);
    assert_ne!(behind.without_comments, Some(bare));
}

#[test]
fn what_is_no_whole_program_has_no_program_hash() {
    let none = |program: &AnyProgram| assert_eq!(Hashes::of(program).program, None, "{program:?}");
    // Without an end; cut inside an instruction; with a parameter too many in front of an instruction.
    none(&tokens(&[&[PS_2_0], &MOV[..]].concat()));
    none(&tokens(&[&[PS_2_0], &MOV[..2]].concat()));
    none(&tokens(&[&[PS_2_0, 0xA0E4_0000], &MOV[..], &[END]].concat()));
    let agal = open(b"mov oc, fc0\n", &OpenOptions::named("a.frag.agal"), &mut NoHost).program().unwrap();
    let bytes = agal.encode();
    none(&AnyProgram::decode(Isa::Agal, &bytes[..bytes.len() - 1]).unwrap());
    let slot = [0u32, 0x0020_0000, 0x0836_106C, 0x2070_0001];
    let blob = |version: u32, count: u32| {
        AnyProgram::decode(Isa::Nv2a, &words(&[&[version | count << 16], &slot[..]].concat())).unwrap()
    };
    none(&blob(0x2078, 2));
    // The header alone is wrapping, unless it says that the program is another one.
    let bare = Hashes::of(&AnyProgram::decode(Isa::Nv2a, &words(&slot)).unwrap()).program;
    assert!(bare.is_some());
    assert_eq!(Hashes::of(&blob(0x2078, 1)).program, bare);
    assert_ne!(Hashes::of(&blob(0x7378, 1)).program, bare);
    assert_eq!(Hashes::of_bytes(b"nothing").bytes, Digests::of(b"nothing"));
}

fn texts(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, out);
        } else if path
            .extension()
            .is_some_and(|ending| ["agal", "d3d9", "tgsi", "vsh"].iter().any(|known| ending == *known))
        {
            out.push(path);
        }
    }
}

/// Every example that can be read, as text, as bytecode, and as the text that is printed of it.
#[test]
fn a_text_and_its_bytecode_have_the_same_hashes() {
    let mut paths = Vec::new();
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    let (mut of, mut seen) = (0, std::collections::HashSet::new());
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let opened = open(&std::fs::read(&path).unwrap(), &OpenOptions::named(&name), &mut NoHost);
        let Ok(program) = opened.program() else { continue };
        let hashes = Hashes::of(&program);
        let Some(hash) = hashes.program.clone() else { panic!("{name} has no hash") };
        let isa = program.isa();
        assert_eq!(Hashes::of(&AnyProgram::decode(isa, &program.encode()).unwrap()), hashes, "{name}");
        let again = Program::parse(isa, &program.to_text(), Some(program.stage()), Some(program.version()));
        assert_eq!(Hashes::of(&again.unwrap()), hashes, "{name}");
        seen.insert(hash);
        of += 1;
    }
    assert!(of > 80 && seen.len() > of * 9 / 10, "{of} programs, {} hashes", seen.len());
}

#[test]
fn digits_find_the_hash_that_begins_with_them() {
    let program = tokens(&[&[PS_2_0], &COMMENT[..], &MOV, &[END]].concat());
    let hashes = Hashes::of(&program);
    let found = |digits: &str| hashes.found(&HashPrefix::parse(digits).unwrap());
    for &algorithm in Algorithm::ALL {
        let hex = hashes.bytes.hex(algorithm);
        for digits in [&hex[..8], &hex, &hex.to_uppercase(), &format!("0x{hex}")] {
            assert_eq!(found(digits), Some(HashKind::Bytes(algorithm)), "{digits}");
        }
    }
    let bare = hashes.without_comments.unwrap().hex(Algorithm::Crc32);
    assert_eq!(found(&bare), Some(HashKind::WithoutComments(Algorithm::Crc32)));
    let program = hashes.program.clone().unwrap();
    assert_eq!(found(&program), Some(HashKind::Program));
    assert_eq!(found(&program[3..11]), Some(HashKind::Program));
    assert_eq!(found("00000000"), None);
    for bad in ["1234567", "", "0x", "xyzw1234", &"0".repeat(65)] {
        assert!(HashPrefix::parse(bad).is_err(), "{bad}");
    }
}

/// `zlib.crc32` and `hashlib` of `abc`.
#[test]
fn names_of_dumps_hold_hashes() {
    let bytes = Digests::of(b"abc");
    let of = |name: &str| FileName::of(name, &bytes).map(|name| (name.tool, name.verdict));
    let is = Verdict::Is;
    assert_eq!(of("game.exe_shader_0x352441C2.cso"), Some((Some("ReShade"), is(Algorithm::Crc32))));
    assert_eq!(
        of("game.exe_shader_0x352441C3.cso"),
        Some((Some("ReShade"), Verdict::IsNot(Algorithm::Crc32)))
    );
    let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
    assert_eq!(of(&format!("VS_{sha1}.dxso")), Some((Some("DXVK"), is(Algorithm::Sha1))));
    let other = sha1.replace('a', "b");
    assert_eq!(of(&format!("PS_{other}.dxso")), Some((Some("DXVK"), Verdict::Untold)));
    let dxvk3 = "fs.a54d7214fab679f0ee63759d929bcd3b.sm3_dxbc";
    assert_eq!(of(dxvk3), Some((Some("DXVK 3"), Verdict::Untold)));
    assert_eq!(of("352441c2.bin"), Some((None, is(Algorithm::Crc32))));
    assert_eq!(of("900150983cd24fb0d6963f7d28e17f72"), Some((None, is(Algorithm::Md5))));
    // Digits that are no hash of the bytes say nothing where no tool is known by the name.
    for name in ["352441c3.bin", "blob_call230.bin", "deadbeef", "shader.cso", ""] {
        assert_eq!(of(name), None, "{name}");
    }
}
