//! Shaders as programs of AGAL.

pub(crate) mod machine;

use crate::code::{Test, What};
use crate::constants::{self, LiteralPlace, NoRoom};
use crate::graph::Interface;
use crate::machine::Machine;
use crate::physical::{IndexRegister, Literals, Operand, Physical, Register};
use crate::refusal::Refusals;
use crate::{Generated, How, Lowered, Measure, Reason, generate, rules};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{self, Dim, Filter, InputKind, Mip, OutputKind, Promise, Shader, System, Texture, Wrap};
use vecasm_isa::agal::program::{Dest, Program, RegType, Sampler, Source, Stage, Token};
use vecasm_isa::agal::table::Opcode;

/// How programs of AGAL are made.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The version of the language, 1 to 4; `None` for the first of 1 to 3 that has room for the program.
    pub version: Option<u32>,
    /// At most so many temporary registers; `None` for all of the version.
    pub temporaries: Option<u16>,
    /// The options of samplers, by their numbers; others have those that the shader says, or leave them to the runtime.
    pub samplers: BTreeMap<u16, Sampler>,
    /// The locations of the varyings of a pair, see [`varyings_of_pair`](crate::varyings_of_pair); empty for those of the shader alone.
    pub varyings: Vec<u32>,
    /// The least that is kept of the shader; what is not kept so well is refused.
    pub promise: Option<Promise>,
    /// What is to be as little as it can.
    pub measure: Measure,
    /// Whether it is checked that each register holds what is read; builds for tests do so in any case.
    pub checked: bool,
}

impl Options {
    /// Those for a program that takes the place of another one: of its version, with its samplers.
    pub fn like(program: &Program) -> Self {
        let version = program.version();
        let reads = program.tokens.iter().filter(|token| {
            token.operation(version).is_some_and(|op| matches!(op, Opcode::Tex | Opcode::Tld))
        });
        let samplers = reads.map(|token| token.src2.sampler()).map(|sampler| (sampler.number(), sampler));
        Self { version: Some(version), samplers: samplers.collect(), ..Self::default() }
    }
}

/// Most tokens of a program, by version.
const MOST_TOKENS: [usize; 3] = [200, 1024, 2048];

/// Lowers a shader.
///
/// # Errors
///
/// Everything that AGAL cannot say, see [`rules`].
pub fn lower(shader: &Shader, options: &Options) -> Result<Lowered<Program>, Vec<Reason>> {
    let Some(stage) = Stage::of(shader.stage) else {
        let mut refusals = Refusals::new("AGAL");
        refusals.add(rules::STAGE, &[&"AGAL", &shader.stage.name()], None);
        return Err(refusals.list);
    };
    let versions = match options.version {
        Some(version) => version..=version,
        None => 1..=3,
    };
    let mut reasons = Vec::new();
    for version in versions {
        match lower_to(shader, stage, version, options) {
            Ok(lowered) => return Ok(lowered),
            // Those of the newest version: what no version can say.
            Err(list) => reasons = list,
        }
    }
    Err(reasons)
}

fn lower_to(
    shader: &Shader,
    stage: Stage,
    version: u32,
    options: &Options,
) -> Result<Lowered<Program>, Vec<Reason>> {
    lower_on(shader, stage, version, options, &machine::machine(stage, version, options.temporaries))
}

