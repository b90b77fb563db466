//! The tests of the NV2A: kinds of test files, and the contract.

use crate::case::{Case, Kind, place, repeated};
use crate::exec::run_all;
use crate::properties::presentable;
use crate::trial;
use libtest_mimic::Trial;
use std::path::Path;
use vecasm::diag::Severity;
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::nv2a::bytes::{decode, decode_lossless, encode};
use vecasm::isa::nv2a::lift::{Clamp, Numerics, Options, ProgramKind, Space, lift};
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::rules::{self, Level, validate};
use vecasm::isa::nv2a::table::{self, Field, Ilu, Mac};
use vecasm::isa::nv2a::text::{self, Dialect, Numbering, ParseOptions, PrintOptions, Style, inl, print};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::isa::{AnyProgram, Isa, parse_hex};

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        word: "asm",
        directives: &["slot", "mode", "constants", "final", "warning", "comment"],
        run: run_asm,
    },
    Kind {
        word: "same",
        directives: &["vsh", "dialect", "program", "constant", "warning", "remark"],
        run: run_same,
    },
    Kind { word: "write", directives: &["vsh", "dialect"], run: run_write },
    Kind { word: "dis", directives: &["slot", "line", "peer"], run: run_dis },
    Kind { word: "bytes", directives: &["hex"], run: run_bytes },
    Kind {
        word: "bad",
        directives: &["at", "message", "mode", "level", "bytes", "repeat", "lift", "dialect", "write"],
        run: run_bad,
    },
    Kind { word: "exec", directives: &["run", "lift", "constants"], run: run_exec },
    crate::fmt::NV2A,
    crate::why::NV2A,
];

fn options(case: &Case) -> Result<ParseOptions, String> {
    let mut out = ParseOptions::default();
    if let Some(d) = case.one("mode")? {
        out.mode = match d.value.as_str() {
            "compat" => Mode::Compat,
            other => return Err(format!("line {}: no mode is called {other}", d.line)),
        };
    }
    if let Some(d) = case.one("dialect")? {
        let dialect = d.value.parse::<Dialect>().ok();
        out.dialect = Some(dialect.ok_or_else(|| format!("line {}: no such dialect", d.line))?);
    }
    if let Some(d) = case.one("program")? {
        out.program = d.value.parse().map_err(|_| format!("line {}: no number", d.line))?;
    }
    if let Some(d) = case.one("constants")? {
        out.numbering =
            d.value.parse::<Numbering>().map_err(|_| format!("line {}: no such numbering", d.line))?;
    }
    if let Some(d) = case.one("final")? {
        out.explicit_final = d.value == "explicit";
    }
    Ok(out)
}

/// The slots of the `slot` directives.
fn slots(case: &Case) -> Result<Vec<Slot>, String> {
    let mut out = Vec::new();
    for d in case.all("slot") {
        let words: Option<Vec<u32>> = d.value.split(' ').map(|w| u32::from_str_radix(w, 16).ok()).collect();
        let words = words.and_then(|words| <[u32; 4]>::try_from(words).ok());
        out.push(Slot(words.ok_or_else(|| format!("line {}: a slot has four words", d.line))?));
    }
    if out.is_empty() { Err("no `slot` line".into()) } else { Ok(out) }
}

/// What stands there, line by line, against what should.
fn same_lines(got: &[String], wanted: &[String]) -> Result<(), String> {
    for n in 0..got.len().max(wanted.len()) {
        let (got, wanted) = (got.get(n), wanted.get(n));
        if got != wanted {
            return Err(format!("line {}\n  is  {got:?}\n  not {wanted:?}", n + 1));
        }
    }
    Ok(())
}

fn run_asm(case: &Case) -> Result<(), String> {
    let (assembled, findings) = text::assemble(&case.body, &options(case)?);
    for finding in &findings {
        presentable(finding, "case", Some(&case.body));
    }
    let assembled = assembled.ok_or_else(|| format!("refused: {findings:?}"))?;
    let show = |slots: &[Slot]| slots.iter().map(|slot| format!("{slot:?}")).collect::<Vec<_>>();
    same_lines(&show(&assembled.program.slots), &show(&slots(case)?))?;
    if assembled.spans.len() != assembled.program.slots.len() {
        return Err("not every slot has a place".into());
    }
    let warnings: Vec<String> = case.all("warning").map(|d| d.value.clone()).collect();
    same_lines(&findings.iter().map(|d| d.message.clone()).collect::<Vec<_>>(), &warnings)?;
    let comments: Vec<String> = case.all("comment").map(|d| format!("/* {} */", d.value)).collect();
    if !comments.is_empty() {
        let listing = inl(&assembled.program, &assembled.said, case.one("mode")?.is_some());
        let got: Vec<String> = listing.lines().step_by(2).map(str::to_string).collect();
        same_lines(&got, &comments)?;
    }
    survives(&assembled.program)
}

