//! The stages between vertices and pixels: geometry and domain shaders, and what comes into and goes out of them for each
//! vertex.

use super::interface::{Field, Fields, Interface, semantic, stage_name};
use super::language::Hlsl;
use super::rules::{self, refused};
use super::{Model, Options, words};
use crate::common::Names;
use crate::emits::EmittedVertices;
use crate::plan::Plan;
use crate::splice::MAX_DEPTH;
use crate::text::{Body, Language as _, Spelling, identifier, lanes_of};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{
    Input, InputKind, Op, Output, OutputKind, Primitive, Scalar, Shader, Stage, System, Type,
};

/// What parameters and variables of these stages are called.
pub(super) const TAKEN: &[&str] = &[
    "constants",
    "id",
    "inner",
    "input",
    "instance",
    "location",
    "outer",
    "output",
    "place",
    "primitive_id",
    "stream",
];

/// The shader with the number of vertices of a patch, if it leaves that open: the stage before says it, or what it reads.
pub(super) fn sized(shader: &Shader, options: &Options<'_>) -> Option<Shader> {
    let setup = &shader.setup;
    let patch = matches!(shader.stage, Stage::TessControl | Stage::TessEval);
    if !patch || setup.vertices_in > 0 {
        return None;
    }
    let hull = options.partner.filter(|partner| partner.stage == Stage::TessControl);
    let vertices = match (options.patch_vertices, hull) {
        (1.., _) => options.patch_vertices.min(PATCH),
        (_, Some(hull)) if shader.stage == Stage::TessEval => hull.setup.invocations.max(1),
        _ => {
            let mut most = match (shader.stage, domain(shader)) {
                (Stage::TessControl, _) => setup.invocations.max(1),
                (_, Primitive::Quads) => 4,
                (_, Primitive::Lines) => 2,
                _ => 3,
            };
            let known = Plan::new(shader, |_| true, MAX_DEPTH, options.style, true);
            shader.body.for_each_inst(&mut |inst| {
                let vertex = shader.args(inst.args).first().filter(|_| matches!(inst.op, Op::InputOf { .. }));
                let number = vertex.and_then(|vertex| known.constant(*vertex)).map_or(0, |bits| bits[0]);
                if number < PATCH {
                    most = most.max(number + 1);
                }
            });
            most
        }
    };
    let mut sized = shader.clone();
    sized.setup.vertices_in = vertices;
    Some(sized)
}

/// The most vertices that an invocation gives.
fn vertices_out(shader: &Shader) -> u32 {
    let most = shader.setup.max_vertices;
    EmittedVertices::of(&shader.body).bound().map_or(most, |bound| most.min(bound)).max(1)
}

/// The domain of a domain shader.
const fn domain(shader: &Shader) -> Primitive {
    shader.setup.primitive_in
}

/// What stands in front of the entry point.
pub(super) fn attributes(shader: &Shader, options: &Options<'_>) -> Result<String, Diagnostic> {
    let setup = &shader.setup;
    let lacks = |what: &str| refused(rules::STAGE, format!("{what}, which HLSL cannot say"));
    Ok(match shader.stage {
        Stage::Compute => {
            let [x, y, z] = setup.workgroup;
            format!("[numthreads({x}, {y}, {z})]\n")
        }
        Stage::Geometry => {
            if setup.one_sequence {
                return Err(lacks("the vertices of all streams are in one sequence"));
            }
            if setup.primitive_limit {
                return Err(lacks("the number of vertices is limited for each primitive"));
            }
            if setup.primitive_in == Primitive::Patches {
                return Err(lacks("the geometry shader takes patches"));
            }
            let instances = match setup.invocations {
                0 | 1 => String::new(),
                n if options.model.since(Model::SM5_0) => format!("[instance({n})]\n"),
                n => {
                    let what = format!(
                        "shader model {} does not have {n} invocations for a primitive",
                        options.model
                    );
                    return Err(refused(rules::STAGE, what));
                }
            };
            format!("{instances}[maxvertexcount({})]\n", vertices_out(shader))
        }
        Stage::TessEval => format!("[domain(\"{}\")]\n", domain_name(domain(shader))),
        _ => String::new(),
    })
}

pub(super) const fn domain_name(domain: Primitive) -> &'static str {
    match domain {
        Primitive::Quads => "quad",
        Primitive::Lines => "isoline",
        _ => "tri",
    }
}

