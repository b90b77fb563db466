//! `cargo bench -p vecasm-native`: what an invocation of the shared benchmark programs takes, by the interpreters and by
//! generated code; and what making the code takes.
//!
//! The programs are those of `bench/tgsi` and one of `corpus/nv2a` in the shared folder (`$VECASM_SHARED`, or `../shared` beside
//! the project). 16,384 invocations of ordinary values, again and again in the same memory, on one core. A time is the
//! median of 31 samples of at least 4 ms; making code, that of 301. A word behind `--` chooses programs by their names.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vecasm::exec::Batch;
use vecasm::exec::interp;
use vecasm::exec::lanes::{Kernels, Lanes, Portable};
use vecasm::ir::op::Rule;
use vecasm::ir::random::Rng;
use vecasm::ir::{Arith, Node, Op, Region, Scalar, Shader};
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

fn report(name: &str, engine: &str, each: Duration, peer: f64, more: &str) {
    let ns = each.as_secs_f64() * 1e9 / COUNT as f64;
    println!("{name:<22} {engine:<11} {ns:>9.2} ns {:>8.1} M/s   peer {peer:>6.1}   {more}", 1e3 / ns);
}

fn lanes_row<K: Kernels>(
    name: &str,
    engine: &str,
    lanes: Lanes<K>,
    (shader, batch): (&Shader, &Batch<'_>),
    peer: f64,
) {
    match lanes.prepare(shader) {
        Ok(prepared) => {
            let mut workspace = prepared.workspace();
            let each = time(SAMPLES, Duration::from_millis(4), || {
                let _ = black_box(prepared.run_in(&mut workspace, black_box(batch)));
            });
            report(name, engine, each, peer, "");
        }
        Err(error) => println!("{name:<22} {engine:<11} {error}"),
    }
}

fn rows(name: &str, shader: &Shader, peer: f64) {
    let batch = batch(shader);
    let least = Duration::from_millis(4);
    let interp = match interp::Prepared::new(shader) {
        Ok(prepared) => {
            let mut workspace = interp::Workspace::default();
            let each = time(3, least, || {
                let _ = black_box(prepared.run_in(&mut workspace, black_box(&batch)));
            });
            report(name, "interp", each, peer, "");
            each
        }
        Err(error) => return println!("{name:<22} {error}"),
    };
    lanes_row(name, "lanes", Lanes::new(Portable), (shader, &batch), peer);
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = vecasm_native::Avx2::new() {
        lanes_row(name, "lanes avx2", Lanes::new(avx2), (shader, &batch), peer);
    }
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there()) {
        let engine = format!("jit {isa:?}").to_lowercase();
        let compiled = match Compiled::new(shader, isa) {
            Ok(compiled) => compiled,
            Err(error) => {
                println!("{name:<22} {engine:<11} {error}");
                continue;
            }
        };
        let mut workspace = Workspace::default();
        let each = time(SAMPLES, least, || {
            let _ = black_box(compiled.run_in(&mut workspace, black_box(&batch)));
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

fn main() {
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
                rows(&name, &by_rule(&shader, rule, flush), peer);
            }
        }
    }
    use nv2a::lift::Numerics;
    for (how, numerics) in [("nv2a zero-wins", Numerics::Ieee), ("nv2a nv20", Numerics::Nv20)] {
        match nv2a(&shared, NV2A.0, numerics) {
            Some(shader) if wanted(how) => {
                rows(how, &shader, NV2A.1);
                if numerics == Numerics::Ieee {
                    rows("nv2a ieee", &by_rule(&shader, Rule::Ieee, false), NV2A.1);
                }
            }
            Some(_) => {}
            None => println!("{how}: cannot be read"),
        }
    }
}
