//! Properties of Direct3D 8 and 9: what must hold for any token stream and any text whatever.

use super::made::{Sections, shape};
use super::{Rng, Seen, batch, laid_out_once, presentable, same_but_nan, symbols_are_in_place};
use vecasm::diag::{self, Diagnostic, Severity, Span};
use vecasm::emit::wgsl;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs};
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::d3d9::bytes::{decode_lossless, encode, parse_digits};
use vecasm::isa::d3d9::convert::canonicalize::objections;
use vecasm::isa::d3d9::convert::{
    self, CanonicalizeOptions, Conversion, UpgradeOptions, canonicalize, upgrade,
};
use vecasm::isa::d3d9::lift;
use vecasm::isa::d3d9::program::Program;
use vecasm::isa::d3d9::rules::{Options, PairFindings, Profile, SWITCHES, check_pair, slot_counts, validate};
use vecasm::isa::d3d9::text::preprocess::{self, Included, is_needed, preprocess};
use vecasm::isa::d3d9::text::{self, PrintOptions, ReadOptions, Style, assemble, format, parse, print};
use vecasm::isa::d3d9::{ItemKind, ctab};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::opt::{clean, fold};

/// The stream of a text, if it assembles.
pub(crate) fn stream(text: &str) -> Option<Vec<u8>> {
    parse(text).0.map(|program| encode(&program))
}

/// Where the items of a stream begin, in bytes.
pub(crate) fn cuts(bytes: &[u8]) -> Vec<usize> {
    decode_lossless(bytes).items().iter().map(|item| item.start as usize * 4).collect()
}

/// The subroutines of a stream and what they call; they are known by their labels, from 1.
pub(crate) fn calls(bytes: &[u8]) -> Sections {
    let program = decode_lossless(bytes);
    let mut sections = Sections::default();
    let mut section = 0;
    for item in program.items() {
        let words = program.words_of(*item);
        let label = words.get(1).map_or(0, |word| (word & 0x7ff) + 1);
        let known = item.kind == ItemKind::Instruction;
        match words.first().map(|word| word & 0xffff) {
            Some(30) if known => section = label,
            Some(25 | 26) if known => sections.0.entry(section).or_default().1.push(label),
            _ => {}
        }
        sections.0.entry(section).or_default().0 += words.len() * 4;
    }
    sections
}

/// Subroutines that call one another.
pub(crate) fn call_tree(rng: &mut Rng) -> String {
    const LINES: [&str; 8] = [
        "mov r1, c0",
        "add r0, r0, r1",
        "mul r2.xy, r0, v0",
        "mad r3.w, r2, c1, r1",
        "rcp r0.x, r0.x",
        "mov r4, r3",
        "mov oD0, r4",
        "nop",
    ];
    let (depth, times) = shape(rng);
    let mut out = String::from("vs_2_x\ndcl_position v0\nmov r0, v0\ncall l0\nmov oPos, r0\nret\n");
    for n in 0..depth {
        out += &format!("label l{n}\n");
        // One that may be left early is a block.
        if rng.below(3) == 0 {
            out += "if b0\nret\nendif\n";
        }
        for _ in 0..rng.below(4) {
            out += LINES[rng.below(LINES.len())];
            out.push('\n');
        }
        if n + 1 < depth {
            let call = if rng.below(4) == 0 {
                format!("callnz l{}, b1\n", n + 1)
            } else {
                format!("call l{}\n", n + 1)
            };
            out += &call.repeat(times);
        }
        out += "ret\n";
    }
    out
}

/// What must hold for every program: bytes and text give it back, and so does its text laid out anew.
pub(crate) fn survives(program: &Program) -> Result<(), String> {
    let bytes = encode(program);
    if decode_lossless(&bytes) != *program {
        return Err("other program after encoding and decoding".into());
    }
    let printed = print(program, &PrintOptions::default());
    let again = |text: &str| match parse(text) {
        (Some(again), _) if again == *program => Ok(()),
        (Some(again), _) => {
            Err(format!("{:08x?}\nreads back as {:08x?}:\n{text}", program.words(), again.words()))
        }
        (None, findings) => Err(format!("does not read back: {findings:?}\n{text}")),
    };
    again(&printed)?;
    again(&format(&printed).map_err(|findings| format!("is not laid out: {findings:?}"))?)
}

