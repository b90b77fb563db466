//! Instructions and registers: whether the model has them, whether they may stand there, and how many registers an instruction
//! reads.

use super::code::{Code, Index, Instruction, Read, Register, Write};
use super::files;
use super::findings::{Findings, rules};
use super::options::Caps;
use crate::d3d9::program::Stage;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Opcode, Unit};
use crate::d3d9::text::version_name;
use crate::table::{Lift, Shape};
use vecasm_ir::diag::Provenance;

rules! {
    pub(in crate::d3d9) const RULES; const;

    UNAVAILABLE "D3D9-unavailable" Error Documented "%1 does not exist in %2",
        "The manual lists which models have each instruction, and its number of sources. Pages vs-instructions-* and ps-instructions-*.";
    PEER_FORM "D3D9-peer-form" Warning Peer "%1 with that number of sources is only known from vkd3d",
        "Microsoft's page gives sgn three sources in every model.";
    RESERVED "D3D9-reserved-code" Error Documented "%1 is reserved",
        "The header calls the code reserved for internal use (D3DSIO_RESERVED0).";
    GRADIENTS "D3D9-gradient-instructions" Error Documented "the device has no %1",
        "dsx, dsy and texldd in ps_2_x need D3DPS20CAPS_GRADIENTINSTRUCTIONS. Pages dsx---ps, dsy---ps, texldd---ps.";
    PREDICATION "D3D9-predication" Error Documented "the model has no predicate: %1",
        "Predicates begin with model 2.x, where the device must have D3DVS20CAPS_PREDICATION or D3DPS20CAPS_PREDICATION. Pages setp-comp---vs, setp-comp---ps.";
    NO_FILE "D3D9-no-file" Error Documented "%1 has no %2",
        "The register pages (vs-registers-*, ps-registers-*) say which files each model has.";
    DESTINATION_NUMBER "D3D9-destination-number" Error Recorded
        "Invalid dest reg num: %1. Max allowed for this reg type is %2.",
        "The register pages (vs-registers-*, ps-registers-*) give the number of registers of each file; some depend on the device. Words of the runtime as seen in a public report.";
    SOURCE_NUMBER "D3D9-source-number" Error Documented "there is no %1; the last one is %2",
        "The register pages (vs-registers-*, ps-registers-*) give the number of registers of each file; some depend on the device. Wine's tests record that vs_1_1 refuses c256, ps_1_1 c8, ps_2_0 c32, ps_3_0 c224, and vs_3_0 i16 and b16.";
    INPUT_NUMBER "D3D9-0x167" 359 Error Peer "there is no %1; the last one is %2",
        "ps_3_0 has v0 to v9. Message id 0x167 of the runtime's validator, as known from DXVK; page ps-registers-ps-3-0.";
    NOT_READ "D3D9-not-readable" Error Documented "%1 cannot be read by %2 in %3",
        "Outputs, addresses, samplers and the like cannot be sources. Read-write column of the register pages, and the page of the instruction.";
    NOT_WRITTEN "D3D9-not-writable" Error Documented "%1 cannot be written by %2 in %3",
        "Results go to temporaries and outputs; a0 is for mov (vs_1_1) and mova, p0 for setp, and pow, crs, nrm, sincos and texture reads write temporaries. Read-write column of the register pages, and the page of the instruction.";
    RELATIVE "D3D9-relative" Error Documented "%1 cannot be relative in %2",
        "Vertex shaders index constants, vs_3_0 also inputs and outputs, ps_3_0 inputs. Column \"relative addressing\" of the register pages; source-parameter-token of the driver documentation.";
    INDEX "D3D9-index-register" Error Documented "%1 cannot be an index of %2 in %3",
        "vs_1_1 has a0.x, vs_2_0 and later a0 and aL, ps_3_0 aL. Pages vs-registers-address, vs-registers-loop-counter, ps-registers-loop-counter.";
    OUTPUT_INDEX "D3D9-output-index" Warning Documented "outputs are indexed with aL, not with a0",
        "The table of vs_3_0 registers names only aL. Page vs-registers-vs-3-0.";
    PORT "D3D9-port" Error Documented "%1 different %2 registers read by %3; the limit is %4",
        "Each file has a number of read ports; repeated reads of one register count once. Column \"read ports\" of the register pages. Software models have no limit.";
    CONSTANT_PORT "D3D9-X5213" 5213 Error Recorded "%1 different constant registers (c#) read by instruction.",
        "ps_2_0 and later read one constant register in an instruction, as often as they like; sincos before 3.0 reads two. Page ps-registers-ps-2-0; the message is seen in public reports, without its end.";
}

pub(super) fn pass(code: &Code<'_>, caps: &Caps, f: &mut Findings) {
    for i in code.instructions() {
        availability(code, caps, &i, f);
        for read in i.reads() {
            source(code, caps, &i, read, f);
        }
        if let Some(predicate) = &i.predicate {
            match predicate.register {
                Some(register) if register.ty == RegType::Predicate => {
                    if caps.predication {
                        exists(code, caps, &i, register, 1, false, f);
                    }
                }
                other => not_read(code, &i, other, f),
            }
        }
        if let Some(write) = &i.write {
            destination(code, caps, &i, write, f);
        }
        ports(code, caps, &i, f);
    }
}

