//! Running what the writers write: an engine that writes a shader in a language, has naga read it and walks naga's IR.
//! GLSL goes through glslang, which makes SPIR-V of it.
//!
//! It shares nothing with the interpreter but texture sampling, and computes with the functions of `std`. So the
//! execution oracle judges the text itself: which lane goes where, which operation stands there. Four invocations go
//! through the module together. An index out of range and `pow` of a negative base, which WGSL leaves open, are
//! errors and NaN here.

use naga::front::wgsl::parse_str;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, AtomicFunction, BinaryOperator, Binding, BuiltIn, DerivativeAxis, DerivativeControl,
    Expression, Function, GlobalVariable, Handle, ImageQuery, Literal, LocalVariable, MathFunction, Module,
    RelationalFunction, SampleLevel, ScalarKind, Statement, TypeInner, UnaryOperator,
};
use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use vecasm::emit::wgsl::{BindingKind, BindingPoint, Options, Output, Style, write};
use vecasm::emit::{glsl, hlsl, spirv};
use vecasm::exec::texture::{Detail, Gradients, Request, Texture as Texels};
use vecasm::exec::{Batch, BoundTexture, Engine, Outputs, RunError};
use vecasm::ir::{
    Arith, InputKind, OutOfRange, OutputKind, Pure, Scalar, Shader, Stage, State, System, Texture,
};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Wgsl,
    Spirv,
    /// GLSL 460; shaders that number their vertices or read textures have no way through glslang and naga.
    Glsl,
    /// GLSL ES 320, by the same way; it has no 64-bit types.
    GlslEs,
    /// HLSL 5.0, which glslang makes SPIR-V of, too; it has no 64-bit integers. Of fragment shaders.
    Hlsl,
}

/// Every language, in the order in which they are tried.
pub(crate) const LANGUAGES: [Language; 3] = [Language::Wgsl, Language::Spirv, Language::Glsl];

impl Language {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Spirv => "spirv",
            Self::Glsl => "glsl",
            Self::GlslEs => "glsl es",
            Self::Hlsl => "hlsl",
        }
    }
}

/// The engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// Computes with the functions of the library instead of those of `std`, to compare with the interpreter bit by
    /// bit.
    pub(crate) own_math: bool,
    /// What an integer made from NaN is: WGSL leaves it open.
    pub(crate) nan: u32,
    /// What is written.
    pub(crate) language: Language,
}

/// What naga's validator has to accept: what WebGPU has without extensions.
pub(crate) fn capabilities() -> Capabilities {
    Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32 | Capabilities::CUBE_ARRAY_TEXTURES
}

/// Rounds of a loop before it counts as endless.
const MAX_ROUNDS: usize = 1000;

/// Invocations taken through together.
const GROUP: usize = 4;

/// All lanes of a value, one after another, also of arrays and structs; for each invocation.
type Rows = [Vec<u32>; GROUP];

/// A set of invocations.
type Mask = u8;

/// What stopped a run.
type Stop = String;

impl Engine for Written {
    fn name(&self) -> &'static str {
        self.language.name()
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        run(*self, shader, batch).map_err(RunError::Unsupported)
    }
}

fn run(engine: Written, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, Stop> {
    let (module, output) = match engine.language {
        Language::Spirv => {
            let written = spirv::write(shader, &spirv::Options::default()).map_err(|e| e.to_string())?;
            let source = "the SPIR-V".into();
            (
                read_spirv(&written.bytes())?,
                Output { source, bindings: written.bindings, ..Output::default() },
            )
        }
        Language::Glsl | Language::GlslEs => from_glsl(engine.language, shader)?,
        Language::Hlsl => from_hlsl(shader)?,
        Language::Wgsl => {
            // Both styles have to mean the same: half of the shaders is written in each.
            let style = if shader.values.len() & 1 == 0 { Style::Folded } else { Style::Plain };
            let output =
                write(shader, &Options { style, ..Options::default() }).map_err(|e| e.to_string())?;
            (parse_str(&output.source).map_err(|e| e.emit_to_string(&output.source))?, output)
        }
    };
    // Where a texture is read in another shape, that is what is bound.
    let read_as = |texture: &Texture| {
        output.bindings.iter().any(|b| {
            matches!(b.kind, BindingKind::Texture { slot, dim, of, .. } if slot == texture.slot && dim != of)
        })
    };
    let reshaped: Vec<Option<Texels>> = shader
        .textures
        .iter()
        .zip(&batch.textures)
        .map(|(texture, bound)| bound.filter(|_| read_as(texture)).and_then(|bound| bound.texture.stand_in()))
        .collect();
    let textures = batch.textures.iter().enumerate().map(|(i, bound)| {
        let texture = reshaped.get(i).and_then(Option::as_ref);
        bound.map(|bound| BoundTexture { texture: texture.unwrap_or(bound.texture), ..bound })
    });
    let batch = &Batch { textures: textures.collect(), ..batch.clone() };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities());
    let info = validator.validate(&module).map_err(|e| match engine.language {
        Language::Wgsl => e.emit_to_string(&output.source),
        // Not of what was written, which has judges of its own, but of what naga made of it.
        _ => format!("{UNREAD}: {}", e.emit_to_string(&output.source)),
    })?;
    let mut outputs = Outputs {
        cells: shader.outputs.iter().map(|o| vec![o.init; batch.count]).collect(),
        killed: vec![false; batch.count],
        exhausted: vec![false; batch.count],
        ..Outputs::default()
    };
    let mut memory: Vec<Vec<u32>> = shader.buffers.iter().enumerate().map(|(i, _)| words(batch, i)).collect();
    for first in (0..batch.count).step_by(GROUP) {
        let globals = globals(engine.language, shader, batch, &module, &output, &memory)?;
        let stack = Vec::new();
        let mut group =
            Group { module: &module, info: &info, shader, batch, globals, killed: 0, engine, stack };
        group.run(first, &mut outputs).map_err(|e| format!("{e}, in\n{}", output.source))?;
        for global in group.globals.into_values() {
            if let Global::Buffer(buffer, words) = global {
                memory[buffer] = words;
            }
        }
    }
    outputs.buffers =
        memory.iter().map(|words| words.iter().flat_map(|w| w.to_le_bytes()).collect()).collect();
    Ok(outputs)
}

/// A module, read by naga.
fn read_spirv(bytes: &[u8]) -> Result<Module, Stop> {
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: false,
        ..naga::front::spv::Options::default()
    };
    naga::front::spv::parse_u8_slice(bytes, &options).map_err(|e| format!("{UNREAD}: {e}"))
}

/// How an error begins that is about what naga reads.
pub(crate) const UNREAD: &str = "naga does not read such SPIR-V";

/// The version of GLSL in which everything can be said, or that of ES.
fn glsl_options(language: Language) -> glsl::Options<'static> {
    let name = if language == Language::GlslEs { "320es" } else { "460" };
    let version = name.parse::<glsl::Version>().unwrap_or_else(|_| glsl::Options::default().version);
    // An array is found by its binding.
    glsl::Options { version, zero_to_one: true, constants: Some(0), ..glsl::Options::default() }
}

