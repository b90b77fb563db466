//! From bytes to an effect.

use super::{
    Annotation, Base, Class, Effect, Element, Object, Owner, Parameter, Pass, State, Technique, Type, Value,
};
use crate::cursor::{Cursor, Result, at, wrong};
use crate::limits::exceeded;
use crate::{Budget, rules};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Diagnostic;

/// The first word of XNA's wrapper.
const WRAPPER: u32 = 0xBCF0_0BCF;
/// The first word of an effect.
const VERSION: u32 = 0xFEFF_0901;
/// No technique, no element.
const NONE: u32 = u32::MAX;

pub(super) fn effect(bytes: &[u8], budget: &Budget) -> Result<(Effect, Vec<Diagnostic>)> {
    read(bytes, budget, None).map(|(effect, findings, _)| (effect, findings))
}

/// Where the value of a parameter is.
#[derive(Clone, Debug)]
pub(super) struct ValuePlace {
    /// The word of the tables that leads to it, as a place in the file.
    pub(super) word: usize,
    /// Its own bytes in the file.
    pub(super) range: Range<usize>,
}

/// Where values are, and how often a part of the pool is used.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// The values of parameters, by number.
    values: Vec<ValuePlace>,
    /// What was read last, as a place in the file.
    last: Range<usize>,
    /// A part of the file, and how often something in it was read.
    watched: Range<usize>,
    count: usize,
}

/// Where the value of a parameter is, and whether anything else is there.
pub(super) fn value_place(
    bytes: &[u8],
    parameter: usize,
    budget: &Budget,
) -> Result<Option<(ValuePlace, bool)>> {
    let uses = |watched| {
        let uses = Uses { watched, ..Uses::default() };
        read(bytes, budget, Some(uses)).map(|(_, _, uses)| uses.unwrap_or_default())
    };
    let Some(place) = uses(0..0)?.values.into_iter().nth(parameter) else { return Ok(None) };
    let count = uses(place.range.clone())?.count;
    Ok(Some((place, count > 1)))
}

fn read(
    bytes: &[u8],
    budget: &Budget,
    uses: Option<Uses>,
) -> Result<(Effect, Vec<Diagnostic>, Option<Uses>)> {
    let mut tables = Cursor::new(bytes, budget.limits);
    let mut wrapper = None;
    let mut version = tables.u32("the version")?;
    if version == WRAPPER {
        let size = tables.size("the size of the wrapper")?;
        if size < 8 || size % 4 != 0 {
            return Err(wrong(4, "the size of the wrapper", size));
        }
        let mut words = Vec::new();
        for _ in 0..tables.count((size / 4 - 2) as u32, 4, "words of the wrapper")? {
            words.push(tables.u32("the wrapper")?);
        }
        wrapper = Some(words);
        version = tables.u32("the version")?;
    }
    let start = tables.pos() - 4;
    if version != VERSION {
        return Err(wrong(start, "the version", format_args!("{version:#010x}")));
    }
    let pool_bytes = tables.size("the size of the pool")?;
    let pool = Cursor::new(tables.take(pool_bytes, "the pool")?, budget.limits);
    let mut reader = Reader {
        base: start + 8,
        pool,
        // Types and values may be shared: without a bound each parameter could ask for the whole pool again. What follows the
        // effect in the bytes is no reason for more.
        work: pool_bytes.saturating_mul(16).saturating_add(1 << 12),
        findings: Vec::new(),
        uses,
    };
    let parameters = tables.u32("the number of parameters")?;
    let techniques = tables.u32("the number of techniques")?;
    let third = tables.u32("the tables")?;
    let object_count = tables.u32("the number of objects")?;
    let parameters = reader.parameters(&mut tables, parameters)?;
    let techniques = reader.techniques(&mut tables, techniques)?;
    let mut effect = Effect {
        wrapper,
        start,
        pool_bytes,
        third,
        object_count,
        parameters,
        techniques,
        objects: objects(&mut tables)?,
        owned: BTreeMap::new(),
    };
    attach(&mut effect);
    let mut findings = reader.findings;
    if tables.left() > 0 {
        let message = format!("{} bytes follow the end of the effect", tables.left());
        findings.push(rules::TRAILING.finding(message).at(at(tables.pos())));
    }
    Ok((effect, findings, reader.uses))
}

struct Reader<'a> {
    /// Where the pool is in the file.
    base: usize,
    pool: Cursor<'a>,
    /// What may still be read out of the pool, in words and nodes.
    work: usize,
    findings: Vec<Diagnostic>,
    /// What of the pool is used, where somebody asks for that.
    uses: Option<Uses>,
}

