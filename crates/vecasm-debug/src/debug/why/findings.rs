//! Findings of groups, put together.

use super::birth::{Birth, Course, SpecialLanes, SpecialNumber, births, swallowing, ways};
use super::flow::{Dependence, Flow, Lanes, Site, ancestors};
use super::outside::is_decided;
use super::slice::slice;
use super::steps::Steps;
use super::words::{self, Names, moved};
use super::{At, Cause, Finding, Known, OutputLane, Role, Slice, Station};
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use vecasm_exec::runfile::GivenValues;
use vecasm_exec::{Batch, Outputs};
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::steps::{Access, Cell};
use vecasm_ir::ir::{Op, OutputId, Pure, Scalar, Shader};

/// The most findings of one kind at one place, and the most in all.
const MOST: usize = 256;
/// The most stations of a story.
const LONGEST: usize = 24;

/// What is found so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) findings: Vec<Finding>,
    known: Known,
    /// For each finding, the invocations counted last, so that none counts twice.
    last: Vec<Option<usize>>,
    /// For each invocation that was killed, where.
    pub(super) killed: BTreeMap<usize, super::usual::RunEnd>,
    /// For each invocation out of fuel, where it was.
    pub(super) exhausted: BTreeMap<usize, super::usual::RunEnd>,
    /// Colours that are black or cut off: the invocations looked at, and those concerned with their story.
    pub(super) colours: Vec<super::zero::Colours>,
}

impl Gathered {
    /// Adds a finding of an invocation; the same one again only counts. `detail` tells apart what stands at one place.
    pub(super) fn add(&mut self, finding: Finding, detail: &str) {
        let key = (finding.cause, finding.at, finding.made_up, detail.to_owned());
        if let Some(&at) = self.known.get(&key) {
            if let (Some(old), Some(last)) = (self.findings.get_mut(at), self.last.get_mut(at)) {
                if *last != finding.invocation {
                    old.count += 1;
                    *last = finding.invocation;
                }
                if finding.severity > old.severity {
                    let count = old.count;
                    *old = Finding { count, ..finding };
                }
            }
            return;
        }
        if self.findings.len() < MOST {
            self.known.insert(key, self.findings.len());
            self.last.push(finding.invocation);
            self.findings.push(finding);
        }
    }

    /// Counts a finding that is known and at least as bad as this one, so that its story need not be told again; `false` if it
    /// has to be [added](Self::add).
    pub(super) fn counts(
        &mut self,
        (cause, at, detail): (Cause, At, &str),
        made_up: bool,
        severity: Severity,
        invocation: usize,
    ) -> bool {
        let Some(&known) = self.known.get(&(cause, Some(at), made_up, detail.to_owned())) else {
            return self.findings.len() >= MOST;
        };
        match (self.findings.get_mut(known), self.last.get_mut(known)) {
            (Some(old), Some(last)) if severity <= old.severity => {
                if *last != Some(invocation) {
                    old.count += 1;
                    *last = Some(invocation);
                }
                true
            }
            _ => false,
        }
    }

    /// Adds what only the results of the whole run tell.
    pub(super) fn outcome(&mut self, shader: &Shader, outputs: &Outputs, only: Option<usize>) {
        super::usual::outcome(self, shader, outputs, only);
        super::zero::outcome(self, shader);
    }

    pub(super) fn finish(mut self) -> Vec<Finding> {
        // A vector without length and the infinity that comes of it are one finding.
        let vectors: Vec<Finding> = self
            .findings
            .iter()
            .filter(|f| f.cause == Cause::ZeroVector && f.severity == Severity::Warning)
            .cloned()
            .collect();
        for of in vectors {
            let worse =
                |f: &&mut Finding| f.cause == of.cause && f.at == of.at && f.severity == Severity::Error;
            if let Some(worse) = self.findings.iter_mut().find(worse) {
                for note in &of.notes {
                    if !worse.notes.contains(note) {
                        worse.notes.push(note.clone());
                    }
                }
                self.findings.retain(|f| *f != of);
            } else {
                let milder =
                    |f: &Finding| f.cause == of.cause && f.at == of.at && f.severity == Severity::Note;
                self.findings.retain(|f| !milder(f));
            }
        }
        for finding in self.findings.iter_mut().filter(|f| f.made_up && f.severity > Severity::Note) {
            finding.severity = Severity::Note;
            finding.notes.push("it depends on made-up values".into());
        }
        self.findings.sort_by_key(|f| (core::cmp::Reverse(f.severity), f.at, f.cause));
        self.findings
    }
}

