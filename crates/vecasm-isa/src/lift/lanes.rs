//! Lanes: where the content of a register is, and arguments made of it.

use vecasm_ir::ir::{Arg, Value};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Where the present content of a register lane is: a lane of a value, or nowhere yet.
pub(crate) type Lane = Option<(Value, u8)>;

/// The present content of a register.
pub(crate) type Lanes = [Lane; 4];

/// The content of a register that nothing has written.
pub(crate) const EMPTY: Lanes = [None; 4];

/// The four lanes of a value.
pub(crate) const fn all_lanes(value: Value) -> Lanes {
    [Some((value, 0)), Some((value, 1)), Some((value, 2)), Some((value, 3))]
}

/// The lanes of an argument, each in the place of a lane of the mask.
pub(crate) fn spread(arg: Arg, mask: WriteMask) -> Lanes {
    let mut out = EMPTY;
    for (n, lane) in mask.lanes().enumerate() {
        if let Some(to) = out.get_mut(lane) {
            *to = Some((arg.value, arg.swizzle.get(n)));
        }
    }
    out
}

/// The first lane of an argument.
pub(crate) const fn take_first(arg: Arg) -> Lane {
    Some((arg.value, arg.swizzle.get(0)))
}

/// The first lane of an argument, in all four places.
pub(crate) const fn repeat_first(arg: Arg) -> Lanes {
    [take_first(arg); 4]
}

/// One of the lanes of a register.
pub(crate) fn get_lane(lanes: &Lanes, lane: usize) -> Lane {
    lanes.get(lane).copied().flatten()
}

/// The lanes of a register that a mask names, one after another.
pub(crate) fn pick_masked(lanes: &Lanes, mask: WriteMask) -> impl Iterator<Item = Lane> {
    mask.lanes().map(move |lane| get_lane(lanes, lane))
}

/// The lanes of a register that the lanes of a mask read through a swizzle, one after another.
pub(crate) fn pick_swizzled(lanes: &Lanes, swizzle: Swizzle, mask: WriteMask) -> impl Iterator<Item = Lane> {
    mask.lanes().map(move |lane| get_lane(lanes, swizzle.get(lane).into()))
}

/// What the lanes of a mask read of a value through a swizzle, one after another.
pub(crate) const fn pick_read(value: Value, swizzle: Swizzle, mask: WriteMask) -> Arg {
    Arg { value, swizzle: swizzle.together(mask), lanes: mask.count() as u8 }
}

/// Some lanes of an argument, by their places in it, 1–4 of them.
pub(crate) fn pick(arg: Arg, lanes: &[u8]) -> Arg {
    let at = |n: usize| arg.swizzle.get(usize::from(lanes.get(n).or(lanes.last()).copied().unwrap_or(0)));
    let swizzle = Swizzle::new(at(0), at(1), at(2), at(3));
    Arg { value: arg.value, swizzle, lanes: lanes.len().min(4) as u8 }
}

/// The first lane of an argument, as often as is asked for.
pub(crate) const fn broadcast(arg: Arg, lanes: u8) -> Arg {
    Arg { value: arg.value, swizzle: Swizzle::splat(arg.swizzle.get(0)), lanes }
}
