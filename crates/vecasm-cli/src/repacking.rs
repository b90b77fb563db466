//! Programs in the place of others: in containers, in texts that carry programs, and in texts that are in containers.

use crate::args::ReadingArgs;
use crate::io::{self, Input, ProgramSelector};
use crate::report::Ctx;
use crate::{Failure, Outcome, load, programs};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use vecasm::CheckOptions;
use vecasm::captures;
use vecasm::container::{
    Address, Budget, Container, Edited, Format, Found, Kind, Limits, break_aliases, check_alias, edit, find,
    fx2, rules, visit, with_comments_of, without_comments,
};
use vecasm::diag::Diagnostic;
use vecasm::ir::Stage;
use vecasm::isa::{AnyProgram, Content, Isa};
use vecasm::open::{self, AssumedNotation, Form, NoHost, Replacement};

/// What a program replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The stage that the container says.
    pub(crate) stage: Option<Stage>,
    /// The bytes that are there.
    pub(crate) bytes: &'a [u8],
}

impl Place<'_> {
    /// The bytes of a program, read from the file of that name, that comes here. One of Direct3D without comments gets those of the
    /// old one, unless comments are to be dropped. A program that the original run time would refuse is warned about.
    pub(crate) fn bytes_of(
        self,
        name: &io::Name,
        program: &AnyProgram,
        drop_comments: bool,
        ctx: &Ctx,
    ) -> Outcome<Vec<u8>> {
        if let Some(stage) = self.stage.filter(|stage| *stage != program.stage()) {
            let (is, was) = (program.stage().name(), stage.name());
            return Err(Failure::usage(format!("{name}: a {is} program in the place of a {was} one")));
        }
        let mut bytes = program.encode();
        if program.isa() == Isa::D3d9 {
            bytes =
                if drop_comments { without_comments(&bytes) } else { with_comments_of(self.bytes, &bytes) };
        }
        load::warn_of_refusal(name, &program.validate(&CheckOptions::default()), ctx);
        Ok(bytes)
    }
}

/// A program that comes into a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewProgram<'a> {
    /// The name of the file that it was read from.
    pub(crate) name: &'a io::Name,
    pub(crate) program: &'a AnyProgram,
    /// Its assembly, if it was read from that.
    pub(crate) text: Option<&'a str>,
}

/// A file whose programs are replaced.
pub(crate) struct Target<'a> {
    input: &'a Input,
    /// Its bytes, in the encoding that a text has.
    raw: &'a [u8],
    reading: &'a ReadingArgs,
    /// The container, if it is one.
    container: Option<Container<'a>>,
    /// The programs of a text.
    carried: Vec<Input>,
    /// The programs of texts in a container, by their entries, as far as somebody asked for them.
    texts: RefCell<BTreeMap<Address, Rc<[Input]>>>,
    /// The defaults that were set: the address of the effect, empty for the file itself, the parameter, the numbers.
    pub(crate) defaults: Vec<(String, String, Vec<f64>)>,
}

/// Where something in a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// An entry of a container.
    Entry(Address),
    /// A program of a text, from 0, and the entry that the text is, if it is in a container.
    Text(Option<Address>, usize),
}

/// Something in a file that may be replaced.
#[derive(Clone, Debug)]
pub(crate) struct Occupant {
    pub(crate) seat: Seat,
    /// Its whole address.
    pub(crate) address: String,
    /// What it is, if it is an entry of its own.
    kind: Option<Kind>,
    /// The instruction set, if it is a program; its file is taken as it is otherwise.
    pub(crate) isa: Option<Isa>,
    pub(crate) stage: Option<Stage>,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is a program that is a file in a container, as assembly.
    pub(crate) is_text: bool,
    /// Whether it is assembly in a text, which has no comments of bytecode.
    is_listed: bool,
}

