//! What an operation that is not pure says beside its word and its arguments, and the way back to the operation.

use super::effects::{Kind, Slot};
use super::{At, Atomic, Lod, Memory, Op, OutOfRange, Pick, Site, Slope, Vote};
use crate::ir::{ImageId, InputId, LocalId, OutputId, ParamId, StateId, TextureId};
use crate::operand::WriteMask;

/// What an operation works on. Of a run of them it is the first, of an array it is the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// An input.
    Input(InputId),
    /// An output cell.
    Output(OutputId),
    /// A parameter array.
    Param(ParamId),
    /// A local array.
    Local(LocalId),
    /// A state value.
    State(StateId),
    /// A texture with its sampler.
    Texture(TextureId),
    /// An image.
    Image(ImageId),
    /// A buffer, or what the workgroup shares.
    Memory(Memory),
}

/// Which part of its [place](Place) an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Element {
    /// The place itself.
    #[default]
    Only,
    /// That element of an array.
    Fixed(u32),
    /// The element of an array at `argument + offset`.
    Computed {
        /// Added to the argument.
        offset: i32,
        /// What happens outside the array; `None` for stores to parameter arrays, which are dropped.
        rule: Option<OutOfRange>,
    },
    /// One of a run of cells.
    Run(At),
    /// A binding.
    Binding(Pick),
}

/// What an operation says beside its word and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// What it works on.
    pub place: Option<Place>,
    /// Which part of that.
    pub element: Element,
    /// The lanes that a store writes; a store to an image writes all and has none.
    pub mask: Option<WriteMask>,
    /// The number of a render target, a stream or a step; how many words a load from memory reads.
    pub number: u32,
    /// See [`Op::Interpolate`].
    pub site: Option<Site>,
    /// See [`Op::Sample`].
    pub lod: Option<Lod>,
    /// See [`Op::Gather`].
    pub component: Option<u8>,
    /// Whether texels are compared with a reference.
    pub compare: bool,
    /// Whether there is an offset in texels.
    pub offset: bool,
    /// See [`Op::AtomicMemory`].
    pub atomic: Option<Atomic>,
    /// See [`Op::Ddx`].
    pub slope: Option<Slope>,
    /// See [`Op::Vote`].
    pub vote: Option<Vote>,
}

impl Parts {
    pub(crate) const NONE: Self = Self {
        place: None,
        element: Element::Only,
        mask: None,
        number: 0,
        site: None,
        lod: None,
        component: None,
        compare: false,
        offset: false,
        atomic: None,
        slope: None,
        vote: None,
    };

    const fn of(place: Place, element: Element) -> Self {
        Self { place: Some(place), element, ..Self::NONE }
    }

    const fn stored(place: Place, element: Element, mask: WriteMask) -> Self {
        Self { mask: Some(mask), ..Self::of(place, element) }
    }

    pub(crate) const fn bound(place: Place, pick: Pick) -> Self {
        Self::of(place, Element::Binding(pick))
    }

    const fn numbered(number: u32) -> Self {
        Self { number, ..Self::NONE }
    }

    /// How a binding is chosen; what is no binding is fixed.
    pub const fn pick(&self) -> Pick {
        match self.element {
            Element::Binding(pick) => pick,
            _ => Pick::Fixed,
        }
    }

    /// The element of an array, if no argument chooses it.
    pub const fn fixed(&self) -> Option<u32> {
        match self.element {
            Element::Fixed(index) => Some(index),
            _ => None,
        }
    }

    /// The run of cells out of which one is chosen.
    pub const fn run(&self) -> Option<At> {
        match self.element {
            Element::Run(at) => Some(at),
            _ => None,
        }
    }
}

