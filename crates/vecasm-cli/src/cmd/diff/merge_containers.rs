//! Two edits of a container put together.

use super::containers::{Effort, is_packed_alike, kind_of, program, read};
use super::lines::MergedLines;
use super::merge::{self, MergeOutcome};
use super::says::{self, StatedDifference};
use super::{Args, NamedContainer, matching};
use crate::io::{self, Payload, Sink};
use crate::repacking::Place;
use crate::report::Ctx;
use crate::targets;
use crate::{Failure, Outcome};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use vecasm::compare::merge::Names;
use vecasm::container::{Address, Budget, Container, Entry, Kind, edit};
use vecasm::diag::{Source, printable_line};
use vecasm::open::encode_like;

/// The sides, for sentences.
const WHO: [&str; 3] = ["the base", "the first", "the second"];

/// What becomes of something that somebody changed.
struct Item {
    address: String,
    /// What it is about, where that is no entry.
    subject: String,
    /// Whose it is in the end: `a`, `b`, `both`, `merged` or `conflict`.
    result: &'static str,
    /// In a sentence.
    text: String,
    /// What is shown besides: what each side changed.
    details: String,
    chunks: Option<Value>,
}

pub(super) fn run(args: &Args, ctx: &Ctx, wholes: [&NamedContainer; 3]) -> Outcome {
    let mut budgets = [Budget::new(args.reading.open.limits); 3];
    let mut containers = Vec::new();
    for (whole, budget) in wholes.iter().zip(&mut budgets) {
        containers.push(read(whole, budget, ctx)?);
    }
    let [base, a, b] = &containers[..] else { return Err(Failure::Internal) };
    let names = wholes.map(|whole| whole.name.as_str());
    let mut walk = Walk { args, ctx, names, budgets, effort: Effort::new(), items: Vec::new() };
    let bytes = walk.containers([base, a, b], &Address::default())?;
    let conflicts = walk.items.iter().filter(|item| item.result == "conflict").count();
    let is_dash = args.output.as_deref().is_some_and(|path| path.as_os_str() == io::DASH);
    let report = if args.is_text(ctx) {
        text(&walk.items, conflicts)
    } else {
        let entries: Vec<Value> = walk.items.iter().map(Item::to_json).collect();
        let [base, a, b] = names;
        let value = json!({
            "merged": bytes.is_some(), "base": base, "a": a, "b": b, "conflicts": conflicts, "entries": entries,
        });
        format!("{value}\n")
    };
    if !is_dash {
        io::print(&report)?;
    }
    let Some(bytes) = bytes else {
        if args.output.is_some() {
            let at: Vec<&str> = walk
                .items
                .iter()
                .filter(|item| item.result == "conflict")
                .map(|item| if item.address.is_empty() { &*item.subject } else { &item.address })
                .collect();
            ctx.tell(&format!("nothing is written: conflicts in {}", at.join(", ")));
        }
        return Err(Failure::Shader);
    };
    match &args.output {
        Some(_) if is_dash => Sink::Stdout.write("", &Payload::Binary(bytes)),
        Some(path) => Sink::File(path.clone()).write("", &Payload::Binary(bytes)),
        None => Ok(()),
    }
}

fn text(items: &[Item], conflicts: usize) -> String {
    let mut out = String::new();
    for item in items {
        out.push_str(&item.details);
        let front = if item.address.is_empty() { String::new() } else { format!("{}: ", item.address) };
        let _ = writeln!(out, "{}", printable_line(&format!("{front}{}", item.text)));
    }
    let count = |result: &str| items.iter().filter(|item| item.result == result).count();
    let [first, second, both, merged] = ["a", "b", "both", "merged"].map(count);
    let plural = if conflicts == 1 { "" } else { "s" };
    let _ = writeln!(
        out,
        "{first} from the first, {second} from the second, {both} the same in both, {merged} merged, \
        {conflicts} conflict{plural}"
    );
    out
}

impl Item {
    fn new(address: &Address, result: &'static str, text: impl Into<String>) -> Self {
        Self {
            address: address.to_string(),
            subject: "the file".into(),
            result,
            text: text.into(),
            details: String::new(),
            chunks: None,
        }
    }

    fn to_json(&self) -> Value {
        json!({ "address": self.address, "result": self.result, "says": self.text, "chunks": self.chunks })
    }
}

/// Goes through the base and both edits of it.
struct Walk<'a> {
    args: &'a Args,
    ctx: &'a Ctx,
    names: [&'a str; 3],
    budgets: [Budget; 3],
    effort: Effort,
    items: Vec<Item>,
}

