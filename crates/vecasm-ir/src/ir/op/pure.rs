//! The table of pure operations: name, types, meaning.

use crate::ir::{Arg, Scalar, Shader, Type};

/// One type in the signature of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The type variable of the operation: every `T` is the same scalar, out of its [`TypeClass`].
    T,
    /// This scalar.
    Is(Scalar),
}

impl Slot {
    /// The scalar, where it is always the same one.
    pub const fn fixed(self) -> Option<Scalar> {
        match self {
            Self::T => None,
            Self::Is(scalar) => Some(scalar),
        }
    }
}

/// What the type variable of an operation may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// f32.
    Single,
    /// f32 and f64.
    Float,
    /// Every type but bool.
    Number,
    /// f32, f64, i32 and i64.
    Signed,
    /// i32, u32, i64 and u64.
    Int,
    /// i32 and u32.
    Int32,
    /// bool, i32, u32, i64 and u64.
    Logic,
    /// bool.
    Bool,
    /// f32, i32 and u32.
    Bits32,
    /// f64, i64 and u64.
    Bits64,
    /// Every type.
    Any,
}

impl TypeClass {
    /// Whether the type variable may be `scalar`.
    pub const fn has(self, scalar: Scalar) -> bool {
        use Scalar::{Bool, F32, F64, I32, I64, U32};
        match self {
            Self::Single => matches!(scalar, F32),
            Self::Float => matches!(scalar, F32 | F64),
            Self::Number => !matches!(scalar, Bool),
            Self::Signed => matches!(scalar, F32 | F64 | I32 | I64),
            Self::Int => !matches!(scalar, F32 | F64 | Bool),
            Self::Int32 => matches!(scalar, I32 | U32),
            Self::Logic => !matches!(scalar, F32 | F64),
            Self::Bool => matches!(scalar, Bool),
            Self::Bits32 => matches!(scalar, F32 | I32 | U32),
            Self::Bits64 => scalar.is_wide(),
            Self::Any => true,
        }
    }

    /// A bit for each scalar that [it has](Self::has), at the place of its discriminant.
    const fn mask(self) -> u8 {
        let mut mask = 0;
        let mut i = 0;
        while i < Scalar::ALL.len() {
            if self.has(Scalar::ALL[i]) {
                mask |= 1 << Scalar::ALL[i] as u8;
            }
            i += 1;
        }
        mask
    }
}

/// Most arguments of a pure operation.
pub const MAX_ARITY: usize = 4;

/// What [`Pure::with`] calls. A trait and no closure, because only a method can be inlined without fail.
pub(crate) trait Work {
    /// Runs for one operation; implementations are `#[inline(always)]`.
    fn run(self, op: Pure);
}

macro_rules! slot {
    (T) => {
        Slot::T
    };
    ($S:ident) => {
        Slot::Is(Scalar::$S)
    };
}

macro_rules! flag {
    () => {
        false
    };
    ($x:ident) => {
        true
    };
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $V:ident $name:literal ($($A:ident),+) -> $R:ident over $O:ident
        $(reduce $reduce:ident)? $(nv20 $nv20:ident)?; )*) => {
        /// An operation whose result depends only on its arguments: lane `i` on lane `i` of the arguments, or, for
        /// a reduction, one lane on all of them.
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

            /// Types of the arguments.
            pub const fn slots(self) -> &'static [Slot] { match self { $(Pure::$V => &[$(slot!($A)),+],)* } }

            /// Type of the result.
            pub const fn result(self) -> Slot { match self { $(Pure::$V => slot!($R),)* } }

            /// What the type variable may be.
            pub const fn type_class(self) -> TypeClass { match self { $(Pure::$V => TypeClass::$O,)* } }

            /// Whether all lanes of the arguments give one lane.
            pub const fn reduces(self) -> bool { match self { $(Pure::$V => flag!($($reduce)?),)* } }

            /// Whether the operation is defined under [`Rule::Nv20`](super::Rule::Nv20).
            pub const fn has_nv20(self) -> bool { match self { $(Pure::$V => flag!($($nv20)?),)* } }

            /// What the operation does, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Pure::$V => concat!($($doc),+),)* } }

            /// Calls `work` with the operation as a constant, so that its loop is compiled for each one.
            #[inline(always)]
            pub(crate) fn with(self, work: impl Work) {
                match self { $(Pure::$V => work.run(Pure::$V),)* }
            }
        }

        crate::spelled!(Pure, "pure operation", [$($V $name,)*]);
    };
}

