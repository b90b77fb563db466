//! The code between a shader and the machine: instructions on virtual registers, in a list, with labels and jumps.

use super::isa::Isa;
use iced_x86::Code;

/// A virtual register: the lanes of a block of invocations.
pub(super) type V = u32;

/// No register.
pub(super) const NONE: V = u32::MAX;

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Src {
    /// Nothing.
    None,
    /// A virtual register.
    V(V),
    /// An entry of the pool: the same in all lanes.
    C(u32),
}

/// How the operands of an instruction are encoded; `m` may stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// dst, a, b/m.
    Binary,
    /// dst, a, b/m, number.
    BinaryImm,
    /// dst, a/m.
    Unary,
    /// dst, a/m, number.
    UnaryImm,
    /// dst, a, number.
    Shift,
    /// dst, which is a, b, c/m.
    Fused,
    /// Handled one by one.
    Other,
}

macro_rules! ops {
    ($( $Op:ident $shape:ident $commutes:literal $vex:ident $evex:ident; )* ; $($Other:ident)*) => {
        /// What an instruction does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum MachineOp { $($Op,)* $($Other,)* }

        impl MachineOp {
            pub(super) const fn shape(self) -> Shape {
                match self { $(Self::$Op => Shape::$shape,)* _ => Shape::Other }
            }

            /// Whether the first two operands may change places.
            pub(super) const fn commutes(self) -> bool {
                match self { $(Self::$Op => $commutes,)* _ => false }
            }

            /// The instruction of the machine, where one does it.
            pub(super) const fn code(self, isa: Isa) -> Code {
                match (self, isa) {
                    $((Self::$Op, Isa::Avx2) => Code::$vex, (Self::$Op, Isa::Avx512) => Code::$evex,)*
                    _ => Code::INVALID,
                }
            }
        }
    };
}

