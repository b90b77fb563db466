//! Every construct as words: the shaders of the WGSL writer's cases and random ones have to come out well formed, and some
//! small ones as derived by hand, those of `cases/sound` only well formed; `cases/refused/RULE.ir` has to be refused by that rule. What the words mean is judged by
//! running them: `cargo xtask oracle`.

use crate::data::files;
use crate::spirv::reader::{check, text};
use std::fs;
use std::path::PathBuf;
use vecasm_emit::spirv::{Environment, Options, RULES, Source, States, write};
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::random::{Kind, Rng, Size, program};
use vecasm_ir::ir::text::parse_any;
use vecasm_ir::ir::verify::verify;

fn shader(path: &PathBuf) -> Shader {
    let text = fs::read_to_string(path).unwrap();
    let shader = parse_any(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    assert_eq!(verify(&shader), [], "{}", path.display());
    shader
}

/// Each way of writing a shader; whether it is written at all.
fn sound(name: &str, shader: &Shader) -> bool {
    let mut written = false;
    for environment in Environment::ALL {
        for names in [false, true] {
            let source = Source { file: "a", text: "one\ntwo\n", lines: &[1, 2, 1, 0, 2] };
            let options = Options {
                names,
                flip_y: names,
                float_controls: names,
                states: if names { States::Specialized { first: 3 } } else { States::Block },
                source: names.then_some(source),
                ..Options::for_environment(environment)
            };
            match write(shader, &options) {
                Ok(output) => {
                    written = true;
                    if let Err(why) = check(&output.words) {
                        panic!("{name}, {}: {why}\n{}", environment.name(), text(&output.words));
                    }
                }
                Err(why) => {
                    assert!(RULES.iter().any(|rule| rule.id == why.id), "{name}: {why}");
                    assert!(why.help.is_some(), "{name}: {why}");
                }
            }
        }
    }
    written
}

#[test]
fn every_construct_is_well_formed() {
    let mut written = 0;
    for folder in ["wgsl/cases", "wgsl/cases/exact", "wgsl/cases/refused", "spirv/cases", "spirv/cases/sound"]
    {
        for (name, path) in files(folder) {
            written += usize::from(sound(&name, &shader(&path)));
        }
    }
    assert!(written > 25, "only {written} cases are written");
}

#[test]
fn random_shaders_are_well_formed() {
    let kind = Kind { serial: false, ..Kind::ALL };
    let (mut written, mut all) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let shader = program(&mut rng, Size { nodes: 40, depth: 4 }, kind);
        all += 1;
        written += usize::from(sound(&format!("seed {seed}"), &shader));
    }
    assert!(written * 3 > all, "only {written} of {all} are written");
}

/// The texts are derived by hand from the IR beside them; a comment there says how.
#[test]
fn small_shaders_are_written_as_derived() {
    let mut wrong = Vec::new();
    for (name, path) in files("spirv/cases") {
        let output = write(&shader(&path), &Options::default()).unwrap();
        let got = text(&output.words);
        // The derivation says what the function does; ids are numbered as they come up in it.
        let got = renumbered(got.lines().skip_while(|line| !line.contains("OpFunction ")).skip(2));
        let expected = fs::read_to_string(path.with_extension("words")).unwrap();
        let expected = renumbered(expected.lines().filter(|line| !line.starts_with(';')));
        if got != expected {
            wrong.push(format!("{name}:\n{}", got.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines with their ids numbered in the order in which they come up.
fn renumbered<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut word = |word: &str| {
        if !word.starts_with('%') {
            return word.to_string();
        }
        let n = ids.iter().position(|id| id == word).unwrap_or_else(|| {
            ids.push(word.into());
            ids.len() - 1
        });
        format!("%{n}")
    };
    lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().map(&mut word).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn every_rule_is_hit() {
    // What WGSL refuses for the same reason need not stand twice.
    let mut all = files("spirv/cases/refused");
    for (name, path) in files("wgsl/cases/refused") {
        let name = name.replace("WGSL", "SPIRV");
        if RULES.iter().any(|rule| rule.id == name) && !all.iter().any(|(own, _)| *own == name) {
            all.push((name, path));
        }
    }
    all.sort();
    let mut hit = Vec::new();
    for (name, path) in all {
        let shader = shader(&path);
        let mut options = Options::default();
        if name == "SPIRV-exact" {
            options.vertex.exact = true;
            options.fragment.exact = true;
        }
        if name == "SPIRV-binding" {
            options.vertex.textures = 0;
            options.fragment.textures = 0;
        }
        options.push_constants = name == "SPIRV-push";
        if name == "SPIRV-values" {
            options.values = &[("c", &[[0x3f80_0000; 4]])];
        }
        match write(&shader, &options) {
            Err(finding) if finding.id == name && finding.help.is_some() => {}
            other => panic!("{name}: {other:?}"),
        }
        hit.push(name);
    }
    let all: Vec<String> = RULES.iter().map(|rule| rule.id.to_string()).collect();
    assert_eq!(hit, all);
}

#[test]
fn environments_are_named_as_the_validator_names_them() {
    for environment in Environment::ALL {
        assert_eq!(environment.name().parse::<Environment>().ok(), Some(environment));
    }
    assert_eq!("vulkan".parse::<Environment>().ok(), None);
}