/// Why a shader is not run as a language: a reason of its writer, or of those who stand between.
pub(crate) fn refuses(language: Language, shader: &Shader) -> Option<&'static str> {
    match language {
        Language::Wgsl => write(shader, &Options::default()).err().map(|e| e.id),
        Language::Spirv => spirv::write(shader, &spirv::Options::default()).err().map(|e| e.id),
        Language::Hlsl => hlsl::write(shader, &hlsl::Options::default()).err().map(|e| e.id),
        Language::Glsl | Language::GlslEs
            if shader.inputs.iter().any(|input| {
                matches!(input.kind, InputKind::System(System::VertexIndex | System::InstanceIndex))
            }) =>
        {
            Some("the GLSL of Vulkan counts vertices otherwise")
        }
        Language::Glsl | Language::GlslEs => match glsl::write(shader, &glsl_options(language)) {
            Err(why) => Some(why.id),
            Ok(written) => {
                let combined = |b: &glsl::Binding| matches!(b.kind, BindingKind::Combined { .. });
                written.bindings.iter().any(combined).then_some("naga knows no combined samplers")
            }
        },
    }
}

/// The `glslangValidator` on the path.
pub(crate) fn glslang_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["glslangValidator", "glslang"];
    std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name))).find(|file| file.is_file())
}

/// What glslang calls a stage.
pub(crate) const fn glslang_stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

/// The SPIR-V that glslang makes of a text.
fn by_glslang(stage: Stage, flags: &[&str], text: &str) -> Result<Vec<u8>, Stop> {
    let glslang = glslang_on_path().ok_or("glslangValidator is not on the path")?;
    // Checks run side by side: each text has a file of its own.
    static TEXTS: AtomicU64 = AtomicU64::new(0);
    let number = TEXTS.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("vecasm-{}-{number}.spv", std::process::id()));
    let io = |e: std::io::Error| format!("{}: {e}", glslang.display());
    let mut child = Command::new(&glslang)
        .args(["--stdin", "-V", "--target-env", "vulkan1.1", "--aml", "-S", glslang_stage(stage)])
        .args(flags)
        .arg("-o")
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(io)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).map_err(io)?;
    }
    let said = child.wait_with_output().map_err(io)?;
    if !said.status.success() {
        return Err(format!("glslang: {}, of\n{text}", String::from_utf8_lossy(&said.stdout)));
    }
    let bytes = std::fs::read(&file).map_err(io)?;
    let _ = std::fs::remove_file(&file);
    Ok(bytes)
}

/// The shader as GLSL, which glslang makes SPIR-V of.
fn from_glsl(language: Language, shader: &Shader) -> Result<(Module, Output), Stop> {
    let written = glsl::write(shader, &glsl_options(language)).map_err(|e| e.to_string())?;
    // It is taken for the GLSL of Vulkan, whose window has y downwards.
    let (version, rest) = written.source.split_once('\n').unwrap_or_default();
    let turned = ["dFdy", "dFdyFine", "dFdyCoarse"].map(|name| format!("#define {name}(p) (-{name}(p))\n"));
    let bytes = by_glslang(shader.stage, &[], &format!("{version}\n{}{rest}", turned.concat()))?;
    if !matches!(shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
        // What glslang takes is all that can be known of it.
        return Err(format!("{UNREAD}: there are no {} shaders", shader.stage.name()));
    }
    let module = read_spirv(&bytes).map_err(|e| format!("{e}, of\n{}", written.source))?;
    let bindings = written.bindings.iter().filter_map(|bound| {
        let kind = match bound.kind {
            // What an SSBO holds is atomic where that is asked.
            BindingKind::Buffer { slot, of, write, .. } => {
                BindingKind::Buffer { slot, of, write, atomic: write }
            }
            kind => kind,
        };
        // What has no binding in version 460 does not come.
        let (stage, name, binding) = (bound.stage, bound.name.clone(), bound.place.binding?);
        let group = u32::from(matches!(kind, BindingKind::Buffer { .. }));
        Some(vecasm::emit::wgsl::Binding { stage, place: BindingPoint { group, binding }, name, kind })
    });
    Ok((module, Output { bindings: bindings.collect(), source: written.source, ..Output::default() }))
}

/// The shader as HLSL, which glslang makes SPIR-V of. Only its inputs and outputs are found again.
fn from_hlsl(shader: &Shader) -> Result<(Module, Output), Stop> {
    let written = hlsl::write(shader, &hlsl::Options::default()).map_err(|e| e.to_string())?;
    let bytes = by_glslang(shader.stage, &["-D", "-e", "main"], &written.source)?;
    let module = read_spirv(&bytes).map_err(|e| format!("{e}, of\n{}", written.source))?;
    Ok((module, Output { source: written.source, ..Output::default() }))
}

/// The words of a buffer.
fn words(batch: &Batch<'_>, buffer: usize) -> Vec<u32> {
    let bytes = batch.buffers.get(buffer).map_or(&[][..], Vec::as_slice);
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// What a global variable holds.
enum Global {
    /// Constants, or what a workgroup shares.
    Data(Vec<u32>),
    /// A variable of each invocation.
    Private(Rows),
    /// A buffer: its number in the shader, and its words.
    Buffer(usize, Vec<u32>),
    /// A texture, or the sampler of one: its number in the shader.
    Texture(usize),
}

fn globals(
    language: Language,
    shader: &Shader,
    batch: &Batch<'_>,
    module: &Module,
    output: &Output,
    memory: &[Vec<u32>],
) -> Result<HashMap<Handle<GlobalVariable>, Global>, Stop> {
    let mut globals = HashMap::new();
    for (handle, variable) in module.global_variables.iter() {
        if variable.space == AddressSpace::WorkGroup {
            let words = match &module.types[variable.ty].inner {
                TypeInner::Array { size: naga::ArraySize::Constant(n), .. } => n.get() as usize,
                other => return Err(format!("workgroup memory of {other:?}")),
            };
            globals.insert(handle, Global::Data(vec![0; words]));
            continue;
        }
        if variable.space == AddressSpace::Private {
            let size = size_of(module, &module.types[variable.ty].inner);
            let words = match variable.init {
                Some(init) => constant(module, init)?,
                None => vec![0; size],
            };
            globals.insert(handle, Global::Private(each(|_| words.clone())));
            continue;
        }
        let at = variable.binding.as_ref().ok_or("a global without a binding")?;
        // In OpenGL buffers are counted by themselves.
        let buffer = language == Language::Glsl && matches!(variable.space, AddressSpace::Storage { .. });
        let group = if buffer { 1 } else { at.group };
        let there = output.bindings.iter().find(|b| (b.place.group, b.place.binding) == (group, at.binding));
        let bound = there.ok_or("a global that the layout does not have")?;
        let texture = |found: Option<usize>| {
            found.map(Global::Texture).ok_or("a texture that the shader does not have")
        };
        let global = match bound.kind {
            BindingKind::Constants { elements, .. } => {
                let given = batch.params.get(at.binding as usize);
                let element = |i: u32| given.and_then(|p| p.get(i as usize)).copied().unwrap_or([0; 4]);
                Global::Data((0..elements).flat_map(element).collect())
            }
            BindingKind::States { .. } => {
                let state = |(i, state): (usize, &State)| {
                    let given = batch.states.get(i).copied().flatten().unwrap_or(state.default);
                    // In GLSL each has a vector of its own.
                    let lanes = if language == Language::Glsl { 4 } else { usize::from(state.ty.lanes) };
                    given[..lanes].to_vec()
                };
                Global::Data(shader.states.iter().enumerate().flat_map(state).collect())
            }
            BindingKind::Buffer { slot, of, .. } => {
                let found = shader.buffers.iter().position(|b| (b.kind, b.slot) == (of, slot));
                let found = found.ok_or("a buffer that the shader does not have")?;
                Global::Buffer(found, memory[found].clone())
            }
            BindingKind::Texture { slot, .. } => {
                texture(shader.textures.iter().position(|t| t.slot == slot))?
            }
            BindingKind::Sampler { slot, .. } => {
                texture(shader.textures.iter().position(|t| t.sampler_slot == slot))?
            }
            other => return Err(format!("{other:?} is not run here")),
        };
        globals.insert(handle, global);
    }
    Ok(globals)
}

struct Group<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    globals: HashMap<Handle<GlobalVariable>, Global>,
    killed: Mask,
    engine: Written,
    /// The variables of the open calls.
    stack: Vec<HashMap<Handle<LocalVariable>, Rows>>,
}

