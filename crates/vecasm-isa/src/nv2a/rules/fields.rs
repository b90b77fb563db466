//! What the fields of a slot say, and which of their bits nothing looks at.

use super::usage::lanes_read;
use crate::nv2a::pair::parts;
use crate::nv2a::program::{Mux, Slot, Source};
use crate::nv2a::table::{self, Field, Ilu, Mac, Port, mask_from_field, mask_to_field, swizzle_from_field};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// A field of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMeaning {
    /// Which one.
    pub field: Field,
    /// Its value.
    pub value: u32,
    /// The bits of the value that what the slot does depends on, as far as that is known; none if nothing looks at the
    /// field.
    pub care: u32,
    /// What the value means, a few words.
    pub meaning: String,
}

impl FieldMeaning {
    /// Whether anything looks at the field.
    pub const fn matters(&self) -> bool {
        self.care != 0
    }
}

/// Says what every field of a slot means, in the order of [`Field::ALL`].
pub fn field_meanings(slot: &Slot) -> Vec<FieldMeaning> {
    let view = View::of(slot);
    Field::ALL
        .iter()
        .map(|&field| {
            let (care, meaning) = view.field(field);
            FieldMeaning { field, value: slot.get(field), care, meaning }
        })
        .collect()
}

/// A slot and what follows from several of its fields.
struct View<'a> {
    slot: &'a Slot,
    /// The lanes of each source that an operation looks at, in the order of [`Port::ALL`].
    lanes: [WriteMask; 3],
}

/// Every bit of a field.
const fn all(field: Field) -> u32 {
    u32::MAX >> (32 - field.width())
}

impl<'a> View<'a> {
    fn of(slot: &'a Slot) -> Self {
        let mut lanes = [WriteMask::NONE; 3];
        let parts = parts(slot);
        for (operation, scalar) in parts.iter() {
            let ports: &[Port] = match slot.mac() {
                Some(mac) if !scalar => mac.ports(),
                _ => &[Port::C],
            };
            for (n, port) in ports.iter().enumerate() {
                let read = lanes_read(operation.operator, n, operation.dest.lanes());
                if let Some(lanes) = lanes.get_mut(*port as usize) {
                    *lanes = lanes.union(read);
                }
            }
        }
        Self { slot, lanes }
    }

    fn lanes_of(&self, port: Port) -> WriteMask {
        self.lanes.get(port as usize).copied().unwrap_or_default()
    }

    /// The source that a field belongs to.
    fn port_of(field: Field) -> Option<Port> {
        Port::ALL.into_iter().find(|port| {
            let (mux, temporary, swizzle, negate) = port.fields();
            [mux, temporary, swizzle, negate].contains(&field)
        })
    }

    /// The sources that are looked at and read that file.
    fn readers(&self, mux: Mux) -> String {
        let reads =
            |port: &&Port| self.lanes_of(**port) != WriteMask::NONE && self.slot.source(**port).mux == mux;
        let letters: Vec<String> = Port::ALL.iter().filter(reads).map(|p| p.letter().to_string()).collect();
        match letters.as_slice() {
            [] => String::new(),
            [one] => format!("source {one}"),
            several => format!("sources {}", several.join(", ")),
        }
    }

