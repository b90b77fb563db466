//! Who belongs to whom: lists that are being matched, and what a binding says.

use super::super::link::{LITERALS, Link, LinkError, Section};
use super::{EqvError, Options};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::Shader;

/// Two lists of names that are being matched.
pub(super) struct Matching {
    /// The partner in the second list.
    pub(super) partner: Vec<Option<usize>>,
    pub(super) taken: Vec<bool>,
}

impl Matching {
    pub(super) fn new(a: usize, b: usize) -> Self {
        Self { partner: vec![None; a], taken: vec![false; b] }
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        self.partner[a] = Some(b);
        self.taken[b] = true;
    }

    /// Joins what is free and fits, if it fits nothing else.
    pub(super) fn by(&mut self, fits: impl Fn(usize, usize) -> bool) -> usize {
        let mut joined = 0;
        for a in 0..self.partner.len() {
            if self.partner[a].is_some() {
                continue;
            }
            let mut found = (0..self.taken.len()).filter(|&b| !self.taken[b] && fits(a, b));
            if let (Some(b), None) = (found.next(), found.next()) {
                self.join(a, b);
                joined += 1;
            }
        }
        joined
    }
}

/// What a binding says of two shaders.
#[derive(Clone, Copy)]
pub(super) struct Bound<'l> {
    link: &'l Link,
    /// Which shader is the source.
    pub(super) source: usize,
}

/// The places of a pair in the tables of the first and of the second shader, where they have the name.
pub(super) type Pair<T> = [Option<T>; 2];

impl<'l> Bound<'l> {
    pub(super) fn of(options: &'l Options, shaders: [&Shader; 2]) -> Result<Option<Self>, EqvError> {
        let Some(link) = &options.link else { return Ok(None) };
        link.check()?;
        Ok(Some(Self { link, source: link.source_of(shaders)? }))
    }

    /// The pairs of a list; `None` if the binding has no such list. `find` looks a name up in the first (0) or second (1)
    /// shader.
    pub(super) fn pairs<T>(
        &self,
        section: &Section,
        find: impl Fn(usize, &str) -> Option<T>,
    ) -> Result<Option<Vec<Pair<T>>>, LinkError> {
        let Some(names) = (section.list)(self.link) else { return Ok(None) };
        let one = |(target, source): &(String, String)| {
            let mut pair = [find(self.source, source), find(1 - self.source, target)];
            if pair.iter().all(Option::is_none) {
                let message = format!("the source has no {source}, and the target has no {target}");
                return Err(LinkError::under(section.key, target, message));
            }
            if self.source == 1 {
                pair.swap(0, 1);
            }
            Ok(pair)
        };
        names.iter().map(one).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The constants of the target that are literals, with their lanes.
    pub(super) fn literals<T>(
        &self,
        find: impl Fn(usize, &str) -> Option<T>,
    ) -> Result<Vec<(T, [u32; 4])>, LinkError> {
        let one = |(name, value): &(String, [u32; 4])| {
            let place = find(1 - self.source, name);
            place
                .map(|place| (place, *value))
                .ok_or_else(|| LinkError::under(LITERALS, name, "the target has no such constant"))
        };
        self.link.literals.iter().map(one).collect()
    }
}
