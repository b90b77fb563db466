//! The operations of both units in the order of their codes, the fields of a slot, and the names of registers.
//!
//! Sources: nv2a-vsh 0.1.12 (codes, spellings, names of fields and registers), envytools' `docs/hw/graph/xf/isa.rst`
//! and xemu's `vsh-prog.c` (bit positions, meaning); all agree.

use crate::table::{OpRow, isa_table};
use vecasm_ir::ir::Pure;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// An operation whose way to the IR is not one operation lane by lane or replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// Nothing is computed.
    Nop,
    /// The bits of the source.
    Move,
    /// A product and a sum, two operations.
    MultiplyAdd,
    /// A dot product whose fourth term is a lane of the second source alone.
    DotHomogeneous,
    /// Distance vector.
    Distance,
    /// The address register is written.
    Address,
    /// The parts of an exponential.
    Exponential,
    /// The parts of a logarithm.
    Logarithm,
    /// Light coefficients.
    Light,
}

isa_table! {
    /// An operation of the vector unit.
    pub enum Mac(Special);

    /// Nothing.
    Nop = 0 "nop" 1..=1 V Straight 0 () => Custom(Special::Nop);
    /// Copies the bits of source A.
    Mov = 1 "mov" 1..=1 V Straight 4 (Dst, Src) => Custom(Special::Move);
    /// A · B, by lane.
    Mul = 2 "mul" 1..=1 V Straight 4 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// A + C, by lane; source B is ignored.
    Add = 3 "add" 1..=1 V Straight 4 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// A · B + C, by lane; the product is rounded first.
    Mad = 4 "mad" 1..=1 V Straight 4 (Dst, Src, Src, Src) => Custom(Special::MultiplyAdd);
    /// The dot product of the vectors xyz, in every lane.
    Dp3 = 5 "dp3" 1..=1 V Straight 4 (Dst, Src, Src) => Replicate(Pure::Dot, 3);
    /// The dot product of A.xyz1 and B.xyzw, in every lane.
    Dph = 6 "dph" 1..=1 V Straight 4 (Dst, Src, Src) => Custom(Special::DotHomogeneous);
    /// The dot product of the vectors xyzw, in every lane.
    Dp4 = 7 "dp4" 1..=1 V Straight 4 (Dst, Src, Src) => Replicate(Pure::Dot, 4);
    /// The distance vector (1, A.y · B.y, A.z, B.w).
    Dst = 8 "dst" 1..=1 V Straight 4 (Dst, Src, Src) => Custom(Special::Distance);
    /// The smaller of A and B, by lane, in the total order of the bits.
    Min = 9 "min" 1..=1 V Straight 4 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The larger of A and B, by lane, in the total order of the bits.
    Max = 10 "max" 1..=1 V Straight 4 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// 1 where A < B, else 0, by lane, in the total order of the bits.
    Slt = 11 "slt" 1..=1 V Straight 4 (Dst, Src, Src) => Set(Pure::Lt);
    /// 1 where A >= B, else 0, by lane, in the total order of the bits.
    Sge = 12 "sge" 1..=1 V Straight 4 (Dst, Src, Src) => Set(Pure::Ge);
    /// Sets the address register A0 to floor(A.x).
    Arl = 13 "arl" 1..=1 V Straight 1 (Dst, Src) => Custom(Special::Address);
}

