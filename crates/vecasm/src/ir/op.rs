//! What every operation means: name, operands, result, purity, and the reference evaluation.
//!
//! This file is the only place that holds meaning. The interpreter calls [`Pure::eval`] lane by lane; folding and
//! tests ask the same function. Emitters may only translate what is written here.

use super::{InputId, OutputId, ParamId, TextureId, Type};
use crate::isa::operand::WriteMask;
use crate::math;

/// The arithmetic an operation follows. It is an attribute of the operation, not of the program, so that code of
/// several sources can live in one shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Arith {
    /// IEEE 754 binary32, round to nearest even, denormals kept, nothing contracted or reassociated.
    #[default]
    Ieee,
}

/// How the level of detail of a texture read is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lod {
    /// From the derivatives of the coordinates inside the quad, plus a constant bias in 1/8 levels. Outside
    /// fragment shaders the derivatives are zero.
    Implicit {
        /// Bias in units of 1/8 level.
        bias_eighths: i8,
    },
    /// The level is the second argument.
    Level,
}

/// What an indexed load gives outside the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfRange {
    /// Zero in every lane.
    Zero,
    /// The nearest element of the array.
    Clamp,
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $V:ident $name:literal $arity:literal $class:ident; )*) => {
        /// An operation whose result lane `i` depends only on its arguments (pure).
        ///
        /// The documentation of a variant is its meaning; [`Pure::eval`] and [`Pure::eval_reduce`] are its
        /// definition.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Pure { $( $(#[doc = $doc])+ $V, )* }

        impl Pure {
            /// Every operation, in table order.
            pub const ALL: &'static [Pure] = &[$(Pure::$V),*];

            /// The spelling in the text form.
            pub const fn name(self) -> &'static str { match self { $(Pure::$V => $name,)* } }

            /// Number of arguments.
            pub const fn arity(self) -> usize { match self { $(Pure::$V => $arity,)* } }

            /// Types of arguments and result.
            pub const fn class(self) -> Class { match self { $(Pure::$V => Class::$class,)* } }

            /// What the operation does, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Pure::$V => concat!($($doc),+),)* } }

            /// [`eval`](Self::eval) for `N` invocations: element `i` of the result is of element `i` of the
            /// arguments. The operation is looked up once, not for every element.
            pub fn eval_all<const N: usize>(self, args: [&[u32; N]; 3]) -> [u32; N] {
                let [a, b, c] = args;
                match self {
                    $(Pure::$V => core::array::from_fn(|i| Pure::$V.eval([a[i], b[i], c[i]])),)*
                }
            }
        }
    };
}

/// The types an operation takes and gives. Per-lane operations take arguments of equal lane count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// f32 lanes to f32 lanes.
    Float,
    /// f32 lanes to bool lanes.
    Compare,
    /// bool lanes to bool lanes.
    Logic,
    /// bool lanes to f32 lanes.
    BoolToFloat,
    /// f32 lanes to i32 lanes.
    FloatToInt,
    /// u32 lanes to f32 lanes.
    UintToFloat,
    /// i32 lanes to i32 lanes.
    Int,
    /// bool, then two arguments of any equal type; gives that type. The bool may have one lane for all.
    Select,
    /// Two f32 vectors of equal lane count to one f32 lane.
    Reduce,
}

ops! {
    /// The negated value: the sign bit flipped, also of zero and NaN.
    Neg "neg" 1 Float;
    /// The value with the sign bit cleared, also of NaN.
    Abs "abs" 1 Float;
    /// Clamped to 0..=1: `min(max(x, 0), 1)`; NaN gives 0, -0 gives +0.
    Saturate "sat" 1 Float;
    /// 1/x, correctly rounded.
    Rcp "rcp" 1 Float;
    /// 1/sqrt(x); 0 gives an infinity of its sign, negative gives NaN.
    Rsq "rsq" 1 Float;
    /// The square root, correctly rounded; negative gives NaN, -0 gives -0.
    Sqrt "sqrt" 1 Float;
    /// 2 to the power x.
    Exp2 "exp2" 1 Float;
    /// The base-2 logarithm; ±0 gives -Inf, negative gives NaN.
    Log2 "log2" 1 Float;
    /// The sine of x in radians, full range; ±Inf gives NaN.
    Sin "sin" 1 Float;
    /// The cosine of x in radians, full range; ±Inf gives NaN.
    Cos "cos" 1 Float;
    /// x - floor(x); may round to 1.
    Fract "fract" 1 Float;
    /// The largest integer not above x.
    Floor "floor" 1 Float;
    /// -1, 0 or 1; both zeros and NaN give +0.
    Sign "sign" 1 Float;
    /// x + y.
    Add "add" 2 Float;
    /// x - y.
    Sub "sub" 2 Float;
    /// x · y.
    Mul "mul" 2 Float;
    /// x / y, correctly rounded.
    Div "div" 2 Float;
    /// The smaller one; if one is NaN, the other; of two equal ones (±0) the first.
    Min "min" 2 Float;
    /// The larger one; if one is NaN, the other; of two equal ones (±0) the first.
    Max "max" 2 Float;
    /// x to the power y, IEEE 754 `pow`: anything to the 0 is 1, 1 to anything is 1, a negative base needs an
    /// integer exponent.
    Pow "pow" 2 Float;
    /// x < y; false if either is NaN.
    Lt "lt" 2 Compare;
    /// x >= y; false if either is NaN.
    Ge "ge" 2 Compare;
    /// x = y; false if either is NaN.
    Eq "eq" 2 Compare;
    /// Not x = y; true if either is NaN.
    Ne "ne" 2 Compare;
    /// Both.
    And "and" 2 Logic;
    /// The opposite.
    Not "not" 1 Logic;
    /// 1.0 if true, else +0.0.
    BoolToFloat "b2f" 1 BoolToFloat;
    /// Truncated toward zero; out of range saturates, NaN gives 0.
    FloatToInt "f2i" 1 FloatToInt;
    /// The nearest f32, ties to even.
    UintToFloat "u2f" 1 UintToFloat;
    /// x + y modulo 2^32.
    IAdd "iadd" 2 Int;
    /// The second argument where the first is true, else the third.
    Select "select" 3 Select;
    /// The sum of the products of equal lanes: each product is rounded, then added in ascending lane order, each
    /// sum rounded.
    Dot "dot" 2 Reduce;
}

