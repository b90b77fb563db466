//! The IR to WGSL: the text cases of the writer, run by naga's IR and by the interpreter on random values.

use super::agal_wgsl::{same, tint_on_path};
use super::{Report, guarded};
use std::path::Path;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::random::Rng;
use vecasm::ir::text::parse_any;
use vecasm::ir::{Compare, Dim, Filter, Mip, SamplerState, Scalar, Shader, Stage, Wrap};

/// Batches for each case.
const ROUNDS: u64 = 200;

/// Every file in the folder of cases.
pub(crate) fn cases(_: &Path) -> Vec<Report> {
    let folder = crate::root().join("crates/vecasm/src/emit/wgsl/cases");
    let mut report = Report::new("cases of the WGSL writer, run");
    let mut files: Vec<_> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|e| e.ok()).map(|e| e.path()).collect(),
        Err(why) => {
            report.case("cases", Err(why.to_string()));
            return vec![report];
        }
    };
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "ir")) {
        let name = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        guarded(&mut report, &name, |report| report.case(&name, case(file)));
    }
    vec![report]
}

fn case(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let shader = parse_any(&text).map_err(|e| format!("{e:?}"))?;
    let by = tint_on_path();
    for seed in 0..ROUNDS {
        let mut rng = Rng::new(seed);
        let textures = textures(&shader, &mut rng);
        let samplers: Vec<SamplerState> =
            shader.textures.iter().map(|t| sampler(t.compare, &mut rng)).collect();
        let bound = textures.iter().zip(&samplers);
        let bound = bound.map(|(texture, &sampler)| Some(BoundTexture { texture, sampler })).collect();
        let word = |rng: &mut Rng, scalar: Scalar| match scalar {
            Scalar::F32 => rng.float(),
            Scalar::Bool => rng.bits() & 1,
            // Small numbers of either sign mostly: indices and counts.
            _ if rng.one_in(4) => rng.bits(),
            _ => (rng.below(12) as u32).wrapping_sub(3),
        };
        let compute = shader.stage == Stage::Compute;
        let mut bytes = |_| (0..32).flat_map(|_| word(&mut rng, Scalar::I32).to_le_bytes()).collect();
        let buffers = shader.buffers.iter().map(&mut bytes).collect();
        let mut four = |scalar| std::array::from_fn(|_| word(&mut rng, scalar));
        let batch = Batch {
            count: 8,
            inputs: if compute {
                Vec::new()
            } else {
                shader.inputs.iter().map(|i| (0..8).map(|_| four(i.ty.scalar)).collect()).collect()
            },
            buffers,
            grid: [2, 1, 1],
            params: shader.params.iter().map(|p| (0..p.size).map(|_| four(p.scalar)).collect()).collect(),
            states: shader.states.iter().map(|s| (seed % 2 == 0).then(|| four(s.ty.scalar))).collect(),
            textures: bound,
            fuel: Some(100),
            ..Batch::default()
        };
        if !same(&shader, &batch, by.as_deref().filter(|_| seed == 0))? {
            return Err("the case does not end".into());
        }
    }
    Ok(())
}

/// A texture of each shape that the shader reads, with numbers that meet those of the inputs.
fn textures(shader: &Shader, rng: &mut Rng) -> Vec<Texture> {
    let mut texture = |dim: Dim, scalar: Scalar| {
        let height = if matches!(dim, Dim::D1) { 1 } else { 4 };
        let extent = Extent {
            width: 4,
            height,
            depth: if dim == Dim::D3 { 4 } else { 1 },
            layers: if dim.arrayed() { 3 } else { 1 },
            samples: if dim.multisampled() { 4 } else { 1 },
        };
        let mut levels = Vec::new();
        for level in 0..if dim.multisampled() { 1 } else { 3 } {
            let side = |n: u32| (n >> level).max(1);
            let count = side(extent.width) * side(extent.height) * side(extent.depth);
            let count = count * extent.layers * extent.samples * u32::from(dim.faces());
            let mut lane = || match scalar {
                Scalar::F32 => (rng.below(64) as f32 / 16.0 - 1.0).to_bits(),
                _ => rng.bits(),
            };
            levels.push((0..count).map(|_| std::array::from_fn(|_| lane())).collect());
        }
        Texture::new(dim, scalar, extent, levels)
    };
    shader
        .textures
        .iter()
        .filter_map(|t| texture(t.dim, t.scalar).ok().map(|made| (t, made)))
        .map(|(t, made)| if t.compare { depths(&made, t.dim) } else { made })
        .collect()
}

/// The same depths in a texture whose other lanes are 0, 0 and 1, as WebGPU reads them.
fn depths(of: &Texture, dim: Dim) -> Texture {
    let levels: Vec<Vec<[u32; 4]>> = (0..of.level_count())
        .map(|level| of.texels(level).iter().map(|t| [t[0], 0, 0, 0x3f80_0000]).collect())
        .collect();
    let [width, height, depth] = of.size(0).unwrap_or([4; 3]);
    let extent =
        Extent { width, height, depth, layers: if dim.arrayed() { 3 } else { 1 }, samples: of.samples() };
    match Texture::new(dim, Scalar::F32, extent, levels) {
        Ok(texture) => texture,
        Err(why) => panic!("a texture like another one: {why}"),
    }
}

fn sampler(compare: bool, rng: &mut Rng) -> SamplerState {
    let wraps = [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror];
    let mips = [Mip::None, Mip::Nearest, Mip::Linear];
    let filter = if rng.one_in(2) { Filter::Linear } else { Filter::Nearest };
    SamplerState {
        mip: mips[rng.below(3)],
        compare: compare.then(|| Compare::ALL[rng.below(Compare::ALL.len())]),
        ..SamplerState::PLAIN.with_filter(filter).with_wrap(wraps[rng.below(3)])
    }
}
