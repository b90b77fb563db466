//! The table of options: what every row promises, and what options set by name do.

#![cfg(all(feature = "agal", feature = "nv2a", feature = "d3d9", feature = "tgsi"))]
#![cfg(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]

use std::collections::BTreeSet;
use vecasm::emit::{glsl, spirv, wgsl};
use vecasm::ir::Stage;
use vecasm::isa::tgsi::Dialect;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::Notation;
use vecasm::options::{ByName, GivenOptions, OptionError, Translating, Value, options};
use vecasm::{CheckOptions, LiftOptions, NoHost, OpenOptions, Target, TranslateOptions, open, translate};

fn program(isa: Isa, text: &str) -> AnyProgram {
    AnyProgram::parse(isa, text, None, None).0.unwrap_or_else(|| panic!("{text}"))
}

/// A value that a row of a kind takes, and one that it does not.
fn values<T: ByName>() {
    for row in T::rows() {
        let option = &row.option;
        let takes = |value: &str| row.set(&mut T::default(), value);
        if !option.default.is_empty() {
            assert_eq!(takes(option.default), Ok(()), "{}", option.name);
        }
        let refused = match option.value {
            Value::Switch => {
                assert_eq!((takes("true"), takes("false")), (Ok(()), Ok(())), "{}", option.name);
                "on"
            }
            Value::Word(words) => {
                for (word, doc) in words {
                    assert_eq!(takes(word), Ok(()), "{} {word}", option.name);
                    assert!(!doc.is_empty());
                }
                for (alias, word) in option.aliases {
                    assert_eq!(takes(alias), Ok(()));
                    assert!(words.iter().any(|(name, _)| name == word));
                }
                "no such word"
            }
            Value::Part(parts) => {
                let all: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
                assert_eq!(takes(&all.join(",")), Ok(()));
                assert_eq!(takes("none"), Ok(()));
                "fog,no-such-part"
            }
            Value::Rule(groups) => {
                for (group, rule) in
                    groups.iter().flat_map(|group| group.rules.iter().map(move |rule| (group, rule)))
                {
                    let setting = format!("{}={}", rule.name, rule.default);
                    assert_eq!(takes(&setting), Ok(()), "{setting}");
                    let isas: Vec<&str> = option.isas(&setting).iter().map(|isa| isa.name()).collect();
                    assert_eq!(isas, [group.isa], "{setting}");
                }
                "no-such-rule=1"
            }
            Value::Number { low, high } => {
                assert_eq!((takes(&low.to_string()), takes(&high.to_string())), (Ok(()), Ok(())));
                "-1"
            }
            // A text of which nothing is wrong is that of one option alone.
            _ if option.name == "entry" => continue,
            _ => "",
        };
        let error = takes(refused).expect_err("a wrong value").to_string();
        assert!(error.starts_with(option.name), "{error}");
    }
}

#[test]
fn every_row_takes_what_it_says_and_nothing_else() {
    values::<OpenOptions<'static>>();
    values::<CheckOptions>();
    values::<LiftOptions>();
    values::<Translating>();
}