fn availability(code: &Code<'_>, caps: &Caps, i: &Instruction<'_>, f: &mut Findings) {
    let Some(op) = i.op else { return };
    if matches!(op.row().lift, Lift::Reserved) {
        return f.at(RESERVED, i, &[&i.name()]);
    }
    let exists = match i.form {
        Some(form) => form.is_in(code.version),
        None => op.is_in(code.version),
    };
    let documented =
        |form: &&crate::d3d9::table::Form| form.is_in(code.version) && form.provenance != Provenance::Peer;
    let other = op.row().forms.iter().any(|form| documented(&form));
    let peer = i.form.is_some_and(|form| form.provenance == Provenance::Peer);
    if !exists || peer && !other {
        f.at(UNAVAILABLE, i, &[&i.name(), &version_name(code.version)]);
    } else if peer {
        f.at(PEER_FORM, i, &[&i.name()]);
    }
    let exists = exists && (other || !peer);
    let gradient = matches!(op, Opcode::Dsx | Opcode::Dsy | Opcode::Texldd);
    if exists && gradient && !caps.gradients {
        f.at(GRADIENTS, i, &[&i.name()]);
    }
    let predicate = i.token.is_predicated()
        || op == Opcode::Setp
        || i.reads().iter().any(|read| read.is_of(RegType::Predicate));
    if exists && predicate && !caps.predication {
        f.at(PREDICATION, i, &[&i.name()]);
    }
}

/// A finding that the model lacks a register, if it does.
fn exists(
    code: &Code<'_>,
    caps: &Caps,
    i: &Instruction<'_>,
    register: Register,
    rows: u16,
    written: bool,
    f: &mut Findings,
) -> bool {
    let version = code.version;
    let Some(count) = files::count(register.ty, version, caps) else {
        f.at(NO_FILE, i, &[&version_name(version), &register.name(version)]);
        return false;
    };
    let last = register.number.saturating_add(rows.saturating_sub(1));
    // Labels are looked at with the flow of control.
    if last < count || register.ty == RegType::Label {
        return true;
    }
    let most = Register { number: count.saturating_sub(1), ..register };
    let beyond = Register { number: last, ..register };
    if register.ty == RegType::Input && code.is_pixel() && version.major() >= 3 && !written {
        f.at(INPUT_NUMBER, i, &[&beyond.name(version), &most.name(version)]);
    } else if written {
        f.at(DESTINATION_NUMBER, i, &[&last, &most.number]);
    } else {
        f.at(SOURCE_NUMBER, i, &[&beyond.name(version), &most.name(version)]);
    }
    true
}

#[cold]
fn not_read(code: &Code<'_>, i: &Instruction<'_>, register: Option<Register>, f: &mut Findings) {
    let version = version_name(code.version);
    match register {
        Some(register) => f.at(NOT_READ, i, &[&register.name(code.version), &i.name(), &version]),
        None => f.at(NOT_READ, i, &[&"a file that does not exist", &i.name(), &version]),
    }
}

fn source(code: &Code<'_>, caps: &Caps, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
    let Some(register) = read.register else { return not_read(code, i, None, f) };
    // A predicate where there is none has its finding already.
    if register.ty == RegType::Predicate && read.shape == Shape::Condition && !caps.predication {
        return;
    }
    if !exists(code, caps, i, register, read.rows(), false, f) {
        return;
    }
    if !may_read(code, i, read, register) {
        not_read(code, i, Some(register), f);
    }
    if let Some(index) = read.index {
        relative(code, i, register, index, f);
    }
}

/// Whether an instruction reads that file at that place.
fn may_read(code: &Code<'_>, i: &Instruction<'_>, read: &Read, register: Register) -> bool {
    let Some(op) = i.op else { return true };
    match read.shape {
        Shape::Sampler if code.is_pixel() => return true,
        Shape::Sampler => return register.ty == RegType::Sampler,
        Shape::Label => return register.ty == RegType::Label,
        Shape::Integer => return register.ty == RegType::ConstInt,
        Shape::Counter => return register.ty == RegType::Loop,
        Shape::Condition => {
            let boolean = register.ty == RegType::ConstBool && op != Opcode::Breakp;
            return boolean || register.ty == RegType::Predicate;
        }
        _ => {}
    }
    if !code.is_pixel() {
        return match register.ty {
            RegType::Temp => true,
            _ if op == Opcode::Sgn && read.lanes.bits() == 0 => false,
            RegType::Input | RegType::Const => true,
            _ => false,
        };
    }
    match register.ty {
        RegType::Temp | RegType::Input | RegType::Const | RegType::Misc | RegType::AddrOrTexture => true,
        // The passes for pixel shaders know what the texture instructions before 3.0 and texkill read.
        _ => match op {
            Opcode::Texkill => true,
            Opcode::Texldd | Opcode::Texldl => false,
            _ => op.row().unit == Unit::Texture && code.version.major() < 3,
        },
    }
}

