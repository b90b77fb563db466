//! From Direct3D 8 to 9: what wrappers around old programs do by rewriting text, on tokens and with reasons.
//!
//! | what Direct3D 8 takes | becomes |
//! |---|---|
//! | vs_1_0, ps_1_0 | vs_1_1, ps_1_1 |
//! | inputs without declarations | a declaration of each that is read, by [`D3D8_INPUTS`] or as the caller says |
//! | `rcp r0, c0`: several components for one | the fourth, which is the one that is read |
//! | a mask on `oFog` and `oPts`, or more than one component for them | no mask, and the first component |
//! | a mask on `a0` | `.x` |
//! | `frc` with another mask than `.y` and `.xy` | through a free register, two components at a time |
//! | `m3x3 r0, r1, c0`: a mask with more components than the matrix has rows | without those, which are not written |
//! | `m4x4 r0, r0, c0`: the result in a source | through a free register |
//! | two constants, or two inputs, in one instruction | one of them through a free register |
//! | ps_1_x: a modifier on a constant | through a free register, or a constant that has the value |
//! | ps_1_2, ps_1_3: `cmp` into one of its sources | through a free register |
//! | ps_1_1 to ps_1_3: texture instructions behind others | in front of them, where that is the same |
//! | components that are read and never written; a position that is not whole | zeros, and 1 for the fourth component of the position: they had no value |
//!
//! What follows from [`validate`] under [`Profile::D3d9`] afterwards cannot be helped and is an error.

use super::lines::{Lines, Op, ROOM, Reg, Use, instruction, instruction_of, name};
use super::sweep::{CONSTANTS, Sweep};
use super::{Conversion, REFUSED};
use crate::d3d9::program::{Destination, Program, Source, Stage, Usage, Version};
use crate::d3d9::registers::{RegType, SOURCE_MODIFIERS};
use crate::d3d9::rules::{Options, Profile, validate};
use crate::d3d9::table::{Opcode, Unit};
use crate::d3d9::text::version_name;
use crate::d3d9::usages::{self, D3D8_INPUTS};
use crate::table::{Lift, Shape};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Severity};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// How a program is upgraded.
#[derive(Clone, Debug, Default)]
pub struct UpgradeOptions {
    /// What inputs are: register, code of the usage, index. An input that is not listed is what Direct3D 8 says it is.
    pub inputs: Vec<(u16, u8, u8)>,
}

/// Makes a program of Direct3D 8 one of Direct3D 9 that means the same.
///
/// # Errors
///
/// `D3D9-not-converted` for each thing that cannot be helped, naming the rule of Direct3D 9 that it breaks.
pub fn upgrade(program: &Program, options: &UpgradeOptions) -> Result<Conversion, Vec<Diagnostic>> {
    let version = program.version();
    if version.known_stage().is_none() || version.major() != 1 || version.minor() > 4 {
        let model = version_name(version);
        let message =
            format!("{model} is not a model of Direct3D 8, which has vs_1_0, vs_1_1 and ps_1_0 to ps_1_4");
        return Err(alloc::vec![REFUSED.finding(message).at(Place::Binary { offset: 0, token: None })]);
    }
    let mut lines = Lines::new(program, ROOM);
    new_version(&mut lines);
    match version.stage() {
        Stage::Vertex => {
            declare(&mut lines, &options.inputs);
            replicate(&mut lines);
            address(&mut lines);
            fog_and_size(&mut lines);
            fractions(&mut lines);
            rows(&mut lines);
            aliases(&mut lines);
            ports(&mut lines);
            initialize(&mut lines);
            outputs(&mut lines);
        }
        Stage::Pixel => {
            // First, because a value may go through a texture register that is free behind them.
            textures_first(&mut lines);
            constants(&mut lines);
            aliases(&mut lines);
            ports(&mut lines);
            initialize(&mut lines);
        }
    }
    let result = lines.program();
    let Lines { notes, mut errors, .. } = lines;
    let options = Options { profile: Profile::D3d9, ..Options::default() };
    for finding in validate(&result, &options) {
        if finding.severity == Severity::Error {
            let message = format!("Direct3D 9 does not accept it ({}): {}", finding.id, finding.message);
            errors.push(REFUSED.finding(message));
        }
    }
    if errors.is_empty() { Ok(Conversion { program: result, notes }) } else { Err(errors) }
}