    /// The bits that matter, and the meaning.
    fn field(&self, field: Field) -> (u32, String) {
        let slot = self.slot;
        let value = slot.get(field);
        let unused = |what: &str| (0, what.to_string());
        if let Some(port) = Self::port_of(field) {
            return self.source_field(field, port);
        }
        let (mac, ilu) = (slot.mac(), slot.ilu());
        let to_scalar = slot.get(Field::OutMux) == 1;
        // What a unit without an operation would write is not known.
        let mac_works = mac.is_some_and(|mac| mac != Mac::Nop);
        let some = |mask: WriteMask| mask != WriteMask::NONE;
        let output = slot.output_mask();
        let address = slot.get(Field::OutAddress);
        match field {
            Field::Word0 => unused("not kept by the hardware"),
            Field::Word1High => unused("not kept by the hardware: a slot has 92 bits there"),
            Field::Ilu => (all(field), ilu.row().name.into()),
            Field::Mac => match mac {
                Some(mac) => (all(field), mac.row().name.into()),
                None => (all(field), "no operation known".into()),
            },
            Field::Const => {
                let readers = self.readers(Mux::Constant);
                if readers.is_empty() {
                    return unused("no source reads a constant");
                }
                let register =
                    if slot.get(Field::A0x) == 1 { format!("c[A0+{value}]") } else { format!("c{value}") };
                (all(field), format!("{register}, {readers}"))
            }
            Field::Input => {
                let readers = self.readers(Mux::Attribute);
                if readers.is_empty() {
                    return unused("no source reads an attribute");
                }
                let named = table::INPUTS.iter().find(|named| u32::from(named.number) == value);
                let about = named.map_or(String::new(), |named| format!(" ({})", named.doc));
                (all(field), format!("v{value}{about}, {readers}"))
            }
            Field::OutMacMask => match (mac_works, slot.mac_mask()) {
                (false, _) => unused("the vector unit does nothing"),
                (true, mask) if mac == Some(Mac::Arl) && some(mask) => {
                    (all(field), format!("{}, which ARL does not define", written(mask)))
                }
                (true, mask) if some(mask) => {
                    (all(field), format!("the vector unit writes {}", written(mask)))
                }
                _ => (all(field), "the vector unit writes no temporary".into()),
            },
            Field::OutTempReg => {
                let by_mac = mac_works && some(slot.mac_mask());
                let by_ilu = slot.get(Field::Mac) == 0 && ilu != Ilu::Nop && some(slot.ilu_mask());
                match (by_mac, by_ilu) {
                    (true, _) => (all(field), format!("r{value}, the vector unit")),
                    (_, true) => (all(field), format!("r{value}, the scalar unit")),
                    _ if ilu != Ilu::Nop && some(slot.ilu_mask()) => {
                        unused("the scalar unit writes r1 when paired with the vector unit")
                    }
                    _ => unused("no temporary is written"),
                }
            }
            Field::OutIluMask => match (ilu, slot.ilu_mask()) {
                (Ilu::Nop, _) => unused("the scalar unit does nothing"),
                (_, mask) if some(mask) => (
                    all(field),
                    format!("the scalar unit writes {} of r{}", written(mask), slot.ilu_temporary()),
                ),
                _ => (all(field), "the scalar unit writes no temporary".into()),
            },
            Field::OutOMask if !some(output) => (all(field), "no output or constant is written".into()),
            Field::OutOMask if slot.get(Field::OutOrb) == 1 && address & 15 == table::FOG => {
                (all(field), format!("{}, of which oFog takes lane x of the result", written(output)))
            }
            Field::OutOMask => (all(field), written(output)),
            Field::OutOrb | Field::OutAddress | Field::OutMux if !some(output) => {
                unused("no output or constant is written")
            }
            Field::OutOrb => (all(field), if value == 1 { "an output" } else { "a constant" }.into()),
            Field::OutAddress if slot.get(Field::OutOrb) == 0 => (all(field), format!("c{value}")),
            Field::OutAddress => {
                let about = table::output(address).map(|named| format!("{} ({})", named.short, named.doc));
                (all(field), about.unwrap_or_else(|| "an output without a name".into()))
            }
            Field::OutMux => {
                let works = if to_scalar { ilu != Ilu::Nop } else { mac_works };
                let unit = if to_scalar { "scalar" } else { "vector" };
                let what = if works { "" } else { ", which does nothing" };
                (all(field), format!("the {unit} unit writes it{what}"))
            }
            Field::A0x => match (self.readers(Mux::Constant).is_empty(), value) {
                (true, _) => unused("no source reads a constant"),
                (_, 1) => (all(field), "A0 is added to the number of the constant".into()),
                _ => (all(field), "the number of the constant is absolute".into()),
            },
            Field::Final if value == 1 => (all(field), "the program ends here".into()),
            Field::Final => (all(field), "the program continues".into()),
            // Fields of sources are above.
            _ => unused(""),
        }
    }

