//! A program as a list of operations, each of one unit, whose temporaries are values.

use crate::refusal::Refusals;
use crate::{Ends, Reason, rules};
use alloc::vec::Vec;
use vecasm_ir::diag::Place;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::nv2a::pair::{Dest, Operand, Operation, Operator, Target, parts};
use vecasm_isa::nv2a::program::{Container, Mux, Program, Slot};
use vecasm_isa::nv2a::rules::{self as validator, lanes_read};
use vecasm_isa::nv2a::table::{self, Mac, Port, Special};
use vecasm_isa::table::Lift;

/// Temporaries that can be written.
pub(super) const TEMPORARIES: usize = table::TEMPORARIES as usize;

/// Where a lane of a temporary was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Def {
    /// It is not read.
    #[default]
    None,
    /// What the temporary of that number starts with.
    Initial(u8),
    /// By the operation of that number in the list.
    Op(u16),
}

/// A source of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) operand: Operand,
    /// Of a temporary: where each lane of the register that is read was written.
    pub(super) lanes: [Def; 4],
}

impl Source {
    const NONE: Self = Self { operand: Operand::NONE, lanes: [Def::None; 4] };

    /// Whether it reads a temporary, R12 aside.
    pub(super) fn is_temporary(&self) -> bool {
        self.operand.mux == Mux::Temporary && u32::from(self.operand.number) != table::POSITION_SHADOW
    }

    /// Whether it reads what is in oPos.
    pub(super) fn is_position(&self) -> bool {
        self.operand.mux == Mux::Temporary && u32::from(self.operand.number) == table::POSITION_SHADOW
    }
}

/// An operation of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) operator: Operator,
    /// Whether the scalar unit did it.
    pub(super) scalar: bool,
    pub(super) sources: [Source; 3],
    /// The temporary that is written; its number is the one of the source program.
    pub(super) temporary: Option<(u8, WriteMask)>,
    /// The output, constant or A0 that is written.
    pub(super) other: Option<Dest>,
    /// The slot of the source program in whose place it is.
    pub(super) at: u32,
    /// Slots of the source program that it does the work of.
    pub(super) steps: Vec<u32>,
}

/// How the lanes of a result come from those of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lane by lane: another lane, with other components of the sources, has the same value.
    ByLane,
    /// The same value in every lane.
    Same,
    /// Each lane is something of its own.
    Fixed,
}

impl Op {
    pub(super) fn sources(&self) -> &[Source] {
        self.sources.get(..self.operator.sources()).unwrap_or(&[])
    }

    /// The lanes of the result that are written anywhere.
    pub(super) fn written(&self) -> WriteMask {
        let temporary = self.temporary.map_or(WriteMask::NONE, |(_, mask)| mask);
        self.other.map_or(temporary, |dest| dest.lanes().union(temporary))
    }

    /// The lanes of source `n` that are looked at, before its swizzle.
    pub(super) fn needs(&self, n: usize) -> WriteMask {
        lanes_read(self.operator, n, self.written())
    }

    /// The lanes of the register that source `n` reads.
    pub(super) fn reads(&self, n: usize) -> WriteMask {
        self.sources.get(n).map_or(WriteMask::NONE, |source| source.operand.swizzle.read_mask(self.needs(n)))
    }

    /// The sources with the lanes of the register that each reads.
    pub(super) fn each_read(&self) -> impl Iterator<Item = (&Source, WriteMask)> {
        self.sources().iter().enumerate().map(|(n, source)| (source, self.reads(n)))
    }

    /// Where lanes of temporaries were written that it reads, each with the lane; some more than once.
    pub(super) fn values(&self) -> impl Iterator<Item = (Def, usize)> {
        self.each_read()
            .filter(|(source, _)| source.is_temporary())
            .flat_map(|(source, lanes)| lanes.lanes().map(|lane| (source.lanes[lane & 3], lane)))
    }

    pub(super) fn shape(&self) -> Shape {
        let lift = match self.operator {
            Operator::Mov => return Shape::ByLane,
            Operator::Mac(op) => op.row().lift,
            Operator::Ilu(op) => op.row().lift,
        };
        match lift {
            Lift::PerComponent(_) | Lift::Set(_) | Lift::Custom(Special::MultiplyAdd | Special::Move) => {
                Shape::ByLane
            }
            Lift::Replicate(..) | Lift::Custom(Special::DotHomogeneous) => Shape::Same,
            Lift::Custom(_) | Lift::Reserved => Shape::Fixed,
        }
    }

    /// The unit that has to do it: `Some(true)` for the scalar one, `None` for either.
    pub(super) fn unit(&self) -> Option<bool> {
        match self.operator {
            Operator::Mac(_) => Some(false),
            Operator::Ilu(_) => Some(true),
            Operator::Mov => None,
        }
    }

    /// The number of the source that is port C when that unit does it.
    pub(super) fn source_of_c(&self, scalar: bool) -> Option<usize> {
        if scalar {
            return Some(0);
        }
        let ports = match self.operator {
            Operator::Mac(op) => op.ports(),
            _ => Mac::Mov.ports(),
        };
        ports.iter().position(|port| *port == Port::C)
    }

