//! The operations of preshaders.
//!
//! Codes, names and numbers of operands are those of Wine's reader; [`Op::Mov`], [`Op::Neg`], [`Op::Rcp`], [`Op::Add`],
//! [`Op::Mul`] and [`Op::Lt`] occur in the output of Microsoft's compilers that was looked at.

/// How an operation takes its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandLanes {
    /// One lane of each operand gives one lane of the result.
    Lane,
    /// All lanes of the operands give one lane.
    All,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Bits 20–30 of an instruction.
    pub code: u16,
    /// The mnemonic.
    pub name: &'static str,
    /// Numbers of operands that it takes.
    pub operands: &'static [usize],
    /// How it takes them.
    pub take: OperandLanes,
    /// What it does, one sentence.
    pub doc: &'static str,
}

macro_rules! operations {
    ($( #[doc = $doc:literal] $Op:ident = $code:literal $name:literal $operands:expr, $take:ident; )*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $( #[doc = $doc] $Op ),* }

        impl Op {
            /// Every operation, in the order of the codes.
            pub const ALL: &'static [Self] = &[$( Self::$Op ),*];
            /// Every row.
            pub const ROWS: &'static [Row] = &[$( Row {
                code: $code, name: $name, operands: &$operands, take: OperandLanes::$take, doc: $doc.trim_ascii(),
            } ),*];
        }
    };
}

operations! {
    /// Nothing.
    Nop = 0x000 "nop" [0], Lane;
    /// Copies the operand.
    Mov = 0x100 "mov" [1], Lane;
    /// The operand with the other sign.
    Neg = 0x101 "neg" [1], Lane;
    /// 1 / operand.
    Rcp = 0x103 "rcp" [1], Lane;
    /// The operand minus the largest whole number that is not above it.
    Frc = 0x104 "frc" [1], Lane;
    /// 2 to the power of the operand.
    Exp = 0x105 "exp" [1], Lane;
    /// The logarithm to base 2 of |operand|; of 0 it is 0.
    Log = 0x106 "log" [1], Lane;
    /// 1 / sqrt(|operand|); of 0 it is infinite.
    Rsq = 0x107 "rsq" [1], Lane;
    /// The sine.
    Sin = 0x108 "sin" [1], Lane;
    /// The cosine.
    Cos = 0x109 "cos" [1], Lane;
    /// The arc sine; outside -1 to 1 a NaN with the sign set.
    Asin = 0x10a "asin" [1], Lane;
    /// The arc cosine; outside -1 to 1 a NaN with the sign set.
    Acos = 0x10b "acos" [1], Lane;
    /// The arc tangent.
    Atan = 0x10c "atan" [1], Lane;
    /// The smaller operand.
    Min = 0x200 "min" [2], Lane;
    /// The larger operand.
    Max = 0x201 "max" [2], Lane;
    /// 1 where operand 1 is less than operand 2, else 0.
    Lt = 0x202 "lt" [2], Lane;
    /// 1 where operand 1 is not less than operand 2, else 0.
    Ge = 0x203 "ge" [2], Lane;
    /// operand 1 + operand 2.
    Add = 0x204 "add" [2], Lane;
    /// operand 1 · operand 2.
    Mul = 0x205 "mul" [2], Lane;
    /// The angle of the point (operand 2, operand 1).
    Atan2 = 0x206 "atan2" [2], Lane;
    /// 0: the runtime has no division, only a code for it. See [`Switches::division`](super::run::Switches::division).
    Div = 0x208 "div" [2], Lane;
    /// Operand 2 where operand 1 is not negative, else operand 3.
    Cmp = 0x300 "cmp" [3], Lane;
    /// The sum of the products of all lanes.
    Dot = 0x500 "dot" [2], All;
    /// The sum of three or four products: of the first half of the operands with the second.
    Dotswiz = 0x70e "d3ds_dotswiz" [6, 8], Lane;
}

impl Op {
    /// The operation with that code.
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.row().code == code)
    }

    /// The mnemonic.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Its row.
    pub const fn row(self) -> &'static Row {
        &Self::ROWS[self as usize]
    }
}

vecasm_ir::spelled!(Op, "operation of preshaders", any case);
