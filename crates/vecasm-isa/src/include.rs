//! Files that a text includes.

use alloc::string::String;

/// A file that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What the quotes or brackets hold.
    pub name: &'a str,
    /// Whether it is `<name>` and not `"name"`.
    pub angled: bool,
    /// The name of the file that asks.
    pub from: &'a str,
}

/// A file that is included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its name in findings, and in [`Request::from`] of what it includes itself.
    pub name: String,
    /// Its content.
    pub text: String,
}
