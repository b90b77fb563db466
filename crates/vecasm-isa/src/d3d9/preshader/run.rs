//! What a preshader computes.
//!
//! Every operation is done in double precision; a constant that is read is a single one, and what is written becomes
//! one. The special cases are those that Wine's tests state: `log` of 0 is 0, `rsq` of 0 infinite, both take the size of
//! their operand, `asin` and `acos` give a NaN with the sign set, `div` gives 0.

use super::{File, Instruction, MALFORMED, Op, Operand, OperandLanes, Preshader, Slot, UNKNOWN, finding};
use crate::d3d9::ctab::RegisterSet;
use crate::d3d9::symbols::PRESHADER;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, Severity};
use vecasm_ir::math::double;
use vecasm_ir::math::wide::{floor, round_even, sqrt};

/// Most lanes of a table.
const MAX_LANES: u32 = 0x1_0000;
/// Most lanes of an instruction.
pub(super) const MAX_WIDTH: u32 = 0x1000;

crate::switch::switches! {
    /// What `div` gives; it is 0 in every test of Wine that runs it, though the mnemonic says otherwise.
    division: Division = "preshader-div" {
        /// 0
        Zero = "zero",
        /// the quotient
        Quotient = "quotient";
        default Zero
    }
    /// What a relative operand outside its table reads; the rule for constants is one that Wine's authors guessed from tests.
    outside: Outside = "preshader-index" {
        /// the register modulo the size: of constants the next power of two, between the end and there 0
        Wrap = "wrap",
        /// 0
        Zero = "zero";
        default Wrap
    }
    numbers
}

/// The registers of the shader that a preshader computes from what is given for its own constants, as elements of arrays: their
/// name, the number and the lanes as bits. Given are elements of [`PRESHADER`], the last of which counts most, among others;
/// what is not given has its default value.
///
/// # Errors
///
/// As [`run`].
pub fn computed(
    preshader: &Preshader,
    given: &[(String, u32, [u32; 4])],
    switches: &Switches,
) -> Result<Vec<(String, u32, [u32; 4])>, Diagnostic> {
    let mut inputs = Inputs::of(preshader);
    for (_, register, bits) in given.iter().filter(|(array, ..)| array == PRESHADER) {
        inputs.set(*register, bits.map(f32::from_bits));
    }
    let outputs = run(preshader, &inputs, switches)?;
    let floats = outputs.floats.into_iter().map(|(n, value)| ("c".into(), n, value.map(f32::to_bits)));
    let ints = outputs.ints.into_iter().map(|(n, value)| ("i".into(), n, value.map(|lane| lane as u32)));
    let bools = outputs.bools.into_iter().map(|(n, value)| ("b".into(), n, [u32::from(value); 4]));
    Ok(floats.chain(ints).chain(bools).collect())
}

/// The constants that a preshader reads: registers of its own table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    registers: Vec<[f32; 4]>,
}

impl Inputs {
    /// Room for what the table of the preshader names, filled with its default values.
    pub fn of(preshader: &Preshader) -> Self {
        let mut inputs = Self::default();
        for constant in preshader.table().0.iter().flat_map(|table| &table.constants) {
            if constant.register_set() != Some(RegisterSet::Float4) {
                continue;
            }
            let last = u32::from(constant.index) + u32::from(constant.count);
            if let Some(last) = last.checked_sub(1) {
                inputs.grow(last);
            }
            let words = constant.default.as_deref().unwrap_or(&[]);
            for (n, words) in words.chunks_exact(4).take(constant.count.into()).enumerate() {
                let value = [words[0], words[1], words[2], words[3]].map(f32::from_bits);
                inputs.set(u32::from(constant.index) + n as u32, value);
            }
        }
        inputs
    }

    fn grow(&mut self, register: u32) {
        let size = (register as usize + 1).min(MAX_LANES as usize / 4);
        if size > self.registers.len() {
            self.registers.resize(size, [0.0; 4]);
        }
    }

    /// Sets a register; those above 16383 are not kept.
    pub fn set(&mut self, register: u32, value: [f32; 4]) {
        self.grow(register.min(MAX_LANES));
        if let Some(to) = self.registers.get_mut(register as usize) {
            *to = value;
        }
    }

    /// The registers.
    pub fn registers(&self) -> &[[f32; 4]] {
        &self.registers
    }
}

