//! What a shader declares.

use super::{Verifier, rules, type_name};
use crate::ir::steps::Cell;
use crate::ir::{
    BufferKind, Dim, Filter, Input, InputKind, Interpolation, LocalArray, Mip, Output, ParamArray, Primitive,
    Scalar, Setup, Stage, Texture, Type,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// For each entry of a table, where the run of entries of its type and shape ends; made when first asked for.
type Ends = Option<Vec<u32>>;

/// See [`Ends`].
#[derive(Default)]
pub(super) struct Runs {
    pub(super) inputs: Ends,
    pub(super) outputs: Ends,
    pub(super) textures: Ends,
    pub(super) buffers: Ends,
    pub(super) images: Ends,
}

impl Runs {
    /// Where the run ends that starts at `first`. `same` says whether two entries may stand in one run.
    pub(super) fn end<T>(ends: &mut Ends, table: &[T], first: usize, same: impl Fn(&T, &T) -> bool) -> u32 {
        let ends = ends.get_or_insert_with(|| {
            let mut ends = Vec::with_capacity(table.len());
            for (i, entry) in table.iter().enumerate() {
                if table.get(i + 1).is_none_or(|next| !same(entry, next)) {
                    ends.resize(i + 1, (i + 1) as u32);
                }
            }
            ends
        });
        ends.get(first).copied().unwrap_or_default()
    }
}

/// Whether lanes of a cell, an input or texels may be of that type: numbers of 32 bits.
const fn plain(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F32 | Scalar::I32 | Scalar::U32)
}

/// Whether an input is one for each vertex of a primitive or patch.
pub(super) fn per_vertex(stage: Stage, input: &Input) -> bool {
    stage.has_vertices() && matches!(input.kind, InputKind::Varying { .. })
}

/// The positions of entries with a key that stands before them already, in ascending order.
fn repeated<T, K: PartialEq + Ord>(table: &[T], key: impl Fn(&T) -> K) -> Vec<usize> {
    // Tables are short as a rule.
    if table.len() <= 8 {
        let twice = |i: &usize| table[..*i].iter().any(|other| key(other) == key(&table[*i]));
        return (0..table.len()).filter(twice).collect();
    }
    let mut order: Vec<(K, usize)> = table.iter().enumerate().map(|(i, entry)| (key(entry), i)).collect();
    order.sort_unstable();
    let mut twice: Vec<usize> =
        order.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
    twice.sort_unstable();
    twice
}

impl<'a> Verifier<'a> {
    pub(super) fn tables(&mut self) {
        self.values();
        self.inputs();
        self.outputs();
        self.arrays();
        self.states();
        self.textures();
        self.resources();
        self.setup();
        self.steps();
    }

