//! Registers that an instruction must not name twice.

use super::code::{Code, Instruction, Read};
use super::findings::{Findings, rules};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;

rules! {
    pub(in crate::d3d9) const RULES; const;

    MATRIX_SOURCE "D3D9-X5335" 5335 Error Recorded
        "Dest register cannot be the same as first source register for m*x* instructions.",
        "The macros write one component per row and read source 1 again for the next. Message of Direct3D 9, seen in a public report; pages m3x2---vs, m4x3---vs, m4x4---vs. Programs of Direct3D 8 do it.";
    MATRIX_ROW "D3D9-matrix-row" Error Documented "%1 is written and is a row of the matrix",
        "Rows are read after the first component is written. Page m3x2---vs.";
    LRP "D3D9-X5765" 5765 Error Recorded "Dest register for LRP cannot be the same as first or third source register",
        "lrp is a macro of two instructions from 2.0 on. Message seen in a public report about pixel shaders; ps_1_x may do it.";
    LRP_VERTEX "D3D9-lrp-alias" Warning Believed
        "Dest register for LRP cannot be the same as first or third source register",
        "Pixel shaders from 2.0 on must not (X5765); the macro is the same in vertex shaders, but what the runtime reports there has not been observed.";
    ALIAS "D3D9-alias" Error Documented "%1 is written and read by %2",
        "crs and nrm must not write a register that they read, sincos and pow not their first and second source. Pages crs---vs, nrm---vs, pow---vs, sincos---vs, and sincos-instruction of the driver documentation.";
    SCRATCH "D3D9-sgn-scratch" Error Documented "sources 2 and 3 of sgn are one register",
        "sgn needs two different scratch registers. Page sgn---vs.";
    SERIES "D3D9-sincos-constants" Error Documented "%1",
        "Before 3.0, sources 2 and 3 of sincos are two different constants, which hold D3DSINCOSCONST1 and D3DSINCOSCONST2. Pages sincos---vs, sincos---ps.";
}

pub(super) fn pass(code: &Code<'_>, d3d8: bool, f: &mut Findings) {
    for i in code.instructions() {
        let Some(op) = i.op else { continue };
        match op {
            Opcode::Sgn => {
                if let [_, a, b] = i.reads() {
                    if same(a, b) {
                        f.at(SCRATCH, &i, &[]);
                    }
                }
            }
            Opcode::Sincos => series(&i, f),
            _ => {}
        }
        written(code, d3d8, &i, op, f);
    }
}

fn same(a: &Read, b: &Read) -> bool {
    match (a.register, b.register) {
        (Some(a), Some(b)) => a.same(b),
        _ => false,
    }
}

fn series(i: &Instruction<'_>, f: &mut Findings) {
    let [_, a, b] = i.reads() else { return };
    if !a.is_of(RegType::Const) || !b.is_of(RegType::Const) {
        f.at(SERIES, i, &[&"sources 2 and 3 of sincos are constants"]);
    } else if same(a, b) {
        f.at(SERIES, i, &[&"sources 2 and 3 of sincos are one constant"]);
    }
}

fn written(code: &Code<'_>, d3d8: bool, i: &Instruction<'_>, op: Opcode, f: &mut Findings) {
    // Relative registers may be any.
    let write = i.write.filter(|write| write.index.is_none());
    let Some(register) = write.and_then(|write| write.register) else { return };
    let reads = |n: usize| {
        let read = i.reads().get(n).filter(|read| read.index.is_none());
        read.and_then(|read| read.register).is_some_and(|read| read.same(register))
    };
    let matrix = i.reads().get(1).filter(|read| read.rows() > 1 && read.index.is_none());
    if let Some(rows) = matrix {
        if reads(0) && !d3d8 {
            f.at(MATRIX_SOURCE, i, &[]);
        }
        let first = rows.register.filter(|first| first.ty == register.ty);
        let row = first.and_then(|first| register.number.checked_sub(first.number));
        if row.is_some_and(|row| row < rows.rows()) {
            f.at(MATRIX_ROW, i, &[&register.name(code.version)]);
        }
        return;
    }
    let alias = match op {
        Opcode::Crs => reads(0) || reads(1),
        Opcode::Nrm | Opcode::Sincos => reads(0),
        Opcode::Pow => reads(1),
        Opcode::Lrp if code.version.major() >= 2 => {
            if reads(0) || reads(2) {
                f.at(if code.is_pixel() { LRP } else { LRP_VERTEX }, i, &[]);
            }
            false
        }
        _ => false,
    };
    if alias {
        f.at(ALIAS, i, &[&register.name(code.version), &i.name()]);
    }
}
