//! Modifiers of results and sources, swizzles, write masks. Those of ps_1_x and of texture reads of pixel shaders are in the
//! passes for them.

use super::code::{Code, Instruction, Read, Write};
use super::findings::{Findings, rules};
use crate::d3d9::program::Version;
use crate::d3d9::registers::{RESULT_MODIFIERS, RegType, SHIFTS, SOURCE_MODIFIERS};
use crate::d3d9::table::{Opcode, Unit};
use crate::d3d9::text::version_name;
use crate::table::Shape;
use alloc::string::String;
use vecasm_ir::operand::{Swizzle, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    RESULT "D3D9-result-modifier" Error Documented "%1 cannot have %2 in %3",
        "Shifts are for ps_1_x; _sat is for pixel shaders and vs_3_0, but not for frc, sincos and texture reads; _pp and _centroid (on declarations of inputs and texture reads) begin with ps_2_0. Pages ps-instructions-modifiers-ps-2-0, vs-instructions-modifiers.";
    SOURCE "D3D9-source-modifier" Error Documented "%1 cannot have %2 in %3",
        "Vertex shaders and ps_2_x negate; _abs begins with the models 3.0; _bias, _bx2, 1-, _x2, _dz and _dw are for ps_1_x; ! is for conditions. Matrices (source 2 of m*x*) are not negated, samplers have none. Pages vs-registers-modifiers-source, ps-registers-modifiers-source.";
    ABS_MIX "D3D9-abs-mix" Warning Documented "only some reads of constants have _abs",
        "In models 3.0 either all reads of c# use _abs or none does. Pages vs-registers-modifiers-source, ps-registers-modifiers-source; it has not been seen enforced.";
    REPLICATE "D3D9-X5485" 5485 Error Recorded
        "%1 requires replicate swizzle for the source parameter in order to select component. i.e. .x / .y / .z / .w (or rgba equivalent)",
        "rcp, rsq, exp, log, expp, logp, pow, sincos, the third source of dp2add, and the comparisons of if and break read one component. Recorded for rcp and rsq; pages of the instructions. Direct3D 8 accepts it.";
    PREDICATE_SWIZZLE "D3D9-predicate-swizzle" Error Documented "the predicate cannot be %1 here",
        "Before an instruction the predicate has no swizzle or one component four times; in if, callnz and breakp it has one component. Pages setp-comp---vs, if-pred---vs, callnz-pred---vs, breakp---vs.";
    SWIZZLE "D3D9-swizzle" Error Documented "%1 cannot have the swizzle .%2 in %3",
        "Matrices (source 2 of m*x*) and the sources of crs have none. Pages vs-registers-modifiers-source-swizzling, m4x4---vs, crs---vs.";
    NO_MASK "D3D9-empty-mask" Error Believed "the write mask is empty",
        "Text cannot express it, and what the runtime does is not known. Inferred.";
    MASK "D3D9-mask" Error Documented "%1 cannot write .%2 in %3; it writes %4",
        "The pages of the instructions give the masks of m*x*, sincos, crs and frc (vs_1_1); those of the registers that of a0 in vs_1_1, .x. Contrary to its page, a matrix of fewer rows may have a full mask: programs of retail games have it, and Microsoft's assembler objected only to something else in such a line.";
    NRM_MASK "D3D9-nrm-mask" Warning Believed "nrm writes .%1; compilers write .xyz or .xyzw",
        "One reading of the page nrm---vs requires .xyz or .xyzw; the page allows any mask.";
    SCALAR_MASK "D3D9-X2022" 2022 Error Recorded "scalar registers cannot be masked",
        "oFog and oPts are written without a mask, which is .xyzw in tokens. The assembler's words, as an open-source wrapper quotes them. Direct3D 8 took .x.";
}

