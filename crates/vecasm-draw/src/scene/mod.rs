//! Scene files: JSON that says what is drawn with which programs.
//!
//! `docs/scene-format.md` defines every key. There are two forms, and both become the same list of commands:
//!
//! * the *command form* (it has `commands`) replays calls of Stage3D's `Context3D`, one by one;
//! * the *short form* is for people: a mesh, programs, constants by name, a camera.
//!
//! The library reads no files and knows no instruction set: a [`Host`] does both for it.
//!
//! | file | holds |
//! |---|---|
//! | `json` | JSON values that know their place in the file |
//! | `context` | the command form |
//! | `short` | the short form |
//! | `history` | what happened to a pixel |
//! | `mesh`, `pattern`, `matrix` | built-in shapes, textures and transformations |
//! | `run` | commands are carried out |

mod context;
pub(crate) mod history;
mod json;
mod matrix;
mod mesh;
mod pattern;
mod run;
mod short;

use super::assemble::{Assembly, vertices_of};
use super::draw::{Draw, ShadedFragments, VertexBuffer};
use super::pick::Pixel;
use super::state::{BlendFactor, DepthTest, Face, Rect, StencilOps, VertexFormat, Viewport};
use super::target::Extent;
use super::{Picture, RenderError};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use json::{Node, read};
use vecasm_exec::texture::Texture;
use vecasm_ir::ir::{Dim, Filter, Mip, Primitive, SamplerState, Scalar, Shader, Stage, Wrap};

/// Most texels of all textures of a scene.
const MAX_TEXELS: u64 = 1 << 23;
/// Most vertices of all built-in meshes of a scene.
const MAX_MESH_VERTICES: u64 = 1 << 21;
/// Registers of a bank of constants.
const MAX_CONSTANTS: u32 = 1024;
/// Sampler registers of a stage.
const MAX_SAMPLERS: u32 = 16;
/// Vertex attributes.
const MAX_ATTRIBUTES: u32 = 16;

/// What a scene needs from outside.
pub trait Host {
    /// The bytes of a file that the scene names.
    ///
    /// # Errors
    ///
    /// A text that says why there are none.
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String>;

    /// The pixels of an image file that the scene names.
    ///
    /// # Errors
    ///
    /// A text that says why there are none; by default, that images are not supported.
    fn image(&mut self, name: &str) -> Result<Picture, String> {
        Err(format!("images are not supported here: {name}"))
    }

    /// An image file that the scene names, with its levels, faces or slices if the file has them. By default it is a
    /// 2D texture of one level, from [`image`](Self::image).
    ///
    /// # Errors
    ///
    /// A text that says why there is none.
    fn texture(&mut self, name: &str) -> Result<Texture, String> {
        let image = self.image(name)?;
        Texture::from_rgba8(Dim::D2, image.width, image.height, 1, &[&image.rgba8])
            .map_err(|error| format!("{name}: {error}"))
    }

    /// The meaning of a program: `code` is source text or bytecode, `name` a file name or a place in the scene.
    ///
    /// # Errors
    ///
    /// A text that says what is wrong with the program.
    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String>;

    /// The fragment shader for a vertex shader that is drawn without a fragment program: what stands behind it where its
    /// instruction set has fixed functions there. `textured` tells whether a texture is set in slot 0.
    ///
    /// # Errors
    ///
    /// A text that says why there is none; by default, that the program is missing.
    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        let _ = (vertex, textured);
        Err("\"fragment\" is missing".into())
    }

    /// What something beside a program computes before each draw, as preshaders of Direct3D do: elements of the shader's arrays.
    /// They count more than what the scene gives. It is asked only for shaders that
    /// [say so](vecasm_ir::ir::symbols::Symbols::computed). `stage` and `name` are those that
    /// [`compile`](Self::compile) got; `given` is what the scene gives of arrays that the shader does not have.
    ///
    /// # Errors
    ///
    /// A text that says why it cannot be computed.
    fn computed(&mut self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        let _ = (stage, name, given);
        Ok(Vec::new())
    }
}

/// An element of a parameter array: the name of the array, the number, the bits.
pub type Element = (String, u32, [u32; 4]);