/// What a preshader wrote: registers of the shader, in order. Lanes that it did not write are 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Floating-point constants: number and value.
    pub floats: Vec<(u32, [f32; 4])>,
    /// Integer constants.
    pub ints: Vec<(u32, [i32; 4])>,
    /// Boolean constants.
    pub bools: Vec<(u32, bool)>,
}

/// A table while it runs.
struct Bank {
    file: File,
    lanes: Vec<f64>,
    /// Lanes that were written.
    written: Vec<bool>,
}

impl Bank {
    fn get(&self, lane: u32) -> f64 {
        self.lanes.get(lane as usize).copied().unwrap_or(0.0)
    }

    /// Registers.
    fn size(&self) -> u32 {
        (self.lanes.len() as u32).div_ceil(self.file.lanes())
    }
}

struct Machine {
    banks: Vec<Bank>,
    switches: Switches,
}

/// Runs a preshader.
///
/// # Errors
///
/// `D3D9-preshader-op` for an operation or table that is not known, `D3D9-preshader` for registers that no runtime has.
pub fn run(preshader: &Preshader, inputs: &Inputs, switches: &Switches) -> Result<Outputs, Diagnostic> {
    let mut machine = Machine::new(preshader, inputs, *switches)?;
    for (n, instruction) in preshader.code().iter().enumerate() {
        machine.step(instruction).map_err(|(rule, what)| {
            let mut finding = finding(rule, format!("instruction {n}: {what}"));
            finding.severity = Severity::Error;
            finding
        })?;
    }
    Ok(machine.outputs())
}

type Step<T> = Result<T, (&'static Rule, &'static str)>;

impl Machine {
    fn new(preshader: &Preshader, inputs: &Inputs, switches: Switches) -> Result<Self, Diagnostic> {
        let mut banks: Vec<Bank> = File::ALL
            .iter()
            .map(|(file, ..)| Bank { file: *file, lanes: Vec::new(), written: Vec::new() })
            .collect();
        let mut sizes = [0_u32; File::ALL.len()];
        sizes[File::Temp as usize] = preshader.temporaries();
        for instruction in preshader.code() {
            let slot = instruction.result.slot;
            let end = slot.offset.saturating_add(instruction.result_lanes());
            if let Some(size) = slot.file().and_then(|file| sizes.get_mut(file as usize)) {
                *size = (*size).max(end);
            }
        }
        for (bank, size) in banks.iter_mut().zip(sizes) {
            if size > MAX_LANES {
                let mut finding = finding(MALFORMED, "it writes registers that no runtime has");
                finding.severity = Severity::Error;
                return Err(finding);
            }
            bank.lanes.resize(size as usize, 0.0);
            bank.written.resize(size as usize, false);
        }
        let numbers = preshader.literals().iter().map(|bits| f64::from_bits(*bits));
        banks[File::Literal as usize].lanes = numbers.collect();
        let constants = inputs.registers.iter().flatten().map(|value| f64::from(*value));
        banks[File::Constant as usize].lanes = constants.collect();
        Ok(Self { banks, switches })
    }

    fn bank(&self, slot: Slot) -> Step<&Bank> {
        let file = slot.file().ok_or((UNKNOWN, "there is no such table"))?;
        self.banks.get(file as usize).ok_or((UNKNOWN, "there is no such table"))
    }

    /// The number of registers that an index adds.
    fn index(&self, operand: Operand) -> Step<u32> {
        let Some(slot) = operand.index else { return Ok(0) };
        let value = round_even(self.bank(slot)?.get(slot.offset));
        // As the C function does, and then cut to 32 bits.
        let fits = value.abs() < 9_223_372_036_854_775_808.0;
        Ok(if fits { value as i64 as u32 } else { 0 })
    }

    /// The value of a lane of an operand.
    fn get(&self, operand: Operand, index: u32, lane: u32) -> Step<f64> {
        let bank = self.bank(operand.slot)?;
        let each = bank.file.lanes();
        let lane = index.wrapping_mul(each).wrapping_add(operand.slot.offset).wrapping_add(lane);
        let (register, size) = (lane / each, bank.size());
        if register < size {
            return Ok(bank.get(lane));
        }
        if self.switches.outside == Outside::Zero || size == 0 {
            return Ok(0.0);
        }
        let round = if bank.file == File::Constant { size.next_power_of_two() } else { size };
        Ok(bank.get(register % round * each + lane % each))
    }

