//! `cargo bench -p vecasm-native`: what an invocation of the shared benchmark programs takes, by the interpreters and by
//! generated code; and what making the code takes.
//!
//! The programs are those of `bench/tgsi` and one of `corpus/nv2a` in the shared folder (`$VECASM_SHARED`, or `../shared` beside
//! the project). 16,384 invocations of ordinary values, again and again in the same memory, on one core. A time is the
//! median of 31 samples of at least 4 ms; making code, that of 301. A word behind `--` chooses programs by their names. Programs with
//! textures (256 x 256 texels of random colours) go over a square of 128 x 128 pixels, two texels each.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vecasm::exec::lanes::{Kernels, Lanes, Portable};
use vecasm::exec::texture::Texture;
use vecasm::exec::{Batch, BoundTexture, code, interp};
use vecasm::ir::op::Rule;
use vecasm::ir::random::Rng;
use vecasm::ir::{Arith, Dim, Filter, Mip, Node, Op, Pure, Region, SamplerState, Scalar, Shader, Wrap};
use vecasm::isa::{nv2a, tgsi};
use vecasm::opt::{clean, fold, promote};
use vecasm_native::{Compiled, Isa, Workspace};

const COUNT: usize = 16_384;
const SAMPLES: usize = 31;
const MAKINGS: usize = 301;

/// The programs of TGSI, and how many million invocations a second `llvmpipe` draws on the reference machine.
const TGSI: [(&str, f64); 6] = [
    ("v_short", 246.0),
    ("v_light", 104.0),
    ("v_loop", 17.7),
    ("f_flat", 768.0),
    ("f_light", 151.0),
    ("f_loop", 48.0),
];

/// Programs that read textures, in what way they do, and whether there are levels.
const TEXTURED: [(&str, &str, Filter, bool); 4] = [
    ("f_tex nearest", "TEX", Filter::Nearest, false),
    ("f_tex bilinear", "TEX", Filter::Linear, false),
    ("f_tex trilinear", "TEX", Filter::Linear, true),
    ("f_tex projective", "TXP", Filter::Linear, false),
];

/// The program of the NV2A: 50 slots. The peer is `nv2a_vsh_cpu`.
const NV2A: (&str, f64) = ("nxdk_pgraph_tests__fixed_function_approximation_shader", 2.0);

fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("VECASM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    given.into_iter().chain([beside]).find(|dir| dir.join("bench").is_dir())
}

/// A shader with all of its arithmetic on f32 by another rule.
fn by_rule(shader: &Shader, rule: Rule, flush: bool) -> Shader {
    fn change(region: &mut Region, shader: &Shader, arith: Arith) {
        for node in &mut region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Op::Pure(pure) = inst.op {
                        let scalar: Scalar = pure.scalar_of(shader, shader.args(inst.args));
                        inst.arith = arith.concerning(inst.op, scalar);
                    }
                }
                node => node.for_each_region_mut(|inner| change(inner, shader, arith)),
            }
        }
    }
    let mut shader = shader.clone();
    let mut body = std::mem::take(&mut shader.body);
    change(&mut body, &shader, Arith { rule, flush, precise: false });
    shader.body = body;
    shader
}

fn tgsi(shared: &Path, name: &str) -> Option<Shader> {
    let text = std::fs::read_to_string(shared.join(format!("bench/tgsi/{name}.tgsi"))).ok()?;
    let program = tgsi::text::parse(&text, &tgsi::text::ParseOptions::tolerant()).0?;
    let shader = tgsi::lift::lift(&program, &tgsi::lift::Options::default()).ok()?;
    Some(clean(&fold(&promote(&shader))))
}

fn nv2a(shared: &Path, name: &str, numerics: nv2a::lift::Numerics) -> Option<Shader> {
    let text = std::fs::read_to_string(shared.join(format!("corpus/nv2a/{name}.words"))).ok()?;
    let bytes = nv2a::bytes::parse_words(&text)?;
    let program = nv2a::bytes::decode_lossless(&bytes);
    let options = nv2a::lift::Options { numerics, ..nv2a::lift::Options::default() };
    let shader = nv2a::lift::lift(&program, &options).ok()?;
    Some(clean(&fold(&shader)))
}

/// A texture times a colour.
fn textured(how: &str) -> Option<Shader> {
    let text = format!(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
         DCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n{how} TEMP[0], IN[0], SAMP[0], 2D\nMUL OUT[0], TEMP[0], IN[1]\nEND\n"
    );
    let program = tgsi::text::parse(&text, &tgsi::text::ParseOptions::tolerant()).0?;
    let shader = tgsi::lift::lift(&program, &tgsi::lift::Options::default()).ok()?;
    Some(clean(&fold(&promote(&shader))))
}

/// Random colours.
fn texture(levels: bool) -> Option<Texture> {
    let mut rng = Rng::new(2);
    let bytes: Vec<u8> = (0..256 * 256 * 4).map(|_| rng.below(256) as u8).collect();
    let mut texture = Texture::from_rgba8(Dim::D2, 256, 256, 1, &[&bytes]).ok()?;
    if levels {
        texture.generate_levels();
    }
    Some(texture)
}

