//! `cargo xtask docs`: the documents whose source are the tables of the library.
//!
//! `docs/isa/<isa>.md` is the manual of an instruction set, `docs/rules.md` lists every rule, `docs/ir.md` describes the IR,
//! `docs/info.md` and `docs/info.schema.json` what `vecasm info` writes. All are committed; `--check` fails if one is not what the
//! tables and types say.

use crate::{Args, Outcome, docs_nv2a, docs_tgsi, root};
use std::fmt::Write as _;
use vecasm::diag::{Provenance, Rule};
use vecasm::ir::Pure;
use vecasm::isa::Isa;
use vecasm::isa::agal::program::{RegType, Stage};
use vecasm::isa::agal::rules::{Generation, Profile, SWITCHES};
use vecasm::isa::any::Instruction;
use vecasm::isa::d3d9::rules as d3d9;
use vecasm::isa::switch::Switch;
use vecasm::isa::table::{Flow, Shape, Stages};

/// The line under the title.
const MADE_BY: &str =
    "<!-- Written by `cargo xtask docs` from the tables of the library. Edit the tables, not this file. -->";

/// What writes a document.
type Write = fn() -> Result<String, String>;

/// The documents besides the manuals of the instruction sets.
const PAGES: [(&str, Write); 4] = [
    ("docs/rules.md", || Ok(rules())),
    ("docs/info.schema.json", || Ok(crate::docs_info::schema())),
    ("docs/ir.md", crate::docs_ir::document),
    ("docs/info.md", crate::docs_info::page),
];

fn manual_name(isa: Isa) -> String {
    format!("docs/isa/{}.md", isa.name())
}

/// The names of the documents.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let manuals = Isa::ALL.iter().map(|isa| manual_name(*isa));
    manuals.chain(PAGES.iter().map(|(name, _)| (*name).to_string()))
}

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &[], &["check"]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let mut documents: Vec<(String, String)> =
        Isa::ALL.iter().map(|&isa| (manual_name(isa), manual(isa))).collect();
    for (name, write) in PAGES {
        match write() {
            Ok(text) => documents.push((name.into(), text)),
            Err(why) => return Outcome::Usage(why),
        }
    }
    let mut fine = true;
    for (name, text) in documents {
        let path = root().join(&name);
        let same = std::fs::read_to_string(&path).is_ok_and(|old| old == text);
        if args.flag("check") {
            println!("  {}  {name}", if same { "    ok" } else { "FAILED" });
            fine &= same;
            continue;
        }
        if same {
            println!("  unchanged  {name}");
            continue;
        }
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(why) = folder.and_then(|()| std::fs::write(&path, &text)) {
            return Outcome::Usage(format!("{name}: {why}"));
        }
        println!("  written    {name}");
    }
    if !fine {
        println!("run `cargo xtask docs` and commit the result");
    }
    Outcome::of(fine)
}

/// Text as it stands in a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn versions(row: &Instruction, newest: u32) -> String {
    let since = row.since.max(1);
    match (since, row.until) {
        (since, until) if since == until => since.to_string(),
        (since, until) if until == newest => format!("{since}+"),
        (since, until) => format!("{since}–{until}"),
    }
}

fn stages(stages: Stages) -> String {
    match stages {
        Stages::VF => "both".into(),
        Stages::Any => "all".into(),
        stages => stages.list().iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", "),
    }
}

/// The operand as it is written in the syntax column.
const fn operand(shape: Shape, source: usize) -> &'static str {
    match (shape, source) {
        (Shape::Dst, _) => "d",
        (Shape::Src, 0) => "a",
        (Shape::Src, 1) => "b",
        (Shape::Src, _) => "c",
        (Shape::Scalar, 0) => "a.x",
        (Shape::Scalar, _) => "b.x",
        (Shape::Rows3, _) => "b[3]",
        (Shape::Rows4, _) => "b[4]",
        (Shape::Sampler, _) => "s <…>",
        (Shape::Rows2, _) => "b[2]",
        (Shape::Read, _) => "a",
        (Shape::Label, _) => "l",
        (Shape::Condition, _) => "p",
        (Shape::Integer, _) => "i",
        (Shape::Counter, _) => "aL",
        (Shape::Usage, _) => "usage",
        (Shape::Floats4, _) => "x, y, z, w",
        (Shape::Integers4, _) => "x, y, z, w",
        (Shape::Flag, _) => "true",
        (Shape::View, _) => "SVIEW",
        (Shape::Resource | Shape::Store, _) => "memory",
        (Shape::Target, _) => "target",
    }
}

