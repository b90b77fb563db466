//! WGSL, the shading language of WebGPU.
//!
//! [`write()`] gives a module with one entry point, [`write_pair`] one with a vertex and a fragment entry point and
//! the varyings between them. The text is meant to be read: registers give the names, what is used once stands where
//! it is used, and every name is assigned once where that is possible.
//!
//! # What the host binds
//!
//! By default the vertex and the compute stage use `@group(0)` and the fragment stage `@group(1)`. Inside a group:
//!
//! | binding | what | type |
//! |---|---|---|
//! | 0 + number of the array | the constants | `var<uniform> vc: array<vec4f, n>`; bools are u32 |
//! | 16 + slot | a texture | `texture_2d<f32>`, `texture_cube<f32>`, `texture_3d<f32>` |
//! | 48 + slot | its sampler | `sampler`, `sampler_comparison` |
//! | 80 | the state values | `var<uniform> state: FragmentState`: one field of 16 bytes each, in the order of the table |
//! | 96 + slot | a buffer | `var<storage, read_write> b: array<u32>` |
//!
//! Constants that the program's own table names are fields of those names instead, which fill the same bytes, unless the array is
//! read by a computed index or [`Options::register_names`] says otherwise; [`Output::constants`] lists them.
//!
//! Entry points are called `vertex_main` and `fragment_main` in a pair and `main` alone. Arrays have as many
//! elements as the program reads, or all that the source profile allows if it reads them by a computed index.
//! Attributes and varyings have the locations of their registers; WebGPU fills missing components of an attribute
//! from (0, 0, 0, 1). All of it can be chosen in [`Options`], and [`Output::bindings`] tells what was chosen. The
//! sampler state that the program asks for stands there too, and in a comment: it is the host that sets it. Without
//! mip levels that is `lodMaxClamp: 0`.
//!
//! # What a GPU may do otherwise
//!
//! The text says what the IR says, operation by operation. WGSL leaves an implementation free to fuse and
//! reassociate arithmetic, to flush denormals, to assume that no NaN and no infinity occurs (so that `min`, `max`,
//! `saturate` and comparisons with NaN are open), to compute `exp2`, `log2`, `sin`, `cos`, `inverseSqrt` and
//! division with an error. `pow` of a base that cannot be negative is the
//! `pow` of WGSL, which is open at `pow(0, 0)`; other bases go through a function that follows IEEE 754. A loop has no
//! fuel. `i32` of NaN is 0 as the IR has it, but where the number is only an index that is clamped, or the layer of a
//! texture. Invocations run side by side: what one writes to a buffer or to the memory of its workgroup, the others
//! see behind a barrier only. `fma` may round twice. The half of a float is the nearest one on most GPUs, but any
//! neighbour is allowed.
//!
//! # Exact shaders
//!
//! [`StageOptions::exact`] rewrites a stage [in integers alone](vecasm_opt::exact()) before it is written, or refuses it
//! (`WGSL-exact`): what the NV2A computes can be written so, what is IEEE arithmetic or reads a texture cannot.
//!
//! * Attributes are `vec4u` with the bits of what would be f32: the host binds `uint32x4`. What an attribute lacks is
//!   filled from the integers (0, 0, 0, 1), so all four lanes should be given.
//! * Constants are `array<vec4u, n>`: the same bytes as before.
//! * Outputs for the rasterizer are f32: `bitcast` at the end is the only place where a pattern becomes one. There a
//!   GPU may still flush a denormal or change a NaN. Whoever wants the bits themselves takes
//!   [`dispatch`](vecasm_opt::dispatch()) first: the outputs are u32 in a buffer then.
//!
//! # Integers
//!
//! What WGSL leaves open or says otherwise about integers (division by zero, shifts and bit fields, conversions) is
//! written so that it gives what the IR says; where that takes more than an operator, a function does it. 64-bit integers
//! and doubles, which WGSL has not, are pairs of words and functions on them, which compute with integers alone: every result is
//! bit for bit that of the interpreter. Whatever
//! cannot be said is refused: [`RULES`] lists the reasons.
//!
//! # Uniformity
//!
//! WGSL refuses implicit texture reads and derivatives where control flow may have diverged. [`flatten`] has made
//! straight code of them before the writer sees them; what it leaves (inside blocks and loops) is written under
//! `diagnostic(off, derivative_uniformity);`.

