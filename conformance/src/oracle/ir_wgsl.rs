//! The IR to WGSL, SPIR-V and GLSL: the text cases of the writer of WGSL and random shaders, run by naga's IR and by the
//! interpreter on random values.

use super::agal_wgsl::{define, same, same_in, tint_on_path};
use super::{File, Report};
use crate::wgsl_run::{LANGUAGES, Language, UNREAD, glslang_on_path, refuses};
use std::path::Path;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture};
use vecasm::ir::random::{Kind, Rng, Size, program};
use vecasm::ir::text::parse_any;
use vecasm::ir::{
    self, Atomic, Compare, Dim, Filter, Mip, Op, Output, OutputKind, SamplerState, Scalar, Shader, Stage,
    Wrap,
};

/// Batches for each case.
const ROUNDS: u64 = 200;

/// One seed of so many is tried in GLSL, which takes a process of glslang.
const GLSL_EVERY: u64 = 8;

/// Every file in the folder of cases, in every language.
pub(crate) fn cases(_: &Path) -> Vec<File<'_>> {
    LANGUAGES.into_iter().map(cases_in).collect()
}

fn cases_in<'a>(language: Language) -> File<'a> {
    let folder = crate::root().join("crates/vecasm-emit/tests/emit/wgsl/cases");
    let mut file = File::new(format!("cases of the WGSL writer, run as {}", language.name()));
    if !is_there(language, &mut file) {
        return file;
    }
    let mut files: Vec<_> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|e| e.ok()).map(|e| e.path()).collect(),
        Err(why) => {
            file.add_outcome("cases", Err(why.to_string()));
            return file;
        }
    };
    files.sort();
    files.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    let name = |path: &Path| path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let rows = files.into_iter().map(|path| (name(&path), path));
    file.add_all(rows, move |report, name, path| case(language, path, name, report));
    file
}

/// Whether what runs a language is there; else a row says so.
fn is_there(language: Language, file: &mut File<'_>) -> bool {
    if language != Language::Glsl || glslang_on_path().is_some() {
        return true;
    }
    match std::env::var_os("CI") {
        Some(_) => file.add_outcome("glslang", Err("not on the path, and this is CI".into())),
        None => file.add_skip("glslang", "glslangValidator is not on the path"),
    }
    false
}

fn case(language: Language, file: &Path, name: &str, report: &mut Report) {
    let shader = std::fs::read_to_string(file).map_err(|e| e.to_string());
    let shader = match shader.and_then(|text| parse_any(&text).map_err(|e| format!("{e:?}"))) {
        Ok(shader) => shader,
        Err(why) => return report.case(name, Err(why)),
    };
    if language != Language::Wgsl {
        if let Some(why) = refuses(language, &shader) {
            return report.skip(why);
        }
    }
    let by = tint_on_path().filter(|_| language == Language::Wgsl);
    let rounds = if language == Language::Glsl { ROUNDS / 50 } else { ROUNDS };
    let outcome = (0..rounds).try_for_each(|seed| {
        match run(language, &shader, seed, by.as_deref().filter(|_| seed == 0)) {
            Ok(true) => Ok(()),
            Ok(false) => Err("the case does not end".to_string()),
            Err(why) => Err(why),
        }
    });
    match outcome {
        Err(why) if why.contains(UNREAD) => report.skip(UNREAD),
        outcome => report.case(name, outcome),
    }
}

/// Random shaders of every construct that the writers know, in every language.
pub(crate) fn random(_: &Path) -> Vec<File<'_>> {
    LANGUAGES.into_iter().map(random_in).collect()
}

