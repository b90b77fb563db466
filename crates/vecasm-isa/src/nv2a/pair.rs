//! From the one to three operations of a statement to a slot, and from a slot to the operations that say it.
//!
//! The rules are those that nv2a-vsh 0.1.12 was seen to follow: which unit a MOV goes to, which operations merge into
//! one with two destinations, and what the fields hold that nothing uses. [`Mode::Compat`] also loses what it loses;
//! [`Mode::Strict`] refuses that, and takes what the hardware can do and nv2a-vsh cannot.

use super::program::{Mux, Slot};
use super::table::{self, Field, Ilu, Mac, PAIRED_TEMPORARY, Port, mask_to_field, swizzle_to_field};
use alloc::format;
use alloc::string::String;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// An operation as a statement names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Of the vector unit.
    Mac(Mac),
    /// Of the scalar unit.
    Ilu(Ilu),
    /// A copy, by whichever unit is free.
    Mov,
}

impl Operator {
    /// Every one: a copy, and what each unit has besides.
    pub const ALL: &'static [Self] = &{
        let mut all = [Self::Mov; Mac::ALL.len() + Ilu::ALL.len() - 1];
        let (mut at, mut n) = (1, 0);
        while n < Mac::ALL.len() {
            if !matches!(Mac::ALL[n], Mac::Nop) {
                all[at] = Self::Mac(Mac::ALL[n]);
                at += 1;
            }
            n += 1;
        }
        n = 0;
        while n < Ilu::ALL.len() {
            if !matches!(Ilu::ALL[n], Ilu::Nop) {
                all[at] = Self::Ilu(Ilu::ALL[n]);
                at += 1;
            }
            n += 1;
        }
        assert!(at == all.len(), "each unit has one operation that does nothing");
        all
    };

    /// Every spelling, in small letters.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        Self::ALL.iter().map(|op| op.name())
    }

    /// The spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mac(op) => op.row().name,
            Self::Ilu(op) => op.row().name,
            Self::Mov => "mov",
        }
    }

    /// Number of source operands.
    pub const fn sources(self) -> usize {
        match self {
            Self::Mac(op) => op.ports().len(),
            Self::Ilu(_) | Self::Mov => 1,
        }
    }
}

vecasm_ir::spelled!(Operator, "operation");

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A temporary, 0–15.
    Temporary(u8),
    /// An output register, 0–255.
    Output(u8),
    /// A constant, 0–255.
    Constant(u8),
    /// The address register.
    Address,
}

impl Target {
    const fn is_temporary(self) -> bool {
        matches!(self, Self::Temporary(_))
    }
}

/// A destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dest {
    /// The register.
    pub target: Target,
    /// The lanes.
    pub mask: WriteMask,
    /// How many times 256 the number of a uniform is above that of the register: nv2a-vsh drops that, in compat mode
    /// only.
    pub page: u16,
}

impl Dest {
    /// A register and its lanes.
    pub const fn new(target: Target, mask: WriteMask) -> Self {
        Self { target, mask, page: 0 }
    }

    /// The lanes of the result that the register takes; see [`output_lanes`](table::output_lanes).
    pub fn lanes(&self) -> WriteMask {
        match self.target {
            Target::Output(address) => table::output_lanes(address.into(), self.mask),
            Target::Address => WriteMask::X,
            _ => self.mask,
        }
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The file; never [`Mux::Undefined`] in a statement.
    pub mux: Mux,
    /// The number.
    pub number: u8,
    /// Whether A0 is added to the number of a constant.
    pub relative: bool,
    /// The components.
    pub swizzle: Swizzle,
    /// Whether the value is negated.
    pub negate: bool,
    /// How many times 256 the number of a uniform is above [`number`](Self::number): nv2a-vsh drops that, in compat
    /// mode only.
    pub page: u16,
}

impl Operand {
    /// What an operand is before anything is known of it: v0.
    pub const NONE: Self = Self {
        mux: Mux::Attribute,
        number: 0,
        relative: false,
        swizzle: Swizzle::IDENTITY,
        negate: false,
        page: 0,
    };

