//! The table of constants that Microsoft's compilers put into a comment named `CTAB`: names, registers, types and default
//! values of what a shader takes.
//!
//! All offsets count from the byte behind the name of the comment. Source: the structures `D3DXSHADER_CONSTANTTABLE`,
//! `D3DXSHADER_CONSTANTINFO`, `D3DXSHADER_TYPEINFO` and `D3DXSHADER_STRUCTMEMBERINFO` of the DirectX documentation.

mod read;
mod write;

use super::program::{ItemKind, Program};
use super::table::code;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_ir::diag::{Diagnostic, rules};

pub use read::read;

/// The name of the comment.
pub const NAME: &[u8; 4] = b"CTAB";

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    TABLE "D3D9-ctab" Warning Documented
        "%1",
        "Tools and runtimes read the constant table by its offsets; a field that points outside is not read.";
}

/// The kind of registers that a constant lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterSet {
    /// 0: `b`.
    Bool,
    /// 1: `i`.
    Int4,
    /// 2: `c`.
    Float4,
    /// 3: `s`.
    Sampler,
}

impl RegisterSet {
    /// Every set with its name and register letter, in the order of the codes.
    pub const ALL: [(Self, &'static str, char); 4] = [
        (Self::Bool, "bool", 'b'),
        (Self::Int4, "int4", 'i'),
        (Self::Float4, "float4", 'c'),
        (Self::Sampler, "sampler", 's'),
    ];

    /// The set with that code.
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.get(usize::from(code)).map(|row| row.0)
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The letter of its registers.
    pub const fn letter(self) -> char {
        Self::ALL[self as usize].2
    }
}

/// The classes of types, in the order of their codes.
pub const CLASSES: [&str; 6] = ["scalar", "vector", "matrix_rows", "matrix_columns", "object", "struct"];

/// The types of components and objects, in the order of their codes.
pub const KINDS: [&str; 20] = [
    "void",
    "bool",
    "int",
    "float",
    "string",
    "texture",
    "texture1d",
    "texture2d",
    "texture3d",
    "texturecube",
    "sampler",
    "sampler1d",
    "sampler2d",
    "sampler3d",
    "samplercube",
    "pixelshader",
    "vertexshader",
    "pixelfragment",
    "vertexfragment",
    "unsupported",
];

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Type {
    /// Code of the class, see [`CLASSES`].
    pub class: u16,
    /// Code of the type of a component or of the object, see [`KINDS`].
    pub kind: u16,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
    /// Elements of an array; 1 for what is no array.
    pub elements: u16,
    /// Members of a structure.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

impl Type {
    /// Number of registers of a value: of four components, or of one where `single`.
    pub fn registers(&self, single: bool) -> usize {
        let (rows, columns) = (usize::from(self.rows), usize::from(self.columns));
        let one = if !self.members.is_empty() {
            self.members.iter().fold(0_usize, |sum, member| sum.saturating_add(member.ty.registers(single)))
        } else if single {
            rows * columns
        } else {
            match self.class_name() {
                "matrix_rows" => rows,
                "matrix_columns" => columns,
                _ => 1,
            }
        };
        one.saturating_mul(usize::from(self.elements))
    }

    /// The name of the class; empty if the code has none.
    pub fn class_name(&self) -> &'static str {
        CLASSES.get(usize::from(self.class)).copied().unwrap_or("")
    }

    /// The name of the type of a component or of the object; empty if the code has none.
    pub fn kind_name(&self) -> &'static str {
        KINDS.get(usize::from(self.kind)).copied().unwrap_or("")
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name; bytes that are no UTF-8 are replaced.
    pub name: String,
    /// Code of the register set, see [`RegisterSet`].
    pub set: u16,
    /// The first register.
    pub index: u16,
    /// Number of registers.
    pub count: u16,
    /// A field without documented meaning; compilers do not leave it zero.
    pub reserved: u16,
    /// Its type.
    pub ty: Type,
    /// The words of the default value, if there is one.
    pub default: Option<Vec<u32>>,
}

impl Constant {
    /// The register set, if the code has one.
    pub fn register_set(&self) -> Option<RegisterSet> {
        RegisterSet::from_code(self.set)
    }
}

/// A table of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantTable {
    /// Who made it.
    pub creator: Option<String>,
    /// The version token of the shader.
    pub version: u32,
    /// Flags of the compiler.
    pub flags: u32,
    /// The profile that was compiled for.
    pub target: Option<String>,
    /// The constants.
    pub constants: Vec<Constant>,
}

impl ConstantTable {
    /// One comment line a constant: its name, first register and number of registers.
    pub fn summary(&self, indent: &str) -> String {
        let mut out = String::new();
        for constant in &self.constants {
            let _ = write!(out, "{indent}// ");
            for c in constant.name.chars().take(64) {
                out.push(if c.is_control() { '?' } else { c });
            }
            let letter = constant.register_set().map_or('?', RegisterSet::letter);
            let _ = writeln!(out, " {letter}{} {}", constant.index, constant.count);
        }
        out
    }
}

/// The first table of a program, and what is wrong with it.
pub fn of(program: &Program) -> (Option<ConstantTable>, Vec<Diagnostic>) {
    let name = u32::from_le_bytes(*NAME);
    // One that is cut off is read as far as it goes.
    let cut =
        program.items().iter().filter(|item| item.kind == ItemKind::Cut).map(|item| program.words_of(*item));
    let cut = cut.filter(|words| words.first().is_some_and(|word| *word as u16 == code::COMMENT));
    let mut all = program.comments().chain(cut.filter_map(|words| words.get(1..)));
    match all.find(|words| words.first() == Some(&name)) {
        Some(words) => read(words),
        None => (None, Vec::new()),
    }
}