impl Kind {
    /// The operation with these parts; `None` if one is missing or does not belong to it. Constants have no lanes yet.
    pub(crate) const fn op(self, parts: &Parts) -> Option<Op> {
        use Element::{Binding, Computed, Fixed, Only, Run};
        let mask = match parts.mask {
            Some(mask) => mask,
            None => WriteMask::NONE,
        };
        let number = parts.number;
        Some(match (self, parts.place, parts.element) {
            (Self::Const, None, Only) => Op::Const([0; 4]),
            (Self::Compose, None, Only) => Op::Compose,
            (Self::Input, Some(Place::Input(id)), Only) => Op::Input(id),
            (Self::Input, Some(Place::Input(first)), Run(at)) => Op::InputAt { first, at },
            (Self::InputOf, Some(Place::Input(first)), Only) => Op::InputOf { first, at: None },
            (Self::InputOf, Some(Place::Input(first)), Run(at)) => Op::InputOf { first, at: Some(at) },
            (Self::Interpolate, Some(Place::Input(input)), Only) => match parts.site {
                Some(site) => Op::Interpolate { input, site },
                None => return None,
            },
            (Self::Load, Some(Place::Output(id)), Only) => Op::LoadOutput(id),
            (Self::Load, Some(Place::Output(first)), Run(at)) => Op::LoadOutputAt { first, at },
            (Self::LoadOf, Some(Place::Output(first)), Only) => Op::LoadOutputOf { first, at: None },
            (Self::LoadOf, Some(Place::Output(first)), Run(at)) => Op::LoadOutputOf { first, at: Some(at) },
            (Self::Store, Some(Place::Output(output)), Only) => Op::StoreOutput { output, mask },
            (Self::Store, Some(Place::Output(first)), Run(at)) => Op::StoreOutputAt { first, at, mask },
            (Self::Param, Some(Place::Param(array)), Fixed(index)) => Op::Param { array, index },
            (Self::Param, Some(Place::Param(array)), Computed { offset, rule: Some(rule) }) => {
                Op::ParamAt { array, offset, rule }
            }
            (Self::StoreParam, Some(Place::Param(array)), Fixed(index)) => {
                Op::StoreParam { array, index, mask }
            }
            (Self::StoreParam, Some(Place::Param(array)), Computed { offset, rule: None }) => {
                Op::StoreParamAt { array, offset, mask }
            }
            (Self::LoadLocal, Some(Place::Local(array)), Fixed(index)) => Op::LoadLocal { array, index },
            (Self::LoadLocal, Some(Place::Local(array)), Computed { offset, rule: Some(rule) }) => {
                Op::LoadLocalAt { array, offset, rule }
            }
            (Self::StoreLocal, Some(Place::Local(array)), Fixed(index)) => {
                Op::StoreLocal { array, index, mask }
            }
            (Self::StoreLocal, Some(Place::Local(array)), Computed { offset, rule: Some(rule) }) => {
                Op::StoreLocalAt { array, offset, mask, rule }
            }
            (Self::State, Some(Place::State(id)), Only) => Op::State(id),
            (kind, Some(Place::Texture(texture)), Binding(pick)) => {
                let Parts { compare, offset, .. } = *parts;
                match (kind, parts.lod, parts.component) {
                    (Self::Sample, Some(lod), _) => Op::Sample { texture, lod, compare, offset, pick },
                    (Self::Gather, _, Some(component)) => {
                        Op::Gather { texture, component, compare, offset, pick }
                    }
                    (Self::Fetch, ..) => Op::Fetch { texture, offset, pick },
                    (Self::TextureSize, ..) => Op::TextureSize { texture, pick },
                    (Self::TextureLod, ..) => Op::TextureLod { texture, pick },
                    (Self::TextureSamples, ..) => Op::TextureSamples { texture, pick },
                    (Self::SamplePosition, ..) => Op::SamplePosition { texture, pick },
                    _ => return None,
                }
            }
            (kind, Some(Place::Memory(memory)), Binding(pick)) => match (kind, parts.atomic) {
                (Self::LoadMemory, _) => Op::LoadMemory { memory, lanes: number as u8, pick },
                (Self::StoreMemory, _) => Op::StoreMemory { memory, mask, pick },
                (Self::AtomicMemory, Some(atomic)) => Op::AtomicMemory { memory, atomic, pick },
                (Self::MemorySize, _) => Op::MemorySize { memory, pick },
                _ => return None,
            },
            (kind, Some(Place::Image(image)), Binding(pick)) => match (kind, parts.atomic) {
                (Self::LoadImage, _) => Op::LoadImage { image, pick },
                (Self::StoreImage, _) => Op::StoreImage { image, pick },
                (Self::AtomicImage, Some(atomic)) => Op::AtomicImage { image, atomic, pick },
                (Self::ImageSize, _) => Op::ImageSize { image, pick },
                _ => return None,
            },
            (kind, None, Only) => match (kind, parts.slope, parts.vote) {
                (Self::Framebuffer, ..) => Op::Framebuffer { target: number as u8 },
                (Self::Ddx, Some(slope), _) => Op::Ddx(slope),
                (Self::Ddy, Some(slope), _) => Op::Ddy(slope),
                (Self::Demote, ..) => Op::Demote,
                (Self::IsHelper, ..) => Op::IsHelper,
                (Self::Barrier, ..) => Op::Barrier,
                (Self::Fence, ..) => Op::Fence,
                (Self::Vote, _, Some(vote)) => Op::Vote(vote),
                (Self::Ballot, ..) => Op::Ballot,
                (Self::ReadFirst, ..) => Op::ReadFirst,
                (Self::ReadInvocation, ..) => Op::ReadInvocation,
                (Self::Clock, ..) => Op::Clock,
                (Self::EmitVertex, ..) => Op::EmitVertex { stream: number as u8 },
                (Self::EndPrimitive, ..) => Op::EndPrimitive { stream: number as u8 },
                (Self::Mark, ..) => Op::Mark(number),
                _ => return None,
            },
            _ => return None,
        })
    }
}