/// Any stream is read and comes back from bytes, digits and text; its items are its words, and its table of constants is
/// read without harm.
pub(crate) fn token_streams_survive(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    assert!(encode(&program) == bytes, "other bytes came back");
    let mut at = 0;
    for item in program.items() {
        assert!(item.start == at && item.len > 0, "a gap between the items");
        at += item.len;
    }
    assert!(at as usize == program.words().len(), "words without an item");
    if let Err(why) = survives(&program) {
        panic!("{why}");
    }
    let (table, findings) = ctab::of(&program);
    findings.iter().take(3).for_each(|finding| presentable(finding, "input", None));
    if let Some(table) = table {
        seen.count("with a table");
        if findings.is_empty() {
            // How long a default value is depends on what follows it, where it is not as long as its type.
            let without = |mut table: ctab::ConstantTable| {
                table.constants.iter_mut().for_each(|constant| constant.default = None);
                table
            };
            let again = ctab::read(&table.words()).0.map(without);
            assert!(again == Some(without(table)), "a table that is written reads as another");
        }
    }
    if program.version().known_stage().is_some() {
        seen.count("with a model");
        let digits = AnyProgram::D3d9(program.clone()).hex();
        let known = vecasm::isa::d3d9::bytes::looks_like(bytes);
        assert!(!known || parse_digits(&digits).as_deref() == Some(bytes), "the digits give other bytes");
    }
    let version = program.version();
    let mut said = 0;
    for item in program.items().iter().filter(|item| item.kind == ItemKind::Instruction) {
        let line = text::instruction(version, program.words_of(*item));
        said += u64::from(!line.starts_with(".raw"));
    }
    if said > 0 {
        seen.count("with instructions");
    }
}

/// Any stream is checked by everybody: nothing is said twice, everything said can be shown, and slots are counted.
pub(crate) fn streams_are_validated(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let mut rng = Rng::of(bytes);
    let mut options = Options { profile: Profile::ALL[rng.below(Profile::ALL.len())], ..Options::default() };
    for switch in SWITCHES.iter().filter(|switch| switch.values.len() > 1) {
        if rng.below(4) == 0 {
            let (value, _) = switch.values[rng.below(switch.values.len())];
            options.switches.set(switch.name, value).expect("the table has it");
        }
    }
    let findings = validate(&program, &options);
    findings.iter().take(5).for_each(|finding| presentable(finding, "input", None));
    let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
    seen.count(if refused { "refused" } else { "accepted" });
    let slots = slot_counts(&program).total();
    assert!(slots as usize <= bytes.len() * 2, "{slots} slots in {} bytes", bytes.len());
    // Any two programs are a pair.
    let PairFindings { linkage, .. } = check_pair(&program, &program, &options);
    linkage.iter().take(5).for_each(|finding| presentable(finding, "input", None));
}

/// Options at random, the defaults often.
pub(super) fn lifting(rng: &mut Rng) -> lift::Options {
    let mut out = lift::Options::default();
    if rng.below(2) == 0 {
        return out;
    }
    if rng.below(4) == 0 {
        out.numerics = lift::Numerics::Ieee;
    }
    for (part, _) in lift::Pipeline::PARTS {
        if rng.below(4) == 0 {
            out.pipeline.add(part);
        }
    }
    for switch in lift::SWITCHES.iter().filter(|switch| switch.values.len() > 1) {
        if rng.below(4) == 0 {
            let (value, _) = switch.values[rng.below(switch.values.len())];
            out.switches.set(switch.name, value).expect("the table has it");
        }
    }
    out
}

