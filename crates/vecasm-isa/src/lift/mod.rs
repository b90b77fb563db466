//! The kit that the lifts of all instruction sets are built with: what each of them does on the way to the IR, once.
//!
//! | file | holds |
//! |---|---|
//! | this one | [`Kit`], what every lifting can do, and [`Store`], what it keeps for that |
//! | `lanes` | lanes: where the content of a register is, and arguments made of it |
//! | `registers` | what registers hold, and what they held in front of blocks |
//! | `flow` | conditionals, loops, routines |
//! | `switch` | selections |
//! | `refusal` | why a program cannot be lifted |
//! | `steps` | what the present instruction reads and writes |

mod flow;
mod lanes;
mod refusal;
mod registers;
mod steps;
mod switch;

pub(crate) use flow::{ControlFlow, Exit, Flow, FlowError, Frame, MAX_BLOCKS, Part};
pub(crate) use lanes::*;
pub use refusal::Refusal;
pub(crate) use refusal::Result;
pub(crate) use registers::Registers;
pub(crate) use switch::{Section, SelectionError, Selections};

use crate::Depth;
use crate::table::Lift;
use alloc::vec::Vec;
use steps::{Note, PARTS, Steps};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::op::MAX_ARITY;
use vecasm_ir::ir::steps::{Access, Step};
use vecasm_ir::ir::{Arg, Op, Pure, Scalar, Type, Value};
use vecasm_ir::operand::WriteMask;

/// The types that a constant of zero may have; those of other types are of the first one.
const ZEROS: [Scalar; 4] = [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::Bool];

/// What the kit keeps while a program is lifted.
#[derive(Default)]
pub(crate) struct Store {
    /// What the registers that are renamed hold.
    pub(crate) registers: Registers,
    /// What is open.
    pub(crate) flow: Flow,
    /// What the present instruction reads and writes.
    pub(crate) steps: Steps,
    /// Constants of zero, by their places in [`ZEROS`].
    zeros: [Option<Value>; ZEROS.len()],
}

impl Store {
    /// For a lifting that keeps this much, of a program with so many registers that are renamed.
    pub(crate) fn new(depth: Depth, registers: usize) -> Self {
        Self { registers: Registers::new(registers), steps: Steps::new(depth), ..Self::default() }
    }

    /// A constant lane of zero bits at the start of the shader, the same one each time.
    fn zero(&mut self, b: &mut Builder, scalar: Scalar) -> Value {
        let n = match scalar {
            Scalar::I32 => 1,
            Scalar::U32 => 2,
            Scalar::Bool => 3,
            _ => 0,
        };
        *self.zeros[n].get_or_insert_with(|| b.push_entry(Op::Const([0; 4]), Type::new(ZEROS[n], 1)))
    }

    /// Whether a value is one of these constants. They belong to no register, whichever holds them.
    pub(crate) fn is_zero(&self, value: Value) -> bool {
        self.zeros.contains(&Some(value))
    }

    /// One to four lanes as [runs](Arg::runs) of values: what is nowhere is a zero of the given type, and so is a lane if there
    /// is none.
    pub(crate) fn runs(
        &mut self,
        b: &mut Builder,
        scalar: Scalar,
        lanes: impl Iterator<Item = Lane>,
    ) -> ([Arg; 4], usize) {
        let places = lanes.map(|lane| lane.unwrap_or_else(|| (self.zero(b, scalar), 0)));
        match Arg::runs(places) {
            (mut parts, 0) => {
                parts[0] = Arg::all_lanes(self.zero(b, scalar), 1);
                (parts, 1)
            }
            runs => runs,
        }
    }

    /// One to four lanes as lanes of values, and how many they are: what is nowhere is a zero of the given type, and so is a
    /// lane if there is none.
    pub(crate) fn places(
        &mut self,
        b: &mut Builder,
        scalar: Scalar,
        lanes: impl Iterator<Item = Lane>,
    ) -> ([(Value, u8); 4], usize) {
        let mut places = [(Value::new(0), 0); 4];
        let mut n = 0;
        for (to, lane) in places.iter_mut().zip(lanes) {
            *to = match lane {
                Some(lane) => lane,
                None => (self.zero(b, scalar), 0),
            };
            n += 1;
        }
        if n == 0 {
            places[0] = (self.zero(b, scalar), 0);
            n = 1;
        }
        (places, n)
    }
}