/// What an expression gives.
#[derive(Clone)]
enum Value {
    Data(Rows),
    /// A place in a variable: the lane it starts at, in each invocation.
    Pointer(Base, [usize; GROUP]),
    Texture(usize),
}

#[derive(Clone, Copy)]
enum Base {
    /// Of the call at that depth: glslang hands arguments on by pointers.
    Local(usize, Handle<LocalVariable>),
    Global(Handle<GlobalVariable>),
}

/// A function being run.
struct Frame<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    arguments: Vec<Value>,
    values: HashMap<Handle<Expression>, Value>,
    /// How many calls are open around it.
    depth: usize,
    returned: Rows,
    /// The open loops and switches.
    loops: Vec<Open>,
    /// Who runs the present statement. Expressions are computed for all.
    active: Mask,
}

/// An open loop or switch.
#[derive(Clone, Copy, Default)]
struct Open {
    /// Who left it.
    left: Mask,
    /// Who goes on with its next round.
    again: Mask,
    is_switch: bool,
}

const fn has(mask: Mask, i: usize) -> bool {
    mask >> i & 1 == 1
}

fn each<T>(f: impl FnMut(usize) -> T) -> [T; GROUP] {
    std::array::from_fn(f)
}

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// Number of lanes of a type.
fn size_of(module: &Module, ty: &TypeInner) -> usize {
    match ty {
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Array { base, size: naga::ArraySize::Constant(n), .. } => {
            n.get() as usize * size_of(module, &module.types[*base].inner)
        }
        TypeInner::Struct { members, .. } => {
            members.iter().map(|m| size_of(module, &module.types[m.ty].inner)).sum()
        }
        _ => 0,
    }
}

/// The lanes of a constant of the module.
fn constant(module: &Module, of: Handle<Expression>) -> Result<Vec<u32>, Stop> {
    match &module.global_expressions[of] {
        Expression::Literal(literal) => Ok(vec![bits(*literal)?]),
        Expression::ZeroValue(ty) => Ok(vec![0; size_of(module, &module.types[*ty].inner)]),
        Expression::Compose { components, .. } => {
            let parts: Result<Vec<_>, _> = components.iter().map(|c| constant(module, *c)).collect();
            Ok(parts?.concat())
        }
        Expression::Splat { size, value } => Ok(vec![constant(module, *value)?[0]; *size as usize]),
        Expression::Constant(of) => constant(module, module.constants[*of].init),
        other => Err(format!("the constant {other:?}")),
    }
}

