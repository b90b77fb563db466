//! The operations of the IR.
//!
//! * [`pure`]: operations whose result depends on their arguments only, as a table;
//! * [`eval`]: what they compute;
//! * `effects`: everything that reads or writes something else, as a table;
//! * this file: the operations themselves.

#[cfg(test)]
mod contract;
pub(crate) mod effects;
pub mod eval;
mod parts;
pub mod pure;
mod types;

pub use effects::Effect;
pub(crate) use effects::Kind as OpKind;
#[doc(hidden)]
pub use eval::single;
pub use eval::{Rows, Word};
pub use parts::{Element, Parts, Place};
pub use pure::{MAX_ARITY, Pure, Slot, TypeClass};
pub use types::Parameters;

#[cfg(doc)]
use super::Shader;
use super::{BufferId, ImageId, InputId, LocalId, OutputId, ParamId, Scalar, StateId, TextureId};
use crate::operand::WriteMask;
use crate::words;

words! {
    /// The rule by which an operation on f32 computes.
    #[derive(Default)]
    Rule "rule of arithmetic" {
        /// IEEE 754, round to nearest even.
        #[default]
        Ieee "ieee",
        /// As IEEE, but a product with a factor ±0 is +0, also with an infinity or NaN (Direct3D 9 hardware, NV20,
        /// TGSI's `MUL_ZERO_WINS`). It applies to `mul`, `fma` and `dot`.
        ZeroWins "zero_wins",
        /// The integer arithmetic of the NV20 family: see `math::nv20`.
        Nv20 "nv20",
    }
}

/// The arithmetic of an operation. It is an attribute of the operation, not of the program, so that code of
/// several sources can live in one shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Arith {
    /// The rule for operations on f32.
    pub rule: Rule,
    /// Denormals of f32 are flushed as x86 does it: operands first, then a result whose value rounded to 24 bits
    /// with unbounded exponent is below 2^-126. Otherwise they are kept.
    pub flush: bool,
    /// A translation must not contract or reassociate the operation. Engines never do.
    pub precise: bool,
}

impl Arith {
    /// IEEE 754, denormals kept.
    pub const IEEE: Self = Self { rule: Rule::Ieee, flush: false, precise: false };
    /// See [`Rule::ZeroWins`].
    pub const ZERO_WINS: Self = Self { rule: Rule::ZeroWins, ..Self::IEEE };
    /// See [`Rule::Nv20`].
    pub const NV20: Self = Self { rule: Rule::Nv20, ..Self::IEEE };

    /// The attributes that concern an operation which computes on `scalar` ([`Pure::scalar`]); the others are those of
    /// [`IEEE`](Self::IEEE). No instruction has other ones, so that what means the same is the same:
    ///
    /// * only pure operations on f32, and derivatives, have a rule, under `zero_wins` only products;
    /// * those that do arithmetic, and do not only move bits, are flushed, unless nv20 has its own denormals, and may be
    ///   precise;
    /// * so may those on f64.
    #[must_use]
    pub const fn concerning(self, op: Op, scalar: Scalar) -> Self {
        let pure = match op {
            Op::Pure(pure) => pure,
            // They subtract.
            Op::Ddx(_) | Op::Ddy(_) => Pure::Sub,
            _ => return Self::IEEE,
        };
        let single = matches!(scalar, Scalar::F32);
        let computes = !pure.moves() && matches!(scalar, Scalar::F32 | Scalar::F64);
        let rule = match self.rule {
            Rule::ZeroWins if single && matches!(pure, Pure::Mul | Pure::Fma | Pure::Dot) => Rule::ZeroWins,
            Rule::Nv20 if single => Rule::Nv20,
            _ => Rule::Ieee,
        };
        let flush = self.flush && single && computes && !matches!(rule, Rule::Nv20);
        Self { rule, flush, precise: self.precise && computes }
    }
}

words! {
    /// What a load gives, and a store does, outside its array.
    OutOfRange "rule of what is out of range" {
        /// A load gives zero in every lane; a store does nothing.
        Zero "zero",
        /// The nearest element of the array is meant.
        Clamp "clamp",
        /// The source leaves it undefined: engines do as for [`Zero`](Self::Zero), targets may do anything harmless.
        Undefined "undefined",
    }
}

/// A computed choice out of a run of cells: cell `index + offset` of the run, where `index` is an argument of one i32
/// lane. The sum does not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// Number of cells in the run, 1 or more; its first one is given separately.
    pub count: u32,
    /// Added to the argument.
    pub offset: i32,
    /// What happens outside the run.
    pub rule: OutOfRange,
}

