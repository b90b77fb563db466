//! What a program takes and gives: inputs, outputs, samplers and constants, with what they mean.
//!
//! Declarations say it where the model has them. Else registers do: outputs of vertex shaders before 3.0, inputs and
//! outputs of pixel shaders, and, without declarations, the inputs of vertex shaders of Direct3D 8, whose numbers mean
//! what [`D3D8_INPUTS`] says.

use super::program::{Program, Stage, Version};
use super::reads;
use super::registers::{RegType, spelling};
use super::rules::code::{Code, Instruction, Register};
use super::table::{Opcode, Unit};
use super::usages::{self, D3D8_INPUTS};
use crate::table::Shape;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::WriteMask;

/// An input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The register file.
    pub ty: RegType,
    /// The number of the register.
    pub number: u16,
    /// Code of the usage, see [`usages`]; `None` for what has none: the position and the face of a pixel.
    pub usage: Option<u8>,
    /// The index behind the usage.
    pub index: u8,
    /// The lanes that are declared; without declaration, those that are read or written.
    pub lanes: WriteMask,
    /// Whether the program declares it.
    pub declared: bool,
    /// Whether the program reads or writes it; a relative register counts as all of its file.
    pub used: bool,
}

impl Port {
    /// The name of the usage.
    pub fn usage_name(&self) -> Option<&'static str> {
        usages::name(self.usage?)
    }

    /// The name of the register in a model.
    pub fn register(&self, version: Version) -> String {
        register_name(self.ty, self.number, version)
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerUse {
    /// The number of the sampler: the stage of its texture.
    pub number: u16,
    /// Code of the kind, see [`SAMPLER_KINDS`](super::registers::SAMPLER_KINDS); 0 if it is not said.
    pub kind: u8,
    /// Whether an instruction reads it.
    pub used: bool,
    /// Whether the matrix of the stage is read too, by `texbem`, `texbeml` or `bem`.
    pub bump: bool,
}

/// The registers of one file of constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantUse {
    /// Those that an instruction names, without those that the program defines; of relative ones the first.
    pub read: Vec<u16>,
    /// Those that the program defines.
    pub defined: Vec<u16>,
    /// Whether some are relative.
    pub indexed: bool,
}

/// What a program takes and gives. Ports are in the order of their registers; of a register with several usages each is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Inputs.
    pub inputs: Vec<Port>,
    /// Outputs.
    pub outputs: Vec<Port>,
    /// Samplers, by number.
    pub samplers: Vec<SamplerUse>,
    /// Floating-point constants.
    pub floats: ConstantUse,
    /// Integer constants.
    pub ints: ConstantUse,
    /// Boolean constants.
    pub bools: ConstantUse,
    /// Number of temporaries up to the highest one.
    pub temporaries: u16,
}

fn register_name(ty: RegType, number: u16, version: Version) -> String {
    match spelling(ty, number, version) {
        Some((name, Some(number))) => format!("{name}{number}"),
        Some((name, None)) => name.into(),
        None => format!("register {number} of file {}", ty.code()),
    }
}

/// Reads and writes of registers, gathered.
#[derive(Default)]
struct Gather {
    read: BTreeMap<(u8, u16), u8>,
    written: BTreeMap<(u8, u16), u8>,
    /// Files of which a register is relative.
    relative: BTreeSet<u8>,
    declared: Vec<Port>,
    samplers: BTreeMap<u16, SamplerUse>,
    defined: BTreeSet<(u8, u16)>,
    rows: Vec<(Register, u16)>,
}

/// Describes a program.
pub fn interface(program: &Program) -> Interface {
    if program.version().is_preshader() {
        return Interface::default();
    }
    let code = Code::new(program);
    let mut gather = Gather::default();
    code.instructions().for_each(|instruction| gather.instruction(code.version, &instruction));
    gather.finish(code.version)
}

