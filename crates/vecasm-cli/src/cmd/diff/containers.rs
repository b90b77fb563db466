//! Two containers, entry by entry.

use super::says::StatedDifference;
use super::show::{self, ProgramComparison};
use super::{Args, NamedContainer, matching, says};
use crate::args::ReadingArgs;
use crate::io::{self, Input};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, programs};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;
use vecasm::container::{Address, Budget, Container, Entry, Kind, Part};
use vecasm::diag::{Diagnostic, Source, printable_line};
use vecasm::open::{AssumedNotation, Notation};

/// Pairs of instructions that are looked at in all, of which one pair of programs takes at most `MOST_OF_ONE`; after them
/// programs are only told to differ.
const MOST_PAIRS: usize = 1 << 25;
const MOST_OF_ONE: usize = 1 << 23;

/// What may still be compared.
pub(super) struct Effort(usize);

impl Effort {
    pub(super) const fn new() -> Self {
        Self(MOST_PAIRS)
    }

    /// Whether two programs may be compared, which is counted.
    pub(super) fn take(&mut self, a: &Loaded, b: &Loaded) -> bool {
        let pairs = a.program.instruction_count().saturating_mul(b.program.instruction_count());
        let left = self.0.checked_sub(pairs.min(MOST_OF_ONE));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// What differs between two containers.
struct Item {
    /// The address on each side.
    addresses: [Option<String>; 2],
    what: ItemKind,
}

enum ItemKind {
    /// Something that is no entry.
    Statement(StatedDifference),
    /// An entry that both have.
    Entry { kinds: [String; 2], sizes: [usize; 2], content: Content },
    /// An entry that only one side has: the side, what it is, its size.
    Only { side: usize, kind: String, size: usize },
}

enum Content {
    /// A program.
    Program(Box<ProgramComparison>),
    /// Programs that are not compared: there is too much.
    TooMuch,
    /// No program.
    Data,
    /// What cannot be read, and why.
    Unread(String),
}

impl Item {
    /// Whether it makes the containers different.
    fn counts(&self) -> bool {
        match &self.what {
            ItemKind::Statement(said) => said.counts,
            ItemKind::Entry { content: Content::Program(compared), .. } => !compared.is_same(),
            ItemKind::Entry { .. } | ItemKind::Only { .. } => true,
        }
    }

    fn address(&self) -> &str {
        self.addresses.iter().flatten().next().map_or("", |address| address)
    }
}

/// How many entries are what.
#[derive(Clone, Copy, Default)]
struct Counts {
    all: usize,
    changed: usize,
    only: [usize; 2],
    /// Programs that are the same but for names and comments.
    alike: usize,
    same: usize,
}

impl Counts {
    fn line(&self) -> String {
        let plural = if self.all == 1 { "entry" } else { "entries" };
        let alike = match self.alike {
            0 => String::new(),
            n => format!(", {n} the same but for names or comments"),
        };
        let [first, second] = self.only;
        format!(
            "{} {plural}: {} changed, {first} only in the first, {second} only in the second{alike}, {} the same",
            self.all, self.changed, self.same
        )
    }
}

pub(super) fn run(args: &Args, ctx: &Ctx, wholes: [&NamedContainer; 2]) -> Outcome {
    if wholes[0].bytes == wholes[1].bytes {
        let size = wholes[0].bytes.len();
        return io::print(&if args.is_text(ctx) {
            format!("the files are the same: {size} bytes\n")
        } else {
            format!("{}\n", to_json(wholes, true, &[], None))
        });
    }
    let mut walk = Walk::new(args, wholes.map(|whole| whole.name.as_str()));
    let [mut first, mut second] = [Budget::new(args.reading.open.limits); 2];
    let a = read(wholes[0], &mut first, ctx)?;
    let b = read(wholes[1], &mut second, ctx)?;
    walk.budgets = [first, second];
    walk.containers([&a, &b], [&Address::default(), &Address::default()]);
    let counts = walk.counts;
    let differ = walk.items.iter().any(Item::counts);
    let text = if args.is_text(ctx) {
        let mut out = String::new();
        for item in &walk.items {
            put(&mut out, args, ctx, walk.names, item);
        }
        let beside = walk.items.iter().filter(|item| matches!(item.what, ItemKind::Statement(_))).count();
        let beside = match beside {
            0 => String::new(),
            1 => "; 1 difference beside them".into(),
            n => format!("; {n} differences beside them"),
        };
        let _ = writeln!(out, "{}{beside}", counts.line());
        if walk.items.is_empty() {
            let _ = writeln!(out, "what is in them is the same; other bytes of the files differ");
        }
        out
    } else {
        format!("{}\n", to_json(wholes, !differ, &walk.items, Some(counts)))
    };
    io::print(&text)?;
    if differ { Err(Failure::Shader) } else { Ok(()) }
}

/// Reads a container; what is wrong with it is reported.
pub(super) fn read<'a>(whole: &'a NamedContainer, budget: &mut Budget, ctx: &Ctx) -> Outcome<Container<'a>> {
    Container::read(&*whole.bytes, budget).map_err(|finding| {
        ctx.report(&[finding], Source { name: &whole.name, text: None });
        Failure::Shader
    })
}