/// A scene that is ready to be drawn.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Size and background of the picture.
    stage: Canvas,
    view: View,
    /// The layer that the picture shows; none for all of them.
    layer: Option<u32>,
    programs: Vec<Programs>,
    buffers: Vec<VertexBuffer>,
    indices: Vec<Vec<u32>>,
    textures: Vec<Image>,
    commands: Vec<(String, Command)>,
}

#[derive(Clone, Copy, Debug)]
struct Canvas {
    width: u32,
    height: u32,
    background: [f32; 4],
}

/// Where the back buffer lies on the stage.
#[derive(Clone, Copy, Debug)]
struct View {
    x: i32,
    y: i32,
    extent: Extent,
    depth_stencil: bool,
}

/// The programs of a draw.
#[derive(Clone, Debug)]
struct Programs {
    vertex: SceneShader,
    tess_control: Option<SceneShader>,
    tess_eval: Option<SceneShader>,
    geometry: Option<SceneShader>,
    fragment: SceneShader,
}

impl Programs {
    /// Those that there are, in the order of the pipeline.
    fn all(&self) -> impl Iterator<Item = (Stage, &SceneShader)> {
        let between = [&self.tess_control, &self.tess_eval, &self.geometry].into_iter().flatten();
        [&self.vertex].into_iter().chain(between).chain([&self.fragment]).map(|of| (of.shader.stage, of))
    }

    /// The same.
    fn all_mut(&mut self) -> impl Iterator<Item = &mut SceneShader> {
        let between = [&mut self.tess_control, &mut self.tess_eval, &mut self.geometry].into_iter().flatten();
        [&mut self.vertex].into_iter().chain(between).chain([&mut self.fragment])
    }
}

/// The stages of a draw, with what names of their registers begin with.
const STAGES: [(Stage, &str); 5] = [
    (Stage::Vertex, "v"),
    (Stage::TessControl, "tc"),
    (Stage::TessEval, "te"),
    (Stage::Geometry, "g"),
    (Stage::Fragment, "f"),
];

/// A shader of a scene.
#[derive(Clone, Debug)]
struct SceneShader {
    shader: Rc<Shader>,
    /// Which call of [`Host::compile`] gave it.
    code: Option<u32>,
    /// What that call was given as its name.
    name: Rc<str>,
}

impl SceneShader {
    /// A shader that the host did not compile.
    fn own(shader: Shader) -> Self {
        Self { shader: Rc::new(shader), code: None, name: "".into() }
    }
}

#[derive(Clone, Debug)]
enum Image {
    Given(Texture),
    /// Drawn into by the scene, under that name; layers are slices or faces.
    Target(Extent, Dim, String),
}

/// The constants of a stage by their type. They are given as numbers, whatever the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bank {
    Float,
    Int,
    Bool,
}

impl Bank {
    /// Each with its letter in the names of registers.
    const ALL: [(Self, char); 3] = [(Self::Float, 'c'), (Self::Int, 'i'), (Self::Bool, 'b')];

    /// The one that fills a parameter array of that type.
    const fn of(scalar: Scalar) -> Self {
        match scalar {
            // Words are registers without a type, which hold bits of floats.
            Scalar::I32 => Self::Int,
            Scalar::Bool => Self::Bool,
            _ => Self::Float,
        }
    }
}

/// A number as the bits of a type.
fn number_bits(value: f32, scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F32 => value.to_bits(),
        Scalar::I32 => value as i32 as u32,
        Scalar::Bool => u32::from(value != 0.0),
        _ => value as u32,
    }
}

/// The number that bits of a type are.
fn bits_number(bits: u32, scalar: Scalar) -> f32 {
    match scalar {
        Scalar::F32 => f32::from_bits(bits),
        Scalar::I32 => bits as i32 as f32,
        _ => bits as f32,
    }
}

/// What vertices make, and how.
#[derive(Clone, Copy, Debug)]
struct Primitives {
    kind: Primitive,
    patch_vertices: u32,
    outer: [f32; 4],
    inner: [f32; 2],
    point_size: f32,
    line_width: f32,
}

impl Primitives {
    /// What the number of indices has to be a multiple of.
    fn index_multiple(self) -> usize {
        match self.kind {
            Primitive::LineStrip | Primitive::TriangleStrip => 1,
            kind => vertices_of(kind, self.patch_vertices as usize).max(1),
        }
    }
}

