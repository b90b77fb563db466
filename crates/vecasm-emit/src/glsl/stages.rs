//! Tessellation and geometry: what the stages declare, vertices that are given one by one, cells that the invocations of a
//! patch share.

use super::Version;
use super::language::Glsl;
use super::rules::{self, refused};
use crate::emits::EmittedVertices;
use crate::text::{Body, Language as _};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{Output, OutputKind, Primitive, Scalar, Shader, Spacing, Stage, Type};

/// The vertices of a geometry shader that every implementation takes: the least `gl_MaxGeometryOutputVertices` there is.
const MOST_VERTICES: u32 = 256;

/// The most vertices that a geometry shader gives: what it declares, or if that is much what it can give.
fn most_vertices(shader: &Shader) -> u32 {
    let declared = shader.setup.max_vertices;
    match EmittedVertices::of(&shader.body).bound() {
        Some(bound) if declared > MOST_VERTICES => declared.min(bound),
        _ => declared,
    }
}

/// Refuses a stage, or what it declares, that the version has not.
pub(super) fn check(shader: &Shader, version: Version) -> Result<(), Diagnostic> {
    let there = match shader.stage {
        Stage::Vertex | Stage::Fragment => true,
        Stage::Compute => version.since(430, 310),
        Stage::Geometry => version.since(150, 310),
        Stage::TessControl | Stage::TessEval => version.since(400, 310),
    };
    if !there {
        return Err(refused(rules::STAGE, format!("GLSL {version} has no {} shaders", shader.stage.name())));
    }
    if shader.setup.early_tests && !version.since(130, 310) {
        let what = format!("GLSL {version} has no tests before the fragment shader");
        return Err(refused(rules::STAGE, what));
    }
    if shader.stage != Stage::Geometry {
        return Ok(());
    }
    let setup = &shader.setup;
    let most = EmittedVertices::of(&shader.body).most;
    let vertices = most_vertices(shader);
    let wrong = if setup.one_sequence {
        Some("the vertices of all streams are in one sequence".to_string())
    } else if setup.primitive_limit {
        Some("the number of vertices is limited for each primitive".into())
    } else if setup.primitive_in == Primitive::Patches {
        Some("the geometry shader takes patches".into())
    } else if setup.invocations > 1 && !version.since(400, 310) {
        Some(format!("GLSL {version} has only one invocation for each primitive"))
    } else if vertices > MOST_VERTICES {
        Some(format!("it may give {vertices} vertices, where OpenGL promises {MOST_VERTICES}"))
    } else if most > 0 && !version.since(400, u16::MAX) {
        Some(format!("GLSL {version} has only one stream of vertices"))
    } else if most > 0 && setup.primitive_out != Primitive::Points {
        Some("several streams take only points".into())
    } else {
        None
    };
    match wrong {
        Some(what) => Err(refused(rules::STAGE, what)),
        None => Ok(()),
    }
}

/// The extension by which an older version has a stage, or what it declares.
pub(super) fn extension(shader: &Shader, version: Version) -> Option<&'static str> {
    let old = version.is_es() && !version.since(0, 320);
    match shader.stage {
        Stage::Geometry if old => Some("GL_EXT_geometry_shader"),
        Stage::TessControl | Stage::TessEval if old => Some("GL_EXT_tessellation_shader"),
        Stage::Fragment if shader.setup.early_tests && !version.since(420, 310) => {
            Some("GL_ARB_shader_image_load_store")
        }
        _ => None,
    }
}

/// The extension by which ES has the size of points in a stage.
pub(super) fn sized_points(stage: Stage, version: Version) -> Option<&'static str> {
    match stage {
        Stage::Geometry if version.is_es() => Some("GL_EXT_geometry_point_size"),
        Stage::TessControl | Stage::TessEval if version.is_es() => Some("GL_EXT_tessellation_point_size"),
        _ => None,
    }
}

/// What a stage declares of itself.
pub(super) fn layout(shader: &Shader) -> String {
    let setup = &shader.setup;
    match shader.stage {
        Stage::Compute => {
            let [x, y, z] = setup.workgroup;
            format!("\nlayout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\n")
        }
        Stage::TessControl => format!("\nlayout(vertices = {}) out;\n", setup.invocations.max(1)),
        Stage::TessEval => {
            let domain = match setup.primitive_in {
                Primitive::Quads => "quads",
                Primitive::Lines => "isolines",
                _ => "triangles",
            };
            let spacing = match setup.spacing {
                Spacing::Equal => "equal_spacing",
                Spacing::FractionalOdd => "fractional_odd_spacing",
                Spacing::FractionalEven => "fractional_even_spacing",
            };
            let order = if setup.clockwise { "cw" } else { "ccw" };
            let points = if setup.points { ", point_mode" } else { "" };
            format!("\nlayout({domain}, {spacing}, {order}{points}) in;\n")
        }
        Stage::Geometry => {
            let comes = match setup.primitive_in {
                Primitive::Points => "points",
                Primitive::Lines => "lines",
                Primitive::LinesAdjacency => "lines_adjacency",
                Primitive::TrianglesAdjacency => "triangles_adjacency",
                _ => "triangles",
            };
            let goes = match setup.primitive_out {
                Primitive::Points => "points",
                Primitive::LineStrip => "line_strip",
                _ => "triangle_strip",
            };
            let times = if setup.invocations > 1 {
                format!(", invocations = {}", setup.invocations)
            } else {
                String::new()
            };
            let most = most_vertices(shader).max(1);
            format!("\nlayout({comes}{times}) in;\nlayout({goes}, max_vertices = {most}) out;\n")
        }
        // Other fragments are tested behind the shader.
        Stage::Fragment if setup.early_tests => "\nlayout(early_fragment_tests) in;\n".into(),
        _ => String::new(),
    }
}

