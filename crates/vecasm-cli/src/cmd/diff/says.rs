//! What two containers say beside their entries: headers, parameters, states.

use super::matching::{self, Pairs};
use std::collections::HashMap;
use vecasm::container::Container;
use vecasm::contents::{Contents, Default, Parameter, Pass, State, Technique, number_text};

/// Numbers of a default that are shown.
const SHOWN: usize = 16;
/// Facts of a header that follow from how the file was written, not from what is in it.
const WRITTEN: [&str; 8] = ["packing", "key", "length", "data", "packets", "members", "checksum", "code"];

/// Something that one says otherwise than the other, or that only one says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StatedDifference {
    /// What it is about: `parameter Tint`.
    pub(super) what: String,
    /// What each says.
    pub(super) values: [Option<String>; 2],
    /// Whether it makes the containers different.
    pub(super) counts: bool,
}

impl StatedDifference {
    /// `parameter Tint: 1 0.5 0.25 1 → 1 1 1 1`.
    pub(super) fn line(&self) -> String {
        let [a, b] = &self.values;
        match (a, b) {
            (Some(a), Some(b)) => format!("{}: {a} → {b}", self.what),
            (Some(a), None) => format!("{}: {a} only in the first", self.what),
            (None, b) => format!("{}: {} only in the second", self.what, b.as_deref().unwrap_or_default()),
        }
    }
}

/// What two containers say otherwise, whose entries belong together so.
pub(super) fn of(a: &Container<'_>, b: &Container<'_>, pairs: &Pairs) -> Vec<StatedDifference> {
    let (old, new) = (a.entries(), b.entries());
    let moved: HashMap<&str, &str> =
        pairs.iter().filter_map(|&(x, y)| Some((&*old[x?].address, &*new[y?].address))).collect();
    let [a, b] = [a, b].map(|one| Contents::without_entries("", one));
    compare(&a, &b, &moved)
}

/// What differs. `moved` has the addresses of the entries of the first one that have partners in the second one, with those.
fn compare(a: &Contents, b: &Contents, moved: &HashMap<&str, &str>) -> Vec<StatedDifference> {
    let mut out = Differences { moved, list: Vec::new() };
    out.put("format".into(), Some(a.title.into()), Some(b.title.into()));
    for (x, y) in pairs(&a.facts, &b.facts, |fact| Some(fact.name.into())) {
        let (name, value) = both(x, y, |fact| (fact.name, fact.value.clone()));
        let before = out.list.len();
        out.put(name.into(), value[0].clone(), value[1].clone());
        for said in &mut out.list[before..] {
            said.counts = !WRITTEN.contains(&name);
        }
    }
    out.parameters("", &a.parameters, &b.parameters);
    out.techniques(&a.techniques, &b.techniques);
    out.list
}

/// Something of a list, with its place.
type At<'a, T> = Option<(usize, &'a T)>;

/// Pairs by a name, else by the place.
fn pairs<'a, T>(a: &'a [T], b: &'a [T], name: impl Fn(&T) -> Option<String>) -> Vec<(At<'a, T>, At<'a, T>)> {
    let numbered = |list: &'a [T]| list.iter().enumerate().collect::<Vec<(usize, &'a T)>>();
    let (a, b) = (numbered(a), numbered(b));
    let names = |(_, one): &(usize, &T)| name(one).into_iter().collect();
    let places = |(n, _): &(usize, &T)| vec![format!("#{n}")];
    let found = matching::pair_by_keys(&a, &b, &[&names, &places]);
    found.into_iter().map(|(x, y)| (x.map(|x| a[x]), y.map(|y| b[y]))).collect()
}

/// What is said of one of two, and of each.
fn both<T, N>(x: At<'_, T>, y: At<'_, T>, of: impl Fn(&T) -> (N, String)) -> (N, [Option<String>; 2])
where
    N: std::default::Default,
{
    let (mut name, mut values) = (N::default(), [None, None]);
    for (side, one) in [y, x].into_iter().enumerate() {
        if let Some((_, one)) = one {
            let (called, value) = of(one);
            name = called;
            values[1 - side] = Some(value);
        }
    }
    (name, values)
}

struct Differences<'a> {
    moved: &'a HashMap<&'a str, &'a str>,
    list: Vec<StatedDifference>,
}