impl Default for Primitives {
    fn default() -> Self {
        let of = Assembly::default();
        Self {
            kind: of.primitive,
            patch_vertices: of.patch_vertices,
            outer: of.outer,
            inner: of.inner,
            point_size: of.point_size,
            line_width: of.line_width,
        }
    }
}

#[derive(Clone, Debug)]
enum Command {
    /// Constants, textures, streams and fixed state as in a new context.
    Reset,
    VertexBuffer {
        index: u32,
        stream: Option<(usize, usize, VertexFormat)>,
    },
    /// Attributes that are not set read (0, 0, 0, 1) from now on, instead of being an error.
    FillAttributes,
    /// What vertices make.
    Primitives(Primitives),
    /// Sets the state value of that name of all shaders.
    State {
        name: String,
        value: [f32; 4],
    },
    Program(usize),
    Constants {
        stage: Stage,
        bank: Bank,
        first: u32,
        values: Vec<[f32; 4]>,
    },
    Texture {
        stage: Stage,
        sampler: u32,
        texture: Option<usize>,
    },
    Sampler {
        stage: Stage,
        sampler: u32,
        state: SamplerState,
    },
    Blend(BlendFactor, BlendFactor),
    ColorMask([bool; 4]),
    Culling(Face),
    Scissor(Option<Rect>),
    Viewports(Vec<Viewport>),
    Depth(DepthTest),
    StencilOps(Face, StencilOps),
    StencilReference {
        reference: u8,
        read_mask: u8,
        write_mask: u8,
    },
    /// No textures stands for the back buffer.
    Targets {
        textures: Vec<usize>,
        depth_stencil: bool,
    },
    Clear {
        color: Option<[f32; 4]>,
        depth: Option<f32>,
        stencil: Option<u8>,
    },
    Draw {
        indices: usize,
        first: usize,
        triangles: Option<usize>,
        instances: u32,
    },
    Present,
}

/// Something that a scene does to its targets.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// From here on textures are drawn into; none stands for the picture.
    Targets {
        /// How many.
        textures: usize,
    },
    /// All pixels get these values.
    Clear {
        /// Red, green, blue, alpha.
        color: Option<[f32; 4]>,
        /// 0..=1
        depth: Option<f32>,
        /// The stencil buffer's.
        stencil: Option<u8>,
    },
    /// A draw call, with all that it reads.
    Draw(&'a Draw<'a>),
    /// Fragments that the draw call has just shaded, a batch after the other.
    Shaded(&'a ShadedFragments<'a>),
}

impl Scene {
    /// Reads a scene file. `time` replaces the time the file gives; it only matters to the short form.
    ///
    /// # Errors
    ///
    /// With the path of the value that is wrong: the text is not JSON, a key is unknown or missing, a value is out
    /// of its range, a name is not defined, the host cannot give a file or compile a program, or a limit is
    /// exceeded (8 million texels, 2 million vertices of built-in meshes, sizes as in
    /// [`target`](crate::target)).
    pub fn read(bytes: &[u8], host: &mut dyn Host, time: Option<f32>) -> Result<Self, RenderError> {
        let json = read(bytes)?;
        let root = Node::root(&json);
        let reader = Reader { host, texels: 0, vertices: 0, shaders: BTreeMap::new() };
        if root.get("commands").is_some() {
            context::read(root, reader)
        } else {
            short::read(root, reader, time)
        }
    }

    /// Layers of what the scene draws into in the end. The picture shows them beside one another, by rows from the left top,
    /// in about as many rows as columns.
    pub fn layers(&self) -> u32 {
        self.view.extent.layers
    }

    /// Lets the picture show one layer alone, or all of them. It is also the layer of a texture that
    /// [`pick`](Self::pick) looks at.
    pub fn show_layer(&mut self, layer: Option<u32>) {
        self.layer = layer;
    }

    /// The layers that the picture shows, and how many stand beside one another.
    fn shown_layers(&self) -> (core::ops::Range<u32>, u32) {
        match self.layer {
            Some(layer) => (layer..layer.saturating_add(1), 1),
            None => {
                let all = self.layers();
                (0..all, (1..=all).find(|n| n * n >= all).unwrap_or(1))
            }
        }
    }

