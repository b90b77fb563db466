//! Several small numbers in a word, and fields of bits.

use super::scan::Instruction;
use super::{Lifter, Result, lane};
use crate::tgsi::table::{Opcode, Type};
use vecasm_ir::ir::{Arg, Pure};
use vecasm_ir::operand::WriteMask;

/// What a word holds several of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Small {
    /// A binary16.
    Half,
    /// 0 to 1 in so many bits: the number times the largest integer.
    Unsigned(u32),
    /// -1 to 1 in so many bits: the number times the largest integer; the least one is -1 too.
    Signed(u32),
}

impl Small {
    const fn of(op: Opcode) -> Self {
        match op {
            Opcode::Pk2us | Opcode::Up2us => Self::Unsigned(16),
            Opcode::Pk4ub | Opcode::Up4ub => Self::Unsigned(8),
            Opcode::Pk4b | Opcode::Up4b => Self::Signed(8),
            _ => Self::Half,
        }
    }

    const fn bits(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Unsigned(bits) | Self::Signed(bits) => bits,
        }
    }

    /// The largest integer.
    const fn most(self) -> u32 {
        match self {
            Self::Signed(bits) => (1 << (bits - 1)) - 1,
            small => (1 << small.bits()) - 1,
        }
    }
}

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    let lift = match i.op {
        Opcode::Pk2h | Opcode::Pk2us | Opcode::Pk4b | Opcode::Pk4ub => Lifter::pack,
        Opcode::Up2h | Opcode::Up2us | Opcode::Up4b | Opcode::Up4ub => Lifter::unpack,
        Opcode::Ibfe | Opcode::Ubfe | Opcode::Bfi => Lifter::bit_field,
        _ => return Ok(false),
    };
    if lane::mask_of(i) != WriteMask::NONE {
        lift(lifter, i)?;
    }
    Ok(true)
}

impl Lifter<'_> {
    /// IBFE, UBFE and BFI: offsets and numbers of bits are unsigned.
    fn bit_field(&mut self, i: &Instruction<'_>) -> Result<()> {
        let mask = lane::mask_of(i);
        let ty = i.op.row().result;
        let base = self.read(i, 0, mask, ty)?;
        let result = if i.op == Opcode::Bfi {
            let insert = self.read(i, 1, mask, ty)?;
            let (offset, bits) = (self.read(i, 2, mask, ty)?, self.read(i, 3, mask, ty)?);
            self.b.pure(Pure::BitInsert, &[base, insert, offset, bits])
        } else {
            let [offset, bits] = [self.read(i, 1, mask, ty)?, self.read(i, 2, mask, ty)?]
                .map(|x| lane::as_bits(&mut self.b, Pure::AsU32, x));
            self.b.pure(Pure::BitExtract, &[base, offset, bits])
        };
        self.write(i, result)
    }

    /// PK*: numbers to a word, the first one in the low bits.
    fn pack(&mut self, i: &Instruction<'_>) -> Result<()> {
        let small = Small::of(i.op);
        let count = (32 / small.bits()) as u8;
        let x = self.read(i, 0, WriteMask::first(count), Type::F32)?;
        let bits = self.packed_lanes(small, x);
        let mut word = lane::pick(bits, &[0]);
        for n in 1..count {
            let by = self.b.uint(u32::from(n) * small.bits());
            let part = self.b.pure(Pure::Shl, &[lane::pick(bits, &[n]), by]);
            word = self.b.pure(Pure::Or, &[word, part]);
        }
        self.write_same(i, word)
    }

    /// The bits of each number, low in a word.
    fn packed_lanes(&mut self, small: Small, x: Arg) -> Arg {
        let b = &mut self.b;
        if small == Small::Half {
            return b.pure(Pure::ToHalf, &[x]);
        }
        let clamped = match small {
            Small::Signed(_) => x,
            _ => b.pure(Pure::Saturate, &[x]),
        };
        let most = b.splat(small.most() as f32, 1);
        let scaled = b.pure(Pure::Mul, &[clamped, lane::broadcast(most, x.lanes)]);
        let rounded = b.pure(Pure::RoundEven, &[scaled]);
        if matches!(small, Small::Unsigned(_)) {
            return b.pure(Pure::ToU32, &[rounded]);
        }
        // Clamped as an integer, so that NaN is 0.
        let integer = b.pure(Pure::ToI32, &[rounded]);
        let [least, most] =
            [-(small.most() as i32), small.most() as i32].map(|n| lane::broadcast(b.int(n), x.lanes));
        let integer = b.pure(Pure::Max, &[integer, least]);
        let integer = b.pure(Pure::Min, &[integer, most]);
        let integer = b.pure(Pure::AsU32, &[integer]);
        let kept = lane::broadcast(b.uint((1 << small.bits()) - 1), x.lanes);
        b.pure(Pure::And, &[integer, kept])
    }

    /// UP*: the numbers in the word x; what there are two of comes twice.
    fn unpack(&mut self, i: &Instruction<'_>) -> Result<()> {
        let small = Small::of(i.op);
        let mask = lane::mask_of(i);
        let word = self.read(i, 0, WriteMask::X, Type::U32)?;
        let count = 32 / small.bits();
        let b = &mut self.b;
        let words = lane::broadcast(word, mask.count() as u8);
        let mut shifts = [0; 4];
        for (to, lane) in shifts.iter_mut().zip(mask.lanes()) {
            *to = lane as u32 % count * small.bits();
        }
        let shifts = lane::uints(b, shifts, words.lanes);
        let width = lane::broadcast(b.uint(small.bits()), words.lanes);
        let result = match small {
            Small::Signed(_) => {
                let signed = b.pure(Pure::AsI32, &[words]);
                let integer = b.pure(Pure::BitExtract, &[signed, shifts, width]);
                let number = b.pure(Pure::ToF32, &[integer]);
                let most = b.splat(small.most() as f32, words.lanes);
                let number = b.pure(Pure::Div, &[number, most]);
                let least = b.splat(-1.0, words.lanes);
                b.pure(Pure::Max, &[number, least])
            }
            _ => {
                let integer = b.pure(Pure::BitExtract, &[words, shifts, width]);
                if small == Small::Half {
                    b.pure(Pure::FromHalf, &[integer])
                } else {
                    let number = b.pure(Pure::ToF32, &[integer]);
                    let most = b.splat(small.most() as f32, words.lanes);
                    b.pure(Pure::Div, &[number, most])
                }
            }
        };
        self.write(i, result)
    }
}