impl<'a> Group<'a> {
    fn run(&mut self, first: usize, outputs: &mut Outputs) -> Result<(), Stop> {
        let entry = self.module.entry_points.first().ok_or("no entry point")?;
        let info = self.info.get_entry_point(0);
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let mut rows: Rows = Default::default();
            for (binding, _) in self.bindings(argument.ty, argument.binding.as_ref())? {
                for (i, row) in rows.iter_mut().enumerate() {
                    row.extend(self.input(&binding, first + i)?);
                }
            }
            arguments.push(Value::Data(rows));
        }
        let here = (self.batch.count - first).min(GROUP);
        self.killed = 0;
        let returned = self.call(&entry.function, info, arguments, 0xf)?;
        for i in 0..here {
            outputs.killed[first + i] = has(self.killed, i);
        }
        if let Some(result) = &entry.function.result {
            let mut at = 0;
            for (binding, lanes) in self.bindings(result.ty, result.binding.as_ref())? {
                let kind = match (&binding, entry.stage) {
                    (Binding::BuiltIn(BuiltIn::Position { .. }), _) => OutputKind::Position,
                    (Binding::BuiltIn(BuiltIn::FragDepth), _) => OutputKind::Depth,
                    (Binding::BuiltIn(BuiltIn::SampleMask), _) => OutputKind::SampleMask,
                    (Binding::Location { location, .. }, naga::ShaderStage::Vertex) => {
                        OutputKind::Varying { location: *location }
                    }
                    (Binding::Location { location, .. }, _) => OutputKind::Color { target: *location },
                    (other, _) => return Err(format!("the result {other:?}")),
                };
                if let Some(cell) = self.shader.outputs.iter().position(|o| o.kind == kind) {
                    for (i, row) in returned.iter().enumerate().take(here) {
                        outputs.cells[cell][first + i][..lanes].copy_from_slice(&row[at..at + lanes]);
                    }
                }
                at += lanes;
            }
        }
        Ok(())
    }

    /// The bindings of an argument or result, or of the fields of one, and how many lanes each has.
    fn bindings(&self, ty: Handle<naga::Type>, own: Option<&Binding>) -> Result<Vec<(Binding, usize)>, Stop> {
        let size = |ty: Handle<naga::Type>| self.size(&self.module.types[ty].inner);
        if let Some(own) = own {
            return Ok(vec![(own.clone(), size(ty))]);
        }
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => members
                .iter()
                .map(|m| Ok((m.binding.clone().ok_or("a field without binding")?, size(m.ty))))
                .collect(),
            other => Err(format!("{other:?} without a binding")),
        }
    }

    /// The bits of an input of invocation `at`.
    fn input(&self, binding: &Binding, at: usize) -> Result<Vec<u32>, Stop> {
        let wanted = |kind: InputKind| match (binding, kind) {
            (Binding::BuiltIn(built_in), InputKind::System(system)) => {
                matches!(
                    (built_in, system),
                    (BuiltIn::VertexIndex, System::VertexIndex)
                        | (BuiltIn::InstanceIndex, System::InstanceIndex)
                        | (BuiltIn::Position { .. }, System::FragCoord)
                        | (BuiltIn::FrontFacing, System::FrontFacing)
                        | (BuiltIn::SampleIndex, System::SampleIndex)
                        | (BuiltIn::SampleMask, System::SampleMask)
                        | (BuiltIn::LocalInvocationId, System::LocalIndex)
                        | (BuiltIn::WorkGroupId, System::GroupIndex)
                        | (BuiltIn::NumWorkGroups, System::GridSize)
                )
            }
            (Binding::Location { location: a, .. }, InputKind::Attribute { location: b }) => {
                self.shader.stage == Stage::Vertex && *a == b
            }
            (Binding::Location { location: a, .. }, InputKind::Varying { location: b }) => {
                self.shader.stage == Stage::Fragment && *a == b
            }
            _ => false,
        };
        let found = self.shader.inputs.iter().position(|input| wanted(input.kind));
        let Some(found) = found else {
            return match binding {
                Binding::BuiltIn(BuiltIn::LocalInvocationIndex) => {
                    let count = self.shader.setup.workgroup.iter().product::<u32>().max(1);
                    Ok(vec![at as u32 % count])
                }
                Binding::BuiltIn(BuiltIn::Position { .. }) => Ok(vec![0; 4]),
                other => Err(format!("no input for {other:?}")),
            };
        };
        let ty = self.shader.inputs[found].ty;
        let missing = if ty.scalar == Scalar::F32 { [0, 0, 0, 0x3f80_0000] } else { [0; 4] };
        let at = at.min(self.batch.count - 1);
        let missing = self.numbers(self.shader.inputs[found].kind, at).unwrap_or(missing);
        let given = self.batch.inputs.get(found).and_then(|list| list.get(at)).copied().unwrap_or(missing);
        Ok(given[..usize::from(ty.lanes)].to_vec())
    }

    /// Where an invocation of a compute shader stands.
    fn numbers(&self, kind: InputKind, at: usize) -> Option<[u32; 4]> {
        let InputKind::System(system) = kind else { return None };
        let place = |n: u32, [x, y, _]: [u32; 3]| {
            let (x, y) = (x.max(1), y.max(1));
            [n % x, n / x % y, n / x / y, 0]
        };
        let size = self.shader.setup.workgroup;
        let count = size.iter().product::<u32>().max(1);
        let [x, y, z] = self.batch.grid;
        match system {
            System::LocalIndex => Some(place(at as u32 % count, size)),
            System::GroupIndex => Some(place(at as u32 / count, self.batch.grid)),
            System::GridSize => Some([x, y, z, 0]),
            _ => None,
        }
    }

    fn call(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Value>,
        mask: Mask,
    ) -> Result<Rows, Stop> {
        let mut frame = Frame {
            function,
            info,
            arguments,
            values: HashMap::new(),
            depth: self.stack.len(),
            returned: each(|_| match &function.result {
                Some(result) => vec![0; self.size(&self.module.types[result.ty].inner)],
                None => Vec::new(),
            }),
            loops: Vec::new(),
            active: mask,
        };
        self.stack.push(HashMap::new());
        for (handle, variable) in function.local_variables.iter() {
            let rows = match variable.init {
                Some(init) => self.data(&mut frame, init)?,
                None => each(|_| vec![0; self.size(&self.module.types[variable.ty].inner)]),
            };
            self.stack[frame.depth].insert(handle, rows);
        }
        self.block(&mut frame, &function.body, mask)?;
        self.stack.pop();
        Ok(frame.returned)
    }

    /// Runs a block for the invocations of `mask`, and says who reaches its end.
    fn block(&mut self, frame: &mut Frame<'a>, block: &'a naga::Block, mut mask: Mask) -> Result<Mask, Stop> {
        for statement in block {
            if mask == 0 {
                break;
            }
            frame.active = mask;
            match statement {
                Statement::Emit(range) => {
                    for handle in range.clone() {
                        let value = self.expression(frame, handle)?;
                        frame.values.insert(handle, value);
                    }
                }
                Statement::Block(inner) => mask = self.block(frame, inner, mask)?,
                Statement::If { condition, accept, reject } => {
                    let cond = self.data(frame, *condition)?;
                    let yes = (0..GROUP).fold(0, |m, i| m | Mask::from(cond[i][0] != 0) << i) & mask;
                    let left = self.block(frame, accept, yes)?;
                    mask = left | self.block(frame, reject, mask & !yes)?;
                }
                Statement::Loop { body, continuing, break_if: None } => {
                    let mut active = mask;
                    let mut left = 0;
                    let mut rounds = 0;
                    // Who goes round forever stops; what it gives counts for nothing.
                    while active != 0 && rounds < MAX_ROUNDS {
                        rounds += 1;
                        frame.loops.push(Open::default());
                        let end = self.block(frame, body, active)?;
                        let open = frame.loops.pop().unwrap_or_default();
                        left |= open.left;
                        active = self.block(frame, continuing, end | open.again)?;
                    }
                    mask = left;
                }
                Statement::Break => {
                    if let Some(innermost) = frame.loops.last_mut() {
                        innermost.left |= mask;
                    }
                    mask = 0;
                }
                Statement::Continue => {
                    if let Some(innermost) = frame.loops.iter_mut().rev().find(|open| !open.is_switch) {
                        innermost.again |= mask;
                    }
                    mask = 0;
                }
                Statement::Switch { selector, cases } => {
                    let selector = self.data(frame, *selector)?;
                    let is = |case: &naga::SwitchCase, i: usize| match case.value {
                        naga::SwitchValue::I32(n) => selector[i][0] == n as u32,
                        naga::SwitchValue::U32(n) => selector[i][0] == n,
                        naga::SwitchValue::Default => false,
                    };
                    frame.loops.push(Open { is_switch: true, ..Open::default() });
                    let (mut end, mut falling) = (0, 0);
                    for case in cases {
                        let entered = (0..GROUP).fold(0, |m, i| {
                            let default = case.value == naga::SwitchValue::Default;
                            let here = is(case, i) || default && !cases.iter().any(|case| is(case, i));
                            m | Mask::from(here) << i
                        });
                        let reached = self.block(frame, &case.body, entered & mask | falling)?;
                        falling = if case.fall_through { reached } else { 0 };
                        end |= if case.fall_through { 0 } else { reached };
                    }
                    let open = frame.loops.pop().unwrap_or_default();
                    mask = end | falling | open.left;
                }
                Statement::Return { value } => {
                    if let Some(value) = value {
                        let rows = self.data(frame, *value)?;
                        for i in (0..GROUP).filter(|&i| has(mask, i)) {
                            frame.returned[i].clone_from(&rows[i]);
                        }
                    }
                    mask = 0;
                }
                // The invocation goes on as a helper.
                Statement::Kill => self.killed |= mask,
                Statement::Store { pointer, value } => {
                    let Value::Pointer(base, at) = self.value(frame, *pointer)? else {
                        return Err("a store to something that is no variable".into());
                    };
                    let rows = self.data(frame, *value)?;
                    for i in (0..GROUP).filter(|&i| has(mask, i)) {
                        let words = match base {
                            Base::Local(depth, variable) => {
                                self.stack[depth].get_mut(&variable).map(|local| local[i].as_mut_slice())
                            }
                            Base::Global(variable) if self.private(variable).is_some() => {
                                self.private(variable).map(|rows| rows[i].as_mut_slice())
                            }
                            // A helper writes nothing that others see.
                            Base::Global(_) if has(self.killed, i) => continue,
                            Base::Global(variable) => self.memory(variable),
                        };
                        let place = words.and_then(|words| words.get_mut(at[i]..at[i] + rows[i].len()));
                        place.ok_or("a store outside")?.copy_from_slice(&rows[i]);
                    }
                }
                Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {}
                Statement::Atomic { pointer, fun, value, result } => {
                    let Value::Pointer(Base::Global(variable), at) = self.value(frame, *pointer)? else {
                        return Err("an atomic on something that is no memory".into());
                    };
                    let values = self.data(frame, *value)?;
                    let compared = match fun {
                        AtomicFunction::Exchange { compare: Some(compare) } => {
                            Some(self.data(frame, *compare)?)
                        }
                        _ => None,
                    };
                    let mut rows: Rows = each(|_| vec![0; if compared.is_some() { 2 } else { 1 }]);
                    let killed = self.killed;
                    for i in (0..GROUP).filter(|&i| has(mask & !killed, i)) {
                        let word = self.memory(variable).and_then(|words| words.get_mut(at[i]));
                        let word = word.ok_or("an atomic outside")?;
                        let (old, value) = (*word, values[i][0]);
                        let equal = compared.as_ref().is_none_or(|compared| compared[i][0] == old);
                        *word = match fun {
                            AtomicFunction::Add => old.wrapping_add(value),
                            AtomicFunction::And => old & value,
                            AtomicFunction::ExclusiveOr => old ^ value,
                            AtomicFunction::InclusiveOr => old | value,
                            AtomicFunction::Min => old.min(value),
                            AtomicFunction::Max => old.max(value),
                            AtomicFunction::Exchange { .. } => {
                                if equal {
                                    value
                                } else {
                                    old
                                }
                            }
                            other => return Err(format!("the atomic {other:?}")),
                        };
                        rows[i] = if compared.is_some() { vec![old, u32::from(equal)] } else { vec![old] };
                    }
                    if let Some(result) = result {
                        frame.values.insert(*result, Value::Data(rows));
                    }
                }
                Statement::Call { function, arguments, result } => {
                    let given: Result<Vec<Value>, Stop> =
                        arguments.iter().map(|argument| self.value(frame, *argument)).collect();
                    let called = &self.module.functions[*function];
                    // What only computes is computed for all.
                    let mask = if writes(&called.body) { mask } else { 0xf };
                    let returned = self.call(called, &self.info[*function], given?, mask)?;
                    if let Some(result) = result {
                        frame.values.insert(*result, Value::Data(returned));
                    }
                }
                other => return Err(format!("the statement {other:?}")),
            }
        }
        Ok(mask)
    }

    /// A variable of each invocation.
    fn private(&mut self, variable: Handle<GlobalVariable>) -> Option<&mut Rows> {
        match self.globals.get_mut(&variable) {
            Some(Global::Private(rows)) => Some(rows),
            _ => None,
        }
    }

    /// The words of memory.
    fn memory(&mut self, variable: Handle<GlobalVariable>) -> Option<&mut [u32]> {
        match self.globals.get_mut(&variable) {
            Some(Global::Data(words) | Global::Buffer(_, words)) => Some(words),
            _ => None,
        }
    }

    /// Number of lanes of a type.
    fn size(&self, ty: &TypeInner) -> usize {
        size_of(self.module, ty)
    }

    /// The lane at which element `index` starts, the number of elements, and the size of one.
    fn element(&self, ty: &TypeInner, index: usize) -> Result<(usize, usize, usize), Stop> {
        match ty {
            TypeInner::Vector { size, .. } => Ok((index, *size as usize, 1)),
            TypeInner::Array { base, size: naga::ArraySize::Constant(n), .. } => {
                let size = self.size(&self.module.types[*base].inner);
                Ok((index * size, n.get() as usize, size))
            }
            // How many there are is asked when one is read.
            TypeInner::Array { base, size: naga::ArraySize::Dynamic, .. } => {
                let size = self.size(&self.module.types[*base].inner);
                Ok((index * size, usize::MAX, size))
            }
            TypeInner::Struct { members, .. } => {
                let size = |m: &naga::StructMember| self.size(&self.module.types[m.ty].inner);
                let own = members.get(index).map(size).ok_or("a field that is not there")?;
                Ok((members[..index].iter().map(size).sum(), members.len(), own))
            }
            TypeInner::Pointer { base, .. } => self.element(&self.module.types[*base].inner, index),
            TypeInner::ValuePointer { size: Some(size), .. } => Ok((index, *size as usize, 1)),
            other => Err(format!("an element of {other:?}")),
        }
    }

    fn ty<'b>(&'b self, frame: &Frame<'b>, of: Handle<Expression>) -> &'b TypeInner {
        frame.info[of].ty.inner_with(&self.module.types)
    }

    fn data(&mut self, frame: &mut Frame<'a>, of: Handle<Expression>) -> Result<Rows, Stop> {
        match self.value(frame, of)? {
            Value::Data(rows) => Ok(rows),
            _ => Err("a value that is no data".into()),
        }
    }

    fn value(&mut self, frame: &mut Frame<'a>, of: Handle<Expression>) -> Result<Value, Stop> {
        match frame.values.get(&of) {
            Some(value) => Ok(value.clone()),
            // Constants, arguments and variables are not emitted.
            None => self.expression(frame, of),
        }
    }

    fn constant(&self, of: Handle<Expression>) -> Result<Vec<u32>, Stop> {
        constant(self.module, of)
    }

    fn expression(&mut self, frame: &mut Frame<'a>, of: Handle<Expression>) -> Result<Value, Stop> {
        let rows = match &frame.function.expressions[of] {
            Expression::Literal(literal) => {
                let bits = bits(*literal)?;
                each(|_| vec![bits])
            }
            Expression::Constant(constant) => {
                let bits = self.constant(self.module.constants[*constant].init)?;
                each(|_| bits.clone())
            }
            Expression::ZeroValue(ty) => {
                let size = self.size(&self.module.types[*ty].inner);
                each(|_| vec![0; size])
            }
            Expression::Compose { components, .. } => {
                let mut rows: Rows = Default::default();
                for component in components {
                    let part = self.data(frame, *component)?;
                    for (row, part) in rows.iter_mut().zip(part) {
                        row.extend(part);
                    }
                }
                rows
            }
            Expression::Splat { size, value } => {
                let value = self.data(frame, *value)?;
                each(|i| vec![value[i][0]; *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.data(frame, *vector)?;
                each(|i| pattern[..*size as usize].iter().map(|c| vector[i][*c as usize]).collect())
            }
            Expression::AccessIndex { base, index } => {
                let (at, count, size) = self.element(self.ty(frame, *base), *index as usize)?;
                if *index as usize >= count {
                    return Err(format!("element {index} of {count}"));
                }
                return self.part(frame, *base, [at; GROUP], size);
            }
            Expression::Access { base, index } => {
                let index = self.data(frame, *index)?;
                let mut at = [0; GROUP];
                let mut size = 0;
                for (i, (at, index)) in at.iter_mut().zip(&index).enumerate() {
                    let (mut start, count, one) = self.element(self.ty(frame, *base), index[0] as usize)?;
                    if index[0] as usize >= count {
                        if has(frame.active, i) {
                            return Err(format!("element {} of {count}", index[0] as i32));
                        }
                        start = 0;
                    }
                    (*at, size) = (start, one);
                }
                return self.part(frame, *base, at, size);
            }
            Expression::FunctionArgument(n) => return Ok(frame.arguments[*n as usize].clone()),
            Expression::GlobalVariable(variable) => {
                return Ok(
                    match (self.globals.get(variable), self.module.global_variables[*variable].space) {
                        (Some(Global::Texture(n)), AddressSpace::Handle) => Value::Texture(*n),
                        _ => Value::Pointer(Base::Global(*variable), [0; GROUP]),
                    },
                );
            }
            Expression::LocalVariable(variable) => {
                return Ok(Value::Pointer(Base::Local(frame.depth, *variable), [0; GROUP]));
            }
            Expression::Load { pointer } => {
                let size = self.size(self.ty(frame, of));
                let Value::Pointer(base, at) = self.value(frame, *pointer)? else {
                    return Err("a load from no pointer".into());
                };
                match base {
                    Base::Local(depth, variable) => {
                        let local = self.stack[depth].get(&variable).ok_or("an unknown variable")?;
                        each(|i| local[i][at[i]..at[i] + size].to_vec())
                    }
                    Base::Global(variable) if self.private(variable).is_some() => {
                        let rows = self.private(variable).ok_or("an unknown variable")?;
                        each(|i| rows[i][at[i]..at[i] + size].to_vec())
                    }
                    Base::Global(variable) => {
                        let active = frame.active;
                        let words = self.memory(variable).ok_or("a load from no memory")?;
                        let mut rows: Rows = each(|_| vec![0; size]);
                        for (i, row) in rows.iter_mut().enumerate() {
                            match words.get(at[i]..at[i] + size) {
                                Some(words) => row.copy_from_slice(words),
                                None if has(active, i) => return Err(format!("a load from word {}", at[i])),
                                None => {}
                            }
                        }
                        rows
                    }
                }
            }
            Expression::ArrayLength(array) => {
                let Value::Pointer(Base::Global(variable), _) = self.value(frame, *array)? else {
                    return Err("the length of no buffer".into());
                };
                let count = self.memory(variable).map_or(0, |words| words.len()) as u32;
                each(|_| vec![count])
            }
            Expression::ImageSample {
                image,
                sampler,
                gather,
                coordinate,
                array_index,
                offset,
                level,
                depth_ref,
                ..
            } => {
                let texture = self.texture(frame, *image)?;
                let sampler = self.texture(frame, *sampler)?;
                let mut place = self.data(frame, *coordinate)?;
                let lanes = place[0].len();
                if let Some(layer) = array_index {
                    let layer = self.data(frame, *layer)?;
                    for (place, layer) in place.iter_mut().zip(&layer) {
                        place.push((layer[0] as i32 as f32).to_bits());
                    }
                }
                let reference = depth_ref.map(|depth| self.data(frame, depth)).transpose()?;
                let offset = offset.map(|offset| self.data(frame, offset)).transpose()?;
                let slopes = |place: &Rows, axis| {
                    let rows = difference(place, axis);
                    each(|i| {
                        std::array::from_fn(|lane| if lane < lanes { float(rows[i][lane]) } else { 0.0 })
                    })
                };
                let given = |rows: &Rows| each(|i| triple(&rows[i]));
                let implicit = |bias: f32| {
                    let ddx: [[f32; 3]; GROUP] = slopes(&place, DerivativeAxis::X);
                    let ddy: [[f32; 3]; GROUP] = slopes(&place, DerivativeAxis::Y);
                    each(|i| Detail::Implicit { by: Gradients { ddx: ddx[i], ddy: ddy[i] }, bias })
                };
                let detail = match level {
                    SampleLevel::Auto => implicit(0.0),
                    SampleLevel::Zero => each(|_| Detail::Level(0.0)),
                    SampleLevel::Exact(level) => {
                        let level = self.data(frame, *level)?;
                        each(|i| Detail::Level(float(level[i][0])))
                    }
                    SampleLevel::Bias(bias) => {
                        let bias = self.data(frame, *bias)?;
                        let all = implicit(0.0);
                        each(|i| match all[i] {
                            Detail::Implicit { by, .. } => Detail::Implicit { by, bias: float(bias[i][0]) },
                            other => other,
                        })
                    }
                    SampleLevel::Gradient { x, y } => {
                        let (x, y) = (self.data(frame, *x)?, self.data(frame, *y)?);
                        let (x, y) = (given(&x), given(&y));
                        each(|i| Detail::Explicit(Gradients { ddx: x[i], ddy: y[i] }))
                    }
                };
                let bound = self.batch.textures.get(texture).copied().flatten();
                let state = self.batch.textures.get(sampler).copied().flatten().map(|bound| bound.sampler);
                let (Some(bound), Some(state)) = (bound, state) else {
                    return Ok(Value::Data(each(|_| vec![0, 0, 0, 0x3f80_0000])));
                };
                each(|i| {
                    let mut coord = [0.0; 4];
                    coord.iter_mut().zip(&place[i]).for_each(|(to, bits)| *to = float(*bits));
                    let offset =
                        offset.as_ref().map_or([0; 3], |rows| triple(&rows[i]).map(|x| x.to_bits() as i32));
                    let reference = reference.as_ref().map(|rows| float(rows[i][0]));
                    let texel = match gather {
                        Some(lane) => bound.texture.gather(&state, coord, offset, *lane as u8, reference),
                        None => {
                            let request = Request { coord, detail: detail[i], offset, reference };
                            bound.texture.sample(&state, &request)
                        }
                    };
                    // A comparison gives one lane.
                    texel[..if reference.is_some() && gather.is_none() { 1 } else { 4 }].to_vec()
                })
            }
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                let texture = self.texture(frame, *image)?;
                let mut place = self.data(frame, *coordinate)?;
                if let Some(layer) = array_index {
                    let layer = self.data(frame, *layer)?;
                    place.iter_mut().zip(&layer).for_each(|(place, layer)| place.push(layer[0]));
                }
                let number = |this: &mut Self, frame: &mut Frame<'a>, of: &Option<Handle<Expression>>| {
                    of.map_or(Ok(each(|_| vec![0])), |of| this.data(frame, of))
                };
                let (sample, level) = (number(self, frame, sample)?, number(self, frame, level)?);
                let lanes = self.size(self.ty(frame, of));
                let bound = self.batch.textures.get(texture).copied().flatten();
                each(|i| {
                    let mut at = [0; 4];
                    at.iter_mut().zip(&place[i]).for_each(|(to, bits)| *to = *bits as i32);
                    let read = |b: BoundTexture<'_>| {
                        b.texture.fetch(at, level[i][0] as i32, sample[i][0] as i32, OutOfRange::Undefined)
                    };
                    bound.map_or([0, 0, 0, 0x3f80_0000], read)[..lanes].to_vec()
                })
            }
            Expression::ImageQuery { image, query } => {
                let texture = self.texture(frame, *image)?;
                let level = match query {
                    ImageQuery::Size { level: Some(level) } => self.data(frame, *level)?,
                    _ => each(|_| vec![0]),
                };
                let lanes = self.size(self.ty(frame, of));
                let bound = self.batch.textures.get(texture).copied().flatten();
                each(|i| {
                    let size = bound.map_or([0; 4], |b| b.texture.query_size(level[i][0] as i32));
                    match query {
                        // A level that is not there has any size.
                        ImageQuery::Size { .. } if size[0] == 0 => vec![77; lanes],
                        ImageQuery::Size { .. } => size[..lanes].to_vec(),
                        ImageQuery::NumLevels => vec![size[3]],
                        ImageQuery::NumLayers => {
                            vec![size[bound.map_or(2, |b| usize::from(b.texture.dim().axes()))]]
                        }
                        ImageQuery::NumSamples => vec![bound.map_or(0, |b| b.texture.samples())],
                    }
                })
            }
            Expression::Derivative { axis, ctrl, expr } => {
                let rows = self.data(frame, *expr)?;
                let fine = difference(&rows, *axis);
                match ctrl {
                    // One for the quad, where the IR takes it: along the lower row, and the left column.
                    DerivativeControl::Coarse if *axis == DerivativeAxis::X => each(|_| fine[2].clone()),
                    DerivativeControl::Coarse => each(|_| fine[0].clone()),
                    _ => fine,
                }
            }
            Expression::Unary { op, expr } => {
                let rows = self.data(frame, *expr)?;
                let kind = self.ty(frame, *expr).scalar_kind();
                let f = |x: u32| match (op, kind) {
                    (UnaryOperator::Negate, Some(ScalarKind::Float)) => Ok(x ^ 0x8000_0000),
                    (UnaryOperator::Negate, _) => Ok(x.wrapping_neg()),
                    (UnaryOperator::LogicalNot, _) => Ok(u32::from(x == 0)),
                    (UnaryOperator::BitwiseNot, _) => Ok(!x),
                };
                lanes(&[&rows], |x| f(x[0]))?
            }
            Expression::Binary { op, left, right } => {
                let (a, b) = (self.data(frame, *left)?, self.data(frame, *right)?);
                let kind = self.ty(frame, *left).scalar_kind();
                lanes(&[&a, &b], |x| binary(*op, kind, x[0], x[1]))?
            }
            Expression::Select { condition, accept, reject } => {
                let cond = self.data(frame, *condition)?;
                let (a, b) = (self.data(frame, *accept)?, self.data(frame, *reject)?);
                lanes(&[&cond, &a, &b], |x| Ok(if x[0] != 0 { x[1] } else { x[2] }))?
            }
            Expression::Relational { fun, argument } => {
                let rows = self.data(frame, *argument)?;
                match fun {
                    RelationalFunction::All => each(|i| vec![u32::from(rows[i].iter().all(|&x| x != 0))]),
                    RelationalFunction::Any => each(|i| vec![u32::from(rows[i].iter().any(|&x| x != 0))]),
                    other => return Err(format!("the function {other:?}")),
                }
            }
            Expression::Math { fun: MathFunction::Pack2x16float, arg, .. } => {
                let rows = self.data(frame, *arg)?;
                each(|i| vec![to_half(float(rows[i][0])) | to_half(float(rows[i][1])) << 16])
            }
            Expression::Math { fun: MathFunction::Unpack2x16float, arg, .. } => {
                let rows = self.data(frame, *arg)?;
                each(|i| vec![from_half(rows[i][0] & 0xffff), from_half(rows[i][0] >> 16)])
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let kind = self.ty(frame, *arg).scalar_kind();
                let mut rows = vec![self.data(frame, *arg)?];
                for arg in [arg1, arg2, arg3].into_iter().flatten() {
                    rows.push(self.data(frame, *arg)?);
                }
                if *fun == MathFunction::Dot {
                    each(|i| {
                        let product = |n: usize| float(rows[0][i][n]) * float(rows[1][i][n]);
                        let sum = (1..rows[0][i].len()).fold(product(0), |sum, n| sum + product(n));
                        vec![sum.to_bits()]
                    })
                } else {
                    let refs: Vec<&Rows> = rows.iter().collect();
                    lanes(&refs, |x| {
                        if self.engine.own_math { own_math(*fun, kind, x) } else { math(*fun, kind, x) }
                    })?
                }
            }
            Expression::As { expr, kind, convert } => {
                let rows = self.data(frame, *expr)?;
                let from = self.ty(frame, *expr).scalar_kind();
                lanes(&[&rows], |x| match convert {
                    None => Ok(x[0]),
                    Some(_) => cast(from, *kind, x[0], self.engine.nan),
                })?
            }
            other => return Err(format!("the expression {other:?}")),
        };
        Ok(Value::Data(rows))
    }

    /// `size` lanes of a value, or a pointer to them.
    fn part(
        &mut self,
        frame: &mut Frame<'a>,
        of: Handle<Expression>,
        at: [usize; GROUP],
        size: usize,
    ) -> Result<Value, Stop> {
        Ok(match self.value(frame, of)? {
            Value::Data(rows) => Value::Data(each(|i| rows[i][at[i]..at[i] + size].to_vec())),
            Value::Pointer(base, start) => Value::Pointer(base, each(|i| start[i] + at[i])),
            Value::Texture(_) => return Err("a part of a texture".into()),
        })
    }

    fn texture(&mut self, frame: &mut Frame<'a>, of: Handle<Expression>) -> Result<usize, Stop> {
        match self.value(frame, of)? {
            Value::Texture(texture) => Ok(texture),
            _ => Err("no texture".into()),
        }
    }
}