    /// Where the picture shows a pixel of the back buffer, if it does.
    pub fn on_picture(&self, pixel: Pixel) -> Option<(u32, u32)> {
        let (layers, columns) = self.shown_layers();
        if !layers.contains(&pixel.layer) {
            return None;
        }
        let cell = pixel.layer - layers.start;
        let on = |at: u32, start: i32, side: u32| {
            u32::try_from(i64::from(at) + i64::from(start)).ok().filter(|at| *at < side)
        };
        let x = on(pixel.x, self.view.x, self.stage.width)?;
        let y = on(pixel.y, self.view.y, self.stage.height)?;
        Some((x + cell % columns * self.stage.width, y + cell / columns * self.stage.height))
    }

    /// The pixel of the back buffer that the picture shows at a place; none where it shows what lies around it.
    pub fn on_target(&self, x: u32, y: u32) -> Option<Pixel> {
        let (layers, columns) = self.shown_layers();
        let (column, row) = (x / self.stage.width, y / self.stage.height);
        let layer = layers.start.checked_add(row.checked_mul(columns)?.checked_add(column)?)?;
        let on = |at: u32, start: i32, side: u32| {
            u32::try_from(i64::from(at) - i64::from(start)).ok().filter(|at| *at < side)
        };
        let x = on(x % self.stage.width, self.view.x, self.view.extent.width)?;
        let y = on(y % self.stage.height, self.view.y, self.view.extent.height)?;
        (column < columns && layers.contains(&layer)).then_some(Pixel { x, y, layer })
    }

    /// Width and height of the picture.
    pub fn size(&self) -> (u32, u32) {
        let (layers, columns) = self.shown_layers();
        let rows = (layers.end - layers.start).div_ceil(columns);
        (self.stage.width * columns, self.stage.height * rows)
    }

    /// The vertex and fragment shaders of every program, in the order of the file.
    pub fn programs(&self) -> impl Iterator<Item = (&Shader, &Shader)> {
        self.programs.iter().map(|p| (&*p.vertex.shader, &*p.fragment.shader))
    }
}

/// What reading either form needs.
struct Reader<'h> {
    host: &'h mut dyn Host,
    texels: u64,
    vertices: u64,
    /// Programs compiled so far, by stage and code.
    shaders: BTreeMap<(&'static str, Vec<u8>), SceneShader>,
}

