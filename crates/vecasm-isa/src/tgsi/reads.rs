//! Which lanes of its sources an instruction reads, before the swizzle, and which of its destinations it writes: what
//! [`table`](super::table) says of operands, in lanes.

use super::names::Target;
use super::table::{Mode, Opcode};
use crate::table::Shape;
use vecasm_ir::ir::Dim;
use vecasm_ir::operand::WriteMask;

const NONE: WriteMask = WriteMask::NONE;
const X: WriteMask = WriteMask::X;
const XY: WriteMask = first(2);
const XYZ: WriteMask = WriteMask::XYZ;
const ALL: WriteMask = WriteMask::ALL;

/// The first lanes.
const fn first(count: u8) -> WriteMask {
    WriteMask::from_bits(((1_u32 << count) - 1) as u8)
}

const fn lane(n: u8) -> WriteMask {
    WriteMask::from_bits(1 << n)
}

/// The pairs of which a lane is in a mask, a bit each.
const fn pairs(mask: WriteMask) -> u8 {
    let bits = mask.bits();
    (bits & 3 != 0) as u8 | ((bits >> 2 != 0) as u8) << 1
}

/// The lanes of pairs.
const fn of_pairs(pairs: u8) -> WriteMask {
    WriteMask::from_bits([0, 3, 12, 15][(pairs & 3) as usize])
}

/// Whether 64-bit sources give results of 32 bits, in the first lanes that are written.
const fn is_narrow(op: Opcode) -> bool {
    let row = op.row();
    matches!(row.mode, Mode::PerComponent)
        && row.source(0).is_wide()
        && !row.result.is_wide()
        && row.source_shapes().len() == 1
}

