//! The other languages of NV2A programs: corpus and recorded words go into them and come back.

use super::nv2a_text::{files, program, read_file};
use super::{File, Report, check_table, unescape};
use std::path::Path;
use vecasm::diag::Diagnostic;
use vecasm::isa::nv2a::bytes::{decode, encode, parse_words};
use vecasm::isa::nv2a::methods::{each_program, writes};
use vecasm::isa::nv2a::text::{Dialect, ParseOptions, PrintOptions, Style, parse, print, write};
use vecasm::isa::nv2a::{Field, Program, Slot};

/// Everything about the other languages.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![corpus(shared), recorded(shared), numbered(shared)]
}

/// The operations of the only slot of a program in words, whichever unit does them.
fn meaning(program: &Program) -> Vec<String> {
    let text = print(program, &PrintOptions { style: Style::Nv2avshd, compat: false });
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| {
            let mut parts: Vec<&str> = line.split(" + ").collect();
            parts.sort_unstable();
            parts.join(" + ")
        })
        .collect();
    for line in &mut lines {
        // Of these only the first component is read.
        for name in ["RCP ", "RCC ", "RSQ ", "EXP ", "LOG ", "ARL "] {
            if line.contains(name) {
                *line = first_components(line);
                break;
            }
        }
    }
    lines
}

/// The line with the sources of scalar operations cut to one component.
fn first_components(line: &str) -> String {
    let parts = line.split(" + ").map(|part| {
        let scalar =
            ["RCP ", "RCC ", "RSQ ", "EXP ", "LOG ", "ARL "].iter().any(|name| part.starts_with(name));
        if !scalar {
            return part.to_string();
        }
        let (dest, source) = part.split_once(", ").unwrap_or((part, ""));
        match source.rsplit_once('.') {
            Some((register, letters)) => format!("{dest}, {register}.{}", letters.get(..1).unwrap_or("")),
            None => format!("{dest}, {source}.x"),
        }
    });
    parts.collect::<Vec<_>>().join(" + ")
}

/// What the language says of a slot reads back as what it means; whether it can say it.
fn said(slot: Slot, dialect: Dialect) -> Result<bool, String> {
    let mut slot = slot;
    slot.set(Field::Final, 1);
    // NV_vertex_program asks for a position.
    let position = Slot([0, 0x0020_001b, 0x0836_106c, 0x2070_f800]);
    let program = Program::new(if dialect == Dialect::Vp && slot.get(Field::OutOrb) == 1 {
        vec![position, slot]
    } else {
        vec![slot]
    });
    let Ok(text) = write(&program, dialect) else { return Ok(false) };
    let (again, findings) = parse(&text, &ParseOptions::default());
    let again = again.ok_or_else(|| format!("{text}: {findings:?}"))?;
    if meaning(&again) != meaning(&program) {
        return Err(format!("{text} is {:?}, not {:?}", meaning(&again), meaning(&program)));
    }
    Ok(true)
}

/// Why a language cannot say a slot.
fn why(slot: Slot, dialect: Dialect) -> Vec<Diagnostic> {
    let mut slot = slot;
    slot.set(Field::Final, 1);
    write(&Program::new(vec![slot]), dialect).err().unwrap_or_default()
}

fn same(what: &str, got: &[Slot], wanted: &[Slot]) -> Result<(), String> {
    if got == wanted { Ok(()) } else { Err(format!("{what}: {got:?}, not {wanted:?}")) }
}

/// The corpus: as xemu's comments, as a log and as a pushbuffer the words are the same; in the XDK's language every slot
/// means the same but for those that no source knows the meaning of; in NV_vertex_program those that it can say.
fn corpus(shared: &Path) -> File<'_> {
    let name = "corpus/nv2a (other languages)";
    let paths = files(&shared.join("corpus/nv2a"), ".words");
    if paths.is_empty() {
        return File::absent(name);
    }
    let mut file = File::new(name);
    let id = |path: &Path| path.file_name().and_then(|n| n.to_str()).unwrap_or("").to_string();
    let rows = paths.into_iter().map(|path| (id(&path), path));
    file.add_all(rows, |report, id, path| {
        let outcome = in_other_languages(report, path);
        report.case(id, outcome);
    });
    file.summarize(|report| {
        let [slots, in_xvs, in_vp] = ["slots", "xvs", "vp"].map(|what| report.count_of(what));
        report.file += &format!(", {slots} slots, {in_xvs} in xvs, {in_vp} in vp");
    });
    file
}

