//! AGAL to WGSL: what is written has to be accepted by naga and, where it is installed, by tint.

use super::{CorpusProgram, File, Report, check_lines, check_programs, corpus, hex};
use crate::wgsl_run::{Language, Written, capabilities};
use naga::valid::{ValidationFlags, Validator};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use vecasm::emit::wgsl::{ArraySize, Options, Output, Space, UnreadVaryings, write, write_pair};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine as _};
use vecasm::ir::build::Builder;
use vecasm::ir::random::{Rng, Size, shader};
use vecasm::ir::{
    Arg, At, Input, InputId, InputKind, Inst, Node, Op, OutOfRange, Output as Cell, OutputId, OutputKind,
    Region, Shader, Stage, Type, Value,
};
use vecasm::isa::agal::bytes::decode;
use vecasm::isa::agal::lift::{self, lift};
use vecasm::isa::operand::WriteMask;

/// The corpus, alone and in pairs, the small programs of the execution oracle, and random shaders.
pub(crate) fn programs(shared: &Path) -> Vec<File<'_>> {
    vec![alone(shared), pairs(shared), small(shared), random()]
}

fn lifted(bytes: &[u8]) -> Result<Shader, String> {
    let program = decode(bytes).map_err(|e| e.to_string())?;
    lift(&program, &lift::Options::default()).map_err(|e| e.to_string())
}

/// Parses and validates in this process.
pub(crate) fn naga(source: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string(source))?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities());
    validator.validate(&module).map_err(|e| e.emit_to_string(source))?;
    Ok(())
}

/// The `tint` of Dawn, if it is on the path.
pub(crate) fn tint_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join("tint")).find(|file| file.is_file())
}

/// Has tint read a module, check its uniformity and write it again.
pub(crate) fn tint(tint: &Path, source: &str) -> Result<(), String> {
    let io = |e: std::io::Error| format!("{}: {e}", tint.display());
    let mut child = Command::new(tint)
        .args(["--input-format", "wgsl", "--format", "wgsl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(source.as_bytes()).map_err(io)?;
    }
    let output = child.wait_with_output().map_err(io)?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !said.contains("error:") && !said.contains("warning:") {
        return Ok(());
    }
    Err(format!("tint: {said}"))
}

pub(super) fn accepted(report: &mut Report, id: &str, by: Option<&Path>, written: Result<Output, String>) {
    let outcome = written.and_then(|output| {
        naga(&output.source).map_err(|e| format!("naga: {e}"))?;
        match by {
            Some(by) => tint(by, &output.source),
            None => Ok(()),
        }
    });
    report.case(id, outcome);
}

/// The programs of the corpus, judged by tint where it is there. CI has to have it.
fn judge_programs<'a>(
    shared: &Path,
    about: &str,
    check: impl Fn(&mut Report, &CorpusProgram, Option<&Path>) + Send + Sync + 'a,
) -> File<'a> {
    let by = tint_on_path();
    let lacks_tint = by.is_none();
    let mut file = check_programs(shared, "agal", about, move |report, program| {
        check(report, program, by.as_deref());
    });
    if lacks_tint && !file.is_absent() {
        add_lack_of_tint(&mut file);
    }
    file
}

/// A row that tells that tint is missing, and fails where it has to be there.
pub(super) fn add_lack_of_tint(file: &mut File<'_>) {
    match std::env::var_os("CI") {
        Some(_) => file.add_outcome("tint", Err("not on the path, and this is CI".into())),
        None => file.add_skip("tint", "judged by naga alone: tint is not on the path"),
    }
}

fn alone(shared: &Path) -> File<'_> {
    judge_programs(shared, "to wgsl", |report, program, by| {
        let written = lifted(&program.bytes).and_then(|shader| {
            let output = write(&shader, &Options::default()).map_err(|e| e.to_string())?;
            // Every choice has to be accepted too, and the comments have to be harmless.
            let comments: Vec<String> = (0..3000).map(|n| format!("{n} */ \r\n \u{2028} }}")).collect();
            let mut options = Options {
                array_size: ArraySize::File,
                space: Space::Storage,
                names: &[("oc", "loop"), ("ft0", "vec4f"), ("va0", "in"), ("v0", "uv"), ("fs0", "fc")],
                ..Options::default()
            };
            options.vertex.comments = &comments;
            options.fragment.comments = &comments;
            options.vertex.entry = Some("vc");
            options.fragment.entry = Some("ft1");
            let other = write(&shader, &options).map_err(|e| e.to_string())?;
            naga(&other.source).map_err(|e| format!("with other options: {e}"))?;
            Ok(output)
        });
        accepted(report, &program.id, by, written);
    })
}

