//! Drawing scenes: their files and their programs.

use crate::args::ReadingArgs;
use crate::io::{self, Input};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::pictures::files;
pub(crate) use crate::pictures::png::write as png;
use crate::report::Ctx;
use crate::repro::{Flags, Repro};
use crate::{Failure, Outcome, programs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vecasm::diag::{Diagnostic, Source};
use vecasm::exec::texture::Texture;
use vecasm::guess::{Guess, NoScene, Options, Part, Parts};
use vecasm::ir::{Shader, Stage};
use vecasm::isa::Isa;
use vecasm::open::AssumedNotation;
use vecasm::render::draw::Budget;
use vecasm::render::scene::{Element, Host, Scene};
use vecasm::render::{Picture, RenderError};
use vecasm::scenes::Programs;
use vecasm_engines::{Choice, Threads};

/// Gives a scene the files beside it and the meaning of its programs.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    reading: ReadingArgs,
    pub(crate) lifting: LiftArgs,
    /// What programs mean that are not files, and what is computed beside all.
    pub(crate) programs: Programs,
    /// Where those that are not files come from, by the names that the scene has for them.
    given: BTreeMap<String, Loaded>,
    /// Files that are in memory, by name; if there are any, no others are read.
    memory: Option<BTreeMap<String, Vec<u8>>>,
    /// Files that were read, by the names that the scene has for them.
    pub(crate) loaded: BTreeMap<String, Vec<u8>>,
    /// The programs that were compiled, in order.
    pub(crate) compiled: Vec<Loaded>,
    /// A program that is bad, and why.
    bad: Option<(Input, Vec<Diagnostic>)>,
}

impl Files {
    /// Names in the scene are relative to `folder`.
    pub(crate) fn new(folder: &Path, reading: ReadingArgs, lifting: LiftArgs) -> Self {
        Self {
            folder: folder.to_path_buf(),
            reading,
            lifting,
            programs: Programs::default(),
            given: BTreeMap::new(),
            memory: None,
            loaded: BTreeMap::new(),
            compiled: Vec::new(),
            bad: None,
        }
    }

    /// The files of a repro file, and no others.
    pub(crate) fn packed(repro: &Repro) -> Self {
        let Flags { mut reading, lifting } = Flags::of(repro);
        reading.including.packed = Some(Arc::new(repro.files.clone()));
        Self { memory: Some(repro.files.clone()), ..Self::new(Path::new(""), reading, lifting) }
    }

    /// Lets the scene use a program under a name.
    pub(crate) fn add_program(&mut self, name: &str, loaded: Loaded, shader: Shader) {
        self.programs.add(name, Some(loaded.program.clone()), shader);
        self.given.insert(name.into(), loaded);
    }

    /// Guesses a scene for programs that were lifted for pictures, and lets it use them.
    pub(crate) fn guess(&mut self, programs: &[(Loaded, Shader)], wish: &Options) -> Result<Guess, NoScene> {
        let part = |(loaded, shader): &(Loaded, Shader)| {
            let name = scene_name(&loaded.input);
            let bare = loaded.program.lift(&self.lifting.options(Purpose::Run)).ok();
            Part::new(name, loaded.program.clone(), shader.clone(), bare.as_ref())
        };
        let parts = Parts::new(programs.iter().map(part))?;
        let guess = parts.scene(wish, self, &Choice::default())?;
        for (stage, name) in parts.names() {
            let given = programs.iter().find(|(_, shader)| shader.stage == stage);
            if let Some((loaded, shader)) = given {
                self.add_program(name, loaded.clone(), shader.clone());
            }
        }
        Ok(guess)
    }

    /// Lifts a program for a picture.
    fn lift(&mut self, loaded: Loaded) -> Result<Shader, String> {
        match loaded.program.lift(&self.lifting.of(loaded.program.isa()).options(Purpose::Picture)) {
            Ok(shader) => {
                self.compiled.push(loaded);
                Ok(shader)
            }
            Err(finding) => {
                let mut findings = [finding];
                loaded.place(&mut findings);
                let [finding] = findings;
                let why = finding.to_string();
                self.bad = Some((loaded.input, vec![finding]));
                Err(why)
            }
        }
    }