/// One program of the corpus.
fn in_other_languages(report: &mut Report, path: &Path) -> Result<(), String> {
    let bytes = parse_words(&read_file(path)?).ok_or("no words")?;
    let program = decode(&bytes).map_err(|e| e.to_string())?;
    let mut comments = String::new();
    let mut log = "NV097_SET_TRANSFORM_PROGRAM_LOAD 0x0\n".to_string();
    let mut push: Vec<u32> = vec![1 << 18 | 0x1e9c, 0];
    for (n, slot) in program.slots.iter().enumerate() {
        let [a, b, c, d] = slot.0;
        // Calls that say something else than the words would be errors.
        comments += &format!("  /* Slot {n}: 0x{a:08X} 0x{b:08X} 0x{c:08X} 0x{d:08X} */\n");
        for (n, word) in slot.0.iter().enumerate() {
            let method = 0xb00 + 4 * n;
            log += &format!(
                "nv2a_pgraph_method 0: 0x0097 -> 0x{method:04x} NV097_SET_TRANSFORM_PROGRAM[{n}] 0x{word:08x}\n"
            );
        }
        push.push(4 << 18 | 0x0b00);
        push.extend(slot.0);
    }
    log += "nv2a_pgraph_method 0: 0x0097 -> 0x17fc NV097_SET_BEGIN_END 0x5\n";
    push.extend([1 << 18 | 0x17fc, 5]);
    let end = program.slots.iter().position(Slot::is_final).map_or(program.slots.len(), |n| n + 1);
    let run = program.slots.get(..end.min(136)).unwrap_or(&[]);
    for (what, text, wanted) in [("comments", &comments, program.slots.as_slice()), ("log", &log, run)] {
        let (again, findings) = parse(text, &ParseOptions::default());
        same(what, &again.ok_or_else(|| format!("{what}: {findings:?}"))?.slots, wanted)?;
    }
    let push: Vec<u8> = push.into_iter().flat_map(u32::to_le_bytes).collect();
    let mut pushed = Vec::new();
    each_program(writes(&push), |run| pushed = run.slots.to_vec());
    same("pushbuffer", &pushed, run)?;
    if encode(&decode(&push).map_err(|e| e.to_string())?) != push {
        return Err("other bytes of the pushbuffer".into());
    }
    for slot in &program.slots {
        report.count("slots", 1);
        report.count("vp", u64::from(said(*slot, Dialect::Vp)?));
        if said(*slot, Dialect::Xvs)? {
            report.count("xvs", 1);
        } else if slot.get(Field::OutAddress) < 192 || slot.get(Field::OutOrb) == 1 {
            // A test program writes constants that do not exist.
            return Err(format!("{slot:?}: {:?}", why(*slot, Dialect::Xvs)));
        }
    }
    Ok(())
}

/// The words of `asm.tsv`, which nv2a-vsh emits: what a language says of them gives the very words.
fn recorded(shared: &Path) -> File<'_> {
    let mut file = check_table(shared, "oracle/nv2a/asm.tsv", |report, id, columns| {
        let outcome = (|| {
            let program = program(columns.get(3).copied().unwrap_or(""))?;
            for (dialect, name) in [(Dialect::Xvs, "xvs"), (Dialect::Vp, "vp")] {
                let Ok(text) = write(&program, dialect) else { continue };
                report.count(name, 1);
                let (again, findings) = parse(&text, &ParseOptions::default());
                let again = again.ok_or_else(|| format!("{text}: {findings:?}"))?;
                // A component that is not read is not said.
                if dialect == Dialect::Vp || again.slots.iter().any(|slot| slot.0 == [0, 0, 0, 1]) {
                    if meaning(&again) != meaning(&program) {
                        return Err(format!("{text} is {:?}", again.slots));
                    }
                } else if again.slots != program.slots && program.slots.last() != Some(&Slot::END) {
                    return Err(format!("{text} is {:?}, not {:?}", again.slots, program.slots));
                }
            }
            Ok(())
        })();
        report.case(id, outcome);
    });
    file.summarize(|report| {
        let [xvs, vp] = ["xvs", "vp"].map(|what| report.count_of(what));
        report.file += &format!(" (other languages: {xvs} in xvs, {vp} in vp)");
    });
    file
}

/// The rows of `asm_equiv.tsv` with Direct3D's numbers are the XDK's language.
fn numbered(shared: &Path) -> File<'_> {
    let file = check_table(shared, "oracle/nv2a/asm_equiv.tsv", |report, id, columns| {
        if columns.first() != Some(&"constants=d3d") {
            return;
        }
        let outcome = (|| {
            let text = format!("xvs.1.1\n{}", unescape(columns.get(1).copied().unwrap_or("")));
            let (got, findings) = parse(&text, &ParseOptions::default());
            let got = got.ok_or_else(|| format!("{findings:?}"))?;
            same("words", &got.slots, &program(columns.get(3).copied().unwrap_or(""))?.slots)
        })();
        report.case(id, outcome);
    });
    file.append_name(" (xvs)")
}
