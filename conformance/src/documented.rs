//! Documentation in sources, read for documents.

use crate::root;

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))
}

/// The documentation at the head of a module, as Markdown: headings as deep as said, links by name as code.
///
/// # Errors
///
/// There is no such file or item.
pub fn module_prose(path: &str, heading: &str) -> Result<String, String> {
    let mut out = String::new();
    let text = read(path)?;
    let lines = text.lines().take_while(|l| l.starts_with("//!"));
    let lines = lines.map(|line| line.trim_start_matches("//!").strip_prefix(' ').unwrap_or(""));
    let mut code = false;
    for line in lines {
        code ^= line.starts_with("```");
        match line.strip_prefix("# ") {
            Some(title) if !code => out.push_str(&format!("{heading} {title}")),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    Ok(unlinked(&out))
}

/// `[text](path)` and `[text]` become `text`: the paths are those of the source documentation. Brackets in code stay.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let fence = from.starts_with("```");
        let end = if fence { "```" } else { "`" };
        if let Some(code) = from.strip_prefix(end) {
            // Code, up to its end.
            let end = code.find(end).map_or(from.len(), |n| n + 2 * end.len());
            push(&mut out, &from[..end]);
            rest = &from[end..];
            continue;
        }
        // A link has no bracket inside, but for those of code.
        let close = from.find(']').filter(|&close| !from[1..close].contains('['));
        let Some(close) = close else {
            out.push('[');
            rest = &from[1..];
            continue;
        };
        let (inside, behind) = (&from[1..close], &from[close + 1..]);
        let named = inside.starts_with('`') && inside.ends_with('`');
        match target(behind) {
            Some(behind) => {
                push(&mut out, inside);
                rest = behind;
            }
            None if named => {
                push(&mut out, inside);
                rest = behind;
            }
            None => {
                out.push('[');
                rest = &from[1..];
            }
        }
    }
    out + rest
}

/// Appends text. Code right behind code becomes one piece.
fn push(out: &mut String, text: &str) {
    let fence = |s: &str| s.contains("```");
    let tail = out.len().saturating_sub(3);
    let joins = out.ends_with('`') && text.starts_with('`');
    match text.strip_prefix('`') {
        Some(text) if joins && !fence(text) && out.get(tail..).is_some_and(|tail| !fence(tail)) => {
            out.pop();
            out.push_str(text);
        }
        _ => out.push_str(text),
    }
}

/// What stands behind the target of a link, if one stands here: `(path)`, where the path may have parentheses.
fn target(text: &str) -> Option<&str> {
    let mut depth = 0;
    if !text.starts_with('(') {
        return None;
    }
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(i + 1..);
        }
    }
    None
}

/// A variant or field.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The word in quotes behind the name, where there is one.
    pub word: String,
    /// Its documentation, in one line.
    pub doc: String,
}

fn find<'a>(text: &'a str, path: &str, head: &str) -> Result<(usize, &'a str), String> {
    let at = |head: &str| text.find(&format!("\n{head}"));
    // Behind the name `words!` has what each one is.
    let start = at(head).or_else(|| head.split_once(" {").and_then(|(name, _)| at(&format!("{name} \""))));
    let start = start.ok_or_else(|| format!("{path}: no `{head}`"))? + 1;
    Ok((start, &text[start..]))
}

/// The documentation above an item: the comments right before its first line, attributes left out.
///
/// # Errors
///
/// There is no such file or item.
pub fn item_doc(path: &str, head: &str) -> Result<String, String> {
    let text = read(path)?;
    let (start, _) = find(&text, path, head)?;
    let mut lines = Vec::new();
    for line in text[..start].lines().rev().map(str::trim) {
        match line.strip_prefix("///") {
            Some(doc) => lines.push(doc.trim()),
            None if line.starts_with("#[") || line.is_empty() && lines.is_empty() => {}
            None => break,
        }
    }
    lines.reverse();
    Ok(unlinked(&lines.join("\n")))
}

/// Names and documentation of the variants of an enum or the fields of a struct.
///
/// # Errors
///
/// There is no such file or item.
pub fn members(path: &str, head: &str) -> Result<Vec<Member>, String> {
    let text = read(path)?;
    let (_, item) = find(&text, path, head)?;
    let indent = head.len() - head.trim_start().len();
    let (end, inside) = (format!("{}}}", " ".repeat(indent)), " ".repeat(indent + 4));
    let (mut out, mut doc) = (Vec::new(), Vec::new());
    for line in item.lines().skip(1).take_while(|line| **line != end) {
        // Fields of variants are indented further.
        let own = line.strip_prefix(&inside).filter(|l| !l.starts_with(' ') && !l.starts_with(['}', '#']));
        let Some(own) = own else { continue };
        if let Some(words) = own.strip_prefix("///") {
            doc.push(words.trim());
            continue;
        }
        let own = own.strip_prefix("pub ").unwrap_or(own);
        let name: String = own.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            continue;
        }
        let word = own.split('"').nth(1).unwrap_or("").into();
        out.push(Member { name, word, doc: unlinked(&std::mem::take(&mut doc).join(" ")) });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::unlinked;

    #[test]
    fn links_of_the_source_become_words() {
        assert_eq!(unlinked("see [`Op`] and [steps](steps), not a[1]"), "see `Op` and steps, not a[1]");
        assert_eq!(unlinked("[`print`](print()) writes"), "`print` writes");
        assert_eq!(unlinked("[a, see [`Dim`](super::Dim); b]"), "[a, see `Dim`; b]");
        assert_eq!(unlinked("(`S`, see [`x`]) and (y)"), "(`S`, see `x`) and (y)");
        assert_eq!(unlinked("[`a`](A::a)`..=`[`b`](A::b)"), "`a..=b`");
        assert_eq!(unlinked("`[3]` and\n```text\n[x](y)\n```\n"), "`[3]` and\n```text\n[x](y)\n```\n");
    }
}
