//! Findings for serde: the keys and values of [`Renderer::json`](super::Renderer::json), without those that take the input: the
//! name of the file, lines and columns. The end of a range of a text is `end_offset`.

use super::{Diagnostic, Place, Provenance, Rule, Severity, Span};
use serde::{Serialize, Serializer};

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl Serialize for Provenance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// What is known of a place.
#[derive(Default, Serialize)]
struct At {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<u32>,
}

impl From<Place> for At {
    fn from(place: Place) -> Self {
        match place {
            Place::Whole => Self::default(),
            Place::Text(span) => Self { offset: Some(span.start), end_offset: Some(span.end), token: None },
            Place::Binary { offset, token } => Self { offset: Some(offset), end_offset: None, token },
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        At::from(*self).serialize(serializer)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Place::Text(*self).serialize(serializer)
    }
}

/// A finding, its place among the rest.
#[derive(Serialize)]
struct Fields<'a> {
    severity: Severity,
    id: &'a str,
    message: &'a str,
    #[serde(flatten)]
    at: At,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    first: bool,
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            severity: self.severity,
            id: self.id,
            message: &self.message,
            at: self.place.into(),
            instruction: self.instruction.as_deref(),
            help: self.help.as_deref(),
            first: self.first,
        };
        fields.serialize(serializer)
    }
}

/// A rule, as `vecasm explain` writes it.
#[derive(Serialize)]
struct Row {
    id: &'static str,
    number: Option<u32>,
    severity: Severity,
    message: &'static str,
    reason: &'static str,
    provenance: Provenance,
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, number, severity, message, reason, provenance } = *self;
        let number = Some(number).filter(|&number| number != 0);
        Row { id, number, severity, message, reason, provenance }.serialize(serializer)
    }
}