impl Gather {
    fn instruction(&mut self, version: Version, instruction: &Instruction<'_>) {
        let written = instruction.write.and_then(|write| Some((write, write.register?)));
        match instruction.op {
            Some(Opcode::Dcl) => {
                let (Some((write, register)), Some(usage)) = (written, instruction.usage) else { return };
                if register.ty == RegType::Sampler {
                    self.sampler(register.number).kind = usage.kind();
                    return;
                }
                let (usage, index) = match implied(version, register.ty, register.number) {
                    Some((usage, index)) if version.stage() == Stage::Pixel => (usage, index),
                    _ => (Some(usage.usage()), usage.index()),
                };
                self.declared.push(Port {
                    ty: register.ty,
                    number: register.number,
                    usage,
                    index,
                    lanes: write.mask(),
                    declared: true,
                    used: false,
                });
                return;
            }
            Some(Opcode::Def | Opcode::Defi | Opcode::Defb) => {
                if let Some((_, register)) = written {
                    self.defined.insert((register.ty.code(), register.number));
                }
                return;
            }
            _ => {}
        }
        if let Some((write, register)) = written {
            let lanes = self.written.entry((register.ty.code(), register.number)).or_default();
            *lanes |= instruction.written().bits();
            if write.index.is_some() {
                self.relative.insert(register.ty.code());
            }
            let unit = instruction.op.map(|op| op.row().unit);
            if version.stage() == Stage::Pixel && version.major() == 1 && unit == Some(Unit::Texture) {
                self.stage(version, instruction, register.number);
            }
        }
        for read in instruction.reads().iter().chain(&instruction.predicate) {
            let Some(register) = read.register else { continue };
            if read.shape == Shape::Sampler {
                self.sampler(register.number).used = true;
                continue;
            }
            if read.rows() > 1 {
                self.rows.push((register, read.rows()));
            }
            // The sources of a matrix are rows, and each is read.
            for row in 0..read.rows() {
                let number = register.number.saturating_add(row);
                *self.read.entry((register.ty.code(), number)).or_default() |= read.lanes.bits();
            }
            if read.index.is_some() {
                self.relative.insert(register.ty.code());
            }
        }
        if instruction.is(Opcode::Bem) {
            if let Some((_, register)) = written {
                self.sampler(register.number).bump = true;
            }
        }
    }

    /// What a texture instruction before 2.0 does with the stage of its destination.
    fn stage(&mut self, version: Version, instruction: &Instruction<'_>, number: u16) {
        let Some(op) = instruction.op else { return };
        if reads::has_coordinates(op, version) {
            *self.read.entry((RegType::AddrOrTexture.code(), number | COORDINATES)).or_default() |= 15;
        }
        let samples = !matches!(
            op,
            Opcode::Texkill
                | Opcode::Texcoord
                | Opcode::Texm3x2pad
                | Opcode::Texm3x3pad
                | Opcode::Texdp3
                | Opcode::Texm3x3
                | Opcode::Texm3x2depth
                | Opcode::Texdepth
        );
        if samples {
            let sampler = self.sampler(number);
            sampler.used = true;
            sampler.bump |= matches!(op, Opcode::Texbem | Opcode::Texbeml);
        }
    }

    fn sampler(&mut self, number: u16) -> &mut SamplerUse {
        self.samplers.entry(number).or_insert(SamplerUse { number, kind: 0, used: false, bump: false })
    }

