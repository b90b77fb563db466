//! Every construct as text: each shader of `../wgsl/cases` and of `cases` has to give `cases/NAME.glsl`, in version 430; one
//! that is refused, the finding as a comment. Those of `cases/old` are written in the old versions, each under its name,
//! those of `cases/es` in ES 310 and 320, those of `cases/stages` in 150, 430 and ES 310, those
//! of `cases/wide` in 150, 430, 460 and ES 300. Whether compilers take the texts is judged by `cargo xtask validate`.
//!
//! `BLESS=1` writes the expected texts anew, for review.

use crate::data::{differs, place, shaders};
use std::collections::BTreeSet;
use vecasm_emit::glsl::{Options, RULES, Version, write};
use vecasm_ir::ir::{Shader, Stage};

fn text(shader: &Shader, version: Version) -> String {
    match write(shader, &Options { version, ..Options::default() }) {
        Ok(output) => output.source,
        Err(finding) => format!("// refused, {}: {}\n", finding.id, finding.message),
    }
}

#[test]
fn cases_are_written_as_expected() {
    let mut wrong = Vec::new();
    let usual = ["wgsl/cases", "glsl/cases"].into_iter().flat_map(shaders);
    let usual = usual.map(|(name, shader)| (name, shader, Options::default().version));
    let others = [
        ("old", &["120", "130", "150", "100es"][..]),
        ("es", &["310es", "320es"]),
        ("stages", &["150", "430", "310es"]),
    ];
    let wide = [("wide", &["150", "430", "460", "300es"][..])];
    let others = others.into_iter().chain(wide).flat_map(|(folder, versions)| {
        versions.iter().flat_map(move |version| {
            shaders(&format!("glsl/cases/{folder}")).into_iter().map(move |(file, shader)| {
                (format!("{folder}/{file}-{version}"), shader, version.parse::<Version>().unwrap())
            })
        })
    });
    let all = usual.chain(others);
    for (name, shader, version) in all {
        let text = text(&shader, version);
        wrong.extend(differs(&name, &place(&format!("glsl/cases/{name}.glsl")), &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_version_says_it_or_names_a_rule() {
    let folders = [
        "glsl/cases",
        "glsl/cases/es",
        "glsl/cases/old",
        "glsl/cases/stages",
        "glsl/cases/wide",
        "wgsl/cases",
        "wgsl/cases/refused",
        "glsl/cases/refused",
    ];
    let all: Vec<(String, Shader)> = folders.into_iter().flat_map(shaders).collect();
    let mut reached = BTreeSet::new();
    for version in Version::ALL {
        for (name, shader) in &all {
            match write(shader, &Options { version: *version, ..Options::default() }) {
                Ok(output) => {
                    let source = &output.source;
                    assert!(source.starts_with(&format!("#version {}", version.number())), "{name}");
                    let count = |c: char| source.matches(c).count();
                    assert_eq!((count('{'), count('(')), (count('}'), count(')')), "{name}:\n{source}");
                    assert!(!source.contains(",\n    )") && !source.contains("0x1."), "{name}:\n{source}");
                    let bound = output.bindings.iter().all(|b| b.binding.is_some());
                    let binds = version.number() >= if version.is_es() { 310 } else { 420 };
                    assert!(bound == binds || output.bindings.is_empty(), "{name}");
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
    let missing: Vec<&str> = RULES.iter().map(|rule| rule.id).filter(|id| !reached.contains(id)).collect();
    assert!(missing.is_empty(), "no shader is refused by {missing:?}");
}

#[test]
fn versions_are_named() {
    for version in Version::ALL {
        assert_eq!(version.to_string().parse::<Version>().ok(), Some(*version));
        assert_eq!(version.to_string().replace(' ', "").parse::<Version>().ok(), Some(*version));
    }
    assert_eq!("300es".parse::<Version>().ok().map(|v| (v.number(), v.is_es())), Some((300, true)));
    assert!("300".parse::<Version>().is_err() && "430es".parse::<Version>().is_err());
}

#[test]
fn the_last_stage_before_the_rasterizer_maps_z() {
    let find = |wanted: &str| {
        let all = shaders("glsl/cases/stages").into_iter();
        all.into_iter().find(|(name, _)| name == wanted).map(|(_, shader)| shader).unwrap()
    };
    let (surface, triangle) = (find("surface"), find("triangle"));
    let mapped = |shader: &Shader, hands_on: bool| {
        let output = write(shader, &Options { hands_on, ..Options::default() }).unwrap();
        output.source.contains("gl_Position.z = ")
    };
    assert!(mapped(&surface, false) && !mapped(&surface, true) && mapped(&triangle, false));
    let before = |before: Option<Stage>| {
        let version = "150".parse::<Version>().unwrap();
        write(&triangle, &Options { version, before, ..Options::default() }).unwrap().source
    };
    assert!(before(None).contains("in vec4 varying_40[];"));
    assert!(before(Some(Stage::TessEval)).contains("in vec4 evaluation_varying_40[];"));
}

#[test]
fn both_ends_of_a_varying_say_how_it_is_interpolated() {
    let shader = |text: &str| vecasm_ir::ir::text::parse(text, "test", &[]).unwrap();
    let vertex = shader(
        "vertex test
        input 0 a attribute 0 : f32x4
        output 0 p position
        output 1 v varying 0
        output 2 w varying 1
        %0 = input a : f32x4
        store p.xyzw %0
        store v.xyzw %0
        store w.xyzw %0",
    );
    let fragment = shader(
        "fragment test
        input 0 v varying 0 : f32x4 linear centroid
        input 1 w varying 1 : f32x4 color
        output 0 o color 0
        %0 = input v : f32x4
        %1 = input w : f32x4
        %2 = add %0 %1 : f32x4
        store o.xyzw %2",
    );
    let ends = |shader: &Shader, after: Option<&Shader>, version: &str| -> Vec<String> {
        let version = version.parse::<Version>().unwrap();
        let options = Options { version, after, flat_colors: true, ..Options::default() };
        let source = write(shader, &options).unwrap().source;
        let word = if shader.stage == Stage::Vertex { "out vec4 " } else { "in vec4 " };
        source.lines().filter_map(|line| Some(line.split_once(word)?.0.to_string())).collect()
    };
    for (version, place) in [("130", ["", ""]), ("430", ["layout(location = 0) ", "layout(location = 1) "])] {
        let wanted = [format!("{}noperspective centroid ", place[0]), format!("{}flat ", place[1])];
        assert_eq!(ends(&vertex, Some(&fragment), version), wanted);
        assert_eq!(ends(&fragment, None, version), wanted);
        assert_eq!(ends(&vertex, None, version), place);
    }
}

/// A program of OpenGL has one table of uniform blocks and one of texture units for all its stages: no two stages may ask for
/// the same number of one. The numbers are those of SPIR-V for OpenGL, so a host needs one layout for both.
#[cfg(feature = "spirv")]
#[test]
fn stages_have_bindings_of_their_own() {
    use vecasm_emit::options::BindingKind;
    use vecasm_emit::spirv::{self, Environment};
    use vecasm_isa::any::{AnyProgram, LiftOptions};
    let mut all: Vec<(String, Shader)> =
        ["wgsl/cases", "glsl/cases", "glsl/cases/stages"].into_iter().flat_map(shaders).collect();
    for text in [
        "vs_3_0\ndcl_position v0\ndcl_2d s0\ndcl_position o0\ntexldl r0, v0, s0\nadd o0, r0, c0\n",
        "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nadd oC0, r0, c0\n",
    ] {
        let program = AnyProgram::parse(vecasm_isa::Isa::D3d9, text, None, None).0.unwrap();
        all.push((text.into(), program.lift(&LiftOptions::for_gpus()).unwrap()));
    }
    let gl = spirv::Options::for_environment(Environment::OpenGl45);
    let kind = |kind: &BindingKind| match kind {
        BindingKind::Constants { .. } | BindingKind::States { .. } => Some("block"),
        BindingKind::Combined { .. } | BindingKind::Texture { .. } => Some("texture"),
        _ => None,
    };
    let mut seen: Vec<(Stage, &str, u32)> = Vec::new();
    let mut compared = 0;
    for (name, shader) in &all {
        let Ok(output) = write(shader, &Options::default()) else { continue };
        let mut here: Vec<(&str, u32)> =
            output.bindings.iter().filter_map(|b| Some((kind(&b.kind)?, b.binding?))).collect();
        // A compute shader has its program to itself.
        let stage = if shader.stage == Stage::Compute { Stage::Fragment } else { shader.stage };
        seen.extend(here.iter().map(|(kind, at)| (stage, *kind, *at)));
        let Ok(spirv) = spirv::write(shader, &gl) else { continue };
        let mut there: Vec<(&str, u32)> =
            spirv.bindings.iter().filter_map(|b| Some((kind(&b.kind)?, b.binding))).collect();
        here.sort_unstable();
        there.sort_unstable();
        there.dedup();
        assert_eq!(here, there, "{name}");
        compared += usize::from(!here.is_empty());
    }
    assert!(compared > 5, "{compared}");
    for (stage, kind, at) in &seen {
        let other = seen.iter().find(|(s, k, a)| s != stage && (k, a) == (kind, at));
        assert!(other.is_none(), "{kind} {at} of {} and {}", stage.name(), other.unwrap().0.name());
    }
    let stages: BTreeSet<&str> = seen.iter().map(|(stage, ..)| stage.name()).collect();
    assert!(stages.len() > 1, "{stages:?}");
}
