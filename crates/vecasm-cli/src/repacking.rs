//! Programs in the place of others in a container.

use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use vecasm::CheckOptions;
use vecasm::container::{with_comments_of, without_comments};
use vecasm::diag;
use vecasm::ir::Stage;
use vecasm::isa::Isa;

/// What a program replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The stage that the container says.
    pub(crate) stage: Option<Stage>,
    /// The bytes that are there.
    pub(crate) bytes: &'a [u8],
}

impl Place<'_> {
    /// The bytes of a program that comes here. One of Direct3D without comments gets those of the old one, unless comments are
    /// to be dropped. A program that the original run time would refuse is warned about.
    pub(crate) fn bytes_of(self, loaded: &Loaded, drop_comments: bool, ctx: &Ctx) -> Outcome<Vec<u8>> {
        let program = &loaded.program;
        if let Some(stage) = self.stage.filter(|stage| *stage != program.stage()) {
            let (is, was) = (program.stage().name(), stage.name());
            return Err(Failure::usage(format!(
                "{}: a {is} program in the place of a {was} one",
                loaded.input.name
            )));
        }
        let mut bytes = program.encode();
        if program.isa() == Isa::D3d9 {
            bytes =
                if drop_comments { without_comments(&bytes) } else { with_comments_of(self.bytes, &bytes) };
        }
        if diag::has_errors(&program.validate(&CheckOptions::default())) {
            loaded.warn_if_refused(ctx);
        }
        Ok(bytes)
    }
}
