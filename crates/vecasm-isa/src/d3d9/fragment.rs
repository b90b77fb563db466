//! What stands behind a vertex shader where no pixel shader is given: the fixed functions as a new device has them.

use super::lift::link::{FOG_LOCATION, location};
use super::lift::tail;
use crate::lift::pick;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, DeclUsage, Dim, Input, InputKind, Interpolation, Lod, Op, Output, OutputId, OutputKind, Pick, Pure,
    Shader, Stage, Texture, TextureId, Type,
};
use vecasm_ir::operand::WriteMask;

/// The fragment shader for a lifted vertex shader.
///
/// * The colour is `color0` (oD0), or white if the shader does not write it.
/// * With `textured`, and if the shader writes `texcoord0` (oT0), red, green and blue are multiplied with the 2D texture
///   in slot 0 at its x and y, and alpha is that of the texture: stage 0 modulates colours and selects the texture's
///   alpha.
/// * `color1` (oD1) is not added: highlights are off.
/// * If the shader writes `fog` (oFog), there is [fog](super::lift::Pipeline::fog), which is off until `fog-mode` is set.
pub fn fixed(vertex: &Shader, textured: bool) -> Shader {
    let mut b = Builder::new(Stage::Fragment, "d3d9", &[], 16);
    let diffuse = varying(&mut b, vertex, "v0", location(DeclUsage::Color.code(), 0), Interpolation::Color);
    let mut color = match diffuse {
        Some(diffuse) => diffuse,
        None => b.splat(1.0, 4),
    };
    let place =
        varying(&mut b, vertex, "t0", location(DeclUsage::TexCoord.code(), 0), Interpolation::Perspective);
    if let (true, Some(at)) = (textured, place) {
        b.shader.textures.push(Texture::new("s0", 0, Dim::D2));
        let sample = Op::Sample {
            texture: TextureId(0),
            lod: Lod::Implicit { bias_eighths: 0 },
            compare: false,
            offset: false,
            pick: Pick::Fixed,
        };
        let texel = b.op(sample, &[pick(at, &[0, 1])]);
        let rgb = b.pure(Pure::Mul, &[pick(color, &[0, 1, 2]), pick(texel, &[0, 1, 2])]);
        color = b.op(Op::Compose, &[rgb, pick(texel, &[3])]);
    }
    b.shader.outputs.push(Output::new("color", OutputKind::Color { target: 0 }));
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[color]);
    if writes(vertex, FOG_LOCATION) {
        tail::fog(&mut b, OutputId(0));
    }
    b.finish()
}

fn writes(vertex: &Shader, location: u32) -> bool {
    vertex.outputs.iter().any(|output| output.kind == OutputKind::Varying { location })
}

/// What the shader writes there, if it does.
fn varying(b: &mut Builder, vertex: &Shader, name: &str, at: u32, how: Interpolation) -> Option<Arg> {
    if !writes(vertex, at) {
        return None;
    }
    let kind = InputKind::Varying { location: at };
    let id = b.add_input(Input { interpolation: how, ..Input::new(name, kind, Type::F32X4) });
    Some(b.input(id))
}
