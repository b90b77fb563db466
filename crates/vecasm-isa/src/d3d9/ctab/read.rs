//! Reading: every offset is checked, nothing is followed without bound, and each field that leads nowhere is a finding.

use super::{CLASSES, Constant, ConstantTable, KINDS, Member, RegisterSet, TABLE, Type};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// Deepest structure.
const MAX_DEPTH: usize = 16;
/// Most findings of one table.
const MAX_FINDINGS: usize = 50;
/// Bytes of the header, a constant, a type, a member.
const HEADER: usize = 28;
const INFO: usize = 20;
const TYPE: usize = 16;
const MEMBER: usize = 8;

struct Reader<'a> {
    words: &'a [u32],
    findings: Vec<Diagnostic>,
    /// Members, bytes of names and words of default values that may still be read: tables share what they point to.
    members: usize,
    names: usize,
    defaults: usize,
}

/// Reads a table: the words of a comment, its name the first one. There is a table if its header can be read; every field that is
/// malformed is a finding, and what it leads to is left out.
pub fn read(words: &[u32]) -> (Option<ConstantTable>, Vec<Diagnostic>) {
    let words = words.get(1..).unwrap_or(&[]);
    let size = words.len() * 4;
    let mut reader = Reader {
        words,
        findings: Vec::new(),
        members: words.len() + 1024,
        names: size * 4 + 65_536,
        defaults: size + 4096,
    };
    let table = reader.table();
    (table, reader.findings)
}

