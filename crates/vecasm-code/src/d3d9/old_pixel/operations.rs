//! Arithmetic of a program as operations: what registers hold are values, one for each lane that an operation writes.

use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::d3d9::program::{Destination, InstructionToken, Source, Version};
use vecasm_isa::d3d9::reads;
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::table::{Opcode, Unit};
use vecasm_isa::table::Shape;

/// Registers of a file that hold values: r0 to r5, t0 to t5.
const FILE: usize = 6;

/// All of them: r#, then t#.
pub(super) const PLACES: usize = 2 * FILE;

/// A lane of red, green and blue, and that of alpha.
pub(super) const COLOUR: u8 = 7;
pub(super) const ALPHA: u8 = 8;

/// More operations than any model has in a phase: longer programs stay as they are.
pub(super) const MOST: usize = 24;

/// What a lane of a register holds: what it held at the start, or a result. The two lowest bits are the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(u16);

impl Value {
    /// Nothing that anybody reads.
    pub(super) const NONE: Self = Self(u16::MAX);

    /// What a lane of a register holds at the start.
    pub(super) fn initial(place: usize, lane: usize) -> Self {
        Self((place * 4 + lane) as u16)
    }

    /// A lane of the result of an operation.
    pub(super) fn result(op: usize, lane: usize) -> Self {
        Self(((PLACES + op) * 4 + lane) as u16)
    }

    /// The lane of the register.
    pub(super) const fn lane(self) -> usize {
        (self.0 & 3) as usize
    }

    /// The operation that it is a result of.
    pub(super) fn op(self) -> Option<usize> {
        usize::from(self.0 / 4).checked_sub(PLACES).filter(|_| self != Self::NONE)
    }

    /// The register that holds it at the start.
    pub(super) fn start(self) -> Option<usize> {
        Some(usize::from(self.0 / 4)).filter(|place| *place < PLACES)
    }

    /// A number for it, below four times the registers and operations.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What each lane of each register holds.
pub(super) type Contents = [[Value; 4]; PLACES];

/// Registers with what they hold at the start.
pub(super) fn at_start() -> Contents {
    let mut contents = [[Value::NONE; 4]; PLACES];
    for (place, lanes) in contents.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = Value::initial(place, lane);
        }
    }
    contents
}

/// The number of a register that holds values.
pub(super) fn place(ty: Option<RegType>, number: u16) -> Option<usize> {
    let number = usize::from(number);
    match ty {
        Some(RegType::Temp) if number < FILE => Some(number),
        Some(RegType::AddrOrTexture) if number < FILE => Some(FILE + number),
        _ => None,
    }
}

/// The register of that number.
pub(super) fn register(place: usize) -> (RegType, u16) {
    match place.checked_sub(FILE) {
        None => (RegType::Temp, place as u16),
        Some(number) => (RegType::AddrOrTexture, number as u16),
    }
}

/// Whether it is an r register, which holds no more than the device says.
pub(super) const fn is_temporary(place: usize) -> bool {
    place < FILE
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    /// The register as it stands; for values another one may be written.
    pub(super) ty: RegType,
    pub(super) number: u16,
    pub(super) swizzle: Swizzle,
    pub(super) modifier: u8,
    /// What its lanes hold; `None` of constants and colours.
    pub(super) values: Option<[Value; 4]>,
}