/// What the name of a varying that is matched by name begins with: the stage that gives it, because one between two others has
/// both that comes in and that goes out with a meaning.
pub(super) const fn varying_prefix(from: Stage) -> &'static str {
    match from {
        Stage::TessControl => "control_",
        Stage::TessEval => "evaluation_",
        Stage::Geometry => "geometry_",
        _ => "",
    }
}

/// The built-in variable that a varying comes from, known by its meaning, for vertex `@`: its spelling, and whether it is
/// the size of a point.
pub(super) fn of_vertex(semantic: &str, ty: Type) -> Option<(String, bool)> {
    if ty.scalar != Scalar::F32 {
        return None;
    }
    let lanes = |lanes: [String; 4]| match ty.lanes {
        1 => lanes[0].clone(),
        n => format!("{}({})", Glsl::type_name(ty), lanes[..usize::from(n.min(4))].join(", ")),
    };
    let distances = |first: u32| {
        let lane = |n: u32| format!("gl_in[@].gl_ClipDistance[{}]", first + n);
        (lanes([lane(0), lane(1), lane(2), lane(3)]), false)
    };
    Some(match semantic.to_ascii_lowercase().as_str() {
        "position" if ty.lanes == 4 => ("gl_in[@].gl_Position".into(), false),
        "psize" => {
            let none = || String::from("0.0");
            (lanes(["gl_in[@].gl_PointSize".into(), none(), none(), none()]), true)
        }
        "clipdist" => distances(0),
        "clipdist[1]" => distances(4),
        _ => return None,
    })
}

/// The stream that an output of a geometry shader belongs to, if there are several.
///
/// # Errors
///
/// If its lanes belong to several.
pub(super) fn stream(shader: &Shader, output: &Output) -> Result<Option<u8>, Diagnostic> {
    if shader.stage != Stage::Geometry || EmittedVertices::of(&shader.body).most == 0 {
        return Ok(None);
    }
    let stream = output.streams[0];
    if output.streams.iter().any(|of| *of != stream) || stream == Output::EVERY_STREAM {
        return Err(refused(rules::OUTPUT, format!("{} belongs to several streams", output.name)));
    }
    Ok(Some(stream))
}

impl Body<'_, '_, Glsl> {
    /// Gives the cells of the patch their first values, unless every invocation writes all of them.
    pub(super) fn begin_patch(&mut self) {
        let shader = self.shader;
        if shader.stage != Stage::TessControl {
            return;
        }
        let open: Vec<usize> = (0..shader.outputs.len())
            .filter(|n| {
                let cell = self.plan.cells.get(*n);
                let covered = cell.is_some_and(|cell| cell.is_whole() && cell.last.is_some());
                shader.outputs[*n].kind.is_of_patch() && !covered
            })
            .collect();
        if open.is_empty() {
            return;
        }
        let one = shader.setup.invocations <= 1;
        self.line();
        self.out.push_str(if one { "{\n" } else { "if (gl_InvocationID == 0) {\n" });
        self.deeper(|this| open.into_iter().for_each(|n| this.first_value(n)));
        self.line();
        self.out.push_str("}\n");
        if !one {
            self.line();
            self.out.push_str("barrier();\n");
        }
    }

    /// Writes what gives a vertex to a stream, or ends its primitive.
    pub(super) fn emit_to_stream(&mut self, stream: u8, ends: bool) {
        if self.emits.most > 0 {
            self.line();
            let what = if ends { "EndStreamPrimitive" } else { "EmitStreamVertex" };
            self.out.push_str(&format!("{what}({stream});\n"));
        } else if stream == 0 {
            // A primitive of a stream that no vertex goes to is nothing.
            self.line();
            self.out.push_str(if ends { "EndPrimitive();\n" } else { "EmitVertex();\n" });
        }
    }

    /// Writes the meeting of the invocations of a patch.
    pub(super) fn meet_patch(&mut self) {
        if !self.is_outermost() {
            let what = "a barrier of a patch is inside a branch or loop";
            return self.refuse(rules::STAGE, what.into());
        }
        self.line();
        self.out.push_str("barrier();\n");
    }
}

/// The array of the levels of a patch that an output is.
pub(super) fn levels(kind: OutputKind) -> Option<&'static str> {
    match kind {
        OutputKind::TessOuter => Some("gl_TessLevelOuter"),
        OutputKind::TessInner => Some("gl_TessLevelInner"),
        _ => None,
    }
}

/// What is there for each vertex of a patch, of the invocation's own one.
pub(super) fn own(of: &str) -> String {
    of.replace('@', "gl_InvocationID")
}

/// The spellings of the cells of a vertex of the patch, one for each output.
pub(super) fn no_cells(shader: &Shader) -> Vec<String> {
    vec![String::new(); shader.outputs.len()]
}