impl Reader<'_> {
    #[cold]
    fn report(&mut self, message: impl core::fmt::Display) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(TABLE.finding(format!("table of constants: {message}")));
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        let word = self.words.get(at / 4)?;
        Some((word >> (at % 4 * 8)) as u8)
    }

    fn half(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(at)?, self.byte(at.checked_add(1)?)?]))
    }

    fn word(&self, at: usize) -> Option<u32> {
        if at % 4 == 0 {
            return self.words.get(at / 4).copied();
        }
        let low = u32::from(self.half(at)?);
        Some(low | u32::from(self.half(at.checked_add(2)?)?) << 16)
    }

    fn offset(&self, at: usize) -> Option<usize> {
        self.word(at)?.try_into().ok()
    }

    fn text(&mut self, at: usize, what: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let mut at = at;
        loop {
            match self.byte(at) {
                Some(0) => break,
                Some(byte) if self.names > 0 => {
                    self.names -= 1;
                    bytes.push(byte);
                }
                Some(_) => {
                    self.report("the names are too long in total");
                    return None;
                }
                None => {
                    self.report(format!("{what} points outside the table or is not terminated"));
                    return None;
                }
            }
            at += 1;
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn table(&mut self) -> Option<ConstantTable> {
        let mut header = [0; 7];
        for (n, to) in header.iter_mut().enumerate() {
            let Some(word) = self.words.get(n) else {
                self.report(format!("the header is cut off after {n} words"));
                return None;
            };
            *to = *word;
        }
        let [size, creator, version, count, infos, flags, target] = header;
        if size as usize != HEADER {
            self.report(format!("the header says that it has {size} bytes, not {HEADER}"));
        }
        let creator = self.optional(creator, "the name of the creator");
        let target = self.optional(target, "the name of the target");
        let mut constants = Vec::new();
        for n in 0..count as usize {
            let at = n.checked_mul(INFO).and_then(|at| at.checked_add(infos as usize));
            let Some(at) = at.filter(|at| self.byte(at.saturating_add(INFO - 1)).is_some()) else {
                self.report(format!("constant {n} of {count} is outside the table"));
                break;
            };
            if let Some(constant) = self.constant(at, n) {
                constants.push(constant);
            }
        }
        Some(ConstantTable { creator, version, flags, target, constants })
    }

    fn optional(&mut self, at: u32, what: &str) -> Option<String> {
        if at == 0 { None } else { self.text(at as usize, what) }
    }

    fn constant(&mut self, at: usize, n: usize) -> Option<Constant> {
        let name = self.offset(at)?;
        let name = self.text(name, &format!("the name of constant {n}"))?;
        let (set, index, count, reserved) =
            (self.half(at + 4)?, self.half(at + 6)?, self.half(at + 8)?, self.half(at + 10)?);
        if RegisterSet::from_code(set).is_none() {
            self.report(format!("constant {n} is in the register set {set}, which does not exist"));
        }
        let ty = self.offset(at + 12)?;
        let ty = self.ty(ty, 0, n)?;
        let default = match self.offset(at + 16)? {
            0 => None,
            at => self.default(at, set, count, &ty, n),
        };
        Some(Constant { name, set, index, count, reserved, ty, default })
    }

    fn ty(&mut self, at: usize, depth: usize, n: usize) -> Option<Type> {
        if depth >= MAX_DEPTH {
            self.report(format!("the type of constant {n} is nested more than {MAX_DEPTH} deep"));
            return None;
        }
        let half = |n: usize| self.half(at.checked_add(n * 2)?);
        let fields = (half(0), half(1), half(2), half(3), half(4), half(5));
        let members = at.checked_add(TYPE - 4).and_then(|at| self.offset(at));
        let (
            (Some(class), Some(kind), Some(rows), Some(columns), Some(elements), Some(count)),
            Some(members),
        ) = (fields, members)
        else {
            self.report(format!("the type of constant {n} is outside the table"));
            return None;
        };
        let mut ty = Type { class, kind, rows, columns, elements, members: Vec::new() };
        if usize::from(class) >= CLASSES.len() {
            self.report(format!("constant {n} has a type of class {class}, which does not exist"));
        }
        if usize::from(kind) >= KINDS.len() {
            self.report(format!("constant {n} has components of type {kind}, which does not exist"));
        }
        for member in 0..usize::from(count) {
            let Some(left) = self.members.checked_sub(1) else {
                self.report("the structures have too many members in total");
                break;
            };
            self.members = left;
            let at = members.checked_add(member * MEMBER);
            let Some((name, inner)) =
                at.and_then(|at| Some((self.offset(at)?, self.offset(at.checked_add(4)?)?)))
            else {
                self.report(format!("the members of constant {n} are outside the table"));
                break;
            };
            let Some(name) = self.text(name, &format!("the name of a member of constant {n}")) else { break };
            let Some(inner) = self.ty(inner, depth + 1, n) else { break };
            ty.members.push(Member { name, ty: inner });
        }
        Some(ty)
    }

    /// The default value: four words a register, of booleans one. It is there for the whole type, even if the shader
    /// reads fewer registers; but not behind the end of the table. Integers have it in the layout of floating-point
    /// constants, though each of their components takes a register.
    fn default(&mut self, at: usize, set: u16, count: u16, ty: &Type, n: usize) -> Option<Vec<u32>> {
        let each = match RegisterSet::from_code(set) {
            Some(RegisterSet::Int4 | RegisterSet::Float4) => 4,
            Some(RegisterSet::Bool | RegisterSet::Sampler) | None => 1,
        };
        let whole = ty.registers(each == 1).saturating_mul(each);
        let fits =
            |len: usize| at.checked_add(len.saturating_mul(4)).is_some_and(|end| end <= self.words.len() * 4);
        let ints = RegisterSet::from_code(set) == Some(RegisterSet::Int4);
        let len = if ints && whole > 0 { whole } else { usize::from(count) * each };
        let len = if whole > len && fits(whole) { whole } else { len };
        if at.checked_add(len.saturating_mul(4)).is_none_or(|end| end > self.words.len() * 4) {
            self.report(format!("the default value of constant {n} is outside the table"));
            return None;
        }
        let Some(left) = self.defaults.checked_sub(len) else {
            self.report("the default values are too long in total");
            return None;
        };
        self.defaults = left;
        (0..len).map(|word| self.word(at + word * 4)).collect()
    }
}
