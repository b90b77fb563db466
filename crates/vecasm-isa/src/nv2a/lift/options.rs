//! What lifting leaves open: the arithmetic, what the state of the machine is, and the points that no source settles.

use crate::Depth;
pub use crate::switch::{Switch, SwitchError};

/// The arithmetic of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Numerics {
    /// The integer arithmetic of the NV20 family, bit for bit: see [`math::nv20`](vecasm_ir::math::nv20).
    #[default]
    Nv20,
    /// IEEE 754 f32, for speed. A zero factor wins over infinities and NaN; MIN, MAX, SLT and SGE compare numbers; RSQ
    /// and LOG take the magnitude; nothing is truncated.
    Ieee,
}

/// What the position of a vertex is given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Space {
    /// As the hardware has it: programs apply the viewport and the division by w themselves, so it is pixels, y
    /// down, and depth units. oFog and oPts are the fog coordinate and the size of a point.
    #[default]
    Screen,
    /// What the program has before it applies the viewport, which it does last: see [`lift`](super::lift()). oFog and oPts are as in
    /// [`Screen`](Self::Screen).
    Unscaled,
    /// Clip space, with z in 0..=w and y up, as pipelines of today want it: see [`lift`](super::lift()). oFog and
    /// oPts are varyings 5 and 6, because such pipelines have neither.
    Clip,
}

/// Which colours are clamped to 0..=1 as they leave. In the order of the bits, so a negative NaN gives 0 and a positive
/// one 1, as pictures of a console show (`Attrib_float/-NaNq_NaNq`); under [`Numerics::Ieee`] the sign of a NaN is not
/// known, and NaN gives 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Clamp {
    /// None.
    #[default]
    Off,
    /// oD0 and oB0, of which the pictures are.
    Diffuse,
    /// oD0, oD1, oB0 and oB1.
    All,
}

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ProgramKind {
    /// What the header of the microcode says; a vertex program if there is none.
    #[default]
    Header,
    /// A vertex program.
    Vertex,
    /// A vertex state program: run by command 1e90 on one vector v0, to write constants. It has no other inputs, which
    /// read as (0, 0, 0, 1), and no outputs.
    State,
}

/// The choices lifting leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Which arithmetic.
    pub numerics: Numerics,
    /// How much is kept.
    pub depth: Depth,
    /// The slot that the program starts at, counted in the file. (The hardware has method 1ea0 for it.)
    pub start: u32,
    /// What kind of program it is.
    pub kind: ProgramKind,
    /// What the position is given as.
    pub space: Space,
    /// In clip space: x and y are first truncated toward zero to sixteenths of a pixel, as the rasterizer does.
    pub subpixel: bool,
    /// Which colours are clamped.
    pub clamp: Clamp,
    /// The temporaries, R12 (oPos) and A0 start as inputs `r0` to `r12` and `a0`, attributes 16 to 29, instead of at
    /// their first values. For parts of programs. Output cells start as ever.
    pub registers: bool,
    /// The unsettled points.
    pub switches: Switches,
}

crate::switch::switches! {
    /// How ARL rounds. No console measurement is public. xqemu added 0.001 for two games, which is wrong for a third; plain floor fits a multiplier that truncates.
    arl: Arl = "arl" {
        /// floor(x)
        Floor = "floor",
        /// the first step of EXP: floor(x * 2^13) / 2^13, where magnitudes below 2^-23 are 0; within -2^18..2^18
        ExpPrestep = "exp-prestep",
        /// floor(x + 0.001), as xemu does
        Bias001 = "bias001"; default Floor
    }
    /// What a constant outside c0..c191 reads. Cxbx-Reloaded says the hardware gives zero; nv2a_vsh_cpu reads what lies next to it.
    c_oob: ConstantRange = "c-oob" {
        /// (0, 0, 0, 0)
        Zero = "zero",
        /// the nearest constant
        Clamp = "clamp"; default Zero
    }
    /// Which constants a program sees (method 1e94): envytools names the filter, not what a hidden constant reads; zero here. Writes to hidden ones are lost.
    c_range: Access = "c-range" {
        /// all
        Priv = "priv",
        /// c96..c191, and without A0 also c58 and c59
        User = "user"; default Priv
    }
    /// What becomes of constants that a program writes. The state CXT_WRITE_EN (method 1e98) has to allow it.
    c_write: ConstantWrites = "c-write" {
        /// they last: vertices run one after another, and each sees what those before wrote
        Serial = "serial",
        /// each vertex sees its own writes only, so that vertices can run side by side
        Vertex = "vertex",
        /// nothing is written
        Off = "off"; default Serial
    }
    /// Both units write R1. xemu and Cxbx-Reloaded drop what the vector unit writes, nv2a_vsh_cpu does both, the scalar unit last.
    r1_conflict: R1Conflict = "r1-conflict" {
        /// both write, the scalar unit last
        IluLast = "ilu-last",
        /// the vector unit does not write
        IluOnly = "ilu-only"; default IluLast
    }
    /// What an output or constant gets from the vector unit when it does nothing. A test of envytools suggests the result of the scalar unit.
    nop_half: NopHalf = "nop-half" {
        /// nothing is written
        None = "none",
        /// the result of the scalar unit
        Ilu = "ilu"; default None
    }
    /// Operations 14 and 15 of the vector unit. On NV20 they write nothing; the next family has FRC and FLR there.
    reserved_mac: ReservedMac = "reserved-mac" {
        /// nothing is written
        None = "none",
        /// 14 is x - floor(x), 15 is floor(x), by lane of source A
        Rankine = "rankine"; default None
    }
    /// Outputs without a name: o1, o2, o13, o14, o15, and addresses above 15. xemu takes the low four bits of the address.
    out_range: OutRange = "out-range" {
        /// varyings of their own, by the low four bits
        Keep = "keep",
        /// nothing is written
        Drop = "drop"; default Keep
    }
    /// What outputs, and so R12, hold before they are written. xboxdevwiki and xemu say (0, 0, 0, 1), nv2a_vsh_cpu has zero.
    init_out: InitialOutputs = "init-out" {
        /// (0, 0, 0, 1)
        Point = "0001",
        /// (0, 0, 0, 0)
        Zero = "zero",
        /// what the vertex before left; vertices then run one after another
        Carry = "carry"; default Point
    }
    /// oFog of a program that never writes it: a picture of a console (CoordNotSet) shows that the last value stays.
    fog_carry: FogCarry = "fog-carry" {
        /// the program has no such output, and the host keeps what it had
        Host = "host",
        /// the output carries the value from vertex to vertex; vertices then run one after another
        Program = "program"; default Host
    }
    /// What no source documents: source file 0, R13 to R15, R12 as destination, constants above c191 by number. The validator reports it.
    undefined: Undefined = "undefined" {
        /// sources read zero (constants as c-oob says), writes are lost
        Run = "run",
        /// the program is refused
        Refuse = "refuse"; default Run
    }
    numbers
    /// Bits of A0, a signed number: it has 9, and whether it has more is not known.
    a0_bits: u8 = "a0-bits" 9..=32, default 32, "the number of bits; ARL keeps the low ones"
}
