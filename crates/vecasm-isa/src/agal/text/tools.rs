//! What tools ask of a text without reading the whole program.

use super::errors::Findings;
use super::options::{self, Field};
use super::parse::{Used, read_header};
use super::syntax::lines;
use crate::agal::program::{Sampler, Stage};
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// The stage of a text, if it tells: by its `.agal` directive, else by the first register or operation that only one
/// stage has.
pub fn stage_of(text: &str) -> Option<Stage> {
    let first = lines(text).map(|line| line.code).find(|code| !code.is_empty());
    let written = first.and_then(|code| read_header(code, &mut Findings::counting()));
    written.and_then(|header| header.stage()).or_else(|| Used::of(text).stage)
}

/// Where each token of a program stands in the text it was read from: the lines that are instructions or `.token`
/// directives.
pub fn token_spans(text: &str) -> Vec<Span> {
    let is_token = |code: &str| !code.starts_with('.') || code.starts_with(".token");
    let codes = lines(text).map(|line| line.code);
    codes.filter(|code| !code.is_empty() && is_token(code.text)).map(|code| code.span()).collect()
}

/// The sampler options that say what a sampler operand is: dimension, filter, mip mode, wrap mode, texture format, and
/// the special flags that are set. `None` stands for a value without a spelling.
pub fn sampler_words(sampler: Sampler) -> ([Option<&'static str>; 5], Vec<&'static str>) {
    let word = |field: Field| options::name_of(field, field.get(sampler));
    let fields = [Field::Dim, Field::Filter, Field::Mip, Field::Wrap, Field::Format].map(word);
    let flags = (0..4).filter(|bit| sampler.special() >> bit & 1 == 1);
    (fields, flags.filter_map(|bit| options::name_of(Field::Special, 1 << bit)).collect())
}
