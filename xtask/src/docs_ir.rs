//! The document `docs/ir.md`: the prose, the tables, the operations, the rules and the text form of the IR, out of
//! their sources.
//!
//! What a table of the library tells is asked there; documentation of variants and fields is read from the source.

use crate::docs::cell;
use std::fmt::Write as _;
use vecasm::ir::op::Slot;
use vecasm::ir::text::forms;
use vecasm::ir::verify::RULES;
use vecasm::ir::{Composite, Dim, Format, InputKind, OutputKind, Pure, Scalar, Stage, System, Type};
use vecasm_conformance::documented::{item_doc, members, module_prose};

const IR: &str = "crates/vecasm-ir/src/ir/mod.rs";
const TYPES: &str = "crates/vecasm-ir/src/ir/types.rs";
const SHADER: &str = "crates/vecasm-ir/src/ir/shader.rs";
const RESOURCE: &str = "crates/vecasm-ir/src/ir/resource.rs";
const FORMAT: &str = "crates/vecasm-ir/src/ir/resource/format.rs";
const OP: &str = "crates/vecasm-ir/src/ir/op/mod.rs";
const NODE: &str = "crates/vecasm-ir/src/ir/node.rs";
const TEXT: &str = "crates/vecasm-ir/src/ir/text/mod.rs";
const STEPS: &str = "crates/vecasm-ir/src/ir/steps.rs";
const TAIL: &str = "crates/vecasm-ir/src/ir/tail.rs";

/// A heading, and what writes the section below it.
type Section = (&'static str, fn() -> Result<String, String>);

/// The sections behind the prose.
const SECTIONS: &[Section] = &[
    ("Types", types),
    ("Tables", tables),
    ("Pure operations", pure_operations),
    ("Other operations", other_operations),
    ("Nodes", nodes),
    ("Rules", rules),
    ("Text form", text_form),
    ("Tails", tails),
    ("Provenance", || module_prose(STEPS, "###")),
];

/// The document.
pub(crate) fn document() -> Result<String, String> {
    let mut out = String::from(
        "# The intermediate representation\n\n\
         <!-- Written by `cargo xtask docs` from crates/vecasm-ir/src/ir. -->\n\n",
    );
    out.push_str(&module_prose(IR, "##")?);
    for (heading, section) in SECTIONS {
        let _ = write!(out, "\n## {heading}\n\n{}", section()?);
    }
    Ok(out)
}

fn type_name(ty: Type) -> String {
    if ty.lanes == 1 { ty.scalar.name().into() } else { format!("{}x{}", ty.scalar.name(), ty.lanes) }
}

/// A table of Markdown.
fn table(out: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

/// What a lift adds to a program.
fn tails() -> Result<String, String> {
    let mut out = format!("{}\n", module_prose(TAIL, "###")?);
    words(&mut out, TAIL, "Tail")?;
    Ok(out.trim_end().to_owned() + "\n")
}

fn types() -> Result<String, String> {
    let mut out = String::new();
    let docs = members(TYPES, "pub enum Scalar {")?;
    let rows = Scalar::ALL.iter().zip(docs).map(|(s, member)| vec![format!("`{}`", s.name()), member.doc]);
    table(&mut out, &["lane", "what it is"], rows);
    out.push_str("A type is a lane and the number of lanes: `f32`, `i32x2`, `boolx4`.\n");
    Ok(out)
}

/// The words of an enum with what they mean, as a list. In the text form its name stands in capitals for one of them.
fn words(out: &mut String, path: &str, name: &str) -> Result<(), String> {
    let head = format!("    {name} {{");
    let doc = item_doc(path, &head)?;
    let _ = writeln!(out, "**{}.** {doc}\n", spaced(name));
    for member in members(path, &head)? {
        let _ = writeln!(out, "* `{}`: {}", member.word, member.doc);
    }
    out.push('\n');
    Ok(())
}

/// The words of a name of the source: `ParamArray` is `Param array`.
fn spaced(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '_' => out.push(' '),
            c if c.is_ascii_uppercase() && !out.is_empty() => {
                out.push(' ');
                out.push(c.to_ascii_lowercase());
            }
            c => out.push(c),
        }
    }
    out
}

/// The fields of a struct with what they are, as a list.
fn fields(out: &mut String, path: &str, name: &str) -> Result<(), String> {
    let head = format!("pub struct {name} {{");
    let doc = item_doc(path, &head)?;
    let _ = writeln!(out, "{doc}\n");
    for member in members(path, &head)? {
        let name = if member.name == "ty" { "type".into() } else { spaced(&member.name) };
        let _ = writeln!(out, "* {name}: {}", member.doc);
    }
    out.push('\n');
    Ok(())
}

