//! What holds for the symbols of every text: of the examples, of the tests, and of real programs where there are some.
//!
//! What symbols say of lanes comes from the tables of instruction sets. The other source that it is compared with is lifting, which
//! notes what each instruction reads and writes while it makes the IR.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi", feature = "containers"))]
#![allow(clippy::unwrap_used, reason = "tests fail")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vecasm::ir::Stage;
use vecasm::isa::agal::text::{MacroOptions, ParseOptions, assemble_macros};
use vecasm::isa::{AnyProgram, Depth, Isa, agal, nv2a};
use vecasm::symbols::{Mention, Symbol, SymbolKind, Symbols, symbols};
use vecasm::{LiftOptions, NoHost, OpenOptions, Program, open};

const MAX: u64 = 1 << 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder, in order.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.metadata().is_ok_and(|data| data.len() <= MAX) {
            out.push(path);
        }
    }
}

/// Calls `check` with every text below folders.
fn each(folders: &[PathBuf], check: &mut dyn FnMut(&str, &str)) -> usize {
    let mut all = Vec::new();
    folders.iter().for_each(|folder| files(folder, &mut all));
    let mut count = 0;
    for path in all {
        let bytes = std::fs::read(&path).unwrap_or_default();
        // Commands with texts among them are no text.
        if vecasm::container::Format::of(&bytes).is_some() {
            continue;
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let name = path.to_string_lossy().into_owned();
        count += 1;
        check(&name, &text);
    }
    count
}

fn own() -> Vec<PathBuf> {
    vec![root().join("examples"), root().join("tests")]
}

fn real() -> Vec<PathBuf> {
    vec![root().join("../shared/corpus")]
}

/// What two sources call the same: registers without brackets; of a stage with several vertices all inputs and outputs, and all
/// registers of a file that a computed number chooses.
fn named(program: &Program, name: &str, computed: bool) -> Option<String> {
    let file = name.split('[').next().unwrap_or("");
    let vertices = matches!(program.stage(), Stage::Geometry | Stage::TessControl | Stage::TessEval);
    // The address register and the counter of loops, the position of a pixel, and R12, which is oPos, are no cells.
    if matches!(name, "a0" | "A0" | "aL" | "vPos" | "vFace" | "r12")
        || matches!(file, "MEMORY" | "BUFFER" | "IMAGE" | "HWATOMIC")
    {
        return None;
    }
    let file = if computed { file.trim_end_matches(|c: char| c.is_ascii_digit()) } else { file };
    if computed || vertices && matches!(file, "IN" | "OUT") {
        return Some(format!("{file}[]"));
    }
    // The first buffer of constants may be left out, and so may the arrays of immediates.
    let name =
        name.strip_prefix("CONST[0][").map_or_else(|| name.to_string(), |number| format!("CONST[{number}"));
    Some(name.replace("IMMX", "IMM").replace(['[', ']'], ""))
}

type Accesses = BTreeMap<String, u8>;

/// What each instruction reads and writes as lifting notes it: by number, names without brackets.
fn lifted(program: &Program) -> Option<BTreeMap<u32, (Accesses, Accesses)>> {
    let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full)).ok()?;
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for step in &shader.steps {
        let entry = out.entry(step.source).or_default();
        let note = |all: &mut Accesses, list: &[vecasm::ir::steps::Access]| {
            for access in list {
                let name = named(program, &shader.cell_name(access.cell), access.cell.is_computed());
                let Some(name) = name else { continue };
                *all.entry(name).or_default() |= access.mask.bits();
            }
        };
        note(&mut entry.0, &step.reads);
        note(&mut entry.1, &step.writes);
    }
    Some(out)
}

/// The name of a symbol as lifting has it: by number where the language of NV_vertex_program has words, and as the hardware counts.
fn hardware(program: &Program, symbol: &Symbol) -> String {
    let text = program.source().text.unwrap_or("");
    let number = symbol.register.as_ref().and_then(|register| register.number);
    let (true, Some(number)) = (program.isa() == Isa::Nv2a, number) else { return symbol.name.clone() };
    let biased = matches!(nv2a::text::Dialect::of(text), nv2a::text::Dialect::Vp | nv2a::text::Dialect::Xvs);
    match symbol.kind {
        SymbolKind::Constant if biased || text.contains(".constants d3d") => format!("c{}", number + 96),
        SymbolKind::Input => format!("v{number}"),
        SymbolKind::Temporary => format!("r{number}"),
        SymbolKind::Output => nv2a::table::output(number as u32)
            .map_or_else(|| symbol.name.clone(), |output| output.short.into()),
        _ => symbol.name.clone(),
    }
}