isa_table! {
    /// An operation of the scalar unit. Its source is C.
    pub enum Ilu(Special);

    /// Nothing.
    Nop = 0 "nop" 1..=1 V Straight 0 () => Custom(Special::Nop);
    /// Copies the bits of source C.
    Mov = 1 "mov" 1..=1 V Straight 4 (Dst, Src) => Custom(Special::Move);
    /// 1 / C.x, in every lane.
    Rcp = 2 "rcp" 1..=1 V Straight 4 (Dst, Scalar) => Replicate(Pure::Rcp, 1);
    /// 1 / C.x with a magnitude clamped to 2^-64..2^64, in every lane.
    Rcc = 3 "rcc" 1..=1 V Straight 4 (Dst, Scalar) => Replicate(Pure::Rcc, 1);
    /// 1 / sqrt(|C.x|), in every lane.
    Rsq = 4 "rsq" 1..=1 V Straight 4 (Dst, Scalar) => Replicate(Pure::Rsq, 1);
    /// (2^floor(C.x), C.x - floor(C.x), about 2^C.x, 1).
    Expp = 5 "expp" 1..=1 V Straight 4 (Dst, Scalar) => Custom(Special::Exponential);
    /// (exponent of |C.x|, mantissa of |C.x|, about log2 |C.x|, 1).
    Logp = 6 "logp" 1..=1 V Straight 4 (Dst, Scalar) => Custom(Special::Logarithm);
    /// Light coefficients (1, max(C.x, 0), C.x > 0 ? max(C.y, 0)^C.w : 0, 1).
    Lit = 7 "lit" 1..=1 V Straight 4 (Dst, Src) => Custom(Special::Light);
}

impl Mac {
    /// The operation with that code; 14 and 15 have none.
    pub const fn from_code(code: u32) -> Option<Self> {
        if (code as usize) < Self::ALL.len() { Some(Self::ALL[code as usize]) } else { None }
    }

    /// The sources that the operands stand for, in text order.
    pub const fn ports(self) -> &'static [Port] {
        match self {
            Self::Nop => &[],
            Self::Mov | Self::Arl => &[Port::A],
            Self::Add => &[Port::A, Port::C],
            Self::Mad => &[Port::A, Port::B, Port::C],
            _ => &[Port::A, Port::B],
        }
    }
}

impl Ilu {
    /// The operation with that code; only the low three bits count.
    pub const fn from_code(code: u32) -> Self {
        Self::ALL[(code & 7) as usize]
    }

    /// Whether only the first component of the source is read.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::Rcp | Self::Rcc | Self::Rsq | Self::Expp | Self::Logp)
    }
}

/// Whether the rows stand in the order of their codes: `from_code` above takes them by code.
const fn in_order(rows: &[OpRow<Special>]) -> bool {
    let mut i = 0;
    while i < rows.len() {
        if rows[i].code as usize != i {
            return false;
        }
        i += 1;
    }
    true
}

const _: () = assert!(in_order(Mac::ROWS) && in_order(Ilu::ROWS));

/// A source of a slot. All three are fetched before either unit works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Port {
    /// The first source of the vector unit.
    A,
    /// The second source of the vector unit.
    B,
    /// The third source of the vector unit, and the one of the scalar unit.
    C,
}

impl Port {
    /// All three.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    /// The fields of the file, the temporary, the swizzle and the sign.
    #[inline]
    pub const fn fields(self) -> (Field, Field, Field, Field) {
        match self {
            Self::A => (Field::AMux, Field::ATempReg, Field::ASwz, Field::ANeg),
            Self::B => (Field::BMux, Field::BTempReg, Field::BSwz, Field::BNeg),
            Self::C => (Field::CMux, Field::CTempReg, Field::CSwz, Field::CNeg),
        }
    }

    /// Its letter.
    pub const fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
        }
    }
}

/// Consecutive bits of one word of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The name that nv2a-vsh gives it in explanations.
    pub name: &'static str,
    /// The word, 0–3.
    pub word: u8,
    /// The lowest bit, 0–31.
    pub low: u8,
    /// Number of bits, 1–32.
    pub width: u8,
}

impl Piece {
    /// The bits of the piece when they stand lowest.
    const fn ones(self) -> u32 {
        u32::MAX >> (32 - self.width as u32)
    }

    /// Its value in a slot.
    pub const fn get(self, words: &[u32; 4]) -> u32 {
        (words[self.word as usize & 3] >> self.low) & self.ones()
    }
}

