//! What comes out of a repro file, and how it differs from what should.

use super::{Action, Repro, ReproError, Run, is, placed};
use crate::diag::Severity;
use crate::exec::Engine as _;
use crate::exec::interp::Interp;
use crate::exec::json::Json;
use crate::exec::runfile::{RunFile, results_json};
use crate::ir::Shader;
use crate::isa::Depth;
use crate::isa::any::LiftOptions;
#[cfg(feature = "d3d9")]
use crate::isa::{
    AnyProgram,
    d3d9::preshader::{self, run::Switches},
};
use crate::open::{Files, OpenOptions, ReadError, open};
use crate::options::{ProgramChoice, Reading};
use crate::program::Program;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

/// A place where what comes out is not what should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the repro file: `$.expected.outputs[0].oc[0]`; empty for pictures.
    pub path: String,
    /// How: `expected "0x40400000", found "0x40000000"`.
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        placed(f, &self.path, &self.message)
    }
}

/// A program of a repro file and what it is run on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The program.
    pub program: Program,
    /// Its meaning.
    pub shader: Shader,
    /// What it is run on, with the constants that its preshader computes.
    pub on: RunFile,
}

impl Repro {
    /// Reads its program: of several the one that the flag `program` names, else the first.
    ///
    /// # Errors
    ///
    /// Why it cannot be read; also if a scene is drawn and no program is run.
    pub fn program(&self) -> Result<Program, ReproError> {
        let run = self.run_action()?;
        let wrong = |why: &dyn fmt::Display| ReproError::new("$.program", why);
        if is(&run.program) {
            return Err(wrong(&"a repro file in a repro file"));
        }
        let reading = self.flags.reading.apply(Reading::default());
        let reading = reading.map_err(|error| ReproError::new("$.flags", format!("--{error}")))?;
        let options = OpenOptions { name: &run.name, ..reading.open };
        let mut opened = open(&run.program, &options, &mut Files(&self.files));
        let of = opened.programs.len();
        let chosen = match reading.program {
            Some(ProgramChoice::Number(number)) => number as usize - 1,
            _ => opened.chosen,
        };
        if chosen >= of {
            return Err(wrong(&format!("no program {}; there are {of}", chosen + 1)));
        }
        let program = opened.programs.swap_remove(chosen).map_err(|why| match &why {
            ReadError::Bad(findings) => {
                let error = findings.iter().find(|finding| finding.severity == Severity::Error);
                let shown = error.or(findings.first()).map(|finding| opened.renderer().short(finding));
                wrong(&shown.unwrap_or_default())
            }
            ReadError::Unknown(unknown) => wrong(unknown),
        })?;
        if let Some(finding) = program.contradicts(options.stage, options.version) {
            return Err(wrong(&finding));
        }
        let foreign = self.flags.reading.foreign(&[program.isa()]);
        foreign.map_or(Ok(program), |error| Err(ReproError::new("$.flags", format!("--{error}"))))
    }

    /// Reads its program and what that is run on, and lifts the program: with [`Depth::Full`] for the debugger.
    ///
    /// # Errors
    ///
    /// What is wrong with the program, its input or the flags.
    pub fn case(&self, depth: Depth) -> Result<Case, ReproError> {
        let (run, program) = (self.run_action()?, self.program()?);
        let given = &self.flags.lifting;
        let flags = |error| ReproError::new("$.flags", format!("--{error}"));
        given.check_numerics(program.isa()).map_err(flags)?;
        given.foreign(&[program.isa()]).map_or(Ok(()), Err).map_err(flags)?;
        let options = given.apply(LiftOptions::default().with_depth(depth)).map_err(flags)?;
        let shader = program
            .lift(&options)
            .map_err(|finding| ReproError::new("$.program", program.renderer().short(&finding)))?;
        let read = RunFile::parse_whole(&run.input, &shader);
        let (mut on, mut given) = read.map_err(|error| ReproError::new("$.input", error))?;
        let _ = (&mut on, &mut given);
        #[cfg(feature = "d3d9")]
        if let AnyProgram::D3d9(own) = program.any() {
            if let Some(found) = preshader::of(own).0 {
                let computed = preshader::computed(&found, &on.aside, &Switches::default());
                let computed = computed.map_err(|finding| ReproError::new("$.program", finding))?;
                on.compute(&mut given, &shader, &computed);
            }
        }
        Ok(Case { program, shader, on })
    }

    /// Runs its program, with the interpreter, and gives the results [as text](results_json).
    ///
    /// # Errors
    ///
    /// As [`case`](Self::case), and if it cannot be run.
    pub fn run(&self) -> Result<String, ReproError> {
        let case = self.case(Depth::Lean)?;
        let outputs = Interp.run(&case.shader, &case.on.batch());
        let outputs = outputs.map_err(|error| ReproError::new("$.input", error))?;
        Ok(results_json(&case.shader, &outputs))
    }

    /// Runs its program and compares the results with those that should come out. What is equal gives no differences.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and if the file does not say what should come out. Of a scene the method
    /// `check_picture` compares the picture.
    pub fn check(&self) -> Result<Vec<Difference>, ReproError> {
        let run = self.run_action()?;
        run.expected()?;
        run.compare(&self.run()?)
    }

    fn run_action(&self) -> Result<&Run, ReproError> {
        match &self.action {
            Action::Run(run) => Ok(run),
            Action::Draw(_) => Err(ReproError::new("$", "contains a scene, and no program to run")),
        }
    }
}

/// That the file does not say what should come out.
pub(super) fn nothing() -> ReproError {
    ReproError::new("$", "\"expected\" is missing, so there is nothing to compare with")
}

impl Run {
    /// The results that should come out.
    ///
    /// # Errors
    ///
    /// If the file does not say what should.
    pub fn expected(&self) -> Result<&str, ReproError> {
        self.expected.as_deref().ok_or_else(nothing)
    }

    /// Compares results, as [`results_json`] writes them, with those that should come out. Only what is expected is compared.
    ///
    /// # Errors
    ///
    /// If nothing is expected, or one of the two is no JSON.
    pub fn compare(&self, results: &str) -> Result<Vec<Difference>, ReproError> {
        let expected = self.expected()?;
        let read = |text: &str, path| Json::parse(text.as_bytes()).map_err(|why| ReproError::new(path, why));
        let mut out = Vec::new();
        compare("$.expected", &read(expected, "$.expected")?, &read(results, "")?, &mut out);
        Ok(out)
    }
}

/// A value, up to its first hundred characters.
fn shortened(value: &dyn fmt::Display) -> String {
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(100) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// Lists where two values differ. Of objects the keys that are expected count, so that an expectation may be about some
/// outputs alone.
fn compare(path: &str, expected: &Json, given: &Json, out: &mut Vec<Difference>) {
    let differ = |path: &str, expected: &Json, found: &dyn fmt::Display| {
        let message = format!("expected {}, found {}", shortened(expected), shortened(found));
        Difference { path: path.into(), message }
    };
    match (expected, given) {
        (Json::Object(expected), Json::Object(given)) => {
            for (key, value) in expected.iter() {
                let path = format!("{path}.{key}");
                match given.get(key) {
                    Some(given) => compare(&path, value, given, out),
                    None => out.push(differ(&path, value, &"nothing")),
                }
            }
        }
        (Json::List(expected), Json::List(given)) if expected.len() == given.len() => {
            for (i, (expected, given)) in expected.iter().zip(given).enumerate() {
                compare(&format!("{path}[{i}]"), expected, given, out);
            }
        }
        _ if expected == given => {}
        _ => out.push(differ(path, expected, given)),
    }
}
