//! From tokens to the IR: registers are renamed lane by lane, and the numerics of the player are chosen.
//!
//! Lifting needs no validation first. What has no meaning at all (an unknown opcode, a register outside its file,
//! a conditional without end) is refused with the id that the Flash Player has for it; everything else is given
//! the meaning that the reference implementations give it.

pub(super) mod custom;

use super::program::{Dest, Program, RegType, Sampler, Source, Stage, Token};
use super::rules::RuleId;
use super::table::Opcode;
pub use crate::Depth;
pub use crate::lift::Refusal;
use crate::lift::{
    ControlFlow, FlowError, Kit, MAX_BLOCKS, Store, all_lanes, broadcast, pick, pick_read, pick_swizzled,
    repeat_first, spread,
};
use crate::table::{Lift, Stages};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Rule, rules};
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{
    self, Arg, Dim, FileRole, Filter, Home, Input, InputKind, Lod, Mip, Op, OutOfRange, Output, OutputId,
    OutputKind, ParamArray, ParamId, Pure, RegisterFile, SamplerState, Scalar, Shader, System, Texture,
    TextureId, Type, Value, Wrap,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Whose arithmetic a program follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Numerics {
    /// The Flash Player on its Direct3D backends: `sqt`, `rsq`, `log` and the base of `pow` take |source|.
    #[default]
    Flash,
    /// The plain functions: a negative square root is NaN.
    Ieee,
}

/// What `ifg` compares: Adobe's document says "greater or equal", every implementation but one says "greater".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Ifg {
    /// source 1 > source 2.
    #[default]
    Greater,
    /// source 1 >= source 2.
    GreaterEqual,
}

/// How the offset byte of an indirect operand is read. Adobe's C++ declares it signed; the assembler writes 0–255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OffsetByte {
    /// -128..=127.
    #[default]
    Signed,
    /// 0..=255.
    Unsigned,
}

/// The choices lifting leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Whose arithmetic.
    pub numerics: Numerics,
    /// What `ifg` means.
    pub ifg: Ifg,
    /// How indirect offsets are read.
    pub offset: OffsetByte,
    /// How much is kept.
    pub depth: Depth,
}

/// More operations than this are refused.
const MAX_VALUES: usize = 65_536;

rules! {
    /// The rules of this room; everything else it refuses has an id of the Flash Player.
    pub const RULES;
    const;

    LIMIT "AGAL-lift-limit"
        "the program has more than 65536 operations"
        "This limit bounds memory. Players stop at 2048 tokens.";
}

/// A lifting function of the table.
pub type LiftFn = fn(&mut Lifter<'_>, &Token) -> Result<(), Refusal>;

/// The state of one lifting.
pub struct Lifter<'a> {
    program: &'a Program,
    options: Options,
    stage: Stage,
    version: u32,
    b: Builder,
    kit: Store,
    inputs: Vec<((RegType, u16), Value)>,
    constants: Vec<Option<Value>>,
    outputs: Vec<(RegType, u16)>,
    samplers: Vec<(u16, u64)>,
}

impl core::fmt::Debug for Lifter<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lifter").field("stage", &self.stage).finish_non_exhaustive()
    }
}

const VERTEX_FILES: &[&str] = &["vt", "vc", "va", "v", "iid"];
const FRAGMENT_FILES: &[&str] = &["ft", "fc", "va", "v", "iid"];
/// Positions in both lists of files.
const TEMPORARY: u8 = 0;
const CONSTANT: u8 = 1;
const ATTRIBUTE: u8 = 2;
const VARYING: u8 = 3;
const INSTANCE_ID: u8 = 4;

