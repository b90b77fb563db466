//! The instructions in the order of their codes, with the models that have each form of them.
//!
//! Sources: Microsoft's shader reference (availability, operands, slots); vkd3d's tables where a form is marked `Peer`.
//! Versions are the low 16 bits of a version token: `0x0104` is 1.4, `0x0201` is 2.x, `0x02ff` and `0x03ff` are the
//! software models.

use super::program::{Stage, Version};
use super::registers::RegType;
use crate::table::{Flow, Lift, Shape, Stages};
use vecasm_ir::diag::Provenance;
use vecasm_ir::ir::Pure;

/// What the slots of an instruction are counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Arithmetic.
    Arithmetic,
    /// Texture reads and addresses.
    Texture,
    /// Control flow, which counts as arithmetic.
    Flow,
    /// Declarations, definitions and `phase`: nothing is executed.
    Setup,
}

/// A form of an instruction: how the models of one stage, or both, and a range of versions have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// The stages.
    pub stages: Stages,
    /// First version, as in a version token.
    pub since: u16,
    /// Last version.
    pub until: u16,
    /// The spelling, without suffixes.
    pub name: &'static str,
    /// Operands in text order. A declaration has its usage in the mnemonic.
    pub shape: &'static [Shape],
    /// Slots, for the plain instruction on a texture that is no cube; see [`slots`].
    pub slots: u8,
    /// How the form is known.
    pub provenance: Provenance,
}

impl Form {
    /// Whether a model has the form.
    pub fn is_in(&self, version: Version) -> bool {
        self.is_for(version.stage()) && (self.since..=self.until).contains(&version.number())
    }

    /// Whether the models of a stage have the form in some version.
    pub fn is_for(&self, stage: Stage) -> bool {
        self.stages.has(stage.stages())
    }
}

/// What all forms of an instruction have in common.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The code: the low 16 bits of the token.
    pub code: u16,
    /// What its slots are counted as.
    pub unit: Unit,
    /// Part in control flow.
    pub flow: Flow,
    /// The operation of the IR it is, where it is one.
    pub lift: Lift<()>,
    /// Every form; of one stage the oldest first.
    pub forms: &'static [Form],
    /// What it does, one sentence.
    pub doc: &'static str,
}