/// One group and what belongs to it.
pub(super) struct Group<'f, 'a> {
    pub(super) flow: &'f Flow<'a>,
    pub(super) steps: &'f Steps,
    pub(super) batch: &'f Batch<'f>,
    pub(super) given: Option<&'f GivenValues>,
    /// The lanes that depend on values that are made up.
    pub(super) made_up: Option<Lanes>,
    /// Only this invocation counts.
    pub(super) only: Option<u32>,
    /// Where lanes that loops hand on come from, as far as that was asked: see [`Self::root`].
    pub(super) roots: RefCell<BTreeMap<Site, Site>>,
}

impl Group<'_, '_> {
    pub(super) fn wants(&self, invocation: u32) -> bool {
        self.only.is_none_or(|only| only == invocation)
    }

    /// The invocations that count.
    pub(super) fn invocations(&self) -> impl Iterator<Item = u32> + use<> {
        let only = self.only;
        (0..self.flow.here as u32).filter(move |i| only.is_none_or(|only| only == *i))
    }

    /// Whether a lane depends on values that are made up.
    pub(super) fn is_made_up(&self, site: Site) -> bool {
        self.made_up.as_ref().is_some_and(|lanes| lanes.has(self.flow, site))
    }

    /// Whether an invocation comes to a moment because of values that are made up.
    pub(super) fn is_led_by_made_up(&self, event: u32, invocation: u32) -> bool {
        self.made_up.as_ref().is_some_and(|lanes| is_decided(self.flow, lanes, event, invocation))
    }

    /// The place of a mark.
    pub(super) fn at(&self, event: u32) -> At {
        let step = self.flow.step(event);
        At { source: step.map_or(0, |s| s.source), part: step.map_or(0, |s| s.part) }
    }

    /// A lane in words.
    pub(super) fn number(&self, site: Site) -> String {
        words::number(self.flow.bits(site), self.flow.scalar(site))
    }

    /// Lanes that one step wrote: `r0.xy = NaN`, or with different values `r0.x = 1, r0.y = 2`.
    fn written(&self, event: u32, sites: &[Site]) -> String {
        let mut out: Vec<(String, String, String)> = Vec::new();
        for &site in sites {
            let found = self.flow.accesses(event, true, site.invocation).find(|(_, _, s)| *s == site);
            let Some((access, lane, _)) = found else { continue };
            let held = super::slice::held(self.flow, self.steps.start(event), event, access.cell, lane, site);
            let name = held.name.rsplit_once('.').map_or(held.name.as_str(), |(name, _)| name).to_owned();
            let value = self.number(site);
            match out.last_mut() {
                Some((last, lanes, same)) if *last == name && *same == value => {
                    lanes.push(words::letter(lane));
                }
                _ => out.push((name, words::letter(lane).to_string(), value)),
            }
        }
        let parts: Vec<String> =
            out.into_iter().map(|(name, lanes, value)| format!("{name}.{lanes} = {value}")).collect();
        parts.join(", ")
    }

    /// The operands of an operation: their values, and what is known of where each came from.
    pub(super) fn operands(&self, made: Site, step: u32) -> Operands {
        let names = Names::new(self.flow, step, made.invocation);
        let mut out = Operands::default();
        for (site, way) in self.flow.made_of(made) {
            if way == Dependence::Choice {
                continue;
            }
            out.values.push(self.number(site));
            self.origin(site, step, &names, &mut out);
        }
        out
    }