impl Operand {
    /// The token, with the register that holds the values.
    pub(super) fn token(&self, from: usize) -> u32 {
        let (ty, number) = if self.values.is_some() { register(from) } else { (self.ty, self.number) };
        Source::new(ty, number, self.swizzle).0 | u32::from(self.modifier) << 24
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Op {
    pub(super) code: Opcode,
    /// Where the result goes in the source, with its modifiers.
    pub(super) to: Destination,
    /// The same register, as a number.
    pub(super) home: usize,
    /// The lanes that the source writes.
    pub(super) mask: u8,
    /// Those that are written now; none of what is gone.
    pub(super) live: u8,
    pub(super) sources: Vec<Operand>,
    /// Instructions of the source that it does the work of.
    pub(super) steps: Vec<u32>,
}

/// The bits of a destination that say what is done to a result: modifiers and shift.
const RESULT: u32 = 0x0ff0_0000;

/// The bit of `_sat`.
const SATURATE: u8 = 1;

impl Op {
    /// Whether the result is written as it is.
    pub(super) const fn is_plain(&self) -> bool {
        self.to.0 & RESULT == 0
    }

    pub(super) const fn saturates(&self) -> bool {
        self.to.modifiers() & SATURATE != 0
    }

    /// Gives it the register, and what is done to its result, of another one.
    pub(super) fn write_as(&mut self, other: &Self) {
        (self.to, self.home) = (other.to, other.home);
    }

    /// The token of its destination.
    pub(super) fn destination(&self, to: usize, lanes: u8) -> u32 {
        let (ty, number) = register(to);
        Destination::new(ty, number, WriteMask::from_bits(lanes)).0 | self.to.0 & RESULT
    }

    /// Notes that it does the work of another one, too.
    pub(super) fn take_steps(&mut self, steps: &[u32]) {
        self.steps.extend_from_slice(steps);
        self.steps.sort_unstable();
        self.steps.dedup();
    }

    /// Whether its lanes are computed one by one, so that colour and alpha may be two instructions.
    pub(super) fn is_by_lane(&self, version: Version) -> bool {
        match self.code {
            Opcode::Dp3 | Opcode::Dp4 | Opcode::Bem => false,
            // The colour half of a pair is no choice up to 1.3, and only three cmp are allowed there.
            Opcode::Cnd | Opcode::Cmp => is_four(version),
            _ => true,
        }
    }
}

/// Whether it is ps_1_4.
pub(super) const fn is_four(version: Version) -> bool {
    version.minor() >= 4
}

/// The operations of a run of arithmetic instructions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct List {
    pub(super) version: Version,
    pub(super) ops: Vec<Op>,
    /// What lanes of registers have to hold at the end.
    pub(super) finals: [[Option<Value>; 4]; PLACES],
    /// The r registers that results may be given, a bit each.
    pub(super) free: u8,
}

/// The lanes of a register that source `n` of an instruction reads which writes `lanes`.
pub(super) fn lanes_read(code: Opcode, version: Version, n: usize, swizzle: Swizzle, lanes: u8) -> WriteMask {
    let needed = reads::lanes(code, version, 0, n, Shape::Src).mask(WriteMask::from_bits(lanes), 0);
    swizzle.read_mask(needed)
}

impl List {
    /// The lanes of its register that a source reads for these lanes of the result.
    pub(super) fn lanes(&self, op: usize, n: usize, lanes: u8) -> WriteMask {
        let Some((op, source)) = self.ops.get(op).and_then(|op| Some((op, op.sources.get(n)?))) else {
            return WriteMask::NONE;
        };
        if lanes == 0 || source.values.is_none() {
            return WriteMask::NONE;
        }
        lanes_read(op.code, self.version, n, source.swizzle, lanes)
    }

    /// The values that a source reads for these lanes of the result.
    pub(super) fn values(&self, op: usize, n: usize, lanes: u8) -> impl Iterator<Item = Value> + '_ {
        let values = self.ops.get(op).and_then(|op| op.sources.get(n)).and_then(|source| source.values);
        let values = values.unwrap_or([Value::NONE; 4]);
        self.lanes(op, n, lanes).lanes().map(move |lane| values[lane & 3])
    }

    /// All values that are read, each with who reads it in which source.
    pub(super) fn reads(&self) -> impl Iterator<Item = (Value, usize, usize)> + '_ {
        self.ops.iter().enumerate().flat_map(move |(op, of)| {
            (0..of.sources.len())
                .flat_map(move |n| self.values(op, n, of.live).map(move |value| (value, op, n)))
        })
    }

    /// What has to be somewhere at the end.
    pub(super) fn last(&self) -> impl Iterator<Item = Value> + '_ {
        self.finals.iter().flatten().flatten().copied()
    }

    /// Lets operations write what somebody reads, and no more than their masks can say.
    pub(super) fn narrow(&mut self) {
        let mut wanted = alloc::vec![0_u8; self.ops.len()];
        let want = |wanted: &mut Vec<u8>, value: Value| {
            if let Some(lanes) = value.op().and_then(|op| wanted.get_mut(op)) {
                *lanes |= 1 << value.lane();
            }
        };
        for value in self.last() {
            want(&mut wanted, value);
        }
        // Whoever reads a result stands behind it.
        for n in (0..self.ops.len()).rev() {
            let live = sayable(&self.ops[n], self.version, wanted[n]);
            self.ops[n].live = live;
            for source in 0..self.ops[n].sources.len() {
                for value in self.values(n, source, live) {
                    want(&mut wanted, value);
                }
            }
        }
    }

    /// How many lanes are written.
    pub(super) fn size(&self) -> u32 {
        self.ops.iter().map(|op| op.live.count_ones()).sum()
    }

    /// The slots of an operation.
    pub(super) fn cost(&self, op: usize) -> u32 {
        let code = self.ops.get(op).map_or(Opcode::Nop, |op| op.code);
        cost(code, self.version)
    }
}