/// What the symbols say of each instruction.
fn of_symbols(
    program: &Program,
    all: &Symbols,
    spans: &[vecasm::diag::Span],
) -> BTreeMap<u32, (Accesses, Accesses)> {
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for symbol in all {
        for it in &symbol.uses {
            if symbol.kind == SymbolKind::Alias || symbol.kind == SymbolKind::Macro {
                continue;
            }
            let n = spans.partition_point(|span| span.start <= it.span.start);
            let Some(n) = n.checked_sub(1) else { continue };
            // Slots of one macro have one place.
            let n =
                spans.iter().take(n + 1).rposition(|span| *span != spans[n]).map_or(0, |before| before + 1);
            let entry = out.entry(n as u32).or_default();
            if it.lanes.bits() == 0 {
                continue;
            }
            let Some(name) = named(program, &hardware(program, symbol), symbol.is_file()) else { continue };
            if it.role.reads() {
                *entry.0.entry(name.clone()).or_default() |= it.lanes.bits();
            }
            if it.role.writes() {
                *entry.1.entry(name.clone()).or_default() |= it.lanes.bits();
            }
        }
    }
    out
}

/// Whether lifting may know less, or more, of an instruction than its tables say.
fn differs(says: &str, text: &str) -> bool {
    // Projection reads all of the coordinates of ps_1_x.
    if says.starts_with("tex") && (text.contains("ps_1_") || text.contains("ps.1.")) {
        return true;
    }
    // Names stand in no directive, and fields in braces change registers. A rep has one number. Sines need no constants. Of the second instruction of a pair that compares, what cannot be chosen is not read; bem is of
    // two lanes. What was not written to oPos is not read by r12. A switch is lifted with its cases, and TG4 with a known component.
    // Samples are asked for that nothing has, and what TEX2 compares with counts for shadows alone.
    const BEGINNINGS: [&str; 5] = [".", "rep", "sincos", "+ cnd", "bem"];
    const WORDS: [&str; 10] =
        ["{", "r12", "R12", "SWITCH", "TG4", "SAMPLE_INFO", "SAMPLE_POS", "TEX2", "NV097", "pb_push"];
    BEGINNINGS.iter().any(|begin| says.starts_with(begin)) || WORDS.iter().any(|word| says.contains(word))
}

/// Compares the lanes of the symbols of a text with those of its steps; gives the number of those that it compared.
fn compare(name: &str, text: &str, wrong: &mut Vec<String>) -> usize {
    // Two outputs with one meaning are one.
    if name.ends_with("TGSI-semantic-twice.tgsi") {
        return 0;
    }
    let options = OpenOptions::named(name);
    let opened = open(text.as_bytes(), &options, &mut NoHost);
    if opened.programs.len() != 1 {
        return 0;
    }
    let Ok(program) = opened.program() else { return 0 };
    let written = program.source().text.is_some() && program.spans().is_none_or(|spans| !spans.is_empty());
    let Some(lifted) = lifted(&program).filter(|_| written) else { return 0 };
    let all = symbols(text, &options, &mut NoHost);
    let spans = program.spans().map_or_else(|| program.instruction_spans(text), <[_]>::to_vec);
    // Slots of one macro have one place.
    let first = |n: usize| {
        let own = spans.get(n)?;
        Some(spans.iter().take(n + 1).rposition(|span| span != own).map_or(0, |before| before + 1) as u32)
    };
    let mut joined: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for (n, (reads, writes)) in &lifted {
        let Some(n) = first(*n as usize) else { continue };
        let entry = joined.entry(n).or_default();
        for (all, list) in [(&mut entry.0, reads), (&mut entry.1, writes)] {
            list.iter().for_each(|(name, mask)| *all.entry(name.clone()).or_default() |= mask);
        }
    }
    let found = of_symbols(&program, &all, &spans);
    let constant = |name: &str| {
        let number = name.strip_prefix("CONST").or_else(|| name.strip_prefix('c'));
        number.and_then(|number| number.parse::<i32>().ok())
    };
    let constants = match program.isa() {
        Isa::Nv2a => 192,
        Isa::Tgsi => 4096,
        _ => 256,
    };
    let nothing = Default::default();
    let mut count = 0;
    for (n, (reads, writes)) in &joined {
        let span = spans.get(*n as usize).copied().unwrap_or_default();
        let says = text.get(span.start as usize..span.end as usize).unwrap_or("");
        let own = found.get(n).unwrap_or(&nothing);
        // Any of a file, where a computed number may be known, or choose nothing.
        let file = |name: &str| {
            let file = name.trim_end_matches("[]").trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{file}[]")
        };
        let computed = |name: &str| own.0.contains_key(&file(name)) || own.1.contains_key(&file(name));
        let less = |a: &Accesses, b: &Accesses| {
            a.iter().all(|(name, mask)| {
                // An output of which one lane counts.
                let output = name.starts_with("OUT")
                    && b.get(name).is_some_and(|all| mask.count_ones() == 1 || all.count_ones() == 1);
                computed(name) || output || b.get(name).is_some_and(|all| all & mask == *mask)
            })
        };
        // Constants that no program has are read as zeros, and writing them does nothing.
        let exists = |all: &Accesses| {
            let kept =
                all.iter().filter(|(name, _)| constant(name).is_none_or(|n| (0..constants).contains(&n)));
            kept.map(|(name, mask)| (name.clone(), *mask)).collect::<Accesses>()
        };
        let same = less(reads, &own.0) && less(writes, &own.1);
        let more = less(&exists(&own.0), reads) && less(&exists(&own.1), writes);
        if differs(says, text) {
            continue;
        }
        count += 1;
        if !(same && more) {
            wrong.push(format!("{name}: `{says}` reads {reads:?} and writes {writes:?}, not {own:?}"));
        }
    }
    count
}

