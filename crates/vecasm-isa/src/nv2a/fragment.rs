//! What stands behind a vertex program where no register combiners are given.

use super::table;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Dim, Input, InputId, InputKind, Interpolation, Lod, Op, Output, OutputId, OutputKind, Pure, Shader,
    Stage, Texture, TextureId, Type,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The fragment shader for a vertex shader lifted to [clip space](super::lift::Space::Clip): a plain use of what the
/// program writes.
///
/// * The colour starts as oD0, or white if the program does not write it.
/// * With `textured`, and if the program writes oT0, it is multiplied with the 2D texture in slot 0 at oT0.xy / oT0.w.
/// * oD1 is added to red, green and blue.
/// * If the program writes oFog, red, green and blue are mixed with the state value `fog-color` (black) by the factor
///   oFog · x + y, limited to 0..=1, where x and y are those of the state value `fog` (1 and 0): a factor of 1 is no fog.
///
/// The hardware has register combiners here, which are no part of a vertex program.
pub fn fixed(vertex: &Shader, textured: bool) -> Shader {
    let b = Builder::new(Stage::Fragment, "nv2a", &[], 16);
    let mut stage = Fixed { b, vertex };
    let mut color = match stage.varying("oD0", Interpolation::Color) {
        Some(diffuse) => diffuse,
        None => stage.b.splat(1.0, 4),
    };
    if let (true, Some(at)) = (textured, stage.varying("oT0", Interpolation::Perspective)) {
        let texel = stage.texel(at);
        color = stage.b.pure(Pure::Mul, &[color, texel]);
    }
    let alpha = lanes(color, 3, 1);
    let mut rgb = lanes(color, 0, 3);
    if let Some(specular) = stage.varying("oD1", Interpolation::Color) {
        rgb = stage.b.pure(Pure::Add, &[rgb, lanes(specular, 0, 3)]);
    }
    if let Some(fog) = stage.varying("oFog", Interpolation::Perspective) {
        rgb = stage.fogged(rgb, fog);
    }
    let color = stage.b.op(Op::Compose, &[rgb, alpha]);
    stage.b.shader.outputs.push(Output::new("color", OutputKind::Color { target: 0 }));
    stage.b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[color]);
    stage.b.finish()
}

/// `count` lanes of a value from `first` on.
fn lanes(arg: Arg, first: usize, count: u8) -> Arg {
    let lane = |i: usize| arg.swizzle.get((first + i).min(3));
    Arg { value: arg.value, swizzle: Swizzle::new(lane(0), lane(1), lane(2), lane(3)), lanes: count }
}

struct Fixed<'a> {
    b: Builder,
    vertex: &'a Shader,
}

impl Fixed<'_> {
    /// What the program writes to an output register, if it does.
    fn varying(&mut self, name: &str, interpolation: Interpolation) -> Option<Arg> {
        let location = u32::from(table::OUTPUTS.iter().find(|output| output.short == name)?.number);
        if !self.vertex.outputs.iter().any(|output| output.kind == OutputKind::Varying { location }) {
            return None;
        }
        let id = self.b.shader.inputs.len() as u32;
        let input = Input::new(name, InputKind::Varying { location }, Type::F32X4);
        self.b.shader.inputs.push(Input { interpolation, ..input });
        Some(Arg::all_lanes(self.b.push(Op::Input(InputId(id)), &[], Type::F32X4), 4))
    }

    /// The texture at a projective coordinate.
    fn texel(&mut self, at: Arg) -> Arg {
        self.b.shader.textures.push(Texture::new("t0", 0, Dim::D2));
        let w = Arg { value: at.value, swizzle: Swizzle::splat(at.swizzle.get(3)), lanes: 2 };
        let place = self.b.pure(Pure::Div, &[lanes(at, 0, 2), w]);
        self.b.op(Op::sample(TextureId(0), Lod::Implicit { bias_eighths: 0 }), &[place])
    }

    fn fogged(&mut self, rgb: Arg, fog: Arg) -> Arg {
        let range = self.b.state("fog", &[1.0, 0.0]);
        let tint = self.b.state("fog-color", &[0.0, 0.0, 0.0, 1.0]);
        let scaled = self.b.pure(Pure::Mul, &[lanes(fog, 0, 1), lanes(range, 0, 1)]);
        let factor = self.b.pure(Pure::Add, &[scaled, lanes(range, 1, 1)]);
        let factor = self.b.pure(Pure::Saturate, &[factor]);
        let factor = Arg { value: factor.value, swizzle: Swizzle::splat(0), lanes: 3 };
        let tint = lanes(tint, 0, 3);
        let difference = self.b.pure(Pure::Sub, &[rgb, tint]);
        let part = self.b.pure(Pure::Mul, &[difference, factor]);
        self.b.pure(Pure::Add, &[tint, part])
    }
}