fn new_version(lines: &mut Lines) {
    let version = lines.version();
    if version.minor() == 0 {
        let prefix = version.prefix();
        if let Some(word) = lines.all.first_mut().and_then(|line| line.words.first_mut()) {
            *word |= 1;
        }
        lines.note(0, format!("{prefix}_1_0 is {prefix}_1_1 in Direct3D 9"));
    }
}

/// Declares inputs.
pub(super) fn declare(lines: &mut Lines, told: &[(u16, u8, u8)]) {
    let version = lines.version();
    let ops = lines.ops();
    let declared = |n: u16| {
        ops.iter()
            .any(|op| op.op == Some(Opcode::Dcl) && op.write.is_some_and(|w| w.0 == (RegType::Input, n)))
    };
    let mut at = 1;
    for number in 0..D3D8_INPUTS.len() as u16 {
        let reg = (RegType::Input, number);
        let Some(user) = ops.iter().find(|op| op.reads(reg)).filter(|_| !declared(number)) else { continue };
        let given = told.iter().find(|row| row.0 == number).map(|row| (row.1, row.2));
        let Some((usage, index)) = given.or_else(|| D3D8_INPUTS.get(usize::from(number)).copied()) else {
            continue;
        };
        let parameters = [Usage::semantic(usage, index).0, Destination::new(reg.0, reg.1, WriteMask::ALL).0];
        let usage = usages::name(usage).unwrap_or("?");
        let shown = if index == 0 { String::new() } else { format!("{index}") };
        lines.note(user.line + at - 1, format!("declared: dcl_{usage}{shown} {}", name(reg, version)));
        lines.insert(at, [instruction(Opcode::Dcl, &parameters)]);
        at += 1;
    }
}

/// Gives instructions of one component the component that they read.
pub(super) fn replicate(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        for read in op.reads.iter().filter(|read| read.shape == Shape::Scalar) {
            let swizzle = read.token.swizzle();
            if !swizzle.is_scalar() {
                let lane = swizzle.get(3);
                sweep.change(|line| line.set_swizzle(read.at, Swizzle::splat(lane)));
                let letter = vecasm_ir::operand::LANES.get(usize::from(lane)).copied().unwrap_or('w');
                sweep.note(format!("{} reads one component: .{letter}, the fourth of the swizzle", op.name));
            }
        }
    }
}

/// The address register has one component.
fn address(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let Some((reg, mask)) = op.write else { continue };
        if reg.0 == RegType::AddrOrTexture
            && mask != WriteMask::X
            && mask.has(0)
            && op.op == Some(Opcode::Mov)
        {
            sweep.change(|line| line.set_destination(reg, WriteMask::X));
            sweep.note("a0 has one component in vs_1_1: the mask is .x".into());
        }
    }
}