/// What every lifting can do. An instruction set says where its shader and its [`Store`] are.
pub(crate) trait Kit {
    /// The shader that is built, and what the kit keeps.
    fn split(&mut self) -> (&mut Builder, &mut Store);

    /// A constant lane of zero bits at the start of the shader.
    fn zero(&mut self, scalar: Scalar) -> Value {
        let (b, store) = self.split();
        store.zero(b, scalar)
    }

    /// One argument out of one to four lanes; those that are nowhere are zeros of the given type.
    fn gather(&mut self, scalar: Scalar, lanes: impl Iterator<Item = Lane>) -> Arg {
        let (b, store) = self.split();
        let (parts, n) = store.runs(b, scalar, lanes);
        b.join(&parts[..n])
    }

    /// The first lanes of what is made for each lane of a mask, together; all of them are made before any is used. `None` for no
    /// lanes.
    fn compose(
        &mut self,
        mask: WriteMask,
        mut make: impl FnMut(&mut Self, usize) -> Result<Arg>,
    ) -> Result<Option<Arg>> {
        let mut lanes = EMPTY;
        for lane in mask.lanes() {
            lanes[lane] = take_first(make(self, lane)?);
        }
        Ok((mask != WriteMask::NONE).then(|| self.gather(Scalar::F32, pick_masked(&lanes, mask))))
    }

    /// What a row gives whose operation is one of the IR, a lane for each lane of `mask`; `None` of other rows. `read` gives the
    /// lanes of a source that the lanes of a mask read.
    fn compute<F: 'static>(
        &mut self,
        row: &Lift<F>,
        mask: WriteMask,
        mut read: impl FnMut(&mut Self, usize, WriteMask) -> Result<Arg>,
    ) -> Result<Option<Arg>> {
        let Some(pure) = row.pure() else { return Ok(None) };
        let needed = match row {
            Lift::Replicate(_, lanes) => WriteMask::first(*lanes),
            _ => mask,
        };
        let mut args = [Arg::all_lanes(Value::new(0), 1); MAX_ARITY];
        let args = args.get_mut(..pure.arity()).unwrap_or(&mut []);
        for (n, arg) in args.iter_mut().enumerate() {
            *arg = read(self, n, needed)?;
        }
        let (b, _) = self.split();
        let result = b.pure(pure, args);
        Ok(Some(match row {
            Lift::Set(_) => b.pure(Pure::ToF32, &[result]),
            Lift::Replicate(..) => broadcast(result, mask.count() as u8),
            _ => result,
        }))
    }

    /// Appends an operation that gives nothing.
    fn effect(&mut self, op: Op, args: &[Arg]) {
        self.split().0.effect(op, args);
    }

    /// Closes the step of each part of the present instruction that has read or written anything.
    fn mark(&mut self) {
        if self.split().1.steps.is_lean() {
            return;
        }
        for part in 0..PARTS {
            let Some((reads, writes)) = self.split().1.steps.take(part) else { continue };
            let mut args = Vec::with_capacity(reads.len() + writes.len());
            let reads = self.accesses(&reads, &mut args);
            let writes = self.accesses(&writes, &mut args);
            let (b, _) = self.split();
            let number = b.shader.steps.len() as u32;
            b.shader.steps.push(Step { source: b.step, part: part as u8, reads, writes });
            self.effect(Op::Mark(number), &args);
        }
    }

    /// What is noted of a step, and an argument for each access.
    fn accesses(&mut self, notes: &[Note], args: &mut Vec<Arg>) -> Vec<Access> {
        let mut out = Vec::with_capacity(notes.len());
        for &Note { cell, mask, ref lanes } in notes {
            let known = lanes.iter().flatten().next();
            let scalar =
                known.map_or(Scalar::F32, |&(value, _)| self.split().0.shader.value(value).ty.scalar);
            args.push(self.gather(scalar, pick_masked(lanes, mask)));
            out.push(Access { cell, mask });
        }
        out
    }
}