ops! {
    /// The negated value: of a float the sign bit flipped, also of zero and NaN; of an integer 0 - x modulo its width.
    Neg "neg" (T) -> T over Signed nv20 y;
    /// The absolute value: of a float the sign bit cleared, also of NaN; of the least integer, that one.
    Abs "abs" (T) -> T over Signed nv20 y;
    /// Clamped to 0..=1: `min(max(x, 0), 1)`; NaN gives 0, -0 gives +0. (nv20: in the total order of the bits, so
    /// that a negative NaN gives 0 and a positive one 1.)
    Saturate "sat" (T) -> T over Float nv20 y;
    /// 1/x, correctly rounded.
    Rcp "rcp" (T) -> T over Float nv20 y;
    /// 1/x with its magnitude clamped to 2^-64..=2^64, the sign kept; NaN gives NaN.
    Rcc "rcc" (T) -> T over Single nv20 y;
    /// 1/sqrt(x); 0 gives an infinity of its sign, negative gives NaN. (nv20: of the magnitude of x.)
    Rsq "rsq" (T) -> T over Float nv20 y;
    /// The square root, correctly rounded; negative gives NaN, -0 gives -0.
    Sqrt "sqrt" (T) -> T over Float;
    /// 2 to the power x.
    Exp2 "exp2" (T) -> T over Single nv20 y;
    /// The base-2 logarithm; ±0 gives -Inf, negative gives NaN. (nv20: of the magnitude of x.)
    Log2 "log2" (T) -> T over Single nv20 y;
    /// 2 to the power floor(x).
    Exp2Floor "exp2_floor" (T) -> T over Single nv20 y;
    /// floor(log2 |x|), exact; ±0 gives -Inf, ±Inf gives +Inf.
    Exponent "exponent" (T) -> T over Single nv20 y;
    /// |x| / 2^floor(log2 |x|), in 1..2; ±0 and ±Inf give 1.
    Mantissa "mantissa" (T) -> T over Single nv20 y;
    /// The sine of x in radians, full range; ±Inf gives NaN.
    Sin "sin" (T) -> T over Single;
    /// The cosine of x in radians, full range; ±Inf gives NaN.
    Cos "cos" (T) -> T over Single;
    /// x - floor(x); may round to 1.
    Fract "fract" (T) -> T over Float nv20 y;
    /// The largest integer not above x.
    Floor "floor" (T) -> T over Float;
    /// The smallest integer not below x.
    Ceil "ceil" (T) -> T over Float;
    /// x without its fraction; the sign stays, also of zero.
    Trunc "trunc" (T) -> T over Float;
    /// The nearest integer, ties to even; the sign stays, also of zero.
    RoundEven "round" (T) -> T over Float;
    /// -1, 0 or 1; of floats both zeros and NaN give +0.
    Sign "sign" (T) -> T over Signed;
    /// x + y; of integers modulo their width.
    Add "add" (T, T) -> T over Number nv20 y;
    /// x - y; of integers modulo their width.
    Sub "sub" (T, T) -> T over Number nv20 y;
    /// x · y; of integers modulo their width.
    Mul "mul" (T, T) -> T over Number nv20 y;
    /// x / y: of floats correctly rounded; of integers toward zero, where a signed x / 0 is 0, an unsigned one all
    /// ones, and the least integer / -1 is itself.
    Div "div" (T, T) -> T over Number;
    /// x - y · trunc(x / y) of integers; x rem 0 is all ones, the least integer rem -1 is 0.
    Rem "rem" (T, T) -> T over Int;
    /// x · y + z, rounded once.
    Fma "fma" (T, T, T) -> T over Float;
    /// The smaller one; of floats, if one is NaN, the other; of two equal ones (±0) the first. (nv20: in the total
    /// order of the bits.)
    Min "min" (T, T) -> T over Number nv20 y;
    /// The larger one; of floats, if one is NaN, the other; of two equal ones (±0) the first. (nv20: in the total
    /// order of the bits.)
    Max "max" (T, T) -> T over Number nv20 y;
    /// x to the power y, IEEE 754 `pow`: anything to the 0 is 1, 1 to anything is 1, a negative base needs an
    /// integer exponent.
    Pow "pow" (T, T) -> T over Single;
    /// The specular factor of `lit` from x (diffuse), y (specular) and the exponent w: 0 unless x > 0, else
    /// max(y, 0) to the power of w clamped to -128..=128. (nv20: x with its sign bit clear and not zero.)
    Lit "lit" (T, T, T) -> T over Single nv20 y;
    /// x · 2^n, rounded once.
    Ldexp "ldexp" (T, I32) -> T over Float;
    /// The fraction of x: in 0.5..1 with the sign of x, so that x is fraction · 2^exponent; ±0, ±Inf and NaN stay.
    FrexpFraction "frexp_fraction" (T) -> T over Float;
    /// The exponent that belongs to `frexp_fraction`; 0 for ±0, ±Inf and NaN.
    FrexpExponent "frexp_exponent" (T) -> I32 over Float;

    /// The high 32 bits of the 64-bit product.
    MulHigh "mulhi" (T, T) -> T over Int32;
    /// Both, bit by bit.
    And "and" (T, T) -> T over Logic;
    /// At least one, bit by bit.
    Or "or" (T, T) -> T over Logic;
    /// Exactly one, bit by bit.
    Xor "xor" (T, T) -> T over Logic;
    /// The opposite, bit by bit.
    Not "not" (T) -> T over Logic;
    /// x · 2^n modulo its width; of n only the low 5 (of 64-bit x 6) bits count.
    Shl "shl" (T, U32) -> T over Int;
    /// x / 2^n toward minus infinity: signed x keeps its sign; of n only the low 5 (of 64-bit x 6) bits count.
    Shr "shr" (T, U32) -> T over Int;
    /// Bits `offset..offset + n` of x (arguments x, offset, n), sign-extended if x is signed. Of the offset only the
    /// low 5 bits count; n = 32 with offset 0 is x, otherwise only the low 5 bits of n count, and 0 gives 0; bits
    /// beyond 31 are those of x shifted right (Direct3D 11's `ibfe` and `ubfe`).
    BitExtract "bit_extract" (T, U32, U32) -> T over Int32;
    /// x with bits `offset..offset + n` replaced by the low bits of y (arguments x, y, offset, n). Of the offset only
    /// the low 5 bits count; n of 32 or more gives y; bits beyond 31 are dropped.
    BitInsert "bit_insert" (T, T, U32, U32) -> T over Int32;
    /// The bits in opposite order.
    BitReverse "bit_reverse" (T) -> T over Int32;
    /// The number of one bits.
    BitCount "bit_count" (T) -> I32 over Int32;
    /// The number of the lowest one bit; -1 if there is none.
    FirstLow "first_low" (T) -> I32 over Int32;
    /// The number of the highest one bit, of negative numbers of the highest zero bit; -1 if there is none.
    FirstHigh "first_high" (T) -> I32 over Int32;

    /// x < y; false if either is NaN. (nv20: in the total order of the bits.)
    Lt "lt" (T, T) -> Bool over Number nv20 y;
    /// x >= y; false if either is NaN. (nv20: in the total order of the bits.)
    Ge "ge" (T, T) -> Bool over Number nv20 y;
    /// x = y; of floats false if either is NaN. (nv20: the same bits.)
    Eq "eq" (T, T) -> Bool over Any nv20 y;
    /// Not x = y; of floats true if either is NaN. (nv20: other bits.)
    Ne "ne" (T, T) -> Bool over Any nv20 y;
    /// The second argument where the first is true, else the third. The first may have one lane for all.
    Select "select" (Bool, T, T) -> T over Any nv20 y;

    /// The nearest f32, ties to even; true is 1, false is +0.
    ToF32 "to_f32" (T) -> F32 over Any;
    /// The nearest f64, ties to even; true is 1, false is +0.
    ToF64 "to_f64" (T) -> F64 over Any;
    /// Of a float truncated toward zero, where out of range saturates and NaN gives 0; of an integer the low 32
    /// bits; true is 1.
    ToI32 "to_i32" (T) -> I32 over Any;
    /// Of a float truncated toward zero, where out of range saturates and NaN gives 0; of an integer the low 32
    /// bits; true is 1.
    ToU32 "to_u32" (T) -> U32 over Any;
    /// Of a float truncated toward zero, where out of range saturates and NaN gives 0; of an integer its value or,
    /// if unsigned, its bits; true is 1.
    ToI64 "to_i64" (T) -> I64 over Any;
    /// Of a float truncated toward zero, where out of range saturates and NaN gives 0; of an integer sign-extended
    /// if it is signed; true is 1.
    ToU64 "to_u64" (T) -> U64 over Any;
    /// The same bits as f32.
    AsF32 "as_f32" (T) -> F32 over Bits32 nv20 y;
    /// The same bits as i32.
    AsI32 "as_i32" (T) -> I32 over Bits32 nv20 y;
    /// The same bits as u32.
    AsU32 "as_u32" (T) -> U32 over Bits32 nv20 y;
    /// The same bits as f64.
    AsF64 "as_f64" (T) -> F64 over Bits64;
    /// The same bits as i64.
    AsI64 "as_i64" (T) -> I64 over Bits64;
    /// The same bits as u64.
    AsU64 "as_u64" (T) -> U64 over Bits64;
    /// 64 bits from the low 32 and the high 32.
    Pack64 "pack64" (U32, U32) -> U64 over Any;
    /// The low 32 of 64 bits.
    Low64 "low64" (T) -> U32 over Bits64;
    /// The high 32 of 64 bits.
    High64 "high64" (T) -> U32 over Bits64;
    /// The nearest binary16, ties to even, in the low 16 bits; too large gives an infinity.
    ToHalf "to_half" (F32) -> U32 over Any;
    /// The value of the binary16 in the low 16 bits.
    FromHalf "from_half" (U32) -> F32 over Any;

    /// The sum of the lanes: added one after another from lane 0 up, each sum rounded. (nv20: the n-ary fused sum,
    /// in which the order does not matter.)
    Sum "sum" (T) -> T over Float reduce y nv20 y;
    /// The sum of the products of equal lanes: each product is rounded, then added in ascending lane order, each
    /// sum rounded. (nv20: products truncated, then the n-ary fused sum.)
    Dot "dot" (T, T) -> T over Float reduce y nv20 y;
    /// Whether every lane is true.
    All "all" (T) -> Bool over Bool reduce y;
    /// Whether at least one lane is true.
    Any "any" (T) -> Bool over Bool reduce y;
}

