//! The command form: calls of `Context3D`, replayed.

use super::json::Node;
use super::{
    Bank, Canvas, Command, Image, MAX_ATTRIBUTES, MAX_CONSTANTS, MAX_SAMPLERS, Programs, Reader, Scene, View,
    channels, mesh, pattern, rows_of, sampler_state, stage_word, with_mips,
};
use crate::RenderError;
use crate::draw::VertexBuffer;
use crate::state::{BlendFactor, Compare, DepthTest, Face, Rect, StencilAction, StencilOps, VertexFormat};
use crate::target::{Extent, MAX_SIDE};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::texture::Texture;
use vecasm_ir::ir::{Dim, Stage};

/// The names of one kind of thing, with their places in the scene.
type Names<'j> = BTreeMap<&'j str, usize>;

#[derive(Default)]
struct Tables<'j> {
    programs: Names<'j>,
    buffers: Names<'j>,
    indices: Names<'j>,
    textures: Names<'j>,
}

/// The place of a name in its table.
fn find(names: &Names<'_>, node: Node<'_, '_>, what: &str) -> Result<usize, RenderError> {
    let name = node.text()?;
    names.get(name).copied().ok_or_else(|| node.error(format!("no {what} \"{name}\"")))
}

pub(super) fn read(root: Node<'_, '_>, mut reader: Reader<'_>) -> Result<Scene, RenderError> {
    root.only(&[
        "title",
        "description",
        "source",
        "note",
        "stage",
        "view",
        "programs",
        "vertex_buffers",
        "index_buffers",
        "textures",
        "commands",
        "compare",
        "ignore_rectangles",
        "expected",
    ])?;
    let stage = canvas(root.need("stage")?)?;
    let view = match root.get("view") {
        Some(node) => view(node)?,
        None => View { x: 0, y: 0, extent: Extent::new(stage.width, stage.height, 1)?, depth_stencil: true },
    };
    let mut tables = Tables::default();
    let mut scene = Scene {
        stage,
        view,
        layer: None,
        programs: Vec::new(),
        buffers: Vec::new(),
        indices: Vec::new(),
        textures: Vec::new(),
        commands: Vec::new(),
    };
    let programs = root.need("programs")?;
    for (name, node) in programs.entries()? {
        node.only(&["vertex", "fragment", "vertex_text", "fragment_text"])?;
        let mut one = |stage: Stage, code: &str, text: &str| {
            let mut of = match (node.get(code), node.get(text)) {
                (Some(code), _) => reader.program(stage, code)?,
                (None, Some(text)) => {
                    reader.compile(stage, text, &text.path(), text.text()?.as_bytes().to_vec())?
                }
                (None, None) => return Err(node.error(format!("\"{code}\" or \"{text}\" is missing"))),
            };
            // Commands set registers themselves; what they leave is computed from default values.
            let computed = reader.computed(node, &of, &[])?;
            if !computed.is_empty() {
                Rc::make_mut(&mut of.shader).symbols.defaults.extend(computed);
            }
            Ok(of)
        };
        let vertex = one(Stage::Vertex, "vertex", "vertex_text")?;
        let fragment = one(Stage::Fragment, "fragment", "fragment_text")?;
        let programs = Programs { vertex, tess_control: None, tess_eval: None, geometry: None, fragment };
        scene.programs.push(programs);
        tables.programs.insert(name, scene.programs.len() - 1);
    }
    if let Some(buffers) = root.get("vertex_buffers") {
        for (name, node) in buffers.entries()? {
            scene.buffers.push(vertex_buffer(node)?);
            tables.buffers.insert(name, scene.buffers.len() - 1);
        }
    }
    if let Some(buffers) = root.get("index_buffers") {
        for (name, node) in buffers.entries()? {
            let mut indices = Vec::new();
            for item in node.items()? {
                indices.push(item.count(u32::MAX)?);
            }
            scene.indices.push(indices);
            tables.indices.insert(name, scene.indices.len() - 1);
        }
    }
    if let Some(textures) = root.get("textures") {
        for (name, node) in textures.entries()? {
            let image = texture(node, name, &mut reader)?;
            scene.textures.push(image);
            tables.textures.insert(name, scene.textures.len() - 1);
        }
    }
    let commands = root.need("commands")?;
    for node in commands.items()? {
        let command = command(node, &tables)?;
        scene.commands.push((node.path(), command));
    }
    Ok(scene)
}