/// Whether a function changes memory.
fn writes(block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Atomic { .. } | Statement::Store { .. } => true,
        Statement::Block(inner) => writes(inner),
        Statement::If { accept, reject, .. } => writes(accept) || writes(reject),
        Statement::Loop { body, continuing, .. } => writes(body) || writes(continuing),
        _ => false,
    })
}

/// Up to three lanes as floats.
fn triple(lanes: &[u32]) -> [f32; 3] {
    std::array::from_fn(|lane| lanes.get(lane).map_or(0.0, |bits| float(*bits)))
}

/// The difference of neighbours in the quad.
fn difference(rows: &Rows, axis: DerivativeAxis) -> Rows {
    each(|i| {
        let (from, to) = match axis {
            DerivativeAxis::X => (i & 2, i & 2 | 1),
            _ => (i & 1, i & 1 | 2),
        };
        rows[to].iter().zip(&rows[from]).map(|(b, a)| (float(*b) - float(*a)).to_bits()).collect()
    })
}

/// Applies `f` lane by lane; a single lane stands for all beside a vector.
fn lanes(args: &[&Rows], f: impl Fn(&[u32]) -> Result<u32, Stop>) -> Result<Rows, Stop> {
    let mut out: Rows = Default::default();
    for (i, row) in out.iter_mut().enumerate() {
        let count = args.iter().map(|rows| rows[i].len()).max().unwrap_or(0);
        for lane in 0..count {
            let x: Vec<u32> = args.iter().map(|rows| rows[i][lane.min(rows[i].len() - 1)]).collect();
            row.push(f(&x)?);
        }
    }
    Ok(out)
}