/// A program that writes constants, so that its vertices run one after another.
const SERIAL: &str = "nxdk_vsh_tests__mac_mad_passthrough";

/// Ordinary values.
fn batch(shader: &Shader) -> Batch<'static> {
    let mut rng = Rng::new(1);
    let mut four = || std::array::from_fn(|_| (rng.below(2000) as f32 / 1000.0 - 0.9).to_bits());
    Batch {
        count: COUNT,
        inputs: shader.inputs.iter().map(|_| (0..COUNT).map(|_| four()).collect()).collect(),
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four()).collect()).collect(),
        ..Batch::default()
    }
}

/// The median of what one call takes.
fn time(samples: usize, least: Duration, mut run: impl FnMut()) -> Duration {
    run();
    let mut each: Vec<Duration> = (0..samples)
        .map(|_| {
            let (start, mut runs) = (Instant::now(), 0);
            while runs == 0 || start.elapsed() < least {
                run();
                runs += 1;
            }
            start.elapsed() / runs
        })
        .collect();
    each.sort_unstable();
    each[samples / 2]
}

fn report(name: &str, engine: &str, each: Duration, peer: Option<f64>, more: &str) {
    let peer = peer.map_or_else(|| "-".into(), |peer| format!("{peer:.1}"));
    let ns = each.as_secs_f64() * 1e9 / COUNT as f64;
    println!("{name:<22} {engine:<12} {ns:>9.2} ns {:>8.1} M/s   peer {peer:>6}   {more}", 1e3 / ns);
}

fn lanes_row<K: Kernels>(
    name: &str,
    engine: &str,
    lanes: Lanes<K>,
    (shader, batch): (&Shader, &Batch<'_>),
    peer: Option<f64>,
) {
    match lanes.prepare(shader) {
        Ok(prepared) => {
            let mut workspace = prepared.workspace();
            let each = time(SAMPLES, Duration::from_millis(4), || {
                let _ = black_box(prepared.run_in(&mut workspace, black_box(batch)));
            });
            report(name, engine, each, peer, "");
        }
        Err(error) => println!("{name:<22} {engine:<12} {error}"),
    }
}

fn rows(name: &str, shader: &Shader, batch: &Batch<'_>, peer: Option<f64>) {
    let words = 16 * (shader.inputs.len() + shader.outputs.len());
    println!(
        "{name}: {} products and sums, {words} bytes in and out an invocation",
        products_and_sums(&code::Code::new(shader).pruned().body)
    );
    let least = Duration::from_millis(4);
    let interp = match interp::Prepared::new(shader) {
        Ok(prepared) => {
            let mut workspace = interp::Workspace::default();
            let each = time(3, least, || {
                let _ = black_box(prepared.run_in(&mut workspace, black_box(batch)));
            });
            report(name, "interp", each, peer, "");
            each
        }
        Err(error) => return println!("{name:<22} {error}"),
    };
    lanes_row(name, "lanes", Lanes::new(Portable), (shader, batch), peer);
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = vecasm_native::Avx2::new() {
        lanes_row(name, "lanes avx2", Lanes::new(avx2), (shader, batch), peer);
    }
    if let Some(avx512) = vecasm_native::Avx512::new() {
        lanes_row(name, "lanes avx512", Lanes::new(avx512), (shader, batch), peer);
    }
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there()) {
        let engine = format!("jit {isa:?}").to_lowercase();
        let compiled = match Compiled::new(shader, isa) {
            Ok(compiled) => compiled,
            Err(error) => {
                println!("{name:<22} {engine:<12} {error}");
                continue;
            }
        };
        let mut workspace = Workspace::default();
        let each = time(SAMPLES, least, || {
            let _ = black_box(compiled.run_in(&mut workspace, black_box(batch)));
        });
        let mut made: Vec<Duration> =
            (0..MAKINGS).filter_map(|_| Some(Compiled::new(shader, isa).ok()?.generation())).collect();
        made.sort_unstable();
        let made = made[made.len() / 2];
        // After how many invocations code has paid for itself.
        let saved = (interp.as_secs_f64() - each.as_secs_f64()) / COUNT as f64;
        let even = made.as_secs_f64() / saved;
        let more = format!(
            "{} bytes made in {:.1} µs, even after {even:.0}",
            compiled.size(),
            made.as_secs_f64() * 1e6
        );
        report(name, &engine, each, peer, &more);
    }
}

/// Products and sums of f32 that one invocation computes, where it goes through all of a shader once.
fn products_and_sums(region: &code::Region) -> usize {
    let one = |node: &code::Node| match node {
        code::Node::Pure(calc) if calc.scalar == Scalar::F32 => match calc.op {
            Pure::Add | Pure::Sub | Pure::Mul => calc.out.rows().len(),
            Pure::Dot => 2 * usize::from(calc.reduced) - 1,
            Pure::Sum => usize::from(calc.reduced) - 1,
            Pure::Fma => 2 * calc.out.rows().len(),
            _ => 0,
        },
        code::Node::Block(node) => products_and_sums(&node.body),
        code::Node::Loop(node) => products_and_sums(&node.body),
        _ => 0,
    };
    region.nodes.iter().map(one).sum()
}

