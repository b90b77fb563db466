//! The instructions in the order of their codes, with the models that have each form of them.
//!
//! Sources: Microsoft's shader reference (availability, operands, slots); vkd3d's tables where a form is marked `Peer`.
//! Versions are the low 16 bits of a version token: `0x0104` is 1.4, `0x0201` is 2.x, `0x02ff` and `0x03ff` are the
//! software models.

use super::program::{Stage, Version};
use super::registers::RegType;
use crate::table::{Flow, Lift, Shape, Stages, opcodes};
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

/// A row: doc comment, then `Name = code Flow Unit => Lift { forms }`; a form: `"spelling" since..=until Stages slots
/// provenance (Shapes…);`.
macro_rules! instructions {
    ( $(#[$m:meta])* $vis:vis enum $E:ident;
      $( #[doc = $d:literal]
         $V:ident = $code:literal $flow:ident $unit:ident => $k:ident $(( $($arg:expr),* ))? {
            $( $name:literal $since:literal..=$until:literal $st:ident $slots:literal $p:ident ( $($s:ident),* ); )*
         } )* ) => {
        opcodes! {
            $(#[$m])* $vis enum $E(Row);
            $( #[doc = $d] $V => |doc| Row {
                code: $code, unit: Unit::$unit, flow: Flow::$flow, lift: Lift::$k $(( $($arg),* ))?,
                forms: &[$( Form {
                    stages: Stages::$st, since: $since, until: $until, name: $name, shape: &[$(Shape::$s),*],
                    slots: $slots, provenance: Provenance::$p,
                } ),*],
                doc,
            }; )*
        }
    };
}

instructions! {
    /// An instruction of Direct3D 8 and 9.
    pub enum Opcode;

    /// Nothing.
    Nop = 0x00 Straight Arithmetic => Custom(()) {
        "nop" 0x0100..=0x03ff V 1 Documented ();
        "nop" 0x0100..=0x01ff F 0 Documented ();
        "nop" 0x0200..=0x03ff F 1 Documented ();
    }
    /// Copies the source; to the address register of vs_1_x it rounds down.
    Mov = 0x01 Straight Arithmetic => Custom(()) {
        "mov" 0x0100..=0x03ff VF 1 Documented (Dst, Src);
    }
    /// source 1 + source 2, by lane.
    Add = 0x02 Straight Arithmetic => PerComponent(Pure::Add) {
        "add" 0x0100..=0x03ff VF 1 Documented (Dst, Src, Src);
    }
    /// source 1 - source 2, by lane.
    Sub = 0x03 Straight Arithmetic => PerComponent(Pure::Sub) {
        "sub" 0x0100..=0x03ff VF 1 Documented (Dst, Src, Src);
    }
    /// source 1 · source 2 + source 3, by lane.
    Mad = 0x04 Straight Arithmetic => Custom(()) {
        "mad" 0x0100..=0x03ff VF 1 Documented (Dst, Src, Src, Src);
    }
    /// source 1 · source 2, by lane.
    Mul = 0x05 Straight Arithmetic => PerComponent(Pure::Mul) {
        "mul" 0x0100..=0x03ff VF 1 Documented (Dst, Src, Src);
    }
    /// 1 / source, in every lane.
    Rcp = 0x06 Straight Arithmetic => Replicate(Pure::Rcp, 1) {
        "rcp" 0x0100..=0x03ff V 1 Documented (Dst, Scalar);
        "rcp" 0x0200..=0x03ff F 1 Documented (Dst, Scalar);
    }
    /// 1 / sqrt(|source|), in every lane.
    Rsq = 0x07 Straight Arithmetic => Custom(()) {
        "rsq" 0x0100..=0x03ff V 1 Documented (Dst, Scalar);
        "rsq" 0x0200..=0x03ff F 1 Documented (Dst, Scalar);
    }
    /// The dot product of the vectors xyz, in every lane.
    Dp3 = 0x08 Straight Arithmetic => Replicate(Pure::Dot, 3) {
        "dp3" 0x0100..=0x03ff VF 1 Documented (Dst, Src, Src);
    }
    /// The dot product of the vectors xyzw, in every lane.
    Dp4 = 0x09 Straight Arithmetic => Replicate(Pure::Dot, 4) {
        "dp4" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
        "dp4" 0x0102..=0x0103 F 2 Documented (Dst, Src, Src);
        "dp4" 0x0104..=0x0104 F 1 Documented (Dst, Src, Src);
        "dp4" 0x0200..=0x03ff F 1 Documented (Dst, Src, Src);
    }
    /// The smaller of the sources, by lane.
    Min = 0x0a Straight Arithmetic => PerComponent(Pure::Min) {
        "min" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
        "min" 0x0200..=0x03ff F 1 Documented (Dst, Src, Src);
    }
    /// The larger of the sources, by lane.
    Max = 0x0b Straight Arithmetic => PerComponent(Pure::Max) {
        "max" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
        "max" 0x0200..=0x03ff F 1 Documented (Dst, Src, Src);
    }
    /// 1 where source 1 < source 2, else 0, by lane.
    Slt = 0x0c Straight Arithmetic => Set(Pure::Lt) {
        "slt" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
    }
    /// 1 where source 1 >= source 2, else 0, by lane.
    Sge = 0x0d Straight Arithmetic => Set(Pure::Ge) {
        "sge" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
    }
    /// 2 to the power of the source, in every lane.
    Exp = 0x0e Straight Arithmetic => Custom(()) {
        "exp" 0x0100..=0x01ff V 10 Documented (Dst, Scalar);
        "exp" 0x0200..=0x03ff VF 1 Documented (Dst, Scalar);
    }
    /// The binary logarithm of |source|, in every lane.
    Log = 0x0f Straight Arithmetic => Custom(()) {
        "log" 0x0100..=0x01ff V 10 Documented (Dst, Scalar);
        "log" 0x0200..=0x03ff VF 1 Documented (Dst, Scalar);
    }
    /// Light coefficients (1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1).
    Lit = 0x10 Straight Arithmetic => Custom(()) {
        "lit" 0x0100..=0x01ff V 1 Documented (Dst, Src);
        "lit" 0x0200..=0x03ff V 3 Documented (Dst, Src);
    }
    /// The distance vector (1, a.y · b.y, a.z, b.w).
    Dst = 0x11 Straight Arithmetic => Custom(()) {
        "dst" 0x0100..=0x03ff V 1 Documented (Dst, Src, Src);
    }
    /// source 1 · (source 2 - source 3) + source 3, by lane.
    Lrp = 0x12 Straight Arithmetic => Custom(()) {
        "lrp" 0x0200..=0x03ff VF 2 Documented (Dst, Src, Src, Src);
        "lrp" 0x0100..=0x01ff F 1 Documented (Dst, Src, Src, Src);
    }
    /// The source less its floor, by lane.
    Frc = 0x13 Straight Arithmetic => Custom(()) {
        "frc" 0x0100..=0x01ff V 3 Documented (Dst, Src);
        "frc" 0x0200..=0x03ff VF 1 Documented (Dst, Src);
    }
    /// The dot products of source 1 (xyzw) with four consecutive registers.
    M4x4 = 0x14 Straight Arithmetic => Custom(()) {
        "m4x4" 0x0100..=0x03ff V 4 Documented (Dst, Src, Rows4);
        "m4x4" 0x0200..=0x03ff F 4 Documented (Dst, Src, Rows4);
    }
    /// The dot products of source 1 (xyzw) with three consecutive registers.
    M4x3 = 0x15 Straight Arithmetic => Custom(()) {
        "m4x3" 0x0100..=0x03ff V 3 Documented (Dst, Src, Rows3);
        "m4x3" 0x0200..=0x03ff F 3 Documented (Dst, Src, Rows3);
    }
    /// The dot products of source 1 (xyz) with four consecutive registers.
    M3x4 = 0x16 Straight Arithmetic => Custom(()) {
        "m3x4" 0x0100..=0x03ff V 4 Documented (Dst, Src, Rows4);
        "m3x4" 0x0200..=0x03ff F 4 Documented (Dst, Src, Rows4);
    }
    /// The dot products of source 1 (xyz) with three consecutive registers.
    M3x3 = 0x17 Straight Arithmetic => Custom(()) {
        "m3x3" 0x0100..=0x03ff V 3 Documented (Dst, Src, Rows3);
        "m3x3" 0x0200..=0x03ff F 3 Documented (Dst, Src, Rows3);
    }
    /// The dot products of source 1 (xyz) with two consecutive registers.
    M3x2 = 0x18 Straight Arithmetic => Custom(()) {
        "m3x2" 0x0100..=0x03ff V 2 Documented (Dst, Src, Rows2);
        "m3x2" 0x0200..=0x03ff F 2 Documented (Dst, Src, Rows2);
    }
    /// Runs the subroutine at a label.
    Call = 0x19 Call Flow => Custom(()) {
        "call" 0x0200..=0x03ff V 2 Documented (Label);
        "call" 0x0201..=0x03ff F 2 Documented (Label);
    }
    /// Runs the subroutine at a label if the condition holds.
    Callnz = 0x1a Call Flow => Custom(()) {
        "callnz" 0x0200..=0x03ff V 3 Documented (Label, Condition);
        "callnz" 0x0201..=0x03ff F 3 Documented (Label, Condition);
    }
    /// Opens a loop with the counter aL; the integer constant gives count, start and step.
    Loop = 0x1b Loop Flow => Custom(()) {
        "loop" 0x0200..=0x03ff V 3 Documented (Counter, Integer);
        "loop" 0x0300..=0x03ff F 3 Documented (Counter, Integer);
    }
    /// Ends a subroutine or the program.
    Ret = 0x1c Return Flow => Custom(()) {
        "ret" 0x0200..=0x03ff V 1 Documented ();
        "ret" 0x0201..=0x03ff F 1 Documented ();
    }
    /// Closes a loop.
    Endloop = 0x1d EndLoop Flow => Custom(()) {
        "endloop" 0x0200..=0x03ff V 2 Documented ();
        "endloop" 0x0300..=0x03ff F 2 Documented ();
    }
    /// Begins a subroutine.
    Label = 0x1e Label Flow => Custom(()) {
        "label" 0x0200..=0x03ff V 0 Documented (Label);
        "label" 0x0201..=0x03ff F 0 Documented (Label);
    }
    /// Declares what an input, output or sampler is.
    Dcl = 0x1f Straight Setup => Custom(()) {
        "dcl" 0x0100..=0x03ff V 0 Documented (Usage, Dst);
        "dcl" 0x0200..=0x03ff F 0 Documented (Usage, Dst);
    }
    /// |source 1| to the power of source 2, in every lane.
    Pow = 0x20 Straight Arithmetic => Custom(()) {
        "pow" 0x0200..=0x03ff VF 3 Documented (Dst, Scalar, Scalar);
    }
    /// The cross product of the vectors xyz.
    Crs = 0x21 Straight Arithmetic => Custom(()) {
        "crs" 0x0200..=0x03ff VF 2 Documented (Dst, Src, Src);
    }
    /// The sign of source 1: -1, 0 or 1, by lane; the other sources are scratch registers.
    Sgn = 0x22 Straight Arithmetic => Custom(()) {
        "sgn" 0x0200..=0x03ff V 3 Documented (Dst, Src, Src, Src);
        "sgn" 0x0300..=0x03ff V 3 Peer (Dst, Src);
    }
    /// |source|, by lane.
    Abs = 0x23 Straight Arithmetic => Custom(()) {
        "abs" 0x0200..=0x03ff VF 1 Documented (Dst, Src);
    }
    /// The source divided by the length of its vector xyz.
    Nrm = 0x24 Straight Arithmetic => Custom(()) {
        "nrm" 0x0200..=0x03ff VF 3 Documented (Dst, Src);
    }
    /// Cosine (x) and sine (y) of source 1; before 3.0 the other sources are constants of the series.
    Sincos = 0x25 Straight Arithmetic => Custom(()) {
        "sincos" 0x0200..=0x02ff VF 8 Documented (Dst, Scalar, Src, Src);
        "sincos" 0x0300..=0x03ff VF 8 Documented (Dst, Scalar);
    }
    /// Opens a loop without counter; the integer constant gives the count.
    Rep = 0x26 Loop Flow => Custom(()) {
        "rep" 0x0200..=0x03ff V 3 Documented (Integer);
        "rep" 0x0201..=0x03ff F 3 Documented (Integer);
    }
    /// Closes a loop without counter.
    Endrep = 0x27 EndLoop Flow => Custom(()) {
        "endrep" 0x0200..=0x03ff V 2 Documented ();
        "endrep" 0x0201..=0x03ff F 2 Documented ();
    }
    /// Opens a conditional on a boolean constant or a component of the predicate.
    If = 0x28 If Flow => Custom(()) {
        "if" 0x0200..=0x03ff V 3 Documented (Condition);
        "if" 0x0201..=0x03ff F 3 Documented (Condition);
    }
    /// Opens a conditional on a comparison of two numbers.
    Ifc = 0x29 If Flow => Custom(()) {
        "if" 0x0201..=0x03ff VF 3 Documented (Scalar, Scalar);
    }
    /// Separates the branches of a conditional.
    Else = 0x2a Else Flow => Custom(()) {
        "else" 0x0200..=0x03ff V 1 Documented ();
        "else" 0x0201..=0x03ff F 1 Documented ();
    }
    /// Closes a conditional.
    Endif = 0x2b EndIf Flow => Custom(()) {
        "endif" 0x0200..=0x03ff V 1 Documented ();
        "endif" 0x0201..=0x03ff F 1 Documented ();
    }
    /// Leaves the loop.
    Break = 0x2c Break Flow => Custom(()) {
        "break" 0x0201..=0x03ff VF 1 Documented ();
    }
    /// Leaves the loop if a comparison of two numbers holds.
    Breakc = 0x2d Break Flow => Custom(()) {
        "break" 0x0201..=0x03ff VF 3 Documented (Scalar, Scalar);
    }
    /// Sets the address register to the nearest integer, the even one of two.
    Mova = 0x2e Straight Arithmetic => Custom(()) {
        "mova" 0x0200..=0x03ff V 1 Documented (Dst, Src);
    }
    /// Gives a boolean constant its value.
    Defb = 0x2f Straight Setup => Custom(()) {
        "defb" 0x0200..=0x03ff V 0 Documented (Dst, Flag);
        "defb" 0x0201..=0x03ff F 0 Documented (Dst, Flag);
    }
    /// Gives an integer constant its four values.
    Defi = 0x30 Straight Setup => Custom(()) {
        "defi" 0x0200..=0x03ff V 0 Documented (Dst, Integers4);
        "defi" 0x0201..=0x03ff F 0 Documented (Dst, Integers4);
    }
    /// Texture coordinates as a colour; before ps_1_4 clamped to 0-1.
    Texcoord = 0x40 Straight Texture => Custom(()) {
        "texcoord" 0x0100..=0x0103 F 1 Documented (Dst);
        "texcrd" 0x0104..=0x0104 F 1 Documented (Dst, Src);
    }
    /// Discards the pixel if a component of the register is negative.
    Texkill = 0x41 Straight Texture => Custom(()) {
        "texkill" 0x0100..=0x0104 F 1 Documented (Read);
        "texkill" 0x0200..=0x02ff F 1 Documented (Read);
        "texkill" 0x0300..=0x03ff F 2 Documented (Read);
    }
    /// Samples a texture.
    Tex = 0x42 Straight Texture => Custom(()) {
        "tex" 0x0100..=0x0103 F 1 Documented (Dst);
        "texld" 0x0104..=0x0104 F 1 Documented (Dst, Src);
        "texld" 0x0200..=0x03ff F 1 Documented (Dst, Src, Sampler);
    }
    /// Samples at coordinates moved by the bump matrix times a colour.
    Texbem = 0x43 Straight Texture => Custom(()) {
        "texbem" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// As texbem, times a luminance.
    Texbeml = 0x44 Straight Texture => Custom(()) {
        "texbeml" 0x0100..=0x0103 F 2 Documented (Dst, Src);
    }
    /// Samples at the components (a, r) of a colour.
    Texreg2ar = 0x45 Straight Texture => Custom(()) {
        "texreg2ar" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// Samples at the components (g, b) of a colour.
    Texreg2gb = 0x46 Straight Texture => Custom(()) {
        "texreg2gb" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The first row of a product with a matrix of two rows.
    Texm3x2pad = 0x47 Straight Texture => Custom(()) {
        "texm3x2pad" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The second row of a product with a matrix of two rows, and samples there.
    Texm3x2tex = 0x48 Straight Texture => Custom(()) {
        "texm3x2tex" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The first or second row of a product with a matrix of three rows.
    Texm3x3pad = 0x49 Straight Texture => Custom(()) {
        "texm3x3pad" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The third row of a product with a matrix of three rows, and samples there.
    Texm3x3tex = 0x4a Straight Texture => Custom(()) {
        "texm3x3tex" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// Reserved: a product with a matrix of three rows for diffuse light.
    Texm3x3diff = 0x4b Straight Texture => Reserved {
        "texm3x3diff" 0x0100..=0x0103 F 0 Believed (Dst, Src);
    }
    /// The third row of a product with a matrix of three rows, and samples at the reflection of a constant eye vector.
    Texm3x3spec = 0x4c Straight Texture => Custom(()) {
        "texm3x3spec" 0x0100..=0x0103 F 1 Documented (Dst, Src, Src);
    }
    /// As texm3x3spec, with the eye vector in the w of three texture coordinates.
    Texm3x3vspec = 0x4d Straight Texture => Custom(()) {
        "texm3x3vspec" 0x0100..=0x0103 F 1 Documented (Dst, Src);
    }
    /// Before vs_2_0 (2^floor(x), x - floor(x), about 2^x, 1), else about 2^x in every lane.
    Expp = 0x4e Straight Arithmetic => Custom(()) {
        "expp" 0x0100..=0x03ff V 1 Documented (Dst, Scalar);
        "expp" 0x0200..=0x03ff F 1 Peer (Dst, Scalar);
    }
    /// Before vs_2_0 (exponent, mantissa, about log2 |x|, 1), else about log2 |x| in every lane.
    Logp = 0x4f Straight Arithmetic => Custom(()) {
        "logp" 0x0100..=0x03ff V 1 Documented (Dst, Scalar);
        "logp" 0x0200..=0x03ff F 1 Peer (Dst, Scalar);
    }
    /// source 1 > 0.5 ? source 2 : source 3, by lane; before ps_1_4 for r0.a alone.
    Cnd = 0x50 Straight Arithmetic => Custom(()) {
        "cnd" 0x0100..=0x0104 F 1 Documented (Dst, Src, Src, Src);
    }
    /// Gives a constant its four values.
    Def = 0x51 Straight Setup => Custom(()) {
        "def" 0x0100..=0x03ff VF 0 Documented (Dst, Floats4);
    }
    /// Samples at the components (r, g, b) of a colour.
    Texreg2rgb = 0x52 Straight Texture => Custom(()) {
        "texreg2rgb" 0x0102..=0x0103 F 1 Documented (Dst, Src);
    }
    /// Samples a line at a dot product.
    Texdp3tex = 0x53 Straight Texture => Custom(()) {
        "texdp3tex" 0x0102..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The depth is the quotient of the two rows of a product with a matrix.
    Texm3x2depth = 0x54 Straight Texture => Custom(()) {
        "texm3x2depth" 0x0103..=0x0103 F 1 Documented (Dst, Src);
    }
    /// A dot product of texture coordinates with a colour, in every lane.
    Texdp3 = 0x55 Straight Texture => Custom(()) {
        "texdp3" 0x0102..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The third row of a product with a matrix of three rows, as a colour.
    Texm3x3 = 0x56 Straight Texture => Custom(()) {
        "texm3x3" 0x0102..=0x0103 F 1 Documented (Dst, Src);
    }
    /// The depth is r5.r / min(r5.g, 1).
    Texdepth = 0x57 Straight Texture => Custom(()) {
        "texdepth" 0x0104..=0x0104 F 1 Documented (Dst);
    }
    /// source 1 >= 0 ? source 2 : source 3, by lane.
    Cmp = 0x58 Straight Arithmetic => Custom(()) {
        "cmp" 0x0102..=0x0103 F 2 Documented (Dst, Src, Src, Src);
        "cmp" 0x0104..=0x0104 F 1 Documented (Dst, Src, Src, Src);
        "cmp" 0x0200..=0x03ff F 1 Documented (Dst, Src, Src, Src);
    }
    /// source 1 plus the bump matrix times source 2, in x and y.
    Bem = 0x59 Straight Arithmetic => Custom(()) {
        "bem" 0x0104..=0x0104 F 2 Documented (Dst, Src, Src);
    }
    /// The dot product of the vectors xy plus a component of source 3, in every lane.
    Dp2add = 0x5a Straight Arithmetic => Custom(()) {
        "dp2add" 0x0200..=0x03ff F 2 Documented (Dst, Src, Src, Scalar);
    }
    /// How the source changes along x of the screen, by lane.
    Dsx = 0x5b Straight Arithmetic => Custom(()) {
        "dsx" 0x0201..=0x03ff F 2 Documented (Dst, Src);
    }
    /// How the source changes along y of the screen, by lane.
    Dsy = 0x5c Straight Arithmetic => Custom(()) {
        "dsy" 0x0201..=0x03ff F 2 Documented (Dst, Src);
    }
    /// Samples a texture with the derivatives of its coordinates given.
    Texldd = 0x5d Straight Texture => Custom(()) {
        "texldd" 0x0201..=0x03ff F 3 Documented (Dst, Src, Sampler, Src, Src);
    }
    /// Sets the predicate to a comparison, by lane.
    Setp = 0x5e Straight Arithmetic => Custom(()) {
        "setp" 0x0201..=0x03ff VF 1 Documented (Dst, Src, Src);
    }
    /// Samples a texture at the level of detail in w.
    Texldl = 0x5f Straight Texture => Custom(()) {
        "texldl" 0x0300..=0x03ff VF 2 Documented (Dst, Src, Sampler);
    }
    /// Leaves the loop if a component of the predicate holds.
    Breakp = 0x60 Break Flow => Custom(()) {
        "breakp" 0x0201..=0x03ff VF 3 Documented (Condition);
    }
    /// Separates the phases of ps_1_4.
    Phase = 0xfffd Straight Setup => Custom(()) {
        "phase" 0x0104..=0x0104 F 0 Documented ();
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
