//! Lowered programs do what their shaders do: `eqv` judges, which proves or tries.

#![cfg(all(feature = "lower", feature = "agal", feature = "tgsi", feature = "exec"))]

use std::path::{Path, PathBuf};
use vecasm::code::{agal, tgsi};
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::diag::Severity;
use vecasm::ir::Shader;
use vecasm::isa::AnyProgram;
use vecasm::{CheckOptions, LiftOptions, NoHost, OpenOptions, Program, open};

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
    match eqv(shader, &again, &options).unwrap_or_else(|why| panic!("{name}: {why}")).verdict {
        Verdict::Proved(_) => true,
        Verdict::NoDifference => false,
        Verdict::Different(case) => panic!("{name}: {:?}\n{}", case.difference, program.to_text()),
    }
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
        let options = tgsi::Options { exact: true, ..tgsi::Options::like(own) };
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
        let made = AnyProgram::Tgsi(made.program);
        assert_eq!(errors(&made), 0, "{name}:\n{}", made.to_text());
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
    let told: Vec<(&str, u32)> = reasons.iter().map(|reason| (reason.finding.id, reason.step)).collect();
    assert_eq!(told, [("LOWER-integer", 0), ("LOWER-level", 1), ("LOWER-samplers", 1)], "{reasons:?}");
}

fn tgsi_again(text: &str) -> Result<String, Vec<vecasm::code::Reason>> {
    let program =
        open(text.as_bytes(), &OpenOptions::named("a.tgsi"), &mut NoHost).program().expect("a text");
    let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
    let AnyProgram::Tgsi(own) = &*program else { panic!("a program of TGSI") };
    let options = tgsi::Options { exact: true, ..tgsi::Options::like(own) };
    tgsi::lower(&shader, &options).map(|made| AnyProgram::Tgsi(made.program).to_text())
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

#[test]
fn optimized_programs_are_shorter_or_the_same() {
    let mut shorter = 0;
    for (folder, ending) in [("agal", ".agal"), ("tgsi", ".tgsi")] {
        for path in examples(folder, ending) {
            let (program, shader) = read(&path);
            let name = path.display().to_string();
            let made = vecasm::lower::optimize(&program).expect("it is lifted");
            if made.kept.is_some() {
                assert_eq!(made.program, *program, "{name}: it stays as it is");
                continue;
            }
            shorter += 1;
            assert!(made.instructions[1] <= made.instructions[0], "{name}: {:?}", made.instructions);
            assert!(made.registers[1] <= made.registers[0], "{name}: {:?}", made.registers);
            same(&name, &shader, &made.program);
            // What is short is not made shorter by going round again.
            let again = vecasm::lower::optimize(&made.program).expect("it is lifted");
            assert!(again.instructions[1] <= made.instructions[1], "{name}");
        }
    }
    assert!(shorter >= 10, "{shorter} are shorter");
}
