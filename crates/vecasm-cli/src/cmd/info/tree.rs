//! What is in a container, for reading.

use std::fmt::Write as _;
use vecasm::contents::{Contents, Default, Entry, Parameter, State, Technique, number_text};
use vecasm::diag::printable_line;

/// Numbers of a default that are shown.
const SHOWN: usize = 16;
/// Digits of a hash that are shown.
const DIGITS: usize = 16;

/// The tree of a container.
pub(super) fn for_reading(contents: &Contents) -> String {
    let mut out = String::new();
    container(contents, 0, true, &mut out);
    out
}

/// Appends a line. Writing to a string does not fail.
macro_rules! line {
    ($out:expr, $depth:expr, $($words:tt)*) => {{
        let text = format!($($words)*);
        let _ = writeln!($out, "{}{}", "  ".repeat($depth), printable_line(text.trim_end()));
    }};
}

fn container(of: &Contents, depth: usize, outermost: bool, out: &mut String) {
    if outermost {
        line!(out, depth, "{}: {}, {} bytes", of.file, of.title, of.bytes);
    }
    let depth = depth + 1;
    for fact in &of.facts {
        line!(out, depth, "{:<12} {}", fact.name, fact.value);
    }
    if !of.parameters.is_empty() {
        line!(out, depth, "parameters");
        for one in &of.parameters {
            parameter(one, depth + 1, out);
        }
    }
    for (n, one) in of.techniques.iter().enumerate() {
        technique(n, one, depth, out);
    }
    if of.entries.is_empty() {
        line!(out, depth, "no shaders inside");
    } else {
        line!(out, depth, "entries");
    }
    let width = of.entries.iter().map(|entry| entry.address.len()).max().unwrap_or(0).min(48);
    for one in &of.entries {
        entry(one, depth + 1, width, out);
    }
    for warning in &of.warnings {
        line!(out, depth, "warning[{}]: {}", warning.id, warning.message);
    }
}

fn entry(of: &Entry, depth: usize, width: usize, out: &mut String) {
    let what = match (&of.model, of.isa, &of.what, &of.inside) {
        (Some(model), ..) => model.clone(),
        (_, Some(isa), ..) => isa.into(),
        (_, _, Some(what), _) => what.clone(),
        (.., Some(inside)) => inside.title.into(),
        _ => of.kind.into(),
    };
    let number = of.program.map_or_else(String::new, |number| format!("#{number}"));
    let also = match &of.aliases[..] {
        [] => String::new(),
        names => format!("  = {}", names.join(" = ")),
    };
    // As many digits of the hash as tell programs apart; `hash --find` takes them.
    let hash = of.sha256.as_ref().and_then(|hash| hash.get(..DIGITS));
    let hash = hash.map_or_else(String::new, |hash| format!(", sha256 {hash}"));
    let (address, bytes, offset) = (&of.address, of.bytes, of.offset);
    line!(out, depth, "{number:<4} {address:<width$}  {what}, {bytes} bytes at {offset:#x}{hash}{also}");
    for fact in &of.facts {
        line!(out, depth + 3, "{:<12} {}", fact.name, fact.value);
    }
    if let Some(error) = &of.error {
        line!(out, depth + 1, "error[{}]: {}", error.id, error.message);
    }
    if let Some(inside) = &of.inside {
        container(inside, depth, false, out);
    }
}

fn parameter(of: &Parameter, depth: usize, out: &mut String) {
    let name = of.name.as_deref().unwrap_or("(no name)");
    let elements = of.elements.map_or_else(String::new, |n| format!("[{n}]"));
    let semantic = of.semantic.as_ref().map_or_else(String::new, |semantic| format!(" : {semantic}"));
    let default = match &of.default {
        Some(Default::Text(text)) => format!(" = \"{text}\""),
        Some(Default::Numbers(numbers)) => {
            let words: Vec<String> = numbers.iter().take(SHOWN).map(|&n| number_text(n)).collect();
            let more = if numbers.len() > SHOWN { " …" } else { "" };
            format!(" = {}{more}", words.join(" "))
        }
        _ => String::new(),
    };
    line!(out, depth, "{} {name}{elements}{semantic}{default}", of.ty);
    for annotation in &of.annotations {
        parameter(annotation, depth + 1, out);
    }
    for states in &of.sampler {
        set(states, depth + 1, out);
    }
}

fn technique(n: usize, of: &Technique, depth: usize, out: &mut String) {
    line!(out, depth, "technique{n} {}", of.name.as_deref().unwrap_or("(no name)"));
    for annotation in &of.annotations {
        parameter(annotation, depth + 1, out);
    }
    for (p, pass) in of.passes.iter().enumerate() {
        line!(out, depth + 1, "pass{p} {}", pass.name.as_deref().unwrap_or("(no name)"));
        for annotation in &pass.annotations {
            parameter(annotation, depth + 2, out);
        }
        set(&pass.states, depth + 2, out);
    }
}

fn set(states: &[State], depth: usize, out: &mut String) {
    for state in states {
        let index = state.index.map_or_else(String::new, |index| format!("[{index}]"));
        let says = match &state.expression[..] {
            [] => String::new(),
            says => format!(": {}", says.join(", ")),
        };
        line!(out, depth, "{}{index} = {}{says}", state.name, state.value);
    }
}