/// The body gives the words of the `vsh` lines, which are the language of nv2a-vsh.
fn run_same(case: &Case) -> Result<(), String> {
    let lines: Vec<&str> = case.all("vsh").map(|d| d.value.as_str()).collect();
    let vsh = ParseOptions { dialect: Some(Dialect::Vsh), ..ParseOptions::default() };
    let (wanted, findings) = text::parse(&lines.join("\n"), &vsh);
    let wanted = wanted.ok_or_else(|| format!("the `vsh` lines are refused: {findings:?}"))?;
    let (assembled, findings) = text::assemble(&case.body, &options(case)?);
    for finding in &findings {
        presentable(finding, "case", Some(&case.body));
    }
    let assembled = assembled.ok_or_else(|| format!("refused: {findings:?}"))?;
    let show = |slots: &[Slot]| slots.iter().map(text::instruction).collect::<Vec<_>>();
    same_lines(&show(&assembled.program.slots), &show(&wanted.slots))?;
    if assembled.program.slots != wanted.slots {
        return Err(format!("words are {:?}, not {:?}", assembled.program.slots, wanted.slots));
    }
    if assembled.spans.len() != assembled.program.slots.len() {
        return Err("not every slot has a place".into());
    }
    let values = |name: &str| case.all(name).map(|d| d.value.clone()).collect::<Vec<_>>();
    same_lines(&findings.iter().map(|d| d.message.clone()).collect::<Vec<_>>(), &values("warning"))?;
    let constants: Vec<String> = assembled
        .constants
        .iter()
        .map(|c| {
            let [x, y, z, w] = c.value.map(f32::from_bits);
            format!("c{}=({x},{y},{z},{w})", c.number)
        })
        .collect();
    same_lines(&constants, &values("constant"))?;
    let remarks: Vec<String> = assembled
        .remarks
        .iter()
        .map(|(slot, span)| {
            let text = case.body.get(span.start as usize..span.end as usize).unwrap_or("");
            format!("{slot} {}", text.trim())
        })
        .collect();
    let wanted = values("remark");
    if !wanted.is_empty() {
        same_lines(&remarks, &wanted)?;
    }
    if !(text::looks_like(&case.body) || text::contains_program(&case.body)) && case.one("dialect")?.is_none()
    {
        return Err("is not recognized".into());
    }
    survives(&assembled.program)
}

/// The `vsh` lines are written as the body, which reads back to the same words.
fn run_write(case: &Case) -> Result<(), String> {
    let lines: Vec<&str> = case.all("vsh").map(|d| d.value.as_str()).collect();
    let (program, findings) = text::parse(&lines.join("\n"), &ParseOptions::default());
    let program = program.ok_or_else(|| format!("the `vsh` lines are refused: {findings:?}"))?;
    let dialect = options(case)?.dialect.ok_or("no `dialect` line")?;
    let got = text::write(&program, dialect).map_err(|findings| format!("cannot be said: {findings:?}"))?;
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    same_lines(&lines(&got), &lines(&case.body))?;
    same_again(&program, dialect, &got)
}

/// A text in a dialect reads back to the words of the program.
fn same_again(program: &Program, dialect: Dialect, text: &str) -> Result<(), String> {
    let (again, findings) = text::parse(text, &ParseOptions::default());
    match again {
        Some(again) if again == *program => {}
        again => return Err(format!("{text}\n  reads back as {again:?}, not {program:?}: {findings:?}")),
    }
    if Dialect::of(text) == dialect { Ok(()) } else { Err(format!("is taken for something else:\n{text}")) }
}

