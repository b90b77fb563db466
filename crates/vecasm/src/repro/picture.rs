//! The picture of a scene in a repro file.

use super::check::{Difference, nothing};
use super::{Action, Draw, Expected, Repro, ReproError};
use crate::exec::Engine;
use crate::exec::texture::Texture;
use crate::ir::{Shader, Stage};
use crate::isa::any::LiftOptions;
use crate::options::Reading;
use crate::render::Picture;
use crate::render::draw::Budget;
use crate::render::scene::{Element, Host, Scene};
use crate::scenes::Memory;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// What decodes the pictures of a repro file: PNG for what should come out, and what its scene names.
type Decode<'d> = dyn FnMut(&[u8]) -> Result<Picture, String> + 'd;

impl Repro {
    /// The files of its scene, and what its programs mean. Pictures are [added](Memory::with_image) by the caller, who decodes them.
    ///
    /// # Errors
    ///
    /// If the flags do not fit together.
    pub fn host(&self) -> Result<Memory, ReproError> {
        let flags = |error| ReproError::new("$.flags", format!("--{error}"));
        let reading = self.flags.reading.apply(Reading::default()).map_err(flags)?;
        let lift = self.flags.lifting.apply(LiftOptions::for_pictures()).map_err(flags)?;
        let files = self.files.iter();
        let host = Memory::default().with_open(reading.open).with_lift(lift);
        Ok(files.fold(host, |host, (name, bytes)| host.with_file(name.clone(), bytes.clone())))
    }

    /// Draws its scene with what a host has: [its own](Self::host), or another one.
    ///
    /// # Errors
    ///
    /// What is wrong with the scene, with its place there; also if a program is run and no scene is drawn.
    pub fn draw(&self, host: &mut dyn Host, engine: &dyn Engine) -> Result<Picture, ReproError> {
        let draw = self.draw_action()?;
        let scene = Scene::read(draw.scene.as_bytes(), host, draw.time.map(|time| time as f32));
        let picture = scene.and_then(|scene| scene.render(engine, Budget::default()));
        // Places in the scene begin with `$`.
        let path = |path: &str| format!("$.scene{}", path.strip_prefix('$').unwrap_or(path));
        picture.map_err(|error| ReproError::new(path(&error.path), error.message))
    }

    /// Draws its scene and compares the picture with the one that should come out; `None` if nothing is further off than is allowed.
    /// `decode` gives the pixels of that one, a PNG, and of the pictures that the scene names.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw), and if the file does not say what should come out, or that cannot be decoded.
    pub fn check_picture(
        &self,
        engine: &dyn Engine,
        decode: &mut Decode<'_>,
    ) -> Result<Option<Difference>, ReproError> {
        let expected = self.draw_action()?.expected()?;
        let wanted = decode(&expected.png).map_err(|why| ReproError::new("$.expected.png", why))?;
        let mut host = Decoding { memory: self.host()?, files: &self.files, decode };
        let given = self.draw(&mut host, engine)?;
        Ok(expected.compare(&wanted, &given))
    }

    fn draw_action(&self) -> Result<&Draw, ReproError> {
        match &self.action {
            Action::Draw(draw) => Ok(draw),
            Action::Run(_) => Err(ReproError::new("$", "contains a program, and no scene to draw")),
        }
    }
}

impl Draw {
    /// The picture that should come out.
    ///
    /// # Errors
    ///
    /// If the file does not say what should.
    pub fn expected(&self) -> Result<&Expected, ReproError> {
        self.expected.as_ref().ok_or_else(nothing)
    }
}

impl Expected {
    /// Compares a picture with the pixels of the one that should come out; `None` if no channel is further off than is allowed.
    pub fn compare(&self, pixels: &Picture, given: &Picture) -> Option<Difference> {
        let differ = |message| Some(Difference { path: String::new(), message });
        if (given.width, given.height) != (pixels.width, pixels.height) {
            return differ(format!(
                "the picture has {} x {} pixels, expected {} x {}",
                given.width, given.height, pixels.width, pixels.height
            ));
        }
        let apart = given.rgba8.iter().zip(&pixels.rgba8).map(|(a, b)| a.abs_diff(*b));
        let worst = apart.enumerate().max_by_key(|(at, apart)| (*apart, Reverse(*at)));
        let (at, apart) = worst.filter(|(_, apart)| *apart > self.max)?;
        let (pixel, width) = (at / 4, given.width.max(1) as usize);
        let (x, y) = (pixel % width, pixel / width);
        differ(format!("a channel at {x},{y} is {apart} of 255 off; {} is allowed", self.max))
    }
}

/// Decodes pictures when the scene asks for them, each once.
struct Decoding<'a, 'd> {
    memory: Memory,
    files: &'a BTreeMap<String, Vec<u8>>,
    decode: &'a mut Decode<'d>,
}

impl Decoding<'_, '_> {
    /// Has the picture of a name decoded, if it is there.
    fn decode(&mut self, name: &str) -> Result<(), String> {
        if let Some(bytes) = self.files.get(name).filter(|_| !self.memory.has_image(name)) {
            let picture = (self.decode)(bytes).map_err(|why| format!("{name}: {why}"))?;
            self.memory = core::mem::take(&mut self.memory).with_image(name, picture);
        }
        Ok(())
    }
}

impl Host for Decoding<'_, '_> {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.memory.load(name)
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        self.decode(name)?;
        self.memory.image(name)
    }

    fn texture(&mut self, name: &str) -> Result<Texture, String> {
        self.decode(name)?;
        self.memory.texture(name)
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        self.memory.compile(stage, name, code)
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        self.memory.fragment(vertex, textured)
    }

    fn computed(&mut self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        self.memory.computed(stage, name, given)
    }
}
