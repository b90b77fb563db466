//! What checks are made of: files, their rows, and reports of what became of them.
//!
//! A check reads its files and *plans* rows: it names them and says how each is evaluated, but evaluates none. So rows can be
//! listed, chosen by name, and evaluated in any order on any thread; reports are merged in the order of the rows.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};

/// What became of a row, or of the rows of a file together.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The file, relative to the shared folder; what is checked about it in brackets where several checks read it.
    pub file: String,
    /// Cases that gave what was expected.
    pub passed: u64,
    /// Cases that did not: one line each, with the id of the case.
    pub failures: Vec<String>,
    /// Cases left out, by reason. Only what the README of the oracle marks optional or disputed may stand here.
    pub skipped: Vec<(String, u64)>,
    /// Of those that passed: what is proven to be another answer than ours, by the rule it follows.
    pub follows: Vec<(String, u64)>,
    /// The shared folder has no such file.
    pub absent: bool,
    /// What else there is to say, for those who ask with `--notes`.
    pub notes: Vec<String>,
    /// What rows counted, for the summary of their file.
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Report {
    /// An empty report.
    pub(crate) fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Counts a case.
    pub(crate) fn case(&mut self, id: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failures.push(format!("{id}: {why}")),
        }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: impl FnOnce() -> String) {
        self.notes.push(note());
    }

    /// Counts a case left out.
    pub(crate) fn skip(&mut self, reason: &str) {
        add(&mut self.skipped, reason, 1);
    }

    /// Counts a case that follows another rule than ours.
    pub(crate) fn follow(&mut self, rule: &str) {
        add(&mut self.follows, rule, 1);
    }

    /// Counts something for the summary of the file.
    pub(crate) fn count(&mut self, what: impl Into<String>, n: u64) {
        *self.counts.entry(what.into()).or_default() += n;
    }

    /// What was counted under a name.
    pub(crate) fn count_of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or_default()
    }

    /// Why nothing was compared; `None` if something was.
    pub fn reason_to_ignore(&self) -> Option<&str> {
        if self.passed > 0 || !self.failures.is_empty() {
            return None;
        }
        let skipped = self.skipped.first().map(|(reason, _)| reason.as_str());
        let refused = self.counts.keys().next().map(String::as_str);
        Some(skipped.or(refused).unwrap_or("not a row of this check"))
    }

    /// Adds what became of later rows.
    fn merge(&mut self, later: Self) {
        self.passed += later.passed;
        self.failures.extend(later.failures);
        later.skipped.iter().for_each(|(reason, n)| add(&mut self.skipped, reason, *n));
        later.follows.iter().for_each(|(rule, n)| add(&mut self.follows, rule, *n));
        self.notes.extend(later.notes);
        for (what, n) in later.counts {
            self.count(what, n);
        }
    }
}

/// Adds to the number beside a name, which is new at the end.
fn add(list: &mut Vec<(String, u64)>, name: &str, n: u64) {
    match list.iter_mut().find(|(known, _)| known == name) {
        Some((_, count)) => *count += n,
        None => list.push((name.to_string(), n)),
    }
}

/// How a row is evaluated; it is told its id.
type Evaluate<'a> = Box<dyn Fn(&mut Report, &str) + Send + Sync + 'a>;
/// What makes the report of a file of those of its rows.
type Summarize<'a> = Box<dyn Fn(&mut Report) + Send + Sync + 'a>;

/// A row of a file.
struct Row<'a> {
    id: String,
    /// Its line in the file, where it is a line.
    line: Option<usize>,
    evaluate: Evaluate<'a>,
}

/// The rows that a check plans for a file.
pub struct File<'a> {
    name: String,
    absent: bool,
    rows: Vec<Row<'a>>,
    summarize: Option<Summarize<'a>>,
}

impl std::fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("name", &self.name)
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

