//! HLSL's own options.

use super::super::{Opt, OptionError, Row, Value, number, number_in};
use super::Translating;
use crate::emit::hlsl;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

const HLSL: &str = "HLSL";

pub(super) const ROWS: &[Row<Translating>] = &[
            Row::new(
                Opt::new(
                    HLSL,
                    "shader-model",
                    "Shader model: 3.0 for Direct3D 9, 4.0, 4.1, 5.0, 5.1 or 6.0",
                )
                .text("MODEL")
                .default("5.0")
                .of_targets(&["hlsl"]),
                |to, value| {
                    let known = || hlsl::Model::ALL.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let no = |_| format!("no such model; expected one of {}", known().join(", "));
                    value.parse().map_err(no).map(|model| to.shader_model = Some(model))
                },
            ),
            Row::new(
                Opt::new(HLSL, "register-space", "Register space of all bindings, from model 5.1 on")
                    .number("N")
                    .of_targets(&["hlsl"]),
                |to, value| number(value).map(|space| to.register_space = space),
            ),
            Row::new(
                Opt::new(
                    HLSL,
                    "patch-vertices",
                    "Vertices of an input patch, 1 to 32, where the program leaves that open [default: found from what is \
                     read]",
                )
                .takes("N", Value::Number { low: 1, high: 32 })
                .of_targets(&["hlsl"]),
                |to, value| number_in(value, 1, 32).map(|n| to.patch_vertices = n),
            ),
];

impl Translating {
    pub(super) fn hlsl<'a>(&self, names: &'a [(&'a str, &'a str)]) -> Result<hlsl::Options<'a>, OptionError> {
        let usual = hlsl::Options::default();
        let model = self.shader_model.unwrap_or(usual.model);
        if self.register_space > 0 && !model.has_spaces() {
            let why = format!("shader model {model} has no register spaces");
            return Err(OptionError::value("register-space", why));
        }
        Ok(hlsl::Options {
            model,
            space: self.register_space,
            patch_vertices: self.patch_vertices,
            names,
            register_names: self.register_names,
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        })
    }
}
