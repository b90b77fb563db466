//! Hashes of programs: of their bytes, of their bytes without comments, and of what they say.
//!
//! Dumps of games are named by hashes, and patches find programs by them. [`Digests`] are those of any bytes. [`Hashes`] adds two
//! for which a program may change without becoming another: the bytes without the comments of Direct3D 9, in which compilers leave
//! tables of constants that others strip, and the [canonical text](canonical), which is the same for a text and its bytecode.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::hash::{Algorithm, Digests, HashPrefix, Hashes};
//! use vecasm::{NoHost, OpenOptions, open};
//!
//! // What every manual of CRC-32 checks with.
//! assert_eq!(Digests::of(b"123456789").hex(Algorithm::Crc32), "cbf43926");
//!
//! let read = |text: &str| open(text.as_bytes(), &OpenOptions::named("a.frag.agal"), &mut NoHost).program();
//! let (a, b) = (read("mov oc, fc0\n")?, read("// Red.\nmov  oc, fc0.xyzw\n")?);
//! assert_eq!(Hashes::of(&a), Hashes::of(&b));
//! let wanted = HashPrefix::parse(&Hashes::of(&a).bytes.hex(Algorithm::Sha1)[..10])?;
//! assert_eq!(Hashes::of(&b).found(&wanted).map(|which| which.to_string()), Some("sha1".into()));
//! # }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod name;

pub use name::{FileName, Verdict};

use crate::isa::{AnyProgram, to_hex};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use sha2::Digest as _;

vecasm_ir::words! {
    /// A function that gives hashes.
    Algorithm "hash" {
        /// CRC-32 as in zlib and zip.
        Crc32 "crc32",
        /// MD5 (RFC 1321).
        Md5 "md5",
        /// SHA-1 (FIPS 180-4).
        Sha1 "sha1",
        /// SHA-256 (FIPS 180-4).
        Sha256 "sha256",
    }
}

/// The hashes of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Digests {
    /// How many bytes there are.
    pub len: usize,
    /// CRC-32 as in zlib and zip.
    pub crc32: u32,
    /// MD5.
    pub md5: [u8; 16],
    /// SHA-1.
    pub sha1: [u8; 20],
    /// SHA-256.
    pub sha256: [u8; 32],
}

impl Digests {
    /// Those of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            len: bytes.len(),
            crc32: crc32fast::hash(bytes),
            md5: md5::Md5::digest(bytes).into(),
            sha1: sha1::Sha1::digest(bytes).into(),
            sha256: sha2::Sha256::digest(bytes).into(),
        }
    }

    /// One of them in small hexadecimal digits, that of CRC-32 most significant first.
    pub fn hex(&self, algorithm: Algorithm) -> String {
        match algorithm {
            Algorithm::Crc32 => format!("{:08x}", self.crc32),
            Algorithm::Md5 => to_hex(&self.md5),
            Algorithm::Sha1 => to_hex(&self.sha1),
            Algorithm::Sha256 => to_hex(&self.sha256),
        }
    }
}

/// SHA-256 of bytes in small hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    to_hex(&sha2::Sha256::digest(bytes))
}

/// The hashes of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hashes {
    /// Those of its bytes: for a text, of what it assembles to.
    pub bytes: Digests,
    /// Those of its bytes without comments; `None` of what could not be read.
    pub without_comments: Option<Digests>,
    /// That of its [canonical text](canonical), with the version of the definition in front: `v1:` and 64 digits. `None` of
    /// what has none.
    pub program: Option<String>,
}

impl Hashes {
    /// Those of a program.
    pub fn of(program: &AnyProgram) -> Self {
        let bytes = program.encode();
        let digests = Digests::of(&bytes);
        let without_comments = match without_comments(program, &bytes) {
            Cow::Borrowed(_) => digests,
            Cow::Owned(bytes) => Digests::of(&bytes),
        };
        let program = canonical(program).map(|text| format!("{VERSION}:{}", sha256(text.as_bytes())));
        Self { bytes: digests, without_comments: Some(without_comments), program }
    }

    /// Those of bytes that could not be read as a program.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: Digests::of(bytes), without_comments: None, program: None }
    }

    /// One of the hashes as people write it: CRC-32 as `0x63081D55`, which is how ReShade names files, the others in small digits;
    /// `None` of one that is not there.
    pub fn shown(&self, which: HashKind) -> Option<String> {
        let shown = |digests: &Digests, algorithm| match algorithm {
            Algorithm::Crc32 => format!("0x{:08X}", digests.crc32),
            _ => digests.hex(algorithm),
        };
        match which {
            HashKind::Bytes(algorithm) => Some(shown(&self.bytes, algorithm)),
            HashKind::WithoutComments(algorithm) => {
                self.without_comments.as_ref().map(|bare| shown(bare, algorithm))
            }
            HashKind::Program => self.program.clone(),
        }
    }

    /// The first of the hashes that begins with those digits. Of the bytes without comments CRC-32 and SHA-256 are looked at.
    pub fn found(&self, wanted: &HashPrefix) -> Option<HashKind> {
        let own =
            Algorithm::ALL.iter().map(|&algorithm| (HashKind::Bytes(algorithm), &self.bytes, algorithm));
        let bare = self.without_comments.iter().flat_map(|digests| {
            BARE.iter().map(move |&algorithm| (HashKind::WithoutComments(algorithm), digests, algorithm))
        });
        let mut all = own.chain(bare).filter(|_| !wanted.of_program);
        let found = all.find(|(_, digests, algorithm)| wanted.begins(&digests.hex(*algorithm)));
        let program = || {
            let (_, digits) = self.program.as_ref()?.split_once(':')?;
            wanted.begins(digits).then_some(HashKind::Program)
        };
        found.map(|(which, ..)| which).or_else(program)
    }
}

