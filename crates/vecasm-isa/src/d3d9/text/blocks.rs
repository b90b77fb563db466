//! The shaders in a listing: that of a compiler has one, perhaps with a preshader in front, and that of an effect has one
//! in each `asm { }`.

use super::parse::model;
use crate::text::Comments;
use crate::text::cursor::first_word;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Span;

/// Words that the listing of an effect may begin with.
const EFFECT: [&str; 5] = ["technique", "pass", "asm", "vertexshader", "pixelshader"];
/// The word in front of a preshader.
const PRESHADER: &str = "preshader";

/// Where what is no blank and no comment begins, from `at` on.
pub(super) fn skip(text: &str, at: usize) -> usize {
    skip_gap(text, at, &Comments::ASSEMBLER)
}

/// As [`skip`], with those comments: outside of shaders `;` begins none.
fn skip_gap(text: &str, mut at: usize, comments: &Comments) -> usize {
    loop {
        let rest = text.get(at..).unwrap_or("");
        let word = rest.trim_start_matches([' ', '\t', '\r', '\n', '\x0b', '\x0c', '\u{feff}']);
        at += rest.len() - word.len();
        let Some(comment) = comments.at(word.as_bytes()) else { return at };
        at += comment.len;
    }
}

fn word_at(text: &str, at: usize) -> &str {
    first_word(text.get(at..).unwrap_or(""))
}

/// Behind a word, or a character that is none.
fn behind(text: &str, at: usize) -> usize {
    let len = word_at(text, at).len();
    let one = text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    at + if len > 0 { len } else { one }
}

/// Where a preshader in front of the model begins and ends, if there is one; `at` is behind blanks and comments.
pub(super) fn preshader(text: &str, at: usize) -> Option<(usize, usize)> {
    if !word_at(text, at).eq_ignore_ascii_case(PRESHADER) {
        return None;
    }
    let mut end = skip(text, behind(text, at));
    while end < text.len() {
        let line = text.get(end..).unwrap_or("");
        if model(line, true).is_some() {
            return Some((at, end));
        }
        // Only lines begin with a model.
        let next = line.find(['\n', '\r']).unwrap_or(line.len());
        end = skip(text, end + next);
    }
    Some((at, text.len()))
}

/// Where the text in each `asm { }` behind `start` begins and ends, or where and why one has no end.
fn blocks(text: &str, start: usize) -> impl Iterator<Item = Result<(usize, usize), (Span, String)>> + '_ {
    let mut at = start;
    core::iter::from_fn(move || {
        while at < text.len() {
            let is_asm = word_at(text, at).eq_ignore_ascii_case("asm");
            let word = at;
            at = skip_gap(text, behind(text, at), &Comments::SHADING);
            if !is_asm || text.as_bytes().get(at) != Some(&b'{') {
                continue;
            }
            let inside = at + 1;
            let mut depth = 0usize;
            let end = loop {
                match text.as_bytes().get(at) {
                    None => break None,
                    Some(b'{') => depth += 1,
                    Some(b'}') => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break Some(at);
                }
                at = skip(text, behind(text, at));
            };
            let Some(end) = end else {
                at = text.len();
                return Some(Err((
                    Span::new(word, word + 3),
                    String::from("the block is not closed with `}`"),
                )));
            };
            at = skip_gap(text, end + 1, &Comments::SHADING);
            return Some(Ok((skip(text, inside), end)));
        }
        None
    })
}

/// Whether a text is the listing of an effect.
pub(super) fn is_effect(text: &str) -> bool {
    let first = word_at(text, skip(text, 0));
    EFFECT.iter().any(|word| word.eq_ignore_ascii_case(first))
}

/// Where the text of a shader begins and ends: all of it, or the block of that number, counted from 1; 0 is the only one.
///
/// # Errors
///
/// Where and why there is no such block.
pub(super) fn shader(text: &str, number: usize) -> Result<(usize, usize), (Span, String)> {
    let start = skip(text, 0);
    let first = word_at(text, start);
    if !EFFECT.iter().any(|word| word.eq_ignore_ascii_case(first)) {
        if number > 1 {
            return Err((Span::default(), format!("there is no shader {number}; the text has only one")));
        }
        return Ok((start, text.len()));
    }
    let (mut count, mut found) = (0, None);
    for block in blocks(text, start) {
        let block = block?;
        count += 1;
        if count == number.max(1) {
            found = Some(block);
        }
    }
    let whole = Span::new(start, start + first.len());
    match found {
        Some(place) if number > 0 || count == 1 => Ok(place),
        _ if count == 0 => Err((whole, String::from("there is no shader in the listing of the effect"))),
        _ if number == 0 => {
            Err((whole, format!("the listing of the effect has {count} shaders; choose one by its number")))
        }
        _ => Err((whole, format!("there is no shader {number}; the listing of the effect has {count}"))),
    }
}

/// How many shaders a text has: one, or those of the listing of an effect, which has perhaps none.
pub fn count(text: &str) -> usize {
    let start = skip(text, 0);
    if !EFFECT.iter().any(|word| word.eq_ignore_ascii_case(word_at(text, start))) {
        return 1;
    }
    blocks(text, start).take_while(Result::is_ok).count()
}

/// Where the model of the first shader stands, if the text is such a listing or begins with its model.
pub(super) fn first_model(text: &str) -> Option<usize> {
    let (start, end) = shader(text, 1).ok()?;
    let text = text.get(..end)?;
    let at = skip(text, start);
    let at = preshader(text, at).map_or(at, |place| place.1);
    model(text.get(at..)?, true).map(|_| at)
}