    /// The number as the text has it.
    const fn whole_number(self) -> u32 {
        self.page as u32 * 256 + self.number as u32
    }

    /// Whether a unit that looks at the first component only cannot tell the two apart.
    fn same_scalar(self, other: Self) -> bool {
        let first = |o: Self| Self { swizzle: Swizzle::splat(o.swizzle.get(0)), ..o };
        first(self) == first(other)
    }
}

/// An operation with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is done.
    pub operator: Operator,
    /// Where the result goes.
    pub dest: Dest,
    /// The sources; the first [`Operator::sources`] count.
    pub sources: [Operand; 3],
}

/// Whether the peculiarities of nv2a-vsh are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Words that do what the statement says, or an error.
    #[default]
    Strict,
    /// The words of nv2a-vsh, also where they do something else, and its errors.
    Compat,
}

/// Why operations do not fit a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Two different vertex attributes.
    Attributes(u8, u8),
    /// Two different constants.
    Constants(u32, u32),
    /// A constant and one relative to A0.
    Relative,
    /// Both units write an output or constant.
    Port,
    /// Two operations of the vector unit that are not one with two destinations.
    Mac(UnitConflict),
    /// Two operations of the scalar unit that are not one with two destinations.
    Ilu(UnitConflict),
    /// Two copies of one value.
    Mov(UnitConflict),
    /// MOVs of more than two values.
    ThreeValues,
    /// Two MOVs that write R1.
    TwoR1,
    /// Two MOVs that write outputs or constants.
    TwoOutputs,
    /// Two MOVs that write other temporaries.
    TwoTemporaries,
    /// A MOV for the scalar unit that writes another temporary than R1.
    IluTemporary,
    /// A MOV for the scalar unit, which has something else to do.
    IluBusy,
    /// A MOV for the vector unit, which has something else to do.
    MacBusy,
    /// The units need different values in source C.
    SourceC,
    /// nv2a-vsh cannot pair ADD, and stops.
    PairedAdd(Operand),
}

/// Why two operations of a unit are not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitConflict {
    /// They are different ones, or three.
    Operations,
    /// Their sources differ.
    Inputs,
    /// Both write a temporary.
    Temporaries,
    /// Both write an output, a constant or A0.
    Outputs,
}

impl UnitConflict {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Operations => "conflicting operations",
            Self::Inputs => "operations have different inputs",
            Self::Temporaries => "operations both target temporary registers",
            Self::Outputs => "operations both target output registers",
        }
    }
}

impl Conflict {
    /// The exception with which nv2a-vsh stops at a statement on that line: its class and what it says; where
    /// nv2a-vsh says nothing, in the same manner.
    pub fn exception(self, line: u32) -> String {
        let class = if matches!(self, Self::PairedAdd(_)) { "ValueError" } else { "EncodingError" };
        format!("{class}: {}", self.message(line))
    }

    fn message(self, line: u32) -> String {
        let pairing = |why: &str| format!("Invalid pairing ({why}) at {line}");
        match self {
            Self::Attributes(a, b) => {
                format!("Operation reads from more than one V register (v{a} and v{b})")
            }
            Self::Constants(a, b) => {
                format!("Operation reads from more than one C register (c[{a}] and c[{b}])")
            }
            Self::Relative => "Operation reads from an absolute and an A0-relative C register".into(),
            Self::Port => "Operation writes to an output register or constant in both units".into(),
            Self::Mac(why) => format!("Conflicting MAC operations ({}) at {line}", why.words()),
            Self::Ilu(why) => format!("Conflicting ILU operations ({}) at {line}", why.words()),
            Self::Mov(why) => pairing(why.words()),
            Self::ThreeValues => pairing("more than 2 distinct sets of inputs"),
            Self::TwoR1 => pairing("more than 1 MOV targets R1"),
            Self::TwoOutputs => pairing("more than 1 MOV targets an output register"),
            Self::TwoTemporaries => pairing("more than 1 MOV targets a non-R1 temporary register"),
            Self::IluTemporary => pairing("ILU operation may not target non-R1 temporary registers"),
            Self::IluBusy => pairing("more than 2 ILU operations"),
            Self::MacBusy => pairing("more than 2 MAC operations"),
            Self::SourceC => {
                "Invalid instruction pairing (MAC operation uses input C which does not match ILU input)"
                    .into()
            }
            Self::PairedAdd(o) => {
                let number = o.whole_number();
                let attribute = table::INPUTS.iter().find(|named| named.number == o.number);
                let register = match (o.mux, attribute) {
                    (Mux::Attribute, Some(named)) => {
                        format!("PROGRAM_INPUT {} ({})", named.long, named.short)
                    }
                    (Mux::Attribute, None) => format!("PROGRAM_INPUT v{number}"),
                    (Mux::Constant, _) => format!("PROGRAM_ENV_PARAM R{number}"),
                    _ => format!("PROGRAM_TEMPORARY R{number}"),
                };
                let swizzle = o.swizzle.letters();
                format!("ins.src_reg[2] SourceRegister(RegisterFile.{register} {swizzle}) must not be set")
            }
        }
    }
}