impl Pure {
    /// Number of arguments.
    pub const fn arity(self) -> usize {
        self.slots().len()
    }

    /// The scalar that decides which arithmetic runs: that of the type variable, or of the first argument if the
    /// operation has none. `args` are the types of the arguments.
    #[inline]
    pub fn scalar(self, args: &[Type]) -> Scalar {
        args.get(usize::from(self.signature().decides)).map_or(Scalar::F32, |ty| ty.scalar)
    }

    /// The same for arguments in a shader.
    #[inline]
    pub fn scalar_of(self, shader: &Shader, args: &[Arg]) -> Scalar {
        let decides = args.get(usize::from(self.signature().decides));
        let value = decides.and_then(|arg| shader.values.get(arg.value.index()));
        value.map_or(Scalar::F32, |info| info.ty.scalar)
    }

    /// The type of the result for arguments of the given types, or `None` if they do not fit.
    pub fn result_type(self, args: &[Type]) -> Option<Type> {
        let signature = self.signature();
        let last = args.last()?;
        if args.len() != usize::from(signature.arity) {
            return None;
        }
        let t = self.scalar(args);
        for (i, arg) in args.iter().enumerate() {
            // The condition of a selection may serve all lanes.
            let lanes = arg.lanes == last.lanes || (self == Self::Select && i == 0 && arg.lanes == 1);
            if arg.scalar != signature.args.get(i).copied().flatten().unwrap_or(t) || !lanes {
                return None;
            }
        }
        if signature.over >> t as u8 & 1 == 0 {
            return None;
        }
        Some(Type::new(signature.result.unwrap_or(t), if signature.reduces { 1 } else { last.lanes }))
    }