fn syntax(row: &Instruction) -> String {
    let mut source = 0;
    let mut operands = Vec::new();
    for &shape in row.shape {
        operands.push(operand(shape, source));
        source += usize::from(shape != Shape::Dst);
    }
    format!("{} {}", row.name, operands.join(", ")).trim_end().to_string()
}

fn manual(isa: Isa) -> String {
    let (_, newest) = isa.versions();
    let (reserved, rows): (Vec<Instruction>, Vec<Instruction>) =
        isa.instructions().into_iter().partition(|row| row.reserved);
    let mut out = format!("# {}\n\n{MADE_BY}\n\n", isa.title());
    out.push_str(match isa {
        Isa::Agal => AGAL_HEAD,
        Isa::Nv2a => docs_nv2a::HEAD,
        Isa::D3d9 => D3D9_HEAD,
        Isa::Tgsi => docs_tgsi::HEAD,
        _ => "",
    });
    let _ = writeln!(out, "\n## Instructions\n");
    out.push_str("| code | syntax | versions | stages | effect | in the IR |\n|---|---|---|---|---|---|\n");
    for row in &rows {
        let ir = row.ir.map_or("a function of its own".to_string(), |ir| format!("`{ir}`"));
        let no_w = if row.lanes == 3 { " There is no lane w." } else { "" };
        // TGSI numbers its instructions in decimal.
        let code = if isa == Isa::Tgsi { row.code.to_string() } else { format!("{:02x}", row.code) };
        let _ = writeln!(
            out,
            "| {code} | `{}` | {} | {} | {}{no_w} | {ir} |",
            if isa == Isa::Agal { syntax(row) } else { syntax(row).replace("s <…>", "s") },
            versions(row, newest),
            stages(row.stages),
            cell(row.doc),
        );
    }
    if !reserved.is_empty() {
        let _ = writeln!(out, "\n### Reserved\n\nAssemblers know them; no player ever implemented them.\n");
        out.push_str("| code | syntax | versions | intended effect |\n|---|---|---|---|\n");
        for row in &reserved {
            let doc = row.doc.split_once(": ").map_or(row.doc, |(_, doc)| doc);
            let (code, syntax) = (row.code, syntax(row));
            let _ = writeln!(out, "| {code:02x} | `{syntax}` | {} | {} |", versions(row, newest), cell(doc));
        }
    }
    let flow: Vec<&str> = rows.iter().filter(|r| r.flow != Flow::Straight).map(|r| r.name).collect();
    if !flow.is_empty() {
        let _ = writeln!(out, "\nControl flow: {}.", flow.join(", "));
    }
    if isa == Isa::Agal {
        agal_registers(&mut out, newest);
        agal_players(&mut out);
    }
    if isa == Isa::D3d9 {
        d3d9_devices(&mut out);
    }
    if isa == Isa::Nv2a {
        docs_nv2a::rest(&mut out);
    }
    if isa == Isa::Tgsi {
        docs_tgsi::rest(&mut out);
    }
    used_operations(&mut out, &rows);
    out
}

const D3D9_HEAD: &str = "\
Registers have four lanes x, y, z, w (or r, g, b, a). `d` is a destination with a write mask; `a`, `b` and `c` are sources
with a modifier and a swizzle; `a.x` reads one component; `b[2]`, `b[3]` and `b[4]` are the first of that many consecutive
registers; `s` is a sampler, `l` a label, `i` an integer constant, `p` a boolean constant or a component of the predicate.
The mnemonics of `if`, `break` and `setp` with two numbers end in a comparison (`if_lt`), those with a result may end in
`_sat`, `_pp`, `_centroid` and, before ps_2_0, a shift (`_x2`, `_d4`). `texldp` and `texldb` are `texld` with a division and
with a bias. Versions are ten times the major number and the minor one: 14 is ps_1_4, 21 is 2.x and the software models of 2.
";

