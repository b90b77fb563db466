//! The instructions in the order of their numbers, the removed ones last.
//!
//! Sources: Mesa 22.3.6 (names, numbers, operands, types; its manual for what they do), Mesa 10.1.6 (removed instructions),
//! virglrenderer 1.3.0 (its numbers).

use super::dialect::{Dialect, Numbering};
use crate::table::{Flow, Lift, Shape, Stages, opcodes};
use vecasm_ir::ir::{Pure, Scalar};

/// What the components of a register are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Whatever they are: they are moved.
    Bits,
    /// A 32-bit float.
    F32,
    /// A signed integer.
    I32,
    /// An unsigned integer.
    U32,
    /// A double in two components, low word first.
    F64,
    /// A signed 64-bit integer in two components, low word first.
    I64,
    /// An unsigned 64-bit integer in two components, low word first.
    U64,
}

impl Type {
    /// Whether two components hold one.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::F64 | Self::I64 | Self::U64)
    }

    /// What a component of a texel is taken for.
    pub const fn of_lane(scalar: Scalar) -> Self {
        match scalar {
            Scalar::I32 => Self::I32,
            Scalar::U32 => Self::U32,
            _ => Self::F32,
        }
    }

    /// Whether a negation flips the sign bit; of integers it is that of two's complement.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Bits | Self::F32 | Self::F64)
    }
}

/// Which components of the result depend on which of the sources: Mesa's output mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// There is no result.
    None,
    /// Each on the same component of each source; of 64-bit values, each pair.
    PerComponent,
    /// All are one value.
    Replicated,
    /// Each is computed in its own way.
    Channels,
    /// Something else.
    Other,
}

/// What `tgsi_exec`, the interpreter of Mesa 22.3.6, does with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exec {
    /// It runs it.
    Runs,
    /// It has no case for it, and goes on behind it.
    Missing,
    /// Its case is a failed assertion: a debug build stops, any other goes on behind it.
    Stops,
    /// There is no such instruction any more.
    Removed,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The numbers by [`Numbering`]; [`NO`] where it has none.
    pub codes: [u8; 3],
    /// The spelling, without suffixes.
    pub name: &'static str,
    /// The stages that have it.
    pub stages: Stages,
    /// Part in control flow.
    pub flow: Flow,
    /// How results depend on sources.
    pub mode: Mode,
    /// What Mesa's interpreter does with it.
    pub exec: Exec,
    /// What the result is.
    pub result: Type,
    /// What the first source is, and every other one; see [`source`](Self::source).
    pub sources: [Type; 2],
    /// Operands in text order: destinations, sources, target or label.
    pub shape: &'static [Shape],
    /// The operation of the IR it is, where it is one.
    pub lift: Lift<()>,
    /// What it does, one sentence.
    pub doc: &'static str,
}

/// The number of an instruction that a numbering does not have.
pub const NO: u8 = 255;

impl Row {
    /// Number of destinations.
    pub const fn destinations(&self) -> usize {
        let mut count = 0;
        while count < self.shape.len() && matches!(self.shape[count], Shape::Dst | Shape::Store) {
            count += 1;
        }
        count
    }

    /// The shapes of the sources, in order.
    pub const fn source_shapes(&self) -> &'static [Shape] {
        let (_, rest) = self.shape.split_at(self.destinations());
        match rest {
            [rest @ .., Shape::Target | Shape::Label] => rest,
            rest => rest,
        }
    }

    /// What source `index` is taken for.
    pub const fn source(&self, index: usize) -> Type {
        self.sources[if index == 1 { 1 } else { 0 }]
    }

    /// Number of sources in a dialect: before there were streams, nothing said which one.
    pub const fn sources_in(&self, dialect: Dialect) -> usize {
        match self.codes[Numbering::Mesa as usize] {
            97 | 98 if !dialect.has_streams() => 0,
            _ => self.source_shapes().len(),
        }
    }

    /// Whether `tgsi_exec` goes on behind it as if it were not there, in a release build.
    pub const fn is_skipped_by_exec(&self) -> bool {
        matches!(self.exec, Exec::Missing | Exec::Stops)
    }

    /// Whether the text form makes it say something of memory, even if nothing is written: accesses to resources, and
    /// `BARRIER` but in virglrenderer, by their numbers in Mesa.
    pub const fn says_memory(&self, dialect: Dialect) -> bool {
        match self.codes[Numbering::Mesa as usize] {
            105 | 161..=164 | 167..=176 => !matches!(dialect, Dialect::Legacy),
            166 => !matches!(dialect, Dialect::Legacy | Dialect::Virgl),
            _ => false,
        }
    }

    /// Whether the text form makes it say something of a texture though no target is written: the target
    /// [`Unsaid`](super::names::Target::Unsaid). By their numbers in Mesa.
    pub const fn says_texture(&self) -> bool {
        matches!(self.codes[Numbering::Mesa as usize], 145..=153)
    }

    /// Whether a texture target stands behind the operands.
    pub const fn has_target(&self) -> bool {
        matches!(self.shape, [.., Shape::Target])
    }

    /// Whether it reads a texture, or asks about one: its shape is that of a target, or of a declared view.
    pub fn has_texture(&self) -> bool {
        self.has_target() || self.shape.contains(&Shape::View)
    }

    /// Whether it reads or writes an image or memory, or asks about one.
    pub fn has_resource(&self) -> bool {
        self.shape.iter().any(|shape| matches!(shape, Shape::Resource | Shape::Store))
    }

    /// Whether it changes a word in memory, or a texel, and gives what was there.
    pub const fn is_atomic(&self) -> bool {
        matches!(self.shape, [Shape::Dst, Shape::Resource, _, _, ..])
    }

    /// Whether its result or its sources are 64-bit values.
    pub const fn is_wide(&self) -> bool {
        self.result.is_wide() || self.source(0).is_wide()
    }

    /// Whether it turns 64-bit pairs into single components.
    pub const fn is_narrowing(&self) -> bool {
        matches!(self.mode, Mode::PerComponent) && self.source(0).is_wide() && !self.result.is_wide()
    }

    /// Whether a label may stand behind the operands.
    pub const fn has_label(&self) -> bool {
        matches!(self.shape, [.., Shape::Label])
    }

    /// Whether it is an instruction of a dialect.
    pub const fn is_in(&self, dialect: Dialect) -> bool {
        self.codes[dialect.numbering() as usize] != NO && !dialect.lacks(self.name)
    }

    /// The number in a numbering.
    pub const fn code(&self, numbering: Numbering) -> Option<u8> {
        match self.codes[numbering as usize] {
            NO => None,
            code => Some(code),
        }
    }
}

