//! The examples: every program passes the rules of the player, every pair fits, every scene gives a picture, and no
//! file lies about unused.

#![cfg(all(feature = "agal", feature = "render"))]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vecasm::diag::{Diagnostic, Severity, Source, render_human};
use vecasm::exec::interp::Interp;
use vecasm::ir::{Shader, Stage};
use vecasm::isa::agal::{self, lift, rules, text};
use vecasm::render::draw::Budget;
use vecasm::render::scene::{Host, Scene};

struct Folder {
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

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let code = std::str::from_utf8(code).map_err(|e| e.to_string())?;
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

#[test]
fn examples_are_accepted_and_drawn() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agal");
    let mut folder = Folder { path: path.clone(), read: BTreeSet::new(), vertex: None };
    let files: BTreeSet<String> = std::fs::read_dir(&path)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let mut scenes = 0;
    for name in files.iter().filter(|name| name.ends_with(".scene.json")) {
        let whole = std::fs::read_to_string(path.join(name)).unwrap();
        // A small picture is enough to see that there is something.
        let mut small: serde_json::Value = serde_json::from_str(&whole).unwrap();
        small["size"] = serde_json::json!([40, 30]);
        let small = small.to_string();
        let scene =
            Scene::read(small.as_bytes(), &mut folder, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let picture = scene.render(&Interp, Budget::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let colours: BTreeSet<&[u8]> = picture.rgba8.chunks(4).collect();
        assert!(colours.len() > 50, "{name}: only {} colours", colours.len());
        folder.read.insert(name.clone());
        scenes += 1;
    }
    assert!(scenes >= 8);
    let unread: Vec<_> = files.difference(&folder.read).collect();
    assert!(unread.is_empty(), "no scene reads {unread:?}");
}
