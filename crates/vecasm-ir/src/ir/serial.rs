//! What of a shader others tell of it, for serde: words by their names, and the state of samplers as in run files.

use super::{
    BufferKind, Compare, Dim, Filter, FloatBits, Format, Mip, SamplerModel, SamplerState, Scalar, Stage,
    Type, Wrap,
};
use alloc::format;
use alloc::string::String;
use serde::{Serialize, Serializer};

crate::serialized_by_name!(BufferKind, Compare, Dim, Filter, Format, Mip, Scalar, Stage, Wrap);

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            scalar: Scalar,
            lanes: u8,
        }
        Fields { scalar: self.scalar, lanes: self.lanes }.serialize(serializer)
    }
}

/// A number, or its bits as a text where JSON has no number for it.
impl Serialize for FloatBits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match f32::from_bits(self.0) {
            value if value.is_finite() => serializer.serialize_f32(value),
            _ => serializer.serialize_str(&hex(self.0)),
        }
    }
}

fn hex(bits: u32) -> String {
    format!("0x{bits:08x}")
}

impl Serialize for SamplerModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.words())
    }
}

impl Serialize for SamplerState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            wrap_u: Wrap,
            wrap_v: Wrap,
            wrap_w: Wrap,
            #[serde(skip_serializing_if = "Option::is_none")]
            filter: Option<Filter>,
            #[serde(skip_serializing_if = "Option::is_none")]
            mag: Option<Filter>,
            #[serde(skip_serializing_if = "Option::is_none")]
            min: Option<Filter>,
            mip: Mip,
            anisotropy: u8,
            border: [String; 4],
            bias: FloatBits,
            min_lod: FloatBits,
            max_lod: FloatBits,
            #[serde(skip_serializing_if = "Option::is_none")]
            compare: Option<Compare>,
            seamless: bool,
            model: SamplerModel,
        }
        let same = self.mag == self.min;
        let fields = Fields {
            wrap_u: self.wrap_u,
            wrap_v: self.wrap_v,
            wrap_w: self.wrap_w,
            filter: same.then_some(self.min),
            mag: (!same).then_some(self.mag),
            min: (!same).then_some(self.min),
            mip: self.mip,
            anisotropy: self.anisotropy,
            // Bits: what they mean is a matter of the texture.
            border: self.border.map(hex),
            bias: self.lod_bias,
            min_lod: self.min_lod,
            max_lod: self.max_lod,
            compare: self.compare,
            seamless: self.seamless,
            model: self.model,
        };
        fields.serialize(serializer)
    }
}
