//! Textures of every shape and sampler, read at special and ordinary places, also where invocations part.

mod common;

use common::{compare, word};
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::random::Rng;

use vecasm::ir::{Dim, Filter, Mip, SamplerState, Scalar, Shader, Wrap};
use vecasm::isa::tgsi;
use vecasm_native::Isa;

const COUNT: usize = 16 * 8 + 5;

fn shader(text: &str) -> Shader {
    let program = tgsi::text::parse(text, &tgsi::text::ParseOptions::tolerant()).0.expect("it parses");
    tgsi::lift::lift(&program, &tgsi::lift::Options::default()).expect("it has a meaning")
}

/// A texture of that size with texels of any bits, ordinary ones mostly.
fn texture(dim: Dim, [width, height]: [u32; 2], levels: u32, rng: &mut Rng) -> Texture {
    let extent = Extent { depth: if dim == Dim::D3 { 3 } else { 1 }, ..Extent::new(width, height) };
    let levels = (0..levels).map(|level| {
        let texels = extent.level(level).texels(dim);
        let mut lane = || if rng.one_in(16) { word(rng) } else { (rng.below(255) as f32 / 255.0).to_bits() };
        (0..texels).map(|_| std::array::from_fn(|_| lane())).collect()
    });
    Texture::new(dim, Scalar::F32, extent, levels.collect()).expect("it has a size")
}

/// Places in and around the texture, and anywhere.
fn places(rng: &mut Rng) -> Vec<[u32; 4]> {
    let mut lane = || match rng.below(8) {
        0 => word(rng),
        1 => ((rng.below(33) as f32 - 8.0) / 16.0).to_bits(),
        _ => (rng.below(4000) as f32 / 1000.0 - 1.5).to_bits(),
    };
    (0..COUNT).map(|_| std::array::from_fn(|_| lane())).collect()
}

fn sampler(rng: &mut Rng) -> SamplerState {
    // What has code of its own, half of the time.
    let usual = rng.one_in(2);
    let mut wrap = || match usual {
        true => [Wrap::Clamp, Wrap::Repeat][rng.below(2)],
        false => Wrap::ALL[rng.below(Wrap::ALL.len())],
    };
    let wraps = [wrap(), wrap(), wrap()];
    let mut filter = || if rng.one_in(2) { Filter::Linear } else { Filter::Nearest };
    let (min, other) = (filter(), filter());
    SamplerState {
        wrap_u: wraps[0],
        wrap_v: wraps[1],
        wrap_w: wraps[2],
        min,
        mag: if usual { min } else { other },
        mip: if usual { Mip::None } else { [Mip::None, Mip::Nearest, Mip::Linear][rng.below(3)] },
        anisotropy: if !usual && rng.one_in(3) { 4 } else { 1 },
        border: std::array::from_fn(|_| word(rng)),
        ..SamplerState::PLAIN
    }
}

/// Runs a shader with a texture of many kinds.
fn try_all(text: &str, dims: &[Dim], runs: usize) {
    if Isa::best().is_none() {
        return println!("skipped: this processor has no AVX2");
    }
    let shader = shader(text);
    let mut rng = Rng::new(7);
    for run in 0..runs {
        let dim = dims[rng.below(dims.len())];
        let mut side = || [1u32, 2, 3, 4, 7, 8, 64][rng.below(7)];
        let (width, height) = (side(), side());
        let size = match dim {
            Dim::D1 => [width, 1],
            Dim::Cube => [width; 2],
            _ => [width, height],
        };
        let levels = if rng.one_in(2) { 1 } else { 1 + size[0].max(size[1]).ilog2() };
        let texels = texture(dim, size, levels, &mut rng);
        let sampler = sampler(&mut rng);
        let inputs = shader.inputs.iter().map(|_| places(&mut rng)).collect();
        let bound = (!rng.one_in(20)).then_some(BoundTexture { texture: &texels, sampler });
        let helpers = if rng.one_in(4) { (0..COUNT).map(|_| rng.one_in(4)).collect() } else { Vec::new() };
        let count = [COUNT, 1, 3, 16, 31][rng.below(5)];
        let batch =
            Batch { count, inputs, textures: vec![bound], helpers, fuel: Some(40), ..Batch::default() };
        if let Err(what) = compare(&shader, &batch) {
            panic!("run {run}, {dim:?} of {size:?}, {levels} levels, {sampler:?}: {what}");
        }
    }
}

#[test]
fn planes_give_the_texels_of_the_interpreter() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
                TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n";
    try_all(text, &[Dim::D2], 3000);
}

#[test]
fn other_textures_give_the_texels_of_the_interpreter() {
    for (name, dim) in [("1D", Dim::D1), ("3D", Dim::D3), ("CUBE", Dim::Cube)] {
        let text = format!(
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], {name}, FLOAT\n\
             TEX OUT[0], IN[0], SAMP[0], {name}\nEND\n"
        );
        try_all(&text, &[dim], 300);
    }
}

#[test]
fn reads_where_invocations_part_see_the_whole_quad() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\n\
                DCL OUT[1], COLOR[1]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..4]\n\
                IMM[0] FLT32 {0.0, 0.25, 0.125, 1.5}\n\
                MOV TEMP[0], IN[0]\nMOV TEMP[3], IMM[0].xxxx\nMOV TEMP[4], IN[1]\n\
                FSLT TEMP[1].x, IN[1].xxxx, IMM[0].yyyy\n\
                UIF TEMP[1].xxxx\n\
                  TEX TEMP[3], TEMP[0], SAMP[0], 2D\n\
                  FSLT TEMP[1].x, TEMP[3].xxxx, IN[1].yyyy\n\
                  UIF TEMP[1].xxxx\n MUL TEMP[0], TEMP[0], IMM[0].wwww\n ELSE\n ADD TEMP[0], TEMP[0], IMM[0].yzyz\n ENDIF\n\
                ENDIF\n\
                BGNLOOP\n\
                  FSGE TEMP[1].x, TEMP[4].zzzz, IMM[0].wwww\n\
                  UIF TEMP[1].xxxx\n BRK\n ENDIF\n\
                  TEX TEMP[2], TEMP[0], SAMP[0], 2D\n\
                  DDX TEMP[1], TEMP[0]\n\
                  MAD TEMP[3], TEMP[2], IMM[0].yyyy, TEMP[3]\n\
                  ADD TEMP[3], TEMP[3], TEMP[1]\n\
                  ADD TEMP[0], TEMP[0], IMM[0].zyzy\n\
                  ADD TEMP[4], TEMP[4], IMM[0].yyyy\n\
                ENDLOOP\n\
                MOV OUT[0], TEMP[3]\nTEX OUT[1], TEMP[0], SAMP[0], 2D\nEND\n";
    try_all(text, &[Dim::D2], 1500);
}