fn random_in<'a>(language: Language) -> File<'a> {
    let mut file = File::new(format!("random shaders of every kind (to {})", language.name()));
    if !is_there(language, &mut file) {
        return file;
    }
    let by = tint_on_path().filter(|_| language == Language::Wgsl);
    // Of WGSL alone there is an engine without 64-bit values, and so for those who have none.
    let wide = language == Language::Wgsl;
    let kind = Kind { wide, broad: false, arithmetic: false, serial: false, ..Kind::ALL };
    let step = if language == Language::Glsl { GLSL_EVERY } else { 1 };
    let seeds = (0..RANDOM).step_by(step as usize).map(|seed| (format!("seed {seed}"), seed));
    file.add_all(seeds, move |report, id, &seed| {
        let mut shader = program(&mut Rng::new(seed), Size { nodes: 30, depth: 3 }, kind);
        define(&mut shader.body);
        // The IR takes the invocations one by one, a GPU takes them as they come.
        let mut race = false;
        shader.body.for_each_inst(&mut |inst| {
            race |= matches!(inst.op, Op::StoreMemory { mask, .. } if mask.count() > 1);
        });
        if race {
            return report.skip("words that several invocations store");
        }
        let (mut changes, mut signed) = (0, false);
        shader.body.for_each_inst(&mut |inst| {
            changes += u32::from(inst.op.writes_outside());
            signed |=
                matches!(inst.op, Op::AtomicMemory { atomic: Atomic::MinSigned | Atomic::MaxSigned, .. });
        });
        if language != Language::Wgsl && changes > 1 {
            return report.skip("changes of memory in the order of the invocations");
        }
        if language == Language::Spirv && signed {
            return report.skip("naga takes every word in memory for an unsigned number");
        }
        // The engine here knows groups of four.
        if shader.stage == Stage::Compute && shader.setup.workgroup.iter().product::<u32>() != 4 {
            return report.skip("a workgroup of another size than four");
        }
        // Who reads SPIR-V wants a position of every vertex.
        let placed = shader.outputs.iter().any(|output| output.kind == OutputKind::Position);
        if shader.stage == Stage::Vertex && !placed {
            shader.outputs.push(Output::new("position", OutputKind::Position));
        }
        if let Some(why) = refuses(language, &shader) {
            return report.skip(why);
        }
        match run(language, &shader, seed, by.as_deref().filter(|_| seed % 64 == 0)) {
            Ok(true) => report.case("", Ok(())),
            Ok(false) => report.skip("a loop ran out of fuel"),
            Err(why) if why.contains(UNREAD) => report.skip(UNREAD),
            Err(why) => report.case(id, Err(why)),
        }
    });
    file
}

/// Random shaders tried.
const RANDOM: u64 = 10_000;

/// Runs a shader on random values; `false` if it does not end.
fn run(language: Language, shader: &Shader, seed: u64, by: Option<&Path>) -> Result<bool, String> {
    let mut rng = Rng::new(seed);
    let textures = textures(shader, &mut rng);
    let samplers: Vec<SamplerState> = shader.textures.iter().map(|t| sampler(t, &mut rng)).collect();
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
    let mut inputs = Vec::new();
    // The engines know where an invocation of a compute shader stands.
    for input in shader.inputs.iter().filter(|_| !compute) {
        inputs.push((0..8).map(|_| four(input.ty.scalar)).collect());
    }
    let batch = Batch {
        count: 8,
        inputs,
        buffers,
        grid: [2, 1, 1],
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four(p.scalar)).collect()).collect(),
        // A texture of an open dimension is bound as the shader assumes it.
        states: shader
            .states
            .iter()
            .filter(|_| shader.textures.iter().all(|t| t.dim_by.is_none()))
            .map(|s| (seed & 1 == 0).then(|| four(s.ty.scalar)))
            .collect(),
        textures: bound,
        fuel: Some(100),
        ..Batch::default()
    };
    match language {
        Language::Wgsl => same(shader, &batch, by),
        _ => same_in(language, shader, &batch),
    }
}

/// A texture of each shape that the shader reads, with numbers that meet those of the inputs.
fn textures(shader: &Shader, rng: &mut Rng) -> Vec<Texture> {
    let mut texture = |dim: Dim, scalar: Scalar| {
        let height = if matches!(dim, Dim::D1 | Dim::D1Array) { 1 } else { 4 };
        let extent = Extent {
            width: 4,
            height,
            depth: if dim == Dim::D3 { 4 } else { 1 },
            layers: if dim.arrayed() { 3 } else { 1 },
            samples: if dim.multisampled() { 4 } else { 1 },
        };
        let mut levels = Vec::new();
        for level in 0..if dim.has_levels() { 3 } else { 1 } {
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

fn sampler(texture: &ir::Texture, rng: &mut Rng) -> SamplerState {
    let compare = texture.compare;
    // Rectangles have no repetitions.
    let wraps = match texture.dim {
        Dim::Rect => [Wrap::Clamp; 3],
        _ => [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror],
    };
    let mips = [Mip::None, Mip::Nearest, Mip::Linear];
    let filter = if rng.one_in(2) { Filter::Linear } else { Filter::Nearest };
    SamplerState {
        mip: mips[rng.below(3)],
        compare: compare.then(|| Compare::ALL[rng.below(Compare::ALL.len())]),
        ..SamplerState::PLAIN.with_filter(filter).with_wrap(wraps[rng.below(3)])
    }
}