macro_rules! instructions {
    ( $(#[$m:meta])* $vis:vis enum $E:ident;
      $( #[doc = $d:literal]
         $V:ident = $code:literal $unit:ident $flow:ident $k:ident $(( $($arg:expr),* ))? {
            $( $st:ident $since:literal..=$until:literal $name:literal ( $($s:ident),* ) $slots:literal $p:ident; )*
         } )* ) => {
        $(#[$m])* #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)] #[non_exhaustive]
        $vis enum $E { $( #[doc = $d] $V ),* }
        impl $E {
            /// Every instruction, in table order.
            pub const ALL: &'static [$E] = &[$($E::$V),*];
            /// Every row, in table order.
            pub const ROWS: &'static [Row] = &[$( Row {
                code: $code, unit: Unit::$unit, flow: Flow::$flow, lift: Lift::$k $(( $($arg),* ))?,
                forms: &[$( Form {
                    stages: Stages::$st, since: $since, until: $until, name: $name, shape: &[$(Shape::$s),*],
                    slots: $slots, provenance: Provenance::$p,
                } ),*],
                doc: $d.trim_ascii(),
            } ),*];
            /// The row of this instruction.
            pub const fn row(self) -> &'static Row { &Self::ROWS[self as usize] }
        }
    };
}

instructions! {
    /// An instruction of Direct3D 8 and 9.
    pub enum Opcode;

    /// Nothing.
    Nop = 0x00 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "nop" () 1 Documented;
        F 0x0100..=0x01ff "nop" () 0 Documented;
        F 0x0200..=0x03ff "nop" () 1 Documented;
    }
    /// Copies the source; to the address register of vs_1_x it rounds down.
    Mov = 0x01 Arithmetic Straight Custom(()) {
        VF 0x0100..=0x03ff "mov" (Dst, Src) 1 Documented;
    }
    /// source 1 + source 2, by lane.
    Add = 0x02 Arithmetic Straight PerComponent(Pure::Add) {
        VF 0x0100..=0x03ff "add" (Dst, Src, Src) 1 Documented;
    }
    /// source 1 - source 2, by lane.
    Sub = 0x03 Arithmetic Straight PerComponent(Pure::Sub) {
        VF 0x0100..=0x03ff "sub" (Dst, Src, Src) 1 Documented;
    }
    /// source 1 · source 2 + source 3, by lane.
    Mad = 0x04 Arithmetic Straight Custom(()) {
        VF 0x0100..=0x03ff "mad" (Dst, Src, Src, Src) 1 Documented;
    }
    /// source 1 · source 2, by lane.
    Mul = 0x05 Arithmetic Straight PerComponent(Pure::Mul) {
        VF 0x0100..=0x03ff "mul" (Dst, Src, Src) 1 Documented;
    }
    /// 1 / source, in every lane.
    Rcp = 0x06 Arithmetic Straight Replicate(Pure::Rcp, 1) {
        V 0x0100..=0x03ff "rcp" (Dst, Scalar) 1 Documented;
        F 0x0200..=0x03ff "rcp" (Dst, Scalar) 1 Documented;
    }
    /// 1 / sqrt(|source|), in every lane.
    Rsq = 0x07 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "rsq" (Dst, Scalar) 1 Documented;
        F 0x0200..=0x03ff "rsq" (Dst, Scalar) 1 Documented;
    }
    /// The dot product of the vectors xyz, in every lane.
    Dp3 = 0x08 Arithmetic Straight Replicate(Pure::Dot, 3) {
        VF 0x0100..=0x03ff "dp3" (Dst, Src, Src) 1 Documented;
    }
    /// The dot product of the vectors xyzw, in every lane.
    Dp4 = 0x09 Arithmetic Straight Replicate(Pure::Dot, 4) {
        V 0x0100..=0x03ff "dp4" (Dst, Src, Src) 1 Documented;
        F 0x0102..=0x0103 "dp4" (Dst, Src, Src) 2 Documented;
        F 0x0104..=0x0104 "dp4" (Dst, Src, Src) 1 Documented;
        F 0x0200..=0x03ff "dp4" (Dst, Src, Src) 1 Documented;
    }
    /// The smaller of the sources, by lane.
    Min = 0x0a Arithmetic Straight PerComponent(Pure::Min) {
        V 0x0100..=0x03ff "min" (Dst, Src, Src) 1 Documented;
        F 0x0200..=0x03ff "min" (Dst, Src, Src) 1 Documented;
    }
    /// The larger of the sources, by lane.
    Max = 0x0b Arithmetic Straight PerComponent(Pure::Max) {
        V 0x0100..=0x03ff "max" (Dst, Src, Src) 1 Documented;
        F 0x0200..=0x03ff "max" (Dst, Src, Src) 1 Documented;
    }
    /// 1 where source 1 < source 2, else 0, by lane.
    Slt = 0x0c Arithmetic Straight Set(Pure::Lt) {
        V 0x0100..=0x03ff "slt" (Dst, Src, Src) 1 Documented;
    }
    /// 1 where source 1 >= source 2, else 0, by lane.
    Sge = 0x0d Arithmetic Straight Set(Pure::Ge) {
        V 0x0100..=0x03ff "sge" (Dst, Src, Src) 1 Documented;
    }
    /// 2 to the power of the source, in every lane.
    Exp = 0x0e Arithmetic Straight Custom(()) {
        V 0x0100..=0x01ff "exp" (Dst, Scalar) 10 Documented;
        VF 0x0200..=0x03ff "exp" (Dst, Scalar) 1 Documented;
    }
    /// The binary logarithm of |source|, in every lane.
    Log = 0x0f Arithmetic Straight Custom(()) {
        V 0x0100..=0x01ff "log" (Dst, Scalar) 10 Documented;
        VF 0x0200..=0x03ff "log" (Dst, Scalar) 1 Documented;
    }
    /// Light coefficients (1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1).
    Lit = 0x10 Arithmetic Straight Custom(()) {
        V 0x0100..=0x01ff "lit" (Dst, Src) 1 Documented;
        V 0x0200..=0x03ff "lit" (Dst, Src) 3 Documented;
    }
    /// The distance vector (1, a.y · b.y, a.z, b.w).
    Dst = 0x11 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "dst" (Dst, Src, Src) 1 Documented;
    }
    /// source 1 · (source 2 - source 3) + source 3, by lane.
    Lrp = 0x12 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x03ff "lrp" (Dst, Src, Src, Src) 2 Documented;
        F 0x0100..=0x01ff "lrp" (Dst, Src, Src, Src) 1 Documented;
    }
    /// The source less its floor, by lane.
    Frc = 0x13 Arithmetic Straight Custom(()) {
        V 0x0100..=0x01ff "frc" (Dst, Src) 3 Documented;
        VF 0x0200..=0x03ff "frc" (Dst, Src) 1 Documented;
    }
    /// The dot products of source 1 (xyzw) with four consecutive registers.
    M4x4 = 0x14 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "m4x4" (Dst, Src, Rows4) 4 Documented;
        F 0x0200..=0x03ff "m4x4" (Dst, Src, Rows4) 4 Documented;
    }
    /// The dot products of source 1 (xyzw) with three consecutive registers.
    M4x3 = 0x15 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "m4x3" (Dst, Src, Rows3) 3 Documented;
        F 0x0200..=0x03ff "m4x3" (Dst, Src, Rows3) 3 Documented;
    }
    /// The dot products of source 1 (xyz) with four consecutive registers.
    M3x4 = 0x16 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "m3x4" (Dst, Src, Rows4) 4 Documented;
        F 0x0200..=0x03ff "m3x4" (Dst, Src, Rows4) 4 Documented;
    }
    /// The dot products of source 1 (xyz) with three consecutive registers.
    M3x3 = 0x17 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "m3x3" (Dst, Src, Rows3) 3 Documented;
        F 0x0200..=0x03ff "m3x3" (Dst, Src, Rows3) 3 Documented;
    }
    /// The dot products of source 1 (xyz) with two consecutive registers.
    M3x2 = 0x18 Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "m3x2" (Dst, Src, Rows2) 2 Documented;
        F 0x0200..=0x03ff "m3x2" (Dst, Src, Rows2) 2 Documented;
    }
    /// Runs the subroutine at a label.
    Call = 0x19 Flow Call Custom(()) {
        V 0x0200..=0x03ff "call" (Label) 2 Documented;
        F 0x0201..=0x03ff "call" (Label) 2 Documented;
    }
    /// Runs the subroutine at a label if the condition holds.
    Callnz = 0x1a Flow Call Custom(()) {
        V 0x0200..=0x03ff "callnz" (Label, Condition) 3 Documented;
        F 0x0201..=0x03ff "callnz" (Label, Condition) 3 Documented;
    }
    /// Opens a loop with the counter aL; the integer constant gives count, start and step.
    Loop = 0x1b Flow Loop Custom(()) {
        V 0x0200..=0x03ff "loop" (Counter, Integer) 3 Documented;
        F 0x0300..=0x03ff "loop" (Counter, Integer) 3 Documented;
    }
    /// Ends a subroutine or the program.
    Ret = 0x1c Flow Return Custom(()) {
        V 0x0200..=0x03ff "ret" () 1 Documented;
        F 0x0201..=0x03ff "ret" () 1 Documented;
    }
    /// Closes a loop.
    Endloop = 0x1d Flow EndLoop Custom(()) {
        V 0x0200..=0x03ff "endloop" () 2 Documented;
        F 0x0300..=0x03ff "endloop" () 2 Documented;
    }
    /// Begins a subroutine.
    Label = 0x1e Flow Label Custom(()) {
        V 0x0200..=0x03ff "label" (Label) 0 Documented;
        F 0x0201..=0x03ff "label" (Label) 0 Documented;
    }
    /// Declares what an input, output or sampler is.
    Dcl = 0x1f Setup Straight Custom(()) {
        V 0x0100..=0x03ff "dcl" (Usage, Dst) 0 Documented;
        F 0x0200..=0x03ff "dcl" (Usage, Dst) 0 Documented;
    }
    /// |source 1| to the power of source 2, in every lane.
    Pow = 0x20 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x03ff "pow" (Dst, Scalar, Scalar) 3 Documented;
    }
    /// The cross product of the vectors xyz.
    Crs = 0x21 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x03ff "crs" (Dst, Src, Src) 2 Documented;
    }
    /// The sign of source 1: -1, 0 or 1, by lane; the other sources are scratch registers.
    Sgn = 0x22 Arithmetic Straight Custom(()) {
        V 0x0200..=0x03ff "sgn" (Dst, Src, Src, Src) 3 Documented;
        V 0x0300..=0x03ff "sgn" (Dst, Src) 3 Peer;
    }
    /// |source|, by lane.
    Abs = 0x23 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x03ff "abs" (Dst, Src) 1 Documented;
    }
    /// The source divided by the length of its vector xyz.
    Nrm = 0x24 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x03ff "nrm" (Dst, Src) 3 Documented;
    }
    /// Cosine (x) and sine (y) of source 1; before 3.0 the other sources are constants of the series.
    Sincos = 0x25 Arithmetic Straight Custom(()) {
        VF 0x0200..=0x02ff "sincos" (Dst, Scalar, Src, Src) 8 Documented;
        VF 0x0300..=0x03ff "sincos" (Dst, Scalar) 8 Documented;
    }
    /// Opens a loop without counter; the integer constant gives the count.
    Rep = 0x26 Flow Loop Custom(()) {
        V 0x0200..=0x03ff "rep" (Integer) 3 Documented;
        F 0x0201..=0x03ff "rep" (Integer) 3 Documented;
    }
    /// Closes a loop without counter.
    Endrep = 0x27 Flow EndLoop Custom(()) {
        V 0x0200..=0x03ff "endrep" () 2 Documented;
        F 0x0201..=0x03ff "endrep" () 2 Documented;
    }
    /// Opens a conditional on a boolean constant or a component of the predicate.
    If = 0x28 Flow If Custom(()) {
        V 0x0200..=0x03ff "if" (Condition) 3 Documented;
        F 0x0201..=0x03ff "if" (Condition) 3 Documented;
    }
    /// Opens a conditional on a comparison of two numbers.
    Ifc = 0x29 Flow If Custom(()) {
        VF 0x0201..=0x03ff "if" (Scalar, Scalar) 3 Documented;
    }
    /// Separates the branches of a conditional.
    Else = 0x2a Flow Else Custom(()) {
        V 0x0200..=0x03ff "else" () 1 Documented;
        F 0x0201..=0x03ff "else" () 1 Documented;
    }
    /// Closes a conditional.
    Endif = 0x2b Flow EndIf Custom(()) {
        V 0x0200..=0x03ff "endif" () 1 Documented;
        F 0x0201..=0x03ff "endif" () 1 Documented;
    }
    /// Leaves the loop.
    Break = 0x2c Flow Break Custom(()) {
        VF 0x0201..=0x03ff "break" () 1 Documented;
    }
    /// Leaves the loop if a comparison of two numbers holds.
    Breakc = 0x2d Flow Break Custom(()) {
        VF 0x0201..=0x03ff "break" (Scalar, Scalar) 3 Documented;
    }
    /// Sets the address register to the nearest integer, the even one of two.
    Mova = 0x2e Arithmetic Straight Custom(()) {
        V 0x0200..=0x03ff "mova" (Dst, Src) 1 Documented;
    }
    /// Gives a boolean constant its value.
    Defb = 0x2f Setup Straight Custom(()) {
        V 0x0200..=0x03ff "defb" (Dst, Flag) 0 Documented;
        F 0x0201..=0x03ff "defb" (Dst, Flag) 0 Documented;
    }
    /// Gives an integer constant its four values.
    Defi = 0x30 Setup Straight Custom(()) {
        V 0x0200..=0x03ff "defi" (Dst, Integers4) 0 Documented;
        F 0x0201..=0x03ff "defi" (Dst, Integers4) 0 Documented;
    }
    /// Texture coordinates as a colour; before ps_1_4 clamped to 0-1.
    Texcoord = 0x40 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texcoord" (Dst) 1 Documented;
        F 0x0104..=0x0104 "texcrd" (Dst, Src) 1 Documented;
    }
    /// Discards the pixel if a component of the register is negative.
    Texkill = 0x41 Texture Straight Custom(()) {
        F 0x0100..=0x0104 "texkill" (Read) 1 Documented;
        F 0x0200..=0x02ff "texkill" (Read) 1 Documented;
        F 0x0300..=0x03ff "texkill" (Read) 2 Documented;
    }
    /// Samples a texture.
    Tex = 0x42 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "tex" (Dst) 1 Documented;
        F 0x0104..=0x0104 "texld" (Dst, Src) 1 Documented;
        F 0x0200..=0x03ff "texld" (Dst, Src, Sampler) 1 Documented;
    }
    /// Samples at coordinates moved by the bump matrix times a colour.
    Texbem = 0x43 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texbem" (Dst, Src) 1 Documented;
    }
    /// As texbem, times a luminance.
    Texbeml = 0x44 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texbeml" (Dst, Src) 2 Documented;
    }
    /// Samples at the components (a, r) of a colour.
    Texreg2ar = 0x45 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texreg2ar" (Dst, Src) 1 Documented;
    }
    /// Samples at the components (g, b) of a colour.
    Texreg2gb = 0x46 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texreg2gb" (Dst, Src) 1 Documented;
    }
    /// The first row of a product with a matrix of two rows.
    Texm3x2pad = 0x47 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x2pad" (Dst, Src) 1 Documented;
    }
    /// The second row of a product with a matrix of two rows, and samples there.
    Texm3x2tex = 0x48 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x2tex" (Dst, Src) 1 Documented;
    }
    /// The first or second row of a product with a matrix of three rows.
    Texm3x3pad = 0x49 Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x3pad" (Dst, Src) 1 Documented;
    }
    /// The third row of a product with a matrix of three rows, and samples there.
    Texm3x3tex = 0x4a Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x3tex" (Dst, Src) 1 Documented;
    }
    /// Reserved: a product with a matrix of three rows for diffuse light.
    Texm3x3diff = 0x4b Texture Straight Reserved {
        F 0x0100..=0x0103 "texm3x3diff" (Dst, Src) 0 Believed;
    }
    /// The third row of a product with a matrix of three rows, and samples at the reflection of a constant eye vector.
    Texm3x3spec = 0x4c Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x3spec" (Dst, Src, Src) 1 Documented;
    }
    /// As texm3x3spec, with the eye vector in the w of three texture coordinates.
    Texm3x3vspec = 0x4d Texture Straight Custom(()) {
        F 0x0100..=0x0103 "texm3x3vspec" (Dst, Src) 1 Documented;
    }
    /// Before vs_2_0 (2^floor(x), x - floor(x), about 2^x, 1), else about 2^x in every lane.
    Expp = 0x4e Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "expp" (Dst, Scalar) 1 Documented;
        F 0x0200..=0x03ff "expp" (Dst, Scalar) 1 Peer;
    }
    /// Before vs_2_0 (exponent, mantissa, about log2 |x|, 1), else about log2 |x| in every lane.
    Logp = 0x4f Arithmetic Straight Custom(()) {
        V 0x0100..=0x03ff "logp" (Dst, Scalar) 1 Documented;
        F 0x0200..=0x03ff "logp" (Dst, Scalar) 1 Peer;
    }
    /// source 1 > 0.5 ? source 2 : source 3, by lane; before ps_1_4 for r0.a alone.
    Cnd = 0x50 Arithmetic Straight Custom(()) {
        F 0x0100..=0x0104 "cnd" (Dst, Src, Src, Src) 1 Documented;
    }
    /// Gives a constant its four values.
    Def = 0x51 Setup Straight Custom(()) {
        VF 0x0100..=0x03ff "def" (Dst, Floats4) 0 Documented;
    }
    /// Samples at the components (r, g, b) of a colour.
    Texreg2rgb = 0x52 Texture Straight Custom(()) {
        F 0x0102..=0x0103 "texreg2rgb" (Dst, Src) 1 Documented;
    }
    /// Samples a line at a dot product.
    Texdp3tex = 0x53 Texture Straight Custom(()) {
        F 0x0102..=0x0103 "texdp3tex" (Dst, Src) 1 Documented;
    }
    /// The depth is the quotient of the two rows of a product with a matrix.
    Texm3x2depth = 0x54 Texture Straight Custom(()) {
        F 0x0103..=0x0103 "texm3x2depth" (Dst, Src) 1 Documented;
    }
    /// A dot product of texture coordinates with a colour, in every lane.
    Texdp3 = 0x55 Texture Straight Custom(()) {
        F 0x0102..=0x0103 "texdp3" (Dst, Src) 1 Documented;
    }
    /// The third row of a product with a matrix of three rows, as a colour.
    Texm3x3 = 0x56 Texture Straight Custom(()) {
        F 0x0102..=0x0103 "texm3x3" (Dst, Src) 1 Documented;
    }
    /// The depth is r5.r / min(r5.g, 1).
    Texdepth = 0x57 Texture Straight Custom(()) {
        F 0x0104..=0x0104 "texdepth" (Dst) 1 Documented;
    }
    /// source 1 >= 0 ? source 2 : source 3, by lane.
    Cmp = 0x58 Arithmetic Straight Custom(()) {
        F 0x0102..=0x0103 "cmp" (Dst, Src, Src, Src) 2 Documented;
        F 0x0104..=0x0104 "cmp" (Dst, Src, Src, Src) 1 Documented;
        F 0x0200..=0x03ff "cmp" (Dst, Src, Src, Src) 1 Documented;
    }
    /// source 1 plus the bump matrix times source 2, in x and y.
    Bem = 0x59 Arithmetic Straight Custom(()) {
        F 0x0104..=0x0104 "bem" (Dst, Src, Src) 2 Documented;
    }
    /// The dot product of the vectors xy plus a component of source 3, in every lane.
    Dp2add = 0x5a Arithmetic Straight Custom(()) {
        F 0x0200..=0x03ff "dp2add" (Dst, Src, Src, Scalar) 2 Documented;
    }
    /// How the source changes along x of the screen, by lane.
    Dsx = 0x5b Arithmetic Straight Custom(()) {
        F 0x0201..=0x03ff "dsx" (Dst, Src) 2 Documented;
    }
    /// How the source changes along y of the screen, by lane.
    Dsy = 0x5c Arithmetic Straight Custom(()) {
        F 0x0201..=0x03ff "dsy" (Dst, Src) 2 Documented;
    }
    /// Samples a texture with the derivatives of its coordinates given.
    Texldd = 0x5d Texture Straight Custom(()) {
        F 0x0201..=0x03ff "texldd" (Dst, Src, Sampler, Src, Src) 3 Documented;
    }
    /// Sets the predicate to a comparison, by lane.
    Setp = 0x5e Arithmetic Straight Custom(()) {
        VF 0x0201..=0x03ff "setp" (Dst, Src, Src) 1 Documented;
    }
    /// Samples a texture at the level of detail in w.
    Texldl = 0x5f Texture Straight Custom(()) {
        VF 0x0300..=0x03ff "texldl" (Dst, Src, Sampler) 2 Documented;
    }
    /// Leaves the loop if a component of the predicate holds.
    Breakp = 0x60 Flow Break Custom(()) {
        VF 0x0201..=0x03ff "breakp" (Condition) 3 Documented;
    }
    /// Separates the phases of ps_1_4.
    Phase = 0xfffd Setup Straight Custom(()) {
        F 0x0104..=0x0104 "phase" () 0 Documented;
    }
}