    fn finish(self, version: Version) -> Interface {
        let pixel = version.stage() == Stage::Pixel;
        let mut out =
            Interface { samplers: self.samplers.values().copied().collect(), ..Interface::default() };
        for port in &self.declared {
            let output = !pixel && matches!(port.ty, RegType::Output | RegType::RastOut | RegType::AttrOut);
            let map = if output { &self.written } else { &self.read };
            let used =
                map.contains_key(&(port.ty.code(), port.number)) || self.relative.contains(&port.ty.code());
            let port = Port { used, ..*port };
            if output { out.outputs.push(port) } else { out.inputs.push(port) }
        }
        let is_declared = |ports: &[Port], ty, number| ports.iter().any(|p| p.ty == ty && p.number == number);
        for (&(code, number), &lanes) in &self.read {
            let Some(ty) = RegType::from_code(code) else { continue };
            let coordinates = number & COORDINATES != 0;
            let number = number & !COORDINATES;
            let input = match ty {
                RegType::Input | RegType::Misc => true,
                // Up to 1.3 a texture register that is read is a result, not an input.
                RegType::AddrOrTexture => pixel && (coordinates || version.number() >= 0x0104),
                _ => false,
            };
            if !input || is_declared(&out.inputs, ty, number) {
                continue;
            }
            let (usage, index) = implied(version, ty, number).unwrap_or((None, 0));
            let lanes = WriteMask::from_bits(lanes);
            out.inputs.push(Port { ty, number, usage, index, lanes, declared: false, used: true });
        }
        for (&(code, number), &lanes) in &self.written {
            let Some(ty) = RegType::from_code(code) else { continue };
            let output = match ty {
                RegType::RastOut | RegType::AttrOut | RegType::Output => !pixel,
                RegType::ColorOut | RegType::DepthOut => pixel,
                RegType::Temp => pixel && version.major() == 1 && number == 0,
                _ => false,
            };
            if !output || is_declared(&out.outputs, ty, number) {
                continue;
            }
            let (usage, index) = implied(version, ty, number).unwrap_or((None, 0));
            let lanes = WriteMask::from_bits(lanes);
            out.outputs.push(Port { ty, number, usage, index, lanes, declared: false, used: true });
        }
        let order = |port: &Port| (port.ty.code(), port.number, port.lanes.bits().trailing_zeros());
        out.inputs.sort_by_key(order);
        out.outputs.sort_by_key(order);
        let constants = |ty: RegType| {
            let of = |key: &(u8, u16)| key.0 == ty.code();
            let defined: Vec<u16> = self.defined.iter().filter(|key| of(key)).map(|key| key.1).collect();
            let read = self.read.keys().filter(|key| of(key) && !self.defined.contains(key));
            ConstantUse {
                read: read.map(|key| key.1).collect(),
                defined,
                indexed: self.relative.contains(&ty.code()),
            }
        };
        out.floats = constants(RegType::Const);
        out.ints = constants(RegType::ConstInt);
        out.bools = constants(RegType::ConstBool);
        let temporaries = self.read.keys().chain(self.written.keys());
        let temporaries = temporaries.filter(|key| key.0 == RegType::Temp.code()).map(|key| key.1 + 1);
        out.temporaries = temporaries.max().unwrap_or(0);
        out
    }
}

/// Mark of the number of a texture register whose coordinates are read.
const COORDINATES: u16 = 0x8000;

/// What a register means without a declaration.
pub(super) fn implied(version: Version, ty: RegType, number: u16) -> Option<(Option<u8>, u8)> {
    let small = u8::try_from(number).ok()?;
    let pixel = version.stage() == Stage::Pixel;
    let (usage, index) = match (pixel, ty) {
        (false, RegType::Input) => {
            let (usage, index) = *D3D8_INPUTS.get(usize::from(number))?;
            return Some((Some(usage), index));
        }
        (false, RegType::RastOut) => match number {
            0 => (DeclUsage::Position, 0),
            1 => (DeclUsage::Fog, 0),
            2 => (DeclUsage::PointSize, 0),
            _ => return None,
        },
        (false, RegType::AttrOut) => (DeclUsage::Color, small),
        (false, RegType::Output) if version.major() < 3 => (DeclUsage::TexCoord, small),
        (true, RegType::Input) if version.major() < 3 => (DeclUsage::Color, small),
        (true, RegType::AddrOrTexture) => (DeclUsage::TexCoord, small),
        (true, RegType::ColorOut) => (DeclUsage::Color, small),
        (true, RegType::Temp) => (DeclUsage::Color, 0),
        (true, RegType::DepthOut) => (DeclUsage::Depth, 0),
        (true, RegType::Misc) => return Some((None, 0)),
        _ => return None,
    };
    Some((Some(usage.code()), index))
}