/// A row: doc comment, then `Name = legacy mesa virgl "SPELLING" Stages Flow Mode Exec result source second-source (Shapes…) =>
/// Lift;` where `NO` is a numbering that has no such instruction.
macro_rules! instructions {
    ( $(#[$m:meta])* $vis:vis enum $E:ident;
      $( #[doc = $d:literal]
         $V:ident = $legacy:tt $mesa:tt $virgl:tt $name:literal $st:ident $flow:ident $mode:ident $exec:ident
         $result:ident $first:ident $second:ident ( $($s:ident),* ) => $k:ident $(( $($arg:expr),* ))? ; )* ) => {
        opcodes! {
            $(#[$m])* $vis enum $E(Row);
            $( #[doc = $d] $V => |doc| Row {
                codes: [$legacy, $mesa, $virgl], name: $name, stages: Stages::$st, flow: Flow::$flow,
                mode: Mode::$mode, exec: Exec::$exec, result: Type::$result, sources: [Type::$first, Type::$second],
                shape: &[$(Shape::$s),*], lift: Lift::$k $(( $($arg),* ))?, doc,
            }; )*
        }
        const _: () = {
            let rows = $E::ROWS;
            let mut i = 0;
            while i < rows.len() {
                assert!(
                    matches!(rows[i].exec, Exec::Removed) == (rows[i].codes[Numbering::Mesa as usize] == NO),
                    "what Mesa has no number for is removed, and nothing else",
                );
                let mut j = 0;
                while j < i {
                    let mut n = 0;
                    while n < 3 {
                        assert!(rows[i].codes[n] == NO || rows[i].codes[n] != rows[j].codes[n],
                            "two rows have the same number");
                        n += 1;
                    }
                    j += 1;
                }
                i += 1;
            }
        };
    };
}

/// Other spellings, of Mesa before 10.
pub const ALIASES: &[(&str, Opcode)] = &[("KIL", Opcode::KillIf), ("KILP", Opcode::Kill)];

/// The rows by number, for each numbering: an index into [`Opcode::ALL`] plus one, or 0.
const BY_CODE: [[u16; 256]; 3] = {
    let mut table = [[0; 256]; 3];
    let mut row = 0;
    while row < Opcode::ROWS.len() {
        let mut n = 0;
        while n < 3 {
            let code = Opcode::ROWS[row].codes[n];
            if code != NO {
                table[n][code as usize] = row as u16 + 1;
            }
            n += 1;
        }
        row += 1;
    }
    table
};

impl Opcode {
    /// The instruction with that number.
    pub fn from_code(numbering: Numbering, code: u8) -> Option<Self> {
        let index = BY_CODE[numbering as usize][usize::from(code)];
        Self::ALL.get(usize::from(index).wrapping_sub(1)).copied()
    }
}

instructions! {
    /// An instruction of TGSI.
    pub enum Opcode;

    /// floor(source) as an integer, for addressing.
    Arl = 0 0 0 "ARL" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src) => Custom(());
    /// The bits of the source.
    Mov = 1 1 1 "MOV" Any Straight PerComponent Runs Bits Bits Bits (Dst, Src) => Custom(());
    /// The lighting factors: (1, max(x, 0), x > 0 ? max(y, 0)^clamp(w, -128, 128) : 0, 1).
    Lit = 2 2 2 "LIT" Any Straight Channels Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// 1 / x.
    Rcp = 3 3 3 "RCP" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Replicate(Pure::Rcp, 1);
    /// 1 / sqrt(x).
    Rsq = 4 4 4 "RSQ" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Custom(());
    /// (2^floor(x), x - floor(x), 2^x, 1).
    Exp = 5 5 5 "EXP" Any Straight Channels Runs F32 F32 F32 (Dst, Scalar) => Custom(());
    /// of |x|: (floor(log2), mantissa, log2, 1).
    Log = 6 6 6 "LOG" Any Straight Channels Runs F32 F32 F32 (Dst, Scalar) => Custom(());
    /// source 1 · source 2.
    Mul = 7 7 7 "MUL" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// source 1 + source 2.
    Add = 8 8 8 "ADD" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// The dot product of the vectors xyz.
    Dp3 = 9 9 9 "DP3" Any Straight Replicated Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The dot product of the vectors xyzw.
    Dp4 = 10 10 10 "DP4" Any Straight Replicated Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The distance vector (1, y · y', z, w').
    Dst = 11 11 11 "DST" Any Straight Channels Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The smaller of the two; a NaN loses.
    Min = 12 12 12 "MIN" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The larger of the two; a NaN loses.
    Max = 13 13 13 "MAX" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// 1.0 where source 1 < source 2, else 0.0.
    Slt = 14 14 14 "SLT" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Set(Pure::Lt);
    /// 1.0 where source 1 >= source 2, else 0.0.
    Sge = 15 15 15 "SGE" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Set(Pure::Ge);
    /// source 1 · source 2 + source 3, rounded twice.
    Mad = 16 16 16 "MAD" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// A texel at level of detail 0.
    TexLz = NO 17 NO "TEX_LZ" Any Straight Other Missing F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// source 1 · (source 2 - source 3) + source 3.
    Lrp = 18 18 18 "LRP" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// source 1 · source 2 + source 3, rounded once.
    Fma = NO 19 19 "FMA" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src, Src, Src) => PerComponent(Pure::Fma);
    /// The square root of x.
    Sqrt = 20 20 20 "SQRT" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Replicate(Pure::Sqrt, 1);
    /// source 1 · 2^source 2, with an integer exponent.
    Ldexp = NO 21 NO "LDEXP" Any Straight PerComponent Runs F32 F32 I32 (Dst, Src, Src) => Custom(());
    /// A float as an unsigned 64-bit integer: x to xy, y to zw.
    F2u64 = 22 22 231 "F2U64" Any Straight PerComponent Runs U64 F32 F32 (Dst, Src) => Custom(());
    /// A float as a signed 64-bit integer: x to xy, y to zw.
    F2i64 = 23 23 213 "F2I64" Any Straight PerComponent Runs I64 F32 F32 (Dst, Src) => Custom(());
    /// source - floor(source).
    Frc = 24 24 21 "FRC" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::Fract);
    /// A texel at integer coordinates of level 0, unfiltered.
    TxfLz = NO 25 NO "TXF_LZ" Any Straight Other Missing F32 U32 U32 (Dst, Src, Sampler, Target) => Custom(());
    /// The largest integral number not above the source.
    Flr = 26 26 22 "FLR" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::Floor);
    /// The nearest integral number, halves to even.
    Round = 27 27 23 "ROUND" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::RoundEven);
    /// 2^x.
    Ex2 = 28 28 24 "EX2" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Custom(());
    /// The logarithm of x to base 2.
    Lg2 = 29 29 25 "LG2" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Custom(());
    /// x^x'.
    Pow = 30 30 26 "POW" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar, Scalar) => Custom(());
    /// Turns the invocation into a helper: it goes on, and nobody sees what it stores.
    Demote = NO 31 NO "DEMOTE" F Straight None Missing F32 F32 F32 () => Custom(());
    /// An unsigned integer as a signed 64-bit one: x to xy, y to zw.
    U2i64 = 32 32 214 "U2I64" Any Straight PerComponent Runs I64 U32 U32 (Dst, Src) => Custom(());
    /// A counter that only grows: low word in x, high word in y.
    Clock = NO 33 202 "CLOCK" Any Straight Other Missing F32 F32 F32 (Dst) => Custom(());
    /// A signed integer as a signed 64-bit one: x to xy, y to zw.
    I2i64 = NO 34 215 "I2I64" Any Straight PerComponent Runs I64 I32 I32 (Dst, Src) => Custom(());
    /// All bits set in helper invocations, else 0.
    ReadHelper = NO 35 NO "READ_HELPER" F Straight PerComponent Missing F32 F32 F32 (Dst) => Custom(());
    /// The cosine of x, in radians.
    Cos = 36 36 30 "COS" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Replicate(Pure::Cos, 1);
    /// The change of the source to the right, one for the quad.
    Ddx = 37 37 31 "DDX" F Straight PerComponent Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// The change of the source downwards, one for the quad.
    Ddy = 38 38 32 "DDY" F Straight PerComponent Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// Ends the fragment.
    Kill = 39 39 33 "KILL" F Straight None Runs F32 F32 F32 () => Custom(());
    /// Two half-precision numbers in a word: x low, y high.
    Pk2h = 40 40 34 "PK2H" Any Straight Replicated Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// Two 16-bit numbers of 0 to 1 in a word: x low, y high.
    Pk2us = 41 41 35 "PK2US" Any Straight Replicated Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// Four 8-bit numbers of -1 to 1 in a word.
    Pk4b = 42 42 36 "PK4B" Any Straight Replicated Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// Four 8-bit numbers of 0 to 1 in a word.
    Pk4ub = 43 43 37 "PK4UB" Any Straight Replicated Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// A double as an unsigned 64-bit integer.
    D2u64 = NO 44 232 "D2U64" Any Straight PerComponent Runs U64 F64 F64 (Dst, Src) => Custom(());
    /// 1.0 where source 1 = source 2, else 0.0.
    Seq = 45 45 38 "SEQ" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Set(Pure::Eq);
    /// A double as a signed 64-bit integer.
    D2i64 = NO 46 216 "D2I64" Any Straight PerComponent Runs I64 F64 F64 (Dst, Src) => Custom(());
    /// 1.0 where source 1 > source 2, else 0.0.
    Sgt = 47 47 39 "SGT" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The sine of x, in radians.
    Sin = 48 48 40 "SIN" Any Straight Replicated Runs F32 F32 F32 (Dst, Scalar) => Replicate(Pure::Sin, 1);
    /// 1.0 where source 1 <= source 2, else 0.0.
    Sle = 49 49 41 "SLE" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// 1.0 where source 1 and source 2 differ, else 0.0.
    Sne = 50 50 42 "SNE" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => Set(Pure::Ne);
    /// An unsigned 64-bit integer as a double.
    U642d = NO 51 234 "U642D" Any Straight PerComponent Runs F64 U64 U64 (Dst, Src) => Custom(());
    /// A texel at the coordinates of source 1.
    Tex = 52 52 43 "TEX" Any Straight Other Runs F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// A texel with given derivatives.
    Txd = 53 53 44 "TXD" Any Straight Other Runs F32 F32 F32 (Dst, Src, Src, Src, Sampler, Target) => Custom(());
    /// A texel with coordinates divided by w.
    Txp = 54 54 45 "TXP" Any Straight Other Runs F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// The two half-precision numbers in a word: low to xz, high to yw.
    Up2h = 55 55 46 "UP2H" Any Straight Channels Runs F32 U32 U32 (Dst, Src) => Custom(());
    /// The two 16-bit numbers of 0 to 1 in a word: low to xz, high to yw.
    Up2us = 56 56 47 "UP2US" Any Straight Channels Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// The four 8-bit numbers of -1 to 1 in a word.
    Up4b = 57 57 48 "UP4B" Any Straight Channels Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// The four 8-bit numbers of 0 to 1 in a word.
    Up4ub = 58 58 49 "UP4UB" Any Straight Channels Stops F32 F32 F32 (Dst, Src) => Custom(());
    /// An unsigned 64-bit integer as a float.
    U642f = NO 59 233 "U642F" Any Straight PerComponent Runs F32 U64 U64 (Dst, Src) => Custom(());
    /// A signed 64-bit integer as a float.
    I642f = NO 60 217 "I642F" Any Straight PerComponent Runs F32 I64 I64 (Dst, Src) => Custom(());
    /// floor(source + 0.5) as an integer, for addressing.
    Arr = 61 61 50 "ARR" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src) => Custom(());
    /// A signed 64-bit integer as a double.
    I642d = NO 62 218 "I642D" Any Straight PerComponent Runs F64 I64 I64 (Dst, Src) => Custom(());
    /// Runs the subroutine at the label.
    Cal = 63 63 51 "CAL" Any Call None Runs F32 F32 F32 (Label) => Custom(());
    /// Ends the subroutine, or the program.
    Ret = 64 64 52 "RET" Any Return None Runs F32 F32 F32 () => Custom(());
    /// The sign: -1, 0 or 1.
    Ssg = 65 65 53 "SSG" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::Sign);
    /// source 2 where source 1 < 0, else source 3.
    Cmp = 66 66 54 "CMP" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// A texel with a bias of the level of detail in w.
    Txb = 68 68 56 "TXB" Any Straight Other Runs F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// The colour that the framebuffer holds at the fragment.
    Fbfetch = NO 69 57 "FBFETCH" F Straight Other Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// source 1 / source 2.
    Div = 70 70 58 "DIV" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Div);
    /// The dot product of the vectors xy.
    Dp2 = 71 71 59 "DP2" Any Straight Replicated Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// A texel at the level of detail in w.
    Txl = 72 72 60 "TXL" Any Straight Other Runs F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// Leaves the innermost loop or switch.
    Brk = 73 73 61 "BRK" Any Break None Runs F32 F32 F32 () => Custom(());
    /// Runs what follows where x, as a float, is not 0.
    If = 74 74 62 "IF" Any If None Runs F32 F32 F32 (Scalar, Label) => Custom(());
    /// Runs what follows where any bit of x is set.
    Uif = 75 75 63 "UIF" Any If None Runs F32 U32 U32 (Scalar, Label) => Custom(());
    /// source 1 of the invocation of the subgroup that source 2 numbers.
    ReadInvoc = 76 76 NO "READ_INVOC" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// Runs what follows where the condition does not hold.
    Else = 77 77 64 "ELSE" Any Else None Runs F32 F32 F32 (Label) => Custom(());
    /// Ends a conditional.
    Endif = 78 78 65 "ENDIF" Any EndIf None Runs F32 F32 F32 () => Custom(());
    /// The change of the source to the right, in each row of the quad.
    DdxFine = 79 79 66 "DDX_FINE" F Straight PerComponent Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// The change of the source downwards, in each column of the quad.
    DdyFine = 80 80 67 "DDY_FINE" F Straight PerComponent Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// The smallest integral number not below the source.
    Ceil = 83 83 68 "CEIL" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::Ceil);
    /// A signed integer as a float.
    I2f = 84 84 69 "I2F" Any Straight PerComponent Runs F32 I32 I32 (Dst, Src) => PerComponent(Pure::ToF32);
    /// The bits inverted.
    Not = 85 85 70 "NOT" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src) => PerComponent(Pure::Not);
    /// The source without its fraction.
    Trunc = 86 86 71 "TRUNC" Any Straight PerComponent Runs F32 F32 F32 (Dst, Src) => PerComponent(Pure::Trunc);
    /// source 1 shifted left by the low five bits of source 2.
    Shl = 87 87 72 "SHL" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// A mask of the invocations of the subgroup in which the source is not 0.
    Ballot = 88 88 NO "BALLOT" Any Straight Other Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// The bits set in both.
    And = 89 89 73 "AND" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::And);
    /// The bits set in either.
    Or = 90 90 74 "OR" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Or);
    /// The remainder of the signed division, with the sign of source 1.
    Mod = 91 91 75 "MOD" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => Custom(());
    /// The bits set in one of both.
    Xor = 92 92 76 "XOR" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Xor);
    /// A texel at integer coordinates, unfiltered; level or sample in w.
    Txf = 94 94 77 "TXF" Any Straight Other Runs F32 U32 U32 (Dst, Src, Sampler, Target) => Custom(());
    /// width, height, depth or layers of a level, and the number of levels.
    Txq = 95 95 78 "TXQ" Any Straight Other Runs U32 U32 U32 (Dst, Src, Sampler, Target) => Custom(());
    /// Starts the next round of the innermost loop.
    Cont = 96 96 79 "CONT" Any Continue None Runs F32 F32 F32 () => Custom(());
    /// Emits a vertex to the stream that the source numbers.
    Emit = 97 97 80 "EMIT" G Straight None Runs F32 F32 F32 (Scalar) => Custom(());
    /// Ends the primitive of the stream that the source numbers.
    Endprim = 98 98 81 "ENDPRIM" G Straight None Runs F32 F32 F32 (Scalar) => Custom(());
    /// Begins a loop.
    Bgnloop = 99 99 82 "BGNLOOP" Any Loop None Runs F32 F32 F32 (Label) => Custom(());
    /// Begins a subroutine.
    Bgnsub = 100 100 83 "BGNSUB" Any Label None Runs F32 F32 F32 () => Custom(());
    /// Ends a loop.
    Endloop = 101 101 84 "ENDLOOP" Any EndLoop None Runs F32 F32 F32 (Label) => Custom(());
    /// Ends a subroutine.
    Endsub = 102 102 85 "ENDSUB" Any EndLabel None Runs F32 F32 F32 () => Custom(());
    /// Adds a float in memory, and gives what was there.
    Atomfadd = NO 103 NO "ATOMFADD" Any Straight Other Runs F32 F32 F32 (Dst, Resource, Src, Src) => Custom(());
    /// The number of samples of a texture.
    Txqs = 104 104 86 "TXQS" Any Straight Other Missing U32 U32 U32 (Dst, Sampler, Target) => Custom(());
    /// The size of a buffer or image.
    Resq = 105 105 87 "RESQ" Any Straight Other Runs F32 F32 F32 (Dst, Resource) => Custom(());
    /// The source of the first active invocation of the subgroup.
    ReadFirst = 106 106 NO "READ_FIRST" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// nothing.
    Nop = 107 107 88 "NOP" Any Straight None Runs F32 F32 F32 () => Custom(());
    /// All bits set where the floats are equal, else 0.
    Fseq = 108 108 89 "FSEQ" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 >= source 2 as floats, else 0.
    Fsge = 109 109 90 "FSGE" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 < source 2 as floats, else 0.
    Fslt = 110 110 91 "FSLT" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src, Src) => Custom(());
    /// All bits set where the floats differ, else 0.
    Fsne = 111 111 92 "FSNE" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src, Src) => Custom(());
    /// Orders accesses to memory.
    Membar = NO 112 93 "MEMBAR" Any Straight Other Runs F32 U32 U32 (Scalar) => Custom(());
    /// Ends the fragment if any component is below 0.
    KillIf = 116 116 97 "KILL_IF" F Straight None Runs F32 F32 F32 (Src) => Custom(());
    /// Ends the program.
    End = 117 117 98 "END" Any End None Runs F32 F32 F32 () => Custom(());
    /// source 1 · source 2 + source 3 of doubles, rounded once.
    Dfma = 118 118 99 "DFMA" Any Straight PerComponent Missing F64 F64 F64 (Dst, Src, Src, Src) => PerComponent(Pure::Fma);
    /// A float as a signed integer, without its fraction.
    F2i = 119 119 100 "F2I" Any Straight PerComponent Runs I32 F32 F32 (Dst, Src) => Custom(());
    /// The signed quotient; 0 where the divisor is 0.
    Idiv = 120 120 101 "IDIV" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => Custom(());
    /// The larger of two signed integers.
    Imax = 121 121 102 "IMAX" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// The smaller of two signed integers.
    Imin = 122 122 103 "IMIN" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The negative of a signed integer.
    Ineg = 123 123 104 "INEG" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::Neg);
    /// All bits set where source 1 >= source 2 as signed integers, else 0.
    Isge = 124 124 105 "ISGE" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => Custom(());
    /// source 1 shifted right with its sign by the low five bits of source 2.
    Ishr = 125 125 106 "ISHR" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 < source 2 as signed integers, else 0.
    Islt = 126 126 107 "ISLT" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => Custom(());
    /// A float as an unsigned integer, without its fraction.
    F2u = 127 127 108 "F2U" Any Straight PerComponent Runs U32 F32 F32 (Dst, Src) => Custom(());
    /// An unsigned integer as a float.
    U2f = 128 128 109 "U2F" Any Straight PerComponent Runs F32 U32 U32 (Dst, Src) => PerComponent(Pure::ToF32);
    /// The sum of integers.
    Uadd = 129 129 110 "UADD" Any Straight PerComponent Runs I32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// The unsigned quotient; all bits set where the divisor is 0.
    Udiv = 130 130 111 "UDIV" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// source 1 · source 2 + source 3 of integers.
    Umad = 131 131 112 "UMAD" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src, Src) => Custom(());
    /// The larger of two unsigned integers.
    Umax = 132 132 113 "UMAX" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// The smaller of two unsigned integers.
    Umin = 133 133 114 "UMIN" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The unsigned remainder; all bits set where the divisor is 0.
    Umod = 134 134 115 "UMOD" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// The low word of a product of integers.
    Umul = 135 135 116 "UMUL" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// All bits set where the words are equal, else 0.
    Useq = 136 136 117 "USEQ" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 >= source 2 as unsigned integers, else 0.
    Usge = 137 137 118 "USGE" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// source 1 shifted right by the low five bits of source 2.
    Ushr = 138 138 119 "USHR" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 < source 2 as unsigned integers, else 0.
    Uslt = 139 139 120 "USLT" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// All bits set where the words differ, else 0.
    Usne = 140 140 121 "USNE" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => Custom(());
    /// Selects a case by the word in x.
    Switch = 141 141 122 "SWITCH" Any Switch None Runs F32 U32 U32 (Scalar) => Custom(());
    /// Begins a case; control falls through from the one in front.
    Case = 142 142 123 "CASE" Any Case None Runs F32 U32 U32 (Scalar) => Custom(());
    /// Begins what runs where no case matches.
    Default = 143 143 124 "DEFAULT" Any Default None Runs F32 F32 F32 () => Custom(());
    /// Ends a switch.
    Endswitch = 144 144 125 "ENDSWITCH" Any EndSwitch None Runs F32 F32 F32 () => Custom(());
    /// A texel of a view through a sampler.
    Sample = 145 145 126 "SAMPLE" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler) => Custom(());
    /// A texel of a view at integer coordinates, unfiltered.
    SampleI = 146 146 127 "SAMPLE_I" Any Straight Other Runs F32 U32 U32 (Dst, Src, View) => Custom(());
    /// A sample of a texel of a multisampled view.
    SampleIMs = 147 147 128 "SAMPLE_I_MS" Any Straight Other Runs F32 U32 U32 (Dst, Src, View, Src) => Custom(());
    /// A texel of a view through a sampler with a bias of the level of detail.
    SampleB = 148 148 129 "SAMPLE_B" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler, Src) => Custom(());
    /// The outcome of comparing a reference value with a view.
    SampleC = 149 149 130 "SAMPLE_C" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler, Src) => Custom(());
    /// The outcome of comparing a reference value with level 0 of a view.
    SampleCLz = 150 150 131 "SAMPLE_C_LZ" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler, Src) => Custom(());
    /// A texel of a view through a sampler with given derivatives.
    SampleD = 151 151 132 "SAMPLE_D" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler, Src, Src) => Custom(());
    /// A texel of a view through a sampler at a given level of detail.
    SampleL = 152 152 133 "SAMPLE_L" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler, Src) => Custom(());
    /// One component of the four texels that a linear filter would read.
    Gather4 = 153 153 134 "GATHER4" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler) => Custom(());
    /// width, height, depth or layers of a level of a view, and the number of levels.
    Sviewinfo = 154 154 135 "SVIEWINFO" Any Straight Other Runs U32 U32 U32 (Dst, Src, View) => Custom(());
    /// The place of a sample in the pixel.
    SamplePos = 155 155 136 "SAMPLE_POS" Any Straight Other Stops F32 F32 F32 (Dst, View, Src) => Custom(());
    /// The number of samples.
    SampleInfo = 156 156 137 "SAMPLE_INFO" Any Straight Other Stops F32 F32 F32 (Dst, View, Src) => Custom(());
    /// The source as an integer, for addressing.
    Uarl = 157 157 138 "UARL" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => Custom(());
    /// source 2 where any bit of source 1 is set, else source 3.
    Ucmp = 158 158 139 "UCMP" Any Straight PerComponent Runs Bits F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// The absolute value of a signed integer.
    Iabs = 159 159 140 "IABS" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::Abs);
    /// The sign of a signed integer: -1, 0 or 1.
    Issg = 160 160 141 "ISSG" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::Sign);
    /// Words of a buffer or of shared memory at a byte offset, or a texel of an image.
    Load = 161 161 142 "LOAD" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src) => Custom(());
    /// Writes words of a buffer or of shared memory at a byte offset, or a texel of an image.
    Store = 162 162 143 "STORE" Any Straight Other Runs F32 U32 F32 (Store, Src, Src) => Custom(());
    /// The handle of an image, in xy.
    Img2hnd = NO 163 NO "IMG2HND" Any Straight Other Missing U32 U32 U32 (Dst, Resource) => Custom(());
    /// The handle of a sampler, in xy.
    Samp2hnd = NO 164 NO "SAMP2HND" Any Straight Other Missing U32 U32 U32 (Dst, Sampler, Target) => Custom(());
    /// Waits for every invocation of the group.
    Barrier = 166 166 144 "BARRIER" Ct Straight Other Runs F32 F32 F32 () => Custom(());
    /// Adds to a word in memory, and gives what was there.
    Atomuadd = 167 167 145 "ATOMUADD" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Writes a word in memory, and gives what was there.
    Atomxchg = 168 168 146 "ATOMXCHG" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Writes a word in memory if it equals source 3, and gives what was there.
    Atomcas = 169 169 147 "ATOMCAS" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src, Src) => Custom(());
    /// Ands a word in memory, and gives what was there.
    Atomand = 170 170 148 "ATOMAND" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Ors a word in memory, and gives what was there.
    Atomor = 171 171 149 "ATOMOR" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Xors a word in memory, and gives what was there.
    Atomxor = 172 172 150 "ATOMXOR" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Keeps the smaller unsigned word in memory, and gives what was there.
    Atomumin = 173 173 151 "ATOMUMIN" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Keeps the larger unsigned word in memory, and gives what was there.
    Atomumax = 174 174 152 "ATOMUMAX" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Keeps the smaller signed word in memory, and gives what was there.
    Atomimin = 175 175 153 "ATOMIMIN" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Keeps the larger signed word in memory, and gives what was there.
    Atomimax = 176 176 154 "ATOMIMAX" Any Straight Other Runs F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// A texel where coordinates and reference need more than four components: the rest is x of source 2.
    Tex2 = 177 177 155 "TEX2" Any Straight Other Runs F32 F32 F32 (Dst, Src, Src, Sampler, Target) => Custom(());
    /// As TXB, with the bias in x of source 2.
    Txb2 = 178 178 156 "TXB2" Any Straight Other Runs F32 F32 F32 (Dst, Src, Src, Sampler, Target) => Custom(());
    /// As TXL, with the level of detail in x of source 2.
    Txl2 = 179 179 157 "TXL2" Any Straight Other Runs F32 F32 F32 (Dst, Src, Src, Sampler, Target) => Custom(());
    /// The high word of a signed product.
    ImulHi = 180 180 158 "IMUL_HI" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src) => PerComponent(Pure::MulHigh);
    /// The high word of an unsigned product.
    UmulHi = 181 181 159 "UMUL_HI" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src) => PerComponent(Pure::MulHigh);
    /// One component of the four texels that a linear filter would read; which one is x of source 2.
    Tg4 = 182 182 160 "TG4" Any Straight Other Runs F32 F32 F32 (Dst, Src, Src, Sampler, Target) => Custom(());
    /// The level of detail that would be read in x, before clamping in y.
    Lodq = 183 183 161 "LODQ" Any Straight Other Runs F32 F32 F32 (Dst, Src, Sampler, Target) => Custom(());
    /// source 3 bits of source 1 from bit source 2 on, with the sign of the highest one.
    Ibfe = 184 184 162 "IBFE" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src, Src, Src) => Custom(());
    /// source 3 bits of source 1 from bit source 2 on.
    Ubfe = 185 185 163 "UBFE" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src, Src) => Custom(());
    /// source 1 with source 4 bits from bit source 3 on replaced by source 2.
    Bfi = 186 186 164 "BFI" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src, Src, Src, Src) => Custom(());
    /// The bits in reverse order.
    Brev = 187 187 165 "BREV" Any Straight PerComponent Runs U32 U32 U32 (Dst, Src) => PerComponent(Pure::BitReverse);
    /// The number of bits set.
    Popc = 188 188 166 "POPC" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::BitCount);
    /// The number of the lowest bit set, or -1.
    Lsb = 189 189 167 "LSB" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::FirstLow);
    /// The number of the highest bit that differs from the sign, or -1.
    Imsb = 190 190 168 "IMSB" Any Straight PerComponent Runs I32 I32 I32 (Dst, Src) => PerComponent(Pure::FirstHigh);
    /// The number of the highest bit set, or -1.
    Umsb = 191 191 169 "UMSB" Any Straight PerComponent Runs I32 U32 U32 (Dst, Src) => PerComponent(Pure::FirstHigh);
    /// An input interpolated at the centroid.
    InterpCentroid = 192 192 170 "INTERP_CENTROID" F Straight Other Runs F32 F32 F32 (Dst, Src) => Custom(());
    /// An input interpolated at the sample that source 2 numbers.
    InterpSample = 193 193 171 "INTERP_SAMPLE" F Straight Other Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// An input interpolated at an offset from the centre of the pixel.
    InterpOffset = 194 194 172 "INTERP_OFFSET" F Straight Other Runs F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// A float as a double: x to xy, y to zw.
    F2d = 195 195 173 "F2D" Any Straight PerComponent Runs F64 F32 F32 (Dst, Src) => Custom(());
    /// A double as a float: xy to the first component written, zw to the next.
    D2f = 196 196 174 "D2F" Any Straight PerComponent Runs F32 F64 F64 (Dst, Src) => Custom(());
    /// The absolute value of a double.
    Dabs = 197 197 175 "DABS" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => Custom(());
    /// The negative of a double.
    Dneg = 198 198 176 "DNEG" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => PerComponent(Pure::Neg);
    /// The sum of doubles.
    Dadd = 199 199 177 "DADD" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// The product of doubles.
    Dmul = 200 200 178 "DMUL" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// The larger of two doubles; a NaN loses.
    Dmax = 201 201 179 "DMAX" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// The smaller of two doubles; a NaN loses.
    Dmin = 202 202 180 "DMIN" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// All bits set where source 1 < source 2 as doubles, else 0.
    Dslt = 203 203 181 "DSLT" Any Straight PerComponent Runs I32 F64 F64 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 >= source 2 as doubles, else 0.
    Dsge = 204 204 182 "DSGE" Any Straight PerComponent Runs I32 F64 F64 (Dst, Src, Src) => Custom(());
    /// All bits set where the doubles are equal, else 0.
    Dseq = 205 205 183 "DSEQ" Any Straight PerComponent Runs I32 F64 F64 (Dst, Src, Src) => Custom(());
    /// All bits set where the doubles differ, else 0.
    Dsne = 206 206 184 "DSNE" Any Straight PerComponent Runs I32 F64 F64 (Dst, Src, Src) => Custom(());
    /// 1 / source of doubles.
    Drcp = 207 207 185 "DRCP" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => PerComponent(Pure::Rcp);
    /// The square root of a double.
    Dsqrt = 208 208 186 "DSQRT" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => PerComponent(Pure::Sqrt);
    /// source 1 · source 2 + source 3 of doubles, rounded twice.
    Dmad = 209 209 187 "DMAD" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src, Src) => Custom(());
    /// A double minus its floor.
    Dfrac = 210 210 188 "DFRAC" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => PerComponent(Pure::Fract);
    /// A double times 2^source 2, with an integer exponent.
    Dldexp = 211 211 189 "DLDEXP" Any Straight PerComponent Runs F64 F64 I32 (Dst, Src, Src) => Custom(());
    /// The fraction of a double, and its exponent in destination 2.
    Dfracexp = 212 212 190 "DFRACEXP" Any Straight Replicated Runs F64 F64 F64 (Dst, Dst, Src) => Custom(());
    /// A double as a signed integer, without its fraction.
    D2i = 213 213 191 "D2I" Any Straight PerComponent Runs F32 F64 F64 (Dst, Src) => Custom(());
    /// A signed integer as a double: x to xy, y to zw.
    I2d = 214 214 192 "I2D" Any Straight PerComponent Runs F64 I32 I32 (Dst, Src) => Custom(());
    /// A double as an unsigned integer, without its fraction.
    D2u = 215 215 193 "D2U" Any Straight PerComponent Runs F32 F64 F64 (Dst, Src) => Custom(());
    /// An unsigned integer as a double: x to xy, y to zw.
    U2d = 216 216 194 "U2D" Any Straight PerComponent Runs F64 U32 U32 (Dst, Src) => Custom(());
    /// 1 / sqrt(source) of doubles.
    Drsq = 217 217 195 "DRSQ" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => Custom(());
    /// A double without its fraction.
    Dtrunc = 218 218 196 "DTRUNC" Any Straight PerComponent Missing F64 F64 F64 (Dst, Src) => PerComponent(Pure::Trunc);
    /// The smallest integral double not below the source.
    Dceil = 219 219 197 "DCEIL" Any Straight PerComponent Missing F64 F64 F64 (Dst, Src) => PerComponent(Pure::Ceil);
    /// The largest integral double not above the source.
    Dflr = 220 220 198 "DFLR" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src) => PerComponent(Pure::Floor);
    /// The nearest integral double, halves to even.
    Dround = 221 221 199 "DROUND" Any Straight PerComponent Missing F64 F64 F64 (Dst, Src) => PerComponent(Pure::RoundEven);
    /// The sign of a double: -1, 0 or 1.
    Dssg = 222 222 200 "DSSG" Any Straight PerComponent Missing F64 F64 F64 (Dst, Src) => PerComponent(Pure::Sign);
    /// All bits set if the source is not 0 in any active invocation of the subgroup, else 0.
    VoteAny = 223 223 94 "VOTE_ANY" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// All bits set if the source is not 0 in every active invocation of the subgroup, else 0.
    VoteAll = 224 224 95 "VOTE_ALL" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// All bits set if the source is the same in every active invocation of the subgroup, else 0.
    VoteEq = 225 225 96 "VOTE_EQ" Any Straight PerComponent Missing F32 F32 F32 (Dst, Src) => Custom(());
    /// All bits set where 64-bit words are equal, else 0.
    U64seq = 226 226 221 "U64SEQ" Any Straight PerComponent Runs I32 U64 U64 (Dst, Src, Src) => Custom(());
    /// All bits set where 64-bit words differ, else 0.
    U64sne = 227 227 222 "U64SNE" Any Straight PerComponent Runs I32 U64 U64 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 < source 2 as signed 64-bit integers, else 0.
    I64slt = 228 228 206 "I64SLT" Any Straight PerComponent Runs I32 I64 I64 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 < source 2 as unsigned 64-bit integers, else 0.
    U64slt = 229 229 223 "U64SLT" Any Straight PerComponent Runs I32 U64 U64 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 >= source 2 as signed 64-bit integers, else 0.
    I64sge = 230 230 207 "I64SGE" Any Straight PerComponent Runs I32 I64 I64 (Dst, Src, Src) => Custom(());
    /// All bits set where source 1 >= source 2 as unsigned 64-bit integers, else 0.
    U64sge = 231 231 224 "U64SGE" Any Straight PerComponent Runs I32 U64 U64 (Dst, Src, Src) => Custom(());
    /// The smaller of two signed 64-bit integers.
    I64min = 232 232 208 "I64MIN" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The smaller of two unsigned 64-bit integers.
    U64min = 233 233 225 "U64MIN" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => PerComponent(Pure::Min);
    /// The larger of two signed 64-bit integers.
    I64max = 234 234 209 "I64MAX" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// The larger of two unsigned 64-bit integers.
    U64max = 235 235 226 "U64MAX" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => PerComponent(Pure::Max);
    /// The absolute value of a signed 64-bit integer.
    I64abs = 236 236 203 "I64ABS" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src) => Custom(());
    /// The sign of a signed 64-bit integer: -1, 0 or 1.
    I64ssg = 237 237 205 "I64SSG" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src) => PerComponent(Pure::Sign);
    /// The negative of a signed 64-bit integer.
    I64neg = 238 238 204 "I64NEG" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src) => PerComponent(Pure::Neg);
    /// The sum of 64-bit integers.
    U64add = 239 239 219 "U64ADD" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => PerComponent(Pure::Add);
    /// The low half of a product of 64-bit integers.
    U64mul = 240 240 220 "U64MUL" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => PerComponent(Pure::Mul);
    /// A 64-bit integer shifted left by the low six bits of source 2.
    U64shl = 241 241 227 "U64SHL" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => Custom(());
    /// A 64-bit integer shifted right with its sign by the low six bits of source 2.
    I64shr = 242 242 210 "I64SHR" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src, Src) => Custom(());
    /// A 64-bit integer shifted right by the low six bits of source 2.
    U64shr = 243 243 228 "U64SHR" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => Custom(());
    /// The signed quotient of 64-bit integers; 0 where the divisor is 0.
    I64div = 244 244 211 "I64DIV" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src, Src) => Custom(());
    /// The unsigned quotient of 64-bit integers; all bits set where the divisor is 0.
    U64div = 245 245 229 "U64DIV" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => Custom(());
    /// The signed remainder of 64-bit integers; all bits set where the divisor is 0.
    I64mod = 246 246 212 "I64MOD" Any Straight PerComponent Runs I64 I64 I64 (Dst, Src, Src) => Custom(());
    /// The unsigned remainder of 64-bit integers; all bits set where the divisor is 0.
    U64mod = 247 247 230 "U64MOD" Any Straight PerComponent Runs U64 U64 U64 (Dst, Src, Src) => Custom(());
    /// The quotient of doubles.
    Ddiv = 248 248 201 "DDIV" Any Straight PerComponent Runs F64 F64 F64 (Dst, Src, Src) => PerComponent(Pure::Div);
    /// The level of detail that a view would be read at: clamped in x, before that in y.
    Lod = 249 249 NO "LOD" Any Straight Other Runs F32 F32 F32 (Dst, Src, View, Sampler) => Custom(());
    /// Adds 1 to a word in memory, or sets it to 0 from source 3 on, and gives what was there.
    AtomincWrap = 250 250 NO "ATOMINC_WRAP" Any Straight Other Missing F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// Takes 1 from a word in memory, or sets it to source 3 from 0 or above it, and gives what was there.
    AtomdecWrap = 251 251 NO "ATOMDEC_WRAP" Any Straight Other Missing F32 F32 U32 (Dst, Resource, Src, Src) => Custom(());
    /// source 1 - source 2.
    Sub = 17 NO 17 "SUB" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src) => PerComponent(Pure::Sub);
    /// source 1 where source 3 > 0.5, else source 2.
    Cnd = 19 NO NO "CND" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// The dot product of the vectors xy, plus x of source 3.
    Dp2a = 21 NO NO "DP2A" Any Straight Replicated Removed F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// source 1 held between source 2 and source 3.
    Clamp = 25 NO NO "CLAMP" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// The cross product of the vectors xyz, and 1.
    Xpd = 31 NO 27 "XPD" Any Straight Channels Removed F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The absolute value.
    Abs = 33 NO 28 "ABS" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src) => PerComponent(Pure::Abs);
    /// 1 / x, held between 5.42101e-20 and 1.884467e19 in magnitude.
    Rcc = 34 NO NO "RCC" Any Straight Replicated Removed F32 F32 F32 (Dst, Scalar) => Custom(());
    /// The dot product of the vectors xyz, plus w of source 2.
    Dph = 35 NO 29 "DPH" Any Straight Replicated Removed F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// source 2 mirrored at source 1.
    Rfl = 44 NO NO "RFL" Any Straight Channels Removed F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// 0.0.
    Sfl = 46 NO NO "SFL" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// 1.0.
    Str = 51 NO NO "STR" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src) => Custom(());
    /// The place of source 1 moved by the vector xy of source 2 in the coordinates of source 3.
    X2d = 59 NO NO "X2D" Any Straight Channels Removed F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// Adds to an address register; no manual says how.
    Ara = 60 NO NO "ARA" Any Straight PerComponent Removed I32 I32 I32 (Dst, Src) => Custom(());
    /// Goes on at the label.
    Bra = 62 NO NO "BRA" Any Branch None Removed F32 F32 F32 (Label) => Custom(());
    /// (cos x, sin x, 0, 1).
    Scs = 67 NO 55 "SCS" Any Straight Channels Removed F32 F32 F32 (Dst, Scalar) => Custom(());
    /// The vector xyz divided by its length.
    Nrm = 69 NO NO "NRM" Any Straight Channels Removed F32 F32 F32 (Dst, Src) => Custom(());
    /// Keeps an address register on a stack.
    Pusha = 81 NO NO "PUSHA" Any Straight None Removed I32 I32 I32 (Src) => Custom(());
    /// Takes an address register from the stack.
    Popa = 82 NO NO "POPA" Any Straight PerComponent Removed I32 I32 I32 (Dst) => Custom(());
    /// |source 1 - source 2| + source 3.
    Sad = 93 NO NO "SAD" Any Straight PerComponent Removed F32 F32 F32 (Dst, Src, Src, Src) => Custom(());
    /// width, height, depth or layers of level 0.
    TxqLz = 103 NO NO "TXQ_LZ" Any Straight Other Removed U32 U32 U32 (Dst, Sampler, Target) => Custom(());
    /// The vector xyzw divided by its length.
    Nrm4 = 112 NO NO "NRM4" Any Straight Channels Removed F32 F32 F32 (Dst, Src) => Custom(());
    /// Runs the subroutine at the label where x is not 0.
    Callnz = 113 NO NO "CALLNZ" Any Call None Removed F32 F32 F32 (Scalar, Label) => Custom(());
    /// Leaves the loop where x is not 0.
    Breakc = 115 NO NO "BREAKC" Any Break None Removed F32 F32 F32 (Scalar) => Custom(());
    /// Orders reads and writes of memory.
    Mfence = 163 NO NO "MFENCE" Any Straight None Removed F32 F32 F32 (Src) => Custom(());
    /// Orders reads of memory.
    Lfence = 164 NO NO "LFENCE" Any Straight None Removed F32 F32 F32 (Src) => Custom(());
    /// Orders writes of memory.
    Sfence = 165 NO NO "SFENCE" Any Straight None Removed F32 F32 F32 (Src) => Custom(());
}
