//! The source and destination checks of a token.

use super::super::program::{Dest, RegType, Source, Stage};
use super::super::table::Opcode;
use super::options::{CubeNomip, DestHighNibble, OutputRange, SamplerExtended, SamplerReserved, VaryingInIf};
use super::table::RuleId;
use super::validate::{Info, Kind, MessageArguments, READS, Slot, Validator};

const SAMPLER: u8 = RegType::Sampler.code();
const CONSTANT: u8 = RegType::Constant.code();
const TEMPORARY: u8 = RegType::Temporary.code();

/// Bits 36–39, 44–47 and 50–62 of a source.
const RESERVED: u64 = 0xf << 36 | 0xf << 44 | 0x1fff << 50;

/// Offset, index type and index component of a source.
const INDEX_FIELDS: u64 = 0xff << 16 | 0xf << 40 | 3 << 48;

/// Register types that are internal to Adobe's code: they pass as types there and fail as reserved bits.
const INTERNAL_TYPES: [u8; 4] = [0x11, 0x12, 0x13, 0x16];

impl Validator<'_> {
    /// The rule that a register number of that type is out of range, or that there is no such type.
    #[cold]
    fn range_rule(&self, ty: u8) -> RuleId {
        match RegType::from_code(ty) {
            Some(RegType::Attribute) => RuleId::E3658,
            Some(RegType::Constant) => RuleId::E3659,
            Some(RegType::Temporary) => RuleId::E3661,
            Some(RegType::Output) => RuleId::E3660,
            Some(RegType::Varying) => RuleId::E3657,
            Some(RegType::Sampler) => RuleId::E3656,
            Some(RegType::Depth) if self.modern => RuleId::E3749,
            Some(RegType::InstanceId) if self.modern && self.version < 3 => RuleId::E3789,
            Some(RegType::InstanceId) if self.modern => RuleId::IidIndex,
            _ => RuleId::E3655,
        }
    }

    /// Checks a source operand, up to its first fault.
    #[inline]
    pub(super) fn source(&mut self, source: Source, slot: Slot, kind: Kind, info: &Info) {
        let fault = match kind {
            Kind::Unused => {
                if source.0 == 0 {
                    return;
                }
                Some(RuleId::E3636)
            }
            _ if source.type_byte() == SAMPLER => return self.sampler_source(source, slot, kind, info),
            Kind::Sampler => Some(RuleId::E3693),
            _ if source.0 & RESERVED != 0 => Some(RuleId::E3654),
            _ if source.is_indirect() => self.indirect(source, info),
            _ => self.direct(source, kind),
        };
        if let Some(rule) = fault {
            self.report(rule, MessageArguments::Operand(slot));
        }
    }

    fn direct(&mut self, source: Source, kind: Kind) -> Option<RuleId> {
        if source.0 & INDEX_FIELDS != 0 {
            return Some(RuleId::E3643);
        }
        let ty = source.type_byte();
        let number = usize::from(source.number());
        let rows = match kind {
            Kind::Rows(rows) => usize::from(rows),
            _ => 1,
        };
        if number + rows > usize::from(self.source_limits[usize::from(ty & 15)]) {
            return Some(self.range_rule(ty));
        }
        if kind == Kind::Scalar && !source.swizzle().is_scalar() {
            return Some(RuleId::E3703);
        }
        let lanes = READS[usize::from(source.swizzle().bits())];
        match RegType::from_code(ty)? {
            RegType::Constant | RegType::Sampler => None,
            RegType::Attribute => (self.stage == Stage::Fragment).then_some(RuleId::E3645),
            RegType::Varying => {
                if self.stage == Stage::Vertex {
                    return Some(RuleId::E3644);
                }
                // All rows of a matrix are read.
                for mask in self.varyings.iter_mut().skip(number).take(rows) {
                    *mask |= lanes;
                }
                None
            }
            RegType::Output | RegType::Depth => Some(RuleId::E3646),
            // Of a matrix only the first row counts.
            RegType::Temporary => self.unwritten(number, lanes),
            RegType::InstanceId => (self.stage == Stage::Fragment).then_some(RuleId::E3788),
        }
    }

    /// Whether `lanes` of a temporary have been written.
    #[inline]
    fn unwritten(&self, number: usize, lanes: u8) -> Option<RuleId> {
        let written = self.temps.get(number).copied().unwrap_or(0);
        if lanes & !written == 0 {
            return None;
        }
        Some(if written == 0 { RuleId::E3647 } else { RuleId::E3648 })
    }

    fn indirect(&mut self, source: Source, info: &Info) -> Option<RuleId> {
        if self.stage == Stage::Fragment {
            return Some(RuleId::E3639);
        }
        if source.type_byte() != CONSTANT {
            return Some(RuleId::E3640);
        }
        if info.texture {
            return Some(RuleId::E3641);
        }
        let ty = source.index_type_byte();
        let number = usize::from(source.number());
        if number >= usize::from(self.source_limits[usize::from(ty & 15)]) {
            return Some(self.range_rule(ty));
        }
        match RegType::from_code(ty) {
            Some(RegType::Attribute | RegType::Constant) => None,
            Some(RegType::Temporary) => self.unwritten(number, 1 << source.index_component()),
            _ => Some(RuleId::E3642),
        }
    }

    /// A source of the type sampler.
    fn sampler_source(&mut self, source: Source, slot: Slot, kind: Kind, info: &Info) {
        let fault = if source.number() >= self.source_limits[usize::from(SAMPLER)] {
            RuleId::E3656
        } else if self.stage == Stage::Vertex && self.version < 4 {
            RuleId::E3637
        } else if kind != Kind::Sampler {
            RuleId::E3638
        } else {
            return self.sampler_fields(source, slot, info);
        };
        self.report(fault, MessageArguments::Operand(slot));
    }

    /// The fields of a sampler operand; each is judged for itself.
    fn sampler_fields(&mut self, source: Source, slot: Slot, info: &Info) {
        let sampler = source.sampler();
        let extended = self.switches.sampler_extended == SamplerExtended::Accept;
        if sampler.reserved() != 0 && self.switches.sampler_reserved == SamplerReserved::Refuse {
            self.report(RuleId::E3654, MessageArguments::Operand(slot));
        }
        match sampler.dim() {
            0 => {}
            1 => {
                if sampler.wrap() != 0 {
                    self.report(RuleId::E3662, MessageArguments::Operand(slot));
                }
                if sampler.mip() == 0 && self.switches.cube_nomip == CubeNomip::Refuse {
                    self.report(RuleId::E3704, MessageArguments::Operand(slot));
                }
            }
            dim => self.report(RuleId::E3664, MessageArguments::Value(slot, dim)),
        }
        match sampler.filter() {
            0 | 1 => {}
            2..=5 if extended => {
                if self.stage == Stage::Vertex {
                    self.report(RuleId::E3804, MessageArguments::Token);
                }
            }
            filter => self.report(RuleId::E3665, MessageArguments::Value(slot, filter)),
        }
        if sampler.mip() > 2 {
            self.report(RuleId::E3666, MessageArguments::Value(slot, sampler.mip()));
        }
        match sampler.wrap() {
            0 | 1 => {}
            2 | 3 if extended => {}
            wrap => self.report(RuleId::E3667, MessageArguments::Value(slot, wrap)),
        }
        match sampler.special() {
            0 => {}
            4 if extended => {}
            special @ 1..=7 if extended => self.warn(RuleId::E3668, MessageArguments::Value(slot, special)),
            special => self.report(RuleId::E3668, MessageArguments::Value(slot, special)),
        }
        if info.is(Opcode::Ted) {
            if sampler.bias_eighths() != 0 {
                self.report(RuleId::E3740, MessageArguments::Token);
            }
            if sampler.mip() == 0 {
                self.report(RuleId::E3743, MessageArguments::Token);
            }
        }
    }

    /// Checks a destination operand, up to its first fault, and notes what it writes.
    #[inline]
    pub(super) fn dest(&mut self, dest: Dest) {
        let fault = match self.dest_limits.get(usize::from(dest.type_byte())) {
            None => self.dest_type(dest),
            Some(&limit) if dest.number() >= limit => self.dest_range(dest),
            Some(_) => {
                if dest.reserved() != 0 {
                    self.note_written(dest);
                    Some(RuleId::E3654)
                } else if dest.type_byte() == TEMPORARY {
                    self.temps[usize::from(dest.number() & 31)] |= dest.mask().bits();
                    (dest.mask().bits() == 0).then_some(RuleId::E3653)
                } else {
                    self.dest_register(dest)
                }
            }
        };
        if let Some(rule) = fault {
            self.report(rule, MessageArguments::Operand(Slot::Dest));
        }
    }

    /// A type byte above 7.
    #[cold]
    fn dest_type(&self, dest: Dest) -> Option<RuleId> {
        let internal = INTERNAL_TYPES.contains(&dest.type_byte());
        Some(match self.switches.dest_high_nibble {
            DestHighNibble::E3654 if internal => RuleId::E3654,
            _ => RuleId::E3655,
        })
    }

    #[cold]
    fn dest_range(&self, dest: Dest) -> Option<RuleId> {
        let color = dest.reg_type() == Some(RegType::Output) && self.stage == Stage::Fragment;
        if color && self.version > 1 && self.switches.output_range == OutputRange::E3760 {
            return Some(RuleId::E3760);
        }
        Some(self.range_rule(dest.type_byte()))
    }

    /// A register that exists and is no temporary.
    fn dest_register(&mut self, dest: Dest) -> Option<RuleId> {
        let vertex = self.stage == Stage::Vertex;
        let mask = dest.mask().bits();
        let empty = (mask == 0).then_some(RuleId::E3653);
        match dest.reg_type()? {
            RegType::Sampler => Some(RuleId::E3649),
            RegType::Varying if !vertex => Some(RuleId::E3650),
            RegType::Attribute => Some(RuleId::E3651),
            RegType::Constant => Some(RuleId::E3652),
            RegType::InstanceId => Some(RuleId::E3786),
            RegType::Temporary => empty,
            RegType::Varying => {
                self.note_written(dest);
                let counts = self.switches.varying_in_if == VaryingInIf::Refuse;
                empty.or((counts && self.conditional()).then_some(RuleId::E3751))
            }
            RegType::Output => {
                let again = self.outputs.get(usize::from(dest.number())).is_some_and(|&m| m != 0);
                self.note_written(dest);
                if !vertex && mask != 15 {
                    return Some(RuleId::E3701);
                }
                let rule = empty.or(self.conditional().then_some(RuleId::E3751));
                if again && !vertex && self.version > 1 {
                    // Not a property of the operand: it has a message without one.
                    self.report(RuleId::E3744, MessageArguments::Token);
                }
                rule
            }
            RegType::Depth if vertex => Some(RuleId::E3750),
            RegType::Depth if mask != 1 => Some(RuleId::E3756),
            RegType::Depth => self.conditional().then_some(RuleId::E3751),
        }
    }

    /// Notes what a destination writes; a faulty mask of a color output counts as all of it, so that nobody is
    /// blamed twice.
    fn note_written(&mut self, dest: Dest) {
        let number = usize::from(dest.number());
        let mask = dest.mask().bits();
        let (register, mask) = match dest.reg_type() {
            Some(RegType::Temporary) => (self.temps.get_mut(number), mask),
            Some(RegType::Varying) if self.stage == Stage::Vertex => (self.varyings.get_mut(number), mask),
            Some(RegType::Output) if self.stage == Stage::Fragment => (self.outputs.get_mut(number), 15),
            Some(RegType::Output) => (self.outputs.get_mut(number), mask),
            _ => (None, 0),
        };
        if let Some(register) = register {
            *register |= mask;
        }
    }
}