fn tables() -> Result<String, String> {
    let mut out =
        String::from("A shader has a stage and the tables below; its body names their entries.\n\n");
    let stages: Vec<String> = Stage::ALL.iter().map(|s| format!("`{}`", s.name())).collect();
    let _ = writeln!(out, "Stages, in the order of the pipeline: {}.\n", stages.join(", "));

    out.push_str("### Setup\n\n");
    fields(&mut out, SHADER, "Setup")?;
    words(&mut out, SHADER, "Primitive")?;
    words(&mut out, SHADER, "Spacing")?;

    out.push_str("### Inputs\n\n");
    fields(&mut out, SHADER, "Input")?;
    let _ = writeln!(out, "{}\n", item_doc(SHADER, "pub enum InputKind {")?);
    for member in members(SHADER, "pub enum InputKind {")? {
        // System values are a table of their own.
        if let Some(word) = kind_word(SHADER, "InputKind", &member.name)? {
            if InputKind::named(&word, Some(0)).is_none() {
                return Err(format!("`{word}` is no kind of input"));
            }
            let _ = writeln!(out, "* `{word} N`: {}", member.doc);
        }
    }
    out.push_str("* a system value, supplied by the pipeline, not by an earlier stage:\n\n");
    let rows = System::ALL.iter().map(|system| {
        let stages: Vec<&str> =
            Stage::ALL.iter().filter(|s| system.exists_in(**s)).map(|s| s.name()).collect();
        let stages = if stages.len() == Stage::ALL.len() { "all".into() } else { stages.join(", ") };
        vec![format!("`{}`", system.name()), type_name(system.ty()), stages, system.doc().trim().into()]
    });
    table(&mut out, &["system value", "type", "stages", "what it is"], rows);
    words(&mut out, SHADER, "Interpolation")?;
    words(&mut out, SHADER, "Location")?;

    out.push_str("### Outputs\n\n");
    fields(&mut out, SHADER, "Output")?;
    let mut rows = Vec::new();
    for member in members(SHADER, "pub enum OutputKind {")? {
        let word = kind_word(SHADER, "OutputKind", &member.name)?.unwrap_or_default();
        let (kind, number) = match (OutputKind::named(&word, None), OutputKind::named(&word, Some(0))) {
            (Some(kind), _) => (kind, ""),
            (None, Some(kind)) => (kind, " N"),
            (None, None) => return Err(format!("`{word}` is no kind of output")),
        };
        let stages: Vec<&str> = Stage::ALL.iter().filter(|s| kind.exists_in(**s)).map(|s| s.name()).collect();
        // The documentation calls the number by the name of its field.
        let doc = member.doc.replace("`target`", "N").replace("`index`", "N");
        rows.push(vec![format!("`{word}{number}`"), stages.join(", "), doc]);
    }
    table(&mut out, &["output", "stages", "what it is"], rows);

    out.push_str("### Parameters, local arrays, states\n\n");
    for name in ["ParamArray", "LocalArray", "State"] {
        fields(&mut out, SHADER, name)?;
    }

    out.push_str("### Textures and samplers\n\n");
    fields(&mut out, RESOURCE, "Texture")?;
    let docs = members(RESOURCE, "dims! {")?;
    let rows = Dim::ALL.iter().zip(docs).map(|(dim, member)| {
        vec![
            format!("`{}`", dim.name()),
            member.doc,
            dim.coord_lanes().to_string(),
            dim.place_lanes().to_string(),
            dim.texel_lanes().to_string(),
            dim.axes().to_string(),
        ]
    });
    out.push_str(
        "The number of lanes of a coordinate, a derivative, an integer position and an offset for each shape:\n\n",
    );
    table(&mut out, &["shape", "texels", "coordinate", "derivative", "place", "offset"], rows);
    fields(&mut out, RESOURCE, "SamplerState")?;
    for name in ["Wrap", "Filter", "Mip", "Compare", "SamplerQuirk"] {
        words(&mut out, RESOURCE, name)?;
    }

    out.push_str("### Buffers\n\n");
    fields(&mut out, RESOURCE, "Buffer")?;
    words(&mut out, RESOURCE, "BufferKind")?;

    out.push_str("### Images\n\n");
    fields(&mut out, RESOURCE, "Image")?;
    let _ = writeln!(out, "{}\n", item_doc(FORMAT, "            Format { $")?);
    let rows = Format::ALL.iter().map(|format| {
        let bits: Vec<String> = format.bits().iter().map(u8::to_string).collect();
        vec![
            format!("`{}`", format.name()),
            bits.join(" "),
            format.scalar().name().into(),
            format.bytes().to_string(),
        ]
    });
    table(&mut out, &["format", "bits of the channels", "lanes in a shader", "bytes"], rows);
    Ok(out)
}