const AGAL_HEAD: &str = "\
Every register has four lanes x, y, z, w of f32. `d` is a destination with a write mask (`.xz`; none means all
lanes): lane i of the register takes lane i of the result. `a` and `b` are sources with a swizzle (`.wzyx`; the last
letter is repeated, none means `.xyzw`); `a.x` must name one component; `b[3]` and `b[4]` are the first of three or four
consecutive registers, the rows of a matrix; `s <…>` is a sampler with its options. All sources are read before any
lane is written. In vertex programs a source can be `vc[va0.x+5]`: the element whose number is that component,
truncated toward zero, plus the offset.
";

fn agal_registers(out: &mut String, newest: u32) {
    let _ = write!(out, "\n## Registers\n\nNumber of registers by version:\n\n| type | register |");
    for version in 1..=newest {
        let _ = write!(out, " {version} |");
    }
    let _ = writeln!(out, "\n|---|---|{}", "---|".repeat(newest as usize));
    for ty in RegType::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let counts: Vec<u32> = (1..=newest).map(|v| ty.count(stage, v)).collect();
            let shared = ty == RegType::Varying && stage == Stage::Fragment;
            let absent = ty == RegType::Attribute && stage == Stage::Fragment;
            if shared || absent || counts.iter().all(|&n| n == 0) {
                continue;
            }
            let where_ = if ty == RegType::Varying { "both" } else { stage.name() };
            let _ = write!(out, "| {} | `{}` ({where_}) |", ty.code(), ty.name(stage));
            for n in counts {
                let _ = if n == 0 { write!(out, " – |") } else { write!(out, " {n} |") };
            }
            out.push('\n');
        }
    }
}

fn agal_players(out: &mut String) {
    let _ = writeln!(out, "\n## Profiles and players\n\n| profile | newest version |\n|---|---|");
    for profile in Profile::ALL {
        let _ = writeln!(out, "| `{}` | {} |", profile.name(), profile.newest_version());
    }
    let generations: Vec<String> = Generation::ALL
        .iter()
        .map(|g| format!("`{}` (up to version {})", g.name(), g.newest_version()))
        .collect();
    let _ = writeln!(out, "\nPlayer generations: {}.", generations.join(", "));
    let _ = writeln!(out, "\n### Points that are not settled\n\nEach is a switch of the validator.\n");
    switches(out, SWITCHES);
}

/// Profiles of Direct3D, and what devices differ in.
fn d3d9_devices(out: &mut String) {
    let _ = writeln!(out, "\n## Profiles and devices\n");
    let profiles: Vec<String> =
        d3d9::Profile::ALL.into_iter().map(|profile| format!("`{}`", profile.name())).collect();
    let _ = writeln!(
        out,
        "`vecasm check --profile` asks one of {}; the first is the default. Some limits are those of a device, not of a \
         model;\n`--rule` sets them. The defaults are those of a capable device.\n",
        profiles.join(", ")
    );
    switches(out, d3d9::SWITCHES);
    let _ = writeln!(
        out,
        "\n## Meaning of a program\n\nA factor of zero gives zero, also with an infinity or NaN, as in hardware; `--numerics ieee` has the \
         products of\nIEEE 754. What no source settles is a switch of `run`, `to` and `render`, set by `--rule`.\n"
    );
    switches(out, vecasm::isa::d3d9::lift::SWITCHES);
}

/// A table of switches.
fn switches(out: &mut String, switches: &[Switch]) {
    out.push_str("| switch | choice | values (the default in bold) |\n|---|---|---|\n");
    for switch in switches {
        let values: Vec<String> = switch
            .values
            .iter()
            .map(|(value, doc)| {
                let bold = if *value == switch.default { "**" } else { "" };
                format!("{bold}`{value}`{bold} {}", cell(doc))
            })
            .collect();
        let _ = writeln!(out, "| `{}` | {} | {} |", switch.name, cell(switch.doc), values.join("; "));
    }
}

