//! The parameters of an instruction: sources with swizzle and modifier, results with shift, clamp and predicate.

use super::registers::{Read, Target};
use super::scan::Code;
use super::{INSTRUCTION, Lifter, REGISTER, Refusal, Result, ScalarComponent, TemporaryRange, texture};
use crate::d3d9::program::{Destination, InstructionToken, Parameters, Source, Stage, Version};
use crate::d3d9::reads;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Form, Opcode};
use crate::lift::{Kit, Lanes, all_lanes, broadcast, pick_read, pick_swizzled, spread};
use crate::table::Shape;
use alloc::format;
use core::mem::take;
use vecasm_ir::ir::{Arg, Pure, Scalar, Value};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The bit of a result modifier that clamps to 0..=1.
const SATURATE: u8 = 1;

/// A source parameter, or a destination that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) source: Source,
    /// What its number is relative to.
    pub(super) index: Option<Source>,
}

/// An instruction with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) op: Opcode,
    pub(super) form: &'static Form,
    pub(super) token: InstructionToken,
    /// What is written.
    pub(super) to: Destination,
    /// What its number is relative to.
    pub(super) to_index: Option<Source>,
    pub(super) predicate: Option<Source>,
    reads: [Operand; 4],
    count: usize,
}

impl Instruction {
    /// The lanes that are written.
    pub(super) fn mask(&self) -> WriteMask {
        reads::written(self.op, self.form.shape, self.to.mask())
    }

    /// Number of sources.
    pub(super) const fn sources(&self) -> usize {
        self.count
    }

    /// A source; the instruction has it by its form.
    pub(super) fn source(&self, n: usize) -> Result<Operand> {
        self.reads
            .get(..self.count)
            .and_then(|reads| reads.get(n))
            .copied()
            .ok_or_else(|| Refusal::new(INSTRUCTION, format!("{} is missing a parameter", self.form.name)))
    }
}

/// What a half of a pair writes.
pub(super) struct Pending {
    target: Target,
    mask: WriteMask,
    value: Arg,
}

impl Parameters<'_> {
    /// The register that a relative number counts from: a parameter of its own from 2.0 on, else a0.x.
    fn counted_from(&mut self, relative: bool) -> Option<Option<Source>> {
        if !relative {
            return Some(None);
        }
        if self.version.has_lengths() {
            return Some(Some(Source(self.word()?)));
        }
        Some(Some(Source::new(RegType::AddrOrTexture, 0, Swizzle::splat(0))))
    }
}

/// The instruction as one of a form, if its words are just that.
fn as_form(op: Opcode, form: &'static Form, version: Version, words: &[u32]) -> Option<Instruction> {
    let (token, rest) = words.split_first()?;
    let token = InstructionToken(*token);
    let mut parameters = Parameters { words: rest, version };
    let nothing = Operand { source: Source(0), index: None };
    let mut out = Instruction {
        op,
        form,
        token,
        to: Destination(0),
        to_index: None,
        predicate: None,
        reads: [nothing; 4],
        count: 0,
    };
    for (n, shape) in form.shape.iter().enumerate() {
        if *shape == Shape::Dst {
            out.to = Destination(parameters.word()?);
            out.to_index = parameters.counted_from(out.to.is_relative())?;
        } else {
            let source = Source(parameters.word()?);
            let index = parameters.counted_from(source.is_relative())?;
            *out.reads.get_mut(out.count)? = Operand { source, index };
            out.count += 1;
        }
        if n == 0 && token.is_predicated() {
            out.predicate = Some(Source(parameters.word()?));
        }
    }
    parameters.words.is_empty().then_some(out)
}

/// The value whose lanes in order these are.
fn whole_of(lanes: &Lanes) -> Option<Value> {
    let (value, _) = lanes[0]?;
    (*lanes == all_lanes(value)).then_some(value)
}

