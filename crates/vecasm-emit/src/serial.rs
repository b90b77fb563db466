//! Bindings for serde, with the keys and words of `vecasm to --layout`.

#[cfg(feature = "hlsl")]
use super::hlsl::Register;
use super::options::{Binding, BindingKind, Place};
#[cfg(feature = "hlsl")]
use alloc::format;
#[cfg(feature = "hlsl")]
use alloc::string::String;
use serde::{Serialize, Serializer};
#[cfg(feature = "hlsl")]
use vecasm_ir::ir::Scalar;
use vecasm_ir::ir::{Filter, Mip, SamplerState, Stage, Wrap};

/// A text that is there if it is not empty.
pub(super) fn or_null<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(serializer)
}

/// What a host needs of the state that a program asks for.
pub(super) fn state<S: Serializer>(state: &Option<SamplerState>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields {
        wrap_u: Wrap,
        wrap_v: Wrap,
        filter: Filter,
        mip: Mip,
        anisotropy: u8,
    }
    let fields = state.map(|state| {
        let SamplerState { wrap_u, wrap_v, min: filter, mip, anisotropy, .. } = state;
        Fields { wrap_u, wrap_v, filter, mip, anisotropy }
    });
    fields.serialize(serializer)
}

impl<P: Copy + Into<Place>> Serialize for Binding<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'b> {
            stage: Stage,
            #[serde(flatten)]
            point: Option<Place>,
            name: &'b str,
            #[serde(flatten)]
            place: Option<Place>,
            #[serde(flatten)]
            kind: Kind,
        }
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Kind {
            Any(BindingKind),
            /// Constants in HLSL, whose `space` is that of the register.
            #[cfg(feature = "hlsl")]
            Constants {
                kind: &'static str,
                elements: u32,
                scalar: Scalar,
            },
        }
        let Self { stage, place, ref name, kind } = *self;
        let place = place.into();
        let kind = match (kind, &place) {
            #[cfg(feature = "hlsl")]
            (BindingKind::Constants { elements, scalar, .. }, Place::Register(_)) => {
                Kind::Constants { kind: "constants", elements, scalar }
            }
            _ => Kind::Any(kind),
        };
        let is_point = matches!(place, Place::Point(_));
        let (point, place) = (Some(place).filter(|_| is_point), Some(place).filter(|_| !is_point));
        Fields { stage, point, name, place, kind }.serialize(serializer)
    }
}

#[cfg(feature = "hlsl")]
impl Serialize for Register {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            register: String,
            space: u32,
        }
        let register = format!("{}{}", self.class, self.number);
        Fields { register, space: self.space }.serialize(serializer)
    }
}
