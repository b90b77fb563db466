//! How many vertices a geometry shader gives, and to which streams.

use vecasm_ir::ir::{Node, Op, Region};

/// What is known of the vertices that a geometry shader gives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmittedVertices {
    /// Operations that give one.
    all: u32,
    /// Those that have been written.
    pub(super) written: u32,
    /// Whether one of them stands in a loop.
    round: bool,
    /// The largest stream.
    pub(super) most: u8,
}

impl EmittedVertices {
    pub(super) fn of(region: &Region) -> Self {
        let mut emits = Self::default();
        emits.add(region, false);
        emits
    }

    /// How many vertices it can give at most, if none is given in a loop.
    #[cfg(any(feature = "glsl", feature = "hlsl"))]
    pub(super) const fn bound(self) -> Option<u32> {
        if self.round { None } else { Some(self.all) }
    }

    /// Whether there may be more vertices than these.
    pub(super) const fn may_exceed(self, most: u32) -> bool {
        self.round || self.all > most
    }

    /// Whether vertices may be given behind the operation that was written last.
    pub(super) const fn are_more(self) -> bool {
        self.round || self.written < self.all
    }

    fn add(&mut self, region: &Region, round: bool) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Op::EmitVertex { stream } = inst.op {
                        self.all += 1;
                        self.round |= round;
                        self.most = self.most.max(stream);
                    }
                }
                Node::Loop(node) => self.add(&node.body, true),
                node => node.for_each_region(|region| self.add(region, round)),
            }
        }
    }
}