/// Fog and point size: one component, no mask.
fn fog_and_size(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let is_scalar = |(reg, _): &(Reg, WriteMask)| reg.0 == RegType::RastOut && reg.1 > 0;
        let Some((reg, mask)) = op.write.filter(is_scalar) else { continue };
        let shown = name(reg, sweep.version());
        if !mask.has(0) {
            sweep.refuse(format!("{shown} has only the component x, which is not written here"));
            continue;
        }
        let by_lane = match op.op {
            Some(Opcode::Mov | Opcode::Mad) => true,
            Some(op) => matches!(op.row().lift, Lift::PerComponent(_)),
            None => false,
        };
        let whole = by_lane
            || matches!(
                op.op,
                Some(Opcode::Dp3 | Opcode::Dp4 | Opcode::Rcp | Opcode::Rsq | Opcode::Exp | Opcode::Log)
            )
            || matches!(op.op, Some(Opcode::Min | Opcode::Max | Opcode::Slt | Opcode::Sge | Opcode::Sub));
        let lane_wise = by_lane
            || matches!(op.op, Some(Opcode::Min | Opcode::Max | Opcode::Slt | Opcode::Sge | Opcode::Sub));
        if whole {
            let odd = mask != WriteMask::ALL;
            if odd {
                sweep.change(|line| line.set_destination(reg, WriteMask::ALL));
            }
            let mut changed = odd;
            for read in op.reads.iter().filter(|_| lane_wise) {
                let swizzle = read.token.swizzle();
                if !swizzle.is_scalar() {
                    sweep.change(|line| line.set_swizzle(read.at, Swizzle::splat(swizzle.get(0))));
                    changed = true;
                }
            }
            if changed {
                sweep.note(format!(
                    "{shown} has one component: removed the mask, and each source reads its first component"
                ));
            }
            continue;
        }
        // lit, dst and their like: each component is another value.
        let Some(free) = sweep.free_for_result() else {
            sweep.refuse(format!("{} into {shown} needs a free register", op.name));
            continue;
        };
        sweep.change(|line| line.set_destination(free, WriteMask::ALL));
        let parameters = [
            Destination::new(reg.0, reg.1, WriteMask::ALL).0,
            Source::new(free.0, free.1, Swizzle::splat(0)).0,
        ];
        let through = name(free, sweep.version());
        sweep.note(format!("{} into {shown} goes via {through}", op.name));
        sweep.insert_behind(instruction(Opcode::Mov, &parameters));
    }
}

/// frc of vs_1_1 has the masks `.y` and `.xy` alone.
fn fractions(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let Some((_, mask)) = op.write.filter(|_| op.op == Some(Opcode::Frc)) else { continue };
        let (low, high) = (mask.bits() & 3, mask.bits() >> 2);
        let Some(read) = op.reads.first().filter(|_| high != 0 || low == 1) else { continue };
        let Some(free) = sweep.free_for_result() else {
            sweep.refuse(format!("frc with the mask .{} needs a free register", mask.letters()));
            continue;
        };
        let half = WriteMask::from_bits(3);
        let swizzle = read.token.swizzle();
        let source = |x: usize, y: usize| {
            let lanes = Swizzle::new(swizzle.get(x), swizzle.get(y), swizzle.get(y), swizzle.get(y));
            read.token.0 & !0x00ff_0000 | u32::from(lanes.bits()) << 16
        };
        let from = |swizzle: Swizzle| Source::new(free.0, free.1, swizzle).0;
        let to = |mask: WriteMask| Destination::new(free.0, free.1, mask).0;
        let through = name(free, sweep.version());
        sweep.note(format!("frc has only the masks .y and .xy: .{} goes via {through}", mask.letters()));
        if high != 0 {
            sweep.insert_before(instruction(Opcode::Frc, &[to(half), source(2, 3)]), false);
            let upper = [to(WriteMask::from_bits(12)), from(Swizzle::new(0, 1, 0, 1))];
            sweep.insert_before(instruction(Opcode::Mov, &upper), false);
        }
        if low != 0 {
            sweep.insert_before(instruction(Opcode::Frc, &[to(half), source(0, 1)]), false);
        }
        sweep.change(|line| {
            line.words = instruction(Opcode::Mov, &[line.word(1), from(Swizzle::IDENTITY)]);
        });
    }
}

