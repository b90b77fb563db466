//! What registers hold. Temporaries and address registers are renamed, arrays of temporaries are local arrays, outputs are
//! cells; inputs, immediates and constants are read at the start of the shader.

use super::scan::{Array, Place, Scan};
use super::{Fault, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{ControlFlow, EMPTY, Kit, Lanes, all_lanes, pick_masked, spread};
use crate::tgsi::names::{File, ImmediateType};
use crate::tgsi::program::{Indirect, Operand};
use alloc::format;
use alloc::string::String;
use core::mem::discriminant;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    Arg, At, Home, Input, InputId, LocalArray, LocalId, Op, OutOfRange, Output, OutputId, ParamArray,
    ParamId, Pure, Scalar, Type, Value,
};
use vecasm_ir::operand::WriteMask;

/// Constants of a buffer: 64 KiB.
pub(super) const CONSTANTS: u32 = 4096;
/// Samplers.
pub(super) const SAMPLERS: u32 = 32;

/// Register files, as [`Home`] counts them: places in `FILES`.
pub(super) const TEMPORARY: u8 = 0;
pub(super) const ADDRESS: u8 = 1;
pub(super) const INPUT: u8 = 2;
pub(super) const SYSTEM: u8 = 3;
const IMMEDIATE: u8 = 4;

/// What is read.
pub(super) struct Read {
    /// `None` where nothing of the program is named.
    pub(super) cell: Option<Cell>,
    pub(super) lanes: Lanes,
}

impl Read {
    pub(super) const fn new(cell: Cell, value: Value) -> Self {
        Self { cell: Some(cell), lanes: all_lanes(value) }
    }
}