mod images;
mod interface;
mod language;
mod memory;
mod rules;
mod textures;
pub(super) mod words;

pub use super::options::{
    ArraySize, Binding, BindingKind, BindingPoint, Constant, Space, StageOptions, Style,
};
pub use rules::RULES;

use super::common::Names;
use super::flatten::flatten;
use super::naming::Naming;
use super::plan::Plan;
use super::products::{STATEMENT, simpler};
use super::shapes::{shaped, tell_shapes};
use super::splice::{MAX_DEPTH, brackets};
use super::text::helpers::Helpers;
use super::text::{Body, Results, WideScalars};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use interface::{Interface, push_slot, type_name};
use language::Wgsl;
use rules::refused;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::verify::sound;
use vecasm_ir::ir::{Input, InputKind, Op, OutputKind, Primitive, Shader, Stage, System};
use vecasm_opt::{exact, retype_for};

/// What becomes of varyings that the vertex shader of a pair writes and the fragment shader does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum UnreadVaryings {
    /// They are left out, with all that only they need.
    #[default]
    Drop,
    /// They are kept.
    Keep,
}

impl UnreadVaryings {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Drop, Self::Keep];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Keep => "keep",
        }
    }
}

vecasm_ir::spelled!(UnreadVaryings, "treatment of varyings");

/// The choices of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Of a vertex shader.
    pub vertex: StageOptions<'a>,
    /// Of a fragment shader.
    pub fragment: StageOptions<'a>,
    /// Of a compute shader.
    pub compute: StageOptions<'a>,
    /// How long constant arrays are.
    pub array_size: ArraySize,
    /// Where constants live.
    pub space: Space,
    /// What becomes of varyings nobody reads; only for [`write_pair`].
    pub unread: UnreadVaryings,
    /// Whether colours are those of the first vertex, as a pipeline that shades flat has them; it concerns inputs of
    /// [`Interpolation::Color`](vecasm_ir::ir::Interpolation).
    pub flat_colors: bool,
    /// One statement for an instruction, or expressions.
    pub style: Style,
    /// New names for registers: `("va0", "position")`. Names apply to inputs, outputs, constants, textures (the
    /// sampler is called `NAME_sampler`) and temporaries alike. A name that is taken or a word of the language gets
    /// a number.
    pub names: &'a [(&'a str, &'a str)],
    /// Whether constants and textures keep the names of their registers where the program's own table names them.
    pub register_names: bool,
    /// Whether products under [`Rule::ZeroWins`](vecasm_ir::ir::Rule::ZeroWins) give +0 for a zero factor also where the other one is
    /// finite, so that only the sign of the zero depends on it. No target promises the sign of a zero.
    pub signed_zeros: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            vertex: StageOptions::with_group(0),
            fragment: StageOptions::with_group(1),
            compute: StageOptions::with_group(0),
            array_size: ArraySize::Used,
            space: Space::Uniform,
            unread: UnreadVaryings::Drop,
            style: Style::Folded,
            flat_colors: false,
            names: &[],
            register_names: false,
            signed_zeros: false,
        }
    }
}

impl<'a> Options<'a> {
    /// What constants and textures are called.
    const fn naming(&self) -> Naming<'a> {
        Naming { chosen: self.names, registers: self.register_names }
    }

    /// The choices of a stage.
    fn stage(&self, stage: Stage) -> &StageOptions<'a> {
        match stage {
            Stage::Vertex => &self.vertex,
            Stage::Compute => &self.compute,
            _ => &self.fragment,
        }
    }
}

/// A written module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub source: String,
    /// Its entry points: the stage of each, and the name, which has a number at its end where the wanted one is taken or a word
    /// of the language.
    pub entries: Vec<(Stage, String)>,
    /// What it reads, in the order of declaration. What the program does not need is not declared.
    pub bindings: Vec<Binding>,
    /// The constants that the program's own table names, and those with declarations of their own.
    pub constants: Vec<Constant>,
}

