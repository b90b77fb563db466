//! Writing programs in the languages of other tools, as far as those can say them.
//!
//! What is written reads back to slots that do the same; they are the very words if those are what nv2a-vsh and
//! vp20compiler emit. Nothing is written of the fields that nothing uses, of headers and of the commands of a pushbuffer.

use super::dialect::Dialect;
use super::errors::id;
use super::print::instruction;
use super::raw::{self, MAX_OPERATIONS};
use super::vp;
use crate::nv2a::pair::{Mode, Operand, Operation, Operator, Target, combine, parts};
use crate::nv2a::program::{Container, Kind, Mux, Program, Slot};
use crate::nv2a::table::{self, Field, Ilu, Mac};
use crate::text::numbers::push_decimal;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Most findings that are given.
const MAX_FINDINGS: usize = 100;

/// Writes a program in a language.
///
/// # Errors
///
/// Every reason why the language cannot say the program, with the slot.
pub fn write(program: &Program, dialect: Dialect) -> Result<String, Vec<Diagnostic>> {
    let mut writer =
        Writer { out: String::with_capacity(program.slots.len() * 48 + 32), findings: Vec::new(), program };
    match dialect {
        Dialect::Vsh => return Ok(raw::print(program)),
        Dialect::Vp => writer.vp(),
        Dialect::Xvs => writer.xvs(),
        Dialect::Xemu | Dialect::Log => {
            let message = "this language can only be read, not written";
            return Err(alloc::vec![Diagnostic::error(id::UNSAYABLE, message)]);
        }
    }
    if writer.findings.is_empty() { Ok(writer.out) } else { Err(writer.findings) }
}

struct Writer<'a> {
    out: String,
    findings: Vec<Diagnostic>,
    program: &'a Program,
}

/// The operations of a slot.
type Operations = ([Operation; MAX_OPERATIONS], usize);

impl Writer<'_> {
    #[cold]
    fn cannot(&mut self, index: Option<usize>, why: impl Into<String>) {
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        let mut finding = Diagnostic::error(id::UNSAYABLE, why);
        if let Some(slot) = index.and_then(|index| self.program.slots.get(index)) {
            let offset = index.and_then(|n| self.program.offsets().get(n).copied()).unwrap_or(0);
            finding.place = Place::Binary {
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
                token: index.and_then(|n| u32::try_from(n + 1).ok()),
            };
            finding.instruction = Some(instruction(slot));
        }
        self.findings.push(finding);
    }

    /// The slots that are run, and what is wrong with the end of the program.
    fn end(&mut self) {
        let count = self.program.slots.len();
        match self.program.slots.iter().position(Slot::is_final) {
            None => self.cannot(count.checked_sub(1), "no slot is final; in a text the last one always is"),
            Some(end) if end + 1 < count => {
                self.cannot(Some(end + 1), "this slot is after the end of the program");
            }
            Some(_) => {}
        }
    }

    /// The operations that say a slot, if a statement of them means the same.
    fn operations(&mut self, index: usize, slot: &Slot) -> Option<Operations> {
        match operations(slot) {
            Ok(operations) => Some(operations),
            Err(why) => {
                self.cannot(Some(index), why);
                None
            }
        }
    }

    fn vp(&mut self) {
        self.end();
        let slots = &self.program.slots;
        // Only state programs write constants, and they do nothing else.
        let writes = |slot: &Slot| slot.get(Field::OutOrb) == 0 && slot.output_mask() != WriteMask::NONE;
        let state = slots.iter().any(writes);
        if slots.len() > vp::INSTRUCTIONS {
            self.cannot(Some(vp::INSTRUCTIONS), "NV_vertex_program has 128 instructions at most");
        }
        self.out.push_str(if state { "!!VSP1.0\n" } else { "!!VP1.1\n" });
        let mut positioned = state;
        for (index, slot) in slots.iter().enumerate() {
            let Some((operations, count)) = self.operations(index, slot) else { continue };
            let Some(first) = operations.first().filter(|_| count > 0) else {
                self.cannot(Some(index), "NV_vertex_program has no instruction that does nothing");
                continue;
            };
            if count > 1 {
                self.cannot(
                    Some(index),
                    "NV_vertex_program has one operation and one destination per instruction; this slot has several",
                );
                continue;
            }
            positioned |= first.dest.target == Target::Output(0);
            match vp_instruction(first, state) {
                Ok(line) => {
                    self.out.push_str(&line);
                    self.out.push('\n');
                }
                Err(why) => self.cannot(Some(index), why),
            }
        }
        if !positioned {
            self.cannot(None, "NV_vertex_program refuses a program that does not write o[HPOS]");
        }
        self.out.push_str("END\n");
    }

    fn xvs(&mut self) {
        self.end();
        self.out.push_str(match self.program.container {
            Container::Microcode { version, .. } => match Kind::from_version(version) {
                Some(Kind::State) => "xvss.1.1\n",
                Some(Kind::ReadWrite) => "xvsw.1.1\n",
                _ => "xvs.1.1\n",
            },
            _ => "xvs.1.1\n",
        });
        for (index, slot) in self.program.slots.iter().enumerate() {
            let Some((operations, count)) = self.operations(index, slot) else { continue };
            if count == 0 {
                self.out.push_str("nop\n");
            }
            for (n, operation) in operations.iter().enumerate().take(count) {
                self.out.push_str(if n > 0 { "+ " } else { "" });
                push_xvs(&mut self.out, operation);
                self.out.push('\n');
            }
        }
    }
}