/// A stream is lifted or refused by a rule of lifting, by any options, and what comes of it keeps the rules of the IR.
pub(crate) fn streams_are_lifted(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let options = lifting(&mut Rng::of(bytes));
    match lift::lift(&program, &options) {
        Ok(shader) => {
            seen.count("lifted");
            let breaches = verify(&shader);
            assert!(breaches.is_empty(), "{options:?}: {}", breaches[0]);
        }
        Err(finding) => {
            assert!(lift::RULES.iter().any(|rule| rule.id == finding.id), "{options:?}: {finding}");
            presentable(&finding, "input", None);
        }
    }
}

/// A stream of Direct3D 8 becomes one of Direct3D 9 and any stream one for MojoShader, or it is said what stands against it.
/// The result is as long as the stream times a constant, comes back from its bytes, has nothing against it, and is what it
/// becomes itself; what is changed is said, and nothing is said where nothing is changed.
pub(crate) fn streams_are_converted(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let errors = |program: &Program, profile: Profile| {
        let findings = validate(program, &Options { profile, ..Options::default() });
        findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect::<Vec<_>>()
    };
    let up = |program: &Program| upgrade(program, &UpgradeOptions::default());
    let canonical = |program: &Program| canonicalize(program, &CanonicalizeOptions::default());
    if let Some(done) = converted(&program, &up, "upgraded", seen) {
        let left = errors(&done, Profile::D3d9);
        assert!(left.is_empty(), "upgraded, and not taken: {}", left[0]);
        let (stage, before) = (done.version().known_stage(), program.version().known_stage());
        assert!(stage == before && done.version().minor() > 0, "upgraded to another model");
    } else {
        // What is legal in Direct3D 9 has nothing to be changed that could fail.
        let old = program.version().known_stage().is_some()
            && program.version().major() == 1
            && (1..=4).contains(&program.version().minor());
        assert!(!old || !errors(&program, Profile::D3d9).is_empty(), "legal, and not upgraded");
    }
    if let Some(done) = converted(&program, &canonical, "canonical", seen) {
        let left = objections(&done);
        assert!(left.is_empty(), "canonical, and not taken: {}", left[0]);
    } else {
        assert!(!objections(&program).is_empty(), "taken, and not canonical");
    }
}

/// What a program becomes, if it does.
fn converted(
    program: &Program,
    convert: &dyn Fn(&Program) -> Result<Conversion, Vec<Diagnostic>>,
    what: &'static str,
    seen: &mut Seen,
) -> Option<Program> {
    let done = match convert(program) {
        Ok(done) => done,
        Err(findings) => {
            assert!(!findings.is_empty(), "refused for no reason");
            for finding in findings.iter().take(5) {
                assert!(convert::RULES.iter().any(|rule| rule.id == finding.id), "{finding}");
                presentable(finding, "input", None);
            }
            seen.count("refused");
            return None;
        }
    };
    seen.count(what);
    let (old, new) = (program.words(), done.program.words());
    // Twelve is what texdepth becomes; a register for each operand, a table and declarations are beside that.
    assert!(new.len() <= 16 * old.len() + 128, "{what}: {} words are {}", old.len(), new.len());
    assert!(done.notes.iter().all(|note| note.severity == Severity::Note), "{what}: a note that is none");
    done.notes.iter().take(5).for_each(|note| presentable(note, "input", None));
    assert!(done.notes.is_empty() == (old == new), "{what}: {} notes", done.notes.len());
    let again = decode_lossless(&encode(&done.program));
    assert!(again == done.program, "{what}: other bytes");
    match convert(&again) {
        Ok(twice) => assert!(twice.program == again, "{what}: changes again: {}", twice.notes[0]),
        Err(findings) => panic!("{what}: refused the second time: {}", findings[0]),
    }
    if old != new {
        seen.count("changed");
    }
    Some(again)
}

