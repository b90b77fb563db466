//! The corpus and the recorded results of real peers, run against the library.
//!
//! A check is one row of [`CHECKS`]; it reads one or more files of the shared folder and plans their rows, as [`File`]s. `conformance/src/oracle/<isa>_<area>.rs` holds the checks of one area. What the files mean is said by the
//! `README.md` beside them.

mod agal_corpus;
mod agal_exec;
mod agal_render;
mod agal_rules;
mod agal_text;
mod agal_wgsl;
mod containers;
mod d3d9_compilers;
mod d3d9_convert;
mod d3d9_disputed;
mod d3d9_exec;
mod d3d9_interface;
mod d3d9_listing;
mod d3d9_peers;
mod d3d9_preshader;
mod d3d9_rules;
mod d3d9_text;
mod d3d9_wgsl;
mod engines;
mod ir_wgsl;
mod ir_wide;
mod kit;
mod nv2a_dialects;
mod nv2a_exec;
mod nv2a_ops;
mod nv2a_text;
mod nv2a_wgsl;
mod tgsi_differs;
mod tgsi_exec;
mod tgsi_gs;
mod tgsi_mem;
mod tgsi_open;
mod tgsi_quirks;
mod tgsi_rules;
mod tgsi_stale;
mod tgsi_table;
mod tgsi_tex;
mod tgsi_text;
mod tgsi_tokens;
mod tgsi_wgsl;
pub mod validate;

pub(crate) use agal_wgsl::{naga as naga_accepts, tint as tint_accepts, tint_on_path};

pub(crate) use containers::grown_and_shrunk;
pub use kit::{CorpusProgram, File, Report, corpus};
pub(crate) use kit::{Results, panic_text};
use kit::{
    check_lines, check_numbered_lines, check_page, check_programs, check_table, guarded, id_of_line,
    in_order, listed_files,
};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Rows of `isa: module::function`, with what stands behind the colon as the name for `--only`.
macro_rules! checks {
    ($( $isa:ident: $module:ident::$check:ident ),* $(,)?) => {
        &[$( Check {
            isa: stringify!($isa),
            name: concat!(stringify!($module), "::", stringify!($check)),
            plan: $module::$check,
        } ),*]
    };
}

/// Every check, one row each.
pub const CHECKS: &[Check] = checks![
    agal: agal_corpus::programs,
    agal: agal_text::text,
    agal: agal_rules::all,
    agal: agal_exec::instructions,
    agal: agal_exec::programs,
    agal: agal_render::scenes,
    agal: agal_wgsl::programs,
    containers: containers::all,
    d3d9: d3d9_exec::all,
    d3d9: d3d9_compilers::all,
    d3d9: d3d9_convert::all,
    d3d9: d3d9_disputed::all,
    d3d9: d3d9_interface::all,
    d3d9: d3d9_listing::all,
    d3d9: d3d9_peers::all,
    d3d9: d3d9_preshader::all,
    d3d9: d3d9_rules::all,
    d3d9: d3d9_text::all,
    d3d9: d3d9_wgsl::all,
    engines: engines::agal,
    engines: engines::d3d9,
    engines: engines::nv2a,
    engines: engines::tgsi,
    ir: ir_wgsl::cases,
    ir: ir_wgsl::random,
    ir: ir_wide::wide,
    nv2a: nv2a_ops::operations,
    nv2a: nv2a_text::all,
    nv2a: nv2a_dialects::all,
    nv2a: nv2a_exec::all,
    nv2a: nv2a_wgsl::corpus,
    tgsi: tgsi_exec::instructions,
    tgsi: tgsi_exec::flow,
    tgsi: tgsi_exec::programs,
    tgsi: tgsi_exec::corpus,
    tgsi: tgsi_gs::all,
    tgsi: tgsi_mem::all,
    tgsi: tgsi_quirks::all,
    tgsi: tgsi_tex::all,
    tgsi: tgsi_differs::all,
    tgsi: tgsi_rules::all,
    tgsi: tgsi_table::opcodes,
    tgsi: tgsi_text::all,
    tgsi: tgsi_tokens::all,
    tgsi: tgsi_wgsl::all,
];

/// What plans the rows of a check.
type Plan = for<'a> fn(&'a Path) -> Vec<File<'a>>;

/// A check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The instruction set that it is about, or `ir`, or `engines`.
    pub isa: &'static str,
    /// Its name: its file and its function.
    pub name: &'static str,
    plan: Plan,
}

impl Check {
    /// Its files with their rows; a panic becomes a row that fails.
    fn plan<'a>(&self, shared: &'a Path) -> Vec<File<'a>> {
        catch_unwind(AssertUnwindSafe(|| (self.plan)(shared))).unwrap_or_else(|panic| {
            let why = format!("panicked: {}", panic_text(&*panic));
            vec![File::unreadable(format!("a check of {}", self.isa), "check", why)]
        })
    }

    /// What names of its rows begin with: `tgsi::tex`, `engines::agal`.
    pub fn area(&self) -> String {
        let (file, function) = self.name.split_once("::").unwrap_or((self.name, ""));
        let area =
            if file == self.isa { function } else { file.split_once('_').map_or(file, |(_, area)| area) };
        format!("{}::{area}", self.isa)
    }
}

/// The files of checks, planned on all processors, check by check.
pub fn plan<'a>(shared: &'a Path, checks: &[Check]) -> Vec<Vec<File<'a>>> {
    let mut out = Vec::new();
    in_order(checks, |check| check.plan(shared), |files| out.push(files));
    out
}

/// Rows that a thread takes at once.
const TOGETHER: usize = 16;

/// Evaluates every row of checks on all processors. `done` gets the report of each file in the order of the checks, as soon as
/// it is there.
pub fn run(shared: &Path, checks: &[Check], mut done: impl FnMut(Report)) {
    let files: Vec<File<'_>> = plan(shared, checks).into_iter().flatten().collect();
    let mut pieces = Vec::new();
    for (n, file) in files.iter().enumerate() {
        let starts = (0..file.len().max(1)).step_by(TOGETHER);
        pieces.extend(starts.map(|start| (n, start..(start + TOGETHER).min(file.len()))));
    }
    let evaluate = |(n, rows): &(usize, Range<usize>)| (*n, rows.end, files[*n].evaluate(rows.clone()));
    let mut reports = Vec::new();
    in_order(&pieces, evaluate, |(n, end, report)| {
        reports.push(report);
        if end == files[n].len() {
            done(files[n].report(reports.drain(..)));
        }
    });
}

/// A text column without its escapes.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// The bytes of hexadecimal text without separators; the empty text is no bytes.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    vecasm::isa::parse_hex(text).unwrap_or_default()
}

/// The bits of a value written as 8 hexadecimal digits, most significant first.
pub(crate) fn bits(text: &str) -> Option<u32> {
    (text.len() == 8).then(|| u32::from_str_radix(text, 16).ok())?
}