fn bits(literal: Literal) -> Result<u32, Stop> {
    match literal {
        Literal::F32(x) => Ok(x.to_bits()),
        Literal::U32(x) => Ok(x),
        Literal::I32(x) => Ok(x as u32),
        Literal::Bool(x) => Ok(u32::from(x)),
        other => Err(format!("the literal {other:?}")),
    }
}

fn binary(op: BinaryOperator, kind: Option<ScalarKind>, a: u32, b: u32) -> Result<u32, Stop> {
    use BinaryOperator as B;
    let (x, y) = (float(a), float(b));
    let is_float = kind == Some(ScalarKind::Float);
    Ok(match op {
        B::Add if is_float => (x + y).to_bits(),
        B::Subtract if is_float => (x - y).to_bits(),
        B::Multiply if is_float => (x * y).to_bits(),
        B::Divide if is_float => (x / y).to_bits(),
        B::Equal if is_float => u32::from(x == y),
        B::NotEqual if is_float => u32::from(x != y),
        B::Less if is_float => u32::from(x < y),
        B::LessEqual if is_float => u32::from(x <= y),
        B::Greater if is_float => u32::from(x > y),
        B::GreaterEqual if is_float => u32::from(x >= y),
        // What WGSL says of integers while running, and not what the IR says.
        B::Divide | B::Modulo if kind == Some(ScalarKind::Sint) => {
            let (x, y) = (a as i32, b as i32);
            let none = if op == B::Divide { x } else { 0 };
            let of = if op == B::Divide { i32::checked_div } else { i32::checked_rem };
            of(x, y).unwrap_or(none) as u32
        }
        B::Divide => a.checked_div(b).unwrap_or(a),
        B::Modulo => a.checked_rem(b).unwrap_or(0),
        B::Less if kind == Some(ScalarKind::Sint) => u32::from((a as i32) < b as i32),
        B::LessEqual if kind == Some(ScalarKind::Sint) => u32::from(a as i32 <= b as i32),
        B::Greater if kind == Some(ScalarKind::Sint) => u32::from(a as i32 > b as i32),
        B::GreaterEqual if kind == Some(ScalarKind::Sint) => u32::from(a as i32 >= b as i32),
        B::Less => u32::from(a < b),
        B::LessEqual => u32::from(a <= b),
        B::Greater => u32::from(a > b),
        B::GreaterEqual => u32::from(a >= b),
        B::ShiftLeft => a << (b & 31),
        B::ShiftRight if kind == Some(ScalarKind::Sint) => ((a as i32) >> (b & 31)) as u32,
        B::ShiftRight => a >> (b & 31),
        B::ExclusiveOr => a ^ b,
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Equal => u32::from(a == b),
        B::NotEqual => u32::from(a != b),
        B::And | B::LogicalAnd => a & b,
        B::InclusiveOr | B::LogicalOr => a | b,
    })
}

