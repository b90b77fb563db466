//! Which lanes of its sources an instruction reads, before the swizzle, and which of its destinations it writes: what
//! [`table`](super::table) says of operands, in lanes.

use super::names::File;
use super::signature::{Signature, Texels};
use super::table::{Mode, Opcode};
use crate::table::Shape;
use vecasm_ir::ir::Dim;
use vecasm_ir::operand::WriteMask;

const NONE: WriteMask = WriteMask::NONE;
const X: WriteMask = WriteMask::X;
const XY: WriteMask = WriteMask::first(2);
const W: WriteMask = WriteMask::lane(3);
const XYZ: WriteMask = WriteMask::XYZ;
const ALL: WriteMask = WriteMask::ALL;

/// The lanes of a register that hold a handle.
pub const HANDLE: WriteMask = XY;

/// Whether an operand is the handle of a sampler, a view, an image or a buffer, in two lanes of a register.
pub const fn is_handle(shape: Shape, file: File) -> bool {
    let value = matches!(file, File::Temp | File::TempX | File::In | File::Imm | File::ImmX | File::Sv);
    match shape {
        Shape::Sampler => value || matches!(file, File::Const | File::ConstBuf),
        Shape::View | Shape::Resource | Shape::Store => value,
        _ => false,
    }
}

/// The lane of the coordinates that is the reference value where texels are compared: behind the place, but z at least. Arrays of
/// cubes have no room for it.
pub fn reference_lane(dim: Dim) -> Option<u8> {
    Some(dim.coord_lanes().max(2)).filter(|lane| *lane < 4)
}

/// Whether an instruction that reads texels by their numbers, or asks for a size, is told a level. Those that name a view
/// take one for every texture but a buffer.
pub fn has_level(op: Opcode, dim: Dim) -> bool {
    match op {
        Opcode::Txf | Opcode::Txq => dim.has_levels(),
        Opcode::SampleI | Opcode::Sviewinfo => dim != Dim::Buffer,
        _ => false,
    }
}

/// The pairs of which a lane is in a mask, a bit each.
pub const fn pairs(mask: WriteMask) -> u8 {
    let bits = mask.bits();
    (bits & 3 != 0) as u8 | ((bits >> 2 != 0) as u8) << 1
}

/// The lanes of pairs, a bit each of `pairs`.
pub const fn of_pairs(pairs: u8) -> WriteMask {
    WriteMask::from_bits([0, 3, 12, 15][(pairs & 3) as usize])
}

/// Whether 64-bit sources give results of 32 bits, in the first lanes that are written.
const fn is_narrow(op: Opcode) -> bool {
    let row = op.row();
    row.is_narrowing() && row.source_shapes().len() == 1
}

/// The lanes that are written of those in the mask of destination `n`: a result of 64-bit values goes to one lane for each.
pub fn written(op: Opcode, n: usize, mask: WriteMask) -> WriteMask {
    let bits = mask.bits();
    if n > 0 || !op.row().is_narrowing() {
        return mask;
    }
    if is_narrow(op) {
        // The first two.
        let low = bits & bits.wrapping_neg();
        let rest = bits & !low;
        return WriteMask::from_bits(low | rest & rest.wrapping_neg());
    }
    // The first of each pair.
    let half = |half: u8| half & half.wrapping_neg();
    WriteMask::from_bits(half(bits & 3) | half(bits >> 2 & 3) << 2)
}

/// The lanes that an instruction reads of its source `n`, when it [writes](written) `written`. `texels` are those of its texture, its
/// view or its image. Of a [handle](is_handle) nothing is read here.
pub fn lanes(op: Opcode, n: usize, written: WriteMask, texels: Texels) -> WriteMask {
    use Opcode as O;
    let row = op.row();
    match row.source_shapes().get(n) {
        None | Some(Shape::Sampler | Shape::View | Shape::Resource) => return NONE,
        Some(Shape::Scalar) => {
            let part = match op {
                O::Exp | O::Log => XYZ,
                O::Scs => XY,
                _ => return X,
            };
            return if written.bits() & part.bits() == 0 { NONE } else { X };
        }
        _ => {}
    }
    if row.mode == Mode::PerComponent {
        // One invocation is asked, whose number is one.
        return if op == O::ReadInvoc && n == 1 { X } else { per_component(op, n, written) };
    }
    if let Some(lanes) = of_texture(op, n, texels) {
        return lanes;
    }
    let if_written =
        |part: WriteMask, read: WriteMask| if written.bits() & part.bits() == 0 { NONE } else { read };
    match (op, n) {
        (O::Lit, _) => if_written(WriteMask::lane(1), X)
            .union(if_written(WriteMask::lane(2), WriteMask::from_bits(0b1011))),
        (O::Dst, 0) => WriteMask::from_bits(written.bits() & 0b0110),
        (O::Dst, _) => WriteMask::from_bits(written.bits() & 0b1010),
        (O::Dp2a, 2) => X,
        (O::Dp2 | O::Dp2a, _) | (O::X2d, 1) => XY,
        (O::Dp3 | O::Dph | O::Rfl, 0) | (O::Dp3 | O::Rfl | O::Nrm, _) => XYZ,
        (O::Dp4 | O::Dph | O::Nrm4, _) => ALL,
        (O::Xpd, _) => {
            let bits = written.bits() & 7;
            WriteMask::from_bits((bits << 1 | bits << 2 | bits >> 1 | bits >> 2) & 7)
        }
        (O::X2d, 0) => if_written(WriteMask::from_bits(0b0101), X)
            .union(if_written(WriteMask::from_bits(0b1010), WriteMask::lane(1))),
        (O::X2d, _) => {
            let even = if_written(WriteMask::from_bits(0b0101), XY);
            even.union(if_written(WriteMask::from_bits(0b1010), WriteMask::from_bits(12)))
        }
        (O::Pk2h | O::Pk2us | O::Dfracexp, _) | (O::InterpOffset, 1) => XY,
        (O::Pk4b | O::Pk4ub | O::KillIf, _) => ALL,
        (O::Up2h | O::Up2us | O::Up4b | O::Up4ub | O::Ballot, _) | (O::InterpSample, 1) => X,
        // What is read is an output, or nothing.
        (O::Fbfetch | O::Mfence | O::Lfence | O::Sfence, _) => NONE,
        _ => written,
    }
}