/// What one unit does in a slot.
#[derive(Clone, Copy, Debug)]
struct Half {
    operation: Operation,
    temporary: Option<Dest>,
    other: Option<Dest>,
}

impl Half {
    fn new(operation: &Operation) -> Self {
        let dest = operation.dest;
        let (temporary, other) =
            if dest.target.is_temporary() { (Some(dest), None) } else { (None, Some(dest)) };
        Self { operation: *operation, temporary, other }
    }

    /// Makes the operation one with two destinations.
    fn merge(&mut self, with: &Operation) -> Result<(), UnitConflict> {
        if self.operation.operator != with.operator || (self.temporary.is_some() && self.other.is_some()) {
            return Err(UnitConflict::Operations);
        }
        if self.operation.sources != with.sources {
            return Err(UnitConflict::Inputs);
        }
        let (place, why) = if with.dest.target.is_temporary() {
            (&mut self.temporary, UnitConflict::Temporaries)
        } else {
            (&mut self.other, UnitConflict::Outputs)
        };
        if place.is_some() {
            return Err(why);
        }
        *place = Some(with.dest);
        Ok(())
    }

    /// Takes `operation` alone or into the half that is there.
    fn add(half: &mut Option<Self>, operation: &Operation) -> Result<(), UnitConflict> {
        match half {
            None => *half = Some(Self::new(operation)),
            Some(half) => half.merge(operation)?,
        }
        Ok(())
    }
}

/// A slot, and what has to be said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// The slot; not final.
    pub slot: Slot,
    /// The temporary that the statement names for the scalar unit, if R1 is written in its place.
    pub renamed: Option<u8>,
    /// Why nv2a-vsh stops when it makes the words of the slot, in compat mode: it has taken the statement by then.
    pub late: Option<Conflict>,
    /// The statement as nv2a-vsh repeats it in comments, where that is not what the slot says.
    pub said: Option<Parts>,
}

/// Puts the operations of a statement into a slot. `unit` forces MOVs, in order: to the vector unit (`Some(false)`),
/// to the scalar unit (`Some(true)`).
///
/// # Errors
///
/// Why they do not fit.
pub fn combine(operations: &[Operation], units: &[Option<bool>], mode: Mode) -> Result<Paired, Conflict> {
    if mode == Mode::Compat {
        order_of_checks(operations)?;
    }
    let (mut mac, mut ilu) = (None, None);
    let (mut movs, mut count) = ([Half::new(&NOTHING); 3], 0);
    for (n, operation) in operations.iter().enumerate() {
        match operation.operator {
            Operator::Mac(_) => Half::add(&mut mac, operation).map_err(Conflict::Mac)?,
            Operator::Ilu(_) => Half::add(&mut ilu, operation).map_err(Conflict::Ilu)?,
            Operator::Mov => match units.get(n).copied().flatten() {
                Some(false) => Half::add(&mut mac, operation).map_err(Conflict::Mac)?,
                Some(true) => Half::add(&mut ilu, operation).map_err(Conflict::Ilu)?,
                None => {
                    let Some(place) = movs.get_mut(count) else { return Err(Conflict::ThreeValues) };
                    *place = Half::new(operation);
                    count += 1;
                }
            },
        }
    }
    place_movs(movs.get(..count).unwrap_or(&[]), &mut mac, &mut ilu, mode)?;
    encode(mac.as_ref(), ilu.as_ref(), mode)
}

