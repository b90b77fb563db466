use crate::build::{effect, lz4_asset, plain_asset};
use crate::{budget, bytes_at, error, read, replaced, survives_damage};
use vecasm_container::xnb::Packing;
use vecasm_container::{Budget, Container, Detail, Format, Kind, Limits, rules};

#[test]
fn an_asset_holds_its_effect() {
    for (file, packing) in [(plain_asset(&effect()), Packing::Plain), (lz4_asset(&effect()), Packing::Lz4)] {
        let container = read(&file);
        let Detail::Xnb(asset) = container.detail() else { panic!() };
        assert_eq!((asset.packing, asset.content(), asset.readers.len()), (packing, Some("Effect"), 1));
        assert_eq!(container.entries()[0].kind, Kind::Container(Format::Fx2));
        assert_eq!(bytes_at(&file, "effect"), effect());
    }
}

#[test]
fn the_lengths_follow_an_effect_that_grows() {
    let new = [effect(), vec![0; 400]].concat();
    assert_eq!(replaced(&plain_asset(&effect()), "effect", &new).bytes, plain_asset(&new));
    let packed = replaced(&lz4_asset(&effect()), "effect", &new).bytes;
    assert_eq!(bytes_at(&packed, "effect"), new);
    assert!(read(&packed).findings().is_empty());
    let Detail::Xnb(asset) = read(&packed).detail().clone() else { panic!() };
    assert_eq!((asset.packing, asset.length as usize), (Packing::Lz4, packed.len()));
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let file = lz4_asset(&vec![0; 4096]);
    let tight = |unpacked| {
        let mut limits = Limits::DEFAULT;
        limits.unpacked = unpacked;
        Container::read(&file[..], &mut Budget::new(limits)).map(|_| ())
    };
    assert_eq!(tight(4096).unwrap_err().id, rules::LIMIT.id);
    assert!(tight(8192).is_ok());
    // A size that the header only claims: nothing of it is made.
    let mut claims = lz4_asset(&effect());
    claims[10..14].copy_from_slice(&0x7FFF_FFFFu32.to_le_bytes());
    assert_eq!(error(&claims), rules::LIMIT.id);
    claims[10..14].copy_from_slice(&9u32.to_le_bytes());
    assert_eq!(error(&claims), rules::CODEC.id);
}

#[test]
fn an_asset_of_another_kind_says_so() {
    let mut file = plain_asset(&effect());
    let at = file.windows(12).position(|bytes| bytes == b"EffectReader").unwrap();
    file[at..at + 12].copy_from_slice(b"BitmapReader");
    let container = read(&file);
    let Detail::Xnb(asset) = container.detail() else { panic!() };
    assert_eq!(asset.content(), Some("Bitmap"));
    // An effect in it is found by its signature and its size.
    assert_eq!(container.entries()[0].address, "scan0");
    assert_eq!(container.bytes(&container.entries()[0], &mut budget()).unwrap(), effect());
}

#[test]
fn an_asset_of_the_xbox_360_is_told() {
    // The same asset with its numbers in the other order: the length of the file, the version of the reader (0), the size of the effect.
    let plain = plain_asset(&effect());
    let mut file = plain.clone();
    file[3] = b'x';
    let at = plain.len() - effect().len() - 4;
    for range in [6..10, at..at + 4] {
        file[range].reverse();
    }
    for file in [file, [&b"XNBx"[..], &plain[4..]].concat()] {
        let container = read(&file);
        let [entry] = container.entries() else { panic!("{:?}", container.entries()) };
        assert_eq!(entry.kind, Kind::Foreign("code of the Xbox 360".into()));
        assert_eq!(container.bytes(entry, &mut budget()).unwrap(), effect());
        assert_eq!(container.replace(&[]).unwrap().bytes, file);
        assert_eq!(container.replace(&[(0, b"1234")]).unwrap_err().id, rules::READ_ONLY.id);
    }
    // A length that fits in neither order.
    let mut short = plain;
    short[3] = b'x';
    short[6..10].copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(error(&short), rules::SHORT.id);
}

#[test]
fn a_platform_that_nobody_knows_is_one_all_the_same() {
    for letter in [b'?', 1, 0xFF] {
        let mut file = plain_asset(&effect());
        file[3] = letter;
        assert_eq!(bytes_at(&file, "effect"), effect());
        assert_eq!(read(&file).findings()[0].id, rules::UNKNOWN.id);
    }
    // A text that only begins so.
    assert_eq!(Format::of(b"XNB is a format"), None);
}

#[test]
fn damage_is_told() {
    survives_damage(&plain_asset(&effect()));
    survives_damage(&lz4_asset(&effect()));
    let mut file = plain_asset(&effect());
    file[6..10].fill(0x7F);
    assert_eq!(error(&file), rules::SHORT.id);
}