impl Op {
    /// What it says beside its word and its arguments; nothing for a pure one.
    pub const fn parts(self) -> Parts {
        use Element::{Computed, Fixed, Only, Run};
        use Place::{Image, Input, Local, Output, Param, Texture};
        match self {
            Self::Input(id) | Self::InputOf { first: id, at: None } => Parts::of(Input(id), Only),
            Self::InputAt { first, at } | Self::InputOf { first, at: Some(at) } => {
                Parts::of(Input(first), Run(at))
            }
            Self::Interpolate { input, site } => Parts { site: Some(site), ..Parts::of(Input(input), Only) },
            Self::LoadOutput(id) | Self::LoadOutputOf { first: id, at: None } => Parts::of(Output(id), Only),
            Self::LoadOutputAt { first, at } | Self::LoadOutputOf { first, at: Some(at) } => {
                Parts::of(Output(first), Run(at))
            }
            Self::StoreOutput { output, mask } => Parts::stored(Output(output), Only, mask),
            Self::StoreOutputAt { first, at, mask } => Parts::stored(Output(first), Run(at), mask),
            Self::Param { array, index } => Parts::of(Param(array), Fixed(index)),
            Self::ParamAt { array, offset, rule } => {
                Parts::of(Param(array), Computed { offset, rule: Some(rule) })
            }
            Self::StoreParam { array, index, mask } => Parts::stored(Param(array), Fixed(index), mask),
            Self::StoreParamAt { array, offset, mask } => {
                Parts::stored(Param(array), Computed { offset, rule: None }, mask)
            }
            Self::LoadLocal { array, index } => Parts::of(Local(array), Fixed(index)),
            Self::LoadLocalAt { array, offset, rule } => {
                Parts::of(Local(array), Computed { offset, rule: Some(rule) })
            }
            Self::StoreLocal { array, index, mask } => Parts::stored(Local(array), Fixed(index), mask),
            Self::StoreLocalAt { array, offset, mask, rule } => {
                Parts::stored(Local(array), Computed { offset, rule: Some(rule) }, mask)
            }
            Self::State(id) => Parts::of(Place::State(id), Only),
            Self::Sample { texture, lod, compare, offset, pick } => {
                Parts { lod: Some(lod), compare, offset, ..Parts::bound(Texture(texture), pick) }
            }
            Self::Gather { texture, component, compare, offset, pick } => {
                Parts { component: Some(component), compare, offset, ..Parts::bound(Texture(texture), pick) }
            }
            Self::Fetch { texture, offset, pick } => Parts { offset, ..Parts::bound(Texture(texture), pick) },
            Self::TextureSize { texture, pick }
            | Self::TextureLod { texture, pick }
            | Self::TextureSamples { texture, pick }
            | Self::SamplePosition { texture, pick } => Parts::bound(Texture(texture), pick),
            Self::LoadMemory { memory, lanes, pick } => {
                Parts { number: lanes as u32, ..Parts::bound(Place::Memory(memory), pick) }
            }
            Self::StoreMemory { memory, mask, pick } => {
                Parts { mask: Some(mask), ..Parts::bound(Place::Memory(memory), pick) }
            }
            Self::AtomicMemory { memory, atomic, pick } => {
                Parts { atomic: Some(atomic), ..Parts::bound(Place::Memory(memory), pick) }
            }
            Self::MemorySize { memory, pick } => Parts::bound(Place::Memory(memory), pick),
            Self::LoadImage { image, pick }
            | Self::StoreImage { image, pick }
            | Self::ImageSize { image, pick } => Parts::bound(Image(image), pick),
            Self::AtomicImage { image, atomic, pick } => {
                Parts { atomic: Some(atomic), ..Parts::bound(Image(image), pick) }
            }
            Self::Framebuffer { target: number }
            | Self::EmitVertex { stream: number }
            | Self::EndPrimitive { stream: number } => Parts::numbered(number as u32),
            Self::Mark(step) => Parts::numbered(step),
            Self::Ddx(slope) | Self::Ddy(slope) => Parts { slope: Some(slope), ..Parts::NONE },
            Self::Vote(vote) => Parts { vote: Some(vote), ..Parts::NONE },
            Self::Pure(_)
            | Self::Const(_)
            | Self::Compose
            | Self::Demote
            | Self::IsHelper
            | Self::Barrier
            | Self::Fence
            | Self::Ballot
            | Self::ReadFirst
            | Self::ReadInvocation
            | Self::Clock => Parts::NONE,
        }
    }

