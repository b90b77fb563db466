//! The rules about programs, and the validator.

use super::usage::lanes_read;
use crate::nv2a::pair::{Operand, Operation, Operator, Target, parts};
use crate::nv2a::program::{Container, Kind, Mux, Program, Slot, Source};
use crate::nv2a::table::{self, Field, Ilu, Mac, Port, Special};
use crate::nv2a::text;
use crate::table::Lift;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, Place, Severity, rules};
use vecasm_ir::operand::WriteMask;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Level {
    /// The encoding alone: what no source knows the outcome of is a warning.
    Encodable,
    /// The hardware.
    #[default]
    Hardware,
    /// The tools of the XDK, as far as their rules are known: what is suspicious elsewhere is an error.
    Xdk,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Encodable, Self::Hardware, Self::Xdk];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Encodable => "encodable",
            Self::Hardware => "nv2a-hw",
            Self::Xdk => "xdk",
        }
    }
}

vecasm_ir::spelled!(Level, "level");

/// Who is asked whether a program is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// The level.
    pub level: Level,
}

/// What the level changes about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// Nothing.
    Same,
    /// A warning if only the encoding is asked.
    Undefined,
    /// An error for the XDK.
    Strict,
    /// Nothing is said but for the XDK.
    XdkOnly,
}

rules! {
    /// Every rule about programs, in the order of the validator's work.
    pub const RULES;
    /// A rule about programs.
    enum Id with WEIGHTS: Weight = Weight::Same;

    Container "NV2A-container" Error Peer "%1",
        "A microcode header names the kind of program and the number of its slots, 1 to 136, and the slots follow.";
    WordCount "NV2A-word-count" Error Peer "%1 bytes after the last whole slot",
        "A slot has four words of 32 bits.";
    Length "NV2A-length" Error Peer "the program has %1 slots; the hardware has 136",
        "nv2a-vsh assembles longer programs without a warning.";
    NoFinal "NV2A-no-final" Error Peer "no slot is final",
        "The hardware runs on past the last slot of the program.";
    Word0 "NV2A-word0" Error Peer "word 0 is not zero",
        "The memory of the program has no room for it.";
    Word1High "NV2A-word1-high" Warning Peer "bits 28 to 31 of word 1 are not zero",
        "The memory of the program has no room for them.";
    AfterFinal "NV2A-after-final" Warning Peer [Weight::Strict] "this slot and those after it are never run",
        "A program ends with its first final slot.";
    ReservedMac "NV2A-reserved-mac" Error Peer [Weight::Undefined] "operation %1 of the vector unit does not exist",
        "No source says what the hardware does; the hardware tests of envytools expect that nothing is written.";
    Mux0 "NV2A-mux0" Error Peer [Weight::Undefined] "source %1 names no register file",
        "No source documents code 0 of the field.";
    TempRange "NV2A-temp-range" Error Peer [Weight::Undefined] "%1",
        "R0 to R11 can be read and written, R12 reads oPos; nothing is known of R13 to R15.";
    OutRange "NV2A-out-range" Error Peer [Weight::Undefined] "there is no output %1",
        "The outputs are 0 and 3 to 12.";
    CRange "NV2A-c-range" Error Peer [Weight::Undefined] "%1",
        "The constants are c0 to c191. A test program of nxdk writes beyond them; the effect is not known.";
    NopHalf "NV2A-nop-half" Error Peer [Weight::Undefined] "the %1 unit does nothing, but its result is written",
        "No source says what is written; a test of envytools suggests the result of the scalar unit.";
    ArlDest "NV2A-arl-dest" Error Peer [Weight::Undefined] "arl writes more than a0",
        "No source says what is written.";
    R1Conflict "NV2A-r1-conflict" Error Peer [Weight::Undefined] "both units write r1",
        "xemu and Cxbx drop the write of the vector unit, nv2a_vsh_cpu does both, the scalar unit last.";
    FogLane "NV2A-fog-lane" Warning Recorded "oFog takes lane x of the result, not .%1",
        "oFog is one number. Pictures of a console (Fog_coord_vec4) show that every write stores lane x, whatever the mask.";
    NoDest "NV2A-no-dest" Warning Peer "the result of %1 is discarded",
        "Every mask of the operation is empty.";
    IluTempField "NV2A-ilu-temp-field" Warning Recorded [Weight::Strict] "the hardware writes r1 here, not r%1",
        "The temporary of the scalar unit, paired with an operation of the vector unit, is r1, as pictures of a console show.";
    A0Unset "NV2A-a0-unset" Warning Peer "a0 is read before arl writes it",
        "The initial value of a0 is not known.";
    RUnset "NV2A-r-unset" Warning Peer [Weight::Strict] "r%1.%2 is read before it is written",
        "The temporaries are initially 0.";
    R12Unset "NV2A-r12-unset" Warning Peer "r12.%1 is read before oPos.%1 is written",
        "r12 reads oPos, which is initially (0, 0, 0, 1).";
    ReservedConst "NV2A-reserved-const" Warning Peer [Weight::Strict] "c%1, which holds the viewport, is overwritten",
        "c58 and c59 are the scale and offset of the viewport.";
    CWrite "NV2A-c-write" Warning Peer "constants are written",
        "The state CXT_WRITE_EN (method 1e98) must allow it, and vertices then run one after another.";
    NoOPos "NV2A-no-opos" Warning Peer [Weight::Strict] "oPos is never written",
        "Without a position a vertex is not drawn where it was meant to be.";
    UserRange "NV2A-user-range" Error Peer [Weight::XdkOnly] "c%1 is not in the range of user programs",
        "User programs see c96 to c191, and directly also c58 and c59.";
}

