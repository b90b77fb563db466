//! Reading numbers and pieces of a file, none of which is believed.

use crate::limits::{Limits, exceeded};
use crate::rules;
use alloc::format;
use core::fmt::Display;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Place};

/// What reading gives.
pub(crate) type Result<T> = core::result::Result<T, Diagnostic>;

/// A finding at a byte of the file.
pub(crate) fn at(offset: usize) -> Place {
    Place::Binary { offset: u32::try_from(offset).unwrap_or(u32::MAX), token: None }
}

/// The refusal of a value that the format does not have.
#[cold]
pub(crate) fn wrong(offset: usize, what: impl Display, value: impl Display) -> Diagnostic {
    rules::VALUE.finding(format!("{what} is {value}, which the format does not have")).at(at(offset))
}

/// A place in a file that moves on as things are read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    limits: Limits,
}

impl<'a> Cursor<'a> {
    /// The start of the bytes.
    pub(crate) const fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self { bytes, pos: 0, limits }
    }

    /// The same bytes at another place.
    pub(crate) fn at(&self, pos: usize, what: impl Display) -> Result<Self> {
        if pos > self.bytes.len() {
            let message = format!("{what} lies at {pos}, outside the {} bytes", self.bytes.len());
            return Err(rules::OFFSET.finding(message).at(at(self.pos)));
        }
        Ok(Self { pos, ..self.clone() })
    }

    /// Where it is.
    pub(crate) const fn pos(&self) -> usize {
        self.pos
    }

    /// How many bytes follow.
    pub(crate) const fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// The limits of what is read.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The next bytes, without moving.
    pub(crate) fn peek(&self, n: usize) -> Option<&'a [u8]> {
        self.bytes.get(self.pos..self.pos.checked_add(n)?)
    }

    /// The place of the next `n` bytes, which `what` names.
    pub(crate) fn range(&mut self, n: usize, what: impl Display) -> Result<Range<usize>> {
        if n > self.left() {
            let message = format!(
                "the file ends inside {what}: {n} bytes from {} on, and {} are left",
                self.pos,
                self.left()
            );
            return Err(rules::SHORT.finding(message).at(at(self.pos)));
        }
        let start = self.pos;
        self.pos += n;
        Ok(start..self.pos)
    }

    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: usize, what: impl Display) -> Result<&'a [u8]> {
        let range = self.range(n, what)?;
        Ok(&self.bytes[range])
    }

    fn array<const N: usize>(&mut self, what: impl Display) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }

    pub(crate) fn u8(&mut self, what: impl Display) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(crate) fn u16(&mut self, what: impl Display) -> Result<u16> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: impl Display) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: impl Display) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A u32 as an offset or a length.
    pub(crate) fn size(&mut self, what: impl Display) -> Result<usize> {
        self.u32(what).map(|n| n as usize)
    }

    /// A number of 7 bits a byte, the low ones first, in at most five bytes.
    pub(crate) fn varint(&mut self, what: &str) -> Result<u32> {
        let start = self.pos;
        let mut value = 0u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| wrong(start, what, value));
            }
        }
        Err(wrong(start, what, "of more than five bytes"))
    }

    /// A count of things that take at least `least` bytes each, if so many may follow.
    pub(crate) fn count(&self, n: u32, least: usize, what: impl Display) -> Result<usize> {
        let n = n as usize;
        if n.checked_mul(least).is_none_or(|bytes| bytes > self.left()) {
            let message = format!("{n} {what}, more than the {} bytes left have room for", self.left());
            return Err(rules::COUNT.finding(message).at(at(self.pos.saturating_sub(4))));
        }
        if n > self.limits.entries {
            return Err(exceeded(&format!("{n} {what}"), "entries", self.limits.entries, "entries"));
        }
        Ok(n)
    }

    /// A u32 that counts things of at least `least` bytes each.
    pub(crate) fn list(&mut self, least: usize, what: &str) -> Result<usize> {
        let n = self.u32(format_args!("the number of {what}"))?;
        self.count(n, least, what)
    }

    /// Checks the length of a name.
    pub(crate) fn name_length(&self, n: usize) -> Result<usize> {
        match n <= self.limits.name {
            true => Ok(n),
            false => {
                Err(exceeded(&format!("a name of {n} bytes"), "name", self.limits.name, "bytes")
                    .at(at(self.pos)))
            }
        }
    }
}
