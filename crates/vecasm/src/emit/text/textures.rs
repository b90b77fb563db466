//! What a texture operation takes.

use crate::ir::{Arg, Lod, Op, Pick, TextureId};
use crate::isa::operand::Swizzle;

/// The arguments of a texture operation, in the order in which it takes them.
#[derive(Clone, Copy, Default)]
pub(in crate::emit) struct Given {
    pub(in crate::emit) coord: Option<Arg>,
    pub(in crate::emit) reference: Option<Arg>,
    /// A bias, a level, or the number of a sample.
    pub(in crate::emit) detail: Option<Arg>,
    pub(in crate::emit) gradient: Option<(Arg, Arg)>,
    pub(in crate::emit) offset: Option<Arg>,
}

impl Given {
    /// The arguments of a read, by what they are for.
    pub(in crate::emit) fn of(op: Op, args: &[Arg]) -> Self {
        let mut args = args.iter().copied();
        let mut given = Self::default();
        let offset = match op {
            Op::Sample { lod, compare, offset, .. } => {
                given.coord = args.next();
                given.reference = if compare { args.next() } else { None };
                match lod {
                    Lod::Implicit { .. } => {}
                    Lod::Bias | Lod::Level => given.detail = args.next(),
                    Lod::Gradient => given.gradient = args.next().zip(args.next()),
                }
                offset
            }
            Op::Gather { compare, offset, .. } => {
                given.coord = args.next();
                given.reference = if compare { args.next() } else { None };
                offset
            }
            Op::Fetch { offset, .. } => {
                given.coord = args.next();
                given.detail = args.next();
                offset
            }
            _ => false,
        };
        given.offset = if offset { args.next() } else { None };
        given
    }
}

/// The texture that an operation is about, and how it is chosen.
pub(in crate::emit) const fn subject(op: Op) -> Option<(TextureId, Pick)> {
    match op {
        Op::Sample { texture, pick, .. }
        | Op::Gather { texture, pick, .. }
        | Op::Fetch { texture, pick, .. }
        | Op::TextureSize { texture, pick }
        | Op::TextureSamples { texture, pick } => Some((texture, pick)),
        _ => None,
    }
}

/// One lane of an argument.
pub(in crate::emit) fn lane(arg: Arg, lane: u8) -> Arg {
    Arg { swizzle: Swizzle::splat(arg.swizzle.get(usize::from(lane))), lanes: 1, ..arg }
}