#[test]
fn every_row_says_what_it_is() {
    let mut names = BTreeSet::new();
    for option in options() {
        assert!(names.insert((option.group == "Checking", option.name)), "{} is there twice", option.name);
        assert!(option.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", option.name);
        assert!(!option.doc.is_empty() && !option.doc.ends_with('.'), "{}", option.doc);
        assert!(option.more.is_empty() || option.more.ends_with('.'), "{}", option.more);
        assert_eq!(option.form.is_empty(), matches!(option.value, Value::Switch), "{}", option.name);
        // With all features, words for targets and instruction sets name some.
        assert!(!option.isas("").is_empty(), "{}", option.name);
        assert_eq!(
            option.targets().is_empty(),
            matches!(option.group, "Input" | "Checking" | "Meaning"),
            "{}",
            option.name
        );
    }
}

#[test]
fn options_by_name_are_those_in_types() {
    let vertex = program(Isa::Agal, "m44 op, va0, vc0\nmov v0, va1\n");
    let fragment = program(Isa::Agal, "tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n");
    let draw = [&vertex, &fragment];

    let how = Translating::default()
        .with("group", "3")
        .and_then(|how| how.with("group", "fragment=1"))
        .and_then(|how| how.with("constants", "vertex=5"))
        .and_then(|how| how.with("array-size", "file"))
        .and_then(|how| how.with("space", "storage"))
        .and_then(|how| how.with("rename", "fc0=tint"))
        .unwrap();
    let mut options = wgsl::Options { names: &[("fc0", "tint")], ..wgsl::Options::default() };
    (options.vertex.group, options.fragment.group, options.vertex.constants) = (3, 1, 5);
    (options.array_size, options.space) = (wgsl::ArraySize::File, wgsl::Space::Storage);
    let typed = TranslateOptions::default().with_wgsl(options);
    let by_name = how.translate_draw(&draw, Target::Wgsl).unwrap();
    assert_eq!(by_name.translations, vecasm::translate_draw(&draw, Target::Wgsl, &typed).unwrap());
    assert_eq!(by_name.findings, []);

    let how = Translating::default().with("glsl-version", "100es").unwrap();
    let version = "100es".parse().unwrap();
    let typed = TranslateOptions::default().with_glsl(glsl::Options { version, ..glsl::Options::default() });
    assert_eq!(
        how.translate(&fragment, Target::Glsl),
        Ok(translate(&fragment, Target::Glsl, &typed).unwrap())
    );

    // What is not chosen is of the environment.
    let how = Translating::default().with("environment", "opengl4.5").unwrap();
    let environment = spirv::Environment::OpenGl45;
    let typed = TranslateOptions::default().with_spirv(spirv::Options::for_environment(environment));
    assert_eq!(how.translate(&vertex, Target::Spirv), Ok(translate(&vertex, Target::Spirv, &typed).unwrap()));
}

#[test]
fn what_a_program_means_is_said_in_the_same_place() {
    let text = "rsq r0, v0.x\nmov oPos, r0\n";
    let program = program(Isa::Nv2a, text);
    let exact = Translating::default().with("numerics", "flash,exact").unwrap();
    // Integers, bit for bit: nothing of the target computes floats.
    let wgsl = exact.translate(&program, Target::Wgsl).unwrap();
    assert!(!wgsl.text().unwrap().contains("inverseSqrt("));
    let plain = Translating::default().translate(&program, Target::Wgsl).unwrap();
    assert!(plain.text().unwrap().contains("inverseSqrt("));
}

#[test]
fn what_is_known_of_bytes_is_said_in_words() {
    let known = OpenOptions::default()
        .with("isa", "agal")
        .and_then(|known| known.with("from", "text"))
        .and_then(|known| known.with("stage", "PS"))
        .and_then(|known| known.with("version", "2"))
        .and_then(|known| known.with("from-dialect", "virgl"))
        .unwrap();
    let typed = OpenOptions::default()
        .with_isa(Isa::Agal)
        .with_notation(Notation::Text)
        .with_stage(Stage::Fragment)
        .with_version(2)
        .with_dialect(Dialect::Virgl);
    assert_eq!(known, typed);
    // The same again in words: those of the table, in its order.
    let given = typed.with_name("tint.agal").given();
    let words: Vec<(&str, &str)> = given.iter().map(|(option, value)| (option.name, value)).collect();
    let expected = [
        ("isa", "agal"),
        ("from", "text"),
        ("stage", "fragment"),
        ("version", "2"),
        ("from-dialect", "virgl"),
    ];
    assert_eq!(words, expected);
    assert_eq!(given.apply(OpenOptions::default()), Ok(typed));
    assert!(OpenOptions::named("tint.agal").given().is_empty());
    // Each is heeded.
    let read = |known: OpenOptions<'static>, bytes: &[u8]| {
        let program = open(bytes, &known.with_name("tint"), &mut NoHost).program().unwrap();
        (program.isa(), program.stage(), program.version())
    };
    let text = b"mov ft0, v0\nmov oc, ft0\n";
    assert_eq!(read(typed.with_dialect(None), text), (Isa::Agal, Stage::Fragment, 2));
    let hex = OpenOptions::default().with("from", "hex").unwrap();
    assert_eq!(read(hex, b"0101feff 0000ffff").0, Isa::D3d9);
    let error = |name: &str, value: &str| OpenOptions::default().set(name, value).unwrap_err().to_string();
    let isas: Vec<&str> = Isa::ALL.iter().map(|isa| isa.name()).collect();
    assert_eq!(
        error("isa", "agl"),
        format!("isa: no instruction set agl; did you mean `agal`? expected one of {}", isas.join(", "))
    );
    assert_eq!(
        error("from", "txt"),
        "from: no form txt; did you mean `text`? expected one of bin, hex, base64, text"
    );
    assert_eq!(error("version", "4294967296"), "version: 4294967296 is not in 0..=4294967295");
    assert!(error("stage", "fragmen").starts_with("stage: no stage fragmen; did you mean `fragment`?"));
    assert_eq!(
        error("from-dialect", "virg"),
        "from-dialect: no dialect virg; did you mean `virgl`? expected one of legacy, seed, mesa22, mesa25, virgl"
    );
}