#[test]
fn lanes_are_those_that_lifting_sees() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    each(&own(), &mut |name, text| count += compare(name, text, &mut wrong));
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(count > 5000, "{count}");
}

#[test]
fn lanes_of_real_programs_are_those_that_lifting_sees() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    each(&real(), &mut |name, text| count += compare(name, text, &mut wrong));
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// What must hold of any text.
fn check_spans(name: &str, text: &str) -> Symbols {
    let all = symbols(text, &OpenOptions::named(name), &mut NoHost);
    let mut names: Vec<(u32, u32, &Symbol)> = Vec::new();
    for symbol in &all {
        assert!(!symbol.uses.is_empty(), "{name}: {}", symbol.name);
        let mut before = (0, 0);
        for it in &symbol.uses {
            let spelled = text.get(it.span.start as usize..it.span.end as usize);
            let spelled = spelled.unwrap_or_else(|| panic!("{name}: {} at {:?}", symbol.name, it.span));
            let around = text.get(it.statement.start as usize..it.statement.end as usize);
            let inside = it.statement.start <= it.span.start && it.span.end <= it.statement.end;
            assert!(!spelled.is_empty() && around.is_some() && inside, "{name}: {} {it:?}", symbol.name);
            assert!(before <= (it.span.start, it.span.end), "{name}: {} {it:?}", symbol.name);
            before = (it.span.start, it.span.end);
            if it.by != Mention::Name {
                continue;
            }
            if symbol.kind.is_named_by_text() {
                assert_eq!(spelled, symbol.name, "{name}");
                // It is where it says.
                let found = all.at(it.span.start);
                let is = found.is_some_and(|(of, found)| found.span == it.span || of.name == symbol.name);
                assert!(is, "{name}: {spelled} is {found:?}");
            }
            names.push((it.span.start, it.span.end, symbol));
        }
    }
    // Names are apart or inside one another, and mean one thing each, but for what a parameter or alias stands for.
    names.sort_by_key(|name| (name.0, name.1));
    for pair in names.windows(2) {
        let [(start, end, one), (again, until, other)] = pair else { continue };
        let same = (start, end) == (again, until) && !std::ptr::eq(*one, *other);
        assert!(!same, "{name}: {} {} and {} {} at {start}", one.kind, one.name, other.kind, other.name);
    }
    let mut open: Vec<u32> = Vec::new();
    for (start, end, what) in names {
        while open.last().is_some_and(|last| *last <= start) {
            open.pop();
        }
        assert!(open.last().is_none_or(|last| end <= *last), "{name}: {} overlaps at {start}", what.name);
        open.push(end);
    }
    all
}

