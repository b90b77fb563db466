//! MSL's own options.

use super::super::{Opt, Row};
use super::{StageValue, Translating, staged};
use crate::emit::msl;
use crate::ir::Stage;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

const MSL: &str = "MSL";

pub(super) const ROWS: &[Row<Translating>] = &[Row::new(
    Opt::new(MSL, "msl-version", "MSL version: 2.0 to 2.4")
        .text("VERSION")
        .default("2.1")
        .of_targets(&["msl"]),
    |to, value| {
        let known = || msl::Version::ALL.iter().map(ToString::to_string).collect::<Vec<_>>();
        let no = |_| format!("no such version; expected one of {}", known().join(", "));
        value.parse().map_err(no).map(|version| to.msl_version = Some(version))
    },
)];

impl Translating {
    pub(super) fn msl<'a>(&'a self, stage: Stage, names: &'a [(&'a str, &'a str)]) -> msl::Options<'a> {
        let usual = msl::Options::default();
        let first = |list: &[StageValue<u32>], usual| staged(list, stage).copied().unwrap_or(usual);
        msl::Options {
            version: self.msl_version.unwrap_or(usual.version),
            entry: self.entry(stage),
            constants: first(&self.constants, usual.constants),
            textures: first(&self.textures, usual.textures),
            samplers: first(&self.samplers, usual.samplers),
            names,
            register_names: self.register_names,
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        }
    }
}