/// Matrices of two and three rows write as many components, whatever their mask has besides.
pub(super) fn rows(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let Some((reg, written)) = op.write.filter(|_| op.reads.iter().any(|read| read.rows > 1)) else {
            continue;
        };
        if sweep.mask() != written && written != WriteMask::NONE {
            sweep.change(|line| line.set_destination(reg, written));
            sweep.note(format!(
                "{} has {} rows: the mask is .{}",
                op.name,
                written.count(),
                written.letters()
            ));
        }
    }
}

/// Results that must not be in a source: matrices in all models, cmp in ps_1_2 and ps_1_3.
pub(super) fn aliases(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let version = sweep.version();
        let Some((reg, mask)) = op.write else { continue };
        let matrix =
            matches!(op.op, Some(Opcode::M4x4 | Opcode::M4x3 | Opcode::M3x4 | Opcode::M3x3 | Opcode::M3x2));
        let compare =
            op.op == Some(Opcode::Cmp) && version.stage() == Stage::Pixel && matches!(version.minor(), 2 | 3);
        if !(matrix || compare) || !op.reads(reg) {
            continue;
        }
        let Some(free) = sweep.free_for_result() else {
            sweep.refuse(format!("{} into its source {} needs a free register", op.name, name(reg, version)));
            continue;
        };
        sweep.change(|line| line.set_destination(free, mask));
        let parameters = [
            // What was done to the result is done once.
            Destination::new(reg.0, reg.1, mask).0,
            Source::new(free.0, free.1, Swizzle::IDENTITY).0,
        ];
        let (shown, through) = (name(reg, version), name(free, version));
        sweep.note(format!("{} into its source {shown} goes via {through}", op.name));
        sweep.insert_behind(instruction(Opcode::Mov, &parameters));
    }
}

/// How many different registers of a file an instruction may read.
fn port_limit(version: Version, ty: RegType) -> Option<usize> {
    match (version.stage(), ty) {
        (Stage::Vertex, RegType::Const | RegType::Input) => Some(1),
        (Stage::Pixel, RegType::Const | RegType::Input) => Some(2),
        _ => None,
    }
}

/// Moves constants and inputs that are too many for one instruction.
fn ports(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(mut op) = sweep.next() {
        while let Some(read) = one_too_many(&op, sweep.version()) {
            if !sweep.take_register(&op, read, "reads too many registers of one file") {
                break;
            }
            op = sweep.op();
        }
    }
}

/// The first source of an instruction that it has no port for.
fn one_too_many(op: &Op, version: Version) -> Option<Use> {
    [RegType::Const, RegType::Input].into_iter().find_map(|ty| {
        let limit = port_limit(version, ty)?;
        let of_file = || op.reads.iter().filter(move |read| read.reg.0 == ty);
        let mut seen: Vec<(Reg, bool)> = Vec::new();
        // The rows of a matrix must stay what they are, so they come first.
        for read in of_file().filter(|read| read.rows > 1).chain(of_file().filter(|read| read.rows == 1)) {
            let key = (read.reg, read.relative);
            if !seen.contains(&key) {
                if seen.len() == limit {
                    return Some(*read);
                }
                seen.push(key);
            }
        }
        None
    })
}

/// The values of constants that a program defines: the bits of the last definition of each.
type Values = BTreeMap<u16, [u32; 4]>;

/// Modifiers on constants of ps_1_x.
fn constants(lines: &mut Lines) {
    let mut values = Values::new();
    for op in lines.ops().iter().filter(|op| op.op == Some(Opcode::Def)) {
        let words = lines.all.get(op.line).and_then(|line| line.words.get(2..6));
        if let (Some((reg, _)), Some(&[x, y, z, w])) = (op.write.filter(|w| w.0.0 == RegType::Const), words) {
            values.insert(reg.1, [x, y, z, w]);
        }
    }
    let mut sweep = Sweep::new(lines);
    while let Some(mut op) = sweep.next() {
        let modified = |read: &&Use| read.reg.0 == RegType::Const && read.token.modifier() != 0;
        while let Some(read) = op.reads.iter().find(modified).copied() {
            // The next round finds the next one, or another modifier of the same constant.
            let done = with_value(&mut sweep, &mut values, &op, read)
                || sweep.take_register(&op, read, "has a modifier on a constant");
            if !done {
                break;
            }
            op = sweep.op();
        }
    }
}

