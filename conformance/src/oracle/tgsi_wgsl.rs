//! TGSI to WGSL: what is written of the corpus, of pairs and of instructions on constants is accepted, and what is not written
//! has a reason.

use super::agal_wgsl::{accepted, add_lack_of_tint, naga as naga_accepts, tint_on_path};
use super::{File, Report};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vecasm::diag::Diagnostic;
use vecasm::emit::wgsl::{Options, Output, RULES, write, write_pair};
use vecasm::ir::{InputKind, OutputKind, Shader, Stage};
use vecasm::isa::Isa;
use vecasm::isa::table::{Flow, Shape};
use vecasm::isa::tgsi::lift::{self, lift};
use vecasm::isa::tgsi::names::{File as RegisterFile, Semantic};
use vecasm::isa::tgsi::table::Row;
use vecasm::isa::tgsi::text::{ParseOptions, parse};
use vecasm::isa::tgsi::{Opcode, Program};
use vecasm::opt::{clean, fold};

/// The corpus alone and in pairs, and every instruction on constants.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let Some(programs) = programs(shared) else { return vec![File::absent("corpus/tgsi (to wgsl)")] };
    let programs: Vec<Arc<Read>> = programs.into_iter().map(Arc::new).collect();
    let by = Arc::new(tint_on_path());
    let mut alone = alone(&programs, Arc::clone(&by));
    if by.is_none() {
        add_lack_of_tint(&mut alone);
    }
    vec![alone, pairs(&programs, Arc::clone(&by)), constants(by)]
}

/// A program of the corpus that can be read.
struct Read {
    id: String,
    program: Program,
}

fn programs(shared: &Path) -> Option<Vec<Read>> {
    let mut files: Vec<_> = std::fs::read_dir(shared.join("corpus/tgsi/programs"))
        .ok()?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "tgsi"));
    files.sort();
    // Texts that no dialect reads are for others to judge.
    let read = |file: &PathBuf| {
        let (program, _) = parse(&std::fs::read_to_string(file).ok()?, &ParseOptions::default());
        Some(Read { id: file.file_stem()?.to_string_lossy().into_owned(), program: program? })
    };
    Some(files.iter().filter_map(read).collect())
}

/// Has what was written judged, and counts what was not, if a rule of the writer says why.
fn judge(report: &mut Report, id: &str, by: Option<&Path>, written: Result<Output, Diagnostic>) {
    if let Err(why) = &written {
        if RULES.iter().any(|rule| why.id == rule.id) {
            report.count(why.id, 1);
            return report.note(|| format!("{id}: {why}"));
        }
    }
    accepted(report, id, by, written.map_err(|e| e.to_string()));
}

/// Tells what was refused, by the rule that refuses it.
fn add_refused(report: &mut Report) {
    report.skipped.extend(report.counts.clone());
}

fn lifted(program: &Program) -> Option<Shader> {
    lift(program, &lift::Options::default()).ok()
}

/// Every program of every stage; what has no meaning is for others. What WGSL cannot say is counted by the rule that refuses it;
/// `--notes` tells what it was.
fn alone<'a>(programs: &[Arc<Read>], by: Arc<Option<PathBuf>>) -> File<'a> {
    let mut file = File::new("corpus/tgsi (to wgsl)");
    let rows = programs.iter().map(|read| (read.id.clone(), Arc::clone(read)));
    file.add_all(rows, move |report, id, read| {
        let Some(shader) = lifted(&read.program) else { return };
        judge(report, id, (*by).as_deref(), write(&shader, &Options::default()));
        let folded = write(&clean(&fold(&shader)), &Options::default());
        if let Ok(Err(why)) = folded.map(|output| naga_accepts(&output.source)) {
            report.case(id, Err(format!("with constants computed: {why}")));
        }
    });
    file.summarize(add_refused);
    file
}

/// What a varying is computed as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VaryingClass {
    Floats,
    Integers,
}