impl Lifter<'_> {
    /// What an operand names, before swizzle and modifiers. `read` are the components that count, and `hint` the type
    /// that they are wanted as.
    pub(super) fn fetch(&mut self, operand: &Operand, read: WriteMask, hint: Option<Scalar>) -> Result<Read> {
        Ok(match self.scan.place(operand)? {
            Place::Slot(slot) => {
                Read { cell: Some(Cell::Register(self.home_of(slot))), lanes: self.kit.registers.get(slot) }
            }
            Place::Element { array, element } => {
                let id = self.array(array)?;
                let ty = self.array_type(array);
                let value = self.b.push(Op::LoadLocal { array: id, index: element }, &[], ty);
                Read::new(Cell::Local(id, element), value)
            }
            Place::ElementAt { array, offset } => {
                let index = self.index(operand.indirect)?;
                self.element_at(operand, array, index, offset)?
            }
            Place::Input(n) if self.has_vertices(File::In, n) => self.input_of(operand, n)?,
            Place::Input(n) => {
                let lanes = self.input(n)?;
                let index = self.scan.inputs.get(n).map_or(0, |declared| declared.index);
                Read { cell: Some(Cell::Register(Home { file: INPUT, index })), lanes }
            }
            Place::System(n) => {
                let lanes = self.system(n)?;
                let index = self.scan.systems.get(n).map_or(0, |declared| declared.index);
                Read { cell: Some(Cell::Register(Home { file: SYSTEM, index })), lanes }
            }
            Place::Output(n) => match self.output_of_vertex(operand, n)? {
                Some(read) => read,
                None => self.load_output(n, read),
            },
            Place::Constant { buffer, element } => self.constant(buffer, element, hint),
            Place::ConstantAt { buffer, offset } => {
                let index = self.index(operand.indirect)?;
                self.constant_at(buffer, index, offset)
            }
            Place::ConstantOf { element } => self.constant_of(operand, element)?,
            Place::Immediate(n) => self.immediate(n, hint),
            Place::Null => Read { cell: None, lanes: EMPTY },
        })
    }

    /// The number that an index is taken from, one i32 lane.
    pub(super) fn index(&mut self, by: Option<Indirect>) -> Result<Arg> {
        let Some(by) = by else { return Ok(self.b.int(0)) };
        let register = Scan::index_register(by);
        let lane = WriteMask::lane(by.component.into());
        let Read { cell, lanes } = self.fetch(&register, lane, Some(Scalar::I32))?;
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, lane, &lanes);
        }
        Ok(self.gather(Scalar::I32, pick_masked(&lanes, lane)))
    }

    // Arrays.

    fn array_info(&self, array: usize) -> Result<Array> {
        let found = self.scan.arrays.get(array).copied();
        found.ok_or_else(|| Refusal::new(NO_MEANING, "no such array"))
    }

    fn array_type(&self, array: usize) -> Type {
        Type::new(self.webs.of_array(array), 4)
    }

    /// The local array that stands for an array of registers. What cannot be indexed where it lies is copied there.
    fn array(&mut self, array: usize) -> Result<LocalId> {
        if let Some(Some(id)) = self.arrays.get(array) {
            return Ok(*id);
        }
        let info = self.array_info(array)?;
        let id = LocalId(self.b.shader.locals.len() as u32);
        self.b.shader.locals.push(LocalArray {
            name: range_name(info),
            scalar: self.webs.of_array(array),
            size: info.size(),
        });
        if let Some(to) = self.arrays.get_mut(array) {
            *to = Some(id);
        }
        Ok(id)
    }

    fn element_at(&mut self, operand: &Operand, array: usize, index: Arg, offset: i32) -> Result<Read> {
        let info = self.array_info(array)?;
        let ty = self.array_type(array);
        if let Some((first, count)) = self.input_run(info) {
            if info.of_vertices {
                return self.input_of_run(operand, (first, count), index, offset);
            }
            let at = At { count, offset, rule: OutOfRange::Undefined };
            let op = Op::InputAt { first, at };
            let ty = self.b.shader.inputs.get(first.index()).map_or(ty, |input| input.ty);
            let value = self.b.push(op, &[index], ty);
            return Ok(Read::new(Cell::InputAt(first, offset), value));
        }
        if let Some((first, count)) = self.output_run(info) {
            let at = At { count, offset, rule: OutOfRange::Undefined };
            if let Some(read) = self.output_of_vertex_run(operand, first, at, index)? {
                return Ok(read);
            }
            let output = self.b.shader.outputs.get(first.index());
            let ty = output.map_or(ty, |output| Type::new(output.scalar, 4));
            let value = self.b.push(Op::LoadOutputAt { first, at }, &[index], ty);
            return Ok(Read::new(Cell::OutputAt(first, offset), value));
        }
        let id = self.array(array)?;
        let op = Op::LoadLocalAt { array: id, offset, rule: OutOfRange::Undefined };
        let value = self.b.push(op, &[index], ty);
        Ok(Read::new(Cell::LocalAt(id, offset), value))
    }

    /// Makes the arrays of what cannot be indexed where it lies, and fills them. To be called at the start.
    pub(super) fn fill_arrays(&mut self) -> Result<()> {
        for array in 0..self.scan.arrays.len() {
            let info = self.array_info(array)?;
            let copied = match info.file {
                File::In if info.of_vertices && self.input_run(info).is_none() => {
                    let what =
                        "inputs of several kinds, or with gaps between them, cannot be indexed together";
                    return Err(Refusal::new(NO_MEANING, what));
                }
                File::In => self.input_run(info).is_none(),
                File::Sv | File::Imm => true,
                File::Out if self.output_run(info).is_none() => {
                    let what = "outputs of several kinds cannot be indexed together";
                    return Err(Refusal::new(NO_MEANING, what));
                }
                _ => false,
            };
            if !copied {
                continue;
            }
            let id = self.array(array)?;
            let scalar = self.webs.of_array(array);
            for index in info.first..=info.last {
                let Ok(number) = i16::try_from(index) else { break };
                // A gap between declarations is nothing.
                let Ok(read) = self.fetch(&Operand::new(info.file, number), WriteMask::ALL, Some(scalar))
                else {
                    continue;
                };
                let value = self.gather(scalar, read.lanes.into_iter());
                let element = u32::from(index - info.first);
                self.b.effect(Op::StoreLocal { array: id, index: element, mask: WriteMask::ALL }, &[value]);
            }
        }
        Ok(())
    }

    // Constants.

    /// The parameter array of a buffer.
    fn buffer(&mut self, buffer: usize) -> ParamId {
        if let Some(Some(id)) = self.params.get(buffer) {
            return *id;
        }
        let (number, two) = self.scan.buffers.get(buffer).copied().unwrap_or((0, false));
        let name = if two || number > 0 { format!("CONST[{number}]") } else { String::from("CONST") };
        let id = ParamId(self.b.shader.params.len() as u32);
        let scalar = self.webs.of_buffer(buffer);
        self.b.shader.params.push(ParamArray { scalar, ..ParamArray::new(name, CONSTANTS) });
        if let Some(to) = self.params.get_mut(buffer) {
            *to = Some(id);
        }
        id
    }

    fn constant(&mut self, buffer: usize, element: i32, hint: Option<Scalar>) -> Read {
        let array = self.buffer(buffer);
        let index = match u32::try_from(element) {
            Ok(index) if index < CONSTANTS => index,
            _ => {
                let zero = self.zero(hint.unwrap_or(Scalar::F32));
                return Read { cell: None, lanes: [Some((zero, 0)); 4] };
            }
        };
        let cell = Cell::Param(array, index);
        let key = (buffer as u16, index);
        let at = self.constants.binary_search_by_key(&key, |known| known.0);
        if let Some((_, value)) = at.ok().and_then(|at| self.constants.get(at)) {
            return Read::new(cell, *value);
        }
        let value = self.b.param(array, index).value;
        if let Err(at) = at {
            self.constants.insert(at, (key, value));
        }
        Read::new(cell, value)
    }

    pub(super) fn constant_at(&mut self, buffer: usize, index: Arg, offset: i32) -> Read {
        let array = self.buffer(buffer);
        let value = self.b.param_at(array, index, offset, OutOfRange::Zero);
        Read::new(Cell::ParamAt(array, offset), value.value)
    }

    /// A constant of a buffer whose number is computed: that of the declared one with the number, or zero.
    fn constant_of(&mut self, operand: &Operand, element: i32) -> Result<Read> {
        let Some(dimension) = operand.dimension else {
            return Err(Refusal::new(NO_MEANING, "no such buffer"));
        };
        let number = self.index(dimension.indirect)?;
        let index = match operand.indirect {
            Some(by) => Some(self.index(Some(by))?),
            None => None,
        };
        let mut lanes = EMPTY;
        for buffer in 0..self.scan.buffers.len() {
            let of = self.scan.buffers.get(buffer).map_or(0, |buffer| i32::from(buffer.0));
            let read = match index {
                Some(index) => self.constant_at(buffer, index, element),
                None => self.constant(buffer, element, Some(Scalar::U32)),
            };
            if let Some(cell) = read.cell {
                self.kit.steps.note_read(cell, WriteMask::ALL, &read.lanes);
            }
            let this = self.gather(Scalar::U32, read.lanes.into_iter());
            let others = self.gather(Scalar::U32, lanes.into_iter());
            let of = self.b.int(of.wrapping_sub(dimension.index.into()));
            let here = self.b.pure(Pure::Eq, &[number, of]);
            let one = self.b.pure(Pure::Select, &[here, this, others]);
            lanes = spread(one, WriteMask::ALL);
        }
        Ok(Read { cell: None, lanes })
    }

    fn immediate(&mut self, n: usize, hint: Option<Scalar>) -> Read {
        let (ty, words) = self.scan.immediates.get(n).copied().unwrap_or((ImmediateType::Flt32, [0; 4]));
        let scalar = hint.unwrap_or(match ty {
            ImmediateType::Flt32 => Scalar::F32,
            ImmediateType::Int32 => Scalar::I32,
            _ => Scalar::U32,
        });
        let home = Home { file: IMMEDIATE, index: u16::try_from(n).unwrap_or(Home::ONLY) };
        let cell = Cell::Register(home);
        let key = (n, scalar);
        if let Some((_, value)) = self.immediates.iter().find(|(known, _)| *known == key) {
            return Read::new(cell, *value);
        }
        let value = self.b.push_entry(Op::Const(words), Type::new(scalar, 4));
        self.b.set_home(value, home);
        self.immediates.push((key, value));
        Read::new(cell, value)
    }

    // Results.

    /// Writes a value that has a lane for each lane of `mask`; its bits are kept.
    pub(super) fn store(&mut self, to: &Operand, mask: WriteMask, value: Arg) -> Result<()> {
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let lanes = spread(value, mask);
        self.store_lanes(to, mask, &lanes)
    }

    /// Writes lanes, each in the place of its component.
    pub(super) fn store_lanes(&mut self, to: &Operand, mask: WriteMask, lanes: &Lanes) -> Result<()> {
        // Instructions that move lanes may have nothing to move.
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let picked = || pick_masked(lanes, mask);
        match self.scan.place(to)? {
            Place::Slot(slot) => {
                let home = self.home_of(slot);
                let lanes = &self.kept_lanes(slot, mask, lanes);
                let picked = || pick_masked(lanes, mask);
                self.kit.registers.write(slot, mask, lanes);
                for (value, _) in picked().flatten() {
                    let known = self.b.shader.value(value).home.is_some() || self.kit.is_zero(value);
                    if !known {
                        self.b.set_home(value, home);
                    }
                }
                self.kit.steps.note_write(Cell::Register(home), mask, lanes);
            }
            Place::Element { array, element } => {
                let id = self.array(array)?;
                let value = self.gather(self.webs.of_array(array), picked());
                self.effect(Op::StoreLocal { array: id, index: element, mask }, &[value]);
                self.kit.steps.note_write(Cell::Local(id, element), mask, lanes);
            }
            Place::ElementAt { array, offset } => {
                let index = self.index(to.indirect)?;
                let index = self.destination_index(index);
                let info = self.array_info(array)?;
                let run = self.output_run(info);
                // What an output is for may decide its type.
                let output = run.and_then(|(first, _)| self.b.shader.outputs.get(first.index()));
                let scalar = output.map_or(self.webs.of_array(array), |output| output.scalar);
                let value = self.gather(scalar, picked());
                if let Some((first, count)) = run {
                    let at = At { count, offset, rule: OutOfRange::Undefined };
                    let value = match self.is_own_vertex(to)? {
                        None => value,
                        Some(own) => {
                            let held =
                                self.b.push(Op::LoadOutputAt { first, at }, &[index], Type::new(scalar, 4));
                            let held = self.b.gather(mask.lanes().map(|lane| (held, lane as u8)));
                            self.b.pure(Pure::Select, &[own, value, held])
                        }
                    };
                    self.effect(Op::StoreOutputAt { first, at, mask }, &[index, value]);
                    self.kit.steps.note_write_of(Cell::OutputAt(first, offset), mask, value);
                } else if info.file == File::Temp {
                    let id = self.array(array)?;
                    let op = Op::StoreLocalAt { array: id, offset, mask, rule: OutOfRange::Undefined };
                    self.effect(op, &[index, value]);
                    self.kit.steps.note_write(Cell::LocalAt(id, offset), mask, lanes);
                } else {
                    return Err(unwritable(to));
                }
            }
            Place::Output(n) => {
                let lanes = match self.is_own_vertex(to)? {
                    None => *lanes,
                    Some(own) => self.own_or_held(own, n, mask, lanes),
                };
                self.store_output(n, mask, &lanes);
            }
            Place::Null => {}
            _ => return Err(unwritable(to)),
        }
        Ok(())
    }

    /// The index of a destination, which each invocation has for itself; but `tgsi_exec` takes that of the first of its
    /// four.
    fn destination_index(&mut self, index: Arg) -> Arg {
        if self.options.compat.has(Fault::FirstDestination) { self.of_first(index) } else { index }
    }

    /// Inputs that stand one after another and may be indexed where they are.
    fn input_run(&self, info: Array) -> Option<(InputId, u32)> {
        if info.file != File::In {
            return None;
        }
        let start = self.scan.inputs.binary_search_by_key(&info.first, |declared| declared.index).ok()?;
        let first = self.inputs.get(start).copied().flatten()?;
        let Input { ty, kind, .. } = self.b.shader.inputs.get(first.index())?;
        for n in 0..info.size() as usize {
            let id = self.inputs.get(start + n).copied().flatten()?;
            let input = self.b.shader.inputs.get(id.index())?;
            let alike = input.ty == *ty && discriminant(&input.kind) == discriminant(kind);
            let plain = self.is_plain(start + n) && alike && id.index() == first.index() + n;
            let index = self.scan.inputs.get(start + n)?.index;
            if !plain || usize::from(index) != usize::from(info.first) + n {
                return None;
            }
        }
        Some((first, info.size()))
    }

    /// Output cells that stand one after another.
    fn output_run(&self, info: Array) -> Option<(OutputId, u32)> {
        if info.file != File::Out {
            return None;
        }
        let start = self.scan.outputs.binary_search_by_key(&info.first, |declared| declared.index).ok()?;
        let first = self.outputs.get(start)?.plain?;
        let Output { scalar, kind, .. } = self.b.shader.outputs.get(first.index())?;
        for n in 0..info.size() as usize {
            let id = self.outputs.get(start + n)?.plain?;
            let index = self.scan.outputs.get(start + n)?.index;
            let output = self.b.shader.outputs.get(id.index())?;
            let same = output.scalar == *scalar && output.kind.is_of_patch() == kind.is_of_patch();
            if !same || id.index() != first.index() + n || usize::from(index) != usize::from(info.first) + n {
                return None;
            }
        }
        Some((first, info.size()))
    }
}

/// The name of an array: its registers.
fn range_name(info: Array) -> String {
    let file = info.file.name().unwrap_or("?");
    format!("{file}[{}..{}]", info.first, info.last)
}

#[cold]
fn unwritable(to: &Operand) -> Refusal {
    let name = to.file.name().unwrap_or("this file");
    Refusal::new(NO_MEANING, format!("{name}[{}] cannot be written", to.index))
}
