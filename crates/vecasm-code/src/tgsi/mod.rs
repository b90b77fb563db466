//! Shaders as programs of TGSI.

mod calls;
pub(crate) mod machine;

use crate::code::{Test, What};
use crate::graph::{Interface, ReadKind};
use crate::machine::Machine;
use crate::physical::{IndexRegister, Literals, Operand as Source, Physical, Register, registers};
use crate::refusal::Refusals;
use crate::{Binding, Generated, How, Lowered, Measure, Reason, generate, prepare, rules};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    InputKind, Interpolation, Lod, OutputKind, ParamId, Promise, Rule, Scalar, Shader, Stage, System,
    Texture, VaryingMeaning,
};
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::tgsi::dialect::Dialect;
use vecasm_isa::tgsi::lift::system as system_of;
use vecasm_isa::tgsi::names::{self, File, ImmediateType, PropertyName, ReturnType, Semantic, Target};
use vecasm_isa::tgsi::program::{
    self, Declaration, Dimension, Indirect, Instruction, InterpolationInfo, Op, Operand, Processor, Program,
    SemanticInfo, Token, ViewInfo,
};
use vecasm_isa::tgsi::table::Opcode;
use vecasm_opt::Expand;

/// How programs of TGSI are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Whose words and numbers; that of Mesa 22 if nothing is said.
    pub dialect: Option<Dialect>,
    /// A program whose inputs, outputs, constants, textures and properties are those of the result: the one that the shader was
    /// lifted from.
    pub like: Option<&'a Program>,
    /// The least that is kept of the shader; what is not kept so well is refused.
    pub promise: Option<Promise>,
    /// How many temporary registers there are; 4,096 if nothing is said.
    pub temporaries: Option<u16>,
    /// What is to be as little as it can.
    pub measure: Measure,
    /// Whether it is checked that each register holds what is read; builds for tests do so in any case.
    pub checked: bool,
}

impl<'a> Options<'a> {
    /// Those for a program that takes the place of another one.
    pub fn like(program: &'a Program) -> Self {
        Self { like: Some(program), ..Self::default() }
    }

    /// Whose words and numbers the result has.
    fn dialect(&self) -> Dialect {
        self.dialect.or(self.like.map(|like| like.dialect)).unwrap_or(Dialect::Mesa22)
    }
}

/// Lowers a shader.
///
/// # Errors
///
/// Everything that cannot be said, see [`rules`].
pub fn lower(shader: &Shader, options: &Options<'_>) -> Result<Lowered<Program>, Vec<Reason>> {
    let rule = if zero_wins(shader) { Rule::ZeroWins } else { Rule::Ieee };
    let mut machine = machine::machine(options.dialect(), rule);
    machine.has_calls = options.like.is_some();
    machine.temporaries = options.temporaries.unwrap_or(machine.temporaries);
    lower_on(shader, options, &machine)
}

/// Lowers a shader with the instructions of a machine.
pub(crate) fn lower_on(
    shader: &Shader,
    options: &Options<'_>,
    machine: &Machine,
) -> Result<Lowered<Program>, Vec<Reason>> {
    let dialect = options.dialect();
    let mut refusals = Refusals::new(LOWERING);
    // What only programs of TGSI have is known from the program.
    let processor = match (shader.stage, options.like) {
        (Stage::Vertex, _) => Processor::Vertex,
        (Stage::Fragment, _) => Processor::Fragment,
        (Stage::Geometry, Some(_)) => Processor::Geometry,
        (Stage::TessEval, Some(_)) => Processor::TessEval,
        (Stage::Compute, Some(_)) => Processor::Compute,
        (other, _) => {
            refusals.add(rules::STAGE, &[&LOWERING, &other.name()], None);
            return Err(refusals.list);
        }
    };
    let composites = Expand { composites: true, ..Expand::default() };
    let shader = prepare(&vecasm_opt::expand(shader, composites), machine.loops);
    refusals.least = options.promise.unwrap_or(Promise::Close);
    let how = How { measure: options.measure, checked: options.checked };
    let (interface, generated) = generate(&shader, machine, how, &mut refusals);
    let mut writer = Writer {
        shader: &shader,
        interface: &interface,
        like: options.like,
        refusals,
        binding: Binding::default(),
        inputs: BTreeMap::new(),
        outputs: BTreeMap::new(),
        varyings: Vec::new(),
        lane_numbers: 0,
        scopes: Vec::new(),
        first_scope: 0,
        program: Program::new(dialect, processor, generated.as_ref().map_or(0, |made| made.list.len())),
    };
    writer.look_at_interface();
    let Some(generated) = generated else { return Err(writer.refusals.list) };
    let steps = writer.write(&generated);
    if writer.refusals.list.is_empty() {
        let Refusals { promise, notes, .. } = writer.refusals;
        Ok(Lowered { program: writer.program, binding: writer.binding, steps, promise, notes })
    } else {
        Err(writer.refusals.list)
    }
}

