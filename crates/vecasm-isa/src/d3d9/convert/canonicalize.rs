//! For MojoShader: a stream that its parser takes and its writers translate, where there is one.
//!
//! | what stands in the way | becomes |
//! |---|---|
//! | inputs of vs_1_x and of ps_2_x without declarations | declarations of what the registers are |
//! | `rcp r0, c0`: several components for one | the fourth, which is the one that is read |
//! | a mask on a matrix with more components than it has rows | without those, which are not written |
//! | temporaries that are read and never written | zeros |
//! | `cmp` of ps_1_2 and ps_1_3 into one of its sources | through a free register |
//! | coordinates of `texld` with a swizzle or modifier, before ps_3_0 | through a free register |
//! | relative constants without a table of constants | a table with one array over all of them |
//! | pixel shaders 1.x with texture instructions that it does not translate | ps_2_0 |
//!
//! What the profile [`Profile::Mojoshader`] finds afterwards cannot be helped and is an error.

use super::lines::{Lines, instruction_of};
use super::sweep::{Sweep, TEMPORARIES};
use super::upgrade::{aliases, declare, initialize, replicate, rows};
use super::{Conversion, REFUSED, first_pixel};
use crate::d3d9::ctab::{self, Constant, ConstantTable, Type};
use crate::d3d9::program::{Destination, ItemKind, PARAMETER, Program, Source, Stage};
use crate::d3d9::registers::{RegType, SAMPLER_KINDS};
use crate::d3d9::rules::{Options, Profile, validate};
use crate::d3d9::table::{Opcode, code};
use crate::d3d9::text::version_name;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Severity};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// How a program is written for another parser.
#[derive(Clone, Debug, Default)]
pub struct CanonicalizeOptions {
    /// The kinds of samplers of programs that do not say them: number, code of the kind.
    pub samplers: Vec<(u16, u8)>,
}

/// Reads kinds of samplers: `s0=2d s3=cube`, separated by blanks or commas.
///
/// # Errors
///
/// The word that is none of that.
pub fn samplers(text: &str) -> Result<Vec<(u16, u8)>, String> {
    let words = text.split([' ', ',', '\n', '\t', '\r']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (register, kind) = word.split_once('=').ok_or(word)?;
            let number = register.strip_prefix(['s', 'S']).and_then(|n| n.parse::<u16>().ok());
            let kind = SAMPLER_KINDS.iter().find(|row| row.1.eq_ignore_ascii_case(kind));
            match (number, kind) {
                (Some(number @ 0..=15), Some((code, _))) => Ok((number, *code)),
                _ => Err(word),
            }
        })
        .collect::<Result<_, &str>>()
        .map_err(String::from)
}

/// The findings that stop MojoShader although they are no errors of its parser.
const STOPPED: [&str; 2] = ["D3D9-mojoshader-translation", "D3D9-mojoshader-no-ctab"];

/// What MojoShader has against a program: errors of its parser, and what its writers refuse.
pub fn objections(program: &Program) -> Vec<Diagnostic> {
    let options = Options { profile: Profile::Mojoshader, ..Options::default() };
    let stops = |finding: &Diagnostic| finding.severity == Severity::Error || STOPPED.contains(&finding.id);
    validate(program, &options).into_iter().filter(stops).collect()
}

