//! Comments at the head of a program of Direct3D 9: the table of constants, and whatever else a compiler leaves there.

use alloc::vec::Vec;
use core::ops::Range;

/// The low half of the word of a comment.
const COMMENT: u32 = 0xFFFE;

/// The places of the comments that follow the version.
fn comments(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = 4;
    core::iter::from_fn(move || {
        let word = bytes.get(end..end + 4)?.try_into().map(u32::from_le_bytes).ok()?;
        let next = end + 4 + (word >> 16) as usize * 4;
        (word & 0x8000_FFFF == COMMENT && next <= bytes.len())
            .then(|| core::mem::replace(&mut end, next)..next)
    })
}

/// The place of all of them.
fn head(bytes: &[u8]) -> Range<usize> {
    4..comments(bytes).last().map_or(4, |comment| comment.end)
}

/// Whether one of them is a table of constants.
pub(crate) fn has_table(bytes: &[u8]) -> bool {
    comments(bytes)
        .any(|comment| bytes.get(comment.start + 4..).is_some_and(|rest| rest.starts_with(b"CTAB")))
}

/// A program with the comments at the head of another one, if it has none of its own: assemblers leave them out, and what loads
/// the program may find its constants by them.
///
/// ```
/// let version = 0xFFFF_0200u32.to_le_bytes();
/// let (comment, end) = ([0xFE, 0xFF, 1, 0, b'C', b'T', b'A', b'B'], [0xFF, 0xFF, 0, 0]);
/// let old = [&version[..], &comment, &end].concat();
/// let new = [&version[..], &end].concat();
/// assert_eq!(vecasm_container::with_comments_of(&old, &new), old);
/// ```
pub fn with_comments_of(old: &[u8], new: &[u8]) -> Vec<u8> {
    if !head(new).is_empty() || new.len() < 4 {
        return new.to_vec();
    }
    let comments = old.get(head(old)).unwrap_or_default();
    [&new[..4], comments, &new[4..]].concat()
}

/// A program without the comments at its head.
pub fn without_comments(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if bytes.len() > 4 {
        out.drain(head(bytes));
    }
    out
}