impl Pure {
    /// Evaluates one lane. Values are the bits of f32, i32 or u32; a bool is 0 or 1. `args` holds
    /// [`arity`](Self::arity) values. NaN results are canonical (`7fc00000`), except that `neg`, `abs` and
    /// `select` move bits.
    ///
    /// [`Dot`](Self::Dot) is not a lane operation: see [`eval_reduce`](Self::eval_reduce). For a single lane it is
    /// the product.
    #[inline(always)]
    pub fn eval(self, args: [u32; 3]) -> u32 {
        let f = |i: usize| f32::from_bits(args[i]);
        let (x, y) = (f(0), f(1));
        let float = |v: f32| if v.is_nan() { math::CANONICAL_NAN } else { v.to_bits() };
        match self {
            Self::Neg => args[0] ^ 0x8000_0000,
            Self::Abs => args[0] & 0x7fff_ffff,
            Self::Saturate => {
                if x > 0.0 {
                    float(if x < 1.0 { x } else { 1.0 })
                } else {
                    0
                }
            }
            Self::Rcp => float(1.0 / x),
            Self::Rsq => float(math::rsqrt(x)),
            Self::Sqrt => float(math::sqrt(x)),
            Self::Exp2 => float(math::exp2(x)),
            Self::Log2 => float(math::log2(x)),
            Self::Sin => float(math::sin(x)),
            Self::Cos => float(math::cos(x)),
            Self::Fract => float(x - math::floor(x)),
            Self::Floor => float(math::floor(x)),
            Self::Sign => {
                if x > 0.0 {
                    1.0f32.to_bits()
                } else if x < 0.0 {
                    (-1.0f32).to_bits()
                } else {
                    0
                }
            }
            Self::Add => float(x + y),
            Self::Sub => float(x - y),
            Self::Mul => float(x * y),
            Self::Div => float(x / y),
            Self::Min => float(if x.is_nan() || y < x { y } else { x }),
            Self::Max => float(if x.is_nan() || y > x { y } else { x }),
            Self::Pow => float(math::pow(x, y)),
            Self::Lt => u32::from(x < y),
            Self::Ge => u32::from(x >= y),
            Self::Eq => u32::from(x == y),
            Self::Ne => u32::from(x != y),
            Self::And => args[0] & args[1],
            Self::Not => args[0] ^ 1,
            Self::BoolToFloat => {
                if args[0] != 0 {
                    1.0f32.to_bits()
                } else {
                    0
                }
            }
            Self::FloatToInt => (x as i32) as u32,
            Self::UintToFloat => (args[0] as f32).to_bits(),
            Self::IAdd => args[0].wrapping_add(args[1]),
            Self::Select => {
                if args[0] != 0 {
                    args[1]
                } else {
                    args[2]
                }
            }
            Self::Dot => float(x * y),
        }
    }

    /// Evaluates a reduction ([`Class::Reduce`]) over `lanes` lanes of two vectors.
    #[inline(always)]
    pub fn eval_reduce(self, a: [u32; 4], b: [u32; 4], lanes: usize) -> u32 {
        let mut sum = f32::from_bits(a[0]) * f32::from_bits(b[0]);
        for lane in 1..lanes.min(4) {
            sum += f32::from_bits(a[lane]) * f32::from_bits(b[lane]);
        }
        if sum.is_nan() { math::CANONICAL_NAN } else { sum.to_bits() }
    }
}

