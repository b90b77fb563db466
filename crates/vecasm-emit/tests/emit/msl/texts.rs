//! Every construct as text: each shader of `../wgsl/cases`, of `../glsl/cases/wide` and of `cases` has to give
//! `cases/NAME.metal`, in version 2.1; one that is refused, the finding as a comment. Whether a compiler takes the texts is
//! judged by `cargo xtask validate`.
//!
//! `BLESS=1` writes the expected texts anew, for review.

use crate::data::{differs, place, shaders};
use std::collections::BTreeSet;
use vecasm_emit::msl::{BindingKind, Options, RULES, Version, write};
use vecasm_ir::ir::Shader;

#[test]
fn cases_are_written_as_expected() {
    let mut wrong = Vec::new();
    let wide = shaders("glsl/cases/wide").into_iter().map(|(name, shader)| (format!("wide/{name}"), shader));
    for (name, shader) in shaders("wgsl/cases").into_iter().chain(shaders("msl/cases")).chain(wide) {
        let text = match write(&shader, &Options::default()) {
            Ok(output) => output.source,
            Err(finding) => format!("// refused, {}: {}\n", finding.id, finding.message),
        };
        wrong.extend(differs(&name, &place(&format!("msl/cases/{name}.metal")), &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_version_says_it_or_names_a_rule() {
    let folders =
        ["wgsl/cases", "wgsl/cases/refused", "glsl/cases/refused", "msl/cases", "msl/cases/refused"];
    let all: Vec<(String, Shader)> = folders.into_iter().flat_map(shaders).collect();
    let mut reached = BTreeSet::new();
    for version in Version::ALL {
        for (name, shader) in &all {
            match write(shader, &Options { version: *version, ..Options::default() }) {
                Ok(output) => {
                    assert!(!name.starts_with("MSL-"), "{name} is written as {version}");
                    let source = &output.source;
                    let count = |c: char| source.matches(c).count();
                    assert_eq!((count('{'), count('(')), (count('}'), count(')')), "{name}:\n{source}");
                    assert_eq!(source.matches("[[").count(), source.matches("]]").count(), "{name}");
                    for glsl in ["vec4", "floatBitsTo", "BitsToFloat", "0x1.", "mix(", ",\n    )"] {
                        assert!(!source.contains(glsl), "{glsl} in {name}:\n{source}");
                    }
                    for binding in &output.bindings {
                        let (index, table) = (binding.index, binding.table());
                        let declared = format!("{} [[{table}({index})]]", binding.name);
                        assert!(source.contains(&declared), "{declared} in {name}:\n{source}");
                    }
                    assert!(source.contains(&format!(" {}(", output.entry)), "{name}");
                }
                Err(finding) => {
                    assert!(
                        RULES.iter().any(|rule| rule.id == finding.id),
                        "{name}: {}: {}",
                        finding.id,
                        finding.message
                    );
                    assert!(
                        !name.starts_with("MSL-") || name == finding.id,
                        "{name}: {}: {}",
                        finding.id,
                        finding.message
                    );
                    reached.insert(finding.id);
                }
            }
        }
    }
    let sampling = all.iter().find(|(name, _)| name == "sampling").map(|(_, shader)| shader).unwrap();
    let bad_name = Options { names: &[("a", "0")], ..Options::default() };
    let far = Options { samplers: 15, ..Options::default() };
    for options in [bad_name, far] {
        reached.extend(write(sampling, &options).err().map(|finding| finding.id));
    }
    let missing: Vec<&str> = RULES.iter().map(|rule| rule.id).filter(|id| !reached.contains(id)).collect();
    assert!(missing.is_empty(), "no shader is refused by {missing:?}");
}

#[test]
fn names_and_indices_are_chosen() {
    let all = shaders("wgsl/cases");
    let sampling = all.iter().find(|(name, _)| name == "sampling").map(|(_, shader)| shader).unwrap();
    let options = Options {
        entry: Some("main"),
        textures: 3,
        samplers: 2,
        names: &[("volume", "fog")],
        ..Options::default()
    };
    let output = write(sampling, &options).unwrap();
    assert_eq!(output.entry, "main_1");
    for text in ["texture3d<float> fog [[texture(5)]]", "sampler fog_sampler [[sampler(4)]]"] {
        assert!(output.source.contains(text), "{}", output.source);
    }
    let fog = output.bindings.iter().find(|b| b.name == "fog").unwrap();
    assert!(matches!(fog.kind, BindingKind::Texture { slot: 2, .. }) && fog.index == 5);
}

#[test]
fn versions_are_named() {
    for version in Version::ALL {
        assert_eq!(version.to_string().parse::<Version>().ok(), Some(*version));
    }
    for wrong in ["2", "2.5", "1.2", "2.01", "3.0", ""] {
        assert_eq!(wrong.parse::<Version>().ok(), None);
    }
}