fn canvas(node: Node<'_, '_>) -> Result<Canvas, RenderError> {
    node.only(&["width", "height", "background"])?;
    let side = |key| node.need(key)?.integer(1, i64::from(MAX_SIDE));
    let (width, height) = (side("width")? as u32, side("height")? as u32);
    let background = match node.get("background") {
        Some(n) => pattern::color(n)?,
        None => [1.0; 4],
    };
    Ok(Canvas { width, height, background })
}

fn view(node: Node<'_, '_>) -> Result<View, RenderError> {
    node.only(&["x", "y", "width", "height", "antialias", "depth_stencil", "profile"])?;
    let place = |key| match node.get(key) {
        Some(n) => n.integer(-i64::from(MAX_SIDE), i64::from(MAX_SIDE)).map(|v| v as i32),
        None => Ok(0),
    };
    let side = |key| node.need(key)?.count(MAX_SIDE);
    let samples = match node.get("antialias") {
        Some(n) => n.count(16)?.max(1),
        None => 1,
    };
    if let Some(n) = node.get("profile") {
        n.text()?;
    }
    let extent = Extent::new(side("width")?, side("height")?, samples).map_err(|e| node.error(e.message))?;
    let depth_stencil = node.get("depth_stencil").map_or(Ok(true), |n| n.flag())?;
    Ok(View { x: place("x")?, y: place("y")?, extent, depth_stencil })
}

fn vertex_buffer(node: Node<'_, '_>) -> Result<VertexBuffer, RenderError> {
    node.only(&["stride_words", "layout", "data"])?;
    let stride_node = node.need("stride_words")?;
    let stride = stride_node.integer(1, 64)? as usize;
    let layout = match node.get("layout") {
        Some(n) => {
            let layout = mesh::layout(n)?;
            if layout.iter().map(|f| f.words()).sum::<usize>() != stride {
                return Err(n.error(format!("the formats do not fill {stride} words")));
            }
            Some(layout)
        }
        None => None,
    };
    let mut words = Vec::new();
    let data = node.need("data")?;
    for row in data.items()? {
        match &layout {
            Some(layout) => mesh::row_words(row, layout, &mut words)?,
            None => {
                let values = row.items()?;
                if values.len() != stride {
                    return Err(row.error(format!("expected {stride} values, found {}", values.len())));
                }
                for value in values {
                    words.push(value.number()?.to_bits());
                }
            }
        }
    }
    Ok(VertexBuffer { stride, words })
}

fn texture(node: Node<'_, '_>, name: &str, reader: &mut Reader<'_>) -> Result<Image, RenderError> {
    if node.is_object() && node.get("target").is_some() {
        node.only(&["target", "antialias"])?;
        let (width, height) = pattern::size(node.need("target")?, MAX_SIDE)?;
        let samples = node.get("antialias").map_or(Ok(1), |n| n.count(16))?.max(1);
        let extent = Extent::new(width, height, samples).map_err(|e| node.error(e.message))?;
        return Ok(Image::Target(extent, Dim::D2, name.into()));
    }
    if !node.is_object() || node.get("kind").is_none() {
        return Ok(Image::Given(reader.texture(node)?));
    }
    node.only(&["kind", "width", "height", "format", "upload", "uploads", "mips"])?;
    let dim = match node.need("kind")?.text()? {
        "2d" | "rectangle" => Dim::D2,
        "cube" => Dim::Cube,
        _ => return Err(node.need("kind")?.error("expected 2d, rectangle or cube")),
    };
    if let Some(n) = node.get("format") {
        n.text()?;
    }
    let side = |key| node.need(key)?.integer(1, i64::from(MAX_SIDE)).map(|v| v as u32);
    let (width, height) = (side("width")?, side("height")?);
    let mut bytes = Vec::new();
    let mut one = |upload: Node<'_, '_>| -> Result<(), RenderError> {
        upload.only(&["width", "height", "argb_rows", "note"])?;
        let (w, h, texels) = rows_of(upload.need("argb_rows")?, pattern::argb)?;
        for (key, rows, texture) in [("width", w, width), ("height", h, height)] {
            let told = upload.get(key).map_or(Ok(rows), |n| n.count(MAX_SIDE))?;
            if told != rows || rows != texture {
                return Err(upload.error(format!("the {key} of the rows is not that of the texture")));
            }
        }
        bytes.extend(texels.into_iter().flatten());
        Ok(())
    };
    if dim == Dim::Cube {
        let uploads = node.need("uploads")?;
        if uploads.items()?.len() != 6 {
            return Err(uploads.error("expected six faces: +X, -X, +Y, -Y, +Z, -Z"));
        }
        for upload in uploads.items()? {
            one(upload)?;
        }
        reader.texels(&node, width, height, 6)?;
    } else {
        one(node.need("upload")?)?;
        reader.texels(&node, width, height, 1)?;
    }
    let texture =
        Texture::from_rgba8(dim, width, height, 1, &[&bytes]).map_err(|e| node.error(format!("{e}")))?;
    Ok(Image::Given(with_mips(texture, node, false)?))
}