/// Stands where there is no operation.
const NOTHING: Operation = Operation {
    operator: Operator::Mov,
    dest: Dest::new(Target::Temporary(0), WriteMask::NONE),
    sources: [Operand::NONE; 3],
};

/// Finds what nv2a-vsh finds first where several things are wrong with a statement.
fn order_of_checks(operations: &[Operation]) -> Result<(), Conflict> {
    let of = |f: fn(&Operator) -> bool| operations.iter().filter(move |o| f(&o.operator));
    if of(|o| matches!(o, Operator::Mac(_))).count() > 2 {
        return Err(Conflict::Mac(UnitConflict::Operations));
    }
    if of(|o| matches!(o, Operator::Ilu(_))).count() > 2 {
        return Err(Conflict::Ilu(UnitConflict::Operations));
    }
    let movs = || of(|o| *o == Operator::Mov);
    let (busy_mac, busy_ilu) = (
        of(|o| matches!(o, Operator::Mac(_))).count() > 0,
        of(|o| matches!(o, Operator::Ilu(_))).count() > 0,
    );
    if of(|o| *o != Operator::Mov).count() > 1 && !(busy_mac && busy_ilu) {
        // The two may not be one; that is found in front of everything about the MOV.
        let mut both = None;
        for operation in of(|o| *o != Operator::Mov) {
            let conflict = if busy_mac { Conflict::Mac } else { Conflict::Ilu };
            Half::add(&mut both, operation).map_err(conflict)?;
        }
    }
    // MOVs of one value are one with two destinations.
    let mut values: [(Option<Half>, usize); 3] = [(None, 0); 3];
    for mov in movs() {
        let same = |half: &Half| half.operation.sources == mov.sources;
        if let Some(value) = values.iter_mut().find(|value| value.0.as_ref().is_none_or(same)) {
            value.1 += 1;
            value.0 = value.0.or(Some(Half::new(mov)));
        }
    }
    if values.iter().all(|value| value.1 > 0) {
        return Err(Conflict::ThreeValues);
    }
    for (value, count) in &values {
        let Some(value) = value.as_ref().filter(|_| *count > 1) else { continue };
        if *count > 2 {
            return Err(Conflict::Mov(UnitConflict::Operations));
        }
        let mut one = None;
        for mov in movs().filter(|mov| mov.sources == value.operation.sources) {
            Half::add(&mut one, mov).map_err(Conflict::Mov)?;
        }
    }
    let several = |f: &dyn Fn(Target) -> bool| movs().filter(|mov| f(mov.dest.target)).count() > 1;
    let r1 = Target::Temporary(PAIRED_TEMPORARY as u8);
    if several(&|target| target == r1) {
        return Err(Conflict::TwoR1);
    }
    if several(&|target| !target.is_temporary()) {
        return Err(Conflict::TwoOutputs);
    }
    if several(&|target| target.is_temporary() && target != r1) {
        return Err(Conflict::TwoTemporaries);
    }
    Ok(())
}