    /// Fails if a flag says nothing about any of the programs.
    pub(crate) fn heeded(&self) -> Result<(), String> {
        let isas: BTreeSet<&str> = self.compiled.iter().map(|loaded| loaded.program.isa().name()).collect();
        let isas: Vec<Isa> = isas.into_iter().filter_map(|name| name.parse().ok()).collect();
        // What a repro file says is none of the command line.
        let asked = self.memory.is_none() && !isas.is_empty();
        self.lifting.unheeded(&isas).filter(|_| asked).map_or(Ok(()), Err)
    }

    /// Reports the findings of a bad program, if there is one.
    pub(crate) fn report(&mut self, ctx: &Ctx) -> bool {
        let Some((input, findings)) = self.bad.take() else { return false };
        let text = std::str::from_utf8(input.bytes()).ok();
        ctx.report(&findings, Source { name: input.name.raw(), text });
        true
    }
}

impl Host for Files {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if self.programs.has(name) {
            return Ok(name.into());
        }
        if let Some(memory) = &self.memory {
            return memory
                .get(name)
                .cloned()
                .ok_or_else(|| format!("the repro file does not contain \"{name}\""));
        }
        let input = io::read(&self.folder.join(name)).map_err(|failure| failure.to_string())?;
        if input.asked.is_some() {
            let reading = ReadingArgs::default();
            let one = programs::one(input, &reading).map_err(|failure| failure.to_string())?;
            let read =
                load::read(one, &reading, AssumedNotation::Text).map_err(|failure| failure.to_string())?;
            let Ok(loaded) = read else { return Err(format!("{name}: cannot be read")) };
            let bytes = loaded.program.encode();
            self.loaded.insert(name.into(), bytes.clone());
            return Ok(bytes);
        }
        self.loaded.insert(name.into(), input.bytes().to_vec());
        Ok(input.bytes().to_vec())
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        let bytes = self.load(name)?;
        files::image(&bytes).map_err(|error| format!("{name}: {error}"))
    }

    fn texture(&mut self, name: &str) -> Result<Texture, String> {
        let bytes = self.load(name)?;
        files::read(&bytes).map_err(|error| format!("{name}: {error}"))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        Programs::fragment(vertex, textured)
    }

    fn computed(&mut self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        self.programs.computed(stage, name, given)
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        if let Some(shader) = self.programs.compile(stage, name, code) {
            self.compiled.extend(self.given.get(name).cloned());
            return Ok(shader);
        }
        let input = Input::new(name, None, code.to_vec());
        let text = std::str::from_utf8(code).unwrap_or("");
        let declared = Isa::ALL.iter().any(|isa| isa.stage_of_text(text).is_some());
        let mut reading = self.reading.clone();
        reading.open.stage = (!declared).then_some(stage);
        if reading.including.packed.is_none() {
            reading.including.folder = Some(self.folder.clone());
        }
        let read = load::read(input, &reading, AssumedNotation::Text)
            .map_err(|_| format!("{name}: cannot be read"))?;
        match read {
            Ok(loaded) => {
                self.programs.keep(stage, name, &loaded.program);
                self.lift(loaded)
            }
            Err((input, findings)) => {
                let why = findings.first().map_or_else(String::new, ToString::to_string);
                self.bad = Some((input, findings));
                Err(why)
            }
        }
    }
}

/// What a scene calls a program: its file beside the scene, with the address of one in a container.
fn scene_name(input: &Input) -> String {
    let file = input.file_name("shader").to_string_lossy().into_owned();
    let piece = input.piece().and_then(|piece| Some(format!("{file}::{}", piece.address()?)));
    // A text with a line feed would be the program itself.
    piece.unwrap_or(file).replace(['\n', '\r'], "_")
}

/// Threads that draw: as many as `--threads` says.
pub(crate) fn threads(count: Option<u16>) -> Outcome<Threads> {
    let own = count.map(Threads::new).transpose();
    own.map(Option::unwrap_or_default).map_err(|error| Failure::usage(format!("--threads: {error}")))
}

/// Draws a scene.
pub(crate) fn draw(scene: &[u8], files: &mut Files, time: Option<f32>) -> Result<Picture, RenderError> {
    Scene::read(scene, files, time)?.render(&Choice::default(), Budget::default())
}
