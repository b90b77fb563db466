//! What registers hold. Temporaries, the address register, the predicate and the counter of loops are renamed; outputs are
//! cells; inputs and constants are read at the start of the shader.

use super::link;
use super::operands::{Instruction, Operand};
use super::scan::Declared;
use super::{
    ConstantRange, Constants, Constants1x, Lifter, Options, REGISTER, Refusal, RelativeDefinitions, Result,
    tail, texture,
};
use crate::d3d9::program::{Source, Stage, Version};
use crate::d3d9::registers::{RESULT_MODIFIERS, RegType, spelling};
use crate::lift::{EMPTY, Kit, Lanes, all_lanes, pick_masked, repeat_first, spread};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::shader::numbered;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    Arg, DeclUsage, Home, Input, InputId, InputKind, Interpolation, Location, Op, OutOfRange, Output,
    OutputId, OutputKind, ParamArray, ParamId, Pure, Scalar, Tail, Type, Value,
};
use vecasm_ir::operand::WriteMask;

/// Places of registers that are renamed, by their slots.
pub(super) const ADDRESS: usize = 0;
const PREDICATE: usize = 1;
pub(super) const COUNTER: usize = 2;
const FIRST_COORDINATE: usize = 3;
/// The place of r0.
pub(super) const FIRST_TEMPORARY: usize = FIRST_COORDINATE + COORDINATES as usize;
/// Temporaries of the largest models.
const TEMPORARIES: u16 = 32;
/// Registers that are renamed.
pub(super) const REGISTERS: usize = FIRST_TEMPORARY + TEMPORARIES as usize;

/// Inputs v#.
pub(super) const INPUTS: u32 = 16;
/// Texture coordinates t#.
pub(super) const COORDINATES: u32 = 8;
/// Samplers.
pub(super) const SAMPLERS: u32 = 16;

/// Register files, as [`Home`] counts them: places in `FILES`.
const TEMPORARY_FILE: u8 = 0;
const CONSTANT_FILE: u8 = 1;
const INPUT_FILE: u8 = 2;
const COORDINATE_FILE: u8 = 3;
const ADDRESS_FILE: u8 = 4;
const PREDICATE_FILE: u8 = 5;
const COUNTER_FILE: u8 = 6;
const INTEGER_FILE: u8 = 7;
const FLAG_FILE: u8 = 8;

/// The bit of `_centroid`.
const CENTROID: u8 = RESULT_MODIFIERS[2].0;

/// An input register.
pub(super) type InputKey = (RegType, u16);

/// Lanes of an output register.
#[derive(Clone, Copy)]
pub(super) struct OutputCell {
    ty: RegType,
    number: u16,
    /// The lanes of the register that it holds.
    mask: WriteMask,
    id: OutputId,
}

/// What is read.
pub(super) struct Read {
    /// `None` where nothing of the program is named.
    pub(super) cell: Option<Cell>,
    pub(super) lanes: Lanes,
}

/// What is written.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A register that is renamed.
    State(usize),
    /// An output register.
    Output(RegType, u16),
    /// An output register that is one number.
    Single(OutputId),
    /// An output of vs_3_0 at an index plus a number.
    OutputAt(Arg, u16),
}

impl Target {
    /// What its lanes are.
    pub(super) fn scalar(&self) -> Scalar {
        match self {
            Self::State(slot) => scalar_of(*slot),
            Self::Output(..) | Self::Single(_) | Self::OutputAt(..) => Scalar::F32,
        }
    }
}

/// The place of a register that is renamed.
pub(super) fn slot(version: Version, ty: RegType, number: u16) -> Option<usize> {
    let pixel = version.stage() == Stage::Pixel;
    match ty {
        RegType::Temp => (number < TEMPORARIES).then(|| FIRST_TEMPORARY + usize::from(number)),
        RegType::AddrOrTexture if !pixel => (number == 0).then_some(ADDRESS),
        // Up to 1.3 they can be written.
        RegType::AddrOrTexture if version.number() < 0x0104 => {
            (u32::from(number) < COORDINATES).then(|| FIRST_COORDINATE + usize::from(number))
        }
        RegType::Predicate => (number == 0).then_some(PREDICATE),
        RegType::Loop => Some(COUNTER),
        _ => None,
    }
}

/// The type of the lanes of a register that is renamed.
pub(super) const fn scalar_of(slot: usize) -> Scalar {
    match slot {
        ADDRESS | COUNTER => Scalar::I32,
        PREDICATE => Scalar::Bool,
        _ => Scalar::F32,
    }
}

