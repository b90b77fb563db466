//! Lowered programs do what their shaders do: `eqv` judges, which proves or tries.

#![cfg(all(feature = "lower", feature = "agal", feature = "tgsi", feature = "exec"))]

use std::path::{Path, PathBuf};
use vecasm::code::{Binding, agal, tgsi};
use vecasm::compare::eqv::{EqvError, Options, Verdict, eqv};
use vecasm::compare::runs::find_difference;
use vecasm::diag::Severity;
use vecasm::exec::runfile::SplitMix;
use vecasm::ir::{Promise, Rule, Shader};
use vecasm::isa::AnyProgram;
use vecasm::lower::{OptimizeOptions, link, lower, optimize};
use vecasm::{CheckOptions, LiftOptions, NoHost, OpenOptions, Program, Target, open};

fn examples(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of examples");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has files that end in {ending}", folder.display());
    files
}

fn read(path: &Path) -> (Program, Shader) {
    let bytes = std::fs::read(path).expect("an example");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let program =
        open(&bytes, &OpenOptions::named(&name), &mut NoHost).program().expect("an example is read");
    let shader = program.lift(&LiftOptions::default()).expect("an example is lifted");
    (program, shader)
}

fn errors(program: &AnyProgram) -> usize {
    let findings = program.validate(&CheckOptions::default());
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Whether both do the same, as far as is found; `true` if that is proved.
fn same(name: &str, shader: &Shader, program: &AnyProgram) -> bool {
    let again = program.lift(&LiftOptions::default()).expect("what is lowered is lifted");
    let options = Options { count: 400, fuel: 64, ..Options::default() };
    let report = match eqv(shader, &again, &options) {
        // Stages with memory and vertices are run.
        Err(EqvError::Stage(_)) => {
            let found = find_difference(shader, &again, options.count, 7);
            let found = found.unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(found, None, "{name}:\n{}", program.to_text());
            return false;
        }
        report => report,
    };
    match report.unwrap_or_else(|why| panic!("{name}: {why}")).verdict {
        Verdict::Proved(_) => true,
        Verdict::NoDifference => false,
        Verdict::Different(case) => panic!("{name}: {:?}\n{}", case.difference, program.to_text()),
    }
}

/// The same of a program of another instruction set, by the binding, in one arithmetic.
fn same_as_bound(name: &str, shader: &Shader, binding: &Binding, program: &AnyProgram) {
    let mut again = program.lift(&LiftOptions::default()).expect("what is lowered is lifted");
    // The state of samplers is the program's in AGAL, and the host's in TGSI.
    for (texture, own) in again.textures.iter_mut().zip(&shader.textures) {
        texture.sampler = own.sampler;
    }
    let link = Some(link(binding, shader, program.isa()));
    let options = Options { count: 400, fuel: 64, arith: Some(Rule::Ieee), link, ..Options::default() };
    let report = eqv(shader, &again, &options).unwrap_or_else(|why| panic!("{name}: {why}"));
    let different = matches!(report.verdict, Verdict::Different(_));
    assert!(!different, "{name}:\n{}\n{:?}", program.to_text(), report.verdict);
}

fn agal_options(program: &AnyProgram) -> agal::Options {
    let AnyProgram::Agal(own) = program else { panic!("a program of AGAL") };
    agal::Options::like(own)
}

#[test]
fn programs_of_agal_come_back() {
    let mut proved = 0;
    for path in examples("agal", ".agal") {
        let (program, shader) = read(&path);
        let name = path.display().to_string();
        let lowered = agal::lower(&shader, &agal_options(&program));
        let lowered = lowered.unwrap_or_else(|reasons| panic!("{name}: {reasons:?}"));
        assert_eq!(lowered.steps.len(), lowered.program.tokens.len(), "{name}: each token has its origin");
        // Without numbers of its own: a host that knows the source binds the result.
        assert_eq!(lowered.binding.literals, [], "{name}");
        let made = AnyProgram::Agal(lowered.program);
        assert!(errors(&made) <= errors(&program), "{name}:\n{}", made.to_text());
        proved += usize::from(same(&name, &shader, &made));
    }
    assert!(proved >= 35, "{proved} are proved");
}

#[test]
fn programs_of_tgsi_come_back_or_are_refused() {
    let (mut lowered, mut proved) = (0, 0);
    for path in examples("tgsi", ".tgsi") {
        let (program, shader) = read(&path);
        let AnyProgram::Tgsi(own) = &*program else { panic!("a program of TGSI") };
        let options = tgsi::Options { promise: Some(Promise::Exact), ..tgsi::Options::like(own) };
        let Ok(made) = tgsi::lower(&shader, &options) else { continue };
        let made = AnyProgram::Tgsi(made.program);
        let name = path.display().to_string();
        assert!(errors(&made) <= errors(&program), "{name}:\n{}", made.to_text());
        lowered += 1;
        proved += usize::from(same(&name, &shader, &made));
    }
    assert!(lowered >= 12 && proved >= 10, "{lowered} are lowered, {proved} proved");
}

#[test]
fn programs_of_agal_become_tgsi() {
    for path in examples("agal", ".agal") {
        let (_, shader) = read(&path);
        let name = path.display().to_string();
        let made = tgsi::lower(&shader, &tgsi::Options::default());
        let made = made.unwrap_or_else(|reasons| panic!("{name}: {reasons:?}"));
        let binding = made.binding;
        let made = AnyProgram::Tgsi(made.program);
        assert_eq!(errors(&made), 0, "{name}:\n{}", made.to_text());
        same_as_bound(&name, &shader, &binding, &made);
        let (again, findings) = AnyProgram::parse(made.isa(), &made.to_text(), None, None);
        assert!(
            again.is_some_and(|again| again == made),
            "{name}: the text is read as it was written: {findings:?}"
        );
    }
}

#[test]
fn everything_that_a_target_lacks_is_told_with_its_instruction() {
    // AGAL has no integers, no computed bias of a texture read, and the first sampler that it lacks is number 16.
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[16]\nDCL SVIEW[16], 2D, FLOAT\n\
                DCL TEMP[0]\nIMM[0] UINT32 {1, 2, 3, 4}\n0: UADD TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n\
                1: TXB TEMP[0].yzw, IN[0], SAMP[16], 2D\n2: MOV OUT[0], TEMP[0]\n3: END\n";
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.frag.tgsi"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    let reasons = agal::lower(&shader, &agal::Options::default()).expect_err("AGAL lacks it");
    let told: Vec<(&str, Option<u32>)> =
        reasons.iter().map(|reason| (reason.finding.id, reason.step)).collect();
    assert_eq!(
        told,
        [("LOWER-integer", Some(0)), ("LOWER-level", Some(1)), ("LOWER-samplers", Some(1))],
        "{reasons:?}"
    );
}

/// A program of Direct3D 9 as one of AGAL.
fn agal_of(text: &str) -> Result<AnyProgram, Vec<vecasm::code::Reason>> {
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.vert.d3d9"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    agal::lower(&shader, &agal::Options::default()).map(|made| AnyProgram::Agal(made.program))
}

#[test]
fn boolean_constants_are_refused_by_their_names() {
    let text = "vs_2_0\ndcl_position v0\nmov oPos, v0\nif b3\nmov oPos, c0\nendif\n";
    let reasons = agal_of(text).expect_err("AGAL has no boolean constants");
    let told: Vec<(&str, &str)> =
        reasons.iter().map(|reason| (reason.finding.id, reason.finding.message.as_ref())).collect();
    assert_eq!(told, [("LOWER-boolean", "AGAL has no boolean constants: b3")]);
}

#[test]
fn loops_go_where_their_rounds_are_known() {
    // Three rounds by a constant that the program defines; without it the host says how many.
    let text = "vs_2_0\ndefi i0, 3, 0, 1, 0\ndcl_position v0\nmov r0, v0\nrep i0\nadd r0, r0, c0\nendrep\n\
                mov oPos, r0\n";
    let made = agal_of(text).expect("the rounds are known").to_text();
    assert_eq!(made.lines().filter(|line| line.starts_with("add ")).count(), 3, "{made}");
    let reasons = agal_of(&text.replace("defi i0, 3, 0, 1, 0\n", "")).expect_err("the host says it");
    assert_eq!(reasons.iter().map(|reason| reason.finding.id).collect::<Vec<_>>(), ["LOWER-flow"]);
}

/// A text of TGSI with its shader.
fn tgsi_text(text: &str) -> (Program, Shader) {
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.tgsi"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    (program, shader)
}

/// A program of TGSI that comes back, as text.
fn tgsi_again(text: &str) -> Result<String, Vec<vecasm::code::Reason>> {
    let (program, shader) = tgsi_text(text);
    let AnyProgram::Tgsi(own) = &*program else { panic!("a program of TGSI") };
    let options = tgsi::Options { promise: Some(Promise::Exact), ..tgsi::Options::like(own) };
    tgsi::lower(&shader, &options).map(|made| AnyProgram::Tgsi(made.program).to_text())
}

/// Each instruction on 64-bit values comes back as itself, and does the same.
#[test]
fn wide_instructions_come_back() {
    use vecasm::isa::tgsi::dialect::Dialect;
    use vecasm::isa::tgsi::table::Opcode;
    let mut back = 0;
    for &op in Opcode::ALL {
        let row = op.row();
        // DFRACEXP has two results.
        if !row.is_wide() || !row.is_in(Dialect::Mesa22) || op == Opcode::Dfracexp {
            continue;
        }
        let sources = ["IN[0].xyzw", "IN[1].zwxy", "IN[2].xyxy"];
        let sources = sources[..row.source_shapes().len()].join(", ");
        // A pair, or what is made of one.
        let mask = if row.result.is_wide() { "xy" } else { "x" };
        let text = format!(
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\n\
             DCL IN[2], GENERIC[2], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n{} TEMP[0].{mask}, {sources}\n\
             MOV OUT[0].{mask}, TEMP[0].xyxy\nEND\n",
            row.name
        );
        let (program, shader) = tgsi_text(&text);
        let AnyProgram::Tgsi(own) = &*program else { panic!("a program of TGSI") };
        let options = tgsi::Options { promise: Some(Promise::Exact), ..tgsi::Options::like(own) };
        let made = tgsi::lower(&shader, &options).unwrap_or_else(|why| panic!("{}: {why:?}", row.name));
        let made = AnyProgram::Tgsi(made.program);
        same(row.name, &shader, &made);
        let found = made.to_text().contains(&format!(": {} ", row.name));
        assert!(found, "{}:\n{}", row.name, made.to_text());
        back += 1;
    }
    assert!(back >= 45, "{back} came back");
}

#[test]
fn runs_tell_what_differs() {
    // A buffer, an image of a vertex, an output: each with one word that is another one.
    let compute = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n\
                   PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\nDCL BUFFER[0]\nDCL TEMP[0]\n\
                   IMM[0] UINT32 {4, 7, 8, 0}\nUMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n\
                   STORE BUFFER[0].x, TEMP[0].xxxx, IMM[0].yyyy\nEND\n";
    let geometry = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
                    PROPERTY GS_MAX_OUTPUT_VERTICES 2\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n\
                    IMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0].xyzw\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\nEND\n";
    let fragment =
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0].xyzw\nEND\n";
    for (text, from, to, said) in [
        (compute, "IMM[0].yyyy", "IMM[0].zzzz", "BUFFER[0] has "),
        (geometry, ".xyzw", ".xyzz", "of a vertex, OUT[0] has "),
        (geometry, "EMIT IMM[0].xxxx\n", "EMIT IMM[0].xxxx\nEMIT IMM[0].xxxx\n", "other primitives come out"),
        (fragment, ".xyzw", ".xyxw", "OUT[0] has "),
    ] {
        let (_, one) = tgsi_text(text);
        let (_, other) = tgsi_text(&text.replace(from, to));
        assert_eq!(find_difference(&one, &one, 64, 1).expect("it runs"), None, "{text}");
        let found = find_difference(&one, &other, 64, 1).expect("it runs").expect("they differ");
        assert!(found.starts_with(said), "{found}");
    }
    let (_, one) = tgsi_text(compute);
    let (_, other) = tgsi_text(fragment);
    assert!(find_difference(&one, &other, 64, 1).is_err());
}