impl Differences<'_> {
    fn put(&mut self, what: String, a: Option<String>, b: Option<String>) {
        if a != b {
            self.list.push(StatedDifference { what, values: [a, b], counts: true });
        }
    }

    fn parameters(&mut self, owner: &str, a: &[Parameter], b: &[Parameter]) {
        for (x, y) in pairs(a, b, |parameter| parameter.name.clone()) {
            let Some((n, either)) = x.or(y) else { continue };
            let name = either.name.clone().unwrap_or_else(|| format!("{n}"));
            let what = match owner {
                "" => format!("parameter {name}"),
                owner => format!("{owner} <{name}>"),
            };
            let (Some((_, x)), Some((_, y))) = (x, y) else {
                let of = |one: At<'_, Parameter>| one.map(|(_, one)| declared(one));
                self.put(what, of(x), of(y));
                continue;
            };
            self.put(format!("{what} name"), x.name.clone(), y.name.clone());
            let ty = |one: &Parameter| {
                let elements = one.elements.map_or_else(String::new, |n| format!("[{n}]"));
                let semantic = one.semantic.as_ref().map_or_else(String::new, |word| format!(" : {word}"));
                Some(format!("{}{elements}{semantic}", one.ty))
            };
            self.put(format!("{what} type"), ty(x), ty(y));
            let [before, after] = defaults(x.default.as_ref(), y.default.as_ref());
            self.put(what.clone(), before, after);
            let samplers = x.sampler.len().max(y.sampler.len());
            for n in 0..samplers {
                let of = |one: &Parameter| one.sampler.get(n).cloned().unwrap_or_default();
                let element = if samplers > 1 { format!("{what}[{n}]") } else { what.clone() };
                self.states(&element, &of(x), &of(y));
            }
            self.parameters(&what, &x.annotations, &y.annotations);
        }
    }

    fn techniques(&mut self, a: &[Technique], b: &[Technique]) {
        for (x, y) in pairs(a, b, |technique| technique.name.clone()) {
            let Some((n, _)) = x.or(y) else { continue };
            let what = format!("technique{n}");
            if let Some((x, y)) = self.both_named(&what, x, y, |technique| technique.name.as_ref()) {
                self.parameters(&what, &x.annotations, &y.annotations);
                self.passes(&what, &x.passes, &y.passes);
            }
        }
    }

    fn passes(&mut self, technique: &str, a: &[Pass], b: &[Pass]) {
        for (x, y) in pairs(a, b, |pass| pass.name.clone()) {
            let Some((n, _)) = x.or(y) else { continue };
            let what = format!("{technique}/pass{n}");
            if let Some((x, y)) = self.both_named(&what, x, y, |pass| pass.name.as_ref()) {
                self.parameters(&what, &x.annotations, &y.annotations);
                self.states(&what, &x.states, &y.states);
            }
        }
    }

    /// Compares the names of what both may have; gives it if they do.
    fn both_named<'x, T>(
        &mut self,
        what: &str,
        x: At<'x, T>,
        y: At<'x, T>,
        name: fn(&T) -> Option<&String>,
    ) -> Option<(&'x T, &'x T)> {
        let called = |one: At<'x, T>| one.map(|(_, one)| name_of(name(one)));
        self.put(what.into(), called(x), called(y));
        Some((x?.1, y?.1))
    }

    fn states(&mut self, owner: &str, a: &[State], b: &[State]) {
        let name = |state: &State| {
            let index = state.index.map_or_else(String::new, |index| format!("[{index}]"));
            format!("{}{index}", state.name)
        };
        // A state may be set twice: the last one counts, but all are told.
        let named = |list: &[State]| {
            let mut seen: HashMap<String, usize> = HashMap::new();
            let mut each = Vec::new();
            for state in list {
                let count = seen.entry(name(state)).or_default();
                *count += 1;
                each.push((name(state), *count, state.value.clone()));
            }
            each
        };
        let (a, b) = (named(a), named(b));
        let key = |(name, count, _): &(String, usize, String)| vec![(name.clone(), *count)];
        for (x, y) in matching::pair_by_keys(&a, &b, &[&key]) {
            let (x, y) = (x.map(|x| &a[x]), y.map(|y| &b[y]));
            let Some((name, ..)) = x.or(y) else { continue };
            let [before, after] = [x, y].map(|one| one.map(|(.., value)| value.clone()));
            // The same entry at another place is no other value.
            let partner = before.as_deref().and_then(|value| self.moved.get(value).copied());
            if partner.is_none() || partner != after.as_deref() {
                self.put(format!("{owner} {name}"), before, after);
            }
        }
    }
}

fn name_of(name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| "(no name)".into())
}

/// A parameter as it is declared, with its default.
fn declared(one: &Parameter) -> String {
    let elements = one.elements.map_or_else(String::new, |n| format!("[{n}]"));
    match &defaults(one.default.as_ref(), None)[0] {
        Some(default) => format!("{}{elements} = {default}", one.ty),
        None => format!("{}{elements}", one.ty),
    }
}

/// Both defaults as they are shown: of long ones the part that begins where they differ.
fn defaults(a: Option<&Default>, b: Option<&Default>) -> [Option<String>; 2] {
    let numbers = |one: Option<&Default>| match one {
        Some(Default::Numbers(numbers)) => numbers.clone(),
        _ => Vec::new(),
    };
    let (x, y) = (numbers(a), numbers(b));
    let same = |(x, y): &(&f64, &f64)| x.to_bits() == y.to_bits();
    let shared = x.iter().zip(&y).take_while(same).count();
    let from = if x.len().max(y.len()) > SHOWN { shared } else { 0 };
    [a, b].map(|one| match one {
        Some(Default::Text(text)) => Some(format!("\"{text}\"")),
        Some(Default::Numbers(numbers)) => {
            let rest = numbers.get(from..).unwrap_or_default();
            let words: Vec<String> = rest.iter().take(SHOWN).map(|&n| number_text(n)).collect();
            let front = if from > 0 { format!("from number {from}: ") } else { String::new() };
            let more = if rest.len() > SHOWN { " …" } else { "" };
            Some(format!("{front}{}{more}", words.join(" ")))
        }
        _ => None,
    })
}