/// Goes through both containers.
struct Walk<'a> {
    args: &'a Args,
    names: [&'a str; 2],
    budgets: [Budget; 2],
    effort: Effort,
    items: Vec<Item>,
    counts: Counts,
}

impl<'a> Walk<'a> {
    fn new(args: &'a Args, names: [&'a str; 2]) -> Self {
        let budgets = [Budget::new(args.reading.open.limits); 2];
        Self { args, names, budgets, effort: Effort::new(), items: Vec::new(), counts: Counts::default() }
    }

    fn containers(&mut self, sides: [&Container<'_>; 2], above: [&Address; 2]) {
        let [a, b] = sides.map(Container::entries);
        let pairs = matching::entries(a, b);
        for said in says::of(sides[0], sides[1], &pairs) {
            let addresses = above.map(|above| Some(above.to_string()));
            self.items.push(Item { addresses, what: ItemKind::Statement(said) });
        }
        for (x, y) in pairs {
            match (x, y) {
                (Some(x), Some(y)) => self.pair(sides, [&a[x], &b[y]], above),
                (one, other) => {
                    let side = usize::from(one.is_none());
                    let Some(entry) = one.or(other).map(|n| &sides[side].entries()[n]) else { continue };
                    self.counts.all += 1;
                    self.counts.only[side] += 1;
                    let mut addresses = [None, None];
                    addresses[side] = Some(above[side].join(&entry.address).to_string());
                    let what = ItemKind::Only { side, kind: kind_of(entry), size: entry.size() };
                    self.items.push(Item { addresses, what });
                }
            }
        }
    }

    /// Compares an entry of both.
    fn pair(&mut self, sides: [&Container<'_>; 2], entries: [&Entry; 2], above: [&Address; 2]) {
        let own = [0, 1].map(|side| above[side].join(&entries[side].address));
        let alike = entries[0].kind == entries[1].kind;
        if alike && is_packed_alike(sides, entries) {
            self.counts.all += 1;
            self.counts.same += 1;
            return;
        }
        let bytes = [0, 1].map(|side| sides[side].bytes(entries[side], &mut self.budgets[side]));
        let bytes = match bytes {
            [Ok(a), Ok(b)] => [a, b],
            [a, b] => {
                let why = a.err().or_else(|| b.err()).map_or_else(String::new, |finding| finding.message);
                return self.differs(&own, entries, Content::Unread(why));
            }
        };
        if alike && bytes[0] == bytes[1] {
            self.counts.all += 1;
            self.counts.same += 1;
            return;
        }
        match (&entries[0].kind, &entries[1].kind) {
            (Kind::Container(_), Kind::Container(_)) => {
                let [first, second] = &mut self.budgets;
                let inner = [sides[0].open(entries[0], first), sides[1].open(entries[1], second)];
                match inner {
                    [Ok(a), Ok(b)] => self.containers([&a, &b], [&own[0], &own[1]]),
                    [a, b] => {
                        let why =
                            a.err().or_else(|| b.err()).map_or_else(String::new, |finding| finding.message);
                        self.differs(&own, entries, Content::Unread(why));
                    }
                }
            }
            _ => self.programs(&own, entries, bytes),
        }
    }

    /// Compares what may be programs.
    fn programs(&mut self, own: &[Address; 2], entries: [&Entry; 2], bytes: [Cow<'_, [u8]>; 2]) {
        let mut loaded: Vec<Loaded> = Vec::new();
        for side in [0, 1] {
            let name = format!("{}::{}", self.names[side], own[side]);
            match program(name, entries[side], &bytes[side], &self.args.reading) {
                Some(Ok(program)) => loaded.push(program),
                Some(Err(why)) => return self.differs(own, entries, Content::Unread(why)),
                None => return self.differs(own, entries, Content::Data),
            }
        }
        let [a, b] = &loaded[..] else { return };
        if !self.effort.take(a, b) {
            return self.differs(own, entries, Content::TooMuch);
        }
        let content = ProgramComparison::of(a, b, self.args.rename)
            .map_or(Content::Data, |compared| Content::Program(Box::new(compared)));
        self.differs(own, entries, content);
    }

    fn differs(&mut self, own: &[Address; 2], entries: [&Entry; 2], content: Content) {
        let what = ItemKind::Entry { kinds: entries.map(kind_of), sizes: entries.map(Entry::size), content };
        let item = Item { addresses: [0, 1].map(|side| Some(own[side].to_string())), what };
        self.counts.all += 1;
        if item.counts() {
            self.counts.changed += 1;
        } else {
            self.counts.alike += 1;
        }
        self.items.push(item);
    }
}

/// Whether two entries are packed to the same bytes, so that they are the same without being unpacked.
pub(super) fn is_packed_alike(sides: [&Container<'_>; 2], [a, b]: [&Entry; 2]) -> bool {
    match (&a.part, &b.part) {
        (Part::Packed { range: x, size: n, codec: c }, Part::Packed { range: y, size: m, codec: d }) => {
            n == m && c == d && sides[0].file().get(x.clone()) == sides[1].file().get(y.clone())
        }
        _ => false,
    }
}

/// What an entry is, in words.
pub(super) fn kind_of(entry: &Entry) -> String {
    match &entry.kind {
        Kind::Stream(isa) => match entry.version {
            Some(version) => {
                let program = vecasm::isa::d3d9::bytes::decode_lossless(&version.to_le_bytes());
                vecasm::isa::AnyProgram::from(program).model()
            }
            None => isa.title().into(),
        },
        Kind::Container(format) => format.title().into(),
        Kind::Foreign(what) => what.to_string(),
        kind => kind.name().into(),
    }
}

/// The program that an entry is; `None` if it is none, or of another instruction set than is asked for, and an error if it cannot
/// be read.
pub(super) fn program(
    name: String,
    entry: &Entry,
    bytes: &[u8],
    reading: &ReadingArgs,
) -> Option<Result<Loaded, String>> {
    let asked = reading.open.isa;
    let mut reading = reading.clone();
    match entry.kind {
        Kind::Stream(isa) => reading.open = reading.open.with_isa(isa).with_notation(Notation::Binary),
        Kind::File => {}
        _ => return None,
    }
    let plain = match entry.kind {
        Kind::File => vecasm::open::plain(bytes.to_vec()),
        _ => bytes.to_vec(),
    };
    let input = Input::new(name, entry.file_name().map(PathBuf::from), plain);
    // Of several programs in a text all count.
    let isa = if let Kind::Stream(isa) = entry.kind { Some(isa) } else { input.isa() };
    let is_one = isa.is_some_and(|isa| asked.is_none_or(|asked| asked == isa))
        && (entry.kind != Kind::File || programs::count(&input, &reading) == 1);
    if !is_one {
        return None;
    }
    let why = |findings: Vec<Diagnostic>| findings.first().map_or_else(String::new, ToString::to_string);
    Some(match load::read(input, &reading, AssumedNotation::Bytes) {
        Ok(Ok(loaded)) => Ok(loaded),
        Ok(Err((_, findings))) => Err(why(findings)),
        Err(failure) => Err(failure.to_string()),
    })
}

/// Appends what there is to say about an item.
fn put(out: &mut String, args: &Args, ctx: &Ctx, names: [&str; 2], item: &Item) {
    let address = printable_line(item.address());
    let front = if address.is_empty() { String::new() } else { format!("{address}: ") };
    let mut line = |text: &str| {
        let _ = writeln!(out, "{front}{}", printable_line(text));
    };
    let (kinds, sizes, content) = match &item.what {
        ItemKind::Statement(said) => return line(&said.line()),
        ItemKind::Only { side, kind, size } => {
            let which = ["first", "second"][*side];
            return line(&format!("only in the {which} ({kind}, {size} bytes)"));
        }
        ItemKind::Entry { kinds, sizes, content } => (kinds, sizes, content),
    };
    let [a, b] = kinds;
    let is = if a == b { a.clone() } else { format!("{a} → {b}") };
    let [before, after] = sizes;
    let bytes = if before == after {
        format!("{before} bytes, of which some differ")
    } else {
        format!("{before} → {after} bytes")
    };
    match content {
        Content::Data => line(&format!("{is}, {bytes}")),
        Content::Unread(why) => line(&format!("{is}, {bytes}; it cannot be read: {why}")),
        Content::TooMuch => {
            line(&format!("{is}, {bytes}; too much differs to show all: `vecasm diff` of this address does"));
        }
        Content::Program(compared) if args.stat || compared.found.is_same() => {
            let mut lines = compared.beside();
            if !compared.found.is_same() {
                lines.insert(0, compared.counts());
            } else if lines.is_empty() {
                lines.push(show::UNSEEN.into());
            }
            for text in lines {
                line(&text);
            }
        }
        Content::Program(compared) => {
            let full = [0, 1].map(|side| {
                format!("{}::{}", names[side], item.addresses[side].as_deref().unwrap_or_default())
            });
            out.push_str(&show::text(args, ctx, [&full[0], &full[1]], compared));
        }
    }
}

fn to_json(wholes: [&NamedContainer; 2], same: bool, items: &[Item], counts: Option<Counts>) -> Value {
    let (mut entries, mut says) = (Vec::new(), Vec::new());
    for item in items {
        let [a, b] = &item.addresses;
        match &item.what {
            ItemKind::Statement(said) => says.push(json!({
                "address": a, "what": said.what, "a": said.values[0], "b": said.values[1],
            })),
            ItemKind::Only { side, kind, size } => {
                let change = ["removed", "added"][*side];
                let mut bytes = [None, None];
                bytes[*side] = Some(size);
                entries.push(json!({ "change": change, "a": a, "b": b, "what": kind, "bytes": bytes }));
            }
            ItemKind::Entry { kinds, sizes, content } => {
                let mut entry = Map::new();
                let change = if item.counts() { "changed" } else { "alike" };
                entry.insert("change".into(), change.into());
                entry.insert("a".into(), json!(a));
                entry.insert("b".into(), json!(b));
                entry.insert("what".into(), json!(kinds[1]));
                entry.insert("bytes".into(), json!(sizes));
                match content {
                    Content::Program(compared) => {
                        entry.insert("program".into(), Value::Object(show::to_json(compared)));
                    }
                    Content::Unread(why) => {
                        entry.insert("error".into(), why.as_str().into());
                    }
                    Content::TooMuch | Content::Data => {}
                }
                entries.push(Value::Object(entry));
            }
        }
    }
    let counts = counts.map(|counts| {
        json!({
            "entries": counts.all,
            "changed": counts.changed,
            "removed": counts.only[0],
            "added": counts.only[1],
            "alike": counts.alike,
            "same": counts.same,
        })
    });
    json!({
        "same": same,
        "identical": wholes[0].bytes == wholes[1].bytes,
        "a": wholes[0].name,
        "b": wholes[1].name,
        "counts": counts,
        "says": says,
        "entries": entries,
    })
}