/// The register at a place.
pub(super) fn home_of(slot: usize) -> Home {
    match slot {
        ADDRESS => Home { file: ADDRESS_FILE, index: Home::ONLY },
        PREDICATE => Home { file: PREDICATE_FILE, index: Home::ONLY },
        COUNTER => Home { file: COUNTER_FILE, index: Home::ONLY },
        _ if slot < FIRST_TEMPORARY => {
            Home { file: COORDINATE_FILE, index: (slot - FIRST_COORDINATE) as u16 }
        }
        _ => Home { file: TEMPORARY_FILE, index: (slot - FIRST_TEMPORARY) as u16 },
    }
}

/// Floating-point constants of a model.
pub(super) fn float_constants(version: Version, options: &Options) -> u32 {
    match (version.stage(), version.major()) {
        (_, 2..) if version.minor() == 0xff => 8192,
        (Stage::Vertex, _) => options.switches.vertex_constants.into(),
        (Stage::Pixel, 1) => 8,
        (Stage::Pixel, 2) => 32,
        (Stage::Pixel, _) => 224,
    }
}

/// Integer, and boolean, constants of a model.
pub(super) fn other_constants(version: Version) -> u32 {
    if version.minor() == 0xff { 2048 } else { 16 }
}

/// What a program defines a constant as.
fn definition_of<T: Copy>(definitions: &[(u16, T)], number: u16) -> Option<T> {
    let at = definitions.binary_search_by_key(&number, |definition| definition.0).ok()?;
    definitions.get(at).map(|definition| definition.1)
}

/// The number that the first constant of a file has in text.
const fn first_constant(ty: RegType) -> Option<u32> {
    match ty {
        RegType::Const => Some(0),
        RegType::Const2 => Some(2048),
        RegType::Const3 => Some(4096),
        RegType::Const4 => Some(6144),
        _ => None,
    }
}

