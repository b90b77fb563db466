//! The words of a program by name, for people.

use super::layout::{Field, Layout, declaration, instruction, operand};
use super::{each_token, words};
use crate::tgsi::program::{Program, Token};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Names of fields with their sizes in bytes.
type Names = Cow<'static, [(&'static str, usize)]>;

const HEADER: &[(&str, usize)] = &[("header", 4), ("processor", 4)];
const INSTRUCTION: &[(&str, usize)] = &[("instruction", 4)];
const IMMEDIATE: &[(&str, usize)] =
    &[("immediate", 4), ("value", 4), ("value", 4), ("value", 4), ("value", 4)];
const PROPERTY: &[(&str, usize)] = &[("property", 4), ("value", 4)];
const WORDS: &[(&str, usize)] = &[("word", 4); 8];
const BYTES: &[(&str, usize)] = &[("byte", 1); 3];

/// Calls `f` with the number of bytes, the number of the instruction and the names of the fields of each piece of the
/// binary that people want to see on a line of its own: the header, each token, what is behind them. What is longer than
/// usual goes on in further lines.
pub(crate) fn each_piece(program: &Program, mut f: impl FnMut(usize, Option<usize>, Names)) {
    match &program.frame {
        Some(frame) if frame.head.is_empty() => {}
        Some(frame) => f(frame.head.len() * 4, None, some(HEADER, frame.head.len())),
        None => f(8, None, HEADER.into()),
    }
    let layout = Layout::of(program.dialect);
    let mut count = 0;
    each_token(program, |index, words| match program.tokens.get(index) {
        Some(Token::Instruction(_)) => {
            let names = if words.len() > 1 { instruction_names(words, &layout) } else { INSTRUCTION.into() };
            f(words.len() * 4, Some(count), names);
            count += 1;
        }
        Some(Token::Declaration(_)) => f(words.len() * 4, None, declaration_names(words, &layout)),
        Some(Token::Immediate(_)) => lines(words.len(), IMMEDIATE, &mut f),
        Some(Token::Property(_)) => lines(words.len(), PROPERTY, &mut f),
        _ => lines(words.len(), &[], &mut f),
    });
    if let Some(frame) = &program.frame {
        lines(words(&frame.tail).len(), &[], &mut f);
        let rest = frame.tail.len() % 4;
        if rest > 0 {
            f(rest, None, some(BYTES, rest));
        }
    }
}

fn some(names: &'static [(&'static str, usize)], count: usize) -> Names {
    names.get(..count).unwrap_or(names).into()
}

/// So many words: those that have names in the first line, and lines of eight.
fn lines(
    count: usize,
    named: &'static [(&'static str, usize)],
    f: &mut impl FnMut(usize, Option<usize>, Names),
) {
    let mut left = count;
    let mut names = named;
    while left > 0 {
        let list = if names.is_empty() { WORDS } else { names };
        let here = left.min(list.len());
        f(here * 4, None, some(list, here));
        left -= here;
        names = &[];
    }
}

fn declaration_names(words: &[u32], layout: &Layout) -> Names {
    use declaration as d;
    let first = words.first().copied().unwrap_or(0);
    let file = layout.file(d::FILE.of(first));
    let parts = [
        (true, "declaration"),
        (true, "range"),
        (d::DIMENSION.is_set(first), "dimension"),
        (d::INTERPOLATE.is_set(first), "interpolation"),
        (d::SEMANTIC.is_set(first), "semantic"),
        (Layout::has_image(file), "image"),
        (Layout::has_view(file), "view"),
        (d::ARRAY.is_set(first), "array"),
    ];
    parts.iter().filter(|part| part.0).map(|part| (part.1, 4)).collect::<Vec<_>>().into()
}

fn instruction_names(words: &[u32], layout: &Layout) -> Names {
    let first = words.first().copied().unwrap_or(0);
    let mut out: Vec<(&'static str, usize)> = Vec::with_capacity(words.len());
    // The word that a name is for is the one at that place.
    let mut push = |name| {
        let word = words.get(out.len()).copied().unwrap_or(0);
        out.push((name, 4));
        word
    };
    push("instruction");
    if layout.predicate.is_set(first) {
        push("condition");
    }
    if layout.label.is_set(first) {
        push("label");
    }
    if layout.texture.is_set(first) {
        for _ in 0..instruction::OFFSETS.of(push("texture")) {
            push("offset");
        }
    }
    if layout.memory.is_set(first) {
        push("memory");
    }
    let mut operands = |name, count: Field, indirect: Field, dimension: Field| {
        for _ in 0..count.of(first) {
            let word = push(name);
            if indirect.is_set(word) {
                push("index");
            }
            if dimension.is_set(word) && operand::DIMENSION_INDIRECT.is_set(push("dimension")) {
                push("index");
            }
        }
    };
    operands("destination", layout.destinations, operand::DST_INDIRECT, operand::DST_DIMENSION);
    operands("source", layout.sources, operand::SRC_INDIRECT, operand::SRC_DIMENSION);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::super::decode_as;
    use super::*;
    use crate::tgsi::dialect::Dialect;
    use alloc::vec;

    /// A program of some words, headed by their number and a stage.
    fn stream(processor: u32, body: &[u32]) -> Vec<u8> {
        let head = [2 | (body.len() as u32) << 8, processor];
        head.iter().chain(body).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn pieces_are_tokens_with_names() {
        // A declaration with a semantic, TEX with an offset, an indirect source in a buffer, raw words, a byte.
        let first = 2 | 7 << 4 | 52 << 12 | 1 << 21 | 2 << 23 | 1 << 28;
        let source = 1 | 1 << 4 | 1 << 5;
        let body = [0x002f_2030, 0, 5, first, 0x102, 7 << 16, 0xf4, source, 6, 0x0002_0000, 5, 9, 9];
        let mut bytes = stream(4, &body);
        bytes.push(0xab);
        let program = decode_as(&bytes, Dialect::Mesa22);
        let mut names = Vec::new();
        each_piece(&program, |len, instruction, fields| {
            assert_eq!(fields.iter().map(|field| field.1).sum::<usize>(), len);
            names.push((instruction, fields.iter().map(|field| field.0).collect::<Vec<_>>()));
        });
        assert_eq!(
            names,
            [
                (None, vec!["header", "processor"]),
                (None, vec!["declaration", "range", "semantic"]),
                (
                    Some(0),
                    vec![
                        "instruction",
                        "texture",
                        "offset",
                        "destination",
                        "source",
                        "index",
                        "dimension",
                        "source"
                    ]
                ),
                (None, vec!["word", "word"]),
                (None, vec!["byte"]),
            ]
        );
    }
}
