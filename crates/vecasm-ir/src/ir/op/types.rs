//! The types of arguments and results, from the table of [effects](super::effects).

use super::effects::{Gives, Kind, Slot};
use super::{Element, Lod, Op, Pick, Place, Site, Vote};
use crate::ir::{Scalar, Shader, Texture, Type};

/// The types of the arguments of an operation, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    types: [Option<Type>; Self::MOST],
    len: usize,
}

impl Parameters {
    /// No operation has more.
    const MOST: usize = 8;

    fn add(&mut self, ty: Type) {
        if let Some(slot) = self.types.get_mut(self.len) {
            *slot = Some(ty);
            self.len += 1;
        }
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "a list of types, not a collection")]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Each type.
    pub fn iter(&self) -> impl Iterator<Item = Type> + Clone + '_ {
        self.types.iter().map_while(|ty| *ty)
    }
}

impl IntoIterator for Parameters {
    type Item = Type;
    type IntoIter = core::iter::Flatten<core::array::IntoIter<Option<Type>, { Self::MOST }>>;

    fn into_iter(self) -> Self::IntoIter {
        self.types.into_iter().flatten()
    }
}

impl Op {
    /// The types of its arguments, in order. `given` are those that it has: where any type will do, it is that. `None` for pure
    /// operations, [`Compose`](Self::Compose) and [`Mark`](Self::Mark), which have rules of their own, and where the
    /// shader's tables lack what the operation names.
    pub fn parameters(self, shader: &Shader, given: &[Type]) -> Option<Parameters> {
        let kind = Kind::of(self)?;
        let parts = self.parts();
        let first = given.first().copied();
        let mut list = Parameters::default();
        for &slot in kind.slots() {
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
                    list.add(Type::new(Scalar::F32, self.bound_texture(shader)?.coord_lanes()));
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
                        let along = Type::new(Scalar::F32, self.bound_texture(shader)?.dim.place_lanes());
                        list.add(along);
                        list.add(along);
                    }
                },
                Slot::Offset => {
                    if parts.offset {
                        list.add(Type::new(Scalar::I32, self.bound_texture(shader)?.dim.axes()));
                    }
                }
                Slot::Texel => {
                    let dim = match parts.place? {
                        Place::Image(id) => shader.images.get(id.index())?.dim,
                        _ => self.bound_texture(shader)?.dim,
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
        match parts.place {
            Some(place) if !place.exists(shader) => None,
            _ => Some(list),
        }
    }

    /// The type of the result for arguments of the given types; `None` if the operation gives nothing, if the types do
    /// not fit, or if the result says it itself ([`Op::Const`]). Tables that lack what the operation names give `None`.
    pub fn result_type(self, shader: &Shader, args: &[Type]) -> Option<Type> {
        let kind = match (self, Kind::of(self)) {
            (Self::Pure(pure), _) => return pure.result_type(args),
            (_, kind) => kind?,
        };
        let gives = kind.gives();
        if gives == Gives::Lanes {
            let lanes: u32 = args.iter().map(|t| u32::from(t.lanes)).sum();
            let first = args.first()?;
            let one = args.iter().all(|t| t.scalar == first.scalar);
            return (lanes <= 4 && one).then(|| Type::new(first.scalar, lanes as u8));
        }
        if matches!(gives, Gives::Nothing | Gives::Given) {
            return None;
        }
        let takes = self.parameters(shader, args)?;
        if takes.len() != args.len() || !takes.iter().eq(args.iter().copied()) {
            return None;
        }
        match gives {
            Gives::Cell => match self.place()? {
                Place::Input(id) => shader.inputs.get(id.index()).map(|input| input.ty),
                Place::State(id) => shader.states.get(id.index()).map(|state| state.ty),
                place => Some(Type::new(place.scalar(shader)?, 4)),
            },
            Gives::Texel => Some(Type::new(self.place()?.scalar(shader)?, 4)),
            Gives::Words => {
                let lanes = self.parts().number;
                (1..=4).contains(&lanes).then(|| Type::new(Scalar::U32, lanes as u8))
            }
            Gives::First => args.first().copied(),
            Gives::Is(ty) => Some(ty),
            Gives::Nothing | Gives::Given | Gives::Lanes => None,
        }
    }

    fn bound_texture(self, shader: &Shader) -> Option<&Texture> {
        shader.textures.get(self.texture()?.0.index())
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