/// The slots of an instruction.
pub(super) fn cost(code: Opcode, version: Version) -> u32 {
    vecasm_isa::d3d9::table::slots(code, version, 0, false).map_or(1, u32::from)
}

/// The least of the lanes of an operation that holds those that are wanted, and that a mask can say.
fn sayable(op: &Op, version: Version, wanted: u8) -> u8 {
    let wanted = wanted & op.mask & 15;
    if wanted == 0 {
        return 0;
    }
    if op.code == Opcode::Bem {
        return op.mask;
    }
    if is_four(version) {
        return wanted;
    }
    let parts = [COLOUR, ALPHA].into_iter().filter(|part| wanted & part != 0);
    let lanes = parts.fold(0, |lanes, part| lanes | op.mask & part);
    // There is no dp3 of alpha alone.
    if op.code == Opcode::Dp3 && lanes == ALPHA { op.mask } else { lanes }
}

/// An instruction of arithmetic as its words have it.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) code: Opcode,
    pub(super) to: Destination,
    pub(super) sources: Vec<Source>,
    pub(super) is_paired: bool,
}

/// The operands of an instruction: what it writes, and what it reads. A token that is read as it stands in place of a destination is one
/// of those.
pub(super) struct Operands {
    pub(super) to: Option<Destination>,
    pub(super) sources: Vec<(Shape, Source)>,
}

impl Operands {
    /// `None` if the words are not as they should be.
    pub(super) fn of(words: &[u32], version: Version) -> Option<Self> {
        let (token, rest) = words.split_first()?;
        let token = InstructionToken(*token);
        // Neither predicates nor lengths nor variants.
        if token.0 & !(InstructionToken::COISSUE | 0xffff) != 0 {
            return None;
        }
        let form = token.opcode()?.forms(version).find(|form| form.shape.len() == rest.len())?;
        let mut out = Self { to: None, sources: Vec::with_capacity(3) };
        for (shape, word) in form.shape.iter().zip(rest) {
            if Source(*word).is_relative() || Source(*word).reserved() != 0 {
                return None;
            }
            match shape {
                Shape::Dst => out.to = Some(Destination(*word)),
                Shape::Src | Shape::Scalar | Shape::Read => out.sources.push((*shape, Source(*word))),
                _ => return None,
            }
        }
        Some(out)
    }
}

impl Plain {
    /// An instruction of arithmetic, if it is one that pixel shaders have, with operands as they should be.
    pub(super) fn of(words: &[u32], version: Version) -> Option<Self> {
        let token = InstructionToken(*words.first()?);
        let code = token.opcode()?;
        let known = matches!(
            code,
            Opcode::Mov
                | Opcode::Add
                | Opcode::Sub
                | Opcode::Mul
                | Opcode::Mad
                | Opcode::Lrp
                | Opcode::Dp3
                | Opcode::Dp4
                | Opcode::Cmp
                | Opcode::Cnd
                | Opcode::Bem
        );
        let Operands { to, sources } = Operands::of(words, version)?;
        let to = to.filter(|_| known)?;
        let mask = to.mask().bits();
        let masked = if is_four(version) { mask != 0 } else { matches!(mask, COLOUR | ALPHA | 15) };
        let bumped = code == Opcode::Bem && mask != 3;
        let fits = |source: &Source| {
            let file = match source.reg_type() {
                Some(RegType::Const | RegType::Input) => true,
                Some(RegType::AddrOrTexture) if is_four(version) => false,
                ty => place(ty, source.number()).is_some(),
            };
            let plain = source.swizzle() == Swizzle::IDENTITY || source.swizzle().is_scalar();
            file && plain && source.modifier() < 9
        };
        let sources: Vec<Source> = sources.into_iter().map(|(_, source)| source).collect();
        let writes = match to.reg_type() {
            Some(RegType::AddrOrTexture) if is_four(version) => false,
            ty => place(ty, to.number()).is_some(),
        };
        let plain = to.modifiers() & !SATURATE == 0;
        // Of the first source of cnd one lane is read, whichever a switch of the lift says.
        let condition =
            sources.first().is_some_and(|source| source.swizzle().is_scalar() && source.modifier() == 0);
        let chooses = code == Opcode::Cnd && !is_four(version) && !condition;
        let good = masked && !bumped && writes && plain && !chooses && sources.iter().all(fits);
        good.then_some(Self { code, to, sources, is_paired: token.is_coissued() })
    }
}

/// Whether an instruction computes: it has a slot of arithmetic.
pub(super) fn is_arithmetic(words: &[u32]) -> bool {
    let op = words.first().and_then(|token| InstructionToken(*token).opcode());
    op.is_some_and(|op| op.row().unit == Unit::Arithmetic && op != Opcode::Nop)
}