/// Writes a module with one entry point.
///
/// The shader comes from `lift`, with `LiftOptions::for_gpus`;
/// in between are `link` and [`retype_for`] for the stages of a pipeline, and
/// [`settle`](vecasm_opt::settle) for all.
///
/// # Errors
///
/// One diagnostic, of one of the [`RULES`]; or [`UNSOUND`](vecasm_ir::ir::verify::UNSOUND).
pub fn write(shader: &Shader, options: &Options<'_>) -> Result<Output, Diagnostic> {
    sound(shader)?;
    let asked = shader;
    let stripped = plain(shader, options)?;
    let shader = stripped.as_ref().unwrap_or(shader);
    let shaped = shaped(shader, |texture, used| textures::stands_in(texture, used, shader.stage));
    let shader = shaped.as_ref().unwrap_or(shader);
    let flat = flatten(shader);
    let shader = flat.shader.as_ref().unwrap_or(shader);
    let plan = Plan::new(shader, |_| true, MAX_DEPTH, options.style, false);
    let mut module = Module::new(options, shader.values.len(), flat.divergent)?;
    let entry = module.name(options.stage(shader.stage).entry.unwrap_or("main"))?;
    let mut interface = Interface::alone(&mut module, shader, &plan)?;
    module.declare(&interface, shader);
    module.function(shader, plan, &mut interface, entry)?;
    module.finish(&[asked])
}

/// Checks a shader as a whole. Gives it without its step table and brackets, if it has any: what an instruction read
/// is no reason to compute it. Gives it in integers, if that is wanted.
fn plain(shader: &Shader, options: &Options<'_>) -> Result<Option<Shader>, Diagnostic> {
    let idioms = check(shader)?;
    if options.stage(shader.stage).exact {
        return exact(shader).map(Some).map_err(|what| {
            let stage = shader.stage.name();
            refused(rules::EXACT, format!("the {stage} shader cannot be translated exactly: {what}"))
        });
    }
    let stripped = super::splice::plain(shader, idioms);
    let plain = simpler(stripped.as_ref().unwrap_or(shader), false, options.signed_zeros, STATEMENT);
    Ok(plain.or(stripped))
}

/// The finding `WGSL-compute` for what [`dispatch`](vecasm_opt::dispatch()) says of a shader.
pub fn no_compute(why: &str) -> Diagnostic {
    refused(rules::COMPUTE, format!("the shader cannot be written as a compute shader: {why}"))
}

/// Writes a module with two entry points. The varyings are matched by location; of one that the stages hold as different
/// types, the vertex shader hands on the bits.
///
/// # Errors
///
/// As [`write()`]; and `WGSL-pair` if the shaders are not a vertex and a fragment shader, `WGSL-varying` if the
/// fragment shader reads a varying that the vertex shader never writes.
pub fn write_pair(vertex: &Shader, fragment: &Shader, options: &Options<'_>) -> Result<Output, Diagnostic> {
    if vertex.stage != Stage::Vertex || fragment.stage != Stage::Fragment {
        return Err(refused(rules::PAIR, "a pair is a vertex shader and a fragment shader, in this order"));
    }
    sound(vertex)?;
    sound(fragment)?;
    let asked = [vertex, fragment];
    let stripped = (plain(vertex, options)?, plain(fragment, options)?);
    let vertex = stripped.0.as_ref().unwrap_or(vertex);
    let fragment = stripped.1.as_ref().unwrap_or(fragment);
    let reshaped = [vertex, fragment]
        .map(|shader| shaped(shader, |texture, used| textures::stands_in(texture, used, shader.stage)));
    let vertex = reshaped[0].as_ref().unwrap_or(vertex);
    let fragment = reshaped[1].as_ref().unwrap_or(fragment);
    let flat = flatten(fragment);
    let fragment = flat.shader.as_ref().unwrap_or(fragment);
    let fragment_plan = Plan::new(fragment, |_| true, MAX_DEPTH, options.style, false);
    let retyped = retype_for(vertex, fragment);
    let vertex = retyped.as_ref().unwrap_or(vertex);
    let reads = |location: u32| {
        fragment.inputs.iter().zip(fragment_plan.inputs()).any(|(input, read)| {
            *read && matches!(input.kind, InputKind::Varying { location: l } if l == location)
        })
    };
    let vertex_plan = Plan::new(
        vertex,
        |id| match vertex.outputs.get(id.index()).map(|o| o.kind) {
            Some(OutputKind::Varying { location }) => {
                options.unread == UnreadVaryings::Keep || reads(location)
            }
            _ => true,
        },
        MAX_DEPTH,
        options.style,
        false,
    );
    let unwritten = fragment.inputs.iter().zip(fragment_plan.inputs()).filter_map(|(input, read)| {
        let InputKind::Varying { location } = input.kind else { return None };
        let written = vertex.outputs.iter().any(|o| o.kind == OutputKind::Varying { location });
        (*read && !written).then_some(input.name.as_str())
    });
    let unwritten: Vec<&str> = unwritten.collect();
    if !unwritten.is_empty() {
        let all = unwritten.join(", ");
        let what = format!("the fragment shader reads {all}, which the vertex shader never writes");
        return Err(refused(rules::VARYING, what));
    }
    let mut module = Module::new(options, vertex.values.len() + fragment.values.len(), flat.divergent)?;
    let vertex_entry = module.name(options.vertex.entry.unwrap_or("vertex_main"))?;
    let fragment_entry = module.name(options.fragment.entry.unwrap_or("fragment_main"))?;
    let (mut first, mut second) =
        Interface::pair(&mut module, (vertex, &vertex_plan), (fragment, &fragment_plan))?;
    module.declare(&first, vertex);
    module.function(vertex, vertex_plan, &mut first, vertex_entry)?;
    module.declare(&second, fragment);
    module.function(fragment, fragment_plan, &mut second, fragment_entry)?;
    module.finish(&asked)
}

