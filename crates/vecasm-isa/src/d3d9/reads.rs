//! Which lanes of its sources an instruction reads, before the swizzle: what [`table`](super::table) says of operands, in lanes.
//!
//! Source: the pages of the instructions in Microsoft's shader reference.

use super::program::{Stage, Version};
use super::table::Opcode;
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
    let lanes = match (op, shape.last()) {
        (Opcode::Sincos, _) | (_, Some(Shape::Rows2)) => 3,
        (Opcode::Crs, _) | (_, Some(Shape::Rows3)) => 7,
        _ => 15,
    };
    WriteMask::from_bits(mask.bits() & lanes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_follow_the_model() {
        let of = |op, word, control, source| {
            lanes(op, Version(word), control, source, Shape::Src).mask(WriteMask::X, 2).bits()
        };
        assert_eq!(of(Opcode::Add, 0xfffe_0101, 0, 1), 1);
        assert_eq!(of(Opcode::Dst, 0xfffe_0101, 0, 1), 10);
        assert_eq!(of(Opcode::Dp2add, 0xffff_0200, 0, 2), 8);
        assert_eq!(of(Opcode::Tex, 0xffff_0200, 0, 0), 3);
        assert_eq!(of(Opcode::Tex, 0xffff_0200, 1, 0), 11);
        assert_eq!(of(Opcode::Tex, 0xffff_0104, 0, 0), 7);
        assert_eq!(of(Opcode::Texkill, 0xffff_0101, 0, 0), 0);
        assert_eq!(of(Opcode::Cnd, 0xffff_0103, 0, 0), 8);
        assert_eq!(of(Opcode::Cnd, 0xffff_0104, 0, 0), 1);
    }
}