    /// Whether the scalar unit can do it.
    pub(super) fn can_be_scalar(&self) -> bool {
        self.unit() != Some(false)
    }

    /// Whether the vector unit can do it.
    pub(super) fn can_be_vector(&self) -> bool {
        self.unit() != Some(true)
    }

    /// The statements that say it, one for each destination: `operands` are those of the sources.
    pub(super) fn statements(
        &self,
        operands: [Operand; 3],
        temporary: Option<(u8, WriteMask)>,
    ) -> impl Iterator<Item = Operation> {
        let temporary = temporary.map(|(n, mask)| Dest::new(Target::Temporary(n), mask));
        let operator = self.operator;
        let dests = [self.other, temporary];
        dests.into_iter().flatten().map(move |dest| Operation { operator, dest, sources: operands })
    }

    /// Whether both are in order: what the one does to outputs, constants and A0 shows the other. `Some(true)` if the second cannot
    /// be in the slot of the first.
    pub(super) fn before(&self, next: &Self) -> Option<bool> {
        if meets_writes(self, next, true) || meets_writes(self, next, false) {
            return Some(true);
        }
        meets_writes(next, self, false).then_some(false)
    }
}

/// Whether an operation writes an output, constant or A0 that the other one writes or, if `writes` is not set, reads.
pub(super) fn meets_writes(writer: &Op, of: &Op, writes: bool) -> bool {
    let Some(dest) = writer.other else { return false };
    if writes {
        let Some(other) = of.other else { return false };
        let same = match (dest.target, other.target) {
            (Target::Output(a), Target::Output(b)) => a & 15 == b & 15,
            (a, b) => a == b,
        };
        return same && dest.lanes().bits() & other.lanes().bits() != 0;
    }
    of.each_read().any(|(source, lanes)| {
        let meets = lanes.bits() & dest.lanes().bits() != 0;
        match dest.target {
            Target::Output(n) => u32::from(n & 15) == 0 && source.is_position() && meets,
            Target::Constant(_) if source.operand.relative && lanes != WriteMask::NONE => true,
            Target::Constant(n) => source.operand.mux == Mux::Constant && source.operand.number == n && meets,
            Target::Address => {
                source.operand.mux == Mux::Constant && source.operand.relative && lanes != WriteMask::NONE
            }
            Target::Temporary(_) => false,
        }
    })
}

/// A program as operations, in an order in which each sees what those in front of it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    pub(super) ops: Vec<Op>,
    /// What the temporaries hold at the end, as far as that counts: each with the lane of its value.
    pub(super) finals: [[(Def, u8); 4]; TEMPORARIES],
    /// How much that is.
    pub(super) keeps: Ends,
    /// Whether the last slot ends the program.
    pub(super) ends: bool,
    /// Number of slots.
    pub(super) slots: usize,
}

impl List {
    /// Takes a program apart.
    ///
    /// # Errors
    ///
    /// What stands in the way of any change.
    pub(super) fn of(program: &Program, ends: Option<Ends>, most: usize) -> Result<Self, Vec<Reason>> {
        let mut refusals = Refusals::new("NV2A");
        refuse(program, most, &mut refusals);
        let mut list = Self {
            ops: Vec::with_capacity(program.slots.len() * 2),
            finals: [[0, 1, 2, 3].map(|lane| (Def::None, lane)); TEMPORARIES],
            keeps: Ends::Nothing,
            ends: program.slots.last().is_some_and(Slot::is_final),
            slots: program.slots.len(),
        };
        let mut now = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(|n| [Def::Initial(n); 4]);
        for (step, slot) in program.slots.iter().enumerate() {
            if !list.slot(slot, step as u32, &mut now) {
                refusals.add(rules::EXCHANGE, &[], step as u32);
            }
        }
        if !refusals.list.is_empty() {
            return Err(refusals.list);
        }
        list.keeps = ends.unwrap_or_else(|| if list.is_whole() { Ends::Nothing } else { Ends::Alive });
        if list.keeps != Ends::Nothing {
            for (to, from) in list.finals.iter_mut().flatten().zip(now.iter().flatten()) {
                if matches!(from, Def::Op(_)) {
                    to.0 = *from;
                }
            }
        }
        Ok(list)
    }

    /// Whether it is a whole program: it ends, and writes oPos. Whole ones that read temporaries which they have not written exist.
    fn is_whole(&self) -> bool {
        let position = |op: &Op| op.other.is_some_and(|dest| dest.target == Target::Output(0));
        self.ends && self.ops.iter().any(position)
    }