/// How a texture, image or buffer is chosen. The argument that chooses, if there is one, is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Pick {
    /// The binding that the operation names.
    #[default]
    Fixed,
    /// One of `count` consecutive bindings, of which the operation names the first: that plus the argument, one u32
    /// lane. Outside it is as if nothing were bound.
    Index {
        /// Number of bindings, 1 or more, all of one kind and shape.
        count: u16,
    },
    /// The resource of the 64-bit handle in the argument, one u64 lane. The binding that the operation names only gives
    /// its kind. A handle without a resource is as if nothing were bound.
    Handle,
}

/// How the level of detail of a texture read is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lod {
    /// From the derivatives of the coordinates inside the quad, plus a constant bias in 1/8 levels. Only in fragment
    /// shaders.
    Implicit {
        /// Bias in units of 1/8 level.
        bias_eighths: i8,
    },
    /// As [`Implicit`](Self::Implicit), plus the bias in an argument, one f32 lane.
    Bias,
    /// The level is an argument, one f32 lane.
    Level,
    /// From the derivatives in two arguments (along x, along y), f32: see [`Dim::place_lanes`](super::Dim).
    Gradient,
}

words! {
    /// Which point of the pixel an input is interpolated at.
    Site "point of a pixel" {
        /// The centre of the pixel.
        Center "center",
        /// A point that the primitive covers.
        Centroid "centroid",
        /// The sample whose number is the argument, one i32 lane.
        Sample "sample",
        /// The centre plus the argument, two f32 lanes in pixels, y down.
        Offset "offset",
    }
}

words! {
    /// The formula of a derivative. Invocations of a quad are 0 left-top, 1 right-top, 2 left-bottom, 3 right-bottom.
    #[derive(Default)]
    Slope "formula of a derivative" {
        /// Between the neighbours in the invocation's own row or column.
        #[default]
        Fine "fine",
        /// One for the quad: along x 3 - 2, along y 2 - 0 (as Mesa's TGSI executor).
        Coarse "coarse",
    }
}

words! {
    /// An atomic operation on a 32-bit word; it gives the old word. The new one is computed from the old one and the
    /// argument.
    Atomic "atomic operation" {
        /// Sum modulo 2^32.
        Add "add",
        /// Sum as f32.
        FloatAdd "fadd",
        /// The smaller one, unsigned.
        MinUnsigned "umin",
        /// The larger one, unsigned.
        MaxUnsigned "umax",
        /// The smaller one, signed.
        MinSigned "imin",
        /// The larger one, signed.
        MaxSigned "imax",
        /// Both, bit by bit.
        And "and",
        /// At least one, bit by bit.
        Or "or",
        /// Exactly one, bit by bit.
        Xor "xor",
        /// The argument.
        Exchange "exchange",
        /// The second argument if the old word is the first one, else the old word.
        CompareExchange "compare_exchange",
        /// One more, but 0 if the old word is not below the argument.
        IncrementWrap "inc_wrap",
        /// One less, but the argument if the old word is 0 or above the argument.
        DecrementWrap "dec_wrap",
    }
}

impl Atomic {
    /// Number of words it takes beside the old one.
    pub const fn operands(self) -> usize {
        if matches!(self, Self::CompareExchange) { 2 } else { 1 }
    }

    /// The new word. `other` is the second argument of [`CompareExchange`](Self::CompareExchange).
    pub fn apply(self, old: u32, value: u32, other: u32) -> u32 {
        let signed = |f: fn(i32, i32) -> i32| f(old as i32, value as i32) as u32;
        match self {
            Self::Add => old.wrapping_add(value),
            Self::FloatAdd => {
                let none = [old, value, 0, 0];
                Pure::Add.eval(Scalar::F32, Arith::IEEE, none)
            }
            Self::MinUnsigned => old.min(value),
            Self::MaxUnsigned => old.max(value),
            Self::MinSigned => signed(i32::min),
            Self::MaxSigned => signed(i32::max),
            Self::And => old & value,
            Self::Or => old | value,
            Self::Xor => old ^ value,
            Self::Exchange => value,
            Self::CompareExchange => {
                if old == value {
                    other
                } else {
                    old
                }
            }
            Self::IncrementWrap => {
                if old >= value {
                    0
                } else {
                    old + 1
                }
            }
            Self::DecrementWrap => {
                if old == 0 || old > value {
                    value
                } else {
                    old - 1
                }
            }
        }
    }
}

/// Memory that is addressed by bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// A buffer.
    Buffer(BufferId),
    /// The memory that a workgroup shares.
    Shared,
}

