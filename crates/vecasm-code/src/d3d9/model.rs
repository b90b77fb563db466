//! The models of Direct3D 9 that programs are made for.

use vecasm_isa::d3d9::program::{Stage, Version};
use vecasm_isa::d3d9::rules::Options;
use vecasm_isa::d3d9::rules::options::Model2x;

/// A model, with what a device of it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name: `ps_2_b`.
    pub name: &'static str,
    /// The version token of its programs.
    pub version: Version,
    /// Which device of 2.x.
    pub device: Model2x,
    /// Whether it is tried where no model is asked for.
    pub is_tried: bool,
}

const fn model(name: &'static str, stage: Stage, number: (u8, u8), device: Model2x, is_tried: bool) -> Model {
    Model { name, version: Version::new(stage, number.0, number.1), device, is_tried }
}

/// The models, in the order in which they are tried, those of a stage.
pub const MODELS: &[Model] = &[
    model("vs_1_1", Stage::Vertex, (1, 1), Model2x::X, false),
    model("vs_2_0", Stage::Vertex, (2, 0), Model2x::X, true),
    model("vs_2_a", Stage::Vertex, (2, 1), Model2x::A, true),
    model("vs_2_x", Stage::Vertex, (2, 1), Model2x::X, false),
    model("vs_3_0", Stage::Vertex, (3, 0), Model2x::X, true),
    model("ps_2_0", Stage::Pixel, (2, 0), Model2x::X, true),
    model("ps_2_b", Stage::Pixel, (2, 1), Model2x::B, true),
    model("ps_2_a", Stage::Pixel, (2, 1), Model2x::A, true),
    model("ps_2_x", Stage::Pixel, (2, 1), Model2x::X, false),
    model("ps_3_0", Stage::Pixel, (3, 0), Model2x::X, true),
];

/// What a model can do that selection asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abilities {
    pub(crate) absolute: bool,
    pub(crate) any_swizzle: bool,
    pub(crate) gradients: bool,
    pub(crate) conditionals: bool,
    /// Conditionals that ask for boolean constants.
    pub(crate) truths: bool,
    pub(crate) loops: bool,
    pub(crate) dependent_reads_limited: bool,
    pub(crate) temporaries: u16,
    pub(crate) constants: u16,
    pub(crate) slots: Option<u32>,
    pub(crate) texture_slots: Option<u32>,
    pub(crate) arithmetic_slots: Option<u32>,
}

impl Model {
    /// The model of that name.
    pub fn named(name: &str) -> Option<Self> {
        MODELS.iter().copied().find(|model| model.name.eq_ignore_ascii_case(name))
    }

    /// The model of a program, if programs are made for it. What a device of 2.x can do is not in the program: everything.
    pub fn of(version: Version) -> Option<Self> {
        let same = |model: &&Self| model.version == version && model.device == Model2x::X;
        MODELS.iter().find(same).copied()
    }

    /// Whether it has programs of a stage.
    pub fn is_for(self, stage: vecasm_ir::ir::Stage) -> bool {
        match self.version.stage() {
            Stage::Vertex => stage == vecasm_ir::ir::Stage::Vertex,
            Stage::Pixel => stage == vecasm_ir::ir::Stage::Fragment,
        }
    }

    /// The device, as the validator asks for it.
    pub fn options(self) -> Options {
        let mut options = Options::default();
        options.switches.model_2x = self.device;
        options
    }

    pub(crate) fn caps(self) -> Abilities {
        let caps = self.options().caps(self.version);
        let pixel = self.version.stage() == Stage::Pixel;
        Abilities {
            absolute: self.version.major() >= 3,
            any_swizzle: !pixel || caps.arbitrary_swizzle,
            gradients: pixel && caps.gradients,
            conditionals: caps.dynamic_depth > 0,
            truths: caps.static_depth > 0,
            loops: caps.loop_depth > 0,
            dependent_reads_limited: caps.dependent_reads_limited,
            temporaries: caps.temporaries,
            constants: caps.constants,
            slots: caps.slots,
            texture_slots: caps.texture_slots,
            arithmetic_slots: caps.arithmetic_slots,
        }
    }
}
