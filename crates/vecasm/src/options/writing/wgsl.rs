//! WGSL's own options.

use super::super::{Opt, Row, switch, word};
use super::{EVERY, Translating};
use crate::emit::wgsl;
use crate::ir::Stage;
use crate::translate::StageShader;

pub(super) const ROWS: &[Row<Translating>] = &[
    Row::new(
        Opt::new(EVERY, "unread", "Varyings that the fragment program of a pair does not read")
            .words("WHAT", &[("drop", "They are left out"), ("keep", "They are kept")])
            .default("drop")
            .of_targets(&["wgsl"]),
        |to, value| word(value).map(|unread| to.unread = unread),
    ),
    Row::new(
        Opt::new(
            EVERY,
            "compute",
            "Translate the vertex program to a compute shader that reads attributes from a buffer and writes \
                     results to another",
        )
        .of_targets(&["wgsl"]),
        |to, value| switch(value).map(|on| to.compute = on),
    ),
];

impl Translating {
    pub(super) fn wgsl<'a>(
        &'a self,
        stages: &[StageShader],
        names: &'a [(&'a str, &'a str)],
    ) -> wgsl::Options<'a> {
        let usual = wgsl::Options::default();
        wgsl::Options {
            vertex: self.places(stages, Stage::Vertex, Stage::Vertex, usual.vertex),
            fragment: self.places(stages, Stage::Fragment, Stage::Fragment, usual.fragment),
            // A compute shader does what a vertex program does.
            compute: self.places(stages, Stage::Compute, Stage::Vertex, usual.compute),
            array_size: self.array_size,
            space: self.space,
            unread: self.unread,
            names,
            register_names: self.register_names,
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        }
    }
}
