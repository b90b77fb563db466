//! Which lanes of its sources an instruction reads, before the swizzle, and which it writes: what [`table`](super::table) says of
//! operands, in lanes.

use super::program::{RegType, Sampler};
use super::table::Opcode;
use crate::table::{Lift, Shape};
use vecasm_ir::operand::WriteMask;

/// The lanes that an instruction writes of those in its mask: some have no lane w.
pub fn written(op: Opcode, mask: WriteMask) -> WriteMask {
    let row = op.row();
    if row.has_dst() { WriteMask::from_bits(mask.bits() & ((1 << row.lanes) - 1)) } else { WriteMask::NONE }
}

/// The lanes that an instruction reads of its source `n`, counted from 0 without the destination, when it writes `written`; of a
/// matrix those of each row. `sampler` is that of a texture instruction.
pub fn lanes(op: Opcode, n: usize, written: WriteMask, sampler: Option<Sampler>) -> WriteMask {
    let row = op.row();
    match (row.sources().get(n), row.lift) {
        (Some(Shape::Scalar), _) => return WriteMask::X,
        (None | Some(Shape::Sampler), _) => return WriteMask::NONE,
        (_, _) if written == WriteMask::NONE => return WriteMask::NONE,
        (_, Lift::Replicate(_, lanes)) => return WriteMask::first(lanes),
        _ => {}
    }
    match op {
        Opcode::Nrm | Opcode::M33 => WriteMask::XYZ,
        Opcode::M34 | Opcode::M44 => WriteMask::ALL,
        // Lane i is made of lanes i + 1 and i + 2 of the three.
        Opcode::Crs => {
            let bits = written.bits();
            WriteMask::from_bits((bits << 1 | bits << 2 | bits >> 1 | bits >> 2) & 7)
        }
        Opcode::Tex | Opcode::Ted | Opcode::Tld => {
            let dim = sampler.and_then(Sampler::shape);
            let coordinates = dim.map_or(WriteMask::XYZ, |dim| WriteMask::first(dim.coord_lanes()));
            if op == Opcode::Ted { coordinates.union(WriteMask::lane(3)) } else { coordinates }
        }
        _ => written,
    }
}

/// The lanes of a register that are read where the swizzle asks for `lanes`: the number of the instance is one, the same in all.
pub fn of_register(ty: RegType, lanes: WriteMask) -> WriteMask {
    if ty == RegType::InstanceId && lanes != WriteMask::NONE { WriteMask::X } else { lanes }
}
