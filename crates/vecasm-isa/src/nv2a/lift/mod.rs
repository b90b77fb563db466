//! From slots to the IR: registers are renamed lane by lane, and the arithmetic of the machine is chosen.
//!
//! A program has no branches, so lifting runs it once, slot by slot: the sources of both units are fetched from the
//! state before the slot, both compute, then everything is written. Nothing needs to be validated first: every bit
//! pattern has a meaning, and where no source knows it, a [switch](Switches) chooses.
//!
//! | file | holds |
//! |---|---|
//! | this one | the run, and reading and writing of registers |
//! | `options` | what lifting leaves open |
//! | `units` | the operations |
//! | `tail` | what is done to results as they leave: clip space, clamped colours |

mod options;
mod tail;
mod units;

pub use crate::Depth;
pub use options::*;

use super::program::{Container, Kind, Mux, Program, Slot as Words, Source};
use super::table::{self, Field, Ilu, Mac, Port};
use crate::lift::{EMPTY, Kit, Lane, Lanes, Store, all_lanes, pick_masked, pick_swizzled};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, rules};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    Arg, Arith, FileRole, Home, Input, InputKind, Op, OutOfRange, Output, OutputId, OutputKind, ParamArray,
    ParamId, Pure, RegisterFile, Scalar, Shader, Stage, Type, Value,
};
use vecasm_ir::operand::WriteMask;

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    START "NV2A-start" "the program has no slot %1 to start at"
        "A program runs from its start slot to the first final one.";
    VIEWPORT "NV2A-viewport" "the program does not apply the viewport at its end"
        "An unscaled position is what is multiplied with c58, divided by w, and added to c59; so end the programs that compilers made.";
    UNDEFINED "NV2A-undefined" "%1"
        "The switch `undefined` refuses programs whose outcome no source documents.";
}

/// The two units of a slot, by the number of their part in the step table.
const MAC: usize = 0;
const ILU: usize = 1;

/// Register files, as [`Home`] counts them.
const FILES: &[&str] = &["r", "c", "v", "a0"];
const TEMPORARY: u8 = 0;
const CONSTANT: u8 = 1;
const ATTRIBUTE: u8 = 2;
const ADDRESS: u8 = 3;
/// The location of the first input that stands for a register.
const REGISTERS_AT: u32 = table::ATTRIBUTES;
/// The temporaries that can be read: R0 to R12.
const READABLE: usize = table::POSITION_SHADOW as usize + 1;
/// The array of constants.
const PARAM: ParamId = ParamId(0);

/// The state of one lifting.
struct Lifter<'a> {
    options: &'a Options,
    /// Whether it is a state program.
    state: bool,
    b: Builder,
    kit: Store,
    /// A0, if it is not the 0 it starts with.
    address: Option<Arg>,
    attributes: [Option<Value>; table::ATTRIBUTES as usize],
    constants: Vec<Lanes>,
    /// Constants that were written, with their lanes.
    written: Vec<(u32, WriteMask)>,
    /// The output cell of each address.
    outputs: [Option<OutputId>; 16],
    one: Option<Value>,
    /// What the present slot reads relative to A0.
    relative: Option<Lanes>,
    /// Arguments put together of several values lately, by their lanes.
    gathered: Vec<(([Arg; 4], usize), Arg)>,
}