impl<'a> Reader<'a> {
    fn parameters(&mut self, tables: &mut Cursor<'a>, n: u32) -> Result<Vec<Parameter>> {
        let mut out = Vec::new();
        for _ in 0..tables.count(n, 16, "parameters")? {
            let ty = tables.u32("a parameter")?;
            let word = tables.pos();
            let value = tables.u32("a parameter")?;
            let (flags, annotations) = (tables.u32("a parameter")?, tables.u32("a parameter")?);
            let (ty, value) = self.typed(ty, value)?;
            if let Some(uses) = &mut self.uses {
                // The value was read last.
                let range = uses.last.clone();
                uses.values.push(ValuePlace { word, range });
            }
            out.push(Parameter { ty, value, flags, annotations: self.annotations(tables, annotations)? });
        }
        Ok(out)
    }

    fn annotations(&mut self, tables: &mut Cursor<'a>, n: u32) -> Result<Vec<Annotation>> {
        let mut out = Vec::new();
        for _ in 0..tables.count(n, 8, "annotations")? {
            let (ty, value) = (tables.u32("an annotation")?, tables.u32("an annotation")?);
            let (ty, value) = self.typed(ty, value)?;
            out.push(Annotation { ty, value });
        }
        Ok(out)
    }

    fn techniques(&mut self, tables: &mut Cursor<'a>, n: u32) -> Result<Vec<Technique>> {
        let mut out = Vec::new();
        for _ in 0..tables.count(n, 12, "techniques")? {
            let name = tables.u32("a technique")?;
            let name = self.name(name)?;
            let annotations = tables.u32("a technique")?;
            let passes = tables.u32("a technique")?;
            let annotations = self.annotations(tables, annotations)?;
            let mut list = Vec::new();
            for _ in 0..tables.count(passes, 12, "passes")? {
                let name = tables.u32("a pass")?;
                let name = self.name(name)?;
                let (annotations, states) = (tables.u32("a pass")?, tables.u32("a pass")?);
                let annotations = self.annotations(tables, annotations)?;
                let states = tables.count(states, 16, "states")?;
                list.push(Pass { name, annotations, states: self.states(tables, states, 0)? });
            }
            out.push(Technique { name, annotations, passes: list });
        }
        Ok(out)
    }

    /// States, in the tables or in the value of a sampler.
    fn states(&mut self, from: &mut Cursor<'a>, n: usize, depth: usize) -> Result<Vec<State>> {
        let mut out = Vec::new();
        for _ in 0..n {
            self.spend(1)?;
            let place = from.pos();
            let (op, index) = (from.u32("a state")?, from.u32("a state")?);
            let (ty, value) = (from.u32("a state")?, from.u32("a state")?);
            if super::state_name(op).is_none() {
                let message = format!("a state is {op:#x}, whose meaning is unknown");
                self.findings.push(rules::UNKNOWN.finding(message).at(at(place)));
            }
            let (ty, value) = self.typed_below(ty, value, depth)?;
            out.push(State { op, index, ty, value, object: None });
        }
        Ok(out)
    }

