//! The walk of the languages of text over what a shader shares with the outside.

use super::things::{Array, Buffer, Image, Shared, State, Texture};
use super::{elements, no_input, no_output};
use crate::common::Names;
use crate::naming::{Naming, make_unique};
use crate::options::{ArraySize, Binding, BindingKind, Constant, Space};
use crate::plan::Plan;
use crate::rules::{open_dimension, refused};
use crate::text::{Language, Outside, Params, Spelling, Uses, identifier, lanes_of, renamed, unique};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::{self, Input, Output, ParamArray, Shader, Stage};

/// How a language of text spells what the host binds, and what it keeps for that.
///
/// Methods that declare something bind it, too.
pub(crate) trait Speller<'s>: Sized {
    type Language: Language;
    /// Where something is bound.
    type Place;
    /// Whether members of blocks are names of the module; else each block is a struct with names of its own.
    const HAS_GLOBAL_MEMBERS: bool;
    /// Whether a state value is declared with four lanes, whatever it has.
    const WIDENS_STATES: bool = true;
    /// What stands before "textures" where a message speaks of those that compare.
    const DEPTH: &'static str = "";
    /// Whether names may have two underscores in a row.
    const DOUBLES_UNDERSCORES: bool = false;
    /// Whether words that are changed atomically have a type of their own.
    const HAS_ATOMIC_WORDS: bool = false;
    /// Where no vertex shader writes: the rules by which a buffer and an image are refused that one writes.
    const READS_IN_VERTICES: Option<[&'static Rule; 2]> = None;

    /// The language in its version.
    fn language(&self) -> Self::Language;

    /// Whether constants and states live in blocks. If not, what is read of them is bound one by one.
    fn has_blocks(&self) -> bool {
        true
    }

    /// Where constants live.
    fn space(&self) -> Space {
        Space::Uniform
    }

    /// How many elements of the next array are declared.
    fn elements(&mut self, array: &ParamArray, _read: bool) -> u32 {
        elements(array, ArraySize::Used)
    }

    /// Declares an array of constants. Gives the name of what is bound.
    fn array(walk: &mut Walk<'_, 's, Self>, array: &Array<'s>) -> Result<Cow<'s, str>, Diagnostic>;

    /// Declares the state values. Gives what stands before the name of one.
    fn states(walk: &mut Walk<'_, 's, Self>, states: &[State<'s>]) -> Result<Cow<'s, str>, Diagnostic>;

    /// Whether the language has textures of that shape and type.
    fn has_texture(&self, texture: &ir::Texture) -> bool;

    /// Refuses a texture for something else.
    fn check_texture(_walk: &Walk<'_, 's, Self>, _texture: &ir::Texture) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// As what a texture is bound.
    fn texture_kind(&self, texture: &ir::Texture) -> BindingKind {
        BindingKind::texture(texture)
    }

    /// As what the sampler of a texture is bound.
    fn sampler_kind(texture: &ir::Texture) -> BindingKind {
        BindingKind::sampler(texture, true)
    }

    /// By texture: whether it has a sampler beside it; none has beyond the end.
    fn sampled(_walk: &Walk<'_, 's, Self>) -> Vec<bool> {
        Vec::new()
    }

    /// Whether what is bound is what another texture or sampler wants to be.
    fn serves(there: &BindingKind, wanted: &BindingKind) -> bool {
        there == wanted
    }

    /// Declares a texture, or the sampler of one.
    fn texture(walk: &mut Walk<'_, 's, Self>, texture: &Texture<'s>) -> Result<(), Diagnostic>;

    /// The rule by which buffers are refused where there are none.
    fn lacks_buffers(&self) -> Option<&'static Rule> {
        None
    }

    /// Declares a buffer.
    fn buffer(walk: &mut Walk<'_, 's, Self>, buffer: &Buffer<'s>) -> Result<Memory<'s, Self>, Diagnostic>;

    /// Declares what the workgroup shares, which is zero at first.
    fn shared(walk: &mut Walk<'_, 's, Self>, shared: &Shared<'s>) -> Result<Memory<'s, Self>, Diagnostic>;

    /// Refuses an image, or what is done with it.
    fn check_image(&self, image: &ir::Image, uses: Uses) -> Result<(), Diagnostic>;

    /// Declares an image.
    fn image(walk: &mut Walk<'_, 's, Self>, image: &Image<'s, Self::Language>) -> Result<(), Diagnostic>;
}

/// A memory in the language of a writer.
type Memory<'s, S> = <<S as Speller<'s>>::Language as Language>::Memory;

/// How everything outside is spelt, and the text that declares it.
pub(crate) struct Interface<'s, S: Speller<'s>> {
    pub(crate) outside: Outside<'s>,
    /// By output: the variable.
    pub(crate) cells: Vec<Spelling<'s>>,
    pub(crate) declarations: String,
    pub(crate) bindings: Vec<Binding<S::Place>>,
    pub(crate) constants: Vec<Constant>,
    /// By buffer, and at the end what the workgroup shares.
    pub(crate) memories: Vec<Memory<'s, S>>,
    /// Images that are used.
    pub(crate) images: Vec<Image<'s, S::Language>>,
    pub(crate) writer: S,
}

impl<'s, S: Speller<'s>> Interface<'s, S> {
    pub(crate) fn empty(writer: S) -> Self {
        Self {
            outside: Outside::default(),
            cells: Vec::new(),
            declarations: String::new(),
            bindings: Vec::new(),
            constants: Vec::new(),
            memories: Vec::new(),
            images: Vec::new(),
            writer,
        }
    }
}

/// A walk over a shader, and what it has come to.
pub(crate) struct Walk<'w, 's, S: Speller<'s>> {
    pub(crate) shader: &'s Shader,
    pub(crate) plan: &'w Plan<'w>,
    /// The names of the module.
    pub(crate) names: &'w mut Names,
    pub(crate) naming: Naming<'s>,
    pub(crate) face: Interface<'s, S>,
}

impl<'s, S: Speller<'s>> Walk<'_, 's, S> {
    /// Takes a name of the module.
    pub(crate) fn take(&mut self, wanted: impl Into<Cow<'s, str>>) -> Cow<'s, str> {
        self.names.take(wanted, S::Language::is_word)
    }

    /// Takes a name of the module for a register.
    fn name(&mut self, register: &'s str) -> Cow<'s, str> {
        self.take(identifier(renamed(self.naming.chosen, register)))
    }

    /// Walks the arrays of constants.
    pub(crate) fn add_constants(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        self.face.outside.params.reserve(shader.params.len());
        for (n, (of, read)) in shader.params.iter().zip(plan.params()).enumerate() {
            let elements = self.face.writer.elements(of, *read);
            if !read {
                self.face.outside.params.push(Params::of_array("", elements));
                continue;
            }
            let name = self.name(&of.name);
            let mut parts = self.naming.parts(shader, n, elements, |value| plan.is_live(value));
            let blocks = self.face.writer.has_blocks();
            if S::HAS_GLOBAL_MEMBERS {
                for part in parts.iter_mut().filter(|part| part.read || blocks) {
                    let wanted = core::mem::take(&mut part.name);
                    part.name = self.take(wanted).into_owned();
                }
            } else {
                make_unique(&mut parts, S::Language::is_word);
            }
            let kind = BindingKind::constants(of, elements, self.face.writer.space());
            let array = Array { number: n as u32, of, name, elements, parts, kind };
            let binding = S::array(self, &array)?;
            let Array { name, parts, .. } = array;
            let name = match parts.is_empty() {
                true => name,
                false if S::HAS_GLOBAL_MEMBERS => Cow::Borrowed(""),
                false => Cow::Owned(format!("{name}.")),
            };
            let params = Params { name, size: elements, parts };
            let told = self.face.constants.len();
            params.tell(shader, n, &binding, &mut self.face.constants);
            if !blocks && !params.parts.is_empty() {
                // Each is bound by itself.
                let mut own = self.face.constants.split_off(told);
                own.retain(|constant| {
                    params.parts.iter().any(|part| part.read && part.name == constant.name)
                });
                own.iter_mut().for_each(|constant| constant.binding.clone_from(&constant.name));
                self.face.constants.append(&mut own);
            }
            self.face.outside.params.push(params);
        }
        Ok(())
    }

    /// Walks the state values, if some are read.
    pub(crate) fn add_states(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        if !plan.states().contains(&true) {
            return Ok(());
        }
        let mut states: Vec<State<'s>> = Vec::with_capacity(shader.states.len());
        for (of, read) in shader.states.iter().zip(plan.states()) {
            let wanted = identifier(&of.name);
            let is_word = S::Language::is_word;
            let name = if S::HAS_GLOBAL_MEMBERS {
                self.take(wanted)
            } else {
                unique(wanted, |name| is_word(name) || states.iter().any(|state| state.name == name))
            };
            states.push(State { of, name, read: *read });
        }
        let before = S::states(self, &states)?;
        let spelt = states.iter().map(|State { of, name, .. }| {
            let after = if S::WIDENS_STATES { lanes_of(of.ty) } else { "" };
            [&*before, &**name, after].concat()
        });
        self.face.outside.states = spelt.collect();
        Ok(())
    }

    /// Walks the textures, each with its sampler. What several registers mean is declared once.
    pub(crate) fn add_textures(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        if shader.textures.is_empty() {
            return Ok(());
        }
        let sampled = S::sampled(self);
        let start = self.face.declarations.len();
        self.face.outside.textures.reserve(shader.textures.len());
        for (n, (texture, read)) in shader.textures.iter().zip(plan.textures()).enumerate() {
            if !read {
                self.face.outside.textures.push(Default::default());
                continue;
            }
            self.check_texture(texture)?;
            let wanted = self.naming.texture(shader, texture);
            let kind = self.face.writer.texture_kind(texture);
            let name = self.shared_texture(texture, kind, || wanted.clone())?;
            let sampler = match sampled.get(n) {
                Some(true) => {
                    let stem = if S::DOUBLES_UNDERSCORES { &*wanted } else { wanted.trim_end_matches('_') };
                    let kind = S::sampler_kind(texture);
                    self.shared_texture(texture, kind, || [stem, "_sampler"].concat().into())?
                }
                _ => Cow::Borrowed(""),
            };
            self.face.outside.textures.push((name, sampler));
        }
        self.set_apart(start);
        Ok(())
    }

    /// The name of a texture or sampler, which is declared unless there is one.
    fn shared_texture(
        &mut self,
        of: &'s ir::Texture,
        kind: BindingKind,
        wanted: impl FnOnce() -> Cow<'s, str>,
    ) -> Result<Cow<'s, str>, Diagnostic> {
        let stage = self.shader.stage;
        let mut own = self.face.bindings.iter().filter(|binding| binding.stage == stage);
        if let Some(there) = own.find(|there| S::serves(&there.kind, &kind)) {
            return Ok(Cow::Owned(there.name.clone()));
        }
        let name = self.take(wanted());
        let texture = Texture { of, name, kind };
        S::texture(self, &texture)?;
        Ok(texture.name)
    }

    /// Refuses a texture that has no type, or whose type is not known.
    fn check_texture(&self, texture: &ir::Texture) -> Result<(), Diagnostic> {
        let rule = S::Language::REASONS.texture;
        if !self.face.writer.has_texture(texture) {
            let (title, dim) = (self.face.writer.language().title(), texture.dim.name());
            let depth = if texture.compare { S::DEPTH } else { "" };
            return Err(refused(rule, format!("{title} has no {dim} {depth}textures: {}", texture.name)));
        }
        if texture.dim_by.is_some() {
            return Err(open_dimension(rule, &texture.name));
        }
        S::check_texture(self, texture)
    }

    /// Walks the buffers.
    pub(crate) fn add_buffers(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        for (n, of) in shader.buffers.iter().enumerate() {
            let usage = plan.memories.get(n).copied().unwrap_or_default();
            let write = usage.written || usage.atomic;
            if !usage.read && !write {
                self.face.memories.push(Default::default());
                continue;
            }
            if let Some(rule) = self.face.writer.lacks_buffers() {
                let title = self.face.writer.language().title();
                return Err(refused(rule, format!("{title} has no equivalent of the buffer {}", of.name)));
            }
            self.check_write(write, &of.name, 0)?;
            let name = self.name(&of.name);
            let kind = BindingKind::buffer(of, write, S::HAS_ATOMIC_WORDS && usage.atomic);
            let buffer = Buffer { number: n as u32, name, usage, write, kind };
            let memory = S::buffer(self, &buffer)?;
            self.face.memories.push(memory);
        }
        Ok(())
    }

    /// Walks what the workgroup shares, in a compute shader.
    pub(crate) fn add_shared(&mut self) -> Result<(), Diagnostic> {
        let shader = self.shader;
        if shader.stage != Stage::Compute {
            return Ok(());
        }
        let usage = self.plan.memories.last().copied().unwrap_or_default();
        let memory = if usage.read || usage.written || usage.atomic {
            let name = self.take("shared_words");
            let shared = Shared { name, words: shader.setup.shared / 4, atomic: usage.atomic };
            S::shared(self, &shared)?
        } else {
            Default::default()
        };
        self.face.memories.push(memory);
        Ok(())
    }

    /// Walks the images.
    pub(crate) fn add_images(&mut self) -> Result<(), Diagnostic> {
        let shader = self.shader;
        if shader.images.is_empty() {
            return Ok(());
        }
        let start = self.face.declarations.len();
        for ((n, of), uses) in shader.images.iter().enumerate().zip(Uses::of::<S::Language>(shader)?) {
            if !uses.any() {
                self.face.outside.images.push(String::new());
                continue;
            }
            self.face.writer.check_image(of, uses)?;
            self.check_write(uses.writes(), &of.name, 1)?;
            let name = self.name(&of.name);
            // What is only asked for its size is neither read nor written.
            let kind = BindingKind::image(of, uses.reads(), uses.writes());
            let language = self.face.writer.language();
            let image = Image { number: n as u32, of, name, uses, kind, language };
            S::image(self, &image)?;
            self.face.outside.images.push(image.name.to_string());
            self.face.images.push(image);
            self.face.outside.rereads_images |= uses.load && uses.store;
        }
        self.set_apart(start);
        Ok(())
    }

    /// Refuses a buffer or an image, by the first or the second rule, that a vertex shader writes where none does.
    fn check_write(&self, write: bool, name: &str, rule: usize) -> Result<(), Diagnostic> {
        match S::READS_IN_VERTICES {
            Some(rules) if write && self.shader.stage == Stage::Vertex => {
                Err(refused(rules[rule], format!("a vertex shader writes {name}")))
            }
            _ => Ok(()),
        }
    }

    /// Puts an empty line in front of what was declared since.
    pub(crate) fn set_apart(&mut self, start: usize) {
        if self.face.declarations.len() > start {
            self.face.declarations.insert(start, '\n');
        }
    }
}

/// The finding about an input that a language lacks.
#[cold]
pub(crate) fn lacks_input<L: Language>(language: L, input: &Input) -> Diagnostic {
    refused(L::REASONS.input, format!("{} has {}", language.title(), no_input(input)))
}

/// The finding about an output that a language lacks.
#[cold]
pub(crate) fn lacks_output<L: Language>(language: L, output: &Output) -> Diagnostic {
    refused(L::REASONS.output, format!("{} has {}", language.title(), no_output(output)))
}