impl<'a> File<'a> {
    /// A file without rows.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), absent: false, rows: Vec::new(), summarize: None }
    }

    /// A file that is not there.
    pub(crate) fn absent(name: impl Into<String>) -> Self {
        Self { absent: true, ..Self::new(name) }
    }

    /// A file that cannot be read: one row that fails.
    pub(crate) fn unreadable(name: impl Into<String>, id: &str, why: String) -> Self {
        let mut file = Self::new(name);
        file.add_outcome(id, Err(why));
        file
    }

    /// Appends to its name what is checked about it.
    pub(crate) fn append_name(mut self, what: &str) -> Self {
        self.name.push_str(what);
        self
    }

    /// Adds a row.
    pub(crate) fn add(
        &mut self,
        id: impl Into<String>,
        evaluate: impl Fn(&mut Report, &str) + Send + Sync + 'a,
    ) {
        self.rows.push(Row { id: id.into(), line: None, evaluate: Box::new(evaluate) });
    }

    /// Adds a row for each item, all evaluated in the same way.
    pub(crate) fn add_all<T: Send + Sync + 'a>(
        &mut self,
        items: impl IntoIterator<Item = (String, T)>,
        evaluate: impl Fn(&mut Report, &str, &T) + Send + Sync + 'a,
    ) {
        let evaluate = Arc::new(evaluate);
        for (id, item) in items {
            let evaluate = Arc::clone(&evaluate);
            self.add(id, move |report, id| evaluate(report, id, &item));
        }
    }

    /// Adds a row whose outcome is known.
    pub(crate) fn add_outcome(&mut self, id: &str, outcome: Result<(), String>) {
        self.add(id, move |report, id| report.case(id, outcome.clone()));
    }

    /// Adds a row that is left out.
    pub(crate) fn add_skip(&mut self, id: &str, reason: &'static str) {
        self.add(id, move |report, _| report.skip(reason));
    }

    /// Has the report of all rows changed before it is handed on.
    pub(crate) fn summarize(&mut self, summarize: impl Fn(&mut Report) + Send + Sync + 'a) {
        self.summarize = Some(Box::new(summarize));
    }

    /// The ids of its rows, as the file has them.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// Whether the shared folder lacks it.
    pub const fn is_absent(&self) -> bool {
        self.absent
    }

    /// Its name: the path in the shared folder, and what is checked about it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name as a part of the names of rows: without folders that the instruction set tells, blanks and brackets. The file
    /// `oracle/agal/validate.jsonl (modern)` of AGAL is `validate-modern`.
    pub fn label(&self, isa: &str) -> String {
        let name = self.name.replace(".jsonl", "").replace(".tsv", "").replace(&format!("oracle/{isa}/"), "");
        let name = name.replace(&format!("corpus/{isa}"), "corpus");
        let words = name.split(|c: char| !c.is_ascii_alphanumeric() && !"_./∘".contains(c));
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Names of its rows that differ: their ids, with the line or the number of the row where several have the same.
    pub fn row_names(&self) -> Vec<String> {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for id in self.ids() {
            *seen.entry(id).or_default() += 1;
        }
        let name = |(n, row): (usize, &Row<'a>)| match seen.get(row.id.as_str()) {
            Some(2..) => format!("{}:{}", row.id, row.line.unwrap_or(n + 1)),
            _ => row.id.clone(),
        };
        self.rows.iter().enumerate().map(name).collect()
    }

    /// Evaluates rows, one after another. A panic in one is a failure of it.
    pub fn evaluate(&self, rows: Range<usize>) -> Report {
        let mut out = Report::default();
        for row in self.rows.get(rows).unwrap_or_default() {
            guarded(&mut out, &row.id, |report| (row.evaluate)(report, &row.id));
        }
        out
    }

    /// Evaluates all rows: the report of the file.
    pub fn evaluate_all(&self) -> Report {
        self.report([self.evaluate(0..self.len())])
    }

    /// The report of the file, from those of its rows in order.
    pub(crate) fn report(&self, rows: impl IntoIterator<Item = Report>) -> Report {
        let mut out = Report { absent: self.absent, ..Report::new(&self.name) };
        rows.into_iter().for_each(|row| out.merge(row));
        if let Some(summarize) = &self.summarize {
            summarize(&mut out);
        }
        out
    }
}

