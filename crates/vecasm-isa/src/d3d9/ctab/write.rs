//! Writing, in the layout of Microsoft's compilers: the header, the constants, then for each constant its name, type and
//! default value, where the same ones are not there yet; at last the target and the creator. Seen in the output of
//! fxc 9.26 to 9.30.

use super::{ConstantTable, NAME, Type};
use crate::d3d9::program::Version;
use alloc::string::String;
use alloc::vec::Vec;

/// What fills up a word behind a name.
const PADDING: u8 = 0xab;
/// Bytes of the header and of a constant.
const HEADER: usize = 28;
const INFO: usize = 20;

struct Writer {
    bytes: Vec<u8>,
    /// What has been written and may be shared: by whom, place and length.
    shared: Vec<(Shared, usize, usize)>,
    /// Whether types of constants are shared: not in the table of a preshader.
    shares_types: bool,
}

/// Who shares what: types of members are not shared with those of constants, and those of arrays not at all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Name,
    Members,
    ConstantType,
    MemberType,
    Default,
}

impl Writer {
    fn align(&mut self) {
        while self.bytes.len() % 4 != 0 {
            self.bytes.push(PADDING);
        }
    }

    /// Writes some bytes, or finds them among what is there. Only names stand anywhere.
    fn share(&mut self, by: Shared, bytes: &[u8]) -> u32 {
        let is = |at: usize, len: usize| self.bytes.get(at..at + len) == Some(bytes);
        let found = self.shared.iter().find(|(of, at, len)| *of == by && is(*at, *len));
        if let Some((_, at, _)) = found {
            return *at as u32;
        }
        self.align();
        let at = self.put_last(bytes);
        self.shared.push((by, at as usize, bytes.len()));
        at
    }

    fn put_last(&mut self, bytes: &[u8]) -> u32 {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        at as u32
    }

    /// Writes a name, or finds it among those of other constants and members.
    fn name(&mut self, name: &str) -> u32 {
        let mut bytes = name.as_bytes().to_vec();
        bytes.push(0);
        let is = |at: usize, len: usize| self.bytes.get(at..at + len) == Some(bytes.as_slice());
        if let Some((_, at, _)) =
            self.shared.iter().find(|(of, at, len)| *of == Shared::Name && is(*at, *len))
        {
            return *at as u32;
        }
        let at = self.put_last(&bytes);
        self.shared.push((Shared::Name, at as usize, bytes.len()));
        at
    }

    fn ty(&mut self, by: Shared, ty: &Type) -> u32 {
        let mut inner = Vec::with_capacity(ty.members.len());
        for member in &ty.members {
            inner.push((self.name(&member.name), self.ty(Shared::MemberType, &member.ty)));
        }
        let members = if inner.is_empty() {
            0
        } else {
            let bytes: Vec<u8> =
                inner.iter().flat_map(|(name, ty)| [*name, *ty]).flat_map(u32::to_le_bytes).collect();
            self.share(Shared::Members, &bytes)
        };
        let fields = [ty.class, ty.kind, ty.rows, ty.columns, ty.elements, inner.len() as u16];
        let mut bytes: Vec<u8> = fields.into_iter().flat_map(u16::to_le_bytes).collect();
        bytes.extend_from_slice(&members.to_le_bytes());
        let constant = by == Shared::ConstantType;
        if ty.class_name() == "object" || constant && (ty.elements > 1 || !self.shares_types) {
            // These are not shared.
            self.align();
            return self.put_last(&bytes);
        }
        self.share(by, &bytes)
    }
}

impl ConstantTable {
    /// The words of the comment, its name the first one.
    pub fn words(&self) -> Vec<u32> {
        let front = HEADER + self.constants.len() * INFO;
        let shares_types = !Version(self.version).is_preshader();
        let mut out = Writer { bytes: alloc::vec![0; front], shared: Vec::new(), shares_types };
        for (n, constant) in self.constants.iter().enumerate() {
            let name = out.name(&constant.name);
            let ty = out.ty(Shared::ConstantType, &constant.ty);
            let default = match &constant.default {
                Some(words) => {
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    out.share(Shared::Default, &bytes)
                }
                None => 0,
            };
            let halves = [constant.set, constant.index, constant.count, constant.reserved];
            let mut info = name.to_le_bytes().to_vec();
            info.extend(halves.into_iter().flat_map(u16::to_le_bytes));
            info.extend_from_slice(&ty.to_le_bytes());
            info.extend_from_slice(&default.to_le_bytes());
            out.put(HEADER + n * INFO, &info);
        }
        let mut last = |text: &Option<String>| match text {
            Some(text) => {
                let at = out.bytes.len() as u32;
                out.bytes.extend_from_slice(text.as_bytes());
                out.bytes.push(0);
                at
            }
            None => 0,
        };
        let target = last(&self.target);
        let creator = last(&self.creator);
        let (count, infos) = (self.constants.len() as u32, HEADER as u32);
        let infos = if count == 0 { 0 } else { infos };
        let header = [HEADER as u32, creator, self.version, count, infos, self.flags, target];
        let header: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
        out.put(0, &header);
        out.align();
        let words = out.bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        core::iter::once(u32::from_le_bytes(*NAME)).chain(words).collect()
    }
}

impl Writer {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(to) = self.bytes.get_mut(at..at + bytes.len()) {
            to.copy_from_slice(bytes);
        }
    }
}
