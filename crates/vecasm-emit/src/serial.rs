//! Bindings for serde, with the keys and words of `vecasm to --layout`.

#[cfg(feature = "hlsl")]
use super::hlsl;
#[cfg(feature = "msl")]
use super::msl;
#[cfg(any(feature = "hlsl", feature = "msl"))]
use super::options::BindingKind;
#[cfg(feature = "hlsl")]
use alloc::format;
#[cfg(feature = "hlsl")]
use alloc::string::String;
use serde::{Serialize, Serializer};
#[cfg(any(feature = "hlsl", feature = "msl"))]
use vecasm_ir::ir::Stage;

/// A text that is there if it is not empty.
pub(super) fn or_null<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(serializer)
}

#[cfg(feature = "hlsl")]
impl Serialize for hlsl::Binding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            stage: Stage,
            name: &'a str,
            register: String,
            space: u32,
            #[serde(flatten)]
            kind: BindingKind,
        }
        let register = format!("{}{}", self.class, self.number);
        let fields =
            Fields { stage: self.stage, name: &self.name, register, space: self.space, kind: self.kind };
        fields.serialize(serializer)
    }
}

#[cfg(feature = "msl")]
impl Serialize for msl::Binding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            stage: Stage,
            name: &'a str,
            table: &'a str,
            index: u32,
            #[serde(flatten)]
            kind: BindingKind,
        }
        let (table, kind) = (self.table(), self.kind);
        Fields { stage: self.stage, name: &self.name, table, index: self.index, kind }.serialize(serializer)
    }
}