/// Which entry of a side is which of the base.
struct Side {
    /// For each entry of the base.
    partners: Vec<Option<usize>>,
    /// Those that the base lacks.
    added: Vec<usize>,
    /// What it says otherwise than the base.
    says: Vec<StatedDifference>,
    /// Whether bytes of the file differ, and nothing else does.
    beside: bool,
}

impl Side {
    fn of(base: &Container<'_>, side: &Container<'_>) -> Self {
        let (old, new) = (base.entries(), side.entries());
        let pairs = matching::entries(old, new);
        let mut says = says::of(base, side, &pairs);
        says.retain(|said| said.counts);
        let mut partners = vec![None; old.len()];
        let mut added = Vec::new();
        for (x, y) in pairs {
            match x {
                Some(x) => partners[x] = y,
                None => added.extend(y),
            }
        }
        Self { partners, added, says, beside: false }
    }

    /// Whether more than bytes of entries was changed.
    fn is_rebuilt(&self) -> bool {
        self.beside || !self.says.is_empty() || !self.added.is_empty() || self.partners.contains(&None)
    }
}

impl Walk<'_> {
    fn conflict(&mut self, address: &Address, text: impl Into<String>) {
        self.items.push(Item::new(address, "conflict", text));
    }

    /// The merged container; `None` if there are conflicts.
    fn containers(&mut self, all: [&Container<'_>; 3], above: &Address) -> Outcome<Option<Vec<u8>>> {
        let before = self.items.iter().filter(|item| item.result == "conflict").count();
        let mut sides = [Side::of(all[0], all[1]), Side::of(all[0], all[2])];
        for n in [1, 2] {
            sides[n - 1].beside = self.differs_beside(all[0], all[n], n, &sides[n - 1]);
        }
        // The entries of one come into the other: into the one whose headers, parameters or list of entries were changed.
        let keeps = if sides[1].is_rebuilt() && !sides[0].is_rebuilt() { 2 } else { 1 };
        let gives = 3 - keeps;
        let (own, other) = (&sides[keeps - 1], &sides[gives - 1]);
        if own.beside {
            let text = format!("other bytes of the file, changed by {}", WHO[keeps]);
            self.items.push(Item::new(above, ["a", "b"][keeps - 1], text));
        }
        if other.beside && all[1].file() != all[2].file() {
            let text = format!(
                "other bytes of the file, changed by {}, which cannot be put into {}",
                WHO[gives], WHO[keeps]
            );
            self.conflict(above, text);
        }
        let given: HashSet<&StatedDifference> = other.says.iter().collect();
        for said in &own.says {
            let both = given.contains(said);
            let result = if both { "both" } else { ["a", "b"][keeps - 1] };
            self.items.push(Item::new(above, result, said.line()));
        }
        let kept: HashSet<&StatedDifference> = own.says.iter().collect();
        let about: HashSet<&str> = own.says.iter().map(|said| &*said.what).collect();
        for said in other.says.iter().filter(|said| !kept.contains(said)) {
            let line = said.line();
            let text = if about.contains(&*said.what) {
                format!("{line} in {}, and otherwise in {}", WHO[gives], WHO[keeps])
            } else {
                format!("{line} in {} alone, and only entries can be put into {}", WHO[gives], WHO[keeps])
            };
            self.items.push(Item { subject: said.what.clone(), ..Item::new(above, "conflict", text) });
        }
        let mut edits: Vec<(Address, Vec<u8>)> = Vec::new();
        for (n, entry) in all[0].entries().iter().enumerate() {
            let address = above.join(&entry.address);
            let partner = |side: usize| sides[side - 1].partners[n].map(|at| &all[side].entries()[at]);
            match (partner(keeps), partner(gives)) {
                (Some(kept), Some(given)) => {
                    let entries = if keeps == 1 { [entry, kept, given] } else { [entry, given, kept] };
                    if let Some(bytes) = self.entry(all, entries, keeps, &address)? {
                        edits.push((Address::default().join(&kept.address), bytes));
                    }
                }
                (None, None) => self.items.push(Item::new(&address, "both", "removed by both")),
                (kept, given) => {
                    let removed = if kept.is_none() { keeps } else { gives };
                    let left = 3 - removed;
                    let Some(there) = kept.or(given) else { continue };
                    let changed = !self.is_same([all[0], all[left]], [0, left], [entry, there]);
                    if changed {
                        let text = format!("removed by {}, changed by {}", WHO[removed], WHO[left]);
                        self.conflict(&address, text);
                    } else if removed == keeps {
                        let text = format!("removed by {}", WHO[removed]);
                        self.items.push(Item::new(&address, ["a", "b"][removed - 1], text));
                    } else {
                        let text =
                            format!("removed by {}, which cannot be done in {}", WHO[removed], WHO[keeps]);
                        self.conflict(&address, text);
                    }
                }
            }
        }
        self.added(all, above, &sides, keeps);
        let after = self.items.iter().filter(|item| item.result == "conflict").count();
        if after > before {
            return Ok(None);
        }
        // Where one side changed nothing, the other one is what comes of it, to the byte.
        let [base, a, b] = all.map(Container::file);
        if a == base || b == base || a == b {
            return Ok(Some(if a == base { b } else { a }.to_vec()));
        }
        let edited = edit(all[keeps], &edits, &mut Budget::new(self.args.reading.open.limits));
        match edited {
            Ok(edited) => {
                self.ctx.report(&edited.findings, Source { name: self.names[keeps], text: None });
                Ok(Some(edited.bytes))
            }
            Err(finding) => {
                let text = format!("cannot be put into {}: {}", WHO[keeps], finding.message);
                self.conflict(above, text);
                Ok(None)
            }
        }
    }

    /// Whether a side differs in bytes that are of no entry, and in nothing of what `Contents` tells.
    fn differs_beside(&mut self, base: &Container<'_>, side: &Container<'_>, n: usize, of: &Side) -> bool {
        let mut pairs = base.entries().iter().zip(&of.partners);
        base.file() != side.file()
            && !of.is_rebuilt()
            && pairs.all(|(entry, partner)| {
                partner.is_some_and(|at| self.is_same([base, side], [0, n], [entry, &side.entries()[at]]))
            })
    }

    /// What the base lacks.
    fn added(&mut self, all: [&Container<'_>; 3], above: &Address, sides: &[Side; 2], keeps: usize) {
        let gives = 3 - keeps;
        let list = |side: usize| -> Vec<Entry> {
            sides[side - 1].added.iter().map(|n| all[side].entries()[*n].clone()).collect()
        };
        let (own, other) = (list(keeps), list(gives));
        for (x, y) in matching::entries(&own, &other) {
            let (x, y) = (x.map(|x| &own[x]), y.map(|y| &other[y]));
            let Some(either) = x.or(y) else { continue };
            let address = above.join(&either.address);
            match (x, y) {
                (Some(x), Some(y)) if self.is_same([all[keeps], all[gives]], [keeps, gives], [x, y]) => {
                    self.items.push(Item::new(&address, "both", "added by both"));
                }
                (Some(_), Some(_)) => self.conflict(&address, "added by both, in different ways"),
                (Some(_), None) => {
                    let text = format!("added by {}", WHO[keeps]);
                    self.items.push(Item::new(&address, ["a", "b"][keeps - 1], text));
                }
                _ => {
                    let text = format!("added by {}, which cannot be done in {}", WHO[gives], WHO[keeps]);
                    self.conflict(&address, text);
                }
            }
        }
    }

    /// Whether two entries have the same bytes. What cannot be read is not the same.
    fn is_same(&mut self, of: [&Container<'_>; 2], sides: [usize; 2], entries: [&Entry; 2]) -> bool {
        if is_packed_alike(of, entries) {
            return true;
        }
        let bytes = [0, 1].map(|n| of[n].bytes(entries[n], &mut self.budgets[sides[n]]));
        matches!(bytes, [Ok(a), Ok(b)] if a == b)
    }

    /// The bytes that an entry of the container that is kept gets; `None` if it stays, or if there is a conflict.
    fn entry(
        &mut self,
        all: [&Container<'_>; 3],
        entries: [&Entry; 3],
        keeps: usize,
        address: &Address,
    ) -> Outcome<Option<Vec<u8>>> {
        let alike = |side: usize| is_packed_alike([all[0], all[side]], [entries[0], entries[side]]);
        if alike(1) && alike(2) {
            return Ok(None);
        }
        let bytes = [0, 1, 2].map(|n| all[n].bytes(entries[n], &mut self.budgets[n]));
        let bytes = match bytes {
            [Ok(base), Ok(a), Ok(b)] => [base, a, b],
            bytes => {
                let why = bytes.into_iter().find_map(Result::err).map_or_else(String::new, |why| why.message);
                self.conflict(address, format!("it cannot be read: {why}"));
                return Ok(None);
            }
        };
        let [base, a, b] = bytes.each_ref().map(|bytes| &**bytes);
        let from = match (a == base, b == base, a == b) {
            (true, true, _) => return Ok(None),
            (false, true, _) => 1,
            (true, false, _) => 2,
            (_, _, true) => {
                self.items.push(Item::new(address, "both", "changed by both, in the same way"));
                return Ok(None);
            }
            _ => return self.both_changed(all, entries, bytes, keeps, address),
        };
        let mut item = Item::new(address, ["a", "b"][from - 1], format!("changed by {}", WHO[from]));
        item.details = self.change(entries, &bytes, from, address);
        self.items.push(item);
        Ok((from != keeps).then(|| bytes[from].to_vec()))
    }

    /// What a side changed in a program.
    fn change(
        &mut self,
        entries: [&Entry; 3],
        bytes: &[Cow<'_, [u8]>; 3],
        side: usize,
        at: &Address,
    ) -> String {
        if self.args.stat || !self.args.is_text(self.ctx) {
            return String::new();
        }
        let read =
            |n: usize| program(format!("{}::{at}", self.names[n]), entries[n], &bytes[n], &self.args.reading);
        match (read(0), read(side)) {
            (Some(Ok(base)), Some(Ok(other))) if self.effort.take(&base, &other) => {
                merge::changes(self.args, self.ctx, &base, &other)
            }
            _ => String::new(),
        }
    }

    /// Merges what both changed.
    fn both_changed(
        &mut self,
        all: [&Container<'_>; 3],
        entries: [&Entry; 3],
        bytes: [Cow<'_, [u8]>; 3],
        keeps: usize,
        address: &Address,
    ) -> Outcome<Option<Vec<u8>>> {
        if entries.iter().all(|entry| matches!(entry.kind, Kind::Container(_))) {
            let opened = [0, 1, 2].map(|n| all[n].open(entries[n], &mut self.budgets[n]));
            if let [Ok(base), Ok(a), Ok(b)] = &opened {
                return self.containers([base, a, b], address);
            }
        }
        let mut loaded = Vec::new();
        for n in [0, 1, 2] {
            match program(format!("{}::{address}", self.names[n]), entries[n], &bytes[n], &self.args.reading)
            {
                Some(Ok(one)) => loaded.push(one),
                _ => {
                    let [base, a, b] = bytes.each_ref().map(|bytes| bytes.len());
                    let kind = kind_of(entries[0]);
                    let text =
                        format!("{kind}, changed by both: {base} bytes, {a} in the first, {b} in the second");
                    self.conflict(address, text);
                    return Ok(None);
                }
            }
        }
        let Ok(loaded) = <[_; 3]>::try_from(loaded) else { return Err(Failure::Internal) };
        if !self.effort.take(&loaded[0], &loaded[1]) || !self.effort.take(&loaded[0], &loaded[2]) {
            self.conflict(address, "too much was changed by both to be merged at once");
            return Ok(None);
        }
        let merged =
            match MergedLines::of(loaded.each_ref().map(|one: &crate::load::Loaded| one.program.any())) {
                Ok(merged) => merged,
                Err(why) => {
                    self.conflict(address, why);
                    return Ok(None);
                }
            };
        let full = loaded.each_ref().map(|one| one.input.name.raw());
        let names = Names { base: full[0], a: full[1], b: full[2] };
        let fate = MergeOutcome::of(&merged, &loaded, &address.to_string(), names)?;
        fate.report(self.ctx);
        let mut text = merge::summary(&merged);
        if !fate.findings().is_empty() {
            text.push_str("; the merged program is refused");
        }
        let result = if matches!(fate, MergeOutcome::Good(_)) { "merged" } else { "conflict" };
        let mut item = Item::new(address, result, text);
        if !self.args.stat && self.args.is_text(self.ctx) {
            item.details = merge::details(self.args, self.ctx, &merged, names);
        }
        item.chunks = Some(merge::chunks_json(&merged));
        self.items.push(item);
        let MergeOutcome::Good(new) = fate else { return Ok(None) };
        if entries[keeps].kind == Kind::File {
            let form = targets::notation_of(&loaded[keeps].input, &self.args.reading)?;
            let written = match targets::in_notation(&new.input, &new.program, form) {
                Payload::Text(text) => encode_like(&bytes[keeps], &text),
                Payload::Binary(bytes) => bytes,
            };
            return Ok(Some(written));
        }
        let place = Place { stage: entries[keeps].stage, bytes: &bytes[keeps] };
        place.bytes_of(&new.input.name, new.program.any(), false, self.ctx).map(Some)
    }
}
