//! An effect as a block of comments: what its source declares around the programs.

use crate::contents::{Contents, Default, Parameter, State, number_text};
use crate::diag::printable_line;
use crate::isa::AnyProgram;
use crate::isa::d3d9::ctab;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Numbers of a default that are listed; structures and arrays may have thousands.
const LISTED: usize = 64;

/// The parameters and techniques of an effect as lines that begin with `//`, in the language of effects. `programs` are programs
/// of it by their addresses: each parameter has the registers that these have for it, and each pass the addresses. Without a
/// parameter and a technique there is nothing to list, and the text is empty.
pub fn listing(contents: &Contents, programs: &[(&str, &AnyProgram)]) -> String {
    if contents.parameters.is_empty() && contents.techniques.is_empty() {
        return String::new();
    }
    let mut lines = Vec::from([format!("{}: {}", contents.file, contents.title), String::new()]);
    for one in &contents.parameters {
        let mut declared = declaration(one);
        let registers = registers(one.name.as_deref(), programs);
        if !registers.is_empty() {
            declared.push_str(&format!(" // {}", registers.join(", ")));
        }
        lines.push(declared);
    }
    for technique in &contents.techniques {
        lines.push(String::new());
        let title = titled("technique", technique.name.as_deref());
        lines.push(format!("{title}{} {{", annotations(&technique.annotations)));
        for pass in &technique.passes {
            let title = titled("pass", pass.name.as_deref());
            lines.push(format!("    {title}{} {{", annotations(&pass.annotations)));
            lines.extend(pass.states.iter().map(|state| format!("        {}", setting(state))));
            lines.push("    }".into());
        }
        lines.push("}".into());
    }
    let mut out = String::new();
    for line in lines {
        out.push_str(format!("// {}", printable_line(&line)).trim_end());
        out.push('\n');
    }
    out
}

/// A word and the name of what it declares, if that has one.
fn titled(word: &str, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!("{word} {name}"),
        _ => word.into(),
    }
}

/// A parameter as it is declared.
fn declaration(of: &Parameter) -> String {
    let elements = of.elements.map_or_else(String::new, |n| format!("[{n}]"));
    let semantic = of.semantic.as_ref().map_or_else(String::new, |semantic| format!(" : {semantic}"));
    let value = match (&of.sampler[..], &of.default) {
        ([], None) => String::new(),
        ([], Some(Default::Text(text))) => format!(" = \"{text}\""),
        ([], Some(Default::Numbers(numbers))) => format!(" = {}", number_list(numbers)),
        ([only], _) => format!(" = {}", sampler_state(only)),
        (all, _) => {
            let all: Vec<String> = all.iter().map(|states| sampler_state(states)).collect();
            format!(" = {{ {} }}", all.join(", "))
        }
    };
    let title = titled(&of.ty, of.name.as_deref());
    format!("{title}{elements}{semantic}{}{value};", annotations(&of.annotations))
}

fn number_list(numbers: &[f64]) -> String {
    match numbers {
        [one] => number_text(*one),
        all => {
            let words: Vec<String> = all.iter().take(LISTED).map(|&n| number_text(n)).collect();
            let more = if all.len() > LISTED { ", …" } else { "" };
            format!("{{ {}{more} }}", words.join(", "))
        }
    }
}

fn sampler_state(states: &[State]) -> String {
    let states: Vec<String> = states.iter().map(setting).collect();
    if states.is_empty() {
        "sampler_state {}".into()
    } else {
        format!("sampler_state {{ {} }}", states.join(" "))
    }
}

fn setting(state: &State) -> String {
    let index = state.index.map_or_else(String::new, |index| format!("[{index}]"));
    // A texture is named in angle brackets.
    let value = match &state.expression[..] {
        _ if state.name == "Texture" => format!("<{}>", state.value),
        [] => state.value.clone(),
        [one] => format!("({one})"),
        all => format!("float{}({})", all.len(), all.join(", ")),
    };
    format!("{}{index} = {value};", state.name)
}

fn annotations(all: &[Parameter]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let all: Vec<String> = all.iter().map(declaration).collect();
    format!(" <{}>", all.join(" "))
}

/// The registers of a parameter: `c0-c3`, with the address of the program if there are several.
fn registers(name: Option<&str>, programs: &[(&str, &AnyProgram)]) -> Vec<String> {
    let mut out = Vec::new();
    for (address, program) in programs {
        let AnyProgram::D3d9(program) = program else { continue };
        let table = ctab::of(program).0;
        for constant in table.iter().flat_map(|table| &table.constants) {
            if name != Some(&constant.name) {
                continue;
            }
            let Some(set) = constant.register_set() else { continue };
            let (letter, first) = (set.letter(), constant.index);
            let last = first.saturating_add(constant.count.saturating_sub(1));
            let range = if first == last {
                format!("{letter}{first}")
            } else {
                format!("{letter}{first}-{letter}{last}")
            };
            let of = if programs.len() > 1 { format!(" of {address}") } else { String::new() };
            out.push(range + &of);
        }
    }
    out
}
