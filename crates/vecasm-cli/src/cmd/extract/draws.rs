//! The draws of a recording of the Xbox as run files: the constants that its programs run with.

use crate::io::Input;
use std::collections::{BTreeMap, HashMap, HashSet};
use vecasm::container::Address;
use vecasm::exec::json::lanes::lanes;
use vecasm::ir::Scalar;
use vecasm::isa::nv2a::methods;

/// A recording with its draws.
pub(super) struct Recording {
    /// Where in the file it is, if it is not all of it.
    entry: Option<Address>,
    draws: Vec<methods::Draw>,
    /// The addresses of its programs, by their numbers.
    programs: HashMap<usize, String>,
}

/// A draw at which one of the programs runs.
pub(super) struct Draw {
    /// Where in the file it is: `draw2`.
    pub(super) address: String,
    /// The address of its program.
    pub(super) program: String,
    /// All constants that are set at it, as a run file.
    pub(super) run_file: String,
}

impl Recording {
    /// The one that an input is, if it is one; `programs` are all that it carries.
    pub(super) fn of(input: &Input, programs: &[Input], entry: Option<&Address>) -> Option<Self> {
        let draws = input.draws();
        let step = |one: &Input| {
            let piece = one.piece()?;
            Some((piece.number() as usize, address(entry, &piece.step())))
        };
        let programs = programs.iter().filter_map(step).collect();
        (!draws.is_empty()).then(|| Self { entry: entry.cloned(), draws, programs })
    }

    /// Whether an address is that of one of its draws.
    pub(super) fn is_draw(&self, asked: &str) -> bool {
        let draws = 1..=self.draws.len();
        draws.into_iter().any(|number| address(self.entry.as_ref(), &format!("draw{number}")) == asked)
    }

    /// Its draws, or those of the programs and draws with these addresses.
    pub(super) fn draws<'r>(&'r self, asked: Option<&'r HashSet<String>>) -> impl Iterator<Item = Draw> + 'r {
        let mut constants: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
        let numbered = (1..).zip(&self.draws);
        numbered.filter_map(move |(number, draw): (usize, _)| {
            constants.extend(draw.constants.iter().copied());
            let program = self.programs.get(&draw.program?)?.clone();
            let address = address(self.entry.as_ref(), &format!("draw{number}"));
            let is_asked = asked.is_none_or(|asked| asked.contains(&program) || asked.contains(&address));
            is_asked.then(|| Draw { address, program, run_file: run_file(&constants) })
        })
    }
}

/// The address of a step in a recording.
fn address(entry: Option<&Address>, step: &str) -> String {
    entry.map_or_else(|| Address::parse(step), |entry| entry.join(step)).to_string()
}

/// A run file that gives those constants, and nothing else.
fn run_file(constants: &BTreeMap<u32, [u32; 4]>) -> String {
    let lines: Vec<String> =
        constants.iter().map(|(n, bits)| format!("    \"c{n}\": {}", lanes(bits, Scalar::F32))).collect();
    match lines.join(",\n") {
        none if none.is_empty() => "{\n  \"constants\": {}\n}\n".into(),
        lines => format!("{{\n  \"constants\": {{\n{lines}\n  }}\n}}\n"),
    }
}