/// Lowers a shader with the instructions of a machine.
pub(crate) fn lower_on(
    shader: &Shader,
    stage: Stage,
    version: u32,
    options: &Options,
    machine: &Machine,
) -> Result<Lowered<Program>, Vec<Reason>> {
    let mut refusals = Refusals::new("AGAL");
    refusals.least = options.promise.unwrap_or(Promise::Close);
    let shader = crate::prepare(shader, machine.loops);
    let how = How { measure: options.measure, checked: options.checked };
    let (interface, generated) = generate(&shader, machine, how, &mut refusals);
    let mut writer = Writer {
        shader: &shader,
        interface: &interface,
        stage,
        version,
        options,
        refusals,
        binding: crate::Binding::default(),
        constants: BTreeMap::new(),
        literals: Vec::new(),
        varyings: BTreeMap::new(),
    };
    writer.number_varyings();
    writer.look_at_interface();
    let Some(Generated { list, literals }) = generated else { return Err(writer.refusals.list) };
    writer.number_constants(&list, &literals);
    let mut program = Program::new(stage, version);
    let mut steps = Vec::with_capacity(list.len());
    for physical in &list {
        let token = writer.token(physical);
        program.tokens.push(token);
        steps.push(physical.steps.clone());
    }
    let most = MOST_TOKENS[(version.clamp(1, 3) - 1) as usize];
    if program.tokens.len() > most {
        writer.refusals.add(rules::SLOTS, &[&program.tokens.len(), &format!("AGAL {version}"), &most], None);
    }
    if writer.refusals.list.is_empty() {
        let Refusals { promise, notes, .. } = writer.refusals;
        Ok(Lowered { program, binding: writer.binding, steps, promise, notes })
    } else {
        Err(writer.refusals.list)
    }
}

struct Writer<'a> {
    shader: &'a Shader,
    interface: &'a Interface,
    stage: Stage,
    version: u32,
    options: &'a Options,
    refusals: Refusals,
    binding: crate::Binding,
    /// The number of each constant, by array and element.
    constants: BTreeMap<(u32, u32), u16>,
    literals: Vec<u16>,
    varyings: BTreeMap<u32, u16>,
}