/// Each program with the first of the corpus that fits, else with one made for it.
fn pairs(shared: &Path) -> File<'_> {
    let all = LazyLock::new(|| -> Vec<Shader> {
        match corpus(shared, "agal") {
            Some(Ok(programs)) => programs.iter().filter_map(|p| lifted(&p.bytes).ok()).collect(),
            _ => Vec::new(),
        }
    });
    judge_programs(shared, "pairs to wgsl", move |report, program, by| {
        let written = lifted(&program.bytes).and_then(|shader| {
            let (vertex, fragment) = match shader.stage {
                Stage::Fragment => {
                    let found = all.iter().find(|v| v.stage == Stage::Vertex && fits(v, &shader));
                    (found.cloned().unwrap_or_else(|| vertex_for(&shader)), shader)
                }
                _ => match all.iter().find(|f| f.stage == Stage::Fragment && fits(&shader, f)) {
                    Some(fragment) => (shader, fragment.clone()),
                    None => return Err("the corpus has no fragment program for it".into()),
                },
            };
            let kept = Options { unread: UnreadVaryings::Keep, ..Options::default() };
            let kept = write_pair(&vertex, &fragment, &kept).map_err(|e| e.to_string())?;
            naga(&kept.source).map_err(|e| format!("with unread varyings: {e}"))?;
            write_pair(&vertex, &fragment, &Options::default()).map_err(|e| e.to_string())
        });
        accepted(report, &program.id, by, written);
    })
}

fn varyings(fragment: &Shader) -> impl Iterator<Item = u32> + '_ {
    fragment.inputs.iter().filter_map(|input| match input.kind {
        InputKind::Varying { location } => Some(location),
        _ => None,
    })
}

fn fits(vertex: &Shader, fragment: &Shader) -> bool {
    varyings(fragment)
        .all(|location| vertex.outputs.iter().any(|o| o.kind == OutputKind::Varying { location }))
}

/// A vertex shader that hands on an attribute for every varying that `fragment` reads.
fn vertex_for(fragment: &Shader) -> Shader {
    let mut b = Builder::new(Stage::Vertex, "agal", &[], 8);
    let mut copy = |location: u32, name: String, kind: OutputKind| {
        let id = b.shader.inputs.len() as u32;
        let kind_in = InputKind::Attribute { location };
        b.shader.inputs.push(Input::new(format!("va{location}"), kind_in, Type::F32X4));
        b.shader.outputs.push(Cell::new(name, kind));
        let value = b.push(Op::Input(InputId(id)), &[], Type::F32X4);
        b.effect(Op::StoreOutput { output: OutputId(id), mask: WriteMask::ALL }, &[Arg::all_lanes(value, 4)]);
    };
    copy(0, "op".into(), OutputKind::Position);
    for (n, location) in varyings(fragment).enumerate() {
        copy(n as u32 + 1, format!("v{location}"), OutputKind::Varying { location });
    }
    b.finish()
}

fn small(shared: &Path) -> File<'_> {
    let file = check_lines(shared, "oracle/agal/exec.jsonl", |report, id, case| {
        let written = || {
            let shader = lifted(&hex(case.get("hex").and_then(|h| h.as_str()).ok_or("no program")?))?;
            let output = write(&shader, &Options::default()).map_err(|e| e.to_string())?;
            naga(&output.source).map_err(|e| format!("naga: {e}"))
        };
        report.case(id, written());
    });
    file.append_name(" (to wgsl)")
}

/// Random shaders with every region and exit there is: what is written gives what the interpreter gives.
fn random<'a>() -> File<'a> {
    let mut file = File::new("random shaders (to wgsl)");
    let by = tint_on_path();
    file.add_all((0..RANDOM).map(|seed| (format!("seed {seed}"), seed)), move |report, id, &seed| {
        let mut rng = Rng::new(seed);
        let mut shader = shader(&mut rng, Size { nodes: 40, depth: 4 });
        define(&mut shader.body);
        if seed % 2 == 1 {
            let mut edits = Vec::new();
            chain(&shader, &shader.body, &mut Vec::new(), &mut rng, &mut edits);
            for (at, arg) in edits {
                shader.args[at] = arg;
            }
        }
        let floats = |rng: &mut Rng| [rng.float(), rng.float(), rng.float(), rng.float()];
        let batch = Batch {
            count: 8,
            inputs: (0..2).map(|_| (0..8).map(|_| floats(&mut rng)).collect()).collect(),
            params: vec![(0..4).map(|_| floats(&mut rng)).collect()],
            fuel: Some(40),
            ..Batch::default()
        };
        let outcome = same(&shader, &batch, by.as_deref().filter(|_| seed % 64 == 0));
        match outcome {
            Ok(true) => report.case("", Ok(())),
            // A GPU has no fuel, and WGSL refuses a loop that is never left.
            Ok(false) => report.skip("a loop ran out of fuel or is never left"),
            Err(why) => report.case(id, Err(why)),
        }
    });
    file
}

/// Makes the elements outside arrays zero where they are undefined: there targets may do what engines do not.
pub(super) fn define(region: &mut Region) {
    for node in &mut region.nodes {
        if let Node::Inst(Inst { op, .. }) = node {
            match op {
                Op::ParamAt { rule, .. }
                | Op::LoadLocalAt { rule, .. }
                | Op::InputAt { at: At { rule, .. }, .. }
                | Op::LoadOutputAt { at: At { rule, .. }, .. }
                    if *rule == OutOfRange::Undefined =>
                {
                    *rule = OutOfRange::Zero;
                }
                _ => {}
            }
        }
        node.for_each_region_mut(define);
    }
}