/// Lifts a program.
///
/// # Errors
///
/// One diagnostic with the id of the Flash Player's own rule, at the first token that has no meaning: `AGAL3621`
/// (opcode), `AGAL3622`, `AGAL3803` (stage), `AGAL3655`–`AGAL3661` (registers), `AGAL3623`, `AGAL3624`, `AGAL3739`
/// (conditionals), `AGAL3664`–`AGAL3667`, `AGAL3696` (samplers); or `AGAL-lift-limit` above 65,536 operations.
pub fn lift(program: &Program, options: &Options) -> Result<Shader, Diagnostic> {
    let stage = program.stage();
    let (ir_stage, files) = match stage {
        Stage::Vertex => (ir::Stage::Vertex, VERTEX_FILES),
        Stage::Fragment => (ir::Stage::Fragment, FRAGMENT_FILES),
    };
    let temporaries = RegType::Temporary.count(stage, program.version()) as usize;
    let capacity = program.tokens.len().min(MAX_VALUES / 2) * 2;
    let mut lifter = Lifter {
        program,
        options: *options,
        stage,
        version: program.version(),
        b: Builder::new(ir_stage, "agal", files, capacity),
        kit: Store::new(options.depth, temporaries),
        inputs: Vec::new(),
        constants: Vec::new(),
        outputs: Vec::new(),
        samplers: Vec::new(),
    };
    lifter.b.shader.registers = registers(stage, program.version());
    for (index, token) in program.tokens.iter().enumerate() {
        lifter.b.step = index as u32;
        let done = lifter.token(token).and_then(|()| {
            lifter.mark();
            if lifter.b.shader.values.len() > MAX_VALUES {
                return Err(Refusal::new(LIMIT, LIMIT.message));
            }
            Ok(())
        });
        if let Err(refusal) = done {
            return Err(lifter.finding(refusal, index));
        }
    }
    if lifter.kit.flow.depth() > 0 {
        let refusal = Lifter::refuse_flow(FlowError::Open);
        return Err(lifter.finding(refusal, program.tokens.len().saturating_sub(1)));
    }
    Ok(lifter.b.finish())
}

/// The register files that are filled from outside.
fn registers(stage: Stage, version: u32) -> Vec<RegisterFile> {
    let role = |ty| match (ty, stage) {
        (RegType::Constant, _) => Some(FileRole::Param),
        (RegType::Sampler, _) => Some(FileRole::Texture),
        (RegType::Attribute | RegType::InstanceId, Stage::Vertex) => Some(FileRole::Input),
        (RegType::Varying, Stage::Fragment) => Some(FileRole::Input),
        _ => None,
    };
    let file = |ty: RegType| {
        let (role, count) = (role(ty)?, ty.count(stage, version));
        let numbered = (ty != RegType::InstanceId).then_some(count);
        (count > 0).then(|| RegisterFile { name: ty.name(stage).into(), role, count: numbered })
    };
    RegType::ALL.into_iter().filter_map(file).collect()
}

impl Kit for Lifter<'_> {
    fn split(&mut self) -> (&mut Builder, &mut Store) {
        (&mut self.b, &mut self.kit)
    }
}

impl ControlFlow for Lifter<'_> {
    const LIMIT: &'static Rule = LIMIT;
    const THEN_FIRST: bool = true;

    fn refuse_flow(error: FlowError) -> Refusal {
        let (rule, what) = match error {
            FlowError::Else => (RuleId::E3623, "els without a conditional"),
            FlowError::SecondElse => (RuleId::E3752, "a second els in the same conditional"),
            FlowError::EndIf => (RuleId::E3623, "eif without a conditional"),
            // There are no blocks but conditionals.
            FlowError::Open | FlowError::OpenInRoutine | FlowError::EndLoop | FlowError::Exit(_) => {
                (RuleId::E3739, "a conditional is still open at the end of the program")
            }
        };
        refuse(rule, what)
    }

    fn home_of(&self, slot: usize) -> Home {
        Home { file: TEMPORARY, index: slot as u16 }
    }

    fn scalar_of(&self, _: usize, _: usize) -> Scalar {
        Scalar::F32
    }
}