/// Lifts a program.
///
/// It runs from the slot [`Options::start`] to the first final one, to the end of the program, or for 136 slots, which is
/// as many as the hardware has. Outputs that are never written do not become outputs of the shader. Output cells are
/// varyings whose location is the address of the register; oPos is the position, oFog the fog coordinate (one number,
/// in lane x: lane x of the result of the last write, whatever its mask), oPts the size of a point.
///
/// In [clip space](Space::Clip) the position is x, y and z scaled to -1..=1, -1..=1 and 0..=1, and w:
///
/// * w' is w with its magnitude clamped as RCC clamps it, to 2^-64..=2^64;
/// * x' = (2x - width) / width · w' and y' = -(2y - height) / height · w', where the state value `surface` is width
///   and height, 640 and 480 if nobody says;
/// * z' = z / `clip-max` · w', where that state value is the depth at the far plane, 16777215 (24 bits) if nobody says.
///
/// This is computed with f32, whatever the program's arithmetic.
///
/// [Unscaled](Space::Unscaled) it is p, where the program writes p · c58 · RCC(w) + c59 to x, y and z, and w to w: nothing is computed.
///
/// # Errors
///
/// `NV2A-start` if there is no such slot (a program without any does nothing), `NV2A-undefined` if the switch
/// `undefined` asks for it, `NV2A-viewport` if an unscaled position is asked for and there is none.
pub fn lift(program: &Program, options: &Options) -> Result<Shader, Diagnostic> {
    let kind = match program.container {
        Container::Microcode { version, .. } => Kind::from_version(version),
        _ => None,
    };
    let state = match options.kind {
        ProgramKind::Header => kind == Some(Kind::State),
        ProgramKind::Vertex => false,
        ProgramKind::State => true,
    };
    let start = options.start as usize;
    if start > 0 && start >= program.slots.len() {
        let what = format!("the program has no slot {start} to start at");
        return Err(START.finding(what).at(Place::Whole));
    }
    let slots = program.slots.iter().enumerate().skip(start).take(table::SLOTS);
    let mut lifter = Lifter {
        options,
        state,
        b: Builder::new(Stage::Vertex, "nv2a", FILES, program.slots.len().min(table::SLOTS) * 4),
        kit: Store::new(options.depth, READABLE),
        address: None,
        attributes: [None; table::ATTRIBUTES as usize],
        constants: Vec::new(),
        written: Vec::new(),
        outputs: [None; 16],
        one: None,
        relative: None,
        gathered: Vec::new(),
    };
    lifter.b.arith = match options.numerics {
        Numerics::Nv20 => Arith::NV20,
        Numerics::Ieee => Arith::ZERO_WINS,
    };
    lifter.b.shader.registers = registers(options, state);
    for (index, slot) in slots {
        lifter.b.step = index as u32;
        lifter.slot(slot).map_err(|what| {
            let offset = program.offsets().get(index).copied().unwrap_or(0);
            UNDEFINED.finding(what).at(Place::Binary {
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
                token: u32::try_from(index + 1).ok(),
            })
        })?;
        if slot.is_final() {
            break;
        }
    }
    if !lifter.tail() {
        return Err(VIEWPORT.finding("the program does not apply the viewport at its end").at(Place::Whole));
    }
    Ok(lifter.b.finish())
}

/// The register files that are filled from outside.
fn registers(options: &Options, state: bool) -> Vec<RegisterFile> {
    let file = |file: u8, role, count| {
        let name = FILES.get(usize::from(file)).copied().unwrap_or("r");
        RegisterFile { name: name.into(), role, count }
    };
    let attributes = if state { 1 } else { table::ATTRIBUTES };
    let mut out = alloc::vec![
        file(CONSTANT, FileRole::Param, Some(table::CONSTANTS)),
        file(ATTRIBUTE, FileRole::Input, Some(attributes)),
    ];
    if options.registers {
        out.push(file(TEMPORARY, FileRole::Input, Some(READABLE as u32)));
        out.push(file(ADDRESS, FileRole::Input, None));
    }
    out
}

impl Kit for Lifter<'_> {
    fn split(&mut self) -> (&mut Builder, &mut Store) {
        (&mut self.b, &mut self.kit)
    }

    fn gather(&mut self, scalar: Scalar, lanes: impl Iterator<Item = Lane>) -> Arg {
        let key = self.kit.runs(&mut self.b, scalar, lanes);
        if let ([only, ..], 1) = key {
            return only;
        }
        if let Some((_, arg)) = self.gathered.iter().find(|(of, _)| *of == key) {
            return *arg;
        }
        let arg = self.b.join(&key.0[..key.1]);
        // What is read twice is mostly read twice at once.
        if self.gathered.len() < 8 {
            self.gathered.push((key, arg));
        } else {
            self.gathered.rotate_right(1);
            self.gathered[0] = (key, arg);
        }
        arg
    }
}