    /// Tells where a lane that a step read came from: notes of what is outside, stations of steps.
    pub(super) fn origin(&self, operand: Site, step: u32, names: &Names<'_, '_>, out: &mut Operands) {
        self.never_set(operand, out);
        let Some((access, lane)) = self.read_by(operand, names) else { return };
        let mut cell = access.cell;
        let mut lane = lane;
        let mut event = step;
        let mut site = None;
        // Through moves to the step that computed it.
        for _ in 0..8 {
            let before = self.steps.start(event);
            let read = self.flow.accesses(event, false, operand.invocation);
            site = read
                .filter(|(a, l, _)| a.cell == cell && *l == lane)
                .map(|(_, _, site)| site)
                .next()
                .or(site);
            let Some(writer) = self.steps.writer(cell, lane, operand.invocation, before) else {
                if let Some(site) = site {
                    self.outside((before, event), cell, lane, site, out);
                }
                return;
            };
            let wrote = self.flow.accesses(writer, true, operand.invocation);
            let Some((_, _, wrote)) = wrote.filter(|(a, l, _)| a.cell == cell && *l == lane).last() else {
                return;
            };
            let station =
                Station { at: self.at(writer), role: Role::Origin, text: self.written(writer, &[wrote]) };
            if !out.stations.contains(&(writer, station.clone())) {
                out.stations.push((writer, station));
            }
            let names = Names::new(self.flow, writer, operand.invocation);
            match self.flow.made_of(wrote).first().and_then(|(site, _)| self.read_by(*site, &names)) {
                Some((access, from)) => (cell, lane, event) = (access.cell, from, writer),
                None => return,
            }
        }
    }

