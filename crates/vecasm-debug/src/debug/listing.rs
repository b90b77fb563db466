//! The text of a program, and where its instructions stand in it.

use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::ir::steps::Step;

/// A text with the lines of each source instruction. Lines are counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    lines: Vec<String>,
    /// First and last line of each instruction; 0 if it stands nowhere in the text.
    places: Vec<(u32, u32)>,
}

impl Listing {
    /// Of a text with the place of each instruction. An empty span stands for an instruction that is not in the text, as
    /// one from an included file.
    pub fn new(text: &str, spans: &[Span]) -> Self {
        let lines: Vec<String> = text.lines().map(String::from).collect();
        let mut starts: Vec<u32> = alloc::vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1));
        let line = |at: u32| starts.partition_point(|start| *start <= at) as u32;
        let place = |span: &Span| {
            if span.end <= span.start { (0, 0) } else { (line(span.start), line(span.end - 1)) }
        };
        Self { lines, places: spans.iter().map(place).collect() }
    }

    /// The lines of the text.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The text of a line, counted from 1.
    pub fn text(&self, line: u32) -> Option<&str> {
        self.lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Number of source instructions whose place is known or not.
    pub fn instructions(&self) -> usize {
        self.places.len()
    }

    /// The line in which a source instruction starts.
    pub fn line_of(&self, source: u32) -> Option<u32> {
        self.places.get(source as usize).map(|place| place.0).filter(|line| *line > 0)
    }

    /// The line of a step: that in which its instruction starts; the second half of a pair that is written over several
    /// lines stands in the last one.
    pub fn line(&self, step: &Step) -> Option<u32> {
        let (first, last) = *self.places.get(step.source as usize)?;
        let line = if step.part == 0 { first } else { last };
        (line > 0).then_some(line)
    }

    /// The source instructions that have a part in a line, in order.
    pub fn instructions_in(&self, line: u32) -> impl Iterator<Item = u32> {
        let has = move |place: &(u32, u32)| place.0 > 0 && (place.0..=place.1).contains(&line);
        self.places.iter().enumerate().filter(move |(_, place)| has(place)).map(|(at, _)| at as u32)
    }
}