impl VaryingClass {
    const fn word(self) -> &'static str {
        if matches!(self, Self::Floats) { "floats" } else { "integers" }
    }

    const fn add(self) -> &'static str {
        if matches!(self, Self::Floats) { "ADD" } else { "UADD" }
    }
}

/// The varyings that a program declares in a file, by name.
fn varyings(program: &Program, file: RegisterFile) -> Vec<(Semantic, u32)> {
    let kinds = [Semantic::Color, Semantic::Generic, Semantic::Fog, Semantic::Texcoord];
    let mut out = Vec::new();
    for d in program.declarations().filter(|d| d.file == file) {
        let Some(semantic) = d.semantic.filter(|semantic| kinds.contains(&semantic.name)) else { continue };
        let count = u32::from(d.last.saturating_sub(d.first)).min(31);
        out.extend((0..=count).map(|n| (semantic.name, u32::from(semantic.index) + n)));
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn named((name, index): &(Semantic, u32)) -> String {
    format!("{}[{index}]", name.name().unwrap_or("GENERIC"))
}

/// A vertex program that writes what a fragment program reads.
fn vertex_for(fragment: &Program, kind: VaryingClass) -> String {
    let mut text = String::from("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n");
    let list = varyings(fragment, RegisterFile::In);
    for (n, varying) in list.iter().enumerate() {
        let _ = writeln!(text, "DCL OUT[{}], {}", n + 1, named(varying));
    }
    text.push_str("MOV OUT[0], IN[0]\n");
    for n in 1..=list.len() {
        let _ = writeln!(text, "{} OUT[{n}], IN[0], IN[0].wzyx", kind.add());
    }
    text + "END\n"
}

/// A fragment program that reads what a vertex program writes.
fn fragment_for(vertex: &Program, kind: VaryingClass) -> String {
    let mut text = String::from("FRAG\n");
    let list = varyings(vertex, RegisterFile::Out);
    for (n, varying) in list.iter().enumerate() {
        let _ = writeln!(text, "DCL IN[{n}], {}, PERSPECTIVE", named(varying));
    }
    text.push_str("DCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 2, 3}\nMOV TEMP[0], IMM[0]\n");
    for n in 0..list.len() {
        let _ = writeln!(text, "{} TEMP[0], TEMP[0], IN[{n}]", kind.add());
    }
    text + "MOV OUT[0], TEMP[0]\nEND\n"
}

fn parsed(text: &str) -> Result<Shader, String> {
    let (program, findings) = parse(text, &ParseOptions::default());
    let program = program.ok_or_else(|| format!("{findings:?}\n{text}"))?;
    lift(&program, &lift::Options::default()).map_err(|e| format!("{e}\n{text}"))
}

fn linked(vertex: &Shader, fragment: &Shader) -> Result<Output, Diagnostic> {
    let (mut vertex, mut fragment) = (vertex.clone(), fragment.clone());
    Isa::Tgsi.link(&mut vertex, &mut fragment);
    write_pair(&vertex, &fragment, &Options::default())
}

/// Each program with one made for it that has the same varyings as floats, and as integers; each fragment program with the
/// first vertex program of the corpus that writes what it reads.
fn pairs<'a>(programs: &[Arc<Read>], by: Arc<Option<PathBuf>>) -> File<'a> {
    let mut file = File::new("corpus/tgsi (pairs to wgsl)");
    let all: Vec<(&Arc<Read>, Arc<Shader>)> =
        programs.iter().filter_map(|read| Some((read, Arc::new(lifted(&read.program)?)))).collect();
    for (read, shader) in &all {
        let is_vertex = match shader.stage {
            Stage::Vertex => true,
            Stage::Fragment => false,
            _ => continue,
        };
        for kind in [VaryingClass::Floats, VaryingClass::Integers] {
            let (read, shader, by) = (Arc::clone(read), Arc::clone(shader), Arc::clone(&by));
            file.add(format!("{}, varyings as {}", read.id, kind.word()), move |report, id| {
                let text = if is_vertex {
                    fragment_for(&read.program, kind)
                } else {
                    vertex_for(&read.program, kind)
                };
                let other = match parsed(&text) {
                    Ok(other) => other,
                    Err(why) => return report.case(id, Err(why)),
                };
                let written = if is_vertex { linked(&shader, &other) } else { linked(&other, &shader) };
                judge(report, id, (*by).as_deref(), written);
            });
        }
        if is_vertex {
            continue;
        }
        let fits = |vertex: &Shader| {
            shader.inputs.iter().all(|input| match input.kind {
                InputKind::Varying { location } => {
                    vertex.outputs.iter().any(|output| output.kind == OutputKind::Varying { location })
                }
                _ => true,
            })
        };
        let vertex = all.iter().find(|(_, vertex)| vertex.stage == Stage::Vertex && fits(vertex));
        if let Some((first, vertex)) = vertex {
            let (vertex, shader, by) = (Arc::clone(vertex), Arc::clone(shader), Arc::clone(&by));
            file.add(format!("{} + {}", first.id, read.id), move |report, id| {
                judge(report, id, (*by).as_deref(), linked(&vertex, &shader));
            });
        }
    }
    file.summarize(add_refused);
    file
}

/// Words that constants may be and constant expressions may not give: NaN, infinities, a denormal; zeros and the largest;
/// integers whose quotient, remainder, sum and shift no type has.
const WORDS: [[u32; 4]; 4] = [
    [0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 1],
    [0x8000_0000, 0, 0xbf80_0000, 0x7f7f_ffff],
    [0x8000_0000, 0xffff_ffff, 0, 33],
    [0xffff_ffff, 0, 0x7f80_0001, 0xffc1_2345],
];

/// A program with one instruction of which every source is an immediate.
fn constant(row: &Row, turn: usize) -> Option<String> {
    if row.flow != Flow::Straight || row.destinations() == 0 {
        return None;
    }
    let mut text = String::from("FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0..1]\n");
    for (n, words) in WORDS.iter().enumerate() {
        let _ = writeln!(text, "IMM[{n}] UINT32 {{{}}}", words.map(|word| word.to_string()).join(", "));
    }
    text.push_str(row.name);
    let (mut places, mut scale) = (0, turn);
    for shape in row.shape {
        let separator = if places == 0 { ' ' } else { ',' };
        let operand = match shape {
            Shape::Dst => format!("TEMP[{places}]"),
            Shape::Src | Shape::Scalar => {
                let (of, lane) = (scale % WORDS.len(), scale % 3 + places);
                scale = scale / WORDS.len() + turn;
                let letter = |n: usize| ["x", "y", "z", "w"][(lane + n) % 4];
                let swizzle: String =
                    (0..4).map(|n| letter(if *shape == Shape::Scalar { 0 } else { n })).collect();
                format!("IMM[{of}].{swizzle}")
            }
            _ => return None,
        };
        let _ = write!(text, "{separator}{operand}");
        places += 1;
    }
    Some(text + "\nMOV OUT[0], TEMP[0]\nADD OUT[1], TEMP[0], TEMP[1]\nEND\n")
}

/// Every instruction on constants, as it stands and with what can be computed computed.
fn constants<'a>(by: Arc<Option<PathBuf>>) -> File<'a> {
    let mut file = File::new("instructions of tgsi on constants (to wgsl)");
    let turns = Opcode::ROWS.iter().flat_map(|row| (0..TURNS).map(move |turn| (row, turn)));
    let rows = turns.filter_map(|(row, turn)| Some((format!("{} {turn}", row.name), constant(row, turn)?)));
    file.add_all(rows, move |report, id, text| {
        // Instructions of other stages, and of other dialects than the one that the text is in, have no meaning.
        let Ok(shader) = parsed(text) else { return };
        let by = (*by).as_deref();
        let folded = clean(&fold(&shader));
        judge(report, id, by, write(&shader, &Options::default()));
        judge(report, &format!("{id}, computed"), by, write(&folded, &Options::default()));
    });
    file.summarize(add_refused);
    file
}

/// Choices of constants that are tried.
const TURNS: usize = 12;