#[test]
fn errors_say_what_would_be_right() {
    let said = |name: &str, value: &str| Translating::default().set(name, value).unwrap_err().to_string();
    assert!(said("colour", "1").starts_with("no option colour; "), "{}", said("colour", "1"));
    assert!(said("glsl-versoin", "300es").contains("did you mean `glsl-version`?"));
    assert!(said("numeric", "ieee").contains("did you mean `numerics`?"));
    assert_eq!(said("style", "fancy"), "style: no style fancy; expected one of folded, plain");
    assert_eq!(said("patch-vertices", "33"), "patch-vertices: 33 is not in 1..=32");
    assert_eq!(said("group", "geometry=1"), "group: no stage `geometry`; write vertex= or fragment=");
    assert_eq!(said("flip-y", "yes"), "flip-y: expected true or false");
    let profile = CheckOptions::default().set("profile", "dxvkk").unwrap_err().to_string();
    assert!(profile.starts_with("profile: no profile `dxvkk`; did you mean `dxvk`?"), "{profile}");
}

#[test]
fn options_for_other_programs_are_errors_of_their_own() {
    let agal = program(Isa::Agal, "mov oc, v0\n");
    let refused = |name: &str, value: &str, target: Target| {
        let how = Translating::default().with(name, value).unwrap();
        how.translate(&agal, target).unwrap_err().to_string()
    };
    assert_eq!(refused("compat", "tgsi_exec", Target::Wgsl), "compat is for tgsi, and this is agal");
    assert_eq!(refused("rule", "arl=floor", Target::Wgsl), "rule arl is for nv2a, and this is agal");
    assert_eq!(
        refused("numerics", "d3d9", Target::Wgsl),
        "numerics: programs of agal have flash, ieee, fast"
    );
    assert_eq!(refused("names", "registers", Target::Wgsl), "names is for d3d9, and this is agal");
    assert_eq!(
        refused("state", "fog-mode=1", Target::Wgsl),
        "state fog-mode: no such state value; the program has none"
    );
    assert_eq!(refused("inline", "fc0=1", Target::Spirv), "inline fc0: the program has no such constant");
    let old = Translating::default()
        .with("glsl-version", "120")
        .and_then(|how| how.with("constants", "3"))
        .unwrap();
    let why = old.translate(&agal, Target::Glsl).unwrap_err().to_string();
    assert_eq!(why, "constants: GLSL 120 has no bindings in the text; the host sets them by name");
    // What holds anyway is no matter.
    let how =
        Translating::default().with("compat", "none").and_then(|how| how.with("names", "table")).unwrap();
    assert!(how.translate(&agal, Target::Wgsl).is_ok());
}

#[test]
fn what_is_given_is_kept_as_it_was_said() {
    let mut given = GivenOptions::<LiftOptions>::default();
    for (name, value) in
        [("rule", "c-write=vertex"), ("numerics", "flash"), ("numerics", "ieee"), ("ifg", "greater-equal")]
    {
        given.set(name, value).unwrap();
    }
    assert!(given.set("ifg", "less").is_err());
    // Options said in another order are the same, words of one are not.
    let mut other = GivenOptions::<LiftOptions>::default();
    for (name, value) in [("ifg", "greater-equal"), ("numerics", "flash,ieee"), ("rule", "c-write=vertex")] {
        other.set(name, value).unwrap();
    }
    assert_eq!(given, other);
    let [forwards, backwards] = ["flash,ieee", "ieee,flash"].map(|value| {
        let mut given = GivenOptions::<LiftOptions>::default();
        given.set("numerics", value).unwrap();
        given
    });
    assert_ne!(forwards, backwards);
    // In the order of the table, words with commas together.
    let all: Vec<(&str, &str)> = given.iter().map(|(option, value)| (option.name, value)).collect();
    assert_eq!(all, [("numerics", "flash,ieee"), ("ifg", "greater-equal"), ("rule", "c-write=vertex")]);
    assert_eq!(given.value("ifg"), Some("greater-equal"));
    // Each program heeds its own.
    let of = |isa| given.of(isa).iter().map(|(option, _)| option.name).collect::<Vec<_>>();
    assert_eq!(of(Isa::Agal), ["numerics", "ifg"]);
    assert_eq!(of(Isa::Nv2a), ["numerics", "rule"]);
    assert_eq!(given.foreign(&[Isa::Agal, Isa::Nv2a]), None);
    let Some(OptionError::Foreign { option, message }) = given.foreign(&[Isa::D3d9]) else { panic!() };
    assert_eq!((option.as_str(), message.as_str()), ("ifg", "is for agal, and this is d3d9"));
    // The first word that applies, for each instruction set its own.
    let options = given.apply(LiftOptions::default()).unwrap();
    assert_eq!(options.agal.numerics, vecasm::isa::agal::lift::Numerics::Flash);
    assert_eq!(options.nv2a.numerics, vecasm::isa::nv2a::lift::Numerics::Ieee);
    assert_eq!(options.d3d9.numerics, vecasm::isa::d3d9::lift::Numerics::Ieee);
}