impl Occupant {
    /// Whether what comes in its place may be the content of that file: a program in the place of one, a container in that of one of
    /// its kind, a choice in that of a choice.
    fn takes(&self, new: &Input, bytes: &[u8]) -> bool {
        match self.kind.as_ref().filter(|_| self.isa.is_none()) {
            None => true,
            Some(Kind::Container(format)) => Format::of(bytes) == Some(*format),
            Some(Kind::Selector) => {
                let expression = fx2::selector(bytes).and_then(|(_, at)| bytes.get(at..at + 4));
                expression.is_some_and(is_expression)
            }
            // Of a text that is no program any other may come.
            Some(Kind::File) => !matches!(new.content(), Some(Content::Binary(_))),
            Some(_) => new.content().is_none() && Format::of(bytes).is_none(),
        }
    }
}

/// Whether bytes begin as an expression of an effect.
fn is_expression(bytes: &[u8]) -> bool {
    let word = bytes.get(..4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    word.is_some_and(|word| word >> 16 == EXPRESSION)
}

/// The upper half of the version word of expressions.
const EXPRESSION: u32 = 0x4658;

/// What comes in the place of something.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) seat: Seat,
    pub(crate) bytes: Vec<u8>,
    /// The assembly of a program that came as text.
    pub(crate) text: Option<String>,
}

impl<'a> Target<'a> {
    /// A container, or a text with programs. `raw` are the bytes of the file.
    pub(crate) fn of(input: &'a Input, raw: &'a [u8], reading: &'a ReadingArgs, ctx: &Ctx) -> Outcome<Self> {
        if programs::is_container(input, reading) {
            let mut budget = Budget::new(reading.open.limits);
            let container = Container::read(input.bytes(), &mut budget)
                .map_err(|finding| refused(finding, input, ctx))?;
            return Ok(Self {
                input,
                raw,
                reading,
                container: Some(container),
                carried: Vec::new(),
                texts: RefCell::default(),
                defaults: Vec::new(),
            });
        }
        let carried = programs::carried(input, reading);
        if carried.is_empty() {
            return Err(Failure::usage(format!(
                "{}: this is no container, and no text with programs in it",
                input.name
            )));
        }
        Ok(Self {
            input,
            raw,
            reading,
            container: None,
            carried,
            texts: RefCell::default(),
            defaults: Vec::new(),
        })
    }

    /// The same with programs of their own for static combos of the Source engine that are the same as others, where an address names one:
    /// without leave that is an error.
    pub(crate) fn with_own(mut self, typed: &[&str], may: bool, ctx: &Ctx) -> Outcome<Self> {
        let Some(container) = &self.container else { return Ok(self) };
        let fail = |finding: Diagnostic| refused(finding, self.input, ctx);
        let mut budget = Budget::new(self.limits());
        let mut addresses = Vec::new();
        for address in typed.iter().map(|address| Address::parse(address)) {
            match check_alias(container, &address, &mut budget) {
                Err(finding) if finding.id != rules::ALIAS.id => {
                    // What cannot be found is told where it is looked for.
                }
                Err(finding) if !may => return Err(fail(finding)),
                _ => addresses.push(address),
            }
        }
        if !may {
            return Ok(self);
        }
        if let Some(bytes) = break_aliases(container, &addresses, &mut budget).map_err(fail)? {
            self.container = Some(Container::read(bytes, &mut budget).map_err(fail)?);
        }
        Ok(self)
    }