/// Makes the enum of fields: a doc comment, the variant, its name in text, its pieces from the most significant on.
macro_rules! fields {
    ($( #[doc = $doc:literal] $V:ident = $name:literal { $( $piece:literal $word:literal $low:literal $width:literal ),+ } )*) => {
        /// A field of a slot. Together the fields are all 128 bits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Field { $( #[doc = $doc] $V ),* }

        impl Field {
            /// Every field, from word 0 on, each word from its most significant bit on.
            pub const ALL: &'static [Field] = &[$(Field::$V),*];

            /// The name in text.
            pub const fn name(self) -> &'static str { match self { $(Field::$V => $name),* } }

            /// What it is, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Field::$V => $doc.trim_ascii()),* } }

            /// Where it stands, from its most significant piece on.
            #[inline]
            pub const fn pieces(self) -> &'static [Piece] {
                match self {
                    $(Field::$V => const { &[$( Piece { name: $piece, word: $word, low: $low, width: $width } ),+] }),*
                }
            }
        }
    };
}

fields! {
    /// Not kept by the hardware.
    Word0 = "WORD0" { "WORD0" 0 0 32 }
    /// Not kept by the hardware: the memory of the program has 92 bits a slot.
    Word1High = "WORD1_HIGH" { "WORD1_HIGH" 1 28 4 }
    /// The operation of the scalar unit.
    Ilu = "ILU" { "ILU" 1 25 3 }
    /// The operation of the vector unit.
    Mac = "MAC" { "MAC" 1 21 4 }
    /// Number of the constant that all sources share, or the base that A0 is added to.
    Const = "CONST" { "CONST" 1 13 8 }
    /// Number of the vertex attribute that all sources share.
    Input = "INPUT" { "INPUT" 1 9 4 }
    /// Whether source A is negated.
    ANeg = "A_NEG" { "A_NEG" 1 8 1 }
    /// The components that source A takes for x, y, z, w.
    ASwz = "A_SWZ" { "A_SWZ_X" 1 6 2, "A_SWZ_Y" 1 4 2, "A_SWZ_Z" 1 2 2, "A_SWZ_W" 1 0 2 }
    /// Number of the temporary of source A.
    ATempReg = "A_TEMP_REG" { "A_TEMP_REG" 2 28 4 }
    /// File of source A: 1 temporary, 2 attribute, 3 constant.
    AMux = "A_MUX" { "A_MUX" 2 26 2 }
    /// Whether source B is negated.
    BNeg = "B_NEG" { "B_NEG" 2 25 1 }
    /// The components that source B takes for x, y, z, w.
    BSwz = "B_SWZ" { "B_SWZ_X" 2 23 2, "B_SWZ_Y" 2 21 2, "B_SWZ_Z" 2 19 2, "B_SWZ_W" 2 17 2 }
    /// Number of the temporary of source B.
    BTempReg = "B_TEMP_REG" { "B_TEMP_REG" 2 13 4 }
    /// File of source B: 1 temporary, 2 attribute, 3 constant.
    BMux = "B_MUX" { "B_MUX" 2 11 2 }
    /// Whether source C is negated.
    CNeg = "C_NEG" { "C_NEG" 2 10 1 }
    /// The components that source C takes for x, y, z, w.
    CSwz = "C_SWZ" { "C_SWZ_X" 2 8 2, "C_SWZ_Y" 2 6 2, "C_SWZ_Z" 2 4 2, "C_SWZ_W" 2 2 2 }
    /// Number of the temporary of source C.
    CTempReg = "C_TEMP_REG" { "C_TEMP_REG_HIGH" 2 0 2, "C_TEMP_REG_LOW" 3 30 2 }
    /// File of source C: 1 temporary, 2 attribute, 3 constant.
    CMux = "C_MUX" { "C_MUX" 3 28 2 }
    /// The lanes of a temporary that the vector unit writes, x first.
    OutMacMask = "OUT_MAC_MASK" { "OUT_MAC_MASK" 3 24 4 }
    /// The temporary that the vector unit writes, or the scalar unit where it is alone; beside another operation the scalar unit writes R1.
    OutTempReg = "OUT_TEMP_REG" { "OUT_TEMP_REG" 3 20 4 }
    /// The lanes of a temporary that the scalar unit writes, x first.
    OutIluMask = "OUT_ILU_MASK" { "OUT_ILU_MASK" 3 16 4 }
    /// The lanes of an output or constant that are written, x first.
    OutOMask = "OUT_O_MASK" { "OUT_O_MASK" 3 12 4 }
    /// Whether that is an output register (1) or a constant (0).
    OutOrb = "OUT_ORB" { "OUT_ORB" 3 11 1 }
    /// Number of that output or constant.
    OutAddress = "OUT_ADDRESS" { "OUT_ADDRESS" 3 3 8 }
    /// Which unit writes it: 0 vector, 1 scalar.
    OutMux = "OUT_MUX" { "OUT_MUX" 3 2 1 }
    /// Whether the number of the constant that sources read is relative to A0.
    A0x = "A0X" { "A0X" 3 1 1 }
    /// Whether the program ends with this slot.
    Final = "FINAL" { "FINAL" 3 0 1 }
}