fn math(fun: MathFunction, kind: Option<ScalarKind>, x: &[u32]) -> Result<u32, Stop> {
    use MathFunction as M;
    if kind != Some(ScalarKind::Float) {
        return integer_math(fun, kind == Some(ScalarKind::Sint), x);
    }
    let a = float(x[0]);
    let b = x.get(1).map_or(0.0, |b| float(*b));
    let wide = |f: fn(f64) -> f64| f(f64::from(a)) as f32;
    Ok(match fun {
        M::Abs => a.abs(),
        M::Min => a.min(b),
        M::Max => a.max(b),
        M::Saturate => a.clamp(0.0, 1.0),
        M::Cos => wide(f64::cos),
        M::Sin => wide(f64::sin),
        M::Floor => a.floor(),
        M::Ceil => a.ceil(),
        M::Trunc => a.trunc(),
        M::Round => a.round_ties_even(),
        M::Fma => a.mul_add(b, float(x[2])),
        M::Clamp => a.max(b).min(float(x[2])),
        M::Fract => a - a.floor(),
        M::Exp2 => wide(f64::exp2),
        M::Log2 => wide(f64::log2),
        M::Sqrt => a.sqrt(),
        M::InverseSqrt => wide(|a| 1.0 / a.sqrt()),
        M::Sign if a == 0.0 || a.is_nan() => 0.0,
        M::Sign => a.signum(),
        M::Pow if a < 0.0 => f32::NAN,
        M::Pow => f64::from(a).powf(f64::from(b)) as f32,
        other => return Err(format!("the function {other:?}")),
    }
    .to_bits())
}