impl Lifter<'_> {
    #[cold]
    fn finding(&self, refusal: Refusal, index: usize) -> Diagnostic {
        let place = Place::Binary {
            offset: u32::try_from(self.program.token_offset(index)).unwrap_or(u32::MAX),
            token: Some(index as u32 + 1),
        };
        refusal.finding().at(place)
    }

    fn token(&mut self, token: &Token) -> Result<(), Refusal> {
        let Some(op) = Opcode::from_code(token.opcode, self.version) else {
            let rule = if token.opcode > 0x2e { RuleId::E3620 } else { RuleId::E3621 };
            return Err(refuse(rule, format!("opcode 0x{:02x} has no meaning", token.opcode)));
        };
        let row = op.row();
        match (row.stages, self.stage) {
            (Stages::F, Stage::Vertex) => {
                return Err(refuse(RuleId::E3622, format!("{} exists in fragment programs only", row.name)));
            }
            (Stages::V, Stage::Fragment) => {
                return Err(refuse(RuleId::E3803, format!("{} exists in vertex programs only", row.name)));
            }
            _ => {}
        }
        let mask = token.dest.mask();
        match row.lift {
            Lift::PerComponent(_) | Lift::Set(_) if mask == WriteMask::NONE => Ok(()),
            Lift::PerComponent(_) | Lift::Set(_) | Lift::Replicate(..) => {
                let read =
                    |l: &mut Self, n, needed| l.source(if n == 0 { token.src1 } else { token.src2 }, needed);
                let Some(value) = self.compute(&row.lift, mask, read)? else { return Ok(()) };
                self.write(token.dest, mask, value)
            }
            Lift::Custom(f) => f(self, token),
            Lift::Reserved => Err(refuse(RuleId::E3621, format!("no player ever implemented {}", row.name))),
        }
    }

    /// The lanes of a source that the lanes of `needed` read, one after another.
    fn source(&mut self, source: Source, needed: WriteMask) -> Result<Arg, Refusal> {
        self.source_row(source, 0, needed)
    }

    /// As [`source`](Self::source), of the register `row` further on.
    fn source_row(&mut self, source: Source, row: u16, needed: WriteMask) -> Result<Arg, Refusal> {
        let swizzle = source.swizzle();
        if source.is_indirect() {
            let (value, offset) = self.indirect(source, row)?;
            let cell = Cell::ParamAt(ParamId(0), offset);
            self.kit.steps.note_read_again(cell, swizzle.read_mask(needed), &all_lanes(value));
            return Ok(pick_read(value, swizzle, needed));
        }
        let ty = reg_type(source.reg_type())?;
        self.register(ty, source.number(), row, swizzle, needed)
    }

    /// The lanes of register `number + row` of a file that the lanes of `needed` read.
    fn register(
        &mut self,
        ty: RegType,
        number: u16,
        row: u16,
        swizzle: Swizzle,
        needed: WriteMask,
    ) -> Result<Arg, Refusal> {
        let number = self.check(ty, u32::from(number) + u32::from(row))?;
        let read = swizzle.read_mask(needed);
        let value = match ty {
            RegType::Temporary => {
                let held = self.kit.registers.get(number.into());
                let cell = Cell::Register(Home { file: TEMPORARY, index: number });
                self.kit.steps.note_read_again(cell, read, &held);
                return Ok(self.gather(Scalar::F32, pick_swizzled(&held, swizzle, needed)));
            }
            RegType::Constant => self.constant(number),
            RegType::Attribute if self.stage == Stage::Fragment => {
                return Err(refuse(RuleId::E3645, "attributes can be read in vertex programs only"));
            }
            RegType::InstanceId => {
                // One number, the same in every lane.
                let one = Arg::all_lanes(self.input(ty, number), 1);
                let cell = cell_of(self.b.shader.value(one.value).home);
                self.kit.steps.note_read_again(cell, WriteMask::X, &repeat_first(one));
                return Ok(broadcast(one, needed.count() as u8));
            }
            RegType::Attribute => self.input(ty, number),
            RegType::Varying if self.stage == Stage::Fragment => self.input(ty, number),
            RegType::Varying | RegType::Output | RegType::Depth => {
                let output = self.output(ty, number);
                let value = self.b.push(Op::LoadOutput(output), &[], Type::F32X4);
                self.kit.steps.note_read_again(Cell::Output(output), read, &all_lanes(value));
                return Ok(pick_read(value, swizzle, needed));
            }
            RegType::Sampler => return Err(refuse(RuleId::E3638, "a sampler cannot be read as a value")),
        };
        let cell = match ty {
            RegType::Constant => Cell::Param(ParamId(0), u32::from(number)),
            _ => cell_of(self.b.shader.value(value).home),
        };
        self.kit.steps.note_read_again(cell, read, &all_lanes(value));
        Ok(pick_read(value, swizzle, needed))
    }

    /// Checks a register number against its file.
    fn check(&self, ty: RegType, number: u32) -> Result<u16, Refusal> {
        let count = ty.count(self.stage, self.version);
        if number < count {
            return Ok(number as u16);
        }
        let rule = match ty {
            RegType::Sampler => RuleId::E3656,
            RegType::Varying => RuleId::E3657,
            RegType::Attribute => RuleId::E3658,
            RegType::Constant => RuleId::E3659,
            RegType::Output => RuleId::E3660,
            RegType::Temporary => RuleId::E3661,
            RegType::Depth => RuleId::E3749,
            RegType::InstanceId => RuleId::E3786,
        };
        let name = ty.name(self.stage);
        Err(refuse(rule, format!("register {name}{number} does not exist: this program has {count} of them")))
    }

    fn constant(&mut self, number: u16) -> Value {
        let array = self.constant_array();
        let index = usize::from(number);
        if self.constants.len() <= index {
            self.constants.resize(index + 1, None);
        }
        if let Some(value) = self.constants[index] {
            return value;
        }
        let value = self.b.param(array, number.into()).value;
        self.b.set_home(value, Home { file: CONSTANT, index: number });
        self.constants[index] = Some(value);
        value
    }

    fn constant_array(&mut self) -> ParamId {
        if self.b.shader.params.is_empty() {
            self.b.shader.params.push(ParamArray::new(
                RegType::Constant.name(self.stage),
                RegType::Constant.count(self.stage, self.version),
            ));
        }
        ParamId(0)
    }

    fn input(&mut self, ty: RegType, number: u16) -> Value {
        if let Some((_, value)) = self.inputs.iter().find(|(key, _)| *key == (ty, number)) {
            return *value;
        }
        let location = u32::from(number);
        let (name, kind, value_type) = match ty {
            RegType::InstanceId => {
                ("iid".to_string(), InputKind::System(System::InstanceIndex), Type::new(Scalar::U32, 1))
            }
            RegType::Varying => (format!("v{number}"), InputKind::Varying { location }, Type::F32X4),
            _ => (format!("va{number}"), InputKind::Attribute { location }, Type::F32X4),
        };
        let id = self.b.add_input(Input::new(name, kind, value_type));
        let mut value = self.b.input(id).value;
        let home = match ty {
            RegType::Varying => Home { file: VARYING, index: number },
            RegType::InstanceId => Home { file: INSTANCE_ID, index: Home::ONLY },
            _ => Home { file: ATTRIBUTE, index: number },
        };
        self.b.set_home(value, home);
        if ty == RegType::InstanceId {
            value = self.b.entry_op(Op::Pure(Pure::ToF32), &[Arg::all_lanes(value, 1)]).value;
            self.b.set_home(value, home);
        }
        self.inputs.push(((ty, number), value));
        value
    }

    fn output(&mut self, ty: RegType, number: u16) -> OutputId {
        if let Some(at) = self.outputs.iter().position(|key| *key == (ty, number)) {
            return OutputId(at as u32);
        }
        let target = u32::from(number);
        let (name, kind) = match (ty, self.stage) {
            (RegType::Varying, _) => (format!("v{number}"), OutputKind::Varying { location: target }),
            (RegType::Depth, _) => ("od".to_string(), OutputKind::Depth),
            (_, Stage::Vertex) => ("op".to_string(), OutputKind::Position),
            (_, Stage::Fragment) => {
                let name = if number == 0 { "oc".to_string() } else { format!("fo{number}") };
                (name, OutputKind::Color { target })
            }
        };
        self.outputs.push((ty, number));
        self.b.add_output(Output::new(name, kind))
    }

    /// The constant that an indirect source names, `row` registers further on, and its offset from the index.
    fn indirect(&mut self, source: Source, row: u16) -> Result<(Value, i32), Refusal> {
        if source.reg_type() != Some(RegType::Constant) {
            return Err(refuse(RuleId::E3640, "only constants can be read indirectly"));
        }
        let ty = reg_type(source.index_type())?;
        let component = Swizzle::splat(source.index_component());
        let index = self.register(ty, source.number(), 0, component, WriteMask::X)?;
        let index = self.b.pure(Pure::ToI32, &[index]);
        let offset = match self.options.offset {
            OffsetByte::Signed => i32::from(source.offset() as i8),
            OffsetByte::Unsigned => i32::from(source.offset()),
        };
        let array = self.constant_array();
        let offset = offset + i32::from(row);
        Ok((self.b.param_at(array, index, offset, OutOfRange::Clamp).value, offset))
    }

    /// Writes `value`, which has a lane for each lane of `mask`.
    fn write(&mut self, dest: Dest, mask: WriteMask, value: Arg) -> Result<(), Refusal> {
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let ty = reg_type(dest.reg_type())?;
        match ty {
            RegType::Temporary => {
                let number = self.check(ty, u32::from(dest.number()))?;
                let home = Home { file: TEMPORARY, index: number };
                self.kit.registers.write(number.into(), mask, &spread(value, mask));
                self.kit.steps.note_write_of(Cell::Register(home), mask, value);
                if self.b.shader.value(value.value).home.is_none() {
                    self.b.set_home(value.value, home);
                }
                Ok(())
            }
            RegType::Varying if self.stage == Stage::Fragment => {
                Err(refuse(RuleId::E3650, "varyings can be written in vertex programs only"))
            }
            RegType::Output | RegType::Varying | RegType::Depth => {
                let number = self.check(ty, u32::from(dest.number()))?;
                let output = self.output(ty, number);
                self.b.effect(Op::StoreOutput { output, mask }, &[value]);
                self.kit.steps.note_write_of(Cell::Output(output), mask, value);
                Ok(())
            }
            RegType::Attribute => Err(refuse(RuleId::E3651, "attributes cannot be written")),
            RegType::Constant => Err(refuse(RuleId::E3652, "constants cannot be written")),
            RegType::Sampler => Err(refuse(RuleId::E3649, "samplers cannot be written")),
            RegType::InstanceId => Err(refuse(RuleId::E3789, "the instance id cannot be written")),
        }
    }

    fn matrix(&mut self, token: &Token, rows: u16, lanes: u8) -> Result<(), Refusal> {
        let mask = WriteMask::from_bits(token.dest.mask().bits() & ((1 << rows) - 1));
        let needed = WriteMask::first(lanes);
        let vector = self.source(token.src1, needed)?;
        let mut dots = [vector; 4];
        let mut n = 0;
        for row in mask.lanes() {
            let row = self.source_row(token.src2, row as u16, needed)?;
            dots[n] = self.b.pure(Pure::Dot, &[vector, row]);
            n += 1;
        }
        if n == 0 {
            return Ok(());
        }
        let value = match n {
            1 => dots[0],
            _ => {
                let ty = Type::new(Scalar::F32, n as u8);
                Arg::all_lanes(self.b.push(Op::Compose, &dots[..n], ty), n as u8)
            }
        };
        self.write(token.dest, mask, value)
    }

    fn unary_of_magnitude(&mut self, token: &Token, pure: Pure) -> Result<(), Refusal> {
        let mask = token.dest.mask();
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let mut a = self.source(token.src1, mask)?;
        if self.options.numerics == Numerics::Flash {
            a = self.b.pure(Pure::Abs, &[a]);
        }
        let result = self.b.pure(pure, &[a]);
        self.write(token.dest, mask, result)
    }

    fn derivative(&mut self, token: &Token, op: Op) -> Result<(), Refusal> {
        let mask = token.dest.mask();
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let a = self.source(token.src1, mask)?;
        let value = self.b.push(op, &[a], Type::new(Scalar::F32, a.lanes));
        self.write(token.dest, mask, Arg::all_lanes(value, a.lanes))
    }

    /// Opens a conditional on the first lanes of the sources. The Flash Player is believed to nest 4 of them at most.
    fn open_compared(&mut self, token: &Token, compare: Pure) -> Result<(), Refusal> {
        if self.kit.flow.depth() >= MAX_BLOCKS {
            return Err(refuse(RuleId::E3624, "conditionals are nested more than 64 deep"));
        }
        let a = self.source(token.src1, WriteMask::X)?;
        let b = self.source(token.src2, WriteMask::X)?;
        let cond = self.b.pure(compare, &[a, b]);
        self.mark();
        self.open_if(cond)
    }

    fn texture(&mut self, sampler: Sampler) -> Result<(TextureId, Dim), Refusal> {
        let number = self.check(RegType::Sampler, u32::from(sampler.number()))?;
        if let Some(at) = self.samplers.iter().position(|(n, _)| *n == number) {
            if self.samplers[at].1 != sampler.0 {
                let what = "the same sampler is used with different options";
                return Err(refuse(RuleId::E3696, what));
            }
            return Ok((TextureId(at as u32), self.b.shader.textures[at].dim));
        }
        let unknown = || refuse(RuleId::E3664, "the sampler has an unknown dimension");
        let dim = sampler.shape().ok_or_else(unknown)?;
        let (wrap_u, wrap_v) = match sampler.wrap() {
            0 => (Wrap::Clamp, Wrap::Clamp),
            1 => (Wrap::Repeat, Wrap::Repeat),
            2 => (Wrap::Clamp, Wrap::Repeat),
            3 => (Wrap::Repeat, Wrap::Clamp),
            _ => return Err(refuse(RuleId::E3667, "the sampler has an unknown wrap mode")),
        };
        let mip = match sampler.mip() {
            0 => Mip::None,
            1 => Mip::Nearest,
            2 => Mip::Linear,
            _ => return Err(refuse(RuleId::E3666, "the sampler has an unknown mip mode")),
        };
        let (filter, anisotropy) = match sampler.filter() {
            0 => (Filter::Nearest, 1),
            1 => (Filter::Linear, 1),
            n @ 2..=5 => (Filter::Linear, 1 << (n - 1)),
            _ => return Err(refuse(RuleId::E3665, "the sampler has an unknown filter")),
        };
        let state = SamplerState { wrap_u, wrap_v, wrap_w: wrap_u, mip, anisotropy, ..SamplerState::PLAIN };
        let state = state.with_filter(filter);
        let fixed = sampler.special() & Sampler::IGNORE_SAMPLER == 0;
        self.samplers.push((number, sampler.0));
        let name = format!("{}{number}", RegType::Sampler.name(self.stage));
        let texture = Texture::new(name, u32::from(number), dim);
        self.b.shader.textures.push(Texture { sampler: fixed.then_some(state), ..texture });
        Ok((TextureId(self.samplers.len() as u32 - 1), dim))
    }

    fn sample(&mut self, token: &Token, level: Option<Level>) -> Result<(), Refusal> {
        let sampler = token.src2.sampler();
        let (texture, dim) = self.texture(sampler)?;
        let needed = WriteMask::first(dim.coord_lanes());
        let coord = self.source(token.src1, needed)?;
        let value = match level {
            None => {
                let lod = Lod::Implicit { bias_eighths: sampler.bias_eighths() };
                self.b.push(Op::sample(texture, lod), &[coord], Type::F32X4)
            }
            Some(level) => {
                let level = match level {
                    Level::Bias => self.b.splat(f32::from(sampler.bias_eighths()) / 8.0, 1),
                    Level::LaneW => self.source(token.src1, WriteMask::from_bits(8))?,
                };
                self.b.push(Op::sample(texture, Lod::Level), &[coord, level], Type::F32X4)
            }
        };
        let mask = token.dest.mask();
        let mut lanes = [0u8; 4];
        let mut n = 0;
        for lane in mask.lanes() {
            lanes[n] = if sampler.special() & Sampler::SINGLE != 0 { 0 } else { lane as u8 };
            n += 1;
        }
        if n == 0 {
            return Ok(());
        }
        self.write(token.dest, mask, pick(Arg::all_lanes(value, 4), &lanes[..n]))
    }
}

/// A refusal by a rule of the Flash Player.
#[cold]
fn refuse(rule: RuleId, message: impl Into<String>) -> Refusal {
    Refusal::new(rule.rule(), message)
}

enum Level {
    Bias,
    LaneW,
}

fn reg_type(ty: Option<RegType>) -> Result<RegType, Refusal> {
    ty.ok_or_else(|| refuse(RuleId::E3655, "the register type is unknown"))
}

/// The register of an input, which always has one.
fn cell_of(home: Option<Home>) -> Cell {
    Cell::Register(home.unwrap_or(Home { file: TEMPORARY, index: 0 }))
}