/// Codes of tokens that are no instructions.
pub mod code {
    /// A comment; the token holds its length.
    pub const COMMENT: u16 = 0xfffe;
    /// The end of a program.
    pub const END: u32 = 0x0000_ffff;
}

/// The comparisons of `if`, `break` and `setp`, by their code in the control bits. Codes 0 and 7 are reserved.
pub const COMPARISONS: &[(u8, &str)] = &[(1, "gt"), (2, "eq"), (3, "ge"), (4, "lt"), (5, "ne"), (6, "le")];

/// A variant of `texld` that the control bits choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureControl {
    /// The control bits.
    pub code: u8,
    /// The spelling.
    pub name: &'static str,
    /// Slots in ps_3_0.
    pub slots: u8,
    /// Slots in ps_3_0 with a cube map.
    pub cube: u8,
}

/// The variants of `texld` from ps_2_0 on.
pub const TEXTURE_CONTROLS: &[TextureControl] = &[
    TextureControl { code: 0, name: "texld", slots: 1, cube: 4 },
    TextureControl { code: 1, name: "texldp", slots: 3, cube: 4 },
    TextureControl { code: 2, name: "texldb", slots: 6, cube: 6 },
];

// Codes ascend, so that they can be searched for, and every instruction has a form.
const _: () = {
    let rows = Opcode::ROWS;
    let mut i = 0;
    while i < rows.len() {
        assert!(i == 0 || rows[i].code > rows[i - 1].code);
        assert!(!rows[i].forms.is_empty());
        i += 1;
    }
};