/// The operations of the IR that the table names, so that the manual can be read alone.
fn used_operations(out: &mut String, rows: &[Instruction]) {
    let _ = writeln!(
        out,
        "\n## Operations of the IR named above\n\nThey are defined in `crates/vecasm-ir/src/ir/op`.\n\n\
         | operation | result |\n|---|---|"
    );
    for pure in Pure::ALL.iter().filter(|p| rows.iter().any(|row| row.ir == Some(p.name()))) {
        let _ = writeln!(out, "| `{}` | {} |", pure.name(), cell(pure.doc().trim()));
    }
}

fn rules() -> String {
    let mut out = format!("# Rules\n\n{MADE_BY}\n\n");
    out.push_str(
        "Every finding has one of these ids; `vecasm explain ID` shows the same. An id with a number is a rule of the \
         original\nruntime with its own number and text (%1, %2 … are its arguments). \"Known\" gives the \
         source: *recorded* from\nthe runtime itself, *documented* by the vendor or its published source, from a *peer*, \
         *believed* (the text of a message,\nan inference), or our *own* rule about the syntax and limits of vecasm.\n",
    );
    for &isa in Isa::ALL {
        let rules = isa.rules();
        let (runtime, own): (Vec<&Rule>, Vec<&Rule>) = rules.into_iter().partition(|r| r.number != 0);
        let _ = writeln!(out, "\n## {}\n", isa.title());
        let count = |p: Provenance| runtime.iter().filter(|r| r.provenance == p).count();
        let _ = writeln!(
            out,
            "{} rules of the runtime: {} recorded, {} documented, {} from peers, {} believed.\n",
            runtime.len(),
            count(Provenance::Recorded),
            count(Provenance::Documented),
            count(Provenance::Peer),
            count(Provenance::Believed)
        );
        table(&mut out, runtime);
        let _ = writeln!(out, "\n### Rules of our own\n");
        table(&mut out, own);
    }
    out.push_str("\n## Translation to WGSL\n\nRefusals of `vecasm to wgsl`. Everything else is written as the IR defines it.\n\n");
    table(&mut out, vecasm::emit::wgsl::RULES);
    out.push_str("\n## Translation to SPIR-V\n\nRefusals of `vecasm to spirv`. Everything else is written as the IR defines it.\n\n");
    table(&mut out, vecasm::emit::spirv::RULES);
    out.push_str("\n## Translation to GLSL\n\nRefusals of `vecasm to glsl`. Everything else is written as the IR defines it.\n\n");
    table(&mut out, vecasm::emit::glsl::RULES);
    out.push_str("\n## Translation to HLSL\n\nRefusals of `vecasm to hlsl`. Everything else is written as the IR defines it.\n\n");
    table(&mut out, vecasm::emit::hlsl::RULES);
    out.push_str("\n## Translation to MSL\n\nRefusals of `vecasm to msl`. Everything else is written as the IR defines it.\n\n");
    table(&mut out, vecasm::emit::msl::RULES);
    out.push_str("\n## Lowering to instruction sets\n\nRefusals of `vecasm::code`, which makes programs of AGAL, Direct3D 9, the NV2A and TGSI of shaders.\n\n");
    table(&mut out, vecasm::code::rules::RULES);
    out.push_str("\n## Intermediate representation\n\nRefusals of every verb and writer. The message names the rule of the IR.\n\n");
    table(&mut out, [vecasm::ir::verify::UNSOUND]);
    out.push_str("\n## Any instruction set\n\nFindings about what a caller asks for or gives.\n\n");
    table(&mut out, vecasm::isa::RULES);
    out.push_str("\n## Containers\n\nFindings about files that carry programs, and about what is asked of them ([docs/containers.md](containers.md)).\n\n");
    table(&mut out, vecasm::container::rules::RULES);
    out
}

fn table<'a>(out: &mut String, rules: impl IntoIterator<Item = &'a Rule>) {
    out.push_str("| id | | message | reason | known |\n|---|---|---|---|---|\n");
    for rule in rules {
        let (message, reason) = (cell(rule.message), cell(rule.reason));
        let _ = writeln!(
            out,
            "| `{}` | {} | {message} | {reason} | {} |",
            rule.id,
            rule.severity.word(),
            rule.provenance.word()
        );
    }
}