    fn set(&mut self, operand: Operand, index: u32, lane: u32, value: f64) {
        let Some(file) = operand.slot.file() else { return };
        let at = index.wrapping_mul(file.lanes()).wrapping_add(operand.slot.offset).wrapping_add(lane);
        let Some(bank) = self.banks.get_mut(file as usize) else { return };
        if let (Some(to), Some(written)) =
            (bank.lanes.get_mut(at as usize), bank.written.get_mut(at as usize))
        {
            // Constants of the shader are of single precision.
            *to = if file == File::Float { f64::from(value as f32) } else { value };
            *written = true;
        }
    }

    fn step(&mut self, instruction: &Instruction) -> Step<()> {
        let op = instruction.op().ok_or((UNKNOWN, "the operation is not known"))?;
        let lanes = instruction.lanes();
        if lanes > MAX_WIDTH {
            return Err((MALFORMED, "it has more lanes than a register file"));
        }
        self.bank(instruction.result.slot)?;
        let mut indices = [0; 8];
        for (operand, index) in instruction.operands.iter().zip(&mut indices) {
            *index = self.index(*operand)?;
        }
        let at = self.index(instruction.result)?;
        let get = |machine: &Self, n: usize, lane: u32| -> Step<f64> {
            let lane = if n == 0 && instruction.is_scalar() { 0 } else { lane };
            let operand = instruction.operands.get(n).ok_or((MALFORMED, "an operand is missing"))?;
            machine.get(*operand, indices.get(n).copied().unwrap_or(0), lane)
        };
        if op.row().take == OperandLanes::All {
            let mut sum = 0.0;
            for lane in 0..lanes {
                sum += get(self, 0, lane)? * get(self, 1, lane)?;
            }
            self.set(instruction.result, at, 0, sum);
            return Ok(());
        }
        if op == Op::Nop {
            return Ok(());
        }
        for lane in 0..lanes {
            let mut values = [0.0; 8];
            for (n, value) in values.iter_mut().enumerate().take(instruction.operands.len()) {
                *value = get(self, n, lane)?;
            }
            let result = self.lane(op, &values, instruction.operands.len());
            self.set(instruction.result, at, lane, result);
        }
        Ok(())
    }

    /// One lane of the result.
    fn lane(&self, op: Op, v: &[f64; 8], count: usize) -> f64 {
        let truth = |is: bool| f64::from(u8::from(is));
        let (a, b) = (v[0], v[1]);
        match op {
            Op::Nop | Op::Dot => 0.0,
            Op::Mov => a,
            Op::Neg => -a,
            Op::Rcp => 1.0 / a,
            Op::Frc => a - floor(a),
            Op::Exp => double::exp2(a),
            Op::Log if a == 0.0 => 0.0,
            Op::Log => double::log2(a.abs()),
            Op::Rsq if a == 0.0 => f64::INFINITY,
            Op::Rsq => 1.0 / sqrt(a.abs()),
            Op::Sin => double::sin(a),
            Op::Cos => double::cos(a),
            Op::Asin => double::asin(a),
            Op::Acos => double::acos(a),
            Op::Atan => double::atan(a),
            // The other operand where one is NaN.
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Lt => truth(a < b),
            Op::Ge => truth(a >= b),
            Op::Add => a + b,
            Op::Mul => a * b,
            Op::Atan2 => double::atan2(a, b),
            Op::Div if self.switches.division == Division::Zero => 0.0,
            Op::Div => a / b,
            Op::Cmp => {
                if a >= 0.0 {
                    b
                } else {
                    v[2]
                }
            }
            Op::Dotswiz => {
                let half = count / 2;
                v.iter().take(half).zip(v.iter().skip(half)).map(|(a, b)| a * b).sum()
            }
        }
    }

    fn outputs(&self) -> Outputs {
        let mut out = Outputs::default();
        let registers = |file: File| {
            let bank = self.banks.get(file as usize);
            bank.into_iter().flat_map(move |bank| {
                let each = file.lanes() as usize;
                let all = bank.lanes.chunks(each).zip(bank.written.chunks(each)).enumerate();
                all.filter(|(_, (_, written))| written.contains(&true)).map(move |(n, (lanes, _))| {
                    let mut value = [0.0; 4];
                    value.iter_mut().zip(lanes).for_each(|(to, from)| *to = *from);
                    (n as u32, value)
                })
            })
        };
        out.floats = registers(File::Float).map(|(n, value)| (n, value.map(|v| v as f32))).collect();
        out.ints = registers(File::Int).map(|(n, value)| (n, value.map(|v| round_even(v) as i32))).collect();
        out.bools = registers(File::Bool).map(|(n, value)| (n, value[0] != 0.0)).collect();
        out
    }
}