/// Refuses what WGSL cannot say of a shader as a whole. Tells whether there are brackets in it. What concerns an
/// input, an output, a resource or an operation is refused where it would be written.
fn check(shader: &Shader) -> Result<bool, Diagnostic> {
    if !matches!(shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
        let what = format!("WGSL has no {} shaders{}", shader.stage.name(), without(shader));
        return Err(refused(rules::STAGE, what));
    }
    if shader.serial {
        return Err(super::rules::serial(rules::SERIAL, shader));
    }
    if shader.setup.byte_offsets {
        return Err(refused(rules::OP, "memory is addressed by bytes, but WGSL has words"));
    }
    if shader.stage == Stage::Compute && shader.setup.workgroup.contains(&0) {
        return Err(refused(rules::WORKGROUP, "the size of the workgroup is left to the dispatch"));
    }
    brackets(&shader.body, MAX_DEPTH)
        .ok_or_else(|| refused(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep")))
}

/// A module being written.
struct Module<'a> {
    options: &'a Options<'a>,
    out: String,
    names: Names,
    entries: Vec<(Stage, String)>,
    bindings: Vec<Binding>,
    constants: Vec<Constant>,
    helpers: Helpers,
}

impl<'a> Module<'a> {
    fn new(options: &'a Options<'a>, values: usize, divergent: bool) -> Result<Self, Diagnostic> {
        for (_, name) in options.names {
            if !super::common::is_identifier(name) {
                return Err(refused(rules::NAME, super::common::no_name(name)));
            }
        }
        let mut out = String::with_capacity(512 + values.min(1 << 16) * 40);
        if divergent {
            out.push_str("diagnostic(off, derivative_uniformity);\n\n");
        }
        Ok(Self {
            options,
            out,
            names: Names::default(),
            entries: Vec::new(),
            bindings: Vec::new(),
            constants: Vec::new(),
            helpers: Helpers::default(),
        })
    }

    /// Takes a name of module scope that somebody chose.
    fn name<'b>(&mut self, wanted: &'b str) -> Result<Cow<'b, str>, Diagnostic> {
        if !super::common::is_identifier(wanted) {
            return Err(refused(rules::NAME, super::common::no_name(wanted)));
        }
        Ok(self.names.take(wanted, words::is_word))
    }

    fn function(
        &mut self,
        shader: &'a Shader,
        plan: Plan<'a>,
        interface: &mut Interface<'a>,
        entry: Cow<'_, str>,
    ) -> Result<(), Diagnostic> {
        let wide = WideScalars::of(shader, &plan).lacking(Wgsl);
        if let Some(what) = wide.too_broad(shader, &plan) {
            return Err(refused(rules::TYPE, format!("WGSL has no {what}")));
        }
        let mark = self.names.mark();
        let mut out = core::mem::take(&mut self.out);
        head(&mut out, shader, interface, &entry);
        self.entries.push((shader.stage, entry.into_owned()));
        let comments = self.options.stage(shader.stage).comments;
        let memories = core::mem::take(&mut interface.memories);
        let cells = core::mem::take(&mut interface.cells);
        let (names, helpers) = (&mut self.names, &mut self.helpers);
        let mut body = Body::new(Wgsl, out, (shader, plan), &interface.outside, names, helpers);
        body.soft = wide;
        body.comments = comments;
        body.renames = self.options.names;
        body.memories = memories;
        body.take_cells(cells);
        let memories;
        (self.out, memories) = body.write()?;
        self.names.release(mark);
        memories.iter().for_each(|words| words.write(&mut self.out));
        interface.images.iter().for_each(|image| image.write(&mut self.out));
        Ok(())
    }

    /// The module of shaders as they were asked for.
    fn finish(mut self, asked: &[&Shader]) -> Result<Output, Diagnostic> {
        for shader in asked {
            let own = self.bindings.iter_mut().filter(|binding| binding.stage == shader.stage);
            tell_shapes(own.map(|binding| &mut binding.kind), shader);
        }
        self.helpers.write::<Wgsl>(&mut self.out, textures::fetch);
        Ok(Output {
            source: self.out,
            entries: self.entries,
            bindings: self.bindings,
            constants: self.constants,
        })
    }
}