impl Writer<'_> {
    fn name(&self, ty: RegType, number: u16) -> String {
        let alone = match ty {
            RegType::Output => self.stage == Stage::Vertex || number == 0,
            RegType::Depth | RegType::InstanceId => true,
            _ => false,
        };
        match (ty, alone) {
            (RegType::Output, false) => format!("fo{number}"),
            (_, true) => String::from(ty.name(self.stage)),
            _ => format!("{}{number}", ty.name(self.stage)),
        }
    }

    fn count(&self, ty: RegType) -> u32 {
        ty.count(self.stage, self.version)
    }

    /// Finds everything outside of the program that AGAL lacks, also where there are no instructions.
    fn look_at_interface(&mut self) {
        let interface = self.interface;
        for (&input, &step) in &interface.inputs {
            self.input(input, step);
        }
        for (&output, &step) in &interface.outputs {
            self.destination(Register::Output(output), step);
        }
        for (n, read) in interface.reads.iter().enumerate() {
            self.sampler(n as u32, read.step);
        }
    }

    /// Varyings keep their numbers; where one is too large, they are numbered in order.
    fn number_varyings(&mut self) {
        let mut all: Vec<u32> = self.options.varyings.clone();
        for location in crate::varyings(self.shader) {
            if !all.contains(&location) {
                all.push(location);
            }
        }
        let most = self.count(RegType::Varying);
        let fits = all.iter().all(|location| *location < most);
        if !fits && all.len() > most as usize {
            self.refusals.add(rules::INPUTS, &[&all.len(), &format!("AGAL {}", self.version), &most], None);
        }
        for (n, location) in all.into_iter().enumerate() {
            self.varyings.insert(location, if fits { location as u16 } else { n as u16 });
        }
    }

    /// Constants keep their numbers where they fit; literals come from the end of the file.
    fn number_constants(&mut self, list: &[Physical], literals: &Literals) {
        let most = self.count(RegType::Constant);
        let numbers = constants::number(self.shader, list, literals, rows, (0, most), &LiteralPlace::Last);
        let numbers = match numbers {
            Ok(numbers) => numbers,
            Err(NoRoom::Constants(need)) => {
                self.refusals.add(rules::CONSTANTS, &[&need, &format!("AGAL {}", self.version), &most], None);
                return;
            }
            Err(NoRoom::Indexed) => {
                self.refusals.add(rules::INDEXED, &[&"AGAL", &"constants beside literals"], None);
                return;
            }
        };
        let named = numbers.constants.iter().map(|(of, number)| (*of, *number));
        for ((array, index), number) in named.chain(numbers.reached.iter().copied()) {
            let target = self.name(RegType::Constant, number as u16);
            self.binding.constants.push((target, self.shader.param_name(ir::ParamId(array), index)));
        }
        self.constants = numbers.constants.into_iter().map(|(of, number)| (of, number as u16)).collect();
        self.literals = numbers.literals.into_iter().map(|number| number as u16).collect();
        for (number, register) in self.literals.clone().into_iter().zip(&literals.registers) {
            let mut lanes = [0; 4];
            lanes.iter_mut().zip(register).for_each(|(to, from)| *to = *from);
            self.binding.literals.push((self.name(RegType::Constant, number), lanes));
        }
    }

    fn token(&mut self, physical: &Physical) -> Token {
        let step = physical.steps.first().copied().unwrap_or(0);
        let op = match (physical.what, self.stage) {
            (What::Read(_), Stage::Vertex) => Opcode::Tld,
            _ => opcode(physical).unwrap_or(Opcode::Mov),
        };
        let dest = match physical.destination {
            Some((register, mask)) => {
                let (ty, number) = self.destination(register, step);
                Dest::new(ty, number, mask)
            }
            None => Dest::default(),
        };
        let mut sources = [Source::default(); 2];
        for (to, operand) in sources.iter_mut().zip(&physical.sources) {
            *to = self.source(operand, step);
        }
        if let What::Read(number) = physical.what {
            sources[1] = Source(self.sampler(number, step).0);
        }
        Token { opcode: op.row().code, dest, src1: sources[0], src2: sources[1] }
    }

    fn destination(&mut self, register: Register, step: u32) -> (RegType, u16) {
        let Register::Output(output) = register else {
            return match register {
                Register::Temporary(number) => (RegType::Temporary, number),
                _ => (RegType::Temporary, u16::MAX),
            };
        };
        let Some(output) = self.shader.outputs.get(output as usize) else { return (RegType::Output, 0) };
        let place = match (output.kind, self.stage) {
            (OutputKind::Position, Stage::Vertex) => Some((RegType::Output, 0)),
            (OutputKind::Varying { location }, Stage::Vertex) => {
                self.varyings.get(&location).map(|number| (RegType::Varying, *number))
            }
            (OutputKind::Color { target }, Stage::Fragment) if target < self.count(RegType::Output) => {
                Some((RegType::Output, target as u16))
            }
            (OutputKind::Depth, Stage::Fragment) if self.count(RegType::Depth) > 0 => {
                Some((RegType::Depth, 0))
            }
            _ => None,
        };
        match place {
            Some((ty, number)) => {
                let name = self.name(ty, number);
                if !self.binding.outputs.iter().any(|(target, _)| *target == name) {
                    self.binding.outputs.push((name, output.name.clone()));
                }
                (ty, number)
            }
            None => {
                let what = match output.kind.number() {
                    Some(number) => format!("{} {number}", output.kind.name()),
                    None => String::from(output.kind.name()),
                };
                self.refusals.add(rules::OUTPUT, &[&"AGAL", &what], step);
                (RegType::Output, 0)
            }
        }
    }

    fn input(&mut self, input: u32, step: u32) -> (RegType, u16) {
        let Some(input) = self.shader.inputs.get(input as usize) else { return (RegType::Varying, 0) };
        let place = match (input.kind, self.stage) {
            (InputKind::Attribute { location }, _) => {
                let most = self.count(RegType::Attribute);
                if location >= most {
                    self.refusals.add(
                        rules::INPUTS,
                        &[&(location + 1), &format!("AGAL {}", self.version), &most],
                        step,
                    );
                }
                Some((RegType::Attribute, location as u16))
            }
            (InputKind::Varying { location }, Stage::Fragment) => {
                if input.interpolation != ir::Interpolation::Perspective
                    && input.interpolation != ir::Interpolation::Color
                {
                    let how = input.interpolation.name();
                    self.refusals.add(rules::INTERPOLATION, &[&"AGAL", &input.name, &how], step);
                }
                self.varyings.get(&location).map(|number| (RegType::Varying, *number))
            }
            (InputKind::System(System::InstanceIndex), Stage::Vertex)
                if self.count(RegType::InstanceId) > 0 =>
            {
                Some((RegType::InstanceId, 0))
            }
            _ => None,
        };
        let Some((ty, number)) = place else {
            self.refusals.add(rules::SYSTEM, &[&"AGAL", &input.kind.name()], step);
            return (RegType::Varying, 0);
        };
        let name = self.name(ty, number);
        if !self.binding.inputs.iter().any(|(target, _)| *target == name) {
            self.binding.inputs.push((name, input.name.clone()));
        }
        (ty, number)
    }

    fn source(&mut self, operand: &Operand, step: u32) -> Source {
        let swizzle = operand.swizzle;
        let (ty, number) = match operand.register {
            Register::Temporary(number) | Register::Address(number) => (RegType::Temporary, number),
            Register::Input(input) => self.input(input, step),
            Register::Output(_) | Register::Vertex { .. } => (RegType::Temporary, u16::MAX),
            Register::Param { array, index } => {
                (RegType::Constant, self.constants.get(&(array, index)).copied().unwrap_or(0))
            }
            Register::Literal(at) => {
                (RegType::Constant, self.literals.get(at as usize).copied().unwrap_or(0))
            }
            Register::ParamAt { offset, by, lane, .. } => {
                if self.stage == Stage::Fragment || !(0..=127).contains(&offset) {
                    self.refusals.add(rules::INDEXED, &[&"AGAL", &"constants"], step);
                }
                let (ty, number) = match by {
                    IndexRegister::Temporary(number) | IndexRegister::Address(number) => {
                        (RegType::Temporary, number)
                    }
                    IndexRegister::Input(input) => self.input(input, step),
                    IndexRegister::Param { array, index } => {
                        (RegType::Constant, self.constants.get(&(array, index)).copied().unwrap_or(0))
                    }
                };
                return Source::indirect(RegType::Constant, offset as u8, swizzle, ty, number, lane);
            }
        };
        Source::direct(ty, number, swizzle)
    }

    fn sampler(&mut self, read: u32, step: u32) -> Sampler {
        let Some(read) = self.interface.reads.get(read as usize) else { return Sampler::default() };
        let Some(texture) = self.shader.textures.get(read.texture.index()) else { return Sampler::default() };
        let bias = match read.lod {
            ir::Lod::Implicit { bias_eighths } => bias_eighths,
            ir::Lod::Bias => {
                self.refusals.add(rules::LEVEL, &[&"AGAL", &"a computed bias"], step);
                0
            }
            // The bias of a read in a vertex program is its level.
            ir::Lod::Level if self.stage == Stage::Vertex && eighths(read.constant).is_some() => {
                eighths(read.constant).unwrap_or(0)
            }
            ir::Lod::Level => {
                self.refusals.add(rules::LEVEL, &[&"AGAL", &"an explicit level of detail"], step);
                0
            }
            ir::Lod::Gradient => {
                self.refusals.add(rules::LEVEL, &[&"AGAL", &"given gradients"], step);
                0
            }
        };
        let number = texture.slot;
        let most = self.count(RegType::Sampler);
        if self.stage == Stage::Vertex && self.version < 4 {
            self.refusals.add(rules::VERTEX_TEXTURE, &[&"AGAL"], step);
        } else if number >= most {
            self.refusals.add(rules::SAMPLERS, &[&number, &format!("AGAL {}", self.version), &most], step);
        }
        let name = self.name(RegType::Sampler, number as u16);
        if !self.binding.samplers.iter().any(|(target, _)| *target == name) {
            self.binding.samplers.push((name, texture.name.clone()));
        }
        let own = self.options.samplers.get(&(number as u16));
        match word(texture, bias) {
            // Its shape and its bias are those of the read.
            Some(word) => own.map_or(word, |own| Sampler(word.0 & OF_READ | own.0 & !OF_READ)),
            None => {
                self.refusals.add(rules::TEXTURE, &[&"AGAL", &texture.dim.name()], step);
                Sampler::default()
            }
        }
    }
}

