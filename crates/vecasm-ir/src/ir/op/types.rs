//! The types of arguments and results, from the table of [effects](super::effects).

use super::effects::{Kind, ResultType, Slot};
use super::{Element, Lod, Op, Parts, Pick, Place, Site, Vote};
use crate::ir::{Scalar, Shader, Texture, Type};
use core::ops::Deref;

/// The types of the arguments of an operation, in order.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    types: [Type; Self::MOST],
    len: u8,
}

impl Parameters {
    /// No operation has more.
    pub(crate) const MOST: usize = 8;

    const NONE: Self = Self { types: [Type::F32; Self::MOST], len: 0 };

    fn add(&mut self, ty: Type) {
        if let Some(slot) = self.types.get_mut(usize::from(self.len)) {
            *slot = ty;
            self.len += 1;
        }
    }
}

impl Deref for Parameters {
    type Target = [Type];

    fn deref(&self) -> &[Type] {
        self.types.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl Kind {
    /// The types of the arguments of an operation of this kind with these parts, whose place exists; see [`Op::parameters`].
    pub(crate) fn parameters(self, parts: &Parts, shader: &Shader, given: &[Type]) -> Option<Parameters> {
        let first = given.first().copied();
        let mut list = Parameters::NONE;
        for &slot in self.slots() {
            match slot {
                Slot::Vertex => list.add(Type::I32),
                Slot::Index => {
                    if matches!(parts.element, Element::Run(_) | Element::Computed { .. }) {
                        list.add(Type::I32);
                    }
                }
                Slot::Site => match parts.site? {
                    Site::Center | Site::Centroid => {}
                    Site::Sample => list.add(Type::I32),
                    Site::Offset => list.add(Type::new(Scalar::F32, 2)),
                },
                Slot::Stored => {
                    let lanes = parts.mask.map_or(4, |mask| mask.count().max(1) as u8);
                    list.add(Type::new(parts.place?.scalar(shader)?, lanes));
                }
                Slot::Coordinate => {
                    list.add(Type::new(Scalar::F32, parts.texture(shader)?.coord_lanes()));
                }
                Slot::Reference => {
                    if parts.compare {
                        list.add(Type::F32);
                    }
                }
                Slot::Detail => match parts.lod? {
                    Lod::Implicit { .. } => {}
                    Lod::Bias | Lod::Level => list.add(Type::F32),
                    Lod::Gradient => {
                        let along = Type::new(Scalar::F32, parts.texture(shader)?.dim.place_lanes());
                        list.add(along);
                        list.add(along);
                    }
                },
                Slot::Offset => {
                    if parts.offset {
                        list.add(Type::new(Scalar::I32, parts.texture(shader)?.dim.axes()));
                    }
                }
                Slot::Texel => {
                    let dim = match parts.place? {
                        Place::Image(id) => shader.images.get(id.index())?.dim,
                        _ => parts.texture(shader)?.dim,
                    };
                    list.add(Type::new(Scalar::I32, dim.texel_lanes()));
                }
                Slot::Sample => {
                    let Some(Place::Image(id)) = parts.place else { return None };
                    if shader.images.get(id.index())?.dim.multisampled() {
                        list.add(Type::I32);
                    }
                }
                Slot::Number => list.add(Type::I32),
                Slot::Byte | Slot::Invocation => list.add(Type::U32),
                Slot::Operands => (0..parts.atomic?.operands()).for_each(|_| list.add(Type::U32)),
                Slot::Floats => list.add(Type::new(Scalar::F32, first.map_or(1, |ty| ty.lanes))),
                Slot::Condition => list.add(Type::BOOL),
                Slot::Voted => list.add(match parts.vote? {
                    Vote::Equal => first.unwrap_or(Type::F32),
                    Vote::Any | Vote::All => Type::BOOL,
                }),
                Slot::Anything => list.add(first.unwrap_or(Type::F32)),
                Slot::Pick => match parts.pick() {
                    Pick::Fixed => {}
                    Pick::Index { .. } => list.add(Type::U32),
                    Pick::Handle => list.add(Type::new(Scalar::U64, 1)),
                },
                Slot::Component => {}
                Slot::Others => return None,
            }
        }
        Some(list)
    }

    /// The type of the result of an operation of this kind with these parts, whose arguments have the types that it takes;
    /// see [`Op::result_type`].
    pub(crate) fn result_type(self, parts: &Parts, shader: &Shader, args: &[Type]) -> Option<Type> {
        match self.gives() {
            ResultType::Nothing | ResultType::Given => None,
            ResultType::Cell => match parts.place? {
                Place::Input(id) => shader.inputs.get(id.index()).map(|input| input.ty),
                Place::State(id) => shader.states.get(id.index()).map(|state| state.ty),
                place => Some(Type::new(place.scalar(shader)?, 4)),
            },
            ResultType::Texel => Some(Type::new(parts.place?.scalar(shader)?, 4)),
            ResultType::Words => {
                (1..=4).contains(&parts.number).then(|| Type::new(Scalar::U32, parts.number as u8))
            }
            ResultType::First => args.first().copied(),
            ResultType::Lanes => {
                let lanes: u32 = args.iter().map(|t| u32::from(t.lanes)).sum();
                let first = args.first()?;
                let one = args.iter().all(|t| t.scalar == first.scalar);
                (lanes <= 4 && one).then(|| Type::new(first.scalar, lanes as u8))
            }
            ResultType::Is(ty) => Some(ty),
        }
    }
}

impl Op {
    /// The types of its arguments, in order. `given` are those that it has: where any type will do, it is that. `None` for pure
    /// operations, [`Compose`](Self::Compose) and [`Mark`](Self::Mark), which have rules of their own, and where the
    /// shader's tables lack what the operation names.
    pub fn parameters(self, shader: &Shader, given: &[Type]) -> Option<Parameters> {
        let (kind, parts) = (Kind::of(self)?, self.parts());
        if parts.place.is_some_and(|place| !place.exists(shader)) {
            return None;
        }
        kind.parameters(&parts, shader, given)
    }

    /// The type of the result for arguments of the given types; `None` if the operation gives nothing, if the types do
    /// not fit, or if the result says it itself ([`Op::Const`]). Tables that lack what the operation names give `None`.
    pub fn result_type(self, shader: &Shader, args: &[Type]) -> Option<Type> {
        let kind = match self {
            Self::Pure(pure) => return pure.result_type(args),
            Self::Compose => return Kind::Compose.result_type(&Parts::NONE, shader, args),
            _ => Kind::of(self)?,
        };
        if matches!(kind.gives(), ResultType::Nothing | ResultType::Given) {
            return None;
        }
        let parts = self.parts();
        if parts.place.is_some_and(|place| !place.exists(shader)) {
            return None;
        }
        let takes = kind.parameters(&parts, shader, args)?;
        if *takes != *args {
            return None;
        }
        kind.result_type(&parts, shader, args)
    }
}

impl Parts {
    /// The texture that the operation names.
    fn texture<'a>(&self, shader: &'a Shader) -> Option<&'a Texture> {
        match self.place {
            Some(Place::Texture(id)) => shader.textures.get(id.index()),
            _ => None,
        }
    }
}

impl Place {
    /// What its lanes are; `None` if the shader's tables lack it.
    pub fn scalar(self, shader: &Shader) -> Option<Scalar> {
        match self {
            Self::Input(id) => shader.inputs.get(id.index()).map(|input| input.ty.scalar),
            Self::Output(id) => shader.outputs.get(id.index()).map(|output| output.scalar),
            Self::Param(id) => shader.params.get(id.index()).map(|param| param.scalar),
            Self::Local(id) => shader.locals.get(id.index()).map(|local| local.scalar),
            Self::State(id) => shader.states.get(id.index()).map(|state| state.ty.scalar),
            Self::Texture(id) => shader.textures.get(id.index()).map(|texture| texture.scalar),
            Self::Image(id) => shader.images.get(id.index()).map(|image| image.format.scalar()),
            Self::Memory(_) => Some(Scalar::U32),
        }
    }

    /// Whether the shader's tables have it. Buffers take no part in types and are not looked for.
    fn exists(self, shader: &Shader) -> bool {
        self.scalar(shader).is_some()
    }
}