    /// What it works on.
    pub const fn place(self) -> Option<Place> {
        self.parts().place
    }

    /// The lanes that a store writes; `None` for what stores nothing, and for whole texels.
    pub const fn mask(self) -> Option<WriteMask> {
        self.parts().mask
    }

    /// The input or output cells that it may work on: the place of the first one, and how many.
    pub const fn cells(self) -> Option<(Place, u32)> {
        let parts = self.parts();
        match (parts.place, parts.element) {
            (Some(place @ (Place::Input(_) | Place::Output(_))), Element::Run(at)) => Some((place, at.count)),
            (Some(place @ (Place::Input(_) | Place::Output(_))), _) => Some((place, 1)),
            _ => None,
        }
    }

    /// What happens outside the array or run that it takes an element of by a computed number, if there is a rule.
    pub const fn outside(self) -> Option<OutOfRange> {
        match self.parts().element {
            Element::Computed { rule, .. } => rule,
            Element::Run(at) => Some(at.rule),
            _ => None,
        }
    }

    /// Which argument is the computed index of a cell or of an element of an array.
    #[inline]
    pub fn index(self) -> Option<usize> {
        if matches!(self, Self::Pure(_)) { None } else { self.index_of_place() }
    }

    fn index_of_place(self) -> Option<usize> {
        if !matches!(self.parts().element, Element::Run(_) | Element::Computed { .. }) {
            return None;
        }
        Kind::of(self)?.slots().iter().position(|&slot| slot == Slot::Index)
    }

    /// Whether it works on a cell of a vertex that an argument names.
    pub fn is_of_vertex(self) -> bool {
        Kind::of(self).is_some_and(Kind::is_of_vertex)
    }

    /// The texture that it names, the first one of a run, and how it chooses.
    pub const fn texture(self) -> Option<(TextureId, Pick)> {
        let parts = self.parts();
        match parts.place {
            Some(Place::Texture(texture)) => Some((texture, parts.pick())),
            _ => None,
        }
    }

    /// The same operation on another place; `None` if it does not work on such a one.
    pub const fn on(self, place: Place, element: Element) -> Option<Self> {
        match Kind::of(self) {
            Some(kind) => kind.op(&Parts { place: Some(place), element, ..self.parts() }),
            None => None,
        }
    }
}