    fn source_field(&self, field: Field, port: Port) -> (u32, String) {
        let lanes = self.lanes_of(port);
        if lanes == WriteMask::NONE {
            return (0, format!("source {} is not read", port.letter()));
        }
        let Source { mux, number, relative, negate, .. } = self.slot.source(port);
        match field {
            Field::AMux | Field::BMux | Field::CMux => {
                let register = match mux {
                    Mux::Temporary => format!("temporaries: r{number}"),
                    Mux::Attribute => format!("attributes: v{number}"),
                    Mux::Constant if relative => format!("constants: c[A0+{number}]"),
                    Mux::Constant => format!("constants: c{number}"),
                    Mux::Undefined => "no known file".into(),
                };
                (all(field), register)
            }
            Field::ATempReg | Field::BTempReg | Field::CTempReg if mux != Mux::Temporary => {
                (0, format!("source {} reads another file", port.letter()))
            }
            Field::ATempReg | Field::BTempReg | Field::CTempReg => {
                let about = if number == table::POSITION_SHADOW { ", which reads oPos" } else { "" };
                (all(field), format!("r{number}{about}"))
            }
            Field::ANeg | Field::BNeg | Field::CNeg => {
                (all(field), if negate { "negated" } else { "as it is" }.into())
            }
            _ => {
                // A lane has two bits of the swizzle, x the highest.
                let bits = mask_to_field(lanes);
                let care = (0..4).filter(|n| bits >> n & 1 == 1).fold(0, |care, n| care | 3 << (2 * n));
                let lanes = mask_from_field(bits);
                let swizzle = swizzle_from_field(self.slot.get(field)).letters();
                let of = if lanes == WriteMask::ALL {
                    String::new()
                } else {
                    format!(", for {} only", lanes.letters())
                };
                (care, format!(".{swizzle}{of}"))
            }
        }
    }
}

/// A write mask in words.
fn written(mask: WriteMask) -> String {
    format!(".{}", mask.letters())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few slots of every kind: all operations, files and destinations come up.
    fn slots() -> Vec<Slot> {
        let mut state = 3_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        (0..2000)
            .map(|n| {
                let mut slot = Slot([0, next(), next(), next()]);
                // Operations that exist, masks that are often empty, and no half without an operation that writes.
                slot.set(Field::Mac, n % 14);
                for (mask, one_in) in [(Field::OutMacMask, 3), (Field::OutIluMask, 2), (Field::OutOMask, 3)] {
                    if next() % one_in == 0 {
                        slot.set(mask, 0);
                    }
                }
                if slot.get(Field::Mac) == 0 || slot.mac() == Some(Mac::Arl) {
                    slot.set(Field::OutMacMask, 0);
                    slot.set(Field::OutMux, 1);
                }
                if slot.ilu() == Ilu::Nop {
                    slot.set(Field::OutIluMask, 0);
                    slot.set(Field::OutMux, 0);
                }
                slot
            })
            .collect()
    }

    /// What a slot does: its operations, with the lanes that they do not look at made equal.
    fn meaning(slot: &Slot) -> String {
        let mut out = String::new();
        for (operation, scalar) in parts(slot).iter() {
            out += &format!("{scalar} {:?} {:?}", operation.operator, operation.dest);
            for (n, source) in operation.sources.iter().enumerate().take(operation.operator.sources()) {
                let read = lanes_read(operation.operator, n, operation.dest.lanes());
                let lanes: Vec<u8> = read.lanes().map(|lane| source.swizzle.get(lane)).collect();
                if !lanes.is_empty() {
                    let (mux, number) = (source.mux, source.number);
                    out += &format!(" {mux:?} {number} {} {} {lanes:?}", source.relative, source.negate);
                }
            }
        }
        out
    }

    /// Bits that do not matter change nothing; those that do change something, each in at least some slot.
    #[test]
    fn what_does_not_matter_changes_nothing() {
        let mut changes = [0_u32; 128];
        for slot in slots() {
            for told in field_meanings(&slot) {
                assert!(!told.meaning.is_empty(), "{}", told.field.name());
                for bit in 0..told.field.width() {
                    let mut other = slot;
                    other.set(told.field, told.value ^ 1 << bit);
                    let same = meaning(&other) == meaning(&slot);
                    if told.care >> bit & 1 == 0 {
                        assert!(same, "{} bit {bit} of {slot:?}: {}", told.field.name(), told.meaning);
                    } else if !same {
                        let changed = (0..4).map(|n| slot.0[n] ^ other.0[n]);
                        for (n, word) in changed.enumerate().filter(|(_, word)| *word != 0) {
                            changes[n * 32 + word.trailing_zeros() as usize] += 1;
                        }
                    }
                }
            }
        }
        for (bit, n) in changes.iter().enumerate() {
            // Word 0, the top of word 1 and FINAL are no part of what the operations do.
            let outside = bit < 32 || (60..64).contains(&bit) || bit == 96;
            assert_eq!(*n == 0, outside, "bit {bit} of the slot");
        }
    }
}
