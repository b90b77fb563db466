//! JSON with places: every complaint about a scene names the path of the value it is about.

use crate::RenderError;
use alloc::format;
use alloc::string::String;
use vecasm_exec::json::{self, PlacedError};

pub(super) use vecasm_exec::json::Json;

/// A value of a scene and where it stands.
pub(super) type Node<'j, 'p> = json::Node<'j, 'p, RenderError>;

impl PlacedError for RenderError {
    fn placed(path: String, message: String) -> Self {
        Self { path, message }
    }
}

/// Reads a document. A key given twice is an error.
pub(super) fn read(bytes: &[u8]) -> Result<Json, RenderError> {
    Json::parse_unique(bytes, "key").map_err(|why| RenderError::new(format!("not JSON: {why}")))
}
