//! Hosts for [scenes](crate::render::scene): what a scene asks for, answered from memory.
//!
//! [`Memory`] is a whole host: files, images and programs by their names. [`Programs`] is the part of it that every host
//! needs that reads files in its own way: programs under names that are no files, and what is computed beside programs.

use crate::diag::Severity;
use crate::exec::texture::Texture;
use crate::ir::{Dim, Shader, Stage};
use crate::isa::Isa;
use crate::isa::any::LiftOptions;
#[cfg(feature = "d3d9")]
use crate::isa::{
    AnyProgram,
    d3d9::preshader::{self, Preshader, run::Switches},
};
use crate::open::{Files, OpenOptions, ReadError, open};
use crate::program::Program;
use crate::render::Picture;
use crate::render::scene::{Element, Host};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// Files of a scene that are in memory, and the meaning of its programs.
///
/// Programs are of any kind that [`open()`](crate::open()) reads, in files or in the scene itself, and are lifted
/// [for pictures](LiftOptions::for_pictures). The constants that they bring are their defaults, a preshader of Direct3D is
/// run before each draw, and a vertex program without a fragment program has the fixed functions of its runtime behind it.
/// `#include` reads the same files.
///
/// Images are decoded by the caller; a mesh or a texture of the scene's own needs none.
///
/// ```
/// # #[cfg(feature = "nv2a")] {
/// use vecasm::exec::lanes::Lanes;
/// use vecasm::render::{draw::Budget, scene::Scene};
/// use vecasm::scenes::Memory;
///
/// // The program brings the colour that it writes; its positions are in pixels.
/// let program = "!!VP1.1\n#const c[4] = 1 0.5 0 1\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], c[4];\nEND\n";
/// let mut host = Memory::default().with_file("flat.vsh", program);
/// let scene = br#"{"size": [8, 8], "vertex": "flat.vsh",
///     "mesh": {"layout": ["float3"], "vertices": [[-1, -1, 0.5], [64, -1, 0.5], [-1, 64, 0.5]]}}"#;
/// let picture = Scene::read(scene, &mut host, None)?.render(&Lanes::default(), Budget::default())?;
/// assert_eq!(picture.rgba8[(4 * 8 + 4) * 4..][..4], [255, 128, 0, 255]);
/// # }
/// # Ok::<(), vecasm::render::RenderError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
    images: BTreeMap<String, Picture>,
    textures: BTreeMap<String, Texture>,
    programs: Programs,
    open: OpenOptions<'static>,
    lift: LiftOptions,
    compiled: Vec<Program>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            files: BTreeMap::new(),
            images: BTreeMap::new(),
            textures: BTreeMap::new(),
            programs: Programs::default(),
            open: OpenOptions::default(),
            lift: LiftOptions::for_pictures(),
            compiled: Vec::new(),
        }
    }
}

impl Memory {
    /// With a file: a program, or what `#include` names.
    #[must_use]
    pub fn with_file(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(name.into(), bytes.into());
        self
    }

    /// With the pixels of an image, which is a texture of one level, too.
    #[must_use]
    pub fn with_image(mut self, name: impl Into<String>, pixels: Picture) -> Self {
        self.images.insert(name.into(), pixels);
        self
    }

    /// With the texels of an image: with levels, faces or slices.
    #[must_use]
    pub fn with_texture(mut self, name: impl Into<String>, texels: Texture) -> Self {
        self.textures.insert(name.into(), texels);
        self
    }

    /// With other options for reading programs. Their name and stage are those that the scene gives.
    #[must_use]
    pub fn with_open(self, open: OpenOptions<'static>) -> Self {
        Self { open, ..self }
    }

    /// With other options for lifting programs.
    #[must_use]
    pub fn with_lift(self, lift: LiftOptions) -> Self {
        Self { lift, ..self }
    }

    /// Whether it has the pixels of an image.
    pub(crate) fn has_image(&self, name: &str) -> bool {
        self.images.contains_key(name)
    }

    /// How it lifts programs.
    pub(crate) const fn lift(&self) -> &LiftOptions {
        &self.lift
    }

    /// The programs that it has by names that are no files.
    pub fn programs(&mut self) -> &mut Programs {
        &mut self.programs
    }

    /// The programs of the scenes that were read, in the order in which they were asked for.
    pub fn compiled(&self) -> &[Program] {
        &self.compiled
    }
}