/// Random shaders tried.
const RANDOM: u64 = 20_000;

/// Whether what is written as WGSL does what the interpreter does; `false` if there is nothing to compare.
pub(super) fn same(shader: &Shader, batch: &Batch<'_>, by: Option<&Path>) -> Result<bool, String> {
    let output = match write(shader, &Options::default()) {
        Err(refused) if refused.id == "WGSL-loop" => return Ok(false),
        written => written.map_err(|e| e.to_string())?,
    };
    naga(&output.source).map_err(|e| format!("naga: {e}"))?;
    if let Some(by) = by {
        tint(by, &output.source)?;
    }
    same_in(Language::Wgsl, shader, batch).map_err(|why| format!("{why}, by\n{}", output.source))
}

/// Whether what is written in a language does what the interpreter does; `false` if there is nothing to compare.
pub(super) fn same_in(language: Language, shader: &Shader, batch: &Batch<'_>) -> Result<bool, String> {
    let expected = Interp.run(shader, batch).map_err(|e| e.to_string())?;
    if !expected.exhausted.contains(&false) {
        return Ok(false);
    }
    // An index or layer that is clamped may be anything for NaN, and the element then; the IR says 0.
    let mut indexed = false;
    shader.body.for_each_inst(&mut |inst| {
        indexed |= matches!(inst.op, Op::ParamAt { .. } | Op::Sample { .. } | Op::Gather { .. });
    });
    let nan = if indexed { 0 } else { 0x1234_5678 };
    let got = Written { own_math: true, nan, language }.run(shader, batch).map_err(|e| e.to_string())?;
    let ended = |i: usize| !expected.exhausted[i];
    if let Some(i) = (0..batch.count).find(|&i| ended(i) && got.killed[i] != expected.killed[i]) {
        return Err(format!("killed[{i}] is {}", got.killed[i]));
    }
    // Who has no fuel left goes on here.
    let all = !expected.exhausted.contains(&true);
    for (buffer, (got, wanted)) in got.buffers.iter().zip(&expected.buffers).enumerate() {
        // What is stored of a NaN is the canonical one here, and any NaN there. Other words of that form are integers.
        let nan = |word: &[u8]| word.try_into().is_ok_and(|word| f32::from_le_bytes(word).is_nan());
        let canonical = 0x7fc0_0000u32.to_le_bytes();
        let words = got.chunks(4).zip(wanted.chunks(4));
        let equal =
            got.len() == wanted.len() && words.into_iter().all(|(a, b)| a == b || nan(a) && b == canonical);
        if all && !equal {
            return Err(format!("buffer {buffer}: {got:02x?}, not {wanted:02x?}"));
        }
    }
    for (cell, (got, wanted)) in got.cells.iter().zip(&expected.cells).enumerate() {
        for (i, (got, wanted)) in got.iter().zip(wanted).enumerate() {
            // The sign and payload of a NaN are no value.
            let equal =
                |(a, b): (&u32, &u32)| a == b || f32::from_bits(*a).is_nan() && f32::from_bits(*b).is_nan();
            if ended(i) && !expected.killed[i] && !got.iter().zip(wanted).all(equal) {
                return Err(format!("output {cell}, invocation {i}: {got:08x?}, not {wanted:08x?}"));
            }
        }
    }
    Ok(true)
}

/// Makes some arms yield, unchanged, the result of an `if` before, as a conditional write to a register does. Gives
/// the places in [`Shader::args`] to change.
fn chain(
    shader: &Shader,
    region: &Region,
    scope: &mut Vec<Value>,
    rng: &mut Rng,
    edits: &mut Vec<(usize, Arg)>,
) {
    let outer = scope.len();
    for node in &region.nodes {
        match node {
            Node::If(node) => {
                let arms = [&node.then, &node.otherwise];
                for arm in arms {
                    chain(shader, arm, scope, rng, edits);
                }
                for (i, result) in node.results.iter().enumerate() {
                    let ty = shader.value(*result).ty;
                    let same: Vec<Value> =
                        scope.iter().copied().filter(|v| shader.value(*v).ty == ty).collect();
                    let yields = shader.args(arms[rng.below(2)].yields);
                    if i < yields.len() && !same.is_empty() && !rng.one_in(4) {
                        let start =
                            (yields.as_ptr() as usize - shader.args.as_ptr() as usize) / size_of::<Arg>();
                        edits.push((start + i, Arg::all_lanes(same[rng.below(same.len())], ty.lanes)));
                    }
                }
                scope.extend(&node.results);
            }
            Node::Block(node) => chain(shader, &node.body, scope, rng, edits),
            Node::Loop(node) => chain(shader, &node.body, scope, rng, edits),
            _ => {}
        }
    }
    scope.truncate(outer);
}
