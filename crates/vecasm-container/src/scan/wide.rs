//! Texts in UTF-16, as files of Windows and strings of .NET have them.

use super::programs;
use alloc::vec::Vec;
use core::ops::Range;

/// Which byte of a character comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The low one.
    Little,
    /// The high one.
    Big,
}

/// A shorter row of characters is no program.
const SHORTEST: usize = 8;

impl Order {
    /// The place of the low byte in a pair.
    const fn low(self) -> usize {
        match self {
            Self::Little => 0,
            Self::Big => 1,
        }
    }

    /// The character that a pair of bytes is, if it is one of a text.
    fn character(self, pair: &[u8]) -> Option<u8> {
        let (low, high) = (*pair.get(self.low())?, *pair.get(1 - self.low())?);
        (high == 0 && programs::is_text(&low)).then_some(low)
    }

    /// The low bytes of pairs.
    pub(super) fn narrow(self, bytes: &[u8]) -> Vec<u8> {
        bytes.chunks_exact(2).map(|pair| pair[self.low()]).collect()
    }
}

/// Finds texts of TGSI in UTF-16 among bytes, the first of which is at `start` of the file. Where the same characters are a text in
/// both orders, one of them a byte behind the other, it is the one at an even offset.
pub(super) fn texts(bytes: &[u8], start: usize, found: &mut dyn FnMut(Range<usize>, Order)) {
    let mut all: Vec<(Range<usize>, Order)> = Vec::new();
    for order in [Order::Little, Order::Big] {
        let mut at = 0;
        while at < bytes.len() {
            let pairs = bytes[at..].chunks_exact(2);
            let count = pairs.take_while(|pair| order.character(pair).is_some()).count();
            if count < SHORTEST {
                // What is no row now may be one from the next byte on, but not within the pairs that were looked at.
                at += (2 * count).max(1);
                continue;
            }
            let row = order.narrow(&bytes[at..at + 2 * count]);
            programs::texts(&row, &mut |range| {
                all.push((at + 2 * range.start..at + 2 * range.end, order));
            });
            at += 2 * count;
        }
    }
    all.sort_by_key(|(range, _)| range.start);
    let mut last: Option<(Range<usize>, Order)> = None;
    for (range, order) in all {
        match &last {
            Some((before, _)) if before.start + 1 == range.start && before.end + 1 == range.end => {
                // The earlier one is at an odd offset: it is this one.
                if (start + before.start) % 2 == 1 {
                    last = Some((range, order));
                }
            }
            _ => {
                if let Some((range, order)) = last.replace((range, order)) {
                    found(range, order);
                }
            }
        }
    }
    if let Some((range, order)) = last {
        found(range, order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "FRAG\nDCL OUT[0], COLOR\n  0: MOV OUT[0], OUT[0]\n  1: END\n";
    /// Its bytes up to the end of `END`.
    const SIZE: usize = 2 * (TEXT.len() - 1);

    fn hits(bytes: &[u8]) -> Vec<(Range<usize>, Order)> {
        let mut out = Vec::new();
        texts(bytes, 0, &mut |range, order| out.push((range, order)));
        out
    }

    /// Where the text was put, and in which order, whatever stands around it.
    #[test]
    fn texts_of_both_orders_are_found_where_they_are() {
        let little: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (front, back) in
            [(&[][..], &[][..]), (&[0, 0], &[0, 0]), (&[0xFF, 0xFE], &[9, 9]), (&[0; 64], &[1])]
        {
            let at = front.len();
            for (text, order) in [(&little, Order::Little), (&big, Order::Big)] {
                let bytes = [front, text, back].concat();
                assert_eq!(hits(&bytes), [(at..at + SIZE, order)], "{front:?}");
            }
        }
        // At an odd offset where what is around it leaves no choice.
        let bytes = [&[7][..], &little, &[7]].concat();
        assert_eq!(hits(&bytes), [(1..1 + SIZE, Order::Little)]);
        // Two, and a word that is none.
        let both = [&little[..], &[b'V', 0].repeat(40), &[1], &big].concat();
        assert_eq!(hits(&both).len(), 2);
    }
}