/// Gives the MOVs to the units.
fn place_movs(
    movs: &[Half],
    mac: &mut Option<Half>,
    ilu: &mut Option<Half>,
    mode: Mode,
) -> Result<(), Conflict> {
    let other_temporary = |m: &Half| matches!(m.operation.dest.target, Target::Temporary(n) if u32::from(n) != PAIRED_TEMPORARY);
    let alone = mac.is_none() && ilu.is_none();
    if movs.is_empty() {
        return Ok(());
    }
    // MOVs of one value are one with two destinations. Beside another operation there is room for one only.
    if !alone {
        let to_ilu = mac.is_some();
        if to_ilu && movs.iter().any(other_temporary) {
            return Err(Conflict::IluTemporary);
        }
        let (unit, busy) = if to_ilu { (ilu, Conflict::IluBusy) } else { (mac, Conflict::MacBusy) };
        if unit.is_some() {
            return Err(busy);
        }
        for m in movs {
            Half::add(unit, &m.operation).map_err(|why| match why {
                UnitConflict::Inputs => busy,
                why => Conflict::Mov(why),
            })?;
        }
        return Ok(());
    }
    let (mut first, mut second): (Option<Half>, Option<Half>) = (None, None);
    for m in movs {
        let fits = |half: &Option<Half>| {
            half.as_ref().is_none_or(|half| half.operation.sources == m.operation.sources)
        };
        let (in_first, in_second) = (fits(&first), fits(&second));
        if !in_first && !in_second {
            return Err(Conflict::ThreeValues);
        }
        let mut added =
            if in_first { Half::add(&mut first, &m.operation) } else { Err(UnitConflict::Temporaries) };
        // Both units can copy one value, which nv2a-vsh does not think of.
        if !in_first || (added.is_err() && mode == Mode::Strict && in_second) {
            added = Half::add(&mut second, &m.operation);
        }
        added.map_err(Conflict::Mov)?;
    }
    let (Some(a), Some(b)) = (first, second) else {
        *mac = first;
        return Ok(());
    };
    let several = |f: &dyn Fn(&Half) -> bool| movs.iter().filter(|m| f(m)).count() > 1;
    if several(&|m| m.operation.dest.target == Target::Temporary(PAIRED_TEMPORARY as u8)) {
        return Err(Conflict::TwoR1);
    }
    if several(&|m| !m.operation.dest.target.is_temporary()) {
        return Err(Conflict::TwoOutputs);
    }
    if several(&other_temporary) {
        return Err(Conflict::TwoTemporaries);
    }
    // The scalar unit can write R1 and an output, so the other temporary decides; else R1 goes to the scalar unit.
    let writes_other =
        |half: &Half| half.temporary.is_some_and(|d| d.target != Target::Temporary(PAIRED_TEMPORARY as u8));
    let b_is_mac = writes_other(&b) || (!writes_other(&a) && a.temporary.is_some());
    (*mac, *ilu) = if b_is_mac { (Some(b), Some(a)) } else { (Some(a), Some(b)) };
    Ok(())
}

/// Writes operands into a slot and watches over the fields that they share.
struct Sources {
    slot: Slot,
    mode: Mode,
    attribute: Option<u8>,
    constant: Option<(u32, bool)>,
    late: Option<Conflict>,
}

impl Sources {
    fn put(&mut self, port: Port, operand: Operand) -> Result<(), Conflict> {
        let (mux, temp, swizzle, negate) = port.fields();
        let number = u32::from(operand.number);
        match operand.mux {
            Mux::Undefined => {}
            Mux::Temporary => {
                self.slot.set(mux, 1);
                self.slot.set(temp, number);
            }
            Mux::Attribute => {
                if let (Some(first), Mode::Strict) = (self.attribute, self.mode) {
                    if first != operand.number {
                        return Err(Conflict::Attributes(first, operand.number));
                    }
                }
                self.attribute = Some(operand.number);
                self.slot.set(mux, 2);
                self.slot.set(Field::Input, number);
            }
            Mux::Constant => {
                if let Some((first, relative)) = self.constant {
                    if first != operand.whole_number() {
                        let conflict = Conflict::Constants(first, operand.whole_number());
                        match self.mode {
                            Mode::Strict => return Err(conflict),
                            Mode::Compat => self.late = self.late.or(Some(conflict)),
                        }
                    }
                    if relative != operand.relative && self.mode == Mode::Strict {
                        return Err(Conflict::Relative);
                    }
                }
                self.constant = Some((operand.whole_number(), operand.relative));
                self.slot.set(mux, 3);
                self.slot.set(Field::Const, number);
                if operand.relative {
                    self.slot.set(Field::A0x, 1);
                }
            }
        }
        self.slot.set(swizzle, swizzle_to_field(operand.swizzle));
        self.slot.set(negate, operand.negate.into());
        Ok(())
    }
}