impl Opcode {
    /// The instruction with that code.
    pub fn from_code(code: u16) -> Option<Self> {
        let index = match code {
            0..=0x30 => usize::from(code),
            _ => Self::ROWS.binary_search_by_key(&code, |row| row.code).ok()?,
        };
        Self::ALL.get(index).copied()
    }

    /// Whether it is a definition that gives registers of that file their values.
    pub const fn defines(self, ty: RegType) -> bool {
        match self {
            Self::Def => matches!(ty, RegType::Const | RegType::Const2 | RegType::Const3 | RegType::Const4),
            Self::Defi => matches!(ty, RegType::ConstInt),
            Self::Defb => matches!(ty, RegType::ConstBool),
            _ => false,
        }
    }

    /// Whether the control bits hold a comparison, which is a suffix of the mnemonic.
    pub const fn compares(self) -> bool {
        matches!(self, Self::Ifc | Self::Breakc | Self::Setp)
    }

    /// The forms that a model may have, those it has first, then those of other models of its stage.
    pub fn forms(self, version: Version) -> impl Iterator<Item = &'static Form> {
        let forms = self.row().forms.iter();
        let others = forms.clone().filter(move |form| form.is_for(version.stage()) && !form.is_in(version));
        forms.filter(move |form| form.is_in(version)).chain(others)
    }

    /// Whether a model has the instruction.
    pub fn is_in(self, version: Version) -> bool {
        self.row().forms.iter().any(|form| form.is_in(version))
    }
}

/// Slots of an instruction in a model that has it, with its control bits and whether its texture is a cube map.
///
/// Where instructions are unlimited in ps_2_x (a capability), they cost what they do in ps_3_0; this tells the cost
/// without the capability.
pub fn slots(op: Opcode, version: Version, control: u8, cube: bool) -> Option<u8> {
    let form = op.forms(version).next().filter(|form| form.is_in(version))?;
    if version.major() < 3 || version.stage() == Stage::Vertex && !cube {
        return Some(form.slots);
    }
    Some(match op {
        Opcode::Tex => {
            let row = TEXTURE_CONTROLS.iter().find(|row| row.code == control)?;
            if cube { row.cube } else { row.slots }
        }
        Opcode::Texldl if cube => form.slots + 3,
        _ => form.slots,
    })
}