impl Host for Memory {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if self.programs.has(name) {
            return Ok(name.into());
        }
        self.files.get(name).cloned().ok_or_else(|| format!("no file \"{name}\""))
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        self.images.get(name).cloned().ok_or_else(|| format!("no image \"{name}\""))
    }

    fn texture(&mut self, name: &str) -> Result<Texture, String> {
        if let Some(texels) = self.textures.get(name) {
            return Ok(texels.clone());
        }
        let image = self.image(name)?;
        Texture::from_rgba8(Dim::D2, image.width, image.height, 1, &[&image.rgba8])
            .map_err(|error| format!("{name}: {error}"))
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        if let Some(shader) = self.programs.compile(stage, name, code) {
            self.compiled.extend(self.programs.get(name).cloned());
            return Ok(shader);
        }
        let text = core::str::from_utf8(code).unwrap_or("");
        let declared = Isa::ALL.iter().any(|isa| isa.stage_of_text(text).is_some());
        let options = OpenOptions { name, stage: (!declared).then_some(stage), ..self.open };
        let opened = open(code, &options, &mut Files(&self.files));
        let program = match opened.programs.first() {
            Some(Err(ReadError::Bad(findings))) => {
                let error = findings.iter().find(|finding| finding.severity == Severity::Error);
                let shown = error.or(findings.first()).map(|finding| opened.renderer().short(finding));
                return Err(shown.unwrap_or_default());
            }
            _ => opened.program().map_err(|why| why.to_string())?,
        };
        let shader = program.lift(&self.lift).map_err(|finding| program.renderer().short(&finding))?;
        self.programs.keep(stage, name, &program);
        self.compiled.push(program);
        Ok(shader)
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        Programs::fragment(vertex, textured)
    }

    fn computed(&mut self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        self.programs.computed(stage, name, given)
    }
}

/// Programs that a host has for a scene: those under names that are no files, and what is computed beside programs.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    given: BTreeMap<String, (Option<Program>, Shader)>,
    /// The preshaders of what was compiled, by stage and the name that the scene has for the program.
    #[cfg(feature = "d3d9")]
    preshaders: BTreeMap<(&'static str, String), Preshader>,
    /// How preshaders are run.
    #[cfg(feature = "d3d9")]
    pub switches: Switches,
}

impl Programs {
    /// Lets scenes use a shader by a name, with the program that it was lifted from, if there is one.
    pub fn add(&mut self, name: impl Into<String>, program: Option<Program>, shader: Shader) {
        self.given.insert(name.into(), (program, shader));
    }

    /// Whether a program was [added](Self::add) by this name. [`Host::load`] then returns the name itself, since there is no file.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// The program that was [added](Self::add) by this name; `None` if there is no such name, or a shader alone.
    pub fn get(&self, name: &str) -> Option<&Program> {
        self.given.get(name)?.0.as_ref()
    }

    /// The shader that was [added](Self::add) by this name, if `code` is the name, as [`Host::load`] returned it.
    pub fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Option<Shader> {
        let (program, shader) = self.given.get(name).filter(|_| code == name.as_bytes())?;
        let _ = (program, stage);
        #[cfg(feature = "d3d9")]
        if let Some(found) = program.as_ref().and_then(preshader) {
            self.preshaders.insert((stage.name(), name.into()), found);
        }
        Some(shader.clone())
    }

    /// Keeps what is computed beside a program that the host itself has compiled under a name.
    pub fn keep(&mut self, stage: Stage, name: &str, program: &Program) {
        let _ = (&self, stage, name, program);
        #[cfg(feature = "d3d9")]
        if let Some(found) = preshader(program) {
            self.preshaders.insert((stage.name(), name.into()), found);
        }
    }

    /// What preshaders compute before a draw: see [`Host::computed`].
    ///
    /// # Errors
    ///
    /// Why a preshader cannot be run.
    pub fn computed(&self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        let _ = (self, stage, name, given);
        #[cfg(feature = "d3d9")]
        if let Some(found) = self.preshaders.get(&(stage.name(), name.to_string())) {
            return preshader::computed(found, given, &self.switches).map_err(|finding| finding.to_string());
        }
        Ok(Vec::new())
    }

    /// The fixed functions behind a vertex program of an instruction set that has them: see [`Host::fragment`].
    ///
    /// # Errors
    ///
    /// That the fragment program is missing.
    pub fn fragment(vertex: &Shader, textured: bool) -> Result<Shader, String> {
        let isa = vertex.isa.parse::<Isa>().ok();
        isa.and_then(|isa| isa.default_fragment(vertex, textured))
            .ok_or_else(|| "\"fragment\" is missing".to_string())
    }
}

/// The preshader of a program of Direct3D 9 that has one.
#[cfg(feature = "d3d9")]
fn preshader(program: &Program) -> Option<Preshader> {
    if let AnyProgram::D3d9(program) = program.any() { preshader::of(program).0 } else { None }
}