/// Any operation of the IR that is not a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A pure operation on the arguments.
    Pure(Pure),
    /// A constant: the bits of each lane (bool lanes are 0 or 1), lanes beyond the result type are 0.
    Const([u32; 4]),
    /// The lanes of all arguments, one after another.
    Compose,
    /// The value of an input, all its lanes.
    Input(InputId),
    /// Element `index` of a parameter array (constants set from outside), four f32 lanes. An index outside the
    /// array reads zero.
    Param {
        /// The array.
        array: ParamId,
        /// The element.
        index: u32,
    },
    /// Element `argument + offset` of a parameter array; the argument is one i32 lane. The sum does not wrap.
    ParamAt {
        /// The array.
        array: ParamId,
        /// Added to the argument.
        offset: i32,
        /// What happens outside the array.
        rule: OutOfRange,
    },
    /// The present value of an output cell, four f32 lanes.
    LoadOutput(OutputId),
    /// Writes the lanes of the mask of an output cell; the argument has as many lanes as the mask.
    StoreOutput {
        /// The cell.
        output: OutputId,
        /// The lanes written.
        mask: WriteMask,
    },
    /// Reads a texture through its sampler: the first argument is the coordinate (2 lanes for 2D, 3 for cube
    /// and 3D), four f32 lanes come back.
    Sample {
        /// The texture and its sampler.
        texture: TextureId,
        /// Where the level of detail comes from.
        lod: Lod,
    },
    /// The difference of the argument between the right and the left column of the quad, in the row of the
    /// invocation.
    Ddx,
    /// The difference of the argument between the bottom and the top row of the quad, in the column of the
    /// invocation.
    Ddy,
    /// Where the argument (one bool lane) is true, the invocation becomes a helper: it writes nothing any more,
    /// but still takes part in derivatives.
    Demote,
    /// Does nothing: says that the source instruction of that step of [`Shader::steps`](super::Shader::steps) is done,
    /// and holds the values it read and wrote.
    Mark(u32),
}

impl Op {
    /// Whether the operation does nothing but give its result, so that an unused one may be dropped.
    pub const fn is_pure(self) -> bool {
        !matches!(self, Self::StoreOutput { .. } | Self::Demote | Self::Mark(_))
    }

    /// Whether the result depends on the other invocations of the quad.
    pub const fn needs_quad(self) -> bool {
        matches!(self, Self::Ddx | Self::Ddy | Self::Sample { lod: Lod::Implicit { .. }, .. })
    }

    /// The type of the result for arguments of the given types, or `None` if the operation gives nothing, the
    /// types do not fit, or the type depends on the shader ([`Op::Input`], [`Op::Const`]).
    pub fn result_type(self, args: &[Type]) -> Option<Type> {
        use super::Scalar;
        let same_lanes = |n: usize| args.len() == n && args.iter().all(|t| t.lanes == args[0].lanes);
        let all = |s: Scalar| args.iter().all(|t| t.scalar == s);
        match self {
            Self::Pure(p) => {
                let n = p.arity();
                match p.class() {
                    Class::Float if same_lanes(n) && all(Scalar::F32) => Some(args[0]),
                    Class::Compare if same_lanes(n) && all(Scalar::F32) => {
                        Some(Type::new(Scalar::Bool, args[0].lanes))
                    }
                    Class::Logic if same_lanes(n) && all(Scalar::Bool) => Some(args[0]),
                    Class::BoolToFloat if same_lanes(n) && all(Scalar::Bool) => {
                        Some(Type::new(Scalar::F32, args[0].lanes))
                    }
                    Class::FloatToInt if same_lanes(n) && all(Scalar::F32) => {
                        Some(Type::new(Scalar::I32, args[0].lanes))
                    }
                    Class::UintToFloat if same_lanes(n) && all(Scalar::U32) => {
                        Some(Type::new(Scalar::F32, args[0].lanes))
                    }
                    Class::Int if same_lanes(n) && all(Scalar::I32) => Some(args[0]),
                    Class::Select
                        if args.len() == 3
                            && args[0].scalar == Scalar::Bool
                            && (args[0].lanes == 1 || args[0].lanes == args[1].lanes)
                            && args[1] == args[2] =>
                    {
                        Some(args[1])
                    }
                    Class::Reduce if same_lanes(n) && all(Scalar::F32) => Some(Type::F32),
                    _ => None,
                }
            }
            Self::Compose => {
                let lanes: u32 = args.iter().map(|t| u32::from(t.lanes)).sum();
                let first = args.first()?;
                (lanes <= 4 && all(first.scalar)).then(|| Type::new(first.scalar, lanes as u8))
            }
            Self::Param { .. } => args.is_empty().then_some(Type::F32X4),
            Self::ParamAt { .. } => (args == [Type::new(Scalar::I32, 1)]).then_some(Type::F32X4),
            Self::LoadOutput(_) => args.is_empty().then_some(Type::F32X4),
            Self::Sample { lod, .. } => {
                let wanted = if lod == Lod::Level { 2 } else { 1 };
                (args.len() == wanted && all(Scalar::F32) && (lod != Lod::Level || args[1].lanes == 1))
                    .then_some(Type::F32X4)
            }
            Self::Ddx | Self::Ddy => (args.len() == 1 && all(Scalar::F32)).then(|| args[0]),
            Self::Input(_) | Self::Const(_) | Self::StoreOutput { .. } | Self::Demote | Self::Mark(_) => None,
        }
    }
}