impl Field {
    /// Number of bits.
    pub const fn width(self) -> u32 {
        let pieces = self.pieces();
        let (mut i, mut width) = (0, 0);
        while i < pieces.len() {
            width += pieces[i].width as u32;
            i += 1;
        }
        width
    }

    /// Its value in a slot.
    #[inline]
    pub const fn get(self, words: &[u32; 4]) -> u32 {
        let pieces = self.pieces();
        // Most fields are one piece; the loop also has to stop before a shift by 32.
        let mut value = pieces[0].get(words);
        let mut i = 1;
        while i < pieces.len() {
            value = value << pieces[i].width | pieces[i].get(words);
            i += 1;
        }
        value
    }

    /// Sets it in a slot; bits that do not fit are dropped.
    #[inline]
    pub const fn set(self, words: &mut [u32; 4], value: u32) {
        let pieces = self.pieces();
        let mut rest = value;
        let mut i = pieces.len();
        while i > 0 {
            i -= 1;
            let piece = pieces[i];
            let (ones, word) = (piece.ones(), piece.word as usize & 3);
            words[word] = words[word] & !(ones << piece.low) | (rest & ones) << piece.low;
            rest = if piece.width == 32 { 0 } else { rest >> piece.width };
        }
    }

    /// Whether it is the swizzle of a source.
    pub const fn is_swizzle(self) -> bool {
        matches!(self, Self::ASwz | Self::BSwz | Self::CSwz)
    }
}

vecasm_ir::spelled!(Field, "field", any case);

// Every bit belongs to one field.
const _: () = {
    let mut seen = [0_u32; 4];
    let mut i = 0;
    while i < Field::ALL.len() {
        let pieces = Field::ALL[i].pieces();
        let mut j = 0;
        while j < pieces.len() {
            let (bits, word) = (pieces[j].ones() << pieces[j].low, pieces[j].word as usize);
            assert!(seen[word] & bits == 0, "two fields share a bit");
            seen[word] |= bits;
            j += 1;
        }
        i += 1;
    }
    assert!(seen[0] & seen[1] & seen[2] & seen[3] == u32::MAX, "a bit has no field");
};

/// A swizzle from its field: x in the top two bits.
pub const fn swizzle_from_field(bits: u32) -> Swizzle {
    Swizzle::new((bits >> 6) as u8, (bits >> 4) as u8, (bits >> 2) as u8, bits as u8)
}

/// The field of a swizzle; the identity is 1b.
pub const fn swizzle_to_field(swizzle: Swizzle) -> u32 {
    let b = swizzle.bits() as u32;
    (b & 3) << 6 | (b >> 2 & 3) << 4 | (b >> 4 & 3) << 2 | b >> 6
}

/// A write mask from its field: x in the top bit.
pub const fn mask_from_field(bits: u32) -> WriteMask {
    let b = bits as u8;
    WriteMask::from_bits((b >> 3 & 1) | (b >> 1 & 2) | (b << 1 & 4) | (b << 3 & 8))
}

/// The field of a write mask.
pub const fn mask_to_field(mask: WriteMask) -> u32 {
    mask_from_field(mask.bits() as u32).bits() as u32
}

/// A register with names besides its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The number.
    pub number: u8,
    /// The short name.
    pub short: &'static str,
    /// The long name; of some registers it is the short one.
    pub long: &'static str,
    /// What it holds.
    pub doc: &'static str,
}

const fn named(number: u8, short: &'static str, long: &'static str, doc: &'static str) -> Named {
    Named { number, short, long, doc }
}

