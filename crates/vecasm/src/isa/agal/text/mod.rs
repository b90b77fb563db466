//! Assembly text.

/// Whether `text` looks like AGAL assembly.
pub fn looks_like(text: &str) -> bool {
    let _ = text;
    false
}