#[test]
fn precise_instructions_stay_precise() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n\
                MUL_PRECISE TEMP[0], IN[0], IN[0].yxwz\nADD_PRECISE TEMP[0], TEMP[0], IN[0]\n\
                MUL TEMP[1], TEMP[0], TEMP[0].yxwz\nADD_PRECISE OUT[0], TEMP[1], IN[0]\nEND\n";
    let again = tgsi_again(text).expect("it is lowered");
    let code: Vec<&str> =
        again.lines().filter_map(|line| line.split_once(": ").map(|(_, code)| code)).collect();
    // What was precise is so, and nothing that was not is covered by it.
    let words: Vec<&str> = code.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["MAD_PRECISE", "MUL", "ADD_PRECISE", "END"], "{again}");
}

#[test]
fn an_output_of_several_kinds_is_refused() {
    // The lanes of OUT[1] are two clip and two cull distances, which are two outputs.
    let text = "VERT\nPROPERTY NUM_CLIPDIST_ENABLED 2\nPROPERTY NUM_CULLDIST_ENABLED 2\nDCL IN[0]\n\
                DCL OUT[0], POSITION\nDCL OUT[1], CLIPDIST\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0].yxwz\nEND\n";
    let reasons = tgsi_again(text).expect_err("it is refused");
    assert_eq!(
        reasons.iter().map(|reason| reason.finding.id).collect::<Vec<_>>(),
        ["LOWER-output"],
        "{reasons:?}"
    );
}

