//! The document `docs/ir.md`: the prose, the operations, the rules and the text form of the IR, out of their sources.

use crate::root;
use std::fmt::Write as _;
use vecasm::ir::op::Slot;
use vecasm::ir::verify::RULES;
use vecasm::ir::{Pure, Scalar};

/// The document.
pub(crate) fn document() -> Result<String, String> {
    let mut out = String::from(
        "# The intermediate representation\n\n\
         <!-- Written by `cargo xtask docs` from crates/vecasm/src/ir. -->\n\n",
    );
    out.push_str(&module_prose("crates/vecasm/src/ir/mod.rs")?);
    out.push_str("\n## Pure operations\n\n");
    out.push_str(
        "The result depends on the arguments only. Where nothing else is said, lane i of the result is the operation \
         on lane i of the arguments.\n\n| operation | types | T may be | nv20 | result |\n|---|---|---|---|---|\n",
    );
    for op in Pure::ALL {
        let word = |slot: Slot| match slot {
            Slot::T => "T",
            Slot::Is(scalar) => scalar.name(),
        };
        let args: Vec<&str> = op.slots().iter().map(|&slot| word(slot)).collect();
        let over: Vec<&str> = Scalar::ALL.iter().filter(|s| op.over().has(**s)).map(|s| s.name()).collect();
        let over = if op.slots().contains(&Slot::T) { over.join(" ") } else { String::new() };
        let result =
            if op.reduces() { format!("one {}", word(op.result())) } else { word(op.result()).into() };
        let nv20 = if op.has_nv20() { "yes" } else { "" };
        let _ = writeln!(
            out,
            "| `{}` | {} → {result} | {over} | {nv20} | {} |",
            op.name(),
            args.join(", "),
            op.doc().trim()
        );
    }
    out.push_str("\n## Other operations\n\n");
    for (name, doc) in variants("crates/vecasm/src/ir/op/mod.rs", "pub enum Op {")? {
        let _ = writeln!(out, "* **{name}**: {doc}");
    }
    out.push_str("\n## Rules\n\n");
    out.push_str(
        "What a sound shader keeps, by the id of a breach. `ir::verify` reports all of them, passes rely on them, and \
         engines refuse a shader with a breach.\n\n| id | rule |\n|---|---|\n",
    );
    for rule in RULES {
        let _ = writeln!(out, "| `{}` | {} |", rule.id, rule.text);
    }
    out.push_str("\n## Text form\n\n");
    out.push_str(&module_prose("crates/vecasm/src/ir/text/mod.rs")?);
    out.push_str("\n## Provenance\n\n");
    out.push_str(&module_prose("crates/vecasm/src/ir/steps.rs")?);
    Ok(out)
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))
}

/// The documentation at the head of a module, as Markdown: headings one level deeper, links by name as code.
fn module_prose(path: &str) -> Result<String, String> {
    let mut out = String::new();
    for line in read(path)?.lines().take_while(|l| l.starts_with("//!")) {
        let line = line.trim_start_matches("//!").strip_prefix(' ').unwrap_or("");
        if let Some(heading) = line.strip_prefix("# ") {
            let _ = writeln!(out, "## {heading}");
            continue;
        }
        let _ = writeln!(out, "{}", unlinked(line));
    }
    Ok(out)
}

/// `[text](path)` and `[text]` become `text`: the paths are those of the source documentation.
fn unlinked(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find(']').map(|n| open + n) else { break };
        out.push_str(&rest[..open]);
        let text = &rest[open + 1..close];
        let link = rest[close + 1..].starts_with('(').then(|| rest[close..].find(')')).flatten();
        let named = text.starts_with('`') && text.ends_with('`');
        match link {
            Some(end) => {
                out.push_str(text);
                rest = &rest[close + end + 1..];
            }
            None if named => {
                out.push_str(text);
                rest = &rest[close + 1..];
            }
            None => {
                out.push_str(&rest[open..=close]);
                rest = &rest[close + 1..];
            }
        }
    }
    out + rest
}

/// Names and documentation of the variants of an enum.
fn variants(path: &str, head: &str) -> Result<Vec<(String, String)>, String> {
    let text = read(path)?;
    let start = text.find(head).ok_or_else(|| format!("{path}: no `{head}`"))?;
    let (mut out, mut doc) = (Vec::new(), String::new());
    for line in text[start..].lines().skip(1) {
        if line == "}" {
            break;
        }
        // Fields are indented further.
        let Some(line) = line.strip_prefix("    ").filter(|l| !l.starts_with(' ') && !l.starts_with('}'))
        else {
            continue;
        };
        if let Some(words) = line.strip_prefix("///") {
            doc.push_str(&unlinked(words));
        } else {
            let name: String = line.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
            out.push((name, std::mem::take(&mut doc).trim().to_string()));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::unlinked;

    #[test]
    fn links_of_the_source_become_words() {
        assert_eq!(unlinked("see [`Op`] and [steps](steps), not a[1]"), "see `Op` and steps, not a[1]");
    }
}
