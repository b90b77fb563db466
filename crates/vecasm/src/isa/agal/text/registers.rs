//! The register names of assembly text.

use crate::isa::agal::program::{RegType, Stage};

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

/// The register name spelt `text`.
pub(super) fn by_name(text: &str) -> Option<&'static Name> {
    NAMES.iter().find(|n| n.name == text)
}