fn per_component(op: Opcode, n: usize, written: WriteMask) -> WriteMask {
    let row = op.row();
    match (row.result.is_wide(), row.source(0).is_wide()) {
        (true, true) if n == 1 && is_counted(op) => of_counts(pairs(written)),
        (true, true) => of_pairs(pairs(written)),
        (true, false) => WriteMask::from_bits(pairs(written)),
        (false, true) if is_narrow(op) => of_pairs([0, 1, 3][written.count().min(2) as usize]),
        (false, true) => of_pairs(pairs(written)),
        // Constants, whatever the sources are.
        (false, false) if matches!(op, Opcode::Sfl | Opcode::Str) => NONE,
        (false, false) => written,
    }
}

/// Whether source 1 of an instruction on 64-bit values is a count: a word in the first lane of each pair.
pub fn is_counted(op: Opcode) -> bool {
    let row = op.row();
    row.result.is_wide()
        && row.source(0).is_wide()
        && !Signature::of(op, Texels::default()).source(1).is_wide()
}

/// The lanes of the counts of pairs, a bit each of `pairs`.
pub const fn of_counts(pairs: u8) -> WriteMask {
    WriteMask::from_bits(of_pairs(pairs).bits() & 0b0101)
}

/// Of instructions that take a texture, an image or memory; `None` of any other.
fn of_texture(op: Opcode, n: usize, texels: Texels) -> Option<WriteMask> {
    use Opcode as O;
    let Texels { dim, compared, .. } = texels;
    let coordinates = || dim.map_or(XYZ, |dim| WriteMask::first(dim.coord_lanes()));
    let slopes = || dim.map_or(XYZ, |dim| WriteMask::first(dim.place_lanes()));
    let reference = || match dim.and_then(reference_lane) {
        Some(at) if compared => WriteMask::lane(at.into()),
        _ => NONE,
    };
    Some(match (op, n) {
        (O::Tex | O::TexLz | O::Tex2 | O::Txb2 | O::Txl2 | O::Txd, 0) => coordinates().union(reference()),
        (O::Txp | O::Txb | O::Txl, 0) => coordinates().union(reference()).union(W),
        (O::Txd, 1 | 2) | (O::SampleD, 3 | 4) => slopes(),
        (O::Tex2, 1) => X,
        (O::Txb2 | O::Txl2, 1) if compared && dim == Some(Dim::CubeArray) => XY,
        (O::Txb2 | O::Txl2, 1) => X,
        (O::Sample | O::SampleB | O::SampleC | O::SampleCLz | O::SampleD | O::SampleL, 0) => coordinates(),
        (O::SampleB | O::SampleC | O::SampleCLz | O::SampleL, 3) => X,
        (O::Gather4 | O::Lodq | O::Lod, 0) => coordinates(),
        (O::Tg4, 0) => coordinates().union(reference()),
        (O::Tg4, 1) => X,
        (O::TxfLz | O::SampleIMs, 0) => place(dim),
        (O::Txf | O::SampleI, 0) => {
            let level = dim.is_some_and(|dim| has_level(op, dim));
            address(dim).union(if level { W } else { NONE })
        }
        (O::Txq | O::Sviewinfo, 0) => {
            if dim.is_some_and(|dim| has_level(op, dim)) {
                X
            } else {
                NONE
            }
        }
        (O::SampleIMs, 2) | (O::SamplePos | O::SampleInfo, 1) => X,
        // A texel is written whole.
        (O::Store, 1) if dim.is_some() => ALL,
        _ if address_of(op) == Some(n) => address(dim),
        _ if op.row().is_atomic() => X,
        _ => return None,
    })
}

/// The source of an instruction that says which texel of an image it is about, or which word of memory.
pub const fn address_of(op: Opcode) -> Option<usize> {
    match op {
        Opcode::Store => Some(0),
        Opcode::Load => Some(1),
        op if op.row().is_atomic() => Some(1),
        _ => None,
    }
}

/// Where a texel is, or a word of memory.
fn place(dim: Option<Dim>) -> WriteMask {
    dim.map_or(X, |dim| WriteMask::first(dim.texel_lanes()))
}

/// The same with the number of a sample, where there are several.
fn address(dim: Option<Dim>) -> WriteMask {
    let samples = dim.is_some_and(Dim::multisampled);
    place(dim).union(if samples { W } else { NONE })
}