impl Lifter<'_> {
    /// The name of a register, for messages.
    #[cold]
    pub(super) fn register_name(&self, ty: Option<RegType>, number: u16) -> String {
        match ty.and_then(|ty| spelling(ty, number, self.version)) {
            Some((name, Some(number))) => numbered(name, number.into()),
            Some((name, None)) => name.into(),
            None => format!("register {number} of a file that this stage lacks"),
        }
    }

    #[cold]
    fn unreadable(&self, source: Source) -> Refusal {
        let name = self.register_name(source.reg_type(), source.number());
        Refusal::new(REGISTER, format!("{name} cannot be read here"))
    }

    /// What a source names, `row` registers further on, before swizzle and modifier.
    pub(super) fn fetch(&mut self, operand: Operand, row: u16) -> Result<Read> {
        let source = operand.source;
        let number = source.number() + row;
        let Some(ty) = source.reg_type() else { return Err(self.unreadable(source)) };
        if let Some(first) = first_constant(ty) {
            let number = first + u32::from(number);
            return match operand.index {
                None => Ok(self.constant(number)),
                Some(index) => {
                    let index = self.index(index)?;
                    Ok(self.constant_at(index, number))
                }
            };
        }
        match ty {
            RegType::Input if operand.index.is_some() => {
                let index = match operand.index {
                    Some(index) => self.index(index)?,
                    None => return Err(self.unreadable(source)),
                };
                self.input_at(index, number)
            }
            RegType::Input if u32::from(number) < INPUTS => Ok(self.input_read(ty, number)),
            RegType::Misc if self.version.stage() == Stage::Pixel && number < 2 => {
                Ok(self.input_read(ty, number))
            }
            RegType::AddrOrTexture
                if self.version.stage() == Stage::Pixel
                    && self.version.number() >= 0x0104
                    && u32::from(number) < COORDINATES =>
            {
                Ok(self.input_read(ty, number))
            }
            _ => match slot(self.version, ty, number) {
                Some(slot) if scalar_of(slot) == Scalar::F32 => Ok(self.renamed(slot)),
                _ => Err(self.unreadable(source)),
            },
        }
    }

    /// What a register that is renamed holds.
    pub(super) fn renamed(&mut self, slot: usize) -> Read {
        let lanes = self.kit.registers.get(slot);
        let coordinates = (FIRST_COORDINATE..FIRST_TEMPORARY).contains(&slot);
        if lanes == EMPTY && coordinates {
            return self.input_read(RegType::AddrOrTexture, (slot - FIRST_COORDINATE) as u16);
        }
        Read { cell: Some(Cell::Register(home_of(slot))), lanes }
    }

    /// A predicate register.
    pub(super) fn fetch_predicate(&mut self, source: Source) -> Result<Read> {
        let slot = source.reg_type().and_then(|ty| slot(self.version, ty, source.number()));
        match slot {
            Some(PREDICATE) => Ok(self.renamed(PREDICATE)),
            _ => Err(self.unreadable(source)),
        }
    }

    /// The number in the register that another number is relative to.
    fn index(&mut self, source: Source) -> Result<Arg> {
        let slot = source.reg_type().and_then(|ty| slot(self.version, ty, source.number()));
        let (slot, lane) = match slot {
            Some(ADDRESS) => (ADDRESS, source.swizzle().get(0)),
            Some(COUNTER) => (COUNTER, 0),
            _ => return Err(self.unreadable(source)),
        };
        let Read { cell, lanes } = self.renamed(slot);
        if let Some(cell) = cell {
            self.kit.steps.note_read(cell, WriteMask::lane(lane.into()), &lanes);
        }
        Ok(self.gather(Scalar::I32, lanes.into_iter().skip(usize::from(lane)).take(1)))
    }

    // Inputs.

    /// What an input register holds.
    pub(super) fn input_read(&mut self, ty: RegType, number: u16) -> Read {
        let file = match ty {
            RegType::AddrOrTexture => COORDINATE_FILE,
            _ => INPUT_FILE,
        };
        let lanes = self.input(ty, number);
        let cell = match ty {
            RegType::Misc => None,
            _ => Some(Cell::Register(Home { file, index: number })),
        };
        Read { cell, lanes }
    }

    /// An input register.
    pub(super) fn input(&mut self, ty: RegType, number: u16) -> Lanes {
        if let Some((_, lanes)) = self.inputs.iter().find(|(key, _)| *key == (ty, number)) {
            return *lanes;
        }
        let lanes = match (ty, self.version.stage()) {
            (RegType::Misc, _) => {
                let arg = if number == 0 { tail::pixel(&mut self.b) } else { tail::face(&mut self.b) };
                if number == 0 { spread(arg, WriteMask::ALL) } else { repeat_first(arg) }
            }
            (_, Stage::Vertex) => self.attribute(number),
            (RegType::AddrOrTexture, _) => {
                let semantic = (DeclUsage::TexCoord.code(), number as u8);
                let name = numbered("t", number.into());
                let lanes = self.varying(number, name, COORDINATE_FILE, semantic, 0);
                if !self.options.pipeline.points {
                    return self.keep_input((ty, number), lanes);
                }
                let given = self.gather(Scalar::F32, lanes.into_iter());
                let given = tail::coordinates(&mut self.b, given);
                all_lanes(given.value)
            }
            _ if self.version.major() < 3 => {
                let name = numbered("v", number.into());
                let lanes =
                    self.varying(number, name, INPUT_FILE, (DeclUsage::Color.code(), number as u8), 0);
                if self.options.unclamped {
                    return self.keep_input((ty, number), lanes);
                }
                // Colours are clamped before pixel shaders of these models see them.
                let arg = self.gather(Scalar::F32, lanes.into_iter());
                let clamp = |b: &mut Builder| b.entry_op(Op::Pure(Pure::Saturate), &[arg]).value;
                let value = self.b.in_tail(Tail::ClampColors, clamp);
                self.b.set_home(value, Home { file: INPUT_FILE, index: number });
                all_lanes(value)
            }
            _ => self.declared_varyings(number),
        };
        self.keep_input((ty, number), lanes)
    }

    fn keep_input(&mut self, key: InputKey, lanes: Lanes) -> Lanes {
        self.inputs.push((key, lanes));
        lanes
    }

    /// The declarations of a register.
    fn declarations(&self, ty: RegType, number: u16) -> impl Iterator<Item = &Declared> {
        self.scan.declared.iter().filter(move |declared| declared.ty == ty && declared.number == number)
    }

    fn attribute(&mut self, number: u16) -> Lanes {
        let kind = InputKind::Attribute { location: number.into() };
        let mut input = Input::new(numbered("v", number.into()), kind, Type::F32X4);
        if let Some(declared) = self.declarations(RegType::Input, number).next() {
            input.semantic = link::semantic(declared.usage.usage(), declared.usage.index());
        }
        let id = self.b.add_input(input);
        let value = self.b.input(id).value;
        self.b.set_home(value, Home { file: INPUT_FILE, index: number });
        all_lanes(value)
    }

    /// What the vertex shader gave for a usage.
    fn varying(
        &mut self,
        number: u16,
        name: String,
        file: u8,
        (usage, index): (u8, u8),
        modifiers: u8,
    ) -> Lanes {
        let kind = InputKind::Varying { location: link::location(usage, index) };
        let id = self.b.find_input(kind).unwrap_or_else(|| {
            let semantic = link::semantic(usage, index);
            // Usages that overlap are against the rules; the last one is read.
            let taken = self.b.shader.inputs.iter().any(|input| input.name == name);
            let name = if taken { format!("{name}.{semantic}") } else { name };
            let mut input = Input::new(name, kind, Type::F32X4);
            input.semantic = semantic;
            if usage == DeclUsage::Color.code() {
                input.interpolation = Interpolation::Color;
            }
            if modifiers & CENTROID != 0 {
                input.location = Location::Centroid;
            }
            self.b.add_input(input)
        });
        let value = self.b.input(id).value;
        self.b.set_home(value, Home { file, index: number });
        all_lanes(value)
    }

    /// An input of ps_3_0, which may hold several usages, each in its lanes.
    fn declared_varyings(&mut self, number: u16) -> Lanes {
        let single = self.declarations(RegType::Input, number).count() == 1;
        let mut out = EMPTY;
        for n in 0..self.scan.declared.len() {
            let Some(one) = self.scan.declared.get(n).copied() else { break };
            if one.ty != RegType::Input || one.number != number {
                continue;
            }
            let mut name = numbered("v", number.into());
            if !single {
                name.push('.');
                name.push_str(&one.mask.letters());
            }
            let semantic = (one.usage.usage(), one.usage.index());
            let lanes = self.varying(number, name, INPUT_FILE, semantic, one.modifiers);
            let mask = if single { WriteMask::ALL } else { one.mask };
            for lane in mask.lanes() {
                out[lane] = lanes[lane];
            }
        }
        out
    }

    /// The input at an index plus a number; zero if there is none.
    fn input_at(&mut self, index: Arg, number: u16) -> Result<Read> {
        let mut numbers: Vec<u16> = self
            .scan
            .declared
            .iter()
            .filter(|declared| declared.ty == RegType::Input && u32::from(declared.number) < INPUTS)
            .map(|declared| declared.number)
            .collect();
        if numbers.is_empty() {
            numbers.extend(0..INPUTS as u16);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut value = self.b.splat(0.0, 4);
        for input in numbers {
            let lanes = self.input(RegType::Input, input);
            let lanes = self.gather(Scalar::F32, lanes.into_iter());
            let at = self.b.int(i32::from(input) - i32::from(number));
            let here = self.b.pure(Pure::Eq, &[index, at]);
            value = self.b.pure(Pure::Select, &[here, lanes, value]);
        }
        let cell = (!self.b.shader.inputs.is_empty()).then(|| Cell::InputAt(InputId(0), number.into()));
        Ok(Read { cell, lanes: all_lanes(value.value) })
    }

    // Constants.

    fn array(&mut self, of: Constants) -> ParamId {
        if let Some(id) = self.params[of as usize] {
            return id;
        }
        let (name, size) = match of {
            Constants::Float => ("c", float_constants(self.version, self.options)),
            Constants::Int => ("i", other_constants(self.version)),
            Constants::Bool => ("b", other_constants(self.version)),
        };
        let id = ParamId(self.b.shader.params.len() as u32);
        self.b.shader.params.push(ParamArray { scalar: of.scalar(), ..ParamArray::new(name, size) });
        self.params[of as usize] = Some(id);
        id
    }

    /// A constant that the application sets.
    fn param(&mut self, of: Constants, number: u16, file: u8) -> (Cell, Value) {
        let array = self.array(of);
        let index = u32::from(number);
        let value = self.b.param(array, index).value;
        self.b.set_home(value, Home { file, index: number });
        (Cell::Param(array, index), value)
    }

    /// A value of a definition.
    fn defined(&mut self, bits: [u32; 4], scalar: Scalar, file: u8, number: u16) -> Value {
        let value = self.b.push_entry(Op::Const(bits), Type::new(scalar, 4));
        self.b.set_home(value, Home { file, index: number });
        value
    }

    /// A floating-point constant.
    pub(super) fn constant(&mut self, number: u32) -> Read {
        let home = |number| Cell::Register(Home { file: CONSTANT_FILE, index: number });
        let definition = u16::try_from(number).ok().and_then(|n| definition_of(&self.scan.floats, n));
        let mut number = number;
        let size = float_constants(self.version, self.options);
        if number >= size && definition.is_none() {
            if self.options.switches.constant_range == ConstantRange::Zero {
                return Read { cell: None, lanes: EMPTY };
            }
            number = size - 1;
        }
        // All numbers are below 8192 now, or were in a token and 2048 beyond the last file at most.
        let number = number as u16;
        let cell = match definition {
            Some(_) => home(number),
            None => Cell::Param(self.array(Constants::Float), number.into()),
        };
        let known = self.constants[Constants::Float as usize].iter().find(|(n, _)| *n == number);
        if let Some((_, value)) = known {
            return Read { cell: Some(cell), lanes: all_lanes(*value) };
        }
        let old_pixel = self.version.stage() == Stage::Pixel && self.version.major() < 2;
        let clamped = old_pixel && self.options.switches.constants_1x == Constants1x::Clamped;
        let bounds = [(Pure::Max, -1.0_f32), (Pure::Min, 1.0)];
        let value = match definition {
            Some(mut bits) => {
                if clamped {
                    let arith = self.b.arith;
                    let bound = |bits: u32, (pure, limit): (Pure, f32)| {
                        pure.eval(Scalar::F32, arith, [bits, limit.to_bits(), 0, 0])
                    };
                    bits = bits.map(|bits| bounds.into_iter().fold(bits, bound));
                }
                self.defined(bits, Scalar::F32, CONSTANT_FILE, number)
            }
            None => {
                let mut value = self.param(Constants::Float, number, CONSTANT_FILE).1;
                if clamped {
                    for (pure, limit) in bounds {
                        let limit = self.b.splat(limit, 4);
                        let clamp = |b: &mut Builder| {
                            b.entry_op(Op::Pure(pure), &[Arg::all_lanes(value, 4), limit]).value
                        };
                        value = self.b.in_tail(Tail::ClampConstants, clamp);
                    }
                    self.b.set_home(value, Home { file: CONSTANT_FILE, index: number });
                }
                value
            }
        };
        self.constants[Constants::Float as usize].push((number, value));
        Read { cell: Some(cell), lanes: all_lanes(value) }
    }

    /// The constant at an index plus a number.
    fn constant_at(&mut self, index: Arg, number: u32) -> Read {
        let array = self.array(Constants::Float);
        let rule = match self.options.switches.constant_range {
            ConstantRange::Zero => OutOfRange::Zero,
            ConstantRange::Clamp => OutOfRange::Clamp,
        };
        let offset = number as i32;
        let mut value = self.b.param_at(array, index, offset, rule);
        if self.options.switches.relative_definitions == RelativeDefinitions::Seen {
            let param = &mut self.b.shader.params[array.index()];
            let inside = self.scan.floats.iter().take_while(|(n, _)| u32::from(*n) < param.size);
            if param.fixed.is_empty() {
                param.fixed.extend(inside.clone().map(|(n, bits)| (u32::from(*n), *bits)));
            }
            // Those behind the end of the array are put in here.
            for n in inside.count()..self.scan.floats.len() {
                let Some((of, _)) = self.scan.floats.get(n).copied() else { break };
                let lanes = self.constant(of.into()).lanes;
                let defined = self.gather(Scalar::F32, lanes.into_iter());
                let at = self.b.int(i32::from(of) - offset);
                let here = self.b.pure(Pure::Eq, &[index, at]);
                value = self.b.pure(Pure::Select, &[here, defined, value]);
                if self.kit.flow.calls.spend(self.b.operations()).is_err() {
                    break;
                }
            }
        }
        Read { cell: Some(Cell::ParamAt(array, offset)), lanes: all_lanes(value.value) }
    }

    /// The number of an integer or boolean constant that is read; `None` reads zero.
    fn in_range(&self, number: u16) -> Option<u16> {
        let last = other_constants(self.version).saturating_sub(1) as u16;
        match self.options.switches.constant_range {
            ConstantRange::Zero => (number <= last).then_some(number),
            ConstantRange::Clamp => Some(number.min(last)),
        }
    }

    /// An integer or boolean constant, which the program defines or not.
    fn other_constant(&mut self, of: Constants, number: u16, defined: Option<[u32; 4]>) -> (Cell, Value) {
        let file = if of == Constants::Int { INTEGER_FILE } else { FLAG_FILE };
        let cell = match defined {
            Some(_) => Cell::Register(Home { file, index: number }),
            None => Cell::Param(self.array(of), number.into()),
        };
        let known = self.constants[of as usize].iter().find(|(n, _)| *n == number);
        if let Some((_, value)) = known {
            return (cell, *value);
        }
        let value = match defined {
            Some(bits) => self.defined(bits, of.scalar(), file, number),
            None => self.param(of, number, file).1,
        };
        self.constants[of as usize].push((number, value));
        (cell, value)
    }

    /// An integer constant.
    pub(super) fn integers(&mut self, source: Source) -> Result<Lanes> {
        if source.reg_type() != Some(RegType::ConstInt) {
            return Err(self.unreadable(source));
        }
        let Some(number) = self.in_range(source.number()) else {
            let zero = self.zero(Scalar::I32);
            return Ok([Some((zero, 0)); 4]);
        };
        let defined = definition_of(&self.scan.integers, number);
        let (cell, value) = self.other_constant(Constants::Int, number, defined);
        let lanes = all_lanes(value);
        self.kit.steps.note_read(cell, WriteMask::XYZ, &lanes);
        Ok(lanes)
    }

    /// The truth of a boolean constant or of a component of the predicate.
    pub(super) fn condition(&mut self, source: Source) -> Result<Arg> {
        if source.reg_type() == Some(RegType::Predicate) {
            return self.truth_lanes(source, WriteMask::X);
        }
        if source.reg_type() != Some(RegType::ConstBool) {
            return Err(self.unreadable(source));
        }
        let truth = match self.in_range(source.number()) {
            Some(number) => {
                let defined = definition_of(&self.scan.flags, number).map(|flag| [flag.into(); 4]);
                let (cell, value) = self.other_constant(Constants::Bool, number, defined);
                self.kit.steps.note_read(cell, WriteMask::X, &all_lanes(value));
                Arg::lane(value, 0)
            }
            None => Arg::lane(self.zero(Scalar::Bool), 0),
        };
        Ok(if source.modifier() == 13 { self.b.pure(Pure::Not, &[truth]) } else { truth })
    }

    // Results.

    /// What the destination of an instruction names.
    pub(super) fn target(&mut self, i: &Instruction) -> Result<Target> {
        let to = i.to;
        let number = to.number();
        let refusal = |this: &Self| {
            let name = this.register_name(to.reg_type(), number);
            Refusal::new(REGISTER, format!("{name} cannot be written here"))
        };
        let Some(ty) = to.reg_type() else { return Err(refusal(self)) };
        if ty == RegType::Loop {
            return Err(refusal(self));
        }
        if let Some(slot) = slot(self.version, ty, number) {
            return Ok(Target::State(slot));
        }
        let (vertex, major) = (self.version.stage() == Stage::Vertex, self.version.major());
        match ty {
            RegType::Output if vertex && major >= 3 => {
                if let Some(index) = i.to_index {
                    let index = self.index(index)?;
                    return Ok(Target::OutputAt(index, number));
                }
                self.outputs_of(ty, number);
                let known = self.outputs.iter().any(|cell| cell.ty == ty && cell.number == number);
                if known { Ok(Target::Output(ty, number)) } else { Err(refusal(self)) }
            }
            RegType::RastOut if vertex && major < 3 && number < 3 => {
                self.outputs_of(ty, number);
                match self.outputs.iter().find(|cell| cell.ty == ty && cell.number == number) {
                    Some(cell) if number > 0 => Ok(Target::Single(cell.id)),
                    _ => Ok(Target::Output(ty, number)),
                }
            }
            RegType::AttrOut if vertex && major < 3 && number < 16 => {
                self.outputs_of(ty, number);
                Ok(Target::Output(ty, number))
            }
            RegType::Output if vertex && number < 16 => {
                self.outputs_of(ty, number);
                Ok(Target::Output(ty, number))
            }
            RegType::ColorOut if !vertex && number < 16 => {
                self.outputs_of(ty, number);
                Ok(Target::Output(ty, number))
            }
            RegType::DepthOut if !vertex => Ok(Target::Single(texture::depth_cell(&mut self.b))),
            _ => Err(refusal(self)),
        }
    }

    /// Makes the cells of an output register.
    pub(super) fn outputs_of(&mut self, ty: RegType, number: u16) {
        if self.outputs.iter().any(|cell| cell.ty == ty && cell.number == number) {
            return;
        }
        let index = number as u8;
        let name = self.register_name(Some(ty), number);
        if ty == RegType::ColorOut {
            return self.make_output(
                ty,
                number,
                WriteMask::ALL,
                name,
                OutputKind::Color { target: number.into() },
                String::new(),
            );
        }
        let fixed = match (ty, number) {
            (RegType::RastOut, 0) => Some((DeclUsage::Position.code(), 0)),
            (RegType::RastOut, 1) => Some((DeclUsage::Fog.code(), 0)),
            (RegType::RastOut, _) => Some((DeclUsage::PointSize.code(), 0)),
            (RegType::AttrOut, _) => Some((DeclUsage::Color.code(), index)),
            _ if self.version.major() < 3 => Some((DeclUsage::TexCoord.code(), index)),
            _ => None,
        };
        if let Some((usage, index)) = fixed {
            return self.make_cell(ty, number, WriteMask::ALL, name, (usage, index));
        }
        let several = self.declarations(ty, number).count() > 1;
        for n in 0..self.scan.declared.len() {
            let Some(one) = self.scan.declared.get(n).copied() else { break };
            if one.ty != ty || one.number != number {
                continue;
            }
            let mut name = name.clone();
            if several {
                name.push('.');
                name.push_str(&one.mask.letters());
            }
            let mask = if several { one.mask } else { WriteMask::ALL };
            self.make_cell(ty, number, mask, name, (one.usage.usage(), one.usage.index()));
        }
    }

    /// Makes the cell of lanes of an output register that have a usage.
    fn make_cell(
        &mut self,
        ty: RegType,
        number: u16,
        mask: WriteMask,
        mut name: String,
        (usage, index): (u8, u8),
    ) {
        let semantic = link::semantic(usage, index);
        // Usages that overlap are against the rules; each is written.
        if self.b.shader.outputs.iter().any(|output| output.name == name) {
            name = format!("{name}.{semantic}");
        }
        let kind = if (usage, index) == (DeclUsage::Position.code(), 0) {
            OutputKind::Position
        } else {
            OutputKind::Varying { location: link::location(usage, index) }
        };
        self.make_output(ty, number, mask, name, kind, semantic);
    }

    fn make_output(
        &mut self,
        ty: RegType,
        number: u16,
        mask: WriteMask,
        name: String,
        kind: OutputKind,
        semantic: String,
    ) {
        let id = self
            .b
            .find_output(kind)
            .unwrap_or_else(|| self.b.add_output(Output { semantic, ..Output::new(name, kind) }));
        self.outputs.push(OutputCell { ty, number, mask, id });
    }

    /// The cell number `n` of those of all registers, if it is one of this register.
    fn cell_of(&self, n: usize, ty: RegType, number: u16) -> Option<OutputCell> {
        self.outputs.get(n).copied().filter(|cell| cell.ty == ty && cell.number == number)
    }

    /// The numbers of the output registers that are declared.
    fn declared_outputs(&self) -> Vec<u16> {
        let outputs = self.scan.declared.iter().filter(|declared| declared.ty == RegType::Output);
        let mut numbers: Vec<u16> = outputs.map(|declared| declared.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// What the lanes of a destination hold now.
    pub(super) fn present(&mut self, target: &Target, mask: WriteMask) -> Arg {
        match *target {
            Target::State(slot) => {
                let lanes = self.renamed(slot).lanes;
                self.gather(scalar_of(slot), pick_masked(&lanes, mask))
            }
            Target::Output(ty, number) => self.present_output(ty, number, mask),
            Target::Single(output) => {
                let value = self.b.push(Op::LoadOutput(output), &[], Type::F32X4);
                self.gather(Scalar::F32, mask.lanes().map(|_| Some((value, 0))))
            }
            Target::OutputAt(index, offset) => {
                let mut value = self.b.splat(0.0, mask.count() as u8);
                for number in self.declared_outputs() {
                    self.outputs_of(RegType::Output, number);
                    let old = self.present_output(RegType::Output, number, mask);
                    let here = self.is_at(index, number, offset);
                    value = self.b.pure(Pure::Select, &[here, old, value]);
                }
                value
            }
        }
    }

    fn is_at(&mut self, index: Arg, number: u16, offset: u16) -> Arg {
        let at = self.b.int(i32::from(number) - i32::from(offset));
        self.b.pure(Pure::Eq, &[index, at])
    }

    fn present_output(&mut self, ty: RegType, number: u16, mask: WriteMask) -> Arg {
        let mut lanes = EMPTY;
        for n in 0..self.outputs.len() {
            let Some(cell) = self.cell_of(n, ty, number) else { continue };
            let value = self.b.push(Op::LoadOutput(cell.id), &[], Type::F32X4);
            for lane in cell.mask.lanes() {
                lanes[lane] = Some((value, lane as u8));
            }
        }
        self.gather(Scalar::F32, pick_masked(&lanes, mask))
    }

    /// Notes that the present instruction writes a value.
    pub(super) fn note_target(&mut self, target: &Target, mask: WriteMask, value: Arg) {
        if self.kit.steps.is_lean() {
            return;
        }
        let lanes = spread(value, mask);
        match *target {
            Target::State(slot) => self.kit.steps.note_write(Cell::Register(home_of(slot)), mask, &lanes),
            Target::Output(ty, number) => {
                for n in 0..self.outputs.len() {
                    let Some(cell) = self.cell_of(n, ty, number) else { continue };
                    let mask = WriteMask::from_bits(cell.mask.bits() & mask.bits());
                    if mask != WriteMask::NONE {
                        self.kit.steps.note_write(Cell::Output(cell.id), mask, &lanes);
                    }
                }
            }
            Target::Single(output) => {
                let first = lanes.into_iter().flatten().next();
                self.kit.steps.note_write(Cell::Output(output), WriteMask::X, &[first, None, None, None]);
            }
            Target::OutputAt(_, offset) => {
                for number in self.declared_outputs() {
                    self.outputs_of(RegType::Output, number);
                }
                if !self.b.shader.outputs.is_empty() {
                    self.kit.steps.note_write(Cell::OutputAt(OutputId(0), offset.into()), mask, &lanes);
                }
            }
        }
    }

    /// Writes a value that has a lane for each lane of `mask`.
    pub(super) fn store(&mut self, target: Target, mask: WriteMask, value: Arg) {
        match target {
            Target::State(slot) => {
                self.kit.registers.write(slot, mask, &spread(value, mask));
                if self.b.shader.value(value.value).home.is_none() && !self.kit.is_zero(value.value) {
                    self.b.set_home(value.value, home_of(slot));
                }
            }
            Target::Output(ty, number) => self.store_output(ty, number, mask, value),
            Target::Single(output) => {
                let one = Arg { lanes: 1, ..value };
                self.b.effect(Op::StoreOutput { output, mask: WriteMask::X }, &[one]);
            }
            Target::OutputAt(index, offset) => {
                for number in self.declared_outputs() {
                    self.outputs_of(RegType::Output, number);
                    let cond = self.is_at(index, number, offset);
                    self.b.open();
                    self.store_output(RegType::Output, number, mask, value);
                    self.b.close_where(cond);
                }
            }
        }
    }

    fn store_output(&mut self, ty: RegType, number: u16, mask: WriteMask, value: Arg) {
        let lanes = spread(value, mask);
        for n in 0..self.outputs.len() {
            let Some(cell) = self.cell_of(n, ty, number) else { continue };
            let mask = WriteMask::from_bits(cell.mask.bits() & mask.bits());
            if mask == WriteMask::NONE {
                continue;
            }
            let value = self.gather(Scalar::F32, pick_masked(&lanes, mask));
            self.b.effect(Op::StoreOutput { output: cell.id, mask }, &[value]);
        }
    }

    /// The lanes of a temporary.
    pub(super) fn temporary(&mut self, number: u16) -> Lanes {
        self.kit.registers.get(FIRST_TEMPORARY + usize::from(number))
    }

    /// What follows the last instruction.
    pub(super) fn results(&mut self) {
        if self.version.stage() == Stage::Vertex {
            tail::vertex(&mut self.b, self.version, self.options);
            return;
        }
        if self.version.major() < 2 {
            // The result is in r0.
            let lanes = self.temporary(0);
            let color = self.gather(Scalar::F32, lanes.into_iter());
            self.outputs_of(RegType::ColorOut, 0);
            self.store_output(RegType::ColorOut, 0, WriteMask::ALL, color);
        }
        tail::fragment(&mut self.b, self.version, self.options.pipeline);
    }
}