    /// The lane of a register that a lane was made of, if there is a single one.
    fn read_by<'n>(&self, site: Site, names: &Names<'_, 'n>) -> Option<(&'n Access, usize)> {
        if let Some((access, lane, _)) = names.of(site) {
            return Some((access, lane));
        }
        let from = self.flow.made_of(site);
        let mut named =
            from.iter().filter(|(_, way)| *way == Dependence::Data).map(|(site, _)| names.of(*site));
        match (named.next(), named.next()) {
            (Some(Some((access, lane, _))), None) => Some((access, lane)),
            _ => None,
        }
    }

    /// Notes constants and inputs that were never set and have a part in a lane.
    fn never_set(&self, operand: Site, out: &mut Operands) {
        let shader = self.flow.shader;
        for site in ancestors(self.flow, [operand].into_iter(), |way| way == Dependence::Data) {
            let Some(Op::Param { .. } | Op::ParamAt { .. } | Op::Input(_)) =
                self.flow.inst(site.event).map(|inst| inst.op)
            else {
                continue;
            };
            match self.source_of(site) {
                Some(Source::Param { array, index, set: false }) => {
                    let name = words::param(shader, array, index);
                    out.note(&name, site.lane, &self.number(site), ", a constant that is never set");
                }
                Some(Source::Input { input, set: false }) => {
                    let name = shader.inputs.get(input).map_or("?", |input| input.name.as_str());
                    out.note(name, site.lane, &self.number(site), ", an input that is not given");
                }
                _ => {}
            }
        }
    }

    /// Notes what is known of a lane that no step wrote; `step` is the start and the mark of the one that reads it.
    fn outside(&self, step: (u32, u32), cell: Cell, lane: usize, site: Site, out: &mut Operands) {
        let held = super::slice::held(self.flow, step.0, step.1, cell, lane, site);
        let what = match self.source_of(site) {
            Some(Source::Param { set: false, .. }) => ", a constant that is never set",
            Some(Source::Param { array, index, .. }) if self.is_brought(array, index) => {
                ", a constant that the program brings"
            }
            Some(Source::Param { .. }) => ", a constant",
            Some(Source::Input { set: false, .. }) => ", an input that is not given",
            Some(Source::Input { .. }) => ", an input",
            Some(Source::Defined) => ", defined in the program",
            Some(Source::Nothing) => ", a register that is never written",
            None => "",
        };
        let name = held.name.rsplit_once('.').map_or(held.name.as_str(), |(name, _)| name);
        out.note(name, lane as u8, &self.number(site), what);
    }

    /// The lane that a lane is the same as, from wherever it was moved.
    fn root(&self, site: Site) -> Site {
        let mut at = site;
        // Loops hand on what they were handed: each round asks the one before.
        let mut passed = Vec::new();
        loop {
            if self.flow.hands_on(at.event) {
                if let Some(&known) = self.roots.borrow().get(&at) {
                    at = known;
                    break;
                }
                passed.push(at);
            }
            match moved(self.flow, at, false) {
                Some(from) => at = from,
                None => break,
            }
        }
        self.roots.borrow_mut().extend(passed.into_iter().map(|site| (site, at)));
        at
    }

    /// What a lane that no step computed is.
    pub(super) fn source_of(&self, site: Site) -> Option<Source> {
        let mut at = self.root(site);
        // What lifting does to what it reads.
        for _ in 0..4 {
            match self.flow.inst(at.event).map(|inst| inst.op) {
                Some(Op::Pure(Pure::Saturate | Pure::Min | Pure::Max | Pure::ToF32)) => {
                    let from = self.flow.made_of(at);
                    let varying = |site: &Site| {
                        !self.flow.inst(site.event).is_some_and(|inst| matches!(inst.op, Op::Const(_)))
                    };
                    let next = from.iter().map(|(site, _)| *site).find(varying);
                    at = self.root(next?);
                }
                _ => break,
            }
        }
        let inst = self.flow.inst(at.event)?;
        match inst.op {
            Op::Param { array, index } => {
                let set = self.is_set(array.index(), index) || !self.flow.made_of(at).is_empty();
                Some(Source::Param { array: array.index(), index, set })
            }
            Op::ParamAt { array, .. } => {
                let index = self.flow.element(at.event, at.invocation)?.element?;
                let written = self.flow.made_of(at).iter().any(|(_, way)| *way == Dependence::Data);
                let set = self.is_set(array.index(), index) || written;
                Some(Source::Param { array: array.index(), index, set })
            }
            Op::Input(id) => {
                let given = self.given.and_then(|given| given.inputs.get(id.index()));
                let at = self.flow.first + at.invocation as usize;
                let set = given.and_then(|given| given.get(at)).copied().unwrap_or(true);
                Some(Source::Input { input: id.index(), set })
            }
            Op::Const(_) => {
                let home = inst.result.and_then(|result| self.flow.shader.value(result).home);
                Some(if home.is_some() { Source::Defined } else { Source::Nothing })
            }
            _ => None,
        }
    }

    /// Whether nobody gave a constant, so that it has the value that the program brings.
    pub(super) fn is_brought(&self, array: usize, index: u32) -> bool {
        self.given.is_some_and(|given| given.brought.contains(&(array, index)))
    }

    fn is_set(&self, array: usize, index: u32) -> bool {
        let Some(given) = self.given else { return true };
        let elements = given.constants.get(array);
        elements.and_then(|e| e.get(index as usize)).copied().unwrap_or(false)
    }

    /// NaN, infinities and denormals.
    pub(super) fn births(&self, out: &mut Gathered) {
        let odds = SpecialLanes::new(self.flow);
        let births = births(self.flow, self.steps, &odds);
        if births.is_empty() {
            return;
        }
        let (ways, taken) = ways(self.flow, &odds, &births);
        // What each one reaches.
        let mut reached: Vec<Vec<String>> = vec![Vec::new(); births.len()];
        for (id, output) in self.flow.shader.outputs.iter().enumerate() {
            for invocation in self.invocations() {
                for lane in 0..4 {
                    let last = self.flow.output(OutputId(id as u32), lane, invocation);
                    let of = last.and_then(|site| taken.get(&site));
                    if let Some(list) = of.and_then(|of| reached.get_mut(*of)) {
                        match list.last_mut().filter(|last| last.starts_with(&format!("{}.", output.name))) {
                            Some(last) if !last.ends_with(words::letter(lane)) && lane > 0 => {
                                last.push(words::letter(lane));
                            }
                            Some(_) => {}
                            None => list.push(format!("{}.{}", output.name, words::letter(lane))),
                        }
                    }
                }
            }
        }
        for number in (0..births.len()).rev() {
            let later: Vec<usize> = ways[number].becomes.iter().copied().collect();
            for end in later.iter().filter_map(|&n| reached.get(n).cloned()).flatten().collect::<Vec<_>>() {
                if !reached[number].contains(&end) {
                    reached[number].push(end);
                }
            }
        }
        // Births of one step and kind are one story; a number that becomes NaN in the same step is part of it.
        let key = |birth: &Birth| (birth.step, birth.written.invocation, birth.odd);
        let mut stories: BTreeMap<(u32, u32, SpecialNumber), Vec<usize>> = BTreeMap::new();
        for (number, birth) in births.iter().enumerate() {
            stories.entry(key(birth)).or_default().push(number);
        }
        for (number, birth) in births.iter().enumerate() {
            let Some(all) = stories.get(&key(birth)).filter(|all| all.first() == Some(&number)) else {
                continue;
            };
            if !self.wants(birth.written.invocation) {
                continue;
            }
            let ended = all.iter().any(|&n| reached.get(n).is_some_and(|ends| !ends.is_empty()));
            let zero = self.is_zero_vector(birth);
            let place = (birth.cause(zero), self.at(birth.step), birth.odd.word());
            let first = self.flow.first + birth.written.invocation as usize;
            let made_up = all.iter().filter_map(|&n| births.get(n)).all(|birth| self.is_made_up(birth.made));
            if out.counts(place, made_up, birth.severity(ended), first) {
                continue;
            }
            let mut ends: Vec<(String, String)> = Vec::new();
            for end in all.iter().flat_map(|&n| reached.get(n).into_iter().flatten()) {
                let (output, lanes) = end.rsplit_once('.').unwrap_or((end, ""));
                match ends.iter_mut().find(|(known, _)| known == output) {
                    Some((_, known)) => known.push_str(lanes),
                    None => ends.push((output.to_owned(), lanes.to_owned())),
                }
            }
            let ends: Vec<String> =
                ends.into_iter().map(|(output, lanes)| format!("{output}.{}", in_order(&lanes))).collect();
            let finding = Finding { made_up, ..self.birth(birth, &births, &ways, all, &ends) };
            out.add(finding, birth.odd.word());
        }
    }

    fn birth(
        &self,
        birth: &Birth,
        births: &[Birth],
        ways: &[Course],
        all: &[usize],
        ends: &[String],
    ) -> Finding {
        let flow = self.flow;
        let operands = self.operands(birth.made, birth.step);
        let op = flow.inst(birth.made.event).map(|inst| inst.op);
        let value = self.number(birth.made);
        let mut operands = operands;
        let zero = self.is_zero_vector(birth);
        let mut how = match op {
            _ if birth.given => {
                operands = Operands::default();
                let names = Names::new(flow, birth.step, birth.made.invocation);
                self.origin(birth.made, birth.step, &names, &mut operands);
                format!("{} comes from outside", birth.odd.word())
            }
            Some(Op::Sample { texture, .. } | Op::Fetch { texture, .. } | Op::Gather { texture, .. }) => {
                let name = flow.shader.textures.get(texture.index()).map_or("a texture", |t| t.name.as_str());
                format!("the texture {name} returns {value}")
            }
            Some(op) => {
                let of = words::operation(op, &operands.values);
                let div = matches!(op, Op::Pure(Pure::Rcp | Pure::Div | Pure::Rsq))
                    && birth.odd == SpecialNumber::Infinite;
                let by_zero = if div { ", a division by zero" } else { "" };
                format!("{of} is {value}{by_zero}")
            }
            None => format!("{value} appears"),
        };
        let culprits: Vec<Site> =
            all.iter().filter_map(|&n| births.get(n)).map(|birth| birth.written).collect();
        let mut trail: Vec<(u32, Station)> = operands.stations;
        let made = self.written(birth.step, &culprits);
        let text = match op {
            Some(op) if !birth.given && !operands.values.is_empty() => {
                format!("{made}: {} is {value}", words::operation(op, &operands.values))
            }
            _ => made,
        };
        trail.push((birth.step, Station { at: self.at(birth.step), role: Role::Culprit, text }));
        // Where it goes, step by step.
        let later = all.iter().filter_map(|&n| ways.get(n)).flat_map(|way| &way.becomes);
        let later: BTreeSet<usize> = later.copied().collect();
        let mut through: BTreeMap<u32, Vec<Site>> = BTreeMap::new();
        let mut lost: BTreeMap<u32, String> = BTreeMap::new();
        for born in later.iter().filter_map(|&n| births.get(n)) {
            if born.written.invocation == birth.written.invocation && born.step > birth.step {
                through.entry(born.step).or_default().push(born.written);
            }
        }
        for way in all.iter().filter_map(|&n| ways.get(n)) {
            for &(event, site) in &way.through {
                if event > birth.step && site.invocation == birth.written.invocation {
                    through.entry(event).or_default().push(site);
                }
            }
            for &site in &way.swallowed {
                let Some(op) = flow.inst(site.event).map(|inst| inst.op) else { continue };
                if let (Some(step), true) =
                    (self.steps.around(site.event), site.invocation == birth.written.invocation)
                {
                    let made_of = flow.made_of(site);
                    let values: Vec<String> = made_of.iter().map(|(s, _)| self.number(*s)).collect();
                    let of = words::operation(op, &values);
                    let bits: Vec<u32> = made_of.iter().map(|(s, _)| flow.bits(*s)).collect();
                    let how = swallowing(op, birth.odd, &bits, flow.bits(site));
                    lost.entry(step)
                        .or_insert_with(|| format!("{of} is {}: this step {how}", self.number(site)));
                }
            }
        }
        let steps: BTreeSet<u32> = through.keys().chain(lost.keys()).copied().collect();
        for event in steps {
            if trail.len() >= LONGEST {
                break;
            }
            let at = self.at(event);
            if let Some(sites) = through.get(&event) {
                let station = Station { at, role: Role::Through, text: self.written(event, sites) };
                // What goes round a loop is told once.
                if trail.iter().all(|(_, told)| *told != station) {
                    trail.push((event, station));
                }
            } else if let Some(text) = lost.get(&event).filter(|_| event != birth.step) {
                trail.push((event, Station { at, role: Role::Swallowed, text: text.clone() }));
            }
        }
        let notes = operands.notes;
        if zero {
            how.insert_str(0, "a vector has length zero: ");
        }
        let becomes = later.iter().any(|&n| births.get(n).is_some_and(|born| born.odd == SpecialNumber::Nan));
        let becomes = if becomes && birth.odd != SpecialNumber::Nan { ", becomes NaN" } else { "" };
        let reach = if ends.is_empty() {
            let how = if lost.is_empty() { "it reaches no output" } else { "it is swallowed" };
            format!("{becomes}, but {how}")
        } else {
            format!("{becomes}, and reaches {}", ends.join(", "))
        };
        trail.sort_by_key(|(event, station)| (*event, station.role != Role::Origin));
        Finding {
            cause: birth.cause(zero),
            severity: birth.severity(!ends.is_empty()),
            made_up: false,
            message: format!("{how}{reach}"),
            at: Some(self.at(birth.step)),
            invocation: Some(flow.first + birth.written.invocation as usize),
            count: 1,
            trail: trail.into_iter().map(|(_, station)| station).collect(),
            notes,
        }
    }

    /// Whether what was born is the reciprocal of the length of a vector of zeros.
    fn is_zero_vector(&self, birth: &Birth) -> bool {
        let inst = self.flow.inst(birth.made.event).filter(|_| !birth.given);
        inst.is_some_and(|inst| zero_length(self.flow, inst.op, birth.made))
    }

    /// The slice of a lane, and a finding if it is not what was expected; none if it is.
    pub(super) fn slice(&self, wanted: &OutputLane, out: &mut Gathered) -> Option<Slice> {
        let invocation = self.only.unwrap_or(0);
        let init = self.flow.shader.outputs.get(wanted.output.index()).map_or([0; 4], |output| output.init);
        let lane = wanted.lane & 3;
        let bits =
            self.flow.output(wanted.output, lane, invocation).map_or(init[lane], |site| self.flow.bits(site));
        let slice = slice(self.flow, self.steps, wanted.output, lane, invocation, bits);
        if let Some(expected) = wanted.expected {
            let got = match slice.scalar {
                Scalar::F32 => f32::from_bits(bits),
                Scalar::I32 => bits as i32 as f32,
                _ => bits as f32,
            };
            let near = (got - expected).abs() <= wanted.tolerance
                || got == expected
                || got.is_nan() && expected.is_nan();
            if near {
                return None;
            }
            let last = slice.steps.iter().rev().find(|step| !step.control);
            let shown = words::number(expected.to_bits(), Scalar::F32);
            out.add(
                Finding {
                    cause: Cause::Unexpected,
                    severity: Severity::Error,
                    made_up: false,
                    message: format!(
                        "{} is {} where {shown} is expected",
                        slice.name,
                        words::number(bits, slice.scalar)
                    ),
                    at: last.map(|step| At { source: step.source, part: step.part }),
                    invocation: Some(slice.invocation),
                    count: 1,
                    trail: Vec::new(),
                    notes: Vec::new(),
                },
                &slice.name,
            );
        }
        Some(slice)
    }
}

