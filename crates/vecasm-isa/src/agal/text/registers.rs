//! The register names of assembly text.

use crate::agal::program::{RegType, Stage};

/// A register name.
pub(super) struct Name {
    /// The spelling; case matters.
    pub(super) name: &'static str,
    /// The spelling under which the AGALMiniAssembler versions from `extended` on keep the register.
    pub(super) main: &'static str,
    /// The type it stands for.
    pub(super) ty: RegType,
    /// The stage it belongs to, if not both.
    pub(super) stage: Option<Stage>,
}

const fn name(name: &'static str, main: &'static str, ty: RegType, stage: Option<Stage>) -> Name {
    Name { name, main, ty, stage }
}

const V: Option<Stage> = Some(Stage::Vertex);
const F: Option<Stage> = Some(Stage::Fragment);

/// Every register name.
pub(super) const NAMES: &[Name] = &[
    name("va", "va", RegType::Attribute, V),
    name("vc", "vc", RegType::Constant, V),
    name("fc", "fc", RegType::Constant, F),
    name("vt", "vt", RegType::Temporary, V),
    name("ft", "ft", RegType::Temporary, F),
    name("op", "vo", RegType::Output, V),
    name("vo", "vo", RegType::Output, V),
    name("oc", "fo", RegType::Output, F),
    name("fo", "fo", RegType::Output, F),
    name("v", "vi", RegType::Varying, None),
    name("vi", "vi", RegType::Varying, None),
    name("i", "vi", RegType::Varying, None),
    name("fi", "vi", RegType::Varying, None),
    name("fs", "fs", RegType::Sampler, F),
    name("vs", "vs", RegType::Sampler, V),
    name("od", "fd", RegType::Depth, F),
    name("fd", "fd", RegType::Depth, F),
    name("iid", "iid", RegType::InstanceId, V),
];

/// [`NAMES`] packed, so that a look-up compares integers.
static KEYS: [u32; NAMES.len()] = {
    let mut keys = [0; NAMES.len()];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = pack(NAMES[i].name.as_bytes());
        i += 1;
    }
    keys
};

/// Up to four bytes as a number; longer words give 0, as no name does.
pub(super) const fn pack(word: &[u8]) -> u32 {
    if word.len() > 4 {
        return 0;
    }
    let mut out = 0;
    let mut i = 0;
    while i < word.len() {
        out = out << 8 | word[i] as u32;
        i += 1;
    }
    out
}

/// The register name spelt `text`.
pub(super) fn by_name(text: &str) -> Option<&'static Name> {
    let key = pack(text.as_bytes());
    if key == 0 { None } else { KEYS.iter().position(|&k| k == key).map(|i| &NAMES[i]) }
}