pub(super) fn pass(code: &Code<'_>, d3d8: bool, f: &mut Findings) {
    let mut abs = None;
    for i in code.instructions() {
        if let Some(write) = &i.write {
            result(code, &i, write, f);
            if !i.is(Opcode::Dcl) {
                mask(code, d3d8, &i, write, f);
            }
        }
        for (n, read) in i.reads().iter().enumerate() {
            modifier(code, &i, n, read, f);
            swizzle(code, d3d8, &i, read, f);
            if code.version.major() >= 3 && read.is_of(RegType::Const) {
                let has = matches!(read.modifier, 11 | 12);
                match abs {
                    None => abs = Some(Some(has)),
                    Some(Some(seen)) if seen != has => {
                        f.at(ABS_MIX, &i, &[]);
                        // Once is enough.
                        abs = Some(None);
                    }
                    Some(_) => {}
                }
            }
        }
        if let Some(predicate) = &i.predicate {
            let fine = predicate.swizzle.is_scalar() || predicate.swizzle == Swizzle::IDENTITY;
            if !fine {
                f.at(PREDICATE_SWIZZLE, &i, &[&predicate.swizzle.short_letters()]);
            }
        }
    }
}

fn is_texture(op: Opcode) -> bool {
    op.row().unit == Unit::Texture
}

/// Whether it is in ps_1_x and no definition: those have a pass of their own.
fn is_ps1(code: &Code<'_>, i: &Instruction<'_>) -> bool {
    code.is_pixel() && code.version.major() == 1 && !i.is_setup()
}

fn result(code: &Code<'_>, i: &Instruction<'_>, write: &Write, f: &mut Findings) {
    let Some(op) = i.op.filter(|_| !is_ps1(code, i)) else { return };
    let version = code.version;
    let pixel = code.is_pixel() && version.major() >= 2;
    let declares = pixel && op == Opcode::Dcl;
    let shift = write.destination.shift();
    if shift != 0 && !declares {
        let row = SHIFTS.iter().find(|row| row.0 == shift);
        bad_result(f, i, version, row.map_or("an unknown shift", |row| row.1));
    }
    for bit in [1, 2, 4, 8] {
        if write.destination.modifiers() & bit == 0 {
            continue;
        }
        let fine = match bit {
            // The pass for pixel shaders knows of declarations, texture reads and outputs.
            1 if pixel => declares || !i.is_setup() && !matches!(op, Opcode::Frc | Opcode::Sincos),
            1 => {
                let never = i.is_setup() || is_texture(op) || matches!(op, Opcode::Frc | Opcode::Sincos);
                version.major() >= 3 && !never
            }
            2 => pixel && (declares || !i.is_setup()),
            4 => pixel && (declares && !write.is_of(RegType::Sampler) || is_texture(op)),
            _ => false,
        };
        if !fine {
            let row = RESULT_MODIFIERS.iter().find(|row| row.0 == bit);
            bad_result(f, i, version, row.map_or("an unknown modifier", |row| row.1));
        }
    }
}

#[cold]
fn bad_result(f: &mut Findings, i: &Instruction<'_>, version: Version, what: &str) {
    let what = if what.contains(' ') { what.into() } else { alloc::format!("_{what}") };
    f.at(RESULT, i, &[&i.name(), &what, &version_name(version)]);
}

fn modifier(code: &Code<'_>, i: &Instruction<'_>, n: usize, read: &Read, f: &mut Findings) {
    let m = read.modifier;
    // Reserved codes have their finding; labels have no bits there.
    if m == 0 || m > 13 || read.shape == Shape::Label || is_ps1(code, i) {
        return;
    }
    let version = code.version;
    let (pixel, three) = (code.is_pixel(), version.major() >= 3);
    let abs = three && matches!(m, 11 | 12);
    let fine = match read.shape {
        Shape::Condition => m == 13,
        Shape::Sampler => pixel,
        Shape::Integer | Shape::Counter => false,
        shape if shape.rows() > 1 => three && m == 11,
        _ => m == 1 || abs || pixel && !three && i.is(Opcode::Tex) && n == 0,
    };
    if fine {
        return;
    }
    let written = match SOURCE_MODIFIERS.get(usize::from(m)) {
        Some(row) if row.suffix.is_empty() => String::from(row.prefix),
        Some(row) => alloc::format!("{}_{}", row.prefix, row.suffix),
        None => String::new(),
    };
    match read.register.map(|register| register.name(version)) {
        Some(name) => f.at(SOURCE, i, &[&name, &written, &version_name(version)]),
        None => f.at(SOURCE, i, &[&"a source", &written, &version_name(version)]),
    }
}