fn run_dis(case: &Case) -> Result<(), String> {
    let program = Program::new(slots(case)?);
    let shown = |compat| -> Vec<String> {
        let text = print(&program, &PrintOptions { style: Style::Nv2avshd, compat });
        text.split('\n').map(str::to_string).collect()
    };
    let lines: Vec<String> = case.all("line").map(|d| d.value.clone()).collect();
    same_lines(&shown(false), &lines)?;
    let peer: Vec<String> = case.all("peer").map(|d| d.value.clone()).collect();
    same_lines(&shown(true), if peer.is_empty() { &lines } else { &peer })?;
    survives(&program)
}

fn run_bytes(case: &Case) -> Result<(), String> {
    let hex: Vec<&str> = case.all("hex").map(|d| d.value.as_str()).collect();
    let bytes = Isa::Nv2a.read_hex(&hex.join("\n")).ok_or("the `hex` lines are not words")?;
    let program = decode(&bytes).map_err(|e| e.to_string())?;
    if encode(&program) != bytes {
        return Err("other bytes".into());
    }
    let again = Isa::Nv2a.read_hex(&AnyProgram::Nv2a(program.clone()).hex());
    if again != Some(bytes) {
        return Err("other bytes after writing them as words".into());
    }
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    same_lines(&lines(&print(&program, &PrintOptions::default())), &lines(&case.body))?;
    survives(&program)
}

/// What holds for every program that was decoded.
fn survives(program: &Program) -> Result<(), String> {
    if decode_lossless(&encode(program)) != *program {
        return Err("other program after encoding and decoding".into());
    }
    reads_back(program)
}

/// What holds for every program, also of a text that puts slots into a container where they do not belong.
fn reads_back(program: &Program) -> Result<(), String> {
    let bytes = encode(program);
    if encode(&decode_lossless(&bytes)) != bytes {
        return Err("other bytes after decoding and encoding".into());
    }
    let text = print(program, &PrintOptions::default());
    match text::parse(&text, &ParseOptions::default()) {
        (Some(again), _) if again == *program => {}
        (again, findings) => return Err(format!("reads back as {again:?}, {findings:?}:\n{text}")),
    }
    for style in Style::ALL {
        for compat in [false, true] {
            let _ = print(program, &PrintOptions { style, compat });
        }
    }
    if text::looks_like(&text) { Ok(()) } else { Err(format!("is not recognized:\n{text}")) }
}

/// The rule must be found at the place, with its own severity; if it is a warning, there may be no error.
fn run_bad(case: &Case) -> Result<(), String> {
    let [_, id] = &case.words[..] else { return Err("line 1: `// test: bad RULE`".into()) };
    let rule = Isa::Nv2a.rules().into_iter().find(|rule| rule.id == id);
    let rule = rule.ok_or_else(|| format!("no rule is called {id}"))?;
    let text = repeated(case, &case.text)?;
    let mut findings = Vec::new();
    let program = if let Some(d) = case.one("bytes")? {
        let bytes = parse_hex(&d.value).ok_or("the `bytes` line is not bytes")?;
        match decode(&bytes) {
            Ok(program) => Some(program),
            Err(finding) => {
                findings.push(finding);
                None
            }
        }
    } else {
        let (program, found) = text::parse(&text, &options(case)?);
        findings = found;
        program
    };
    if let Some(d) = case.one("write")? {
        let dialect = d.value.parse::<Dialect>().map_err(|_| format!("line {}: no such dialect", d.line))?;
        let program = program.as_ref().ok_or_else(|| format!("refused: {findings:?}"))?;
        findings.extend(text::write(program, dialect).err().unwrap_or_default());
    }
    if let Some(program) = program.filter(|_| !matches!(case.one("write"), Ok(Some(_)))) {
        let mut options = rules::Options::default();
        if let Some(d) = case.one("level")? {
            options.level = d.value.parse::<Level>().map_err(|_| format!("line {}: no level", d.line))?;
        }
        findings.extend(validate(&program, &options));
        if let Some(d) = case.one("lift")? {
            findings.extend(lift(&program, &lifting(&d.value)?).err());
        }
    }
    for finding in &findings {
        presentable(finding, "case", Some(&text));
    }
    let listed: String = findings.iter().map(|d| format!("\n  {d} ({})", place(d, &text, "slot"))).collect();
    let at = case.one("at")?.ok_or("no `at` line")?;
    let found = findings.iter().find(|d| d.id == id && place(d, &text, "slot") == at.value);
    let found = found.ok_or_else(|| format!("{id} is not found at {}:{listed}", at.value))?;
    // A slip is told once, unless the file is made of many.
    let times = findings.iter().filter(|d| d.id == id).count();
    if times > 1 && case.one("repeat")?.is_none() {
        return Err(format!("{id} is found {times} times:{listed}"));
    }
    if case.one("level")?.is_none() && found.severity != rule.severity {
        return Err(format!("is a {}, not a {}", found.severity, rule.severity));
    }
    let others = findings.iter().any(|d| d.severity == Severity::Error && d.id != id);
    if others && rule.severity != Severity::Note {
        return Err(format!("there are other errors:{listed}"));
    }
    match case.one("message")? {
        Some(d) if found.message.replace('\n', "\\n") != d.value => Err(format!("says {:?}", found.message)),
        _ => Ok(()),
    }
}

