//! Which lanes of its sources an instruction reads, before the swizzle, and what it does with its destination, with coordinates and with
//! registers of flow control: what [`table`](super::table) says of operands, in lanes.
//!
//! Source: the pages of the instructions in Microsoft's shader reference.

use super::program::{Stage, Version};
use super::table::{Opcode, Unit};
use crate::table::Shape;
use vecasm_ir::operand::WriteMask;

/// Lanes of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// The lanes that are written.
    Written,
    /// These.
    Of(WriteMask),
    /// One, which the swizzle names four times. Direct3D 8 takes a swizzle of several letters too and reads w.
    Scalar,
    /// As many as the texture has dimensions.
    Coordinates,
    /// As many as the texture has dimensions, and w.
    CoordinatesAndW,
}

const NONE: Lanes = Lanes::Of(WriteMask::NONE);
const XY: Lanes = Lanes::Of(WriteMask::from_bits(3));
const XYZ: Lanes = Lanes::Of(WriteMask::XYZ);
const ALL: Lanes = Lanes::Of(WriteMask::ALL);
const YZ: Lanes = Lanes::Of(WriteMask::from_bits(6));
const YW: Lanes = Lanes::Of(WriteMask::from_bits(10));
const XW: Lanes = Lanes::Of(WriteMask::from_bits(9));
const XYW: Lanes = Lanes::Of(WriteMask::from_bits(11));

/// The instructions whose sources are not read lane by lane as the result is written; the last entry stands for all further
/// sources. Operands of the shape [`Shape::Scalar`] are [`Lanes::Scalar`] without a row.
pub const ROWS: &[(Opcode, &[Lanes])] = &[
    (Opcode::Dp3, &[XYZ]),
    (Opcode::Dp4, &[ALL]),
    (Opcode::Lit, &[XYW]),
    (Opcode::Dst, &[YZ, YW]),
    (Opcode::M4x4, &[ALL]),
    (Opcode::M4x3, &[ALL]),
    (Opcode::M3x4, &[XYZ]),
    (Opcode::M3x3, &[XYZ]),
    (Opcode::M3x2, &[XYZ]),
    (Opcode::Crs, &[XYZ]),
    (Opcode::Nrm, &[XYZ]),
    (Opcode::Sgn, &[Lanes::Written, NONE]),
    (Opcode::Sincos, &[Lanes::Scalar, ALL]),
    (Opcode::Texkill, &[XYZ]),
    (Opcode::Texbem, &[XY]),
    (Opcode::Texbeml, &[XYZ]),
    (Opcode::Texreg2ar, &[XW]),
    (Opcode::Texreg2gb, &[YZ]),
    (Opcode::Texm3x2pad, &[XYZ]),
    (Opcode::Texm3x2tex, &[XYZ]),
    (Opcode::Texm3x3pad, &[XYZ]),
    (Opcode::Texm3x3tex, &[XYZ]),
    (Opcode::Texm3x3spec, &[XYZ]),
    (Opcode::Texm3x3vspec, &[XYZ]),
    (Opcode::Texreg2rgb, &[XYZ]),
    (Opcode::Texdp3tex, &[XYZ]),
    (Opcode::Texm3x2depth, &[XYZ]),
    (Opcode::Texdp3, &[XYZ]),
    (Opcode::Texm3x3, &[XYZ]),
    (Opcode::Bem, &[XY]),
    (Opcode::Dp2add, &[XY, XY, Lanes::Scalar]),
    (Opcode::Texldd, &[Lanes::Coordinates]),
    (Opcode::Texldl, &[Lanes::CoordinatesAndW]),
];

/// What an instruction reads of a source: `source` counts from 0 without the destination, `control` are the control bits.
pub fn lanes(op: Opcode, version: Version, control: u8, source: usize, shape: Shape) -> Lanes {
    if shape == Shape::Scalar {
        return Lanes::Scalar;
    }
    match op {
        // Both stages number their versions alike, and only pixel shaders have these.
        Opcode::Tex if version.major() >= 2 && control == 0 => Lanes::Coordinates,
        Opcode::Tex if version.major() >= 2 => Lanes::CoordinatesAndW,
        Opcode::Tex => XYZ,
        // Up to 1.3 the interpolated coordinates are tested, not the register.
        Opcode::Texkill if version.number() < 0x0104 => NONE,
        Opcode::Texkill if version.major() >= 2 => Lanes::Written,
        Opcode::Cnd if source == 0 && version.stage() == Stage::Pixel && version.number() < 0x0104 => {
            Lanes::Scalar
        }
        _ => {
            let row = ROWS.iter().find(|row| row.0 == op).map_or(&[][..], |row| row.1);
            row.get(source).or(row.last()).copied().unwrap_or(Lanes::Written)
        }
    }
}

