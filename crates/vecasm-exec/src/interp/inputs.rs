//! What an invocation is given: inputs of every kind, and inputs interpolated anywhere.

use super::bank::Bank;
use super::pack::Pack;
use crate::batch::Spot;
use crate::code::{Operand, ResultRows};
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{At, Input, InputKind, Op, OutOfRange, Scalar, Site, Stage, System};

/// The number out of a run that an index means; `None` for what reads as zero.
pub(super) fn out_of_run(at: At, index: u32) -> Option<usize> {
    element(index, at.offset, at.rule, at.count)
}

/// Element `index + offset` out of `count`, by a rule; `None` for what does not exist.
pub(super) fn element(index: u32, offset: i32, rule: OutOfRange, count: u32) -> Option<usize> {
    let at = i64::from(index as i32) + i64::from(offset);
    let last = i64::from(count) - 1;
    if (0..=last).contains(&at) {
        Some(at as usize)
    } else if rule == OutOfRange::Clamp && last >= 0 {
        Some(at.clamp(0, last) as usize)
    } else {
        None
    }
}

impl<W: Word, B: Bank<W>, const N: usize> Pack<'_, W, B, N> {
    /// The number of an invocation in the batch; those that complete a quad read what the last one reads.
    pub(super) fn place(&self, i: usize) -> usize {
        (self.first + i).min(self.batch.count.saturating_sub(1))
    }

    pub(super) fn load_input(&self, op: Op, args: &[Operand], out: &mut [[W; 4]]) {
        match op {
            Op::Input(id) => self.write_lanes(out, |i| self.input(id.index(), i)),
            Op::InputAt { first, at } => self.write_lanes(out, |i| {
                let chosen = out_of_run(at, self.word(args, 0, i));
                chosen.map_or([0; 4], |n| self.input(first.index() + n, i))
            }),
            Op::InputOf { first, at } => self.write_lanes(out, |i| {
                let chosen = at.map_or(Some(0), |at| out_of_run(at, self.word(args, 1, i)));
                let vertex = self.word(args, 0, i);
                match chosen {
                    Some(n) if vertex < self.plan.vertices_in => {
                        self.input_of(first.index() + n, self.primitive(i), vertex)
                    }
                    _ => [0; 4],
                }
            }),
            Op::Interpolate { input, site } => self.write_lanes(out, |i| {
                let argument = args.first().map_or([0; 4], |&arg| self.words(arg, i));
                let spot = match site {
                    Site::Center => Spot::Center,
                    Site::Centroid => Spot::Centroid,
                    Site::Sample => Spot::Sample(argument[0]),
                    Site::Offset => Spot::Offset([argument[0], argument[1]].map(f32::from_bits)),
                };
                let id = input.index();
                self.interpolated(id, i, Some(spot)).unwrap_or_else(|| self.input(id, i))
            }),
            _ => {}
        }
    }

    /// The primitive or patch of an invocation.
    fn primitive(&self, i: usize) -> usize {
        let place = self.place(i);
        let given = |list: Option<&u32>| list.map_or(0, |&n| n as usize);
        match self.shader.stage {
            Stage::TessControl | Stage::Geometry => place / self.shader.setup.invocations.max(1) as usize,
            Stage::TessEval => given(self.batch.primitives.get(place)),
            Stage::Fragment => given(self.batch.fragments.as_ref().and_then(|f| f.triangle.get(place))),
            Stage::Vertex | Stage::Compute => 0,
        }
    }

    /// Loads an input that the batch gives to each invocation of the pack; says whether it does.
    pub(super) fn load_given(&mut self, id: usize, out: ResultRows) -> bool {
        let batch = self.batch;
        let Some(input) = self.shader.inputs.get(id) else { return false };
        // Those that complete a quad read what the last invocation reads, whatever stands behind it.
        let all = batch.inputs.get(id).and_then(|list| list.get(..list.len().min(batch.count)));
        let given = all.and_then(|list| list.get(self.first..self.first + self.n));
        let Some(given) = given.filter(|_| !of_primitive(input, self.shader.stage)) else { return false };
        self.bank.load(out.rows(), given);
        true
    }

    /// An input of one invocation.
    pub(super) fn input(&self, id: usize, i: usize) -> [u32; 4] {
        let Some(input) = self.shader.inputs.get(id) else { return [0; 4] };
        let at = if of_primitive(input, self.shader.stage) { self.primitive(i) } else { self.place(i) };
        if let Some(bits) = self.batch.inputs.get(id).and_then(|list| list.get(at)) {
            return *bits;
        }
        let known = match input.kind {
            InputKind::System(system) => self.system(system, i),
            _ => self.interpolated(id, i, None),
        };
        known.unwrap_or_else(|| missing(input))
    }

    /// An input of a vertex of a primitive or patch.
    fn input_of(&self, id: usize, primitive: usize, vertex: u32) -> [u32; 4] {
        let Some(input) = self.shader.inputs.get(id) else { return [0; 4] };
        let at = primitive.saturating_mul(self.plan.vertices_in as usize) + vertex as usize;
        self.batch.inputs.get(id).and_then(|list| list.get(at)).copied().unwrap_or_else(|| missing(input))
    }

    /// A varying at a place in the pixel, by default the one it declares; `None` if the batch has no triangle for it.
    fn interpolated(&self, id: usize, i: usize, spot: Option<Spot>) -> Option<[u32; 4]> {
        let fragments = self.batch.fragments.as_ref()?;
        let input = self.shader.inputs.get(id)?;
        if !matches!(input.kind, InputKind::Varying { .. }) {
            return None;
        }
        let spot = spot.unwrap_or_else(|| Spot::declared(input.location, self.sample(i)));
        fragments.varying(self.place(i), id, input, spot)
    }

    /// The number of the sample that an invocation shades: 0 if the shader does not ask for it.
    fn sample(&self, i: usize) -> u32 {
        let kind = InputKind::System(System::SampleIndex);
        let at = self.shader.inputs.iter().position(|input| input.kind == kind);
        at.map_or(0, |id| self.input(id, i)[0])
    }

    /// A system value that follows from the batch.
    fn system(&self, system: System, i: usize) -> Option<[u32; 4]> {
        let place = self.place(i);
        let setup = &self.shader.setup;
        let plan = &self.plan;
        let [x, y, z] = plan.workgroup;
        let size = (x * y * z).max(1) as usize;
        let one = |n: usize| Some([n as u32, 0, 0, 0]);
        let three = |[x, y, z]: [u32; 3]| Some([x, y, z, 0]);
        let split = |n: u32, [x, y, _]: [u32; 3]| {
            let (x, y) = (x.max(1), y.max(1));
            [n % x, n / x % y, n / x / y]
        };
        match system {
            System::PrimitiveIndex => one(self.primitive(i)),
            System::InvocationIndex => one(place % setup.invocations.max(1) as usize),
            System::VerticesIn => one(plan.vertices_in as usize),
            System::LocalIndex => three(split((place % size) as u32, plan.workgroup)),
            System::GroupIndex => three(split((place / size) as u32, plan.grid)),
            System::GroupSize => three(plan.workgroup),
            System::GridSize => three(plan.grid),
            System::GridAxes => {
                one((1..3).rev().find(|&axis| plan.grid[axis] > 1).map_or(1, |axis| axis + 1))
            }
            System::SubgroupSize => one(plan.subgroup),
            System::SubgroupIndex => {
                let of_group = match self.shader.stage {
                    Stage::Compute => place % size,
                    Stage::TessControl => place % setup.invocations.max(1) as usize,
                    // Here too an invocation that completes a quad has a number of its own.
                    _ => self.first + i,
                };
                one(of_group % plan.subgroup)
            }
            System::FragCoord => self.batch.fragments.as_ref().and_then(|f| f.frag_coord(place)),
            System::SamplePosition => {
                let fragments = self.batch.fragments.as_ref()?;
                let [x, y] = fragments.sample_position(self.sample(i));
                Some([x.to_bits(), y.to_bits(), 0, 0])
            }
            _ => None,
        }
    }
}

/// Whether there is one such input for each primitive or patch, and not for each invocation.
pub(crate) fn of_primitive(input: &Input, stage: Stage) -> bool {
    match input.kind {
        InputKind::PatchVarying { .. } => true,
        InputKind::System(System::PrimitiveIndex) => stage != Stage::Fragment,
        InputKind::System(
            System::TessOuter | System::TessInner | System::TessDefaultOuter | System::TessDefaultInner,
        ) => true,
        _ => false,
    }
}

/// What an input reads that the batch does not give.
fn missing(input: &Input) -> [u32; 4] {
    [0, 0, 0, if input.ty.scalar == Scalar::F32 { 1.0f32.to_bits() } else { 0 }]
}