/// The hashes of bytes without comments that are shown and looked for.
pub const BARE: [Algorithm; 2] = [Algorithm::Crc32, Algorithm::Sha256];

/// Which hash of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashKind {
    /// One of its bytes.
    Bytes(Algorithm),
    /// One of its bytes without comments.
    WithoutComments(Algorithm),
    /// That of its canonical text.
    Program,
}

impl fmt::Display for HashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(algorithm) => f.write_str(algorithm.name()),
            Self::WithoutComments(algorithm) => write!(f, "{algorithm} without comments"),
            Self::Program => f.write_str("program"),
        }
    }
}

/// The first digits of a hash that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashPrefix {
    digits: String,
    /// Whether only [programs](canonical) are meant.
    of_program: bool,
}

impl HashPrefix {
    /// Reads 8 to 64 hexadecimal digits, behind `0x` or `v1:` if they are.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let front = [VERSION, ":"].concat();
        let of_program = text.starts_with(&front);
        let digits = text.strip_prefix(&*front).unwrap_or(text);
        let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
        if let Some(other) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(format!("`{other}` is no hexadecimal digit"));
        }
        if !(8..=64).contains(&digits.len()) {
            return Err(format!("{} digits; 8 to 64 tell a program", digits.len()));
        }
        Ok(Self { digits: digits.to_ascii_lowercase(), of_program })
    }

    fn begins(&self, hex: &str) -> bool {
        hex.starts_with(&self.digits)
    }
}

/// The version of the definition of [`canonical`].
const VERSION: &str = "v1";

/// The text whose SHA-256 is the hash of a program, version 1; `None` of what is no whole program.
///
/// Lines end with a line feed each. The first one is `program v1`, the second one the instruction set, the model and the stage:
/// `d3d9 ps_2_0 fragment`; behind it stands the kind of a program of the NV2A whose header says `state` or `read-write`. The
/// instructions follow, one a line, as [`instruction_texts`](AnyProgram::instruction_texts) has them: spelled in one way, without
/// comments, and those that the language cannot say in the raw notation. Of TGSI it is every line of the program,
/// declarations and immediates included, without blanks around it.
///
/// So it depends neither on comments nor on the layout of a text, nor on what the bytes are wrapped in: the header of a program of the
/// NV2A, or what stands behind the end of one of Direct3D 9. A program is not whole, and has no such text, if an instruction
/// or the end is missing, or if there are words in it that belong to no instruction.
pub fn canonical(program: &AnyProgram) -> Option<String> {
    let lines: Option<(Option<&str>, Vec<String>)> = match program {
        #[cfg(feature = "agal")]
        AnyProgram::Agal(agal) => {
            let is_whole = agal.header.is_regular() && agal.tail.is_empty();
            is_whole.then(|| (None, program.instruction_texts()))
        }
        #[cfg(feature = "nv2a")]
        AnyProgram::Nv2a(nv2a) => {
            use crate::isa::nv2a::{Container, program::Kind};
            let mut is_whole = nv2a.tail.is_empty() && !nv2a.slots.is_empty();
            let mut kind = None;
            if let Container::Microcode { version, count } = nv2a.container {
                is_whole &= usize::from(count) == nv2a.slots.len();
                let is_other = |kind: &Kind| matches!(kind, Kind::State | Kind::ReadWrite);
                kind = Kind::from_version(version).filter(is_other).map(Kind::name);
            }
            is_whole.then(|| (kind, program.instruction_texts()))
        }
        #[cfg(feature = "d3d9")]
        AnyProgram::D3d9(d3d9) => {
            use crate::isa::d3d9::program::ItemKind;
            let sound = |kind| !matches!(kind, ItemKind::Stray | ItemKind::Cut);
            let is_whole = d3d9.version().is_known()
                && d3d9.has_end()
                && d3d9.items().iter().all(|item| sound(item.kind));
            is_whole.then(|| (None, program.instruction_texts()))
        }
        #[cfg(feature = "tgsi")]
        AnyProgram::Tgsi(tgsi) => {
            let is_whole = tgsi.residue.is_empty() && tgsi.frame.is_none();
            let line = |line: &str| String::from(line.trim());
            is_whole.then(|| (None, program.to_text().lines().map(line).collect()))
        }
        _ => None,
    };
    let (kind, lines) = lines?;
    let (isa, model, stage) = (program.isa().name(), program.model(), program.stage());
    let mut out = format!("program {VERSION}\n{isa} {model} {stage}");
    if let Some(word) = kind {
        out.push(' ');
        out.push_str(word);
    }
    out.push('\n');
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    Some(out)
}

/// The bytes of a program without the comments of Direct3D 9, wherever they are. Other bytecode has none.
pub fn without_comments<'b>(program: &AnyProgram, bytes: &'b [u8]) -> Cow<'b, [u8]> {
    #[cfg(feature = "d3d9")]
    if let AnyProgram::D3d9(d3d9) = program {
        use crate::isa::d3d9::program::ItemKind;
        if d3d9.comments().next().is_some() {
            let mut out = Vec::with_capacity(bytes.len());
            for item in d3d9.items().iter().filter(|item| item.kind != ItemKind::Comment) {
                out.extend(d3d9.words_of(*item).iter().flat_map(|word| word.to_le_bytes()));
            }
            out.extend_from_slice(d3d9.rest());
            return Cow::Owned(out);
        }
    }
    let _ = program;
    Cow::Borrowed(bytes)
}