/// Writes a program so that MojoShader takes it, and means the same.
///
/// # Errors
///
/// `D3D9-not-converted` for each thing that cannot be helped.
pub fn canonicalize(program: &Program, options: &CanonicalizeOptions) -> Result<Conversion, Vec<Diagnostic>> {
    // MojoShader does not count slots.
    let mut lines = Lines::new(program, usize::MAX);
    let version = program.version();
    let first = version.major() == 1;
    match version.known_stage() {
        Some(Stage::Vertex) if first => declare(&mut lines, &[]),
        Some(Stage::Pixel) if version.major() == 2 => declare_pixel(&mut lines),
        _ => {}
    }
    if first {
        replicate(&mut lines);
    }
    if version.known_stage().is_some() {
        rows(&mut lines);
    }
    if first {
        aliases(&mut lines);
    }
    let pixel = version.known_stage() == Some(Stage::Pixel);
    let untranslated = objections(program).iter().any(|finding| finding.id == STOPPED[0]);
    if pixel && first && untranslated {
        if let Err((line, why)) = first_pixel::rewrite(&mut lines, &options.samplers) {
            lines.refuse(line, why);
        }
    }
    if pixel && lines.version().major() == 2 {
        coordinates(&mut lines);
    }
    if version.known_stage().is_some() {
        initialize(&mut lines);
        table(&mut lines);
    }
    let result = lines.program();
    let Lines { notes, mut errors, .. } = lines;
    for finding in objections(&result) {
        let message = format!("MojoShader does not accept it ({}): {}", finding.id, finding.message);
        errors.push(REFUSED.finding(message));
    }
    if errors.is_empty() { Ok(Conversion { program: result, notes }) } else { Err(errors) }
}

/// Declares the inputs of ps_2_x, whose registers say what they are.
fn declare_pixel(lines: &mut Lines) {
    let ops = lines.ops();
    let mut at = 1;
    for ty in [RegType::Input, RegType::AddrOrTexture] {
        for number in 0..8 {
            let reg = (ty, number);
            let declared =
                ops.iter().any(|op| op.op == Some(Opcode::Dcl) && op.write.is_some_and(|w| w.0 == reg));
            let Some(user) = ops.iter().find(|op| op.reads(reg)).filter(|_| !declared) else { continue };
            let letter = if ty == RegType::Input { 'v' } else { 't' };
            lines.note(user.line + at - 1, format!("declared: dcl {letter}{number}"));
            let parameters = [PARAMETER, Destination::new(ty, number, WriteMask::ALL).0];
            lines.insert(at, [instruction_of(lines.version(), Opcode::Dcl, &parameters)]);
            at += 1;
        }
    }
}

/// Coordinates without swizzle and modifier.
fn coordinates(lines: &mut Lines) {
    let mut sweep = Sweep::new(lines);
    while let Some(op) = sweep.next() {
        let Some(read) = op.reads.first().filter(|_| op.op == Some(Opcode::Tex)) else { continue };
        if read.token.swizzle() == Swizzle::IDENTITY && read.token.modifier() == 0 {
            continue;
        }
        let free = (0..TEMPORARIES).map(|n| (RegType::Temp, n)).find(|reg| sweep.is_unused(*reg));
        let Some(free) = free else { continue };
        sweep.change(|line| {
            if let Some(word) = line.words.get_mut(read.at) {
                *word = Source::new(free.0, free.1, Swizzle::IDENTITY).0;
            }
        });
        sweep.note(format!("the coordinates are copied to r{}", free.1));
        let parameters = [Destination::new(free.0, free.1, WriteMask::ALL).0, read.token.0];
        sweep.insert_before(instruction_of(sweep.version(), Opcode::Mov, &parameters), false);
    }
}

/// A table of constants where relative ones have none.
fn table(lines: &mut Lines) {
    let program = lines.program();
    let ops = lines.ops();
    let relative =
        |op: &&super::lines::Op| op.reads.iter().any(|read| read.relative && read.reg.0 == RegType::Const);
    let Some(line) = ops.iter().find(relative).map(|op| op.line) else { return };
    if ctab::of(&program).0.is_some() {
        return;
    }
    let count = 256;
    let ty = Type { class: 1, kind: 3, rows: 1, columns: 4, elements: count, members: Vec::new() };
    let constant = Constant { name: "c".into(), set: 2, index: 0, count, reserved: 0, ty, default: None };
    let version = lines.version();
    let table = ConstantTable {
        creator: None,
        version: version.0,
        flags: 0,
        target: Some(version_name(version)),
        constants: alloc::vec![constant],
    };
    let words = table.words();
    let mut comment = alloc::vec![u32::from(code::COMMENT) | (words.len() as u32) << 16];
    comment.extend(words);
    lines.note(line, format!("added a constant table that declares c0 to c{} as an array", count - 1));
    lines.insert(1, [comment]);
    if let Some(line) = lines.all.get_mut(1) {
        line.kind = ItemKind::Comment;
    }
}