/// Results of rows that later rows need: each is found once, by whoever asks first.
pub(crate) struct Results<'a, T> {
    cells: Vec<OnceLock<T>>,
    find: Box<dyn Fn(usize) -> T + Send + Sync + 'a>,
}

impl<'a, T: Send + Sync> Results<'a, T> {
    /// Results of `count` rows. `find` must not ask for other results.
    pub(crate) fn new(count: usize, find: impl Fn(usize) -> T + Send + Sync + 'a) -> Self {
        Self { cells: (0..count).map(|_| OnceLock::new()).collect(), find: Box::new(find) }
    }

    /// The result of a row.
    pub(crate) fn get(&self, row: usize) -> &T {
        self.cells[row].get_or_init(|| (self.find)(row))
    }

    /// Those of all rows. What is not known yet is found on all processors.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        let open: Vec<usize> = (0..self.cells.len()).filter(|row| self.cells[*row].get().is_none()).collect();
        in_order(&open, |row| drop(catch_unwind(AssertUnwindSafe(|| self.get(*row)))), |()| ());
        self.cells.iter().filter_map(OnceLock::get)
    }
}

/// Calls `work` for every item on as many threads as the machine has, and `done` with each result in the order of the items,
/// as soon as it is there.
pub(crate) fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(R),
) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads < 2 {
        return items.iter().for_each(|item| done(work(item)));
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&shown) {
                done(result);
                shown += 1;
            }
        }
    });
}

/// Runs `f` and counts a panic in it as a failure of the case `id`.
pub(crate) fn guarded(report: &mut Report, id: &str, f: impl FnOnce(&mut Report)) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| f(report))) {
        report.case(id, Err(format!("panicked: {}", panic_text(&*panic))));
    }
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_string(),
        (_, Some(text)) => text.clone(),
        _ => "without a message".to_string(),
    }
}

/// What names a line of a `.jsonl` file.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
}

/// The id of the case in a line: its field `id`, else `line N`.
pub(crate) fn id_of_line(line: &str, number: usize) -> String {
    match serde_json::from_str::<Head>(line).ok().and_then(|head| head.id) {
        Some(Value::String(id)) => id,
        Some(Value::Number(id)) => id.to_string(),
        _ => format!("line {number}"),
    }
}

/// Plans a row for every line of a `.jsonl` file: `check` gets the report, [the id of the case](id_of_line) and the object.
/// A line that is not JSON is a failure.
pub(crate) fn check_lines<'a>(
    shared: &Path,
    name: &str,
    check: impl Fn(&mut Report, &str, &Value) + Send + Sync + 'a,
) -> File<'a> {
    check_numbered_lines(shared, name, move |report, id, _, case| check(report, id, case))
}

/// The same, where `check` gets the number of the line, too.
pub(crate) fn check_numbered_lines<'a>(
    shared: &Path,
    name: &str,
    check: impl Fn(&mut Report, &str, usize, &Value) + Send + Sync + 'a,
) -> File<'a> {
    let Ok(text) = std::fs::read_to_string(shared.join(name)) else { return File::absent(name) };
    let mut file = File::new(name);
    let check = Arc::new(check);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let id = id_of_line(line, number + 1);
        let (line, check) = (line.to_string(), Arc::clone(&check));
        file.add(id, move |report, id| match serde_json::from_str::<Value>(&line) {
            Ok(case) => check(report, id, number + 1, &case),
            Err(why) => report.case(&format!("line {}", number + 1), Err(format!("not JSON: {why}"))),
        });
        file.number_last(number + 1);
    }
    file
}