/// The options that words name, `NAME=VALUE` each; a switch goes by its own name.
fn lifting(words: &str) -> Result<Options, String> {
    let mut out = Options::default();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("numerics", "nv20") => out.numerics = Numerics::Nv20,
            ("numerics", "ieee") => out.numerics = Numerics::Ieee,
            ("position", "screen") => out.space = Space::Screen,
            ("position", "clip") => out.space = Space::Clip,
            ("position", "unscaled") => out.space = Space::Unscaled,
            ("subpixel", "") => out.subpixel = true,
            ("clamp", "diffuse") => out.clamp = Clamp::Diffuse,
            ("clamp", "all") => out.clamp = Clamp::All,
            ("program", "state") => out.kind = ProgramKind::State,
            ("registers", "given") => out.registers = true,
            ("start", n) => out.start = n.parse().map_err(|_| format!("{n} is no slot"))?,
            (name, value) => {
                out.switches.set(name, value).map_err(|e| format!("{word}: {e:?}"))?;
            }
        }
    }
    Ok(out)
}

fn shader(program: &Program, options: &Options) -> Result<Shader, String> {
    let shader = lift(program, options).map_err(|e| e.to_string())?;
    match verify(&shader).first() {
        Some(breach) => Err(format!("breaks a rule of the IR: {breach}")),
        None => Ok(shader),
    }
}

fn run_exec(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.body, &options(case)?);
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let options = match case.one("lift")? {
        Some(d) => lifting(&d.value).map_err(|e| format!("line {}: {e}", d.line))?,
        None => Options::default(),
    };
    let again = decode(&encode(&program)).map_err(|e| e.to_string())?;
    let lean = shader(&program, &options)?;
    let full = shader(&program, &Options { depth: Depth::Full, ..options })?;
    run_all(case, &[], shader(&again, &options)?, lean, full)
}

// ---- the contract ----

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("contract nv2a: every pair of operations".into(), every_pair),
        trial("contract nv2a: every operand".into(), every_operand),
        trial("contract nv2a: one program in five languages".into(), one_program),
        trial("contract nv2a: other dialects say what they can".into(), other_dialects),
        trial("contract nv2a: every single-bit corruption".into(), every_corruption),
        trial("contract nv2a: every damaged text is safe".into(), damaged_texts),
    ]
}

const SWIZZLES: [u32; 6] = [0x1b, 0x00, 0xff, 0xe4, 0x1a, 0x16];
const MASKS: [u32; 6] = [15, 8, 1, 10, 5, 14];

/// A slot with these operations, every source another file, each unit with a destination.
fn slot_of(mac: Mac, ilu: Ilu, n: usize) -> Slot {
    let mut slot = Slot::EMPTY;
    slot.set(Field::Mac, mac.row().code);
    slot.set(Field::Ilu, ilu.row().code);
    for (mux, code) in [(Field::AMux, 2), (Field::BMux, 3), (Field::CMux, 1)] {
        slot.set(mux, code);
    }
    slot.set(Field::Input, n as u32 % 16);
    slot.set(Field::Const, (96 + n as u32) % 192);
    slot.set(Field::CTempReg, n as u32 % 12);
    for (m, field) in [Field::ASwz, Field::BSwz, Field::CSwz].into_iter().enumerate() {
        slot.set(field, SWIZZLES[(n + m) % SWIZZLES.len()]);
    }
    if mac != Mac::Nop && mac != Mac::Arl {
        slot.set(Field::OutMacMask, MASKS[n % MASKS.len()]);
        slot.set(Field::OutTempReg, 2 + n as u32 % 10);
    } else if ilu != Ilu::Nop {
        slot.set(Field::OutTempReg, 1);
    }
    if ilu != Ilu::Nop {
        slot.set(Field::OutIluMask, MASKS[(n + 1) % MASKS.len()]);
        slot.set(Field::OutMux, 1);
    }
    if (mac != Mac::Nop && mac != Mac::Arl) || ilu != Ilu::Nop {
        slot.set(Field::OutOMask, MASKS[(n + 2) % MASKS.len()]);
        slot.set(Field::OutAddress, u32::from(table::OUTPUTS[n % table::OUTPUTS.len()].number));
    }
    slot.set(Field::Final, 1);
    slot
}