#[test]
fn places_are_in_the_text_and_spell_what_they_name() {
    let count = each(&own(), &mut |name, text| drop(check_spans(name, text)));
    assert!(count > 1000, "{count}");
    each(&real(), &mut |name, text| drop(check_spans(name, text)));
    // A blank that is none of the language's in front of the quotes.
    let all = check_spans("a.vsa", "#include \u{a0}\"fog.h\"\nvs_1_1\nmov oPos, v0\n");
    assert!(all.named("fog.h").next().is_some());
}

/// The words of the program of a text.
fn words(name: &str, text: &str) -> Option<Vec<u8>> {
    let opened = open(text.as_bytes(), &OpenOptions::named(name), &mut NoHost);
    if let Ok(program) = opened.program() {
        return Some(program.encode());
    }
    if !name.ends_with(".agal") {
        return None;
    }
    let stage = if name.contains(".vert.") { Stage::Vertex } else { Stage::Fragment };
    let options = ParseOptions { stage: agal::Stage::of(stage), version: None };
    let assembled = assemble_macros(text, &options, &MacroOptions::default()).0?;
    Some(AnyProgram::Agal(assembled.program).encode())
}

/// Gives a symbol another name wherever it stands.
fn renamed(text: &str, spans: impl Iterator<Item = vecasm::diag::Span>, name: &str) -> String {
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let mut out = text.to_string();
    for span in spans.into_iter().rev() {
        out.replace_range(span.start as usize..span.end as usize, name);
    }
    out
}

#[test]
fn names_can_be_changed() {
    let mut count = 0;
    let mut check = |name: &str, text: &str| {
        let Some(before) = words(name, text) else { return };
        for symbol in
            symbols(text, &OpenOptions::named(name), &mut NoHost).iter().filter(|s| s.is_renamable())
        {
            let other = renamed(text, symbol.spellings(), "zz9_other_name");
            let after = words(name, &other);
            assert_eq!(after.as_ref(), Some(&before), "{name}: {} {}\n{other}", symbol.kind, symbol.name);
            count += 1;
        }
    };
    each(&own(), &mut check);
    each(&real(), &mut check);
    // What directives, macros in macros, parameters and arguments do to one another.
    let text = "#define A c0\n#define B A\n#define F(x, y) add x, y, B\n#if defined(A) && !defined(Q)\n#define K(z) F(z, z)\n#endif\n\
        ps_2_0\ndcl t0\n#ifdef B\nK(r0)\n#undef B\n#endif\n#define c0 c1\nadd r0, t0, c0\nmov oC0, r0\n";
    check("macros.psa", text);
    // Names that stand for themselves where a macro is not expanded, and where it is pasted or quoted, once or at another time.
    for text in [
        "#define r0(x) x\n#define DST r0\nvs_1_1\nmov DST, c0\nmov oPos, c0\n",
        "#define c 5\n#define CAT(a,b) a##b\n#define K CAT(c,4)\nvs_1_1\nmov oPos, K\n",
        "#define c 5\n#define CAT(a,b) a##b\n#define K(x) x##4\nvs_1_1\nmov oPos, K(c)\nmov r0, CAT(c, 7)\n",
        "#define r1 r0\n#define K r1\n#undef r1\nvs_1_1\nmov K, c0\nmov oPos, c0\n",
        "#define K r1\nvs_1_1\nmov K, c0\n#define r1 r0\nmov K, c0\nmov oPos, c0\n",
        "#define TWICE(x) x, x(c1)\n#define r0(y) y\nvs_1_1\nmov TWICE(r0)\nmov oPos, c0\n",
        "#define HEADER r0\n#define OF(x) #x\n#line 3 OF(HEADER)\nvs_1_1\nmov HEADER, c0\nmov oPos, c0\n",
    ] {
        assert!(words("macros.vsa", text).is_some(), "{text}");
        check("macros.vsa", text);
    }
    let text =
        "macro mul4x4(a, b, c) { m44 out, a, b }\nvt0 = mul4x4(va0, vc0, vc4)\nop = mul4x4(vt0, vc4)\n";
    assert!(words("macros.vert.agal", text).is_some());
    check("macros.vert.agal", text);
    assert!(count > 40, "{count}");
}