/// What stands before the body of an entry point.
fn head(out: &mut String, shader: &Shader, interface: &Interface<'_>, entry: &str) {
    match shader.stage {
        Stage::Vertex => out.push_str("@vertex\nfn "),
        Stage::Compute => {
            let [x, y, z] = shader.setup.workgroup;
            out.push_str(&format!("@compute @workgroup_size({x}, {y}, {z})\nfn "));
        }
        _ => out.push_str("@fragment\nfn "),
    }
    out.push_str(entry);
    out.push('(');
    if let Some(input) = &interface.writer.input {
        out.push_str("in: ");
        out.push_str(input);
    }
    out.push_str(&interface.writer.arguments);
    out.push(')');
    match (&interface.outside.results, interface.writer.result) {
        (Results::Struct(text), _) => {
            out.push_str(" -> ");
            out.push_str(text);
        }
        (_, Some((slot, ty))) => {
            out.push_str(" -> ");
            push_slot(out, slot);
            out.push(' ');
            out.push_str(type_name(ty));
        }
        _ => {}
    }
}

/// What a shader of a stage that WGSL lacks does that no other stage can do for it.
fn without(shader: &Shader) -> String {
    let mut features = Vec::new();
    let mut note = |feature: &'static str| {
        if !features.contains(&feature) {
            features.push(feature);
        }
    };
    let setup = &shader.setup;
    if shader.stage == Stage::Geometry && setup.invocations > 1 {
        note("several invocations a primitive");
    }
    if matches!(setup.primitive_in, Primitive::LinesAdjacency | Primitive::TrianglesAdjacency) {
        note("primitives with their neighbours");
    }
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::InputOf { .. } => note("the inputs of other vertices"),
        Op::LoadOutputOf { .. } => note("the outputs of other vertices"),
        Op::EmitVertex { stream: 0 } | Op::EndPrimitive { stream: 0 } => {
            note("vertices that it makes itself");
        }
        Op::EmitVertex { .. } | Op::EndPrimitive { .. } => note("streams of vertices"),
        Op::Barrier => note("barriers of a patch"),
        _ => {}
    });
    for output in &shader.outputs {
        match output.kind {
            OutputKind::Layer => note("a layer"),
            OutputKind::ViewportIndex => note("a viewport"),
            OutputKind::TessOuter | OutputKind::TessInner => note("levels of tessellation"),
            OutputKind::PatchVarying { .. } => note("outputs of a patch"),
            _ => {}
        }
    }
    let tessellated = |input: &Input| match input.kind {
        InputKind::PatchVarying { .. } => Some("inputs of a patch"),
        InputKind::System(System::TessCoord) => Some("places in a patch"),
        InputKind::System(System::TessOuter | System::TessInner) => Some("levels of tessellation"),
        _ => None,
    };
    shader.inputs.iter().filter_map(tessellated).for_each(&mut note);
    if features.is_empty() { String::new() } else { format!("; this one needs {}", features.join(", ")) }
}