/// Gives a constant that the program defines a twin with the value that the modifier makes, where the range of constants
/// holds it and one is free.
fn with_value(sweep: &mut Sweep<'_>, values: &mut Values, op: &Op, read: Use) -> bool {
    let Some(value) = values.get(&read.reg.1) else { return false };
    let modified = value.map(|bits| modify(f32::from_bits(bits).clamp(-1.0, 1.0), read.token.modifier()));
    if modified.iter().any(|value| !(-1.0..=1.0).contains(value)) {
        return false;
    }
    let modified = modified.map(f32::to_bits);
    let mut twin = 0..CONSTANTS;
    let found = twin.clone().find(|number| values.get(number) == Some(&modified));
    let unused = || twin.find(|number| sweep.is_unused((RegType::Const, *number)));
    let Some(number) = found.or_else(unused) else { return false };
    let reg = (RegType::Const, number);
    sweep.change(|line| {
        if let Some(word) = line.words.get_mut(read.at) {
            *word &= !0x0f00_0000;
        }
        line.set_register(read.at, reg);
    });
    let sign = SOURCE_MODIFIERS.get(usize::from(read.token.modifier())).map_or("", |row| row.suffix);
    let (what, twin) = (name(read.reg, sweep.version()), name(reg, sweep.version()));
    let sign = if sign.is_empty() { String::new() } else { format!("_{sign}") };
    sweep.note(format!("{} has a modifier on a constant: {twin} is {what}{sign}", op.name));
    if found.is_none() {
        let mut parameters = alloc::vec![Destination::new(reg.0, reg.1, WriteMask::ALL).0];
        parameters.extend(modified);
        // There are no more of these than constants.
        let defines = |op: &Op| op.op == Some(Opcode::Def) && op.write.is_some_and(|w| w.0 == read.reg);
        sweep.insert_behind_last(instruction(Opcode::Def, &parameters), defines);
        values.insert(number, modified);
    }
    true
}

/// A source modifier of ps_1_x.
fn modify(x: f32, modifier: u8) -> f32 {
    match modifier {
        1 => -x,
        2 => x - 0.5,
        3 => -(x - 0.5),
        4 => (x - 0.5) * 2.0,
        5 => -((x - 0.5) * 2.0),
        6 => 1.0 - x,
        7 => x * 2.0,
        8 => -(x * 2.0),
        _ => x,
    }
}

/// Texture instructions in front of the others, up to 1.3.
fn textures_first(lines: &mut Lines) {
    if lines.version().minor() > 3 {
        return;
    }
    let ops = lines.ops();
    let is_texture = |op: &Op| !op.setup && op.op.is_some_and(|op| op.row().unit == Unit::Texture);
    let is_other = |op: &Op| op.is_executed() && op.op.is_some_and(|op| op.row().unit == Unit::Arithmetic);
    let Some(first) = ops.iter().position(is_other) else { return };
    // What stands between the first of the others and the texture instruction names and writes.
    let (mut named, mut written) = (BTreeSet::new(), BTreeSet::new());
    let mut moved = Vec::new();
    let key = |(ty, number): Reg| (ty.code(), number);
    for op in ops.iter().skip(first) {
        let reads = || op.reads.iter().flat_map(|read| read.numbers().map(|n| key((read.reg.0, n))));
        let write = op.write.map(|write| key(write.0));
        if !is_texture(op) {
            named.extend(reads().chain(write));
            written.extend(write);
            continue;
        }
        if write.is_some_and(|reg| named.contains(&reg)) || reads().any(|reg| written.contains(&reg)) {
            lines.refuse(
                op.line,
                format!(
                    "{} follows arithmetic that it cannot be moved before: texture instructions come first",
                    op.name
                ),
            );
            break;
        }
        if moved.len() == ROOM {
            lines.refuse(
                op.line,
                format!("more than {ROOM} texture instructions would be moved; the models have room for 4"),
            );
            break;
        }
        lines.note(op.line, format!("{} is moved before the arithmetic instructions", op.name));
        moved.push(op.line);
    }
    let Some(to) = ops.get(first).map(|op| op.line).filter(|_| !moved.is_empty()) else { return };
    let rest = lines.all.split_off(to);
    let (late, others): (Vec<_>, Vec<_>) =
        (to..).zip(rest).partition(|(n, _)| moved.binary_search(n).is_ok());
    lines.all.extend(late.into_iter().chain(others).map(|(_, line)| line));
}

