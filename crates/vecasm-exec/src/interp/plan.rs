//! Which invocations form a group, and how many invocations go through a shader together.

use super::{QUAD, in_quads};
use crate::code::Code;
use crate::{Batch, MAX_INVOCATIONS, RunError};
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::{Op, Setup, Shader, Stage};

/// How many invocations are taken through together where they cannot see one another. Any number gives the same results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    /// At least, but for shaders that take very much; a multiple of a quad.
    pub(crate) least: usize,
    /// At most; a multiple of the least number. Between them it is a multiple of that, too.
    pub(crate) most: usize,
    /// Bytes that rows should not take, if it is more than the least number.
    pub(crate) bytes: usize,
}

impl Width {
    pub(crate) const INTERP: Self = Self { least: 64, most: 64, bytes: 0 };

    /// For so many bytes an invocation.
    fn of(self, each: usize) -> usize {
        (self.bytes / each.max(1) / self.least * self.least).clamp(self.least, self.most)
    }
}

/// Bytes above which fewer invocations are taken through together.
const COMFORT: u64 = 4 << 20;
/// The most bytes that values, cells and local arrays of one pack may take.
const MOST: u64 = 1 << 30;

/// The sizes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Invocations of a group.
    pub(super) group: usize,
    /// Invocations that go through together: one group or several that cannot tell.
    pub(crate) pack: usize,
    /// Invocations of a subgroup.
    pub(super) subgroup: usize,
    /// Size of a workgroup.
    pub(super) workgroup: [u32; 3],
    /// Number of workgroups along each axis.
    pub(super) grid: [u32; 3],
    /// Vertices of a primitive or patch that comes in.
    pub(super) vertices_in: u32,
    /// Streams that the shader emits to: the highest number plus 1.
    pub(super) streams: usize,
}

fn binding<T>(what: String) -> Result<T, RunError> {
    Err(RunError::Binding(what))
}

/// What the sizes of a run depend on, of the shader alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Whether it asks its subgroup.
    votes: bool,
    /// Whether what it does, or when, shows outside the group.
    effects: bool,
    /// Whether its invocations have to go through it as quads.
    quads: bool,
    /// Whether the invocations of a workgroup go through it in fours.
    fours: bool,
    /// Streams that it emits to: the highest number plus 1.
    streams: usize,
    /// Bytes that an invocation takes.
    each: u64,
    /// Invocations that may go through together where they cannot see one another: 1 or more.
    wide: usize,
    /// Bytes that a run takes once.
    fixed: u64,
}

impl Shape {
    pub(crate) fn of(shader: &Shader, code: &Code, width: Width) -> Self {
        let (mut votes, mut effects, mut streams) = (false, shader.serial, 0);
        let mut fours = shader.setup.fours;
        shader.body.for_each_inst(&mut |inst| {
            votes |= inst.op.needs_subgroup();
            effects |= is_seen_outside(inst.op);
            fours &= !matches!(inst.op, Op::Barrier | Op::Fence);
            if let Op::EmitVertex { stream } | Op::EndPrimitive { stream } = inst.op {
                streams = streams.max(usize::from(stream.min(3)) + 1);
            }
        });
        let cells =
            shader.outputs.len() as u64 + shader.locals.iter().map(|l| u64::from(l.size)).sum::<u64>();
        let each = u64::from(code.rows) * if code.wide { 8 } else { 4 } + cells * 16;
        let fixed =
            if shader.serial { shader.params.iter().map(|p| u64::from(p.size) * 16).sum() } else { 0 };
        // Rows that are the same in all invocations are not gone over again and again.
        let gone_over = (code.rows - code.fixed) as usize * if code.wide { 8 } else { 4 };
        let wide = (COMFORT / each.max(1)).clamp(1, width.of(gone_over) as u64) as usize;
        Self { votes, effects, quads: in_quads(shader), fours, streams, each, wide, fixed }
    }
}