/// The words of what both units do.
fn encode(mac: Option<&Half>, ilu: Option<&Half>, mode: Mode) -> Result<Paired, Conflict> {
    let mut out = Sources { slot: Slot::EMPTY, mode, attribute: None, constant: None, late: None };
    let mut renamed = None;
    let mac_op = mac.map(|half| match half.operation.operator {
        Operator::Mac(op) => op,
        Operator::Ilu(_) | Operator::Mov => Mac::Mov,
    });
    let ilu_op = ilu.map(|half| match half.operation.operator {
        Operator::Ilu(op) => op,
        Operator::Mac(_) | Operator::Mov => Ilu::Mov,
    });
    if let (Some(half), Some(op)) = (mac, mac_op) {
        out.slot.set(Field::Mac, op.row().code);
        let operands = || op.ports().iter().zip(half.operation.sources);
        let port_c = operands().find(|(port, _)| **port == Port::C);
        if let (Some((_, operand)), Some(other), Some(ilu_op)) = (port_c, ilu, ilu_op) {
            let wanted = other.operation.sources[0];
            let shared = operand == wanted
                || mode == Mode::Strict && ilu_op.is_scalar() && operand.same_scalar(wanted);
            if !shared {
                return Err(Conflict::SourceC);
            }
            // It stops only where ADD has one destination.
            if op == Mac::Add && mode == Mode::Compat && half.other.is_some() != half.temporary.is_some() {
                out.late = Some(Conflict::PairedAdd(operand));
            }
        }
        for (port, operand) in operands() {
            out.put(*port, operand)?;
        }
    }
    if let (Some(half), Some(op)) = (ilu, ilu_op) {
        out.slot.set(Field::Ilu, op.row().code);
        let taken = mac_op.is_some_and(|op| op.ports().contains(&Port::C));
        if !taken {
            out.put(Port::C, half.operation.sources[0])?;
        }
        if let Some(Dest { target: Target::Temporary(n), mask, .. }) = half.temporary {
            let written = if mac.is_some() { PAIRED_TEMPORARY } else { u32::from(n) };
            if written != u32::from(n) {
                renamed = Some(n);
            }
            out.slot.set(Field::OutTempReg, written);
            out.slot.set(Field::OutIluMask, mask_to_field(mask));
        }
        put_other(&mut out.slot, half.other, 1);
    }
    if let Some(half) = mac {
        if let Some(Dest { target: Target::Temporary(n), mask, .. }) = half.temporary {
            out.slot.set(Field::OutTempReg, n.into());
            out.slot.set(Field::OutMacMask, mask_to_field(mask));
        }
        let address = matches!(half.other, Some(Dest { target: Target::Address, .. }));
        if half.other.is_some()
            && !address
            && ilu.is_some_and(|ilu| ilu.other.is_some())
            && mode == Mode::Strict
        {
            return Err(Conflict::Port);
        }
        // Where both units write one, nv2a-vsh takes for an output what the other unit does with a constant.
        let orb = out.slot.get(Field::OutOrb);
        put_other(&mut out.slot, half.other, 0);
        if matches!(half.other, Some(Dest { target: Target::Output(_), .. })) {
            out.slot.set(Field::OutOrb, orb);
        }
    }
    let said = Parts::of_halves(mac, ilu);
    let said = (!said.says(&parts(&out.slot))).then_some(said);
    Ok(Paired { slot: out.slot, renamed, late: out.late, said })
}

/// Writes the destination that is no temporary.
fn put_other(slot: &mut Slot, dest: Option<Dest>, mux: u32) {
    let Some(Dest { target, mask, .. }) = dest else { return };
    let (orb, address) = match target {
        Target::Output(n) => (1, n),
        Target::Constant(n) => (0, n),
        Target::Temporary(_) | Target::Address => return,
    };
    slot.set(Field::OutMux, mux);
    slot.set(Field::OutOrb, orb);
    slot.set(Field::OutAddress, address.into());
    slot.set(Field::OutOMask, mask_to_field(mask));
}

/// The operations that say a slot, and which unit each of them is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    parts: [(Operation, bool); 4],
    count: usize,
}