/// Zeros for what is read and was never written.
pub(super) fn initialize(lines: &mut Lines) {
    let ops = lines.ops();
    let version = lines.version();
    let mut written: BTreeMap<u16, u8> = BTreeMap::new();
    // In the order in which they are first read.
    let (mut missing, mut order): (BTreeMap<u16, u8>, Vec<u16>) = (BTreeMap::new(), Vec::new());
    let mut n = 0;
    while let Some(op) = ops.get(n) {
        let pair = ops.get(n + 1).filter(|next| next.coissued);
        let both = || [Some(op), pair].into_iter().flatten();
        for read in both().flat_map(|op| &op.reads).filter(|read| read.reg.0 == RegType::Temp) {
            for number in read.numbers() {
                // A scratch register has no lanes that are read, and some ask for a value all the same.
                let wanted = if read.lanes == WriteMask::NONE { 1 } else { read.lanes.bits() };
                let there = written.get(&number).copied().unwrap_or(0);
                let absent = if read.lanes == WriteMask::NONE && there != 0 { 0 } else { wanted & !there };
                if absent != 0 {
                    let bits = missing.entry(number).or_insert_with(|| {
                        order.push(number);
                        0
                    });
                    *bits |= absent;
                }
            }
        }
        for (reg, bits) in both().filter_map(|op| op.write) {
            if reg.0 == RegType::Temp {
                *written.entry(reg.1).or_insert(0) |= bits.bits();
            }
        }
        n += 1 + usize::from(pair.is_some());
    }
    // Behind `phase` the fourth components have no value again; nothing can be done about that here.
    let at = lines.first_executed(&ops);
    let pixel = version.stage() == Stage::Pixel;
    // In pixel shaders a constant that is defined for it, else a difference; in vertex shaders a comparison that is 0 for
    // every value.
    let limit = match version.major() {
        1 => 8,
        2 => 32,
        _ => 224,
    };
    let named: BTreeSet<u16> = ops.iter().flat_map(Op::constants).collect();
    let unused = (0..limit).rev().find(|n| !named.contains(n)).filter(|_| pixel && !order.is_empty());
    let mut all = Vec::new();
    let zero = match unused {
        Some(number) => {
            let parameters = [Destination::new(RegType::Const, number, WriteMask::ALL).0, 0, 0, 0, 0];
            all.push(instruction_of(version, Opcode::Def, &parameters));
            (Opcode::Mov, Source::new(RegType::Const, number, Swizzle::IDENTITY).0)
        }
        None => {
            let op = if pixel { Opcode::Sub } else { Opcode::Slt };
            (op, Source::new(RegType::Const, 0, Swizzle::IDENTITY).0)
        }
    };
    for number in order.iter().rev() {
        let bits = missing.get(number).copied().unwrap_or(0);
        // Masks of ps_1_1 to ps_1_3 are all, the colour, or the fourth component.
        let bits = match (pixel && version.major() == 1 && version.minor() < 4, bits) {
            (true, bits) if bits & 7 != 0 && bits & 8 != 0 => 15,
            (true, bits) if bits & 7 != 0 => 7,
            (_, bits) => bits,
        };
        let mask = WriteMask::from_bits(bits);
        let shown = name((RegType::Temp, *number), version);
        lines.note(at, format!("{shown}.{} is read but never written: set to 0", mask.letters()));
        let parameters = [Destination::new(RegType::Temp, *number, mask).0, zero.1, zero.1];
        let count = if zero.0 == Opcode::Mov { 2 } else { 3 };
        all.push(instruction_of(version, zero.0, parameters.get(..count).unwrap_or(&parameters)));
    }
    // Each was put in front of the one before it.
    let zeros = usize::from(unused.is_some());
    if let Some(zeros) = all.get_mut(zeros..) {
        zeros.reverse();
    }
    // Half of a pair without another must not become that of a zero, which it would not see.
    if !all.is_empty() && ops.iter().any(|op| op.line == at && op.coissued) {
        all.push(instruction_of(version, Opcode::Nop, &[]));
    }
    lines.insert(at, all);
}