/// Collects findings.
struct Findings<'a> {
    all: crate::findings::Findings,
    level: Level,
    program: &'a Program,
    offsets: Vec<usize>,
}

/// Most findings that are kept; a program of 136 slots has fewer.
const MAX_FINDINGS: usize = 4000;

impl Findings<'_> {
    #[cold]
    fn push(&mut self, id: Id, place: Place, args: &[&dyn Display]) -> Option<&mut Diagnostic> {
        let rule = id.rule();
        let severity = match (WEIGHTS[id as usize], self.level) {
            (Weight::Strict, Level::Xdk) => Severity::Error,
            (Weight::Undefined, Level::Encodable) => Severity::Warning,
            (Weight::XdkOnly, Level::Encodable | Level::Hardware) => return None,
            _ => rule.severity,
        };
        self.all.push(severity, rule.id, place, rule.fill(args))
    }

    /// A finding about the program as a whole.
    #[cold]
    fn at_program(&mut self, id: Id, args: &[&dyn Display]) {
        self.push(id, Place::Whole, args);
    }

    /// A finding about a slot.
    #[cold]
    fn slot(&mut self, id: Id, index: usize, args: &[&dyn Display]) {
        let offset = self.offsets.get(index).copied().unwrap_or(0);
        let place = Place::Binary {
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            token: u32::try_from(index + 1).ok(),
        };
        let line = self.program.slots.get(index);
        if let Some(finding) = self.push(id, place, args) {
            finding.instruction = line.map(text::instruction);
        }
    }
}

/// Every finding about a program: the file as a whole, then slot by slot.
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let mut f = Findings {
        all: crate::findings::Findings::up_to(MAX_FINDINGS),
        level: options.level,
        program,
        offsets: program.offsets(),
    };
    let count = program.slots.len();
    let mut state = false;
    if let Container::Microcode { version, count: named } = program.container {
        state = Kind::from_version(version) == Some(Kind::State);
        if Kind::from_version(version).is_none() {
            f.at_program(Id::Container, &[&format_args!("unknown version word 0x{version:04x}")]);
        }
        let named = usize::from(named);
        // Of a number that cannot be the length of the file says nothing.
        let odd = named == 0 || named > table::SLOTS;
        if odd {
            f.at_program(
                Id::Container,
                &[&format_args!("the header names {named} slots; a program has 1 to {}", table::SLOTS)],
            );
        }
        if !odd && (named != count || !program.tail.is_empty()) {
            let tail = program.tail.len();
            let more = if tail == 0 { String::new() } else { format!(" and {tail} bytes") };
            f.at_program(
                Id::Container,
                &[&format_args!("the header names {named} slots, the file has {count}{more}")],
            );
        }
    } else if !program.tail.is_empty() {
        f.at_program(Id::WordCount, &[&program.tail.len()]);
    }
    // A pushbuffer may load several programs; each ends with its own final slot.
    let several = matches!(program.container, Container::Pushbuffer(_));
    if count > table::SLOTS && !several {
        f.slot(Id::Length, table::SLOTS, &[&count]);
    }
    let end = program.slots.iter().position(Slot::is_final);
    match end {
        // A file without a slot has had its finding.
        None if count == 0 && !f.all.is_empty() => {}
        None if count == 0 => f.at_program(Id::NoFinal, &[]),
        None => f.slot(Id::NoFinal, count - 1, &[]),
        Some(end) if end + 1 < count && !several => {
            f.slot(Id::AfterFinal, end + 1, &[]);
        }
        Some(_) => {}
    }
    let mut written = Written::default();
    for (index, slot) in program.slots.iter().enumerate() {
        encoding(&mut f, index, slot);
        hardware(&mut f, index, slot);
        written.slot(&mut f, index, slot);
        if several && slot.is_final() {
            written = Written { position: written.position, ..Written::default() };
        }
    }
    if count > 0 && written.position == WriteMask::NONE && !state {
        f.slot(Id::NoOPos, end.unwrap_or(count - 1), &[]);
    }
    f.all.into_list()
}

