//! The JSON Schema of the format.

use super::{Info, IsaFacts, SCHEMA};
use crate::isa::Isa;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
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

/// Those of the instruction set that `isa` names.
impl JsonSchema for IsaFacts {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IsaFacts".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let _ = &generator;
        let each: &[Schema] = &[
            #[cfg(feature = "agal")]
            of::<super::agal::Facts>(Isa::Agal, generator),
            #[cfg(feature = "nv2a")]
            of::<super::nv2a::Facts>(Isa::Nv2a, generator),
            #[cfg(feature = "d3d9")]
            of::<super::d3d9::Facts>(Isa::D3d9, generator),
            #[cfg(feature = "tgsi")]
            of::<super::tgsi::Facts>(Isa::Tgsi, generator),
        ];
        json_schema!({ "oneOf": each })
    }
}

/// The facts of programs of an instruction set.
#[cfg(any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
fn of<T: JsonSchema>(isa: Isa, generator: &mut SchemaGenerator) -> Schema {
    let mut schema = json_schema!({ "properties": { "isa": { "const": isa.name() } } });
    if let Some(facts) = generator.subschema_for::<T>().as_object() {
        schema.ensure_object().extend(facts.clone());
    }
    schema
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
                    let words: Vec<&str> = <$T>::ALL.iter().map(|value| value.name()).collect();
                    json_schema!({ "type": "string", "enum": words })
                }
            }
        )*
    };
}

words! {
    Isa, "Isa";
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