/// Each lane once, in order.
fn in_order(lanes: &str) -> String {
    "xyzw".chars().filter(|c| lanes.contains(*c)).collect()
}

/// What a lane that no step computed comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A constant of the application.
    Param { array: usize, index: u32, set: bool },
    /// An input.
    Input { input: usize, set: bool },
    /// A constant of the program.
    Defined,
    /// A register that nobody wrote.
    Nothing,
}

/// The operands of an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Operands {
    pub(super) values: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) stations: Vec<(u32, Station)>,
}

impl Operands {
    /// Adds `r0.x is 1, what`; lanes of one register that are the same stand together.
    fn note(&mut self, name: &str, lane: u8, value: &str, what: &str) {
        let tail = format!(" is {value}{what}");
        let letter = words::letter(lane.into());
        for note in &mut self.notes {
            let head = note.strip_suffix(&tail).and_then(|head| head.rsplit_once('.'));
            let Some((_, lanes)) = head.filter(|(known, _)| *known == name) else { continue };
            if !lanes.contains(letter) {
                *note = format!("{name}.{lanes}{letter}{tail}");
            }
            return;
        }
        self.notes.push(format!("{name}.{letter}{tail}"));
    }
}

/// Whether an operation takes the length of a vector of zeros, as a normalization does.
pub(super) fn zero_length(flow: &Flow<'_>, op: Op, made: Site) -> bool {
    let Op::Pure(Pure::Rsq | Pure::Rcp | Pure::Div) = op else { return false };
    ends_in_squares(flow, made).unwrap_or(false)
}

/// Whether the last operand of a lane is zero, and the sum of the squares of a vector or the root of that.
fn ends_in_squares(flow: &Flow<'_>, made: Site) -> Option<bool> {
    let mut from = flow.made_of(made).last().map(|(site, _)| *site)?;
    for _ in 0..8 {
        if flow.bits(from) << 1 != 0 {
            return Some(false);
        }
        let inst = flow.inst(from.event);
        match inst.map(|inst| inst.op) {
            Some(Op::Pure(Pure::Dot)) => {
                let all = flow.made_of(from);
                let (a, b) = all.split_at(all.len() / 2);
                let squares = a.iter().zip(b).all(|((a, _), (b, _))| a == b);
                return Some(squares);
            }
            Some(Op::Pure(Pure::Sqrt | Pure::Abs | Pure::Max)) => {
                from = flow.made_of(from).first().map(|(site, _)| *site)?;
            }
            _ => from = moved(flow, from, true)?,
        }
    }
    None
}