/// Bits that the hardware does not keep.
fn encoding(f: &mut Findings<'_>, index: usize, slot: &Slot) {
    if slot.get(Field::Word0) != 0 {
        f.slot(Id::Word0, index, &[]);
    }
    if slot.get(Field::Word1High) != 0 {
        f.slot(Id::Word1High, index, &[]);
    }
}

/// What the fields of a slot ask for that is not known to exist.
fn hardware(f: &mut Findings<'_>, index: usize, slot: &Slot) {
    let (mac, ilu) = (slot.mac(), slot.ilu());
    let (mac_mask, ilu_mask, out_mask) = (slot.mac_mask(), slot.ilu_mask(), slot.output_mask());
    let to_ilu = slot.get(Field::OutMux) == 1;
    let some = |mask: WriteMask| mask != WriteMask::NONE;
    if mac.is_none() {
        f.slot(Id::ReservedMac, index, &[&slot.get(Field::Mac)]);
    }
    for port in Port::ALL {
        if !slot.reads(port) {
            continue;
        }
        let Source { mux, number, .. } = slot.source(port);
        match mux {
            Mux::Undefined => f.slot(Id::Mux0, index, &[&port.letter()]),
            Mux::Temporary if number > table::POSITION_SHADOW => {
                f.slot(Id::TempRange, index, &[&format_args!("there is no r{number} to read")]);
            }
            Mux::Constant if number >= table::CONSTANTS => {
                f.slot(Id::CRange, index, &[&format_args!("there is no constant {number} to read")]);
            }
            _ => {}
        }
    }
    let temporary = slot.get(Field::OutTempReg);
    let uses_field = some(mac_mask) || (some(ilu_mask) && slot.get(Field::Mac) == 0);
    if uses_field && temporary >= table::TEMPORARIES {
        f.slot(Id::TempRange, index, &[&format_args!("r{temporary} cannot be written")]);
    }
    let address = slot.get(Field::OutAddress);
    if some(out_mask) {
        if slot.get(Field::OutOrb) == 1 {
            if table::output(address).is_none() {
                f.slot(Id::OutRange, index, &[&address]);
            }
        } else if address >= table::CONSTANTS {
            f.slot(Id::CRange, index, &[&format_args!("there is no constant {address} to write")]);
        }
    }
    if let Some(mask) = parts(slot).iter().find_map(|(operation, _)| lost_fog(operation)) {
        f.slot(Id::FogLane, index, &[&mask.letters()]);
    }
    let mac_nop = mac == Some(Mac::Nop);
    if mac_nop && (some(mac_mask) || (some(out_mask) && !to_ilu)) {
        f.slot(Id::NopHalf, index, &[&"vector"]);
    }
    if ilu == Ilu::Nop && (some(ilu_mask) || (some(out_mask) && to_ilu)) {
        f.slot(Id::NopHalf, index, &[&"scalar"]);
    }
    if mac == Some(Mac::Arl) && (some(mac_mask) || (some(out_mask) && !to_ilu)) {
        f.slot(Id::ArlDest, index, &[]);
    }
    let paired = slot.get(Field::Mac) != 0 && ilu != Ilu::Nop;
    if paired && some(ilu_mask) {
        if some(mac_mask) && temporary == table::PAIRED_TEMPORARY {
            f.slot(Id::R1Conflict, index, &[]);
        } else if !some(mac_mask) && temporary != table::PAIRED_TEMPORARY {
            f.slot(Id::IluTempField, index, &[&temporary]);
        }
    }
    if let Some(op) = mac.filter(|op| !matches!(op, Mac::Nop | Mac::Arl)) {
        if !some(mac_mask) && (!some(out_mask) || to_ilu) {
            f.slot(Id::NoDest, index, &[&op.row().name]);
        }
    }
    if ilu != Ilu::Nop && !some(ilu_mask) && (!some(out_mask) || !to_ilu) {
        f.slot(Id::NoDest, index, &[&ilu.row().name]);
    }
    if some(out_mask) && slot.get(Field::OutOrb) == 0 {
        if table::VIEWPORT_CONSTANTS.contains(&address) {
            f.slot(Id::ReservedConst, index, &[&address]);
        }
        f.slot(Id::CWrite, index, &[]);
    }
}