impl Plan {
    pub(crate) fn new(shader: &Shader, shape: &Shape, batch: &Batch<'_>) -> Result<Self, RunError> {
        let Shape { votes, effects, quads, fours, streams, each, wide, fixed } = *shape;
        let Setup { invocations, .. } = shader.setup;
        let count = batch.count;
        if count > MAX_INVOCATIONS {
            return binding(format!("a batch has at most {MAX_INVOCATIONS} invocations"));
        }
        let mut subgroup = if batch.subgroup == 0 { QUAD } else { batch.subgroup as usize };
        if subgroup > 64 {
            return binding(format!("a subgroup has at most 64 invocations, not {subgroup}"));
        }
        if shader.stage == Stage::Fragment && subgroup % QUAD != 0 {
            return binding(format!(
                "a subgroup of a fragment shader consists of quads: {subgroup} invocations are not a multiple of 4"
            ));
        }
        let (mut workgroup, mut grid) = ([1; 3], [1; 3]);
        // How many go through together where they do in fours.
        let mut four = None;
        if shader.stage == Stage::Compute {
            workgroup = core::array::from_fn(|axis| match shader.setup.workgroup[axis] {
                0 => batch.workgroup[axis].max(1),
                n => n,
            });
            let size: u64 = workgroup.iter().fold(1, |n, &axis| n.saturating_mul(u64::from(axis)));
            if size > 1024 {
                return binding(format!("a workgroup has at most 1024 invocations, not {size}"));
            }
            grid = match batch.grid {
                [0, 0, 0] => [(count / size as usize) as u32, 1, 1],
                grid => grid,
            };
            let groups: u64 = grid.iter().fold(1, |n, &axis| n.saturating_mul(u64::from(axis)));
            if groups.saturating_mul(size) != count as u64 {
                return binding(format!("{count} invocations are not {groups} workgroups of {size}"));
            }
            four = match workgroup[0] as usize {
                _ if !fours || shader.serial => None,
                width @ ..QUAD => Some(width),
                width => (width % QUAD == 0).then_some(QUAD),
            };
            if four.is_some() {
                subgroup = QUAD;
            }
        }
        let vertices_in = match shader.setup.vertices_in {
            0 => batch.vertices_in.max(1),
            n => n,
        };
        if vertices_in > 32 {
            return binding(format!("a patch has at most 32 vertices, not {vertices_in}"));
        }
        let of_primitive = invocations.clamp(1, 1024) as usize;
        if matches!(shader.stage, Stage::TessControl | Stage::Geometry) && count % of_primitive != 0 {
            return binding(format!(
                "{count} invocations are not a multiple of {of_primitive}, the invocations of each primitive"
            ));
        }
        let group = match shader.stage {
            _ if shader.serial => 1,
            Stage::TessControl => of_primitive,
            Stage::Compute if effects || votes => {
                four.unwrap_or_else(|| workgroup.iter().product::<u32>() as usize)
            }
            _ if votes => subgroup,
            Stage::Fragment if effects || quads => QUAD,
            _ => 1,
        };
        // No more go through than there are. What a patch has as a whole is kept once for a pack.
        let pack = match group {
            _ if effects || votes || shader.stage == Stage::TessControl => group,
            1 => wide.min(count.max(1)),
            QUAD if shader.stage == Stage::Fragment => (wide & !3).clamp(QUAD, ((count + 3) & !3).max(QUAD)),
            _ => group,
        };
        // Invocations are held four by four.
        if each.saturating_mul((pack as u64 + 3) & !3).saturating_add(fixed) > MOST {
            return Err(RunError::Limit(format!("a group of {group} invocations takes more than 1 GiB")));
        }
        Ok(Self { group, pack, subgroup, workgroup, grid, vertices_in, streams })
    }
}

/// Whether what the operation does, or when, shows outside the group. Then groups run one after another.
const fn is_seen_outside(op: Op) -> bool {
    op.writes_outside() || matches!(op, Op::Barrier | Op::Clock)
}