    /// Adds the operations of a slot. Returns whether they can be one after the other.
    fn slot(&mut self, slot: &Slot, step: u32, now: &mut [[Def; 4]; TEMPORARIES]) -> bool {
        let mut halves: [Option<Op>; 2] = [None, None];
        for (operation, scalar) in parts(slot).iter() {
            let half = halves[usize::from(*scalar)].get_or_insert_with(|| Op {
                operator: operation.operator,
                scalar: *scalar,
                sources: operation.sources.map(|operand| Source { operand, ..Source::NONE }),
                temporary: None,
                other: None,
                at: step,
                steps: Vec::from([step]),
            });
            match operation.dest.target {
                Target::Temporary(n) => half.temporary = Some((n, operation.dest.mask)),
                _ => half.other = Some(operation.dest),
            }
        }
        for half in halves.iter_mut().flatten() {
            for n in 0..half.operator.sources() {
                let reads = half.reads(n);
                let source = &mut half.sources[n];
                let of = now.get(usize::from(source.operand.number)).filter(|_| source.is_temporary());
                for (lane, def) in of.into_iter().flat_map(|lanes| lanes.iter().enumerate()) {
                    if reads.has(lane) {
                        source.lanes[lane] = *def;
                    }
                }
            }
        }
        // Both read before either writes: what is read by one goes in front of the write of the other.
        if let [Some(vector), Some(scalar)] = &halves {
            match (meets_writes(vector, scalar, false), meets_writes(scalar, vector, false)) {
                (true, true) => return false,
                (true, false) => halves.swap(0, 1),
                (false, _) => {}
            }
        }
        // The scalar unit writes last.
        let mut writes = Vec::new();
        for half in halves.into_iter().flatten() {
            if let Some((n, mask)) = half.temporary {
                writes.push((half.scalar, n, mask, Def::Op(self.ops.len() as u16)));
            }
            self.ops.push(half);
        }
        writes.sort_by_key(|(scalar, ..)| *scalar);
        for (_, n, mask, def) in writes {
            let Some(lanes) = now.get_mut(usize::from(n)) else { continue };
            mask.lanes().for_each(|lane| lanes[lane & 3] = def);
        }
        true
    }

    /// The values that count at the end, each with its lane.
    pub(super) fn finals(&self) -> impl Iterator<Item = (Def, usize)> {
        self.finals.iter().flatten().map(|(def, lane)| (*def, usize::from(*lane)))
    }

    /// For each operation the lanes of its temporary that somebody reads, or that count at the end.
    pub(super) fn live(&self) -> Vec<WriteMask> {
        let mut live = alloc::vec![WriteMask::NONE; self.ops.len()];
        for (def, lane) in self.ops.iter().flat_map(Op::values).chain(self.finals()) {
            if let Some(lanes) = index(def).and_then(|n| live.get_mut(n)) {
                *lanes = lanes.union(WriteMask::lane(lane));
            }
        }
        live
    }

    /// Takes lanes and destinations away that nobody reads. An operation that has no other destination keeps its lanes.
    pub(super) fn narrow(&mut self) {
        let live = self.live();
        for (op, live) in self.ops.iter_mut().zip(live) {
            match op.temporary {
                Some(_) if live == WriteMask::NONE && op.other.is_some() => op.temporary = None,
                Some((n, _)) if live != WriteMask::NONE => op.temporary = Some((n, live)),
                _ => {}
            }
        }
    }
}

/// The number of the operation that wrote it.
pub(super) fn index(def: Def) -> Option<usize> {
    match def {
        Def::Op(n) => Some(n.into()),
        Def::None | Def::Initial(_) => None,
    }
}

/// A swizzle with other components in some lanes.
pub(super) fn with_lanes(swizzle: Swizzle, lanes: impl Iterator<Item = (usize, u8)>) -> Swizzle {
    let mut all = swizzle.lanes();
    for (lane, from) in lanes {
        all[lane & 3] = from;
    }
    Swizzle::new(all[0], all[1], all[2], all[3])
}

/// Finds what no source knows the outcome of, and what has no room for fewer slots.
fn refuse(program: &Program, most: usize, refusals: &mut Refusals) {
    if let Container::Pushbuffer(_) = program.container {
        refusals.add(rules::PUSHBUFFER, &[], None);
    }
    if program.slots.len() > most {
        refusals.add(rules::SLOTS, &[&program.slots.len(), &"NV2A", &table::SLOTS], None);
    }
    if let Some(end) = program.slots.iter().position(Slot::is_final) {
        if end + 1 < program.slots.len() {
            refusals.add(rules::AFTER, &[], end as u32 + 1);
        }
    }
    if !program.tail.is_empty() {
        refusals.add(rules::TAIL, &[&program.tail.len()], None);
    }
    for finding in validator::validate(program, &validator::Options::default()) {
        if UNKNOWN.contains(&finding.id) {
            let step = match finding.place {
                Place::Binary { token, .. } => token.map(|token| token - 1),
                _ => None,
            };
            refusals.add(rules::UNKNOWN, &[&finding.id], step);
        }
    }
}

/// Findings about slots of which no source says what they do.
const UNKNOWN: &[&str] = &[
    "NV2A-reserved-mac",
    "NV2A-mux0",
    "NV2A-temp-range",
    "NV2A-nop-half",
    "NV2A-arl-dest",
    "NV2A-r1-conflict",
];