/// The output registers; the addresses between them have no name.
pub const OUTPUTS: &[Named] = &[
    named(0, "oPos", "oPos", "position"),
    named(3, "oD0", "oDiffuse", "diffuse colour"),
    named(4, "oD1", "oSpecular", "specular colour"),
    named(5, "oFog", "oFog", "fog coordinate"),
    named(6, "oPts", "oPts", "point size"),
    named(7, "oB0", "oBackDiffuse", "diffuse colour of back faces"),
    named(8, "oB1", "oBackSpecular", "specular colour of back faces"),
    named(9, "oT0", "oTex0", "texture coordinate 0"),
    named(10, "oT1", "oTex1", "texture coordinate 1"),
    named(11, "oT2", "oTex2", "texture coordinate 2"),
    named(12, "oT3", "oTex3", "texture coordinate 3"),
];

/// The vertex attributes that have a name besides their number.
pub const INPUTS: &[Named] = &[
    named(0, "v0", "iPos", "position"),
    named(1, "v1", "iWeight", "weight"),
    named(2, "v2", "iNormal", "normal"),
    named(3, "v3", "iDiffuse", "diffuse colour"),
    named(4, "v4", "iSpecular", "specular colour"),
    named(5, "v5", "iFog", "fog coordinate"),
    named(6, "v6", "iPts", "point size"),
    named(7, "v7", "iBackDiffuse", "diffuse colour of back faces"),
    named(8, "v8", "iBackSpecular", "specular colour of back faces"),
    named(9, "v9", "iTex0", "texture coordinate 0"),
    named(10, "v10", "iTex1", "texture coordinate 1"),
    named(11, "v11", "iTex2", "texture coordinate 2"),
    named(12, "v12", "iTex3", "texture coordinate 3"),
];

/// The output register of an address, if it has a name.
pub fn output(address: u32) -> Option<&'static Named> {
    const BY_ADDRESS: [Option<&Named>; 16] = {
        let mut out = [None; 16];
        let mut i = 0;
        while i < OUTPUTS.len() {
            out[OUTPUTS[i].number as usize] = Some(&OUTPUTS[i]);
            i += 1;
        }
        out
    };
    BY_ADDRESS.get(address as usize).copied().flatten()
}

/// The lanes of a result that an output register takes from a write with this mask: those of the mask. oFog is one number
/// and takes lane x, whatever the mask, as the pictures `Fog_coord_vec4` of a console show.
pub const fn output_lanes(address: u32, mask: WriteMask) -> WriteMask {
    // Outputs without a name go by the low four bits of their address.
    if address & 15 == FOG && mask.bits() != 0 { WriteMask::X } else { mask }
}

/// Number of slots that the hardware has.
pub const SLOTS: usize = 136;
/// Number of constants that the hardware has.
pub const CONSTANTS: u32 = 192;
/// Number of vertex attributes.
pub const ATTRIBUTES: u32 = 16;
/// Number of temporaries that can be written; the next one, R12, reads oPos.
pub const TEMPORARIES: u32 = 12;
/// The temporary that reads what was last written to oPos.
pub const POSITION_SHADOW: u32 = 12;
/// The temporary that the scalar unit writes beside an operation of the vector unit.
pub const PAIRED_TEMPORARY: u32 = 1;
/// What is added to the numbers that Direct3D gives constants.
pub const DIRECT3D_BIAS: i32 = 96;
/// The address of oFog.
pub const FOG: u32 = 5;
/// The address of oPts.
pub const POINT_SIZE: u32 = 6;
/// The addresses of the diffuse colours.
pub const DIFFUSE: [u32; 2] = [3, 7];
/// The addresses of the specular colours.
pub const SPECULAR: [u32; 2] = [4, 8];
/// The address of the first texture coordinates.
pub const FIRST_COORDINATES: u32 = 9;
/// How many texture coordinates there are.
pub const COORDINATES: u32 = 4;
/// Reserved constants of the hardware: scale and offset of the viewport.
pub const VIEWPORT_CONSTANTS: [u32; 2] = [58, 59];