    fn names<T>(&mut self, what: &str, table: &'a [T], name: impl Fn(&'a T) -> &'a str) {
        for at in repeated_names(table, &name) {
            self.breach(rules::NAME_TWICE, format!("two {what}s are called {}", name(&table[at])));
        }
    }

    fn values(&mut self) {
        let shader = self.shader;
        for (i, value) in shader.values.iter().enumerate() {
            if !(1..=4).contains(&value.ty.lanes) {
                let message = format!("%{i} has {} lanes, not 1 to 4", value.ty.lanes);
                self.breach(rules::VALUE_LANES, message);
            }
            if let Some(home) = value.home {
                if usize::from(home.file) >= shader.files.len() {
                    let message = format!("the home of %{i} is in register file {}", home.file);
                    self.breach(rules::HOME_FILE, format!("{message}, of {}", shader.files.len()));
                }
            }
        }
    }

    fn inputs(&mut self) {
        let (shader, stage) = (self.shader, self.shader.stage);
        for input in &shader.inputs {
            let (name, ty) = (&input.name, input.ty);
            let fits = match input.kind {
                InputKind::Attribute { .. } => stage == Stage::Vertex,
                InputKind::Varying { .. } => !matches!(stage, Stage::Vertex | Stage::Compute),
                InputKind::PatchVarying { .. } => stage == Stage::TessEval,
                InputKind::System(system) => system.exists_in(stage),
            };
            if !fits {
                let (kind, stage) = (kind_name(input.kind.name(), input.kind.number()), stage.name());
                let message = format!("input {name} is {kind}, which the {stage} stage does not have");
                self.breach(rules::INPUT_STAGE, message);
            }
            let wrong = match input.kind {
                InputKind::System(system) if ty != system.ty() => {
                    Some(format!("as {} is {}", system.name(), type_name(system.ty())))
                }
                InputKind::System(_) => None,
                _ if !plain(ty.scalar) => Some("where f32, i32 or u32 is expected".into()),
                _ if !(1..=4).contains(&ty.lanes) => Some("where 1 to 4 lanes are expected".into()),
                _ => None,
            };
            if let Some(wrong) = wrong {
                self.breach(rules::INPUT_TYPE, format!("input {name} is {} {wrong}", type_name(ty)));
            }
            let varying = stage == Stage::Fragment && matches!(input.kind, InputKind::Varying { .. });
            let (interpolation, location) = (input.interpolation, input.location);
            if varying && ty.scalar != Scalar::F32 && interpolation != Interpolation::Flat {
                let (ty, how) = (type_name(ty), interpolation.name());
                let message = format!("input {name} is {ty} and {how}, but only f32 is interpolated");
                self.breach(rules::INPUT_INTERPOLATION, message);
            } else if !varying && (interpolation, location) != Default::default() {
                let message =
                    format!("input {name} is interpolated, but is not a varying of a fragment shader");
                self.breach(rules::INPUT_INTERPOLATION, message);
            }
        }
        self.names("input", &shader.inputs, |input| &input.name);
        for at in repeated(&shader.inputs, |input| (input.kind.name(), input.kind.number())) {
            let kind = shader.inputs[at].kind;
            let message = format!("two inputs are {}", kind_name(kind.name(), kind.number()));
            self.breach(rules::INPUT_TWICE, message);
        }
    }

    fn outputs(&mut self) {
        let (shader, stage) = (self.shader, self.shader.stage);
        for output in &shader.outputs {
            let (name, scalar) = (&output.name, output.scalar);
            let kind = || kind_name(output.kind.name(), output.kind.number());
            if !output.kind.exists_in(stage) {
                let stage = stage.name();
                let message = format!("output {name} is {}, which the {stage} stage does not have", kind());
                self.breach(rules::OUTPUT_STAGE, message);
            }
            if !plain(scalar) || !output.kind.holds(scalar) {
                let message = format!("output {name} is {}, which is not of {}", kind(), scalar.name());
                self.breach(rules::OUTPUT_TYPE, message);
            }
            self.streams(output);
            if output.carried && !shader.serial {
                let message = format!("output {name} is carried, but the shader is not serial");
                self.breach(rules::OUTPUT_CARRIED, message);
            }
        }
        self.names("output", &shader.outputs, |output| &output.name);
        for at in repeated(&shader.outputs, |output| (output.kind.name(), output.kind.number())) {
            let kind = shader.outputs[at].kind;
            let message = format!("two outputs are {}", kind_name(kind.name(), kind.number()));
            self.breach(rules::OUTPUT_TWICE, message);
        }
        if shader.serial && matches!(stage, Stage::Fragment | Stage::TessControl | Stage::Compute) {
            let message =
                format!("a serial shader of the {} stage, whose invocations run in groups", stage.name());
            self.breach(rules::SERIAL_STAGE, message);
        }
    }

    fn streams(&mut self, output: &Output) {
        let most = if self.shader.stage == Stage::Geometry { 3 } else { 0 };
        let every = |stream| stream == Output::EVERY_STREAM && self.shader.stage == Stage::Geometry;
        if let Some(stream) = output.streams.iter().find(|&&stream| stream > most && !every(stream)) {
            let stage = self.shader.stage.name();
            let message =
                format!("output {} goes to stream {stream}; the {stage} stage has 0 to {most}", output.name);
            self.breach(rules::OUTPUT_STREAM, message);
        }
    }

    fn arrays(&mut self) {
        let shader = self.shader;
        for param in &shader.params {
            let name = &param.name;
            if param.scalar.is_wide() {
                let message =
                    format!("parameter array {name} is of {}, which has 64 bits", param.scalar.name());
                self.breach(rules::PARAM_TYPE, message);
            }
            if param.size > ParamArray::MAX_SIZE {
                let message = format!("parameter array {name} has {} elements", param.size);
                self.breach(rules::PARAM_SIZE, format!("{message}, not at most {}", ParamArray::MAX_SIZE));
            }
            if param.used > param.size {
                let message = format!("parameter array {name} uses {} elements", param.used);
                self.breach(rules::PARAM_USED, format!("{message} of {}", param.size));
            }
            let mut next = 0;
            for (element, bits) in &param.fixed {
                let odd = param.scalar == Scalar::Bool && bits.iter().any(|&lane| lane > 1);
                if *element < next || *element >= param.size || odd {
                    let message = format!("parameter array {name} says element {element}");
                    self.breach(rules::PARAM_FIXED, message);
                }
                next = element.saturating_add(1);
            }
        }
        self.names("parameter array", &shader.params, |param| &param.name);
        for local in &shader.locals {
            let name = &local.name;
            if !plain(local.scalar) {
                let scalar = local.scalar.name();
                let message = format!("local array {name} is of {scalar} where f32, i32 or u32 is expected");
                self.breach(rules::LOCAL_TYPE, message);
            }
            if !(1..=LocalArray::MAX_SIZE).contains(&local.size) {
                let message = format!("local array {name} has {} cells", local.size);
                self.breach(rules::LOCAL_SIZE, format!("{message}, not 1 to {}", LocalArray::MAX_SIZE));
            }
        }
        self.names("local array", &shader.locals, |local| &local.name);
    }

    fn states(&mut self) {
        let shader = self.shader;
        for state in &shader.states {
            let (name, ty) = (&state.name, state.ty);
            if ty.scalar.is_wide() || !(1..=4).contains(&ty.lanes) {
                let message = format!("state {name} is {}, not 1 to 4 lanes of 32 bits", type_name(ty));
                self.breach(rules::STATE_TYPE, message);
            }
            let beyond = state.default.iter().skip(usize::from(ty.lanes)).any(|&bits| bits != 0);
            if beyond || ty.scalar == Scalar::Bool && state.default.iter().any(|&bits| bits > 1) {
                let message = format!("the default of state {name} is not a value of {}", type_name(ty));
                self.breach(rules::STATE_DEFAULT, message);
            }
        }
        self.names("state", &shader.states, |state| &state.name);
    }

    fn textures(&mut self) {
        let shader = self.shader;
        for texture in &shader.textures {
            let (name, scalar) = (&texture.name, texture.scalar);
            if !plain(scalar) {
                let message = format!(
                    "texture {name} has texels of {} where f32, i32 or u32 is expected",
                    scalar.name()
                );
                self.breach(rules::TEXTURE_TYPE, message);
            }
            let sampled = is_sampled(texture.dim);
            if texture.compare && (scalar != Scalar::F32 || !sampled || texture.dim == Dim::D3) {
                let message =
                    format!("texture {name} is {} of {} and compared", texture.dim.name(), scalar.name());
                self.breach(rules::TEXTURE_COMPARE, message);
            }
            self.sampler(texture, sampled);
            if let Some(by) = texture.dim_by {
                match shader.states.get(by.index()) {
                    None => {
                        let message = format!("the dimension of texture {name} is state {}", by.0);
                        self.breach(rules::TEXTURE_DIM_BY, format!("{message}, which does not exist"));
                    }
                    Some(state) if state.ty != Type::U32 => {
                        let message = format!("the dimension of texture {name} is state {}", state.name);
                        let ty = type_name(state.ty);
                        self.breach(rules::TEXTURE_DIM_BY, format!("{message}, which is {ty}, not u32"));
                    }
                    Some(_) => {}
                }
                if !matches!(texture.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube) {
                    let message = format!("the dimension of texture {name} is a state, but may be");
                    self.breach(rules::TEXTURE_DIM_BY, format!("{message} {}", texture.dim.name()));
                }
            }
        }
        self.names("texture", &shader.textures, |texture| &texture.name);
    }

    fn sampler(&mut self, texture: &Texture, sampled: bool) {
        let Some(sampler) = texture.sampler else { return };
        let name = &texture.name;
        if sampler.compare.is_some() && !texture.compare {
            let message = format!("texture {name} is not compared, but its sampler compares");
            self.breach(rules::TEXTURE_COMPARE, message);
        }
        if !sampled {
            let message = format!("texture {name} is {} and has a sampler", texture.dim.name());
            self.breach(rules::TEXTURE_SAMPLER, message);
        }
        let linear = [sampler.mag, sampler.min].contains(&Filter::Linear) || sampler.mip == Mip::Linear;
        if linear && texture.scalar != Scalar::F32 {
            let message = format!("texture {name} has texels of {} and is filtered", texture.scalar.name());
            self.breach(rules::TEXTURE_SAMPLER, message);
        }
        if !(1..=16).contains(&sampler.anisotropy) {
            let message = format!("texture {name} has anisotropy {}, not 1 to 16", sampler.anisotropy);
            self.breach(rules::TEXTURE_SAMPLER, message);
        }
    }

    fn resources(&mut self) {
        let shader = self.shader;
        for buffer in &shader.buffers {
            if buffer.kind == BufferKind::Uniform && buffer.write {
                let message = format!("buffer {} is uniform, but may be written", buffer.name);
                self.breach(rules::BUFFER_WRITE, message);
            }
        }
        self.names("buffer", &shader.buffers, |buffer| &buffer.name);
        for at in repeated(&shader.buffers, |buffer| (buffer.kind.name(), buffer.slot)) {
            let buffer = &shader.buffers[at];
            self.breach(rules::SLOT_TWICE, format!("buffer {} has the slot of another one", buffer.name));
        }
        self.names("image", &shader.images, |image| &image.name);
        for at in repeated(&shader.images, |image| image.slot) {
            let image = &shader.images[at];
            self.breach(rules::SLOT_TWICE, format!("image {} has the slot of another one", image.name));
        }
    }

    fn setup(&mut self) {
        use Stage::{Compute, Fragment, Geometry, TessControl, TessEval};
        let (setup, stage, usual) = (self.shader.setup, self.shader.stage, Setup::default());
        let patch = matches!(stage, TessControl | TessEval);
        for (word, used, same) in [
            ("workgroup", stage == Compute, setup.workgroup == usual.workgroup),
            ("fours", stage == Compute, setup.fours == usual.fours),
            ("shared", stage == Compute, setup.shared == usual.shared),
            ("vertices-in", stage.has_vertices(), setup.vertices_in == usual.vertices_in),
            ("invocations", matches!(stage, TessControl | Geometry), setup.invocations == usual.invocations),
            ("primitive-in", matches!(stage, TessEval | Geometry), setup.primitive_in == usual.primitive_in),
            ("primitive-out", stage == Geometry, setup.primitive_out == usual.primitive_out),
            ("max-vertices", stage == Geometry, setup.max_vertices == usual.max_vertices),
            ("primitive-limit", stage == Geometry, setup.primitive_limit == usual.primitive_limit),
            ("one-sequence", stage == Geometry, setup.one_sequence == usual.one_sequence),
            ("spacing", stage == TessEval, setup.spacing == usual.spacing),
            ("clockwise", stage == TessEval, setup.clockwise == usual.clockwise),
            ("points", stage == TessEval, setup.points == usual.points),
            ("early-tests", stage == Fragment, setup.early_tests == usual.early_tests),
        ] {
            if !used && !same {
                let message = format!("the {} stage has no {word}", stage.name());
                self.breach(rules::SETUP_UNUSED, message);
            }
        }
        let size = setup.workgroup.iter().fold(1u64, |n, &axis| n.saturating_mul(u64::from(axis.max(1))));
        if stage == Compute && size > 1024 {
            let [x, y, z] = setup.workgroup;
            let message = format!("a workgroup of {x} x {y} x {z} has more than 1024 invocations");
            self.breach(rules::SETUP_WORKGROUP, message);
        }
        if stage == Compute && setup.shared > 65_536 {
            let message = format!("a workgroup shares {} bytes, not at most 65536", setup.shared);
            self.breach(rules::SETUP_SHARED, message);
        }
        if matches!(stage, TessControl | Geometry) && !(1..=32).contains(&setup.invocations) {
            let message = format!("{} invocations, not 1 to 32", setup.invocations);
            self.breach(rules::SETUP_INVOCATIONS, message);
        }
        if patch && setup.vertices_in > 32 {
            let message = format!("a patch of {} vertices, not 1 to 32", setup.vertices_in);
            self.breach(rules::SETUP_VERTICES, message);
        }
        if stage == TessEval {
            use Primitive::{Lines, Quads, Triangles};
            self.primitive("a patch is of", setup.primitive_in, &[Lines, Triangles, Quads]);
        }
        if stage == Geometry {
            use Primitive::{LineStrip, Points, TriangleStrip};
            let takes: Vec<Primitive> =
                Primitive::ALL.iter().copied().filter(|&p| vertices(p).is_some()).collect();
            self.primitive("the geometry stage takes", setup.primitive_in, &takes);
            self.primitive(
                "the geometry stage gives",
                setup.primitive_out,
                &[Points, LineStrip, TriangleStrip],
            );
            if let Some((least, most)) = vertices(setup.primitive_in) {
                if !(least..=most).contains(&setup.vertices_in) {
                    let (word, n) = (setup.primitive_in.name(), setup.vertices_in);
                    let wanted =
                        if least == most { format!("{least}") } else { format!("{least} to {most}") };
                    let message = format!("{word} of {n} vertices, not {wanted}");
                    self.breach(rules::SETUP_VERTICES, message);
                }
            }
            if setup.max_vertices > 1024 {
                let message = format!("{} vertices, not at most 1024", setup.max_vertices);
                self.breach(rules::SETUP_MAX_VERTICES, message);
            }
        }
    }

    fn primitive(&mut self, what: &str, given: Primitive, wanted: &[Primitive]) {
        if !wanted.contains(&given) {
            let words: Vec<&str> = wanted.iter().map(|p| p.name()).collect();
            let message = format!("{what} {} where {} is expected", given.name(), words.join(" or "));
            self.breach(rules::SETUP_PRIMITIVE, message);
        }
    }

    fn steps(&mut self) {
        let shader = self.shader;
        for (i, step) in shader.steps.iter().enumerate() {
            for access in step.accesses() {
                let exists = match access.cell {
                    Cell::Register(home) => usize::from(home.file) < shader.files.len(),
                    Cell::Output(id) => id.index() < shader.outputs.len(),
                    Cell::Param(id, index) => {
                        shader.params.get(id.index()).is_some_and(|param| index < param.size)
                    }
                    Cell::ParamAt(id, _) => id.index() < shader.params.len(),
                    Cell::Local(id, index) => {
                        shader.locals.get(id.index()).is_some_and(|local| index < local.size)
                    }
                    Cell::LocalAt(id, _) => id.index() < shader.locals.len(),
                    Cell::InputAt(id, _) => id.index() < shader.inputs.len(),
                    Cell::OutputAt(id, _) => id.index() < shader.outputs.len(),
                    Cell::State(id) => id.index() < shader.states.len(),
                };
                if !exists {
                    let message = format!("step {i} accesses {}", shader.cell_name(access.cell));
                    self.breach(rules::STEP_ACCESS, format!("{message}, which does not exist"));
                }
                if access.mask.bits() == 0 {
                    let message = format!("step {i} accesses no lane of {}", shader.cell_name(access.cell));
                    self.breach(rules::STEP_ACCESS, message);
                }
            }
        }
    }
}

