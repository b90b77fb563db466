//! The examples: every program passes the rules of the player, every pair fits, every scene gives a picture, and no
//! file lies about unused.

#![cfg(all(feature = "agal", feature = "nv2a", feature = "tgsi", feature = "render", feature = "files"))]
#![allow(clippy::unwrap_used, reason = "this is a test from end to end")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vecasm::diag::{Diagnostic, Severity, Source, render_human};
use vecasm::exec::interp::Interp;
use vecasm::ir::{Shader, Stage};
use vecasm::isa::agal::{self, lift, rules, text};
use vecasm::isa::any::{CheckOptions, LiftOptions};
use vecasm::isa::{AnyProgram, Isa, nv2a};
use vecasm::render::draw::Budget;
use vecasm::render::scene::{Host, Scene};

struct Folder {
    isa: Isa,
    path: PathBuf,
    read: BTreeSet<String>,
    /// The vertex program that the next fragment program belongs to.
    vertex: Option<agal::Program>,
}

impl Host for Folder {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.read.insert(name.into());
        std::fs::read(self.path.join(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        self.isa.default_fragment(vertex, textured).ok_or_else(|| "a fragment program is missing".into())
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let code = std::str::from_utf8(code).map_err(|e| e.to_string())?;
        match self.isa {
            Isa::Nv2a => return vertex_program(code),
            Isa::Tgsi => return tgsi_program(code),
            _ => {}
        }
        let stage = if stage == Stage::Vertex { agal::Stage::Vertex } else { agal::Stage::Fragment };
        let (program, findings) =
            text::parse(code, &text::ParseOptions { stage: Some(stage), ..Default::default() });
        let said = |findings: Vec<Diagnostic>| {
            let errors = findings.iter().filter(|f| f.severity == Severity::Error);
            errors.map(|f| render_human(f, Source { name, text: Some(code) }, false)).collect::<String>()
        };
        let Some(program) = program else { return Err(said(findings)) };
        let mut why = said(rules::validate(&program, &rules::Options::default()));
        match (stage, &self.vertex) {
            (agal::Stage::Fragment, Some(vertex)) => {
                why += &said(rules::link(vertex, &program, &rules::Options::default()));
            }
            _ => self.vertex = Some(program.clone()),
        }
        if !why.is_empty() {
            return Err(why);
        }
        lift::lift(&program, &lift::Options::default()).map_err(|e| e.to_string())
    }
}

/// A program of the NV2A that nobody has anything against, for clip space.
fn vertex_program(code: &str) -> Result<Shader, String> {
    let (program, findings) = AnyProgram::parse(Isa::Nv2a, code, None, None);
    let Some(program) = program else { return Err(format!("{findings:?}")) };
    let findings = program.validate(&CheckOptions::default());
    if !findings.is_empty() {
        return Err(format!("{findings:?}"));
    }
    let mut options = LiftOptions::default();
    options.nv2a.space = nv2a::lift::Space::Clip;
    program.lift(&options).map_err(|e| e.to_string())
}

/// A program of TGSI without errors.
fn tgsi_program(code: &str) -> Result<Shader, String> {
    let (program, mut findings) = AnyProgram::parse(Isa::Tgsi, code, None, None);
    let Some(program) = program else { return Err(format!("{findings:?}")) };
    findings.extend(program.validate(&CheckOptions::default()));
    findings.retain(|finding| finding.severity == Severity::Error);
    if !findings.is_empty() {
        return Err(format!("{findings:?}"));
    }
    program.lift(&LiftOptions::default()).map_err(|e| e.to_string())
}

#[test]
fn examples_are_accepted_and_drawn() {
    assert!(accepted_and_drawn(Isa::Agal) >= 8);
    assert!(accepted_and_drawn(Isa::Nv2a) >= 2);
    assert!(accepted_and_drawn(Isa::Tgsi) >= 2);
}

fn accepted_and_drawn(isa: Isa) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(isa.name());
    let mut folder = Folder { isa, path: path.clone(), read: BTreeSet::new(), vertex: None };
    let files: BTreeSet<String> = std::fs::read_dir(&path)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let mut scenes = 0;
    for name in files.iter().filter(|name| name.ends_with(".scene.json")) {
        let whole = std::fs::read_to_string(path.join(name)).unwrap();
        // A small picture is enough to see that there is something; but viewports are parts of a picture in pixels.
        let mut small: serde_json::Value = serde_json::from_str(&whole).unwrap();
        if small.get("viewports").is_none() {
            small["size"] = serde_json::json!([40, 30]);
        }
        let small = small.to_string();
        let scene =
            Scene::read(small.as_bytes(), &mut folder, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let picture = scene.render(&Interp, Budget::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let colours: BTreeSet<&[u8]> = picture.rgba8.chunks(4).collect();
        assert!(colours.len() > 50, "{name}: only {} colours", colours.len());
        folder.read.insert(name.clone());
        scenes += 1;
    }
    let unread: Vec<_> = files.difference(&folder.read).collect();
    assert!(unread.is_empty(), "no scene reads {unread:?}");
    scenes
}

/// What a complaint lists as known or expected is what the page on the format has to explain.
fn listed(scene: &str) -> Vec<String> {
    let mut folder = Folder { isa: Isa::Agal, path: PathBuf::new(), read: BTreeSet::new(), vertex: None };
    let error = Scene::read(scene.as_bytes(), &mut folder, None).unwrap_err();
    let (_, words) =
        error.message.split_once("known: ").or(error.message.split_once("expected one of ")).unwrap();
    let words = words.split(", ").filter(|w| w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    words.map(str::to_string).collect()
}

#[test]
fn the_page_on_scenes_names_every_word() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md");
    let page = std::fs::read_to_string(page).unwrap();
    let programs = r#""vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"]"#;
    let mut words = Vec::new();
    for scene in [
        // Keys: of the file, a pass, a draw, the camera, a transformation, the stencil test, a sampler, a pattern.
        r#"{"?": 0}"#.to_string(),
        r#"{"passes": [{"?": 0}]}"#.to_string(),
        r#"{"draws": [{"?": 0}]}"#.to_string(),
        r#"{"camera": {"?": 0}}"#.to_string(),
        format!(r#"{{{programs}, "mesh": "cube", "model": [{{"?": 0}}]}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "stencil": {{"?": 0}}}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "samplers": {{"fs0": {{"?": 0}}}}}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "textures": {{"fs0": {{"?": 0}}}}}}"#),
        // Words: shapes, parts of a vertex, values of constants, patterns, factors, comparisons, faces, actions, formats.
        format!(r#"{{{programs}, "mesh": "?"}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "attributes": ["?"]}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "constants": {{"vc0": "?"}}}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "textures": {{"fs0": "?"}}}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "blend": ["?", "?"]}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "depth": "?"}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "cull": "?"}}"#),
        format!(r#"{{{programs}, "mesh": "cube", "stencil": {{"bothPass": "?"}}}}"#),
        format!(r#"{{{programs}, "mesh": {{"layout": ["?"], "vertices": []}}}}"#),
        // The command form.
        r#"{"commands": [], "?": 0}"#.to_string(),
        r#"{"commands": [], "stage": {"?": 0}}"#.to_string(),
        r#"{"commands": [], "stage": {"width": 1, "height": 1}, "view": {"?": 0}}"#.to_string(),
    ] {
        words.extend(listed(&scene));
    }
    for shape in ["quad", "grid", "cube", "sphere", "torus", "knot", "cylinder", "particles"] {
        words.extend(listed(&format!(r#"{{{programs}, "mesh": {{"{shape}": {{"?": 0}}}}}}"#)));
    }
    let commands = page.split("| `cmd` | keys |").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    for (command, _) in commands.lines().filter_map(|l| l.strip_prefix("| `")?.split_once('`')) {
        words.extend(listed(&format!(
            r#"{{"stage": {{"width": 1, "height": 1}}, "programs": {{}},
                "commands": [{{"cmd": "{command}", "?": 0, "index": 0, "first": 0, "stage": "vertex", "sampler": 0}}]}}"#
        )));
    }
    assert!(words.len() > 150, "{}", words.len());
    // As code: `word`, or inside a larger piece of code.
    let code: BTreeSet<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .flat_map(|code| code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
        .collect();
    let missing: BTreeSet<_> = words.iter().filter(|w| !code.contains(w.as_str())).collect();
    assert!(missing.is_empty(), "docs/scene-format.md does not name {missing:?}");
}

#[test]
fn the_catalogue_names_every_scene() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let names = |isa: Isa| {
        let entries = std::fs::read_dir(folder.join(isa.name())).unwrap();
        let files = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> =
            files.filter_map(|f| f.strip_suffix(".scene.json").map(str::to_string)).collect();
        names.sort();
        names
    };
    let names: Vec<String> =
        [Isa::Agal, Isa::D3d9, Isa::Nv2a, Isa::Tgsi].into_iter().flat_map(names).collect();
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_string());
    let listed: Vec<String> = page.lines().filter_map(row).collect();
    assert_eq!(listed, names);
}