ops! {
    Add Binary true VEX_Vaddps_ymm_ymm_ymmm256 EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
    Sub Binary false VEX_Vsubps_ymm_ymm_ymmm256 EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
    Mul Binary true VEX_Vmulps_ymm_ymm_ymmm256 EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
    Div Binary false VEX_Vdivps_ymm_ymm_ymmm256 EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
    // The second operand where one is NaN or both are zeros.
    Min Binary false VEX_Vminps_ymm_ymm_ymmm256 EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
    Max Binary false VEX_Vmaxps_ymm_ymm_ymmm256 EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae;
    Sqrt Unary false VEX_Vsqrtps_ymm_ymmm256 EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er;
    Round UnaryImm false VEX_Vroundps_ymm_ymmm256_imm8 EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae;
    RsqrtGuess Unary false VEX_Vrsqrtps_ymm_ymmm256 EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32;
    Fma Fused false VEX_Vfmadd213ps_ymm_ymm_ymmm256 EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
    Fnma Fused false VEX_Vfnmadd213ps_ymm_ymm_ymmm256 EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
    // Whole 128 bits of the first operand, then of the second; words inside each 128 bits.
    Parts BinaryImm false VEX_Vperm2f128_ymm_ymm_ymmm256_imm8 EVEX_Vshuff32x4_zmm_k1z_zmm_zmmm512b32_imm8;
    Within UnaryImm false VEX_Vpermilps_ymm_ymmm256_imm8 EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8;
    And Binary true VEX_Vandps_ymm_ymm_ymmm256 EVEX_Vandps_zmm_k1z_zmm_zmmm512b32;
    Or Binary true VEX_Vorps_ymm_ymm_ymmm256 EVEX_Vorps_zmm_k1z_zmm_zmmm512b32;
    Xor Binary true VEX_Vxorps_ymm_ymm_ymmm256 EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32;
    FromI32 Unary false VEX_Vcvtdq2ps_ymm_ymmm256 EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
    // 80000000 where it does not fit.
    TruncI32 Unary false VEX_Vcvttps2dq_ymm_ymmm256 EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
    // AVX-512 alone.
    FromU32 Unary false INVALID EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er;
    TruncU32 Unary false INVALID EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae;

    IAdd Binary true VEX_Vpaddd_ymm_ymm_ymmm256 EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    ISub Binary false VEX_Vpsubd_ymm_ymm_ymmm256 EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
    IMul Binary true VEX_Vpmulld_ymm_ymm_ymmm256 EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
    MinS Binary true VEX_Vpminsd_ymm_ymm_ymmm256 EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
    MaxS Binary true VEX_Vpmaxsd_ymm_ymm_ymmm256 EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
    MinU Binary true VEX_Vpminud_ymm_ymm_ymmm256 EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
    MaxU Binary true VEX_Vpmaxud_ymm_ymm_ymmm256 EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32;
    // Shifts by a count in each lane, 0 to 31.
    Shl Binary false VEX_Vpsllvd_ymm_ymm_ymmm256 EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32;
    Shr Binary false VEX_Vpsrlvd_ymm_ymm_ymmm256 EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32;
    Sar Binary false VEX_Vpsravd_ymm_ymm_ymmm256 EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32;
    ShlImm Shift false VEX_Vpslld_ymm_ymm_imm8 EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
    ShrImm Shift false VEX_Vpsrld_ymm_ymm_imm8 EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
    SarImm Shift false VEX_Vpsrad_ymm_ymm_imm8 EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;

    // Inside each 128 bits.
    UnpackLow Binary false VEX_Vunpcklps_ymm_ymm_ymmm256 EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32;
    UnpackHigh Binary false VEX_Vunpckhps_ymm_ymm_ymmm256 EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32;
    UnpackLow2 Binary false VEX_Vunpcklpd_ymm_ymm_ymmm256 EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64;
    UnpackHigh2 Binary false VEX_Vunpckhpd_ymm_ymm_ymmm256 EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64;

    // f64, half as many lanes.
    Add64 Binary true VEX_Vaddpd_ymm_ymm_ymmm256 EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
    Sub64 Binary false VEX_Vsubpd_ymm_ymm_ymmm256 EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
    Mul64 Binary true VEX_Vmulpd_ymm_ymm_ymmm256 EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
    Div64 Binary false VEX_Vdivpd_ymm_ymm_ymmm256 EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er;
    Min64 Binary false VEX_Vminpd_ymm_ymm_ymmm256 EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae;
    Max64 Binary false VEX_Vmaxpd_ymm_ymm_ymmm256 EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae;
    Round64 UnaryImm false VEX_Vroundpd_ymm_ymmm256_imm8 EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae;
    Fma64 Fused false VEX_Vfmadd213pd_ymm_ymm_ymmm256 EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
    Fnma64 Fused false VEX_Vfnmadd213pd_ymm_ymm_ymmm256 EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
    And64 Binary true VEX_Vandpd_ymm_ymm_ymmm256 EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64;
    Or64 Binary true VEX_Vorpd_ymm_ymm_ymmm256 EVEX_Vorpd_zmm_k1z_zmm_zmmm512b64;
    Xor64 Binary true VEX_Vxorpd_ymm_ymm_ymmm256 EVEX_Vxorpd_zmm_k1z_zmm_zmmm512b64;
    IAdd64 Binary true VEX_Vpaddq_ymm_ymm_ymmm256 EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
    ShlImm64 Shift false VEX_Vpsllq_ymm_ymm_imm8 EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
    ShrImm64 Shift false VEX_Vpsrlq_ymm_ymm_imm8 EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;

    // Masks. The number says which relation.
    Compare BinaryImm false VEX_Vcmpps_ymm_ymm_ymmm256_imm8 EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    Equal Binary true VEX_Vpcmpeqd_ymm_ymm_ymmm256 EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
    Greater Binary false VEX_Vpcmpgtd_ymm_ymm_ymmm256 EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32;
    MaskAnd Other true VEX_Vandps_ymm_ymm_ymmm256 VEX_Kandw_kr_kr_kr;
    // The second one without the first one.
    MaskAndNot Other false VEX_Vandnps_ymm_ymm_ymmm256 VEX_Kandnw_kr_kr_kr;
    MaskOr Other true VEX_Vorps_ymm_ymm_ymmm256 VEX_Korw_kr_kr_kr;
    MaskXor Other true VEX_Vxorps_ymm_ymm_ymmm256 VEX_Kxorw_kr_kr_kr;

    ;
    // dst = a.
    Copy
    // The opposite mask; all; none.
    MaskNot MaskAll MaskNone
    // The bits of a mask register, so many places lower or higher; AVX-512 alone.
    MaskLower MaskHigher
    // a where the mask c does not hold, else b.
    Blend
    // b where the mask a holds, else 0; where it does not hold, else 0.
    Keep Drop
    // A product, but 0 where the mask c does not hold.
    MulKeep
    // A comparison, and the mask c; AVX-512 alone.
    CompareAnd
    // f64 of the low half of the lanes of f32, of i32; the high half as a low one; two halves put together; f64 to half the lanes.
    Widen WidenI32 High Join Narrow
    // Words of a table, each by its own number from 0 on: the number of the instruction is its first entry in the pool.
    Table
    // What a stage leaves to the next one; the number is where.
    LoadCarried StoreCarried
    // How the machine computes from here on: the number is that of a `Mode`.
    Mode
    // Four vectors of a list: the number is that of the list times 4 plus which one, and from bit STAGE on the stage.
    LoadList StoreList
    // The number is a label.
    Label JumpIfNone
    // The end goes to the beginning where the mask a holds somewhere, and takes one unit of fuel from the block.
    LoopBegin LoopEnd
    // Has the lanes of the mask c computed by Rust: the number says how. dst is a, if that is something. If b is something, and
    // zero in all of these lanes, they may stay as they are.
    Call
    // Has an operation with up to four results computed by Rust, in the lanes of the mask c, if there is one: the number says
    // which. They are there until the next one; the number says which of them.
    Ask Answer
    // A word of a list for each lane, whose place in bytes is a; the number is that of the list times 4 plus the word.
    Gather
    // Notes the mask a of the block, in the list of that number.
    StoreMask
}