/// The bits of a sampler that the read tells: the bias and the shape.
const OF_READ: u64 = 0xff << 16 | 15 << 44;

/// A level as the bias of a sampler, in eighths, if it is one.
fn eighths(level: Option<u32>) -> Option<i8> {
    let eighths = f32::from_bits(level?) * 8.0;
    let whole = eighths as i8;
    (f32::from(whole) == eighths).then_some(whole)
}

/// The options of a sampler; nothing if AGAL has no such texture.
fn word(texture: &Texture, bias: i8) -> Option<Sampler> {
    let dim = match texture.dim {
        Dim::D2 => 0u64,
        Dim::Cube => 1,
        Dim::D3 => 2,
        _ => return None,
    };
    let state = texture.sampler;
    let (filter, mip, wrap, special) = match state {
        None => (1, 2, 1, u64::from(Sampler::IGNORE_SAMPLER)),
        Some(state) => {
            let filter = match (state.min, state.anisotropy) {
                (Filter::Nearest, _) => 0,
                (Filter::Linear, of) => 1 + u64::from(of.max(1).ilog2()),
            };
            let mip = match state.mip {
                Mip::None => 0,
                Mip::Nearest => 1,
                Mip::Linear => 2,
            };
            let wrap = match (state.wrap_u, state.wrap_v) {
                (Wrap::Clamp, Wrap::Clamp) => 0,
                (Wrap::Repeat, Wrap::Repeat) => 1,
                (Wrap::Clamp, Wrap::Repeat) => 2,
                (Wrap::Repeat, Wrap::Clamp) => 3,
                _ => return None,
            };
            (filter, mip, wrap, 0)
        }
    };
    // Cubes are clamped.
    let wrap = if dim == 1 { 0 } else { wrap };
    Some(Sampler(
        u64::from(texture.slot as u16)
            | u64::from(bias as u8) << 16
            | u64::from(RegType::Sampler.code()) << 32
            | dim << 44
            | special << 48
            | wrap << 52
            | mip << 56
            | filter << 60,
    ))
}

/// The operation of an instruction.
fn opcode(physical: &Physical) -> Option<Opcode> {
    Some(match physical.what {
        What::Row(code) => *Opcode::ALL.get(usize::from(code))?,
        What::Copy | What::Index => Opcode::Mov,
        What::Read(_) | What::ReadProjected(_) => Opcode::Tex,
        What::If(Test::Compare(ir::Pure::Eq)) => Opcode::Ife,
        What::If(Test::Compare(ir::Pure::Ne)) => Opcode::Ine,
        What::If(_) => Opcode::Ifl,
        What::Else => Opcode::Els,
        What::EndIf => Opcode::Eif,
        What::Loop(_) | What::EndLoop | What::Break | What::Continue | What::Call(_) => return None,
        What::Discard => Opcode::Kil,
    })
}

/// Number of registers that an operand is: the rows of a matrix.
fn rows(physical: &Physical, operand: &Operand) -> u32 {
    let last = physical.sources.get(1).is_some_and(|last| core::ptr::eq(last, operand));
    match opcode(physical) {
        Some(Opcode::M44) if last => 4,
        Some(Opcode::M33 | Opcode::M34) if last => 3,
        _ => 1,
    }
}