impl Reader<'_> {
    /// Counts texels against the limit, before they are made.
    fn texels(
        &mut self,
        node: &Node<'_, '_>,
        width: u32,
        height: u32,
        faces: u32,
    ) -> Result<(), RenderError> {
        self.texels += u64::from(width) * u64::from(height) * u64::from(faces);
        if self.texels > MAX_TEXELS {
            return Err(node.error(format!("the textures of a scene have at most {MAX_TEXELS} texels")));
        }
        Ok(())
    }

    fn mesh(
        &mut self,
        node: Node<'_, '_>,
        attributes: Option<Node<'_, '_>>,
    ) -> Result<mesh::Mesh, RenderError> {
        let mesh = mesh::read(node, attributes)?;
        self.vertices += mesh.buffer.len() as u64;
        if self.vertices > MAX_MESH_VERTICES {
            return Err(
                node.error(format!("the meshes of a scene have at most {MAX_MESH_VERTICES} vertices"))
            );
        }
        Ok(mesh)
    }

    /// A program: a file name, hex digits of bytecode, text with line breaks, or a list of lines.
    fn program(&mut self, stage: Stage, node: Node<'_, '_>) -> Result<SceneShader, RenderError> {
        if node.is_list() {
            let mut text = String::new();
            for line in node.items()? {
                text.push_str(line.text()?);
                text.push('\n');
            }
            return self.compile(stage, node, &node.path(), text.into_bytes());
        }
        let text = node.text()?;
        if let Some(bytes) = hex(text) {
            return self.compile(stage, node, &node.path(), bytes);
        }
        if text.contains('\n') {
            return self.compile(stage, node, &node.path(), text.as_bytes().to_vec());
        }
        let bytes = self.host.load(text).map_err(|e| node.error(e))?;
        self.compile(stage, node, text, bytes)
    }

    fn compile(
        &mut self,
        stage: Stage,
        node: Node<'_, '_>,
        name: &str,
        code: Vec<u8>,
    ) -> Result<SceneShader, RenderError> {
        let key = (stage.name(), code);
        if let Some(shader) = self.shaders.get(&key) {
            return Ok(shader.clone());
        }
        let shader = self.host.compile(stage, name, &key.1).map_err(|e| node.error(e))?;
        if shader.stage != stage {
            return Err(node.error(format!(
                "expected a {} program, found a {} program",
                stage.name(),
                shader.stage.name()
            )));
        }
        let code = Some(self.shaders.len() as u32);
        let compiled = SceneShader { shader: Rc::new(shader), code, name: name.into() };
        self.shaders.insert(key, compiled.clone());
        Ok(compiled)
    }

    /// The fragment shader where a draw names none.
    fn fragment(
        &mut self,
        node: &Node<'_, '_>,
        vertex: &Shader,
        textured: bool,
    ) -> Result<SceneShader, RenderError> {
        let shader = self.host.fragment(vertex, textured).map_err(|e| node.error(e))?;
        Ok(SceneShader::own(shader))
    }

    /// What is computed for a shader before a draw.
    fn computed(
        &mut self,
        node: Node<'_, '_>,
        of: &SceneShader,
        given: &[Element],
    ) -> Result<Vec<Element>, RenderError> {
        if of.shader.symbols.computed.is_empty() {
            return Ok(Vec::new());
        }
        self.host.computed(of.shader.stage, &of.name, given).map_err(|e| node.error(e))
    }

    /// A texture in any of the forms of the short form.
    fn texture(&mut self, node: Node<'_, '_>) -> Result<Texture, RenderError> {
        let wrong = |e: vecasm_exec::texture::TextureError| node.error(format!("{e}"));
        if node.is_object() && node.get("rows").is_some() {
            node.only(&["rows", "mips"])?;
            let rows = node.need("rows")?;
            let (width, height, texels) = rows_of(rows, pattern::color)?;
            self.texels(&node, width, height, 1)?;
            let texture = Texture::from_f32(Dim::D2, width, height, 1, [texels].into()).map_err(wrong)?;
            return with_mips(texture, node, false);
        }
        if node.is_object() && node.get("image").is_some() {
            node.only(&["image", "mips"])?;
            let name = node.need("image")?;
            let texture = self.host.texture(name.text()?).map_err(|e| name.error(e))?;
            if texture.scalar() != Scalar::F32 {
                return Err(
                    name.error("the program reads integers, but textures of scenes hold numbers from 0 to 1")
                );
            }
            let texels = texture.texels(0).len().try_into().unwrap_or(u32::MAX);
            self.texels(&node, texels, 1, 1)?;
            // What the file has is kept.
            let default = texture.level_count() == 1;
            return with_mips(texture, node, default);
        }
        if node.is_object() && node.get("cube").is_some() {
            node.only(&["cube", "mips"])?;
            let faces = node.need("cube")?;
            if faces.items()?.len() != 6 {
                return Err(faces.error("expected six faces: +X, -X, +Y, -Y, +Z, -Z"));
            }
            let (mut side, mut texels) = (0, Vec::new());
            for (i, face) in faces.items()?.enumerate() {
                let p = if face.is_object() {
                    pattern::Pattern::read(face)?
                } else {
                    pattern::Pattern::named(face)?
                };
                if p.is_cube() || p.width != p.height || (i > 0 && p.width != side) {
                    return Err(face.error("the faces of a cube texture are square of the same size"));
                }
                side = p.width;
                self.texels(&face, p.width, p.height, 1)?;
                texels.extend(p.texels());
            }
            let texture = Texture::from_f32(Dim::Cube, side, side, 1, [texels].into()).map_err(wrong)?;
            return with_mips(texture, node, true);
        }
        let p = if node.is_object() { pattern::Pattern::read(node)? } else { pattern::Pattern::named(node)? };
        self.texels(&node, p.width, p.height, p.slices())?;
        let depth = if p.dim == Dim::D3 { p.slices() } else { 1 };
        let texture =
            Texture::from_f32(p.dim, p.width, p.height, depth, [p.texels()].into()).map_err(wrong)?;
        with_mips(texture, node, true)
    }
}