    /// The same with other defaults of parameters of effects: `[ADDRESS::]NAME=NUMBERS`.
    pub(crate) fn with_defaults(mut self, defaults: &[String], ctx: &Ctx) -> Outcome<Self> {
        for text in defaults {
            let Some(container) = &self.container else {
                return Err(Failure::usage(format!(
                    "{}: only effects have parameters to --set",
                    self.input.name
                )));
            };
            let fail = |finding: Diagnostic| refused(finding, self.input, ctx);
            let (name, numbers) = text
                .rsplit_once('=')
                .and_then(|(name, numbers)| Some((name, numbers_of(numbers)?)))
                .ok_or_else(|| {
                    Failure::usage(format!("--set {text}: expected NAME=NUMBER, or NAME=NUMBER,…"))
                })?;
            let (above, name) = match name.rsplit_once("::") {
                Some((above, name)) => (Some(Address::parse(above)), name),
                None => (self.only_effect(container)?, name),
            };
            let mut budget = Budget::new(self.limits());
            let set = |file: &[u8]| fx2::with_default(file, name, &numbers, self.limits());
            let bytes = match &above {
                None => set(container.file()).map_err(fail)?,
                Some(address) => {
                    // A container around the only effect in it need not be followed by the name of that.
                    let found = find(container, address, &mut budget, &mut |found| {
                        let inner = match found.entry.kind {
                            Kind::Container(Format::Fx2) => Some(Ok(None)),
                            Kind::Container(_) => {
                                let inner =
                                    found.container.open(found.entry, &mut Budget::new(self.limits()));
                                inner.ok().map(|inner| self.only_effect(&inner))
                            }
                            _ => None,
                        };
                        (found.address.clone(), inner)
                    });
                    let (found, inner) = found.map_err(fail)?;
                    let Some(inner) = inner else {
                        return Err(Failure::usage(format!(
                            "--set {text}: {address} is no effect of Direct3D 9"
                        )));
                    };
                    let address = inner?
                        .iter()
                        .flat_map(Address::parts)
                        .fold(found, |address, part| address.join(part));
                    let new = find(container, &address, &mut budget, &mut |found| set(found.bytes));
                    let new = new.and_then(|new| new).map_err(fail)?;
                    edit(container, &[(address, new)], &mut budget).map_err(fail)?.bytes
                }
            };
            ctx.tell(&format!(
                "{name}: {}",
                numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
            ));
            self.defaults.push((
                above.map_or_else(String::new, |above| above.to_string()),
                name.into(),
                numbers.clone(),
            ));
            self.container = Some(Container::read(bytes, &mut budget).map_err(fail)?);
        }
        Ok(self)
    }

    /// Where the only effect of a container is; `None` if the container is that.
    fn only_effect(&self, container: &Container<'_>) -> Outcome<Option<Address>> {
        if container.format() == Format::Fx2 {
            return Ok(None);
        }
        let mut effects = Vec::new();
        let _ = visit::<()>(
            container,
            &mut Budget::new(self.limits()),
            &mut |found| {
                if found.entry.kind == Kind::Container(Format::Fx2) {
                    effects.push(found.address.clone());
                }
                ControlFlow::Continue(())
            },
            &mut |_, _| {},
        );
        match effects.len() {
            1 => Ok(effects.pop()),
            0 => Err(Failure::usage(format!("{}: there is no effect of Direct3D 9 in it", self.input.name))),
            _ => {
                let names: Vec<String> = effects.iter().map(Address::to_string).collect();
                Err(Failure::usage(format!(
                    "{}: {} effects; say which one has the parameter, {}::NAME=…: {}",
                    self.input.name,
                    effects.len(),
                    names[0],
                    names.join(", ")
                )))
            }
        }
    }

    /// What is at an address, which may be the number of a program.
    pub(crate) fn find(&self, address: &str, ctx: &Ctx) -> Outcome<Occupant> {
        self.found(address)?.map_err(|finding| refused(finding, self.input, ctx))
    }

    /// What is at an address and can be replaced by the content of a file: what the address names, else the one program that it
    /// leads to.
    pub(crate) fn find_for(&self, address: &str, new: &Input, bytes: &[u8], ctx: &Ctx) -> Outcome<Occupant> {
        let found = self.found(address)?;
        if matches!(&found, Ok(old) if old.takes(new, bytes)) || self.container.is_none() {
            return found.map_err(|finding| refused(finding, self.input, ctx));
        }
        let asked = self.input.clone().chosen_by(Some(ProgramSelector::Address(address.into())));
        let meant = programs::all(asked, self.reading).unwrap_or_default();
        match (&meant[..], found) {
            ([one], _) if one.piece().is_some() => {
                let address = one.piece().map_or_else(String::new, open::Piece::address_in_file);
                self.find(&address, ctx)
            }
            ([_, _, ..], Ok(_)) => Err(programs::several(self.input, &meant)),
            ([_, _, ..], Err(finding)) if finding.id == rules::ADDRESS.id => {
                Err(programs::several(self.input, &meant))
            }
            (_, Ok(old)) => {
                let what = match &old.kind {
                    Some(Kind::Foreign(what)) => what,
                    kind => kind.as_ref().map_or("data", Kind::title),
                };
                let message = format!("{} is {what}, which {} cannot replace", old.address, new.name);
                Err(refused(rules::FIT.finding(message), self.input, ctx))
            }
            (_, Err(finding)) => Err(refused(finding, self.input, ctx)),
        }
    }