/// A rectangle: `[x, y, width, height]` or an object with these keys.
pub(super) fn rectangle(node: Node<'_, '_>) -> Result<Rect, RenderError> {
    let most = i64::from(MAX_SIDE) * 16;
    let mut values = [0; 4];
    if node.is_list() {
        let items = node.items()?;
        if items.len() != 4 {
            return Err(node.error("expected x, y, width, height"));
        }
        for (value, item) in values.iter_mut().zip(items) {
            *value = item.integer(0, most)? as u32;
        }
    } else {
        node.only(&["x", "y", "width", "height"])?;
        for (value, key) in values.iter_mut().zip(["x", "y", "width", "height"]) {
            *value = node.need(key)?.integer(0, most)? as u32;
        }
    }
    let [x, y, width, height] = values;
    Ok(Rect { x, y, width, height })
}

/// The actions of a stencil test; `extra` are further keys of the object.
pub(super) fn stencil_ops(node: Node<'_, '_>, extra: &[&str]) -> Result<StencilOps, RenderError> {
    let mut known = extra.to_vec();
    known.extend(["compare", "bothPass", "depthFail", "stencilFail"]);
    node.only(&known)?;
    let mut ops = StencilOps::default();
    if let Some(n) = node.get("compare") {
        ops.compare = n.word(Compare::ALL, Compare::name)?;
    }
    for (key, action) in [
        ("bothPass", &mut ops.both_pass),
        ("depthFail", &mut ops.depth_fail),
        ("stencilFail", &mut ops.stencil_fail),
    ] {
        if let Some(n) = node.get(key) {
            *action = n.word(StencilAction::ALL, StencilAction::name)?;
        }
    }
    Ok(ops)
}

fn byte(node: Node<'_, '_>, key: &str, default: u8) -> Result<u8, RenderError> {
    match node.get(key) {
        Some(n) => Ok(n.count(255)? as u8),
        None => Ok(default),
    }
}

