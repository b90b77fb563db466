//! The JSON Schema of the format.

use super::{Info, SCHEMA};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::marker::PhantomData;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The JSON Schema (2020-12) of an [`Info`] as JSON, indented, with the docs of the fields as descriptions.
pub fn schema() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Info>();
    schema.insert("title".into(), format!("vecasm info, version {SCHEMA}").into());
    format!("{:#}", schema.as_value())
}

/// The words of a type.
pub(super) struct Word<T>(PhantomData<T>);

macro_rules! words {
    ($($(#[$cfg:meta])* $T:ty, $name:literal;)*) => {
        $(
            $(#[$cfg])*
            impl JsonSchema for Word<$T> {
                fn schema_name() -> Cow<'static, str> {
                    $name.into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    let words: alloc::vec::Vec<&str> = <$T>::ALL.iter().map(|value| value.name()).collect();
                    json_schema!({ "type": "string", "enum": words })
                }
            }
        )*
    };
}

words! {
    crate::isa::Isa, "Isa";
    crate::ir::Stage, "Stage";
    crate::ir::Dim, "Dim";
    crate::ir::Wrap, "Wrap";
    crate::ir::Filter, "Filter";
    crate::ir::Mip, "Mip";
    crate::ir::Format, "Format";
    crate::ir::BufferKind, "BufferKind";
    #[cfg(feature = "tgsi")]
    crate::isa::tgsi::Dialect, "Dialect";
}

/// The letters of lanes.
#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
pub(super) struct Lanes;

#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
impl JsonSchema for Lanes {
    fn schema_name() -> Cow<'static, str> {
        "Lanes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^x?y?z?w?$" })
    }
}