    /// What is at an address, or that nothing is.
    fn found(&self, address: &str) -> Outcome<Result<Occupant, Diagnostic>> {
        let Some(container) = &self.container else {
            self.refuse_blob(address)?;
            return self.carried_old(None, &self.carried, address).map(Ok).ok_or_else(|| {
                let message = format!("{}: no program {address}; `vecasm info` lists them", self.input.name);
                Failure::usage(message)
            });
        };
        let mut budget = Budget::new(self.limits());
        let found = find(container, &Address::parse(address), &mut budget, &mut |found| {
            let isa = match found.entry.kind {
                Kind::Stream(isa) => Some(isa),
                Kind::Expression => Some(Isa::D3d9),
                _ => None,
            };
            let text = text_of(found);
            let (address, stage, bytes) = (found.address.clone(), found.entry.stage, found.bytes.to_vec());
            (
                Occupant {
                    address: address.to_string(),
                    seat: Seat::Entry(address.clone()),
                    kind: Some(found.entry.kind.clone()),
                    isa,
                    stage,
                    bytes,
                    is_text: false,
                    is_listed: false,
                },
                address,
                text,
            )
        });
        // A text that carries one program is edited, and not replaced.
        if let Ok((_, entry, Some(text))) = &found {
            let carried = self.carried_in(entry.clone(), text);
            if carried.len() > 1 {
                let names: Vec<&str> = carried.iter().map(|one| one.name.raw()).collect();
                return Err(Failure::usage(format!(
                    "{}: {entry} has {} programs; choose one: {}",
                    self.input.name,
                    names.len(),
                    names.join(", ")
                )));
            }
            if let Some(old) = self.carried_old(Some(entry.clone()), &carried, "1") {
                return Ok(Ok(old));
            }
        }
        Ok(match found {
            Ok((old, _, Some(text))) => Ok(self.of_file(old, &text)),
            Ok((old, ..)) => Ok(old),
            Err(finding) => self.in_text(container, address).ok_or(finding),
        })
    }

    /// Fails if an address is that of a program which a dump of apitrace has in a file of its own.
    fn refuse_blob(&self, address: &str) -> Outcome {
        let [index] = open::indices_at(self.carried.iter().map(|one| one.piece()), address)[..] else {
            return Ok(());
        };
        let piece = self.carried[index].piece().filter(|piece| piece.is_own());
        let Some(step) = piece.map(open::Piece::step) else { return Ok(()) };
        let blobs = self.input.text().map(captures::blobs).unwrap_or_default();
        let file = blobs.into_iter().find(|(call, _)| step == format!("call{call}"));
        let file = file.map_or_else(|| "a file".into(), |(_, file)| io::shown(file).to_string());
        Err(Failure::usage(format!(
            "{}: {step} is not in this text: its program is the file {file} beside it, which `vecasm asm NEW -o {file}` writes",
            self.input.name
        )))
    }

    /// A file in a container that is one program, as that.
    fn of_file(&self, old: Occupant, text: &open::Input) -> Occupant {
        let options = self.reading.options(AssumedNotation::Text);
        let Some(isa) = text.isa() else { return old };
        let is_text = matches!(text.form(&options), Ok(Form::Text));
        // What is damaged may be replaced all the same.
        let stage = text.read(&options, &mut NoHost).ok().map(|program| program.stage());
        Occupant { isa: Some(isa), stage, is_text, ..old }
    }

    fn limits(&self) -> Limits {
        self.reading.open.limits
    }

