use crate::build::{
    archive, blob, deflated, effect, lz4_asset, monogame, pixel_program, plain_asset, stored, vertex_program,
};
use crate::{budget, read};
use std::ops::ControlFlow;
use vecasm_container::{Address, Budget, Container, Limits, edit, find, rules, visit};

/// An archive of an asset of an effect, a package, and an effect of MonoGame around a blob.
fn deep() -> Vec<u8> {
    archive(&[
        deflated("game/Blur.xnb", &lz4_asset(&effect())),
        stored("game/Mono.xnb", &plain_asset(&monogame(&blob([0; 16])))),
    ])
}

/// The addresses of all programs.
fn programs(file: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    let done = visit::<()>(
        &read(file),
        &mut budget(),
        &mut |one| {
            if one.entry.is_program() {
                out.push(one.address.to_string());
            }
            ControlFlow::Continue(())
        },
        &mut |address, finding| panic!("{address}: {finding}"),
    );
    assert_eq!(done.unwrap(), ControlFlow::Continue(()));
    out
}

#[test]
fn programs_are_found_through_all_layers() {
    assert_eq!(
        programs(&deep()),
        [
            "game/Blur.xnb::effect::param1[0]",
            "game/Blur.xnb::effect::technique0/pass0/ps",
            "game/Mono.xnb::effect::shader0::aon9",
        ]
    );
}

#[test]
fn addresses_may_be_short() {
    let file = deep();
    let container = read(&file);
    let at = |address: &str| {
        find(&container, &Address::parse(address), &mut budget(), &mut |found| found.address.to_string())
    };
    let whole = "game/Blur.xnb::effect::technique0/pass0/ps";
    // By names, by the number of the program, without the only container on the way.
    for short in [whole, "GAME/blur.xnb::effect::T/P/ps", "2", "game/Blur.xnb::T/P/ps", "#0::2"] {
        assert_eq!(at(short).unwrap(), whole, "{short}");
    }
    assert_eq!(at("game/Mono.xnb::T/P/ps::aon9").unwrap(), "game/Mono.xnb::effect::shader0::aon9");
    for wrong in ["4", "0", "nothing", "game/Blur.xnb::nothing", ""] {
        assert_eq!(at(wrong).unwrap_err().id, rules::ADDRESS.id, "{wrong}");
    }
}

#[test]
fn capitals_tell_names_apart() {
    let file = archive(&[stored("A.fxb", b"mov oc, v0\n"), stored("a.fxb", b"mov op, va0\n")]);
    let container = read(&file);
    assert_eq!((container.entry("A.fxb").unwrap(), container.entry("a.fxb").unwrap()), (0, 1));
    let both = archive(&[stored("A.fxb", b"mov oc, v0\n"), stored("A.fxb", b"mov op, va0\n")]);
    assert_eq!(read(&both).entry("A.fxb").unwrap_err().id, rules::AMBIGUOUS.id);
    assert_eq!(read(&file).entry("a.FXB").unwrap_err().id, rules::AMBIGUOUS.id);
}

#[test]
fn layers_are_written_around_what_changes() {
    let file = deep();
    let addresses =
        ["game/Blur.xnb::T/P/ps", "game/Blur.xnb::Array[0]", "game/Mono.xnb::effect::shader0::aon9"];
    let edits: Vec<_> = addresses.iter().map(|address| (Address::parse(address), vertex_program())).collect();
    let edited = edit(&read(&file), &edits, &mut budget()).unwrap();
    assert_eq!(programs(&edited.bytes), programs(&file));
    let again = read(&edited.bytes);
    for (address, _) in &edits {
        let bytes = find(&again, address, &mut budget(), &mut |found| found.bytes.to_vec()).unwrap();
        assert_eq!(bytes, vertex_program(), "{address}");
    }
    assert_eq!(edited.findings.len(), 3, "each had a table of constants");
    assert_eq!(edit(&read(&file), &[], &mut budget()).unwrap().bytes, file);
    let same = [(Address::parse("1"), pixel_program())];
    assert_eq!(edit(&read(&file), &same, &mut budget()).unwrap().bytes, file);
    let twice =
        [(Address::parse("1"), vertex_program()), (Address::parse("game/Blur.xnb::Array[0]"), Vec::new())];
    assert_eq!(edit(&read(&file), &twice, &mut budget()).unwrap_err().id, rules::AMBIGUOUS.id);
}

#[test]
fn layers_are_counted() {
    let mut file = effect();
    for _ in 0..4 {
        file = archive(&[stored("inner.zip", &file)]);
    }
    let mut wrong = Vec::new();
    let done = visit::<()>(
        &read(&file),
        &mut budget(),
        &mut |_| ControlFlow::Continue(()),
        &mut |address, finding| {
            wrong.push((address.to_string(), finding.id));
        },
    );
    assert!(done.is_ok());
    // The archive itself is the first of the four that are read.
    assert_eq!(wrong, [("inner.zip::inner.zip::inner.zip::inner.zip".into(), rules::LIMIT.id)]);
    let mut limits = Limits::DEFAULT;
    limits.entries = 3;
    let mut spent = Budget::new(limits);
    let container = Container::read(&*file, &mut spent).unwrap();
    let done = visit::<()>(&container, &mut spent, &mut |_| ControlFlow::Continue(()), &mut |_, _| {});
    assert_eq!(done.unwrap_err().id, rules::LIMIT.id);
    let mut limits = Limits::DEFAULT;
    limits.entries = 1;
    let container = Container::read(deep(), &mut Budget::new(limits));
    assert_eq!(container.unwrap_err().id, rules::LIMIT.id);
}
