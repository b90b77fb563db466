//! How what lies outside an entry point is spelt.

use crate::common::extensible;
pub(crate) use crate::naming::{Params, identifier, renamed};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{OutputKind, Type};
#[cfg(any(feature = "msl", feature = "wgsl"))]
use {
    crate::common::push_u32,
    vecasm_ir::ir::{Mip, SamplerState},
};
#[cfg(any(feature = "glsl", feature = "hlsl"))]
use {
    crate::plan::Plan,
    vecasm_ir::ir::{Input, Op, Shader},
};

/// How a stage gives its results.
#[cfg_attr(
    not(all(feature = "glsl", any(feature = "hlsl", feature = "msl", feature = "wgsl"))),
    expect(dead_code, reason = "each language gives them in its own way")
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Results<'s> {
    /// It has none.
    #[default]
    None,
    /// One value: the output that it is, if one is.
    One(Option<usize>),
    /// A struct of the given name.
    Struct(Cow<'s, str>),
    /// Variables of the module.
    Globals,
}

/// A variable or an expression: a name with what stands around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelling<'s> {
    pub(crate) before: &'static str,
    pub(crate) name: Cow<'s, str>,
    pub(crate) after: &'static str,
}

impl<'s> Spelling<'s> {
    /// A name alone.
    pub(crate) fn plain(name: impl Into<Cow<'s, str>>) -> Self {
        Self { before: "", name: name.into(), after: "" }
    }

    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    pub(crate) fn push(&self, out: &mut String) {
        out.push_str(self.before);
        out.push_str(&self.name);
        out.push_str(self.after);
    }
}

/// How everything outside is spelt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside<'s> {
    /// By input: the expression.
    pub(crate) inputs: Vec<Spelling<'s>>,
    /// How results go out.
    pub(crate) results: Results<'s>,
    /// By parameter array: its name and parts, and elements declared.
    pub(crate) params: Vec<Params<'s>>,
    /// By texture: its name, and that of its sampler.
    pub(crate) textures: Vec<(Cow<'s, str>, Cow<'s, str>)>,
    /// By state value: the expression.
    pub(crate) states: Vec<String>,
    /// By output: the cell of a vertex of the patch, whose number `@` stands for, as in the inputs of stages with vertices.
    /// In HLSL, of a geometry shader: by stream the lines that copy what goes out.
    pub(crate) outputs_of: Vec<String>,
    /// The number of vertices that come in, as an expression, where the shader does not say it.
    pub(crate) vertices_in: String,
    /// By image: its name.
    pub(crate) images: Vec<String>,
    /// Statements at the start.
    pub(crate) first: Vec<String>,
    /// Statements at the end.
    pub(crate) last: Vec<String>,
    /// Whether some image is both read and written.
    pub(crate) rereads_images: bool,
}

/// A name, with a number behind it if it is taken or a word of the language.
pub(crate) fn unique<'s>(wanted: Cow<'s, str>, taken: impl Fn(&str) -> bool) -> Cow<'s, str> {
    if !taken(&wanted) {
        return wanted;
    }
    let wanted = extensible(wanted, &taken);
    let mut n = 0;
    loop {
        n += 1;
        let name = alloc::format!("{wanted}_{n}");
        if !taken(&name) {
            return name.into();
        }
    }
}

/// What stands behind the name of a variable of four lanes for a value of a type.
pub(crate) fn lanes_of(ty: Type) -> &'static str {
    [".x", ".xy", ".xyz", ""][usize::from(ty.lanes.clamp(1, 4)) - 1]
}

/// Whether an output takes the first lane of its cell only.
pub(crate) const fn is_single(kind: OutputKind) -> bool {
    use OutputKind::{Depth, Layer, PointSize, PrimitiveIndex, SampleMask, Stencil, ViewportIndex};
    matches!(kind, Depth | Layer | PointSize | PrimitiveIndex | SampleMask | Stencil | ViewportIndex)
}

/// Whether somebody reads some lanes of an input, given as bits.
#[cfg(any(feature = "glsl", feature = "hlsl"))]
pub(crate) fn reads_lanes(shader: &Shader, plan: &Plan<'_>, input: &Input, lanes: u8) -> bool {
    let mut reads = false;
    shader.body.for_each_inst(&mut |inst| {
        let Op::Input(id) = inst.op else { return };
        let same = shader.inputs.get(id.index()).is_some_and(|i| core::ptr::eq(i, input));
        let value = inst.result.and_then(|v| plan.values.get(v.index()));
        reads |= same && value.is_some_and(|value| value.uses > 0 && value.read() & lanes != 0);
    });
    reads
}

/// Appends the state of a sampler as a comment behind its declaration.
#[cfg(any(feature = "msl", feature = "wgsl"))]
pub(crate) fn push_state(out: &mut String, state: Option<SamplerState>) {
    let Some(state) = state else {
        return out.push_str(" // state left to the host");
    };
    out.push_str(" // ");
    out.push_str(state.wrap_u.name());
    if state.wrap_u != state.wrap_v {
        out.push_str(" u, ");
        out.push_str(state.wrap_v.name());
        out.push_str(" v");
    }
    out.push_str(", ");
    out.push_str(state.min.name());
    if state.mag != state.min {
        out.push_str(" (magnified ");
        out.push_str(state.mag.name());
        out.push(')');
    }
    if state.anisotropy > 1 {
        out.push_str(", anisotropy ");
        push_u32(out, u32::from(state.anisotropy));
    }
    out.push_str(match state.mip {
        Mip::None => ", level 0 only",
        Mip::Nearest => ", nearest level",
        Mip::Linear => ", between levels",
    });
}