/// The operations of a slot, if a statement of them is a slot that means the same; else why not.
fn operations(slot: &Slot) -> Result<Operations, String> {
    let Some(mac) = slot.mac() else {
        return Err(format!("operation {} of the vector unit does not exist", slot.get(Field::Mac)));
    };
    let (ilu, to_ilu) = (slot.ilu(), slot.get(Field::OutMux) == 1);
    let output = slot.output_mask() != WriteMask::NONE;
    let half = |idle: bool, mask: WriteMask, port: bool| idle && (mask != WriteMask::NONE || port && output);
    if half(mac == Mac::Nop, slot.mac_mask(), !to_ilu) || half(ilu == Ilu::Nop, slot.ilu_mask(), to_ilu) {
        return Err("the result of a unit that does nothing is written".into());
    }
    let parts = parts(slot);
    let mut out = [super::vsh::EMPTY; MAX_OPERATIONS];
    let mut count = 0;
    for (operation, _) in parts.iter() {
        if !raw::is_sayable(operation) {
            return Err("the language has no name for a register of this slot".into());
        }
        match out.get_mut(count) {
            Some(place) => *place = *operation,
            None => return Err("the slot has more operations than a statement takes".into()),
        }
        count += 1;
    }
    let operations = out.get(..count).unwrap_or(&[]);
    // Which unit does a copy is not said, and matters only where both write the same.
    let r1 =
        |ilu| parts.iter().any(|(operation, of)| *of == ilu && operation.dest.target == Target::Temporary(1));
    if r1(false) && r1(true) {
        return Err("both units write r1".into());
    }
    if count > 0 {
        let again =
            combine(operations, &[], Mode::Strict).map_err(|_| "no statement assembles to this slot")?;
        if again.renamed.is_some() || !same(operations, &again.slot) {
            return Err("no statement assembles to this slot".into());
        }
        // In the order of the slot that the text makes: of two copies, either unit may do either.
        for (place, (operation, _)) in out.iter_mut().zip(self::parts(&again.slot).iter()) {
            *place = *operation;
        }
    }
    Ok((out, count))
}

/// Whether a slot says these operations and no others, whichever unit does them.
fn same(operations: &[Operation], slot: &Slot) -> bool {
    let again = parts(slot);
    again.iter().count() == operations.len()
        && operations.iter().all(|operation| again.iter().any(|(other, _)| meant(other) == meant(operation)))
}

/// The operation as it is meant: of a source of which one component is read, the others are not looked at.
fn meant(operation: &Operation) -> Operation {
    let mut out = *operation;
    if is_scalar(operation.operator) {
        if let Some(source) = out.sources.first_mut() {
            source.swizzle = Swizzle::splat(source.swizzle.get(0));
        }
    }
    for source in out.sources.iter_mut().skip(operation.operator.sources()) {
        *source = Operand::NONE;
    }
    out
}

fn is_scalar(operator: Operator) -> bool {
    match operator {
        Operator::Ilu(op) => op.is_scalar(),
        Operator::Mac(op) => op == Mac::Arl,
        Operator::Mov => false,
    }
}

/// Appends one letter where all are the same, else four, with the dot.
fn push_swizzle(out: &mut String, swizzle: Swizzle, scalar: bool) {
    let lanes = swizzle.lanes();
    let one = scalar || lanes.iter().all(|lane| *lane == lanes[0]);
    if !one && swizzle == Swizzle::IDENTITY {
        return;
    }
    out.push('.');
    for lane in lanes.into_iter().take(if one { 1 } else { 4 }) {
        out.push(b"xyzw"[usize::from(lane)] as char);
    }
}

fn push_mask(out: &mut String, mask: WriteMask) {
    if mask != WriteMask::ALL {
        out.push('.');
        for lane in mask.lanes() {
            out.push(b"xyzw"[lane & 3] as char);
        }
    }
}

fn push_signed(out: &mut String, n: i32) {
    if n < 0 {
        out.push('-');
    }
    push_decimal(out, n.unsigned_abs());
}