    /// A program of a text in a container.
    fn in_text(&self, container: &Container<'_>, address: &str) -> Option<Occupant> {
        let (above, name) =
            Address::parse(address).split_last().map(|(above, name)| (above, name.to_string()))?;
        let known = self.texts.borrow().get(&above).cloned();
        if let Some(carried) = known {
            return self.carried_old(Some(above), &carried, &name);
        }
        let mut budget = Budget::new(self.limits());
        let (entry, text) =
            find(container, &above, &mut budget, &mut |found| (found.address.clone(), text_of(found)))
                .ok()?;
        self.carried_old(Some(entry.clone()), &self.carried_in(entry, &text?), &name)
    }

    /// The programs of a text in a container.
    fn carried_in(&self, entry: Address, text: &open::Input) -> Rc<[Input]> {
        let carried = text.carried(&self.reading.options(AssumedNotation::Text));
        let carried: Rc<[Input]> = carried.into_iter().map(|piece| self.input.of_piece(piece)).collect();
        self.texts.borrow_mut().insert(entry, carried.clone());
        carried
    }

    /// The program of a text that a name or a number means.
    fn carried_old(&self, entry: Option<Address>, carried: &[Input], address: &str) -> Option<Occupant> {
        let number =
            address.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|n| *n < carried.len());
        let index =
            number.or_else(|| match *open::indices_at(carried.iter().map(|one| one.piece()), address) {
                [index] => Some(index),
                _ => None,
            })?;
        let one = carried.get(index)?;
        let program = one.read(&self.reading.options(AssumedNotation::Text), &mut NoHost).ok()?;
        let step = one.piece()?.step();
        let whole = entry.as_ref().map_or_else(|| step.clone(), |entry| entry.join(&step).to_string());
        Some(Occupant {
            seat: Seat::Text(entry, index),
            address: whole,
            kind: None,
            is_text: false,
            is_listed: matches!(one.form(&self.reading.options(AssumedNotation::Text)), Ok(Form::Text)),
            isa: Some(program.isa()),
            stage: Some(program.stage()),
            bytes: program.encode(),
        })
    }

    /// What a program becomes in the place of something.
    pub(crate) fn change(
        &self,
        old: &Occupant,
        new: NewProgram<'_>,
        drop_comments: bool,
        ctx: &Ctx,
    ) -> Outcome<Change> {
        if let Some(isa) = old.isa.filter(|isa| *isa != new.program.isa()) {
            let (is, was) = (new.program.isa().name(), isa.name());
            return Err(Failure::usage(format!(
                "{}: a program of {is} in the place of one of {was}",
                new.name
            )));
        }
        if matches!(old.kind, Some(Kind::Expression)) != is_expression(&new.program.encode()) {
            let (is, was) = match old.kind {
                Some(Kind::Expression) => ("a program", "an expression"),
                _ => ("an expression", "a program"),
            };
            return Err(Failure::usage(format!("{}: {is} in the place of {was}", new.name)));
        }
        let place = Place { stage: old.stage, bytes: &old.bytes };
        let mut bytes = place.bytes_of(new.name, new.program, drop_comments || old.is_listed, ctx)?;
        if old.is_text {
            let dialect = new.program.isa().dialects().first().copied().unwrap_or_default();
            bytes = match (new.text, new.program.say(dialect)) {
                (Some(text), _) => open::encode_like(&old.bytes, text),
                (None, Some(Ok(text))) => open::encode_like(&old.bytes, &text),
                _ => return Err(Failure::usage(format!("{}: this program has no text", new.name))),
            };
        }
        Ok(Change { seat: old.seat.clone(), bytes, text: new.text.map(String::from) })
    }

    /// The file with the changes, and what there is to say of it.
    pub(crate) fn with(&self, changes: &[Change], ctx: &Ctx) -> Outcome<(Vec<u8>, Vec<Diagnostic>)> {
        let fail = |finding: Diagnostic| refused(finding, self.input, ctx);
        if changes.is_empty() && self.container.is_none() {
            return Ok((self.raw.to_vec(), Vec::new()));
        }
        let mut entries: Vec<(Address, Vec<u8>)> = Vec::new();
        let mut texts: BTreeMap<Option<Address>, Vec<Replacement>> = BTreeMap::new();
        for change in changes {
            match &change.seat {
                Seat::Entry(address) => entries.push((address.clone(), change.bytes.clone())),
                Seat::Text(entry, index) => {
                    let new = Replacement::new(*index, change.bytes.clone()).with_text(change.text.clone());
                    texts.entry(entry.clone()).or_default().push(new);
                }
            }
        }
        let options = self.reading.options(AssumedNotation::Text);
        let Some(container) = &self.container else {
            let new = texts.remove(&None).unwrap_or_default();
            self.refuse_encoding(self.input, self.raw)?;
            let text = self.input.with_programs(&new, &options).map_err(fail)?;
            if text.contains("#if 0") {
                ctx.tell(&format!(
                    "vecasm: note: {}: listings in it stay those of the old programs",
                    self.input.name
                ));
            }
            let bytes = open::encode_like(self.raw, &text);
            return Ok((bytes, Vec::new()));
        };
        let mut budget = Budget::new(self.limits());
        for (entry, new) in texts {
            let Some(entry) = entry else { continue };
            let found =
                find(container, &entry, &mut budget, &mut |found| (text_of(found), found.bytes.to_vec()));
            let (Some(text), raw) = found.map_err(fail)? else { continue };
            self.refuse_encoding(&text, &raw)?;
            let text = text.with_programs(&new, &options).map_err(fail)?;
            entries.push((entry, open::encode_like(&raw, &text)));
        }
        let mut budget = Budget::new(self.limits());
        let Edited { bytes, findings, .. } = edit(container, &entries, &mut budget).map_err(fail)?;
        Ok((bytes, findings))
    }

    /// Fails if a text, which was read of these bytes, cannot be written as they are.
    fn refuse_encoding(&self, text: &open::Input, raw: &[u8]) -> Outcome {
        // What is no text is refused where it is written.
        if std::str::from_utf8(text.bytes()).is_ok_and(|text| open::encode_like(raw, text) != raw) {
            return Err(Failure::usage(format!(
                "{}: a text that is not in UTF-8 or UTF-16, or has the colours of a terminal, is read and not written",
                self.input.name
            )));
        }
        Ok(())
    }
}