/// What becomes of a program of TGSI as another one, without its registers.
fn tgsi_anew(text: &str) -> Result<String, Vec<&'static str>> {
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.tgsi"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    let made = tgsi::lower(&shader, &tgsi::Options::default());
    made.map(|made| AnyProgram::Tgsi(made.program).to_text())
        .map_err(|reasons| reasons.iter().map(|reason| reason.finding.id).collect())
}

#[test]
fn two_words_for_one_varying_are_refused() {
    let text = |first: &str, second: &str| {
        format!(
            "FRAG\nDCL IN[0], {first}, PERSPECTIVE\nDCL IN[1], {second}, PERSPECTIVE\nDCL OUT[0], COLOR\n\
             ADD OUT[0], IN[0], IN[1]\nEND\n"
        )
    };
    assert_eq!(tgsi_anew(&text("GENERIC[0]", "TEXCOORD[0]")), Err(vec!["LOWER-varying"]));
    // There is one fog: what has a number is another varying.
    let made = tgsi_anew(&text("FOG", "FOG[1]")).expect("it is lowered");
    assert_eq!(made.matches("FOG").count(), 1, "{made}");
}

#[test]
fn comments_of_the_source_stand_in_one_column() {
    let (program, shader) =
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agal/anemone.frag.agal"));
    let texts = program.instruction_texts();
    let mut options = vecasm::lower::Options::default();
    options.comments = &texts;
    let made = lower(&shader, Target::Tgsi, &options).expect("it is lowered");
    // Numbers have one digit, then two.
    assert!(made.steps.len() > 10, "{}", made.text);
    let comments: Vec<&str> = made.text.lines().filter(|line| line.trim_start().starts_with("//")).collect();
    assert!(comments.len() > 10 && comments.iter().all(|line| line.starts_with("     //")), "{}", made.text);
    // Nothing else is added.
    let (again, findings) = AnyProgram::parse(vecasm::isa::Isa::Tgsi, &made.text, None, None);
    assert_eq!(again.as_ref(), Some(&made.program), "{findings:?}");
}

