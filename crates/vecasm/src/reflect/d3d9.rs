//! The facts of Direct3D 8 and 9.

use crate::isa::d3d9::ctab::{self, RegisterSet, Type};
use crate::isa::d3d9::interface::{self, ConstantUse, SamplerUse, interface};
use crate::isa::d3d9::preshader::{self, Style};
use crate::isa::d3d9::registers::SAMPLER_KINDS;
use crate::isa::d3d9::rules::{SlotCounts, slot_counts};
use crate::isa::d3d9::{Program, Version};
use crate::isa::operand::WriteMask;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[cfg(feature = "schemars")]
use super::schema::Lanes;

/// What a token stream declares and uses, and what its comments hold.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "D3d9Facts"))]
#[non_exhaustive]
pub struct Facts {
    /// Inputs, in the order of their registers; of a register with several usages each is one.
    pub inputs: Vec<Port>,
    /// Outputs, in the same way.
    pub outputs: Vec<Port>,
    /// Samplers, by number.
    pub samplers: Vec<Sampler>,
    /// Registers, file by file.
    pub registers: Registers,
    /// Instruction slots, as the documentation of Direct3D counts them.
    pub slots: Slots,
    /// Whether there is an end token.
    pub end: bool,
    /// Comments.
    pub comments: Vec<Comment>,
    /// Table of constants; null if there is none.
    pub constant_table: Option<ConstantTable>,
    /// Preshader; null if there is none.
    pub preshader: Option<Preshader>,
}

impl Facts {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let found = interface(program);
        let ports = |ports: &[interface::Port]| -> Vec<Port> {
            ports.iter().map(|port| Port::of(port, program.version())).collect()
        };
        Self {
            inputs: ports(&found.inputs),
            outputs: ports(&found.outputs),
            samplers: found.samplers.iter().map(Sampler::from).collect(),
            registers: Registers {
                temporaries: found.temporaries,
                floats: found.floats.into(),
                ints: found.ints.into(),
                bools: found.bools.into(),
            },
            slots: slot_counts(program).into(),
            end: program.has_end(),
            comments: program.comments().map(Comment::of).collect(),
            constant_table: ctab::of(program).0.map(|table| ConstantTable {
                constants: constants(&table),
                creator: table.creator,
                target: table.target,
            }),
            preshader: preshader::of(program).0.as_ref().map(Preshader::from),
        }
    }
}

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Port {
    /// Name of its register in this model.
    pub register: String,
    /// Usage; null for what has none: the position and the face of a pixel.
    pub usage: Option<&'static str>,
    /// Index of the usage.
    pub index: u8,
    /// Lanes that are declared; without declaration, those that are read or written.
    #[cfg_attr(feature = "schemars", schemars(with = "Lanes"))]
    pub mask: WriteMask,
    /// Whether the program declares it.
    pub declared: bool,
    /// Whether the program reads or writes it.
    pub used: bool,
}

impl Port {
    fn of(port: &interface::Port, version: Version) -> Self {
        Self {
            register: port.register(version),
            usage: port.usage_name(),
            index: port.index,
            mask: port.lanes,
            declared: port.declared,
            used: port.used,
        }
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "D3d9Sampler"))]
#[non_exhaustive]
pub struct Sampler {
    /// Number of the sampler: the stage of its texture.
    pub slot: u16,
    /// Shape of the texture; null if the program does not say it.
    pub kind: Option<&'static str>,
    /// Whether an instruction reads it.
    pub used: bool,
    /// Whether the matrix of the stage is read, too, by `texbem`, `texbeml` or `bem`.
    pub bump: bool,
}

impl From<&SamplerUse> for Sampler {
    fn from(sampler: &SamplerUse) -> Self {
        let kind = SAMPLER_KINDS.iter().find(|row| row.0 == sampler.kind).map(|row| row.1);
        Self { slot: sampler.number, kind, used: sampler.used, bump: sampler.bump }
    }
}

/// The registers of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "D3d9Registers"))]
#[non_exhaustive]
pub struct Registers {
    /// Number of temporaries, up to the highest one.
    pub temporaries: u16,
    /// Floating-point constants.
    pub floats: Constants,
    /// Integer constants.
    pub ints: Constants,
    /// Boolean constants.
    pub bools: Constants,
}

/// The constants of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Constants {
    /// Constants that an instruction names, without those that the program defines; of relative ones the first.
    pub read: Vec<u16>,
    /// Constants that the program defines.
    pub defined: Vec<u16>,
    /// Whether some are relative.
    pub indexed: bool,
}