/// How many outer and inner levels a patch has.
pub(super) const fn level_counts(domain: Primitive) -> [usize; 2] {
    match domain {
        Primitive::Quads => [4, 2],
        Primitive::Lines => [2, 0],
        _ => [3, 1],
    }
}

/// The lanes of the levels that come in, as bits.
pub(super) const fn levels(shader: &Shader, system: System) -> u8 {
    let [outer, inner] = level_counts(domain(shader));
    let count = if matches!(system, System::TessOuter) { outer } else { inner };
    (1 << count) - 1
}

/// Declares a system value of a stage with vertices as a parameter, or as a variable at the start, and gives the expression
/// for it.
pub(super) fn system<'s>(
    system: System,
    (shader, options): (&Shader, &Options<'_>),
    (parameters, first): (&mut Vec<String>, &mut Vec<String>),
) -> Option<Spelling<'s>> {
    let stage = shader.stage;
    let mut begin = |line: String| {
        if !first.contains(&line) {
            first.push(line);
        }
    };
    let (parameter, spelling) = match (system, stage) {
        (System::PrimitiveIndex, _) => {
            ("uint primitive_id : SV_PrimitiveID", Spelling::plain("primitive_id"))
        }
        (System::InvocationIndex, Stage::Geometry) if shader.setup.invocations <= 1 => {
            return Some(Spelling::plain("0u"));
        }
        (System::InvocationIndex, Stage::Geometry) if options.model.since(Model::SM5_0) => {
            ("uint instance : SV_GSInstanceID", Spelling::plain("instance"))
        }
        (System::InvocationIndex, Stage::TessControl) => {
            ("uint id : SV_OutputControlPointID", Spelling::plain("id"))
        }
        (System::VerticesIn, _) => return Some(Spelling::plain(format!("{}u", shader.setup.vertices_in))),
        (System::TessCoord, Stage::TessEval) => match domain(shader) {
            Primitive::Triangles => ("float3 place : SV_DomainLocation", Spelling::plain("place")),
            _ => {
                begin("float3 place = float3(location, 0.0);".into());
                ("float2 location : SV_DomainLocation", Spelling::plain("place"))
            }
        },
        (System::TessOuter | System::TessInner, Stage::TessEval) => {
            let [outer, inner] = level_counts(domain(shader));
            let (name, count, lanes) =
                if system == System::TessOuter { ("outer", outer, 4) } else { ("inner", inner, 2) };
            let lane = |n: usize| match count {
                1 if n == 0 => format!("constants.{name}"),
                _ if n < count => format!("constants.{name}[{n}]"),
                _ => "0.0".into(),
            };
            let list: Vec<String> = (0..lanes).map(lane).collect();
            begin(format!("float{lanes} {name} = float{lanes}({});", list.join(", ")));
            return Some(Spelling::plain(name));
        }
        _ => return None,
    };
    if !parameters.iter().any(|there| there == parameter) {
        parameters.push(parameter.into());
    }
    Some(spelling)
}

impl Fields {
    /// What a patch has besides its levels.
    pub(super) fn patch() -> Self {
        let mut fields = Self::default();
        ["outer", "inner"].iter().for_each(|name| _ = fields.take(name));
        fields
    }

    /// Declares the levels of a patch.
    pub(super) fn levels(&mut self, domain: Primitive) {
        let [outer, inner] = level_counts(domain);
        let line = |name: &str, semantic: &str, count: usize| match count {
            1 => format!("    float {name} : {semantic};\n"),
            count => format!("    float {name}[{count}] : {semantic};\n"),
        };
        self.lines.push(((0, 0), line("outer", "SV_TessFactor", outer)));
        if inner > 0 {
            self.lines.push(((0, 1), line("inner", "SV_InsideTessFactor", inner)));
        }
    }

