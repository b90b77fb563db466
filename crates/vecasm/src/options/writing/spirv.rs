//! SPIR-V's own options.

use super::super::{Opt, OptionError, Row, number, switch};
use super::{Translating, lane_bits, numbers};
use crate::emit::spirv;
use crate::ir::{ParamId, Shader, Stage};
use crate::translate::StageShader;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const SPIRV: &str = "SPIR-V";

/// Arrays of constants by name, with their first elements.
pub(super) type Arrays<'s> = Vec<(&'s str, Vec<[u32; 4]>)>;

/// What only SPIR-V has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SpirvOptions {
    pub(super) environment: spirv::Environment,
    pub(super) flip_y: bool,
    pub(super) push_constants: bool,
    pub(super) inline: Vec<(String, Vec<f64>)>,
    pub(super) spec_states: Option<u32>,
    pub(super) float_controls: bool,
    pub(super) debug_names: bool,
    pub(super) debug_source: bool,
}

pub(super) const ROWS: &[Row<Translating>] = &[
            Row::new(
                Opt::new(
                    SPIRV,
                    "environment",
                    "Environment of the module: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or opengl4.5",
                )
                .text("ENVIRONMENT")
                .default("vulkan1.0")
                .of_targets(&["spirv"]),
                |to, value| {
                    let names = || spirv::Environment::ALL.into_iter().map(spirv::Environment::name).collect::<Vec<_>>();
                    let found = value.parse().map_err(|_| format!("expected one of {}", names().join(", ")));
                    found.map(|environment| to.spirv.environment = environment)
                },
            ),
            Row::new(
                Opt::new(SPIRV, "flip-y", "Negate the y of positions, which points down in Vulkan")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.flip_y = on),
            ),
            Row::new(
                Opt::new(SPIRV, "push-constants", "Make constants push constants, up to 128 bytes")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.push_constants = on),
            ),
            Row::new(
                Opt::new(
                    SPIRV,
                    "inline",
                    "Set the value of a constant in the module; the others of its array are zero",
                )
                .text("REGISTER=X,Y,Z,W")
                .several()
                .of_targets(&["spirv"]),
                |to, value| {
                    let read = value.split_once('=').filter(|(register, _)| !register.is_empty());
                    let read = read.and_then(|(register, values)| Some((register.into(), numbers(values)?)));
                    to.spirv.inline.push(read.ok_or("expected REGISTER=X,Y,Z,W")?);
                    Ok(())
                },
            ),
            Row::new(
                Opt::new(
                    SPIRV,
                    "spec-states",
                    "Make state values specialization constants, with numbers from FIRST on, four for each state",
                )
                .number("FIRST")
                .of_targets(&["spirv"]),
                |to, value| number(value).map(|first| to.spirv.spec_states = Some(first)),
            ),
            Row::new(
                Opt::new(
                    SPIRV,
                    "float-controls",
                    "Require denormals, signed zeros, infinities and NaN to be preserved, and rounding to nearest even",
                )
                .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.float_controls = on),
            ),
            Row::new(
                Opt::new(SPIRV, "debug-names", "Name results after their registers, for readers of a disassembly")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.debug_names = on),
            ),
            Row::new(
                Opt::new(SPIRV, "debug-source", "Embed the disassembly and the line of each instruction")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.debug_source = on),
            ),
];

impl Translating {
    pub(super) fn spirv<'a>(
        &'a self,
        stages: &[StageShader],
        values: &'a [(&'a str, &'a [[u32; 4]])],
        source: spirv::Source<'a>,
    ) -> spirv::Options<'a> {
        let of = &self.spirv;
        // What is not chosen is of the environment.
        let usual = spirv::Options::for_environment(of.environment);
        let places = |stage: Stage, usual| self.places(stages, stage, stage, usual);
        spirv::Options {
            vertex: places(Stage::Vertex, usual.vertex),
            fragment: places(Stage::Fragment, usual.fragment),
            compute: places(Stage::Compute, usual.compute),
            tess_control: places(Stage::TessControl, usual.tess_control),
            tess_eval: places(Stage::TessEval, usual.tess_eval),
            geometry: places(Stage::Geometry, usual.geometry),
            array_size: self.array_size,
            space: self.space,
            states: of.spec_states.map_or(usual.states, |first| spirv::States::Specialized { first }),
            push_constants: of.push_constants,
            values,
            flip_y: of.flip_y,
            hands_on: self.hands_on,
            zero_to_one: self.zero_to_one,
            float_controls: of.float_controls,
            names: of.debug_names,
            register_names: self.register_names,
            signed_zeros: self.signed_zeros,
            source: of.debug_source.then_some(source),
            ..usual
        }
    }

    /// The arrays that are given values, by name, each as far as the last value reaches.
    pub(super) fn arrays<'s>(&self, shader: &'s Shader) -> Result<Arrays<'s>, OptionError> {
        let mut arrays = Arrays::new();
        for (register, values) in &self.spirv.inline {
            let found = shader.params.iter().enumerate().find_map(|(n, array)| {
                let at = (0..array.size).find(|e| shader.param_name(ParamId(n as u32), *e) == *register)?;
                Some((array, at as usize))
            });
            let Some((array, at)) = found else {
                return Err(OptionError::value(
                    format!("inline {register}"),
                    "the program has no such constant",
                ));
            };
            let n = arrays.iter().position(|(name, _)| *name == array.name).unwrap_or_else(|| {
                arrays.push((&array.name, Vec::new()));
                arrays.len() - 1
            });
            let rows = &mut arrays[n].1;
            rows.resize(rows.len().max(at + 1), [0; 4]);
            rows[at] = [0, 1, 2, 3].map(|lane| lane_bits(array.scalar, values, lane));
        }
        Ok(arrays)
    }
}
