//! Every construct as text: each shader of `../wgsl/cases` has to give `cases/NAME.hlsl`, in model 5.0, and
//! `cases/old/NAME.hlsl`, in model 3.0, as those of `cases/old` have to; those of `../glsl/cases/wide` in 5.0 and in 6.0, in `wide` and
//! `wide-6`, those of `cases/six` in 6.0; one that is refused, the finding as a comment.
//! Whether compilers take the texts is judged by `cargo xtask validate`.
//!
//! `BLESS=1` writes the expected texts anew, for review.

use crate::data::{differs, place, shaders};
use std::collections::BTreeSet;
use vecasm_emit::hlsl::{Model, Options, RULES, write};
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::text::parse_any;

fn text(shader: &Shader, model: Model) -> String {
    match write(shader, &Options { model, ..Options::default() }) {
        Ok(output) => output.source,
        Err(finding) => format!("// refused, {}: {}\n", finding.id, finding.message),
    }
}

#[test]
fn cases_are_written_as_expected() {
    let mut wrong = Vec::new();
    let of = |from: &str, model: Model, folder: &'static str| {
        shaders(from).into_iter().map(move |(name, shader)| (name, shader, model, folder))
    };
    let (usual, old) = (Options::default().model, Model::ALL[0]);
    let all = of("wgsl/cases", usual, "cases").chain(of("wgsl/cases", old, "cases/old"));
    let own = of("hlsl/cases", usual, "cases").chain(of("hlsl/cases/old", old, "cases/old"));
    let six = "6.0".parse::<Model>().unwrap();
    let wide = of("glsl/cases/wide", usual, "cases/wide").chain(of("glsl/cases/wide", six, "cases/wide-6"));
    let wide = wide.chain(of("hlsl/cases/six", six, "cases/six"));
    for (name, shader, model, folder) in all.chain(own).chain(wide) {
        let text = text(&shader, model);
        wrong.extend(differs(&name, &place(&format!("hlsl/{folder}/{name}.hlsl")), &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_model_says_it_or_names_a_rule() {
    let folders = [
        "glsl/cases/wide",
        "hlsl/cases",
        "hlsl/cases/six",
        "wgsl/cases",
        "wgsl/cases/refused",
        "glsl/cases/refused",
    ];
    let all: Vec<(String, Shader)> = folders.into_iter().flat_map(shaders).collect();
    let mut reached = BTreeSet::new();
    for model in Model::ALL {
        for (name, shader) in &all {
            match write(shader, &Options { model: *model, ..Options::default() }) {
                Ok(output) => {
                    let source = &output.source;
                    let count = |c: char| source.matches(c).count();
                    assert_eq!((count('{'), count('(')), (count('}'), count(')')), "{name}:\n{source}");
                    assert!(!source.contains(",\n    )") && !source.contains("0x1."), "{name}:\n{source}");
                }
                Err(finding) => {
                    assert!(
                        RULES.iter().any(|rule| rule.id == finding.id),
                        "{name}: {}: {}",
                        finding.id,
                        finding.message
                    );
                    reached.insert(finding.id);
                }
            }
        }
    }
    let bad_name = Options { names: &[("a", "0")], ..Options::default() };
    reached.extend(write(&all[0].1, &bad_name).err().map(|finding| finding.id));
    let spaced = Options { space: 1, ..Options::default() };
    reached.extend(write(&all[0].1, &spaced).err().map(|finding| finding.id));
    let missing: Vec<&str> = RULES.iter().map(|rule| rule.id).filter(|id| !reached.contains(id)).collect();
    assert!(missing.is_empty(), "no shader is refused by {missing:?}");
}

#[test]
fn a_fragment_shader_declares_what_its_partner_writes_in_its_order() {
    let vertex = "vertex ir\n  output 0 far varying 2\n  output 1 pos position\n  output 2 near varying 0\n";
    let vertex = parse_any(&format!("{vertex}  output 3 mid varying 1\n")).unwrap();
    let fragment = "fragment ir\n  input 0 v varying 1 : f32x4\n  output 0 o color 0\n\n";
    let fragment = parse_any(&format!("{fragment}  %0 = input v : f32x4\n  store o.xyzw %0\n")).unwrap();
    let fields = |source: &str, of: &str| -> Vec<String> {
        let (_, rest) = source.split_once(of).unwrap();
        let lines = rest.lines().skip(1).take_while(|line| *line != "};");
        lines.map(|line| line.rsplit(' ').next().unwrap().to_string()).collect()
    };
    let written = write(&vertex, &Options::default()).unwrap().source;
    let read = write(&fragment, &Options { partner: Some(&vertex), ..Options::default() }).unwrap().source;
    let wanted = ["SV_Position;", "TEXCOORD0;", "TEXCOORD1;", "TEXCOORD2;"];
    assert_eq!(fields(&written, "struct VertexOutput"), wanted);
    assert_eq!(fields(&read, "struct PixelInput"), wanted);
}

/// dxc folds the condition and then finds no way out, which its validator refuses.
#[test]
fn a_loop_that_only_a_false_condition_leaves_is_refused() {
    let shader = |known: &str| {
        let head =
            "fragment ir\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n";
        let body =
            format!("  {known}\n  loop L0 {{\n    if %1 {{\n      leave L0\n    }} else {{\n    }}\n  }}\n");
        parse_any(&format!("{head}{body}  store o.xyzw %0\n")).unwrap()
    };
    let id = |known: &str| write(&shader(known), &Options::default()).err().map(|finding| finding.id);
    assert_eq!(id("%1 = const false : bool"), Some("HLSL-loop"));
    assert_eq!(id("%1 = const true : bool"), None);
    assert_eq!(id("%1 = ge %0.x %0.y : bool"), None);
}

#[test]
fn models_are_named() {
    for model in Model::ALL {
        assert_eq!(model.to_string().parse::<Model>().ok(), Some(*model));
        assert_eq!(model.to_string().replace('.', "_").parse::<Model>().ok(), Some(*model));
    }
    assert!("5".parse::<Model>().is_err() && "7.0".parse::<Model>().ok().is_none());
}