/// Products and sums a second that the machine does on vectors in registers, separate ones, as many of each.
#[cfg(target_arch = "x86_64")]
fn peak() -> Option<f64> {
    /// 12 vectors of 8 lanes, so that none waits for another.
    const LANES: usize = 96;
    const ROUNDS: usize = 10_000;

    /// # Safety
    ///
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn chains(sums: &mut [f32; LANES], factor: f32, term: f32) {
        let mut now = *sums;
        for _ in 0..ROUNDS {
            for lane in &mut now {
                *lane = *lane * factor + term;
            }
        }
        *sums = now;
    }

    if !std::is_x86_feature_detected!("avx2") {
        return None;
    }
    let mut sums = [0.5; LANES];
    let each = time(SAMPLES, Duration::from_millis(4), || {
        // SAFETY: the processor has AVX2, as was just looked up.
        unsafe { chains(black_box(&mut sums), black_box(0.5), black_box(0.25)) }
    });
    Some((2 * LANES * ROUNDS) as f64 / each.as_secs_f64())
}

/// Bytes a second that are copied between two halves of 128 MiB, read plus written.
fn copying() -> f64 {
    const BYTES: usize = 64 << 20;
    let (from, mut to) = (vec![1_u8; BYTES], vec![0_u8; BYTES]);
    let each = time(9, Duration::from_millis(4), || black_box(&mut to).copy_from_slice(black_box(&from)));
    (2 * BYTES) as f64 / each.as_secs_f64()
}

/// What the machine could do, and one step of xorshift64, which figures of other machines are scaled by.
fn machine() {
    #[cfg(target_arch = "x86_64")]
    if let Some(peak) = peak() {
        println!("separate products and sums in AVX2 registers: {:.1} GFLOP/s", peak / 1e9);
    }
    println!("copying: {:.1} GB/s, read plus write", copying() / 1e9);
    const STEPS: u32 = 1_000_000;
    let mut x = 88_172_645_463_325_252_u64;
    let each = time(9, Duration::from_millis(4), || {
        for _ in 0..STEPS {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        black_box(x);
    });
    println!("xorshift64: {:.3} ns a step", each.as_secs_f64() * 1e9 / f64::from(STEPS));
}

fn main() {
    machine();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    let Some(shared) = shared() else {
        return println!("skipped: there is no folder of shared programs ($VECASM_SHARED)");
    };
    for (name, peer) in TGSI {
        let Some(shader) = tgsi(&shared, name) else {
            println!("{name}: cannot be read");
            continue;
        };
        for (how, rule, flush) in
            [("", Rule::Ieee, false), (" zero-wins", Rule::ZeroWins, false), (" flush", Rule::Ieee, true)]
        {
            let name = format!("{name}{how}");
            if wanted(&name) {
                let shader = by_rule(&shader, rule, flush);
                rows(&name, &shader, &batch(&shader), Some(peer));
            }
        }
    }
    for (name, how, filter, levels) in TEXTURED {
        let (Some(shader), Some(texture)) = (textured(how), texture(levels)) else { continue };
        if !wanted(name) {
            continue;
        }
        let mut batch = batch(&shader);
        if let Some(places) = batch.inputs.first_mut() {
            for (i, place) in places.iter_mut().enumerate() {
                // Quad after quad.
                let (quad, of) = (i / 4, i % 4);
                let (x, y) = (quad % 64 * 2 + of % 2, quad / 64 * 2 + of / 2);
                *place = [x as f32 + 0.3, y as f32 + 0.6, 128.0, 128.0].map(|at| (at / 128.0).to_bits());
            }
        }
        let mip = if levels { Mip::Linear } else { Mip::None };
        let sampler = SamplerState { mip, ..SamplerState::PLAIN.with_filter(filter).with_wrap(Wrap::Repeat) };
        batch.textures = vec![Some(BoundTexture { texture: &texture, sampler })];
        rows(name, &shader, &batch, None);
    }
    use nv2a::lift::Numerics;
    if let Some(shader) = nv2a(&shared, SERIAL, Numerics::Nv20).filter(|_| wanted("nv2a serial")) {
        rows("nv2a serial", &shader, &batch(&shader), None);
    }
    for (how, numerics) in [("nv2a zero-wins", Numerics::Ieee), ("nv2a nv20", Numerics::Nv20)] {
        match nv2a(&shared, NV2A.0, numerics) {
            Some(shader) if wanted(how) => {
                rows(how, &shader, &batch(&shader), Some(NV2A.1));
                if numerics == Numerics::Ieee {
                    let shader = by_rule(&shader, Rule::Ieee, false);
                    rows("nv2a ieee", &shader, &batch(&shader), Some(NV2A.1));
                }
            }
            Some(_) => {}
            None => println!("{how}: cannot be read"),
        }
    }
}
