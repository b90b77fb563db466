//! What a language has to say for itself.

use super::{Body, Shape};
use crate::common::Prec;
use alloc::string::String;
use vecasm_ir::diag::Rule;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Slope, Type};

/// The rules by which a writer refuses what its language cannot say.
#[derive(Clone, Copy)]
pub(crate) struct Reasons {
    /// The operation has no counterpart.
    pub(crate) op: &'static Rule,
    /// It asks the subgroup.
    pub(crate) subgroup: &'static Rule,
    /// A memory is chosen by something computed.
    pub(crate) handle: &'static Rule,
    /// An atomic operation needs a loop in a fragment shader.
    pub(crate) atomic: &'static Rule,
    /// It changes an image atomically.
    pub(crate) image: &'static Rule,
    /// A loop is never left, where that is an error.
    pub(crate) endless: Option<&'static Rule>,
    /// The arithmetic of the NV20 family.
    pub(crate) nv20: &'static Rule,
    /// Arithmetic that flushes denormals.
    pub(crate) flush: &'static Rule,
    /// Arithmetic that must not be contracted.
    pub(crate) precise: &'static Rule,
    /// A texture has no counterpart.
    pub(crate) texture: &'static Rule,
    /// An input has none.
    pub(crate) input: &'static Rule,
    /// An output has none.
    pub(crate) output: &'static Rule,
}

/// The rules of a language, most of which every language has by the same names.
macro_rules! reasons {
    (atomic: $atomic:expr, image: $image:expr, endless: $endless:expr) => {
        $crate::text::Reasons {
            op: rules::OP,
            subgroup: rules::SUBGROUP,
            handle: rules::HANDLE,
            atomic: $atomic,
            image: $image,
            endless: $endless,
            nv20: rules::NV20,
            flush: rules::FLUSH,
            precise: rules::PRECISE,
            texture: rules::TEXTURE,
            input: rules::INPUT,
            output: rules::OUTPUT,
        }
    };
}
pub(crate) use reasons;