#[test]
fn conditionals_without_end_are_refused() {
    let block = "UIF IN[0].xxxx\nADD TEMP[0], TEMP[0], IN[0]\nENDIF\n";
    let text = |count: usize| {
        format!(
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n\
             {}MOV OUT[0], TEMP[0]\nEND\n",
            block.repeat(count)
        )
    };
    assert!(tgsi_anew(&text(100)).is_ok());
    assert_eq!(tgsi_anew(&text(3000)), Err(vec!["LOWER-limit"]));
}

#[test]
fn optimized_programs_are_shorter_or_the_same() {
    let mut shorter = 0;
    for (folder, ending) in [("agal", ".agal"), ("tgsi", ".tgsi")] {
        for path in examples(folder, ending) {
            let (program, shader) = read(&path);
            let name = path.display().to_string();
            let made = optimize(&program, &OptimizeOptions::default()).expect("it is lifted");
            if made.kept.is_some() {
                assert_eq!(made.program, *program, "{name}: it stays as it is");
                continue;
            }
            shorter += 1;
            assert!(made.instructions[1] <= made.instructions[0], "{name}: {:?}", made.instructions);
            assert!(made.registers[1] <= made.registers[0], "{name}: {:?}", made.registers);
            same(&name, &shader, &made.program);
            // What is short is not made shorter by going round again.
            let again = optimize(&made.program, &OptimizeOptions::default()).expect("it is lifted");
            assert!(again.instructions[1] <= made.instructions[1], "{name}");
        }
    }
    assert!(shorter >= 10, "{shorter} are shorter");
}

