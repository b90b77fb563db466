//! `trace PROGRAM [RUN-FILE]` prints the steps of the first invocation: each instruction, and the values that it wrote. Inputs
//! and constants are those of the run file, where missing ones are zero; without one they are made up.

use std::error::Error;
use std::fmt::Write as _;
use vecasm::debug::access_name;
use vecasm::debug::recording::{Limits, Recording};
use vecasm::debug::why::number;
use vecasm::exec::runfile::RunFile;
use vecasm::isa::Depth;
use vecasm::{LiftOptions, NoHost, OpenOptions, open};

/// The steps of the first invocation of a program.
pub fn steps(file: &str, bytes: &[u8], given: Option<&str>) -> Result<String, Box<dyn Error>> {
    let program = open(bytes, &OpenOptions::named(file), &mut NoHost).program()?;
    let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full))?;
    let run = match given {
        Some(text) => RunFile::parse_partial(text, &shader)?.0,
        None => RunFile::random(&shader, 1, 0),
    };
    let recording = Recording::of(&shader, &run.batch(), 0, &Limits::default())?;
    let instructions = program.instruction_texts();
    let mut out = String::new();
    for moment in recording.moments().filter(|moment| moment.is_live(0)) {
        let step = moment.step();
        let instruction = instructions.get(step.source as usize).map_or("", String::as_str);
        writeln!(out, "{}: {instruction}", step.source)?;
        for (n, access) in step.writes.iter().enumerate() {
            let scalar = moment.scalar(step.reads.len() + n);
            let lanes = access.mask.lanes().zip(moment.written(n, 0));
            let values: Vec<String> = lanes.map(|(_, bits)| number(bits, scalar)).collect();
            writeln!(out, "    {} = {}", access_name(&shader, access), values.join(", "))?;
        }
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: trace PROGRAM [RUN-FILE]")?;
    let given = arguments.next().map(std::fs::read_to_string).transpose()?;
    print!("{}", steps(&file, &std::fs::read(&file)?, given.as_deref())?);
    Ok(())
}