impl Parts {
    /// Each operation, with whether it is the scalar unit's: vector unit to output, vector unit to temporary, scalar
    /// unit to output, scalar unit to temporary, as far as they are there.
    pub fn iter(&self) -> impl Iterator<Item = &(Operation, bool)> {
        self.parts.iter().take(self.count)
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn push(&mut self, operation: Operation, ilu: bool) {
        if let Some(place) = self.parts.get_mut(self.count) {
            *place = (operation, ilu);
            self.count += 1;
        }
    }

    /// What both units do, in the same order as [`parts`] has it.
    fn of_halves(mac: Option<&Half>, ilu: Option<&Half>) -> Self {
        let mut out = Self::NONE;
        for (half, scalar) in [(mac, false), (ilu, true)] {
            let Some(half) = half else { continue };
            for dest in [half.other, half.temporary].into_iter().flatten() {
                out.push(Operation { dest, ..half.operation }, scalar);
            }
        }
        out
    }

    /// Whether this says a slot of which `others` are the parts.
    fn says(&self, others: &Self) -> bool {
        let same = |(a, b): (&(Operation, bool), &(Operation, bool))| {
            let sources = a.0.operator.sources();
            // Of A0 no mask is repeated unless there is one.
            let wanted = if a.0.dest.target == Target::Address { WriteMask::ALL } else { b.0.dest.mask };
            let masks = a.0.dest.mask == wanted;
            let dests = masks && a.0.dest.target == b.0.dest.target && a.0.dest.page == b.0.dest.page;
            a.1 == b.1
                && a.0.operator == b.0.operator
                && dests
                && a.0.sources.get(..sources) == b.0.sources.get(..sources)
        };
        self.count == others.count && self.iter().zip(others.iter()).all(same)
    }

    const NONE: Self = Self { parts: [(NOTHING, false); 4], count: 0 };
}

/// Takes a slot apart. What is written is told as the hardware does it: a scalar unit beside an operation of the
/// vector unit writes R1. Codes 14 and 15 of the vector unit are no operation, and what a unit without an operation
/// would write is left out.
#[inline]
pub fn parts(slot: &Slot) -> Parts {
    let mut out = Parts::NONE;
    let mut push = |operator, target, mask, sources, ilu| {
        out.push(Operation { operator, dest: Dest::new(target, mask), sources }, ilu);
    };
    let operand = |port| {
        let source = slot.source(port);
        Operand {
            mux: source.mux,
            number: source.number as u8,
            relative: source.relative,
            swizzle: source.swizzle,
            negate: source.negate,
            page: 0,
        }
    };
    let (output_mask, address) = (slot.output_mask(), slot.get(Field::OutAddress) as u8);
    let output =
        if slot.get(Field::OutOrb) == 1 { Target::Output(address) } else { Target::Constant(address) };
    let to_ilu = slot.get(Field::OutMux) == 1;
    if let Some(mac) = slot.mac().filter(|mac| *mac != Mac::Nop) {
        let operator = if mac == Mac::Mov { Operator::Mov } else { Operator::Mac(mac) };
        let mut sources = [Operand::NONE; 3];
        for (to, port) in sources.iter_mut().zip(mac.ports()) {
            *to = operand(*port);
        }
        if mac == Mac::Arl {
            push(operator, Target::Address, WriteMask::X, sources, false);
        }
        if !to_ilu && output_mask != WriteMask::NONE {
            push(operator, output, output_mask, sources, false);
        }
        if slot.mac_mask() != WriteMask::NONE {
            push(
                operator,
                Target::Temporary(slot.get(Field::OutTempReg) as u8),
                slot.mac_mask(),
                sources,
                false,
            );
        }
    }
    let ilu = slot.ilu();
    if ilu != Ilu::Nop {
        let operator = if ilu == Ilu::Mov { Operator::Mov } else { Operator::Ilu(ilu) };
        let sources = [operand(Port::C), Operand::NONE, Operand::NONE];
        if to_ilu && output_mask != WriteMask::NONE {
            push(operator, output, output_mask, sources, true);
        }
        if slot.ilu_mask() != WriteMask::NONE {
            push(operator, Target::Temporary(slot.ilu_temporary() as u8), slot.ilu_mask(), sources, true);
        }
    }
    out
}