impl Lifter<'_> {
    /// Takes an instruction apart.
    pub(super) fn decode(&self, code: Code) -> Result<Instruction> {
        let words = self.scan.words_of(code);
        let mut forms = code.op.forms(self.version);
        forms.find_map(|form| as_form(code.op, form, self.version, words)).ok_or_else(|| {
            let name = code.op.row().forms.first().map_or("", |form| form.name);
            let what = if code.op.forms(self.version).next().is_none() {
                format!("{} does not exist in this stage", name)
            } else {
                format!("the parameters of {name} match none of its forms")
            };
            Refusal::new(INSTRUCTION, what)
        })
    }

    /// The lanes of source `n` that the lanes of `needed` read, one after another.
    pub(super) fn read(&mut self, i: &Instruction, n: usize, needed: WriteMask) -> Result<Arg> {
        let operand = i.source(n)?;
        self.operand(operand, 0, needed)
    }

    /// As [`read`](Self::read), of the register `row` further on.
    pub(super) fn operand(&mut self, operand: Operand, row: u16, needed: WriteMask) -> Result<Arg> {
        let source = operand.source;
        let Read { cell, lanes } = self.fetch(operand, row)?;
        let swizzle = source.swizzle();
        if let Some(cell) = cell {
            self.kit.steps.note_read(
                cell,
                swizzle.read_mask(WriteMask::from_bits(needed.bits() & self.taken.bits())),
                &lanes,
            );
        }
        let quotient = match source.modifier() {
            9 => Some(2),
            10 => Some(3),
            _ => None,
        };
        if let (None, Some(value), true) = (quotient, whole_of(&lanes), needed != WriteMask::NONE) {
            return Ok(self.modified(source.modifier(), pick_read(value, swizzle, needed)));
        }
        if let Some(by) = quotient {
            // Divided first, then swizzled.
            let all = self.gather(Scalar::F32, lanes.into_iter());
            let divided = texture::divided(&mut self.b, all, by);
            let lanes = spread(divided, WriteMask::ALL);
            return Ok(self.gather(Scalar::F32, pick_swizzled(&lanes, swizzle, needed)));
        }
        let arg = self.gather(Scalar::F32, pick_swizzled(&lanes, swizzle, needed));
        Ok(self.modified(source.modifier(), arg))
    }

    /// A source with its modifier.
    fn modified(&mut self, modifier: u8, arg: Arg) -> Arg {
        let b = &mut self.b;
        let n = arg.lanes;
        let opposite = matches!(modifier, 1 | 3 | 5 | 8 | 12);
        let arg = match modifier {
            2 | 3 => {
                let half = b.splat(0.5, n);
                b.pure(Pure::Sub, &[arg, half])
            }
            4 | 5 => {
                let (two, one) = (b.splat(2.0, n), b.splat(1.0, n));
                let double = b.pure(Pure::Mul, &[arg, two]);
                b.pure(Pure::Sub, &[double, one])
            }
            6 => {
                let one = b.splat(1.0, n);
                b.pure(Pure::Sub, &[one, arg])
            }
            7 | 8 => {
                let two = b.splat(2.0, n);
                b.pure(Pure::Mul, &[arg, two])
            }
            11 | 12 => b.pure(Pure::Abs, &[arg]),
            // The opposite of a truth value, which a number is if it is not zero.
            13 => {
                let zero = b.splat(0.0, n);
                let none = b.pure(Pure::Eq, &[arg, zero]);
                b.pure(Pure::ToF32, &[none])
            }
            _ => arg,
        };
        if opposite { b.pure(Pure::Neg, &[arg]) } else { arg }
    }

    /// The one lane that a source is read for.
    pub(super) fn scalar(&mut self, i: &Instruction, n: usize) -> Result<Arg> {
        let lane = match self.options.switches.scalar_component {
            ScalarComponent::W => 3,
            ScalarComponent::X => 0,
        };
        self.read(i, n, WriteMask::lane(lane))
    }

    /// The lanes of the predicate in front of an instruction for the lanes of `mask`.
    pub(super) fn predicate(&mut self, i: &Instruction, mask: WriteMask) -> Result<Option<Arg>> {
        let Some(source) = i.predicate else { return Ok(None) };
        self.truth_lanes(source, mask).map(Some)
    }

    /// Lanes of a predicate register.
    pub(super) fn truth_lanes(&mut self, source: Source, mask: WriteMask) -> Result<Arg> {
        let Read { cell, lanes } = self.fetch_predicate(source)?;
        let swizzle = source.swizzle();
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, swizzle.read_mask(mask), &lanes);
        }
        let arg = self.gather(Scalar::Bool, pick_swizzled(&lanes, swizzle, mask));
        Ok(if source.modifier() == 13 { self.b.pure(Pure::Not, &[arg]) } else { arg })
    }

    /// Writes one lane to every lane of the destination.
    pub(super) fn write_same(&mut self, i: &Instruction, one: Arg) -> Result<()> {
        let lanes = i.mask().count() as u8;
        self.write(i, i.mask(), broadcast(one, lanes))
    }

    /// Writes a value that has a lane for each lane of `mask`.
    pub(super) fn write(&mut self, i: &Instruction, mask: WriteMask, value: Arg) -> Result<()> {
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let target = self.target(i)?;
        if self.b.shader.value(value.value).ty.scalar != target.scalar() {
            let name = self.register_name(i.to.reg_type(), i.to.number());
            return Err(Refusal::new(REGISTER, format!("{name} cannot be written in this way")));
        }
        let mut value = value;
        if target.scalar() == Scalar::F32 {
            let shift = i.to.shift();
            if shift != 0 {
                // A signed number of four bits.
                let by = if shift < 8 { i32::from(shift) } else { i32::from(shift) - 16 };
                let factor = self.b.splat(f32::from_bits(((127 + by) as u32) << 23), value.lanes);
                value = self.b.pure(Pure::Mul, &[value, factor]);
            }
            if i.to.modifiers() & SATURATE != 0 {
                value = self.b.pure(Pure::Saturate, &[value]);
            }
            let limited = self.version.stage() == Stage::Pixel && self.version.major() < 2;
            let range = match self.options.switches.temporary_range {
                TemporaryRange::Unlimited => None,
                TemporaryRange::One => Some(1.0),
                TemporaryRange::Eight => Some(8.0),
            };
            if let (true, Some(range)) = (limited && i.to.reg_type() == Some(RegType::Temp), range) {
                value = self.clamped(value, range);
            }
        }
        let target = match self.predicate(i, mask)? {
            Some(predicate) => {
                let old = self.present(&target, mask);
                value = self.b.pure(Pure::Select, &[predicate, value, old]);
                target
            }
            None => target,
        };
        self.note_target(&target, mask, value);
        if self.paired {
            self.pending.push(Pending { target, mask, value });
            return Ok(());
        }
        self.store(target, mask, value);
        Ok(())
    }

    /// Writes what a pair of instructions has computed.
    pub(super) fn write_pending(&mut self) {
        for Pending { target, mask, value } in take(&mut self.pending) {
            self.store(target, mask, value);
        }
    }

    /// A value with its lanes in -`range`..=`range`.
    pub(super) fn clamped(&mut self, value: Arg, range: f32) -> Arg {
        let (least, most) = (self.b.splat(-range, value.lanes), self.b.splat(range, value.lanes));
        let value = self.b.pure(Pure::Max, &[value, least]);
        self.b.pure(Pure::Min, &[value, most])
    }

    /// The four lanes of a source before its swizzle, without modifier.
    ///
    /// `read` are those that count.
    pub(super) fn lanes_of(&mut self, operand: Operand, read: WriteMask) -> Result<Lanes> {
        let Read { cell, lanes } = self.fetch(operand, 0)?;
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, read, &lanes);
        }
        Ok(lanes)
    }
}