/// Rows of texels of equal length.
fn rows_of<T>(
    rows: Node<'_, '_>,
    texel: impl Fn(Node<'_, '_>) -> Result<T, RenderError>,
) -> Result<(u32, u32, Vec<T>), RenderError> {
    let (mut width, mut texels) = (0, Vec::new());
    let height = rows.items()?.len();
    for (i, row) in rows.items()?.enumerate() {
        let items = row.items()?;
        if i > 0 && items.len() != width {
            return Err(row.error("the rows of a texture differ in length"));
        }
        width = items.len();
        for item in items {
            texels.push(texel(item)?);
        }
    }
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) if width > 0 && height > 0 => Ok((width, height, texels)),
        _ => Err(rows.error("a texture has at least one texel")),
    }
}

fn with_mips(mut texture: Texture, node: Node<'_, '_>, default: bool) -> Result<Texture, RenderError> {
    let wanted = node.get("mips").map_or(Ok(default), |n| n.flag())?;
    if wanted {
        texture.generate_levels();
    }
    Ok(texture)
}

/// The bytes of hex digits, if there is nothing else in the text.
fn hex(text: &str) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        digits.push(c.to_digit(16)? as u8);
    }
    // Shorter than any program: rather a file name.
    if digits.len() < 14 || digits.len() % 2 != 0 {
        return None;
    }
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Reads `wrap`, `filter` and `mip` in the words of the AGAL assembler; `extra` are further keys of the object.
fn sampler_state(node: Node<'_, '_>, extra: &[&str]) -> Result<SamplerState, RenderError> {
    let mut known = extra.to_vec();
    known.extend(["wrap", "filter", "mip"]);
    node.only(&known)?;
    let mut state = SamplerState::PLAIN;
    if let Some(n) = node.get("wrap") {
        (state.wrap_u, state.wrap_v) = match n.text()? {
            "clamp" => (Wrap::Clamp, Wrap::Clamp),
            "repeat" => (Wrap::Repeat, Wrap::Repeat),
            "clamp_u_repeat_v" => (Wrap::Clamp, Wrap::Repeat),
            "repeat_u_clamp_v" => (Wrap::Repeat, Wrap::Clamp),
            _ => return Err(n.error("expected clamp, repeat, clamp_u_repeat_v or repeat_u_clamp_v")),
        };
        state.wrap_w = state.wrap_u;
    }
    if let Some(n) = node.get("filter") {
        let (filter, anisotropy) = match n.text()? {
            "nearest" => (Filter::Nearest, 1),
            "linear" => (Filter::Linear, 1),
            "anisotropic2x" => (Filter::Linear, 2),
            "anisotropic4x" => (Filter::Linear, 4),
            "anisotropic8x" => (Filter::Linear, 8),
            "anisotropic16x" => (Filter::Linear, 16),
            _ => return Err(n.error("expected nearest, linear or anisotropic2x, 4x, 8x, 16x")),
        };
        state = SamplerState { anisotropy, ..state.with_filter(filter) };
    }
    if let Some(n) = node.get("mip") {
        state.mip = match n.text()? {
            "mipnone" | "nomip" => Mip::None,
            "mipnearest" => Mip::Nearest,
            "miplinear" => Mip::Linear,
            _ => return Err(n.error("expected mipnone, mipnearest or miplinear")),
        };
    }
    Ok(state)
}

/// The words `vertex` and `fragment`.
fn stage_word(node: Node<'_, '_>) -> Result<Stage, RenderError> {
    node.word(&[Stage::Vertex, Stage::Fragment], Stage::name)
}

/// Four truth values: red, green, blue, alpha.
fn channels(node: Node<'_, '_>) -> Result<[bool; 4], RenderError> {
    let items = node.items()?;
    if items.len() != 4 {
        return Err(node.error("expected four booleans: red, green, blue, alpha"));
    }
    let mut mask = [true; 4];
    for (mask, item) in mask.iter_mut().zip(items) {
        *mask = item.flag()?;
    }
    Ok(mask)
}