/// Plans a row for every line of a table behind its head: `check` gets the report, the id (the line and its first column) and
/// the columns.
pub(crate) fn check_table<'a>(
    shared: &Path,
    name: &str,
    check: impl Fn(&mut Report, &str, &[&str]) + Send + Sync + 'a,
) -> File<'a> {
    let Ok(text) = std::fs::read_to_string(shared.join(name)) else { return File::absent(name) };
    let mut file = File::new(name);
    let row = |(number, line): (usize, &str)| {
        let id = format!("line {} ({})", number + 1, line.split('\t').next().unwrap_or(""));
        (id, line.to_string())
    };
    let rows = text.lines().enumerate().skip(1).map(row);
    file.add_all(rows, move |report, id, line| check(report, id, &line.split('\t').collect::<Vec<_>>()));
    file
}

impl File<'_> {
    /// Says in which line the last row stands.
    fn number_last(&mut self, line: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.line = Some(line);
        }
    }
}

/// A program of the corpus.
#[derive(Debug)]
pub struct CorpusProgram {
    /// Its id.
    pub id: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The text that assembles to those bytes, where known.
    pub text: Option<String>,
    /// Its entry of the manifest.
    pub manifest: Value,
}

/// The files that `corpus/<isa>/MANIFEST.json` lists, in its order; `None` if there is no manifest. One that cannot be read lists
/// none.
pub(crate) fn listed_files(shared: &Path, isa: &str) -> Option<Vec<Value>> {
    let manifest = std::fs::read_to_string(shared.join("corpus").join(isa).join("MANIFEST.json")).ok()?;
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    match manifest.get_mut("files").map(Value::take) {
        Some(Value::Array(files)) => Some(files),
        _ => Some(Vec::new()),
    }
}

/// Whether a page of the repository is this text; with `BLESS=1` it becomes it.
pub(crate) fn check_page(page: &str, text: &str) -> Result<(), String> {
    let path = crate::root().join(page);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        return std::fs::write(&path, text).map_err(|e| e.to_string());
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = there.lines().zip(text.lines()).find(|(x, y)| x != y);
    match differs {
        None if there == text => Ok(()),
        None => Err("is shorter or longer than it should be; BLESS=1 writes it".into()),
        Some((old, new)) => Err(format!("has `{old}`, which is now `{new}`; BLESS=1 writes it")),
    }
}

/// The programs of `corpus/<isa>/MANIFEST.json`, in its order; `None` if there is no manifest.
///
/// # Errors
///
/// A manifest that cannot be read, or one that names files that are not there.
pub fn corpus(shared: &Path, isa: &str) -> Option<Result<Vec<CorpusProgram>, String>> {
    let folder = shared.join("corpus").join(isa);
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.json")).ok()?;
    let read = || -> Result<Vec<CorpusProgram>, String> {
        let entries: Vec<Value> =
            serde_json::from_str(&manifest).map_err(|e| format!("MANIFEST.json: {e}"))?;
        let mut out = Vec::new();
        for entry in entries {
            let field = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_string);
            let id = field("id").ok_or("MANIFEST.json: an entry without id")?;
            let file = field("bytecode").ok_or_else(|| format!("{id}: no bytecode"))?;
            let bytes = std::fs::read(folder.join(&file)).map_err(|e| format!("{file}: {e}"))?;
            let text = match field("assembly") {
                Some(file) => {
                    Some(std::fs::read_to_string(folder.join(&file)).map_err(|e| format!("{file}: {e}"))?)
                }
                None => None,
            };
            out.push(CorpusProgram { id, bytes, text, manifest: entry });
        }
        Ok(out)
    };
    Some(read())
}

