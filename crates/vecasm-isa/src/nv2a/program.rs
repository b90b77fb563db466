//! The lossless form of a program: slots, and what they came in.

use super::table::{Field, Ilu, Mac, Port, mask_from_field, swizzle_from_field};
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A slot: four words, the first of which the hardware does not keep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Slot(pub [u32; 4]);

impl core::fmt::Debug for Slot {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [a, b, c, d] = self.0;
        write!(f, "{a:08x} {b:08x} {c:08x} {d:08x}")
    }
}

/// The file that a source reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mux {
    /// Code 0, which has no meaning.
    Undefined,
    /// Temporaries.
    Temporary,
    /// Vertex attributes.
    Attribute,
    /// Constants.
    Constant,
}

/// A source of a slot as the fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub mux: Mux,
    /// The number of the register in its file; 0 if there is no file.
    pub number: u32,
    /// Whether A0 is added to the number.
    pub relative: bool,
    /// The components.
    pub swizzle: Swizzle,
    /// Whether the value is negated.
    pub negate: bool,
}

impl Slot {
    /// Bytes of a slot.
    pub const SIZE: usize = 16;

    /// What nv2a-vsh starts each slot with: every source is v0.xyzw, nothing is computed and nothing written.
    pub const EMPTY: Self = Self([0, 0x0000_001b, 0x0836_106c, 0x2070_0ff8]);

    /// The slot that nv2a-vsh appends to end a program whose last slot shall not.
    pub const END: Self = Self([0, 0, 0, 1]);

    /// The value of a field.
    #[inline]
    pub const fn get(&self, field: Field) -> u32 {
        field.get(&self.0)
    }

    /// Sets a field; bits that do not fit are dropped.
    #[inline]
    pub const fn set(&mut self, field: Field, value: u32) {
        field.set(&mut self.0, value);
    }

    /// The operation of the vector unit; codes 14 and 15 are none.
    #[inline]
    pub const fn mac(&self) -> Option<Mac> {
        Mac::from_code(self.get(Field::Mac))
    }

    /// The operation of the scalar unit.
    #[inline]
    pub const fn ilu(&self) -> Ilu {
        Ilu::from_code(self.get(Field::Ilu))
    }

    /// A source.
    #[inline]
    pub const fn source(&self, port: Port) -> Source {
        let (mux, temp, swizzle, negate) = port.fields();
        let (mux, number) = match self.get(mux) {
            1 => (Mux::Temporary, self.get(temp)),
            2 => (Mux::Attribute, self.get(Field::Input)),
            3 => (Mux::Constant, self.get(Field::Const)),
            _ => (Mux::Undefined, 0),
        };
        Source {
            mux,
            number,
            relative: matches!(mux, Mux::Constant) && self.get(Field::A0x) == 1,
            swizzle: swizzle_from_field(self.get(swizzle)),
            negate: self.get(negate) == 1,
        }
    }

    /// Whether an operation of the slot reads that source.
    pub fn reads(&self, port: Port) -> bool {
        self.mac().is_some_and(|mac| mac.ports().contains(&port))
            || (port == Port::C && self.ilu() != Ilu::Nop)
    }

    /// The lanes of a temporary that the vector unit writes.
    #[inline]
    pub const fn mac_mask(&self) -> WriteMask {
        mask_from_field(self.get(Field::OutMacMask))
    }

    /// The lanes of a temporary that the scalar unit writes.
    #[inline]
    pub const fn ilu_mask(&self) -> WriteMask {
        mask_from_field(self.get(Field::OutIluMask))
    }

    /// The temporary that the scalar unit writes: R1 beside an operation of the vector unit, whatever the field says.
    #[inline]
    pub const fn ilu_temporary(&self) -> u32 {
        if self.get(Field::Mac) == 0 { self.get(Field::OutTempReg) } else { super::table::PAIRED_TEMPORARY }
    }

    /// The lanes of an output or constant that are written.
    #[inline]
    pub const fn output_mask(&self) -> WriteMask {
        mask_from_field(self.get(Field::OutOMask))
    }

    /// Whether the program ends with this slot.
    #[inline]
    pub const fn is_final(&self) -> bool {
        self.get(Field::Final) == 1
    }
}

/// What the slots of a program came in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Container {
    /// Nothing: the words alone.
    #[default]
    Bare,
    /// The header of the XDK's microcode files.
    Microcode {
        /// The version word, which says what kind of program it is; see [`Kind`].
        version: u16,
        /// The number of slots that the header names; files may hold less or more.
        count: u16,
    },
    /// A stream of commands for the graphics processor.
    Pushbuffer(Vec<Commands>),
}

/// The commands of a pushbuffer that stand in front of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// The slot that they stand in front of; the number of slots if they stand behind the last.
    pub before: usize,
    /// The words: headers of methods and the data of all methods but the upload of slots.
    pub words: Vec<u32>,
}

/// What the version word of a microcode header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A vertex program.
    Vertex,
    /// A vertex state program: runs without vertices, to write constants.
    State,
    /// A vertex program that writes constants.
    ReadWrite,
    /// The version word that xemu gives its own programs.
    Xemu,
}

impl Kind {
    /// Every kind with its version word and name. Sources: Cxbx-Reloaded's `X_VSH_SHADER_HEADER`, xemu's `vsh-prog.h`.
    pub const ALL: &'static [(Self, u16, &'static str)] = &[
        (Self::Vertex, 0x2078, "vertex"),
        (Self::State, 0x7378, "state"),
        (Self::ReadWrite, 0x7778, "read-write"),
        (Self::Xemu, 0xf078, "xemu"),
    ];

    /// The kind of a version word.
    pub fn from_version(version: u16) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == version).map(|row| row.0)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }
}

/// A program, without loss of a bit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// What the slots came in.
    pub container: Container,
    /// The slots, in the order of the file.
    pub slots: Vec<Slot>,
    /// What is left behind the last whole slot.
    pub tail: Vec<u8>,
}

impl Program {
    /// A program of these slots and nothing else.
    pub fn new(slots: Vec<Slot>) -> Self {
        Self { slots, ..Self::default() }
    }

    /// Number of bytes in front of the slots, where they stand together.
    pub const fn header_size(&self) -> usize {
        match self.container {
            Container::Microcode { .. } => 4,
            Container::Bare | Container::Pushbuffer(_) => 0,
        }
    }

    /// Byte offset of each slot in the encoded program.
    pub fn offsets(&self) -> Vec<usize> {
        let mut commands = match &self.container {
            Container::Pushbuffer(commands) => commands.as_slice(),
            _ => &[],
        };
        let mut at = self.header_size();
        let mut out = Vec::with_capacity(self.slots.len());
        for index in 0..self.slots.len() {
            while let Some((first, rest)) = commands.split_first().filter(|(first, _)| first.before <= index)
            {
                at += first.words.len() * 4;
                commands = rest;
            }
            out.push(at);
            at += Slot::SIZE;
        }
        out
    }
}