impl Lifter<'_> {
    /// Runs a slot. An error says what no source knows.
    fn slot(&mut self, slot: &Words) -> Result<(), String> {
        self.relative = None;
        let switches = &self.options.switches;
        let (mac, ilu) = (slot.mac(), slot.ilu());
        if switches.undefined == Undefined::Refuse {
            undefined(slot)?;
        }
        let (address, to_output) = (slot.get(Field::OutAddress), slot.get(Field::OutOrb) == 1);
        let out_mask = match slot.output_mask() {
            mask if to_output => table::output_lanes(address, mask),
            mask => mask,
        };
        let (mut mac_mask, mut ilu_mask) = (slot.mac_mask(), slot.ilu_mask());
        if ilu == Ilu::Nop {
            ilu_mask = WriteMask::NONE;
        }
        let number = slot.get(Field::OutTempReg);
        let paired = slot.get(Field::Mac) != 0 && ilu_mask != WriteMask::NONE;
        if paired && number == table::PAIRED_TEMPORARY && switches.r1_conflict == R1Conflict::IluOnly {
            mac_mask = WriteMask::NONE;
        }
        let from = match slot.get(Field::OutMux) {
            0 if mac == Some(Mac::Nop) && switches.nop_half == NopHalf::Ilu => ILU,
            0 => MAC,
            _ => ILU,
        };
        let needed = |unit, mask: WriteMask| if unit == from { mask.union(out_mask) } else { mask };
        self.kit.steps.part = MAC;
        let a0 = (mac == Some(Mac::Arl)).then(|| self.arl(slot));
        let mac_result = self.mac(slot, needed(MAC, mac_mask));
        self.kit.steps.part = ILU;
        let ilu_result = self.ilu(slot, needed(ILU, ilu_mask));
        // Both have read: now everything is written.
        self.kit.steps.part = MAC;
        if let Some(result) = &mac_result {
            self.write_temporary(number, mac_mask, result);
        }
        self.kit.steps.part = ILU;
        if let Some(result) = &ilu_result {
            self.write_temporary(slot.ilu_temporary(), ilu_mask, result);
        }
        self.kit.steps.part = from;
        if let Some(result) = if from == MAC { &mac_result } else { &ilu_result } {
            if to_output {
                self.write_output(address, out_mask, result);
            } else {
                self.write_constant(address, out_mask, result);
            }
        }
        if let Some(a0) = a0 {
            self.kit.steps.part = MAC;
            self.write_address(a0);
        }
        self.mark();
        Ok(())
    }

    /// The lanes of a source that the lanes of `needed` read, one after another.
    fn source(&mut self, slot: &Words, port: Port, needed: WriteMask) -> Arg {
        let source = slot.source(port);
        let (cell, lanes) = self.fetch(source);
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, source.swizzle.read_mask(needed), &lanes);
        }
        let arg = self.gather(Scalar::F32, pick_swizzled(&lanes, source.swizzle, needed));
        if source.negate { self.b.pure(Pure::Neg, &[arg]) } else { arg }
    }

    /// What a source names, before swizzle and sign.
    fn fetch(&mut self, source: Source) -> (Option<Cell>, Lanes) {
        let number = source.number;
        match source.mux {
            Mux::Temporary => match self.temporary(number) {
                Some(lanes) => {
                    let register = Cell::Register(Home { file: TEMPORARY, index: number as u16 });
                    // What reads as R12 is what was written to oPos, so the step table has one cell for both.
                    let shadowed = (number == table::POSITION_SHADOW).then_some(self.outputs[0]).flatten();
                    (Some(shadowed.map_or(register, Cell::Output)), lanes)
                }
                None => (None, self.zeros()),
            },
            Mux::Attribute => {
                let Some(value) = self.attribute(number) else { return (None, self.point()) };
                (Some(Cell::Register(Home { file: ATTRIBUTE, index: number as u16 })), all_lanes(value))
            }
            Mux::Constant => match source.relative.then(|| self.present_address()).flatten() {
                Some(address) => {
                    let lanes = match self.relative {
                        Some(lanes) => lanes,
                        None => self.constant_at(address, number),
                    };
                    self.relative = Some(lanes);
                    (Some(Cell::ParamAt(PARAM, number as i32)), lanes)
                }
                // Relative to the 0 that A0 starts with.
                None => self.constant(number, source.relative),
            },
            Mux::Undefined => (None, self.zeros()),
        }
    }

    /// R0 to R12; the last one shadows oPos.
    fn temporary(&mut self, number: u32) -> Option<Lanes> {
        let slot = number as usize;
        if slot >= READABLE {
            return None;
        }
        let lanes = self.kit.registers.get(slot);
        if !lanes.contains(&None) {
            return Some(lanes);
        }
        let first = self.first_value(number);
        let filled = [0, 1, 2, 3].map(|n| lanes[n].or(first[n]));
        self.kit.registers.set(slot, filled);
        Some(filled)
    }

    /// What a temporary starts with.
    fn first_value(&mut self, number: u32) -> Lanes {
        if self.options.registers {
            let home = Home { file: TEMPORARY, index: number as u16 };
            return all_lanes(self.input(REGISTERS_AT + number, format!("r{number}"), Type::F32X4, home));
        }
        if number != table::POSITION_SHADOW {
            return self.zeros();
        }
        match self.options.switches.init_out {
            InitialOutputs::Point => self.point(),
            InitialOutputs::Zero => self.zeros(),
            // There the cell does not hold what the program wrote.
            InitialOutputs::Carry if self.state || self.options.space != Space::Screen => self.point(),
            InitialOutputs::Carry => {
                let output = self.output(0);
                all_lanes(self.b.push_entry(Op::LoadOutput(output), Type::F32X4))
            }
        }
    }

    /// An input: an attribute, or what a register holds at the start.
    fn input(&mut self, location: u32, name: String, ty: Type, home: Home) -> Value {
        let id = self.b.add_input(Input::new(name, InputKind::Attribute { location }, ty));
        let value = self.b.input(id).value;
        self.b.set_home(value, home);
        value
    }

    fn attribute(&mut self, number: u32) -> Option<Value> {
        if self.state && number > 0 {
            return None;
        }
        if let Some(value) = *self.attributes.get(number as usize)? {
            return Some(value);
        }
        let home = Home { file: ATTRIBUTE, index: number as u16 };
        let value = self.input(number, format!("v{number}"), Type::F32X4, home);
        self.attributes[number as usize] = Some(value);
        Some(value)
    }

    /// Whether a program sees a constant.
    fn sees(&self, number: u32, relative: bool) -> bool {
        let user = self.options.switches.c_range == Access::User;
        let direct = !relative && table::VIEWPORT_CONSTANTS.contains(&number);
        !user || direct || number >= table::DIRECT3D_BIAS as u32
    }

    /// The constant of a number.
    fn constant(&mut self, number: u32, relative: bool) -> (Option<Cell>, Lanes) {
        let outside = number >= table::CONSTANTS;
        let zero = outside && self.options.switches.c_oob == ConstantRange::Zero;
        if zero || !self.sees(number, relative) {
            return (None, self.zeros());
        }
        let number = number.min(table::CONSTANTS - 1);
        let index = number as usize;
        let mut lanes = self.constant_lanes(index);
        if lanes.contains(&None) {
            let array = self.array();
            let value = self.b.param(array, number).value;
            self.b.set_home(value, Home { file: CONSTANT, index: number as u16 });
            for (to, from) in lanes.iter_mut().zip(all_lanes(value)) {
                *to = to.or(from);
            }
            self.constants[index] = lanes;
        }
        (Some(Cell::Param(PARAM, number)), lanes)
    }

    /// What is known of a constant.
    fn constant_lanes(&mut self, index: usize) -> Lanes {
        if self.constants.len() <= index {
            self.constants.resize(index + 1, EMPTY);
        }
        self.constants[index]
    }

    fn array(&mut self) -> ParamId {
        if self.b.shader.params.is_empty() {
            let name = FILES.get(usize::from(CONSTANT)).copied().unwrap_or("c");
            self.b.shader.params.push(ParamArray::new(name, table::CONSTANTS));
        }
        PARAM
    }

    /// The constant at A0 plus a number.
    fn constant_at(&mut self, address: Arg, number: u32) -> Lanes {
        let array = self.array();
        let switches = &self.options.switches;
        let (user, c_write) = (switches.c_range == Access::User, switches.c_write);
        let rule = match switches.c_oob {
            ConstantRange::Zero => OutOfRange::Zero,
            ConstantRange::Clamp => OutOfRange::Clamp,
        };
        let offset = number as i32;
        let mut value = self.b.param_at(array, address, offset, rule);
        if c_write == ConstantWrites::Vertex {
            // The array has none of the writes, so they are put in here.
            for (index, mask) in self.written.clone() {
                let lanes = self.constant_lanes(index as usize);
                let here = self.b.int(index as i32 - offset);
                let here = self.b.pure(Pure::Eq, &[address, here]);
                let old = all_lanes(value.value);
                let new = [0, 1, 2, 3].map(|n| if mask.has(n) { lanes[n] } else { old[n] });
                let new = self.gather(Scalar::F32, new.into_iter());
                value = self.b.pure(Pure::Select, &[here, new, value]);
            }
        }
        if user {
            let first = self.b.int(table::DIRECT3D_BIAS - offset);
            let seen = self.b.pure(Pure::Ge, &[address, first]);
            let zeros = self.zeros();
            let zero = self.gather(Scalar::F32, zeros.into_iter());
            value = self.b.pure(Pure::Select, &[seen, value, zero]);
        }
        all_lanes(value.value)
    }

    /// A constant lane of 1 at the start of the shader.
    fn one(&mut self) -> Value {
        if let Some(one) = self.one {
            return one;
        }
        let one = self.b.splat(1.0, 1).value;
        self.one = Some(one);
        one
    }

    fn zeros(&mut self) -> Lanes {
        [Some((self.zero(Scalar::F32), 0)); 4]
    }

    /// (0, 0, 0, 1).
    fn point(&mut self) -> Lanes {
        let (zero, one) = (Some((self.zero(Scalar::F32), 0)), Some((self.one(), 0)));
        [zero, zero, zero, one]
    }

    fn write_temporary(&mut self, number: u32, mask: WriteMask, result: &Lanes) {
        if number >= table::TEMPORARIES || mask == WriteMask::NONE {
            return;
        }
        let home = Home { file: TEMPORARY, index: number as u16 };
        self.kit.registers.write(number as usize, mask, result);
        for lane in mask.lanes() {
            let Some((value, _)) = result[lane] else { continue };
            let is_constant = self.kit.is_zero(value) || Some(value) == self.one;
            if self.b.shader.value(value).home.is_none() && !is_constant {
                self.b.set_home(value, home);
            }
        }
        self.kit.steps.note_write(Cell::Register(home), mask, result);
    }

    fn write_output(&mut self, address: u32, mask: WriteMask, result: &Lanes) {
        let named = table::output(address).is_some();
        if mask == WriteMask::NONE || (!named && self.options.switches.out_range == OutRange::Drop) {
            return;
        }
        let number = address & 15;
        if number == 0 {
            self.kit.registers.write(table::POSITION_SHADOW as usize, mask, result);
        }
        if self.state {
            return;
        }
        let output = self.output(number);
        if number != 0 || self.options.space == Space::Screen {
            let clamped = self.clamped(number, mask, result);
            self.store(output, mask, &clamped);
        }
        self.kit.steps.note_write(Cell::Output(output), mask, result);
    }

    fn store(&mut self, output: OutputId, mask: WriteMask, lanes: &Lanes) {
        let value = self.gather(Scalar::F32, pick_masked(lanes, mask));
        self.b.effect(Op::StoreOutput { output, mask }, &[value]);
    }

    /// The output cell of an address, 0–15.
    fn output(&mut self, number: u32) -> OutputId {
        let slot = (number & 15) as usize;
        if let Some(output) = self.outputs[slot] {
            return output;
        }
        let name = table::output(number).map_or_else(|| format!("o{number}"), |named| named.short.into());
        let screen = self.options.space != Space::Clip;
        let kind = match number {
            0 => OutputKind::Position,
            table::FOG if screen => OutputKind::Fog,
            table::POINT_SIZE if screen => OutputKind::PointSize,
            location => OutputKind::Varying { location },
        };
        let mut output = Output::new(name, kind);
        output.init[3] = match self.options.switches.init_out {
            InitialOutputs::Zero => 0,
            InitialOutputs::Point | InitialOutputs::Carry => 1.0f32.to_bits(),
        };
        if self.options.switches.init_out == InitialOutputs::Carry {
            output.carried = true;
            self.b.shader.serial = true;
        }
        let id = self.b.add_output(output);
        self.outputs[slot] = Some(id);
        id
    }

    fn write_constant(&mut self, number: u32, mask: WriteMask, result: &Lanes) {
        let lost = number >= table::CONSTANTS || !self.sees(number, false);
        let c_write = self.options.switches.c_write;
        if mask == WriteMask::NONE || lost || c_write == ConstantWrites::Off {
            return;
        }
        let index = number as usize;
        self.constant_lanes(index);
        for lane in mask.lanes() {
            self.constants[index][lane] = result[lane];
        }
        let array = self.array();
        if c_write == ConstantWrites::Serial {
            let used = &mut self.b.shader.params[array.index()].used;
            *used = (*used).max(number + 1);
            self.b.shader.serial = true;
            let value = self.gather(Scalar::F32, pick_masked(result, mask));
            self.b.effect(Op::StoreParam { array, index: number, mask }, &[value]);
        } else {
            match self.written.iter_mut().find(|(n, _)| *n == number) {
                Some((_, lanes)) => *lanes = lanes.union(mask),
                None => self.written.push((number, mask)),
            }
        }
        self.kit.steps.note_write(Cell::Param(array, number), mask, result);
    }
}

/// Says what of a slot no source knows.
fn undefined(slot: &Words) -> Result<(), String> {
    for port in Port::ALL.into_iter().filter(|port| slot.reads(*port)) {
        let Source { mux, number, .. } = slot.source(port);
        match mux {
            Mux::Undefined => return Err(format!("source {} names no register file", port.letter())),
            Mux::Temporary if number > table::POSITION_SHADOW => {
                return Err(format!("there is no r{number} to read"));
            }
            Mux::Constant if number >= table::CONSTANTS => {
                return Err(format!("there is no constant {number} to read"));
            }
            _ => {}
        }
    }
    let writes = |mask: WriteMask| mask != WriteMask::NONE;
    let temporary = slot.get(Field::OutTempReg);
    let by_field = writes(slot.mac_mask()) || (writes(slot.ilu_mask()) && slot.get(Field::Mac) == 0);
    if by_field && temporary >= table::TEMPORARIES {
        return Err(format!("r{temporary} cannot be written"));
    }
    let address = slot.get(Field::OutAddress);
    if writes(slot.output_mask()) && slot.get(Field::OutOrb) == 0 && address >= table::CONSTANTS {
        return Err(format!("there is no constant {address} to write"));
    }
    Ok(())
}