/// A language of text, or a version of one.
pub(crate) trait Language: Copy + 'static {
    /// Its name.
    const NAME: &'static str;
    /// Whether declarations, conditional expressions and `switch` are those of C.
    const C: bool;
    /// The line that begins a loop without condition.
    const LOOP: &'static str;
    /// The least i32 as an expression.
    const LEAST: &'static str;
    /// The function that makes a float of its bits.
    const FROM_BITS: &'static str;
    /// Whether operators on bools and comparisons take single lanes only: those of vectors are functions then.
    const COMPARES_BY_CALL: bool;
    /// Whether `&&` and `||` take single lanes only.
    const JOINS_BY_CALL: bool = Self::COMPARES_BY_CALL;
    /// Whether the constructor of a vector takes one number for all lanes.
    const SPLATS: bool = true;
    /// Whether one can go round a loop from inside a switch.
    const CONTINUES_IN_SWITCH: bool = true;
    /// Whether compilers look into conditions that are constant before they ask whether a loop is left.
    const FOLDS_CONDITIONS: bool = false;
    /// Whether a function exchanges a word in memory for another if it is what it is compared with, and never fails otherwise.
    const SWAPS: bool = false;
    /// Whether an image can be changed atomically.
    const CHANGES_TEXELS: bool = false;
    /// Whether derivatives along y are those of a window whose y goes up, where that of the IR goes down.
    const Y_UP: bool = false;
    /// Whether the functions of an image take it as their first argument.
    const PASSES_IMAGES: bool = false;
    /// The variable of a struct of results.
    const RESULT: &'static str = "out";
    /// The function that chooses between vectors by a vector of bools, where [`mixes`](Self::mixes) says so.
    const SELECT: &'static str = "select";
    /// The function for `pow` of a base that is not negative.
    const POW: &'static str = "pow";
    /// The statement that ends what a fragment gives.
    const DISCARD: &'static str = "discard;\n";
    /// Whether an array is made by a list in braces, not by a constructor.
    const BRACES: bool = false;
    /// Whether signed integers wrap by themselves; if not, sums, products and shifts are those of unsigned ones.
    const WRAPS: bool = true;
    /// Whether a vector of bools becomes one of numbers by the name of their type.
    const COUNTS_BOOLS: bool = true;
    /// NaN and the two infinities where floats have [no bits](Self::has_bits).
    const NOT_FINITE: [&'static str; 3] = ["0.0 / 0.0", "1.0 / 0.0", "-1.0 / 0.0"];
    /// What is spelt otherwise in helpers than GLSL spells it: its spelling, and that of this language.
    const SPELT: &'static [(&'static str, &'static str)] = &[];
    /// Whether there are hexadecimal floats, so that every normal float has a literal.
    const HEXADECIMAL: bool = false;
    /// What is refused.
    const REASONS: Reasons;
    /// A memory of the module: see [`Body::memories`].
    type Memory: Default;

    /// The name of a type.
    fn type_name(ty: Type) -> &'static str;

    /// Whether `name` cannot be declared.
    fn is_word(name: &str) -> bool;

    /// Which version it is, if there are several.
    fn version(self) -> String {
        String::new()
    }

    /// What a message calls it that says what it lacks.
    fn title(self) -> String {
        let version = self.version();
        let gap = if version.is_empty() { "" } else { " " };
        [Self::NAME, gap, &version].concat()
    }

    /// Where the language has an operation that this version of it lacks, or that is not written: what follows "no equivalent
    /// of it".
    fn where_else(self, _op: Op) -> &'static str {
        ""
    }

    /// The statement that notes that the invocation was discarded, where the language does not tell.
    fn note_discard(_body: &Body<'_, '_, Self>) -> &'static str {
        ""
    }

    /// What stands before the type of a variable whose arithmetic must not be contracted. Without it such arithmetic is
    /// refused.
    fn precise(self) -> Option<&'static str> {
        None
    }

    /// The function that is an operation on values of `scalar`, where one is, for any number of lanes.
    fn function(self, op: Pure, scalar: Scalar) -> Option<&'static str>;

    /// The function for a derivative along `axis`.
    fn slope(self, axis: char, slope: Slope) -> &'static str;

    /// The functions that take a range of bits and that replace one, where they are there.
    fn bit_fields(self) -> Option<[&'static str; 2]>;

    /// What stands before the parenthesis of a bit pattern taken as another type of as many lanes.
    fn push_cast(out: &mut String, from: Scalar, to: Type);

    /// Whether [`SELECT`](Self::SELECT) chooses between vectors of this type; else a function of the module does.
    fn mixes(self, scalar: Scalar) -> bool;

    /// Writes an operation in a way that this language alone has. Tells whether it did.
    fn own<'a>(
        _body: &mut Body<'a, '_, Self>,
        _inst: &'a Inst,
        _args: &[Arg],
        _lanes: u8,
        _min: Prec,
    ) -> bool {
        false
    }

    /// Whether there are no unsigned integers, no functions of integers and no `switch`, as in GLSL before 130. What
    /// cannot be said so is refused before.
    fn is_old(self) -> bool {
        false
    }

    /// Whether floats have bits that can be seen. If not, helpers have a body without; what has none is refused before.
    fn has_bits(self) -> bool {
        true
    }

    /// Whether a host gives bools as such, not as numbers.
    fn takes_bools(self) -> bool {
        false
    }

    /// The line that begins a loop; `once` if it is a block, which is left at the end of its first round.
    fn loop_line(self, _once: bool) -> &'static str {
        Self::LOOP
    }

    /// Whether there are values of a 64-bit scalar. Others are [pairs of words](super::WideScalars).
    fn has_wide(self, _scalar: Scalar) -> bool {
        true
    }

    /// Appends a number of 64 bits, in a language that has such.
    fn push_wide(_out: &mut String, _scalar: Scalar, _bits: u64) {}

    /// Writes what comes first, before cells have their first values.
    fn begin(_body: &mut Body<'_, '_, Self>) {}

    /// Writes the statement that gives a vertex to a stream, or ends the primitive of one.
    fn emit_vertex(body: &mut Body<'_, '_, Self>, stream: u8, ends: bool) {
        let op = if ends { Op::EndPrimitive { stream } } else { Op::EmitVertex { stream } };
        body.cannot(op);
    }

    /// Writes a texture read or question.
    fn texture<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg]);

    /// Writes a read of a buffer, of what a workgroup shares or of an image, or the question for a size.
    fn read_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst, args: &[Arg], min: Prec);

    /// Writes a store to memory, an atomic operation or a barrier. Tells whether it was one.
    fn change_memory<'a>(body: &mut Body<'a, '_, Self>, inst: &'a Inst) -> bool;
}