struct Writer<'a> {
    shader: &'a Shader,
    interface: &'a Interface,
    like: Option<&'a Program>,
    refusals: Refusals,
    binding: Binding,
    /// The register of each input and output.
    inputs: BTreeMap<u32, (File, i16)>,
    outputs: BTreeMap<u32, i16>,
    /// The semantics that are taken, and by which input or output of the source.
    varyings: Vec<((File, Semantic, u16), String)>,
    /// The immediate that says which lanes are gathered.
    lane_numbers: i16,
    /// What barriers of memory are about, each an immediate from that number on.
    scopes: Vec<u32>,
    first_scope: i16,
    program: Program,
}

/// What messages call the way to TGSI, which has more than is lowered to.
pub(super) const LOWERING: &str = "lowering to TGSI";

/// Whether products with zero are zero.
fn zero_wins(shader: &Shader) -> bool {
    let mut found = false;
    shader.body.for_each_inst(&mut |inst| found |= inst.arith.rule != Rule::Ieee);
    found
}

/// The number in a name such as `OUT[3]`, and the file.
fn numbered(name: &str) -> Option<(&str, i16)> {
    let (file, rest) = name.split_once('[')?;
    Some((file, rest.strip_suffix(']')?.parse().ok()?))
}

impl Writer<'_> {
    /// Writes everything; gives what each instruction does the work of.
    fn write(&mut self, generated: &Generated) -> Vec<Vec<u32>> {
        let list = &generated.list;
        if self.like.is_none() {
            self.declare_constants(list);
        }
        let [temporaries, addresses] = registers(list);
        for (file, count) in [(File::Temp, temporaries), (File::Addr, addresses)] {
            if let Some(last) = count.checked_sub(1) {
                self.program.tokens.push(Token::Declaration(Declaration::new(file, 0, last)));
            }
        }
        self.immediates(&generated.literals, list);
        let mut steps = Vec::with_capacity(list.len() + 1);
        for physical in list {
            self.instruction(physical);
            steps.push(physical.steps.clone());
        }
        self.program.push_instruction(Instruction::new(Op::Known(Opcode::End)), &[], &[], &[]);
        steps.push(Vec::new());
        self.label();
        steps
    }

    /// Says of conditionals where they go on.
    fn label(&mut self) {
        let labels = self.program.structural_labels();
        let mut n = 0;
        for token in &mut self.program.tokens {
            if let Token::Instruction(instruction) = token {
                let flows = matches!(
                    instruction.op,
                    Op::Known(Opcode::If | Opcode::Uif | Opcode::Else | Opcode::Bgnloop | Opcode::Endloop)
                );
                instruction.label = labels.get(n).copied().flatten().filter(|_| flows);
                n += 1;
            }
        }
    }

    /// Literals: as floats where they are read as such.
    fn immediates(&mut self, literals: &Literals, list: &[Physical]) {
        for (n, register) in literals.registers.iter().enumerate() {
            let read = |source: &&Source| source.register == Register::Literal(n as u32);
            let float = list.iter().any(|physical| {
                let is_float = match physical.what {
                    What::Row(code) => {
                        let row = Opcode::ALL.get(usize::from(code)).map(|op| op.row());
                        row.is_some_and(|row| row.source(0).is_float() || row.result.is_float())
                    }
                    _ => true,
                };
                is_float && physical.sources.iter().any(|source| read(&source))
            });
            // What no float is written as in few digits stays a word.
            let plain = register.iter().all(|bits| {
                let value = f32::from_bits(*bits);
                value == 0.0 || value.is_normal()
            });
            let ty = if float && plain { ImmediateType::Flt32 } else { ImmediateType::Uint32 };
            let mut words = [0; 4];
            words.iter_mut().zip(register).for_each(|(to, from)| *to = *from);
            self.program.push_immediate(ty, &words);
        }
        if self.interface.reads.iter().any(|read| matches!(read.kind, ReadKind::Gather(_))) {
            self.lane_numbers = literals.registers.len() as i16;
            self.program.push_immediate(ImmediateType::Uint32, &[0, 1, 2, 3]);
        }
        let numbers = self.program.immediates().count();
        self.declare_scopes(numbers);
    }

    /// Declarations and properties of another program; its registers keep their numbers.
    fn declare_like(&mut self, like: &Program) {
        for token in &like.tokens {
            match token {
                Token::Declaration(declaration) => {
                    if !matches!(
                        declaration.file,
                        File::Temp | File::TempX | File::Addr | File::Pred | File::ImmX
                    ) {
                        self.program.tokens.push(Token::Declaration(*declaration));
                    }
                }
                Token::Property(property) => {
                    let words = like.words_of(property.words).to_vec();
                    self.program.push_property(property.name, &words);
                }
                Token::Raw(_) => {
                    self.refusals.add(rules::OPERATION, &[&"TGSI", &"words that are no token"], None);
                }
                Token::Immediate(_) | Token::Instruction(_) => {}
            }
        }
        for (n, input) in self.shader.inputs.iter().enumerate() {
            let place = numbered(&input.name).and_then(|(file, number)| {
                Some((
                    if file == "IN" {
                        File::In
                    } else if file == "SV" {
                        File::Sv
                    } else {
                        return None;
                    },
                    number,
                ))
            });
            if let Some(place) = place {
                self.inputs.insert(n as u32, place);
            }
        }
        for (n, output) in self.shader.outputs.iter().enumerate() {
            if let Some(("OUT", number)) = numbered(&output.name) {
                self.outputs.insert(n as u32, number);
            }
        }
        // Registers whose lanes go to several outputs, or to an output of another number, have longer names.
        for (&output, &step) in &self.interface.outputs {
            if !self.outputs.contains_key(&output) {
                let name =
                    self.shader.outputs.get(output as usize).map_or("?", |output| output.name.as_str());
                self.refusals.add(rules::OUTPUT, &[&LOWERING, &name], step);
            }
        }
        // The pipeline's values stand in other lanes, or as other numbers, than in registers.
        for (&input, &step) in &self.interface.inputs {
            if let Some(input) = self.shader.inputs.get(input as usize) {
                let straight = match input.kind {
                    InputKind::System(System::FragCoord) => {
                        let lower = like.property(PropertyName::FsCoordOrigin) == Some(1);
                        let integer = like.property(PropertyName::FsCoordPixelCenter) == Some(1);
                        !lower && !integer
                    }
                    InputKind::System(System::PrimitiveIndex) => true,
                    InputKind::System(_) => input.name.starts_with("SV"),
                    _ => true,
                };
                if !straight || matches!(input.ty.scalar, Scalar::Bool) {
                    self.refusals.add(rules::SYSTEM, &[&LOWERING, &input.kind.name()], step);
                }
            }
        }
    }

    /// Declares what the shader reads and writes but constants, and finds everything of it that TGSI lacks.
    fn look_at_interface(&mut self) {
        let interface = self.interface;
        match self.like {
            Some(like) => self.declare_like(like),
            None => {
                if zero_wins(self.shader) {
                    self.program.push_property(PropertyName::LegacyMathRules, &[1]);
                }
                self.declare_inputs();
                self.declare_outputs();
                let textures: BTreeSet<u32> = interface.reads.iter().map(|read| read.texture.0).collect();
                textures.into_iter().for_each(|texture| self.declare_texture(texture));
            }
        }
        self.look_at_calls();
        for (n, read) in interface.reads.iter().enumerate() {
            self.read_opcode(n as u32, read.step);
            self.target(n as u32, read.step);
        }
    }

    fn declare_constants(&mut self, list: &[Physical]) {
        let mut constants: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut meet = |array: u32, index: u32| {
            constants.entry(array).or_default().insert(index);
        };
        for source in list.iter().flat_map(|physical| &physical.sources) {
            match source.register {
                Register::Param { array, index } => meet(array, index),
                Register::ParamAt { array, by, .. } => {
                    let size = self.shader.params.get(array as usize).map_or(1, |array| array.size);
                    (0..size).for_each(|index| meet(array, index));
                    if let IndexRegister::Param { array, index } = by {
                        meet(array, index);
                    }
                }
                _ => {}
            }
        }
        for (array, indices) in constants {
            let last = indices.last().copied().unwrap_or(0);
            let mut declaration = Declaration::new(File::Const, 0, u16::try_from(last).unwrap_or(u16::MAX));
            declaration.dimension = Some(i16::try_from(array).unwrap_or(0));
            self.program.tokens.push(Token::Declaration(declaration));
            for index in indices {
                let source = self.shader.param_name(ParamId(array), index);
                self.binding.constants.push((format!("CONST[{array}][{index}]"), source));
            }
        }
    }

    fn declare_inputs(&mut self) {
        let (mut next, mut values) = (0i16, 0u16);
        for (&number, &step) in &self.interface.inputs {
            let Some(input) = self.shader.inputs.get(number as usize) else { continue };
            let mut semantic = None;
            let mut interpolation = None;
            let register = match input.kind {
                // The number of an attribute is that of its register.
                InputKind::Attribute { location } => i16::try_from(location).unwrap_or(i16::MAX),
                InputKind::Varying { location } => {
                    let (name, index) =
                        varying(VaryingMeaning::of_input(input.kind, &input.semantic, &input.name), location);
                    self.meet_varying((File::In, name, index), &input.name, step);
                    semantic = Some(SemanticInfo { name, index, streams: [0; 4] });
                    interpolation = Some(interpolated(input.interpolation, input.location));
                    next += 1;
                    next - 1
                }
                InputKind::System(System::FragCoord) => {
                    semantic = Some(SemanticInfo { name: Semantic::Position, index: 0, streams: [0; 4] });
                    interpolation = Some(interpolated(Interpolation::Linear, Default::default()));
                    next += 1;
                    next - 1
                }
                InputKind::System(system) => {
                    let of = Semantic::ALL.iter().find(|semantic| system_of(**semantic) == Some(system));
                    let Some(name) = of.copied() else {
                        self.refusals.add(rules::SYSTEM, &[&LOWERING, &input.kind.name()], step);
                        continue;
                    };
                    let declaration = Declaration::new(File::Sv, values, values);
                    let semantic = Some(SemanticInfo { name, index: 0, streams: [0; 4] });
                    self.program.tokens.push(Token::Declaration(Declaration { semantic, ..declaration }));
                    self.inputs.insert(number, (File::Sv, values as i16));
                    self.binding.inputs.push((format!("SV[{values}]"), input.name.clone()));
                    values += 1;
                    continue;
                }
                other => {
                    self.refusals.add(rules::SYSTEM, &[&LOWERING, &other.name()], step);
                    continue;
                }
            };
            let at = register.unsigned_abs();
            let declaration = Declaration { semantic, interpolation, ..Declaration::new(File::In, at, at) };
            self.program.tokens.push(Token::Declaration(declaration));
            self.inputs.insert(number, (File::In, register));
            self.binding.inputs.push((format!("IN[{register}]"), input.name.clone()));
        }
    }

    fn declare_outputs(&mut self) {
        for (n, (&number, &step)) in self.interface.outputs.iter().enumerate() {
            let Some(output) = self.shader.outputs.get(number as usize) else { continue };
            let fragment = self.shader.stage == Stage::Fragment;
            let (name, index) = match output.kind {
                OutputKind::Position => (Semantic::Position, 0),
                OutputKind::Depth => (Semantic::Position, 0),
                OutputKind::Color { target } if fragment => (Semantic::Color, target as u16),
                OutputKind::PointSize => (Semantic::Psize, 0),
                OutputKind::Stencil => (Semantic::Stencil, 0),
                OutputKind::SampleMask => (Semantic::Samplemask, 0),
                OutputKind::EdgeFlag => (Semantic::Edgeflag, 0),
                OutputKind::ClipVertex => (Semantic::Clipvertex, 0),
                OutputKind::ClipDistance { index } => (Semantic::Clipdist, index as u16),
                OutputKind::Layer => (Semantic::Layer, 0),
                OutputKind::ViewportIndex => (Semantic::ViewportIndex, 0),
                OutputKind::Fog => (Semantic::Fog, 0),
                OutputKind::Varying { location } => {
                    varying(VaryingMeaning::of_output(output.kind, &output.semantic, &output.name), location)
                }
                other => {
                    self.refusals.add(rules::OUTPUT, &[&LOWERING, &other.name()], step);
                    continue;
                }
            };
            self.meet_varying((File::Out, name, index), &output.name, step);
            let mut declaration = Declaration::new(File::Out, n as u16, n as u16);
            declaration.semantic = Some(SemanticInfo { name, index, streams: [0; 4] });
            self.program.tokens.push(Token::Declaration(declaration));
            self.outputs.insert(number, n as i16);
            self.binding.outputs.push((format!("OUT[{n}]"), output.name.clone()));
        }
    }

    /// Refuses a second register of one semantic, where the source has two.
    fn meet_varying(&mut self, place: (File, Semantic, u16), name: &str, step: u32) {
        match self.varyings.iter().find(|(known, _)| *known == place) {
            Some((_, other)) => {
                let (_, semantic, index) = place;
                let of = format!("{}[{index}]", semantic.name().unwrap_or("?"));
                self.refusals.add(rules::VARYING, &[other, &name, &of], step);
            }
            None => self.varyings.push((place, name.into())),
        }
    }

    fn declare_texture(&mut self, number: u32) {
        let Some(texture) = self.shader.textures.get(number as usize) else { return };
        let slot = texture.slot as u16;
        self.binding.samplers.push((format!("SAMP[{slot}]"), texture.name.clone()));
        let is_declared = |token: &Token| match token {
            Token::Declaration(declaration) => declaration.file == File::Samp && declaration.first == slot,
            _ => false,
        };
        if self.program.tokens.iter().any(is_declared) {
            return;
        }
        self.program.tokens.push(Token::Declaration(Declaration::new(File::Samp, slot, slot)));
        let Some(target) = target_of(texture) else { return };
        let returns = match texture.scalar {
            Scalar::I32 => ReturnType::Sint,
            Scalar::U32 => ReturnType::Uint,
            _ => ReturnType::Float,
        };
        let view = ViewInfo { target, returns: [returns; 4] };
        let declaration = Declaration { view: Some(view), ..Declaration::new(File::Sview, slot, slot) };
        self.program.tokens.push(Token::Declaration(declaration));
    }

    fn instruction(&mut self, physical: &Physical) {
        let step = physical.steps.first().copied().unwrap_or(0);
        if let What::Call(number) = physical.what {
            self.call(number, physical);
            return;
        }
        let op = match physical.what {
            What::Row(code) => Opcode::ALL.get(usize::from(code)).copied().unwrap_or(Opcode::Nop),
            What::Copy | What::Call(_) => Opcode::Mov,
            What::Read(number) => self.read_opcode(number, step),
            What::ReadProjected(_) => Opcode::Txp,
            What::Index => Opcode::Uarl,
            What::If(Test::Float) => Opcode::If,
            What::If(_) => Opcode::Uif,
            What::Else => Opcode::Else,
            What::EndIf => Opcode::Endif,
            What::Loop(_) => Opcode::Bgnloop,
            What::EndLoop => Opcode::Endloop,
            What::Break => Opcode::Brk,
            What::Continue => Opcode::Cont,
            What::Discard => Opcode::KillIf,
        };
        let mut instruction = Instruction::new(Op::Known(op));
        instruction.saturate = u8::from(physical.saturate);
        instruction.precise = physical.precise;
        let mut destinations = Vec::new();
        if let Some((register, mask)) = physical.destination {
            destinations.push(self.destination(register, mask));
        }
        let mut sources: Vec<Operand> = Vec::new();
        for source in &physical.sources {
            let operand = self.source(source, step);
            sources.push(operand);
        }
        let mut offsets: Vec<Operand> = Vec::new();
        if let What::Read(number) | What::ReadProjected(number) = physical.what {
            let Some((slot, target)) = self.target(number, step) else { return };
            let read = self.interface.reads.get(number as usize);
            if read.is_some_and(|read| !read.offset.is_empty()) {
                // Tokens of offsets name no buffer: it is the first.
                let buffer = sources.last().and_then(|offset| offset.dimension).map_or(0, |of| of.index);
                if buffer != 0 {
                    self.refusals.add(rules::TEXTURE, &[&LOWERING, &"offsets in another buffer"], step);
                }
                // An offset has three lanes; text has no fourth, and is read with its own.
                offsets.extend(sources.pop().map(|mut offset| {
                    let [x, y, z, _] = offset.swizzle.lanes();
                    offset.swizzle = Swizzle::new(x, y, z, 3);
                    offset.dimension = None;
                    offset
                }));
            }
            if let Some(ReadKind::Gather(component)) = read.map(|read| read.kind) {
                if sources.len() < 2 {
                    sources.push(self.component(component));
                }
            }
            sources.push(Operand::new(File::Samp, slot));
            instruction.texture = Some(program::Texture { target, returns: ReturnType::UNSAID });
        }
        self.program.push_instruction(instruction, &destinations, &sources, &offsets);
    }

    /// The sampler of a read, and the target of its texture.
    fn target(&mut self, number: u32, step: u32) -> Option<(i16, Target)> {
        let read = self.interface.reads.get(number as usize)?;
        let texture = self.shader.textures.get(read.texture.index())?;
        let target = target_of(texture);
        if target.is_none() {
            self.refusals.add(rules::TEXTURE, &[&LOWERING, &texture.dim.name()], step);
        }
        Some((texture.slot as i16, target?))
    }

    fn read_opcode(&mut self, number: u32, step: u32) -> Opcode {
        let Some(read) = self.interface.reads.get(number as usize) else { return Opcode::Tex };
        match read.kind {
            ReadKind::Fetch => return Opcode::Txf,
            ReadKind::Size => return Opcode::Txq,
            ReadKind::Gather(_) => return Opcode::Tg4,
            ReadKind::Sample => {}
        }
        // Where the coordinates leave no room there is a second vector.
        let coordinates = read.coordinates.len();
        let used = if read.reference.is_some() { coordinates.max(2) + 1 } else { coordinates };
        let beside = match read.lod {
            Lod::Bias | Lod::Level => used > 3,
            _ => used > 4,
        };
        if matches!(read.lod, Lod::Gradient) && read.coordinates.len() > 3 && read.reference.is_some() {
            self.refusals.add(rules::TEXTURE, &[&LOWERING, &"four coordinates"], step);
        }
        match read.lod {
            Lod::Implicit { .. } if beside => Opcode::Tex2,
            Lod::Bias if beside => Opcode::Txb2,
            Lod::Level if beside => Opcode::Txl2,
            Lod::Implicit { .. } => Opcode::Tex,
            Lod::Bias => Opcode::Txb,
            Lod::Level => Opcode::Txl,
            Lod::Gradient => Opcode::Txd,
        }
    }

    /// The number of a lane that is gathered, as an immediate.
    fn component(&self, number: u8) -> Operand {
        let swizzle = Swizzle::splat(number & 3);
        Operand { swizzle, ..Operand::new(File::Imm, self.lane_numbers) }
    }

    fn destination(&self, register: Register, mask: WriteMask) -> Operand {
        let (file, index) = match register {
            Register::Output(output) => (File::Out, self.outputs.get(&output).copied().unwrap_or(i16::MAX)),
            Register::Address(number) => (File::Addr, number as i16),
            Register::Temporary(number) => (File::Temp, number as i16),
            _ => (File::Null, 0),
        };
        Operand { mask, ..Operand::new(file, index) }
    }

    fn source(&mut self, source: &Source, step: u32) -> Operand {
        let mut operand = match source.register {
            Register::Temporary(number) => Operand::new(File::Temp, number as i16),
            Register::Address(number) => Operand::new(File::Addr, number as i16),
            Register::Input(input) => self.input(input, step),
            Register::Vertex { input, vertex } => {
                let dimension = Some(Dimension { index: vertex as i16, indirect: None });
                Operand { dimension, ..self.input(input, step) }
            }
            Register::Output(output) => {
                Operand::new(File::Out, self.outputs.get(&output).copied().unwrap_or(i16::MAX))
            }
            Register::Param { array, index } => {
                self.constant(array, i32::try_from(index).unwrap_or(i32::MAX), step)
            }
            Register::ParamAt { array, offset, by, lane } => {
                let mut operand = self.constant(array, offset, step);
                let (file, index) = match by {
                    IndexRegister::Address(number) => (File::Addr, number as i16),
                    IndexRegister::Temporary(number) => (File::Temp, number as i16),
                    IndexRegister::Input(_) | IndexRegister::Param { .. } => {
                        self.refusals.add(
                            rules::INDEXED,
                            &[&"TGSI", &"constants by something that is no address"],
                            step,
                        );
                        (File::Addr, 0)
                    }
                };
                operand.indirect = Some(Indirect { file, index, component: lane, array: 0 });
                operand
            }
            Register::Literal(number) => Operand::new(File::Imm, number as i16),
        };
        operand.swizzle = source.swizzle;
        operand.negate = source.negate;
        operand.absolute = source.absolute;
        operand
    }

    fn input(&mut self, number: u32, step: u32) -> Operand {
        match self.inputs.get(&number) {
            Some(&(file, index)) => Operand::new(file, index),
            None => {
                let name = self.shader.inputs.get(number as usize).map_or("input", |input| input.kind.name());
                self.refusals.add(rules::SYSTEM, &[&LOWERING, &name], step);
                Operand::new(File::In, 0)
            }
        }
    }

    fn constant(&mut self, array: u32, index: i32, step: u32) -> Operand {
        let Ok(index) = i16::try_from(index) else {
            self.refusals.add(rules::CONSTANTS, &[&index, &"TGSI", &4096], step);
            return Operand::new(File::Const, 0);
        };
        let mut operand = Operand::new(File::Const, index);
        let dimension = match self.like {
            None => Some(array as i16),
            Some(like) => {
                let name = self.shader.params.get(array as usize).map_or("", |array| array.name.as_str());
                let buffer = numbered(name).map(|(_, number)| number);
                // As the program says it.
                let said = like
                    .instructions()
                    .flat_map(|i| like.sources(i))
                    .any(|operand| operand.file == File::Const && operand.dimension.is_some());
                buffer.or_else(|| said.then_some(0))
            }
        };
        operand.dimension = dimension.map(|index| Dimension { index, indirect: None });
        operand
    }
}