/// What was lifted runs, twice the same; with the step table, folded and cleaned, it gives the same bits; and it is
/// written as WGSL, or the writer says what WGSL lacks.
pub(crate) fn lifted_streams_run(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let options = lifting(&mut Rng::of(bytes));
    let Ok(lean) = lift::lift(&program, &options) else { return };
    // Damaged counts are rounds by the million.
    let on = |shader: &Shader| {
        let batch = Batch { fuel: Some(4_096), ..batch(shader, &mut Rng::of(bytes), 4) };
        Interp.run(shader, &batch)
    };
    // Loops of a thousand rounds in loops run out of fuel.
    let Ok(wanted) = on(&lean) else {
        seen.count("out of fuel");
        return;
    };
    assert!(on(&lean).as_ref() == Ok(&wanted), "a second run gives other bits");
    seen.count("ran");
    let full = match lift::lift(&program, &lift::Options { depth: Depth::Full, ..options }) {
        Ok(full) => full,
        // What calls bring is counted with the operations that steps add.
        Err(limit) if limit.id.ends_with("-lift-limit") => return seen.count("too long with steps"),
        Err(finding) => panic!("not lifted with steps: {finding:?}"),
    };
    for (name, shader) in [("in full", &full), ("folded and cleaned", &clean(&fold(&full)))] {
        let breaches = verify(shader);
        assert!(breaches.is_empty(), "{name}: {}", breaches[0]);
        // Passes may change a NaN.
        let same = |got: &Outputs| got == &wanted || name != "in full" && same_but_nan(got, &wanted);
        assert!(on(shader).is_ok_and(|got| same(&got)), "{options:?}: {name}: other results");
    }
    match wgsl::write(&lean, &wgsl::Options::default()) {
        Ok(_) => seen.count("written"),
        Err(finding) => presentable(&finding, "input", None),
    }
}

/// Fails unless there is either a program or an error. Of a good text only numbers that are too large are told.
fn one_of_both(is_program: bool, findings: &[Diagnostic]) {
    assert!(is_program != diag::has_errors(findings), "neither a program nor an error, or both");
    let told = |finding: &&Diagnostic| finding.severity != Severity::Error && finding.id != "D3D9-overflow";
    assert!(!is_program || findings.iter().find(told).is_none(), "something is told of a good text");
}

/// Any text can be read and laid out; what is accepted comes back from being printed, and laying it out changes nothing.
pub(crate) fn stream_texts_are_safe(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    symbols_are_in_place(Isa::D3d9, &input);
    let (program, findings) = parse(&input);
    one_of_both(program.is_some(), &findings);
    findings.iter().take(5).for_each(|finding| presentable(finding, "input", Some(&input)));
    let spans = text::instruction_spans(&input);
    let Some(program) = program else {
        seen.count("refused");
        return;
    };
    seen.count("assembled");
    assert!(spans.len() == program.instructions().count(), "instructions without a place");
    for span in spans {
        assert!(input.get(span.start as usize..span.end as usize).is_some(), "{span:?} is outside");
    }
    if let Err(why) = survives(&program) {
        panic!("{why}");
    }
    laid_out_once(Isa::D3d9, &input, seen);
    if let Err(findings) = format(&input) {
        panic!("assembled, but not laid out: {findings:?}");
    }
}

