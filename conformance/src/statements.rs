//! How long what we write is: statements against the instructions that they stand for.

use vecasm::isa::AnyProgram;

/// The instructions of a program, without its declarations and definitions.
pub fn instructions(program: &AnyProgram) -> usize {
    let computes = |text: &&String| {
        let word = text.split([' ', '_']).next().unwrap_or_default();
        !["dcl", "def", "defi", "defb", "END"].contains(&word)
    };
    program.instruction_texts().iter().filter(computes).count()
}

/// The statements of the entry point: what ends in a semicolon or opens a block.
pub fn statements(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let entry = |line: &&str| line.contains(" main(") || line.contains("_main(");
    let start = lines.iter().position(entry).unwrap_or(lines.len());
    // The arguments may have lines of their own.
    let behind = lines.iter().skip(start).skip_while(|line| !line.ends_with('{')).skip(1);
    let body = behind.take_while(|line| **line != "}");
    body.filter(|line| line.ends_with(';') || line.ends_with('{')).count()
}

/// The median; 0 of nothing.
pub fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or_default()
}