impl From<ConstantUse> for Constants {
    fn from(constants: ConstantUse) -> Self {
        let ConstantUse { read, defined, indexed } = constants;
        Self { read, defined, indexed }
    }
}

/// Slots of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(rename = "D3d9Slots"))]
#[non_exhaustive]
pub struct Slots {
    /// Slots of arithmetic and of flow control.
    pub arithmetic: u32,
    /// Slots of texture instructions.
    pub texture: u32,
    /// All of them.
    pub total: u32,
}

impl From<SlotCounts> for Slots {
    fn from(slots: SlotCounts) -> Self {
        Self { arithmetic: slots.arithmetic, texture: slots.texture, total: slots.total() }
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Comment {
    /// Four letters or digits with which it begins, such as `CTAB`; null if it begins otherwise.
    pub name: Option<String>,
    /// Number of words, with the name.
    pub words: usize,
}

impl Comment {
    fn of(words: &[u32]) -> Self {
        let name = words.first().map(|word| word.to_le_bytes());
        let name = name.filter(|name| name.iter().all(u8::is_ascii_alphanumeric));
        let name = name.map(|name| name.iter().map(|byte| char::from(*byte)).collect());
        Self { name, words: words.len() }
    }
}

/// A table of constants.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ConstantTable {
    /// Who made it, if the table tells.
    pub creator: Option<String>,
    /// Profile that was compiled for, if the table tells.
    pub target: Option<String>,
    /// Constants.
    pub constants: Vec<Constant>,
}

fn constants(table: &ctab::ConstantTable) -> Vec<Constant> {
    table.constants.iter().map(Constant::from).collect()
}

/// A constant of a table.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Constant {
    /// Name and type.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub variable: Variable,
    /// First register; null if the register set has no name.
    pub register: Option<String>,
    /// Number of registers.
    pub registers: u16,
    /// Default value; null if there is none.
    pub default: Option<DefaultValue>,
}

impl From<&ctab::Constant> for Constant {
    fn from(constant: &ctab::Constant) -> Self {
        let set = constant.register_set();
        let default = constant.default.as_ref().map(|words| match set {
            Some(RegisterSet::Float4) => {
                DefaultValue::Floats(words.iter().copied().map(f32::from_bits).collect())
            }
            _ => DefaultValue::Integers(words.iter().map(|word| *word as i32).collect()),
        });
        Self {
            variable: Variable::of(&constant.name, &constant.ty),
            register: set.map(|set| format!("{}{}", set.letter(), constant.index)),
            registers: constant.count,
            default,
        }
    }
}

/// The default value of a constant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum DefaultValue {
    /// Of floating-point constants; infinities and NaN are null in JSON.
    Floats(
        #[cfg_attr(feature = "serde", serde(serialize_with = "super::serial::floats"))]
        #[cfg_attr(feature = "schemars", schemars(with = "Vec<Option<f64>>"))]
        Vec<f32>,
    ),
    /// Of all others.
    Integers(Vec<i32>),
}

/// The name and the type of a constant, or of a member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Class: `scalar`, `vector`, `matrix_rows`, `matrix_columns`, `object` or `struct`; empty if its code is none of them.
    pub class: &'static str,
    /// Type of a component or of the object; empty if its code is none.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub kind: &'static str,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
    /// Elements of an array; 1 for what is no array.
    pub elements: u16,
    /// Members of a structure.
    pub members: Vec<Variable>,
}

impl Variable {
    fn of(name: &str, ty: &Type) -> Self {
        Self {
            name: name.to_string(),
            class: ty.class_name(),
            kind: ty.kind_name(),
            rows: ty.rows,
            columns: ty.columns,
            elements: ty.elements,
            members: ty.members.iter().map(|member| Self::of(&member.name, &member.ty)).collect(),
        }
    }
}

/// What a preshader reads, writes and does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Preshader {
    /// Constants that it reads.
    pub constants: Vec<Constant>,
    /// Registers of the shader that it writes, each once.
    pub outputs: Vec<String>,
    /// Number of temporaries.
    pub temporaries: u32,
    /// Instructions, as text.
    pub instructions: Vec<String>,
}

impl From<&preshader::Preshader> for Preshader {
    fn from(found: &preshader::Preshader) -> Self {
        let listing = preshader::print(found, Style::Listing, "");
        let lines = listing.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let written = found.written();
        let written =
            written.iter().map(|(file, n)| format!("{}{n}", file.letters().trim_start_matches('o')));
        Self {
            constants: found.table().0.as_ref().map_or_else(Vec::new, constants),
            outputs: written.collect(),
            temporaries: found.temporaries().div_ceil(4),
            instructions: lines.map(str::to_string).collect(),
        }
    }
}
