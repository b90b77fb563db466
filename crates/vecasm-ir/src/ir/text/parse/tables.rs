//! The lines of the head.

use super::super::literal;
use super::lex::quoted;
use super::op::Bracket;
use super::{Parser, Result_, SEVERAL, Table};
use crate::ir::steps::{Access, Cell, Step};
use crate::ir::{
    Buffer, BufferKind, Compare, Dim, FileRole, Filter, FloatBits, Format, Image, Input, InputId, InputKind,
    Interpolation, LocalArray, LocalId, Location, Mip, Output, OutputId, OutputKind, ParamArray, ParamId,
    Primitive, RegisterFile, SamplerModel, SamplerState, Scalar, Spacing, Stage, State, StateId, Texture,
    Wrap,
};
use alloc::borrow::Cow;
use alloc::collections::btree_map::Entry;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl<'a> Parser<'a> {
    /// The head line and the tables.
    pub(super) fn tables(&mut self) -> Result_<()> {
        if self.c.lines() {
            return self.c.fail("the first line must be `stage isa`, but the text is empty");
        }
        self.shader.stage =
            self.c.named("a stage", |word| Stage::ALL.into_iter().find(|stage| stage.name() == word))?;
        let isa = self.c.a_name()?;
        if !self.given {
            self.shader.isa = Cow::Owned(isa.into_owned());
        } else if self.shader.isa != isa {
            return self.c.fail(format!("the shader is of {}, not `{}`", quoted(&isa), self.shader.isa));
        }
        loop {
            self.c.end()?;
            if self.c.lines() {
                return Ok(());
            }
            match self.c.peek() {
                "files" => self.files()?,
                "registers" => self.registers()?,
                "setup" => self.setup()?,
                "serial" => {
                    self.c.word();
                    self.shader.serial = true;
                }
                "input" => self.input()?,
                "output" => self.output()?,
                "param" => self.param()?,
                "local" => self.local()?,
                "state" => self.state()?,
                "texture" => self.texture()?,
                "buffer" => self.buffer()?,
                "image" => self.image()?,
                "step" => self.step()?,
                _ => return Ok(()),
            }
        }
    }

    fn files(&mut self) -> Result_<()> {
        self.c.word();
        let mut files = Vec::new();
        while let Some(name) = self.c.name()? {
            files.push(Cow::Owned(name.into_owned()));
        }
        if !self.given {
            self.shader.files = files;
        } else if self.shader.files != files {
            return self.c.fail("the register files do not match the instruction set");
        }
        Ok(())
    }

    fn registers(&mut self) -> Result_<()> {
        self.c.word();
        loop {
            let name = Cow::Owned(self.c.a_name()?.into_owned());
            let role = self.c.named("a use of registers", FileRole::named)?;
            let numbered = !self.c.at(',') && !self.c.at_end();
            let count = if numbered { Some(self.c.number()?) } else { None };
            self.shader.registers.push(RegisterFile { name, role, count });
            if !self.c.eat(',') {
                return Ok(());
            }
        }
    }

    fn setup(&mut self) -> Result_<()> {
        self.c.word();
        let mut setup = self.shader.setup;
        while !self.c.at_end() {
            match self.c.peek() {
                "workgroup" => setup.workgroup = self.setting(Self::numbers)?,
                "shared" => setup.shared = self.setting(Self::number)?,
                "vertices-in" => setup.vertices_in = self.setting(Self::number)?,
                "invocations" => setup.invocations = self.setting(Self::number)?,
                "max-vertices" => setup.max_vertices = self.setting(Self::number)?,
                "in" => setup.primitive_in = self.setting(Self::primitive)?,
                "out" => setup.primitive_out = self.setting(Self::primitive)?,
                "spacing" => setup.spacing = self.setting(|p| p.c.named("a spacing", Spacing::named))?,
                "fours" => setup.fours = self.flag(),
                "byte-offsets" => setup.byte_offsets = self.flag(),
                "primitive-limit" => setup.primitive_limit = self.flag(),
                "one-sequence" => setup.one_sequence = self.flag(),
                "clockwise" => setup.clockwise = self.flag(),
                "points" => setup.points = self.flag(),
                "early-tests" => setup.early_tests = self.flag(),
                _ => return self.c.want("a setting of a stage"),
            }
        }
        self.shader.setup = setup;
        Ok(())
    }

    fn number<T: core::str::FromStr>(&mut self) -> Result_<T> {
        self.c.number()
    }

    fn primitive(&mut self) -> Result_<Primitive> {
        self.c.named("a kind of primitive", Primitive::named)
    }

    /// The word and the `=` of a setting, then its value.
    fn setting<T>(&mut self, value: impl FnOnce(&mut Self) -> Result_<T>) -> Result_<T> {
        self.c.word();
        self.c.expect('=')?;
        value(self)
    }

    /// The word of a setting that has no value.
    fn flag(&mut self) -> bool {
        self.c.word();
        true
    }

    /// As many things as the array has, with `,` between.
    fn several<T: Copy + Default, const N: usize>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result_<T>,
    ) -> Result_<[T; N]> {
        let mut list = [T::default(); N];
        for (i, slot) in list.iter_mut().enumerate() {
            if i > 0 {
                self.c.expect(',')?;
            }
            *slot = one(self)?;
        }
        Ok(list)
    }

    fn numbers<T: core::str::FromStr + Copy + Default, const N: usize>(&mut self) -> Result_<[T; N]> {
        self.several(Self::number)
    }

    /// A lane of 32 bits.
    fn lane(&mut self, scalar: Scalar) -> Result_<u32> {
        let scalar = if scalar.is_wide() { Scalar::U32 } else { scalar };
        let word = self.c.literal();
        match literal::read(word, scalar) {
            Some(bits) => Ok(bits as u32),
            None => self.c.fail(format!("{} is not a value of {}", quoted(word), scalar.name())),
        }
    }

    /// The head of a line: `input 3 NAME`. The number is the next one of the table, the name is known from now on.
    fn entry(&mut self, table: Table, next: usize) -> Result_<String> {
        self.numbered(next)?;
        let name = self.c.a_name()?;
        match self.names.entry((table, name.clone())) {
            Entry::Vacant(entry) => {
                entry.insert(next as u32);
            }
            Entry::Occupied(mut entry) => {
                entry.insert(SEVERAL);
            }
        }
        Ok(name.into_owned())
    }

    /// The word of a table and the number of its line.
    fn numbered(&mut self, next: usize) -> Result_<()> {
        self.c.word();
        let number: usize = self.c.number()?;
        if number == next {
            return Ok(());
        }
        self.c.fail(format!("expected number {next}, found {number}"))
    }

    /// `: type`, or f32 if it does not stand here.
    fn scalar(&mut self) -> Result_<Scalar> {
        if self.c.eat(':') { self.c.named("a type of lanes", Scalar::named) } else { Ok(Scalar::F32) }
    }

    /// A word that must stand here.
    fn keyword(&mut self, word: &str) -> Result_<()> {
        if self.c.keyword(word) { Ok(()) } else { self.c.want(&format!("`{word}`")) }
    }

    /// The kind of an input or output: a word and, for some, a number.
    fn kind<T>(&mut self, what: &str, named: impl Fn(&str, Option<u32>) -> Option<T>) -> Result_<T> {
        let word = self.c.peek();
        // The kinds with a number do not exist without one.
        if let Some(kind) = named(word, None) {
            self.c.word();
            return Ok(kind);
        }
        if named(word, Some(0)).is_none() {
            return self.c.want(what);
        }
        self.c.word();
        let number = self.c.number()?;
        match named(word, Some(number)) {
            Some(kind) => Ok(kind),
            None => self.c.want(what),
        }
    }

    fn input(&mut self) -> Result_<()> {
        let name = self.entry(Table::Inputs, self.shader.inputs.len())?;
        let kind = self.kind("a kind of input", InputKind::named)?;
        let mut input = Input::new(name, kind, self.typed()?);
        while !self.c.at_end() {
            let word = self.c.peek();
            if word == "semantic" {
                input.semantic = self.setting(|p| Ok(p.c.a_name()?.into_owned()))?;
            } else if let Some(interpolation) = Interpolation::named(word) {
                self.c.word();
                input.interpolation = interpolation;
            } else {
                input.location = self.c.named("a setting of an input", Location::named)?;
            }
        }
        self.shader.inputs.push(input);
        Ok(())
    }

    fn output(&mut self) -> Result_<()> {
        let name = self.entry(Table::Outputs, self.shader.outputs.len())?;
        let kind = self.kind("a kind of output", OutputKind::named)?;
        let scalar = self.scalar()?;
        let mut output = Output { scalar, ..Output::new(name, kind) };
        while !self.c.at_end() {
            match self.c.peek() {
                "init" => output.init = self.setting(|p| p.several(|p| p.lane(scalar)))?,
                "streams" => output.streams = self.setting(Self::numbers)?,
                "carried" => output.carried = self.flag(),
                "semantic" => output.semantic = self.setting(|p| Ok(p.c.a_name()?.into_owned()))?,
                _ => return self.c.want("a setting of an output"),
            }
        }
        self.shader.outputs.push(output);
        Ok(())
    }

    fn param(&mut self) -> Result_<()> {
        let name = self.entry(Table::Params, self.shader.params.len())?;
        let scalar = self.scalar()?;
        self.keyword("size")?;
        let size = self.c.number()?;
        self.keyword("used")?;
        let used = self.c.number()?;
        let indexed = self.c.keyword("indexed");
        let mut fixed = Vec::new();
        while !self.c.at_end() {
            match self.c.peek() {
                "fixed" => fixed.push(self.setting(|p| {
                    let element = p.c.number()?;
                    p.c.expect(':')?;
                    Ok((element, p.several(|p| p.lane(scalar))?))
                })?),
                _ => return self.c.want("a setting of a parameter array"),
            }
        }
        self.shader.params.push(ParamArray { name, scalar, size, used, indexed, fixed });
        Ok(())
    }

    fn local(&mut self) -> Result_<()> {
        let name = self.entry(Table::Locals, self.shader.locals.len())?;
        let scalar = self.scalar()?;
        self.keyword("size")?;
        let size = self.c.number()?;
        self.shader.locals.push(LocalArray { name, scalar, size });
        Ok(())
    }

    fn state(&mut self) -> Result_<()> {
        let name = self.entry(Table::States, self.shader.states.len())?;
        let ty = self.typed()?;
        let mut default = [0; 4];
        if self.c.keyword("default") {
            self.c.expect('=')?;
            for (i, slot) in default.iter_mut().enumerate() {
                if i > 0 && !self.c.eat(',') {
                    if i < usize::from(ty.lanes) {
                        return self.c.want("`,` and the next lane");
                    }
                    break;
                }
                *slot = self.lane(ty.scalar)?;
            }
        }
        self.shader.states.push(State { name, ty, default });
        Ok(())
    }

    fn slot(&mut self) -> Result_<u32> {
        self.keyword("slot")?;
        self.c.number()
    }

    fn dim(&mut self) -> Result_<Dim> {
        self.c.named("a dimension", Dim::named)
    }

    fn texture(&mut self) -> Result_<()> {
        let name = self.entry(Table::Textures, self.shader.textures.len())?;
        let slot = self.slot()?;
        let mut texture = Texture::new(name, slot, self.dim()?);
        let mut state = None;
        while !self.c.at_end() {
            match self.c.peek() {
                "sampler" => texture.sampler_slot = self.setting(Self::number)?,
                "texels" => {
                    texture.scalar = self.setting(|p| p.c.named("a type of texels", Scalar::named))?;
                }
                "depth" => texture.compare = self.flag(),
                "dim" => {
                    let id = self.setting(|p| {
                        p.keyword("state")?;
                        p.reference(Table::States)
                    })?;
                    texture.dim_by = Some(StateId(id));
                }
                _ => self.sampler(state.get_or_insert(SamplerState::PLAIN), texture.scalar)?,
            }
        }
        texture.sampler = state;
        self.shader.textures.push(texture);
        Ok(())
    }

    /// One setting of a sampler.
    fn sampler(&mut self, state: &mut SamplerState, texels: Scalar) -> Result_<()> {
        let float = |p: &mut Self| p.lane(Scalar::F32).map(FloatBits);
        match self.c.peek() {
            "wrap" => {
                let wrap = |p: &mut Self| p.c.named("a wrap mode", Wrap::named).map(Some);
                if let [Some(u), Some(v), Some(w)] = self.setting(|p| p.several(wrap))? {
                    (state.wrap_u, state.wrap_v, state.wrap_w) = (u, v, w);
                }
            }
            "filter" => {
                let filter = |p: &mut Self| p.c.named("a filter", Filter::named);
                state.mag = self.setting(filter)?;
                state.min = if self.c.eat(',') { filter(self)? } else { state.mag };
            }
            "mip" => state.mip = self.setting(|p| p.c.named("a filter between levels", Mip::named))?,
            "anisotropy" => state.anisotropy = self.setting(Self::number)?,
            "border" => state.border = self.setting(|p| p.several(|p| p.lane(texels)))?,
            "bias" => state.lod_bias = self.setting(float)?,
            "min-lod" => state.min_lod = self.setting(float)?,
            "max-lod" => state.max_lod = self.setting(float)?,
            "compare" => {
                state.compare = Some(self.setting(|p| p.c.named("a comparison", Compare::named))?);
            }
            "model" => {
                let model = |p: &mut Self| p.c.named("a model", SamplerModel::named);
                state.model = self.setting(model)?;
                while self.c.eat(',') {
                    state.model = state.model.and(model(self)?);
                }
            }
            "seamless" => state.seamless = self.flag(),
            _ => return self.c.want("a setting of a texture"),
        }
        Ok(())
    }

    fn buffer(&mut self) -> Result_<()> {
        let name = self.entry(Table::Buffers, self.shader.buffers.len())?;
        let slot = self.slot()?;
        let kind = self.c.named("a kind of buffer", BufferKind::named)?;
        let write = self.c.keyword("write");
        self.shader.buffers.push(Buffer { name, slot, kind, write });
        Ok(())
    }

    fn image(&mut self) -> Result_<()> {
        let name = self.entry(Table::Images, self.shader.images.len())?;
        let slot = self.slot()?;
        let dim = self.dim()?;
        let format = self.c.named("a format", Format::named)?;
        let read = self.c.keyword("read");
        let write = self.c.keyword("write");
        self.shader.images.push(Image { name, slot, dim, format, read, write });
        Ok(())
    }

    fn step(&mut self) -> Result_<()> {
        self.numbered(self.shader.steps.len())?;
        self.keyword("source")?;
        let source = self.c.number()?;
        let part = if self.c.keyword("part") { self.c.number()? } else { 0 };
        self.keyword("reads")?;
        let mut reads = Vec::new();
        while !self.c.keyword("writes") {
            if self.c.at_end() {
                return self.c.want("`writes`");
            }
            reads.push(self.access()?);
        }
        let mut writes = Vec::new();
        while !self.c.at_end() {
            writes.push(self.access()?);
        }
        self.shader.steps.push(Step { source, part, reads, writes });
        Ok(())
    }

    /// `@ft0.xy`, `oc.xyzw`, `fc[2].x`, `vc[+5].w`, `&x[1].xy`, `&x[+1].xy`, `<v0[+2].x`, `>o0[+1].w`, `$fog.x`.
    fn access(&mut self) -> Result_<Access> {
        let sigil = ['@', '&', '<', '>', '$'].into_iter().find(|&sigil| self.c.eat(sigil));
        if sigil == Some('@') {
            return Ok(Access { cell: Cell::Register(self.home()?), mask: self.mask()? });
        }
        let name = self.refer()?;
        let cell = match (sigil, self.bracket()?) {
            (None, Bracket::None) => Cell::Output(OutputId(self.look_up(Table::Outputs, name)?)),
            (None, Bracket::Element(index)) => {
                Cell::Param(ParamId(self.look_up(Table::Params, name)?), index)
            }
            (None, Bracket::Offset(offset)) => {
                Cell::ParamAt(ParamId(self.look_up(Table::Params, name)?), offset)
            }
            (Some('&'), Bracket::Element(index)) => {
                Cell::Local(LocalId(self.look_up(Table::Locals, name)?), index)
            }
            (Some('&'), Bracket::Offset(offset)) => {
                Cell::LocalAt(LocalId(self.look_up(Table::Locals, name)?), offset)
            }
            (Some('<'), Bracket::Offset(offset)) => {
                Cell::InputAt(InputId(self.look_up(Table::Inputs, name)?), offset)
            }
            (Some('>'), Bracket::Offset(offset)) => {
                Cell::OutputAt(OutputId(self.look_up(Table::Outputs, name)?), offset)
            }
            (Some('$'), Bracket::None) => Cell::State(StateId(self.look_up(Table::States, name)?)),
            _ => return self.c.fail("a step accesses no such cell"),
        };
        Ok(Access { cell, mask: self.mask()? })
    }
}