/// The lanes that are written of those in the mask of destination `n`: a result of 64-bit values goes to one lane for each.
pub fn written(op: Opcode, n: usize, mask: WriteMask) -> WriteMask {
    let row = op.row();
    let bits = mask.bits();
    if n > 0 || !row.source(0).is_wide() || row.result.is_wide() || !matches!(row.mode, Mode::PerComponent) {
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

/// The lanes that an instruction reads of its source `n`, when it [writes](written) `written`. `target` is that of its texture, its
/// view or its image.
pub fn lanes(op: Opcode, n: usize, written: WriteMask, target: Option<Target>) -> WriteMask {
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
    if let Some(lanes) =
        of_texture(op, n, target.and_then(Target::dim), target.is_some_and(Target::is_shadow))
    {
        return lanes;
    }
    let if_written =
        |part: WriteMask, read: WriteMask| if written.bits() & part.bits() == 0 { NONE } else { read };
    match (op, n) {
        (O::Lit, _) => if_written(lane(1), X).union(if_written(lane(2), WriteMask::from_bits(0b1011))),
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
            .union(if_written(WriteMask::from_bits(0b1010), lane(1))),
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
    let counted = matches!(op, Opcode::Dldexp | Opcode::U64shl | Opcode::I64shr | Opcode::U64shr) && n == 1;
    match (row.result.is_wide(), row.source(0).is_wide()) {
        // A count is in the first lane of each pair.
        (true, true) if counted => WriteMask::from_bits(of_pairs(pairs(written)).bits() & 0b0101),
        (true, true) => of_pairs(pairs(written)),
        (true, false) => WriteMask::from_bits(pairs(written)),
        (false, true) if is_narrow(op) => of_pairs([0, 1, 3][written.count().min(2) as usize]),
        (false, true) => of_pairs(pairs(written)),
        // Constants, whatever the sources are.
        (false, false) if matches!(op, Opcode::Sfl | Opcode::Str) => NONE,
        (false, false) => written,
    }
}

/// Of instructions that take a texture, an image or memory; `None` of any other.
fn of_texture(op: Opcode, n: usize, dim: Option<Dim>, shadow: bool) -> Option<WriteMask> {
    use Opcode as O;
    let coordinates = || dim.map_or(XYZ, |dim| first(dim.coord_lanes()));
    let slopes = || dim.map_or(XYZ, |dim| first(dim.place_lanes()));
    // Behind the coordinates, but z at least.
    let reference = || match dim.map(|dim| dim.coord_lanes().max(2)) {
        Some(at) if shadow && at < 4 => lane(at),
        _ => NONE,
    };
    let texel = || {
        let dim = dim.unwrap_or(Dim::Buffer);
        let sample = if dim.multisampled() { lane(3) } else { NONE };
        (first(dim.texel_lanes()), sample, dim)
    };
    Some(match (op, n) {
        (O::Tex | O::TexLz | O::Tex2 | O::Txb2 | O::Txl2 | O::Txd, 0) => coordinates().union(reference()),
        (O::Txp | O::Txb | O::Txl, 0) => coordinates().union(reference()).union(lane(3)),
        (O::Txd, 1 | 2) | (O::SampleD, 3 | 4) => slopes(),
        (O::Tex2, 1) => X,
        (O::Txb2 | O::Txl2, 1) if shadow && dim == Some(Dim::CubeArray) => XY,
        (O::Txb2 | O::Txl2, 1) => X,
        (O::Sample | O::SampleB | O::SampleC | O::SampleCLz | O::SampleD | O::SampleL, 0) => coordinates(),
        (O::SampleB | O::SampleC | O::SampleCLz | O::SampleL, 3) => X,
        (O::Gather4 | O::Lodq | O::Lod, 0) => coordinates(),
        (O::Tg4, 0) => coordinates().union(reference()),
        (O::Tg4, 1) => X,
        (O::TxfLz | O::SampleIMs, 0) => texel().0,
        (O::Txf | O::SampleI, 0) => {
            let (place, sample, dim) = texel();
            let levels = dim.has_levels() || op == O::SampleI && dim != Dim::Buffer;
            place.union(sample).union(if levels { lane(3) } else { NONE })
        }
        (O::Txq | O::Sviewinfo, 0) => {
            let levels = dim.is_some_and(|dim| dim.has_levels() || op == O::Sviewinfo && dim != Dim::Buffer);
            if levels { X } else { NONE }
        }
        (O::SampleIMs, 2) | (O::SamplePos | O::SampleInfo, 1) => X,
        (O::Store, 0) | (O::Load, 1) => address(dim),
        // A texel is written whole.
        (O::Store, 1) if dim.is_some() => ALL,
        (_, 1) if is_atomic(op) => address(dim),
        _ if is_atomic(op) => X,
        _ => return None,
    })
}

fn is_atomic(op: Opcode) -> bool {
    matches!(op.row().shape, [Shape::Dst, Shape::Resource, _, _, ..])
}

/// Where a texel of an image is, or a word of memory.
fn address(dim: Option<Dim>) -> WriteMask {
    match dim {
        Some(dim) if dim.multisampled() => first(dim.texel_lanes()).union(lane(3)),
        Some(dim) => first(dim.texel_lanes()),
        None => X,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_follow_the_manual() {
        let of = |op, n, bits, target| lanes(op, n, WriteMask::from_bits(bits), target).bits();
        assert_eq!((of(Opcode::Mad, 2, 5, None), of(Opcode::Dp3, 1, 8, None)), (5, 7));
        // z of LIT needs the light, the shine and the power.
        assert_eq!([2, 4, 9].map(|bits| of(Opcode::Lit, 0, bits, None)), [1, 11, 0]);
        assert_eq!(of(Opcode::Tex, 0, 15, Some(Target::Shadow2)), 7);
        assert_eq!(of(Opcode::Txb, 0, 15, Some(Target::D2)), 11);
        // One float to a double in zw is y.
        assert_eq!((of(Opcode::F2d, 0, 12, None), of(Opcode::Dadd, 0, 12, None)), (2, 12));
        assert_eq!(written(Opcode::Dslt, 0, WriteMask::ALL).bits(), 5);
        assert_eq!(written(Opcode::D2f, 0, WriteMask::from_bits(14)).bits(), 6);
    }
}