/// A text that is broken in one place or several.
fn mutated(text: &str, seed: &mut u64) -> String {
    let mut next = |below: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 33) as usize) % below.max(1)
    };
    let mut chars: Vec<char> = text.chars().take(4000).collect();
    for _ in 0..=next(4) {
        let at = next(chars.len());
        match next(4) {
            0 => drop((at < chars.len()).then(|| chars.remove(at))),
            1 => chars.insert(
                at,
                ['[', ']', '.', ',', '#', '(', '+', 'é', '\n', '{', '"', ';', ':', '/'][next(14)],
            ),
            2 => {
                let end = (at + next(30)).min(chars.len());
                chars.drain(at..end);
            }
            _ => {
                let end = (at + next(30)).min(chars.len());
                let piece = chars[at..end].to_vec();
                let to = next(chars.len());
                chars.splice(to..to, piece);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn broken_texts_have_symbols_in_their_places() {
    let (mut seed, mut n) = (7, 0);
    let mut folders = own();
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symbols"));
    each(&folders, &mut |name, text| {
        n += 1;
        if n % 3 == 0 {
            drop(check_spans(name, &mutated(text, &mut seed)));
        }
    });
}

#[test]
fn the_time_is_that_of_the_length() {
    type Of = fn(usize) -> String;
    type Text = Box<dyn Fn(usize) -> String>;
    let repeated = |head: &'static str, line: &'static str| {
        move |size: usize| String::from(head) + &line.repeat(size / line.len())
    };
    let texts: Vec<(&str, &str, Text)> = [
        ("a.vsa", "vs_2_0\n", "mad r0.xy, c[a0.x + 4], v0.x, -c1_abs\n"),
        ("a.vsa", "#define A(x, y) add x, y, y\nvs_2_0\n", "A(r0, c1)\n"),
        ("a.vsa", "vs_2_0\ndcl v0\n", "#define A(a,b,c,d,e,f,g) a b c d e f g\n"),
        ("a.agal", ".agal vertex 1\n", "m44 vt0, va0, vc[va1.x+3]\n"),
        ("a.agal", "alias vc0, ONE(1)\nmacro two(a) { out = a + 1 }\n", "vt0 = two(va0)\n"),
        ("a.vsh", "#m matrix4 0\n", "mul r0, c[A0+1], r1 + rsq r1, r2\n"),
        ("a.tgsi", "FRAG\nDCL TEMP[0..4000]\n", "MAD TEMP[1], IN[0], CONST[0][ADDR[0].x+1], IMM[0]\n"),
        ("a.tgsi", "FRAG\n", "DCL TEMP[0..65535]\nMOV TEMP[7], TEMP[9]\n"),
    ]
    .into_iter()
    .map(|(name, head, line)| (name, line, Box::new(repeated(head, line)) as Text))
    .collect();
    // Long names: a macro with many uses of its parameter, and one that stands for many instructions.
    let long: [(&str, &str, Of); 3] = [
        ("a.vsa", "uses of a parameter of a long name", |size| {
            format!("vs_2_0\n#define {}(a) {}\n", "N".repeat(size / 2), "a ".repeat(size / 4))
        }),
        ("a.vsa", "instructions of a long name", |size| {
            let (name, lines) = ("N".repeat(size / 4), "mov r0, c0 ".repeat(size / 24));
            format!("#define {name} {lines}\nvs_2_0\n{name}\n")
        }),
        ("a.agal", "uses of a parameter of a long name", |size| {
            let lines = "mov vt0, a\n".repeat(size / 24);
            format!(".agal vertex 1\nmacro {}(a) {{\n{lines}}}\n", "n".repeat(size / 2))
        }),
    ];
    let long = long.into_iter().map(|(name, what, of)| (name, what, Box::new(of) as Text));
    for (name, what, of) in texts.into_iter().chain(long) {
        let time = |text: &str| {
            let once = || {
                let start = std::time::Instant::now();
                let all = symbols(text, &OpenOptions::named(name), &mut NoHost);
                assert!(!all.is_empty(), "{what}");
                start.elapsed().as_secs_f64()
            };
            (0..3).map(|_| once()).fold(f64::MAX, f64::min)
        };
        let (small, large) = (time(&of(1 << 15)), time(&of(1 << 18)));
        // Of eight times the length: linear time is eight times as much, and quadratic time 64 times.
        assert!(large < small * 24.0 + 0.02, "{what}: {small} s, then {large} s");
        println!("{small:.4} s, then {large:.4} s: {what}");
    }
}