    /// Declares what a vertex has, if the model has it. What the stage before gave to the rasterizer is known by its meaning.
    pub(super) fn of_vertex(&mut self, input: &Input, options: &Options<'_>) -> Option<String> {
        let InputKind::Varying { location } = input.kind else { return None };
        let Type { scalar, lanes } = input.ty;
        let float = scalar == Scalar::F32;
        let (place, ty, semantic) = match input.semantic.to_ascii_lowercase().as_str() {
            "position" if float => ((0, 0), Type::F32X4, "SV_Position".into()),
            "psize" if float => ((3, 0), Type::F32, "PSIZE".into()),
            "clipdist" | "clipdist0" if float => ((2, 0), Type::F32X4, "SV_ClipDistance0".into()),
            "clipdist[1]" | "clipdist1" if float => ((2, 1), Type::F32X4, "SV_ClipDistance1".into()),
            _ => ((1, location), Type::new(scalar, 4), semantic(&input.semantic, location)),
        };
        let ty_name = Hlsl::type_name(ty);
        let end = format!(" : {semantic};\n");
        // It is `    float4 NAME : …`.
        let there = self.lines.iter().find(|(_, line)| line.ends_with(&end)).map(|(_, line)| line.clone());
        let there = there.as_deref().map(|line| {
            let mut words = line.split_whitespace();
            (words.next().unwrap_or_default(), words.next().unwrap_or_default())
        });
        let name = match there {
            Some((of, name)) if of == ty_name => name.into(),
            Some(_) => return None,
            None => {
                let name = self.take(&options.naming().input(input));
                self.push(place, ("", ty_name, semantic), &name);
                name
            }
        };
        let of = format!("input[@].{name}");
        Some(match lanes {
            // The others are zero.
            2.. if ty == Type::F32 => {
                let all = Hlsl::type_name(input.ty);
                format!("{all}({of}{})", ", 0.0".repeat(usize::from(lanes.min(4)) - 1))
            }
            _ if ty == Type::F32 => of,
            _ => format!("{of}{}", lanes_of(input.ty)),
        })
    }

    /// Declares what the stage before writes and this one does not read, so that both have the same registers.
    fn rest_of(&mut self, partner: Option<&Shader>, of_patch: bool) {
        for output in partner.map_or(&[][..], |partner| &partner.outputs) {
            let location = match output.kind {
                OutputKind::Varying { location } if !of_patch => location,
                OutputKind::PatchVarying { location } if of_patch => location,
                _ => continue,
            };
            if self.lines.iter().any(|(place, _)| *place == (1, location)) {
                continue;
            }
            let name = self.take(&identifier(&output.name));
            let ty = Hlsl::type_name(Type::new(output.scalar, 4));
            self.push((1, location), ("", ty, semantic(&output.semantic, location)), &name);
        }
    }
}

/// What comes in for each vertex, and for the patch.
pub(super) struct StageInputs {
    pub(super) of_vertices: Fields,
    pub(super) of_patch: Fields,
    pub(super) parameters: Vec<String>,
}

impl StageInputs {
    pub(super) fn new() -> Self {
        Self { of_vertices: Fields::default(), of_patch: Fields::patch(), parameters: Vec::new() }
    }
}

impl<'s> Interface<'s> {
    /// Declares what comes in for each vertex, and gives the parameters.
    pub(super) fn vertices(&mut self, shader: &Shader, options: &Options<'_>, comes: StageInputs) -> String {
        let StageInputs { mut of_vertices, mut of_patch, parameters } = comes;
        of_vertices.position(true, false);
        of_vertices.rest_of(options.partner, false);
        let (name, count) = (format!("{}Input", stage_name(shader.stage)), shader.setup.vertices_in.max(1));
        self.structure(&name, of_vertices.lines);
        let vertices = match shader.stage {
            Stage::TessControl => format!("InputPatch<{name}, {count}> input"),
            Stage::TessEval => {
                of_patch.levels(domain(shader));
                of_patch.rest_of(options.partner, true);
                self.structure("PatchConstants", of_patch.lines);
                format!("const OutputPatch<{name}, {count}> input")
            }
            _ => {
                let kind = match shader.setup.primitive_in {
                    Primitive::Points => "point",
                    Primitive::Lines => "line",
                    Primitive::LinesAdjacency => "lineadj",
                    Primitive::TrianglesAdjacency => "triangleadj",
                    _ => "triangle",
                };
                format!("{kind} {name} input[{count}]")
            }
        };
        let constants = (shader.stage == Stage::TessEval).then(|| String::from("PatchConstants constants"));
        let mut all: Vec<String> = constants.into_iter().chain(parameters).collect();
        // A patch comes after its constants, vertices of a primitive before.
        all.insert(if shader.stage == Stage::TessEval { all.len() } else { 0 }, vertices);
        all.join(", ")
    }