/// Every pair is a good program, reads back, and is named by its disassembly.
fn every_pair() -> Result<(), String> {
    let mut n = 0;
    for &mac in Mac::ALL {
        for &ilu in Ilu::ALL {
            for _ in 0..12 {
                n += 1;
                let slot = slot_of(mac, ilu, n);
                let program = Program::new(vec![slot]);
                survives(&program)?;
                let errors = validate(&program, &rules::Options::default());
                if let Some(error) = errors.iter().find(|d| d.severity == Severity::Error) {
                    return Err(format!("{slot:?}: {error}"));
                }
                let line = text::instruction(&slot);
                for name in [mac.row().name, ilu.row().name] {
                    let named = name == "nop" || line.contains(&format!("{name} "));
                    if !named {
                        return Err(format!("{slot:?} is printed as {line:?}, without {name}"));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Every register of every file, negated and not, relative and not, in the way of nv2a-vsh: the statement is the
/// lossless form, and no field has to be said.
fn every_operand() -> Result<(), String> {
    let mut sources: Vec<String> = (0..=12).map(|n| format!("r{n}")).collect();
    sources.extend((0..16).map(|n| format!("v{n}")));
    sources.extend((0..192).flat_map(|n| [format!("c[{n}]"), format!("c[A0+{n}]")]));
    let mut dests: Vec<String> = (0..12).map(|n| format!("r{n}")).collect();
    dests.extend(table::OUTPUTS.iter().map(|named| named.short.to_string()));
    dests.extend((0..192).map(|n| format!("c[{n}]")));
    for (n, source) in sources.iter().enumerate() {
        for sign in ["", "-"] {
            for operator in ["mov", "rcp"] {
                let dest = &dests[n % dests.len()];
                let line = format!("{operator} {dest}.xz, {sign}{source}.wzy");
                let (program, findings) = text::parse(&line, &ParseOptions::default());
                let program = program.ok_or_else(|| format!("{line}: {findings:?}"))?;
                survives(&program)?;
                let printed = print(&program, &PrintOptions::default());
                same_lines(&[printed], &[format!(".nv2a\n{line}\n")])?;
            }
        }
    }
    Ok(())
}

/// The examples of the manual are one program: the same words, and each is taken for what it is.
fn one_program() -> Result<(), String> {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nv2a-text.md");
    let manual = std::fs::read_to_string(&manual).map_err(|e| format!("{}: {e}", manual.display()))?;
    let mut wanted: Option<Program> = None;
    for &dialect in Dialect::ALL {
        let name = dialect.name();
        let block = manual.split_once(&format!("```{name}\n")).and_then(|(_, rest)| rest.split_once("```"));
        let (block, _) = block.ok_or_else(|| format!("the manual has no example in {name}"))?;
        let (program, findings) = text::parse(block, &ParseOptions::default());
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        if Dialect::of(block) != dialect || !text::looks_like(block) {
            return Err(format!("{name}: is taken for {:?}", Dialect::of(block)));
        }
        let wanted = wanted.get_or_insert_with(|| program.clone());
        if program != *wanted || program.slots.len() != 5 {
            return Err(format!("{name}: {:?}, not {:?}", program.slots, wanted.slots));
        }
    }
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    for &dialect in Dialect::WRITTEN {
        let program = wanted.as_ref().ok_or("no program")?;
        let written = text::write(program, dialect).map_err(|e| format!("{e:?}"))?;
        same_again(program, dialect, &written)?;
    }
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    // Behind the head of the table.
    let rows: Vec<&str> = rows.skip(1).collect();
    if rows == names { Ok(()) } else { Err(format!("the manual lists {rows:?}, not {names:?}")) }
}

/// A program as xemu shows it, and as a log of the methods that upload it.
fn as_comments_and_log(program: &Program) -> (String, String) {
    let (mut comments, mut log) = (String::new(), "NV097_SET_TRANSFORM_PROGRAM_LOAD 0\n".to_string());
    for (n, slot) in program.slots.iter().enumerate() {
        let [a, b, c, d] = slot.0;
        comments += &format!("  /* Slot {n}: 0x{a:08X} 0x{b:08X} 0x{c:08X} 0x{d:08X} */\n");
        for (n, word) in slot.0.iter().enumerate() {
            log += &format!("0: 0x97 -> 0x{:04x} 0x{word:x}\n", 0xb00 + 4 * n);
        }
    }
    (comments, log + "NV097_SET_BEGIN_END 0x4\n")
}

/// Programs that are what an assembler emits are written in the other dialects and read back to the same words, all of
/// them in the XDK's language; of slots of any bits, what is written is written again from what was read.
fn other_dialects() -> Result<(), String> {
    let mut state = 11_u64;
    let mut next = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    let (mut in_vp, mut in_xvs, mut odd) = (0, 0, 0);
    for round in 0..6_000_u32 {
        // One in two has constants and registers that NV_vertex_program has, too.
        let narrow = round % 2 == 0;
        let mut source = |scalar: bool| {
            let register = match next(4) {
                0 => format!("r{}", next(if narrow { 12 } else { 13 })),
                1 => "v5".into(),
                _ if round % 3 == 0 => {
                    format!("c[A0+{}]", if narrow { 32 + round % 128 } else { round % 192 })
                }
                _ => format!("c[{}]", if narrow { 96 + round % 96 } else { round % 192 }),
            };
            let letters = ["x", "y", "w", "xyzw", "wzyx", "xyyz", "xxyy", "zzzz"];
            let letters = letters[next(if scalar { 3 } else { 8 }) as usize];
            format!("{}{register}.{letters}", if next(3) == 0 { "-" } else { "" })
        };
        let mac = Mac::ALL[1 + (round / 3) as usize % 12];
        let sources: Vec<String> = mac.ports().iter().map(|_| source(false)).collect();
        let mut line = format!("{} r5.xz, {}", mac.row().name, sources.join(", "));
        match round % 8 {
            0 => line = format!("{} oT3.yw, {}", mac.row().name, sources.join(", ")),
            1 => line += &format!(" + {} c[3], {}", mac.row().name, sources.join(", ")),
            2 if !mac.ports().contains(&table::Port::C) => {
                let ilu =
                    [Ilu::Rcp, Ilu::Rcc, Ilu::Rsq, Ilu::Expp, Ilu::Logp, Ilu::Lit][(round / 8) as usize % 6];
                line += &format!(" + {} r1.w, r3.y", ilu.row().name);
            }
            3 => {
                let ilu = [Ilu::Rcp, Ilu::Rcc, Ilu::Rsq, Ilu::Expp, Ilu::Logp][(round / 8) as usize % 5];
                line = format!("{} r4.xyz, {}", ilu.row().name, source(true));
            }
            4 => line = format!("arl a0, {}", source(true)),
            _ => {}
        }
        let (program, findings) = text::parse(&format!("mov oPos, v5\n{line}"), &ParseOptions::default());
        let program = program.ok_or_else(|| format!("{line}: {findings:?}"))?;
        let written = text::write(&program, Dialect::Xvs).map_err(|why| format!("{line}: {why:?}"))?;
        same_again(&program, Dialect::Xvs, &written)?;
        in_xvs += 1;
        let (comments, log) = as_comments_and_log(&program);
        same_again(&program, Dialect::Xemu, &comments)?;
        same_again(&program, Dialect::Log, &log)?;
        if let Ok(written) = text::write(&program, Dialect::Vp) {
            same_again(&program, Dialect::Vp, &written)?;
            in_vp += 1;
        } else if narrow && !line.contains(" + ") {
            return Err(format!("NV_vertex_program does not say {line}"));
        }
        // Bits that nobody emits, often nearly what an assembler does.
        let mut slot = *program.slots.last().ok_or("no slot")?;
        for word in &mut slot.0[1..] {
            *word ^= next(u32::MAX) & next(u32::MAX) & next(u32::MAX) & next(u32::MAX);
        }
        slot.set(Field::Final, 1);
        let program = Program::new(vec![program.slots[0], slot]);
        for &dialect in Dialect::WRITTEN {
            let Ok(written) = text::write(&program, dialect) else { continue };
            let (again, findings) = text::parse(&written, &ParseOptions::default());
            let again = again.ok_or_else(|| format!("{slot:?}: {written}{findings:?}"))?;
            if text::write(&again, dialect).as_ref() != Ok(&written) {
                return Err(format!("{slot:?}: {written} is written otherwise when it was read"));
            }
            odd += 1;
        }
    }
    if in_xvs < 5_000 || in_vp < 1_500 || odd < 500 {
        return Err(format!("only {in_xvs} programs in xvs, {in_vp} in vp, {odd} of any bits"));
    }
    Ok(())
}

/// A slot with one bit changed is another program; it survives, and is refused or not without a panic.
fn every_corruption() -> Result<(), String> {
    for &mac in Mac::ALL {
        for (n, &ilu) in Ilu::ALL.iter().enumerate() {
            let good = slot_of(mac, ilu, n * 5 + mac as usize);
            for bit in 0..128 {
                let mut slot = good;
                slot.0[bit / 32] ^= 1 << (bit % 32);
                let program = Program::new(vec![slot, good]);
                survives(&program)?;
                for level in Level::ALL {
                    for finding in validate(&program, &rules::Options { level }) {
                        presentable(&finding, "case", None);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Damaged texts are read without a panic; what is taken survives, and laying it out changes nothing.
fn damaged_texts() -> Result<(), String> {
    let seeds = [
        "#m matrix4 96\n%matmul4x4 oPos iPos #m\n%norm3 r0 r1 r2\n",
        "mul r0.xyz, -v0.wzyx, c[A0+5] + rcp r1.w, r2.x ; c\nadd oD0, r0, #v[0]\n",
        ".nv2a microcode 0x2078 2\nmov:ilu r5, r3 {OUT_ORB=0 A_SWZ=xxxx FINAL=0}\n.raw 00000000 0020001b 0836106c 2070f801\n",
        ".nv2a pushbuffer\n.push 00041e9c 00000000\nmov oPos, v0\n.push 000417fc 00000005\n.more 00000000\n.tail 0102\n",
        "/* a */ arl a0.x, v0.x mov oT0, c[a0.x + 3] // b\n.constants d3d\nmov r0, c-5\nsub r1, r0, c[-5]\n",
    ];
    let (mut state, mut taken) = (7_u64, 0);
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for round in 0..6_000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..next(4) {
            if text.is_empty() {
                break;
            }
            let at = next(text.len());
            match next(4) {
                0 => drop(text.remove(at)),
                1 => text
                    .insert(at, ['+', ',', '.', '{', '}', '\n', ' ', '#', '%', 'é', '9', '-', '['][next(13)]),
                2 => text[at] = ['x', '0', 'r', 'v', 'c', '/', '*', ';', ']', '='][next(10)],
                _ => text.truncate(at + 1),
            }
        }
        let text: String = text.into_iter().collect();
        for mode in [Mode::Strict, Mode::Compat] {
            let (program, findings) = text::parse(&text, &ParseOptions { mode, ..ParseOptions::default() });
            for finding in &findings {
                presentable(finding, "case", Some(&text));
            }
            let refused = findings.iter().any(|d| d.severity == Severity::Error);
            if refused == program.is_some() {
                return Err(format!("neither taken nor refused: {text:?}"));
            }
            if let Some(program) = program {
                reads_back(&program).map_err(|why| format!("{text:?}: {why}"))?;
                taken += 1;
            }
        }
        if let Ok(formatted) = text::format(&text) {
            let read = |text: &str| text::parse(text, &ParseOptions::default()).0;
            if read(&text) != read(&formatted) || text::format(&formatted).as_ref() != Ok(&formatted) {
                return Err(format!("laid out, {text:?} is {formatted:?}"));
            }
        }
    }
    if taken < 1000 { Err(format!("only {taken} texts were taken")) } else { Ok(()) }
}