/// Outputs that must be whole.
fn outputs(lines: &mut Lines) {
    let ops = lines.ops();
    let version = lines.version();
    let written = |reg: Reg| {
        let all = ops.iter().filter_map(|op| op.write).filter(|write| write.0 == reg);
        all.fold(0_u8, |bits, (_, mask)| bits | mask.bits())
    };
    let mut add: Vec<(Reg, u8)> = Vec::new();
    let position = (RegType::RastOut, 0);
    let absent = 15 & !written(position);
    if absent != 0 {
        add.push((position, absent));
    }
    let last = (0..8).rev().find(|n| written((RegType::Output, *n)) != 0);
    for number in 0..last.map_or(0, |last| last + 1) {
        let reg = (RegType::Output, number);
        let bits = written(reg);
        // From x on without a gap.
        let needed = if bits == 0 { 1 } else { u8::MAX >> bits.leading_zeros() };
        if needed & !bits != 0 {
            add.push((reg, needed & !bits));
        }
    }
    let constant = Source::new(RegType::Const, 0, Swizzle::IDENTITY).0;
    let mut at = lines.behind(&ops);
    for (reg, bits) in add {
        let shown = name(reg, version);
        // The fourth component of a position divides the others.
        let one = if reg == position { bits & 8 } else { 0 };
        for (op, bits) in [(Opcode::Slt, bits & !one), (Opcode::Sge, one)] {
            if bits == 0 {
                continue;
            }
            let mask = WriteMask::from_bits(bits);
            let value = if op == Opcode::Sge { 1 } else { 0 };
            lines
                .insert(at, [instruction(op, &[Destination::new(reg.0, reg.1, mask).0, constant, constant])]);
            lines.note(at, format!("{shown}.{} is never written: set to {value}", mask.letters()));
            at += 1;
        }
    }
}

/// Reads what inputs are: `v0=position v5=color1`, separated by blanks or commas.
///
/// # Errors
///
/// The word that is none of that.
pub fn inputs(text: &str) -> Result<Vec<(u16, u8, u8)>, String> {
    let words = text.split([' ', ',', '\n', '\t', '\r']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (register, usage) = word.split_once('=').ok_or(word)?;
            let number = register.strip_prefix(['v', 'V']).and_then(|n| n.parse::<u16>().ok());
            let digits = usage.find(|c: char| c.is_ascii_digit()).unwrap_or(usage.len());
            let (usage, index) = usage.split_at(digits);
            let index = if index.is_empty() { Some(0) } else { index.parse::<u8>().ok() };
            match (number, usages::named(usage), index) {
                (Some(number @ 0..=15), Some(usage), Some(index @ 0..=15)) => {
                    Ok((number, usage.code(), index))
                }
                _ => Err(word),
            }
        })
        .collect::<Result<_, &str>>()
        .map_err(String::from)
}