fn relative(code: &Code<'_>, i: &Instruction<'_>, register: Register, index: Index, f: &mut Findings) {
    let version = code.version;
    let fine = match (version.stage(), register.ty) {
        (Stage::Vertex, RegType::Const) => true,
        (Stage::Vertex, RegType::Input | RegType::Output) => version.major() >= 3,
        (Stage::Pixel, RegType::Input) => version.major() >= 3,
        _ => false,
    };
    let name = register.name(version);
    if !fine {
        return f.at(RELATIVE, i, &[&name, &version_name(version)]);
    }
    let fine = match index.ty() {
        Some(RegType::AddrOrTexture) => version.stage() == Stage::Vertex,
        Some(RegType::Loop) => version.major() >= 2,
        // The token has had its finding.
        _ => return,
    };
    if !fine {
        let index = Register {
            ty: RegType::AddrOrTexture,
            number: index.source.number(),
            encoded: RegType::AddrOrTexture,
        };
        f.at(INDEX, i, &[&index.name(version), &name, &version_name(version)]);
    } else if register.ty == RegType::Output && index.ty() == Some(RegType::AddrOrTexture) {
        f.at(OUTPUT_INDEX, i, &[]);
    }
}

fn destination(code: &Code<'_>, caps: &Caps, i: &Instruction<'_>, write: &Write, f: &mut Findings) {
    // Declarations have rules of their own.
    if i.is(Opcode::Dcl) {
        return;
    }
    let version = code.version;
    let Some(register) = write.register else {
        let args: [&dyn core::fmt::Display; 3] =
            [&"a file that does not exist", &i.name(), &version_name(version)];
        return f.at(NOT_WRITTEN, i, &args);
    };
    if register.ty == RegType::Predicate && !caps.predication {
        return;
    }
    if !exists(code, caps, i, register, 1, true, f) {
        return;
    }
    if !may_write(code, i, register) {
        f.at(NOT_WRITTEN, i, &[&register.name(version), &i.name(), &version_name(version)]);
    }
    if let Some(index) = write.index {
        relative(code, i, register, index, f);
    }
}

/// Whether an instruction writes that file.
fn may_write(code: &Code<'_>, i: &Instruction<'_>, register: Register) -> bool {
    let number = code.version.number();
    let Some(op) = i.op else { return true };
    match op {
        Opcode::Def => return register.ty == RegType::Const,
        Opcode::Defi => return register.ty == RegType::ConstInt,
        Opcode::Defb => return register.ty == RegType::ConstBool,
        Opcode::Setp => return register.ty == RegType::Predicate,
        Opcode::Mova => return register.ty == RegType::AddrOrTexture,
        Opcode::Pow | Opcode::Crs | Opcode::Nrm | Opcode::Sincos => return register.ty == RegType::Temp,
        _ => {}
    }
    if !code.is_pixel() {
        return match register.ty {
            RegType::Temp => true,
            RegType::RastOut | RegType::AttrOut | RegType::Output => true,
            RegType::AddrOrTexture => op == Opcode::Mov && number < 0x0200,
            _ => false,
        };
    }
    if op.row().unit == Unit::Texture {
        // The passes for pixel shaders know what texture instructions write.
        return true;
    }
    match register.ty {
        RegType::Temp | RegType::ColorOut | RegType::DepthOut => true,
        // Those for ps_1_x say so of ps_1_4.
        RegType::AddrOrTexture => number < 0x0200,
        _ => false,
    }
}

/// The files that have ports, with the words for them.
const PORTED: [(RegType, &str); 4] = [
    (RegType::Temp, "temporary"),
    (RegType::Input, "input"),
    (RegType::Const, "constant"),
    (RegType::AddrOrTexture, "texture coordinate"),
];

fn ports(code: &Code<'_>, caps: &Caps, i: &Instruction<'_>, f: &mut Findings) {
    // Those of ps_1_x are counted with their pairs.
    if code.is_pixel() && code.version.major() == 1 {
        return;
    }
    // Before 3.0 sincos has to name two constants.
    let series = i.is(Opcode::Sincos);
    for (ty, word) in PORTED {
        if ty == RegType::AddrOrTexture && !code.is_pixel() || ty == RegType::Const && series {
            continue;
        }
        let Some(most) = files::ports_of(ty, code.version, caps) else { continue };
        let reads = || i.reads().iter().filter(|read| read.is_of(ty));
        let same = |a: &Read, b: &Read| {
            let index = |read: &Read| read.index.map(|index| index.source);
            a.register == b.register && index(a) == index(b)
        };
        let first = |(n, read): &(usize, &Read)| !reads().take(*n).any(|earlier| same(earlier, read));
        let different = reads().enumerate().filter(first).count();
        if different <= most {
            continue;
        }
        if ty == RegType::Const && code.is_pixel() && code.version.major() >= 2 {
            f.at(CONSTANT_PORT, i, &[&different]);
        } else {
            f.at(PORT, i, &[&different, &word, &i.name(), &most]);
        }
    }
}
