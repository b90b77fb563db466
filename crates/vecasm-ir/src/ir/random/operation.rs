//! Operations with no regard to the rules of the IR.

use super::Rng;
use crate::ir::op::effects::Subject;
use crate::ir::op::{Element, OpKind, Parts, Place};
use crate::ir::{
    At, Atomic, BufferId, ImageId, InputId, LocalId, Lod, Memory, Op, OutOfRange, OutputId, ParamId, Pick,
    Pure, Site, Slope, StateId, TextureId, Vote,
};
use crate::operand::WriteMask;
use alloc::vec::Vec;

/// The number of the first place that no operation names.
const PLACES: usize = 3;

fn choose<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())]
}

/// Any operation on one of the first three places of a table, which may not exist, with attributes of any kind: what no verified
/// shader has, and nothing may stumble over.
pub fn operation(rng: &mut Rng) -> Op {
    if rng.one_in(40) {
        return Op::Pure(choose(rng, Pure::ALL));
    }
    let kind = choose(rng, OpKind::ALL);
    let id = rng.below(PLACES) as u32;
    let place = match kind.subject() {
        Subject::Nothing | Subject::Number | Subject::Step => None,
        Subject::Input => Some(Place::Input(InputId(id))),
        Subject::Output => Some(Place::Output(OutputId(id))),
        Subject::Param => Some(Place::Param(ParamId(id))),
        Subject::Local => Some(Place::Local(LocalId(id))),
        Subject::State => Some(Place::State(StateId(id))),
        Subject::Texture => Some(Place::Texture(TextureId(id))),
        Subject::Image => Some(Place::Image(ImageId(id))),
        Subject::Memory if rng.one_in(3) => Some(Place::Memory(Memory::Shared)),
        Subject::Memory => Some(Place::Memory(Memory::Buffer(BufferId(id)))),
    };
    let parts = Parts {
        place,
        element: Element::Only,
        mask: Some(WriteMask::from_bits(rng.below(16) as u8)),
        number: choose(rng, &[0, 1, 3, 4, 200, u32::MAX]),
        site: Some(choose(rng, Site::ALL)),
        lod: Some(choose(rng, &[Lod::Implicit { bias_eighths: -128 }, Lod::Bias, Lod::Level, Lod::Gradient])),
        component: Some(choose(rng, &[0, 1, 4, 200])),
        compare: rng.one_in(2),
        offset: rng.one_in(2),
        atomic: Some(choose(rng, Atomic::ALL)),
        slope: Some(choose(rng, Slope::ALL)),
        vote: Some(choose(rng, Vote::ALL)),
    };
    let offset = choose(rng, &[0, -1, 2, i32::MIN, i32::MAX]);
    let rule = choose(rng, OutOfRange::ALL);
    let elements = [
        Element::Only,
        Element::Fixed(choose(rng, &[0, 1, 3, 900, u32::MAX])),
        Element::Computed { offset, rule: Some(rule) },
        Element::Computed { offset, rule: None },
        Element::Run(At { count: choose(rng, &[0, 1, 2, u32::MAX]), offset, rule }),
        Element::Binding(choose(rng, &[Pick::Fixed, Pick::Index { count: 2 }, Pick::Handle])),
    ];
    let forms: Vec<Op> =
        elements.iter().filter_map(|element| kind.op(&Parts { element: *element, ..parts })).collect();
    if forms.is_empty() { Op::Compose } else { choose(rng, &forms) }
}