/// The semantic of a varying: that of its source where TGSI has such a one, else GENERIC.
fn varying(meaning: Option<VaryingMeaning>, location: u32) -> (Semantic, u16) {
    match meaning {
        Some(VaryingMeaning::Color(number)) => (Semantic::Color, number as u16),
        Some(VaryingMeaning::BackColor(number)) => (Semantic::Bcolor, number as u16),
        Some(VaryingMeaning::Coordinates(number)) => (Semantic::Generic, number as u16),
        Some(VaryingMeaning::Fog) => (Semantic::Fog, 0),
        Some(VaryingMeaning::PointSize) => (Semantic::Psize, 0),
        // Behind all coordinates that have a number.
        None => (Semantic::Generic, (location as u16).saturating_add(FIRST_UNNAMED)),
    }
}

/// The first generic number of varyings with words of their own, such as normals of shader model 3.
const FIRST_UNNAMED: u16 = 16;

const fn interpolated(how: Interpolation, place: vecasm_ir::ir::Location) -> InterpolationInfo {
    let mode = match how {
        Interpolation::Perspective => names::Interpolation::Perspective,
        Interpolation::Linear => names::Interpolation::Linear,
        Interpolation::Flat => names::Interpolation::Constant,
        Interpolation::Color => names::Interpolation::Color,
    };
    let location = match place {
        vecasm_ir::ir::Location::Center => names::Location::Center,
        vecasm_ir::ir::Location::Centroid => names::Location::Centroid,
        vecasm_ir::ir::Location::Sample => names::Location::Sample,
    };
    InterpolationInfo { mode, location, cylindrical: 0 }
}

/// The target of a texture.
fn target_of(texture: &Texture) -> Option<Target> {
    if texture.dim_by.is_some() || texture.slot != texture.sampler_slot {
        return None;
    }
    let is_its = |target: &&Target| {
        target.dim() == Some(texture.dim) && target.is_shadow() == texture.compare && target.name().is_some()
    };
    Target::ALL.iter().find(is_its).copied()
}
