//! GLSL's own options.

use super::super::{Opt, OptionError, Row};
use super::{StageValue, Translating, staged};
use crate::emit::glsl;
use crate::ir::Stage;
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

const GLSL: &str = "GLSL";

pub(super) const ROWS: &[Row<Translating>] = &[Row::new(
    Opt::new(GLSL, "glsl-version", "GLSL version: 120 to 460, or 100es to 320es")
        .text("VERSION")
        .default("430")
        .of_targets(&["glsl"]),
    |to, value| {
        let known = || glsl::Version::ALL.iter().map(|v| v.to_string().replace(' ', "")).collect::<Vec<_>>();
        let no = |_| format!("no such version; expected one of {}", known().join(", "));
        value.parse().map_err(no).map(|version| to.glsl_version = Some(version))
    },
)];

impl Translating {
    pub(super) fn glsl<'a>(
        &self,
        stage: Stage,
        names: &'a [(&'a str, &'a str)],
    ) -> Result<glsl::Options<'a>, OptionError> {
        let usual = glsl::Options::default();
        let version = self.glsl_version.unwrap_or(usual.version);
        let first = |name: &str, list: &[StageValue<u32>]| match staged(list, stage) {
            Some(_) if !version.has_bindings() => Err(OptionError::value(
                name,
                format!("GLSL {version} has no bindings in the text; the host sets them by name"),
            )),
            first => Ok(first.copied()),
        };
        Ok(glsl::Options {
            version,
            constants: first("constants", &self.constants)?,
            textures: first("textures", &self.textures)?,
            zero_to_one: self.zero_to_one,
            hands_on: self.hands_on,
            names,
            register_names: self.register_names,
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        })
    }
}