    fn signature(self) -> &'static Signature {
        &SIGNATURES[self as usize]
    }
}

/// What the table says of the types of one operation, so that building a shader does not walk its slots again for
/// every instruction. `None` is the type variable.
struct Signature {
    args: [Option<Scalar>; MAX_ARITY],
    result: Option<Scalar>,
    arity: u8,
    /// The argument whose scalar decides.
    decides: u8,
    /// A bit for each scalar that the deciding argument may have.
    over: u8,
    reduces: bool,
}

impl Signature {
    const fn of(op: Pure) -> Self {
        let slots = op.slots();
        let mut signature = Self {
            args: [None; MAX_ARITY],
            result: op.result().fixed(),
            arity: slots.len() as u8,
            decides: 0,
            over: u8::MAX,
            reduces: op.reduces(),
        };
        let mut i = slots.len();
        while i > 0 {
            i -= 1;
            signature.args[i] = slots[i].fixed();
            if signature.args[i].is_none() {
                signature.decides = i as u8;
                signature.over = op.type_class().mask();
            }
        }
        signature
    }
}

/// Of every operation, in table order.
static SIGNATURES: [Signature; Pure::ALL.len()] = {
    let mut all = [const { Signature::of(Pure::ALL[0]) }; Pure::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = Signature::of(Pure::ALL[i]);
        i += 1;
    }
    all
};