/// The mask of a write to oFog whose lanes hold something else than lane x, which is stored.
fn lost_fog(operation: &Operation) -> Option<WriteMask> {
    let (mask, operator) = (operation.dest.mask, operation.operator);
    if operation.dest.target != Target::Output(table::FOG as u8) || mask.has(0) {
        return None;
    }
    let lift = match operator {
        Operator::Mov => return differs(operation).then_some(mask),
        Operator::Mac(op) => op.row().lift,
        Operator::Ilu(op) => op.row().lift,
    };
    let other = match lift {
        Lift::Replicate(..) => false,
        Lift::PerComponent(_) | Lift::Set(_) | Lift::Custom(Special::MultiplyAdd) => differs(operation),
        Lift::Custom(Special::DotHomogeneous) => false,
        Lift::Custom(_) | Lift::Reserved => true,
    };
    other.then_some(mask)
}

/// Whether an operation that works lane by lane reads other components for a lane that it writes than for lane x.
fn differs(operation: &Operation) -> bool {
    let sources = operation.sources.iter().take(operation.operator.sources());
    sources.clone().any(|source| {
        operation.dest.mask.lanes().any(|lane| source.swizzle.get(lane) != source.swizzle.get(0))
    })
}

/// What has been written so far.
#[derive(Clone, Copy, Default)]
struct Written {
    temporaries: [WriteMask; table::TEMPORARIES as usize],
    position: WriteMask,
    address: bool,
}

impl Written {
    fn slot(&mut self, f: &mut Findings<'_>, index: usize, slot: &Slot) {
        let parts = parts(slot);
        let mut reads: [(Operand, WriteMask); 3] = [(Operand::NONE, WriteMask::NONE); 3];
        for (operation, ilu) in parts.iter() {
            let ports: &[Port] = match (ilu, slot.mac()) {
                (false, Some(mac)) => mac.ports(),
                _ => &[Port::C],
            };
            for (n, (port, operand)) in ports.iter().zip(operation.sources).enumerate() {
                let read = &mut reads[*port as usize];
                let lanes =
                    operand.swizzle.read_mask(lanes_read(operation.operator, n, operation.dest.lanes()));
                *read = (operand, read.1.union(lanes));
            }
        }
        let mut address = false;
        for (operand, lanes) in reads {
            self.read(f, index, operand, lanes);
            address |= operand.relative && lanes != WriteMask::NONE;
        }
        if address && !self.address {
            f.slot(Id::A0Unset, index, &[]);
        }
        for (operation, _) in parts.iter() {
            let dest = operation.dest;
            match dest.target {
                Target::Temporary(n) => {
                    if let Some(mask) = self.temporaries.get_mut(usize::from(n)) {
                        *mask = mask.union(dest.mask);
                    }
                }
                Target::Output(0) => self.position = self.position.union(dest.mask),
                Target::Output(_) | Target::Constant(_) => {}
                Target::Address => self.address = true,
            }
        }
    }

    fn read(&mut self, f: &mut Findings<'_>, index: usize, operand: Operand, lanes: WriteMask) {
        let missing = |written: WriteMask| WriteMask::from_bits(lanes.bits() & !written.bits());
        let number = operand.number;
        match operand.mux {
            Mux::Temporary if u32::from(number) == table::POSITION_SHADOW => {
                let missing = missing(self.position).letters();
                if !missing.is_empty() {
                    f.slot(Id::R12Unset, index, &[&missing]);
                }
            }
            Mux::Temporary => {
                let Some(written) = self.temporaries.get(usize::from(number)) else { return };
                let missing = missing(*written).letters();
                if !missing.is_empty() {
                    f.slot(Id::RUnset, index, &[&number, &missing]);
                }
            }
            Mux::Constant if lanes != WriteMask::NONE => {
                let n = u32::from(number);
                let direct = !operand.relative && table::VIEWPORT_CONSTANTS.contains(&n);
                // What A0 adds is not known here.
                if n < table::DIRECT3D_BIAS as u32 && !direct && !operand.relative {
                    f.slot(Id::UserRange, index, &[&n]);
                }
            }
            _ => {}
        }
    }
}
