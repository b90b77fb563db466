//! The instructions of AGAL, in the order of their codes.
//!
//! Sources: Adobe's AGALMiniAssembler (codes, operand counts, versions, stages), Adobe's C++ `agal.cpp` of the
//! glsl2agal repository (flags, the meaning of codes 1a–26 in version 1), the AGAL documents of Adobe (meaning).

use super::lift::{LiftFn, custom as lift};
use crate::table::isa_table;
use vecasm_ir::ir::Pure;

isa_table! {
    /// An operation of AGAL.
    pub enum Opcode(LiftFn);

    /// Copies the source.
    Mov = 0x00 "mov" 0..=4 VF Straight 4 (Dst, Src) => Custom(lift::mov);
    /// source 1 + source 2, by lane.
    Add = 0x01 "add" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// source 1 − source 2, by lane.
    Sub = 0x02 "sub" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Sub);
    /// source 1 · source 2, by lane.
    Mul = 0x03 "mul" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// source 1 / source 2, by lane.
    Div = 0x04 "div" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Div);
    /// 1 / source, by lane.
    Rcp = 0x05 "rcp" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Rcp);
    /// The smaller of the sources, by lane.
    Min = 0x06 "min" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The larger of the sources, by lane.
    Max = 0x07 "max" 0..=4 VF Straight 4 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// source − floor(source), by lane.
    Frc = 0x08 "frc" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Fract);
    /// The square root, by lane; of |source| in the `flash` numerics.
    Sqt = 0x09 "sqt" 0..=4 VF Straight 4 (Dst, Src) => Custom(lift::sqt);
    /// 1 / square root, by lane; of |source| in the `flash` numerics.
    Rsq = 0x0a "rsq" 0..=4 VF Straight 4 (Dst, Src) => Custom(lift::rsq);
    /// source 1 to the power source 2, by lane; of |source 1| in the `flash` numerics.
    Pow = 0x0b "pow" 0..=4 VF Straight 4 (Dst, Src, Src) => Custom(lift::pow);
    /// The base-2 logarithm, by lane; of |source| in the `flash` numerics.
    Log = 0x0c "log" 0..=4 VF Straight 4 (Dst, Src) => Custom(lift::log);
    /// 2 to the power source, by lane.
    Exp = 0x0d "exp" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Exp2);
    /// The vector xyz divided by its length.
    Nrm = 0x0e "nrm" 0..=4 VF Straight 3 (Dst, Src) => Custom(lift::nrm);
    /// The sine of an angle in radians, by lane.
    Sin = 0x0f "sin" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Sin);
    /// The cosine of an angle in radians, by lane.
    Cos = 0x10 "cos" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Cos);
    /// The cross product of the vectors xyz.
    Crs = 0x11 "crs" 0..=4 VF Straight 3 (Dst, Src, Src) => Custom(lift::crs);
    /// The dot product of the vectors xyz, in every lane.
    Dp3 = 0x12 "dp3" 0..=4 VF Straight 4 (Dst, Src, Src) => Replicate(Pure::Dot, 3);
    /// The dot product of the vectors xyzw, in every lane.
    Dp4 = 0x13 "dp4" 0..=4 VF Straight 4 (Dst, Src, Src) => Replicate(Pure::Dot, 4);
    /// The absolute value, by lane.
    Abs = 0x14 "abs" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Abs);
    /// The negated value, by lane.
    Neg = 0x15 "neg" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Neg);
    /// Clamped to 0..1, by lane.
    Sat = 0x16 "sat" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Saturate);
    /// The vector xyz times a 3×3 matrix: the dot products of xyz with the rows in three consecutive registers.
    M33 = 0x17 "m33" 0..=4 VF Straight 3 (Dst, Src, Rows3) => Custom(lift::m33);
    /// The vector xyzw times a 4×4 matrix: the dot products with the rows in four consecutive registers.
    M44 = 0x18 "m44" 0..=4 VF Straight 4 (Dst, Src, Rows4) => Custom(lift::m44);
    /// The vector xyzw times a 3×4 matrix: the dot products with the rows in three consecutive registers.
    M34 = 0x19 "m34" 0..=4 VF Straight 3 (Dst, Src, Rows3) => Custom(lift::m34);
    /// The derivative along x, by lane.
    Ddx = 0x1a "ddx" 2..=4 F Straight 4 (Dst, Src) => Custom(lift::ddx);
    /// The derivative along y, by lane.
    Ddy = 0x1b "ddy" 2..=4 F Straight 4 (Dst, Src) => Custom(lift::ddy);
    /// Goes on if the sources are equal, else after the matching els or eif.
    Ife = 0x1c "ife" 2..=4 VF If 0 (Scalar, Scalar) => Custom(lift::ife);
    /// Goes on if the sources differ, else after the matching els or eif.
    Ine = 0x1d "ine" 2..=4 VF If 0 (Scalar, Scalar) => Custom(lift::ine);
    /// Goes on if source 1 is greater than source 2 (Adobe's document says: greater or equal), else after the
    /// matching els or eif.
    Ifg = 0x1e "ifg" 2..=4 VF If 0 (Scalar, Scalar) => Custom(lift::ifg);
    /// Goes on if source 1 is less than source 2, else after the matching els or eif.
    Ifl = 0x1f "ifl" 2..=4 VF If 0 (Scalar, Scalar) => Custom(lift::ifl);
    /// Separates the two branches of a conditional.
    Els = 0x20 "els" 2..=4 VF Else 0 () => Custom(lift::els);
    /// Ends a conditional.
    Eif = 0x21 "eif" 2..=4 VF EndIf 0 () => Custom(lift::eif);
    /// Reads a texture at the level in lane w of source 1: the form of tex without derivatives, of the AGAL 2 beta.
    Ted = 0x26 "ted" 2..=4 F Straight 4 (Dst, Src, Sampler) => Custom(lift::ted);
    /// Discards the fragment if the source is less than zero.
    Kil = 0x27 "kil" 0..=4 F Straight 0 (Scalar) => Custom(lift::kil);
    /// Reads a texture at the coordinates of source 1.
    Tex = 0x28 "tex" 0..=4 F Straight 4 (Dst, Src, Sampler) => Custom(lift::tex);
    /// 1 where source 1 >= source 2, else 0, by lane.
    Sge = 0x29 "sge" 0..=4 VF Straight 4 (Dst, Src, Src) => Set(Pure::Ge);
    /// 1 where source 1 < source 2, else 0, by lane.
    Slt = 0x2a "slt" 0..=4 VF Straight 4 (Dst, Src, Src) => Set(Pure::Lt);
    /// The sign, −1, 0 or 1, by lane. Assemblers know it, players refuse it.
    Sgn = 0x2b "sgn" 0..=4 VF Straight 4 (Dst, Src) => PerComponent(Pure::Sign);
    /// 1 where the sources are equal, else 0, by lane.
    Seq = 0x2c "seq" 0..=4 VF Straight 4 (Dst, Src, Src) => Set(Pure::Eq);
    /// 1 where the sources differ, else 0, by lane.
    Sne = 0x2d "sne" 0..=4 VF Straight 4 (Dst, Src, Src) => Set(Pure::Ne);
    /// Reads a texture in a vertex program at the coordinates of source 1, level 0.
    Tld = 0x2e "tld" 0..=4 V Straight 4 (Dst, Src, Sampler) => Custom(lift::tld);

    /// Version 1, never implemented: opens a conditional, source = 0.
    Ifz1 = 0x1a "ifz" 0..=1 VF If 0 (Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, source ≠ 0.
    Inz1 = 0x1b "inz" 0..=1 VF If 0 (Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, equal.
    Ife1 = 0x1c "ife" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, not equal.
    Ine1 = 0x1d "ine" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, greater.
    Ifg1 = 0x1e "ifg" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, less.
    Ifl1 = 0x1f "ifl" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, greater or equal.
    Ieg1 = 0x20 "ieg" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: opens a conditional, less or equal.
    Iel1 = 0x21 "iel" 0..=1 VF If 0 (Scalar, Scalar) => Reserved;
    /// Version 1, never implemented: separates the branches of a conditional.
    Els1 = 0x22 "els" 0..=1 VF Else 0 () => Reserved;
    /// Version 1, never implemented: ends a conditional.
    Eif1 = 0x23 "eif" 0..=1 VF EndIf 0 () => Reserved;
    /// Version 1, never implemented: repeats.
    Rep1 = 0x24 "rep" 0..=1 VF If 0 (Scalar) => Reserved;
    /// Version 1, never implemented: ends a repetition.
    Erp1 = 0x25 "erp" 0..=1 VF EndIf 0 () => Reserved;
    /// Version 1, never implemented: leaves a repetition.
    Brk1 = 0x26 "brk" 0..=1 VF Straight 0 () => Reserved;
}

/// Number of codes that have a row in some version.
const CODES: usize = 0x2f;

/// For versions up to 1 and above, the operation of each code.
static BY_CODE: [[Option<Opcode>; CODES]; 2] = [by_code(1), by_code(4)];

const fn by_code(version: u32) -> [Option<Opcode>; CODES] {
    let mut out = [None; CODES];
    let mut i = 0;
    while i < Opcode::ALL.len() {
        let row = Opcode::ALL[i].row();
        // Rows that start later are kept in version 1 only where no other row has the code: `since` is for the
        // validator, a disassembler names what it can.
        let fits = version <= row.until && (version >= row.since || row.code >= 0x27);
        if fits {
            out[row.code as usize] = Some(Opcode::ALL[i]);
        }
        i += 1;
    }
    out
}

impl Opcode {
    /// The operation with that code in programs of `version`; unknown versions read as the newest.
    pub fn from_code(code: u32, version: u32) -> Option<Self> {
        *BY_CODE[usize::from(version > 1)].get(code as usize)?
    }

    /// The operation with that spelling in programs of `version`, or, if the version has none, in the newest
    /// version that does. A spelling may be that of several rows, so this is no case for `spelled!`.
    pub fn from_name(name: &str, version: u32) -> Option<Self> {
        let named = || Self::ALL.iter().copied().filter(|op| op.row().name == name);
        let fits = |op: &Self| (op.row().since..=op.row().until).contains(&version);
        named().find(fits).or_else(|| named().max_by_key(|op| op.row().until))
    }
}
