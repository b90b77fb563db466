//! The formats, and how content tells them.

use crate::container::{Edits, Parsed};
use crate::cursor::Result;
use crate::limits::Budget;
use crate::{Container, Edited};

/// What vecasm does with a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It is told what the file is.
    Recognized,
    /// Entries are listed and taken out.
    Read,
    /// Entries are replaced, too.
    Written,
}

impl Access {
    /// The word for it: `recognized`, `read` or `written`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recognized => "recognized",
            Self::Read => "read",
            Self::Written => "written",
        }
    }
}

/// How a format is read: its entries, and what else it says.
pub(crate) type Read = fn(&[u8], &mut Budget) -> Result<Parsed>;

/// How entries of a format are replaced.
pub(crate) type Write = fn(&Container<'_>, &Edits<'_>) -> Result<Edited>;

/// What the table says of one format.
struct Row {
    name: &'static str,
    title: &'static str,
    endings: &'static [&'static str],
    scope: &'static str,
    read: Option<Read>,
    write: Option<Write>,
}

macro_rules! formats {
    ($( $(#[doc = $doc:literal])+ $V:ident $name:literal $title:literal [$($ending:literal)*] $scope:literal $feature:literal $read:expr, $write:expr; )*) => {
        /// A format of files that carry programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Format { $( $(#[doc = $doc])+ $V, )* }

        impl Format {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            const fn row(self) -> Row {
                match self {
                    $( Self::$V => {
                        #[cfg(feature = $feature)]
                        let (read, write): (Option<Read>, Option<Write>) = (Some($read), $write);
                        #[cfg(not(feature = $feature))]
                        let (read, write): (Option<Read>, Option<Write>) = (None, None);
                        Row { name: $name, title: $title, endings: &[$($ending),*], scope: $scope, read, write }
                    } )*
                }
            }
        }

        vecasm_ir::spelled!(Format, "format of containers", [$($V $name,)*]);
    };
}

formats! {
    /// A compiled effect of Direct3D 9.
    Fx2 "fx2" "a compiled effect of Direct3D 9 (fx_2_0)" ["fxb" "fxo" "fxc" "cso" "fx9"] "" "fx2"
        crate::fx2::read, Some(crate::fx2::write);
    /// A compiled asset of XNA or MonoGame.
    Xnb "xnb" "a compiled asset of XNA (XNB)" ["xnb"] "LZX becomes plain; those of the Xbox 360 are read" "xnb"
        crate::xnb::read, Some(crate::xnb::write);
    /// A compiled effect of MonoGame.
    Mgfx "mgfx" "a compiled effect of MonoGame (MGFX)" ["mgfx" "mgfxo"] "versions 7 to 11" "mgfx"
        crate::mgfx::read, Some(crate::mgfx::write);
    /// A shader of Direct3D 10 or later, which may carry one for feature level 9.
    Dxbc "dxbc" "a shader of Direct3D 10 or later (DXBC)" ["cso" "dxbc"] "the program for feature level 9" "dxbc"
        crate::dxbc::read, Some(crate::dxbc::write);
    /// A program of the Xbox.
    Xbe "xbe" "an executable of the Xbox (XBE)" ["xbe"] "programs of the same size" "xbe"
        crate::xbe::read, Some(crate::xbe::write);
    /// A compiled effect of Rockstar's games.
    Rgxa "rgxa" "a compiled effect of RAGE (rgxa)" ["fxc"] "" "rgxa"
        crate::rgxa::read, Some(crate::rgxa::write);
    /// A program or library of Windows.
    Pe "pe" "a Windows executable (PE)" ["exe" "dll"] "what is not larger" "pe"
        crate::pe::read, Some(crate::pe::write);
    /// A movie of Flash.
    Swf "swf" "a Flash movie (SWF)" ["swf"] "binary data; text in its code is read" "swf"
        crate::swf::read, Some(crate::swf::write);
    /// A shader package of Bethesda's games.
    Sdp "sdp" "a shader package of Bethesda's games (SDP)" ["sdp"] "" "sdp"
        crate::sdp::read, Some(crate::sdp::write);
    /// A zip archive.
    Zip "zip" "a zip archive" ["zip" "jar" "apk" "swc" "love" "ipa" "pk3"] "members that are stored or deflated" "zip"
        crate::zip::read, Some(crate::zip::write);
    /// The shaders of one source for Valve's Source engine.
    Vcs "vcs" "compiled shaders of the Source engine (VCS)" ["vcs"] "versions 5 and 6; 1 is read" "vcs"
        crate::vcs::read, Some(crate::vcs::write);
    /// Commands of virgl, the virtual GPU of QEMU.
    Virgl "virgl" "a stream of commands of virgl" ["seed" "virgl"] "" "virgl"
        crate::virgl::read, Some(crate::virgl::write);
}

impl Format {
    /// The word for it: `fx2`, `xnb`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is, for sentences: `a compiled effect of Direct3D 9 (fx_2_0)`.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// Usual endings of its files' names.
    pub const fn endings(self) -> &'static [&'static str] {
        self.row().endings
    }

    /// What of it is written, where that is not all: `programs of the same size`; else nothing.
    pub const fn scope(self) -> &'static str {
        self.row().scope
    }

    /// What is done with it here.
    pub const fn access(self) -> Access {
        match self.row() {
            Row { write: Some(_), .. } => Access::Written,
            Row { read: Some(_), .. } => Access::Read,
            _ => Access::Recognized,
        }
    }

    pub(crate) const fn reader(self) -> Option<Read> {
        self.row().read
    }

    pub(crate) const fn writer(self) -> Option<Write> {
        self.row().write
    }

    /// The format of a file, by its content.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Self::of_start(bytes, bytes.len() as u64)
    }

    /// The format of a file of that size, by its first bytes: half a KiB tells most.
    pub fn of_start(bytes: &[u8], size: u64) -> Option<Self> {
        let begins = |magic: &[u8]| bytes.starts_with(magic);
        if begins(&[0xCF, 0x0B, 0xF0, 0xBC]) || begins(&[0x01, 0x09, 0xFF, 0xFE]) {
            return Some(Self::Fx2);
        }
        // A letter that is none may still be that of a platform, which the reader says, if a version follows.
        let version = bytes.get(4).is_some_and(|version| (1..=5).contains(version));
        if begins(b"XNB") && (version || bytes.get(3).is_some_and(u8::is_ascii_alphanumeric)) {
            return Some(Self::Xnb);
        }
        if begins(b"MGFX") {
            return Some(Self::Mgfx);
        }
        if begins(b"DXBC") {
            return Some(Self::Dxbc);
        }
        if begins(b"FWS") || begins(b"CWS") || begins(b"ZWS") {
            return Some(Self::Swf);
        }
        if begins(b"XBEH") {
            return Some(Self::Xbe);
        }
        if begins(b"rgxa") {
            return Some(Self::Rgxa);
        }
        if begins(b"MZ") && is_pe(bytes, size) {
            return Some(Self::Pe);
        }
        if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
            return Some(Self::Zip);
        }
        if is_sdp(bytes, size) {
            return Some(Self::Sdp);
        }
        if is_vcs(bytes, size) {
            return Some(Self::Vcs);
        }
        #[cfg(feature = "virgl")]
        if crate::virgl::is_stream(bytes, size) {
            return Some(Self::Virgl);
        }
        None
    }
}