/// Plans a row for every program of the corpus; `about` says what is checked.
pub(crate) fn check_programs<'a>(
    shared: &Path,
    isa: &str,
    about: &str,
    check: impl Fn(&mut Report, &CorpusProgram) + Send + Sync + 'a,
) -> File<'a> {
    let name = format!("corpus/{isa} ({about})");
    match corpus(shared, isa) {
        None => File::absent(name),
        Some(Err(why)) => File::unreadable(name, "manifest", why),
        Some(Ok(programs)) => {
            let mut file = File::new(name);
            let rows = programs.into_iter().map(|program| (program.id.clone(), program));
            file.add_all(rows, move |report, _, program| check(report, program));
            file
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with rows of these ids; a row evaluated panics where its id is `panics`.
    fn file<'a>(ids: &[&str]) -> File<'a> {
        let mut file = File::new("oracle/agal/some.jsonl (what)");
        file.add_all(ids.iter().map(|id| (id.to_string(), ())), |report, id, ()| match id {
            "panics" => panic!("at the row"),
            "skipped" => report.skip("left out"),
            _ => {
                report.count("seen", 1);
                report.case(id, Ok(()));
            }
        });
        file
    }

    #[test]
    fn rows_of_one_id_get_their_number() {
        assert_eq!(file(&["a", "b", "a"]).row_names(), ["a:1", "b", "a:3"]);
    }

    #[test]
    fn a_row_is_evaluated_alone() {
        let report = file(&["panics", "b", "skipped"]).evaluate(1..2);
        assert_eq!((report.passed, report.failures.len(), report.skipped.len()), (1, 0, 0));
    }

    #[test]
    fn a_panic_is_the_failure_of_its_row() {
        let file = file(&["a", "panics", "c"]);
        let report = file.evaluate(0..3);
        assert_eq!(report.passed, 2);
        assert_eq!(report.failures, ["panics: panicked: at the row"]);
    }

    #[test]
    fn reports_of_pieces_make_that_of_all_rows() {
        let mut file = file(&["a", "skipped", "panics", "b", "skipped"]);
        file.summarize(|report| report.file += &format!(": {} seen", report.count_of("seen")));
        let whole = file.report([file.evaluate(0..5)]);
        let pieces = file.report([file.evaluate(0..2), file.evaluate(2..3), file.evaluate(3..5)]);
        assert_eq!(whole.file, "oracle/agal/some.jsonl (what): 2 seen");
        assert_eq!(whole.skipped, [("left out".to_string(), 2)]);
        assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
    }

    #[test]
    fn labels_have_no_blanks() {
        assert_eq!(file(&[]).label("agal"), "some-what");
        assert_eq!(File::new("corpus/agal (text, v3 assembler)").label("agal"), "corpus-text-v3-assembler");
        assert_eq!(File::new("oracle/agal/some.jsonl").label("tgsi"), "oracle/agal/some");
    }

    #[test]
    fn nothing_compared_has_a_reason() {
        let reason = |ids: &[&str]| file(ids).evaluate(0..1).reason_to_ignore().map(str::to_string);
        assert_eq!(reason(&["skipped"]).as_deref(), Some("left out"));
        assert_eq!(reason(&["a"]), None);
        assert_eq!(reason(&["panics"]), None);
        assert_eq!(reason(&[]).as_deref(), Some("not a row of this check"));
    }

    #[test]
    fn results_are_found_once() {
        let found = AtomicUsize::new(0);
        let results = Results::new(100, |n| {
            found.fetch_add(1, Ordering::Relaxed);
            n * n
        });
        assert_eq!(*results.get(7), 49);
        assert_eq!(results.all().sum::<usize>(), 328_350);
        assert_eq!(found.load(Ordering::Relaxed), 100);
    }

    #[test]
    fn results_come_in_order() {
        let mut got = Vec::new();
        in_order(&(0..100).collect::<Vec<u32>>(), |n| n + 1, |n| got.push(n));
        assert_eq!(got, (1..=100).collect::<Vec<u32>>());
    }
}