/// The text that something in a container is.
fn text_of(found: &Found<'_>) -> Option<open::Input> {
    let name = found.entry.file_name();
    let text = || open::Input::new(found.address.to_string(), name, open::plain(found.bytes.to_vec()));
    matches!(found.entry.kind, Kind::File).then(text)
}

/// Numbers in a row, with brackets around them and without: `1`, `0,0.5,1`, `[[1, 0], [0, 1]]`.
fn numbers_of(text: &str) -> Option<Vec<f64>> {
    let plain: String = text.chars().filter(|c| !matches!(c, '[' | ']') && !c.is_whitespace()).collect();
    let number = |word: &str| match word {
        "true" => Some(1.0),
        "false" => Some(0.0),
        word => word.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    plain.split(',').map(number).collect()
}

/// The text of an input that is one program in assembly.
pub(crate) fn assembly_of<'a>(input: &'a Input, reading: &ReadingArgs) -> Option<&'a str> {
    let is_text = matches!(input.form(&reading.options(AssumedNotation::Bytes)), Ok(Form::Text));
    // What a preprocessor reads is no text for others.
    let is_text = is_text
        && input.text().is_ok_and(|text| !text.lines().any(|line| line.trim_start().starts_with('#')));
    (is_text && input.piece().is_none()).then(|| input.text().ok()).flatten()
}

/// Reports why a file is not changed.
pub(crate) fn refused(finding: Diagnostic, input: &Input, ctx: &Ctx) -> Failure {
    ctx.report(&[finding], input.renderer());
    Failure::Shader
}

/// That one entry is to be replaced twice.
pub(crate) fn ambiguous(first: &str, second: &str, address: &str) -> Diagnostic {
    rules::AMBIGUOUS.finding(format!("{first} and {second} are one entry, {address}, edited twice"))
}