/// A word of a file.
pub(crate) fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..offset.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

/// Whether the header that a file of DOS leads to is that of a program for Windows. One behind the known bytes may be.
fn is_pe(bytes: &[u8], size: u64) -> bool {
    let Some(header) = word(bytes, 0x3C) else { return false };
    match bytes.get(header as usize..).and_then(|rest| rest.get(..4)) {
        Some(signature) => signature == b"PE\0\0",
        None => (bytes.len() as u64) < size && u64::from(header) + 4 <= size,
    }
}

/// Whether bytes are shaders of the Source engine: a version, counts that the file has room for, and a table whose last record
/// has no number. Where the known bytes end before that, its first record has to lead behind the table.
fn is_vcs(bytes: &[u8], size: u64) -> bool {
    let word = |n: usize| word(bytes, n * 4);
    let (Some(version @ 1..=6), Some(total), Some(dynamic), Some(count)) =
        (word(0), word(1), word(2), word(5))
    else {
        return false;
    };
    if total == 0 || dynamic == 0 || total % dynamic != 0 {
        return false;
    }
    if version < 5 {
        let table = 24 + u64::from(total) * 8;
        return table <= size
            && (version > 1 || word(6).is_some_and(|first| u64::from(first) >= table || word(7) == Some(0)));
    }
    let table = 28 + u64::from(count) * 8;
    if count == 0 || table > size {
        return false;
    }
    match word(7 + (count as usize - 1) * 2) {
        Some(last) => last == u32::MAX,
        None => {
            (bytes.len() as u64) < size
                && word(8).is_some_and(|first| u64::from(first) >= table && u64::from(first) < size)
        }
    }
}

/// Whether bytes are a shader package of Bethesda's: a number 100, a count, and the bytes that follow. A package whose third
/// number is wrong is one if its entries fit.
fn is_sdp(bytes: &[u8], size: u64) -> bool {
    let (Some(100), Some(count), Some(data)) = (word(bytes, 0), word(bytes, 4), word(bytes, 8)) else {
        return false;
    };
    if size.checked_sub(12) == Some(data.into()) {
        return true;
    }
    let mut end = 12usize;
    for _ in 0..count {
        let Some(size) = word(bytes, end.saturating_add(256)) else { return false };
        end = end.saturating_add(260).saturating_add(size as usize);
        if end > bytes.len() {
            return false;
        }
    }
    count > 0
}