fn pure_operations() -> Result<String, String> {
    let mut out = String::from(
        "The result depends only on the arguments. Unless stated otherwise, lane i of the result is the operation \
         on lane i of the arguments, which have the same number of lanes; *one* means that all lanes give one value. T is the same type everywhere. The column nv20 says whether the operation exists under that arithmetic.\n\n",
    );
    let rows = Pure::ALL.iter().map(|op| {
        let word = |slot: Slot| match slot {
            Slot::T => "T",
            Slot::Is(scalar) => scalar.name(),
        };
        let args: Vec<&str> = op.slots().iter().map(|&slot| word(slot)).collect();
        let over: Vec<&str> =
            Scalar::ALL.iter().filter(|s| op.type_class().has(**s)).map(|s| s.name()).collect();
        let over = match over.len() {
            _ if !op.slots().contains(&Slot::T) => String::new(),
            n if n == Scalar::ALL.len() => "any".into(),
            _ => over.join(" "),
        };
        let result =
            if op.reduces() { format!("one {}", word(op.result())) } else { word(op.result()).into() };
        let nv20 = if op.has_nv20() { "yes" } else { "" };
        vec![
            format!("`{}`", op.name()),
            format!("{} → {result}", args.join(", ")),
            over,
            nv20.into(),
            op.doc().trim().into(),
        ]
    });
    table(&mut out, &["operation", "types", "T may be", "nv20", "result"], rows);
    out.push_str("### Arithmetic\n\n");
    fields(&mut out, OP, "Arith")?;
    words(&mut out, OP, "Rule")?;
    Ok(out)
}

fn other_operations() -> Result<String, String> {
    let mut out = format!("{}\n\n", item_doc(OP, "pub enum Op {")?);
    out.push_str(
        "Each is shown in the text form, without result and step. Capitals are a name from a table, a number N, or one of the words listed below: RULE is the out-of-range rule, SITE, LOD, ATOMIC, VOTE; LANE \
         is `x`, `y`, `z` or `w`, MASK some of them. `…` is further arguments. How a texture, buffer or image is selected is not shown: `[of N]` after its name, or `.handle` after the word.\n\n",
    );
    for member in members(OP, "pub enum Op {")? {
        let of = forms().filter(|(variant, ..)| *variant == member.name).collect::<Vec<_>>();
        let forms: Vec<String> = of.iter().map(|(_, _, form)| format!("`{form}`")).collect();
        // Pure operations have a section of their own.
        if !forms.is_empty() {
            let _ = writeln!(out, "* {}: {}", forms.join(" or "), member.doc);
        }
    }
    out.push_str("\n### Names and choices\n\n");
    for head in ["pub struct At {", "pub enum Pick {", "pub enum Lod {", "pub enum Memory {"] {
        let _ = writeln!(out, "{}\n", item_doc(OP, head)?);
        for member in members(OP, head)? {
            let _ = writeln!(out, "* {}: {}", spaced(&member.name).to_lowercase(), member.doc);
        }
        out.push('\n');
    }
    for name in ["OutOfRange", "Site", "Slope", "Atomic", "Vote"] {
        words(&mut out, OP, name)?;
    }
    Ok(out)
}

fn nodes() -> Result<String, String> {
    let mut out = String::new();
    for member in members(NODE, "pub enum Node {")? {
        let _ = writeln!(out, "* **{}**: {}", member.name, member.doc);
    }
    let _ = writeln!(
        out,
        "\n{}\n",
        item_doc(NODE, "pub struct Switch {")?.replace("See `Node::Switch`.", "A switch:")
    );
    for member in members(NODE, "pub struct Switch {")? {
        let _ = writeln!(out, "* {}: {}", member.name, member.doc);
    }
    let _ = writeln!(
        out,
        "\nAn idiom: {}\n",
        item_doc(NODE, "pub struct Idiom {")?.replace("See `Node::Idiom`. ", "")
    );
    let rows = Composite::ALL.iter().map(|what| {
        let (name, results) = (format!("`{}`", what.name()), what.results().to_string());
        vec![name, results, what.doc().trim().into()]
    });
    table(&mut out, &["composite", "results", "what it is, and its operands"], rows);
    Ok(out)
}

fn rules() -> Result<String, String> {
    let mut out = String::from(
        "The rules of a valid shader, by the id of a breach. `ir::verify` reports all breaches, passes rely on the rules, and engines reject a shader with a breach.\n\n",
    );
    let rows = RULES.iter().map(|rule| vec![format!("`{}`", rule.id), rule.text.into()]);
    table(&mut out, &["id", "rule"], rows);
    Ok(out)
}

fn text_form() -> Result<String, String> {
    module_prose(TEXT, "###")
}

/// The word of a kind of input or output; `None` for those with a table of their own.
fn kind_word(path: &str, kinds: &str, name: &str) -> Result<Option<String>, String> {
    let list = members(path, &format!("    {kinds} {{"))?;
    Ok(list.into_iter().find(|member| member.name == name).map(|member| member.word))
}

#[cfg(test)]
mod tests {
    use super::document;

    #[test]
    fn no_entry_lacks_its_meaning() {
        let text = document().unwrap_or_else(|e| panic!("{e}"));
        for line in text.lines() {
            let empty = line.ends_with("|  |") || line.starts_with("* ") && line.ends_with(": ");
            assert!(!empty, "{line}");
            assert!(!line.contains("]("), "a link of the source is left: {line}");
        }
    }
}