/// The name of a type in languages that put the number of lanes behind that of one lane.
#[cfg(any(feature = "hlsl", feature = "msl"))]
pub(crate) const fn numbered(ty: Type) -> &'static str {
    match (ty.scalar, ty.lanes) {
        (Scalar::I32, 1) => "int",
        (Scalar::I32, 2) => "int2",
        (Scalar::I32, 3) => "int3",
        (Scalar::I32, _) => "int4",
        (Scalar::U32, 1) => "uint",
        (Scalar::U32, 2) => "uint2",
        (Scalar::U32, 3) => "uint3",
        (Scalar::U32, _) => "uint4",
        (Scalar::Bool, 1) => "bool",
        (Scalar::Bool, 2) => "bool2",
        (Scalar::Bool, 3) => "bool3",
        (Scalar::Bool, _) => "bool4",
        // Metal has refused them before.
        (Scalar::F64, 1) => "double",
        (Scalar::F64, 2) => "double2",
        (Scalar::F64, 3) => "double3",
        (Scalar::F64, _) => "double4",
        (Scalar::I64, 1) => "int64_t",
        (Scalar::I64, 2) => "int64_t2",
        (Scalar::I64, 3) => "int64_t3",
        (Scalar::I64, _) => "int64_t4",
        (Scalar::U64, 1) => "uint64_t",
        (Scalar::U64, 2) => "uint64_t2",
        (Scalar::U64, 3) => "uint64_t3",
        (Scalar::U64, _) => "uint64_t4",
        (_, 1) => "float",
        (_, 2) => "float2",
        (_, 3) => "float3",
        _ => "float4",
    }
}

/// The name of a comparison of vectors, as a function, and as an operator.
pub(super) const fn comparison(op: Pure) -> (&'static str, &'static str) {
    match op {
        Pure::Lt => ("lessThan", " < "),
        Pure::Ge => ("greaterThanEqual", " >= "),
        Pure::Eq => ("equal", " == "),
        _ => ("notEqual", " != "),
    }
}

impl<L: Language> Body<'_, '_, L> {
    /// Writes the choice between two values.
    pub(super) fn choose(
        &mut self,
        (yes, no, cond): (Arg, Arg, Arg),
        shape: Shape,
        (beside, min): (Prec, Prec),
    ) {
        let by = if cond.lanes == 1 { Shape::Loose } else { shape };
        if !L::C {
            self.out.push_str("select(");
            self.arg(no, shape, beside);
            self.out.push_str(", ");
            self.arg(yes, shape, beside);
            self.out.push_str(", ");
            self.arg(cond, by, Prec::Lowest);
            return self.out.push(')');
        }
        if cond.lanes > 1 && !self.is_scalar(cond) {
            let scalar = self.scalar_of(yes);
            if self.lang.mixes(scalar) {
                self.out.push_str(L::SELECT);
                self.out.push('(');
            } else {
                self.helpers.choose(scalar, cond.lanes);
                self.out.push_str("select_lanes(");
            }
            self.arg(no, shape, Prec::Lowest);
            self.out.push_str(", ");
            self.arg(yes, shape, Prec::Lowest);
            self.out.push_str(", ");
            self.arg(cond, Shape::Exact, Prec::Lowest);
            return self.out.push(')');
        }
        let open = min > Prec::Lowest;
        if open {
            self.out.push('(');
        }
        self.arg(cond, Shape::Loose, Prec::Or);
        self.out.push_str(" ? ");
        self.arg(yes, shape, Prec::Or);
        self.out.push_str(" : ");
        self.arg(no, shape, Prec::Or);
        if open {
            self.out.push(')');
        }
    }
}