    /// A place in the pool.
    fn seek(&self, offset: u32, what: &str) -> Result<Cursor<'a>> {
        self.pool.at(offset as usize, what).map_err(|finding| finding.at(at(self.base)))
    }

    fn spend(&mut self, work: usize) -> Result<()> {
        match self.work.checked_sub(work) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => Err(exceeded("types and values that are used again and again", "", 4, "times the file")),
        }
    }

    /// A name: none if its length is 0.
    fn name(&mut self, offset: u32) -> Result<Option<String>> {
        let mut from = self.seek(offset, "a name")?;
        let len = from.size("the length of a name")?;
        if len == 0 {
            self.note(offset as usize, from.pos());
            return Ok(None);
        }
        self.spend(len / 4 + 1)?;
        let bytes =
            from.take(from.name_length(len)?, "a name").map_err(|f| f.at(at(self.base + from.pos())))?;
        self.note(offset as usize, from.pos());
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    }

    fn typed(&mut self, ty: u32, value: u32) -> Result<(Type, Value)> {
        self.typed_below(ty, value, 0)
    }

    fn typed_below(&mut self, ty: u32, value: u32, depth: usize) -> Result<(Type, Value)> {
        let mut from = self.seek(ty, "a type")?;
        let start = from.pos();
        let ty = self.ty(&mut from, depth)?;
        self.note(start, from.pos());
        let mut from = self.seek(value, "a value")?;
        let start = from.pos();
        let value = self.value(&mut from, &ty, depth)?;
        self.note(start, from.pos());
        Ok((ty, value))
    }

    /// Notes that a part of the pool is used.
    fn note(&mut self, start: usize, end: usize) {
        if let Some(uses) = &mut self.uses {
            uses.last = self.base + start..self.base + end;
            uses.count +=
                usize::from(uses.last.start < uses.watched.end && uses.watched.start < uses.last.end);
        }
    }

    fn ty(&mut self, from: &mut Cursor<'a>, depth: usize) -> Result<Type> {
        if depth >= from.limits().types {
            return Err(exceeded("a type in too many others", "types", from.limits().types, "deep"));
        }
        self.spend(8)?;
        let place = self.base + from.pos();
        let (base, class) = (from.u32("a type")?, from.u32("a type")?);
        let base = Base::from_number(base).ok_or_else(|| wrong(place, "a type", base))?;
        let class =
            Class::from_number(class).ok_or_else(|| wrong(place + 4, "the class of a type", class))?;
        let (name, semantic) = (from.u32("a type")?, from.u32("a type")?);
        let (name, semantic) = (self.name(name)?, self.name(semantic)?);
        let elements = from.u32("a type")?;
        if elements as usize > from.limits().elements {
            return Err(exceeded(
                &format!("an array of {elements}"),
                "elements",
                from.limits().elements,
                "elements",
            ));
        }
        let mut ty = Type { name, semantic, base, class, elements, rows: 0, columns: 0, members: Vec::new() };
        match class {
            Class::Scalar | Class::MatrixRows | Class::MatrixColumns => {
                (ty.rows, ty.columns) = (from.u32("a type")?, from.u32("a type")?);
            }
            Class::Vector => (ty.columns, ty.rows) = (from.u32("a type")?, from.u32("a type")?),
            Class::Struct => {
                let n = from.u32("the number of members")?;
                for _ in 0..from.count(n, 20, "members")? {
                    ty.members.push(self.ty(from, depth + 1)?);
                }
            }
            Class::Object => {}
        }
        if ty.rows > 4 || ty.columns > 4 {
            return Err(wrong(
                place + 20,
                "the size of a type",
                format_args!("{} × {}", ty.rows, ty.columns),
            ));
        }
        Ok(ty)
    }

    fn value(&mut self, from: &mut Cursor<'a>, ty: &Type, depth: usize) -> Result<Value> {
        if depth >= from.limits().types {
            return Err(exceeded("a value in too many others", "types", from.limits().types, "deep"));
        }
        let mut out = Vec::new();
        for _ in 0..ty.elements.max(1) {
            self.spend(1)?;
            out.push(match ty.class {
                Class::Struct => {
                    let mut members = Vec::new();
                    for member in &ty.members {
                        members.push(self.value(from, member, depth + 1)?);
                    }
                    Element::Members(members)
                }
                Class::Object if ty.base.is_sampler() => {
                    let n = from.u32("the number of a sampler's states")?;
                    let n = from.count(n, 16, "states")?;
                    Element::Sampler(self.states(from, n, depth + 1)?)
                }
                Class::Object => Element::Object(from.u32("the number of an object")?),
                _ => {
                    let n = ty.rows as usize * ty.columns as usize;
                    self.spend(n)?;
                    let mut words = Vec::with_capacity(n);
                    for _ in 0..n {
                        words.push(from.u32("a value")?);
                    }
                    Element::Words(words)
                }
            });
        }
        Ok(out)
    }
}

/// The blobs, of parameters and of states.
fn objects(tables: &mut Cursor<'_>) -> Result<Vec<Object>> {
    let small = tables.u32("the number of objects of parameters")?;
    let large = tables.u32("the number of objects of states")?;
    let mut out = Vec::new();
    for _ in 0..tables.count(small, 8, "objects of parameters")? {
        let id = tables.u32("an object")?;
        out.push(Object { owner: Owner::Small(id), usage: 0, range: blob(tables)? });
    }
    for _ in 0..tables.count(large, 24, "objects of states")? {
        let (technique, index) = (tables.u32("an object")?, tables.u32("an object")?);
        let (element, state) = (tables.u32("an object")?, tables.u32("an object")?);
        let owner = match technique {
            NONE => Owner::Sampler { parameter: index, element, state },
            technique => Owner::Pass { technique, pass: index, state },
        };
        let usage = tables.u32("an object")?;
        out.push(Object { owner, usage, range: blob(tables)? });
    }
    Ok(out)
}

fn blob(tables: &mut Cursor<'_>) -> Result<Range<usize>> {
    let len = tables.size("the length of an object")?;
    let range = tables.range(len, "an object")?;
    // The last one may lack the bytes that fill it up.
    let padding = (len.wrapping_neg() % 4).min(tables.left());
    tables.range(padding, "an object")?;
    Ok(range)
}

/// Tells states which object says their value, and parameters where theirs are.
fn attach(effect: &mut Effect) {
    for (n, object) in effect.objects.iter().enumerate() {
        let state = match object.owner {
            Owner::Small(id) => {
                effect.owned.entry(id).or_insert(n);
                None
            }
            Owner::Pass { technique, pass, state } => effect
                .techniques
                .get_mut(technique as usize)
                .and_then(|technique| technique.passes.get_mut(pass as usize))
                .and_then(|pass| pass.states.get_mut(state as usize)),
            Owner::Sampler { parameter, element, state } => {
                let element = if element == NONE { 0 } else { element as usize };
                let value =
                    effect.parameters.get_mut(parameter as usize).and_then(|p| p.value.get_mut(element));
                match value {
                    Some(Element::Sampler(states)) => states.get_mut(state as usize),
                    _ => None,
                }
            }
        };
        if let Some(state) = state {
            state.object = Some(n);
        }
    }
}