/// What an instruction writes of the lanes in its mask: a matrix has one for each of its rows, crs has three, sincos two.
pub fn written(op: Opcode, shape: &[Shape], mask: WriteMask) -> WriteMask {
    let lanes = match (op, shape.last().map_or(1, |shape| shape.rows())) {
        (Opcode::Sincos, _) => 2,
        (Opcode::Crs, _) => 3,
        (_, 1) => 4,
        (_, rows) => rows,
    };
    WriteMask::from_bits(mask.bits() & WriteMask::first(lanes).bits())
}

/// The lanes of its destination that an instruction reads instead of writing it; `None` of those that write theirs. [Two of
/// them](writes_depth) write the depth.
pub const fn destination(op: Opcode) -> Option<WriteMask> {
    match op {
        // A quotient of these two lanes is the depth.
        Opcode::Texdepth => Some(WriteMask::first(2)),
        // Rows of a matrix: what they give goes on to the last one.
        Opcode::Texm3x2pad | Opcode::Texm3x3pad | Opcode::Texm3x2depth => Some(WriteMask::ALL),
        _ => None,
    }
}

/// Whether an instruction writes the depth, which it does not name.
pub const fn writes_depth(op: Opcode) -> bool {
    matches!(op, Opcode::Texdepth | Opcode::Texm3x2depth)
}

/// Whether an instruction reads the texture coordinates that have the name of its destination, or of the register that it tests: in
/// ps_1_0 to ps_1_3, where the register holds them until an instruction writes it.
pub fn has_coordinates(op: Opcode, version: Version) -> bool {
    let own = !matches!(op, Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texreg2rgb);
    let old = version.stage() == Stage::Pixel && version.number() < 0x0104;
    old && own && op.row().unit == Unit::Texture
}

/// What flow control does with a register that is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// It reads these lanes, before the swizzle.
    Reads(WriteMask),
    /// It sets the register: a loop its counter.
    Sets(WriteMask),
}

/// What flow control does with a register of that shape; `None` of other shapes. Rules ask for none of these lanes.
pub fn of_control(op: Opcode, shape: Shape) -> Option<Control> {
    Some(match shape {
        Shape::Counter => Control::Sets(WriteMask::X),
        // The count; of a loop also the first value and the step.
        Shape::Integer if op == Opcode::Loop => Control::Reads(WriteMask::XYZ),
        Shape::Integer | Shape::Condition => Control::Reads(WriteMask::X),
        _ => return None,
    })
}

/// What an instruction reads of a source, before the swizzle, besides [`lanes`]: no rule asks whether anything was written there.
pub const fn unasked(op: Opcode, written: WriteMask) -> WriteMask {
    match op {
        // w is divided by the length, too.
        Opcode::Nrm => written,
        _ => WriteMask::NONE,
    }
}

/// The lanes of the texture coordinates that a sampler of that [kind](super::registers::SAMPLER_KINDS) needs; those of two
/// dimensions if the kind is not said.
pub const fn coordinates(kind: u8) -> WriteMask {
    match kind {
        1 => WriteMask::X,
        3 | 4 => WriteMask::XYZ,
        _ => WriteMask::from_bits(3),
    }
}

impl Lanes {
    /// The lanes, before the swizzle, for a result with this mask and a sampler of this kind.
    pub const fn mask(self, written: WriteMask, kind: u8) -> WriteMask {
        match self {
            Self::Written => written,
            Self::Of(lanes) => lanes,
            Self::Scalar => WriteMask::from_bits(8),
            Self::Coordinates => coordinates(kind),
            Self::CoordinatesAndW => coordinates(kind).union(WriteMask::from_bits(8)),
        }
    }
}