    /// Declares what a geometry shader gives, and gives its parameters.
    pub(super) fn streams(
        &mut self,
        names: &mut Names,
        shader: &Shader,
        options: &Options<'_>,
    ) -> Result<Vec<String>, Diagnostic> {
        let most = EmittedVertices::of(&shader.body).most;
        let (kind, out) = match shader.setup.primitive_out {
            Primitive::Points => ("PointStream", "points"),
            Primitive::LineStrip => ("LineStream", "lines"),
            _ => ("TriangleStream", "triangles"),
        };
        if most > 0 && (kind != "PointStream" || !options.model.since(Model::SM5_0)) {
            let what = format!("several streams of {out} in shader model {}", options.model);
            return Err(refused(rules::STAGE, what));
        }
        self.cells = alloc::vec![Spelling::default(); shader.outputs.len()];
        let mut parameters = Vec::new();
        let mut copies = [const { Vec::new() }; 4];
        for stream in 0..=most.min(3) {
            let suffix = if stream > 0 { format!("_{stream}") } else { String::new() };
            let name = names.take(format!("GeometryOutput{suffix}"), words::is_word).into_owned();
            let mut fields = Fields::default();
            for (i, output) in shader.outputs.iter().enumerate().filter(|(_, output)| is_of(output, stream)) {
                let (field, ty, _) = fields.output(shader, output, options)?;
                if most == 0 {
                    self.cells[i] = Spelling { before: "output.", name: field.into(), after: "" };
                    continue;
                }
                // Those of several streams are variables, which are copied.
                if self.cells[i].is_empty() {
                    let name = names.take(field.as_str(), words::is_word).into_owned();
                    self.outside.first.push(format!("{ty} {name};"));
                    self.cells[i] = Spelling::plain(name.clone());
                }
                let variable = &self.cells[i].name;
                copies[usize::from(stream)].push(format!("output{suffix}.{field} = {variable};"));
            }
            self.outside.first.push(format!("{name} output{suffix};"));
            if let Some(name) = fields.position(stream == 0, false) {
                self.outside.first.push(format!("output{suffix}.{name} = float4(0.0, 0.0, 0.0, 0.0);"));
            }
            let lanes: u32 = fields.lines.iter().map(lanes_in).sum();
            let count = vertices_out(shader);
            if lanes * count > MOST_LANES {
                let what = format!("{count} vertices of {lanes} lanes each");
                return Err(refused(rules::OUTPUT, what));
            }
            if fields.lines.is_empty() {
                // There has to be something.
                let field = fields.take("nothing");
                fields.push((1, 0), ("", "float4", semantic("", 0)), &field);
                self.outside.first.push(format!("output{suffix}.{field} = float4(0.0, 0.0, 0.0, 0.0);"));
            }
            self.structure(&name, fields.lines);
            parameters.push(format!("inout {kind}<{name}> stream{suffix}"));
        }
        self.outside.outputs_of = copies.map(|lines| lines.join("\n")).to_vec();
        Ok(parameters)
    }
}

/// Whether some lane of an output belongs to a stream.
fn is_of(output: &Output, stream: u8) -> bool {
    output.streams.iter().any(|of| *of == stream || *of == Output::EVERY_STREAM)
}

/// The lanes of a field.
fn lanes_in((_, line): &Field) -> u32 {
    let ty =
        line.split_whitespace().find(|word| ["float", "int", "uint"].iter().any(|ty| word.starts_with(ty)));
    match ty.and_then(|ty| ty.bytes().last()) {
        Some(digit @ b'2'..=b'4') => u32::from(digit - b'0'),
        _ => 1,
    }
}

impl Body<'_, '_, Hlsl> {
    /// Writes what gives a vertex to a stream, or ends its primitive.
    pub(super) fn emit_to_stream(&mut self, stream: u8, ends: bool) {
        let suffix = if stream > 0 { format!("_{stream}") } else { String::new() };
        let points = self.shader.setup.primitive_out == Primitive::Points;
        // A primitive of a stream that no vertex goes to is nothing, and points are whole ones.
        if ends && (stream > self.emits.most || points) {
            return;
        }
        if !ends {
            let copies = self.outside.outputs_of.get(usize::from(stream)).map_or("", String::as_str);
            for line in copies.lines() {
                self.line();
                self.out.push_str(line);
                self.out.push('\n');
            }
        }
        self.line();
        let what = if ends { "RestartStrip()".into() } else { format!("Append(output{suffix})") };
        self.out.push_str(&format!("stream{suffix}.{what};\n"));
    }
}

/// The most vertices of a patch.
const PATCH: u32 = 32;
/// The most lanes that an invocation of a geometry shader gives.
const MOST_LANES: u32 = 1024;