fn repeated_names<'a, T>(table: &'a [T], name: impl Fn(&'a T) -> &'a str) -> Vec<usize> {
    let names: Vec<&str> = table.iter().map(name).collect();
    repeated(&names, |name| *name)
}

/// The least and the largest number of vertices of a primitive that a geometry shader takes; `None` if it takes none
/// of them.
const fn vertices(primitive: Primitive) -> Option<(u32, u32)> {
    match primitive {
        Primitive::Points => Some((1, 1)),
        Primitive::Lines => Some((2, 2)),
        Primitive::LinesAdjacency => Some((4, 4)),
        Primitive::Triangles => Some((3, 3)),
        Primitive::TrianglesAdjacency => Some((6, 6)),
        Primitive::Patches => Some((1, 32)),
        Primitive::LineStrip | Primitive::TriangleStrip | Primitive::Quads => None,
    }
}

/// Whether textures of that shape are read through a sampler, and not only fetched from.
pub(super) const fn is_sampled(dim: Dim) -> bool {
    !dim.multisampled() && !matches!(dim, Dim::Buffer)
}

/// A kind of input or output with its number.
fn kind_name(name: &str, number: Option<u32>) -> String {
    match number {
        Some(number) => format!("{name} {number}"),
        None => name.into(),
    }
}