/// A text goes through the preprocessor with a bounded result, the same each time, and every place leads back into a file.
pub(crate) fn preprocessing_is_bounded(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    let mut read = 0;
    let run = |read: &mut usize| {
        preprocess(&input, &preprocess::Options { name: "main", ..Default::default() }, &mut |request| {
            let text = match request.name {
                "a.h" => "#ifndef A\n#define A r0\n#include \"b.h\"\n#endif\n",
                "b.h" => "#define TWICE(x) x x\nmov A, c0\n#include <a.h>\n",
                _ => return Err("there is no such file".into()),
            };
            // As many of them as there may be files inside one another count too.
            *read += text.len().max(256);
            Ok(Included { name: request.name.into(), text: text.into() })
        })
    };
    let done = run(&mut read);
    assert!(done.text.len() <= 2 * (input.len() + read) + (1 << 16), "{} bytes", done.text.len());
    let again = run(&mut 0);
    assert!(again.text == done.text && again.findings == done.findings, "another result");
    for finding in done.findings.iter().take(5) {
        let file = &done.files[finding.file];
        presentable(&finding.diagnostic, &file.name, Some(&file.text));
    }
    if done.has_errors() {
        seen.count("with an error");
    } else if !is_needed(&input) {
        assert!(done.text == input, "something else without a reason");
    }
    if done.files.len() > 1 {
        seen.count("with a file");
    }
    let mut expanded = false;
    let step = (done.text.len() / 50).max(1);
    for at in (0..done.text.len()).step_by(step) {
        let origin = done.origin(Span::new(at, at + 1));
        expanded |= origin.expanded;
        let text = &done.files[origin.file].text;
        let (start, end) = (origin.span.start as usize, origin.span.end as usize);
        assert!(start <= end && end <= text.len(), "{origin:?} is outside");
        if !origin.expanded {
            assert!(
                text.as_bytes().get(start) == done.text.as_bytes().get(at),
                "{origin:?} is another place"
            );
        }
    }
    if expanded {
        seen.count("expanded");
    }
    let (program, findings) = parse(&input);
    one_of_both(program.is_some(), &findings);
    findings.iter().take(5).for_each(|finding| presentable(finding, "input", None));
}

/// A listing of any stream has its instructions, as far as they are whole, and gives the stream again if it is read as a
/// listing of it.
pub(crate) fn listings_read_back(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let odd = |item: &ItemKind| matches!(item, ItemKind::Stray | ItemKind::Cut);
    // Without an end a definition may lack numbers, which what is behind it seems to be.
    let whole = program.has_end()
        && program.version().is_known()
        && !program.items().iter().any(|item| odd(&item.kind));
    for style in [Style::Listing, Style::Wine] {
        let text = print(&program, &PrintOptions { style });
        assert!(text.len() <= 64 * bytes.len() + (1 << 18), "{} bytes", text.len());
        let reading = ReadOptions { like: Some(&program), ..ReadOptions::default() };
        let done = assemble(&text, &preprocess::Options::default(), &reading, &mut |_| Err(String::new()));
        let again = done.program;
        if !whole {
            continue;
        }
        if style == Style::Listing {
            seen.count("listed");
            let (plain, findings) = parse(&text);
            let plain = plain.unwrap_or_else(|| panic!("is refused: {findings:?}\n{text}"));
            assert!(plain.instructions().eq(program.instructions()), "other instructions:\n{text}");
            let slots = format!("\n// approximately {} instruction slot", slot_counts(&program).total());
            assert!(text.contains(".raw") || text.contains(&slots), "other slots than {slots:?}:\n{text}");
            let again = again.unwrap_or_else(|| panic!("is refused: {:?}\n{text}", done.findings));
            assert!(encode(&again) == bytes, "other bytes:\n{text}");
            seen.count("like");
        } else if let Some(again) = again {
            assert!(encode(&again) == bytes, "other bytes:\n{text}");
            seen.count("like Wine's");
        }
    }
}

/// A comment with a table of one constant, the vector `fog` in c3.
const TABLE: [u32; 19] = [
    0x0012_fffe,
    0x4241_5443,
    28,
    0,
    0xffff_0200,
    1,
    28,
    0,
    0,
    48,
    0x0003_0002,
    1,
    52,
    0,
    0x0067_6f66,
    0x0003_0001,
    0x0004_0001,
    1,
    0,
];