fn command(node: Node<'_, '_>, tables: &Tables<'_>) -> Result<Command, RenderError> {
    let name = node.need("cmd")?;
    let register = |key: &str, most: u32| node.need(key)?.count(most - 1);
    let stage = || node.get("stage").map_or(Ok(Stage::Fragment), stage_word);
    Ok(match name.text()? {
        "setVertexBufferAt" => {
            node.only(&["cmd", "index", "buffer", "offset_words", "format"])?;
            let index = register("index", MAX_ATTRIBUTES)?;
            let buffer = node.need("buffer")?;
            if buffer.is_null() {
                return Ok(Command::VertexBuffer { index, stream: None });
            }
            let buffer = find(&tables.buffers, buffer, "vertex buffer")?;
            let offset = node.get("offset_words").map_or(Ok(0), |n| n.count(63))? as usize;
            let format = match node.get("format") {
                Some(n) => n.word(VertexFormat::ALL, VertexFormat::name)?,
                None => VertexFormat::Float4,
            };
            Command::VertexBuffer { index, stream: Some((buffer, offset, format)) }
        }
        "setProgram" => {
            node.only(&["cmd", "program"])?;
            Command::Program(find(&tables.programs, node.need("program")?, "program")?)
        }
        "setProgramConstants" => {
            node.only(&["cmd", "stage", "first", "values"])?;
            let first = register("first", MAX_CONSTANTS)?;
            let rows = node.need("values")?;
            let mut values = Vec::new();
            for row in rows.items()? {
                values.push(row.numbers()?);
            }
            if first as usize + values.len() > MAX_CONSTANTS as usize {
                return Err(rows.error(format!("there are only {MAX_CONSTANTS} registers")));
            }
            Command::Constants { stage: stage_word(node.need("stage")?)?, bank: Bank::Float, first, values }
        }
        "setTextureAt" => {
            node.only(&["cmd", "stage", "sampler", "texture"])?;
            let sampler = register("sampler", MAX_SAMPLERS)?;
            let texture = node.need("texture")?;
            let texture = match texture.is_null() {
                true => None,
                false => Some(find(&tables.textures, texture, "texture")?),
            };
            Command::Texture { stage: stage()?, sampler, texture }
        }
        "setSamplerStateAt" => {
            let state = sampler_state(node, &["cmd", "stage", "sampler"])?;
            Command::Sampler { stage: stage()?, sampler: register("sampler", MAX_SAMPLERS)?, state }
        }
        "setBlendFactors" => {
            node.only(&["cmd", "source", "destination"])?;
            let factor = |key| node.need(key)?.word(BlendFactor::ALL, BlendFactor::name);
            Command::Blend(factor("source")?, factor("destination")?)
        }
        "setColorMask" => {
            node.only(&["cmd", "rgba"])?;
            Command::ColorMask(channels(node.need("rgba")?)?)
        }
        "setCulling" => {
            node.only(&["cmd", "face"])?;
            Command::Culling(node.need("face")?.word(Face::ALL, Face::name)?)
        }
        "setScissorRectangle" => {
            node.only(&["cmd", "rectangle"])?;
            let n = node.need("rectangle")?;
            Command::Scissor(if n.is_null() { None } else { Some(rectangle(n)?) })
        }
        "setDepthTest" => {
            node.only(&["cmd", "write", "compare"])?;
            let compare = node.need("compare")?.word(Compare::ALL, Compare::name)?;
            Command::Depth(DepthTest { compare, write: node.need("write")?.flag()? })
        }
        "setStencilActions" => {
            let ops = stencil_ops(node, &["cmd", "face"])?;
            let face = node.get("face").map_or(Ok(Face::FrontAndBack), |n| n.word(Face::ALL, Face::name))?;
            Command::StencilOps(face, ops)
        }
        "setStencilReferenceValue" => {
            node.only(&["cmd", "reference", "read_mask", "write_mask"])?;
            Command::StencilReference {
                reference: node.need("reference")?.count(255)? as u8,
                read_mask: byte(node, "read_mask", 255)?,
                write_mask: byte(node, "write_mask", 255)?,
            }
        }
        "setRenderTargets" => {
            node.only(&["cmd", "textures", "depth_stencil"])?;
            let mut textures = Vec::new();
            for item in node.need("textures")?.items()? {
                textures.push(find(&tables.textures, item, "texture")?);
            }
            let depth_stencil = node.get("depth_stencil").map_or(Ok(true), |n| n.flag())?;
            Command::Targets { textures, depth_stencil }
        }
        "clear" => clear(node)?,
        "drawTriangles" => {
            node.only(&["cmd", "indices", "first", "triangles", "instances"])?;
            let count = |n: Node<'_, '_>| n.count(u32::MAX).map(|n| n as usize);
            Command::Draw {
                indices: find(&tables.indices, node.need("indices")?, "index buffer")?,
                first: node.get("first").map_or(Ok(0), count)?,
                triangles: node.get("triangles").map(count).transpose()?,
                instances: node.get("instances").map_or(Ok(1), |n| n.count(65_536))?,
            }
        }
        "present" => {
            node.only(&["cmd"])?;
            Command::Present
        }
        other => {
            let message: String = format!("no command \"{other}\"");
            return Err(name.error(message));
        }
    })
}

fn clear(node: Node<'_, '_>) -> Result<Command, RenderError> {
    node.only(&["cmd", "rgba", "depth", "stencil", "mask"])?;
    let color = match node.get("rgba") {
        Some(n) => n.numbers()?,
        None => [0.0, 0.0, 0.0, 1.0],
    };
    let depth = node.get("depth").map_or(Ok(1.0), |n| n.number())?;
    let stencil = byte(node, "stencil", 0)?;
    let mut which = [true; 3];
    if let Some(n) = node.get("mask") {
        which = [false; 3];
        for item in n.items()? {
            let at = item.word(&[0, 1, 2], |i: usize| ["color", "depth", "stencil"][i])?;
            which[at] = true;
        }
    }
    Ok(Command::Clear {
        color: which[0].then_some(color),
        depth: which[1].then_some(depth),
        stencil: which[2].then_some(stencil),
    })
}
