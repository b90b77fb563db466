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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Source, render_json};
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;
    use serde_json::{Value, json};

    /// Findings at places of every kind, with everything that one may have.
    fn findings() -> Vec<Diagnostic> {
        let plain = |place| Diagnostic::error("X1", "a \"b\"\n\u{1}\u{7f}é").at(place);
        let mut full = plain(Place::Binary { offset: 31, token: Some(2) }).with_help("do \\ this");
        full.instruction = Some("mov oc, v0".to_string());
        full.first = true;
        vec![
            plain(Place::Whole),
            plain(Place::Binary { offset: 4, token: None }),
            plain(Place::instruction(6)),
            plain(Place::Text(Span::new(1, 3))),
            Diagnostic::warning("X2", "").at_span(Span::new(2, 2)).with_help(""),
            Diagnostic::new(Severity::Note, "X3", "m").at_span(Span::new(900, 1000)),
            full,
        ]
    }

    #[test]
    fn a_finding_has_the_fields_of_its_rendering() {
        for finding in findings() {
            for text in [None, Some("é\nabc")] {
                let rendered = render_json(&finding, Source { name: "f", text });
                let Value::Object(mut rendered) = serde_json::from_str(&rendered).unwrap() else { panic!() };
                for key in ["file", "line", "column", "end_line", "end_column"] {
                    rendered.remove(key);
                }
                let Value::Object(mut own) = serde_json::to_value(&finding).unwrap() else { panic!() };
                let end = own.remove("end_offset");
                assert_eq!(end.is_some(), matches!(finding.place, Place::Text(_)));
                assert_eq!(own, rendered, "{finding:?}");
            }
        }
    }

    #[test]
    fn the_order_of_the_keys_is_that_of_the_rendering() {
        let full = findings().pop().unwrap();
        let rendered = render_json(&full, Source { name: "f", text: None });
        let own = serde_json::to_string(&full).unwrap().replace('\u{7f}', "\\u007f");
        assert_eq!(own, rendered.replace("\"file\":\"f\",", ""));
    }

    #[test]
    fn places_and_rules() {
        let json = |place: Place| serde_json::to_value(place).unwrap();
        assert_eq!(json(Place::Whole), json!({}));
        assert_eq!(json(Place::Text(Span::new(3, 5))), json!({"offset": 3, "end_offset": 5}));
        assert_eq!(json(Place::Binary { offset: 8, token: Some(1) }), json!({"offset": 8, "token": 1}));
        let rule = Rule {
            id: "X1",
            number: 0,
            severity: Severity::Note,
            message: "m",
            reason: "r",
            provenance: Provenance::Own,
        };
        let expected = json!({
            "id": "X1", "number": null, "severity": "note", "message": "m", "reason": "r", "provenance": "own",
        });
        assert_eq!(serde_json::to_value(rule).unwrap(), expected);
    }
}