impl MachineOp {
    /// Whether an instruction has to stay even if nobody reads what it gives.
    pub(super) const fn has_effect(self) -> bool {
        matches!(
            self,
            Self::StoreList
                | Self::Label
                | Self::JumpIfNone
                | Self::LoopBegin
                | Self::LoopEnd
                | Self::StoreMask
                | Self::Mode
                | Self::Ask
                | Self::StoreCarried
        )
    }
}

/// The relations of [`MachineOp::Compare`], as the machine numbers them; false where one operand is NaN, but for those that say so.
pub(super) mod relation {
    pub(crate) const EQ: u32 = 0;
    pub(crate) const LT: u32 = 1;
    pub(crate) const LE: u32 = 2;
    pub(crate) const UNORDERED: u32 = 3;
    /// These are true where one is NaN.
    pub(crate) const NE: u32 = 4;
    pub(crate) const NOT_LT: u32 = 5;
    pub(crate) const NOT_GE: u32 = 9;
    pub(crate) const NOT_GT: u32 = 10;
    pub(crate) const GE: u32 = 13;
    pub(crate) const GT: u32 = 14;
}

/// Where the number of a stage begins in that of an instruction.
pub(super) const STAGE: u32 = 28;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct MachineInst {
    pub(super) op: MachineOp,
    pub(super) dst: V,
    pub(super) src: [Src; 3],
    pub(super) imm: u32,
}

/// How the machine rounds, and what it does with denormals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// To nearest, denormals kept.
    #[default]
    Keep,
    /// To nearest, denormals flushed: operands and results.
    Flush,
    /// Toward zero, denormals flushed.
    Truncate,
}

/// How a virtual register is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A vector of words.
    Vector,
    /// A mask.
    Mask,
}

/// What a value that Rust computes is made from, and where it goes.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) what: super::call::Computation,
    /// Arguments; masks are words of all ones or zero.
    pub(super) args: Vec<Src>,
}

/// A list of instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<MachineInst>,
    pub(super) kinds: Vec<Kind>,
    pub(super) labels: u32,
    /// The words of the pool, low and high. The first one is [zero](Self::ZERO), some others are filled in before a run.
    pub(super) pool: Vec<u64>,
    pub(super) calls: Vec<Call>,
    /// How many blocks are on their way at once, each in its stage; less than 2 for one.
    pub(super) stages: u32,
    /// Places on the stack for what a stage leaves to the next one.
    pub(super) carried: u32,
    /// The mode at the start and at the end.
    pub(super) home: Mode,
}

impl Program {
    /// The entry of the pool that is zero.
    pub(super) const ZERO: u32 = 0;
}