/// A stream with some damage to bits, words or its length.
pub(crate) fn damaged_stream(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    /// Words that mean something.
    const WORDS: [u32; 10] = [
        0x0000_ffff,
        0x0001_fffe,
        0x7fff_fffe,
        0x0000_fffd,
        0x0200_0001,
        0x0000_0051,
        0x8000_0000,
        0xa0e4_2000,
        0xffff_0104,
        0xfffe_0300,
    ];
    let mut out = seed.to_vec();
    // Few programs have a table of constants.
    if out.len() >= 4 && rng.below(4) == 0 {
        out.splice(4..4, TABLE.iter().flat_map(|word| word.to_le_bytes()));
    }
    for _ in 0..=rng.below(3) {
        let words = out.len() / 4;
        let at = rng.below(words.max(1)) * 4;
        let there = at + 4 <= out.len();
        match rng.below(9) {
            0..=2 if !out.is_empty() => {
                let bit = rng.below(out.len() * 8);
                out[bit / 8] ^= 1 << (bit % 8);
            }
            3 if there => {
                let word = WORDS[rng.below(WORDS.len())];
                out[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            4 if there && out.len() < 1 << 15 => {
                let word = WORDS[rng.below(WORDS.len())];
                out.splice(at..at, word.to_le_bytes());
            }
            5 if there => {
                out.drain(at..at + 4);
            }
            6 if there => {
                let other = rng.below(words) * 4;
                for n in 0..4 {
                    out.swap(at + n, other + n);
                }
            }
            7 => out.truncate(rng.below(out.len() + 1)),
            // A small value in a field.
            8 if there => {
                let byte = at + rng.below(4);
                out[byte] = rng.below(32) as u8;
            }
            _ => out.extend((0..rng.below(12)).map(|_| rng.next() as u8)),
        }
    }
    out
}

/// A text with lines for the preprocessor put in, then damaged.
pub(crate) fn damaged_macros(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "#define A r0\n",
        "#define F(a, b) a ## b #a A\n",
        "#define G(x) F(x, x) G(A) x\n",
        "#define A0 nop A\n#define A A0 A0\n",
        "F(r, 1) ",
        "G(c0) ",
        "A ",
        "TWICE(A) ",
        "#if A == 1 || defined(F)\n",
        "#elif 1 + 2 * 3 > (A)\n",
        "#ifdef A\n",
        "#ifndef B\n",
        "#else\n",
        "#endif\n",
        "#undef A\n",
        "#include \"a.h\"\n",
        "#include <b.h>\n",
        "#line 7 \"x\"\n",
        "__LINE__ __FILE__ ",
        "#error no\n",
        "#pragma once\n",
        "\\\n",
        "\"text\" ",
        "(",
    ];
    let mut out = seed.to_vec();
    for _ in 0..1 + rng.below(6) {
        let at = rng.below(out.len() + 1);
        let line = out[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        out.splice(line..line, PIECES[rng.below(PIECES.len())].bytes());
    }
    if rng.below(3) == 0 { damaged_text(&out, rng) } else { out }
}

/// A text with pieces of the language put in, taken out or doubled.
pub(crate) fn damaged_text(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 30] = [
        "r0",
        "c[a0.x + 2]",
        "-",
        "1-",
        "!",
        "_sat",
        "_bx2",
        ".xyzw",
        ".yx",
        "[",
        "]",
        "+",
        "(p0.x) ",
        "mov ",
        "nop\n",
        "dcl_2d ",
        "def c0, 1, 2e-3, 0x7fc00000, -0\n",
        ".raw 0000ffff\n",
        ".raw 0200fffe",
        ".comment CTAB { 00000001 }",
        ".end\n",
        ".noend\n",
        ".bytes 01\n",
        "/*",
        "*/",
        "; ",
        "\u{feff}",
        "\x0c",
        "\r",
        "vs_1_1\n",
    ];
    if rng.below(3) == 0 {
        return super::damaged_text(seed, rng);
    }
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(2) {
        let at = rng.below(out.len() + 1);
        let piece = PIECES[rng.below(PIECES.len())];
        match rng.below(4) {
            0 if at < out.len() => {
                let end = (at + 1 + rng.below(6)).min(out.len());
                out.drain(at..end);
            }
            1 if at < out.len() => {
                let end = (at + 1 + rng.below(12)).min(out.len());
                let copy = out[at..end].to_vec();
                out.splice(end..end, copy);
            }
            _ => {
                // At a line's start, where most statements are.
                let line = out[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
                let to = if rng.below(2) == 0 { line } else { at };
                out.splice(to..to, piece.bytes());
            }
        }
    }
    out
}