fn swizzle(code: &Code<'_>, d3d8: bool, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
    let swizzle = read.swizzle;
    let identity = swizzle == Swizzle::IDENTITY;
    match read.shape {
        // Direct3D 8 has no other scalar operands.
        Shape::Scalar if !swizzle.is_scalar() && !d3d8 => f.at(REPLICATE, i, &[&i.name()]),
        Shape::Condition if read.is_of(RegType::Predicate) && !swizzle.is_scalar() => {
            let all = if identity { "without a component".into() } else { swizzle.short_letters() };
            f.at(PREDICATE_SWIZZLE, i, &[&all]);
        }
        shape if shape.rows() > 1 && !identity => bad_swizzle(code, i, read, f),
        Shape::Src if !identity && i.is(Opcode::Crs) => bad_swizzle(code, i, read, f),
        _ => {}
    }
}

#[cold]
fn bad_swizzle(code: &Code<'_>, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
    let version = code.version;
    if let Some(register) = read.register {
        let args: [&dyn core::fmt::Display; 3] =
            [&register.name(version), &read.swizzle.short_letters(), &version_name(version)];
        f.at(SWIZZLE, i, &args);
    }
}

fn mask(code: &Code<'_>, d3d8: bool, i: &Instruction<'_>, write: &Write, f: &mut Findings) {
    let Some(op) = i.op else { return };
    let version = code.version;
    let pixel = code.is_pixel();
    let mask = write.mask();
    // That of ps_1_1 to ps_1_3 has its finding with their masks.
    if mask == WriteMask::NONE && !(pixel && version.number() < 0x0104) {
        return f.at(NO_MASK, i, &[]);
    }
    let scalar_output =
        write.register.is_some_and(|r| r.ty == RegType::RastOut && (r.number == 1 || r.number == 2));
    if scalar_output {
        if mask != WriteMask::ALL && !(d3d8 && mask == WriteMask::X) {
            f.at(SCALAR_MASK, i, &[]);
        }
        return;
    }
    // The masks there are, and the words for them.
    let (masks, words): (&[u8], &str) = match op {
        Opcode::M4x4 | Opcode::M3x4 => (&[15], ".xyzw"),
        // What the mask has beside the rows is not written.
        Opcode::M4x3 | Opcode::M3x3 => (&[7, 15], ".xyz"),
        Opcode::M3x2 => (&[3, 15], ".xy"),
        Opcode::Sincos => (&[1, 2, 3], ".x, .y or .xy"),
        Opcode::Crs => (&[1, 2, 3, 4, 5, 6, 7], ".xyz or some of it"),
        Opcode::Frc if !pixel && version.major() == 1 => (&[2, 3], ".y or .xy"),
        Opcode::Mov if write.is_of(RegType::AddrOrTexture) && !pixel => (&[1], ".x"),
        Opcode::Def | Opcode::Defi => (&[15], "all four components"),
        _ => (&[], ""),
    };
    if !masks.is_empty() && !masks.contains(&mask.bits()) {
        return f.at(MASK, i, &[&i.name(), &mask.letters(), &version_name(version), &words]);
    }
    if op == Opcode::Nrm && !matches!(mask.bits(), 7 | 15) {
        f.at(NRM_MASK, i, &[&mask.letters()]);
    }
}