/// As [`math`], with the functions of the library.
fn own_math(fun: MathFunction, kind: Option<ScalarKind>, x: &[u32]) -> Result<u32, Stop> {
    use MathFunction as M;
    let pure = match fun {
        M::Pow if float(x[0]) >= 0.0 || float(x[0]).is_nan() => Pure::Pow,
        M::Min if kind == Some(ScalarKind::Float) => Pure::Min,
        M::Max if kind == Some(ScalarKind::Float) => Pure::Max,
        M::Saturate => Pure::Saturate,
        // The clamp of SPIR-V is written for it.
        M::Clamp if kind == Some(ScalarKind::Float) && x[1..] == [0, 0x3f80_0000] => Pure::Saturate,
        M::Cos => Pure::Cos,
        M::Sin => Pure::Sin,
        M::Exp2 => Pure::Exp2,
        M::Log2 => Pure::Log2,
        M::Sqrt => Pure::Sqrt,
        M::InverseSqrt => Pure::Rsq,
        _ => return math(fun, kind, x),
    };
    Ok(pure.eval(Scalar::F32, Arith::IEEE, [x[0], x.get(1).copied().unwrap_or(0), 0, 0]))
}

/// Functions of integers.
fn integer_math(fun: MathFunction, signed: bool, x: &[u32]) -> Result<u32, Stop> {
    use MathFunction as M;
    let a = x[0];
    let least = |a: u32, b: u32| if signed { (a as i32).min(b as i32) as u32 } else { a.min(b) };
    let most = |a: u32, b: u32| if signed { (a as i32).max(b as i32) as u32 } else { a.max(b) };
    Ok(match fun {
        M::Clamp => least(most(a, x[1]), x[2]),
        M::Min => least(a, x[1]),
        M::Max => most(a, x[1]),
        M::Abs if signed => (a as i32).unsigned_abs(),
        M::Sign => (a as i32).signum() as u32,
        M::ReverseBits => (0..32).fold(0, |bits, i| bits | (a >> i & 1) << (31 - i)),
        M::CountOneBits => (0..32).filter(|i| a >> i & 1 == 1).count() as u32,
        M::FirstTrailingBit => (0..32).find(|i| a >> i & 1 == 1).unwrap_or(u32::MAX),
        M::FirstLeadingBit => {
            let sign = if signed { a >> 31 } else { 0 };
            (0..32).rev().find(|i| a >> i & 1 != sign).unwrap_or(u32::MAX)
        }
        M::ExtractBits => {
            let start = x[1].min(32);
            let count = x[2].min(32 - start);
            let bits = (0..count).fold(0, |bits, i| bits | (a >> (start + i) & 1) << i);
            let negative = signed && count > 0 && bits >> (count - 1) & 1 == 1;
            if negative { (count..32).fold(bits, |bits, i| bits | 1 << i) } else { bits }
        }
        M::InsertBits => {
            let start = x[2].min(32);
            let count = x[3].min(32 - start);
            (0..count).fold(a, |bits, i| bits & !(1 << (start + i)) | (x[1] >> i & 1) << (start + i))
        }
        other => return Err(format!("the function {other:?} of integers")),
    })
}

/// The nearest half float, found among all.
fn to_half(x: f32) -> u32 {
    if x.is_nan() {
        return 0x7e01;
    }
    // Every finite half is an exact f32, and they are in the order of their bits.
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    let (mut low, mut high) = (0u32, 0x7bff);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if float(from_half(middle)) <= x {
            low = middle;
        } else {
            high = middle;
        }
    }
    let away = |half: u32| (f64::from(x) - f64::from(float(from_half(half)))).abs();
    let nearest = if away(low) < away(high) || away(low) == away(high) && low & 1 == 0 { low } else { high };
    nearest | sign
}

fn from_half(half: u32) -> u32 {
    let (exponent, fraction) = ((half >> 10 & 31) as i32, f64::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if half & 0x3ff == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    (if half >> 15 & 1 == 1 { -magnitude } else { magnitude } as f32).to_bits()
}

fn cast(from: Option<ScalarKind>, to: ScalarKind, x: u32, nan: u32) -> Result<u32, Stop> {
    let a = float(x);
    Ok(match (from, to) {
        // The last float that the type holds.
        (Some(ScalarKind::Float), ScalarKind::Sint | ScalarKind::Uint) if a.is_nan() => nan,
        (Some(ScalarKind::Float), ScalarKind::Sint) => a.min(2_147_483_520.0) as i32 as u32,
        (Some(ScalarKind::Float), ScalarKind::Uint) => a.min(4_294_967_040.0) as u32,
        (Some(ScalarKind::Uint), ScalarKind::Float) => (x as f32).to_bits(),
        (Some(ScalarKind::Sint), ScalarKind::Float) => (x as i32 as f32).to_bits(),
        (Some(ScalarKind::Bool), ScalarKind::Float) => f32::from(u8::from(x != 0)).to_bits(),
        (Some(ScalarKind::Bool), ScalarKind::Sint | ScalarKind::Uint) => u32::from(x != 0),
        (Some(ScalarKind::Sint | ScalarKind::Uint), ScalarKind::Sint | ScalarKind::Uint) => x,
        (Some(from), to) if from == to => x,
        (from, to) => return Err(format!("a conversion from {from:?} to {to:?}")),
    })
}