/// Random programs of AGAL 2 that read what they wrote: chains in one lane, vectors of several sources, matrices, nested
/// conditionals with and without a second branch, defaults in front of them.
struct Writer {
    numbers: SplitMix,
    /// Lanes of each temporary that are written wherever the next instruction stands.
    written: [u8; 6],
    text: String,
}

impl Writer {
    fn below(&mut self, most: u64) -> usize {
        self.numbers.below(most) as usize
    }

    fn letters(&mut self, of: u8, count: usize) -> String {
        let lanes: Vec<char> =
            (0..4).filter(|lane| of >> lane & 1 == 1).map(|lane| ['x', 'y', 'z', 'w'][lane]).collect();
        (0..count).map(|_| lanes[self.below(lanes.len() as u64)]).collect()
    }

    /// A source; a constant only if `constant`.
    fn source(&mut self, count: usize, constant: bool) -> String {
        let kind = self.below(if constant { 4 } else { 3 });
        let known: Vec<usize> = (0..6).filter(|n| self.written[*n] != 0).collect();
        if kind < 2 && !known.is_empty() {
            let number = known[self.below(known.len() as u64)];
            let letters = self.letters(self.written[number], count);
            return format!("ft{number}.{letters}");
        }
        let letters = self.letters(15, count);
        if kind == 3 {
            format!("fc{}.{letters}", self.below(6))
        } else {
            format!("v{}.{letters}", self.below(3))
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn instruction(&mut self) {
        let number = self.below(6);
        let mask = [1, 2, 4, 8, 3, 5, 12, 7, 14, 15][self.below(10)];
        let letters: String =
            (0..4).filter(|lane| mask >> lane & 1 == 1).map(|lane| ['x', 'y', 'z', 'w'][lane]).collect();
        let (a, b) = (self.source(4, false), self.source(4, true));
        let to = format!("ft{number}.{letters}");
        let (line, mask) = match self.below(17) {
            0..=2 => (format!("mul {to}, {a}, {b}"), mask),
            3..=5 => (format!("add {to}, {b}, {a}"), mask),
            6 => (format!("sub {to}, {a}, {b}"), mask),
            7 => (format!("mov {to}, {b}"), mask),
            8 => (format!("dp3 {to}, {a}, {b}"), mask),
            9 => (format!("slt {to}, {a}, {b}"), mask),
            10 => (format!("m44 ft{number}, {a}, fc{}", self.below(3)), 15),
            // Rows of one matrix, one by one.
            11 | 12 => (format!("dp4 {to}, v0, fc{}", self.below(4)), mask),
            // What conditionals leave as it is.
            13 | 14 => (format!("mov ft{number}.x, fc{}.x", self.below(2)), 1),
            15 => {
                // A vector divided by its length, with a length that may be read behind it.
                let vector = self.source(3, false);
                self.line(&format!("dp3 ft5.x, {vector}, {vector}"));
                self.line("rsq ft5.y, ft5.x");
                self.written[5] |= 3;
                // The vector is what it was, or the length stands in it.
                (format!("mul ft{number}.xyz, {vector}, ft5.y"), 7)
            }
            _ => (format!("neg {to}, {a}"), mask),
        };
        self.line(&line);
        self.written[number] |= mask;
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..2 + self.below(4) {
            if depth < 3 && self.below(4) == 0 {
                let (a, b) = (self.source(1, false), self.source(1, true));
                let test = ["ife", "ine", "ifg", "ifl"][self.below(4)];
                if a == b {
                    continue;
                }
                self.line(&format!("{test} {a}, {b}"));
                let before = self.written;
                self.block(depth + 1);
                let then = core::mem::replace(&mut self.written, before);
                if self.below(2) == 0 {
                    self.line("els");
                    self.block(depth + 1);
                    for (lanes, then) in self.written.iter_mut().zip(then) {
                        *lanes &= then;
                    }
                }
                // What one branch alone wrote is not written.
                self.line("eif");
            } else {
                self.instruction();
            }
        }
    }
}

#[test]
fn random_programs_come_back() {
    let (mut lowered, mut conditionals) = (0, 0);
    for seed in 0..400 {
        let numbers = SplitMix::new(seed);
        let mut writer = Writer { numbers, written: [0; 6], text: String::from(".agal fragment 2\n") };
        writer.instruction();
        writer.block(0);
        let result = writer.source(4, false);
        writer.line(&format!("add oc, {result}, v0"));
        let program = open(writer.text.as_bytes(), &OpenOptions::named("a.agal"), &mut NoHost).program();
        let program = program.unwrap_or_else(|why| panic!("{why}\n{}", writer.text));
        let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
        let made = agal::lower(&shader, &agal_options(&program)).map(|made| AnyProgram::Agal(made.program));
        let made = made.unwrap_or_else(|reasons| panic!("{reasons:?}\n{}", writer.text));
        let findings = made.validate(&CheckOptions::default());
        assert!(errors(&made) <= errors(&program), "{}\n{}\n{findings:?}", writer.text, made.to_text());
        same(&writer.text, &shader, &made);
        let made = tgsi::lower(&shader, &tgsi::Options::default());
        let made = made.unwrap_or_else(|reasons| panic!("{reasons:?}\n{}", writer.text));
        same_as_bound(&writer.text, &shader, &made.binding, &AnyProgram::Tgsi(made.program));
        lowered += 1;
        conditionals += usize::from(writer.text.contains("eif"));
    }
    assert!(lowered == 400 && conditionals >= 100, "{conditionals} have conditionals");
}

#[test]
fn rows_of_a_matrix_may_be_the_last_constants() {
    // Rows 124 to 127 are a matrix, of which the last two are read; there is no row 128.
    let text =
        ".agal vertex 1\nmov op, va0\ndp4 vt0.x, va0, vc126\ndp4 vt0.y, va0, vc127\nmov v0, vt0.xyxy\n";
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.agal"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    let made = agal::lower(&shader, &agal_options(&program)).expect("it is lowered");
    let made = AnyProgram::Agal(made.program);
    assert!(made.to_text().contains("vc124"), "{}", made.to_text());
    assert!(same(text, &shader, &made));
}