/// An instruction of NV_vertex_program, or why it has none.
fn vp_instruction(operation: &Operation, state: bool) -> Result<String, String> {
    let mut out = String::with_capacity(48);
    let name = match operation.operator {
        Operator::Ilu(Ilu::Expp) => "EXP".into(),
        Operator::Ilu(Ilu::Logp) => "LOG".into(),
        operator => operator.name().to_ascii_uppercase(),
    };
    if state && vp::LATER.contains(&name.as_str()) {
        return Err(format!("vertex state programs have no {name}"));
    }
    out.push_str(&name);
    out.push(' ');
    match operation.dest.target {
        Target::Temporary(n) => {
            out.push('R');
            push_decimal(&mut out, n.into());
        }
        Target::Address => out.push_str("A0.x"),
        Target::Output(_) if state => {
            return Err("NV_vertex_program has programs that write results and programs that write constants, not both".into());
        }
        Target::Output(n) => match vp::RESULTS.iter().find(|row| row.1 == n) {
            Some((name, _)) => out.push_str(&format!("o[{name}]")),
            None => return Err(format!("NV_vertex_program has no result {n}")),
        },
        Target::Constant(n) => out.push_str(&format!("c[{}]", absolute(n)?)),
    }
    if operation.dest.target != Target::Address {
        push_mask(&mut out, operation.dest.mask);
    }
    for operand in operation.sources.iter().take(operation.operator.sources()) {
        out.push_str(if operand.negate { ", -" } else { ", " });
        match operand.mux {
            Mux::Temporary => {
                out.push('R');
                push_decimal(&mut out, operand.number.into());
            }
            Mux::Attribute if state && operand.number != 0 => {
                return Err("vertex state programs have the attribute v[0] only".into());
            }
            Mux::Attribute if state => out.push_str("v[0]"),
            Mux::Attribute => match vp::ATTRIBUTES.iter().find(|row| row.1 == operand.number) {
                Some((name, _)) => out.push_str(&format!("v[{name}]")),
                None => {
                    let named = table::INPUTS.iter().find(|named| named.number == operand.number);
                    let about = named.map_or(String::new(), |named| format!(" ({})", named.doc));
                    return Err(format!("NV_vertex_program has no attribute for v{}{about}", operand.number));
                }
            },
            Mux::Constant if operand.relative => {
                let offset = i32::from(operand.number) - vp::BIAS as i32;
                if !vp::OFFSETS.contains(&offset) {
                    return Err(format!("NV_vertex_program adds -64 to 63 to A0.x, not {offset}"));
                }
                let sign = if offset < 0 { '-' } else { '+' };
                match offset {
                    0 => out.push_str("c[A0.x]"),
                    _ => out.push_str(&format!("c[A0.x{sign}{}]", offset.abs())),
                }
            }
            Mux::Constant => out.push_str(&format!("c[{}]", absolute(operand.number)?)),
            Mux::Undefined => return Err("a source names no register file".into()),
        }
        push_swizzle(&mut out, operand.swizzle, is_scalar(operation.operator));
    }
    out.push(';');
    Ok(out)
}

/// The number that NV_vertex_program has for a constant.
fn absolute(n: u8) -> Result<u32, String> {
    u32::from(n)
        .checked_sub(vp::BIAS)
        .ok_or_else(|| format!("NV_vertex_program has the hardware's constants c96 to c191, not c{n}"))
}

/// Appends an operation in the language of the XDK.
fn push_xvs(out: &mut String, operation: &Operation) {
    let constant = |out: &mut String, n: u8| {
        out.push('c');
        push_signed(out, i32::from(n) - table::DIRECT3D_BIAS);
    };
    let arl = operation.dest.target == Target::Address;
    out.push_str(if arl { "mov" } else { operation.operator.name() });
    out.push(' ');
    match operation.dest.target {
        Target::Temporary(n) => {
            out.push('r');
            push_decimal(out, n.into());
        }
        Target::Address => out.push_str("a0.x"),
        Target::Output(n) => out.push_str(table::output(n.into()).map_or("", |named| named.short)),
        Target::Constant(n) => constant(out, n),
    }
    if !arl {
        push_mask(out, operation.dest.mask);
    }
    for operand in operation.sources.iter().take(operation.operator.sources()) {
        out.push_str(if operand.negate { ", -" } else { ", " });
        match operand.mux {
            Mux::Temporary => {
                out.push('r');
                push_decimal(out, operand.number.into());
            }
            Mux::Attribute | Mux::Undefined => {
                out.push('v');
                push_decimal(out, operand.number.into());
            }
            Mux::Constant if operand.relative => {
                out.push_str("c[a0.x");
                let offset = i32::from(operand.number) - table::DIRECT3D_BIAS;
                if offset >= 0 {
                    out.push('+');
                }
                push_signed(out, offset);
                out.push(']');
            }
            Mux::Constant => constant(out, operand.number),
        }
        push_swizzle(out, operand.swizzle, false);
    }
}