words! {
    /// A question to the active invocations of a subgroup.
    Vote "question to a subgroup" {
        /// Is the argument, a bool, true in at least one?
        Any "any",
        /// Is it true in all?
        All "all",
        /// Is the argument, of any type, the same bits in all?
        Equal "equal",
    }
}

/// The bits of lane `lane` of a constant ([`Op::Const`]) of type `scalar`.
pub const fn constant_lane(bits: [u32; 4], scalar: Scalar, lane: usize) -> u64 {
    if scalar.is_wide() {
        let at = (lane & 1) * 2;
        bits[at] as u64 | (bits[at + 1] as u64) << 32
    } else {
        bits[lane & 3] as u64
    }
}

/// A constant of type `scalar` with the given lanes; `None` if one constant cannot hold them.
pub fn constant_of(lanes: &[u64], scalar: Scalar) -> Option<[u32; 4]> {
    let mut bits = [0; 4];
    let words = if scalar.is_wide() { 2 } else { 1 };
    if lanes.len() * words > 4 {
        return None;
    }
    for (lane, &of) in lanes.iter().enumerate() {
        bits[lane * words] = of as u32;
        if words == 2 {
            bits[lane * 2 + 1] = (of >> 32) as u32;
        }
    }
    Some(bits)
}

/// Any operation of the IR that is not a region.
///
/// A *cell* is what keeps four lanes: an input, an output, an element of a parameter array or of a local array. Loads
/// give all four lanes (an input as many as it has), stores write the lanes of a mask, one or more, from an argument
/// with as many lanes. Arguments are in square brackets, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A pure operation on the arguments.
    Pure(Pure),
    /// A constant: the bits of each lane (bool lanes are 0 or 1), lanes beyond the result type are 0. Of a 64-bit type
    /// it has one or two lanes, each a low word and a high word.
    Const([u32; 4]),
    /// The lanes of all arguments, one after another.
    Compose,

    /// The value of an input, all its lanes. Not of a varying in the stages
    /// [with vertices](super::Stage::has_vertices): there it is [`InputOf`](Self::InputOf) that reads it.
    Input(InputId),
    /// One of a run of inputs of one type. \[index]
    InputAt {
        /// The first of the run.
        first: InputId,
        /// Which one.
        at: At,
    },
    /// The varying of a vertex of the primitive or patch. [vertex, an i32; index, if computed] A vertex that does not
    /// exist reads zero.
    InputOf {
        /// The input, or the first of the run.
        first: InputId,
        /// Which one of a run.
        at: Option<At>,
    },
    /// A varying of a fragment, f32, interpolated at another point. [what the site takes] What is given without its
    /// primitive is the same everywhere.
    Interpolate {
        /// The input.
        input: InputId,
        /// Where.
        site: Site,
    },

    /// The present value of an output cell.
    LoadOutput(OutputId),
    /// One of a run of output cells of one type. \[index]
    LoadOutputAt {
        /// The first of the run.
        first: OutputId,
        /// Which one.
        at: At,
    },
    /// The output cell of another vertex of the patch (tessellation control), not one of the patch. [vertex, an i32;
    /// index, if computed] A vertex that does not exist reads zero.
    LoadOutputOf {
        /// The cell, or the first of the run.
        first: OutputId,
        /// Which one of a run.
        at: Option<At>,
    },
    /// Writes lanes of an output cell. \[value]
    StoreOutput {
        /// The cell.
        output: OutputId,
        /// The lanes written.
        mask: WriteMask,
    },
    /// Writes lanes of one of a run of output cells of one type. [index, value]
    StoreOutputAt {
        /// The first of the run.
        first: OutputId,
        /// Which one.
        at: At,
        /// The lanes written.
        mask: WriteMask,
    },

    /// Element `index` of a parameter array (constants set from outside), which has it.
    Param {
        /// The array.
        array: ParamId,
        /// The element.
        index: u32,
    },
    /// Element `argument + offset` of a parameter array. [index, an i32] The sum does not wrap.
    ParamAt {
        /// The array.
        array: ParamId,
        /// Added to the argument.
        offset: i32,
        /// What happens outside the array.
        rule: OutOfRange,
    },
    /// Writes lanes of an element of a parameter array, which has it; the next invocations see it. \[value] Only in
    /// serial shaders.
    StoreParam {
        /// The array.
        array: ParamId,
        /// The element.
        index: u32,
        /// The lanes written.
        mask: WriteMask,
    },
    /// As [`StoreParam`](Self::StoreParam), element `argument + offset`; outside the array nothing is written. [index,
    /// an i32; value]
    StoreParamAt {
        /// The array.
        array: ParamId,
        /// Added to the argument.
        offset: i32,
        /// The lanes written.
        mask: WriteMask,
    },

    /// Element `index` of a local array, which has it.
    LoadLocal {
        /// The array.
        array: LocalId,
        /// The element.
        index: u32,
    },
    /// Element `argument + offset` of a local array. [index, an i32] The sum does not wrap.
    LoadLocalAt {
        /// The array.
        array: LocalId,
        /// Added to the argument.
        offset: i32,
        /// What happens outside the array.
        rule: OutOfRange,
    },
    /// Writes lanes of an element of a local array, which has it. \[value]
    StoreLocal {
        /// The array.
        array: LocalId,
        /// The element.
        index: u32,
        /// The lanes written.
        mask: WriteMask,
    },
    /// Writes lanes of element `argument + offset` of a local array. [index, an i32; value]
    StoreLocalAt {
        /// The array.
        array: LocalId,
        /// Added to the argument.
        offset: i32,
        /// The lanes written.
        mask: WriteMask,
        /// What happens outside the array.
        rule: OutOfRange,
    },

    /// The value of a state outside the shader.
    State(StateId),

    /// Reads a texture through its sampler, four lanes. Cubes have no offset. [coordinate, f32, see [`Dim::coord_lanes`](super::Dim); the
    /// reference, one f32 lane, if it compares; what the level of detail takes; the offset in texels, i32 with a lane
    /// for each axis, if it has one; the pick]
    Sample {
        /// The texture and its sampler.
        texture: TextureId,
        /// Where the level of detail comes from.
        lod: Lod,
        /// Whether texels are compared with a reference before they are filtered.
        compare: bool,
        /// Whether there is an offset.
        offset: bool,
        /// How the texture is chosen.
        pick: Pick,
    },
    /// One lane of each of the four texels that bilinear filtering would read at level 0: in the order left-bottom,
    /// right-bottom, right-top, left-top with v growing downwards in memory, that is (0,1) (1,1) (1,0) (0,0).
    /// Of two-dimensional layers and of faces only; cubes have no offset. [coordinate; the reference, if it compares; the offset, if it has one; the pick]
    Gather {
        /// The texture and its sampler.
        texture: TextureId,
        /// Which lane of the texels, 0–3; 0 if it compares.
        component: u8,
        /// Whether texels are compared with a reference.
        compare: bool,
        /// Whether there is an offset.
        offset: bool,
        /// How the texture is chosen.
        pick: Pick,
    },
    /// One texel, unfiltered, four lanes; outside the texture zero. Cubes have no offset. [coordinate, i32; the level (of multisampled
    /// textures the sample), one i32 lane; the offset, if it has one; the pick]
    Fetch {
        /// The texture.
        texture: TextureId,
        /// Whether there is an offset.
        offset: bool,
        /// How the texture is chosen.
        pick: Pick,
    },
    /// The size of a level, u32x4: the lengths of the axes, then the number of layers if it is an array, the rest
    /// zero; w is the number of levels. A level that does not exist gives zeros, but w. [level, one i32 lane; the
    /// pick]
    TextureSize {
        /// The texture.
        texture: TextureId,
        /// How it is chosen.
        pick: Pick,
    },
    /// The level that a sample with implicit derivatives would read (fragment), f32x2: x the one accessed (after bias, clamps and
    /// the choice of the nearest one, if that is the filter), y the one computed. [coordinate; the pick]
    TextureLod {
        /// The texture and its sampler.
        texture: TextureId,
        /// How it is chosen.
        pick: Pick,
    },
    /// The number of samples of a texel, one u32 lane; 1 where it is not multisampled, 0 where nothing is bound. [the
    /// pick]
    TextureSamples {
        /// The texture.
        texture: TextureId,
        /// How it is chosen.
        pick: Pick,
    },
    /// The place of a sample in the texel, f32x2 in -0.5..0.5. [number, one i32 lane; the pick]
    SamplePosition {
        /// The texture.
        texture: TextureId,
        /// How it is chosen.
        pick: Pick,
    },

    /// Consecutive u32 words of memory. [byte offset, one u32 lane; the pick] If one of them lies outside, all are 0.
    LoadMemory {
        /// Where.
        memory: Memory,
        /// Number of words, 1–4.
        lanes: u8,
        /// How a buffer is chosen.
        pick: Pick,
    },
    /// Writes words of memory: lane `i` of the mask goes to offset + 4·i. [byte offset, one u32 lane; value, u32; the
    /// pick] Words that lie outside are dropped.
    StoreMemory {
        /// Where.
        memory: Memory,
        /// The words written.
        mask: WriteMask,
        /// How a buffer is chosen.
        pick: Pick,
    },
    /// Changes a word of memory and gives the old one, u32. [byte offset, one u32 lane; the operands, u32; the pick]
    /// Outside nothing happens, and 0 comes back.
    AtomicMemory {
        /// Where.
        memory: Memory,
        /// What is done.
        atomic: Atomic,
        /// How a buffer is chosen.
        pick: Pick,
    },
    /// The number of bytes of memory, one u32 lane. [the pick]
    MemorySize {
        /// Which.
        memory: Memory,
        /// How a buffer is chosen.
        pick: Pick,
    },

    /// One texel of an image, four lanes; outside one of zero bits: what the format lacks is 0, alpha 1. [coordinate,
    /// i32; the sample, one i32 lane, if it is multisampled; the pick]
    LoadImage {
        /// The image.
        image: ImageId,
        /// How it is chosen.
        pick: Pick,
    },
    /// Writes one texel of an image; outside nothing happens. [coordinate, i32; the sample, if it is multisampled;
    /// value, four lanes; the pick]
    StoreImage {
        /// The image.
        image: ImageId,
        /// How it is chosen.
        pick: Pick,
    },
    /// Changes the only lane of a texel of a 32-bit format, `r32-…`, with one sample, and gives the old one, u32.
    /// [coordinate, i32; the operands,
    /// u32; the pick] Outside nothing happens, and 0 comes back.
    AtomicImage {
        /// The image.
        image: ImageId,
        /// What is done.
        atomic: Atomic,
        /// How it is chosen.
        pick: Pick,
    },
    /// The size of an image, u32x4: the lengths of the axes, then the number of layers if it is an array, then zeros;
    /// w is the number of samples. [the pick]
    ImageSize {
        /// The image.
        image: ImageId,
        /// How it is chosen.
        pick: Pick,
    },

    /// The colour that the render target holds at this fragment, f32x4 (fragment).
    Framebuffer {
        /// Which target.
        target: u8,
    },
    /// The difference of the argument, f32, along x in the quad (fragment), by the arithmetic of the instruction, as
    /// `sub`. \[value]
    Ddx(Slope),
    /// The difference of the argument, f32, along y, downwards, in the quad (fragment). \[value]
    Ddy(Slope),
    /// Where the argument is true, the invocation becomes a helper: it no longer writes, but still takes part in
    /// derivatives (fragment). [condition, one bool lane]
    Demote,
    /// Whether the invocation is a helper now, one bool lane (fragment).
    IsHelper,

    /// All invocations of the group wait for one another (compute, tessellation control). In lock step that does
    /// nothing; if some that have not ended are inactive, it is reported.
    Barrier,
    /// Later reads see earlier writes. Engines keep the order anyway.
    Fence,
    /// A question to the active invocations of the subgroup that are not helpers, one bool lane. \[value] Where there
    /// are none, all are true and equal, and not any is true.
    Vote(Vote),
    /// The invocations of the subgroup for which the argument is true, u32x2: bit `i` (low word first) for the one
    /// with number `i`. Inactive ones and helpers count as false. [condition, one bool lane]
    Ballot,
    /// The value of the active invocation with the lowest number in the subgroup, helper or not; zero if there is none.
    /// \[value]
    ReadFirst,
    /// The value of another invocation of the subgroup, active or not; zero if there is none. [value; number, one u32
    /// lane]
    ReadInvocation,
    /// A counter that grows: how many of these the group has executed before, u32x2, low word first.
    Clock,

    /// Appends a vertex with the present outputs to a stream (geometry). Output cells then start again at their initial
    /// value. Beyond [`Setup::max_vertices`](super::Setup) nothing happens.
    EmitVertex {
        /// Which stream, 0–3.
        stream: u8,
    },
    /// Ends the primitive of a stream (geometry). The end of the invocation does so too, unless there is [one
    /// sequence](super::Setup::one_sequence).
    EndPrimitive {
        /// Which stream, 0–3.
        stream: u8,
    },

    /// Does nothing: says that the source instruction of that step of [`Shader::steps`] is done, and holds the
    /// values it read and wrote.
    Mark(u32),
}

impl Op {
    /// A reading of a bound texture without comparison and offset.
    pub const fn sample(texture: TextureId, lod: Lod) -> Self {
        Self::Sample { texture, lod, compare: false, offset: false, pick: Pick::Fixed }
    }
}
